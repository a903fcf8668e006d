-- The output of bench/blocks.

\pset border 2
\pset footer off

\if :sizes
\echo
\echo Bytes of a value, by collection. The server adds 1 byte to a value of up to 126, and 4 to others.
SELECT coalesce(record ->> '$type', 'all') AS collection, count(*),
       round(avg(octet_length(y.block)), 1) AS "DAG-CBOR", round(avg(pg_column_size(record)), 1) AS jsonb,
       round(avg(pg_column_size(b.block) - CASE WHEN pg_column_size(b.block) > 127 THEN 4 ELSE 1 END), 1) AS packed,
       round(sum(pg_column_size(b.block))::numeric / sum(octet_length(y.block)), 2) AS ratio
FROM bench.jsonb JOIN bench.bytea AS y USING (n) JOIN bench.block AS b USING (n)
GROUP BY GROUPING SETS ((record ->> '$type'), ())
ORDER BY GROUPING(record ->> '$type'), 2 DESC;
SELECT form AS table, round(pg_table_size('bench.' || form)::numeric / (SELECT count(*) FROM bench.bytea), 1) AS "bytes a record"
FROM unnest('{bytea,jsonb,block}'::text[]) AS form;
\endif

\if :calls
\echo Nanoseconds for a record, in SELECT count(f(column)) FROM table: with the scan, and less it.
WITH cost AS (
  SELECT name, form, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) * 1e6 / (SELECT count(*) FROM bench.bytea) AS ns
  FROM bench.timing WHERE name <> 'INSERT' GROUP BY name, form
)
SELECT name, round(max(ns) FILTER (WHERE form = 'bytea')) AS bytea, round(max(ns) FILTER (WHERE form = 'block')) AS block,
       round(max(ns) FILTER (WHERE form = 'jsonb')) AS jsonb,
       round(max(ns - scan) FILTER (WHERE form = 'bytea')) AS "bytea, less", round(max(ns - scan) FILTER (WHERE form = 'block')) AS "block, less",
       round(max(ns - scan) FILTER (WHERE form = 'jsonb')) AS "jsonb, less"
FROM cost JOIN (SELECT form, ns AS scan FROM cost WHERE name = 'the value') AS s USING (form)
GROUP BY name ORDER BY min((SELECT min(id) FROM bench.subject AS u WHERE u.name = cost.name));

\echo Targets: ratios of two figures of one round, with the scan; to pack and to restore, less it.
WITH took AS (
  SELECT t.name, t.form, round, t.ms, t.ms - scan.ms AS less
  FROM bench.timing AS t JOIN bench.timing AS scan USING (form, round) WHERE scan.name = 'the value'
), ratio (name, target, round, value) AS (
  SELECT t.name || ', block / bytea', target, round, block.ms / bytea.ms
  FROM (VALUES ('createdAt', 1.0), ('subject.uri', 1.0), ('subject, at_uri', 0.5)) AS t (name, target)
       JOIN took AS block USING (name) JOIN took AS bytea USING (name, round)
  WHERE (block.form, bytea.form) = ('block', 'bytea')
  UNION ALL
  SELECT t.name || ' / sha256', target, round, call.less / digest.less
  FROM (VALUES ('to pack', 1.0), ('to restore', 0.4)) AS t (name, target)
       JOIN took AS call USING (name) JOIN took AS digest USING (round)
  WHERE digest.name = 'sha256'
)
SELECT name AS ratio, '<= ' || target AS target, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY value)::numeric, 2) AS value
FROM ratio GROUP BY name, target ORDER BY name;
\endif

\if :insert
\echo INSERT ... SELECT without an index: nanoseconds and bytes of WAL for a record.
SELECT form, round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) * 1e6 / n)::numeric) AS ns,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY wal) / n)::numeric, 1) AS wal
FROM bench.timing, (SELECT count(*)::float8 AS n FROM bench.bytea) AS c WHERE name = 'INSERT' GROUP BY form, n ORDER BY form;
\endif
