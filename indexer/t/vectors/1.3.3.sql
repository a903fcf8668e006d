-- What "atid-indexer init" of 1.3.3 made, without its comments, for indexer/t/upgrade.pl.
CREATE SCHEMA indexer;
SET search_path = indexer, pg_temp;
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
CREATE TABLE settings (
  one            bool PRIMARY KEY DEFAULT true CHECK (one),
  most_bad       bigint NOT NULL DEFAULT 1000000000, -- bytes of the table bad; then only the counters tell of more
  most_early     int NOT NULL DEFAULT 100,
  most_waiting   bigint NOT NULL DEFAULT 64000000,
  most_waiting_all bigint NOT NULL DEFAULT 2000000000,
  most_notices   int NOT NULL DEFAULT 100000,
  most_labels_refused bigint NOT NULL DEFAULT 100000000,
  most_hosts     int NOT NULL DEFAULT 10000,
  most_references int NOT NULL DEFAULT 1000,
  most_gaps      int NOT NULL DEFAULT 5,
  most_older     int NOT NULL DEFAULT 8,
  identity_age   interval NOT NULL DEFAULT '24 h',
  invented_after interval NOT NULL DEFAULT '3 days', -- an account that nobody knows ends
  spread         interval NOT NULL DEFAULT '1 h',
  missed_after   interval NOT NULL DEFAULT '6 h',
  not_sooner     interval NOT NULL DEFAULT '1 min',
  pause_first    interval NOT NULL DEFAULT '2 s',
  pause_most     interval NOT NULL DEFAULT '1 h',
  far_ahead      bigint NOT NULL DEFAULT 10000000
);
INSERT INTO settings DEFAULT VALUES;
CREATE TABLE identity (
  did      atid.did PRIMARY KEY,
  key      text CHECK (atid.did_key_is_valid(key)),
  handle   text CHECK (octet_length(handle) <= 253), -- as the account says; nobody has proven it
  pds      text CHECK (octet_length(pds) <= 512),
  host     text CHECK (octet_length(host) <= 512),
  log      jsonb,
  labeler  bool NOT NULL DEFAULT false,
  web      bool NOT NULL DEFAULT false,
  ask      timestamptz NOT NULL DEFAULT now(),
  asked    int NOT NULL DEFAULT 0,
  nudged   int NOT NULL DEFAULT 0,
  wanted   timestamptz,
  answered timestamptz,
  met      timestamptz NOT NULL DEFAULT now(),
  problem  text,
  detail   text
);
CREATE INDEX identity_ask ON identity
  ((CASE WHEN answered IS NOT NULL THEN 'known' WHEN asked = 0 THEN 'new' ELSE 'again' END), web, ask, did)
  WHERE ask < 'infinity';
CREATE INDEX identity_met ON identity (met) WHERE answered IS NULL;
CREATE INDEX identity_labeler ON identity (did) WHERE labeler;
CREATE INDEX identity_handle ON identity (handle);
CREATE INDEX identity_problem ON identity (did) WHERE problem IS NOT NULL AND key IS NULL;
CREATE TABLE account (
  did      atid.did PRIMARY KEY,
  state    text NOT NULL CHECK (state IN
           ('unidentified', 'desynchronized', 'loading', 'synchronized', 'inactive', 'barred')),
  status   text CHECK (octet_length(status) <= 64),
  said     timestamptz,
  listed   timestamptz,
  check_at timestamptz NOT NULL DEFAULT 'infinity',
  rev      atid.tid,
  data     atid.cid_link,
  heard    atid.tid,
  wants    int NOT NULL DEFAULT 0,
  claim    int NOT NULL DEFAULT 0,
  claimed  timestamptz,
  failures int NOT NULL DEFAULT 0,
  older    int NOT NULL DEFAULT 0,
  load_at  timestamptz NOT NULL DEFAULT 'infinity',
  hurried  timestamptz,
  gaps     int NOT NULL DEFAULT 0,
  gap_at   timestamptz,
  problem  text,
  detail   text,
  loaded   bool GENERATED ALWAYS AS (rev IS NOT NULL) STORED,
  CHECK ((state = 'desynchronized') = (load_at < 'infinity')),
  CHECK ((state IN ('inactive', 'barred')) = (status IS NOT NULL)),
  CHECK (state <> 'synchronized' OR rev IS NOT NULL AND data IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX account_due ON account (loaded, load_at, did) WHERE state = 'desynchronized';
CREATE INDEX account_loading ON account (did) WHERE state = 'loading';
CREATE INDEX account_check_at ON account (check_at) WHERE check_at < 'infinity';
CREATE INDEX account_wants ON account (wants);
CREATE INDEX account_failing ON account (did) WHERE state = 'desynchronized' AND failures > 0;
CREATE INDEX account_kept ON account (did) WHERE problem IS NOT NULL AND state IN ('inactive', 'barred');
CREATE TABLE lock_of_writers ();
CREATE TABLE lock_of_many ();
CREATE TABLE tally (
  what text NOT NULL,
  n    bigint NOT NULL
);
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
CREATE TABLE record (
  uri      atid.at_uri,
  did      atid.did,
  cid      atid.cid_link NOT NULL,
  block    bytea NOT NULL,
  conforms bool,
  indexed  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (uri, did)
);
CREATE STATISTICS record_collection_stats ON (atid.at_uri_collection(uri)) FROM record;
CREATE TABLE reference (
  subject    atid.at_uri NOT NULL,
  collection text COLLATE "C" NOT NULL,
  path       text COLLATE "C" NOT NULL,
  tid        atid.tid NOT NULL,
  uri        atid.at_uri NOT NULL
);
CREATE INDEX reference_subject ON reference (subject, collection, path, tid);
CREATE INDEX reference_uri ON reference (uri);
CREATE TABLE lexicons (lexicons atid.lexicon NOT NULL);
CREATE TABLE want (
  what    text,
  value   text,
  because text,
  listed  text DEFAULT '',
  began   timestamptz,
  seek    atid.did,
  refused bool NOT NULL DEFAULT false,
  PRIMARY KEY (what, value),
  CHECK (CASE what WHEN 'account' THEN value = '*' OR atid.did_is_valid(value)
                   WHEN 'collection' THEN value = '*' OR atid.nsid_is_valid(regexp_replace(value, '\.\*$', '.x.x'))
                   WHEN 'signal' THEN atid.nsid_is_valid(value) ELSE false END)
);
INSERT INTO want VALUES ('account', '*'), ('collection', '*');
CREATE INDEX want_listed ON want (what) WHERE listed IS NOT NULL AND (what = 'signal' OR value = '*');
CREATE TABLE candidate (
  did   atid.did PRIMARY KEY,
  ask   timestamptz NOT NULL DEFAULT now(),
  asked int NOT NULL DEFAULT 0
);
CREATE INDEX candidate_ask ON candidate (ask);
CREATE TABLE unsettled (did atid.did NOT NULL);
CREATE TABLE wants (n int NOT NULL, loads int NOT NULL);
INSERT INTO wants VALUES (0, 0);
CREATE TABLE reader (
  name  text PRIMARY KEY,
  tx    xid8 NOT NULL DEFAULT '0',
  n     bigint NOT NULL DEFAULT 0,
  since bigint NOT NULL DEFAULT 0
);
CREATE TABLE change (
  tx   xid8 DEFAULT pg_current_xact_id(),
  n    bigint GENERATED ALWAYS AS IDENTITY,
  uri  atid.at_uri NOT NULL,
  PRIMARY KEY (tx, n)
);
CREATE TABLE stream (
  name    text PRIMARY KEY,
  kind    text NOT NULL CHECK (kind IN ('repos', 'labels')),
  pds     text[],
  started timestamptz NOT NULL DEFAULT now(),
  look    timestamptz,
  looked  atid.did,
  error   text
);
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
CREATE TABLE host (
  name     text PRIMARY KEY CHECK (octet_length(name) <= 512),
  failures int NOT NULL,
  until    timestamptz NOT NULL,
  problem  text
);
CREATE TABLE bad (
  digest   bytea PRIMARY KEY,
  stream   text NOT NULL,
  received timestamptz NOT NULL DEFAULT now(),
  did      atid.did,
  reason   text NOT NULL,
  early    bool NOT NULL,
  frame    bytea
);
CREATE INDEX bad_early ON bad (did) WHERE early;
CREATE TABLE waiting (
  stream text NOT NULL,
  slot   int NOT NULL,
  seq    bigint NOT NULL,
  did    atid.did NOT NULL,
  frame  bytea
);
CREATE INDEX waiting_did ON waiting (did);
CREATE INDEX waiting_slot ON waiting (stream, slot);
ALTER TABLE bad ALTER frame SET STORAGE EXTERNAL;
ALTER TABLE waiting ALTER frame SET STORAGE EXTERNAL;
CREATE TABLE notice (
  n       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  did     atid.did NOT NULL,
  what    text NOT NULL CHECK (what IN ('met', 'identity', 'signature', 'signal')),
  because text,
  at      timestamptz NOT NULL DEFAULT now()
);
INSERT INTO migration (n, program) VALUES (1, '1.3.0');
DROP FUNCTION IF EXISTS fail(text, int, text, text, bool);
INSERT INTO migration (n, program) VALUES (2, '1.3.2');
UPDATE want SET listed = '', refused = false WHERE what = 'signal';
ALTER TABLE want ADD failing timestamptz;
ALTER TABLE want ADD failures int NOT NULL DEFAULT 0;
ALTER TABLE want ADD problem text;
ALTER TABLE want ADD detail text;
ALTER TABLE want ADD again timestamptz;
ALTER TABLE want ADD entries bigint NOT NULL DEFAULT 0;
ALTER TABLE want ADD smallest bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE settings ADD most_listed bigint NOT NULL DEFAULT 200000000;
ALTER TABLE sample ADD refused_size bigint;
ALTER TABLE sample ADD refused_rows bigint;
ALTER TABLE unsettled ADD failures int NOT NULL DEFAULT 0;
ALTER TABLE unsettled ADD detail text;
ALTER TABLE unsettled ADD again timestamptz;
ALTER TABLE settings
  ADD most_skipped bigint NOT NULL DEFAULT 1000;
ALTER TABLE taker
  ADD ahead bigint,
  ADD ahead_by int[] NOT NULL DEFAULT '{}',
  ADD ahead_frames int NOT NULL DEFAULT 0,
  ADD back int NOT NULL DEFAULT 0,
  ADD old_run int NOT NULL DEFAULT 0,
  ADD unsigned_run int NOT NULL DEFAULT 0,
  ADD unsigned_by atid.did,
  ADD unwritten_run int NOT NULL DEFAULT 0;
ALTER TABLE stream
  ADD behind bigint,
  ADD place text,
  ADD begun timestamptz,
  ADD begun_at bigint;
ALTER TABLE notice DROP CONSTRAINT notice_pkey;
CREATE INDEX notice_n ON notice (n);
CREATE TABLE unproven (
  host   text NOT NULL CHECK (octet_length(host) <= 512),
  n      bigint NOT NULL,
  at     timestamptz NOT NULL DEFAULT now(),
  summed bool NOT NULL DEFAULT false
);
ALTER TABLE account ADD unsigned_rev atid.tid;
ALTER TABLE account ADD unsigned_loads int NOT NULL DEFAULT 0;
ALTER TABLE account ADD doubted timestamptz;
ALTER TABLE notice DROP CONSTRAINT IF EXISTS notice_what_check;
ALTER TABLE notice ADD CONSTRAINT notice_what_check CHECK (what IN ('met', 'identity', 'signature', 'signal', 'refused'));
CREATE INDEX bad_did ON bad (did, received);
DROP FUNCTION IF EXISTS too_large(text, bytea, bigint);
DROP FUNCTION IF EXISTS know(atid.did, text, text[], jsonb, text, bool, timestamptz);
ALTER TABLE identity ADD COLUMN doubted int NOT NULL DEFAULT 0;
DROP FUNCTION IF EXISTS claim(int, bool, timestamptz, text, text[]);
DROP INDEX account_due;
CREATE INDEX account_due ON account
  ((CASE WHEN failures > 0 THEN CASE WHEN loaded THEN 'back' ELSE 'again' END
         WHEN loaded THEN 'known' ELSE 'new' END), load_at, did)
  WHERE state = 'desynchronized';
DO $$
DECLARE moment CONSTANT float8 := extract(epoch FROM now()); -- Citus takes no now() in a CASE
BEGIN
  UPDATE identity SET
    handle = lower(CASE WHEN atid.handle_is_valid(handle) THEN handle ELSE substr(jsonb_path_query_first(log,
      '$[last].operation.alsoKnownAs[*] ? (@ like_regex "^at://(?=.{1,253}$)([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}'
        '[a-zA-Z0-9])?\\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$")') #>> '{}', 6) END COLLATE "C"),
    pds = CASE WHEN log #>> '{-1,operation,services,atproto_pds,type}' <> 'AtprotoPersonalDataServer'
               THEN NULL ELSE pds END,
    host = CASE WHEN log #>> '{-1,operation,services,atproto_pds,type}' <> 'AtprotoPersonalDataServer'
                THEN NULL ELSE regexp_replace(host, '\.(:[0-9]+)?$', '\1') END,
    ask = CASE WHEN NOT atid.handle_is_valid(handle) AND log #> '{-1,operation,alsoKnownAs}' IS NULL
                 OR log #>> '{-1,operation,services,atproto_pds,type}' <> 'AtprotoPersonalDataServer'
               THEN least(ask, to_timestamp(moment + 3600.0 / 1024 * (hashtext(did::text) & 1023))) ELSE ask END
  WHERE handle <> lower(handle COLLATE "C") OR NOT atid.handle_is_valid(handle)
     OR pds IS NOT NULL
        AND log #>> '{-1,operation,services,atproto_pds,type}' <> 'AtprotoPersonalDataServer'
     OR host ~ '\.(:[0-9]+)?$';
END $$;
ALTER TABLE stream ADD ahead interval;
ALTER TABLE taker ADD future_rate float8 NOT NULL DEFAULT 0;
DROP FUNCTION IF EXISTS count_taken(text, int, int, int, int, int, int, int, int);
ALTER TABLE want ADD by_up bool NOT NULL DEFAULT false;
CREATE TABLE activity (
  stream  text REFERENCES stream ON DELETE CASCADE,
  name    text,
  at      timestamptz NOT NULL,
  good    timestamptz,
  failing timestamptz,
  failed  int,
  problem text,
  mark    bigint[],
  PRIMARY KEY (stream, name)
) WITH (fillfactor = 50);
CREATE TABLE activity_bound (
  name    text PRIMARY KEY,
  turn    interval CHECK (turn > '0'),
  success interval CHECK (success > '0')
);
INSERT INTO migration (n, program) VALUES (3, '1.3.3');
CREATE TABLE IF NOT EXISTS label_keys (
  src      atid.did,
  key      text CHECK (atid.did_key_is_valid(key)),
  valid_to timestamptz NOT NULL DEFAULT 'infinity',
  PRIMARY KEY (src, key)
);
CREATE TABLE IF NOT EXISTS labels (
  subject atid.at_uri,
  src     atid.did,
  val     text COLLATE "C",
  cts     timestamptz NOT NULL,
  neg     bool NOT NULL,
  exp     timestamptz NOT NULL,
  label   jsonb NOT NULL,
  PRIMARY KEY (subject, src, val)
);
CREATE TABLE IF NOT EXISTS labels_refused (label jsonb, received timestamptz DEFAULT now());
CREATE INDEX IF NOT EXISTS labels_refused_src ON labels_refused ((label->>'src'));
CREATE INDEX IF NOT EXISTS labels_refused_received ON labels_refused (received);
CREATE OR REPLACE VIEW labels_in_force AS
SELECT subject, src, val, cts, exp, label FROM labels WHERE NOT neg AND exp > now();
CREATE OR REPLACE FUNCTION label_keys_take(account atid.did, log jsonb) RETURNS void LANGUAGE sql AS $$
  WITH found AS MATERIALIZED (
    SELECT k.key, max(coalesce(k.valid_to, 'infinity')) AS valid_to FROM atid.plc_log_keys(log) AS k
    WHERE k.did = account::text AND k.id = 'atproto_label' AND NOT k.nullified AND atid.did_key_is_valid(k.key)
    GROUP BY k.key
  ), gone AS (
    DELETE FROM label_keys AS l WHERE l.src = account AND NOT EXISTS (SELECT 1 FROM found AS f WHERE f.key = l.key)
  )
  INSERT INTO label_keys (src, key, valid_to) SELECT account, key, valid_to FROM found
  ON CONFLICT (src, key) DO UPDATE SET valid_to = excluded.valid_to;
$$;
CREATE OR REPLACE FUNCTION labels_of(body bytea, OUT labels jsonb, OUT lost text) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  block bytea;
  one jsonb;
  good jsonb[] := '{}';
  bad int := 0;
  place bigint := 0;
  passed bigint := 0;
BEGIN
  labels := atid.dag_cbor_get(body, '{labels}');
  IF jsonb_typeof(labels) = 'array' THEN RETURN; END IF;
  FOR n IN 0 .. 1000 LOOP
    block := atid.dag_cbor_get_block(body, ARRAY['labels', n::text]);
    EXIT WHEN block IS NULL;
    IF n = 1000 OR passed > 20000000 THEN
      lost := format('%s or more', bad + 1);
      EXIT;
    END IF;
    one := atid.dag_cbor_get(block);
    IF one IS NULL THEN
      bad := bad + 1;
    ELSE
      good := array_append(good, one);
    END IF;
    place := place + octet_length(block);
    passed := passed + place;
  END LOOP;
  labels := to_jsonb(good);
  lost := coalesce(lost, nullif(bad, 0)::text);
END $$;
CREATE OR REPLACE FUNCTION labels_take(batch jsonb) RETURNS void LANGUAGE sql AS $$
  WITH part AS MATERIALIZED (
    SELECT n, label, atid.did_or_null(label->>'src') AS src, atid.at_uri_from_subject_or_null(label->>'uri') AS subject,
           label->>'val' AS val, atid.datetime_or_null(label->>'cts') AS cts,
           coalesce(label->'neg' = 'true', false) AS neg,
           CASE WHEN label ? 'exp' THEN atid.datetime_or_null(label->>'exp') ELSE 'infinity' END AS exp
    FROM jsonb_array_elements(batch) WITH ORDINALITY AS a (label, n)
  ), judged AS MATERIALIZED (
    SELECT *, subject IS NOT NULL AND val IS NOT NULL AND exp IS NOT NULL
           AND octet_length(label->>'uri') <= 2000 AND octet_length(val) <= 128
           AND EXISTS (SELECT 1 FROM label_keys k
                       WHERE k.src = part.src AND k.valid_to > part.cts
                         AND atid.label_is_signed_by(part.label, part.src::text, k.key)) AS good
    FROM part
  ), refused AS (
    INSERT INTO labels_refused SELECT label FROM judged WHERE NOT good AND octet_length(label::text) <= 8000
  )
  INSERT INTO labels AS old
  SELECT DISTINCT ON (subject, src, val) subject, src, val, cts, neg, exp, label
  FROM judged WHERE good
  ORDER BY subject, src, val, cts DESC, neg DESC, n DESC
  ON CONFLICT (subject, src, val) DO UPDATE
  SET (cts, neg, exp, label) = (excluded.cts, excluded.neg, excluded.exp, excluded.label)
  WHERE (excluded.cts, excluded.neg) >= (old.cts, old.neg);
$$;
CREATE OR REPLACE FUNCTION later(at timestamptz, by interval) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_timestamp(extract(epoch FROM at)::float8 + extract(epoch FROM by)::float8);
CREATE OR REPLACE FUNCTION most_ahead() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';
CREATE OR REPLACE FUNCTION pause(failed int, first interval, most interval) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(first * 2 ^ least(greatest(failed, 0), 20), most);
CREATE OR REPLACE FUNCTION roughly(t interval) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN s >= 172800 THEN round(s / 86400) || ' days' WHEN s >= 7200 THEN round(s / 3600) || ' hours'
                    WHEN s >= 120 THEN round(s / 60) || ' minutes' ELSE round(s) || ' seconds' END
        FROM abs(extract(epoch FROM t)) AS s);
CREATE OR REPLACE FUNCTION turn(did atid.did, spread interval) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN spread * (hashtext(did::text) & 1023) / 1024;
CREATE OR REPLACE FUNCTION slot(did atid.did) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(get_byte(sha256(convert_to(did::text, 'UTF8')), 0), 0);
CREATE OR REPLACE FUNCTION origin(url text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT CASE
      WHEN m[3]::int > 65535 THEN NULL
      WHEN m[2] ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$'
           AND m[2] !~ '^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.(?!$)|$)){4}$' THEN NULL
      WHEN m[3] = CASE m[1] WHEN 'https' THEN '443' ELSE '80' END OR m[3] IS NULL THEN m[1] || '://' || m[2]
      ELSE m[1] || '://' || m[2] || ':' || m[3] END
  FROM regexp_match(lower(url COLLATE "C"),
    '^(https?)://(?:[^/?#\\]*@)?([a-z0-9._-]{0,252}[a-z0-9_-]|\[[0-9a-f:.]{2,45}\])\.?(?::(?:0*([0-9]{1,5}))?)?(?:[/?#]|$)'
  ) AS m);
CREATE OR REPLACE FUNCTION clipped(what text, most int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(t) <= most THEN t ELSE left(t, most / 4) END
        FROM regexp_replace(left(what, most), '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e'
          '\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]', '?', 'g') AS t);
CREATE OR REPLACE FUNCTION of_server(state text) RETURNS bool LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(state, 2) IN ('08', '25', '3D', '40', '53', '55', '57', '58') OR state IN ('XX001', 'XX002');
CREATE OR REPLACE FUNCTION of_program(state text, context text) RETURNS bool LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN left(state, 2) = '42' AND NOT EXISTS (
    SELECT 1 FROM pg_proc AS p
    WHERE (p.pronamespace NOT IN ('indexer'::regnamespace, 'pg_catalog'::regnamespace)
           OR p.pronamespace = 'indexer'::regnamespace AND p.prorettype = 'trigger'::regtype
              AND p.proname NOT IN ('want_changed', 'lexicons_changed'))
      AND strpos(context, p.proname) > 0 AND strpos(context, p.oid::regprocedure::text) > 0);
END $$;
CREATE OR REPLACE FUNCTION want_changed() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE TRIGGER want_changed AFTER INSERT OR DELETE OR UPDATE OF what, value ON want
FOR EACH ROW EXECUTE FUNCTION want_changed();
CREATE OR REPLACE FUNCTION patterns() RETURNS text[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(SELECT replace(value, '*', '%') FROM want WHERE what = 'collection');
END $$;
CREATE OR REPLACE FUNCTION everybody() RETURNS bool LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM want WHERE what = 'account' AND value = '*');
END $$;
CREATE OR REPLACE FUNCTION one_of_many() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE lock_of_many IN EXCLUSIVE MODE;
END $$;
CREATE OR REPLACE FUNCTION settle(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  w wants;
  a account;
  one atid.did;
  wanted text[];
  moment CONSTANT timestamptz := now();
  dids atid.did[];
  again atid.did[] := '{}';
  refused text[];
  room int := 5000;
  done int;
BEGIN
  PERFORM one_of_many();
  done := heed(50 * most);
  SELECT * INTO w FROM wants;
  WITH gone AS (
    DELETE FROM unsettled AS u
    WHERE u.ctid = ANY (ARRAY(SELECT x.ctid FROM unsettled AS x WHERE x.failures = 0 LIMIT most)) RETURNING u.did
  )
  SELECT array_agg(did) INTO dids FROM gone;
  dids := dids || ARRAY(SELECT u.did FROM unsettled AS u WHERE u.failures > 0 AND u.again <= moment ORDER BY u.again LIMIT most);
  refused := ARRAY(SELECT u.did::text FROM unsettled AS u WHERE u.failures > 0 ORDER BY u.again LIMIT 1000);
  dids := dids || ARRAY(
    SELECT did FROM account
    WHERE wants < CASE WHEN EXISTS (SELECT 1 FROM account AS x WHERE x.wants < 0 AND x.state <> 'loading')
                            OR (SELECT count(*) FROM (SELECT 1 FROM account AS x WHERE x.state = 'desynchronized'
                                                        AND x.load_at <= moment LIMIT 1000) AS d)
                               >= 1000 THEN 0 ELSE w.n END
      AND state <> 'loading' AND did::text <> ALL (refused) AND cardinality(refused) < 1000
    ORDER BY wants LIMIT most);
  wanted := patterns();
  FOR one IN SELECT DISTINCT did FROM unnest(dids) AS did WHERE did IS NOT NULL ORDER BY did LOOP
    a := NULL;
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM want WHERE what = 'account' AND value IN ('*', one::text))
         OR EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = one) THEN
        IF NOT remove(one) THEN
          again := again || one;
        END IF;
        CONTINUE;
      END IF;
      PERFORM meet(one);
      a := grasp(one);
      CONTINUE WHEN a.did IS NULL OR a.wants >= w.n OR a.state = 'loading' OR a.wants < 0 AND room = 0;
      IF a.wants < 0 AND a.state <> 'desynchronized' THEN
        room := room - clear(one, '{}', room);
        CONTINUE WHEN room = 0;
      ELSE
        PERFORM clear(one, wanted);
      END IF;
      UPDATE account SET wants = w.n WHERE did = one;
      IF a.wants < w.loads AND a.state = 'synchronized' THEN
        PERFORM become(a, 'desynchronized', moment);
      ELSIF a.wants < w.loads AND a.state = 'desynchronized' AND a.load_at > moment AND a.rev IS NOT NULL THEN
        UPDATE account SET load_at = moment WHERE did = one;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM passed_over(one, SQLSTATE, SQLERRM);
      PERFORM leave_unsettled(one, a.wants, w.n, SQLERRM);
    END;
  END LOOP;
  DELETE FROM unsettled AS u WHERE u.failures > 0 AND u.again <= moment AND u.did = ANY (dids);
  INSERT INTO unsettled (did) SELECT u FROM unnest(again) AS u;
  done := done + heed_refused(50 * most);
  RETURN done + coalesce(cardinality(dids), 0) - cardinality(again);
END $$;
CREATE OR REPLACE FUNCTION leave_unsettled(one atid.did, old_wants int, new_wants int, message text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  left_as_it_is bool := false;
BEGIN
  BEGIN
    UPDATE account AS a
    SET wants = new_wants, problem = CASE WHEN old_wants < 0 THEN 'not written' ELSE a.problem END,
        detail = CASE WHEN old_wants < 0 THEN clipped(message, 800) ELSE a.detail END
    WHERE a.did = one;
    left_as_it_is := FOUND;
  EXCEPTION WHEN OTHERS THEN
    PERFORM passed_over(one, SQLSTATE, SQLERRM);
  END;
  IF left_as_it_is THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  UPDATE unsettled AS u
  SET failures = least(u.failures + 1, 20), detail = clipped(message, 800),
      again = later(now(), pause(u.failures + 4, s.pause_first, s.pause_most))
  WHERE u.did = one AND u.failures > 0;
  IF NOT FOUND THEN
    INSERT INTO unsettled (did, failures, detail, again)
    VALUES (one, 1, clipped(message, 800), later(now(), pause(4, s.pause_first, s.pause_most)));
  END IF;
END $$;
CREATE OR REPLACE FUNCTION next_list(OUT of text, OUT at text, OUT asked timestamptz) LANGUAGE plpgsql AS $$
BEGIN
  SELECT CASE WHEN w.refused THEN '*' || w.value ELSE w.value END, w.listed, now() INTO of, at, asked
  FROM want AS w WHERE w.listed IS NOT NULL AND (w.what = 'signal' OR w.value = '*') AND w.what <> 'collection'
    AND (w.again IS NULL OR w.again <= now())
  ORDER BY random() LIMIT 1;
END $$;
CREATE OR REPLACE FUNCTION smallest_hashes(hashes bigint[], repos jsonb) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT u.h
               FROM (SELECT unnest(hashes) UNION ALL
                     SELECT hashtextextended(l.did::text, 0) & 9223372036854775807 FROM listed(repos) AS l) AS u (h)
               ORDER BY u.h LIMIT 64);
END $$;
CREATE OR REPLACE FUNCTION about_how_many(hashes bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN CASE WHEN cardinality(hashes) < 64 THEN cardinality(hashes) ELSE (63 * 2 ^ 63 / hashes[64])::bigint END;
CREATE OR REPLACE FUNCTION list(of text, at text, repos jsonb, next text, asked timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  w want;
  signal CONSTANT text := nullif(ltrim(of, '*'), '');
BEGIN
  PERFORM one_of_many();
  next := CASE WHEN next NOT IN ('', at) THEN next END;
  UPDATE want AS x
  SET listed = next, began = CASE WHEN at = '' THEN asked ELSE x.began END,
      seek = CASE WHEN next IS NULL AND signal IS NULL THEN 'did:a:a'::atid.did END,
      entries = CASE WHEN at = '' THEN 0 ELSE x.entries END + greatest((SELECT count(*) FROM listed(repos) AS l), 1),
      smallest = smallest_hashes(CASE WHEN at = '' THEN '{}' ELSE x.smallest END, repos)
  WHERE x.what = CASE WHEN signal IS NULL THEN 'account' ELSE 'signal' END AND x.value = coalesce(signal, '*')
    AND x.listed = at AND x.refused = (signal IS NOT NULL AND of LIKE '*%')
  RETURNING x.* INTO w;
  IF NOT FOUND THEN RETURN; END IF;
  IF next IS NOT NULL AND (w.entries > 4 * about_how_many(w.smallest) + 10000
                           OR w.entries > (SELECT s.most_listed FROM settings AS s)) THEN
    PERFORM list_failed(of, next, 'endless',
                        format('%s entries of about %s accounts', w.entries, about_how_many(w.smallest)));
  ELSIF w.failing IS NOT NULL THEN
    PERFORM list_works(w);
  END IF;
  IF signal IS NULL THEN
    PERFORM tell_page(repos, w.began, asked);
  ELSIF of LIKE '*%' THEN
    INSERT INTO candidate (did) SELECT l.did FROM listed(repos) AS l
    WHERE NOT EXISTS (SELECT 1 FROM want WHERE what = 'account' AND value = l.did::text)
      AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = l.did) ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO want (what, value, because) SELECT 'account', l.did::text, signal FROM listed(repos) AS l
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = l.did) ON CONFLICT DO NOTHING;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION list_failed(of text, at text, why text, more text, seconds float8 DEFAULT 0) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  signal CONSTANT text := nullif(ltrim(of, '*'), '');
BEGIN
  SELECT * INTO s FROM settings;
  UPDATE want AS w
  SET failing = coalesce(w.failing, now()), failures = least(w.failures + 1, 1000000),
      problem = clipped(why, 256), detail = clipped(more, 800),
      again = later(now(), greatest(pause(w.failures, s.pause_first, least(s.pause_most, '5 min')),
                                    coalesce(seconds, 0) * interval '1 s'))
  WHERE w.what = CASE WHEN signal IS NULL THEN 'account' ELSE 'signal' END AND w.value = coalesce(signal, '*')
    AND w.listed = at;
END $$;
CREATE OR REPLACE FUNCTION list_works(w want) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE want AS x SET failing = NULL, failures = 0, problem = NULL, detail = NULL, again = NULL
  WHERE (x.what, x.value) = (w.what, w.value);
END $$;
CREATE OR REPLACE VIEW list_problems AS
SELECT w.what, w.value, w.failing AS since, w.failures, w.problem AS why, w.detail, w.again AS next, CASE
    WHEN w.problem = 'not written' THEN 'an index, a constraint or a trigger refuses the page: correct it'
    WHEN w.problem = 'endless' THEN 'the server sends the same accounts again and again, or more than can exist: report it to '
         || 'the server''s operator; if there are so many accounts, raise most_listed in indexer.settings'
    WHEN w.problem IN ('unauthorized', 'not found', 'not implemented')
    THEN 'the server does not list its accounts: name the accounts that you want, or follow another server'
    WHEN w.problem = 'private address' THEN 'set PRIVATE if this is a test network'
    WHEN w.problem = 'throttled' THEN 'nothing: the server has asked for a pause'
    ELSE 'report it to the server''s operator; accounts behind this page are not found' END AS remedy
FROM want AS w
WHERE w.listed IS NOT NULL AND (w.what = 'signal' OR w.value = '*') AND w.what <> 'collection' AND w.failing IS NOT NULL;
CREATE OR REPLACE FUNCTION tell_page(repos jsonb, start timestamptz, asked timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  r record;
  a account;
BEGIN
  SELECT * INTO s FROM settings;
  FOR r IN SELECT * FROM listed(repos) LOOP
    PERFORM meet(r.did);
    UPDATE identity SET ask = least(ask, later(now(), turn(did, s.spread)))
    WHERE did = r.did AND answered < start;
  END LOOP;
  FOR r IN SELECT * FROM listed(repos) LOOP
    a := grasp(r.did);
    CONTINUE WHEN a.did IS NULL;
    PERFORM tell(a, r.e->'active' IS DISTINCT FROM 'false', r.e->>'status', r.e->>'rev', asked);
  END LOOP;
EXCEPTION WHEN OTHERS THEN
  IF jsonb_array_length(repos) = 1 THEN
    PERFORM passed_over(did, SQLSTATE, SQLERRM) FROM listed(repos);
  ELSIF of_server(SQLSTATE) THEN
    RAISE;
  ELSE
    FOR r IN SELECT * FROM listed(repos) LOOP
      PERFORM tell_page(jsonb_build_array(r.e), start, asked);
    END LOOP;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION seek_unlisted(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  w want;
  dids atid.did[];
  one atid.did;
  last atid.did;
  waits bool := false;
BEGIN
  SELECT * INTO w FROM want AS x WHERE (x.what, x.value) = ('account', '*') AND x.seek IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN 0; END IF;
  dids := ARRAY(SELECT did FROM account WHERE did > w.seek ORDER BY did LIMIT most);
  FOREACH one IN ARRAY dids LOOP
    IF EXISTS (SELECT 1 FROM account AS a WHERE a.did = one AND a.state NOT IN ('inactive', 'barred')
               AND coalesce(greatest(a.listed, a.said), '-infinity') < w.began) THEN
      IF is_being_loaded(one) THEN
        waits := true;
        EXIT;
      END IF;
      UPDATE account AS a SET check_at = now() WHERE a.did = one;
    END IF;
    last := one;
  END LOOP;
  UPDATE want SET seek = CASE WHEN waits THEN coalesce(last, w.seek) ELSE dids[cardinality(dids)] END
  WHERE (what, value) = ('account', '*');
  RETURN CASE WHEN waits THEN 0 ELSE greatest(cardinality(dids), 1) END;
END $$;
CREATE OR REPLACE FUNCTION listed(repos jsonb) RETURNS TABLE (did atid.did, e jsonb) LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN QUERY
  SELECT DISTINCT ON (d) d, x FROM jsonb_array_elements(repos) AS x CROSS JOIN atid.did_or_null(x->>'did') AS d
  WHERE octet_length(d::text) <= 512 ORDER BY d LIMIT 1000;
END $$;
CREATE OR REPLACE FUNCTION list_refused(of text, why text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
  UPDATE want AS w
  SET refused = true, listed = '', failing = NULL, failures = 0, problem = NULL, detail = NULL, again = NULL
  WHERE w.what = 'signal' AND w.value = of AND NOT w.refused;
  RETURN FOUND;
END $$;
CREATE OR REPLACE FUNCTION signal_doubtful(most int) RETURNS TABLE (did text) LANGUAGE plpgsql AS $$
DECLARE s settings;
BEGIN
  SELECT * INTO s FROM settings;
  DELETE FROM candidate WHERE asked > 8;
  RETURN QUERY
  UPDATE candidate AS c SET asked = c.asked + 1, ask = later(now(), pause(c.asked + 2, s.pause_first, s.pause_most))
  WHERE c.did = ANY (ARRAY(SELECT x.did FROM candidate AS x WHERE x.ask <= now() ORDER BY x.ask LIMIT most
                           FOR UPDATE SKIP LOCKED))
  RETURNING c.did::text;
END $$;
CREATE OR REPLACE FUNCTION has_signal(account text, collections text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF collections IS NULL THEN
    UPDATE candidate SET asked = 0, ask = later(now(), interval '1 hour') WHERE did = atid.did_or_null(account);
    RETURN;
  END IF;
  DELETE FROM candidate WHERE did = atid.did_or_null(account);
  PERFORM writes();
  INSERT INTO want (what, value, because)
  SELECT 'account', account, w.value FROM want AS w
  WHERE w.what = 'signal' AND w.value = ANY (collections) AND octet_length(account) <= 512 AND atid.did_is_valid(account)
    AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = atid.did_or_null(account))
  ORDER BY w.value LIMIT 1
  ON CONFLICT DO NOTHING;
END $$;
CREATE OR REPLACE FUNCTION look_again(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  x stream;
  moment CONSTANT timestamptz := now();
  dids atid.did[];
  one atid.did;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM one_of_many();
  SELECT * INTO x FROM stream WHERE look IS NOT NULL AND kind = 'repos' ORDER BY look LIMIT 1;
  IF NOT FOUND THEN RETURN seek_unlisted(most); END IF;
  IF x.looked IS NULL THEN
    UPDATE want SET listed = '', refused = false, again = NULL WHERE what = 'signal' OR (what, value) = ('account', '*');
  END IF;
  IF NOT everybody() THEN
    dids := ARRAY(SELECT did FROM identity WHERE did > x.looked OR x.looked IS NULL ORDER BY did LIMIT most);
  END IF;
  IF coalesce(cardinality(dids), 0) = 0 THEN
    UPDATE stream SET look = NULL, looked = NULL WHERE name = x.name AND look = x.look;
    RETURN 1;
  END IF;
  FOREACH one IN ARRAY dids LOOP
    UPDATE identity SET ask = least(ask, later(moment, turn(did, s.spread)))
    WHERE did = one AND answered IS NOT NULL AND answered < x.look;
    CONTINUE WHEN is_being_loaded(one);
    UPDATE account SET check_at = least(check_at, later(moment, turn(did, s.spread)))
    WHERE did = one AND state <> 'barred';
  END LOOP;
  UPDATE stream SET looked = dids[cardinality(dids)] WHERE name = x.name AND look = x.look;
  RETURN cardinality(dids);
END $$;
CREATE OR REPLACE FUNCTION become(a account, next text, at timestamptz DEFAULT 'infinity', why text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account AS x SET state = next, load_at = at, status = why WHERE x.did = a.did;
  IF a.state <> next THEN
    INSERT INTO tally (what, n) VALUES (a.state, -1), (next, 1);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION meet(one atid.did) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  k text;
  w int;
  method CONSTANT text := split_part(one::text, ':', 2);
BEGIN
  IF EXISTS (SELECT 1 FROM account WHERE did = one) OR EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = one)
     OR octet_length(one::text) > 512 THEN
    RETURN;
  END IF;
  INSERT INTO identity (did, web, ask, problem)
  VALUES (one, method = 'web', CASE WHEN method IN ('plc', 'web') THEN now() ELSE 'infinity' END,
          CASE WHEN method NOT IN ('plc', 'web') THEN 'not implemented' END)
  ON CONFLICT DO NOTHING;
  SELECT key INTO k FROM identity WHERE did = one FOR SHARE;
  SELECT n INTO w FROM wants;
  INSERT INTO account (did, state, load_at, wants, listed)
  VALUES (one, CASE WHEN k IS NULL THEN 'unidentified' ELSE 'desynchronized' END,
          CASE WHEN k IS NULL THEN 'infinity' ELSE now() END, w, now())
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    INSERT INTO tally (what, n) VALUES (CASE WHEN k IS NULL THEN 'unidentified' ELSE 'desynchronized' END, 1);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION passed_over(one atid.did, state text, message text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF of_server(state) THEN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
  END IF;
  RAISE WARNING 'account % is left as it is: %', one, message;
END $$;
CREATE OR REPLACE FUNCTION silence(a account, next text, why text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM become(a, next, why => coalesce(nullif(clipped(why, 64), ''), 'unknown'));
  UPDATE account AS x SET check_at = 'infinity', failures = 0, older = 0, problem = NULL, detail = NULL WHERE x.did = a.did;
  IF clear(a.did, '{}', 200) = 200 THEN
    UPDATE account AS x SET wants = -1 WHERE x.did = a.did;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION revive(a account, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM identity WHERE did = a.did AND key IS NOT NULL) THEN
    PERFORM become(a, 'desynchronized', at);
  ELSE
    PERFORM become(a, 'unidentified');
  END IF;
END $$;
CREATE OR REPLACE FUNCTION count_gap(a account) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  moment CONSTANT timestamptz := now();
  n CONSTANT int := CASE WHEN a.gap_at > later(moment, -interval '1 day') THEN a.gaps ELSE 0 END;
BEGIN
  SELECT * INTO s FROM settings;
  UPDATE account AS x SET gaps = least(n + 1, 20), gap_at = moment WHERE x.did = a.did;
  RETURN CASE WHEN n < s.most_gaps THEN moment ELSE later(moment, pause(n, s.pause_first, s.pause_most)) END;
END $$;
CREATE OR REPLACE FUNCTION tell(a account, is_active bool, why text, latest text, asked timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  newest CONSTANT atid.tid := CASE WHEN atid.tid_is_valid(latest)
                                   AND latest::atid.tid <= atid.tid_ceil(now() + most_ahead()) THEN latest END;
  since CONSTANT timestamptz := CASE WHEN asked IS NULL THEN now() END;
  is_new CONSTANT bool := (newest <= a.rev OR newest <= a.unsigned_rev AND a.unsigned_loads > 1) IS NOT TRUE;
BEGIN
  IF a.state = 'barred' OR NOT is_active AND (a.said >= asked OR why IN ('throttled', 'desynchronized')) THEN
    NULL;
  ELSIF NOT is_active THEN
    PERFORM silence(a, 'inactive', why);
  ELSIF a.state = 'inactive' AND (a.said >= asked) IS NOT TRUE THEN
    PERFORM revive(a, count_gap(a));
  ELSIF a.state = 'synchronized' AND newest IS NOT NULL AND is_new THEN
    PERFORM become(a, 'desynchronized', now());
  END IF;
  UPDATE account AS x
  SET listed = coalesce(asked, since), said = coalesce(since, x.said), check_at = 'infinity',
      unsigned_rev = CASE WHEN is_new THEN greatest(x.unsigned_rev, newest) ELSE x.unsigned_rev END
  WHERE x.did = a.did;
END $$;
CREATE OR REPLACE FUNCTION grasp(one atid.did) RETURNS account LANGUAGE plpgsql AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account AS x WHERE x.did = one AND x.state <> 'loading' FOR UPDATE;
  IF NOT FOUND THEN
    SELECT * INTO a FROM account AS x WHERE x.did = one AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
  END IF;
  RETURN a;
END $$;
CREATE OR REPLACE FUNCTION is_being_loaded(one atid.did) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE a CONSTANT account := grasp(one);
BEGIN
  RETURN a.did IS NULL AND EXISTS (SELECT 1 FROM account AS x WHERE x.did = one);
END $$;
CREATE OR REPLACE FUNCTION told(account text, active bool, status text, rev text, asked timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE a CONSTANT account := grasp(atid.did_or_null(told.account));
BEGIN
  IF a.did IS NOT NULL THEN
    PERFORM tell(a, coalesce(active, false), status, rev, asked);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION doubtful(most int) RETURNS TABLE (did text, asked timestamptz) LANGUAGE plpgsql AS $$
DECLARE s settings;
BEGIN
  SELECT * INTO s FROM settings;
  RETURN QUERY
  UPDATE account AS a SET check_at = later(now(), pause(6, s.pause_first, s.pause_most))
  WHERE a.did = ANY (ARRAY(SELECT x.did FROM account AS x WHERE x.check_at < 'infinity' AND x.check_at <= now()
                           ORDER BY x.check_at LIMIT most FOR UPDATE SKIP LOCKED))
  RETURNING a.did::text, now();
END $$;
CREATE OR REPLACE FUNCTION doubt(one atid.did) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
  a account;
  at timestamptz;
BEGIN
  SELECT * INTO a FROM account AS x WHERE x.did = one FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NOT EXISTS (SELECT 1 FROM account AS x WHERE x.did = one);
  END IF;
  at := CASE WHEN a.doubted > now() THEN a.doubted ELSE greatest(now(), later(a.doubted, interval '1 hour')) END;
  UPDATE account AS x SET check_at = least(x.check_at, at), doubted = at WHERE x.did = one AND x.state <> 'barred';
  RETURN true;
END $$;
CREATE OR REPLACE FUNCTION remove(one atid.did, waits bool DEFAULT false) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
  was text;
  label_source bool;
BEGIN
  SELECT labeler INTO label_source FROM identity WHERE did = one FOR UPDATE;
  IF NOT waits AND is_being_loaded(one) THEN RETURN false; END IF;
  SELECT state INTO was FROM account WHERE did = one FOR UPDATE;
  IF was IS NOT NULL THEN
    PERFORM clear(one, '{}');
    DELETE FROM waiting WHERE did = one;
    DELETE FROM account WHERE did = one;
    INSERT INTO tally (what, n) VALUES (was, -1);
  END IF;
  IF NOT label_source THEN
    DELETE FROM identity WHERE did = one;
  END IF;
  RETURN true;
END $$;
CREATE OR REPLACE FUNCTION heed(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  r record;
  n int := 0;
BEGIN
  SELECT * INTO s FROM settings;
  FOR r IN
    WITH taken AS (
      DELETE FROM notice AS x
      WHERE x.n = ANY (ARRAY(SELECT y.n FROM notice AS y WHERE y.what <> 'refused' ORDER BY y.n LIMIT most))
      RETURNING *
    )
    SELECT did, bool_or(what = 'met') AS met, bool_or(what = 'identity') AS identity, bool_or(what = 'signature') AS signature,
           min(because) FILTER (WHERE what = 'signal' AND EXISTS (
             SELECT 1 FROM want AS w WHERE (w.what, w.value) = ('signal', taken.because))) AS signal,
           max(at) AS at, count(*) AS rows
    FROM taken GROUP BY did ORDER BY did
  LOOP
    n := n + r.rows;
    BEGIN
      IF r.signal IS NOT NULL AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = r.did) THEN
        INSERT INTO want (what, value, because) VALUES ('account', r.did::text, r.signal) ON CONFLICT DO NOTHING;
      END IF;
      IF r.met AND EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value IN ('*', r.did::text)) THEN
        PERFORM meet(r.did);
      END IF;
      IF r.identity OR r.signature THEN
        UPDATE identity AS i
        SET ask = least(i.ask,
              CASE WHEN r.identity AND i.nudged > 2
                THEN greatest(r.at, later(i.answered, pause(i.nudged, s.pause_first, s.pause_most)))
                WHEN r.identity THEN r.at END,
              CASE WHEN r.signature
                THEN later(i.answered, pause(greatest(i.doubted, 2), s.pause_first, s.pause_most)) END),
            nudged = least(i.nudged + CASE WHEN r.identity THEN 1 ELSE 0 END, 20),
            doubted = least(i.doubted + CASE WHEN r.signature THEN 1 ELSE 0 END, 20),
            asked = 0, wanted = r.at
        WHERE i.did = r.did AND (i.answered IS NOT NULL OR r.identity AND i.asked = 0);
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM passed_over(r.did, SQLSTATE, SQLERRM);
    END;
  END LOOP;
  RETURN n;
END $$;
CREATE OR REPLACE FUNCTION heed_refused(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  r record;
  n int := 0;
BEGIN
  FOR r IN
    WITH taken AS (
      DELETE FROM notice AS x
      WHERE x.n = ANY (ARRAY(SELECT y.n FROM notice AS y WHERE y.what = 'refused' ORDER BY y.n LIMIT most))
      RETURNING x.did
    )
    SELECT t.did, count(*) AS rows FROM taken AS t GROUP BY t.did ORDER BY t.did
  LOOP
    n := n + r.rows;
    BEGIN
      IF NOT doubt(r.did) THEN
        INSERT INTO notice (did, what) VALUES (r.did, 'refused');
        n := n - 1;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      PERFORM passed_over(r.did, SQLSTATE, SQLERRM);
    END;
  END LOOP;
  RETURN n;
END $$;
CREATE OR REPLACE FUNCTION ask(
  most int, kind text, of_web bool, busy text[] DEFAULT '{}', after_ask timestamptz DEFAULT NULL, after_did text DEFAULT NULL
) RETURNS TABLE (did text, asked timestamptz, at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  c record;
  domain text;
  n int := 0;
  moment CONSTANT timestamptz := now();
BEGIN
  SELECT * INTO s FROM settings;
  FOR c IN
    SELECT x.did, x.ask FROM identity AS x
    WHERE CASE WHEN x.answered IS NOT NULL THEN 'known' WHEN x.asked = 0 THEN 'new' ELSE 'again' END = kind
      AND x.web = of_web AND x.ask < 'infinity' AND x.ask <= moment
      AND (x.ask, x.did) > (coalesce(after_ask, '-infinity'), coalesce(after_did, 'did:a:a')::atid.did)
    ORDER BY x.ask, x.did LIMIT 1000
  LOOP
    did := c.did;
    at := c.ask;
    asked := NULL;
    IF busy <> '{}' THEN
      domain := '.' || lower(split_part(split_part(did, ':', 3), '%', 1));
      CONTINUE WHEN EXISTS (SELECT 1 FROM unnest(busy) AS b WHERE right(domain, length(b) + 1) = '.' || b);
    END IF;
    PERFORM FROM identity AS i WHERE i.did = c.did AND i.ask <= moment FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE identity AS i SET asked = i.asked + 1, ask = later(moment, pause(i.asked, s.pause_first, s.pause_most))
    WHERE i.did = c.did;
    asked := moment;
    n := n + 1;
    RETURN NEXT;
    EXIT WHEN n >= most;
  END LOOP;
  IF did IS NOT NULL AND asked IS NULL THEN
    RETURN NEXT;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION unask(dids text[], seconds float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE one atid.did;
BEGIN
  PERFORM one_of_many();
  FOR one IN SELECT DISTINCT d FROM unnest(dids) AS u CROSS JOIN atid.did_or_null(u) AS d WHERE d IS NOT NULL ORDER BY d LOOP
    UPDATE identity AS i SET asked = greatest(i.asked - 1, 0), ask = least(i.ask, later(now(), seconds * interval '1 s'))
    WHERE i.did = one;
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION not_identified(account text, why text, more text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE identity AS i SET problem = clipped(why, 256), detail = clipped(more, 800) WHERE i.did = atid.did_or_null(account);
END $$;
CREATE OR REPLACE FUNCTION plc_document(account text, data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE
RETURN jsonb_build_object('id', account, 'alsoKnownAs', data->'alsoKnownAs',
  'verificationMethod', (
    SELECT jsonb_agg(jsonb_build_object('id', '#' || m.key, 'type', 'Multikey', 'controller', account,
                                        'publicKeyMultibase', substring(m.value #>> '{}' FROM '^did:key:(.*)$')))
    FROM jsonb_each(data->'verificationMethods') AS m),
  'service', (
    SELECT jsonb_agg(jsonb_build_object('id', '#' || x.key, 'type', x.value->'type',
                                        'serviceEndpoint', x.value->'endpoint'))
    FROM jsonb_each(data->'services') AS x));
CREATE OR REPLACE FUNCTION identity_of(
  account text, document jsonb, OUT key text, OUT handle text, OUT pds text, OUT detail text
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE m jsonb;
BEGIN
  FOR m IN
    SELECT x FROM jsonb_path_query(document, 'strict $.verificationMethod[*]', silent => true) AS x
    WHERE x->>'id' IN ('#atproto', account || '#atproto') AND x->>'controller' = account
  LOOP
    BEGIN
      key := atid.did_key_from_multibase(m->>'type', m->>'publicKeyMultibase');
    EXCEPTION WHEN data_exception OR feature_not_supported THEN
      GET STACKED DIAGNOSTICS detail = MESSAGE_TEXT;
    END;
    EXIT WHEN key IS NOT NULL;
  END LOOP;
  handle := lower((
    SELECT substr(x.name #>> '{}', 6)
    FROM jsonb_path_query(document, 'strict $.alsoKnownAs[*] ? (@.type() == "string" && @ starts with "at://")',
                          silent => true) WITH ORDINALITY AS x (name, n)
    WHERE atid.handle_is_valid(substr(x.name #>> '{}', 6)) ORDER BY x.n LIMIT 1) COLLATE "C");
  pds := (
    SELECT x.service->>'serviceEndpoint'
    FROM jsonb_path_query(document, 'strict $.service[*]', silent => true) WITH ORDINALITY AS x (service, n)
    WHERE x.service->>'id' IN ('#atproto_pds', account || '#atproto_pds')
      AND x.service->>'type' = 'AtprotoPersonalDataServer' AND jsonb_typeof(x.service->'serviceEndpoint') = 'string'
      AND octet_length(x.service->>'serviceEndpoint') <= 512 AND origin(x.service->>'serviceEndpoint') IS NOT NULL
    ORDER BY x.n LIMIT 1);
  detail := CASE WHEN key IS NULL THEN detail END;
END $$;
CREATE OR REPLACE FUNCTION know(
  account atid.did, new_key text, keys text[], new_handle text, new_pds text, tombstone bool, asked timestamptz,
  why text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  i identity;
  a account;
  home text[];
  moved bool;
  ended text;
  enough bool;
  trusted bool;
  new_host text;
  moment CONSTANT timestamptz := now();
  next timestamptz;
  late bytea[];
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO i FROM identity AS x WHERE x.did = know.account FOR UPDATE;
  IF i.did IS NULL THEN RETURN; END IF;
  late := ARRAY(SELECT b.digest FROM bad AS b
                WHERE b.did = know.account AND b.early
                  AND EXISTS (SELECT 1 FROM unnest(keys || new_key) AS k WHERE atid.event_is_signed_by(b.frame, k)));
  IF is_being_loaded(know.account) THEN
    UPDATE identity AS x SET ask = least(x.ask, later(moment, s.not_sooner)) WHERE x.did = know.account;
    RETURN;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = know.account FOR UPDATE;
  SELECT x.pds INTO home FROM stream AS x WHERE x.kind = 'repos' ORDER BY x.started DESC LIMIT 1;
  new_key := CASE WHEN atid.did_key_is_valid(new_key) THEN new_key END;
  new_pds := CASE WHEN octet_length(new_pds) <= 512 AND origin(new_pds) IS NOT NULL
    THEN clipped(rtrim(regexp_replace(new_pds, '^([A-Za-z]+://)[^/?#]*@', '\1'), '/'), 512) END;
  new_host := origin(new_pds);
  WITH found AS (
    DELETE FROM bad AS b WHERE b.digest = ANY (late) RETURNING b.stream, b.frame
  )
  INSERT INTO waiting (stream, slot, seq, did, frame)
  SELECT f.stream, slot(a.did), atid.dag_cbor_get_text(h.body, '{seq}')::bigint AS seq, a.did, f.frame
  FROM found AS f CROSS JOIN atid.frame_parts(f.frame) AS h
  WHERE a.did IS NOT NULL AND atid.event_is_signed_by(f.frame, new_key) ORDER BY seq DESC LIMIT 1;
  enough := know.asked >= coalesce(i.wanted, '-infinity')
            AND (i.asked > 6 OR NOT EXISTS (SELECT 1 FROM bad AS b WHERE b.did = know.account AND b.early));
  UPDATE bad AS b SET early = false WHERE b.did = know.account AND b.early AND enough;
  trusted := new_key <> i.key OR i.wanted IS NULL OR i.wanted < later(moment, -s.identity_age);
  next := later(moment, s.identity_age * (0.9 + 0.2 * random()));
  UPDATE identity AS x
  SET key = new_key, pds = new_pds, host = new_host, answered = moment, detail = clipped(why, 800),
      problem = CASE WHEN new_key IS NULL AND NOT tombstone THEN 'no key' END, handle = new_handle,
      asked = CASE WHEN enough THEN 0 ELSE x.asked END,
      nudged = CASE WHEN trusted THEN 0 ELSE x.nudged END, doubted = CASE WHEN trusted THEN 0 ELSE x.doubted END,
      ask = CASE WHEN enough THEN next ELSE x.ask END
  WHERE x.did = know.account;
  IF a.did IS NULL THEN RETURN; END IF;
  moved := (coalesce(new_host, '') <> ALL (home)) IS TRUE;
  ended := CASE WHEN tombstone THEN 'tombstoned' WHEN moved THEN 'moved' END;
  IF ended IS NOT NULL THEN
    IF a.state <> 'barred' OR a.status <> ended THEN
      PERFORM silence(a, 'barred', ended);
    END IF;
  ELSIF a.state = 'barred' OR new_key IS DISTINCT FROM i.key AND a.state <> 'inactive' THEN
    UPDATE account AS x SET failures = 0, older = 0, problem = NULL, detail = NULL WHERE x.did = a.did;
    PERFORM revive(a, CASE WHEN i.answered IS NULL THEN moment ELSE count_gap(a) END);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION identify(account text, log jsonb, asked timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  i identity;
  h record;
  d record;
  why text;
  again jsonb;
BEGIN
  SELECT * INTO i FROM identity WHERE did = atid.did_or_null(account) FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  why := coalesce(atid.plc_log_problem(log),
    CASE WHEN log->0->>'did' IS DISTINCT FROM account THEN 'The log must be that of the account.'
         WHEN jsonb_array_length(log) < jsonb_array_length(i.log) THEN 'The log must not be shorter than it was.' END);
  IF why IS NOT NULL THEN
    PERFORM not_identified(account, 'invalid', why);
    RETURN why;
  END IF;
  SELECT * INTO h FROM atid.plc_log_history(log) AS x WHERE x.valid_to IS NULL;
  UPDATE identity SET log = identify.log WHERE did = i.did;
  SELECT * INTO d FROM identity_of(account, plc_document(account, h.data));
  PERFORM know(i.did, d.key,
    ARRAY(SELECT k.key FROM atid.plc_log_keys(log) AS k WHERE k.id = 'atproto'
          GROUP BY k.key ORDER BY max(k.valid_from) DESC LIMIT 8), d.handle, d.pds, h.data IS NULL, asked, d.detail);
  PERFORM label_keys_take(i.did, log);
  WHILE i.answered IS NULL LOOP
    PERFORM writes();
    WITH early AS (
      DELETE FROM labels_refused
      WHERE ctid = ANY (ARRAY(SELECT l.ctid FROM labels_refused AS l WHERE l.label->>'src' = account AND l.received < now() LIMIT 10000))
      RETURNING label
    )
    SELECT jsonb_agg(label) INTO again FROM early;
    EXIT WHEN again IS NULL;
    PERFORM labels_take(again);
  END LOOP;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION identify_web(account text, document jsonb, asked timestamptz) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  d record;
  why CONSTANT text := 'The document must be that of the account.';
BEGIN
  IF jsonb_typeof(document) IS DISTINCT FROM 'object' OR document->>'id' IS DISTINCT FROM account OR me IS NULL THEN
    PERFORM not_identified(account, 'invalid', why);
    RETURN why;
  END IF;
  SELECT * INTO d FROM identity_of(account, document);
  PERFORM know(me, d.key, ARRAY[d.key], d.handle, d.pds, false, asked, d.detail);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION scratch() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass('pg_temp.batch') IS NOT NULL THEN RETURN; END IF;
  CREATE TEMP TABLE IF NOT EXISTS op (
    uri        atid.at_uri,
    did        atid.did,
    collection text,
    fresh      bool,
    cid        atid.cid_link,
    block      bytea
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE said (
    n     int,
    frame bytea,
    op    bigint,
    t     text,
    error text,
    seq   bigint,
    at    timestamptz,
    did   atid.did,
    shape bool,
    bare  bool
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE known (
    did   atid.did PRIMARY KEY,
    key   text,
    moved bool,
    here  bool,
    host  text,
    rev   atid.tid,
    data  atid.cid_link
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE batch (
    n         int,
    frame     bytea,
    t         text,
    met       bool,
    here      bool,
    moved     bool,
    error     text,
    seq       bigint,
    below     bool,
    at        timestamptz,
    did       atid.did,
    reason    text,
    signed    bool,
    rev       atid.tid,
    since     atid.tid,
    prev_data atid.cid_link,
    data      atid.cid_link
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE fit (
    n int, frame bytea, did atid.did, rev atid.tid, data atid.cid_link,
    fits bool
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE held (did atid.did PRIMARY KEY, state text, rev atid.tid, data atid.cid_link) ON COMMIT DELETE ROWS;
  ALTER TABLE op ALTER block SET STORAGE EXTERNAL;
  ALTER TABLE batch ALTER frame SET STORAGE EXTERNAL;
END $$;
CREATE OR REPLACE FUNCTION path_of(field text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(field) <= 512 THEN regexp_replace(substr(field, CASE WHEN starts_with(field, '$.') THEN 3 ELSE 2 END), '(.)\.uri$', '\1')
            ELSE '' END;
CREATE OR REPLACE FUNCTION lexicons_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM atid.lexicon_agg(l.lexicons) FROM lexicons AS l;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER lexicons_changed AFTER INSERT OR UPDATE ON lexicons
FOR EACH STATEMENT EXECUTE FUNCTION lexicons_changed();
CREATE OR REPLACE FUNCTION points_at(block bytea, most int) RETURNS TABLE (subject atid.at_uri, path text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT DISTINCT s.subject, path_of(s.field)
  FROM (SELECT coalesce(f.uri, atid.at_uri_make(f.did::text)) AS subject, f.field
        FROM atid.dag_cbor_refs(CASE WHEN atid.dag_cbor_ref_uris(block) <> '{}' THEN block END) AS f LIMIT most) AS s
  WHERE octet_length(s.subject::text) <= 1200
$$;
CREATE OR REPLACE FUNCTION writes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE lock_of_writers IN ROW EXCLUSIVE MODE;
END $$;
CREATE OR REPLACE FUNCTION nobody_writes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE lock_of_writers IN EXCLUSIVE MODE;
END $$;
CREATE OR REPLACE FUNCTION write() RETURNS void LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE FUNCTION clear(account atid.did, wanted text[], most int DEFAULT NULL) RETURNS int LANGUAGE plpgsql AS $$
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
  IF n = most AND EXISTS (SELECT 1 FROM record AS r WHERE r.uri = first AND r.did = account) THEN
    PERFORM clear(account, wanted);
    RETURN 0;
  END IF;
  RETURN n;
END $$;
CREATE OR REPLACE FUNCTION start(stream text, kind text, pds text[], takers int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  a account;
  old taker[];
  at bigint;
  is_new bool;
BEGIN
  SELECT * INTO s FROM settings;
  INSERT INTO stream AS x (name, kind, pds) VALUES (start.stream, start.kind, nullif(start.pds, '{}'))
  ON CONFLICT (name) DO UPDATE SET pds = excluded.pds, started = now(), error = NULL;
  old := ARRAY(SELECT t FROM taker AS t WHERE t.stream = start.stream ORDER BY t.lo FOR UPDATE);
  is_new := old = '{}';
  IF is_new THEN
    INSERT INTO taker (stream, lo, hi) VALUES (start.stream, 0, 255);
    old := ARRAY(SELECT t FROM taker AS t WHERE t.stream = start.stream);
  END IF;
  DELETE FROM taker AS t WHERE t.stream = start.stream;
  INSERT INTO taker (stream, lo, hi, cursor, heard, taken)
  SELECT start.stream, min(g.lo), max(g.hi), g.cursor, max(g.heard), max(g.taken)
  FROM (SELECT p.*, count(*) FILTER (WHERE p.starts) OVER (PARTITION BY p.n ORDER BY p.lo) AS part
        FROM (SELECT n, greatest(o.lo, b.lo) AS lo, least(o.hi, b.hi) AS hi, o.cursor, o.heard, o.taken,
                     o.cursor IS DISTINCT FROM lag(o.cursor) OVER (PARTITION BY n ORDER BY o.lo) AS starts
              FROM generate_series(0, takers - 1) AS n
                   CROSS JOIN LATERAL (SELECT (256 * n + takers - 1) / takers AS lo,
                                              (256 * (n + 1) + takers - 1) / takers - 1 AS hi) AS b
                   JOIN unnest(old) AS o ON o.lo <= b.hi AND b.lo <= o.hi) AS p) AS g
  GROUP BY g.n, g.part, g.cursor;
  UPDATE taker AS t SET (frames, commits, refused) = (SELECT sum(o.frames), sum(o.commits), sum(o.refused) FROM unnest(old) AS o)
  WHERE t.stream = start.stream AND t.lo = 0;
  SELECT min(t.cursor) INTO at FROM taker AS t WHERE t.stream = start.stream;
  IF kind = 'repos' THEN
    UPDATE stream AS x SET look = now(), looked = NULL
    WHERE x.name = start.stream AND (is_new OR at = 0 OR x.place <> place());
    UPDATE stream AS x SET place = place() WHERE x.name = start.stream;
    FOR a IN SELECT * FROM account WHERE state = 'loading' ORDER BY did LOOP
      PERFORM FROM account AS x WHERE x.did = a.did AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
      PERFORM unload(a.did, a.claim, 'ended', NULL);
    END LOOP;
  END IF;
  RETURN at;
END $$;
CREATE OR REPLACE FUNCTION place() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE server text;
BEGIN
  IF has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')
     AND has_function_privilege('pg_catalog.pg_control_checkpoint()', 'EXECUTE') THEN
    SELECT concat(c.system_identifier, ' ', k.timeline_id) INTO server
    FROM pg_catalog.pg_control_system() AS c CROSS JOIN pg_catalog.pg_control_checkpoint() AS k;
  END IF;
  RETURN concat_ws(' ', server, 'indexer.stream'::regclass::oid);
END $$;
CREATE OR REPLACE FUNCTION would_bar(stream text, pds text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT l.name
          FROM (SELECT x.name, x.pds FROM stream AS x WHERE x.kind = 'repos' ORDER BY x.started DESC LIMIT 1) AS l
          WHERE (l.name <> would_bar.stream OR l.pds IS NULL OR NOT l.pds <@ would_bar.pds) AND cardinality(would_bar.pds) > 0
            AND EXISTS (SELECT 1 FROM account AS a JOIN identity AS i USING (did)
                        WHERE a.state <> 'barred' AND i.answered IS NOT NULL AND coalesce(i.host, '') <> ALL (would_bar.pds)));
END $$;
CREATE OR REPLACE FUNCTION compared(stream text, seconds float8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stream AS x SET ahead = least(greatest(seconds, -1e10), 1e10) * interval '1 s' WHERE x.name = compared.stream;
END $$;
CREATE OR REPLACE FUNCTION connected(stream text, cursor bigint, first bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  t record;
BEGIN
  SELECT * INTO s FROM settings;
  SELECT max(later(x.heard, -greatest(x.lag, '0'))) AS heard, coalesce(sum(x.frame_rate), 0) AS rate INTO t
  FROM taker AS x WHERE x.stream = connected.stream;
  UPDATE stream AS x SET behind = CASE WHEN first <= cursor AND cursor > 0 THEN first END WHERE x.name = connected.stream;
  UPDATE stream AS x SET look = now(), looked = NULL
  WHERE x.name = connected.stream AND x.kind = 'repos'
    AND (cursor = 0
         OR first > cursor + 1 AND t.heard < now() - s.missed_after
         OR first > cursor + 1 + least(s.most_skipped, 100 + 10 * t.rate * greatest(extract(epoch FROM now() - t.heard), 0)));
END $$;
CREATE OR REPLACE FUNCTION too_large(stream text, digest bytea, bytes bigint, account text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  me CONSTANT atid.did := atid.did_or_null(CASE WHEN octet_length(account) <= 512 THEN account END);
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM writes();
  INSERT INTO bad (digest, stream, did, reason, early)
  SELECT too_large.digest, too_large.stream, me, format('The frame must not be longer than 5 MB; it has %s bytes.', bytes), false
  WHERE pg_total_relation_size('bad') < s.most_bad AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = me)
  ON CONFLICT DO NOTHING;
  INSERT INTO notice (did, what) SELECT a.did, 'refused' FROM account AS a
  WHERE a.did = me AND (SELECT x.kind FROM stream AS x WHERE x.name = too_large.stream) = 'repos'
    AND (SELECT count(*) FROM (SELECT 1 FROM notice LIMIT s.most_notices) AS x) < s.most_notices;
  UPDATE taker AS t SET refused = t.refused + 1 WHERE t.stream = too_large.stream AND t.lo = 0;
END $$;
CREATE OR REPLACE FUNCTION hold(dids atid.did[]) RETURNS SETOF account LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT * FROM account WHERE did = ANY (dids) AND state <> 'loading' ORDER BY did FOR UPDATE;
END $$;
CREATE OR REPLACE FUNCTION judge(stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  of_labels CONSTANT bool := (SELECT x.kind = 'labels' FROM stream AS x WHERE x.name = judge.stream);
  home CONSTANT text[] := (SELECT x.pds FROM stream AS x WHERE x.name = judge.stream);
  all_wanted CONSTANT bool := everybody();
  far CONSTANT bigint := (SELECT far_ahead FROM settings);
  cursors CONSTANT bigint[] := ARRAY(SELECT t.cursor FROM taker AS t WHERE t.stream = judge.stream
                                     AND t.lo >= from_slot AND t.hi <= to_slot ORDER BY t.lo);
  one_ahead CONSTANT bigint := (SELECT max(t.ahead) FROM taker AS t WHERE t.stream = judge.stream
                                AND t.lo >= from_slot AND t.hi <= to_slot);
  all_slots CONSTANT bool := from_slot = 0 AND to_slot = 255;
  one_cursor CONSTANT bigint := CASE WHEN all_slots AND cardinality(cursors) = 1 THEN cursors[1] END;
BEGIN
  WITH late AS (
    DELETE FROM waiting AS w WHERE w.stream = judge.stream AND w.did = ANY (waited) RETURNING w.seq, w.frame
  )
  INSERT INTO said (n, frame, op, t, error, seq, at, did, shape, bare)
  SELECT p.n, p.late, (p.h).op, (p.h).t, (p.h).error,
         CASE WHEN atid.dag_cbor_typeof((p.h).body, '{seq}') = 'number'
           THEN atid.dag_cbor_get_text((p.h).body, '{seq}')::bigint END,
         atid.datetime_or_null(atid.dag_cbor_get_text((p.h).body, '{time}')),
         atid.did_or_null(atid.dag_cbor_get_text((p.h).body, CASE (p.h).t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[])),
         CASE (p.h).t WHEN '#labels' THEN atid.dag_cbor_typeof((p.h).body, '{labels}') IS NOT DISTINCT FROM 'array'
                      WHEN '#account' THEN atid.dag_cbor_typeof((p.h).body, '{active}') IS NOT DISTINCT FROM 'boolean' END,
         (p.h).t = '#commit' AND coalesce(atid.dag_cbor_typeof((p.h).body, '{prevData}'), 'null') = 'null'
           AND atid.dag_cbor_typeof((p.h).body, '{since}') = 'string'
  FROM (SELECT x.n, x.late, atid.frame_parts(coalesce(x.late, frames[x.n])) AS h
        FROM (SELECT -row_number() OVER (ORDER BY l.seq DESC)::int, l.frame FROM late AS l WHERE l.frame IS NOT NULL
              UNION ALL
              SELECT u.n, NULL FROM generate_series(1, cardinality(frames)) AS u (n)) AS x (n, late)
        OFFSET 0) AS p;
  INSERT INTO known (did, key, moved, here, host, rev, data)
  SELECT i.did, i.key, NOT of_labels AND i.answered IS NOT NULL AND (coalesce(i.host, '') <> ALL (home)) IS TRUE, a.did IS NOT NULL,
         i.host, CASE WHEN a.state = 'synchronized' THEN a.rev END, a.data
  FROM identity AS i LEFT JOIN account AS a ON a.did = i.did
  WHERE i.did = ANY (ARRAY(SELECT DISTINCT s.did FROM said AS s));
  IF NOT of_labels AND EXISTS (SELECT 1 FROM said AS s WHERE s.bare) THEN
    PERFORM complete(frames);
  END IF;
  WITH placed AS (
    SELECT s.*, coalesce(one_cursor, t.cursor) AS last, one_cursor IS NOT NULL OR t.cursor IS NOT NULL AS ours,
           coalesce(s.frame, judge.frames[s.n]) AS whole
    FROM said AS s LEFT JOIN LATERAL (
      SELECT t.cursor FROM taker AS t
      WHERE one_cursor IS NULL AND t.stream = judge.stream AND t.lo >= from_slot AND t.hi <= to_slot
        AND coalesce(slot(s.did), 0) BETWEEN t.lo AND t.hi) AS t ON true
    OFFSET 0
  ), concerned AS (
    SELECT p.*, p.n > 0 AND p.seq <= p.last AS below, k.key, k.did IS NOT NULL AS met, coalesce(k.here, false) AS here, coalesce(k.moved, false) AS moved,
           CASE WHEN p.op IS DISTINCT FROM 1 THEN NULL
                WHEN p.t = '#info' OR p.t = '#labels' AND of_labels THEN p.t
                WHEN p.t IN ('#commit', '#sync', '#account', '#identity') AND NOT of_labels AND k.moved IS NOT TRUE
                     AND (all_wanted OR k.here) THEN p.t END AS kind
    FROM placed AS p LEFT JOIN known AS k ON k.did = p.did
    WHERE p.n < 0 OR p.seq IS NULL OR p.last IS NULL OR p.seq > p.last
       OR CASE WHEN p.t IN ('#commit', '#sync') AND NOT of_labels THEN is_newer(p.whole, k.rev) END
    OFFSET 0
  ), checked AS (
    SELECT c.*, c.kind NOT IN ('#info', '#labels') AS about,
           CASE WHEN c.kind IS NOT NULL OR c.t IN ('#commit', '#sync') IS NOT TRUE
                THEN atid.event_problem(c.whole, now() + most_ahead()) END AS problem,
           CASE WHEN c.kind IN ('#commit', '#sync') THEN atid.event_is_signed_by(c.whole, c.key) END AS signed
    FROM concerned AS c OFFSET 0
  ), told AS (
    SELECT c.*, atid.commit_event(CASE WHEN (c.signed OR c.problem IS NULL) AND c.kind = '#commit' THEN c.whole END) AS e,
           atid.sync_event(CASE WHEN (c.signed OR c.problem IS NULL) AND c.kind = '#sync' THEN c.whole END) AS y
    FROM checked AS c OFFSET 0
  ), rooted AS (
    SELECT o.*, atid.repo_commit(CASE WHEN o.problem IS NULL THEN coalesce((o.e).blocks, (o.y).blocks) END) AS r
    FROM told AS o OFFSET 0
  )
  INSERT INTO batch (n, frame, t, met, here, moved, error, seq, below, at, did, reason, signed, rev, since, prev_data, data)
  SELECT j.n, j.frame, j.kind, j.met, j.here, j.moved, j.error, j.seq, coalesce(j.below, false), j.at, j.did,
         CASE WHEN j.problem IS NOT NULL THEN j.problem
              WHEN NOT j.ours THEN 'The frame must be one of an account of this taker.'
              WHEN j.kind = '#labels' AND NOT j.shape THEN '"labels" must be an array.'
              WHEN j.kind = '#account' AND NOT j.shape THEN '"active" must be true or false.'
              WHEN j.kind = '#commit' AND octet_length(j.whole) > 10000
                   AND (SELECT sum(octet_length(o.block)) FROM atid.commit_event_ops(j.whole) AS o)
                       > 4.0 * octet_length(j.whole)
              THEN 'The records must not be more than four times the frame.'
              WHEN j.seq > 9007199254740991 THEN 'The number must not be above 9007199254740991.'
              WHEN j.seq > greatest(j.last, one_ahead) + far AND j.last > 0 AND j.signed IS NOT TRUE
              THEN 'The number of a frame without a signature must not be far ahead of the one before.'
              WHEN j.about AND j.did IS NULL THEN 'The account must be a DID.'
              WHEN j.about AND octet_length(j.did::text) > 512 THEN 'The DID must not be longer than 512 bytes.'
              WHEN j.about AND (j.seq > 0) IS NOT TRUE THEN 'The number must be positive.'
              WHEN NOT j.signed THEN unsigned() END,
         j.signed, coalesce((j.e).rev, (j.y).rev), (j.e).since, (j.e).prev_data, (j.r).data
  FROM rooted AS j WHERE j.below IS NOT TRUE OR j.problem IS NULL AND j.signed AND j.kind IS NOT NULL;
END $$;
CREATE OR REPLACE FUNCTION is_newer(frame bytea, rev atid.tid) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  claimed CONSTANT text := CASE WHEN rev IS NOT NULL
    THEN (SELECT atid.dag_cbor_get_text(h.body, '{rev}') FROM atid.frame_parts(frame) AS h) END;
BEGIN
  RETURN CASE WHEN atid.tid_is_valid(claimed) THEN claimed::atid.tid > rev END;
END $$;
CREATE OR REPLACE FUNCTION complete(frames bytea[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  most CONSTANT int := (SELECT x.most_hosts FROM settings AS x);
  f record;
  e record;
  whose atid.did;
  rev atid.tid;
  root atid.cid_link;
  written jsonb;
BEGIN
  INSERT INTO unproven (host, n)
  SELECT k.host, count(*) FROM said AS s JOIN known AS k ON k.did = s.did
  WHERE s.bare AND s.n > 0 AND k.here AND k.host IS NOT NULL
    AND (SELECT count(*) FROM (SELECT 1 FROM unproven AS u LIMIT 2 * most) AS q) < 2 * most
  GROUP BY k.host;
  FOR f IN SELECT s.n, s.did, s.bare, k.rev, k.data, coalesce(s.frame, frames[s.n]) AS frame
           FROM (SELECT c.*, bool_or(c.bare) OVER (PARTITION BY c.did) AS one_is
                 FROM said AS c WHERE c.t = '#commit') AS s
                JOIN known AS k ON k.did = s.did
           WHERE s.one_is AND k.rev IS NOT NULL
           ORDER BY s.did, s.n
  LOOP
    IF whose IS DISTINCT FROM f.did THEN
      whose := f.did;
      rev := f.rev;
      root := f.data;
      written := '{}';
    END IF;
    SELECT c.rev, c.since, r.data INTO e
    FROM atid.commit_event(f.frame) AS c CROSS JOIN atid.repo_commit(c.blocks) AS r;
    CONTINUE WHEN (e.since = rev) IS NOT TRUE;
    IF f.bare THEN
      UPDATE said AS s SET frame = with_prev(f.frame, f.did, root, written) WHERE s.n = f.n;
    END IF;
    rev := e.rev;
    root := e.data;
    SELECT written || coalesce(jsonb_object_agg(o.collection || '/' || o.rkey::text, o.cid::text), '{}') INTO written
    FROM atid.commit_event_ops(f.frame) AS o;
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION with_prev(frame bytea, account atid.did, root atid.cid_link, written jsonb) RETURNS bytea
LANGUAGE plpgsql AS $$
DECLARE
  body bytea;
  message jsonb;
  op jsonb;
  ops jsonb := '[]';
  prev text;
BEGIN
  SELECT h.body INTO body FROM atid.frame_parts(frame) AS h;
  message := atid.dag_cbor_to_record(body);
  FOR op IN SELECT o.value FROM jsonb_array_elements(message->'ops') WITH ORDINALITY AS o (value, n) ORDER BY o.n LOOP
    IF op->>'action' <> 'create' AND op->>'prev' IS NULL THEN
      prev := written->>(op->>'path');
      IF NOT written ? (op->>'path') THEN
        SELECT r.cid INTO prev FROM record AS r
        WHERE r.did = account AND r.uri = ('at://' || account::text || '/' || (op->>'path'))::atid.at_uri;
      END IF;
      op := op || CASE WHEN prev IS NULL THEN '{}'
                       ELSE jsonb_build_object('prev', jsonb_build_object('$link', prev)) END;
    END IF;
    ops := ops || jsonb_build_array(op);
  END LOOP;
  RETURN substr(frame, 1, octet_length(frame) - octet_length(body)) || atid.record_to_dag_cbor(
    message || jsonb_build_object('ops', ops, 'prevData', jsonb_build_object('$link', root)));
EXCEPTION WHEN OTHERS THEN
  IF of_server(SQLSTATE) THEN RAISE; END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION sum_unproven() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM unproven AS u WHERE NOT u.summed OR u.at < now() - interval '30 days') THEN
    WITH old AS (
      DELETE FROM unproven RETURNING host, n, at
    )
    INSERT INTO unproven (host, n, at, summed)
    SELECT o.host, sum(o.n), max(o.at), true FROM old AS o WHERE o.at > now() - interval '30 days'
    GROUP BY o.host ORDER BY max(o.at) DESC LIMIT (SELECT s.most_hosts FROM settings AS s);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION unsigned() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'The commit must be signed by the key of the account.';
CREATE OR REPLACE FUNCTION announce(stream text, frames bytea[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  of_labels CONSTANT bool := (SELECT x.kind = 'labels' FROM stream AS x WHERE x.name = announce.stream);
  all_wanted CONSTANT bool := everybody();
  signals CONSTANT text[] := ARRAY(SELECT value FROM want WHERE what = 'signal');
  labels jsonb;
  came jsonb[] := '{}';
  known atid.did[];
  r record;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM writes();
  IF EXISTS (SELECT 1 FROM batch AS x WHERE x.reason IS NOT NULL AND x.n > 0) AND pg_total_relation_size('bad') < s.most_bad THEN
    INSERT INTO bad (digest, stream, did, reason, early, frame)
    SELECT sha256(frames[b.n]), announce.stream, b.did, b.reason,
           b.early AND b.place + (SELECT count(*) FROM (SELECT 1 FROM bad AS o WHERE o.did = b.did AND o.early
                                                        LIMIT s.most_early) AS o) <= s.most_early, frames[b.n]
    FROM (SELECT x.n, x.did, x.reason, x.reason = unsigned() AS early,
                 row_number() OVER (PARTITION BY x.did, x.reason = unsigned() ORDER BY x.n) AS place
          FROM batch AS x WHERE x.reason IS NOT NULL AND x.n > 0) AS b
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS o WHERE o.did = b.did)
    ORDER BY 1 ON CONFLICT DO NOTHING;
  END IF;
  IF NOT of_labels AND EXISTS (SELECT 1 FROM batch AS b CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#info' THEN frames[b.n] END) AS h
                               WHERE b.t = '#info' AND atid.dag_cbor_get_text(h.body, '{name}') = 'OutdatedCursor') THEN
    UPDATE stream AS x SET look = now(), looked = NULL WHERE x.name = announce.stream;
  END IF;
  INSERT INTO notice (did, what)
  SELECT DISTINCT b.did, w.what
  FROM batch AS b
       CROSS JOIN LATERAL (SELECT CASE
         WHEN b.reason IS NULL AND b.t IN ('#commit', '#sync', '#account') AND NOT b.here THEN 'met'
         WHEN b.reason IS NULL AND b.t = '#identity' THEN 'identity'
         WHEN b.reason IS NULL AND (b.signed IS NULL AND b.t IN ('#commit', '#sync') OR b.moved) OR b.signed IS FALSE AND b.n > 0
         THEN 'signature' END AS what) AS w
  WHERE w.what IS NOT NULL AND b.did IS NOT NULL
    AND (w.what = 'met' OR b.met)
    AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = b.did)
    AND (SELECT count(*) FROM (SELECT 1 FROM notice LIMIT s.most_notices) AS x) < s.most_notices;
  INSERT INTO notice (did, what)
  SELECT DISTINCT b.did, 'refused'
  FROM batch AS b
  WHERE b.t IN ('#commit', '#sync') AND b.here AND b.reason <> unsigned() AND (b.signed IS NOT TRUE OR b.rev IS NULL)
    AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = b.did)
    AND (SELECT count(*) FROM (SELECT 1 FROM notice LIMIT s.most_notices) AS x) < s.most_notices;
  IF signals <> '{}' AND NOT of_labels AND NOT all_wanted THEN
    INSERT INTO notice (did, what, because)
    SELECT DISTINCT ON (b.did) b.did, 'signal', o.collection
    FROM batch AS b
         CROSS JOIN atid.commit_event_ops(CASE WHEN b.t IS NULL AND b.reason IS NULL AND NOT b.moved
                                               THEN coalesce(b.frame, frames[b.n]) END) AS o
    WHERE o.action <> 'delete' AND o.collection = ANY (signals) AND octet_length(b.did::text) <= 512
      AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = b.did)
      AND (SELECT count(*) FROM (SELECT 1 FROM notice LIMIT s.most_notices) AS x) < s.most_notices;
  END IF;
  IF of_labels THEN
    FOR r IN
      SELECT b.n, x.labels, x.lost FROM batch AS b
             CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#labels' AND b.reason IS NULL THEN coalesce(b.frame, frames[b.n]) END) AS h
             CROSS JOIN labels_of(h.body) AS x
      WHERE b.t = '#labels' AND b.reason IS NULL ORDER BY b.n
    LOOP
      came := array_append(came, r.labels);
      INSERT INTO bad (digest, stream, reason, early, frame)
      SELECT sha256(frames[r.n]), announce.stream, format('%s of its labels cannot be expressed as jsonb.', r.lost), false,
             frames[r.n]
      WHERE r.lost IS NOT NULL AND pg_total_relation_size('bad') < s.most_bad ON CONFLICT DO NOTHING;
    END LOOP;
    SELECT jsonb_agg(l ORDER BY a.n, e.n) INTO labels
    FROM unnest(came) WITH ORDINALITY AS a (x, n) CROSS JOIN jsonb_array_elements(a.x) WITH ORDINALITY AS e (l, n)
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x
                      WHERE x.did IN (atid.at_uri_did(atid.at_uri_from_subject_or_null(l->>'uri')), atid.did_or_null(l->>'src')));
    IF labels IS NOT NULL THEN
      known := ARRAY(SELECT did FROM identity WHERE labeler);
      INSERT INTO identity (did, labeler, web)
      SELECT n.src, true, n.src::text LIKE 'did:web:%'
      FROM (SELECT o.src, o.named, row_number() OVER (PARTITION BY o.named ORDER BY o.src) AS place
            FROM (SELECT DISTINCT src, EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = src) AS named
                  FROM jsonb_array_elements(labels) AS l CROSS JOIN atid.did_or_null(l->>'src') AS src
                  WHERE octet_length(src::text) <= 512 AND src <> ALL (known)) AS o) AS n
      WHERE n.named OR n.place <= 100 - (SELECT count(*) FROM unnest(known) AS k
                                         WHERE NOT EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = k))
      ON CONFLICT (did) DO UPDATE SET labeler = true;
      PERFORM labels_take(labels);
      PERFORM labels_taken(announce.stream, jsonb_array_length(labels));
    END IF;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION apply(stream text, frames bytea[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  wanted text[];
  moment CONSTANT timestamptz := now();
  hurries timestamptz;
  whose CONSTANT atid.did[] := ARRAY(SELECT DISTINCT b.did FROM batch AS b WHERE b.t IS NOT NULL AND b.did IS NOT NULL);
  loading atid.did[];
  closing atid.did[] := '{}';
  late text[];
  a account;
  r record;
BEGIN
  IF whose = '{}' THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  hurries := later(moment, -s.not_sooner);
  INSERT INTO held SELECT h.did, h.state, h.rev, h.data FROM hold(whose) AS h;
  wanted := patterns();
  loading := ARRAY(SELECT x.did FROM account AS x
                   WHERE x.did = ANY (ARRAY(SELECT d FROM unnest(whose) AS d EXCEPT SELECT h.did FROM held AS h)));
  IF loading <> '{}' THEN
    FOR r IN SELECT DISTINCT b.did FROM batch AS b WHERE b.t = '#account' AND b.reason IS NULL AND b.did = ANY (loading)
               AND NOT EXISTS (SELECT 1 FROM waiting AS o CROSS JOIN atid.frame_parts(o.frame) AS h
                               WHERE o.stream = apply.stream AND o.did = b.did AND h.t = '#account') ORDER BY b.did LOOP
      PERFORM FROM account AS x WHERE x.did = r.did FOR UPDATE SKIP LOCKED;
      IF FOUND THEN
        closing := closing || r.did;
      END IF;
    END LOOP;
    PERFORM await(apply.stream, frames, loading, closing);
  END IF;
  INSERT INTO fit (n, frame, did, rev, data, fits)
  SELECT x.n, x.frame, x.did, x.rev, x.data, bool_and(x.fits) OVER (PARTITION BY x.did ORDER BY x.n)
  FROM (SELECT f.n, f.frame, f.did, f.rev, f.data,
               (f.t = '#commit' AND f.reason IS NULL AND f.since = lag(f.rev, 1, h.rev) OVER w
                AND f.prev_data = lag(f.data, 1, h.data) OVER w) IS TRUE AS fits
        FROM (SELECT DISTINCT ON (b.did, b.rev, b.data) b.* FROM batch AS b WHERE b.signed
              ORDER BY b.did, b.rev, b.data, b.n) AS f
             CROSS JOIN LATERAL (SELECT * FROM held WHERE held.did = f.did OFFSET 0) AS h
        WHERE h.state = 'synchronized'
          AND (f.rev > h.rev OR f.rev = h.rev AND f.data IS DISTINCT FROM h.data AND f.reason IS NULL)
        WINDOW w AS (PARTITION BY f.did ORDER BY f.n)) AS x;
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT DISTINCT ON (uri) uri, f.did, o.collection, bool_and(o.action = 'create') OVER (PARTITION BY uri), o.cid,
         CASE WHEN o.action <> 'delete' THEN o.block END
  FROM fit AS f CROSS JOIN atid.commit_event_ops(CASE WHEN f.fits THEN coalesce(f.frame, frames[f.n]) END) AS o
       CROSS JOIN atid.at_uri_make(f.did, o.collection, o.rkey) AS uri
  WHERE f.fits AND o.collection LIKE ANY (wanted) ORDER BY uri, f.n DESC;
  IF FOUND THEN
    PERFORM write();
  END IF;
  UPDATE account AS x SET rev = c.rev, data = c.data
  FROM (SELECT f.did, (array_agg(f.rev ORDER BY f.n DESC))[1] AS rev, (array_agg(f.data ORDER BY f.n DESC))[1] AS data
        FROM fit AS f WHERE f.fits GROUP BY f.did) AS c
  WHERE x.did = c.did;
  late := ARRAY(SELECT DISTINCT f.did::text FROM fit AS f WHERE NOT f.fits);
  FOR a IN SELECT * FROM account AS x WHERE x.did = ANY (late::atid.did[]) ORDER BY x.did LOOP
    a.gaps := CASE WHEN a.gap_at > later(moment, -interval '1 day') THEN a.gaps ELSE 0 END;
    PERFORM become(a, 'desynchronized',
      CASE WHEN a.gaps < s.most_gaps THEN moment ELSE later(moment, pause(a.gaps, s.pause_first, s.pause_most)) END);
    UPDATE account AS x SET gaps = least(a.gaps + 1, 20), gap_at = moment WHERE x.did = a.did;
  END LOOP;
  late := late || ARRAY(SELECT h.did::text FROM held AS h WHERE h.state IN ('desynchronized', 'inactive'));
  IF late <> '{}' THEN
    UPDATE account AS x
    SET heard = greatest(x.heard, c.rev),
        hurried = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries THEN moment ELSE x.hurried END,
        load_at = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries AND x.state = 'desynchronized'
                            AND x.gaps <= s.most_gaps THEN least(x.load_at, moment) ELSE x.load_at END,
        check_at = CASE WHEN c.sound AND coalesce(x.hurried, '-infinity') <= hurries AND x.state = 'inactive'
                     THEN least(x.check_at, moment) ELSE x.check_at END
    FROM (SELECT b.did, max(b.rev) AS rev, bool_or(b.reason IS NULL) AS sound FROM batch AS b
          WHERE b.did::text = ANY (late) AND b.signed AND atid.tid_timestamp(b.rev) <= later(moment, most_ahead())
          GROUP BY b.did) AS c
    WHERE x.did = c.did AND x.state IN ('desynchronized', 'inactive');
  END IF;
  FOR r IN SELECT * FROM latest_states(frames, loading, closing) LOOP
    SELECT * INTO a FROM account AS x WHERE x.did = r.did FOR UPDATE;
    IF FOUND THEN
      PERFORM tell(a, r.active, r.status, NULL, NULL);
    END IF;
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION latest_states(frames bytea[], loading atid.did[], closing atid.did[])
RETURNS TABLE (did atid.did, active bool, status text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH reported AS (
    SELECT b.n, b.did, atid.dag_cbor_get_text(h.body, '{active}')::bool AS active, atid.dag_cbor_get_text(h.body, '{status}') AS status
    FROM batch AS b
         CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#account' AND b.reason IS NULL THEN coalesce(b.frame, frames[b.n]) END) AS h
    WHERE b.t = '#account' AND b.reason IS NULL AND (b.did <> ALL (loading) OR b.did = ANY (closing))
  ), newest AS (
    SELECT DISTINCT ON (t.did, t.active, t.of_server) t.*
    FROM (SELECT p.*, NOT p.active AND coalesce(p.status IN ('throttled', 'desynchronized'), false) AS of_server FROM reported AS p) AS t
    ORDER BY t.did, t.active, t.of_server, t.n DESC
  ), ranked AS (
    SELECT w.*, max(w.n) FILTER (WHERE NOT w.of_server) OVER (PARTITION BY w.did) AS last FROM newest AS w
  )
  SELECT k.did, k.active, k.status FROM ranked AS k
  WHERE NOT k.of_server AND (NOT k.active OR k.n = k.last) OR k.of_server AND k.last IS NULL ORDER BY k.did, k.n;
END $$;
CREATE OR REPLACE FUNCTION await(stream text, frames bytea[], loading atid.did[], closing atid.did[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  room bool;
BEGIN
  SELECT * INTO s FROM settings;
  room := pg_total_relation_size('waiting') < s.most_waiting_all;
  IF NOT room THEN
    DELETE FROM waiting AS w WHERE w.did = ANY (loading) AND w.frame IS NULL;
  END IF;
  PERFORM writes();
  WITH more AS (
    INSERT INTO waiting (stream, slot, seq, did, frame)
    SELECT DISTINCT ON (b.did, CASE WHEN room THEN b.n END)
           await.stream, slot(b.did), b.seq, b.did, CASE WHEN room THEN coalesce(b.frame, frames[b.n]) END
    FROM batch AS b
    WHERE b.did = ANY (loading)
      AND (b.t IN ('#commit', '#sync') AND (b.reason IS NULL OR b.signed)
           OR b.t = '#account' AND b.reason IS NULL AND b.did <> ALL (closing))
      AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = b.did)
    RETURNING did
  )
  DELETE FROM waiting AS w
  WHERE w.did IN (SELECT o.did FROM waiting AS o WHERE o.did IN (SELECT m.did FROM more AS m)
                  GROUP BY o.did HAVING sum(octet_length(o.frame)) > s.most_waiting);
END $$;
CREATE OR REPLACE FUNCTION move_cursor(t taker, from_slot int, to_slot int) RETURNS taker LANGUAGE plpgsql AS $$
DECLARE
  f record;
  all_slots CONSTANT bool := from_slot = 0 AND to_slot = 255;
  step CONSTANT bigint := (SELECT x.most_skipped FROM settings AS x);
  most CONSTANT bigint := 9007199254740991;
  late CONSTANT int[] := ARRAY(SELECT b.n FROM batch AS b
                               WHERE b.below AND (all_slots OR slot(b.did) BETWEEN t.lo AND t.hi));
  proofs CONSTANT int := CASE WHEN (SELECT x.behind FROM stream AS x WHERE x.name = t.stream) IS NULL THEN 3 ELSE 1 END;
  last bigint;
  came int;
BEGIN
  SELECT max(s.seq), count(*) INTO last, came FROM said AS s WHERE s.n > 0 AND s.seq BETWEEN 1 AND most
    AND (all_slots OR coalesce(slot(s.did), 0) BETWEEN from_slot AND to_slot);
  IF t.ahead IS NULL AND t.cursor > 0 AND last <= t.cursor + step AND late = '{}' THEN
    t.old_run := CASE WHEN last < t.cursor THEN least(t.old_run + came, 1000000) ELSE 0 END;
    t.back := CASE WHEN last > t.cursor THEN 0 ELSE t.back END;
    t.cursor := greatest(t.cursor, last);
    RETURN t;
  END IF;
  FOR f IN SELECT s.n, s.seq, hashtext(coalesce(s.did::text, '')) AS whose FROM said AS s
           WHERE s.n > 0 AND s.seq BETWEEN 1 AND most
             AND (all_slots OR coalesce(slot(s.did), 0) BETWEEN from_slot AND to_slot) ORDER BY s.n
  LOOP
    t.old_run := CASE WHEN f.seq < t.cursor THEN least(t.old_run + 1, 1000000) ELSE 0 END;
    IF f.seq > t.ahead THEN
      t.ahead_frames := t.ahead_frames + 1;
      IF cardinality(t.ahead_by) < 4 AND f.whose <> ALL (t.ahead_by) THEN
        t.ahead_by := t.ahead_by || f.whose;
      END IF;
      CONTINUE WHEN t.ahead_frames < 10 AND cardinality(t.ahead_by) < 4;
      t.cursor := t.ahead;
    END IF;
    CONTINUE WHEN f.seq = t.ahead;
    t.ahead := NULL;
    IF f.seq > t.cursor THEN
      t.back := 0;
    ELSIF f.n = ANY (late) THEN
      t.back := t.back + 1;
    END IF;
    IF t.cursor = 0 OR f.seq BETWEEN t.cursor AND t.cursor + step OR t.back >= proofs THEN
      t.cursor := f.seq;
      t.back := 0;
      t.old_run := 0;
    ELSIF f.seq > t.cursor THEN
      t.ahead := f.seq;
      t.ahead_by := ARRAY[f.whose];
      t.ahead_frames := 0;
    END IF;
  END LOOP;
  RETURN t;
END $$;
CREATE OR REPLACE FUNCTION begin_again(stream text, number bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stream AS x SET look = now(), looked = NULL, behind = NULL, begun = now(), begun_at = number
  WHERE x.name = begin_again.stream;
END $$;
CREATE OR REPLACE FUNCTION take_batch(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[], seen bigint,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text, OUT problem text
) LANGUAGE plpgsql AS $$
DECLARE
  c record;
  own taker;
  was bigint;
  reaches bool := false;
  behind interval;
  most bigint;
  context text;
BEGIN
  PERFORM scratch();
  DELETE FROM said;
  DELETE FROM known;
  DELETE FROM batch;
  DELETE FROM fit;
  DELETE FROM held;
  DELETE FROM op;
  PERFORM FROM taker AS t WHERE t.stream = take_batch.stream AND t.lo >= from_slot AND t.hi <= to_slot ORDER BY t.lo FOR UPDATE;
  PERFORM judge(take_batch.stream, from_slot, to_slot, frames, waited);
  IF EXISTS (SELECT 1 FROM batch) THEN
    PERFORM apply(take_batch.stream, frames);
    PERFORM announce(take_batch.stream, frames);
  END IF;
  SELECT count(*) FILTER (WHERE b.n > 0) AS taken,
         count(*) FILTER (WHERE b.reason <> unsigned() AND b.n > 0) AS refused, max(b.error) AS error,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY b.at) FILTER (WHERE b.n > 0) AS at,
         count(*) FILTER (WHERE b.n > 0 AND (b.at > later(now(), interval '1 min')
                                             OR b.signed AND b.rev > atid.tid_ceil(later(now(), most_ahead())))) AS future,
         count(*) FILTER (WHERE b.moved) AS moved, count(*) FILTER (WHERE b.signed IS NOT TRUE AND b.t IN ('#commit', '#sync')) AS unsigned,
         count(*) FILTER (WHERE b.signed) AS signed,
         (array_agg(b.did ORDER BY b.n DESC) FILTER (WHERE b.signed IS NOT TRUE AND b.t IN ('#commit', '#sync')))[1] AS stranger
  INTO c FROM batch AS b;
  SELECT count(*) FILTER (WHERE f.fits) INTO applied FROM fit AS f;
  taken := c.taken;
  refused := c.refused;
  error := clipped(c.error, 256);
  behind := now() - c.at;
  lag := extract(epoch FROM behind);
  SELECT max(t.cursor) INTO most FROM taker AS t WHERE t.stream = take_batch.stream;
  FOR own IN SELECT * FROM taker AS x
           WHERE x.stream = take_batch.stream AND x.lo >= from_slot AND x.hi <= to_slot ORDER BY x.lo
  LOOP
    was := own.cursor;
    own := move_cursor(own, from_slot, to_slot);
    IF own.cursor < was THEN
      PERFORM begin_again(take_batch.stream, own.cursor);
    ELSIF take_batch.seen >= own.cursor THEN
      own.cursor := greatest(own.cursor, least(take_batch.seen, most));
      own.ahead := CASE WHEN own.ahead > own.cursor THEN own.ahead END;
      own.old_run := 0;
    END IF;
    reaches := reaches OR own.cursor > was OR take_batch.seen >= was
               OR EXISTS (SELECT 1 FROM said AS s WHERE s.n > 0 AND s.seq >= was);
    UPDATE taker AS x
    SET cursor = own.cursor, ahead = own.ahead, ahead_by = own.ahead_by, ahead_frames = own.ahead_frames,
        back = own.back, old_run = own.old_run, unsigned_by = coalesce(c.stranger, x.unsigned_by),
        unsigned_run = CASE WHEN c.signed > 0 THEN 0 ELSE least(x.unsigned_run + c.unsigned, 1000000) END,
        lag = coalesce(behind, x.lag),
        taken = CASE WHEN cardinality(take_batch.frames) > 0 OR take_batch.seen IS NOT NULL
                  THEN clock_timestamp() ELSE x.taken END,
        heard = CASE WHEN cardinality(take_batch.frames) > 0 THEN now() ELSE x.heard END
    WHERE x.stream = own.stream AND x.lo = own.lo;
  END LOOP;
  IF reaches THEN
    UPDATE stream AS x SET behind = NULL WHERE x.name = take_batch.stream AND x.behind IS NOT NULL;
  END IF;
  IF cardinality(frames) > 0 THEN
    UPDATE stream AS x SET error = take_batch.error WHERE x.name = take_batch.stream AND x.error IS DISTINCT FROM take_batch.error;
  END IF;
  PERFORM count_taken(take_batch.stream, from_slot, cardinality(frames), taken, applied, refused, c.moved::int, c.unsigned::int, 0, c.future::int);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
  IF of_server(SQLSTATE) OR of_program(SQLSTATE, context) THEN RAISE; END IF;
  problem := clipped(SQLERRM, 800);
END $$;
CREATE OR REPLACE FUNCTION count_taken(
  stream text, slot int, came int, taken int, applied int, refused int, moved int, unsigned int, unwritten int,
  future int DEFAULT 0
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t taker;
  seconds float8;
  part float8;
BEGIN
  SELECT * INTO t FROM taker AS x WHERE x.stream = count_taken.stream AND x.lo = slot FOR UPDATE;
  seconds := greatest(extract(epoch FROM clock_timestamp() - t.counted), 0.001);
  part := 1 - exp(-seconds / 60);
  UPDATE taker AS x
  SET frames = x.frames + count_taken.taken, commits = x.commits + applied, refused = x.refused + count_taken.refused,
      counted = clock_timestamp(),
      frame_rate = x.frame_rate + (came / seconds - x.frame_rate) * part,
      commit_rate = x.commit_rate + (applied / seconds - x.commit_rate) * part,
      old_rate = x.old_rate + ((came - count_taken.taken) / seconds - x.old_rate) * part,
      moved_rate = x.moved_rate + (moved / seconds - x.moved_rate) * part,
      unsigned_rate = x.unsigned_rate + (unsigned / seconds - x.unsigned_rate) * part,
      unwritten_rate = x.unwritten_rate + (unwritten / seconds - x.unwritten_rate) * part,
      future_rate = x.future_rate + (future / seconds - x.future_rate) * part,
      unwritten_run = CASE WHEN applied > 0 THEN 0 ELSE least(x.unwritten_run + unwritten, 1000000) END
  WHERE x.stream = count_taken.stream AND x.lo = slot;
END $$;
CREATE OR REPLACE FUNCTION take(
  stream text, taker int, takers int, frames bytea[], seen bigint DEFAULT NULL,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text
) LANGUAGE plpgsql AS $$
DECLARE
  from_slot CONSTANT int := (256 * taker + takers - 1) / takers;
  to_slot CONSTANT int := (256 * (taker + 1) + takers - 1) / takers - 1;
  waited atid.did[] := '{}';
  those text[];
  here text[];
  gone text[];
BEGIN
  those := ARRAY(SELECT DISTINCT x.did::text FROM waiting AS x
                 WHERE x.stream = take.stream AND x.slot BETWEEN from_slot AND to_slot);
  IF those <> '{}' THEN
    here := ARRAY(SELECT a.did::text FROM account AS a WHERE a.did = ANY (those::atid.did[]));
    gone := ARRAY(SELECT t FROM unnest(those) AS t EXCEPT SELECT h FROM unnest(here) AS h);
    IF gone <> '{}' THEN
      DELETE FROM waiting AS x WHERE x.stream = take.stream AND x.did = ANY (gone::atid.did[]);
    END IF;
    SELECT coalesce(array_agg(a.did), '{}') INTO waited FROM account AS a WHERE a.did = ANY (here::atid.did[]) AND a.state <> 'loading';
    PERFORM reload_missed(take.stream, waited);
  END IF;
  SELECT * INTO taken, applied, refused, lag, error FROM take_parts(take.stream, from_slot, to_slot, frames, waited, seen);
END $$;
CREATE OR REPLACE FUNCTION pass_refused(stream text, from_slot int, to_slot int, frame bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  r record;
BEGIN
  SELECT CASE WHEN atid.dag_cbor_typeof(h.body, '{seq}') = 'number'
           THEN atid.dag_cbor_get_text(h.body, '{seq}')::bigint END AS number,
         coalesce(slot(atid.did_or_null(atid.dag_cbor_get_text(h.body,
           CASE h.t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[]))), 0) AS slot
  INTO r FROM atid.frame_parts(pass_refused.frame) AS h;
  UPDATE taker AS t SET cursor = r.number
  WHERE t.stream = pass_refused.stream AND t.lo >= from_slot AND t.hi <= to_slot AND r.slot BETWEEN t.lo AND t.hi
    AND t.ahead IS NULL AND r.number > t.cursor
    AND (t.cursor = 0 OR r.number <= t.cursor + (SELECT x.most_skipped FROM settings AS x));
END $$;
CREATE OR REPLACE FUNCTION take_parts(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[], seen bigint,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text
) LANGUAGE plpgsql AS $$
DECLARE
  f CONSTANT int := cardinality(frames) / 2;
  w CONSTANT int := cardinality(waited) / 2;
  one atid.did;
  why text;
  r record;
  p record;
BEGIN
  SELECT * INTO taken, applied, refused, lag, error, why
  FROM take_batch(take_parts.stream, from_slot, to_slot, frames, waited, seen);
  IF why IS NULL THEN RETURN; END IF;
  IF cardinality(waited) + cardinality(frames) = 0 THEN
    RAISE EXCEPTION '%', why;
  END IF;
  taken := 0;
  applied := 0;
  refused := 0;
  IF cardinality(waited) + cardinality(frames) > 1 THEN
    FOR p IN VALUES ('{}'::bytea[], waited[:w]), ('{}', waited[w + 1:]), (frames[:f], '{}'), (frames[f + 1:], '{}') LOOP
      CONTINUE WHEN p.column1 = '{}' AND p.column2 = '{}';
      SELECT * INTO r FROM take_parts(take_parts.stream, from_slot, to_slot, p.column1, p.column2, NULL);
      taken := taken + r.taken;
      applied := applied + r.applied;
      refused := refused + r.refused;
      lag := coalesce(r.lag, lag);
      error := coalesce(r.error, error);
    END LOOP;
  ELSIF waited <> '{}' THEN
    DELETE FROM waiting AS x WHERE x.stream = take_parts.stream AND x.did = waited[1];
    PERFORM load_again(waited[1]);
  ELSE
    SELECT i.did INTO one FROM atid.commit_event(frames[1]) AS c JOIN identity AS i ON i.did = c.did
    WHERE atid.event_is_signed_by(frames[1], i.key) AND (SELECT x.kind FROM stream AS x WHERE x.name = take_parts.stream) = 'repos';
    IF one IS NOT NULL THEN
      PERFORM load_again(one);
    END IF;
    PERFORM writes();
    INSERT INTO bad (digest, stream, did, reason, early, frame)
    SELECT sha256(frames[1]), take_parts.stream, d, why, false, frames[1]
    FROM atid.frame_parts(frames[1]) AS h
         CROSS JOIN atid.did_or_null(atid.dag_cbor_get_text(h.body, CASE h.t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[])) AS d
    WHERE pg_total_relation_size('bad') < (SELECT most_bad FROM settings) AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = d)
    ON CONFLICT DO NOTHING;
    PERFORM pass_refused(take_parts.stream, from_slot, to_slot, frames[1]);
    PERFORM count_taken(take_parts.stream, from_slot, 1, 1, 0, 1, 0, 0, 1);
    taken := 1;
    refused := 1;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION load_again(one atid.did) RETURNS void LANGUAGE plpgsql AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account WHERE did = one AND state = 'synchronized' FOR UPDATE;
  IF FOUND THEN
    PERFORM become(a, 'desynchronized', now());
  END IF;
END $$;
CREATE OR REPLACE FUNCTION reload_missed(stream text, dids atid.did[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE one atid.did;
BEGIN
  FOR one IN
    WITH gone AS (
      DELETE FROM waiting AS w WHERE w.stream = reload_missed.stream AND w.did = ANY (dids) AND w.frame IS NULL RETURNING w.did
    )
    SELECT DISTINCT did FROM gone ORDER BY did
  LOOP
    PERFORM load_again(one);
    UPDATE account SET check_at = least(check_at, now()) WHERE did = one AND state = 'desynchronized';
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION load_kind(known bool, failed bool) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN failed THEN CASE WHEN known THEN 'back' ELSE 'again' END WHEN known THEN 'known' ELSE 'new' END;
CREATE OR REPLACE FUNCTION claim(
  most int, known bool, after_at timestamptz, after_did text, busy text[], failed bool DEFAULT NULL
) RETURNS TABLE (did text, claim int, host text, at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  c record;
  dids atid.did[] := '{}';
  moment CONSTANT timestamptz := now();
  first CONSTANT text := load_kind(known, failed IS TRUE);
  other CONSTANT text := CASE WHEN failed IS NULL THEN load_kind(known, true) END;
  since CONSTANT timestamptz := coalesce(after_at, '-infinity');
  behind CONSTANT atid.did := coalesce(after_did, 'did:a:a');
  seen int := 0;
BEGIN
  FOR c IN
    SELECT a.did, a.load_at, i.host, i.host = ANY (busy) OR h.until IS NOT NULL AS later
    FROM (SELECT u.did, u.load_at
          FROM ((SELECT x.did, x.load_at FROM account AS x
                 WHERE x.state = 'desynchronized' AND CASE WHEN x.failures > 0 THEN CASE WHEN x.loaded THEN 'back'
                         ELSE 'again' END WHEN x.loaded THEN 'known' ELSE 'new' END = first
                   AND x.load_at <= moment AND (x.load_at, x.did) > (since, behind)
                 ORDER BY x.load_at, x.did LIMIT 1000)
                UNION ALL
                (SELECT x.did, x.load_at FROM account AS x
                 WHERE x.state = 'desynchronized' AND CASE WHEN x.failures > 0 THEN CASE WHEN x.loaded THEN 'back'
                         ELSE 'again' END WHEN x.loaded THEN 'known' ELSE 'new' END = other
                   AND x.load_at <= moment AND (x.load_at, x.did) > (since, behind)
                 ORDER BY x.load_at, x.did LIMIT 1000)) AS u
          ORDER BY u.load_at, u.did LIMIT 1000) AS a
         JOIN identity AS i ON i.did = a.did
         LEFT JOIN host AS h ON h.name = i.host AND h.until > moment AND (h.failures > 2 OR h.problem = 'throttled')
    ORDER BY a.load_at, a.did
  LOOP
    seen := seen + 1;
    did := c.did;
    at := c.load_at;
    CONTINUE WHEN c.later;
    PERFORM FROM account AS x WHERE x.did = c.did AND x.state = 'desynchronized' FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE account AS a SET state = 'loading', load_at = 'infinity', claim = a.claim + 1, claimed = moment
    WHERE a.did = c.did RETURNING a.claim INTO claim;
    host := c.host;
    dids := dids || c.did;
    RETURN NEXT;
    claim := NULL;
    host := NULL;
    EXIT WHEN cardinality(dids) >= most;
  END LOOP;
  IF dids <> '{}' THEN
    INSERT INTO tally (what, n) VALUES ('desynchronized', -cardinality(dids)), ('loading', cardinality(dids));
  END IF;
  IF seen > 0 AND (dids = '{}' OR dids[cardinality(dids)] <> did::atid.did) THEN
    RETURN NEXT;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION load_waits(known bool, failed bool) RETURNS bool LANGUAGE plpgsql STABLE AS $$
DECLARE kind CONSTANT text := load_kind(known, failed);
BEGIN
  RETURN EXISTS (SELECT 1 FROM account AS x
                 WHERE x.state = 'desynchronized' AND CASE WHEN x.failures > 0 THEN CASE WHEN x.loaded THEN 'back'
                         ELSE 'again' END WHEN x.loaded THEN 'known' ELSE 'new' END = kind
                   AND x.load_at <= now() ORDER BY x.load_at DESC LIMIT 1);
END $$;
CREATE OR REPLACE FUNCTION load(account text, attempt int, car bytea, OUT outcome text, OUT detail text, OUT changed int)
LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  a account;
  i identity;
  c record;
  w CONSTANT int := (SELECT x.n FROM wants AS x);
  wanted CONSTANT text[] := patterns();
  is_read bool := false;
  moment CONSTANT timestamptz := now(); -- Citus takes no now() in a CASE
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO a FROM account AS x
  WHERE x.did = atid.did_or_null(load.account) AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN
    outcome := 'superseded';
    RETURN;
  END IF;
  SELECT * INTO i FROM identity AS x WHERE x.did = a.did;
  BEGIN
    SELECT * INTO c FROM atid.repo_commit(car);
    outcome := CASE
      WHEN c.did IS DISTINCT FROM a.did THEN 'invalid'
      WHEN NOT atid.commit_is_signed_by(c.block, a.did::text, i.key) THEN 'unsigned'
      WHEN c.rev IS NULL OR c.rev > atid.tid_ceil(later(now(), most_ahead())) THEN 'future'
      WHEN c.rev < greatest(a.heard, a.rev) AND a.older < s.most_older THEN 'older' END;
    detail := CASE outcome WHEN 'invalid' THEN 'The repository must be that of the account.'
                           WHEN 'older' THEN format('revision %s, announced was %s', c.rev, greatest(a.heard, a.rev))
                           WHEN 'future' THEN format('revision %s', c.rev) END;
    IF outcome IS NULL THEN
      PERFORM scratch();
      DELETE FROM op;
      INSERT INTO op (uri, did, collection, fresh, cid, block)
      SELECT coalesce(l.uri, r.uri), a.did, l.collection, r.uri IS NULL, l.cid, l.block
      FROM (SELECT atid.at_uri_make(a.did, x.collection, x.rkey) AS uri, x.collection, x.cid, x.block
            FROM atid.repo_records_signed_by(car, a.did::text, i.key) AS x WHERE x.collection LIKE ANY (wanted)) AS l
           FULL JOIN (SELECT x.uri, x.cid FROM record AS x WHERE x.did = a.did
                      AND x.uri BETWEEN atid.at_uri_make(a.did) AND atid.at_uri_scope_upper(atid.at_uri_make(a.did))) AS r
           ON l.uri = r.uri
      WHERE l.cid IS DISTINCT FROM r.cid;
      GET DIAGNOSTICS changed = ROW_COUNT;
      is_read := true;
      PERFORM write();
    END IF;
  EXCEPTION WHEN OTHERS THEN
    IF of_server(SQLSTATE) THEN RAISE; END IF;
    GET STACKED DIAGNOSTICS outcome = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    detail := concat_ws(': ', outcome, nullif(detail, ''));
    outcome := CASE WHEN is_read THEN 'not written' ELSE 'invalid' END;
    changed := NULL;
  END;
  IF outcome IS NOT NULL THEN
    PERFORM unload(a.did, attempt, outcome, detail);
    RETURN;
  END IF;
  outcome := 'loaded';
  UPDATE account AS x
  SET rev = c.rev, data = c.data, heard = NULL, wants = w, failures = 0, older = 0, problem = NULL, detail = NULL,
      unsigned_rev = CASE WHEN c.rev < x.unsigned_rev THEN x.unsigned_rev END,
      unsigned_loads = CASE WHEN c.rev < x.unsigned_rev THEN least(x.unsigned_loads + 1, 2) ELSE 0 END,
      check_at = CASE WHEN c.rev < x.unsigned_rev AND x.unsigned_loads = 0
                   THEN least(x.check_at, later(moment, pause(4, s.pause_first, s.pause_most))) ELSE x.check_at END
  WHERE x.did = a.did;
  PERFORM become(a, 'synchronized');
  INSERT INTO tally (what, n) VALUES ('loads', 1);
  DELETE FROM host AS h WHERE h.name = i.host AND (h.problem = 'throttled' AND h.until > now()) IS NOT TRUE;
  UPDATE host AS h SET failures = 0 WHERE h.name = i.host AND h.failures > 0;
END $$;
CREATE OR REPLACE FUNCTION unload(account atid.did, attempt int, why text, more text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  a account;
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO a FROM account AS x WHERE x.did = unload.account AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM become(a, 'desynchronized', later(now(), pause(a.failures, s.pause_first, s.pause_most)));
  UPDATE account AS x
  SET failures = least(x.failures + 1, 1000000), older = x.older + CASE WHEN why = 'older' THEN 1 ELSE 0 END,
      problem = clipped(why, 256), detail = clipped(more, 800)
  WHERE x.did = a.did;
  IF why = 'unsigned' THEN
    INSERT INTO notice (did, what) VALUES (a.did, 'signature');
  END IF;
END $$;
CREATE OR REPLACE FUNCTION fail(account text, attempt int, why text, more text, of_host bool, seconds int DEFAULT 0)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  me CONSTANT atid.did := atid.did_or_null(account);
  origin CONSTANT text := (SELECT i.host FROM identity AS i WHERE i.did = me);
  asked CONSTANT interval := coalesce(seconds, 0) * interval '1 s';
BEGIN
  SELECT * INTO s FROM settings;
  IF NOT EXISTS (SELECT 1 FROM account AS x WHERE x.did = me AND x.state = 'loading' AND x.claim = attempt) THEN RETURN; END IF;
  PERFORM unload(me, attempt, why, more);
  IF seconds > 0 THEN
    UPDATE account AS x SET load_at = greatest(x.load_at, later(now(), asked)) WHERE x.did = me;
  END IF;
  IF why LIKE 'Repo%' THEN
    UPDATE account AS x SET check_at = least(x.check_at, now()) WHERE x.did = me;
  END IF;
  IF of_host AND origin IS NOT NULL
     AND (EXISTS (SELECT 1 FROM host AS h WHERE h.name = origin)
          OR (SELECT count(*) FROM (SELECT 1 FROM host LIMIT s.most_hosts) AS h) < s.most_hosts) THEN
    INSERT INTO host AS h (name, failures, until, problem)
    VALUES (origin, 1, later(now(), greatest(pause(0, s.pause_first, s.pause_most), asked)),
            CASE WHEN seconds > 0 THEN 'throttled' ELSE clipped(why, 256) END)
    ON CONFLICT (name) DO UPDATE
    SET failures = least(h.failures + 1, 1000000), problem = excluded.problem,
        until = later(now(), greatest(pause(h.failures, s.pause_first, s.pause_most), asked))
    WHERE (h.problem = 'throttled' AND h.until > now()) IS NOT TRUE;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION release(account text, attempt int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE a account;
BEGIN
  SELECT * INTO a FROM account AS x
  WHERE x.did = atid.did_or_null(account) AND x.state = 'loading' AND x.claim = attempt FOR UPDATE;
  IF FOUND THEN
    PERFORM become(a, 'desynchronized', later(now(), interval '2 s'));
  END IF;
END $$;
CREATE OR REPLACE FUNCTION read_from_now(reader text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM nobody_writes();
  INSERT INTO reader (name, since)
  SELECT read_from_now.reader, CASE WHEN s.is_called THEN s.last_value ELSE 0 END FROM change_n_seq AS s;
END $$;
CREATE OR REPLACE FUNCTION changes(reader text, most int)
RETURNS TABLE (tx xid8, n bigint, uri atid.at_uri, cid atid.cid_link, block bytea) LANGUAGE plpgsql AS $$
DECLARE r reader;
BEGIN
  SELECT * INTO r FROM reader AS x WHERE x.name = changes.reader FOR UPDATE;
  FOR tx, n, uri IN SELECT c.tx, c.n, c.uri FROM change AS c
                    WHERE (c.tx, c.n) > (r.tx, r.n) AND c.n > r.since AND c.tx < pg_snapshot_xmin(pg_current_snapshot())
                    ORDER BY c.tx, c.n LIMIT most LOOP
    cid := NULL;
    block := NULL;
    SELECT x.cid, x.block INTO cid, block FROM record AS x
    WHERE x.uri = changes.uri AND x.did = atid.at_uri_did(changes.uri);
    RETURN NEXT;
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION read_to(reader text, tx xid8, n bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE reader AS r SET tx = read_to.tx, n = read_to.n
  WHERE r.name = read_to.reader AND (r.tx, r.n) < (read_to.tx, read_to.n);
  DELETE FROM change AS c WHERE (c.tx, c.n) <= (SELECT r.tx, r.n FROM reader AS r ORDER BY r.tx, r.n LIMIT 1);
END $$;
CREATE OR REPLACE FUNCTION activities() RETURNS TABLE (
  place int, name text, kind text, turn interval, success interval, few int, remedy text
) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES
  (1, 'program', NULL, interval '2 min', NULL::interval, 1,
   'start "atid-indexer run"; if it runs, its log reports what it is waiting for'),
  (2, 'taker', NULL, interval '2 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (4, 'cursor', NULL, interval '5 min', interval '15 min', 3,
   'look at the newest rows of the table bad: after a restart the same frames come again'),
  (5, 'loads of known accounts', 'repos', interval '10 min', interval '1 h', 5,
   'see the accounts in trouble and the log: the network, DIRECTORY or a trigger may be the cause'),
  (6, 'loads of new accounts', 'repos', interval '10 min', interval '1 h', 5,
   'see the accounts in trouble and the log: the network, DIRECTORY or a trigger may be the cause'),
  (7, 'identities of plc', NULL, interval '10 min', interval '30 min', 5,
   'see whether DIRECTORY is right and answers'),
  (8, 'identities of web', NULL, interval '10 min', interval '1 h', 5,
   'see whether this machine resolves names and reaches the network'),
  (9, 'lists', 'repos', interval '15 min', interval '1 h', 1,
   'see the log for the error, and whether SERVICE answers com.atproto.sync.listRepos'),
  (10, 'statuses', 'repos', interval '10 min', interval '1 h', 5,
   'see the log for the error, and whether SERVICE answers com.atproto.sync.getRepoStatus'),
  (11, 'signals', 'repos', interval '10 min', interval '1 h', 5,
   'name the accounts that have a signal, or follow a SERVICE that answers describeRepo'),
  (12, 'wants', 'repos', interval '10 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (13, 'gaps', 'repos', interval '10 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (14, 'housekeeping', NULL, interval '10 min', interval '15 min', 1,
   'look for what holds a lock in pg_stat_activity and pg_locks, and for the error in the log'),
  (15, 'labels', 'labels', NULL, interval '15 min', 3,
   'look at labels_refused and label_keys: the directory may lack the key of the labeler'),
  (16, 'api', 'repos', NULL, interval '10 min', 1,
   'restart "atid-indexer api"'),
  (17, 'reader', 'repos', NULL, interval '26 h', 1,
   'start the application that reads; if nobody uses the reader, delete it from indexer.reader')
$$;
CREATE OR REPLACE FUNCTION activity_class(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN name LIKE 'taker %' THEN 'taker' WHEN name LIKE 'reader %' THEN 'reader'
            WHEN name LIKE 'api %' THEN 'api' ELSE name END;
CREATE OR REPLACE FUNCTION in_words(span interval) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN span < interval '2 min' THEN floor(extract(epoch FROM span)) || ' s'
            WHEN span < interval '2 h' THEN floor(extract(epoch FROM span) / 60) || ' min'
            ELSE floor(extract(epoch FROM span) / 3600) || ' h' END;
CREATE OR REPLACE VIEW status_activity AS
SELECT y.stream, y.name AS activity, y.at, y.idle, y.turn, y.failing, y.success, y.problem,
       CASE WHEN y.problem IS NOT NULL THEN y.remedy END AS remedy, y.place
FROM (SELECT x.*, CASE
        WHEN x.name = 'program' AND x.idle > x.turn
        THEN 'the program has given no sign of life for ' || in_words(x.idle)
        WHEN x.program_idle > x.program_turn THEN NULL
        WHEN x.idle > x.turn THEN x.name || ': no sign of life for ' || in_words(x.idle)
        WHEN x.failing < now() - x.success AND coalesce(x.failed >= x.few, true)
        THEN x.name || ': failing for ' || in_words(now() - x.failing)
             || coalesce(': ' || nullif(x.problem_noted, ''), '')
        END AS problem
      FROM (SELECT s.name AS stream, a.name, a.failing, a.failed, a.problem AS problem_noted,
                   c.few, c.remedy, c.place, greatest(a.at, s.started) AS at,
                   clock_timestamp() - greatest(a.at, s.started) AS idle,
                   coalesce(b.turn, c.turn) AS turn, coalesce(b.success, c.success) AS success,
                   clock_timestamp() - greatest(p.at, s.started) AS program_idle,
                   coalesce(pb.turn, pc.turn) AS program_turn
            FROM stream AS s
                 LEFT JOIN activity AS p ON p.stream = s.name AND p.name = 'program'
                 JOIN activities() AS pc ON pc.name = 'program'
                 LEFT JOIN activity_bound AS pb ON pb.name = 'program'
                 CROSS JOIN LATERAL (SELECT o.name, o.at, o.failing, o.failed, o.problem
                                     FROM activity AS o
                                     WHERE o.stream = s.name AND o.name <> 'program'
                                     UNION ALL
                                     SELECT 'program', p.at, NULL, NULL, NULL) AS a
                 JOIN activities() AS c
                 ON c.name = activity_class(a.name) AND coalesce(c.kind = s.kind, true)
                 LEFT JOIN activity_bound AS b ON b.name = c.name
            WHERE s.kind = 'labels'
                  OR s.started = (SELECT max(o.started) FROM stream AS o WHERE o.kind = 'repos')
           ) AS x) AS y;
CREATE OR REPLACE FUNCTION is_due(activity text, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE AS $$
DECLARE of_web CONSTANT bool := activity = 'identities of web';
BEGIN
  IF activity LIKE 'loads of %' THEN
    RETURN is_load_due(activity = 'loads of known accounts', since);
  ELSIF activity LIKE 'identities of %' THEN
    RETURN is_identity_due('known', of_web, since) OR is_identity_due('new', of_web, since)
           OR is_identity_due('again', of_web, since);
  ELSIF activity = 'statuses' THEN
    RETURN EXISTS (SELECT 1 FROM account AS a
                   WHERE a.check_at < 'infinity' AND a.check_at <= since);
  ELSIF activity = 'signals' THEN
    RETURN EXISTS (SELECT 1 FROM candidate AS c WHERE c.ask <= since);
  ELSIF activity = 'lists' THEN
    RETURN EXISTS (SELECT 1 FROM want AS w
                   WHERE w.listed IS NOT NULL AND (w.what = 'signal' OR w.value = '*')
                   AND w.what <> 'collection' AND greatest(w.began, w.again, '-infinity') <= since);
  ELSIF activity = 'wants' THEN
    RETURN coalesce((SELECT n.at FROM notice AS n ORDER BY n.n LIMIT 1) <= since, false);
  END IF;
  RETURN false;
END $$;
CREATE OR REPLACE FUNCTION is_load_due(known bool, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE AS $$
DECLARE kind text;
BEGIN
  FOREACH kind IN ARRAY ARRAY[load_kind(known, false), load_kind(known, true)] LOOP
    IF EXISTS (
      SELECT 1
      FROM (SELECT a.did FROM account AS a
            WHERE a.state = 'desynchronized' AND CASE WHEN a.failures > 0 THEN CASE
                    WHEN a.loaded THEN 'back' ELSE 'again' END WHEN a.loaded THEN 'known' ELSE 'new' END = kind
              AND a.load_at <= since
            ORDER BY a.load_at DESC LIMIT 1000) AS d
           JOIN identity AS i ON i.did = d.did
           LEFT JOIN host AS h ON h.name = i.host AND h.until > now()
                                  AND (h.failures > 2 OR h.problem = 'throttled')
      WHERE h.name IS NULL)
    THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $$;
CREATE OR REPLACE FUNCTION is_identity_due(kind text, of_web bool, since timestamptz) RETURNS bool
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM identity AS i
    WHERE CASE WHEN i.answered IS NOT NULL THEN 'known'
               WHEN i.asked = 0 THEN 'new' ELSE 'again' END = kind
      AND i.web = of_web AND i.ask < 'infinity' AND i.ask <= since);
END $$;
CREATE OR REPLACE FUNCTION newly_failed(activity text, dids text[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE AS $$
DECLARE those CONSTANT atid.did[] := ARRAY(SELECT atid.did_or_null(d) FROM unnest(dids) AS d);
BEGIN
  IF activity LIKE 'loads of %' THEN
    RETURN QUERY SELECT a.did::text FROM account AS a WHERE a.did = ANY (those) AND a.failures <= 3;
  ELSIF activity LIKE 'identities of %' THEN
    RETURN QUERY SELECT i.did::text FROM identity AS i WHERE i.did = ANY (those) AND i.asked <= 3
                 AND (activity <> 'identities of web' OR i.answered IS NOT NULL);
  ELSE
    RETURN QUERY SELECT unnest(dids);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION report_activity(stream text, signs jsonb, OUT again float8)
LANGUAGE plpgsql AS $$
DECLARE moment CONSTANT timestamptz := clock_timestamp();
BEGIN
  DELETE FROM activity AS a WHERE a.stream = report_activity.stream AND a.mark IS NULL
    AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(signs) AS e WHERE e->>'name' = a.name);
  INSERT INTO activity AS a (stream, name, at, good, failing, failed, problem)
  SELECT report_activity.stream, s.name, later(moment, -s.turn * interval '1 s'),
         later(moment, -s.good * interval '1 s'), later(moment, -f.seconds * interval '1 s'),
         CASE f.what WHEN 'failing' THEN s.failed END,
         CASE f.what WHEN 'failing' THEN clipped(s.problem, 800)
                     WHEN 'held' THEN clipped(s.cause, 800)
                     WHEN 'idle' THEN 'what is due is not begun' END
  FROM jsonb_to_recordset(signs) AS s (name text, turn float8, good float8, begun float8,
                                       failing float8, failed int, problem text, held float8,
                                       cause text)
       LEFT JOIN activities() AS c ON c.name = activity_class(s.name)
       LEFT JOIN activity_bound AS b ON b.name = c.name
       CROSS JOIN LATERAL (SELECT extract(epoch FROM coalesce(b.success, c.success))::float8
                           AS bound) AS n
       CROSS JOIN LATERAL (
         SELECT (array_agg(v.what ORDER BY v.is_late DESC, v.seconds DESC))[1] AS what,
                (array_agg(v.seconds ORDER BY v.is_late DESC, v.seconds DESC))[1] AS seconds
         FROM (VALUES
           ('failing', s.failing, s.failing > n.bound AND coalesce(s.failed >= c.few, true)),
           ('held', s.held, s.held > n.bound),
           ('idle', CASE WHEN s.begun > n.bound THEN n.bound + 0.001 END, true)
         ) AS v (what, seconds, is_late)
         WHERE v.seconds IS NOT NULL
           AND CASE v.what WHEN 'held' THEN is_due(s.name, moment)
                           WHEN 'idle' THEN is_due(s.name, later(moment, -n.bound * interval '1 s'))
                           ELSE true END) AS f
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at, good = coalesce(excluded.good, a.good), failing = excluded.failing,
      failed = excluded.failed, problem = excluded.problem;
  again := greatest(0.1, least(10, (SELECT extract(epoch FROM min(least(b.turn, b.success))) / 10
                                    FROM activity_bound AS b)));
END $$;
CREATE OR REPLACE FUNCTION observe_activity(stream text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM observe_cursor(observe_activity.stream);
  IF (SELECT s.kind FROM stream AS s WHERE s.name = observe_activity.stream) = 'labels' THEN
    PERFORM observe_labels(observe_activity.stream);
  ELSE
    PERFORM observe_readers(observe_activity.stream);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION observe_cursor(stream text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  at bigint;
  refused bigint;
BEGIN
  SELECT min(t.cursor), sum(t.refused) INTO at, refused
  FROM taker AS t WHERE t.stream = observe_cursor.stream;
  PERFORM observe(observe_cursor.stream, 'cursor', ARRAY[at, refused], 1,
                  'frames are refused, and the cursor stands');
END $$;
CREATE OR REPLACE FUNCTION observe_readers(stream text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  newest change;
  r reader;
  names text[] := '{}';
BEGIN
  SELECT * INTO newest FROM change AS c ORDER BY c.tx DESC, c.n DESC LIMIT 1;
  FOR r IN SELECT * FROM reader AS x ORDER BY x.name LIMIT 1000 LOOP
    r.name := CASE WHEN r.name LIKE 'api %' THEN '' ELSE 'reader ' END || clipped(r.name, 200);
    CONTINUE WHEN r.name = ANY (names);
    names := names || r.name;
    PERFORM observe(observe_readers.stream, r.name,
      CASE WHEN ((newest.tx, newest.n) > (r.tx, r.n) AND newest.n > r.since) IS TRUE
        THEN ARRAY[r.tx::text::bigint, r.n, 1] ELSE ARRAY[r.tx::text::bigint, r.n, 0] END, 2,
      'changes wait, and it does not read them');
  END LOOP;
  DELETE FROM activity AS a
  WHERE a.stream = observe_readers.stream AND activity_class(a.name) IN ('reader', 'api')
    AND a.name <> ALL (names);
END $$;
CREATE OR REPLACE FUNCTION observe(
  stream text, name text, mark bigint[], place int, problem text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  a activity;
  failed bigint;
BEGIN
  SELECT * INTO a FROM activity AS x WHERE x.stream = observe.stream AND x.name = observe.name;
  IF a.mark[:place] IS DISTINCT FROM mark[:place] THEN
    a.mark := mark[:place] || CASE WHEN place = 1 THEN mark[place + 1] ELSE 0 END;
    a.failing := NULL;
  END IF;
  failed := mark[place + 1] - a.mark[place + 1];
  a.failing := CASE WHEN failed > 0 THEN coalesce(a.failing, moment) END;
  INSERT INTO activity AS x (stream, name, at, good, failing, failed, problem, mark)
  VALUES (observe.stream, observe.name, moment, moment, a.failing, least(failed, 1000000),
          CASE WHEN a.failing IS NOT NULL THEN observe.problem END, a.mark)
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at,
      good = CASE WHEN excluded.failing IS NULL THEN excluded.good ELSE x.good END,
      failing = excluded.failing, failed = excluded.failed, problem = excluded.problem,
      mark = excluded.mark;
END $$;
CREATE OR REPLACE FUNCTION labels_taken(stream text, labels int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  bad CONSTANT int := (SELECT count(*) FROM labels_refused AS l WHERE l.received = now());
BEGIN
  INSERT INTO activity AS a (stream, name, at, good, failing, failed, problem, mark)
  SELECT labels_taken.stream, 'labels', moment, CASE WHEN v.verified THEN moment END,
         CASE WHEN NOT v.verified THEN moment END, CASE WHEN NOT v.verified THEN bad END,
         CASE WHEN NOT v.verified THEN 'no label is signed by a key of its source' END, '{}'
  FROM (SELECT bad < labels AS verified) AS v
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at, good = coalesce(excluded.good, a.good), problem = excluded.problem,
      failing = CASE WHEN excluded.failing IS NOT NULL
                  THEN coalesce(a.failing, excluded.failing) END,
      failed = CASE WHEN excluded.failing IS NOT NULL
                 THEN least(coalesce(a.failed, 0) + excluded.failed, 1000000) END
  WHERE excluded.failing IS NOT NULL OR a.failing IS NOT NULL
        OR a.at < later(moment, -interval '10 s');
END $$;
CREATE OR REPLACE FUNCTION observe_labels(stream text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE activity AS a SET failing = NULL, failed = NULL, problem = NULL, good = clock_timestamp()
  WHERE a.stream = observe_labels.stream AND a.name = 'labels' AND a.failing IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM labels_refused AS l
                    WHERE l.received >= later(a.failing, -interval '1 min'));
END $$;
CREATE OR REPLACE VIEW counted AS
SELECT s.what, coalesce(t.n, 0)::bigint AS n
FROM unnest('{unidentified,desynchronized,loading,synchronized,inactive,barred,loads}'::text[]) WITH ORDINALITY AS s (what, place)
     LEFT JOIN (SELECT what, sum(n) AS n FROM tally GROUP BY what) AS t ON t.what = s.what
ORDER BY s.place;
CREATE OR REPLACE VIEW status_accounts AS
SELECT what AS state, n FROM counted WHERE what <> 'loads';
CREATE OR REPLACE FUNCTION lacks_frames(one atid.did) RETURNS bool LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM bad AS b WHERE b.did = one AND b.early)
         OR NOT EXISTS (SELECT 1 FROM account AS a WHERE a.did = one AND a.state = 'synchronized');
END $$;
CREATE OR REPLACE FUNCTION is_refused() RETURNS bool LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM account AS a
                 WHERE a.state = 'desynchronized' AND a.failures > 0 AND a.problem = 'not written');
END $$;
CREATE OR REPLACE VIEW status_stream AS
SELECT x.*, CASE
    WHEN error IS NOT NULL THEN 'the server says ' || error
         || CASE error WHEN 'FutureCursor' THEN ': if its numbers have begun again, stop the program and set indexer.taker.cursor to 0' ELSE '' END
    WHEN s.behind IS NOT NULL
    THEN format('the first number of the server, %s, is not above the cursor, %s: its numbers have begun again, or it sends again what it has sent before; ',
                s.behind, x.cursor)
         || CASE x.kind WHEN 'labels' THEN '' ELSE 'the next new commit shows which, and is followed; ' END
         || 'if this does not end, stop the program and set indexer.taker.cursor to 0'
    WHEN idle > interval '2 minutes' OR idle IS NULL THEN 'the stream was not heard for two minutes: is the program running, and does the server answer?'
    WHEN abs(extract(epoch FROM s.ahead)) > 60
    THEN format('the database server''s clock is %s %s the program''s: set the wrong one right', roughly(s.ahead),
                CASE WHEN s.ahead < '0' THEN 'behind' ELSE 'ahead of' END)
    WHEN frame_rate >= 0.05 AND f.future_rate > 0.5 * frame_rate
    THEN 'most frames are of a time that has not come: is the database server''s clock behind?'
    WHEN frame_rate >= 0.05 AND moved_rate > 0.9 * frame_rate
         OR s.pds IS NOT NULL AND NOT known
            AND (SELECT coalesce(bool_or(t.n > 0) FILTER (WHERE t.state = 'barred'), false)
                        AND coalesce(bool_and(t.n = 0) FILTER (WHERE t.state NOT IN ('barred', 'unidentified')), true)
                 FROM status_accounts AS t)
    THEN 'all accounts are on other servers: is SERVICE known by another name? See NAMES'
    WHEN y.old THEN 'all frames have numbers that were taken before: has the server begun again with smaller ones?'
    WHEN y.unsigned AND x.kind = 'repos' AND known
    THEN 'no frame is signed by the key of its account: is DIRECTORY the right one?'
    WHEN y.unwritten THEN 'an index, a constraint or a trigger refuses what is to be written: see the table bad' END AS problem,
       s.ahead, f.future_rate, s.begun, s.begun_at
FROM (SELECT s.name, s.kind, min(t.cursor) AS cursor, sum(t.frames)::bigint AS frames, sum(t.commits)::bigint AS commits,
             sum(t.refused)::bigint AS refused, max(t.lag) AS lag, clock_timestamp() - min(t.taken) AS idle,
             clock_timestamp() - max(t.heard) AS silent, sum(t.frame_rate) AS frame_rate,
             sum(t.commit_rate) AS commit_rate,
             sum(t.old_rate) AS old_rate, sum(t.moved_rate) AS moved_rate, sum(t.unsigned_rate) AS unsigned_rate,
             sum(t.unwritten_rate) AS unwritten_rate, count(*) AS takers, s.look IS NOT NULL AS gap,
             EXISTS (SELECT 1 FROM tally WHERE what = 'loads') AS known
      FROM stream AS s JOIN taker AS t ON t.stream = s.name GROUP BY s.name) AS x
     JOIN stream AS s USING (name)
     CROSS JOIN LATERAL (SELECT sum(t.future_rate) AS future_rate FROM taker AS t WHERE t.stream = x.name) AS f
     CROSS JOIN LATERAL (
       SELECT bool_or(t.old_run >= 3 AND (t.frame_rate < 0.05 OR t.old_rate > 0.9 * t.frame_rate)) AS old,
              bool_or(CASE WHEN t.frame_rate >= 0.05 THEN t.unsigned_rate > 0.9 * t.frame_rate
                           WHEN t.unsigned_run >= 3 THEN lacks_frames(t.unsigned_by) END) AS unsigned,
              bool_or(CASE WHEN t.frame_rate >= 0.05 THEN t.unwritten_rate > 0.5 * t.frame_rate
                           WHEN t.unwritten_run > 0 THEN is_refused() END) AS unwritten
       FROM taker AS t WHERE t.stream = s.name) AS y;
CREATE OR REPLACE FUNCTION lists_health() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT format('the list of %s cannot be read since %s: %s; see "atid-indexer status"',
                        CASE p.what WHEN 'signal' THEN 'accounts with ' || p.value ELSE 'all accounts' END,
                        to_char(p.since, 'YYYY-MM-DD HH24:MI'), concat_ws(', ', p.why, nullif(p.detail, '')))
          FROM list_problems AS p WHERE p.since <= later(now(), -interval '1 hour') ORDER BY p.since, p.value LIMIT 1);
END $$;
CREATE OR REPLACE FUNCTION health(stream text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  x status_stream;
BEGIN
  SELECT * INTO x FROM status_stream AS s WHERE s.name = health.stream;
  IF NOT FOUND THEN RETURN 'the stream was never started'; END IF;
  RETURN (SELECT p.problem
          FROM (SELECT a.problem, a.place FROM status_activity AS a WHERE a.stream = health.stream
                UNION ALL VALUES (x.problem, 3)
                 UNION ALL SELECT lists_health(), 9 WHERE x.kind = 'repos') AS p
          WHERE p.problem IS NOT NULL ORDER BY p.place LIMIT 1);
END $$;
CREATE OR REPLACE FUNCTION due_loads(known bool) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  kind text;
  n bigint := 0;
BEGIN
  FOREACH kind IN ARRAY ARRAY[load_kind(known, false), load_kind(known, true)] LOOP
    n := n + (SELECT count(*) FROM (SELECT 1 FROM account AS a
                                    WHERE a.state = 'desynchronized' AND CASE WHEN a.failures > 0 THEN CASE
                                      WHEN a.loaded THEN 'back' ELSE 'again' END WHEN a.loaded THEN 'known' ELSE 'new' END = kind
                                    AND a.load_at <= now() ORDER BY a.load_at DESC LIMIT 5000) AS q);
  END LOOP;
  RETURN least(n, 5000);
END $$;
CREATE OR REPLACE FUNCTION due_identities(kind text, of_web bool) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM (SELECT 1 FROM identity AS i
                                WHERE CASE WHEN i.answered IS NOT NULL THEN 'known' WHEN i.asked = 0 THEN 'new' ELSE 'again' END = kind
                                AND i.web = of_web AND i.ask < 'infinity' AND i.ask <= now() ORDER BY i.ask DESC LIMIT 5000) AS q);
END $$;
CREATE OR REPLACE FUNCTION unproven_hosts(most int) RETURNS TABLE (host text, commits bigint, last timestamptz)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT u.host, sum(u.n)::bigint, max(u.at) FROM unproven AS u
               GROUP BY u.host ORDER BY 2 DESC, 1 LIMIT most;
END $$;
CREATE OR REPLACE VIEW watch AS
WITH c AS MATERIALIZED (SELECT what, n FROM counted)
SELECT 'stream_' || v.what AS what, s.name AS of, v.value
FROM status_stream AS s CROSS JOIN LATERAL (VALUES
  ('cursor', s.cursor::float8), ('frames', s.frames), ('commits', s.commits), ('refused', s.refused),
  ('frames_per_second', s.frame_rate), ('commits_per_second', s.commit_rate), ('unsigned_per_second', s.unsigned_rate),
  ('moved_per_second', s.moved_rate), ('future_per_second', s.future_rate), ('clock_ahead_seconds', extract(epoch FROM s.ahead)),
  ('lag_seconds', extract(epoch FROM s.lag)), ('idle_seconds', extract(epoch FROM s.idle)),
  ('healthy', (s.problem IS NULL)::int))
  AS v (what, value)
UNION ALL
SELECT 'activity_' || v.what, a.activity || ' of ' || a.stream, v.value
FROM status_activity AS a CROSS JOIN LATERAL (VALUES
  ('idle_seconds', extract(epoch FROM a.idle)::float8),
  ('failing_seconds', coalesce(extract(epoch FROM now() - a.failing)::float8, 0)),
  ('healthy', (a.problem IS NULL)::int)) AS v (what, value)
UNION ALL
SELECT 'accounts', what, n FROM c WHERE what <> 'loads'
UNION ALL
SELECT 'loads', 'all', n FROM c WHERE what = 'loads'
UNION ALL
SELECT 'hosts_failing', 'all', count(*) FROM host WHERE (failures > 2 OR problem = 'throttled') AND until > now()
UNION ALL
SELECT 'lists_failing', 'all', count(*) FROM list_problems
UNION ALL
SELECT 'commits_without_prev_data', u.host, u.commits FROM unproven_hosts(20) AS u
UNION ALL
SELECT 'bytes', v.what, v.n FROM (VALUES
  ('bad', pg_total_relation_size('bad')), ('waiting', pg_total_relation_size('waiting')),
  ('labels_refused', pg_total_relation_size('labels_refused')), ('change', pg_total_relation_size('change'))) AS v (what, n)
UNION ALL
SELECT 'waiting', v.what, v.n FROM (VALUES
  ('identities', (SELECT sum(due_identities(k, w)) FROM unnest('{known,new,again}'::text[]) AS k, unnest('{f,t}'::bool[]) AS w)),
  ('loads', due_loads(false) + due_loads(true)),
  ('lists', (SELECT count(*) FROM want WHERE listed IS NOT NULL AND (what = 'signal' OR value = '*') AND what <> 'collection')),
  ('checks', (SELECT count(*) FROM (SELECT 1 FROM account WHERE check_at < 'infinity' AND check_at <= now() LIMIT 10000) AS q)),
  ('notices', (SELECT count(*) FROM (SELECT 1 FROM notice LIMIT 10000) AS q)),
  ('changes', (SELECT count(*) FROM (SELECT 1 FROM change LIMIT 10000) AS q))) AS v (what, n);
CREATE OR REPLACE VIEW trouble AS
SELECT t.did, t.handle, t.host, t.state, t.why, t.detail, t.next, CASE
    WHEN t.why = 'not written' THEN 'an index, a constraint or a trigger refuses a record, or keeps it: mend it, then reload the account'
    WHEN t.why = 'not changed' THEN 'an index, a constraint or a trigger refuses what the table want asks for: correct it; it is tried again'
    WHEN t.why = 'no room' THEN 'give the server more disk or memory: it is tried again'
    WHEN t.why = 'unsigned' THEN 'nothing: it ends when the account writes, or when its log has the key'
    WHEN t.why = 'future' THEN 'compare the database server''s clock with the right time: it is tried again'
    WHEN t.why = 'too large' THEN 'set LARGEST higher, and MEMORY with it'
    WHEN t.why = 'not implemented' AND t.state = 'unidentified' THEN 'nothing: its method is neither plc nor web'
    WHEN t.why = 'no key' THEN 'nothing: its document names no key'
    WHEN t.why = 'private address' THEN 'set PRIVATE if this is a test network'
    ELSE 'nothing: it is tried again' END AS remedy
FROM (
  SELECT a.did, i.handle, i.host, a.state, CASE WHEN h.name IS NOT NULL THEN h.problem ELSE a.problem END AS why,
         CASE WHEN h.problem = 'throttled' AND h.until > now() THEN 'its host has asked for a pause'
              WHEN h.name IS NOT NULL THEN 'its host has failed ' || h.failures || ' times' ELSE a.detail END AS detail,
         greatest(a.load_at, h.until) AS next
  FROM account AS a JOIN identity AS i ON i.did = a.did
       LEFT JOIN host AS h ON h.name = i.host AND (h.failures > 2 OR h.problem = 'throttled' AND h.until > now())
  WHERE a.state = 'desynchronized' AND a.failures > 0
  UNION ALL
  SELECT a.did, i.handle, i.host, a.state, a.problem, a.detail, a.load_at
  FROM account AS a LEFT JOIN identity AS i ON i.did = a.did
  WHERE a.problem IS NOT NULL AND a.state IN ('inactive', 'barred')
  UNION ALL
  SELECT a.did, i.handle, i.host, a.state, i.problem, i.detail, i.ask
  FROM identity AS i JOIN account AS a ON a.did = i.did
  WHERE i.problem IS NOT NULL AND i.key IS NULL AND a.state = 'unidentified'
  UNION ALL
  SELECT u.did, NULL, NULL, NULL, 'not changed', u.detail, u.again FROM unsettled AS u WHERE u.failures > 0) AS t;
CREATE OR REPLACE FUNCTION troubles(most int) RETURNS SETOF trouble LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT * FROM trouble LIMIT most;
END $$;
CREATE OR REPLACE FUNCTION explain(account text) RETURNS TABLE (what text, value text) LANGUAGE plpgsql STABLE AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  a account;
  i identity;
  h host;
  t trouble;
  all_listed CONSTANT bool := EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = '*' AND w.listed IS NULL);
  because text;
  refused text;
BEGIN
  IF me IS NULL THEN
    RETURN QUERY VALUES ('answer', 'this is no DID');
    RETURN;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = me;
  SELECT * INTO i FROM identity AS x WHERE x.did = me;
  SELECT * INTO h FROM host AS x WHERE x.name = i.host;
  SELECT * INTO t FROM trouble AS x WHERE x.did = me;
  RETURN QUERY
  SELECT 'answer', CASE
    WHEN x.did IS NOT NULL THEN concat('it is excluded since ', x.at::date, ': ' || x.why)
    WHEN a.did IS NULL AND NOT everybody() AND NOT EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = account)
    THEN 'it is not wanted: neither it nor a signal that it has is in the table want'
    WHEN a.did IS NULL AND NOT all_listed AND everybody() THEN 'it is not here yet: the list of all accounts is still being read'
    WHEN a.did IS NULL THEN 'it is not here: the server has not listed it, and it has not written since'
    WHEN a.state = 'synchronized' AND a.doubted IS NOT NULL AND a.check_at < 'infinity'
    THEN 'it is here, but a frame of it was refused: the server will be queried for its revision'
    WHEN a.state = 'synchronized' THEN 'it is here, up to the last commit that the stream had'
    WHEN a.state = 'loading' THEN 'its repository is being loaded'
    WHEN a.state = 'inactive' THEN 'the server says that it is not active: ' || a.status || coalesce('; ' || t.why || ', ' || t.detail, '')
    WHEN a.state = 'barred' AND a.status = 'moved' THEN 'it has moved to another server than the one whose stream is followed'
    WHEN a.state = 'barred' THEN 'its identity has ended: ' || a.status
    WHEN a.state = 'unidentified' THEN 'its key is not known: ' || coalesce(t.why || coalesce(', ' || t.detail, ''), 'it is being asked for')
    ELSE 'it waits to be loaded' || coalesce(': ' || t.why || coalesce(', ' || t.detail, ''), '') END
  FROM (SELECT 1) AS one LEFT JOIN exclusion AS x ON x.did = me;
  SELECT concat(CASE WHEN count(*) < 1000 THEN count(*)::text ELSE '1000 or more' END, ', the newest at ', max(q.received), ': ',
                (array_agg(q.reason ORDER BY q.received DESC))[1]) INTO refused
  FROM (SELECT b.received, b.reason FROM bad AS b WHERE b.did = me ORDER BY b.received DESC LIMIT 1000) AS q HAVING count(*) > 0;
  SELECT w.because INTO because FROM want AS w WHERE w.what = 'account' AND w.value = account;
  RETURN QUERY
  SELECT v.what, v.value
  FROM (VALUES ('state', a.state), ('next attempt', CASE WHEN t.next < 'infinity' THEN t.next::text END), ('what to do', t.remedy),
    ('failures', nullif(a.failures, 0)::text), ('gaps today', CASE WHEN a.gap_at > now() - interval '1 day' THEN a.gaps::text END),
    ('revision', a.rev::text), ('time of it', atid.tid_timestamp(a.rev)::text), ('announced', a.heard::text),
    ('announced without a signature', CASE WHEN (a.unsigned_rev <= a.rev) IS NOT TRUE THEN a.unsigned_rev::text END),
    ('handle', i.handle), ('server', i.pds), ('key', i.key), ('identity answered', i.answered::text), ('identity asked again', i.ask::text),
    ('its server fails until', CASE WHEN h.until > now() THEN h.until::text || ', ' || h.problem END), ('wanted because of', because),
    ('frames refused', refused), ('server queried', CASE WHEN a.check_at < 'infinity' THEN a.check_at::text END),
    ('frames kept aside', (SELECT nullif(count(*), 0)::text FROM (SELECT 1 FROM bad AS b WHERE b.did = me AND b.early LIMIT 1000) AS q)),
    ('frames that wait', (SELECT nullif(count(*), 0)::text FROM (SELECT 1 FROM waiting AS w WHERE w.did = me LIMIT 1000) AS q)))
    AS v (what, value)
  WHERE v.value IS NOT NULL;
END $$;
CREATE OR REPLACE FUNCTION exclude(account text, why text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE me CONSTANT atid.did := account;
BEGIN
  PERFORM one_of_many();
  INSERT INTO exclusion AS x (did, why) VALUES (me, exclude.why) ON CONFLICT (did) DO UPDATE SET why = coalesce(excluded.why, x.why);
  DELETE FROM want AS w WHERE w.what = 'account' AND w.value = me::text;
  DELETE FROM candidate AS c WHERE c.did = me;
  PERFORM remove(me, waits => true);
END $$;
CREATE OR REPLACE FUNCTION include(account text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE me CONSTANT atid.did := account;
BEGIN
  DELETE FROM exclusion AS x WHERE x.did = me;
  INSERT INTO unsettled (did) VALUES (me);
END $$;
CREATE OR REPLACE FUNCTION forget(account text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  me CONSTANT atid.did := account;
  low CONSTANT atid.at_uri := atid.at_uri_make(me);
  high CONSTANT atid.at_uri := atid.at_uri_scope_upper(atid.at_uri_make(me));
BEGIN
  PERFORM exclude(account, 'forgotten');
  PERFORM nobody_writes();
  DELETE FROM identity AS i WHERE i.did = me;
  DELETE FROM reference AS r WHERE r.subject BETWEEN low AND high;
  DELETE FROM labels AS l WHERE l.subject BETWEEN low AND high OR l.src = me;
  DELETE FROM label_keys AS k WHERE k.src = me;
  DELETE FROM labels_refused AS l WHERE l.label->>'src' = account OR l.label->>'uri' IN (account, 'at://' || account)
                                        OR starts_with(l.label->>'uri', 'at://' || account || '/');
  DELETE FROM bad AS b WHERE b.did = me;
  DELETE FROM waiting AS w WHERE w.did = me;
  DELETE FROM notice AS n WHERE n.did = me;
  DELETE FROM want AS w WHERE w.what = 'account' AND w.value = me::text;
  DELETE FROM candidate AS c WHERE c.did = me;
  DELETE FROM unsettled AS u WHERE u.did = me;
END $$;
CREATE OR REPLACE FUNCTION add_lexicons(documents atid.lexicon) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  new CONSTANT text[] := atid.lexicon_nsids(documents);
  kept jsonb;
BEGIN
  LOCK TABLE lexicons IN SHARE ROW EXCLUSIVE MODE;
  WITH gone AS (
    DELETE FROM lexicons AS l WHERE atid.lexicon_nsids(l.lexicons)::text[] && new RETURNING l.lexicons
  )
  SELECT jsonb_agg(atid.lexicon_document(g.lexicons, n)) INTO kept
  FROM gone AS g CROSS JOIN unnest(atid.lexicon_nsids(g.lexicons)::text[]) AS n WHERE n <> ALL (new);
  INSERT INTO lexicons (lexicons) SELECT documents UNION ALL SELECT kept::atid.lexicon WHERE kept IS NOT NULL;
END $$;
CREATE OR REPLACE FUNCTION reload(account text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  me CONSTANT atid.did := account;
  a account;
BEGIN
  IF EXISTS (SELECT 1 FROM account AS x WHERE x.did = me AND x.state IN ('unidentified', 'barred')) THEN
    UPDATE identity AS i SET ask = least(i.ask, now()), asked = 0 WHERE i.did = me;
  END IF;
  SELECT * INTO a FROM account AS x WHERE x.did = me FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('account %s is not here', me),
      DETAIL = (SELECT e.value FROM explain(account) AS e WHERE e.what = 'answer') || '.';
  END IF;
  PERFORM scratch();
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT r.uri, r.did, atid.at_uri_collection(r.uri), false, r.cid, r.block FROM record AS r
  WHERE r.did = me AND r.uri BETWEEN atid.at_uri_make(me) AND atid.at_uri_scope_upper(atid.at_uri_make(me));
  PERFORM write();
  UPDATE account AS x
  SET failures = 0, older = 0, gaps = 0, problem = NULL, detail = NULL, unsigned_rev = NULL, unsigned_loads = 0
  WHERE x.did = me;
  IF a.state IN ('synchronized', 'desynchronized') THEN
    PERFORM become(a, 'desynchronized', now());
  ELSIF a.state = 'inactive' THEN
    UPDATE account AS x SET check_at = now() WHERE x.did = me;
  END IF;
  DELETE FROM host AS h WHERE h.name = (SELECT i.host FROM identity AS i WHERE i.did = me);
END $$;
CREATE OR REPLACE FUNCTION trim_labels_refused(most bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  size CONSTANT bigint := pg_total_relation_size('labels_refused');
  was sample;
BEGIN
  IF size <= most THEN RETURN; END IF;
  SELECT * INTO was FROM sample AS x WHERE x.refused_size IS NOT NULL ORDER BY x.at DESC LIMIT 1;
  IF was.refused_size IS DISTINCT FROM size THEN
    was.refused_rows := bytes_of_labels_refused();
  END IF;
  IF was.refused_rows > most / 2 THEN
    DELETE FROM labels_refused AS l
    WHERE l.received <= (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY o.received) FROM labels_refused AS o);
    was.refused_rows := bytes_of_labels_refused();
  END IF;
  UPDATE sample AS x SET refused_size = size, refused_rows = was.refused_rows
  WHERE x.at = (SELECT max(y.at) FROM sample AS y);
END $$;
CREATE OR REPLACE FUNCTION bytes_of_labels_refused() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT coalesce(sum(pg_column_size(l.label) + 32), 0) FROM labels_refused AS l);
END $$;
CREATE OR REPLACE FUNCTION tidy() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  one record;
  ended int := 0;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM one_of_many();
  IF (SELECT count(*) FROM (SELECT 1 FROM tally LIMIT 50) AS t) > 20 THEN
    WITH gone AS (DELETE FROM tally RETURNING what, n)
    INSERT INTO tally (what, n) SELECT what, sum(n) FROM gone GROUP BY what HAVING sum(n) <> 0;
  END IF;
  INSERT INTO sample (at, behind, loads)
  SELECT now(), coalesce(sum(t.n) FILTER (WHERE t.what IN ('unidentified', 'desynchronized', 'loading')), 0),
         coalesce(sum(t.n) FILTER (WHERE t.what = 'loads'), 0) FROM tally AS t
  ON CONFLICT DO NOTHING;
  DELETE FROM sample WHERE at < now() - interval '2 hours';
  FOR one IN SELECT i.did FROM identity AS i
             WHERE i.labeler AND i.met < later(now(), CASE WHEN i.answered IS NOT NULL THEN -interval '1 day' ELSE -s.invented_after END) LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM label_keys AS k WHERE k.src = one.did) OR EXISTS (SELECT 1 FROM labeler AS x WHERE x.did = one.did);
    UPDATE identity AS i SET labeler = false WHERE i.did = one.did;
    IF NOT EXISTS (SELECT 1 FROM account AS a WHERE a.did = one.did) THEN
      DELETE FROM identity AS i WHERE i.did = one.did;
    END IF;
  END LOOP;
  FOR one IN SELECT i.did FROM identity AS i
             WHERE i.answered IS NULL AND NOT i.labeler AND i.met < later(now(), -(s.invented_after / 3))
               AND (i.problem = 'not found' OR i.met < later(now(), -s.invented_after))
             ORDER BY i.met
  LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM want AS w WHERE w.what = 'account' AND w.value = one.did::text AND w.because IS NULL);
    DELETE FROM want AS w WHERE w.what = 'account' AND w.value = one.did::text;
    IF FOUND THEN
      DELETE FROM unsettled AS u WHERE u.did = one.did;
    END IF;
    PERFORM remove(one.did);
    ended := ended + 1;
    EXIT WHEN ended = 2000;
  END LOOP;
  PERFORM sum_unproven();
  DELETE FROM host WHERE until < later(now(), -interval '1 day');
  PERFORM trim_labels_refused(s.most_labels_refused);
  DELETE FROM reader AS r WHERE r.name LIKE 'api %' AND pg_try_advisory_xact_lock(hashtextextended(r.name, 0));
  FOR one IN SELECT did, claim FROM account
             WHERE state = 'loading' AND claimed < greatest(later(now(), -interval '2 hours'),
                                                            (SELECT max(x.started) FROM stream AS x WHERE x.kind = 'repos'))
             LIMIT 100 LOOP
    PERFORM FROM account AS x WHERE x.did = one.did AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    PERFORM unload(one.did, one.claim, 'ended', NULL);
  END LOOP;
END $$;
CREATE TABLE IF NOT EXISTS view_type (
  n         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  view      regclass UNIQUE,
  nsid      text,
  only_key  text,
  source    regclass NOT NULL,
  accounts  regclass,
  condition text NOT NULL,
  conforming bool NOT NULL DEFAULT false,
  lexicons  atid.lexicon,
  description text
);
CREATE TABLE IF NOT EXISTS view_column (
  view       regclass,
  name       name,
  path       text[],
  kind       text NOT NULL,
  type       text NOT NULL,
  expression text NOT NULL,
  most       int,
  filled     bool NOT NULL,
  description text,
  PRIMARY KEY (view, name)
);
CREATE TABLE IF NOT EXISTS view_index (
  view       regclass,
  columns    name[],
  search     bool,
  index      text NOT NULL,
  definition text NOT NULL,
  config     text,
  PRIMARY KEY (view, search, columns)
);
CREATE TABLE IF NOT EXISTS view_reference (
  nsid   text,
  path   text[],
  target text,
  PRIMARY KEY (nsid, path, target)
);
CREATE TABLE IF NOT EXISTS labeler (
  did   atid.did PRIMARY KEY,
  hides text[] NOT NULL DEFAULT '{!hide,!takedown,!suspend}'
);
CREATE OR REPLACE FUNCTION view_name(path text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(n) > 57 THEN left(n, 48) || '_' || left(md5(array_to_string(path, '.')), 8) ELSE n END
        FROM trim('_' FROM lower(regexp_replace(regexp_replace(array_to_string(path, '_') COLLATE "C",
          '([a-z0-9])([A-Z])', '\1_\2', 'g'), '[^A-Za-z0-9]+', '_', 'g'))) AS t,
             trim('_' FROM CASE WHEN t ~ '^([0-9]|$)' THEN 'field_' || t ELSE t END) AS n);
CREATE OR REPLACE FUNCTION view_stem(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(regexp_replace(replace(name, '_', ''), 'ies$', 'y'), '[es]+$', '');
CREATE OR REPLACE FUNCTION view_engine_name(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN name ~ '_(connection|edge|filter|condition|order_by|column|input|patch)(e?s)*$' THEN name || '_record' ELSE name END;
CREATE OR REPLACE FUNCTION view_text(description text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(regexp_replace(description, '@(?=graphql)', U&'@\200B', 'gi'), '(^|[[:cntrl:]\u2028\u2029])(\s*)@', U&'\\1\\2\200B@', 'g');
CREATE OR REPLACE FUNCTION view_schema(lexicons atid.lexicon, home text, schema jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN schema->>'type' = 'ref' THEN (
    SELECT coalesce(atid.lexicon_document(lexicons, nsid) #> ARRAY['defs', coalesce(nullif(split_part(schema->>'ref', '#', 2), ''), 'main')], '{}')
           || jsonb_strip_nulls(jsonb_build_object('home', nsid, 'description', schema->'description'))
    FROM coalesce(nullif(split_part(schema->>'ref', '#', 1), ''), home) AS nsid)
  ELSE schema || jsonb_build_object('home', home) END;
CREATE OR REPLACE FUNCTION lexicon_gaps(lexicons atid.lexicon, OUT missing text, OUT needed_by text)
RETURNS SETOF record LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN QUERY
  SELECT g.missing,
         array_to_string((array_agg(g.nsid ORDER BY g.nsid))[:3], ', ')
         || CASE WHEN count(*) > 3 THEN format(' and %s others', count(*) - 3) ELSE '' END
  FROM (SELECT n.nsid,
               unnest(atid.lexicon_missing(atid.lexicon_only(lexicons, ARRAY[n.nsid]))) AS missing
        FROM unnest(atid.lexicon_nsids(lexicons)::text[]) AS n (nsid)
        WHERE atid.lexicon_document(lexicons, n.nsid) #>> '{defs,main,type}' = 'record') AS g
  GROUP BY g.missing;
END $$;
CREATE OR REPLACE FUNCTION view_properties(lexicons atid.lexicon, nsid text,
  OUT name text, OUT path text[], OUT kind text, OUT type text, OUT most int, OUT description text)
RETURNS SETOF record LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE BEGIN ATOMIC
  WITH RECURSIVE property (path, schema) AS (
    SELECT ARRAY[key], view_schema(lexicons, view_properties.nsid, value)
    FROM jsonb_each(atid.lexicon_document(lexicons, view_properties.nsid) #> '{defs,main,record,properties}')
    UNION ALL
    SELECT path || key, view_schema(lexicons, schema->>'home', value)
    FROM property, jsonb_each(schema->'properties')
    WHERE schema->>'type' = 'object' AND cardinality(path) < 3
  ), typed AS (
    SELECT path, schema, schema->>'type' AS said,
           CASE schema->>'type'
             WHEN 'string' THEN CASE schema->>'format' WHEN 'at-uri' THEN 'atid.at_uri' WHEN 'did' THEN 'atid.did' WHEN 'tid' THEN 'atid.tid'
                                  WHEN 'cid' THEN 'atid.cid_link' WHEN 'datetime' THEN 'timestamptz' ELSE 'text' END
             WHEN 'token' THEN 'text' WHEN 'cid-link' THEN 'link'
             WHEN 'integer' THEN 'bigint' WHEN 'boolean' THEN 'boolean' ELSE 'jsonb' END AS type
    FROM (SELECT * FROM property LIMIT 780) AS first_ones
  )
  SELECT view_name(path), path, 'property', type,
         CASE type WHEN 'atid.at_uri' THEN 1200 WHEN 'atid.did' THEN 512 WHEN 'atid.cid_link' THEN 256 WHEN 'link' THEN 256
           WHEN 'jsonb' THEN NULL
           WHEN 'text' THEN CASE WHEN jsonb_path_match(schema, '$.maxLength <= 1000000', silent => true) THEN (schema->>'maxLength')::numeric::int
                                 WHEN said = 'token' OR schema ?| '{enum,knownValues,const}'
                                   OR schema->>'format' IN ('language', 'handle', 'nsid', 'record-key', 'at-identifier') THEN 1000 END
           ELSE 16 END,
         schema->>'description'
  FROM typed WHERE cardinality(path) = 1 OR type <> 'jsonb'
  UNION ALL
  SELECT view_name(path || '{url}'::text[]), path, 'url', 'text', NULL, 'The address at which the server of its account has it.'
  FROM typed WHERE said = 'blob';
END;
CREATE OR REPLACE FUNCTION view_expression(kind text, type text, most int, path text[], source text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT format(CASE WHEN kind = 'url' THEN 'CASE WHEN atid.cid_is_valid(%6$s) THEN %6$s WHEN atid.cid_is_valid(%7$s) THEN %7$s END' ELSE CASE type
    WHEN 'text' THEN CASE WHEN most IS NULL THEN 'CASE WHEN %2$s = ''string'' THEN %1$s END'
                          ELSE 'CASE WHEN %2$s = ''string'' AND octet_length(%1$s) <= %5$s THEN %1$s END' END
    WHEN 'link' THEN 'CASE WHEN %2$s <> ''string'' AND atid.cid_is_valid(%4$s) THEN (%4$s)::atid.cid_link END'
    WHEN 'atid.cid_link' THEN 'CASE WHEN %2$s = ''string'' AND atid.cid_is_valid(%1$s) THEN (%1$s)::atid.cid_link END'
    WHEN 'atid.tid' THEN 'CASE WHEN %2$s = ''string'' AND atid.tid_is_valid(%1$s) THEN (%1$s)::atid.tid END'
    WHEN 'atid.did' THEN 'CASE WHEN octet_length(%1$s) <= %5$s THEN atid.did_or_null(%1$s) END'
    WHEN 'atid.at_uri' THEN 'CASE WHEN octet_length(%1$s) <= %5$s THEN atid.at_uri_or_null(%1$s) END'
    WHEN 'timestamptz' THEN 'atid.datetime_or_null(%1$s)'
    WHEN 'boolean' THEN 'CASE %3$s WHEN ''true'' THEN true WHEN ''false'' THEN false END'
    WHEN 'bigint' THEN 'jsonb_path_query_first(%3$s, ''strict $ ? (@ >= -9223372036854775808 && @ <= 9223372036854775807 && @.floor() == @)'')::bigint'
    ELSE '%3$s' END END, text, typeof, json, link, most, ref, old)
  FROM (SELECT format('atid.dag_cbor_get_text(block, %L)', path), format('atid.dag_cbor_typeof(block, %L)', path),
               format('atid.dag_cbor_get(block, %L)', path), format('atid.dag_cbor_get_text(block, %L)', path),
               format('atid.dag_cbor_get_text(block, %L)', path || '{ref}'::text[]), format('atid.dag_cbor_get_text(block, %L)', path || '{cid}'::text[])
        WHERE source = 'block'
        UNION ALL
        SELECT format('(record #>> %L)', path), format('jsonb_typeof(record #> %L)', path),
               format('(record #> %L)', path), format('(record #>> %L)', path || '{$link}'::text[]),
               format('(record #>> %L)', path || '{ref,$link}'::text[]), format('(record #>> %L)', path || '{cid}'::text[])
        WHERE source = 'record') AS a (text, typeof, json, link, ref, old));
CREATE OR REPLACE FUNCTION view_hidden(subjects text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('EXISTS (SELECT 1 FROM labels_in_force AS l JOIN labeler AS b ON b.did = l.src AND l.val = ANY (b.hides) WHERE l.subject = ANY (ARRAY[%s]))', subjects);
CREATE OR REPLACE FUNCTION view_full_name(relation regclass) RETURNS text LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%I.%I', nspname, relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = relation);
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'view_index'::regclass AND attname = 'index' AND atttypid = 'regclass'::regtype) THEN
    ALTER TABLE view_index ALTER index TYPE text USING coalesce(view_full_name(index), '');
    DELETE FROM view_index AS i WHERE i.index = '' AND NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = i.view AND t.nsid IS NOT NULL);
    UPDATE view_index AS i
    SET index = format('%s.%I', c.relnamespace::regnamespace, view_name(ARRAY[t.nsid] || CASE WHEN i.search THEN '{search}' ELSE i.columns::text[] END))
    FROM view_type AS t JOIN pg_class AS c ON c.oid = t.source WHERE t.view = i.view AND i.index = '';
    DELETE FROM view_index AS i WHERE i.index = ''; -- of a source that has gone
  END IF;
END
$$;
CREATE OR REPLACE FUNCTION drop_view(old regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  f regprocedure;
  problem text;
  why text;
BEGIN
  FOR f IN SELECT * FROM view_search_functions(old) LOOP
    EXECUTE format('DROP FUNCTION %s', f);
  END LOOP;
  BEGIN
    EXECUTE format('DROP VIEW %s', view_full_name(old));
  EXCEPTION WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, why = PG_EXCEPTION_DETAIL;
    RAISE dependent_objects_still_exist USING MESSAGE = problem, DETAIL = why,
      HINT = format('Drop %s, call make_views again, and create it again after that.',
                    view_dependents(old));
  END;
END
$$;
CREATE OR REPLACE FUNCTION view_dependents(old regclass) RETURNS text
LANGUAGE sql STABLE STRICT AS $$
  SELECT string_agg(DISTINCT pg_describe_object(o.class, o.id, 0), ', ')
  FROM pg_class AS v JOIN pg_depend AS d
         ON d.refclassid = 'pg_class'::regclass AND d.refobjid = v.oid
            OR d.refclassid = 'pg_type'::regclass
               AND d.refobjid IN (v.reltype, (SELECT t.typarray FROM pg_type AS t WHERE t.oid = v.reltype))
       LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid,
       LATERAL (SELECT CASE WHEN r.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END,
                       coalesce(r.ev_class, d.objid)) AS o (class, id)
  WHERE v.oid = old AND d.deptype = 'n' AND NOT (o.class = 'pg_class'::regclass AND o.id = v.oid)
$$;
CREATE OR REPLACE FUNCTION view_search_functions(view regclass) RETURNS SETOF regprocedure LANGUAGE sql STABLE AS $$
  SELECT p.oid::regprocedure FROM view_index AS i JOIN pg_class AS c ON c.oid = i.view JOIN pg_proc AS p ON p.pronamespace = c.relnamespace
  WHERE i.view = view_search_functions.view AND i.search AND p.proname IN (view_name(ARRAY['search', c.relname]), view_name(ARRAY[c.relname, 'rank']))
    AND (p.prorettype = c.reltype OR p.proargtypes[0] = c.reltype)
$$;
CREATE OR REPLACE FUNCTION make_views(lexicons atid.lexicon, source regclass, target regnamespace, accounts regclass DEFAULT NULL,
                                      conforming bool DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  has CONSTANT name[] NOT NULL := ARRAY(
    SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum > 0 AND NOT attisdropped);
  filled CONSTANT name[] NOT NULL := ARRAY(
    SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum > 0 AND attnotnull);
  holder CONSTANT text NOT NULL := CASE WHEN 'block' = ANY (has) THEN 'block' ELSE 'record' END;
  did CONSTANT text NOT NULL := CASE WHEN 'did' = ANY (has) THEN 'did' ELSE 'atid.at_uri_did(uri)' END;
  its CONSTANT text NOT NULL := CASE WHEN 'did' = ANY (has) THEN 's.did' ELSE 'atid.at_uri_did(s.uri)' END;
  account CONSTANT text := format('FROM %s AS a WHERE a.did = %s LIMIT 1', accounts, its);
  pds CONSTANT bool := EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = accounts AND attname = 'pds' AND NOT attisdropped);
  labels CONSTANT bool := to_regclass('labels_in_force') IS NOT NULL;
  leaves_out CONSTANT bool NOT NULL := coalesce(conforming, (
    SELECT bool_or(v.conforming) FROM view_type AS v JOIN pg_class ON oid = v.view AND relnamespace = target), false);
  t record;
  p record;
  this regclass;
  number int;
  full_name text;
  key text;
  created text;
  rows text;
  judged text;
  definition text;
  rights text[];
  wanted view_column[];
  names name[];
  free text;
BEGIN
  PERFORM forget_views();
  FOR t IN SELECT view FROM view_type AS v JOIN pg_class ON oid = view AND relnamespace = target
           WHERE v.nsid IS NOT NULL AND atid.lexicon_document(make_views.lexicons, v.nsid) #>> '{defs,main,type}' IS DISTINCT FROM 'record' LOOP
    PERFORM drop_view(t.view);
  END LOOP;
  PERFORM forget_views();
  FOR t IN
    SELECT d.nsid, d.document FROM unnest(atid.lexicon_nsids(lexicons)) AS nsid,
         LATERAL (SELECT nsid, atid.lexicon_document(lexicons, nsid)) AS d (nsid, document)
    WHERE d.document #>> '{defs,main,type}' = 'record' ORDER BY nsid
  LOOP
    SELECT v.view, v.n INTO this, number FROM view_type AS v JOIN pg_class ON oid = v.view AND relnamespace = target WHERE v.nsid = t.nsid;
    IF NOT FOUND THEN
      SELECT n INTO free FROM (SELECT concat_ws('_', view_name(ARRAY[t.nsid]), nullif(i, 1)) AS n FROM generate_series(1, 10000) AS i OFFSET 0) AS f
      WHERE to_regclass(format('%s.%I', target, n)) IS NULL
        AND NOT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = target AND relkind IN ('r', 'v', 'm', 'p', 'f')
                        AND ARRAY[view_stem(relname), view_stem(view_engine_name(relname))] && ARRAY[view_stem(n), view_stem(view_engine_name(n))]) LIMIT 1;
      full_name := format('%s.%I', target, free);
    ELSE
      full_name := view_full_name(this);
    END IF;
    key := nullif(substring(t.document #>> '{defs,main,key}' FROM '^literal:(.*)'), '');
    rows := format('atid.at_uri_collection(uri) = %L', t.nsid)
      || CASE WHEN key IS NULL THEN '' ELSE format(' AND CASE WHEN atid.at_uri_rkey(uri) = %L THEN true ELSE false END', key) END;
    IF this IS NULL THEN
      INSERT INTO view_type (nsid, source, condition) VALUES (t.nsid, source, rows) RETURNING n INTO number;
    END IF;
    UPDATE view_type AS v
    SET only_key = key, source = make_views.source, accounts = make_views.accounts, condition = rows, conforming = leaves_out, description = t.document #>> '{defs,main,description}',
        lexicons = atid.lexicon_only(make_views.lexicons, ARRAY[t.nsid])
    WHERE v.n = number;
    judged := format('atid.%s_conforms(%s, (SELECT t.lexicons FROM view_type AS t WHERE t.n = %s), %L)',
                     CASE holder WHEN 'block' THEN 'dag_cbor' ELSE 'record' END, holder, number, t.nsid);
    IF 'conforms' = ANY (has) THEN judged := format('coalesce(conforms, %s)', judged); END IF;
    SELECT CASE holder WHEN 'block' THEN format('atid.dag_cbor_get_text(block, %L)', ARRAY[name]) ELSE format('(record ->> %L)', name) END INTO created
    FROM unnest('{createdAt,publishedAt}'::text[]) WITH ORDINALITY AS c (name, n)
    WHERE t.document #> '{defs,main,record,properties}' ? name ORDER BY n LIMIT 1;
    IF NOT FOUND THEN created := 'NULL'; END IF;
    wanted := ARRAY[
      ROW(NULL, 'uri', NULL, 'own', 'atid.at_uri', 'uri', 1400, 'uri' = ANY (filled), 'The AT URI of the record.'),
      ROW(NULL, 'did', NULL, 'own', 'atid.did', did, 512, 'did' = ANY (filled), 'The DID of its account.'),
      ROW(NULL, 'rkey', NULL, 'own', 'atid.record_key', 'atid.at_uri_rkey(uri)', 512, 'uri' = ANY (filled), 'Its record key.'),
      ROW(NULL, 'cid', NULL, 'own', 'atid.cid_link', CASE WHEN 'cid' = ANY (has) THEN 'cid' WHEN holder = 'block' THEN 'atid.cid_of(block, ''dag-cbor'')'
            ELSE 'CASE WHEN atid.record_is_valid(record) THEN atid.record_cid(record) END' END, 256,
          CASE WHEN 'cid' = ANY (has) THEN 'cid' = ANY (filled) ELSE holder = 'block' AND 'block' = ANY (filled) END, 'The CID of its block.')]::view_column[];
    IF 'indexed' = ANY (has) THEN
      wanted := wanted || ROW(NULL, 'sort_at', NULL, 'own', 'timestamptz', format('atid.sort_at(%s, indexed)', created), 16, 'indexed' = ANY (filled),
        'The time to sort by: when it was written, as it says itself, but not later than it came here.')::view_column;
    END IF;
    wanted := wanted || ROW(NULL, 'conforms', NULL, 'derived', 'boolean', judged, NULL, false, 'Does it conform to its Lexicon?')::view_column;
    IF labels THEN
      wanted := wanted || ROW(NULL, 'hidden', NULL, 'derived', 'boolean', view_hidden(format('s.uri, atid.at_uri_make(%s::text)', its)), NULL, true,
        'Does a label hide it or its account?')::view_column;
    END IF;
    IF accounts IS NOT NULL THEN
      wanted := wanted || ROW(NULL, 'author_handle', NULL, 'derived', 'text', format('(SELECT a.handle %s)', account), NULL, false, 'The handle of its account.')::view_column;
    END IF;
    names := '{uri,did,rkey,cid,sort_at,conforms,hidden,author_handle,node_id,row_id}'::name[]
      || ARRAY(SELECT k.name FROM view_column AS k JOIN view_properties(lexicons, t.nsid) AS v ON v.path = k.path AND v.kind = k.kind WHERE k.view = this);
    FOR p IN
      SELECT v.*, k.name AS old, view_expression(v.kind, v.type, v.most, v.path, holder) AS expression
      FROM view_properties(lexicons, t.nsid) AS v LEFT JOIN view_column AS k ON k.view = this AND k.path = v.path AND k.kind = v.kind
      WHERE v.kind <> 'url' OR pds
      ORDER BY v.kind, cardinality(v.path), v.path
    LOOP
      free := p.old;
      IF free IS NULL THEN
        SELECT n INTO free FROM (SELECT concat_ws('_', p.name, nullif(i, 1)) AS n FROM generate_series(1, 10000) AS i OFFSET 0) AS f
        WHERE replace(n, '_', '') <> ALL (ARRAY(SELECT replace(taken, '_', '') FROM unnest(names) AS taken)) LIMIT 1;
        names := names || free::name;
      END IF;
      IF p.kind = 'url' THEN
        p.expression := format('(SELECT substring(a.pds FROM ''^https?://[A-Za-z0-9.:[\]_-]+'') %s) || ''/xrpc/com.atproto.sync.getBlob?did='' || '
          || 'replace(replace(%s::text, ''%%'', ''%%25''), '':'', ''%%3A'') || ''&cid='' || %s', account, its, p.expression);
      END IF;
      wanted := wanted || ROW(NULL, free, p.path, p.kind, CASE p.type WHEN 'link' THEN 'atid.cid_link' ELSE p.type END, p.expression, p.most, false, p.description)::view_column;
    END LOOP;
    SELECT string_agg(format('%s AS %I', w.expression, w.name), ', ' ORDER BY attnum, w.n) INTO definition
    FROM unnest(wanted) WITH ORDINALITY AS w (view, name, path, kind, type, expression, most, filled, description, n)
         LEFT JOIN pg_attribute ON attrelid = this AND attname = w.name;
    definition := format('VIEW %s AS SELECT %s FROM %s AS s WHERE %s%s', full_name, definition, source, rows,
                         CASE WHEN leaves_out THEN format(' AND (%s) IS NOT FALSE', judged) ELSE '' END);
    BEGIN
      EXECUTE 'CREATE OR REPLACE ' || definition;
    EXCEPTION WHEN invalid_table_definition THEN
      rights := ARRAY(SELECT format('GRANT %s ON %s TO %s%s', x.privilege_type, full_name, CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END,
                                    CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
                      FROM pg_class AS c, aclexplode(c.relacl) AS x WHERE c.oid = this AND x.grantee <> c.relowner);
      PERFORM drop_view(this);
      EXECUTE 'CREATE ' || definition;
      FOREACH definition IN ARRAY rights LOOP
        EXECUTE definition;
      END LOOP;
      UPDATE view_index AS i SET view = full_name::regclass WHERE i.view = this;
    END;
    DELETE FROM view_column AS k WHERE k.view = this;
    this := full_name::regclass;
    UPDATE view_type AS v SET view = this WHERE v.n = number;
    INSERT INTO view_column SELECT this, w.name, w.path, w.kind, w.type, w.expression, w.most, w.filled, w.description FROM unnest(wanted) AS w;
  END LOOP;
  PERFORM forget_views();
  PERFORM comment_views(target);
  PERFORM make_search(i.view, i.config::regconfig, VARIADIC i.columns) FROM view_index AS i JOIN pg_class ON oid = i.view AND relnamespace = target WHERE i.search;
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
  FOR t IN SELECT g.missing, g.needed_by FROM lexicon_gaps(make_views.lexicons) AS g
           ORDER BY g.missing LOOP
    RAISE NOTICE 'missing: % (needed by %)', t.missing, t.needed_by;
  END LOOP;
  RETURN (SELECT count(*) FROM view_type JOIN pg_class ON oid = view AND relnamespace = target WHERE nsid IS NOT NULL);
END
$$;
CREATE OR REPLACE FUNCTION forget_views() RETURNS void LANGUAGE plpgsql AS $$
DECLARE i record;
BEGIN
  DELETE FROM view_type WHERE view IS NULL OR NOT EXISTS (SELECT 1 FROM pg_class WHERE oid = view);
  DELETE FROM view_column AS c WHERE NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = c.view);
  FOR i IN
    DELETE FROM view_index AS x
    WHERE NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = x.view)
       OR NOT x.columns <@ ARRAY(SELECT c.name FROM view_column AS c WHERE c.view = x.view AND c.kind IN ('own', 'property')
                               AND (NOT x.search OR c.kind = 'property' AND c.type = 'text'))
    RETURNING x.index
  LOOP
    PERFORM drop_view_index(to_regclass(i.index));
  END LOOP;
END
$$;
CREATE OR REPLACE FUNCTION drop_view_index(old regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF old IS NOT NULL AND NOT EXISTS (SELECT 1 FROM view_index AS i WHERE to_regclass(i.index) = old) THEN
    EXECUTE format('DROP INDEX %s', view_full_name(old));
  END IF;
END
$$;
CREATE OR REPLACE FUNCTION comment_view(of regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  this view_type;
  tags text;
  keys jsonb;
  named text;
  c record;
BEGIN
  SELECT * INTO this FROM view_type AS t WHERE t.view = of;
  SELECT string_agg(format('@foreignKey (%s) references %s.%s (%s)', f.name, n.nspname, r.relname, f.key), E'\n' ORDER BY f.name, r.relname),
         jsonb_agg(jsonb_build_object('local_columns', ARRAY[f.name], 'foreign_schema', n.nspname,
                                      'foreign_table', r.relname, 'foreign_columns', ARRAY[f.key]) ORDER BY f.name, r.relname)
  INTO tags, keys
  FROM (SELECT k.name, 'uri' AS key, aim.view AS aim
        FROM view_reference AS p JOIN view_column AS k ON k.view = of AND k.path = p.path AND k.type = 'atid.at_uri' JOIN view_type AS aim ON aim.nsid = p.target
        WHERE p.nsid = this.nsid
        UNION
        SELECT k.name, 'did', this.accounts FROM view_column AS k WHERE k.view = of AND k.type = 'atid.did'
        UNION
        SELECT k.name, 'did', aim.view FROM view_column AS k CROSS JOIN view_type AS aim
        WHERE k.view = of AND k.type = 'atid.did' AND aim.only_key IS NOT NULL AND (k.path IS NOT NULL OR aim.view <> of AND (this.only_key IS NULL OR this.nsid < aim.nsid))) AS f
    JOIN pg_class AS r ON r.oid = f.aim AND r.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = of) JOIN pg_namespace AS n ON n.oid = r.relnamespace;
  SELECT n INTO named
  FROM pg_class AS v, LATERAL (SELECT concat_ws('_', view_engine_name(v.relname), nullif(i, 1)) AS n FROM generate_series(1, 10000) AS i OFFSET 0) AS f
  WHERE v.oid = of AND view_engine_name(v.relname) <> v.relname
    AND NOT EXISTS (SELECT 1 FROM pg_class AS o WHERE o.relnamespace = v.relnamespace AND o.relkind IN ('r', 'v', 'm', 'p', 'f') AND view_stem(o.relname) = view_stem(n)) LIMIT 1;
  EXECUTE format('COMMENT ON VIEW %s IS %L', view_full_name(of), concat_ws(E'\n', '@primaryKey uri', '@name ' || named, CASE WHEN this.only_key IS NOT NULL THEN '@unique did' END, tags,
    format('@pgGraphql @graphql(%s)', jsonb_build_object('primary_key_columns', '{uri}'::text[], 'foreign_keys', coalesce(keys, '[]'))), view_text(this.description)));
  FOR c IN
    SELECT k.name, concat_ws(E'\n', CASE WHEN k.filled THEN '@notNull' END,
             CASE WHEN i.sorts THEN '@behavior +attribute:orderBy +attribute:filterBy +attribute:filter'
                  WHEN i.sorts IS NOT NULL OR k.name IN ('conforms', 'hidden') AND k.path IS NULL THEN '@behavior +attribute:filterBy +attribute:filter' END,
             view_text(k.description)) AS comment
    FROM view_column AS k LEFT JOIN (
      SELECT i.columns[1] AS name, bool_or(i.definition LIKE '% USING btree %') AS sorts FROM view_index AS i WHERE i.view = of AND NOT i.search GROUP BY 1) AS i USING (name)
    WHERE k.view = of
  LOOP
    EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', view_full_name(of), c.name, nullif(c.comment, ''));
  END LOOP;
END
$$;
CREATE OR REPLACE FUNCTION comment_views(target regnamespace) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM comment_view(v.view) FROM view_type AS v JOIN pg_class AS c ON c.oid = v.view
  WHERE c.relnamespace = target AND v.nsid IS NOT NULL;
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END
$$;
CREATE OR REPLACE FUNCTION make_views(target regnamespace, conforming bool DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  account text := format('%s.account', target);
BEGIN
  IF to_regclass('record') IS NULL OR to_regclass('identity') IS NULL OR to_regclass('lexicons') IS NULL THEN
    RAISE undefined_table USING MESSAGE = 'make_views(target) needs the tables of the indexer',
      HINT = 'Give the Lexicons and the source: make_views(lexicons, source, target).';
  END IF;
  PERFORM forget_views();
  IF to_regclass(account) IS NULL OR EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = to_regclass(account) AND t.nsid IS NULL) THEN
    EXECUTE format('CREATE OR REPLACE VIEW %s AS SELECT i.did, i.handle, i.host AS pds, %s AS hidden FROM identity AS i', account,
                   view_hidden('atid.at_uri_make(i.did::text)'));
    EXECUTE format('COMMENT ON VIEW %s IS %L', account, E'@primaryKey did\n@pgGraphql @graphql({"primary_key_columns": ["did"]})\nAn account.');
    EXECUTE format('COMMENT ON COLUMN %s.did IS %L', account, E'@notNull\n@behavior +attribute:filterBy +attribute:filter\nIts DID.');
    EXECUTE format('COMMENT ON COLUMN %s.handle IS %L', account, E'@behavior +attribute:filterBy +attribute:filter\nIts handle, as it says itself.');
    EXECUTE format('COMMENT ON COLUMN %s.pds IS %L', account, 'The origin of its server.');
    EXECUTE format('COMMENT ON COLUMN %s.hidden IS %L', account, E'@notNull\nDoes a label hide it?');
    INSERT INTO view_type (view, source, condition) VALUES (account::regclass, 'identity'::regclass, 'true') ON CONFLICT (view) DO NOTHING;
  END IF;
  RETURN make_views((SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l), 'record'::regclass, target, account::regclass, conforming);
END
$$;
CREATE OR REPLACE FUNCTION view_index_name(label text, whole text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN left(label, 54) || '_' || left(md5(whole), 8);
CREATE OR REPLACE FUNCTION keep_view_index(of regclass, wanted name[], is_search bool, label text, definition text, config text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  source CONSTANT regclass NOT NULL := (SELECT t.source FROM view_type AS t WHERE t.view = of);
  space CONSTANT regnamespace NOT NULL := (SELECT relnamespace FROM pg_class WHERE oid = source);
  statistics CONSTANT name NOT NULL := (SELECT left(relname, 40) || '_collection_stats' FROM pg_class WHERE oid = source);
  whole CONSTANT text NOT NULL := format('%s %s', view_full_name(source), definition);
  old view_index;
  found_index regclass;
  free text;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_statistic_ext WHERE stxname = statistics AND stxnamespace = space) THEN
    EXECUTE format('CREATE STATISTICS %s.%I ON (atid.at_uri_collection(uri)) FROM %s', space, statistics, view_full_name(source));
  END IF;
  IF EXISTS (SELECT 1 FROM view_index AS i JOIN pg_index AS x ON x.indexrelid = to_regclass(i.index) AND x.indrelid = source AND x.indisvalid
             WHERE i.view = of AND i.search = is_search AND i.columns = wanted AND i.definition = whole) THEN
    RETURN;
  END IF;
  FOR old IN DELETE FROM view_index AS i WHERE i.view = of AND i.search = is_search AND (is_search OR i.columns = wanted) RETURNING * LOOP
    PERFORM drop_view_index(to_regclass(old.index));
  END LOOP;
  SELECT x.indexrelid INTO found_index FROM view_index AS i JOIN pg_index AS x ON x.indexrelid = to_regclass(i.index) AND x.indrelid = source AND x.indisvalid
  WHERE i.definition = whole LIMIT 1;
  IF NOT FOUND THEN
    SELECT x.indexrelid INTO found_index FROM pg_index AS x
    WHERE x.indexrelid = to_regclass(format('%s.%I', space, view_index_name(label, whole))) AND x.indrelid = source AND x.indisvalid;
  END IF;
  IF NOT FOUND THEN
    SELECT n INTO free FROM (SELECT concat_ws('_', label, nullif(i, 1)) AS n FROM generate_series(1, 10000) AS i OFFSET 0) AS f
    WHERE to_regclass(format('%s.%I', space, n)) IS NULL LIMIT 1;
    EXECUTE format('CREATE INDEX %I ON %s', free, whole);
    found_index := format('%s.%I', space, free)::regclass;
  END IF;
  INSERT INTO view_index VALUES (of, wanted, is_search, view_full_name(found_index), whole, config);
END
$$;
CREATE OR REPLACE FUNCTION index_commands(of regclass, label text, definition text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  source CONSTANT regclass NOT NULL := (SELECT t.source FROM view_type AS t WHERE t.view = of);
  space CONSTANT regnamespace NOT NULL := (SELECT relnamespace FROM pg_class WHERE oid = source);
  whole CONSTANT text NOT NULL := format('%s %s', view_full_name(source), definition);
  called CONSTANT text NOT NULL := view_index_name(label, whole);
  is_valid bool;
BEGIN
  SELECT bool_or(x.indisvalid) INTO is_valid FROM pg_index AS x
  WHERE x.indrelid = source
    AND (x.indexrelid = to_regclass(format('%s.%I', space, called)) OR x.indexrelid IN (SELECT to_regclass(i.index) FROM view_index AS i WHERE i.definition = whole));
  IF is_valid THEN RETURN; END IF;
  RETURN NEXT 'SET search_path = pg_catalog, pg_temp';
  IF NOT is_valid THEN
    RETURN NEXT format('DROP INDEX CONCURRENTLY IF EXISTS %s.%I', space, called);
  END IF;
  RETURN NEXT format('CREATE INDEX CONCURRENTLY %I ON %s', called, whole);
  RETURN NEXT 'RESET search_path';
END
$$;
CREATE OR REPLACE FUNCTION view_type_of(of regclass) RETURNS view_type LANGUAGE plpgsql STABLE AS $$
DECLARE
  this view_type;
BEGIN
  SELECT * INTO this FROM view_type AS t WHERE t.view = of AND t.nsid IS NOT NULL;
  IF NOT FOUND THEN
    RAISE undefined_table USING MESSAGE = format('%s is not a view of make_views', of);
  END IF;
  RETURN this;
END
$$;
CREATE OR REPLACE FUNCTION view_index_of(view regclass, columns name[], OUT of regclass, OUT label text, OUT definition text) LANGUAGE plpgsql AS $$
DECLARE
  this view_type;
  missing name;
  loose name;
  total int;
  method text;
  expressions text;
BEGIN
  this := view_type_of(view);
  SELECT w.name INTO missing FROM unnest(columns) AS w (name)
  WHERE NOT EXISTS (SELECT 1 FROM view_column AS c WHERE c.view = this.view AND c.name = w.name AND c.kind IN ('own', 'property')) LIMIT 1;
  IF FOUND THEN
    RAISE undefined_column USING MESSAGE = format('view %s has no column %I that an index can have', view, missing);
  END IF;
  SELECT sum(c.most + 8), min(c.name) FILTER (WHERE c.most IS NULL OR c.type = 'text' AND c.most > 1000), string_agg(format('(%s)', c.expression), ', ' ORDER BY w.n)
  INTO total, loose, expressions
  FROM unnest(columns) WITH ORDINALITY AS w (name, n) JOIN view_column AS c ON c.view = this.view AND c.name = w.name;
  IF loose IS NULL THEN
    IF total > 2640 THEN
      RAISE program_limit_exceeded USING MESSAGE = format('an index on these columns of %s could have entries of %s bytes', view, total),
        DETAIL = 'An entry has at most 2640 bytes, so that no record is kept out.', HINT = 'Take fewer columns.';
    END IF;
    method := 'btree';
  ELSIF cardinality(columns) > 1 THEN
    RAISE program_limit_exceeded USING MESSAGE = format('column %I of %s can only have an index of its own', loose, view),
      DETAIL = 'Its Lexicon gives no bound of at most 1000 bytes, and an entry of an index with several columns has one.';
  ELSIF (SELECT type FROM view_column AS c WHERE c.view = this.view AND c.name = loose) = 'jsonb' THEN
    method := 'gin';
    expressions := expressions || ' jsonb_path_ops';
  ELSE
    method := 'hash';
  END IF;
  of := this.view;
  label := view_name(ARRAY[this.nsid] || columns::text[]);
  definition := format('USING %s (%s) WHERE %s', method, expressions, this.condition);
END
$$;
CREATE OR REPLACE FUNCTION make_view_index(view regclass, VARIADIC columns name[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  i record;
BEGIN
  i := view_index_of(view, columns);
  PERFORM keep_view_index(i.of, columns, false, i.label, i.definition, NULL);
  PERFORM comment_view(i.of);
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END
$$;
CREATE OR REPLACE FUNCTION view_index_commands(view regclass, VARIADIC columns name[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT c.* FROM view_index_of(view, columns) AS i, index_commands(i.of, i.label, i.definition) AS c;
END
$$;
CREATE OR REPLACE FUNCTION view_languages() RETURNS TABLE (code text, config text) LANGUAGE sql IMMUTABLE PARALLEL SAFE BEGIN ATOMIC
  SELECT l.code, l.config
  FROM unnest('{ar,ca,da,de,el,en,es,eu,fi,fr,ga,hi,hu,hy,id,it,lt,ne,nl,no,pt,ro,ru,sr,sv,ta,tr,yi}'::text[],
    '{arabic,catalan,danish,german,greek,english,spanish,basque,finnish,french,irish,hindi,hungarian,armenian,indonesian,italian,
      lithuanian,nepali,dutch,norwegian,portuguese,romanian,russian,serbian,swedish,tamil,turkish,yiddish}'::text[]) AS l (code, config);
END;
CREATE OR REPLACE FUNCTION view_words(texts text[], config text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT string_agg(format('setweight(to_tsvector(%s, translate(left(coalesce(%s, ''''::text), %s), ''<''::text, '' ''::text)), %L::"char")', config, t, 50000 / cardinality(texts),
                                 substr('ABCD', least(n, 4)::int, 1)), ' || ' ORDER BY n)
        FROM unnest(texts) WITH ORDINALITY AS u (t, n)
$$;
CREATE OR REPLACE FUNCTION search_index_of(view regclass, config text, columns name[], OUT of regclass, OUT label text, OUT definition text) LANGUAGE plpgsql AS $$
DECLARE
  this view_type;
  missing name;
  expressions text[];
BEGIN
  this := view_type_of(view);
  SELECT w.name INTO missing FROM unnest(columns) AS w (name)
  WHERE NOT EXISTS (SELECT 1 FROM view_column AS c WHERE c.view = this.view AND c.name = w.name AND c.kind = 'property' AND c.type = 'text') LIMIT 1;
  IF FOUND THEN
    RAISE undefined_column USING MESSAGE = format('view %s has no column %I of text that can be searched', view, missing);
  END IF;
  expressions := ARRAY(SELECT c.expression FROM unnest(columns) WITH ORDINALITY AS w (name, n)
                       JOIN view_column AS c ON c.view = this.view AND c.name = w.name ORDER BY w.n);
  of := this.view;
  label := view_name(ARRAY[this.nsid, 'search']);
  definition := format('USING gin ((%s)) WHERE %s', view_words(expressions, view_config(this.view, config, true)), this.condition);
END
$$;
CREATE OR REPLACE FUNCTION view_config_name(config regconfig) RETURNS text LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%I.%I', nspname, cfgname) FROM pg_ts_config AS c JOIN pg_namespace AS n ON n.oid = cfgnamespace WHERE c.oid = config);
CREATE OR REPLACE FUNCTION make_search(view regclass, config regconfig, VARIADIC columns name[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  i record;
BEGIN
  i := search_index_of(view, view_config_name(config), columns);
  PERFORM keep_view_index(i.of, columns, true, i.label, i.definition, view_config_name(config));
  PERFORM make_search_functions(i.of);
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END
$$;
CREATE OR REPLACE FUNCTION search_index_commands(view regclass, config regconfig, VARIADIC columns name[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT c.* FROM search_index_of(view, view_config_name(config), columns) AS i, index_commands(i.of, i.label, i.definition) AS c;
END
$$;
CREATE OR REPLACE FUNCTION make_search(view regclass, VARIADIC columns name[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM make_search(view, NULL::regconfig, VARIADIC columns);
END
$$;
CREATE OR REPLACE FUNCTION view_config(of regclass, config text, over_source bool) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN config IS NOT NULL THEN format('%L::regconfig', config) WHEN c.name IS NULL THEN '''pg_catalog.simple''::regconfig'
    ELSE format('CASE lower(split_part((%s) ->> 0, ''-'', 1))%s ELSE ''pg_catalog.simple''::regconfig END',
      CASE WHEN over_source THEN c.expression ELSE format('v.%I', c.name) END,
      (SELECT string_agg(format(' WHEN %L THEN ''pg_catalog.%s''::regconfig', l.code, l.config), '' ORDER BY l.code) FROM view_languages() AS l)) END
  FROM (SELECT) AS one LEFT JOIN view_column AS c ON c.view = of AND c.path = '{langs}' AND c.kind = 'property' AND c.type = 'jsonb'
$$;
CREATE OR REPLACE FUNCTION make_search_functions(of regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s view_index;
  space CONSTANT name NOT NULL := (
    SELECT nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = of);
  called CONSTANT name NOT NULL := (SELECT relname FROM pg_class WHERE oid = of);
  words text;
  own text;
  every text;
  body text;
BEGIN
  SELECT * INTO s FROM view_index AS i WHERE i.view = of AND i.search;
  own := format('websearch_to_tsquery(%s, left(query, 500))', view_config(of, s.config, false));
  words := view_words(ARRAY(SELECT format('v.%I', c) FROM unnest(s.columns) AS c), view_config(of, s.config, false));
  IF own LIKE '%CASE%' THEN
    SELECT format('(SELECT string_agg(DISTINCT ''('' || q::text || '')'', '' | '')::tsquery FROM (VALUES %s) AS w (q) WHERE numnode(q) > 0)',
                  string_agg(format('(websearch_to_tsquery(''pg_catalog.%s''::regconfig, left(query, 500)))', l.config), ', ')) INTO every
    FROM (SELECT config FROM view_languages() UNION ALL SELECT 'simple') AS l;
    body := format('(%s) @@ %s AND (strpos(query, ''-'') = 0 OR (%s) @@ %s)', words, every, words, own);
  ELSE
    body := format('(%s) @@ %s', words, own);
  END IF;
  body := format('SELECT v.* FROM %s AS v WHERE %s OFFSET 0', view_full_name(of), body);
  EXECUTE format('CREATE OR REPLACE FUNCTION %I.%I(query text) RETURNS SETOF %s LANGUAGE sql STABLE PARALLEL SAFE AS %L',
                 space, view_name(ARRAY['search', called]), view_full_name(of), body);
  EXECUTE format('CREATE OR REPLACE FUNCTION %I.%I(v %s, query text) RETURNS real LANGUAGE sql STABLE PARALLEL SAFE AS %L',
                 space, view_name(ARRAY[called, 'rank']), view_full_name(of), format('SELECT ts_rank(%s, %s)', words, own));
END
$$;
CREATE OR REPLACE FUNCTION find_references() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  part float8;
  found_ones bigint;
BEGIN
  IF to_regclass('reference') IS NULL THEN
    RAISE undefined_table USING MESSAGE = 'find_references() needs the table reference of the indexer', HINT = 'Fill view_reference by hand.';
  END IF;
  SELECT least(100, 1e8 / greatest(reltuples, 1)) INTO part FROM pg_class WHERE oid = 'reference'::regclass;
  WITH seen AS (
    SELECT r.collection, r.path, atid.at_uri_collection(r.subject)::text AS target, count(*) AS n, sum(count(*)) OVER (PARTITION BY r.collection, r.path) AS of
    FROM reference AS r TABLESAMPLE SYSTEM (part) GROUP BY 1, 2, 3
  ), fresh AS (
    INSERT INTO view_reference (nsid, path, target)
    SELECT DISTINCT t.nsid, c.path, s.target
    FROM view_column AS c JOIN view_type AS t ON t.view = c.view JOIN seen AS s ON s.collection = t.nsid AND s.path = view_field(c.path)
    WHERE c.kind = 'property' AND c.type = 'atid.at_uri' AND s.target IS NOT NULL AND s.n * 100 >= s.of
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT count(*) INTO found_ones FROM fresh;
  RETURN found_ones;
END
$$;
CREATE OR REPLACE FUNCTION find_new_references() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  c record;
  n bigint;
  found_ones bigint := 0;
BEGIN
  FOR c IN
    SELECT DISTINCT ON (t.nsid, k.path) t.nsid, k.path, k.expression, t.condition,
           view_full_name(t.source) AS source
    FROM view_column AS k JOIN view_type AS t ON t.view = k.view
         JOIN view_index AS i ON i.view = k.view AND i.columns[1] = k.name AND NOT i.search
    WHERE k.kind = 'property' AND k.type = 'atid.at_uri' AND t.nsid IS NOT NULL
      AND i.definition LIKE '% USING btree %' AND to_regclass(i.index) IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM view_reference AS r WHERE r.nsid = t.nsid AND r.path = k.path)
    ORDER BY t.nsid, k.path
  LOOP
    EXECUTE format('WITH seen AS (
        SELECT atid.at_uri_collection(v.aim)::text AS target, count(*) AS n,
               sum(count(*)) OVER () AS of
        FROM (SELECT %1$s AS aim FROM %2$s
              WHERE %3$s AND (%1$s) IS NOT NULL ORDER BY 1 LIMIT 1000) AS v
        GROUP BY 1)
      INSERT INTO view_reference (nsid, path, target)
      SELECT $1, $2, s.target FROM seen AS s WHERE s.target IS NOT NULL AND s.n * 100 >= s.of
      ON CONFLICT DO NOTHING', c.expression, c.source, c.condition) USING c.nsid, c.path;
    GET DIAGNOSTICS n = ROW_COUNT;
    found_ones := found_ones + n;
  END LOOP;
  RETURN found_ones;
END
$$;
CREATE OR REPLACE FUNCTION view_field(path text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(ltrim(string_agg(CASE WHEN k ~ '^[A-Za-z_$][A-Za-z0-9_$]*$' THEN '.' || k ELSE format('[%s]', to_jsonb(k)) END, '' ORDER BY n), '.'),
                        '(.)\.uri$', '\1')
  FROM unnest(path) WITH ORDINALITY AS u (k, n)
$$;
DO $$
DECLARE
  f record;
  plans text;
  citus bool := to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL;
BEGIN
  IF citus THEN
    EXECUTE $q$SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition WHERE logicalrelid = 'indexer.account'::regclass)$q$ INTO citus;
  END IF;
  FOR f IN SELECT p.oid::regprocedure AS name, p.proname FROM pg_proc AS p
           WHERE p.pronamespace = 'indexer'::regnamespace AND p.prorettype <> 'trigger'::regtype
             AND (p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql') OR p.proname LIKE 'label%')
  LOOP
    plans := CASE f.proname
      WHEN 'load' THEN 'SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = ''64MB'''
      ELSE 'SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off'
           || CASE WHEN NOT citus AND f.proname IN ('take', 'take_parts', 'take_batch', 'judge', 'complete', 'with_prev', 'is_newer', 'move_cursor',
                                        'announce', 'apply', 'await', 'latest_states', 'write',
                                        'claim', 'load_waits', 'ask', 'due_loads', 'due_identities', 'troubles',
                                        'is_load_due', 'is_identity_due')
                   THEN ' SET plan_cache_mode = force_generic_plan' ELSE '' END END;
    EXECUTE format('ALTER FUNCTION %s SET search_path = %s %s', f.name,
                   CASE WHEN f.proname IN ('scratch', 'take_batch', 'judge', 'complete', 'move_cursor', 'announce',
                                           'apply', 'await', 'latest_states', 'write', 'clear', 'load', 'reload')
                     THEN 'pg_temp, indexer' ELSE 'indexer, pg_temp' END, plans);
  END LOOP;
END $$;
ALTER FUNCTION want_changed() SET search_path = indexer, pg_temp;
ALTER FUNCTION lexicons_changed() SET search_path = indexer, pg_temp;
INSERT INTO program (version, digest) VALUES ('1.3.3', 'x');
RESET search_path;
