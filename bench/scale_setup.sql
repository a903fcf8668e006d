-- The measurements of bench/scale. The records are those of bench/references.

\ir references_setup.sql

-- A CAR for each account, with its tree and a commit whose signature is no account's.
CREATE UNLOGGED TABLE bench.car (n bigserial, did atid.did, car bytea);
ALTER TABLE bench.car ALTER car SET STORAGE EXTERNAL;
CREATE UNLOGGED TABLE bench.leaf (did atid.did, path text COLLATE "C", cid atid.cid_link, block bytea);

CREATE PROCEDURE bench.make_cars(n int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM setseed(0.5), bench.make_source(0, n, greatest(n / 400, 1));
  INSERT INTO bench.leaf
    SELECT atid.at_uri_did(uri), atid.at_uri_path(uri), atid.cid_of(block, 'dag-cbor'), block
    FROM (SELECT uri, atid.record_to_dag_cbor(record) AS block FROM bench.source) s;
  INSERT INTO bench.car (did, car)
    WITH tree AS MATERIALIZED (
        SELECT did, atid.mst_car(path, cid ORDER BY path) AS car FROM bench.leaf GROUP BY did),
      commit AS MATERIALIZED (
        SELECT did, atid.record_to_dag_cbor(jsonb_build_object('did', did, 'version', 3, 'rev', '3jzfcijpj2z2a', 'prev', NULL,
          'data', jsonb_build_object('$link', (SELECT cid FROM atid.car_roots(car))),
          'sig', jsonb_build_object('$bytes', repeat('A', 86)))) AS block FROM tree)
    SELECT did, atid.car_agg(atid.cid_of(c.block, 'dag-cbor'), x.cid, x.block ORDER BY part, place)
    FROM (SELECT did, 1 AS part, '' AS place, atid.cid_of(block, 'dag-cbor') AS cid, block FROM commit
          UNION ALL SELECT did, 2, lpad(b.n::text, 9, '0'), b.cid, b.block FROM tree, atid.car_blocks(car) b
          UNION ALL SELECT did, 3, path, cid, block FROM bench.leaf) x JOIN commit c USING (did)
    GROUP BY did ORDER BY md5(did::text);
END $$;

-- The same records in four forms, and as blocks in 64 partitions.
CREATE TABLE bench.heap (uri atid.at_uri NOT NULL, block bytea NOT NULL);
CREATE TABLE bench.block (uri atid.at_uri PRIMARY KEY, block bytea NOT NULL);
CREATE TABLE bench.packed (uri atid.at_uri PRIMARY KEY, block atid.block NOT NULL);
CREATE TABLE bench.jsonb (uri atid.at_uri PRIMARY KEY, record jsonb NOT NULL);
CREATE TABLE bench.json (uri atid.at_uri PRIMARY KEY, record json NOT NULL);
CREATE TABLE bench.ranged (uri atid.at_uri PRIMARY KEY, block bytea NOT NULL) PARTITION BY RANGE (uri);
CREATE TABLE bench.hashed (did atid.did NOT NULL, uri atid.at_uri, block bytea NOT NULL, PRIMARY KEY (did, uri))
  PARTITION BY HASH (did);
SELECT format('CREATE TABLE bench.ranged_%1$s PARTITION OF bench.ranged FOR VALUES FROM (%2$s) TO (%3$s)', n,
              coalesce(quote_literal(lag(bound) OVER (ORDER BY n)), 'MINVALUE'),
              CASE n WHEN 63 THEN 'MAXVALUE' ELSE quote_literal(bound) END) AS ranged,
       format('CREATE TABLE bench.hashed_%1$s PARTITION OF bench.hashed FOR VALUES WITH (MODULUS 64, REMAINDER %1$s)', n) AS hashed
FROM (SELECT n, 'at://did:plc:' || substr('234567abcdefghijklmnopqrstuvwxyz2', (n + 1) / 2 + 1, 1) || CASE n % 2 WHEN 0 THEN 'k' ELSE '' END AS bound
      FROM generate_series(0, 63) n) b ORDER BY n \gexec

CREATE TABLE bench.timing (name text, round int, ms float8, planning float8, read int);

CREATE TABLE bench.loading (id serial, name text, target text, call text);
INSERT INTO bench.loading (name, target, call) VALUES
  ('repo_records alone', NULL, 'SELECT count(*) FROM bench.car, atid.repo_records(car)'),
  ('blocks, no index', 'heap', 'INSERT INTO bench.heap SELECT atid.at_uri_make(did::text, collection, rkey), block FROM bench.car, atid.repo_records(car)'),
  ('blocks', 'block', 'INSERT INTO bench.block SELECT atid.at_uri_make(did::text, collection, rkey), block FROM bench.car, atid.repo_records(car)'),
  ('packed blocks', 'packed',
   'INSERT INTO bench.packed SELECT atid.at_uri_make(did::text, collection, rkey), block FROM bench.car, atid.repo_records(car)'),
  ('blocks, 64 ranges', 'ranged', 'INSERT INTO bench.ranged SELECT atid.at_uri_make(did::text, collection, rkey), block FROM bench.car, atid.repo_records(car)'),
  ('blocks, 64 hashes', 'hashed', 'INSERT INTO bench.hashed SELECT did, atid.at_uri_make(did::text, collection, rkey), block FROM bench.car, atid.repo_records(car)'),
  ('jsonb', 'jsonb', 'INSERT INTO bench.jsonb SELECT atid.at_uri_make(did::text, collection, rkey), atid.dag_cbor_to_record(block) FROM bench.car, atid.repo_records(car)'),
  ('json', 'json', 'INSERT INTO bench.json SELECT atid.at_uri_make(did::text, collection, rkey), atid.dag_cbor_to_json(block) FROM bench.car, atid.repo_records(car)');

CREATE PROCEDURE bench.load(round int) LANGUAGE plpgsql AS $$
DECLARE
  l record;
  began timestamptz;
BEGIN
  FOR l IN SELECT * FROM bench.loading ORDER BY random() LOOP
    IF l.target IS NOT NULL THEN
      EXECUTE format('TRUNCATE bench.%I', l.target);
    END IF;
    COMMIT;
    began := clock_timestamp();
    EXECUTE l.call;
    COMMIT;
    INSERT INTO bench.timing SELECT l.name, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
END $$;

-- All tables again, with the index by subject on the four forms.
CREATE PROCEDURE bench.fill() LANGUAGE plpgsql AS $$
DECLARE
  l record;
BEGIN
  FOR l IN SELECT * FROM bench.loading WHERE target IS NOT NULL LOOP
    EXECUTE format('TRUNCATE bench.%I', l.target);
    EXECUTE l.call;
  END LOOP;
  CREATE INDEX block_subject ON bench.block (atid.dag_cbor_ref_uri(block, '{subject}'), atid.at_uri_tid(uri))
    WHERE atid.dag_cbor_ref_uri(block, '{subject}') IS NOT NULL;
  CREATE INDEX packed_subject ON bench.packed (atid.dag_cbor_ref_uri(block, '{subject}'), atid.at_uri_tid(uri))
    WHERE atid.dag_cbor_ref_uri(block, '{subject}') IS NOT NULL;
  CREATE INDEX jsonb_subject ON bench.jsonb (((atid.record_ref_uris(record -> 'subject'))[1]), atid.at_uri_tid(uri))
    WHERE (atid.record_ref_uris(record -> 'subject'))[1] IS NOT NULL;
  CREATE INDEX json_subject ON bench.json (((atid.record_ref_uris((record -> 'subject')::jsonb))[1]), atid.at_uri_tid(uri))
    WHERE (atid.record_ref_uris((record -> 'subject')::jsonb))[1] IS NOT NULL;
END $$;

-- How well data compress, how full an index of URIs is, and the cost of vacuuming away an account.
CREATE TABLE bench.size (name text, bytes float8);
CREATE TABLE bench.target (LIKE bench.heap);
ALTER TABLE bench.target SET (toast_tuple_target = 128);
ALTER TABLE bench.target ALTER block SET COMPRESSION pglz;
CREATE TABLE bench.car_pglz (did atid.did, car bytea COMPRESSION pglz);
CREATE TABLE bench.car_lz4 (did atid.did, car bytea COMPRESSION lz4);
CREATE TABLE bench.whole (LIKE bench.heap, PRIMARY KEY (uri));
CREATE TABLE bench.arrived (uri atid.at_uri PRIMARY KEY);
CREATE TABLE bench.loose (did atid.did, kind smallint, tid atid.tid, subject atid.at_uri);
CREATE TABLE bench.tight (tid atid.tid, kind smallint, did atid.did, subject atid.at_uri);

CREATE PROCEDURE bench.upkeep() LANGUAGE plpgsql AS $$
DECLARE
  n bigint := (SELECT count(*) FROM bench.heap);
BEGIN
  INSERT INTO bench.target TABLE bench.heap;
  INSERT INTO bench.car_pglz SELECT did, car FROM bench.car;
  INSERT INTO bench.car_lz4 SELECT did, car FROM bench.car;
  INSERT INTO bench.loose SELECT atid.at_uri_did(uri), 1, atid.at_uri_tid(uri), uri FROM bench.heap;
  INSERT INTO bench.tight SELECT tid, kind, did, subject FROM bench.loose;
  INSERT INTO bench.size VALUES
    ('block, no index, a row', pg_table_size('bench.heap') / n::float8),
    ('the same, toast_tuple_target = 128', pg_table_size('bench.target') / n::float8),
    ('CARs, a record', (SELECT sum(octet_length(car)) FROM bench.car) / n::float8),
    ('CARs by pglz, a record', pg_table_size('bench.car_pglz') / n::float8),
    ('CARs by lz4, a record', pg_table_size('bench.car_lz4') / n::float8),
    ('did, smallint, tid, at_uri: a row', pg_table_size('bench.loose') / n::float8),
    ('tid, smallint, did, at_uri: a row', pg_table_size('bench.tight') / n::float8);
  INSERT INTO bench.whole TABLE bench.heap;
  -- the accounts mixed, as they come from the firehose
  INSERT INTO bench.arrived SELECT uri FROM bench.heap ORDER BY atid.at_uri_tid(uri);
  INSERT INTO bench.size VALUES ('primary key, loaded by CARs: an entry', pg_relation_size('bench.block_pkey') / n::float8),
    ('primary key, in the order of arrival: an entry', pg_relation_size('bench.arrived_pkey') / n::float8);
  REINDEX INDEX bench.arrived_pkey;
  INSERT INTO bench.size VALUES ('primary key, after REINDEX: an entry', pg_relation_size('bench.arrived_pkey') / n::float8);
  -- another tenth, twice
  FOR fill IN 0..1 LOOP
    INSERT INTO bench.arrived
      SELECT atid.at_uri_make(atid.at_uri_did(uri)::text, atid.at_uri_collection(uri), atid.tid_make('2026-01-01Z'::timestamptz + i * interval '1 s', fill)::text)
      FROM (SELECT uri, row_number() OVER () AS i FROM bench.heap ORDER BY random() LIMIT n / 10) h ORDER BY i;
    INSERT INTO bench.size VALUES (format('primary key, fillfactor %s, and a tenth more: an entry', 90 - 10 * fill),
                                   pg_relation_size('bench.arrived_pkey') / (n * (1.1 + 0.1 * fill))::float8);
    ALTER INDEX bench.arrived_pkey SET (fillfactor = 80);
    REINDEX INDEX bench.arrived_pkey;
  END LOOP;
END $$;

CREATE TABLE bench.field (id serial, name text, form text, call text);
INSERT INTO bench.field (name, form, call) VALUES
  ('a row', 'block', 'SELECT count(block) FROM bench.block'),
  ('a row', 'packed', 'SELECT count(block) FROM bench.packed'),
  ('a row', 'jsonb', 'SELECT count(record) FROM bench.jsonb'),
  ('field', 'block', 'SELECT count(atid.dag_cbor_get_text(block, ''{createdAt}'')) FROM bench.block'),
  ('field', 'packed', 'SELECT count(atid.dag_cbor_get_text(block, ''{createdAt}'')) FROM bench.packed'),
  ('field', 'jsonb', 'SELECT count(record ->> ''createdAt'') FROM bench.jsonb'),
  ('nested', 'block', 'SELECT count(atid.dag_cbor_get_text(block, ''{subject,uri}'')) FROM bench.block'),
  ('nested', 'packed', 'SELECT count(atid.dag_cbor_get_text(block, ''{subject,uri}'')) FROM bench.packed'),
  ('nested', 'jsonb', 'SELECT count(record #>> ''{subject,uri}'') FROM bench.jsonb');

CREATE PROCEDURE bench.fields(round int) LANGUAGE plpgsql AS $$
DECLARE
  f record;
  began timestamptz;
BEGIN
  FOR f IN SELECT * FROM bench.field ORDER BY random() LOOP
    began := clock_timestamp();
    EXECUTE f.call;
    INSERT INTO bench.timing SELECT f.name || ' ' || f.form, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
END $$;

-- Queries of one account's likes, by a constant scope ($1), its account ($2) or a record ($3); and of twenty in a join.
CREATE TABLE bench.likes (did atid.did, scope atid.at_uri);
CREATE TABLE bench.query (id serial, name text, call text);
INSERT INTO bench.query (name, call) VALUES
  ('one table: uri <@ scope', 'SELECT count(*) FROM bench.block WHERE uri <@ %1$L'),
  ('64 ranges: uri <@ scope', 'SELECT count(*) FROM bench.ranged WHERE uri <@ %1$L'),
  ('64 ranges: with the bounds', 'SELECT count(*) FROM bench.ranged WHERE uri <@ %1$L AND uri BETWEEN %1$L AND atid.at_uri_scope_upper(%1$L)'),
  ('64 ranges: with the bounds, generic plan', 'EXECUTE in_ranged (%1$L)'),
  ('64 hashes: uri <@ scope', 'SELECT count(*) FROM bench.hashed WHERE uri <@ %1$L'),
  ('64 hashes: with the account', 'SELECT count(*) FROM bench.hashed WHERE did = %2$L AND uri <@ %1$L'),
  ('64 hashes: with the account, generic plan', 'EXECUTE in_hashed (%2$L, %1$L)'),
  ('one table: 20 scopes joined', 'SELECT count(*) FROM bench.likes l JOIN bench.block r ON uri <@ scope'),
  ('64 ranges: 20 scopes joined', 'SELECT count(*) FROM bench.likes l JOIN bench.ranged r ON uri <@ scope'),
  ('64 ranges: 20 scopes joined, with the bounds', 'SELECT count(*) FROM bench.likes l JOIN bench.ranged r ON uri <@ scope AND uri BETWEEN scope AND atid.at_uri_scope_upper(scope)'),
  ('64 hashes: 20 scopes joined, with the account', 'SELECT count(*) FROM bench.likes l JOIN bench.hashed r ON r.did = l.did AND uri <@ scope'),
  ('one table: a record', 'SELECT count(*) FROM bench.block WHERE uri = %3$L'),
  ('64 ranges: a record', 'SELECT count(*) FROM bench.ranged WHERE uri = %3$L'),
  ('64 hashes: a record, without the account', 'SELECT count(*) FROM bench.hashed WHERE uri = %3$L'),
  ('64 hashes: a record, with the account', 'SELECT count(*) FROM bench.hashed WHERE did = %2$L AND uri = %3$L');

CREATE PROCEDURE bench.scopes(round int) LANGUAGE plpgsql AS $$
DECLARE
  q record;
  who record;
  plan jsonb;
BEGIN
  SET LOCAL plan_cache_mode = force_generic_plan;
  PREPARE in_ranged (atid.at_uri) AS
    SELECT count(*) FROM bench.ranged WHERE uri <@ $1 AND uri BETWEEN $1 AND atid.at_uri_scope_upper($1);
  PREPARE in_hashed (atid.did, atid.at_uri) AS SELECT count(*) FROM bench.hashed WHERE did = $1 AND uri <@ $2;
  TRUNCATE bench.likes;
  INSERT INTO bench.likes SELECT did, atid.at_uri_make(did::text, 'app.bsky.feed.like')
    FROM bench.car ORDER BY random() LIMIT 20;
  ANALYZE bench.likes;
  SELECT did, scope, (SELECT uri FROM bench.block WHERE uri <@ scope LIMIT 1) AS one INTO who FROM bench.likes LIMIT 1;
  FOR q IN SELECT * FROM bench.query ORDER BY random() LOOP
    -- twice: the first time fills the caches, of plans and of the catalogue
    FOR time IN 1..2 LOOP
      EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON, FORMAT JSON) ' || format(q.call, who.scope, who.did, who.one) INTO plan;
    END LOOP;
    INSERT INTO bench.timing
      SELECT q.name, round, (plan #>> '{0,Execution Time}')::float8, (plan #>> '{0,Planning Time}')::float8,
             (SELECT count(DISTINCT node ->> 'Relation Name') FROM jsonb_path_query(plan, 'strict $.**') node
              WHERE jsonb_typeof(node) = 'object' AND node ->> 'Relation Name' ~ '^(block|ranged|hashed)' AND (node -> 'Actual Loops')::int > 0)
      WHERE round > 0;
  END LOOP;
  DEALLOCATE ALL;
END $$;
