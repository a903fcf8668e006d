-- The cursor of a row of the table shard after this batch, whatever is wrong with its frames. No
-- signature covers a number, so one that skips more than most_skipped is held, and moves the cursor
-- only once three frames of other accounts, or ten frames of any (if a PDS has one account or two),
-- have come with numbers above it. If a number below it comes, it was wrong and is dropped. Only
-- the cursor is held meanwhile; the frames themselves are processed.
--
-- If three commits in a row are new to their accounts though their numbers are not above the
-- cursor, the numbers have begun again, or the cursor is wrong; one such commit is enough if the
-- connection has begun with such a number. Then the cursor goes back to that number.
CREATE OR REPLACE FUNCTION move_cursor(t shard, from_slot int, to_slot int) RETURNS shard
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  f record;
  all_slots CONSTANT bool := from_slot = 0 AND to_slot = 255;
  step CONSTANT bigint := (SELECT x.most_skipped FROM settings AS x);
  most CONSTANT bigint := 9007199254740991;
  late CONSTANT int[] := ARRAY(
    SELECT v.n FROM verified_frame AS v
    WHERE v.below AND (all_slots OR shard_slot(v.did) BETWEEN t.lo AND t.hi));
  proofs CONSTANT int := CASE
    WHEN (SELECT x.behind FROM stream AS x WHERE x.name = t.stream) IS NULL THEN 3 ELSE 1 END;
  last bigint;
  came int;
BEGIN
  SELECT max(p.seq), count(*) INTO last, came FROM parsed_frame AS p
  WHERE p.n > 0 AND p.seq BETWEEN 1 AND most
    AND (all_slots OR coalesce(shard_slot(p.did), 0) BETWEEN from_slot AND to_slot);
  IF t.ahead IS NULL AND t.cursor > 0 AND last <= t.cursor + step AND late = '{}' THEN
    t.old_run := CASE WHEN last < t.cursor THEN least(t.old_run + came, 1000000) ELSE 0 END;
    t.back := CASE WHEN last > t.cursor THEN 0 ELSE t.back END;
    t.cursor := greatest(t.cursor, last);
    RETURN t;
  END IF;
  FOR f IN SELECT p.n, p.seq, hashtext(coalesce(p.did::text, '')) AS whose FROM parsed_frame AS p
           WHERE p.n > 0 AND p.seq BETWEEN 1 AND most
             AND (all_slots OR coalesce(shard_slot(p.did), 0) BETWEEN from_slot AND to_slot)
           ORDER BY p.n
  LOOP
    t.old_run := CASE WHEN f.seq < t.cursor THEN least(t.old_run + 1, 1000000) ELSE 0 END;
    IF f.seq > t.ahead THEN
      t.ahead_frames := t.ahead_frames + 1;
      IF cardinality(t.ahead_by) < 4 AND f.whose <> ALL (t.ahead_by) THEN
        t.ahead_by := t.ahead_by || f.whose;
      END IF;
      CONTINUE WHEN t.ahead_frames < 10 AND cardinality(t.ahead_by) < 4;
      t.cursor := t.ahead;
    END IF;
    CONTINUE WHEN f.seq = t.ahead;
    t.ahead := NULL;
    t.back := CASE WHEN f.seq > t.cursor THEN 0
                   WHEN f.n = ANY (late) THEN t.back + 1 ELSE t.back END;
    IF t.cursor = 0 OR f.seq BETWEEN t.cursor AND t.cursor + step OR t.back >= proofs THEN
      t.cursor := f.seq;
      t.back := 0;
      t.old_run := 0;
    ELSIF f.seq > t.cursor THEN
      t.ahead := f.seq;
      t.ahead_by := ARRAY[f.whose];
      t.ahead_frames := 0;
    END IF;
  END LOOP;
  RETURN t;
END $$;

-- Moves the cursors of a shard past a batch. seen: as in process_frames(); came: whether frames
-- have come.
CREATE OR REPLACE FUNCTION move_cursors(
  stream text, from_slot int, to_slot int, seen bigint, came bool, lag interval,
  unsigned int, signed int, stranger atid.did
) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  own shard;
  was bigint;
  reaches bool := false;                             -- a number has reached the cursor
  most CONSTANT bigint := (SELECT max(t.cursor) FROM shard AS t
                           WHERE t.stream = move_cursors.stream);
BEGIN
  FOR own IN SELECT * FROM shard AS t
             WHERE t.stream = move_cursors.stream AND t.lo >= from_slot AND t.hi <= to_slot
             ORDER BY t.lo
  LOOP
    was := own.cursor;
    own := move_cursor(own, from_slot, to_slot);
    IF own.cursor < was THEN
      PERFORM restart_numbering(move_cursors.stream, own.cursor);
    ELSIF seen >= own.cursor THEN
      own.cursor := greatest(own.cursor, least(seen, most));
      own.ahead := CASE WHEN own.ahead > own.cursor THEN own.ahead END;
      own.old_run := 0;
    END IF;
    reaches := reaches OR own.cursor > was OR seen >= was
               OR EXISTS (SELECT 1 FROM parsed_frame AS p WHERE p.n > 0 AND p.seq >= was);
    UPDATE shard AS t
    SET cursor = own.cursor, ahead = own.ahead, ahead_by = own.ahead_by,
        ahead_frames = own.ahead_frames, back = own.back, old_run = own.old_run,
        unsigned_by = coalesce(stranger, t.unsigned_by),
        unsigned_run = CASE WHEN signed > 0 THEN 0
                            ELSE least(t.unsigned_run + unsigned, 1000000) END,
        lag = coalesce(move_cursors.lag, t.lag),
        taken = CASE WHEN came OR seen IS NOT NULL THEN clock_timestamp() ELSE t.taken END,
        heard = CASE WHEN came THEN now() ELSE t.heard END
    WHERE t.stream = own.stream AND t.lo = own.lo;
  END LOOP;
  IF reaches THEN
    UPDATE stream AS x SET behind = NULL
    WHERE x.name = move_cursors.stream AND x.behind IS NOT NULL;
  END IF;
END $$;

-- Moves the cursor past a frame that was kept aside, unless its number skips more than
-- most_skipped: then later frames decide.
CREATE OR REPLACE FUNCTION pass_refused_frame(
  stream text, from_slot int, to_slot int, frame bytea
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r record;
BEGIN
  SELECT CASE WHEN atid.dag_cbor_typeof(h.body, '{seq}') = 'number'
           THEN atid.dag_cbor_get_text(h.body, '{seq}')::bigint END AS number,
         coalesce(shard_slot(frame_did(h.t, h.body)), 0) AS slot
  INTO r FROM atid.frame_parts(pass_refused_frame.frame) AS h;
  UPDATE shard AS t SET cursor = r.number
  WHERE t.stream = pass_refused_frame.stream AND t.lo >= from_slot AND t.hi <= to_slot
    AND r.slot BETWEEN t.lo AND t.hi AND t.ahead IS NULL AND r.number > t.cursor
    AND (t.cursor = 0 OR r.number <= t.cursor + (SELECT x.most_skipped FROM settings AS x));
END $$;
