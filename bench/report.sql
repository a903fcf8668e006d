-- The measurements: costs, then the ratios with their targets. Medians; in brackets the quartiles.

\pset border 2
\pset footer off
\pset null ''

CREATE FUNCTION pg_temp.met(value float8, op text, target float8) RETURNS text LANGUAGE sql
  RETURN CASE WHEN value IS NULL THEN '' WHEN (op = '<=' AND value <= target) OR (op = '>=' AND value >= target)
    THEN 'yes' ELSE 'no' END;

CREATE FUNCTION pg_temp.spread(low float8, high float8, digits int) RETURNS text LANGUAGE sql STRICT
  RETURN format('(%s-%s)', round(low::numeric, digits), round(high::numeric, digits));

CREATE TEMP VIEW quartile AS
  SELECT name, way, q[1] AS low, q[2] AS median, q[3] AS high
    FROM (SELECT name, way, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ns) AS q
            FROM bench.cost GROUP BY name, way) c;

-- less the no-op, or any other cost to be subtracted
CREATE TEMP VIEW cost AS
  SELECT q.name, q.way, q.low - coalesce(n.median, 0) AS low, q.median - coalesce(n.median, 0) AS ns,
         q.high - coalesce(n.median, 0) AS high
    FROM quartile q JOIN bench.subject s USING (name)
      LEFT JOIN quartile n ON n.name = s.less AND n.way = q.way;

-- ids per second of all sessions together; only where each of them kept to its schedule, and had a
-- processor of its own
CREATE TEMP VIEW throughput AS
  SELECT name, way, sessions, round, sum(per_second) AS per_second
    FROM bench.scale GROUP BY name, way, sessions, round
    HAVING count(*) = sessions AND min(busy) > 0.97;

CREATE TEMP VIEW scaling AS
  SELECT name, way, one, two, two / one AS ratio, windows
    FROM (SELECT name, way, count(*) AS windows,
                 percentile_cont(0.5) WITHIN GROUP (ORDER BY per_second) FILTER (WHERE sessions = 1) AS one,
                 percentile_cont(0.5) WITHIN GROUP (ORDER BY per_second) FILTER (WHERE sessions = 2) AS two
            FROM throughput GROUP BY name, way) m;

-- the ratio within each round shows how much it varies
CREATE TEMP VIEW scaling_spread AS
  SELECT name, way, q[1] AS low, q[2] AS median, q[3] AS high
    FROM (SELECT name, way, percentile_cont('{0.25,0.5,0.75}'::float8[])
                            WITHIN GROUP (ORDER BY two.per_second / one.per_second) AS q
            FROM throughput two JOIN throughput one USING (name, way, round)
            WHERE two.sessions = 2 AND one.sessions = 1
            GROUP BY name, way) r;

-- each value is an average over a window, so these are medians of averages; all less the no-op's
-- `ns`
CREATE TEMP VIEW steady AS
  SELECT reserve, q[1] - n AS low, q[2] - n AS ns, q[3] - n AS high, ns_all - n AS ns_all, ns_short - n AS ns_short,
         ns_long, windows, calls, usual, longest
    FROM (SELECT reserve, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ns) AS q,
                 percentile_cont(0.5) WITHIN GROUP (ORDER BY ns_all) AS ns_all,
                 percentile_cont(0.5) WITHIN GROUP (ORDER BY ns_short) AS ns_short,
                 percentile_cont(0.5) WITHIN GROUP (ORDER BY ns - ns_short) AS ns_long, count(*) AS windows,
                 percentile_cont(0.5) WITHIN GROUP (ORDER BY calls) AS calls,
                 percentile_cont(0.5) WITHIN GROUP (ORDER BY longest) AS usual, max(longest) AS longest
            FROM bench.steady GROUP BY reserve) s,
         (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) AS n FROM bench.steady WHERE reserve = 'no-op') noop
    WHERE reserve <> 'no-op';

CREATE TEMP VIEW sorting AS
  SELECT name, type, q[1] AS low, q[2] AS ms, q[3] AS high
    FROM (SELECT name, type, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ms) AS q
            FROM bench.sort GROUP BY name, type) s;

\if :costs
\echo
\echo Cost of a call, in ns, less that of a no-op C function that returns bigint by value (also where a
\echo uuid is returned). The no-op itself is shown whole. Of a v5, the cost of making the name is taken off.
SELECT s.name AS function,
       round(c.ns::numeric, 1) AS "loop in C", pg_temp.spread(c.low, c.high, 1) AS "quartiles",
       round(q.ns::numeric, 1) AS "in a query", pg_temp.spread(q.low, q.high, 1) AS "quartiles ",
       CASE WHEN s.f IS NULL THEN 'not available here' ELSE '' END AS " "
  FROM bench.subject s
    LEFT JOIN cost c ON c.name = s.name AND c.way = 'C'
    LEFT JOIN cost q ON q.name = s.name AND q.way = 'query'
  ORDER BY s.id;
\endif

\if :sessions
\echo Identifiers per second, in millions, drawn by one session and by two on two processors.
SELECT name AS function, way, round((one / 1e6)::numeric, 2) AS "one session", round((two / 1e6)::numeric, 2) AS "two sessions",
       round(ratio::numeric, 2) AS ratio, pg_temp.spread(low, high, 2) AS quartiles, windows
  FROM scaling JOIN scaling_spread USING (name, way) JOIN bench.subject USING (name)
  ORDER BY way, id;
\endif

\if :throughput
\echo Identifiers per second, in millions, of all sessions together; 10000 in a query.
SELECT name AS function,
       max(m) FILTER (WHERE sessions = 1) AS "1", max(m) FILTER (WHERE sessions = 2) AS "2",
       max(m) FILTER (WHERE sessions = 4) AS "4", max(m) FILTER (WHERE sessions = 8) AS "8",
       max(m) FILTER (WHERE sessions = 16) AS "16", max(m) FILTER (WHERE sessions = 32) AS "32",
       max(m) FILTER (WHERE sessions = 64) AS "64"
  FROM (SELECT name, sessions,
               round((percentile_cont(0.5) WITHIN GROUP (ORDER BY per_second) / 1e6)::numeric, 2) AS m
          FROM bench.throughput GROUP BY name, sessions) t
    JOIN bench.subject USING (name)
  GROUP BY id, name
  ORDER BY id;
\endif

\if :horizon
\echo Steady drawing, a TID every 1.5 us, with fsync: ns of a call, less that of the no-op, flushes included.
\echo Others: with the calls in which something else took the processor, which are left out elsewhere.
SELECT reserve AS "atid.reserve", round(ns::numeric, 1) AS "ns of a call", pg_temp.spread(low, high, 1) AS quartiles,
       round(ns_short::numeric, 1) AS "without calls > 20 us", round(ns_all::numeric, 1) AS "with others",
       windows AS "windows of 1 s", calls AS "calls in one", round((usual / 1e6)::numeric, 2) AS "longest in a window, ms",
       round((longest / 1e6)::numeric, 2) AS "in all, ms"
  FROM steady ORDER BY reserve DESC;

\echo The first query of a session, in us, as psql sees it.
SELECT 'SELECT ' || name AS query, round((q[2] * 1e3)::numeric) AS median, pg_temp.spread(q[1] * 1e3, q[3] * 1e3, 0) AS quartiles,
       round(((q[2] - min(q[2]) FILTER (WHERE name = 'clock_timestamp()') OVER ()) * 1e3)::numeric) AS "beyond clock_timestamp()",
       sessions
  FROM (SELECT name, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ms) AS q, count(*) AS sessions
          FROM bench.first_call GROUP BY name) f
  ORDER BY q[2];
\endif

\if :sorts
\echo Sorting the same values as tid and as bigint, in ms.
SELECT t.name AS statement, round(t.ms::numeric) AS tid, pg_temp.spread(t.low, t.high, 0) AS quartiles,
       round(b.ms::numeric) AS bigint, pg_temp.spread(b.low, b.high, 0) AS "quartiles "
  FROM sorting t JOIN sorting b USING (name)
  WHERE t.type = 'tid' AND b.type = 'bigint'
  ORDER BY 1;
\endif

SELECT :'costs' OR :'sessions' OR :'horizon' OR :'sorts' AS ratios \gset
\if :ratios
\echo The ratios and what they are to reach.
WITH target (id, name, above, below, op, target) AS (VALUES
    (1, 'tid_generate() / clock_timestamp()', 'atid.tid_generate()', 'clock_timestamp()', '<=', 1.6),
    (2, 'nextval() / tid_generate()', 'nextval()', 'atid.tid_generate()', '>=', 5),
    (3, 'gen_random_uuid() / uuid_generate_v7()', 'gen_random_uuid()', 'atid.uuid_generate_v7()', '>=', 10),
    (4, 'uuidv7() / uuid_generate_v7()', 'uuidv7()', 'atid.uuid_generate_v7()', '>=', 10),
    (5, 'pg_uuidv7 / uuid_generate_v7()', 'pg_uuidv7 uuid_generate_v7()', 'atid.uuid_generate_v7()', '>=', NULL),
    (6, 'gen_random_uuid() / uuid_generate_v4()', 'gen_random_uuid()', 'atid.uuid_generate_v4()', '>=', 10),
    (7, 'uuid-ossp v1 / uuid_generate_v1()', 'uuid-ossp uuid_generate_v1()', 'atid.uuid_generate_v1()', '>=', 50),
    (8, 'uuid_generate_v5() / uuid-ossp v5', 'atid.uuid_generate_v5(), less the name',
     'uuid-ossp uuid_generate_v5(), less the name', '<=', 1)
  ),
  result (id, name, way, value, op, target) AS (
    SELECT t.id, t.name, w.way, a.ns / b.ns, op, target
      FROM target t CROSS JOIN (VALUES ('C'), ('query')) w (way)
        LEFT JOIN cost a ON a.name = above AND a.way = w.way
        LEFT JOIN cost b ON b.name = below AND b.way = w.way
      WHERE :'costs'
    UNION ALL
    SELECT 10 + i.id, 'two sessions / one, over the no-op''s: ' || i.name, i.way, i.ratio / n.ratio, '>=', CASE WHEN i.name LIKE 'atid.%' THEN 0.95 END
      FROM (SELECT * FROM scaling JOIN bench.subject USING (name)) i JOIN scaling n USING (way)
      WHERE n.name = 'no-op' AND i.name <> 'no-op'
    UNION ALL
    SELECT 20, 'tid_generate() with atid.reserve 1 s / 1 h', 'C', s.ns / h.ns, '<=', 1.03
      FROM steady s, steady h
      WHERE s.reserve = '1 s' AND h.reserve = '1 h'
    UNION ALL
    SELECT 21, 'the same, other calls than those > 20 us taken alike', 'C', (both_short + s.ns_long) / (both_short + h.ns_long), '<=', 1.03
      FROM steady s, steady h, LATERAL (SELECT (s.ns_short + h.ns_short) / 2 AS both_short) b
      WHERE s.reserve = '1 s' AND h.reserve = '1 h'
    UNION ALL
    SELECT 30, t.name || ' on tid / on bigint', 'query', t.ms / b.ms, '<=', 1.05
      FROM sorting t JOIN sorting b USING (name)
      WHERE t.type = 'tid' AND b.type = 'bigint'
  )
SELECT name AS ratio, op || ' ' || target AS target,
       max(round(value::numeric, 2)) FILTER (WHERE way = 'C') AS "loop in C",
       max(CASE WHEN target IS NULL THEN '' ELSE pg_temp.met(value, op, target) END) FILTER (WHERE way = 'C') AS "met?",
       max(round(value::numeric, 2)) FILTER (WHERE way = 'query') AS "in a query",
       max(CASE WHEN value IS NULL THEN 'not available here' WHEN target IS NULL THEN ''
                ELSE pg_temp.met(value, op, target) END) FILTER (WHERE way = 'query') AS "met? ",
       max(round(value::numeric, 2)) FILTER (WHERE way = 'insert') AS "in an INSERT",
       max(CASE WHEN target IS NULL THEN '' ELSE pg_temp.met(value, op, target) END)
         FILTER (WHERE way = 'insert') AS "met?  "
  FROM result
  GROUP BY id, name, op, target
  ORDER BY id, name;
\endif
