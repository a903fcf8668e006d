-- repository: CARs, trees, repositories

-- depths of keys
SELECT k AS key, atid.mst_key_depth(k)
  FROM unnest('{"",2653ae71,blue,app.bsky.feed.post/454397e440ec,
                app.bsky.feed.post/9adeb165882c}'::text[]) k;

SELECT atid.mst_key_depth(NULL);

-- a table of records of two accounts
CREATE TABLE entries (did text, key text, value atid.cid_link);

INSERT INTO entries
  SELECT 'did:web:a.example',
         'app.bsky.feed.post/'
           || atid.tid_make('2024-01-01Z'::timestamptz + i * interval '1 min', 7),
         atid.cid_of(convert_to(i::text, 'UTF8'), 'dag-cbor')
    FROM generate_series(1, 200) i;

INSERT INTO entries
  SELECT 'did:web:b.example', 'app.bsky.graph.follow/' || i,
         atid.cid_of(convert_to(i::text, 'UTF8'), 'dag-cbor')
    FROM generate_series(1, 5) i;

-- the root of the empty tree, also if no row is left
SELECT atid.mst_root(key, value) FROM entries WHERE false;

SELECT atid.mst_root('app.bsky.feed.post/3jzfcijpj2z2a', atid.cid_of('', 'dag-cbor'));

-- a group for each account, also with the rows of the groups mixed
SELECT did, count(*), atid.mst_root(key, value ORDER BY key COLLATE "C") AS root
  FROM entries GROUP BY did ORDER BY did;

SELECT e.did, atid.mst_root(key, value) = r.root AS same
  FROM (SELECT * FROM entries ORDER BY key COLLATE "C") e
  JOIN (SELECT did, atid.mst_root(key, value ORDER BY key COLLATE "C") AS root
          FROM entries GROUP BY did) r USING (did)
 GROUP BY e.did, r.root ORDER BY e.did;

-- window frames: all before, and some around
SELECT key, running = direct AS running, sliding = around AS sliding
  FROM (SELECT key, row_number() OVER w AS n,
               atid.mst_root(key, value) OVER w AS running,
               atid.mst_root(key, value) OVER (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
                 AS sliding
          FROM entries WHERE did = 'did:web:b.example' WINDOW w AS (ORDER BY key COLLATE "C")) x,
       LATERAL (SELECT atid.mst_root(e.key, e.value ORDER BY e.key COLLATE "C")
                         FILTER (WHERE e.key <= x.key) AS direct,
                       atid.mst_root(e.key, e.value ORDER BY e.key COLLATE "C")
                         FILTER (WHERE abs(i - n) <= 1) AS around
                  FROM (SELECT *, row_number() OVER (ORDER BY key COLLATE "C") AS i
                          FROM entries WHERE did = 'did:web:b.example') e) y
 ORDER BY key;

SELECT key, length(atid.mst_car(key, value) OVER w),
       length(atid.car_agg(value, value, '\x00') OVER (PARTITION BY key))
  FROM entries WHERE did = 'did:web:b.example' WINDOW w AS (ORDER BY key COLLATE "C") ORDER BY key;

-- what is no entry
SELECT atid.mst_root(key, value ORDER BY key COLLATE "C" DESC)
  FROM entries WHERE did = 'did:web:b.example';
SELECT atid.mst_root(k, NULL) FROM unnest('{a}'::text[]) k;
SELECT atid.mst_root(NULL, value) FROM entries;
SELECT atid.mst_car(NULL, value) FROM entries;
SELECT atid.mst_root('', value) FROM entries;
SELECT atid.mst_root(repeat('x', 1025), value) FROM entries;
SELECT atid.mst_root('a b', value) FROM entries;
SELECT atid.mst_root(U&'caf\00E9', value) FROM entries;
SELECT atid.mst_root('a/1', value) FROM entries;

-- a tree as a CAR, and its entries
CREATE TABLE trees AS
  SELECT did, atid.mst_car(key, value ORDER BY key COLLATE "C") AS car,
         atid.mst_root(key, value ORDER BY key COLLATE "C") AS root
    FROM entries GROUP BY did;

SELECT did, length(car), n, cid = root AS "root of both",
       atid.car_is_valid(car), atid.car_problem(car)
  FROM trees, atid.car_roots(car) ORDER BY did;

SELECT did, count(*) AS blocks, count(*) FILTER (WHERE cid = root) AS roots,
       count(*) FILTER (WHERE cid <> atid.cid_of(block, 'dag-cbor')) AS wrong
  FROM trees, atid.car_blocks(car) GROUP BY did ORDER BY did;

SELECT did, key, value FROM (SELECT did, e.* FROM trees, atid.mst_entries(car) e) x
EXCEPT ALL SELECT * FROM entries;

SELECT * FROM atid.mst_entries((SELECT atid.mst_car(key, value) FROM entries WHERE false));
SELECT * FROM atid.mst_entries(NULL);
SELECT key FROM trees, atid.mst_entries(car, root, NULL) WHERE did = 'did:web:b.example';

-- byte for byte
SELECT did, atid.car_agg(root, cid, block ORDER BY n) = car AS same
  FROM trees, atid.car_blocks(car) GROUP BY did, car ORDER BY did;

SELECT * FROM atid.car_roots((SELECT atid.car_agg(NULL, atid.cid_of('x', 'raw'), 'x')));
SELECT * FROM atid.car_blocks((SELECT atid.car_agg(NULL, atid.cid_of('x', 'raw'), 'x')));
SELECT atid.car_agg(root, root, '') FROM trees WHERE false;
SELECT atid.car_agg(root, root, '') FROM trees;
SELECT atid.car_agg(root, NULL, '') FROM trees;
SELECT atid.car_agg(root, root, NULL) FROM trees;

-- checked, and unchecked
SELECT * FROM atid.car_blocks((SELECT atid.car_agg(NULL, atid.cid_of('x', 'raw'), 'y')));
SELECT * FROM atid.car_blocks((SELECT atid.car_agg(NULL, atid.cid_of('x', 'raw'), 'y')),
                              verify => false);
SELECT * FROM atid.car_blocks((SELECT atid.car_agg(NULL, atid.cid_of('x', 'raw'), 'y')),
                              verify => NULL);
SELECT * FROM atid.car_blocks((SELECT substr(car, 1, length(car) - 1)
                                 FROM (SELECT atid.car_agg(NULL, atid.cid_of('x', 'raw'),
                                                           'x') AS car) AS c),
                              verify => false);
SELECT * FROM atid.car_blocks(NULL);
SELECT atid.car_problem('\x00'), atid.car_problem('\x0a'), atid.car_is_valid('\x');
SELECT * FROM atid.car_roots('\x00');
SELECT atid.car_problem(atid.car_agg(NULL, cid, block ORDER BY n)),
       atid.car_problem(substr(atid.car_agg(NULL, atid.cid_of(block, 'raw'), block ORDER BY n),
                               1, 60))
  FROM (VALUES (1, atid.cid_of('a', 'raw'), 'a'::bytea), (2, atid.cid_of('b', 'raw'), 'x'))
    AS b (n, cid, block);

-- a node of more entries than the walk still has room for, below another
SELECT count(*) AS entries, count(e.key) AS found
  FROM (SELECT atid.mst_root(key, value ORDER BY key) AS root,
               atid.mst_car(key, value ORDER BY key) AS car, array_agg(key) AS keys
          FROM (SELECT (name || '/' || i) COLLATE "C" AS key, depth,
                       atid.cid_of('', 'dag-cbor') AS value
                  FROM (VALUES ('a', 1199, 1), ('b', 1099, 0)) v (name, last, depth),
                       generate_series(1000, last) i) k
         WHERE atid.mst_key_depth(key) = depth) t,
       unnest(keys) k LEFT JOIN atid.mst_entries(car, root) e ON e.key = k;

-- the root must be that of a tree
SELECT count(*) FROM trees, atid.mst_entries(car, atid.cid_of('', 'raw'));
SELECT count(*) FROM trees, atid.mst_entries(car, atid.cid_of('', 'dag-cbor'));
SELECT count(*) FROM atid.mst_entries((SELECT atid.car_agg(NULL, atid.cid_of('x', 'raw'), 'x')));

-- the block of a record that is not that of its CID
SELECT root, atid.car_agg(root, cid, block ORDER BY n) AS car
  FROM (SELECT atid.mst_root(key, value) AS root, atid.mst_car(key, value) AS car
          FROM (VALUES ('a/b', atid.cid_of('a', 'dag-cbor'))) e (key, value)) t,
       LATERAL (SELECT * FROM atid.car_blocks(t.car)
                UNION ALL SELECT 2, atid.cid_of('a', 'dag-cbor'), 'x') b
 GROUP BY root \gset other_
SELECT * FROM atid.mst_get(:'other_car', :'other_root', 'a/b');

-- a key that is not within the range of its node, on the way of a search
CREATE FUNCTION node(key text, "left" atid.cid_link, "right" atid.cid_link) RETURNS bytea
  LANGUAGE sql RETURN atid.record_to_dag_cbor(jsonb_build_object(
    'l', CASE WHEN "left" IS NOT NULL THEN jsonb_build_object('$link', "left") END,
    'e', jsonb_build_array(jsonb_build_object(
      'p', 0, 'k', atid.bytes_json(convert_to(key, 'UTF8')),
      'v', jsonb_build_object('$link', atid.cid_of('x', 'dag-cbor')),
      't', CASE WHEN "right" IS NOT NULL THEN jsonb_build_object('$link', "right") END))));
SELECT cid AS child, node('a/3', NULL, cid) AS right_of, node('a/3', cid, NULL) AS left_of,
       node('a/16', cid, NULL) AS left_of_less, block AS child_block
  FROM (SELECT node('a/1', NULL, NULL) AS block) b, atid.cid_of(block, 'dag-cbor') cid \gset
SELECT key, atid.mst_key_depth(key) FROM unnest('{a/1,a/16,a/3,a/9}'::text[]) key;
SELECT state FROM atid.cid_of(:'right_of', 'dag-cbor') r,
  atid.mst_get((SELECT atid.car_agg(r, atid.cid_of(b, 'dag-cbor'), b)
                  FROM (VALUES (:'right_of'::bytea), (:'child_block')) v (b)), r, 'a/9');

-- two trees that share a subtree whose block is missing
SELECT atid.car_agg(cid, cid, :'left_of') AS left_of
  FROM atid.cid_of(:'left_of', 'dag-cbor') cid \gset car_
SELECT atid.car_agg(cid, cid, :'left_of_less') AS left_of_less
  FROM atid.cid_of(:'left_of_less', 'dag-cbor') cid \gset car_
SELECT * FROM atid.mst_diff(:'car_left_of', NULL, :'car_left_of_less', NULL);
DROP FUNCTION node;

-- the difference of two trees
CREATE TABLE later AS
  SELECT did, key, value, row_number() OVER (ORDER BY key COLLATE "C") AS n
    FROM entries WHERE did = 'did:web:a.example';
DELETE FROM later WHERE n IN (1, 100, 101, 200);
UPDATE later SET value = atid.cid_of('changed', 'dag-cbor') WHERE n IN (2, 150);
INSERT INTO later
  SELECT 'did:web:a.example', k, atid.cid_of('new', 'dag-cbor')
    FROM unnest('{app.bsky.graph.block/3jzfcijpj2z2a,app.bsky.actor.profile/self}'::text[]) k;

SELECT atid.mst_car(key, value ORDER BY key COLLATE "C") AS later_car,
       atid.mst_root(key, value ORDER BY key COLLATE "C") AS later_root FROM later \gset
SELECT car, root FROM trees WHERE did = 'did:web:a.example' \gset

SELECT d.key, o.value = d.old AS is_old, l.value = d.new AS is_new
  FROM atid.mst_diff(:'car', :'root', :'later_car', NULL) d
  LEFT JOIN entries o ON o.key = d.key AND o.did = 'did:web:a.example'
  LEFT JOIN later l ON l.key = d.key;

SELECT * FROM atid.mst_diff(:'car', NULL, :'car', NULL);
SELECT * FROM atid.mst_diff(:'car', NULL, NULL, NULL);
SELECT count(*), count(old), count(new) FROM atid.mst_diff(
  :'car', NULL, (SELECT atid.mst_car(key, value) FROM entries WHERE false), NULL);

-- the tree before the operations
SELECT atid.mst_invert(:'later_car', NULL, array_agg(key), array_agg(old), array_agg(new))
         = :'root' AS same
  FROM atid.mst_diff(:'car', NULL, :'later_car', NULL);

SELECT atid.mst_invert(:'car', NULL, '{}', '{}', '{}') = :'root' AS same;
SELECT atid.mst_invert(NULL, NULL, '{}', '{}', '{}');
SELECT atid.mst_invert(:'car', NULL, '{a/b}', '{NULL}', '{NULL}');
SELECT atid.mst_invert(:'car', NULL, '{NULL}', '{NULL}', '{NULL}');
SELECT atid.mst_invert(:'car', NULL, '{a/b,a/b}', ARRAY[:'root', :'root']::atid.cid_link[],
                       '{NULL,NULL}');
SELECT atid.mst_invert(:'car', NULL, '{a/b,a/c}', '{NULL}', '{NULL,NULL}');
SELECT atid.mst_invert(:'car', NULL, '{{a/b}}', '{{NULL}}', '{{NULL}}');
SELECT atid.mst_invert(:'car', NULL, ARRAY['a/b'], '{NULL}', ARRAY[:'root']::atid.cid_link[]);
SELECT atid.mst_invert(:'car', NULL, ARRAY[min(key COLLATE "C")], '{NULL}',
                       ARRAY[:'root']::atid.cid_link[])
  FROM entries WHERE did = 'did:web:a.example';
SELECT atid.mst_invert(:'car', NULL, ARRAY[min(key COLLATE "C")],
                       ARRAY[:'root']::atid.cid_link[], '{NULL}')
  FROM entries WHERE did = 'did:web:a.example';

-- a repository, from tables
CREATE TABLE records (collection text, rkey text, record jsonb);

INSERT INTO records
  SELECT 'app.bsky.feed.post', '3jzfcijpj2z2' || c, jsonb_build_object('text', c)
    FROM unnest('{a,b,c,d,e}'::text[]) c;

CREATE FUNCTION export(did text, more jsonb DEFAULT '{}') RETURNS bytea LANGUAGE sql AS $$
  WITH tree AS (
    SELECT atid.mst_car(path, cid ORDER BY path COLLATE "C") AS car,
           atid.mst_root(path, cid ORDER BY path COLLATE "C") AS root
      FROM (SELECT collection || '/' || rkey AS path, atid.record_cid(record) AS cid
            FROM records) r),
  signed AS (
    SELECT atid.record_to_dag_cbor(jsonb_build_object(
             'did', did, 'version', 3, 'rev', '3jzfcijpj2z2a', 'prev', NULL,
             'data', jsonb_build_object('$link', root),
             'sig', jsonb_build_object('$bytes', 'AAAA')) || more) AS block FROM tree)
  SELECT atid.car_agg((SELECT atid.cid_of(block, 'dag-cbor') FROM signed),
                      atid.cid_of(block, 'dag-cbor'), block ORDER BY part, n)
    FROM (SELECT 1 AS part, 1 AS n, block FROM signed
          UNION ALL SELECT 2, b.n, b.block FROM tree, atid.car_blocks(car) b
          UNION ALL SELECT 3, row_number() OVER (ORDER BY rkey), atid.record_to_dag_cbor(record)
                      FROM records) x
$$;

SELECT export('did:web:a.example') AS repo \gset

SELECT did, version, rev, data, prev, sig, cid = atid.cid_of(block, 'dag-cbor') AS cid
  FROM atid.repo_commit(:'repo');
SELECT collection, rkey, atid.dag_cbor_to_record(block),
       cid = atid.cid_of(block, 'dag-cbor') AS cid FROM atid.repo_records(:'repo');
SELECT pg_typeof(did), did = 'did:web:a.example'::atid.did AS same FROM atid.repo_commit(:'repo');
SELECT atid.repo_is_valid(:'repo'), atid.repo_problem(:'repo'),
       atid.repo_is_valid(NULL), atid.repo_problem(NULL);
SELECT pg_typeof(collection), pg_typeof(rkey), pg_typeof(cid), pg_typeof(block)
  FROM atid.repo_records(:'repo') LIMIT 1;

SELECT prev = :'root' AS prev
  FROM atid.repo_commit(export('did:web:a.example',
    jsonb_build_object('prev', jsonb_build_object('$link', :'root'::atid.cid_link))));

-- the CAR of a commit that changed no record: its block, and no node of the tree
SELECT data, atid.car_agg(cid, cid, block) AS alone FROM atid.repo_commit(:'repo')
 GROUP BY data \gset
SELECT atid.mst_invert(:'alone', :'data', '{}', '{}', '{}') = :'data' AS same;
SELECT count(*) FROM atid.mst_entries(:'alone', :'data', partial => true);
SELECT count(*) FROM atid.repo_records(:'alone', partial => true);
SELECT count(*) FROM atid.mst_entries(:'alone', :'data');
SELECT count(*) FROM atid.repo_records(:'alone');
SELECT count(*) FROM atid.repo_records(:'alone', partial => NULL);
SELECT * FROM atid.repo_records(NULL);
-- without the block of its first record
SELECT r.cid = gone.cid AS first, r.block IS NULL AS gone
  FROM (SELECT cid FROM atid.repo_records(:'repo') LIMIT 1) AS gone,
       LATERAL (SELECT atid.car_agg(o.cid, b.cid, b.block ORDER BY b.n) AS car
                  FROM atid.repo_commit(:'repo') AS o, atid.car_blocks(:'repo') AS b
                 WHERE b.cid <> gone.cid) AS c,
       atid.repo_records(c.car, partial => true) AS r LIMIT 2;
SELECT atid.mst_invert(:'alone', :'data', '{a/b}', ARRAY[:'data']::atid.cid_link[], '{NULL}');
SELECT atid.mst_invert(:'alone', NULL, '{a/b}', ARRAY[:'data']::atid.cid_link[], '{NULL}');
SELECT count(*) FROM atid.mst_diff(:'alone', :'data', :'alone', :'data');
SELECT count(*) FROM atid.mst_diff(:'alone', :'data', :'car', NULL);

-- a tree's CAR is no repository, and a repository's root is no tree's
SELECT atid.repo_problem(:'car');
SELECT count(*) FROM atid.repo_records(:'car');
SELECT * FROM atid.mst_entries(:'repo');
SELECT export('nobody') AS bad \gset
SELECT atid.repo_problem(:'bad'), atid.repo_is_valid(:'bad'), atid.car_is_valid(:'bad');
SELECT * FROM atid.repo_commit(:'bad');

-- in a check, and in a generated column
CREATE TABLE repos (
  car bytea CHECK (atid.car_is_valid(car)),
  problem text GENERATED ALWAYS AS (atid.repo_problem(car)) STORED
);
INSERT INTO repos VALUES (:'repo'), (:'bad');
INSERT INTO repos VALUES ('\x00');
SELECT problem FROM repos;

DROP TABLE entries, trees, later, records, repos;
DROP FUNCTION export;
