/* atid_crypto--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION atid_crypto" to load this file. \quit

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
  AS 'MODULE_PATHNAME', 'atid_did_key_public_key' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.did_key_public_key(text) IS 'the compressed point of a key, 33 bytes';

CREATE FUNCTION @extschema@.did_key_make(curve text, bytes bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_key_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.did_key_make(text, bytea) IS 'the did:key of a curve and a compressed point';

------------------------------------------------------------------------------
-- signatures
------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.signature_is_valid(data bytea, signature bytea, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_signature_is_valid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.signature_is_valid(bytea, bytea, text) IS
  'is the signature of the data by the key?';

CREATE FUNCTION @extschema@.commit_is_signed_by(block bytea, did text, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_commit_is_signed_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.commit_is_signed_by(bytea, text, text) IS
  'is the block a commit of the account that is signed by the key?';

CREATE FUNCTION @extschema@.repo_is_signed_by(car bytea, did text, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_repo_is_signed_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 17000;
COMMENT ON FUNCTION @extschema@.repo_is_signed_by(bytea, text, text) IS
  'is the CAR a full repository of the account that is signed by the key, with every hash and the tree verified?';

CREATE FUNCTION @extschema@.repo_records_signed_by(
  car bytea, did text, key text,
  OUT collection text, OUT rkey @extschema@.record_key, OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_repo_records_signed_by' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 17000;
COMMENT ON FUNCTION @extschema@.repo_records_signed_by(bytea, text, text) IS
  'the records of the full repository of the account if it is signed by the key, else an error';

CREATE FUNCTION @extschema@.label_is_signed_by(label jsonb, did text, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_label_is_signed_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.label_is_signed_by(jsonb, text, text) IS
  'is the label one of the account that is signed by the key?';

------------------------------------------------------------------------------
-- PLC
------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.plc_did(operation jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_plc_did' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.plc_did(jsonb) IS 'the DID that a genesis operation creates';

CREATE FUNCTION @extschema@.plc_operation_problem(operation jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_plc_operation_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.plc_operation_problem(jsonb) IS
  'why the jsonb is not an operation, and where; NULL if it is';

CREATE FUNCTION @extschema@.plc_operation_is_signed_by(operation jsonb, key text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_plc_operation_is_signed_by' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7000;
COMMENT ON FUNCTION @extschema@.plc_operation_is_signed_by(jsonb, text) IS
  'is the operation signed by the key?';

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
