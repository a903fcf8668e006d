-- The cursor of a row of a shard behind this batch, whatever is wrong with its frames. No signature covers a number, so
-- one that skips more than most_skipped is held, and moves the cursor only once three frames of other accounts, or ten
-- frames of any (where a PDS has one account or two), have come with numbers above it. A number below it ends that: it
-- was wrong. What is held meanwhile is only the cursor; the frames themselves are taken.
--
-- The numbers have begun again, or the cursor is wrong, where three commits in a row are new to their accounts though
-- their numbers are not above the cursor; or one, if the connection has begun with such a number. Then the cursor goes
-- back to that number.
CREATE OR REPLACE FUNCTION move_cursor(t shard, from_slot int, to_slot int) RETURNS shard LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  f record;
  all_slots CONSTANT bool := from_slot = 0 AND to_slot = 255;
  step CONSTANT bigint := (SELECT x.most_skipped FROM settings AS x);
  most CONSTANT bigint := 9007199254740991;
  late CONSTANT int[] := ARRAY(SELECT b.n FROM batch AS b
                               WHERE b.below AND (all_slots OR shard_slot(b.did) BETWEEN t.lo AND t.hi));
  proofs CONSTANT int := CASE WHEN (SELECT x.behind FROM stream AS x WHERE x.name = t.stream) IS NULL THEN 3 ELSE 1 END;
  last bigint;
  came int;
BEGIN
  SELECT max(s.seq), count(*) INTO last, came FROM said AS s WHERE s.n > 0 AND s.seq BETWEEN 1 AND most
    AND (all_slots OR coalesce(shard_slot(s.did), 0) BETWEEN from_slot AND to_slot);
  IF t.ahead IS NULL AND t.cursor > 0 AND last <= t.cursor + step AND late = '{}' THEN
    t.old_run := CASE WHEN last < t.cursor THEN least(t.old_run + came, 1000000) ELSE 0 END;
    t.back := CASE WHEN last > t.cursor THEN 0 ELSE t.back END;
    t.cursor := greatest(t.cursor, last);
    RETURN t;
  END IF;
  FOR f IN SELECT s.n, s.seq, hashtext(coalesce(s.did::text, '')) AS whose FROM said AS s
           WHERE s.n > 0 AND s.seq BETWEEN 1 AND most
             AND (all_slots OR coalesce(shard_slot(s.did), 0) BETWEEN from_slot AND to_slot) ORDER BY s.n
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
    IF f.seq > t.cursor THEN
      t.back := 0;
    ELSIF f.n = ANY (late) THEN
      t.back := t.back + 1;
    END IF;
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

-- The cursor passes a frame that was kept aside, unless its number skips more than most_skipped: then later
-- frames decide.
CREATE OR REPLACE FUNCTION pass_refused_frame(stream text, from_slot int, to_slot int, frame bytea) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r record;
BEGIN
  SELECT CASE WHEN atid.dag_cbor_typeof(h.body, '{seq}') = 'number'
           THEN atid.dag_cbor_get_text(h.body, '{seq}')::bigint END AS number,
         coalesce(shard_slot(atid.did_or_null(atid.dag_cbor_get_text(h.body,
           CASE h.t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[]))), 0) AS slot
  INTO r FROM atid.frame_parts(pass_refused_frame.frame) AS h;
  UPDATE shard AS t SET cursor = r.number
  WHERE t.stream = pass_refused_frame.stream AND t.lo >= from_slot AND t.hi <= to_slot AND r.slot BETWEEN t.lo AND t.hi
    AND t.ahead IS NULL AND r.number > t.cursor
    AND (t.cursor = 0 OR r.number <= t.cursor + (SELECT x.most_skipped FROM settings AS x));
END $$;
