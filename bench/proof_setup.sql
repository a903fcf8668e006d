-- What bench/proof measures, and how. The variable file names the logs that proof.js made.

CREATE EXTENSION atid_crypto CASCADE;
CREATE SCHEMA bench;

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

CREATE UNLOGGED TABLE bench.result (name text, round int, ns float8);

-- The processor time of this backend, in nanoseconds: others on the machine do not count. The system brings
-- the figure up to date when the process sleeps.
CREATE FUNCTION bench.processor_time() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_sleep(0.001);
  RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint;
END $$;

-- Nanoseconds for an operation.
CREATE PROCEDURE bench.measure(name text, condition text, source text, round int) LANGUAGE plpgsql AS $$
DECLARE
  operations bigint;
  valid bigint;
  begun bigint;
BEGIN
  EXECUTE format('SELECT sum(jsonb_array_length(log)) FROM bench.%I', source) INTO operations;
  begun := bench.processor_time();
  EXECUTE format('SELECT count(*) FILTER (WHERE %s) * 3 FROM bench.%I', condition, source) INTO valid;
  INSERT INTO bench.result SELECT name, round, (bench.processor_time() - begun)::float8 / operations WHERE round > 0;
  ASSERT valid = operations, 'a log is not valid';
END $$;

CREATE PROCEDURE bench.round(round int) LANGUAGE plpgsql AS $$
DECLARE
  s record;
BEGIN
  FOR s IN SELECT * FROM (VALUES
      ('k256 1 of 2', 'atid.plc_log_is_valid(log)', 'k256 1 of 2'),
      ('k256 2 of 2', 'atid.plc_log_is_valid(log)', 'k256 2 of 2'),
      ('k256 by turns', 'atid.plc_log_is_valid(log)', 'k256 by turns'),
      ('p256 2 of 2', 'atid.plc_log_is_valid(log)', 'p256 2 of 2'),
      ('verified before', 'atid.plc_log_is_valid(log, verified => 3)', 'k256 2 of 2')
    ) AS v (name, condition, source) ORDER BY random()
  LOOP
    CALL bench.measure(s.name, s.condition, s.source, round);
  END LOOP;
END $$;
