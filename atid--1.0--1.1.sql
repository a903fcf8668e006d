/* atid--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION atid UPDATE TO '1.1'" to load this file. \quit

-- This runs with a superuser's rights in a schema that belongs to somebody else.  So it
-- names our objects by @extschema@ and finds the server's in pg_catalog, it calls no function
-- of ours, and at its end it checks what the extension has become.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- As in atid--1.0.sql, every object is named with its schema, and operators and
-- the aggregates min and max go into pg_catalog.

------------------------------------------------------------------------------
-- tid
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.tid_time_encoder("time" timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN @extschema@.tid_floor("time")::text;
COMMENT ON FUNCTION @extschema@.tid_time_encoder(timestamptz) IS
  'the lowest TID of a microsecond as text: a time encoder for pg_partman';

CREATE FUNCTION @extschema@.tid_time_decoder(text) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE WHEN @extschema@.tid_is_valid($1) THEN @extschema@.tid_timestamp($1::@extschema@.tid) END;
COMMENT ON FUNCTION @extschema@.tid_time_decoder(text) IS
  'the time of a TID, NULL for other texts: a time decoder for pg_partman';

CREATE FUNCTION @extschema@.text_eq_bytes(text, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_bytes' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_eq_bytes(text, text) IS 'implementation of ~=~ operator';

CREATE FUNCTION @extschema@.tid_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_tid_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_text_support(internal) IS 'planner support for comparison with text';

CREATE FUNCTION @extschema@.tid_eq_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_eq_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_eq_text(@extschema@.tid, text) IS 'implementation of = operator';

CREATE FUNCTION @extschema@.tid_ne_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_ne_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_ne_text(@extschema@.tid, text) IS 'implementation of <> operator';

CREATE FUNCTION @extschema@.tid_lt_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_lt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_lt_text(@extschema@.tid, text) IS 'implementation of < operator';

CREATE FUNCTION @extschema@.tid_le_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_le_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_le_text(@extschema@.tid, text) IS 'implementation of <= operator';

CREATE FUNCTION @extschema@.tid_gt_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_gt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_gt_text(@extschema@.tid, text) IS 'implementation of > operator';

CREATE FUNCTION @extschema@.tid_ge_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_ge_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_ge_text(@extschema@.tid, text) IS 'implementation of >= operator';

CREATE FUNCTION @extschema@.tid_cmp_text(@extschema@.tid, text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_cmp_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_cmp_text(@extschema@.tid, text) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.text_eq_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_eq_tid(text, @extschema@.tid) IS 'implementation of = operator';

CREATE FUNCTION @extschema@.text_ne_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ne_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_ne_tid(text, @extschema@.tid) IS 'implementation of <> operator';

CREATE FUNCTION @extschema@.text_lt_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_lt_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_lt_tid(text, @extschema@.tid) IS 'implementation of < operator';

CREATE FUNCTION @extschema@.text_le_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_le_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_le_tid(text, @extschema@.tid) IS 'implementation of <= operator';

CREATE FUNCTION @extschema@.text_gt_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_gt_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_gt_tid(text, @extschema@.tid) IS 'implementation of > operator';

CREATE FUNCTION @extschema@.text_ge_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ge_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_ge_tid(text, @extschema@.tid) IS 'implementation of >= operator';

CREATE FUNCTION @extschema@.text_cmp_tid(text, @extschema@.tid) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_text_cmp_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_cmp_tid(text, @extschema@.tid) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.tid_hash_text(text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_hash_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_hash_text(text) IS 'hash';

CREATE FUNCTION @extschema@.tid_hash_text_extended(text, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_tid_hash_text_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_hash_text_extended(text, bigint) IS 'hash';

-- operators

CREATE OPERATOR @extschema@.~=~ (
  LEFTARG = text, RIGHTARG = text, FUNCTION = @extschema@.text_eq_bytes,
  COMMUTATOR = OPERATOR(@extschema@.~=~),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR @extschema@.~=~ (text, text) IS
  'equal byte by byte: equality of text in the operator families of this extension';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.tid, RIGHTARG = text, FUNCTION = @extschema@.tid_eq_text,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.tid, text) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.tid, RIGHTARG = text, FUNCTION = @extschema@.tid_ne_text,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.tid, text) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.tid, RIGHTARG = text, FUNCTION = @extschema@.tid_lt_text,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.tid, text) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.tid, RIGHTARG = text, FUNCTION = @extschema@.tid_le_text,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.tid, text) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.tid, RIGHTARG = text, FUNCTION = @extschema@.tid_gt_text,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.tid, text) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.tid, RIGHTARG = text, FUNCTION = @extschema@.tid_ge_text,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.tid, text) IS 'greater than or equal';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = text, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.text_eq_tid,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (text, @extschema@.tid) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = text, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.text_ne_tid,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (text, @extschema@.tid) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = text, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.text_lt_tid,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (text, @extschema@.tid) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = text, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.text_le_tid,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (text, @extschema@.tid) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = text, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.text_gt_tid,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (text, @extschema@.tid) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = text, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.text_ge_tid,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (text, @extschema@.tid) IS 'greater than or equal';

-- operator families; = of two texts is in a family of its own, as the head of
-- src/address/as_text.c explains

ALTER OPERATOR FAMILY @extschema@.tid_ops USING btree ADD
  OPERATOR 1 pg_catalog.< (@extschema@.tid, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.tid, text),
  OPERATOR 3 pg_catalog.= (@extschema@.tid, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.tid, text),
  OPERATOR 5 pg_catalog.> (@extschema@.tid, text),
  OPERATOR 1 pg_catalog.< (text, @extschema@.tid),
  OPERATOR 2 pg_catalog.<= (text, @extschema@.tid),
  OPERATOR 3 pg_catalog.= (text, @extschema@.tid),
  OPERATOR 4 pg_catalog.>= (text, @extschema@.tid),
  OPERATOR 5 pg_catalog.> (text, @extschema@.tid),
  OPERATOR 1 pg_catalog.~<~ (text, text),
  OPERATOR 2 pg_catalog.~<=~ (text, text),
  OPERATOR 4 pg_catalog.~>=~ (text, text),
  OPERATOR 5 pg_catalog.~>~ (text, text),
  FUNCTION 1 (@extschema@.tid, text) @extschema@.tid_cmp_text(@extschema@.tid, text),
  FUNCTION 1 (text, @extschema@.tid) @extschema@.text_cmp_tid(text, @extschema@.tid),
  FUNCTION 1 (text, text) pg_catalog.bttext_pattern_cmp(text, text),
  FUNCTION 2 (text, text) pg_catalog.bttext_pattern_sortsupport(internal);

-- the planner finds = of two texts here
CREATE OPERATOR FAMILY @extschema@.tid_text_ops USING btree;
COMMENT ON OPERATOR FAMILY @extschema@.tid_text_ops USING btree IS 'TIDs and texts in the same order, for the planner';
ALTER OPERATOR FAMILY @extschema@.tid_text_ops USING btree ADD
  OPERATOR 1 pg_catalog.< (@extschema@.tid, @extschema@.tid),
  OPERATOR 2 pg_catalog.<= (@extschema@.tid, @extschema@.tid),
  OPERATOR 3 pg_catalog.= (@extschema@.tid, @extschema@.tid),
  OPERATOR 4 pg_catalog.>= (@extschema@.tid, @extschema@.tid),
  OPERATOR 5 pg_catalog.> (@extschema@.tid, @extschema@.tid),
  OPERATOR 1 pg_catalog.< (@extschema@.tid, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.tid, text),
  OPERATOR 3 pg_catalog.= (@extschema@.tid, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.tid, text),
  OPERATOR 5 pg_catalog.> (@extschema@.tid, text),
  OPERATOR 1 pg_catalog.< (text, @extschema@.tid),
  OPERATOR 2 pg_catalog.<= (text, @extschema@.tid),
  OPERATOR 3 pg_catalog.= (text, @extschema@.tid),
  OPERATOR 4 pg_catalog.>= (text, @extschema@.tid),
  OPERATOR 5 pg_catalog.> (text, @extschema@.tid),
  OPERATOR 1 pg_catalog.~<~ (text, text),
  OPERATOR 2 pg_catalog.~<=~ (text, text),
  OPERATOR 3 @extschema@.~=~ (text, text),
  OPERATOR 4 pg_catalog.~>=~ (text, text),
  OPERATOR 5 pg_catalog.~>~ (text, text),
  FUNCTION 1 (@extschema@.tid, @extschema@.tid) @extschema@.tid_cmp(@extschema@.tid, @extschema@.tid),
  FUNCTION 2 (@extschema@.tid, @extschema@.tid) @extschema@.tid_sortsupport(internal),
  FUNCTION 1 (@extschema@.tid, text) @extschema@.tid_cmp_text(@extschema@.tid, text),
  FUNCTION 1 (text, @extschema@.tid) @extschema@.text_cmp_tid(text, @extschema@.tid),
  FUNCTION 1 (text, text) pg_catalog.bttext_pattern_cmp(text, text),
  FUNCTION 2 (text, text) pg_catalog.bttext_pattern_sortsupport(internal);

ALTER OPERATOR FAMILY @extschema@.tid_ops USING hash ADD
  OPERATOR 1 pg_catalog.= (@extschema@.tid, text),
  OPERATOR 1 pg_catalog.= (text, @extschema@.tid),
  OPERATOR 1 @extschema@.~=~ (text, text),
  FUNCTION 1 (text, text) @extschema@.tid_hash_text(text),
  FUNCTION 2 (text, text) @extschema@.tid_hash_text_extended(text, bigint);

ALTER OPERATOR FAMILY @extschema@.tid_minmax_ops USING brin ADD
  OPERATOR 1 pg_catalog.< (@extschema@.tid, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.tid, text),
  OPERATOR 3 pg_catalog.= (@extschema@.tid, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.tid, text),
  OPERATOR 5 pg_catalog.> (@extschema@.tid, text);

------------------------------------------------------------------------------
-- address
------------------------------------------------------------------------------

-- types and I/O

CREATE TYPE @extschema@.did;

CREATE FUNCTION @extschema@.did_in(cstring) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_in(cstring) IS 'I/O';

CREATE FUNCTION @extschema@.did_out(@extschema@.did) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_did_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_out(@extschema@.did) IS 'I/O';

CREATE FUNCTION @extschema@.did_recv(internal) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_recv(internal) IS 'I/O';

CREATE FUNCTION @extschema@.did_send(@extschema@.did) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_did_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_send(@extschema@.did) IS 'I/O';

CREATE TYPE @extschema@.did (
  INPUT = @extschema@.did_in,
  OUTPUT = @extschema@.did_out,
  RECEIVE = @extschema@.did_recv,
  SEND = @extschema@.did_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended,
  CATEGORY = 'S'
);
COMMENT ON TYPE @extschema@.did IS 'AT Protocol account identifier (DID); a did:plc is stored packed';

CREATE TYPE @extschema@.at_uri;

CREATE FUNCTION @extschema@.at_uri_in(cstring) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_in(cstring) IS 'I/O';

CREATE FUNCTION @extschema@.at_uri_out(@extschema@.at_uri) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_at_uri_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_out(@extschema@.at_uri) IS 'I/O';

CREATE FUNCTION @extschema@.at_uri_recv(internal) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_recv(internal) IS 'I/O';

CREATE FUNCTION @extschema@.at_uri_send(@extschema@.at_uri) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_at_uri_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_send(@extschema@.at_uri) IS 'I/O';

CREATE TYPE @extschema@.at_uri (
  INPUT = @extschema@.at_uri_in,
  OUTPUT = @extschema@.at_uri_out,
  RECEIVE = @extschema@.at_uri_recv,
  SEND = @extschema@.at_uri_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended,
  CATEGORY = 'S'
);
COMMENT ON TYPE @extschema@.at_uri IS 'AT URI of a repository, collection or record; its DID and TID are stored packed';

-- types that are checked text, and the checks behind them
--
-- The names of the constraints are frozen, as are those of atid.rkey.  The length
-- is part of each check: rules change inside the functions, since a domain that is
-- used inside another type cannot be altered.

CREATE FUNCTION @extschema@.did_or_null(text) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_or_null(text) IS 'the DID in a text; NULL if the text is not a DID';

CREATE FUNCTION @extschema@.at_uri_or_null(text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_or_null(text) IS 'the AT URI in a text; NULL if the text is not an AT URI';

CREATE FUNCTION @extschema@.handle_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_handle_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.handle_is_valid(text) IS 'is the text a handle?';

CREATE FUNCTION @extschema@.nsid_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_nsid_is_valid_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.nsid_is_valid(text) IS 'is the text an NSID?';

CREATE FUNCTION @extschema@.at_identifier_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_identifier_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_identifier_is_valid(text) IS 'is the text a DID or a handle?';

CREATE FUNCTION @extschema@.language_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_language_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.language_is_valid(text) IS 'is the text a well-formed language tag?';

CREATE FUNCTION @extschema@.uri_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_uri_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uri_is_valid(text) IS 'is the text a URI?';

CREATE DOMAIN @extschema@.handle AS text COLLATE "C"
  CONSTRAINT handle_syntax CHECK (@extschema@.handle_is_valid(VALUE));
COMMENT ON DOMAIN @extschema@.handle IS 'AT Protocol handle: a domain name, its case kept';
COMMENT ON CONSTRAINT handle_syntax ON DOMAIN @extschema@.handle IS
  'a valid handle; format_problem() tells why a text is not';

CREATE DOMAIN @extschema@.nsid AS text COLLATE "C"
  CONSTRAINT nsid_syntax CHECK (@extschema@.nsid_is_valid(VALUE));
COMMENT ON DOMAIN @extschema@.nsid IS 'AT Protocol namespaced identifier (NSID), the name of a Lexicon or collection';
COMMENT ON CONSTRAINT nsid_syntax ON DOMAIN @extschema@.nsid IS
  'a valid NSID; format_problem() tells why a text is not';

CREATE DOMAIN @extschema@.at_identifier AS text COLLATE "C"
  CONSTRAINT at_identifier_syntax CHECK (@extschema@.at_identifier_is_valid(VALUE));
COMMENT ON DOMAIN @extschema@.at_identifier IS 'AT Protocol identifier: a DID or a handle';
COMMENT ON CONSTRAINT at_identifier_syntax ON DOMAIN @extschema@.at_identifier IS
  'a valid DID or handle; format_problem() tells why a text is not';

CREATE DOMAIN @extschema@.language AS text COLLATE "C"
  CONSTRAINT language_syntax CHECK (@extschema@.language_is_valid(VALUE));
COMMENT ON DOMAIN @extschema@.language IS 'well-formed language tag of BCP 47';
COMMENT ON CONSTRAINT language_syntax ON DOMAIN @extschema@.language IS
  'well-formed by RFC 5646; format_problem() tells why a text is not';

CREATE DOMAIN @extschema@.uri AS text COLLATE "C"
  CONSTRAINT uri_syntax CHECK (@extschema@.uri_is_valid(VALUE));
COMMENT ON DOMAIN @extschema@.uri IS 'URI of RFC 3986, of at most 8192 characters';
COMMENT ON CONSTRAINT uri_syntax ON DOMAIN @extschema@.uri IS
  'a URI of at most 8192 characters; format_problem() tells why a text is not';

-- functions

CREATE FUNCTION @extschema@.did_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_is_valid_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_is_valid(text) IS 'is the text a DID?';

CREATE FUNCTION @extschema@.at_uri_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_is_valid_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_is_valid(text) IS 'is the text an AT URI of Lexicon''s string format at-uri?';

CREATE FUNCTION @extschema@.format_problem(value text, format text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_format_problem' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.format_problem(text, text) IS
  'why a text is not of a string format of Lexicon, and where; NULL if it is';

CREATE FUNCTION @extschema@.at_uri_authority(@extschema@.at_uri) RETURNS @extschema@.at_identifier
  AS 'MODULE_PATHNAME', 'atid_at_uri_authority' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_authority(@extschema@.at_uri) IS
  'the account of an AT URI, a DID or a handle';

CREATE FUNCTION @extschema@.at_uri_did(@extschema@.at_uri) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_at_uri_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_did(@extschema@.at_uri) IS
  'the DID of an AT URI; NULL if it has a handle';

CREATE FUNCTION @extschema@.at_uri_handle(@extschema@.at_uri) RETURNS @extschema@.handle
  AS 'MODULE_PATHNAME', 'atid_at_uri_handle' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_handle(@extschema@.at_uri) IS
  'the handle of an AT URI; NULL if it has a DID';

CREATE FUNCTION @extschema@.at_uri_collection(@extschema@.at_uri) RETURNS @extschema@.nsid
  AS 'MODULE_PATHNAME', 'atid_at_uri_collection' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_collection(@extschema@.at_uri) IS
  'the collection of an AT URI; NULL if it has none';

CREATE FUNCTION @extschema@.at_uri_rkey(@extschema@.at_uri) RETURNS @extschema@.record_key
  AS 'MODULE_PATHNAME', 'atid_at_uri_rkey' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_rkey(@extschema@.at_uri) IS
  'the record key of an AT URI; NULL if it has none';

CREATE FUNCTION @extschema@.at_uri_tid(@extschema@.at_uri) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_at_uri_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_tid(@extschema@.at_uri) IS
  'the record key of an AT URI as TID; NULL if it is not a TID';

CREATE FUNCTION @extschema@.at_uri_scopes(@extschema@.at_uri) RETURNS @extschema@.at_uri[]
  AS 'MODULE_PATHNAME', 'atid_at_uri_scopes' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_scopes(@extschema@.at_uri) IS
  'the scopes that contain an AT URI: its account, its collection, itself';

CREATE FUNCTION @extschema@.at_uri_path(@extschema@.at_uri) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_at_uri_path' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_path(@extschema@.at_uri) IS
  'the path of an AT URI: its collection, or collection/rkey; NULL if it has none';

CREATE FUNCTION @extschema@.at_uri_make(authority text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_make(text) IS 'the AT URI of the repository of a DID or handle';

CREATE FUNCTION @extschema@.at_uri_make(authority text, path text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_make(text, text) IS
  'the AT URI of a collection, or of a record given as collection/rkey';

CREATE FUNCTION @extschema@.at_uri_make(authority text, collection text, rkey text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_make(text, text, text) IS 'the AT URI of a record';

CREATE FUNCTION @extschema@.at_uri_normalize(@extschema@.at_uri) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_normalize(@extschema@.at_uri) IS
  'an AT URI with its handle and the domain of its collection in lower case';

CREATE FUNCTION @extschema@.nsid_normalize(text) RETURNS @extschema@.nsid
  AS 'MODULE_PATHNAME', 'atid_nsid_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.nsid_normalize(text) IS 'an NSID with its authority in lower case';

CREATE FUNCTION @extschema@.nsid_authority(text) RETURNS @extschema@.handle
  AS 'MODULE_PATHNAME', 'atid_nsid_authority' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.nsid_authority(text) IS 'the domain name whose owner defines an NSID';

CREATE FUNCTION @extschema@.did_eq(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_eq(@extschema@.did, @extschema@.did) IS 'implementation of = operator';

CREATE FUNCTION @extschema@.did_ne(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_ne(@extschema@.did, @extschema@.did) IS 'implementation of <> operator';

CREATE FUNCTION @extschema@.did_lt(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_lt(@extschema@.did, @extschema@.did) IS 'implementation of < operator';

CREATE FUNCTION @extschema@.did_le(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_le(@extschema@.did, @extschema@.did) IS 'implementation of <= operator';

CREATE FUNCTION @extschema@.did_gt(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_gt(@extschema@.did, @extschema@.did) IS 'implementation of > operator';

CREATE FUNCTION @extschema@.did_ge(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_ge(@extschema@.did, @extschema@.did) IS 'implementation of >= operator';

CREATE FUNCTION @extschema@.did_cmp(@extschema@.did, @extschema@.did) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_did_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_cmp(@extschema@.did, @extschema@.did) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.did_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_did_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_sortsupport(internal) IS 'sort support';

CREATE FUNCTION @extschema@.did_hash(@extschema@.did) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_did_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_hash(@extschema@.did) IS 'hash';

CREATE FUNCTION @extschema@.did_hash_extended(@extschema@.did, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_did_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_hash_extended(@extschema@.did, bigint) IS 'hash';

CREATE FUNCTION @extschema@.did_larger(@extschema@.did, @extschema@.did) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_larger(@extschema@.did, @extschema@.did) IS 'larger of two';

CREATE FUNCTION @extschema@.did_smaller(@extschema@.did, @extschema@.did) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_smaller(@extschema@.did, @extschema@.did) IS 'smaller of two';

CREATE FUNCTION @extschema@.at_uri_eq(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_eq(@extschema@.at_uri, @extschema@.at_uri) IS 'implementation of = operator';

CREATE FUNCTION @extschema@.at_uri_ne(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_ne(@extschema@.at_uri, @extschema@.at_uri) IS 'implementation of <> operator';

CREATE FUNCTION @extschema@.at_uri_lt(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_lt(@extschema@.at_uri, @extschema@.at_uri) IS 'implementation of < operator';

CREATE FUNCTION @extschema@.at_uri_le(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_le(@extschema@.at_uri, @extschema@.at_uri) IS 'implementation of <= operator';

CREATE FUNCTION @extschema@.at_uri_gt(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_gt(@extschema@.at_uri, @extschema@.at_uri) IS 'implementation of > operator';

CREATE FUNCTION @extschema@.at_uri_ge(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_ge(@extschema@.at_uri, @extschema@.at_uri) IS 'implementation of >= operator';

CREATE FUNCTION @extschema@.at_uri_cmp(@extschema@.at_uri, @extschema@.at_uri) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_cmp(@extschema@.at_uri, @extschema@.at_uri) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.at_uri_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_at_uri_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_sortsupport(internal) IS 'sort support';

CREATE FUNCTION @extschema@.at_uri_hash(@extschema@.at_uri) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_hash(@extschema@.at_uri) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_hash_extended(@extschema@.at_uri, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_hash_extended(@extschema@.at_uri, bigint) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_larger(@extschema@.at_uri, @extschema@.at_uri) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_larger(@extschema@.at_uri, @extschema@.at_uri) IS 'larger of two';

CREATE FUNCTION @extschema@.at_uri_smaller(@extschema@.at_uri, @extschema@.at_uri) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_smaller(@extschema@.at_uri, @extschema@.at_uri) IS 'smaller of two';

CREATE FUNCTION @extschema@.at_uri_scope_upper(@extschema@.at_uri) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_scope_upper' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_scope_upper(@extschema@.at_uri) IS
  'the upper bound of the AT URIs in a scope, for index conditions';

CREATE FUNCTION @extschema@.at_uri_contained_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_contained_support(internal) IS 'planner support for <@ operator';

CREATE FUNCTION @extschema@.at_uri_contains_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_contains_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_contains_support(internal) IS 'planner support for @> operator';

CREATE FUNCTION @extschema@.at_uri_scope_sel(internal, oid, internal, int) RETURNS float8
  AS 'MODULE_PATHNAME', 'atid_at_uri_scope_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_scope_sel(internal, oid, internal, int) IS
  'restriction selectivity of <@ and @>';

CREATE FUNCTION @extschema@.at_uri_scope_joinsel(internal, oid, internal, smallint, internal) RETURNS float8
  AS 'MODULE_PATHNAME', 'atid_at_uri_scope_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_scope_joinsel(internal, oid, internal, smallint, internal) IS
  'join selectivity of <@ and @>';

CREATE FUNCTION @extschema@.at_uri_contained(uri @extschema@.at_uri, scope @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_contained_support;
COMMENT ON FUNCTION @extschema@.at_uri_contained(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of <@ operator';

CREATE FUNCTION @extschema@.at_uri_contains(scope @extschema@.at_uri, uri @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contains' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_contains_support;
COMMENT ON FUNCTION @extschema@.at_uri_contains(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of @> operator';

CREATE FUNCTION @extschema@.did_to_text(@extschema@.did) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_to_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_to_text(@extschema@.did) IS 'cast to text';

CREATE FUNCTION @extschema@.at_uri_to_text(@extschema@.at_uri) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_at_uri_to_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_to_text(@extschema@.at_uri) IS 'cast to text';

CREATE FUNCTION @extschema@.did_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_did_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_text_support(internal) IS 'planner support for comparison with text';

CREATE FUNCTION @extschema@.did_eq_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_eq_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_eq_text(@extschema@.did, text) IS 'implementation of = operator';

CREATE FUNCTION @extschema@.did_ne_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ne_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_ne_text(@extschema@.did, text) IS 'implementation of <> operator';

CREATE FUNCTION @extschema@.did_lt_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_lt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_lt_text(@extschema@.did, text) IS 'implementation of < operator';

CREATE FUNCTION @extschema@.did_le_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_le_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_le_text(@extschema@.did, text) IS 'implementation of <= operator';

CREATE FUNCTION @extschema@.did_gt_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_gt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_gt_text(@extschema@.did, text) IS 'implementation of > operator';

CREATE FUNCTION @extschema@.did_ge_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ge_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_ge_text(@extschema@.did, text) IS 'implementation of >= operator';

CREATE FUNCTION @extschema@.did_cmp_text(@extschema@.did, text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_did_cmp_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_cmp_text(@extschema@.did, text) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.text_eq_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_eq_did(text, @extschema@.did) IS 'implementation of = operator';

CREATE FUNCTION @extschema@.text_ne_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ne_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_ne_did(text, @extschema@.did) IS 'implementation of <> operator';

CREATE FUNCTION @extschema@.text_lt_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_lt_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_lt_did(text, @extschema@.did) IS 'implementation of < operator';

CREATE FUNCTION @extschema@.text_le_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_le_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_le_did(text, @extschema@.did) IS 'implementation of <= operator';

CREATE FUNCTION @extschema@.text_gt_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_gt_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_gt_did(text, @extschema@.did) IS 'implementation of > operator';

CREATE FUNCTION @extschema@.text_ge_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ge_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_ge_did(text, @extschema@.did) IS 'implementation of >= operator';

CREATE FUNCTION @extschema@.text_cmp_did(text, @extschema@.did) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_text_cmp_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_cmp_did(text, @extschema@.did) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.did_hash_text(text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_did_hash_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_hash_text(text) IS 'hash';

CREATE FUNCTION @extschema@.did_hash_text_extended(text, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_did_hash_text_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_hash_text_extended(text, bigint) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_text_support(internal) IS 'planner support for comparison with text';

CREATE FUNCTION @extschema@.at_uri_eq_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_eq_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_eq_text(@extschema@.at_uri, text) IS 'implementation of = operator';

CREATE FUNCTION @extschema@.at_uri_ne_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ne_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_ne_text(@extschema@.at_uri, text) IS 'implementation of <> operator';

CREATE FUNCTION @extschema@.at_uri_lt_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_lt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_lt_text(@extschema@.at_uri, text) IS 'implementation of < operator';

CREATE FUNCTION @extschema@.at_uri_le_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_le_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_le_text(@extschema@.at_uri, text) IS 'implementation of <= operator';

CREATE FUNCTION @extschema@.at_uri_gt_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_gt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_gt_text(@extschema@.at_uri, text) IS 'implementation of > operator';

CREATE FUNCTION @extschema@.at_uri_ge_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ge_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_ge_text(@extschema@.at_uri, text) IS 'implementation of >= operator';

CREATE FUNCTION @extschema@.at_uri_cmp_text(@extschema@.at_uri, text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_cmp_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_cmp_text(@extschema@.at_uri, text) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.text_eq_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_eq_at_uri(text, @extschema@.at_uri) IS 'implementation of = operator';

CREATE FUNCTION @extschema@.text_ne_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ne_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_ne_at_uri(text, @extschema@.at_uri) IS 'implementation of <> operator';

CREATE FUNCTION @extschema@.text_lt_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_lt_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_lt_at_uri(text, @extschema@.at_uri) IS 'implementation of < operator';

CREATE FUNCTION @extschema@.text_le_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_le_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_le_at_uri(text, @extschema@.at_uri) IS 'implementation of <= operator';

CREATE FUNCTION @extschema@.text_gt_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_gt_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_gt_at_uri(text, @extschema@.at_uri) IS 'implementation of > operator';

CREATE FUNCTION @extschema@.text_ge_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ge_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_ge_at_uri(text, @extschema@.at_uri) IS 'implementation of >= operator';

CREATE FUNCTION @extschema@.text_cmp_at_uri(text, @extschema@.at_uri) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_text_cmp_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_cmp_at_uri(text, @extschema@.at_uri) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.at_uri_hash_text(text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_hash_text(text) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_hash_text_extended(text, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash_text_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_hash_text_extended(text, bigint) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_contained_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_contained_text_support(internal) IS 'planner support for <@ operator';

CREATE FUNCTION @extschema@.text_contains_at_uri_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_text_contains_at_uri_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_contains_at_uri_support(internal) IS 'planner support for @> operator';

CREATE FUNCTION @extschema@.at_uri_contained_did(uri @extschema@.at_uri, scope @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_contained_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_contained_did(@extschema@.at_uri, @extschema@.did) IS 'implementation of <@ operator';

CREATE FUNCTION @extschema@.did_contains_at_uri(scope @extschema@.did, uri @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_contains_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.text_contains_at_uri_support;
COMMENT ON FUNCTION @extschema@.did_contains_at_uri(@extschema@.did, @extschema@.at_uri) IS 'implementation of @> operator';

CREATE FUNCTION @extschema@.at_uri_contained_text(uri @extschema@.at_uri, scope text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_contained_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_contained_text(@extschema@.at_uri, text) IS 'implementation of <@ operator';

CREATE FUNCTION @extschema@.text_contains_at_uri(scope text, uri @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_contains_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.text_contains_at_uri_support;
COMMENT ON FUNCTION @extschema@.text_contains_at_uri(text, @extschema@.at_uri) IS 'implementation of @> operator';

-- operators and aggregates

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.did, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.did_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.did, @extschema@.did) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.did, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.did_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.did, @extschema@.did) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.did, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.did_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.did, @extschema@.did) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.did, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.did_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.did, @extschema@.did) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.did, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.did_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.did, @extschema@.did) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.did, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.did_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.did, @extschema@.did) IS 'greater than or equal';

CREATE AGGREGATE pg_catalog.max(@extschema@.did) (
  SFUNC = @extschema@.did_larger, STYPE = @extschema@.did, COMBINEFUNC = @extschema@.did_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(@extschema@.did) IS 'maximum value of all DIDs';

CREATE AGGREGATE pg_catalog.min(@extschema@.did) (
  SFUNC = @extschema@.did_smaller, STYPE = @extschema@.did, COMBINEFUNC = @extschema@.did_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(@extschema@.did) IS 'minimum value of all DIDs';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.at_uri_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.at_uri, @extschema@.at_uri) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.at_uri_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.at_uri, @extschema@.at_uri) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.at_uri_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.at_uri, @extschema@.at_uri) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.at_uri_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.at_uri, @extschema@.at_uri) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.at_uri_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.at_uri, @extschema@.at_uri) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.at_uri_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.at_uri, @extschema@.at_uri) IS 'greater than or equal';

CREATE AGGREGATE pg_catalog.max(@extschema@.at_uri) (
  SFUNC = @extschema@.at_uri_larger, STYPE = @extschema@.at_uri, COMBINEFUNC = @extschema@.at_uri_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(@extschema@.at_uri) IS 'maximum value of all AT URIs';

CREATE AGGREGATE pg_catalog.min(@extschema@.at_uri) (
  SFUNC = @extschema@.at_uri_smaller, STYPE = @extschema@.at_uri, COMBINEFUNC = @extschema@.at_uri_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(@extschema@.at_uri) IS 'minimum value of all AT URIs';

CREATE OPERATOR pg_catalog.<@ (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.at_uri_contained,
  COMMUTATOR = OPERATOR(pg_catalog.@>),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.<@ (@extschema@.at_uri, @extschema@.at_uri) IS 'contained by: the left side is the scope or below it';

CREATE OPERATOR pg_catalog.@> (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.at_uri_contains,
  COMMUTATOR = OPERATOR(pg_catalog.<@),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.@> (@extschema@.at_uri, @extschema@.at_uri) IS 'contains: the right side is the scope or below it';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.did, RIGHTARG = text, FUNCTION = @extschema@.did_eq_text,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.did, text) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.did, RIGHTARG = text, FUNCTION = @extschema@.did_ne_text,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.did, text) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.did, RIGHTARG = text, FUNCTION = @extschema@.did_lt_text,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.did, text) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.did, RIGHTARG = text, FUNCTION = @extschema@.did_le_text,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.did, text) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.did, RIGHTARG = text, FUNCTION = @extschema@.did_gt_text,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.did, text) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.did, RIGHTARG = text, FUNCTION = @extschema@.did_ge_text,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.did, text) IS 'greater than or equal';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = text, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.text_eq_did,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (text, @extschema@.did) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = text, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.text_ne_did,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (text, @extschema@.did) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = text, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.text_lt_did,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (text, @extschema@.did) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = text, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.text_le_did,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (text, @extschema@.did) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = text, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.text_gt_did,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (text, @extschema@.did) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = text, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.text_ge_did,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (text, @extschema@.did) IS 'greater than or equal';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.at_uri, RIGHTARG = text, FUNCTION = @extschema@.at_uri_eq_text,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.at_uri, text) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.at_uri, RIGHTARG = text, FUNCTION = @extschema@.at_uri_ne_text,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.at_uri, text) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.at_uri, RIGHTARG = text, FUNCTION = @extschema@.at_uri_lt_text,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.at_uri, text) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.at_uri, RIGHTARG = text, FUNCTION = @extschema@.at_uri_le_text,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.at_uri, text) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.at_uri, RIGHTARG = text, FUNCTION = @extschema@.at_uri_gt_text,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.at_uri, text) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.at_uri, RIGHTARG = text, FUNCTION = @extschema@.at_uri_ge_text,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.at_uri, text) IS 'greater than or equal';

CREATE OPERATOR pg_catalog.= (
  LEFTARG = text, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.text_eq_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (text, @extschema@.at_uri) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = text, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.text_ne_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (text, @extschema@.at_uri) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = text, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.text_lt_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (text, @extschema@.at_uri) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = text, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.text_le_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (text, @extschema@.at_uri) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = text, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.text_gt_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (text, @extschema@.at_uri) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = text, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.text_ge_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (text, @extschema@.at_uri) IS 'greater than or equal';

CREATE OPERATOR pg_catalog.<@ (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.did, FUNCTION = @extschema@.at_uri_contained_did,
  COMMUTATOR = OPERATOR(pg_catalog.@>),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.<@ (@extschema@.at_uri, @extschema@.did) IS 'contained by: the AT URI belongs to the account';

CREATE OPERATOR pg_catalog.@> (
  LEFTARG = @extschema@.did, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.did_contains_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.<@),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.@> (@extschema@.did, @extschema@.at_uri) IS 'contains: the AT URI belongs to the account';

CREATE OPERATOR pg_catalog.<@ (
  LEFTARG = @extschema@.at_uri, RIGHTARG = text, FUNCTION = @extschema@.at_uri_contained_text,
  COMMUTATOR = OPERATOR(pg_catalog.@>),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.<@ (@extschema@.at_uri, text) IS 'contained by: the left side is the scope or below it';

CREATE OPERATOR pg_catalog.@> (
  LEFTARG = text, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.text_contains_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.<@),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.@> (text, @extschema@.at_uri) IS 'contains: the right side is the scope or below it';

-- operator classes

CREATE OPERATOR CLASS @extschema@.did_ops DEFAULT FOR TYPE @extschema@.did USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 @extschema@.did_cmp(@extschema@.did, @extschema@.did),
  FUNCTION 2 @extschema@.did_sortsupport(internal),
  FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR FAMILY @extschema@.did_ops USING btree IS 'DIDs in the order of their texts, byte by byte';
COMMENT ON OPERATOR CLASS @extschema@.did_ops USING btree IS 'DIDs in the order of their texts, byte by byte';

CREATE OPERATOR CLASS @extschema@.did_ops DEFAULT FOR TYPE @extschema@.did USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 @extschema@.did_hash(@extschema@.did),
  FUNCTION 2 @extschema@.did_hash_extended(@extschema@.did, bigint);
COMMENT ON OPERATOR FAMILY @extschema@.did_ops USING hash IS 'hash of DIDs';
COMMENT ON OPERATOR CLASS @extschema@.did_ops USING hash IS 'hash of DIDs';

CREATE OPERATOR CLASS @extschema@.did_minmax_ops DEFAULT FOR TYPE @extschema@.did USING brin AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
  FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
  FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
  FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY @extschema@.did_minmax_ops USING brin IS 'minimum and maximum of DIDs';
COMMENT ON OPERATOR CLASS @extschema@.did_minmax_ops USING brin IS 'minimum and maximum of DIDs';

CREATE OPERATOR CLASS @extschema@.at_uri_ops DEFAULT FOR TYPE @extschema@.at_uri USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 @extschema@.at_uri_cmp(@extschema@.at_uri, @extschema@.at_uri),
  FUNCTION 2 @extschema@.at_uri_sortsupport(internal),
  FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR FAMILY @extschema@.at_uri_ops USING btree IS 'AT URIs in the order of their texts, byte by byte';
COMMENT ON OPERATOR CLASS @extschema@.at_uri_ops USING btree IS 'AT URIs in the order of their texts, byte by byte';

CREATE OPERATOR CLASS @extschema@.at_uri_ops DEFAULT FOR TYPE @extschema@.at_uri USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 @extschema@.at_uri_hash(@extschema@.at_uri),
  FUNCTION 2 @extschema@.at_uri_hash_extended(@extschema@.at_uri, bigint);
COMMENT ON OPERATOR FAMILY @extschema@.at_uri_ops USING hash IS 'hash of AT URIs';
COMMENT ON OPERATOR CLASS @extschema@.at_uri_ops USING hash IS 'hash of AT URIs';

CREATE OPERATOR CLASS @extschema@.at_uri_minmax_ops DEFAULT FOR TYPE @extschema@.at_uri USING brin AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
  FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
  FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
  FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY @extschema@.at_uri_minmax_ops USING brin IS 'minimum and maximum of AT URIs';
COMMENT ON OPERATOR CLASS @extschema@.at_uri_minmax_ops USING brin IS 'minimum and maximum of AT URIs';

-- operator families, with text; = of two texts is in families of its own, as the
-- head of src/address/as_text.c explains

ALTER OPERATOR FAMILY @extschema@.did_ops USING btree ADD
  OPERATOR 1 pg_catalog.< (@extschema@.did, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.did, text),
  OPERATOR 3 pg_catalog.= (@extschema@.did, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.did, text),
  OPERATOR 5 pg_catalog.> (@extschema@.did, text),
  OPERATOR 1 pg_catalog.< (text, @extschema@.did),
  OPERATOR 2 pg_catalog.<= (text, @extschema@.did),
  OPERATOR 3 pg_catalog.= (text, @extschema@.did),
  OPERATOR 4 pg_catalog.>= (text, @extschema@.did),
  OPERATOR 5 pg_catalog.> (text, @extschema@.did),
  OPERATOR 1 pg_catalog.~<~ (text, text),
  OPERATOR 2 pg_catalog.~<=~ (text, text),
  OPERATOR 4 pg_catalog.~>=~ (text, text),
  OPERATOR 5 pg_catalog.~>~ (text, text),
  FUNCTION 1 (@extschema@.did, text) @extschema@.did_cmp_text(@extschema@.did, text),
  FUNCTION 1 (text, @extschema@.did) @extschema@.text_cmp_did(text, @extschema@.did),
  FUNCTION 1 (text, text) pg_catalog.bttext_pattern_cmp(text, text),
  FUNCTION 2 (text, text) pg_catalog.bttext_pattern_sortsupport(internal);

-- the planner finds = of two texts here
CREATE OPERATOR FAMILY @extschema@.did_text_ops USING btree;
COMMENT ON OPERATOR FAMILY @extschema@.did_text_ops USING btree IS 'DIDs and texts in the same order, for the planner';
ALTER OPERATOR FAMILY @extschema@.did_text_ops USING btree ADD
  OPERATOR 1 pg_catalog.< (@extschema@.did, @extschema@.did),
  OPERATOR 2 pg_catalog.<= (@extschema@.did, @extschema@.did),
  OPERATOR 3 pg_catalog.= (@extschema@.did, @extschema@.did),
  OPERATOR 4 pg_catalog.>= (@extschema@.did, @extschema@.did),
  OPERATOR 5 pg_catalog.> (@extschema@.did, @extschema@.did),
  OPERATOR 1 pg_catalog.< (@extschema@.did, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.did, text),
  OPERATOR 3 pg_catalog.= (@extschema@.did, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.did, text),
  OPERATOR 5 pg_catalog.> (@extschema@.did, text),
  OPERATOR 1 pg_catalog.< (text, @extschema@.did),
  OPERATOR 2 pg_catalog.<= (text, @extschema@.did),
  OPERATOR 3 pg_catalog.= (text, @extschema@.did),
  OPERATOR 4 pg_catalog.>= (text, @extschema@.did),
  OPERATOR 5 pg_catalog.> (text, @extschema@.did),
  OPERATOR 1 pg_catalog.~<~ (text, text),
  OPERATOR 2 pg_catalog.~<=~ (text, text),
  OPERATOR 3 @extschema@.~=~ (text, text),
  OPERATOR 4 pg_catalog.~>=~ (text, text),
  OPERATOR 5 pg_catalog.~>~ (text, text),
  FUNCTION 1 (@extschema@.did, @extschema@.did) @extschema@.did_cmp(@extschema@.did, @extschema@.did),
  FUNCTION 2 (@extschema@.did, @extschema@.did) @extschema@.did_sortsupport(internal),
  FUNCTION 1 (@extschema@.did, text) @extschema@.did_cmp_text(@extschema@.did, text),
  FUNCTION 1 (text, @extschema@.did) @extschema@.text_cmp_did(text, @extschema@.did),
  FUNCTION 1 (text, text) pg_catalog.bttext_pattern_cmp(text, text),
  FUNCTION 2 (text, text) pg_catalog.bttext_pattern_sortsupport(internal);

ALTER OPERATOR FAMILY @extschema@.did_ops USING hash ADD
  OPERATOR 1 pg_catalog.= (@extschema@.did, text),
  OPERATOR 1 pg_catalog.= (text, @extschema@.did),
  OPERATOR 1 @extschema@.~=~ (text, text),
  FUNCTION 1 (text, text) @extschema@.did_hash_text(text),
  FUNCTION 2 (text, text) @extschema@.did_hash_text_extended(text, bigint);

ALTER OPERATOR FAMILY @extschema@.did_minmax_ops USING brin ADD
  OPERATOR 1 pg_catalog.< (@extschema@.did, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.did, text),
  OPERATOR 3 pg_catalog.= (@extschema@.did, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.did, text),
  OPERATOR 5 pg_catalog.> (@extschema@.did, text);

ALTER OPERATOR FAMILY @extschema@.at_uri_ops USING btree ADD
  OPERATOR 1 pg_catalog.< (@extschema@.at_uri, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.at_uri, text),
  OPERATOR 3 pg_catalog.= (@extschema@.at_uri, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.at_uri, text),
  OPERATOR 5 pg_catalog.> (@extschema@.at_uri, text),
  OPERATOR 1 pg_catalog.< (text, @extschema@.at_uri),
  OPERATOR 2 pg_catalog.<= (text, @extschema@.at_uri),
  OPERATOR 3 pg_catalog.= (text, @extschema@.at_uri),
  OPERATOR 4 pg_catalog.>= (text, @extschema@.at_uri),
  OPERATOR 5 pg_catalog.> (text, @extschema@.at_uri),
  OPERATOR 1 pg_catalog.~<~ (text, text),
  OPERATOR 2 pg_catalog.~<=~ (text, text),
  OPERATOR 4 pg_catalog.~>=~ (text, text),
  OPERATOR 5 pg_catalog.~>~ (text, text),
  FUNCTION 1 (@extschema@.at_uri, text) @extschema@.at_uri_cmp_text(@extschema@.at_uri, text),
  FUNCTION 1 (text, @extschema@.at_uri) @extschema@.text_cmp_at_uri(text, @extschema@.at_uri),
  FUNCTION 1 (text, text) pg_catalog.bttext_pattern_cmp(text, text),
  FUNCTION 2 (text, text) pg_catalog.bttext_pattern_sortsupport(internal);

-- the planner finds = of two texts here
CREATE OPERATOR FAMILY @extschema@.at_uri_text_ops USING btree;
COMMENT ON OPERATOR FAMILY @extschema@.at_uri_text_ops USING btree IS 'AT URIs and texts in the same order, for the planner';
ALTER OPERATOR FAMILY @extschema@.at_uri_text_ops USING btree ADD
  OPERATOR 1 pg_catalog.< (@extschema@.at_uri, @extschema@.at_uri),
  OPERATOR 2 pg_catalog.<= (@extschema@.at_uri, @extschema@.at_uri),
  OPERATOR 3 pg_catalog.= (@extschema@.at_uri, @extschema@.at_uri),
  OPERATOR 4 pg_catalog.>= (@extschema@.at_uri, @extschema@.at_uri),
  OPERATOR 5 pg_catalog.> (@extschema@.at_uri, @extschema@.at_uri),
  OPERATOR 1 pg_catalog.< (@extschema@.at_uri, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.at_uri, text),
  OPERATOR 3 pg_catalog.= (@extschema@.at_uri, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.at_uri, text),
  OPERATOR 5 pg_catalog.> (@extschema@.at_uri, text),
  OPERATOR 1 pg_catalog.< (text, @extschema@.at_uri),
  OPERATOR 2 pg_catalog.<= (text, @extschema@.at_uri),
  OPERATOR 3 pg_catalog.= (text, @extschema@.at_uri),
  OPERATOR 4 pg_catalog.>= (text, @extschema@.at_uri),
  OPERATOR 5 pg_catalog.> (text, @extschema@.at_uri),
  OPERATOR 1 pg_catalog.~<~ (text, text),
  OPERATOR 2 pg_catalog.~<=~ (text, text),
  OPERATOR 3 @extschema@.~=~ (text, text),
  OPERATOR 4 pg_catalog.~>=~ (text, text),
  OPERATOR 5 pg_catalog.~>~ (text, text),
  FUNCTION 1 (@extschema@.at_uri, @extschema@.at_uri) @extschema@.at_uri_cmp(@extschema@.at_uri, @extschema@.at_uri),
  FUNCTION 2 (@extschema@.at_uri, @extschema@.at_uri) @extschema@.at_uri_sortsupport(internal),
  FUNCTION 1 (@extschema@.at_uri, text) @extschema@.at_uri_cmp_text(@extschema@.at_uri, text),
  FUNCTION 1 (text, @extschema@.at_uri) @extschema@.text_cmp_at_uri(text, @extschema@.at_uri),
  FUNCTION 1 (text, text) pg_catalog.bttext_pattern_cmp(text, text),
  FUNCTION 2 (text, text) pg_catalog.bttext_pattern_sortsupport(internal);

ALTER OPERATOR FAMILY @extschema@.at_uri_ops USING hash ADD
  OPERATOR 1 pg_catalog.= (@extschema@.at_uri, text),
  OPERATOR 1 pg_catalog.= (text, @extschema@.at_uri),
  OPERATOR 1 @extschema@.~=~ (text, text),
  FUNCTION 1 (text, text) @extschema@.at_uri_hash_text(text),
  FUNCTION 2 (text, text) @extschema@.at_uri_hash_text_extended(text, bigint);

ALTER OPERATOR FAMILY @extschema@.at_uri_minmax_ops USING brin ADD
  OPERATOR 1 pg_catalog.< (@extschema@.at_uri, text),
  OPERATOR 2 pg_catalog.<= (@extschema@.at_uri, text),
  OPERATOR 3 pg_catalog.= (@extschema@.at_uri, text),
  OPERATOR 4 pg_catalog.>= (@extschema@.at_uri, text),
  OPERATOR 5 pg_catalog.> (@extschema@.at_uri, text);

-- casts

CREATE CAST (@extschema@.did AS text) WITH FUNCTION @extschema@.did_to_text(@extschema@.did) AS IMPLICIT;
COMMENT ON CAST (@extschema@.did AS text) IS 'the text of a DID, implicit';

CREATE CAST (@extschema@.did AS varchar) WITH FUNCTION @extschema@.did_to_text(@extschema@.did) AS IMPLICIT;
COMMENT ON CAST (@extschema@.did AS varchar) IS 'the text of a DID, implicit';

CREATE CAST (@extschema@.at_uri AS text) WITH FUNCTION @extschema@.at_uri_to_text(@extschema@.at_uri) AS IMPLICIT;
COMMENT ON CAST (@extschema@.at_uri AS text) IS 'the text of an AT URI, implicit';

CREATE CAST (@extschema@.at_uri AS varchar) WITH FUNCTION @extschema@.at_uri_to_text(@extschema@.at_uri) AS IMPLICIT;
COMMENT ON CAST (@extschema@.at_uri AS varchar) IS 'the text of an AT URI, implicit';

CREATE CAST (text AS @extschema@.did) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS @extschema@.did) IS 'the DID in a text, in assignments too';

CREATE CAST (varchar AS @extschema@.did) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS @extschema@.did) IS 'the DID in a text, in assignments too';

CREATE CAST (text AS @extschema@.at_uri) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS @extschema@.at_uri) IS 'the AT URI in a text, in assignments too';

CREATE CAST (varchar AS @extschema@.at_uri) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS @extschema@.at_uri) IS 'the AT URI in a text, in assignments too';

------------------------------------------------------------------------------
-- datetime
------------------------------------------------------------------------------

-- type, and the check behind it

CREATE FUNCTION @extschema@.datetime_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_datetime_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.datetime_is_valid(text) IS 'is the text a datetime?';

CREATE DOMAIN @extschema@.datetime AS text COLLATE "C"
  CONSTRAINT datetime_syntax CHECK (@extschema@.datetime_is_valid(VALUE));
COMMENT ON DOMAIN @extschema@.datetime IS 'datetime of Lexicon: a time as text';
COMMENT ON CONSTRAINT datetime_syntax ON DOMAIN @extschema@.datetime IS
  'a valid datetime; format_problem() tells why a text is not';

-- functions

CREATE FUNCTION @extschema@.datetime_to_timestamptz(text) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_datetime_to_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.datetime_to_timestamptz(text) IS
  'the time of a datetime, cut to microseconds';

CREATE FUNCTION @extschema@.datetime_or_null(text) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_datetime_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.datetime_or_null(text) IS
  'the time of a datetime, cut to microseconds; NULL if the text is not a datetime';

CREATE FUNCTION @extschema@.datetime_from_timestamptz(timestamptz) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_from_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.datetime_from_timestamptz(timestamptz) IS
  'the datetime of a time, with microseconds and Z';

CREATE FUNCTION @extschema@.datetime_normalize(text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.datetime_normalize(text) IS
  'the datetime that a sloppy text means, with milliseconds and Z';

CREATE FUNCTION @extschema@.datetime_normalize_or_null(text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_normalize_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.datetime_normalize_or_null(text) IS
  'the datetime that a sloppy text means, with milliseconds and Z; NULL if it cannot be read';

CREATE FUNCTION @extschema@.sort_at(created text, indexed timestamptz) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_sort_at' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.sort_at(text, timestamptz) IS
  'the lesser of two times; indexed if created is missing, invalid or before 1970';

------------------------------------------------------------------------------
-- record
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.json_is_valid(record json, strict bool DEFAULT false) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_json_is_valid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.json_is_valid(json, bool) IS
  'is the record, as json, valid in the data model and, if strict, by the rules for new records?';

CREATE FUNCTION @extschema@.json_problem(record json, strict bool DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_json_problem' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.json_problem(json, bool) IS
  'the first problem of a record, as json, with its path; NULL if it is valid, strict as in json_is_valid';

CREATE FUNCTION @extschema@.dag_cbor_is_valid(block bytea, model bool, strict bool DEFAULT false) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_is_valid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.dag_cbor_is_valid(bytea, bool, bool) IS
  'is the block strict DAG-CBOR and, if model, a valid record and, if strict, by the rules for new records?';

CREATE FUNCTION @extschema@.dag_cbor_problem(block bytea, model bool, strict bool DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_problem' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.dag_cbor_problem(bytea, bool, bool) IS
  'why dag_cbor_is_valid with the same arguments is false, and where; NULL if it is true';

CREATE FUNCTION @extschema@.bytes_json(bytea) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_bytes_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.bytes_json(bytea) IS 'the form of bytes in a record: {"$bytes": base64}';

------------------------------------------------------------------------------
-- reference
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.record_refs(
  record jsonb, OUT path text, OUT field text, OUT uri @extschema@.at_uri, OUT did @extschema@.did,
  OUT cid @extschema@.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_record_refs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION @extschema@.record_refs(jsonb) IS
  'the AT URIs and DIDs in a record, their paths, and the CIDs of strong references';

CREATE FUNCTION @extschema@.dag_cbor_refs(
  block bytea, OUT path text, OUT field text, OUT uri @extschema@.at_uri, OUT did @extschema@.did,
  OUT cid @extschema@.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_refs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION @extschema@.dag_cbor_refs(bytea) IS
  'the AT URIs and DIDs in a block, their paths, and the CIDs of strong references';

------------------------------------------------------------------------------
-- repository
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.car_roots(car bytea, OUT n int, OUT cid @extschema@.cid_link) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_car_roots' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION @extschema@.car_roots(bytea) IS 'the roots in the header of a CAR';

CREATE FUNCTION @extschema@.car_blocks(
  car bytea, verify bool DEFAULT true, OUT n int, OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_car_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.car_blocks(bytea, bool) IS
  'the blocks of a CAR in their order; if verify, each is checked against its CID';

CREATE FUNCTION @extschema@.car_is_valid(car bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_car_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.car_is_valid(bytea) IS
  'are the bytes a CAR whose blocks all match their CIDs?';

CREATE FUNCTION @extschema@.car_problem(car bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_car_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.car_problem(bytea) IS 'why the bytes are not a valid CAR, and where; NULL if they are';

CREATE FUNCTION @extschema@.car_agg_transfn(internal, root @extschema@.cid_link, cid @extschema@.cid_link, block bytea) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_car_agg_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.car_agg_transfn(internal, @extschema@.cid_link, @extschema@.cid_link, bytea) IS
  'aggregate transition function';

CREATE FUNCTION @extschema@.car_agg_finalfn(internal) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_car_agg_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.car_agg_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION @extschema@.mst_key_depth(key text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_mst_key_depth' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_key_depth(text) IS 'the level of a key in a tree';

CREATE FUNCTION @extschema@.mst_root_transfn(internal, key text, value @extschema@.cid_link) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_mst_root_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_root_transfn(internal, text, @extschema@.cid_link) IS
  'aggregate transition function';

CREATE FUNCTION @extschema@.mst_root_finalfn(internal) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_mst_root_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_root_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION @extschema@.mst_car_transfn(internal, key text, value @extschema@.cid_link) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_mst_car_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_car_transfn(internal, text, @extschema@.cid_link) IS
  'aggregate transition function';

CREATE FUNCTION @extschema@.mst_car_finalfn(internal) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_mst_car_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_car_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION @extschema@.mst_entries(
  car bytea, root @extschema@.cid_link DEFAULT NULL, partial bool DEFAULT false, OUT key text, OUT value @extschema@.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_mst_entries' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.mst_entries(bytea, @extschema@.cid_link, bool) IS
  'the entries of a tree in a CAR, verified, in the order of their keys';

CREATE FUNCTION @extschema@.mst_diff(
  car_a bytea, root_a @extschema@.cid_link, car_b bytea, root_b @extschema@.cid_link,
  OUT key text, OUT old @extschema@.cid_link, OUT new @extschema@.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_mst_diff' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.mst_diff(bytea, @extschema@.cid_link, bytea, @extschema@.cid_link) IS
  'the keys that have different values in two trees';

CREATE FUNCTION @extschema@.mst_invert(
  car bytea, root @extschema@.cid_link, keys text[], olds @extschema@.cid_link[], news @extschema@.cid_link[]
) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_mst_invert' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.mst_invert(bytea, @extschema@.cid_link, text[], @extschema@.cid_link[], @extschema@.cid_link[]) IS
  'the root that a tree had before these operations';

CREATE FUNCTION @extschema@.repo_commit(
  car bytea, OUT did @extschema@.did, OUT version int, OUT rev @extschema@.tid, OUT data @extschema@.cid_link, OUT prev @extschema@.cid_link,
  OUT sig bytea, OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_repo_commit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.repo_commit(bytea) IS 'the commit of the repository in a CAR';

CREATE FUNCTION @extschema@.repo_records(
  car bytea, partial bool DEFAULT false,
  OUT collection text, OUT rkey @extschema@.record_key, OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_repo_records' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.repo_records(bytea, bool) IS
  'the records of the repository in a CAR, with every hash and the tree verified';

CREATE FUNCTION @extschema@.repo_is_valid(car bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_repo_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.repo_is_valid(bytea) IS
  'is the CAR a full export of a repository, apart from the signature?';

CREATE FUNCTION @extschema@.repo_problem(car bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_repo_problem' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.repo_problem(bytea) IS
  'why the CAR is not a full export of a repository, and where; NULL if it is';

-- aggregates; their final functions only read, so they serve as window functions too

CREATE AGGREGATE @extschema@.car_agg(root @extschema@.cid_link, cid @extschema@.cid_link, block bytea) (
  SFUNC = @extschema@.car_agg_transfn, STYPE = internal, SSPACE = 4096,
  FINALFUNC = @extschema@.car_agg_finalfn, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.car_agg(@extschema@.cid_link, @extschema@.cid_link, bytea) IS
  'the CAR that holds the blocks in the order of the rows';

CREATE AGGREGATE @extschema@.mst_root(key text, value @extschema@.cid_link) (
  SFUNC = @extschema@.mst_root_transfn, STYPE = internal, SSPACE = 2048,
  FINALFUNC = @extschema@.mst_root_finalfn, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.mst_root(text, @extschema@.cid_link) IS
  'the root of the tree of the entries, which must come in the order of their keys';

CREATE AGGREGATE @extschema@.mst_car(key text, value @extschema@.cid_link) (
  SFUNC = @extschema@.mst_car_transfn, STYPE = internal, SSPACE = 8192,
  FINALFUNC = @extschema@.mst_car_finalfn, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.mst_car(text, @extschema@.cid_link) IS
  'the CAR of the nodes of the tree of the entries, which must come in the order of their keys';

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
