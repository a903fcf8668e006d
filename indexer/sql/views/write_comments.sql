-- The comments of the views. Engines read the keys in them: PostGraphile @primaryKey, @foreignKey
-- and @unique, and pg_graphql @graphql, which PostGraphile must take for an unknown tag.

-- The columns of a view that point at the key of another one, in the same schema.
CREATE OR REPLACE FUNCTION view_joins(of regclass)
RETURNS TABLE (name name, schema name, target name, key text) LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE this view_type;
BEGIN
  SELECT * INTO this FROM view_type AS t WHERE t.view = of;
  RETURN QUERY
  SELECT f.name, n.nspname, r.relname, f.key
  FROM (
    SELECT k.name, 'uri' AS key, aim.view AS aim
    FROM view_reference AS p
         JOIN view_column AS k ON k.view = of AND k.path = p.path AND k.type = 'atid.at_uri'
         JOIN view_type AS aim ON aim.nsid = p.target
    WHERE p.nsid = this.nsid
    UNION
    SELECT k.name, 'did', this.accounts FROM view_column AS k
    WHERE k.view = of AND k.type = 'atid.did'
    UNION
    -- the one record of an account; between two such types one join is enough, as engines follow it
    -- both ways
    SELECT k.name, 'did', aim.view FROM view_column AS k CROSS JOIN view_type AS aim
    WHERE k.view = of AND k.type = 'atid.did' AND aim.only_key IS NOT NULL
      AND (k.path IS NOT NULL
           OR aim.view <> of AND (this.only_key IS NULL OR this.nsid < aim.nsid))) AS f
  JOIN pg_class AS r ON r.oid = f.aim
    AND r.relnamespace = (SELECT c.relnamespace FROM pg_class AS c WHERE c.oid = of)
  JOIN pg_namespace AS n ON n.oid = r.relnamespace
  ORDER BY f.name, r.relname;
END $$;

-- A different name for PostGraphile, if it has types of its own named after the view's name, which
-- 1.3.0 may have created; otherwise NULL.
CREATE OR REPLACE FUNCTION view_api_name(of regclass) RETURNS text LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (
    SELECT n FROM pg_class AS v, numbered_names(reserved_view_name(v.relname)) AS n
    WHERE v.oid = of AND reserved_view_name(v.relname) <> v.relname
      AND NOT EXISTS (
        SELECT 1 FROM pg_class AS o
        WHERE o.relnamespace = v.relnamespace AND o.relkind IN ('r', 'v', 'm', 'p', 'f')
          AND view_stem(o.relname) = view_stem(n))
    LIMIT 1);
END $$;

-- The comment of a view itself.
CREATE OR REPLACE FUNCTION view_comment(of regclass) RETURNS text LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  this view_type;
  tags text;
  keys jsonb;
BEGIN
  SELECT * INTO this FROM view_type AS t WHERE t.view = of;
  SELECT string_agg(format('@foreignKey (%s) references %s.%s (%s)', j.name, j.schema, j.target,
                           j.key), E'\n' ORDER BY j.name, j.target),
         jsonb_agg(jsonb_build_object(
           'local_columns', ARRAY[j.name], 'foreign_schema', j.schema,
           'foreign_table', j.target, 'foreign_columns', ARRAY[j.key]) ORDER BY j.name, j.target)
  INTO tags, keys FROM view_joins(of) AS j;
  RETURN concat_ws(E'\n', '@primaryKey uri', '@name ' || view_api_name(of),
    CASE WHEN this.only_key IS NOT NULL THEN '@unique did' END, tags,
    format('@pgGraphql @graphql(%s)', jsonb_build_object(
      'primary_key_columns', '{uri}'::text[], 'foreign_keys', coalesce(keys, '[]'))),
    view_text(this.description));
END $$;

-- The comments of its columns. PostGraphile can order by a column that is the first of a b-tree,
-- and filter by one that is the first of any index.
CREATE OR REPLACE FUNCTION column_comments(of regclass) RETURNS TABLE (name name, comment text)
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY
  SELECT k.name, nullif(concat_ws(E'\n',
           CASE WHEN k.filled THEN '@notNull' END,
           CASE WHEN i.ordered
                THEN '@behavior +attribute:orderBy +attribute:filterBy +attribute:filter'
                WHEN i.ordered IS NOT NULL
                     OR k.name IN ('conforms', 'hidden') AND k.path IS NULL
                THEN '@behavior +attribute:filterBy +attribute:filter' END,
           view_text(k.description)), '')
  FROM view_column AS k LEFT JOIN (
         SELECT x.columns[1] AS name, bool_or(is_btree(x.index)) AS ordered FROM view_index AS x
         WHERE x.view = of AND NOT x.search GROUP BY 1) AS i ON i.name = k.name
  WHERE k.view = of;
END $$;

CREATE OR REPLACE FUNCTION write_view_comment(of regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE c record;
BEGIN
  EXECUTE format('COMMENT ON VIEW %s IS %L', view_full_name(of), view_comment(of));
  FOR c IN SELECT * FROM column_comments(of) LOOP
    EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', view_full_name(of), c.name, c.comment);
  END LOOP;
END $$;

-- Writes the comments of all views of a schema, with the joins that view_reference has now.
CREATE OR REPLACE FUNCTION write_view_comments(target regnamespace) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM write_view_comment(v.view) FROM view_type AS v JOIN pg_class AS c ON c.oid = v.view
  WHERE c.relnamespace = target AND v.nsid IS NOT NULL;
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END $$;
