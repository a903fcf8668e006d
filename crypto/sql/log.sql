--
-- Logs of PLC
--

-- Operations made by @noble/curves over the blocks of @ipld/dag-cbor.  What each leaves out
-- is filled in below: $A to $T are keys (A, C and S of K-256, B and T of P-256), $g is the CID of
-- operation g, $7195 a text of so many x.
CREATE TEMP TABLE keys (name text, key text);
INSERT INTO keys VALUES
  ('A', 'did:key:zQ3shd5QZqCMXAfDrx7iN2dTixoMJ3ohC1VTWcKirNjtKmUwE'),
  ('B', 'did:key:zDnaekswtJyyXwrBeDs8GPMKfbrrGkvrfCTBoMRgvseYig2mZ'),
  ('C', 'did:key:zQ3shPdAsgTpr8nRhW1QMeGKvyV17Sav9nCRDyqyL3hYodTC8'),
  ('S', 'did:key:zQ3shUqDf4FgH8Sd95cRkCVxkfUUspXuExeXeVVRaViHoEfQ3'),
  ('T', 'did:key:zDnaeSPpSdSdbamShbMSvTdnabnJ4YJMr3tLgfiSv6PorKviE');
CREATE TEMP TABLE made (name text, fields text, sig text, n serial);
INSERT INTO made VALUES
  ('g', '{"rotationKeys": ["$A", "$B", "$C"], "prev": null}',
   'CzxFB4mbGwpmkI0ZGZEJ0Fz8OVuVz8EiWigFzlcUPWR79-OMdSndFsXAWaChfjaUNNt07l-QrT3ZZ5xaaRShZw'),
  ('c1', '{"rotationKeys": ["$A", "$B", "$C"], "prev": "$g"}',
   '2AWbWLFEqk_7cNVO0SDECU8aIhA1yhSynY4w6124erZrrcZDUXT1G2yszl0B0f-J_nnHyGSLsfNGD8JYyvYsHQ'),
  ('c2', '{"rotationKeys": ["$A", "$B", "$C"], "verificationMethods": {"atproto": "$T",
    "other": "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"}, "prev": "$c1"}',
   '-hspaN0TrqoUNtsM_udRenP-5i5jBtHRXygCS_GKvTETo0Z7QCklBdGwapW3VbVHghihOfa5dZEHV0KtyMfaww'),
  ('b1', '{"rotationKeys": ["$A", "$B", "$C"],
    "verificationMethods": {"atproto": "$T"}, "prev": "$g"}',
   'q_LKSoa0OBnHUawCzW_DIMMkDMPVTICGCivPd4ZlywQS8EkaMGinIE37KMqXR2dRR2EREIOTp8K2v3GWF9g9BQ'),
  ('b2', '{"rotationKeys": ["$A", "$B", "$C"], "prev": "$g"}',
   'Zewc8TPY0wQ63ekYfjRakJzgWrXOWlgSeqEkbKcbE7xC82CI9w3Bzr0KphgN1WNwXz7f9PINjs9KDqD2IOdzmw'),
  ('a1', '{"rotationKeys": ["$A", "$B"], "prev": "$g"}',
   'KS4CouI_ph6Web5oWUqVsCKzKP7YK2CvT4qaAB1THJxKMyu4pvN9LJ6vD1cww10IJ-EvHiE33xMYcbIr8zb-vg'),
  ('tc', '{"type": "plc_tombstone", "prev": "$g"}',
   'heS2wh46bDa3tOLVe8JrB9_PQxUMZ6Mu_qzY2rwkVsJE-8OV3bxZFclwUgs9zuyVwz9tAUPPE7vqjgAFPOGzSw'),
  ('ta', '{"type": "plc_tombstone", "prev": "$g"}',
   'htcdtglrR2uDr0lWtOch7Ja7H-1Vox8Ip_8XsvMMUJxoE2_1AErYwk82gc9iU4Ro6SbTk2QuOi-KYvgKaYSYzw'),
  ('after_tc', '{"rotationKeys": ["$A"], "prev": "$tc"}',
   'A9nFGn2PlJRfT0TZuVs7vIiMBiTmfRaPpCcqh4sksBs-OCf4onTAvZcD4pvfV3lOvrJ7v-GkUDbIvVTj3QXNeQ'),
  ('h', '{"rotationKeys": ["$A"], "prev": null}',
   'njVu9VFApzN8rU21qzGW8c-mgQLTGC4mHQebQC7uP_llRqht5D7usnLezg74NF55izJwm7G8gzSZoy1iB5HUnQ'),
  ('l', '{"type": "create", "signingKey": "$B", "recoveryKey": "$A", "handle": "http://née.test",
    "service": "pds.test", "prev": null}',
   '0P6GjOjLUf-13MrYPk9ixpCvss3u6IVMzBYFFd2UdIxu8uPJrIaTiAIsgr7E3weL5pPrKYLO-plH37qxL8SLIQ'),
  ('l1', '{"rotationKeys": ["$A"], "prev": "$l"}',
   'a4cReuyvv3Jd1wjUb_lllyTRfT2Km_OQY-j8P8GpctwI9ghL1gzdEUB_Dt2xcbHhhJfY2DD5dfDGVNqM_pkcig'),
  ('l2', '{"rotationKeys": ["$A"], "prev": "$l"}',
   'izwMfmaUrRDvbiIB4EofTufCuOK2wU-iM6IQWB2syWhxz4EnaJF7o-cQVlsTjXawEcVfHqmPOIbHcW591cmTIw'),
  ('bb', '{"rotationKeys": ["$B", "$B"], "prev": null}',
   'ulzoCa052I_22z1hgJWiKj-nuvxmRjAZSlpk-nrebTl047DBQvKmwVU2jNDj9cdackHB8W_nr6t57ooHZUCJjw'),
  ('bb1', '{"rotationKeys": ["$A"], "prev": "$bb"}',
   'E9rbenhGMvTkA0O_llLiuUKn6ksOH2EdXXMSCTB-AmN6vEdePdip4uX4oNWTL_W6VRXWo04fSyjO2a1JMbEkyw'),
  ('bb2', '{"rotationKeys": ["$A"], "prev": "$bb"}',
   'MYnuR863kbnxkhwvMZmsm0_J_Ab11Ye8dAyzwqx6RVoZ-QtEXudQTnU_KRVMuHD4chOjUVGUXE-KPYliyMTHmA'),
  ('mk', '{"rotationKeys": ["did:key:none", "$A"], "prev": null}',
   'oYFXbLq_dCR4KuVDXGZKoZc7oGdJBm4w6hELCxB2B_8w9AAGDc0GrH_NMlP7luzP6mY9GXph1nPjaz_07QzucQ'),
  ('km', '{"rotationKeys": ["$A", "did:key:none"], "prev": null}',
   'l6CC_FsDkYEl2CabzODScLKfr6Hh_iNYeLt21AogmwI1hUWh78Fex-sb0fHjz_O7q6ZvLdREdfK87lXCwZTI1w'),
  ('smt', '{"rotationKeys": ["$S", "did:key:none", "$T"], "prev": null}',
   'UsFgVPVjjJGVEByA80IZiVJju_n5utAVTHAQC_isZUYFL50sxPDw-B-E2Cyp-k00ngIFlnZwjopJrDVieAWyag'),
  ('e', '{"rotationKeys": [], "prev": "$g"}',
   'Wuzj5nZRrfwwn02nh1RdLraVua15xE2I44ydzqvU4ZQ9VbQmS6-WAmBNJv_x3kZgbIkPHdUnP17khlBQ_cIfqQ'),
  ('after_e', '{"rotationKeys": ["$A"], "prev": "$e"}',
   'bQQ0_-cHJlZkb8RlZkHoqyZlUoS9n5NNuje9mkQ4nhxtbJYAHAT_KTWURaO2-vGdeKNmjZ1IpXKw9E8wIu4ovg'),
  ('x', '{"rotationKeys": ["$A"], "prev": "$g"}',
   '163cQZYUTtsJD8bogoQPBgU4ipLMHdr9Y6yC6kGxnpV5hmTcFGz1_uMLE4kT-eyv6aPUaVmp0tz0TxpshLX1RQ'),
  ('six', '{"rotationKeys": ["$A", "$B", "$C", "$S", "$T", "$A"], "prev": null}',
   '5gbdN8j1qtIBGwzXrhxwHH6-8_CtNwDnYsWtiyOUKHFPj43ih0StCZmn0tudYTvMyumOtMIdJ21hi4H7RKzNHQ'),
  ('five', '{"rotationKeys": ["$A", "$B", "$C", "$S", "$T"], "prev": null}',
   'cFWYHKWQ50PLbutijm4MQJkQh4F4ITdDR52j539sfE44tJHTv7o0mwm1GNG0GQwIl9VxlcAzZXHYTIMek-Mvbw'),
  ('ten', '{"rotationKeys": ["$A"], "verificationMethods": {"a": "$S",
    "b": "$S", "c": "$S", "d": "$S",
    "e": "$S", "f": "$S", "g": "$S", "h": "$S", "i": "$S", "j": "$S"}, "prev": null}',
   'Ilh7l2DItQ1jlr7G--0oo8bFA0gvgKdX3QS4oZ-a1L56F3bTQG_3L43p7t9bRYRDqZNel0S9FpvlxSZZPSObhw'),
  ('eleven', '{"rotationKeys": ["$A"], "verificationMethods": {"a": "$S",
    "b": "$S", "c": "$S", "d": "$S",
    "e": "$S", "f": "$S", "g": "$S", "h": "$S", "i": "$S", "j": "$S", "k": "$S"}, "prev": null}',
   'l95xGtLgWnosP6a6dp19BnMiSycHkSQNOHNXk6I3acQly99AaHcqiiMzOO3bbRx6sgiQizlD1XB6wzfOOVahIQ'),
  ('nokey', '{"rotationKeys": ["$A"], "verificationMethods": {"a": "did:key:none"}, "prev": null}',
   'Zifd7NcNElGH3U2YA_18cvV3HAiGgHFfFX36r3ZPYA1uQ-mu99lvB1SkClWqangKg9p_N8d3fyfyq1CjLHfVew'),
  ('large', '{"rotationKeys": ["$A"], "alsoKnownAs": ["$7195"], "prev": null}',
   'XlpcoSitDJD8gTx20-ZOxiBF90Q2uzJAY8gqyTwV_ywOah0iXnac9vr1U3Spn6_DIJKxoLs7Ix7o1QZxsH_oTw'),
  ('larger', '{"rotationKeys": ["$A"], "alsoKnownAs": ["$7196"], "prev": null}',
   '3qbvfjw7_4fymO8sQeMYModYKh-o1pISPcxjFUOXD0JvrQVv3C00UT-wNCPNceQERmjfSu6SUrSlogofQxt44w');

CREATE TEMP TABLE operations (name text PRIMARY KEY, operation jsonb, cid text);
DO $$
DECLARE
  m made;
  filled text;
  k record;
BEGIN
  FOR m IN SELECT * FROM made ORDER BY n LOOP
    filled := m.fields::jsonb || jsonb_build_object('sig', m.sig);
    IF m.fields NOT LIKE '%"type"%' THEN
      filled := jsonb_build_object('type', 'plc_operation', 'services', '{}'::jsonb,
          'verificationMethods', jsonb_build_object('atproto', '$S'),
          'alsoKnownAs', jsonb_build_array('at://' || m.name || '.test')) || filled::jsonb;
    END IF;
    FOR k IN SELECT name, key FROM keys UNION ALL SELECT name, cid FROM operations
             UNION ALL SELECT x::text, repeat('x', x) FROM generate_series(7195, 7196) AS x LOOP
      filled := replace(filled, '"$' || k.name || '"', '"' || k.key || '"');
    END LOOP;
    INSERT INTO operations VALUES (m.name, filled::jsonb, atid.record_cid(filled::jsonb));
  END LOOP;
END $$;

-- A log of operations, each with its time after the beginning of 2024: 'g 0, c1 1h'.
CREATE FUNCTION pg_temp.log(list text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(jsonb_build_object('did', d.did, 'operation', o.operation, 'cid', o.cid,
           'createdAt', to_char(timestamp '2024-01-01' + substr(e, length(name) + 2)::interval,
                                'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) ORDER BY i)
  FROM string_to_table(list, ', ') WITH ORDINALITY AS s (e, i)
    JOIN operations AS o ON o.name = split_part(e, ' ', 1),
    (SELECT atid.plc_did(operation) AS did FROM operations
     WHERE operation->'prev' = 'null' AND starts_with(list, name || ' ')) AS d
$$;
CREATE FUNCTION pg_temp.problem(list text) RETURNS text LANGUAGE sql AS
  $$ SELECT CASE WHEN atid.plc_log_is_valid(pg_temp.log(list)) THEN 'valid'
    ELSE atid.plc_log_problem(pg_temp.log(list)) END $$;

-- Forks.  The rotation keys of g are A, B, C: c1 and c2 are C's, b1 and b2 B's, a1 is A's;
-- tc and ta are tombstones.
\set QUIET on
\pset tuples_only on
\pset format unaligned
SELECT what, pg_temp.problem(log) FROM (VALUES
  (1, 'a genesis operation', 'g 0'),
  (2, 'one after the other', 'g 0, c1 1h, c2 2h'),
  (3, 'a fork at 72 h', 'g 0, c1 1h, b1 73h'),
  (4, 'at 72 h and 1 us', 'g 0, c1 1h, b1 73h 0.000001s'),
  (5, 'at 72 h and 1 ms', 'g 0, c1 1h, b1 73h 0.001s'),
  (6, 'the window counts from the first that is nullified', 'g 0, c1 1h, c2 100h, b1 101h'),
  (7, 'B recovers at 71 h, A from the same point at 100 h', 'g 0, c1 0.001s, b1 71h, a1 100h'),
  (8, 'A within 72 h of B''s', 'g 0, c1 0.001s, b1 71h, a1 143h'),
  (9, 'A later', 'g 0, c1 0.001s, b1 71h, a1 143h 0.001s'),
  (10, 'B over B', 'g 0, c1 1h, b1 2h, b2 3h'),
  (11, 'B over B with [B, B]', 'bb 0, bb1 1h, bb2 2h'),
  (12, 'C over B', 'g 0, b1 1h, c1 2h'),
  (13, 'C over A', 'g 0, a1 1h, c1 2h'),
  (14, 'nobody over C', 'g 0, c1 1h, x 2h'),
  (15, 'the same operation again', 'g 0, c1 1h, c1 2h'),
  (16, 'B forks from before a tombstone', 'g 0, tc 1h, b1 2h'),
  (17, 'a tombstone forks', 'g 0, c1 1h, ta 2h'),
  (18, 'after a tombstone', 'g 0, tc 1h, after_tc 2h'),
  (19, 'after a tombstone that is nullified', 'g 0, tc 1h, b1 2h, after_tc 3h'),
  (20, 'after what is nullified', 'g 0, c1 1h, b1 2h, c2 3h'),
  (21, 'after what is not there', 'g 0, c2 1h'),
  (22, 'signed by no key', 'g 0, x 1h'),
  (23, 'no rotation keys', 'g 0, e 1h'),
  (24, 'after no rotation keys', 'g 0, e 1h, after_e 2h'),
  (25, 'a fork from before no rotation keys', 'g 0, e 1h, a1 2h'),
  (26, 'a malformed key before the one that signed', 'mk 0'),
  (27, 'a malformed key behind it', 'km 0'),
  (28, 'a legacy genesis', 'l 0, l1 1h'),
  (29, 'its recovery key over its signing key', 'l 0, l1 1h, l2 2h'),
  (30, 'its signing key over its recovery key', 'l 0, l2 1h, l1 2h')
) AS v (i, what, log) ORDER BY i;

-- A key that is malformed is tried first, as one in its place signed the operation before
SELECT list, pg_temp.problem(list) FROM unnest('{"g 0, b1 1h","smt 0"}'::text[])
  WITH ORDINALITY AS s (list, i) ORDER BY i;

-- Times
SELECT what, pg_temp.problem(log) FROM (VALUES
  (1, 'equal', 'g 0, c1 0'), (2, 'falling', 'g 1h, c1 0'), (3, '1 us later', 'g 0, c1 0.000001s'),
  (4, 'equal, of those that are nullified too', 'g 0, c1 1h, b1 1h')
) AS v (i, what, log) ORDER BY i;

-- The first operation, and the only one that has no other before it
SELECT what, pg_temp.problem(log) FROM (VALUES
  (1, 'a second genesis operation', 'g 0, h 1h'),
  (2, 'a create that is not the first', 'g 0, l 1h')
) AS v (i, what, log) ORDER BY i;
SELECT what, atid.plc_log_problem(log) FROM (VALUES
  (1, 'a log without its beginning', pg_temp.log('g 0, c1 1h, c2 2h') - 0),
  (2, 'a tombstone', pg_temp.log('g 0, tc 1h') - 0),
  (3, 'no prev', pg_temp.log('g 0, c1 1h') #- '{1,operation,prev}'),
  (4, 'a tombstone with prev null', jsonb_set(pg_temp.log('g 0, tc 1h'), '{1,operation,prev}',
    'null')),
  (5, 'a false DID', jsonb_set(pg_temp.log('g 0'), '{0,did}',
    '"did:plc:yk4dd2qkboz2yv6tpubpc6co"')),
  (6, 'two DIDs', jsonb_set(pg_temp.log('g 0, c1 1h'), '{1,did}',
    '"did:plc:yk4dd2qkboz2yv6tpubpc6co"')),
  (7, 'a false CID', jsonb_set(pg_temp.log('g 0, c1 1h'), '{1,cid}',
    to_jsonb((SELECT cid FROM operations WHERE name = 'g'))))
) AS v (i, what, log) ORDER BY i;

-- A signature whose s is above half the order of the curve, and one in DER
SELECT what, atid.plc_log_problem(jsonb_build_array(jsonb_build_object('operation', changed,
         'cid', atid.record_cid(changed), 'did', atid.plc_did(changed),
         'createdAt', '2024-01-01T00:00:00Z')))
FROM (VALUES
  (1, 'K-256, s is the half', 'h', lpad('1', 64, '0')
      || '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0'),
  (2, 'K-256, one more', 'h', lpad('1', 64, '0')
      || '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1'),
  (3, 'P-256, s is the half', 'bb', lpad('1', 64, '0')
      || '7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8'),
  (4, 'P-256, one more', 'bb', lpad('1', 64, '0')
      || '7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a9'),
  (5, 'DER', 'h', '303e021d' || repeat('11', 29) || '021d' || repeat('22', 29)),
  (6, 'another tag in it', 'h', '303e021d' || repeat('11', 29) || '031d' || repeat('22', 29))
) AS v (i, what, name, sig)
  JOIN operations USING (name),
  LATERAL jsonb_set(operation, '{sig}', to_jsonb(translate(
    encode(decode(sig, 'hex'), 'base64'), E'+/=\n', '-_'))) AS s (changed) ORDER BY i;

-- Forms
SELECT what, coalesce(atid.plc_log_problem(log), 'valid') FROM (VALUES
  (1, 'empty', jsonb '[]'), (2, 'an object', '{}'), (3, 'a string', '"log"'), (4, 'null', 'null'),
  (5, 'no entries', '[1]'), (6, 'empty entries', '[{}]'), (7, 'arrays', '[[]]'),
  (8, 'the bare log', (SELECT jsonb_agg(e->'operation')
    FROM jsonb_array_elements(pg_temp.log('g 0, c1 1h')) AS e)),
  (9, 'no cid', pg_temp.log('g 0') #- '{0,cid}'),
  (10, 'no createdAt', pg_temp.log('g 0') #- '{0,createdAt}'),
  (11, 'a date', jsonb_set(pg_temp.log('g 0'), '{0,createdAt}', '"2024-01-01"')),
  (12, 'a number', jsonb_set(pg_temp.log('g 0'), '{0,createdAt}', '1704067200')),
  (13, 'a time of another zone', jsonb_set(pg_temp.log('g 0'), '{0,createdAt}',
    '"2024-01-01T01:00:00+01:00"')),
  (14, 'no operation', pg_temp.log('g 0') #- '{0,operation}'),
  (15, 'a string', jsonb_set(pg_temp.log('g 0'), '{0,operation}', '"g"')),
  (16, 'an array', jsonb_set(pg_temp.log('g 0'), '{0,operation}', '[]')),
  (17, 'one field more', jsonb_set(pg_temp.log('g 0'), '{0,operation,more}', '1')),
  (18, 'an export with seq',
   (SELECT jsonb_agg(e || jsonb_build_object('type', 'sequenced_op', 'seq', 7 * i) ORDER BY i)
    FROM jsonb_array_elements(pg_temp.log('g 0, c1 1h')) WITH ORDINALITY AS s (e, i))),
  (19, 'nullified is a string', jsonb_set(pg_temp.log('g 0'), '{0,nullified}', '"false"')),
  (20, 'nullified is null', jsonb_set(pg_temp.log('g 0'), '{0,nullified}', 'null'))
) AS v (i, what, log) ORDER BY i;

-- Absent marks are computed, and those that are present are checked
SELECT what, marks, coalesce(atid.plc_log_problem((
         SELECT jsonb_agg(CASE m WHEN '-' THEN e
                            ELSE e || jsonb_build_object('nullified', m = 't') END ORDER BY i)
         FROM ROWS FROM (jsonb_array_elements(pg_temp.log('g 0, c1 1h, c2 2h, b1 3h')),
           string_to_table(marks, NULL))
           WITH ORDINALITY AS s (e, m, i))), 'valid')
FROM (VALUES (1, 'right', 'fttf'), (2, 'some', '-t--'), (3, 'not nullified', 'ffff'),
             (4, 'the second of two', '--f-'), (5, 'the first one', 't---'),
             (6, 'the last one', '---t')) AS v (i, what, marks) ORDER BY i;
-- without the entries that are nullified it verifies too
SELECT pg_temp.problem('g 0, b1 3h');

-- Strict
SELECT name, atid.plc_log_is_valid(pg_temp.log(name || ' 0')) AS valid,
       atid.plc_log_problem(pg_temp.log(name || ' 0'), strict => true)
FROM unnest('{five,six,bb,km,ten,eleven,nokey,large,larger,l}'::text[])
  WITH ORDINALITY AS s (name, i) ORDER BY i;
SELECT pg_temp.problem('g 0, e 1h'), atid.plc_log_problem(pg_temp.log('g 0, e 1h'), true);

-- The history and the keys
\pset tuples_only off
\pset format aligned
SELECT n, created_at = valid_from AS "from", o.name, nullified, h.type, k.name AS signed_by,
       valid_from AT TIME ZONE 'UTC' - '2024-01-01' AS valid_from,
         valid_to AT TIME ZONE 'UTC' - '2024-01-01' AS valid_to,
       data = operation - 'sig' - 'prev' - 'type' AS data
FROM atid.plc_log_history(pg_temp.log('g 0, tc 1h, b1 2h, a1 3h')) AS h
  LEFT JOIN operations AS o ON h.cid = o.cid::atid.cid_link LEFT JOIN keys
    AS k ON k.key = h.signed_by ORDER BY n;
SELECT n, o.name, nullified, h.type, k.name AS signed_by,
       valid_from AT TIME ZONE 'UTC' - '2024-01-01' AS valid_from,
         valid_to AT TIME ZONE 'UTC' - '2024-01-01' AS valid_to,
       data = operation - 'sig' - 'prev' - 'type' AS data
FROM atid.plc_log_history(pg_temp.log('g 0, c1 1h, c2 2h, b1 3h, ta 4h')) AS h
  LEFT JOIN operations AS o ON h.cid = o.cid::atid.cid_link LEFT JOIN keys
    AS k ON k.key = h.signed_by ORDER BY n;
SELECT id, coalesce(name, key) AS key, valid_from AT TIME ZONE 'UTC' - '2024-01-01' AS valid_from,
       valid_to AT TIME ZONE 'UTC' - '2024-01-01' AS valid_to, nullified
FROM atid.plc_log_keys(pg_temp.log('g 0, c1 1h, c2 2h, b1 3h, ta 4h'))
  LEFT JOIN keys USING (key) ORDER BY valid_from, id;
SELECT id, name, valid_from AT TIME ZONE 'UTC' - '2024-01-01' AS valid_from,
       valid_to AT TIME ZONE 'UTC' - '2024-01-01' AS valid_to, nullified
FROM atid.plc_log_keys(pg_temp.log('l 0, l1 1h')) LEFT JOIN keys USING (key)
ORDER BY valid_from, id;
SELECT jsonb_pretty(data) FROM atid.plc_log_history(pg_temp.log('l 0'));
-- what the directory answered at a time
SELECT at, h.n, data->'alsoKnownAs'->>0 AS state
FROM unnest('{-0.000001s,0,59m,1h,2h,2h 59m,3h,10y}'::interval[]) AS at
  LEFT JOIN atid.plc_log_history(pg_temp.log('g 0, tc 1h, b1 2h, ta 3h')) AS h
    ON tstzrange(valid_from, valid_to) @> timestamptz '2024-01-01Z' + at
ORDER BY at;
-- the account is the log's own
SELECT (SELECT count(*) FROM atid.plc_log_history(log) WHERE did = log->0->>'did') AS history,
       (SELECT count(*) FROM atid.plc_log_keys(log) WHERE did = log->0->>'did') AS keys
FROM pg_temp.log('g 0, c1 1h, c2 2h') AS log;

-- Handles and services of a legacy operation, as the directory's library makes them
SELECT handle, service, data->'alsoKnownAs' AS handles,
  data#>'{services,atproto_pds,endpoint}' AS endpoint
FROM (VALUES
  ('a.test', 'a.test',
   'PsI7bHCX8Lxv50RBhs9-SYMJDpxPeEXTNFuXL1ZmtEA0g53ttQM8T6DOINd1KhXFQ8uaFN33ARLce3HKwzZY-g'),
  ('at://a.test', 'http://a.test',
   'Uo0OLqAIG3dO3rOoSMex3eZgXRhtkB6TTffPcju5A3VnOS1DKtgyaXed_zY5MUQiwVmPb4nSDqFef6Wgr3OwKw'),
  ('http://a.test', 'https://a.test',
   'lFbmEtKskIBnCqF1pCAufb4eknm1H0kdPftqu1Mfy89suOOzopPLtL8Rh4LqaL3U_WPQbdza5lHpMuk71B07ZA'),
  ('https://a.test', 'at://a.test',
   'U9BDGv5cSVn55zC7Ihycc7tOWGwPj2YlD-1F9RSGXfAetG9TLTpYDv6uuucu2a_ugL6bB7f8wlu3EJCjmj1orQ'),
  ('a.http://https://https://b', '',
   'QJ3gRDJuCPfOOnNWoCZtn0HOctkgb8MxJFxqZqmgP845cJ41P4SI25W1MK7NDTAEuH2bnnBlw2Ylpje1zk4pmw'),
  ('', 'HTTPS://a.test',
   'cMI7qhF9snKBZt1HhA9QzjxHFElBxuU6duyt1gi4sWR1V3EjYbSwnkKQYchar7sKjeIsPwz1wvc8ApfOvfSo_w')
) AS v (handle, service, sig),
  LATERAL jsonb_build_object('type', 'create', 'prev', NULL, 'handle', handle, 'service', service,
    'sig', sig, 'signingKey', 'did:key:zQ3shdMTE3Ub3DVTaeFeKeKA9sem5mY85zNRkEYJnQf1wMRGQ',
    'recoveryKey', 'did:key:zQ3shdMTE3Ub3DVTaeFeKeKA9sem5mY85zNRkEYJnQf1wMRGQ') AS o,
  atid.plc_log_history(jsonb_build_array(jsonb_build_object('operation', o,
    'cid', atid.record_cid(o), 'did', atid.plc_did(o), 'createdAt', '2024-01-01T00:00:00Z')));

-- Nothing of an invalid log, and NULL
SELECT count(*) FROM atid.plc_log_history(pg_temp.log('g 0, x 1h'));
SELECT count(*) FROM atid.plc_log_keys(pg_temp.log('g 0, x 1h'));
SELECT atid.plc_log_is_valid(pg_temp.log('g 0, x 1h')) AS valid;
SELECT atid.plc_log_problem(NULL) IS NULL AS problem,
       atid.plc_log_is_valid(NULL) IS NULL AS valid,
       atid.plc_log_is_valid(pg_temp.log('g 0'), strict => NULL) AS strict,
       atid.plc_log_is_valid('[]', strict => NULL) AS not_strict,
       atid.plc_log_is_valid(NULL, strict => true) IS NULL AS no_log,
       (SELECT count(*) FROM atid.plc_log_history(NULL)) AS history,
       (SELECT count(*) FROM atid.plc_log_keys(NULL)) AS keys;

-- The same logs again and again, at one call site
SELECT count(*) FILTER (WHERE atid.plc_log_is_valid(pg_temp.log(list)))
FROM unnest('{"g 0, c1 1h","five 0","bb 0, bb1 1h","l 0, l1 1h"}'::text[]) AS list,
  generate_series(1, 20);
