--
-- The time encoder and decoder of TIDs, which pg_partman asks for;
-- t/057_partman.pl shows them with it.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
\set SHOW_CONTEXT never

-- Ordinary times and the ends of what the identifiers hold
CREATE TABLE times AS
SELECT t FROM unnest('{1970-01-01 00:00:00+00,1970-01-01 00:00:00.001+00,2026-03-01 00:00:00+00,
                       2026-03-17 10:20:30.123+00,2255-06-05 23:47:34.74+00}'::timestamptz[]) AS t;
SELECT t, atid.tid_time_encoder(t) AS tid FROM times ORDER BY t;

-- There and back
SELECT t FROM times
WHERE atid.tid_time_decoder(atid.tid_time_encoder(t)) IS DISTINCT FROM t;
SELECT t FROM generate_series(timestamptz '2020-01-01', '2030-01-01', '1 month') AS t
WHERE atid.tid_time_decoder(atid.tid_time_encoder(t)) IS DISTINCT FROM t;

-- An encoded time is a bound: identifiers generated before it are below it, later ones are not
SELECT t FROM times
WHERE atid.tid_time_encoder(t)::atid.tid IS DISTINCT FROM atid.tid_floor(t);

-- A generated identifier decodes to its time
SELECT atid.tid_time_decoder(id::text) = atid.tid_timestamp(id) AS tid
FROM atid.tid_generate() AS id;

-- The result is NULL for NULL and for values without such a time
SELECT value, atid.tid_time_decoder(value)
FROM unnest('{self,"",3JZFCIJPJ2Z2A,jzzzzzzzzzzzz,3jzfcijpj2z2aa,NULL}'::text[]) AS value;
SELECT atid.tid_time_encoder(NULL);

-- No TID holds this
SELECT atid.tid_time_encoder('1969-12-31 23:59:59.999999+00');

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
