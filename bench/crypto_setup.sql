-- The measurements of bench/crypto. The variable file names the signatures that crypto_loop made.

\ir processor.sql

CREATE UNLOGGED TABLE bench.signature (curve text, data text, signature text, point text);
\copy bench.signature FROM pstdin

-- One key, as the events of one account have; a table for each curve.
CREATE UNLOGGED TABLE bench.k256 AS
SELECT decode(data, 'hex') AS data, decode(signature, 'hex') AS signature, atid.did_key_make(curve, decode(point, 'hex')) AS key
FROM bench.signature WHERE curve = 'k256';
CREATE UNLOGGED TABLE bench.p256 AS
SELECT decode(data, 'hex') AS data, decode(signature, 'hex') AS signature, atid.did_key_make(curve, decode(point, 'hex')) AS key
FROM bench.signature WHERE curve = 'p256';
-- The same key in two forms alternately, so that no row has the text of the one before.
CREATE UNLOGGED TABLE bench.k256_turns AS
SELECT data, signature, CASE row_number() OVER () % 2 WHEN 0 THEN key ELSE substr(key, 9) END AS key FROM bench.k256;
CREATE UNLOGGED TABLE bench.p256_turns AS
SELECT data, signature, CASE row_number() OVER () % 2 WHEN 0 THEN key ELSE substr(key, 9) END AS key FROM bench.p256;
-- Ten times as many, for two workers to share.
CREATE UNLOGGED TABLE bench.k256_many AS SELECT k.* FROM bench.k256 k, generate_series(1, 10);
VACUUM ANALYZE bench.k256, bench.p256, bench.k256_turns, bench.p256_turns, bench.k256_many;

CREATE PROCEDURE bench.round(round int) LANGUAGE plpgsql AS $$
DECLARE
  s record;
BEGIN
  FOR s IN SELECT * FROM (VALUES
      ('k256', 'atid.signature_is_valid(data, signature, key)', 'k256'),
      ('p256', 'atid.signature_is_valid(data, signature, key)', 'p256'),
      ('k256, another key', 'atid.signature_is_valid(data, signature, key)', 'k256_turns'),
      ('p256, another key', 'atid.signature_is_valid(data, signature, key)', 'p256_turns'),
      ('scan', 'true', 'k256_many'),
      ('scan and 20 operators', 'length(data) > ' || array_to_string(ARRAY(SELECT -i FROM generate_series(1, 10) i),
                                                                    ' AND length(data) > '), 'k256_many')
    ) AS v (name, condition, source) ORDER BY random()
  LOOP
    CALL bench.measure(s.name, s.condition, s.source, 1, round);
  END LOOP;
END $$;

-- Milliseconds on the clock with this many workers and an idle leader.
CREATE PROCEDURE bench.parallel(workers int, round int) LANGUAGE plpgsql AS $$
DECLARE
  begun timestamptz;
BEGIN
  PERFORM set_config('max_parallel_workers_per_gather', workers::text, false),
          set_config('parallel_leader_participation', 'off', false);
  EXECUTE format('ALTER TABLE bench.k256_many SET (parallel_workers = %s)', workers);
  begun := clock_timestamp();
  PERFORM count(*) FROM bench.k256_many WHERE NOT atid.signature_is_valid(data, signature, key);
  INSERT INTO bench.result
    SELECT workers || ' workers', round, extract(epoch FROM clock_timestamp() - begun) * 1e9 WHERE round > 0;
END $$;
