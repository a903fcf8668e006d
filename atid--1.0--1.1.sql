/* atid--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION atid UPDATE TO '1.1'" to load this file. \quit

-- As in atid--1.0.sql, every object is named with its schema, and operators and
-- the aggregates min and max go into pg_catalog.

------------------------------------------------------------------------------
-- address
------------------------------------------------------------------------------

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

------------------------------------------------------------------------------
-- repository
------------------------------------------------------------------------------
