/* atid--1.2--1.3.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION atid UPDATE TO '1.3'" to load this file. \quit

-- This runs with a superuser's rights in a schema that belongs to somebody else.  So it
-- names our objects by @extschema@ and finds the server's in pg_catalog, it calls no function
-- of ours, and at its end it checks what the extension has become.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- As in atid--1.0.sql, every object is named with its schema.

------------------------------------------------------------------------------
-- uuid
------------------------------------------------------------------------------

-- functions

-- COST as of cid_of, which hashes too.

CREATE OR REPLACE FUNCTION @extschema@.uuid_generate_v3(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v3' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.uuid_generate_v3(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v3_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.uuid_generate_v5(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v5' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.uuid_generate_v5(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v5_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.uuid_generate_v8(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v8_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.uuid_generate_v8(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v8_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

-- COST as bench/functions measures it, here and below.

CREATE OR REPLACE FUNCTION @extschema@.uuid_to_numeric(uuid) RETURNS numeric
  AS 'MODULE_PATHNAME', 'atid_uuid_to_numeric' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 50;

CREATE OR REPLACE FUNCTION @extschema@.uuid_from_numeric(numeric) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

CREATE OR REPLACE FUNCTION @extschema@.uuid_to_oid(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_to_oid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 50;

CREATE OR REPLACE FUNCTION @extschema@.uuid_to_urn(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_to_urn' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;

------------------------------------------------------------------------------
-- address
------------------------------------------------------------------------------

-- functions

CREATE OR REPLACE FUNCTION @extschema@.at_uri_make(authority text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE OR REPLACE FUNCTION @extschema@.at_uri_make(authority text, path text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE OR REPLACE FUNCTION @extschema@.at_uri_make(authority text, collection text, rkey text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE OR REPLACE FUNCTION @extschema@.at_uri_normalize(@extschema@.at_uri) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_normalize' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;

CREATE OR REPLACE FUNCTION @extschema@.at_uri_or_null(text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;

CREATE OR REPLACE FUNCTION @extschema@.at_uri_from_subject_or_null(subject text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_from_subject_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;

CREATE OR REPLACE FUNCTION @extschema@.at_uri_scopes(@extschema@.at_uri) RETURNS @extschema@.at_uri[]
  AS 'MODULE_PATHNAME', 'atid_at_uri_scopes' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;

CREATE OR REPLACE FUNCTION @extschema@.at_uri_scope_upper(@extschema@.at_uri) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_scope_upper' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;

------------------------------------------------------------------------------
-- datetime
------------------------------------------------------------------------------

-- functions

CREATE OR REPLACE FUNCTION @extschema@.datetime_normalize(text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

CREATE OR REPLACE FUNCTION @extschema@.datetime_normalize_or_null(text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_normalize_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;

------------------------------------------------------------------------------
-- record
------------------------------------------------------------------------------

-- functions

CREATE OR REPLACE FUNCTION @extschema@.bytes_json(bytea) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_bytes_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

-- They raise no errors any more, so they may be LEAKPROOF.  A session that has loaded an older library
-- still raises them: doc/install.md says so.

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_get(block bytea, path text[] DEFAULT '{}') RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_get_text(block bytea, path text[] DEFAULT '{}') RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_get_block(block bytea, path text[] DEFAULT '{}') RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get_block' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_typeof(block bytea, path text[] DEFAULT '{}') RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_typeof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;

COMMENT ON FUNCTION @extschema@.dag_cbor_get(bytea, text[]) IS
  'the field of a block at a path, as by the operator #>; NULL if it is missing or damaged, or if jsonb cannot hold it';

COMMENT ON FUNCTION @extschema@.dag_cbor_get_text(bytea, text[]) IS
  'the field of a block at a path as text, as by #>>, but a link as its CID and bytes as base64; NULL if it is missing or damaged, or if text cannot hold it';

COMMENT ON FUNCTION @extschema@.dag_cbor_get_block(bytea, text[]) IS
  'the field of a block at a path as a block of its own; NULL if it is missing or damaged';

COMMENT ON FUNCTION @extschema@.dag_cbor_typeof(bytea, text[]) IS
  'what the field of a block at a path is: object, array, string, number, boolean, null, link or bytes; NULL if it is missing or damaged';

-- Since 1.2 these raise no errors, and are LEAKPROOF as dag_cbor_conforms and record_conforms are.
-- Those with options are not STRICT, so that a NULL option is its default.  The C functions of the
-- predicates with options are new: a session with an older library gets an error and does not crash.

CREATE OR REPLACE FUNCTION @extschema@.record_is_valid(record jsonb) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.record_is_valid(record jsonb, strict bool) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_is_valid_strict' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.record_problem(record jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.record_problem(record jsonb, strict bool) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_problem_strict' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_is_valid(block bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_is_valid(block bytea, model bool, strict bool DEFAULT false) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_is_valid_model' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_problem(block bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_problem(block bytea, model bool, strict bool DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_problem_model' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.json_is_valid(record json, strict bool DEFAULT false) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_json_is_valid_strict' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION @extschema@.json_problem(record json, strict bool DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_json_problem_strict' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 100;

------------------------------------------------------------------------------
-- lexicon
------------------------------------------------------------------------------

COMMENT ON TYPE @extschema@.lexicon IS 'AT Protocol lexicon: a set of Lexicon documents';

-- functions

-- COST as measured: lexicon_missing, lexicon_only and record_key_conforms find the set compiled;
-- lexicon_nsids and lexicon_document read all of it; the cast makes jsonb of all of it.

CREATE OR REPLACE FUNCTION @extschema@.lexicon_missing(lexicons @extschema@.lexicon) RETURNS text[]
  AS 'MODULE_PATHNAME', 'atid_lexicon_missing' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION @extschema@.lexicon_only(lexicons @extschema@.lexicon, refs text[]) RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_only' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;

CREATE OR REPLACE FUNCTION @extschema@.lexicon_nsids(lexicons @extschema@.lexicon) RETURNS text[]
  AS 'MODULE_PATHNAME', 'atid_lexicon_nsids' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;

CREATE OR REPLACE FUNCTION @extschema@.lexicon_document(lexicons @extschema@.lexicon, nsid text) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_lexicon_document' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;

CREATE OR REPLACE FUNCTION @extschema@.lexicon_to_jsonb(lexicons @extschema@.lexicon) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_lexicon_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;

CREATE OR REPLACE FUNCTION @extschema@.record_key_conforms(key text, lexicons @extschema@.lexicon, nsid text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_conforms_lexicons' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;

------------------------------------------------------------------------------
-- repository
------------------------------------------------------------------------------

-- functions

-- Not STRICT, so that a NULL option is its default.

CREATE OR REPLACE FUNCTION @extschema@.car_blocks(
  car bytea, verify bool DEFAULT true, OUT n int, OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_car_blocks_verify' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

CREATE OR REPLACE FUNCTION @extschema@.repo_records(
  car bytea, partial bool DEFAULT false,
  OUT collection text, OUT rkey @extschema@.record_key, OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_repo_records_partial' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

-- COST as of cid_of, which hashes too.

CREATE OR REPLACE FUNCTION @extschema@.mst_key_depth(key text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_mst_key_depth' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

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
