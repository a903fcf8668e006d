-- The results of bench/scale: medians over the rounds.

\pset border 2
\pset footer off

\if :load
\echo Records from CARs, loaded in one process; the signature of each commit is not verified here
SELECT name AS "loaded as", round((count / ms)::numeric) || ',000' AS "records a second", round((ms * 1e3 / count)::numeric, 2) AS "us a record"
FROM (SELECT name, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS ms FROM bench.timing GROUP BY name) t
     JOIN bench.loading USING (name), (SELECT count(*) AS count FROM bench.heap) n
ORDER BY id;

\echo Bytes a record
SELECT form, round((pg_table_size(t) / n)::numeric) AS "table", round((pg_relation_size(k) / n)::numeric) AS "primary key",
       round((pg_relation_size(s) / n)::numeric) AS "subject, tid", round(pg_total_relation_size(t) / n) AS "all",
       round((payload / n)::numeric) AS "of it the value"
FROM (VALUES ('block', 'bench.block'::regclass, 'bench.block_pkey'::regclass, 'bench.block_subject'::regclass, (SELECT sum(pg_column_size(block)) FROM bench.block)),
             ('packed', 'bench.packed', 'bench.packed_pkey', 'bench.packed_subject', (SELECT sum(pg_column_size(block)) FROM bench.packed)),
             ('jsonb', 'bench.jsonb', 'bench.jsonb_pkey', 'bench.jsonb_subject', (SELECT sum(pg_column_size(record)) FROM bench.jsonb)),
             ('json', 'bench.json', 'bench.json_pkey', 'bench.json_subject', (SELECT sum(pg_column_size(record)) FROM bench.json))) v (form, t, k, s, payload),
     (SELECT count(*)::numeric AS n FROM bench.heap) c;
SELECT name AS "what", round(bytes::numeric, 1) AS bytes FROM bench.size;

\echo VACUUM after the DELETE of a record in 25
SELECT name AS "table", round(ms::numeric, 1) AS ms FROM bench.timing WHERE name IN ('one table', 'a partition of 64') ORDER BY ms DESC;

\endif
\if :fields
\echo A field of a block, and of jsonb: less what it takes to read the row
WITH t AS (SELECT split_part(name, ' ', 1) AS name, round, split_part(name, ' ', -1) AS form, ms FROM bench.timing WHERE name ~ '^(a row|field|nested) '),
  f AS (SELECT f.name, f.round, f.form, f.ms - r.ms AS ms, f.ms AS whole FROM t f JOIN t r ON r.name = 'a' AND (r.round, r.form) = (f.round, f.form) WHERE f.name <> 'a')
SELECT b.name AS "what", b.form, '<= 1.2' AS target,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY b.ms / j.ms)::numeric, 2) AS "form / jsonb",
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY b.whole / j.whole)::numeric, 2) AS "with the row",
       CASE WHEN percentile_cont(0.5) WITHIN GROUP (ORDER BY b.ms / j.ms) <= 1.2 THEN 'yes' ELSE 'no' END AS "met?"
FROM f b JOIN f j USING (name, round) WHERE b.form <> 'jsonb' AND j.form = 'jsonb' GROUP BY b.name, b.form ORDER BY b.name, b.form;

\endif
\if :scopes
\echo Likes of one account, likes of twenty, and one record; ms
SELECT name AS "what", max(read) AS "partitions read", round(percentile_cont(0.5) WITHIN GROUP (ORDER BY planning)::numeric, 2) AS planning,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS execution,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms + planning)::numeric, 2) AS both
FROM bench.timing JOIN bench.query USING (name) GROUP BY id, name ORDER BY id;
\endif
