-- Writes records and what follows from them. take() and load() say what to write in the table op.

-- The temporary tables of a session.
CREATE OR REPLACE FUNCTION scratch() RETURNS void LANGUAGE plpgsql
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
  -- the frames that take() has, by what they say
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
  -- and as judge() finds them
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
  -- the accounts that take() has locked
  CREATE TEMP TABLE held (did atid.did PRIMARY KEY, state text, rev atid.tid, data atid.cid_link) ON COMMIT DELETE ROWS;
  ALTER TABLE op ALTER block SET STORAGE EXTERNAL;
  ALTER TABLE batch ALTER frame SET STORAGE EXTERNAL;
END $$;

-- The name of a field, of those that record_refs gives: without "$." and without a ".uri" at its end, so that a reference
-- and a strong one have one name. A longer one would not fit into an index.
CREATE OR REPLACE FUNCTION path_of(field text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(field) <= 512 THEN regexp_replace(substr(field, CASE WHEN starts_with(field, '$.') THEN 3 ELSE 2 END), '(.)\.uri$', '\1')
            ELSE '' END;

-- All Lexicons together judge a record. Two different documents of one NSID would make that an error, for each record:
-- they are refused when they come.
CREATE OR REPLACE FUNCTION lexicons_changed() RETURNS trigger LANGUAGE plpgsql
SET search_path = indexer, pg_temp AS $$
BEGIN
  PERFORM atid.lexicon_agg(l.lexicons) FROM lexicons AS l;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER lexicons_changed AFTER INSERT OR UPDATE ON lexicons
FOR EACH STATEMENT EXECUTE FUNCTION lexicons_changed();

-- What a block points at: of the most first ones, each with its fields. Nothing where the codec refuses the block,
-- which dag_cbor_ref_uris tells without an error.
CREATE OR REPLACE FUNCTION points_at(block bytea, most int) RETURNS TABLE (subject atid.at_uri, path text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT DISTINCT s.subject, path_of(s.field)
  FROM (SELECT coalesce(f.uri, atid.at_uri_make(f.did::text)) AS subject, f.field
        FROM atid.dag_cbor_refs(CASE WHEN atid.dag_cbor_ref_uris(block) <> '{}' THEN block END) AS f LIMIT most) AS s
  WHERE octet_length(s.subject::text) <= 1200
$$;

-- Whoever writes says so, before reading who is excluded and whether there are readers. nobody_writes() waits until all
-- of these transactions have ended, and new ones wait for it. (pg_dump holds a lock on the table for hours, one that
-- conflicts with neither.)
CREATE OR REPLACE FUNCTION writes() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  LOCK TABLE lock_of_writers IN ROW EXCLUSIVE MODE;
END $$;

CREATE OR REPLACE FUNCTION nobody_writes() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  LOCK TABLE lock_of_writers IN EXCLUSIVE MODE;
END $$;

-- Writes the table op, and what follows from it.
CREATE OR REPLACE FUNCTION write() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  rules CONSTANT atid.lexicon := (SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l);
  most CONSTANT int := (SELECT most_references FROM settings);
  shut bool;
  old CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op WHERE NOT fresh);
  gone CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op WHERE block IS NULL);
  whose CONSTANT atid.did[] := ARRAY(SELECT DISTINCT op.did FROM op WHERE block IS NULL);
  large CONSTANT atid.did[] := ARRAY(SELECT op.did FROM op WHERE block IS NOT NULL
                                     GROUP BY op.did HAVING sum(octet_length(op.block)) > 20000);
  one atid.did;
BEGIN
  PERFORM writes();
  shut := EXISTS (SELECT 1 FROM exclusion);
  IF old <> '{}' THEN DELETE FROM reference WHERE uri = ANY (old); END IF;
  IF gone <> '{}' THEN DELETE FROM record WHERE uri = ANY (gone) AND did = ANY (whose); END IF;
  INSERT INTO record AS r (uri, did, cid, block, conforms)
  SELECT uri, did, cid, block, atid.dag_cbor_conforms(block, rules, collection) FROM op WHERE block IS NOT NULL
  ON CONFLICT (uri, did) DO UPDATE SET cid = excluded.cid, block = excluded.block, conforms = excluded.conforms;
  -- Nothing points at an account that is excluded. Accounts with more than 20 kB of blocks come each for itself. They
  -- have no more references than most, 20 for each record and one for each 30 bytes of a block, which a DID takes, once
  -- for a block that many records have: so no repository makes a hundred million. The others come first, as NULL.
  FOREACH one IN ARRAY NULL::atid.did || large LOOP
    INSERT INTO reference (subject, collection, path, tid, uri)
    SELECT p.subject, r.collection, p.path, r.tid, r.uri
    FROM (SELECT op.collection, op.uri, op.block, coalesce(atid.at_uri_tid(op.uri), '2222222222222') AS tid
          FROM op WHERE op.block IS NOT NULL AND CASE WHEN one IS NULL THEN op.did <> ALL (large) ELSE op.did = one END
          OFFSET 0) AS r
         CROSS JOIN points_at(r.block, most) AS p
    WHERE NOT shut OR NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = atid.at_uri_did(p.subject))
    LIMIT CASE WHEN one IS NOT NULL
            THEN most + (SELECT sum(20 * b.records + b.bytes / 30)
                         FROM (SELECT count(*) AS records, max(octet_length(op.block)) AS bytes FROM op
                               WHERE op.did = one AND op.block IS NOT NULL GROUP BY op.cid) AS b)::bigint END;
  END LOOP;
  INSERT INTO change (uri) SELECT uri FROM op WHERE EXISTS (SELECT 1 FROM reader);
  IF FOUND THEN NOTIFY change; END IF;
  DELETE FROM op;
END $$;

-- Deletes records of an account, of collections that are not wanted: all, or at most so many. Returns how many; if that
-- is so many, there may be more.
CREATE OR REPLACE FUNCTION clear(account atid.did, wanted text[], most int DEFAULT NULL) RETURNS int LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  n int;
  first atid.at_uri;
BEGIN
  PERFORM scratch();
  INSERT INTO op (uri, did, fresh)
  SELECT r.uri, r.did, false FROM record AS r
  WHERE r.did = account AND NOT atid.at_uri_collection(r.uri)::text LIKE ANY (wanted)
    AND r.uri BETWEEN atid.at_uri_make(account) AND atid.at_uri_scope_upper(atid.at_uri_make(account))
  ORDER BY r.uri LIMIT most;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n = 0 THEN RETURN 0; END IF;
  first := (SELECT min(op.uri) FROM op);
  PERFORM write();
  -- Where a trigger keeps records, the next step would have the same ones again: so there is only one step.
  IF n = most AND EXISTS (SELECT 1 FROM record AS r WHERE r.uri = first AND r.did = account) THEN
    PERFORM clear(account, wanted);
    RETURN 0;
  END IF;
  RETURN n;
END $$;
