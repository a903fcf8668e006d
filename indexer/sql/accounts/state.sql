-- The states of an account. README.md has the table of states and transitions; set_account_state()
-- alone changes one, and claim_loads() those of many accounts.

-- Changes the state of an account whose row is locked. at: when to load it, if it is desynchronized; why: the status,
-- if it is inactive or barred.
CREATE OR REPLACE FUNCTION set_account_state(a account, next text, at timestamptz DEFAULT 'infinity', why text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x SET state = next, load_at = at, status = why WHERE x.did = a.did;
  IF a.state <> next THEN
    INSERT INTO tally (what, n) VALUES (a.state, -1), (next, 1);
  END IF;
END $$;

-- An account is not active, or barred: its records are given out no more. The stream does not wait for more than 200 of
-- them to go: the rest is reconcile_wants()'s, which takes accounts of the wants -1 first.
CREATE OR REPLACE FUNCTION deactivate_account(a account, next text, why text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM set_account_state(a, next, why => coalesce(nullif(clip_text(why, 64), ''), 'unknown'));
  UPDATE account AS x SET check_at = 'infinity', failures = 0, older = 0, problem = NULL, detail = NULL WHERE x.did = a.did;
  IF delete_records(a.did, '{}', 200) = 200 THEN
    UPDATE account AS x SET wants = -1 WHERE x.did = a.did;
  END IF;
END $$;

-- An account is to be loaded at a time, or identified first if its key is not known.
CREATE OR REPLACE FUNCTION reactivate_account(a account, at timestamptz) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM identity WHERE did = a.did AND key IS NOT NULL) THEN
    PERFORM set_account_state(a, 'desynchronized', at);
  ELSE
    PERFORM set_account_state(a, 'unidentified');
  END IF;
END $$;

-- Counts a load of an account, whose row is locked, that was switched on or has another key. Returns when it
-- is due: at once, as after a gap, most_gaps times a day; then later each time.
CREATE OR REPLACE FUNCTION count_account_gap(a account) RETURNS timestamptz LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  moment CONSTANT timestamptz := now();
  n CONSTANT int := CASE WHEN a.gap_at > add_interval(moment, -interval '1 day') THEN a.gaps ELSE 0 END;
BEGIN
  SELECT * INTO s FROM settings;
  UPDATE account AS x SET gaps = least(n + 1, 20), gap_at = moment WHERE x.did = a.did;
  RETURN CASE WHEN n < s.most_gaps THEN moment ELSE add_interval(moment, backoff_delay(n, s.pause_first, s.pause_most)) END;
END $$;
