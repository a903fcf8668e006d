--
-- What differs between two sets of Lexicons, and whom it breaks: a line for each rule
-- of evolution.  As a role that was granted nothing and whose search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SHOW search_path;

-- A record type with one optional property "x", and things to refer to.
CREATE FUNCTION with_x(schema jsonb) RETURNS atid.lexicon IMMUTABLE LANGUAGE sql
RETURN jsonb_build_object('lexicon', 1, 'id', 'com.example.note', 'defs', jsonb_build_object(
  'main', jsonb_build_object('type', 'record', 'key', 'tid', 'record', jsonb_build_object(
     'type', 'object', 'properties', jsonb_build_object('x', schema))),
  'a', '{"type": "object", "properties": {}}'::jsonb,
  'b', '{"type": "object", "properties": {}}'::jsonb,
  'c', '{"type": "object", "properties": {}}'::jsonb))::atid.lexicon;

CREATE TABLE rules (n int GENERATED ALWAYS AS IDENTITY, old jsonb, new jsonb);

-- types, and what is not a constraint
INSERT INTO rules (old, new) VALUES
  ('{"type": "string"}', '{"type": "string"}'),
  ('{"type": "string"}', '{"type": "string", "description": "A text.", "knownValues": ["a"]}'),
  ('{"type": "string"}', '{"type": "integer"}'),
  ('{"type": "ref", "ref": "#a"}', '{"type": "object", "properties": {}}'),
  ('{"type": "unknown"}', '{"type": "union", "refs": []}'),
  ('{"type": "cid-link"}', '{"type": "string", "format": "cid"}');
-- const, default
INSERT INTO rules (old, new) VALUES
  ('{"type": "boolean"}', '{"type": "boolean", "const": true}'),
  ('{"type": "boolean", "const": true}', '{"type": "boolean"}'),
  ('{"type": "boolean", "const": true}', '{"type": "boolean", "const": false}'),
  ('{"type": "integer", "const": 1}', '{"type": "integer", "const": -2}'),
  ('{"type": "string", "const": "a"}', '{"type": "string", "const": "\"b\""}'),
  ('{"type": "integer"}', '{"type": "integer", "default": 10}'),
  ('{"type": "integer", "default": 10}', '{"type": "integer", "default": 20}'),
  ('{"type": "string", "default": "a"}', '{"type": "string"}');
-- limits
INSERT INTO rules (old, new) VALUES
  ('{"type": "integer"}', '{"type": "integer", "minimum": 0}'),
  ('{"type": "integer", "minimum": -1}', '{"type": "integer", "minimum": 0}'),
  ('{"type": "integer", "minimum": 0}', '{"type": "integer", "minimum": -1}'),
  ('{"type": "integer", "maximum": 9}', '{"type": "integer"}'),
  ('{"type": "integer", "maximum": 9}', '{"type": "integer", "maximum": 8}'),
  ('{"type": "integer", "maximum": 8}', '{"type": "integer", "maximum": 9}'),
  ('{"type": "string"}', '{"type": "string", "minLength": 0, "minGraphemes": 0}'),
  ('{"type": "string"}', '{"type": "string", "maxLength": 300}'),
  ('{"type": "string", "minLength": 1}', '{"type": "string", "minLength": 2}'),
  ('{"type": "string", "maxLength": 300, "maxGraphemes": 30}',
   '{"type": "string", "maxLength": 400, "maxGraphemes": 20}'),
  ('{"type": "string", "minGraphemes": 2}', '{"type": "string", "minGraphemes": 1}'),
  ('{"type": "bytes", "maxLength": 8}', '{"type": "bytes", "minLength": 8, "maxLength": 8}'),
  ('{"type": "array", "items": {"type": "integer"}, "maxLength": 4}',
   '{"type": "array", "items": {"type": "integer"}, "maxLength": 5, "minLength": 1}'),
  ('{"type": "blob"}', '{"type": "blob", "maxSize": 1000}'),
  ('{"type": "blob", "maxSize": 1000}', '{"type": "blob", "maxSize": 2000}');
-- formats
INSERT INTO rules (old, new) VALUES
  ('{"type": "string"}', '{"type": "string", "format": "did"}'),
  ('{"type": "string", "format": "did"}', '{"type": "string"}'),
  ('{"type": "string", "format": "did"}', '{"type": "string", "format": "at-identifier"}');
-- enum, accept
INSERT INTO rules (old, new) VALUES
  ('{"type": "string"}', '{"type": "string", "enum": ["a"]}'),
  ('{"type": "string", "enum": ["a"]}', '{"type": "string"}'),
  ('{"type": "string", "enum": ["a", "bb", "c"]}', '{"type": "string", "enum": ["d", "c", "a"]}'),
  ('{"type": "string", "enum": ["a", "b", "a"]}', '{"type": "string", "enum": ["b", "a", "b"]}'),
  ('{"type": "integer", "enum": [1, 2]}', '{"type": "integer", "enum": [2, -3]}'),
  ('{"type": "blob"}', '{"type": "blob", "accept": ["image/png"]}'),
  ('{"type": "blob", "accept": ["image/png"]}', '{"type": "blob", "accept": ["image/png",
    "image/gif"]}'),
  ('{"type": "blob", "accept": ["image/png", "text/plain"]}', '{"type": "blob",
    "accept": ["image/*"]}'),
  ('{"type": "blob", "accept": ["*/*", "image/png"]}', '{"type": "blob", "accept": ["*/*",
    "image/"]}');
-- refs and unions
INSERT INTO rules (old, new) VALUES
  ('{"type": "ref", "ref": "#a"}', '{"type": "ref", "ref": "com.example.note#a"}'),
  ('{"type": "ref", "ref": "#a"}', '{"type": "ref", "ref": "#b"}'),
  ('{"type": "union", "refs": ["#a", "#b"]}', '{"type": "union", "refs": ["#c",
    "com.example.note#b"]}'),
  ('{"type": "union", "closed": true, "refs": ["#a", "#b"]}', '{"type": "union", "closed": true,
    "refs": ["#b", "#c"]}'),
  ('{"type": "union", "refs": ["#a"]}', '{"type": "union", "closed": true, "refs": ["#a"]}'),
  ('{"type": "union", "closed": true, "refs": ["#a"]}', '{"type": "union", "refs": ["#a"]}'),
  ('{"type": "union", "refs": ["#a", "#b"]}', '{"type": "union", "closed": true, "refs": ["#b",
    "#c"]}'),
  ('{"type": "union", "closed": true, "refs": ["#a", "#b"]}', '{"type": "union", "refs": ["#b",
    "#c"]}');
-- what is inside
INSERT INTO rules (old, new) VALUES
  ('{"type": "array", "items": {"type": "array", "items": {"type": "string"}}}',
   '{"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}'),
  ('{"type": "object", "required": ["a", "e"], "nullable": ["b"],
    "properties": {"a": {"type": "string"},
     "b": {"type": "string"}, "c": {"type": "string"}, "d": {"type": "string"},
       "e": {"type": "string"}}}',
   '{"type": "object", "required": ["b", "g"], "nullable": ["c"],
     "properties": {"a": {"type": "string"},
     "b": {"type": "string"}, "c": {"type": "string"}, "f": {"type": "string"},
       "g": {"type": "string"},
     "two words": {"type": "string"}}}');

-- the path without what all have in common
SELECT n, substr(path, length('$.defs.main.record.properties.') + 1) AS path, change,
  breaks_old_data AS data, breaks_old_readers AS readers
FROM rules LEFT JOIN LATERAL atid.lexicon_changes(with_x(old), with_x(new)) ON true
ORDER BY n;
-- backwards: what broke data breaks readers, and the other way round; but for a member that
-- an open union gains or loses, and a property that is only added or removed
SELECT n, f.path, f.change AS change, b.change AS back
FROM rules,
  LATERAL (SELECT path, bool_or(breaks_old_data) AS data, bool_or(breaks_old_readers) AS readers,
             string_agg(change, '; ') AS change
           FROM atid.lexicon_changes(with_x(old), with_x(new)) GROUP BY path) f
  LEFT JOIN LATERAL (SELECT path, bool_or(breaks_old_data) AS data,
    bool_or(breaks_old_readers) AS readers,
             string_agg(change, '; ') AS change
           FROM atid.lexicon_changes(with_x(new), with_x(old)) GROUP BY path) b USING (path)
WHERE (f.data, f.readers) IS DISTINCT FROM (b.readers, b.data) ORDER BY n, path;

--
-- Records, definitions, documents
--
CREATE FUNCTION set_of(VARIADIC documents jsonb[]) RETURNS atid.lexicon IMMUTABLE LANGUAGE sql
RETURN (SELECT atid.lexicon_agg(d::atid.lexicon) FROM unnest(documents) d);
CREATE FUNCTION doc(id text, defs jsonb) RETURNS jsonb IMMUTABLE LANGUAGE sql
RETURN jsonb_build_object('lexicon', 1, 'id', id, 'defs', defs);

SELECT old, new, c.path, c.change, breaks_old_data AS data, breaks_old_readers AS readers
FROM (VALUES ('any', 'tid'), ('tid', 'any'), ('tid', 'nsid'), ('literal:self', 'literal:main'),
             ('literal:self', 'any'), ('tid', 'tid')) AS v (old, new),
  atid.lexicon_changes(
    doc('com.example.note', jsonb_build_object('main', jsonb_build_object('type', 'record', 'key',
      old,
      'record', '{"type": "object", "properties": {}}'::jsonb)))::atid.lexicon,
    doc('com.example.note', jsonb_build_object('main', jsonb_build_object('type', 'record', 'key',
      new,
      'record', '{"type": "object", "properties": {}}'::jsonb)))::atid.lexicon) c;

-- in the bytewise order of NSIDs; the first differs in all its definitions
SELECT * FROM atid.lexicon_changes(
  set_of(doc('com.example.defs', '{"a": {"type": "string"}, "b": {"type": "token"},
    "gone": {"type": "token"},
                                   "object": {"type": "object", "properties": {}},
                                   "odd/name": {"type": "string"}}'),
         doc('com.example.z', '{"main": {"type": "token"}}'),
         doc('com.example.old', '{"main": {"type": "string"}}'),
         doc('com.example.same', '{"main": {"type": "string"}}')),
  set_of(doc('com.example.defs', '{"a": {"type": "bytes"}, "b": {"type": "object",
    "properties": {}}, "c": {"type": "string"},
                                   "odd/name": {"type": "string", "maxLength": 9}}'),
         doc('com.example.same', '{"main": {"type": "string"}}') || '{"description": "The same."}',
         doc('com.example.brandnew', '{"main": {"type": "string"}}')));

--
-- Queries, procedures, subscriptions
--
CREATE TABLE methods (n int GENERATED ALWAYS AS IDENTITY, old jsonb, new jsonb);
INSERT INTO methods (old, new) VALUES
  ('{"type": "query"}', '{"type": "procedure"}'),
  ('{"type": "query"}', '{"type": "query", "parameters": {"type": "params",
    "properties": {"a": {"type": "string"}}}}'),
  ('{"type": "query", "parameters": {"type": "params", "properties": {"a": {"type": "string"}}}}',
    '{"type": "query"}'),
  ('{"type": "query"}', '{"type": "query", "parameters": {"type": "params", "required": ["a"],
    "properties": {"a": {"type": "string"}}}}'),
  ('{"type": "query", "parameters": {"type": "params", "required": ["a"],
    "properties": {"a": {"type": "string"}}}}', '{"type": "query"}'),
  ('{"type": "query", "parameters": {"type": "params", "properties": {"a": {"type": "integer",
    "maximum": 50},
      "b": {"type": "array", "items": {"type": "string"}}}}}',
   '{"type": "query", "parameters": {"type": "params", "required": ["a"],
     "properties": {"a": {"type": "integer", "maximum": 100},
      "b": {"type": "array", "items": {"type": "string", "format": "did"}}}}}'),
  ('{"type": "query"}', '{"type": "query", "output": {"encoding": "application/json"}}'),
  ('{"type": "query", "output": {"encoding": "application/json"}}', '{"type": "query",
    "output": {"encoding": "*/*"}}'),
  ('{"type": "query", "output": {"encoding": "application/json"}}',
   '{"type": "query", "output": {"encoding": "application/json", "schema": {"type": "object",
     "properties": {}}}}'),
  ('{"type": "query", "output": {"encoding": "application/json", "schema": {"type": "object",
    "properties": {}}}}',
   '{"type": "query", "output": {"encoding": "application/json"}}'),
  ('{"type": "query", "output": {"encoding": "application/json", "schema": {"type": "object",
    "properties": {"a": {"type": "string"}}}}}',
   '{"type": "query", "output": {"encoding": "application/json", "schema": {"type": "object",
     "required": ["a"], "properties": {"a": {"type": "string"}}}}}'),
  ('{"type": "procedure", "input": {"encoding": "application/json"}}', '{"type": "procedure"}'),
  ('{"type": "subscription", "message": {"schema": {"type": "union", "refs": ["com.example.a"]}}}',
   '{"type": "subscription", "message": {"schema": {"type": "union", "refs": ["com.example.a",
     "com.example.b#c"]}}}'),
  ('{"type": "query", "errors": [{"name": "A"}]}', '{"type": "query", "errors": [{"name": "B"}]}'),
  ('{"type": "permission-set", "permissions": []}', '{"type": "permission-set", "permissions": [],
    "title": "None"}');
SELECT n, path, change, breaks_old_data AS data, breaks_old_readers AS readers
FROM methods LEFT JOIN LATERAL atid.lexicon_changes(
  doc('com.example.method', jsonb_build_object('main', old))::atid.lexicon,
  doc('com.example.method', jsonb_build_object('main', new))::atid.lexicon) ON true
ORDER BY n;

--
-- NULL, nothing, and a set with itself
--
SELECT count(*) FROM atid.lexicon_changes(NULL, with_x('{"type": "string"}'));
SELECT count(*) FROM atid.lexicon_changes(with_x('{"type": "string"}'), NULL);
SELECT count(*) FROM rules, atid.lexicon_changes(with_x(new), with_x(new));

--
-- A path that is too long is NULL; paths that are long together are NULL from a place on
--
SELECT c.nsid, c.path IS NULL AS no_path, c.change
FROM atid.lexicon_changes(
  doc('com.example.note', jsonb_build_object(repeat('x', 5000),
    '{"type": "string"}'::jsonb))::atid.lexicon,
  doc('com.example.note', jsonb_build_object(repeat('x', 5000),
    '{"type": "bytes"}'::jsonb))::atid.lexicon) c;
WITH deep AS (
  SELECT doc('com.example.note', jsonb_build_object(repeat('d', 4000), jsonb_build_object('type',
    'object',
      'properties', jsonb_object_agg('p' || i, jsonb_build_object('type',
      type)))))::atid.lexicon AS set, type
  FROM generate_series(1, 1000) i, (VALUES ('string'), ('bytes')) v (type) GROUP BY type
)
SELECT count(*), count(path) BETWEEN 16 AND 500 AS bounded
FROM deep a, deep b, atid.lexicon_changes(a.set, b.set)
WHERE a.type = 'string' AND b.type = 'bytes';

-- objects in objects, as deep as DAG-CBOR allows
WITH deep AS (
  SELECT max_length, ('{"lexicon": 1, "id": "com.example.deep", "defs": {"a": '
    || repeat('{"type": "object", "properties": {"p": ', 250) || '{"type": "string",
      "maxLength": ' || max_length || '}'
    || repeat('}}', 250) || '}}')::atid.lexicon AS set
  FROM (VALUES (1), (2)) v (max_length)
)
SELECT length(path), right(path, 40) AS path, change, breaks_old_data AS data,
  breaks_old_readers AS readers
FROM deep a, deep b, atid.lexicon_changes(a.set, b.set) WHERE a.max_length = 1 AND b.max_length = 2;

RESET ROLE;
DROP OWNED BY regress_atid CASCADE;
DROP ROLE regress_atid;
