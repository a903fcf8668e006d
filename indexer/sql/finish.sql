-- The last file. A session plans the statements of these functions once, maybe while the tables are small, and must
-- never read one of them whole. And their names mean what they meant here, whatever the search_path of who calls them
-- is. The temporary tables of scratch() are found before an operator's tables of the same names; functions are never
-- looked up in pg_temp.
DO $$
DECLARE
  f record;
  plans text;
  citus bool := to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL;
BEGIN
  IF citus THEN
    EXECUTE $q$SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition WHERE logicalrelid = 'indexer.account'::regclass)$q$ INTO citus;
  END IF;
  FOR f IN SELECT p.oid::regprocedure AS name, p.proname FROM pg_proc AS p
           WHERE p.pronamespace = 'indexer'::regnamespace AND p.prorettype <> 'trigger'::regtype
             AND (p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql') OR p.proname LIKE 'label%')
  LOOP
    plans := CASE f.proname
      WHEN 'load' THEN 'SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = ''64MB'''
      -- a plan for the values of a call would have the frames in it, or not find the indexes on an expression that a
      -- parameter is compared with (Citus plans what asks several shards for the values of a call only)
      ELSE 'SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off'
           || CASE WHEN NOT citus AND f.proname IN ('take', 'take_parts', 'take_batch', 'judge', 'complete', 'with_prev', 'is_newer', 'move_cursor',
                                        'announce', 'apply', 'await', 'latest_states', 'write',
                                        'claim', 'load_waits', 'ask', 'due_loads', 'due_identities', 'troubles',
                                        'is_load_due', 'is_identity_due')
                   THEN ' SET plan_cache_mode = force_generic_plan' ELSE '' END END;
    EXECUTE format('ALTER FUNCTION %s SET search_path = %s %s', f.name,
                   CASE WHEN f.proname IN ('scratch', 'take_batch', 'judge', 'complete', 'move_cursor', 'announce',
                                           'apply', 'await', 'latest_states', 'write', 'clear', 'load', 'reload')
                     THEN 'pg_temp, indexer' ELSE 'indexer, pg_temp' END, plans);
  END LOOP;
END $$;
ALTER FUNCTION want_changed() SET search_path = indexer, pg_temp;
ALTER FUNCTION lexicons_changed() SET search_path = indexer, pg_temp;
