--
-- Labels and who signed them
--

-- signed by @noble/curves over the blocks of @ipld/dag-cbor
CREATE TEMP TABLE keys (curve text, key text);
INSERT INTO keys VALUES
  ('k256', 'did:key:zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW'),
  ('p256', 'did:key:zDnaegkAjichtmgDzR6z3ySDer2mpndGPdRUCG4TtjjGS4CjL');
CREATE TEMP TABLE labels (what text, curve text, label jsonb);
INSERT INTO labels VALUES
  ('all fields', 'k256',
   '{"ver": 1, "src": "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
     "uri": "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.feed.post/3jzfcijpj2z2a",
     "cid": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a", "val": "spam",
     "neg": true, "cts": "2024-02-01T10:00:00.000Z", "exp": "2034-02-01T10:00:00.000Z",
     "sig": {"$bytes":
    "Hmg/4ar/LYKxXxz5K3t2ohf3vZffEP92GGBt9oee6WAViDLxkqqZkq1uWnD2NSLobETwMLWWVZ5yhilYNFKrGQ"}}'),
  ('the required ones', 'p256',
   '{"ver": 1, "src": "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
     "uri": "did:plc:7iza6de2dwap2sbkpav7c6c6", "val": "porn",
     "cts": "2024-02-01T10:00:00.000Z",
     "sig": {"$bytes":
    "Sxmz5+sdcvigXkzYMoeealpiGNxJGo5yTn/BPI6DuRwjM5r4abZJFM3mVZbunngNm4XyiVV/h66y4DAemFB4Sw"}}'),
  ('neg is false, not ASCII', 'k256',
   '{"ver": 1, "src": "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
     "uri": "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.feed.post/3jzfcijpj2z2a",
     "val": "née 日本", "neg": false, "cts": "2024-02-01T10:00:00.000Z",
     "sig": {"$bytes":
    "MBxzUrfqzuxMhECyxhew2SZVGqq6UG3rXD2o0pEr7Coq5F/NOcLYNDlsLNlnrewH4Ww6OE3WNQgE+4L+pYkeTw"}}');
\set src 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
SELECT what, keys.curve AS key, atid.label_is_signed_by(label, :'src', key) AS signed
FROM labels, keys
ORDER BY labels.what COLLATE "C", 2;

-- Other fields than the specified ones are not signed, and are ignored.
SELECT what
FROM labels JOIN keys USING (curve)
WHERE NOT atid.label_is_signed_by(label || '{"$type": "com.atproto.label.defs#label", "id": 7.5,
                                             "more": {"sig": "x"}, "ve": 1, "vers": 2}',
                                  :'src', key);

-- The form of the API may lack ver.
SELECT what FROM labels JOIN keys USING (curve)
WHERE NOT atid.label_is_signed_by(label - 'ver', :'src', key);

-- Each field that is signed: without it, and with another value
SELECT what, field
FROM labels JOIN keys USING (curve), jsonb_object_keys(label - 'ver') AS field
WHERE atid.label_is_signed_by(label - field, coalesce((label - field)->>'src', ''), key);
SELECT what, field, value
FROM labels JOIN keys USING (curve),
     unnest('{cid,cts,exp,neg,src,uri,val,ver,sig}'::text[]) AS field,
     jsonb_array_elements('[1, 2, 1.5, "x", "", true, false, null, [], {}, {"$bytes": ""}]')
       AS value,
     LATERAL (SELECT label || jsonb_build_object(field, value)) AS c (changed)
WHERE atid.label_is_signed_by(changed, coalesce(changed->>'src', ''), key)
      AND label->field IS DISTINCT FROM value
      AND NOT (field = 'ver' AND value = '1');

-- ver is a number in any notation
SELECT atid.label_is_signed_by(label || '{"ver": 1.0}', :'src', key) AS signed
FROM labels JOIN keys USING (curve) WHERE what = 'all fields';

-- The signature is base64 of 64 bytes, with its padding or without.
SELECT sig,
       atid.label_is_signed_by(label || jsonb_build_object('sig', sig::jsonb), :'src', key)
         AS signed
FROM labels JOIN keys USING (curve), LATERAL (SELECT label->'sig'->>'$bytes') AS b (base64),
     LATERAL (VALUES (1, format('{"$bytes": "%s=="}', base64)),
                     (2, format('{"$bytes": "%s="}', base64)),
                     (3, format('{"$bytes": "%s"}', left(base64, 85))),
                     (4, format('{"$bytes": "%sAA"}', base64)), (5, format('"%s"', base64)),
                     (6, format('{"$bytes": "%s", "x": 1}', base64)),
                     (7, format('{"$byte": "%s"}', base64)),
                     (8, format('["$bytes", "%s"]', base64)),
                     (9, format('{"$bytes": "%s"}', translate(base64, '+/', '-_'))),
                     (10, format('{"$bytes": "%s "}', base64)),
                     (11, format('{"$bytes": " %s"}', left(base64, 85))),
                     (12, format('{"$bytes": "%sR"}', left(base64, 85))),
                     (13, format('{"$bytes": "%sé"}', left(base64, 84)))) AS v (n, sig)
WHERE what = 'all fields'
ORDER BY n;

-- No key has signed a jsonb that is no label, even if the signature is valid: of an unknown
-- version, and with a signature that leaves ver out.
SELECT what, atid.label_is_signed_by(label, :'src', key) AS signed,
       atid.signature_is_valid(atid.record_to_dag_cbor(label - 'sig'),
                               decode(rpad(label->'sig'->>'$bytes', 88, '='), 'base64'), key) AS sig
FROM keys, (VALUES
  ('version 2',
   jsonb '{"ver": 2, "src": "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
     "uri": "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.feed.post/3jzfcijpj2z2a",
     "val": "spam", "cts": "2024-02-01T10:00:00.000Z",
     "sig": {"$bytes":
    "c04m0BErnFuIY6naMveIRGScSLpIhCvCbNjP6bxkhvlUFg0WhEnz9CCcjW8L4InNEt1C/IJde3ZWjMDw9NpIVw"}}'),
  ('without ver',
   jsonb '{"src": "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
     "uri": "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.feed.post/3jzfcijpj2z2a",
     "val": "spam", "cts": "2024-02-01T10:00:00.000Z",
     "sig": {"$bytes":
    "aJYqLwhieWd+RrfK8tuqb+jMiKVyxFP0Tc6aBzHIendN+5y0AI3hWwqN+FT/lC3c2QQsu96yvpLq6rZtBoVgjQ"}}')
) AS v (what, label)
WHERE curve = 'k256'
ORDER BY what COLLATE "C";
SELECT label
FROM keys, jsonb_array_elements('[null, 1, "sig", [], {}, ["sig"], [{"sig": 1}],
                                  {"src": "did:plc:ewvi7nxzyoun6zhxrhs64oiz"}]') AS label
WHERE atid.label_is_signed_by(label, :'src', key);

-- With the account whose key it is: the label must be of that account
SELECT what, count(*) FILTER (WHERE atid.label_is_signed_by(label, label->>'src', key)) AS signed,
       count(*) FILTER (WHERE atid.label_is_signed_by(label, did, key)) AS of_others
FROM labels JOIN keys USING (curve),
     LATERAL (VALUES (''), ('did:plc:ewvi7nxzyoun6zhxrhs64oi'),
                     ('did:plc:ewvi7nxzyoun6zhxrhs64oiy'), ((label->>'src') || ' '),
                     (upper(label->>'src')), (label->>'uri')) AS v (did)
GROUP BY what ORDER BY what COLLATE "C";
SELECT label
FROM keys,
     jsonb_array_elements('[null, 1, "src", [], {}, ["src"], {"src": 1}, {"src": ""}]') AS label
WHERE atid.label_is_signed_by(label, '', key);

-- NULL, and a malformed key
SELECT atid.label_is_signed_by(NULL, '', key) IS NULL AS label,
       atid.label_is_signed_by('{}', NULL, key) IS NULL AS did,
       atid.label_is_signed_by('{}', '', NULL) IS NULL AS key
FROM keys WHERE curve = 'k256';
SELECT atid.label_is_signed_by('{}', '', 'did:key:zQ3sh');
