--
-- UUIDs of RFC 9562, as a role that was granted nothing and whose search_path
-- is the default.  Sections and figures are those of the RFC.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SET timezone = 'UTC';
SET datestyle = 'ISO, YMD';

-- The fields, cut out of the bits as the figures of section 5 count them: this
-- shares no code with the extension.
CREATE FUNCTION bits(u uuid, first int, last int) RETURNS bit varying LANGUAGE sql IMMUTABLE
RETURN substring(('x' || replace(u::text, '-', ''))::bit(128) FROM first + 1 FOR last - first + 1);
CREATE FUNCTION field(u uuid, first int, last int) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN (repeat('0', 63 - last + first) || bits(u, first, last)::text)::bit(64)::bigint;
CREATE FUNCTION version(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN field($1, 48, 51);
CREATE FUNCTION variant(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN field($1, 64, 65);
CREATE FUNCTION clock_seq(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN field($1, 66, 79);
CREATE FUNCTION node(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN field($1, 80, 127);
CREATE FUNCTION ticks_v1(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN (field($1, 52, 63) << 48) | (field($1, 32, 47) << 32) | field($1, 0, 31);
CREATE FUNCTION ticks_v6(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN (field($1, 0, 31) << 28) | (field($1, 32, 47) << 12) | field($1, 52, 63);
CREATE FUNCTION unix_ts_ms(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN field($1, 0, 47);
CREATE FUNCTION rand_a(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN field($1, 52, 63);
CREATE FUNCTION ticks_v7(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN (unix_ts_ms($1) << 12) | rand_a($1);
CREATE FUNCTION rand_b(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN field($1, 66, 127);
CREATE FUNCTION state(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

--
-- Section 4: the representations
--
\set figure_1 '\'f81d4fae-7dec-11d0-a765-00a0c91e6bf6\'::uuid'
-- figure 2, the bit string: by cast of the hex digits, and back by that of the bytes
SELECT ('x' || encode(atid.uuid_to_bytes(:figure_1), 'hex'))::bit(128) AS figure_2;
SELECT atid.uuid_from_bytes(substr(bit_send(
         B'11111000000111010100111110101110011111011110110000010001110100001010011101100101'
         '000000001010000011001001000111100110101111110110'), 5)) AS from_figure_2;
-- figure 3, the unsigned integer
SELECT atid.uuid_to_numeric(:figure_1) AS figure_3,
       atid.uuid_from_numeric(329800735698586629295641978511506172918) AS from_figure_3;
-- figure 4, the URN
SELECT atid.uuid_to_urn(:figure_1) AS figure_4,
       atid.uuid_from_text('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6') AS from_figure_4;
-- the object identifier of X.667
SELECT atid.uuid_to_oid(:figure_1) AS oid,
       atid.uuid_from_text('2.25.329800735698586629295641978511506172918') AS from_oid;
SELECT atid.uuid_to_oid(atid.uuid_nil()) AS nil, atid.uuid_to_oid(atid.uuid_max()) AS max,
       atid.uuid_from_text('2.25.0') AS from_nil,
       atid.uuid_from_text('2.25.340282366920938463463374607431768211455') AS from_max;
-- a ULID, as the specification of ULIDs has it; the lowest, and the greatest
SELECT atid.uuid_from_text('01ARZ3NDEKTSV4RRFFQ69G5FAV') AS from_ulid,
       atid.uuid_to_ulid(atid.uuid_from_text('01arz3ndektsv4rrffq69g5fav')) AS ulid;
SELECT atid.uuid_to_ulid(atid.uuid_nil()) AS nil, atid.uuid_to_ulid(atid.uuid_max()) AS max,
       atid.uuid_from_text('7zzzzzzzzzzzzzzzzzzzzzzzzz') AS from_max;
-- the bytes; and those of a GUID, whose first three fields are little-endian
SELECT atid.uuid_to_bytes(:figure_1), atid.uuid_to_guid_bytes(:figure_1);
SELECT atid.uuid_from_bytes('\xf81d4fae7dec11d0a76500a0c91e6bf6'),
       atid.uuid_from_guid_bytes('\xae4f1df8ec7dd011a76500a0c91e6bf6');
SELECT atid.uuid_to_guid_bytes('00112233-4455-6677-8899-aabbccddeeff') AS guid_order,
       atid.uuid_from_guid_bytes('\x00112233445566778899aabbccddeeff') AS and_back;
SELECT atid.uuid_to_bytes(:figure_1) = uuid_send(:figure_1) AS as_the_server_sends_it;

-- texts: either case, braces, URN, bare hex
SELECT text, atid.uuid_from_text(text) = :figure_1 AS figure_1
FROM (VALUES
  ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
  ('F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'),
  ('{F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6}'),
  ('{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}'),
  ('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
  ('URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'),
  ('Urn:Uuid:f81d4faE-7Dec-11d0-A765-00a0c91E6bf6'),
  ('f81d4fae7dec11d0a76500a0c91e6bf6'),
  ('F81D4FAE7DEC11D0A76500A0C91E6BF6'),
  ('{f81d4fae7dec11d0a76500a0c91e6bf6}'),
  ('2.25.329800735698586629295641978511506172918')) v (text);
SELECT quote_literal(text) AS text, state(format('SELECT atid.uuid_from_text(%L)', text)) AS says
FROM (VALUES
  (''),
  ('{}'),
  (' f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
  ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6 '),
  ('f81d4fae-7dec-11d0-a765-00a0c91e6bf'),
  ('f81d4fae-7dec-11d0-a765-00a0c91e6bf66'),
  ('f81d4fae-7dec-11d0-a765-00a0c91e6bfg'),
  ('f81d-4fae-7dec-11d0-a765-00a0-c91e-6bf6'),
  ('f81d4fae7-dec-11d0-a765-00a0c91e6bf6'),
  ('f81d4fae_7dec_11d0_a765_00a0c91e6bf6'),
  ('{f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
  ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6}'),
  ('(f81d4fae-7dec-11d0-a765-00a0c91e6bf6)'),
  ('urn:uuid:f81d4fae7dec11d0a76500a0c91e6bf6'),
  ('urn:uuid:{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}'),
  ('uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
  ('urn:guid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
  (E'urn\x1Auuid\x1Af81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
  ('f81d4fae-7dec-11d0-a765-00a0c91e6bé'),
  ('2.25.'),
  ('2.25.01'),
  ('2.25.-1'),
  ('2.25.1.2'),
  ('{2.25.1}'),
  ('2.26.1'),
  ('2.25.340282366920938463463374607431768211456'),
  ('80000000000000000000000000'),
  ('01ARZ3NDEKTSV4RRFFQ69G5FA'),
  ('01ARZ3NDEKTSV4RRFFQ69G5FAV0'),
  ('01ARZ3NDEKTSV4RRFFQ69G5FAI'),
  ('01ARZ3NDEKTSV4RRFFQ69G5FAU'),
  ('01ARZ3NDEK-TSV4RRFFQ69G5FA')) v (text);
SELECT atid.uuid_from_text('f81d4fae-7dec');
-- an error quotes 400 bytes at most, and whole characters
SELECT length(state(format('SELECT atid.uuid_from_text(%L)', repeat('é', 500000)))) AS long,
       right(state(format('SELECT atid.uuid_from_text(%L)', repeat('é', 201))), 5) AS ends;

-- all bytes take part, in every representation and both ways
CREATE TABLE each_byte AS
SELECT overlay(repeat('00', 16) PLACING lpad(to_hex(value), 2, '0') FROM 2 * place + 1)::uuid AS u
FROM generate_series(0, 15) place, generate_series(1, 255) value;
SELECT count(*) AS tried, count(DISTINCT atid.uuid_to_numeric(u)) AS numerics FROM each_byte;
SELECT u AS not_itself, form, back
FROM each_byte, LATERAL (VALUES
  ('bytes', atid.uuid_from_bytes(atid.uuid_to_bytes(u))),
  ('guid_bytes', atid.uuid_from_guid_bytes(atid.uuid_to_guid_bytes(u))),
  ('numeric', atid.uuid_from_numeric(atid.uuid_to_numeric(u))),
  ('oid', atid.uuid_from_text(atid.uuid_to_oid(u))),
  ('urn', atid.uuid_from_text(atid.uuid_to_urn(u))),
  ('ulid', atid.uuid_from_text(atid.uuid_to_ulid(u))),
  ('ulid in lower case', atid.uuid_from_text(lower(atid.uuid_to_ulid(u)))),
  ('bare', atid.uuid_from_text(upper(replace(u::text, '-', ''))))) AS f (form, back)
WHERE back IS DISTINCT FROM u;
-- ULIDs are in the order of the UUIDs, and have 48 bits of milliseconds where version 7 has them
SELECT u AS not_in_order FROM (
  SELECT u, rank() OVER (ORDER BY u),
         rank() OVER (ORDER BY atid.uuid_to_ulid(u) COLLATE "C") AS by_ulid
  FROM each_byte) s WHERE rank <> by_ulid;
SELECT left(atid.uuid_to_ulid(atid.uuid_v7_floor('2016-07-30 23:54:10.259Z')), 10)
       AS time_of_the_ulid;
SELECT u AS not_that_oid FROM each_byte
WHERE atid.uuid_to_oid(u) IS DISTINCT FROM '2.25.' || atid.uuid_to_numeric(u);

-- the smallest and greatest integers
SELECT atid.uuid_to_numeric(atid.uuid_nil()) AS nil, atid.uuid_to_numeric(atid.uuid_max()) AS max,
       2::numeric ^ 128 - 1 = atid.uuid_to_numeric(atid.uuid_max()) AS two_to_the_128_less_1;
SELECT atid.uuid_from_numeric(0), atid.uuid_from_numeric(1.000), atid.uuid_from_numeric(4294967296),
       atid.uuid_from_numeric(340282366920938463463374607431768211455);
SELECT value, state(format('SELECT atid.uuid_from_numeric(%L)', value)) AS says
FROM (VALUES ('-1'), ('0.5'), ('-0.5'), ('340282366920938463463374607431768211455.5'),
             ('340282366920938463463374607431768211456'), ('1e1000'), ('NaN'), ('Infinity'),
             ('-Infinity')) v (value);
SELECT atid.uuid_from_numeric(-1);
SELECT state($$SELECT atid.uuid_from_numeric(('1e' || 131071)::numeric)$$) AS the_largest_numeric;

-- the lengths of bytes
SELECT f, length,
       state(format('SELECT atid.%s(%L)', f, decode(repeat('00', length), 'hex'))) AS says
FROM (VALUES (0), (15), (16), (17)) l (length),
     (VALUES ('uuid_from_bytes'), ('uuid_from_guid_bytes'), ('uuid_generate_v8')) f (f)
ORDER BY 1, 2;
SELECT atid.uuid_from_bytes('\x00');
SELECT state($$SELECT atid.uuid_from_bytes(decode(repeat('00', 3000000), 'hex'))$$) AS long;

--
-- Sections 4.1 and 4.2, tables 1 and 2
--
SELECT to_hex(digit) AS octet_8, atid.uuid_extract_variant(u) AS variant,
       atid.uuid_extract_version(u) AS version,
       atid.uuid_extract_timestamp(u) IS NOT NULL AS has_time
FROM generate_series(0, 15) digit,
     LATERAL (SELECT ('017f22e2-79b0-7cc3-' || to_hex(digit) || '8c4-dc0c0c07398f')::uuid) AS l (u)
ORDER BY digit;
SELECT atid.uuid_extract_version(u) AS version, pg_typeof(atid.uuid_extract_version(u)) AS type,
       atid.uuid_extract_variant(u) AS variant, atid.uuid_extract_timestamp(u) AS "timestamp"
FROM generate_series(0, 15) digit,
     LATERAL (SELECT ('017f22e2-79b0-' || to_hex(digit) || 'cc3-98c4-dc0c0c07398f')::uuid) AS l (u)
ORDER BY digit;
-- figure 5
SELECT u, atid.uuid_extract_version(u) AS version, atid.uuid_extract_variant(u) AS variant
FROM unnest('{00000000-0000-4000-8000-000000000000, 00000000-0000-4000-9000-000000000000,
              00000000-0000-4000-A000-000000000000,
              00000000-0000-4000-B000-000000000000}'::uuid[]) u;

-- Sections 5.9 and 5.10, figures 13 and 14: nil and max have other variants, and no version
SELECT u, atid.uuid_extract_version(u) AS version, atid.uuid_extract_variant(u) AS variant,
       atid.uuid_extract_timestamp(u) AS "timestamp"
FROM (VALUES (atid.uuid_nil()), (atid.uuid_max())) v (u);

-- Section 6.6, table 3: the namespaces
SELECT atid.uuid_ns_dns() AS dns, atid.uuid_ns_url() AS url;
SELECT atid.uuid_ns_oid() AS oid, atid.uuid_ns_x500() AS x500;

--
-- Appendix A and B: the test vectors, each field of each
--
CREATE TABLE vector (section text, u uuid);
INSERT INTO vector VALUES
  ('A.1', 'C232AB00-9414-11EC-B3C8-9F6BDECED846'),
  ('A.2', '5df41881-3aed-3515-88a7-2f4a814cf09e'),
  ('A.3', '919108f7-52d1-4320-9bac-f847db4148a8'),
  ('A.4', '2ed6657d-e927-568b-95e1-2665a8aea6a2'),
  ('A.5', '1EC9414C-232A-6B00-B3C8-9F6BDECED846'),
  ('A.6', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'),
  ('B.1', '2489E9AD-2EE2-8E00-8EC9-32D5F69181C0'),
  ('B.2', '5c146b14-3c52-8afd-938a-375d0df1fbf6');
SELECT section, atid.uuid_extract_version(u) AS version, atid.uuid_extract_variant(u) AS variant,
       version(u) = atid.uuid_extract_version(u) AS version_is_the_bits, variant(u) AS variant_bits,
       atid.uuid_extract_timestamp(u) AS "timestamp"
FROM vector ORDER BY section;

-- A.1 and A.5: time_low, time_mid, time_high; clock_seq 0b11, 0x3C8; node
SELECT section, to_hex(field(u, 0, 31)) AS first_32, to_hex(field(u, 32, 47)) AS next_16,
       to_hex(field(u, 52, 63)) AS last_12, to_hex(clock_seq(u)) AS clock_seq,
       to_hex(node(u)) AS node,
       to_hex(CASE version(u) WHEN 1 THEN ticks_v1(u) ELSE ticks_v6(u) END) AS "timestamp"
FROM vector WHERE section IN ('A.1', 'A.5') ORDER BY section;
SELECT a1.u AS a_1, atid.uuid_v1_to_v6(a1.u) AS a_1_to_v6,
       atid.uuid_v1_to_v6(a1.u) = a5.u AS is_a_5,
       atid.uuid_v6_to_v1(a5.u) = a1.u AS a_5_to_v1_is_a_1
FROM vector a1, vector a5 WHERE a1.section = 'A.1' AND a5.section = 'A.5';

-- A.2: v3 of www.example.com; A.4: v5; B.2: v8 with SHA-256.  Figure 29 has 0b00
-- before B.2's last 60 bits, which is a slip: its hash and its final value have 01.
SELECT atid.uuid_generate_v3(atid.uuid_ns_dns(), 'www.example.com') AS a_2;
SELECT atid.uuid_generate_v5(atid.uuid_ns_dns(), 'www.example.com') AS a_4;
SELECT atid.uuid_generate_v8(atid.uuid_ns_dns(), 'www.example.com') AS b_2;
SELECT to_hex(field(u, 0, 47)) AS high, to_hex(field(u, 52, 63)) AS mid,
       bits(u, 66, 67) AS low_2, to_hex(field(u, 68, 127)) AS low_60
FROM vector WHERE section IN ('A.2', 'A.4', 'B.2') ORDER BY section;
-- the hashes that they come from, by the server, with the digits M and N as in figures 19, 24
-- and 30
SELECT hash, section,
       overlay(overlay(left(hex, 32) PLACING m FROM 13 FOR 1) PLACING n FROM 17 FOR 1)::uuid
       = (SELECT u FROM vector v WHERE v.section = t.section) AS same
FROM (SELECT '\x6ba7b8109dad11d180b400c04fd430c8'::bytea || 'www.example.com'::bytea) d (hashed),
     LATERAL (VALUES ('MD5', 'A.2', md5(hashed), '3', '8'),
                     ('SHA-256', 'B.2', encode(sha256(hashed), 'hex'), '8', '9')
             ) t (hash, section, hex, m, n);

-- A.3: the random bits of the example; B.1: the custom ones
SELECT to_hex(field(u, 0, 47)) AS random_a, to_hex(field(u, 52, 63)) AS random_b,
       bits(u, 66, 67) AS random_c_2, to_hex(field(u, 68, 127)) AS random_c_60
FROM vector WHERE section IN ('A.3', 'B.1') ORDER BY section;
-- v8(bytea) overwrites version and variant and nothing else
SELECT atid.uuid_generate_v8('\x2489E9AD2EE20E000EC932D5F69181C0') AS b_1,
       atid.uuid_generate_v8('\x00000000000000000000000000000000') AS zeros,
       atid.uuid_generate_v8('\xffffffffffffffffffffffffffffffff') AS ones;

-- A.6: unix_ts_ms, rand_a, rand_b
SELECT to_hex(unix_ts_ms(u)) AS unix_ts_ms, unix_ts_ms(u), to_hex(rand_a(u)) AS rand_a,
       to_hex(rand_b(u)) AS rand_b,
       atid.uuid_v7_to_timestamptz(u), atid.uuid_extract_timestamp_precise(u)
FROM vector WHERE section = 'A.6';

--
-- Names (section 6.5): texts hash as UTF-8, bytea as it is
--
SELECT atid.uuid_generate_v3(ns, name) = atid.uuid_generate_v3(ns, convert_to(name, 'UTF8')) AS v3,
       atid.uuid_generate_v5(ns, name) = atid.uuid_generate_v5(ns, convert_to(name, 'UTF8')) AS v5,
       atid.uuid_generate_v8(ns, name) = atid.uuid_generate_v8(ns, convert_to(name, 'UTF8')) AS v8
FROM (VALUES (atid.uuid_ns_url(), 'https://例え.jp/é')) v (ns, name);
-- an untyped literal is a text; a name in bytes needs a cast
SELECT atid.uuid_generate_v5(atid.uuid_ns_dns(), '\x41') AS text,
       atid.uuid_generate_v5(atid.uuid_ns_dns(), '\x41'::bytea) AS bytea,
       atid.uuid_generate_v5(atid.uuid_ns_dns(), 'A') AS a;
-- their known values, by uuid-ossp and by Python's module uuid
SELECT atid.uuid_generate_v3(atid.uuid_ns_dns(), 'python.org') AS v3,
       atid.uuid_generate_v5(atid.uuid_ns_dns(), 'python.org') AS v5;
-- empty, with a zero octet, long enough to be compressed and stored apart
SELECT atid.uuid_generate_v5(ns, '') = atid.uuid_generate_v5(ns, ''::bytea) AS empty,
       atid.uuid_generate_v5(ns, 'a'::bytea)
       <> atid.uuid_generate_v5(ns, '\x6100'::bytea) AS zero_octet
FROM atid.uuid_ns_dns() ns;
CREATE TABLE name (n text);
INSERT INTO name VALUES (repeat('long ', 100000));
SELECT atid.uuid_generate_v3(nil, n) = atid.uuid_generate_v3(nil, convert_to(n, 'UTF8')) AS v3,
       overlay(overlay(md5(uuid_send(nil) || convert_to(n, 'UTF8'))
                       PLACING '3' FROM 13) PLACING '0' FROM 17)
       = overlay(replace(atid.uuid_generate_v3(nil, n)::text, '-', '') PLACING '0' FROM 17) AS md5
FROM name, atid.uuid_nil() nil;
-- a namespace of any kind, and each kind of string
SELECT count(DISTINCT atid.uuid_generate_v5(ns, name)) AS different
FROM (VALUES (atid.uuid_nil()), (atid.uuid_max()), (atid.uuid_ns_oid())) a (ns),
     (VALUES ('a'), ('b'), ('')) b (name);
SELECT atid.uuid_generate_v5(ns, 'x'::varchar) = atid.uuid_generate_v5(ns, 'x') AS varchar,
       atid.uuid_generate_v5(ns, 'x'::name) = atid.uuid_generate_v5(ns, 'x') AS name
FROM atid.uuid_ns_dns() ns;
-- they are immutable: an index, a generated column
CREATE TABLE page (
  url text,
  id uuid GENERATED ALWAYS AS (atid.uuid_generate_v5(atid.uuid_ns_url(), url)) STORED
);
CREATE INDEX ON page (atid.uuid_generate_v8(atid.uuid_ns_url(), url));
INSERT INTO page VALUES ('https://example.com/');
SELECT * FROM page;

--
-- Times: ends and errors
--
-- v1 and v6: 60 bits of 100 ns since 1582-10-15.  Section 6.1 says that they last
-- until 5623; 2^60 * 100 ns are 3653 years, so it is 5236, a slip of the pen.
SELECT atid.uuid_extract_timestamp(u) AS "timestamp",
       atid.uuid_extract_timestamp_precise(u) AS precise,
       CASE version(u) WHEN 1 THEN ticks_v1(u) ELSE ticks_v6(u) END AS ticks
FROM unnest('{00000000-0000-1000-8000-000000000000, 00000000-0000-6000-8000-000000000000,
              ffffffff-ffff-1fff-bfff-ffffffffffff, ffffffff-ffff-6fff-bfff-ffffffffffff,
              13814000-1dd2-11b2-8000-000000000000, 1b21dd21-3814-6000-8000-000000000000,
              13813fff-1dd2-11b2-8000-000000000000,
              1b21dd21-3813-6fff-8000-000000000000}'::uuid[]) u;
-- v7: 48 bits of milliseconds since 1970-01-01, until 10889
SELECT atid.uuid_extract_timestamp(u) AS "timestamp",
       atid.uuid_v7_to_timestamptz(u) = atid.uuid_extract_timestamp(u) AS same,
       atid.uuid_extract_timestamp_precise(u) AS precise
FROM unnest('{00000000-0000-7000-8000-000000000000, 00000000-0000-7fff-bfff-ffffffffffff,
              ffffffff-ffff-7000-8000-000000000000,
              ffffffff-ffff-7fff-bfff-ffffffffffff}'::uuid[]) u;
-- section 6.2, method 3: 0.4567 ms * 4096 is 0x74E, and 0x74E of 4096 is 456 us and a little
SELECT atid.uuid_extract_timestamp_precise('017f22e2-79b0-774e-8000-000000000000');

SELECT t, atid.uuid_v7_floor(t), atid.uuid_v7_ceil(t), atid.uuid_timestamptz_to_v7(t, true) AS zero
FROM (VALUES ('1970-01-01 00:00:00Z'::timestamptz), ('1970-01-01 00:00:00.000999Z'),
             ('1970-01-01 00:00:00.001Z'), ('2022-02-22 19:22:22Z'), ('10889-08-02 05:31:50.655Z'),
             ('10889-08-02 05:31:50.655999Z')) v (t);
SELECT t, atid.uuid_v7_floor(t), atid.uuid_v7_ceil(t)
FROM (VALUES ('-infinity'::timestamptz), ('infinity')) v (t);
SELECT t, f, state(format('SELECT atid.%s(%L)', f, t)) AS says
FROM (VALUES (1, '1969-12-31 23:59:59.999999+00'), (2, '4713-01-01 00:00:00+00 BC'),
             (3, '10889-08-02 05:31:50.656+00'), (4, '294276-12-31 23:59:59.999999+00'),
             (5, '-infinity'), (6, 'infinity')) v (i, t),
     (VALUES ('uuid_v7_floor'), ('uuid_v7_ceil'), ('uuid_v7_make'), ('uuid_timestamptz_to_v7'),
             ('uuid_timestamp_to_v7')) f (f)
WHERE i < 5 OR f NOT IN ('uuid_v7_floor', 'uuid_v7_ceil')
ORDER BY f, i;
SELECT atid.uuid_v7_floor('1969-12-31Z');

-- a v7 of a time: random but for the time, unless zeros are asked for
CREATE TABLE of_a_time AS
SELECT 'timestamptz' AS f, atid.uuid_timestamptz_to_v7('2024-02-29 12:34:56.789999Z') AS u
FROM generate_series(1, 1000)
UNION ALL
SELECT 'timestamp', atid.uuid_timestamp_to_v7('2024-02-29 12:34:56.789999')
FROM generate_series(1, 1000);
SELECT f, count(DISTINCT u) AS different, count(DISTINCT unix_ts_ms(u)) AS times,
       min(atid.uuid_extract_timestamp(u)) AS time, count(DISTINCT rand_a(u)) > 500 AS rand_a_varies
FROM of_a_time GROUP BY f ORDER BY f;
SELECT f, u AS invalid_or_outside FROM of_a_time
WHERE (version(u) = 7 AND variant(u) = 2
       AND u BETWEEN atid.uuid_v7_floor('2024-02-29 12:34:56.789Z')
                 AND atid.uuid_v7_ceil('2024-02-29 12:34:56.789Z')) IS NOT TRUE;
SELECT atid.uuid_timestamptz_to_v7('2024-02-29 12:34:56.789Z', zero => true),
       atid.uuid_timestamptz_to_v7("time" => '2024-02-29 12:34:56.789Z', zero => true)
       = atid.uuid_v7_floor('2024-02-29 12:34:56.789Z') AS is_floor;

-- a time without a zone is UTC, whatever the session's is
SET timezone = 'Asia/Tokyo';
SELECT atid.uuid_timestamp_to_v7('2023-01-02 04:26:40.637', true) AS v7,
       atid.uuid_v7_to_timestamp('018570bb-4a7d-7000-8000-000000000000') AS "timestamp",
       atid.uuid_v7_to_timestamptz('018570bb-4a7d-7000-8000-000000000000') AS timestamptz,
       atid.uuid_timestamp_to_v7(zero => true, "time" => '2023-01-02 04:26:40.637')
       = atid.uuid_timestamptz_to_v7('2023-01-02 04:26:40.637Z', true) AS same;
SET timezone = 'UTC';

-- a v7 with its microseconds: each comes back, and later ones are greater
CREATE TABLE made AS
SELECT t, atid.uuid_v7_make(t) AS u
FROM generate_series(0, 3000) us, LATERAL (
  SELECT '2024-02-29 12:34:56.789Z'::timestamptz + us * interval '1 us') l (t);
SELECT count(DISTINCT (unix_ts_ms(u), rand_a(u))) AS times, count(DISTINCT rand_b(u)) AS rand_b
FROM made;
SELECT t, u AS invalid_or_another_time FROM made
WHERE (version(u) = 7 AND variant(u) = 2 AND atid.uuid_extract_timestamp_precise(u) = t
       AND rand_a(u) = ceil(extract(microseconds FROM t)::int % 1000 * 4.096)) IS NOT TRUE;
SELECT t, u AS not_rising FROM (SELECT *, lag(u) OVER (ORDER BY t) FROM made) s WHERE u <= lag;
SELECT t, atid.uuid_extract_timestamp_precise(atid.uuid_v7_make(t)) AS back,
       left(atid.uuid_v7_make(t)::text, 18) AS begins
FROM (VALUES ('1970-01-01 00:00:00Z'::timestamptz), ('1970-01-01 00:00:00.000001Z'),
             ('1970-01-01 00:00:00.000999Z'), ('2022-02-22 19:22:22.000456Z'),
             ('10889-08-02 05:31:50.655999Z')) v (t);

-- conversions are for their versions only
SELECT f, version, state(format('SELECT atid.%s(%L)', f, u)) AS says
FROM (VALUES ('uuid_v1_to_v6'), ('uuid_v6_to_v1'), ('uuid_v7_to_timestamptz'),
             ('uuid_v7_to_timestamp')) f (f),
     (VALUES (0), (1), (6), (7), (15)) v (version),
     LATERAL (SELECT format('017f22e2-79b0-%scc3-98c4-dc0c0c07398f', to_hex(version))) l (u)
ORDER BY 1, 2;
SELECT atid.uuid_v1_to_v6('c232ab00-9414-11ec-c3c8-9f6bdeced846');
SELECT atid.uuid_v6_to_v1(atid.uuid_nil());
SELECT atid.uuid_v7_to_timestamptz(atid.uuid_max());
-- each bit of the time; all other bits are unchanged
CREATE TABLE each_bit AS
SELECT bit, atid.uuid_from_bytes(
         set_bit('\x00000000000010008000000000000000'::bytea, bit, 1)) AS v1
FROM generate_series(0, 127) bit WHERE bit NOT IN (52, 53, 54, 55, 70, 71);
SELECT count(*) AS bits, count(DISTINCT atid.uuid_v1_to_v6(v1)) AS different FROM each_bit;
SELECT bit, v1, what AS not_kept
FROM each_bit, atid.uuid_v1_to_v6(v1) v6, LATERAL (VALUES
  ('time', ticks_v6(v6) = ticks_v1(v1)),
  ('time, extracted', atid.uuid_extract_timestamp(v6) = atid.uuid_extract_timestamp(v1)),
  ('the rest', bits(v6, 64, 127) = bits(v1, 64, 127)),
  ('all, and back', atid.uuid_v6_to_v1(v6) = v1)) c (what, holds)
WHERE holds IS NOT TRUE;

--
-- Ranges: floor prunes partitions and is a bound of an index
--
CREATE TABLE event (id uuid NOT NULL, what text) PARTITION BY RANGE (id);
-- bounds are expressions, computed once when the partition is made
CREATE TABLE event_2024_01 PARTITION OF event
  FOR VALUES FROM (atid.uuid_v7_floor('2024-01-01Z')) TO (atid.uuid_v7_floor('2024-02-01Z'));
CREATE TABLE event_2024_02 PARTITION OF event
  FOR VALUES FROM (atid.uuid_v7_floor('2024-02-01Z')) TO (atid.uuid_v7_floor('2024-03-01Z'));
CREATE TABLE event_later PARTITION OF event
  FOR VALUES FROM (atid.uuid_v7_floor('2024-03-01Z')) TO (MAXVALUE);
INSERT INTO event
SELECT atid.uuid_timestamptz_to_v7(t), t::text
FROM (VALUES ('2024-01-01 00:00:00.000Z'::timestamptz), ('2024-01-31 23:59:59.999999Z'),
             ('2024-02-01 00:00:00.000Z'), ('2024-02-29 23:59:59.999999Z'),
             ('2024-03-01 00:00:00.000Z')) v (t);
SELECT tableoid::regclass AS partition, what FROM event ORDER BY id;
EXPLAIN (COSTS OFF)
SELECT * FROM event
WHERE id >= atid.uuid_v7_floor('2024-02-01Z') AND id < atid.uuid_v7_floor('2024-03-01Z');
-- a day ends where the next begins; ceil is for ranges that include both ends
SELECT what FROM event
WHERE id >= atid.uuid_v7_floor('2024-01-31Z') AND id < atid.uuid_v7_floor('2024-02-02Z')
ORDER BY id;
SELECT what FROM event
WHERE id BETWEEN atid.uuid_v7_floor('2024-01-31Z') AND atid.uuid_v7_ceil('2024-02-01Z') ORDER BY id;
INSERT INTO event VALUES (atid.uuid_v7_floor('2023-12-31 23:59:59.999Z'));

CREATE TABLE log (id uuid PRIMARY KEY);
INSERT INTO log
SELECT atid.uuid_timestamptz_to_v7('2024-01-01Z'::timestamptz + i * interval '1 min', true)
FROM generate_series(0, 9999) i;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF)
SELECT count(*) FROM log
WHERE id >= atid.uuid_v7_floor('2024-01-02Z') AND id < atid.uuid_v7_floor('2024-01-03Z');
SELECT count(*) FROM log
WHERE id >= atid.uuid_v7_floor('2024-01-02Z') AND id < atid.uuid_v7_floor('2024-01-03Z');
RESET enable_seqscan;
RESET enable_bitmapscan;

--
-- Generating
--

-- v4: random in 122 bits, each of them set in about half of the values
CREATE TABLE random AS SELECT atid.uuid_generate_v4() AS u FROM generate_series(1, 10000);
SELECT count(DISTINCT u) FROM random;
SELECT u AS not_a_v4 FROM random
WHERE (version(u) = 4 AND variant(u) = 2 AND bits(u, 2, 47) <> bits(u, 66, 111)) IS NOT TRUE
   OR atid.uuid_extract_timestamp(u) IS NOT NULL;
SELECT bit AS uneven, avg(bits(u, bit, bit)::text::int)
FROM random, generate_series(0, 127) bit
WHERE bit NOT IN (48, 49, 50, 51, 64, 65)
GROUP BY bit HAVING avg(bits(u, bit, bit)::text::int) NOT BETWEEN 0.4 AND 0.6;

-- v1 and v6: one stream of time, one random node and clock sequence, the multicast bit set
-- (section 6.10); v1mc with a node of its own, for multicast and locally administered
CREATE TABLE gregorian AS
SELECT i, clock_timestamp() AS before, atid.uuid_generate_v1() AS v1, atid.uuid_generate_v6() AS v6,
       atid.uuid_generate_v1mc() AS v1mc, clock_timestamp() AS after
FROM generate_series(1, 10000) i;
SELECT count(DISTINCT v1) AS v1, count(DISTINCT v6) AS v6, count(DISTINCT v1mc) AS v1mc,
       count(DISTINCT (clock_seq(v1), node(v1))) AS nodes,
       count(DISTINCT clock_seq(v1mc)) AS clock_seqs_of_v1mc,
       count(DISTINCT node(v1mc)) AS nodes_of_v1mc
FROM gregorian;
SELECT i, what AS not_so, v1, v6, v1mc, before
FROM (SELECT *, lag(v1mc) OVER (ORDER BY i) AS lag FROM gregorian) g, LATERAL (VALUES
  ('v1 valid', version(v1) = 1 AND variant(v1) = 2),
  ('v6 valid', version(v6) = 6 AND variant(v6) = 2),
  ('v1mc valid', version(v1mc) = 1 AND variant(v1mc) = 2),
  ('same node', clock_seq(v1) = clock_seq(v6) AND node(v1) = node(v6)),
  ('same clock sequence', clock_seq(v1) = clock_seq(v1mc)),
  ('multicast', field(v1, 87, 87) = 1 AND field(v1mc, 86, 87) = 3),
  -- drawn in this order
  ('v1 above the last', i = 1 OR ticks_v1(v1) > ticks_v1(lag)),
  ('v6 above v1', ticks_v6(v6) > ticks_v1(v1) AND v6 > atid.uuid_v1_to_v6(v1)),
  ('v1mc above v6', ticks_v1(v1mc) > ticks_v6(v6)),
  -- not before the call, or the next tick where the clock was set back
  ('time of v1', atid.uuid_extract_timestamp(v1) >= before
                 OR ticks_v1(v1) = ticks_v1(lag) + 1),
  ('time of v6', atid.uuid_extract_timestamp(v6) >= before
                 OR ticks_v6(v6) = ticks_v1(v1) + 1)) c (what, holds)
WHERE holds IS NOT TRUE LIMIT 10;
-- each bit of the random nodes is set in about half of them
SELECT bit AS uneven, avg(bits(v1mc, bit, bit)::text::int)
FROM gregorian, generate_series(80, 127) bit WHERE bit NOT IN (86, 87)
GROUP BY bit HAVING avg(bits(v1mc, bit, bit)::text::int) NOT BETWEEN 0.4 AND 0.6;
-- not after the call either, but in a row during which the clock was set back
SELECT count(*) < 10 AS not_after
FROM gregorian
WHERE atid.uuid_extract_timestamp(v6) > after AND ticks_v6(v6) <> ticks_v1(v1) + 1;

-- v7
CREATE TABLE drawn AS
SELECT i, clock_timestamp() AS before, atid.uuid_generate_v7() AS u, clock_timestamp() AS after
FROM generate_series(1, 10000) i;
SELECT count(*), count(DISTINCT u) FROM drawn;
-- A later value is never below its own clock, unless that was set back: then it is the next tick.
-- Its time is that of the fraction, rounded down to the microsecond.
SELECT i, u, what AS not_so, before
FROM (SELECT *, lag(u) OVER (ORDER BY i) AS lag, atid.uuid_extract_timestamp(u) AS ms,
             atid.uuid_extract_timestamp_precise(u) AS us FROM drawn) d, LATERAL (VALUES
  ('valid', version(u) = 7 AND variant(u) = 2),
  ('rises', i = 1 OR u > lag),
  ('field not before', ticks_v7(u) = ticks_v7(lag) + 1
                       OR unix_ts_ms(u) >= floor(extract(epoch FROM before) * 1000)),
  ('time not before', ticks_v7(u) = ticks_v7(lag) + 1
                      OR ms >= date_trunc('milliseconds', before)),
  ('precise not before', ticks_v7(u) = ticks_v7(lag) + 1 OR us >= before - interval '1 us'),
  ('same millisecond', ms = date_trunc('milliseconds', us)),
  ('same time', atid.uuid_v7_to_timestamptz(u) = ms),
  ('within', u BETWEEN atid.uuid_v7_floor(ms) AND atid.uuid_v7_ceil(ms)),
  ('precise', extract(epoch FROM us) * 1000000
              = unix_ts_ms(u) * 1000 + rand_a(u) * 1000 / 4096)) c (what, holds)
WHERE holds IS NOT TRUE LIMIT 10;
-- The fraction is the clock's: with time between them, calls lie between their bounds, or on the
-- tick after the last where the clock was set back.
CREATE TABLE apart AS
SELECT i, pg_sleep(0.0002)::text AS pause, clock_timestamp() AS before,
       atid.uuid_generate_v7() AS u,
       clock_timestamp() AS after
FROM generate_series(1, 200) i;
SELECT i, u, after AS not_after
FROM (SELECT *, lag(u) OVER (ORDER BY i) FROM apart) a
WHERE (ticks_v7(u) / 4096000.0 > extract(epoch FROM after) + 0.000001
       OR atid.uuid_extract_timestamp_precise(u) > after)
  AND ticks_v7(u) IS DISTINCT FROM ticks_v7(lag) + 1
LIMIT 10;
SELECT count(DISTINCT rand_a(u)) > 1000 AS fractions_vary,
       count(DISTINCT right(u::text, 12)) = 10000 AS rand_b_varies
FROM drawn;
-- rand_b: each of its 62 bits is set in about half of the values
SELECT bit AS uneven, avg(bits(u, bit, bit)::text::int)
FROM drawn, generate_series(66, 127) bit
GROUP BY bit HAVING avg(bits(u, bit, bit)::text::int) NOT BETWEEN 0.4 AND 0.6;

-- A v7 in the order of insertion, as PostgreSQL 18 asks of its own
CREATE TABLE inserted (n serial, id uuid PRIMARY KEY DEFAULT atid.uuid_generate_v7());
INSERT INTO inserted SELECT FROM generate_series(1, 1000);
INSERT INTO inserted SELECT FROM generate_series(1, 1000);
SELECT count(*) AS rows FROM inserted;
SELECT n AS out_of_order, id
FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM inserted) s WHERE n <> place;

-- Shifted: the value moves and the stream does not
SELECT shift, unix_ts_ms(u) - unix_ts_ms(atid.uuid_generate_v7()) - extract(epoch FROM shift) * 1000
              BETWEEN -100000 AND 100000 AS moved,
       version(u) AS version, variant(u) AS variant
FROM (VALUES ('-1 day'::interval), ('1 day')) v (shift), atid.uuid_generate_v7(shift) u;
CREATE TABLE shifted AS
SELECT i, atid.uuid_generate_v7('123.456789 s') AS u FROM generate_series(1, 10000) i;
SELECT i AS not_rising, u FROM (SELECT *, lag(u) OVER (ORDER BY i) FROM shifted) s WHERE u <= lag;
SELECT i AS stream_moved_back, u FROM drawn WHERE u >= (SELECT atid.uuid_generate_v7());
SELECT unix_ts_ms(atid.uuid_generate_v7())
       < extract(epoch FROM clock_timestamp() + '1 hour') * 1000 AS stream_not_moved_on;

-- by the calendar of the session's time zone, and of now: from another time 60 years have as
-- many days only if 2100, which has no 29 February, is in both of them or in none
SELECT shift, abs(unix_ts_ms(atid.uuid_generate_v7(shift)) / 1000.0
                  - extract(epoch FROM clock_timestamp() + shift)) < 60 AS there
FROM (VALUES ('1 month'::interval), ('60 years')) v (shift);

-- to the ends of the range: to 1970, and to 10889, as PostgreSQL 18 asks of its own
SELECT t, atid.uuid_extract_timestamp(atid.uuid_generate_v7(t - now()))
          BETWEEN t AND t + '1 day' AS there
FROM (VALUES ('1970-01-01 00:00:00.001Z'::timestamptz), ('10889-08-01 00:00Z')) v (t);

-- out of range: before 1970, after 10889
SELECT atid.uuid_generate_v7('-1000 years');
SELECT atid.uuid_generate_v7('9000 years');
SELECT shift, state(format('SELECT atid.uuid_generate_v7(%L)', shift)) AS says
FROM (VALUES ('200000 years'), ('290000 years'), ('300000 years'), ('-10000 years')) v (shift);

--
-- NULL in, NULL out, whichever argument it is
--
SELECT p.oid::regprocedure AS not_strict FROM pg_proc p
WHERE pronamespace = 'atid'::regnamespace AND proname LIKE 'uuid%' AND NOT proisstrict ORDER BY 1;
SELECT num_nonnulls(
  atid.uuid_generate_v3(NULL, 'x'), atid.uuid_generate_v3(nil, NULL::text),
  atid.uuid_generate_v3(nil, NULL::bytea), atid.uuid_generate_v5(NULL, 'x'),
  atid.uuid_generate_v5(nil, NULL::text), atid.uuid_generate_v5(nil, NULL::bytea),
  atid.uuid_generate_v8(NULL, 'x'), atid.uuid_generate_v8(nil, NULL::text),
  atid.uuid_generate_v8(nil, NULL::bytea), atid.uuid_generate_v8(NULL), atid.uuid_generate_v7(NULL),
  atid.uuid_extract_version(NULL), atid.uuid_extract_variant(NULL),
  atid.uuid_extract_timestamp(NULL), atid.uuid_extract_timestamp_precise(NULL),
  atid.uuid_v7_floor(NULL), atid.uuid_v7_ceil(NULL), atid.uuid_v7_make(NULL),
  atid.uuid_timestamptz_to_v7(NULL), atid.uuid_timestamptz_to_v7(now(), NULL),
  atid.uuid_timestamp_to_v7(NULL), atid.uuid_timestamp_to_v7(localtimestamp, NULL),
  atid.uuid_v7_to_timestamptz(NULL), atid.uuid_v7_to_timestamp(NULL), atid.uuid_v1_to_v6(NULL),
  atid.uuid_v6_to_v1(NULL), atid.uuid_to_urn(NULL), atid.uuid_to_oid(NULL),
  atid.uuid_to_ulid(NULL),
  atid.uuid_from_text(NULL), atid.uuid_to_numeric(NULL), atid.uuid_from_numeric(NULL),
  atid.uuid_to_bytes(NULL), atid.uuid_from_bytes(NULL), atid.uuid_to_guid_bytes(NULL),
  atid.uuid_from_guid_bytes(NULL)) AS not_null
FROM atid.uuid_nil() nil;

-- every generator is volatile, and so is what is random by default; all the rest is immutable
SELECT p.proname AS volatile, pg_get_function_arguments(p.oid) AS arguments FROM pg_proc p
WHERE pronamespace = 'atid'::regnamespace AND proname LIKE 'uuid%' AND provolatile <> 'i'
ORDER BY 1, 2;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
