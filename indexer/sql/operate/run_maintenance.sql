-- Removes the sources of labels that are not in the table labeler and have shown no key that signs
-- labels, so that others can take their places.
CREATE OR REPLACE FUNCTION expire_label_sources() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  one atid.did;
BEGIN
  SELECT * INTO s FROM settings;
  FOR one IN
    SELECT i.did FROM identity AS i
    WHERE i.labeler
      AND i.met < add_interval(now(), -CASE WHEN i.answered IS NOT NULL THEN interval '1 day'
                                            ELSE s.invented_after END)
    ORDER BY i.did
  LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM label_keys AS k WHERE k.src = one)
      OR EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = one);
    PERFORM release_label_source(one);
    IF NOT EXISTS (SELECT 1 FROM account AS a WHERE a.did = one) THEN
      PERFORM delete_identity(one);
    END IF;
  END LOOP;
END $$;

-- Deletes accounts that do not exist, as the directory has never given an answer about them: at
-- most 2,000, those met first. Those that the operator has named stay.
CREATE OR REPLACE FUNCTION expire_unknown_accounts() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  one atid.did;
  expired atid.did[] := '{}';
BEGIN
  SELECT * INTO s FROM settings;
  FOR one IN
    SELECT i.did FROM identity AS i
    WHERE i.answered IS NULL AND NOT i.labeler
      AND i.met < add_interval(now(), -(s.invented_after / 3))
      AND (i.problem = 'not_found' OR i.met < add_interval(now(), -s.invented_after))
    ORDER BY i.met
  LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM want AS w
                          WHERE w.what = 'account' AND w.value = one::text AND w.because IS NULL);
    expired := expired || one;
    EXIT WHEN cardinality(expired) = 2000;
  END LOOP;
  FOR one IN SELECT e FROM unnest(expired) AS e ORDER BY e LOOP
    IF delete_want(one) THEN
      PERFORM delete_unsettled(one);
    END IF;
    PERFORM delete_account(one);
  END LOOP;
END $$;

-- Ends attempts to load an account that were left open by a program that was killed. An attempt
-- whose repository the server is still storing is left alone.
CREATE OR REPLACE FUNCTION expire_stale_claims() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one record;
BEGIN
  FOR one IN
    SELECT a.did, a.claim FROM account AS a
    WHERE a.state = 'loading'
      AND a.claimed < greatest(add_interval(now(), -interval '2 hours'),
                               (SELECT max(x.started) FROM stream AS x WHERE x.kind = 'repos'))
    LIMIT 100
  LOOP
    PERFORM FROM account AS x WHERE x.did = one.did AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    PERFORM defer_load(one.did, one.claim, 'ended', NULL);
  END LOOP;
END $$;

-- Deletes live accounts that have been idle for settings.idle_after, and accounts that have had no
-- key for as long, at most 1,000: their keys are requested again when they write.
CREATE OR REPLACE FUNCTION expire_idle_accounts() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  FOR one IN
    SELECT o.did
    FROM (SELECT a.did FROM account AS a
          WHERE a.state IN ('live', 'unidentified')
            AND a.seen < utc_day() - (SELECT s.idle_after FROM settings AS s)
          ORDER BY a.seen LIMIT 1000) AS o
    ORDER BY o.did
  LOOP
    CONTINUE WHEN account_mode(one) IS DISTINCT FROM 'live';
    PERFORM delete_account(one);
  END LOOP;
END $$;

-- Maintains live mode. Notices of new accounts for which there was no room are added again.
CREATE OR REPLACE FUNCTION maintain_live() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE strangers atid.did[];
BEGIN
  IF wants_live() THEN
    BEGIN
      PERFORM make_days();
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      NULL;  -- an index of record is being built, for example: the next call tries again
    END;
    PERFORM expire_idle_accounts();
    PERFORM expire_waiting();
    strangers := find_unreported_strangers();
    IF strangers <> '{}' THEN
      PERFORM add_notices(strangers, array_fill('met'::text, ARRAY[cardinality(strangers)]));
    END IF;
  END IF;
  PERFORM drop_old_day();
END $$;

-- Runs every ten seconds: sums up counters, takes a sample of them, deletes expired rows, and
-- enforces the bounds of tables that strangers can fill.
CREATE OR REPLACE FUNCTION run_maintenance() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM lock_batch_work();
  PERFORM compact_tally();
  PERFORM add_sample();
  PERFORM delete_old_samples();
  PERFORM expire_label_sources();
  PERFORM expire_unknown_accounts();
  PERFORM compact_unproven();
  PERFORM delete_old_hosts();
  PERFORM trim_labels_refused((SELECT s.most_labels_refused FROM settings AS s));
  PERFORM trim_askers();
  PERFORM delete_dead_readers();
  PERFORM expire_stale_claims();
  PERFORM maintain_live();
END $$;
