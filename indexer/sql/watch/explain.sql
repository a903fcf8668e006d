-- Why an account is there, or not.
CREATE OR REPLACE FUNCTION explain(account text) RETURNS TABLE (what text, value text) LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  a account;
  i identity;
  h host;
  t trouble;
  all_listed CONSTANT bool := EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = '*' AND w.listed IS NULL);
  because text;
  kept record;
BEGIN
  IF me IS NULL THEN
    RETURN QUERY VALUES ('answer', 'this is no DID');
    RETURN;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = me;
  SELECT * INTO i FROM identity AS x WHERE x.did = me;
  SELECT * INTO h FROM host AS x WHERE x.name = i.host;
  SELECT * INTO t FROM trouble AS x WHERE x.did = me;
  RETURN QUERY
  SELECT 'answer', CASE
    WHEN x.did IS NOT NULL THEN concat('it is excluded since ', x.at::date, ': ' || x.why)
    WHEN a.did IS NULL AND NOT wants_all_accounts() AND NOT EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = account)
    THEN 'it is not wanted: neither it nor a signal that it has is in the table want'
    WHEN a.did IS NULL AND NOT all_listed AND wants_all_accounts() THEN 'it is not here yet: the list of all accounts is still being read'
    WHEN a.did IS NULL THEN 'it is not here: the server has not listed it, and it has not written since'
    WHEN a.state = 'synchronized' AND a.doubted IS NOT NULL AND a.check_at < 'infinity'
    THEN 'it is here, but a frame of it was refused: the server will be queried for its revision'
    WHEN a.state = 'synchronized' THEN 'it is here, up to the last commit that the stream had'
    WHEN a.state = 'loading' THEN 'its repository is being loaded'
    WHEN a.state = 'inactive' THEN 'the server says that it is not active: ' || a.status || coalesce('; ' || t.why || ', ' || t.detail, '')
    WHEN a.state = 'barred' AND a.status = 'moved' THEN 'it has moved to another server than the one whose stream is followed'
    WHEN a.state = 'barred' THEN 'its identity has ended: ' || a.status
    WHEN a.state = 'unidentified' THEN 'its key is not known: ' || coalesce(t.why || coalesce(', ' || t.detail, ''), 'it is being asked for')
    ELSE 'it waits to be loaded' || coalesce(': ' || t.why || coalesce(', ' || t.detail, ''), '') END
  FROM (SELECT 1) AS one LEFT JOIN exclusion AS x ON x.did = me;
  SELECT * INTO kept FROM explain_bad(me);
  SELECT w.because INTO because FROM want AS w WHERE w.what = 'account' AND w.value = account;
  RETURN QUERY
  SELECT v.what, v.value
  FROM (VALUES ('state', a.state), ('next attempt', CASE WHEN t.next < 'infinity' THEN t.next::text END), ('what to do', t.remedy),
    ('failures', nullif(a.failures, 0)::text), ('gaps today', CASE WHEN a.gap_at > now() - interval '1 day' THEN a.gaps::text END),
    ('revision', a.rev::text), ('time of it', atid.tid_timestamp(a.rev)::text), ('announced', a.heard::text),
    ('announced without a signature', CASE WHEN (a.unsigned_rev <= a.rev) IS NOT TRUE THEN a.unsigned_rev::text END),
    ('handle', i.handle), ('server', i.pds), ('key', i.key), ('identity answered', i.answered::text), ('identity asked again', i.ask::text),
    ('its server fails until', CASE WHEN h.until > now() THEN h.until::text || ', '
      || coalesce((SELECT c.words FROM code AS c WHERE c.code = h.problem), h.problem) END), ('wanted because of', because),
    ('frames refused', kept.refused), ('server queried', CASE WHEN a.check_at < 'infinity' THEN a.check_at::text END),
    ('frames kept aside', nullif(kept.early, 0)::text),
    ('frames that wait', nullif(count_waiting(me), 0)::text))
    AS v (what, value)
  WHERE v.value IS NOT NULL;
END $$;
