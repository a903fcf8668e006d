-- What bench/indexer measures, and how.

CREATE SCHEMA bench;
CREATE UNLOGGED TABLE bench.line (a text, b text, c text, d text);
CREATE UNLOGGED TABLE bench.frame (seq int PRIMARY KEY, did text, frame bytea);
ALTER TABLE bench.frame ALTER frame SET STORAGE EXTERNAL;
CREATE TABLE bench.used (ns bigint);

-- The processor time of this backend, in nanoseconds: others on the machine do not count. The system brings the figure
-- up to date when the process sleeps.
CREATE FUNCTION bench.processor_time() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_sleep(0.001);
  RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint;
END $$;
