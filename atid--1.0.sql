/* atid--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION atid" to load this file. \quit

-- Every object is named with its schema.  Operators and the aggregates min and
-- max go into pg_catalog, because an operator cannot be written with its schema
-- where it matters: in the queries of everyone whose search_path lacks atid.

GRANT USAGE ON SCHEMA atid TO PUBLIC;

------------------------------------------------------------------------------
-- tid
------------------------------------------------------------------------------

-- type and I/O

CREATE TYPE atid.tid;

CREATE FUNCTION atid.tid_in(cstring) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_in(cstring) IS 'I/O';

CREATE FUNCTION atid.tid_out(atid.tid) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_tid_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_out(atid.tid) IS 'I/O';

CREATE FUNCTION atid.tid_recv(internal) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_recv(internal) IS 'I/O';

CREATE FUNCTION atid.tid_send(atid.tid) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_tid_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_send(atid.tid) IS 'I/O';

CREATE TYPE atid.tid (
  INPUT = atid.tid_in,
  OUTPUT = atid.tid_out,
  RECEIVE = atid.tid_recv,
  SEND = atid.tid_send,
  LIKE = pg_catalog.int8
);
COMMENT ON TYPE atid.tid IS 'AT Protocol timestamp identifier';

-- functions

CREATE FUNCTION atid.tid_generate() RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_generate' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_generate() IS
  'a new TID, greater than every one generated in this database before';

CREATE FUNCTION atid.tid_generate(after atid.tid) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_generate_after' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_generate(atid.tid) IS
  'a new TID, greater than this one and every one generated in this database before';

CREATE FUNCTION atid.tid_make("time" timestamptz, clock_id int) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_make(timestamptz, int) IS
  'the TID of a time and a clock id; does not touch the generator';

CREATE FUNCTION atid.tid_floor("time" timestamptz) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_floor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_floor(timestamptz) IS 'the lowest TID of a microsecond';

CREATE FUNCTION atid.tid_ceil("time" timestamptz) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_ceil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_ceil(timestamptz) IS 'the highest TID of a microsecond';

CREATE FUNCTION atid.tid_timestamp(atid.tid) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_tid_timestamp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_timestamp(atid.tid) IS
  'the time a TID names; NULL where its top bit is set';

CREATE FUNCTION atid.tid_clock_id(atid.tid) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_clock_id' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_clock_id(atid.tid) IS 'the clock id of a TID';

CREATE FUNCTION atid.tid_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_is_valid(text) IS 'is the text a TID?';

CREATE FUNCTION atid.tid_eq(atid.tid, atid.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_eq(atid.tid, atid.tid) IS 'implementation of = operator';

CREATE FUNCTION atid.tid_ne(atid.tid, atid.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_ne(atid.tid, atid.tid) IS 'implementation of <> operator';

CREATE FUNCTION atid.tid_lt(atid.tid, atid.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_lt(atid.tid, atid.tid) IS 'implementation of < operator';

CREATE FUNCTION atid.tid_le(atid.tid, atid.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_le(atid.tid, atid.tid) IS 'implementation of <= operator';

CREATE FUNCTION atid.tid_gt(atid.tid, atid.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_gt(atid.tid, atid.tid) IS 'implementation of > operator';

CREATE FUNCTION atid.tid_ge(atid.tid, atid.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_ge(atid.tid, atid.tid) IS 'implementation of >= operator';

CREATE FUNCTION atid.tid_cmp(atid.tid, atid.tid) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_cmp(atid.tid, atid.tid) IS 'less-equal-greater';

CREATE FUNCTION atid.tid_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_tid_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_sortsupport(internal) IS 'sort support';

CREATE FUNCTION atid.tid_hash(atid.tid) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_hash(atid.tid) IS 'hash';

CREATE FUNCTION atid.tid_hash_extended(atid.tid, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_tid_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_hash_extended(atid.tid, bigint) IS 'hash';

CREATE FUNCTION atid.tid_larger(atid.tid, atid.tid) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_larger(atid.tid, atid.tid) IS 'larger of two';

CREATE FUNCTION atid.tid_smaller(atid.tid, atid.tid) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_smaller(atid.tid, atid.tid) IS 'smaller of two';

CREATE FUNCTION atid.tid_to_bigint(atid.tid) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_tid_to_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_to_bigint(atid.tid) IS
  'the TID as an integer; an error where its top bit is set';

CREATE FUNCTION atid.tid_from_bigint(bigint) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_tid_from_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.tid_from_bigint(bigint) IS
  'the TID of an integer; an error where that is negative';

-- operators and aggregates

CREATE OPERATOR pg_catalog.= (
  LEFTARG = atid.tid, RIGHTARG = atid.tid, FUNCTION = atid.tid_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (atid.tid, atid.tid) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = atid.tid, RIGHTARG = atid.tid, FUNCTION = atid.tid_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (atid.tid, atid.tid) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = atid.tid, RIGHTARG = atid.tid, FUNCTION = atid.tid_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (atid.tid, atid.tid) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = atid.tid, RIGHTARG = atid.tid, FUNCTION = atid.tid_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (atid.tid, atid.tid) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = atid.tid, RIGHTARG = atid.tid, FUNCTION = atid.tid_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (atid.tid, atid.tid) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = atid.tid, RIGHTARG = atid.tid, FUNCTION = atid.tid_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (atid.tid, atid.tid) IS 'greater than or equal';

CREATE AGGREGATE pg_catalog.max(atid.tid) (
  SFUNC = atid.tid_larger, STYPE = atid.tid, COMBINEFUNC = atid.tid_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(atid.tid) IS 'maximum value of all TIDs';

CREATE AGGREGATE pg_catalog.min(atid.tid) (
  SFUNC = atid.tid_smaller, STYPE = atid.tid, COMBINEFUNC = atid.tid_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(atid.tid) IS 'minimum value of all TIDs';

-- operator classes

CREATE OPERATOR CLASS atid.tid_ops DEFAULT FOR TYPE atid.tid USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 atid.tid_cmp(atid.tid, atid.tid),
  FUNCTION 2 atid.tid_sortsupport(internal),
  FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR CLASS atid.tid_ops USING btree IS 'TIDs in the order of their text';
COMMENT ON OPERATOR FAMILY atid.tid_ops USING btree IS 'TIDs in the order of their text';

CREATE OPERATOR CLASS atid.tid_ops DEFAULT FOR TYPE atid.tid USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 atid.tid_hash(atid.tid),
  FUNCTION 2 atid.tid_hash_extended(atid.tid, bigint);
COMMENT ON OPERATOR CLASS atid.tid_ops USING hash IS 'hash of TIDs';
COMMENT ON OPERATOR FAMILY atid.tid_ops USING hash IS 'hash of TIDs';

CREATE OPERATOR CLASS atid.tid_minmax_ops DEFAULT FOR TYPE atid.tid USING brin AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
  FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
  FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
  FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS atid.tid_minmax_ops USING brin IS 'ranges of TIDs';
COMMENT ON OPERATOR FAMILY atid.tid_minmax_ops USING brin IS 'ranges of TIDs';

-- casts; tid to text and to the record keys needs none

CREATE CAST (atid.tid AS bigint) WITH FUNCTION atid.tid_to_bigint(atid.tid);
COMMENT ON CAST (atid.tid AS bigint) IS 'the TID as an integer';

CREATE CAST (bigint AS atid.tid) WITH FUNCTION atid.tid_from_bigint(bigint);
COMMENT ON CAST (bigint AS atid.tid) IS 'the TID of an integer';

CREATE CAST (text AS atid.tid) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS atid.tid) IS 'the TID of a text, in assignments too';

CREATE CAST (varchar AS atid.tid) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS atid.tid) IS 'the TID of a text, in assignments too';

------------------------------------------------------------------------------
-- rkey
------------------------------------------------------------------------------

-- types, and the checks behind them
--
-- The names of the constraints are frozen: a domain that is used inside another
-- type cannot be altered.  Rules change inside the functions.

CREATE FUNCTION atid.rkey_check_length(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_check_length' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.rkey_check_length(text) IS 'constraint rkey_length';

CREATE FUNCTION atid.rkey_check_characters(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_check_characters' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.rkey_check_characters(text) IS 'constraint rkey_characters';

CREATE FUNCTION atid.rkey_check_dot_segment(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_check_dot_segment' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.rkey_check_dot_segment(text) IS 'constraint rkey_dot_segment';

CREATE FUNCTION atid.record_key_check_length(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_check_length' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.record_key_check_length(text) IS 'constraint record_key_length';

CREATE FUNCTION atid.record_key_check_characters(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_check_characters' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.record_key_check_characters(text) IS 'constraint record_key_characters';

CREATE FUNCTION atid.record_key_check_dot_segment(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_check_dot_segment' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.record_key_check_dot_segment(text) IS 'constraint record_key_dot_segment';

CREATE DOMAIN atid.rkey AS text COLLATE "C"
  CONSTRAINT rkey_length CHECK (atid.rkey_check_length(VALUE))
  CONSTRAINT rkey_characters CHECK (atid.rkey_check_characters(VALUE))
  CONSTRAINT rkey_dot_segment CHECK (atid.rkey_check_dot_segment(VALUE));
COMMENT ON DOMAIN atid.rkey IS 'AT Protocol record key, for keys of your own';
COMMENT ON CONSTRAINT rkey_length ON DOMAIN atid.rkey IS '1 to 512 characters';
COMMENT ON CONSTRAINT rkey_characters ON DOMAIN atid.rkey IS 'A-Z a-z 0-9 . - _ ~';
COMMENT ON CONSTRAINT rkey_dot_segment ON DOMAIN atid.rkey IS 'neither "." nor ".."';

CREATE DOMAIN atid.record_key AS text COLLATE "C"
  CONSTRAINT record_key_length CHECK (atid.record_key_check_length(VALUE))
  CONSTRAINT record_key_characters CHECK (atid.record_key_check_characters(VALUE))
  CONSTRAINT record_key_dot_segment CHECK (atid.record_key_check_dot_segment(VALUE));
COMMENT ON DOMAIN atid.record_key IS
  'AT Protocol record key with the colon that the network admits, for keys of others';
COMMENT ON CONSTRAINT record_key_length ON DOMAIN atid.record_key IS '1 to 512 characters';
COMMENT ON CONSTRAINT record_key_characters ON DOMAIN atid.record_key IS 'A-Z a-z 0-9 . - _ ~ :';
COMMENT ON CONSTRAINT record_key_dot_segment ON DOMAIN atid.record_key IS 'neither "." nor ".."';

-- functions

CREATE FUNCTION atid.rkey_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.rkey_is_valid(text) IS 'is the text an rkey?';

CREATE FUNCTION atid.record_key_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.record_key_is_valid(text) IS 'is the text a record_key?';

CREATE FUNCTION atid.rkey_conforms(key text, key_type text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_conforms' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.rkey_conforms(text, text) IS
  'is the text an rkey of a Lexicon key type: tid, nsid, any, literal:<value>?';

CREATE FUNCTION atid.record_key_conforms(key text, key_type text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_conforms' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.record_key_conforms(text, text) IS
  'is the text a record_key of a Lexicon key type: tid, nsid, any, literal:<value>?';

CREATE FUNCTION atid.rkey_generate() RETURNS text
  AS 'MODULE_PATHNAME', 'atid_rkey_generate' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.rkey_generate() IS 'a new TID as text';

------------------------------------------------------------------------------
-- uuid
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION atid.uuid_generate_v1() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v1' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v1() IS 'a new version 1 UUID: time, random node';

CREATE FUNCTION atid.uuid_generate_v1mc() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v1mc' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v1mc() IS
  'a new version 1 UUID with a random node of its own';

CREATE FUNCTION atid.uuid_generate_v3(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v3' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v3(uuid, text) IS 'the version 3 UUID (MD5) of a name';

CREATE FUNCTION atid.uuid_generate_v3(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v3_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v3(uuid, bytea) IS
  'the version 3 UUID (MD5) of a name in octets';

CREATE FUNCTION atid.uuid_generate_v4() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v4' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v4() IS 'a new version 4 UUID: random';

CREATE FUNCTION atid.uuid_generate_v5(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v5' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v5(uuid, text) IS
  'the version 5 UUID (SHA-1) of a name';

CREATE FUNCTION atid.uuid_generate_v5(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v5_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v5(uuid, bytea) IS
  'the version 5 UUID (SHA-1) of a name in octets';

CREATE FUNCTION atid.uuid_generate_v6() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v6' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v6() IS
  'a new version 6 UUID, greater than every one generated in this database before';

CREATE FUNCTION atid.uuid_generate_v7() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v7() IS
  'a new version 7 UUID, greater than every one generated in this database before';

CREATE FUNCTION atid.uuid_generate_v7(shift interval) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v7_interval' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v7(interval) IS
  'a new version 7 UUID with its time shifted';

CREATE FUNCTION atid.uuid_generate_v8(bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v8(bytea) IS
  'the version 8 UUID of 16 bytes, version and variant overwritten';

CREATE FUNCTION atid.uuid_generate_v8(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v8_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v8(uuid, text) IS
  'the version 8 UUID (SHA-256) of a name';

CREATE FUNCTION atid.uuid_generate_v8(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v8_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_generate_v8(uuid, bytea) IS
  'the version 8 UUID (SHA-256) of a name in octets';

CREATE FUNCTION atid.uuid_nil() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_nil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_nil() IS 'the nil UUID, all zeros';

CREATE FUNCTION atid.uuid_max() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_max() IS 'the max UUID, all ones';

CREATE FUNCTION atid.uuid_ns_dns() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_ns_dns' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_ns_dns() IS 'the namespace of domain names';

CREATE FUNCTION atid.uuid_ns_url() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_ns_url' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_ns_url() IS 'the namespace of URLs';

CREATE FUNCTION atid.uuid_ns_oid() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_ns_oid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_ns_oid() IS 'the namespace of ISO object identifiers';

CREATE FUNCTION atid.uuid_ns_x500() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_ns_x500' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_ns_x500() IS 'the namespace of X.500 distinguished names';

CREATE FUNCTION atid.uuid_extract_version(uuid) RETURNS smallint
  AS 'MODULE_PATHNAME', 'atid_uuid_extract_version' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_extract_version(uuid) IS
  'the version of a UUID; NULL where the variant is not that of RFC 9562';

CREATE FUNCTION atid.uuid_extract_variant(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_extract_variant' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_extract_variant(uuid) IS
  'the variant of a UUID: ncs, rfc9562, microsoft or future';

CREATE FUNCTION atid.uuid_extract_timestamp(uuid) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_uuid_extract_timestamp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_extract_timestamp(uuid) IS
  'the time of a version 1, 6 or 7 UUID; NULL for others';

CREATE FUNCTION atid.uuid_extract_timestamp_precise(uuid) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_uuid_extract_timestamp_precise' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_extract_timestamp_precise(uuid) IS
  'the same, with the fraction that rand_a of a version 7 UUID may hold';

CREATE FUNCTION atid.uuid_v7_floor("time" timestamptz) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_floor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_v7_floor(timestamptz) IS
  'the lowest version 7 UUID of a millisecond';

CREATE FUNCTION atid.uuid_v7_ceil("time" timestamptz) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_ceil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_v7_ceil(timestamptz) IS
  'the highest version 7 UUID of a millisecond';

CREATE FUNCTION atid.uuid_v7_make("time" timestamptz) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_make' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_v7_make(timestamptz) IS
  'a version 7 UUID of a time with its microseconds, the rest random; does not touch the generator';

CREATE FUNCTION atid.uuid_timestamptz_to_v7("time" timestamptz, zero bool DEFAULT false) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_timestamptz_to_v7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_timestamptz_to_v7(timestamptz, bool) IS
  'a version 7 UUID of a time, the rest random or zero; does not touch the generator';

CREATE FUNCTION atid.uuid_timestamp_to_v7("time" timestamp, zero bool DEFAULT false) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_timestamp_to_v7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_timestamp_to_v7(timestamp, bool) IS
  'the same of a time in UTC';

CREATE FUNCTION atid.uuid_v7_to_timestamptz(uuid) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_to_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_v7_to_timestamptz(uuid) IS
  'the time of a version 7 UUID; an error for others';

CREATE FUNCTION atid.uuid_v7_to_timestamp(uuid) RETURNS timestamp
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_to_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_v7_to_timestamp(uuid) IS
  'the time of a version 7 UUID in UTC; an error for others';

CREATE FUNCTION atid.uuid_v1_to_v6(uuid) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v1_to_v6' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_v1_to_v6(uuid) IS 'the version 6 UUID of a version 1 UUID';

CREATE FUNCTION atid.uuid_v6_to_v1(uuid) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v6_to_v1' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_v6_to_v1(uuid) IS 'the version 1 UUID of a version 6 UUID';

CREATE FUNCTION atid.uuid_to_urn(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_to_urn' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_to_urn(uuid) IS 'a UUID as a URN';

CREATE FUNCTION atid.uuid_to_oid(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_to_oid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_to_oid(uuid) IS 'a UUID as an object identifier, 2.25 and an integer';

CREATE FUNCTION atid.uuid_from_text(text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_from_text(text) IS 'the UUID of a text in any of its forms';

CREATE FUNCTION atid.uuid_to_numeric(uuid) RETURNS numeric
  AS 'MODULE_PATHNAME', 'atid_uuid_to_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_to_numeric(uuid) IS 'a UUID as an unsigned integer';

CREATE FUNCTION atid.uuid_from_numeric(numeric) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_from_numeric(numeric) IS 'the UUID of an unsigned integer';

CREATE FUNCTION atid.uuid_to_bytes(uuid) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_uuid_to_bytes' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_to_bytes(uuid) IS 'the 16 bytes of a UUID';

CREATE FUNCTION atid.uuid_from_bytes(bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_from_bytes(bytea) IS 'the UUID of 16 bytes';

CREATE FUNCTION atid.uuid_to_guid_bytes(uuid) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_uuid_to_guid_bytes' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_to_guid_bytes(uuid) IS
  'the 16 bytes of a GUID, its first three fields little-endian';

CREATE FUNCTION atid.uuid_from_guid_bytes(bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_guid_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.uuid_from_guid_bytes(bytea) IS 'the UUID of the 16 bytes of a GUID';

------------------------------------------------------------------------------
-- cid
------------------------------------------------------------------------------

-- type and I/O

CREATE TYPE atid.cid_link;

CREATE FUNCTION atid.cid_link_in(cstring) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_in(cstring) IS 'I/O';

CREATE FUNCTION atid.cid_link_out(atid.cid_link) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_cid_link_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_out(atid.cid_link) IS 'I/O';

CREATE FUNCTION atid.cid_link_recv(internal) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_recv(internal) IS 'I/O';

CREATE FUNCTION atid.cid_link_send(atid.cid_link) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_cid_link_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_send(atid.cid_link) IS 'I/O';

CREATE TYPE atid.cid_link (
  INPUT = atid.cid_link_in,
  OUTPUT = atid.cid_link_out,
  RECEIVE = atid.cid_link_recv,
  SEND = atid.cid_link_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended
);
COMMENT ON TYPE atid.cid_link IS 'AT Protocol link: a content identifier, version 1';

-- functions

CREATE FUNCTION atid.cid_make(codec text, digest bytea) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_make(text, bytea) IS
  'the CID of a codec, dag-cbor or raw, and a SHA-256 digest';

CREATE FUNCTION atid.cid_of(block bytea, codec text) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION atid.cid_of(bytea, text) IS 'the CID of a block of a codec, dag-cbor or raw';

CREATE FUNCTION atid.cid_codec(atid.cid_link) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_cid_codec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_codec(atid.cid_link) IS 'the codec of the content that a CID names';

CREATE FUNCTION atid.cid_hash(atid.cid_link) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_cid_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_hash(atid.cid_link) IS 'the hash function of a CID';

CREATE FUNCTION atid.cid_digest(atid.cid_link) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_cid_digest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_digest(atid.cid_link) IS 'the digest in a CID';

CREATE FUNCTION atid.cid_is_blessed(atid.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_is_blessed_link' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_is_blessed(atid.cid_link) IS
  'is the CID of the kind that the protocol makes: dag-cbor or raw, SHA-256?';

CREATE FUNCTION atid.cid_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_is_valid(text) IS 'is the text a cid_link?';

CREATE FUNCTION atid.cid_string_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_string_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_string_is_valid(text) IS
  'is the text of Lexicon''s string format cid, which is looser than a cid_link?';

CREATE FUNCTION atid.cid_link_eq(atid.cid_link, atid.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_eq(atid.cid_link, atid.cid_link) IS
  'implementation of = operator';

CREATE FUNCTION atid.cid_link_ne(atid.cid_link, atid.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_ne(atid.cid_link, atid.cid_link) IS
  'implementation of <> operator';

CREATE FUNCTION atid.cid_link_lt(atid.cid_link, atid.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_lt(atid.cid_link, atid.cid_link) IS
  'implementation of < operator';

CREATE FUNCTION atid.cid_link_le(atid.cid_link, atid.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_le(atid.cid_link, atid.cid_link) IS
  'implementation of <= operator';

CREATE FUNCTION atid.cid_link_gt(atid.cid_link, atid.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_gt(atid.cid_link, atid.cid_link) IS
  'implementation of > operator';

CREATE FUNCTION atid.cid_link_ge(atid.cid_link, atid.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_ge(atid.cid_link, atid.cid_link) IS
  'implementation of >= operator';

CREATE FUNCTION atid.cid_link_cmp(atid.cid_link, atid.cid_link) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_cid_link_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_cmp(atid.cid_link, atid.cid_link) IS 'less-equal-greater';

CREATE FUNCTION atid.cid_link_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_cid_link_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_sortsupport(internal) IS 'sort support';

CREATE FUNCTION atid.cid_link_hash(atid.cid_link) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_cid_link_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_hash(atid.cid_link) IS 'hash';

CREATE FUNCTION atid.cid_link_hash_extended(atid.cid_link, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_cid_link_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_hash_extended(atid.cid_link, bigint) IS 'hash';

CREATE FUNCTION atid.cid_link_larger(atid.cid_link, atid.cid_link) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_larger(atid.cid_link, atid.cid_link) IS 'larger of two';

CREATE FUNCTION atid.cid_link_smaller(atid.cid_link, atid.cid_link) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_smaller(atid.cid_link, atid.cid_link) IS 'smaller of two';

CREATE FUNCTION atid.cid_link_from_bytea(bytea) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.cid_link_from_bytea(bytea) IS
  'the CID of its bytes; an error where they are none';

-- operators and aggregates

CREATE OPERATOR pg_catalog.= (
  LEFTARG = atid.cid_link, RIGHTARG = atid.cid_link, FUNCTION = atid.cid_link_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (atid.cid_link, atid.cid_link) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = atid.cid_link, RIGHTARG = atid.cid_link, FUNCTION = atid.cid_link_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (atid.cid_link, atid.cid_link) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = atid.cid_link, RIGHTARG = atid.cid_link, FUNCTION = atid.cid_link_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (atid.cid_link, atid.cid_link) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = atid.cid_link, RIGHTARG = atid.cid_link, FUNCTION = atid.cid_link_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (atid.cid_link, atid.cid_link) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = atid.cid_link, RIGHTARG = atid.cid_link, FUNCTION = atid.cid_link_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (atid.cid_link, atid.cid_link) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = atid.cid_link, RIGHTARG = atid.cid_link, FUNCTION = atid.cid_link_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (atid.cid_link, atid.cid_link) IS 'greater than or equal';

CREATE AGGREGATE pg_catalog.max(atid.cid_link) (
  SFUNC = atid.cid_link_larger, STYPE = atid.cid_link, COMBINEFUNC = atid.cid_link_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(atid.cid_link) IS 'maximum value of all CIDs';

CREATE AGGREGATE pg_catalog.min(atid.cid_link) (
  SFUNC = atid.cid_link_smaller, STYPE = atid.cid_link, COMBINEFUNC = atid.cid_link_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(atid.cid_link) IS 'minimum value of all CIDs';

-- operator classes

CREATE OPERATOR CLASS atid.cid_link_ops DEFAULT FOR TYPE atid.cid_link USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 atid.cid_link_cmp(atid.cid_link, atid.cid_link),
  FUNCTION 2 atid.cid_link_sortsupport(internal),
  FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR FAMILY atid.cid_link_ops USING btree IS 'CIDs in the order of their bytes';
COMMENT ON OPERATOR CLASS atid.cid_link_ops USING btree IS 'CIDs in the order of their bytes';

CREATE OPERATOR CLASS atid.cid_link_ops DEFAULT FOR TYPE atid.cid_link USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 atid.cid_link_hash(atid.cid_link),
  FUNCTION 2 atid.cid_link_hash_extended(atid.cid_link, bigint);
COMMENT ON OPERATOR FAMILY atid.cid_link_ops USING hash IS 'hash of CIDs';
COMMENT ON OPERATOR CLASS atid.cid_link_ops USING hash IS 'hash of CIDs';

-- casts; a cid_link is bytes already, and bytes must be looked at

CREATE CAST (atid.cid_link AS bytea) WITHOUT FUNCTION;
COMMENT ON CAST (atid.cid_link AS bytea) IS 'the bytes of a CID';

CREATE CAST (bytea AS atid.cid_link) WITH FUNCTION atid.cid_link_from_bytea(bytea);
COMMENT ON CAST (bytea AS atid.cid_link) IS 'the CID of its bytes';

CREATE CAST (text AS atid.cid_link) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS atid.cid_link) IS 'the CID of a text, in assignments too';

CREATE CAST (varchar AS atid.cid_link) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS atid.cid_link) IS 'the CID of a text, in assignments too';

------------------------------------------------------------------------------
-- record
------------------------------------------------------------------------------

-- functions; COST is what a call on a post takes, in calls of a comparison

CREATE FUNCTION atid.record_to_dag_cbor(record jsonb) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_record_to_dag_cbor'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION atid.record_to_dag_cbor(jsonb) IS 'the DAG-CBOR block of a record';

CREATE FUNCTION atid.record_cid(record jsonb) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_record_cid'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION atid.record_cid(jsonb) IS 'the CID that the network knows a record by';

CREATE FUNCTION atid.json_to_dag_cbor(record json) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_json_to_dag_cbor'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION atid.json_to_dag_cbor(json) IS
  'the DAG-CBOR block of a record as json, which can hold U+0000';

CREATE FUNCTION atid.json_cid(record json) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_json_cid'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION atid.json_cid(json) IS 'the CID that the network knows a record, as json, by';

CREATE FUNCTION atid.record_is_valid(record jsonb) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_is_valid'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION atid.record_is_valid(jsonb) IS 'is the record of the AT Protocol data model?';

CREATE FUNCTION atid.record_is_valid(record jsonb, strict bool) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_is_valid'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION atid.record_is_valid(jsonb, bool) IS
  'is the record of the data model and, if strict, fit to be written anew?';

CREATE FUNCTION atid.record_problem(record jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_problem'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION atid.record_problem(jsonb) IS
  'the first problem of a record with its path; NULL where it is valid';

CREATE FUNCTION atid.record_problem(record jsonb, strict bool) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_problem'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION atid.record_problem(jsonb, bool) IS
  'the first problem of a record with its path; if strict, also of what is written anew';

CREATE FUNCTION atid.dag_cbor_to_record(block bytea) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_to_record'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION atid.dag_cbor_to_record(bytea) IS 'the record in a DAG-CBOR block';

CREATE FUNCTION atid.dag_cbor_to_json(block bytea) RETURNS json
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_to_json'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION atid.dag_cbor_to_json(bytea) IS
  'the record in a DAG-CBOR block, as json, which can hold U+0000';

CREATE FUNCTION atid.dag_cbor_is_valid(block bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_is_valid'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION atid.dag_cbor_is_valid(bytea) IS 'is the block strict DAG-CBOR?';

CREATE FUNCTION atid.dag_cbor_problem(block bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_problem'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION atid.dag_cbor_problem(bytea) IS
  'why the block is not strict DAG-CBOR, and where; NULL where it is';

------------------------------------------------------------------------------
-- reference
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION atid.record_links(record jsonb, OUT path text, OUT cid atid.cid_link)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_record_links'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION atid.record_links(jsonb) IS 'the links in a record and their paths';

CREATE FUNCTION atid.record_blobs(
  record jsonb, OUT path text, OUT cid atid.cid_link, OUT mime_type text,
  OUT size bigint, OUT legacy bool
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_record_blobs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION atid.record_blobs(jsonb) IS 'the blobs in a record and their paths';

CREATE FUNCTION atid.dag_cbor_links(block bytea, OUT path text, OUT cid atid.cid_link)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_links'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION atid.dag_cbor_links(bytea) IS 'the links in a block and their paths';

CREATE FUNCTION atid.dag_cbor_blobs(
  block bytea, OUT path text, OUT cid atid.cid_link, OUT mime_type text,
  OUT size bigint, OUT legacy bool
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_blobs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION atid.dag_cbor_blobs(bytea) IS 'the blobs in a block and their paths';

------------------------------------------------------------------------------
-- generator
------------------------------------------------------------------------------

-- the durable horizon; dumped with its value, which needs SELECT of whoever
-- dumps, and UPDATE of whoever restores

CREATE SEQUENCE atid.generator_horizon MINVALUE 0 START 0;
COMMENT ON SEQUENCE atid.generator_horizon IS
  'the time, in microseconds since 1970, below which identifiers may have been handed out';

SELECT pg_catalog.pg_extension_config_dump('atid.generator_horizon', '');

-- in a server where the extension was dropped, its streams still run: the new
-- horizon lies above them

CREATE FUNCTION atid.generator_cover() RETURNS void
  AS 'MODULE_PATHNAME', 'atid_generator_cover' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

SELECT atid.generator_cover();

DROP FUNCTION atid.generator_cover();

-- functions

CREATE FUNCTION atid.generator_state(
  OUT clock_id int,
  OUT last_tid atid.tid,
  OUT last_v7 timestamptz,
  OUT ahead interval,
  OUT durable bool,
  OUT durable_until timestamptz,
  OUT since timestamptz
) AS 'MODULE_PATHNAME', 'atid_generator_state' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.generator_state() IS
  'the state of this database''s streams: clock id, last values, how far ahead of the clock, durable until when, since when';

CREATE FUNCTION atid.generator_reset() RETURNS void
  AS 'MODULE_PATHNAME', 'atid_generator_reset' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION atid.generator_reset() IS
  'begins anew at the clock; what comes next is below what came before, and may repeat it';

-- privileges
--
-- What a script grants is kept as the object's initial privileges, by the OIDs
-- of roles, and pg_dump writes how the present ones differ.  Before 17 an OID
-- stays there when its role is dropped; the dump then has a REVOKE from a number,
-- and cannot be restored.  So the initial privileges name no role that can be
-- dropped: the objects belong to the bootstrap superuser, whoever creates the
-- extension, and the right to restore goes to the owner of the database, whoever
-- that is by then.  Only an extension's owner who is neither that nor a superuser
-- is named.

DO LANGUAGE plpgsql $$
DECLARE
  bootstrap pg_catalog.regrole := 10;
  owner pg_catalog.regrole := (
    SELECT extowner FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'atid'::pg_catalog.name
  );
BEGIN
  EXECUTE pg_catalog.format('ALTER SEQUENCE atid.generator_horizon OWNER TO %s', bootstrap);
  EXECUTE pg_catalog.format('ALTER FUNCTION atid.generator_state() OWNER TO %s', bootstrap);
  EXECUTE pg_catalog.format('ALTER FUNCTION atid.generator_reset() OWNER TO %s', bootstrap);

  IF NOT pg_catalog.pg_has_role(owner, 'pg_database_owner', 'USAGE') THEN
    EXECUTE pg_catalog.format('GRANT UPDATE ON SEQUENCE atid.generator_horizon TO %s', owner);
  END IF;
END
$$;

GRANT SELECT ON SEQUENCE atid.generator_horizon TO PUBLIC;
GRANT UPDATE ON SEQUENCE atid.generator_horizon TO pg_database_owner;

REVOKE ALL ON FUNCTION atid.generator_state() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION atid.generator_state() TO pg_monitor;

REVOKE ALL ON FUNCTION atid.generator_reset() FROM PUBLIC;

-- The schema is not a member of the extension: pg_dump dumps it with what it
-- grants, like any other, and needs no initial privileges for that.
DELETE FROM pg_catalog.pg_init_privs
WHERE objoid OPERATOR(pg_catalog.=) 'atid'::pg_catalog.regnamespace::pg_catalog.oid
  AND classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass::pg_catalog.oid
  AND pg_catalog.current_setting('server_version_num')::pg_catalog.int4 OPERATOR(pg_catalog.<) 170000;
