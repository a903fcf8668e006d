-- Follows the notices of the stream.

-- An index, a constraint or a trigger of the operator's refuses what is to be done with an account, one of many: the
-- server's log says so, and the others go on. What is the server's own trouble is raised again.
CREATE OR REPLACE FUNCTION report_skipped_account(one atid.did, state text, message text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF is_server_error(state) THEN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
  END IF;
  RAISE WARNING 'account % is left as it is: %', one, message;
END $$;

-- Follows what the stream has told, in the order of the accounts. Returns how much.
CREATE OR REPLACE FUNCTION process_notices(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  r record;
  n int := 0;
BEGIN
  SELECT * INTO s FROM settings;
  FOR r IN
    WITH taken AS (
      SELECT x.* FROM take_notices(most, false) AS x
    )
    SELECT did, bool_or(what = 'met') AS met, bool_or(what = 'identity') AS identity, bool_or(what = 'signature') AS signature,
           -- what was wanted when the stream told it may be wanted no more
           min(because) FILTER (WHERE what = 'signal' AND EXISTS (
             SELECT 1 FROM want AS w WHERE (w.what, w.value) = ('signal', taken.because))) AS signal,
           max(at) AS at, count(*) AS rows
    FROM taken GROUP BY did ORDER BY did
  LOOP
    n := n + r.rows;
    BEGIN
      IF r.signal IS NOT NULL AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = r.did) THEN
        INSERT INTO want (what, value, because) VALUES ('account', r.did::text, r.signal) ON CONFLICT DO NOTHING;
      END IF;
      IF r.met AND EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value IN ('*', r.did::text)) THEN
        PERFORM add_account(r.did);
      END IF;
      -- Others can cause no more requests than these pauses allow, one for #identity and one for bad
      -- signatures; the first comes at once.
      IF r.identity OR r.signature THEN
        UPDATE identity AS i
        SET ask = least(i.ask,
              CASE WHEN r.identity AND i.nudged > 2
                THEN greatest(r.at, add_interval(i.answered, backoff_delay(i.nudged, s.pause_first, s.pause_most)))
                WHEN r.identity THEN r.at END,
              CASE WHEN r.signature
                THEN add_interval(i.answered, backoff_delay(greatest(i.doubted, 2), s.pause_first, s.pause_most)) END),
            nudged = least(i.nudged + CASE WHEN r.identity THEN 1 ELSE 0 END, 20),
            doubted = least(i.doubted + CASE WHEN r.signature THEN 1 ELSE 0 END, 20),
            asked = 0, wanted = r.at
        WHERE i.did = r.did AND (i.answered IS NOT NULL OR r.identity AND i.asked = 0);
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM report_skipped_account(r.did, SQLSTATE, SQLERRM);
    END;
  END LOOP;
  RETURN n;
END $$;

-- Follows what was told of frames that were refused. It comes last, and waits for nobody: it locks accounts, of which
-- others may have some. Returns how much.
CREATE OR REPLACE FUNCTION process_refusals(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  r record;
  n int := 0;
BEGIN
  PERFORM enter_writers();  -- before an account is locked
  FOR r IN
    SELECT t.did, count(*) AS rows FROM take_notices(most, true) AS t GROUP BY t.did ORDER BY t.did
  LOOP
    n := n + r.rows;
    BEGIN
      IF NOT request_status_check(r.did) THEN
        PERFORM add_notices(ARRAY[r.did], '{refused}', again => true);
        n := n - 1;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM report_skipped_account(r.did, SQLSTATE, SQLERRM);
    END;
  END LOOP;
  RETURN n;
END $$;
