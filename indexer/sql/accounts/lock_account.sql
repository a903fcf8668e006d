-- Locks an account, and returns it; NULL if there is none, or if its repository is just being
-- stored, which may take long: work on many accounts, and work that is tried again, does not wait
-- for that.
CREATE OR REPLACE FUNCTION try_lock_account(one atid.did) RETURNS account LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account AS x WHERE x.did = one AND x.state <> 'loading' FOR UPDATE;
  IF NOT FOUND THEN
    SELECT * INTO a FROM account AS x
    WHERE x.did = one AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
  END IF;
  RETURN a;
END $$;

CREATE OR REPLACE FUNCTION is_account_loading(one atid.did) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a CONSTANT account := try_lock_account(one);
BEGIN
  RETURN a.did IS NULL AND EXISTS (SELECT 1 FROM account AS x WHERE x.did = one);
END $$;

-- Takes the lock by which functions that lock several accounts or identities run one after the
-- other. process_frames() does not need it: it locks only accounts, in the order of their DIDs, as
-- all others do.
CREATE OR REPLACE FUNCTION lock_batch_work() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  LOCK TABLE lock_of_many IN EXCLUSIVE MODE;
END $$;
