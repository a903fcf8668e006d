-- An account goes, with all that is its own, but for what others point at it. False: it is being loaded.
CREATE OR REPLACE FUNCTION delete_account(one atid.did, waits bool DEFAULT false) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  was text;
  label_source bool;
BEGIN
  SELECT labeler INTO label_source FROM identity WHERE did = one FOR UPDATE;
  IF NOT waits AND is_account_loading(one) THEN RETURN false; END IF;
  SELECT state INTO was FROM account WHERE did = one FOR UPDATE;
  IF was IS NOT NULL THEN
    PERFORM delete_records(one, '{}');
    PERFORM delete_waiting(one);
    DELETE FROM account WHERE did = one;
    INSERT INTO tally (what, n) VALUES (was, -1);
  END IF;
  IF NOT label_source THEN
    DELETE FROM identity WHERE did = one;
  END IF;
  RETURN true;
END $$;
