--
-- The type atid.tid, as a role that was granted nothing and whose search_path
-- is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SHOW search_path;

-- Every operator class is complete, except for = of two texts (see src/address/as_text.c).
-- (amvalidate says what is wrong as INFO.)
SELECT am.amname, opc.opcname, amvalidate(opc.oid)
FROM pg_opclass opc JOIN pg_am am ON am.oid = opc.opcmethod
WHERE opc.opcintype = 'atid.tid'::regtype
ORDER BY 1, 2;

--
-- Text form.  The valid and invalid examples of the protocol's TID page.
--
SELECT t, t::atid.tid, atid.tid_is_valid(t)
FROM (VALUES ('3jzfcijpj2z2a'), ('7777777777777'), ('3zzzzzzzzzzzz'), ('2222222222222')) v(t);

SELECT '3jzfcijpj2z21'::atid.tid;       -- not base32
SELECT '0000000000000'::atid.tid;
SELECT '3JZFCIJPJ2Z2A'::atid.tid;       -- case-sensitive
SELECT '3jzfcijpj2z2aa'::atid.tid;      -- too long, too short
SELECT '3jzfcijpj2z2'::atid.tid;
SELECT '222'::atid.tid;
SELECT '3jzf-cij-pj2z-2a'::atid.tid;    -- hyphens of an early version
SELECT 'zzzzzzzzzzzzz'::atid.tid;       -- more than 64 bits
SELECT 'kjzfcijpj2z2a'::atid.tid;

-- More that is refused: nothing, blanks around, letters of several bytes.
SELECT ''::atid.tid;
SELECT ' 3jzfcijpj2z2a'::atid.tid;
SELECT '3jzfcijpj2z2a '::atid.tid;
SELECT '3jzfcijpj2z2é'::atid.tid;
SELECT 'élève'::atid.tid;
SELECT '3jzfcijpj2z2aé'::atid.tid;
SELECT ('3jz' || repeat('é', 300))::atid.tid;   -- an error quotes 400 bytes at most

SELECT t, atid.tid_is_valid(t)
FROM (VALUES ('3jzfcijpj2z21'), ('0000000000000'), ('3JZFCIJPJ2Z2A'), ('3jzfcijpj2z2aa'),
             ('3jzfcijpj2z2'), ('222'), ('3jzf-cij-pj2z-2a'), ('zzzzzzzzzzzzz'), ('kjzfcijpj2z2a'),
             (''), (' 3jzfcijpj2z2'), ('3jzfcijpj2z2é'), (NULL)) v(t);

-- The syntax allows the top bit: all 64 bits, in the order of the text.
SELECT t::atid.tid, atid.tid_timestamp(t::atid.tid), atid.tid_clock_id(t::atid.tid)
FROM (VALUES ('jzzzzzzzzzzzz'), ('c222222222222'), ('bzzzzzzzzzzzz'), ('2222222222222'),
             ('3jzfcijpj2z2a')) v(t)
ORDER BY t::atid.tid;

--
-- Binary form: 8 bytes, the most significant first; any 8.
--
SELECT t, atid.tid_send(t::atid.tid)
FROM (VALUES ('3jzfcijpj2z2a'), ('2222222222222'), ('jzzzzzzzzzzzz')) v(t);

--
-- Making, and taking apart
--
SELECT atid.tid_make('2023-06-30 15:03:01.887007+00', 6);
SELECT atid.tid_make('1970-01-01 00:00:00+00', 0), atid.tid_make('1970-01-01 00:00:00+00', 1023);
SELECT atid.tid_make('2255-06-05 23:47:34.740991+00', 1023);
SELECT atid.tid_make('2255-06-05 23:47:34.740992+00', 0);
SELECT atid.tid_make('1969-12-31 23:59:59.999999+00', 0);
SELECT atid.tid_make('infinity', 0);
SELECT atid.tid_make('-infinity', 0);
SELECT atid.tid_make('294276-12-31 23:59:59.999999+00', 0);
SELECT atid.tid_make('4713-01-01 00:00:00+00 BC', 0);
SELECT atid.tid_make('2026-01-01', -1);
SELECT atid.tid_make('2026-01-01', 1024);
SELECT atid.tid_make(NULL, 1), atid.tid_make('2026-01-01', NULL);

SELECT atid.tid_floor('2026-01-01 00:00:00+00'), atid.tid_ceil('2026-01-01 00:00:00+00');
SELECT atid.tid_floor('-infinity'), atid.tid_ceil('-infinity'),
       atid.tid_floor('infinity'), atid.tid_ceil('infinity');
SELECT atid.tid_floor('1969-12-31 23:59:59+00');
SELECT atid.tid_ceil('2255-06-06 00:00:00+00');

SET timezone = 'UTC';
SELECT atid.tid_timestamp('3jzfcijpj2z2a'), atid.tid_clock_id('3jzfcijpj2z2a');
CREATE TABLE made AS
SELECT t, i::int % 1024 AS clock_id, atid.tid_make(t, i::int % 1024) AS id
FROM generate_series(timestamptz '1970-01-01', '2255-01-01', '3000 hours 1.000001 s')
     WITH ORDINALITY g(t, i);
SELECT count(*) FROM made;
SELECT t, clock_id, id AS does_not_come_back FROM made
WHERE (atid.tid_timestamp(id) = t AND atid.tid_clock_id(id) = clock_id
       AND id BETWEEN atid.tid_floor(t) AND atid.tid_ceil(t)
       AND atid.tid_ceil(t) < atid.tid_floor(t + '1 us')) IS NOT TRUE;

--
-- Casts
--
SELECT '3jzfcijpj2z2a'::atid.tid::bigint, 1728652679052295174::atid.tid;
SELECT 'bzzzzzzzzzzzz'::atid.tid::bigint, 9223372036854775807::atid.tid, 0::bigint::atid.tid;
SELECT 'c222222222222'::atid.tid::bigint;
SELECT (-1)::bigint::atid.tid;
SELECT '3jzfcijpj2z2a'::atid.tid::text, '3jzfcijpj2z2a'::text::atid.tid,
       '3jzfcijpj2z2a'::varchar::atid.tid;

CREATE TABLE assigned (id atid.tid, as_text text, as_rkey atid.rkey, as_record_key atid.record_key);
INSERT INTO assigned (id) SELECT unnest('{3jzfcijpj2z2a,7777777777777}'::text[]);
INSERT INTO assigned (id) SELECT unnest('{3zzzzzzzzzzzz}'::varchar[]);
INSERT INTO assigned (id) SELECT unnest('{3JZFCIJPJ2Z2A}'::text[]);
UPDATE assigned SET as_text = id, as_rkey = id, as_record_key = id;
SELECT * FROM assigned ORDER BY id;
UPDATE assigned SET id = as_rkey;
UPDATE assigned SET id = 1;             -- integers only explicitly

--
-- The order is that of the text, with either top bit; equality and hashing agree.
--
CREATE TABLE keys (id atid.tid PRIMARY KEY, n int);
INSERT INTO keys
SELECT ((i::numeric * 7919 * 1000000007 * 65537) % 9223372036854775807)::bigint::atid.tid, i
FROM generate_series(1, 5000) i;
INSERT INTO keys SELECT ('g' || substr(id::text, 2))::atid.tid, -n FROM keys WHERE n <= 500;
ANALYZE keys;

SELECT array_agg(id ORDER BY id) = array_agg(id ORDER BY id::text COLLATE "C") AS sorts_as_text,
       min(id) = min(id::text COLLATE "C")::atid.tid AS min,
       max(id) = max(id::text COLLATE "C")::atid.tid AS max,
       min(id), max(id), count(*)
FROM keys;
CREATE TABLE pairs AS
SELECT a.id AS a, b.id AS b, a.id::text COLLATE "C" AS a_text, b.id::text COLLATE "C" AS b_text
FROM keys a, keys b WHERE a.n % 50 = 0 AND b.n % 50 = 0;
SELECT count(*) AS pairs FROM pairs;
SELECT a, operator AS not_as_the_text, b
FROM pairs, LATERAL (VALUES
  ('<', a < b, a_text < b_text),
  ('<=', a <= b, a_text <= b_text),
  ('=', a = b, a_text = b_text),
  ('<>', a <> b, a_text <> b_text),
  ('>', a > b, a_text > b_text),
  ('>=', a >= b, a_text >= b_text),
  ('cmp, less', atid.tid_cmp(a, b) < 0, a_text < b_text),
  ('cmp, greater', atid.tid_cmp(a, b) > 0, a_text > b_text)) c (operator, answer, should)
WHERE answer IS DISTINCT FROM should LIMIT 10;
SELECT count(DISTINCT id), count(DISTINCT atid.tid_hash(id)) > 5000 AS spread FROM keys;
SELECT id AS other_low_half FROM keys
WHERE (atid.tid_hash_extended(id, 0)::bit(32) = atid.tid_hash(id)::bit(32)) IS NOT TRUE;
SELECT min(id), max(id) FROM keys WHERE false;

-- Indexes: btree, hash, BRIN; the bounds of a time range use them.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT n FROM keys WHERE id = '3jzfcijpj2z2a';
EXPLAIN (COSTS OFF)
SELECT n FROM keys
WHERE id >= atid.tid_floor('2026-01-01+00') AND id < atid.tid_floor('2026-02-01+00')
ORDER BY id DESC LIMIT 10;
-- min and max read one end of the index (the plan's words differ by version)
CREATE FUNCTION plan_has(query text, word text) RETURNS bool LANGUAGE plpgsql AS
$$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF strpos(line, word) > 0 THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
END
$$;
SELECT plan_has('SELECT max(id) FROM keys', 'Index Only Scan Backward'),
       plan_has('SELECT min(id) FROM keys', 'Index Only Scan');
PREPARE one(atid.tid) AS SELECT n FROM keys WHERE id = $1;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE one('3jzfcijpj2z2a');
RESET plan_cache_mode;

CREATE TABLE indexed AS SELECT * FROM keys;
CREATE INDEX indexed_hash ON indexed USING hash (id);
EXPLAIN (COSTS OFF) SELECT n FROM indexed WHERE id = '3jzfcijpj2z2a';
SELECT count(*) FROM keys k WHERE (SELECT i.n FROM indexed i WHERE i.id = k.id) = k.n;
DROP INDEX indexed_hash;
SET enable_bitmapscan = on;
CREATE INDEX indexed_brin ON indexed USING brin (id) WITH (pages_per_range = 1);
EXPLAIN (COSTS OFF) SELECT n FROM indexed WHERE id < '2zzzzzzzzzzzz';
SELECT (SELECT count(*) FROM indexed WHERE id < '2zzzzzzzzzzzz')
       = (SELECT count(*) FROM keys WHERE id < '2zzzzzzzzzzzz') AS same;
DROP INDEX indexed_brin;
RESET enable_seqscan;

-- Duplicates share their entries in a btree (equalimage).
CREATE TABLE dupes AS SELECT '3jzfcijpj2z2a'::atid.tid AS id FROM generate_series(1, 20000);
CREATE INDEX dupes_id ON dupes (id);
SELECT pg_relation_size('dupes_id') < 200000 AS deduplicated;

-- Parallel index build, with the same result as a serial one.
SET max_parallel_maintenance_workers = 2;
SET min_parallel_table_scan_size = 0;
CREATE INDEX indexed_parallel ON indexed (id);
SET enable_seqscan = off;
SELECT array_agg(id) = (SELECT array_agg(id ORDER BY id::text COLLATE "C") FROM keys) AS same
FROM (SELECT id FROM indexed ORDER BY id) s;
RESET enable_seqscan;
RESET min_parallel_table_scan_size;
RESET max_parallel_maintenance_workers;

-- Joins
SET enable_nestloop = off;
SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM keys JOIN indexed USING (id);
SELECT count(*) FROM keys JOIN indexed USING (id);
SET enable_hashjoin = on;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM keys JOIN indexed USING (id);
SELECT count(*) FROM keys JOIN indexed USING (id);
RESET enable_nestloop;
RESET enable_hashjoin;
RESET enable_mergejoin;

-- The estimators know the statistics.
CREATE FUNCTION estimate(query text) RETURNS numeric LANGUAGE plpgsql AS
$$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric;
END
$$;
SELECT estimate($$SELECT FROM keys WHERE id = '3jzfcijpj2z2a'$$) AS equal,
       estimate($$SELECT FROM keys WHERE id <> '3jzfcijpj2z2a'$$) AS unequal,
       estimate($$SELECT FROM keys WHERE id < '2222222222222'$$) AS none,
       estimate($$SELECT FROM keys WHERE id >= '2222222222222'$$) AS every;

--
-- In tables
--
-- foreign keys
CREATE TABLE posts (id atid.tid PRIMARY KEY DEFAULT atid.tid_generate(), body text);
CREATE TABLE likes (
  post atid.tid REFERENCES posts ON DELETE CASCADE,
  id atid.tid DEFAULT atid.tid_generate(),
  PRIMARY KEY (post, id)
);
INSERT INTO posts VALUES ('3jzfcijpj2z2a', 'first');
INSERT INTO likes (post) VALUES ('3jzfcijpj2z2a');
INSERT INTO likes (post) VALUES ('3jzfcijpj2z2b');
DELETE FROM posts;
SELECT count(*) FROM likes;
INSERT INTO posts (body) VALUES ('second')
RETURNING atid.tid_timestamp(id) BETWEEN now() - interval '1 day' AND now() + interval '1 day'
          AS recent;

-- hash and range partitions
CREATE TABLE by_hash (id atid.tid PRIMARY KEY) PARTITION BY HASH (id);
CREATE TABLE by_hash_0 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_hash_1 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_hash SELECT id FROM keys;
SELECT tableoid::regclass AS part, count(*) > 2000 AS about_half FROM by_hash GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT * FROM by_hash WHERE id = '3jzfcijpj2z2a';

CREATE TABLE by_month (id atid.tid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE by_month_1 PARTITION OF by_month
  FOR VALUES FROM (atid.tid_floor('2026-01-01+00')) TO (atid.tid_floor('2026-02-01+00'));
CREATE TABLE by_month_2 PARTITION OF by_month
  FOR VALUES FROM (atid.tid_floor('2026-02-01+00')) TO (atid.tid_floor('2026-03-01+00'));
INSERT INTO by_month
SELECT atid.tid_make(t, 7)
FROM generate_series(timestamptz '2026-01-01+00', '2026-02-28+00', '1 day') t;
SELECT tableoid::regclass AS part, count(*), min(id), max(id) FROM by_month GROUP BY 1 ORDER BY 1;
INSERT INTO by_month VALUES ('2222222222222');
EXPLAIN (COSTS OFF) SELECT * FROM by_month
WHERE id >= atid.tid_floor('2026-02-10+00') AND id < atid.tid_floor('2026-02-11+00');
EXPLAIN (COSTS OFF)
SELECT * FROM by_month
WHERE id > atid.tid_floor(now() + interval '1000 years' - interval '999 years');

-- arrays, composites, generated columns, DISTINCT, GROUP BY, windows
SELECT '{3jzfcijpj2z2a,NULL,2222222222222}'::atid.tid[];
SELECT ARRAY['3jzfcijpj2z2a', '2222222222222']::atid.tid[] @> ARRAY['2222222222222'::atid.tid];
SELECT 1 AS found WHERE '3jzfcijpj2z2a'::atid.tid = ANY ('{3jzfcijpj2z2a,2222222222222}');
SELECT ROW('3jzfcijpj2z2a'::atid.tid, 1) < ROW('3jzfcijpj2z2b'::atid.tid, 0) AS row_order;
CREATE TABLE generated (
  id atid.tid,
  at timestamptz GENERATED ALWAYS AS (atid.tid_timestamp(id)) STORED
);
INSERT INTO generated VALUES ('3jzfcijpj2z2a'), (NULL) RETURNING *;
CREATE INDEX ON keys (atid.tid_timestamp(id));
SELECT lag(id) OVER (ORDER BY id) IS NULL AS first, id FROM assigned ORDER BY id;

-- row-level security: the comparison is leakproof, so it may use the index
CREATE TABLE secured AS SELECT id, n % 2 = 0 AS visible FROM keys;
CREATE INDEX secured_id ON secured (id);
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
ALTER TABLE secured FORCE ROW LEVEL SECURITY;
CREATE POLICY visible_only ON secured USING (visible);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM secured WHERE id = '3jzfcijpj2z2a';
RESET enable_seqscan;

-- functions that have no search_path at all
CREATE FUNCTION pathless(a atid.tid, b atid.tid) RETURNS text LANGUAGE plpgsql
SET search_path = '' AS
$$
BEGIN
  RETURN format('%s %s %s %s', a < b, a = b, (SELECT max(x) FROM unnest(ARRAY[a, b]) x), a::text);
END
$$;
SELECT pathless('3jzfcijpj2z2a', '3jzfcijpj2z2b');

-- an unqualified tid is the server's own type, which is why none is written here
SELECT '(0,1)'::tid, 'tid'::regtype, 'atid.tid'::regtype;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
