-- The output of bench/datetimes.

\echo
\echo Nanoseconds for a datetime, in SELECT count(f(column)) FROM table.
WITH cost (name, low, ms, high) AS (
  SELECT name, q[1], q[2], q[3]
  FROM (SELECT name, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ms) AS q
        FROM bench.result GROUP BY name) r
)
SELECT c.name AS call, round((1e6 * c.ms / n)::numeric) AS "with the scan",
       format('%s-%s', round(1e6 * c.low / n), round(1e6 * c.high / n)) AS quartiles,
       CASE WHEN c.name <> 'scan' THEN round((1e6 * (c.ms - s.ms) / n)::numeric) END AS "less the scan"
FROM cost c JOIN bench.subject USING (name), (SELECT ms FROM cost WHERE name = 'scan') s,
     (SELECT count(*)::float8 AS n FROM bench.record) n
ORDER BY id;

\echo The ratios and what they are to reach: the median of the ratios within each round.
WITH target (id, above, below, target) AS (VALUES
    (1, 'datetime_to_timestamptz(t)', 't::timestamptz', 0.3),
    (2, 'sort_at(t, u)', 'least(t::timestamptz, u)', 0.5)
  ),
  ratio AS (
    SELECT id, above || ' / ' || below AS name, target,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY x.ms / y.ms) AS value,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY (x.ms - s.ms) / (y.ms - s.ms)) AS alone
    FROM target
      JOIN bench.result x ON x.name = above
      JOIN bench.result y ON y.name = below AND y.round = x.round
      JOIN bench.result s ON s.name = 'scan' AND s.round = x.round
    GROUP BY id, above, below, target
  )
SELECT name AS ratio, '<= ' || target AS target, round(value::numeric, 2) AS "with the scan",
       CASE WHEN value <= target THEN 'yes' ELSE 'no' END AS "met?", round(alone::numeric, 2) AS "less the scan"
FROM ratio
ORDER BY id;
