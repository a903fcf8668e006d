-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION atid UPDATE TO '1.4'" to load this file. \quit

-- block

-- type

CREATE TYPE @extschema@.block;

CREATE FUNCTION @extschema@.block_in(cstring) RETURNS @extschema@.block
  AS 'MODULE_PATHNAME', 'atid_block_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.block_in(cstring) IS 'I/O';

CREATE FUNCTION @extschema@.block_out(@extschema@.block) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_block_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_out(@extschema@.block) IS 'I/O';

CREATE FUNCTION @extschema@.block_recv(internal) RETURNS @extschema@.block
  AS 'MODULE_PATHNAME', 'atid_block_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.block_recv(internal) IS 'I/O';

CREATE FUNCTION @extschema@.block_send(@extschema@.block) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_block_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_send(@extschema@.block) IS 'I/O';

CREATE TYPE @extschema@.block (
  INPUT = @extschema@.block_in,
  OUTPUT = @extschema@.block_out,
  RECEIVE = @extschema@.block_recv,
  SEND = @extschema@.block_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended
);
COMMENT ON TYPE @extschema@.block IS 'a DAG-CBOR block; a record takes about a third of its bytes';

-- functions

CREATE FUNCTION @extschema@.block_from_bytea(block bytea) RETURNS @extschema@.block
  AS 'MODULE_PATHNAME', 'atid_bytea_to_block' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.block_from_bytea(bytea) IS 'the block, packed';

CREATE FUNCTION @extschema@.block_to_bytea(block @extschema@.block) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_block_to_bytea' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_to_bytea(@extschema@.block) IS 'the bytes of the block';

CREATE FUNCTION @extschema@.block_to_jsonb(block @extschema@.block) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_block_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.block_to_jsonb(@extschema@.block) IS
  'the record in the block, as dag_cbor_to_record has it';

CREATE FUNCTION @extschema@.block_get(block @extschema@.block, path text[]) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_block_get' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_get(@extschema@.block, text[]) IS
  'implementation of dag_cbor_get over a packed block';

CREATE FUNCTION @extschema@.block_get_text(block @extschema@.block, path text[]) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_block_get_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_get_text(@extschema@.block, text[]) IS
  'implementation of dag_cbor_get_text over a packed block';

CREATE FUNCTION @extschema@.block_get_block(block @extschema@.block, path text[]) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_block_get_block' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_get_block(@extschema@.block, text[]) IS
  'implementation of dag_cbor_get_block over a packed block';

CREATE FUNCTION @extschema@.block_typeof(block @extschema@.block, path text[]) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_block_typeof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_typeof(@extschema@.block, text[]) IS
  'implementation of dag_cbor_typeof over a packed block';

CREATE FUNCTION @extschema@.block_ref_uri(block @extschema@.block, path text[]) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_block_ref_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_ref_uri(@extschema@.block, text[]) IS
  'implementation of dag_cbor_ref_uri over a packed block';

CREATE FUNCTION @extschema@.block_is_valid(block @extschema@.block) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_block_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_is_valid(@extschema@.block) IS
  'implementation of dag_cbor_is_valid over a packed block';

CREATE FUNCTION @extschema@.dag_cbor_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_support' LANGUAGE C STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dag_cbor_support(internal) IS
  'planner support for functions over blocks: read the field of an atid.block without the rest';

ALTER FUNCTION @extschema@.dag_cbor_get(bytea, text[]) SUPPORT @extschema@.dag_cbor_support;
ALTER FUNCTION @extschema@.dag_cbor_get_text(bytea, text[]) SUPPORT @extschema@.dag_cbor_support;
ALTER FUNCTION @extschema@.dag_cbor_get_block(bytea, text[]) SUPPORT @extschema@.dag_cbor_support;
ALTER FUNCTION @extschema@.dag_cbor_typeof(bytea, text[]) SUPPORT @extschema@.dag_cbor_support;
ALTER FUNCTION @extschema@.dag_cbor_ref_uri(bytea, text[]) SUPPORT @extschema@.dag_cbor_support;
ALTER FUNCTION @extschema@.dag_cbor_is_valid(bytea) SUPPORT @extschema@.dag_cbor_support;

-- casts

CREATE CAST (bytea AS @extschema@.block) WITH FUNCTION @extschema@.block_from_bytea(bytea) AS ASSIGNMENT;
CREATE CAST (@extschema@.block AS bytea) WITH FUNCTION @extschema@.block_to_bytea(@extschema@.block) AS IMPLICIT;
CREATE CAST (@extschema@.block AS jsonb) WITH FUNCTION @extschema@.block_to_jsonb(@extschema@.block);
