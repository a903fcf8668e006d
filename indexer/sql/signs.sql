-- Signs of life. Whatever the program does, it reports when it last had a turn and since when it
-- has failed; and the database observes what it can see: the cursor, readers, labels.
-- What is late is a problem of the stream, in "status", /healthz and /metrics, however quiet the
-- server is.
--
-- A row of activity is written every ten seconds, whether or not there is work. The bounds stand in
-- activities(); a row of activity_bound replaces one of them.

-- turn: the longest time without a turn. success: the longest time that it may fail; failures of
-- strangers count only where so many different ones (few) have failed, and none has succeeded.
-- kind: of which streams; NULL: of all.
CREATE OR REPLACE FUNCTION activities() RETURNS TABLE (
  place int, name text, kind text, turn interval, success interval, few int, remedy text
) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES
  (1, 'program', NULL, interval '2 min', NULL::interval, 1,
   'start "atid-indexer run"; if it runs, its log reports what it is waiting for'),
  (2, 'shard', NULL, interval '2 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (4, 'cursor', NULL, interval '5 min', interval '15 min', 3,
   'look at the newest rows of the table bad: after a restart the same frames come again'),
  (5, 'loads of known accounts', 'repos', interval '10 min', interval '1 h', 5,
   'see the accounts in trouble and the log: the network, ATID_PLC_URL or a trigger may be the cause'),
  (6, 'loads of new accounts', 'repos', interval '10 min', interval '1 h', 5,
   'see the accounts in trouble and the log: the network, ATID_PLC_URL or a trigger may be the cause'),
  (7, 'identities of plc', NULL, interval '10 min', interval '30 min', 5,
   'see whether ATID_PLC_URL is right and answers'),
  (8, 'identities of web', NULL, interval '10 min', interval '1 h', 5,
   'see whether this machine resolves names and reaches the network'),
  (9, 'lists', 'repos', interval '15 min', interval '1 h', 1,
   'see the log for the error, and whether ATID_SERVICE_URL answers com.atproto.sync.listRepos'),
  (10, 'statuses', 'repos', interval '10 min', interval '1 h', 5,
   'see the log for the error, and whether ATID_SERVICE_URL answers com.atproto.sync.getRepoStatus'),
  (11, 'signals', 'repos', interval '10 min', interval '1 h', 5,
   'name the accounts that have a signal, or set another ATID_SERVICE_URL, one that answers describeRepo'),
  (12, 'wants', 'repos', interval '10 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (13, 'gaps', 'repos', interval '10 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (14, 'housekeeping', NULL, interval '10 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (15, 'labels', 'labels', NULL, interval '15 min', 3,
   'look at labels_refused and label_keys: the directory may lack the key of the labeler'),
  (16, 'api', 'repos', NULL, interval '10 min', 1,
   'restart "atid-indexer api"'),
  (17, 'reader', 'repos', NULL, interval '26 h', 1,
   'start the application that reads; if nobody uses the reader, delete it from indexer.reader')
$$;

-- The entry of activities() that an activity is of. Of shards and readers each has its own name behind
-- that of the entry.
CREATE OR REPLACE FUNCTION activity_class(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN split_part(name, ' ', 1) IN ('shard', 'reader', 'api') THEN split_part(name, ' ', 1)
            ELSE name END;

CREATE OR REPLACE FUNCTION activity_in_words(span interval) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN span < interval '2 min' THEN floor(extract(epoch FROM span)) || ' s'
            WHEN span < interval '2 h' THEN floor(extract(epoch FROM span) / 60) || ' min'
            ELSE floor(extract(epoch FROM span) / 3600) || ' h' END;

-- Each activity of the streams that are followed. While the program gives no sign, the other
-- signs are old and only that is a problem.
CREATE OR REPLACE VIEW status_activity AS
SELECT y.stream, y.name AS activity, y.at, y.idle, y.turn, y.failing, y.success, y.problem,
       CASE WHEN y.problem IS NOT NULL THEN y.remedy END AS remedy, y.place
FROM (SELECT x.*, CASE
        WHEN x.name = 'program' AND x.idle > x.turn
        THEN 'the program has given no sign of life for ' || activity_in_words(x.idle)
        WHEN x.program_idle > x.program_turn THEN NULL
        WHEN x.idle > x.turn THEN x.name || ': no sign of life for ' || activity_in_words(x.idle)
        WHEN x.failing < now() - x.success AND coalesce(x.failed >= x.few, true)
        THEN x.name || ': failing for ' || activity_in_words(now() - x.failing)
             || coalesce(': ' || nullif(x.problem_noted, ''), '')
        END AS problem
      FROM (SELECT s.name AS stream, a.name, a.failing, a.failed, a.problem AS problem_noted,
                   c.few, c.remedy, c.place, greatest(a.at, s.started) AS at,
                   clock_timestamp() - greatest(a.at, s.started) AS idle,
                   coalesce(b.turn, c.turn) AS turn, coalesce(b.success, c.success) AS success,
                   clock_timestamp() - greatest(p.at, s.started) AS program_idle,
                   coalesce(pb.turn, pc.turn) AS program_turn
            FROM stream AS s
                 LEFT JOIN activity AS p ON p.stream = s.name AND p.name = 'program'
                 JOIN activities() AS pc ON pc.name = 'program'
                 LEFT JOIN activity_bound AS pb ON pb.name = 'program'
                 CROSS JOIN LATERAL (SELECT o.name, o.at, o.failing, o.failed, o.problem
                                     FROM activity AS o
                                     WHERE o.stream = s.name AND o.name <> 'program'
                                     UNION ALL
                                     SELECT 'program', p.at, NULL, NULL, NULL) AS a
                 JOIN activities() AS c
                 ON c.name = activity_class(a.name) AND coalesce(c.kind = s.kind, true)
                 LEFT JOIN activity_bound AS b ON b.name = c.name
            WHERE s.kind = 'labels'
                  OR s.started = (SELECT max(o.started) FROM stream AS o WHERE o.kind = 'repos')
           ) AS x) AS y;

-- Is something due, and since longer than that? Of accounts the ones that wait for their hosts are
-- not due.
CREATE OR REPLACE FUNCTION is_due(activity text, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE of_web CONSTANT bool := activity = 'identities of web';
BEGIN
  IF activity IN ('loads of known accounts', 'loads of new accounts') THEN
    RETURN is_load_due(activity = 'loads of known accounts', since);
  ELSIF activity IN ('identities of plc', 'identities of web') THEN
    RETURN is_identity_due('known', of_web, since) OR is_identity_due('new', of_web, since)
           OR is_identity_due('again', of_web, since);
  ELSIF activity = 'statuses' THEN
    RETURN EXISTS (SELECT 1 FROM account AS a
                   WHERE a.check_at < 'infinity' AND a.check_at <= since);
  ELSIF activity = 'signals' THEN
    RETURN EXISTS (SELECT 1 FROM candidate AS c WHERE c.ask <= since);
  ELSIF activity = 'lists' THEN
    RETURN EXISTS (SELECT 1 FROM want AS w
                   WHERE w.listed IS NOT NULL AND (w.what = 'signal' OR w.value = '*')
                   AND w.what <> 'collection' AND greatest(w.began, w.again, '-infinity') <= since
                   AND NOT (w.refused AND are_candidates_full()));
  ELSIF activity = 'wants' THEN
    RETURN coalesce(oldest_notice() <= since, false);
  END IF;
  RETURN false;
END $$;

-- Parameters, so that the indexes on these expressions are used.
CREATE OR REPLACE FUNCTION is_load_due(known bool, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY[load_kind(known, false), load_kind(known, true)] LOOP
    IF EXISTS (
      SELECT 1
      FROM (SELECT a.did FROM account AS a
            WHERE a.state = 'desynchronized' AND CASE WHEN a.failures > 0 THEN CASE
                    WHEN a.loaded THEN 'back' ELSE 'again' END WHEN a.loaded THEN 'known' ELSE 'new' END = kind
              AND a.load_at <= since
            ORDER BY a.load_at DESC LIMIT 1000) AS d
           JOIN identity AS i ON i.did = d.did
           LEFT JOIN host AS h ON h.name = i.host AND is_blocked(h)
      WHERE h.name IS NULL)
    THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $$;
CREATE OR REPLACE FUNCTION is_identity_due(kind text, of_web bool, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM identity AS i
    WHERE CASE WHEN i.answered IS NOT NULL THEN 'known'
               WHEN i.asked = 0 THEN 'new' ELSE 'again' END = kind
      AND i.web = of_web AND i.ask < 'infinity' AND i.ask <= since);
END $$;

-- Of accounts that have failed a moment ago, the ones for which that is new: whoever has failed for
-- days is no sign that everything fails.
CREATE OR REPLACE FUNCTION newly_failed(activity text, dids text[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE those CONSTANT atid.did[] := ARRAY(SELECT atid.did_or_null(d) FROM unnest(dids) AS d);
BEGIN
  IF activity IN ('loads of known accounts', 'loads of new accounts') THEN
    RETURN QUERY SELECT a.did::text FROM account AS a WHERE a.did = ANY (those) AND a.failures <= 3;
  ELSIF activity IN ('identities of plc', 'identities of web') THEN
    RETURN QUERY SELECT i.did::text FROM identity AS i WHERE i.did = ANY (those) AND i.asked <= 3
                 AND (activity <> 'identities of web' OR i.answered IS NOT NULL);
  ELSE
    RETURN QUERY SELECT unnest(dids);
  END IF;
END $$;

-- What the program reports: of each activity its name, and in seconds how long ago it had its last
-- turn (turn) and a success (good), and began a piece of work (begun); for how long it has failed
-- (failing), of how many (failed) and why (problem); and for how long something else has held it up
-- (held), and what (cause). That matters only if something is due. Returns the seconds until the
-- next report.
CREATE OR REPLACE FUNCTION report_activity(stream text, signs jsonb, OUT again float8)
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE moment CONSTANT timestamptz := clock_timestamp();
BEGIN
  DELETE FROM activity AS a WHERE a.stream = report_activity.stream AND a.mark IS NULL
    AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(signs) AS e WHERE e->>'name' = a.name);
  INSERT INTO activity AS a (stream, name, at, good, failing, failed, problem)
  SELECT report_activity.stream, s.name, add_interval(moment, -s.turn * interval '1 s'),
         add_interval(moment, -s.good * interval '1 s'), add_interval(moment, -f.seconds * interval '1 s'),
         CASE f.what WHEN 'failing' THEN s.failed END,
         CASE f.what WHEN 'failing' THEN clip_text(s.problem, 800)
                     WHEN 'held' THEN clip_text(s.cause, 800)
                     WHEN 'idle' THEN 'what is due is not begun' END
  FROM jsonb_to_recordset(signs) AS s (name text, turn float8, good float8, begun float8,
                                       failing float8, failed int, problem text, held float8,
                                       cause text)
       LEFT JOIN activities() AS c ON c.name = activity_class(s.name)
       LEFT JOIN activity_bound AS b ON b.name = c.name
       CROSS JOIN LATERAL (SELECT extract(epoch FROM coalesce(b.success, c.success))::float8
                           AS bound) AS n
       -- what is too late comes first
       CROSS JOIN LATERAL (
         SELECT (array_agg(v.what ORDER BY v.is_late DESC, v.seconds DESC))[1] AS what,
                (array_agg(v.seconds ORDER BY v.is_late DESC, v.seconds DESC))[1] AS seconds
         FROM (VALUES
           ('failing', s.failing, s.failing > n.bound AND coalesce(s.failed >= c.few, true)),
           ('held', s.held, s.held > n.bound),
           ('idle', CASE WHEN s.begun > n.bound THEN n.bound + 0.001 END, true)
         ) AS v (what, seconds, is_late)
         WHERE v.seconds IS NOT NULL
           AND CASE v.what WHEN 'held' THEN is_due(s.name, moment)
                           WHEN 'idle' THEN is_due(s.name, add_interval(moment, -n.bound * interval '1 s'))
                           ELSE true END) AS f
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at, good = coalesce(excluded.good, a.good), failing = excluded.failing,
      failed = excluded.failed, problem = excluded.problem;
  again := greatest(0.1, least(10, (SELECT extract(epoch FROM min(least(b.turn, b.success))) / 10
                                    FROM activity_bound AS b)));
END $$;

-- What the database observes.
CREATE OR REPLACE FUNCTION observe_activity(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM observe_cursor(observe_activity.stream);
  IF (SELECT s.kind FROM stream AS s WHERE s.name = observe_activity.stream) = 'labels' THEN
    PERFORM observe_labels(observe_activity.stream);
  ELSE
    PERFORM observe_readers(observe_activity.stream);
  END IF;
END $$;

-- Frames are refused while the cursor stands. mark: the cursor, and how many had been refused when
-- it got there.
CREATE OR REPLACE FUNCTION observe_cursor(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  at bigint;
  refused bigint;
BEGIN
  SELECT min(t.cursor), sum(t.refused) INTO at, refused
  FROM shard AS t WHERE t.stream = observe_cursor.stream;
  PERFORM observe(observe_cursor.stream, 'cursor', ARRAY[at, refused], 1,
                  'frames are refused, and the cursor stands');
END $$;

-- A reader has changes to read, but stays where it is. mark: how far it is.
CREATE OR REPLACE FUNCTION observe_readers(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  newest change;
  r reader;
  names text[] := '{}';
BEGIN
  SELECT * INTO newest FROM change AS c ORDER BY c.tx DESC, c.n DESC LIMIT 1;
  FOR r IN SELECT * FROM reader AS x ORDER BY x.name LIMIT 1000 LOOP
    r.name := CASE WHEN r.api THEN '' ELSE 'reader ' END || clip_text(r.name, 200);
    CONTINUE WHEN r.name = ANY (names);
    names := names || r.name;
    PERFORM observe(observe_readers.stream, r.name,
      CASE WHEN ((newest.tx, newest.n) > (r.tx, r.n) AND newest.n > r.since) IS TRUE
        THEN ARRAY[r.tx::text::bigint, r.n, 1] ELSE ARRAY[r.tx::text::bigint, r.n, 0] END, 2,
      'changes wait, and it does not read them');
  END LOOP;
  DELETE FROM activity AS a
  WHERE a.stream = observe_readers.stream AND activity_class(a.name) IN ('reader', 'api')
    AND a.name <> ALL (names);
END $$;

-- One observation: mark is a place, of so many numbers, and then a count. While the place stays and
-- the count is above that of the time when it was reached, it fails.
CREATE OR REPLACE FUNCTION observe(
  stream text, name text, mark bigint[], place int, problem text
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  a activity;
  failed bigint;
BEGIN
  SELECT * INTO a FROM activity AS x WHERE x.stream = observe.stream AND x.name = observe.name;
  IF a.mark[:place] IS DISTINCT FROM mark[:place] THEN
    a.mark := mark[:place] || CASE WHEN place = 1 THEN mark[place + 1] ELSE 0 END;
    a.failing := NULL;
  END IF;
  failed := mark[place + 1] - a.mark[place + 1];
  a.failing := CASE WHEN failed > 0 THEN coalesce(a.failing, moment) END;
  INSERT INTO activity AS x (stream, name, at, good, failing, failed, problem, mark)
  VALUES (observe.stream, observe.name, moment, moment, a.failing, least(failed, 1000000),
          CASE WHEN a.failing IS NOT NULL THEN observe.problem END, a.mark)
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at,
      good = CASE WHEN excluded.failing IS NULL THEN excluded.good ELSE x.good END,
      failing = excluded.failing, failed = excluded.failed, problem = excluded.problem,
      mark = excluded.mark;
END $$;

-- Labels of a frame of the stream, of which some may have been refused in this transaction. mark:
-- nothing; a row that has one is not written by report_activity().
CREATE OR REPLACE FUNCTION note_labels(stream text, labels int) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  bad CONSTANT int := (SELECT count(*) FROM labels_refused AS l WHERE l.received = now());
BEGIN
  INSERT INTO activity AS a (stream, name, at, good, failing, failed, problem, mark)
  SELECT note_labels.stream, 'labels', moment, CASE WHEN v.verified THEN moment END,
         CASE WHEN NOT v.verified THEN moment END, CASE WHEN NOT v.verified THEN bad END,
         CASE WHEN NOT v.verified THEN 'no label is signed by a key of its source' END, '{}'
  FROM (SELECT bad < labels AS verified) AS v
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at, good = coalesce(excluded.good, a.good), problem = excluded.problem,
      failing = CASE WHEN excluded.failing IS NOT NULL
                  THEN coalesce(a.failing, excluded.failing) END,
      failed = CASE WHEN excluded.failing IS NOT NULL
                 THEN least(coalesce(a.failed, 0) + excluded.failed, 1000000) END
  WHERE excluded.failing IS NOT NULL OR a.failing IS NOT NULL
        OR a.at < add_interval(moment, -interval '10 s');
END $$;

-- Labels that came before the key of their source were verified since.
CREATE OR REPLACE FUNCTION observe_labels(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE activity AS a SET failing = NULL, failed = NULL, problem = NULL, good = clock_timestamp()
  WHERE a.stream = observe_labels.stream AND a.name = 'labels' AND a.failing IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM labels_refused AS l
                    WHERE l.received >= add_interval(a.failing, -interval '1 min'));
END $$;
