/* atid--1.4.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION atid" to load this file. \quit

-- All objects of the extension.  The newest upgrade script must have the same changes:
-- t/operation/whole_script.pl compares the two catalogues.

-- This runs with a superuser's rights in a schema that belongs to somebody else.  So it
-- names our objects by @extschema@ and finds the server's in pg_catalog, it calls no function
-- of ours except one that it has just created, and at its end it checks what the extension has
-- become.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- Every object is named with its schema.  Operators and the aggregates min and max go into
-- pg_catalog, because an operator cannot be written with its schema where it matters: in the
-- queries of everyone whose search_path lacks atid.

------------------------------------------------------------------------------
-- tid
------------------------------------------------------------------------------

-- type and I/O

CREATE TYPE @extschema@.tid;

CREATE FUNCTION @extschema@.tid_in(cstring) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_in(cstring) IS 'I/O';

CREATE FUNCTION @extschema@.tid_out(@extschema@.tid) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_tid_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_out(@extschema@.tid) IS 'I/O';

CREATE FUNCTION @extschema@.tid_recv(internal) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_recv(internal) IS 'I/O';

CREATE FUNCTION @extschema@.tid_send(@extschema@.tid) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_tid_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_send(@extschema@.tid) IS 'I/O';

CREATE TYPE @extschema@.tid (
  INPUT = @extschema@.tid_in,
  OUTPUT = @extschema@.tid_out,
  RECEIVE = @extschema@.tid_recv,
  SEND = @extschema@.tid_send,
  LIKE = pg_catalog.int8
);
COMMENT ON TYPE @extschema@.tid IS 'AT Protocol timestamp identifier';

-- functions

CREATE FUNCTION @extschema@.tid_generate() RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_generate' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_generate() IS
  'a new TID, greater than every one generated in this database before';

CREATE FUNCTION @extschema@.tid_generate(after @extschema@.tid) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_generate_after' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_generate(@extschema@.tid) IS
  'a new TID, greater than this one and every one generated in this database before';

CREATE FUNCTION @extschema@.tid_make("time" timestamptz, clock_id int) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_make(timestamptz, int) IS
  'the TID of a time and a clock id; does not touch the generator';

CREATE FUNCTION @extschema@.tid_floor("time" timestamptz) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_floor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_floor(timestamptz) IS 'the lowest TID of a microsecond';

CREATE FUNCTION @extschema@.tid_ceil("time" timestamptz) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_ceil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_ceil(timestamptz) IS 'the highest TID of a microsecond';

CREATE FUNCTION @extschema@.tid_timestamp(@extschema@.tid) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_tid_timestamp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_timestamp(@extschema@.tid) IS
  'the time a TID names; NULL where its top bit is set';

CREATE FUNCTION @extschema@.tid_clock_id(@extschema@.tid) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_clock_id' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_clock_id(@extschema@.tid) IS 'the clock id of a TID';

CREATE FUNCTION @extschema@.tid_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_is_valid(text) IS 'is the text a TID?';

CREATE FUNCTION @extschema@.tid_time_encoder("time" timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN @extschema@.tid_floor("time")::text;
COMMENT ON FUNCTION @extschema@.tid_time_encoder(timestamptz) IS
  'the lowest TID of a microsecond as text: a time encoder for pg_partman';

CREATE FUNCTION @extschema@.tid_time_decoder(text) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE WHEN @extschema@.tid_is_valid($1)
    THEN @extschema@.tid_timestamp($1::@extschema@.tid)
  END;
COMMENT ON FUNCTION @extschema@.tid_time_decoder(text) IS
  'the time of a TID, NULL for other texts: a time decoder for pg_partman';

-- functions of operators, aggregates and operator classes

CREATE FUNCTION @extschema@.tid_eq(@extschema@.tid, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_eq(@extschema@.tid, @extschema@.tid) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.tid_ne(@extschema@.tid, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_ne(@extschema@.tid, @extschema@.tid) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.tid_lt(@extschema@.tid, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_lt(@extschema@.tid, @extschema@.tid) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.tid_le(@extschema@.tid, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_le(@extschema@.tid, @extschema@.tid) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.tid_gt(@extschema@.tid, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_gt(@extschema@.tid, @extschema@.tid) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.tid_ge(@extschema@.tid, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_ge(@extschema@.tid, @extschema@.tid) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.tid_cmp(@extschema@.tid, @extschema@.tid) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_cmp(@extschema@.tid, @extschema@.tid) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.tid_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_tid_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_sortsupport(internal) IS 'sort support';

CREATE FUNCTION @extschema@.tid_hash(@extschema@.tid) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_hash(@extschema@.tid) IS 'hash';

CREATE FUNCTION @extschema@.tid_hash_extended(@extschema@.tid, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_tid_hash_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_hash_extended(@extschema@.tid, bigint) IS 'hash';

CREATE FUNCTION @extschema@.tid_larger(@extschema@.tid, @extschema@.tid) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_larger(@extschema@.tid, @extschema@.tid) IS 'larger of two';

CREATE FUNCTION @extschema@.tid_smaller(@extschema@.tid, @extschema@.tid) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_smaller(@extschema@.tid, @extschema@.tid) IS 'smaller of two';

-- ... with text

CREATE FUNCTION @extschema@.text_eq_bytes(text, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_bytes' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_eq_bytes(text, text) IS 'implementation of ~=~ operator';

CREATE FUNCTION @extschema@.tid_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_tid_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_text_support(internal) IS
  'planner support for comparison with text';

CREATE FUNCTION @extschema@.tid_eq_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_eq_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_eq_text(@extschema@.tid, text) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.tid_ne_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_ne_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_ne_text(@extschema@.tid, text) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.tid_lt_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_lt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_lt_text(@extschema@.tid, text) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.tid_le_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_le_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_le_text(@extschema@.tid, text) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.tid_gt_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_gt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_gt_text(@extschema@.tid, text) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.tid_ge_text(@extschema@.tid, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_tid_ge_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.tid_ge_text(@extschema@.tid, text) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.tid_cmp_text(@extschema@.tid, text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_cmp_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_cmp_text(@extschema@.tid, text) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.text_eq_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_eq_tid(text, @extschema@.tid) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.text_ne_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ne_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_ne_tid(text, @extschema@.tid) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.text_lt_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_lt_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_lt_tid(text, @extschema@.tid) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.text_le_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_le_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_le_tid(text, @extschema@.tid) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.text_gt_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_gt_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_gt_tid(text, @extschema@.tid) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.text_ge_tid(text, @extschema@.tid) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ge_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.tid_text_support;
COMMENT ON FUNCTION @extschema@.text_ge_tid(text, @extschema@.tid) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.text_cmp_tid(text, @extschema@.tid) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_text_cmp_tid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_cmp_tid(text, @extschema@.tid) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.tid_hash_text(text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_tid_hash_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_hash_text(text) IS 'hash';

CREATE FUNCTION @extschema@.tid_hash_text_extended(text, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_tid_hash_text_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_hash_text_extended(text, bigint) IS 'hash';

-- functions of casts

CREATE FUNCTION @extschema@.tid_to_bigint(@extschema@.tid) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_tid_to_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_to_bigint(@extschema@.tid) IS
  'the TID as an integer; an error where its top bit is set';

CREATE FUNCTION @extschema@.tid_from_bigint(bigint) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_from_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.tid_from_bigint(bigint) IS
  'the TID of an integer; an error where that is negative';

CREATE FUNCTION @extschema@.tid_from_char(character) RETURNS @extschema@.tid
  AS 'MODULE_PATHNAME', 'atid_tid_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.tid_from_char(character) IS 'cast from character(n)';

-- operators and aggregates

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.tid, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.tid_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.tid, @extschema@.tid) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.tid, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.tid_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.tid, @extschema@.tid) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.tid, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.tid_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.tid, @extschema@.tid) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.tid, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.tid_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.tid, @extschema@.tid) IS 'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.tid, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.tid_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.tid, @extschema@.tid) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.tid, RIGHTARG = @extschema@.tid, FUNCTION = @extschema@.tid_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.tid, @extschema@.tid) IS 'greater than or equal';

CREATE AGGREGATE pg_catalog.max(@extschema@.tid) (
  SFUNC = @extschema@.tid_larger, STYPE = @extschema@.tid, COMBINEFUNC = @extschema@.tid_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(@extschema@.tid) IS 'maximum value of all TIDs';

CREATE AGGREGATE pg_catalog.min(@extschema@.tid) (
  SFUNC = @extschema@.tid_smaller, STYPE = @extschema@.tid, COMBINEFUNC = @extschema@.tid_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(@extschema@.tid) IS 'minimum value of all TIDs';

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

-- operator classes

CREATE OPERATOR CLASS @extschema@.tid_ops DEFAULT FOR TYPE @extschema@.tid USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 @extschema@.tid_cmp(@extschema@.tid, @extschema@.tid),
  FUNCTION 2 @extschema@.tid_sortsupport(internal),
  FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR CLASS @extschema@.tid_ops USING btree IS 'TIDs in the order of their text';
COMMENT ON OPERATOR FAMILY @extschema@.tid_ops USING btree IS 'TIDs in the order of their text';

CREATE OPERATOR CLASS @extschema@.tid_ops DEFAULT FOR TYPE @extschema@.tid USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 @extschema@.tid_hash(@extschema@.tid),
  FUNCTION 2 @extschema@.tid_hash_extended(@extschema@.tid, bigint);
COMMENT ON OPERATOR CLASS @extschema@.tid_ops USING hash IS 'hash of TIDs';
COMMENT ON OPERATOR FAMILY @extschema@.tid_ops USING hash IS 'hash of TIDs';

CREATE OPERATOR CLASS @extschema@.tid_minmax_ops DEFAULT FOR TYPE @extschema@.tid USING brin AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
  FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
  FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
  FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS @extschema@.tid_minmax_ops USING brin IS 'ranges of TIDs';
COMMENT ON OPERATOR FAMILY @extschema@.tid_minmax_ops USING brin IS 'ranges of TIDs';

-- operator families, with text; = of two texts is in a family of its own, as the head of
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
COMMENT ON OPERATOR FAMILY @extschema@.tid_text_ops USING btree IS
  'TIDs and texts in the same order, for the planner';

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
  FUNCTION 1 (@extschema@.tid, @extschema@.tid)
    @extschema@.tid_cmp(@extschema@.tid, @extschema@.tid),
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

-- casts; tid to text and to the record keys needs none.  character(n) would otherwise be read
-- with its padding, here and below, or not at all.

CREATE CAST (@extschema@.tid AS bigint) WITH FUNCTION @extschema@.tid_to_bigint(@extschema@.tid);
COMMENT ON CAST (@extschema@.tid AS bigint) IS 'the TID as an integer';

CREATE CAST (bigint AS @extschema@.tid) WITH FUNCTION @extschema@.tid_from_bigint(bigint);
COMMENT ON CAST (bigint AS @extschema@.tid) IS 'the TID of an integer';

CREATE CAST (text AS @extschema@.tid) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS @extschema@.tid) IS 'the TID of a text, in assignments too';

CREATE CAST (varchar AS @extschema@.tid) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS @extschema@.tid) IS 'the TID of a text, in assignments too';

CREATE CAST (character AS @extschema@.tid)
  WITH FUNCTION @extschema@.tid_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.tid) IS
  'the TID in a text, without the padding, in assignments too';

------------------------------------------------------------------------------
-- rkey
------------------------------------------------------------------------------

-- types, and the checks behind them
--
-- The names of the constraints are frozen: a domain that is used inside another
-- type cannot be altered.  Rules change inside the functions.

CREATE FUNCTION @extschema@.rkey_check_length(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_check_length'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.rkey_check_length(text) IS 'constraint rkey_length';

CREATE FUNCTION @extschema@.rkey_check_characters(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_check_characters'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.rkey_check_characters(text) IS 'constraint rkey_characters';

CREATE FUNCTION @extschema@.rkey_check_dot_segment(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_check_dot_segment'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.rkey_check_dot_segment(text) IS 'constraint rkey_dot_segment';

CREATE FUNCTION @extschema@.record_key_check_length(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_check_length'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.record_key_check_length(text) IS 'constraint record_key_length';

CREATE FUNCTION @extschema@.record_key_check_characters(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_check_characters'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.record_key_check_characters(text) IS
  'constraint record_key_characters';

CREATE FUNCTION @extschema@.record_key_check_dot_segment(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_check_dot_segment'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.record_key_check_dot_segment(text) IS
  'constraint record_key_dot_segment';

CREATE DOMAIN @extschema@.rkey AS text COLLATE "C"
  CONSTRAINT rkey_length CHECK (@extschema@.rkey_check_length(VALUE))
  CONSTRAINT rkey_characters CHECK (@extschema@.rkey_check_characters(VALUE))
  CONSTRAINT rkey_dot_segment CHECK (@extschema@.rkey_check_dot_segment(VALUE));
COMMENT ON DOMAIN @extschema@.rkey IS 'AT Protocol record key, for keys of your own';
COMMENT ON CONSTRAINT rkey_length ON DOMAIN @extschema@.rkey IS '1 to 512 characters';
COMMENT ON CONSTRAINT rkey_characters ON DOMAIN @extschema@.rkey IS 'A-Z a-z 0-9 . - _ ~';
COMMENT ON CONSTRAINT rkey_dot_segment ON DOMAIN @extschema@.rkey IS 'neither "." nor ".."';

CREATE DOMAIN @extschema@.record_key AS text COLLATE "C"
  CONSTRAINT record_key_length CHECK (@extschema@.record_key_check_length(VALUE))
  CONSTRAINT record_key_characters CHECK (@extschema@.record_key_check_characters(VALUE))
  CONSTRAINT record_key_dot_segment CHECK (@extschema@.record_key_check_dot_segment(VALUE));
COMMENT ON DOMAIN @extschema@.record_key IS
  'AT Protocol record key with the colon that the network admits, for keys of others';
COMMENT ON CONSTRAINT record_key_length ON DOMAIN @extschema@.record_key IS '1 to 512 characters';
COMMENT ON CONSTRAINT record_key_characters ON DOMAIN @extschema@.record_key IS
  'A-Z a-z 0-9 . - _ ~ :';
COMMENT ON CONSTRAINT record_key_dot_segment ON DOMAIN @extschema@.record_key IS
  'neither "." nor ".."';

-- functions

CREATE FUNCTION @extschema@.rkey_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.rkey_is_valid(text) IS 'is the text an rkey?';

CREATE FUNCTION @extschema@.record_key_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.record_key_is_valid(text) IS 'is the text a record_key?';

CREATE FUNCTION @extschema@.rkey_conforms(key text, key_type text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_rkey_conforms' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.rkey_conforms(text, text) IS
  'is the text an rkey of a Lexicon key type: tid, nsid, any, literal:<value>?';

CREATE FUNCTION @extschema@.record_key_conforms(key text, key_type text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_conforms' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.record_key_conforms(text, text) IS
  'is the text a record_key of a Lexicon key type: tid, nsid, any, literal:<value>?';

CREATE FUNCTION @extschema@.rkey_generate() RETURNS text
  AS 'MODULE_PATHNAME', 'atid_rkey_generate' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.rkey_generate() IS 'a new TID as text';

------------------------------------------------------------------------------
-- uuid
------------------------------------------------------------------------------

-- functions; COST is what a call takes, in calls of a comparison, here and below
-- (bench/functions)

CREATE FUNCTION @extschema@.uuid_generate_v1() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v1' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_generate_v1() IS 'a new version 1 UUID: time, random node';

CREATE FUNCTION @extschema@.uuid_generate_v1mc() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v1mc' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_generate_v1mc() IS
  'a new version 1 UUID with a random node of its own';

CREATE FUNCTION @extschema@.uuid_generate_v3(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v3' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.uuid_generate_v3(uuid, text) IS
  'the version 3 UUID (MD5) of a name';

CREATE FUNCTION @extschema@.uuid_generate_v3(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v3_bytea'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.uuid_generate_v3(uuid, bytea) IS
  'the version 3 UUID (MD5) of a name in octets';

CREATE FUNCTION @extschema@.uuid_generate_v4() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v4' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_generate_v4() IS 'a new version 4 UUID: random';

CREATE FUNCTION @extschema@.uuid_generate_v5(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v5' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.uuid_generate_v5(uuid, text) IS
  'the version 5 UUID (SHA-1) of a name';

CREATE FUNCTION @extschema@.uuid_generate_v5(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v5_bytea'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.uuid_generate_v5(uuid, bytea) IS
  'the version 5 UUID (SHA-1) of a name in octets';

CREATE FUNCTION @extschema@.uuid_generate_v6() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v6' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_generate_v6() IS
  'a new version 6 UUID, greater than every one generated in this database before';

CREATE FUNCTION @extschema@.uuid_generate_v7() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_generate_v7() IS
  'a new version 7 UUID, greater than every one generated in this database before';

CREATE FUNCTION @extschema@.uuid_generate_v7(shift interval) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v7_interval' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_generate_v7(interval) IS
  'a new version 7 UUID with its time shifted';

CREATE FUNCTION @extschema@.uuid_generate_v8(bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_generate_v8(bytea) IS
  'the version 8 UUID of 16 bytes, version and variant overwritten';

CREATE FUNCTION @extschema@.uuid_generate_v8(namespace uuid, name text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v8_text'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.uuid_generate_v8(uuid, text) IS
  'the version 8 UUID (SHA-256) of a name';

CREATE FUNCTION @extschema@.uuid_generate_v8(namespace uuid, name bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_generate_v8_bytea'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.uuid_generate_v8(uuid, bytea) IS
  'the version 8 UUID (SHA-256) of a name in octets';

CREATE FUNCTION @extschema@.uuid_nil() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_nil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_nil() IS 'the nil UUID, all zeros';

CREATE FUNCTION @extschema@.uuid_max() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_max() IS 'the max UUID, all ones';

CREATE FUNCTION @extschema@.uuid_ns_dns() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_ns_dns' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_ns_dns() IS 'the namespace of domain names';

CREATE FUNCTION @extschema@.uuid_ns_url() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_ns_url' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_ns_url() IS 'the namespace of URLs';

CREATE FUNCTION @extschema@.uuid_ns_oid() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_ns_oid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_ns_oid() IS 'the namespace of ISO object identifiers';

CREATE FUNCTION @extschema@.uuid_ns_x500() RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_ns_x500' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_ns_x500() IS 'the namespace of X.500 distinguished names';

CREATE FUNCTION @extschema@.uuid_extract_version(uuid) RETURNS smallint
  AS 'MODULE_PATHNAME', 'atid_uuid_extract_version'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_extract_version(uuid) IS
  'the version of a UUID; NULL where the variant is not that of RFC 9562';

CREATE FUNCTION @extschema@.uuid_extract_variant(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_extract_variant'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_extract_variant(uuid) IS
  'the variant of a UUID: ncs, rfc9562, microsoft or future';

CREATE FUNCTION @extschema@.uuid_extract_timestamp(uuid) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_uuid_extract_timestamp'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_extract_timestamp(uuid) IS
  'the time of a version 1, 6 or 7 UUID; NULL for others';

CREATE FUNCTION @extschema@.uuid_extract_timestamp_precise(uuid) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_uuid_extract_timestamp_precise'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_extract_timestamp_precise(uuid) IS
  'the time of a version 1, 6 or 7 UUID, with the fraction that rand_a of version 7 can hold';

CREATE FUNCTION @extschema@.uuid_v7_floor("time" timestamptz) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_floor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_v7_floor(timestamptz) IS
  'the lowest version 7 UUID of a millisecond';

CREATE FUNCTION @extschema@.uuid_v7_ceil("time" timestamptz) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_ceil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_v7_ceil(timestamptz) IS
  'the highest version 7 UUID of a millisecond';

CREATE FUNCTION @extschema@.uuid_v7_make("time" timestamptz) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_make' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_v7_make(timestamptz) IS
  'a version 7 UUID of a time with its microseconds, the rest random; does not touch the generator';

CREATE FUNCTION @extschema@.uuid_timestamptz_to_v7("time" timestamptz, zero bool DEFAULT false)
  RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_timestamptz_to_v7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_timestamptz_to_v7(timestamptz, bool) IS
  'a version 7 UUID of a time, the rest random or zero; does not touch the generator';

CREATE FUNCTION @extschema@.uuid_timestamp_to_v7("time" timestamp, zero bool DEFAULT false)
  RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_timestamp_to_v7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_timestamp_to_v7(timestamp, bool) IS
  'a version 7 UUID of a time in UTC, the rest random or zero; does not touch the generator';

CREATE FUNCTION @extschema@.uuid_v7_to_timestamptz(uuid) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_to_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_v7_to_timestamptz(uuid) IS
  'the time of a version 7 UUID; an error for others';

CREATE FUNCTION @extschema@.uuid_v7_to_timestamp(uuid) RETURNS timestamp
  AS 'MODULE_PATHNAME', 'atid_uuid_v7_to_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_v7_to_timestamp(uuid) IS
  'the time of a version 7 UUID in UTC; an error for others';

CREATE FUNCTION @extschema@.uuid_v1_to_v6(uuid) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v1_to_v6' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_v1_to_v6(uuid) IS 'the version 6 UUID of a version 1 UUID';

CREATE FUNCTION @extschema@.uuid_v6_to_v1(uuid) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_v6_to_v1' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_v6_to_v1(uuid) IS 'the version 1 UUID of a version 6 UUID';

CREATE FUNCTION @extschema@.uuid_to_urn(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_to_urn'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.uuid_to_urn(uuid) IS 'a UUID as a URN';

CREATE FUNCTION @extschema@.uuid_to_oid(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_to_oid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.uuid_to_oid(uuid) IS
  'a UUID as an object identifier, 2.25 and an integer';

CREATE FUNCTION @extschema@.uuid_to_ulid(uuid) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_uuid_to_ulid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.uuid_to_ulid(uuid) IS
  'the UUID as a ULID: 26 characters of Crockford''s base32';

CREATE FUNCTION @extschema@.uuid_from_text(text) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_from_text(text) IS
  'the UUID of a text in any of its forms, or of a ULID';

CREATE FUNCTION @extschema@.uuid_to_numeric(uuid) RETURNS numeric
  AS 'MODULE_PATHNAME', 'atid_uuid_to_numeric'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.uuid_to_numeric(uuid) IS 'a UUID as an unsigned integer';

CREATE FUNCTION @extschema@.uuid_from_numeric(numeric) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.uuid_from_numeric(numeric) IS 'the UUID of an unsigned integer';

CREATE FUNCTION @extschema@.uuid_to_bytes(uuid) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_uuid_to_bytes' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_to_bytes(uuid) IS 'the 16 bytes of a UUID';

CREATE FUNCTION @extschema@.uuid_from_bytes(bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_from_bytes(bytea) IS 'the UUID of 16 bytes';

CREATE FUNCTION @extschema@.uuid_to_guid_bytes(uuid) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_uuid_to_guid_bytes'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_to_guid_bytes(uuid) IS
  'the 16 bytes of a GUID, its first three fields little-endian';

CREATE FUNCTION @extschema@.uuid_from_guid_bytes(bytea) RETURNS uuid
  AS 'MODULE_PATHNAME', 'atid_uuid_from_guid_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuid_from_guid_bytes(bytea) IS 'the UUID of the 16 bytes of a GUID';

------------------------------------------------------------------------------
-- cid
------------------------------------------------------------------------------

-- type and I/O

CREATE TYPE @extschema@.cid_link;

CREATE FUNCTION @extschema@.cid_link_in(cstring) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_in(cstring) IS 'I/O';

CREATE FUNCTION @extschema@.cid_link_out(@extschema@.cid_link) RETURNS cstring
  AS 'MODULE_PATHNAME', 'atid_cid_link_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_out(@extschema@.cid_link) IS 'I/O';

CREATE FUNCTION @extschema@.cid_link_recv(internal) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_recv(internal) IS 'I/O';

CREATE FUNCTION @extschema@.cid_link_send(@extschema@.cid_link) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_cid_link_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_send(@extschema@.cid_link) IS 'I/O';

CREATE TYPE @extschema@.cid_link (
  INPUT = @extschema@.cid_link_in,
  OUTPUT = @extschema@.cid_link_out,
  RECEIVE = @extschema@.cid_link_recv,
  SEND = @extschema@.cid_link_send,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = int4,
  STORAGE = extended
);
COMMENT ON TYPE @extschema@.cid_link IS 'AT Protocol link: a content identifier, version 1';

-- functions

CREATE FUNCTION @extschema@.cid_make(codec text, digest bytea) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_make(text, bytea) IS
  'the CID of a codec, dag-cbor or raw, and a SHA-256 digest';

CREATE FUNCTION @extschema@.cid_of(block bytea, codec text) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.cid_of(bytea, text) IS
  'the CID of a block of a codec, dag-cbor or raw';

CREATE FUNCTION @extschema@.cid_codec(@extschema@.cid_link) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_cid_codec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_codec(@extschema@.cid_link) IS
  'the codec of the content that a CID names';

CREATE FUNCTION @extschema@.cid_hash(@extschema@.cid_link) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_cid_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_hash(@extschema@.cid_link) IS 'the hash function of a CID';

CREATE FUNCTION @extschema@.cid_digest(@extschema@.cid_link) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_cid_digest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_digest(@extschema@.cid_link) IS 'the digest in a CID';

CREATE FUNCTION @extschema@.cid_is_blessed(@extschema@.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_is_blessed_link'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_is_blessed(@extschema@.cid_link) IS
  'is the CID of the kind that the protocol makes: dag-cbor or raw, SHA-256?';

CREATE FUNCTION @extschema@.cid_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_is_valid(text) IS 'is the text a cid_link?';

CREATE FUNCTION @extschema@.cid_string_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_string_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_string_is_valid(text) IS
  'is the text of Lexicon''s string format cid, which is looser than a cid_link?';

-- functions of operators, aggregates and operator classes

CREATE FUNCTION @extschema@.cid_link_eq(@extschema@.cid_link, @extschema@.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_eq(@extschema@.cid_link, @extschema@.cid_link) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.cid_link_ne(@extschema@.cid_link, @extschema@.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_ne(@extschema@.cid_link, @extschema@.cid_link) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.cid_link_lt(@extschema@.cid_link, @extschema@.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_lt(@extschema@.cid_link, @extschema@.cid_link) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.cid_link_le(@extschema@.cid_link, @extschema@.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_le(@extschema@.cid_link, @extschema@.cid_link) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.cid_link_gt(@extschema@.cid_link, @extschema@.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_gt(@extschema@.cid_link, @extschema@.cid_link) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.cid_link_ge(@extschema@.cid_link, @extschema@.cid_link) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_cid_link_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_ge(@extschema@.cid_link, @extschema@.cid_link) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.cid_link_cmp(@extschema@.cid_link, @extschema@.cid_link) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_cid_link_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_cmp(@extschema@.cid_link, @extschema@.cid_link) IS
  'less-equal-greater';

CREATE FUNCTION @extschema@.cid_link_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_cid_link_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_sortsupport(internal) IS 'sort support';

CREATE FUNCTION @extschema@.cid_link_hash(@extschema@.cid_link) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_cid_link_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_hash(@extschema@.cid_link) IS 'hash';

CREATE FUNCTION @extschema@.cid_link_hash_extended(@extschema@.cid_link, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_cid_link_hash_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_hash_extended(@extschema@.cid_link, bigint) IS 'hash';

CREATE FUNCTION @extschema@.cid_link_larger(@extschema@.cid_link, @extschema@.cid_link)
  RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_larger(@extschema@.cid_link, @extschema@.cid_link) IS
  'larger of two';

CREATE FUNCTION @extschema@.cid_link_smaller(@extschema@.cid_link, @extschema@.cid_link)
  RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_smaller(@extschema@.cid_link, @extschema@.cid_link) IS
  'smaller of two';

-- functions of casts

CREATE FUNCTION @extschema@.cid_link_from_bytea(bytea) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.cid_link_from_bytea(bytea) IS
  'the CID of its bytes; an error where they are none';

CREATE FUNCTION @extschema@.cid_link_from_char(character) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_cid_link_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.cid_link_from_char(character) IS 'cast from character(n)';

-- operators and aggregates

CREATE OPERATOR pg_catalog.= (
  LEFTARG = @extschema@.cid_link, RIGHTARG = @extschema@.cid_link,
  FUNCTION = @extschema@.cid_link_eq,
  COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
  RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (@extschema@.cid_link, @extschema@.cid_link) IS 'equal';

CREATE OPERATOR pg_catalog.<> (
  LEFTARG = @extschema@.cid_link, RIGHTARG = @extschema@.cid_link,
  FUNCTION = @extschema@.cid_link_ne,
  COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
  RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (@extschema@.cid_link, @extschema@.cid_link) IS 'not equal';

CREATE OPERATOR pg_catalog.< (
  LEFTARG = @extschema@.cid_link, RIGHTARG = @extschema@.cid_link,
  FUNCTION = @extschema@.cid_link_lt,
  COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
  RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (@extschema@.cid_link, @extschema@.cid_link) IS 'less than';

CREATE OPERATOR pg_catalog.<= (
  LEFTARG = @extschema@.cid_link, RIGHTARG = @extschema@.cid_link,
  FUNCTION = @extschema@.cid_link_le,
  COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
  RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (@extschema@.cid_link, @extschema@.cid_link) IS
  'less than or equal';

CREATE OPERATOR pg_catalog.> (
  LEFTARG = @extschema@.cid_link, RIGHTARG = @extschema@.cid_link,
  FUNCTION = @extschema@.cid_link_gt,
  COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
  RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (@extschema@.cid_link, @extschema@.cid_link) IS 'greater than';

CREATE OPERATOR pg_catalog.>= (
  LEFTARG = @extschema@.cid_link, RIGHTARG = @extschema@.cid_link,
  FUNCTION = @extschema@.cid_link_ge,
  COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
  RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.cid_link, @extschema@.cid_link) IS
  'greater than or equal';

CREATE AGGREGATE pg_catalog.max(@extschema@.cid_link) (
  SFUNC = @extschema@.cid_link_larger, STYPE = @extschema@.cid_link,
  COMBINEFUNC = @extschema@.cid_link_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(@extschema@.cid_link) IS 'maximum value of all CIDs';

CREATE AGGREGATE pg_catalog.min(@extschema@.cid_link) (
  SFUNC = @extschema@.cid_link_smaller, STYPE = @extschema@.cid_link,
  COMBINEFUNC = @extschema@.cid_link_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(@extschema@.cid_link) IS 'minimum value of all CIDs';

-- operator classes

CREATE OPERATOR CLASS @extschema@.cid_link_ops DEFAULT FOR TYPE @extschema@.cid_link USING btree AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 @extschema@.cid_link_cmp(@extschema@.cid_link, @extschema@.cid_link),
  FUNCTION 2 @extschema@.cid_link_sortsupport(internal),
  FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR FAMILY @extschema@.cid_link_ops USING btree IS
  'CIDs in the order of their bytes';
COMMENT ON OPERATOR CLASS @extschema@.cid_link_ops USING btree IS
  'CIDs in the order of their bytes';

CREATE OPERATOR CLASS @extschema@.cid_link_ops DEFAULT FOR TYPE @extschema@.cid_link USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 @extschema@.cid_link_hash(@extschema@.cid_link),
  FUNCTION 2 @extschema@.cid_link_hash_extended(@extschema@.cid_link, bigint);
COMMENT ON OPERATOR FAMILY @extschema@.cid_link_ops USING hash IS 'hash of CIDs';
COMMENT ON OPERATOR CLASS @extschema@.cid_link_ops USING hash IS 'hash of CIDs';

-- casts; a cid_link is bytes already, and bytes must be looked at

CREATE CAST (@extschema@.cid_link AS bytea) WITHOUT FUNCTION;
COMMENT ON CAST (@extschema@.cid_link AS bytea) IS 'the bytes of a CID';

CREATE CAST (bytea AS @extschema@.cid_link) WITH FUNCTION @extschema@.cid_link_from_bytea(bytea);
COMMENT ON CAST (bytea AS @extschema@.cid_link) IS 'the CID of its bytes';

CREATE CAST (text AS @extschema@.cid_link) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS @extschema@.cid_link) IS 'the CID of a text, in assignments too';

CREATE CAST (varchar AS @extschema@.cid_link) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS @extschema@.cid_link) IS 'the CID of a text, in assignments too';

CREATE CAST (character AS @extschema@.cid_link)
  WITH FUNCTION @extschema@.cid_link_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.cid_link) IS
  'the CID in a text, without the padding, in assignments too';

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
COMMENT ON TYPE @extschema@.did IS
  'AT Protocol account identifier (DID); a did:plc is stored packed';

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
COMMENT ON TYPE @extschema@.at_uri IS
  'AT URI of a repository, collection or record; its DID and TID are stored packed';

-- types that are checked text, and the checks behind them
--
-- The names of the constraints are frozen, as are those of atid.rkey.  The length
-- is part of each check: rules change inside the functions, since a domain that is
-- used inside another type cannot be altered.

CREATE FUNCTION @extschema@.handle_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_handle_is_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.handle_is_valid(text) IS 'is the text a handle?';

CREATE FUNCTION @extschema@.nsid_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_nsid_is_valid_text'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.nsid_is_valid(text) IS 'is the text an NSID?';

CREATE FUNCTION @extschema@.at_identifier_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_identifier_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_identifier_is_valid(text) IS 'is the text a DID or a handle?';

CREATE FUNCTION @extschema@.language_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_language_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.language_is_valid(text) IS
  'is the text a well-formed language tag?';

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
COMMENT ON DOMAIN @extschema@.nsid IS
  'AT Protocol namespaced identifier (NSID), the name of a Lexicon or collection';
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
  AS 'MODULE_PATHNAME', 'atid_did_is_valid_text'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_is_valid(text) IS 'is the text a DID?';

CREATE FUNCTION @extschema@.at_uri_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_is_valid_text'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_is_valid(text) IS
  'is the text an AT URI of Lexicon''s string format at-uri?';

CREATE FUNCTION @extschema@.did_or_null(text) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_or_null' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_or_null(text) IS
  'the DID in a text; NULL if the text is not a DID';

CREATE FUNCTION @extschema@.at_uri_or_null(text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_or_null'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_or_null(text) IS
  'the AT URI in a text; NULL if the text is not an AT URI';

-- Not STRICT: NULL says that there is no problem, so a NULL format must not lead to it.
CREATE FUNCTION @extschema@.format_problem(value text, format text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_format_problem_null' LANGUAGE C IMMUTABLE PARALLEL SAFE;
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
  AS 'MODULE_PATHNAME', 'atid_at_uri_collection'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
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
  AS 'MODULE_PATHNAME', 'atid_at_uri_scopes'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_scopes(@extschema@.at_uri) IS
  'the scopes that contain an AT URI: its account, its collection, itself';

CREATE FUNCTION @extschema@.at_uri_path(@extschema@.at_uri) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_at_uri_path' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_path(@extschema@.at_uri) IS
  'the path of an AT URI: its collection, or collection/rkey; NULL if it has none';

CREATE FUNCTION @extschema@.at_uri_make(authority text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_make(text) IS
  'the AT URI of the repository of a DID or handle';

CREATE FUNCTION @extschema@.at_uri_make(authority text, path text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_make(text, text) IS
  'the AT URI of a collection, or of a record given as collection/rkey';

CREATE FUNCTION @extschema@.at_uri_make(authority text, collection text, rkey text)
  RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_make(text, text, text) IS 'the AT URI of a record';

CREATE FUNCTION @extschema@.at_uri_normalize(@extschema@.at_uri) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_normalize'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_normalize(@extschema@.at_uri) IS
  'an AT URI with its handle and the domain of its collection in lower case';

CREATE FUNCTION @extschema@.at_uri_from_subject_or_null(subject text) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_from_subject_or_null'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_from_subject_or_null(text) IS
  'the subject of a label as an AT URI, at:// and the DID for an account; NULL for other texts';

CREATE FUNCTION @extschema@.at_uri_to_subject(uri @extschema@.at_uri) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_at_uri_to_subject'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_to_subject(@extschema@.at_uri) IS
  'the subject of a label from its AT URI: the DID for an account';

CREATE FUNCTION @extschema@.nsid_normalize(text) RETURNS @extschema@.nsid
  AS 'MODULE_PATHNAME', 'atid_nsid_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.nsid_normalize(text) IS 'an NSID with its authority in lower case';

CREATE FUNCTION @extschema@.nsid_authority(text) RETURNS @extschema@.handle
  AS 'MODULE_PATHNAME', 'atid_nsid_authority' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.nsid_authority(text) IS
  'the domain name whose owner defines an NSID';

-- functions of operators, aggregates and operator classes

CREATE FUNCTION @extschema@.did_eq(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_eq(@extschema@.did, @extschema@.did) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.did_ne(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_ne(@extschema@.did, @extschema@.did) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.did_lt(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_lt(@extschema@.did, @extschema@.did) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.did_le(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_le(@extschema@.did, @extschema@.did) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.did_gt(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_gt(@extschema@.did, @extschema@.did) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.did_ge(@extschema@.did, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_ge(@extschema@.did, @extschema@.did) IS
  'implementation of >= operator';

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
  AS 'MODULE_PATHNAME', 'atid_did_hash_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_hash_extended(@extschema@.did, bigint) IS 'hash';

CREATE FUNCTION @extschema@.did_larger(@extschema@.did, @extschema@.did) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_larger(@extschema@.did, @extschema@.did) IS 'larger of two';

CREATE FUNCTION @extschema@.did_smaller(@extschema@.did, @extschema@.did) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_smaller(@extschema@.did, @extschema@.did) IS 'smaller of two';

CREATE FUNCTION @extschema@.at_uri_eq(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_eq(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.at_uri_ne(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_ne(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.at_uri_lt(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_lt(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.at_uri_le(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_le(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.at_uri_gt(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_gt(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.at_uri_ge(@extschema@.at_uri, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_ge(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.at_uri_cmp(@extschema@.at_uri, @extschema@.at_uri) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_cmp(@extschema@.at_uri, @extschema@.at_uri) IS
  'less-equal-greater';

CREATE FUNCTION @extschema@.at_uri_sortsupport(internal) RETURNS void
  AS 'MODULE_PATHNAME', 'atid_at_uri_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_sortsupport(internal) IS 'sort support';

CREATE FUNCTION @extschema@.at_uri_hash(@extschema@.at_uri) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_hash(@extschema@.at_uri) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_hash_extended(@extschema@.at_uri, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_hash_extended(@extschema@.at_uri, bigint) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_larger(@extschema@.at_uri, @extschema@.at_uri)
  RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_larger(@extschema@.at_uri, @extschema@.at_uri) IS
  'larger of two';

CREATE FUNCTION @extschema@.at_uri_smaller(@extschema@.at_uri, @extschema@.at_uri)
  RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_smaller(@extschema@.at_uri, @extschema@.at_uri) IS
  'smaller of two';

CREATE FUNCTION @extschema@.at_uri_scope_upper(@extschema@.at_uri) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_scope_upper'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_scope_upper(@extschema@.at_uri) IS
  'the upper bound of the AT URIs in a scope, for index conditions';

CREATE FUNCTION @extschema@.at_uri_contained_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_contained_support(internal) IS
  'planner support for <@ operator';

CREATE FUNCTION @extschema@.at_uri_contains_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_contains_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_contains_support(internal) IS
  'planner support for @> operator';

CREATE FUNCTION @extschema@.at_uri_scope_sel(internal, oid, internal, int) RETURNS float8
  AS 'MODULE_PATHNAME', 'atid_at_uri_scope_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_scope_sel(internal, oid, internal, int) IS
  'restriction selectivity of <@ and @>';

CREATE FUNCTION @extschema@.at_uri_scope_joinsel(internal, oid, internal, smallint, internal)
  RETURNS float8
  AS 'MODULE_PATHNAME', 'atid_at_uri_scope_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_scope_joinsel(internal, oid, internal, smallint, internal) IS
  'join selectivity of <@ and @>';

CREATE FUNCTION @extschema@.at_uri_contained(uri @extschema@.at_uri, scope @extschema@.at_uri)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_contained_support;
COMMENT ON FUNCTION @extschema@.at_uri_contained(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of <@ operator';

CREATE FUNCTION @extschema@.at_uri_contains(scope @extschema@.at_uri, uri @extschema@.at_uri)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contains' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_contains_support;
COMMENT ON FUNCTION @extschema@.at_uri_contains(@extschema@.at_uri, @extschema@.at_uri) IS
  'implementation of @> operator';

-- ... with text

CREATE FUNCTION @extschema@.did_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_did_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_text_support(internal) IS
  'planner support for comparison with text';

CREATE FUNCTION @extschema@.did_eq_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_eq_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_eq_text(@extschema@.did, text) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.did_ne_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ne_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_ne_text(@extschema@.did, text) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.did_lt_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_lt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_lt_text(@extschema@.did, text) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.did_le_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_le_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_le_text(@extschema@.did, text) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.did_gt_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_gt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_gt_text(@extschema@.did, text) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.did_ge_text(@extschema@.did, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_ge_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.did_ge_text(@extschema@.did, text) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.did_cmp_text(@extschema@.did, text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_did_cmp_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_cmp_text(@extschema@.did, text) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.text_eq_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_eq_did(text, @extschema@.did) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.text_ne_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ne_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_ne_did(text, @extschema@.did) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.text_lt_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_lt_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_lt_did(text, @extschema@.did) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.text_le_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_le_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_le_did(text, @extschema@.did) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.text_gt_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_gt_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_gt_did(text, @extschema@.did) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.text_ge_did(text, @extschema@.did) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ge_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.did_text_support;
COMMENT ON FUNCTION @extschema@.text_ge_did(text, @extschema@.did) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.text_cmp_did(text, @extschema@.did) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_text_cmp_did' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_cmp_did(text, @extschema@.did) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.did_hash_text(text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_did_hash_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_hash_text(text) IS 'hash';

CREATE FUNCTION @extschema@.did_hash_text_extended(text, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_did_hash_text_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_hash_text_extended(text, bigint) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_text_support(internal) IS
  'planner support for comparing at_uri and text, and for reading a field of an atid.block '
  'without the rest';

CREATE FUNCTION @extschema@.at_uri_eq_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_eq_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_eq_text(@extschema@.at_uri, text) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.at_uri_ne_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ne_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_ne_text(@extschema@.at_uri, text) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.at_uri_lt_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_lt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_lt_text(@extschema@.at_uri, text) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.at_uri_le_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_le_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_le_text(@extschema@.at_uri, text) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.at_uri_gt_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_gt_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_gt_text(@extschema@.at_uri, text) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.at_uri_ge_text(@extschema@.at_uri, text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_ge_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_ge_text(@extschema@.at_uri, text) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.at_uri_cmp_text(@extschema@.at_uri, text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_cmp_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_cmp_text(@extschema@.at_uri, text) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.text_eq_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_eq_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_eq_at_uri(text, @extschema@.at_uri) IS
  'implementation of = operator';

CREATE FUNCTION @extschema@.text_ne_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ne_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_ne_at_uri(text, @extschema@.at_uri) IS
  'implementation of <> operator';

CREATE FUNCTION @extschema@.text_lt_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_lt_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_lt_at_uri(text, @extschema@.at_uri) IS
  'implementation of < operator';

CREATE FUNCTION @extschema@.text_le_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_le_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_le_at_uri(text, @extschema@.at_uri) IS
  'implementation of <= operator';

CREATE FUNCTION @extschema@.text_gt_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_gt_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_gt_at_uri(text, @extschema@.at_uri) IS
  'implementation of > operator';

CREATE FUNCTION @extschema@.text_ge_at_uri(text, @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_ge_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.text_ge_at_uri(text, @extschema@.at_uri) IS
  'implementation of >= operator';

CREATE FUNCTION @extschema@.text_cmp_at_uri(text, @extschema@.at_uri) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_text_cmp_at_uri' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_cmp_at_uri(text, @extschema@.at_uri) IS 'less-equal-greater';

CREATE FUNCTION @extschema@.at_uri_hash_text(text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_hash_text(text) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_hash_text_extended(text, bigint) RETURNS bigint
  AS 'MODULE_PATHNAME', 'atid_at_uri_hash_text_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_hash_text_extended(text, bigint) IS 'hash';

CREATE FUNCTION @extschema@.at_uri_contained_text_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_text_support'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_contained_text_support(internal) IS
  'planner support for <@ operator';

CREATE FUNCTION @extschema@.text_contains_at_uri_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_text_contains_at_uri_support'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.text_contains_at_uri_support(internal) IS
  'planner support for @> operator';

CREATE FUNCTION @extschema@.at_uri_contained_did(uri @extschema@.at_uri, scope @extschema@.did)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_did'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_contained_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_contained_did(@extschema@.at_uri, @extschema@.did) IS
  'implementation of <@ operator';

CREATE FUNCTION @extschema@.did_contains_at_uri(scope @extschema@.did, uri @extschema@.at_uri)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_did_contains_at_uri'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.text_contains_at_uri_support;
COMMENT ON FUNCTION @extschema@.did_contains_at_uri(@extschema@.did, @extschema@.at_uri) IS
  'implementation of @> operator';

CREATE FUNCTION @extschema@.at_uri_contained_text(uri @extschema@.at_uri, scope text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_at_uri_contained_text'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.at_uri_contained_text_support;
COMMENT ON FUNCTION @extschema@.at_uri_contained_text(@extschema@.at_uri, text) IS
  'implementation of <@ operator';

CREATE FUNCTION @extschema@.text_contains_at_uri(scope text, uri @extschema@.at_uri) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_text_contains_at_uri'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
  SUPPORT @extschema@.text_contains_at_uri_support;
COMMENT ON FUNCTION @extschema@.text_contains_at_uri(text, @extschema@.at_uri) IS
  'implementation of @> operator';

-- functions of casts

CREATE FUNCTION @extschema@.did_to_text(@extschema@.did) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_did_to_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.did_to_text(@extschema@.did) IS 'cast to text';

CREATE FUNCTION @extschema@.did_from_char(character) RETURNS @extschema@.did
  AS 'MODULE_PATHNAME', 'atid_did_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.did_from_char(character) IS 'cast from character(n)';

CREATE FUNCTION @extschema@.at_uri_to_text(@extschema@.at_uri) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_at_uri_to_text' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.at_uri_to_text(@extschema@.at_uri) IS 'cast to text';

CREATE FUNCTION @extschema@.at_uri_from_char(character) RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_at_uri_from_char' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.at_uri_from_char(character) IS 'cast from character(n)';

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
COMMENT ON OPERATOR pg_catalog.>= (@extschema@.at_uri, @extschema@.at_uri) IS
  'greater than or equal';

CREATE AGGREGATE pg_catalog.max(@extschema@.at_uri) (
  SFUNC = @extschema@.at_uri_larger, STYPE = @extschema@.at_uri,
  COMBINEFUNC = @extschema@.at_uri_larger,
  SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(@extschema@.at_uri) IS 'maximum value of all AT URIs';

CREATE AGGREGATE pg_catalog.min(@extschema@.at_uri) (
  SFUNC = @extschema@.at_uri_smaller, STYPE = @extschema@.at_uri,
  COMBINEFUNC = @extschema@.at_uri_smaller,
  SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(@extschema@.at_uri) IS 'minimum value of all AT URIs';

CREATE OPERATOR pg_catalog.<@ (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri,
  FUNCTION = @extschema@.at_uri_contained,
  COMMUTATOR = OPERATOR(pg_catalog.@>),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.<@ (@extschema@.at_uri, @extschema@.at_uri) IS
  'contained by: the left side is the scope or below it';

CREATE OPERATOR pg_catalog.@> (
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.at_uri,
  FUNCTION = @extschema@.at_uri_contains,
  COMMUTATOR = OPERATOR(pg_catalog.<@),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.@> (@extschema@.at_uri, @extschema@.at_uri) IS
  'contains: the right side is the scope or below it';

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
  LEFTARG = @extschema@.at_uri, RIGHTARG = @extschema@.did,
  FUNCTION = @extschema@.at_uri_contained_did,
  COMMUTATOR = OPERATOR(pg_catalog.@>),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.<@ (@extschema@.at_uri, @extschema@.did) IS
  'contained by: the AT URI belongs to the account';

CREATE OPERATOR pg_catalog.@> (
  LEFTARG = @extschema@.did, RIGHTARG = @extschema@.at_uri,
  FUNCTION = @extschema@.did_contains_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.<@),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.@> (@extschema@.did, @extschema@.at_uri) IS
  'contains: the AT URI belongs to the account';

CREATE OPERATOR pg_catalog.<@ (
  LEFTARG = @extschema@.at_uri, RIGHTARG = text, FUNCTION = @extschema@.at_uri_contained_text,
  COMMUTATOR = OPERATOR(pg_catalog.@>),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.<@ (@extschema@.at_uri, text) IS
  'contained by: the left side is the scope or below it';

CREATE OPERATOR pg_catalog.@> (
  LEFTARG = text, RIGHTARG = @extschema@.at_uri, FUNCTION = @extschema@.text_contains_at_uri,
  COMMUTATOR = OPERATOR(pg_catalog.<@),
  RESTRICT = @extschema@.at_uri_scope_sel, JOIN = @extschema@.at_uri_scope_joinsel
);
COMMENT ON OPERATOR pg_catalog.@> (text, @extschema@.at_uri) IS
  'contains: the right side is the scope or below it';

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
COMMENT ON OPERATOR FAMILY @extschema@.did_ops USING btree IS
  'DIDs in the order of their texts, byte by byte';
COMMENT ON OPERATOR CLASS @extschema@.did_ops USING btree IS
  'DIDs in the order of their texts, byte by byte';

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
COMMENT ON OPERATOR FAMILY @extschema@.at_uri_ops USING btree IS
  'AT URIs in the order of their texts, byte by byte';
COMMENT ON OPERATOR CLASS @extschema@.at_uri_ops USING btree IS
  'AT URIs in the order of their texts, byte by byte';

CREATE OPERATOR CLASS @extschema@.at_uri_ops DEFAULT FOR TYPE @extschema@.at_uri USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 @extschema@.at_uri_hash(@extschema@.at_uri),
  FUNCTION 2 @extschema@.at_uri_hash_extended(@extschema@.at_uri, bigint);
COMMENT ON OPERATOR FAMILY @extschema@.at_uri_ops USING hash IS 'hash of AT URIs';
COMMENT ON OPERATOR CLASS @extschema@.at_uri_ops USING hash IS 'hash of AT URIs';

CREATE OPERATOR CLASS @extschema@.at_uri_minmax_ops DEFAULT FOR TYPE @extschema@.at_uri
  USING brin AS
  OPERATOR 1 pg_catalog.<,
  OPERATOR 2 pg_catalog.<=,
  OPERATOR 3 pg_catalog.=,
  OPERATOR 4 pg_catalog.>=,
  OPERATOR 5 pg_catalog.>,
  FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
  FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
  FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
  FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY @extschema@.at_uri_minmax_ops USING brin IS
  'minimum and maximum of AT URIs';
COMMENT ON OPERATOR CLASS @extschema@.at_uri_minmax_ops USING brin IS
  'minimum and maximum of AT URIs';

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
COMMENT ON OPERATOR FAMILY @extschema@.did_text_ops USING btree IS
  'DIDs and texts in the same order, for the planner';

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
  FUNCTION 1 (@extschema@.did, @extschema@.did)
    @extschema@.did_cmp(@extschema@.did, @extschema@.did),
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
COMMENT ON OPERATOR FAMILY @extschema@.at_uri_text_ops USING btree IS
  'AT URIs and texts in the same order, for the planner';

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
  FUNCTION 1 (@extschema@.at_uri, @extschema@.at_uri)
    @extschema@.at_uri_cmp(@extschema@.at_uri, @extschema@.at_uri),
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

CREATE CAST (@extschema@.did AS text)
  WITH FUNCTION @extschema@.did_to_text(@extschema@.did) AS IMPLICIT;
COMMENT ON CAST (@extschema@.did AS text) IS 'the text of a DID, implicit';

CREATE CAST (@extschema@.did AS varchar)
  WITH FUNCTION @extschema@.did_to_text(@extschema@.did) AS IMPLICIT;
COMMENT ON CAST (@extschema@.did AS varchar) IS 'the text of a DID, implicit';

CREATE CAST (text AS @extschema@.did) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS @extschema@.did) IS 'the DID in a text, in assignments too';

CREATE CAST (varchar AS @extschema@.did) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS @extschema@.did) IS 'the DID in a text, in assignments too';

CREATE CAST (character AS @extschema@.did)
  WITH FUNCTION @extschema@.did_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.did) IS
  'the DID in a text, without the padding, in assignments too';

CREATE CAST (@extschema@.at_uri AS text)
  WITH FUNCTION @extschema@.at_uri_to_text(@extschema@.at_uri) AS IMPLICIT;
COMMENT ON CAST (@extschema@.at_uri AS text) IS 'the text of an AT URI, implicit';

CREATE CAST (@extschema@.at_uri AS varchar)
  WITH FUNCTION @extschema@.at_uri_to_text(@extschema@.at_uri) AS IMPLICIT;
COMMENT ON CAST (@extschema@.at_uri AS varchar) IS 'the text of an AT URI, implicit';

CREATE CAST (text AS @extschema@.at_uri) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS @extschema@.at_uri) IS 'the AT URI in a text, in assignments too';

CREATE CAST (varchar AS @extschema@.at_uri) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (varchar AS @extschema@.at_uri) IS 'the AT URI in a text, in assignments too';

CREATE CAST (character AS @extschema@.at_uri)
  WITH FUNCTION @extschema@.at_uri_from_char(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS @extschema@.at_uri) IS
  'the AT URI in a text, without the padding, in assignments too';

------------------------------------------------------------------------------
-- datetime
------------------------------------------------------------------------------

-- type, and the check behind it

CREATE FUNCTION @extschema@.datetime_is_valid(text) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_datetime_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
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
  AS 'MODULE_PATHNAME', 'atid_datetime_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.datetime_normalize(text) IS
  'the datetime that a sloppy text means, with milliseconds and Z';

CREATE FUNCTION @extschema@.datetime_normalize_or_null(text) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_datetime_normalize_or_null'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.datetime_normalize_or_null(text) IS
  'the datetime that a sloppy text means, with milliseconds and Z; NULL if it cannot be read';

CREATE FUNCTION @extschema@.sort_at(created text, indexed timestamptz) RETURNS timestamptz
  AS 'MODULE_PATHNAME', 'atid_sort_at' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.sort_at(text, timestamptz) IS
  'the lesser of two times; indexed if created is missing, invalid or before 1970';

------------------------------------------------------------------------------
-- record
------------------------------------------------------------------------------

-- types and I/O

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

-- functions; those with options are not STRICT, so that a NULL option is its default

CREATE FUNCTION @extschema@.record_to_dag_cbor(record jsonb) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_record_to_dag_cbor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.record_to_dag_cbor(jsonb) IS 'the DAG-CBOR block of a record';

CREATE FUNCTION @extschema@.record_cid(record jsonb) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_record_cid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_cid(jsonb) IS 'the CID that the network knows a record by';

CREATE FUNCTION @extschema@.json_to_dag_cbor(record json) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_json_to_dag_cbor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.json_to_dag_cbor(json) IS
  'the DAG-CBOR block of a record as json, which can hold U+0000';

CREATE FUNCTION @extschema@.json_cid(record json) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_json_cid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.json_cid(json) IS
  'the CID that the network knows a record by; the record is json';

CREATE FUNCTION @extschema@.record_is_valid(record jsonb) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.record_is_valid(jsonb) IS
  'is the record of the AT Protocol data model?';

CREATE FUNCTION @extschema@.record_is_valid(record jsonb, strict bool) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_is_valid_strict'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.record_is_valid(jsonb, bool) IS
  'is the record valid in the data model and, if strict, by the rules for new records?';

CREATE FUNCTION @extschema@.record_problem(record jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_problem'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.record_problem(jsonb) IS
  'the first problem of a record with its path; NULL where it is valid';

CREATE FUNCTION @extschema@.record_problem(record jsonb, strict bool) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_problem_strict'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.record_problem(jsonb, bool) IS
  'the first problem of a record with its path; NULL if it is valid, strict as in record_is_valid';

CREATE FUNCTION @extschema@.json_is_valid(record json, strict bool DEFAULT false) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_json_is_valid_strict'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.json_is_valid(json, bool) IS
  'is the record, as json, valid in the data model and, if strict, by the rules for new records?';

CREATE FUNCTION @extschema@.json_problem(record json, strict bool DEFAULT false) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_json_problem_strict'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.json_problem(json, bool) IS
  'the first problem of a record, as json, with its path; NULL if it is valid, strict as in '
  'json_is_valid';

CREATE FUNCTION @extschema@.dag_cbor_to_record(block bytea) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_to_record' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_to_record(bytea) IS 'the record in a DAG-CBOR block';

CREATE FUNCTION @extschema@.dag_cbor_to_json(block bytea) RETURNS json
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_to_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_to_json(bytea) IS
  'the record in a DAG-CBOR block, as json, which can hold U+0000';

CREATE FUNCTION @extschema@.bytes_json(bytea) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_bytes_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.bytes_json(bytea) IS
  'the form of bytes in a record: {"$bytes": base64}';

-- at_uri_text_support is the planner support of the functions that can read an atid.block
-- without its cast to bytea.  The library of 1.3 has it, too: in a session that has loaded that
-- library, it does nothing for them.

CREATE FUNCTION @extschema@.dag_cbor_is_valid(block bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.dag_cbor_is_valid(bytea) IS 'is the block strict DAG-CBOR?';

CREATE FUNCTION @extschema@.dag_cbor_is_valid(block bytea, model bool, strict bool DEFAULT false)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_is_valid_model'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.dag_cbor_is_valid(bytea, bool, bool) IS
  'is the block strict DAG-CBOR and, if model, a valid record and, if strict, by the rules for '
  'new records?';

CREATE FUNCTION @extschema@.dag_cbor_problem(block bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_problem'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.dag_cbor_problem(bytea) IS
  'why the block is not strict DAG-CBOR, and where; NULL where it is';

CREATE FUNCTION @extschema@.dag_cbor_problem(block bytea, model bool, strict bool DEFAULT false)
  RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_problem_model'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.dag_cbor_problem(bytea, bool, bool) IS
  'why dag_cbor_is_valid with the same arguments is false, and where; NULL if it is true';

-- Not LEAKPROOF: jsonb is built by recursion, so a caller who is deep in the stack already gets an
-- error for a block that is nested deep.  No operator of jsonb is LEAKPROOF either.
CREATE FUNCTION @extschema@.dag_cbor_get(block bytea, path text[] DEFAULT '{}') RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.dag_cbor_get(bytea, text[]) IS
  'the field of a block at a path, as by the operator #>; NULL if it is missing or damaged, or if '
  'jsonb cannot hold it';

CREATE FUNCTION @extschema@.dag_cbor_get_text(block bytea, path text[] DEFAULT '{}') RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get_text'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.dag_cbor_get_text(bytea, text[]) IS
  'the field of a block at a path as text, as by #>>, but a link as its CID and bytes as base64; '
  'NULL if it is missing or damaged, or if text cannot hold it';

CREATE FUNCTION @extschema@.dag_cbor_get_block(block bytea, path text[] DEFAULT '{}') RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_get_block'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.dag_cbor_get_block(bytea, text[]) IS
  'the field of a block at a path as a block of its own; NULL if it is missing or damaged';

CREATE FUNCTION @extschema@.dag_cbor_typeof(block bytea, path text[] DEFAULT '{}') RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_typeof'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.dag_cbor_typeof(bytea, text[]) IS
  'what the field of a block at a path is: object, array, string, number, boolean, null, link or '
  'bytes; NULL if it is missing or damaged';

-- the functions that the planner calls in place of those above over an atid.block
--
-- The errors of LEAKPROOF functions, here and in the casts, reveal nothing of a block: memory is
-- exhausted, a page is damaged, or a newer version has written the value.

CREATE FUNCTION @extschema@.block_get(block @extschema@.block, path text[]) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_block_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_get(@extschema@.block, text[]) IS
  'implementation of dag_cbor_get over a packed block';

CREATE FUNCTION @extschema@.block_get_text(block @extschema@.block, path text[]) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_block_get_text'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_get_text(@extschema@.block, text[]) IS
  'implementation of dag_cbor_get_text over a packed block';

CREATE FUNCTION @extschema@.block_get_block(block @extschema@.block, path text[]) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_block_get_block'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_get_block(@extschema@.block, text[]) IS
  'implementation of dag_cbor_get_block over a packed block';

CREATE FUNCTION @extschema@.block_typeof(block @extschema@.block, path text[]) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_block_typeof'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_typeof(@extschema@.block, text[]) IS
  'implementation of dag_cbor_typeof over a packed block';

CREATE FUNCTION @extschema@.block_ref_uri(block @extschema@.block, path text[])
  RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_block_ref_uri'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_ref_uri(@extschema@.block, text[]) IS
  'implementation of dag_cbor_ref_uri over a packed block';

CREATE FUNCTION @extschema@.block_is_valid(block @extschema@.block) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_block_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.block_is_valid(@extschema@.block) IS
  'implementation of dag_cbor_is_valid over a packed block';

-- functions of casts

CREATE FUNCTION @extschema@.block_from_bytea(block bytea) RETURNS @extschema@.block
  AS 'MODULE_PATHNAME', 'atid_block_from_bytea'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.block_from_bytea(bytea) IS 'the block, packed';

CREATE FUNCTION @extschema@.block_to_bytea(block @extschema@.block) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_block_to_bytea'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.block_to_bytea(@extschema@.block) IS 'the bytes of the block';

CREATE FUNCTION @extschema@.block_to_jsonb(block @extschema@.block) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_block_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.block_to_jsonb(@extschema@.block) IS
  'the record in the block, as from dag_cbor_to_record';

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

CREATE CAST (bytea AS @extschema@.block)
  WITH FUNCTION @extschema@.block_from_bytea(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS @extschema@.block) IS 'the block, packed, in assignments too';

CREATE CAST (@extschema@.block AS bytea)
  WITH FUNCTION @extschema@.block_to_bytea(@extschema@.block) AS IMPLICIT;
COMMENT ON CAST (@extschema@.block AS bytea) IS 'the bytes of the block, implicit';

CREATE CAST (@extschema@.block AS jsonb)
  WITH FUNCTION @extschema@.block_to_jsonb(@extschema@.block);
COMMENT ON CAST (@extschema@.block AS jsonb) IS
  'the record in the block, as from dag_cbor_to_record';

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

CREATE FUNCTION @extschema@.record_links(record jsonb, OUT path text, OUT cid @extschema@.cid_link)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_record_links'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION @extschema@.record_links(jsonb) IS 'the links in a record and their paths';

CREATE FUNCTION @extschema@.record_blobs(
  record jsonb, OUT path text, OUT cid @extschema@.cid_link, OUT mime_type text, OUT size bigint,
  OUT legacy bool
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_record_blobs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION @extschema@.record_blobs(jsonb) IS 'the blobs in a record and their paths';

CREATE FUNCTION @extschema@.record_refs(
  record jsonb, OUT path text, OUT field text, OUT uri @extschema@.at_uri, OUT did @extschema@.did,
  OUT cid @extschema@.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_record_refs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION @extschema@.record_refs(jsonb) IS
  'the AT URIs and DIDs in a record, their paths, and the CIDs of strong references';

CREATE FUNCTION @extschema@.record_ref_uris(record jsonb) RETURNS @extschema@.at_uri[]
  AS 'MODULE_PATHNAME', 'atid_record_ref_uris'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.record_ref_uris(jsonb) IS
  'the AT URIs and DIDs in a record, each once, as AT URIs; for indexes';

CREATE FUNCTION @extschema@.dag_cbor_links(block bytea, OUT path text, OUT cid @extschema@.cid_link)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_links'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION @extschema@.dag_cbor_links(bytea) IS 'the links in a block and their paths';

CREATE FUNCTION @extschema@.dag_cbor_blobs(
  block bytea, OUT path text, OUT cid @extschema@.cid_link, OUT mime_type text, OUT size bigint,
  OUT legacy bool
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_blobs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION @extschema@.dag_cbor_blobs(bytea) IS 'the blobs in a block and their paths';

CREATE FUNCTION @extschema@.dag_cbor_refs(
  block bytea, OUT path text, OUT field text, OUT uri @extschema@.at_uri, OUT did @extschema@.did,
  OUT cid @extschema@.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_refs'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50 ROWS 10;
COMMENT ON FUNCTION @extschema@.dag_cbor_refs(bytea) IS
  'the AT URIs and DIDs in a block, their paths, and the CIDs of strong references';

CREATE FUNCTION @extschema@.dag_cbor_ref_uris(block bytea, path text[] DEFAULT '{}')
  RETURNS @extschema@.at_uri[]
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_ref_uris'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.dag_cbor_ref_uris(bytea, text[]) IS
  'the AT URIs and DIDs in the field of a block at a path, each once, as AT URIs; for indexes';

CREATE FUNCTION @extschema@.dag_cbor_ref_uri(block bytea, path text[] DEFAULT '{}')
  RETURNS @extschema@.at_uri
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_ref_uri'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
  SUPPORT @extschema@.at_uri_text_support;
COMMENT ON FUNCTION @extschema@.dag_cbor_ref_uri(bytea, text[]) IS
  'the AT URI or DID that the field of a block at a path is, or has as its uri, as an AT URI; for '
  'indexes and joins';

------------------------------------------------------------------------------
-- lexicon
------------------------------------------------------------------------------

-- type and I/O

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
COMMENT ON TYPE @extschema@.lexicon IS 'AT Protocol lexicon: a set of Lexicon documents';

-- functions; those with options are not STRICT, so that a NULL option is its default

CREATE FUNCTION @extschema@.lexicon_problem(document jsonb) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_lexicon_problem'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_problem(jsonb) IS
  'why the document, or the array of documents, is not a lexicon, and where; NULL if it is';

CREATE FUNCTION @extschema@.lexicon_problem(document jsonb, strict bool) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_lexicon_problem_strict'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_problem(jsonb, bool) IS
  'why the document, or the array of documents, is not a lexicon, and where; if strict, also a '
  'type or format that the language lacks';

CREATE FUNCTION @extschema@.lexicon_is_valid(document jsonb) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_lexicon_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_is_valid(jsonb) IS
  'is the document, or the array of documents, a lexicon?';

CREATE FUNCTION @extschema@.lexicon_is_valid(document jsonb, strict bool) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_lexicon_is_valid_strict'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_is_valid(jsonb, bool) IS
  'is the document, or the array of documents, a lexicon? If strict, one without types and '
  'formats that the language lacks?';

-- COST: lexicon_missing, lexicon_only and record_key_conforms find the set compiled;
-- lexicon_nsids and lexicon_document read all of it; the cast makes jsonb of all of it.

CREATE FUNCTION @extschema@.lexicon_nsids(lexicons @extschema@.lexicon) RETURNS text[]
  AS 'MODULE_PATHNAME', 'atid_lexicon_nsids' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.lexicon_nsids(@extschema@.lexicon) IS
  'the NSIDs of the documents of the lexicons, in bytewise order';

CREATE FUNCTION @extschema@.lexicon_document(lexicons @extschema@.lexicon, nsid text) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_lexicon_document' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION @extschema@.lexicon_document(@extschema@.lexicon, text) IS
  'the document with this NSID, or NULL';

CREATE FUNCTION @extschema@.lexicon_missing(lexicons @extschema@.lexicon) RETURNS text[]
  AS 'MODULE_PATHNAME', 'atid_lexicon_missing' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.lexicon_missing(@extschema@.lexicon) IS
  'the definitions that the lexicons refer to and do not have, each once, in bytewise order';

CREATE FUNCTION @extschema@.lexicon_only(lexicons @extschema@.lexicon, refs text[])
  RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_only' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.lexicon_only(@extschema@.lexicon, text[]) IS
  'these definitions, such as a.b.c or a.b.c#name, and all that they refer to';

CREATE FUNCTION @extschema@.record_conforms(record jsonb, lexicons @extschema@.lexicon) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_conforms'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_conforms(jsonb, @extschema@.lexicon) IS
  'does the record conform to the Lexicon of its $type? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.record_conforms(
  record jsonb, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_conforms' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_conforms(jsonb, @extschema@.lexicon, text, bool) IS
  'does the record have this $type, and conform to its Lexicon? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.record_conforms_problem(record jsonb, lexicons @extschema@.lexicon)
  RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_conforms_problem'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_conforms_problem(jsonb, @extschema@.lexicon) IS
  'why record_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.record_conforms_problem(
  record jsonb, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_record_conforms_problem'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_conforms_problem(jsonb, @extschema@.lexicon, text, bool) IS
  'why record_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.record_must_conform(record jsonb, lexicons @extschema@.lexicon)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_must_conform' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_must_conform(jsonb, @extschema@.lexicon) IS
  'true if record_conforms with the same arguments is true, else an error; for constraints';

CREATE FUNCTION @extschema@.record_must_conform(
  record jsonb, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_must_conform' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.record_must_conform(jsonb, @extschema@.lexicon, text, bool) IS
  'true if record_conforms with the same arguments is true, else an error; for constraints';

CREATE FUNCTION @extschema@.dag_cbor_conforms(block bytea, lexicons @extschema@.lexicon)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_conforms'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_conforms(bytea, @extschema@.lexicon) IS
  'does the record in the block conform to the Lexicon of its $type? NULL if the lexicons cannot '
  'say';

CREATE FUNCTION @extschema@.dag_cbor_conforms(
  block bytea, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_conforms'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_conforms(bytea, @extschema@.lexicon, text, bool) IS
  'does the record in the block have this $type, and conform to its Lexicon? NULL if the lexicons '
  'cannot say';

CREATE FUNCTION @extschema@.dag_cbor_conforms_problem(block bytea, lexicons @extschema@.lexicon)
  RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_conforms_problem'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_conforms_problem(bytea, @extschema@.lexicon) IS
  'why dag_cbor_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.dag_cbor_conforms_problem(
  block bytea, lexicons @extschema@.lexicon, nsid text, lenient bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_dag_cbor_conforms_problem'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.dag_cbor_conforms_problem(bytea, @extschema@.lexicon, text, bool) IS
  'why dag_cbor_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.value_conforms(
  value jsonb, lexicons @extschema@.lexicon, ref text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_value_conforms' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.value_conforms(jsonb, @extschema@.lexicon, text, bool) IS
  'does the value conform to a definition, such as a.b.c or a.b.c#name? NULL if the lexicons '
  'cannot say';

CREATE FUNCTION @extschema@.value_conforms_problem(
  value jsonb, lexicons @extschema@.lexicon, ref text, lenient bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_value_conforms_problem'
  LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.value_conforms_problem(jsonb, @extschema@.lexicon, text, bool) IS
  'why value_conforms with the same arguments is false, and where; else NULL';

-- Not LEAKPROOF: a part that does not exist is an error.
CREATE FUNCTION @extschema@.xrpc_conforms(
  value jsonb, lexicons @extschema@.lexicon, nsid text, part text, lenient bool DEFAULT false
) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_xrpc_conforms' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.xrpc_conforms(jsonb, @extschema@.lexicon, text, text, bool) IS
  'does the value conform to a part of a query, procedure or subscription: parameters, input, '
  'output or message? NULL if the lexicons cannot say';

CREATE FUNCTION @extschema@.xrpc_conforms_problem(
  value jsonb, lexicons @extschema@.lexicon, nsid text, part text, lenient bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_xrpc_conforms_problem' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.xrpc_conforms_problem(
  jsonb, @extschema@.lexicon, text, text, bool
) IS
  'why xrpc_conforms with the same arguments is false, and where; else NULL';

CREATE FUNCTION @extschema@.record_key_conforms(key text, lexicons @extschema@.lexicon, nsid text)
  RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_record_key_conforms_lexicons'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.record_key_conforms(text, @extschema@.lexicon, text) IS
  'can a record of this type have this record key? NULL if the lexicons cannot say';

-- functions of operators, aggregates and operator classes

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
  AS 'MODULE_PATHNAME', 'atid_lexicon_hash_extended'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.lexicon_hash_extended(@extschema@.lexicon, bigint) IS 'hash';

CREATE FUNCTION @extschema@.lexicon_concat(@extschema@.lexicon, @extschema@.lexicon)
  RETURNS @extschema@.lexicon
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

-- functions of casts

CREATE FUNCTION @extschema@.lexicon_from_jsonb(document jsonb) RETURNS @extschema@.lexicon
  AS 'MODULE_PATHNAME', 'atid_lexicon_from_jsonb'
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.lexicon_from_jsonb(jsonb) IS
  'implementation of the cast from jsonb to lexicon';

CREATE FUNCTION @extschema@.lexicon_to_jsonb(lexicons @extschema@.lexicon) RETURNS jsonb
  AS 'MODULE_PATHNAME', 'atid_lexicon_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION @extschema@.lexicon_to_jsonb(@extschema@.lexicon) IS
  'implementation of the cast from lexicon to jsonb';

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
  LEFTARG = @extschema@.lexicon, RIGHTARG = @extschema@.lexicon,
  FUNCTION = @extschema@.lexicon_concat
);
COMMENT ON OPERATOR pg_catalog.|| (@extschema@.lexicon, @extschema@.lexicon) IS
  'the documents of both lexicons';

CREATE AGGREGATE @extschema@.lexicon_agg(@extschema@.lexicon) (
  SFUNC = @extschema@.lexicon_agg_transfn, STYPE = internal, SSPACE = 1048576,
  FINALFUNC = @extschema@.lexicon_agg_finalfn, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.lexicon_agg(@extschema@.lexicon) IS
  'the documents of all values as one';

-- operator classes

CREATE OPERATOR CLASS @extschema@.lexicon_ops DEFAULT FOR TYPE @extschema@.lexicon USING hash AS
  OPERATOR 1 pg_catalog.=,
  FUNCTION 1 @extschema@.lexicon_hash(@extschema@.lexicon),
  FUNCTION 2 @extschema@.lexicon_hash_extended(@extschema@.lexicon, bigint);
COMMENT ON OPERATOR CLASS @extschema@.lexicon_ops USING hash IS 'hash of lexicons';
COMMENT ON OPERATOR FAMILY @extschema@.lexicon_ops USING hash IS 'hash of lexicons';

-- casts

CREATE CAST (jsonb AS @extschema@.lexicon)
  WITH FUNCTION @extschema@.lexicon_from_jsonb(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS @extschema@.lexicon) IS
  'the lexicon of a document or an array of documents, in assignments too';

CREATE CAST (@extschema@.lexicon AS jsonb)
  WITH FUNCTION @extschema@.lexicon_to_jsonb(@extschema@.lexicon);
COMMENT ON CAST (@extschema@.lexicon AS jsonb) IS
  'the document of a lexicon, or the array of its documents';

------------------------------------------------------------------------------
-- repository
------------------------------------------------------------------------------

-- functions; those with options are not STRICT, so that a NULL option is its default

CREATE FUNCTION @extschema@.car_roots(car bytea, OUT n int, OUT cid @extschema@.cid_link)
  RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_car_roots' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION @extschema@.car_roots(bytea) IS 'the roots in the header of a CAR';

CREATE FUNCTION @extschema@.car_blocks(
  car bytea, verify bool DEFAULT true, OUT n int, OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_car_blocks_verify' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.car_blocks(bytea, bool) IS
  'the blocks of a CAR in their order; if verify, each is checked against its CID';

CREATE FUNCTION @extschema@.car_is_valid(car bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_car_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.car_is_valid(bytea) IS
  'are the bytes a CAR whose blocks all match their CIDs?';

CREATE FUNCTION @extschema@.car_problem(car bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_car_problem'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.car_problem(bytea) IS
  'why the bytes are not a valid CAR, and where; NULL if they are';

CREATE FUNCTION @extschema@.mst_key_depth(key text) RETURNS int
  AS 'MODULE_PATHNAME', 'atid_mst_key_depth' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION @extschema@.mst_key_depth(text) IS 'the level of a key in a tree';

CREATE FUNCTION @extschema@.mst_entries(
  car bytea, root @extschema@.cid_link DEFAULT NULL, partial bool DEFAULT false, OUT key text,
  OUT value @extschema@.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_mst_entries' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.mst_entries(bytea, @extschema@.cid_link, bool) IS
  'the entries of a tree in a CAR, verified, in the order of their keys';

CREATE FUNCTION @extschema@.mst_get(
  car bytea, root @extschema@.cid_link, key text, OUT state text, OUT cid @extschema@.cid_link,
  OUT block bytea
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_mst_get' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.mst_get(bytea, @extschema@.cid_link, text) IS
  'is a key in a tree: present, absent, or unknown, as the CAR shows it';

CREATE FUNCTION @extschema@.mst_diff(
  car_a bytea, root_a @extschema@.cid_link, car_b bytea, root_b @extschema@.cid_link, OUT key text,
  OUT old @extschema@.cid_link, OUT new @extschema@.cid_link
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_mst_diff' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.mst_diff(
  bytea, @extschema@.cid_link, bytea, @extschema@.cid_link
) IS
  'the keys that have different values in two trees';

CREATE FUNCTION @extschema@.mst_invert(
  car bytea, root @extschema@.cid_link, keys text[], olds @extschema@.cid_link[],
  news @extschema@.cid_link[]
) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_mst_invert' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.mst_invert(
  bytea, @extschema@.cid_link, text[], @extschema@.cid_link[], @extschema@.cid_link[]
) IS
  'the root that a tree had before these operations';

CREATE FUNCTION @extschema@.repo_commit(
  car bytea, OUT did @extschema@.did, OUT version int, OUT rev @extschema@.tid,
  OUT data @extschema@.cid_link, OUT prev @extschema@.cid_link, OUT sig bytea,
  OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_repo_commit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.repo_commit(bytea) IS 'the commit of the repository in a CAR';

CREATE FUNCTION @extschema@.repo_records(
  car bytea, partial bool DEFAULT false, OUT collection text, OUT rkey @extschema@.record_key,
  OUT cid @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_repo_records_partial' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.repo_records(bytea, bool) IS
  'the records of the repository in a CAR, with every hash and the tree verified';

CREATE FUNCTION @extschema@.repo_is_valid(car bytea) RETURNS bool
  AS 'MODULE_PATHNAME', 'atid_repo_is_valid'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.repo_is_valid(bytea) IS
  'is the CAR a full export of a repository, apart from the signature?';

CREATE FUNCTION @extschema@.repo_problem(car bytea) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_repo_problem'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.repo_problem(bytea) IS
  'why the CAR is not a full export of a repository, and where; NULL if it is';

-- functions of aggregates

CREATE FUNCTION @extschema@.car_agg_transfn(
  internal, root @extschema@.cid_link, cid @extschema@.cid_link, block bytea
) RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_car_agg_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.car_agg_transfn(
  internal, @extschema@.cid_link, @extschema@.cid_link, bytea
) IS
  'aggregate transition function';

CREATE FUNCTION @extschema@.car_agg_finalfn(internal) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_car_agg_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.car_agg_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION @extschema@.mst_root_transfn(internal, key text, value @extschema@.cid_link)
  RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_mst_root_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_root_transfn(internal, text, @extschema@.cid_link) IS
  'aggregate transition function';

CREATE FUNCTION @extschema@.mst_root_finalfn(internal) RETURNS @extschema@.cid_link
  AS 'MODULE_PATHNAME', 'atid_mst_root_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_root_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION @extschema@.mst_car_transfn(internal, key text, value @extschema@.cid_link)
  RETURNS internal
  AS 'MODULE_PATHNAME', 'atid_mst_car_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_car_transfn(internal, text, @extschema@.cid_link) IS
  'aggregate transition function';

CREATE FUNCTION @extschema@.mst_car_finalfn(internal) RETURNS bytea
  AS 'MODULE_PATHNAME', 'atid_mst_car_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.mst_car_finalfn(internal) IS 'aggregate final function';

-- aggregates; their final functions only read, so they serve as window functions too

CREATE AGGREGATE @extschema@.car_agg(
  root @extschema@.cid_link, cid @extschema@.cid_link, block bytea
) (
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
-- event
------------------------------------------------------------------------------

-- functions

CREATE FUNCTION @extschema@.frame_parts(
  frame bytea, OUT op bigint, OUT t text, OUT error text, OUT body bytea
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_frame_parts'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.frame_parts(bytea) IS
  'the header of a frame of an event stream, and its body';

CREATE FUNCTION @extschema@.commit_event(
  frame bytea, OUT seq bigint, OUT did @extschema@.did, OUT rev @extschema@.tid,
  OUT since @extschema@.tid, OUT commit @extschema@.cid_link, OUT prev_data @extschema@.cid_link,
  OUT blocks bytea, OUT "time" @extschema@.datetime
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_commit_event'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.commit_event(bytea) IS
  'the fields of a #commit, without its operations';

CREATE FUNCTION @extschema@.commit_event_ops(
  frame bytea, OUT action text, OUT collection text, OUT rkey @extschema@.record_key,
  OUT cid @extschema@.cid_link, OUT prev @extschema@.cid_link, OUT block bytea
) RETURNS SETOF record
  AS 'MODULE_PATHNAME', 'atid_commit_event_ops'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 1000 ROWS 1;
COMMENT ON FUNCTION @extschema@.commit_event_ops(bytea) IS
  'the operations of a #commit, with the blocks of their records';

CREATE FUNCTION @extschema@.sync_event(
  frame bytea, OUT seq bigint, OUT did @extschema@.did, OUT rev @extschema@.tid, OUT blocks bytea,
  OUT "time" @extschema@.datetime
) RETURNS record
  AS 'MODULE_PATHNAME', 'atid_sync_event'
  LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.sync_event(bytea) IS 'the fields of a #sync';

CREATE FUNCTION @extschema@.event_problem(
  frame bytea, not_after timestamptz DEFAULT NULL, prev_data_optional bool DEFAULT false
) RETURNS text
  AS 'MODULE_PATHNAME', 'atid_event_problem' LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION @extschema@.event_problem(bytea, timestamptz, bool) IS
  'why the bytes are no frame of an event stream, or what is untrue in its #commit or #sync, or '
  'NULL; the signature is not verified';

------------------------------------------------------------------------------
-- generator
------------------------------------------------------------------------------

-- the durable horizon; dumped with its value, which needs SELECT of whoever
-- dumps, and UPDATE of whoever restores

CREATE SEQUENCE @extschema@.generator_horizon MINVALUE 0 START 0;
COMMENT ON SEQUENCE @extschema@.generator_horizon IS
  'the time, in microseconds since 1970, below which identifiers may have been handed out';

SELECT pg_extension_config_dump('@extschema@.generator_horizon', '');

-- in a server where the extension was dropped, its streams still run: the new
-- horizon lies above them

CREATE FUNCTION @extschema@.generator_cover() RETURNS void
  AS 'MODULE_PATHNAME', 'atid_generator_cover' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

SELECT @extschema@.generator_cover();

DROP FUNCTION @extschema@.generator_cover();

-- functions

CREATE FUNCTION @extschema@.generator_state(
  OUT clock_id int,
  OUT last_tid @extschema@.tid,
  OUT last_v7 timestamptz,
  OUT ahead interval,
  OUT durable bool,
  OUT durable_until timestamptz,
  OUT since timestamptz
) AS 'MODULE_PATHNAME', 'atid_generator_state' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.generator_state() IS
  'the state of this database''s streams: clock id, last values, how far ahead of the clock, '
  'durable until when, since when';

CREATE FUNCTION @extschema@.generator_reset() RETURNS void
  AS 'MODULE_PATHNAME', 'atid_generator_reset' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.generator_reset() IS
  'restarts the generator at the current time; later values can be below earlier ones, or equal';

------------------------------------------------------------------------------
-- privileges
------------------------------------------------------------------------------

GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC;

-- The schema is not a member of the extension: pg_dump dumps it with what it
-- grants, like any other, and needs no initial privileges for that.
DELETE FROM pg_init_privs
WHERE objoid = '@extschema@'::regnamespace AND classoid = 'pg_namespace'::regclass
  AND current_setting('server_version_num')::int < 170000;

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
  bootstrap regrole := 10;
  owner regrole := (SELECT extowner FROM pg_extension WHERE extname = 'atid');
BEGIN
  EXECUTE format('ALTER SEQUENCE @extschema@.generator_horizon OWNER TO %s', bootstrap);
  EXECUTE format('ALTER FUNCTION @extschema@.generator_state() OWNER TO %s', bootstrap);
  EXECUTE format('ALTER FUNCTION @extschema@.generator_reset() OWNER TO %s', bootstrap);

  IF NOT pg_has_role(owner, 'pg_database_owner', 'USAGE') THEN
    EXECUTE format('GRANT UPDATE ON SEQUENCE @extschema@.generator_horizon TO %s', owner);
  END IF;
END
$$;

GRANT SELECT ON SEQUENCE @extschema@.generator_horizon TO PUBLIC;
GRANT UPDATE ON SEQUENCE @extschema@.generator_horizon TO pg_database_owner;

REVOKE ALL ON FUNCTION @extschema@.generator_state() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION @extschema@.generator_state() TO pg_monitor;

REVOKE ALL ON FUNCTION @extschema@.generator_reset() FROM PUBLIC;

-- Everybody may call the other functions and use the types, also in a database whose default
-- privileges keep new ones from PUBLIC.  The upgrade scripts have the same block, for which
-- others may have granted or revoked something since: it grants only where an object still has
-- exactly the privileges that its owner's defaults have given it.
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
