-- Shared by bench/crypto and bench/proof.

CREATE EXTENSION atid_crypto CASCADE;
CREATE SCHEMA bench;

CREATE UNLOGGED TABLE bench.result (name text, round int, ns float8);

-- The processor time of this backend, in nanoseconds: other processes do not count. The system
-- updates the figure when the process sleeps.
CREATE FUNCTION bench.processor_time() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_sleep(0.001);
  RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint;
END $$;

-- Nanoseconds for each part of a row. The condition must be true of each row.
CREATE PROCEDURE bench.measure(name text, condition text, source text, parts int, round int) LANGUAGE plpgsql AS $$
DECLARE
  rows bigint;
  met bigint;
  begun bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM bench.%I', source) INTO rows;
  begun := bench.processor_time();
  EXECUTE format('SELECT count(*) FILTER (WHERE %s) FROM bench.%I', condition, source) INTO met;
  INSERT INTO bench.result SELECT name, round, (bench.processor_time() - begun)::float8 / (rows * parts) WHERE round > 0;
  ASSERT met = rows, name || ': not true of each row';
END $$;
