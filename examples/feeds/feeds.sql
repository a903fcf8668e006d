-- Three feeds, and a field of the API, over the views of
-- "atid-indexer up examples/feeds/lexicons SERVER". Run it as the role that runs "up":
--
--   psql -d DATABASE -f feeds.sql

-- A word.
CREATE OR REPLACE VIEW feed.cats AS
SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post
WHERE text ~* '\mcats?\M' AND NOT hidden;

-- Posts, without replies, of those whom the reader follows.
CREATE OR REPLACE VIEW feed.following AS
SELECT p.uri AS post, p.sort_at AS at
FROM api.app_bsky_feed_post AS p JOIN api.app_bsky_graph_follow AS f ON f.subject = p.did
WHERE f.did = xrpc.did() AND p.reply IS NULL AND NOT p.hidden;

-- The posts that were liked most in the last day: no list by time, so it is a function. Its cursor is how
-- many posts were shown.
CREATE OR REPLACE FUNCTION feed.hot("limit" int, cursor text) RETURNS jsonb STABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
  WITH page AS (
    SELECT l.subject_uri AS post, row_number() OVER (ORDER BY count(*) DESC, l.subject_uri) AS place
    FROM api.app_bsky_feed_like AS l
    WHERE l.sort_at > now() - interval '1 day' AND l.subject_uri IS NOT NULL GROUP BY l.subject_uri
    ORDER BY count(*) DESC, l.subject_uri
    OFFSET CASE WHEN cursor ~ '^\d{1,4}$' THEN cursor::int ELSE 0 END LIMIT "limit"
  )
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'feed', coalesce(jsonb_agg(jsonb_build_object('post', post) ORDER BY place), '[]'),
    'cursor', CASE WHEN count(*) = "limit" THEN max(place)::text END))
  FROM page
$$;

-- Does the reader like this post? A field "liked" of posts in GraphQL.
CREATE OR REPLACE FUNCTION api.app_bsky_feed_post_liked(p api.app_bsky_feed_post) RETURNS bool STABLE LANGUAGE sql
RETURN EXISTS (SELECT FROM api.app_bsky_feed_like AS l WHERE l.did = xrpc.did() AND l.subject_uri = p.uri);
NOTIFY postgraphile_watch;
