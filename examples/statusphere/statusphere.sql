-- Statusphere: two functions beside the views of xyz.statusphere.status, for the API and for SQL. Run it after
-- "atid-indexer up", as the owner of the schema api:
--
--   psql -d DATABASE -f statusphere.sql
CREATE SCHEMA IF NOT EXISTS api;

-- What somebody has been, the newest first: people change their handles, so it is asked by the DID.
CREATE OR REPLACE FUNCTION api.account_history(account api.account) RETURNS SETOF api.xyz_statusphere_status
LANGUAGE sql STABLE AS $$
  SELECT s.* FROM api.xyz_statusphere_status AS s WHERE s.did = account.did AND s.conforms ORDER BY s.sort_at DESC
$$;

-- How often each emoji was somebody's status in the last 24 hours.
CREATE OR REPLACE FUNCTION api.top_statuses(OUT status text, OUT count bigint) RETURNS SETOF record
LANGUAGE sql STABLE AS $$
  SELECT s.status, count(*) FROM api.xyz_statusphere_status AS s
  WHERE s.sort_at > now() - interval '24 hours' AND s.conforms AND NOT s.hidden
  GROUP BY s.status ORDER BY count(*) DESC, s.status LIMIT 20
$$;

NOTIFY postgraphile_watch, '{"type":"manual"}';
