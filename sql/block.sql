--
-- The type atid.block and its planner support, as a role that was granted nothing and whose
-- search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;

-- packed bytes as they are, which only a superuser can read or write: byteasend returns a copy
CREATE FUNCTION regress_atid.packed_of(atid.block) RETURNS bytea
  LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
CREATE FUNCTION regress_atid.of_packed(bytea) RETURNS atid.block
  LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
SET ROLE regress_atid;

CREATE FUNCTION block_of(record jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE
  RETURN atid.record_to_dag_cbor(record);

CREATE TABLE example (id int PRIMARY KEY, record jsonb);
INSERT INTO example VALUES
  (1, '{"$type": "app.bsky.feed.like", "createdAt": "2024-11-20T12:34:56.789Z", "subject": {
    "uri": "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3kiwuygzb2c2a",
    "cid": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}}'),
  (2, '{"$type": "app.bsky.graph.follow", "createdAt": "2024-11-20T12:34:56Z",
    "subject": "did:plc:ewvi7nxzyoun6zhxrhs64oiz"}'),
  (3, '{"$type": "app.bsky.feed.post", "text": "smörgås 🙂", "langs": ["sv", "en-GB"],
    "createdAt": "2024-11-20T12:34:56+01:00",
    "embed": {"$type": "app.bsky.embed.images", "images": [{"alt": "",
      "image": {"$type": "blob", "size": 300, "mimeType": "image/jpeg",
        "ref": {"$link": "bafkreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}}}]}}'),
  (4, '{"$type": "com.example.thing", "n": [0, -1, 9007199254740991], "yes": true, "no": false,
    "nil": null, "bytes": {"$bytes": "AAEC"}, "who": "did:web:example.com", "": "the empty key"}'),
  (5, '"a text that is no object"'), (6, '[]'), (7, '{}');

--
-- Input and output are those of bytea; what is stored is packed
--
CREATE TABLE packed (id int PRIMARY KEY, block atid.block);
INSERT INTO packed SELECT id, block_of(record) FROM example;

SELECT id, octet_length(e.block) AS bytes, pg_column_size(p.block) - 1 AS packed,
       p.block::bytea = e.block AS same, p.block::text = e.block::text AS same_text,
       p.block::jsonb = e.record AS same_record
FROM packed p JOIN (SELECT id, record, block_of(record) AS block FROM example) e USING (id)
ORDER BY id;

SET bytea_output = escape;
SELECT block FROM packed WHERE id = 6;
RESET bytea_output;
SELECT block FROM packed WHERE id = 6;
SELECT '\x'::atid.block, '\xff'::atid.block, '\xffff'::atid.block, 'abc'::atid.block;
SELECT 'a\'::atid.block;
SELECT '\x0'::atid.block;

-- the binary form is the block
SELECT bool_and(atid.block_send(block) = block::bytea) AS same FROM packed;

--
-- What is no DAG-CBOR comes back too
--
SELECT octet_length(value) AS bytes, pg_column_size(value::atid.block) - 4 AS packed,
       value::atid.block::bytea = value AS same
FROM (VALUES ('\x'::bytea), ('\xff'), ('\xa2616201616101'), ('\x61ff'), ('\xfb3ff0000000000000'),
  (decode(repeat('81', 600), 'hex'))) AS v (value);

--
-- Every reader answers as over bytea, and reads the packed bytes without a cast
--
CREATE TABLE path (path text[]);
INSERT INTO path VALUES ('{}'), ('{$type}'), ('{subject}'), ('{subject,uri}'), ('{subject,cid,0}'),
  ('{createdAt}'), ('{text}'), ('{langs,0}'), ('{langs,-1}'), ('{langs,2}'),
  ('{embed,images,0,image}'), ('{embed,images,0,image,ref}'), ('{embed,images,0,image,ref,$link}'),
  ('{embed,images,0,image,ref,$link,x}'), ('{embed,images,0,image,size}'), ('{n,-1}'), ('{n,1}'),
  ('{yes}'), ('{no}'), ('{nil}'), ('{bytes}'), ('{bytes,$bytes}'), ('{bytes,$link}'), ('{who}'),
  ('{""}'), ('{x}'), ('{NULL}'), ('{{subject,uri}}');

CREATE VIEW answers AS
SELECT id, path, b.block::bytea AS bytes,
       atid.dag_cbor_get(b.block, path) AS get, atid.dag_cbor_get_text(b.block, path) AS get_text,
       atid.dag_cbor_get_block(b.block, path) AS get_block,
       atid.dag_cbor_typeof(b.block, path) AS type_of,
       atid.dag_cbor_ref_uri(b.block, path) AS ref_uri, atid.dag_cbor_is_valid(b.block) AS is_valid
FROM packed b CROSS JOIN path;

SELECT count(*) AS answers, count(get) AS found,
       count(*) FILTER (WHERE (get, get_text, get_block, type_of, ref_uri, is_valid)
         IS DISTINCT FROM (atid.dag_cbor_get(bytes, path), atid.dag_cbor_get_text(bytes, path),
          atid.dag_cbor_get_block(bytes, path), atid.dag_cbor_typeof(bytes, path),
          atid.dag_cbor_ref_uri(bytes, path), atid.dag_cbor_is_valid(bytes))) AS different
FROM answers;
SELECT id, path, get_text, type_of, ref_uri
FROM answers WHERE get IS NOT NULL AND path <> '{}' ORDER BY id, path;

EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM answers;

-- by name and by default; with a cast of one's own; of a domain; of a parameter, in a plan for any
-- value; of NULL
CREATE DOMAIN like_block AS atid.block
  CHECK (atid.dag_cbor_get_text(VALUE, '{$type}') = 'app.bsky.feed.like');
PREPARE of_any AS
SELECT atid.dag_cbor_get_text($1::atid.block, '{text}'),
       atid.dag_cbor_get(block => $1, path => '{}');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (VERBOSE, COSTS OFF)
SELECT atid.dag_cbor_get(path => '{a}', block => block), atid.dag_cbor_get(block),
       atid.dag_cbor_typeof(block::bytea), atid.dag_cbor_get_text(like_block, '{a}'),
       atid.dag_cbor_get_block(NULL::atid.block, '{a}'), atid.dag_cbor_problem(block),
       atid.dag_cbor_is_valid(block, model => true), atid.dag_cbor_get_text('\xa0'::atid.block)
FROM (SELECT block, block::like_block AS like_block FROM packed WHERE id = 1 OFFSET 0) AS p;
EXPLAIN (VERBOSE, COSTS OFF) EXECUTE of_any('\xa0');
EXECUTE of_any('\xa16474657874613f');
RESET plan_cache_mode;
SELECT '\xa0'::like_block;

-- a literal and a parameter are bytea, as they were
SELECT atid.dag_cbor_get('\xa0', '{}');
PREPARE get AS SELECT atid.dag_cbor_get($1, '{a}');
EXECUTE get('\xa1616101');

--
-- Where a call is kept: an index, a check, a column, a policy, PL/pgSQL
--
CREATE TABLE kept (block atid.block CHECK (atid.dag_cbor_is_valid(block)),
  created text GENERATED ALWAYS AS (atid.dag_cbor_get_text(block, '{createdAt}')) STORED);
CREATE INDEX kept_subject ON kept (atid.dag_cbor_ref_uri(block, '{subject}'));
INSERT INTO kept SELECT block FROM packed WHERE atid.dag_cbor_typeof(block) = 'object';
INSERT INTO kept VALUES ('\xff');
SELECT created, count(*) FROM kept GROUP BY created ORDER BY created;
SELECT pg_get_indexdef('kept_subject'::regclass);
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'kept'::regclass;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM kept
WHERE atid.dag_cbor_ref_uri(block, '{subject}') = 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz';
EXPLAIN (COSTS OFF) SELECT * FROM kept
WHERE atid.dag_cbor_ref_uri(block::bytea, '{subject}') = 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz';
SELECT created FROM kept
WHERE atid.dag_cbor_ref_uri(block, '{subject}') = 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz';
RESET enable_seqscan;
DO $$
DECLARE
  b atid.block := (SELECT block FROM packed WHERE id = 3);
BEGIN
  ASSERT atid.dag_cbor_get_text(b, '{text}') = 'smörgås 🙂';
  ASSERT b = block_of((SELECT record FROM example WHERE id = 3));
END $$;

--
-- Where bytea stands next to it
--
SELECT pg_typeof(coalesce(block, '\x00'::bytea)),
       pg_typeof(CASE WHEN true THEN block ELSE '\x00'::bytea END),
       length(block), octet_length(block), encode(block, 'hex'),
       sha256(block) = sha256(block::bytea) AS sha256,
       block = '\x80', '\x80' = block, block < '\x81'::bytea
FROM packed WHERE id = 6;
SELECT block || '\x00' AS appended, substring(block FROM 1 FOR 1), md5(block),
       block IS NULL AS null,
       block BETWEEN '\x80' AND '\x81' AS between, block IN ('\x80'::bytea) AS in
FROM packed WHERE id = 6;
SELECT block FROM packed WHERE id = 6 UNION SELECT '\x80'::bytea;
SELECT DISTINCT block FROM packed;
SELECT count(*) FROM packed a JOIN packed b ON a.block = b.block;
SELECT block FROM packed ORDER BY block;
CREATE INDEX ON packed (block);
SELECT count(DISTINCT block::bytea), count(DISTINCT atid.cid_of(block, 'dag-cbor')) FROM packed;

--
-- What is on disk; what is damaged, and what a later version has written
--
SELECT id, packed_of(block) FROM packed WHERE id <> 3 ORDER BY id;
CREATE TABLE wrong (what text, block atid.block);
INSERT INTO wrong
SELECT what, of_packed(packed)
FROM (VALUES ('nothing', '\x'::bytea), ('a text of 3 bytes', '\x036162'), ('two values', '\x2c2c'),
  ('an object without a value', '\x53'), ('a code to come', '\xf1'),
  ('a string to come', '\xf0ffff'), ('an object to come', '\x92ffff'),
  ('raw inside', '\x47ff'), ('no UTF-8', '\x4702c328'), ('U+0000', '\x47026100'),
  ('a text of 3 bytes within', '\x47036162')) AS v (what, packed);
SELECT what, atid.dag_cbor_get(block, '{0}') AS get,
       atid.dag_cbor_get_text(block, '{0}') AS get_text,
       atid.dag_cbor_get_block(block, '{0}') AS get_block,
       atid.dag_cbor_typeof(block, '{0}') AS type_of, atid.dag_cbor_ref_uri(block, '{0}') AS ref_uri
FROM wrong WHERE what NOT LIKE '% to come';
CREATE FUNCTION error_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE call;
  RETURN 'none';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' ', SQLSTATE, SQLERRM, nullif(detail, ''));
END $$;
SELECT what, call, error_of(format('SELECT %s FROM wrong WHERE what = %L', call, what)) AS error
FROM wrong, (VALUES (1, 'block::text'), (2, 'block::bytea'), (3, 'block::jsonb'),
  (4, 'atid.dag_cbor_get(block)'), (5, 'atid.dag_cbor_ref_uri(block)'),
  (6, 'atid.dag_cbor_is_valid(block)')) AS c (n, call)
ORDER BY what, n;
SELECT what, atid.dag_cbor_is_valid(block) AS is_valid FROM wrong WHERE what NOT LIKE '%to come'
ORDER BY what;

--
-- Functions that others have created in the schema are not called in the place of the extension's
--
RESET ROLE;
BEGIN;
GRANT CREATE ON SCHEMA atid TO regress_atid;
SET LOCAL ROLE regress_atid;
CREATE FUNCTION atid.block_to_bytea(int) RETURNS bytea LANGUAGE sql IMMUTABLE RETURN '\xa0'::bytea;
CREATE FUNCTION atid.block_get(int, text[]) RETURNS int LANGUAGE sql IMMUTABLE RETURN $1;
CREATE FUNCTION atid.block_get_text(like_block, text[]) RETURNS int LANGUAGE sql IMMUTABLE RETURN 0;
SELECT atid.dag_cbor_get(atid.block_to_bytea(id)),
       atid.dag_cbor_get_text(block::like_block, '{$type}')
FROM packed WHERE id = 1;
ROLLBACK;

-- who runs a query need not have the right to use the schema
BEGIN;
REVOKE USAGE ON SCHEMA atid FROM PUBLIC;
SET LOCAL ROLE regress_atid;
SELECT count(get) FROM answers WHERE id = 1;
ROLLBACK;

-- who must not call a function does not do so through the one in its place, and the other way round
BEGIN;
REVOKE EXECUTE ON FUNCTION atid.dag_cbor_get_text(bytea, text[]) FROM PUBLIC;
SET LOCAL ROLE regress_atid;
SELECT error_of('SELECT atid.dag_cbor_get_text(block, $${$type}$$) FROM packed') AS error;
ROLLBACK;
BEGIN;
REVOKE EXECUTE ON FUNCTION atid.block_to_bytea(atid.block) FROM PUBLIC;
SET LOCAL ROLE regress_atid;
SELECT error_of('SELECT atid.dag_cbor_get_text(block, $${$type}$$) FROM packed') AS error;
ROLLBACK;
BEGIN;
REVOKE EXECUTE ON FUNCTION atid.block_get_text(atid.block, text[]) FROM PUBLIC;
SET LOCAL ROLE regress_atid;
SELECT error_of('SELECT atid.dag_cbor_get_text(block, $${$type}$$) FROM packed') AS error;
ROLLBACK;

-- and a plan is made again when what was replaced may no longer be called
BEGIN;
SET LOCAL ROLE regress_atid;
SET LOCAL plan_cache_mode = force_generic_plan;
PREPARE replaced AS SELECT count(atid.dag_cbor_get_text(block, '{$type}')) FROM packed;
EXECUTE replaced;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION atid.dag_cbor_get_text(bytea, text[]) FROM PUBLIC;
SET LOCAL ROLE regress_atid;
SELECT error_of('EXECUTE replaced') AS error;
ROLLBACK;

-- the planner looks at the condition of an EXISTS as one of the query around it
SET ROLE regress_atid;
SELECT o.id, EXISTS (SELECT FROM packed e JOIN packed p ON p.id = e.id JOIN packed q ON q.id = p.id
    WHERE e.id = o.id AND atid.dag_cbor_typeof(q.block, '{subject}') = 'object') AS refers
FROM packed o ORDER BY id;

-- a path that is longer than any block is deep
SET ROLE regress_atid;
SELECT atid.dag_cbor_get_text(block, array_fill(''::text, ARRAY[1000000])) IS NULL AS packed,
       atid.dag_cbor_get_text(block::bytea || '',
                              array_fill(''::text, ARRAY[1000000])) IS NULL AS plain
FROM packed WHERE id = 1;

-- rows are compared by their columns' operators, of which there is none
SELECT error_of('SELECT a.* IS DISTINCT FROM b.* FROM packed AS a, packed AS b') AS error;
SELECT count(*) FROM packed AS a, packed AS b WHERE a.* *= b.*;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
