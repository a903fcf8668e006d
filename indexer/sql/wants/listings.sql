-- The server's lists of accounts, by their names in the view listing.

-- The next list to read, and how far it was read. A list that has failed waits for its next
-- attempt, and one that adds candidates waits while there are too many of these.
CREATE OR REPLACE FUNCTION next_listing(
  OUT of text, OUT at text, OUT asked timestamptz, OUT kind text, OUT value text
) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  SELECT l.name, l.listed, now(), l.kind, l.value INTO of, at, asked, kind, value
  FROM listing AS l
  WHERE l.listed IS NOT NULL AND (l.again IS NULL OR l.again <= now())
    AND NOT (l.refused AND are_candidates_full())
  ORDER BY random() LIMIT 1;
END $$;

-- The 64 smallest hashes of the accounts of a list, including one more page.
CREATE OR REPLACE FUNCTION smallest_hashes(hashes bigint[], repos jsonb) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT u.h
               FROM (SELECT unnest(hashes) UNION ALL
                     SELECT hashtextextended(l.did::text, 0) & 9223372036854775807
                     FROM listing_entries(repos) AS l) AS u (h)
               ORDER BY u.h LIMIT 64);
END $$;

-- Estimates the number of accounts from their smallest hashes: the closer these are to each other,
-- the more accounts there are.
CREATE OR REPLACE FUNCTION estimate_accounts(hashes bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN CASE WHEN cardinality(hashes) < 64 THEN cardinality(hashes)
            ELSE (63 * 2 ^ 63 / hashes[64])::bigint END;

-- Is a list endless? It has the same accounts again and again, or more entries than most_listed.
CREATE OR REPLACE FUNCTION is_listing_endless(w want) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN w.entries > 4 * estimate_accounts(w.smallest) + 10000
         OR w.entries > (SELECT s.most_listed FROM settings AS s);
END $$;

-- Stores a page of a list. at: the cursor of the page; next: that of the following page, NULL or ''
-- at the end. At the end of the list of all accounts, check_unlisted_accounts() has the server
-- queried about those that no page had. An endless list is read on, ever more slowly. If
-- there is no room for a page, it is requested again.
CREATE OR REPLACE FUNCTION store_listing_page(
  of text, at text, repos jsonb, next text, asked timestamptz
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w want;
  finds CONSTANT bool := (SELECT l.finds FROM listing AS l WHERE l.name = of);
BEGIN
  PERFORM lock_batch_work();
  IF finds AND are_wants_full() THEN
    PERFORM fail_listing(of, at, 'wants_full', NULL);
    RETURN;
  END IF;
  next := CASE WHEN next NOT IN ('', at) THEN next END;
  w := advance_listing(of, at, repos, next, asked);
  IF w.what IS NULL THEN RETURN; END IF;
  IF next IS NOT NULL AND is_listing_endless(w) THEN
    PERFORM fail_listing(of, next, 'endless', format('%s entries of about %s accounts', w.entries,
                                                     estimate_accounts(w.smallest)));
  ELSIF w.failing IS NOT NULL THEN
    PERFORM reset_listing(w);
  END IF;
  IF NOT finds THEN
    PERFORM apply_listing_page(repos, w.began, asked);
  ELSIF w.refused THEN
    PERFORM add_candidates(repos);
  ELSE
    PERFORM add_found_accounts(ARRAY(SELECT l.did FROM listing_entries(repos) AS l), w.value);
  END IF;
END $$;

-- The lists that cannot be read, or are endless, and what one can do.
CREATE OR REPLACE VIEW list_problems AS
SELECT w.what, w.value, w.failing AS since, w.failures, coalesce(c.words, w.problem) AS why,
       w.detail, w.again AS next,
       coalesce(c.of_list, 'report it to the server''s operator; '
                           'accounts after this page are not found') AS remedy,
       w.problem AS code, w.words
FROM listing AS w LEFT JOIN code AS c ON c.code = w.problem
WHERE (w.listed IS NOT NULL OR w.problem = 'wants_full') AND w.failing IS NOT NULL;

-- The entries of a page that name an account, each account once.
CREATE OR REPLACE FUNCTION listing_entries(repos jsonb) RETURNS TABLE (did atid.did, e jsonb)
LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY
  SELECT DISTINCT ON (d) d, x
  FROM jsonb_array_elements(repos) AS x CROSS JOIN atid.did_or_null(x->>'did') AS d
  WHERE octet_length(d::text) <= 512 ORDER BY d LIMIT 1000;
END $$;

-- Applies a page of the list of all accounts. start: when the list was begun; asked: when the page
-- was requested. If an index or a trigger of the operator refuses an account, each account is
-- applied alone.
CREATE OR REPLACE FUNCTION apply_listing_page(repos jsonb, start timestamptz, asked timestamptz)
RETURNS void LANGUAGE plpgsql
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
    PERFORM request_identity(r.did, add_interval(now(), spread_delay(r.did, s.spread)),
                             answered_before => coalesce(start, '-infinity'));
  END LOOP;
  FOR r IN SELECT * FROM listing_entries(repos) LOOP
    a := try_lock_account(r.did);
    CONTINUE WHEN a.did IS NULL;
    PERFORM apply_account_status(a, r.e->'active' IS DISTINCT FROM 'false', r.e->>'status',
                                 r.e->>'rev', asked);
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
