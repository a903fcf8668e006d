-- The endpoint of a PDS in its stored form: without a user name, and without a slash at its end.
-- NULL if it is invalid.
CREATE OR REPLACE FUNCTION clean_endpoint(url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(url) <= 512 AND url_origin(url) IS NOT NULL
         THEN clip_text(rtrim(regexp_replace(url, '^([A-Za-z]+://)[^/?#]*@', '\1'), '/'), 512) END;

-- Takes frames of an account that were only too early or too late out of the table bad. The last
-- one that the key has signed is processed again, as the tables may be older; for a live account
-- all are, as its repository is never loaded. one: NULL if there is no account.
CREATE OR REPLACE FUNCTION retry_signed_frames(
  one atid.did, digests bytea[], new_key text, is_live bool
)
RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  streams text[];
  frames bytea[];
  r record;
BEGIN
  SELECT array_agg(t.stream), array_agg(t.frame) INTO streams, frames FROM take_bad(digests) AS t;
  FOR r IN
    SELECT f.stream, atid.dag_cbor_get_text(h.body, '{seq}')::bigint AS seq, f.frame
    FROM unnest(streams, frames) AS f (stream, frame) CROSS JOIN atid.frame_parts(f.frame) AS h
    WHERE one IS NOT NULL AND atid.event_is_signed_by(f.frame, new_key)
    ORDER BY seq DESC LIMIT CASE WHEN NOT is_live THEN 1 END
  LOOP
    PERFORM add_waiting(r.stream, ARRAY[r.seq], ARRAY[one], ARRAY[r.frame]);
    PERFORM release_waiting(one);
  END LOOP;
END $$;

-- Is an account with this origin on another server than the PDS whose stream is followed? That is
-- the stream of repositories that was started last.
CREATE OR REPLACE FUNCTION has_moved(origin text) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE home text[];
BEGIN
  SELECT x.pds INTO home FROM stream AS x WHERE x.kind = 'repos' ORDER BY x.started DESC LIMIT 1;
  RETURN (coalesce(origin, '') <> ALL (home)) IS TRUE;
END $$;

-- Changes the state of an account, whose row is locked, as its identity demands. An account that
-- has a tombstone, or has left the PDS whose stream is followed, is barred, and its records are
-- deleted. One that has come back, or has another key, is loaded.
CREATE OR REPLACE FUNCTION apply_identity_to_account(
  a account, was identity, new_key text, new_host text, tombstone bool
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  reason CONSTANT text := CASE WHEN tombstone THEN 'tombstoned'
                               WHEN has_moved(new_host) THEN 'moved' END;
BEGIN
  IF reason IS NOT NULL THEN
    IF a.state <> 'barred' OR a.status <> reason THEN
      PERFORM deactivate_account(a, 'barred', reason);
    END IF;
  ELSIF a.state = 'live' AND new_key IS NOT NULL THEN
    NULL;                                            -- later frames are verified by the new key
  ELSIF a.state = 'barred'
        OR new_key IS DISTINCT FROM was.key AND (find_account_state(a.state)).follows_key THEN
    PERFORM clear_account_failures(a.did);
    PERFORM reactivate_account(a, CASE WHEN was.answered IS NULL THEN now()
                                       ELSE count_account_gap(a) END);
  END IF;
END $$;

-- Applies an answer about an identity to it and to its account. asked: when it was requested; keys:
-- the last keys that it had; why: why it has no key, in words. While the account is being loaded,
-- nothing changes, and the identity is requested again.
CREATE OR REPLACE FUNCTION apply_identity(
  account atid.did, new_key text, keys text[], new_handle text, new_pds text, tombstone bool,
  asked timestamptz, why text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  i identity;
  a account;
  signed bytea[];
  is_complete bool;
BEGIN
  SELECT * INTO i FROM identity AS x WHERE x.did = apply_identity.account FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  -- Finds the frames that one of the keys has signed before the row of the account is locked, as
  -- the stream waits for that row.
  signed := find_signed_bad(i.did, keys || new_key);
  IF is_account_loading(i.did) THEN
    PERFORM request_identity(i.did, add_interval(now(), s.not_sooner)) FROM settings AS s;
    RETURN;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = i.did FOR UPDATE;
  new_key := CASE WHEN atid.did_key_is_valid(new_key) THEN new_key END;
  new_pds := clean_endpoint(new_pds);
  PERFORM retry_signed_frames(a.did, signed, new_key,
                              coalesce(account_mode(i.did) = 'live', false));
  -- While other frames are too early, the answer may be older than they are.
  is_complete := asked >= coalesce(i.wanted, '-infinity')
                 AND (i.asked > 6 OR NOT has_early(i.did));
  IF is_complete THEN
    PERFORM end_early(i.did);
  END IF;
  PERFORM store_identity(i, new_key, new_handle, new_pds,
                         CASE WHEN new_key IS NULL AND NOT tombstone THEN 'no_key' END, why,
                         is_complete);
  IF a.did IS NOT NULL THEN
    PERFORM apply_identity_to_account(a, i, new_key, url_origin(new_pds), tombstone);
  END IF;
END $$;
