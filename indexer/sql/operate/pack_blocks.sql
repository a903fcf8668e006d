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
