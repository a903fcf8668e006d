-- Candidates: accounts that may have a signal, if the server does not list the accounts that have
-- it. The server is queried about each. Only the functions in this file write the table.
--
-- Its bound is most_candidates: while there are more, the list of all accounts is not read on for a
-- signal, so that no account is left out.

CREATE OR REPLACE FUNCTION are_candidates_full() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE most CONSTANT int := (SELECT s.most_candidates FROM settings AS s);
BEGIN
  RETURN (SELECT count(*) FROM (SELECT 1 FROM candidate LIMIT most) AS c) >= most;
END $$;

-- Adds the accounts of a page, except those that are already wanted.
CREATE OR REPLACE FUNCTION add_candidates(repos jsonb) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM enter_writers();
  INSERT INTO candidate (did) SELECT l.did FROM listing_entries(repos) AS l
  WHERE NOT EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = l.did::text)
    AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = l.did)
  ON CONFLICT DO NOTHING;
END $$;

-- Claims candidates to query the server about. Until there is an answer, they become due again,
-- later each time; after eight attempts they are deleted.
CREATE OR REPLACE FUNCTION claim_candidates(most int) RETURNS TABLE (did text) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE s settings;
BEGIN
  SELECT * INTO s FROM settings;
  DELETE FROM candidate WHERE asked > 8;
  RETURN QUERY
  UPDATE candidate AS c
  SET asked = c.asked + 1,
      ask = add_interval(now(), backoff_delay(c.asked + 2, s.pause_first, s.pause_most))
  WHERE c.did = ANY (ARRAY(SELECT x.did FROM candidate AS x WHERE x.ask <= now()
                           ORDER BY x.ask LIMIT most FOR UPDATE SKIP LOCKED))
  RETURNING c.did::text;
END $$;

-- Does not count this query about a candidate; the next one is due in an hour.
CREATE OR REPLACE FUNCTION postpone_candidate(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE candidate AS c SET asked = 0, ask = add_interval(now(), interval '1 hour')
  WHERE c.did = one;
END $$;

-- Processes the answer about a candidate, its collections: the account is wanted if one of them is
-- a signal, and stays a candidate while the table want is full. NULL: the server describes no
-- accounts at all.
CREATE OR REPLACE FUNCTION finish_candidate(account text, collections text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  one CONSTANT atid.did := CASE WHEN octet_length(account) <= 512
                             THEN atid.did_or_null(account) END;
  signal CONSTANT text := (SELECT min(w.value) FROM want AS w
                           WHERE w.what = 'signal' AND w.value = ANY (collections));
BEGIN
  IF collections IS NULL THEN
    PERFORM postpone_candidate(one);
    RETURN;
  END IF;
  PERFORM FROM candidate AS c WHERE c.did = one FOR UPDATE;
  PERFORM enter_writers();
  IF signal IS NULL OR one IS NULL OR add_found_accounts(ARRAY[one], signal) THEN
    PERFORM delete_candidate(one);
  ELSE
    PERFORM postpone_candidate(one);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION delete_candidate(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM candidate AS c WHERE c.did = one;
END $$;

-- The number of candidates, counted up to 10,000.
CREATE OR REPLACE FUNCTION count_candidates() RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT count(*) FROM (SELECT 1 FROM candidate LIMIT 10000) AS c);
END $$;
