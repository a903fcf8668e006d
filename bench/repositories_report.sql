-- The results of bench/repositories: medians, then the ratios with their targets.

\pset border 2
\pset footer off
\pset null ''

CREATE TEMP VIEW cost AS
  SELECT name, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS ms FROM bench.result GROUP BY name;

\echo
\echo Milliseconds, medians.
SELECT name, round(ms::numeric, 1) AS ms FROM cost ORDER BY name;

CREATE FUNCTION pg_temp.ms(text) RETURNS float8 LANGUAGE sql RETURN (SELECT ms FROM cost WHERE name = $1);

\echo
\echo Ratios.
SELECT what, round(value::numeric, 2) AS value, op || ' ' || target AS target,
       CASE WHEN value IS NULL OR target IS NULL THEN '' WHEN op = '<=' AND value <= target OR op = '>=' AND value >= target THEN 'yes' ELSE 'no' END AS met
  FROM (VALUES
    ('repo_records / sha256 of the blocks', pg_temp.ms('repo_records, 100,000') / pg_temp.ms('sha256 of the blocks'), '<=', 2.0),
    ('verifyRepo of @atproto/repo / repo_records', pg_temp.ms('node: verifyRepo') / pg_temp.ms('repo_records, 100,000'), '>=', 20),
    ('readCar of @atproto/repo / car_blocks', pg_temp.ms('node: readCar') / pg_temp.ms('car_blocks, 100,000'), '>=', 10),
    ('mst_root / sha256 of the keys', pg_temp.ms('mst_root of the keys') / pg_temp.ms('sha256 of the keys'), '<=', 3),
    ('a record of 1,000,000 / of 1,000', pg_temp.ms('repo_records, 1,000,000') / 10 / pg_temp.ms('repo_records, 1,000'), '<=', 1.3),
    ('the same of unnest and sha256', pg_temp.ms('unnest and sha256, 1,000,000') / 10 / pg_temp.ms('unnest and sha256, 1,000'), NULL, NULL),
    ('mst_diff beyond indexing, ms', pg_temp.ms('mst_diff of two trees') - pg_temp.ms('indexing two trees'), '<=', 5),
    ('MB above the CAR''s own, of 300 MB', (SELECT ms FROM cost WHERE name = 'MB above the CAR'), '<=', 150)) AS r (what, value, op, target);
