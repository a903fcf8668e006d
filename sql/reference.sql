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
  (6, '{}'), (7, '[]'), (8, '1'), (9, :'link'), (10, NULL);
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
-- no value of SQL has a U+0000: such a MIME type is none
SELECT path, cid, mime_type, size, legacy
FROM atid.dag_cbor_blobs('\xa363726566' || atid.record_to_dag_cbor(:'blobref')
                         || '\x65'::bytea || '$type' || '\x64'::bytea || 'blob'
                         || '\x68'::bytea || 'mimeType' || '\x63610062'::bytea);
-- keys that are odd, as a block has them
SELECT path FROM atid.dag_cbor_links('\xa163610062' || atid.record_to_dag_cbor(:'link'));


--
-- A path is whole, or it is an error: a row is no place for a part of one
--
CREATE TABLE long AS
SELECT n, jsonb_build_object(repeat('é', n / 2), :'link'::jsonb) AS link,
       jsonb_build_object(repeat('k', n), jsonb '{"cid": "bafkqaaa", "mimeType": "a/b"}') AS blob
FROM unnest('{10,4090,4092,100000}'::int[]) n;
SELECT n, octet_length(l.path) AS path FROM long, atid.record_links(link) l WHERE n < 4092;
SELECT n, octet_length(b.path) AS path FROM long, atid.record_blobs(blob) b WHERE n <= 4092;
SELECT path FROM long, atid.record_links(link) WHERE n = 4092;
SELECT path FROM long, atid.record_blobs(blob) WHERE n = 100000;
SELECT path FROM long, atid.dag_cbor_links(atid.record_to_dag_cbor(link)) WHERE n = 100000;
SELECT count(*) AS depth_512
FROM atid.record_links((repeat('[', 512) || :'link' || repeat(']', 512))::jsonb);
-- what is no block at all is told to be that
SELECT path FROM long, atid.dag_cbor_links(atid.record_to_dag_cbor(link) || '\xff')
WHERE n = 100000;
SELECT count(*) FROM atid.record_links((repeat('[', 513) || repeat(']', 513))::jsonb);
SELECT count(*) FROM atid.record_blobs((repeat('[', 513) || repeat(']', 513))::jsonb);

-- NULL
SELECT count(*)
FROM atid.record_links(NULL), atid.record_blobs(NULL), atid.dag_cbor_links(NULL),
     atid.dag_cbor_blobs(NULL);

-- functions that have no search_path at all
CREATE FUNCTION pathless(r jsonb) RETURNS text LANGUAGE plpgsql SET search_path = '' AS
$$
BEGIN
  RETURN format('%s %s', (SELECT count(*) FROM atid.record_links(r)),
                (SELECT count(*) FROM atid.dag_cbor_blobs(atid.record_to_dag_cbor(r))));
END
$$;
SELECT pathless(record) FROM records WHERE n = 1;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
