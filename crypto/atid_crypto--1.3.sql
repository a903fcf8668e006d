/* atid_crypto--1.3.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION atid_crypto" to load this file. \quit

-- All that the extension has.  What changes here changes in the newest upgrade script too:
-- t/operation/whole_script.pl compares the two catalogues.

-- This runs with a superuser's rights in a schema that belongs to somebody else.  So it
-- names our objects by @extschema@ and finds the server's in pg_catalog, it calls no function
-- of ours, and at its end it checks what the extension has become.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- Every object is named with its schema, which is that of atid.  COST counts cheap
-- operators, of which bench/crypto measures some thousands to a verification, so
-- that the planner calls these last and finds it worth while to share the work.

------------------------------------------------------------------------------
-- keys
------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.did_key_is_valid(key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_key_is_valid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.did_key_is_valid(text) IS
  'is the text a public key of the protocol, as did:key or multikey?';

CREATE FUNCTION @extschema@.did_key_curve(key text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_key_curve' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.did_key_curve(text) IS 'the curve of a key: p256 or k256';

CREATE FUNCTION @extschema@.did_key_public_key(key text) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_did_key_public_key'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.did_key_public_key(text) IS
  'the compressed point of a key, 33 bytes';

CREATE FUNCTION @extschema@.did_key_make(curve text, bytes bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_key_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.did_key_make(text, bytea) IS
  'the did:key of a curve and a compressed point';

CREATE FUNCTION @extschema@.did_key_from_multibase(type text, multibase text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_key_from_multibase'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.did_key_from_multibase(text, text) IS
  'the did:key of a publicKeyMultibase of a DID document, also in its legacy forms';

------------------------------------------------------------------------------
-- signatures
------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.signature_is_valid(data bytea, signature bytea, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_signature_is_valid'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.signature_is_valid(bytea, bytea, text) IS
  'is the signature of the data by the key?';

-- Not STRICT, so that a NULL option is its default.
CREATE FUNCTION @extschema@.signature_is_valid(data bytea, signature bytea, key text, either_s bool)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_signature_is_valid_either_s'
  LANGUAGE C IMMUTABLE PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.signature_is_valid(bytea, bytea, text, bool) IS
  'is the signature of the data by the key? If either_s, its s may be high, as in service tokens';

CREATE FUNCTION @extschema@.commit_is_signed_by(block bytea, did text, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_commit_is_signed_by'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.commit_is_signed_by(bytea, text, text) IS
  'is the block a commit of the account that is signed by the key?';

CREATE FUNCTION @extschema@.repo_is_signed_by(car bytea, did text, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_repo_is_signed_by'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 17000;
COMMENT ON FUNCTION @extschema@.repo_is_signed_by(bytea, text, text) IS
  'is the CAR a full repository of the account that is signed by the key, with every hash and the '
  'tree verified?';

CREATE FUNCTION @extschema@.repo_records_signed_by(
  car bytea, did text, key text, OUT collection text, OUT rkey @extschema@.record_key,
  OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_repo_records_signed_by' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 17000;
COMMENT ON FUNCTION @extschema@.repo_records_signed_by(bytea, text, text) IS
  'the records of the full repository of the account if it is signed by the key, else an error';

CREATE FUNCTION @extschema@.event_is_signed_by(frame bytea, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_event_is_signed_by'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.event_is_signed_by(bytea, text) IS
  'is it a frame of a #commit or #sync whose commit is of its account and signed by the key?';

CREATE FUNCTION @extschema@.label_is_signed_by(label jsonb, did text, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_label_is_signed_by'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.label_is_signed_by(jsonb, text, text) IS
  'is the label one of the account that is signed by the key?';

------------------------------------------------------------------------------
-- PLC
------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.plc_did(operation jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_plc_did' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.plc_did(jsonb) IS 'the DID that a genesis operation creates';

-- COST as bench/functions measures it: no signature is verified.
CREATE FUNCTION @extschema@.plc_operation_problem(operation jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_plc_operation_problem'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.plc_operation_problem(jsonb) IS
  'why the jsonb is not an operation, and where; NULL if it is';

CREATE FUNCTION @extschema@.plc_operation_is_signed_by(operation jsonb, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_plc_operation_is_signed_by'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.plc_operation_is_signed_by(jsonb, text) IS
  'is the operation signed by the key?';

------------------------------------------------------------------------------
-- PLC logs
------------------------------------------------------------------------------

-- None of these is LEAKPROOF: an error says so where OpenSSL cannot be used for P-256.  Those
-- with options are not STRICT, so that a NULL option is its default.

CREATE FUNCTION @extschema@.plc_log_problem(log jsonb, strict bool DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_plc_log_problem' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION @extschema@.plc_log_problem(jsonb, bool) IS
  'why the jsonb is not a valid log of an account, and where; NULL if it is';

CREATE FUNCTION @extschema@.plc_log_is_valid(log jsonb, strict bool DEFAULT false) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_plc_log_is_valid_strict'
  LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION @extschema@.plc_log_is_valid(jsonb, bool) IS
  'is the jsonb a valid log of an account, each operation signed by a key that was allowed to '
  'sign it?';

CREATE FUNCTION @extschema@.plc_log_history(
  log jsonb, OUT did text, OUT n int, OUT cid @extschema@.cid_link, OUT created_at timestamptz,
  OUT nullified bool, OUT type text, OUT signed_by text, OUT valid_from timestamptz,
  OUT valid_to timestamptz, OUT data jsonb
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_plc_log_history'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20000 ROWS 3;
COMMENT ON FUNCTION @extschema@.plc_log_history(jsonb) IS
  'the operations of a valid log, the key that signed each, and when each was in force';

CREATE FUNCTION @extschema@.plc_log_keys(
  log jsonb, OUT did text, OUT id text, OUT key text, OUT valid_from timestamptz,
  OUT valid_to timestamptz, OUT nullified bool
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_plc_log_keys'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20000 ROWS 3;
COMMENT ON FUNCTION @extschema@.plc_log_keys(jsonb) IS
  'the verification keys in a valid log, and when each was in force';

------------------------------------------------------------------------------
-- privileges
------------------------------------------------------------------------------

-- Everybody may call the functions, also in a database whose default privileges keep new ones
-- from PUBLIC.  The upgrade scripts have the same block, for which others may have granted or
-- revoked something since: it grants only where an object still has exactly the privileges that
-- its owner's defaults have given it.
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
