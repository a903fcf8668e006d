-- The results of bench/records: costs, then the ratios with their targets. Medians; in brackets the
-- quartiles.

\pset border 2
\pset footer off
\pset null ''

CREATE FUNCTION pg_temp.met(value float8, op text, target float8) RETURNS text LANGUAGE sql
  RETURN CASE WHEN value IS NULL THEN '' WHEN (op = '<=' AND value <= target) OR (op = '>=' AND value >= target)
    THEN 'yes' ELSE 'no' END;

CREATE FUNCTION pg_temp.spread(low float8, high float8, digits int) RETURNS text LANGUAGE sql
  RETURN format('(%s-%s)', round(low::numeric, digits), round(high::numeric, digits));

CREATE TEMP VIEW quartile AS
  SELECT name, q[1] AS low, q[2] AS ms, q[3] AS high
    FROM (SELECT name, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ms) AS q
            FROM bench.result GROUP BY name) r;

-- Node reads objects in its memory, so it has no scan.
CREATE TEMP VIEW cost AS
  SELECT q.name, q.low, q.ms, q.high, q.ms - coalesce(scan.ms, 0) AS alone
    FROM quartile q LEFT JOIN bench.subject s USING (name) LEFT JOIN quartile scan ON scan.name = s.scan;

\if :records
\echo
\echo The posts: how many, and their mean bytes in each form.
SELECT (SELECT count(*) FROM bench.j) AS posts, (SELECT round(avg(octet_length(t))) FROM bench.t) AS "as text",
       (SELECT round(avg(pg_column_size(j))) FROM bench.j) AS "as jsonb",
       (SELECT round(avg(octet_length(b))) FROM bench.b) AS "as DAG-CBOR",
       (SELECT sum(pg_relation_size(reltoastrelid)) FROM pg_class
          WHERE oid IN ('bench.j'::regclass, 'bench.t'::regclass, 'bench.b'::regclass)) AS "bytes in TOAST";

\echo Microseconds for a post, in SELECT count(f(column)) FROM table.
SELECT c.name AS call, round((1000 * ms / n)::numeric, 3) AS "with the scan",
       pg_temp.spread(1000 * low / n, 1000 * high / n, 3) AS quartiles,
       CASE WHEN s.scan IS NOT NULL THEN round((1000 * alone / n)::numeric, 3) END AS "less the scan"
  FROM cost c LEFT JOIN bench.subject s USING (name), (SELECT count(*)::float8 AS n FROM bench.j) n
  WHERE c.name NOT LIKE 'index on %'
  ORDER BY s.id NULLS LAST;
\endif

\if :indexes
\echo Indexes over the same CIDs.
SELECT type, pg_size_pretty(bytes) AS size, round(ms::numeric) AS "ms to build", pg_temp.spread(low, high, 0) AS quartiles
  FROM bench.size JOIN quartile ON name = 'index on ' || type
  ORDER BY 1;
\endif

\echo The ratios and what they are to reach: the median of the ratios within each round, and their quartiles.
WITH target (id, name, above, below, op, target) AS (VALUES
    (1, 'record_cid(j) / sha256 of j::text', 'record_cid(j)', 'sha256 of j::text', '<=', 1.0),
    (2, 'record_to_dag_cbor(j) / j::text', 'record_to_dag_cbor(j)', 'j::text', '<=', 0.8),
    (3, 'dag_cbor_to_record(b) / t::jsonb', 'dag_cbor_to_record(b)', 't::jsonb', '<=', 0.8),
    (4, 'record_is_valid(j) / j::text', 'record_is_valid(j)', 'j::text', '<=', 0.5),
    (5, 'record_refs(j) / record_is_valid(j)', 'record_refs(j)', 'record_is_valid(j)', '<=', 3.0),
    (6, 'field from block / from jsonb', 'field of b', 'field of j', '<=', 1.2),
    (7, 'nested field from block / from jsonb', 'nested field of b', 'nested field of j', '<=', 1.2),
    (8, 'rate of record_cid(j) / of @atcute/cbor and SHA-256 in Node', 'node', 'record_cid(j)', '>=', 1.5),
    (9, 'build of an index on cid_link / on text', 'index on cid_link', 'index on text', '<=', 0.8)
  ),
  -- both sides of a round were measured close together, whatever else ran on the machine
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
  result (id, name, value, low, high, alone, op, target) AS (
    SELECT id, name, q[2], q[1], q[3], percentile_cont(0.5) WITHIN GROUP (ORDER BY alone), op, target
      FROM ratio JOIN (SELECT id, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY value) AS q
                         FROM ratio GROUP BY id) s USING (id)
      GROUP BY id, name, q, op, target
    UNION ALL
    SELECT 10, 'size of an index on cid_link / on text', c.bytes::float8 / t.bytes, NULL, NULL, NULL, '<=', 0.75
      FROM bench.size c, bench.size t
      WHERE c.type = 'cid_link' AND t.type = 'text'
  )
SELECT name AS ratio, op || ' ' || target AS target, round(value::numeric, 2) AS "with the scan",
       CASE WHEN low IS NOT NULL THEN pg_temp.spread(low, high, 2) END AS quartiles, pg_temp.met(value, op, target) AS "met?",
       round(alone::numeric, 2) AS "less the scan", pg_temp.met(alone, op, target) AS "met? "
  FROM result
  ORDER BY id;
