-- What is wanted: accounts, collections, and signals by which accounts are found. The operator changes
-- the table want; reconcile_wants() follows, some accounts at a time.

CREATE OR REPLACE FUNCTION on_want_change() RETURNS trigger LANGUAGE plpgsql
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

-- Functions that lock several accounts or identities do it one after the other, by this lock. process_frames() does not need it:
-- it locks accounts only, in the order of their DIDs, as all others do.
CREATE OR REPLACE FUNCTION lock_batch_work() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  LOCK TABLE lock_of_many IN EXCLUSIVE MODE;
END $$;
