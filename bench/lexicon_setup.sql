-- The measurements of bench/lexicon.

\ir records_setup.sql
TRUNCATE bench.subject;

-- All lexicons, and those that a post needs.
CREATE TABLE bench.lexicons (name text, lexicons atid.lexicon);

-- The posts as rows of a table such as an indexer has.
CREATE UNLOGGED TABLE bench.posts (uri atid.at_uri, cid atid.cid_link, record jsonb);

CREATE PROCEDURE bench.make_set(file text) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bench.lexicons VALUES ('all', pg_read_file(file)::atid.lexicon);
  INSERT INTO bench.lexicons SELECT 'post', atid.lexicon_only(lexicons, '{app.bsky.feed.post}') FROM bench.lexicons;
  EXECUTE format('CREATE DOMAIN bench.post AS jsonb CHECK (atid.record_must_conform(VALUE, %L, ''app.bsky.feed.post''))',
                 (SELECT lexicons FROM bench.lexicons WHERE name = 'post'));
  EXECUTE 'CREATE TABLE bench.plain (uri atid.at_uri PRIMARY KEY, cid atid.cid_link NOT NULL, record jsonb NOT NULL)';
  EXECUTE 'CREATE TABLE bench.checked (uri atid.at_uri PRIMARY KEY, cid atid.cid_link NOT NULL, record bench.post NOT NULL)';
  INSERT INTO bench.subject (name, call, source, scan) VALUES
    ('scan of jsonb',           'j',                                 'j', NULL),
    ('scan of DAG-CBOR',        'b',                                 'b', NULL),
    ('record_is_valid(j)',      'atid.record_is_valid(j) OR NULL',   'j', 'scan of jsonb'),
    ('dag_cbor_is_valid(b)',    'atid.dag_cbor_is_valid(b) OR NULL', 'b', 'scan of DAG-CBOR');
  INSERT INTO bench.subject (name, call, source, scan)
    SELECT v.name, format(call || ' OR NULL', lexicons), source, scan
      FROM bench.lexicons l, (VALUES
          ('record_conforms(j)',   'atid.record_conforms(j, %L)',   'j', 'scan of jsonb'),
          ('dag_cbor_conforms(b)', 'atid.dag_cbor_conforms(b, %L)', 'b', 'scan of DAG-CBOR')) v (name, call, source, scan)
      WHERE l.name = 'post';
END $$;

-- Posts that reply and have a facet.
CREATE PROCEDURE bench.make_replies(n int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM setseed(0.5);
  INSERT INTO bench.j
    SELECT jsonb_build_object('$type', 'app.bsky.feed.post', 'text', bench.words(4 + floor(random() * 36)::int), 'langs', '["en"]'::jsonb,
             'createdAt', to_char('2024-01-01Z'::timestamptz + random() * interval '300 days', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'reply', jsonb_build_object('root', bench.ref(), 'parent', bench.ref()),
             'facets', jsonb_build_array(bench.facet()))
      FROM generate_series(1, n) i;
  INSERT INTO bench.b SELECT atid.record_to_dag_cbor(j) FROM bench.j;
  INSERT INTO bench.posts SELECT bench.uri('app.bsky.feed.post'), atid.record_cid(j), j FROM bench.j;
END $$;

-- COPY of all posts into an empty table, and INSERTs of one row each, whose plan PL/pgSQL keeps.
CREATE PROCEDURE bench.measure_tables(round int, file text) LANGUAGE plpgsql AS $$
DECLARE
  t text;
  began timestamptz;
  post bench.posts;
BEGIN
  FOR t IN SELECT unnest('{plain,checked}'::text[]) ORDER BY random() LOOP
    EXECUTE format('TRUNCATE bench.%I', t);
    began := clock_timestamp();
    EXECUTE format('COPY bench.%I FROM %L', t, file);
    INSERT INTO bench.result SELECT 'copy ' || t, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
  FOR t IN SELECT unnest('{plain,checked}'::text[]) ORDER BY random() LOOP
    EXECUTE format('TRUNCATE bench.%I', t);
    began := clock_timestamp();
    IF t = 'plain' THEN
      FOR post IN SELECT * FROM bench.posts LIMIT 20000 LOOP INSERT INTO bench.plain VALUES (post.uri, post.cid, post.record); END LOOP;
    ELSE
      FOR post IN SELECT * FROM bench.posts LIMIT 20000 LOOP INSERT INTO bench.checked VALUES (post.uri, post.cid, post.record); END LOOP;
    END IF;
    INSERT INTO bench.result SELECT 'insert ' || t, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
END $$;

-- In a session that has not compiled anything yet: the first use of all lexicons, less the second.
CREATE PROCEDURE bench.measure_compile(round int) LANGUAGE plpgsql AS $$
DECLARE
  began timestamptz;
  ms float8[];
  all_of_them CONSTANT atid.lexicon := (SELECT lexicons FROM bench.lexicons WHERE name = 'all');
BEGIN
  PERFORM cardinality(atid.lexicon_missing(lexicons)) FROM bench.lexicons WHERE name = 'post';
  FOR i IN 1 .. 2 LOOP
    began := clock_timestamp();
    PERFORM atid.record_key_conforms('self', all_of_them, 'app.bsky.actor.profile');
    ms[i] := extract(epoch FROM clock_timestamp() - began) * 1e3;
  END LOOP;
  INSERT INTO bench.result SELECT 'compile', round, ms[1] - ms[2] WHERE round > 0;
  began := clock_timestamp();
  PERFORM pg_column_size(lexicons::text::atid.lexicon) FROM bench.lexicons WHERE name = 'all';
  INSERT INTO bench.result SELECT 'input and output', round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
END $$;
