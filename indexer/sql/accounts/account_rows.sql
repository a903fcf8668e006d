-- The rows of an account in the tables about accounts. Add a line for a new table to each function.

-- The tables that Citus distributes by the column did, so that all rows of an account are in one
-- shard.
CREATE OR REPLACE FUNCTION account_tables() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{account,identity,record}'::text[];

-- Adds the rows of a new account in its first state. (add_account() has added its identity, which
-- is locked first.)
CREATE OR REPLACE FUNCTION add_account_rows(one atid.did, first_state text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM insert_account(one, first_state);
END $$;

-- Deletes the rows of an account, whose row is locked. was: its state. (delete_account() deletes
-- its identity, unless it is also a source of labels.)
CREATE OR REPLACE FUNCTION delete_account_rows(one atid.did, was text) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM delete_records(one, '{}');
  PERFORM delete_waiting(one);
  PERFORM delete_account_row(one, was);
END $$;
