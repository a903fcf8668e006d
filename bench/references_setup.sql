-- The measurements of bench/references: the same INSERT into four tables.

CREATE EXTENSION atid;
CREATE SCHEMA bench;
SET search_path = bench;

CREATE TABLE plain (uri atid.at_uri PRIMARY KEY, record jsonb NOT NULL);
CREATE TABLE gin (LIKE plain INCLUDING ALL);
CREATE TABLE btree (LIKE plain INCLUDING ALL);
CREATE TABLE narrow (LIKE plain INCLUDING ALL);

CREATE INDEX ON gin USING gin (atid.record_ref_uris(record));

CREATE INDEX btree_subject ON btree (((atid.record_ref_uris(record -> 'subject'))[1]), atid.at_uri_tid(uri))
  WHERE (atid.record_ref_uris(record -> 'subject'))[1] IS NOT NULL;
CREATE INDEX btree_parent ON btree (((atid.record_ref_uris(record #> '{reply,parent}'))[1]), atid.at_uri_tid(uri))
  WHERE (atid.record_ref_uris(record #> '{reply,parent}'))[1] IS NOT NULL;

CREATE TABLE kind (kind smallint PRIMARY KEY, collection text COLLATE "C" NOT NULL, path text[] NOT NULL);
INSERT INTO kind VALUES
  (1, 'app.bsky.feed.like', '{subject}'), (2, 'app.bsky.feed.repost', '{subject}'),
  (3, 'app.bsky.graph.follow', '{subject}'), (4, 'app.bsky.graph.block', '{subject}'),
  (5, 'app.bsky.feed.post', '{reply,parent}'), (6, 'app.bsky.feed.post', '{facets}');
ANALYZE kind;
CREATE TABLE points_at (
  subject atid.at_uri NOT NULL, kind smallint NOT NULL, tid atid.tid NOT NULL, did atid.did NOT NULL);
CREATE INDEX ON points_at (subject, kind, tid);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql SET search_path = bench, pg_temp AS $$
BEGIN
  INSERT INTO points_at
  SELECT r.subject, k.kind, atid.at_uri_tid(n.uri), atid.at_uri_did(n.uri)
  FROM added n JOIN kind k ON k.collection = atid.at_uri_collection(n.uri),
       unnest(atid.record_ref_uris(n.record #> k.path)) AS r (subject)
  WHERE atid.at_uri_tid(n.uri) IS NOT NULL AND atid.at_uri_did(n.uri) IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER keep AFTER INSERT ON narrow REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep();

-- An AppView's mix: 88 in a hundred are likes, follows, reposts and blocks; half of the likes are
-- on few posts.
CREATE FUNCTION bench.did(n bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN 'did:plc:' || substr(atid.cid_make('raw', sha256(n::text::bytea))::text, 20, 24);
CREATE FUNCTION bench.post(n bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN 'at://' || bench.did(n / 20) || '/app.bsky.feed.post/' || atid.tid_make('2024-01-01Z'::timestamptz + n * interval '1 second', 1);
CREATE FUNCTION bench.strong(n bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN jsonb_build_object('uri', bench.post(n), 'cid', atid.cid_make('dag-cbor', sha256(n::text::bytea)));

CREATE TABLE source (LIKE plain);
CREATE FUNCTION bench.make_source(first int, n int, accounts int DEFAULT 50000) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  DELETE FROM source;
  INSERT INTO source
  SELECT ('at://' || bench.did(floor(random() * accounts)::int) || '/' || collection || '/' ||
          atid.tid_make('2025-01-01Z'::timestamptz + i * interval '1 second', 2))::atid.at_uri,
         jsonb_build_object('$type', collection, 'createdAt', '2025-01-01T00:00:00.000Z') ||
         CASE WHEN collection ~ 'graph' THEN jsonb_build_object('subject', bench.did(floor(random() * accounts)::int))
              WHEN collection <> 'app.bsky.feed.post' THEN jsonb_build_object('subject', bench.strong(other))
              ELSE jsonb_build_object('text', repeat('some words of a post ', 6), 'langs', '["en"]'::jsonb) ||
                   CASE WHEN other % 2 = 0 THEN jsonb_build_object('reply',
                          jsonb_build_object('root', bench.strong(other), 'parent', bench.strong(other + 1))) ELSE '{}' END
         END
  FROM (SELECT i, random() AS what, (CASE WHEN random() < 0.5 THEN random() ^ 8 ELSE random() END * 1000000)::int AS other
        FROM generate_series(first, first + n - 1) i OFFSET 0) r,
       LATERAL (SELECT CASE WHEN what < 0.6 THEN 'app.bsky.feed.like' WHEN what < 0.75 THEN 'app.bsky.graph.follow'
                            WHEN what < 0.84 THEN 'app.bsky.feed.repost' WHEN what < 0.88 THEN 'app.bsky.graph.block'
                            ELSE 'app.bsky.feed.post' END) c (collection);
END;

CREATE PROCEDURE bench.make(n int) LANGUAGE plpgsql AS $$
DECLARE
  t text;
BEGIN
  PERFORM setseed(0.5), bench.make_source(0, n);
  FOREACH t IN ARRAY '{plain,gin,btree,narrow}'::text[] LOOP
    EXECUTE format('INSERT INTO bench.%I TABLE bench.source', t);
  END LOOP;
END $$;

CREATE TABLE result (name text, round int, ms float8);

-- A round: each in turn, in another order; round 0 only warms up.
CREATE PROCEDURE bench.measure(round int, n int) LANGUAGE plpgsql AS $$
DECLARE
  t text;
  began timestamptz;
BEGIN
  PERFORM bench.make_source(10000000 + round * n, n);
  FOR t IN SELECT unnest('{plain,gin,btree,narrow}'::text[]) ORDER BY random() LOOP
    began := clock_timestamp();
    EXECUTE format('INSERT INTO bench.%I TABLE bench.source', t);
    INSERT INTO bench.result SELECT t, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
END $$;
