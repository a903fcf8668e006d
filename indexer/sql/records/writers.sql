-- The lock between transactions that write and those that must see everything that was written.

-- A writer calls enter_writers() before it reads which accounts are excluded and whether there are
-- readers. exclude_writers() waits until all of these transactions have ended, and new ones wait
-- for it. First it waits for the functions that lock several accounts: they wait for one while they
-- write another. (pg_dump holds a lock on the table for hours, which conflicts with neither.)
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
  PERFORM lock_batch_work();
  LOCK TABLE lock_of_writers IN EXCLUSIVE MODE;
END $$;
