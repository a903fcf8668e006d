-- The output of bench/proof. Medians; in brackets the quartiles.

\echo
\echo Microseconds of processor time for an operation, or for a signature in the loop.
SELECT name, round((q[2] / 1000)::numeric, 2) AS us,
       format('%s-%s', round((q[1] / 1000)::numeric, 2), round((q[3] / 1000)::numeric, 2)) AS quartiles,
       round(1e9 / q[2]) AS "a second"
FROM (SELECT name, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ns) AS q
      FROM bench.result GROUP BY name) AS r ORDER BY name;

\echo The ratios and what they are to reach: the median of the ratios within each round.
WITH target (id, name, above, below, target) AS (VALUES
    (1, 'K-256, the first key signs: operations over libsecp256k1, a second', 'k256 in a C loop', 'k256 1 of 2', 0.75),
    (2, 'K-256, the second key signs', 'k256 in a C loop', 'k256 2 of 2', 0.75),
    (3, 'K-256, by turns', 'k256 in a C loop', 'k256 by turns', NULL),
    (4, 'P-256, the second key signs: operations over OpenSSL, a second', 'p256 in a C loop', 'p256 2 of 2', NULL)
  )
SELECT t.name AS ratio, '>= ' || target AS target,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY x.ns / y.ns)::numeric, 2) AS value,
       CASE WHEN target IS NULL THEN '' WHEN percentile_cont(0.5) WITHIN GROUP (ORDER BY x.ns / y.ns) >= target
         THEN 'yes' ELSE 'no' END AS "met?"
FROM target t JOIN bench.result x ON x.name = above JOIN bench.result y ON y.name = below AND y.round = x.round
GROUP BY id, t.name, target
ORDER BY id;
