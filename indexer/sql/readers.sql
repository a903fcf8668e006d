-- Readers: applications read each change of the records once.

-- Adds a reader of everything that is written from now on. It waits for transactions that are
-- writing, so that nothing is missed.
CREATE OR REPLACE FUNCTION read_from_now(reader text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM exclude_writers();
  INSERT INTO reader (name, since)
  SELECT read_from_now.reader, CASE WHEN s.is_called THEN s.last_value ELSE 0 END
  FROM change_n_seq AS s;
END $$;

-- Returns the next changes for a reader: each once, with the record as it is now. A change is
-- returned only after all older transactions have ended.
CREATE OR REPLACE FUNCTION changes(reader text, most int)
RETURNS TABLE (tx xid8, n bigint, uri atid.at_uri, cid atid.cid_link, block bytea) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE r reader;
BEGIN
  SELECT * INTO r FROM reader AS x WHERE x.name = changes.reader FOR UPDATE;
  FOR tx, n, uri IN
    SELECT c.tx, c.n, c.uri FROM change AS c
    WHERE (c.tx, c.n) > (r.tx, r.n) AND c.n > r.since
      AND c.tx < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY c.tx, c.n LIMIT most
  LOOP
    cid := NULL;
    block := NULL;
    SELECT x.cid, x.block INTO cid, block FROM record AS x
    WHERE x.uri = changes.uri AND x.did = atid.at_uri_did(changes.uri);
    RETURN NEXT;
  END LOOP;
END $$;

-- Notes that a reader has read up to a change; a late call does not move it back. Changes that
-- every reader has read are deleted.
CREATE OR REPLACE FUNCTION read_to(reader text, tx xid8, n bigint) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE reader AS r SET tx = read_to.tx, n = read_to.n
  WHERE r.name = read_to.reader AND (r.tx, r.n) < (read_to.tx, read_to.n);
  PERFORM delete_read_changes();
END $$;

-- Deletes the readers of processes of "atid-indexer api" that were killed: while such a process
-- runs, it holds a lock by the name of its reader (src/api/changes.js).
CREATE OR REPLACE FUNCTION delete_dead_readers() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM reader AS r WHERE r.api AND pg_try_advisory_xact_lock(hashtextextended(r.name, 0));
END $$;
