-- The owner and the rights of a view or function that is dropped and created again: exactly those
-- of before, whatever default privileges grant on a new one. kind is TABLE or FUNCTION, and name
-- is as in a statement.

-- The rights, also if they are those that the server assumes.
CREATE OR REPLACE FUNCTION object_rights(kind text, name text) RETURNS aclitem[]
LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT AS $$
  SELECT CASE kind
    WHEN 'TABLE' THEN (SELECT coalesce(c.relacl, acldefault('r', c.relowner)) FROM pg_class AS c
                       WHERE c.oid = to_regclass(name))
    ELSE (SELECT coalesce(p.proacl, acldefault('f', p.proowner)) FROM pg_proc AS p
          WHERE p.oid = to_regprocedure(name)) END
$$;

-- Is one right of these not among those? Who granted it does not matter.
CREATE OR REPLACE FUNCTION has_other_rights(these aclitem[], those aclitem[]) RETURNS bool
LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT x.grantee, x.privilege_type, x.is_grantable FROM aclexplode(these) AS x
    EXCEPT SELECT y.grantee, y.privilege_type, y.is_grantable FROM aclexplode(those) AS y)
$$;

-- Grants as this role or, if the session cannot become it, or it does not find the object, as the
-- owner.
CREATE OR REPLACE FUNCTION grant_as(grantor oid, command text) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE before CONSTANT text NOT NULL := current_setting('role');
BEGIN
  PERFORM set_config('role', pg_get_userbyid(grantor), true);
  EXECUTE command;
  PERFORM set_config('role', before, true);
EXCEPTION WHEN syntax_error_or_access_rule_violation THEN
  EXECUTE command;
END $$;

-- Gives an object that was created again the owner and the rights of before. An object that is
-- gone, such as a search in a column that is gone, needs none.
CREATE OR REPLACE FUNCTION restore_rights(kind text, name text, owner regrole, rights aclitem[])
RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  given aclitem[];
  x record;
  command text;
BEGIN
  IF object_rights(kind, name) IS NULL THEN RETURN; END IF;
  EXECUTE format('ALTER %s %s OWNER TO %s', kind, name, owner);
  given := object_rights(kind, name);
  IF given = rights THEN RETURN; END IF;
  FOR x IN SELECT DISTINCT a.grantee FROM aclexplode(given) AS a LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s', kind, name,
                   CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END);
  END LOOP;
  -- in their order, as who grants one has it from an earlier one
  FOR x IN SELECT a.* FROM aclexplode(rights) WITH ORDINALITY AS a ORDER BY a.ordinality LOOP
    command := format('GRANT %s ON %s %s TO %s%s', x.privilege_type, kind, name,
                      CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END,
                      CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
    IF x.grantor = owner THEN EXECUTE command; ELSE PERFORM grant_as(x.grantor, command); END IF;
  END LOOP;
  given := object_rights(kind, name);
  IF has_other_rights(given, rights) OR has_other_rights(rights, given) THEN
    RAISE insufficient_privilege USING
      MESSAGE = format('the rights of %s cannot be granted again', name),
      DETAIL = format('They were %s.', rights);
  END IF;
END $$;

-- The statement that calls restore_rights() for the rights of now.
CREATE OR REPLACE FUNCTION rights_statement(kind text, name text, owner oid) RETURNS text
LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT AS $$
  SELECT format('SELECT restore_rights(%L, %L, %L, %L)', kind, name, owner::regrole,
                object_rights(kind, name))
$$;
