-- Claims the accounts to load next.

-- The kind of an account that has to be loaded: known if it was loaded before, new if it never was.
-- Accounts of either kind whose last load has failed have kinds of their own, back and again, so
-- that they do not hold up others.
CREATE OR REPLACE FUNCTION load_kind(known bool, failed bool) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN failed THEN CASE WHEN known THEN 'back' ELSE 'again' END
            WHEN known THEN 'known' ELSE 'new' END;

-- Claims accounts to load, and returns each with the number of the attempt. It continues after the
-- place where the last call ended, so that no account is examined twice, and accounts of busy or
-- failing origins do not hold up others. A row whose claim is NULL only reports how far the call
-- has looked. No rows: this was the end; start again from the beginning, with NULL. failed: whether
-- to claim accounts that have failed, or those that have not; NULL: both.
CREATE OR REPLACE FUNCTION claim_loads(
  most int, known bool, after_at timestamptz, after_did text, busy text[], failed bool DEFAULT NULL
) RETURNS TABLE (did text, claim int, host text, at timestamptz) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  c record;
  dids atid.did[] := '{}';
  moment CONSTANT timestamptz := now();
  first CONSTANT text := load_kind(known, failed IS TRUE);
  other CONSTANT text := CASE WHEN failed IS NULL THEN load_kind(known, true) END;
  since CONSTANT timestamptz := coalesce(after_at, '-infinity');
  behind CONSTANT atid.did := coalesce(after_did, 'did:a:a');
  seen int := 0;
BEGIN
  FOR c IN
    SELECT a.did, a.load_at, i.host, i.host = ANY (busy) OR h.until IS NOT NULL AS later
    FROM (SELECT u.did, u.load_at
          FROM ((SELECT x.did, x.load_at FROM account AS x
                 WHERE x.state = 'desynchronized'
                   AND CASE WHEN x.failures > 0
                         THEN CASE WHEN x.loaded THEN 'back' ELSE 'again' END
                         WHEN x.loaded THEN 'known' ELSE 'new' END = first
                   AND x.load_at <= moment AND (x.load_at, x.did) > (since, behind)
                 ORDER BY x.load_at, x.did LIMIT 1000)
                UNION ALL
                (SELECT x.did, x.load_at FROM account AS x
                 WHERE x.state = 'desynchronized'
                   AND CASE WHEN x.failures > 0
                         THEN CASE WHEN x.loaded THEN 'back' ELSE 'again' END
                         WHEN x.loaded THEN 'known' ELSE 'new' END = other
                   AND x.load_at <= moment AND (x.load_at, x.did) > (since, behind)
                 ORDER BY x.load_at, x.did LIMIT 1000)) AS u
          ORDER BY u.load_at, u.did LIMIT 1000) AS a
         JOIN identity AS i ON i.did = a.did
         LEFT JOIN host AS h ON h.name = i.host AND is_blocked(h.until, h.failures, h.paused)
    ORDER BY a.load_at, a.did
  LOOP
    seen := seen + 1;
    did := c.did;
    at := c.load_at;
    CONTINUE WHEN c.later;
    PERFORM FROM account AS x
    WHERE x.did = c.did AND x.state = 'desynchronized' FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    claim := start_load(c.did);
    host := c.host;
    dids := dids || c.did;
    RETURN NEXT;
    SELECT NULL, NULL INTO claim, host;
    EXIT WHEN cardinality(dids) >= most;
  END LOOP;
  IF dids <> '{}' THEN
    PERFORM add_tally('{desynchronized,loading}', ARRAY[-cardinality(dids), cardinality(dids)]);
  END IF;
  IF seen > 0 AND (dids = '{}' OR dids[cardinality(dids)] <> did::atid.did) THEN
    RETURN NEXT;
  END IF;
END $$;

-- Is an account of this kind due to be loaded? (The latest are read first, as in
-- count_due_loads().)
CREATE OR REPLACE FUNCTION is_load_waiting(known bool, failed bool) RETURNS bool
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE kind CONSTANT text := load_kind(known, failed);
BEGIN
  RETURN EXISTS (SELECT 1 FROM account AS x
                 WHERE x.state = 'desynchronized'
                   AND CASE WHEN x.failures > 0
                         THEN CASE WHEN x.loaded THEN 'back' ELSE 'again' END
                         WHEN x.loaded THEN 'known' ELSE 'new' END = kind
                   AND x.load_at <= now() ORDER BY x.load_at DESC LIMIT 1);
END $$;

-- Releases an account that was claimed, but whose repository was not requested. It is due again
-- soon, and the attempt does not count.
CREATE OR REPLACE FUNCTION release_load(account text, attempt int) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account AS x
  WHERE x.did = atid.did_or_null(account) AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF FOUND THEN
    PERFORM set_account_state(a, 'desynchronized', add_interval(now(), interval '2 s'));
  END IF;
END $$;
