-- Whether the streams move and make sense: the totals of each stream's shards (stream_totals), the
-- faults of single shards (stream_faults), and the first problem in words (stream_problems).

-- Does this account, whose frames were not signed by its key, still lack these frames?
CREATE OR REPLACE FUNCTION lacks_frames(one atid.did) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN has_early(one)
         OR NOT EXISTS (SELECT 1 FROM account AS a
                        WHERE a.did = one AND a.state IN ('synchronized', 'live'));
END $$;

-- Does an error of an index, a constraint or a trigger keep an account from being loaded?
CREATE OR REPLACE FUNCTION is_refused() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM account AS a
                 WHERE a.state = 'desynchronized' AND a.failures > 0 AND a.problem = 'not_written');
END $$;

-- The totals of each stream's shards. idle: that of the shard furthest behind. gap: a part of the
-- stream was missed. known: a repository has been loaded at some time.
CREATE OR REPLACE VIEW stream_totals AS
SELECT s.name, s.kind, min(t.cursor) AS cursor, sum(t.frames)::bigint AS frames,
       sum(t.commits)::bigint AS commits, sum(t.refused)::bigint AS refused, max(t.lag) AS lag,
       clock_timestamp() - min(t.taken) AS idle, clock_timestamp() - max(t.heard) AS silent,
       sum(t.frame_rate) AS frame_rate, sum(t.commit_rate) AS commit_rate,
       sum(t.old_rate) AS old_rate, sum(t.moved_rate) AS moved_rate,
       sum(t.unsigned_rate) AS unsigned_rate, sum(t.unwritten_rate) AS unwritten_rate,
       sum(t.future_rate) AS future_rate, count(*) AS shards, s.look IS NOT NULL AS gap,
       EXISTS (SELECT 1 FROM tally WHERE what = 'loads') AS known, sum(t.gaps)::bigint AS gaps
FROM stream AS s JOIN shard AS t ON t.stream = s.name GROUP BY s.name;

-- The faults of a stream's shards. Each shard is judged on its own. The rates of a shard with fewer
-- than three frames a minute mean nothing: its last frames count instead.
CREATE OR REPLACE VIEW stream_faults AS
SELECT t.stream AS name,
       bool_or(t.old_run >= 3
               AND (t.frame_rate < 0.05 OR t.old_rate > 0.9 * t.frame_rate)) AS old,
       bool_or(CASE WHEN t.frame_rate >= 0.05 THEN t.unsigned_rate > 0.9 * t.frame_rate
                    WHEN t.unsigned_run >= 3 THEN lacks_frames(t.unsigned_by) END) AS unsigned,
       bool_or(CASE WHEN t.frame_rate >= 0.05 THEN t.unwritten_rate > 0.5 * t.frame_rate
                    WHEN t.unwritten_run > 0 THEN is_refused() END) AS unwritten
FROM shard AS t GROUP BY t.stream;

-- Have all accounts moved, though some were here?
CREATE OR REPLACE VIEW all_moved AS
SELECT coalesce(bool_or(t.n > 0) FILTER (WHERE t.state = 'barred'), false)
       AND coalesce(bool_and(t.n = 0) FILTER (WHERE t.state NOT IN ('barred', 'unidentified')),
                    true) AS yes
FROM status_accounts AS t;

-- The first problem of each stream: its cause, which decides whether it is another one, and words.
-- NULL: it has none.
CREATE OR REPLACE VIEW stream_problems AS
SELECT s.name, CASE c.cause
  WHEN 'error'
  THEN 'the server reports ' || s.error || coalesce(
         ': ' || (SELECT c.remedy FROM code AS c WHERE c.code = s.error AND c.class = 'service'),
         '')
  WHEN 'numbers'
  THEN format('the first number of the server, %s, is not above the cursor, %s: its numbers have '
              'begun again, or it repeats what it has sent before; ', s.behind, x.cursor)
       || CASE s.kind WHEN 'labels' THEN ''
          ELSE 'the next new commit shows which, and the stream follows it; ' END
       || 'if this does not end, stop the program and set indexer.shard.cursor to 0'
  WHEN 'silent'
  THEN 'nothing was heard from the stream for two minutes: '
       'is the program running, and does the server answer?'
  WHEN 'clock'
  THEN format('the database server''s clock is %s %s the program''s: correct the wrong one',
              interval_in_words(s.ahead),
              CASE WHEN s.ahead < '0' THEN 'behind' ELSE 'ahead of' END)
  WHEN 'future'
  THEN 'most frames have times in the future: is the database server''s clock behind?'
  WHEN 'moved'
  THEN 'all accounts are on other servers: is ATID_SERVICE_URL known by another name? '
       'See ATID_SERVICE_ALIASES'
  WHEN 'old'
  THEN 'all frames have numbers that were processed before: '
       'has the server begun again with lower ones?'
  WHEN 'unsigned'
  THEN 'no frame is signed by the key of its account: is ATID_PLC_URL the right one?'
  WHEN 'unwritten'
  THEN 'an index, a constraint or a trigger refuses records: see the table bad'
  END AS problem, c.cause
FROM stream AS s JOIN stream_totals AS x ON x.name = s.name
     JOIN stream_faults AS f ON f.name = s.name
     CROSS JOIN LATERAL (SELECT CASE
       WHEN s.error IS NOT NULL THEN 'error'
       WHEN s.behind IS NOT NULL THEN 'numbers'
       WHEN x.idle > interval '2 minutes' OR x.idle IS NULL THEN 'silent'
       WHEN abs(extract(epoch FROM s.ahead)) > 60 THEN 'clock'
       WHEN x.frame_rate >= 0.05 AND x.future_rate > 0.5 * x.frame_rate THEN 'future'
       -- an operator's own PDS may have a frame an hour; but where something was loaded, its last
       -- account may have ended
       WHEN x.frame_rate >= 0.05 AND x.moved_rate > 0.9 * x.frame_rate
            OR s.pds IS NOT NULL AND NOT x.known AND (SELECT m.yes FROM all_moved AS m)
       THEN 'moved'
       WHEN f.old THEN 'old'
       WHEN f.unsigned AND s.kind = 'repos' AND x.known THEN 'unsigned'
       WHEN f.unwritten THEN 'unwritten' END AS cause) AS c;

-- The streams. begun: when its numbers were last found to have begun again; begun_at: the number
-- from which it was followed then.
CREATE OR REPLACE VIEW status_stream AS
SELECT x.name, x.kind, x.cursor, x.frames, x.commits, x.refused, x.lag, x.idle, x.silent,
       x.frame_rate, x.commit_rate, x.old_rate, x.moved_rate, x.unsigned_rate, x.unwritten_rate,
       x.shards, x.gap, x.known, p.problem, s.ahead, x.future_rate, s.begun, s.begun_at, p.cause,
       x.gaps
FROM stream_totals AS x JOIN stream AS s ON s.name = x.name
     JOIN stream_problems AS p ON p.name = x.name;

-- The list that could not be read for an hour, and why; NULL: all lists can be read.
CREATE OR REPLACE FUNCTION listing_health() RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (
    SELECT format('the list of %s could not be read since %s: %s; see "atid-indexer status"',
                  p.words, to_char(p.since, 'YYYY-MM-DD HH24:MI'),
                  concat_ws(', ', p.why, nullif(p.detail, '')))
    FROM list_problems AS p WHERE p.since <= add_interval(now(), -interval '1 hour')
    ORDER BY p.since, p.value LIMIT 1);
END $$;

-- Why the stream is unhealthy; NULL: it moves and makes sense, and the lists can be read.
CREATE OR REPLACE FUNCTION stream_health(stream text) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  x status_stream;
BEGIN
  SELECT * INTO x FROM status_stream AS s WHERE s.name = stream_health.stream;
  IF NOT FOUND THEN RETURN 'the stream has never been started'; END IF;
  RETURN (SELECT p.problem
          FROM (SELECT a.problem, a.place FROM status_activity AS a
                WHERE a.stream = stream_health.stream
                UNION ALL VALUES (x.problem, 3)
                UNION ALL SELECT listing_health(), 9 WHERE x.kind = 'repos') AS p
          WHERE p.problem IS NOT NULL ORDER BY p.place, p.problem LIMIT 1);
END $$;
