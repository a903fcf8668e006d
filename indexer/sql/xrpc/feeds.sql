-- Feeds: views in the schema feed, with the columns post and at, and perhaps reason and context; or
-- functions ("limit" int, cursor text) RETURNS jsonb, for feeds that are not sorted by time.
--
--   xrpc.feed_page(name, limit, cursor)   a page of a view, for app.bsky.feed.getFeedSkeleton
--   xrpc.feed_skeleton(uri, service, limit, cursor)   likewise, by the URI of its record
--   xrpc.feeds(), xrpc.feed(name)         the existing feeds
--   feed_index_of(name)                   the definition of an index for a view alone

-- A cursor: the time of the last row in microseconds, and its post.
CREATE OR REPLACE FUNCTION xrpc.feed_cursor(at timestamptz, post text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (extract(epoch FROM at) * 1000000)::bigint || '::' || post;

-- The parts of a cursor; NULL if it is malformed. (A number of microseconds times an interval is
-- exact only below 2^53.)
CREATE OR REPLACE FUNCTION xrpc.feed_cursor_parts(cursor text, OUT at timestamptz, OUT post text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT ROW(to_timestamp(0) + n / 1000000 * interval '1 s' + n % 1000000 * interval '1 us', m[2])
  FROM (SELECT regexp_match(cursor, '^(-?[0-9]{1,18})::(at://.*)$')) AS c (m)
  CROSS JOIN LATERAL (SELECT m[1]::bigint) AS i (n)
  WHERE n BETWEEN -2e17 AND 9e17 AND octet_length(m[2]) <= 2000
    AND atid.at_uri_or_null(m[2]) IS NOT NULL);

-- The view or function that serves a feed. columns: those of a view, with their types; NULL: it is
-- a function. problem: why it cannot be served. It is in PL/pgSQL, like feed_query, because that
-- keeps its plans.
CREATE OR REPLACE FUNCTION xrpc.feed(name text, OUT is_there bool, OUT columns jsonb,
                                     OUT problem text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  relation oid;
  f record;
BEGIN
  relation := (SELECT c.oid FROM pg_class AS c
               WHERE c.relnamespace = 'feed'::regnamespace AND c.relname = feed.name
                 AND c.relkind IN ('v', 'm', 'r', 'p'));
  IF relation IS NOT NULL THEN
    columns := (SELECT coalesce(jsonb_object_agg(a.attname, format_type(a.atttypid, NULL)), '{}')
                FROM pg_attribute AS a
                WHERE a.attrelid = relation AND a.attname IN ('post', 'at', 'reason', 'context'));
    problem := CASE
      WHEN NOT atid.record_key_is_valid(name) THEN 'its name must be a record key'
      WHEN NOT columns ?& '{post,at}' THEN 'it must have the columns post and at'
      WHEN columns->>'post' NOT IN ('atid.at_uri', 'text')
      THEN 'its column post must be of the type atid.at_uri or text'
      WHEN columns->>'at' <> 'timestamp with time zone'
      THEN 'its column at must be of the type timestamptz'
      WHEN NOT has_table_privilege(relation, 'SELECT') THEN 'the role may not read it' END;
    is_there := true;
    RETURN;
  END IF;
  SELECT p.oid, p.prorettype, p.proretset, p.provolatile, p.proargtypes::text AS types,
         p.proargnames[1:2] AS names INTO f
  FROM pg_proc AS p
  WHERE p.proname = feed.name AND p.pronamespace = 'feed'::regnamespace AND p.prokind = 'f'
    AND 'cursor' = ANY (p.proargnames)
  ORDER BY p.proargtypes::text = '23 25' DESC LIMIT 1;
  is_there := FOUND;
  problem := CASE
    WHEN NOT is_there THEN NULL
    WHEN NOT atid.record_key_is_valid(name) THEN 'its name must be a record key'
    WHEN f.prorettype <> 'jsonb'::regtype OR f.proretset THEN 'it must return jsonb'
    WHEN f.types <> '23 25' OR f.names <> '{limit,cursor}'
    THEN 'its arguments must be "limit" int and cursor text'
    WHEN f.provolatile = 'v' THEN 'it must be STABLE'
    WHEN NOT has_function_privilege(f.oid, 'EXECUTE') THEN 'the role may not call it' END;
END $$;

-- The existing feeds, as this role sees them.
CREATE OR REPLACE FUNCTION xrpc.feeds(OUT name text, OUT columns jsonb, OUT problem text)
RETURNS SETOF record LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT n.name, f.columns, f.problem
  FROM (SELECT c.relname::text FROM pg_class AS c WHERE c.relnamespace = 'feed'::regnamespace
        UNION
        SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'feed'::regnamespace) AS n (name)
  CROSS JOIN LATERAL xrpc.feed(n.name) AS f WHERE f.is_there
$$;

-- The owner of a feed, if that is neither this role nor a superuser: a feed runs functions with the
-- rights of who reads it. NULL: one of these.
CREATE OR REPLACE FUNCTION other_owner(feed text) RETURNS name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT r.rolname
  FROM (SELECT c.relowner FROM pg_class AS c
        WHERE c.relnamespace = 'feed'::regnamespace AND c.relname = feed
        UNION ALL
        SELECT p.proowner FROM pg_proc AS p
        WHERE p.pronamespace = 'feed'::regnamespace AND p.proname = feed) AS o (owner)
  JOIN pg_roles AS r ON r.oid = o.owner
  WHERE r.rolname <> current_user AND NOT r.rolsuper
  LIMIT 1
$$;

-- The query of a page: $1 is the number of rows, $2 and $3 are the cursor. A row without a time, or
-- with a future time, is left out: otherwise, a stranger's date would keep a post on top.
-- Duplicates of a row are left out, too.
CREATE OR REPLACE FUNCTION xrpc.feed_query(name text, columns jsonb, has_cursor bool) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN format(
    'SELECT DISTINCT ON (f.at, f.post) f.post, f.at, %s AS reason, %s AS context FROM feed.%I AS f '
    'WHERE f.at <= now() AND f.at > ''-infinity'' AND f.post IS NOT NULL%s '
    'ORDER BY f.at DESC, f.post DESC LIMIT $1',
    CASE columns->>'reason' WHEN 'jsonb' THEN 'f.reason' ELSE
      CASE WHEN columns ? 'reason' THEN
        'CASE WHEN f.reason IS NOT NULL THEN jsonb_build_object(''$type'', '
        '''app.bsky.feed.defs#skeletonReasonRepost'', ''repost'', f.reason) END'
      ELSE 'NULL::jsonb' END END,
    CASE WHEN columns ? 'context' THEN 'left(f.context::text, 2000)' ELSE 'NULL' END, name,
    CASE WHEN has_cursor
         THEN format(' AND (f.at, f.post) < ($2, $3::%s)', columns->>'post') ELSE '' END);
END $$;

-- A page of a feed. If the feed is a view, no row comes twice while others write, and no row that
-- existed at the first page is missing: the next page has the rows below the last row of this one.
CREATE OR REPLACE FUNCTION xrpc.feed_page(name text, "limit" int, cursor text DEFAULT NULL)
RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  feed record;
  place record;
  page record;
  body jsonb;
BEGIN
  feed := xrpc.feed(name);
  IF NOT feed.is_there THEN
    PERFORM xrpc.fail('UnknownFeed', 'there is no such feed');
  ELSIF feed.problem IS NOT NULL THEN
    RAISE wrong_object_type USING MESSAGE = format('feed %I cannot be served', name),
      DETAIL = feed.problem;
  END IF;
  IF feed.columns IS NULL THEN
    EXECUTE format('SELECT feed.%I("limit" => $1, cursor => $2)', name)
    INTO body USING "limit", cursor;
    RETURN body;
  END IF;
  SELECT p.at, p.post INTO place FROM xrpc.feed_cursor_parts(cursor) AS p;
  IF cursor IS NOT NULL AND place.at IS NULL THEN
    PERFORM xrpc.fail('InvalidRequest', 'the cursor is malformed');
  END IF;
  -- the rows come in the order of the query
  EXECUTE format('SELECT jsonb_agg(%s) AS feed, count(*) AS n, (array_agg(p.at))[$1] AS at, '
                 '(array_agg(p.post::text))[$1] AS post FROM (%s) AS p',
                 CASE WHEN feed.columns ?| '{reason,context}'
                      THEN 'jsonb_strip_nulls(jsonb_build_object(''post'', p.post, ''reason'', '
                           'p.reason, ''feedContext'', p.context))'
                      ELSE 'jsonb_build_object(''post'', p.post)' END,
                 xrpc.feed_query(name, feed.columns, cursor IS NOT NULL))
  INTO page USING greatest("limit", 1), place.at, place.post;
  body := jsonb_build_object('feed', coalesce(page.feed, '[]'));
  IF page.post IS NOT NULL THEN
    body := body || jsonb_build_object('cursor', xrpc.feed_cursor(page.at, page.post));
  END IF;
  RETURN body;
END $$;

-- The feed that a URI names: one that "feed publish" has published or, to try out a feed, one with
-- the DID of this service as its account. NULL: none.
CREATE OR REPLACE FUNCTION xrpc.feed_named(uri text, service text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  m CONSTANT text[] := regexp_match(uri, '^at://([^/]+)/app\.bsky\.feed\.generator/([^/]+)$');
BEGIN
  RETURN (SELECT m[2] WHERE m[1] = service
            OR EXISTS (SELECT 1 FROM published AS p WHERE p.feed = m[2] AND p.did::text = m[1]));
END $$;
REVOKE ALL ON FUNCTION xrpc.feed_named(text, text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION xrpc.feed_skeleton(uri text, service text, "limit" int, cursor text)
RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE feed CONSTANT text := xrpc.feed_named(uri, service);
BEGIN
  IF feed IS NULL THEN
    PERFORM xrpc.fail('UnknownFeed', 'there is no such feed');
  END IF;
  RETURN xrpc.feed_page(feed, "limit", cursor);
END $$;

-- The feeds that are published, in the form of app.bsky.feed.describeFeedGenerator.
CREATE OR REPLACE FUNCTION xrpc.feed_uris(service text) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN jsonb_build_object('did', service, 'feeds', (
    SELECT coalesce(jsonb_agg(jsonb_build_object('uri', format(
             'at://%s/app.bsky.feed.generator/%s', p.did, p.feed)) ORDER BY p.feed, p.did), '[]')
    FROM published AS p));
END $$;
REVOKE ALL ON FUNCTION xrpc.feed_uris(text) FROM PUBLIC;

-- Likewise, those of them that this role can serve.
CREATE OR REPLACE FUNCTION xrpc.describe_feeds(service text) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN jsonb_build_object('did', service, 'feeds', (
  SELECT coalesce(jsonb_agg(f.feed ORDER BY f.n), '[]')
  FROM jsonb_array_elements(xrpc.feed_uris(service)->'feeds') WITH ORDINALITY AS f (feed, n)
  CROSS JOIN LATERAL xrpc.feed(split_part(f.feed->>'uri', '/', 5)) AS s
  WHERE s.is_there AND s.problem IS NULL));
