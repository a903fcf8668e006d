-- What "atid-indexer init" of 1.3.1 made, without its comments, for indexer/t/upgrade.pl.
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
CREATE OR REPLACE FUNCTION turn(did atid.did, spread interval) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN spread * (hashtext(did::text) & 1023) / 1024;
CREATE OR REPLACE FUNCTION slot(did atid.did) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(get_byte(sha256(convert_to(did::text, 'UTF8')), 0), 0);
CREATE OR REPLACE FUNCTION origin(url text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
  lower(substring(url FROM '^(https?://(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?)(?:[/?#]|$)') COLLATE "C"),
  '^(https://.+):443$|^(http://.+):80$', '\1\2');
CREATE OR REPLACE FUNCTION clipped(what text, most int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(t) <= most THEN t ELSE left(t, most / 4) END
        FROM regexp_replace(left(what, most), '[[:cntrl:]]', '?', 'g') AS t);
CREATE OR REPLACE FUNCTION of_server(state text) RETURNS bool LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(state, 2) IN ('08', '25', '3D', '40', '53', '55', '57', '58') OR state IN ('XX001', 'XX002');
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
  room int := 5000;
  done int;
BEGIN
  PERFORM one_of_many();
  done := heed(50 * most);
  SELECT * INTO w FROM wants;
  WITH gone AS (
    DELETE FROM unsettled WHERE ctid = ANY (ARRAY(SELECT u.ctid FROM unsettled AS u LIMIT most)) RETURNING did
  )
  SELECT array_agg(did) INTO dids FROM gone;
  dids := dids || ARRAY(
    SELECT did FROM account
    WHERE wants < CASE WHEN EXISTS (SELECT 1 FROM account WHERE wants < 0 AND state <> 'loading')
                            OR (SELECT count(*) FROM (SELECT 1 FROM account WHERE state = 'desynchronized' AND load_at <= moment LIMIT 1000) AS d)
                               >= 1000 THEN 0 ELSE w.n END
      AND state <> 'loading'
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
      UPDATE account SET wants = w.n, problem = CASE WHEN a.wants < 0 THEN 'not written' ELSE problem END,
                         detail = CASE WHEN a.wants < 0 THEN clipped(SQLERRM, 800) ELSE detail END WHERE did = one;
    END;
  END LOOP;
  INSERT INTO unsettled (did) SELECT u FROM unnest(again) AS u;
  RETURN done + coalesce(cardinality(dids), 0) - cardinality(again);
END $$;
CREATE OR REPLACE FUNCTION next_list(OUT of text, OUT at text, OUT asked timestamptz) LANGUAGE plpgsql AS $$
BEGIN
  SELECT CASE WHEN w.refused THEN '*' || w.value ELSE w.value END, w.listed, now() INTO of, at, asked
  FROM want AS w WHERE w.listed IS NOT NULL AND (w.what = 'signal' OR w.value = '*') AND w.what <> 'collection'
  ORDER BY random() LIMIT 1;
END $$;
CREATE OR REPLACE FUNCTION list(of text, at text, repos jsonb, next text, asked timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  start timestamptz;
  signal CONSTANT text := nullif(ltrim(of, '*'), '');
BEGIN
  PERFORM one_of_many();
  next := CASE WHEN next NOT IN ('', at) THEN next END;
  UPDATE want SET listed = next, began = CASE WHEN at = '' THEN asked ELSE began END,
                  seek = CASE WHEN next IS NULL AND signal IS NULL THEN 'did:a:a'::atid.did END
  WHERE what = CASE WHEN signal IS NULL THEN 'account' ELSE 'signal' END AND value = coalesce(signal, '*')
    AND listed = at AND refused = (signal IS NOT NULL AND of LIKE '*%')
  RETURNING began INTO start;
  IF NOT FOUND THEN RETURN; END IF;
  IF signal IS NULL THEN
    PERFORM tell_page(repos, start, asked);
  ELSIF of LIKE '*%' THEN
    INSERT INTO candidate (did) SELECT l.did FROM listed(repos) AS l
    WHERE NOT EXISTS (SELECT 1 FROM want WHERE what = 'account' AND value = l.did::text)
      AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = l.did) ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO want (what, value, because) SELECT 'account', l.did::text, signal FROM listed(repos) AS l
    WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = l.did) ON CONFLICT DO NOTHING;
  END IF;
END $$;
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
  UPDATE want SET refused = true, listed = '' WHERE what = 'signal' AND value = of AND NOT refused;
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
  PERFORM writes();
  IF collections IS NULL THEN
    UPDATE candidate SET asked = 0, ask = later(now(), interval '1 hour') WHERE did = atid.did_or_null(account);
    RETURN;
  END IF;
  DELETE FROM candidate WHERE did = atid.did_or_null(account);
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
  SELECT * INTO x FROM stream WHERE look IS NOT NULL AND kind = 'repos' ORDER BY look LIMIT 1 FOR UPDATE;
  IF NOT FOUND THEN RETURN seek_unlisted(most); END IF;
  IF x.looked IS NULL THEN
    UPDATE want SET listed = '', refused = false WHERE what = 'signal' OR (what, value) = ('account', '*');
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
  UPDATE stream SET looked = dids[cardinality(dids)] WHERE name = x.name;
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
CREATE OR REPLACE FUNCTION tell(a account, is_active bool, why text, latest text, asked timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  newest CONSTANT atid.tid := CASE WHEN atid.tid_is_valid(latest)
                                   AND latest::atid.tid <= atid.tid_ceil(now() + most_ahead()) THEN latest END;
  since CONSTANT timestamptz := CASE WHEN asked IS NULL THEN now() END;
BEGIN
  IF a.state = 'barred' OR a.said >= asked OR NOT is_active AND why IN ('throttled', 'desynchronized') THEN
    NULL;
  ELSIF NOT is_active THEN
    PERFORM silence(a, 'inactive', why);
  ELSIF a.state = 'inactive' THEN
    PERFORM revive(a, now());
  ELSIF a.rev < newest AND a.state = 'synchronized' THEN
    PERFORM become(a, 'desynchronized', now());
  END IF;
  UPDATE account AS x
  SET listed = coalesce(asked, since), said = coalesce(since, x.said), heard = greatest(x.heard, newest), check_at = 'infinity'
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
      DELETE FROM notice AS x WHERE x.n = ANY (ARRAY(SELECT y.n FROM notice AS y ORDER BY y.n LIMIT most)) RETURNING *
    )
    SELECT did, bool_or(what = 'met') AS met, bool_or(what = 'identity') AS identity, bool_or(what = 'signature') AS signature,
           min(because) FILTER (WHERE what = 'signal' AND EXISTS (SELECT 1 FROM want AS w WHERE (w.what, w.value) = ('signal', because))) AS signal,
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
        SET ask = least(i.ask, greatest(CASE WHEN r.identity THEN r.at ELSE later(i.answered, pause(2, s.pause_first, s.pause_most)) END,
                                        CASE WHEN i.nudged > 2 THEN later(i.answered, pause(i.nudged, s.pause_first, s.pause_most)) END)),
            asked = 0, wanted = r.at, nudged = least(i.nudged + 1, 20)
        WHERE i.did = r.did AND (i.answered IS NOT NULL OR r.identity AND i.asked = 0);
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
CREATE OR REPLACE FUNCTION know(
  account atid.did, new_key text, keys text[], names jsonb, new_pds text, tombstone bool, asked timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  i identity;
  a account;
  home text[];
  moved bool;
  ended text;
  enough bool;
  new_host text;
  moment CONSTANT timestamptz := now();
  next timestamptz;
  late bytea[];
  name CONSTANT text := jsonb_path_query_first(names, '$[*] ? (@.type() == "string" && @ starts with "at://")') #>> '{}';
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
  new_pds := CASE WHEN octet_length(new_pds) <= 512 AND origin(new_pds) IS NOT NULL THEN rtrim(new_pds, '/') END;
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
  next := later(moment, s.identity_age * (0.9 + 0.2 * random()));
  UPDATE identity AS x
  SET key = new_key, pds = new_pds, host = new_host, answered = moment, detail = NULL,
      problem = CASE WHEN new_key IS NULL AND NOT tombstone THEN 'no key' END,
      handle = CASE WHEN octet_length(name) <= 258 THEN clipped(substr(name, 6), 1012) END,
      asked = CASE WHEN enough THEN 0 ELSE x.asked END,
      nudged = CASE WHEN x.wanted IS NULL OR x.wanted < later(moment, -s.identity_age) THEN 0 ELSE x.nudged END,
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
    PERFORM revive(a, moment);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION identify(account text, log jsonb, asked timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  i identity;
  h record;
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
  PERFORM know(i.did, h.data #>> '{verificationMethods,atproto}',
    ARRAY(SELECT k.key FROM atid.plc_log_keys(log) AS k WHERE k.id = 'atproto'
          GROUP BY k.key ORDER BY max(k.valid_from) DESC LIMIT 8), h.data->'alsoKnownAs',
    h.data #>> '{services,atproto_pds,endpoint}', h.data IS NULL, asked);
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
  method jsonb;
  key text;
  why text;
BEGIN
  IF jsonb_typeof(document) IS DISTINCT FROM 'object' OR document->>'id' IS DISTINCT FROM account OR me IS NULL THEN
    why := 'The document must be that of the account.';
  ELSE
    SELECT m INTO method FROM jsonb_path_query(document, 'strict $.verificationMethod[*]', silent => true) AS m
    WHERE m->>'id' IN ('#atproto', account || '#atproto') AND m->>'controller' = account LIMIT 1;
    BEGIN
      key := atid.did_key_from_multibase(method->>'type', method->>'publicKeyMultibase');
    EXCEPTION WHEN data_exception OR feature_not_supported THEN
      GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
    END;
  END IF;
  IF why IS NOT NULL THEN
    PERFORM not_identified(account, 'invalid', why);
    RETURN why;
  END IF;
  PERFORM know(me, key, ARRAY[key], document->'alsoKnownAs',
    (SELECT p->>'serviceEndpoint' FROM jsonb_path_query(document, 'strict $.service[*]', silent => true) AS p
     WHERE p->>'id' IN ('#atproto_pds', account || '#atproto_pds') LIMIT 1), false, asked);
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
    shape bool
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE known (did atid.did PRIMARY KEY, key text, moved bool, here bool) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE batch (
    n         int,
    frame     bytea,
    t         text,
    met       bool,
    here      bool,
    moved     bool,
    error     text,
    seq       bigint,
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
    UPDATE stream AS x SET look = now(), looked = NULL WHERE x.name = start.stream AND (is_new OR at = 0);
    FOR a IN SELECT * FROM account WHERE state = 'loading' ORDER BY did LOOP
      PERFORM FROM account AS x WHERE x.did = a.did AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
      PERFORM unload(a.did, a.claim, 'ended', NULL);
    END LOOP;
  END IF;
  RETURN at;
END $$;
CREATE OR REPLACE FUNCTION would_bar(stream text, pds text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT l.name
          FROM (SELECT x.name, x.pds FROM stream AS x WHERE x.kind = 'repos' ORDER BY x.started DESC LIMIT 1) AS l
          WHERE (l.name <> would_bar.stream OR l.pds IS NULL OR NOT l.pds <@ would_bar.pds) AND cardinality(would_bar.pds) > 0
            AND EXISTS (SELECT 1 FROM account AS a JOIN identity AS i USING (did)
                        WHERE a.state <> 'barred' AND i.answered IS NOT NULL AND coalesce(i.host, '') <> ALL (would_bar.pds)));
END $$;
CREATE OR REPLACE FUNCTION connected(stream text, cursor bigint, first bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stream AS x SET look = now(), looked = NULL
  WHERE x.name = connected.stream AND x.kind = 'repos'
    AND (cursor = 0 OR first > cursor + 1
         AND (SELECT max(later(t.heard, -greatest(t.lag, '0'))) FROM taker AS t WHERE t.stream = connected.stream)
             < now() - (SELECT missed_after FROM settings));
END $$;
CREATE OR REPLACE FUNCTION too_large(stream text, digest bytea, bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bad (digest, stream, reason, early)
  VALUES (digest, too_large.stream, format('The frame must not be longer than 5 MB; it has %s bytes.', bytes), false)
  ON CONFLICT DO NOTHING;
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
  all_slots CONSTANT bool := from_slot = 0 AND to_slot = 255;
  one_cursor CONSTANT bigint := CASE WHEN all_slots AND cardinality(cursors) = 1 THEN cursors[1] END;
BEGIN
  WITH late AS (
    DELETE FROM waiting AS w WHERE w.stream = judge.stream AND w.did = ANY (waited) RETURNING w.seq, w.frame
  )
  INSERT INTO said (n, frame, op, t, error, seq, at, did, shape)
  SELECT p.n, p.late, (p.h).op, (p.h).t, (p.h).error,
         CASE WHEN atid.dag_cbor_typeof((p.h).body, '{seq}') = 'number'
           THEN atid.dag_cbor_get_text((p.h).body, '{seq}')::bigint END,
         atid.datetime_or_null(atid.dag_cbor_get_text((p.h).body, '{time}')),
         atid.did_or_null(atid.dag_cbor_get_text((p.h).body, CASE (p.h).t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[])),
         CASE (p.h).t WHEN '#labels' THEN atid.dag_cbor_typeof((p.h).body, '{labels}') IS NOT DISTINCT FROM 'array'
                      WHEN '#account' THEN atid.dag_cbor_typeof((p.h).body, '{active}') IS NOT DISTINCT FROM 'boolean' END
  FROM (SELECT x.n, x.late, atid.frame_parts(coalesce(x.late, frames[x.n])) AS h
        FROM (SELECT -row_number() OVER (ORDER BY l.seq DESC)::int, l.frame FROM late AS l WHERE l.frame IS NOT NULL
              UNION ALL
              SELECT u.n, NULL FROM generate_series(1, cardinality(frames)) AS u (n)) AS x (n, late)
        OFFSET 0) AS p;
  INSERT INTO known (did, key, moved, here)
  SELECT i.did, i.key, NOT of_labels AND i.answered IS NOT NULL AND (coalesce(i.host, '') <> ALL (home)) IS TRUE, a.did IS NOT NULL
  FROM identity AS i LEFT JOIN account AS a ON a.did = i.did
  WHERE i.did = ANY (ARRAY(SELECT DISTINCT s.did FROM said AS s));
  WITH placed AS (
    SELECT s.*, coalesce(one_cursor, t.cursor) AS last, one_cursor IS NOT NULL OR t.cursor IS NOT NULL AS ours,
           coalesce(s.frame, frames[s.n]) AS whole
    FROM said AS s LEFT JOIN LATERAL (
      SELECT t.cursor FROM taker AS t
      WHERE one_cursor IS NULL AND t.stream = judge.stream AND t.lo >= from_slot AND t.hi <= to_slot
        AND coalesce(slot(s.did), 0) BETWEEN t.lo AND t.hi) AS t ON true
    OFFSET 0
  ), concerned AS (
    SELECT p.*, k.key, k.did IS NOT NULL AS met, coalesce(k.here, false) AS here, coalesce(k.moved, false) AS moved,
           CASE WHEN p.op IS DISTINCT FROM 1 THEN NULL
                WHEN p.t = '#info' OR p.t = '#labels' AND of_labels THEN p.t
                WHEN p.t IN ('#commit', '#sync', '#account', '#identity') AND NOT of_labels AND k.moved IS NOT TRUE
                     AND (all_wanted OR k.here) THEN p.t END AS kind
    FROM placed AS p LEFT JOIN known AS k ON k.did = p.did
    WHERE p.n < 0 OR p.seq IS NULL OR p.last IS NULL OR p.seq > p.last
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
  INSERT INTO batch (n, frame, t, met, here, moved, error, seq, at, did, reason, signed, rev, since, prev_data, data)
  SELECT j.n, j.frame, j.kind, j.met, j.here, j.moved, j.error, j.seq, j.at, j.did,
         CASE WHEN j.problem IS NOT NULL THEN j.problem
              WHEN NOT j.ours THEN 'The frame must be one of an account of this taker.'
              WHEN j.kind = '#labels' AND NOT j.shape THEN '"labels" must be an array.'
              WHEN j.kind = '#account' AND NOT j.shape THEN '"active" must be true or false.'
              WHEN j.kind = '#commit' AND octet_length(j.whole) > 10000
                   AND (SELECT sum(octet_length(o.block)) FROM atid.commit_event_ops(j.whole) AS o)
                       > 4.0 * octet_length(j.whole)
              THEN 'The records must not be more than four times the frame.'
              WHEN j.seq > 9007199254740991 THEN 'The number must not be above 9007199254740991.'
              WHEN j.seq > j.last + far AND j.last > 0 AND j.signed IS NOT TRUE
              THEN 'The number of a frame without a signature must not be far ahead of the one before.'
              WHEN j.about AND j.did IS NULL THEN 'The account must be a DID.'
              WHEN j.about AND octet_length(j.did::text) > 512 THEN 'The DID must not be longer than 512 bytes.'
              WHEN j.about AND (j.seq > 0) IS NOT TRUE THEN 'The number must be positive.'
              WHEN NOT j.signed THEN unsigned() END,
         j.signed, coalesce((j.e).rev, (j.y).rev), (j.e).since, (j.e).prev_data, (j.r).data
  FROM rooted AS j;
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
  known atid.did[];
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
    SELECT jsonb_agg(l ORDER BY b.n) INTO labels
    FROM batch AS b
         CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#labels' AND b.reason IS NULL THEN coalesce(b.frame, frames[b.n]) END) AS h
         CROSS JOIN jsonb_array_elements(atid.dag_cbor_to_record(h.body)->'labels') AS l
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
  FOR r IN SELECT b.did, h.body
           FROM batch AS b
                CROSS JOIN atid.frame_parts(CASE WHEN b.t = '#account' AND b.reason IS NULL THEN coalesce(b.frame, frames[b.n]) END) AS h
           WHERE b.t = '#account' AND b.reason IS NULL AND (b.did <> ALL (loading) OR b.did = ANY (closing)) ORDER BY b.n
  LOOP
    SELECT * INTO a FROM account AS x WHERE x.did = r.did FOR UPDATE;
    IF FOUND THEN
      PERFORM tell(a, atid.dag_cbor_get_text(r.body, '{active}')::bool, atid.dag_cbor_get_text(r.body, '{status}'), NULL, NULL);
    END IF;
  END LOOP;
END $$;
CREATE OR REPLACE FUNCTION await(stream text, frames bytea[], loading atid.did[], closing atid.did[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  room bool;
BEGIN
  SELECT * INTO s FROM settings;
  PERFORM writes();
  room := pg_total_relation_size('waiting') < s.most_waiting_all;
  IF NOT room THEN
    DELETE FROM waiting AS w WHERE w.did = ANY (loading) AND w.frame IS NULL;
  END IF;
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
CREATE OR REPLACE FUNCTION take_batch(
  stream text, from_slot int, to_slot int, frames bytea[], waited atid.did[], seen bigint,
  OUT taken int, OUT applied int, OUT refused int, OUT lag float8, OUT error text, OUT problem text
) LANGUAGE plpgsql AS $$
DECLARE
  c record;
  behind interval;
  most bigint;
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
  SELECT count(*) FILTER (WHERE b.n > 0) AS taken, max(b.seq) FILTER (WHERE b.reason IS NULL AND b.n > 0) AS last,
         count(*) FILTER (WHERE b.reason <> unsigned() AND b.n > 0) AS refused, max(b.error) AS error,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY b.at) FILTER (WHERE b.n > 0) AS at,
         count(*) FILTER (WHERE b.moved) AS moved, count(*) FILTER (WHERE b.signed IS NOT TRUE AND b.t IN ('#commit', '#sync')) AS unsigned
  INTO c FROM batch AS b;
  SELECT count(*) FILTER (WHERE f.fits) INTO applied FROM fit AS f;
  taken := c.taken;
  refused := c.refused;
  error := clipped(c.error, 256);
  behind := now() - c.at;
  lag := extract(epoch FROM behind);
  SELECT max(t.cursor) INTO most FROM taker AS t WHERE t.stream = take_batch.stream;
  UPDATE taker AS t
  SET cursor = greatest(t.cursor, c.last, CASE WHEN take_batch.seen IS NOT NULL THEN least(take_batch.seen, most) END),
      lag = coalesce(behind, t.lag),
      taken = CASE WHEN cardinality(take_batch.frames) > 0 OR take_batch.seen IS NOT NULL
                THEN clock_timestamp() ELSE t.taken END,
      heard = CASE WHEN cardinality(take_batch.frames) > 0 THEN now() ELSE t.heard END
  WHERE t.stream = take_batch.stream AND t.lo >= from_slot AND t.hi <= to_slot;
  IF cardinality(frames) > 0 THEN
    UPDATE stream AS x SET error = take_batch.error WHERE x.name = take_batch.stream AND x.error IS DISTINCT FROM take_batch.error;
  END IF;
  PERFORM count_taken(take_batch.stream, from_slot, cardinality(frames), taken, applied, refused, c.moved::int, c.unsigned::int, 0);
EXCEPTION WHEN OTHERS THEN
  IF of_server(SQLSTATE) THEN RAISE; END IF;
  problem := clipped(SQLERRM, 800);
END $$;
CREATE OR REPLACE FUNCTION count_taken(
  stream text, slot int, came int, taken int, applied int, refused int, moved int, unsigned int, unwritten int
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
      unwritten_rate = x.unwritten_rate + (unwritten / seconds - x.unwritten_rate) * part
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
BEGIN
  those := ARRAY(SELECT DISTINCT x.did::text FROM waiting AS x
                 WHERE x.stream = take.stream AND x.slot BETWEEN from_slot AND to_slot);
  IF those <> '{}' THEN
    here := ARRAY(SELECT a.did::text FROM account AS a WHERE a.did = ANY (those::atid.did[]));
    DELETE FROM waiting AS x
    WHERE x.stream = take.stream AND x.did = ANY (those::atid.did[]) AND x.did::text <> ALL (here);
    SELECT coalesce(array_agg(a.did), '{}') INTO waited FROM account AS a WHERE a.did = ANY (here::atid.did[]) AND a.state <> 'loading';
    PERFORM reload_missed(take.stream, waited);
  END IF;
  SELECT * INTO taken, applied, refused, lag, error FROM take_parts(take.stream, from_slot, to_slot, frames, waited, seen);
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
    SELECT sha256(frames[1]), take_parts.stream, one, why, false, frames[1]
    FROM atid.frame_parts(frames[1]) AS h
    WHERE pg_total_relation_size('bad') < (SELECT most_bad FROM settings)
      AND NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = atid.did_or_null(
                        atid.dag_cbor_get_text(h.body, CASE h.t WHEN '#commit' THEN '{repo}' ELSE '{did}' END::text[])))
    ON CONFLICT DO NOTHING;
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
CREATE OR REPLACE FUNCTION claim(most int, known bool, after_at timestamptz, after_did text, busy text[])
RETURNS TABLE (did text, claim int, host text, at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  c record;
  dids atid.did[] := '{}';
  moment CONSTANT timestamptz := now();
  seen int := 0;
BEGIN
  FOR c IN
    SELECT a.did, a.load_at, i.host, i.host = ANY (busy) OR h.until IS NOT NULL AS later
    FROM (SELECT x.did, x.load_at FROM account AS x
          WHERE x.state = 'desynchronized' AND x.loaded = known AND x.load_at <= moment
            AND (x.load_at, x.did) > (coalesce(after_at, '-infinity'), coalesce(after_did, 'did:a:a')::atid.did)
          ORDER BY x.load_at, x.did LIMIT 1000) AS a
         JOIN identity AS i ON i.did = a.did
         LEFT JOIN host AS h ON h.name = i.host AND h.until > moment AND h.failures > 2
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
  SET rev = c.rev, data = c.data, heard = NULL, wants = w, failures = 0, older = 0, problem = NULL, detail = NULL
  WHERE x.did = a.did;
  PERFORM become(a, 'synchronized');
  INSERT INTO tally (what, n) VALUES ('loads', 1);
  DELETE FROM host AS h WHERE h.name = i.host;
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
CREATE OR REPLACE FUNCTION fail(account text, attempt int, why text, more text, of_host bool) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  s settings;
  me CONSTANT atid.did := atid.did_or_null(account);
  origin CONSTANT text := (SELECT i.host FROM identity AS i WHERE i.did = me);
BEGIN
  SELECT * INTO s FROM settings;
  IF NOT EXISTS (SELECT 1 FROM account AS x WHERE x.did = me AND x.state = 'loading' AND x.claim = attempt) THEN RETURN; END IF;
  PERFORM unload(me, attempt, why, more);
  IF why LIKE 'Repo%' THEN
    UPDATE account AS x SET check_at = least(x.check_at, now()) WHERE x.did = me;
  END IF;
  IF of_host AND origin IS NOT NULL
     AND (EXISTS (SELECT 1 FROM host AS h WHERE h.name = origin)
          OR (SELECT count(*) FROM (SELECT 1 FROM host LIMIT s.most_hosts) AS h) < s.most_hosts) THEN
    INSERT INTO host AS h (name, failures, until, problem)
    VALUES (origin, 1, later(now(), pause(0, s.pause_first, s.pause_most)), clipped(why, 256))
    ON CONFLICT (name) DO UPDATE
    SET failures = least(h.failures + 1, 1000000), problem = excluded.problem,
        until = later(now(), pause(h.failures, s.pause_first, s.pause_most));
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
  UPDATE reader AS r SET tx = read_to.tx, n = read_to.n WHERE r.name = read_to.reader;
  DELETE FROM change AS c WHERE (c.tx, c.n) <= (SELECT r.tx, r.n FROM reader AS r ORDER BY r.tx, r.n LIMIT 1);
END $$;
CREATE OR REPLACE VIEW counted AS
SELECT s.what, coalesce(t.n, 0)::bigint AS n
FROM unnest('{unidentified,desynchronized,loading,synchronized,inactive,barred,loads}'::text[]) WITH ORDINALITY AS s (what, place)
     LEFT JOIN (SELECT what, sum(n) AS n FROM tally GROUP BY what) AS t ON t.what = s.what
ORDER BY s.place;
CREATE OR REPLACE VIEW status_accounts AS
SELECT what AS state, n FROM counted WHERE what <> 'loads';
CREATE OR REPLACE VIEW status_stream AS
SELECT x.*, CASE
    WHEN error IS NOT NULL THEN 'the server says ' || error
         || CASE error WHEN 'FutureCursor' THEN ': if its numbers have begun anew, stop the program and set indexer.taker.cursor to 0' ELSE '' END
    WHEN idle > interval '2 minutes' OR idle IS NULL THEN 'the stream was not heard for two minutes: is the program running, and does the server answer?'
    WHEN frame_rate >= 0.05 AND moved_rate > 0.9 * frame_rate
         OR s.pds IS NOT NULL AND NOT known
            AND (SELECT coalesce(bool_or(t.n > 0) FILTER (WHERE t.state = 'barred'), false)
                        AND coalesce(bool_and(t.n = 0) FILTER (WHERE t.state NOT IN ('barred', 'unidentified')), true)
                 FROM status_accounts AS t)
    THEN 'all accounts are on other servers: is SERVICE known by another name? See NAMES'
    WHEN frame_rate < 0.05 THEN NULL
    WHEN old_rate > 0.9 * frame_rate THEN 'all frames have numbers that were taken before: has the server begun again with smaller ones?'
    WHEN unsigned_rate > 0.9 * frame_rate AND x.kind = 'repos' AND known
    THEN 'no frame is signed by the key of its account: is DIRECTORY the right one?'
    WHEN unwritten_rate > 0.5 * frame_rate THEN 'an index, a constraint or a trigger refuses what is to be written: see the table bad' END AS problem
FROM (SELECT s.name, s.kind, min(t.cursor) AS cursor, sum(t.frames)::bigint AS frames, sum(t.commits)::bigint AS commits,
             sum(t.refused)::bigint AS refused, max(t.lag) AS lag, clock_timestamp() - min(t.taken) AS idle,
             clock_timestamp() - max(t.heard) AS silent, sum(t.frame_rate) AS frame_rate,
             sum(t.commit_rate) AS commit_rate,
             sum(t.old_rate) AS old_rate, sum(t.moved_rate) AS moved_rate, sum(t.unsigned_rate) AS unsigned_rate,
             sum(t.unwritten_rate) AS unwritten_rate, count(*) AS takers, s.look IS NOT NULL AS gap,
             EXISTS (SELECT 1 FROM tally WHERE what = 'loads') AS known
      FROM stream AS s JOIN taker AS t ON t.stream = s.name GROUP BY s.name) AS x
     JOIN stream AS s USING (name);
CREATE OR REPLACE FUNCTION health(stream text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  x status_stream;
BEGIN
  SELECT * INTO x FROM status_stream AS s WHERE s.name = health.stream;
  RETURN CASE WHEN NOT FOUND THEN 'the stream was never started' ELSE x.problem END;
END $$;
CREATE OR REPLACE FUNCTION due_loads(known bool) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM (SELECT 1 FROM account AS a WHERE a.state = 'desynchronized' AND a.loaded = known
                                AND a.load_at <= now() ORDER BY a.load_at DESC LIMIT 5000) AS q);
END $$;
CREATE OR REPLACE FUNCTION due_identities(kind text, of_web bool) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM (SELECT 1 FROM identity AS i
                                WHERE CASE WHEN i.answered IS NOT NULL THEN 'known' WHEN i.asked = 0 THEN 'new' ELSE 'again' END = kind
                                AND i.web = of_web AND i.ask < 'infinity' AND i.ask <= now() ORDER BY i.ask DESC LIMIT 5000) AS q);
END $$;
CREATE OR REPLACE VIEW watch AS
WITH c AS MATERIALIZED (SELECT what, n FROM counted)
SELECT 'stream_' || v.what AS what, s.name AS of, v.value
FROM status_stream AS s CROSS JOIN LATERAL (VALUES
  ('cursor', s.cursor::float8), ('frames', s.frames), ('commits', s.commits), ('refused', s.refused),
  ('frames_per_second', s.frame_rate), ('commits_per_second', s.commit_rate), ('unsigned_per_second', s.unsigned_rate),
  ('moved_per_second', s.moved_rate), ('lag_seconds', extract(epoch FROM s.lag)), ('idle_seconds', extract(epoch FROM s.idle)),
  ('healthy', (s.problem IS NULL)::int))
  AS v (what, value)
UNION ALL
SELECT 'accounts', what, n FROM c WHERE what <> 'loads'
UNION ALL
SELECT 'loads', 'all', n FROM c WHERE what = 'loads'
UNION ALL
SELECT 'hosts_failing', 'all', count(*) FROM host WHERE failures > 2 AND until > now()
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
    WHEN t.why = 'no room' THEN 'give the server more disk or memory: it is tried again'
    WHEN t.why = 'unsigned' THEN 'nothing: it ends when the account writes, or when its log has the key'
    WHEN t.why = 'too large' THEN 'set LARGEST higher, and MEMORY with it'
    WHEN t.why = 'not implemented' AND t.state = 'unidentified' THEN 'nothing: its method is neither plc nor web'
    WHEN t.why = 'no key' THEN 'nothing: its document names no key'
    WHEN t.why = 'private address' THEN 'set PRIVATE if this is a test network'
    ELSE 'nothing: it is tried again' END AS remedy
FROM (
  SELECT a.did, i.handle, i.host, a.state, CASE WHEN h.failures > 2 THEN h.problem ELSE a.problem END AS why,
         CASE WHEN h.failures > 2 THEN 'its host has failed ' || h.failures || ' times' ELSE a.detail END AS detail,
         greatest(a.load_at, h.until) AS next
  FROM account AS a JOIN identity AS i ON i.did = a.did LEFT JOIN host AS h ON h.name = i.host
  WHERE a.state = 'desynchronized' AND a.failures > 0
  UNION ALL
  SELECT a.did, i.handle, i.host, a.state, a.problem, a.detail, a.load_at
  FROM account AS a LEFT JOIN identity AS i ON i.did = a.did
  WHERE a.problem IS NOT NULL AND a.state IN ('inactive', 'barred')
  UNION ALL
  SELECT a.did, i.handle, i.host, a.state, i.problem, i.detail, i.ask
  FROM identity AS i JOIN account AS a ON a.did = i.did
  WHERE i.problem IS NOT NULL AND i.key IS NULL AND a.state = 'unidentified') AS t;
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
    WHEN a.state = 'synchronized' THEN 'it is here, up to the last commit that the stream had'
    WHEN a.state = 'loading' THEN 'its repository is being loaded'
    WHEN a.state = 'inactive' THEN 'the server says that it is not active: ' || a.status || coalesce('; ' || t.why || ', ' || t.detail, '')
    WHEN a.state = 'barred' AND a.status = 'moved' THEN 'it has moved to another server than the one whose stream is followed'
    WHEN a.state = 'barred' THEN 'its identity has ended: ' || a.status
    WHEN a.state = 'unidentified' THEN 'its key is not known: ' || coalesce(t.why || coalesce(', ' || t.detail, ''), 'it is being asked for')
    ELSE 'it waits to be loaded' || coalesce(': ' || t.why || coalesce(', ' || t.detail, ''), '') END
  FROM (SELECT 1) AS one LEFT JOIN exclusion AS x ON x.did = me;
  SELECT w.because INTO because FROM want AS w WHERE w.what = 'account' AND w.value = account;
  RETURN QUERY
  SELECT v.what, v.value
  FROM (VALUES ('state', a.state), ('next attempt', CASE WHEN t.next < 'infinity' THEN t.next::text END), ('what to do', t.remedy),
    ('failures', nullif(a.failures, 0)::text), ('gaps today', CASE WHEN a.gap_at > now() - interval '1 day' THEN a.gaps::text END),
    ('revision', a.rev::text), ('time of it', atid.tid_timestamp(a.rev)::text), ('announced', a.heard::text),
    ('handle', i.handle), ('server', i.pds), ('key', i.key), ('identity answered', i.answered::text), ('identity asked again', i.ask::text),
    ('its server fails until', CASE WHEN h.until > now() THEN h.until::text || ', ' || h.problem END), ('wanted because of', because),
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
                                        OR l.label->>'uri' LIKE 'at://' || account || '/%';
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
  UPDATE account AS x SET failures = 0, older = 0, gaps = 0, problem = NULL, detail = NULL WHERE x.did = me;
  IF a.state IN ('synchronized', 'desynchronized') THEN
    PERFORM become(a, 'desynchronized', now());
  ELSIF a.state = 'inactive' THEN
    UPDATE account AS x SET check_at = now() WHERE x.did = me;
  END IF;
  DELETE FROM host AS h WHERE h.name = (SELECT i.host FROM identity AS i WHERE i.did = me);
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
  DELETE FROM host WHERE until < later(now(), -interval '1 day');
  IF pg_total_relation_size('labels_refused') > s.most_labels_refused
     AND (SELECT sum(pg_column_size(l.label) + 32) FROM labels_refused AS l) > s.most_labels_refused / 2 THEN
    DELETE FROM labels_refused
    WHERE received <= (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY received) FROM labels_refused);
  END IF;
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
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT * FROM view_search_functions(old) LOOP
    EXECUTE format('DROP FUNCTION %s', f);
  END LOOP;
  EXECUTE format('DROP VIEW %s', view_full_name(old));
END
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
  PERFORM comment_view(v.view) FROM view_type AS v JOIN pg_class ON oid = v.view AND relnamespace = target WHERE v.nsid IS NOT NULL;
  PERFORM make_search(i.view, i.config::regconfig, VARIADIC i.columns) FROM view_index AS i JOIN pg_class ON oid = i.view AND relnamespace = target WHERE i.search;
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
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
CREATE OR REPLACE FUNCTION view_field(path text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(ltrim(string_agg(CASE WHEN k ~ '^[A-Za-z_$][A-Za-z0-9_$]*$' THEN '.' || k ELSE format('[%s]', to_jsonb(k)) END, '' ORDER BY n), '.'),
                        '(.)\.uri$', '\1')
  FROM unnest(path) WITH ORDINALITY AS u (k, n)
$$;
DO $$
DECLARE
  f record;
  plans text;
  citus CONSTANT bool := EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus');
BEGIN
  FOR f IN SELECT p.oid::regprocedure AS name, p.proname FROM pg_proc AS p
           WHERE p.pronamespace = 'indexer'::regnamespace AND p.prorettype <> 'trigger'::regtype
             AND (p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql') OR p.proname LIKE 'label%')
  LOOP
    plans := CASE f.proname
      WHEN 'load' THEN 'SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = ''64MB'''
      ELSE 'SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off'
           || CASE WHEN NOT citus AND f.proname IN ('take', 'take_parts', 'take_batch', 'judge', 'announce', 'apply', 'await', 'write',
                                        'claim', 'ask', 'due_loads', 'due_identities', 'troubles')
                   THEN ' SET plan_cache_mode = force_generic_plan' ELSE '' END END;
    EXECUTE format('ALTER FUNCTION %s SET search_path = indexer, pg_temp %s', f.name, plans);
  END LOOP;
END $$;
ALTER FUNCTION want_changed() SET search_path = indexer, pg_temp;
ALTER FUNCTION lexicons_changed() SET search_path = indexer, pg_temp;
INSERT INTO program (version, digest) VALUES ('1.3.1', 'x');
RESET search_path;
