-- Writes the records of live accounts in the table op into the tables of today.

-- A record may be in a table of an earlier day, or in none, as the stream may have left out its
-- creation or its deletion. So any record with its URI is deleted first.
CREATE OR REPLACE FUNCTION write_live_records() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  today CONSTANT date := find_today();
  rules CONSTANT atid.lexicon := (SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l);
  uris CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op);
  dids CONSTANT atid.did[] := ARRAY(SELECT DISTINCT op.did FROM op);
BEGIN
  PERFORM enter_writers();
  DELETE FROM reference WHERE uri = ANY (uris);
  PERFORM delete_stored(uris, dids);
  EXECUTE record_insert(day_table('record', today)) USING rules;
  EXECUTE format('INSERT INTO %s (subject, collection, path, tid, uri) '
                 'SELECT r.subject, r.collection, r.path, r.tid, r.uri '
                 'FROM indexer.read_op_references() AS r', day_table('reference', today));
  IF EXISTS (SELECT 1 FROM reader) THEN
    PERFORM add_changes();
  END IF;
  DELETE FROM op;
END $$;
