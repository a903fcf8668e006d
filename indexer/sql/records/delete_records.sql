-- Deletes the records of an account in collections that are not wanted: all, or at most `most`.
-- Returns their number; if that is `most`, there may be more.
CREATE OR REPLACE FUNCTION delete_records(
  account atid.did, wanted text[], most int DEFAULT NULL
) RETURNS int LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  n int;
  first atid.at_uri;
BEGIN
  PERFORM create_temp_tables();
  INSERT INTO op (uri, did, fresh)
  SELECT r.uri, r.did, false FROM record AS r
  WHERE r.did = account AND NOT atid.at_uri_collection(r.uri)::text LIKE ANY (wanted)
    AND r.uri BETWEEN atid.at_uri_make(account)
                  AND atid.at_uri_scope_upper(atid.at_uri_make(account))
  ORDER BY r.uri LIMIT most;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n = 0 THEN RETURN 0; END IF;
  first := (SELECT min(op.uri) FROM op);
  PERFORM write_records();
  -- If a trigger keeps records, the next step would find the same ones again, so there is only one
  -- step.
  IF n = most AND EXISTS (SELECT 1 FROM record AS r WHERE r.uri = first AND r.did = account) THEN
    PERFORM delete_records(account, wanted);
    RETURN 0;
  END IF;
  RETURN n;
END $$;

-- Deletes the records of an account that the other mode has stored: for a mirror those in the
-- tables of days, for a live account the others. mode: from account_mode().
CREATE OR REPLACE FUNCTION delete_other_mode(account atid.did, mode text) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE uris atid.at_uri[];
BEGIN
  IF mode = 'mirror' AND NOT EXISTS (SELECT 1 FROM day) THEN RETURN; END IF;
  uris := list_stored(account, of_days => mode = 'mirror');
  IF uris = '{}' THEN RETURN; END IF;
  PERFORM create_temp_tables();
  INSERT INTO op (uri, did, fresh) SELECT u, account, false FROM unnest(uris) AS u;
  PERFORM write_records();
END $$;
