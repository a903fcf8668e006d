-- The measurements of bench/blocks. The variable rows is the number of records.
--
-- The records are generated here. Shares, lengths and spellings of times match those of the
-- network: 55 in a hundred are likes, 20 follows, 12 posts, 7 reposts, 3 blocks, 1 a listitem, and
-- 2 are of other services, of which one has a Lexicon that the dictionary does not have. A tenth of
-- the times have no milliseconds. A subject may be one of few.

CREATE EXTENSION atid;
CREATE SCHEMA bench;
SET search_path = bench, public;
SELECT setseed(0.5);

CREATE FUNCTION number(below int) RETURNS int LANGUAGE sql VOLATILE RETURN floor(random() * below)::int;
CREATE FUNCTION did() RETURNS text LANGUAGE sql VOLATILE
  RETURN 'did:plc:' || substr(atid.cid_make('raw', sha256(number(1000000)::text::bytea))::text, 20, 24);
CREATE FUNCTION tid() RETURNS text LANGUAGE sql VOLATILE
  RETURN atid.tid_make('2023-05-01Z'::timestamptz + random() * interval '1000 days', number(1024))::text;
CREATE FUNCTION made() RETURNS text LANGUAGE sql VOLATILE
  RETURN to_char('2023-05-01'::timestamp + random() * interval '1000 days', 'YYYY-MM-DD"T"HH24:MI:SS' ||
    (ARRAY['.US"Z"', '"Z"', '.US"+00:00"', '.MS"+02:00"', '"+00:00"'])[CASE WHEN random() < 0.1 THEN 1 + number(5) END]);
CREATE FUNCTION created() RETURNS text LANGUAGE sql VOLATILE
  RETURN coalesce(made(), to_char('2023-05-01'::timestamp + random() * interval '1000 days', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
CREATE FUNCTION cid_text(codec text) RETURNS text LANGUAGE sql VOLATILE RETURN atid.cid_make(codec, sha256(random()::text::bytea))::text;
CREATE FUNCTION strong() RETURNS jsonb LANGUAGE sql VOLATILE
  RETURN jsonb_build_object('uri', 'at://' || did() || '/app.bsky.feed.post/' || tid(), 'cid', cid_text('dag-cbor'));
CREATE FUNCTION words(n int) RETURNS text LANGUAGE sql VOLATILE
  RETURN (SELECT string_agg(substr(md5(random()::text || i), 1, 1 + number(8)), ' ') FROM generate_series(1, n) AS i);
CREATE FUNCTION embed(kind int) RETURNS jsonb LANGUAGE sql VOLATILE
RETURN CASE
  WHEN kind < 20 THEN jsonb_build_object('$type', 'app.bsky.embed.images', 'images', jsonb_build_array(jsonb_build_object('alt', words(4),
    'aspectRatio', '{"width": 2000, "height": 1500}'::jsonb, 'image', jsonb_build_object('$type', 'blob', 'mimeType', 'image/jpeg',
      'size', 100000 + number(900000), 'ref', jsonb_build_object('$link', cid_text('raw'))))))
  WHEN kind < 35 THEN jsonb_build_object('$type', 'app.bsky.embed.external', 'external', jsonb_build_object('title', words(6),
    'description', words(20), 'uri', 'https://www.example.com/' || words(1)))
  WHEN kind < 45 THEN jsonb_build_object('$type', 'app.bsky.embed.record', 'record', strong()) END;

CREATE FUNCTION record(kind int) RETURNS jsonb LANGUAGE sql VOLATILE
RETURN jsonb_strip_nulls(jsonb_build_object('createdAt', created()) || CASE
  WHEN kind < 55 THEN jsonb_build_object('$type', 'app.bsky.feed.like', 'subject', strong(), 'via', CASE WHEN number(100) < 6 THEN strong() END)
  WHEN kind < 75 THEN jsonb_build_object('$type', 'app.bsky.graph.follow', 'subject', did())
  WHEN kind < 87 THEN jsonb_build_object('$type', 'app.bsky.feed.post', 'text', words(5 + number(30)), 'langs', '["en"]'::jsonb,
    'reply', CASE WHEN number(10) < 5 THEN jsonb_build_object('root', strong(), 'parent', strong()) END, 'embed', embed(number(100)))
  WHEN kind < 94 THEN jsonb_build_object('$type', 'app.bsky.feed.repost', 'subject', strong())
  WHEN kind < 97 THEN jsonb_build_object('$type', 'app.bsky.graph.block', 'subject', did())
  WHEN kind < 98 THEN jsonb_build_object('$type', 'app.bsky.graph.listitem', 'subject', did(), 'list', 'at://' || did() || '/app.bsky.graph.list/' || tid())
  WHEN kind < 99 THEN jsonb_build_object('$type', 'com.whtwnd.blog.entry', 'title', words(5), 'content', words(40), 'visibility', 'public')
  ELSE jsonb_build_object('$type', 'com.example.thing', 'name', words(3), 'owner', did(), 'target', strong(), 'points', number(100)) END);

CREATE TABLE bytea (n int, block bytea NOT NULL);
CREATE TABLE jsonb (n int, record jsonb NOT NULL);
CREATE TABLE block (n int, block atid.block NOT NULL);
INSERT INTO jsonb SELECT n, record(number(100)) FROM generate_series(1, :rows) AS n;
INSERT INTO bytea SELECT n, atid.record_to_dag_cbor(record) FROM jsonb;
INSERT INTO block SELECT n, block FROM bytea;
VACUUM ANALYZE;

CREATE TABLE timing (name text, form text, round int, ms float8, wal float8);
CREATE TABLE subject (id int GENERATED ALWAYS AS IDENTITY, name text, form text, query text);
INSERT INTO subject (name, form, query)
SELECT name, form, format('SELECT count(%s) FROM bench.%I', expression, form)
FROM (VALUES
    ('the value',        'block',                                             'record'),
    ('createdAt',        'atid.dag_cbor_get_text(block, ''{createdAt}'')',    'record #>> ''{createdAt}'''),
    ('subject.uri',      'atid.dag_cbor_get_text(block, ''{subject,uri}'')',  'record #>> ''{subject,uri}'''),
    ('subject, at_uri',  'atid.dag_cbor_ref_uri(block, ''{subject}'')',       '(atid.record_ref_uris(record -> ''subject''))[1]'),
    ('subject, jsonb',   'atid.dag_cbor_get(block, ''{subject}'')',           'record -> ''subject'''),
    ('typeof',           'atid.dag_cbor_typeof(block, ''{embed}'')',          'jsonb_typeof(record -> ''embed'')'),
    ('get_block',        'atid.dag_cbor_get_block(block, ''{subject}'')',     NULL),
    ('is_valid',         'atid.dag_cbor_is_valid(block)',                     NULL),
    ('as a record',      'atid.dag_cbor_to_record(block)',                    'record')) AS v (name, block, record),
  LATERAL (VALUES ('bytea', block), ('block', block), ('jsonb', record)) AS f (form, expression)
WHERE expression IS NOT NULL;
INSERT INTO subject (name, form, query) VALUES
  ('sha256', 'bytea', 'SELECT count(sha256(block)) FROM bench.bytea'),
  ('to pack', 'bytea', 'SELECT count(block::atid.block) FROM bench.bytea'),
  ('to restore', 'block', 'SELECT count(block::bytea) FROM bench.block');

-- Each round runs them in another order; the first only warms up.
CREATE PROCEDURE calls(round int) LANGUAGE plpgsql AS $$
DECLARE
  s record;
  began timestamptz;
BEGIN
  FOR s IN SELECT * FROM bench.subject ORDER BY random() LOOP
    began := clock_timestamp();
    EXECUTE s.query;
    INSERT INTO bench.timing SELECT s.name, s.form, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
END $$;

CREATE TABLE into_bytea (LIKE bytea);
CREATE TABLE into_block (LIKE block);
CREATE TABLE into_jsonb (LIKE jsonb);
CREATE PROCEDURE insert(round int) LANGUAGE plpgsql AS $$
DECLARE
  s record;
  began timestamptz;
  lsn pg_lsn;
BEGIN
  FOR s IN SELECT form, CASE form WHEN 'jsonb' THEN 'jsonb' ELSE 'bytea' END AS source
           FROM unnest('{bytea,block,jsonb}'::text[]) AS form ORDER BY random() LOOP
    EXECUTE format('TRUNCATE bench.%I', 'into_' || s.form);
    COMMIT;
    lsn := pg_current_wal_insert_lsn();
    began := clock_timestamp();
    EXECUTE format('INSERT INTO bench.%I SELECT * FROM bench.%I', 'into_' || s.form, s.source);
    INSERT INTO bench.timing SELECT 'INSERT', s.form, round, extract(epoch FROM clock_timestamp() - began) * 1e3,
      pg_current_wal_insert_lsn() - lsn WHERE round > 0;
    COMMIT;
  END LOOP;
END $$;
