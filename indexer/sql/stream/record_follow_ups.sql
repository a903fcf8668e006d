-- The third step of process_frames(): records the consequences of the frames.
CREATE OR REPLACE FUNCTION record_follow_ups(stream text, frames bytea[]) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM enter_writers();
  PERFORM quarantine_frames(record_follow_ups.stream, frames);
  IF stream_kind(record_follow_ups.stream) = 'labels' THEN
    PERFORM store_frame_labels(record_follow_ups.stream, frames);
  ELSE
    PERFORM note_outdated_cursor(record_follow_ups.stream, frames);
    PERFORM add_signal_notices(frames);
  END IF;
  PERFORM add_frame_notices();
END $$;

-- Keeps bad frames, but at most most_early frames of each account that are only too early. A frame
-- that has waited is kept only if its account is live, as no repository is loaded for it.
CREATE OR REPLACE FUNCTION quarantine_frames(stream text, frames bytea[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM add_bad(quarantine_frames.stream,
                  array_agg(sha256(coalesce(f.frame, frames[f.n])) ORDER BY f.n),
                  array_agg(f.did ORDER BY f.n), array_agg(f.code ORDER BY f.n),
                  array_agg(f.reason ORDER BY f.n),
                  array_agg(coalesce(f.frame, frames[f.n]) ORDER BY f.n))
  FROM verified_frame AS f
  WHERE f.code IS NOT NULL AND NOT is_bad_full()
    AND (f.n > 0 OR f.code = 'strangers_full' OR EXISTS (SELECT 1 FROM known_account AS k
                            WHERE k.did = f.did AND k.state = 'live'))
  HAVING count(*) > 0;
END $$;

-- Notes that the server has no frames as old as the cursor: there is a gap, which
-- recheck_after_gap() handles.
CREATE OR REPLACE FUNCTION note_outdated_cursor(stream text, frames bytea[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM verified_frame AS f
                  CROSS JOIN atid.frame_parts(CASE WHEN f.t = '#info' THEN frames[f.n] END) AS p
             WHERE f.t = '#info'
               AND atid.dag_cbor_get_text(p.body, '{name}') = 'OutdatedCursor') THEN
    UPDATE stream AS x SET look = now(), looked = NULL WHERE x.name = note_outdated_cursor.stream;
  END IF;
END $$;

-- Adds notices of new accounts, identities to request, and accounts to check.
CREATE OR REPLACE FUNCTION add_frame_notices() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE of_key CONSTANT text[] := list_key_codes();
BEGIN
  PERFORM add_notices(array_agg(n.did), array_agg(n.what))
  FROM (SELECT DISTINCT f.did, w.what
        FROM verified_frame AS f
             CROSS JOIN LATERAL (SELECT CASE
               WHEN f.code IS NULL AND f.t IN ('#commit', '#sync', '#account') AND NOT f.here
               THEN 'met'
               WHEN f.code IS NULL AND f.t = '#identity' THEN 'identity'
               WHEN f.code IS NULL
                    AND (f.signed IS NULL AND f.t IN ('#commit', '#sync') OR f.moved)
                    OR f.signed IS FALSE AND (f.n > 0 OR f.code = ANY (of_key))
               THEN 'signature' END
             UNION ALL
             -- a frame that was refused without a signature may still have been a commit
             SELECT 'refused'
             WHERE f.t IN ('#commit', '#sync') AND f.here AND f.code <> ALL (of_key)
               AND (f.signed IS NOT TRUE OR f.rev IS NULL)) AS w (what)
        WHERE w.what IS NOT NULL AND f.did IS NOT NULL
          AND (w.what IN ('met', 'refused') OR f.met)) AS n
  HAVING count(*) > 0;
END $$;

-- Adds notices of unknown accounts that write a record of a collection that is a signal.
CREATE OR REPLACE FUNCTION add_signal_notices(frames bytea[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  signals CONSTANT text[] := ARRAY(SELECT w.value FROM want AS w WHERE w.what = 'signal');
BEGIN
  IF signals = '{}' OR wants_all_accounts() THEN RETURN; END IF;
  PERFORM add_notices(array_agg(n.did), array_fill('signal'::text, ARRAY[count(*)::int]),
                      array_agg(n.collection))
  FROM (SELECT DISTINCT ON (f.did) f.did, o.collection::text AS collection
        FROM verified_frame AS f
             CROSS JOIN atid.commit_event_ops(
               CASE WHEN (f.t IS NULL OR f.t = '#commit') AND f.code IS NULL AND NOT f.moved
                    THEN coalesce(f.frame, frames[f.n]) END) AS o
        WHERE o.action <> 'delete' AND o.collection = ANY (signals)
          AND octet_length(f.did::text) <= 512
          AND NOT EXISTS (SELECT 1 FROM want AS w
                          WHERE w.what = 'account' AND w.value = f.did::text)) AS n
  HAVING count(*) > 0;
END $$;

-- Stores the labels of the frames, except those about or by excluded accounts.
CREATE OR REPLACE FUNCTION store_frame_labels(stream text, frames bytea[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  parts jsonb[] := '{}';
  stored jsonb;
  r record;
BEGIN
  FOR r IN
    SELECT f.n, x.labels, x.lost FROM verified_frame AS f
           CROSS JOIN atid.frame_parts(CASE WHEN f.t = '#labels' AND f.code IS NULL
                                         THEN coalesce(f.frame, frames[f.n]) END) AS p
           CROSS JOIN labels_of(p.body) AS x
    WHERE f.t = '#labels' AND f.code IS NULL ORDER BY f.n
  LOOP
    parts := array_append(parts, r.labels);
    IF r.lost IS NOT NULL THEN
      PERFORM add_bad(store_frame_labels.stream, ARRAY[sha256(frames[r.n])], '{NULL}',
        '{lost_labels}', ARRAY[format('%s of its labels cannot be expressed as jsonb.', r.lost)],
        ARRAY[frames[r.n]]);
    END IF;
  END LOOP;
  SELECT jsonb_agg(e.label ORDER BY a.n, e.n) INTO stored
  FROM unnest(parts) WITH ORDINALITY AS a (labels, n)
       CROSS JOIN jsonb_array_elements(a.labels) WITH ORDINALITY AS e (label, n)
  WHERE NOT EXISTS (
    SELECT 1 FROM exclusion AS x
    WHERE x.did IN (atid.at_uri_did(atid.at_uri_from_subject_or_null(e.label->>'uri')),
                    atid.did_or_null(e.label->>'src')));
  IF stored IS NOT NULL THEN
    PERFORM add_label_sources(stored);
    PERFORM labels_take(stored);
    PERFORM note_labels(store_frame_labels.stream, jsonb_array_length(stored));
  END IF;
END $$;
