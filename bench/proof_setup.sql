-- The measurements of bench/proof. The variable file names the logs that proof.js made.

\ir processor.sql

CREATE UNLOGGED TABLE bench.log (shape text, log jsonb);
\copy bench.log FROM pstdin
DO $$
DECLARE
  s text;
BEGIN
  FOR s IN SELECT DISTINCT shape FROM bench.log LOOP
    EXECUTE format('CREATE UNLOGGED TABLE bench.%I AS SELECT log FROM bench.log WHERE shape = %L', s, s);
  END LOOP;
END $$;
VACUUM ANALYZE;

CREATE PROCEDURE bench.round(round int) LANGUAGE plpgsql AS $$
DECLARE
  s record;
BEGIN
  FOR s IN SELECT * FROM (VALUES
      ('k256 1 of 2', 'atid.plc_log_is_valid(log)', 'k256 1 of 2'),
      ('k256 2 of 2', 'atid.plc_log_is_valid(log)', 'k256 2 of 2'),
      ('k256 by turns', 'atid.plc_log_is_valid(log)', 'k256 by turns'),
      ('p256 2 of 2', 'atid.plc_log_is_valid(log)', 'p256 2 of 2')
    ) AS v (name, condition, source) ORDER BY random()
  LOOP
    CALL bench.measure(s.name, s.condition, s.source, 3, round);  -- operations of a log
  END LOOP;
END $$;
