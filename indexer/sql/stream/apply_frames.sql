-- The second step of process_frames(): what the frames change.

-- Locks those of the accounts that are not being loaded.
CREATE OR REPLACE FUNCTION lock_accounts(dids atid.did[]) RETURNS SETOF account LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT * FROM account WHERE did = ANY (dids) AND state <> 'loading' ORDER BY did FOR UPDATE;
END $$;

-- What it changes. What is being loaded is left alone: its frames wait. The rest is locked.
CREATE OR REPLACE FUNCTION apply_frames(stream text, frames bytea[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  s settings;
  wanted text[];
  moment CONSTANT timestamptz := now();
  hurries timestamptz;
  whose CONSTANT atid.did[] := ARRAY(SELECT DISTINCT b.did FROM batch AS b WHERE b.t IS NOT NULL AND b.did IS NOT NULL);
  loading atid.did[];
  closing atid.did[] := '{}';
  late text[];                                       -- DIDs; Citus passes no atid.did[] on into a subquery
  a account;
  r record;
BEGIN
  IF whose = '{}' THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  hurries := add_interval(moment, -s.not_sooner);
  INSERT INTO held SELECT h.did, h.state, h.rev, h.data FROM lock_accounts(whose) AS h;
  wanted := wanted_patterns();  -- as they are once the locks are had
  loading := ARRAY(SELECT x.did FROM account AS x
                   WHERE x.did = ANY (ARRAY(SELECT d FROM unnest(whose) AS d EXCEPT SELECT h.did FROM held AS h)));
  IF loading <> '{}' THEN
    -- A download that takes long does not keep an account from being closed: only the transaction of its load does, or
    -- an older frame of that kind that waits.
    FOR r IN SELECT DISTINCT b.did FROM batch AS b WHERE b.t = '#account' AND b.code IS NULL AND b.did = ANY (loading)
               AND NOT EXISTS (SELECT 1 FROM waiting AS o CROSS JOIN atid.frame_parts(o.frame) AS h
                               WHERE o.stream = apply_frames.stream AND o.did = b.did AND h.t = '#account') ORDER BY b.did LOOP
      PERFORM FROM account AS x WHERE x.did = r.did FOR UPDATE SKIP LOCKED;
      IF FOUND THEN
        closing := closing || r.did;
      END IF;
    END LOOP;
    PERFORM defer_frames(apply_frames.stream, frames, loading, closing);
  END IF;

  -- The signed ones of each account that are new to it, in their order. A commit fits where it goes on from the one
  -- before.
  INSERT INTO fit (n, frame, did, rev, data, fits)
  SELECT x.n, x.frame, x.did, x.rev, x.data, bool_and(x.fits) OVER (PARTITION BY x.did ORDER BY x.n)
  FROM (SELECT f.n, f.frame, f.did, f.rev, f.data,
               (f.t = '#commit' AND f.code IS NULL AND f.since = lag(f.rev, 1, h.rev) OVER w
                AND f.prev_data = lag(f.data, 1, h.data) OVER w) IS TRUE AS fits
        FROM (SELECT DISTINCT ON (b.did, b.rev, b.data) b.* FROM batch AS b WHERE b.signed
              ORDER BY b.did, b.rev, b.data, b.n) AS f
             CROSS JOIN LATERAL (SELECT * FROM held WHERE held.did = f.did OFFSET 0) AS h
        WHERE h.state = 'synchronized'
          AND (f.rev > h.rev OR f.rev = h.rev AND f.data IS DISTINCT FROM h.data AND f.code IS NULL)
        WINDOW w AS (PARTITION BY f.did ORDER BY f.n)) AS x;

  -- The last operation of each record; where the first was no creation, there is an older one.
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT DISTINCT ON (uri) uri, f.did, o.collection, bool_and(o.action = 'create') OVER (PARTITION BY uri), o.cid,
         CASE WHEN o.action <> 'delete' THEN o.block END
  FROM fit AS f CROSS JOIN atid.commit_event_ops(CASE WHEN f.fits THEN coalesce(f.frame, frames[f.n]) END) AS o
       CROSS JOIN atid.at_uri_make(f.did, o.collection, o.rkey) AS uri
  WHERE f.fits AND o.collection LIKE ANY (wanted) ORDER BY uri, f.n DESC;
  IF FOUND THEN
    PERFORM write_records();
  END IF;

  UPDATE account AS x SET rev = c.rev, data = c.data
  FROM (SELECT f.did, (array_agg(f.rev ORDER BY f.n DESC))[1] AS rev, (array_agg(f.data ORDER BY f.n DESC))[1] AS data
        FROM fit AS f WHERE f.fits GROUP BY f.did) AS c
  WHERE x.did = c.did;
  -- Those of which something is missing, or is not true, are loaded; those of which that is often so, ever later.
  late := ARRAY(SELECT DISTINCT f.did::text FROM fit AS f WHERE NOT f.fits);
  FOR a IN SELECT * FROM account AS x WHERE x.did = ANY (late::atid.did[]) ORDER BY x.did LOOP
    a.gaps := CASE WHEN a.gap_at > add_interval(moment, -interval '1 day') THEN a.gaps ELSE 0 END;
    PERFORM set_account_state(a, 'desynchronized',
      CASE WHEN a.gaps < s.most_gaps THEN moment ELSE add_interval(moment, backoff_delay(a.gaps, s.pause_first, s.pause_most)) END);
    UPDATE account AS x SET gaps = least(a.gaps + 1, 20), gap_at = moment WHERE x.did = a.did;
  END LOOP;
  -- What is signed and announced is what a load must have. A commit that is sound shows that the repository is there,
  -- signed by that key: it brings the load forward.
  late := late || ARRAY(SELECT h.did::text FROM held AS h WHERE h.state IN ('desynchronized', 'inactive'));
  IF late <> '{}' THEN
    UPDATE account AS x
    SET heard = greatest(x.heard, c.rev),
        hurried = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries THEN moment ELSE x.hurried END,
        load_at = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries AND x.state = 'desynchronized'
                            AND x.gaps <= s.most_gaps THEN least(x.load_at, moment) ELSE x.load_at END,
        check_at = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries AND x.state = 'inactive'
                     THEN least(x.check_at, moment) ELSE x.check_at END
    FROM (SELECT b.did, max(b.rev) AS rev, bool_or(b.code IS NULL) AS sound FROM batch AS b
          WHERE b.did::text = ANY (late) AND b.signed AND atid.tid_timestamp(b.rev) <= add_interval(moment, max_clock_skew())
          GROUP BY b.did) AS c
    WHERE x.did = c.did AND x.state IN ('desynchronized', 'inactive');
  END IF;

  FOR r IN SELECT * FROM latest_account_states(frames, loading, closing) LOOP
    SELECT * INTO a FROM account AS x WHERE x.did = r.did FOR UPDATE;
    IF FOUND THEN
      PERFORM apply_account_status(a, r.active, r.status, NULL, NULL);
    END IF;
  END LOOP;
END $$;

-- What the frames of the kind #account leave of each account: its last state. If it is active, and was not in between,
-- its records have been deleted, so that comes first. A reason that is about the server counts where there is no other
-- frame: then apply_account_status() only notes when the stream reported on the account.
CREATE OR REPLACE FUNCTION latest_account_states(frames bytea[], loading atid.did[], closing atid.did[])
RETURNS TABLE (did atid.did, active bool, status text) LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY
  WITH reported AS (
    SELECT b.n, b.did, atid.dag_cbor_get_text(h.body, '{active}')::bool AS active, atid.dag_cbor_get_text(h.body, '{status}') AS status
    FROM batch AS b
         CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#account' AND b.code IS NULL THEN coalesce(b.frame, frames[b.n]) END) AS h
    WHERE b.t = '#account' AND b.code IS NULL AND (b.did <> ALL (loading) OR b.did = ANY (closing))
  ), newest AS (
    SELECT DISTINCT ON (t.did, t.active, t.of_server) t.*
    FROM (SELECT p.*, NOT p.active AND is_server_status(p.status) AS of_server FROM reported AS p) AS t
    ORDER BY t.did, t.active, t.of_server, t.n DESC
  ), ranked AS (
    SELECT w.*, max(w.n) FILTER (WHERE NOT w.of_server) OVER (PARTITION BY w.did) AS last FROM newest AS w
  )
  SELECT k.did, k.active, k.status FROM ranked AS k
  WHERE NOT k.of_server AND (NOT k.active OR k.n = k.last) OR k.of_server AND k.last IS NULL ORDER BY k.did, k.n;
END $$;

-- Frames of accounts that are being loaded wait.
CREATE OR REPLACE FUNCTION defer_frames(
  stream text, frames bytea[], loading atid.did[], closing atid.did[]
) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM add_waiting(defer_frames.stream, array_agg(b.seq ORDER BY b.n), array_agg(b.did ORDER BY b.n),
                      array_agg(coalesce(b.frame, frames[b.n]) ORDER BY b.n))
  FROM batch AS b
  WHERE b.did = ANY (loading)
    AND (b.t IN ('#commit', '#sync') AND (b.code IS NULL OR b.signed)
         OR b.t = '#account' AND b.code IS NULL AND b.did <> ALL (closing))
  HAVING count(*) > 0;
END $$;
