-- Counters: how many accounts are in each state, and how many loads there were. The value of a
-- counter is the sum of its rows. A change adds rows, so that no transaction waits for another.
-- Only the functions in this file write the table.
--
-- It needs no bound: compact_tally() sums up the rows every ten seconds.

-- Adds a row for each counter: its name, and by how much it changes.
CREATE OR REPLACE FUNCTION add_tally(whats text[], changes bigint[]) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO tally (what, n) SELECT t.what, t.n FROM unnest(whats, changes) AS t (what, n);
END $$;

-- Sums up the rows of each counter, if there are many.
CREATE OR REPLACE FUNCTION compact_tally() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF (SELECT count(*) FROM (SELECT 1 FROM tally LIMIT 50) AS t) > 20 THEN
    WITH old AS (DELETE FROM tally RETURNING what, n)
    INSERT INTO tally (what, n) SELECT o.what, sum(o.n) FROM old AS o
    GROUP BY o.what HAVING sum(o.n) <> 0;
  END IF;
END $$;
