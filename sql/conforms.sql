-- records and values by their schemas

-- A record {"v": value} of a schema {"v": schema}: true, unknown, or why not.  The block
-- has the same verdict, and a record that conforms is valid.
CREATE FUNCTION conforms(schema jsonb, value jsonb, lenient bool DEFAULT false) RETURNS text
  LANGUAGE plpgsql AS $$
DECLARE
  set atid.lexicon := jsonb_build_array(
    jsonb_build_object('lexicon', 1, 'id', 'com.example.t', 'defs', jsonb_build_object(
      'main', jsonb_build_object('type', 'record', 'key', 'any', 'record', jsonb_build_object(
        'type', 'object', 'properties', jsonb_build_object('v', schema, 'constructor',
          '{"type": "string"}'::jsonb),
        'required', '["v"]'::jsonb)),
      'obj', '{"type": "object", "properties": {"n": {"type": "integer"}}}'::jsonb)),
    '{"lexicon": 1, "id": "com.example.r", "defs": {"main": {"type": "record", "key": "any",
      "record": {"type": "object", "properties": {"n": {"type": "integer"}}}}}}'::jsonb);
  record jsonb := jsonb_build_object('$type', 'com.example.t') || jsonb_build_object('v', value);
  verdict bool := atid.record_conforms(record, set, 'com.example.t', lenient);
  problem text := atid.record_conforms_problem(record, set, 'com.example.t', lenient);
  block bytea;
  detail text;
BEGIN
  ASSERT (verdict IS NOT DISTINCT FROM false) = (problem IS NOT NULL),
    'a problem where it is false';
  IF NOT lenient THEN
    ASSERT verdict IS NOT DISTINCT FROM atid.record_conforms(record, set)
      AND problem IS NOT DISTINCT FROM atid.record_conforms_problem(record, set),
      'the same by its type';
  END IF;
  BEGIN
    ASSERT atid.record_must_conform(record, set, 'com.example.t', lenient) AND verdict,
      'record_must_conform is true where record_conforms is';
  EXCEPTION WHEN check_violation THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    ASSERT verdict IS NOT TRUE AND (problem IS NULL OR detail = problem),
      'else it is an error that says why';
  END;
  ASSERT verdict IS NOT TRUE OR atid.record_is_valid(record), 'what conforms is valid';
  IF atid.record_is_valid(record) THEN
    block := atid.record_to_dag_cbor(record);
    ASSERT verdict IS NOT DISTINCT FROM
        atid.dag_cbor_conforms(block, set, 'com.example.t', lenient),
      'the block conforms as the record does';
    ASSERT problem IS NOT DISTINCT FROM
        atid.dag_cbor_conforms_problem(block, set, 'com.example.t', lenient),
      'and has the same problem';
  END IF;
  RETURN coalesce(problem, verdict::text, 'unknown');
END $$;

-- required, null, default
CREATE FUNCTION conforms_object(schema jsonb, value jsonb) RETURNS text
  LANGUAGE sql RETURN conforms('{"type": "object"}' || schema, value);
SELECT name, conforms_object(schema::jsonb, value::jsonb) FROM (VALUES
  ('required with a default, absent',
    '{"required": ["a"], "properties": {"a": {"type": "integer", "default": 1}}}', '{}'),
  ('null on optional', '{"properties": {"a": {"type": "integer"}}}', '{"a": null}'),
  ('null on nullable and required',
    '{"required": ["a"], "nullable": ["a"], "properties": {"a": {"type": "integer"}}}',
    '{"a": null}'),
  ('nullable and required, absent',
    '{"required": ["a"], "nullable": ["a"], "properties": {"a": {"type": "integer"}}}', '{}'),
  ('a property called constructor, absent', '{"properties": {"constructor": {"type": "integer"}}}',
    '{}'),
  ('a property that the schema has not', '{"properties": {}}', '{"a": [null, {"b": 1}]}'),
  ('a float where the schema has nothing', '{"properties": {}}', '{"a": [1.5]}'),
  ('the first that is missing',
    '{"required": ["bb", "a"], "properties": {"a": {"type": "unknown"},
      "bb": {"type": "unknown"}}}',
    '{"c": 1}'),
  ('a name that is quoted',
    '{"required": ["a \"b\" c"], "properties": {"a \"b\" c": {"type": "integer"}}}', '{}'),
  ('no object', '{"properties": {}}', '[]')
) AS v (name, schema, value);

-- unions and references
SELECT schema, value, conforms(schema::jsonb, value::jsonb) FROM (VALUES
  ('{"type": "union", "closed": true, "refs": ["com.example.r", "#obj"]}',
    '{"$type": "com.example.r", "n": 1}'),
  ('{"type": "union", "closed": true, "refs": ["com.example.r", "#obj"]}',
    '{"$type": "com.example.t#obj", "n": "1"}'),
  ('{"type": "union", "closed": true, "refs": ["com.example.r", "#obj"]}',
    '{"$type": "com.example.r#main"}'),
  ('{"type": "union", "closed": true, "refs": ["com.example.r", "#obj"]}',
    '{"$type": "lex:com.example.r"}'),
  ('{"type": "union", "closed": true, "refs": ["com.example.r", "#obj"]}', '{"$type": "#obj"}'),
  ('{"type": "union", "closed": true, "refs": ["com.example.r", "#obj"]}', '{"n": 1}'),
  ('{"type": "union", "closed": true, "refs": ["com.example.r", "#obj"]}', '1'),
  ('{"type": "union", "refs": ["#obj"]}', '{"$type": "com.example.r", "n": "not an integer"}'),
  ('{"type": "union", "refs": ["#obj"]}', '{"$type": "com.example.r", "n": 1.5}'),
  ('{"type": "union", "refs": ["#obj"]}', '{"$type": "com.example.none"}'),
  ('{"type": "union", "refs": ["#obj", "com.example.none"]}', '{"$type": "com.example.none"}'),
  ('{"type": "ref", "ref": "com.example.r"}', '{"n": 1}'),
  ('{"type": "ref", "ref": "com.example.r"}', '{"n": 1, "$type": "com.example.r"}'),
  ('{"type": "ref", "ref": "#obj"}', '{"n": 1}'),
  ('{"type": "ref", "ref": "#obj"}', '{"n": 1, "$type": "com.example.t#obj"}'),
  ('{"type": "ref", "ref": "#obj"}', '{"n": 1, "$type": "com.example.r"}'),
  ('{"type": "ref", "ref": "com.example.none"}', '{"n": [1]}'),
  ('{"type": "ref", "ref": "com.example.none"}', '{"n": [1.5]}'),
  ('{"type": "ref", "ref": "com.example.r#none"}', '1')
) AS v (schema, value);

-- numbers
SELECT schema, value, conforms(schema::jsonb, value::jsonb) FROM (VALUES
  ('{"type": "integer"}', '1.0'),
  ('{"type": "integer"}', '1e2'),
  ('{"type": "integer"}', '9007199254740993'),
  ('{"type": "integer"}', '9223372036854775807'),
  ('{"type": "integer"}', '9223372036854775808'),
  ('{"type": "integer"}', '1.5'),
  ('{"type": "integer"}', '"1"'),
  ('{"type": "integer", "minimum": -1}', '-1'),
  ('{"type": "integer", "minimum": -1}', '-2'),
  ('{"type": "integer", "maximum": 9223372036854775806}', '9223372036854775807'),
  ('{"type": "integer", "enum": [3, 1]}', '1'),
  ('{"type": "integer", "enum": [3, 1]}', '2'),
  ('{"type": "integer", "enum": []}', '2'),
  ('{"type": "object", "properties": {"a": {"type": "integer", "enum": [9, 8]},
                                     "b": {"type": "integer", "enum": [3, 1, 2]}}}', '{"b": 3}'),
  ('{"type": "integer", "const": 3, "enum": [1]}', '3'),
  ('{"type": "integer", "const": 3, "enum": [1]}', '1'),
  ('{"type": "boolean"}', 'true'),
  ('{"type": "boolean"}', '1'),
  ('{"type": "boolean", "const": false}', 'true')
) AS v (schema, value);

-- strings
SELECT schema, value, conforms(schema::jsonb, value::jsonb) FROM (VALUES
  ('{"type": "string", "maxLength": 3}', '"中"'),
  ('{"type": "string", "maxLength": 2}', '"中"'),
  ('{"type": "string", "minLength": 4}', '"中"'),
  ('{"type": "string", "maxGraphemes": 1}', '"\u1112\u1161\u11AB"'),
  ('{"type": "string", "maxGraphemes": 1}', '"\u1112\u1161\u11AB."'),
  ('{"type": "string", "minGraphemes": 2}', '"\u1112\u1161\u11AB"'),
  ('{"type": "string", "enum": ["b", "aa"]}', '"aa"'),
  ('{"type": "string", "enum": ["b", "aa"]}', '"a"'),
  ('{"type": "string", "const": "a\nb", "enum": ["b"]}', '"b"'),
  ('{"type": "string", "const": "a\nb", "enum": ["b"]}', '"a\nb"'),
  ('{"type": "string"}', '{"$bytes": "123"}'),
  ('{"type": "string"}', 'null')
) AS v (schema, value);
SELECT format, value, conforms(jsonb_build_object('type', 'string', 'format', format),
  to_jsonb(value)) FROM (VALUES
  ('at-identifier', 'did:web:a.example'), ('at-identifier', 'a..example'),
  ('at-uri', 'at://a.example/com.example.t/self'), ('at-uri', 'at://a.example/com.example.t/a/b'),
  ('cid', 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'), ('cid', 'baf-'),
  ('datetime', '2026-03-17T10:20:30.5Z'), ('datetime', '2026-03-17T10:20:30'),
  ('did', 'did:web:a.example'), ('did', 'did:web:'),
  ('handle', 'a.example'), ('handle', 'example'),
  ('language', 'pt-BR'), ('language', 'pt_BR'),
  ('nsid', 'com.example.t'), ('nsid', 'com.example.t#obj'),
  ('record-key', 'a:b'), ('record-key', '..'),
  ('tid', '3kznmn7xqxl22'), ('tid', '3kznmn7xqxl2'),
  ('uri', 'https://example.com/'), ('uri', 'example.com')
) AS v (format, value);
SELECT n, conforms('{"type": "string", "format": "uri"}', to_jsonb('a:' || repeat('x',
  n - 2))) FROM (VALUES (8192), (8193)) AS v (n);
-- the words are those of format_problem
SELECT conforms('{"type": "string", "format": "nsid"}', '"com.example.#"')
  = '$.v: ' || atid.format_problem('com.example.#', 'nsid');

-- bytes, links, arrays, unknown
SELECT schema, value, conforms(schema::jsonb, value::jsonb) FROM (VALUES
  ('{"type": "bytes"}', '{"$bytes": "123"}'),
  ('{"type": "bytes", "minLength": 2, "maxLength": 2}', '{"$bytes": "123"}'),
  ('{"type": "bytes", "minLength": 3}', '{"$bytes": "123"}'),
  ('{"type": "bytes", "maxLength": 1}', '{"$bytes": "123"}'),
  ('{"type": "bytes"}', '"123"'),
  ('{"type": "cid-link"}',
    '{"$link": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"}'),
  ('{"type": "cid-link"}', '"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"'),
  ('{"type": "array", "items": {"type": "integer"}, "minLength": 1, "maxLength": 2}', '[]'),
  ('{"type": "array", "items": {"type": "integer"}, "minLength": 1, "maxLength": 2}', '[1]'),
  ('{"type": "array", "items": {"type": "integer"}, "minLength": 1, "maxLength": 2}', '[1, 2, 3]'),
  ('{"type": "array", "items": {"type": "integer"}, "minLength": 1, "maxLength": 2}', '[1, true]'),
  ('{"type": "array", "items": {"type": "integer"}}', '{}'),
  ('{"type": "unknown"}', '{"a": [null]}'),
  ('{"type": "unknown"}', '{"$type": "com.example.r", "n": "x"}'),
  ('{"type": "unknown"}', '{"a": 1.5}'),
  ('{"type": "unknown"}', '[]'),
  ('{"type": "unknown"}', '{"$bytes": "123"}'),
  ('{"type": "unknown"}',
    '{"$link": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"}'),
  ('{"type": "unknown"}',
    '{"$type": "blob"}')
) AS v (schema, value);

-- blobs, and the lenient form
CREATE FUNCTION blob(mime_type text, size int) RETURNS jsonb
  LANGUAGE sql RETURN jsonb_build_object('$type', 'blob', 'mimeType', mime_type, 'size', size,
    'ref', '{"$link": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"}'::jsonb);
SELECT accept, type, conforms(schema, blob(type, 1)), conforms(schema, blob(type, 1),
  true) AS lenient
  FROM (VALUES
    ('["image/*"]', 'image/PNG'), ('["image/*"]', 'text/plain'), ('["image/*"]', 'image'),
    ('["text/plain"]', 'text/plain'), ('["text/plain"]', 'text/plain; charset=utf-8'),
    ('["a/b", "*/*"]', 'text/plain'), ('["*", "text/ht*"]', 'text/html'), ('[]', 'a/b')
  ) AS v (accept, type), jsonb_build_object('type', 'blob', 'accept', accept::jsonb) AS schema;
SELECT value, conforms('{"type": "blob", "maxSize": 10}', value), conforms('{"type": "blob",
  "maxSize": 10}', value, true) AS lenient
  FROM (VALUES (blob('a/b', 10)), (blob('a/b', 11)), (blob('a/b', -1)), (blob('', 1)),
    (blob('a/b', 1) - 'ref'), (blob('a/b', 1) - '$type'),
    ('{"cid": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku", "mimeType": "a/b"}'),
    ('{"cid": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku", "mimeType": ""}'),
    ('{"cid": "?", "mimeType": "a/b"}'), ('{}'), ('"a"')) AS v (value);
SELECT value, conforms('{"type": "string", "format": "datetime"}', to_jsonb(value)),
    conforms('{"type": "string", "format": "datetime"}', to_jsonb(value), true) AS lenient
  FROM (VALUES ('2026-03-17'), ('2026-03-17T10:20:30'), ('2026-03-17 10:20:30 UTC'),
    ('2026-03-32T10:20:30Z'), ('soon')) AS v (value);

-- the top of a record
CREATE TABLE lexicons AS SELECT '[
  {"lexicon": 1, "id": "com.example.post", "defs": {
    "main": {"type": "record", "key": "tid", "record": {"type": "object", "required": ["text"],
      "properties": {
      "text": {"type": "string"}, "embed": {"type": "union",
        "refs": ["#images", "com.example.void#x"]},
        "other": {"type": "ref", "ref": "com.example.none"}}}},
    "images": {"type": "object", "properties": {"images": {"type": "array",
      "items": {"type": "ref", "ref": "#image"}}}},
    "image": {"type": "object", "required": ["alt"], "properties": {"alt": {"type": "string",
      "maxGraphemes": 2000}}}}},
  {"lexicon": 1, "id": "com.example.self", "defs": {"main": {"type": "record",
    "key": "literal:self", "record": {"type": "object", "properties": {}}}}},
  {"lexicon": 1, "id": "com.example.any", "defs": {"main": {"type": "record", "key": "any",
    "record": {"type": "object", "properties": {}}}}},
  {"lexicon": 1, "id": "com.example.nsid", "defs": {"main": {"type": "record", "key": "nsid",
    "record": {"type": "object", "properties": {}}}}},
  {"lexicon": 1, "id": "com.example.defs", "defs": {"thing": {"type": "object",
    "properties": {"n": {"type": "integer"}}},
    "word": {"type": "string", "maxLength": 3}, "token": {"type": "token"}}},
  {"lexicon": 1, "id": "com.example.object", "defs": {"main": {"type": "object",
    "properties": {}}}},
  {"lexicon": 1, "id": "com.example.get", "defs": {"main": {"type": "query",
    "parameters": {"type": "params", "required": ["q"], "properties": {"q": {"type": "string"},
      "limit": {"type": "integer", "maximum": 100}}},
    "output": {"encoding": "application/json", "schema": {"type": "ref",
      "ref": "com.example.defs#thing"}}}}},
  {"lexicon": 1, "id": "com.example.put", "defs": {"main": {"type": "procedure",
    "input": {"encoding": "application/json", "schema": {"type": "object",
      "properties": {"n": {"type": "integer"}}}},
    "output": {"encoding": "application/json"}}}},
  {"lexicon": 1, "id": "com.example.upload", "defs": {"main": {"type": "procedure",
    "input": {"encoding": "*/*"}, "output": {"encoding": "application/vnd.ipld.car"}}}},
  {"lexicon": 1, "id": "com.example.follow", "defs": {
    "main": {"type": "subscription", "message": {"schema": {"type": "union", "refs": ["#commit",
      "#info"]}}},
    "commit": {"type": "object", "required": ["seq"], "properties": {"seq": {"type": "integer"}}},
    "info": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}},
  {"lexicon": 1, "id": "com.example.closed", "defs": {
    "main": {"type": "subscription", "message": {"schema": {"type": "union", "closed": true,
      "refs": ["#commit"]}}},
    "commit": {"type": "object", "required": ["seq"], "properties": {"seq": {"type": "integer"}}}}}
]'::atid.lexicon AS set;
SELECT record, atid.record_conforms(record, set), atid.record_conforms_problem(record, set)
  FROM lexicons, (VALUES
    ('{"$type": "com.example.post", "text": ""}'::jsonb),
    ('{"$type": "com.example.post", "text": "", "other": 1}'),
    ('{"$type": "com.example.post", "text": 1, "other": 1}'),
    ('{"$type": "com.example.post"}'),
    ('{"$type": "com.example.none", "text": 1}'),
    ('{"$type": "com.example.none", "text": 1.5}'),
    ('{"$type": "com.example.none", "text": {"$type": 1}}'),
    ('{"$type": "com.example.defs"}'),
    ('{"$type": "com.example.post#main", "text": ""}'),
    ('{"$type": "com.example.defs#thing"}'),
    ('{"$type": "com.example.object"}'),
    ('{"$type": "com.example.get"}'),
    ('{"$type": "example"}'),
    ('{"$type": ""}'),
    ('{"$type": null}'),
    ('{"text": ""}'),
    ('{}'), ('[]'), ('"com.example.post"'), ('null')) AS v (record);
SELECT nsid, atid.record_conforms('{"$type": "com.example.post", "text": ""}', set, nsid),
    atid.record_conforms_problem('{"$type": "com.example.post", "text": ""}', set, nsid)
  FROM lexicons, (VALUES ('com.example.post'), ('com.example.self'), ('com.example.none'),
    ('post'), ('')) AS v (nsid);
SELECT atid.record_conforms('{"$type": "com.example.none"}', set,
  'com.example.none') IS NULL AS unknown FROM lexicons;
-- path and rule
SELECT atid.record_conforms_problem(jsonb_build_object('$type', 'com.example.post', 'text', '',
  'embed',
    jsonb_build_object('$type', 'com.example.post#images', 'images', jsonb_build_array(
      '{"alt": ""}'::jsonb, '{"alt": ""}'::jsonb, '{"alt": ""}'::jsonb, jsonb_build_object('alt',
        repeat('é', 2001))))), set)
  FROM lexicons;
SELECT atid.record_conforms_problem('{"$type": "com.example.post", "text": "",
  "embed": {"$type": "com.example.post#images", "images": [{}]}}', set)
  FROM lexicons;
-- NULL: of a record NULL, of lenient its default; a set and an NSID must not be NULL
SELECT atid.record_conforms(NULL, set), atid.record_conforms(r, NULL),
  atid.record_conforms(r, set, NULL), atid.record_conforms(r, set, 'com.example.post', NULL),
  atid.dag_cbor_conforms(b, NULL), atid.dag_cbor_conforms(b, set, NULL),
  atid.value_conforms(r, set, NULL), atid.value_conforms(NULL, set, ''),
  atid.record_key_conforms(NULL, set, ''), atid.record_key_conforms('', set, NULL)
  FROM lexicons, CAST('{"$type": "com.example.post", "text": ""}' AS jsonb) AS r,
    atid.record_to_dag_cbor(r) AS b;
SELECT atid.record_conforms_problem(NULL, NULL, NULL) AS data,
  atid.record_conforms_problem('{}', NULL) AS set,
  atid.dag_cbor_conforms_problem('', NULL, 'a.b.c') AS set,
  atid.record_conforms_problem('{}', set, NULL) AS nsid,
  atid.dag_cbor_conforms_problem('', set, NULL) AS nsid,
  atid.value_conforms_problem('{}', set, NULL) AS ref
  FROM lexicons;
-- an untyped third argument is an NSID, and lenient has its name
PREPARE third AS SELECT atid.record_conforms($1, $2, $3);
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'third';
DEALLOCATE third;

-- what constraints call: true, or an error that says why
SELECT atid.record_must_conform(r, set), atid.record_must_conform(r, set, 'com.example.post'),
  atid.record_must_conform(r, set, 'com.example.post', NULL),
  atid.record_must_conform(NULL, set), atid.record_must_conform(NULL, NULL, NULL, NULL)
  FROM lexicons, CAST('{"$type": "com.example.post", "text": ""}' AS jsonb) AS r;
CREATE FUNCTION must(record jsonb, lexicons atid.lexicon, nsid text DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  IF nsid IS NULL THEN
    RETURN atid.record_must_conform(record, lexicons);
  END IF;
  RETURN atid.record_must_conform(record, lexicons, nsid);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || SQLERRM || ': ' || detail;
END $$;
SELECT record, must(record, set)
  FROM lexicons, (VALUES
    ('{"$type": "com.example.post"}'::jsonb),
    -- the set cannot say: a ref, a member of a union, a type
    ('{"$type": "com.example.post", "text": "", "other": 1}'),
    ('{"$type": "com.example.post", "text": "", "embed": {"$type": "com.example.void#x"}}'),
    ('{"$type": "com.example.none", "text": 1}'),
    -- what is wrong comes first
    ('{"$type": "com.example.post", "other": 1, "text": 2}'),
    ('{"$type": "com.example.none", "text": 1.5}')) AS v (record);
SELECT must('{"$type": "com.example.post", "text": ""}', set, 'com.example.self') FROM lexicons;
SELECT must('{"$type": "com.example.post", "text": ""}', NULL);
SELECT atid.record_must_conform('{}', set, NULL) FROM lexicons;
-- however long the record's names are
SELECT length(must(jsonb_build_object('$type', 'com.example.any', repeat('k', 100000), 1.5), set))
  < 1000 AS bounded FROM lexicons;

-- blocks: damage comes first
SELECT name, atid.dag_cbor_conforms(block, set), atid.dag_cbor_conforms_problem(block, set)
  FROM lexicons, (VALUES
    ('whole', atid.record_to_dag_cbor('{"$type": "com.example.post", "text": ""}')),
    ('wrong', atid.record_to_dag_cbor('{"$type": "com.example.post", "text": 1}')),
    ('wrong and damaged', substr(atid.record_to_dag_cbor('{"$type": "com.example.post", "text": 1,
      "tex": 2, "zzzzzzzz": 1}'), 1, 40)),
    ('unknown and damaged', atid.record_to_dag_cbor('{"$type": "com.example.none"}') || '\x00'),
    ('damaged before its type', '\xa264746578747865652474797065'),
    ('U+0000', atid.json_to_dag_cbor('{"$type": "com.example.post", "text": "\u0000"}')),
    ('the key of a link', '\xa265246c696e6b617865247479706570636f6d2e6578616d706c652e706f7374'),
    ('no map', '\x80'), ('nothing', '')) AS v (name, block);
SELECT atid.dag_cbor_conforms(block, set, 'com.example.post'), atid.dag_cbor_conforms(block, set,
  'com.example.self'),
    atid.dag_cbor_conforms_problem(block, set, 'com.example.self')
  FROM lexicons, atid.record_to_dag_cbor('{"$type": "com.example.post", "text": ""}') AS block;

-- values of other definitions
SELECT ref, value, atid.value_conforms(value, set, ref), atid.value_conforms_problem(value, set,
  ref)
  FROM lexicons, (VALUES
    ('com.example.post', '{"$type": "com.example.post", "text": ""}'::jsonb),
    ('com.example.post', '{"text": ""}'),
    ('com.example.post#main', '{"$type": "com.example.post", "text": ""}'),
    ('com.example.post#image', '{"alt": 1}'),
    ('com.example.post#image', '{"$type": "com.example.post#image", "alt": ""}'),
    ('com.example.post#image', '{"$type": "com.example.post", "alt": ""}'),
    ('com.example.defs#thing', '{"n": 1.5}'),
    ('com.example.defs#word', '"abc"'), ('com.example.defs#word',
      '"abcd"'), ('com.example.defs#word', 'null'),
    ('com.example.defs#token', '"com.example.defs#token"'),
    ('com.example.defs', '{}'), ('com.example.defs#none', '{}'), ('com.example.none',
      '[1]'), ('com.example.none', '[1.5]'),
    ('com.example.get', '{}'),
    ('#thing', '{}'), ('com.example.defs#', '{}'), ('com.example.defs#a#b', '{}'), ('thing',
      '{}'), ('', '{}')) AS v (ref, value);
SELECT atid.value_conforms('"2026-03-17"', d, 'com.example.d#at'),
  atid.value_conforms('"2026-03-17"', d, 'com.example.d#at', lenient => true)
  FROM CAST('{"lexicon": 1, "id": "com.example.d", "defs": {"at": {"type": "string",
    "format": "datetime"}}}' AS atid.lexicon) AS d;

-- parts of queries, procedures and subscriptions
SELECT nsid, part, value, atid.xrpc_conforms(value, set, nsid, part),
    atid.xrpc_conforms_problem(value, set, nsid, part)
  FROM lexicons, (VALUES
    ('com.example.get', 'parameters', '{"q": "cats", "limit": 100}'::jsonb),
    ('com.example.get', 'parameters', '{"q": "cats", "other": [1]}'),
    ('com.example.get', 'parameters', '{"limit": 1}'),
    ('com.example.get', 'parameters', '{"q": "cats", "limit": "1"}'),
    ('com.example.get', 'parameters', '{"q": "cats", "limit": 1.5}'),
    ('com.example.get', 'parameters', '{"q": null}'),
    ('com.example.get', 'parameters', 'null'),
    ('com.example.get', 'output', '{"n": 1}'),
    ('com.example.get', 'output', '{"n": "1"}'),
    ('com.example.get', 'output', '{"$type": "com.example.defs#thing"}'),
    ('com.example.get', 'output', '{"$type": "com.example.get"}'),
    ('com.example.put', 'input', '{"n": 1}'),
    ('com.example.put', 'input', '{"n": null}'),
    ('com.example.put', 'input', '[{"n": 1}]'),
    ('com.example.follow', 'message', '{"$type": "com.example.follow#commit", "seq": 1}'),
    ('com.example.follow', 'message', '{"$type": "com.example.follow#commit"}'),
    ('com.example.follow', 'message', '{"$type": "com.example.follow#other"}'),
    ('com.example.follow', 'message', '{"seq": 1}'),
    ('com.example.closed', 'message', '{"$type": "com.example.closed#other"}'),
    -- JSON without a schema: the data model still holds
    ('com.example.put', 'output', '[null]'),
    ('com.example.put', 'output', '{"n": 1.5}'),
    -- another encoding
    ('com.example.upload', 'input', '{}'), ('com.example.upload', 'output', '{}'),
    -- no such part, query or document
    ('com.example.get', 'input', '{}'), ('com.example.get', 'message', '{}'),
    ('com.example.put', 'parameters', '{}'), ('com.example.follow', 'output', '{}'),
    ('com.example.post', 'output', '{}'), ('com.example.object', 'input', '{}'),
    ('com.example.defs', 'output', '{}'), ('com.example.none', 'output', '{}'),
    ('com.example.get#main', 'output', '{}'), ('get', 'output', '{}'), ('', 'output', '{}'))
    AS v (nsid, part, value);
-- what the set lacks
SELECT atid.xrpc_conforms(value, d, 'com.example.find', 'output'),
    atid.xrpc_conforms_problem(value, d, 'com.example.find', 'output')
  FROM CAST('{"lexicon": 1, "id": "com.example.find", "defs": {"main": {"type": "query",
    "output": {"encoding": "application/json", "schema": {"type": "object", "required": ["a"],
      "properties": {"a": {"type": "ref", "ref": "com.example.none"}}}}}}}' AS atid.lexicon) AS d,
    (VALUES ('{"a": 1}'::jsonb), ('{}'), ('{"a": 1.5}')) AS v (value);
SELECT atid.xrpc_conforms('{"at": "2026-03-17"}', d, 'com.example.d', 'input'),
  atid.xrpc_conforms('{"at": "2026-03-17"}', d, 'com.example.d', 'input', lenient => true),
  atid.xrpc_conforms('{"at": "2026-03-17"}', d, 'com.example.d', 'input', NULL)
  FROM CAST('{"lexicon": 1, "id": "com.example.d", "defs": {"main": {"type": "procedure",
    "input": {"encoding": "application/json", "schema": {"type": "object", "properties": {
      "at": {"type": "string", "format": "datetime"}}}}}}}' AS atid.lexicon) AS d;
-- NULL, and a part that does not exist
SELECT atid.xrpc_conforms(NULL, set, 'com.example.get', 'output'),
  atid.xrpc_conforms('{}', NULL, 'com.example.get', 'output'),
  atid.xrpc_conforms('{}', set, NULL, 'output'),
  atid.xrpc_conforms('{}', set, 'com.example.get', NULL),
  atid.xrpc_conforms_problem(NULL, NULL, NULL, NULL)
  FROM lexicons;
SELECT atid.xrpc_conforms_problem('{}', NULL, 'com.example.get', 'output') AS set,
  atid.xrpc_conforms_problem('{}', set, NULL, 'output') AS nsid,
  atid.xrpc_conforms_problem('{}', set, 'com.example.get', NULL) AS part
  FROM lexicons;
SELECT atid.xrpc_conforms('{}', set, 'com.example.get', 'errors') FROM lexicons;
SELECT atid.xrpc_conforms_problem('{}', set, 'com.example.none', '') FROM lexicons;

-- record keys
SELECT nsid, key, atid.record_key_conforms(key, set, nsid)
  FROM lexicons, (VALUES
    ('com.example.post', '3kznmn7xqxl22'), ('com.example.post', 'self'),
    ('com.example.self', 'self'), ('com.example.self', 'Self'), ('com.example.self', ''),
    ('com.example.any', 'a:b'), ('com.example.any', '..'), ('com.example.any', ''),
    ('com.example.nsid', 'com.example.post'), ('com.example.nsid', 'self'),
    ('com.example.object', 'self'), ('com.example.get', 'self'),
    ('com.example.defs', 'self'), ('com.example.none', 'self'),
    ('none', 'self'), ('', 'self')) AS v (nsid, key);

-- in a domain
CREATE DOMAIN post AS jsonb CHECK (atid.record_must_conform(VALUE,
  '{"lexicon": 1, "id": "com.example.post", "defs": {"main": {"type": "record", "key": "tid",
    "record": {"type": "object",
    "required": ["text"], "properties": {"text": {"type": "string", "maxLength": 5}}}}}}',
      'com.example.post'));
CREATE TABLE posts (post post);
INSERT INTO posts VALUES ('{"$type": "com.example.post", "text": "short"}'), (NULL);
INSERT INTO posts VALUES ('{"$type": "com.example.post", "text": "longer"}');
INSERT INTO posts VALUES ('{"$type": "com.example.self", "text": "short"}');
DROP TABLE posts;
DROP DOMAIN post;

-- many rows in parallel workers, each with a program of its own
CREATE TABLE many AS SELECT jsonb_build_object('$type', 'com.example.post', 'text',
  CASE WHEN i % 3 = 0 THEN to_jsonb(i) ELSE to_jsonb(i::text) END) AS record
  FROM generate_series(1, 3000) AS i;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
SELECT set AS lexicons FROM lexicons \gset
EXPLAIN (COSTS OFF) SELECT count(*) FROM many WHERE atid.record_conforms(record, '{"lexicon": 1,
  "id": "com.example.post", "defs": {"main": {"type": "token"}}}');
SELECT count(*) FILTER (WHERE atid.record_conforms(record, :'lexicons')),
  count(*) FILTER (WHERE NOT atid.record_conforms(record, :'lexicons')) FROM many;
COMMIT;


DROP TABLE many, lexicons;
DROP FUNCTION conforms_object(jsonb, jsonb), conforms(jsonb, jsonb, bool), blob(text, int),
  must(jsonb, atid.lexicon, text);

-- deep unions: the types of a block's maps are noted once, and looked up
WITH nested AS (
  SELECT wrong, ('{"$type": "com.example.deep", "a": ' || string_agg(
    format('{"$type": "com.example.deep#%s", "a": ',
      CASE n WHEN wrong THEN 'other' ELSE 'part' END), '' ORDER BY n)
    || '{"$type": "com.example.deep#part"}' || repeat('}', 101))::jsonb AS record
  FROM (VALUES (0), (1), (2), (50), (100)) AS w (wrong), generate_series(1, 100) AS n
  GROUP BY wrong
)
SELECT wrong, atid.dag_cbor_conforms(atid.record_to_dag_cbor(record), lexicons),
  atid.record_conforms(record, lexicons),
  regexp_count(atid.dag_cbor_conforms_problem(atid.record_to_dag_cbor(record), lexicons),
    '\.a') AS depth
FROM nested, (VALUES ('{"lexicon": 1, "id": "com.example.deep", "defs": {
  "main": {"type": "record", "key": "any", "record": {"type": "object", "properties": {
    "a": {"type": "union", "closed": true, "refs": ["#part"]}}}},
  "part": {"type": "object", "properties": {
    "a": {"type": "union", "closed": true, "refs": ["#part"]}}},
  "other": {"type": "object", "properties": {}}}}'::atid.lexicon)) AS l (lexicons)
ORDER BY wrong;
