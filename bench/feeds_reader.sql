-- The roles of the API, as "atid-indexer up" creates them.
REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC;
CREATE ROLE consumer LOGIN;
GRANT USAGE ON SCHEMA indexer TO consumer;
GRANT ALL ON ALL TABLES IN SCHEMA indexer TO consumer;
GRANT TEMPORARY ON DATABASE postgres TO consumer;
CREATE ROLE reader LOGIN;
GRANT USAGE ON SCHEMA api, feed, xrpc TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA api, feed TO reader;
GRANT EXECUTE ON FUNCTION xrpc.verify(text, text, text), xrpc.enter(text, text, text),
  xrpc.feed_named(text, text), xrpc.feed_uris(text) TO reader;
