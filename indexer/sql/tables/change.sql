-- Changes of records, for the readers of readers.sql. Only the functions in this file write the
-- table.
--
-- No change is stored while there is no reader. The table has no bound, since a change that a
-- reader has not read must not be lost. Instead, a reader that does not move for a day is reported
-- as a problem of the activity "reader" (activities/activities.sql; the table activity_bound
-- changes the time), and watch shows the bytes and rows of the table.

-- Adds the records that write_records() has written or deleted: those in the table op.
CREATE OR REPLACE FUNCTION add_changes() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO change (uri) SELECT op.uri FROM op;
  IF FOUND THEN NOTIFY change; END IF;
END $$;

-- Deletes the changes that every reader has read.
CREATE OR REPLACE FUNCTION delete_read_changes() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM change AS c
  WHERE (c.tx, c.n) <= (SELECT r.tx, r.n FROM reader AS r ORDER BY r.tx, r.n LIMIT 1);
END $$;
