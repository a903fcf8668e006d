-- Adds and deletes accounts as the table want says.

-- Follows notices, and then the table want: some accounts that were added or taken out, and some of those whose records
-- are of older wants. The latter wait while 1,000 are to be loaded, or records of silenced accounts are to go. These go
-- in steps of 5,000, as the stream waits for the row of such an account. Accounts that an index, a constraint or a
-- trigger of the operator's refuses to change are tried again later; where there are 1,000 of them, only they are.
-- Returns how much was done.
CREATE OR REPLACE FUNCTION reconcile_wants(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w wants;
  a account;
  one atid.did;
  wanted text[];
  moment CONSTANT timestamptz := now();
  dids atid.did[];
  again atid.did[] := '{}';
  refused text[];                                    -- accounts that wait; as text for Citus, as in apply_frames()
  room int := 5000;                                  -- records that go in this step
  done int;
BEGIN
  PERFORM lock_batch_work();
  done := process_notices(50 * most);
  SELECT * INTO w FROM wants;
  WITH gone AS (
    DELETE FROM unsettled AS u
    WHERE u.ctid = ANY (ARRAY(SELECT x.ctid FROM unsettled AS x WHERE x.failures = 0 LIMIT most)) RETURNING u.did
  )
  SELECT array_agg(did) INTO dids FROM gone;
  dids := dids || ARRAY(SELECT u.did FROM unsettled AS u WHERE u.failures > 0 AND u.again <= moment ORDER BY u.again LIMIT most);
  refused := ARRAY(SELECT u.did::text FROM unsettled AS u WHERE u.failures > 0 ORDER BY u.again LIMIT 1000);
  dids := dids || ARRAY(
    SELECT did FROM account
    WHERE wants < CASE WHEN EXISTS (SELECT 1 FROM account AS x WHERE x.wants < 0 AND x.state <> 'loading')
                            OR (SELECT count(*) FROM (SELECT 1 FROM account AS x WHERE x.state = 'desynchronized'
                                                        AND x.load_at <= moment LIMIT 1000) AS d)
                               >= 1000 THEN 0 ELSE w.n END
      AND state <> 'loading' AND did::text <> ALL (refused) AND cardinality(refused) < 1000
    ORDER BY wants LIMIT most);
  wanted := wanted_patterns();
  FOR one IN SELECT DISTINCT did FROM unnest(dids) AS did WHERE did IS NOT NULL ORDER BY did LOOP
    a := NULL;
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM want WHERE what = 'account' AND value IN ('*', one::text))
         OR EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = one) THEN
        IF NOT delete_account(one) THEN
          again := again || one;
        END IF;
        CONTINUE;
      END IF;
      PERFORM add_account(one);
      a := try_lock_account(one);
      CONTINUE WHEN a.did IS NULL OR a.wants >= w.n OR a.state = 'loading' OR a.wants < 0 AND room = 0;
      IF a.wants < 0 AND a.state <> 'desynchronized' THEN
        room := room - delete_records(one, '{}', room);
        CONTINUE WHEN room = 0;
      ELSE
        PERFORM delete_records(one, wanted);
      END IF;
      UPDATE account SET wants = w.n WHERE did = one;
      IF a.wants < w.loads AND a.state = 'synchronized' THEN
        PERFORM set_account_state(a, 'desynchronized', moment);
      ELSIF a.wants < w.loads AND a.state = 'desynchronized' AND a.load_at > moment AND a.rev IS NOT NULL THEN
        UPDATE account SET load_at = moment WHERE did = one;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM report_skipped_account(one, SQLSTATE, SQLERRM);
      PERFORM postpone_account(one, a.wants, w.n, SQLERRM);
    END;
  END LOOP;
  DELETE FROM unsettled AS u WHERE u.failures > 0 AND u.again <= moment AND u.did = ANY (dids);
  INSERT INTO unsettled (did) SELECT u FROM unnest(again) AS u;
  done := done + process_refusals(50 * most);
  RETURN done + coalesce(cardinality(dids), 0) - cardinality(again);
END $$;

-- An account that reconcile_wants() could not change counts as changed, so that the others get their turn. If not even that can
-- be written, or the account could not be added, it is tried again, later each time.
CREATE OR REPLACE FUNCTION postpone_account(one atid.did, old_wants int, new_wants int, message text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  left_as_it_is bool := false;
BEGIN
  BEGIN
    UPDATE account AS a
    SET wants = new_wants, problem = CASE WHEN old_wants < 0 THEN 'not_written' ELSE a.problem END,
        detail = CASE WHEN old_wants < 0 THEN clip_text(message, 800) ELSE a.detail END
    WHERE a.did = one;
    left_as_it_is := FOUND;
  EXCEPTION WHEN OTHERS THEN
    PERFORM report_skipped_account(one, SQLSTATE, SQLERRM);
  END;
  IF left_as_it_is THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  UPDATE unsettled AS u
  SET failures = least(u.failures + 1, 20), detail = clip_text(message, 800),
      again = add_interval(now(), backoff_delay(u.failures + 4, s.pause_first, s.pause_most))
  WHERE u.did = one AND u.failures > 0;
  IF NOT FOUND THEN
    INSERT INTO unsettled (did, failures, detail, again)
    VALUES (one, 1, clip_text(message, 800), add_interval(now(), backoff_delay(4, s.pause_first, s.pause_most)));
  END IF;
END $$;
