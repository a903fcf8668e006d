-- The second step of process_frames(): applies the frames. Accounts that are being loaded are
-- skipped, and their frames wait. The others are locked.
CREATE OR REPLACE FUNCTION apply_frames(stream text, frames bytea[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  whose CONSTANT atid.did[] := ARRAY(SELECT DISTINCT f.did FROM verified_frame AS f
                                     WHERE f.t IS NOT NULL AND f.did IS NOT NULL);
  wanted text[];
  loading atid.did[];
  closing atid.did[];
BEGIN
  IF whose = '{}' THEN RETURN; END IF;
  INSERT INTO locked_account SELECT a.did, a.state, a.rev, a.data FROM lock_accounts(whose) AS a;
  wanted := wanted_patterns();  -- read after the locks are taken
  SELECT * INTO loading, closing FROM defer_frames(apply_frames.stream, frames, whose);
  PERFORM find_new_commits();
  PERFORM write_commits(frames, wanted);
  PERFORM resync_broken_accounts();
  PERFORM note_announced_revisions();
  PERFORM apply_account_frames(frames, loading, closing);
END $$;

-- Locks those of the accounts that are not being loaded.
CREATE OR REPLACE FUNCTION lock_accounts(dids atid.did[]) RETURNS SETOF account LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM account WHERE did = ANY (dids) AND state <> 'loading' ORDER BY did FOR UPDATE;
END $$;

-- In live mode, finds the accounts of sound commits whose keys are not known, and those that an
-- earlier frame has reactivated. A key may have come since the frames were read: then frames that
-- were verified without it wait, and so do those of accounts whose older frames still wait.
CREATE OR REPLACE FUNCTION find_strangers(stream text) RETURNS atid.did[] LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF NOT wants_live() OR wants_all_accounts() THEN RETURN '{}'; END IF;
  RETURN ARRAY(
    SELECT DISTINCT f.did
    FROM verified_frame AS f LEFT JOIN locked_account AS l ON l.did = f.did
    WHERE f.t = '#commit' AND f.code IS NULL
      AND (l.did IS NULL OR l.state = 'unidentified'
           OR l.state = 'inactive' AND EXISTS (
             SELECT 1 FROM verified_frame AS a
             WHERE a.did = f.did AND a.t = '#account' AND a.code IS NULL AND a.n < f.n)
           OR l.state = 'live' AND (f.signed IS NULL OR EXISTS (
             SELECT 1 FROM waiting AS o
             WHERE o.did = f.did AND o.stream = find_strangers.stream)))
      AND NOT EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = f.did::text));
END $$;

-- Refuses the commits of strangers for which there is no room, as no load would make up for them.
-- Those of accounts whose keys are known wait only briefly, and can take all the room; others half
-- of it.
CREATE OR REPLACE FUNCTION refuse_strangers(strangers atid.did[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  is_full bool;
  is_half_full bool;
  over atid.did[];
BEGIN
  IF strangers = '{}' THEN RETURN; END IF;
  over := find_overflowing_accounts(strangers);
  is_half_full := NOT has_waiting_room(0.5);
  IF NOT is_half_full AND over = '{}' THEN RETURN; END IF;
  is_full := is_half_full AND NOT has_waiting_room(1);
  UPDATE verified_frame AS f SET code = 'strangers_full'
  WHERE f.t = '#commit' AND f.code IS NULL AND f.did = ANY (strangers)
    AND (is_full OR f.did = ANY (over)
         OR is_half_full
            AND NOT EXISTS (SELECT 1 FROM locked_account AS l
                            WHERE l.did = f.did AND l.state <> 'unidentified'));
END $$;

-- Defers the frames of accounts that are being loaded, and those of strangers. A long download does
-- not keep an account from being deactivated: only the transaction of its load does, or an older
-- #account frame that waits. closing: the accounts whose #account frames are applied now.
CREATE OR REPLACE FUNCTION defer_frames(
  stream text, frames bytea[], whose atid.did[], OUT loading atid.did[], OUT closing atid.did[]
) LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  strangers CONSTANT atid.did[] := find_strangers(defer_frames.stream);
  one atid.did;
BEGIN
  closing := '{}';
  loading := ARRAY(
    SELECT a.did FROM account AS a
    WHERE a.did = ANY (ARRAY(SELECT d FROM unnest(whose) AS d
                             EXCEPT SELECT l.did FROM locked_account AS l)));
  loading := loading || ARRAY(SELECT d FROM unnest(strangers) AS d WHERE d <> ALL (loading));
  IF loading = '{}' THEN RETURN; END IF;
  FOR one IN
    SELECT DISTINCT f.did FROM verified_frame AS f
    WHERE f.t = '#account' AND f.code IS NULL AND f.did = ANY (loading)
      AND NOT EXISTS (SELECT 1 FROM waiting AS w CROSS JOIN atid.frame_parts(w.frame) AS p
                      WHERE w.stream = defer_frames.stream AND w.did = f.did AND p.t = '#account')
    ORDER BY f.did
  LOOP
    PERFORM FROM account AS a WHERE a.did = one FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
      closing := closing || one;
    END IF;
  END LOOP;
  PERFORM refuse_strangers(strangers);
  PERFORM add_waiting(defer_frames.stream, array_agg(f.seq ORDER BY f.n),
                      array_agg(f.did ORDER BY f.n),
                      array_agg(coalesce(f.frame, frames[f.n]) ORDER BY f.n))
  FROM verified_frame AS f
  WHERE f.did = ANY (loading)
    AND (f.t IN ('#commit', '#sync') AND (f.code IS NULL OR f.signed)
         OR f.t = '#account' AND f.code IS NULL AND f.did <> ALL (closing))
  HAVING count(*) > 0;
  -- frames of live accounts wait only until the next call
  PERFORM release_waiting(l.did) FROM locked_account AS l
  WHERE l.did = ANY (loading) AND l.state = 'live';
  DELETE FROM locked_account AS l WHERE l.did = ANY (loading) AND l.state = 'live';
END $$;

-- Finds the signed frames that are new to an account that is synchronized or live, each once, in
-- their order. A commit follows if it continues from the one before. For a live account, every
-- sound commit follows that is above all before it and no older than settings.keep; if one before
-- it is missing, that is a gap.
CREATE OR REPLACE FUNCTION find_new_commits() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  oldest CONSTANT atid.tid := atid.tid_floor(now() - (SELECT s.keep FROM settings AS s));
BEGIN
  INSERT INTO new_commit (n, frame, did, rev, data, live, gap, follows)
  SELECT x.n, x.frame, x.did, x.rev, x.data, x.live, x.live AND x.sound AND NOT x.goes_on,
         CASE WHEN x.live THEN x.sound
              ELSE bool_and(x.goes_on) OVER (PARTITION BY x.did ORDER BY x.n) END
  FROM (SELECT f.n, f.frame, f.did, f.rev, f.data, l.state = 'live' AS live,
               (f.t = '#commit' AND f.code IS NULL AND f.since = lag(f.rev, 1, l.rev) OVER w
                AND f.prev_data = lag(f.data, 1, l.data) OVER w) IS TRUE
                 OR l.state = 'live' AND lag(f.rev, 1, l.rev) OVER w IS NULL AS goes_on,
               f.code IS NULL AND f.rev > oldest
                 AND (f.rev <= greatest(l.rev, max(f.rev) OVER before)) IS NOT TRUE AS sound
        FROM (SELECT DISTINCT ON (v.did, v.rev, v.data) v.* FROM verified_frame AS v
              WHERE v.signed ORDER BY v.did, v.rev, v.data, v.n) AS f
             CROSS JOIN LATERAL (SELECT * FROM locked_account AS a
                                 WHERE a.did = f.did OFFSET 0) AS l
        WHERE CASE l.state
                WHEN 'synchronized'
                THEN f.rev > l.rev
                     OR f.rev = l.rev AND f.data IS DISTINCT FROM l.data AND f.code IS NULL
                WHEN 'live' THEN l.rev IS NULL OR f.rev > l.rev END
        WINDOW w AS (PARTITION BY f.did ORDER BY f.n),
               before AS (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS x;
END $$;

-- Writes the records of the commits that follow, and the revisions of their accounts.
CREATE OR REPLACE FUNCTION write_commits(frames bytea[], wanted text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF read_operations(frames, wanted, false) THEN
    PERFORM write_records();
  END IF;
  IF EXISTS (SELECT 1 FROM new_commit AS c WHERE c.live)
     AND read_operations(frames, wanted, true) THEN
    PERFORM write_live_records();
  END IF;
  PERFORM advance_accounts();
END $$;

-- Fills the table op with the last operation on each record; if the first one was not a creation,
-- an older record exists. Returns false if there are no operations.
CREATE OR REPLACE FUNCTION read_operations(frames bytea[], wanted text[], of_live bool) RETURNS bool
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT DISTINCT ON (uri) uri, c.did, o.collection,
         bool_and(o.action = 'create') OVER (PARTITION BY uri), o.cid,
         CASE WHEN o.action <> 'delete' THEN o.block END
  FROM new_commit AS c
       CROSS JOIN atid.commit_event_ops(
         CASE WHEN c.follows AND c.live = of_live THEN coalesce(c.frame, frames[c.n]) END) AS o
       CROSS JOIN atid.at_uri_make(c.did, o.collection, o.rkey) AS uri
  WHERE c.follows AND c.live = of_live AND o.collection LIKE ANY (wanted)
  ORDER BY uri, c.n DESC;
  RETURN FOUND;
END $$;

-- Loads accounts for which something is missing or wrong; later each time if that happens often.
CREATE OR REPLACE FUNCTION resync_broken_accounts() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  a account;
  -- as text: Citus does not pass an atid.did[] into a subquery
  broken CONSTANT text[] := ARRAY(SELECT DISTINCT c.did::text FROM new_commit AS c
                                  WHERE NOT c.follows AND NOT c.live);
BEGIN
  FOR a IN SELECT * FROM account AS x WHERE x.did = ANY (broken::atid.did[]) ORDER BY x.did LOOP
    PERFORM set_account_state(a, 'desynchronized', count_account_gap(a));
  END LOOP;
END $$;

-- Applies the server's reports on the accounts themselves.
CREATE OR REPLACE FUNCTION apply_account_frames(
  frames bytea[], loading atid.did[], closing atid.did[]
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  r record;
  a account;
BEGIN
  FOR r IN SELECT * FROM latest_account_states(frames, loading, closing) LOOP
    SELECT * INTO a FROM account AS x WHERE x.did = r.did FOR UPDATE;
    IF FOUND THEN
      PERFORM apply_account_status(a, r.active, r.status, NULL, NULL);
    END IF;
  END LOOP;
END $$;

-- The last state of each account in the #account frames. If it is active but was inactive in
-- between, its records have been deleted, so the inactive state comes first. A reason that is about
-- the server counts only if there is no other frame: then apply_account_status() only notes when
-- the stream reported on the account.
CREATE OR REPLACE FUNCTION latest_account_states(
  frames bytea[], loading atid.did[], closing atid.did[]
) RETURNS TABLE (did atid.did, active bool, status text) LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY
  WITH reported AS (
    SELECT f.n, f.did, atid.dag_cbor_get_text(p.body, '{active}')::bool AS active,
           atid.dag_cbor_get_text(p.body, '{status}') AS status
    FROM verified_frame AS f
         CROSS JOIN atid.frame_parts(CASE WHEN f.t = '#account' AND f.code IS NULL
                                       THEN coalesce(f.frame, frames[f.n]) END) AS p
    WHERE f.t = '#account' AND f.code IS NULL AND (f.did <> ALL (loading) OR f.did = ANY (closing))
  ), newest AS (
    SELECT DISTINCT ON (t.did, t.active, t.of_server) t.*
    FROM (SELECT r.*, NOT r.active AND is_server_status(r.status) AS of_server
          FROM reported AS r) AS t
    ORDER BY t.did, t.active, t.of_server, t.n DESC
  ), ranked AS (
    SELECT w.*, max(w.n) FILTER (WHERE NOT w.of_server) OVER (PARTITION BY w.did) AS last
    FROM newest AS w
  )
  SELECT k.did, k.active, k.status FROM ranked AS k
  WHERE NOT k.of_server AND (NOT k.active OR k.n = k.last) OR k.of_server AND k.last IS NULL
  ORDER BY k.did, k.n;
END $$;
