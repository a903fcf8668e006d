-- The accounts in trouble: why, when the next attempt is, and what an operator can do. An account
-- without an answer and without a failure so far is not in trouble.
CREATE OR REPLACE VIEW trouble AS
SELECT t.did, t.handle, t.host, t.state, coalesce(c.words, t.why) AS why, t.detail, t.next,
       coalesce(c.remedy, 'nothing: it is tried again') AS remedy, t.why AS code
FROM (
  SELECT a.did, i.handle, i.host, a.state,
         CASE WHEN h.name IS NOT NULL THEN h.problem ELSE a.problem END AS why,
         CASE WHEN is_paused(h.until, h.paused) THEN 'its host has asked for a pause'
              WHEN h.name IS NOT NULL THEN 'its host has failed ' || h.failures || ' times'
              ELSE a.detail END AS detail,
         greatest(a.load_at, h.until) AS next
  FROM account AS a JOIN identity AS i ON i.did = a.did
       LEFT JOIN host AS h ON h.name = i.host AND (h.failures > 2 OR is_paused(h.until, h.paused))
  WHERE a.state = 'desynchronized' AND a.failures > 0
  UNION ALL
  SELECT a.did, i.handle, i.host, a.state, a.problem, a.detail, a.load_at
  FROM account AS a LEFT JOIN identity AS i ON i.did = a.did
  WHERE a.problem IS NOT NULL AND a.status IS NOT NULL
  UNION ALL
  SELECT a.did, i.handle, i.host, a.state, i.problem, i.detail, i.ask
  FROM identity AS i JOIN account AS a ON a.did = i.did
  WHERE i.problem IS NOT NULL AND i.key IS NULL AND a.state = 'unidentified'
  UNION ALL
  SELECT u.did, NULL, NULL, NULL, 'not_changed', u.detail, u.again
  FROM unsettled AS u WHERE u.failures > 0) AS t
LEFT JOIN code AS c ON c.code = t.why;

-- Some of them, found by indexes, however many there are.
CREATE OR REPLACE FUNCTION list_troubles(most int) RETURNS SETOF trouble LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY SELECT * FROM trouble LIMIT most;
END $$;
