-- The status that the server reports for an account.

-- Is it a status that the network uses to report on the server, and not on the account?
CREATE OR REPLACE FUNCTION is_server_status(status text) RETURNS bool
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(status IN ('throttled', 'desynchronized'), false);

-- Applies the server's report on an account, whose row is locked: from its stream, or from the
-- answer to a request made at that time. A report that its stream has made since is newer, and two
-- reasons are about the server. A revision newer than the stored one causes a load. As nobody has
-- signed that revision, no repository is refused because of it, and one that is still older after
-- two loads causes no third.
CREATE OR REPLACE FUNCTION apply_account_status(
  a account, is_active bool, why text, latest text, asked timestamptz
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  newest CONSTANT atid.tid :=
    CASE WHEN atid.tid_is_valid(latest)
              AND latest::atid.tid <= atid.tid_ceil(now() + max_clock_skew()) THEN latest END;
  is_new CONSTANT bool := (newest <= a.rev
                           OR newest <= a.unsigned_rev AND a.unsigned_loads > 1) IS NOT TRUE;
BEGIN
  IF NOT (find_account_state(a.state)).follows_server
     OR NOT is_active AND (a.said >= asked OR is_server_status(why)) THEN
    NULL;
  ELSIF NOT is_active THEN
    PERFORM deactivate_account(a, 'inactive', why);
  ELSIF a.state = 'inactive' AND (a.said >= asked) IS NOT TRUE THEN
    PERFORM reactivate_account(a, count_account_gap(a));
  ELSIF a.state = 'synchronized' AND newest IS NOT NULL AND is_new THEN
    PERFORM set_account_state(a, 'desynchronized', now());
  END IF;
  PERFORM note_account_status(a.did, asked, CASE WHEN is_new THEN newest END);
END $$;

CREATE OR REPLACE FUNCTION store_account_status(
  account text, active bool, status text, rev text, asked timestamptz
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a CONSTANT account := try_lock_account(atid.did_or_null(store_account_status.account));
BEGIN
  IF a.did IS NOT NULL THEN
    PERFORM apply_account_status(a, coalesce(active, false), status, rev, asked);
  END IF;
END $$;

-- Requests a status check, because a frame of the account was refused, and only the server can
-- report whether it has a newer revision. It is queried at most once an hour, as anybody can send
-- such frames. Returns false if another transaction has locked the row of the account.
CREATE OR REPLACE FUNCTION request_status_check(one atid.did) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  a account;
  at timestamptz;
BEGIN
  SELECT * INTO a FROM account AS x WHERE x.did = one FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NOT EXISTS (SELECT 1 FROM account AS x WHERE x.did = one);
  END IF;
  at := CASE WHEN a.doubted > now() THEN a.doubted
             ELSE greatest(now(), add_interval(a.doubted, interval '1 hour')) END;
  PERFORM schedule_doubt_check(one, at);
  RETURN true;
END $$;
