-- The temporary tables of a session.
CREATE OR REPLACE FUNCTION create_temp_tables() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF to_regclass('pg_temp.batch') IS NOT NULL THEN RETURN; END IF;
  -- what to write: a record, or where block is NULL, that there is none
  CREATE TEMP TABLE IF NOT EXISTS op (
    uri        atid.at_uri,
    did        atid.did,
    collection text,
    fresh      bool,                                 -- no older one is there
    cid        atid.cid_link,
    block      bytea
  ) ON COMMIT DELETE ROWS;
  -- the frames that process_frames() has, by what they say
  CREATE TEMP TABLE said (
    n     int,                                       -- its place in the array; below 0 of one that has waited
    frame bytea,                                     -- of a frame that has waited
    op    bigint,
    t     text,
    error text,                                      -- the name in a frame of an error
    seq   bigint,
    at    timestamptz,                               -- its own time
    did   atid.did,
    shape bool,                                      -- "labels" is an array, "active" is true or false
    bare  bool                                       -- a commit, not the first one, without "prevData"
  ) ON COMMIT DELETE ROWS;
  -- what is known of these accounts
  CREATE TEMP TABLE known (
    did   atid.did PRIMARY KEY,
    key   text,
    moved bool,
    here  bool,
    host  text,
    rev   atid.tid,                                  -- of an account that is synchronized,
    data  atid.cid_link                              -- and its root
  ) ON COMMIT DELETE ROWS;
  -- and as verify_frames() finds them
  CREATE TEMP TABLE batch (
    n         int,
    frame     bytea,
    t         text,                                  -- what it is, if it concerns an account that is wanted; else NULL
    met       bool,                                  -- the account has a row in identity,
    here      bool,                                  -- and one in account,
    moved     bool,                                  -- but it is on another server
    error     text,
    seq       bigint,
    below     bool,                                  -- its number is not above the cursor, but its revision is new
    at        timestamptz,
    did       atid.did,
    code      text,                                  -- what is wrong; NULL: it is sound
    reason    text,                                  -- more of that, if there is more than the words of the code
    signed    bool,                                  -- by the key of the account; NULL: that is not known
    rev       atid.tid,
    since     atid.tid,
    prev_data atid.cid_link,
    data      atid.cid_link                          -- the root of the tree after it
  ) ON COMMIT DELETE ROWS;
  -- those signed frames that are new to an account that is synchronized
  CREATE TEMP TABLE fit (
    n int, frame bytea, did atid.did, rev atid.tid, data atid.cid_link,
    fits bool                                        -- it goes on from the one before, and so did all before it
  ) ON COMMIT DELETE ROWS;
  -- the accounts that process_frames() has locked
  CREATE TEMP TABLE held (did atid.did PRIMARY KEY, state text, rev atid.tid, data atid.cid_link) ON COMMIT DELETE ROWS;
  ALTER TABLE op ALTER block SET STORAGE EXTERNAL;
  ALTER TABLE batch ALTER frame SET STORAGE EXTERNAL;
END $$;
