-- Identities: the key, handle and server of each account, from its PLC log or its DID document, and
-- when the directory, or the domain of a did:web, is queried next. Only the functions in this file
-- write the table.
--
-- It has one row for each account, and rows for up to 100 sources of labels that the table labeler
-- does not name. Accounts that strangers have invented expire (expire_unknown_accounts).
--
-- ask is the time of the next request. asked counts the requests since the last complete answer;
-- nudged counts the hints of #identity, and doubted those of bad signatures, since the last trusted
-- answer.

-- Adds an identity, unless it exists.
CREATE OR REPLACE FUNCTION add_identity(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE i CONSTANT identity := new_identity(one);
BEGIN
  INSERT INTO identity (did, key, ask, answered, problem)
  VALUES (i.did, i.key, i.ask, i.answered, i.problem) ON CONFLICT DO NOTHING;
END $$;

-- Adds identities for sources of labels, so that their keys are requested: for all that the table
-- labeler has, and for up to 100 others.
CREATE OR REPLACE FUNCTION add_label_sources(labels jsonb) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  known CONSTANT atid.did[] := ARRAY(SELECT i.did FROM identity AS i WHERE i.labeler);
  others CONSTANT bigint := (SELECT count(*) FROM unnest(known) AS k
                             WHERE NOT EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = k));
BEGIN
  INSERT INTO identity (did, labeler, key, ask, answered, problem)
  SELECT i.did, true, i.key, i.ask, i.answered, i.problem
  FROM (SELECT o.src, o.named, row_number() OVER (PARTITION BY o.named ORDER BY o.src) AS place
        FROM (SELECT DISTINCT s.src,
                     EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = s.src) AS named
              FROM jsonb_array_elements(labels) AS l
                   CROSS JOIN atid.did_or_null(l.value->>'src') AS s (src)
              WHERE octet_length(s.src::text) <= 512 AND s.src <> ALL (known)) AS o) AS n
       CROSS JOIN LATERAL new_identity(n.src) AS i
  WHERE n.named OR n.place <= 100 - others
  ORDER BY n.src
  ON CONFLICT (did) DO UPDATE SET labeler = true;
END $$;

-- Notes that an identity is no longer needed for its labels.
CREATE OR REPLACE FUNCTION release_label_source(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE identity AS i SET labeler = false WHERE i.did = one;
END $$;

-- Schedules a request for an identity, unless one is due earlier. answered_before: only if its last
-- answer is older than that; NULL: in any case. restart: its attempts count from zero.
CREATE OR REPLACE FUNCTION request_identity(
  one atid.did, at timestamptz, answered_before timestamptz DEFAULT NULL, restart bool DEFAULT false
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE identity AS i
  SET ask = least(i.ask, at), asked = CASE WHEN restart THEN 0 ELSE i.asked END
  WHERE i.did = one AND (answered_before IS NULL OR i.answered < answered_before);
END $$;

-- Processes a hint of the stream that an identity may have changed: an #identity or a bad
-- signature. Strangers can cause no more requests than the pauses of either kind allow; after the
-- first #identity the request is due at once.
CREATE OR REPLACE FUNCTION hint_identity(
  one atid.did, by_event bool, by_signature bool, at timestamptz
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE s settings;
BEGIN
  IF NOT by_event AND NOT by_signature THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  UPDATE identity AS i
  SET ask = least(i.ask,
        CASE WHEN by_event AND i.nudged > 2
          THEN greatest(at, add_interval(i.answered,
                                         backoff_delay(i.nudged, s.pause_first, s.pause_most)))
          WHEN by_event THEN at END,
        CASE WHEN by_signature
          THEN add_interval(i.answered, backoff_delay(greatest(i.doubted, 2), s.pause_first,
                                                      s.pause_most)) END),
      nudged = least(i.nudged + by_event::int, 20),
      doubted = least(i.doubted + by_signature::int, 20),
      asked = 0, wanted = at
  WHERE i.did = one AND (i.answered IS NOT NULL OR by_event AND i.asked = 0);
END $$;

-- Claims identities of one method and one kind, to request them. Those of the kind known had an
-- answer before; of the others, those of the kind new were never requested, and those of the kind
-- again have failed. So a failing identity never holds up a new one. Until there is an answer, a
-- claimed identity becomes due again, later each time. (The method is written as in the index,
-- which Citus also creates on its workers, where did_method() does not exist.)
--
-- Identities of did:web at busy domains are skipped. The next call continues after the place where
-- this one ended; a row whose asked is NULL only reports that place. No rows: this was the end;
-- start again from the beginning, with NULL.
CREATE OR REPLACE FUNCTION claim_identities(
  most int, kind text, method text, busy text[] DEFAULT '{}', after_ask timestamptz DEFAULT NULL,
  after_did text DEFAULT NULL
) RETURNS TABLE (did text, asked timestamptz, at timestamptz) LANGUAGE plpgsql
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
    WHERE CASE WHEN x.answered IS NOT NULL THEN 'known'
               WHEN x.asked = 0 THEN 'new' ELSE 'again' END = kind
      AND split_part(x.did::text, ':', 2) = method AND x.ask < 'infinity' AND x.ask <= moment
      AND (x.ask, x.did) > (coalesce(after_ask, '-infinity'),
                            coalesce(after_did, 'did:a:a')::atid.did)
    ORDER BY x.ask, x.did LIMIT 1000
  LOOP
    did := c.did;
    at := c.ask;
    asked := NULL;
    IF busy <> '{}' THEN
      domain := '.' || lower(split_part(split_part(did, ':', 3), '%', 1));
      CONTINUE WHEN EXISTS (SELECT 1 FROM unnest(busy) AS b
                            WHERE right(domain, length(b) + 1) = '.' || b);
    END IF;
    PERFORM FROM identity AS i WHERE i.did = c.did AND i.ask <= moment FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE identity AS i
    SET asked = i.asked + 1,
        ask = add_interval(moment, backoff_delay(i.asked, s.pause_first, s.pause_most))
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

-- Releases claimed identities that were not requested, because the directory fails or their domain
-- has no free place. They are due again so many seconds later, and the attempt does not count.
CREATE OR REPLACE FUNCTION release_identities(dids text[], seconds float8) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  PERFORM lock_batch_work();
  FOR one IN
    SELECT DISTINCT d FROM unnest(dids) AS u CROSS JOIN atid.did_or_null(u) AS d
    WHERE d IS NOT NULL ORDER BY d
  LOOP
    UPDATE identity AS i
    SET asked = greatest(i.asked - 1, 0),
        ask = least(i.ask, add_interval(now(), seconds * interval '1 s'))
    WHERE i.did = one;
  END LOOP;
END $$;

-- Records that there was no answer, or none that could be read. why is a code.
CREATE OR REPLACE FUNCTION fail_identity(account text, why text, more text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE identity AS i SET problem = clip_text(why, 256), detail = clip_text(more, 800)
  WHERE i.did = atid.did_or_null(account);
END $$;

-- Stores a verified log.
CREATE OR REPLACE FUNCTION store_identity_log(one atid.did, log jsonb) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE is_live CONSTANT bool := coalesce(account_mode(one) = 'live', false);
BEGIN
  UPDATE identity AS i
  SET log = CASE WHEN NOT is_live OR i.labeler THEN store_identity_log.log END,
      log_size = jsonb_array_length(store_identity_log.log)
  WHERE i.did = one;
END $$;

-- Stores an answer about an identity. was: its row before; is_complete: no newer answer is needed.
-- Then the next request is due after identity_age, give or take a tenth; for a live account, of
-- which there may be millions, only when a signature or the stream demands it. Requests that others
-- cause wait longer each time, unless one of them has brought a new key.
CREATE OR REPLACE FUNCTION store_identity(
  was identity, new_key text, new_handle text, new_pds text, why text, more text, is_complete bool
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  moment CONSTANT timestamptz := now();
  due timestamptz;
  is_trusted bool;
  is_live CONSTANT bool := NOT was.labeler AND coalesce(account_mode(was.did) = 'live', false);
BEGIN
  SELECT * INTO s FROM settings;
  due := CASE WHEN is_live THEN 'infinity'
              ELSE add_interval(moment, s.identity_age * (0.9 + 0.2 * random())) END;
  is_trusted := new_key <> was.key OR was.wanted IS NULL
                OR was.wanted < add_interval(moment, -s.identity_age);
  UPDATE identity AS x
  SET key = new_key, handle = new_handle, pds = new_pds, host = url_origin(new_pds),
      answered = moment, problem = why, detail = clip_text(more, 800),
      nudged = CASE WHEN is_trusted THEN 0 ELSE x.nudged END,
      doubted = CASE WHEN is_trusted THEN 0 ELSE x.doubted END,
      asked = CASE WHEN is_complete THEN 0 ELSE x.asked END,
      ask = CASE WHEN is_complete THEN due ELSE x.ask END
  WHERE x.did = was.did;
END $$;

-- The origin of an account's server. (On Citus, a function that is called in a query of a
-- distributed table may run on a worker, which lacks the tables of the coordinator.)
CREATE OR REPLACE FUNCTION find_host(one atid.did) RETURNS text LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE origin text;
BEGIN
  SELECT i.host INTO origin FROM identity AS i WHERE i.did = one;
  RETURN origin;
END $$;

CREATE OR REPLACE FUNCTION delete_identity(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM identity AS i WHERE i.did = one;
END $$;
