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

-- Who signed an operation: which of all the keys that stand here?
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
       atid.plc_operation_is_signed_by(operation || jsonb_build_object('sig', sig), key) AS signed
FROM signed, LATERAL (SELECT operation->>'sig') AS s (good),
     LATERAL (VALUES (1, 'as it was', good), (2, 'padded', good || '=='),
                     (3, 'base64', translate(good, '-_', '+/')),
                     (4, 'spare bits', left(good, 85) || 'B'),
                     (5, 'too short', left(good, 85)), (6, 'too long', good || 'A'),
                     (7, 'a blank', ' ' || left(good, 85)), (8, 'empty', '')) AS v (i, what, sig)
WHERE n = 1
ORDER BY i;

-- What is no operation was signed by nobody, also what DAG-CBOR cannot carry, and what is
-- signed well but of a type that PLC does not know.
SELECT operation
FROM jsonb_array_elements('[null, 1, "sig", [], {}, ["sig"],
  {"type": "other", "prev": null,
   "sig":
     "SzFJ4bUYBB6kVoU2-AwyMEFTJCCEgRnGcpfTe6tjQTUl1GkL6_BKarCHaTmKEg_nO9N2_SZJutdbCoPRyCu2PQ"},
  {"type": "plc_operation", "prev": null, "n": 1.5,
   "sig":
     "SzFJ4bUYBB6kVoU2-AwyMEFTJCCEgRnGcpfTe6tjQTUl1GkL6_BKarCHaTmKEg_nO9N2_SZJutdbCoPRyCu2PQ"}]')
  AS operation
WHERE atid.plc_operation_is_signed_by(operation,
                                      'zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW');

-- Of what no DID is made, and why
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
                     (9, 'a fraction', operation || '{"services": [1.5]}')) AS v (i, what, wrong)
WHERE n = 1
ORDER BY i;

-- NULL, and a malformed key
SELECT atid.plc_did(NULL) IS NULL AS did,
       atid.plc_operation_is_signed_by(NULL, 'x') IS NULL AS operation,
       atid.plc_operation_is_signed_by('{}', NULL) IS NULL AS key;
SELECT atid.plc_operation_is_signed_by('{}', 'did:key:zQ3sh');
