-- Accounts: how they come, what the server says of them, how they go, and the one function that changes their state.
-- README.md has the table of states and transitions.

-- Changes the state of an account whose row is locked. at: when to load it, if it is desynchronized; why: the status,
-- if it is inactive or barred.
CREATE OR REPLACE FUNCTION become(a account, next text, at timestamptz DEFAULT 'infinity', why text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE account AS x SET state = next, load_at = at, status = why WHERE x.did = a.did;
  IF a.state <> next THEN
    INSERT INTO tally (what, n) VALUES (a.state, -1), (next, 1);
  END IF;
END $$;

-- Adds an account, if it is new and may be here: it is loaded if its key is known, else once identify() has one.
CREATE OR REPLACE FUNCTION meet(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  k text;
  w int;
  method CONSTANT text := did_method(one);
BEGIN
  IF EXISTS (SELECT 1 FROM account WHERE did = one) OR EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = one)
     OR octet_length(one::text) > 512 THEN
    RETURN;
  END IF;
  INSERT INTO identity (did, web, ask, problem)
  VALUES (one, method = 'web', CASE WHEN method IN ('plc', 'web') THEN now() ELSE 'infinity' END,
          CASE WHEN method NOT IN ('plc', 'web') THEN 'unsupported_method' END)
  ON CONFLICT DO NOTHING;
  SELECT key INTO k FROM identity WHERE did = one FOR SHARE;  -- waits for an identify()
  SELECT n INTO w FROM wants;
  INSERT INTO account (did, state, load_at, wants, listed)
  VALUES (one, CASE WHEN k IS NULL THEN 'unidentified' ELSE 'desynchronized' END,
          CASE WHEN k IS NULL THEN 'infinity' ELSE now() END, w, now())
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    INSERT INTO tally (what, n) VALUES (CASE WHEN k IS NULL THEN 'unidentified' ELSE 'desynchronized' END, 1);
  END IF;
END $$;

-- An index, a constraint or a trigger of the operator's refuses what is to be done with an account, one of many: the
-- server's log says so, and the others go on. What is the server's own trouble is raised again.
CREATE OR REPLACE FUNCTION passed_over(one atid.did, state text, message text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF of_server(state) THEN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
  END IF;
  RAISE WARNING 'account % is left as it is: %', one, message;
END $$;

-- An account is not active, or barred: its records are given out no more. The stream does not wait for more than 200 of
-- them to go: the rest is settle()'s, which takes accounts of the wants -1 first.
CREATE OR REPLACE FUNCTION silence(a account, next text, why text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM become(a, next, why => coalesce(nullif(clipped(why, 64), ''), 'unknown'));
  UPDATE account AS x SET check_at = 'infinity', failures = 0, older = 0, problem = NULL, detail = NULL WHERE x.did = a.did;
  IF clear(a.did, '{}', 200) = 200 THEN
    UPDATE account AS x SET wants = -1 WHERE x.did = a.did;
  END IF;
END $$;

-- An account is to be loaded at a time, or identified first if its key is not known.
CREATE OR REPLACE FUNCTION revive(a account, at timestamptz) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM identity WHERE did = a.did AND key IS NOT NULL) THEN
    PERFORM become(a, 'desynchronized', at);
  ELSE
    PERFORM become(a, 'unidentified');
  END IF;
END $$;

-- Counts a load of an account, whose row is locked, that was switched on or has another key. Returns when it
-- is due: at once, as after a gap, most_gaps times a day; then later each time.
CREATE OR REPLACE FUNCTION count_gap(a account) RETURNS timestamptz LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  moment CONSTANT timestamptz := now();
  n CONSTANT int := CASE WHEN a.gap_at > later(moment, -interval '1 day') THEN a.gaps ELSE 0 END;
BEGIN
  SELECT * INTO s FROM settings;
  UPDATE account AS x SET gaps = least(n + 1, 20), gap_at = moment WHERE x.did = a.did;
  RETURN CASE WHEN n < s.most_gaps THEN moment ELSE later(moment, pause(n, s.pause_first, s.pause_most)) END;
END $$;

-- Is a status that the network gives about the server, and not about the account?
CREATE OR REPLACE FUNCTION is_server_status(status text) RETURNS bool
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(status IN ('throttled', 'desynchronized'), false);

-- What the server reports of an account whose row is locked: in its stream, or in an answer to a request of
-- a time. What its stream reported since is newer, and two reasons are about the server. A revision that is
-- newer than what is here has the account loaded; as nobody has signed it, it refuses no repository, and one
-- that is still older after two loads brings no third.
CREATE OR REPLACE FUNCTION tell(a account, is_active bool, why text, latest text, asked timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  newest CONSTANT atid.tid := CASE WHEN atid.tid_is_valid(latest)
                                   AND latest::atid.tid <= atid.tid_ceil(now() + most_ahead()) THEN latest END;
  since CONSTANT timestamptz := CASE WHEN asked IS NULL THEN now() END;
  is_new CONSTANT bool := (newest <= a.rev OR newest <= a.unsigned_rev AND a.unsigned_loads > 1) IS NOT TRUE;
BEGIN
  IF a.state = 'barred' OR NOT is_active AND (a.said >= asked OR is_server_status(why)) THEN
    NULL;
  ELSIF NOT is_active THEN
    PERFORM silence(a, 'inactive', why);
  ELSIF a.state = 'inactive' AND (a.said >= asked) IS NOT TRUE THEN
    PERFORM revive(a, count_gap(a));
  ELSIF a.state = 'synchronized' AND newest IS NOT NULL AND is_new THEN
    PERFORM become(a, 'desynchronized', now());
  END IF;
  UPDATE account AS x
  SET listed = coalesce(asked, since), said = coalesce(since, x.said), check_at = 'infinity',
      unsigned_rev = CASE WHEN is_new THEN greatest(x.unsigned_rev, newest) ELSE x.unsigned_rev END
  WHERE x.did = a.did;
END $$;

-- An account, locked; NULL if there is none, or if it is being loaded at this moment, which may take long. What is done
-- with many accounts, and what comes again, does not wait for that.
CREATE OR REPLACE FUNCTION grasp(one atid.did) RETURNS account LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account AS x WHERE x.did = one AND x.state <> 'loading' FOR UPDATE;
  IF NOT FOUND THEN
    SELECT * INTO a FROM account AS x WHERE x.did = one AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
  END IF;
  RETURN a;
END $$;

CREATE OR REPLACE FUNCTION is_being_loaded(one atid.did) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a CONSTANT account := grasp(one);
BEGIN
  RETURN a.did IS NULL AND EXISTS (SELECT 1 FROM account AS x WHERE x.did = one);
END $$;

CREATE OR REPLACE FUNCTION told(account text, active bool, status text, rev text, asked timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a CONSTANT account := grasp(atid.did_or_null(told.account));
BEGIN
  IF a.did IS NOT NULL THEN
    PERFORM tell(a, coalesce(active, false), status, rev, asked);
  END IF;
END $$;

-- Accounts to ask the server about, com.atproto.sync.getRepoStatus. They come again until told() has the answer. (That
-- a repository is to be had does not say it: a relay that has taken an account down still leads to its host.)
CREATE OR REPLACE FUNCTION doubtful(most int) RETURNS TABLE (did text, asked timestamptz) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE s settings;
BEGIN
  SELECT * INTO s FROM settings;
  RETURN QUERY
  UPDATE account AS a SET check_at = later(now(), pause(6, s.pause_first, s.pause_most))
  WHERE a.did = ANY (ARRAY(SELECT x.did FROM account AS x WHERE x.check_at < 'infinity' AND x.check_at <= now()
                           ORDER BY x.check_at LIMIT most FOR UPDATE SKIP LOCKED))
  RETURNING a.did::text, now();
END $$;

-- A frame of an account was refused, and only the server can report whether it has a newer revision. It is
-- queried at most once an hour, as anybody can send such frames. False: somebody has the account at this moment.
CREATE OR REPLACE FUNCTION doubt(one atid.did) RETURNS bool LANGUAGE plpgsql
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
  at := CASE WHEN a.doubted > now() THEN a.doubted ELSE greatest(now(), later(a.doubted, interval '1 hour')) END;
  UPDATE account AS x SET check_at = least(x.check_at, at), doubted = at WHERE x.did = one AND x.state <> 'barred';
  RETURN true;
END $$;

-- An account goes, with all that is its own, but for what others point at it. False: it is being loaded.
CREATE OR REPLACE FUNCTION remove(one atid.did, waits bool DEFAULT false) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  was text;
  label_source bool;
BEGIN
  SELECT labeler INTO label_source FROM identity WHERE did = one FOR UPDATE;
  IF NOT waits AND is_being_loaded(one) THEN RETURN false; END IF;
  SELECT state INTO was FROM account WHERE did = one FOR UPDATE;
  IF was IS NOT NULL THEN
    PERFORM clear(one, '{}');
    PERFORM delete_waiting(one);
    DELETE FROM account WHERE did = one;
    INSERT INTO tally (what, n) VALUES (was, -1);
  END IF;
  IF NOT label_source THEN
    DELETE FROM identity WHERE did = one;
  END IF;
  RETURN true;
END $$;

-- Follows what the stream has told, in the order of the accounts. Returns how much.
CREATE OR REPLACE FUNCTION heed(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  r record;
  n int := 0;
BEGIN
  SELECT * INTO s FROM settings;
  FOR r IN
    WITH taken AS (
      SELECT x.* FROM take_notices(most, false) AS x
    )
    SELECT did, bool_or(what = 'met') AS met, bool_or(what = 'identity') AS identity, bool_or(what = 'signature') AS signature,
           -- what was wanted when the stream told it may be wanted no more
           min(because) FILTER (WHERE what = 'signal' AND EXISTS (
             SELECT 1 FROM want AS w WHERE (w.what, w.value) = ('signal', taken.because))) AS signal,
           max(at) AS at, count(*) AS rows
    FROM taken GROUP BY did ORDER BY did
  LOOP
    n := n + r.rows;
    BEGIN
      IF r.signal IS NOT NULL AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = r.did) THEN
        INSERT INTO want (what, value, because) VALUES ('account', r.did::text, r.signal) ON CONFLICT DO NOTHING;
      END IF;
      IF r.met AND EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value IN ('*', r.did::text)) THEN
        PERFORM meet(r.did);
      END IF;
      -- Others can cause no more requests than these pauses allow, one for #identity and one for bad
      -- signatures; the first comes at once.
      IF r.identity OR r.signature THEN
        UPDATE identity AS i
        SET ask = least(i.ask,
              CASE WHEN r.identity AND i.nudged > 2
                THEN greatest(r.at, later(i.answered, pause(i.nudged, s.pause_first, s.pause_most)))
                WHEN r.identity THEN r.at END,
              CASE WHEN r.signature
                THEN later(i.answered, pause(greatest(i.doubted, 2), s.pause_first, s.pause_most)) END),
            nudged = least(i.nudged + CASE WHEN r.identity THEN 1 ELSE 0 END, 20),
            doubted = least(i.doubted + CASE WHEN r.signature THEN 1 ELSE 0 END, 20),
            asked = 0, wanted = r.at
        WHERE i.did = r.did AND (i.answered IS NOT NULL OR r.identity AND i.asked = 0);
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM passed_over(r.did, SQLSTATE, SQLERRM);
    END;
  END LOOP;
  RETURN n;
END $$;

-- Follows what was told of frames that were refused. It comes last, and waits for nobody: it locks accounts, of which
-- others may have some. Returns how much.
CREATE OR REPLACE FUNCTION heed_refused(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r record;
  n int := 0;
BEGIN
  PERFORM writes();  -- before an account is locked
  FOR r IN
    SELECT t.did, count(*) AS rows FROM take_notices(most, true) AS t GROUP BY t.did ORDER BY t.did
  LOOP
    n := n + r.rows;
    BEGIN
      IF NOT doubt(r.did) THEN
        PERFORM add_notices(ARRAY[r.did], '{refused}', again => true);
        n := n - 1;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM passed_over(r.did, SQLSTATE, SQLERRM);
    END;
  END LOOP;
  RETURN n;
END $$;
