--
-- Records, as a role that was granted nothing and whose search_path is the
-- default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SHOW search_path;

\set link '{"$link": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}'
\set blobref '{"$link": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"}'

-- What an expression is refused with: its SQLSTATE and DETAIL.
CREATE FUNCTION refusal(expression text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  detail text;
BEGIN
  EXECUTE 'SELECT FROM ' || expression;
  RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || detail;
END
$$;

--
-- Values and their blocks (from RFC 8949, appendix A, if it has them)
--
CREATE TABLE simple (j text);
INSERT INTO simple VALUES
  ('0'), ('1'), ('10'), ('23'), ('24'), ('25'), ('100'), ('255'), ('256'), ('1000'), ('65535'),
  ('65536'), ('1000000'), ('4294967295'), ('4294967296'), ('1000000000000'),
  ('9007199254740993'), ('9223372036854775807'), ('-1'), ('-10'), ('-24'), ('-25'), ('-100'),
  ('-256'), ('-257'), ('-1000'), ('-9223372036854775808'), ('123.0'), ('1e3'), ('1.50e2'),
  ('-0'), ('0e5'), ('0.000'), ('false'), ('true'), ('null'), ('""'), ('"a"'), ('"IETF"'),
  ('"\"\\"'), ('"\u00fc"'), ('"水"'), ('"𐅑"'), ('"\ud800\udd51"'), ('[]'), ('[1, 2, 3]'),
  ('[1, [2, 3], [4, 5]]'), ('{}'), ('{"a": 1, "b": [2, 3]}'), ('["a", {"b": "c"}]'),
  ('{"$bytes": ""}'), ('{"$bytes": "AQIDBA"}'),
  ('[{"$bytes": "AA=="}, {"$bytes": "AA"}, {"$bytes": "AAA="}, {"$bytes": "AAAA"}]'),
  ('{"$bytes": "+/+/"}');
SELECT j, atid.record_to_dag_cbor(j::jsonb) AS block,
       atid.dag_cbor_to_record(atid.record_to_dag_cbor(j::jsonb)) = j::jsonb AS back
FROM simple;
SELECT j AS other_as_json FROM simple
WHERE atid.json_to_dag_cbor(j::json) IS DISTINCT FROM atid.record_to_dag_cbor(j::jsonb)
   OR atid.json_cid(j::json) IS DISTINCT FROM atid.record_cid(j::jsonb);
SELECT atid.record_to_dag_cbor(:'link'),
       atid.dag_cbor_to_record(atid.record_to_dag_cbor(:'link')) AS back;

-- Base64 whose last character has spare bits: they are ignored
SELECT j, atid.record_to_dag_cbor(j) AS block,
       atid.dag_cbor_to_record(atid.record_to_dag_cbor(j)) AS back
FROM (VALUES (jsonb '{"$bytes": "123"}'), ('{"$bytes": "AB"}'), ('{"$bytes": "AB=="}'),
             ('{"$bytes": "AAB="}')) v (j);

-- bytes_json: base64 without padding and line breaks, of any length
SELECT n, atid.bytes_json(bytes),
       atid.record_to_dag_cbor(atid.bytes_json(bytes)) = atid.record_to_dag_cbor(
         jsonb_build_object('$bytes', translate(encode(bytes, 'base64'), E'\n', ''))) AS as_encode
FROM unnest('{0,1,2,3,64}'::int[]) n, decode(repeat('fb', n), 'hex') AS bytes;
SELECT bool_and(atid.bytes_json(bytes) ->> '$bytes'
                = translate(encode(bytes, 'base64'), E'=\n', '')) AS as_encode,
       bool_and(atid.dag_cbor_to_record(block) = atid.bytes_json(bytes) AND
                right(encode(block, 'hex'), 2 * n) = encode(bytes, 'hex')) AS there_and_back
FROM unnest('{57,58,1000,786431,786432,786433,1572864,1572866}'::int[]) n,
     convert_to(repeat(md5(n::text), n / 32) || repeat('?', n % 32), 'UTF8') AS bytes,
     atid.record_to_dag_cbor(atid.bytes_json(bytes)) AS block;
SELECT atid.bytes_json(NULL);
-- the line breaks of encode() are refused
SELECT atid.record_problem(jsonb_build_object('sig',
  jsonb_build_object('$bytes', encode(decode(repeat('fb', 64), 'hex'), 'base64'))));
SELECT n, atid.record_problem(jsonb_build_object('a', jsonb_build_object('$bytes',
         overlay(repeat('A', 2500000) placing c from n)))) AS problem
FROM (VALUES (1, E'\n'), (1048576, ' '), (1048577, '='), (2097153, '_'), (2500000, E'\t')) v (n, c);

-- Lengths at the limits of each form
SELECT n, substr(atid.record_to_dag_cbor(to_jsonb(repeat('x', n))), 1, 6) AS text,
       substr(atid.record_to_dag_cbor(to_jsonb(array_fill(0, ARRAY[n]))), 1, 6) AS items,
       substr(atid.record_to_dag_cbor(jsonb_build_object('$bytes',
         translate(encode(decode(repeat('00', n), 'hex'), 'base64'), E'=\n', ''))), 1, 6) AS bytes,
       substr(atid.record_to_dag_cbor(pairs), 1, 6) AS pairs,
       atid.json_to_dag_cbor(pairs::text::json) = atid.record_to_dag_cbor(pairs) AND
       atid.json_to_dag_cbor(array_to_json(array_fill(0, ARRAY[n])))
         = atid.record_to_dag_cbor(to_jsonb(array_fill(0, ARRAY[n]))) AS json_too
FROM unnest('{23,24,255,256,65535,65536}'::int[]) n,
     LATERAL (SELECT jsonb_object_agg(i, 0) FROM generate_series(1, n) i) o (pairs);

-- Order of keys: length, and then bytes, also if not ASCII.  In a jsonb the last duplicate wins.
SELECT atid.dag_cbor_to_json(atid.record_to_dag_cbor(
  '{"aaa": 1, "b": 2, "aa": 3, "a": 4, "é": 5, "B": 6, "": 7, "｡": 8, "𐀀": 9, "b": 10}'));
SELECT atid.dag_cbor_to_json(atid.json_to_dag_cbor(
  '{"aaa": 1, "b": 2, "aa": 3, "a": 4, "é": 5, "B": 6, "": 7, "｡": 8, "𐀀": 9, "c": 10}'));
SELECT atid.record_cid('{"a": 1, "bb": 2}') = atid.record_cid('{"bb": 2, "a": 1}') AS any_order,
       atid.json_cid('{"a": 1, "bb": 2}') = atid.json_cid('{"bb": 2, "a": 1}') AS json_too,
       atid.record_cid('{"a": 1}') = atid.record_cid('{"a": 2, "a": 1}') AS last_wins,
       atid.record_cid('{"a": 1, "b": null}') <> atid.record_cid('{"a": 1}') AS null_is_there,
       atid.record_cid('{"a": 123.0}') = atid.record_cid('{"a": 1.23e2}') AS integers_are_one;

-- CIDs
SELECT atid.record_cid('{}'),
       atid.record_cid('{}') = atid.cid_of(atid.record_to_dag_cbor('{}'), 'dag-cbor') AS of_block,
       atid.record_cid('[]') = atid.cid_of('\x80', 'dag-cbor') AS of_array,
       atid.json_cid('[]') = atid.cid_of('\x80', 'dag-cbor') AS of_json;

-- What cannot be a block
SELECT atid.record_to_dag_cbor('{"a": [0, {"b c": 1.5}]}');
SELECT atid.record_to_dag_cbor('9223372036854775808');
SELECT atid.record_to_dag_cbor('-9223372036854775809');
SELECT atid.record_to_dag_cbor('{"n": 1e400}');
SELECT atid.record_to_dag_cbor('1e-400');
SELECT atid.record_to_dag_cbor('9223372036854775806.9');
SELECT atid.record_to_dag_cbor(
  '{"a": {"$link": "zdj7WhuEjrB52m1BisYCtmjH1hSKa7yZ3jEZ9JcXaFRD51wVz"}}');
SELECT atid.record_cid('[{"$bytes": "A"}]');
\set VERBOSITY sqlstate
SELECT atid.record_to_dag_cbor('0.5');
\set VERBOSITY default
SELECT octet_length(atid.record_to_dag_cbor((repeat('[', 512) || repeat(']', 512))::jsonb))
         AS deep_enough,
       octet_length(atid.json_to_dag_cbor((repeat('[', 512) || repeat(']', 512))::json)) AS json;
-- nested too deep; the middle of a long path is left out
SELECT atid.record_to_dag_cbor((repeat('[', 513) || repeat(']', 513))::jsonb);
SELECT f AS other_words
FROM (VALUES ('json_cid', 'json'), ('json_to_dag_cbor', 'json'), ('record_cid', 'jsonb')) v (f, t)
WHERE refusal(format('atid.%s((repeat(''['', 513) || repeat('']'', 513))::%s)', f, t))
   <> refusal('atid.record_to_dag_cbor((repeat(''['', 513) || repeat('']'', 513))::jsonb)');

--
-- json: what a text can express and jsonb cannot
--
SELECT atid.json_to_dag_cbor('{"t": "a\u0000b", "\u0000": 1}'),
       atid.dag_cbor_to_json(atid.json_to_dag_cbor('{"t": "a\u0000b", "\u0000": 1}'));
SELECT atid.json_to_dag_cbor(j) AS block
FROM (VALUES (json ' { "b" : [ ] , "a" : { } } '), ('"\ud83c\udf0a\u00e9\/\b\f\n\r\t\"\\"'),
             ('[{"$link":"bafkqaaa"},{"$bytes":"\u0041\u0041"},{"$linked":1,"b":{"$bytes":""}}]'),
             (E'\n[\n1\n,\n-2.50e1\n]\n')) v (j);
SELECT j, refusal(format('atid.json_to_dag_cbor(%L::json)', j)) AS refusal
FROM (VALUES ('{"a": [{"b": 1, "c": 2, "b": 3}]}'), ('{"a": 1, "\u0061": 2}'),
             ('[0, {"x": {}, "\u0000y": 1, "z": [], "\u0000y": 2}]'), ('{"a": "\ud800"}'),
             ('{"a": ["\udc00\ud800"]}'), ('{"a": {"\ud800": 1}}'), ('{"\ud800": 1}'),
             ('{"a": [1, 0.5]}'), ('[1e400]'), ('{"a": {"b": -9223372036854775809}}'),
             ('{"a": {"$link": 1}}'), ('{"a": {"$link": "b", "c": 1}}'),
             ('{"a": {"c": 1, "$link": "b"}}'), ('{"a": {"$bytes": "AQ", "$bytes": "AQ"}}'),
             ('{"a": {"$bytes": [1]}}'), ('{"a": {"c": [], "$bytes": []}}'),
             ('{"a": {"$bytes": "\ud800"}}'), ('{"a": {"$bytes": "\u0041"}}'),
             ('[[], {"$link": "bafkqaa"}]'), ('{"$link": ""}')) v (j);
-- a key is quoted by its ends
SELECT atid.json_cid(('{"a": {"' || repeat('long', 100) || '": 1, "' || repeat('long', 100)
                      || '": 1}}')::json);

--
-- The model.  Valid records:
--
SELECT j, atid.record_is_valid(j::jsonb) AS valid, atid.record_problem(j::jsonb) AS problem
FROM (VALUES ('{}'), ('{"a": 123.0}'), ('{"a": [null, [], {}]}'),
             ('{"$type": "com.example.a", "x": {"$type": "y"}}'),
             (format('{"a": %s, "b": [%s]}', :'link', :'blobref')),
             ('{"b": {"$bytes": "AQ=="}, "c": {"$bytes": "AQ"}, "d": {"$bytes": "123"}}'),
             (format('{"$type": "blob", "ref": %s, "mimeType": "image/png", "size": 1}',
                     :'blobref')),
             (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "image/png", "size": 0}}',
                     :'blobref')),
             (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "a/b", "size": 9, '
                     '"more": true, "other": %s}}', :'blobref', :'link')),
             ('{"cid": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity", '
              '"mimeType": "image/png"}'),
             ('{"$linked": 1, "$byte": 2, "$link ": 3}')) v (j);

-- Invalid records, with the path:
CREATE TABLE faulty (j text);
INSERT INTO faulty VALUES
  ('null'), ('true'), ('1'), ('"blah"'), ('[]'), ('[{}]'), (:'link'), ('{"$bytes": ""}'),
  ('{"a": 1.5}'), ('{"a": {"b": [0, 1, {"c": 0.1}]}}'), ('{"a": 9223372036854775808}'),
  ('{"a": [-9223372036854775809]}'), ('{"a": 1e200}'),
  ('{"$type": null}'), ('{"$type": 1}'), ('{"$type": ""}'), ('{"$type": {"a": 1}}'),
  ('{"$type": ["a"]}'), ('{"$type": []}'), ('{"$type": true}'),
  ('{"x": [{"$type": ""}]}'), (format('{"$type": %s}', :'link')),
  ('{"a": {"$link": 1}}'), ('{"a": {"$link": null}}'), ('{"a": {"$link": {"$link": "b"}}}'),
  ('{"a": {"$link": []}}'), ('{"a": {"$link": "."}}'), ('{"a": {"$link": ""}}'),
  ('{"a": [{"$link": "QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR"}]}'),
  ('{"a": {"$link": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a", "b": 1}}'),
  ('{"a": {"$link": 1, "b": 2}}'), ('{"a": [0, {"$link": 1, "$bytes": 2}]}'),
  ('{"$link": 1, "x": 2}'), ('{"a": {"z": 0, "$link": 1}}'),
  ('{"a": {"$bytes": 1}}'), ('{"a": {"$bytes": [1, 2, 3]}}'), ('{"a": {"$bytes": null}}'),
  ('{"a": {"$bytes": "AQ", "b": 1}}'), ('{"a": {"$bytes": "A"}}'), ('{"a": {"$bytes": "AQ="}}'),
  ('{"a": {"$bytes": "AQ==="}}'), ('{"a": {"$bytes": "="}}'), ('{"a": {"$bytes": "===="}}'),
  ('{"a": {"$bytes": "AAAA="}}'), ('{"a": {"$bytes": "AAAA===="}}'), ('{"a": {"$bytes": "A=="}}'),
  ('{"a": {"$bytes": "AQ=A"}}'), ('{"a": {"$bytes": "AAA AQ"}}'), ('{"a": {"$bytes": "AA\nAA"}}'),
  ('{"a": {"$bytes": "-_-_"}}'), ('{"a": {"$bytes": "éééé"}}'), ('{"a": {"$bytes": "AAA\n"}}'),
  ('{"a": {"$link": "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"}}'),
  ('{"a": [[{"$link": "bafkqaaa"}]]}'),
  (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "a/b", "size": "10000"}}', :'blobref')),
  (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "a/b", "size": -1}}', :'blobref')),
  (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "a/b", "size": 1.5}}', :'blobref')),
  (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "a/b", "size": null}}', :'blobref')),
  (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "a/b"}}', :'blobref')),
  (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "", "size": 1}}', :'blobref')),
  (format('{"b": {"$type": "blob", "ref": %s, "mimeType": 1, "size": 1}}', :'blobref')),
  (format('{"b": {"$type": "blob", "ref": %s, "size": 1}}', :'blobref')),
  ('{"b": [{"$type": "blob", "mimeType": "a/b", "size": 1}]}'),
  ('{"b": {"$type": "blob", "ref": null, "mimeType": "a/b", "size": 1}}'),
  ('{"b": {"$type": "blob", "ref": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity", '
   '"mimeType": "a/b", "size": 1}}'),
  ('{"b": {"$type": "blob", "ref": {}, "mimeType": "a/b", "size": 1}}'),
  (format('{"b": {"$type": "blob", "ref": %s, "mimeType": "a/b", "size": 1}}', :'link')),
  (format('{"b": {"$type": "blob", "ref": [%s], "mimeType": "a/b", "size": 1}}', :'blobref')),
  ('{"$type": "blob"}'),
  ('{"": 0.5}'), ('{"a b": 0.5}'), ('{"a\"b": {"c.d": 0.5}}'), ('{"1a": {"a1": 0.5}}'),
  ('{"é": [{"\u0001": 0.5}]}'), ('{"a_$B9": 0.5}');
SELECT j, atid.record_problem(j::jsonb) AS problem FROM faulty;
SELECT j AS valid_or_without_problem FROM faulty
WHERE atid.record_is_valid(j::jsonb) OR atid.record_problem(j::jsonb) IS NULL;
SELECT right(atid.record_problem((repeat('[', 513) || repeat(']', 513))::jsonb), 30) AS top,
       right(atid.record_problem((repeat('{"a":', 512) || '{}' || repeat('}', 512))::jsonb), 57)
         AS deep,
       atid.record_problem((repeat('{"a":', 511) || '{}' || repeat('}', 511))::jsonb)
         AS deep_enough;

-- Paths and keys are bounded: in the middle, between characters, at 400 bytes
SELECT what, octet_length(problem) <= 500 AS bounded, left(problem, 60) AS begins,
       right(problem, 60) AS ends
FROM (VALUES ('a key', jsonb_build_object(repeat('k', 50000000), 0.5)),
             ('a key within', jsonb_build_object('a', jsonb_build_object(repeat('é', 100000),
                                                                         jsonb '[{"b": 0.5}]'))),
             ('quotes', jsonb_build_object(repeat('"', 1000), 0.5)),
             ('many keys', (repeat('{"水曜日": ', 400) || '0.5' || repeat('}', 400))::jsonb)
     ) v (what, j),
     atid.record_problem(j) AS problem;

-- The strict rules, for new records
SELECT j, atid.record_is_valid(j, strict => true) AS valid,
       atid.record_problem(j, strict => true) AS problem
FROM (VALUES (jsonb '{"$type": "com.example.a"}'), ('{}'), ('{"a": {"$type": "com.example.a"}}'),
             ('{"$type": "a.b.c", "n": [9007199254740991, -9007199254740991]}'),
             ('{"$type": "a.b.c", "n": [9007199254740992]}'),
             ('{"$type": "a.b.c", "n": [-9007199254740992]}'), ('{"$type": "a.b.c", "n": 1.5}'),
             (format('{"$type": "a.b.c", "b": {"$type": "blob", "ref": %s, "mimeType": "a/b", '
                     '"size": 1}}', :'blobref')::jsonb),
             (format('{"$type": "a.b.c", "b": {"$type": "blob", "ref": %s, "mimeType": "a/b", '
                     '"size": 0}}', :'blobref')::jsonb),
             ('{"$type": "a.b.c", "b": [{"cid": "bafkqaaa", "mimeType": "a/b"}]}'),
             ('{"$type": "a.b.c",
                "b": [{"cid": "nonsense", "mimeType": "a/b"}, {"cid": "bafkqaaa"}]}'),
             ('{"$type": "a.b.c",
                "b": {"cid": "bafkqaaa", "mimeType": "a/b", "$type": "com.example.defs#c"}}'),
             -- a "$type" is an NSID, with a definition or without
             ('{"$type": "a"}'), ('{"$type": "blob"}'), ('{"$type": "a.b.c#d"}'),
             ('{"$type": "a.b.c", "d": {"$type": "blob#a"}}'),
             ('{"$type": "a.b.c", "d": {"$type": "a.b.c#main"}}'),
             ('{"$type": "a.b.c", "d": {"$type": "a.b.c#"}}'),
             ('{"$type": "a.b.c", "d": {"$type": "#d"}}'),
             ('{"$type": "a.b.c", "d": {"$type": "a.b.c#d e"}}'),
             ('{"$type": "a.b.c", "d": [{"$type": "a.b.c#mainly"}, {"$type": "a.b.c"}]}'),
             -- other names that begin with "$"
             ('{"$type": "a.b.c", "$a": 1}'), ('{"$type": "a.b.c", "a": [{"$": 1}]}'),
             ('{"$type": "a.b.c", "a$": {"types$": 1, "": 2}}'),
             -- legacy blobs: any CID as a string
             ('{"$type": "a.b.c", "b": {"cid": "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n",
                                        "mimeType": "a/b"}}'),
             ('{"$type": "a.b.c", "b": {"cid": "QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR",
                                        "mimeType": "a/b"}}'),
             ('{"$type": "a.b.c", "b": {"cid": "not a CID", "mimeType": "a/b"},
               "c": {"cid": "bafkqaaa", "mimeType": ""}, "d": {"cid": "bafkqaa", "mimeType": "a"}}')
     ) v (j);
-- a json and a block have the same problem as the record, unless there is a second one
SELECT strict, j, record, json
FROM faulty, (VALUES (false), (true)) s (strict),
     atid.record_problem(j::jsonb, strict) AS record, atid.json_problem(j::json, strict) AS json
WHERE json IS DISTINCT FROM record
   OR atid.json_is_valid(j::json, strict) <> atid.record_is_valid(j::jsonb, strict);
SELECT strict, j, record, block
FROM (SELECT j FROM faulty UNION ALL SELECT '{"$type": "a.b.c", "d": {"$type": "d"}, "$e": 1}'
      UNION ALL SELECT '{"a": 9007199254740992, "$type": "a.b.c"}') f (j),
     (VALUES (false), (true)) s (strict),
     atid.record_problem(j::jsonb, strict) AS record,
     LATERAL (SELECT CASE WHEN refusal(format('atid.record_to_dag_cbor(%L)', j)) = 'accepted'
                          THEN atid.record_to_dag_cbor(j::jsonb) END) b (bytes),
     atid.dag_cbor_problem(bytes, model => true, strict => strict) AS block
WHERE bytes IS NOT NULL
  AND (block IS DISTINCT FROM record
       OR atid.dag_cbor_is_valid(bytes, true, strict) <> (record IS NULL)
       OR atid.dag_cbor_problem(bytes, false) IS DISTINCT FROM atid.dag_cbor_problem(bytes)
       OR atid.dag_cbor_is_valid(bytes, false) <> atid.dag_cbor_is_valid(bytes));
SELECT j, atid.json_is_valid(j) AS valid, atid.json_problem(j) AS problem,
       atid.json_problem(j, strict => true) AS strict
FROM (VALUES (json '{"$type": "a.b.c", "t": "a\u0000b"}'), ('{"\u0000": {"$type": ""}}'),
             ('{"a": {"b": 1, "b": 2}}'), ('{"b": 0.5, "a": 1, "a": 2}'), ('{"a": "\ud800"}'),
             ('{"$type": "blob", "mimeType": "a\u0000"}'), ('["\u0000"]'),
             ('{"a": {"cid": "bafkqaaa\u0000", "mimeType": "a"}, "$type": "a.b.c"}')) v (j);
-- of a block, faults of DAG-CBOR come first, and keys with another meaning in JSON are refused
SELECT block, atid.dag_cbor_is_valid(block) AS codec,
       atid.dag_cbor_is_valid(block, true) AS model, atid.dag_cbor_problem(block, true) AS problem
FROM (VALUES ('\xa0'::bytea), ('\x80'), ('\xa0ff'), ('\x80ff'), ('\x8201'),
             ('\xa16161fb3ff8000000000000'),
             ('\xa16161a165246c696e6b6161'), ('\xa16624627974657301'), ('\xa16524747970656100'),
             ('\xa1652474797065610001'), ('\xa16161d82a450001550000'), (NULL)) v (block);
SELECT atid.dag_cbor_problem('\xa0', NULL), atid.dag_cbor_problem('\xa0', true, NULL),
       atid.json_problem(NULL), atid.json_problem('{}', NULL), atid.json_is_valid(NULL);
SELECT atid.dag_cbor_is_valid('\xa0', NULL) AS a, atid.dag_cbor_is_valid('\xf4', true, NULL) AS b,
       atid.dag_cbor_is_valid(NULL, true) AS c, atid.json_is_valid('{}', NULL) AS d,
       atid.json_is_valid('1', NULL) AS e;
SELECT j AS other_where_not_strict FROM faulty
WHERE atid.record_is_valid(j::jsonb, false) OR atid.record_is_valid(j::jsonb, true)
   OR atid.record_problem(j::jsonb, false) <> atid.record_problem(j::jsonb)
   OR atid.record_problem(j::jsonb, true) IS NULL;

-- The codec accepts what only the model refuses.
SELECT j AS carried
FROM faulty, LATERAL (SELECT j::jsonb) r (r)
WHERE CASE WHEN refusal(format('atid.record_to_dag_cbor(%L)', j)) = 'accepted'
           THEN atid.dag_cbor_to_record(atid.record_to_dag_cbor(r)) = r END;

--
-- Blocks that are refused
--
CREATE TABLE broken (what text, block bytea);
INSERT INTO broken VALUES
  ('nothing', ''), ('half a head', '\x18'), ('half a long head', '\x1b0000'),
  ('array ends', '\x8201'), ('map ends', '\xa16161'), ('string beyond', '\x6261'),
  ('bytes beyond', '\x4a00'), ('text of 1 GiB', '\x7a40000000'),
  ('bytes of 2^63', '\x5b8000000000000000'), ('array of 2^64 - 1', '\x9bffffffffffffffff'),
  ('array of 1 GiB', '\x9a40000000'), ('map of 2^63', '\xbb8000000000000000'),
  ('map of more than is there', '\xa200'), ('two values', '\x0000'), ('23 in 2 bytes', '\x1817'),
  ('255 in 3', '\x1900ff'), ('65535 in 5', '\x1a0000ffff'),
  ('2^32 - 1 in 9', '\x1b00000000ffffffff'),
  ('-1 in 2 bytes', '\x3800'), ('long length', '\x780161'), ('long array', '\x980101'),
  ('long map', '\xb801616101'), ('long tag', '\xd9002a4100'),
  ('indefinite bytes', '\x5f4101ff'), ('indefinite text', '\x7f6161ff'),
  ('indefinite array', '\x9f01ff'), ('indefinite map', '\xbf616101ff'), ('break', '\xff'),
  ('break in array', '\x81ff'), ('reserved 28', '\x1c'), ('reserved 30', '\x7e'),
  ('indefinite integer', '\x1f'), ('indefinite tag', '\xdf'), ('2^63', '\x1b8000000000000000'),
  ('-2^63 - 1', '\x3b8000000000000000'), ('float 16', '\xf90000'), ('float 32', '\xfa00000000'),
  ('float 64', '\xfb3ff8000000000000'), ('NaN', '\xf97e00'), ('undefined', '\xf7'),
  ('simple 0', '\xe0'), ('simple 19', '\xf3'), ('simple 32', '\xf820'),
  ('UTF-8, lone byte', '\x6180'), ('UTF-8, cut', '\x62e6b0'), ('UTF-8, surrogate', '\x63eda080'),
  ('UTF-8, overlong', '\x62c080'), ('UTF-8, too high', '\x64f4908080'),
  ('UTF-8 in a long text', '\x781e' || decode(repeat('61', 29), 'hex') || '\xff'),
  ('key not UTF-8', '\xa161ff00'), ('integer key', '\xa10000'), ('bytes as key', '\xa1416100'),
  ('null key', '\xa1f600'), ('keys in order of bytes only', '\xa26261610061620000'),
  ('keys not in order', '\xa2616200616100'), ('key twice', '\xa2616100616100'),
  ('longer key first', '\xa2626161006161 00'), ('tag 0', '\xc06161'), ('tag 43', '\xd82b4100'),
  ('big integer', '\xc249010000000000000000'), ('self-described', '\xd9d9f700'),
  ('link of text', '\xd82a6100'), ('link of array', '\xd82a80'), ('link ends', '\xd82a'),
  ('link empty', '\xd82a40'), ('link of 0x00 only', '\xd82a4100'),
  ('link without 0x00', '\xd82a5824' || '\x01551220'::bytea || sha256('')),
  ('link to CIDv0', '\xd82a582300' || '\x1220'::bytea || sha256('')),
  ('link, digest cut', '\xd82a582400' || '\x01551220'::bytea || substr(sha256(''), 2)),
  ('link, more', '\xd82a582600' || '\x01551220'::bytea || sha256('') || '\x00'),
  ('link, long varint', '\xd82a46000155008000'),
  ('depth 513', (repeat(E'\\201', 513) || E'\\000')::bytea),
  ('depth a million', repeat(E'\\201', 1000000)::bytea);
-- also if the fault comes after something that JSON or jsonb cannot express
INSERT INTO broken VALUES
  ('undefined after $link', '\x82a165246c696e6b01f7'),
  ('undefined after $bytes', '\x82a1662462797465734100f7'),
  ('undefined after U+0000', '\x826100f7'), ('ends in U+0000', '\x826100'),
  ('$link, and too deep', '\x82a165246c696e6b01' || repeat(E'\\201', 513)::bytea);
SELECT what, refusal(format('atid.dag_cbor_to_record(%L::bytea)', block)) AS refusal FROM broken;
-- with the same words everywhere
SELECT what, f AS says, refusal(format('atid.%s(%L::bytea)', f, block))
FROM broken, unnest('{dag_cbor_to_json,dag_cbor_links,dag_cbor_blobs}'::text[]) f
WHERE refusal(format('atid.%s(%L::bytea)', f, block))
   <> refusal(format('atid.dag_cbor_to_record(%L::bytea)', block));
SELECT what, atid.dag_cbor_is_valid(block) AS valid, atid.dag_cbor_problem(block) AS problem
FROM broken
WHERE atid.dag_cbor_is_valid(block) OR atid.dag_cbor_problem(block) IS NULL
   OR substr(refusal(format('atid.dag_cbor_to_record(%L::bytea)', block)), 7)
      <> atid.dag_cbor_problem(block);
SELECT atid.dag_cbor_problem('\xa2616202616101'), atid.dag_cbor_problem('\xa2616101616202');
SELECT atid.dag_cbor_to_record('\xa1616118');
SELECT atid.dag_cbor_to_record((repeat(E'\\201', 513) || E'\\000')::bytea);
SELECT atid.dag_cbor_is_valid((repeat(E'\\201', 512) || E'\\200')::bytea) AS too_deep,
       atid.dag_cbor_is_valid((repeat(E'\\201', 511) || E'\\200')::bytea) AS deep_enough;

-- Valid blocks without a JSON form
CREATE TABLE odd (what text, block bytea);
INSERT INTO odd VALUES
  ('U+0000', '\xa1616163610062'), ('U+0000 in a key', '\xa163610062f6'),
  ('$link', '\xa165246c696e6b01'), ('$link of a CID', '\xa165246c696e6b686261666b71616161'),
  ('$bytes', '\xa2616101662462797465734100'), ('$link inside', '\x81a165246c696e6b6161'),
  ('$link after U+0000', '\x826100a165246c696e6b01');
SELECT what, atid.dag_cbor_is_valid(block) AS valid,
       refusal(format('atid.dag_cbor_to_record(%L::bytea)', block)) AS jsonb,
       refusal(format('atid.dag_cbor_to_json(%L::bytea)', block)) AS json
FROM odd;
SELECT atid.dag_cbor_to_json(block) AS json,
       atid.json_to_dag_cbor(atid.dag_cbor_to_json(block)) = block AS back
FROM odd WHERE what ~ '^U\+';
SELECT atid.dag_cbor_to_record('\x63610062');
SELECT atid.dag_cbor_to_json('\x6a225c2f080c0a0d09001f') AS escapes;

-- NULL
SELECT atid.record_to_dag_cbor(NULL), atid.record_cid(NULL), atid.record_is_valid(NULL),
       atid.record_problem(NULL), atid.dag_cbor_to_record(NULL), atid.dag_cbor_to_json(NULL),
       atid.dag_cbor_is_valid(NULL);
SELECT atid.dag_cbor_problem(NULL), atid.json_to_dag_cbor(NULL), atid.json_cid(NULL),
       atid.record_is_valid(NULL, true), atid.record_is_valid('{}', NULL),
       atid.record_problem(NULL, true), atid.record_problem('{}', NULL);

--
-- In a table: a generated column, a check, indexes; large records, stored out of line and
-- compressed
--
CREATE TABLE stored (
  n int PRIMARY KEY,
  record jsonb NOT NULL CONSTRAINT record_valid CHECK (atid.record_is_valid(record)),
  cid atid.cid_link GENERATED ALWAYS AS (atid.record_cid(record)) STORED UNIQUE,
  said atid.cid_link CONSTRAINT cid_as_said CHECK (said = atid.record_cid(record))
);
INSERT INTO stored
VALUES (1, '{"a": 1}', DEFAULT, atid.record_cid('{"a": 1}')), (2, '{"a": 2}', DEFAULT, NULL);
INSERT INTO stored
SELECT n, jsonb_build_object('n', n, 'text', repeat(md5(n::text), n))
FROM generate_series(3, 2000) n;
INSERT INTO stored VALUES (0, '{"a": 1.5}');
INSERT INTO stored VALUES (0, '{"$type": ""}');
INSERT INTO stored VALUES (0, '{"a": 3}', DEFAULT, atid.record_cid('{"a": 1}'));
INSERT INTO stored VALUES (0, '{"a": 1.0}');
UPDATE stored SET record = '{"a": 4}' WHERE n = 2
RETURNING cid = atid.record_cid('{"a": 4}') AS follows;
CREATE INDEX ON stored (atid.record_cid(record));
CREATE INDEX ON stored ((atid.record_cid(record)), n) WHERE atid.record_is_valid(record);
ANALYZE stored;
SELECT count(*) FROM stored WHERE cid = atid.record_cid(record) AND atid.record_is_valid(record);
SELECT count(*) AS blocks FROM stored, atid.record_to_dag_cbor(record);
SELECT n AS not_the_same
FROM stored, atid.record_to_dag_cbor(record) block
WHERE atid.cid_of(block, 'dag-cbor') <> cid OR atid.dag_cbor_to_record(block) <> record
   OR atid.dag_cbor_to_json(block)::jsonb <> record
   OR atid.record_to_dag_cbor(atid.dag_cbor_to_record(block)) <> block
   OR NOT atid.dag_cbor_is_valid(block) OR atid.dag_cbor_problem(block) IS NOT NULL
   OR atid.json_to_dag_cbor(record::text::json) <> block
   OR atid.json_cid(record::text::json) <> cid;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF)
SELECT n FROM stored WHERE atid.record_cid(record) = atid.record_cid('{"a": 1}');
SELECT n FROM stored WHERE atid.record_cid(record) = atid.record_cid('{"a": 1}');
RESET enable_seqscan;
RESET enable_bitmapscan;
-- a check on a table that is in use
CREATE TABLE live (record jsonb);
INSERT INTO live VALUES ('{"a": 1}'), ('{"a": 0.1}');
ALTER TABLE live ADD CONSTRAINT valid CHECK (atid.record_is_valid(record)) NOT VALID;
INSERT INTO live VALUES ('[]');
ALTER TABLE live VALIDATE CONSTRAINT valid;

-- under parallel query
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
$$
BEGIN
  RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END
$$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = off;
SELECT count(*) AS gathers
FROM plan('SELECT count(*) FROM stored
           WHERE atid.record_cid(record) = cid AND atid.record_is_valid(record)') line
WHERE line ~ 'Gather|Parallel Seq Scan';
SELECT count(*), min(atid.record_cid(record)) = min(cid) AS min,
       max(octet_length(atid.record_to_dag_cbor(record))) AS longest
FROM stored
WHERE atid.record_cid(record) = cid AND atid.record_is_valid(record)
  AND atid.record_problem(record) IS NULL AND atid.json_cid(record::text::json) = cid;

-- functions that have no search_path at all
CREATE FUNCTION pathless(r jsonb) RETURNS text LANGUAGE plpgsql SET search_path = '' AS
$$
BEGIN
  RETURN format('%s %s', atid.record_cid(r) = atid.cid_of(atid.record_to_dag_cbor(r), 'dag-cbor'),
                atid.record_is_valid(r));
END
$$;
SELECT pathless('{"a": 1}');

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
