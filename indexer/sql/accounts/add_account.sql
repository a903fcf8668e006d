-- Adds an account, unless it exists or is excluded. If its key is known, it is loaded or its
-- commits are stored; otherwise, that happens once store_plc_log() or store_did_document() has
-- stored a key.
CREATE OR REPLACE FUNCTION add_account(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE k text;
BEGIN
  IF EXISTS (SELECT 1 FROM account AS a WHERE a.did = one)
     OR EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = one)
     OR octet_length(one::text) > 512 THEN
    RETURN;
  END IF;
  PERFORM add_identity(one);
  SELECT i.key INTO k FROM identity AS i WHERE i.did = one FOR SHARE;  -- waits for apply_identity()
  PERFORM add_account_rows(one, CASE WHEN k IS NULL THEN 'unidentified'
                                     WHEN account_mode(one) = 'live' THEN 'live'
                                     ELSE 'desynchronized' END);
END $$;
