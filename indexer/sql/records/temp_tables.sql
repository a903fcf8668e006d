-- The temporary tables of a session.

-- The records to write: process_frames(), store_repository() and others fill the table op, and
-- write_records() writes its contents.
CREATE OR REPLACE FUNCTION create_temp_tables() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF to_regclass('pg_temp.op') IS NOT NULL THEN RETURN; END IF;
  CREATE TEMP TABLE op (
    uri        atid.at_uri,
    did        atid.did,
    collection text,
    fresh      bool,                                 -- no older record exists
    cid        atid.cid_link,
    block      bytea                                 -- NULL: the record is deleted
  ) ON COMMIT DELETE ROWS;
  ALTER TABLE op ALTER block SET STORAGE EXTERNAL;
END $$;

-- The tables of the steps of process_frames(): the parsed frames, the known accounts, the verified
-- frames, the new commits, and the locked accounts.
CREATE OR REPLACE FUNCTION create_frame_tables() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF to_regclass('pg_temp.verified_frame') IS NOT NULL THEN RETURN; END IF;
  CREATE TEMP TABLE parsed_frame (
    n     int,                                       -- its place in the array; < 0: it has waited
    frame bytea,                                     -- of a frame that has waited
    op    bigint,
    t     text,
    error text,                                      -- the name of the error in an error frame
    seq   bigint,
    at    timestamptz,                               -- its own time
    did   atid.did,
    shape bool,                                      -- "labels" is an array, "active" a boolean
    bare  bool,                                      -- a later commit without "prevData"
    cursor bigint,                                   -- of its row of shard; NULL: of none of these
    ours  bool                                       -- its account is of this shard
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE known_account (
    did   atid.did PRIMARY KEY,
    key   text,
    moved bool,                                      -- it is on another server
    here  bool,                                      -- it has a row in account
    state text,
    host  text,
    rev   atid.tid,                                  -- of an account that is synchronized,
    data  atid.cid_link                              -- and its root
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE verified_frame (
    n         int,
    frame     bytea,
    t         text,                                  -- NULL: it concerns no account that is wanted
    met       bool,                                  -- the account has a row in identity,
    here      bool,                                  -- and one in account,
    moved     bool,                                  -- but it is on another server
    error     text,
    seq       bigint,
    below     bool,                                  -- seq is not above the cursor, but it is new
    at        timestamptz,
    did       atid.did,
    code      text,                                  -- of its fault; NULL: it is sound
    reason    text,                                  -- if more than the words of the code
    signed    bool,                                  -- by the account's key; NULL: not known
    rev       atid.tid,
    since     atid.tid,
    prev_data atid.cid_link,
    data      atid.cid_link                          -- the root of the tree after it
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE new_commit (
    n int, frame bytea, did atid.did, rev atid.tid, data atid.cid_link,
    live bool,                                       -- its account is live
    gap  bool,                                       -- and it does not follow the one before
    follows bool                                     -- the one before, as all before it did
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE locked_account (
    did atid.did PRIMARY KEY, state text, rev atid.tid, data atid.cid_link
  ) ON COMMIT DELETE ROWS;
  ALTER TABLE verified_frame ALTER frame SET STORAGE EXTERNAL;
END $$;

-- Empties these tables, as process_frames() may try again in the same transaction.
CREATE OR REPLACE FUNCTION empty_temp_tables() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM parsed_frame;
  DELETE FROM known_account;
  DELETE FROM verified_frame;
  DELETE FROM new_commit;
  DELETE FROM locked_account;
  DELETE FROM op;
END $$;
