--
-- Commits and repositories, and who signed them
--

-- signed by @noble/curves over the blocks of @ipld/dag-cbor
CREATE TEMP TABLE keys (curve text, key text);
INSERT INTO keys VALUES
  ('k256', 'did:key:zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW'),
  ('p256', 'did:key:zDnaegkAjichtmgDzR6z3ySDer2mpndGPdRUCG4TtjjGS4CjL');
CREATE TEMP TABLE commits (what text, curve text, block bytea);
INSERT INTO commits VALUES
  ('version 3', 'k256',
   '\xa66364696478206469643a706c633a37697a6136646532647761703273626b7061763763366336637265'
   '766d336a7a6663696a706a327a326163736967584017b2736fa6de690f6e9be896674ccdcdd11b16935b'
   'fe54205ea068df126eb00907e3da060aec8fb219a19d91e4fcf996990a8afd8c56698dd0facf83c1ec06'
   'bf6464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d09'
   '1741a239d06470726576f66776657273696f6e03'),
  ('version 3, with prev', 'p256',
   '\xa66364696478206469643a706c633a37697a6136646532647761703273626b7061763763366336637265'
   '766d336a7a6663696a706a327a3261637369675840e29e7e7d91ce99b79c43e6573e8cd2671b97218cb2'
   '0618686d59d7c192acd3a867c1e28513512ab4294b19f135abb48e9fa9b963fb7735d0610fdea6dc4bf1'
   '386464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d09'
   '1741a239d06470726576d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a72344893'
   '36891d091741a239d06776657273696f6e03'),
  ('version 2, without rev', 'k256',
   '\xa56364696478206469643a706c633a37697a6136646532647761703273626b7061763763366336637369'
   '675840d93e6b93d1ef820debd78d251e37e316e549023ab9ad5126731a4e8b0f1352f30f153096967969'
   '2f008584531640436ecf9ceacd5e132e077fd7887dee9727b76464617461d82a5825000171122065062a'
   '5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d06470726576f66776657273696f'
   '6e02'),
  ('version 2, with all', 'p256',
   '\xa66364696478206469643a706c633a37697a6136646532647761703273626b7061763763366336637265'
   '766d336a7a6663696a706a327a32616373696758405fb91f6ab9466d7517583a9683d0fb32fa3566505a'
   'f4f41c8c99806b80fc3b7829aae4bcf6ff2e26756717fbbc31166287f01860025345a840dcce2bc8637c'
   '0a6464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d09'
   '1741a239d06470726576d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a72344893'
   '36891d091741a239d06776657273696f6e02'),
  ('with unknown fields', 'k256',
   '\xa8627a7a81016364696478206469643a706c633a37697a6136646532647761703273626b706176376336'
   '6336637265766d336a7a6663696a706a327a3261637369675840290d3567095ead454663b09d0427fc58'
   '3dbd92e3d11c6f4f262475a1b53f8ec6396c8cf50f806edfff86f80a2f1068993e5c4b0de919f93cb045'
   '1e6bad9ba1746464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a723448'
   '9336891d091741a239d06470726576f6656578747261016776657273696f6e03');
\set did 'did:plc:7iza6de2dwap2sbkpav7c6c6'
SELECT what, keys.curve AS key, atid.commit_is_signed_by(block, :'did', key) AS signed
FROM commits, keys
ORDER BY commits.what COLLATE "C", 2;

-- with the account whose key it is: the commit must be of that account
SELECT what, string_agg(did, ',') FILTER (WHERE atid.commit_is_signed_by(block, did, key)) AS did
FROM commits JOIN keys USING (curve),
     (VALUES ('did:plc:7iza6de2dwap2sbkpav7c6c6'), ('did:plc:7iza6de2dwap2sbkpav7c6c5'), (''),
             ('did:plc:7iza6de2dwap2sbkpav7c6c'), ('did:plc:7iza6de2dwap2sbkpav7c6c6 '), (NULL))
       AS v (did)
GROUP BY what ORDER BY what COLLATE "C";
SELECT what FROM commits JOIN keys USING (curve)
WHERE atid.commit_is_signed_by(substr(block, 2), :'did', key)
   OR atid.commit_is_signed_by(set_byte(block, 80, 1 # get_byte(block, 80)), :'did', key);

-- the block without sig is signed: the same by way of the record
SELECT what
FROM commits JOIN keys USING (curve),
     LATERAL (SELECT atid.dag_cbor_to_record(block)) AS r (record)
WHERE NOT atid.signature_is_valid(atid.record_to_dag_cbor(record - 'sig'),
                                  decode(rpad(record->'sig'->>'$bytes', 88, '='), 'base64'), key);

-- With any bit of the block flipped
SELECT what, bit
FROM commits JOIN keys USING (curve), generate_series(0, 8 * length(block) - 1) AS bit
WHERE atid.commit_is_signed_by(set_bit(block, bit, 1 - get_bit(block, bit)), :'did', key);

-- with the block cut off, or with bytes after it
SELECT what, len
FROM commits JOIN keys USING (curve), generate_series(0, length(block) + 1) AS len
WHERE atid.commit_is_signed_by(substr(block || block, 1, len), :'did', key)
      <> (len = length(block));

-- No key has signed a block that is no commit, even if the signature is valid: of a version that
-- is no longer read, and without a field.
SELECT what, atid.commit_is_signed_by(block, :'did', key) AS signed,
       atid.signature_is_valid(atid.record_to_dag_cbor(record - 'sig'),
                               decode(rpad(record->'sig'->>'$bytes', 88, '='), 'base64'),
                               key) AS sig
FROM keys, (VALUES
  ('version 1',
   '\xa66364696478206469643a706c633a37697a6136646532647761703273626b7061763763366336637265'
   '766d336a7a6663696a706a327a3261637369675840540032e045679046d9715b86ef3b9333b32886ec10'
   '621dedafacf0e5d5b2674a01110ff6042a8047e28af5b470865e38bab13fb3e5a64cd9c0e5b266e877c7'
   'f06464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d09'
   '1741a239d06470726576f66776657273696f6e01'::bytea),
  ('version 3 without prev',
   '\xa56364696478206469643a706c633a37697a6136646532647761703273626b7061763763366336637265'
   '766d336a7a6663696a706a327a32616373696758402bf0ba87ec06ccb42c1148ad2974872cad9fc69f7a'
   'dd41a6952341ea91bf90fc0881c1531385503207d42895c01d18037745eeb017ba80af19d71f781e6e8b'
   '726464617461d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d09'
   '1741a239d06776657273696f6e03')
) AS v (what, block), LATERAL (SELECT atid.dag_cbor_to_record(block)) AS r (record)
WHERE curve = 'k256'
ORDER BY 1;
SELECT what, atid.commit_is_signed_by(block, :'did', key) AS signed
FROM keys, (VALUES ('nothing', '\x'::bytea), ('an array', '\x80'), ('an empty map', '\xa0'),
                   ('null', '\xf6'),
                   ('nested too deep', decode(repeat('81', 600) || '80', 'hex')),
                   ('a signature of 63 bytes',
                    (SELECT atid.record_to_dag_cbor(atid.dag_cbor_to_record(block) ||
                              format('{"sig": {"$bytes": "%s"}}', repeat('A', 84))::jsonb)
                     FROM commits WHERE what = 'version 3')))
     AS v (what, block)
WHERE curve = 'k256'
ORDER BY 1;

--
-- Repositories
--

-- 40 records, their tree, and the commit of that tree, signed by the key of k256
CREATE TEMP TABLE records (path text COLLATE "C", block bytea);
INSERT INTO records
SELECT format('app.bsky.feed.post/3jzfcijpj2z%s%s', substr('234567ab', i / 8 + 1, 1),
              substr('234567ab', i % 8 + 1, 1)),
       atid.record_to_dag_cbor(jsonb_build_object('text', 'post ' || i))
FROM generate_series(0, 39) AS i;
CREATE TEMP TABLE blocks (n int, kind text, cid atid.cid_link, block bytea);
INSERT INTO blocks
SELECT 1, 'commit', atid.cid_of(block, 'dag-cbor'), block
FROM (VALUES
       ('\xa66364696478206469643a706c633a37697a6136646532647761703273626b7061763763366336637265'
        '766d336a7a6663696a706a327a3261637369675840a3a1dbcf82f9bc9ff7a2f4e2de527489690386cf06'
        '495e94f49de4756fef5cd33038537795f62bdaca8a8ff8b2fa615e44bb7a1e5ad320fcf722ec5f4de074'
        '9f6464617461d82a58250001711220d6547210c3c33a8a9da9c447d9033d55d6b4a131d2f4cdaa8de8e8'
        '20996f976e6470726576f66776657273696f6e03'::bytea)) AS c (block)
UNION ALL
SELECT 100 + b.n, 'node', b.cid, b.block
FROM (SELECT atid.mst_car(path, atid.cid_of(block, 'dag-cbor') ORDER BY path)
      FROM records) AS t (car), atid.car_blocks(car) AS b
UNION ALL
SELECT 1000 + row_number() OVER (ORDER BY path), 'record', atid.cid_of(block, 'dag-cbor'), block
FROM records;
SELECT kind, count(*) FROM blocks GROUP BY 1 ORDER BY 1;

-- CARs of them: as exported; in another order; with a block that nothing refers to; with duplicate
-- blocks.
CREATE TEMP TABLE cars (n int, what text, car bytea);
INSERT INTO cars
SELECT i, (ARRAY['as exported', 'in another order', 'with another block', 'with blocks twice'])[i],
       atid.car_agg((SELECT cid FROM blocks WHERE n = 1), cid, block
                    ORDER BY CASE i WHEN 2 THEN -n ELSE n END)
FROM generate_series(1, 4) AS i,
     LATERAL (SELECT n, cid, block FROM blocks
              UNION ALL SELECT 0, atid.cid_of('x', 'raw'), 'x' WHERE i = 3
              UNION ALL SELECT n, cid, block FROM blocks WHERE i = 4) AS b
GROUP BY i;
SELECT n, what, curve AS key, atid.repo_is_signed_by(car, :'did', key) AS signed
FROM cars, keys ORDER BY n, curve;

-- with the account whose repository it is
SELECT n, did FROM cars, keys,
     (VALUES ('did:plc:7iza6de2dwap2sbkpav7c6c6'), ('did:plc:7iza6de2dwap2sbkpav7c6c5'), (''),
             ('did:plc:7iza6de2dwap2sbkpav7c6c6 '), (NULL)) AS v (did)
WHERE curve = 'k256' AND atid.repo_is_signed_by(car, did, key) ORDER BY n;

-- Without any one block, and with a byte of it changed: the key has signed all of them.
SELECT kind, n
FROM keys, blocks AS gone,
     LATERAL (SELECT atid.car_agg((SELECT cid FROM blocks WHERE n = 1), cid, block ORDER BY n)
              FROM blocks WHERE n <> gone.n) AS a (without),
     LATERAL (SELECT atid.car_agg((SELECT cid FROM blocks WHERE n = 1), cid, CASE n WHEN gone.n
                                    THEN set_byte(block, 5, get_byte(block, 5) # 1)
                                    ELSE block END ORDER BY n)
              FROM blocks) AS c (changed)
WHERE curve = 'k256'
  AND (atid.repo_is_signed_by(without, :'did', key)
       OR atid.repo_is_signed_by(changed, :'did', key));

-- Another commit, of the same tree but signed by nobody: in the place of the good one, and under
-- its CID; and beside it, where the root is the other one's CID.  None is the key's repository.
SELECT what, atid.repo_is_signed_by(car, :'did', key) AS signed, atid.repo_is_valid(car) AS valid
FROM keys, (SELECT cid, block FROM blocks WHERE n = 1) AS good,
     LATERAL (SELECT set_byte(good.block, 80, get_byte(good.block, 80) # 1)) AS f (forged),
     LATERAL (SELECT atid.cid_of(forged, 'dag-cbor')) AS o (other),
     LATERAL (VALUES (1, 'in its place', other, ARRAY[other], ARRAY[forged]),
                     (2, 'under its CID', good.cid, ARRAY[good.cid], ARRAY[forged]),
                     (3, 'both under the CID of the other', other, ARRAY[other, other],
                      ARRAY[good.block, forged]),
                     (4, 'beside it', other, ARRAY[other, good.cid], ARRAY[forged, good.block]))
       AS w (i, what, root, cids, commits),
     LATERAL (SELECT atid.car_agg(root, cid, block ORDER BY n)
              FROM (SELECT n, cid, block
                    FROM unnest(cids, commits) WITH ORDINALITY AS c (cid, block, n)
                    UNION ALL SELECT n, cid, block FROM blocks WHERE n > 1) AS b)
       AS c (car)
WHERE curve = 'k256'
ORDER BY i;

-- No key has signed a bytea that is no CAR, or a CAR without a root.
SELECT what, atid.repo_is_signed_by(car, :'did', key) AS signed
FROM keys, (SELECT 1, 'nothing', '\x'::bytea
            UNION ALL SELECT 2, 'no root', atid.car_agg(NULL, cid, block) FROM blocks
            UNION ALL SELECT 3, 'a root that is no commit', atid.car_agg(cid, cid, block)
                      FROM blocks WHERE n = 1001
            UNION ALL SELECT 4, 'a root that is not there',
                             atid.car_agg(atid.cid_of('x', 'dag-cbor'), cid, block) FROM blocks
            UNION ALL SELECT 5, 'cut off', substr(car, 1, length(car) - 1) FROM cars WHERE n = 1)
     AS v (i, what, car)
WHERE curve = 'k256'
ORDER BY i;

-- The records of an account: for each valid CAR those that it was made of.
CREATE TEMP TABLE given AS
SELECT 'did:plc:7iza6de2dwap2sbkpav7c6c6' AS did, key FROM keys WHERE curve = 'k256';
SELECT n, what, count(*) AS records,
       count(*) FILTER (WHERE (collection || '/' || rkey, block) IN
                              (SELECT path, block FROM records)
                        AND r.cid = atid.cid_of(block, 'dag-cbor')) AS same
FROM cars, given, atid.repo_records_signed_by(car, did, key) AS r GROUP BY n, what ORDER BY n;
SELECT (atid.repo_records_signed_by(car, did, key)).rkey FROM cars, given WHERE n = 1 LIMIT 1;

-- Another account, another key, another commit, a part, a damaged one, and what is no repository
SELECT car, key FROM cars, given WHERE n = 1 \gset
SELECT count(*)
FROM atid.repo_records_signed_by(:'car', 'did:plc:ewvi7nxzyoun6zhxrhs64oiz', :'key');
SELECT count(*)
FROM atid.repo_records_signed_by(:'car', 'DID:plc:7iza6de2dwap2sbkpav7c6c6', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(:'car', :'did' || '0', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(:'car', '', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(:'car', repeat('did:web:a.', 100), :'key');
SELECT count(*)
FROM keys, atid.repo_records_signed_by(:'car', :'did', keys.key) WHERE curve = 'p256';
SELECT count(*) FROM atid.repo_records_signed_by(:'car', :'did', 'did:key:k256');
SELECT count(*) FROM atid.repo_records_signed_by(set_byte(:'car', 170, 0), :'did', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(
  set_byte(:'car', length(:'car'::bytea) - 1, 0), :'did', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(
  (SELECT atid.car_agg((SELECT cid FROM blocks WHERE n = 1), cid, block ORDER BY n)
   FROM blocks WHERE n <> 1003), :'did', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(
  (SELECT atid.car_agg(other, CASE n WHEN 1 THEN other ELSE cid END,
                       CASE n WHEN 1 THEN forged ELSE block END ORDER BY n)
   FROM blocks, LATERAL (SELECT set_byte(block, 80, get_byte(block, 80) # 1) FROM blocks
                         WHERE n = 1) AS f (forged),
        LATERAL (SELECT atid.cid_of(forged, 'dag-cbor')) AS o (other)), :'did', :'key');
SELECT count(*) FROM atid.repo_records_signed_by('', :'did', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(
  (SELECT atid.car_agg(NULL, cid, block) FROM blocks), :'did', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(
  (SELECT atid.car_agg(cid, cid, block) FROM blocks WHERE n = 1001), :'did', :'key');

-- NULL is an error, too
SELECT count(*) FROM atid.repo_records_signed_by(NULL, :'did', :'key');
SELECT count(*) FROM atid.repo_records_signed_by(:'car', NULL, :'key');
SELECT count(*) FROM atid.repo_records_signed_by(:'car', :'did', NULL);

-- NULL, and a malformed key
SELECT atid.commit_is_signed_by(NULL, :'did', key) IS NULL,
       atid.commit_is_signed_by('', NULL, key) IS NULL,
       atid.commit_is_signed_by('', :'did', NULL) IS NULL,
       atid.repo_is_signed_by(NULL, :'did', key) IS NULL,
       atid.repo_is_signed_by('', NULL, key) IS NULL,
       atid.repo_is_signed_by('', :'did', NULL) IS NULL
FROM keys WHERE curve = 'k256';
SELECT atid.commit_is_signed_by('', :'did', 'did:key:k256');

-- A #commit and a #sync of these commits: the commit is the first root of the CAR in them, and
-- of their account.
CREATE FUNCTION pg_temp.event(kind text, block bytea,
    other jsonb DEFAULT '{}', t text DEFAULT NULL) RETURNS bytea LANGUAGE sql
  RETURN atid.record_to_dag_cbor(jsonb_build_object('op', 1, 't', coalesce(t, kind)))
    || (SELECT atid.record_to_dag_cbor(jsonb_build_object('seq', 1, 'time',
      '2024-01-14T12:00:00Z', 'rev', '3jzfcijpj2z2a',
                   CASE kind WHEN '#commit' THEN 'repo' ELSE 'did' END,
                       'did:plc:7iza6de2dwap2sbkpav7c6c6',
                   'blocks', atid.bytes_json((SELECT atid.car_agg(c, c, b) FROM (VALUES (cid,
                       block)) AS v (c, b))))
                 || CASE kind WHEN '#commit' THEN jsonb_build_object('since', NULL, 'ops',
                     '[]'::jsonb, 'commit', jsonb_build_object('$link', cid))
                              ELSE '{}' END || other)
            FROM atid.cid_of(block, 'dag-cbor') AS cid);
SELECT what, keys.curve AS key, atid.event_is_signed_by(pg_temp.event('#commit', block),
    key) AS commit,
       atid.event_is_signed_by(pg_temp.event('#sync', block), key) AS sync
FROM commits, keys
ORDER BY commits.what COLLATE "C", 2;
SELECT other, atid.event_is_signed_by(pg_temp.event('#commit', block, other), key) AS commit,
       atid.event_is_signed_by(pg_temp.event('#sync', block, other), key) AS sync
FROM commits JOIN keys USING (curve), (VALUES
  ('{"seq": 2}'::jsonb),
      ('{"repo": "did:plc:7iza6de2dwap2sbkpav7c6c5", "did": "did:plc:7iza6de2dwap2sbkpav7c6c5"}'),
  ('{"commit": {"$link": "bafyreie5737gdxlw5i64vzichcalba3z2v5n6icifvx5xytvske7mr3hpm"}}'),
      ('{"seq": 0}'),
  ('{"blocks": {"$bytes": ""}}'), ('{"rev": ""}')) AS v (other)
WHERE what = 'version 3' ORDER BY other::text COLLATE "C";
SELECT atid.event_is_signed_by(pg_temp.event('#sync', block, '{}', '#commit'), key) AS sync,
    atid.event_is_signed_by(pg_temp.event('#commit', block, '{}', '#sync'), key) AS commit,
    atid.event_is_signed_by(pg_temp.event('#commit', block, '{}', '#foo'), key) AS foo,
       atid.event_is_signed_by('', key) AS nothing,
           atid.event_is_signed_by(decode(repeat('00', 5000001), 'hex'), key) AS large,
       atid.event_is_signed_by(NULL, key) AS event,
           atid.event_is_signed_by(pg_temp.event('#sync', block), NULL) AS key
FROM commits JOIN keys USING (curve) WHERE what = 'version 3';
SELECT atid.event_is_signed_by('', 'did:key:z');

-- Each bit of the commit in a #commit: none may be turned, also where the CIDs go with it.
SELECT bit
FROM commits JOIN keys USING (curve), generate_series(0, 8 * length(block) - 1) AS bit,
     LATERAL (SELECT set_bit(block, bit, 1 - get_bit(block, bit)) AS other) AS o
WHERE what = 'version 3' AND atid.event_is_signed_by(pg_temp.event('#commit', other), key);
SELECT bit
FROM commits JOIN keys USING (curve), pg_temp.event('#commit', block) AS e,
     generate_series(8 * position(block IN e) - 8,
         8 * (position(block IN e) + length(block)) - 9) AS bit
WHERE what = 'version 3' AND atid.event_is_signed_by(set_bit(e, bit, 1 - get_bit(e, bit)),
    key);
