/* atid--1.3--1.4.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION atid UPDATE TO '1.4'" to load this file. \quit

-- This runs with a superuser's rights in a schema that belongs to somebody else.  So it
-- names our objects by @extschema@ and finds the server's in pg_catalog, it calls no function
-- of ours, and at its end it checks what the extension has become.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- As in atid--1.0.sql, every object is named with its schema.

------------------------------------------------------------------------------
-- record
------------------------------------------------------------------------------

-- types

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
COMMENT ON TYPE @extschema@.block IS
  'DAG-CBOR block, stored packed: a record takes about a third of its bytes';

CREATE TYPE @extschema@.symbol;

CREATE FUNCTION @extschema@.symbol_in(cstring) RETURNS @extschema@.symbol
  AS 'MODULE_PATHNAME', 'atid_symbol_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_in(cstring) IS 'I/O';

CREATE FUNCTION @extschema@.symbol_out(@extschema@.symbol) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_symbol_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_out(@extschema@.symbol) IS 'I/O';

CREATE FUNCTION @extschema@.symbol_recv(internal) RETURNS @extschema@.symbol
  AS 'MODULE_PATHNAME', 'atid_symbol_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_recv(internal) IS 'I/O';

CREATE FUNCTION @extschema@.symbol_send(@extschema@.symbol) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_symbol_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_send(@extschema@.symbol) IS 'I/O';

CREATE TYPE @extschema@.symbol (
  INPUT = @extschema@.symbol_in,
  OUTPUT = @extschema@.symbol_out,
  RECEIVE = @extschema@.symbol_recv,
  SEND = @extschema@.symbol_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended,
  CATEGORY = 'S'
);
COMMENT ON TYPE @extschema@.symbol IS
  'a text that takes a byte or two if it is a well-known NSID or path';

-- functions

-- The errors of LEAKPROOF functions reveal nothing of a block: memory is exhausted, a page is damaged, or a newer
-- version has written the value.

CREATE FUNCTION @extschema@.block_from_bytea(block bytea) RETURNS @extschema@.block
  AS 'MODULE_PATHNAME', 'atid_block_from_bytea' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.block_from_bytea(bytea) IS 'the block, packed';

CREATE FUNCTION @extschema@.block_to_bytea(block @extschema@.block) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_block_to_bytea' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_to_bytea(@extschema@.block) IS 'the bytes of the block';

CREATE FUNCTION @extschema@.block_to_jsonb(block @extschema@.block) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_block_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.block_to_jsonb(@extschema@.block) IS
  'the record in the block, as from dag_cbor_to_record';

CREATE FUNCTION @extschema@.block_get(block @extschema@.block, path text[]) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_block_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
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
  AS 'MODULE_PATHNAME', 'atid_block_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.block_is_valid(@extschema@.block) IS
  'implementation of dag_cbor_is_valid over a packed block';

-- These read an atid.block without its cast to bytea.  The library of 1.3 has their support function, too: in a
-- session that has loaded that library, it does nothing for them.

COMMENT ON FUNCTION @extschema@.at_uri_text_support(internal) IS
  'planner support for comparing at_uri and text, and for reading a field of an atid.block without the rest';

COMMENT ON FUNCTION @extschema@.json_cid(json) IS
  'the CID that the network knows a record by; the record is json';

COMMENT ON FUNCTION @extschema@.record_is_valid(jsonb, bool) IS
  'is the record valid in the data model and, if strict, by the rules for new records?';

COMMENT ON FUNCTION @extschema@.record_problem(jsonb, bool) IS
  'the first problem of a record with its path; NULL if it is valid, strict as in record_is_valid';

-- Not LEAKPROOF: jsonb is built by recursion, so a caller who is deep in the stack already gets an
-- error for a block that is nested deep.  No operator of jsonb is LEAKPROOF either.
CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_get(block bytea, path text[] DEFAULT '{}') RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_get_text(block bytea, path text[] DEFAULT '{}') RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_get_block(block bytea, path text[] DEFAULT '{}') RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get_block' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_typeof(block bytea, path text[] DEFAULT '{}') RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_typeof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_is_valid(block bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20
  SUPPORT @extschema@.at_uri_text_support;

-- functions of the operators, operator classes and casts of atid.symbol
--
-- The errors of those that are LEAKPROOF reveal nothing of a text, as above.

CREATE FUNCTION @extschema@.symbol_eq(@extschema@.symbol, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_eq(@extschema@.symbol, @extschema@.symbol) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.symbol_ne(@extschema@.symbol, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_ne(@extschema@.symbol, @extschema@.symbol) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.symbol_lt(@extschema@.symbol, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_lt(@extschema@.symbol, @extschema@.symbol) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.symbol_le(@extschema@.symbol, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_le(@extschema@.symbol, @extschema@.symbol) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.symbol_gt(@extschema@.symbol, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_gt(@extschema@.symbol, @extschema@.symbol) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.symbol_ge(@extschema@.symbol, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_ge(@extschema@.symbol, @extschema@.symbol) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.symbol_cmp(@extschema@.symbol, @extschema@.symbol) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_symbol_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_cmp(@extschema@.symbol, @extschema@.symbol) IS
  'less-equal-greater';

CREATE FUNCTION @extschema@.symbol_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_symbol_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_sortsupport(internal) IS 'sort support';

CREATE FUNCTION @extschema@.symbol_hash(@extschema@.symbol) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_symbol_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_hash(@extschema@.symbol) IS 'hash';

CREATE FUNCTION @extschema@.symbol_hash_extended(@extschema@.symbol, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_symbol_hash_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_hash_extended(@extschema@.symbol, bigint) IS 'hash';

CREATE FUNCTION @extschema@.symbol_larger(@extschema@.symbol, @extschema@.symbol)
  RETURNS @extschema@.symbol
  AS 'MODULE_PATHNAME', 'atid_symbol_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_larger(@extschema@.symbol, @extschema@.symbol) IS
  'larger of two';

CREATE FUNCTION @extschema@.symbol_smaller(@extschema@.symbol, @extschema@.symbol)
  RETURNS @extschema@.symbol
  AS 'MODULE_PATHNAME', 'atid_symbol_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_smaller(@extschema@.symbol, @extschema@.symbol) IS
  'smaller of two';

CREATE FUNCTION @extschema@.symbol_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_symbol_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_text_support(internal) IS
  'planner support for comparing symbol and text';

CREATE FUNCTION @extschema@.symbol_eq_text(@extschema@.symbol, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_eq_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.symbol_eq_text(@extschema@.symbol, text) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.symbol_ne_text(@extschema@.symbol, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_ne_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.symbol_ne_text(@extschema@.symbol, text) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.symbol_lt_text(@extschema@.symbol, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_lt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.symbol_lt_text(@extschema@.symbol, text) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.symbol_le_text(@extschema@.symbol, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_le_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.symbol_le_text(@extschema@.symbol, text) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.symbol_gt_text(@extschema@.symbol, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_gt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.symbol_gt_text(@extschema@.symbol, text) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.symbol_ge_text(@extschema@.symbol, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_symbol_ge_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.symbol_ge_text(@extschema@.symbol, text) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.symbol_cmp_text(@extschema@.symbol, text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_symbol_cmp_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_cmp_text(@extschema@.symbol, text) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.text_eq_symbol(text, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_symbol' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.text_eq_symbol(text, @extschema@.symbol) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.text_ne_symbol(text, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ne_symbol' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.text_ne_symbol(text, @extschema@.symbol) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.text_lt_symbol(text, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_lt_symbol' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.text_lt_symbol(text, @extschema@.symbol) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.text_le_symbol(text, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_le_symbol' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.text_le_symbol(text, @extschema@.symbol) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.text_gt_symbol(text, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_gt_symbol' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.text_gt_symbol(text, @extschema@.symbol) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.text_ge_symbol(text, @extschema@.symbol) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ge_symbol' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.symbol_text_support;
COMMENT ON FUNCTION @extschema@.text_ge_symbol(text, @extschema@.symbol) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.text_cmp_symbol(text, @extschema@.symbol) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_text_cmp_symbol' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_cmp_symbol(text, @extschema@.symbol) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.symbol_hash_text(text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_symbol_hash_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_hash_text(text) IS 'hash';

CREATE FUNCTION @extschema@.symbol_hash_text_extended(text, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_symbol_hash_text_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_hash_text_extended(text, bigint) IS 'hash';

CREATE FUNCTION @extschema@.symbol_to_text(@extschema@.symbol) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_symbol_to_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_to_text(@extschema@.symbol) IS 'cast to text';

CREATE FUNCTION @extschema@.symbol_from_text(text) RETURNS @extschema@.symbol
  AS 'MODULE_PATHNAME', 'atid_symbol_from_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_from_text(text) IS 'cast from text';

CREATE FUNCTION @extschema@.symbol_from_char(character) RETURNS @extschema@.symbol
  AS 'MODULE_PATHNAME', 'atid_symbol_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.symbol_from_char(character) IS 'cast from character(n)';

-- operators and aggregates

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.symbol, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.symbol_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.symbol, @extschema@.symbol) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.symbol, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.symbol_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.symbol, @extschema@.symbol) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.symbol, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.symbol_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.symbol, @extschema@.symbol) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.symbol, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.symbol_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.symbol, @extschema@.symbol) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.symbol, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.symbol_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.symbol, @extschema@.symbol) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.symbol, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.symbol_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.symbol, @extschema@.symbol) IS
  'greater than or equal';

CREATE AGGREGATE pg_catalog.max(@extschema@.symbol) (
  SFUNC = @extschema@.symbol_larger, STYPE = @extschema@.symbol,
  COMBINEFUNC = @extschema@.symbol_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(@extschema@.symbol) IS 'maximum value of all symbols';

CREATE AGGREGATE pg_catalog.min(@extschema@.symbol) (
  SFUNC = @extschema@.symbol_smaller, STYPE = @extschema@.symbol,
  COMBINEFUNC = @extschema@.symbol_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(@extschema@.symbol) IS 'minimum value of all symbols';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.symbol, RIGHTARG = text, FUNCTION = @extschema@.symbol_eq_text,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.symbol, text) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.symbol, RIGHTARG = text, FUNCTION = @extschema@.symbol_ne_text,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.symbol, text) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.symbol, RIGHTARG = text, FUNCTION = @extschema@.symbol_lt_text,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.symbol, text) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.symbol, RIGHTARG = text, FUNCTION = @extschema@.symbol_le_text,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.symbol, text) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.symbol, RIGHTARG = text, FUNCTION = @extschema@.symbol_gt_text,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.symbol, text) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.symbol, RIGHTARG = text, FUNCTION = @extschema@.symbol_ge_text,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.symbol, text) IS 'greater than or equal';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = text, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.text_eq_symbol,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (text, @extschema@.symbol) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = text, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.text_ne_symbol,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (text, @extschema@.symbol) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = text, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.text_lt_symbol,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (text, @extschema@.symbol) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = text, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.text_le_symbol,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (text, @extschema@.symbol) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = text, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.text_gt_symbol,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (text, @extschema@.symbol) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = text, RIGHTARG = @extschema@.symbol, FUNCTION = @extschema@.text_ge_symbol,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (text, @extschema@.symbol) IS 'greater than or equal';

-- operator classes
--
-- There is no btequalimage: after the dictionary has grown, one text can have several forms.

CREATE OPERATOR CLASS @extschema@.symbol_ops DEFAULT FOR TYPE @extschema@.symbol USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 @extschema@.symbol_cmp(@extschema@.symbol, @extschema@.symbol),
  FUNCTION 2 @extschema@.symbol_sortsupport(internal);
COMMENT ON OPERATOR FAMILY @extschema@.symbol_ops USING btree IS
  'symbols in the order of their texts, byte by byte';
COMMENT ON OPERATOR CLASS @extschema@.symbol_ops USING btree IS
  'symbols in the order of their texts, byte by byte';

CREATE OPERATOR CLASS @extschema@.symbol_ops DEFAULT FOR TYPE @extschema@.symbol USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 @extschema@.symbol_hash(@extschema@.symbol),
  FUNCTION 2 @extschema@.symbol_hash_extended(@extschema@.symbol, bigint);
COMMENT ON OPERATOR FAMILY @extschema@.symbol_ops USING hash IS 'hash of the texts of symbols';
COMMENT ON OPERATOR CLASS @extschema@.symbol_ops USING hash IS 'hash of the texts of symbols';

-- operator families, with text; = of two texts is in families of its own, as the
-- head of src/address/as_text.c explains

ALTER OPERATOR FAMILY @extschema@.symbol_ops USING btree ADD
  OPERATOR 1 pg_catalog.< (@extschema@.symbol, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.symbol, text),
  OPERATOR 3 pg_catalog.= (@extschema@.symbol, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.symbol, text),
  OPERATOR 5 pg_catalog.> (@extschema@.symbol, text),
  OPERATOR 1 pg_catalog.< (text, @extschema@.symbol),
  OPERATOR 2 pg_catalog.<= (text, @extschema@.symbol),
  OPERATOR 3 pg_catalog.= (text, @extschema@.symbol),
  OPERATOR 4 pg_catalog.>= (text, @extschema@.symbol),
  OPERATOR 5 pg_catalog.> (text, @extschema@.symbol),
  OPERATOR 1 pg_catalog.~<~ (text, text),
  OPERATOR 2 pg_catalog.~<=~ (text, text),
  OPERATOR 4 pg_catalog.~>=~ (text, text),
  OPERATOR 5 pg_catalog.~>~ (text, text),
  FUNCTION 1 (@extschema@.symbol, text) @extschema@.symbol_cmp_text(@extschema@.symbol, text),
  FUNCTION 1 (text, @extschema@.symbol) @extschema@.text_cmp_symbol(text, @extschema@.symbol),
  FUNCTION 1 (text, text) pg_catalog.bttext_pattern_cmp(text, text),
  FUNCTION 2 (text, text) pg_catalog.bttext_pattern_sortsupport(internal);

-- the planner finds = of two texts here
CREATE OPERATOR FAMILY @extschema@.symbol_text_ops USING btree;
COMMENT ON OPERATOR FAMILY @extschema@.symbol_text_ops USING btree IS
  'symbols and texts in the same order, for the planner';

ALTER OPERATOR FAMILY @extschema@.symbol_text_ops USING btree ADD
  OPERATOR 1 pg_catalog.< (@extschema@.symbol, @extschema@.symbol),
  OPERATOR 2 pg_catalog.<= (@extschema@.symbol, @extschema@.symbol),
  OPERATOR 3 pg_catalog.= (@extschema@.symbol, @extschema@.symbol),
  OPERATOR 4 pg_catalog.>= (@extschema@.symbol, @extschema@.symbol),
  OPERATOR 5 pg_catalog.> (@extschema@.symbol, @extschema@.symbol),
  OPERATOR 1 pg_catalog.< (@extschema@.symbol, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.symbol, text),
  OPERATOR 3 pg_catalog.= (@extschema@.symbol, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.symbol, text),
  OPERATOR 5 pg_catalog.> (@extschema@.symbol, text),
  OPERATOR 1 pg_catalog.< (text, @extschema@.symbol),
  OPERATOR 2 pg_catalog.<= (text, @extschema@.symbol),
  OPERATOR 3 pg_catalog.= (text, @extschema@.symbol),
  OPERATOR 4 pg_catalog.>= (text, @extschema@.symbol),
  OPERATOR 5 pg_catalog.> (text, @extschema@.symbol),
  OPERATOR 1 pg_catalog.~<~ (text, text),
  OPERATOR 2 pg_catalog.~<=~ (text, text),
  OPERATOR 3 @extschema@.~=~ (text, text),
  OPERATOR 4 pg_catalog.~>=~ (text, text),
  OPERATOR 5 pg_catalog.~>~ (text, text),
  FUNCTION 1 (@extschema@.symbol, @extschema@.symbol)
    @extschema@.symbol_cmp(@extschema@.symbol, @extschema@.symbol),
  FUNCTION 2 (@extschema@.symbol, @extschema@.symbol) @extschema@.symbol_sortsupport(internal),
  FUNCTION 1 (@extschema@.symbol, text) @extschema@.symbol_cmp_text(@extschema@.symbol, text),
  FUNCTION 1 (text, @extschema@.symbol) @extschema@.text_cmp_symbol(text, @extschema@.symbol),
  FUNCTION 1 (text, text) pg_catalog.bttext_pattern_cmp(text, text),
  FUNCTION 2 (text, text) pg_catalog.bttext_pattern_sortsupport(internal);

ALTER OPERATOR FAMILY @extschema@.symbol_ops USING hash ADD
  OPERATOR 1 pg_catalog.= (@extschema@.symbol, text),
  OPERATOR 1 pg_catalog.= (text, @extschema@.symbol),
  OPERATOR 1 @extschema@.~=~ (text, text),
  FUNCTION 1 (text, text) @extschema@.symbol_hash_text(text),
  FUNCTION 2 (text, text) @extschema@.symbol_hash_text_extended(text, bigint);

-- casts

CREATE CAST (bytea AS @extschema@.block) WITH FUNCTION @extschema@.block_from_bytea(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS @extschema@.block) IS 'the block, packed, in assignments too';

CREATE CAST (@extschema@.block AS bytea) WITH FUNCTION @extschema@.block_to_bytea(@extschema@.block) AS IMPLICIT;
COMMENT ON CAST (@extschema@.block AS bytea) IS 'the bytes of the block, implicit';

CREATE CAST (@extschema@.block AS jsonb) WITH FUNCTION @extschema@.block_to_jsonb(@extschema@.block);
COMMENT ON CAST (@extschema@.block AS jsonb) IS 'the record in the block, as from dag_cbor_to_record';

CREATE CAST (@extschema@.symbol AS text)
  WITH FUNCTION @extschema@.symbol_to_text(@extschema@.symbol) AS IMPLICIT;
COMMENT ON CAST (@extschema@.symbol AS text) IS 'the text of a symbol, implicit';

CREATE CAST (@extschema@.symbol AS varchar)
  WITH FUNCTION @extschema@.symbol_to_text(@extschema@.symbol) AS IMPLICIT;
COMMENT ON CAST (@extschema@.symbol AS varchar) IS 'the text of a symbol, implicit';

CREATE CAST (text AS @extschema@.symbol)
  WITH FUNCTION @extschema@.symbol_from_text(text) AS ASSIGNMENT;
COMMENT ON CAST (text AS @extschema@.symbol) IS 'the symbol of a text, in assignments too';

CREATE CAST (varchar AS @extschema@.symbol)
  WITH FUNCTION @extschema@.symbol_from_text(text) AS ASSIGNMENT;
COMMENT ON CAST (varchar AS @extschema@.symbol) IS 'the symbol of a text, in assignments too';

CREATE CAST (character AS @extschema@.symbol)
  WITH FUNCTION @extschema@.symbol_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.symbol) IS
  'the symbol of a text, without the padding, in assignments too';

------------------------------------------------------------------------------
-- reference
------------------------------------------------------------------------------

-- functions

CREATE OR REPLACE FUNCTION @extschema@.dag_cbor_ref_uri(block bytea, path text[] DEFAULT '{}') RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_ref_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;

------------------------------------------------------------------------------
-- uuid
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.uuid_to_ulid(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_to_ulid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.uuid_to_ulid(uuid) IS 'the UUID as a ULID: 26 characters of Crockford''s base32';

COMMENT ON FUNCTION @extschema@.uuid_from_text(text) IS 'the UUID of a text in any of its forms, or of a ULID';

COMMENT ON FUNCTION @extschema@.uuid_extract_timestamp_precise(uuid) IS
  'the time of a version 1, 6 or 7 UUID, with the fraction that rand_a of version 7 can hold';

COMMENT ON FUNCTION @extschema@.uuid_timestamp_to_v7(timestamp, bool) IS
  'a version 7 UUID of a time in UTC, the rest random or zero; does not touch the generator';

------------------------------------------------------------------------------
-- character(n)
------------------------------------------------------------------------------

-- Without these, types of string category would be read with the padding, and the others not at all.

-- functions

CREATE FUNCTION @extschema@.tid_from_char(character) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.tid_from_char(character) IS 'cast from character(n)';

CREATE FUNCTION @extschema@.cid_link_from_char(character) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.cid_link_from_char(character) IS 'cast from character(n)';

CREATE FUNCTION @extschema@.did_from_char(character) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.did_from_char(character) IS 'cast from character(n)';

CREATE FUNCTION @extschema@.at_uri_from_char(character) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_from_char(character) IS 'cast from character(n)';

-- casts

CREATE CAST (character AS @extschema@.tid) WITH FUNCTION @extschema@.tid_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.tid) IS 'the TID in a text, without the padding, in assignments too';

CREATE CAST (character AS @extschema@.cid_link) WITH FUNCTION @extschema@.cid_link_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.cid_link) IS 'the CID in a text, without the padding, in assignments too';

CREATE CAST (character AS @extschema@.did) WITH FUNCTION @extschema@.did_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.did) IS 'the DID in a text, without the padding, in assignments too';

CREATE CAST (character AS @extschema@.at_uri) WITH FUNCTION @extschema@.at_uri_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.at_uri) IS 'the AT URI in a text, without the padding, in assignments too';

------------------------------------------------------------------------------
-- lexicon
------------------------------------------------------------------------------

-- functions

-- Not LEAKPROOF: a part that does not exist is an error.

CREATE FUNCTION @extschema@.xrpc_conforms(
  value jsonb, lexicons @extschema@.lexicon, nsid text, part text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_xrpc_conforms' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.xrpc_conforms(jsonb, @extschema@.lexicon, text, text, bool) IS
  'does the value conform to a part of a query, procedure or subscription: parameters, input, output or message? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.xrpc_conforms_problem(
  value jsonb, lexicons @extschema@.lexicon, nsid text, part text, lenient bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_xrpc_conforms_problem' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.xrpc_conforms_problem(jsonb, @extschema@.lexicon, text, text, bool) IS
  'why xrpc_conforms with the same arguments is false, and where; else NULL';

-- Not STRICT, so that a NULL option is its default.

CREATE FUNCTION @extschema@.lexicon_problem(document jsonb, strict bool) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_lexicon_problem_strict' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_problem(jsonb, bool) IS
  'why the document, or the array of documents, is not a lexicon, and where; if strict, also a type or format that the language lacks';

CREATE FUNCTION @extschema@.lexicon_is_valid(document jsonb, strict bool) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_lexicon_is_valid_strict' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_is_valid(jsonb, bool) IS
  'is the document, or the array of documents, a lexicon? If strict, one without types and formats that the language lacks?';

------------------------------------------------------------------------------
-- generator
------------------------------------------------------------------------------

-- functions

COMMENT ON FUNCTION @extschema@.generator_reset() IS
  'restarts the generator at the current time; later values can be below earlier ones, or equal';

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
          AND e.extname = 'atid' AND d.classid = m.classid AND d.objid = m.oid)
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
