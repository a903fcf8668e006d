-- What bench/crypto measures, and how. The variable file names the signatures that crypto_loop made.

CREATE EXTENSION atid_crypto CASCADE;
CREATE SCHEMA bench;

CREATE UNLOGGED TABLE bench.signature (curve text, data text, signature text, point text);
\copy bench.signature FROM pstdin

-- One key, as the events of one account have; a table for each curve.
CREATE UNLOGGED TABLE bench.k256 AS
SELECT decode(data, 'hex') AS data, decode(signature, 'hex') AS signature, atid.did_key_make(curve, decode(point, 'hex')) AS key
FROM bench.signature WHERE curve = 'k256';
CREATE UNLOGGED TABLE bench.p256 AS
SELECT decode(data, 'hex') AS data, decode(signature, 'hex') AS signature, atid.did_key_make(curve, decode(point, 'hex')) AS key
FROM bench.signature WHERE curve = 'p256';
-- The same key in two forms by turns, so that no row has the text of the one before.
CREATE UNLOGGED TABLE bench.k256_turns AS
SELECT data, signature, CASE row_number() OVER () % 2 WHEN 0 THEN key ELSE substr(key, 9) END AS key FROM bench.k256;
CREATE UNLOGGED TABLE bench.p256_turns AS
SELECT data, signature, CASE row_number() OVER () % 2 WHEN 0 THEN key ELSE substr(key, 9) END AS key FROM bench.p256;
-- Ten times as many, for two workers to share.
CREATE UNLOGGED TABLE bench.k256_many AS SELECT k.* FROM bench.k256 k, generate_series(1, 10);
VACUUM ANALYZE bench.k256, bench.p256, bench.k256_turns, bench.p256_turns, bench.k256_many;

CREATE UNLOGGED TABLE bench.result (name text, round int, ns float8);

-- The processor time of this backend, in nanoseconds: others on the machine do not count. The system brings
-- the figure up to date when the process sleeps.
CREATE FUNCTION bench.processor_time() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_sleep(0.001);
  RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint;
END $$;

-- Nanoseconds for a row.
CREATE PROCEDURE bench.measure(name text, query text, source text, round int) LANGUAGE plpgsql AS $$
DECLARE
  rows bigint;
  begun bigint;
BEGIN
  EXECUTE 'SELECT count(*) FROM bench.' || source INTO rows;
  begun := bench.processor_time();
  EXECUTE format('SELECT count(*) FILTER (WHERE %s) FROM bench.%s', query, source);
  INSERT INTO bench.result SELECT name, round, (bench.processor_time() - begun)::float8 / rows WHERE round > 0;
END $$;

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
    ) AS v (name, query, source) ORDER BY random()
  LOOP
    CALL bench.measure(s.name, s.query, s.source, round);
  END LOOP;
END $$;

-- Milliseconds on the clock with so many workers and an idle leader.
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
