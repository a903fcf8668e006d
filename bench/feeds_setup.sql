-- The measurements of bench/feeds.
SET search_path = indexer, public;
CREATE SCHEMA api;
SELECT add_lexicons('[
  {"lexicon": 1, "id": "app.bsky.feed.post", "defs": {"main": {"type": "record", "key": "tid", "record": {"type": "object", "properties": {
    "text": {"type": "string", "maxLength": 3000}, "createdAt": {"type": "string", "format": "datetime"}}}}}},
  {"lexicon": 1, "id": "app.bsky.feed.like", "defs": {"main": {"type": "record", "key": "tid", "record": {"type": "object", "properties": {
    "subject": {"type": "string", "format": "at-uri"}, "createdAt": {"type": "string", "format": "datetime"}}}}}},
  {"lexicon": 1, "id": "app.bsky.graph.follow", "defs": {"main": {"type": "record", "key": "tid", "record": {"type": "object", "properties": {
    "subject": {"type": "string", "format": "did"}}}}}}]'::atid.lexicon);

CREATE FUNCTION bench.did(n bigint) RETURNS text LANGUAGE sql IMMUTABLE RETURN format('did:web:user%s.example', n % 10000);
CREATE FUNCTION bench.at(n bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE RETURN '2026-01-01'::timestamptz + n * interval '1 s';
CREATE FUNCTION bench.uri(collection text, n bigint) RETURNS atid.at_uri LANGUAGE sql IMMUTABLE
RETURN atid.at_uri_make(bench.did(n), collection, atid.tid_make(bench.at(n), 0)::text);
CREATE PROCEDURE bench.fill(collection text, n bigint) LANGUAGE sql AS $$
  INSERT INTO packed_record (uri, block, conforms, indexed)
  SELECT bench.uri(collection, i), b, true, bench.at(i)
  FROM generate_series(1, n) AS i
  CROSS JOIN atid.record_to_dag_cbor(jsonb_build_object('$type', collection, 'createdAt', to_char(bench.at(i), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    || CASE collection WHEN 'app.bsky.feed.post' THEN jsonb_build_object('text', 'Post number ' || i || repeat(' and more', (i % 20)::int)
                                                        || CASE WHEN i % 100 = 0 THEN ' of cats' ELSE '' END)
       WHEN 'app.bsky.feed.like' THEN jsonb_build_object('subject', bench.uri('app.bsky.feed.post', greatest(1, i - hashint8(i) % 1000 - 1000)))
       ELSE jsonb_build_object('subject', bench.did(i * 7919)) END) AS b
$$;
CALL bench.fill('app.bsky.feed.post', :rows);
CALL bench.fill('app.bsky.feed.like', :rows);
-- user1 follows 200
INSERT INTO packed_record (uri, block, conforms)
SELECT atid.at_uri_make(bench.did(1), 'app.bsky.graph.follow', atid.tid_make(bench.at(i), 0)::text), b, true
FROM generate_series(1, 200) AS i
CROSS JOIN atid.record_to_dag_cbor(jsonb_build_object('$type', 'app.bsky.graph.follow', 'subject', bench.did(i * 7919))) AS b;
INSERT INTO identity (did, key, answered, ask) VALUES ('did:web:user1.example', :'es256_key', now(), 'infinity'), ('did:web:user2.example', :'es256k_key', now(), 'infinity');

SELECT make_views('api');
SELECT make_view_index('api.app_bsky_feed_post', 'sort_at', 'uri'), make_view_index('api.app_bsky_feed_post', 'did', 'sort_at'),
  make_view_index('api.app_bsky_feed_like', 'did', 'sort_at'), make_view_index('api.app_bsky_graph_follow', 'did', 'sort_at');
CREATE VIEW feed.cats AS SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post WHERE text ~* '\mcats?\M';
CREATE VIEW feed.hidden AS SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post WHERE text ~* '\mcats?\M' AND NOT hidden;
-- Likewise without the index of the feed: the expression differs.
CREATE VIEW feed.by_time AS SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post WHERE text || '' ~* '\mcats?\M';
-- The newest of each author by their keys, which are TIDs: of 10,000 candidates only the keys are
-- read. Then the newest of all.
CREATE FUNCTION feed.following("limit" int, cursor text) RETURNS jsonb STABLE LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_build_object('feed', coalesce(jsonb_agg(jsonb_build_object('post', n.uri) ORDER BY n.tid DESC), '[]'))
  FROM (SELECT p.uri, atid.at_uri_tid(p.uri) AS tid FROM api.app_bsky_graph_follow AS f
        CROSS JOIN LATERAL (SELECT atid.at_uri_make(f.subject::text, 'app.bsky.feed.post') OFFSET 0) AS s (uri)
        CROSS JOIN LATERAL (SELECT x.uri FROM api.app_bsky_feed_post AS x
                            WHERE x.uri BETWEEN s.uri AND atid.at_uri_scope_upper(s.uri) ORDER BY x.uri DESC LIMIT "limit") AS p
        WHERE f.did = xrpc.did() ORDER BY tid DESC LIMIT "limit") AS n
$$;
CREATE FUNCTION feed.liked("limit" int, cursor text) RETURNS jsonb STABLE LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  WITH newest AS MATERIALIZED (
    SELECT l.uri FROM api.app_bsky_graph_follow AS f
    CROSS JOIN LATERAL (SELECT atid.at_uri_make(f.subject::text, 'app.bsky.feed.like') OFFSET 0) AS s (uri)
    CROSS JOIN LATERAL (SELECT x.uri FROM api.app_bsky_feed_like AS x
                        WHERE x.uri BETWEEN s.uri AND atid.at_uri_scope_upper(s.uri) ORDER BY x.uri DESC LIMIT "limit") AS l
    WHERE f.did = xrpc.did() ORDER BY atid.at_uri_tid(l.uri) DESC LIMIT 2 * "limit"
  )
  SELECT jsonb_build_object('feed', coalesce(jsonb_agg(jsonb_build_object('post', p.subject) ORDER BY p.tid DESC), '[]'))
  FROM (SELECT l.subject, max(atid.at_uri_tid(l.uri)) AS tid FROM newest AS n JOIN api.app_bsky_feed_like AS l ON l.uri = n.uri
        GROUP BY l.subject ORDER BY tid DESC LIMIT "limit") AS p
$$;
VACUUM (ANALYZE);

-- Each is called this many times in a round, after one call that does not count. $1 is the token.
CREATE TABLE bench.work (name text, times int, token text, statement text, target float8);
INSERT INTO bench.work
SELECT w.name, w.times, w.token, format('SELECT xrpc.feed_skeleton(%L, %L, 50, %L)::text, who.stale FROM '
    '(SELECT xrpc.enter($1, %2$L, ''app.bsky.feed.getFeedSkeleton'') AS stale OFFSET 0) AS who',
    'at://did:web:feeds.example/app.bsky.feed.generator/' || w.feed, 'did:web:feeds.example', w.cursor), w.target
FROM (VALUES ('a word, by the index of the feed', 200, NULL, 'cats', NULL, 1),
  ('... below 2,000 pages of others', 200, NULL, 'cats', xrpc.feed_cursor(bench.at(:rows / 2), bench.uri('app.bsky.feed.post', :rows / 2)::text), 1),
  ('... and what labels do not hide', 200, NULL, 'hidden', NULL, NULL),
  ('... with a token', 200, :'es256', 'cats', NULL, NULL),
  ('a word, by the index of time', 10, NULL, 'by_time', NULL, NULL),
  ('posts of the 200 whom the asker follows', 20, :'es256', 'following', NULL, NULL),
  ('what these have liked', 20, :'es256', 'liked', NULL, 10)) AS w (name, times, token, feed, cursor, target)
UNION ALL
SELECT 'a token, ' || t.alg, 500, t.token, 'SELECT xrpc.verify($1, ''did:web:feeds.example'', ''app.bsky.feed.getFeedSkeleton'')::text', 0.35
FROM (VALUES ('ES256', :'es256'), ('ES256K', :'es256k')) AS t (alg, token)
UNION ALL SELECT 'nothing', 500, NULL, 'SELECT $1::text', NULL;

-- EXECUTE plans each time, as the server does for the API.
CREATE PROCEDURE bench.pages(round int) LANGUAGE plpgsql AS $$
DECLARE
  w bench.work;
  begun bigint;
  answer text;
BEGIN
  FOR w IN SELECT * FROM bench.work AS x ORDER BY hashtext(x.name || round) LOOP
    EXECUTE w.statement INTO answer USING w.token;
    ASSERT w.name = 'nothing' OR length(answer) > 20, w.name || ': ' || answer;
    ASSERT w.name LIKE 'a token%' OR w.name = 'nothing' OR jsonb_array_length(answer::jsonb->'feed') = 50, w.name || ': ' || answer;
    begun := bench.processor_time();
    FOR i IN 1 .. w.times LOOP
      EXECUTE w.statement INTO answer USING w.token;
    END LOOP;
    INSERT INTO bench.result SELECT w.name, round, (bench.processor_time() - begun)::float8 / w.times WHERE round > 0;
  END LOOP;
END $$;
