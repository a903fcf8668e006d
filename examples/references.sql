-- What records point at, in a narrow table: a row of some 60 bytes for each reference of the kinds below, so that
-- counting is fast. Statement triggers maintain it. doc/network.md tells when to use it, and what it does not do.
--
-- It needs a table record (uri atid.at_uri PRIMARY KEY, record jsonb), and a search_path that finds it. It is one
-- transaction: after an error nothing of it is there, and nobody writes to record meanwhile. For a table with a column
-- block, of type bytea or atid.block, write dag_cbor_ref_uris(x.block, k.path) for record_ref_uris(x.record #> k.path).
BEGIN;

-- The fields that are followed. It is a fixed list: if data filled it, strangers could exhaust it.
CREATE TABLE kind (
  kind       smallint PRIMARY KEY,
  collection text COLLATE "C" NOT NULL,
  path       text[] NOT NULL
);
INSERT INTO kind VALUES
  (1, 'app.bsky.feed.like', '{subject}'), (2, 'app.bsky.feed.repost', '{subject}'), (3, 'app.bsky.graph.follow', '{subject}'),
  (4, 'app.bsky.graph.block', '{subject}'), (5, 'app.bsky.feed.post', '{reply,parent}'), (6, 'app.bsky.feed.post', '{facets}');

-- Records whose key is not a TID, or whose AT URI has a handle, are left out.
CREATE TABLE points_at (
  subject atid.at_uri NOT NULL,
  kind    smallint NOT NULL,
  tid     atid.tid NOT NULL,
  did     atid.did NOT NULL
);
CREATE INDEX points_at_subject ON points_at (subject, kind, tid);

-- A session plans these statements once. Without the settings a plan that was made for a load of a million rows would
-- read the whole table for each DELETE of one.
CREATE FUNCTION keep_points_at() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    TRUNCATE points_at;
  END IF;
  IF TG_OP IN ('UPDATE', 'DELETE') THEN
    DELETE FROM points_at AS p
    USING removed AS o JOIN kind AS k ON k.collection = atid.at_uri_collection(o.uri),
          unnest(atid.record_ref_uris(o.record #> k.path)) AS r (subject)
    WHERE p.subject = r.subject AND p.kind = k.kind AND p.tid = atid.at_uri_tid(o.uri) AND p.did = atid.at_uri_did(o.uri);
  END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO points_at
    SELECT r.subject, k.kind, atid.at_uri_tid(n.uri), atid.at_uri_did(n.uri)
    FROM added AS n JOIN kind AS k ON k.collection = atid.at_uri_collection(n.uri),
         unnest(atid.record_ref_uris(n.record #> k.path)) AS r (subject)
    WHERE atid.at_uri_tid(n.uri) IS NOT NULL AND atid.at_uri_did(n.uri) IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER points_at_insert AFTER INSERT ON record
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_points_at();
CREATE TRIGGER points_at_update AFTER UPDATE ON record
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_points_at();
CREATE TRIGGER points_at_delete AFTER DELETE ON record
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION keep_points_at();
CREATE TRIGGER points_at_truncate AFTER TRUNCATE ON record FOR EACH STATEMENT EXECUTE FUNCTION keep_points_at();

-- The records that are there already
INSERT INTO points_at
SELECT r.subject, k.kind, atid.at_uri_tid(n.uri), atid.at_uri_did(n.uri)
FROM record AS n JOIN kind AS k ON k.collection = atid.at_uri_collection(n.uri),
     unnest(atid.record_ref_uris(n.record #> k.path)) AS r (subject)
WHERE atid.at_uri_tid(n.uri) IS NOT NULL AND atid.at_uri_did(n.uri) IS NOT NULL;
COMMIT;
