-- Commits without "prevData", and the servers that send them.

-- Gives commits without "prevData", as small PDSes send them, the stored root of the account, or
-- that of its commit before in this batch; and operations without "prev" the CID of the record.
-- Nobody has signed these values, so verify_frames() verifies the commit as strictly as any other.
-- A commit that does not continue from the stored state stays as it is, and is bad. Such commits
-- are counted by server.
CREATE OR REPLACE FUNCTION add_missing_prev(frames bytea[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  f record;
  e record;
  whose atid.did;
  rev atid.tid;
  root atid.cid_link;
  written jsonb;                                     -- the CIDs of this batch by their paths
BEGIN
  PERFORM add_unproven(array_agg(q.host), array_agg(q.commits))
  FROM (SELECT k.host, count(*) AS commits
        FROM parsed_frame AS s JOIN known_account AS k ON k.did = s.did
        WHERE s.bare AND s.n > 0 AND k.here AND k.host IS NOT NULL
        GROUP BY k.host) AS q
  HAVING count(*) > 0;
  FOR f IN SELECT s.n, s.did, s.bare, k.rev, k.data, coalesce(s.frame, frames[s.n]) AS frame
           FROM (SELECT c.*, bool_or(c.bare) OVER (PARTITION BY c.did) AS one_is
                 FROM parsed_frame AS c WHERE c.t = '#commit') AS s
                JOIN known_account AS k ON k.did = s.did
           WHERE s.one_is AND k.rev IS NOT NULL
           ORDER BY s.did, s.n
  LOOP
    IF whose IS DISTINCT FROM f.did THEN
      whose := f.did;
      rev := f.rev;
      root := f.data;
      written := '{}';
    END IF;
    SELECT c.rev, c.since, r.data INTO e
    FROM atid.commit_event(f.frame) AS c CROSS JOIN atid.repo_commit(c.blocks) AS r;
    CONTINUE WHEN (e.since = rev) IS NOT TRUE;
    IF f.bare THEN
      UPDATE parsed_frame AS s SET frame = commit_with_prev(f.frame, f.did, root, written)
      WHERE s.n = f.n;
    END IF;
    rev := e.rev;
    root := e.data;
    SELECT written || coalesce(jsonb_object_agg(o.collection || '/' || o.rkey::text, o.cid::text),
                               '{}')
    INTO written FROM atid.commit_event_ops(f.frame) AS o;
  END LOOP;
END $$;

-- Adds to a commit the root before it, and the CIDs of its records before it, as far as they are
-- known: from this batch, or from the table record. NULL: the commit cannot be written again.
CREATE OR REPLACE FUNCTION commit_with_prev(
  frame bytea, account atid.did, root atid.cid_link, written jsonb
) RETURNS bytea
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  body bytea;
  message jsonb;
  op jsonb;
  ops jsonb := '[]';
  prev text;
BEGIN
  SELECT h.body INTO body FROM atid.frame_parts(frame) AS h;
  message := atid.dag_cbor_to_record(body);
  FOR op IN SELECT o.value
            FROM jsonb_array_elements(message->'ops') WITH ORDINALITY AS o (value, n)
            ORDER BY o.n LOOP
    IF op->>'action' <> 'create' AND op->>'prev' IS NULL THEN
      prev := written->>(op->>'path');
      IF NOT written ? (op->>'path') THEN
        SELECT r.cid INTO prev FROM record AS r
        WHERE r.did = account
          AND r.uri = ('at://' || account::text || '/' || (op->>'path'))::atid.at_uri;
      END IF;
      op := op || CASE WHEN prev IS NULL THEN '{}'
                       ELSE jsonb_build_object('prev', jsonb_build_object('$link', prev)) END;
    END IF;
    ops := ops || jsonb_build_array(op);
  END LOOP;
  RETURN substr(frame, 1, octet_length(frame) - octet_length(body)) || atid.record_to_dag_cbor(
    message || jsonb_build_object('ops', ops, 'prevData', jsonb_build_object('$link', root)));
EXCEPTION WHEN OTHERS THEN
  IF is_server_error(SQLSTATE) THEN RAISE; END IF;
  RETURN NULL;
END $$;
