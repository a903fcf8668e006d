-- Takes over the tables that examples/indexer/ of 1.2 made: in the schema that is first in the search_path, in place of
-- migration 1. No record is copied or lost, and what the operator has added to the tables (indexes, triggers, columns,
-- grants, views of theirs) stays. The functions and views of the example go. A setting that was changed by replacing
-- its function is kept in the table settings.

-- The settings, before their functions go.
CREATE TABLE indexer.settings AS
SELECT true AS one, most_bad() AS most_bad, 100 AS most_early, most_waiting() AS most_waiting,
       2000000000 AS most_waiting_all, 100000 AS most_notices, 100000000 AS most_labels_refused, 10000 AS most_hosts,
       most_references() AS most_references, 5 AS most_gaps, 8 AS most_older, identity_age() AS identity_age,
       interval '3 days' AS invented_after, spread() AS spread,
       interval '6 h' AS missed_after, not_sooner() AS not_sooner, pause(0) AS pause_first, interval '1 h' AS pause_most,
       10000000 AS far_ahead;

DO $$
DECLARE
  old CONSTANT text := current_schema();
  f record;
  t text;
BEGIN
  -- who keeps up with the tables meanwhile waits
  LOCK TABLE stream, account, identity IN ACCESS EXCLUSIVE MODE;
  DROP TRIGGER want_changed ON want;
  DROP VIEW IF EXISTS due, to_list, watch, trouble;
  FOR f IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
           WHERE p.pronamespace = old::regnamespace AND p.proname = ANY ('{most_bad,most_waiting,
             most_references,identity_age,spread,missed_after,not_sooner,pause,turn,later,points,want_changed,patterns,
             scratch,write,forget,look_again,start,meet,silence,told,hold,whose,take_all,take,to_list,list,doubtful,ask,
             know,identify,identify_web,claim,load,fail,settle,
             read_from_now,changes,read_to,label_keys_take,labels_take}'::text[])
             AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
           -- those that others use come last
           ORDER BY p.proname IN ('later', 'spread', 'most_references', 'pause', 'most_bad', 'most_waiting'), p.proname = 'spread', p.proname
  LOOP
    EXECUTE 'DROP FUNCTION ' || f.name;
  END LOOP;
  FOREACH t IN ARRAY '{identity,account,record,reference,lexicons,want,unsettled,wants,reader,change,stream,host,bad,waiting,
                       label_keys,labels,labels_refused}'::text[] LOOP
    EXECUTE format('ALTER TABLE %I.%I SET SCHEMA indexer', old, t);
  END LOOP;
  EXECUTE format('ALTER VIEW %I.labels_in_force SET SCHEMA indexer', old);
  EXECUTE format('ALTER STATISTICS %I.record_collection_stats SET SCHEMA indexer', old);
END $$;

SET LOCAL search_path = indexer, pg_temp;

CREATE TABLE migration (
  n       int PRIMARY KEY,
  program text NOT NULL,
  at      timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE program (
  one     bool PRIMARY KEY DEFAULT true CHECK (one),
  version text NOT NULL,
  digest  text NOT NULL,
  at      timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE settings ADD PRIMARY KEY (one), ADD CHECK (one), ALTER one SET DEFAULT true,
  ALTER most_bad TYPE bigint, ALTER most_bad SET NOT NULL, ALTER most_bad SET DEFAULT 1000000000,
  ALTER most_early SET NOT NULL, ALTER most_early SET DEFAULT 100,
  ALTER most_waiting TYPE bigint, ALTER most_waiting SET NOT NULL, ALTER most_waiting SET DEFAULT 64000000,
  ALTER most_waiting_all TYPE bigint, ALTER most_waiting_all SET NOT NULL, ALTER most_waiting_all SET DEFAULT 2000000000,
  ALTER most_notices SET NOT NULL, ALTER most_notices SET DEFAULT 100000,
  ALTER most_labels_refused TYPE bigint, ALTER most_labels_refused SET NOT NULL, ALTER most_labels_refused SET DEFAULT 100000000,
  ALTER most_hosts SET NOT NULL, ALTER most_hosts SET DEFAULT 10000,
  ALTER most_references SET NOT NULL, ALTER most_references SET DEFAULT 1000,
  ALTER most_gaps SET NOT NULL, ALTER most_gaps SET DEFAULT 5,
  ALTER most_older SET NOT NULL, ALTER most_older SET DEFAULT 8,
  ALTER identity_age SET NOT NULL, ALTER identity_age SET DEFAULT '24 h',
  ALTER invented_after SET NOT NULL, ALTER invented_after SET DEFAULT '3 days',
  ALTER spread SET NOT NULL, ALTER spread SET DEFAULT '1 h',
  ALTER missed_after SET NOT NULL, ALTER missed_after SET DEFAULT '6 h',
  ALTER not_sooner SET NOT NULL, ALTER not_sooner SET DEFAULT '1 min',
  ALTER pause_first SET NOT NULL, ALTER pause_first SET DEFAULT '2 s',
  ALTER pause_most SET NOT NULL, ALTER pause_most SET DEFAULT '1 h',
  ALTER far_ahead TYPE bigint, ALTER far_ahead SET NOT NULL, ALTER far_ahead SET DEFAULT 10000000;

-- Identities. What was kept of strangers without a bound is bounded.
DROP INDEX identity_ask;
ALTER TABLE identity ADD host text, ADD web bool NOT NULL DEFAULT false, ADD nudged int NOT NULL DEFAULT 0,
  ADD met timestamptz NOT NULL DEFAULT now(), ADD detail text;
UPDATE identity SET web = did::text LIKE 'did:web:%', problem = CASE WHEN problem IS NOT NULL THEN 'invalid' END,
  handle = CASE WHEN octet_length(handle) <= 253 THEN handle END, pds = CASE WHEN octet_length(pds) <= 512 THEN pds END,
  host = CASE WHEN octet_length(pds) <= 512
    THEN lower(substring(pds FROM '^(https?://(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?)(?:[/?#]|$)')) END;
-- (on Citus a command adds one constraint, and nothing else)
ALTER TABLE identity ADD CONSTRAINT identity_handle_check CHECK (octet_length(handle) <= 253);
ALTER TABLE identity ADD CONSTRAINT identity_pds_check CHECK (octet_length(pds) <= 512);
ALTER TABLE identity ADD CONSTRAINT identity_host_check CHECK (octet_length(host) <= 512);
CREATE INDEX identity_ask ON identity
  ((CASE WHEN answered IS NOT NULL THEN 'known' WHEN asked = 0 THEN 'new' ELSE 'again' END), web, ask, did)
  WHERE ask < 'infinity';
CREATE INDEX identity_met ON identity (met) WHERE answered IS NULL;
CREATE INDEX identity_labeler ON identity (did) WHERE labeler;
CREATE INDEX identity_handle ON identity (handle);
CREATE INDEX identity_problem ON identity (did) WHERE problem IS NOT NULL AND key IS NULL;

-- Accounts: one state in place of three columns.
DROP INDEX account_load_at;
DROP INDEX account_in_progress;
ALTER TABLE account DROP CONSTRAINT account_state_check, DROP CONSTRAINT account_check,
  ALTER state DROP DEFAULT, ALTER hurried DROP NOT NULL, ALTER hurried DROP DEFAULT,
  ADD older int NOT NULL DEFAULT 0, ADD gaps int NOT NULL DEFAULT 0, ADD gap_at timestamptz, ADD detail text,
  ADD loaded bool GENERATED ALWAYS AS (rev IS NOT NULL) STORED;
UPDATE account AS a
SET state = n.state, hurried = nullif(a.hurried, '-infinity'), problem = CASE WHEN a.problem IS NOT NULL THEN 'invalid' END,
    status = CASE WHEN n.state IN ('inactive', 'barred') THEN left(coalesce(nullif(a.status, ''), 'unknown'), 16) END,
    load_at = CASE WHEN n.state <> 'desynchronized' THEN 'infinity' WHEN a.load_at < 'infinity' THEN a.load_at ELSE 'epoch' END
FROM (SELECT x.did, CASE WHEN x.barred THEN 'barred' WHEN NOT x.active THEN 'inactive'
                         WHEN x.state = 'synchronized' AND x.load_at = 'infinity' THEN 'synchronized'
                         WHEN i.key IS NULL THEN 'unidentified' ELSE 'desynchronized' END AS state
      FROM account AS x LEFT JOIN identity AS i ON i.did = x.did) AS n
WHERE n.did = a.did;
UPDATE account SET load_at = now() WHERE load_at = 'epoch'; -- Citus takes no now() in a CASE
ALTER TABLE account DROP active, DROP barred;
ALTER TABLE account ADD CONSTRAINT account_state_check CHECK (state IN
  ('unidentified', 'desynchronized', 'loading', 'synchronized', 'inactive', 'barred'));
ALTER TABLE account ADD CONSTRAINT account_status_check CHECK (octet_length(status) <= 64);
ALTER TABLE account ADD CONSTRAINT account_check CHECK ((state = 'desynchronized') = (load_at < 'infinity'));
ALTER TABLE account ADD CONSTRAINT account_check1 CHECK ((state IN ('inactive', 'barred')) = (status IS NOT NULL));
ALTER TABLE account ADD CONSTRAINT account_check2 CHECK (state <> 'synchronized' OR rev IS NOT NULL AND data IS NOT NULL);
CREATE INDEX account_due ON account (loaded, load_at, did) WHERE state = 'desynchronized';
CREATE INDEX account_loading ON account (did) WHERE state = 'loading';
CREATE INDEX account_failing ON account (did) WHERE state = 'desynchronized' AND failures > 0;
CREATE INDEX account_kept ON account (did) WHERE problem IS NOT NULL AND state IN ('inactive', 'barred');

CREATE TABLE lock_of_writers ();
CREATE TABLE lock_of_many ();
CREATE TABLE tally (
  what text NOT NULL,
  n    bigint NOT NULL
);
INSERT INTO tally SELECT state, count(*) FROM account GROUP BY state;
CREATE TABLE sample (
  at     timestamptz PRIMARY KEY,
  behind bigint NOT NULL,
  loads  bigint NOT NULL
);
CREATE TABLE exclusion (
  did atid.did PRIMARY KEY,
  why text,
  at  timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE record ADD indexed timestamptz NOT NULL DEFAULT now();

-- 1.2 named three fields in reference, and '' the others. The references of records with others are made anew, as
-- points_at() in write.sql makes them.
CREATE TEMP TABLE unnamed ON COMMIT DROP AS
SELECT u.uri, row_number() OVER () AS n FROM (SELECT DISTINCT r.uri FROM reference AS r WHERE r.path = '') AS u;
DO $$
DECLARE
  these atid.at_uri[];
  whose atid.did[];
  most CONSTANT int := (SELECT most_references FROM settings);
BEGIN
  FOR low IN 0..(SELECT coalesce(max(n), 0) / 10000 FROM unnamed) LOOP
    SELECT array_agg(uri), array_agg(DISTINCT atid.at_uri_did(uri)) INTO these, whose FROM unnamed WHERE n / 10000 = low;
    DELETE FROM reference WHERE uri = ANY (these);
    INSERT INTO reference (subject, collection, path, tid, uri)
    SELECT DISTINCT s.subject, atid.at_uri_collection(r.uri)::text,
           CASE WHEN octet_length(s.field) <= 512
             THEN regexp_replace(substr(s.field, CASE WHEN starts_with(s.field, '$.') THEN 3 ELSE 2 END), '(.)\.uri$', '\1') ELSE '' END,
           coalesce(atid.at_uri_tid(r.uri), '2222222222222'), r.uri
    FROM record AS r CROSS JOIN LATERAL (
      SELECT coalesce(f.uri, atid.at_uri_make(f.did::text)) AS subject, f.field
      FROM atid.dag_cbor_refs(CASE WHEN atid.dag_cbor_ref_uris(r.block) <> '{}' THEN r.block END) AS f LIMIT most) AS s
    WHERE r.uri = ANY (these) AND r.did = ANY (whose) AND octet_length(s.subject::text) <= 1200;
  END LOOP;
END $$;

-- Wants. 1.2.0 had how far all accounts were listed in the table stream.
ALTER TABLE want ADD COLUMN IF NOT EXISTS began timestamptz, ADD seek atid.did, ADD refused bool NOT NULL DEFAULT false;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'stream'::regclass AND attname = 'listed') THEN
    UPDATE want SET (listed, began) = (SELECT min(s.listed), max(s.began) FROM stream AS s WHERE s.name NOT LIKE '%Labels')
    WHERE (what, value) = ('account', '*');
    ALTER TABLE stream DROP listed, DROP began;
  ELSE
    ALTER TABLE stream DROP fresh;
  END IF;
END $$;
CREATE INDEX IF NOT EXISTS want_listed ON want (what) WHERE listed IS NOT NULL AND (what = 'signal' OR value = '*');
CREATE TABLE candidate (
  did   atid.did PRIMARY KEY,
  ask   timestamptz NOT NULL DEFAULT now(),
  asked int NOT NULL DEFAULT 0
);
CREATE INDEX candidate_ask ON candidate (ask);
DELETE FROM unsettled WHERE did IS NULL;
ALTER TABLE unsettled ALTER did SET NOT NULL;
-- NULL in unsettled was: all accounts were added
UPDATE wants SET n = n + 1;

ALTER TABLE reader ADD since bigint NOT NULL DEFAULT 0;

-- Streams: how far each was read is that of one taker, which has all accounts.
ALTER TABLE stream ADD COLUMN IF NOT EXISTS heard timestamptz;
CREATE TABLE taker (
  stream   text REFERENCES stream ON DELETE CASCADE,
  lo       int,
  hi       int NOT NULL,
  cursor   bigint NOT NULL DEFAULT 0,
  frames   bigint NOT NULL DEFAULT 0,
  commits  bigint NOT NULL DEFAULT 0,
  refused  bigint NOT NULL DEFAULT 0,
  lag      interval,
  heard    timestamptz,
  taken    timestamptz,
  counted  timestamptz NOT NULL DEFAULT now(),
  frame_rate  float8 NOT NULL DEFAULT 0,
  commit_rate float8 NOT NULL DEFAULT 0,
  old_rate    float8 NOT NULL DEFAULT 0,
  moved_rate  float8 NOT NULL DEFAULT 0,
  unsigned_rate float8 NOT NULL DEFAULT 0,
  unwritten_rate float8 NOT NULL DEFAULT 0,
  PRIMARY KEY (stream, lo)
) WITH (fillfactor = 50);
INSERT INTO taker (stream, lo, hi, cursor, frames, commits, refused, lag, heard, taken)
SELECT name, 0, 255, cursor, frames, commits, refused, lag, coalesce(heard, taken), taken FROM stream;
ALTER TABLE stream ADD kind text, ADD started timestamptz NOT NULL DEFAULT now(), ADD look timestamptz, ADD looked atid.did, ADD error text,
  DROP cursor, DROP frames, DROP commits, DROP refused, DROP lag, DROP heard, DROP taken, DROP frame_rate, DROP commit_rate;
UPDATE stream SET kind = CASE WHEN name LIKE '%Labels' THEN 'labels' ELSE 'repos' END;
ALTER TABLE stream ALTER kind SET NOT NULL, ADD CONSTRAINT stream_kind_check CHECK (kind IN ('repos', 'labels')),
  ALTER pds TYPE text[] USING CASE WHEN pds IS NOT NULL THEN ARRAY[pds] END;

DELETE FROM host WHERE octet_length(name) > 512;
ALTER TABLE host ADD CONSTRAINT host_name_check CHECK (octet_length(name) <= 512);
ALTER TABLE bad ALTER frame DROP NOT NULL;
ALTER TABLE waiting ADD slot int, ALTER frame DROP NOT NULL;
UPDATE waiting SET slot = get_byte(sha256(convert_to(did::text, 'UTF8')), 0);
ALTER TABLE waiting ALTER slot SET NOT NULL;
CREATE INDEX waiting_slot ON waiting (stream, slot);
CREATE TABLE notice (
  n       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  did     atid.did NOT NULL,
  what    text NOT NULL CHECK (what IN ('met', 'identity', 'signature', 'signal')),
  because text,
  at      timestamptz NOT NULL DEFAULT now()
);

INSERT INTO migration (n, program) VALUES (1, '1.3.0');
