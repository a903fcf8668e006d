-- The tables of an indexer, and the functions that its consumer calls. doc/indexer.md tells how they are used.
--
--   start()                   where to go on
--   take()                    frames of the stream: verified, applied, the cursor moved, all in one transaction
--   list()                    accounts, as com.atproto.sync.listRepos has them
--   ask(), identify()         accounts whose PLC log is wanted; such a log: verified, it gives the key
--   claim(), load(), fail()   accounts whose repository is wanted; such a repository: verified, it replaces
--                             what is there
--
-- Each of them locks rows in this order: stream, identity, account.
--
-- It needs the extension atid_crypto, and a database or a search_path of its own.

-- Who an account is, by its PLC log.
CREATE TABLE identity (
  did      atid.did PRIMARY KEY,
  key      text CHECK (atid.did_key_is_valid(key)),  -- that signs its commits; NULL: not known, or none
  handle   text,                                     -- as the account says; nobody has proven it
  pds      text,
  log      jsonb,                                    -- verified
  ask      timestamptz NOT NULL DEFAULT now(),       -- when to ask the directory for the log
  asked    int NOT NULL DEFAULT 0,                   -- how often without an answer
  answered timestamptz,
  problem  text                                      -- why the last log was not taken
);
CREATE INDEX identity_ask ON identity (ask) WHERE ask < 'infinity';

-- What is there of an account.
CREATE TABLE account (
  did      atid.did PRIMARY KEY,
  active   bool NOT NULL DEFAULT true,
  status   text,                                     -- why it is not active
  said     timestamptz,                              -- when the stream said so: an older list is not believed
  state    text NOT NULL DEFAULT 'desynchronized' CHECK (state IN ('synchronized', 'desynchronized', 'in progress')),
  rev      atid.tid,                                 -- of the last commit that was applied,
  data     atid.cid_link,                            -- and the root of its tree
  heard    atid.tid,                                 -- announced: what is loaded must not be older
  claim    int NOT NULL DEFAULT 0,                   -- the number of the last attempt to load it
  failures int NOT NULL DEFAULT 0,                   -- of these, how many have failed since one has not
  load_at  timestamptz NOT NULL DEFAULT 'infinity',  -- when to load it
  problem  text,                                     -- why it could not be loaded
  CHECK (state <> 'synchronized' OR rev IS NOT NULL AND data IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX account_load_at ON account (load_at) WHERE state = 'desynchronized' AND active AND load_at < 'infinity';

-- The records, as blocks: a block holds all that a stranger can write, and the CID is the hash of it. One that is not
-- DAG-CBOR is kept too, since the signed root counts it: a query that reads fields asks atid.dag_cbor_is_valid(block).
CREATE TABLE record (
  uri   atid.at_uri PRIMARY KEY,
  cid   atid.cid_link NOT NULL,
  block bytea NOT NULL
);
CREATE INDEX record_points_at ON record USING gin (atid.dag_cbor_ref_uris(block));
CREATE INDEX record_subject ON record (atid.dag_cbor_ref_uri(block, '{subject}'), atid.at_uri_tid(uri))
  WHERE atid.dag_cbor_ref_uri(block, '{subject}') IS NOT NULL;
CREATE INDEX record_parent ON record (atid.dag_cbor_ref_uri(block, '{reply,parent}'), atid.at_uri_tid(uri))
  WHERE atid.dag_cbor_ref_uri(block, '{reply,parent}') IS NOT NULL;
CREATE STATISTICS record_subject_stats ON (atid.dag_cbor_ref_uri(block, '{subject}')) FROM record;
CREATE STATISTICS record_collection_stats ON (atid.at_uri_collection(uri)) FROM record;

-- Labels, as doc/label.md has them.
-- the keys of labelers, each until it was taken out of the DID document
CREATE TABLE label_keys (
  src      atid.did,
  key      text CHECK (atid.did_key_is_valid(key)),
  valid_to timestamptz NOT NULL DEFAULT 'infinity',
  PRIMARY KEY (src, key)
);

-- the newest label of each source, subject and value; negations too
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

-- How far each stream was read.
CREATE TABLE stream (
  name     text PRIMARY KEY,
  cursor   bigint NOT NULL DEFAULT 0,
  frames   bigint NOT NULL DEFAULT 0,
  listed   text DEFAULT ''                           -- the cursor of listRepos; NULL: all accounts were listed
);

-- Frames that were not taken, each once. Anybody can make some: no more than 1 GB is kept, until you TRUNCATE it.
CREATE TABLE bad (
  digest   bytea PRIMARY KEY,
  stream   text NOT NULL,
  received timestamptz NOT NULL DEFAULT now(),
  did      atid.did,
  reason   text NOT NULL,
  frame    bytea NOT NULL
);

-- Frames of accounts that are being loaded. Of more than 64 MB of one account only the newest stay: unless the
-- repository is as new as they are, they do not go on from it, and so the account is loaded again.
CREATE TABLE waiting (
  stream text NOT NULL,
  seq    bigint NOT NULL,
  did    atid.did NOT NULL,
  frame  bytea NOT NULL
);
CREATE INDEX waiting_did ON waiting (did);
ALTER TABLE bad ALTER frame SET STORAGE EXTERNAL;     -- hashes and signatures do not compress
ALTER TABLE waiting ALTER frame SET STORAGE EXTERNAL;

CREATE FUNCTION most_bad() RETURNS bigint LANGUAGE sql RETURN 1000000000;
CREATE FUNCTION most_waiting() RETURNS bigint LANGUAGE sql RETURN 64000000;

CREATE FUNCTION keep(stream text, did atid.did, reason text, frame bytea) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  INSERT INTO bad (digest, stream, did, reason, frame) SELECT sha256(frame), stream, did, reason, frame
  WHERE pg_total_relation_size('bad') < most_bad() ON CONFLICT DO NOTHING;
END;

-- How long to wait after so many attempts that failed.
CREATE FUNCTION pause(failed int) RETURNS interval LANGUAGE sql
RETURN least(interval '2 s' * 2 ^ least(failed, 12), interval '1 h');

-- Where to go on. What an earlier consumer had begun to load is begun anew. Where the stream begins at its present end,
-- all accounts are listed, as nothing else tells what came before.
CREATE FUNCTION start(name text, loads bool) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stream (name) VALUES (start.name) ON CONFLICT DO NOTHING;
  UPDATE stream AS s SET listed = '' WHERE s.name = start.name AND cursor = 0;
  UPDATE account SET state = 'desynchronized', load_at = now() WHERE state = 'in progress' AND loads;
  RETURN (SELECT cursor FROM stream AS s WHERE s.name = start.name);
END $$;

-- Adds those of the accounts that are new, each with the revision that was announced. One whose key is known is
-- loaded, the others once identify() has a key.
CREATE FUNCTION meet(dids atid.did[], revs atid.tid[]) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  INSERT INTO identity (did) SELECT did FROM unnest(dids) AS did ORDER BY did ON CONFLICT DO NOTHING;
  INSERT INTO account (did, heard, load_at)
  SELECT did, rev, CASE WHEN key IS NULL THEN 'infinity' ELSE now() END
  FROM unnest(dids, revs) AS n (did, rev) JOIN identity AS i USING (did)
  WHERE NOT EXISTS (SELECT FROM account AS a WHERE a.did = n.did) FOR SHARE OF i  -- waits for an identify()
  ON CONFLICT DO NOTHING;
END;

-- An account's records are given out no more.
CREATE FUNCTION forget(account atid.did) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  DELETE FROM record
  WHERE uri <@ account AND uri BETWEEN atid.at_uri_make(account) AND atid.at_uri_scope_upper(atid.at_uri_make(account));
END;

-- What take() does. The planner's settings are there because a session plans these statements once, maybe while
-- the tables are small; nothing here is ever a reason to read one of them whole.
CREATE FUNCTION take_all(
  name text, frames bytea[], OUT taken int, OUT applied int, OUT refused int, OUT lag interval, OUT error text
) LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  of_labels CONSTANT bool := name LIKE '%Labels';
  last bigint;
  gone atid.did;
BEGIN
  IF to_regclass('pg_temp.batch') IS NULL THEN
    CREATE TEMP TABLE batch (
      n bigint PRIMARY KEY, late bool, frame bytea, t text, error text, seq bigint, did atid.did, reason text,
      signed bool, rev atid.tid, since atid.tid, prev_data atid.cid_link, data atid.cid_link
    ) ON COMMIT DELETE ROWS;
    ALTER TABLE batch ALTER frame SET STORAGE EXTERNAL;
    CREATE TEMP TABLE held (
      did atid.did PRIMARY KEY, state text, rev atid.tid, data atid.cid_link
    ) ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE chain (
      n bigint PRIMARY KEY, did atid.did, rev atid.tid, data atid.cid_link, fits bool
    ) ON COMMIT DELETE ROWS;
  END IF;
  DELETE FROM batch;
  DELETE FROM held;
  DELETE FROM chain;
  SELECT cursor INTO last FROM stream WHERE stream.name = take_all.name FOR UPDATE;

  -- Each frame: what it says, and what is wrong with it. Those that have waited come first. A number that is
  -- not above the cursor is that of a frame that was taken before.
  WITH late AS (
    DELETE FROM waiting AS w USING account AS a
    WHERE w.stream = take_all.name AND a.did = w.did AND a.state <> 'in progress' RETURNING w.seq, w.frame
  ), split AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY late DESC, place) AS n, f.late, f.frame, m.body,
           -- a labeler has nothing to say of accounts
           CASE WHEN h.op = 1 AND (h.t = '#info' OR (h.t = '#labels') = of_labels) THEN h.t END AS t,
           h.error, frame_problem,
           CASE WHEN atid.dag_cbor_typeof(m.body, '{seq}') = 'number'
             THEN atid.dag_cbor_get_text(m.body, '{seq}')::bigint END AS seq,
           atid.at_uri_did(
             atid.dag_cbor_ref_uri(m.body, ARRAY[CASE h.t WHEN '#commit' THEN 'repo' ELSE 'did' END])) AS did
    FROM (SELECT true, late.seq, late.frame FROM late
          UNION ALL
          SELECT false, u.n, u.frame FROM unnest(frames) WITH ORDINALITY AS u (frame, n)) AS f (late, place, frame)
         CROSS JOIN atid.frame_problem(f.frame)
         CROSS JOIN LATERAL (SELECT CASE WHEN frame_problem IS NULL THEN f.frame END AS frame) AS good
         CROSS JOIN atid.frame_header(good.frame) AS h
         CROSS JOIN atid.frame_body(good.frame) AS m (body)
  ), judged AS MATERIALIZED (
    SELECT s.*, CASE s.t WHEN '#commit' THEN atid.commit_event_problem(s.body, now() + interval '5 minutes')
                         WHEN '#sync' THEN atid.sync_event_problem(s.body, now() + interval '5 minutes') END AS problem,
           CASE s.t WHEN '#commit' THEN atid.commit_event_is_signed_by(s.body, i.key)
                    WHEN '#sync' THEN atid.sync_event_is_signed_by(s.body, i.key) END AS signed
    FROM split AS s LEFT JOIN identity AS i ON i.did = s.did
    WHERE s.late OR s.seq IS NULL OR s.seq > last
  )
  INSERT INTO batch
  SELECT j.n, j.late, j.frame, j.t, j.error, j.seq, j.did,
         CASE WHEN j.frame_problem IS NOT NULL THEN j.frame_problem
              WHEN j.problem IS NOT NULL THEN j.problem
              WHEN j.signed IS FALSE THEN 'The commit must be signed by the key of the account.'
              WHEN j.t = '#labels' AND atid.dag_cbor_typeof(j.body, '{labels}') IS DISTINCT FROM 'array'
              THEN '"labels" must be an array.'
              WHEN j.t = '#commit' AND octet_length(j.frame) > 10000  -- 200 operations may have one block
                   AND (SELECT sum(octet_length(o.block)) FROM atid.commit_event_ops(j.body) AS o)
                       > 4.0 * octet_length(j.frame)
              THEN 'The records must not be more than four times the frame.'
              WHEN j.t IN ('#commit', '#sync', '#account', '#identity') THEN
                CASE WHEN j.did IS NULL THEN 'The account must be a DID.'
                     WHEN octet_length(j.did::text) > 512 THEN 'The DID must not be longer than 512 bytes.'
                     WHEN j.seq IS NULL OR j.seq < 1 THEN 'The number must be positive.'
                     WHEN j.t = '#account' AND atid.dag_cbor_typeof(j.body, '{active}') IS DISTINCT FROM 'boolean'
                     THEN '"active" must be true or false.' END
         END,
         j.signed, coalesce(c.rev, s.rev), c.since, c.prev_data, r.data
  FROM judged AS j
       CROSS JOIN atid.commit_event(CASE WHEN (j.signed OR j.problem IS NULL) AND j.t = '#commit' THEN j.body END) AS c
       CROSS JOIN atid.sync_event(CASE WHEN (j.signed OR j.problem IS NULL) AND j.t = '#sync' THEN j.body END) AS s
       CROSS JOIN atid.repo_commit(CASE WHEN j.problem IS NULL THEN coalesce(c.blocks, s.blocks) END) AS r;

  PERFORM keep(take_all.name, did, reason, frame) FROM batch WHERE reason IS NOT NULL AND NOT late;
  GET DIAGNOSTICS refused = ROW_COUNT;

  -- Accounts that are new, and keys to ask for: of a new one, where a signature was not by the key or the log had
  -- none, and where somebody says so.
  PERFORM meet(array_agg(DISTINCT did), NULL) FROM batch
  WHERE reason IS NULL AND t IN ('#commit', '#sync', '#account', '#identity');
  UPDATE identity AS i
  SET ask = least(ask, CASE WHEN b.said THEN now() ELSE answered + pause(2) END), asked = 0
  FROM (SELECT did, bool_or(t = '#identity') AS said FROM batch
        WHERE reason IS NULL AND signed IS NULL AND t <> '#account' OR signed IS FALSE AND NOT late GROUP BY did) AS b
  WHERE i.did = b.did AND (b.said OR answered IS NOT NULL);

  -- What is in progress elsewhere is left alone: its frames wait. The rest is locked.
  INSERT INTO held
  SELECT did, state, rev, data FROM account
  WHERE did = ANY (ARRAY(SELECT did FROM batch)) AND state <> 'in progress' ORDER BY did FOR UPDATE;
  WITH more AS (
    INSERT INTO waiting
    SELECT take_all.name, seq, did, frame FROM batch AS b
    WHERE t IN ('#commit', '#sync') AND (reason IS NULL OR signed)
      AND EXISTS (SELECT FROM account AS a WHERE a.did = b.did)
      AND NOT EXISTS (SELECT FROM held AS h WHERE h.did = b.did)
    RETURNING did
  )
  DELETE FROM waiting
  WHERE did IN (SELECT did FROM waiting WHERE did IN (SELECT did FROM more)
                GROUP BY did HAVING sum(octet_length(frame)) > most_waiting());  -- not those that were just added

  -- The signed ones of each account that are new to it, in their order. A commit fits where it goes on from the
  -- one before.
  INSERT INTO chain
  SELECT n, did, rev, data, bool_and(fits) OVER (PARTITION BY did ORDER BY n)
  FROM (SELECT n, did, rev, data, coalesce(t = '#commit' AND reason IS NULL AND since = lag(rev, 1, held_rev) OVER w
                                           AND prev_data = lag(data, 1, held_data) OVER w, false) AS fits
        FROM (SELECT b.*, h.rev AS held_rev, h.data AS held_data,
                     row_number() OVER (PARTITION BY b.did, b.rev, b.data ORDER BY n) AS copy
              FROM batch AS b JOIN held AS h USING (did)
              WHERE h.state = 'synchronized' AND b.signed
                AND (b.rev > h.rev OR b.rev = h.rev AND b.data IS DISTINCT FROM h.data AND b.reason IS NULL)) AS f
        WHERE copy = 1
        WINDOW w AS (PARTITION BY did ORDER BY n)) AS c;

  WITH op AS MATERIALIZED (
    SELECT DISTINCT ON (uri) uri, o.action, o.cid, o.block
    FROM chain AS c JOIN batch AS b USING (n) CROSS JOIN atid.commit_event_ops(atid.frame_body(b.frame)) AS o
         CROSS JOIN atid.at_uri_make(c.did, o.collection, o.rkey) AS uri
    WHERE c.fits ORDER BY uri, n DESC
  ), deleted AS (
    DELETE FROM record AS r USING op WHERE r.uri = op.uri AND op.action = 'delete'
  )
  INSERT INTO record SELECT uri, cid, block FROM op WHERE action <> 'delete'
  ON CONFLICT (uri) DO UPDATE SET cid = excluded.cid, block = excluded.block;

  UPDATE account AS a SET rev = c.rev, data = c.data
  FROM (SELECT DISTINCT ON (did) did, rev, data FROM chain WHERE fits ORDER BY did, n DESC) AS c WHERE a.did = c.did;
  UPDATE account AS a SET state = 'desynchronized', load_at = now()
  FROM (SELECT DISTINCT did FROM chain WHERE NOT fits) AS c WHERE a.did = c.did;
  UPDATE account AS a SET heard = greatest(a.heard, b.rev)
  FROM (SELECT did, max(rev) AS rev FROM batch
        WHERE reason IS NULL OR signed AND atid.tid_timestamp(rev) <= now() GROUP BY did) AS b
  WHERE a.did = b.did AND a.state = 'desynchronized';

  -- The last that the server says of an account. What is not active is forgotten, and loaded once it is again.
  FOR gone IN
    UPDATE account AS a
    SET active = b.active, status = CASE WHEN NOT b.active THEN b.status END, said = now(),
        state = CASE WHEN b.always THEN a.state ELSE 'desynchronized' END,
        load_at = CASE WHEN b.always AND a.active THEN a.load_at ELSE now() END
    FROM (SELECT DISTINCT ON (did) did, x.active, atid.dag_cbor_get_text(body, '{status}') AS status,
                 bool_and(x.active) OVER (PARTITION BY did) AS always
          FROM batch CROSS JOIN atid.frame_body(frame) AS body
               CROSS JOIN LATERAL (SELECT atid.dag_cbor_get_text(body, '{active}')::bool AS active) AS x
          WHERE t = '#account' AND reason IS NULL ORDER BY did, n DESC) AS b
    WHERE a.did = b.did RETURNING CASE WHEN NOT a.active THEN a.did END
  LOOP
    PERFORM forget(gone);
  END LOOP;

  PERFORM labels_take(atid.dag_cbor_to_record(atid.frame_body(frame))->'labels')
  FROM batch WHERE t = '#labels' AND reason IS NULL;

  -- A server that has no older frames says so. Its list of accounts shows whose commits were missed.
  UPDATE stream AS s SET cursor = greatest(s.cursor, b.seq), frames = s.frames + b.count,
                         listed = CASE WHEN b.outdated THEN '' ELSE s.listed END
  FROM (SELECT max(seq) FILTER (WHERE reason IS NULL AND NOT late) AS seq, count(*) FILTER (WHERE NOT late) AS count,
               bool_or(t = '#info' AND atid.dag_cbor_get_text(atid.frame_body(frame), '{name}') = 'OutdatedCursor') AS outdated
        FROM batch) AS b
  WHERE s.name = take_all.name;

  SELECT count(*) FILTER (WHERE NOT late), max(b.error),
         now() - max(CASE WHEN seq IS NOT NULL
                       THEN atid.datetime_or_null(atid.dag_cbor_get_text(atid.frame_body(frame), '{time}')) END)
  INTO taken, error, lag FROM batch AS b;
  SELECT count(*) INTO applied FROM chain WHERE fits;
END $$;

-- Should something raise an error, such as an index or a trigger of yours, each half is taken alone, and so on, until
-- the frame is found. It is kept aside.
CREATE FUNCTION take(
  name text, frames bytea[], OUT taken int, OUT applied int, OUT refused int, OUT lag interval, OUT error text
) LANGUAGE plpgsql AS $$
DECLARE
  half int := cardinality(frames) / 2;
  whose atid.did;
BEGIN
  SELECT * INTO taken, applied, refused, lag, error FROM take_all(name, frames);
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded OR feature_not_supported
            OR raise_exception THEN
  -- it may be one that has waited
  WITH w AS (
    DELETE FROM waiting AS w USING account AS a
    WHERE w.stream = take.name AND a.did = w.did AND a.state <> 'in progress' RETURNING w.did
  )
  UPDATE account SET state = 'desynchronized', load_at = now() WHERE did IN (SELECT did FROM w);
  IF half > 0 THEN
    SELECT sum(t.taken), sum(t.applied), sum(t.refused), min(t.lag), max(t.error)
    INTO taken, applied, refused, lag, error
    FROM (VALUES (frames[:half]), (frames[half + 1:])) AS p (part) CROSS JOIN LATERAL take(name, part) AS t;
    RETURN;
  END IF;
  BEGIN
    SELECT * INTO taken, applied, refused, lag, error FROM take_all(name, frames);
  EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded OR feature_not_supported
              OR raise_exception THEN
    SELECT 1, 0, 1 INTO taken, applied, refused;
    whose := atid.at_uri_did(atid.dag_cbor_ref_uri(atid.frame_body(frames[1]), '{repo}'));
    PERFORM keep(name, whose, sqlerrm, frames[1]);
    UPDATE account SET state = 'desynchronized', load_at = now() WHERE did = whose;
  END;
END $$;

-- A page of accounts, the cursor that it is of, that of the next one (NULL: there is none), and when it was asked for.
-- An account whose revision is newer than what is there is loaded, one that is not active is forgotten.
CREATE FUNCTION list(name text, at text, repos jsonb, next text, asked timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  r record;
BEGIN
  PERFORM FROM stream AS s WHERE s.name = list.name AND listed = at FOR UPDATE;  -- take() begins so too
  IF NOT FOUND THEN
    RETURN;
  END IF;
  CREATE TEMP TABLE listed ON COMMIT DROP AS
  SELECT DISTINCT ON (did) did, CASE WHEN atid.tid_is_valid(e->>'rev') THEN (e->>'rev')::atid.tid END AS rev,
         e->'active' IS DISTINCT FROM 'false' AS active, e->>'status' AS status
  FROM jsonb_array_elements(repos) AS e, atid.did_or_null(e->>'did') AS did
  WHERE did IS NOT NULL AND octet_length(e->>'did') <= 512;
  ANALYZE listed;

  PERFORM meet(array_agg(l.did), array_agg(l.rev)) FROM listed AS l;
  UPDATE listed AS l SET active = a.active, status = a.status FROM account AS a WHERE a.did = l.did AND a.said >= asked;
  FOR r IN SELECT l.* FROM account AS a JOIN listed AS l USING (did)
           WHERE a.active <> l.active OR coalesce(a.rev < l.rev, a.load_at < 'infinity')
           ORDER BY did FOR UPDATE OF a LOOP
    UPDATE account SET active = r.active, status = CASE WHEN NOT r.active THEN r.status END, state = 'desynchronized',
           load_at = now(), heard = greatest(heard, r.rev)
    WHERE did = r.did;
    IF NOT r.active THEN
      PERFORM forget(r.did);
    END IF;
  END LOOP;
  DROP TABLE listed;
  UPDATE stream AS s SET listed = CASE WHEN next NOT IN ('', at) THEN next END WHERE s.name = list.name;
END $$;

-- Accounts to ask the directory for. They come again, later each time, until identify() has an answer. Of other methods
-- than did:plc the directory knows nothing: write their keys into the table.
CREATE FUNCTION ask(most int) RETURNS SETOF atid.did LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_hashjoin = off
SET enable_mergejoin = off
BEGIN ATOMIC
  WITH asked AS (
    UPDATE identity SET asked = asked + 1, ask = CASE WHEN did::text LIKE 'did:plc:%' THEN
           now() + pause(asked) ELSE 'infinity' END
    WHERE did IN (SELECT did FROM identity WHERE ask < 'infinity' AND ask <= now()
                  ORDER BY ask LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING did
  )
  SELECT did FROM asked WHERE did::text LIKE 'did:plc:%';
END;

-- An account's log, as the directory's /log/audit has it. Where the key is another one, the account is loaded anew.
CREATE FUNCTION identify(account atid.did, log jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  i identity;
  why text;
  now_key text;
  now_is jsonb;
BEGIN
  SELECT * INTO i FROM identity WHERE did = account FOR UPDATE;
  why := coalesce(atid.plc_log_problem(log),
    CASE WHEN log->0->>'did' IS DISTINCT FROM account::text THEN 'The log must be that of the account.'
         WHEN jsonb_array_length(log) < jsonb_array_length(i.log) THEN 'The log must not be shorter than it was.' END);
  IF why IS NOT NULL THEN
    UPDATE identity SET problem = why WHERE did = account;
    RETURN;
  END IF;
  now_is := atid.plc_log_state(log);
  now_key := now_is #>> '{verificationMethods,atproto}';
  IF NOT atid.did_key_is_valid(now_key) THEN
    now_key := NULL;
  END IF;
  UPDATE identity SET key = now_key, log = identify.log, problem = NULL, answered = now(), asked = 0,
         ask = CASE WHEN asked = 0 THEN ask ELSE 'infinity' END,  -- 0: it was wanted again meanwhile
         handle = substr(jsonb_path_query_first(now_is, '$.alsoKnownAs[*] ? (@ starts with "at://")') ->> 0, 6),
         pds = now_is #>> '{services,atproto_pds,endpoint}'
  WHERE did = account;
  INSERT INTO label_keys (src, key, valid_to)
  SELECT account, k.key, max(coalesce(k.valid_to, 'infinity')) FROM atid.plc_log_keys(log) AS k
  WHERE k.id = 'atproto_label' AND atid.did_key_is_valid(k.key) GROUP BY k.key
  ON CONFLICT (src, key) DO UPDATE SET valid_to = excluded.valid_to;
  IF now_key IS DISTINCT FROM i.key THEN
    UPDATE account AS a
    SET state = 'desynchronized', load_at = CASE WHEN now_key IS NULL THEN 'infinity' ELSE now() END
    WHERE a.did = identify.account;
  END IF;
END $$;

-- Accounts to load, each with the number of the attempt.
CREATE FUNCTION claim(most int) RETURNS TABLE (did atid.did, claim int) LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_hashjoin = off
SET enable_mergejoin = off
BEGIN ATOMIC
  UPDATE account AS a SET state = 'in progress', claim = a.claim + 1
  WHERE a.did IN (SELECT d.did FROM account AS d JOIN identity AS i ON i.did = d.did
                  WHERE d.state = 'desynchronized' AND d.active AND d.load_at < 'infinity' AND d.load_at <= now()
                    AND i.key IS NOT NULL
                  ORDER BY d.load_at LIMIT most FOR UPDATE OF d SKIP LOCKED)
  RETURNING a.did, a.claim;
END;

-- A repository, as com.atproto.sync.getRepo has it. Returns how many records it has; NULL: nobody wants it any more.
CREATE FUNCTION load(account atid.did, attempt int, car bytea) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  c record;
  a account;
  loaded int;
BEGIN
  SELECT * INTO a FROM account AS x
  WHERE x.did = load.account AND x.state = 'in progress' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  CREATE TEMP TABLE loaded ON COMMIT DROP AS
  SELECT atid.at_uri_make(a.did, r.collection, r.rkey) AS uri, r.cid, r.block
  FROM (SELECT key FROM identity WHERE did = a.did) AS i, atid.repo_records_signed_by(car, a.did, i.key) AS r;
  GET DIAGNOSTICS loaded = ROW_COUNT;
  SELECT rev, data INTO c FROM atid.repo_commit(car);
  -- one that is older than what was announced or was here is taken only where nobody has another
  IF c.rev IS NULL OR c.rev < greatest(a.heard, a.rev) AND a.failures < 8
     OR atid.tid_timestamp(c.rev) > now() + interval '5 minutes' THEN
    RAISE data_exception
      USING MESSAGE = format('revision %s is not as new as %s, or of the future', c.rev, greatest(a.heard, a.rev));
  END IF;
  ANALYZE loaded;
  DELETE FROM record AS r
  WHERE uri <@ a.did AND uri BETWEEN atid.at_uri_make(a.did) AND atid.at_uri_scope_upper(atid.at_uri_make(a.did))
    AND NOT EXISTS (SELECT FROM loaded AS l WHERE l.uri = r.uri);
  INSERT INTO record AS r SELECT uri, cid, block FROM loaded
  ON CONFLICT (uri) DO UPDATE SET cid = excluded.cid, block = excluded.block WHERE r.cid <> excluded.cid;
  DROP TABLE loaded;
  UPDATE account AS x SET state = 'synchronized', rev = c.rev, data = c.data, heard = NULL, failures = 0, problem = NULL
  WHERE x.did = a.did;
  RETURN loaded;
END $$;

-- It was not to be had, or not as it should be. The next attempt is later each time. The key may be an old one.
CREATE FUNCTION fail(account atid.did, attempt int, why text) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  UPDATE identity SET ask = least(ask, answered + pause(2))
  WHERE did = account AND why LIKE 'repository is not signed%';
  UPDATE account AS a SET state = 'desynchronized', failures = failures + 1, problem = why,
         load_at = now() + pause(failures)
  WHERE a.did = account AND a.state = 'in progress' AND a.claim = attempt;
END;
