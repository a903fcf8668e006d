-- Hosts whose commits come without "prevData". Only the functions in this file write the table.
--
-- Each batch of frames adds a row for each host, until there are twice most_hosts rows. Every ten
-- seconds compact_unproven() sums them up, and keeps the most_hosts hosts seen last within 30 days.

-- Adds the number of commits that each host has sent in a batch.
CREATE OR REPLACE FUNCTION add_unproven(hosts text[], commits bigint[]) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE most CONSTANT int := (SELECT s.most_hosts FROM settings AS s);
BEGIN
  INSERT INTO unproven (host, n)
  SELECT h.host, h.n FROM unnest(hosts, commits) AS h (host, n)
  WHERE (SELECT count(*) FROM (SELECT 1 FROM unproven AS u LIMIT 2 * most) AS q) < 2 * most;
END $$;

CREATE OR REPLACE FUNCTION compact_unproven() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM unproven AS u
             WHERE NOT u.summed OR u.at < now() - interval '30 days') THEN
    WITH old AS (
      DELETE FROM unproven RETURNING host, n, at
    )
    INSERT INTO unproven (host, n, at, summed)
    SELECT o.host, sum(o.n), max(o.at), true FROM old AS o WHERE o.at > now() - interval '30 days'
    GROUP BY o.host ORDER BY max(o.at) DESC LIMIT (SELECT s.most_hosts FROM settings AS s);
  END IF;
END $$;
