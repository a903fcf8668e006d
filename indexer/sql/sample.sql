-- Some records for the queries of doc/indexer.md, written as process_frames() and
-- store_repository() write them.
SET search_path = indexer, pg_temp;
DO $$
BEGIN
  PERFORM create_temp_tables();
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT atid.at_uri_make(did, path), did, split_part(path, '/', 1), true,
         atid.record_cid(record), atid.record_to_dag_cbor(record)
  FROM (VALUES
    ('ada', 'actor.profile/self', '{"displayName": "Ada"}'::jsonb),
    ('ada', 'feed.post/3kiwuygzb2c2a', '{"text": "first"}'),
    ('ada', 'feed.post/3kiwuygzb2c2c', '{"text": "second"}'),
    ('cy',  'feed.post/3kiwuygzb2c2b', '{"text": "hello", "reply": {
      "root": {"uri": "at://did:web:ada.example/app.bsky.feed.post/3kiwuygzb2c2a"},
      "parent": {"uri": "at://did:web:ada.example/app.bsky.feed.post/3kiwuygzb2c2a"}}}'),
    ('bob', 'graph.follow/3kiwuygzb2c2d', '{"subject": "did:web:ada.example"}'),
    ('bob', 'graph.follow/3kiwuygzb2c2e', '{"subject": "did:web:cy.example"}'),
    ('cy',  'graph.follow/3kiwuygzb2c2f', '{"subject": "did:web:ada.example"}'),
    ('bob', 'feed.like/3kiwuygzb2c2g', '{"subject":
      {"uri": "at://did:web:ada.example/app.bsky.feed.post/3kiwuygzb2c2a"}}'),
    ('cy',  'feed.like/3kiwuygzb2c2h', '{"subject":
      {"uri": "at://did:web:ada.example/app.bsky.feed.post/3kiwuygzb2c2a"}}')
  ) AS v (who, name, record),
  LATERAL (SELECT format('did:web:%s.example', who)::atid.did AS did,
                  'app.bsky.' || name AS path) AS x;
  PERFORM write_records();
END $$;
RESET search_path;
