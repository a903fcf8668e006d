--
-- The type atid.cid_link, as a role that was granted nothing and whose
-- search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SHOW search_path;

-- Every operator class is whole.  (amvalidate says what is wrong as INFO.)
SELECT am.amname, opc.opcname, amvalidate(opc.oid)
FROM pg_opclass opc JOIN pg_am am ON am.oid = opc.opcmethod
WHERE opc.opcintype = 'atid.cid_link'::regtype
ORDER BY 1, 2;

-- RFC 4648's base32 in lower case, without padding, and without our code.
CREATE FUNCTION base32(bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
  SELECT coalesce(string_agg(substr('abcdefghijklmnopqrstuvwxyz234567',
           rpad(substr(bits, i, 5), 5, '0')::bit(5)::int + 1, 1), '' ORDER BY i), '')
  FROM (SELECT string_agg(get_byte(bytes, n)::bit(8)::text, '' ORDER BY n)
        FROM generate_series(0, length(bytes) - 1) n) b(bits), generate_series(1, length(bits), 5) i
$$;

--
-- Text form: the specification's example, a blob's, other codecs and hashes
--
CREATE TABLE known (what text, cid atid.cid_link);
INSERT INTO known VALUES
  ('record', 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'),
  ('blob', 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity'),
  ('dag-pb', 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi');
INSERT INTO known
SELECT what, bytes::bytea::atid.cid_link
FROM (VALUES ('empty identity', '\x01550000'), ('sha1', '\x01711114' || repeat('ab', 20)),
             ('sha2-512', '\x01711340' || repeat('cd', 64)),
             ('sha2-256 cut', '\x01711210' || repeat('12', 16)),
             ('dag-json', '\x01a9021220' || repeat('00', 32)),
             ('blake2b', '\x0171a0e40220' || repeat('ff', 32)),
             ('largest codec', '\x01ffffffffffffffff7f0000'),
             ('identity', '\x0155000568656c6c6f')) v (what, bytes);
SELECT * FROM known;
SELECT what, cid::bytea, atid.cid_codec(cid) AS codec, atid.cid_hash(cid) AS hash,
       length(atid.cid_digest(cid)) AS digest, atid.cid_is_blessed(cid) AS blessed
FROM known;
SELECT what AS not_the_same FROM known
WHERE cid::text <> 'b' || base32(cid::bytea) OR NOT atid.cid_is_valid(cid::text)
   OR cid::text::atid.cid_link <> cid OR cid::bytea::atid.cid_link <> cid
   OR atid.cid_link_send(cid) <> cid::bytea;

-- Every length that base32 has, and every byte
SELECT n AS other_length
FROM generate_series(0, 120) n,
     LATERAL (SELECT set_byte('\x01550000', 3, n) ||
                     substr(sha512(n::text::bytea) || sha512('x'), 1, n)) v (bytes)
WHERE bytes::atid.cid_link::text <> 'b' || base32(bytes)
   OR ('b' || base32(bytes))::atid.cid_link::bytea <> bytes;
SELECT n AS other_byte
FROM generate_series(0, 255) n,
     LATERAL (SELECT set_byte('\x0155000200ff', 4, n)::atid.cid_link) v (cid)
WHERE cid::text::atid.cid_link::bytea <> set_byte('\x0155000200ff', 4, n);
SELECT count(DISTINCT set_byte('\x0155000200ff', 4, n)::atid.cid_link) AS of_256_bytes
FROM generate_series(0, 255) n;

--
-- What is refused, and why
--
\set cid 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'
SELECT 'QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR'::atid.cid_link;         -- CIDv0
SELECT 'zdj7WhuEjrB52m1BisYCtmjH1hSKa7yZ3jEZ9JcXaFRD51wVz'::atid.cid_link;      -- other multibases
SELECT 'f01551220'::atid.cid_link;
SELECT 'BAFYREIDFAYVFUWQA7QLNOPDJIQRXZS6BLMOEU4RUJCJTNCI5BELUDIRZ2A'::atid.cid_link;
SELECT 'bAFYREIDFAYVFUWQA7QLNOPDJIQRXZS6BLMOEU4RUJCJTNCI5BELUDIRZ2A'::atid.cid_link;
SELECT 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a======'::atid.cid_link;
SELECT 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2b'::atid.cid_link;   -- spare bits
SELECT 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2'::atid.cid_link;    -- too short
SELECT 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz'::atid.cid_link;
SELECT 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2aaa'::atid.cid_link;   -- too long
SELECT 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz18'::atid.cid_link;
SELECT ' bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'::atid.cid_link;
SELECT 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a '::atid.cid_link;
SELECT 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirzéa'::atid.cid_link;
SELECT ''::atid.cid_link;
SELECT 'b'::atid.cid_link;

-- The same for bytes; the text of such bytes is refused with the same words.
CREATE FUNCTION refusal(expression text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  detail text;
BEGIN
  EXECUTE 'SELECT ' || expression;
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || detail;
END
$$;
CREATE TABLE bad (what text, bytes bytea);
INSERT INTO bad VALUES
  ('nothing', ''), ('version only', '\x01'), ('no digest length', '\x015512'),
  ('no digest', '\x01551220'),
  ('CIDv0', '\x1220' || sha256('')), ('nearly CIDv0', '\x1220' || substr(sha256(''), 2)),
  ('version 0', '\x00551220' || sha256('')), ('version 2', '\x02551220' || sha256('')),
  ('long version', '\x8100551220' || sha256('')), ('long codec', '\x01d5001220' || sha256('')),
  ('long hash', '\x0155920020' || sha256('')), ('long length', '\x015512a000' || sha256('')),
  ('codec of 64 bits', '\x01ffffffffffffffffff011220' || sha256('')),
  ('length of 63 bits', '\x015512ffffffffffffffff7f' || sha256('')),
  ('digest too short', '\x01551220' || substr(sha256(''), 2)),
  ('one byte more', '\x01551220' || sha256('') || '\x00'),
  ('multibase 0x00 before', '\x0001551220' || sha256(''));
SELECT what, refusal(format('%L::bytea::atid.cid_link', bytes)) AS bytes,
       refusal(format('%L::atid.cid_link', 'b' || base32(bytes))) AS text
FROM bad;
SELECT ''::bytea::atid.cid_link;
SELECT what AS valid FROM bad WHERE atid.cid_is_valid('b' || base32(bytes));
-- a long value is quoted by its ends
SELECT ('b' || repeat('é', 1000))::atid.cid_link;
SELECT atid.cid_of('', repeat('raw', 1000));

--
-- cid_is_valid is the type; cid_string_is_valid is Lexicon's string format,
-- which accepts many strings that are no CID
--
SELECT t, atid.cid_is_valid(t) AS link, atid.cid_string_is_valid(t) AS string
FROM (VALUES ('bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'),
             ('zdj7WhuEjrB52m1BisYCtmjH1hSKa7yZ3jEZ9JcXaFRD51wVz'), ('mBcDxtdWx0aWhhc2g+'),
             ('QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR'), ('Qmbabcde'), ('Qmcabcde'),
             ('12345678'), ('1234567'), ('abc=+def'), ('abc-_def'), ('abc def '), ('abcdefgé'),
             (''), (NULL)) v (t);
SELECT n, atid.cid_string_is_valid(repeat('b', n)) AS string FROM unnest('{7,8,256,257}'::int[]) n;

--
-- Making CIDs
--
SELECT atid.cid_of('hello', 'raw'), atid.cid_of('', 'dag-cbor'), atid.cid_of('\xa0', 'dag-cbor');
SELECT atid.cid_make('raw', sha256('hello')) = atid.cid_of('hello', 'raw') AS same,
       atid.cid_of('hello', 'raw')::bytea = '\x01551220' || sha256('hello') AS bytes,
       atid.cid_of('hello', 'dag-cbor')::bytea = '\x01711220' || sha256('hello') AS other_bytes,
       atid.cid_digest(atid.cid_make('dag-cbor', sha256('x'))) = sha256('x') AS digest;
SELECT atid.cid_make('dag-pb', sha256(''));
SELECT atid.cid_make('RAW', sha256(''));
SELECT atid.cid_make('raw', 'short');
SELECT atid.cid_make('raw', '');
SELECT atid.cid_make('raw', sha512(''));
SELECT atid.cid_of('', '');
SELECT atid.cid_make(NULL, sha256('')), atid.cid_make('raw', NULL), atid.cid_of(NULL, 'raw'),
       atid.cid_of('', NULL), atid.cid_codec(NULL), atid.cid_hash(NULL), atid.cid_digest(NULL),
       atid.cid_is_blessed(NULL), NULL::bytea::atid.cid_link;

--
-- Casts
--
CREATE TABLE assigned (cid atid.cid_link, as_text text, as_varchar varchar(59));
INSERT INTO assigned (cid) SELECT unnest(ARRAY[:'cid']::text[]);
INSERT INTO assigned (cid) SELECT unnest(ARRAY[:'cid']::varchar[]);
INSERT INTO assigned (cid) SELECT unnest('{nonsense}'::text[]);
UPDATE assigned SET as_text = cid, as_varchar = cid;
SELECT DISTINCT * FROM assigned;
UPDATE assigned SET cid = '\x01550000'::bytea;  -- bytes only explicitly
SELECT :'cid'::text::atid.cid_link = :'cid'::varchar::atid.cid_link AS same;

--
-- Order is that of the bytes, and not that of the text.  Thousands of CIDs,
-- most of them of the two kinds whose first bytes the sort keys leave out.
--
CREATE TABLE cids (n int, cid atid.cid_link);
INSERT INTO cids
SELECT n, atid.cid_of(n::text::bytea, CASE n % 3 WHEN 0 THEN 'raw' ELSE 'dag-cbor' END)
FROM generate_series(1, 4000) n;
INSERT INTO cids
SELECT n, (head || set_byte('\x00', 0, least(n % 41, 32)) ||
           substr(sha256(n::text::bytea), 1, least(n % 41, 32)))::atid.cid_link
FROM generate_series(4001, 8000) n,
     LATERAL (SELECT (ARRAY['\x015512', '\x017112', '\x015400', '\x015511', '\x015513', '\x01560b',
                            '\x017111', '\x017113', '\x01a90212', '\x0172ffff7f', '\x010000',
                            '\x017012', '\x0171ffffffffffffffff7f']::bytea[])[n % 13 + 1]) h (head);
-- differing only past the bits of a sort key, and by length alone
INSERT INTO cids
SELECT 8000 + n, atid.cid_make('raw', substr(sha256('same'), 1, 31) || set_byte('\x00', 0, n))
FROM generate_series(0, 255) n;
INSERT INTO cids
SELECT 9000 + n, (set_byte('\x01550000', 3, n) || decode(repeat('00', n), 'hex'))::atid.cid_link
FROM generate_series(0, 100) n;
INSERT INTO cids SELECT -n, cid FROM cids WHERE n % 10 = 0;
ANALYZE cids;

SELECT count(*), count(DISTINCT cid), count(DISTINCT cid::bytea) AS bytes,
       count(*) FILTER (WHERE atid.cid_is_blessed(cid)) AS blessed
FROM cids;
SELECT array_agg(n ORDER BY cid, n) = array_agg(n ORDER BY cid::bytea, n) AS ascending,
       array_agg(n ORDER BY cid DESC, n) = array_agg(n ORDER BY cid::bytea DESC, n) AS descending,
       array_agg(cid ORDER BY cid) = array_agg(cid ORDER BY cid::text COLLATE "C") AS sorts_as_text,
       min(cid)::bytea = (array_agg(cid::bytea ORDER BY cid::bytea))[1] AS min,
       max(cid)::bytea = (array_agg(cid::bytea ORDER BY cid::bytea DESC))[1] AS max
FROM cids;
-- sorted in runs on disk, too
SET work_mem = '64kB';
SELECT count(*) AS falls
FROM (SELECT cid::bytea AS b, lag(cid::bytea) OVER (ORDER BY rank) AS before
      FROM (SELECT cid, row_number() OVER (ORDER BY cid, n) AS rank FROM cids OFFSET 0) r) o
WHERE b < before;
RESET work_mem;
CREATE TABLE pair AS
SELECT a.cid AS a, b.cid AS b, a.cid::bytea AS x, b.cid::bytea AS y FROM cids a, cids b
WHERE a.n % 40 = 0 AND b.n % 40 = 0;
SELECT count(*) AS pairs FROM pair;
SELECT a, b AS compared_otherwise FROM pair
WHERE (a < b) <> (x < y) OR (a <= b) <> (x <= y) OR (a = b) <> (x = y) OR (a <> b) <> (x <> y)
   OR (a > b) <> (x > y) OR (a >= b) <> (x >= y)
   OR sign(atid.cid_link_cmp(a, b)) <> (x > y)::int - (x < y)::int;
SELECT count(DISTINCT atid.cid_link_hash(cid)) > 0.99 * count(DISTINCT cid) AS spread FROM cids;
SELECT cid AS other_low_half FROM cids
WHERE atid.cid_link_hash_extended(cid, 0)::bit(32) <> atid.cid_link_hash(cid)::bit(32);
SELECT min(cid), max(cid) FROM cids WHERE false;

-- Indexes
CREATE INDEX cids_btree ON cids (cid);
CREATE INDEX cids_hash ON cids USING hash (cid);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT n FROM cids WHERE cid > :'cid' ORDER BY cid LIMIT 10;
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
$$
BEGIN
  RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END
$$;
SELECT trim(line) FROM plan('SELECT min(cid) FROM cids') line WHERE line ~ 'Index';
SELECT count(*) AS found FROM cids c
WHERE (SELECT count(*) FROM cids d WHERE d.cid = c.cid AND d.n = c.n) = 1 AND n % 20 = 0;
SELECT array_agg(n) = (SELECT array_agg(n ORDER BY cid::bytea) FROM cids WHERE n > 0 AND n <= 4000)
         AS index_order
FROM (SELECT n FROM cids WHERE n > 0 AND n <= 4000 ORDER BY cid) s;
DROP INDEX cids_btree;
EXPLAIN (COSTS OFF) SELECT n FROM cids WHERE cid = :'cid';
SELECT n FROM cids WHERE cid = atid.cid_of('7', 'dag-cbor');
DROP INDEX cids_hash;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- equal CIDs share their bytes in a btree
CREATE TABLE few AS
SELECT atid.cid_of((n % 10)::text::bytea, 'raw') AS cid FROM generate_series(1, 20000) n;
CREATE INDEX few_cid ON few (cid);
CREATE INDEX few_apart ON few (cid) WITH (deduplicate_items = off);
SELECT pg_relation_size('few_cid') * 4 < pg_relation_size('few_apart') AS deduplicated;

-- A primary key, and what refers to it; joins of every kind
CREATE TABLE blocks (cid atid.cid_link PRIMARY KEY, block bytea);
INSERT INTO blocks
SELECT atid.cid_of(n::text::bytea, 'dag-cbor'), n::text::bytea FROM generate_series(1, 500) n;
INSERT INTO blocks VALUES (atid.cid_of('7', 'dag-cbor'), '7');
INSERT INTO blocks VALUES (atid.cid_of('7', 'dag-cbor'), '7') ON CONFLICT (cid) DO NOTHING;
CREATE TABLE links (cid atid.cid_link REFERENCES blocks);
INSERT INTO links SELECT cid FROM blocks;
INSERT INTO links VALUES (:'cid');
ANALYZE blocks, links;
SET enable_nestloop = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM links JOIN blocks USING (cid);
SELECT count(*) FROM links JOIN blocks USING (cid);
SET enable_hashjoin = off;
RESET enable_mergejoin;
SELECT count(*) FROM links l FULL JOIN blocks b ON l.cid = b.cid;
RESET enable_nestloop;
RESET enable_hashjoin;
CREATE TABLE by_hash (cid atid.cid_link) PARTITION BY HASH (cid);
CREATE TABLE by_hash_0 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_hash_1 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_hash SELECT cid FROM blocks;
SELECT count(DISTINCT tableoid) AS partitions, count(*) FROM by_hash;
SELECT count(*) FROM by_hash WHERE cid = atid.cid_of('7', 'dag-cbor');

-- arrays, DISTINCT, GROUP BY
SELECT ARRAY[:'cid', 'baf']::atid.cid_link[];
SELECT cardinality(array_agg(DISTINCT cid)) FROM few;
SELECT count(*) FROM (SELECT cid FROM few GROUP BY cid) g;
SELECT 1 AS found WHERE :'cid'::atid.cid_link = ANY (ARRAY[:'cid']::atid.cid_link[]);

-- a long digest: stored out of line, compared and shown whole, not in a btree
CREATE TABLE long (cid atid.cid_link);
INSERT INTO long
SELECT ('\x015500c0843d' || decode(string_agg(md5(n::text), '' ORDER BY n), 'hex'))::atid.cid_link
FROM generate_series(1, 62500) n;
SELECT length(cid::text), length(atid.cid_digest(cid)), cid = cid::text::atid.cid_link AS same,
       atid.cid_codec(cid)
FROM long;
SELECT count(*)
FROM (SELECT cid FROM long UNION SELECT cid FROM long UNION SELECT cid FROM known) u;
CREATE INDEX ON long USING hash (cid);

-- row-level security: the comparison is leakproof, so it may use the index
CREATE TABLE secured AS SELECT cid, n % 2 = 0 AS visible FROM cids;
CREATE INDEX secured_cid ON secured (cid);
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
ALTER TABLE secured FORCE ROW LEVEL SECURITY;
CREATE POLICY visible_only ON secured USING (visible);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM secured WHERE cid = :'cid';
RESET enable_seqscan;
RESET enable_bitmapscan;

-- functions that have no search_path at all
CREATE FUNCTION pathless(a atid.cid_link, b atid.cid_link) RETURNS text
LANGUAGE plpgsql SET search_path = '' AS
$$
BEGIN
  RETURN format('%s %s %s %s', a < b, a = b, (SELECT max(x) FROM unnest(ARRAY[a, b]) x) = b,
                left(a::text, 9));
END
$$;
SELECT pathless(atid.cid_of('1', 'raw'), atid.cid_of('1', 'dag-cbor'));

-- The hash is the server's for every length: of one block of SHA-256 and its padding, and of
-- the pieces between which a cancel is possible.
SELECT count(*), bool_and(atid.cid_digest(atid.cid_of(block, 'raw')) = sha256(block)) AS right
FROM unnest('{0,1,55,56,63,64,65,1000,1048575,1048576,1048577,2097152,3000000}'::int[]) AS n,
     convert_to(left(repeat('abc', n), n), 'UTF8') AS block;

-- an unqualified cid is the server's own type, which is why none is written here
SELECT 'cid'::regtype, 'atid.cid_link'::regtype;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
