-- The measurements of bench/addresses.

CREATE EXTENSION atid;
CREATE SCHEMA bench;

-- The same likes in two forms: a table as in AppViews, all text, and one with the types.
CREATE TABLE bench.as_text (
  uri text COLLATE "C", cid text COLLATE "C", creator text COLLATE "C", subject text COLLATE "C",
  subject_cid text COLLATE "C", created_at text COLLATE "C", indexed_at text COLLATE "C", sort_at text COLLATE "C"
);
CREATE TABLE bench.as_types (
  uri atid.at_uri, cid atid.cid_link, creator atid.did, subject atid.at_uri,
  subject_cid atid.cid_link, created_at timestamptz, indexed_at timestamptz, sort_at timestamptz
);

-- The indexes of both; uri is the key.
CREATE PROCEDURE bench.index(form text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE bench.%I ADD PRIMARY KEY (uri)', form);
  EXECUTE format('CREATE INDEX ON bench.%I (creator, sort_at)', form);
  EXECUTE format('CREATE INDEX ON bench.%I (subject)', form);
  EXECUTE format('CREATE UNIQUE INDEX ON bench.%I (subject, creator)', form);
END $$;

CREATE FUNCTION bench.did(i bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN 'did:plc:' || substr(atid.cid_make('raw', sha256(i::text::bytea))::text, 20, 24);

-- This many likes, by a twentieth as many accounts and of a tenth as many posts, of which few have
-- many; in order of arrival.
CREATE PROCEDURE bench.make_likes(likes int, file text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM setseed(0.5);
  SET LOCAL timezone = 'UTC';
  CREATE TEMP TABLE account AS SELECT a, bench.did(a) AS did FROM generate_series(0, likes / 20) a;
  CREATE TEMP TABLE post AS
    SELECT p, format('at://%s/app.bsky.feed.post/%s', did, atid.tid_make(t, c)) AS uri, cid
      FROM (SELECT p, floor(random() * likes / 20)::int AS a, floor(random() * 1024)::int AS c,
                   '2024-01-01Z'::timestamptz + random() * interval '300 days' AS t,
                   atid.cid_make('dag-cbor', sha256(('post' || p)::bytea)) AS cid
              FROM generate_series(0, likes / 10) p) v JOIN account USING (a);
  CREATE UNLOGGED TABLE bench.source AS
    SELECT DISTINCT ON (post.uri, did)
           n, format('at://%s/app.bsky.feed.like/%s', did, atid.tid_make(t, c)) AS uri,
           atid.cid_make('dag-cbor', sha256(('like' || n)::bytea)) AS cid, did AS creator,
           post.uri AS subject, post.cid AS subject_cid, t AS created_at, t + random() * interval '2 s' AS indexed_at
      FROM (SELECT n, floor(random() * likes / 20)::int AS a, floor(random() ^ 3 * likes / 10)::int AS p,
                   floor(random() * 1024)::int AS c, '2024-11-01Z'::timestamptz + n * interval '1 s' AS t
              FROM generate_series(1, likes) n) v JOIN account USING (a) JOIN post USING (p);
  EXECUTE format($sql$
    COPY (SELECT uri, cid, creator, subject, subject_cid, to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                 to_char(indexed_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                 to_char(least(created_at, indexed_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
            FROM bench.source ORDER BY n) TO %L$sql$, file);
END $$;

CREATE UNLOGGED TABLE bench.result (name text, round int, ms float8);
CREATE UNLOGGED TABLE bench.size (form text, bytes bigint);

CREATE PROCEDURE bench.took(name text, round int, began timestamptz) LANGUAGE sql AS $$
  INSERT INTO bench.result SELECT name, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
$$;

-- Loading: COPY and the indexes.  The last round's tables stay.
CREATE PROCEDURE bench.measure_load(round int, file text) LANGUAGE plpgsql AS $$
DECLARE
  t text;
  began timestamptz;
  i record;
BEGIN
  SET LOCAL timezone = 'UTC';
  SET LOCAL client_min_messages = warning;
  FOR t IN SELECT unnest('{as_text,as_types}'::text[]) ORDER BY random() LOOP
    EXECUTE format('TRUNCATE bench.%I', t);
    EXECUTE format('ALTER TABLE bench.%I DROP CONSTRAINT IF EXISTS %I', t, t || '_pkey');
    FOR i IN SELECT indexrelid::regclass AS name FROM pg_index WHERE indrelid = ('bench.' || t)::regclass LOOP
      EXECUTE 'DROP INDEX ' || i.name;
    END LOOP;
    began := clock_timestamp();
    EXECUTE format('COPY bench.%I FROM %L', t, file);
    CALL bench.took('COPY ' || t, round, began);
    CALL bench.index(t);
    CALL bench.took('load ' || t, round, began);
    DELETE FROM bench.size WHERE form = t;
    INSERT INTO bench.size VALUES (t, pg_total_relation_size(('bench.' || t)::regclass));
  END LOOP;
END $$;

-- A column alone in its table, in random order.
CREATE UNLOGGED TABLE bench.uri_as_text (v text COLLATE "C");
CREATE UNLOGGED TABLE bench.uri_as_types (v atid.at_uri);

CREATE PROCEDURE bench.make_columns() LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bench.uri_as_text SELECT uri FROM bench.source ORDER BY hashtext(uri);
  INSERT INTO bench.uri_as_types SELECT v::atid.at_uri FROM bench.uri_as_text;
  CREATE INDEX ON bench.as_text (uri text_pattern_ops);
END $$;

CREATE PROCEDURE bench.measure_indexes(round int) LANGUAGE plpgsql AS $$
DECLARE
  form text;
  began timestamptz;
BEGIN
  FOR form IN SELECT unnest('{as_text,as_types}'::text[]) ORDER BY random() LOOP
    began := clock_timestamp();
    EXECUTE format('CREATE INDEX i ON bench.uri_%I (v)', form);
    CALL bench.took('index ' || form, round, began);
    DROP INDEX bench.i;
  END LOOP;
END $$;

-- Expressions over a column, ten times for each row, so that they weigh more than reading it; `scan`
-- does nothing with the value.
CREATE TABLE bench.subject (id serial, name text, call text, source text, scan text);
INSERT INTO bench.subject (name, call, source, scan) VALUES
  ('scan of text',            'v',                     'uri_as_text',  NULL),
  ('scan of at_uri',          'v',                     'uri_as_types', NULL),
  ('at_uri_did(uri)',         'atid.at_uri_did(v)',    'uri_as_types', 'scan of at_uri'),
  ('at_uri_tid(uri)',         'atid.at_uri_tid(v)',    'uri_as_types', 'scan of at_uri'),
  ('at_uri_collection(uri)',  'atid.at_uri_collection(v)', 'uri_as_types', 'scan of at_uri'),
  ('split_part(uri, ''/'', 3)', 'split_part(v, ''/'', 3)', 'uri_as_text', 'scan of text'),
  ('text::at_uri',            'v::atid.at_uri',        'uri_as_text',  'scan of text'),
  ('at_uri::text',            'v::text',               'uri_as_types', 'scan of at_uri');

CREATE PROCEDURE bench.measure_calls(round int) LANGUAGE plpgsql AS $$
DECLARE
  s bench.subject;
  began timestamptz;
BEGIN
  FOR s IN SELECT * FROM bench.subject ORDER BY random() LOOP
    began := clock_timestamp();
    EXECUTE format('SELECT sum(num_nonnulls(%s)) FROM bench.%I', rtrim(repeat(s.call || ', ', 10), ', '), s.source);
    CALL bench.took(s.name, round, began);
  END LOOP;
END $$;

-- Look-ups by the text that a client sends, in a statement prepared once: the text is read as the
-- column's type for each.
CREATE FUNCTION bench.look_up_as_text(uris text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  u text;
  found bigint := 0;
BEGIN
  FOREACH u IN ARRAY uris LOOP
    found := found + (SELECT count(cid) FROM bench.as_text WHERE uri = u);
  END LOOP;
  RETURN found;
END $$;

CREATE FUNCTION bench.look_up_as_types(uris text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  u text;
  found bigint := 0;
BEGIN
  FOREACH u IN ARRAY uris LOOP
    found := found + (SELECT count(cid) FROM bench.as_types WHERE uri = u::atid.at_uri);
  END LOOP;
  RETURN found;
END $$;

-- All likes of an account, one account after another.  LIKE uses an index for a constant only.
CREATE FUNCTION bench.within_as_text(dids text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  d text;
  n bigint;
  found bigint := 0;
BEGIN
  FOREACH d IN ARRAY dids LOOP
    EXECUTE format('SELECT count(cid) FROM bench.as_text WHERE uri LIKE %L', format('at://%s/app.bsky.feed.like/%%', d)) INTO n;
    found := found + n;
  END LOOP;
  RETURN found;
END $$;

CREATE FUNCTION bench.within_as_types(dids text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  d text;
  n bigint;
  found bigint := 0;
BEGIN
  FOREACH d IN ARRAY dids LOOP
    EXECUTE format('SELECT count(cid) FROM bench.as_types WHERE uri <@ %L', format('at://%s/app.bsky.feed.like', d)) INTO n;
    found := found + n;
  END LOOP;
  RETURN found;
END $$;

CREATE PROCEDURE bench.measure_look_ups(round int) LANGUAGE plpgsql AS $$
DECLARE
  uris CONSTANT text[] := ARRAY(SELECT uri FROM bench.source WHERE hashtext(uri || round) % 40 = 0);
  dids CONSTANT text[] := ARRAY(SELECT DISTINCT creator FROM bench.source WHERE hashtext(creator || round) % 20 = 0);
  form text;
  began timestamptz;
  found bigint;
BEGIN
  FOR form IN SELECT unnest('{as_text,as_types}'::text[]) ORDER BY random() LOOP
    began := clock_timestamp();
    EXECUTE format('SELECT bench.look_up_%s($1)', form) USING uris INTO found;
    CALL bench.took('look-up ' || form, round, began);
    IF found <> cardinality(uris) THEN
      RAISE 'found % of % URIs', found, cardinality(uris);
    END IF;
    began := clock_timestamp();
    EXECUTE format('SELECT bench.within_%s($1)', form) USING dids INTO found;
    CALL bench.took('within ' || form, round, began);
    IF found <> (SELECT count(*) FROM bench.source WHERE creator = ANY (dids)) THEN
      RAISE 'found % likes within accounts', found;
    END IF;
  END LOOP;
END $$;
