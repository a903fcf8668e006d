-- The results of bench/addresses: sizes and costs, then the ratios with their targets. Medians; in
-- brackets the quartiles.

\pset border 2
\pset footer off
\pset null ''

CREATE FUNCTION pg_temp.met(value float8, target float8) RETURNS text LANGUAGE sql
  RETURN CASE WHEN value IS NULL THEN '' WHEN value <= target THEN 'yes' ELSE 'no' END;

CREATE FUNCTION pg_temp.spread(low float8, high float8, digits int) RETURNS text LANGUAGE sql
  RETURN format('(%s-%s)', round(low::numeric, digits), round(high::numeric, digits));

CREATE TEMP VIEW quartile AS
  SELECT name, q[1] AS low, q[2] AS ms, q[3] AS high
    FROM (SELECT name, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY ms) AS q
            FROM bench.result GROUP BY name) r;

\echo
\echo The table: bytes for a like, in the table and in its indexes.
SELECT form, round(bytes::numeric / n) AS "bytes in all", round(pg_table_size(('bench.' || form)::regclass)::numeric / n) AS "in the table"
  FROM bench.size, (SELECT count(*) AS n FROM bench.source) n
  ORDER BY 1;

\echo Indexes.
SELECT c.relname AS index, round(pg_relation_size(i.indexrelid)::numeric / n) AS "bytes for a like"
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid, (SELECT count(*) AS n FROM bench.source) n
  WHERE i.indrelid IN ('bench.as_text'::regclass, 'bench.as_types'::regclass)
  ORDER BY 1;

\echo Milliseconds of a round.
SELECT name, round(ms::numeric) AS ms, pg_temp.spread(low, high, 0) AS quartiles
  FROM quartile ORDER BY name;

\echo The ratios and what they are to reach: the median of the ratios within each round, and their quartiles.
WITH target (id, name, above, below, target) AS (VALUES
    (2, 'load, COPY and indexes: types / text', 'load as_types', 'load as_text', 0.9),
    (3, 'build of an index: at_uri / text', 'index as_types', 'index as_text', 0.6),
    (4, 'look-up in a prepared statement: at_uri / text', 'look-up as_types', 'look-up as_text', 1.05),
    (5, 'at_uri_did(uri) / split_part(uri, ''/'', 3)', 'at_uri_did(uri)', 'split_part(uri, ''/'', 3)', 0.5),
    (6, 'uri <@ scope / LIKE with text_pattern_ops', 'within as_types', 'within as_text', 1.0)
  ),
  -- both sides of a round were measured close together, whatever else ran on the machine
  ratio (id, name, target, value, alone) AS (
    SELECT t.id, t.name, t.target, x.ms / y.ms, (x.ms - coalesce(xs.ms, 0)) / (y.ms - ys.ms)
      FROM target t
        JOIN bench.result x ON x.name = above
        JOIN bench.result y ON y.name = below AND y.round = x.round
        LEFT JOIN bench.subject a ON a.name = above
        LEFT JOIN bench.subject b ON b.name = below
        LEFT JOIN bench.result xs ON xs.name = a.scan AND xs.round = x.round
        LEFT JOIN bench.result ys ON ys.name = b.scan AND ys.round = x.round
  ),
  result (id, name, value, low, high, alone, target) AS (
    SELECT id, name, q[2], q[1], q[3], percentile_cont(0.5) WITHIN GROUP (ORDER BY alone), target
      FROM ratio JOIN (SELECT id, percentile_cont('{0.25,0.5,0.75}'::float8[]) WITHIN GROUP (ORDER BY value) AS q
                         FROM ratio GROUP BY id) s USING (id)
      GROUP BY id, name, q, target
    UNION ALL
    SELECT 1, 'size with all indexes: types / text', a.bytes::float8 / t.bytes, NULL, NULL, NULL, 0.65
      FROM bench.size a, bench.size t
      WHERE a.form = 'as_types' AND t.form = 'as_text'
  )
SELECT name AS ratio, '<= ' || target AS target, round(value::numeric, 2) AS measured,
       CASE WHEN low IS NOT NULL THEN pg_temp.spread(low, high, 2) END AS quartiles, pg_temp.met(value, target) AS "met?",
       round(alone::numeric, 2) AS "less the scan"
  FROM result
  ORDER BY id;
