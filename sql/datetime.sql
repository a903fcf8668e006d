--
-- The domain atid.datetime and the functions about times, as a role that was
-- granted nothing and whose search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;

-- nothing below depends on these settings, as the repetition at the end shows
SET TimeZone = 'America/St_Johns';
SET DateStyle = 'SQL, DMY';
SET IntervalStyle = 'sql_standard';
CREATE FUNCTION utc(timestamptz) RETURNS text LANGUAGE sql
  RETURN to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC');

--
-- The valid examples of Lexicon's page, and the times that they name
--
CREATE TABLE valid (id int GENERATED ALWAYS AS IDENTITY, value text);
INSERT INTO valid (value) VALUES
  ('1985-04-12T23:20:50.123Z'), ('1985-04-12T23:20:50.123456Z'), ('1985-04-12T23:20:50.120Z'),
  ('1985-04-12T23:20:50.120000Z'), ('0001-01-01T00:00:00.000Z'), ('0000-01-01T00:00:00.000Z'),
  ('1985-04-12T23:20:50.12345678912345Z'), ('1985-04-12T23:20:50Z'), ('1985-04-12T23:20:50.0Z'),
  ('1985-04-12T23:20:50.123+00:00'), ('1985-04-12T23:20:50.123-07:00');

SELECT value, atid.datetime_is_valid(value) AS valid, utc(atid.datetime_to_timestamptz(value)),
       atid.datetime_or_null(value) = atid.datetime_to_timestamptz(value) AS same
FROM valid ORDER BY id;
SELECT value FROM valid WHERE value::atid.datetime::text <> value;

-- The year 0000 is the server's 1 BC
SELECT atid.datetime_to_timestamptz('0000-02-29T12:00:00Z')
     = '0001-02-29 12:00:00+00 BC'::timestamptz AS "1 BC";

--
-- The invalid ones: the domain refuses each
--
CREATE FUNCTION refusal(value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  broken text;
BEGIN
  PERFORM value::atid.datetime;
  RETURN 'none';
EXCEPTION WHEN check_violation THEN
  GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
  RETURN broken;
END $$;

-- Why a text is no datetime: SQLSTATE, message and detail
CREATE FUNCTION fault(value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  RETURN atid.datetime_to_timestamptz(value);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN concat(SQLSTATE, ' ', detail);
END $$;

CREATE TABLE invalid (id int GENERATED ALWAYS AS IDENTITY, value text);
INSERT INTO invalid (value) VALUES
  ('1985-04-12'), ('1985-04-12T23:20Z'), ('1985-04-12T23:20:5Z'), ('1985-04-12T23:20:50.123'),
  ('+001985-04-12T23:20:50.123Z'), ('23:20:50.123Z'), ('-1985-04-12T23:20:50.123Z'),
  ('1985-4-12T23:20:50.123Z'), ('01985-04-12T23:20:50.123Z'), ('1985-04-12T23:20:50.123+00'),
  ('1985-04-12T23:20:50.123+0000'), ('1985-04-12t23:20:50.123Z'), ('1985-04-12T23:20:50.123z'),
  ('1985-04-12T23:20:50.123-00:00'), ('1985-04-12 23:20:50.123Z'), ('1985-04-12T23:20:50.Z'),
  ('1985-04-12T23:20:50.123Z '), (''), ('infinity'), ('now'),
  ('1985-04-12T23:99:50.123Z'), ('1985-00-12T23:20:50.123Z'), ('1985-04-31T23:20:50.123Z'),
  ('1900-02-29T23:20:50.123Z'), ('1985-04-12T24:00:00Z'), ('2016-12-31T23:59:60Z'),
  ('1985-04-12T23:20:50.123+24:00'), ('1985-04-12T23:20:50.123+12:60'),
  ('0000-01-01T00:00:00+01:00'), ('9999-12-31T23:00:00-01:00');

SELECT value, refusal(value), fault(value) FROM invalid ORDER BY id;
SELECT value FROM invalid
WHERE atid.datetime_is_valid(value) OR atid.datetime_or_null(value) IS NOT NULL
   OR right(fault(value), -6) IS DISTINCT FROM atid.format_problem(value, 'datetime');

-- The messages
SELECT atid.datetime_to_timestamptz('1985-04-12T23:20:50');
SELECT atid.datetime_to_timestamptz('2023-02-29T00:00:00Z');
SELECT atid.datetime_to_timestamptz('0000-01-01T00:00:00+01:00');
SELECT '2023-02-29T00:00:00Z'::atid.datetime;

-- A message quotes 400 bytes at most, and no part of a character
\set VERBOSITY sqlstate
SELECT atid.datetime_to_timestamptz(repeat('ö', 1000000));
\set VERBOSITY default
SELECT fault(repeat('ö', 1000000));
CREATE FUNCTION message_bytes(value text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  PERFORM atid.datetime_to_timestamptz(value);
EXCEPTION WHEN OTHERS THEN
  RETURN octet_length(SQLERRM);
END $$;
SELECT message_bytes('x' || repeat('ö', 199)) AS "all 399",
       message_bytes('x' || repeat('ö', 200)) AS "of 401",
       message_bytes('x' || repeat('ö', 1000000)) AS "of 2000001";

-- Any number of digits is valid, and is cut
SELECT atid.datetime_to_timestamptz('2026-03-17T10:20:30.' || repeat('9', 1000000) || 'Z')
     = atid.datetime_to_timestamptz('2026-03-17T10:20:30.999999Z') AS cut;

--
-- Offsets that cross a day, a month, a year, a leap day
--
SELECT utc(atid.datetime_to_timestamptz(value)), value
FROM unnest(ARRAY['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00-01:00',
                  '2024-03-01T00:30:00+01:00', '2023-03-01T00:30:00+01:00',
                  '2000-02-28T23:59:59-00:01', '1970-01-01T00:00:00+00:01',
                  '1985-04-12T23:20:50+23:59', '1985-04-12T23:20:50-23:59']) AS value;

--
-- The server reads a datetime as the same time, except that it rounds
--
CREATE TABLE made AS
SELECT format('%s-%s-%sT%s:%s:%s.%s%s',
              lpad((i % 9998 + 1)::text, 4, '0'), lpad((i % 12 + 1)::text, 2, '0'),
              lpad((i % 28 + 1)::text, 2, '0'), lpad((i % 24)::text, 2, '0'),
              lpad((i % 60)::text, 2, '0'), lpad((i % 59)::text, 2, '0'),
              lpad((i::bigint * 7919 % 1000000)::text, 6, '0'),
              (ARRAY['Z', '+00:00', '-07:00', '+05:45', '+14:00', '-12:30'])[i % 6 + 1]) AS value
FROM generate_series(1, 20000) AS i;
SELECT value FROM made
WHERE atid.datetime_to_timestamptz(value) IS DISTINCT FROM value::timestamptz;
SELECT value::timestamptz - atid.datetime_to_timestamptz(value) AS "the server rounds up"
FROM (VALUES ('2026-03-17T10:20:30.9999999Z')) AS v (value);

-- Cutting keeps order: of times that differ in the seventh digit or later, none comes before an
-- earlier one
CREATE TABLE fine AS
SELECT n, format('%s:59.%sZ', minute, lpad(n::text, 9, '0')) AS value
FROM generate_series(0, 999999999, 33333) AS n,
     unnest(ARRAY['1969-12-31T23:59', '2026-03-17T10:20', '0000-01-01T00:00']) AS minute;
SELECT * FROM (
  SELECT value, lag(value) OVER w AS before,
         atid.datetime_to_timestamptz(value)
         < lag(atid.datetime_to_timestamptz(value)) OVER w AS falls
  FROM fine WINDOW w AS (ORDER BY value COLLATE "C")) pair
WHERE falls;

--
-- Back: microseconds and Z, always of one length
--
SELECT atid.datetime_from_timestamptz(t)
FROM unnest(ARRAY['2026-03-17 10:20:30+01', '1969-12-31 23:59:59.999999+00',
                  '0001-01-01 00:00:00+00 BC',
                  '9999-12-31 23:59:59.999999+00']::timestamptz[]) AS t;
SELECT value FROM made
WHERE atid.datetime_to_timestamptz(atid.datetime_from_timestamptz(value::timestamptz))
      <> value::timestamptz
   OR NOT atid.datetime_is_valid(atid.datetime_from_timestamptz(value::timestamptz));
SELECT a, b FROM (
  SELECT value::timestamptz AS a, lag(value::timestamptz) OVER w AS b
  FROM made
  WINDOW w AS (ORDER BY atid.datetime_from_timestamptz(value::timestamptz) COLLATE "C")) pair
WHERE a < b;

SELECT atid.datetime_from_timestamptz('infinity');
SELECT atid.datetime_from_timestamptz('-infinity');
SELECT atid.datetime_from_timestamptz(timestamptz '0002-12-31 23:59:59.999999+00 BC');
SELECT atid.datetime_from_timestamptz(timestamptz '10000-01-01 00:00:00+00');
SELECT atid.datetime_from_timestamptz('4714-11-24 00:00:00+00 BC');
SELECT atid.datetime_from_timestamptz('294276-12-31 23:59:59.999999+00');

--
-- Sloppy strings; t/types/datetime_oracles.pl compares them with others' answers
--
CREATE TABLE sloppy (id int GENERATED ALWAYS AS IDENTITY, value text);
INSERT INTO sloppy (value) VALUES
  ('1985-04-12T23:20:50.1239999Z'), ('1985-04-12T23:20:50+01:45'), ('2026-03-17'),
  ('2026-03-17T10:20'), ('2026-03-17T10:20:30'), ('2026-03-17t10:20:30.5z'),
  ('2026-03-17T10:20:30+0100'), ('2026-03-17T10:20:30-00:00'), ('2026-03-17 10:20:30.123456+00'),
  ('2026-03-17 10:20:30 UTC'), ('2026-03-17 10:20:30 +01:00'), ('Tue, 17 Mar 2026 10:20:30 GMT'),
  ('17 Mar 2026 10:20 -0700'), ('Tue Mar 17 2026 10:20 GMT+0100'),
  ('Tue Mar 17 2026 10:20:30 GMT+0100 (Central European Standard Time)');
SELECT value, atid.datetime_normalize(value) FROM sloppy ORDER BY id;
SELECT value
FROM unnest(ARRAY['', 'yesterday', '2026', '1773742830', '3/4/2026', '2026-02-30',
                  '2026-03-17 10:20:30+01', '2026-03-17T24:00:00Z', '17 Mar 26 10:20',
                  '0050-01-01', '10000-01-01']) AS value
WHERE atid.datetime_normalize_or_null(value) IS NOT NULL;
SELECT value FROM made
WHERE NOT atid.datetime_is_valid(atid.datetime_normalize(value))
   OR atid.datetime_normalize(atid.datetime_normalize(value)) <> atid.datetime_normalize(value)
   OR atid.datetime_to_timestamptz(atid.datetime_normalize(value))
      <> date_trunc('milliseconds', value::timestamptz)
   OR atid.datetime_normalize_or_null(value) <> atid.datetime_normalize(value);
SELECT atid.datetime_normalize('yesterday');
SELECT atid.datetime_normalize('2026-02-30');
SELECT atid.datetime_normalize('2026-03-17 10:20:30+01');
SELECT atid.datetime_normalize('Tue, 17 Mar 2026 10:20:30x');
SELECT atid.datetime_normalize('Tue, 17 Mar 2026 10:20:30 +9900');

--
-- sort_at: the lesser of the two
--
SELECT created, utc(indexed) AS indexed, utc(atid.sort_at(created, indexed)) AS sort_at
FROM (VALUES ('2026-03-17T10:20:30Z', timestamptz '2026-03-17 10:20:31+00'),
             ('2026-03-17T10:20:32Z', '2026-03-17 10:20:31+00'),
             ('9999-01-01T00:00:00Z', '2026-03-17 10:20:31+00'),
             ('1970-01-01T00:00:00Z', '2026-03-17 10:20:31+00'),
             ('1969-12-31T23:59:59.9999999Z', '2026-03-17 10:20:31+00'),
             ('0000-01-01T00:00:00Z', '2026-03-17 10:20:31+00'),
             ('1970-01-01T00:00:00+00:01', '2026-03-17 10:20:31+00'),
             ('2026-03-17', '2026-03-17 10:20:31+00'),
             ('', '2026-03-17 10:20:31+00'),
             (NULL, '2026-03-17 10:20:31+00'),
             ('2026-03-17T10:20:30Z', NULL),
             ('1969-12-31T00:00:00Z', NULL),
             ('soon', NULL),
             (NULL, NULL),
             ('2026-03-17T10:20:30Z', '1960-01-01 00:00:00+00')) AS t (created, indexed);
SELECT atid.sort_at('2026-03-17T10:20:30Z', 'infinity') = '2026-03-17 10:20:30+00' AS "no bound",
       atid.sort_at('2026-03-17T10:20:30Z', '-infinity') AS "lowest",
       atid.sort_at('soon', 'infinity') AS "only bound";

--
-- In generated columns, indexes and constraints
--
CREATE TABLE post (
  id int PRIMARY KEY,
  created text,
  indexed timestamptz NOT NULL,
  created_at timestamptz GENERATED ALWAYS AS (atid.datetime_or_null(created)) STORED,
  sort_at timestamptz NOT NULL GENERATED ALWAYS AS (atid.sort_at(created, indexed)) STORED
);
CREATE INDEX ON post (sort_at, id);
CREATE INDEX ON post (atid.datetime_or_null(created));
INSERT INTO post VALUES
  (1, '2026-03-17T10:20:00Z', '2026-03-17 10:20:01+00'),
  (2, '2026-03-17T10:20:00.5Z', '2026-03-17 10:20:01+00'),
  (3, '2030-01-01T00:00:00Z', '2026-03-17 10:20:02+00'),
  (4, NULL, '2026-03-17 10:20:03+00');
SELECT id, utc(created_at) AS created_at, utc(sort_at) AS sort_at FROM post ORDER BY sort_at;
ALTER TABLE post ADD CHECK (atid.datetime_is_valid(created));
INSERT INTO post VALUES (5, '2026-03-17', '2026-03-17 10:20:04+00');

-- NULL in, NULL out, except for sort_at
SELECT atid.datetime_is_valid(NULL), atid.datetime_to_timestamptz(NULL),
       atid.datetime_or_null(NULL),
       atid.datetime_from_timestamptz(NULL), atid.datetime_normalize(NULL),
       atid.datetime_normalize_or_null(NULL), NULL::atid.datetime;

-- Values that are compressed or stored out of line
CREATE TABLE toasted (value atid.datetime);
ALTER TABLE toasted ALTER value SET STORAGE EXTERNAL;
INSERT INTO toasted VALUES ('2026-03-17T10:20:30.' || repeat('1', 100000) || 'Z');
ALTER TABLE toasted ALTER value SET STORAGE EXTENDED;
INSERT INTO toasted VALUES ('2026-03-17T10:20:30.' || repeat('1', 100000) || 'Z');
SELECT utc(atid.datetime_to_timestamptz(value)) AS converted,
       utc(atid.sort_at(value, 'infinity')) AS sort_at,
       atid.datetime_normalize(value) AS normalized
FROM toasted;

--
-- Everything once more under other settings: no answer changes
--
CREATE TABLE answers AS
SELECT value, atid.datetime_or_null(value) AS t,
       atid.datetime_normalize_or_null(value) AS normalized,
       atid.sort_at(value, '2000-01-01 00:00:00+00') AS sort_at,
       atid.datetime_from_timestamptz(atid.datetime_or_null(value)) AS back
FROM (SELECT value FROM made UNION ALL SELECT value FROM valid
      UNION ALL SELECT value FROM invalid UNION ALL SELECT value FROM sloppy) v;
CREATE VIEW changed AS
SELECT value FROM answers
WHERE t IS DISTINCT FROM atid.datetime_or_null(value)
   OR normalized IS DISTINCT FROM atid.datetime_normalize_or_null(value)
   OR sort_at IS DISTINCT FROM atid.sort_at(value, '2000-01-01 00:00:00+00'::timestamptz)
   OR back IS DISTINCT FROM atid.datetime_from_timestamptz(t);
SET TimeZone = 'UTC';
SET DateStyle = 'ISO, MDY';
SET IntervalStyle = 'postgres';
SELECT * FROM changed;
SET TimeZone = 'Asia/Kolkata';
SET DateStyle = 'German, YMD';
SET IntervalStyle = 'iso_8601';
SELECT * FROM changed;
SET TimeZone = 'America/New_York';
SELECT * FROM changed;
SET TimeZone = '<x>-14';
SET DateStyle = 'Postgres, DMY';
SET IntervalStyle = 'postgres_verbose';
SELECT * FROM changed;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
