-- Writes the table op, of live accounts, into the tables of today.

-- A record may be in a table of an earlier day, or in none: its creation may have been left out by
-- the stream, and so may its deletion. So whatever is under its URI is deleted first.
CREATE OR REPLACE FUNCTION write_live_records() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  today CONSTANT date := find_today();
  rules CONSTANT atid.lexicon := (SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l);
  uris CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op);
BEGIN
  PERFORM enter_writers();
  DELETE FROM reference WHERE uri = ANY (uris);
  DELETE FROM record WHERE uri = ANY (uris);
  EXECUTE format('INSERT INTO %s (uri, did, cid, block, conforms) '
                 'SELECT uri, did, cid, block, atid.dag_cbor_conforms(block, $1, collection) '
                 'FROM pg_temp.op WHERE block IS NOT NULL', day_table('record', today)) USING rules;
  -- nothing points at an account that is excluded
  EXECUTE format('INSERT INTO %s (subject, collection, path, tid, uri) '
                 'SELECT p.subject, o.collection, p.path, '
                 'coalesce(atid.at_uri_tid(o.uri), ''2222222222222''), o.uri '
                 'FROM pg_temp.op AS o CROSS JOIN indexer.block_references(o.block, $1) AS p '
                 'WHERE o.block IS NOT NULL AND NOT EXISTS (SELECT 1 FROM indexer.exclusion AS x '
                 'WHERE x.did = atid.at_uri_did(p.subject))', day_table('reference', today))
  USING (SELECT s.most_references FROM settings AS s);
  IF EXISTS (SELECT 1 FROM reader) THEN
    PERFORM add_changes();
  END IF;
  DELETE FROM op;
END $$;
