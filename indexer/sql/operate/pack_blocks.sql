-- The last step of "atid-indexer pack", which gives the table record of an earlier release packed
-- blocks. Those before it are the ones of examples/migrate.sql.

-- Has the packed column take the place of the other. The views, feeds and functions that read the
-- table are taken out, and created again over it; make_views() knows its views as before.
CREATE OR REPLACE FUNCTION swap_packed_blocks() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  views jsonb;
  dependents text[];
BEGIN
  -- make_views() waits. The views are locked as they are dropped, and then the table, as readers
  -- of views lock them.
  LOCK TABLE view_type IN SHARE ROW EXCLUSIVE MODE;
  views := (SELECT coalesce(jsonb_object_agg(t.view::oid, view_full_name(t.view)), '{}')
            FROM view_type AS t JOIN pg_class AS c ON c.oid = t.view);
  dependents := take_dependents('record');
  CALL moving.swap('indexer.record');
  PERFORM restore_dependents(dependents);
  UPDATE view_type AS t SET view = (views->>t.view::oid::text)::regclass
  WHERE views ? t.view::oid::text;
  UPDATE view_column AS c SET view = (views->>c.view::oid::text)::regclass
  WHERE views ? c.view::oid::text;
  UPDATE view_index AS i SET view = (views->>i.view::oid::text)::regclass
  WHERE views ? i.view::oid::text;
  UPDATE view_type AS t SET accounts = (views->>t.accounts::oid::text)::regclass
  WHERE views ? t.accounts::oid::text;
END $$;

-- Does with the definitions what swap_packed_blocks() will do, for a transaction that is rolled
-- back: an operator learns at the beginning, not after hours, which objects stand in the way.
CREATE OR REPLACE FUNCTION rehearse_packed_swap() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET client_min_messages = warning AS $$
DECLARE
  dependents text[];
  problem text;
  more text;
BEGIN
  LOCK TABLE view_type IN SHARE ROW EXCLUSIVE MODE;
  -- an earlier run that was broken off has left the column; definitions may list all columns
  ALTER TABLE record ADD COLUMN IF NOT EXISTS block_new atid.block;
  dependents := take_dependents('record');
  ALTER TABLE record DROP COLUMN block;
  ALTER TABLE record RENAME COLUMN block_new TO block;
  PERFORM restore_dependents(dependents);
EXCEPTION
  WHEN dependent_objects_still_exist OR syntax_error_or_access_rule_violation
       OR feature_not_supported THEN
    GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, more = PG_EXCEPTION_DETAIL;
    RAISE dependent_objects_still_exist USING
      MESSAGE = 'other objects need the column "block" of the table record as it is',
      DETAIL = clip_text(translate(concat_ws(': ', problem, more), E'\n', ' '), 1000),
      HINT = 'Drop them, pack the blocks, and create them again.';
END $$;
