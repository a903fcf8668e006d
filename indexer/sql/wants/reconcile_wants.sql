-- Adds and deletes accounts as the table want demands.

-- The number below which the wants of an account are old: the number of the current wants, or 0
-- while 1,000 accounts are still to be loaded, or while records of deactivated accounts, whose
-- number is -1, are still to be deleted: then only these accounts are processed.
CREATE OR REPLACE FUNCTION oldest_wants(newest int) RETURNS int LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM account AS x WHERE x.wants < 0 AND x.state <> 'loading')
     OR (SELECT count(*) FROM (SELECT 1 FROM account AS x
                               WHERE x.state = 'desynchronized' AND x.load_at <= now()
                               LIMIT 1000) AS d) >= 1000 THEN
    RETURN 0;
  END IF;
  RETURN newest;
END $$;

-- The accounts whose records match older wants, except those whose last attempt has failed. There
-- are none while 1,000 have failed.
CREATE OR REPLACE FUNCTION find_old_wants(newest int, most int) RETURNS atid.did[]
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  oldest CONSTANT int := oldest_wants(newest);
  -- text, as in apply_frames(), for Citus
  failed CONSTANT text[] := ARRAY(SELECT u.did::text FROM unsettled AS u WHERE u.failures > 0
                                  ORDER BY u.again LIMIT 1000);
BEGIN
  IF cardinality(failed) = 1000 THEN RETURN '{}'; END IF;
  RETURN ARRAY(SELECT a.did FROM account AS a
               WHERE a.wants < oldest AND a.state <> 'loading' AND a.did::text <> ALL (failed)
               ORDER BY a.wants LIMIT most);
END $$;

-- Requests the identity of a live account that becomes a mirror, as for every mirror. The row of
-- the account is not locked yet: an identity is locked before its account. Returns false if the
-- account does not seem to be one.
CREATE OR REPLACE FUNCTION request_mirror_identity(one atid.did, mode text) RETURNS bool
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF mode = 'mirror'
     AND EXISTS (SELECT 1 FROM account AS x WHERE x.did = one AND x.state = 'live') THEN
    PERFORM request_identity(one, now());
    RETURN true;
  END IF;
  RETURN false;
END $$;

-- Changes the mode of an account, whose row is locked: its records are deleted. A mirror gets its
-- records back when it is loaded. An account that is being loaded is changed later.
CREATE OR REPLACE FUNCTION follow_mode(a account, mode text) RETURNS account LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF a.state = 'live' AND mode = 'mirror' THEN
    PERFORM delete_records(a.did, '{}');
    PERFORM set_account_state(a, 'desynchronized', now());
  ELSIF a.state IN ('synchronized', 'desynchronized') AND mode = 'live' THEN
    PERFORM delete_records(a.did, '{}');
    PERFORM clear_account_failures(a.did);
    PERFORM set_account_state(a, 'live');
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = a.did;
  RETURN a;
END $$;

-- Makes the records of an account, whose row is locked, match the wants w: deletes those of
-- collections that are no longer wanted, and has the account loaded if others are. All records of a
-- deactivated account are deleted, at most `room` of them at a time. Returns the number of deleted
-- records; if that is `room`, there may be more.
CREATE OR REPLACE FUNCTION follow_wants(a account, w wants, wanted text[], room int) RETURNS int
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  deleted int := 0;
  moment CONSTANT timestamptz := now();
BEGIN
  IF a.wants >= w.n OR a.state = 'loading' OR a.wants < 0 AND room = 0 THEN RETURN 0; END IF;
  IF a.wants < 0 AND a.state <> 'desynchronized' THEN
    deleted := delete_records(a.did, '{}', room);
    IF deleted = room THEN RETURN deleted; END IF;
  ELSE
    PERFORM delete_records(a.did, wanted);
  END IF;
  PERFORM store_account_wants(a.did, w.n);
  IF a.wants < w.loads AND a.state = 'synchronized' THEN
    PERFORM set_account_state(a, 'desynchronized', moment);
  ELSIF a.wants < w.loads AND a.state = 'desynchronized' AND a.load_at > moment
        AND a.rev IS NOT NULL THEN
    PERFORM store_load_time(a.did, moment);
  END IF;
  RETURN deleted;
END $$;

-- Handles the refusal of an index, a constraint or a trigger of the operator to change an account.
-- The account counts as changed, so that the others get their turn. If not even that can be
-- written, or the account could not be added, it is tried again, later each time.
CREATE OR REPLACE FUNCTION postpone_account(
  one atid.did, old_wants int, new_wants int, message text
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  BEGIN
    IF fail_account_wants(one, old_wants, new_wants, message) THEN RETURN; END IF;
  EXCEPTION WHEN OTHERS THEN
    PERFORM report_skipped_account(one, SQLSTATE, SQLERRM);
  END;
  PERFORM postpone_unsettled(one, message);
END $$;

-- Processes notices, and then the table want: some accounts that were added or removed, and some of
-- those whose records match older wants. Records of deactivated accounts are deleted in steps of
-- 5,000, as the stream waits for the row of such an account. Returns how much was done.
CREATE OR REPLACE FUNCTION reconcile_wants(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w wants;
  a account;
  one atid.did;
  dids atid.did[];
  busy atid.did[] := '{}';
  wanted text[];
  mode text;
  is_requested bool;                                 -- the identity, before the account is locked
  room int := 5000;
  done int;
BEGIN
  PERFORM lock_batch_work();
  done := process_notices(50 * most);
  SELECT * INTO w FROM wants;
  dids := claim_unsettled(most);
  dids := dids || find_old_wants(w.n, most);
  wanted := wanted_patterns();
  FOR one IN SELECT DISTINCT d FROM unnest(dids) AS d WHERE d IS NOT NULL ORDER BY d LOOP
    a := NULL;
    BEGIN
      mode := account_mode(one);
      IF mode IS NOT NULL THEN
        PERFORM add_account(one);
        is_requested := request_mirror_identity(one, mode);
        a := try_lock_account(one);
        IF mode = 'live' AND (a.did IS NULL OR a.state = 'loading')
           OR mode = 'mirror' AND a.state = 'live' AND NOT is_requested THEN
          busy := busy || one;
        ELSIF a.did IS NOT NULL THEN
          a := follow_mode(a, mode);
          room := room - follow_wants(a, w, wanted, room);
        END IF;
      ELSIF NOT delete_account(one) THEN
        busy := busy || one;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM report_skipped_account(one, SQLSTATE, SQLERRM);
      PERFORM postpone_account(one, a.wants, w.n, SQLERRM);
    END;
  END LOOP;
  PERFORM finish_unsettled(dids);
  PERFORM add_unsettled(busy);
  done := done + process_refusals(50 * most);
  RETURN done + coalesce(cardinality(dids), 0) - cardinality(busy);
END $$;
