-- The stream. process_frames() has frames verified and applied and the cursor moved in one
-- transaction, in three steps over the temporary table batch, which records/temp_tables.sql describes:
--
--   verify_frames()      what is true: reads each frame, and finds what is wrong with it
--   apply_frames()       what it changes: records, and the accounts themselves
--   record_follow_ups()  what follows: bad frames are kept, and notices are written for
--                        reconcile_wants()
--
-- A shard has the accounts whose slot is in lo..hi. It locks its rows of the table shard, then
-- accounts in the order of their DIDs; and no identity except those of labelers, so that no directory
-- can hold up the stream.

-- One transaction of a shard, or the error of an index, a constraint or a trigger of the operator's. An error of the
-- server or of these functions is raised: then nothing is taken, and no frame is bad.
CREATE OR REPLACE FUNCTION process_batch(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[], seen bigint,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text, OUT problem text
) LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  c record;
  own shard;
  was bigint;
  reaches bool := false;
  behind interval;
  most bigint;
  context text;
BEGIN
  PERFORM create_temp_tables();
  DELETE FROM said;
  DELETE FROM known;
  DELETE FROM batch;
  DELETE FROM fit;
  DELETE FROM held;
  DELETE FROM op;
  PERFORM FROM shard AS t WHERE t.stream = process_batch.stream AND t.lo >= from_slot AND t.hi <= to_slot ORDER BY t.lo FOR UPDATE;
  PERFORM verify_frames(process_batch.stream, from_slot, to_slot, frames, waited);
  IF EXISTS (SELECT 1 FROM batch) THEN
    PERFORM apply_frames(process_batch.stream, frames);
    PERFORM record_follow_ups(process_batch.stream, frames);
  END IF;

  SELECT count(*) FILTER (WHERE b.n > 0) AS taken,
         count(*) FILTER (WHERE b.code <> 'unknown_key' AND b.n > 0) AS refused, max(b.error) AS error,
         -- neither a time of the future nor one of long ago that somebody has made up decides
         percentile_disc(0.5) WITHIN GROUP (ORDER BY b.at) FILTER (WHERE b.n > 0) AS at,
         count(*) FILTER (WHERE b.n > 0 AND (b.at > add_interval(now(), interval '1 min')
                                             OR b.signed AND b.rev > atid.tid_ceil(add_interval(now(), max_clock_skew())))) AS future,
         count(*) FILTER (WHERE b.moved) AS moved, count(*) FILTER (WHERE b.signed IS NOT TRUE AND b.t IN ('#commit', '#sync')) AS unsigned,
         count(*) FILTER (WHERE b.signed) AS signed,
         (array_agg(b.did ORDER BY b.n DESC) FILTER (WHERE b.signed IS NOT TRUE AND b.t IN ('#commit', '#sync')))[1] AS stranger
  INTO c FROM batch AS b;
  SELECT count(*) FILTER (WHERE f.fits) INTO applied FROM fit AS f;
  taken := c.taken;
  refused := c.refused;
  error := clip_text(c.error, 256);
  behind := now() - c.at;
  lag := extract(epoch FROM behind);
  SELECT max(t.cursor) INTO most FROM shard AS t WHERE t.stream = process_batch.stream;
  FOR own IN SELECT * FROM shard AS x
           WHERE x.stream = process_batch.stream AND x.lo >= from_slot AND x.hi <= to_slot ORDER BY x.lo
  LOOP
    was := own.cursor;
    own := move_cursor(own, from_slot, to_slot);
    IF own.cursor < was THEN
      PERFORM restart_numbering(process_batch.stream, own.cursor);
    ELSIF process_batch.seen >= own.cursor THEN
      own.cursor := greatest(own.cursor, least(process_batch.seen, most));
      own.ahead := CASE WHEN own.ahead > own.cursor THEN own.ahead END;
      own.old_run := 0;
    END IF;
    reaches := reaches OR own.cursor > was OR process_batch.seen >= was
               OR EXISTS (SELECT 1 FROM said AS s WHERE s.n > 0 AND s.seq >= was);
    UPDATE shard AS x
    SET cursor = own.cursor, ahead = own.ahead, ahead_by = own.ahead_by, ahead_frames = own.ahead_frames,
        back = own.back, old_run = own.old_run, unsigned_by = coalesce(c.stranger, x.unsigned_by),
        unsigned_run = CASE WHEN c.signed > 0 THEN 0 ELSE least(x.unsigned_run + c.unsigned, 1000000) END,
        lag = coalesce(behind, x.lag),
        taken = CASE WHEN cardinality(process_batch.frames) > 0 OR process_batch.seen IS NOT NULL
                  THEN clock_timestamp() ELSE x.taken END,
        heard = CASE WHEN cardinality(process_batch.frames) > 0 THEN now() ELSE x.heard END
    WHERE x.stream = own.stream AND x.lo = own.lo;
  END LOOP;
  IF reaches THEN
    UPDATE stream AS x SET behind = NULL WHERE x.name = process_batch.stream AND x.behind IS NOT NULL;
  END IF;
  IF cardinality(frames) > 0 THEN
    UPDATE stream AS x SET error = process_batch.error WHERE x.name = process_batch.stream AND x.error IS DISTINCT FROM process_batch.error;
  END IF;
  PERFORM add_shard_counters(process_batch.stream, from_slot, cardinality(frames), taken, applied, refused, c.moved::int, c.unsigned::int, 0, c.future::int);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
  IF is_server_error(SQLSTATE) OR is_program_error(SQLSTATE, context) THEN RAISE; END IF;
  problem := clip_text(SQLERRM, 800);
END $$;

-- Counts what was taken, in the first row of a shard. A rate is that of about the last minute.
CREATE OR REPLACE FUNCTION add_shard_counters(
  stream text, slot int, came int, taken int, applied int, refused int, moved int, unsigned int, unwritten int,
  future int DEFAULT 0
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  t shard;
  seconds float8;
  part float8;
BEGIN
  SELECT * INTO t FROM shard AS x WHERE x.stream = add_shard_counters.stream AND x.lo = slot FOR UPDATE;
  seconds := greatest(extract(epoch FROM clock_timestamp() - t.counted), 0.001);
  part := 1 - exp(-seconds / 60);
  UPDATE shard AS x
  SET frames = x.frames + add_shard_counters.taken, commits = x.commits + applied, refused = x.refused + add_shard_counters.refused,
      counted = clock_timestamp(),
      frame_rate = x.frame_rate + (came / seconds - x.frame_rate) * part,
      commit_rate = x.commit_rate + (applied / seconds - x.commit_rate) * part,
      old_rate = x.old_rate + ((came - add_shard_counters.taken) / seconds - x.old_rate) * part,
      moved_rate = x.moved_rate + (moved / seconds - x.moved_rate) * part,
      unsigned_rate = x.unsigned_rate + (unsigned / seconds - x.unsigned_rate) * part,
      unwritten_rate = x.unwritten_rate + (unwritten / seconds - x.unwritten_rate) * part,
      future_rate = x.future_rate + (future / seconds - x.future_rate) * part,
      unwritten_run = CASE WHEN applied > 0 THEN 0 ELSE least(x.unwritten_run + unwritten, 1000000) END
  WHERE x.stream = add_shard_counters.stream AND x.lo = slot;
END $$;

-- Frames for a shard, with those that have waited for its accounts. If an index or a trigger of yours raises an error,
-- each half of the accounts that have waited and each half of the frames is taken for itself, and so on, until the
-- frame is found. It is kept aside. seen: how far all is there; 0: the stream is heard, but nothing has come; NULL: it
-- is not heard.
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
  waited atid.did[] := '{}';
  those text[];                                      -- DIDs, as in apply_frames()
  here text[];
  gone text[];
BEGIN
  those := ARRAY(SELECT DISTINCT x.did::text FROM waiting AS x
                 WHERE x.stream = process_frames.stream AND x.slot BETWEEN from_slot AND to_slot);
  IF those <> '{}' THEN
    here := ARRAY(SELECT a.did::text FROM account AS a WHERE a.did = ANY (those::atid.did[]));
    gone := ARRAY(SELECT t FROM unnest(those) AS t EXCEPT SELECT h FROM unnest(here) AS h);
    IF gone <> '{}' THEN
      PERFORM take_waiting(process_frames.stream, gone::atid.did[]);
    END IF;
    SELECT coalesce(array_agg(a.did), '{}') INTO waited FROM account AS a WHERE a.did = ANY (here::atid.did[]) AND a.state <> 'loading';
    PERFORM resync_overflowed_accounts(process_frames.stream, waited);
  END IF;
  SELECT * INTO taken, applied, refused, lag, error FROM bisect_batch(process_frames.stream, from_slot, to_slot, frames, waited, seen);
END $$;

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
  one atid.did;
  why text;
  r record;
  p record;
BEGIN
  SELECT * INTO taken, applied, refused, lag, error, why
  FROM process_batch(bisect_batch.stream, from_slot, to_slot, frames, waited, seen);
  IF why IS NULL THEN RETURN; END IF;
  IF cardinality(waited) + cardinality(frames) = 0 THEN
    RAISE EXCEPTION '%', why;
  END IF;
  taken := 0;
  applied := 0;
  refused := 0;
  IF cardinality(waited) + cardinality(frames) > 1 THEN
    FOR p IN VALUES ('{}'::bytea[], waited[:w]), ('{}', waited[w + 1:]), (frames[:f], '{}'), (frames[f + 1:], '{}') LOOP
      CONTINUE WHEN p.column1 = '{}' AND p.column2 = '{}';
      SELECT * INTO r FROM bisect_batch(bisect_batch.stream, from_slot, to_slot, p.column1, p.column2, NULL);
      taken := taken + r.taken;
      applied := applied + r.applied;
      refused := refused + r.refused;
      lag := coalesce(r.lag, lag);
      error := coalesce(r.error, error);
    END LOOP;
  ELSIF waited <> '{}' THEN
    PERFORM take_waiting(bisect_batch.stream, waited);
    PERFORM resync_account(waited[1]);
  ELSE
    -- its account is loaded only if it has signed the frame
    SELECT i.did INTO one FROM atid.commit_event(frames[1]) AS c JOIN identity AS i ON i.did = c.did
    WHERE atid.event_is_signed_by(frames[1], i.key) AND (SELECT x.kind FROM stream AS x WHERE x.name = bisect_batch.stream) = 'repos';
    IF one IS NOT NULL THEN
      PERFORM resync_account(one);
    END IF;
    PERFORM enter_writers();
    PERFORM add_bad(bisect_batch.stream, ARRAY[sha256(frames[1])],
      ARRAY[atid.did_or_null(atid.dag_cbor_get_text(h.body,
        CASE h.t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[]))],
      '{unwritten}', ARRAY[why], frames)
    FROM atid.frame_parts(frames[1]) AS h;
    PERFORM pass_refused_frame(bisect_batch.stream, from_slot, to_slot, frames[1]);
    PERFORM add_shard_counters(bisect_batch.stream, from_slot, 1, 1, 0, 1, 0, 0, 1);
    taken := 1;
    refused := 1;
  END IF;
END $$;

-- An account that was synchronized is loaded again.
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

-- Accounts of which there was no room for frames while they were loaded are loaded again, and asked about.
CREATE OR REPLACE FUNCTION resync_overflowed_accounts(stream text, dids atid.did[]) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  FOR one IN SELECT * FROM take_missed(resync_overflowed_accounts.stream, dids) LOOP
    PERFORM resync_account(one);
    UPDATE account SET check_at = least(check_at, now()) WHERE did = one AND state = 'desynchronized';
  END LOOP;
END $$;
