-- Numbers for a monitoring system. /metrics shows each as atid_NAME{of}, and a counter also as
-- atid_NAME_total.

-- The numbers, with their types and meanings.
CREATE OR REPLACE FUNCTION metrics() RETURNS TABLE (what text, type text, help text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT v.what, v.type, v.help
  FROM (VALUES
    ('stream_cursor', 'gauge', 'The number of the last frame that all shards have processed.'),
    ('stream_frames', 'counter', 'Frames taken.'),
    ('stream_commits', 'counter', 'Commits applied.'),
    ('stream_refused', 'counter', 'Bad frames.'),
    ('stream_gaps', 'counter',
     'Commits of live accounts before which others were missed, if all collections are wanted.'),
    ('stream_frames_per_second', 'gauge',
     'Frames processed per second, averaged over some minutes.'),
    ('stream_commits_per_second', 'gauge',
     'Commits applied per second, averaged over some minutes.'),
    ('stream_unsigned_per_second', 'gauge',
     'Frames per second that the key of their account has not signed.'),
    ('stream_moved_per_second', 'gauge', 'Frames per second of accounts on other servers.'),
    ('stream_future_per_second', 'gauge', 'Frames per second with a revision in the future.'),
    ('stream_clock_ahead_seconds', 'gauge',
     'How far the database server''s clock is ahead of the program''s.'),
    ('stream_lag_seconds', 'gauge', 'Age of the last frame when it was processed.'),
    ('stream_idle_seconds', 'gauge',
     'Time since the last transaction of the shard that is furthest behind.'),
    ('stream_healthy', 'gauge', '1 if the stream moves and makes sense, or 0.'),
    ('activity_idle_seconds', 'gauge', 'Time since the last turn of an activity.'),
    ('activity_failing_seconds', 'gauge', 'Time for which an activity has been failing, or 0.'),
    ('activity_healthy', 'gauge', '1 if the activity is within its bounds, or 0.'),
    ('accounts', 'gauge', 'Accounts by state.'),
    ('loads', 'counter', 'Repositories loaded.'),
    ('hosts_failing', 'gauge', 'Hosts that fail, or have asked for a pause.'),
    ('lists_failing', 'gauge', 'Lists of accounts that cannot be read.'),
    ('commits_without_prev_data', 'gauge',
     'Commits without "prevData" within 30 days, for the 20 servers with the most.'),
    ('bytes', 'gauge', 'Sizes of the tables that strangers can fill.'),
    ('waiting', 'gauge', 'Pending work of each kind, counted up to 10,000.'))
    AS v (what, type, help);
END;

-- The number of accounts that are due to be loaded, at most 5,000. kind is a parameter, so that the
-- index on its expression is used. The latest are read first, because rows that were taken from the
-- front stay in the index as long as a snapshot is held.
CREATE OR REPLACE FUNCTION count_due_loads(known bool) RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  kind text;
  n bigint := 0;
BEGIN
  FOREACH kind IN ARRAY ARRAY[load_kind(known, false), load_kind(known, true)] LOOP
    n := n + (
      SELECT count(*)
      FROM (SELECT 1 FROM account AS a
            WHERE a.state = 'desynchronized' AND a.load_at <= now()
              AND CASE WHEN a.failures > 0
                    THEN CASE WHEN a.loaded THEN 'back' ELSE 'again' END
                    WHEN a.loaded THEN 'known' ELSE 'new' END = kind
            ORDER BY a.load_at DESC LIMIT 5000 - n) AS q);
  END LOOP;
  RETURN n;
END $$;

-- Likewise for identities that are due to be requested, of a kind that claim_identities() has.
CREATE OR REPLACE FUNCTION count_due_identities(kind text, method text) RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    SELECT count(*)
    FROM (SELECT 1 FROM identity AS i
          WHERE split_part(i.did::text, ':', 2) = method AND i.ask < 'infinity' AND i.ask <= now()
            AND CASE WHEN i.answered IS NOT NULL THEN 'known'
                     WHEN i.asked = 0 THEN 'new' ELSE 'again' END = kind
          ORDER BY i.ask DESC LIMIT 5000) AS q);
END $$;

-- The hosts whose commits come without "prevData", those with the most first, with the number of
-- such commits within 30 days.
CREATE OR REPLACE FUNCTION unproven_hosts(most int)
RETURNS TABLE (host text, commits bigint, last timestamptz) LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT u.host, sum(u.n)::bigint, max(u.at) FROM unproven AS u
               GROUP BY u.host ORDER BY 2 DESC, 1 LIMIT most;
END $$;

-- Pending work.
CREATE OR REPLACE VIEW watch_waiting AS
SELECT v.what, v.n
FROM (VALUES
  ('identities', (SELECT sum(count_due_identities(k, m.name))
                  FROM unnest('{known,new,again}'::text[]) AS k, did_methods() AS m)),
  ('loads', count_due_loads(false) + count_due_loads(true)),
  ('lists', (SELECT count(*) FROM listing WHERE listed IS NOT NULL)),
  ('checks', (SELECT count(*) FROM (SELECT 1 FROM account
                                    WHERE check_at < 'infinity' AND check_at <= now()
                                    LIMIT 10000) AS q)),
  ('candidates', count_candidates()),
  ('notices', count_notices()),
  ('changes', (SELECT count(*) FROM (SELECT 1 FROM change LIMIT 10000) AS q))) AS v (what, n);

-- The numbers of streams and their activities.
CREATE OR REPLACE VIEW watch_streams AS
SELECT 'stream_' || v.what AS what, s.name AS of, v.value
FROM status_stream AS s CROSS JOIN LATERAL (VALUES
  ('cursor', s.cursor::float8), ('frames', s.frames), ('commits', s.commits),
  ('refused', s.refused), ('gaps', s.gaps), ('frames_per_second', s.frame_rate),
  ('commits_per_second', s.commit_rate), ('unsigned_per_second', s.unsigned_rate),
  ('moved_per_second', s.moved_rate), ('future_per_second', s.future_rate),
  ('clock_ahead_seconds', extract(epoch FROM s.ahead)),
  ('lag_seconds', extract(epoch FROM s.lag)), ('idle_seconds', extract(epoch FROM s.idle)),
  ('healthy', (s.problem IS NULL)::int))
  AS v (what, value)
UNION ALL
SELECT 'activity_' || v.what, a.activity || ' of ' || a.stream, v.value
FROM status_activity AS a CROSS JOIN LATERAL (VALUES
  ('idle_seconds', extract(epoch FROM a.idle)::float8),
  ('failing_seconds', coalesce(extract(epoch FROM now() - a.failing)::float8, 0)),
  ('healthy', (a.problem IS NULL)::int)) AS v (what, value);

CREATE OR REPLACE VIEW watch AS
WITH c AS MATERIALIZED (SELECT what, n FROM account_counts)
SELECT w.what, w.of, w.value, m.type, m.help
FROM (
  SELECT what, of, value FROM watch_streams
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
    ('labels_refused', size_of_labels_refused()),
    ('change', pg_total_relation_size('change'))) AS v (what, n)
  UNION ALL
  SELECT 'waiting', n.what, n.n FROM watch_waiting AS n) AS w (what, of, value)
LEFT JOIN metrics() AS m ON m.what = w.what;

-- (of 1.3, whose view it was in)
DROP FUNCTION IF EXISTS count_due_identities(text, bool);
