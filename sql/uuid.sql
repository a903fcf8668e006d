--
-- UUIDs of RFC 9562, as a role that was granted nothing and whose search_path
-- is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SET timezone = 'UTC';

-- Section 5.7: the fields of a version 7 UUID
CREATE FUNCTION version(uuid) RETURNS int LANGUAGE sql IMMUTABLE
RETURN get_byte(uuid_send($1), 6) >> 4;
CREATE FUNCTION variant(uuid) RETURNS int LANGUAGE sql IMMUTABLE
RETURN get_byte(uuid_send($1), 8) >> 6;
CREATE FUNCTION unix_ts_ms(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN ('x' || left(replace($1::text, '-', ''), 12))::bit(48)::bigint;
CREATE FUNCTION rand_a(uuid) RETURNS int LANGUAGE sql IMMUTABLE
RETURN ('x' || substr($1::text, 16, 3))::bit(12)::int;

-- Appendix A.6 fixes how the fields are laid out
SELECT version(u), variant(u), to_hex(unix_ts_ms(u)), to_hex(rand_a(u)),
       to_timestamp(unix_ts_ms(u) / 1000.0)
FROM (VALUES ('017F22E2-79B0-7CC3-98C4-DC0C0C07398F'::uuid)) v(u);

CREATE TABLE drawn AS
SELECT i, clock_timestamp() AS before, atid.uuid_generate_v7() AS u, clock_timestamp() AS after
FROM generate_series(1, 10000) i;
SELECT count(*), count(DISTINCT u), bool_and(version(u) = 7) AS version_7, bool_and(variant(u) = 2) AS variant_10
FROM drawn;
SELECT bool_and(rising) AS all_rise
FROM (SELECT u > lag(u) OVER (ORDER BY i) AS rising FROM drawn) s;

-- A later value is never below its own clock, and the fraction is the clock's:
-- of the calls that were not ahead of it, all lie between their bounds.
SELECT bool_and(unix_ts_ms(u) >= floor(extract(epoch FROM before) * 1000)) AS not_before,
       count(*) FILTER (WHERE unix_ts_ms(u) / 1000.0 + rand_a(u) / 4096000.0
                              <= extract(epoch FROM after) + 0.000001) > 9000 AS not_after
FROM drawn;
SELECT count(DISTINCT rand_a(u)) > 1000 AS fractions_vary,
       count(DISTINCT right(u::text, 12)) = 10000 AS rand_b_varies
FROM drawn;

-- rand_b: each of its 62 bits is set in about half of the values
SELECT count(*) AS bits, bool_and(share BETWEEN 0.4 AND 0.6) AS even
FROM (SELECT bit, avg(get_bit(uuid_send(u), bit)) AS share
      FROM drawn, generate_series(64, 127) bit
      WHERE bit NOT IN (70, 71)         -- the variant; get_bit counts from the right in each byte
      GROUP BY bit) s;

-- Shifted: the value moves and the stream does not
SELECT unix_ts_ms(atid.uuid_generate_v7('-1 day')) - unix_ts_ms(atid.uuid_generate_v7()) BETWEEN -86400001 AND -86300000 AS a_day_ago,
       unix_ts_ms(atid.uuid_generate_v7('1 day')) - unix_ts_ms(atid.uuid_generate_v7()) BETWEEN 86300000 AND 86400001 AS in_a_day,
       version(atid.uuid_generate_v7('1 day')) AS version, variant(atid.uuid_generate_v7('1 day')) AS variant;
SELECT bool_and(rising) AS all_rise, count(*)
FROM (SELECT u > lag(u) OVER (ORDER BY i) AS rising
      FROM (SELECT i, atid.uuid_generate_v7('123.456789 s') AS u FROM generate_series(1, 10000) i OFFSET 0) d) s;
SELECT bool_and(u < (SELECT atid.uuid_generate_v7())) AS stream_not_moved_back FROM drawn;
SELECT unix_ts_ms(atid.uuid_generate_v7()) < extract(epoch FROM clock_timestamp() + '1 hour') * 1000 AS stream_not_moved_on;

-- by the calendar of the session's time zone
SELECT abs(unix_ts_ms(atid.uuid_generate_v7('1 month')) / 1000.0
           - extract(epoch FROM clock_timestamp() + '1 month')) < 60 AS a_month;

-- out of range: before 1970, after 10889
SELECT atid.uuid_generate_v7('-1000 years');
SELECT atid.uuid_generate_v7('9000 years');
SELECT atid.uuid_generate_v7('200000 years');
SELECT atid.uuid_generate_v7('290000 years');
SELECT atid.uuid_generate_v7(NULL) IS NULL AS strict;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
