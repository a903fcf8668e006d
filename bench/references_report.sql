-- The results of bench/references: medians over the rounds of the ratios within each; in brackets
-- the quartiles.

\pset border 2
\pset footer off

WITH target (name, what, target) AS (VALUES
    ('gin', 'GIN over record_ref_uris(record), with fastupdate', 1.7),
    ('btree', 'b-trees on (subject, tid) and (parent, tid)', 2.2),
    ('narrow', 'narrow table by statement triggers', 2.2)),
  ratio AS (
    SELECT r.name, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY r.ms / p.ms) AS q
    FROM bench.result r JOIN bench.result p USING (round) WHERE p.name = 'plain' GROUP BY r.name),
  refs AS (SELECT sum(cardinality(atid.record_ref_uris(record))) AS n FROM bench.plain)
SELECT what AS "in addition to the table", '<= ' || target AS target, round(q[2]::numeric, 2) AS "INSERT / plain INSERT",
       format('(%s-%s)', round(q[1]::numeric, 2), round(q[3]::numeric, 2)) AS quartiles,
       CASE WHEN q[2] <= target THEN 'yes' ELSE 'no' END AS "met?",
       round((CASE name WHEN 'gin' THEN pg_relation_size('bench.gin_record_ref_uris_idx')
                WHEN 'btree' THEN pg_relation_size('bench.btree_subject') + pg_relation_size('bench.btree_parent')
                ELSE pg_total_relation_size('bench.points_at') END / n)::numeric) AS "bytes a reference"
FROM target JOIN ratio USING (name), refs ORDER BY target, name;
