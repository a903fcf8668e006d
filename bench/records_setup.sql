-- The measurements of bench/records.

CREATE EXTENSION atid;
CREATE SCHEMA bench;

-- The same posts in three forms, each alone in its table: a row is too short to be TOASTed, so all
-- forms are read in place.
CREATE UNLOGGED TABLE bench.j (j jsonb);
CREATE UNLOGGED TABLE bench.t (t text);
CREATE UNLOGGED TABLE bench.b (b bytea);

CREATE FUNCTION bench.cid(codec text) RETURNS text LANGUAGE sql VOLATILE
  RETURN atid.cid_make(codec, sha256(random()::text::bytea));

CREATE FUNCTION bench.pick(anyarray) RETURNS anyelement LANGUAGE sql VOLATILE
  AS 'SELECT $1[1 + floor(random() * cardinality($1))]';

CREATE FUNCTION bench.uri(collection text) RETURNS text LANGUAGE sql VOLATILE
  RETURN format('at://did:plc:%s/%s/%s', substr(bench.cid('raw'), 20, 24), collection,
                atid.tid_make('2024-01-01Z'::timestamptz + random() * interval '300 days', floor(random() * 1024)::int));

CREATE FUNCTION bench.ref() RETURNS jsonb LANGUAGE sql VOLATILE
  RETURN jsonb_build_object('uri', bench.uri('app.bsky.feed.post'), 'cid', bench.cid('dag-cbor'));

CREATE FUNCTION bench.words(n int) RETURNS text LANGUAGE sql VOLATILE
BEGIN ATOMIC
  SELECT string_agg(bench.pick('{the,a,of,and,to,in,is,that,for,it,was,on,with,as,this,morning,river,people,really,thinking,about,photo,new,
    weather,again,here,first,time,today,look,never,small,project,finally,works,I’m,don’t,née,naïve,日本語,こんにちは,今日は,☕,🎉,👩‍💻,🌊}'::text[]), ' ')
    FROM generate_series(1, n);
END;

CREATE FUNCTION bench.facet() RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  at CONSTANT int := floor(random() * 100);
BEGIN
  RETURN jsonb_build_object(
    'index', jsonb_build_object('byteStart', at, 'byteEnd', at + 8 + floor(random() * 20)::int),
    'features', jsonb_build_array(bench.pick(ARRAY[
      jsonb_build_object('$type', 'app.bsky.richtext.facet#link', 'uri', 'https://news.example.com/' || substr(md5(random()::text), 1, 20)),
      jsonb_build_object('$type', 'app.bsky.richtext.facet#mention', 'did', 'did:plc:' || substr(bench.cid('raw'), 20, 24)),
      jsonb_build_object('$type', 'app.bsky.richtext.facet#tag', 'tag', 'photography')])));
END $$;

CREATE FUNCTION bench.blob(mime_type text) RETURNS jsonb LANGUAGE sql VOLATILE
  RETURN jsonb_build_object('$type', 'blob', 'ref', jsonb_build_object('$link', bench.cid('raw')),
                            'mimeType', mime_type, 'size', floor(random() * 1000000)::int);

CREATE FUNCTION bench.embed() RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  CASE floor(random() * 3)
    WHEN 0 THEN
      RETURN jsonb_build_object('$type', 'app.bsky.embed.images', 'images',
        (SELECT jsonb_agg(jsonb_build_object('alt', bench.words(3), 'image', bench.blob('image/jpeg'),
                                             'aspectRatio', jsonb_build_object('width', 2000, 'height', 1500)))
           FROM generate_series(1, 1 + floor(random() * random() * 3)::int)));
    WHEN 1 THEN
      RETURN jsonb_build_object('$type', 'app.bsky.embed.external', 'external', jsonb_build_object(
        'uri', 'https://example.com/2024/' || md5(random()::text), 'title', bench.words(6), 'description', bench.words(12),
        'thumb', bench.blob('image/jpeg')));
    ELSE
      RETURN jsonb_build_object('$type', 'app.bsky.embed.record', 'record', bench.ref());
  END CASE;
END $$;

-- Posts like those of the network: all have a text, some are replies, have facets or an embed.
CREATE PROCEDURE bench.make_posts(n int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM setseed(0.5);
  INSERT INTO bench.j
    SELECT jsonb_build_object('$type', 'app.bsky.feed.post', 'text', bench.words(4 + floor(random() * 36)::int), 'langs', '["en"]'::jsonb,
             'createdAt', to_char('2024-01-01Z'::timestamptz + random() * interval '300 days', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
           || CASE WHEN random() < 0.5 THEN jsonb_build_object('reply', jsonb_build_object('root', bench.ref(), 'parent', bench.ref()))
                   ELSE '{}' END
           || CASE WHEN random() < 0.3 THEN jsonb_build_object('facets',
                (SELECT jsonb_agg(bench.facet()) FROM generate_series(1, 1 + i % 2))) ELSE '{}' END
           || CASE WHEN random() < 0.4 THEN jsonb_build_object('embed', bench.embed()) ELSE '{}' END
      FROM generate_series(1, n) i;
  INSERT INTO bench.t SELECT j::text FROM bench.j;
  INSERT INTO bench.b SELECT atid.record_to_dag_cbor(j) FROM bench.j;
END $$;

-- The measurements: `scan` reads the same rows and does nothing with them.
CREATE TABLE bench.subject (id serial, name text, call text, source text, scan text);
INSERT INTO bench.subject (name, call, source, scan) VALUES
  ('scan of jsonb',          'j',                                     'j', NULL),
  ('scan of text',           't',                                     't', NULL),
  ('scan of DAG-CBOR',       'b',                                     'b', NULL),
  ('record_cid(j)',          'atid.record_cid(j)',                    'j', 'scan of jsonb'),
  ('record_to_dag_cbor(j)',  'atid.record_to_dag_cbor(j)',            'j', 'scan of jsonb'),
  ('record_is_valid(j)',     'atid.record_is_valid(j)',               'j', 'scan of jsonb'),
  ('record_refs(j)',         '*',                                     'j, atid.record_refs(j)', 'scan of jsonb'),
  ('j::text',                'j::text',                               'j', 'scan of jsonb'),
  ('sha256 of j::text',      'sha256(convert_to(j::text, ''UTF8''))', 'j', 'scan of jsonb'),
  ('dag_cbor_to_record(b)',  'atid.dag_cbor_to_record(b)',            'b', 'scan of DAG-CBOR'),
  ('dag_cbor_is_valid(b)',   'atid.dag_cbor_is_valid(b)',             'b', 'scan of DAG-CBOR'),
  ('field of j',             'j #>> ''{createdAt}''',                 'j', 'scan of jsonb'),
  ('field of b',             'atid.dag_cbor_get_text(b, ''{createdAt}'')', 'b', 'scan of DAG-CBOR'),
  ('nested field of j',      'j #>> ''{reply,parent,uri}''',          'j', 'scan of jsonb'),
  ('nested field of b',      'atid.dag_cbor_get_text(b, ''{reply,parent,uri}'')', 'b', 'scan of DAG-CBOR'),
  ('record_ref_uris(j)',     'atid.record_ref_uris(j)',               'j', 'scan of jsonb'),
  ('dag_cbor_ref_uris(b)',   'atid.dag_cbor_ref_uris(b)',             'b', 'scan of DAG-CBOR'),
  ('t::jsonb',               't::jsonb',                              't', 'scan of text');

CREATE UNLOGGED TABLE bench.result (name text, round int, ms float8);

-- A round: each in turn, in another order; round 0 only warms up.
CREATE PROCEDURE bench.measure(round int) LANGUAGE plpgsql AS $$
DECLARE
  s bench.subject;
  began timestamptz;
BEGIN
  FOR s IN SELECT * FROM bench.subject ORDER BY random() LOOP
    began := clock_timestamp();
    EXECUTE format('SELECT count(%s) FROM bench.%s', s.call, s.source);
    INSERT INTO bench.result SELECT s.name, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
END $$;

-- Indexes over the same CIDs in the same random order.
CREATE UNLOGGED TABLE bench.as_cid_link (v atid.cid_link);
CREATE UNLOGGED TABLE bench.as_text (v text COLLATE "C");
CREATE UNLOGGED TABLE bench.size (type text, bytes bigint);

CREATE PROCEDURE bench.make_cids(n int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bench.as_cid_link
    SELECT atid.cid_make(CASE WHEN i % 4 = 0 THEN 'raw' ELSE 'dag-cbor' END, sha256(i::text::bytea)) FROM generate_series(1, n) i;
  INSERT INTO bench.as_text SELECT v::text FROM bench.as_cid_link;
END $$;

CREATE PROCEDURE bench.measure_indexes(rounds int) LANGUAGE plpgsql AS $$
DECLARE
  t text;
  began timestamptz;
BEGIN
  FOR round IN 0 .. rounds LOOP
    FOR t IN SELECT unnest('{cid_link,text}'::text[]) ORDER BY random() LOOP
      began := clock_timestamp();
      EXECUTE format('CREATE INDEX i ON bench.as_%s (v)', t);
      INSERT INTO bench.result
        SELECT 'index on ' || t, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
      INSERT INTO bench.size SELECT t, pg_relation_size('bench.i') WHERE round = 0;
      DROP INDEX bench.i;
    END LOOP;
  END LOOP;
END $$;
