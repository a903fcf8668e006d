-- Who an account is, as it was asked for at a time; keys are the last ones that it has had. Where the key is another
-- one, the account is loaded again. While it is being loaded nothing changes: it is asked for again. One that has a
-- tombstone, or has left the PDS whose stream is followed, has no records. why: what is wrong if there is no key.
CREATE OR REPLACE FUNCTION apply_identity(
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
  PERFORM enter_writers();  -- before a row is locked
  SELECT * INTO s FROM settings;
  SELECT * INTO i FROM identity AS x WHERE x.did = apply_identity.account FOR UPDATE;
  IF i.did IS NULL THEN RETURN; END IF;
  -- Frames that one of the keys has signed. The stream waits for the account, so it is locked after that.
  late := find_signed_bad(apply_identity.account, keys || new_key);
  IF is_account_loading(apply_identity.account) THEN
    UPDATE identity AS x SET ask = least(x.ask, add_interval(moment, s.not_sooner)) WHERE x.did = apply_identity.account;
    RETURN;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = apply_identity.account FOR UPDATE;
  -- the stream of repositories that was started last is the one that is followed
  SELECT x.pds INTO home FROM stream AS x WHERE x.kind = 'repos' ORDER BY x.started DESC LIMIT 1;
  new_key := CASE WHEN atid.did_key_is_valid(new_key) THEN new_key END;
  new_pds := CASE WHEN octet_length(new_pds) <= 512 AND url_origin(new_pds) IS NOT NULL
    THEN clip_text(rtrim(regexp_replace(new_pds, '^([A-Za-z]+://)[^/?#]*@', '\1'), '/'), 512) END;
  new_host := url_origin(new_pds);

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
  enough := apply_identity.asked >= coalesce(i.wanted, '-infinity')
            AND (i.asked > 6 OR NOT has_early(apply_identity.account));
  IF enough THEN
    PERFORM end_early(apply_identity.account);
  END IF;

  -- Requests that others cause wait longer each time, unless they brought a new key.
  trusted := new_key <> i.key OR i.wanted IS NULL OR i.wanted < add_interval(moment, -s.identity_age);
  next := add_interval(moment, s.identity_age * (0.9 + 0.2 * random()));
  UPDATE identity AS x
  SET key = new_key, pds = new_pds, host = new_host, answered = moment, detail = clip_text(why, 800),
      problem = CASE WHEN new_key IS NULL AND NOT tombstone THEN 'no_key' END, handle = new_handle,
      asked = CASE WHEN enough THEN 0 ELSE x.asked END,
      nudged = CASE WHEN trusted THEN 0 ELSE x.nudged END, doubted = CASE WHEN trusted THEN 0 ELSE x.doubted END,
      ask = CASE WHEN enough THEN next ELSE x.ask END
  WHERE x.did = apply_identity.account;
  IF a.did IS NULL THEN RETURN; END IF;
  moved := (coalesce(new_host, '') <> ALL (home)) IS TRUE;
  ended := CASE WHEN tombstone THEN 'tombstoned' WHEN moved THEN 'moved' END;
  IF ended IS NOT NULL THEN
    IF a.state <> 'barred' OR a.status <> ended THEN
      PERFORM deactivate_account(a, 'barred', ended);
    END IF;
  ELSIF a.state = 'barred' OR new_key IS DISTINCT FROM i.key AND a.state <> 'inactive' THEN
    UPDATE account AS x SET failures = 0, older = 0, problem = NULL, detail = NULL WHERE x.did = a.did;
    PERFORM reactivate_account(a, CASE WHEN i.answered IS NULL THEN moment ELSE count_account_gap(a) END);
  END IF;
END $$;
