-- What bench/functions measured: the least of the rounds, as the rest is what others do to the caches. The unit is the
-- middle of the server's functions of COST 1.

\pset border 2
\pset footer off

CREATE TEMP VIEW least AS
  SELECT s.*, min(ns) AS ns FROM bench.result r JOIN bench.subject s ON r.name = s.function::text GROUP BY s.function, s.cost, s.rows, s.known, s.arguments;
CREATE TEMP TABLE unit AS SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) AS ns FROM least WHERE known;

\echo
\echo Functions of the server that have COST 1, in nanoseconds.
SELECT function, round(ns::numeric, 1) AS ns FROM least WHERE known ORDER BY least.ns;

\echo
\echo Nanoseconds, the same in units, COST, and the two by each other: far from 1 if it is more than 3 or less than a third.
SELECT function, round(l.ns::numeric, 1) AS ns, round((l.ns / unit.ns)::numeric, 1) AS units, cost, round((l.ns / unit.ns / cost)::numeric, 2) AS ratio,
       CASE WHEN l.ns / unit.ns / cost NOT BETWEEN 1 / 3.0 AND 3 THEN 'far' ELSE '' END AS far
  FROM least l, unit WHERE NOT known ORDER BY l.ns / unit.ns / cost DESC;
