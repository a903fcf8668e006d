-- The measurements of bench/repositories.

CREATE EXTENSION atid;
CREATE SCHEMA bench;

-- A CAR of n records of about 300 bytes, made as in doc/repository.md. Values are stored out of
-- line and are not compressed.
CREATE UNLOGGED TABLE bench.car (records int PRIMARY KEY, car bytea, data atid.cid_link);
ALTER TABLE bench.car ALTER car SET STORAGE EXTERNAL;
CREATE UNLOGGED TABLE bench.record (records int, path text COLLATE "C", cid atid.cid_link, block bytea);
CREATE UNLOGGED TABLE bench.block (block bytea);
CREATE UNLOGGED TABLE bench.blocks (records int PRIMARY KEY, blocks bytea[]);
ALTER TABLE bench.blocks ALTER blocks SET STORAGE EXTERNAL;
CREATE UNLOGGED TABLE bench.key (key text COLLATE "C", octets bytea, cid atid.cid_link);
CREATE UNLOGGED TABLE bench.nodes (name text PRIMARY KEY, car bytea);
ALTER TABLE bench.nodes ALTER car SET STORAGE EXTERNAL;

CREATE PROCEDURE bench.make_car(n int) LANGUAGE plpgsql AS $$
DECLARE
  tree bytea;
  root atid.cid_link;
  commit bytea;
BEGIN
  TRUNCATE bench.record;
  INSERT INTO bench.record
    SELECT n, 'app.bsky.feed.post/' || atid.tid_make('2024-01-01Z'::timestamptz + i * interval '10 s', i % 1024),
           atid.cid_of(block, 'dag-cbor'), block
      FROM (SELECT i, atid.record_to_dag_cbor(jsonb_build_object('$type', 'app.bsky.feed.post', 'langs', '["en"]'::jsonb,
                     'createdAt', '2024-01-01T00:00:00.000Z', 'text', i || repeat(md5(i::text), 5))) AS block
              FROM generate_series(1, n) i) r;
  SELECT atid.mst_car(path, cid ORDER BY path) INTO tree FROM bench.record;
  SELECT cid INTO root FROM atid.car_roots(tree);
  commit := atid.record_to_dag_cbor(jsonb_build_object('did', 'did:web:bench.example', 'version', 3, 'rev', '3jzfcijpj2z2a',
              'prev', NULL, 'data', jsonb_build_object('$link', root), 'sig', jsonb_build_object('$bytes', repeat('A', 86))));
  INSERT INTO bench.car
    SELECT n, atid.car_agg(atid.cid_of(commit, 'dag-cbor'), cid, block ORDER BY part, place), root
      FROM (SELECT 1 AS part, '' AS place, atid.cid_of(commit, 'dag-cbor') AS cid, commit AS block
            UNION ALL SELECT 2, lpad(b.n::text, 9, '0'), b.cid, b.block FROM atid.car_blocks(tree) b
            UNION ALL SELECT 3, path, cid, block FROM bench.record) x;
  INSERT INTO bench.blocks SELECT n, array_agg(block) FROM bench.record;
END $$;

-- Trees of this many entries that differ in ten, and a copy of one.
CREATE PROCEDURE bench.make_trees(n int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bench.nodes
    SELECT which, atid.mst_car('app.bsky.feed.like/' || lpad(i::text, 9, '0'),
             atid.cid_make('dag-cbor', sha256(convert_to(i || CASE WHEN which = 'b' AND i % (n / 10) = 7 THEN 'other' ELSE '' END, 'UTF8'))) ORDER BY i)
      FROM unnest('{a,b}'::text[]) which, generate_series(1, n) i GROUP BY which;
  INSERT INTO bench.nodes SELECT 'copy of a', car FROM bench.nodes WHERE name = 'a';
END $$;

CREATE TABLE bench.subject (id serial, name text, call text);
INSERT INTO bench.subject (name, call) VALUES
  ('sha256 of the blocks',          'SELECT count(sha256(block)) FROM bench.block'),
  ('repo_records, 1,000',           'SELECT sum((SELECT count(*) FROM atid.repo_records(car) WHERE i > 0)) FROM bench.car, generate_series(1, 100) i WHERE records = 1000'),
  ('repo_records, 100,000',         'SELECT count(*) FROM bench.car, atid.repo_records(car) WHERE records = 100000'),
  ('unnest and sha256, 1,000',      'SELECT sum((SELECT count(sha256(block)) FROM unnest(blocks) block WHERE i > 0)) FROM bench.blocks, generate_series(1, 100) i WHERE records = 1000'),
  ('repo_is_valid, 100,000',        'SELECT atid.repo_is_valid(car) FROM bench.car WHERE records = 100000'),
  ('car_blocks, 100,000',           'SELECT count(*) FROM bench.car, atid.car_blocks(car) WHERE records = 100000'),
  ('sha256 of the keys',            'SELECT count(sha256(octets)) FROM bench.key'),
  ('mst_root of the keys',          'SELECT atid.mst_root(key, cid) FROM bench.key');
CREATE TABLE bench.subject_large (LIKE bench.subject INCLUDING DEFAULTS);
INSERT INTO bench.subject_large (name, call) VALUES
  ('repo_records, 1,000,000',       'SELECT count(*) FROM bench.car, atid.repo_records(car) WHERE records = 1000000'),
  ('unnest and sha256, 1,000,000',  'SELECT count(sha256(block)) FROM bench.blocks, unnest(blocks) block WHERE records = 1000000'),
  ('indexing two trees',            'SELECT count(*) FROM atid.mst_diff((SELECT car FROM bench.nodes WHERE name = ''a''), NULL, (SELECT car FROM bench.nodes WHERE name = ''copy of a''), NULL)'),
  ('mst_diff of two trees',         'SELECT count(*) FROM atid.mst_diff((SELECT car FROM bench.nodes WHERE name = ''a''), NULL, (SELECT car FROM bench.nodes WHERE name = ''b''), NULL)');

CREATE UNLOGGED TABLE bench.result (name text, round int, ms float8);

-- A round: each in turn, in another order; round 0 only warms up.
CREATE PROCEDURE bench.measure(source regclass, round int) LANGUAGE plpgsql AS $$
DECLARE
  s record;
  began timestamptz;
BEGIN
  FOR s IN EXECUTE format('SELECT * FROM %s ORDER BY random()', source) LOOP
    began := clock_timestamp();
    EXECUTE s.call;
    INSERT INTO bench.result SELECT s.name, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
END $$;
