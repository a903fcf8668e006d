-- What examples/indexer/schema.sql of 1.2.0 made, for indexer/t/upgrade.pl: it is what "atid-indexer upgrade" takes over.
-- The tables of an indexer, and the functions that its consumer calls. doc/indexer.md tells how they are used.
--
--   start()                   where to go on
--   take()                    frames of the stream: verified, applied, the cursor moved, all in one transaction
--   to_list(), list()         the list of accounts to read next; a page of it
--   ask(), identify(), identify_web()    accounts whose identity is wanted; a PLC log or DID document
--   doubtful(), told()        accounts whose status is wanted; what the server says of one
--   claim(), load(), fail()   accounts whose repository is wanted; such a repository, verified
--   settle()                  applies a change of the table want to some accounts
--   changes(), read_to()      for your application: what was written
--
-- Each locks rows in this order: stream, identity, account. Those that lock several accounts lock their stream first.
-- It needs the extension atid_crypto, and a database or a search_path of its own.

-- Settings: replace these functions to change them. A commit hurries a load at most once in not_sooner().
CREATE FUNCTION most_bad() RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 1000000000;  -- bytes of the table bad
CREATE FUNCTION most_waiting() RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 64000000;  -- bytes of an account in waiting
CREATE FUNCTION most_references() RETURNS int LANGUAGE sql IMMUTABLE RETURN 1000;  -- of a record
CREATE FUNCTION identity_age() RETURNS interval LANGUAGE sql IMMUTABLE RETURN interval '24 h';  -- then asked for again
CREATE FUNCTION spread() RETURNS interval LANGUAGE sql IMMUTABLE RETURN interval '1 h';  -- of all requests after a gap
CREATE FUNCTION turn(did atid.did) RETURNS interval LANGUAGE sql IMMUTABLE
RETURN spread() * (hashtext(did::text) & 1023) / 1024;  -- of an account in that
CREATE FUNCTION not_sooner() RETURNS interval LANGUAGE sql IMMUTABLE RETURN interval '1 min';
-- How long to wait after so many attempts that failed.
CREATE FUNCTION pause(failed int) RETURNS interval LANGUAGE sql IMMUTABLE
RETURN least(interval '2 s' * 2 ^ least(failed, 12), interval '1 h');
-- So much later, whatever the time zone is.
CREATE FUNCTION later(at timestamptz, by interval) RETURNS timestamptz LANGUAGE sql IMMUTABLE
RETURN to_timestamp(extract(epoch FROM at)::float8 + extract(epoch FROM by)::float8);

-- Who an account is, by its PLC log or DID document.
CREATE TABLE identity (
  did      atid.did PRIMARY KEY,
  key      text CHECK (atid.did_key_is_valid(key)),  -- that signs its commits; NULL: not known, or none
  handle   text,                                     -- as the account says; nobody has proven it
  pds      text,
  log      jsonb,                                    -- verified
  labeler  bool NOT NULL DEFAULT false,              -- it is there for its labels
  ask      timestamptz NOT NULL DEFAULT now(),       -- when to ask for it
  asked    int NOT NULL DEFAULT 0,                   -- how often, without an answer that says it all
  wanted   timestamptz,                              -- since when: what was asked for earlier does not say it
  answered timestamptz,
  problem  text                                      -- why the last answer was not taken
);
CREATE INDEX identity_ask ON identity ((answered IS NOT NULL), ask);

-- What is there of an account.
CREATE TABLE account (
  did      atid.did PRIMARY KEY,
  active   bool NOT NULL DEFAULT true,
  status   text,                                     -- why it is not active
  barred   bool NOT NULL DEFAULT false,              -- by its identity: a tombstone, or another PDS
  said     timestamptz,                              -- when the stream said so: an older list is not believed
  listed   timestamptz,                              -- when a list had it, or the server was asked about it
  check_at timestamptz NOT NULL DEFAULT 'infinity',  -- when to ask the server about it
  state    text NOT NULL DEFAULT 'desynchronized' CHECK (state IN ('synchronized', 'desynchronized', 'in progress')),
  rev      atid.tid,                                 -- of the last commit that was applied,
  data     atid.cid_link,                            -- and the root of its tree
  heard    atid.tid,                                 -- announced: what is loaded must not be older
  wants    int NOT NULL DEFAULT 0,                   -- the number of the wants that its records are of
  claim    int NOT NULL DEFAULT 0,                   -- the number of the last attempt to load it
  claimed  timestamptz,                              -- and its time
  failures int NOT NULL DEFAULT 0,                   -- of these, how many have failed since one has not
  load_at  timestamptz NOT NULL DEFAULT 'infinity',  -- when to load it; an UPDATE to now() has it loaded again
  hurried  timestamptz NOT NULL DEFAULT '-infinity', -- when a commit has brought that forward
  problem  text,                                     -- why it could not be loaded
  CHECK (state <> 'synchronized' OR rev IS NOT NULL AND data IS NOT NULL)
) WITH (fillfactor = 80);
-- Those to load now.
CREATE VIEW due AS
SELECT did, load_at FROM account WHERE load_at < 'infinity' AND active AND state <> 'in progress' AND load_at <= now();
CREATE INDEX account_load_at ON account (load_at) WHERE load_at < 'infinity' AND active AND state <> 'in progress';
CREATE INDEX account_in_progress ON account (did) WHERE state = 'in progress';
CREATE INDEX account_check_at ON account (check_at) WHERE check_at < 'infinity';
CREATE INDEX account_wants ON account (wants);

-- The records, as blocks: a block holds all that a stranger can write, and the CID is the hash of it. One that is not
-- DAG-CBOR is kept too, since the signed root counts it: a query that reads fields asks atid.dag_cbor_is_valid(block).
CREATE TABLE record (
  uri      atid.at_uri,
  did      atid.did,
  cid      atid.cid_link NOT NULL,
  block    bytea NOT NULL,
  conforms bool,                                     -- to the table lexicons; NULL: they do not say
  PRIMARY KEY (uri, did)
);
CREATE STATISTICS record_collection_stats ON (atid.at_uri_collection(uri)) FROM record;

-- What records point at.
CREATE TABLE reference (
  subject    atid.at_uri NOT NULL,
  collection text COLLATE "C" NOT NULL,              -- of the record,
  path       text COLLATE "C" NOT NULL,              -- and the field: subject, reply.parent, reply.root; '': another
  tid        atid.tid NOT NULL,                      -- its record key, or the lowest TID where that is none
  uri        atid.at_uri NOT NULL
);
CREATE INDEX reference_subject ON reference (subject, collection, path, tid);
CREATE INDEX reference_uri ON reference (uri);

CREATE FUNCTION points(block bytea) RETURNS TABLE (path text, subject atid.at_uri)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 2 BEGIN ATOMIC
  WITH named AS (
    SELECT v.path, v.uri AS subject
    FROM (VALUES ('subject', atid.dag_cbor_ref_uri(block, '{subject}')),
                 ('reply.parent', atid.dag_cbor_ref_uri(block, '{reply,parent}')),
                 ('reply.root', atid.dag_cbor_ref_uri(block, '{reply,root}'))) AS v (path, uri)
    WHERE v.uri IS NOT NULL
  )
  SELECT n.path, n.subject FROM named AS n
  UNION ALL
  SELECT '', u FROM unnest((atid.dag_cbor_ref_uris(block))[:most_references()]) AS u
  WHERE u NOT IN (SELECT n.subject FROM named AS n);
END;

-- Lexicons, by which records are judged when they are written. Those that are there already are not judged anew.
CREATE TABLE lexicons (lexicons atid.lexicon NOT NULL);

-- What is wanted. '*' is all; a collection can end in '.*'. The accounts that have a signal, a collection, are wanted.
CREATE TABLE want (
  what    text,
  value   text,
  because text,                                      -- the signal by which the account was found
  listed  text DEFAULT '',                           -- of a signal: how far its accounts were listed; NULL: to the end
  PRIMARY KEY (what, value),
  CHECK (CASE what WHEN 'account' THEN value = '*' OR atid.did_is_valid(value)
                   WHEN 'collection' THEN value = '*' OR atid.nsid_is_valid(regexp_replace(value, '\.\*$', '.x.x'))
                   WHEN 'signal' THEN atid.nsid_is_valid(value) ELSE false END)
);
INSERT INTO want VALUES ('account', '*'), ('collection', '*');
CREATE TABLE unsettled (did atid.did);               -- accounts that were added or taken out; NULL: all were added
CREATE TABLE wants (
  n     int NOT NULL,                                -- raised when accounts have to be looked through,
  loads int NOT NULL                                 -- and its value when they had to be loaded
);
INSERT INTO wants VALUES (0, 0);

CREATE FUNCTION want_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO unsettled SELECT atid.did_or_null(OLD.value) WHERE OLD.what = 'account' AND OLD.value <> '*';
    DELETE FROM want WHERE OLD.what = 'signal' AND what = 'account' AND because = OLD.value;
    UPDATE wants SET n = n + 1 WHERE OLD.value = '*' OR OLD.what = 'collection';
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO unsettled SELECT atid.did_or_null(NEW.value) WHERE NEW.what = 'account';
    UPDATE wants SET n = n + 1, loads = n + 1 WHERE NEW.what = 'collection';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER want_changed AFTER INSERT OR DELETE OR UPDATE OF what, value ON want
FOR EACH ROW EXECUTE FUNCTION want_changed();

-- The wanted collections, as patterns for LIKE.
CREATE FUNCTION patterns() RETURNS text[] LANGUAGE sql STABLE
RETURN ARRAY(SELECT replace(value, '*', '%') FROM want WHERE what = 'collection');

-- What was written, for readers: only while there is one. The record itself is in the table record, or is gone.
CREATE TABLE reader (
  name text PRIMARY KEY,
  tx   xid8 NOT NULL DEFAULT '0',                    -- how far it has read
  n    bigint NOT NULL DEFAULT 0
);
CREATE TABLE change (
  tx   xid8 DEFAULT pg_current_xact_id(),
  n    bigint GENERATED ALWAYS AS IDENTITY,
  uri  atid.at_uri NOT NULL,
  PRIMARY KEY (tx, n)
);

-- The labels that are in force. doc/label.md tells the rules.
--
--   label_keys_take(account, log)   the keys of a labeler, from its PLC log
--   labels_take(batch)              an array of labels: verified, the newest kept
--   labels_in_force                 what counts now
--
-- It needs the extension atid_crypto.

-- The keys of labelers, each until it was taken out of the DID document.
CREATE TABLE label_keys (
  src      atid.did,
  key      text CHECK (atid.did_key_is_valid(key)),
  valid_to timestamptz NOT NULL DEFAULT 'infinity',
  PRIMARY KEY (src, key)
);

-- The newest label of each source, subject and value; negations too.
CREATE TABLE labels (
  subject atid.at_uri,
  src     atid.did,
  val     text COLLATE "C",
  cts     timestamptz NOT NULL,
  neg     bool NOT NULL,
  exp     timestamptz NOT NULL,
  label   jsonb NOT NULL,
  PRIMARY KEY (subject, src, val)
);

CREATE TABLE labels_refused (label jsonb, received timestamptz DEFAULT now());

CREATE VIEW labels_in_force AS
SELECT subject, src, val, cts, exp, label FROM labels WHERE NOT neg AND exp > now();

-- The keys of a labeler are those of its log, but for operations that were nullified: somebody else had set these.
-- A log that is not valid, or is of another account, leaves none.
CREATE FUNCTION label_keys_take(account atid.did, log jsonb) RETURNS void LANGUAGE sql BEGIN ATOMIC
  WITH found AS MATERIALIZED (
    SELECT k.key, max(coalesce(k.valid_to, 'infinity')) AS valid_to FROM atid.plc_log_keys(log) AS k
    WHERE k.did = account::text AND k.id = 'atproto_label' AND NOT k.nullified AND atid.did_key_is_valid(k.key)
    GROUP BY k.key
  ), gone AS (
    DELETE FROM label_keys AS l WHERE l.src = account AND NOT EXISTS (SELECT FROM found AS f WHERE f.key = l.key)
  )
  INSERT INTO label_keys (src, key, valid_to) SELECT account, key, valid_to FROM found
  ON CONFLICT (src, key) DO UPDATE SET valid_to = excluded.valid_to;
END;

CREATE FUNCTION labels_take(batch jsonb) RETURNS void LANGUAGE sql BEGIN ATOMIC
  WITH part AS MATERIALIZED (
    SELECT n, label, atid.did_or_null(label->>'src') AS src, atid.at_uri_from_subject_or_null(label->>'uri') AS subject,
           label->>'val' AS val, atid.datetime_or_null(label->>'cts') AS cts,
           coalesce(label->'neg' = 'true', false) AS neg,
           CASE WHEN label ? 'exp' THEN atid.datetime_or_null(label->>'exp') ELSE 'infinity' END AS exp
    FROM jsonb_array_elements(batch) WITH ORDINALITY AS a (label, n)
  ), judged AS MATERIALIZED (
    SELECT *, subject IS NOT NULL AND val IS NOT NULL AND exp IS NOT NULL
           AND octet_length(label->>'uri') <= 2000 AND octet_length(val) <= 128
           AND EXISTS (SELECT FROM label_keys k
                       WHERE k.src = part.src AND k.valid_to > part.cts
                         AND atid.label_is_signed_by(part.label, part.src::text, k.key)) AS good
    FROM part
  ), refused AS (
    INSERT INTO labels_refused SELECT label FROM judged WHERE NOT good
  )
  INSERT INTO labels AS old
  SELECT DISTINCT ON (subject, src, val) subject, src, val, cts, neg, exp, label
  FROM judged WHERE good
  ORDER BY subject, src, val, cts DESC, neg DESC, n DESC
  ON CONFLICT (subject, src, val) DO UPDATE
  SET (cts, neg, exp, label) = (excluded.cts, excluded.neg, excluded.exp, excluded.label)
  WHERE (excluded.cts, excluded.neg) >= (old.cts, old.neg);
END;
CREATE INDEX labels_refused_src ON labels_refused ((label->>'src'));

-- How far each stream was read.
CREATE TABLE stream (
  name     text PRIMARY KEY,
  pds      text,                                     -- NULL: it is a relay's
  cursor   bigint NOT NULL DEFAULT 0,
  frames   bigint NOT NULL DEFAULT 0,
  commits  bigint NOT NULL DEFAULT 0,                -- that were applied
  refused  bigint NOT NULL DEFAULT 0,                -- frames that are bad whatever the key is
  lag      interval,                                 -- of the last frame that told its time
  taken    timestamptz,                              -- the last transaction of take(),
  frame_rate  float8 NOT NULL DEFAULT 0,             -- and what it took a second, over some minute
  commit_rate float8 NOT NULL DEFAULT 0,
  listed   text DEFAULT '',                          -- the cursor of listRepos; NULL: all accounts were listed
  began    timestamptz                               -- when the list was begun
);

-- Hosts that have failed, and when they are tried again.
CREATE TABLE host (
  name     text PRIMARY KEY,
  failures int NOT NULL,
  until    timestamptz NOT NULL,
  problem  text
);

-- Frames that were not taken, each once. Anybody can make some: no more than most_bad() is kept, until you TRUNCATE it.
CREATE TABLE bad (
  digest   bytea PRIMARY KEY,
  stream   text NOT NULL,
  received timestamptz NOT NULL DEFAULT now(),
  did      atid.did,
  reason   text NOT NULL,
  early    bool NOT NULL,                            -- a newer log may have its key
  frame    bytea NOT NULL
);
CREATE INDEX bad_early ON bad (did) WHERE early;

-- Frames of accounts that are being loaded. Of more than most_waiting() bytes of an account only the newest stay. The
-- account is loaded again then, unless the repository is as new as they are.
CREATE TABLE waiting (
  stream text NOT NULL,
  seq    bigint NOT NULL,
  did    atid.did NOT NULL,
  frame  bytea NOT NULL
);
CREATE INDEX waiting_did ON waiting (did);
ALTER TABLE bad ALTER frame SET STORAGE EXTERNAL;     -- hashes and signatures do not compress
ALTER TABLE waiting ALTER frame SET STORAGE EXTERNAL;

-- The temporary tables of a session.
CREATE FUNCTION scratch() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass('pg_temp.op') IS NULL THEN
    -- what to write: a record, or where block is NULL, that there is none
    CREATE TEMP TABLE op (
      uri atid.at_uri PRIMARY KEY, did atid.did, collection text, fresh bool, cid atid.cid_link, block bytea
    ) ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE batch (
      n bigint PRIMARY KEY, late bool, frame bytea, t text, other bool, error text, seq bigint, did atid.did,
      reason text, signed bool, rev atid.tid, since atid.tid, prev_data atid.cid_link, data atid.cid_link
    ) ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE known (did atid.did PRIMARY KEY, key text, pds text, answered timestamptz, here bool)
    ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE held (did atid.did PRIMARY KEY, state text, rev atid.tid, data atid.cid_link)
    ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE chain (n bigint, did atid.did, rev atid.tid, data atid.cid_link, fits bool)
    ON COMMIT DELETE ROWS;
    ALTER TABLE op ALTER block SET STORAGE EXTERNAL;
    ALTER TABLE batch ALTER frame SET STORAGE EXTERNAL;
  END IF;
END $$;

-- Writes the table op, and what follows from it. The planner's settings, here and below: a session plans these
-- statements once, maybe while the tables are small, and must never read one of them whole.
CREATE FUNCTION write() RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  rules CONSTANT atid.lexicon := (SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l);
  old CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op WHERE NOT fresh);
  gone CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op WHERE block IS NULL);
  whose CONSTANT atid.did[] := ARRAY(SELECT DISTINCT op.did FROM op WHERE block IS NULL);
BEGIN
  IF old <> '{}' THEN
    DELETE FROM reference WHERE uri = ANY (old);
  END IF;
  IF gone <> '{}' THEN
    DELETE FROM record WHERE uri = ANY (gone) AND did = ANY (whose);
  END IF;
  INSERT INTO record AS r (uri, did, cid, block, conforms)
  SELECT uri, did, cid, block, atid.dag_cbor_conforms(block, rules) FROM op WHERE block IS NOT NULL
  ON CONFLICT (uri, did) DO UPDATE SET cid = excluded.cid, block = excluded.block, conforms = excluded.conforms;
  INSERT INTO reference (subject, collection, path, tid, uri)
  SELECT p.subject, op.collection, p.path, coalesce(atid.at_uri_tid(op.uri), '2222222222222'), op.uri
  FROM op CROSS JOIN points(op.block) AS p WHERE op.block IS NOT NULL;
  INSERT INTO change (uri) SELECT uri FROM op WHERE EXISTS (SELECT FROM reader);
  IF FOUND THEN
    NOTIFY change;
  END IF;
  DELETE FROM op;
END $$;

-- Deletes the records of an account: all, or those of collections that are not wanted.
CREATE FUNCTION forget(account atid.did, wanted text[]) RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off AS $$
BEGIN
  PERFORM scratch();
  INSERT INTO op (uri, did, fresh)
  SELECT r.uri, r.did, false FROM record AS r
  WHERE r.did = account AND NOT atid.at_uri_collection(r.uri)::text LIKE ANY (wanted)
    AND r.uri BETWEEN atid.at_uri_make(account) AND atid.at_uri_scope_upper(atid.at_uri_make(account));
  PERFORM write();
END $$;

-- Where to go on. What an earlier consumer had begun to load is begun anew. Where the stream begins at its present end,
-- all accounts are listed, as nothing else tells what came before.
CREATE FUNCTION start(name text, loads bool, pds text) RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO stream AS s (name, pds) VALUES (start.name, start.pds)
  ON CONFLICT ON CONSTRAINT stream_pkey DO UPDATE
  SET listed = CASE WHEN s.cursor = 0 THEN '' ELSE s.listed END, pds = excluded.pds;
  UPDATE account SET state = 'desynchronized', load_at = now() WHERE state = 'in progress' AND loads;
  RETURN (SELECT cursor FROM stream AS s WHERE s.name = start.name);
END $$;

-- Adds those of the accounts that are new. One whose key is known is loaded, the others once identify() has a key.
CREATE FUNCTION meet(dids atid.did[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  here CONSTANT atid.did[] := ARRAY(SELECT did FROM account WHERE did = ANY (dids));
  n CONSTANT int := (SELECT w.n FROM wants AS w);
  one atid.did;
  at timestamptz;
BEGIN
  FOR one IN SELECT did FROM unnest(dids) AS did WHERE did <> ALL (here) ORDER BY did LOOP
    INSERT INTO identity (did) VALUES (one) ON CONFLICT DO NOTHING;
    SELECT CASE WHEN key IS NULL THEN 'infinity' ELSE now() END INTO at
    FROM identity WHERE did = one FOR SHARE;  -- waits for an identify()
    INSERT INTO account (did, load_at, wants, listed) VALUES (one, at, n, now()) ON CONFLICT DO NOTHING;
  END LOOP;
END $$;

-- An account is not active: its records are given out no more.
CREATE FUNCTION silence(account atid.did, why text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account AS a
  SET active = false, status = why, state = 'desynchronized', load_at = 'infinity', check_at = 'infinity', failures = 0,
      problem = NULL
  WHERE a.did = silence.account;
  PERFORM forget(account, '{}');
END $$;

-- What the server says of an account: in its stream, or where it was asked at a time. What its stream said since is
-- newer. An account whose revision is newer than what is there is loaded.
CREATE FUNCTION told(account atid.did, is_active bool, why text, latest text, asked timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  a account;
  newest CONSTANT atid.tid := CASE WHEN atid.tid_is_valid(latest) THEN latest END;
  since CONSTANT timestamptz := CASE WHEN asked IS NULL THEN now() END;
BEGIN
  SELECT * INTO a FROM account AS x WHERE x.did = told.account FOR UPDATE;
  IF a.barred OR a.said >= asked THEN
    is_active := a.active;
    why := a.status;
  END IF;
  why := coalesce('{"RepoNotFound": "deleted", "RepoDeactivated": "deactivated", "RepoTakendown": "takendown",
                    "RepoSuspended": "suspended"}'::jsonb ->> why, why);
  IF NOT is_active AND a.active THEN
    PERFORM silence(a.did, why);
  ELSIF is_active AND (NOT a.active OR a.rev < newest AND a.state <> 'in progress') THEN
    UPDATE account AS x SET state = 'desynchronized', load_at = now() WHERE x.did = a.did;
  END IF;
  UPDATE account AS x
  SET active = is_active, status = CASE WHEN NOT is_active THEN why END, listed = coalesce(asked, since),
      said = coalesce(since, said), check_at = 'infinity', heard = greatest(heard, newest)
  WHERE x.did = a.did;
END $$;

-- Locks those of the accounts that are not being loaded.
CREATE FUNCTION hold(dids atid.did[]) RETURNS SETOF account LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT * FROM account WHERE did = ANY (dids) AND state <> 'in progress' ORDER BY did FOR UPDATE;
END $$;

-- What take() does, or the problem why not. Of the accounts in waited the frames that have waited come first.
CREATE FUNCTION take_all(
  name text, frames bytea[], waited atid.did[],
  OUT taken int, OUT applied int, OUT refused int, OUT lag interval, OUT error text, OUT problem text
) LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  of_labels CONSTANT bool := name LIKE '%Labels';
  everybody CONSTANT bool := EXISTS (SELECT FROM want WHERE what = 'account' AND value = '*');
  signals CONSTANT text[] := ARRAY(SELECT value FROM want WHERE what = 'signal');
  wanted CONSTANT text[] := patterns();
  unsigned CONSTANT text := 'The commit must be signed by the key of the account.';
  moment CONSTANT timestamptz := now();
  hurries CONSTANT timestamptz := now() - not_sooner();
  who atid.did[];
  one record;
  last bigint;
  home text;
  seconds float8;
  labels jsonb;
BEGIN
  PERFORM scratch();
  DELETE FROM op;
  DELETE FROM batch;
  DELETE FROM known;
  DELETE FROM held;
  DELETE FROM chain;
  SELECT cursor, s.pds, extract(epoch FROM clock_timestamp() - s.taken) INTO last, home, seconds
  FROM stream AS s WHERE s.name = take_all.name FOR UPDATE;

  -- Of whom they speak, and what is known of these.
  who := ARRAY(SELECT DISTINCT atid.at_uri_did(
                 atid.dag_cbor_ref_uri(h.body, ARRAY[CASE h.t WHEN '#commit' THEN 'repo' ELSE 'did' END]))
               FROM unnest(frames) AS f CROSS JOIN atid.frame_parts(f) AS h) || waited;
  INSERT INTO known
  SELECT i.did, i.key, i.pds, i.answered, a.did IS NOT NULL
  FROM identity AS i LEFT JOIN account AS a ON a.did = i.did WHERE i.did = ANY (who);

  -- Each frame: what it says, and what is wrong with it. A number that is not above the cursor is that of a frame that
  -- was taken before. A labeler has nothing to say of accounts, nor a PDS of those of another.
  WITH late AS (
    DELETE FROM waiting AS w WHERE w.stream = take_all.name AND w.did = ANY (waited) RETURNING w.seq, w.frame
  ), split AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY late DESC, place) AS n, f.late, f.frame, h.op, h.t, h.error, h.body,
           CASE WHEN atid.dag_cbor_typeof(h.body, '{seq}') = 'number'
             THEN atid.dag_cbor_get_text(h.body, '{seq}')::bigint END AS seq,
           atid.at_uri_did(
             atid.dag_cbor_ref_uri(h.body, ARRAY[CASE h.t WHEN '#commit' THEN 'repo' ELSE 'did' END])) AS did
    FROM (SELECT true, late.seq, late.frame FROM late
          UNION ALL
          SELECT false, u.n, u.frame FROM unnest(frames) WITH ORDINALITY AS u (frame, n)) AS f (late, place, frame)
         CROSS JOIN atid.frame_parts(f.frame) AS h
  ), concerned AS MATERIALIZED (
    SELECT s.n, s.late, s.frame, s.body, s.error, s.seq, s.did, i.key, x.other,
           s.t IN ('#commit', '#sync') IS NOT TRUE AS cheap,
           CASE WHEN s.op IS DISTINCT FROM 1 THEN NULL
                WHEN s.t = '#info' OR s.t = '#labels' AND of_labels THEN s.t
                WHEN s.t IN ('#commit', '#sync', '#account', '#identity') AND NOT of_labels AND NOT x.other
                     AND (everybody OR i.here) THEN s.t END AS t
    FROM split AS s LEFT JOIN known AS i ON i.did = s.did
         CROSS JOIN LATERAL (SELECT NOT of_labels AND i.answered IS NOT NULL
                                    AND (home <> coalesce(i.pds, '')) IS TRUE) AS x (other)
    WHERE s.late OR s.seq IS NULL OR s.seq > last
  ), judged AS MATERIALIZED (
    SELECT c.*, CASE WHEN c.t IS NOT NULL OR c.cheap  -- of others nobody wants to know
                     THEN atid.event_problem(c.frame, now() + interval '5 minutes') END AS problem,
           CASE WHEN c.t IN ('#commit', '#sync') THEN atid.event_is_signed_by(c.frame, c.key) END AS signed
    FROM concerned AS c
  )
  INSERT INTO batch
  SELECT j.n, j.late, j.frame, j.t, j.other, j.error, j.seq, j.did,
         CASE WHEN j.problem IS NOT NULL THEN j.problem
              WHEN j.t = '#labels' AND atid.dag_cbor_typeof(j.body, '{labels}') IS DISTINCT FROM 'array'
              THEN '"labels" must be an array.'
              WHEN j.t = '#commit' AND octet_length(j.frame) > 10000  -- 200 operations may have one block
                   AND (SELECT sum(octet_length(o.block)) FROM atid.commit_event_ops(j.frame) AS o)
                       > 4.0 * octet_length(j.frame)
              THEN 'The records must not be more than four times the frame.'
              WHEN j.seq > 9007199254740991 OR j.seq > last + 100000000000 AND last > 0
              THEN 'The number must not be far ahead of the one before.'
              WHEN j.t NOT IN ('#info', '#labels') AND j.did IS NULL THEN 'The account must be a DID.'
              WHEN j.t NOT IN ('#info', '#labels') AND octet_length(j.did::text) > 512
              THEN 'The DID must not be longer than 512 bytes.'
              WHEN j.t NOT IN ('#info', '#labels') AND (j.seq > 0) IS NOT TRUE THEN 'The number must be positive.'
              WHEN j.t = '#account' AND atid.dag_cbor_typeof(j.body, '{active}') IS DISTINCT FROM 'boolean'
              THEN '"active" must be true or false.'
              WHEN NOT j.signed THEN unsigned END,
         j.signed, coalesce(c.rev, s.rev), c.since, c.prev_data, r.data
  FROM judged AS j
       CROSS JOIN atid.commit_event(CASE WHEN (j.signed OR j.problem IS NULL) AND j.t = '#commit' THEN j.frame END) AS c
       CROSS JOIN atid.sync_event(CASE WHEN (j.signed OR j.problem IS NULL) AND j.t = '#sync' THEN j.frame END) AS s
       CROSS JOIN atid.repo_commit(CASE WHEN j.problem IS NULL THEN coalesce(c.blocks, s.blocks) END) AS r;

  INSERT INTO bad (digest, stream, did, reason, early, frame)
  SELECT sha256(frame), take_all.name, did, reason, reason = unsigned, frame FROM batch
  WHERE reason IS NOT NULL AND NOT late AND pg_total_relation_size('bad') < most_bad()
  ORDER BY 1 ON CONFLICT DO NOTHING;

  -- Accounts that are new, and identities to ask for: where a signature was not by the key or there was none, and where
  -- somebody says so.
  PERFORM meet(array_agg(DISTINCT did)) FROM batch WHERE reason IS NULL AND t NOT IN ('#info', '#labels');
  FOR one IN SELECT did, bool_or(t = '#identity') IS TRUE AS said FROM batch
           WHERE reason IS NULL AND (signed IS NULL AND t IN ('#commit', '#sync', '#identity') OR other)
                 OR signed IS FALSE AND NOT late GROUP BY did ORDER BY did
  LOOP
    UPDATE identity
    SET ask = least(ask, CASE WHEN one.said THEN moment ELSE later(answered, pause(2)) END), asked = 0, wanted = moment
    WHERE did = one.did AND (one.said OR answered IS NOT NULL);
  END LOOP;
  -- A new one that writes a collection that is a signal.
  INSERT INTO want (what, value, because)
  SELECT DISTINCT ON (did) 'account', did::text, o.collection
  FROM batch AS b CROSS JOIN atid.frame_parts(CASE WHEN t IS NULL AND reason IS NULL AND NOT other THEN frame END) AS h
       CROSS JOIN atid.commit_event_ops(CASE WHEN h.t = '#commit' THEN frame END) AS o
  WHERE NOT of_labels AND NOT everybody AND o.action <> 'delete' AND o.collection = ANY (signals)
    AND octet_length(did::text) <= 512
  ON CONFLICT DO NOTHING;

  -- What is in progress elsewhere is left alone: its frames wait. The rest is locked.
  INSERT INTO held
  SELECT h.did, h.state, h.rev, h.data FROM hold(ARRAY(SELECT did FROM batch WHERE t IS NOT NULL)) AS h;
  who := ARRAY(SELECT did FROM account
               WHERE did = ANY (ARRAY(SELECT did FROM batch WHERE t IS NOT NULL EXCEPT SELECT did FROM held)));
  WITH more AS (
    INSERT INTO waiting
    SELECT take_all.name, seq, did, frame FROM batch AS b
    WHERE t IN ('#commit', '#sync') AND (reason IS NULL OR signed) AND did = ANY (who)
    RETURNING did
  )
  DELETE FROM waiting
  WHERE did IN (SELECT did FROM waiting WHERE did IN (SELECT did FROM more)
                GROUP BY did HAVING sum(octet_length(frame)) > most_waiting());  -- not those that were just added

  -- The signed ones of each account that are new to it, in their order. A commit fits where it goes on from the
  -- one before.
  INSERT INTO chain
  SELECT n, did, rev, data, bool_and(fits) OVER (PARTITION BY did ORDER BY n)
  FROM (SELECT n, did, f.rev, f.data, (t = '#commit' AND reason IS NULL AND since = lag(f.rev, 1, h.rev) OVER w
                                       AND prev_data = lag(f.data, 1, h.data) OVER w) IS TRUE AS fits
        FROM (SELECT DISTINCT ON (did, rev, data) * FROM batch WHERE signed ORDER BY did, rev, data, n) AS f
             JOIN held AS h USING (did)
        WHERE h.state = 'synchronized'
          AND (f.rev > h.rev OR f.rev = h.rev AND f.data IS DISTINCT FROM h.data AND reason IS NULL)
        WINDOW w AS (PARTITION BY did ORDER BY n)) AS c;

  -- The last operation of each record; where the first was no creation, there is an older one.
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT DISTINCT ON (uri) uri, c.did, o.collection, bool_and(o.action = 'create') OVER (PARTITION BY uri), o.cid,
         CASE WHEN o.action <> 'delete' THEN o.block END
  FROM chain AS c JOIN batch AS b USING (n) CROSS JOIN atid.commit_event_ops(b.frame) AS o
       CROSS JOIN atid.at_uri_make(c.did, o.collection, o.rkey) AS uri
  WHERE c.fits AND o.collection LIKE ANY (wanted) ORDER BY uri, n DESC;
  PERFORM write();

  UPDATE account AS a
  SET rev = coalesce(c.rev, a.rev), data = coalesce(c.data, a.data),
      state = CASE WHEN c.fit THEN a.state ELSE 'desynchronized' END,
      load_at = CASE WHEN c.fit THEN a.load_at ELSE moment END
  FROM (SELECT did, (array_agg(rev ORDER BY n DESC) FILTER (WHERE fits))[1] AS rev,
               (array_agg(data ORDER BY n DESC) FILTER (WHERE fits))[1] AS data, bool_and(fits) AS fit
        FROM chain GROUP BY did) AS c WHERE a.did = c.did;
  -- One that is sound shows that the repository is there, signed by that key: that is not waited for.
  UPDATE account AS a
  SET heard = greatest(a.heard, b.rev),
      hurried = CASE WHEN b.sound AND hurried <= hurries THEN moment ELSE hurried END,
      load_at = CASE WHEN b.sound AND hurried <= hurries AND active THEN least(load_at, moment) ELSE load_at END,
      check_at = CASE WHEN b.sound AND hurried <= hurries AND NOT active THEN least(check_at, moment) ELSE check_at END
  FROM (SELECT did, max(rev) AS rev, bool_or(signed AND reason IS NULL) IS TRUE AS sound FROM batch
        WHERE t IS NOT NULL AND reason IS NULL OR signed AND atid.tid_timestamp(rev) <= now() GROUP BY did) AS b
  WHERE a.did = b.did AND a.state = 'desynchronized' AND b.rev IS NOT NULL;

  PERFORM told(did, atid.dag_cbor_get_text(h.body, '{active}')::bool, atid.dag_cbor_get_text(h.body, '{status}'),
               NULL, NULL)
  FROM batch AS b CROSS JOIN atid.frame_parts(frame) AS h WHERE b.t = '#account' AND reason IS NULL ORDER BY n;

  -- The keys of up to 100 labelers are asked for without anybody's saying so.
  SELECT jsonb_agg(l ORDER BY n) INTO labels
  FROM batch AS b
       CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#labels' AND reason IS NULL THEN frame END) AS h
       CROSS JOIN jsonb_array_elements(atid.dag_cbor_to_record(h.body)->'labels') AS l;
  IF labels IS NOT NULL THEN
    who := ARRAY(SELECT DISTINCT src
                 FROM jsonb_array_elements(labels) AS l CROSS JOIN atid.did_or_null(l->>'src') AS src
                 WHERE octet_length(src::text) <= 512);
    who := ARRAY(SELECT w FROM unnest(who) AS w EXCEPT SELECT did FROM identity WHERE did = ANY (who));
    IF who <> '{}' THEN
      INSERT INTO identity (did, labeler)
      SELECT w, true FROM unnest(who[:greatest(0, 100 - (SELECT count(*) FROM identity WHERE labeler))]) AS w
      ON CONFLICT DO NOTHING;
    END IF;
    PERFORM labels_take(labels);
  END IF;

  SELECT count(*) FILTER (WHERE NOT b.late), count(*) FILTER (WHERE reason <> unsigned AND NOT b.late), max(b.error),
         now() - max(CASE WHEN seq IS NOT NULL
                       THEN atid.datetime_or_null(atid.dag_cbor_get_text((atid.frame_parts(frame)).body, '{time}')) END)
  INTO taken, refused, error, lag FROM batch AS b;
  SELECT count(*) INTO applied FROM chain WHERE fits;
  -- A server that has no older frames says so. Its list of accounts shows whose commits were missed.
  IF EXISTS (SELECT FROM batch AS b CROSS JOIN atid.frame_parts(frame) AS h
             WHERE b.t = '#info' AND atid.dag_cbor_get_text(h.body, '{name}') = 'OutdatedCursor') THEN
    UPDATE stream AS s SET listed = '' WHERE s.name = take_all.name;
    UPDATE want SET listed = '' WHERE what = 'signal';
  END IF;
  seconds := greatest(seconds, 0.001);
  UPDATE stream AS s
  SET cursor = greatest(s.cursor, b.seq), frames = s.frames + take_all.taken, commits = s.commits + applied,
      refused = s.refused + take_all.refused, lag = coalesce(take_all.lag, s.lag), taken = clock_timestamp(),
      frame_rate = s.frame_rate + (take_all.taken / seconds - s.frame_rate) * (1 - exp(-seconds / 60)),
      commit_rate = s.commit_rate + (applied / seconds - s.commit_rate) * (1 - exp(-seconds / 60))
  FROM (SELECT max(seq) AS seq FROM batch AS b WHERE reason IS NULL AND NOT b.late) AS b
  WHERE s.name = take_all.name;
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded OR feature_not_supported
            OR raise_exception THEN
  problem := sqlerrm;
END $$;

-- If an index or a trigger of yours raises an error, what has waited is taken for itself, one account after the other,
-- and then each half of the frames, and so on, until the frame is found. It is kept aside.
CREATE FUNCTION take(
  name text, frames bytea[], OUT taken int, OUT applied int, OUT refused int, OUT lag interval, OUT error text
) LANGUAGE plpgsql AS $$
DECLARE
  late atid.did[] := ARRAY(SELECT DISTINCT w.did FROM waiting AS w WHERE w.stream = take.name);
  half CONSTANT int := cardinality(frames) / 2;
  one atid.did;
  why text;
BEGIN
  IF late <> '{}' THEN
    late := ARRAY(SELECT did FROM account WHERE did = ANY (late) AND state <> 'in progress');
  END IF;
  SELECT * INTO taken, applied, refused, lag, error, why FROM take_all(name, frames, late);
  IF why IS NULL THEN
    RETURN;
  END IF;
  FOREACH one IN ARRAY late LOOP
    IF (SELECT t.problem IS NOT NULL FROM take_all(name, '{}', ARRAY[one]) AS t) THEN
      DELETE FROM waiting AS w WHERE w.stream = take.name AND w.did = one;
      UPDATE account SET state = 'desynchronized', load_at = now() WHERE did = one AND state <> 'in progress';
    END IF;
  END LOOP;
  IF half > 0 THEN
    SELECT sum(t.taken), sum(t.applied), sum(t.refused), min(t.lag), max(t.error)
    INTO taken, applied, refused, lag, error
    FROM (VALUES (frames[:half]), (frames[half + 1:])) AS p (part) CROSS JOIN LATERAL take(name, part) AS t;
    RETURN;
  END IF;
  SELECT * INTO taken, applied, refused, lag, error, why FROM take_all(name, frames, '{}');
  IF why IS NULL THEN
    RETURN;
  END IF;
  -- its account is loaded only if it has signed the frame
  SELECT i.did INTO one FROM atid.commit_event(frames[1]) AS c JOIN identity AS i ON i.did = c.did
  WHERE take.name NOT LIKE '%Labels' AND atid.event_is_signed_by(frames[1], i.key);
  INSERT INTO bad (digest, stream, did, reason, early, frame)
  SELECT sha256(frames[1]), name, one, why, false, frames[1] WHERE pg_total_relation_size('bad') < most_bad()
  ON CONFLICT DO NOTHING;
  UPDATE stream AS s SET refused = s.refused + 1 WHERE s.name = take.name;
  UPDATE account SET state = 'desynchronized', load_at = now() WHERE did = one AND state <> 'in progress';
  SELECT 1, 0, 1 INTO taken, applied, refused;
END $$;

-- The list of accounts to read: of all (collection is ''), or of those that have a signal; and from where. Where not
-- all are wanted, each is asked about instead.
CREATE FUNCTION to_list(name text) RETURNS TABLE (collection text, at text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT '', s.listed FROM stream AS s
               WHERE s.name = to_list.name AND s.listed IS NOT NULL
                 AND EXISTS (SELECT FROM want WHERE what = 'account' AND value = '*');
  IF FOUND THEN
    RETURN;
  END IF;
  UPDATE stream AS s SET listed = NULL WHERE s.name = to_list.name AND s.listed IS NOT NULL;
  IF FOUND THEN
    UPDATE identity SET ask = least(ask, later(now(), turn(did))) WHERE answered IS NOT NULL;
    UPDATE account SET check_at = now() WHERE active OR status IS NULL;
  END IF;
  RETURN QUERY SELECT w.value, w.listed FROM want AS w WHERE w.what = 'signal' AND w.listed IS NOT NULL LIMIT 1;
END $$;

-- A page of accounts, the cursor that it is of, that of the next one (NULL: there is none), and when it was asked
-- for. At the end those that no page had are asked about.
CREATE FUNCTION list(name text, of text, at text, repos jsonb, next text, asked timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  r record;
  start timestamptz;
BEGIN
  next := CASE WHEN next NOT IN ('', at) THEN next END;
  PERFORM FROM stream AS s WHERE s.name = list.name FOR UPDATE;
  IF of = '' THEN
    UPDATE stream AS s SET listed = next, began = CASE WHEN at = '' THEN asked ELSE began END
    WHERE s.name = list.name AND s.listed = at;
  ELSE
    UPDATE want SET listed = next WHERE what = 'signal' AND value = of AND listed = at;
  END IF;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  FOR r IN SELECT DISTINCT ON (did) did, e
           FROM jsonb_array_elements(repos) AS e CROSS JOIN atid.did_or_null(e->>'did') AS did
           WHERE octet_length(did::text) <= 512 ORDER BY did
  LOOP
    IF of <> '' THEN
      INSERT INTO want (what, value, because) VALUES ('account', r.did, of) ON CONFLICT DO NOTHING;
    ELSE
      PERFORM meet(ARRAY[r.did]);
      UPDATE identity SET ask = least(ask, later(now(), turn(did)))
      WHERE did = r.did AND answered < list.asked - spread();
      PERFORM told(r.did, r.e->'active' IS DISTINCT FROM 'false', r.e->>'status', r.e->>'rev', asked);
    END IF;
  END LOOP;
  IF of = '' AND next IS NULL THEN
    start := (SELECT s.began FROM stream AS s WHERE s.name = list.name);
    UPDATE account AS a SET check_at = now()
    WHERE active AND (greatest(a.listed, a.said) < start OR a.listed IS NULL AND a.said IS NULL);
  END IF;
END $$;

-- Accounts to ask the server about, com.atproto.sync.getRepoStatus. They come again until told() has the answer.
CREATE FUNCTION doubtful(most int) RETURNS SETOF atid.did LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY
  UPDATE account AS a SET check_at = now() + pause(6)
  WHERE a.did = ANY (ARRAY(SELECT did FROM account WHERE check_at < 'infinity' AND check_at <= now()
                           ORDER BY check_at LIMIT most FOR UPDATE SKIP LOCKED))
  RETURNING a.did;
END $$;

-- Accounts whose log or document to ask for, those first that never had an answer. They come again, later each time,
-- until there is one.
CREATE FUNCTION ask(most int) RETURNS SETOF atid.did LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  known bool;
BEGIN
  FOREACH known IN ARRAY '{false,true}'::bool[] LOOP
    RETURN QUERY
    UPDATE identity AS i
    SET asked = i.asked + 1,
        ask = CASE WHEN i.did::text ~ '^did:(plc|web):' THEN now() + pause(i.asked) ELSE 'infinity' END
    WHERE i.did = ANY (ARRAY(SELECT did FROM identity AS n WHERE (n.answered IS NOT NULL) = known AND n.ask <= now()
                             ORDER BY n.ask LIMIT most FOR UPDATE SKIP LOCKED))
    RETURNING i.did;
    EXIT WHEN FOUND;
  END LOOP;
END $$;

-- Who an account is, as it was asked for at a time; keys are all that it has had. Where the key is another one, the
-- account is loaded anew. One that has a tombstone, or has left the PDS whose stream is followed, has no records.
CREATE FUNCTION know(
  account atid.did, new_key text, keys text[], names jsonb, new_pds text, tombstone bool, asked timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  i identity;
  a account;
  home CONSTANT text := (SELECT max(s.pds) FROM stream AS s);
  enough bool;
  next timestamptz := now() + identity_age() * (0.9 + 0.2 * random());
BEGIN
  SELECT * INTO i FROM identity AS x WHERE x.did = know.account FOR UPDATE;
  SELECT * INTO a FROM account AS x WHERE x.did = know.account FOR UPDATE;
  new_key := CASE WHEN atid.did_key_is_valid(new_key) THEN new_key END;
  new_pds := rtrim(new_pds, '/');

  -- Frames that were only too early or too late are not bad. The last of them that the key has signed is taken again:
  -- what is there may be older. While others are left, the answer may be older than they are.
  WITH found AS (
    DELETE FROM bad AS b
    WHERE b.did = know.account AND b.early
      AND EXISTS (SELECT FROM unnest(keys) AS k WHERE atid.event_is_signed_by(b.frame, k))
    RETURNING b.stream, b.frame
  )
  INSERT INTO waiting (stream, seq, did, frame)
  SELECT f.stream, atid.dag_cbor_get_text(h.body, '{seq}')::bigint AS seq, a.did, f.frame
  FROM found AS f CROSS JOIN atid.frame_parts(f.frame) AS h
  WHERE a.did IS NOT NULL AND atid.event_is_signed_by(f.frame, new_key) ORDER BY seq DESC LIMIT 1;
  enough := know.asked >= coalesce(i.wanted, '-infinity')
            AND (i.asked > 6 OR NOT EXISTS (SELECT FROM bad AS b WHERE b.did = know.account AND b.early));
  UPDATE bad AS b SET early = false WHERE b.did = know.account AND b.early AND enough;

  UPDATE identity AS x
  SET key = new_key, pds = new_pds, problem = NULL, answered = now(),
      handle = substr(jsonb_path_query_first(names, '$[*] ? (@ starts with "at://")') ->> 0, 6),
      asked = CASE WHEN enough THEN 0 ELSE x.asked END,
      ask = CASE WHEN enough THEN next ELSE x.ask END
  WHERE x.did = know.account;
  IF tombstone OR home <> coalesce(new_pds, '') THEN
    UPDATE account AS x SET barred = true WHERE x.did = a.did;
    PERFORM silence(a.did, CASE WHEN tombstone THEN 'tombstoned' ELSE 'moved' END) WHERE a.active;
  ELSIF a.barred THEN
    UPDATE account AS x SET barred = false, active = true, status = NULL, load_at = now() WHERE x.did = a.did;
  ELSIF new_key IS DISTINCT FROM i.key THEN
    next := CASE WHEN new_key IS NULL THEN 'infinity' ELSE now() END;
    UPDATE account AS x SET state = 'desynchronized', failures = 0, load_at = next WHERE x.did = a.did;
  END IF;
END $$;

-- An account's log, as the directory's /log/audit has it.
CREATE FUNCTION identify(account atid.did, log jsonb, asked timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  i identity;
  h record;
  why text;
  again jsonb;
BEGIN
  SELECT * INTO i FROM identity WHERE did = account FOR UPDATE;
  why := coalesce(atid.plc_log_problem(log),
    CASE WHEN log->0->>'did' IS DISTINCT FROM account::text THEN 'The log must be that of the account.'
         WHEN jsonb_array_length(log) < jsonb_array_length(i.log) THEN 'The log must not be shorter than it was.' END);
  IF why IS NOT NULL THEN
    UPDATE identity SET problem = why WHERE did = account;
    RETURN;
  END IF;
  SELECT * INTO h FROM atid.plc_log_history(log) AS x WHERE x.valid_to IS NULL;
  UPDATE identity SET log = identify.log WHERE did = account;
  PERFORM know(account, h.data #>> '{verificationMethods,atproto}',
    ARRAY(SELECT k.key FROM atid.plc_log_keys(log) AS k WHERE k.id = 'atproto'), h.data->'alsoKnownAs',
    h.data #>> '{services,atproto_pds,endpoint}', h.type = 'plc_tombstone', asked);
  PERFORM label_keys_take(account, log);
  WITH early AS (
    DELETE FROM labels_refused WHERE label->>'src' = account::text AND i.answered IS NULL RETURNING label
  )
  SELECT jsonb_agg(label) INTO again FROM early;
  PERFORM labels_take(again);
END $$;

-- An account's DID document, as https://its.domain/.well-known/did.json has it.
CREATE FUNCTION identify_web(account atid.did, document jsonb, asked timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  key text;
BEGIN
  IF document->>'id' IS DISTINCT FROM account::text THEN
    UPDATE identity SET problem = 'The document must be that of the account.' WHERE did = account;
    RETURN;
  END IF;
  SELECT CASE m->>'type' WHEN 'Multikey' THEN 'did:key:' || (m->>'publicKeyMultibase')
              ELSE atid.did_key_from_multibase(m->>'type', m->>'publicKeyMultibase') END
  INTO key FROM jsonb_path_query(document, '$.verificationMethod[*]') AS m
  WHERE m->>'id' IN ('#atproto', account || '#atproto') AND m->>'controller' = account::text LIMIT 1;
  PERFORM know(account, key, ARRAY[key], document->'alsoKnownAs',
    (SELECT s->>'serviceEndpoint' FROM jsonb_path_query(document, '$.service[*]') AS s
     WHERE s->>'id' IN ('#atproto_pds', account || '#atproto_pds') LIMIT 1), false, asked);
END $$;

-- Accounts to load, each with the number of the attempt. Those of a host that has failed come later.
CREATE FUNCTION claim(most int) RETURNS TABLE (did atid.did, claim int) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  c record;
BEGIN
  FOR c IN SELECT a.did, i.key, h.until FROM due AS a JOIN identity AS i ON i.did = a.did
                  LEFT JOIN host AS h ON h.name = i.pds AND h.until > now() AND h.failures > 2
           ORDER BY a.load_at LIMIT most + 20 FOR UPDATE OF a SKIP LOCKED LOOP
    IF c.key IS NULL OR c.until IS NOT NULL THEN
      -- unless an identify() that has ended since was the one that had the key
      UPDATE account AS a SET load_at = coalesce(c.until, 'infinity')
      WHERE a.did = c.did AND (c.key IS NOT NULL OR NOT EXISTS (SELECT FROM identity AS i
                                                                WHERE i.did = c.did AND i.key IS NOT NULL));
    ELSIF most > 0 THEN
      most := most - 1;
      RETURN QUERY UPDATE account AS a SET state = 'in progress', claim = a.claim + 1, claimed = now()
                   WHERE a.did = c.did RETURNING a.did, a.claim;
    END IF;
  END LOOP;
END $$;

-- A repository, as com.atproto.sync.getRepo has it. Returns how many records have changed; NULL: it is wanted no more.
CREATE FUNCTION load(account atid.did, attempt int, car bytea) RETURNS int LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
DECLARE
  c record;
  a account;
  i identity;
  n CONSTANT int := (SELECT w.n FROM wants AS w);
  wanted CONSTANT text[] := patterns();
  changed int;
BEGIN
  SELECT * INTO a FROM account AS x
  WHERE x.did = load.account AND x.state = 'in progress' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  SELECT * INTO i FROM identity AS x WHERE x.did = a.did;
  PERFORM scratch();
  -- what differs: whatever is known of the tables' sizes, all of one account is hashed against all of the other
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT coalesce(l.uri, r.uri), a.did, l.collection, r.uri IS NULL, l.cid, l.block
  FROM (SELECT atid.at_uri_make(a.did, x.collection, x.rkey) AS uri, x.collection, x.cid, x.block
        FROM atid.repo_records_signed_by(car, a.did, i.key) AS x WHERE x.collection LIKE ANY (wanted)) AS l
       FULL JOIN (SELECT x.uri, x.cid FROM record AS x WHERE x.did = a.did
                  AND x.uri BETWEEN atid.at_uri_make(a.did) AND atid.at_uri_scope_upper(atid.at_uri_make(a.did))) AS r
       ON l.uri = r.uri
  WHERE l.cid IS DISTINCT FROM r.cid;
  GET DIAGNOSTICS changed = ROW_COUNT;
  SELECT rev, data INTO c FROM atid.repo_commit(car);
  -- one that is older than what was announced or was here is taken only where nobody has another
  IF c.rev IS NULL OR c.rev < greatest(a.heard, a.rev) AND a.failures < 8
     OR atid.tid_timestamp(c.rev) > now() + interval '5 minutes' THEN
    RAISE data_exception
      USING MESSAGE = format('revision %s is not as new as %s, or of the future', c.rev, greatest(a.heard, a.rev));
  END IF;
  PERFORM write();
  UPDATE account AS x
  SET state = 'synchronized', rev = c.rev, data = c.data, heard = NULL, wants = n, failures = 0, problem = NULL,
      load_at = 'infinity'
  WHERE x.did = a.did;
  DELETE FROM host AS h WHERE h.name = i.pds;
  RETURN changed;
END $$;

-- It was not to be had, or not as it should be: the next attempt is later each time, and the key may be an old one.
-- Or the server has answered what has become of the account. Or the host fails: its other accounts wait too.
CREATE FUNCTION fail(account atid.did, attempt int, why text, answer text, of_host bool) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  a account;
BEGIN
  UPDATE identity SET ask = least(ask, later(answered, pause(2))), wanted = now()
  WHERE did = account AND why LIKE 'repository is not signed%';
  UPDATE account AS x
  SET state = 'desynchronized', failures = failures + 1, problem = why, load_at = later(now(), pause(failures))
  WHERE x.did = fail.account AND x.state = 'in progress' AND x.claim = attempt RETURNING * INTO a;
  IF a.did IS NULL THEN
    RETURN;
  END IF;
  PERFORM told(a.did, false, answer, NULL, a.claimed)
  WHERE answer IN ('RepoNotFound', 'RepoDeactivated', 'RepoTakendown', 'RepoSuspended');
  INSERT INTO host AS h (name, failures, until, problem)
  SELECT pds, 1, now() + pause(0), why FROM identity WHERE did = a.did AND pds IS NOT NULL AND of_host
  ON CONFLICT (name) DO UPDATE
  SET failures = h.failures + 1, until = now() + pause(h.failures), problem = excluded.problem;
END $$;

-- Follows the table want: some accounts that were added or taken out, and some of those whose records are of older
-- wants. It waits while 1,000 are to be loaded.
CREATE FUNCTION settle(name text, most int) RETURNS int LANGUAGE plpgsql SET jit = off SET enable_seqscan = off AS $$
DECLARE
  w wants;
  one atid.did;
  wanted CONSTANT text[] := patterns();
  moment CONSTANT timestamptz := now();
  dids atid.did[];
  done int := 0;
BEGIN
  PERFORM FROM stream AS s WHERE s.name = settle.name FOR UPDATE;
  SELECT * INTO w FROM wants;
  IF (SELECT count(*) FROM (SELECT did FROM due LIMIT 1000) AS d) >= 1000 THEN
    RETURN 0;
  END IF;
  WITH gone AS (
    DELETE FROM unsettled WHERE ctid = ANY (ARRAY(SELECT u.ctid FROM unsettled AS u LIMIT most)) RETURNING did
  )
  SELECT array_agg(did) INTO dids FROM gone;
  dids := dids || ARRAY(SELECT did FROM account WHERE wants < w.n ORDER BY wants LIMIT most);
  FOR one IN SELECT DISTINCT did FROM unnest(dids) AS did ORDER BY did LOOP
    done := done + 1;
    IF one IS NULL THEN
      UPDATE stream AS s SET listed = '' WHERE s.name = settle.name;
    ELSIF EXISTS (SELECT FROM want WHERE what = 'account' AND value IN ('*', one::text)) THEN
      PERFORM meet(ARRAY[one]);
      IF EXISTS (SELECT FROM account AS a WHERE a.did = one AND a.wants < w.n) THEN
        PERFORM forget(one, wanted);
        UPDATE account AS a
        SET wants = w.n,
            load_at = CASE WHEN a.wants < w.loads AND a.rev IS NOT NULL THEN least(a.load_at, moment) ELSE a.load_at END
        WHERE a.did = one AND a.state <> 'in progress' AND a.wants < w.n;
      END IF;
    ELSE
      DELETE FROM identity WHERE did = one AND NOT labeler;
      PERFORM forget(one, '{}');
      DELETE FROM waiting WHERE did = one;
      DELETE FROM account WHERE did = one;
    END IF;
  END LOOP;
  RETURN done;
END $$;

-- A reader of what is written from now on. Nothing that is being written at this moment is left out.
CREATE FUNCTION read_from_now(reader text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE reader IN ACCESS EXCLUSIVE MODE;
  INSERT INTO reader (name) VALUES (reader);
END $$;

-- The next changes for a reader: each once, and the record as it is now. What is still being written comes later.
CREATE FUNCTION changes(reader text, most int)
RETURNS TABLE (tx xid8, n bigint, uri atid.at_uri, cid atid.cid_link, block bytea) LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  r reader;
  until CONSTANT xid8 := pg_snapshot_xmin(pg_current_snapshot());
  uris atid.at_uri[];
BEGIN
  SELECT * INTO r FROM reader AS x WHERE x.name = changes.reader FOR UPDATE;
  uris := ARRAY(SELECT k.uri FROM change AS k
                WHERE (k.tx, k.n) > (r.tx, r.n) AND k.tx < until ORDER BY k.tx, k.n LIMIT most);
  RETURN QUERY
  WITH c AS MATERIALIZED (
    SELECT k.tx, k.n, k.uri FROM change AS k
    WHERE (k.tx, k.n) > (r.tx, r.n) AND k.tx < until ORDER BY k.tx, k.n LIMIT most
  ), x AS MATERIALIZED (
    SELECT y.uri, y.cid, y.block FROM record AS y
    WHERE y.uri = ANY (uris) AND y.did = ANY (ARRAY(SELECT atid.at_uri_did(u) FROM unnest(uris) AS u))
  )
  SELECT c.tx, c.n, c.uri, x.cid, x.block FROM c LEFT JOIN x ON x.uri = c.uri ORDER BY c.tx, c.n;
END $$;

-- It has read so far. What all have read is deleted.
CREATE FUNCTION read_to(reader text, tx xid8, n bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE reader AS r SET tx = read_to.tx, n = read_to.n WHERE r.name = read_to.reader;
  DELETE FROM change AS c WHERE (c.tx, c.n) <= (SELECT r.tx, r.n FROM reader AS r ORDER BY r.tx, r.n LIMIT 1);
END $$;

-- What to watch. It reads account whole.
CREATE VIEW watch AS
SELECT 'stream_' || v.what AS what, s.name AS of, v.value
FROM stream AS s CROSS JOIN LATERAL (VALUES
  ('cursor', s.cursor::float8), ('frames', s.frames), ('commits', s.commits), ('refused', s.refused),
  ('frames_per_second', s.frame_rate), ('commits_per_second', s.commit_rate),
  ('lag_seconds', extract(epoch FROM s.lag)), ('idle_seconds', extract(epoch FROM clock_timestamp() - s.taken)),
  ('listed', (s.listed IS NULL)::int)) AS v (what, value)
UNION ALL
SELECT 'accounts', CASE WHEN active THEN state ELSE 'inactive' END, count(*) FROM account GROUP BY 2
UNION ALL
SELECT 'bad', CASE WHEN early THEN 'early' ELSE 'refused' END, count(*) FROM bad GROUP BY 2
UNION ALL
SELECT 'host_failures', name, failures FROM host
UNION ALL
SELECT 'waiting', v.what, v.n FROM (VALUES
  ('frames', (SELECT count(*) FROM waiting)), ('identities', (SELECT count(*) FROM identity WHERE ask <= now())),
  ('loads', (SELECT count(*) FROM due)), ('checks', (SELECT count(*) FROM account WHERE check_at <= now())),
  ('labels', (SELECT count(*) FROM labels_refused)), ('changes', (SELECT count(*) FROM change))) AS v (what, n);

-- The accounts in trouble, why, and when it is tried again.
CREATE VIEW trouble AS
SELECT * FROM (
  SELECT a.did, i.handle, i.pds, a.state, CASE
      WHEN i.problem IS NOT NULL THEN 'its identity was not taken: ' || i.problem
      WHEN i.answered IS NULL AND i.asked > 0 THEN 'nobody has said who it is, asked ' || i.asked || ' times'
      WHEN i.answered IS NOT NULL AND i.key IS NULL THEN 'it has no key'
      WHEN a.problem LIKE 'repository is not signed%'
      THEN 'its host has a repository that another key has signed, as after a move, until it writes'
      WHEN h.name IS NOT NULL AND a.state <> 'synchronized'
      THEN 'its host has failed ' || h.failures || ' times: ' || h.problem
      ELSE 'it could not be loaded, ' || a.failures || ' times: ' || a.problem END AS why,
    CASE WHEN i.key IS NULL THEN i.ask ELSE a.load_at END AS next
  FROM account AS a JOIN identity AS i ON i.did = a.did LEFT JOIN host AS h ON h.name = i.pds AND h.failures > 2
  WHERE a.active) AS t
WHERE why IS NOT NULL;
