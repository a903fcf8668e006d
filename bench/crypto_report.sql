-- The output of bench/crypto. Medians; in brackets the quartiles.

CREATE TEMP VIEW cost AS
SELECT name, q[1] AS low, q[2] AS ns, q[3] AS high
FROM (SELECT name, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ns) AS q
      FROM bench.result WHERE name NOT LIKE '% workers' GROUP BY name) r;

\echo
\echo Microseconds of processor time for a signature.
SELECT name, round((ns / 1000)::numeric, 2) AS us, format('%s-%s', round((low / 1000)::numeric, 2),
       round((high / 1000)::numeric, 2)) AS quartiles, round(1e9 / ns) AS "a second"
FROM cost ORDER BY name;

\echo The ratios and what they are to reach: the median of the ratios within each round.
WITH target (id, name, above, below, target) AS (VALUES
    (1, 'K-256: atid_crypto over libsecp256k1, a second', 'k256 in a C loop', 'k256', 0.8),
    (2, 'P-256: atid_crypto over OpenSSL, a second', 'p256 in a C loop', 'p256', 0.8),
    (3, 'K-256: atid_crypto over @atproto/crypto, a second', 'k256 in Node', 'k256', NULL),
    (4, 'P-256: atid_crypto over @atproto/crypto, a second', 'p256 in Node', 'p256', NULL),
    (5, 'two parallel workers over one', '1 workers', '2 workers', 1.7)
  )
SELECT t.name AS ratio, '>= ' || target AS target,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY x.ns / y.ns)::numeric, 2) AS value,
       CASE WHEN target IS NULL THEN '' WHEN percentile_cont(0.5) WITHIN GROUP (ORDER BY x.ns / y.ns) >= target
         THEN 'yes' ELSE 'no' END AS "met?"
FROM target t JOIN bench.result x ON x.name = above JOIN bench.result y ON y.name = below AND y.round = x.round
GROUP BY id, t.name, target
ORDER BY id;

\echo For COST: cheap operators that take as long.
SELECT c.name, round(((c.ns - s.ns) / ((o.ns - s.ns) / 20))::numeric, -1) AS operators
FROM cost c, cost s, cost o
WHERE s.name = 'scan' AND o.name = 'scan and 20 operators' AND c.name ~ '^(k256|p256)(, another key)?$'
ORDER BY 1;
