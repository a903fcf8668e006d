-- Notices: facts about accounts from the stream or from loads, which reconcile_wants() processes in
-- transactions of its own. Only the functions in this file write the table.
--
-- Its bound is most_notices: beyond it, a notice is left out, until a later frame of the account.

-- Adds a notice for each account: arrays of equal length, or NULL if there are none. whats: of the
-- kinds that the table allows; because: the collection of a signal; again: this transaction has
-- taken the notices out, so there is room for them.
CREATE OR REPLACE FUNCTION add_notices(
  dids atid.did[], whats text[], because text[] DEFAULT NULL, again bool DEFAULT false
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE most CONSTANT int := (SELECT s.most_notices FROM settings AS s);
BEGIN
  IF dids IS NULL THEN RETURN; END IF;
  PERFORM enter_writers();
  INSERT INTO notice (did, what, because)
  SELECT n.did, n.what, n.because
  FROM unnest(dids, whats, add_notices.because) AS n (did, what, because)
  WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = n.did)
    AND (again OR (SELECT count(*) FROM (SELECT 1 FROM notice LIMIT most) AS q) < most);
END $$;

-- Deletes the oldest notices, either those of refused frames or the others, and returns them.
CREATE OR REPLACE FUNCTION take_notices(most int, refused bool) RETURNS SETOF notice
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY
  DELETE FROM notice AS n
  WHERE n.n = ANY (ARRAY(SELECT o.n FROM notice AS o
                         WHERE CASE WHEN refused THEN o.what = 'refused'
                                    ELSE o.what <> 'refused' END
                         ORDER BY o.n LIMIT most))
  RETURNING *;
END $$;

CREATE OR REPLACE FUNCTION delete_notices(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM notice AS n WHERE n.did = one;
END $$;

-- The number of notices, counted up to 10,000.
CREATE OR REPLACE FUNCTION count_notices() RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT count(*) FROM (SELECT 1 FROM notice LIMIT 10000) AS n);
END $$;

-- The time of the oldest notice; NULL if there is none.
CREATE OR REPLACE FUNCTION oldest_notice() RETURNS timestamptz LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT n.at FROM notice AS n ORDER BY n.n LIMIT 1);
END $$;
