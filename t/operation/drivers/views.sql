-- Typed views of the demo's records, as indexer/sql/views.sql makes them, for PostGraphile. The variables lexicons and
-- records are arrays of jsonb. The role reader may read the views, and nothing else.
CREATE EXTENSION atid;
CREATE SCHEMA views;
SET search_path = views, public;
\ir ../../../indexer/sql/views.sql
CREATE TABLE source (uri atid.at_uri PRIMARY KEY, did atid.did NOT NULL, cid atid.cid_link NOT NULL, block bytea NOT NULL);
CREATE TEMP TABLE line (json jsonb);
\copy line FROM 'demo/records.jsonl' WITH (FORMAT csv, DELIMITER e'\x02', QUOTE e'\x01')
INSERT INTO source
  SELECT format('at://%s/%s/%s', json->>'did', json->>'collection', json->>'rkey')::atid.at_uri, (json->>'did')::atid.did,
         (json->>'cid')::atid.cid_link, atid.record_to_dag_cbor(json->'record')
  FROM line;
CREATE TABLE rules (document atid.lexicon);
\copy rules FROM 'demo/lexicons.jsonl' WITH (FORMAT csv, DELIMITER e'\x02', QUOTE e'\x01')
INSERT INTO rules SELECT (json->'record')::atid.lexicon FROM line WHERE json->>'collection' = 'com.atproto.lexicon.schema';
INSERT INTO view_reference VALUES ('app.bsky.feed.like', '{subject,uri}', 'app.bsky.feed.post'),
  ('app.bsky.feed.post', '{reply,parent,uri}', 'app.bsky.feed.post');
CREATE SCHEMA api;
CREATE TABLE api.account (did atid.did PRIMARY KEY, handle text);
INSERT INTO api.account SELECT DISTINCT did, replace(did::text, ':', '.') FROM source;
SELECT make_views(lexicon_agg, 'source', 'api', 'api.account') FROM (SELECT atid.lexicon_agg(document) FROM rules) AS r;
SELECT make_view_index('api.app_bsky_feed_post', 'created_at'), make_view_index('api.app_bsky_feed_like', 'subject_uri');
ANALYZE;
DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
GRANT USAGE ON SCHEMA api TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA api TO reader;
