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

-- The statements that recreate a view as it is, with its owner, rights and comments.
CREATE OR REPLACE FUNCTION view_statements(view oid) RETURNS text[] LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT ARRAY[format('CREATE VIEW %s%s AS %s', n.name,
                      ' WITH (' || array_to_string(c.reloptions, ', ') || ')',
                      pg_get_viewdef(c.oid)),
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
  SELECT ARRAY[pg_get_functiondef(p.oid),
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
  one record;
  statements text[] := '{}';
BEGIN
  FOR one IN
    SELECT d.depth,
           CASE WHEN c.relkind = 'v' THEN view_statements(d.id) ELSE function_statements(d.id) END
             AS again,
           CASE WHEN c.relkind = 'v' THEN format('VIEW %s', view_full_name(d.id))
                ELSE format('FUNCTION %s', d.id::regprocedure) END AS what
    FROM view_dependents_of(
           ARRAY['pg_class'::regclass::oid]
           || array_fill('pg_proc'::regclass::oid, ARRAY[cardinality(start) - 1]), start) AS d
         LEFT JOIN pg_class AS c ON d.class = 'pg_class'::regclass AND c.oid = d.id
    WHERE d.depth > 0 AND d.id <> ALL (start)
      AND (c.relkind = 'v' AND NOT has_more_than_statements(d.id) OR d.class = 'pg_proc'::regclass)
    ORDER BY d.depth DESC, d.id
  LOOP
    CONTINUE WHEN one.again IS NULL;
    EXECUTE format('DROP %s', one.what);
    one.again[1] := replace(one.again[1], columns, '');
    statements := array_remove(one.again, NULL) || statements;
  END LOOP;
  RETURN statements;
END $$;

-- Recreates them. If the Lexicon no longer has what one of them reads, nothing changes.
CREATE OR REPLACE FUNCTION restore_dependents(statements text[]) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET check_function_bodies = on AS $$
DECLARE
  one text;
  problem text;
BEGIN
  FOREACH one IN ARRAY statements LOOP
    BEGIN
      EXECUTE one;
    EXCEPTION WHEN syntax_error_or_access_rule_violation OR feature_not_supported THEN
      GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT;
      RAISE dependent_objects_still_exist USING
        MESSAGE = format('%s cannot be recreated with the changed Lexicons',
                         substring(one FROM '^(?:CREATE (?:OR REPLACE )?)?(\w+ [^ (]+)')),
        DETAIL = format('%s: %s', problem, one),
        HINT = 'Drop it, call make_views again, and create it again to match the Lexicon.';
    END;
  END LOOP;
END $$;
