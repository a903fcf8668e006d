-- Identities: whom to ask for, and what the answers change. An account's PLC log or DID document says which key signs its
-- commits, on which server it is, and by which handle it calls itself.

-- Identities to ask for, of did:web or of did:plc, and of one kind: known are those that had an answer before; of the
-- others new ones were never asked for, and the rest, again, have failed. So nobody who fails stands before who is new.
-- They come again, later each time, until there is an answer.
--
-- Of did:web, those of busy domains are passed over. The next call goes on behind the place where this one ended: a row
-- whose asked is NULL only says how far it has looked. No row: the end; go on from the beginning, NULL.
CREATE OR REPLACE FUNCTION ask(
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
    UPDATE identity AS i SET asked = i.asked + 1, ask = later(moment, pause(i.asked, s.pause_first, s.pause_most))
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
CREATE OR REPLACE FUNCTION unask(dids text[], seconds float8) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE one atid.did;
BEGIN
  PERFORM one_of_many();
  FOR one IN SELECT DISTINCT d FROM unnest(dids) AS u CROSS JOIN atid.did_or_null(u) AS d WHERE d IS NOT NULL ORDER BY d LOOP
    UPDATE identity AS i SET asked = greatest(i.asked - 1, 0), ask = least(i.ask, later(now(), seconds * interval '1 s'))
    WHERE i.did = one;
  END LOOP;
END $$;

-- There was no answer, or none that could be read. why is a code.
CREATE OR REPLACE FUNCTION not_identified(account text, why text, more text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE identity AS i SET problem = clipped(why, 256), detail = clipped(more, 800) WHERE i.did = atid.did_or_null(account);
END $$;

-- The DID document that an operation of a PLC log stands for, as the directory renders it. data: of plc_log_history().
CREATE OR REPLACE FUNCTION plc_document(account text, data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE
RETURN jsonb_build_object('id', account, 'alsoKnownAs', data->'alsoKnownAs',
  'verificationMethod', (
    SELECT jsonb_agg(jsonb_build_object('id', '#' || m.key, 'type', 'Multikey', 'controller', account,
                                        'publicKeyMultibase', substring(m.value #>> '{}' FROM '^did:key:(.*)$')))
    FROM jsonb_each(data->'verificationMethods') AS m),
  'service', (
    SELECT jsonb_agg(jsonb_build_object('id', '#' || x.key, 'type', x.value->'type',
                                        'serviceEndpoint', x.value->'endpoint'))
    FROM jsonb_each(data->'services') AS x));

-- Who an account is by its DID document, whatever its method: the first valid key, the first valid handle and the
-- first valid endpoint of a PDS, each NULL if there is none. detail: why there is no valid key, of the last candidate.
CREATE OR REPLACE FUNCTION identity_of(
  account text, document jsonb, OUT key text, OUT handle text, OUT pds text, OUT detail text
) LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE m jsonb;
BEGIN
  FOR m IN
    SELECT x FROM jsonb_path_query(document, 'strict $.verificationMethod[*]', silent => true) AS x
    WHERE x->>'id' IN ('#atproto', account || '#atproto') AND x->>'controller' = account
  LOOP
    BEGIN
      key := atid.did_key_from_multibase(m->>'type', m->>'publicKeyMultibase');
    EXCEPTION WHEN data_exception OR feature_not_supported THEN
      GET STACKED DIAGNOSTICS detail = MESSAGE_TEXT;
    END;
    EXIT WHEN key IS NOT NULL;
  END LOOP;
  handle := lower((
    SELECT substr(x.name #>> '{}', 6)
    FROM jsonb_path_query(document, 'strict $.alsoKnownAs[*] ? (@.type() == "string" && @ starts with "at://")',
                          silent => true) WITH ORDINALITY AS x (name, n)
    WHERE atid.handle_is_valid(substr(x.name #>> '{}', 6)) ORDER BY x.n LIMIT 1) COLLATE "C");
  pds := (
    SELECT x.service->>'serviceEndpoint'
    FROM jsonb_path_query(document, 'strict $.service[*]', silent => true) WITH ORDINALITY AS x (service, n)
    WHERE x.service->>'id' IN ('#atproto_pds', account || '#atproto_pds')
      AND x.service->>'type' = 'AtprotoPersonalDataServer' AND jsonb_typeof(x.service->'serviceEndpoint') = 'string'
      AND octet_length(x.service->>'serviceEndpoint') <= 512 AND origin(x.service->>'serviceEndpoint') IS NOT NULL
    ORDER BY x.n LIMIT 1);
  detail := CASE WHEN key IS NULL THEN detail END;
END $$;

-- Who an account is, as it was asked for at a time; keys are the last ones that it has had. Where the key is another
-- one, the account is loaded again. While it is being loaded nothing changes: it is asked for again. One that has a
-- tombstone, or has left the PDS whose stream is followed, has no records. why: what is wrong if there is no key.
CREATE OR REPLACE FUNCTION know(
  account atid.did, new_key text, keys text[], new_handle text, new_pds text, tombstone bool, asked timestamptz,
  why text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  i identity;
  a account;
  home text[];
  moved bool;
  ended text;
  enough bool;
  trusted bool;
  new_host text;
  moment CONSTANT timestamptz := now();
  next timestamptz;
  late bytea[];
  streams text[];
  frames bytea[];
  last record;
BEGIN
  PERFORM writes();  -- before a row is locked
  SELECT * INTO s FROM settings;
  SELECT * INTO i FROM identity AS x WHERE x.did = know.account FOR UPDATE;
  IF i.did IS NULL THEN RETURN; END IF;
  -- Frames that one of the keys has signed. The stream waits for the account, so it is locked after that.
  late := find_signed_bad(know.account, keys || new_key);
  IF is_being_loaded(know.account) THEN
    UPDATE identity AS x SET ask = least(x.ask, later(moment, s.not_sooner)) WHERE x.did = know.account;
    RETURN;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = know.account FOR UPDATE;
  -- the stream of repositories that was started last is the one that is followed
  SELECT x.pds INTO home FROM stream AS x WHERE x.kind = 'repos' ORDER BY x.started DESC LIMIT 1;
  new_key := CASE WHEN atid.did_key_is_valid(new_key) THEN new_key END;
  new_pds := CASE WHEN octet_length(new_pds) <= 512 AND origin(new_pds) IS NOT NULL
    THEN clipped(rtrim(regexp_replace(new_pds, '^([A-Za-z]+://)[^/?#]*@', '\1'), '/'), 512) END;
  new_host := origin(new_pds);

  -- Frames that were only too early or too late are not bad. The last of them that the key has signed is taken again:
  -- what is there may be older. While others are left, the answer may be older than they are.
  SELECT array_agg(t.stream), array_agg(t.frame) INTO streams, frames FROM take_bad(late) AS t;
  SELECT f.stream, atid.dag_cbor_get_text(h.body, '{seq}')::bigint AS seq, f.frame INTO last
  FROM unnest(streams, frames) AS f (stream, frame) CROSS JOIN atid.frame_parts(f.frame) AS h
  WHERE a.did IS NOT NULL AND atid.event_is_signed_by(f.frame, new_key)
  ORDER BY seq DESC LIMIT 1;
  IF FOUND THEN
    PERFORM add_waiting(last.stream, ARRAY[last.seq], ARRAY[a.did], ARRAY[last.frame]);
  END IF;
  enough := know.asked >= coalesce(i.wanted, '-infinity')
            AND (i.asked > 6 OR NOT has_early(know.account));
  IF enough THEN
    PERFORM end_early(know.account);
  END IF;

  -- Requests that others cause wait longer each time, unless they brought a new key.
  trusted := new_key <> i.key OR i.wanted IS NULL OR i.wanted < later(moment, -s.identity_age);
  next := later(moment, s.identity_age * (0.9 + 0.2 * random()));
  UPDATE identity AS x
  SET key = new_key, pds = new_pds, host = new_host, answered = moment, detail = clipped(why, 800),
      problem = CASE WHEN new_key IS NULL AND NOT tombstone THEN 'no_key' END, handle = new_handle,
      asked = CASE WHEN enough THEN 0 ELSE x.asked END,
      nudged = CASE WHEN trusted THEN 0 ELSE x.nudged END, doubted = CASE WHEN trusted THEN 0 ELSE x.doubted END,
      ask = CASE WHEN enough THEN next ELSE x.ask END
  WHERE x.did = know.account;
  IF a.did IS NULL THEN RETURN; END IF;
  moved := (coalesce(new_host, '') <> ALL (home)) IS TRUE;
  ended := CASE WHEN tombstone THEN 'tombstoned' WHEN moved THEN 'moved' END;
  IF ended IS NOT NULL THEN
    IF a.state <> 'barred' OR a.status <> ended THEN
      PERFORM silence(a, 'barred', ended);
    END IF;
  ELSIF a.state = 'barred' OR new_key IS DISTINCT FROM i.key AND a.state <> 'inactive' THEN
    UPDATE account AS x SET failures = 0, older = 0, problem = NULL, detail = NULL WHERE x.did = a.did;
    PERFORM revive(a, CASE WHEN i.answered IS NULL THEN moment ELSE count_gap(a) END);
  END IF;
END $$;

-- An account's log, as the directory's /log/audit has it. Returns NULL, or why it was not taken.
CREATE OR REPLACE FUNCTION identify(account text, log jsonb, asked timestamptz) RETURNS text LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  i identity;
  h record;
  d record;
  why text;
  again jsonb;
BEGIN
  SELECT * INTO i FROM identity WHERE did = atid.did_or_null(account) FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  why := coalesce(atid.plc_log_problem(log),
    CASE WHEN log->0->>'did' IS DISTINCT FROM account THEN 'The log must be that of the account.'
         WHEN jsonb_array_length(log) < jsonb_array_length(i.log) THEN 'The log must not be shorter than it was.' END);
  IF why IS NOT NULL THEN
    PERFORM not_identified(account, 'invalid', why);
    RETURN why;
  END IF;
  SELECT * INTO h FROM atid.plc_log_history(log) AS x WHERE x.valid_to IS NULL;
  UPDATE identity SET log = identify.log WHERE did = i.did;
  SELECT * INTO d FROM identity_of(account, plc_document(account, h.data));
  PERFORM know(i.did, d.key,
    ARRAY(SELECT k.key FROM atid.plc_log_keys(log) AS k WHERE k.id = 'atproto'
          GROUP BY k.key ORDER BY max(k.valid_from) DESC LIMIT 8), d.handle, d.pds, h.data IS NULL, asked, d.detail);
  PERFORM label_keys_take(i.did, log);
  -- Labels that came before the key, some at a time: anybody can make some.
  WHILE i.answered IS NULL LOOP
    PERFORM writes();  -- some may be about an account that is being forgotten
    again := take_labels_refused(account, 10000);
    EXIT WHEN again IS NULL;
    PERFORM labels_take(again);
  END LOOP;
  RETURN NULL;
END $$;

-- An account's DID document, as https://its.domain/.well-known/did.json has it. Returns NULL, or why it was not taken.
CREATE OR REPLACE FUNCTION identify_web(account text, document jsonb, asked timestamptz) RETURNS text
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  d record;
  why CONSTANT text := 'The document must be that of the account.';
BEGIN
  IF jsonb_typeof(document) IS DISTINCT FROM 'object' OR document->>'id' IS DISTINCT FROM account OR me IS NULL THEN
    PERFORM not_identified(account, 'invalid', why);
    RETURN why;
  END IF;
  SELECT * INTO d FROM identity_of(account, document);
  PERFORM know(me, d.key, ARRAY[d.key], d.handle, d.pds, false, asked, d.detail);
  RETURN NULL;
END $$;
