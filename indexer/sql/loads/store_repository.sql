-- A repository, as com.atproto.sync.getRepo has it. What is wrong with it is noted, and its code is
-- returned as the outcome:
--
--   loaded       changed says how many records are other ones
--   superseded   it is wanted no more
--   unsigned     another key has signed it: as after a move, until the account writes; or the key is an old one
--   older        it is older than what was announced, or than what is here
--   future       its revision is of the future
--   invalid      detail says why
--   not_written  an index, a constraint or a trigger of the operator's has refused it: detail says why
--
-- What differs is found by hashing all of one account against all of the other, whatever is known of the tables' sizes.
CREATE OR REPLACE FUNCTION store_repository(account text, attempt int, car bytea, OUT outcome text, OUT detail text, OUT changed int)
LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
DECLARE
  s settings;
  a account;
  i identity;
  c record;
  w CONSTANT int := (SELECT x.n FROM wants AS x);
  wanted CONSTANT text[] := wanted_patterns();
  is_read bool := false;
  moment CONSTANT timestamptz := now(); -- Citus takes no now() in a CASE
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO a FROM account AS x
  WHERE x.did = atid.did_or_null(store_repository.account) AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN
    outcome := 'superseded';
    RETURN;
  END IF;
  SELECT * INTO i FROM identity AS x WHERE x.did = a.did;
  BEGIN
    SELECT * INTO c FROM atid.repo_commit(car);
    outcome := CASE
      WHEN c.did IS DISTINCT FROM a.did THEN 'invalid'
      WHEN NOT atid.commit_is_signed_by(c.block, a.did::text, i.key) THEN 'unsigned'
      WHEN c.rev IS NULL OR c.rev > atid.tid_ceil(add_interval(now(), max_clock_skew())) THEN 'future'
      -- is taken only where nobody has another
      WHEN c.rev < greatest(a.heard, a.rev) AND a.older < s.most_older THEN 'older' END;
    detail := CASE outcome WHEN 'invalid' THEN 'The repository must be that of the account.'
                           WHEN 'older' THEN format('revision %s, announced was %s', c.rev, greatest(a.heard, a.rev))
                           WHEN 'future' THEN format('revision %s', c.rev) END;
    IF outcome IS NULL THEN
      PERFORM create_temp_tables();
      DELETE FROM op;
      INSERT INTO op (uri, did, collection, fresh, cid, block)
      SELECT coalesce(l.uri, r.uri), a.did, l.collection, r.uri IS NULL, l.cid, l.block
      FROM (SELECT atid.at_uri_make(a.did, x.collection, x.rkey) AS uri, x.collection, x.cid, x.block
            FROM atid.repo_records_signed_by(car, a.did::text, i.key) AS x WHERE x.collection LIKE ANY (wanted)) AS l
           FULL JOIN (SELECT x.uri, x.cid FROM record AS x WHERE x.did = a.did
                      AND x.uri BETWEEN atid.at_uri_make(a.did) AND atid.at_uri_scope_upper(atid.at_uri_make(a.did))) AS r
           ON l.uri = r.uri
      WHERE l.cid IS DISTINCT FROM r.cid;
      GET DIAGNOSTICS changed = ROW_COUNT;
      is_read := true;
      PERFORM write_records();
    END IF;
  EXCEPTION WHEN OTHERS THEN
    IF is_server_error(SQLSTATE) THEN RAISE; END IF;
    GET STACKED DIAGNOSTICS outcome = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    detail := concat_ws(': ', outcome, nullif(detail, ''));
    outcome := CASE WHEN is_read THEN 'not_written' ELSE 'invalid' END;
    changed := NULL;
  END;
  IF outcome IS NOT NULL THEN
    PERFORM defer_load(a.did, attempt, outcome, detail);
    RETURN;
  END IF;
  outcome := 'loaded';
  UPDATE account AS x
  SET rev = c.rev, data = c.data, heard = NULL, wants = w, failures = 0, older = 0, problem = NULL, detail = NULL,
      -- The server has named a newer revision, which may be untrue: it is asked again, once.
      unsigned_rev = CASE WHEN c.rev < x.unsigned_rev THEN x.unsigned_rev END,
      unsigned_loads = CASE WHEN c.rev < x.unsigned_rev THEN least(x.unsigned_loads + 1, 2) ELSE 0 END,
      check_at = CASE WHEN c.rev < x.unsigned_rev AND x.unsigned_loads = 0
                   THEN least(x.check_at, add_interval(moment, backoff_delay(4, s.pause_first, s.pause_most))) ELSE x.check_at END
  WHERE x.did = a.did;
  PERFORM set_account_state(a, 'synchronized');
  INSERT INTO tally (what, n) VALUES ('loads', 1);
  PERFORM host_works(i.host);
END $$;
