-- The lock between those who write and those who must see all that was written.

-- Whoever writes says so, before reading who is excluded and whether there are readers.
-- exclude_writers() waits until all of these transactions have ended, and new ones wait for it.
-- (pg_dump holds a lock on the table for hours, one that conflicts with neither.)
CREATE OR REPLACE FUNCTION enter_writers() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  LOCK TABLE lock_of_writers IN ROW EXCLUSIVE MODE;
END $$;

CREATE OR REPLACE FUNCTION exclude_writers() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  LOCK TABLE lock_of_writers IN EXCLUSIVE MODE;
END $$;
