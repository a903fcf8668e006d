-- Every ten seconds: counters are summed up and sampled, invented accounts end, and what strangers can fill is bounded.
CREATE OR REPLACE FUNCTION run_maintenance() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  one record;
  ended int := 0;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM lock_batch_work();
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
             WHERE i.labeler AND i.met < add_interval(now(), CASE WHEN i.answered IS NOT NULL THEN -interval '1 day' ELSE -s.invented_after END) LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM label_keys AS k WHERE k.src = one.did) OR EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = one.did);
    UPDATE identity AS i SET labeler = false WHERE i.did = one.did;
    IF NOT EXISTS (SELECT 1 FROM account AS a WHERE a.did = one.did) THEN
      DELETE FROM identity AS i WHERE i.did = one.did;
    END IF;
  END LOOP;

  -- Accounts that nobody knows: the directory has never answered. Those that the operator has named stay.
  FOR one IN SELECT i.did FROM identity AS i
             WHERE i.answered IS NULL AND NOT i.labeler AND i.met < add_interval(now(), -(s.invented_after / 3))
               AND (i.problem = 'not_found' OR i.met < add_interval(now(), -s.invented_after))
             ORDER BY i.met
  LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = one.did::text AND w.because IS NULL);
    DELETE FROM want AS w WHERE w.what = 'account' AND w.value = one.did::text;
    IF FOUND THEN
      DELETE FROM unsettled AS u WHERE u.did = one.did;
    END IF;
    PERFORM delete_account(one.did);
    ended := ended + 1;
    EXIT WHEN ended = 2000;
  END LOOP;
  PERFORM compact_unproven();
  PERFORM delete_old_hosts();
  PERFORM trim_labels_refused(s.most_labels_refused);
  PERFORM trim_askers();
  -- Readers of "atid-indexer api" that were killed: each holds a lock while it runs (src/api/changes.js).
  DELETE FROM reader AS r WHERE r.api AND pg_try_advisory_xact_lock(hashtextextended(r.name, 0));
  -- An account whose attempt nobody has ended: the program that had claimed it could not say so. One that the server is
  -- still loading is left to it.
  FOR one IN SELECT did, claim FROM account
             WHERE state = 'loading' AND claimed < greatest(add_interval(now(), -interval '2 hours'),
                                                            (SELECT max(x.started) FROM stream AS x WHERE x.kind = 'repos'))
             LIMIT 100 LOOP
    PERFORM FROM account AS x WHERE x.did = one.did AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    PERFORM defer_load(one.did, one.claim, 'ended', NULL);
  END LOOP;
END $$;
