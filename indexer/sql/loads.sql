-- Loads: which accounts are to be loaded, a repository that has come, and what is done where none has.

-- The kind of an account that is to be loaded: known ones were loaded before, new ones never. Those of either
-- kind whose last load has failed are kinds of their own, back and again, so that they hold up no others.
CREATE OR REPLACE FUNCTION load_kind(known bool, failed bool) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN failed THEN CASE WHEN known THEN 'back' ELSE 'again' END WHEN known THEN 'known' ELSE 'new' END;

-- Accounts to load, each with the number of the attempt, that are due behind the place where the last call ended: so
-- nobody is looked at twice, and accounts of origins that are busy or have failed hold up no others. A row whose claim
-- is NULL only says how far the accounts were looked through. No row: the end; go on from the beginning, NULL.
-- failed: those that have failed, or those that have not; NULL: both.
CREATE OR REPLACE FUNCTION claim(
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
                 WHERE x.state = 'desynchronized' AND CASE WHEN x.failures > 0 THEN CASE WHEN x.loaded THEN 'back'
                         ELSE 'again' END WHEN x.loaded THEN 'known' ELSE 'new' END = first
                   AND x.load_at <= moment AND (x.load_at, x.did) > (since, behind)
                 ORDER BY x.load_at, x.did LIMIT 1000)
                UNION ALL
                (SELECT x.did, x.load_at FROM account AS x
                 WHERE x.state = 'desynchronized' AND CASE WHEN x.failures > 0 THEN CASE WHEN x.loaded THEN 'back'
                         ELSE 'again' END WHEN x.loaded THEN 'known' ELSE 'new' END = other
                   AND x.load_at <= moment AND (x.load_at, x.did) > (since, behind)
                 ORDER BY x.load_at, x.did LIMIT 1000)) AS u
          ORDER BY u.load_at, u.did LIMIT 1000) AS a
         JOIN identity AS i ON i.did = a.did
         LEFT JOIN host AS h ON h.name = i.host AND is_blocked(h)
    ORDER BY a.load_at, a.did
  LOOP
    seen := seen + 1;
    did := c.did;
    at := c.load_at;
    CONTINUE WHEN c.later;
    PERFORM FROM account AS x WHERE x.did = c.did AND x.state = 'desynchronized' FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE account AS a SET state = 'loading', load_at = 'infinity', claim = a.claim + 1, claimed = moment
    WHERE a.did = c.did RETURNING a.claim INTO claim;
    host := c.host;
    dids := dids || c.did;
    RETURN NEXT;
    claim := NULL;
    host := NULL;
    EXIT WHEN cardinality(dids) >= most;
  END LOOP;
  IF dids <> '{}' THEN
    INSERT INTO tally (what, n) VALUES ('desynchronized', -cardinality(dids)), ('loading', cardinality(dids));
  END IF;
  IF seen > 0 AND (dids = '{}' OR dids[cardinality(dids)] <> did::atid.did) THEN
    RETURN NEXT;
  END IF;
END $$;

-- Is an account of this kind due to be loaded? (The last come first, as in due_loads().)
CREATE OR REPLACE FUNCTION load_waits(known bool, failed bool) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE kind CONSTANT text := load_kind(known, failed);
BEGIN
  RETURN EXISTS (SELECT 1 FROM account AS x
                 WHERE x.state = 'desynchronized' AND CASE WHEN x.failures > 0 THEN CASE WHEN x.loaded THEN 'back'
                         ELSE 'again' END WHEN x.loaded THEN 'known' ELSE 'new' END = kind
                   AND x.load_at <= now() ORDER BY x.load_at DESC LIMIT 1);
END $$;

-- A repository, as com.atproto.sync.getRepo has it. What is wrong with it is noted, and its code is
-- returned as the outcome:
--
--   loaded       changed says how many records are other ones
--   superseded   it is wanted no more
--   unsigned     another key has signed it: as after a move, until the account writes; or the key is an old one
--   older        it is older than what was announced, or than what is here
--   future       its revision is of the future
--   invalid      detail says why
--   not_written  an index, a constraint or a trigger of the operator's has refused it: detail says why
--
-- What differs is found by hashing all of one account against all of the other, whatever is known of the tables' sizes.
CREATE OR REPLACE FUNCTION load(account text, attempt int, car bytea, OUT outcome text, OUT detail text, OUT changed int)
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
DECLARE
  s settings;
  a account;
  i identity;
  c record;
  w CONSTANT int := (SELECT x.n FROM wants AS x);
  wanted CONSTANT text[] := patterns();
  is_read bool := false;
  moment CONSTANT timestamptz := now(); -- Citus takes no now() in a CASE
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO a FROM account AS x
  WHERE x.did = atid.did_or_null(load.account) AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN
    outcome := 'superseded';
    RETURN;
  END IF;
  SELECT * INTO i FROM identity AS x WHERE x.did = a.did;
  BEGIN
    SELECT * INTO c FROM atid.repo_commit(car);
    outcome := CASE
      WHEN c.did IS DISTINCT FROM a.did THEN 'invalid'
      WHEN NOT atid.commit_is_signed_by(c.block, a.did::text, i.key) THEN 'unsigned'
      WHEN c.rev IS NULL OR c.rev > atid.tid_ceil(later(now(), most_ahead())) THEN 'future'
      -- is taken only where nobody has another
      WHEN c.rev < greatest(a.heard, a.rev) AND a.older < s.most_older THEN 'older' END;
    detail := CASE outcome WHEN 'invalid' THEN 'The repository must be that of the account.'
                           WHEN 'older' THEN format('revision %s, announced was %s', c.rev, greatest(a.heard, a.rev))
                           WHEN 'future' THEN format('revision %s', c.rev) END;
    IF outcome IS NULL THEN
      PERFORM scratch();
      DELETE FROM op;
      INSERT INTO op (uri, did, collection, fresh, cid, block)
      SELECT coalesce(l.uri, r.uri), a.did, l.collection, r.uri IS NULL, l.cid, l.block
      FROM (SELECT atid.at_uri_make(a.did, x.collection, x.rkey) AS uri, x.collection, x.cid, x.block
            FROM atid.repo_records_signed_by(car, a.did::text, i.key) AS x WHERE x.collection LIKE ANY (wanted)) AS l
           FULL JOIN (SELECT x.uri, x.cid FROM record AS x WHERE x.did = a.did
                      AND x.uri BETWEEN atid.at_uri_make(a.did) AND atid.at_uri_scope_upper(atid.at_uri_make(a.did))) AS r
           ON l.uri = r.uri
      WHERE l.cid IS DISTINCT FROM r.cid;
      GET DIAGNOSTICS changed = ROW_COUNT;
      is_read := true;
      PERFORM write();
    END IF;
  EXCEPTION WHEN OTHERS THEN
    IF of_server(SQLSTATE) THEN RAISE; END IF;
    GET STACKED DIAGNOSTICS outcome = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    detail := concat_ws(': ', outcome, nullif(detail, ''));
    outcome := CASE WHEN is_read THEN 'not_written' ELSE 'invalid' END;
    changed := NULL;
  END;
  IF outcome IS NOT NULL THEN
    PERFORM unload(a.did, attempt, outcome, detail);
    RETURN;
  END IF;
  outcome := 'loaded';
  UPDATE account AS x
  SET rev = c.rev, data = c.data, heard = NULL, wants = w, failures = 0, older = 0, problem = NULL, detail = NULL,
      -- The server has named a newer revision, which may be untrue: it is asked again, once.
      unsigned_rev = CASE WHEN c.rev < x.unsigned_rev THEN x.unsigned_rev END,
      unsigned_loads = CASE WHEN c.rev < x.unsigned_rev THEN least(x.unsigned_loads + 1, 2) ELSE 0 END,
      check_at = CASE WHEN c.rev < x.unsigned_rev AND x.unsigned_loads = 0
                   THEN least(x.check_at, later(moment, pause(4, s.pause_first, s.pause_most))) ELSE x.check_at END
  WHERE x.did = a.did;
  PERFORM become(a, 'synchronized');
  INSERT INTO tally (what, n) VALUES ('loads', 1);
  PERFORM host_works(i.host);
END $$;

-- An attempt to load an account has ended without its repository: the next one is later each time. Nothing that a
-- stranger has said can make this fail: why is a code, and what else is said is clipped.
CREATE OR REPLACE FUNCTION unload(account atid.did, attempt int, why text, more text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  a account;
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO a FROM account AS x WHERE x.did = unload.account AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM become(a, 'desynchronized', later(now(), pause(a.failures, s.pause_first, s.pause_most)));
  UPDATE account AS x
  SET failures = least(x.failures + 1, 1000000), older = x.older + CASE WHEN why = 'older' THEN 1 ELSE 0 END,
      problem = clipped(why, 256), detail = clipped(more, 800)
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
CREATE OR REPLACE FUNCTION fail(account text, attempt int, why text, more text, of_host bool, seconds int DEFAULT 0)
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
BEGIN
  IF NOT EXISTS (SELECT 1 FROM account AS x WHERE x.did = me AND x.state = 'loading' AND x.claim = attempt) THEN RETURN; END IF;
  PERFORM unload(me, attempt, why, more);
  IF seconds > 0 THEN
    UPDATE account AS x SET load_at = greatest(x.load_at, later(now(), seconds * interval '1 s'))
    WHERE x.did = me;
  END IF;
  IF EXISTS (SELECT 1 FROM code AS c WHERE c.code = why AND c.checks) THEN
    UPDATE account AS x SET check_at = least(x.check_at, now()) WHERE x.did = me;
  END IF;
  IF of_host THEN
    PERFORM fail_host((SELECT i.host FROM identity AS i WHERE i.did = me), why, seconds);
  END IF;
END $$;

-- An account was claimed, but not asked for: it is due again soon, and nothing counts.
CREATE OR REPLACE FUNCTION release(account text, attempt int) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account AS x
  WHERE x.did = atid.did_or_null(account) AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF FOUND THEN
    PERFORM become(a, 'desynchronized', later(now(), interval '2 s'));
  END IF;
END $$;
