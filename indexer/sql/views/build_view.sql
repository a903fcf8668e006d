-- One view: its row in view_type, its definition, and the view itself.

-- The name of a type's view: a type keeps its name, and a new one gets a name that neither a view
-- nor an engine uses.
CREATE OR REPLACE FUNCTION view_place(this view_type, target regnamespace) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF this.view IS NOT NULL THEN
    RETURN view_full_name(this.view);
  END IF;
  RETURN (
    SELECT format('%s.%I', target, n) FROM numbered_names(view_name(ARRAY[this.nsid])) AS n
    WHERE to_regclass(format('%s.%I', target, n)) IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM pg_class
        WHERE relnamespace = target AND relkind IN ('r', 'v', 'm', 'p', 'f')
          AND ARRAY[view_stem(relname), view_stem(reserved_view_name(relname))]
              && ARRAY[view_stem(n), view_stem(reserved_view_name(n))])
    LIMIT 1);
END $$;

-- The condition by which the source's rows are the type's.
CREATE OR REPLACE FUNCTION view_condition(nsid text, only_key text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('atid.at_uri_collection(uri) = %L', nsid)
  -- the planner assumes that every second row matches; of an equality it would assume that few do
  || CASE WHEN only_key IS NULL THEN ''
     ELSE format(' AND CASE WHEN atid.at_uri_rkey(uri) = %L THEN true ELSE false END',
                 only_key) END;

-- Stores what a call of make_views() states about a type, and returns its row; view is NULL if
-- there is no view yet.
CREATE OR REPLACE FUNCTION store_view_type(
  lexicons atid.lexicon, nsid text, target regnamespace,
  source regclass, accounts regclass, conforming bool
) RETURNS view_type LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  main CONSTANT jsonb := atid.lexicon_document(lexicons, nsid) #> '{defs,main}';
  key CONSTANT text := nullif(substring(main->>'key' FROM '^literal:(.*)'), '');
  this view_type;
BEGIN
  SELECT v.* INTO this FROM view_type AS v JOIN pg_class AS c ON c.oid = v.view
  WHERE c.relnamespace = target AND v.nsid = store_view_type.nsid;
  IF NOT FOUND THEN
    INSERT INTO view_type AS v (nsid, source, condition)
    VALUES (store_view_type.nsid, store_view_type.source, '') RETURNING v.* INTO this;
  END IF;
  UPDATE view_type AS v
  SET only_key = key, source = store_view_type.source, accounts = store_view_type.accounts,
      condition = view_condition(store_view_type.nsid, key),
      conforming = store_view_type.conforming, description = main->>'description',
      lexicons = atid.lexicon_only(store_view_type.lexicons, ARRAY[store_view_type.nsid])
  WHERE v.n = this.n RETURNING v.* INTO this;
  RETURN this;
END $$;

-- The view as part of a statement. An existing column keeps its place, so that the view can be
-- replaced.
CREATE OR REPLACE FUNCTION view_definition(
  this view_type, full_name text, columns view_column[]
) RETURNS text LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (
    SELECT format('VIEW %s AS SELECT %s FROM %s AS s WHERE %s%s', full_name,
             string_agg(format('%s AS %I', w.expression, w.name), ', ' ORDER BY a.attnum, w.n),
             this.source, this.condition,
             CASE WHEN this.conforming
               THEN format(' AND (%s) IS NOT FALSE', conforms_expression(this)) ELSE '' END)
    FROM unnest(columns) WITH ORDINALITY AS w (view, name, path, kind, type, expression, most,
                                               filled, description, n)
         LEFT JOIN pg_attribute AS a ON a.attrelid = this.view AND a.attname = w.name);
END $$;

-- Creates the view of a type with these columns, or changes the existing one: replaces it or, if a
-- column has another type or was removed, drops it and creates it again with its rights. Returns
-- the statements that recreate what depends on it.
CREATE OR REPLACE FUNCTION build_view(
  this view_type, target regnamespace, columns view_column[]
) RETURNS text[] LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  full_name CONSTANT text NOT NULL := view_place(this, target);
  definition CONSTANT text NOT NULL := view_definition(this, full_name, columns);
  built regclass;
  rights text;
  searches text[];
  dependents text[] := '{}';
BEGIN
  BEGIN
    EXECUTE 'CREATE OR REPLACE ' || definition;
  EXCEPTION WHEN invalid_table_definition THEN
    rights := (SELECT rights_statement('TABLE', view_full_name(c.oid), c.relowner)
               FROM pg_class AS c WHERE c.oid = this.view);
    -- of the search that make_views() creates again
    searches := ARRAY(SELECT rights_statement('FUNCTION', p.oid::regprocedure::text, p.proowner)
                      FROM pg_proc AS p
                      WHERE p.oid IN (SELECT f FROM view_search_functions(this.view) AS f));
    dependents := searches || take_dependents(this.view);
    PERFORM drop_view(this.view);
    EXECUTE 'CREATE ' || definition;
    EXECUTE rights;
    UPDATE view_index AS i SET view = full_name::regclass WHERE i.view = this.view;
  END;
  built := full_name::regclass;
  DELETE FROM view_column AS k WHERE k.view = this.view;
  UPDATE view_type AS v SET view = built WHERE v.n = this.n;
  INSERT INTO view_column
  SELECT built, w.name, w.path, w.kind, w.type, w.expression, w.most, w.filled, w.description
  FROM unnest(columns) AS w;
  RETURN dependents;
END $$;
