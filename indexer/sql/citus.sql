-- The indexer on Citus: after the other files, on the coordinator. doc/indexer.md describes which
-- queries read one shard.
--
-- All rows of an account are in one shard, by its DID; the references to a record are in one shard,
-- by that record. The other tables are small, and stay on the coordinator, where the functions run.
DO $$
DECLARE name regclass;
BEGIN
  FOREACH name IN ARRAY account_tables()::regclass[] LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = name);
    PERFORM create_distributed_table(name, 'did', colocate_with => CASE name
              WHEN 'account'::regclass THEN 'none' ELSE 'account' END);
  END LOOP;
  IF NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'reference'::regclass) THEN
    PERFORM create_distributed_table('reference', 'subject', colocate_with => 'none');
  END IF;
END $$;

-- The tables of a day inherit from others, which distributed tables cannot do.
CREATE OR REPLACE FUNCTION refuse_live() RETURNS trigger LANGUAGE plpgsql
SET search_path = indexer, pg_temp AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'feature_not_supported',
    MESSAGE = 'live mode is not supported on Citus';
END $$;

CREATE OR REPLACE TRIGGER refuse_live BEFORE INSERT OR UPDATE OF what ON want
FOR EACH ROW WHEN (NEW.what = 'live') EXECUTE FUNCTION refuse_live();

-- The table record stays as it is: Citus distributes it by did, and LOCK would go to all shards.
CREATE OR REPLACE FUNCTION hold_form() RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN false;
END $$;

-- Citus cannot lock rows of several shards for a SELECT. So the functions that claim the next rows
-- take turns, and lock_accounts() locks each account separately, in the same order.
CREATE OR REPLACE FUNCTION lock_accounts(dids atid.did[]) RETURNS SETOF account LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  FOR one IN SELECT DISTINCT d FROM unnest(dids) AS d ORDER BY d LOOP
    RETURN QUERY SELECT * FROM account AS x WHERE x.did = one AND x.state <> 'loading' FOR UPDATE;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION claim_status_checks(most int)
RETURNS TABLE (did text, asked timestamptz) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  next atid.did[];
  one atid.did;
  moment CONSTANT timestamptz := now();
  again timestamptz;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM pg_advisory_xact_lock(hashtextextended('indexer: doubtful', 0));
  again := add_interval(moment, backoff_delay(6, s.pause_first, s.pause_most));
  next := ARRAY(SELECT x.did FROM account AS x
                WHERE x.check_at < 'infinity' AND x.check_at <= moment
                ORDER BY x.check_at LIMIT most);
  FOREACH one IN ARRAY next LOOP
    PERFORM FROM account AS x WHERE x.did = one FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE account AS a SET check_at = again WHERE a.did = one;
    did := one;
    asked := moment;
    RETURN NEXT;
  END LOOP;
END $$;

-- Citus lets only one transaction at a time change rows in several shards of a table, and so makes
-- those of the stream wait for each other, in any order of the tables. They need not: each has
-- locked its accounts, in their order.
DO $$
DECLARE f regprocedure;
BEGIN
  FOREACH f IN ARRAY ARRAY['advance_accounts()', 'note_announced_revisions()',
                           'write_records()']::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET citus.enable_deadlock_prevention = off', f);
  END LOOP;
END $$;

-- Citus plans a query of several shards only with the values of a call.
DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid FROM pg_proc AS p
           WHERE p.pronamespace = 'indexer'::regnamespace
             AND 'plan_cache_mode=force_generic_plan' = ANY (p.proconfig)
  LOOP
    EXECUTE format('ALTER FUNCTION %s RESET plan_cache_mode', f);
  END LOOP;
END $$;
