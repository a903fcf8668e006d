-- Loads an account again. Its records are rewritten at once, with their references.
CREATE OR REPLACE FUNCTION reload_account(account text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := account;
  a account;
  brings text;
BEGIN
  -- An identity is locked before its account, except while the account is being loaded: all other
  -- sessions would wait for it.
  SELECT * INTO a FROM account AS x WHERE x.did = me;
  IF (find_account_state(a.state)).reload_brings = 'identity' THEN
    PERFORM request_identity(me, now(), restart => true);
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = me FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found',
      MESSAGE = format('account %s is not in the tables', me),
      DETAIL = (SELECT e.value FROM explain(account) AS e WHERE e.what = 'answer') || '.';
  END IF;
  IF a.state = 'live' OR account_mode(me) = 'live' THEN
    RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
      MESSAGE = format('account %s is live', me),
      DETAIL = 'No repository is loaded in live mode.',
      HINT = format('To load its repository, run "atid-indexer want add account %s".', me);
  END IF;
  PERFORM create_temp_tables();
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT r.uri, r.did, atid.at_uri_collection(r.uri), false, r.cid, r.block FROM record AS r
  WHERE r.did = me
    AND r.uri BETWEEN atid.at_uri_make(me) AND atid.at_uri_scope_upper(atid.at_uri_make(me));
  PERFORM write_records();
  PERFORM reset_account(me);
  brings := (find_account_state(a.state)).reload_brings;
  IF brings = 'load' THEN
    PERFORM set_account_state(a, 'desynchronized', now());
  ELSIF brings = 'check' THEN
    PERFORM schedule_status_check(me, now());
  END IF;
  PERFORM delete_host(find_host(me));
END $$;
