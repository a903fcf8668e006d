-- Failures: a repository could not be downloaded, or was not stored.

-- Ends an attempt to load an account that has not stored its repository; the next one is later each
-- time. No stranger's answer can make this fail: why is a code, and more is clipped.
CREATE OR REPLACE FUNCTION defer_load(account atid.did, attempt int, why text, more text)
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  a account;
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO a FROM account AS x
  WHERE x.did = defer_load.account AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  -- First the failure, on which the index of due accounts depends: the account is not in it yet.
  PERFORM count_load_failure(a.did, why, more);
  PERFORM set_account_state(a, 'desynchronized', add_interval(
    now(), backoff_delay(a.failures, s.pause_first, s.pause_most)));
  -- the known key may be outdated
  IF why = ANY (list_key_codes()) THEN
    PERFORM add_notices(ARRAY[a.did], '{signature}');
  END IF;
END $$;

-- Records that a repository could not be downloaded. If the answer names a status of the account,
-- the server is queried for it, because a relay that could not resolve the DID answers
-- RepoNotFound, and so does a host that the account has left. If it is the host that fails, its
-- other accounts wait, too: after the third failure, or at once if it asks for a pause of so many
-- seconds. During that pause no other failure of the host counts, and the account waits as long,
-- whether or not the host is at fault.
CREATE OR REPLACE FUNCTION fail_load(
  account text, attempt int, why text, more text, of_host bool, seconds int DEFAULT 0
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  due timestamptz;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM account AS x
                 WHERE x.did = me AND x.state = 'loading' AND x.claim = attempt) THEN
    RETURN;
  END IF;
  PERFORM defer_load(me, attempt, why, more);
  IF seconds > 0 THEN
    SELECT x.load_at INTO due FROM account AS x WHERE x.did = me;
    PERFORM store_load_time(me, greatest(due, add_interval(now(), seconds * interval '1 s')));
  END IF;
  IF EXISTS (SELECT 1 FROM code AS c WHERE c.code = why AND c.checks) THEN
    PERFORM schedule_status_check(me, now());
  END IF;
  IF of_host THEN
    PERFORM fail_host(find_host(me), why, seconds);
  END IF;
END $$;
