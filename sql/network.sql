--
-- What a network's tables are made with: fields of a block, references as arrays,
-- and the subjects of labels.  As a role that was granted nothing and whose
-- search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SHOW search_path;

--
-- Fields of a block
--
CREATE TABLE blocks (n int, record jsonb, block bytea
  GENERATED ALWAYS AS (atid.record_to_dag_cbor(record)) STORED);
INSERT INTO blocks VALUES
  (1, '{"a": [1, {"z": "q", "": 0}, null, [[], {}]], "l": {"$link": "bafkqaaa"},
        "b": {"$bytes": "AQI"},
        "n": -17, "t": true, "f": false, "z": null, "ü": "é", "bb": {"0": "zero",
        "-1": "minus one", "c": 1}}'),
  (2, '["x", 9223372036854775807, -9223372036854775808]'),
  (3, '"scalar"'), (4, '{}'), (5, '[]'), (6, 'null'), (7, '{"$link": "bafkqaaa"}'),
  (8, '{"$bytes": ""}'), (9, '300'),
  (10, NULL);
CREATE TABLE paths (path text[]);
INSERT INTO paths VALUES
  ('{}'), ('{a}'), ('{a,0}'), ('{a,1}'), ('{a,1,z}'), ('{a,1,""}'), ('{a,2}'), ('{a,3,0}'),
    ('{a,3,1}'), ('{a,4}'),
  ('{a,-1}'), ('{a,-4}'), ('{a,-5}'), ('{a," 1"}'), ('{a,+1}'), ('{a,-0}'), ('{a,001}'),
    (E'{a,"\t1"}'), ('{a,"1 "}'),
  ('{a,""}'), ('{a,1x}'), ('{a,x}'), ('{a,1.0}'), ('{a,-}'), ('{a,2147483647}'),
    ('{a,2147483648}'), ('{a,-2147483648}'),
  ('{a,-2147483649}'), ('{a,99999999999999999999}'), ('{a,NULL}'), ('{NULL}'), ('{{a,1},{z,0}}'),
    ('{l}'), ('{l,$link}'),
  ('{l,$link,0}'), ('{l,$bytes}'), ('{b}'), ('{b,$bytes}'), ('{b,$link}'), ('{n}'), ('{n,0}'),
    ('{t}'), ('{f}'), ('{z}'), ('{z,z}'),
  ('{ü}'), ('{bb,0}'), ('{bb,-1}'), ('{bb,-2}'), ('{0}'), ('{1}'), ('{-1}'), ('{$link}'),
    ('{$bytes}'), ('{zzz}'), ('{""}');
SELECT count(*), count(record #> path) AS found FROM blocks, paths;
-- all of these are as the operators of jsonb have them: none differs
SELECT n, path, atid.dag_cbor_get(block, path), record #> path AS wanted
FROM blocks, paths WHERE atid.dag_cbor_get(block, path) IS DISTINCT FROM record #> path;
SELECT n, path, atid.dag_cbor_get_block(block, path),
  atid.record_to_dag_cbor(record #> path) AS wanted
FROM blocks, paths
WHERE atid.dag_cbor_get_block(block, path) IS DISTINCT
  FROM atid.record_to_dag_cbor(record #> path);
-- but for links and bytes
SELECT n, path, atid.dag_cbor_get_text(block, path), record #>> path AS of_jsonb
FROM blocks, paths WHERE atid.dag_cbor_get_text(block, path) IS DISTINCT
  FROM record #>> path ORDER BY n, path;
SELECT n, path, atid.dag_cbor_typeof(block, path),
  jsonb_typeof(record #> path) AS of_jsonb
FROM blocks, paths WHERE atid.dag_cbor_typeof(block, path) IS DISTINCT
  FROM jsonb_typeof(record #> path)
ORDER BY n, path;
-- without a path it is the whole block
SELECT n, atid.dag_cbor_get(block) = record AS get,
  atid.dag_cbor_get_block(block) = block AS block,
  atid.dag_cbor_get_text(block) = atid.dag_cbor_get_text(block, '{}') AS text,
  atid.dag_cbor_typeof(block), atid.dag_cbor_get_text(block)
FROM blocks WHERE n IN (2, 3, 7, 10) ORDER BY n;
-- NULL, and what has no parts
SELECT atid.dag_cbor_get(NULL, '{a}'), atid.dag_cbor_get('\xa0', NULL),
  atid.dag_cbor_get('\xa0', '{NULL}'), atid.dag_cbor_get('\xa0', ARRAY[]::text[]);

--
-- Damage: what is behind the field does not matter
--
SELECT atid.dag_cbor_get('\xa2616101616202', '{a}'),
       atid.dag_cbor_get('\xa2616101ff', '{a}') AS tail,
       atid.dag_cbor_get('\xa26161016162', '{a}') AS cut,
       atid.dag_cbor_get('\xa2616101616202ff', '{a}') AS more,
       atid.dag_cbor_get('\xa2616201616102', '{a}') AS not_in_order;
-- what the four functions say of a field, as one row
CREATE FUNCTION fields(block bytea, path text[], OUT get jsonb, OUT text text, OUT block bytea,
  OUT type text) LANGUAGE sql IMMUTABLE
  RETURN (atid.dag_cbor_get($1, $2), atid.dag_cbor_get_text($1, $2),
    atid.dag_cbor_get_block($1, $2), atid.dag_cbor_typeof($1, $2));
-- what is before the field, only where it cannot be passed over; there is no field without a block
SELECT what, f.* FROM (VALUES
  ('not UTF-8', '\xa2616161ff616202'::bytea), ('a floating-point number', '\xa26161f97e00616202'),
  ('a tag', '\xa26161c100616202'), ('not in its shortest form', '\xa261611801616202'),
  ('too long', '\xa26161bb7fffffffffffffff616202'), ('a key that is no text', '\xa2010061 6202'),
  ('no block', '\x')) v (what, block), fields(v.block, '{b}') f;
-- a map or an array around the field: more items than there are bytes left
SELECT what, f.* FROM (VALUES
  ('map, cut', '\xa5616101616202'::bytea), ('not cut so far', '\xa3616101616202'),
  ('array, cut', '\x8400')) v (what, block),
  fields(v.block, CASE WHEN what LIKE 'array%' THEN '{0}' ELSE '{a}' END::text[]) f;
-- the field itself is checked; but of a map or an array the type is in its head
SELECT what, f.* FROM (VALUES
  ('not UTF-8', '\xa2616161ff616202'::bytea), ('... in an array', '\xa161618161ff'),
  ('cut', '\xa16161826162'), ('a floating-point number', '\xa16161fa00000000'),
  ('a link to nothing', '\xa16161d82a4100'), ('behind what has no JSON',
    '\xa1 6161 82 a1 65246c696e6b 01 61ff')) v (what, block), fields(v.block, '{a}') f;
-- the whole block, to its end
SELECT v.block, f.* FROM unnest('{"\\x", "\\x80ff", "\\xa1616161ff", "\\x01ff", "\\xa0ff",
  "\\xa165246c696e6b01ff"}'::bytea[]) v (block), fields(v.block, '{}') f;
-- a link and bytes that are damaged have no text either
SELECT v.block, path, f.* FROM (VALUES ('\xa16161d82a4100'::bytea, '{a,$link}'::text[]),
  ('\xa1616142aa', '{a,$bytes}'), ('\xd82a450001550000ff', '{$link}')) v (block, path),
  fields(v.block, path) f;
-- the functions that check a block say what is wrong
SELECT atid.dag_cbor_is_valid('\xa2616161ff616202'), atid.dag_cbor_problem('\xa2616161ff616202');
-- a block that is one value, without a path
SELECT atid.dag_cbor_get_text(b), atid.dag_cbor_typeof(b)
FROM unnest('{"\\x6161","\\x01","\\xf6","\\xa0","\\xd82a450001550000"}'::bytea[]) b;
-- what text and jsonb cannot hold: U+0000, and a map that JSON has another meaning for
SELECT what, atid.dag_cbor_get_text(block, '{t}') AS text,
  atid.dag_cbor_typeof(block, '{t}') AS type,
  atid.dag_cbor_get_block(block, '{t}') AS block
FROM (VALUES ('U+0000', '\xa1617463610062'::bytea), ('in an array', '\xa1 6174 82 01 63610062'),
  ('in a key', '\xa1 6174 a1 63610062 01'),
  ('a map of $link', '\xa1 6174 a1 65246c696e6b 01'),
  ('one deeper', '\xa1 6174 81 a1 662462797465 73 01')) v (what, block);
SELECT atid.dag_cbor_get('\xa1617463610062', '{t}');
SELECT atid.dag_cbor_get('\xa1 6174 82 01 63610062', '{t}');
SELECT atid.dag_cbor_get('\xa1617463610062', '{}');
SELECT atid.dag_cbor_to_json(atid.dag_cbor_get_block('\xa1617463610062', '{t}'));
SELECT atid.dag_cbor_get('\xa1 6161 a1 65246c696e6b 01', '{a,$link}');
SELECT atid.dag_cbor_get('\xa1 6161 a1 65246c696e6b 01', '{a}');
-- texts of all lengths, whose heads may have a zero byte
SELECT count(*), bool_and(atid.dag_cbor_get_text(atid.record_to_dag_cbor(
  jsonb_build_object('t', repeat('x', n))), '{t}') = repeat('x', n))
FROM generate_series(0, 1100) n;
-- as deep as a block may be, and deeper
SELECT atid.dag_cbor_get(decode(repeat('81', 512) || '01', 'hex'), array_fill('0'::text,
  '{512}')) AS "512";
SELECT atid.dag_cbor_get(decode(repeat('81', 513) || '01', 'hex'), array_fill('0'::text,
  '{513}')) IS NULL AS "513";
SELECT atid.dag_cbor_get(block) IS NULL AS get, atid.dag_cbor_get_text(block) IS NULL AS text,
  atid.dag_cbor_get_block(block) IS NULL AS block, atid.dag_cbor_typeof(block) IS NULL AS type,
  atid.dag_cbor_typeof(block, '{0}') AS head
FROM decode(repeat('81', 513) || '01', 'hex') block;

--
-- References as an array
--
INSERT INTO blocks VALUES
  (20, '{"subject": {"uri": "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/self",
                     "cid": "bafkqaaa"}}'),
  (21, '{"subject": "did:plc:ewvi7nxzyoun6zhxrhs64oiz"}'),
  (22, '{"b": ["did:web:b.example", "at://did:web:b.example", "did:web:a.example",
               "at://a.example.com/app.bsky.feed.post"],
         "not": ["did:web:", "at://", " did:web:c.example", "did:web:c.example#a",
         "at://did:web:c.example/x"], "did:web:d.example": 1,
         "l": {"$link": "bafkqaaa"}, "n": 12}'),
  (23, jsonb_build_array('did:web:' || repeat('a', 1187), 'did:web:' || repeat('b', 1188),
    'at://did:web:' || repeat('c', 1187),
                         'at://did:web:' || repeat('d', 1188)));
SELECT n, atid.record_ref_uris(record),
  atid.dag_cbor_ref_uris(block) = atid.record_ref_uris(record) AS block_too
FROM blocks WHERE n <> 23 ORDER BY n;
SELECT n, left(u::text, 15), octet_length(u::text),
  atid.dag_cbor_ref_uris(block) = atid.record_ref_uris(record) AS block_too
FROM blocks, unnest(atid.record_ref_uris(record)) u WHERE n = 23;
SELECT n, path, atid.dag_cbor_ref_uris(block, path), atid.record_ref_uris(record #> path)
FROM blocks, (TABLE paths UNION VALUES ('{subject}'::text[]), ('{subject,uri}'), ('{b}'),
  ('{b,0}')) p
WHERE atid.dag_cbor_ref_uris(block, path) IS DISTINCT
  FROM atid.record_ref_uris(record #> path);
-- one expression for all that have a subject
SELECT n, (atid.dag_cbor_ref_uris(block, '{subject}'))[1] AS subject FROM blocks WHERE n IN (20, 21,
  22) ORDER BY n;
-- the one reference of a field is the first of the array, if the field is one or has one as
-- its uri
SELECT n, path, atid.dag_cbor_ref_uri(block, path),
  (atid.dag_cbor_ref_uris(block, path))[1] IS NOT DISTINCT
    FROM atid.dag_cbor_ref_uri(block, path) AS first
FROM blocks, (VALUES ('{}'::text[]), ('{subject}'), ('{subject,uri}'), ('{b}'), ('{b,0}'),
  ('{not,3}'), ('{0}'), ('{1}'), ('{2}'), ('{3}')) p (path)
WHERE atid.dag_cbor_ref_uris(block, path) <> '{}' AND n <> 23 ORDER BY n, path;
SELECT path, octet_length(atid.dag_cbor_ref_uri(block, ARRAY[path])::text)
FROM blocks, unnest('{0,1,2,3}'::text[]) path WHERE n = 23 ORDER BY path;
SELECT atid.dag_cbor_ref_uri(atid.record_to_dag_cbor(r)) AS refers_to, r
FROM unnest('{"{\"uri\": \"did:web:a.example\"}",
  "{\"uri\": {\"uri\": \"did:web:a.example\"}}",
  "{\"uri\": \"https://a.example\"}", "{\"url\": \"did:web:a.example\"}",
  "[\"did:web:a.example\"]",
  "\"did:web:a.example\"", "\"at://a.example\"", "\"\"", "1", "null", "{}"}'::jsonb[]) r;
SELECT atid.dag_cbor_ref_uri(NULL), atid.dag_cbor_ref_uri('\xa0', NULL),
  atid.dag_cbor_ref_uri('\xff'), atid.dag_cbor_ref_uri('\x'),
  atid.dag_cbor_ref_uri('\xa1 63757269 78'),
  atid.dag_cbor_ref_uri('\xa1 63757269 79ffff64'),
  atid.dag_cbor_ref_uri('\xa1 6161 d82a 450001550000', '{a,$link}');
-- what is no record, and what is no block, has none, and is no error
SELECT r, atid.record_ref_uris(r) IS NULL AS none
FROM unnest('{"\"did:web:a.example\"","[\"did:web:a.example\", 0.5]","{\"a\": {\"$link\": \"x\"}}",
              "[1e30]"}'::jsonb[]) r;
SELECT atid.dag_cbor_ref_uris('\xff'), atid.dag_cbor_ref_uris('\x'),
  atid.dag_cbor_ref_uris('\xa0ff'),
       atid.dag_cbor_ref_uris('\xa1617463610062') AS u0000, atid.dag_cbor_ref_uris('\xa2616101ff',
       '{a}') AS before,
       atid.dag_cbor_ref_uris('\xa2616101ff', '{b}') AS behind;

--
-- Subjects of labels
--
SELECT s, atid.at_uri_from_subject_or_null(s) AS uri,
       atid.at_uri_to_subject(atid.at_uri_from_subject_or_null(s)) = s AS comes_back
FROM unnest('{did:plc:ewvi7nxzyoun6zhxrhs64oiz,did:web:a.example,
  at://did:web:a.example/app.bsky.feed.post/3jzfcijpj2z2a,
  at://a.example.com/app.bsky.feed.post/3jzfcijpj2z2a,at://did:web:a.example/app.bsky.feed.post,
  at://did:web:a.example,
  at://a.example.com,at://did:web:a.example/,a.example.com,did:web:,did:,"",
  https://a.example.com}'::text[]) s;
SELECT atid.at_uri_to_subject('at://a.example.com'),
  atid.at_uri_to_subject('at://did:web:a.example');
SELECT atid.at_uri_from_subject_or_null('did:web:' || repeat('a', 2040)) IS NULL AS longest,
       atid.at_uri_from_subject_or_null('did:web:' || repeat('a', 2041)) IS NULL AS longer,
       atid.at_uri_from_subject_or_null(repeat('a', 10000000)) IS NULL AS very_long;

--
-- Where an expression may stand
--
CREATE TABLE likes (
  uri     atid.at_uri PRIMARY KEY,
  block   bytea NOT NULL CHECK (atid.dag_cbor_is_valid(block)),
  subject text GENERATED ALWAYS AS (atid.dag_cbor_get_text(block, '{subject,uri}')) STORED
);
CREATE INDEX ON likes (atid.dag_cbor_get_text(block, '{createdAt}'))
  WHERE atid.dag_cbor_typeof(block, '{via}') IS NULL;
CREATE INDEX ON likes USING gin (atid.dag_cbor_ref_uris(block));
CREATE INDEX ON likes (atid.dag_cbor_ref_uri(block, '{subject}'));
CREATE STATISTICS likes_stats ON (atid.dag_cbor_ref_uri(block, '{subject}')),
  (atid.dag_cbor_get_text(block, '{createdAt}')) FROM likes;
INSERT INTO likes
SELECT format('at://did:web:a%s.example/app.bsky.feed.like/3jzfcijpj2z2a', n)::atid.at_uri,
  atid.record_to_dag_cbor(jsonb_build_object('createdAt', n, 'subject',
    jsonb_build_object('uri', format('at://did:web:b.example/app.bsky.feed.post/%s', n % 10))))
FROM generate_series(1, 1000) n;
ANALYZE likes;
SELECT count(*), min(subject), max(subject) FROM likes;
SET enable_seqscan = off;
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) SELECT FROM likes WHERE atid.dag_cbor_ref_uri(block,
  '{subject}') = 'at://did:web:b.example/app.bsky.feed.post/3';
SELECT count(*) FROM likes WHERE atid.dag_cbor_ref_uri(block,
  '{subject}') = 'at://did:web:b.example/app.bsky.feed.post/3';
EXPLAIN (COSTS OFF) SELECT FROM likes
  WHERE atid.dag_cbor_ref_uris(block) @> '{at://did:web:b.example/app.bsky.feed.post/3}';
SELECT count(*) FROM likes
  WHERE atid.dag_cbor_ref_uris(block) @> '{at://did:web:b.example/app.bsky.feed.post/3}';
SELECT count(*) FROM likes
  WHERE atid.dag_cbor_ref_uris(block) && '{at://did:web:b.example/app.bsky.feed.post/3,
  at://did:web:b.example/app.bsky.feed.post/4}';
EXPLAIN (COSTS OFF) SELECT FROM likes WHERE atid.dag_cbor_get_text(block, '{createdAt}') = '17'
  AND atid.dag_cbor_typeof(block, '{via}') IS NULL;
-- what the server prints of an expression can be read again
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE indrelid = 'likes'::regclass
  AND indexprs IS NOT NULL ORDER BY indexrelid;

--
-- Under row security a condition reaches an index only if it is LEAKPROOF.
--
CREATE INDEX ON likes (subject);
ALTER TABLE likes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON likes USING (atid.at_uri_authority(uri) <> 'did:web:a13.example');
EXPLAIN (COSTS OFF) SELECT FROM likes
  WHERE atid.dag_cbor_ref_uri(block, '{subject}') = 'at://did:web:b.example/app.bsky.feed.post/3';
SELECT count(*) FROM likes
  WHERE atid.dag_cbor_ref_uri(block, '{subject}') = 'at://did:web:b.example/app.bsky.feed.post/3';
EXPLAIN (COSTS OFF) SELECT FROM likes
  WHERE subject = 'at://did:web:b.example/app.bsky.feed.post/3';
RESET enable_seqscan;
-- so do the fields of a block
EXPLAIN (COSTS OFF) SELECT FROM likes WHERE atid.dag_cbor_get_text(block, '{createdAt}') = '17'
  AND atid.dag_cbor_typeof(block, '{via}') IS NULL;
SELECT uri FROM likes WHERE atid.dag_cbor_get_text(block, '{createdAt}') = '17'
  AND atid.dag_cbor_typeof(block, '{via}') IS NULL;
SELECT uri FROM likes WHERE atid.dag_cbor_get_text(block, '{createdAt}') = '13'
  AND atid.dag_cbor_typeof(block, '{via}') IS NULL;
-- not so the array operators of the server
EXPLAIN (COSTS OFF) SELECT FROM likes
  WHERE atid.dag_cbor_ref_uris(block) @> '{at://did:web:b.example/app.bsky.feed.post/3}';

--
-- Damaged blocks: no query over them fails, in whatever order the planner puts its conditions.
--
CREATE TABLE of_strangers (n int PRIMARY KEY, block bytea NOT NULL);
INSERT INTO of_strangers
SELECT n, CASE n % 4 WHEN 0 THEN whole WHEN 1 THEN substr(whole, 1, n % length(whole))
  WHEN 2 THEN set_byte(whole, n % length(whole), 255) ELSE '\xff' END
FROM generate_series(1, 2000) n,
  atid.record_to_dag_cbor(jsonb_build_object('text', 't' || n % 50, 'n', n,
    'langs', '["de"]'::jsonb)) whole;
CREATE VIEW post AS
SELECT n, atid.dag_cbor_get_text(block, '{text}') AS text,
  atid.dag_cbor_get(block, '{n}') AS number, atid.dag_cbor_typeof(block, '{langs}') AS langs,
  atid.dag_cbor_get_block(block, '{langs,0}') AS lang
FROM of_strangers WHERE atid.dag_cbor_typeof(block) = 'object';
CREATE VIEW sound WITH (security_barrier) AS
SELECT * FROM post WHERE langs = 'array';
SELECT count(*), count(DISTINCT text), sum(number::int), count(lang) FROM post;
SELECT count(*) FROM post WHERE text = 't12' AND number > '100' AND langs IS NOT NULL;
SELECT count(*) FROM sound WHERE text = 't12' AND lang = '\x626465';
-- the condition is put beside those of the barrier
EXPLAIN (COSTS OFF) SELECT FROM sound WHERE text = 't12';
CREATE INDEX ON of_strangers (atid.dag_cbor_get_text(block, '{text}'));
ANALYZE of_strangers;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT FROM post WHERE text = 't12';
SELECT count(*) FROM post WHERE text = 't12';
SELECT count(*), count(p.text) FROM of_strangers o LEFT JOIN post p
  ON atid.dag_cbor_get_text(o.block, '{text}') = p.text AND p.n % 7 = 0;
RESET enable_seqscan;
RESET enable_bitmapscan;

RESET ROLE;
DROP OWNED BY regress_atid;
DROP ROLE regress_atid;
