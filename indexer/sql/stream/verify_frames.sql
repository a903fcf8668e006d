-- The first step of process_frames(): verifies the frames. Stores each in verified_frame with its
-- contents and its fault, if any, and skips those that were processed before, whose numbers are not
-- above the cursor. The frames that have waited for the accounts in waited come first.
--
-- (OFFSET 0 makes the planner compute the expressions of a step only once.)
CREATE OR REPLACE FUNCTION verify_frames(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[]
) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM parse_frames(verify_frames.stream, from_slot, to_slot, frames, waited);
  PERFORM find_known_accounts(verify_frames.stream);
  IF EXISTS (SELECT 1 FROM parsed_frame AS p WHERE p.bare)
     AND stream_kind(verify_frames.stream) = 'repos' THEN
    PERFORM add_missing_prev(frames);
  END IF;
  PERFORM check_frames(verify_frames.stream, frames,
    (SELECT max(t.ahead) FROM shard AS t
     WHERE t.stream = verify_frames.stream AND t.lo >= from_slot AND t.hi <= to_slot));
END $$;

-- The account of a frame of this kind, with this body. A frame of labels has none, whatever its
-- labeler writes there.
CREATE OR REPLACE FUNCTION frame_did(t text, body bytea) RETURNS atid.did
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN atid.did_or_null(atid.dag_cbor_get_text(body,
  CASE t WHEN '#commit' THEN '{repo}' WHEN '#labels' THEN NULL ELSE '{did}' END::text[]));

-- Parses each frame.
CREATE OR REPLACE FUNCTION parse_frames(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[]
) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  cursors CONSTANT bigint[] := ARRAY(
    SELECT t.cursor FROM shard AS t
    WHERE t.stream = parse_frames.stream AND t.lo >= from_slot AND t.hi <= to_slot ORDER BY t.lo);
  one_cursor CONSTANT bigint := CASE WHEN from_slot = 0 AND to_slot = 255
                                          AND cardinality(cursors) = 1 THEN cursors[1] END;
BEGIN
  WITH late AS (
    SELECT w.seq, w.frame FROM take_waiting(parse_frames.stream, waited) AS w
  ), parts AS (
    SELECT x.n, x.late, (x.h).op, (x.h).t, (x.h).error, (x.h).body
    FROM (SELECT a.n, a.late, atid.frame_parts(coalesce(a.late, frames[a.n])) AS h
          FROM (SELECT -row_number() OVER (ORDER BY l.seq DESC)::int, l.frame FROM late AS l
                UNION ALL
                SELECT u.n, NULL FROM generate_series(1, cardinality(frames)) AS u (n))
               AS a (n, late)
          OFFSET 0) AS x
  ), fields AS (
    SELECT p.n, p.late, p.op, p.t, p.error,
           CASE WHEN atid.dag_cbor_typeof(p.body, '{seq}') = 'number'
             THEN atid.dag_cbor_get_text(p.body, '{seq}')::bigint END AS seq,
           atid.datetime_or_null(atid.dag_cbor_get_text(p.body, '{time}')) AS at,
           frame_did(p.t, p.body) AS did,
           CASE p.t
             WHEN '#labels'
             THEN atid.dag_cbor_typeof(p.body, '{labels}') IS NOT DISTINCT FROM 'array'
             WHEN '#account'
             THEN atid.dag_cbor_typeof(p.body, '{active}') IS NOT DISTINCT FROM 'boolean' END
             AS shape,
           p.t = '#commit'
             AND coalesce(atid.dag_cbor_typeof(p.body, '{prevData}'), 'null') = 'null'
             AND atid.dag_cbor_typeof(p.body, '{since}') = 'string' AS bare
    FROM parts AS p OFFSET 0
  )
  INSERT INTO parsed_frame (n, frame, op, t, error, seq, at, did, shape, bare, cursor, ours)
  SELECT f.*, coalesce(one_cursor, s.cursor), one_cursor IS NOT NULL OR s.cursor IS NOT NULL
  FROM fields AS f LEFT JOIN LATERAL (
    SELECT t.cursor FROM shard AS t
    WHERE one_cursor IS NULL AND t.stream = parse_frames.stream AND t.lo >= from_slot
      AND t.hi <= to_slot AND coalesce(shard_slot(f.did), 0) BETWEEN t.lo AND t.hi) AS s ON true;
END $$;

-- Looks up the accounts of the frames.
CREATE OR REPLACE FUNCTION find_known_accounts(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  x stream;
BEGIN
  SELECT * INTO x FROM stream AS s WHERE s.name = find_known_accounts.stream;
  INSERT INTO known_account (did, key, moved, here, state, host, rev, data)
  SELECT i.did, i.key,
         x.kind <> 'labels' AND i.answered IS NOT NULL
           AND (coalesce(i.host, '') <> ALL (x.pds)) IS TRUE,
         a.did IS NOT NULL, a.state, i.host, CASE WHEN a.state = 'synchronized' THEN a.rev END,
         a.data
  FROM identity AS i LEFT JOIN account AS a ON a.did = i.did
  WHERE i.did = ANY (ARRAY(SELECT DISTINCT p.did FROM parsed_frame AS p));
END $$;

-- Are the records of a commit larger than four times the commit itself? Its 200 operations may
-- share one block.
CREATE OR REPLACE FUNCTION amplifies_records(frame bytea) RETURNS bool LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT sum(octet_length(o.block)) FROM atid.commit_event_ops(frame) AS o)
         > 4.0 * octet_length(frame);
END $$;

-- Does a frame change what live mode stores? Commits that change no wanted record are
-- not verified. wanted: NULL if nobody is wanted in live mode.
CREATE OR REPLACE FUNCTION changes_live(t text, frame bytea, here bool, wanted text[]) RETURNS bool
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN wanted IS NULL THEN false
            WHEN t <> '#commit' THEN here
            ELSE '%' = ANY (wanted)
                 OR EXISTS (SELECT 1 FROM atid.commit_event_ops(frame) AS o
                            WHERE o.collection LIKE ANY (wanted)) END;

-- The code of a frame's fault, or NULL. problem: from atid.event_problem(); highest: a number above
-- it needs a signature.
CREATE OR REPLACE FUNCTION frame_code(
  kind text, problem text, signed bool, ours bool, shape bool, did atid.did, seq bigint,
  frame bytea, highest bigint
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN problem IS NOT NULL THEN 'invalid_event'
  WHEN NOT ours THEN 'wrong_shard'
  WHEN kind = '#labels' AND NOT shape THEN 'invalid_labels'
  WHEN kind = '#account' AND NOT shape THEN 'invalid_active'
  WHEN kind = '#commit' AND octet_length(frame) > 10000 AND amplifies_records(frame)
  THEN 'amplified_records'
  WHEN seq > 9007199254740991 THEN 'seq_range'
  WHEN seq > highest AND signed IS NOT TRUE THEN 'seq_jump'
  WHEN kind NOT IN ('#info', '#labels') AND did IS NULL THEN 'invalid_did'
  WHEN kind NOT IN ('#info', '#labels') AND octet_length(did::text) > 512 THEN 'long_did'
  WHEN kind NOT IN ('#info', '#labels') AND (seq > 0) IS NOT TRUE THEN 'seq_missing'
  WHEN NOT signed THEN 'unknown_key' END;

-- Does a commit claim a newer revision than this one?
CREATE OR REPLACE FUNCTION claims_newer_revision(frame bytea, rev atid.tid) RETURNS bool
LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  claimed CONSTANT text := CASE WHEN rev IS NOT NULL
    THEN (SELECT atid.dag_cbor_get_text(h.body, '{rev}') FROM atid.frame_parts(frame) AS h) END;
BEGIN
  RETURN CASE WHEN atid.tid_is_valid(claimed) THEN claimed::atid.tid > rev END;
END $$;

-- Finds what is wrong with each frame. A sound commit that is new to its account is accepted
-- whatever its number is: it shows that the number is wrong. In the states `passing`, commits
-- without a wanted record are skipped. one_ahead: the number before which a cursor is held.
CREATE OR REPLACE FUNCTION check_frames(stream text, frames bytea[], one_ahead bigint)
RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  of_labels CONSTANT bool := stream_kind(check_frames.stream) = 'labels';
  all_wanted CONSTANT bool := wants_all_accounts();
  live CONSTANT text[] := CASE WHEN wants_live() THEN wanted_patterns() END;
  passing CONSTANT text[] := CASE WHEN live IS NULL THEN '{live}' ELSE '{live,unidentified}' END;
BEGIN
  WITH whole AS (
    SELECT p.*, coalesce(p.frame, check_frames.frames[p.n]) AS whole
    FROM parsed_frame AS p OFFSET 0
  ), concerned AS (
    SELECT p.*, p.n > 0 AND p.seq <= p.cursor AS below, k.key, k.did IS NOT NULL AS met,
           coalesce(k.here, false) AS here, coalesce(k.moved, false) AS moved,
           CASE WHEN p.op IS DISTINCT FROM 1 THEN NULL
                WHEN p.t = '#info' OR p.t = '#labels' AND of_labels THEN p.t
                WHEN p.t IN ('#commit', '#sync', '#account', '#identity') AND NOT of_labels
                     AND k.moved IS NOT TRUE
                     AND (all_wanted OR k.here AND k.state <> ALL (passing)
                          OR changes_live(p.t, p.whole, k.here, live))
                THEN p.t END AS kind
    FROM whole AS p LEFT JOIN known_account AS k ON k.did = p.did
    WHERE p.n < 0 OR p.seq IS NULL OR p.cursor IS NULL OR p.seq > p.cursor
       OR CASE WHEN p.t IN ('#commit', '#sync') AND NOT of_labels
            THEN claims_newer_revision(p.whole, k.rev) END OFFSET 0
  ), checked AS (
    SELECT c.*,
           -- it does not matter whether commits of other accounts are sound
           CASE WHEN c.kind IS NOT NULL OR c.t IN ('#commit', '#sync') IS NOT TRUE
             THEN atid.event_problem(c.whole, now() + max_clock_skew()) END AS problem,
           CASE WHEN c.kind IN ('#commit', '#sync')
             THEN atid.event_is_signed_by(c.whole, c.key) END AS signed
    FROM concerned AS c OFFSET 0
  ), opened AS (
    SELECT c.*,
           atid.commit_event(CASE WHEN (c.signed OR c.problem IS NULL) AND c.kind = '#commit'
                               THEN c.whole END) AS e,
           atid.sync_event(CASE WHEN (c.signed OR c.problem IS NULL) AND c.kind = '#sync'
                             THEN c.whole END) AS y
    FROM checked AS c OFFSET 0
  ), rooted AS (
    SELECT o.*, atid.repo_commit(CASE WHEN o.problem IS NULL
                                   THEN coalesce((o.e).blocks, (o.y).blocks) END) AS r
    FROM opened AS o OFFSET 0
  )
  INSERT INTO verified_frame (n, frame, t, met, here, moved, error, seq, below, at, did, code,
                              reason, signed, rev, since, prev_data, data)
  SELECT j.n, j.frame, j.kind, j.met, j.here, j.moved, j.error, j.seq, coalesce(j.below, false),
         j.at, j.did,
         frame_code(j.kind, j.problem, j.signed, j.ours, j.shape, j.did, j.seq, j.whole,
                    CASE WHEN j.cursor > 0 THEN greatest(j.cursor, one_ahead)
                      + (SELECT s.far_ahead FROM settings AS s) END),
         j.problem, j.signed, coalesce((j.e).rev, (j.y).rev), (j.e).since, (j.e).prev_data,
         (j.r).data
  FROM rooted AS j
  WHERE j.below IS NOT TRUE OR j.problem IS NULL AND j.signed AND j.kind IS NOT NULL;
END $$;
