--
-- The type atid.lexicon, as a role that was granted nothing and whose
-- search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
-- for the form on disk
CREATE CAST (bytea AS atid.lexicon) WITHOUT FUNCTION;
CREATE CAST (atid.lexicon AS bytea) WITHOUT FUNCTION;
SET ROLE regress_atid;
SHOW search_path;

-- Every operator class is whole.  (amvalidate says what is wrong as INFO.)
SELECT am.amname, opc.opcname, amvalidate(opc.oid)
FROM pg_opclass opc JOIN pg_am am ON am.oid = opc.opcmethod
WHERE opc.opcintype = 'atid.lexicon'::regtype
ORDER BY 1, 2;

-- An error's DETAIL.
CREATE FUNCTION refusal(expression text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  detail text;
BEGIN
  EXECUTE 'SELECT ' || expression;
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || detail;
END
$$;

-- A small document, with more in it.
CREATE FUNCTION small(id text, more text DEFAULT '') RETURNS text LANGUAGE sql IMMUTABLE AS
$$
  SELECT format('{"lexicon": 1, "id": "%s", "defs": {"main": {"type": "token"}}%s}', id, more)
$$;

-- Documents that refer to each other.
CREATE TABLE doc (name text PRIMARY KEY, json text);
INSERT INTO doc VALUES
  ('post', '{"lexicon": 1, "id": "com.example.post", "description": "A post", "defs": {
     "main": {"type": "record", "key": "tid", "record": {"type": "object", "required": ["text"],
       "properties": {"text": {"type": "string", "maxGraphemes": 300},
                      "reply": {"type": "ref", "ref": "#reply"},
                      "embed": {"type": "union", "refs": ["com.example.embed", "org.example.z",
                                                          "com.example.embed#image"]}}}},
     "reply": {"type": "object",
               "properties": {"parent": {"type": "ref", "ref": "com.example.defs#ref"},
                              "next": {"type": "ref", "ref": "#reply"}}},
     "unused": {"type": "array", "items": {"type": "ref", "ref": "net.example.a#b"}}}}'),
  ('embed', '{"lexicon": 1, "id": "com.example.embed", "defs": {
     "main": {"type": "object", "properties": {
       "images": {"type": "array", "items": {"type": "ref", "ref": "#image"}}}},
     "image": {"type": "object", "properties": {
       "blob": {"type": "blob", "accept": ["image/*"]},
       "size": {"type": "ref", "ref": "com.example.missing#size"}}},
     "view": {"type": "object", "properties": {}}}, "revision": 3}'),
  ('defs', '{"lexicon": 1, "id": "com.example.defs", "defs": {
     "ref": {"type": "object", "properties": {"uri": {"type": "string", "format": "at-uri"}}},
     "label": {"type": "string"}}}'),
  ('get', '{"lexicon": 1, "id": "com.example.get", "defs": {"main": {"type": "query",
     "parameters": {"type": "params", "properties": {"n": {"type": "integer"}}},
     "output": {"encoding": "application/json",
                "schema": {"type": "ref", "ref": "com.example.defs#label"}},
     "errors": [{"name": "Bad"}]}}}'),
  ('stream', '{"lexicon": 1, "id": "com.example.stream", "defs": {"main": {"type": "subscription",
     "message": {"schema": {"type": "union", "refs": ["#one", "com.example.get"]}}},
     "one": {"type": "object", "properties": {}}}}'),
  ('token', small('com.example.token'));
SELECT string_agg('atid.lexicon ' || quote_literal(json), ' || ') AS set FROM doc \gset
CREATE VIEW lexicon_of_all AS SELECT atid.lexicon_agg(json::atid.lexicon) AS set FROM doc;

--
-- Text form: canonical, and read back
--
SELECT json::atid.lexicon FROM doc WHERE name IN ('defs', 'token');
\pset format unaligned
SELECT set FROM lexicon_of_all;
\pset format aligned
SELECT '[]'::atid.lexicon, ' [ ] '::atid.lexicon = '[]' AS empty;
SELECT t::atid.lexicon = format('[%s]', small('com.example.token'))::atid.lexicon AS same
FROM (VALUES ('{"id":"com.example.token","defs":{"main":{"type":"token"}},"lexicon":1}'),
             (replace(small('com.example.token'), '"lexicon": 1', '"lexicon": 1.0')),
             (small('com.example.\u0074oken')),
             -- published
             (small('com.example.token', ', "$type": "com.atproto.lexicon.schema"')),
             (small('com.example.token', ', "$type": {"any": [1]}')),
             -- twice
             (format('[%s, %s]', small('com.example.token'),
                     small('com.example.token', ', "$type": ""'))),
             -- another
             (small('com.example.token', ', "type": ""'))) v (t);
-- "$type" goes at the top only, and whatever is next to it
SELECT small('a.b.c', ', "$typf": 1, "$type": 2, "$typd": 3')::atid.lexicon;
SELECT small('a.b.c', ', "$type": [[]], "zzzzz": {"$type": 2}, "z": [{"$type": 3}]')::atid.lexicon;
-- unknown fields of all kinds are kept
SELECT t::atid.lexicon::text = t AS stable
FROM (VALUES ('{"x":[null,true,-9223372036854775808,"é€😀\u0001\"\\",{"$bytes":"AQI"},' ||
              '{"$link":"bafkqaaa"},{},[]],"id":"a.b.c","defs":{"main":{"type":"token"}},' ||
              '"lexicon":1}')) v (t);
-- the order of NSIDs is bytewise
SELECT atid.lexicon_nsids(atid.lexicon_agg(small(id)::atid.lexicon))
FROM unnest('{b.c.d,a.b.cc,a.b.d,a.b.C,a-b.c.d,aa.b.c}'::text[]) id;

-- Each value, as text, in binary form, and as jsonb.
CREATE TABLE value AS SELECT name, json::atid.lexicon AS l FROM doc
UNION ALL SELECT 'all', set FROM lexicon_of_all UNION ALL SELECT 'none', '[]';
SELECT count(*) FROM value
WHERE l::text::atid.lexicon = l AND l::text::atid.lexicon::text = l::text
  AND l::jsonb::atid.lexicon = l AND l::text::jsonb = l::jsonb
  AND atid.lexicon_send(l) = convert_to(l::text, 'UTF8');
SELECT name, l::jsonb FROM value WHERE name IN ('token', 'none');
SELECT jsonb_typeof(l::jsonb), jsonb_array_length(l::jsonb) FROM value WHERE name = 'all';

-- The form on disk is frozen: a version, 3 bytes, the digest, DAG-CBOR.
SELECT '[]'::atid.lexicon::bytea = '\x01000000' || sha256('\xa0') || '\xa0' AS empty,
       l::bytea = '\x01000000' || sha256(cbor) || cbor AS token, substr(l::bytea, 37)
FROM value, LATERAL (SELECT atid.record_to_dag_cbor('{"com.example.token":
       {"lexicon": 1, "id": "com.example.token", "defs": {"main": {"type": "token"}}}}')) c (cbor)
WHERE name = 'token';
SELECT atid.dag_cbor_is_valid(substr(l::bytea, 37)) AS valid,
       ARRAY(SELECT jsonb_object_keys(atid.dag_cbor_get(substr(l::bytea, 37)))) AS keys
FROM value WHERE name = 'all';

--
-- What is refused, and why
--
SELECT '{"lexicon": 1, "id": "com.example.bad", "defs": {"a": {"type": "strin"}}}'::atid.lexicon;
SELECT '[{"lexicon": 1, "id": "com.example.bad", "defs": {}]'::atid.lexicon;
SELECT ''::atid.lexicon;
SELECT '{"lexicon": 1} 1'::atid.lexicon;
CREATE TABLE bad (what text, json jsonb);
INSERT INTO bad VALUES
  ('a scalar', '1'), ('null', 'null'), ('a string', '"x"'), ('bytes', '{"$bytes": ""}'),
  ('an array of them', '[[]]'), ('no document', '[{}, 1]'), ('a link', '[{"$link": "bafkqaaa"}]'),
  ('no id', '{"lexicon": 1, "defs": {"main": {"type": "token"}}}'),
  ('id', '[{"lexicon": 1, "id": 1, "defs": {"main": {"type": "token"}}}]'),
  ('id of another object', '{"lexicon": 1, "defs": {"main": {"type": "token", "id": "a.b.c"}}}'),
  ('NSID', small('com.example')::jsonb),
  ('second NSID', format('[%s, {"id": "a.b.c_"}]', small('a.b.c'))::jsonb),
  ('NSID of 1000', jsonb_build_object('id', 'a.b.' || repeat('c', 1000))),
  ('no version', small('a.b.c')::jsonb - 'lexicon'),
  ('version', small('a.b.c')::jsonb || '{"lexicon": 2}'),
  ('no defs', '{"lexicon": 1, "id": "a.b.c"}'),
  ('no definition', '{"lexicon": 1, "id": "a.b.c", "defs": {}}'),
  ('fraction', small('a.b.c', ', "x": {"minimum": 0.5}')::jsonb),
  ('two', format('[%s, %s, %s]', small('a.b.c'), small('a.b.d'),
                 small('a.b.c', ', "description": ""'))::jsonb),
  ('in the second', format('[%s, {"lexicon": 1, "id": "a.b.c", "defs": {"main": {"type": "record",
     "key": "tid", "record": {"type": "object", "properties": {"a b": {"type": "array",
     "items": {"type": "ref", "ref": "#x"}}}}}}}]', small('a.b.d'))::jsonb);
SELECT what, atid.lexicon_problem(json) FROM bad;
SELECT count(*) FROM bad WHERE atid.lexicon_is_valid(json);
SELECT what FROM bad
WHERE refusal(format('%L::atid.lexicon', json)) <> '22P02 ' || atid.lexicon_problem(json)
   OR refusal(format('%L::jsonb::atid.lexicon', json)) <> '22023 ' || atid.lexicon_problem(json);
SELECT count(*) FROM doc
WHERE atid.lexicon_is_valid(json::jsonb) AND atid.lexicon_problem(json::jsonb) IS NULL;
SELECT '{"id": 1}'::jsonb::atid.lexicon;
-- only in text
SELECT refusal(quote_literal(t) || '::atid.lexicon')
FROM (VALUES ('{"id": "a.b.c", "id": "a.b.c"}'), ('[1e400]'), ('{"a": "\ud800"}'),
             ('[{"x": [0, {"$link": "x"}]}]'), ('{"x": {"$bytes": "AQI", "y": 1}}'),
             ('{"a" 1}'), ('{"a": 1,}'), ('{1: 2}'), ('[1 2]'), ('[1,]'), ('tru'), ('"\x"'),
             ('[] []'),
             ('{"$link" "x"}'), ('{"$bytes": }'), ('{"\q": 1}'), (U&'"\0001"')) v (t);
SELECT refusal(quote_literal(repeat('[', n) || repeat(']', n)) || '::atid.lexicon') ~
         '^54000 .*at most 512 deep\.$' AS deep
FROM unnest('{513,100000}'::int[]) n;
-- 510 levels are left for unknown fields; one more is too deep for the set
SELECT n, left(refusal(format('%L::atid.lexicon', small('a.b.c', format(', "x": %s%s',
                                repeat('[', n), repeat(']', n))))), 30)
FROM unnest('{510,511,512}'::int[]) n;
-- a long value is quoted by its ends
SELECT ('["' || repeat('é', 1000) || '"]')::atid.lexicon;

-- U+0000 is kept, but jsonb cannot have it.
SELECT small('a.b.c', ', "x": ["\u0000"]')::atid.lexicon AS nul \gset
SELECT :'nul'::atid.lexicon, :'nul'::atid.lexicon::text::atid.lexicon = :'nul' AS same;
SELECT :'nul'::atid.lexicon::jsonb;
SELECT atid.lexicon_document(:'nul', 'a.b.c');

-- NULL
SELECT NULL::atid.lexicon, NULL::jsonb::atid.lexicon, NULL::atid.lexicon::jsonb,
       atid.lexicon_problem(NULL), atid.lexicon_is_valid(NULL), atid.lexicon_nsids(NULL),
       atid.lexicon_missing(NULL), atid.lexicon_only(NULL, '{}'), atid.lexicon_only('[]', NULL),
       atid.lexicon_document(NULL, ''),
       atid.lexicon_document('[]', NULL), '[]'::atid.lexicon || NULL, '[]'::atid.lexicon = NULL;

-- Values that this version cannot read.
CREATE FUNCTION reading(value bytea) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  expression text;
  said text[];
BEGIN
  FOREACH expression IN ARRAY '{l::text,atid.lexicon_nsids(l),atid.lexicon_missing(l),l||l,
                                l=l,atid.lexicon_hash(l)}'::text[]
  LOOP
    BEGIN
      EXECUTE 'SELECT ' || expression || ' FROM (SELECT $1::atid.lexicon) v (l)' USING value;
      said := said || 'read'::text;
    EXCEPTION WHEN OTHERS THEN
      said := said || (SQLSTATE || ' ' || SQLERRM);
    END;
  END LOOP;
  RETURN (SELECT string_agg(DISTINCT s, ', ') FROM unnest(said) s);
END
$$;
SELECT what, reading(value)
FROM (SELECT l::bytea FROM value WHERE name = 'token') v (b),
     LATERAL (VALUES ('as it is', b), ('version 2', set_byte(b, 0, 2)),
                     ('version 3', set_byte(b, 0, 3)), ('only version 2', '\x02'),
                     ('only version 3', '\x03'),
                     ('version 0', set_byte(b, 0, 0)), ('reserved 1', set_byte(b, 1, 1)),
                     ('reserved 2', set_byte(b, 2, 255)), ('reserved 3', set_byte(b, 3, 1)),
                     ('nothing', ''), ('only version 1', '\x01'), ('no digest', '\x01000000'),
                     ('no set', substr(b, 1, 36))) t (what, value);
-- damage behind the digest is found when the set is read
SELECT what, atid.lexicon_eq(value::atid.lexicon, '[]') AS eq, reading(value)
FROM (SELECT l::bytea FROM value WHERE name = 'defs') v (b),
     LATERAL (VALUES ('cut', substr(b, 1, length(b) - 1)), ('more', b || '\x00'),
                     ('an array', substr(b, 1, 36) || '\x80'),
                     ('an integer', substr(b, 1, 36) || '\x01')) t (what, value);

--
-- What the language lacks: a primary type, a format
--
CREATE TABLE other (name text, json jsonb);
INSERT INTO other VALUES
  ('space', '{"lexicon": 1, "id": "com.example.forum", "defs": {
     "main": {"type": "space", "key": 1, "record": {"properties": []}},
     "word": {"type": "string", "maxLength": 3}}}'),
  ('format', '{"lexicon": 1, "id": "com.example.thread", "defs": {
     "main": {"type": "record", "key": "tid", "record": {"type": "object",
       "required": ["space"], "properties": {
       "space": {"type": "string", "format": "space-ref", "maxLength": 50},
       "forum": {"type": "ref", "ref": "com.example.forum"},
       "forums": {"type": "union", "closed": true,
                  "refs": ["com.example.forum", "com.example.none"]},
       "word": {"type": "ref", "ref": "com.example.forum#word"}}}}}}'),
  ('both', '[{"lexicon": 1, "id": "a.b.c", "defs": {
       "a": {"type": "array", "items": {"type": "string", "format": "x"}}}},
     {"lexicon": 1, "id": "a.b.d", "defs": {"main": {"type": "x"}}}]');
SELECT name, atid.lexicon_problem(json), atid.lexicon_is_valid(json),
       atid.lexicon_problem(json, strict => true) AS strict_problem,
       atid.lexicon_is_valid(json, strict => true) AS strict
FROM other;
SELECT atid.lexicon_problem(json, false), atid.lexicon_problem(json, NULL),
       atid.lexicon_is_valid(json, NULL), atid.lexicon_problem(NULL, true),
       atid.lexicon_is_valid(NULL, true)
FROM other WHERE name = 'space';
-- what is wrong besides comes first
SELECT atid.lexicon_problem(json || '{"lexicon": 2}', true),
       atid.lexicon_problem(jsonb_set(json, '{defs,word,type}', '"x"'), true),
       atid.lexicon_problem(jsonb_set(json, '{defs,main,type}', '1')),
       atid.lexicon_problem(jsonb_set(json, '{defs,main,type}', '"params"'))
FROM other WHERE name = 'space';
SELECT count(*) FROM bad
WHERE atid.lexicon_problem(json, true) IS DISTINCT FROM atid.lexicon_problem(json);
SELECT name FROM doc WHERE NOT atid.lexicon_is_valid(json::jsonb, true);
-- the form on disk has version 2 as long as the set has such a thing, and else 1
SELECT name, get_byte(json::atid.lexicon::bytea, 0) AS version,
       json::atid.lexicon::text::atid.lexicon = json::atid.lexicon AS same,
       reading(json::atid.lexicon::bytea)
FROM other;
CREATE VIEW forum AS
SELECT atid.lexicon_agg(json::atid.lexicon) AS set FROM other WHERE name <> 'both';
SELECT get_byte(l::bytea, 0) AS version, atid.lexicon_nsids(l)
FROM forum, small('a.b.c') AS s (json),
     LATERAL (VALUES (set), (set || json::atid.lexicon), (json::atid.lexicon || set),
                     (json::atid.lexicon || '[]'), (atid.lexicon_only(set, '{com.example.forum}')),
                     (atid.lexicon_only(set, '{com.example.thread}')),
                     (atid.lexicon_only(set, '{com.example.forum#word}')),
                     (atid.lexicon_only(set, '{}'))) v (l);
SELECT get_byte(atid.lexicon_agg(l)::bytea, 0) AS version
FROM (SELECT l FROM value UNION ALL SELECT json::atid.lexicon FROM other) v (l);
SELECT get_byte(atid.lexicon_agg(l) OVER (ORDER BY n)::bytea, 0) AS version
FROM (VALUES (1, small('a.b.e')::atid.lexicon), (2, (SELECT set FROM forum)),
             (3, small('a.b.f')::atid.lexicon)) v (n, l);
-- a definition of such a type knows nothing of values, and nothing of records
SELECT record, atid.record_conforms(record, set), atid.record_conforms_problem(record, set)
FROM forum, (VALUES
  ('{"$type": "com.example.thread", "space": "not yet known"}'::jsonb),
  ('{"$type": "com.example.thread", "space": "", "forum": [{}],
     "forums": {"$type": "com.example.forum"}}'),
  ('{"$type": "com.example.thread", "space": 1}'),
  ('{"$type": "com.example.thread"}'),
  ('{"$type": "com.example.thread", "space": "", "forum": null}'),
  ('{"$type": "com.example.thread", "space": "", "forum": 1.5}'),
  ('{"$type": "com.example.thread", "space": "", "forums": {"$type": "com.example.other"}}'),
  ('{"$type": "com.example.thread", "space": "", "forums": {"$type": "com.example.none"}}'),
  ('{"$type": "com.example.thread", "space": "", "word": "four"}'),
  ('{"$type": "com.example.forum"}')) AS v (record);
SELECT atid.value_conforms('[1]', set, 'com.example.forum'),
       atid.value_conforms('"four"', set, 'com.example.forum#word'),
       atid.record_key_conforms('self', set, 'com.example.forum'),
       atid.xrpc_conforms_problem('{}', set, 'com.example.forum', 'output')
FROM forum;
SELECT atid.record_must_conform('{"$type": "com.example.forum"}', set) FROM forum;
SELECT atid.lexicon_missing(set) FROM forum;

--
-- Sets
--
SELECT atid.lexicon_nsids(set), atid.lexicon_missing(set) FROM lexicon_of_all;
SELECT name, atid.lexicon_nsids(l), atid.lexicon_missing(l) FROM value ORDER BY name COLLATE "C";
SELECT name, atid.lexicon_document(set, id) = atid.lexicon_document(json::atid.lexicon, id) AND
       atid.lexicon_document(set, id)::atid.lexicon = json::atid.lexicon AS same
FROM doc, lexicon_of_all, LATERAL (SELECT json::jsonb->>'id') i (id);
SELECT atid.lexicon_document(set, 'com.example.token'),
       atid.lexicon_document(set, 'com.example.toke'),
       atid.lexicon_document(set, 'com.example.token#main'), atid.lexicon_document(set, '')
FROM lexicon_of_all;

-- ||
SELECT (:set) = set AND (:set) || set = set AND set || '[]' = set AND '[]' || set = set AS same
FROM lexicon_of_all;
SELECT a.l || b.l = b.l || a.l AS commutes, count(*) FROM value a, value b GROUP BY 1;
SELECT :'nul'::atid.lexicon || small('a.b.c')::atid.lexicon;

-- lexicon_agg
SELECT atid.lexicon_agg(l) = (SELECT set FROM lexicon_of_all) AS same FROM value;
SELECT atid.lexicon_agg(l) FROM value WHERE false;
SELECT atid.lexicon_agg(NULL), atid.lexicon_agg(l) FILTER (WHERE name = 'none') FROM value;
SELECT atid.lexicon_agg(l) FROM (VALUES (:'nul'::atid.lexicon), ('[]'), (NULL), (:'nul')) v (l);
SELECT atid.lexicon_agg(l) FROM (VALUES (small('a.b.c')::atid.lexicon), (:'nul')) v (l);
-- the state outlives a result: as a window function, and of many rows
SELECT name, atid.lexicon_nsids(atid.lexicon_agg(l) OVER (ORDER BY name COLLATE "C" DESC))
FROM value WHERE name NOT IN ('all', 'none');
SELECT atid.lexicon_agg(l) = (SELECT set FROM lexicon_of_all) AS same
FROM value, generate_series(1, 1000);

-- lexicon_only
SELECT atid.lexicon_only(set, '{com.example.post}') AS only FROM lexicon_of_all \gset
\pset format unaligned
SELECT :'only'::atid.lexicon;
\pset format aligned
SELECT atid.lexicon_missing(:'only'),
       atid.lexicon_only(:'only', '{com.example.post}') = :'only' AS same,
       atid.lexicon_problem(:'only'::atid.lexicon::jsonb);
CREATE FUNCTION names(set atid.lexicon) RETURNS text[] LANGUAGE sql AS
$$
  SELECT array_agg(d->>'id' || '#' || k)
  FROM jsonb_path_query(set::jsonb, '$[*]') d, jsonb_object_keys(d->'defs') k
$$;
SELECT names, names(atid.lexicon_only(set, names)) AS only
FROM lexicon_of_all, (VALUES ('{}'::text[]), ('{com.example.token}'),
  ('{com.example.get,com.example.token,com.example.get}'), ('{com.example.embed}'),
  ('{com.example.embed#view,com.example.embed#image}'), ('{com.example.embed#main}'),
  ('{com.example.post#reply}'), ('{com.example.post#unused}'), ('{com.example.stream}'),
  ('{{com.example.defs#label},{com.example.defs#ref}}')) v (names);
SELECT atid.lexicon_only(set, names(set)) = set AS whole FROM lexicon_of_all;
SELECT atid.lexicon_only(set, '{com.example.token,com.example.defs}') FROM lexicon_of_all;
SELECT atid.lexicon_only(set, '{com.example.defs#labe}') FROM lexicon_of_all;
SELECT atid.lexicon_only(set, '{nonsense}') FROM lexicon_of_all;
SELECT atid.lexicon_only(set, '{com.example.token,NULL}') FROM lexicon_of_all;
-- a document of which something was left out is another one
SELECT :'only' || l = l || :'only' AS same FROM value WHERE name = 'token';
SELECT :'only' || set FROM lexicon_of_all;

--
-- Equality and hashes
--
SELECT a.name, b.name FROM value a JOIN value b ON a.l = b.l WHERE a.name <> b.name;
SELECT count(*) FILTER (WHERE a.l <> b.l) AS different,
       count(*) FILTER (WHERE NOT a.l <> b.l) AS equal
FROM value a, value b;
CREATE TABLE many AS
SELECT n, small('a.b.c' || n % 500)::atid.lexicon AS l FROM generate_series(1, 2000) n;
ANALYZE many;
SELECT count(*), count(DISTINCT atid.lexicon_hash(l)) AS hashes,
       count(*) FILTER (WHERE atid.lexicon_hash(l)
                              = atid.lexicon_hash_extended(l, 0)::bit(32)::int) AS same,
       count(DISTINCT atid.lexicon_hash_extended(l, 1)) AS seeded
FROM (SELECT DISTINCT l FROM many) d;
SELECT count(*) FROM (SELECT l FROM many GROUP BY l HAVING count(*) = 4) g;
SELECT count(*) FROM (TABLE many EXCEPT SELECT n, l FROM many WHERE n > 100) e;
SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM many a JOIN many b USING (l);
SELECT count(*) FROM many a JOIN many b USING (l);
RESET enable_nestloop;
CREATE INDEX ON many USING hash (l);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT n FROM many WHERE l = small('a.b.c7')::atid.lexicon;
SELECT n FROM many WHERE l = small('a.b.c7')::atid.lexicon ORDER BY n;
RESET enable_seqscan;
CREATE TABLE part (l atid.lexicon) PARTITION BY HASH (l);
CREATE TABLE part0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part1 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO part SELECT l FROM value;
SELECT count(*) FROM part;

-- Casts in assignments.
CREATE TABLE assigned (l atid.lexicon);
INSERT INTO assigned SELECT l::jsonb FROM value;
SELECT count(*) FROM assigned JOIN value USING (l);

-- A value of several pages, compressed and not
CREATE TABLE large (how text, l atid.lexicon);
ALTER TABLE large ALTER l SET STORAGE external;
INSERT INTO large
SELECT 'external', atid.lexicon_agg(small('a.b.c' || n)::atid.lexicon)
FROM generate_series(1, 1000) n;
ALTER TABLE large ALTER l SET STORAGE extended;
INSERT INTO large SELECT 'extended', l || '[]' FROM large;
SELECT how, pg_column_size(l) > 50000 AS as_it_is, cardinality(atid.lexicon_nsids(l)),
       atid.lexicon_missing(l), md5(l::text)
FROM large;
SELECT count(*) FROM large a JOIN large b USING (l);

-- A constant in a domain is read once, and printed as JSON.
CREATE DOMAIN known AS text CHECK (VALUE = ANY (atid.lexicon_nsids(
  '{"id": "a.b.c", "lexicon": 1, "defs": {"main": {"type": "token"}}}')));
SELECT 'a.b.c'::known;
SELECT 'a.b.d'::known;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contypid = 'known'::regtype;

-- An error in the middle of a call leaves no program behind, and the next call compiles again.
SELECT atid.lexicon_missing(atid.lexicon_only(set, '{com.example.get}')) FROM lexicon_of_all;
DO $$
BEGIN
  FOR i IN 1..3 LOOP
    BEGIN
      PERFORM atid.lexicon_missing(('\x01000000' || sha256('\x01') || '\x01')::atid.lexicon);
    EXCEPTION WHEN data_corrupted THEN
      RAISE NOTICE '%', SQLERRM;
    END;
  END LOOP;
END
$$;

RESET ROLE;
DROP CAST (bytea AS atid.lexicon);
DROP CAST (atid.lexicon AS bytea);
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
