-- Typed views of records, made from their Lexicons. doc/views.md tells how they are used.
--
--   make_views(lexicons, source, target)   a view for each record type in the schema target: made anew if its Lexicon
--                                          has changed, dropped if it is gone; returns how many there are
--   make_view_index(view, columns)         an index of the source, for queries of a view by these columns
--
-- The source is a table with a column uri of type atid.at_uri, and with the records in a column block (bytea,
-- DAG-CBOR) or record (jsonb). If it also has the columns did and cid, the views use them.
--
-- A column is NULL where the record does not have the property, or has a value that the column's type cannot hold. So
-- no record in a valid block makes a query fail.
--
-- Load this file into a schema of its own, for example with PGOPTIONS='-c search_path=views'.

-- The columns of the views.
CREATE TABLE view_column (
  view       regclass,
  name       name,
  nsid       text NOT NULL,    -- of the record type
  path       text[],           -- of the property; NULL: it is not of the record
  source     regclass NOT NULL,
  expression text NOT NULL,    -- over a row of the source
  PRIMARY KEY (view, name)
);

-- Fill this by hand: the columns that point at records of a type. The comments of the views then tell it to engines.
CREATE TABLE view_reference (
  nsid   text,    -- the type that has the column
  path   text[],  -- of the property
  target text,    -- the type of the records at which it points
  PRIMARY KEY (nsid, path, target)
);

-- The name of a view or column: "app.bsky.feed.post" gives app_bsky_feed_post, and "createdAt" created_at.
CREATE FUNCTION view_name(path text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN n = '' THEN 'field'
                    WHEN octet_length(n) > 57 THEN left(n, 48) || '_' || left(md5(array_to_string(path, '.')), 8) ELSE n END
        FROM trim('_' FROM lower(regexp_replace(regexp_replace(array_to_string(path, '_'),
          '([a-z0-9])([A-Z])', '\1_\2', 'g'), '[^A-Za-z0-9]+', '_', 'g'))) AS n);

-- A schema with what it needs to be read: a reference is replaced by its definition, and "home" is the document to
-- which further references belong.
CREATE FUNCTION view_schema(lexicons atid.lexicon, home text, schema jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN schema->>'type' = 'ref' THEN (
    SELECT coalesce(atid.lexicon_document(lexicons, nsid) #> ARRAY['defs', coalesce(nullif(split_part(schema->>'ref', '#', 2), ''), 'main')], '{}')
           || jsonb_strip_nulls(jsonb_build_object('home', nsid, 'description', schema->'description'))
    FROM coalesce(nullif(split_part(schema->>'ref', '#', 1), ''), home) AS nsid)
  ELSE schema || jsonb_build_object('home', home) END;

-- The columns of a record type: each property of the record, and the strings, numbers and truth values of objects in
-- it, to a path of three steps: reply.parent.uri is the column reply_parent_uri.
CREATE FUNCTION view_columns(lexicons atid.lexicon, nsid text, OUT name text, OUT path text[], OUT type text, OUT description text)
RETURNS SETOF record LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE BEGIN ATOMIC
  WITH RECURSIVE property (path, schema) AS (
    SELECT ARRAY[key], view_schema(lexicons, view_columns.nsid, value)
    FROM jsonb_each(atid.lexicon_document(lexicons, view_columns.nsid) #> '{defs,main,record,properties}')
    UNION ALL
    SELECT path || key, view_schema(lexicons, schema->>'home', value)
    FROM property, jsonb_each(schema->'properties')
    WHERE schema->>'type' = 'object' AND cardinality(path) < 3
  ), typed AS (
    SELECT view_name(path) AS name, path, schema->>'description' AS description,
           CASE schema->>'type'
             WHEN 'string' THEN CASE schema->>'format' WHEN 'at-uri' THEN 'atid.at_uri' WHEN 'did' THEN 'atid.did' WHEN 'tid' THEN 'atid.tid'
                                  WHEN 'cid' THEN 'atid.cid_link' WHEN 'datetime' THEN 'timestamptz' ELSE 'text' END
             WHEN 'token' THEN 'text' WHEN 'cid-link' THEN 'link'
             WHEN 'integer' THEN 'bigint' WHEN 'boolean' THEN 'boolean' ELSE 'jsonb' END AS type
    FROM property
  )
  SELECT concat_ws('_', name, nullif(n, 1)), path, type, description
  FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY path IS NOT NULL, cardinality(path), path) AS n
        FROM (SELECT name, path, type, description FROM typed WHERE cardinality(path) = 1 OR type <> 'jsonb'
              UNION ALL SELECT unnest('{uri,did,rkey,cid,author_handle}'::text[]), NULL, NULL, NULL) AS c) AS c
  WHERE path IS NOT NULL;
END;

-- The expression of a column, by the column of the source that has the record.
CREATE FUNCTION view_expression(type text, path text[], source text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT format(CASE type
    WHEN 'text' THEN 'CASE WHEN %2$s = ''string'' THEN %1$s END'
    WHEN 'link' THEN 'CASE WHEN %2$s <> ''string'' AND atid.cid_is_valid(%4$s) THEN (%4$s)::atid.cid_link END'
    WHEN 'atid.cid_link' THEN 'CASE WHEN %2$s = ''string'' AND atid.cid_is_valid(%1$s) THEN (%1$s)::atid.cid_link END'
    WHEN 'atid.tid' THEN 'CASE WHEN %2$s = ''string'' AND atid.tid_is_valid(%1$s) THEN (%1$s)::atid.tid END'
    WHEN 'atid.did' THEN 'atid.did_or_null(%1$s)'
    -- a b-tree holds no entries that are much longer
    WHEN 'atid.at_uri' THEN 'CASE WHEN octet_length(%1$s) <= 1200 THEN atid.at_uri_or_null(%1$s) END'
    WHEN 'timestamptz' THEN 'atid.datetime_or_null(%1$s)'
    WHEN 'boolean' THEN 'CASE %3$s WHEN ''true'' THEN true WHEN ''false'' THEN false END'
    WHEN 'bigint' THEN 'jsonb_path_query_first(%3$s, ''strict $ ? (@ >= -9223372036854775808 && @ <= 9223372036854775807 && @.floor() == @)'')::bigint'
    ELSE '%3$s' END, text, typeof, json, link)
  FROM (SELECT format('atid.dag_cbor_get_text(block, %L)', path), format('atid.dag_cbor_typeof(block, %L)', path),
               format('atid.dag_cbor_get(block, %L)', path), format('atid.dag_cbor_get_text(block, %L)', path)
        WHERE source = 'block'
        UNION ALL
        SELECT format('(record #>> %L)', path), format('jsonb_typeof(record #> %L)', path),
               format('(record #> %L)', path), format('(record #>> %L)', path || '{$link}')
        WHERE source = 'record') AS a (text, typeof, json, link));

-- With accounts, a table or view with the columns did and handle, each record has the handle of its account.
CREATE FUNCTION make_views(lexicons atid.lexicon, source regclass, target regnamespace, accounts regclass DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  has name[] NOT NULL := ARRAY(
    SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum > 0 AND NOT attisdropped);
  kind text NOT NULL := CASE WHEN 'block' = ANY (has) THEN 'block' ELSE 'record' END;
  did text NOT NULL := CASE WHEN 'did' = ANY (has) THEN 'did' ELSE 'atid.at_uri_did(uri)' END;
  own text NOT NULL := format('uri, %s AS did, atid.at_uri_rkey(uri) AS rkey', did)
    || CASE WHEN 'cid' = ANY (has) THEN ', cid' ELSE '' END
    || CASE WHEN accounts IS NULL THEN '' ELSE format(', (SELECT a.handle FROM %s AS a WHERE a.did = %s) AS author_handle', accounts,
                                                      CASE WHEN 'did' = ANY (has) THEN 's.did' ELSE did END) END;
  t record;
  c record;
  definition text;
BEGIN
  -- What is gone goes first: another type can get its name.
  FOR t IN
    SELECT DISTINCT view, nsid FROM view_column JOIN pg_class ON oid = view AND relnamespace = target
    WHERE atid.lexicon_document(lexicons, nsid) #>> '{defs,main,type}' IS DISTINCT FROM 'record'
  LOOP
    EXECUTE format('DROP VIEW %s', t.view);
  END LOOP;
  DELETE FROM view_column WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = view);

  FOR t IN
    SELECT nsid, format('%s.%I', target, concat_ws('_', name, nullif(row_number() OVER (PARTITION BY name ORDER BY nsid), 1))) AS view,
           d.document #>> '{defs,main,description}' AS description
    FROM unnest(atid.lexicon_nsids(lexicons)) AS nsid,
         LATERAL (SELECT atid.lexicon_document(lexicons, nsid), view_name(ARRAY[nsid])) AS d (document, name)
    WHERE d.document #>> '{defs,main,type}' = 'record'
  LOOP
    -- A column that was there keeps its place, so that the view can be replaced.
    SELECT string_agg(format(', %s AS %I', view_expression(w.type, w.path, kind), w.name), '' ORDER BY attnum, w.path) INTO definition
    FROM view_columns(lexicons, t.nsid) AS w
         LEFT JOIN pg_attribute ON attrelid = to_regclass(t.view) AND attname = w.name;
    definition := format('VIEW %s AS SELECT %s%s FROM %s AS s WHERE atid.at_uri_collection(uri) = %L', t.view, own, definition, source, t.nsid);
    BEGIN
      EXECUTE 'CREATE OR REPLACE ' || definition;
    EXCEPTION WHEN invalid_table_definition THEN
      EXECUTE format('DROP VIEW %s', t.view);
      EXECUTE 'CREATE ' || definition;
    END;
    DELETE FROM view_column WHERE view = t.view::regclass OR NOT EXISTS (SELECT FROM pg_class WHERE oid = view);
    INSERT INTO view_column VALUES (t.view::regclass, 'uri', t.nsid, NULL, source, 'uri'), (t.view::regclass, 'did', t.nsid, NULL, source, did),
      (t.view::regclass, 'rkey', t.nsid, NULL, source, 'atid.at_uri_rkey(uri)');
    FOR c IN SELECT * FROM view_columns(lexicons, t.nsid) LOOP
      INSERT INTO view_column VALUES (t.view::regclass, c.name, t.nsid, c.path, source, view_expression(c.type, c.path, kind));
      EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', t.view, c.name, c.description);
    END LOOP;
    EXECUTE format('COMMENT ON VIEW %s IS %L', t.view, t.description);
  END LOOP;

  -- Engines take the keys of a view from its comment: PostGraphile @primaryKey and @foreignKey, pg_graphql @graphql.
  FOR t IN
    SELECT v.view, concat_ws(E'\n', '@primaryKey uri', f.tags,
             format('@graphql({"primary_key_columns": ["uri"], "foreign_keys": %s})', coalesce(f.keys, '[]')),
             obj_description(v.view, 'pg_class')) AS comment
    FROM (SELECT DISTINCT view, nsid FROM view_column JOIN pg_class ON oid = view AND relnamespace = target) AS v,
         LATERAL (
           SELECT string_agg(format('@foreignKey (%s) references %s.%s (%s)', f.name, n.nspname, r.relname, f.key), E'\n' ORDER BY f.name, r.relname),
                  jsonb_agg(jsonb_build_object('local_columns', ARRAY[f.name], 'foreign_schema', n.nspname,
                                               'foreign_table', r.relname, 'foreign_columns', ARRAY[f.key]) ORDER BY f.name, r.relname)
           FROM (SELECT DISTINCT k.name, 'uri' AS key, aim.view AS target
                 FROM view_reference AS p JOIN view_column AS k ON k.view = v.view AND k.path = p.path JOIN view_column AS aim ON aim.nsid = p.target
                 WHERE p.nsid = v.nsid
                 UNION ALL
                 SELECT 'did', 'did', accounts
                 UNION ALL
                 SELECT attname, 'did', accounts FROM pg_attribute
                 WHERE attrelid = v.view AND atttypid = 'atid.did'::regtype AND attname <> 'did') AS f
             JOIN pg_class AS r ON r.oid = f.target AND r.relnamespace = make_views.target JOIN pg_namespace AS n ON n.oid = r.relnamespace
         ) AS f (tags, keys)
  LOOP
    EXECUTE format('COMMENT ON VIEW %s IS %L', t.view, t.comment);
  END LOOP;
  RETURN (SELECT count(DISTINCT view) FROM view_column JOIN pg_class ON oid = view AND relnamespace = target);
END
$$;

-- An index for queries of a view by these columns, in this order. It has the name of the view and its columns. The
-- statistics tell the planner how many of the records the view has.
CREATE FUNCTION make_view_index(view regclass, VARIADIC columns name[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  table_name name;
  space regnamespace;
BEGIN
  SELECT relname, relnamespace INTO table_name, space
  FROM view_column AS c JOIN pg_class ON oid = c.source WHERE c.view = make_view_index.view LIMIT 1;
  table_name := left(table_name, 40) || '_collection_stats';
  IF NOT EXISTS (SELECT FROM pg_statistic_ext WHERE stxname = table_name AND stxnamespace = space) THEN
    EXECUTE (SELECT format('CREATE STATISTICS %s.%I ON (atid.at_uri_collection(uri)) FROM %s', space, table_name, source)
             FROM view_column AS c WHERE c.view = make_view_index.view LIMIT 1);
  END IF;
  EXECUTE (
    SELECT format('CREATE INDEX IF NOT EXISTS %I ON %s (%s) WHERE atid.at_uri_collection(uri) = %L',
             view_name(ARRAY[c.nsid] || columns::text[]), c.source, string_agg(format('(%s)', c.expression), ', ' ORDER BY w.n), c.nsid)
    FROM unnest(columns) WITH ORDINALITY AS w (name, n) JOIN view_column AS c ON c.view = make_view_index.view AND c.name = w.name
    GROUP BY c.nsid, c.source HAVING count(*) = cardinality(columns));
END
$$;
