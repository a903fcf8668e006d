-- Waiting frames: those of accounts that are being loaded, and those that a newer key has made
-- valid. Only the functions in this file write the tables waiting and ready_account.
--
-- An account gets a row in ready_account whenever its frames no longer need to wait, whether or not
-- it has any: another transaction may be adding some whose rows are not visible yet.
-- process_frames() takes these rows, so it never reads all waiting frames. As it takes frames
-- before it locks their accounts, the functions here that others call skip the frames that it has
-- taken. (start_stream() waits for it, by the rows of the table shard.)
--
-- The table waiting has three bounds. If an account has more than most_waiting bytes, only its
-- newest frames stay. When all frames have reached most_waiting_all bytes, or the table twice as
-- many, a row notes only that there was a frame, and the account is loaded again, by take_missed().
-- In live mode, where no load makes up for a frame, refuse_strangers() refuses what has no room
-- before it comes here. Accounts whose keys are not known have half of it, and their frames are
-- deleted when their records would be, after settings.keep (expire_waiting()).
--
-- The bytes of all frames are a counter of the table tally, "waiting": each statement that adds or
-- deletes frames changes it (count_waiting_bytes()), and recount_waiting_bytes() corrects it when a
-- stream starts, for the case that somebody else has deleted some. The size of the table would be
-- no measure: it stays what it was at the worst of times.

-- Adds to the bytes of all frames.
CREATE OR REPLACE FUNCTION count_waiting_bytes(more bigint) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF more <> 0 THEN  -- NULL: no frame
    PERFORM add_tally('{waiting}', ARRAY[more]);
  END IF;
END $$;

-- Counts the bytes of all frames again. A transaction changes both sums by the same amount, and
-- this sees all of its changes or none.
CREATE OR REPLACE FUNCTION recount_waiting_bytes() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  -- in one statement, so that both are of one snapshot
  missing CONSTANT bigint := (
    SELECT coalesce((SELECT sum(octet_length(w.frame)) FROM waiting AS w), 0)
           - coalesce((SELECT sum(t.n) FROM tally AS t WHERE t.what = 'waiting'), 0));
BEGIN
  PERFORM count_waiting_bytes(missing);
END $$;

-- Do all frames take less than this part of the room?
CREATE OR REPLACE FUNCTION has_waiting_room(part float8) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  most CONSTANT float8 := (SELECT s.most_waiting_all FROM settings AS s);
BEGIN
  RETURN coalesce((SELECT sum(t.n) FROM tally AS t WHERE t.what = 'waiting'), 0) < part * most
         AND bytes_of_waiting() < 2 * most;
END $$;

-- Returns those of these accounts that have used all the room of one account.
CREATE OR REPLACE FUNCTION find_overflowing_accounts(dids atid.did[]) RETURNS atid.did[]
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  most CONSTANT bigint := (SELECT s.most_waiting FROM settings AS s);
BEGIN
  RETURN ARRAY(SELECT w.did FROM waiting AS w WHERE w.did = ANY (dids)
               GROUP BY w.did HAVING sum(octet_length(w.frame)) > most);
END $$;

-- Adds frames of a stream: arrays of equal length.
CREATE OR REPLACE FUNCTION add_waiting(stream text, seqs bigint[], dids atid.did[], frames bytea[])
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  room bool;
  over atid.did[];
  gone bigint;
BEGIN
  IF dids IS NULL THEN RETURN; END IF;
  PERFORM enter_writers();
  room := has_waiting_room(1);
  over := find_overflowing_accounts(dids);
  IF NOT room THEN
    DELETE FROM waiting AS w
    WHERE w.ctid = ANY (ARRAY(SELECT o.ctid FROM waiting AS o
                              WHERE o.did = ANY (dids) AND o.frame IS NULL
                              FOR UPDATE SKIP LOCKED));
  END IF;
  WITH gone AS (
    DELETE FROM waiting AS w
    WHERE w.ctid = ANY (ARRAY(SELECT o.ctid FROM waiting AS o WHERE o.did = ANY (over)
                              FOR UPDATE SKIP LOCKED))
    RETURNING octet_length(w.frame) AS n
  )
  SELECT sum(g.n) INTO gone FROM gone AS g;
  WITH more AS (
    INSERT INTO waiting (stream, slot, seq, did, frame)
    SELECT DISTINCT ON (f.did, CASE WHEN room THEN f.n END)
           add_waiting.stream, shard_slot(f.did), f.seq, f.did, CASE WHEN room THEN f.frame END
    FROM unnest(seqs, dids, frames) WITH ORDINALITY AS f (seq, did, frame, n)
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = f.did)
    RETURNING octet_length(frame) AS n
  )
  SELECT coalesce(sum(m.n), 0) - coalesce(gone, 0) INTO gone FROM more AS m;
  PERFORM count_waiting_bytes(gone);
END $$;

-- Deletes the waiting frames of these accounts, and returns them. The rows of frames for which
-- there was no room are left to take_missed().
CREATE OR REPLACE FUNCTION take_waiting(stream text, dids atid.did[])
RETURNS TABLE (seq bigint, frame bytea) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE taken bigint := 0;
BEGIN
  IF dids = '{}' THEN RETURN; END IF;
  FOR seq, frame IN
    DELETE FROM waiting AS w
    WHERE w.stream = take_waiting.stream AND w.did = ANY (dids) AND w.frame IS NOT NULL
    RETURNING w.seq, w.frame
  LOOP
    taken := taken + octet_length(frame);
    RETURN NEXT;
  END LOOP;
  PERFORM count_waiting_bytes(-taken);
END $$;

-- Returns those of these accounts for whose frames there was no room.
CREATE OR REPLACE FUNCTION find_missed(stream text, dids atid.did[]) RETURNS atid.did[]
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT w.did FROM waiting AS w
               WHERE w.stream = find_missed.stream AND w.did = ANY (dids) AND w.frame IS NULL);
END $$;

-- Deletes the rows of frames for which there was no room, and returns their accounts.
CREATE OR REPLACE FUNCTION take_missed(stream text, dids atid.did[]) RETURNS SETOF atid.did
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY
  WITH missed AS (
    DELETE FROM waiting AS w
    WHERE w.stream = take_missed.stream AND w.did = ANY (dids) AND w.frame IS NULL RETURNING w.did
  )
  SELECT DISTINCT m.did FROM missed AS m ORDER BY m.did;
END $$;

-- Marks the frames of an account as no longer waiting.
CREATE OR REPLACE FUNCTION release_waiting(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO ready_account (slot, did) VALUES (shard_slot(one), one);
END $$;

-- Takes the accounts of a shard whose frames no longer need to wait.
CREATE OR REPLACE FUNCTION take_ready_accounts(from_slot int, to_slot int) RETURNS atid.did[]
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE dids atid.did[];
BEGIN
  WITH taken AS (
    DELETE FROM ready_account AS r WHERE r.slot BETWEEN from_slot AND to_slot RETURNING r.did
  )
  SELECT array_agg(DISTINCT t.did) INTO dids FROM taken AS t;
  RETURN coalesce(dids, '{}');
END $$;

-- Called when a stream starts: finds the accounts whose frames no longer need to wait among all
-- waiting frames. Frames of accounts that do not exist are deleted, except in live mode, which may
-- still add these accounts.
CREATE OR REPLACE FUNCTION release_all_waiting(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  -- as text, and not in one statement, for Citus
  dids CONSTANT text[] := ARRAY(SELECT DISTINCT w.did::text FROM waiting AS w
                                WHERE w.stream = release_all_waiting.stream);
  here CONSTANT text[] := ARRAY(SELECT a.did::text FROM account AS a
                                WHERE a.did = ANY (dids::atid.did[]));
  held CONSTANT text[] := ARRAY(SELECT a.did::text FROM account AS a
                                WHERE a.did = ANY (dids::atid.did[])
                                  AND a.state IN ('loading', 'unidentified'));
  gone bigint;
BEGIN
  IF NOT wants_live() THEN
    WITH gone AS (
      DELETE FROM waiting AS w
      WHERE w.stream = release_all_waiting.stream
        AND w.did::text IN (SELECT d FROM unnest(dids) AS d EXCEPT SELECT h FROM unnest(here) AS h)
      RETURNING octet_length(w.frame) AS n
    )
    SELECT sum(g.n) INTO gone FROM gone AS g;
    PERFORM count_waiting_bytes(-gone);
  END IF;
  PERFORM recount_waiting_bytes();
  INSERT INTO ready_account (slot, did)
  SELECT shard_slot(h::atid.did), h FROM unnest(here) AS h WHERE h <> ALL (held);
END $$;

-- Deletes the frames of an account. If process_frames() has just taken them, they are processed
-- after the account is gone, or deleted by find_loaded_accounts().
CREATE OR REPLACE FUNCTION delete_waiting(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE gone bigint;
BEGIN
  WITH gone AS (
    DELETE FROM waiting AS w
    WHERE w.ctid = ANY (ARRAY(SELECT o.ctid FROM waiting AS o WHERE o.did = one
                              FOR UPDATE SKIP LOCKED))
    RETURNING octet_length(w.frame) AS n
  )
  SELECT sum(g.n) INTO gone FROM gone AS g;
  PERFORM count_waiting_bytes(-gone);
END $$;

-- Deletes the frames older than settings.keep of accounts that are not being loaded, in live mode:
-- at most 10,000, the oldest first.
CREATE OR REPLACE FUNCTION expire_waiting() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE gone bigint;
BEGIN
  WITH gone AS (
    DELETE FROM waiting AS w
    WHERE w.ctid = ANY (ARRAY(
      SELECT o.ctid FROM waiting AS o
      WHERE o.added < add_interval(now(), -(SELECT s.keep FROM settings AS s))
        AND NOT EXISTS (SELECT 1 FROM account AS a
                        WHERE a.did = o.did AND a.state = 'loading')
      ORDER BY o.added LIMIT 10000 FOR UPDATE SKIP LOCKED))
    RETURNING octet_length(w.frame) AS n
  )
  SELECT sum(g.n) INTO gone FROM gone AS g;
  PERFORM count_waiting_bytes(-gone);
END $$;

-- Returns up to 1,000 accounts that are not here but have waiting frames, in live mode: there was
-- no room for their notices.
CREATE OR REPLACE FUNCTION find_unreported_strangers() RETURNS atid.did[] LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT w.did
               FROM (SELECT o.did FROM waiting AS o ORDER BY o.added DESC LIMIT 20000) AS w
               WHERE NOT EXISTS (SELECT 1 FROM account AS a WHERE a.did = w.did) LIMIT 1000);
END $$;

-- The size of the table in bytes.
CREATE OR REPLACE FUNCTION bytes_of_waiting() RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN pg_total_relation_size('waiting');
END $$;

-- The number of waiting frames of an account, counted up to 1,000.
CREATE OR REPLACE FUNCTION count_waiting(one atid.did) RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT count(*) FROM (SELECT 1 FROM waiting AS w WHERE w.did = one LIMIT 1000) AS q);
END $$;
