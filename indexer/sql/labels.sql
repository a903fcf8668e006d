-- The labels that are in force. doc/label.md has the rules.
--
--   label_keys_take(account, log)   the keys of a labeler, from its PLC log
--   labels_take(batch)              an array of labels: verified, the newest kept
--   labels_of(body)                 the labels of a frame, and how many of them jsonb cannot hold
--   labels_in_force                 the labels that count now
--   labeler, view_hidden(subjects)  which labels hide records in the views of views.sql
--
-- The file needs the extension atid_crypto, and can be used alone. The functions keep the
-- search_path with which they were created.

-- The keys of labelers, each valid until it was removed from the DID document.
CREATE TABLE IF NOT EXISTS label_keys (
  src      atid.did,
  key      text CHECK (atid.did_key_is_valid(key)),
  valid_to timestamptz NOT NULL DEFAULT 'infinity',
  PRIMARY KEY (src, key)
);

-- The newest label of each source, subject and value, including negations.
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

-- Fill this by hand: the labelers whose labels hide records, and the labels that do.
CREATE TABLE IF NOT EXISTS labeler (
  did   atid.did PRIMARY KEY,
  hides text[] NOT NULL DEFAULT '{!hide,!takedown,!suspend}'
);

-- An expression for views: does a label in force, of a labeler in the table labeler, hide one of
-- these subjects?
CREATE OR REPLACE FUNCTION view_hidden(subjects text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('EXISTS (SELECT 1 FROM labels_in_force AS l '
  'JOIN labeler AS b ON b.did = l.src AND l.val = ANY (b.hides) '
  'WHERE l.subject = ANY (ARRAY[%s]))', subjects);

-- Stores the keys of a labeler: those of its log, except of nullified operations, which somebody
-- else signed. A log that is not valid, or belongs to another account, leaves none.
CREATE OR REPLACE FUNCTION label_keys_take(account atid.did, log jsonb) RETURNS void LANGUAGE sql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  WITH found AS MATERIALIZED (
    SELECT k.key, max(coalesce(k.valid_to, 'infinity')) AS valid_to
    FROM atid.plc_log_keys(log) AS k
    WHERE k.did = account::text AND k.id = 'atproto_label' AND NOT k.nullified
      AND atid.did_key_is_valid(k.key)
    GROUP BY k.key
  ), gone AS (
    DELETE FROM label_keys AS l
    WHERE l.src = account AND NOT EXISTS (SELECT 1 FROM found AS f WHERE f.key = l.key)
  )
  INSERT INTO label_keys (src, key, valid_to) SELECT account, key, valid_to FROM found
  ON CONFLICT (src, key) DO UPDATE SET valid_to = excluded.valid_to;
$$;

-- The labels in the body of a frame, as an array. If jsonb cannot hold one of them, each is read
-- separately: at most 1,000, and only while the bytes before them, which are read again for each,
-- add up to at most 20 MB. lost: how many were left out; NULL: none.
CREATE OR REPLACE FUNCTION labels_of(body bytea, OUT labels jsonb, OUT lost text)
LANGUAGE plpgsql IMMUTABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

-- Verifies labels, and stores the newest of each source, subject and value. Labels that do not
-- verify are kept, because their key may come later, except those that are too long for a label.
CREATE OR REPLACE FUNCTION labels_take(batch jsonb) RETURNS void LANGUAGE sql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  WITH part AS MATERIALIZED (
    SELECT n, label, atid.did_or_null(label->>'src') AS src,
           atid.at_uri_from_subject_or_null(label->>'uri') AS subject,
           label->>'val' AS val, atid.datetime_or_null(label->>'cts') AS cts,
           coalesce(label->'neg' = 'true', false) AS neg,
           CASE WHEN label ? 'exp'
             THEN atid.datetime_or_null(label->>'exp') ELSE 'infinity' END AS exp
    FROM jsonb_array_elements(batch) WITH ORDINALITY AS a (label, n)
  ), judged AS MATERIALIZED (
    SELECT *, subject IS NOT NULL AND val IS NOT NULL AND exp IS NOT NULL
           AND octet_length(label->>'uri') <= 2000 AND octet_length(val) <= 128
           AND EXISTS (SELECT 1 FROM label_keys k
                       WHERE k.src = part.src AND k.valid_to > part.cts
                         AND atid.label_is_signed_by(part.label, part.src::text, k.key)) AS good
    FROM part
  ), refused AS (
    INSERT INTO labels_refused
    SELECT label FROM judged WHERE NOT good AND octet_length(label::text) <= 8000
  )
  INSERT INTO labels AS old
  SELECT DISTINCT ON (subject, src, val) subject, src, val, cts, neg, exp, label
  FROM judged WHERE good
  ORDER BY subject, src, val, cts DESC, neg DESC, n DESC
  ON CONFLICT (subject, src, val) DO UPDATE
  SET (cts, neg, exp, label) = (excluded.cts, excluded.neg, excluded.exp, excluded.label)
  WHERE (excluded.cts, excluded.neg) >= (old.cts, old.neg);
$$;
