-- Drops views whose types are no longer in the set, and indexes that no view uses.

-- Drops a view, and everything that was created for it.
CREATE OR REPLACE FUNCTION drop_view(old regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  f regprocedure;
  problem text;
  why text;
BEGIN
  FOR f IN SELECT * FROM view_search_functions(old) LOOP
    EXECUTE format('DROP FUNCTION %s', f);
  END LOOP;
  BEGIN
    EXECUTE format('DROP VIEW %s', view_full_name(old));
  EXCEPTION WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, why = PG_EXCEPTION_DETAIL;
    RAISE dependent_objects_still_exist USING MESSAGE = problem, DETAIL = why,
      HINT = format('Drop %s, call make_views again, and create it again after that.',
                    view_dependents(old));
  END;
END $$;

-- The dependents of a view, in words: views, functions and other objects of an operator.
CREATE OR REPLACE FUNCTION view_dependents(old regclass) RETURNS text LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT AS $$
  SELECT string_agg(DISTINCT pg_describe_object(o.class, o.id, 0), ', ')
  FROM pg_class AS v JOIN pg_depend AS d
         ON d.refclassid = 'pg_class'::regclass AND d.refobjid = v.oid
            OR d.refclassid = 'pg_type'::regclass AND d.refobjid IN (
                 v.reltype, (SELECT t.typarray FROM pg_type AS t WHERE t.oid = v.reltype))
       LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid,
       LATERAL (SELECT CASE WHEN r.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END,
                       coalesce(r.ev_class, d.objid)) AS o (class, id)
  WHERE v.oid = old AND d.deptype = 'n'
    AND NOT (o.class = 'pg_class'::regclass AND o.id = v.oid)
$$;

-- Deletes the rows of views that were dropped, and drops the indexes that no view uses any more,
-- because the view or a column was dropped.
CREATE OR REPLACE FUNCTION delete_dropped_views() RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE i record;
BEGIN
  DELETE FROM view_type
  WHERE view IS NULL OR NOT EXISTS (SELECT 1 FROM pg_class WHERE oid = view);
  DELETE FROM view_column AS c
  WHERE NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = c.view);
  FOR i IN
    DELETE FROM view_index AS x
    WHERE NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = x.view)
       OR NOT x.columns <@ ARRAY(
            SELECT c.name FROM view_column AS c
            WHERE c.view = x.view AND c.kind IN ('own', 'property')
              AND (NOT x.search OR c.kind = 'property' AND c.type = 'text'))
    RETURNING x.index
  LOOP
    PERFORM drop_view_index(to_regclass(i.index));
  END LOOP;
END $$;

-- Drops an index, unless another view uses it.
CREATE OR REPLACE FUNCTION drop_view_index(old regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF old IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM view_index AS i WHERE to_regclass(i.index) = old) THEN
    EXECUTE format('DROP INDEX %s', view_full_name(old));
  END IF;
END $$;
