-- What "atid-indexer init --citus" of 1.3.3 added, without its comments, for indexer/t/citus_upgrade.pl.
DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'account'::regclass) THEN
    PERFORM create_distributed_table('account', 'did', colocate_with => 'none');
    PERFORM create_distributed_table('identity', 'did', colocate_with => 'account');
    PERFORM create_distributed_table('record', 'did', colocate_with => 'account');
    PERFORM create_distributed_table('reference', 'subject', colocate_with => 'none');
  END IF;
END $$;

CREATE OR REPLACE FUNCTION hold(dids atid.did[]) RETURNS SETOF account LANGUAGE plpgsql
SET search_path = indexer, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  FOR one IN SELECT DISTINCT d FROM unnest(dids) AS d ORDER BY d LOOP
    RETURN QUERY SELECT * FROM account AS x WHERE x.did = one AND x.state <> 'loading' FOR UPDATE;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION doubtful(most int) RETURNS TABLE (did text, asked timestamptz) LANGUAGE plpgsql
SET search_path = indexer, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  next atid.did[];
  moment CONSTANT timestamptz := now();
  again timestamptz;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM pg_advisory_xact_lock(hashtextextended('indexer: doubtful', 0));
  again := later(moment, pause(6, s.pause_first, s.pause_most));
  next := ARRAY(SELECT x.did FROM account AS x WHERE x.check_at < 'infinity' AND x.check_at <= moment ORDER BY x.check_at LIMIT most);
  IF next <> '{}' THEN
    RETURN QUERY UPDATE account AS a SET check_at = again WHERE a.did = ANY (next) RETURNING a.did::text, moment;
  END IF;
END $$;
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
