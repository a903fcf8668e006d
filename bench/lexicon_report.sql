-- The results of bench/lexicon: costs, then the ratios with their targets. Medians; in brackets the
-- quartiles.

\pset border 2
\pset footer off
\pset null ''

CREATE FUNCTION pg_temp.spread(low float8, high float8, digits int) RETURNS text LANGUAGE sql
  RETURN format('(%s-%s)', round(low::numeric, digits), round(high::numeric, digits));

CREATE TEMP VIEW quartile AS
  SELECT name, q[1] AS low, q[2] AS ms, q[3] AS high
    FROM (SELECT name, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ms) AS q
            FROM bench.result GROUP BY name) r;

\echo
\echo The lexicons and the posts.
SELECT cardinality(atid.lexicon_nsids(a.lexicons)) AS documents, pg_size_pretty(length(a.lexicons::text)::bigint) AS "as JSON",
       pg_size_pretty(length(p.lexicons::text)::bigint) AS "what a post needs", (SELECT count(*) FROM bench.j) AS posts,
       (SELECT round(avg(pg_column_size(j))) FROM bench.j) AS "mean bytes as jsonb",
       (SELECT round(avg(octet_length(b))) FROM bench.b) AS "as DAG-CBOR"
  FROM bench.lexicons a, bench.lexicons p WHERE a.name = 'all' AND p.name = 'post';

\if :calls
\echo Microseconds for a post, in SELECT count(f(column)) FROM table.
SELECT q.name AS call, round((1000 * ms / n)::numeric, 3) AS "with the scan", pg_temp.spread(1000 * low / n, 1000 * high / n, 3) AS quartiles
  FROM quartile q LEFT JOIN bench.subject s USING (name), (SELECT count(*)::float8 AS n FROM bench.j) n
  WHERE s.id IS NOT NULL OR q.name = 'node'
  ORDER BY s.id NULLS LAST;
\endif

\if :tables
\echo Microseconds for a row.
SELECT name, round((1000 * ms / n)::numeric, 2) AS us, pg_temp.spread(1000 * low / n, 1000 * high / n, 2) AS quartiles
  FROM quartile, LATERAL (SELECT least(count(*), CASE WHEN name ~ 'insert' THEN 20000 WHEN name ~ 'prepared' THEN 5000 END)::float8 AS n FROM bench.j) n
  WHERE name ~ '^(copy|insert|prepared) ' ORDER BY name DESC;
\endif

\if :compile
\echo Milliseconds for all documents.
SELECT name, round(ms::numeric, 2) AS ms, pg_temp.spread(low, high, 2) AS quartiles FROM quartile
  WHERE name IN ('compile', 'input and output') ORDER BY name;
\endif

\echo The ratios and what they are to reach: the median of the ratios within each round, and their quartiles.
WITH target (id, name, above, below, op, target) AS (VALUES
    (1, 'record_conforms(j) / record_is_valid(j)', 'record_conforms(j)', 'record_is_valid(j)', '<=', 2.5),
    (2, 'rate of record_conforms(j) / of @atproto/lex-schema in Node', 'node', 'record_conforms(j)', '>=', 8),
    (3, 'dag_cbor_conforms(b) / record_conforms(j)', 'dag_cbor_conforms(b)', 'record_conforms(j)', '<=', 1.2),
    (4, 'COPY of posts into a domain / into jsonb', 'copy checked', 'copy plain', '<=', 1.15),
    (5, 'prepared INSERT of a client into a domain / into jsonb', 'prepared checked', 'prepared plain', '<=', 1.3),
    (7, 'INSERT in PL/pgSQL into a domain / into jsonb', 'insert checked', 'insert plain', '', NULL)
  ),
  -- both sides of a round were measured close together, whatever else ran on the machine; Node has
  -- no scan
  ratio (id, name, op, target, value, alone) AS (
    SELECT t.id, t.name, op, target, x.ms / y.ms, (x.ms - coalesce(xs.ms, 0)) / (y.ms - ys.ms)
      FROM target t
        JOIN bench.result x ON x.name = above
        JOIN bench.result y ON y.name = below AND y.round = x.round
        LEFT JOIN bench.subject a ON a.name = above
        LEFT JOIN bench.subject b ON b.name = below
        LEFT JOIN bench.result xs ON xs.name = a.scan AND xs.round = x.round
        LEFT JOIN bench.result ys ON ys.name = b.scan AND ys.round = x.round
  ),
  result (id, name, op, target, q, alone) AS (
    SELECT id, name, op, target, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY value),
           percentile_cont(0.5) WITHIN GROUP (ORDER BY alone)
      FROM ratio GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT 6, 'milliseconds to compile all documents', '<=', 25, ARRAY[low, ms, high], NULL FROM quartile WHERE name = 'compile'
  )
SELECT name AS ratio, op || ' ' || target AS target, round(q[2]::numeric, 2) AS measured, pg_temp.spread(q[1], q[3], 2) AS quartiles,
       CASE WHEN target IS NULL THEN '' WHEN op = '<=' AND q[2] <= target OR op = '>=' AND q[2] >= target THEN 'yes' ELSE 'no' END AS "met?",
       round(alone::numeric, 2) AS "less the scan"
  FROM result ORDER BY id;
