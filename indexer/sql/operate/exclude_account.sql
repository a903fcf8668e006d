-- Excludes an account, whatever the network reports, and deletes its records.
CREATE OR REPLACE FUNCTION exclude_account(account text, why text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE me CONSTANT atid.did := account;
BEGIN
  PERFORM lock_batch_work();
  INSERT INTO exclusion AS x (did, why) VALUES (me, exclude_account.why)
  ON CONFLICT (did) DO UPDATE SET why = coalesce(excluded.why, x.why);
  PERFORM delete_candidate(me);  -- first, as finish_candidate() locks it
  PERFORM delete_want(me);
  PERFORM delete_account(me, waits => true);
END $$;

-- Ends the exclusion of an account. It is added at once if it is wanted. The want of an account
-- that a signal had found was deleted with it: the lists of signals are read again, or, where the
-- server has none, it is queried about the account.
CREATE OR REPLACE FUNCTION include_account(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE me CONSTANT atid.did := account;
BEGIN
  PERFORM lock_batch_work();  -- a page that is being stored lacks the account
  DELETE FROM exclusion AS x WHERE x.did = me;
  IF FOUND AND account_mode(me) IS DISTINCT FROM 'mirror' THEN
    PERFORM restart_signal_listings();
    IF EXISTS (SELECT 1 FROM listing AS l WHERE l.finds AND l.refused) THEN
      PERFORM add_candidates(jsonb_build_array(jsonb_build_object('did', me)));
    END IF;
  END IF;
  PERFORM add_unsettled(ARRAY[me]);
END $$;

-- Excludes an account, and deletes everything about it: also references by others, its labels,
-- labels about it, and frames. Only the exclusion stays.
CREATE OR REPLACE FUNCTION forget_account(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := account;
  low CONSTANT atid.at_uri := atid.at_uri_make(me);
  high CONSTANT atid.at_uri := atid.at_uri_scope_upper(atid.at_uri_make(me));
BEGIN
  PERFORM exclude_account(account, 'forgotten');
  -- A concurrent writer may not see the exclusion yet.
  PERFORM exclude_writers();
  PERFORM delete_identity(me);
  DELETE FROM reference AS r WHERE r.subject BETWEEN low AND high;
  DELETE FROM labels AS l WHERE l.subject BETWEEN low AND high OR l.src = me;
  DELETE FROM label_keys AS k WHERE k.src = me;
  PERFORM delete_labels_refused(account);
  PERFORM delete_bad(me);
  PERFORM delete_waiting(me);
  PERFORM delete_notices(me);
  PERFORM delete_want(me);
  PERFORM delete_candidate(me);
  PERFORM delete_asker(me);
  PERFORM delete_unsettled(me);
END $$;
