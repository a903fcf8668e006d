-- Writes the records in the table op, their references, and their changes.
CREATE OR REPLACE FUNCTION write_records() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  rules CONSTANT atid.lexicon := (SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l);
  old CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op WHERE NOT fresh);
  gone CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op WHERE block IS NULL);
  whose CONSTANT atid.did[] := ARRAY(SELECT DISTINCT op.did FROM op WHERE block IS NULL);
BEGIN
  PERFORM enter_writers();
  IF old <> '{}' THEN DELETE FROM reference WHERE uri = ANY (old); END IF;
  IF gone <> '{}' THEN PERFORM delete_stored(gone, whose); END IF;
  PERFORM store_records(rules);
  INSERT INTO reference (subject, collection, path, tid, uri)
  SELECT r.subject, r.collection, r.path, r.tid, r.uri FROM read_op_references() AS r;
  IF EXISTS (SELECT 1 FROM reader) THEN
    PERFORM add_changes();
  END IF;
  DELETE FROM op;
END $$;
