/* atid--1.1--1.2.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION atid UPDATE TO '1.2'" to load this file. \quit

-- This runs with a superuser's rights in a schema that belongs to somebody else.  So it
-- names our objects by @extschema@ and finds the server's in pg_catalog, it calls no function
-- of ours, and at its end it checks what the extension has become.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- As in atid--1.0.sql, every object is named with its schema, and operators and
-- the aggregates min and max go into pg_catalog.

------------------------------------------------------------------------------
-- address
------------------------------------------------------------------------------

-- functions

-- A problem that is NULL says that there is none, so a NULL format or option must not lead to it.  As
-- their C functions are new, a session with an older library gets an error and does not crash.

CREATE OR REPLACE FUNCTION @extschema@.format_problem(value text, format text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_format_problem_null' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION @extschema@.at_uri_from_subject_or_null(subject text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_from_subject_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_from_subject_or_null(text) IS
  'the subject of a label as an AT URI, at:// and the DID for an account; NULL for other texts';

CREATE FUNCTION @extschema@.at_uri_to_subject(uri @extschema@.at_uri) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_at_uri_to_subject' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_to_subject(@extschema@.at_uri) IS
  'the subject of a label from its AT URI: the DID for an account';

------------------------------------------------------------------------------
-- record
------------------------------------------------------------------------------

-- functions

-- As format_problem above.

CREATE OR REPLACE FUNCTION @extschema@.record_problem(record jsonb, strict bool) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_problem_strict' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;

CREATE OR REPLACE FUNCTION @extschema@.json_problem(record json, strict bool DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_json_problem_strict' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_problem(block bytea, model bool, strict bool DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_problem_model' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;

CREATE FUNCTION @extschema@.dag_cbor_get(block bytea, path text[] DEFAULT '{}') RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.dag_cbor_get(bytea, text[]) IS
  'the field of a block at a path, as by the operator #>';

CREATE FUNCTION @extschema@.dag_cbor_get_text(block bytea, path text[] DEFAULT '{}') RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.dag_cbor_get_text(bytea, text[]) IS
  'the field of a block at a path as text, as by #>>; NULL if the type text cannot hold it';

CREATE FUNCTION @extschema@.dag_cbor_get_block(block bytea, path text[] DEFAULT '{}') RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get_block' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.dag_cbor_get_block(bytea, text[]) IS
  'the field of a block at a path as a block of its own';

CREATE FUNCTION @extschema@.dag_cbor_typeof(block bytea, path text[] DEFAULT '{}') RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_typeof' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.dag_cbor_typeof(bytea, text[]) IS
  'what the field of a block at a path is: object, array, string, number, boolean, null, link or bytes';

------------------------------------------------------------------------------
-- reference
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.record_ref_uris(record jsonb) RETURNS @extschema@.at_uri[]
  AS 'MODULE_PATHNAME', 'atid_record_ref_uris' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.record_ref_uris(jsonb) IS
  'the AT URIs and DIDs in a record, each once, as AT URIs; for indexes';

CREATE FUNCTION @extschema@.dag_cbor_ref_uris(block bytea, path text[] DEFAULT '{}') RETURNS @extschema@.at_uri[]
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_ref_uris' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.dag_cbor_ref_uris(bytea, text[]) IS
  'the AT URIs and DIDs in the field of a block at a path, each once, as AT URIs; for indexes';

CREATE FUNCTION @extschema@.dag_cbor_ref_uri(block bytea, path text[] DEFAULT '{}') RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_ref_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.dag_cbor_ref_uri(bytea, text[]) IS
  'the AT URI or DID that the field of a block at a path is, or has as its uri, as an AT URI; for indexes and joins';

------------------------------------------------------------------------------
-- lexicon
------------------------------------------------------------------------------

-- types

CREATE TYPE @extschema@.lexicon;

CREATE FUNCTION @extschema@.lexicon_in(cstring) RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_in(cstring) IS 'I/O';

CREATE FUNCTION @extschema@.lexicon_out(@extschema@.lexicon) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_lexicon_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_out(@extschema@.lexicon) IS 'I/O';

CREATE FUNCTION @extschema@.lexicon_recv(internal) RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_recv(internal) IS 'I/O';

CREATE FUNCTION @extschema@.lexicon_send(@extschema@.lexicon) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_lexicon_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_send(@extschema@.lexicon) IS 'I/O';

CREATE TYPE @extschema@.lexicon (
  INPUT = @extschema@.lexicon_in,
  OUTPUT = @extschema@.lexicon_out,
  RECEIVE = @extschema@.lexicon_recv,
  SEND = @extschema@.lexicon_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended
);
COMMENT ON TYPE @extschema@.lexicon IS 'AT Protocol lexicon: a set of Lexicon documents; graphemes are counted by Unicode 17.0.0';

-- functions

CREATE FUNCTION @extschema@.lexicon_problem(document jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_lexicon_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_problem(jsonb) IS
  'why the document, or the array of documents, is not a lexicon, and where; NULL if it is';

CREATE FUNCTION @extschema@.lexicon_is_valid(document jsonb) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_lexicon_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_is_valid(jsonb) IS
  'is the document, or the array of documents, a lexicon?';

CREATE FUNCTION @extschema@.lexicon_nsids(lexicons @extschema@.lexicon) RETURNS text[]
  AS 'MODULE_PATHNAME', 'atid_lexicon_nsids' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.lexicon_nsids(@extschema@.lexicon) IS
  'the NSIDs of the documents of the lexicons, in bytewise order';

CREATE FUNCTION @extschema@.lexicon_document(lexicons @extschema@.lexicon, nsid text) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_lexicon_document' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.lexicon_document(@extschema@.lexicon, text) IS
  'the document with this NSID, or NULL';

CREATE FUNCTION @extschema@.lexicon_missing(lexicons @extschema@.lexicon) RETURNS text[]
  AS 'MODULE_PATHNAME', 'atid_lexicon_missing' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_missing(@extschema@.lexicon) IS
  'the definitions that the lexicons refer to and do not have, each once, in bytewise order';

CREATE FUNCTION @extschema@.lexicon_only(lexicons @extschema@.lexicon, refs text[]) RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_only' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_only(@extschema@.lexicon, text[]) IS
  'these definitions, such as a.b.c or a.b.c#name, and all that they refer to';

CREATE FUNCTION @extschema@.record_conforms(record jsonb, lexicons @extschema@.lexicon) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_conforms' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_conforms(jsonb, @extschema@.lexicon) IS
  'does the record conform to the Lexicon of its $type? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.record_conforms(
  record jsonb, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_conforms' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_conforms(jsonb, @extschema@.lexicon, text, bool) IS
  'does the record have this $type, and conform to its Lexicon? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.record_conforms_problem(record jsonb, lexicons @extschema@.lexicon) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_conforms_problem' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_conforms_problem(jsonb, @extschema@.lexicon) IS
  'why record_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.record_conforms_problem(
  record jsonb, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_conforms_problem' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_conforms_problem(jsonb, @extschema@.lexicon, text, bool) IS
  'why record_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.record_must_conform(record jsonb, lexicons @extschema@.lexicon) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_must_conform' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_must_conform(jsonb, @extschema@.lexicon) IS
  'true if record_conforms with the same arguments is true, else an error; for constraints';

CREATE FUNCTION @extschema@.record_must_conform(
  record jsonb, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_must_conform' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_must_conform(jsonb, @extschema@.lexicon, text, bool) IS
  'true if record_conforms with the same arguments is true, else an error; for constraints';

CREATE FUNCTION @extschema@.dag_cbor_conforms(block bytea, lexicons @extschema@.lexicon) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_conforms' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_conforms(bytea, @extschema@.lexicon) IS
  'does the record in the block conform to the Lexicon of its $type? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.dag_cbor_conforms(
  block bytea, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_conforms' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_conforms(bytea, @extschema@.lexicon, text, bool) IS
  'does the record in the block have this $type, and conform to its Lexicon? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.dag_cbor_conforms_problem(block bytea, lexicons @extschema@.lexicon) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_conforms_problem' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_conforms_problem(bytea, @extschema@.lexicon) IS
  'why dag_cbor_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.dag_cbor_conforms_problem(
  block bytea, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_conforms_problem' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_conforms_problem(bytea, @extschema@.lexicon, text, bool) IS
  'why dag_cbor_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.value_conforms(
  value jsonb, lexicons @extschema@.lexicon, ref text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_value_conforms' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.value_conforms(jsonb, @extschema@.lexicon, text, bool) IS
  'does the value conform to a definition, such as a.b.c or a.b.c#name? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.value_conforms_problem(
  value jsonb, lexicons @extschema@.lexicon, ref text, lenient bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_value_conforms_problem' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.value_conforms_problem(jsonb, @extschema@.lexicon, text, bool) IS
  'why value_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.record_key_conforms(key text, lexicons @extschema@.lexicon, nsid text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_conforms_lexicons' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.record_key_conforms(text, @extschema@.lexicon, text) IS
  'can a record of this type have this record key? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.lexicon_from_jsonb(document jsonb) RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_from_jsonb(jsonb) IS
  'implementation of the cast from jsonb to lexicon';

CREATE FUNCTION @extschema@.lexicon_to_jsonb(lexicons @extschema@.lexicon) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_lexicon_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.lexicon_to_jsonb(@extschema@.lexicon) IS
  'implementation of the cast from lexicon to jsonb';

CREATE FUNCTION @extschema@.lexicon_eq(@extschema@.lexicon, @extschema@.lexicon) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_lexicon_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_eq(@extschema@.lexicon, @extschema@.lexicon) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.lexicon_ne(@extschema@.lexicon, @extschema@.lexicon) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_lexicon_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_ne(@extschema@.lexicon, @extschema@.lexicon) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.lexicon_hash(@extschema@.lexicon) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_lexicon_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_hash(@extschema@.lexicon) IS 'hash';

CREATE FUNCTION @extschema@.lexicon_hash_extended(@extschema@.lexicon, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_lexicon_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_hash_extended(@extschema@.lexicon, bigint) IS 'hash';

CREATE FUNCTION @extschema@.lexicon_concat(@extschema@.lexicon, @extschema@.lexicon) RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_concat' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_concat(@extschema@.lexicon, @extschema@.lexicon) IS
  'implementation of || operator';

CREATE FUNCTION @extschema@.lexicon_agg_transfn(internal, @extschema@.lexicon) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_lexicon_agg_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.lexicon_agg_transfn(internal, @extschema@.lexicon) IS
  'transition function of lexicon_agg';

CREATE FUNCTION @extschema@.lexicon_agg_finalfn(internal) RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_agg_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_agg_finalfn(internal) IS 'final function of lexicon_agg';

-- operators and aggregates

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.lexicon, RIGHTARG = @extschema@.lexicon, FUNCTION = @extschema@.lexicon_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.lexicon, @extschema@.lexicon) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.lexicon, RIGHTARG = @extschema@.lexicon, FUNCTION = @extschema@.lexicon_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.lexicon, @extschema@.lexicon) IS 'not equal';

CREATE OPERATOR pg_catalog.|| (
  LEFTARG = @extschema@.lexicon, RIGHTARG = @extschema@.lexicon, FUNCTION = @extschema@.lexicon_concat
);
COMMENT ON OPERATOR pg_catalog.|| (@extschema@.lexicon, @extschema@.lexicon) IS
  'the documents of both lexicons';

CREATE AGGREGATE @extschema@.lexicon_agg(@extschema@.lexicon) (
  SFUNC = @extschema@.lexicon_agg_transfn, STYPE = internal, SSPACE = 1048576,
  FINALFUNC = @extschema@.lexicon_agg_finalfn, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.lexicon_agg(@extschema@.lexicon) IS
  'the documents of all values as one';

-- operator classes and casts

CREATE OPERATOR CLASS @extschema@.lexicon_ops DEFAULT FOR TYPE @extschema@.lexicon USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 @extschema@.lexicon_hash(@extschema@.lexicon),
  FUNCTION 2 @extschema@.lexicon_hash_extended(@extschema@.lexicon, bigint);
COMMENT ON OPERATOR CLASS @extschema@.lexicon_ops USING hash IS 'hash of lexicons';
COMMENT ON OPERATOR FAMILY @extschema@.lexicon_ops USING hash IS 'hash of lexicons';

CREATE CAST (jsonb AS @extschema@.lexicon) WITH FUNCTION @extschema@.lexicon_from_jsonb(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS @extschema@.lexicon) IS
  'the lexicon of a document or an array of documents, in assignments too';

CREATE CAST (@extschema@.lexicon AS jsonb) WITH FUNCTION @extschema@.lexicon_to_jsonb(@extschema@.lexicon);
COMMENT ON CAST (@extschema@.lexicon AS jsonb) IS 'the document of a lexicon, or the array of its documents';

------------------------------------------------------------------------------
-- repository
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.mst_get(
  car bytea, root @extschema@.cid_link, key text, OUT state text, OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_mst_get' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.mst_get(bytea, @extschema@.cid_link, text) IS
  'is a key in a tree: present, absent, or unknown, as the CAR shows it';

------------------------------------------------------------------------------
-- event
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.frame_parts(frame bytea, OUT op bigint, OUT t text, OUT error text, OUT body bytea) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_frame_parts' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.frame_parts(bytea) IS 'the header of a frame of an event stream, and its body';

CREATE FUNCTION @extschema@.commit_event(
  frame bytea, OUT seq bigint, OUT did @extschema@.did, OUT rev @extschema@.tid, OUT since @extschema@.tid,
  OUT commit @extschema@.cid_link, OUT prev_data @extschema@.cid_link, OUT blocks bytea, OUT "time" @extschema@.datetime
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_commit_event' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.commit_event(bytea) IS 'the fields of a #commit, without its operations';

CREATE FUNCTION @extschema@.commit_event_ops(
  frame bytea, OUT action text, OUT collection text, OUT rkey @extschema@.record_key, OUT cid @extschema@.cid_link,
  OUT prev @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_commit_event_ops' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 1000 ROWS 1;
COMMENT ON FUNCTION @extschema@.commit_event_ops(bytea) IS
  'the operations of a #commit, with the blocks of their records';

CREATE FUNCTION @extschema@.sync_event(
  frame bytea, OUT seq bigint, OUT did @extschema@.did, OUT rev @extschema@.tid, OUT blocks bytea, OUT "time" @extschema@.datetime
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_sync_event' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.sync_event(bytea) IS 'the fields of a #sync';

CREATE FUNCTION @extschema@.event_problem(
  frame bytea, not_after timestamptz DEFAULT NULL, prev_data_optional bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_event_problem' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION @extschema@.event_problem(bytea, timestamptz, bool) IS
  'why the bytes are no frame of an event stream, or what is untrue in its #commit or #sync, or NULL; the signature is not verified';

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
