-- Deactivates and reactivates accounts.

-- Makes an account, whose row is locked, inactive or barred, and deletes its records. So that the
-- stream does not wait for more than 200 of them, the rest is left to reconcile_wants(), which
-- processes accounts with wants = -1 first.
CREATE OR REPLACE FUNCTION deactivate_account(a account, next text, why text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM set_account_state(a, next,
                            why => coalesce(nullif(clip_text(why, 64), ''), 'unknown'));
  PERFORM cancel_status_check(a.did);
  IF delete_records(a.did, '{}', 200) = 200 THEN
    PERFORM store_account_wants(a.did, -1);
  END IF;
END $$;

-- Reactivates an account, whose row is locked: it is loaded at a time, or its commits are stored
-- from now on; if its key is not known, it is identified first. Its records of the other mode are
-- deleted, and for a live account also those that reconcile_wants() was still to delete.
CREATE OR REPLACE FUNCTION reactivate_account(a account, at timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE mode CONSTANT text := account_mode(a.did);
BEGIN
  IF EXISTS (SELECT 1 FROM identity AS i WHERE i.did = a.did AND i.key IS NOT NULL) THEN
    PERFORM delete_other_mode(a.did, mode);
    IF mode = 'live' THEN
      IF a.wants < 0 THEN
        PERFORM delete_records(a.did, '{}');
        PERFORM store_account_wants(a.did, w.n) FROM wants AS w;
      END IF;
      PERFORM set_account_state(a, 'live');
    ELSE
      PERFORM set_account_state(a, 'desynchronized', at);
    END IF;
  ELSE
    PERFORM set_account_state(a, 'unidentified');
  END IF;
END $$;

-- Counts a load of an account, whose row is locked, that was reactivated or has another key.
-- Returns when the load is due: at once, as after a gap, for the first most_gaps loads of a day;
-- then later each time.
CREATE OR REPLACE FUNCTION count_account_gap(a account) RETURNS timestamptz LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  n CONSTANT int := CASE WHEN a.gap_at > add_interval(now(), -interval '1 day')
                      THEN a.gaps ELSE 0 END;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM store_account_gap(a.did, n);
  RETURN CASE WHEN n < s.most_gaps THEN now()
              ELSE add_interval(now(), backoff_delay(n, s.pause_first, s.pause_most)) END;
END $$;
