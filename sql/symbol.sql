--
-- The type atid.symbol, as a role that was granted nothing and whose search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;

-- packed bytes as they are, which only a superuser can read or write: byteasend returns a copy
CREATE FUNCTION regress_atid.packed_of(atid.symbol) RETURNS bytea
  LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
CREATE FUNCTION regress_atid.of_packed(bytea) RETURNS atid.symbol
  LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';

SET ROLE regress_atid;

-- a plan without costs and without names that differ between versions
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ '(Cond|Filter):|Scan|Join|Sort' THEN
      RETURN NEXT line;
    END IF;
  END LOOP;
END $$;

--
-- Input and output are those of text; what is stored is packed
--
CREATE TABLE example (n int PRIMARY KEY, s atid.symbol);
INSERT INTO example VALUES
  (1, 'app.bsky.feed.like'), (2, 'app.bsky.graph.follow'), (3, 'subject'), (4, 'reply.parent'),
  (5, 'facets[].features[].did'), (6, 'createdAt'), (7, 'buzz.bookhive.book'),
  (8, 'com.example.thing'), (9, ''), (10, ' subject '), (11, 'smörgås'), (12, NULL);
SELECT n, s, pg_column_size(s) AS bytes, packed_of(s) AS packed, s::text = s AS same,
       octet_length(s) AS text
FROM example ORDER BY n;

-- the binary form is the text
SELECT bool_and(atid.symbol_send(s) = convert_to(s, 'UTF8')) AS same FROM example;

-- a long text is compressed and moved out as any is
CREATE TABLE long (n int, s atid.symbol);
INSERT INTO long VALUES (1, repeat('app.bsky.feed.like ', 100000)),
  (2, (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 10000) n));
SELECT n, length(s), pg_column_size(s) < 400000 AS stored, md5(s) FROM long ORDER BY n;
SELECT a.n, b.n AS m, a.s = b.s AS eq, a.s <> b.s AS ne, a.s < b.s AS lt,
  a.s = b.s::text AS eq_text,
  a.s || 'x' = b.s AS longer, overlay(a.s PLACING 'x' FROM 1)::atid.symbol = b.s AS other,
  a.s = 'subject' AS short, 'subject'::text <> a.s AS short_text
FROM long a, long b ORDER BY 1, 2;
SELECT atid.symbol_hash(s) = atid.symbol_hash_text(s) AS hash FROM long;
SELECT count(*) FROM long JOIN (SELECT s::text AS t FROM long) AS other ON s = t;

-- a stored value that this version cannot read
SELECT of_packed('\x7f');
SELECT of_packed('\xffff')::text;
SELECT of_packed('\x7f') = 'subject';
SELECT of_packed('\x7f') < 'subject'::text;
SELECT atid.symbol_hash(of_packed('\xffff'));
SELECT of_packed('\x');
SELECT of_packed('\x0100')::text;
SELECT atid.symbol_send(of_packed('\x80'));
SELECT of_packed('\x800000') > 'subject';

-- a value that an older version has stored as a text, as its dictionary did not have it, or as a
-- string that has become a symbol
CREATE TABLE old (s atid.symbol);
INSERT INTO old VALUES (of_packed('\x007375626a656374'));
INSERT INTO old VALUES ('subject'), (of_packed('\x8003'));
SELECT s, packed_of(s), s = 'subject' AS eq, s = 'subject'::text AS eq_text,
  atid.symbol_hash(s) = atid.symbol_hash('subject') AS hash,
  packed_of(s::text::atid.symbol) AS again
FROM old;
SELECT s, count(*) FROM old GROUP BY s;
SELECT DISTINCT s FROM old;
CREATE INDEX old_btree ON old (s);
CREATE INDEX old_hash ON old USING hash (s);
SET enable_seqscan = off;
SELECT count(*) FROM old WHERE s = 'subject';
SELECT count(*) FROM old WHERE s = ANY ('{subject,x}'::text[]);
DROP INDEX old_btree;
SELECT count(*) FROM old WHERE s = 'subject';
RESET enable_seqscan;
CREATE UNIQUE INDEX ON old (s);

--
-- Casts
--
CREATE TABLE assigned (t text, v varchar(30), c char(30), s atid.symbol, d atid.nsid);
INSERT INTO assigned VALUES ('subject', 'subject', 'subject', 'subject', 'app.bsky.feed.like');
UPDATE assigned SET s = t;
UPDATE assigned SET s = v;
UPDATE assigned SET s = c RETURNING '<' || s || '>', packed_of(s);
UPDATE assigned SET s = d RETURNING s, packed_of(s);
UPDATE assigned SET t = s, v = s, c = s, d = s RETURNING *;
UPDATE assigned SET d = 'subject'::atid.symbol;
SELECT 'subject '::char(20)::atid.symbol || '.', 'a'::varchar::atid.symbol || '.',
  ARRAY['subject', NULL]::text[]::atid.symbol[] AS symbols,
  ARRAY['subject', NULL]::atid.symbol[]::text[] AS texts;

--
-- Operators: each agrees with that of texts in "C", in both directions
--
CREATE TABLE other (t text);
INSERT INTO other
SELECT x FROM (SELECT s::text FROM example
               UNION ALL
               SELECT unnest('{app.bsky.feed.post,a,b,z,embed.record,did,list,via}'::text[])) v(t),
  LATERAL (VALUES (t), (t || '/'), (t || 'a'), (left(t, -1)), (upper(t)), (t || E'\x01')) w(x)
WHERE x IS NOT NULL
UNION
SELECT unnest(ARRAY['é', E'\x01', '~', 'smörgåt', repeat('x', 100000), repeat('x', 100001)]);
CREATE FUNCTION differ(type text, OUT pairs int, OUT eq int, OUT ne int, OUT lt int, OUT le int,
                       OUT gt int, OUT ge int, OUT cmp int)
LANGUAGE plpgsql AS $$
DECLARE
  a text := CASE WHEN type LIKE 'symbol%' THEN 'a.t::atid.symbol' ELSE 'a.t' END;
  b text := CASE WHEN type LIKE '%symbol' THEN 'b.t::atid.symbol' ELSE 'b.t' END;
BEGIN
  EXECUTE format($q$
    SELECT count(*), count(*) FILTER (WHERE (x = y) <> (v = w)),
      count(*) FILTER (WHERE (x <> y) <> (v <> w)), count(*) FILTER (WHERE (x < y) <> (v < w)),
      count(*) FILTER (WHERE (x <= y) <> (v <= w)), count(*) FILTER (WHERE (x > y) <> (v > w)),
      count(*) FILTER (WHERE (x >= y) <> (v >= w)),
      count(*) FILTER (WHERE sign(%s(x, y)) <> (v > w)::int - (v < w)::int)
    FROM (SELECT %s AS x, %s AS y, a.t COLLATE "C" AS v, b.t COLLATE "C" AS w
          FROM other a, other b OFFSET 0) AS p$q$,
    CASE type WHEN 'symbol, symbol' THEN 'atid.symbol_cmp'
              WHEN 'symbol, text' THEN 'atid.symbol_cmp_text' ELSE 'atid.text_cmp_symbol' END, a, b)
  INTO pairs, eq, ne, lt, le, gt, ge, cmp;
END $$;
SELECT type, d.* FROM unnest('{"symbol, symbol","symbol, text","text, symbol"}'::text[]) type,
  differ(type) d;

-- a text and its symbol have the same hash, which is that of the server for the bytes
SELECT count(*) FILTER (WHERE atid.symbol_hash(t::atid.symbol) <> atid.symbol_hash_text(t)) AS hash,
       count(*) FILTER (WHERE atid.symbol_hash_extended(t::atid.symbol, 42)
                          <> atid.symbol_hash_text_extended(t, 42)) AS extended,
       count(*) FILTER (WHERE atid.symbol_hash_text(t) <> hashtext(t COLLATE "C")) AS text
FROM other;

-- sorted, and the least and the greatest
SELECT array_agg(s ORDER BY s) = array_agg(s ORDER BY s::text COLLATE "C") AS sorted,
       array_agg(s ORDER BY s DESC) = array_agg(s ORDER BY s::text COLLATE "C" DESC) AS reversed,
       min(s) = min(s::text COLLATE "C") AS min, max(s)::text = max(s::text COLLATE "C") AS max,
       pg_typeof(min(s)) AS type, count(DISTINCT s) = count(*) AS distinct
FROM (SELECT t::atid.symbol AS s FROM other) AS v;

--
-- Where a text is meant
--
CREATE TABLE ref (collection atid.symbol, path atid.symbol, t text, v varchar, nsid atid.nsid,
  n int);
INSERT INTO ref VALUES
  ('app.bsky.feed.like', 'subject', 'app.bsky.feed.like', 'app.bsky.feed.like',
   'app.bsky.feed.like', 1),
  ('com.example.thing', '', 'x', 'subject', 'com.example.thing', 2);
SELECT collection || '/' || path AS a, 'x' || path AS b, path || path AS c, path || 1 AS d,
  path || t AS e, path || v AS f, collection || nsid AS g, path || NULL AS h
FROM ref WHERE n = 1 \gx
SELECT collection LIKE 'app.bsky.%' AS like, collection NOT LIKE 'app.bsky.%' AS not_like,
  collection ILIKE 'APP.%' AS ilike, path ~ '^sub' AS regex, collection ^@ 'app.' AS starts,
  collection SIMILAR TO 'app%' AS similar, starts_with(collection, 'app.') AS f
FROM ref ORDER BY n;
SELECT split_part(collection, '.', 3) AS part, length(path), upper(path), left(path, 3),
  substring(path FROM 4), replace(path, 'sub', 'ob'), format('%s %L', path, path),
  concat_ws(',', path, t), md5(path) = md5('subject') AS md5, quote_literal(path), path::bytea
FROM ref WHERE n = 1 \gx
SELECT pg_typeof(coalesce(collection, 'x')) AS a, pg_typeof(coalesce(collection, t)) AS b,
  pg_typeof(coalesce(collection, NULL)) AS c, pg_typeof(coalesce(v, collection)) AS d,
  pg_typeof(CASE WHEN true THEN path ELSE t END) AS e,
  pg_typeof(CASE WHEN true THEN 'x' ELSE path END) AS f, pg_typeof(greatest(path, t)) AS g,
  pg_typeof(ARRAY[path, t]) AS h, pg_typeof(ARRAY[path, 'x']) AS i, pg_typeof(nullif(path, '')) AS j
FROM ref WHERE n = 1 \gx
SELECT coalesce(collection, 'x') AS a, CASE path WHEN 'subject' THEN 1 ELSE 2 END AS b,
  nullif(path, '') AS c, greatest(path, t) AS d FROM ref ORDER BY n;
SELECT collection FROM ref UNION SELECT t FROM ref ORDER BY 1;
SELECT path FROM ref UNION ALL SELECT v FROM ref UNION ALL SELECT NULL;
SELECT collection FROM ref INTERSECT SELECT t FROM ref;
SELECT collection FROM ref EXCEPT SELECT 'com.example.thing';
SELECT collection, count(*) FROM ref GROUP BY collection ORDER BY collection DESC;
SELECT min(collection), max(path), string_agg(path, ',' ORDER BY n), array_agg(path ORDER BY n)
FROM ref;
SELECT to_jsonb(path), json_build_object(path, collection), row_to_json(ROW(path)) FROM ref
  WHERE n = 1;

-- comparing with everything that is a text, and with literals
SELECT collection = 'app.bsky.feed.like' AS literal, 'app.bsky.feed.like' = collection AS reversed,
  collection = t AS text, t = collection AS text_reversed, collection = v AS varchar,
  collection = nsid AS domain, nsid = collection AS domain_reversed,
  collection = 'app.bsky.feed.like'::char(30) AS char, collection = '' AS empty,
  collection IS DISTINCT FROM t AS distinct, collection BETWEEN 'app.' AND 'app/' AS between,
  collection < 'b' AS less, collection >= 'b'::text AS not_less
FROM ref ORDER BY n \gx
SELECT collection IN ('app.bsky.feed.like', 'x') AS literals, collection IN ('x'::text, t) AS texts,
  collection = ANY ('{app.bsky.feed.like}') AS literal, collection = ANY ('{x,y}'::text[]) AS array,
  collection = ANY (ARRAY['x'::varchar, v]) AS varchars, collection <> ALL ('{x}'::text[]) AS all,
  collection NOT IN ('x', 'y') AS not_in, t = ANY (ARRAY[collection, path]) AS symbols,
  collection IN (SELECT t FROM ref) AS subquery, t IN (SELECT collection FROM ref) AS the_other,
  (collection, path) = ('app.bsky.feed.like', 'subject') AS row, (collection, path) = (t,
  v) AS texts_row,
  array_position(ARRAY[path, 'x'], 'x') AS position
FROM ref ORDER BY n \gx

-- what is resolved without these types is resolved as without the extension
SELECT pg_typeof('a' || 'b'), pg_typeof(coalesce('a', 'b')), 'a' = 'b' AS eq,
  'a' = ANY ('{a}') AS any,
  pg_typeof(min(x)) FROM (SELECT 'a') AS v(x);
PREPARE untyped AS SELECT $1 = $2, $1 || 'x', $1 LIKE 'x', 'x' <> $1;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
DEALLOCATE untyped;

-- a parameter without a type is a symbol; functions and variables of type text
PREPARE by_collection AS SELECT n FROM ref WHERE collection = $1;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'by_collection';
EXECUTE by_collection('com.example.thing');
PREPARE by_text(text) AS SELECT n FROM ref WHERE collection = $1;
EXECUTE by_text('com.example.thing');
CREATE FUNCTION of_text(t text) RETURNS text LANGUAGE sql RETURN '<' || t || '>';
SELECT of_text(path) FROM ref ORDER BY n;
CREATE FUNCTION variables(wanted text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  name text;
  symbol atid.symbol := wanted;
  row ref%ROWTYPE;
BEGIN
  SELECT collection INTO name FROM ref WHERE collection = wanted;
  SELECT * INTO row FROM ref WHERE collection = symbol AND path = name OR collection = symbol;
  row.path := name;
  name := row.path || '!';
  RETURN name;
END $$;
SELECT variables('com.example.thing');

--
-- COPY, domains, defaults, generated columns, checks
--
COPY (SELECT s FROM example WHERE n IN (3, 9, 10) ORDER BY n) TO STDOUT;
CREATE DOMAIN short AS atid.symbol CHECK (length(VALUE) < 20);
CREATE TABLE checked (
  path atid.symbol NOT NULL DEFAULT 'subject' CHECK (path <> ''),
  of_domain short,
  up text GENERATED ALWAYS AS (upper(path)) STORED
);
COPY checked (path, of_domain) FROM STDIN;
subject	via
com.example.a	\N
\.
INSERT INTO checked DEFAULT VALUES;
INSERT INTO checked VALUES ('');
INSERT INTO checked (of_domain) VALUES (repeat('a', 20));
SELECT *, packed_of(path) FROM checked;

--
-- Indexes and plans
--
CREATE TABLE reference (subject int, collection atid.symbol NOT NULL, path atid.symbol NOT NULL,
  n int);
INSERT INTO reference
SELECT n % 1000, (ARRAY['app.bsky.feed.like', 'app.bsky.graph.follow', 'app.bsky.feed.post',
    'com.example.t' || n % 100])[1 + n % 4],
  (ARRAY['subject', 'subject', 'reply.parent', 'a' || n % 50])[1 + n % 4], n
FROM generate_series(1, 20000) n;
CREATE INDEX ON reference (subject, collection, path);
CREATE INDEX reference_collection ON reference (collection, n);
CREATE TABLE names (t text, v varchar, nsid atid.nsid, n int);
INSERT INTO names SELECT DISTINCT collection, collection, collection, hashtext(collection) % 100
  FROM reference;
INSERT INTO names VALUES ('x', 'x', 'x.y.z', 0), (NULL, NULL, NULL, 0), ('', '', NULL, 0);
ANALYZE reference, names;
SET enable_bitmapscan = off;
SET enable_seqscan = off;
SET max_parallel_workers_per_gather = 0;

-- a constant is a symbol; a parameter keeps the index, and its order
SELECT plan($$SELECT n FROM reference WHERE subject = 5 AND collection = 'app.bsky.feed.like'
  AND path = 'subject'$$);
SELECT plan($$SELECT n FROM reference WHERE subject = 5
  AND collection = 'app.bsky.feed.like'::text$$);
SELECT plan($$SELECT n FROM reference
  WHERE collection = ANY ('{com.example.t3,com.example.t7}'::text[])$$);
SELECT plan($$SELECT n FROM reference WHERE collection IN ('com.example.t3', 'com.example.t7')$$);
SET plan_cache_mode = force_generic_plan;
PREPARE typed(text) AS SELECT n FROM reference WHERE collection = $1 ORDER BY n LIMIT 2;
PREPARE range(text, text) AS SELECT count(*) FROM reference WHERE collection > $1
  AND $2 > collection;
PREPARE list(text[]) AS SELECT count(*) FROM reference WHERE collection = ANY ($1);
SELECT plan($$EXECUTE typed('x')$$);
SELECT plan($$EXECUTE range('x', 'y')$$);
SELECT plan($$EXECUTE list('{x}')$$);
-- LIKE needs a range for the index
SELECT count(*) FILTER (WHERE line ~ 'Index Cond') AS by_index,
       count(*) FILTER (WHERE line ~ '~~') AS filters
FROM plan($$SELECT FROM reference WHERE collection LIKE 'app.bsky.%'$$) line;
SELECT count(*) AS like, (SELECT count(*) FROM reference WHERE collection >= 'app.bsky.'
  AND collection < 'app.bsky/') AS range
FROM reference WHERE collection LIKE 'app.bsky.%';
EXECUTE typed('com.example.t3');
EXECUTE range('com.example.t3', 'com.example.t7');
EXECUTE list('{com.example.t3,com.example.t7,x,NULL}');
RESET plan_cache_mode;
-- index only scans, in the order of the text
SELECT plan($$SELECT DISTINCT collection FROM reference$$);
SELECT plan($$SELECT collection FROM reference ORDER BY collection DESC LIMIT 3$$);
SELECT count(*) FROM plan($$SELECT min(collection) FROM reference$$) line
WHERE line ~ 'Index Only Scan';
RESET enable_seqscan;
SELECT min(collection), max(collection) FROM reference;

-- joins with text, varchar and a domain, of each kind, give the same rows
CREATE FUNCTION joins() RETURNS TABLE (kind text, as_text bigint, as_varchar bigint,
  as_domain bigint,
  outer_ bigint, semi bigint, anti bigint, self bigint)
LANGUAGE plpgsql AS $$
BEGIN
  FOREACH kind IN ARRAY ARRAY['hash', 'merge', 'nestloop'] LOOP
    PERFORM set_config('enable_hashjoin', (kind = 'hash')::text, true),
      set_config('enable_mergejoin', (kind = 'merge')::text, true),
      set_config('enable_nestloop', (kind = 'nestloop')::text, true);
    as_text := (SELECT count(*) FROM reference r JOIN names ON collection = t);
    as_varchar := (SELECT count(*) FROM reference r JOIN names ON v = collection);
    as_domain := (SELECT count(*) FROM reference r JOIN names ON collection = nsid);
    outer_ := (SELECT count(*) FROM names LEFT JOIN reference ON collection = t);
    semi := (SELECT count(*) FROM reference WHERE collection IN (SELECT t FROM names
    WHERE names.n > 0));
    anti := (SELECT count(*) FROM names WHERE NOT EXISTS (SELECT FROM reference
    WHERE collection = t));
    self := (SELECT count(*) FROM reference a JOIN reference b ON a.path = b.collection);
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM joins();
CREATE FUNCTION joins_by(query text) RETURNS text LANGUAGE sql
  RETURN (SELECT string_agg(btrim(line, '-> '), ',') FROM plan(query) line WHERE line ~ 'Join$');
SELECT joins_by($$SELECT * FROM reference JOIN names ON collection = t$$);
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT joins_by($$SELECT * FROM reference JOIN names ON collection = t$$);
SELECT joins_by($$SELECT * FROM reference JOIN names ON nsid = collection$$);
RESET enable_hashjoin;
RESET enable_nestloop;

-- an index on a column of text serves a symbol
CREATE INDEX names_t ON names (t COLLATE "C");
SET enable_seqscan = off;
SELECT plan($$SELECT FROM names WHERE t = 'app.bsky.feed.like'::atid.symbol$$);
SELECT n >= -100 AS found FROM names WHERE t = 'app.bsky.feed.like'::atid.symbol;
-- a hash index serves both
CREATE INDEX reference_hash ON reference USING hash (collection);
DROP INDEX reference_collection;
SELECT plan($$SELECT FROM reference WHERE collection = 'com.example.t3'$$);
SELECT plan($$SELECT FROM reference WHERE atid.text_eq_symbol(subject::text, collection)
  AND collection = 'com.example.t3'::text$$);
SELECT count(*) FROM reference WHERE collection = (SELECT 'com.example.t3'::text);
RESET enable_seqscan;

-- estimates: a text is estimated as the symbol that it is
CREATE FUNCTION estimate(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
  RETURN plan #>> '{0,Plan,Plan Rows}';
END $$;
SELECT estimate($$SELECT FROM reference WHERE collection = 'app.bsky.feed.like'::text$$) AS common,
       estimate($$SELECT FROM reference WHERE collection = 'app.bsky.feed.like'$$) AS symbol,
       estimate($$SELECT FROM reference
       WHERE collection = 'com.example.none'::text$$) < 1000 AS rare,
       estimate($$SELECT FROM reference WHERE collection < 'b'::text$$) = 15000 AS less,
       estimate($$SELECT FROM reference JOIN names ON collection = t$$)
         BETWEEN 10000 AND 30000 AS join;
CREATE STATISTICS kinds ON collection, path FROM reference;
ANALYZE reference;
SELECT estimate($$SELECT FROM reference WHERE collection = 'app.bsky.feed.post'
  AND path = 'reply.parent'$$)
         BETWEEN 4500 AND 5500 AS both,
       estimate($$SELECT FROM reference WHERE collection = 'app.bsky.feed.post'
       AND path = 'subject'$$)
         < 500 AS neither;

-- partitions by list and by hash, pruned when planned and when run
CREATE TABLE part (collection atid.symbol) PARTITION BY LIST (collection);
CREATE TABLE part_like PARTITION OF part FOR VALUES IN ('app.bsky.feed.like', 'com.example.t3');
CREATE TABLE part_rest PARTITION OF part DEFAULT PARTITION BY HASH (collection);
CREATE TABLE part_0 PARTITION OF part_rest FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF part_rest FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO part SELECT collection FROM reference;
SELECT count(*) FROM part_like;
SELECT plan($$SELECT FROM part WHERE collection = 'app.bsky.feed.like'::text$$);
SELECT count(*) FROM plan($$SELECT FROM part WHERE collection = 'app.bsky.feed.post'::text$$) p
  WHERE p ~ 'Seq Scan';
SET plan_cache_mode = force_generic_plan;
PREPARE pruned(text) AS SELECT FROM part WHERE collection = $1;
SELECT plan($$EXECUTE pruned('app.bsky.feed.like')$$);
RESET plan_cache_mode;

-- a column of text becomes one of the type, with its indexes, and the other way round
CREATE TABLE names_c (t text COLLATE "C" PRIMARY KEY);
INSERT INTO names_c SELECT t FROM names WHERE t IS NOT NULL;
ALTER TABLE names_c ALTER t TYPE atid.symbol;
SELECT count(*), sum(pg_column_size(t)) < sum(octet_length(t)) AS smaller,
  bool_or(packed_of(t) = '\x01') AS number
FROM names_c;
ALTER TABLE names_c ALTER t TYPE text;
SELECT count(*) FROM names_c WHERE t = 'app.bsky.feed.like';
ALTER TABLE names ALTER t TYPE atid.symbol;
DROP INDEX names_t;
ALTER TABLE names ALTER t TYPE atid.symbol;
SELECT packed_of(t) FROM names WHERE t = 'app.bsky.feed.like';
ALTER TABLE names ALTER t TYPE text;
SELECT count(*) FROM names WHERE t = 'app.bsky.feed.like';

-- keys: from symbol to symbol; a foreign key from text is refused, as the server could not
-- enforce it
CREATE TABLE kind (path atid.symbol PRIMARY KEY);
INSERT INTO kind VALUES ('subject');
CREATE TABLE uses (path atid.symbol REFERENCES kind ON UPDATE CASCADE);
INSERT INTO uses VALUES ('subject');
INSERT INTO uses VALUES ('via');
INSERT INTO kind VALUES ('subject') ON CONFLICT DO NOTHING;
UPDATE kind SET path = 'via';
TABLE uses;
\set VERBOSITY terse
CREATE TABLE uses_text (path text REFERENCES kind);
\set VERBOSITY default

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
