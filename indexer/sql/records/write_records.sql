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
  IF gone <> '{}' THEN DELETE FROM record WHERE uri = ANY (gone) AND did = ANY (whose); END IF;
  INSERT INTO record AS r (uri, did, cid, block, conforms)
  SELECT uri, did, cid, block, atid.dag_cbor_conforms(block, rules, collection)
  FROM op WHERE block IS NOT NULL
  ON CONFLICT (uri, did) DO UPDATE
  SET cid = excluded.cid, block = excluded.block, conforms = excluded.conforms;
  INSERT INTO reference (subject, collection, path, tid, uri)
  SELECT r.subject, r.collection, r.path, r.tid, r.uri FROM read_op_references() AS r;
  IF EXISTS (SELECT 1 FROM reader) THEN
    PERFORM add_changes();
  END IF;
  DELETE FROM op;
END $$;
