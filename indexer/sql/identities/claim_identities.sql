-- Which identities to request next, and what is done where there was no answer.

-- Identities to ask for, of did:web or of did:plc, and of one kind: known are those that had an answer before; of the
-- others new ones were never asked for, and the rest, again, have failed. So nobody who fails stands before who is new.
-- They come again, later each time, until there is an answer.
--
-- Of did:web, those of busy domains are passed over. The next call goes on behind the place where this one ended: a row
-- whose asked is NULL only says how far it has looked. No row: the end; go on from the beginning, NULL.
CREATE OR REPLACE FUNCTION claim_identities(
  most int, kind text, of_web bool, busy text[] DEFAULT '{}', after_ask timestamptz DEFAULT NULL, after_did text DEFAULT NULL
) RETURNS TABLE (did text, asked timestamptz, at timestamptz)
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  s settings;
  c record;
  domain text;
  n int := 0;
  moment CONSTANT timestamptz := now();
BEGIN
  SELECT * INTO s FROM settings;
  FOR c IN
    SELECT x.did, x.ask FROM identity AS x
    WHERE CASE WHEN x.answered IS NOT NULL THEN 'known' WHEN x.asked = 0 THEN 'new' ELSE 'again' END = kind
      AND x.web = of_web AND x.ask < 'infinity' AND x.ask <= moment
      AND (x.ask, x.did) > (coalesce(after_ask, '-infinity'), coalesce(after_did, 'did:a:a')::atid.did)
    ORDER BY x.ask, x.did LIMIT 1000
  LOOP
    did := c.did;
    at := c.ask;
    asked := NULL;
    IF busy <> '{}' THEN
      domain := '.' || lower(split_part(split_part(did, ':', 3), '%', 1));
      CONTINUE WHEN EXISTS (SELECT 1 FROM unnest(busy) AS b WHERE right(domain, length(b) + 1) = '.' || b);
    END IF;
    PERFORM FROM identity AS i WHERE i.did = c.did AND i.ask <= moment FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE identity AS i SET asked = i.asked + 1, ask = add_interval(moment, backoff_delay(i.asked, s.pause_first, s.pause_most))
    WHERE i.did = c.did;
    asked := moment;
    n := n + 1;
    RETURN NEXT;
    EXIT WHEN n >= most;
  END LOOP;
  IF did IS NOT NULL AND asked IS NULL THEN
    RETURN NEXT;
  END IF;
END $$;

-- They were not asked for: what failed is the directory, or their domain has no place. They come again so many seconds
-- later, and nothing counts.
CREATE OR REPLACE FUNCTION release_identities(dids text[], seconds float8) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  PERFORM lock_batch_work();
  FOR one IN SELECT DISTINCT d FROM unnest(dids) AS u CROSS JOIN atid.did_or_null(u) AS d WHERE d IS NOT NULL ORDER BY d LOOP
    UPDATE identity AS i SET asked = greatest(i.asked - 1, 0), ask = least(i.ask, add_interval(now(), seconds * interval '1 s'))
    WHERE i.did = one;
  END LOOP;
END $$;

-- There was no answer, or none that could be read. why is a code.
CREATE OR REPLACE FUNCTION fail_identity(account text, why text, more text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE identity AS i SET problem = clip_text(why, 256), detail = clip_text(more, 800) WHERE i.did = atid.did_or_null(account);
END $$;
