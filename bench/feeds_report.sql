-- Milliseconds of the processor, less those of the loop, as medians of the rounds with the quartiles; and the ratio to
-- a page by the index of the feed in the same run.
SELECT w.name, round(m.ms::numeric, 3) AS ms, format('[%s, %s]', round(m.low::numeric, 3), round(m.high::numeric, 3)) AS quartiles,
       round((m.ms / p.ms)::numeric, 2) AS ratio, w.target
FROM bench.work AS w
JOIN LATERAL (
  SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r.ns - n.ns) / 1e6 AS ms, percentile_cont(0.25) WITHIN GROUP (ORDER BY r.ns - n.ns) / 1e6 AS low,
         percentile_cont(0.75) WITHIN GROUP (ORDER BY r.ns - n.ns) / 1e6 AS high
  FROM bench.result AS r JOIN bench.result AS n ON n.round = r.round AND n.name = 'nothing' WHERE r.name = w.name) AS m ON true
CROSS JOIN (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) / 1e6 AS ms FROM bench.result WHERE name = 'a word, by the index of the feed') AS p
WHERE w.name <> 'nothing' ORDER BY w.ctid;
SELECT pg_size_pretty(pg_relation_size(i)) AS index_of_the_feed FROM indexer.feed_indexes('cats') AS i;
