-- The first step of process_frames(): what is true.

-- What is true. Each frame goes into batch, with what it says and what is wrong with it; but for those that were taken
-- before, whose number is not above the cursor. The frames that have waited for the accounts in waited come first.
-- A sound commit that is new to its account is taken whatever its number is: it shows that the number is wrong.
-- (OFFSET 0: what a step computes is computed once.)
CREATE OR REPLACE FUNCTION verify_frames(stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  of_labels CONSTANT bool := (SELECT x.kind = 'labels' FROM stream AS x WHERE x.name = verify_frames.stream);
  home CONSTANT text[] := (SELECT x.pds FROM stream AS x WHERE x.name = verify_frames.stream);
  all_wanted CONSTANT bool := wants_all_accounts();
  far CONSTANT bigint := (SELECT far_ahead FROM settings);
  cursors CONSTANT bigint[] := ARRAY(SELECT t.cursor FROM shard AS t WHERE t.stream = verify_frames.stream
                                     AND t.lo >= from_slot AND t.hi <= to_slot ORDER BY t.lo);
  one_ahead CONSTANT bigint := (SELECT max(t.ahead) FROM shard AS t WHERE t.stream = verify_frames.stream
                                AND t.lo >= from_slot AND t.hi <= to_slot);
  all_slots CONSTANT bool := from_slot = 0 AND to_slot = 255;
  one_cursor CONSTANT bigint := CASE WHEN all_slots AND cardinality(cursors) = 1 THEN cursors[1] END;
BEGIN
  WITH late AS (
    SELECT w.seq, w.frame FROM take_waiting(verify_frames.stream, waited) AS w
  )
  INSERT INTO said (n, frame, op, t, error, seq, at, did, shape, bare)
  SELECT p.n, p.late, (p.h).op, (p.h).t, (p.h).error,
         CASE WHEN atid.dag_cbor_typeof((p.h).body, '{seq}') = 'number'
           THEN atid.dag_cbor_get_text((p.h).body, '{seq}')::bigint END,
         atid.datetime_or_null(atid.dag_cbor_get_text((p.h).body, '{time}')),
         atid.did_or_null(atid.dag_cbor_get_text((p.h).body, CASE (p.h).t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[])),
         CASE (p.h).t WHEN '#labels' THEN atid.dag_cbor_typeof((p.h).body, '{labels}') IS NOT DISTINCT FROM 'array'
                      WHEN '#account' THEN atid.dag_cbor_typeof((p.h).body, '{active}') IS NOT DISTINCT FROM 'boolean' END,
         (p.h).t = '#commit' AND coalesce(atid.dag_cbor_typeof((p.h).body, '{prevData}'), 'null') = 'null'
           AND atid.dag_cbor_typeof((p.h).body, '{since}') = 'string'
  FROM (SELECT x.n, x.late, atid.frame_parts(coalesce(x.late, frames[x.n])) AS h
        FROM (SELECT -row_number() OVER (ORDER BY l.seq DESC)::int, l.frame FROM late AS l
              UNION ALL
              SELECT u.n, NULL FROM generate_series(1, cardinality(frames)) AS u (n)) AS x (n, late)
        OFFSET 0) AS p;

  INSERT INTO known (did, key, moved, here, host, rev, data)
  SELECT i.did, i.key, NOT of_labels AND i.answered IS NOT NULL AND (coalesce(i.host, '') <> ALL (home)) IS TRUE, a.did IS NOT NULL,
         i.host, CASE WHEN a.state = 'synchronized' THEN a.rev END, a.data
  FROM identity AS i LEFT JOIN account AS a ON a.did = i.did
  WHERE i.did = ANY (ARRAY(SELECT DISTINCT s.did FROM said AS s));

  IF NOT of_labels AND EXISTS (SELECT 1 FROM said AS s WHERE s.bare) THEN
    PERFORM add_missing_prev(frames);
  END IF;

  WITH placed AS (
    SELECT s.*, coalesce(one_cursor, t.cursor) AS last, one_cursor IS NOT NULL OR t.cursor IS NOT NULL AS ours,
           coalesce(s.frame, verify_frames.frames[s.n]) AS whole
    FROM said AS s LEFT JOIN LATERAL (
      SELECT t.cursor FROM shard AS t
      WHERE one_cursor IS NULL AND t.stream = verify_frames.stream AND t.lo >= from_slot AND t.hi <= to_slot
        AND coalesce(shard_slot(s.did), 0) BETWEEN t.lo AND t.hi) AS t ON true
    OFFSET 0
  ), concerned AS (
    SELECT p.*, p.n > 0 AND p.seq <= p.last AS below, k.key, k.did IS NOT NULL AS met, coalesce(k.here, false) AS here, coalesce(k.moved, false) AS moved,
           CASE WHEN p.op IS DISTINCT FROM 1 THEN NULL
                WHEN p.t = '#info' OR p.t = '#labels' AND of_labels THEN p.t
                WHEN p.t IN ('#commit', '#sync', '#account', '#identity') AND NOT of_labels AND k.moved IS NOT TRUE
                     AND (all_wanted OR k.here) THEN p.t END AS kind
    FROM placed AS p LEFT JOIN known AS k ON k.did = p.did
    WHERE p.n < 0 OR p.seq IS NULL OR p.last IS NULL OR p.seq > p.last
       OR CASE WHEN p.t IN ('#commit', '#sync') AND NOT of_labels THEN claims_newer_revision(p.whole, k.rev) END
    OFFSET 0
  ), checked AS (
    SELECT c.*, c.kind NOT IN ('#info', '#labels') AS about,
           CASE WHEN c.kind IS NOT NULL OR c.t IN ('#commit', '#sync') IS NOT TRUE  -- of others nobody wants to know
                THEN atid.event_problem(c.whole, now() + max_clock_skew()) END AS problem,
           CASE WHEN c.kind IN ('#commit', '#sync') THEN atid.event_is_signed_by(c.whole, c.key) END AS signed
    FROM concerned AS c OFFSET 0
  ), told AS (
    SELECT c.*, atid.commit_event(CASE WHEN (c.signed OR c.problem IS NULL) AND c.kind = '#commit' THEN c.whole END) AS e,
           atid.sync_event(CASE WHEN (c.signed OR c.problem IS NULL) AND c.kind = '#sync' THEN c.whole END) AS y
    FROM checked AS c OFFSET 0
  ), rooted AS (
    SELECT o.*, atid.repo_commit(CASE WHEN o.problem IS NULL THEN coalesce((o.e).blocks, (o.y).blocks) END) AS r
    FROM told AS o OFFSET 0
  )
  INSERT INTO batch (n, frame, t, met, here, moved, error, seq, below, at, did, code, reason, signed, rev, since, prev_data, data)
  SELECT j.n, j.frame, j.kind, j.met, j.here, j.moved, j.error, j.seq, coalesce(j.below, false), j.at, j.did,
         CASE WHEN j.problem IS NOT NULL THEN 'invalid_event'
              WHEN NOT j.ours THEN 'wrong_shard'
              WHEN j.kind = '#labels' AND NOT j.shape THEN 'invalid_labels'
              WHEN j.kind = '#account' AND NOT j.shape THEN 'invalid_active'
              WHEN j.kind = '#commit' AND octet_length(j.whole) > 10000  -- 200 operations may have one block
                   AND (SELECT sum(octet_length(o.block)) FROM atid.commit_event_ops(j.whole) AS o)
                       > 4.0 * octet_length(j.whole)
              THEN 'amplified_records'
              WHEN j.seq > 9007199254740991 THEN 'seq_range'
              WHEN j.seq > greatest(j.last, one_ahead) + far AND j.last > 0 AND j.signed IS NOT TRUE
              THEN 'seq_jump'
              WHEN j.about AND j.did IS NULL THEN 'invalid_did'
              WHEN j.about AND octet_length(j.did::text) > 512 THEN 'long_did'
              WHEN j.about AND (j.seq > 0) IS NOT TRUE THEN 'seq_missing'
              WHEN NOT j.signed THEN 'unknown_key' END,
         j.problem, j.signed, coalesce((j.e).rev, (j.y).rev), (j.e).since, (j.e).prev_data, (j.r).data
  FROM rooted AS j WHERE j.below IS NOT TRUE OR j.problem IS NULL AND j.signed AND j.kind IS NOT NULL;
END $$;

-- Does a commit claim a newer revision than this one?
CREATE OR REPLACE FUNCTION claims_newer_revision(frame bytea, rev atid.tid) RETURNS bool LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  claimed CONSTANT text := CASE WHEN rev IS NOT NULL
    THEN (SELECT atid.dag_cbor_get_text(h.body, '{rev}') FROM atid.frame_parts(frame) AS h) END;
BEGIN
  RETURN CASE WHEN atid.tid_is_valid(claimed) THEN claimed::atid.tid > rev END;
END $$;
