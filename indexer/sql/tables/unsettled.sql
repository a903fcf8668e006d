-- Accounts that reconcile_wants() has to add or delete, because the table want has changed, and
-- accounts that it could not change, each with the time of the next attempt. Only the functions in
-- this file write the table.
--
-- A change of the table want adds a row, and reconcile_wants() takes it out, so most_wants bounds
-- both tables. An account that could not be changed has one row.

-- Adds accounts that have become wanted, or are no longer wanted.
CREATE OR REPLACE FUNCTION add_unsettled(dids atid.did[]) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO unsettled (did) SELECT d FROM unnest(dids) AS d;
END $$;

-- Takes out new accounts, and returns them with those whose next attempt is due. The latter keep
-- their rows until finish_unsettled().
CREATE OR REPLACE FUNCTION claim_unsettled(most int) RETURNS atid.did[] LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE taken atid.did[];
BEGIN
  WITH new AS (
    DELETE FROM unsettled AS u
    WHERE u.ctid = ANY (ARRAY(SELECT x.ctid FROM unsettled AS x WHERE x.failures = 0 LIMIT most))
    RETURNING u.did
  )
  SELECT array_agg(n.did) INTO taken FROM new AS n;
  RETURN taken || ARRAY(SELECT u.did FROM unsettled AS u
                        WHERE u.failures > 0 AND u.again <= now() ORDER BY u.again LIMIT most);
END $$;

-- Records that an attempt to change an account has failed; the next one is later each time.
CREATE OR REPLACE FUNCTION postpone_unsettled(one atid.did, message text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE s settings;
BEGIN
  SELECT * INTO s FROM settings;
  UPDATE unsettled AS u
  SET failures = least(u.failures + 1, 20), detail = clip_text(message, 800),
      again = add_interval(now(), backoff_delay(u.failures + 4, s.pause_first, s.pause_most))
  WHERE u.did = one AND u.failures > 0;
  IF NOT FOUND THEN
    INSERT INTO unsettled (did, failures, detail, again)
    VALUES (one, 1, clip_text(message, 800),
            add_interval(now(), backoff_delay(4, s.pause_first, s.pause_most)));
  END IF;
END $$;

-- Deletes those of the accounts whose attempt was due. One that has failed again is no longer due.
CREATE OR REPLACE FUNCTION finish_unsettled(dids atid.did[]) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM unsettled AS u WHERE u.failures > 0 AND u.again <= now() AND u.did = ANY (dids);
END $$;

CREATE OR REPLACE FUNCTION delete_unsettled(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM unsettled AS u WHERE u.did = one;
END $$;
