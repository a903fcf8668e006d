-- What is wanted: accounts, collections, and signals by which accounts are found. The operator changes the table want;
-- settle() follows, some accounts at a time.

CREATE OR REPLACE FUNCTION want_changed() RETURNS trigger LANGUAGE plpgsql
SET search_path = indexer, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO unsettled SELECT atid.did_or_null(OLD.value) WHERE OLD.what = 'account' AND OLD.value <> '*';
    DELETE FROM want WHERE OLD.what = 'signal' AND what = 'account' AND because = OLD.value;
    UPDATE wants SET n = n + 1 WHERE OLD.value = '*' OR OLD.what = 'collection';
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO unsettled SELECT atid.did_or_null(NEW.value) WHERE NEW.what = 'account' AND NEW.value <> '*';
    UPDATE wants SET n = n + 1, loads = n + 1 WHERE NEW.what = 'collection';
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER want_changed AFTER INSERT OR DELETE OR UPDATE OF what, value ON want
FOR EACH ROW EXECUTE FUNCTION want_changed();

-- The wanted collections, as patterns for LIKE.
CREATE OR REPLACE FUNCTION patterns() RETURNS text[] LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT replace(value, '*', '%') FROM want WHERE what = 'collection');
END $$;

CREATE OR REPLACE FUNCTION everybody() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM want WHERE what = 'account' AND value = '*');
END $$;

-- Functions that lock several accounts or identities do it one after the other, by this lock. take() does not need it:
-- it locks accounts only, in the order of their DIDs, as all others do.
CREATE OR REPLACE FUNCTION one_of_many() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  LOCK TABLE lock_of_many IN EXCLUSIVE MODE;
END $$;

-- Follows notices, and then the table want: some accounts that were added or taken out, and some of those whose records
-- are of older wants. The latter wait while 1,000 are to be loaded, or records of silenced accounts are to go. These go
-- in steps of 5,000, as the stream waits for the row of such an account. Accounts that an index, a constraint or a
-- trigger of the operator's refuses to change are tried again later; where there are 1,000 of them, only they are.
-- Returns how much was done.
CREATE OR REPLACE FUNCTION settle(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w wants;
  a account;
  one atid.did;
  wanted text[];
  moment CONSTANT timestamptz := now();
  dids atid.did[];
  again atid.did[] := '{}';
  refused text[];                                    -- accounts that wait; as text for Citus, as in apply()
  room int := 5000;                                  -- records that go in this step
  done int;
BEGIN
  PERFORM one_of_many();
  done := heed(50 * most);
  SELECT * INTO w FROM wants;
  WITH gone AS (
    DELETE FROM unsettled AS u
    WHERE u.ctid = ANY (ARRAY(SELECT x.ctid FROM unsettled AS x WHERE x.failures = 0 LIMIT most)) RETURNING u.did
  )
  SELECT array_agg(did) INTO dids FROM gone;
  dids := dids || ARRAY(SELECT u.did FROM unsettled AS u WHERE u.failures > 0 AND u.again <= moment ORDER BY u.again LIMIT most);
  refused := ARRAY(SELECT u.did::text FROM unsettled AS u WHERE u.failures > 0 ORDER BY u.again LIMIT 1000);
  dids := dids || ARRAY(
    SELECT did FROM account
    WHERE wants < CASE WHEN EXISTS (SELECT 1 FROM account AS x WHERE x.wants < 0 AND x.state <> 'loading')
                            OR (SELECT count(*) FROM (SELECT 1 FROM account AS x WHERE x.state = 'desynchronized'
                                                        AND x.load_at <= moment LIMIT 1000) AS d)
                               >= 1000 THEN 0 ELSE w.n END
      AND state <> 'loading' AND did::text <> ALL (refused) AND cardinality(refused) < 1000
    ORDER BY wants LIMIT most);
  wanted := patterns();
  FOR one IN SELECT DISTINCT did FROM unnest(dids) AS did WHERE did IS NOT NULL ORDER BY did LOOP
    a := NULL;
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM want WHERE what = 'account' AND value IN ('*', one::text))
         OR EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = one) THEN
        IF NOT remove(one) THEN
          again := again || one;
        END IF;
        CONTINUE;
      END IF;
      PERFORM meet(one);
      a := grasp(one);
      CONTINUE WHEN a.did IS NULL OR a.wants >= w.n OR a.state = 'loading' OR a.wants < 0 AND room = 0;
      IF a.wants < 0 AND a.state <> 'desynchronized' THEN
        room := room - clear(one, '{}', room);
        CONTINUE WHEN room = 0;
      ELSE
        PERFORM clear(one, wanted);
      END IF;
      UPDATE account SET wants = w.n WHERE did = one;
      IF a.wants < w.loads AND a.state = 'synchronized' THEN
        PERFORM become(a, 'desynchronized', moment);
      ELSIF a.wants < w.loads AND a.state = 'desynchronized' AND a.load_at > moment AND a.rev IS NOT NULL THEN
        UPDATE account SET load_at = moment WHERE did = one;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM passed_over(one, SQLSTATE, SQLERRM);
      PERFORM leave_unsettled(one, a.wants, w.n, SQLERRM);
    END;
  END LOOP;
  DELETE FROM unsettled AS u WHERE u.failures > 0 AND u.again <= moment AND u.did = ANY (dids);
  INSERT INTO unsettled (did) SELECT u FROM unnest(again) AS u;
  done := done + heed_refused(50 * most);
  RETURN done + coalesce(cardinality(dids), 0) - cardinality(again);
END $$;

-- An account that settle() could not change counts as changed, so that the others get their turn. If not even that can
-- be written, or the account could not be added, it is tried again, later each time.
CREATE OR REPLACE FUNCTION leave_unsettled(one atid.did, old_wants int, new_wants int, message text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  left_as_it_is bool := false;
BEGIN
  BEGIN
    UPDATE account AS a
    SET wants = new_wants, problem = CASE WHEN old_wants < 0 THEN 'not_written' ELSE a.problem END,
        detail = CASE WHEN old_wants < 0 THEN clipped(message, 800) ELSE a.detail END
    WHERE a.did = one;
    left_as_it_is := FOUND;
  EXCEPTION WHEN OTHERS THEN
    PERFORM passed_over(one, SQLSTATE, SQLERRM);
  END;
  IF left_as_it_is THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  UPDATE unsettled AS u
  SET failures = least(u.failures + 1, 20), detail = clipped(message, 800),
      again = later(now(), pause(u.failures + 4, s.pause_first, s.pause_most))
  WHERE u.did = one AND u.failures > 0;
  IF NOT FOUND THEN
    INSERT INTO unsettled (did, failures, detail, again)
    VALUES (one, 1, clipped(message, 800), later(now(), pause(4, s.pause_first, s.pause_most)));
  END IF;
END $$;

-- The next list to read: of all accounts, '*', or of those that have a signal; with '*' before the signal it is the list
-- of all, of which each is then asked about. at is how far it was read. A list that failed waits for
-- its time, and one that adds candidates waits while there are too many of these.
CREATE OR REPLACE FUNCTION next_list(OUT of text, OUT at text, OUT asked timestamptz) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  SELECT CASE WHEN w.refused THEN '*' || w.value ELSE w.value END, w.listed, now() INTO of, at, asked
  FROM want AS w WHERE w.listed IS NOT NULL AND (w.what = 'signal' OR w.value = '*') AND w.what <> 'collection'
    AND (w.again IS NULL OR w.again <= now()) AND NOT (w.refused AND candidates_are_full())
  ORDER BY random() LIMIT 1;
END $$;

-- The 64 smallest hashes of the accounts of a list, with those of one more page.
CREATE OR REPLACE FUNCTION smallest_hashes(hashes bigint[], repos jsonb) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT u.h
               FROM (SELECT unnest(hashes) UNION ALL
                     SELECT hashtextextended(l.did::text, 0) & 9223372036854775807 FROM listed(repos) AS l) AS u (h)
               ORDER BY u.h LIMIT 64);
END $$;

-- About how many accounts have these smallest hashes: the closer these are to each other, the more there are.
CREATE OR REPLACE FUNCTION about_how_many(hashes bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN CASE WHEN cardinality(hashes) < 64 THEN cardinality(hashes) ELSE (63 * 2 ^ 63 / hashes[64])::bigint END;

-- A page of a list, the cursor that it is of, that of the next one (NULL: there is none), and when it was asked for. At
-- the end of the list of all accounts seek_unlisted() asks about those that no page had. A list does not end if it has
-- the same accounts again and again, or more entries than most_listed: it is read on, ever more slowly.
-- A page for which there is no room among the candidates is not taken, and requested again.
CREATE OR REPLACE FUNCTION list(of text, at text, repos jsonb, next text, asked timestamptz) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w want;
  signal CONSTANT text := nullif(ltrim(of, '*'), '');
BEGIN
  PERFORM one_of_many();
  next := CASE WHEN next NOT IN ('', at) THEN next END;
  UPDATE want AS x
  SET listed = next, began = CASE WHEN at = '' THEN asked ELSE x.began END,
      seek = CASE WHEN next IS NULL AND signal IS NULL THEN 'did:a:a'::atid.did END,
      entries = CASE WHEN at = '' THEN 0 ELSE x.entries END + greatest((SELECT count(*) FROM listed(repos) AS l), 1),
      smallest = smallest_hashes(CASE WHEN at = '' THEN '{}' ELSE x.smallest END, repos)
  WHERE x.what = CASE WHEN signal IS NULL THEN 'account' ELSE 'signal' END AND x.value = coalesce(signal, '*')
    AND x.listed = at AND x.refused = (signal IS NOT NULL AND starts_with(of, '*'))
    AND NOT (x.refused AND candidates_are_full())
  RETURNING x.* INTO w;
  IF NOT FOUND THEN RETURN; END IF;
  IF next IS NOT NULL AND (w.entries > 4 * about_how_many(w.smallest) + 10000
                           OR w.entries > (SELECT s.most_listed FROM settings AS s)) THEN
    PERFORM list_failed(of, next, 'endless',
                        format('%s entries of about %s accounts', w.entries, about_how_many(w.smallest)));
  ELSIF w.failing IS NOT NULL THEN
    PERFORM list_works(w);
  END IF;
  IF signal IS NULL THEN
    PERFORM tell_page(repos, w.began, asked);
  ELSIF w.refused THEN
    PERFORM add_candidates(repos);
  ELSE
    INSERT INTO want (what, value, because) SELECT 'account', l.did::text, signal FROM listed(repos) AS l
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = l.did) ON CONFLICT DO NOTHING;
  END IF;
END $$;

-- A page of a list was not to be had, or not to be stored: it is requested again, later each time, up to five minutes,
-- or after as many seconds as its server asks for. why is a code.
CREATE OR REPLACE FUNCTION list_failed(of text, at text, why text, more text, seconds float8 DEFAULT 0) RETURNS void
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
      problem = clipped(why, 256), detail = clipped(more, 800),
      again = later(now(), greatest(pause(w.failures, s.pause_first, least(s.pause_most, '5 min')),
                                    coalesce(seconds, 0) * interval '1 s'))
  WHERE w.what = CASE WHEN signal IS NULL THEN 'account' ELSE 'signal' END AND w.value = coalesce(signal, '*')
    AND w.listed = at;
END $$;

CREATE OR REPLACE FUNCTION list_works(w want) RETURNS void LANGUAGE plpgsql
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

-- What the list of all accounts that was begun at a time says of those of a page, which was asked for at another time.
-- Where an index or a trigger of the operator's refuses one of them, each is taken for itself.
CREATE OR REPLACE FUNCTION tell_page(repos jsonb, start timestamptz, asked timestamptz) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  r record;
  a account;
BEGIN
  SELECT * INTO s FROM settings;
  FOR r IN SELECT * FROM listed(repos) LOOP
    PERFORM meet(r.did);
    UPDATE identity SET ask = least(ask, later(now(), turn(did, s.spread)))
    WHERE did = r.did AND answered < start;
  END LOOP;
  FOR r IN SELECT * FROM listed(repos) LOOP
    a := grasp(r.did);
    CONTINUE WHEN a.did IS NULL;
    PERFORM tell(a, r.e->'active' IS DISTINCT FROM 'false', r.e->>'status', r.e->>'rev', asked);
  END LOOP;
EXCEPTION WHEN OTHERS THEN
  IF jsonb_array_length(repos) = 1 THEN
    PERFORM passed_over(did, SQLSTATE, SQLERRM) FROM listed(repos);
  ELSIF of_server(SQLSTATE) THEN
    RAISE;
  ELSE
    FOR r IN SELECT * FROM listed(repos) LOOP
      PERFORM tell_page(jsonb_build_array(r.e), start, asked);
    END LOOP;
  END IF;
END $$;

-- The list of all accounts has ended: the server is asked about those that no page had. Goes through some of the
-- accounts, in their order, and returns how many; 0: there is nothing to do.
CREATE OR REPLACE FUNCTION seek_unlisted(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w want;
  dids atid.did[];
  one atid.did;
  last atid.did;
  waits bool := false;
BEGIN
  SELECT * INTO w FROM want AS x WHERE (x.what, x.value) = ('account', '*') AND x.seek IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN 0; END IF;
  dids := ARRAY(SELECT did FROM account WHERE did > w.seek ORDER BY did LIMIT most);
  FOREACH one IN ARRAY dids LOOP
    IF EXISTS (SELECT 1 FROM account AS a WHERE a.did = one AND a.state NOT IN ('inactive', 'barred')
               AND coalesce(greatest(a.listed, a.said), '-infinity') < w.began) THEN
      IF is_being_loaded(one) THEN  -- the next time it goes on with this one
        waits := true;
        EXIT;
      END IF;
      UPDATE account AS a SET check_at = now() WHERE a.did = one;
    END IF;
    last := one;
  END LOOP;
  UPDATE want SET seek = CASE WHEN waits THEN coalesce(last, w.seek) ELSE dids[cardinality(dids)] END
  WHERE (what, value) = ('account', '*');
  RETURN CASE WHEN waits THEN 0 ELSE greatest(cardinality(dids), 1) END;
END $$;

-- The entries of a page that are of an account, each account once.
CREATE OR REPLACE FUNCTION listed(repos jsonb) RETURNS TABLE (did atid.did, e jsonb) LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY
  SELECT DISTINCT ON (d) d, x FROM jsonb_array_elements(repos) AS x CROSS JOIN atid.did_or_null(x->>'did') AS d
  WHERE octet_length(d::text) <= 512 ORDER BY d LIMIT 1000;
END $$;

-- The server does not list the accounts that have a signal: all accounts are listed, and each is asked about. False: it
-- does not list all accounts either.
CREATE OR REPLACE FUNCTION list_refused(of text, why text) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE want AS w
  SET refused = true, listed = '', failing = NULL, failures = 0, problem = NULL, detail = NULL, again = NULL
  WHERE w.what = 'signal' AND w.value = of AND NOT w.refused;
  RETURN FOUND;
END $$;

-- After a gap: all accounts and signals are listed anew; where not all accounts are wanted, each is asked about, some
-- at a time. Then those that a list did not have. Returns how many; 0: there is nothing to do.
CREATE OR REPLACE FUNCTION look_again(most int) RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  x stream;
  moment CONSTANT timestamptz := now();
  dids atid.did[];
  one atid.did;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM one_of_many();
  SELECT * INTO x FROM stream WHERE look IS NOT NULL AND kind = 'repos' ORDER BY look LIMIT 1;
  IF NOT FOUND THEN RETURN seek_unlisted(most); END IF;
  IF x.looked IS NULL THEN
    UPDATE want SET listed = '', refused = false, again = NULL WHERE what = 'signal' OR (what, value) = ('account', '*');
  END IF;
  IF NOT everybody() THEN
    dids := ARRAY(SELECT did FROM identity WHERE did > x.looked OR x.looked IS NULL ORDER BY did LIMIT most);
  END IF;
  IF coalesce(cardinality(dids), 0) = 0 THEN
    UPDATE stream SET look = NULL, looked = NULL WHERE name = x.name AND look = x.look;
    RETURN 1;
  END IF;
  FOREACH one IN ARRAY dids LOOP
    UPDATE identity SET ask = least(ask, later(moment, turn(did, s.spread)))
    WHERE did = one AND answered IS NOT NULL AND answered < x.look;
    CONTINUE WHEN is_being_loaded(one);  -- its server has it at this moment
    UPDATE account SET check_at = least(check_at, later(moment, turn(did, s.spread)))
    WHERE did = one AND state <> 'barred';
  END LOOP;
  -- (take() locks accounts, and then this row)
  UPDATE stream SET looked = dids[cardinality(dids)] WHERE name = x.name AND look = x.look;
  RETURN cardinality(dids);
END $$;
