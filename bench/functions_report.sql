-- The results of bench/functions: medians. The unit is the median of the server's functions of COST
-- 1.

\pset border 2
\pset footer off

CREATE TEMP VIEW cost AS
  SELECT s.*, percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) AS ns FROM bench.result r JOIN bench.subject s ON r.name = s.function::text GROUP BY s.function, s.cost, s.rows, s.known, s.arguments;
CREATE TEMP TABLE unit AS SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) AS ns FROM cost WHERE known;

\echo
\echo Functions of the server that have COST 1, in nanoseconds.
SELECT function, round(ns::numeric, 1) AS ns FROM cost WHERE known ORDER BY cost.ns;

\echo
\echo Nanoseconds, the same in units, COST, and the two by each other: far from 1 if it is more than 3 or less than a third.
SELECT function, round(l.ns::numeric, 1) AS ns, round((l.ns / unit.ns)::numeric, 1) AS units, l.cost, round((l.ns / unit.ns / l.cost)::numeric, 2) AS ratio,
       CASE WHEN l.ns / unit.ns / l.cost NOT BETWEEN 1 / 3.0 AND 3 THEN 'far' ELSE '' END AS far
  FROM cost l, unit WHERE NOT known ORDER BY l.ns / unit.ns / l.cost DESC;
