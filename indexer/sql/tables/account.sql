-- Accounts: the state of each, how far it was loaded, and when its next load or status query is
-- due. Only the functions in this file write the table. Each expects its caller to hold the lock of
-- the row, or to lock no other row.
--
-- accounts/states.sql lists the states, and README.md has the transitions. set_account_state()
-- changes a state; start_load() and finish_load() do that for a load, with the rest of the row.
--
-- The table has no bound of its own: add_account() adds wanted accounts, most_wants bounds those
-- that signals add, and accounts that strangers have invented expire (expire_unknown_accounts).

-- Adds an account in its first state, unless it exists.
CREATE OR REPLACE FUNCTION insert_account(one atid.did, first text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  newest CONSTANT int := (SELECT w.n FROM wants AS w);
  today CONSTANT date := CASE WHEN first IN ('live', 'unidentified') THEN utc_day() END;
BEGIN
  INSERT INTO account (did, state, load_at, wants, listed, seen)
  VALUES (one, first, CASE WHEN first = 'desynchronized' THEN now() ELSE 'infinity' END, newest,
          now(), today)
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    PERFORM add_tally(ARRAY[first], '{1}');
    IF first = 'live' THEN
      PERFORM release_waiting(one);
    END IF;
  END IF;
END $$;

-- Changes the state of an account. at: when to load it, if it becomes desynchronized; why: the
-- status, if it becomes inactive or barred.
CREATE OR REPLACE FUNCTION set_account_state(
  a account, next text, at timestamptz DEFAULT 'infinity', why text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE today CONSTANT date := utc_day();
BEGIN
  UPDATE account AS x
  SET state = next, load_at = at, status = why,
      seen = CASE WHEN next IN ('live', 'unidentified') THEN today ELSE x.seen END
  WHERE x.did = a.did;
  IF a.state <> next THEN
    PERFORM add_tally(ARRAY[a.state, next], '{-1,1}');
    IF a.state IN ('loading', 'unidentified', 'inactive') THEN
      PERFORM release_waiting(a.did);
    END IF;
  END IF;
END $$;

-- Begins an attempt to load an account. Returns the number of the attempt.
CREATE OR REPLACE FUNCTION start_load(one atid.did) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE attempt int;
BEGIN
  UPDATE account AS x
  SET state = 'loading', load_at = 'infinity', claim = x.claim + 1, claimed = now()
  WHERE x.did = one RETURNING x.claim INTO attempt;
  RETURN attempt;
END $$;

-- Marks an account that was being loaded as synchronized: its records match a revision and a number
-- of the wants. If the server has named a newer revision, which may be false, it is queried once
-- more.
CREATE OR REPLACE FUNCTION finish_load(
  a account, new_rev atid.tid, new_data atid.cid_link, new_wants int
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  is_behind CONSTANT bool := coalesce(new_rev < a.unsigned_rev, false);
  due timestamptz;
BEGIN
  SELECT * INTO s FROM settings;
  due := add_interval(now(), backoff_delay(4, s.pause_first, s.pause_most));
  UPDATE account AS x
  SET state = 'synchronized', load_at = 'infinity', status = NULL,
      rev = new_rev, data = new_data, heard = NULL, wants = new_wants,
      failures = 0, older = 0, problem = NULL, detail = NULL,
      unsigned_rev = CASE WHEN is_behind THEN x.unsigned_rev END,
      unsigned_loads = CASE WHEN is_behind THEN least(x.unsigned_loads + 1, 2) ELSE 0 END,
      check_at = CASE WHEN is_behind AND x.unsigned_loads = 0
                   THEN least(x.check_at, due) ELSE x.check_at END
  WHERE x.did = a.did;
  PERFORM add_tally(ARRAY[a.state, 'synchronized', 'loads'], '{-1,1,1}');
  PERFORM release_waiting(a.did);
END $$;

-- Records that an attempt to load an account has failed. why is a code.
CREATE OR REPLACE FUNCTION count_load_failure(one atid.did, why text, more text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x
  SET failures = least(x.failures + 1, 1000000),
      older = x.older + CASE WHEN why = 'older' THEN 1 ELSE 0 END,
      problem = clip_text(why, 256), detail = clip_text(more, 800)
  WHERE x.did = one;
END $$;

-- Stores when to load an account that is desynchronized.
CREATE OR REPLACE FUNCTION store_load_time(one atid.did, at timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x SET load_at = at WHERE x.did = one;
END $$;

-- Counts a load of an account because of a gap, after n others within a day.
CREATE OR REPLACE FUNCTION store_account_gap(one atid.did, n int) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x SET gaps = least(n + 1, 20), gap_at = now() WHERE x.did = one;
END $$;

-- Resets the failures of an account.
CREATE OR REPLACE FUNCTION clear_account_failures(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x SET failures = 0, older = 0, problem = NULL, detail = NULL WHERE x.did = one;
END $$;

-- Also resets its gaps and the revision that the server has reported: the operator wants the
-- account loaded again.
CREATE OR REPLACE FUNCTION reset_account(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x
  SET failures = 0, older = 0, gaps = 0, problem = NULL, detail = NULL,
      unsigned_rev = NULL, unsigned_loads = 0
  WHERE x.did = one;
END $$;

-- Stores the number of the wants that the records of an account match; -1: they must be deleted.
CREATE OR REPLACE FUNCTION store_account_wants(one atid.did, n int) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x SET wants = n WHERE x.did = one;
END $$;

-- Notes that the records of an account could not be changed to match the wants: it counts as
-- changed, and is in trouble if it is deactivated. Returns false if there is no such account.
CREATE OR REPLACE FUNCTION fail_account_wants(
  one atid.did, old_wants int, new_wants int, message text
) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS a
  SET wants = new_wants,
      problem = CASE WHEN old_wants < 0 THEN 'not_written' ELSE a.problem END,
      detail = CASE WHEN old_wants < 0 THEN clip_text(message, 800) ELSE a.detail END
  WHERE a.did = one;
  RETURN FOUND;
END $$;

-- Schedules a query for the status of an account, unless one is due earlier. The status of a barred
-- account is never queried.
CREATE OR REPLACE FUNCTION schedule_status_check(one atid.did, at timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x SET check_at = least(x.check_at, at)
  WHERE x.did = one AND x.state <> 'barred';
END $$;

-- Likewise, because a frame of the account was refused.
CREATE OR REPLACE FUNCTION schedule_doubt_check(one atid.did, at timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x SET check_at = least(x.check_at, at), doubted = at
  WHERE x.did = one AND x.state <> 'barred';
END $$;

-- Cancels the query for the status of an account, and resets its failures.
CREATE OR REPLACE FUNCTION cancel_status_check(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x
  SET check_at = 'infinity', failures = 0, older = 0, problem = NULL, detail = NULL
  WHERE x.did = one;
END $$;

-- Claims accounts whose status is due to be queried by com.atproto.sync.getRepoStatus. They become
-- due again until store_account_status() has stored the answer. (A repository that can be
-- downloaded is no answer: a relay that has taken an account down still redirects to its host.)
CREATE OR REPLACE FUNCTION claim_status_checks(most int) RETURNS TABLE (did text, asked timestamptz)
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE s settings;
BEGIN
  SELECT * INTO s FROM settings;
  RETURN QUERY
  UPDATE account AS a
  SET check_at = add_interval(now(), backoff_delay(6, s.pause_first, s.pause_most))
  WHERE a.did = ANY (ARRAY(SELECT x.did FROM account AS x
                           WHERE x.check_at < 'infinity' AND x.check_at <= now()
                           ORDER BY x.check_at LIMIT most FOR UPDATE SKIP LOCKED))
  RETURNING a.did::text, now();
END $$;

-- Notes that the server has reported a status: in its stream or, if asked is not NULL, in the
-- answer to a request made at that time. newer: a revision that it has named without a signature.
CREATE OR REPLACE FUNCTION note_account_status(one atid.did, asked timestamptz, newer atid.tid)
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE said_at CONSTANT timestamptz := CASE WHEN asked IS NULL THEN now() END;
BEGIN
  UPDATE account AS x
  SET listed = coalesce(asked, said_at),
      said = coalesce(said_at, x.said), check_at = 'infinity',
      unsigned_rev = greatest(x.unsigned_rev, newer)
  WHERE x.did = one;
END $$;

-- Sets the revisions and roots of accounts to those of their last commits in the table new_commit
-- that follow.
CREATE OR REPLACE FUNCTION advance_accounts() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE today CONSTANT date := utc_day();
BEGIN
  UPDATE account AS a
  SET rev = n.rev, data = n.data, seen = CASE WHEN a.state = 'live' THEN today ELSE a.seen END
  FROM (SELECT c.did, (array_agg(c.rev ORDER BY c.n DESC))[1] AS rev,
               (array_agg(c.data ORDER BY c.n DESC))[1] AS data
        FROM new_commit AS c WHERE c.follows GROUP BY c.did) AS n
  WHERE a.did = n.did;
END $$;

-- Notes the newest signed revisions, which a load must reach. A sound commit shows that the
-- repository exists and is signed by the known key, so it brings the load forward.
CREATE OR REPLACE FUNCTION note_announced_revisions() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  s settings;
  moment CONSTANT timestamptz := now();
  hurries timestamptz;                               -- only loads not brought forward since
  to_load text[];
  to_check text[];
  dids text[];
BEGIN
  SELECT array_agg(r.state) FILTER (WHERE r.commit_brings = 'load'),
         array_agg(r.state) FILTER (WHERE r.commit_brings = 'check')
  INTO to_load, to_check FROM account_state AS r;
  dids := ARRAY(SELECT c.did::text FROM new_commit AS c WHERE NOT c.follows
                UNION SELECT l.did::text FROM locked_account AS l
                      WHERE l.state = ANY (to_load || to_check));
  IF dids = '{}' THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  hurries := add_interval(moment, -s.not_sooner);
  UPDATE account AS x
  SET heard = greatest(x.heard, c.rev),
      hurried = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries
                  THEN moment ELSE x.hurried END,
      load_at = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries
                          AND x.state = ANY (to_load) AND x.gaps <= s.most_gaps
                  THEN least(x.load_at, moment) ELSE x.load_at END,
      check_at = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries
                           AND x.state = ANY (to_check)
                   THEN least(x.check_at, moment) ELSE x.check_at END
  FROM (SELECT f.did, max(f.rev) AS rev, bool_or(f.code IS NULL) AS sound FROM verified_frame AS f
        WHERE f.did::text = ANY (dids) AND f.signed
          AND atid.tid_timestamp(f.rev) <= add_interval(moment, max_clock_skew())
        GROUP BY f.did) AS c
  WHERE x.did = c.did AND x.state = ANY (to_load || to_check);
END $$;

-- Deletes the row of an account. was: its state.
CREATE OR REPLACE FUNCTION delete_account_row(one atid.did, was text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM account AS x WHERE x.did = one;
  PERFORM add_tally(ARRAY[was], '{-1}');
  PERFORM release_waiting(one);  -- so that frames added meanwhile are deleted
END $$;
