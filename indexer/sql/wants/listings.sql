-- Lists of accounts that the server has: of all accounts, and of those that have a signal.

-- The next list to read: of all accounts, '*', or of those that have a signal; with '*' before the signal it is the list
-- of all, of which each is then asked about. at is how far it was read. A list that failed waits for
-- its time, and one that adds candidates waits while there are too many of these.
CREATE OR REPLACE FUNCTION next_listing(OUT of text, OUT at text, OUT asked timestamptz) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  SELECT CASE WHEN w.refused THEN '*' || w.value ELSE w.value END, w.listed, now() INTO of, at, asked
  FROM want AS w WHERE w.listed IS NOT NULL AND (w.what = 'signal' OR w.value = '*') AND w.what <> 'collection'
    AND (w.again IS NULL OR w.again <= now()) AND NOT (w.refused AND are_candidates_full())
  ORDER BY random() LIMIT 1;
END $$;

-- The 64 smallest hashes of the accounts of a list, with those of one more page.
CREATE OR REPLACE FUNCTION smallest_hashes(hashes bigint[], repos jsonb) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT u.h
               FROM (SELECT unnest(hashes) UNION ALL
                     SELECT hashtextextended(l.did::text, 0) & 9223372036854775807 FROM listing_entries(repos) AS l) AS u (h)
               ORDER BY u.h LIMIT 64);
END $$;

-- About how many accounts have these smallest hashes: the closer these are to each other, the more there are.
CREATE OR REPLACE FUNCTION estimate_accounts(hashes bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN CASE WHEN cardinality(hashes) < 64 THEN cardinality(hashes) ELSE (63 * 2 ^ 63 / hashes[64])::bigint END;

-- A page of a list, the cursor that it is of, that of the next one (NULL: there is none), and when it was asked for. At
-- the end of the list of all accounts check_unlisted_accounts() asks about those that no page had. A list does not end if it has
-- the same accounts again and again, or more entries than most_listed: it is read on, ever more slowly.
-- A page for which there is no room among the candidates is not taken, and requested again.
CREATE OR REPLACE FUNCTION store_listing_page(of text, at text, repos jsonb, next text, asked timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w want;
  signal CONSTANT text := nullif(ltrim(of, '*'), '');
BEGIN
  PERFORM lock_batch_work();
  next := CASE WHEN next NOT IN ('', at) THEN next END;
  UPDATE want AS x
  SET listed = next, began = CASE WHEN at = '' THEN asked ELSE x.began END,
      seek = CASE WHEN next IS NULL AND signal IS NULL THEN 'did:a:a'::atid.did END,
      entries = CASE WHEN at = '' THEN 0 ELSE x.entries END + greatest((SELECT count(*) FROM listing_entries(repos) AS l), 1),
      smallest = smallest_hashes(CASE WHEN at = '' THEN '{}' ELSE x.smallest END, repos)
  WHERE x.what = CASE WHEN signal IS NULL THEN 'account' ELSE 'signal' END AND x.value = coalesce(signal, '*')
    AND x.listed = at AND x.refused = (signal IS NOT NULL AND starts_with(of, '*'))
    AND NOT (x.refused AND are_candidates_full())
  RETURNING x.* INTO w;
  IF NOT FOUND THEN RETURN; END IF;
  IF next IS NOT NULL AND (w.entries > 4 * estimate_accounts(w.smallest) + 10000
                           OR w.entries > (SELECT s.most_listed FROM settings AS s)) THEN
    PERFORM fail_listing(of, next, 'endless',
                        format('%s entries of about %s accounts', w.entries, estimate_accounts(w.smallest)));
  ELSIF w.failing IS NOT NULL THEN
    PERFORM reset_listing(w);
  END IF;
  IF signal IS NULL THEN
    PERFORM apply_listing_page(repos, w.began, asked);
  ELSIF w.refused THEN
    PERFORM add_candidates(repos);
  ELSE
    INSERT INTO want (what, value, because) SELECT 'account', l.did::text, signal FROM listing_entries(repos) AS l
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = l.did) ON CONFLICT DO NOTHING;
  END IF;
END $$;

-- A page of a list was not to be had, or not to be stored: it is requested again, later each time, up to five minutes,
-- or after as many seconds as its server asks for. why is a code.
CREATE OR REPLACE FUNCTION fail_listing(of text, at text, why text, more text, seconds float8 DEFAULT 0) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  signal CONSTANT text := nullif(ltrim(of, '*'), '');
BEGIN
  SELECT * INTO s FROM settings;
  UPDATE want AS w
  SET failing = coalesce(w.failing, now()), failures = least(w.failures + 1, 1000000),
      problem = clip_text(why, 256), detail = clip_text(more, 800),
      again = add_interval(now(), greatest(backoff_delay(w.failures, s.pause_first, least(s.pause_most, '5 min')),
                                    coalesce(seconds, 0) * interval '1 s'))
  WHERE w.what = CASE WHEN signal IS NULL THEN 'account' ELSE 'signal' END AND w.value = coalesce(signal, '*')
    AND w.listed = at;
END $$;

CREATE OR REPLACE FUNCTION reset_listing(w want) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE want AS x SET failing = NULL, failures = 0, problem = NULL, detail = NULL, again = NULL
  WHERE (x.what, x.value) = (w.what, w.value);
END $$;

-- The lists that cannot be read, or do not end, and what one can do.
CREATE OR REPLACE VIEW list_problems AS
SELECT w.what, w.value, w.failing AS since, w.failures, coalesce(c.words, w.problem) AS why, w.detail, w.again AS next,
       coalesce(c.of_list, 'report it to the server''s operator; accounts behind this page are not found') AS remedy,
       w.problem AS code
FROM want AS w LEFT JOIN code AS c ON c.code = w.problem
WHERE w.listed IS NOT NULL AND (w.what = 'signal' OR w.value = '*') AND w.what <> 'collection' AND w.failing IS NOT NULL;

-- The entries of a page that are of an account, each account once.
CREATE OR REPLACE FUNCTION listing_entries(repos jsonb) RETURNS TABLE (did atid.did, e jsonb) LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY
  SELECT DISTINCT ON (d) d, x FROM jsonb_array_elements(repos) AS x CROSS JOIN atid.did_or_null(x->>'did') AS d
  WHERE octet_length(d::text) <= 512 ORDER BY d LIMIT 1000;
END $$;

-- What the list of all accounts that was begun at a time says of those of a page, which was asked for at another time.
-- Where an index or a trigger of the operator's refuses one of them, each is taken for itself.
CREATE OR REPLACE FUNCTION apply_listing_page(repos jsonb, start timestamptz, asked timestamptz) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  r record;
  a account;
BEGIN
  SELECT * INTO s FROM settings;
  FOR r IN SELECT * FROM listing_entries(repos) LOOP
    PERFORM add_account(r.did);
    UPDATE identity SET ask = least(ask, add_interval(now(), spread_delay(did, s.spread)))
    WHERE did = r.did AND answered < start;
  END LOOP;
  FOR r IN SELECT * FROM listing_entries(repos) LOOP
    a := try_lock_account(r.did);
    CONTINUE WHEN a.did IS NULL;
    PERFORM apply_account_status(a, r.e->'active' IS DISTINCT FROM 'false', r.e->>'status', r.e->>'rev', asked);
  END LOOP;
EXCEPTION WHEN OTHERS THEN
  IF jsonb_array_length(repos) = 1 THEN
    PERFORM report_skipped_account(did, SQLSTATE, SQLERRM) FROM listing_entries(repos);
  ELSIF is_server_error(SQLSTATE) THEN
    RAISE;
  ELSE
    FOR r IN SELECT * FROM listing_entries(repos) LOOP
      PERFORM apply_listing_page(jsonb_build_array(r.e), start, asked);
    END LOOP;
  END IF;
END $$;

-- The server does not list the accounts that have a signal: all accounts are listed, and each is asked about. False: it
-- does not list all accounts either.
CREATE OR REPLACE FUNCTION mark_listing_unsupported(of text, why text) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE want AS w
  SET refused = true, listed = '', failing = NULL, failures = 0, problem = NULL, detail = NULL, again = NULL
  WHERE w.what = 'signal' AND w.value = of AND NOT w.refused;
  RETURN FOUND;
END $$;
