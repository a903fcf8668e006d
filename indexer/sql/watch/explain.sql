-- explain(): why an account is in the tables or not, and what is known about it.

-- The state of an account in a sentence.
CREATE OR REPLACE FUNCTION explain_state(a account, t trouble) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  why CONSTANT text := t.why || coalesce(', ' || t.detail, '');
  words CONSTANT text := (find_account_state(a.state)).words;
BEGIN
  RETURN CASE
    WHEN a.state = 'synchronized' AND a.doubted IS NOT NULL AND a.check_at < 'infinity'
    THEN 'it is here, but a frame of it was refused: the server will be queried for its revision'
    WHEN a.state = 'inactive'
    THEN words || ': ' || a.status || coalesce('; ' || t.why || ', ' || t.detail, '')
    WHEN a.state = 'barred' AND a.status = 'moved'
    THEN 'it has moved to another server than the one whose stream is followed'
    WHEN a.state = 'unidentified'
    THEN words || ': ' || coalesce(why, 'its identity is being requested')
    WHEN a.state = 'desynchronized' THEN words || coalesce(': ' || why, '')
    ELSE words || coalesce(': ' || a.status, '') END;
END $$;

-- Why an account has no row.
CREATE OR REPLACE FUNCTION explain_absence(account text) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN CASE
    WHEN NOT wants_all_accounts()
         AND NOT EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = account)
    THEN CASE
      WHEN EXISTS (SELECT 1 FROM listing AS l WHERE l.finds AND l.listed IS NOT NULL)
           OR EXISTS (SELECT 1 FROM candidate AS c WHERE c.did = account::atid.did)
      THEN 'it is not here yet: the server is still being queried for the accounts with a signal'
      ELSE 'it is not wanted: neither it nor a signal that it has is in the table want' END
    WHEN wants_all_accounts()
         AND NOT EXISTS (SELECT 1 FROM want AS w
                         WHERE w.what = 'account' AND w.value = '*' AND w.listed IS NULL)
    THEN 'it is not here yet: the list of all accounts is still being read'
    ELSE 'it is not here: the server has not listed it, and it has not written since' END;
END $$;

-- What is known about an account; values that are NULL are not shown.
CREATE OR REPLACE FUNCTION explain_details(one atid.did, a account, t trouble)
RETURNS TABLE (what text, value text) LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  i identity;
  h host;
  kept record;
BEGIN
  SELECT * INTO i FROM identity AS x WHERE x.did = one;
  SELECT * INTO h FROM host AS x WHERE x.name = i.host;
  SELECT * INTO kept FROM explain_bad(one);
  RETURN QUERY
  SELECT v.what, v.value
  FROM (VALUES
    ('state', a.state),
    ('next attempt', CASE WHEN t.next < 'infinity' THEN t.next::text END),
    ('what to do', t.remedy),
    ('failures', nullif(a.failures, 0)::text),
    ('gaps today', CASE WHEN a.gap_at > now() - interval '1 day' THEN a.gaps::text END),
    ('revision', a.rev::text),
    ('time of it', atid.tid_timestamp(a.rev)::text),
    ('announced', a.heard::text),
    ('announced without a signature',
     CASE WHEN (a.unsigned_rev <= a.rev) IS NOT TRUE THEN a.unsigned_rev::text END),
    ('handle', i.handle),
    ('server', i.pds),
    ('key', i.key),
    ('identity answered', i.answered::text),
    ('identity requested again', i.ask::text),
    ('its server fails until', CASE WHEN h.until > now() THEN h.until::text || ', ' || coalesce(
       (SELECT c.words FROM code AS c WHERE c.code = h.problem), h.problem) END),
    ('wanted because of',
     (SELECT w.because FROM want AS w WHERE w.what = 'account' AND w.value = one::text)),
    ('frames refused', kept.refused),
    ('server queried', CASE WHEN a.check_at < 'infinity' THEN a.check_at::text END),
    ('frames kept aside', nullif(kept.early, 0)::text),
    ('frames waiting', nullif(count_waiting(one), 0)::text))
    AS v (what, value)
  WHERE v.value IS NOT NULL;
END $$;

CREATE OR REPLACE FUNCTION explain(account text) RETURNS TABLE (what text, value text)
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  a account;
  t trouble;
  x exclusion;
BEGIN
  IF me IS NULL THEN
    RETURN QUERY VALUES ('answer', 'this is not a DID');
    RETURN;
  END IF;
  SELECT * INTO a FROM account AS y WHERE y.did = me;
  SELECT * INTO t FROM trouble AS y WHERE y.did = me;
  SELECT * INTO x FROM exclusion AS y WHERE y.did = me;
  RETURN QUERY VALUES ('answer', CASE
    WHEN x.did IS NOT NULL THEN concat('it has been excluded since ', x.at::date, ': ' || x.why)
    WHEN a.did IS NULL THEN explain_absence(account)
    ELSE explain_state(a, t) END);
  RETURN QUERY SELECT * FROM explain_details(me, a, t);
END $$;
