-- Adds an account, if it is new and may be here: it is loaded if its key is known, else once store_plc_log() has one.
CREATE OR REPLACE FUNCTION add_account(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  k text;
  w int;
  method CONSTANT text := did_method(one);
BEGIN
  IF EXISTS (SELECT 1 FROM account WHERE did = one) OR EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = one)
     OR octet_length(one::text) > 512 THEN
    RETURN;
  END IF;
  INSERT INTO identity (did, web, ask, problem)
  VALUES (one, method = 'web', CASE WHEN method IN ('plc', 'web') THEN now() ELSE 'infinity' END,
          CASE WHEN method NOT IN ('plc', 'web') THEN 'unsupported_method' END)
  ON CONFLICT DO NOTHING;
  SELECT key INTO k FROM identity WHERE did = one FOR SHARE;  -- waits for an store_plc_log()
  SELECT n INTO w FROM wants;
  INSERT INTO account (did, state, load_at, wants, listed)
  VALUES (one, CASE WHEN k IS NULL THEN 'unidentified' ELSE 'desynchronized' END,
          CASE WHEN k IS NULL THEN 'infinity' ELSE now() END, w, now())
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    INSERT INTO tally (what, n) VALUES (CASE WHEN k IS NULL THEN 'unidentified' ELSE 'desynchronized' END, 1);
  END IF;
END $$;
