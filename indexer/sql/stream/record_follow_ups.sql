-- The third step of process_frames(): what follows from the frames.

-- What follows. Bad frames are kept; those that are only too early are no more than most_early of an account. New
-- accounts, identities to ask for, signals and gaps are noted for reconcile_wants() and recheck_after_gap().
CREATE OR REPLACE FUNCTION record_follow_ups(stream text, frames bytea[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  of_labels CONSTANT bool := (SELECT x.kind = 'labels' FROM stream AS x WHERE x.name = record_follow_ups.stream);
  all_wanted CONSTANT bool := wants_all_accounts();
  signals CONSTANT text[] := ARRAY(SELECT value FROM want WHERE what = 'signal');
  labels jsonb;
  came jsonb[] := '{}';
  known atid.did[];
  r record;
BEGIN
  PERFORM enter_writers();
  PERFORM add_bad(record_follow_ups.stream, array_agg(sha256(frames[b.n]) ORDER BY b.n),
                  array_agg(b.did ORDER BY b.n), array_agg(b.code ORDER BY b.n),
                  array_agg(b.reason ORDER BY b.n), array_agg(frames[b.n] ORDER BY b.n))
  FROM batch AS b WHERE b.code IS NOT NULL AND b.n > 0 AND NOT is_bad_full()
  HAVING count(*) > 0;

  IF NOT of_labels AND EXISTS (SELECT 1 FROM batch AS b CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#info' THEN frames[b.n] END) AS h
                               WHERE b.t = '#info' AND atid.dag_cbor_get_text(h.body, '{name}') = 'OutdatedCursor') THEN
    UPDATE stream AS x SET look = now(), looked = NULL WHERE x.name = record_follow_ups.stream;
  END IF;

  PERFORM add_notices(array_agg(n.did), array_agg(n.what))
  FROM (SELECT DISTINCT b.did, w.what
        FROM batch AS b
             CROSS JOIN LATERAL (SELECT CASE
               WHEN b.code IS NULL AND b.t IN ('#commit', '#sync', '#account') AND NOT b.here THEN 'met'
               WHEN b.code IS NULL AND b.t = '#identity' THEN 'identity'
               WHEN b.code IS NULL
                    AND (b.signed IS NULL AND b.t IN ('#commit', '#sync') OR b.moved)
                    OR b.signed IS FALSE AND b.n > 0 THEN 'signature' END
             UNION ALL
             -- a frame that was refused without its signature may have been a commit all the same
             SELECT 'refused'
             WHERE b.t IN ('#commit', '#sync') AND b.here AND b.code <> 'unknown_key'
               AND (b.signed IS NOT TRUE OR b.rev IS NULL)) AS w (what)
        WHERE w.what IS NOT NULL AND b.did IS NOT NULL
          AND (w.what IN ('met', 'refused') OR b.met)) AS n
  HAVING count(*) > 0;
  IF signals <> '{}' AND NOT of_labels AND NOT all_wanted THEN
    PERFORM add_notices(array_agg(n.did), array_fill('signal'::text, ARRAY[count(*)::int]),
                        array_agg(n.collection))
    FROM (SELECT DISTINCT ON (b.did) b.did, o.collection::text AS collection
          FROM batch AS b
               CROSS JOIN atid.commit_event_ops(
                 CASE WHEN b.t IS NULL AND b.code IS NULL AND NOT b.moved
                      THEN coalesce(b.frame, frames[b.n]) END) AS o
          WHERE o.action <> 'delete' AND o.collection = ANY (signals)
            AND octet_length(b.did::text) <= 512) AS n
    HAVING count(*) > 0;
  END IF;

  -- The keys of those in the table labeler are asked for, and of up to 100 others.
  IF of_labels THEN
    FOR r IN
      SELECT b.n, x.labels, x.lost FROM batch AS b
             CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#labels' AND b.code IS NULL THEN coalesce(b.frame, frames[b.n]) END) AS h
             CROSS JOIN labels_of(h.body) AS x
      WHERE b.t = '#labels' AND b.code IS NULL ORDER BY b.n
    LOOP
      came := array_append(came, r.labels);
      IF r.lost IS NOT NULL THEN
        PERFORM add_bad(record_follow_ups.stream, ARRAY[sha256(frames[r.n])], '{NULL}', '{lost_labels}',
          ARRAY[format('%s of its labels cannot be expressed as jsonb.', r.lost)],
          ARRAY[frames[r.n]]);
      END IF;
    END LOOP;
    SELECT jsonb_agg(l ORDER BY a.n, e.n) INTO labels
    FROM unnest(came) WITH ORDINALITY AS a (x, n) CROSS JOIN jsonb_array_elements(a.x) WITH ORDINALITY AS e (l, n)
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x
                      WHERE x.did IN (atid.at_uri_did(atid.at_uri_from_subject_or_null(l->>'uri')), atid.did_or_null(l->>'src')));
    IF labels IS NOT NULL THEN
      known := ARRAY(SELECT did FROM identity WHERE labeler);
      INSERT INTO identity (did, labeler, web)
      SELECT n.src, true, did_method(n.src) = 'web'
      FROM (SELECT o.src, o.named, row_number() OVER (PARTITION BY o.named ORDER BY o.src) AS place
            FROM (SELECT DISTINCT src, EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = src) AS named
                  FROM jsonb_array_elements(labels) AS l CROSS JOIN atid.did_or_null(l->>'src') AS src
                  WHERE octet_length(src::text) <= 512 AND src <> ALL (known)) AS o) AS n
      WHERE n.named OR n.place <= 100 - (SELECT count(*) FROM unnest(known) AS k
                                         WHERE NOT EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = k))
      ON CONFLICT (did) DO UPDATE SET labeler = true;
      PERFORM labels_take(labels);
      PERFORM note_labels(record_follow_ups.stream, jsonb_array_length(labels));
    END IF;
  END IF;
END $$;
