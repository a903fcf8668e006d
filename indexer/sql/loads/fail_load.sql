-- What is done where a repository was not to be had, or is not stored.

-- An attempt to load an account has ended without its repository: the next one is later each time. Nothing that a
-- stranger has said can make this fail: why is a code, and what else is said is clipped.
CREATE OR REPLACE FUNCTION defer_load(account atid.did, attempt int, why text, more text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  a account;
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO a FROM account AS x WHERE x.did = defer_load.account AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM set_account_state(a, 'desynchronized', add_interval(now(), backoff_delay(a.failures, s.pause_first, s.pause_most)));
  UPDATE account AS x
  SET failures = least(x.failures + 1, 1000000), older = x.older + CASE WHEN why = 'older' THEN 1 ELSE 0 END,
      problem = clip_text(why, 256), detail = clip_text(more, 800)
  WHERE x.did = a.did;
  -- the key may be an old one
  IF why = 'unsigned' THEN
    PERFORM add_notices(ARRAY[a.did], '{signature}');
  END IF;
END $$;

-- A repository was not to be had. Where the answer names what has become of the account, the server is asked: a relay
-- that could not resolve the DID answers RepoNotFound, and so does a host that the account has left. Where it is the
-- host that fails, its other accounts wait too: after the third failure, or at once if it has asked for so many
-- seconds. Until then no other failure of it counts. Whoever has asked for them, the account waits as long.
CREATE OR REPLACE FUNCTION fail_load(account text, attempt int, why text, more text, of_host bool, seconds int DEFAULT 0)
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
BEGIN
  IF NOT EXISTS (SELECT 1 FROM account AS x WHERE x.did = me AND x.state = 'loading' AND x.claim = attempt) THEN RETURN; END IF;
  PERFORM defer_load(me, attempt, why, more);
  IF seconds > 0 THEN
    UPDATE account AS x SET load_at = greatest(x.load_at, add_interval(now(), seconds * interval '1 s'))
    WHERE x.did = me;
  END IF;
  IF EXISTS (SELECT 1 FROM code AS c WHERE c.code = why AND c.checks) THEN
    UPDATE account AS x SET check_at = least(x.check_at, now()) WHERE x.did = me;
  END IF;
  IF of_host THEN
    PERFORM fail_host((SELECT i.host FROM identity AS i WHERE i.did = me), why, seconds);
  END IF;
END $$;
