-- Deletes an account and all its rows, except references by others. Returns false if it is being
-- loaded and waits is false.
CREATE OR REPLACE FUNCTION delete_account(one atid.did, waits bool DEFAULT false) RETURNS bool
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  was text;
  is_label_source bool;
BEGIN
  SELECT i.labeler INTO is_label_source FROM identity AS i WHERE i.did = one FOR UPDATE;
  IF NOT waits AND is_account_loading(one) THEN RETURN false; END IF;
  SELECT a.state INTO was FROM account AS a WHERE a.did = one FOR UPDATE;
  IF FOUND THEN
    PERFORM delete_account_rows(one, was);
  END IF;
  IF NOT is_label_source THEN
    PERFORM delete_identity(one);
  END IF;
  RETURN true;
END $$;
