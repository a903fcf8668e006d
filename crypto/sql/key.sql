--
-- Public keys, as a role that was granted nothing and whose search_path is the
-- default.
--
CREATE ROLE regress_atid_crypto;
CREATE SCHEMA AUTHORIZATION regress_atid_crypto;
SET ROLE regress_atid_crypto;
SHOW search_path;

-- The specification's examples, and one of each curve and parity
CREATE TABLE keys (n int, key text, curve text, point bytea);
INSERT INTO keys VALUES
  (1, 'did:key:zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo', 'p256', NULL),
  (2, 'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc', 'k256', NULL),
  (3, 'did:key:zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW', 'k256',
   '\x03c7c4e11d10720b6fd59150575ffc5c9d08ba17fe8643853997d058afc58db055'),
  (4, 'did:key:zDnaegkAjichtmgDzR6z3ySDer2mpndGPdRUCG4TtjjGS4CjL', 'p256',
   '\x02f264aa236c812c84489a302b41667678f2c7bc7969e43f67ceddf19750b71e0b');
SELECT n, atid.did_key_is_valid(key) AS valid, atid.did_key_curve(key) AS curve,
       atid.did_key_public_key(key) AS point
FROM keys ORDER BY n;

-- with did:key: and without, and made from its parts: which ones differ?
SELECT n
FROM keys, LATERAL (SELECT substr(key, 9)) AS b (bare)
WHERE NOT (atid.did_key_is_valid(bare) AND atid.did_key_curve(bare) = curve
           AND atid.did_key_public_key(bare) = atid.did_key_public_key(key)
           AND coalesce(point = atid.did_key_public_key(key), true)
           AND atid.did_key_make(curve, atid.did_key_public_key(key)) = key);

-- the generators (SEC 2), and their negatives, which have the other parity
SELECT curve, parity, atid.did_key_make(curve, set_byte(generator, 0, parity))
FROM (VALUES
       ('k256', '\x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'::bytea),
       ('p256', '\x036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'))
       AS g (curve, generator), generate_series(2, 3) AS parity
ORDER BY 1, 2;

--
-- Malformed keys.  A predicate returns false; all other functions raise an error, which does
-- not quote the key.
--
CREATE TABLE bad (n int, what text, key text);
INSERT INTO bad VALUES
  (1, 'nothing', ''),
  (2, 'no key', 'did:key:'),
  (3, 'no codec', 'z'),
  (4, 'another method', 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'),
  (5, 'upper case', 'DID:KEY:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc'),
  (6, 'a blank', ' did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc'),
  (7, 'a fragment', 'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc#atproto'),
  (8, 'a zero', 'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJw0'),
  (9, 'another base', 'did:key:mQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc'),
  (10, 'a character less', 'zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJw'),
  (11, 'a character more', 'zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwcc'),
  (12, 'a leading zero', 'z1Q3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc'),
  (13, 'legacy, uncompressed', 'zQYEBzXeuTM9UR3rfvNag6L3RNAs5pQZyYPsomTsgQhs'
                               'xLdEgCrPTLgFna8yqCnxPpNT7DBk6Ym3dgPKNu86vt9GR'),
  (14, 'legacy, compressed', 'zxdM8dSstjrpZaRUwBmDvjGXweKuEMVN95A9oJBFjkWMh'),
  (15, 'ed25519', 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'),
  (16, 'a private key', 'z3vLUUKjdAhodVaF89QsXdcJEmHphtygq6qbufvrBuf6CXzW'),
  (17, 'x = 5 on k256', 'zQ3shMQnkqiyfujhRPGFFqSEeD2yV9kUcmyBiu2fT2BXfFPMN'),
  (18, 'x = 1 on p256', 'zDnaeQRy3dcKsKa1zmKtVKsTy3m2HYoQnFnfKuxD6HfSTQgYg'),
  (19, 'a hundred digits', 'z' || repeat('2', 100)),
  (20, 'a million', 'z' || repeat('2', 1000000)),
  (21, 'no ASCII', 'zQ3é');
SELECT n, what FROM bad WHERE atid.did_key_is_valid(key);

CREATE FUNCTION error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE statement;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN format('%s: %s: %s', SQLSTATE, SQLERRM, detail);
END $$;
SELECT n, what, error_of(format('SELECT atid.did_key_curve(%L)', key)) AS error
FROM bad ORDER BY n;

-- the same for every function with a key as argument: which one differs?
SELECT n, call
FROM bad, unnest('{did_key_public_key(%L),"signature_is_valid('''', '''', %L)",
                   "commit_is_signed_by('''', '''', %L)","repo_is_signed_by('''', '''', %L)",
                   "label_is_signed_by(''{}'', '''', %L)",
                   "plc_operation_is_signed_by(''{}'', %L)"}'::text[]) AS call
WHERE error_of(format('SELECT atid.' || call, key))
      <> error_of(format('SELECT atid.did_key_curve(%L)', key));

-- did_key_make
SELECT what, error_of(format('SELECT atid.did_key_make(%L, %L)', curve, bytes)) AS error
FROM (VALUES (1, 'no such curve', 'secp256k1', '\x02'::bytea), (2, 'upper case', 'P256', '\x02'),
             (3, 'no curve', '', '\x'), (4, 'nothing', 'k256', '\x'),
             (5, 'x alone', 'k256', sha256('x')),
             (6, 'uncompressed', 'p256', '\x04' || sha512('x')),
             (7, 'x and y', 'p256', sha512('x')), (8, 'infinity', 'k256', '\x00'),
             (9, 'first byte', 'k256', '\x04' || sha256('x')),
             (10, 'x = 5 on k256', 'k256', '\x02' || decode(lpad('5', 64, '0'), 'hex')),
             (11, 'x = 1 on p256', 'p256', '\x03' || decode(lpad('1', 64, '0'), 'hex')),
             (12, 'beyond the field', 'k256', '\x02' || decode(repeat('f', 64), 'hex')),
             (13, 'beyond the field', 'p256', '\x02' || decode(repeat('f', 64), 'hex')),
             (14, 'infinity, padded', 'p256', decode(repeat('00', 33), 'hex')),
             (15, 'p + 5 on p256', 'p256',
              '\x02ffffffff00000001000000000000000000000001000000000000000000000004'))
       AS v (n, what, curve, bytes)
ORDER BY n;

-- One call site with many keys, valid and malformed by turns: the cached key is never used for
-- another.
SELECT k.n, k.key, k.good
FROM generate_series(1, 3) AS turn,
     LATERAL (SELECT n, key, true FROM keys
              UNION ALL SELECT n, key, false FROM bad WHERE n IN (1, 10, 13, 17, 18)
              ORDER BY 1, 3) AS k (n, key, good)
WHERE atid.did_key_is_valid(k.key) <> k.good;

-- NULL
SELECT atid.did_key_is_valid(NULL), atid.did_key_curve(NULL), atid.did_key_public_key(NULL),
       atid.did_key_make(NULL, '\x'), atid.did_key_make('k256', NULL);

RESET ROLE;
DROP OWNED BY regress_atid_crypto;
DROP ROLE regress_atid_crypto;
