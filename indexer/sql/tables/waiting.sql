-- Waiting frames: those of accounts that are being loaded, and those that a newer key has made
-- valid. Only the functions in this file write the tables waiting and ready_account.
--
-- An account gets a row in ready_account whenever its frames no longer need to wait, whether or not
-- it has any: another transaction may be adding some whose rows are not visible yet.
-- process_frames() takes these rows, so it never reads all waiting frames.
--
-- The table waiting has three bounds. If an account has more than most_waiting bytes, only its
-- newest frames stay. When the table has reached most_waiting_all bytes, a row notes only that
-- there was a frame, and the account is loaded again, by take_missed(). In live mode, accounts
-- whose keys are not known get no more room when it has reached half of that
-- (has_room_for_strangers()), and their frames are deleted when their records would be, after
-- settings.keep (expire_waiting()).

-- Adds frames of a stream: arrays of equal length.
CREATE OR REPLACE FUNCTION add_waiting(stream text, seqs bigint[], dids atid.did[], frames bytea[])
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  s settings;
  room bool;
BEGIN
  IF dids IS NULL THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  PERFORM enter_writers();
  room := pg_total_relation_size('waiting') < s.most_waiting_all;
  IF NOT room THEN
    DELETE FROM waiting AS w WHERE w.did = ANY (dids) AND w.frame IS NULL;
  END IF;
  WITH more AS (
    INSERT INTO waiting (stream, slot, seq, did, frame)
    SELECT DISTINCT ON (f.did, CASE WHEN room THEN f.n END)
           add_waiting.stream, shard_slot(f.did), f.seq, f.did, CASE WHEN room THEN f.frame END
    FROM unnest(seqs, dids, frames) WITH ORDINALITY AS f (seq, did, frame, n)
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = f.did)
    RETURNING did
  )
  DELETE FROM waiting AS w  -- this does not see the rows just added
  WHERE w.did IN (SELECT o.did FROM waiting AS o WHERE o.did IN (SELECT m.did FROM more AS m)
                  GROUP BY o.did HAVING sum(octet_length(o.frame)) > s.most_waiting);
END $$;

-- Is there room for more frames of live accounts whose keys are not known? No load makes up for
-- frames for which there is none.
CREATE OR REPLACE FUNCTION has_room_for_strangers() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN bytes_of_waiting() < (SELECT s.most_waiting_all FROM settings AS s) / 2;
END $$;

-- Deletes the waiting frames of these accounts, and returns them. The rows of frames for which
-- there was no room are left to take_missed().
CREATE OR REPLACE FUNCTION take_waiting(stream text, dids atid.did[])
RETURNS TABLE (seq bigint, frame bytea) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF dids = '{}' THEN RETURN; END IF;
  RETURN QUERY
  DELETE FROM waiting AS w
  WHERE w.stream = take_waiting.stream AND w.did = ANY (dids) AND w.frame IS NOT NULL
  RETURNING w.seq, w.frame;
END $$;

-- Returns those of these accounts for whose frames there was no room.
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
BEGIN
  IF NOT wants_live() THEN
    DELETE FROM waiting AS w
    WHERE w.stream = release_all_waiting.stream
      AND w.did::text IN (SELECT d FROM unnest(dids) AS d EXCEPT SELECT h FROM unnest(here) AS h);
  END IF;
  INSERT INTO ready_account (slot, did)
  SELECT shard_slot(h::atid.did), h FROM unnest(here) AS h WHERE h <> ALL (held);
END $$;

CREATE OR REPLACE FUNCTION delete_waiting(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM waiting AS w WHERE w.did = one;
END $$;

-- Deletes the frames older than settings.keep of accounts that are not being loaded, in live mode:
-- at most 10,000, the oldest first.
CREATE OR REPLACE FUNCTION expire_waiting() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM waiting AS w
  WHERE w.ctid = ANY (ARRAY(
    SELECT o.ctid FROM waiting AS o
    WHERE o.added < add_interval(now(), -(SELECT s.keep FROM settings AS s))
      AND NOT EXISTS (SELECT 1 FROM account AS a
                      WHERE a.did = o.did AND a.state = 'loading')
    ORDER BY o.added LIMIT 10000));
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
