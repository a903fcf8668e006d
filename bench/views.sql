-- The measurements of bench/views, and the pages in SQL.

SET search_path = indexer, public;
CREATE SCHEMA bench;
CREATE SCHEMA api;
INSERT INTO lexicons (lexicons)
SELECT atid.lexicon_agg(jsonb_build_object('lexicon', 1, 'id', 'com.example.' || t.name, 'defs', jsonb_build_object('main',
  jsonb_build_object('type', 'record', 'key', t.key, 'record', jsonb_build_object('type', 'object', 'properties', t.properties))))::atid.lexicon)
FROM (VALUES
  ('profile', 'literal:self', '{"displayName": {"type": "string"}}'::jsonb),
  ('board', 'tid', '{"name": {"type": "string"}}'),
  ('post', 'tid', '{"text": {"type": "string"}, "createdAt": {"type": "string", "format": "datetime"},
    "board": {"type": "string", "format": "at-uri"}, "parent": {"type": "string", "format": "at-uri"}}')) AS t (name, key, properties);

CREATE FUNCTION bench.did(n bigint) RETURNS text LANGUAGE sql IMMUTABLE RETURN format('did:web:user%s.example', n % 2000);
CREATE FUNCTION bench.uri(collection text, n bigint) RETURNS atid.at_uri LANGUAGE sql IMMUTABLE
  RETURN atid.at_uri_make(bench.did(n), collection, atid.tid_make('2026-01-01'::timestamptz + n * interval '1 s', 0)::text);
CREATE PROCEDURE bench.fill(collection text, low bigint, high bigint) LANGUAGE sql AS $$
  INSERT INTO packed_record (uri, block, conforms)
  SELECT CASE collection WHEN 'com.example.profile' THEN atid.at_uri_make(bench.did(n), collection, 'self') ELSE bench.uri(collection, n) END, b, true
  FROM generate_series(low, high) AS n
       CROSS JOIN atid.record_to_dag_cbor(jsonb_build_object('$type', collection) || CASE collection
         WHEN 'com.example.profile' THEN jsonb_build_object('displayName', 'User ' || n)
         WHEN 'com.example.board' THEN jsonb_build_object('name', 'Board ' || n)
         ELSE jsonb_strip_nulls(jsonb_build_object('text', 'Post number ' || n || repeat(' and more', (n % 20)::int)
             || CASE WHEN n % 10000 = 0 THEN ' rare' ELSE '' END || CASE WHEN n % 100 = 0 THEN ' some' ELSE '' END || CASE WHEN n % 5 = 0 THEN ' often' ELSE '' END,
           'createdAt', to_char('2026-01-01'::timestamptz + n * interval '1 s', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
           'board', bench.uri('com.example.board', n % 50),
           'parent', CASE WHEN n > 100 THEN bench.uri(collection, n - 1 - (hashint8(n) & 63)) END)) END) AS b
$$;
INSERT INTO identity (did, handle, host, ask) SELECT bench.did(n)::atid.did, format('user%s.example', n), 'https://pds.example', 'infinity' FROM generate_series(0, 1999) AS n;
CALL bench.fill('com.example.profile', 0, 1999);
CALL bench.fill('com.example.board', 0, 49);
CALL bench.fill('com.example.post', 1, :rows);
INSERT INTO view_reference VALUES ('com.example.post', '{board}', 'com.example.board'), ('com.example.post', '{parent}', 'com.example.post');
SELECT FROM make_views('api');
SELECT FROM make_view_index('api.com_example_post', 'sort_at', 'uri');
SELECT FROM make_view_index('api.com_example_profile', 'did');
SELECT FROM make_search('api.com_example_post', 'text');
VACUUM ANALYZE;
SELECT format('%s records, %s with their indexes', count(*), pg_size_pretty(pg_total_relation_size('packed_record'))) FROM record;

CREATE ROLE reader LOGIN;
CREATE ROLE consumer LOGIN;
GRANT USAGE ON SCHEMA api TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA api TO reader;
REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC;
GRANT USAGE ON SCHEMA indexer TO consumer;
GRANT ALL ON ALL TABLES IN SCHEMA indexer TO consumer;

-- The last row of the page before the one 10,000 further down.
CREATE TABLE bench.below AS
SELECT jsonb_build_array(to_char(sort_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'), uri) AS cursor, sort_at, uri
FROM api.com_example_post ORDER BY sort_at DESC, uri DESC OFFSET 20 * 10000 - 1 LIMIT 1;

CREATE FUNCTION bench.page(after_at timestamptz, after_uri atid.at_uri) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(concat(p.text, a.handle, f.display_name, b.name, o.text))
  FROM (SELECT * FROM api.com_example_post WHERE (sort_at, uri) < (after_at, after_uri) ORDER BY sort_at DESC, uri DESC LIMIT 20) AS p
       LEFT JOIN api.account AS a USING (did)
       LEFT JOIN api.com_example_profile AS f USING (did)
       LEFT JOIN api.com_example_board AS b ON b.uri = p.board
       LEFT JOIN api.com_example_post AS o ON o.uri = p.parent
$$;
CREATE FUNCTION bench.found(word text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(concat(x.uri, x.text)) FROM (SELECT uri, text FROM api.search_com_example_post(word) ORDER BY sort_at DESC LIMIT 20) AS x);
END $$;
CREATE TABLE bench.took (place text, ms float8);
CREATE PROCEDURE bench.ask(rounds int) LANGUAGE plpgsql AS $$
DECLARE
  b bench.below;
  began timestamptz;
  place text;
  n bigint;
BEGIN
  SELECT * INTO b FROM bench.below;
  FOR i IN 0 .. rounds LOOP
    FOREACH place IN ARRAY ARRAY['the first page', 'the 10,001st page', 'rare', 'some', 'often'] LOOP
      CONTINUE WHEN place IN ('some', 'often') AND i > 7;
      began := clock_timestamp();
      n := CASE place WHEN 'the first page' THEN bench.page('infinity', 'at://did:web:z')
                      WHEN 'the 10,001st page' THEN bench.page(b.sort_at, b.uri) ELSE bench.found(place) END;
      IF n <> 20 THEN RAISE 'a page of %', n; END IF;
      IF i > 0 THEN -- the first only warms up
        INSERT INTO bench.took VALUES (place, extract(epoch FROM clock_timestamp() - began) * 1000);
      END IF;
    END LOOP;
  END LOOP;
END $$;
CALL bench.ask(:rounds);
SELECT format('SQL, %s: %s ms (quartiles %s)', CASE WHEN place IN ('rare', 'some', 'often') THEN 'a search: ' || place ELSE place END, round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms))::numeric, 2),
  (SELECT string_agg(round(q::numeric, 2)::text, ' to ') FROM unnest(percentile_cont('{0.25,0.75}'::float8[]) WITHIN GROUP (ORDER BY ms)) AS q))
FROM bench.took GROUP BY place ORDER BY place DESC;
