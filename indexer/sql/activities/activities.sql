-- Signs of life. The program reports when each of its activities last had a turn, and since when it
-- has failed; the database observes what it can see: the cursor, readers, labels. An activity that
-- is late is a problem of the stream, in "status", /healthz and /metrics, however quiet the server
-- is.
--
-- A row of activity is written every ten seconds, whether or not there is work. The bounds are in
-- activities(); a row of activity_bound overrides one of them.

-- turn: the longest time without a turn. success: the longest time that it may fail. few: failures
-- that strangers can cause count only if so many different ones have failed, and none has
-- succeeded. kind: the kind of streams that have it; NULL: all.
CREATE OR REPLACE FUNCTION activities() RETURNS TABLE (
  place int, name text, kind text, turn interval, success interval, few int, remedy text
) LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  VALUES
  (1, 'program', NULL, interval '2 min', NULL::interval, 1,
   'start "atid-indexer run"; if it runs, its log reports what it is waiting for'),
  (2, 'shard', NULL, interval '2 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (4, 'cursor', NULL, interval '5 min', interval '15 min', 3,
   'look at the newest rows of the table bad: after a restart the same frames come again'),
  (5, 'loads of known accounts', 'repos', interval '10 min', interval '1 h', 5,
   'see the accounts in trouble and the log: '
   'the network, ATID_PLC_URL or a trigger may be the cause'),
  (6, 'loads of new accounts', 'repos', interval '10 min', interval '1 h', 5,
   'see the accounts in trouble and the log: '
   'the network, ATID_PLC_URL or a trigger may be the cause'),
  (9, 'lists', 'repos', interval '15 min', interval '1 h', 1,
   'see the log for the error, and whether ATID_SERVICE_URL answers com.atproto.sync.listRepos'),
  (10, 'statuses', 'repos', interval '10 min', interval '1 h', 5,
   'see the log for the error, '
   'and whether ATID_SERVICE_URL answers com.atproto.sync.getRepoStatus'),
  (11, 'signals', 'repos', interval '10 min', interval '1 h', 5,
   'name the accounts that have a signal, '
   'or set another ATID_SERVICE_URL, one that answers describeRepo'),
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
  UNION ALL
  SELECT 7, 'identities of ' || m.name, NULL, interval '10 min', m.success, 5, m.remedy
  FROM did_methods() AS m;
END;

-- The name of the entry of activities() for an activity. The names of a shard and a reader begin
-- with that of the entry.
CREATE OR REPLACE FUNCTION activity_class(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN split_part(name, ' ', 1) IN ('shard', 'reader', 'api')
         THEN split_part(name, ' ', 1) ELSE name END;

CREATE OR REPLACE FUNCTION activity_in_words(span interval) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN span < interval '2 min' THEN floor(extract(epoch FROM span)) || ' s'
            WHEN span < interval '2 h' THEN floor(extract(epoch FROM span) / 60) || ' min'
            ELSE floor(extract(epoch FROM span) / 3600) || ' h' END;

-- The activities of the streams that are followed. While the program gives no sign of life, the
-- other signs are old, too, and only its silence is reported.
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
