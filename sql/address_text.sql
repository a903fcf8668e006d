--
-- The types atid.did and atid.at_uri where a text is meant, and their operators
-- with text, which atid.tid has too; as a role that was granted nothing.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;

-- a plan without costs and without names that differ between versions
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ '(Cond|Key|Presorted Key|Filter):|Scan|Join|Loop|Aggregate|Unique|Sort|Limit' THEN
      RETURN NEXT line;
    END IF;
  END LOOP;
END $$;

CREATE TABLE value (n serial, did atid.did, uri atid.at_uri, tid atid.tid);
INSERT INTO value (did) VALUES
  ('did:plc:ewvi7nxzyoun6zhxrhs64oiz'), ('did:plc:222222222222222222222222'),
  ('did:plc:zzzzzzzzzzzzzzzzzzzzzzzz'), ('did:plc:ewvi7nxzyoun6zhxrhs64oi'),
  ('did:plc:EWVI7NXZYOUN6ZHXRHS64OIZ'), ('did:plc:ewvi7nxzyoun6zhxrhs64oi1'),
  ('did:web:a.bc.de'), ('did:web:a.bc.df'), ('did:web:a.bc.d'), ('did:m:v'),
  (('did:web:' || repeat('a', 2040))::atid.did);
INSERT INTO value (uri)
SELECT atid.at_uri_make(did) FROM value WHERE did IS NOT NULL
UNION ALL
SELECT atid.at_uri_make(did, path)
FROM value, unnest('{a.b.c,app.bsky.feed.post/3jzfcijpj2z2a,a.b.c/self}'::text[]) path
UNION ALL
SELECT unnest('{at://a.example,at://a.example/a.b.c/3jzfcijpj2z2a,at://A.Example}'::atid.at_uri[]);
INSERT INTO value (tid)
SELECT unnest('{2222222222222,3jzfcijpj2z2a,jzzzzzzzzzzzz}'::atid.tid[]);

-- each text, texts near to it, and texts that are neither DID nor AT URI
CREATE TABLE other (t text);
INSERT INTO other
SELECT x FROM value, LATERAL (VALUES (coalesce(did, uri::text, tid::text))) v(t),
  LATERAL (VALUES (t), (t || '/'), (t || 'a'), (left(t, -1)), (upper(t)), (t || '/a.b.c')) w(x)
UNION
SELECT unnest(ARRAY['', ' ', 'at:', 'at://', 'did:', 'did:plc:', 'é', E'\x01', repeat('x',
  100000)]);

-- each operator, in both directions, agrees with that of texts in "C"
SELECT count(*) > 3000 AS enough,
       count(*) FILTER (WHERE (did = t) <> (v = t)) AS eq,
       count(*) FILTER (WHERE (t = did) <> (t = v)) AS eq_r,
       count(*) FILTER (WHERE (did <> t) <> (v <> t)) AS ne,
       count(*) FILTER (WHERE (t <> did) <> (t <> v)) AS ne_r,
       count(*) FILTER (WHERE (did < t) <> (v < t)) AS lt,
       count(*) FILTER (WHERE (t < did) <> (t < v)) AS lt_r,
       count(*) FILTER (WHERE (did <= t) <> (v <= t)) AS le,
       count(*) FILTER (WHERE (t <= did) <> (t <= v)) AS le_r,
       count(*) FILTER (WHERE (did > t) <> (v > t)) AS gt,
       count(*) FILTER (WHERE (t > did) <> (t > v)) AS gt_r,
       count(*) FILTER (WHERE (did >= t) <> (v >= t)) AS ge,
       count(*) FILTER (WHERE (t >= did) <> (t >= v)) AS ge_r,
       count(*) FILTER (WHERE sign(atid.did_cmp_text(did, t))
                          <> -sign(atid.text_cmp_did(t, did))
                          OR sign(atid.did_cmp_text(did, t)) <> (v > t)::int - (v < t)::int) AS cmp
FROM (SELECT did, did::text COLLATE "C" AS v FROM value WHERE did IS NOT NULL) AS value, other;
SELECT count(*) > 3000 AS enough,
       count(*) FILTER (WHERE (uri = t) <> (v = t)) AS eq,
       count(*) FILTER (WHERE (t = uri) <> (t = v)) AS eq_r,
       count(*) FILTER (WHERE (uri <> t) <> (v <> t)) AS ne,
       count(*) FILTER (WHERE (t <> uri) <> (t <> v)) AS ne_r,
       count(*) FILTER (WHERE (uri < t) <> (v < t)) AS lt,
       count(*) FILTER (WHERE (t < uri) <> (t < v)) AS lt_r,
       count(*) FILTER (WHERE (uri <= t) <> (v <= t)) AS le,
       count(*) FILTER (WHERE (t <= uri) <> (t <= v)) AS le_r,
       count(*) FILTER (WHERE (uri > t) <> (v > t)) AS gt,
       count(*) FILTER (WHERE (t > uri) <> (t > v)) AS gt_r,
       count(*) FILTER (WHERE (uri >= t) <> (v >= t)) AS ge,
       count(*) FILTER (WHERE (t >= uri) <> (t >= v)) AS ge_r,
       count(*) FILTER (WHERE sign(atid.at_uri_cmp_text(uri, t))
                          <> -sign(atid.text_cmp_at_uri(t, uri))
                          OR sign(atid.at_uri_cmp_text(uri,
                          t)) <> (v > t)::int - (v < t)::int) AS cmp
FROM (SELECT uri, uri::text COLLATE "C" AS v FROM value WHERE uri IS NOT NULL) AS value, other;
SELECT count(*) > 900 AS enough,
       count(*) FILTER (WHERE (tid = t) <> (v = t)) AS eq,
       count(*) FILTER (WHERE (t = tid) <> (t = v)) AS eq_r,
       count(*) FILTER (WHERE (tid <> t) <> (v <> t)) AS ne,
       count(*) FILTER (WHERE (t <> tid) <> (t <> v)) AS ne_r,
       count(*) FILTER (WHERE (tid < t) <> (v < t)) AS lt,
       count(*) FILTER (WHERE (t < tid) <> (t < v)) AS lt_r,
       count(*) FILTER (WHERE (tid <= t) <> (v <= t)) AS le,
       count(*) FILTER (WHERE (t <= tid) <> (t <= v)) AS le_r,
       count(*) FILTER (WHERE (tid > t) <> (v > t)) AS gt,
       count(*) FILTER (WHERE (t > tid) <> (t > v)) AS gt_r,
       count(*) FILTER (WHERE (tid >= t) <> (v >= t)) AS ge,
       count(*) FILTER (WHERE (t >= tid) <> (t >= v)) AS ge_r,
       count(*) FILTER (WHERE sign(atid.tid_cmp_text(tid, t))
                          <> -sign(atid.text_cmp_tid(t, tid))
                          OR sign(atid.tid_cmp_text(tid, t)) <> (v > t)::int - (v < t)::int) AS cmp
FROM (SELECT tid, tid::text COLLATE "C" AS v FROM value WHERE tid IS NOT NULL) AS value, other;

-- a text and its value have the same hash
SELECT count(*) AS different FROM value
WHERE atid.did_hash(did) <> atid.did_hash_text(did)
   OR atid.did_hash_extended(did, 42) <> atid.did_hash_text_extended(did, 42)
   OR atid.at_uri_hash(uri) <> atid.at_uri_hash_text(uri)
   OR atid.at_uri_hash_extended(uri, 42) <> atid.at_uri_hash_text_extended(uri, 42)
   OR atid.tid_hash(tid) <> atid.tid_hash_text(tid::text)
   OR atid.tid_hash_extended(tid, 42) <> atid.tid_hash_text_extended(tid::text, 42);
SELECT count(atid.did_hash_text(t) # atid.at_uri_hash_text(t) # atid.tid_hash_text(t)) = count(*)
       AS all
FROM other;

--
-- Where a text is meant
--
CREATE TABLE account (
  did atid.did PRIMARY KEY, handle atid.handle, v varchar(100), b char(40), name name,
  uri atid.at_uri,
  ident atid.at_identifier, tid atid.tid
);
INSERT INTO account VALUES
  ('did:web:a.example', 'a.example', 'did:web:a.example', 'did:web:a.example', 'did:web:a.example',
   'at://did:web:a.example/a.b.c/3jzfcijpj2z2a', 'did:web:a.example', '3jzfcijpj2z2a');
SELECT did || '/x' AS a, 'x' || did AS b, did || did AS c, did || 1 AS d, handle || did AS e,
  did || v AS f,
       uri || '#' AS g, did || NULL AS h, '{}'::text[] || did::text AS i
FROM account \gx
SELECT did LIKE 'did:web:%' AS like, did NOT LIKE 'did:web:%' AS not_like,
  did ILIKE 'DID:%' AS ilike,
       did ~ '^did' AS regex, uri LIKE did AS like_did, uri LIKE 'at://' || did || '/%' AS under,
       did SIMILAR TO 'did:%' AS similar, did ^@ 'did:' AS starts
FROM account;
SELECT split_part(uri, '/', 3) = did AS part, length(did), octet_length(did), upper(did),
  substring(did FROM 5 FOR 3),
       position('web' IN did), replace(did, 'did', 'x'), left(uri, 5),
       md5(did) = md5(did::text) AS md5,
       starts_with(uri, 'at://'), quote_literal(did), format('%s %L', did, uri), concat(did, '-',
       uri),
       concat_ws(' ', did, handle), trim(did), reverse(did), hashtext(did) IS NOT NULL AS hashtext,
       convert_to(did, 'UTF8') = did::bytea AS bytes
FROM account \gx
SELECT pg_typeof(coalesce(did, handle)) AS a, pg_typeof(coalesce(did, v)) AS b,
  pg_typeof(coalesce(did, NULL)) AS c,
       pg_typeof(CASE WHEN true THEN handle ELSE did END) AS d, pg_typeof(greatest(did, v)) AS e,
       pg_typeof(ARRAY[did, handle]) AS f, pg_typeof(nullif(did, handle)) AS g,
       pg_typeof(coalesce(uri::text, did)) AS h,
       pg_typeof(coalesce(did::text, '')) AS i
FROM account \gx
SELECT did FROM account UNION SELECT handle FROM account ORDER BY 1;
SELECT did FROM account UNION ALL SELECT v FROM account UNION ALL SELECT NULL;
SELECT did FROM account INTERSECT SELECT v FROM account;
SELECT did FROM account EXCEPT SELECT 'did:web:b.example'::text;
SELECT json_build_object('did', did, did, uri), jsonb_build_object(did, did), to_jsonb(did),
  jsonb_build_object('a', did) ->> 'a' = did AS same
FROM account;
SELECT string_agg(did, ','), string_agg(uri, ',' ORDER BY uri), min(did), max(uri),
  array_agg(did), count(DISTINCT did)
FROM account GROUP BY handle;

-- comparing with everything that is a text, and with literals
SELECT did = v AS varchar, v = did, did = b AS bpchar, b = did, did = ident AS domain,
  ident = did, did = handle,
       did = 'did:web:a.example' AS literal, 'did:web:a.example' = did,
       did = current_schema()::text AS name,
       did IS NOT DISTINCT FROM v AS same, did <> handle, tid = '3jzfcijpj2z2a'::text AS tid,
       tid::text || 'x'
FROM account \gx
SELECT did IN ('did:web:a.example', 'did:web:b') AS literals, did IN ('x'::text,
  'did:web:a.example') AS texts,
       did = ANY ('{did:web:a.example}') AS literal,
       did = ANY ('{did:web:a.example,x}'::text[]) AS array,
       did = ANY (ARRAY['x'::varchar, 'did:web:a.example']) AS varchars,
       did <> ALL ('{x,y}'::text[]) AS all,
       did = ANY (SELECT v FROM account) AS subquery, v IN (SELECT did FROM account) AS the_other,
       array_position(ARRAY[did], v) AS position, (did, uri) = (v, uri::text) AS row, (did,
       1) < ('x'::text, 2) AS less,
       CASE did WHEN 'did:web:a.example' THEN 1 END AS case, did BETWEEN 'a'::text
       AND 'e'::text AS between
FROM account \gx
-- expressions without these types are resolved as without the extension
SELECT 'a' = 'b', 'a' < 'b', 'a' || 'b', NULL = NULL, 'a' = ANY ('{a}'), 'a'::varchar = 'a',
  'a'::name = 'a', 'a'::text = 'a'::name,
       'a'::bpchar = 'a ', 'a'::"char" = 'a', length('abc'), pg_typeof(coalesce('a', 'b'::varchar));
PREPARE untyped AS SELECT $1 = $2, $1 || 'x', $1 LIKE 'x', 'x' <> $1;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
DEALLOCATE untyped;

-- what remains an error: the type of a literal is not taken from its contents
\set VERBOSITY terse
SELECT coalesce(uri, did) FROM account;
SELECT * FROM account WHERE did = '';
SELECT coalesce(did, '') FROM account;
SELECT * FROM account WHERE did IN ('did:web:a.example', 'x');
SELECT did FROM account UNION SELECT '';
INSERT INTO account (did) VALUES ('x'::text);
SELECT did = uri FROM account;
SELECT coalesce(name::char(40), did) FROM account;
SELECT coalesce(did, name::char(40)) FROM account;
SELECT did = name FROM account;
SELECT ARRAY[did] && ARRAY['x'::text] FROM account;
SELECT tid || handle = '' AS still_resolved, length(tid) FROM account;
\set VERBOSITY default

--
-- Indexes
--
CREATE TABLE person (did atid.did PRIMARY KEY, n int);
INSERT INTO person SELECT 'did:plc:' || translate(left(md5(n::text), 24), '0189', 'wxyz'), n
  FROM generate_series(1, 2000) n;
CREATE TABLE post (uri atid.at_uri PRIMARY KEY, creator atid.did, rev atid.tid,
  sort_at timestamptz, other text);
INSERT INTO post
SELECT atid.at_uri_make(did, 'app.bsky.feed.post', rev::text), did, rev,
  'epoch'::timestamptz + n * interval '1 day' + k * interval '1 s', did
FROM person, generate_series(1, 10) k,
  LATERAL (SELECT atid.tid_make('epoch'::timestamptz + n * interval '1 day' + k * interval '1 s',
  0)) v(rev);
CREATE INDEX ON post (creator, sort_at);
CREATE INDEX ON post (rev);
CREATE INDEX ON post (other);
CREATE TABLE tx (did text, n int);
INSERT INTO tx SELECT did, n FROM person;
INSERT INTO tx VALUES ('x', -1), ('', -2), (NULL, -3), ('did:plc:', -4);
ANALYZE person, post, tx;
SET enable_bitmapscan = off;
SET max_parallel_workers_per_gather = 0;

-- a constant is a value; a parameter keeps the index, and its order
SELECT plan($$SELECT * FROM post WHERE creator = 'did:plc:c4ca423yawbz23y2wdcc5wza'::text
  ORDER BY sort_at LIMIT 5$$);
SELECT plan($$SELECT * FROM post WHERE uri = 'x'::varchar$$);
SET plan_cache_mode = force_generic_plan;
PREPARE by_text(text) AS SELECT * FROM post WHERE creator = $1 ORDER BY sort_at DESC LIMIT 5;
SELECT plan($$EXECUTE by_text('x')$$);
PREPARE by_varchar(varchar) AS SELECT * FROM post WHERE $1 = uri;
SELECT plan($$EXECUTE by_varchar('x')$$);
PREPARE by_array(text[]) AS SELECT count(*) FROM post WHERE creator = ANY ($1);
SELECT plan($$EXECUTE by_array('{x}')$$);
EXECUTE by_array('{x,did:plc:c4ca423yawbz23y2wdcc5wza,"",NULL,did:plc:c4ca423yawbz23y2wdcc5wza}');
PREPARE by_list(text, text) AS SELECT * FROM post WHERE uri IN ($1, $2);
SELECT plan($$EXECUTE by_list('x', 'y')$$);
PREPARE by_values(text, text) AS SELECT * FROM post JOIN (VALUES ($1),
  ($2)) v(did) ON v.did = creator;
SELECT plan($$EXECUTE by_values('x', 'y')$$);
PREPARE by_tid(text, text[]) AS SELECT * FROM post WHERE rev > $1 AND rev = ANY ($2);
SELECT plan($$EXECUTE by_tid('x', '{y}')$$);
PREPARE by_page(text, timestamptz) AS SELECT * FROM post WHERE (uri, sort_at) < ($1, $2)
  ORDER BY uri DESC, sort_at DESC LIMIT 5;
SELECT plan($$EXECUTE by_page('x', 'now')$$);
PREPARE by_range(text, text) AS SELECT * FROM post WHERE uri > $1 AND uri <= $2;
SELECT plan($$EXECUTE by_range('x', 'y')$$);
-- an index on a column of text, too
PREPARE by_did(atid.did) AS SELECT * FROM post WHERE other = $1;
SELECT plan($$EXECUTE by_did('did:web:x')$$);
SELECT count(*) FROM post WHERE other = 'did:plc:c4ca423yawbz23y2wdcc5wza'::atid.did;
SELECT plan($$SELECT * FROM post WHERE 'did:web:x'::atid.did = other$$);
RESET plan_cache_mode;
DEALLOCATE ALL;

-- joins with each method, from either side
CREATE FUNCTION joins(OUT method text, OUT rows bigint, OUT semi bigint, OUT anti bigint,
  OUT "full" bigint, OUT not_in bigint,
                      OUT not_in_reverse bigint, OUT three bigint)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
  others text;
BEGIN
  FOREACH method IN ARRAY ARRAY['nestloop', 'hashjoin', 'mergejoin'] LOOP
    FOREACH others IN ARRAY ARRAY['nestloop', 'hashjoin', 'mergejoin'] LOOP
      PERFORM set_config('enable_' || others, (others = method)::text, true);
    END LOOP;
    PERFORM set_config('enable_hashagg', (method = 'hashjoin')::text, true);
    rows := (SELECT count(*) FROM post JOIN tx ON tx.did = creator);
    semi := (SELECT count(*) FROM person WHERE did IN (SELECT did FROM tx WHERE n < 100));
    anti := (SELECT count(*) FROM tx WHERE NOT EXISTS (SELECT FROM person
    WHERE person.did = tx.did AND person.n < 100));
    IF method <> 'nestloop' THEN
      "full" := (SELECT count(*) FROM tx FULL JOIN (SELECT * FROM person
      WHERE n < 100) p ON p.did = tx.did);
    END IF;
    not_in := (SELECT count(*) FROM person WHERE did NOT IN (SELECT did FROM tx WHERE n > 100));
    not_in_reverse := (SELECT count(*) FROM tx WHERE did NOT IN (SELECT did FROM person
    WHERE n > 100));
    three := (SELECT count(*) FROM tx a, tx b, person WHERE a.did = person.did
    AND b.did = person.did AND b.n < 50);
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM joins();
SELECT plan($$SELECT * FROM post JOIN tx ON tx.did = creator$$);
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT plan($$SELECT * FROM post JOIN tx ON creator = tx.did$$);
RESET enable_hashjoin;
RESET enable_nestloop;

-- a hash index on text serves a value too, and any index serves a clause that is a call
CREATE INDEX tx_hash ON tx USING hash (did);
SET enable_seqscan = off;
SELECT plan($$SELECT * FROM tx WHERE did = 'did:plc:c4ca423yawbz23y2wdcc5wza'::atid.did$$);
SELECT plan($$SELECT * FROM tx
  WHERE atid.text_eq_did(did, 'did:plc:c4ca423yawbz23y2wdcc5wza')$$);
SELECT n FROM tx WHERE did = 'did:plc:c4ca423yawbz23y2wdcc5wza'::atid.did;
RESET enable_seqscan;
DROP INDEX tx_hash;

-- an inner join and a semijoin use the index of the text with a cast only; an outer join and an
-- antijoin use it without one
CREATE INDEX tx_did ON tx (did COLLATE "C");
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
CREATE FUNCTION reads_index(query text) RETURNS bool LANGUAGE sql
  RETURN (SELECT bool_or(line ~ 'tx_did') FROM plan(query) line);
SELECT how, reads_index(replace(how, '#', 'tx.did COLLATE "C" = p.did')) AS as_is,
       reads_index(replace(how, '#', 'tx.did COLLATE "C" = p.did::text')) AS with_cast
FROM unnest(ARRAY[
  'SELECT * FROM person p JOIN tx ON # WHERE p.n = 7',
  'SELECT * FROM person p WHERE p.n = 7 AND EXISTS (SELECT FROM tx WHERE #)',
  'UPDATE tx SET n = 0 FROM person p WHERE # AND p.n = 7',
  'MERGE INTO tx USING (SELECT * FROM person WHERE n = 7) p ON # WHEN MATCHED THEN DELETE',
  'MERGE INTO tx USING (SELECT * FROM person WHERE n = 7) p ON # '
    || 'WHEN NOT MATCHED THEN INSERT VALUES (did)',
  'SELECT * FROM person p LEFT JOIN tx ON # WHERE p.n = 7',
  'SELECT * FROM person p WHERE p.n = 7 AND NOT EXISTS (SELECT FROM tx WHERE #)']) AS how;
SELECT reads_index($$SELECT FROM tx WHERE did COLLATE "C"
         = ANY ('{did:plc:y,did:web:y}'::atid.did[])$$) AS as_is,
       reads_index($$SELECT FROM tx WHERE did COLLATE "C"
         = ANY ('{did:plc:y,did:web:y}'::atid.did[]::text[])$$) AS with_cast;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;

-- that index serves ranges from either side; it must have the order of bytes
SET enable_seqscan = off;
SELECT plan($$SELECT FROM tx WHERE did > 'did:plc:y'::atid.did AND 'did:plc:z'::atid.did >= did$$);
SELECT plan($$SELECT FROM tx WHERE did >= 'did:plc:y'::atid.did AND 'did:plc:z'::atid.did > did$$);
CREATE FUNCTION bounds(OUT strict bigint, OUT "from" bigint, OUT below bigint, OUT upto bigint)
LANGUAGE sql BEGIN ATOMIC
  SELECT (SELECT count(*) FROM tx WHERE did > v), (SELECT count(*) FROM tx WHERE v <= did),
         (SELECT count(*) FROM tx WHERE did < v), (SELECT count(*) FROM tx WHERE v >= did)
  FROM (VALUES ('did:plc:c4ca423yawbz23y2wdcc5wza'::atid.did)) AS value (v);
END;
SELECT * FROM bounds();
DROP INDEX tx_did;
SELECT * FROM bounds();
CREATE INDEX tx_did ON tx (did text_pattern_ops);
SELECT plan($$SELECT FROM tx WHERE did > 'did:plc:y'::atid.did AND 'did:plc:z'::atid.did >= did$$);
SELECT * FROM bounds();
DROP INDEX tx_did;
CREATE INDEX tx_did ON tx (did COLLATE "default");
CREATE INDEX tx_hash ON tx USING hash (did);
SELECT count(*) FROM plan($$SELECT FROM tx WHERE did > 'did:plc:y'::atid.did$$) line
  WHERE line ~ 'Index Cond';
RESET enable_seqscan;
DROP INDEX tx_did;
DROP INDEX tx_hash;

-- two texts are joined before the values that are equal to both
CREATE TABLE key_n (t text, pair int, n int);
CREATE TABLE key_m (t text, pair int, m int);
CREATE TABLE both_keys (did atid.did, uri atid.at_uri, tid atid.tid, n int, m int);
INSERT INTO both_keys
SELECT creator, uri, rev, n % 10, n / 10
FROM (SELECT *, row_number() OVER (ORDER BY uri) AS n FROM post) p;
CREATE INDEX ON both_keys (n, m, did);
CREATE INDEX ON both_keys (n, m, uri);
CREATE INDEX ON both_keys (n, m, tid);
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_memoize = off;
CREATE FUNCTION equal_to_both(OUT type text, OUT joined bigint, OUT expected bigint)
RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
  FOREACH type IN ARRAY ARRAY['did', 'uri', 'tid'] LOOP
    TRUNCATE key_n, key_m;
    -- one of nine pairs has the same text twice
    EXECUTE format('INSERT INTO key_n SELECT %I, m, n FROM both_keys WHERE n = 3 AND m < 100',
                   type);
    EXECUTE format('INSERT INTO key_m SELECT %I, pair, pair FROM (SELECT *, '
                   'CASE WHEN m %% 10 = 0 THEN m ELSE m / 10 * 10 + 10 - m %% 10 END AS pair '
                   'FROM both_keys WHERE n = 3 AND m < 100 AND m %% 10 <> 5) v', type);
    ANALYZE key_n, key_m, both_keys;
    EXECUTE format('SELECT count(*) FROM key_n a, key_m b, both_keys v WHERE v.%1$I = a.t '
                   'AND v.%1$I = b.t AND v.n = a.n AND v.m = b.m AND a.pair = b.pair', type)
      INTO joined;
    EXECUTE format('SELECT count(*) FROM key_n a, key_m b, both_keys v WHERE v.%1$I::text = a.t '
                   'AND v.%1$I::text = b.t AND v.n = a.n AND v.m = b.m AND a.pair = b.pair', type)
      INTO expected;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM equal_to_both();
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_memoize;

-- plans of text alone have no operators of the extension
CREATE TABLE plain (t text, u varchar);
INSERT INTO plain SELECT did, did FROM tx;
CREATE INDEX plain_pattern ON plain (t text_pattern_ops);
CREATE INDEX plain_text ON plain (u);
ANALYZE plain;
SELECT plan($$SELECT * FROM plain a JOIN plain b ON a.t = b.u$$);
SET enable_hashjoin = off;
SET enable_nestloop = off;
SET enable_seqscan = off;
SELECT plan($$SELECT a.u FROM plain a JOIN plain b ON a.u = b.u$$);
SELECT plan($$SELECT a.t FROM plain a JOIN plain b ON a.t = b.t$$);
SELECT plan($$SELECT t FROM plain ORDER BY t USING ~<~$$);
SELECT plan($$SELECT t FROM plain ORDER BY t USING ~>~ LIMIT 1$$);
SELECT plan($$SELECT t FROM plain WHERE (t) ~<~ 'b'$$);
RESET enable_hashjoin;
RESET enable_nestloop;
RESET enable_seqscan;

-- a foreign key from text is refused, because the server could not enforce it
\set VERBOSITY terse
CREATE TABLE to_did (did text REFERENCES person);
CREATE TABLE to_did (did varchar REFERENCES person);
\set VERBOSITY default

-- a name casts to text and to varchar, so it needs one of them
\set VERBOSITY terse
SELECT current_user = did FROM person;
\set VERBOSITY default
SELECT count(*) FROM person WHERE current_user::text = did OR did = 'x'::name::text;

-- partitions are pruned by a text, when planned and when run
CREATE TABLE part (did atid.did) PARTITION BY HASH (did);
CREATE TABLE part_0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO part SELECT did FROM tx WHERE n > 0;
SELECT count(*) FROM (SELECT t.did FROM tx t, LATERAL (SELECT FROM part
  WHERE part.did = t.did) x) y;
SELECT plan($$SELECT FROM part WHERE did = 'did:plc:c4ca423yawbz23y2wdcc5wza'::text$$);
SET plan_cache_mode = force_generic_plan;
PREPARE pruned(text) AS SELECT FROM part WHERE did = $1;
SELECT count(*) FROM plan($$EXECUTE pruned('did:plc:c4ca423yawbz23y2wdcc5wza')$$) p
  WHERE p ~ 'Seq Scan';
-- a list prunes nothing in a generic plan, of either type
PREPARE pruned_texts(text[]) AS SELECT FROM part WHERE did = ANY ($1);
PREPARE pruned_dids(atid.did[]) AS SELECT FROM part WHERE did = ANY ($1);
SELECT count(*) FILTER (WHERE p ~ 'Seq Scan') AS texts
  FROM plan($$EXECUTE pruned_texts('{did:web:x}')$$) p;
SELECT count(*) FILTER (WHERE p ~ 'Seq Scan') AS dids
  FROM plan($$EXECUTE pruned_dids('{did:web:x}')$$) p;
SET plan_cache_mode = force_custom_plan;
SELECT count(*) FILTER (WHERE p ~ 'Seq Scan') AS texts
  FROM plan($$EXECUTE pruned_texts('{did:web:x}')$$) p;
SELECT count(*) FILTER (WHERE p ~ 'Seq Scan') AS dids
  FROM plan($$EXECUTE pruned_dids('{did:web:x}')$$) p;
RESET plan_cache_mode;

-- estimates: a text that is a DID is estimated as that
CREATE FUNCTION estimate(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
  RETURN plan #>> '{0,Plan,Plan Rows}';
END $$;
SELECT estimate($$SELECT FROM post
  WHERE creator = 'did:plc:c4ca423yawbz23y2wdcc5wza'::text$$) BETWEEN 5 AND 20 AS eq,
       estimate($$SELECT FROM post WHERE creator < 'did:plc:h'::text$$)
         = estimate($$SELECT FROM post WHERE creator < 'did:plc:h22222222222222222222222'$$) AS lt,
       estimate($$SELECT FROM post WHERE creator < 'z'::text$$) BETWEEN 19900 AND 20000 AS all,
       estimate($$SELECT FROM post JOIN tx ON tx.did = creator$$) BETWEEN 15000 AND 25000 AS join;

--
-- uri <@ did, uri <@ text
--
SELECT count(*) > 10000 AS enough, count(*) FILTER (WHERE uri <@ t) AS within,
       count(*) FILTER (WHERE (uri <@ t) <> (t @> uri)) AS mirrored,
       count(*) FILTER (WHERE (uri <@ t) <>
                              CASE WHEN atid.at_uri_is_valid(t) THEN uri <@ t::atid.at_uri
                                   ELSE false END) AS wrong
FROM value, other WHERE uri IS NOT NULL;
SELECT count(*) > 400 AS enough, count(*) FILTER (WHERE uri <@ d.did) AS within,
       count(*) FILTER (WHERE (uri <@ d.did) <> (d.did @> uri)) AS mirrored,
       count(*) FILTER (WHERE (uri <@ d.did) <> (uri <@ atid.at_uri_make(d.did))) AS wrong
FROM value u, (SELECT did FROM value WHERE did IS NOT NULL) d WHERE uri IS NOT NULL;
SELECT plan($$SELECT uri FROM post WHERE uri <@ 'did:plc:c4ca423yawbz23y2wdcc5wza'::atid.did$$);
SELECT plan($$SELECT uri FROM post
  WHERE 'at://did:plc:c4ca423yawbz23y2wdcc5wza/app.bsky.feed.post'::text @> uri$$);
SELECT plan($$SELECT uri FROM post WHERE uri <@ 'x'::text$$);
SET enable_seqscan = off;
SELECT plan($$SELECT person.n, uri FROM person JOIN post ON uri <@ person.did WHERE person.n = 7$$);
SET plan_cache_mode = force_generic_plan;
PREPARE scope(text) AS SELECT count(*) FROM post WHERE uri <@ $1;
SELECT plan($$EXECUTE scope('x')$$);
EXECUTE scope('at://did:plc:c4ca423yawbz23y2wdcc5wza');
EXECUTE scope('at://did:plc:c4ca423yawbz23y2wdcc5wza/app.bsky.feed.post');
EXECUTE scope('at://did:plc:c4ca423yawbz23y2wdcc5wza/app.bsky.feed.post/');
EXECUTE scope('at://did:plc:c4ca423yawbz23y2wdcc5wz');
EXECUTE scope('at://');
EXECUTE scope('');
EXECUTE scope(NULL);
EXECUTE scope(repeat('at://', 100000));
RESET plan_cache_mode;
RESET enable_seqscan;
SELECT count(*) FROM person JOIN post ON uri <@ did;

-- the path, and the AT URI made of authority and path
SELECT uri, atid.at_uri_path(uri), pg_typeof(atid.at_uri_path(uri)) FROM value
  WHERE length(uri) < 50 ORDER BY n;
SELECT count(*) AS different FROM value
WHERE uri <> coalesce(atid.at_uri_make(atid.at_uri_authority(uri), atid.at_uri_path(uri)),
  atid.at_uri_make(atid.at_uri_authority(uri)))
   OR uri <> atid.at_uri_make(coalesce(atid.at_uri_did(uri), atid.at_uri_handle(uri)),
   atid.at_uri_collection(uri), atid.at_uri_rkey(uri));
SELECT atid.at_uri_make(did, 'a.b.c', tid::text), atid.at_uri_make(handle, 'a.b.c/self'),
  atid.at_uri_make(ident),
       atid.at_uri_make('a.example', 'a.b.c'::atid.nsid, '3jzfcijpj2z2a'::atid.record_key)
FROM account;
SELECT atid.at_uri_make('a.example', 'a.b.c/');
SELECT atid.at_uri_make('a.example', 'a.b.c/d/e');
SELECT atid.at_uri_make('a.example', '/self');
SELECT atid.at_uri_make('a.example', 'a.b.c/d', 'e');
SELECT atid.at_uri_make('a.example', repeat('a', 100000));

--
-- character(n): the padding is no part of the value, in an assignment, a cast, an array, a domain
-- and a change of type; a blank within is
--
CREATE DOMAIN padded AS char(30);
CREATE TABLE fixed (n int, did char(30), uri char(40), cid char(70), tid char(14), dids char(30)[]);
INSERT INTO fixed VALUES (1, 'did:web:a.example', 'at://did:web:a.example',
  'bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua', '3jzfcijpj2z2a',
  '{did:web:a.example,NULL,did:web:b.example}');
INSERT INTO fixed VALUES (2);
CREATE TABLE moved (n int, did atid.did, uri atid.at_uri, cid atid.cid_link, tid atid.tid,
  dids atid.did[]);
INSERT INTO moved TABLE fixed;
SELECT count(*) FROM fixed f JOIN moved m USING (n)
WHERE (f.did::atid.did, f.uri::atid.at_uri, f.cid::atid.cid_link, f.tid::atid.tid,
  f.dids::atid.did[])
  IS NOT DISTINCT FROM (m.did, m.uri, m.cid, m.tid, m.dids);
SELECT 'did:web:a.example'::padded::atid.did, '3jzfcijpj2z2a'::char(13)::atid.tid AS tid;
ALTER TABLE fixed ALTER did TYPE atid.did, ALTER uri TYPE atid.at_uri, ALTER cid TYPE atid.cid_link,
  ALTER tid TYPE atid.tid, ALTER dids TYPE atid.did[];
TABLE fixed;
SELECT count(*) FROM fixed f JOIN moved m ON f.* IS NOT DISTINCT FROM m.*;
UPDATE moved SET did = 'did:web:b.example '::char(20), uri = 'at://b.example'::char(20),
  cid = cid::text::char(60), tid = tid::text::char(20), dids = '{did:web:c.example}'::char(20)[]
WHERE n = 1 RETURNING *;
UPDATE moved SET did = 'did:web:b.example x'::char(20);
UPDATE moved SET uri = ''::char(20);
UPDATE moved SET cid = 'x'::char(20);
UPDATE moved SET tid = '3jzfcijpj2z2'::char(20);
UPDATE moved SET dids = '{x}'::char(20)[];

RESET ROLE;
DROP OWNED BY regress_atid CASCADE;
DROP ROLE regress_atid;
