-- A mirror of the PLC directory, every operation verified. doc/plc.md tells how it is used.
--
--   plc_import            lines of the directory's export, as text
--   plc_take_in()         moves them to plc_operation; what cannot be read stays
--   plc_verify(account)   verifies the operations of an account, and keeps its state and its keys
--   plc_account, plc_key  what valid logs say; plc_operation.problem: why an operation was not taken
--
-- It needs the extension atid_crypto. After each page of the export:
--
--   \copy plc_import FROM 'page.jsonl' (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
--   CALL plc_take_in();
--   SELECT plc_verify(did) FROM plc_operation WHERE n IS NULL AND problem IS NULL GROUP BY did;

-- Text, because a line that jsonb cannot hold (U+0000, half a surrogate pair) would end the whole COPY. JSON does not
-- have the quote and the delimiter above, so CSV leaves the lines as they are.
CREATE TABLE plc_import (line text NOT NULL);

CREATE TABLE plc_operation (
  did text COLLATE "C",
  cid text COLLATE "C",
  created_at timestamptz NOT NULL,
  seq bigint,                  -- where the export has it
  operation jsonb NOT NULL,
  n int,                       -- its place in the account's verified log
  problem text,                -- or why it has none; both NULL: not verified yet
  PRIMARY KEY (did, cid)
);
CREATE INDEX ON plc_operation (did) WHERE n IS NULL AND problem IS NULL;

CREATE TABLE plc_account (
  did text COLLATE "C" PRIMARY KEY,
  verified int NOT NULL,       -- operations
  state jsonb                  -- the data of the last one; NULL: a tombstone
);
CREATE INDEX ON plc_account USING gin ((state->'alsoKnownAs'));
CREATE INDEX ON plc_account USING hash ((state #>> '{services,atproto_pds,endpoint}'));  -- of any length

CREATE TABLE plc_key (         -- of each operation
  did text COLLATE "C", id text, key text, valid tstzrange, nullified bool
);
CREATE INDEX ON plc_key (did);

CREATE FUNCTION plc_read(line text) RETURNS jsonb IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN line::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN NULL;
END $$;

-- Is this the operation that the CID names? A line that was damaged on its way has another one.
CREATE FUNCTION plc_fits(cid text, operation jsonb) RETURNS bool IMMUTABLE LANGUAGE sql
RETURN CASE WHEN atid.record_is_valid(operation) THEN atid.record_cid(operation)::text = cid ELSE false END;

-- An operation that comes again counts once. A line that does not fit its CID gives way to one that does, whichever was
-- first, and never the other way. Lines that fit can still differ in their time, which nothing proves. Such a line
-- waits in plc_import until the one before it is verified, then goes; if that is refused, they change places. Of one
-- operation at most ten wait. "nullified" is left out, because it says what was so when the line was exported.
CREATE PROCEDURE plc_take_in() LANGUAGE sql
BEGIN ATOMIC
  WITH readable AS (
    DELETE FROM plc_import AS i USING (SELECT ctid AS place, plc_read(line) AS entry FROM plc_import OFFSET 0) AS r
    WHERE i.ctid = place AND atid.datetime_or_null(entry->>'createdAt') IS NOT NULL AND entry ? 'operation'
      AND octet_length(entry->>'did') BETWEEN 1 AND 200 AND octet_length(entry->>'cid') BETWEEN 1 AND 200
      AND coalesce(entry->>'seq', '0') ~ '^\d{1,18}$'
    RETURNING entry
  ), line AS (
    SELECT entry->>'did' AS did, entry->>'cid' AS cid, atid.datetime_or_null(entry->>'createdAt') AS created_at,
           (entry->>'seq')::bigint AS seq, entry->'operation' AS operation, plc_fits(entry->>'cid', entry->'operation') AS fits
    FROM readable
  ), candidate AS MATERIALIZED (  -- one line of each time, the best first
    SELECT l.*, o.created_at AS old_time, o.operation AS old_operation, o.seq AS old_seq, o.problem AS old_problem,
           plc_fits(o.cid, o.operation) AS old_fits,
           row_number() OVER (PARTITION BY l.did, l.cid
                              ORDER BY l.fits DESC, l.created_at = o.created_at, l.seq) AS place
    FROM (SELECT DISTINCT ON (did, cid, created_at, fits) * FROM line ORDER BY did, cid, created_at, fits, seq) AS l
         LEFT JOIN plc_operation AS o ON o.did = l.did AND o.cid = l.cid
    WHERE o.n IS NULL
  ), waiting AS (
    INSERT INTO plc_import
    SELECT jsonb_build_object('did', did, 'cid', cid, 'createdAt', created_at, 'seq', seq, 'operation', operation)
    FROM candidate
    WHERE fits AND created_at IS DISTINCT FROM old_time AND place <= 10
      AND (place > 1 OR old_fits AND old_problem IS NULL)
    UNION ALL
    SELECT jsonb_build_object('did', did, 'cid', cid, 'createdAt', old_time, 'seq', old_seq, 'operation', old_operation)
    FROM candidate WHERE place = 1 AND fits AND created_at <> old_time AND old_fits AND old_problem IS NOT NULL
  )
  INSERT INTO plc_operation AS old (did, cid, created_at, seq, operation)
  SELECT did, cid, created_at, seq, operation FROM candidate
  WHERE place = 1 AND (old_time IS NULL OR fits AND (NOT old_fits OR old_problem IS NOT NULL))
  ON CONFLICT (did, cid) DO UPDATE
  SET (created_at, seq, operation, problem) = (excluded.created_at, excluded.seq, excluded.operation, NULL)
  WHERE old.n IS NULL;
END;

CREATE FUNCTION plc_entry(o plc_operation) RETURNS jsonb STABLE LANGUAGE sql
RETURN jsonb_build_object('did', o.did, 'cid', o.cid, 'createdAt', o.created_at, 'operation', o.operation);

-- The verified log of an account.
CREATE FUNCTION plc_log(account text) RETURNS jsonb STABLE LANGUAGE sql
RETURN (SELECT coalesce(jsonb_agg(plc_entry(o) ORDER BY n), '[]')
        FROM plc_operation AS o WHERE did = account AND n IS NOT NULL);

-- Appends the operations that are new or were refused to the log, in the order of their times. Where the log breaks a
-- rule, that operation is refused, and the rest is tried without it. Returns how many operations the log has.
-- It plans its statements once, maybe while the tables are empty, and must not read them whole later.
CREATE FUNCTION plc_verify(account text) RETURNS int LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  cids text[];
  log jsonb;
  why text;
  bad int;
BEGIN
  -- one session at a time for an account
  PERFORM FROM plc_operation WHERE did = account ORDER BY cid FOR UPDATE;
  SELECT array_agg(cid ORDER BY n, created_at), jsonb_agg(plc_entry(o) ORDER BY n, created_at) INTO cids, log
  FROM plc_operation AS o WHERE did = account;
  DELETE FROM plc_key WHERE did = account;
  WHILE cardinality(cids) > 0 LOOP
    WITH history AS MATERIALIZED (  -- no rows if the log is not valid
      SELECT * FROM atid.plc_log_history(log)
    ), keys AS (
      INSERT INTO plc_key
      SELECT h.did, m.id, m.key, tstzrange(h.valid_from, h.valid_to), h.nullified
      FROM history AS h, jsonb_each_text(h.data->'verificationMethods') AS m (id, key)
    )
    INSERT INTO plc_account SELECT h.did, h.n + 1, h.data FROM history AS h WHERE h.valid_to IS NULL
    ON CONFLICT (did) DO UPDATE SET (verified, state) = (excluded.verified, excluded.state);
    EXIT WHEN FOUND;
    why := atid.plc_log_problem(log);
    bad := substring(why FROM '^\$\[(\d+)\]')::int;
    UPDATE plc_operation SET n = NULL, problem = why WHERE did = account AND cid = cids[bad + 1];
    log := log - bad;
    cids := cids[:bad] || cids[bad + 2:];
  END LOOP;

  UPDATE plc_operation AS o SET n = v.place - 1, problem = NULL
  FROM unnest(cids) WITH ORDINALITY AS v (cid, place)
  WHERE o.did = account AND o.cid = v.cid AND o.n IS DISTINCT FROM v.place - 1;
  RETURN cardinality(cids);
END $$;
