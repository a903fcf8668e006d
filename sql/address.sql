--
-- The types atid.did and atid.at_uri and the domains of the other names, as a
-- role that was granted nothing and whose search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SHOW search_path;

-- Every operator class is complete, except for = of two texts (see src/address/as_text.c).
-- (amvalidate says what is wrong as INFO.)
SELECT opc.opcintype::regtype AS type, am.amname, opc.opcname, amvalidate(opc.oid)
FROM pg_opclass opc JOIN pg_am am ON am.oid = opc.opcmethod
WHERE opc.opcintype IN ('atid.did'::regtype, 'atid.at_uri'::regtype)
ORDER BY 1, 2, 3;

--
-- DIDs: each comes back byte for byte, and takes this much room in a row
--
CREATE TABLE dids (n serial, did atid.did);
INSERT INTO dids (did) VALUES
  ('did:plc:ewvi7nxzyoun6zhxrhs64oiz'), ('did:plc:222222222222222222222222'),
  ('did:plc:zzzzzzzzzzzzzzzzzzzzzzzz'), ('did:plc:ewvi7nxzyoun6zhxrhs64oi'),
  ('did:plc:ewvi7nxzyoun6zhxrhs64oizz'), ('did:plc:EWVI7NXZYOUN6ZHXRHS64OIZ'),
  ('did:plc:ewvi7nxzyoun6zhxrhs64oi1'), ('did:plc:ewvi7nxzyoun6zhxrhs64oi:a'),
  ('did:plcx:222222222222222222222222'), ('did:web:a.bc.de'), ('did:web:a.bc.df'),
  ('did:web:a.bc.def'), ('did:web:example.com'), ('did:web:localhost%3A1234'), ('did:m:v'),
  ('did:method::::val'), ('did:method:-:_:.:%ab'),
  ('did:key:zQ3shZc2QzApp2oymGvQbzP8eKheVshBHbU4ZYjeXqwSKEn6N');
SELECT did, pg_column_size(did) AS bytes FROM dids ORDER BY n;
SELECT did AS wrong FROM dids
WHERE did::text::atid.did <> did OR atid.did_send(did) <> convert_to(did::text, 'UTF8')
   OR NOT atid.did_is_valid(did::text);

-- order: that of the text, byte by byte, whatever the form
SELECT did FROM dids ORDER BY did;
SELECT a.did, b.did AS other
FROM dids a, dids b,
     LATERAL (SELECT CASE WHEN a.did::text COLLATE "C" < b.did::text THEN -1
                          WHEN a.did::text COLLATE "C" > b.did::text THEN 1 ELSE 0 END) v(sign)
WHERE sign <> sign(atid.did_cmp(a.did, b.did))
   OR (a.did < b.did) <> (sign < 0) OR (a.did <= b.did) <> (sign <= 0)
   OR (a.did = b.did) <> (sign = 0) OR (a.did <> b.did) <> (sign <> 0)
   OR (a.did > b.did) <> (sign > 0) OR (a.did >= b.did) <> (sign >= 0)
   OR (sign = 0 AND atid.did_hash(a.did) <> atid.did_hash(b.did))
   OR (sign = 0 AND atid.did_hash_extended(a.did, 7) <> atid.did_hash_extended(b.did, 7));
SELECT min(did), max(did), count(DISTINCT did) FROM dids;

-- what is refused, why, and where
SELECT ''::atid.did;
SELECT 'DID:plc:x'::atid.did;
SELECT 'did:PLC:x'::atid.did;
SELECT 'did:plc'::atid.did;
SELECT 'did:plc:'::atid.did;
SELECT 'did:web:x:'::atid.did;
SELECT 'did:web:x%'::atid.did;
SELECT 'did:web:x/y'::atid.did;
SELECT 'did:web:x#y'::atid.did;
SELECT ' did:web:x'::atid.did;
SELECT 'did:web:é'::atid.did;
SELECT length(('did:web:' || repeat('x', 2040))::atid.did::text);
\set VERBOSITY terse
SELECT ('did:web:' || repeat('x', 2041))::text::atid.did;
SELECT ('did:web:' || repeat('é', 100000))::text::atid.did;
\set VERBOSITY default

-- texts that may be invalid, such as input from strangers
CREATE TABLE sent (raw text, did atid.did GENERATED ALWAYS AS (atid.did_or_null(raw)) STORED,
  uri atid.at_uri GENERATED ALWAYS AS (atid.at_uri_or_null(raw)) STORED);
INSERT INTO sent VALUES (NULL), (''), ('did:web:a.b'), ('did:web:a.b '), ('at://a.b'),
  ('at://a.b/'), ('at://a.b/c.d.e/f'), ('did:web:é'), (repeat('did:web:', 10000000)),
  ('did:web:' || repeat('x', 2040)), ('did:web:' || repeat('x', 2041)),
  ('at://a.b/c.d.e/' || repeat('f', 512)), ('at://a.b/c.d.e/' || repeat('f', 513));
SELECT left(raw, 20) AS raw, length(raw), left(did::text, 20) AS did, left(uri::text, 20) AS uri
FROM sent WHERE did IS NOT NULL OR uri IS NOT NULL;
SELECT count(*) FROM sent WHERE (did IS NOT NULL) <> atid.did_is_valid(raw)
  OR (uri IS NOT NULL) <> atid.at_uri_is_valid(raw) OR did::text <> raw OR uri::text <> raw;

--
-- AT URIs
--
CREATE TABLE uris (n serial, uri atid.at_uri);
\set plc 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz'
INSERT INTO uris (uri) SELECT (:'plc' || rest)::atid.at_uri FROM unnest(ARRAY[
  '', '/app.bsky.feed.like', '/app.bsky.feed.like/3jzfcijpj2z2a',
  '/app.bsky.feed.like/jzzzzzzzzzzzz', '/app.bsky.feed.like/kzzzzzzzzzzzz',
  '/app.bsky.feed.like/3JZFCIJPJ2Z2A', '/app.bsky.feed.like/3jzfcijpj2z2',
  '/app.bsky.feed.like/3jzfcijpj2z2aa', '/app.bsky.feed.like-x.y/3jzfcijpj2z2a',
  '/app.bsky.feed.like.x/3jzfcijpj2z2a', '/app.bsky.feed/3jzfcijpj2z2a',
  '/App.bsky.feed.like/3jzfcijpj2z2a', '/app.bsky.actor.profile/self', '0', '-']) rest;
INSERT INTO uris (uri) VALUES
  ('at://did:plc:ewvi7nxzyoun6zhxrhs64oi/a.b.c/3jzfcijpj2z2a'),
  ('at://did:web:example.com/a.b.c/3jzfcijpj2z2a'), ('at://did:web:a%3ab/a.b.c/:'),
  ('at://jay.bsky.social'), ('at://Jay.Bsky.Social/app.bsky.feed.post/3jzfcijpj2z2a'),
  ('at://jay.bsky.social-x/app.bsky.feed.post'), ('at://a.b/c.d.e/~');
SELECT uri, pg_column_size(uri) AS bytes, length(uri::text) AS characters FROM uris ORDER BY n;
SELECT uri AS wrong FROM uris
WHERE uri::text::atid.at_uri <> uri OR atid.at_uri_send(uri) <> convert_to(uri::text, 'UTF8')
   OR NOT atid.at_uri_is_valid(uri::text);

-- parts, and back
SELECT atid.at_uri_authority(uri) AS authority, atid.at_uri_did(uri) IS NOT NULL AS did,
       atid.at_uri_handle(uri) AS handle, atid.at_uri_collection(uri) AS collection,
       atid.at_uri_rkey(uri) AS rkey, atid.at_uri_tid(uri) AS tid
FROM uris ORDER BY n;
SELECT uri AS wrong
FROM uris, LATERAL (SELECT atid.at_uri_authority(uri), atid.at_uri_collection(uri),
                           atid.at_uri_rkey(uri), atid.at_uri_did(uri)) p(a, c, r, d)
WHERE uri <> CASE WHEN r IS NOT NULL THEN atid.at_uri_make(a, c, r)
                  WHEN c IS NOT NULL THEN atid.at_uri_make(a, c)
                  ELSE atid.at_uri_make(a) END
   OR uri <> CASE WHEN r IS NOT NULL THEN atid.at_uri_make(d, c, r)
                  WHEN c IS NOT NULL THEN atid.at_uri_make(d, c)
                  ELSE atid.at_uri_make(d) END
   OR coalesce(atid.at_uri_did(uri)::text, atid.at_uri_handle(uri)) <> a
   OR a <> split_part(uri::text, '/', 3) OR coalesce(c, '') <> split_part(uri::text, '/', 4)
   OR coalesce(r, '') <> split_part(uri::text, '/', 5) OR atid.at_uri_tid(uri)::text <> r
   OR (atid.at_uri_tid(uri) IS NOT NULL) <> coalesce(atid.tid_is_valid(r), false);
SELECT pg_typeof(atid.at_uri_authority(uri)), pg_typeof(atid.at_uri_handle(uri)),
       pg_typeof(atid.at_uri_collection(uri)), pg_typeof(atid.at_uri_rkey(uri))
FROM uris LIMIT 1;
SELECT atid.at_uri_make('did:plc:x'), atid.at_uri_make('a.b', 'c.d.e'),
       atid.at_uri_make('a.b', 'c.d.e', 'f'), atid.at_uri_make('a.b', NULL, 'f') IS NULL AS strict;
SELECT atid.at_uri_make('x');
SELECT atid.at_uri_make('a.b', 'c.d');
SELECT atid.at_uri_make('a.b', 'c.d.e', 'f/g');
SELECT atid.at_uri_make('did:plc:x'::atid.did, 'c.d.e', '..');

-- order
SELECT uri FROM uris ORDER BY uri;
SELECT a.uri, b.uri AS other
FROM uris a, uris b,
     LATERAL (SELECT CASE WHEN a.uri::text COLLATE "C" < b.uri::text THEN -1
                          WHEN a.uri::text COLLATE "C" > b.uri::text THEN 1 ELSE 0 END) v(sign)
WHERE sign <> sign(atid.at_uri_cmp(a.uri, b.uri))
   OR (a.uri < b.uri) <> (sign < 0) OR (a.uri <= b.uri) <> (sign <= 0)
   OR (a.uri = b.uri) <> (sign = 0) OR (a.uri <> b.uri) <> (sign <> 0)
   OR (a.uri > b.uri) <> (sign > 0) OR (a.uri >= b.uri) <> (sign >= 0)
   OR (sign = 0 AND atid.at_uri_hash(a.uri) <> atid.at_uri_hash(b.uri))
   OR (sign = 0 AND atid.at_uri_hash_extended(a.uri, 7) <> atid.at_uri_hash_extended(b.uri, 7));
SELECT min(uri), max(uri), count(DISTINCT uri) FROM uris;

-- what is refused: every separator in every place
SELECT text AS taken
FROM generate_series(1, 19) at, unnest('{/,//,:,%,?,#,@," ",.,-,_,~,é,\\,+,&,=}'::text[]) c,
     LATERAL (SELECT overlay('at://a.b/c.d.e/f-g' PLACING c FROM at FOR 0)) v(text)
WHERE atid.at_uri_is_valid(text)
ORDER BY text COLLATE "C";
SELECT ''::atid.at_uri;
SELECT 'AT://a.b'::atid.at_uri;
SELECT 'at:/a.b'::atid.at_uri;
SELECT 'at://'::atid.at_uri;
SELECT 'at://a.b/'::atid.at_uri;
SELECT 'at://a.b//c'::atid.at_uri;
SELECT 'at://a.b/c.d.e/'::atid.at_uri;
SELECT 'at://a.b/c.d.e/f/'::atid.at_uri;
SELECT 'at://a.b/c.d.e/f/g'::atid.at_uri;
SELECT 'at://a.b?c'::atid.at_uri;
SELECT 'at://a.b/c.d.e/f#g'::atid.at_uri;
SELECT 'at://did:plc:/c.d.e'::atid.at_uri;
SELECT 'at://a.b-/c.d.e'::atid.at_uri;
SELECT 'at://a.0/c.d.e'::atid.at_uri;
SELECT 'at://a.b/0c.d.e'::atid.at_uri;
SELECT 'at://a.b/c.d.e-f'::atid.at_uri;
SELECT 'at://a.b/c.d.e/.'::atid.at_uri;
SELECT 'at://a.b/c.d.e/f@g'::atid.at_uri;
\set VERBOSITY terse
SELECT ('at://a.b/c.d.e/' || repeat('f', 513))::text::atid.at_uri;
SELECT ('at://a.b/c.d.e/' || repeat('f', 9000))::text::atid.at_uri;
\set VERBOSITY default
-- the longest one
SELECT length(uri::text), uri::text = text AS same
FROM (SELECT 'at://did:web:' || repeat('x', 2040) || '/' || repeat('a.', 127) || repeat('n', 63)
             || '/' || repeat('~', 512)) v(text),
     LATERAL (SELECT text::atid.at_uri) u(uri);

--
-- Casts: in assignments, both ways, with text and varchar; no parsing in between
--
CREATE TABLE as_text (t text, v varchar(100), did atid.did, uri atid.at_uri);
INSERT INTO as_text (t, v) SELECT uri, uri FROM uris WHERE n <= 3;
UPDATE as_text SET uri = t, did = split_part(t, '/', 3);
UPDATE as_text SET uri = v, t = did;
SELECT * FROM as_text ORDER BY uri;
SELECT count(*) FROM as_text WHERE uri = v;

--
-- uri <@ scope, with each kind of index and without
--
SELECT a.uri, b.uri AS scope
FROM uris a, uris b
WHERE (a.uri <@ b.uri)
        <> (a.uri::text = b.uri::text OR starts_with(a.uri::text, b.uri::text || '/'))
   OR (a.uri <@ b.uri) <> (b.uri @> a.uri)
   OR (a.uri <@ b.uri) <> atid.at_uri_contained(a.uri, b.uri)
   OR (a.uri <@ b.uri) <> atid.at_uri_contains(b.uri, a.uri);
SELECT b.uri AS scope, count(*) FROM uris a JOIN uris b ON a.uri <@ b.uri GROUP BY 1
HAVING count(*) > 1 ORDER BY 1;

CREATE TABLE likes (uri atid.at_uri NOT NULL,
  author atid.did GENERATED ALWAYS AS (atid.at_uri_did(uri)) STORED);
INSERT INTO likes
SELECT atid.at_uri_make(
         CASE WHEN i % 50 = 0 THEN 'user' || i % 20 || '.test'
              ELSE 'did:plc:' || translate(substr(md5((i % 40)::text), 1, 24), '0189', 'wxyz') END,
         'app.bsky.feed.' || (ARRAY['like', 'post', 'like-x.y'])[1 + i % 3],
         CASE WHEN i % 11 = 0 THEN 'key-' || i
              ELSE atid.tid_make('2024-01-01Z'::timestamptz + i * interval '1s', 7)::text END)
FROM generate_series(1, 3000) i;
CREATE UNIQUE INDEX likes_uri ON likes (uri);
CREATE INDEX likes_feed ON likes (atid.at_uri_did(uri), atid.at_uri_tid(uri));
VACUUM ANALYZE likes;
CREATE TABLE scopes AS
  SELECT DISTINCT s
  FROM likes, LATERAL (SELECT atid.at_uri_authority(uri)) a(authority),
       LATERAL (VALUES (uri), (atid.at_uri_make(authority)),
                       (atid.at_uri_make(authority, 'app.bsky.feed.like')),
                       (atid.at_uri_make(authority, 'app.bsky.feed'))) v(s);
ANALYZE scopes;
SELECT author::text = split_part(uri::text, '/', 3) AS same, count(*)
FROM likes GROUP BY 1 ORDER BY 1;

EXPLAIN (COSTS OFF) SELECT uri FROM likes WHERE uri <@ 'at://did:plc:c4ca423yawbz23y2wdcc5wza';
EXPLAIN (COSTS OFF) SELECT uri FROM likes WHERE 'at://user0.test/app.bsky.feed.like' @> uri;
EXPLAIN (COSTS OFF) SELECT uri FROM likes WHERE uri <@ 'at://user0.test/app.bsky.feed.like/self';
EXPLAIN (COSTS OFF) SELECT uri FROM likes WHERE atid.at_uri_contained(uri, 'at://user0.test');
SELECT count(*) FROM likes WHERE uri <@ NULL;
-- no index for a condition on the scope's column, or for a scope that differs between rows
EXPLAIN (COSTS OFF) SELECT uri FROM likes WHERE uri @> 'at://user0.test';
EXPLAIN (COSTS OFF) SELECT uri FROM likes WHERE uri <@ atid.at_uri_make(author);
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE within(atid.at_uri) AS SELECT count(*) FROM likes WHERE uri <@ $1;
EXPLAIN (COSTS OFF) EXECUTE within('at://user0.test');
EXPLAIN (COSTS OFF) SELECT count(*) FROM scopes JOIN likes ON uri <@ s;
EXPLAIN (COSTS OFF) SELECT count(*) FROM scopes LEFT JOIN likes ON s @> uri;
-- not even the right to look into the schema
BEGIN;
RESET ROLE;
REVOKE USAGE ON SCHEMA atid FROM PUBLIC;
SET ROLE regress_atid;
EXPLAIN (COSTS OFF) SELECT count(*) FROM scopes JOIN likes ON uri <@ s;
ROLLBACK;
CREATE TEMP TABLE by_index AS SELECT s, count(uri) AS n FROM scopes LEFT JOIN likes ON uri <@ s
  GROUP BY s;
-- the feed of a profile
EXPLAIN (COSTS OFF) SELECT uri FROM likes
  WHERE atid.at_uri_did(uri) = 'did:plc:c4ca423yawbz23y2wdcc5wza'
  ORDER BY atid.at_uri_tid(uri) DESC LIMIT 3;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
CREATE TEMP TABLE by_none AS SELECT s, count(uri) AS n FROM scopes LEFT JOIN likes ON uri <@ s
  GROUP BY s;
CREATE TEMP TABLE by_text AS
  WITH part AS (SELECT uri, string_to_array(uri::text, '/') AS parts FROM likes)
  SELECT s, count(uri) AS n
  FROM scopes
    LEFT JOIN (SELECT uri, array_to_string(parts[:k], '/') AS scope
               FROM part, generate_series(3, cardinality(parts)) AS k) AS l ON s::text = scope
  GROUP BY s;
RESET enable_indexscan;
RESET enable_indexonlyscan;
RESET enable_bitmapscan;
SELECT count(*) AS scopes, sum(n) AS found FROM by_text;
SELECT i.s, i.n AS by_index, b.n AS by_none, t.n AS by_text
FROM by_index i JOIN by_none b USING (s) JOIN by_text t USING (s) WHERE i.n <> b.n OR i.n <> t.n;

-- a scope whose bound would be too long to be an AT URI
SELECT left(scope::text, 20) AS scope, left(upper::text, 20) AS upper, uri <@ scope AS within,
       uri <= upper AS below, atid.at_uri_is_valid(upper::text) AS valid
FROM (VALUES ('at://a.b/a.b.' || repeat('n', 63), '/~'),
             ('at://' || repeat('z', 63) || '.' || repeat('z', 63), '/a.b.c'),
             ('at://did:web:' || repeat('x', 2040), '/a.b.c'),
             ('at://a.b/c.d.e/' || repeat('~', 512), '')) v(t, rest),
     LATERAL (SELECT t::atid.at_uri, (t || rest)::atid.at_uri) w(scope, uri),
     LATERAL (SELECT atid.at_uri_scope_upper(scope)) x(upper);

-- estimated rows: fewer for a collection than for its account
CREATE FUNCTION estimate(query text) RETURNS int LANGUAGE plpgsql AS
$$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  RETURN plan #>> '{0,Plan,Plan Rows}';
END
$$;
SELECT account BETWEEN 3 AND 300 AS account, collection < account AS narrower, record
FROM (VALUES (estimate($$SELECT FROM likes WHERE uri <@ 'at://did:plc:c4ca423yawbz23y2wdcc5wza'$$),
              estimate($$SELECT FROM likes
                WHERE uri <@ 'at://did:plc:c4ca423yawbz23y2wdcc5wza/app.bsky.feed.like'$$),
              estimate($$SELECT FROM likes
                WHERE uri <@ 'at://did:plc:c4ca423yawbz23y2wdcc5wza/app.bsky.feed.like/self'$$))
     ) v(account, collection, record);
-- and of a join, for each scope the square root of a hundredth of the table
SELECT round(estimate($$SELECT FROM (VALUES ('at://a.b'::atid.at_uri), ('at://c.d')) v(s)
                        JOIN likes ON uri <@ s$$) / (2 * sqrt(count(*) / 100.0))) AS as_assumed
FROM likes;

-- BRIN, hash, and a sort that does not abbreviate
CREATE TABLE sorted AS SELECT uri, atid.at_uri_did(uri) AS did FROM likes ORDER BY uri;
CREATE INDEX sorted_brin ON sorted USING brin (uri, did) WITH (pages_per_range = 1);
CREATE INDEX sorted_hash ON sorted USING hash (uri);
CREATE INDEX sorted_hash_did ON sorted USING hash (did);
ANALYZE sorted;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM sorted WHERE uri <@ 'at://user0.test';
SELECT count(*) FROM sorted WHERE uri <@ 'at://user0.test';
DROP INDEX sorted_brin;
EXPLAIN (COSTS OFF) SELECT count(*) FROM sorted WHERE did = 'did:plc:c4ca423yawbz23y2wdcc5wza';
SELECT (SELECT count(*) FROM sorted WHERE did = author) AS by_hash, count(*)
FROM likes WHERE author = 'did:plc:c4ca423yawbz23y2wdcc5wza' GROUP BY author;
RESET enable_seqscan;
-- a hash index cannot be used
EXPLAIN (COSTS OFF) SELECT count(*) FROM sorted WHERE uri <@ 'at://user0.test';
SELECT uri FROM (SELECT uri, lag(uri) OVER () AS before FROM sorted) s
WHERE before::text COLLATE "C" > uri::text;
-- but for a record <@ is =, on either side: for a hash index, an equivalence class, a partial
-- index and the inference of ON CONFLICT
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM sorted WHERE uri <@ 'at://user0.test/c.d.e/f';
EXPLAIN (COSTS OFF) SELECT count(*) FROM sorted WHERE 'at://user0.test/c.d.e/f' @> uri;
EXPLAIN (COSTS OFF) SELECT FROM likes JOIN sorted USING (uri)
  WHERE likes.uri <@ 'at://user0.test/c.d.e/f';
CREATE TABLE one (uri atid.at_uri, n int);
CREATE UNIQUE INDEX one_n ON one (n) WHERE uri <@ 'at://user0.test/c.d.e/f';
EXPLAIN (COSTS OFF) SELECT n FROM one WHERE uri <@ 'at://user0.test/c.d.e/f';
INSERT INTO one SELECT 'at://user0.test/c.d.e/f', 1 FROM generate_series(1, 2)
  ON CONFLICT (n) WHERE uri <@ 'at://user0.test/c.d.e/f' DO NOTHING;
SELECT * FROM one;
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT FROM sorted WHERE uri @> 'at://user0.test/c.d.e/f';

-- the scopes that contain a URI: the account, the collection, itself
SELECT atid.at_uri_scopes(uri) FROM uris WHERE n IN (1, 2, 3, 13, 18, 19, 22) ORDER BY n;
SELECT uri AS wrong FROM uris, LATERAL (SELECT atid.at_uri_scopes(uri)) a(scopes)
WHERE scopes <> (SELECT array_agg(v ORDER BY length(v::text))
                 FROM (SELECT uri UNION SELECT atid.at_uri_make(atid.at_uri_authority(uri))
                       UNION SELECT atid.at_uri_make(atid.at_uri_authority(uri),
                                                     atid.at_uri_collection(uri))) u(v)
                 WHERE v IS NOT NULL)
   OR scopes::text::atid.at_uri[] <> scopes
   OR EXISTS (SELECT FROM unnest(scopes) AS s WHERE NOT uri <@ s);
SELECT count(*) FROM likes JOIN scopes ON uri <@ s;
CREATE INDEX ON scopes (s);
ANALYZE scopes;
SELECT count(*) FROM likes JOIN scopes ON s = ANY (atid.at_uri_scopes(uri));
EXPLAIN (COSTS OFF) SELECT s FROM scopes WHERE s = ANY (atid.at_uri_scopes('at://a.b/c.d.e'));
EXPLAIN (COSTS OFF) SELECT s FROM likes JOIN scopes ON s = ANY (atid.at_uri_scopes(uri));
SELECT atid.at_uri_scopes(NULL);

-- row-level security: the getters are leakproof, so their indexes serve
ALTER TABLE likes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY odd ON likes USING (length(uri::text) % 2 = 1);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT uri FROM likes
  WHERE atid.at_uri_did(uri) = 'did:plc:c4ca423yawbz23y2wdcc5wza'
  ORDER BY atid.at_uri_tid(uri) DESC LIMIT 3;
EXPLAIN (COSTS OFF) SELECT uri FROM likes WHERE uri <@ 'at://user0.test';
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP POLICY odd ON likes;
ALTER TABLE likes DISABLE ROW LEVEL SECURITY;

--
-- Domains, each with one constraint; format_problem() tells the rule and the place
--
CREATE FUNCTION refusal(value text, type text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  message text;
BEGIN
  EXECUTE format('SELECT %L::%s', value, type);
  RETURN '';
EXCEPTION WHEN check_violation THEN
  GET STACKED DIAGNOSTICS message = CONSTRAINT_NAME;
  RETURN message;
END
$$;
CREATE TABLE examples (n serial, format text, value text);
INSERT INTO examples (format, value) VALUES
  ('handle', 'jay.bsky.social'), ('handle', 'XX.LCS.MIT.EDU'), ('handle', 'jo_hn.test'),
  ('handle', 'john.0'), ('handle', 'org'), ('handle', 'a..b'), ('handle', '-a.b'),
  ('handle', repeat('a.', 126) || 'bc'), ('handle', repeat('a', 64) || '.b'), ('handle', ''),
  ('nsid', 'com.example.fooBar'), ('nsid', 'com.exa_mple.foo'), ('nsid', 'com.example'),
  ('nsid', 'com.example.3'), ('nsid', 'com.example.f-o'), ('nsid', '8.cn.x'),
  ('nsid', repeat('a.', 127) || 'b.c'), ('nsid', repeat('a.', 200) || 'c'), ('nsid', 'a.-b.c'),
  ('nsid', repeat('a.', 2) || repeat('b', 64)), ('at-identifier', 'did:m:v'),
  ('at-identifier', 'a.b'), ('at-identifier', 'did:m'), ('at-identifier', '@a.b'),
  ('language', 'hy-Latn-IT-arevela'), ('language', 'en_US'), ('language', 'i-klingon'),
  ('language', ''), ('language', 'english-x'), ('language', 'i-other'),
  ('language', 'en-US-Latn'), ('language', 'en-a'), ('language', 'x'),
  ('uri', 'https://example.com'), ('uri', 'at://did:plc:x/a.b.c/d'), ('uri', 'http:'),
  ('uri', 'x y:z'), ('uri', 'x:y z'), ('uri', 'x:%4'), ('uri', 'x:#y#'), ('uri', 'x:[]'),
  ('uri', 'x:' || repeat('y', 8190)), ('uri', 'x:' || repeat('y', 8191)), ('uri', 'x:é'),
  ('did', 'did:web:x'), ('did', 'did:web:x/y'), ('did', 'did:web:é'), ('did', ''),
  ('did', 'did:web:' || repeat('x', 2041)), ('at-uri', 'at://a.b/c.d.e/f'),
  ('at-uri', 'at://a.b/c.d.e/f?g'), ('at-uri', 'at://' || repeat('é', 9000)),
  ('at-uri', 'at://a.b/c.d.e/' || repeat('f', 9000)), ('tid', '3jzfcijpj2z2a'),
  ('tid', '3jzfcijpj2z2'), ('tid', '3jzfcijpj2z2aa'), ('tid', 'kjzfcijpj2z2a'),
  ('tid', '3jzf-cij-pj2z-2a'), ('tid', ''), ('record-key', 'a:b~c'), ('record-key', '..'),
  ('record-key', 'a/b'), ('record-key', ''), ('record-key', repeat('x', 513)),
  ('cid', 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'),
  ('cid', 'QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR'), ('cid', 'zb2rhe5'),
  ('cid', 'bafy beigdyrzt5'), ('cid', repeat('b', 257)), ('datetime', '2026-03-17T10:20:30.1Z'),
  ('datetime', '2026-03-17'), ('datetime', '2026-02-29T10:20:30Z'),
  ('datetime', '9999-12-31T23:59:59-00:01'), ('datetime', 'é');
SELECT format, left(value, 30) AS value, refusal(value, 'atid.' || translate(format, '-', '_'))
FROM examples WHERE format IN ('handle', 'nsid', 'at-identifier', 'language', 'uri')
ORDER BY n;
SELECT format, left(value, 30) AS value, atid.format_problem(value, format) AS problem
FROM examples WHERE atid.format_problem(value, format) IS NOT NULL ORDER BY n;
-- each value as each format: NULL if the predicate is true and the domain or the type accepts it,
-- and only then
CREATE VIEW verdicts AS
SELECT f.format, value, atid.format_problem(value, f.format) AS problem,
       CASE f.format
         WHEN 'at-identifier' THEN atid.at_identifier_is_valid(value)
         WHEN 'at-uri' THEN atid.at_uri_is_valid(value)
         WHEN 'cid' THEN atid.cid_string_is_valid(value)
         WHEN 'datetime' THEN atid.datetime_is_valid(value)
         WHEN 'did' THEN atid.did_is_valid(value)
         WHEN 'handle' THEN atid.handle_is_valid(value)
         WHEN 'language' THEN atid.language_is_valid(value)
         WHEN 'nsid' THEN atid.nsid_is_valid(value)
         WHEN 'record-key' THEN atid.record_key_is_valid(value)
         WHEN 'tid' THEN atid.tid_is_valid(value)
         WHEN 'uri' THEN atid.uri_is_valid(value) END AS valid
FROM (SELECT DISTINCT format FROM examples) f, examples;
SELECT count(*), count(DISTINCT format) AS formats, count(*) FILTER (WHERE valid) AS valid
FROM verdicts;
SELECT * FROM verdicts WHERE valid IS DISTINCT FROM (problem IS NULL);
SELECT format, value, problem FROM verdicts
WHERE problem !~ '^At character [1-9][0-9]*: [A-Z].* must .*[^.]\.$'
   OR substring(problem FROM '[0-9]+')::int > length(value) + 1;
SELECT format, left(value, 30) AS value
FROM examples
WHERE format IN ('handle', 'nsid', 'at-identifier', 'language', 'uri', 'datetime')
  AND (atid.format_problem(value, format) IS NULL)
      IS DISTINCT FROM (refusal(value, 'atid.' || translate(format, '-', '_')) = '');
-- the words are those of the type's error
CREATE FUNCTION detail(value text, type text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT %L::%s', value, type);
  RETURN NULL;
EXCEPTION WHEN invalid_text_representation THEN
  GET STACKED DIAGNOSTICS result = PG_EXCEPTION_DETAIL;
  RETURN result;
END
$$;
SELECT format, value, problem, detail
FROM verdicts, LATERAL detail(value, 'atid.' || translate(format, '-', '_'))
WHERE format IN ('did', 'at-uri', 'tid') AND problem IS DISTINCT FROM detail;
SELECT atid.format_problem('x', 'DID');
SELECT atid.format_problem('x', '');
SELECT atid.format_problem(NULL, 'none'), atid.format_problem('x', NULL);
\set VERBOSITY terse
SELECT atid.format_problem('x', repeat('é', 100000));
\set VERBOSITY default

-- parts and normal forms
SELECT atid.nsid_authority('com.atproto.sync.getRecord'), atid.nsid_authority('a.b.c'),
       atid.nsid_normalize('COM.Example.fooBar');
SELECT atid.nsid_authority('com.example');
SELECT atid.nsid_authority('com.example.3');
SELECT atid.nsid_normalize('@a.b.c');
SELECT uri, atid.at_uri_normalize(uri) AS normal FROM uris WHERE atid.at_uri_normalize(uri) <> uri
  ORDER BY uri;
-- a DID does not change, byte for byte
SELECT atid.at_uri_normalize('at://did:web:A%3a%zz%c/Com.Example.fooBar/Key');
SELECT uri AS wrong
FROM (SELECT uri FROM uris
      UNION ALL SELECT ('at://did:web:' || e || 'x')::atid.at_uri FROM dids,
        unnest('{%3a,%3A,%41,%61,%2e,%%3a,%c,%zz}'::text[]) AS e) u,
     LATERAL (SELECT atid.at_uri_normalize(uri)) n(normal)
WHERE atid.at_uri_normalize(normal) <> normal OR NOT atid.at_uri_is_valid(normal::text)
   OR atid.at_uri_did(normal) IS DISTINCT FROM atid.at_uri_did(uri)
   OR atid.at_uri_rkey(normal) IS DISTINCT FROM atid.at_uri_rkey(uri)
   OR lower(normal::text) <> lower(uri::text);

-- length, alignment and storage are those of text
CREATE TABLE received (uri atid.at_uri, did atid.did);
SELECT attname, typlen, typalign, typstorage FROM pg_attribute a JOIN pg_type t ON t.oid = atttypid
WHERE attrelid = 'received'::regclass AND attnum > 0 ORDER BY attnum;

RESET ROLE;
-- bytes on disk that this version does not write: of a reserved form, or damaged
CREATE CAST (bytea AS atid.did) WITHOUT FUNCTION;
CREATE CAST (bytea AS atid.at_uri) WITHOUT FUNCTION;
CREATE FUNCTION reading(bytes bytea, type text, expression text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT (%s)::text FROM (SELECT $1::%s) s(v)', expression, type)
    INTO result USING bytes;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate || ' ' || sqlerrm;
END
$$;
SELECT bytes, reading(bytes, 'atid.at_uri', 'v')
FROM unnest('{"","\\x00612e62","\\x01","\\x04","\\x05736e","\\x0f","\\x10"}'::bytea[]) AS bytes;
SELECT bytes, reading(bytes, 'atid.did', 'v')
FROM unnest('{"","\\x6469643a613a62","\\x00","\\x0f61","\\x10","\\x44"}'::bytea[]) AS bytes;
SELECT DISTINCT reading('\x0461', 'atid.at_uri', format('atid.at_uri_%s(v)', f))
FROM unnest('{authority,did,handle,collection,rkey,tid,scopes,normalize,send}'::text[]) AS f;
-- they compare as bytes, are in no scope, and sort as an index has them
SELECT v < 'at://z.z' AS less, v = v AS equal, v <@ 'at://z.z' AS within, v <@ v AS itself,
       atid.at_uri_hash(v) = atid.at_uri_hash('\x0461'::bytea::atid.at_uri) AS hash,
       atid.at_uri_scope_upper(v) > 'at://z.z' AS upper
FROM (SELECT '\x0461'::bytea::atid.at_uri) s(v);
SELECT array_agg(left(atid.at_uri_hash(v)::text, 0) || (v > 'at://z.z') ORDER BY v)
FROM unnest(ARRAY['\x0461'::bytea::atid.at_uri, 'at://a.b', 'at://did:plc:x', 'at://z.b']) AS v;
DROP OWNED BY regress_atid CASCADE;
DROP ROLE regress_atid;
