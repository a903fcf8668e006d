/* atid_crypto--1.2--1.3.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION atid_crypto UPDATE TO '1.3'" to load this file. \quit

-- This runs with a superuser's rights in a schema that belongs to somebody else.  So it
-- names our objects by @extschema@ and finds the server's in pg_catalog, it calls no function
-- of ours, and at its end it checks what the extension has become.
SET LOCAL search_path TO pg_catalog, pg_temp;

------------------------------------------------------------------------------
-- signatures
------------------------------------------------------------------------------

-- Not STRICT, so that a NULL option is its default.

CREATE FUNCTION @extschema@.signature_is_valid(data bytea, signature bytea, key text, either_s bool) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_signature_is_valid_either_s' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.signature_is_valid(bytea, bytea, text, bool) IS
  'is the signature of the data by the key? If either_s, its s may be high, as in service tokens';

------------------------------------------------------------------------------
-- privileges
------------------------------------------------------------------------------

-- Everybody may call the functions and use the types, also in a database whose default privileges
-- keep new ones from PUBLIC.  It is granted only where an object still has exactly the privileges that
-- its owner's defaults have given it: whatever somebody has granted or revoked since stays as it is.
-- Before 17 nothing of that stays in pg_init_privs, which would keep the OIDs of roles that are
-- dropped later; pg_dump then compares with what the server itself gives.

DO LANGUAGE plpgsql $$
DECLARE
  object record;
BEGIN
  -- the search below takes longer than everything else, and most databases have no default privileges
  IF NOT EXISTS (SELECT FROM pg_default_acl) THEN
    RETURN;
  END IF;

  FOR object IN
    WITH member AS (
      SELECT 'pg_proc'::regclass AS classid, oid, 'f' AS objtype, proowner AS owner,
        pronamespace AS schema, proacl AS acl, 'EXECUTE ON FUNCTION ' || oid::regprocedure AS privilege
      FROM pg_proc WHERE proname NOT IN ('generator_state', 'generator_reset')
      UNION ALL
      SELECT 'pg_type'::regclass, oid, 'T', typowner, typnamespace, typacl, 'USAGE ON TYPE ' || oid::regtype
      FROM pg_type
    )
    SELECT classid, oid, privilege
    FROM member m
    WHERE EXISTS (
        SELECT FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
        WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
          AND e.extname = 'atid_crypto' AND d.classid = m.classid AND d.objid = m.oid)
      AND EXISTS (SELECT FROM pg_authid r WHERE r.oid = m.owner AND r.rolsuper)
      AND EXISTS (
        SELECT FROM pg_default_acl
        WHERE defaclrole = owner AND defaclobjtype = objtype AND defaclnamespace = 0)
      AND acl IS NOT NULL
      AND NOT EXISTS (SELECT FROM aclexplode(acl) WHERE grantee = 0)
      AND ARRAY(SELECT format('%s %s %s %s', grantor, grantee, privilege_type, is_grantable)
                FROM aclexplode(acl) ORDER BY 1)
        = ARRAY(SELECT DISTINCT format('%s %s %s %s', grantor, grantee, privilege_type, is_grantable)
                FROM pg_default_acl, aclexplode(defaclacl)
                WHERE defaclrole = owner AND defaclobjtype = objtype AND defaclnamespace IN (0, schema)
                ORDER BY 1)
      AND NOT EXISTS (
        SELECT FROM pg_init_privs p WHERE p.objoid = m.oid AND p.classoid = m.classid)
  LOOP
    EXECUTE format('GRANT %s TO PUBLIC', object.privilege);
    DELETE FROM pg_init_privs
    WHERE objoid = object.oid AND classoid = object.classid
      AND current_setting('server_version_num')::int < 170000;
  END LOOP;
END
$$;

------------------------------------------------------------------------------
-- check
------------------------------------------------------------------------------

-- The owner of an extension can add objects to it, and the owner of its schema can rename
-- that and make another.  So each object of the extensions must lie in atid's schema, and must
-- refer only to the server's objects, which have no rows in pg_depend, or to the extensions':
-- to members that belong to a superuser, and to parts of these, such as array types,
-- constraints and entries of operator families.  Each object's own catalog says who owns it:
-- pg_shdepend has no rows for roles that every server has, such as pg_database_owner, of which
-- the owner of the database is a member.  A cast has no owner, and nothing can refer to it.

DO LANGUAGE plpgsql $$
DECLARE
  schema oid NOT NULL := (SELECT extnamespace FROM pg_extension WHERE extname = 'atid');
  object text;
  reference text;
BEGIN
  WITH owned AS (
    SELECT tableoid AS classid, oid AS objid, typowner AS owner FROM pg_type
    UNION ALL SELECT tableoid, oid, proowner FROM pg_proc
    UNION ALL SELECT tableoid, oid, oprowner FROM pg_operator
    UNION ALL SELECT tableoid, oid, opcowner FROM pg_opclass
    UNION ALL SELECT tableoid, oid, opfowner FROM pg_opfamily
    UNION ALL SELECT tableoid, oid, relowner FROM pg_class
  ), member AS (
    SELECT d.classid, d.objid, r.rolsuper
    FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
      LEFT JOIN owned o ON d.classid = o.classid AND d.objid = o.objid
      LEFT JOIN pg_authid r ON o.owner = r.oid
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      AND e.extname IN ('atid', 'atid_crypto')
  ), ours AS (
    SELECT classid, objid FROM member WHERE rolsuper
    UNION
    SELECT d.classid, d.objid
    FROM pg_depend d JOIN member m ON d.refclassid = m.classid AND d.refobjid = m.objid
    WHERE m.rolsuper AND d.deptype IN ('a', 'i')
  ), checked AS (
    TABLE ours
    UNION
    SELECT classid, objid FROM member WHERE rolsuper IS NULL
  )
  SELECT pg_describe_object(d.classid, d.objid, d.objsubid),
    pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
  INTO object, reference
  FROM checked JOIN pg_depend d USING (classid, objid)
  WHERE d.deptype IN ('n', 'a', 'i')
    AND (d.refclassid, d.refobjid) NOT IN (TABLE ours UNION ALL SELECT 'pg_namespace'::regclass, schema)
  LIMIT 1;

  IF FOUND THEN
    RAISE object_not_in_prerequisite_state USING
      MESSAGE = format('%s refers to %s, which does not belong to the extension', object, reference),
      DETAIL = 'All objects of atid and atid_crypto must lie in the schema of atid, belong to a superuser, and refer to such objects only.',
      HINT = 'If the schema of atid was renamed, give it its name back before atid_crypto is created.';
  END IF;
END
$$;
