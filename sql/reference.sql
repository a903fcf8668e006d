--
-- What a record refers to, as a role that was granted nothing and whose
-- search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SHOW search_path;

\set link '{"$link": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}'
\set blobref '{"$link": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"}'

--
-- Links and blobs
--
CREATE TABLE records (n int, record jsonb);
INSERT INTO records VALUES
  (1, format('{"embed": {"images": [
                 {"alt": "", "image": {"$type": "blob", "ref": %1$s, "mimeType": "image/jpeg",
                                       "size": 12}},
                 {"image": {"$type": "blob", "ref": %1$s, "mimeType": "image/png", "size": 0}}]},
               "parent": %2$s, "a b": [[%2$s]]}', :'blobref', :'link')::jsonb),
  (2, '{"avatar": {"cid": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity",
                   "mimeType": "image/jpeg"}}'),
  (3, '{"no": [{"cid": "nonsense", "mimeType": "a/b"}, {"cid": 1, "mimeType": "a/b"},
               {"cid": "bafkqaaa"}, {"cid": "bafkqaaa", "mimeType": "a/b", "$type": "x"},
               {"$type": "blob"}, {"$type": "blob", "ref": "bafkqaaa"}]}'),
  (4, format('{"faulty": [{"$type": "blob", "ref": %1$s},
                          {"$type": "blob", "ref": %1$s, "size": "1", "mimeType": 2},
                          {"$type": "blob", "ref": {"$link": "bafkqaaa"}, "size": -1,
                           "mimeType": "", "z": %1$s}]}', :'link')::jsonb),
  (5, format('{"$type": "blob", "ref": %s, "mimeType": "a/b", "size": 5,
               "sub": {"cid": "bafkqaaa", "mimeType": "c/d", "size": 6}}', :'blobref')::jsonb),
  (6, '{}'), (7, '[]'), (8, '1'), (9, :'link'), (10, NULL),
  (11, '{"v0": {"cid": "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n", "mimeType": "a/b"},
         "short": {"cid": "bafkqaa", "mimeType": "a/b"},
         "none": {"cid": "a CID...", "mimeType": "a/b"}}');
SELECT n, l.* FROM records, atid.record_links(record) l ORDER BY n;
SELECT n, b.* FROM records, atid.record_blobs(record) b ORDER BY n;
-- in the select list, and of one column
SELECT n, atid.record_links(record), (atid.record_blobs(record)).path
FROM records WHERE n IN (1, 2);
-- a block has the same as its record
SELECT n, l AS only_in_one
FROM ((SELECT n, 'record', l::text FROM records, atid.record_links(record) l
       EXCEPT ALL
       SELECT n, 'record', l::text
       FROM records, atid.dag_cbor_links(atid.record_to_dag_cbor(record)) l)
      UNION ALL
      (SELECT n, 'block', l::text
       FROM records, atid.dag_cbor_links(atid.record_to_dag_cbor(record)) l
       EXCEPT ALL
       SELECT n, 'block', l::text FROM records, atid.record_links(record) l)) d (n, which, l);
SELECT n, b AS only_in_one
FROM ((SELECT n, 'record', b::text FROM records, atid.record_blobs(record) b
       EXCEPT ALL
       SELECT n, 'record', b::text
       FROM records, atid.dag_cbor_blobs(atid.record_to_dag_cbor(record)) b)
      UNION ALL
      (SELECT n, 'block', b::text
       FROM records, atid.dag_cbor_blobs(atid.record_to_dag_cbor(record)) b
       EXCEPT ALL
       SELECT n, 'block', b::text FROM records, atid.record_blobs(record) b)) d (n, which, b);
-- what the codec refuses
SELECT * FROM atid.record_links('{"a": {"b": 1, "$link": 2}}');
SELECT * FROM atid.record_blobs('{"a": [1.5]}');
SELECT * FROM atid.dag_cbor_links('\xa1');
-- SQL text cannot hold U+0000: such a MIME type is ignored
SELECT path, cid, mime_type, size, legacy
FROM atid.dag_cbor_blobs('\xa363726566' || atid.record_to_dag_cbor(:'blobref')
                         || '\x65'::bytea || '$type' || '\x64'::bytea || 'blob'
                         || '\x68'::bytea || 'mimeType' || '\x63610062'::bytea);
-- keys that are odd, as a block has them
SELECT path FROM atid.dag_cbor_links('\xa163610062' || atid.record_to_dag_cbor(:'link'));

--
-- References by name
--
\set uri 'at://did:plc:vfsotiy7i7w4u5emioylszsm/app.bsky.feed.post/3ljhgxnpcuhgm'
\set cid 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'
SELECT jsonb_build_object('uri', :'uri', 'cid', :'cid') AS strong \gset
CREATE TABLE names (n int, record jsonb);
INSERT INTO names VALUES
  (1, format('{"$type": "app.bsky.feed.post", "text": "did:plc:vfsotiy7i7w4u5emioylszsm is me",
               "reply": {"root": %1$s, "parent": %1$s}, "tags": ["did:web:example.com"],
               "facets": [{"features": [{"uri": "https://example.com"},
                                        {"did": "did:plc:vfsotiy7i7w4u5emioylszsm"}]},
                          {"features": [{"uri": "at://example.com"}]}],
               "embed": {"record": {"record": %1$s, "aaa": {"uri": "did:a:b"}}}}',
             :'strong')::jsonb),
  -- other keys, of the same length too, with values of any kind between "cid" and "uri"
  (2, '{"s": {"uri": "at://did:a:b/a.b.c/d", "cie": [{"cid": "bafkqaaa", "uri": "at://A.B"}],
              "cid": "bafkqaaa", "urh": {"cid": "no"}, "a": 1, "zzzzz": {"cid": 2}}}'),
  -- a "cid" that is none, or not of the same object, or beside another key or another kind
  (3, format('{"a": {"uri": "at://did:a:b", "cid": "nonsense"},
               "b": {"uri": "at://did:a:b", "cid": 1},
               "c": {"uri": "at://did:a:b", "cid": %s},
               "d": {"cid": "bafkqaaa", "post": "at://did:a:b"},
               "e": {"cid": "bafkqaaa", "uri": ["at://did:a:b"]},
               "f": {"cid": "bafkqaaa", "uri": "did:a:b"},
               "g": {"uri": "at://did:a:b", "CID": "bafkqaaa"},
               "cid": "bafkqaaa"}', :'link')::jsonb),
  -- what is no reference: a key, a part of a text, what neither type takes
  (4, '{"did:a:b": 1, "at://did:a:b": [" did:a:b", "did:a:b ", "DID:a:b", "did:", "did:a:", "at://",
        "at://did:a:b/", "at://did:a:b#x", "AT://did:a:b", "at://a", "did", "at:/", "", "did:é:b",
        "at://did:a:é", "example.com", "3ljhgxnpcuhgm"]}'),
  (5, '"did:a:b"'), (6, '["at://did:a:b", [["at://a.b"]]]'),
  -- keys that look like indexes
  (7, '{"a[0]": "did:a:b", "a": ["did:a:b"], "[]": {"0": [{"a.b": ["did:a:c"]}]}}'),
  (8, '{}'), (9, '[]'), (10, '1'), (11, :'link'), (12, NULL),
  -- the longest of each, and one byte more
  (13, jsonb_build_array('did:a:' || repeat('b', 2042), 'did:a:' || repeat('b', 2043),
                         'at://did:a:' || repeat('b', 2042), 'at://did:a:' || repeat('b', 2043))),
  (14, jsonb_build_array(repeat('did:a:b', 1000000), repeat('at://a.b/', 1000000)));
SELECT n, path, field, uri, did, right(cid::text, 8) AS cid
FROM names, atid.record_refs(record) WHERE n NOT IN (13, 14) ORDER BY n;
SELECT n, path, length(uri::text) AS uri, length(did::text) AS did
FROM names, atid.record_refs(record) WHERE n IN (13, 14) ORDER BY n;
-- in the select list, and of one column
SELECT n, (atid.record_refs(record)).field FROM names WHERE n = 6;
-- a block has the same as its record, in the same order
SELECT n, record_row, block_row
FROM (SELECT n, i, r::text AS record_row
      FROM names, ROWS FROM (atid.record_refs(record)) WITH ORDINALITY r (p, f, u, d, c, i)) r
     FULL JOIN
     (SELECT n, i, r::text AS block_row
      FROM names, ROWS FROM (atid.dag_cbor_refs(atid.record_to_dag_cbor(record)))
                  WITH ORDINALITY r (p, f, u, d, c, i)) b USING (n, i)
WHERE record_row IS DISTINCT FROM block_row;
-- what the codec refuses, also after a reference
SELECT * FROM atid.record_refs('{"a": "did:a:b", "b": [1.5]}');
SELECT * FROM atid.dag_cbor_refs('\xa1');
SELECT * FROM atid.dag_cbor_refs('\x676469643a613a62ff');
-- in a block "uri" must not come before "cid"
SELECT * FROM atid.dag_cbor_refs('\xa263757269676469643a613a62636369646178');
-- a string with U+0000 is no reference; U+0000 in other strings does not matter
SELECT path, field, uri, did, cid
FROM atid.dag_cbor_refs('\x83676469643a6100626100'::bytea || '\x676469643a613a62'::bytea);
-- keys that are odd, as a block has them
SELECT path, field FROM atid.dag_cbor_refs('\xa16361006281676469643a613a62');


--
-- A path is complete or NULL, never shortened
--
CREATE TABLE long AS
SELECT n, jsonb_build_object(repeat('é', n / 2), :'link'::jsonb) AS link,
       jsonb_build_object(repeat('k', n), jsonb '{"cid": "bafkqaaa", "mimeType": "a/b"}') AS blob
FROM unnest('{10,4090,4092,100000}'::int[]) n;
SELECT n, octet_length(l.path) AS path, right(cid::text, 8) AS cid
FROM long, atid.record_links(link) l;
SELECT n, octet_length(b.path) AS path, cid FROM long, atid.record_blobs(blob) b;
SELECT n, octet_length(l.path) AS path
FROM long, atid.dag_cbor_links(atid.record_to_dag_cbor(link)) l;
SELECT n, octet_length(path) AS path, octet_length(field) AS field, did
FROM long, atid.record_refs(jsonb_build_object(repeat('é', n / 2), '["did:a:b"]'::jsonb));
SELECT n, octet_length(path) AS path, octet_length(field) AS field, uri
FROM long, atid.record_refs(jsonb_build_object(repeat('é', n / 2), 'at://a.b'));
-- rows beside one whose path is too long
SELECT octet_length(path) AS length, right(path, 16) AS path, right(field, 16) AS field
FROM atid.record_refs(jsonb_build_object(
  'a', '["did:a:b", {"b": "did:a:b"}]'::jsonb,
  repeat('k', 2000), jsonb_build_object(
    'a', '["did:a:b", ["did:a:b", {"c": ["did:a:b"], "d": {"e": "did:a:b"}}], "did:a:b"]'::jsonb,
    repeat('k', 2092), 'did:a:b', repeat('l', 3000), '[["did:a:b"], "did:a:b"]'::jsonb),
  repeat('l', 5000), '{"a": ["did:a:b", "did:a:b"]}'::jsonb,
  repeat('m', 5001), 'did:a:b'));
-- all paths of a record together: 64 kB, and 16 bytes for each byte of the record
SELECT depth, count(*), count(path) AS paths, count(field) AS fields,
       min(path) FILTER (WHERE depth < 9),
       sum(octet_length(path) + octet_length(field)) <= 65536 + 16 * octet_length(block)
         AS bounded,
       sum(octet_length(path) + octet_length(field)) > 65536 + 15 * octet_length(block) AS used,
       bool_or(did IS NULL) AS lost
FROM unnest('{1,8,400}'::int[]) AS depth,
     LATERAL (SELECT (repeat('[', depth)
                      || array_to_string(array_fill('"did:a:b"'::text, ARRAY[2000]), ',')
                      || repeat(']', depth))::jsonb) j (record),
     atid.record_to_dag_cbor(record) AS block, atid.dag_cbor_refs(block)
GROUP BY depth, block ORDER BY depth;
-- in a record as in its block
SELECT count(*) AS rows, count(path) AS paths
FROM (SELECT (repeat('{"k":', 300) || '['
              || array_to_string(array_fill('"did:a:b",[[],[{"":"at://did:a:b"}],1]'::text,
                                            ARRAY[500]), ',')
              || ']' || repeat('}', 300))::jsonb) j (record),
     LATERAL (SELECT * FROM atid.record_refs(record)
              INTERSECT ALL
              SELECT * FROM atid.dag_cbor_refs(atid.record_to_dag_cbor(record))) r;
-- no reference, no path
SELECT path FROM long, atid.record_refs(jsonb_build_object(repeat('k', n), 'did:a:'));
SELECT count(*) AS refs_512
FROM atid.record_refs((repeat('[', 512) || '"did:a:b"' || repeat(']', 512))::jsonb);
SELECT count(*) AS depth_512
FROM atid.record_links((repeat('[', 512) || :'link' || repeat(']', 512))::jsonb);
-- an invalid block is refused, also after a path that is too long
SELECT path FROM long, atid.dag_cbor_links(atid.record_to_dag_cbor(link) || '\xff')
WHERE n = 100000;
SELECT count(*) FROM atid.record_links((repeat('[', 513) || repeat(']', 513))::jsonb);
SELECT count(*) FROM atid.record_blobs((repeat('[', 513) || repeat(']', 513))::jsonb);

-- NULL
SELECT count(*)
FROM atid.record_links(NULL), atid.record_blobs(NULL), atid.dag_cbor_links(NULL),
     atid.dag_cbor_blobs(NULL), atid.record_refs(NULL), atid.dag_cbor_refs(NULL);

-- functions that have no search_path at all
CREATE FUNCTION pathless(r jsonb) RETURNS text LANGUAGE plpgsql SET search_path = '' AS
$$
BEGIN
  RETURN format('%s %s %s', (SELECT count(*) FROM atid.record_links(r)),
                (SELECT count(*) FROM atid.record_refs(r)),
                (SELECT count(*) FROM atid.dag_cbor_blobs(atid.record_to_dag_cbor(r))));
END
$$;
SELECT pathless(record) FROM records WHERE n = 1;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
