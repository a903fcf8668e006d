-- The results of bench/events: medians, then the ratios with their targets.

\pset border 2
\pset footer off
\pset null ''

CREATE TEMP VIEW cost AS
  SELECT name, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) / CASE WHEN name LIKE '% workers' THEN 10000 ELSE 2000 END * 1000 AS us,
         min(ms) / CASE WHEN name LIKE '% workers' THEN 10000 ELSE 2000 END * 1000 AS least
    FROM bench.result GROUP BY name;

\echo
\echo Microseconds for one, medians, and the least.
SELECT name, round(us::numeric, 1) AS us, round(least::numeric, 1) AS least FROM cost ORDER BY name;

CREATE FUNCTION pg_temp.us(text) RETURNS float8 LANGUAGE sql RETURN (SELECT us FROM cost WHERE name = $1);

\echo
\echo Ratios. Frames are split, verified and their signatures too.
SELECT what, round(value::numeric, 2) AS value, op || ' ' || target AS target,
       CASE WHEN value IS NULL OR target IS NULL THEN '' WHEN op = '<=' AND value <= target OR op = '>=' AND value >= target THEN 'yes' ELSE 'no' END AS met
  FROM (VALUES
    ('event_problem and signature / signature, 300', (pg_temp.us('event_problem, 300') + pg_temp.us('the signature alone')) / pg_temp.us('the signature alone'), '<=', NULL),
    ('the same, 5,000', (pg_temp.us('event_problem, 5000') + pg_temp.us('the signature alone')) / pg_temp.us('the signature alone'), '<=', 1.5),
    ('the same, 100,000', (pg_temp.us('event_problem, 100000') + pg_temp.us('the signature alone')) / pg_temp.us('the signature alone'), '<=', NULL),
    ('frames a second, two workers', 1e6 / pg_temp.us('2 workers'), '>=', 25000),
    ('two workers over one', pg_temp.us('1 workers') / pg_temp.us('2 workers'), '>=', 1.8)) AS r (what, value, op, target);
