--
-- Operations of PLC
--

-- An account's log of the directory plc.directory, with its DID and the operations'
-- CIDs; the first account's genesis operation of the old form; and two made by
-- @noble/curves over the blocks of @ipld/dag-cbor, of which one has text that is
-- not ASCII and a key of P-256.
CREATE TEMP TABLE operations (n int, did text, cid text, operation jsonb);
INSERT INTO operations VALUES
  (1, 'did:plc:ana7n2ppeqk57pay7azhjs24',
   'bafyreiadih3ot3zecxp3yghygj2mwxh3szrrifwer2z4iodazbrtuvmmgm',
   '{"sig":
     "IypAT0szH_8Ygl7QrnXZrxemIcg_RkW_GyYbjih_9BEe5DRGgLxmQGeWsvB0TfDqm50c0xB8mGraOf25IA25qA",
     "prev": null, "type": "plc_operation", "services": {}, "alsoKnownAs": ["at://op0"],
     "rotationKeys": ["did:key:zQ3shhiASLv8GN7ob3iWqsAxP7nE95LUPWsNEb2jTfW7e2yCt",
                      "did:key:zQ3shsnWCW7HC7bYVnRcY5XxQpKArfafpB5S39DoqTkexuiTu"],
     "verificationMethods": {}}'),
  (2, 'did:plc:ana7n2ppeqk57pay7azhjs24',
   'bafyreieshd5ujokbnxfzqmaoyimbdsiuwklji2st7ffga2vkhsozxn324u',
   '{"sig":
     "eabKT5-1i2MW8Z7iWXHp2tlEYn1y6HmbuHexP-fgOzQq6RuNBGlWWOjMygxl8BK98FCNU8wvX9eWkM-soBrfow",
     "prev": "bafyreiadih3ot3zecxp3yghygj2mwxh3szrrifwer2z4iodazbrtuvmmgm",
     "type": "plc_operation", "services": {}, "alsoKnownAs": ["at://op1"],
     "rotationKeys": ["did:key:zQ3shXPgp1NrzoXSpa7YTn9ZFUVco39X8ygph16Bj6Ku4NJd2",
                      "did:key:zQ3shd4eC3ykuq1GfpuyosoBLSX3JASu9qFXggqWGWwH9MXg6"],
     "verificationMethods": {}}'),
  (3, 'did:plc:pyc2ihzpelxtg4cdkfzbhcv4', NULL,
   '{"type": "create", "signingKey": "did:key:zQ3shP5TBe1sQfSttXty15FAEHV1DZgcxRZNxvEWnPfLFwLxJ",
     "recoveryKey": "did:key:zQ3shhCGUqDKjStzuDxPkTxN6ujddP4RkEKJJouJGRRkaLGbg",
     "handle": "first-post.bsky.social", "service": "https://bsky.social", "prev": null,
     "sig":
     "yvN4nQYWTZTDl9nKSSyC5EC3nsF5g4S56OmRg9G6_-pM6FCItV2U2u14riiMGyHiCD86l6O-1xC5MPwf8vVsRw"}'),
  (4, 'did:plc:fm74kno5wciu66biqeo66kkj', NULL,
   '{"type": "plc_operation",
     "rotationKeys": ["did:key:zDnaegkAjichtmgDzR6z3ySDer2mpndGPdRUCG4TtjjGS4CjL"],
     "verificationMethods":
       {"atproto": "did:key:zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW"},
     "alsoKnownAs": ["at://née.test"], "services": {}, "prev": null,
     "sig":
     "8xToFKCTUJYKzdFcUq5Z7dLb7RuvIbf8w5-UOfd73MlR8FumtLJqHYKcO4Znp32VPKLH7EbaAnVEK3qqR4Y9pg"}'),
  (5, NULL, NULL,
   '{"type": "plc_tombstone",
     "prev": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a",
     "sig":
     "F0w2W8bIulT7B2ff47FBcwX5fP9ow4ZdJC_ey7O7g34z97NfG8DZ0W0RI9djoFNudSkDMc6kT9Biq-tBsKTnNQ"}');

-- The DID of a genesis operation
SELECT n, atid.plc_did(operation), atid.plc_did(operation) = did AS same
FROM operations WHERE operation->'prev' = 'null' ORDER BY n;
SELECT n FROM operations WHERE atid.record_cid(operation)::text <> cid;

-- Which of all these keys signed an operation?
CREATE TEMP TABLE keys AS
  SELECT DISTINCT m.key[1] AS key
  FROM operations, regexp_matches(operation::text, 'did:key:\w+', 'g') AS m (key);
SELECT n, key FROM operations, keys WHERE atid.plc_operation_is_signed_by(operation, key)
ORDER BY n, key COLLATE "C";

-- No field may be changed, added or taken away
CREATE TEMP TABLE signed AS
  SELECT n, operation, key FROM operations, keys
  WHERE atid.plc_operation_is_signed_by(operation, key);
SELECT n, field FROM signed, jsonb_object_keys(operation) AS field
WHERE atid.plc_operation_is_signed_by(operation - field, key)
   OR atid.plc_operation_is_signed_by(operation || jsonb_build_object(field, 1), key);
SELECT n FROM signed WHERE atid.plc_operation_is_signed_by(operation || '{"more": 1}', key);

-- The signature is base64url of 64 bytes, without padding and spare bits
SELECT what, sig,
       atid.plc_operation_problem(operation || jsonb_build_object('sig', sig)) IS NULL AS valid,
       atid.plc_operation_is_signed_by(operation || jsonb_build_object('sig', sig), key) AS signed
FROM signed, LATERAL (SELECT operation->>'sig') AS s (good),
     LATERAL (VALUES (1, 'as it was', good), (2, 'padded', good || '=='),
                     (3, 'base64', translate(good, '-_', '+/')),
                     (4, 'spare bits', left(good, 85) || 'B'),
                     (5, 'too short', left(good, 85)), (6, 'too long', good || 'A'),
                     (7, 'a blank', ' ' || left(good, 85)), (8, 'empty', '')) AS v (i, what, sig)
WHERE n = 1
ORDER BY i;

-- No key has signed a jsonb that is no operation; and the reason why it is none
SELECT operation, atid.plc_operation_problem(operation) AS problem,
       atid.plc_operation_is_signed_by(operation,
         'zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW') AS signed
FROM jsonb_array_elements('[null, 1, "sig", [], {}, ["sig"], {"type": "other"}, {"type": null},
                            {"type": ["create"]}, {"type": "create"}]') AS operation;
SELECT what, atid.plc_operation_problem(wrong) AS problem
FROM operations,
     LATERAL (VALUES (1, 'as it was', operation), (2, 'no sig', operation - 'sig'),
                     (3, 'null', operation || '{"sig": null}'),
                     (4, 'a number', operation || '{"sig": 1}'),
                     (5, 'short', operation || '{"sig": "AA"}'),
                     (6, 'padded', jsonb_set(operation, '{sig}',
                                             to_jsonb(operation->>'sig' || '=='))),
                     (7, 'a false prev', operation || '{"prev": false}'),
                     (8, 'upper case', operation || jsonb_build_object('prev', upper(cid))),
                     (9, 'a string', operation || '{"services": "none"}'),
                     (10, 'a list', operation || '{"services": []}'),
                     (11, 'an object', operation || '{"alsoKnownAs": {}}'),
                     (12, 'null', operation || '{"alsoKnownAs": [null]}'),
                     (13, 'nested', operation || '{"alsoKnownAs": ["at://op0", ["at://op1"]]}'),
                     (14, 'no text', operation || '{"": ""}'),
                     (15, 'long', operation || jsonb_build_object(repeat('née', 1000), '')))
       AS v (i, what, wrong)
WHERE n = 1
ORDER BY i;

-- Without the form of an operation a jsonb is none, and no key has signed it, even if the signature
-- is valid.  The last three have the form, which does not require valid keys or a number of keys,
-- and in which "$link" and "$bytes" are ordinary keys.
CREATE TEMP TABLE bases (name text, base jsonb);
INSERT INTO bases VALUES
  ('op', '{"type": "plc_operation", "verificationMethods": {}, "alsoKnownAs": [], "services": {},
    "rotationKeys": ["did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1"], "prev": null}'),
  ('tombstone', '{"type": "plc_tombstone",
    "prev": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}'),
  ('create', '{"type": "create", "handle": "a.test", "service": "https://a.test", "prev": null,
    "signingKey": "did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1",
    "recoveryKey": "did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1"}');
CREATE TEMP TABLE forms (n int, what text, name text, change jsonb, without text[], sig text);
INSERT INTO forms (n, what, name, without, change, sig) VALUES
  (1, 'type alone', 'op', '{alsoKnownAs,prev,rotationKeys,services,verificationMethods}', '{}',
   'ZpISl6fxnYcJuUH9CMr45WRYWT4iYAxa2TLCUD-7vpE04UNzytj0S7jAHRQabS4HSHX-Wlm6fyy7AMF0xbvSug'),
  (2, 'a tombstone that begins', 'tombstone', '{}', '{"prev": null}',
   'nqqIq3ERqyIjyLGRZ0J64JsVG5MyZyCbGSRgAJQfXhsM9yWGsHzyVTrZY_OE7l557ugzoteSeAM-K3cyhMNXyQ'),
  (3, 'a tombstone with more', 'tombstone', '{}', '{"handle": "a.test"}',
   'OMx6WFNXOcoq72S1cAV8_HN0mOEyI849wxlwMFQElbchhGNTnJ1uRvrG_GdFBhx8eDc9r_IK71pJ0DZpL-yt0w'),
  (4, 'no prev', 'op', '{prev}', '{}',
   'cBd661FhjKY4TpcH_0edXpMOPgu5gZ11zkUYpbVNKuchUEyGMhK1JXaMiCvoo8u0ppZAZOxT15mwVd7Hjmz2pg'),
  (5, 'a prev that is no CID', 'op', '{}', '{"prev": "x"}',
   'tOZOAEDi8i8kMdnL6paR3lIfIvmpXqD8PyOsCgTPa1NuEvG_DMuniHqD7Yk_Mtzmzrwq47an5cT70TMopQjorg'),
  (6, 'a prev of other data', 'op', '{}',
   '{"prev": "bafkreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}',
   '8fO2aVDha8krVFZUULPp_NrtFiRSl1jGP-2lbKsQc7RJie3yxjWT-hCLu3vlqIAyF6eoMLMFm7y6g_EPIo90YA'),
  (7, 'a name of its own', 'op', '{}', '{"a \"name\"": 1}',
   'Qe-gPS5WbL50V9rK7eYHGtCW7FbIaEw5Efoen2qYzckPIBCk6dJmWdgJgkPY4pJz5qoqvyTtZQRd-kUWEMf0XQ'),
  (8, 'a create that follows', 'create', '{}',
   '{"prev": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}',
   'Ddbx-4EpWQilB-5PULY94VQDtlINlwpvtlmW6x-juDBM9wNPk-4uXasZ6D9ewoGQNAF0E3D3Ab3LFwh5AudLTg'),
  (9, 'a create without handle', 'create', '{handle}', '{}',
   'fSm4_RYo3sqmGC8QyMrPVTO1adQBWtw0QL73qJPyk9BfgVK7KESTlR9g-j_67QoQqvd7zfn0kq-q835BVBZSdQ'),
  (10, 'a key that is no string', 'op', '{}',
   '{"rotationKeys": ["did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1", 1]}',
   'UM8szNwTx28mjHoIfgGcE7gK1Tjh2kjA-aF1H5rX1sw9I1JEA2cfj0da_wpCEzYHH5hGFSDzEyKfl3zkjaXM-g'),
  (11, 'a key and not a list', 'op', '{}',
   '{"rotationKeys": "did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1"}',
   '_L7ELKgWdRpgo1kKjpBCMCC4ThhXdENJxkXpHblrjZVYWQZJlLLO7RTR2PBE8v_VkagjHnQ6yfmo4S91nDSlnQ'),
  (12, 'a method in a list', 'op', '{}',
   '{"verificationMethods": ["did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1"]}',
   'fGpsFZsoGaZvzo-TX8hFS5Uop2QvgYDuYZExNo3WtxgwEVSV-dTZIfg9aYd1Cab2Oj3RHOkCAacSUgxL-maRRw'),
  (13, 'a method that is none', 'op', '{}', '{"verificationMethods": {"atproto": {}}}',
   '71Z6lRvkcs1Fk3xZK4xe4gbvzYIsHtam34wrKvBt7VYVY_KLBtls9phUqJLy2Xm8Mc4tSFCu42f8Fw45CcV0Yg'),
  (14, 'a service that is a string', 'op', '{}', '{"services": {"a": "https://a.test"}}',
   '64L2XfdahlEHw4al7anLbOWH8B9UB1vmpDV2aq-MjOp9wgYRKavE4ua6dlj5HMNV-dNp_HY7PM2zsFZf6dr0bg'),
  (15, 'a service without endpoint', 'op', '{}', '{"services": {"a b": {"type": "x"}}}',
   'pH1PKHp1HllLQRSnuPVwvGzZOIO3dugS-4pDyAxdj00Vdg7JMh6E3ltURQUg2tIQQYr_sTQTbmgKSB5NCP2tHw'),
  (16, 'a service with a number', 'op', '{}', '{"services": {"a": {"type": "x", "endpoint": 1}}}',
   'iOS7ayuAHY5Qfyyebihu7XnP_AywjrX8lbCi2kVlcaFB8T69zwAUYDlu5365jnKDsgh_9r2aJNFi0HMA79dduQ'),
  (17, 'a service with more', 'op', '{}',
   '{"services": {"a": {"type": "x", "endpoint": "y", "more": "z"}}}',
   'NutBNWi9DrZzubA61DhG_ZdpjnMkbux1SvLHgm0cBqEwrC_zFE10qsc6lDTOIAqlbvJdFx-3ukJIjq_UsbKklg'),
  (18, 'no key, and keys twice', 'op', '{}',
   '{"rotationKeys": ["did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1",
      "did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1", "no key"],
    "verificationMethods": {"atproto": "no key"}}',
   '73-Y0MZhuSuA81UBH6MMNamfLvxpi2sleQQY5QgrwBFKJqUagZqXAlP7WkWCI84usLWU8yspeGaAszper42CJQ'),
  (19, 'no keys', 'op', '{}',
   '{"rotationKeys": [], "prev": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}',
   'ZPpacfodHwpCMGz_1692fGynRwVVtUPY36hRESMqYM1ixp_bU0c6F0DwoMJCBJ01GpSlnC71qsncn3InVTRf2g'),
  (20, 'names as records have them', 'op', '{}',
   '{"verificationMethods": {"$bytes": "AAAA"},
    "services": {"$link": {"type": "$type", "endpoint": ""}}}',
   'YJ5GpbPSobfRRLcwOJWh38caE332-JkRKyeN2cYfO-1lszMKDVSbNjQcIMnSUtfKYVGA84Rll6PBFkQz1izcmQ');
CREATE TEMP VIEW formed AS
  SELECT n, what, (base || change) - without || jsonb_build_object('sig', sig) AS operation
  FROM forms JOIN bases USING (name);
SELECT what,
       atid.signature_is_valid(atid.record_to_dag_cbor(operation - 'sig'),
                               decode(translate(operation->>'sig', '-_', '+/') || '==', 'base64'),
                               key) AS sig,
       atid.plc_operation_is_signed_by(operation, key) AS signed,
       atid.plc_operation_problem(operation) AS problem
FROM formed,
     (VALUES ('did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1')) AS k (key)
WHERE what NOT LIKE 'names%' ORDER BY n;
SELECT atid.plc_operation_is_signed_by(operation,
         'did:key:zQ3shgJHe5oTdGtyYmsLr42r4Qjypm7s862UzpTAzbmmuput1') AS signed,
       atid.plc_operation_problem(operation) AS problem, atid.plc_did(operation)
FROM formed WHERE what LIKE 'names%';

-- Operations without a DID, and why
CREATE FUNCTION pg_temp.error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE statement;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN format('%s: %s: %s', SQLSTATE, SQLERRM, detail);
END $$;
SELECT what, pg_temp.error_of(format('SELECT atid.plc_did(%L)', wrong)) AS error
FROM operations,
     LATERAL (VALUES (1, 'no object', jsonb '[]'), (2, 'no type', operation - 'type'),
                     (3, 'a tombstone', operation || '{"type": "plc_tombstone"}'),
                     (4, 'no prev', operation - 'prev'),
                     (5, 'a prev', operation || jsonb_build_object('prev', cid)),
                     (6, 'no sig', operation - 'sig'), (7, 'a number', operation || '{"sig": 1}'),
                     (8, 'a short sig', operation || '{"sig": "AA"}'),
                     (9, 'a fraction', operation || '{"services": [1.5]}'),
                     (10, 'no fields', '{"type": "create", "prev": null}')) AS v (i, what, wrong)
WHERE n = 1
ORDER BY i;

-- NULL, and a malformed key
SELECT atid.plc_did(NULL) IS NULL AS did, atid.plc_operation_problem(NULL) IS NULL AS problem,
       atid.plc_operation_is_signed_by(NULL, 'x') IS NULL AS operation,
       atid.plc_operation_is_signed_by('{}', NULL) IS NULL AS key;
SELECT atid.plc_operation_is_signed_by('{}', 'did:key:zQ3sh');
