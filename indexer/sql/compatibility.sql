-- Function names of 1.3 that were documented or used in examples, kept until 3.0. Each raises a
-- notice.

CREATE OR REPLACE FUNCTION write() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RAISE NOTICE 'indexer.write() is now indexer.write_records()';
  PERFORM write_records();
END $$;

CREATE OR REPLACE FUNCTION clear(account atid.did, wanted text[], most int DEFAULT NULL)
RETURNS int LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RAISE NOTICE 'indexer.clear() is now indexer.delete_records()';
  RETURN delete_records(account, wanted, most);
END $$;

CREATE OR REPLACE FUNCTION scratch() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RAISE NOTICE 'indexer.scratch() is now indexer.create_temp_tables()';
  PERFORM create_temp_tables();
END $$;

CREATE OR REPLACE FUNCTION exclude(account text, why text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RAISE NOTICE 'indexer.exclude() is now indexer.exclude_account()';
  PERFORM exclude_account(account, why);
END $$;

CREATE OR REPLACE FUNCTION include(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RAISE NOTICE 'indexer.include() is now indexer.include_account()';
  PERFORM include_account(account);
END $$;

CREATE OR REPLACE FUNCTION forget(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RAISE NOTICE 'indexer.forget() is now indexer.forget_account()';
  PERFORM forget_account(account);
END $$;

CREATE OR REPLACE FUNCTION reload(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RAISE NOTICE 'indexer.reload() is now indexer.reload_account()';
  PERFORM reload_account(account);
END $$;
