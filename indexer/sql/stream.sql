-- The stream. take() has frames verified and applied and the cursor moved in one transaction, in three steps over the
-- temporary table batch, which write.sql describes:
--
--   judge()     what is true: reads each frame, and finds what is wrong with it
--   apply()     what it changes: records, and the accounts themselves
--   announce()  what follows: bad frames are kept, and what settle() is to do about accounts and identities is noted
--
-- A taker has the accounts whose slot is in lo..hi. It locks its rows of the table taker, then accounts in the order of
-- their DIDs; and no identity but those of labelers, so that no directory can hold up the stream.

-- Begins with a stream, for so many takers. What an earlier run had begun to load counts as a failure, so that what has
-- ended it does not come first again. Returns the number to go on behind, the least of all takers.
CREATE OR REPLACE FUNCTION start(stream text, kind text, pds text[], takers int) RETURNS bigint LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  a account;
  old taker[];
  at bigint;
  is_new bool;
BEGIN
  SELECT * INTO s FROM settings;
  INSERT INTO stream AS x (name, kind, pds) VALUES (start.stream, start.kind, nullif(start.pds, '{}'))
  ON CONFLICT (name) DO UPDATE SET pds = excluded.pds, started = now(), error = NULL;
  old := ARRAY(SELECT t FROM taker AS t WHERE t.stream = start.stream ORDER BY t.lo FOR UPDATE);
  is_new := old = '{}';
  IF is_new THEN
    INSERT INTO taker (stream, lo, hi) VALUES (start.stream, 0, 255);
    old := ARRAY(SELECT t FROM taker AS t WHERE t.stream = start.stream);
  END IF;
  -- Each of the new takers has the parts of the old ones that are its own, with their cursors: nothing is lost, and
  -- nothing comes twice. What was counted goes to the first.
  DELETE FROM taker AS t WHERE t.stream = start.stream;
  INSERT INTO taker (stream, lo, hi, cursor, heard, taken)
  SELECT start.stream, min(g.lo), max(g.hi), g.cursor, max(g.heard), max(g.taken)
  FROM (SELECT p.*, count(*) FILTER (WHERE p.starts) OVER (PARTITION BY p.n ORDER BY p.lo) AS part
        FROM (SELECT n, greatest(o.lo, b.lo) AS lo, least(o.hi, b.hi) AS hi, o.cursor, o.heard, o.taken,
                     o.cursor IS DISTINCT FROM lag(o.cursor) OVER (PARTITION BY n ORDER BY o.lo) AS starts
              FROM generate_series(0, takers - 1) AS n
                   CROSS JOIN LATERAL (SELECT (256 * n + takers - 1) / takers AS lo,
                                              (256 * (n + 1) + takers - 1) / takers - 1 AS hi) AS b
                   JOIN unnest(old) AS o ON o.lo <= b.hi AND b.lo <= o.hi) AS p) AS g
  GROUP BY g.n, g.part, g.cursor;
  UPDATE taker AS t SET (frames, commits, refused) = (SELECT sum(o.frames), sum(o.commits), sum(o.refused) FROM unnest(old) AS o)
  WHERE t.stream = start.stream AND t.lo = 0;
  SELECT min(t.cursor) INTO at FROM taker AS t WHERE t.stream = start.stream;
  IF kind = 'repos' THEN
    UPDATE stream AS x SET look = now(), looked = NULL
    WHERE x.name = start.stream AND (is_new OR at = 0 OR x.place <> place());
    UPDATE stream AS x SET place = place() WHERE x.name = start.stream;
    FOR a IN SELECT * FROM account WHERE state = 'loading' ORDER BY did LOOP
      -- the server may still be loading it for a program that has ended: then it is tidy()'s
      PERFORM FROM account AS x WHERE x.did = a.did AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
      PERFORM unload(a.did, a.claim, 'ended', NULL);
    END LOOP;
  END IF;
  RETURN at;
END $$;

-- Where this database is: the server, its timeline, the table. A dump that was restored is another table, a base backup
-- that was recovered to a point in time has another timeline.
CREATE OR REPLACE FUNCTION place() RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE server text;
BEGIN
  IF has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')
     AND has_function_privilege('pg_catalog.pg_control_checkpoint()', 'EXECUTE') THEN
    SELECT concat(c.system_identifier, ' ', k.timeline_id) INTO server
    FROM pg_catalog.pg_control_system() AS c CROSS JOIN pg_catalog.pg_control_checkpoint() AS k;
  END IF;
  RETURN concat_ws(' ', server, 'indexer.stream'::regclass::oid);
END $$;

-- The stream that was followed last, if this one is that of a PDS that does not have all of its accounts: these would
-- be taken for moved, and their records deleted. It may be the same stream: of a relay that calls itself a PDS, or of a
-- PDS that has fewer names than before.
CREATE OR REPLACE FUNCTION would_bar(stream text, pds text[]) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT l.name
          FROM (SELECT x.name, x.pds FROM stream AS x WHERE x.kind = 'repos' ORDER BY x.started DESC LIMIT 1) AS l
          WHERE (l.name <> would_bar.stream OR l.pds IS NULL OR NOT l.pds <@ would_bar.pds) AND cardinality(would_bar.pds) > 0
            AND EXISTS (SELECT 1 FROM account AS a JOIN identity AS i USING (did)
                        WHERE a.state <> 'barred' AND i.answered IS NOT NULL AND coalesce(i.host, '') <> ALL (would_bar.pds)));
END $$;

-- The program has compared its clock with the server's: by how many seconds the latter is ahead.
CREATE OR REPLACE FUNCTION compared(stream text, seconds float8) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE stream AS x SET ahead = least(greatest(seconds, -1e10), 1e10) * interval '1 s' WHERE x.name = compared.stream;
END $$;

-- The first number of a connection that was asked for what comes behind cursor. A server that has no older frames
-- should say so, OutdatedCursor; some relays do not, but after a long time their first number is not the next. Sooner,
-- too, there is a gap where it skips more than most_skipped, or more than the rate of the stream explains. Without
-- a cursor nothing tells what came since start(), or since the connection before. A server whose first number is not
-- above the cursor has begun again, or ignores the cursor: this is noted until a number reaches the cursor.
CREATE OR REPLACE FUNCTION connected(stream text, cursor bigint, first bigint) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  t record;
BEGIN
  SELECT * INTO s FROM settings;
  SELECT max(later(x.heard, -greatest(x.lag, '0'))) AS heard, coalesce(sum(x.frame_rate), 0) AS rate INTO t
  FROM taker AS x WHERE x.stream = connected.stream;
  UPDATE stream AS x SET behind = CASE WHEN first <= cursor AND cursor > 0 THEN first END WHERE x.name = connected.stream;
  UPDATE stream AS x SET look = now(), looked = NULL
  WHERE x.name = connected.stream AND x.kind = 'repos'
    AND (cursor = 0
         OR first > cursor + 1 AND t.heard < now() - s.missed_after
         OR first > cursor + 1 + least(s.most_skipped, 100 + 10 * t.rate * greatest(extract(epoch FROM now() - t.heard), 0)));
END $$;

-- A frame that is too large to be read: only its digest is kept. Its beginning may name an account.
CREATE OR REPLACE FUNCTION too_large(stream text, digest bytea, bytes bigint, account text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(CASE WHEN octet_length(account) <= 512 THEN account END);
BEGIN
  PERFORM add_bad(too_large.stream, ARRAY[digest], ARRAY[me], '{oversized}',
    ARRAY[format('The frame must not be longer than 5 MB; it has %s bytes.', bytes)], '{NULL}');
  PERFORM add_notices(ARRAY[a.did], '{refused}') FROM account AS a
  WHERE a.did = me AND (SELECT x.kind FROM stream AS x WHERE x.name = too_large.stream) = 'repos';
  UPDATE taker AS t SET refused = t.refused + 1 WHERE t.stream = too_large.stream AND t.lo = 0;
END $$;

-- Locks those of the accounts that are not being loaded.
CREATE OR REPLACE FUNCTION hold(dids atid.did[]) RETURNS SETOF account LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT * FROM account WHERE did = ANY (dids) AND state <> 'loading' ORDER BY did FOR UPDATE;
END $$;

-- What is true. Each frame goes into batch, with what it says and what is wrong with it; but for those that were taken
-- before, whose number is not above the cursor. The frames that have waited for the accounts in waited come first.
-- A sound commit that is new to its account is taken whatever its number is: it shows that the number is wrong.
-- (OFFSET 0: what a step computes is computed once.)
CREATE OR REPLACE FUNCTION judge(stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  of_labels CONSTANT bool := (SELECT x.kind = 'labels' FROM stream AS x WHERE x.name = judge.stream);
  home CONSTANT text[] := (SELECT x.pds FROM stream AS x WHERE x.name = judge.stream);
  all_wanted CONSTANT bool := everybody();
  far CONSTANT bigint := (SELECT far_ahead FROM settings);
  cursors CONSTANT bigint[] := ARRAY(SELECT t.cursor FROM taker AS t WHERE t.stream = judge.stream
                                     AND t.lo >= from_slot AND t.hi <= to_slot ORDER BY t.lo);
  one_ahead CONSTANT bigint := (SELECT max(t.ahead) FROM taker AS t WHERE t.stream = judge.stream
                                AND t.lo >= from_slot AND t.hi <= to_slot);
  all_slots CONSTANT bool := from_slot = 0 AND to_slot = 255;
  one_cursor CONSTANT bigint := CASE WHEN all_slots AND cardinality(cursors) = 1 THEN cursors[1] END;
BEGIN
  WITH late AS (
    SELECT w.seq, w.frame FROM take_waiting(judge.stream, waited) AS w
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
    PERFORM complete(frames);
  END IF;

  WITH placed AS (
    SELECT s.*, coalesce(one_cursor, t.cursor) AS last, one_cursor IS NOT NULL OR t.cursor IS NOT NULL AS ours,
           coalesce(s.frame, judge.frames[s.n]) AS whole
    FROM said AS s LEFT JOIN LATERAL (
      SELECT t.cursor FROM taker AS t
      WHERE one_cursor IS NULL AND t.stream = judge.stream AND t.lo >= from_slot AND t.hi <= to_slot
        AND coalesce(slot(s.did), 0) BETWEEN t.lo AND t.hi) AS t ON true
    OFFSET 0
  ), concerned AS (
    SELECT p.*, p.n > 0 AND p.seq <= p.last AS below, k.key, k.did IS NOT NULL AS met, coalesce(k.here, false) AS here, coalesce(k.moved, false) AS moved,
           CASE WHEN p.op IS DISTINCT FROM 1 THEN NULL
                WHEN p.t = '#info' OR p.t = '#labels' AND of_labels THEN p.t
                WHEN p.t IN ('#commit', '#sync', '#account', '#identity') AND NOT of_labels AND k.moved IS NOT TRUE
                     AND (all_wanted OR k.here) THEN p.t END AS kind
    FROM placed AS p LEFT JOIN known AS k ON k.did = p.did
    WHERE p.n < 0 OR p.seq IS NULL OR p.last IS NULL OR p.seq > p.last
       OR CASE WHEN p.t IN ('#commit', '#sync') AND NOT of_labels THEN is_newer(p.whole, k.rev) END
    OFFSET 0
  ), checked AS (
    SELECT c.*, c.kind NOT IN ('#info', '#labels') AS about,
           CASE WHEN c.kind IS NOT NULL OR c.t IN ('#commit', '#sync') IS NOT TRUE  -- of others nobody wants to know
                THEN atid.event_problem(c.whole, now() + most_ahead()) END AS problem,
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
              WHEN NOT j.ours THEN 'wrong_taker'
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
CREATE OR REPLACE FUNCTION is_newer(frame bytea, rev atid.tid) RETURNS bool LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  claimed CONSTANT text := CASE WHEN rev IS NOT NULL
    THEN (SELECT atid.dag_cbor_get_text(h.body, '{rev}') FROM atid.frame_parts(frame) AS h) END;
BEGIN
  RETURN CASE WHEN atid.tid_is_valid(claimed) THEN claimed::atid.tid > rev END;
END $$;

-- Commits without "prevData", as small PDSes send them, get that of the account as it is here, or of its commit before
-- in this batch; and operations without "prev" that of the record. Nobody has signed these, so judge() verifies the
-- commit as strictly as any other. One that does not go on from what is here stays as it is, and is bad. Who has sent
-- such commits is counted.
CREATE OR REPLACE FUNCTION complete(frames bytea[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  most CONSTANT int := (SELECT x.most_hosts FROM settings AS x);
  f record;
  e record;
  whose atid.did;
  rev atid.tid;
  root atid.cid_link;
  written jsonb;                                     -- the CIDs of records by their paths, in this batch
BEGIN
  INSERT INTO unproven (host, n)
  SELECT k.host, count(*) FROM said AS s JOIN known AS k ON k.did = s.did
  WHERE s.bare AND s.n > 0 AND k.here AND k.host IS NOT NULL
    AND (SELECT count(*) FROM (SELECT 1 FROM unproven AS u LIMIT 2 * most) AS q) < 2 * most
  GROUP BY k.host;
  FOR f IN SELECT s.n, s.did, s.bare, k.rev, k.data, coalesce(s.frame, frames[s.n]) AS frame
           FROM (SELECT c.*, bool_or(c.bare) OVER (PARTITION BY c.did) AS one_is
                 FROM said AS c WHERE c.t = '#commit') AS s
                JOIN known AS k ON k.did = s.did
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
      UPDATE said AS s SET frame = with_prev(f.frame, f.did, root, written) WHERE s.n = f.n;
    END IF;
    rev := e.rev;
    root := e.data;
    SELECT written || coalesce(jsonb_object_agg(o.collection || '/' || o.rkey::text, o.cid::text), '{}') INTO written
    FROM atid.commit_event_ops(f.frame) AS o;
  END LOOP;
END $$;

-- A commit with the root before it, and the CIDs of its records before it, as far as they are known: where they were
-- written just now, or from the table record. NULL: it cannot be written again.
CREATE OR REPLACE FUNCTION with_prev(frame bytea, account atid.did, root atid.cid_link, written jsonb) RETURNS bytea
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
  FOR op IN SELECT o.value FROM jsonb_array_elements(message->'ops') WITH ORDINALITY AS o (value, n) ORDER BY o.n LOOP
    IF op->>'action' <> 'create' AND op->>'prev' IS NULL THEN
      prev := written->>(op->>'path');
      IF NOT written ? (op->>'path') THEN
        SELECT r.cid INTO prev FROM record AS r
        WHERE r.did = account AND r.uri = ('at://' || account::text || '/' || (op->>'path'))::atid.at_uri;
      END IF;
      op := op || CASE WHEN prev IS NULL THEN '{}'
                       ELSE jsonb_build_object('prev', jsonb_build_object('$link', prev)) END;
    END IF;
    ops := ops || jsonb_build_array(op);
  END LOOP;
  RETURN substr(frame, 1, octet_length(frame) - octet_length(body)) || atid.record_to_dag_cbor(
    message || jsonb_build_object('ops', ops, 'prevData', jsonb_build_object('$link', root)));
EXCEPTION WHEN OTHERS THEN
  IF of_server(SQLSTATE) THEN RAISE; END IF;
  RETURN NULL;
END $$;

-- Sums up who has sent commits without "prevData": of the last 30 days, and no more hosts than most_hosts.
CREATE OR REPLACE FUNCTION sum_unproven() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM unproven AS u WHERE NOT u.summed OR u.at < now() - interval '30 days') THEN
    WITH old AS (
      DELETE FROM unproven RETURNING host, n, at
    )
    INSERT INTO unproven (host, n, at, summed)
    SELECT o.host, sum(o.n), max(o.at), true FROM old AS o WHERE o.at > now() - interval '30 days'
    GROUP BY o.host ORDER BY max(o.at) DESC LIMIT (SELECT s.most_hosts FROM settings AS s);
  END IF;
END $$;

-- What follows. Bad frames are kept; those that are only too early are no more than most_early of an account. New
-- accounts, identities to ask for, signals and gaps are noted for settle() and look_again().
CREATE OR REPLACE FUNCTION announce(stream text, frames bytea[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  of_labels CONSTANT bool := (SELECT x.kind = 'labels' FROM stream AS x WHERE x.name = announce.stream);
  all_wanted CONSTANT bool := everybody();
  signals CONSTANT text[] := ARRAY(SELECT value FROM want WHERE what = 'signal');
  labels jsonb;
  came jsonb[] := '{}';
  known atid.did[];
  r record;
BEGIN
  PERFORM writes();
  PERFORM add_bad(announce.stream, array_agg(sha256(frames[b.n]) ORDER BY b.n),
                  array_agg(b.did ORDER BY b.n), array_agg(b.code ORDER BY b.n),
                  array_agg(b.reason ORDER BY b.n), array_agg(frames[b.n] ORDER BY b.n))
  FROM batch AS b WHERE b.code IS NOT NULL AND b.n > 0 AND NOT bad_is_full()
  HAVING count(*) > 0;

  IF NOT of_labels AND EXISTS (SELECT 1 FROM batch AS b CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#info' THEN frames[b.n] END) AS h
                               WHERE b.t = '#info' AND atid.dag_cbor_get_text(h.body, '{name}') = 'OutdatedCursor') THEN
    UPDATE stream AS x SET look = now(), looked = NULL WHERE x.name = announce.stream;
  END IF;

  PERFORM add_notices(array_agg(n.did), array_agg(n.what))
  FROM (SELECT DISTINCT b.did, w.what
        FROM batch AS b
             CROSS JOIN LATERAL (SELECT CASE
               WHEN b.code IS NULL AND b.t IN ('#commit', '#sync', '#account') AND NOT b.here THEN 'met'
               WHEN b.code IS NULL AND b.t = '#identity' THEN 'identity'
               WHEN b.code IS NULL
                    AND (b.signed IS NULL AND b.t IN ('#commit', '#sync') OR b.moved)
                    OR b.signed IS FALSE AND b.n > 0 THEN 'signature' END
             UNION ALL
             -- a frame that was refused without its signature may have been a commit all the same
             SELECT 'refused'
             WHERE b.t IN ('#commit', '#sync') AND b.here AND b.code <> 'unknown_key'
               AND (b.signed IS NOT TRUE OR b.rev IS NULL)) AS w (what)
        WHERE w.what IS NOT NULL AND b.did IS NOT NULL
          AND (w.what IN ('met', 'refused') OR b.met)) AS n
  HAVING count(*) > 0;
  IF signals <> '{}' AND NOT of_labels AND NOT all_wanted THEN
    PERFORM add_notices(array_agg(n.did), array_fill('signal'::text, ARRAY[count(*)::int]),
                        array_agg(n.collection))
    FROM (SELECT DISTINCT ON (b.did) b.did, o.collection::text AS collection
          FROM batch AS b
               CROSS JOIN atid.commit_event_ops(
                 CASE WHEN b.t IS NULL AND b.code IS NULL AND NOT b.moved
                      THEN coalesce(b.frame, frames[b.n]) END) AS o
          WHERE o.action <> 'delete' AND o.collection = ANY (signals)
            AND octet_length(b.did::text) <= 512) AS n
    HAVING count(*) > 0;
  END IF;

  -- The keys of those in the table labeler are asked for, and of up to 100 others.
  IF of_labels THEN
    FOR r IN
      SELECT b.n, x.labels, x.lost FROM batch AS b
             CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#labels' AND b.code IS NULL THEN coalesce(b.frame, frames[b.n]) END) AS h
             CROSS JOIN labels_of(h.body) AS x
      WHERE b.t = '#labels' AND b.code IS NULL ORDER BY b.n
    LOOP
      came := array_append(came, r.labels);
      IF r.lost IS NOT NULL THEN
        PERFORM add_bad(announce.stream, ARRAY[sha256(frames[r.n])], '{NULL}', '{lost_labels}',
          ARRAY[format('%s of its labels cannot be expressed as jsonb.', r.lost)],
          ARRAY[frames[r.n]]);
      END IF;
    END LOOP;
    SELECT jsonb_agg(l ORDER BY a.n, e.n) INTO labels
    FROM unnest(came) WITH ORDINALITY AS a (x, n) CROSS JOIN jsonb_array_elements(a.x) WITH ORDINALITY AS e (l, n)
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x
                      WHERE x.did IN (atid.at_uri_did(atid.at_uri_from_subject_or_null(l->>'uri')), atid.did_or_null(l->>'src')));
    IF labels IS NOT NULL THEN
      known := ARRAY(SELECT did FROM identity WHERE labeler);
      INSERT INTO identity (did, labeler, web)
      SELECT n.src, true, did_method(n.src) = 'web'
      FROM (SELECT o.src, o.named, row_number() OVER (PARTITION BY o.named ORDER BY o.src) AS place
            FROM (SELECT DISTINCT src, EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = src) AS named
                  FROM jsonb_array_elements(labels) AS l CROSS JOIN atid.did_or_null(l->>'src') AS src
                  WHERE octet_length(src::text) <= 512 AND src <> ALL (known)) AS o) AS n
      WHERE n.named OR n.place <= 100 - (SELECT count(*) FROM unnest(known) AS k
                                         WHERE NOT EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = k))
      ON CONFLICT (did) DO UPDATE SET labeler = true;
      PERFORM labels_take(labels);
      PERFORM labels_taken(announce.stream, jsonb_array_length(labels));
    END IF;
  END IF;
END $$;

-- What it changes. What is being loaded is left alone: its frames wait. The rest is locked.
CREATE OR REPLACE FUNCTION apply(stream text, frames bytea[]) RETURNS void LANGUAGE plpgsql
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
  hurries := later(moment, -s.not_sooner);
  INSERT INTO held SELECT h.did, h.state, h.rev, h.data FROM hold(whose) AS h;
  wanted := patterns();  -- as they are once the locks are had
  loading := ARRAY(SELECT x.did FROM account AS x
                   WHERE x.did = ANY (ARRAY(SELECT d FROM unnest(whose) AS d EXCEPT SELECT h.did FROM held AS h)));
  IF loading <> '{}' THEN
    -- A download that takes long does not keep an account from being closed: only the transaction of its load does, or
    -- an older frame of that kind that waits.
    FOR r IN SELECT DISTINCT b.did FROM batch AS b WHERE b.t = '#account' AND b.code IS NULL AND b.did = ANY (loading)
               AND NOT EXISTS (SELECT 1 FROM waiting AS o CROSS JOIN atid.frame_parts(o.frame) AS h
                               WHERE o.stream = apply.stream AND o.did = b.did AND h.t = '#account') ORDER BY b.did LOOP
      PERFORM FROM account AS x WHERE x.did = r.did FOR UPDATE SKIP LOCKED;
      IF FOUND THEN
        closing := closing || r.did;
      END IF;
    END LOOP;
    PERFORM await(apply.stream, frames, loading, closing);
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
    PERFORM write();
  END IF;

  UPDATE account AS x SET rev = c.rev, data = c.data
  FROM (SELECT f.did, (array_agg(f.rev ORDER BY f.n DESC))[1] AS rev, (array_agg(f.data ORDER BY f.n DESC))[1] AS data
        FROM fit AS f WHERE f.fits GROUP BY f.did) AS c
  WHERE x.did = c.did;
  -- Those of which something is missing, or is not true, are loaded; those of which that is often so, ever later.
  late := ARRAY(SELECT DISTINCT f.did::text FROM fit AS f WHERE NOT f.fits);
  FOR a IN SELECT * FROM account AS x WHERE x.did = ANY (late::atid.did[]) ORDER BY x.did LOOP
    a.gaps := CASE WHEN a.gap_at > later(moment, -interval '1 day') THEN a.gaps ELSE 0 END;
    PERFORM become(a, 'desynchronized',
      CASE WHEN a.gaps < s.most_gaps THEN moment ELSE later(moment, pause(a.gaps, s.pause_first, s.pause_most)) END);
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
          WHERE b.did::text = ANY (late) AND b.signed AND atid.tid_timestamp(b.rev) <= later(moment, most_ahead())
          GROUP BY b.did) AS c
    WHERE x.did = c.did AND x.state IN ('desynchronized', 'inactive');
  END IF;

  FOR r IN SELECT * FROM latest_states(frames, loading, closing) LOOP
    SELECT * INTO a FROM account AS x WHERE x.did = r.did FOR UPDATE;
    IF FOUND THEN
      PERFORM tell(a, r.active, r.status, NULL, NULL);
    END IF;
  END LOOP;
END $$;

-- What the frames of the kind #account leave of each account: its last state. If it is active, and was not in between,
-- its records have been deleted, so that comes first. A reason that is about the server counts where there is no other
-- frame: then tell() only notes when the stream reported on the account.
CREATE OR REPLACE FUNCTION latest_states(frames bytea[], loading atid.did[], closing atid.did[])
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
CREATE OR REPLACE FUNCTION await(
  stream text, frames bytea[], loading atid.did[], closing atid.did[]
) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM add_waiting(await.stream, array_agg(b.seq ORDER BY b.n), array_agg(b.did ORDER BY b.n),
                      array_agg(coalesce(b.frame, frames[b.n]) ORDER BY b.n))
  FROM batch AS b
  WHERE b.did = ANY (loading)
    AND (b.t IN ('#commit', '#sync') AND (b.code IS NULL OR b.signed)
         OR b.t = '#account' AND b.code IS NULL AND b.did <> ALL (closing))
  HAVING count(*) > 0;
END $$;

-- The cursor of a row of a taker behind this batch, whatever is wrong with its frames. No signature covers a number, so
-- one that skips more than most_skipped is held, and moves the cursor only once three frames of other accounts, or ten
-- frames of any (where a PDS has one account or two), have come with numbers above it. A number below it ends that: it
-- was wrong. What is held meanwhile is only the cursor; the frames themselves are taken.
--
-- The numbers have begun again, or the cursor is wrong, where three commits in a row are new to their accounts though
-- their numbers are not above the cursor; or one, if the connection has begun with such a number. Then the cursor goes
-- back to that number.
CREATE OR REPLACE FUNCTION move_cursor(t taker, from_slot int, to_slot int) RETURNS taker LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  f record;
  all_slots CONSTANT bool := from_slot = 0 AND to_slot = 255;
  step CONSTANT bigint := (SELECT x.most_skipped FROM settings AS x);
  most CONSTANT bigint := 9007199254740991;
  late CONSTANT int[] := ARRAY(SELECT b.n FROM batch AS b
                               WHERE b.below AND (all_slots OR slot(b.did) BETWEEN t.lo AND t.hi));
  proofs CONSTANT int := CASE WHEN (SELECT x.behind FROM stream AS x WHERE x.name = t.stream) IS NULL THEN 3 ELSE 1 END;
  last bigint;
  came int;
BEGIN
  SELECT max(s.seq), count(*) INTO last, came FROM said AS s WHERE s.n > 0 AND s.seq BETWEEN 1 AND most
    AND (all_slots OR coalesce(slot(s.did), 0) BETWEEN from_slot AND to_slot);
  IF t.ahead IS NULL AND t.cursor > 0 AND last <= t.cursor + step AND late = '{}' THEN
    t.old_run := CASE WHEN last < t.cursor THEN least(t.old_run + came, 1000000) ELSE 0 END;
    t.back := CASE WHEN last > t.cursor THEN 0 ELSE t.back END;
    t.cursor := greatest(t.cursor, last);
    RETURN t;
  END IF;
  FOR f IN SELECT s.n, s.seq, hashtext(coalesce(s.did::text, '')) AS whose FROM said AS s
           WHERE s.n > 0 AND s.seq BETWEEN 1 AND most
             AND (all_slots OR coalesce(slot(s.did), 0) BETWEEN from_slot AND to_slot) ORDER BY s.n
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

-- The numbers of a stream have begun again: it is followed from this one on. Nobody knows what came before it, so there
-- is a gap.
CREATE OR REPLACE FUNCTION begin_again(stream text, number bigint) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE stream AS x SET look = now(), looked = NULL, behind = NULL, begun = now(), begun_at = number
  WHERE x.name = begin_again.stream;
END $$;

-- One transaction of a taker, or the error of an index, a constraint or a trigger of the operator's. An error of the
-- server or of these functions is raised: then nothing is taken, and no frame is bad.
CREATE OR REPLACE FUNCTION take_batch(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[], seen bigint,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text, OUT problem text
) LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  c record;
  own taker;
  was bigint;
  reaches bool := false;
  behind interval;
  most bigint;
  context text;
BEGIN
  PERFORM scratch();
  DELETE FROM said;
  DELETE FROM known;
  DELETE FROM batch;
  DELETE FROM fit;
  DELETE FROM held;
  DELETE FROM op;
  PERFORM FROM taker AS t WHERE t.stream = take_batch.stream AND t.lo >= from_slot AND t.hi <= to_slot ORDER BY t.lo FOR UPDATE;
  PERFORM judge(take_batch.stream, from_slot, to_slot, frames, waited);
  IF EXISTS (SELECT 1 FROM batch) THEN
    PERFORM apply(take_batch.stream, frames);
    PERFORM announce(take_batch.stream, frames);
  END IF;

  SELECT count(*) FILTER (WHERE b.n > 0) AS taken,
         count(*) FILTER (WHERE b.code <> 'unknown_key' AND b.n > 0) AS refused, max(b.error) AS error,
         -- neither a time of the future nor one of long ago that somebody has made up decides
         percentile_disc(0.5) WITHIN GROUP (ORDER BY b.at) FILTER (WHERE b.n > 0) AS at,
         count(*) FILTER (WHERE b.n > 0 AND (b.at > later(now(), interval '1 min')
                                             OR b.signed AND b.rev > atid.tid_ceil(later(now(), most_ahead())))) AS future,
         count(*) FILTER (WHERE b.moved) AS moved, count(*) FILTER (WHERE b.signed IS NOT TRUE AND b.t IN ('#commit', '#sync')) AS unsigned,
         count(*) FILTER (WHERE b.signed) AS signed,
         (array_agg(b.did ORDER BY b.n DESC) FILTER (WHERE b.signed IS NOT TRUE AND b.t IN ('#commit', '#sync')))[1] AS stranger
  INTO c FROM batch AS b;
  SELECT count(*) FILTER (WHERE f.fits) INTO applied FROM fit AS f;
  taken := c.taken;
  refused := c.refused;
  error := clipped(c.error, 256);
  behind := now() - c.at;
  lag := extract(epoch FROM behind);
  SELECT max(t.cursor) INTO most FROM taker AS t WHERE t.stream = take_batch.stream;
  FOR own IN SELECT * FROM taker AS x
           WHERE x.stream = take_batch.stream AND x.lo >= from_slot AND x.hi <= to_slot ORDER BY x.lo
  LOOP
    was := own.cursor;
    own := move_cursor(own, from_slot, to_slot);
    IF own.cursor < was THEN
      PERFORM begin_again(take_batch.stream, own.cursor);
    ELSIF take_batch.seen >= own.cursor THEN
      own.cursor := greatest(own.cursor, least(take_batch.seen, most));
      own.ahead := CASE WHEN own.ahead > own.cursor THEN own.ahead END;
      own.old_run := 0;
    END IF;
    reaches := reaches OR own.cursor > was OR take_batch.seen >= was
               OR EXISTS (SELECT 1 FROM said AS s WHERE s.n > 0 AND s.seq >= was);
    UPDATE taker AS x
    SET cursor = own.cursor, ahead = own.ahead, ahead_by = own.ahead_by, ahead_frames = own.ahead_frames,
        back = own.back, old_run = own.old_run, unsigned_by = coalesce(c.stranger, x.unsigned_by),
        unsigned_run = CASE WHEN c.signed > 0 THEN 0 ELSE least(x.unsigned_run + c.unsigned, 1000000) END,
        lag = coalesce(behind, x.lag),
        taken = CASE WHEN cardinality(take_batch.frames) > 0 OR take_batch.seen IS NOT NULL
                  THEN clock_timestamp() ELSE x.taken END,
        heard = CASE WHEN cardinality(take_batch.frames) > 0 THEN now() ELSE x.heard END
    WHERE x.stream = own.stream AND x.lo = own.lo;
  END LOOP;
  IF reaches THEN
    UPDATE stream AS x SET behind = NULL WHERE x.name = take_batch.stream AND x.behind IS NOT NULL;
  END IF;
  IF cardinality(frames) > 0 THEN
    UPDATE stream AS x SET error = take_batch.error WHERE x.name = take_batch.stream AND x.error IS DISTINCT FROM take_batch.error;
  END IF;
  PERFORM count_taken(take_batch.stream, from_slot, cardinality(frames), taken, applied, refused, c.moved::int, c.unsigned::int, 0, c.future::int);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
  IF of_server(SQLSTATE) OR of_program(SQLSTATE, context) THEN RAISE; END IF;
  problem := clipped(SQLERRM, 800);
END $$;

-- Counts what was taken, in the first row of a taker. A rate is that of about the last minute.
CREATE OR REPLACE FUNCTION count_taken(
  stream text, slot int, came int, taken int, applied int, refused int, moved int, unsigned int, unwritten int,
  future int DEFAULT 0
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  t taker;
  seconds float8;
  part float8;
BEGIN
  SELECT * INTO t FROM taker AS x WHERE x.stream = count_taken.stream AND x.lo = slot FOR UPDATE;
  seconds := greatest(extract(epoch FROM clock_timestamp() - t.counted), 0.001);
  part := 1 - exp(-seconds / 60);
  UPDATE taker AS x
  SET frames = x.frames + count_taken.taken, commits = x.commits + applied, refused = x.refused + count_taken.refused,
      counted = clock_timestamp(),
      frame_rate = x.frame_rate + (came / seconds - x.frame_rate) * part,
      commit_rate = x.commit_rate + (applied / seconds - x.commit_rate) * part,
      old_rate = x.old_rate + ((came - count_taken.taken) / seconds - x.old_rate) * part,
      moved_rate = x.moved_rate + (moved / seconds - x.moved_rate) * part,
      unsigned_rate = x.unsigned_rate + (unsigned / seconds - x.unsigned_rate) * part,
      unwritten_rate = x.unwritten_rate + (unwritten / seconds - x.unwritten_rate) * part,
      future_rate = x.future_rate + (future / seconds - x.future_rate) * part,
      unwritten_run = CASE WHEN applied > 0 THEN 0 ELSE least(x.unwritten_run + unwritten, 1000000) END
  WHERE x.stream = count_taken.stream AND x.lo = slot;
END $$;

-- Frames for a taker, with those that have waited for its accounts. If an index or a trigger of yours raises an error,
-- each half of the accounts that have waited and each half of the frames is taken for itself, and so on, until the
-- frame is found. It is kept aside. seen: how far all is there; 0: the stream is heard, but nothing has come; NULL: it
-- is not heard.
CREATE OR REPLACE FUNCTION take(
  stream text, taker int, takers int, frames bytea[], seen bigint DEFAULT NULL,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text
) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  from_slot CONSTANT int := (256 * taker + takers - 1) / takers;
  to_slot CONSTANT int := (256 * (taker + 1) + takers - 1) / takers - 1;
  waited atid.did[] := '{}';
  those text[];                                      -- DIDs, as in apply()
  here text[];
  gone text[];
BEGIN
  those := ARRAY(SELECT DISTINCT x.did::text FROM waiting AS x
                 WHERE x.stream = take.stream AND x.slot BETWEEN from_slot AND to_slot);
  IF those <> '{}' THEN
    here := ARRAY(SELECT a.did::text FROM account AS a WHERE a.did = ANY (those::atid.did[]));
    gone := ARRAY(SELECT t FROM unnest(those) AS t EXCEPT SELECT h FROM unnest(here) AS h);
    IF gone <> '{}' THEN
      PERFORM take_waiting(take.stream, gone::atid.did[]);
    END IF;
    SELECT coalesce(array_agg(a.did), '{}') INTO waited FROM account AS a WHERE a.did = ANY (here::atid.did[]) AND a.state <> 'loading';
    PERFORM reload_missed(take.stream, waited);
  END IF;
  SELECT * INTO taken, applied, refused, lag, error FROM take_parts(take.stream, from_slot, to_slot, frames, waited, seen);
END $$;

-- The cursor passes a frame that was kept aside, unless its number skips more than most_skipped: then later
-- frames decide.
CREATE OR REPLACE FUNCTION pass_refused(stream text, from_slot int, to_slot int, frame bytea) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r record;
BEGIN
  SELECT CASE WHEN atid.dag_cbor_typeof(h.body, '{seq}') = 'number'
           THEN atid.dag_cbor_get_text(h.body, '{seq}')::bigint END AS number,
         coalesce(slot(atid.did_or_null(atid.dag_cbor_get_text(h.body,
           CASE h.t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[]))), 0) AS slot
  INTO r FROM atid.frame_parts(pass_refused.frame) AS h;
  UPDATE taker AS t SET cursor = r.number
  WHERE t.stream = pass_refused.stream AND t.lo >= from_slot AND t.hi <= to_slot AND r.slot BETWEEN t.lo AND t.hi
    AND t.ahead IS NULL AND r.number > t.cursor
    AND (t.cursor = 0 OR r.number <= t.cursor + (SELECT x.most_skipped FROM settings AS x));
END $$;

CREATE OR REPLACE FUNCTION take_parts(
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
  FROM take_batch(take_parts.stream, from_slot, to_slot, frames, waited, seen);
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
      SELECT * INTO r FROM take_parts(take_parts.stream, from_slot, to_slot, p.column1, p.column2, NULL);
      taken := taken + r.taken;
      applied := applied + r.applied;
      refused := refused + r.refused;
      lag := coalesce(r.lag, lag);
      error := coalesce(r.error, error);
    END LOOP;
  ELSIF waited <> '{}' THEN
    PERFORM take_waiting(take_parts.stream, waited);
    PERFORM load_again(waited[1]);
  ELSE
    -- its account is loaded only if it has signed the frame
    SELECT i.did INTO one FROM atid.commit_event(frames[1]) AS c JOIN identity AS i ON i.did = c.did
    WHERE atid.event_is_signed_by(frames[1], i.key) AND (SELECT x.kind FROM stream AS x WHERE x.name = take_parts.stream) = 'repos';
    IF one IS NOT NULL THEN
      PERFORM load_again(one);
    END IF;
    PERFORM writes();
    PERFORM add_bad(take_parts.stream, ARRAY[sha256(frames[1])],
      ARRAY[atid.did_or_null(atid.dag_cbor_get_text(h.body,
        CASE h.t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[]))],
      '{unwritten}', ARRAY[why], frames)
    FROM atid.frame_parts(frames[1]) AS h;
    PERFORM pass_refused(take_parts.stream, from_slot, to_slot, frames[1]);
    PERFORM count_taken(take_parts.stream, from_slot, 1, 1, 0, 1, 0, 0, 1);
    taken := 1;
    refused := 1;
  END IF;
END $$;

-- An account that was synchronized is loaded again.
CREATE OR REPLACE FUNCTION load_again(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account WHERE did = one AND state = 'synchronized' FOR UPDATE;
  IF FOUND THEN
    PERFORM become(a, 'desynchronized', now());
  END IF;
END $$;

-- Accounts of which there was no room for frames while they were loaded are loaded again, and asked about.
CREATE OR REPLACE FUNCTION reload_missed(stream text, dids atid.did[]) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  FOR one IN SELECT * FROM take_missed(reload_missed.stream, dids) LOOP
    PERFORM load_again(one);
    UPDATE account SET check_at = least(check_at, now()) WHERE did = one AND state = 'desynchronized';
  END LOOP;
END $$;
