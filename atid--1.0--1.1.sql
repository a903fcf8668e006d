/* atid--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION atid UPDATE TO '1.1'" to load this file. \quit

-- As in atid--1.0.sql, every object is named with its schema, and operators and
-- the aggregates min and max go into pg_catalog.

------------------------------------------------------------------------------
-- tid
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION atid.tid_time_encoder("time" timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN atid.tid_floor("time")::text;
COMMENT ON FUNCTION atid.tid_time_encoder(timestamptz) IS
  'the lowest TID of a microsecond, as text: a time encoder of pg_partman';

CREATE FUNCTION atid.tid_time_decoder(text) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE WHEN atid.tid_is_valid($1) THEN atid.tid_timestamp($1::atid.tid) END;
COMMENT ON FUNCTION atid.tid_time_decoder(text) IS
  'the time of a TID, NULL for other texts: a time decoder of pg_partman';

------------------------------------------------------------------------------
-- uuid
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION atid.uuid_v7_time_encoder("time" timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN atid.uuid_v7_floor("time")::text;
COMMENT ON FUNCTION atid.uuid_v7_time_encoder(timestamptz) IS
  'the lowest version 7 UUID of a millisecond, as text: a time encoder of pg_partman';

CREATE FUNCTION atid.uuid_v7_time_decoder(text) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE WHEN atid.uuid_extract_version($1::uuid) = 7
              THEN atid.uuid_extract_timestamp($1::uuid) END;
COMMENT ON FUNCTION atid.uuid_v7_time_decoder(text) IS
  'the time of a version 7 UUID, NULL for other UUIDs: a time decoder of pg_partman';

------------------------------------------------------------------------------
-- address
------------------------------------------------------------------------------

-- types and I/O

CREATE TYPE atid.did;

CREATE FUNCTION atid.did_in(cstring) RETURNS atid.did
  AS 'MODULE_PATHNAME', 'atid_did_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_in(cstring) IS 'I/O';

CREATE FUNCTION atid.did_out(atid.did) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_did_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_out(atid.did) IS 'I/O';

CREATE FUNCTION atid.did_recv(internal) RETURNS atid.did
  AS 'MODULE_PATHNAME', 'atid_did_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_recv(internal) IS 'I/O';

CREATE FUNCTION atid.did_send(atid.did) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_did_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_send(atid.did) IS 'I/O';

CREATE TYPE atid.did (
  INPUT = atid.did_in,
  OUTPUT = atid.did_out,
  RECEIVE = atid.did_recv,
  SEND = atid.did_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended
);
COMMENT ON TYPE atid.did IS 'AT Protocol account identifier: a DID, packed where it is a did:plc';

CREATE TYPE atid.at_uri;

CREATE FUNCTION atid.at_uri_in(cstring) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_in(cstring) IS 'I/O';

CREATE FUNCTION atid.at_uri_out(atid.at_uri) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_at_uri_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_out(atid.at_uri) IS 'I/O';

CREATE FUNCTION atid.at_uri_recv(internal) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_recv(internal) IS 'I/O';

CREATE FUNCTION atid.at_uri_send(atid.at_uri) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_at_uri_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_send(atid.at_uri) IS 'I/O';

CREATE TYPE atid.at_uri (
  INPUT = atid.at_uri_in,
  OUTPUT = atid.at_uri_out,
  RECEIVE = atid.at_uri_recv,
  SEND = atid.at_uri_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended
);
COMMENT ON TYPE atid.at_uri IS 'AT URI of a repository, a collection or a record, its DID and TID packed';

-- types that are checked text, and the checks behind them
--
-- The names of the constraints are frozen, as are those of atid.rkey.

CREATE FUNCTION atid.handle_check_characters(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_handle_check_characters' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.handle_check_characters(text) IS 'constraint handle_characters';

CREATE FUNCTION atid.handle_check_length(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_handle_check_length' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.handle_check_length(text) IS 'constraint handle_length';

CREATE FUNCTION atid.handle_check_segments(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_handle_check_segments' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.handle_check_segments(text) IS 'constraint handle_segments';

CREATE FUNCTION atid.nsid_check_characters(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_nsid_check_characters' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.nsid_check_characters(text) IS 'constraint nsid_characters';

CREATE FUNCTION atid.nsid_check_length(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_nsid_check_length' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.nsid_check_length(text) IS 'constraint nsid_length';

CREATE FUNCTION atid.nsid_check_name(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_nsid_check_name' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.nsid_check_name(text) IS 'constraint nsid_name';

CREATE FUNCTION atid.nsid_check_segments(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_nsid_check_segments' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.nsid_check_segments(text) IS 'constraint nsid_segments';

CREATE FUNCTION atid.at_identifier_check_syntax(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_identifier_check_syntax' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_identifier_check_syntax(text) IS 'constraint at_identifier_syntax';

CREATE FUNCTION atid.language_check_syntax(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_language_check_syntax' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.language_check_syntax(text) IS 'constraint language_syntax';

CREATE FUNCTION atid.uri_check_length(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_uri_check_length' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uri_check_length(text) IS 'constraint uri_length';

CREATE FUNCTION atid.uri_check_syntax(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_uri_check_syntax' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uri_check_syntax(text) IS 'constraint uri_syntax';

CREATE DOMAIN atid.handle AS text COLLATE "C"
  CONSTRAINT handle_characters CHECK (atid.handle_check_characters(VALUE))
  CONSTRAINT handle_length CHECK (atid.handle_check_length(VALUE))
  CONSTRAINT handle_segments CHECK (atid.handle_check_segments(VALUE));
COMMENT ON DOMAIN atid.handle IS 'AT Protocol handle: a domain name, in the case that it was given';
COMMENT ON CONSTRAINT handle_characters ON DOMAIN atid.handle IS 'A-Z a-z 0-9 - .';
COMMENT ON CONSTRAINT handle_length ON DOMAIN atid.handle IS 'at most 253 characters';
COMMENT ON CONSTRAINT handle_segments ON DOMAIN atid.handle IS
  'two segments or more, of 1 to 63 characters, hyphens inside only, the last not beginning with a digit';

CREATE DOMAIN atid.nsid AS text COLLATE "C"
  CONSTRAINT nsid_characters CHECK (atid.nsid_check_characters(VALUE))
  CONSTRAINT nsid_length CHECK (atid.nsid_check_length(VALUE))
  CONSTRAINT nsid_name CHECK (atid.nsid_check_name(VALUE))
  CONSTRAINT nsid_segments CHECK (atid.nsid_check_segments(VALUE));
COMMENT ON DOMAIN atid.nsid IS 'AT Protocol namespaced identifier, the name of a Lexicon or collection';
COMMENT ON CONSTRAINT nsid_characters ON DOMAIN atid.nsid IS 'A-Z a-z 0-9 - .';
COMMENT ON CONSTRAINT nsid_length ON DOMAIN atid.nsid IS
  'at most 317 characters, and 253 before the name';
COMMENT ON CONSTRAINT nsid_name ON DOMAIN atid.nsid IS
  'the last segment is letters and digits, a letter first';
COMMENT ON CONSTRAINT nsid_segments ON DOMAIN atid.nsid IS
  'three segments or more, of 1 to 63 characters, hyphens inside only, the first not beginning with a digit';

CREATE DOMAIN atid.at_identifier AS text COLLATE "C"
  CONSTRAINT at_identifier_syntax CHECK (atid.at_identifier_check_syntax(VALUE));
COMMENT ON DOMAIN atid.at_identifier IS 'AT Protocol identifier: a DID or a handle';
COMMENT ON CONSTRAINT at_identifier_syntax ON DOMAIN atid.at_identifier IS 'a DID or a handle';

CREATE DOMAIN atid.language AS text COLLATE "C"
  CONSTRAINT language_syntax CHECK (atid.language_check_syntax(VALUE));
COMMENT ON DOMAIN atid.language IS 'language tag, well-formed by BCP 47';
COMMENT ON CONSTRAINT language_syntax ON DOMAIN atid.language IS 'well-formed by RFC 5646';

CREATE DOMAIN atid.uri AS text COLLATE "C"
  CONSTRAINT uri_length CHECK (atid.uri_check_length(VALUE))
  CONSTRAINT uri_syntax CHECK (atid.uri_check_syntax(VALUE));
COMMENT ON DOMAIN atid.uri IS 'URI of RFC 3986, of at most 8192 bytes';
COMMENT ON CONSTRAINT uri_length ON DOMAIN atid.uri IS 'at most 8192 bytes';
COMMENT ON CONSTRAINT uri_syntax ON DOMAIN atid.uri IS
  'scheme, colon, and the characters of RFC 3986';

-- functions

CREATE FUNCTION atid.did_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_is_valid_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_is_valid(text) IS 'is the text a DID?';

CREATE FUNCTION atid.at_uri_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_is_valid_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_is_valid(text) IS 'is the text an AT URI, as a Lexicon''s at-uri?';

CREATE FUNCTION atid.handle_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_handle_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.handle_is_valid(text) IS 'is the text a handle?';

CREATE FUNCTION atid.nsid_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_nsid_is_valid_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.nsid_is_valid(text) IS 'is the text an NSID?';

CREATE FUNCTION atid.at_identifier_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_identifier_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_identifier_is_valid(text) IS 'is the text a DID or a handle?';

CREATE FUNCTION atid.language_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_language_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.language_is_valid(text) IS 'is the text a well-formed language tag?';

CREATE FUNCTION atid.uri_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_uri_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.uri_is_valid(text) IS 'is the text a URI?';

CREATE FUNCTION atid.did_method(atid.did) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_method' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_method(atid.did) IS 'the method of a DID, such as plc';

CREATE FUNCTION atid.at_uri_authority(atid.at_uri) RETURNS atid.at_identifier
  AS 'MODULE_PATHNAME', 'atid_at_uri_authority' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_authority(atid.at_uri) IS
  'the account of an AT URI: a DID or a handle';

CREATE FUNCTION atid.at_uri_did(atid.at_uri) RETURNS atid.did
  AS 'MODULE_PATHNAME', 'atid_at_uri_did' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_did(atid.at_uri) IS
  'the account of an AT URI; NULL where it is a handle';

CREATE FUNCTION atid.at_uri_handle(atid.at_uri) RETURNS atid.handle
  AS 'MODULE_PATHNAME', 'atid_at_uri_handle' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_handle(atid.at_uri) IS
  'the account of an AT URI; NULL where it is a DID';

CREATE FUNCTION atid.at_uri_collection(atid.at_uri) RETURNS atid.nsid
  AS 'MODULE_PATHNAME', 'atid_at_uri_collection' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_collection(atid.at_uri) IS
  'the collection of an AT URI; NULL where it has none';

CREATE FUNCTION atid.at_uri_rkey(atid.at_uri) RETURNS atid.record_key
  AS 'MODULE_PATHNAME', 'atid_at_uri_rkey' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_rkey(atid.at_uri) IS
  'the record key of an AT URI; NULL where it has none';

CREATE FUNCTION atid.at_uri_tid(atid.at_uri) RETURNS atid.tid
  AS 'MODULE_PATHNAME', 'atid_at_uri_tid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_tid(atid.at_uri) IS
  'the record key of an AT URI; NULL where it is no TID';

CREATE FUNCTION atid.at_uri_make(authority text) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_make(text) IS 'the AT URI of a repository, by a DID or handle';

CREATE FUNCTION atid.at_uri_make(authority text, collection text) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_make(text, text) IS 'the AT URI of a collection';

CREATE FUNCTION atid.at_uri_make(authority text, collection text, rkey text) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_make(text, text, text) IS 'the AT URI of a record';

CREATE FUNCTION atid.at_uri_make(authority atid.did) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make_of_did' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_make(atid.did) IS 'the AT URI of a repository, by a DID';

CREATE FUNCTION atid.at_uri_make(authority atid.did, collection text) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make_of_did' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_make(atid.did, text) IS 'the AT URI of a collection';

CREATE FUNCTION atid.at_uri_make(authority atid.did, collection text, rkey text) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make_of_did' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_make(atid.did, text, text) IS 'the AT URI of a record';

CREATE FUNCTION atid.at_uri_normalize(atid.at_uri) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_normalize(atid.at_uri) IS
  'an AT URI with its handle and the domain of its collection in lower case';

CREATE FUNCTION atid.handle_normalize(text) RETURNS atid.handle
  AS 'MODULE_PATHNAME', 'atid_handle_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.handle_normalize(text) IS 'a handle in lower case';

CREATE FUNCTION atid.nsid_normalize(text) RETURNS atid.nsid
  AS 'MODULE_PATHNAME', 'atid_nsid_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.nsid_normalize(text) IS 'an NSID with its authority in lower case';

CREATE FUNCTION atid.nsid_authority(text) RETURNS atid.handle
  AS 'MODULE_PATHNAME', 'atid_nsid_authority' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.nsid_authority(text) IS 'the domain name whose owner gives out an NSID';

CREATE FUNCTION atid.nsid_name(text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_nsid_name' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.nsid_name(text) IS 'the name of an NSID, its last segment';

CREATE FUNCTION atid.did_eq(atid.did, atid.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_eq(atid.did, atid.did) IS 'implementation of = operator';

CREATE FUNCTION atid.did_ne(atid.did, atid.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_ne(atid.did, atid.did) IS 'implementation of <> operator';

CREATE FUNCTION atid.did_lt(atid.did, atid.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_lt(atid.did, atid.did) IS 'implementation of < operator';

CREATE FUNCTION atid.did_le(atid.did, atid.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_le(atid.did, atid.did) IS 'implementation of <= operator';

CREATE FUNCTION atid.did_gt(atid.did, atid.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_gt(atid.did, atid.did) IS 'implementation of > operator';

CREATE FUNCTION atid.did_ge(atid.did, atid.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_ge(atid.did, atid.did) IS 'implementation of >= operator';

CREATE FUNCTION atid.did_cmp(atid.did, atid.did) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_did_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_cmp(atid.did, atid.did) IS 'less-equal-greater';

CREATE FUNCTION atid.did_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_did_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_sortsupport(internal) IS 'sort support';

CREATE FUNCTION atid.did_hash(atid.did) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_did_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_hash(atid.did) IS 'hash';

CREATE FUNCTION atid.did_hash_extended(atid.did, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_did_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_hash_extended(atid.did, bigint) IS 'hash';

CREATE FUNCTION atid.did_larger(atid.did, atid.did) RETURNS atid.did
  AS 'MODULE_PATHNAME', 'atid_did_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_larger(atid.did, atid.did) IS 'larger of two';

CREATE FUNCTION atid.did_smaller(atid.did, atid.did) RETURNS atid.did
  AS 'MODULE_PATHNAME', 'atid_did_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.did_smaller(atid.did, atid.did) IS 'smaller of two';

CREATE FUNCTION atid.at_uri_eq(atid.at_uri, atid.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_eq(atid.at_uri, atid.at_uri) IS 'implementation of = operator';

CREATE FUNCTION atid.at_uri_ne(atid.at_uri, atid.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_ne(atid.at_uri, atid.at_uri) IS 'implementation of <> operator';

CREATE FUNCTION atid.at_uri_lt(atid.at_uri, atid.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_lt(atid.at_uri, atid.at_uri) IS 'implementation of < operator';

CREATE FUNCTION atid.at_uri_le(atid.at_uri, atid.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_le(atid.at_uri, atid.at_uri) IS 'implementation of <= operator';

CREATE FUNCTION atid.at_uri_gt(atid.at_uri, atid.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_gt(atid.at_uri, atid.at_uri) IS 'implementation of > operator';

CREATE FUNCTION atid.at_uri_ge(atid.at_uri, atid.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_ge(atid.at_uri, atid.at_uri) IS 'implementation of >= operator';

CREATE FUNCTION atid.at_uri_cmp(atid.at_uri, atid.at_uri) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_cmp(atid.at_uri, atid.at_uri) IS 'less-equal-greater';

CREATE FUNCTION atid.at_uri_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_at_uri_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_sortsupport(internal) IS 'sort support';

CREATE FUNCTION atid.at_uri_hash(atid.at_uri) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_hash(atid.at_uri) IS 'hash';

CREATE FUNCTION atid.at_uri_hash_extended(atid.at_uri, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_hash_extended(atid.at_uri, bigint) IS 'hash';

CREATE FUNCTION atid.at_uri_larger(atid.at_uri, atid.at_uri) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_larger(atid.at_uri, atid.at_uri) IS 'larger of two';

CREATE FUNCTION atid.at_uri_smaller(atid.at_uri, atid.at_uri) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_smaller(atid.at_uri, atid.at_uri) IS 'smaller of two';

CREATE FUNCTION atid.at_uri_scope_upper(atid.at_uri) RETURNS atid.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_scope_upper' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_scope_upper(atid.at_uri) IS
  'upper bound of what is within a scope, for index conditions';

CREATE FUNCTION atid.at_uri_contained_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_contained_support(internal) IS 'planner support for <@ operator';

CREATE FUNCTION atid.at_uri_contains_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_contains_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_contains_support(internal) IS 'planner support for @> operator';

CREATE FUNCTION atid.at_uri_contained_sel(internal, oid, internal, int) RETURNS float8
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_contained_sel(internal, oid, internal, int) IS
  'restriction selectivity of <@ operator';

CREATE FUNCTION atid.at_uri_contains_sel(internal, oid, internal, int) RETURNS float8
  AS 'MODULE_PATHNAME', 'atid_at_uri_contains_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.at_uri_contains_sel(internal, oid, internal, int) IS
  'restriction selectivity of @> operator';

CREATE FUNCTION atid.at_uri_contained(uri atid.at_uri, scope atid.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT atid.at_uri_contained_support;
COMMENT ON FUNCTION atid.at_uri_contained(atid.at_uri, atid.at_uri) IS
  'implementation of <@ operator';

CREATE FUNCTION atid.at_uri_contains(scope atid.at_uri, uri atid.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contains' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT atid.at_uri_contains_support;
COMMENT ON FUNCTION atid.at_uri_contains(atid.at_uri, atid.at_uri) IS
  'implementation of @> operator';

-- operators and aggregates

CREATE OPERATOR pg_catalog.= (
  LEFTARG = atid.did, RIGHTARG = atid.did, FUNCTION = atid.did_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (atid.did, atid.did) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = atid.did, RIGHTARG = atid.did, FUNCTION = atid.did_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (atid.did, atid.did) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = atid.did, RIGHTARG = atid.did, FUNCTION = atid.did_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (atid.did, atid.did) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = atid.did, RIGHTARG = atid.did, FUNCTION = atid.did_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (atid.did, atid.did) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = atid.did, RIGHTARG = atid.did, FUNCTION = atid.did_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (atid.did, atid.did) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = atid.did, RIGHTARG = atid.did, FUNCTION = atid.did_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (atid.did, atid.did) IS 'greater than or equal';

CREATE AGGREGATE pg_catalog.max(atid.did) (
  SFUNC = atid.did_larger, STYPE = atid.did, COMBINEFUNC = atid.did_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(atid.did) IS 'maximum value of all DIDs';

CREATE AGGREGATE pg_catalog.min(atid.did) (
  SFUNC = atid.did_smaller, STYPE = atid.did, COMBINEFUNC = atid.did_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(atid.did) IS 'minimum value of all DIDs';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = atid.at_uri, RIGHTARG = atid.at_uri, FUNCTION = atid.at_uri_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (atid.at_uri, atid.at_uri) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = atid.at_uri, RIGHTARG = atid.at_uri, FUNCTION = atid.at_uri_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (atid.at_uri, atid.at_uri) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = atid.at_uri, RIGHTARG = atid.at_uri, FUNCTION = atid.at_uri_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (atid.at_uri, atid.at_uri) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = atid.at_uri, RIGHTARG = atid.at_uri, FUNCTION = atid.at_uri_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (atid.at_uri, atid.at_uri) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = atid.at_uri, RIGHTARG = atid.at_uri, FUNCTION = atid.at_uri_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (atid.at_uri, atid.at_uri) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = atid.at_uri, RIGHTARG = atid.at_uri, FUNCTION = atid.at_uri_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (atid.at_uri, atid.at_uri) IS 'greater than or equal';

CREATE AGGREGATE pg_catalog.max(atid.at_uri) (
  SFUNC = atid.at_uri_larger, STYPE = atid.at_uri, COMBINEFUNC = atid.at_uri_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(atid.at_uri) IS 'maximum value of all AT URIs';

CREATE AGGREGATE pg_catalog.min(atid.at_uri) (
  SFUNC = atid.at_uri_smaller, STYPE = atid.at_uri, COMBINEFUNC = atid.at_uri_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(atid.at_uri) IS 'minimum value of all AT URIs';

CREATE OPERATOR pg_catalog.<@ (
  LEFTARG = atid.at_uri, RIGHTARG = atid.at_uri, FUNCTION = atid.at_uri_contained,
  COMMUTATOR = OPERATOR(pg_catalog.@>),
  RESTRICT = atid.at_uri_contained_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR pg_catalog.<@ (atid.at_uri, atid.at_uri) IS 'is the scope itself, or below it';

CREATE OPERATOR pg_catalog.@> (
  LEFTARG = atid.at_uri, RIGHTARG = atid.at_uri, FUNCTION = atid.at_uri_contains,
  COMMUTATOR = OPERATOR(pg_catalog.<@),
  RESTRICT = atid.at_uri_contains_sel, JOIN = contjoinsel
);
COMMENT ON OPERATOR pg_catalog.@> (atid.at_uri, atid.at_uri) IS 'is the scope that the right is, or is below';

-- operator classes

CREATE OPERATOR CLASS atid.did_ops DEFAULT FOR TYPE atid.did USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 atid.did_cmp(atid.did, atid.did),
  FUNCTION 2 atid.did_sortsupport(internal),
  FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR FAMILY atid.did_ops USING btree IS 'DIDs in the order of their texts, byte by byte';
COMMENT ON OPERATOR CLASS atid.did_ops USING btree IS 'DIDs in the order of their texts, byte by byte';

CREATE OPERATOR CLASS atid.did_ops DEFAULT FOR TYPE atid.did USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 atid.did_hash(atid.did),
  FUNCTION 2 atid.did_hash_extended(atid.did, bigint);
COMMENT ON OPERATOR FAMILY atid.did_ops USING hash IS 'hash of DIDs';
COMMENT ON OPERATOR CLASS atid.did_ops USING hash IS 'hash of DIDs';

CREATE OPERATOR CLASS atid.did_minmax_ops DEFAULT FOR TYPE atid.did USING brin AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
  FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
  FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
  FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY atid.did_minmax_ops USING brin IS 'minimum and maximum of DIDs';
COMMENT ON OPERATOR CLASS atid.did_minmax_ops USING brin IS 'minimum and maximum of DIDs';

CREATE OPERATOR CLASS atid.at_uri_ops DEFAULT FOR TYPE atid.at_uri USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 atid.at_uri_cmp(atid.at_uri, atid.at_uri),
  FUNCTION 2 atid.at_uri_sortsupport(internal),
  FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR FAMILY atid.at_uri_ops USING btree IS 'AT URIs in the order of their texts, byte by byte';
COMMENT ON OPERATOR CLASS atid.at_uri_ops USING btree IS 'AT URIs in the order of their texts, byte by byte';

CREATE OPERATOR CLASS atid.at_uri_ops DEFAULT FOR TYPE atid.at_uri USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 atid.at_uri_hash(atid.at_uri),
  FUNCTION 2 atid.at_uri_hash_extended(atid.at_uri, bigint);
COMMENT ON OPERATOR FAMILY atid.at_uri_ops USING hash IS 'hash of AT URIs';
COMMENT ON OPERATOR CLASS atid.at_uri_ops USING hash IS 'hash of AT URIs';

CREATE OPERATOR CLASS atid.at_uri_minmax_ops DEFAULT FOR TYPE atid.at_uri USING brin AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
  FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
  FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
  FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY atid.at_uri_minmax_ops USING brin IS 'minimum and maximum of AT URIs';
COMMENT ON OPERATOR CLASS atid.at_uri_minmax_ops USING brin IS 'minimum and maximum of AT URIs';

-- casts; to text needs none

CREATE CAST (text AS atid.did) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS atid.did) IS 'the DID of a text, in assignments too';

CREATE CAST (varchar AS atid.did) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS atid.did) IS 'the DID of a text, in assignments too';

CREATE CAST (text AS atid.at_uri) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS atid.at_uri) IS 'the AT URI of a text, in assignments too';

CREATE CAST (varchar AS atid.at_uri) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS atid.at_uri) IS 'the AT URI of a text, in assignments too';

------------------------------------------------------------------------------
-- datetime
------------------------------------------------------------------------------

-- types, and the checks behind them
--
-- The names of the constraints are frozen: a domain that is used inside another
-- type cannot be altered.  Rules change inside the functions.

CREATE FUNCTION atid.datetime_check_syntax(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_datetime_check_syntax' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_check_syntax(text) IS 'constraint datetime_syntax';

CREATE FUNCTION atid.datetime_check_calendar(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_datetime_check_calendar' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_check_calendar(text) IS 'constraint datetime_calendar';

CREATE FUNCTION atid.datetime_check_era(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_datetime_check_era' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_check_era(text) IS 'constraint datetime_era';

CREATE DOMAIN atid.datetime AS text COLLATE "C"
  CONSTRAINT datetime_syntax CHECK (atid.datetime_check_syntax(VALUE))
  CONSTRAINT datetime_calendar CHECK (atid.datetime_check_calendar(VALUE))
  CONSTRAINT datetime_era CHECK (atid.datetime_check_era(VALUE));
COMMENT ON DOMAIN atid.datetime IS 'Lexicon''s string format datetime';
COMMENT ON CONSTRAINT datetime_syntax ON DOMAIN atid.datetime IS
  'YYYY-MM-DDThh:mm:ss, a fraction or none, and Z or an offset such as +01:00';
COMMENT ON CONSTRAINT datetime_calendar ON DOMAIN atid.datetime IS
  'a day of the calendar, a time of the day, an offset of less than a day';
COMMENT ON CONSTRAINT datetime_era ON DOMAIN atid.datetime IS 'the years 0000 to 9999, in UTC';

-- functions

CREATE FUNCTION atid.datetime_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_datetime_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_is_valid(text) IS 'is the text a datetime?';

CREATE FUNCTION atid.datetime_to_timestamptz(text) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_datetime_to_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_to_timestamptz(text) IS
  'the time of a datetime, cut to microseconds';

CREATE FUNCTION atid.datetime_or_null(text) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_datetime_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_or_null(text) IS
  'the time of a datetime, cut to microseconds; NULL if it is none';

CREATE FUNCTION atid.datetime_from_timestamptz(timestamptz) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_from_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_from_timestamptz(timestamptz) IS
  'a time as datetime, with microseconds and Z';

CREATE FUNCTION atid.datetime_normalize(text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_normalize(text) IS
  'a sloppy datetime made one with milliseconds and Z';

CREATE FUNCTION atid.datetime_normalize_or_null(text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_normalize_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.datetime_normalize_or_null(text) IS
  'a sloppy datetime made one with milliseconds and Z; NULL if it cannot be read';

CREATE FUNCTION atid.sort_at(created text, indexed timestamptz) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_sort_at' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION atid.sort_at(text, timestamptz) IS
  'the lesser of two times; indexed where created is missing, invalid or before 1970';

------------------------------------------------------------------------------
-- reference
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION atid.record_refs(
  record jsonb, OUT path text, OUT field text, OUT uri atid.at_uri, OUT did atid.did,
  OUT cid atid.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_record_refs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION atid.record_refs(jsonb) IS
  'the AT URIs and DIDs in a record, their paths, and the CIDs of strong references';

CREATE FUNCTION atid.dag_cbor_refs(
  block bytea, OUT path text, OUT field text, OUT uri atid.at_uri, OUT did atid.did,
  OUT cid atid.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_refs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION atid.dag_cbor_refs(bytea) IS
  'the AT URIs and DIDs in a block, their paths, and the CIDs of strong references';

------------------------------------------------------------------------------
-- repository
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION atid.car_roots(car bytea, OUT n int, OUT cid atid.cid_link) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_car_roots' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION atid.car_roots(bytea) IS 'the roots that the header of a CAR names';

CREATE FUNCTION atid.car_blocks(
  car bytea, verify bool DEFAULT true, OUT n int, OUT cid atid.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_car_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION atid.car_blocks(bytea, bool) IS
  'the blocks of a CAR in their order, each with the hash of its CID checked';

CREATE FUNCTION atid.car_is_valid(car bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_car_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION atid.car_is_valid(bytea) IS
  'are the bytes a CAR, and all its blocks those of their CIDs?';

CREATE FUNCTION atid.car_problem(car bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_car_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION atid.car_problem(bytea) IS 'why the bytes are no valid CAR, and where, or NULL';

CREATE FUNCTION atid.car_agg_transfn(internal, root atid.cid_link, cid atid.cid_link, block bytea) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_car_agg_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION atid.car_agg_transfn(internal, atid.cid_link, atid.cid_link, bytea) IS
  'aggregate transition function';

CREATE FUNCTION atid.car_agg_finalfn(internal) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_car_agg_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION atid.car_agg_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION atid.mst_key_depth(key text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_mst_key_depth' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION atid.mst_key_depth(text) IS 'the level of a tree that a key belongs to';

CREATE FUNCTION atid.mst_root_transfn(internal, key text, value atid.cid_link) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_mst_root_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION atid.mst_root_transfn(internal, text, atid.cid_link) IS
  'aggregate transition function';

CREATE FUNCTION atid.mst_root_finalfn(internal) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_mst_root_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION atid.mst_root_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION atid.mst_car_transfn(internal, key text, value atid.cid_link) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_mst_car_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION atid.mst_car_transfn(internal, text, atid.cid_link) IS
  'aggregate transition function';

CREATE FUNCTION atid.mst_car_finalfn(internal) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_mst_car_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION atid.mst_car_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION atid.mst_entries(
  car bytea, root atid.cid_link DEFAULT NULL, partial bool DEFAULT false, OUT key text, OUT value atid.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_mst_entries' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION atid.mst_entries(bytea, atid.cid_link, bool) IS
  'the entries of a tree in a CAR in the order of their keys, the tree verified';

CREATE FUNCTION atid.mst_diff(
  car_a bytea, root_a atid.cid_link, car_b bytea, root_b atid.cid_link,
  OUT key text, OUT old atid.cid_link, OUT new atid.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_mst_diff' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION atid.mst_diff(bytea, atid.cid_link, bytea, atid.cid_link) IS
  'the keys whose values differ in two trees';

CREATE FUNCTION atid.mst_invert(
  car bytea, root atid.cid_link, keys text[], olds atid.cid_link[], news atid.cid_link[]
) RETURNS atid.cid_link
  AS 'MODULE_PATHNAME', 'atid_mst_invert' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION atid.mst_invert(bytea, atid.cid_link, text[], atid.cid_link[], atid.cid_link[]) IS
  'the root of a tree before these operations were applied';

CREATE FUNCTION atid.repo_commit(
  car bytea, OUT did text, OUT version int, OUT rev atid.tid, OUT data atid.cid_link, OUT prev atid.cid_link,
  OUT sig bytea, OUT cid atid.cid_link, OUT block bytea
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_repo_commit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION atid.repo_commit(bytea) IS 'the commit of a repository in a CAR';

CREATE FUNCTION atid.repo_records(
  car bytea, partial bool DEFAULT false,
  OUT collection text, OUT rkey atid.record_key, OUT cid atid.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_repo_records' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION atid.repo_records(bytea, bool) IS
  'the records of a repository in a CAR, every hash and the tree verified';

CREATE FUNCTION atid.repo_is_valid(car bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_repo_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION atid.repo_is_valid(bytea) IS
  'is the CAR a full export of a repository, but for the signature?';

CREATE FUNCTION atid.repo_problem(car bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_repo_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION atid.repo_problem(bytea) IS
  'why the CAR is no full export of a repository, and where, or NULL';

-- aggregates; their final functions only read, so they serve as window functions too

CREATE AGGREGATE atid.car_agg(root atid.cid_link, cid atid.cid_link, block bytea) (
  SFUNC = atid.car_agg_transfn, STYPE = internal, SSPACE = 4096,
  FINALFUNC = atid.car_agg_finalfn, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE atid.car_agg(atid.cid_link, atid.cid_link, bytea) IS
  'the CAR of these blocks, in the order of the rows';

CREATE AGGREGATE atid.mst_root(key text, value atid.cid_link) (
  SFUNC = atid.mst_root_transfn, STYPE = internal, SSPACE = 2048,
  FINALFUNC = atid.mst_root_finalfn, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE atid.mst_root(text, atid.cid_link) IS
  'the CID of the root of the tree of these entries, which come in the order of their keys';

CREATE AGGREGATE atid.mst_car(key text, value atid.cid_link) (
  SFUNC = atid.mst_car_transfn, STYPE = internal, SSPACE = 8192,
  FINALFUNC = atid.mst_car_finalfn, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE atid.mst_car(text, atid.cid_link) IS
  'the nodes of the tree of these entries, which come in the order of their keys, as a CAR';
