-- Processes the notices of the stream and of loads.

-- Reports that an index, a constraint or a trigger of the operator has refused the change of one of
-- many accounts: the server's log gets a warning, and the others go on. An error of the server
-- itself is raised again.
CREATE OR REPLACE FUNCTION report_skipped_account(one atid.did, state text, message text)
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF is_server_error(state) THEN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
  END IF;
  RAISE WARNING 'account % was skipped: %', one, message;
END $$;

-- Processes notices, in the order of the accounts. Returns their number.
CREATE OR REPLACE FUNCTION process_notices(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r record;
  n int := 0;
BEGIN
  FOR r IN
    WITH taken AS (
      SELECT x.* FROM take_notices(most, false) AS x
    )
    SELECT did, bool_or(what = 'met') AS met, bool_or(what = 'identity') AS identity,
           bool_or(what = 'signature') AS signature,
           -- a signal that was wanted when the frame came may no longer be wanted
           min(because) FILTER (
             WHERE what = 'signal' AND EXISTS (
               SELECT 1 FROM want AS w
               WHERE (w.what, w.value) = ('signal', taken.because))) AS signal,
           max(at) AS at, count(*) AS rows
    FROM taken GROUP BY did ORDER BY did
  LOOP
    n := n + r.rows;
    BEGIN
      IF r.signal IS NOT NULL AND NOT add_found_accounts(ARRAY[r.did], r.signal) THEN
        PERFORM restart_full_listing(r.signal);
      END IF;
      IF r.met AND account_mode(r.did) IS NOT NULL THEN
        PERFORM add_account(r.did);
      END IF;
      PERFORM hint_identity(r.did, r.identity, r.signature, r.at);
    EXCEPTION WHEN OTHERS THEN
      PERFORM report_skipped_account(r.did, SQLSTATE, SQLERRM);
    END;
  END LOOP;
  RETURN n;
END $$;

-- Processes notices of refused frames. It runs last, and waits for no other transaction, because it
-- locks accounts, some of which others may hold. Returns their number.
CREATE OR REPLACE FUNCTION process_refusals(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r record;
  n int := 0;
BEGIN
  PERFORM enter_writers();  -- before an account is locked
  FOR r IN
    SELECT t.did, count(*) AS rows FROM take_notices(most, true) AS t GROUP BY t.did ORDER BY t.did
  LOOP
    n := n + r.rows;
    BEGIN
      IF NOT request_status_check(r.did) THEN
        PERFORM add_notices(ARRAY[r.did], '{refused}', again => true);
        n := n - 1;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM report_skipped_account(r.did, SQLSTATE, SQLERRM);
    END;
  END LOOP;
  RETURN n;
END $$;
