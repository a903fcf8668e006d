-- Wants: accounts, collections, and signals by which accounts are found; and how far the lists of
-- accounts have been read. The operator writes the table, by SQL or by the commands want and up; of
-- the functions, only those in this file do. reconcile_wants() applies the changes, some accounts
-- at a time.
--
-- Its bound is about most_wants rows, by PostgreSQL's own estimate. Beyond it, signals add no more
-- accounts, which strangers could invent; the operator can always add rows. No account is lost: the
-- lists of signals fail with the code wants_full, which status and the health of the stream report,
-- and are read again until there is room.

-- The lists of accounts that are wanted, each of which is a want: all accounts, or those that have
-- a signal. name: of the list, in calls and messages; kind: which list of the server is read for it
-- (a key of LISTS in the program); finds: the list adds accounts to the table want; words: what it
-- lists. A '*' before a signal means that the server does not list the accounts that have it: the
-- list of all accounts is read, and the server is queried about each. An index has the condition of
-- this view.
CREATE OR REPLACE VIEW listing AS
SELECT CASE WHEN w.refused THEN '*' || w.value ELSE w.value END AS name,
       CASE WHEN w.refused THEN 'account' ELSE w.what END AS kind,
       w.what <> 'account' AS finds,
       CASE w.what WHEN 'account' THEN 'all accounts'
                   WHEN 'signal' THEN 'accounts with ' || w.value END AS words,
       w.*
FROM want AS w
WHERE w.what NOT IN ('collection', 'live') AND (w.what <> 'account' OR w.value = '*');

-- Can this be wanted? '*' is all; a collection can end in '.*'.
CREATE OR REPLACE FUNCTION is_want(what text, value text) RETURNS bool
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE what
  WHEN 'account' THEN value = '*' OR atid.did_is_valid(value)
  WHEN 'live' THEN value = '*'
  WHEN 'collection'
  THEN value = '*' OR atid.nsid_is_valid(regexp_replace(value, '\.\*$', '.x.x'))
  WHEN 'signal' THEN atid.nsid_is_valid(value) ELSE false END;

DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_constraint
                 WHERE (conrelid, conname) = ('want'::regclass, 'want_check')) THEN
    ALTER TABLE want ADD CONSTRAINT want_check CHECK (is_want(what, value));
  END IF;
END $$;

-- Follows a change of a want: accounts that were added or removed become unsettled, and the number
-- in the table wants is raised if all accounts must be examined. Deleting a list also deletes the
-- accounts that it has found.
CREATE OR REPLACE FUNCTION on_want_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = indexer, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    IF OLD.what = 'account' AND OLD.value <> '*' THEN
      PERFORM add_unsettled(ARRAY[OLD.value::atid.did]);
    END IF;
    DELETE FROM want
    WHERE OLD.what NOT IN ('account', 'collection') AND what = 'account' AND because = OLD.value;
    UPDATE wants SET n = n + 1 WHERE OLD.value = '*' OR OLD.what = 'collection';
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF NEW.what = 'live' AND is_being_packed() THEN
      RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
        MESSAGE = 'the records are being packed',
        HINT = 'Run "atid-indexer pack" until it ends.';
    END IF;
    -- has all accounts in the other mode examined
    UPDATE wants SET n = n + 1 WHERE NEW.value = '*' AND (NEW.what = 'live' OR wants_live());
    IF NEW.what = 'account' AND NEW.value <> '*' THEN
      PERFORM add_unsettled(ARRAY[NEW.value::atid.did]);
    END IF;
    UPDATE wants SET n = n + 1, loads = n + 1 WHERE NEW.what = 'collection';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER on_want_change AFTER INSERT OR DELETE OR UPDATE OF what, value ON want
FOR EACH ROW EXECUTE FUNCTION on_want_change();

-- The wanted collections, as patterns for LIKE.
CREATE OR REPLACE FUNCTION wanted_patterns() RETURNS text[] LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT replace(value, '*', '%') FROM want WHERE what = 'collection');
END $$;

CREATE OR REPLACE FUNCTION wants_all_accounts() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM want WHERE what = 'account' AND value = '*');
END $$;

CREATE OR REPLACE FUNCTION wants_live() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'live');
END $$;

-- How an account is wanted: 'mirror', complete and permanently; 'live', its commits from now on,
-- for some days; or NULL, not at all.
CREATE OR REPLACE FUNCTION account_mode(one atid.did) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN CASE
    WHEN EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = one) THEN NULL
    WHEN EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value IN ('*', one::text))
    THEN 'mirror'
    WHEN wants_live() THEN 'live' END;
END $$;

CREATE OR REPLACE FUNCTION are_wants_full() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT c.reltuples FROM pg_class AS c WHERE c.oid = 'want'::regclass)
         >= (SELECT s.most_wants FROM settings AS s);
END $$;

-- Adds accounts that a list, or the stream, has found. Returns false if there is no room, which the
-- list then reports.
CREATE OR REPLACE FUNCTION add_found_accounts(dids atid.did[], signal text) RETURNS bool
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF are_wants_full() THEN
    UPDATE want AS w SET failing = coalesce(w.failing, now()), problem = 'wants_full', detail = NULL
    FROM listing AS l
    WHERE l.value = signal AND l.finds AND (w.what, w.value) = (l.what, l.value);
    RETURN false;
  END IF;
  INSERT INTO want (what, value, because)
  SELECT 'account', d::text, signal FROM unnest(dids) AS d
  WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = d)
  ON CONFLICT DO NOTHING;
  -- a list that is being read reports this itself
  UPDATE want AS w SET failing = NULL, failures = 0, problem = NULL, detail = NULL, again = NULL
  FROM listing AS l
  WHERE l.value = signal AND l.finds AND (w.what, w.value) = (l.what, l.value)
    AND w.listed IS NULL AND w.problem = 'wants_full';
  RETURN true;
END $$;

-- Deletes the want of an account. Returns false if it had none.
CREATE OR REPLACE FUNCTION delete_want(one atid.did) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM want AS w WHERE w.what = 'account' AND w.value = one::text;
  RETURN FOUND;
END $$;

-- Notes that a page of a list was read. next: the cursor of the following page, NULL at the end.
-- Returns the changed list, or NULL if this page is no longer the one to be read, or has no room
-- among the candidates.
CREATE OR REPLACE FUNCTION advance_listing(
  of text, at text, repos jsonb, next text, asked timestamptz
) RETURNS want LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  w want;
  more CONSTANT bigint := greatest((SELECT count(*) FROM listing_entries(repos) AS l), 1);
BEGIN
  UPDATE want AS x
  SET listed = next, began = CASE WHEN at = '' THEN asked ELSE x.began END,
      seek = CASE WHEN next IS NULL AND NOT l.finds THEN 'did:a:a'::atid.did END,
      entries = CASE WHEN at = '' THEN 0 ELSE x.entries END + more,
      smallest = smallest_hashes(CASE WHEN at = '' THEN '{}' ELSE x.smallest END, repos)
  FROM listing AS l
  WHERE l.name = of AND (x.what, x.value, x.refused) = (l.what, l.value, l.refused)
    AND x.listed = at AND NOT (x.refused AND are_candidates_full())
  RETURNING x.* INTO w;
  RETURN w;
END $$;

-- Records that a page of a list could not be fetched or stored: it is requested again, later each
-- time, up to five minutes, or after as many seconds as its server has asked for. why is a code.
CREATE OR REPLACE FUNCTION fail_listing(
  of text, at text, why text, more text, seconds float8 DEFAULT 0
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
BEGIN
  SELECT * INTO s FROM settings;
  UPDATE want AS w
  SET failing = coalesce(w.failing, now()), failures = least(w.failures + 1, 1000000),
      problem = clip_text(why, 256), detail = clip_text(more, 800),
      again = add_interval(now(), greatest(
        backoff_delay(w.failures, s.pause_first, least(s.pause_most, '5 min')),
        coalesce(seconds, 0) * interval '1 s'))
  FROM listing AS l
  WHERE l.name = of AND (w.what, w.value) = (l.what, l.value) AND w.listed = at;
END $$;

-- Clears the failure of a list, which can be read again.
CREATE OR REPLACE FUNCTION reset_listing(w want) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE want AS x SET failing = NULL, failures = 0, problem = NULL, detail = NULL, again = NULL
  WHERE (x.what, x.value) = (w.what, w.value);
END $$;

-- Notes that the server does not list the accounts that have a signal: all accounts are listed, and
-- it is queried about each. Returns false if it does not list all accounts either.
CREATE OR REPLACE FUNCTION mark_listing_unsupported(of text, why text) RETURNS bool
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE want AS w
  SET refused = true, listed = '', failing = NULL, failures = 0, problem = NULL, detail = NULL,
      again = NULL
  WHERE w.what = 'signal' AND w.value = of AND NOT w.refused;
  RETURN FOUND;
END $$;

-- Restarts all lists from their beginnings.
CREATE OR REPLACE FUNCTION restart_listings() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE want AS w SET listed = '', refused = false, again = NULL
  FROM listing AS l WHERE (w.what, w.value) = (l.what, l.value);
END $$;

-- Restarts the list of a signal, because there was no room for an account that the stream has
-- shown. Like a list that has failed, it waits until there is room.
CREATE OR REPLACE FUNCTION restart_full_listing(signal text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE list text;
BEGIN
  UPDATE want AS w SET listed = ''
  FROM listing AS l
  WHERE l.value = signal AND l.finds AND (w.what, w.value) = (l.what, l.value)
    AND w.listed IS DISTINCT FROM ''
  RETURNING l.name INTO list;
  IF FOUND THEN
    PERFORM fail_listing(list, '', 'wants_full', NULL);
  END IF;
END $$;

-- Restarts the lists of the accounts that have a signal, where the server has such lists.
CREATE OR REPLACE FUNCTION restart_signal_listings() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE want AS w SET listed = ''
  FROM listing AS l
  WHERE l.finds AND NOT l.refused AND (w.what, w.value) = (l.what, l.value)
    AND w.listed IS DISTINCT FROM '';
END $$;

-- Stores how far check_unlisted_accounts() has come; NULL: it has ended.
CREATE OR REPLACE FUNCTION store_unlisted_place(place atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE want AS w SET seek = place WHERE (w.what, w.value) = ('account', '*');
END $$;
