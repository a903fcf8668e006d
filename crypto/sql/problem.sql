--
-- What is wrong: in both extensions, NULL for an argument is never "no problem"
--

-- For the data, which is the first argument, a value that has a problem.  For what else must be
-- given, any.
CREATE TEMP TABLE sample (argument text, value text);
INSERT INTO sample VALUES
  ('record', '{"a": 1.5}'), ('block', '\xff'), ('frame', '\xff'), ('body', '\xff'), ('car', '\xff'),
  ('value', '"?"'), ('document', '{}'), ('', '{}'), ('log', '[{}]'), ('operation', '{}'),
  ('format', 'did'), ('model', 'false'), ('strict', 'false'), ('nsid', 'a.b.c'), ('ref', 'a.b.c'),
  ('part', 'output'),
  ('lexicons', '{"lexicon": 1, "id": "a.b.c", "defs": {"main": {"type": "record", "key": "tid",
    "record": {"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}}}}}');

CREATE TEMP VIEW argument AS
SELECT p.oid, p.proname, i, coalesce(p.proargnames[i], '') AS name, format_type(t, NULL) AS type,
       i > p.pronargs - p.pronargdefaults AS has_default
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid,
  unnest(p.proargtypes) WITH ORDINALITY AS a (t, i)
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND p.proname ~ '_problem$';

-- The problem with these arguments: those without a default, and one that is NULL
CREATE FUNCTION pg_temp.problem(function oid, nullified bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  list text;
  problem text;
BEGIN
  SELECT string_agg(CASE WHEN a.name <> '' THEN quote_ident(a.name) || ' => ' ELSE '' END ||
           CASE i WHEN nullified THEN 'NULL' ELSE quote_literal(s.value) END || '::' || type, ', '
           ORDER BY i) INTO list
  FROM argument AS a LEFT JOIN sample AS s ON s.argument = a.name
  WHERE a.oid = function AND (NOT has_default OR i = nullified);
  EXECUTE format('SELECT %s(%s)', function::regproc, list) INTO problem;
  RETURN problem;
END $$;

-- NULL data is NULL, and all else is a problem: where there is a default, as without the argument
SELECT count(*) > 10 AS "enough arguments" FROM argument;
SELECT oid::regprocedure AS function, name, pg_temp.problem(oid, i)
FROM argument
WHERE CASE WHEN i = 1 THEN pg_temp.problem(oid, 1) IS NOT NULL OR pg_temp.problem(oid, 0) IS NULL
           WHEN has_default THEN pg_temp.problem(oid, i) IS DISTINCT FROM pg_temp.problem(oid, 0)
           ELSE pg_temp.problem(oid, i) IS NULL END
ORDER BY oid::regprocedure::text COLLATE "C", i;
