-- After a gap in the stream, everything that may have changed meanwhile is requested again.

-- After the list of all accounts has ended, has the server queried about those that no page had.
-- Examines some of the accounts, in their order, and returns their number; 0: there is nothing to
-- do.
CREATE OR REPLACE FUNCTION check_unlisted_accounts(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w want;
  dids atid.did[];
  one atid.did;
  last atid.did;
  waits bool := false;
BEGIN
  SELECT * INTO w FROM want AS x
  WHERE (x.what, x.value) = ('account', '*') AND x.seek IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN 0; END IF;
  dids := ARRAY(SELECT did FROM account WHERE did > w.seek ORDER BY did LIMIT most);
  FOREACH one IN ARRAY dids LOOP
    IF EXISTS (SELECT 1 FROM account AS a
               WHERE a.did = one AND a.status IS NULL
                 AND coalesce(greatest(a.listed, a.said), '-infinity') < w.began) THEN
      IF is_account_loading(one) THEN  -- the next call continues with it
        waits := true;
        EXIT;
      END IF;
      PERFORM schedule_status_check(one, now());
    END IF;
    last := one;
  END LOOP;
  PERFORM store_unlisted_place(CASE WHEN waits THEN coalesce(last, w.seek)
                                    ELSE dids[cardinality(dids)] END);
  RETURN CASE WHEN waits THEN 0 ELSE greatest(cardinality(dids), 1) END;
END $$;

-- After a gap, lists all accounts and signals again; if not all accounts are wanted, requests the
-- identity and the status of each, some at a time. Then come those that a list did not have.
-- Returns how many accounts it has examined; 0: there is nothing to do.
CREATE OR REPLACE FUNCTION recheck_after_gap(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  x stream;
  due timestamptz;
  dids atid.did[];
  one atid.did;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM lock_batch_work();
  SELECT * INTO x FROM stream WHERE look IS NOT NULL AND kind = 'repos' ORDER BY look LIMIT 1;
  IF NOT FOUND THEN RETURN check_unlisted_accounts(most); END IF;
  IF x.looked IS NULL THEN
    PERFORM restart_listings();
  END IF;
  IF NOT wants_all_accounts() THEN
    dids := ARRAY(SELECT did FROM identity
                  WHERE did > x.looked OR x.looked IS NULL ORDER BY did LIMIT most);
  END IF;
  IF coalesce(cardinality(dids), 0) = 0 THEN
    UPDATE stream SET look = NULL, looked = NULL WHERE name = x.name AND look = x.look;
    RETURN 1;
  END IF;
  FOREACH one IN ARRAY dids LOOP
    due := add_interval(now(), spread_delay(one, s.spread));
    CONTINUE WHEN EXISTS (SELECT 1 FROM account AS a WHERE a.did = one AND a.state = 'live');
    PERFORM request_identity(one, due, answered_before => x.look);
    CONTINUE WHEN is_account_loading(one);  -- its host is being queried now
    PERFORM schedule_status_check(one, due);
  END LOOP;
  -- (process_frames() locks accounts, and then this row)
  UPDATE stream SET looked = dids[cardinality(dids)] WHERE name = x.name AND look = x.look;
  RETURN cardinality(dids);
END $$;
