-- The dependents of a view of records, such as feeds: they are dropped before the view is
-- recreated, and recreated after it.

-- The objects that depend on others, however indirectly, each with its distance: that of the
-- objects to start from is 0.
CREATE OR REPLACE FUNCTION view_dependents_of(
  classes oid[], ids oid[], OUT class oid, OUT id oid, OUT depth int
) RETURNS SETOF record LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  WITH RECURSIVE found (class, id, depth) AS (
    SELECT c, i, 0 FROM unnest(classes, ids) AS s (c, i)
    UNION
    SELECT o.class, o.id, f.depth + 1
    FROM found AS f
         LEFT JOIN pg_class AS v ON f.class = 'pg_class'::regclass AND v.oid = f.id
         LEFT JOIN pg_type AS t ON t.oid = v.reltype
         JOIN pg_depend AS d
           ON d.deptype = 'n' AND (d.refclassid, d.refobjid)
              IN ((f.class, f.id), ('pg_type'::regclass, t.oid), ('pg_type'::regclass, t.typarray))
         LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid,
         LATERAL (SELECT CASE WHEN r.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END,
                         coalesce(r.ev_class, d.objid)) AS o (class, id)
    WHERE f.depth < 100 AND (o.class, o.id) <> (f.class, f.id)
  )
  SELECT f.class, f.id, max(f.depth) FROM found AS f GROUP BY f.class, f.id
$$;

-- The statement that creates a view or function. It names everything with schemas.
CREATE OR REPLACE FUNCTION dependent_definition(class regclass, id oid) RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
RETURN CASE class WHEN 'pg_class'::regclass THEN pg_get_viewdef(id) ELSE pg_get_functiondef(id) END;

-- The columns that a view or function reads, by the names of now.
CREATE OR REPLACE FUNCTION columns_read(class regclass, id oid) RETURNS text[]
LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT coalesce(array_agg(DISTINCT n.name ORDER BY n.name), '{}')
  FROM (SELECT class, id WHERE class = 'pg_proc'::regclass
        UNION ALL
        SELECT 'pg_rewrite'::regclass, r.oid FROM pg_rewrite AS r
        WHERE class = 'pg_class'::regclass AND r.ev_class = id) AS o (class, id)
       JOIN pg_depend AS d ON d.classid = o.class AND d.objid = o.id
       JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
       CROSS JOIN format('%s.%I', view_full_name(a.attrelid), a.attname) AS n (name)
  WHERE d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0 AND d.deptype = 'n'
$$;

-- Raises an error if an object that was created again reads other columns than before. The server
-- writes the names that columns have in a query by their positions, which may be others now.
CREATE OR REPLACE FUNCTION check_columns_read(class regclass, id oid, before text[]) RETURNS void
LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF columns_read(class, id) <> before THEN
    RAISE invalid_column_reference USING
      MESSAGE = format('it would read %s, and not %s',
                       array_to_string(columns_read(class, id), ', '),
                       array_to_string(before, ', '));
  END IF;
END $$;

-- The functions whose rows are those of a view, with their schemas; unshared: no other function has
-- the name.
CREATE OR REPLACE FUNCTION functions_with_rows_of(view regclass, unshared bool) RETURNS text[]
LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT AS $$
  SELECT coalesce(array_agg(f.name), '{}')
  FROM (SELECT format('%I.%I', n.nspname, p.proname)
        FROM pg_class AS c
             JOIN pg_proc AS r ON r.prorettype = c.reltype
             JOIN pg_proc AS p ON p.pronamespace = r.pronamespace AND p.proname = r.proname
             JOIN pg_namespace AS n ON n.oid = p.pronamespace
        WHERE c.oid = view
        GROUP BY n.nspname, p.proname
        HAVING NOT unshared OR bool_and(p.prorettype = c.reltype)) AS f (name)
$$;

-- The literals, names, parentheses, and what is between them, of a definition.
CREATE OR REPLACE FUNCTION definition_tokens(definition text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path FROM CURRENT AS $$
  SELECT array_agg(r.m[1] ORDER BY r.n)
  FROM regexp_matches(
    definition,
    $re$'(?:[^']|'')*'|(?:(?:"(?:[^"]|"")*"|[\w$]+)\.?)+|[()]|[^'"()\w$]+$re$, 'g')
    WITH ORDINALITY AS r (m, n)
$$;

-- Removes the columns that the server names in "FROM api.search_post('x') s(uri, did, ...)" for the
-- functions of a view, as they were the first when the definition was made; without them, s has
-- those of the new view. The same words elsewhere stay. NULL: the definition gives columns of the
-- view names by their positions, for which others can be there now.
CREATE OR REPLACE FUNCTION without_columns(
  definition text, view text, columns text, functions text[], shared_names text[]
) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  t text[] := definition_tokens(definition);
  every CONSTANT text[] NOT NULL := functions || shared_names;
  opened int[] := '{}';  -- the parentheses that are open
  begins int[] := array_fill(NULL::int, ARRAY[cardinality(t)]);  -- where the one that ends here did
  o int;
  list text;
BEGIN
  FOR i IN 1 .. cardinality(t) LOOP
    IF t[i] = '(' THEN
      -- "ROWS FROM(api.search_post('x'), ...) s(...)"
      IF t[i - 1] = ANY (every) AND t[opened[cardinality(opened)] - 1] = 'FROM' THEN
        RETURN NULL;
      END IF;
      opened := opened || i;
    ELSIF t[i] = ')' THEN
      o := opened[cardinality(opened)];
      opened := trim_array(opened, 1);
      begins[i] := o;
      CONTINUE WHEN o < 4 OR t[o - 2] !~ '^\s+$' OR t[o - 1] IN ('OPERATOR', 'AS');
      list := array_to_string(t[o:i], '');
      IF t[begins[o - 3] - 1] = ANY (functions)
         AND starts_with(left(columns, -1) || ', ', left(list, -1) || ', ') THEN
        t[o:i] := array_fill(''::text, ARRAY[i - o + 1]);
      ELSIF t[o - 3] = view OR t[begins[o - 3] - 1] = ANY (every)
            OR t[o - 3] = 'ORDINALITY' AND t[begins[o - 7] - 1] = ANY (every)
            -- "(a JOIN b) s(...)", but not "(SELECT ...) s(...)"
            OR t[begins[o - 3] + 1] !~ '^\s' AND t[begins[o - 3]:o - 3] && (every || view) THEN
        RETURN NULL;
      END IF;
    END IF;
  END LOOP;
  RETURN array_to_string(t, '');
END $$;

-- The statements that recreate a view as it is, with its owner, rights and comments.
CREATE OR REPLACE FUNCTION view_statements(view oid) RETURNS text[] LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT ARRAY[format('CREATE VIEW %s%s AS %s', n.name,
                      ' WITH (' || array_to_string(c.reloptions, ', ') || ')',
                      dependent_definition('pg_class', c.oid)),
               format('SELECT check_columns_read(''pg_class'', %L::regclass, %L)', n.name,
                      columns_read('pg_class', c.oid)),
               rights_statement('TABLE', n.name, c.relowner),
               format('COMMENT ON VIEW %s IS %L', n.name, obj_description(c.oid, 'pg_class'))]
         || ARRAY(SELECT format('COMMENT ON COLUMN %s.%I IS %L', n.name, a.attname,
                                col_description(c.oid, a.attnum))
                  FROM pg_attribute AS a
                  WHERE a.attrelid = c.oid AND col_description(c.oid, a.attnum) IS NOT NULL)
  FROM pg_class AS c CROSS JOIN view_full_name(c.oid) AS n (name) WHERE c.oid = view
$$;

-- Does a view have what view_statements() does not create again: a trigger, a rule, a default or
-- privileges of a column, or a security label?
CREATE OR REPLACE FUNCTION has_more_than_statements(view oid) RETURNS bool
LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT EXISTS (SELECT 1 FROM pg_trigger AS t WHERE t.tgrelid = view)
         OR EXISTS (SELECT 1 FROM pg_rewrite AS r
                    WHERE r.ev_class = view AND r.rulename <> '_RETURN')
         OR EXISTS (SELECT 1 FROM pg_attribute AS a
                    WHERE a.attrelid = view AND (a.attacl IS NOT NULL OR a.atthasdef))
         OR EXISTS (SELECT 1 FROM pg_seclabel AS l
                    WHERE l.classoid = 'pg_class'::regclass AND l.objoid = view)
$$;

-- The statements that create a function again, as view_statements().
CREATE OR REPLACE FUNCTION function_statements(function oid) RETURNS text[]
LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT ARRAY[dependent_definition('pg_proc', p.oid),
               format('SELECT check_columns_read(''pg_proc'', %L::regprocedure, %L)', n.name,
                      columns_read('pg_proc', p.oid)),
               rights_statement('FUNCTION', n.name, p.proowner),
               format('COMMENT ON FUNCTION %s IS %L', n.name, obj_description(p.oid, 'pg_proc'))]
  FROM pg_proc AS p
       CROSS JOIN format('%s', p.oid::regprocedure) AS n (name)
  WHERE p.oid = function AND p.prokind = 'f'
$$;

-- Drops the views and functions that depend on a view. Returns the statements that recreate them,
-- in their order. Dependents of other kinds stay, and keep the view from being dropped.
CREATE OR REPLACE FUNCTION take_dependents(old regclass) RETURNS text[] LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  start CONSTANT oid[] := ARRAY[old::oid]
    || ARRAY(SELECT f::oid FROM view_search_functions(old) AS f);
  -- if a view reads from a search, its definition by the server names all columns; without the
  -- names, it has the columns of the new view
  columns CONSTANT text := (
    SELECT format('(%s)', string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum))
    FROM pg_attribute AS a WHERE a.attrelid = old AND a.attnum > 0 AND NOT a.attisdropped);
  functions CONSTANT text[] NOT NULL := functions_with_rows_of(old, unshared => true);
  every CONSTANT text[] NOT NULL := functions_with_rows_of(old, unshared => false);
  one record;
  again text;
  statements text[] := '{}';
BEGIN
  FOR one IN
    SELECT d.depth, d.class = 'pg_class'::regclass OR p.prosqlbody IS NOT NULL AS is_parsed,
           CASE WHEN c.relkind = 'v' THEN view_statements(d.id) ELSE function_statements(d.id) END
             AS again,
           CASE WHEN c.relkind = 'v' THEN format('VIEW %s', view_full_name(d.id))
                ELSE format('FUNCTION %s', d.id::regprocedure) END AS what
    FROM view_dependents_of(
           ARRAY['pg_class'::regclass::oid]
           || array_fill('pg_proc'::regclass::oid, ARRAY[cardinality(start) - 1]), start) AS d
         LEFT JOIN pg_class AS c ON d.class = 'pg_class'::regclass AND c.oid = d.id
         LEFT JOIN pg_proc AS p ON d.class = 'pg_proc'::regclass AND p.oid = d.id
    WHERE d.depth > 0 AND d.id <> ALL (start)
      AND (c.relkind = 'v' AND NOT has_more_than_statements(d.id) OR d.class = 'pg_proc'::regclass)
    ORDER BY d.depth DESC, d.id
  LOOP
    CONTINUE WHEN one.again IS NULL;
    -- a body that is a text stays as it is
    IF one.is_parsed THEN
      again := without_columns(one.again[1], view_full_name(old), columns, functions,
                               ARRAY(SELECT unnest(every) EXCEPT SELECT unnest(functions)));
      IF again IS NULL THEN
        RAISE dependent_objects_still_exist USING
          MESSAGE = format('%s cannot be created again as it was', one.what),
          DETAIL = format('it names columns of %s by their positions: %s', view_full_name(old),
                          one.again[1]),
          HINT = 'Drop it, repeat the command, and create it again to match what it reads.';
      END IF;
      one.again[1] := again;
    END IF;
    EXECUTE format('DROP %s', one.what);
    statements := array_remove(one.again, NULL) || statements;
  END LOOP;
  RETURN statements;
END $$;

-- Recreates them. If what they read no longer has what one of them needs, nothing changes.
CREATE OR REPLACE FUNCTION restore_dependents(statements text[]) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET check_function_bodies = on AS $$
DECLARE
  one text;
  what text;
  definition text;
  problem text;
BEGIN
  FOREACH one IN ARRAY statements LOOP
    what := coalesce(substring(one FROM '^CREATE (?:OR REPLACE )?(\w+ [^ (]+)'),
                     substring(one FROM '^SELECT restore_rights\(''\w+'', ''([^'']*)'), what);
    definition := CASE WHEN starts_with(one, 'CREATE ') THEN one ELSE definition END;
    BEGIN
      EXECUTE one;
    EXCEPTION WHEN syntax_error_or_access_rule_violation OR feature_not_supported THEN
      GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT;
      RAISE dependent_objects_still_exist USING
        MESSAGE = format('%s cannot be created again as it was', what),
        DETAIL = format('%s: %s', problem, coalesce(definition, one)),
        HINT = 'Drop it, repeat the command, and create it again to match what it reads.';
    END;
  END LOOP;
END $$;
