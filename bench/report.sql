-- What was measured: costs, then the ratios with their targets. Medians; in brackets the quartiles.

\pset border 2
\pset footer off
\pset null ''

CREATE FUNCTION pg_temp.met(value float8, op text, target float8) RETURNS text LANGUAGE sql
  RETURN CASE WHEN value IS NULL THEN '' WHEN (op = '<=' AND value <= target) OR (op = '>=' AND value >= target)
    THEN 'yes' ELSE 'no' END;

CREATE FUNCTION pg_temp.spread(low float8, high float8, digits int) RETURNS text LANGUAGE sql
  RETURN format('(%s-%s)', round(low::numeric, digits), round(high::numeric, digits));

CREATE TEMP VIEW quartile AS
  SELECT name, way, q[1] AS low, q[2] AS median, q[3] AS high
    FROM (SELECT name, way, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ns) AS q
            FROM bench.cost GROUP BY name, way) c;

-- less the no-op
CREATE TEMP VIEW cost AS
  SELECT q.name, q.way, q.low - n.median AS low, q.median - n.median AS ns, q.high - n.median AS high
    FROM quartile q JOIN quartile n USING (way)
    WHERE n.name = 'no-op' AND q.name <> 'no-op';

-- ids per second of all sessions together; only where each of them kept its time, and had its
-- processor to itself
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

-- the ratio within each round says how much it wanders
CREATE TEMP VIEW scaling_spread AS
  SELECT name, way, q[1] AS low, q[2] AS median, q[3] AS high
    FROM (SELECT name, way, percentile_cont('{0.25,0.5,0.75}'::float8[])
                            WITHIN GROUP (ORDER BY two.per_second / one.per_second) AS q
            FROM throughput two JOIN throughput one USING (name, way, round)
            WHERE two.sessions = 2 AND one.sessions = 1
            GROUP BY name, way) r;

CREATE TEMP VIEW sorting AS
  SELECT name, type, q[1] AS low, q[2] AS ms, q[3] AS high
    FROM (SELECT name, type, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ms) AS q
            FROM bench.sort GROUP BY name, type) s;

\if :costs
\echo
\echo Cost of a call, in ns, less that of a no-op C function that returns bigint by value (also where a
\echo uuid is returned). The no-op itself is shown whole.
SELECT s.name AS function,
       round(c.ns::numeric, 1) AS "loop in C", pg_temp.spread(c.low, c.high, 1) AS "quartiles",
       round(q.ns::numeric, 1) AS "in a query", pg_temp.spread(q.low, q.high, 1) AS "quartiles ",
       CASE WHEN s.f IS NULL THEN 'not available here' ELSE '' END AS " "
  FROM bench.subject s
    LEFT JOIN (SELECT * FROM cost UNION ALL SELECT name, way, low, median, high FROM quartile WHERE name = 'no-op') c
      ON c.name = s.name AND c.way = 'C'
    LEFT JOIN (SELECT * FROM cost UNION ALL SELECT name, way, low, median, high FROM quartile WHERE name = 'no-op') q
      ON q.name = s.name AND q.way = 'query'
  ORDER BY s.id;
\endif

\if :sessions
\echo Identifiers per second, in millions, drawn by one session and by two on two processors.
SELECT name AS function, way, round((one / 1e6)::numeric, 2) AS "one session", round((two / 1e6)::numeric, 2) AS "two sessions",
       round(ratio::numeric, 2) AS ratio, pg_temp.spread(low, high, 2) AS quartiles, windows
  FROM scaling JOIN scaling_spread USING (name, way) JOIN bench.subject USING (name)
  ORDER BY way, id;
\endif

\if :sorts
\echo Sorting the same values as tid and as bigint, in ms.
SELECT t.name AS statement, round(t.ms::numeric) AS tid, pg_temp.spread(t.low, t.high, 0) AS quartiles,
       round(b.ms::numeric) AS bigint, pg_temp.spread(b.low, b.high, 0) AS "quartiles "
  FROM sorting t JOIN sorting b USING (name)
  WHERE t.type = 'tid' AND b.type = 'bigint'
  ORDER BY 1;
\endif

\echo The ratios and what they are to reach.
WITH target (id, name, above, below, op, target) AS (VALUES
    (1, 'tid_generate() / clock_timestamp()', 'atid.tid_generate()', 'clock_timestamp()', '<=', 1.6),
    (2, 'nextval() / tid_generate()', 'nextval()', 'atid.tid_generate()', '>=', 5),
    (3, 'gen_random_uuid() / uuid_generate_v7()', 'gen_random_uuid()', 'atid.uuid_generate_v7()', '>=', 10),
    (4, 'uuidv7() / uuid_generate_v7()', 'uuidv7()', 'atid.uuid_generate_v7()', '>=', 10),
    (5, 'pg_uuidv7 / uuid_generate_v7()', 'pg_uuidv7 uuid_generate_v7()', 'atid.uuid_generate_v7()', '>=', NULL)
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
    SELECT 20, t.name || ' on tid / on bigint', 'query', t.ms / b.ms, '<=', 1.05
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
