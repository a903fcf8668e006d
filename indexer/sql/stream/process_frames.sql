-- The stream. process_frames() verifies frames, applies them and moves the cursor in one
-- transaction, in three steps over the temporary tables that records/temp_tables.sql describes:
--
--   verify_frames()      reads each frame, and finds what is wrong with it
--   apply_frames()       changes records, and the accounts themselves
--   record_follow_ups()  keeps bad frames, and writes notices for reconcile_wants()
--
-- A shard has the accounts whose slot is in lo..hi. It locks its rows of the table shard, then
-- accounts in the order of their DIDs, then perhaps the row of the stream; and no identity except
-- those of labelers, so that no directory can hold up the stream.

-- Processes a batch of a shard, whose rows are locked. Returns the error that an index, a
-- constraint or a trigger of the operator has raised, if any. An error of the server or of these
-- functions is raised again: then nothing is stored, and no frame is bad.
CREATE OR REPLACE FUNCTION process_batch(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[], seen bigint,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text, OUT problem text
) LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  b record;
  context text;
BEGIN
  PERFORM create_temp_tables();
  PERFORM create_frame_tables();
  PERFORM empty_temp_tables();
  PERFORM verify_frames(process_batch.stream, from_slot, to_slot, frames, waited);
  IF EXISTS (SELECT 1 FROM verified_frame) THEN
    PERFORM apply_frames(process_batch.stream, frames);
    PERFORM record_follow_ups(process_batch.stream, frames);
  END IF;
  SELECT * INTO b FROM summarize_batch();
  taken := b.taken;
  applied := b.applied;
  refused := b.refused;
  error := b.error;
  lag := extract(epoch FROM b.lag);
  PERFORM move_cursors(
    process_batch.stream, from_slot, to_slot, seen => process_batch.seen,
    came => cardinality(frames) > 0, lag => b.lag, unsigned => b.unsigned, signed => b.signed,
    stranger => b.stranger);
  IF cardinality(frames) > 0 THEN
    UPDATE stream AS x SET error = b.error
    WHERE x.name = process_batch.stream AND x.error IS DISTINCT FROM b.error;
  END IF;
  PERFORM add_shard_counters(
    process_batch.stream, from_slot, came => cardinality(frames), taken => b.taken,
    applied => b.applied, refused => b.refused, moved => b.moved, unsigned => b.unsigned,
    unwritten => 0, future => b.future, gaps => b.gaps);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
  IF is_server_error(SQLSTATE) OR is_program_error(SQLSTATE, context) THEN RAISE; END IF;
  problem := clip_text(SQLERRM, 800);
END $$;

-- Summarizes a batch. No made-up time, in the future or long ago, decides how far behind the stream
-- is. stranger: the last account that had not signed its frame.
CREATE OR REPLACE FUNCTION summarize_batch(
  OUT taken int, OUT applied int, OUT refused int, OUT error text, OUT lag interval, OUT future int,
  OUT moved int, OUT unsigned int, OUT signed int, OUT stranger atid.did, OUT gaps int
) LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  of_key CONSTANT text[] := list_key_codes();
  soon CONSTANT timestamptz := add_interval(now(), interval '1 min');
  last_tid CONSTANT atid.tid := atid.tid_ceil(add_interval(now(), max_clock_skew()));
BEGIN
  SELECT count(*) FILTER (WHERE f.n > 0),
         count(*) FILTER (WHERE f.code <> ALL (of_key) AND f.n > 0),
         clip_text(max(f.error), 256),
         now() - percentile_disc(0.5) WITHIN GROUP (ORDER BY f.at) FILTER (WHERE f.n > 0),
         count(*) FILTER (WHERE f.n > 0 AND (f.at > soon OR f.signed AND f.rev > last_tid)),
         count(*) FILTER (WHERE f.moved),
         count(*) FILTER (WHERE f.signed IS NOT TRUE AND f.t IN ('#commit', '#sync')),
         count(*) FILTER (WHERE f.signed),
         (array_agg(f.did ORDER BY f.n DESC)
            FILTER (WHERE f.signed IS NOT TRUE AND f.t IN ('#commit', '#sync')))[1]
  INTO taken, refused, error, lag, future, moved, unsigned, signed, stranger
  FROM verified_frame AS f;
  applied := (SELECT count(*) FROM new_commit AS c WHERE c.follows);
  -- if not all collections are wanted, commits in between were not examined
  gaps := CASE WHEN '%' = ANY (wanted_patterns())
            THEN (SELECT count(*) FROM new_commit AS c WHERE c.gap) ELSE 0 END;
END $$;

-- Adds the counts of a batch to the first row of a shard. Rates are those of about the last minute.
CREATE OR REPLACE FUNCTION add_shard_counters(
  stream text, slot int, came int, taken int, applied int, refused int, moved int, unsigned int,
  unwritten int, future int DEFAULT 0, gaps int DEFAULT 0
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  t shard;
  seconds float8;
  part float8;
BEGIN
  SELECT * INTO t FROM shard AS x
  WHERE x.stream = add_shard_counters.stream AND x.lo = slot FOR UPDATE;
  seconds := greatest(extract(epoch FROM clock_timestamp() - t.counted), 0.001);
  part := 1 - exp(-seconds / 60);
  UPDATE shard AS x
  SET frames = x.frames + add_shard_counters.taken, commits = x.commits + applied,
      refused = x.refused + add_shard_counters.refused,
      counted = clock_timestamp(), gaps = x.gaps + add_shard_counters.gaps,
      frame_rate = x.frame_rate + (came / seconds - x.frame_rate) * part,
      commit_rate = x.commit_rate + (applied / seconds - x.commit_rate) * part,
      old_rate = x.old_rate + ((came - add_shard_counters.taken) / seconds - x.old_rate) * part,
      moved_rate = x.moved_rate + (moved / seconds - x.moved_rate) * part,
      unsigned_rate = x.unsigned_rate + (unsigned / seconds - x.unsigned_rate) * part,
      unwritten_rate = x.unwritten_rate + (unwritten / seconds - x.unwritten_rate) * part,
      future_rate = x.future_rate + (future / seconds - x.future_rate) * part,
      unwritten_run = CASE WHEN applied > 0 THEN 0
                           ELSE least(x.unwritten_run + unwritten, 1000000) END
  WHERE x.stream = add_shard_counters.stream AND x.lo = slot;
END $$;

-- Locks the rows of a shard. If a program that starts has just replaced them, locks the new ones.
CREATE OR REPLACE FUNCTION lock_shard(stream text, from_slot int, to_slot int) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  FOR attempt IN 1 .. 2 LOOP
    PERFORM FROM shard AS t
    WHERE t.stream = lock_shard.stream AND t.lo >= from_slot AND t.hi <= to_slot
    ORDER BY t.lo FOR UPDATE;
    EXIT WHEN FOUND;
  END LOOP;
END $$;

-- Processes frames of a shard, and frames that have waited for its accounts. seen: the number up to
-- which all frames have come; 0: the server is heard, but no frame has come; NULL: it is not heard.
CREATE OR REPLACE FUNCTION process_frames(
  stream text, shard int, shards int, frames bytea[], seen bigint DEFAULT NULL,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text
) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  from_slot CONSTANT int := (256 * shard + shards - 1) / shards;
  to_slot CONSTANT int := (256 * (shard + 1) + shards - 1) / shards - 1;
  waited atid.did[];
  missed atid.did[];
BEGIN
  PERFORM lock_shard(process_frames.stream, from_slot, to_slot);
  waited := find_loaded_accounts(process_frames.stream, from_slot, to_slot);
  missed := find_missed(process_frames.stream, waited);
  IF missed <> '{}' THEN
    PERFORM lock_batch_accounts(process_frames.stream, frames, waited);
    PERFORM resync_overflowed_accounts(process_frames.stream, missed);
  END IF;
  SELECT b.taken, b.applied, b.refused, b.lag, b.error INTO taken, applied, refused, lag, error
  FROM bisect_batch(process_frames.stream, from_slot, to_slot, frames, waited, seen) AS b;
END $$;

-- The accounts for which frames may have waited and that are no longer being loaded. Frames of
-- deleted accounts are deleted.
CREATE OR REPLACE FUNCTION find_loaded_accounts(stream text, from_slot int, to_slot int)
RETURNS atid.did[] LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  -- as text: Citus does not pass an atid.did[] into a subquery
  waiting_for text[];
  here text[];
  deleted text[];
BEGIN
  IF stream_kind(find_loaded_accounts.stream) IS DISTINCT FROM 'repos' THEN RETURN '{}'; END IF;
  waiting_for := take_ready_accounts(from_slot, to_slot)::text[];
  IF waiting_for = '{}' THEN RETURN '{}'; END IF;
  here := ARRAY(SELECT a.did::text FROM account AS a
                WHERE a.did = ANY (waiting_for::atid.did[]));
  deleted := ARRAY(SELECT t FROM unnest(waiting_for) AS t EXCEPT SELECT h FROM unnest(here) AS h);
  IF deleted <> '{}' THEN
    PERFORM take_waiting(find_loaded_accounts.stream, deleted::atid.did[]);
  END IF;
  RETURN ARRAY(SELECT a.did FROM account AS a
               WHERE a.did = ANY (here::atid.did[]) AND a.state <> 'loading');
END $$;

-- Locks all accounts of a batch, in the order of their DIDs. Those who process parts of a batch
-- call it first, as the parts are not in that order.
CREATE OR REPLACE FUNCTION lock_batch_accounts(stream text, frames bytea[], waited atid.did[])
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF stream_kind(lock_batch_accounts.stream) = 'labels' THEN RETURN; END IF;
  PERFORM lock_accounts(waited || ARRAY(
    SELECT d FROM unnest(frames) AS f CROSS JOIN atid.frame_parts(f) AS p
                  CROSS JOIN frame_did(p.t, p.body) AS d WHERE d IS NOT NULL));
END $$;

-- If an index or a trigger of the operator raises an error, processes each half of the accounts
-- whose frames have waited and each half of the frames alone, and so on, until the frame at fault
-- is found. It is quarantined.
CREATE OR REPLACE FUNCTION bisect_batch(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[], seen bigint,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text
) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  f CONSTANT int := cardinality(frames) / 2;
  w CONSTANT int := cardinality(waited) / 2;
  why text;
  r record;
  p record;
BEGIN
  SELECT b.taken, b.applied, b.refused, b.lag, b.error, b.problem
  INTO taken, applied, refused, lag, error, why
  FROM process_batch(bisect_batch.stream, from_slot, to_slot, frames, waited, seen) AS b;
  IF why IS NULL THEN RETURN; END IF;
  IF cardinality(waited) + cardinality(frames) = 0 THEN
    RAISE EXCEPTION '%', why;
  END IF;
  taken := 0;
  applied := 0;
  refused := 0;
  IF cardinality(waited) + cardinality(frames) > 1 THEN
    PERFORM lock_batch_accounts(bisect_batch.stream, frames, waited);
    FOR p IN VALUES ('{}'::bytea[], waited[:w]), ('{}', waited[w + 1:]),
                    (frames[:f], '{}'), (frames[f + 1:], '{}') LOOP
      CONTINUE WHEN p.column1 = '{}' AND p.column2 = '{}';
      SELECT * INTO r
      FROM bisect_batch(bisect_batch.stream, from_slot, to_slot, p.column1, p.column2, NULL);
      taken := taken + r.taken;
      applied := applied + r.applied;
      refused := refused + r.refused;
      lag := coalesce(r.lag, lag);
      error := coalesce(r.error, error);
    END LOOP;
  ELSIF waited <> '{}' THEN
    PERFORM give_up_waiting(bisect_batch.stream, waited[1], why);
  ELSE
    PERFORM quarantine_unwritten_frame(bisect_batch.stream, from_slot, to_slot, frames[1], why);
    taken := 1;
    refused := 1;
  END IF;
END $$;

-- Gives up waiting frames of an account that cannot be written. A load makes up for those of a
-- mirror; those of a live account are quarantined.
CREATE OR REPLACE FUNCTION give_up_waiting(stream text, one atid.did, why text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE frames CONSTANT bytea[] := ARRAY(
  SELECT w.frame FROM take_waiting(give_up_waiting.stream, ARRAY[one]) AS w);
BEGIN
  IF EXISTS (SELECT 1 FROM account AS a WHERE a.did = one AND a.state = 'live') THEN
    PERFORM add_bad(give_up_waiting.stream, array_agg(sha256(f)), array_agg(one),
                    array_agg('unwritten'::text), array_agg(why), array_agg(f))
    FROM unnest(frames) AS f HAVING count(*) > 0;
  END IF;
  PERFORM resync_account(one);
END $$;

-- Quarantines a frame that cannot be written. Its account is loaded again only if it has signed the
-- frame.
CREATE OR REPLACE FUNCTION quarantine_unwritten_frame(
  stream text, from_slot int, to_slot int, frame bytea, why text
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE one atid.did;
BEGIN
  SELECT i.did INTO one
  FROM atid.commit_event(quarantine_unwritten_frame.frame) AS c JOIN identity AS i ON i.did = c.did
  WHERE atid.event_is_signed_by(quarantine_unwritten_frame.frame, i.key);
  IF one IS NOT NULL AND stream_kind(quarantine_unwritten_frame.stream) = 'repos' THEN
    PERFORM resync_account(one);
  END IF;
  PERFORM enter_writers();
  PERFORM add_bad(
    quarantine_unwritten_frame.stream, ARRAY[sha256(quarantine_unwritten_frame.frame)],
    ARRAY[frame_did(p.t, p.body)],
    '{unwritten}', ARRAY[why], ARRAY[quarantine_unwritten_frame.frame])
  FROM atid.frame_parts(quarantine_unwritten_frame.frame) AS p;
  PERFORM pass_refused_frame(quarantine_unwritten_frame.stream, from_slot, to_slot,
                             quarantine_unwritten_frame.frame);
  PERFORM add_shard_counters(
    quarantine_unwritten_frame.stream, from_slot, came => 1, taken => 1, applied => 0, refused => 1,
    moved => 0, unsigned => 0, unwritten => 1);
END $$;

-- Loads an account again, if it was synchronized.
CREATE OR REPLACE FUNCTION resync_account(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account WHERE did = one AND state = 'synchronized' FOR UPDATE;
  IF FOUND THEN
    PERFORM set_account_state(a, 'desynchronized', now());
  END IF;
END $$;

-- Loads accounts again whose frames found no room while they were being loaded, and has the server
-- queried about them.
CREATE OR REPLACE FUNCTION resync_overflowed_accounts(stream text, dids atid.did[]) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  FOR one IN SELECT * FROM take_missed(resync_overflowed_accounts.stream, dids) LOOP
    PERFORM resync_account(one);
    IF EXISTS (SELECT 1 FROM account AS a WHERE a.did = one AND a.state = 'desynchronized') THEN
      PERFORM schedule_status_check(one, now());
    END IF;
  END LOOP;
END $$;
