-- What to watch. No view or function here reads a table of accounts, records or frames whole: accounts are counted
-- where they change, and of queues no more than 10,000 rows are counted.

-- Accounts by state, and loads.
CREATE OR REPLACE VIEW counted AS
SELECT s.what, coalesce(t.n, 0)::bigint AS n
FROM unnest('{unidentified,desynchronized,loading,synchronized,inactive,barred,loads}'::text[]) WITH ORDINALITY AS s (what, place)
     LEFT JOIN (SELECT what, sum(n) AS n FROM tally GROUP BY what) AS t ON t.what = s.what
ORDER BY s.place;

CREATE OR REPLACE VIEW status_accounts AS
SELECT what AS state, n FROM counted WHERE what <> 'loads';

-- Is this account, whose frames were not signed by its key, still without them? Is there one that an error of an index,
-- a constraint or a trigger keeps from being loaded?
CREATE OR REPLACE FUNCTION lacks_frames(one atid.did) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN has_early(one)
         OR NOT EXISTS (SELECT 1 FROM account AS a WHERE a.did = one AND a.state = 'synchronized');
END $$;
CREATE OR REPLACE FUNCTION is_refused() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM account AS a
                 WHERE a.state = 'desynchronized' AND a.failures > 0 AND a.problem = 'not_written');
END $$;

-- The streams; the takers of each together, but each is judged alone. The rates of one that has fewer than three frames
-- a minute mean nothing: of it the last frames count. problem: why it does not make sense, or NULL. begun: when its
-- numbers were last found to have begun again, and from which number on it was followed.
CREATE OR REPLACE VIEW status_stream AS
SELECT x.*, CASE
    WHEN error IS NOT NULL
    THEN 'the server says ' || error || coalesce(': ' || (SELECT c.remedy FROM code AS c WHERE c.code = error AND c.class = 'service'), '')
    WHEN s.behind IS NOT NULL
    THEN format('the first number of the server, %s, is not above the cursor, %s: its numbers have begun again, or it sends again what it has sent before; ',
                s.behind, x.cursor)
         || CASE x.kind WHEN 'labels' THEN '' ELSE 'the next new commit shows which, and is followed; ' END
         || 'if this does not end, stop the program and set indexer.taker.cursor to 0'
    WHEN idle > interval '2 minutes' OR idle IS NULL THEN 'the stream was not heard for two minutes: is the program running, and does the server answer?'
    WHEN abs(extract(epoch FROM s.ahead)) > 60
    THEN format('the database server''s clock is %s %s the program''s: set the wrong one right', roughly(s.ahead),
                CASE WHEN s.ahead < '0' THEN 'behind' ELSE 'ahead of' END)
    WHEN frame_rate >= 0.05 AND f.future_rate > 0.5 * frame_rate
    THEN 'most frames are of a time that has not come: is the database server''s clock behind?'
    -- a PDS of one's own may have a frame an hour; but where something was loaded, its last account may have ended
    WHEN frame_rate >= 0.05 AND moved_rate > 0.9 * frame_rate
         OR s.pds IS NOT NULL AND NOT known
            AND (SELECT coalesce(bool_or(t.n > 0) FILTER (WHERE t.state = 'barred'), false)
                        AND coalesce(bool_and(t.n = 0) FILTER (WHERE t.state NOT IN ('barred', 'unidentified')), true)
                 FROM status_accounts AS t)
    THEN 'all accounts are on other servers: is ATID_SERVICE_URL known by another name? See ATID_SERVICE_ALIASES'
    WHEN y.old THEN 'all frames have numbers that were taken before: has the server begun again with smaller ones?'
    WHEN y.unsigned AND x.kind = 'repos' AND known
    THEN 'no frame is signed by the key of its account: is ATID_PLC_URL the right one?'
    WHEN y.unwritten THEN 'an index, a constraint or a trigger refuses what is to be written: see the table bad' END AS problem,
       s.ahead, f.future_rate, s.begun, s.begun_at
FROM (SELECT s.name, s.kind, min(t.cursor) AS cursor, sum(t.frames)::bigint AS frames, sum(t.commits)::bigint AS commits,
             sum(t.refused)::bigint AS refused, max(t.lag) AS lag, clock_timestamp() - min(t.taken) AS idle,
             clock_timestamp() - max(t.heard) AS silent, sum(t.frame_rate) AS frame_rate,
             sum(t.commit_rate) AS commit_rate,
             sum(t.old_rate) AS old_rate, sum(t.moved_rate) AS moved_rate, sum(t.unsigned_rate) AS unsigned_rate,
             sum(t.unwritten_rate) AS unwritten_rate, count(*) AS takers, s.look IS NOT NULL AS gap,
             EXISTS (SELECT 1 FROM tally WHERE what = 'loads') AS known
      FROM stream AS s JOIN taker AS t ON t.stream = s.name GROUP BY s.name) AS x
     JOIN stream AS s USING (name)
     CROSS JOIN LATERAL (SELECT sum(t.future_rate) AS future_rate FROM taker AS t WHERE t.stream = x.name) AS f
     CROSS JOIN LATERAL (
       SELECT bool_or(t.old_run >= 3 AND (t.frame_rate < 0.05 OR t.old_rate > 0.9 * t.frame_rate)) AS old,
              bool_or(CASE WHEN t.frame_rate >= 0.05 THEN t.unsigned_rate > 0.9 * t.frame_rate
                           WHEN t.unsigned_run >= 3 THEN lacks_frames(t.unsigned_by) END) AS unsigned,
              bool_or(CASE WHEN t.frame_rate >= 0.05 THEN t.unwritten_rate > 0.5 * t.frame_rate
                           WHEN t.unwritten_run > 0 THEN is_refused() END) AS unwritten
       FROM taker AS t WHERE t.stream = s.name) AS y;

-- NULL, or which list could not be read for an hour, and why.
CREATE OR REPLACE FUNCTION lists_health() RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT format('the list of %s cannot be read since %s: %s; see "atid-indexer status"',
                        CASE p.what WHEN 'signal' THEN 'accounts with ' || p.value ELSE 'all accounts' END,
                        to_char(p.since, 'YYYY-MM-DD HH24:MI'), concat_ws(', ', p.why, nullif(p.detail, '')))
          FROM list_problems AS p WHERE p.since <= later(now(), -interval '1 hour') ORDER BY p.since, p.value LIMIT 1);
END $$;

-- NULL if the stream moves and makes sense, and the lists can be read; else why not.
CREATE OR REPLACE FUNCTION health(stream text) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  x status_stream;
BEGIN
  SELECT * INTO x FROM status_stream AS s WHERE s.name = health.stream;
  IF NOT FOUND THEN RETURN 'the stream was never started'; END IF;
  RETURN (SELECT p.problem
          FROM (SELECT a.problem, a.place FROM status_activity AS a WHERE a.stream = health.stream
                UNION ALL VALUES (x.problem, 3)
                 UNION ALL SELECT lists_health(), 9 WHERE x.kind = 'repos') AS p
          WHERE p.problem IS NOT NULL ORDER BY p.place LIMIT 1);
END $$;

-- How many accounts are due to be loaded, of those that are known or that are not, and how many identities to be asked
-- for, of each kind that ask() has; at most 5,000. (It is a parameter, so that the index on the expression is used. The
-- last come first: what was taken from the front stays in the index as long as somebody holds a snapshot.)
CREATE OR REPLACE FUNCTION due_loads(known bool) RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  kind text;
  n bigint := 0;
BEGIN
  FOREACH kind IN ARRAY ARRAY[load_kind(known, false), load_kind(known, true)] LOOP
    n := n + (SELECT count(*) FROM (SELECT 1 FROM account AS a
                                    WHERE a.state = 'desynchronized' AND CASE WHEN a.failures > 0 THEN CASE
                                      WHEN a.loaded THEN 'back' ELSE 'again' END WHEN a.loaded THEN 'known' ELSE 'new' END = kind
                                    AND a.load_at <= now() ORDER BY a.load_at DESC LIMIT 5000) AS q);
  END LOOP;
  RETURN least(n, 5000);
END $$;
CREATE OR REPLACE FUNCTION due_identities(kind text, of_web bool) RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (SELECT count(*) FROM (SELECT 1 FROM identity AS i
                                WHERE CASE WHEN i.answered IS NOT NULL THEN 'known' WHEN i.asked = 0 THEN 'new' ELSE 'again' END = kind
                                AND i.web = of_web AND i.ask < 'infinity' AND i.ask <= now() ORDER BY i.ask DESC LIMIT 5000) AS q);
END $$;

-- The hosts whose commits come without "prevData", those with the most first, with how many commits there were within
-- 30 days.
CREATE OR REPLACE FUNCTION unproven_hosts(most int) RETURNS TABLE (host text, commits bigint, last timestamptz)
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT u.host, sum(u.n)::bigint, max(u.at) FROM unproven AS u
               GROUP BY u.host ORDER BY 2 DESC, 1 LIMIT most;
END $$;

-- Numbers for a monitoring system.
CREATE OR REPLACE VIEW watch AS
WITH c AS MATERIALIZED (SELECT what, n FROM counted)
SELECT 'stream_' || v.what AS what, s.name AS of, v.value
FROM status_stream AS s CROSS JOIN LATERAL (VALUES
  ('cursor', s.cursor::float8), ('frames', s.frames), ('commits', s.commits), ('refused', s.refused),
  ('frames_per_second', s.frame_rate), ('commits_per_second', s.commit_rate), ('unsigned_per_second', s.unsigned_rate),
  ('moved_per_second', s.moved_rate), ('future_per_second', s.future_rate), ('clock_ahead_seconds', extract(epoch FROM s.ahead)),
  ('lag_seconds', extract(epoch FROM s.lag)), ('idle_seconds', extract(epoch FROM s.idle)),
  ('healthy', (s.problem IS NULL)::int))
  AS v (what, value)
UNION ALL
SELECT 'activity_' || v.what, a.activity || ' of ' || a.stream, v.value
FROM status_activity AS a CROSS JOIN LATERAL (VALUES
  ('idle_seconds', extract(epoch FROM a.idle)::float8),
  ('failing_seconds', coalesce(extract(epoch FROM now() - a.failing)::float8, 0)),
  ('healthy', (a.problem IS NULL)::int)) AS v (what, value)
UNION ALL
SELECT 'accounts', what, n FROM c WHERE what <> 'loads'
UNION ALL
SELECT 'loads', 'all', n FROM c WHERE what = 'loads'
UNION ALL
SELECT 'hosts_failing', 'all', count_blocked_hosts()
UNION ALL
SELECT 'lists_failing', 'all', count(*) FROM list_problems
UNION ALL
SELECT 'commits_without_prev_data', u.host, u.commits FROM unproven_hosts(20) AS u
UNION ALL
SELECT 'bytes', v.what, v.n FROM (VALUES
  ('bad', bytes_of_bad()), ('waiting', bytes_of_waiting()),
  ('labels_refused', size_of_labels_refused()), ('change', pg_total_relation_size('change'))) AS v (what, n)
UNION ALL
SELECT 'waiting', v.what, v.n FROM (VALUES
  ('identities', (SELECT sum(due_identities(k, w)) FROM unnest('{known,new,again}'::text[]) AS k, unnest('{f,t}'::bool[]) AS w)),
  ('loads', due_loads(false) + due_loads(true)),
  ('lists', (SELECT count(*) FROM want WHERE listed IS NOT NULL AND (what = 'signal' OR value = '*') AND what <> 'collection')),
  ('checks', (SELECT count(*) FROM (SELECT 1 FROM account WHERE check_at < 'infinity' AND check_at <= now() LIMIT 10000) AS q)),
  ('candidates', count_candidates()),
  ('notices', count_notices()),
  ('changes', (SELECT count(*) FROM (SELECT 1 FROM change LIMIT 10000) AS q))) AS v (what, n);

-- The accounts in trouble: why, when it is tried again, and what one can do. Those that have had no answer yet, and no
-- failure, are not in trouble.
CREATE OR REPLACE VIEW trouble AS
SELECT t.did, t.handle, t.host, t.state, coalesce(c.words, t.why) AS why, t.detail, t.next,
       coalesce(c.remedy, 'nothing: it is tried again') AS remedy, t.why AS code
FROM (
  SELECT a.did, i.handle, i.host, a.state, CASE WHEN h.name IS NOT NULL THEN h.problem ELSE a.problem END AS why,
         CASE WHEN is_paused(h) THEN 'its host has asked for a pause'
              WHEN h.name IS NOT NULL THEN 'its host has failed ' || h.failures || ' times' ELSE a.detail END AS detail,
         greatest(a.load_at, h.until) AS next
  FROM account AS a JOIN identity AS i ON i.did = a.did
       LEFT JOIN host AS h ON h.name = i.host AND (h.failures > 2 OR is_paused(h))
  WHERE a.state = 'desynchronized' AND a.failures > 0
  UNION ALL
  SELECT a.did, i.handle, i.host, a.state, a.problem, a.detail, a.load_at
  FROM account AS a LEFT JOIN identity AS i ON i.did = a.did
  WHERE a.problem IS NOT NULL AND a.state IN ('inactive', 'barred')
  UNION ALL
  SELECT a.did, i.handle, i.host, a.state, i.problem, i.detail, i.ask
  FROM identity AS i JOIN account AS a ON a.did = i.did
  WHERE i.problem IS NOT NULL AND i.key IS NULL AND a.state = 'unidentified'
  UNION ALL
  SELECT u.did, NULL, NULL, NULL, 'not_changed', u.detail, u.again FROM unsettled AS u WHERE u.failures > 0) AS t
LEFT JOIN code AS c ON c.code = t.why;

-- Some of them, found by indexes however many there are.
CREATE OR REPLACE FUNCTION troubles(most int) RETURNS SETOF trouble LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY SELECT * FROM trouble LIMIT most;
END $$;

-- Why an account is there, or not.
CREATE OR REPLACE FUNCTION explain(account text) RETURNS TABLE (what text, value text) LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  a account;
  i identity;
  h host;
  t trouble;
  all_listed CONSTANT bool := EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = '*' AND w.listed IS NULL);
  because text;
  kept record;
BEGIN
  IF me IS NULL THEN
    RETURN QUERY VALUES ('answer', 'this is no DID');
    RETURN;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = me;
  SELECT * INTO i FROM identity AS x WHERE x.did = me;
  SELECT * INTO h FROM host AS x WHERE x.name = i.host;
  SELECT * INTO t FROM trouble AS x WHERE x.did = me;
  RETURN QUERY
  SELECT 'answer', CASE
    WHEN x.did IS NOT NULL THEN concat('it is excluded since ', x.at::date, ': ' || x.why)
    WHEN a.did IS NULL AND NOT everybody() AND NOT EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = account)
    THEN 'it is not wanted: neither it nor a signal that it has is in the table want'
    WHEN a.did IS NULL AND NOT all_listed AND everybody() THEN 'it is not here yet: the list of all accounts is still being read'
    WHEN a.did IS NULL THEN 'it is not here: the server has not listed it, and it has not written since'
    WHEN a.state = 'synchronized' AND a.doubted IS NOT NULL AND a.check_at < 'infinity'
    THEN 'it is here, but a frame of it was refused: the server will be queried for its revision'
    WHEN a.state = 'synchronized' THEN 'it is here, up to the last commit that the stream had'
    WHEN a.state = 'loading' THEN 'its repository is being loaded'
    WHEN a.state = 'inactive' THEN 'the server says that it is not active: ' || a.status || coalesce('; ' || t.why || ', ' || t.detail, '')
    WHEN a.state = 'barred' AND a.status = 'moved' THEN 'it has moved to another server than the one whose stream is followed'
    WHEN a.state = 'barred' THEN 'its identity has ended: ' || a.status
    WHEN a.state = 'unidentified' THEN 'its key is not known: ' || coalesce(t.why || coalesce(', ' || t.detail, ''), 'it is being asked for')
    ELSE 'it waits to be loaded' || coalesce(': ' || t.why || coalesce(', ' || t.detail, ''), '') END
  FROM (SELECT 1) AS one LEFT JOIN exclusion AS x ON x.did = me;
  SELECT * INTO kept FROM explain_bad(me);
  SELECT w.because INTO because FROM want AS w WHERE w.what = 'account' AND w.value = account;
  RETURN QUERY
  SELECT v.what, v.value
  FROM (VALUES ('state', a.state), ('next attempt', CASE WHEN t.next < 'infinity' THEN t.next::text END), ('what to do', t.remedy),
    ('failures', nullif(a.failures, 0)::text), ('gaps today', CASE WHEN a.gap_at > now() - interval '1 day' THEN a.gaps::text END),
    ('revision', a.rev::text), ('time of it', atid.tid_timestamp(a.rev)::text), ('announced', a.heard::text),
    ('announced without a signature', CASE WHEN (a.unsigned_rev <= a.rev) IS NOT TRUE THEN a.unsigned_rev::text END),
    ('handle', i.handle), ('server', i.pds), ('key', i.key), ('identity answered', i.answered::text), ('identity asked again', i.ask::text),
    ('its server fails until', CASE WHEN h.until > now() THEN h.until::text || ', '
      || coalesce((SELECT c.words FROM code AS c WHERE c.code = h.problem), h.problem) END), ('wanted because of', because),
    ('frames refused', kept.refused), ('server queried', CASE WHEN a.check_at < 'infinity' THEN a.check_at::text END),
    ('frames kept aside', nullif(kept.early, 0)::text),
    ('frames that wait', nullif(count_waiting(me), 0)::text))
    AS v (what, value)
  WHERE v.value IS NOT NULL;
END $$;
