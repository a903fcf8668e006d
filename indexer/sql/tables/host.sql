-- Hosts that fail, or have asked for a pause, by their origins. Only the functions in this file
-- write the table.
--
-- Its bound is most_hosts: further hosts are not stored, and their accounts are still tried.

-- Must the accounts of a host wait? Yes, after its third failure, or if it has asked for a pause.
-- (The arguments are not a row, because Citus would distribute the table for a view that calls
-- this.)
CREATE OR REPLACE FUNCTION is_blocked(until timestamptz, failures int, paused bool) RETURNS bool
LANGUAGE sql STABLE PARALLEL SAFE
RETURN until > now() AND (failures > 2 OR paused);

-- Is a host in a pause that it has asked for? Until its end, no answer or failure of another
-- request counts.
CREATE OR REPLACE FUNCTION is_paused(until timestamptz, paused bool) RETURNS bool
LANGUAGE sql STABLE PARALLEL SAFE
RETURN until > now() AND paused;

-- Records that a host has failed, or has asked for a pause of so many seconds. Its pauses get
-- longer each time.
CREATE OR REPLACE FUNCTION fail_host(origin text, why text, seconds int) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  asked CONSTANT interval := coalesce(seconds, 0) * interval '1 s';
  pauses CONSTANT bool := coalesce(seconds > 0, false)
    OR EXISTS (SELECT 1 FROM code AS c WHERE c.code = why AND c.retry = 'asked');
BEGIN
  SELECT * INTO s FROM settings;
  IF origin IS NULL
     OR NOT EXISTS (SELECT 1 FROM host AS h WHERE h.name = origin)
        AND (SELECT count(*) FROM (SELECT 1 FROM host LIMIT s.most_hosts) AS h) >= s.most_hosts THEN
    RETURN;
  END IF;
  INSERT INTO host AS h (name, failures, until, problem, paused)
  VALUES (origin, 1,
          add_interval(now(), greatest(backoff_delay(0, s.pause_first, s.pause_most), asked)),
          CASE WHEN pauses THEN 'throttled' ELSE clip_text(why, 256) END, pauses)
  ON CONFLICT (name) DO UPDATE
  SET failures = least(h.failures + 1, 1000000), problem = excluded.problem,
      paused = excluded.paused,
      until = add_interval(now(), greatest(
        backoff_delay(h.failures, s.pause_first, s.pause_most), asked))
  WHERE NOT is_paused(h.until, h.paused);
END $$;

-- Records that a host has answered. An answer that was already under way does not end a pause that
-- the host has asked for, but the next pause is not longer.
CREATE OR REPLACE FUNCTION host_works(origin text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM host AS h WHERE h.name = origin AND NOT is_paused(h.until, h.paused);
  UPDATE host AS h SET failures = 0 WHERE h.name = origin AND h.failures > 0;
END $$;

-- Deletes a host, because an operator wants one of its accounts loaded now.
CREATE OR REPLACE FUNCTION delete_host(origin text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM host AS h WHERE h.name = origin;
END $$;

-- Deletes hosts that have not failed for a day.
CREATE OR REPLACE FUNCTION delete_old_hosts() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM host AS h WHERE h.until < add_interval(now(), -interval '1 day');
END $$;

CREATE OR REPLACE FUNCTION count_blocked_hosts() RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT count(*) FROM host AS h WHERE is_blocked(h.until, h.failures, h.paused));
END $$;
