-- What an operator does, and what is done every few seconds.

-- An account is kept out, whatever the network says. Its records go.
CREATE OR REPLACE FUNCTION exclude(account text, why text DEFAULT NULL) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE me CONSTANT atid.did := account;
BEGIN
  PERFORM one_of_many();
  INSERT INTO exclusion AS x (did, why) VALUES (me, exclude.why) ON CONFLICT (did) DO UPDATE SET why = coalesce(excluded.why, x.why);
  DELETE FROM want AS w WHERE w.what = 'account' AND w.value = me::text;
  PERFORM delete_candidate(me);
  PERFORM remove(me, waits => true);
END $$;

-- It may come again: at once if it is wanted.
CREATE OR REPLACE FUNCTION include(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE me CONSTANT atid.did := account;
BEGIN
  DELETE FROM exclusion AS x WHERE x.did = me;
  INSERT INTO unsettled (did) VALUES (me);
END $$;

-- An account is kept out, and nothing is left of it: neither what others have pointed at it, nor its labels and those
-- about it, nor frames. That it is excluded stays.
CREATE OR REPLACE FUNCTION forget(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := account;
  low CONSTANT atid.at_uri := atid.at_uri_make(me);
  high CONSTANT atid.at_uri := atid.at_uri_scope_upper(atid.at_uri_make(me));
BEGIN
  PERFORM exclude(account, 'forgotten');
  -- Who writes at this moment may not know yet that it is excluded.
  PERFORM nobody_writes();
  DELETE FROM identity AS i WHERE i.did = me;
  DELETE FROM reference AS r WHERE r.subject BETWEEN low AND high;
  DELETE FROM labels AS l WHERE l.subject BETWEEN low AND high OR l.src = me;
  DELETE FROM label_keys AS k WHERE k.src = me;
  PERFORM delete_labels_refused(account);
  PERFORM delete_bad(me);
  PERFORM delete_waiting(me);
  PERFORM delete_notices(me);
  DELETE FROM want AS w WHERE w.what = 'account' AND w.value = me::text;
  PERFORM delete_candidate(me);
  DELETE FROM unsettled AS u WHERE u.did = me;
END $$;

-- Lexicons are added. A document whose NSID another one has takes its place.
CREATE OR REPLACE FUNCTION add_lexicons(documents atid.lexicon) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  new CONSTANT text[] := atid.lexicon_nsids(documents);
  kept jsonb;
BEGIN
  LOCK TABLE lexicons IN SHARE ROW EXCLUSIVE MODE;
  WITH gone AS (
    DELETE FROM lexicons AS l WHERE atid.lexicon_nsids(l.lexicons)::text[] && new RETURNING l.lexicons
  )
  SELECT jsonb_agg(atid.lexicon_document(g.lexicons, n)) INTO kept
  FROM gone AS g CROSS JOIN unnest(atid.lexicon_nsids(g.lexicons)::text[]) AS n WHERE n <> ALL (new);
  INSERT INTO lexicons (lexicons) SELECT documents UNION ALL SELECT kept::atid.lexicon WHERE kept IS NOT NULL;
END $$;

-- An account is loaded again, and its records are written anew, with their references.
CREATE OR REPLACE FUNCTION reload(account text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := account;
  a account;
BEGIN
  -- An identity is locked before its account; not that of one that is being loaded, for which all others would wait.
  IF EXISTS (SELECT 1 FROM account AS x WHERE x.did = me AND x.state IN ('unidentified', 'barred')) THEN
    UPDATE identity AS i SET ask = least(i.ask, now()), asked = 0 WHERE i.did = me;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = me FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('account %s is not here', me),
      DETAIL = (SELECT e.value FROM explain(account) AS e WHERE e.what = 'answer') || '.';
  END IF;
  PERFORM scratch();
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT r.uri, r.did, atid.at_uri_collection(r.uri), false, r.cid, r.block FROM record AS r
  WHERE r.did = me AND r.uri BETWEEN atid.at_uri_make(me) AND atid.at_uri_scope_upper(atid.at_uri_make(me));
  PERFORM write();
  UPDATE account AS x
  SET failures = 0, older = 0, gaps = 0, problem = NULL, detail = NULL, unsigned_rev = NULL, unsigned_loads = 0
  WHERE x.did = me;
  IF a.state IN ('synchronized', 'desynchronized') THEN
    PERFORM become(a, 'desynchronized', now());
  ELSIF a.state = 'inactive' THEN
    UPDATE account AS x SET check_at = now() WHERE x.did = me;
  END IF;
  PERFORM delete_host((SELECT i.host FROM identity AS i WHERE i.did = me));
END $$;

-- Every ten seconds: counters are summed up and sampled, invented accounts end, and what strangers can fill is bounded.
CREATE OR REPLACE FUNCTION tidy() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  one record;
  ended int := 0;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM one_of_many();
  IF (SELECT count(*) FROM (SELECT 1 FROM tally LIMIT 50) AS t) > 20 THEN
    WITH gone AS (DELETE FROM tally RETURNING what, n)
    INSERT INTO tally (what, n) SELECT what, sum(n) FROM gone GROUP BY what HAVING sum(n) <> 0;
  END IF;
  INSERT INTO sample (at, behind, loads)
  SELECT now(), coalesce(sum(t.n) FILTER (WHERE t.what IN ('unidentified', 'desynchronized', 'loading')), 0),
         coalesce(sum(t.n) FILTER (WHERE t.what = 'loads'), 0) FROM tally AS t
  ON CONFLICT DO NOTHING;
  DELETE FROM sample WHERE at < now() - interval '2 hours';

  -- Sources of labels that nobody has named, and that have shown no key to sign them, give their places to others.
  FOR one IN SELECT i.did FROM identity AS i
             WHERE i.labeler AND i.met < later(now(), CASE WHEN i.answered IS NOT NULL THEN -interval '1 day' ELSE -s.invented_after END) LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM label_keys AS k WHERE k.src = one.did) OR EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = one.did);
    UPDATE identity AS i SET labeler = false WHERE i.did = one.did;
    IF NOT EXISTS (SELECT 1 FROM account AS a WHERE a.did = one.did) THEN
      DELETE FROM identity AS i WHERE i.did = one.did;
    END IF;
  END LOOP;

  -- Accounts that nobody knows: the directory has never answered. Those that the operator has named stay.
  FOR one IN SELECT i.did FROM identity AS i
             WHERE i.answered IS NULL AND NOT i.labeler AND i.met < later(now(), -(s.invented_after / 3))
               AND (i.problem = 'not_found' OR i.met < later(now(), -s.invented_after))
             ORDER BY i.met
  LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = one.did::text AND w.because IS NULL);
    DELETE FROM want AS w WHERE w.what = 'account' AND w.value = one.did::text;
    IF FOUND THEN
      DELETE FROM unsettled AS u WHERE u.did = one.did;
    END IF;
    PERFORM remove(one.did);
    ended := ended + 1;
    EXIT WHEN ended = 2000;
  END LOOP;
  PERFORM sum_unproven();
  PERFORM delete_old_hosts();
  PERFORM trim_labels_refused(s.most_labels_refused);
  -- Readers of "atid-indexer api" that were killed: each holds a lock while it runs (src/api/changes.js).
  DELETE FROM reader AS r WHERE r.api AND pg_try_advisory_xact_lock(hashtextextended(r.name, 0));
  -- An account whose attempt nobody has ended: the program that had claimed it could not say so. One that the server is
  -- still loading is left to it.
  FOR one IN SELECT did, claim FROM account
             WHERE state = 'loading' AND claimed < greatest(later(now(), -interval '2 hours'),
                                                            (SELECT max(x.started) FROM stream AS x WHERE x.kind = 'repos'))
             LIMIT 100 LOOP
    PERFORM FROM account AS x WHERE x.did = one.did AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    PERFORM unload(one.did, one.claim, 'ended', NULL);
  END LOOP;
END $$;
