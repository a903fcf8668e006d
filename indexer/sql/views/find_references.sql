-- Finds the types at which the columns of the views point, in the records, for view_reference.

-- Fills view_reference from the indexer's table reference: with the types at which at least one in
-- a hundred of a column's references points, so that a stranger cannot add one. Of a large table it
-- reads a million rows.
CREATE OR REPLACE FUNCTION find_references() RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  part float8;
  added bigint;
BEGIN
  IF to_regclass('reference') IS NULL THEN
    RAISE undefined_table USING
      MESSAGE = 'find_references() needs the table reference of the indexer',
      HINT = 'Fill view_reference by hand.';
  END IF;
  SELECT least(100, 1e8 / greatest(reltuples, 1)) INTO part
  FROM pg_class WHERE oid = 'reference'::regclass;
  WITH seen AS (
    SELECT r.collection, r.path, atid.at_uri_collection(r.subject)::text AS target,
           count(*) AS n, sum(count(*)) OVER (PARTITION BY r.collection, r.path) AS of
    FROM reference AS r TABLESAMPLE SYSTEM (part) GROUP BY 1, 2, 3
  )
  INSERT INTO view_reference (nsid, path, target)
  SELECT DISTINCT t.nsid, c.path, s.target
  FROM view_column AS c JOIN view_type AS t ON t.view = c.view
       JOIN seen AS s ON s.collection = t.nsid AND s.path = view_field(c.path)
  WHERE c.kind = 'property' AND c.type = 'atid.at_uri'
    AND s.target IS NOT NULL AND s.n * 100 >= s.of
  ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS added = ROW_COUNT;
  RETURN added;
END $$;

-- Likewise for the columns that view_reference does not have yet, by their b-trees: it reads at
-- most 1,000 values of each, however large the tables are, and so can be called every few seconds.
CREATE OR REPLACE FUNCTION find_new_references() RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  c record;
  n bigint;
  added bigint := 0;
BEGIN
  FOR c IN
    SELECT DISTINCT ON (t.nsid, k.path) t.nsid, k.path, k.expression, t.condition,
           view_full_name(t.source) AS source
    FROM view_column AS k JOIN view_type AS t ON t.view = k.view
         JOIN view_index AS i ON i.view = k.view AND i.columns[1] = k.name AND NOT i.search
    WHERE k.kind = 'property' AND k.type = 'atid.at_uri' AND t.nsid IS NOT NULL
      AND is_btree(i.index)
      AND NOT EXISTS (SELECT 1 FROM view_reference AS r WHERE r.nsid = t.nsid AND r.path = k.path)
    ORDER BY t.nsid, k.path
  LOOP
    -- in the order of the index, so that no plan reads the table
    EXECUTE format('WITH seen AS (
        SELECT atid.at_uri_collection(v.aim)::text AS target, count(*) AS n,
               sum(count(*)) OVER () AS of
        FROM (SELECT %1$s AS aim FROM %2$s
              WHERE %3$s AND (%1$s) IS NOT NULL ORDER BY 1 LIMIT 1000) AS v
        GROUP BY 1)
      INSERT INTO view_reference (nsid, path, target)
      SELECT $1, $2, s.target FROM seen AS s WHERE s.target IS NOT NULL AND s.n * 100 >= s.of
      ON CONFLICT DO NOTHING', c.expression, c.source, c.condition) USING c.nsid, c.path;
    GET DIAGNOSTICS n = ROW_COUNT;
    added := added + n;
  END LOOP;
  RETURN added;
END $$;

-- A path as in the indexer's table reference.
CREATE OR REPLACE FUNCTION view_field(path text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path FROM CURRENT AS $$
  SELECT regexp_replace(
           ltrim(string_agg(
             CASE WHEN k ~ '^[A-Za-z_$][A-Za-z0-9_$]*$' THEN '.' || k
               ELSE format('[%s]', to_jsonb(k)) END, '' ORDER BY n), '.'),
           '(.)\.uri$', '\1')
  FROM unnest(path) WITH ORDINALITY AS u (k, n)
$$;
