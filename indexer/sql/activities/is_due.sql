-- Has any work of an activity been due since that time? Accounts that wait for their hosts are not
-- due.
CREATE OR REPLACE FUNCTION is_due(activity text, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE method CONSTANT text := (SELECT m.name FROM method_of_activity(activity) AS m);
BEGIN
  IF activity IN ('loads of known accounts', 'loads of new accounts') THEN
    RETURN is_load_due(activity = 'loads of known accounts', since);
  ELSIF method IS NOT NULL THEN
    RETURN is_identity_due('known', method, since) OR is_identity_due('new', method, since)
           OR is_identity_due('again', method, since);
  ELSIF activity = 'statuses' THEN
    RETURN EXISTS (SELECT 1 FROM account AS a
                   WHERE a.check_at < 'infinity' AND a.check_at <= since);
  ELSIF activity = 'signals' THEN
    RETURN EXISTS (SELECT 1 FROM candidate AS c WHERE c.ask <= since);
  ELSIF activity = 'lists' THEN
    RETURN EXISTS (SELECT 1 FROM listing AS l
                   WHERE l.listed IS NOT NULL
                     AND greatest(l.began, l.again, '-infinity') <= since
                     AND NOT (l.refused AND are_candidates_full()));
  ELSIF activity = 'wants' THEN
    RETURN coalesce(oldest_notice() <= since, false);
  END IF;
  RETURN false;
END $$;

-- kind is a parameter, so that the index on its expression is used.
CREATE OR REPLACE FUNCTION is_load_due(known bool, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY[load_kind(known, false), load_kind(known, true)] LOOP
    IF EXISTS (
      SELECT 1
      FROM (SELECT a.did FROM account AS a
            WHERE a.state = 'desynchronized' AND a.load_at <= since
              AND CASE WHEN a.failures > 0
                    THEN CASE WHEN a.loaded THEN 'back' ELSE 'again' END
                    WHEN a.loaded THEN 'known' ELSE 'new' END = kind
            ORDER BY a.load_at DESC LIMIT 1000) AS d
           JOIN identity AS i ON i.did = d.did
           LEFT JOIN host AS h ON h.name = i.host AND is_blocked(h.until, h.failures, h.paused)
      WHERE h.name IS NULL)
    THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $$;

CREATE OR REPLACE FUNCTION is_identity_due(kind text, method text, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM identity AS i
    WHERE CASE WHEN i.answered IS NOT NULL THEN 'known'
               WHEN i.asked = 0 THEN 'new' ELSE 'again' END = kind
      AND split_part(i.did::text, ':', 2) = method AND i.ask < 'infinity' AND i.ask <= since);
END $$;
