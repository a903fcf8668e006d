--
-- Keys of DID documents
--

-- The specification's example, and points of both curves, encoded by @noble/curves and
-- multiformats: y is even and odd.
CREATE TEMP TABLE legacy (n serial, type text, multibase text, compressed text, key text);
INSERT INTO legacy (type, multibase, compressed, key) VALUES
  ('EcdsaSecp256k1VerificationKey2019',
   'zQYEBzXeuTM9UR3rfvNag6L3RNAs5pQZyYPsomTsgQhsxLdEgCrPTLgFna8yqCnxPpNT7DBk6Ym3dgPKNu86vt9GR',
   NULL, 'did:key:zQ3shXjHeiBuRCKmM36cuYnm7YEMzhGnCmCyW92sRJ9pribSF'),
  ('EcdsaSecp256k1VerificationKey2019',
   'zS8MRLaH2sE5fBiyZj7SLkBD99GZvgpDZ226xf9KDy9K2YM9b7G35i94V1grupNAjCRz7zoAuHWNb94v5LBPVoej1',
   'zs8FYz3t3r1zyi22weYag9CyrQ3WDiwQygPy45QDCZ15W',
   'did:key:zQ3shd5QZqCMXAfDrx7iN2dTixoMJ3ohC1VTWcKirNjtKmUwE'),
  ('EcdsaSecp256k1VerificationKey2019',
   'zQsXEk1Z3sXsU5jjqJbiLXpey3jpY9gPJXNZGLBow3AXcq3cPZUmXmApgEJMAMQk1XdvHWjHNBk6dbtVLhFuWCfSq',
   'znu5gj8w1mGVUS8EVYEqmgBBo186RXddBzDJxtETQZpHM',
   'did:key:zQ3shYrEhaHQV5uiMgDuuvKipVmZEetHPpBfiv94mBa8XnJ95'),
  ('EcdsaSecp256r1VerificationKey2019',
   'zMpCxc7Rc1ijSnSFFriG7xnwAjEayuj91ubS31yidUTAw3sW5jiBttWt3K8xAULqkJxECcvfoTCE49262KBhMyXJq',
   'zccBifnqJezThfY85q4iCHNQHFk6v9KRCvC4Z9h6L7CZe',
   'did:key:zDnaeRaX2JpeyPU1AHhSjhapZwgpXJZE3ugwLs3MziWgFUyck'),
  ('EcdsaSecp256r1VerificationKey2019',
   'zPPDuBcz3yS9vyUqZKjvKJ1qcdofKywwu2u6ig4yzjtVodXNr1qcb4AR1FzV4KuRgBMrFwMjHoNbUq2naxd83gkrz',
   'z217tb8oMbvVtyT5VHANgkzi7SMmXvZzu4JBXErDzQiSSF',
   'did:key:zDnaep6DtmqBGeySS5Eow2to8f2XgQaf4LNRCF2pgR3aL6DVM');
SELECT n, atid.did_key_from_multibase(type, multibase) = key AS legacy,
       atid.did_key_from_multibase(type, compressed) = key AS compressed,
       atid.did_key_from_multibase('Multikey', substr(key, 9)) = key AS multikey
FROM legacy ORDER BY n;

-- What is refused, and why
CREATE FUNCTION pg_temp.error_of(type text, multibase text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  RETURN atid.did_key_from_multibase(type, multibase);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN format('%s: %s: %s', SQLSTATE, SQLERRM, detail);
END $$;
SELECT what, pg_temp.error_of(type, multibase) FROM (VALUES
  (1, 'another y', 'EcdsaSecp256k1VerificationKey2019',
   'zS8MRLaH2sE5fBiyZj7SLkBD99GZvgpDZ226xf9KDy9K2YM9b7G35i94V1grupNAjCRz7zoAuHWNb94v5LBPVoej3'),
  (2, 'another y', 'EcdsaSecp256r1VerificationKey2019',
   'zMpCxc7Rc1ijSnSFFriG7xnwAjEayuj91ubS31yidUTAw3sW5jiBttWt3K8xAULqkJxECcvfoTCE49262KBhMyXJo'),
  (3, 'a point of the other curve', 'EcdsaSecp256r1VerificationKey2019',
   'zS8MRLaH2sE5fBiyZj7SLkBD99GZvgpDZ226xf9KDy9K2YM9b7G35i94V1grupNAjCRz7zoAuHWNb94v5LBPVoej1'),
  (4, 'a multikey of a legacy type', 'EcdsaSecp256k1VerificationKey2019',
   'zQ3shd5QZqCMXAfDrx7iN2dTixoMJ3ohC1VTWcKirNjtKmUwE'),
  (5, 'a point as a multikey', 'Multikey',
   'zS8MRLaH2sE5fBiyZj7SLkBD99GZvgpDZ226xf9KDy9K2YM9b7G35i94V1grupNAjCRz7zoAuHWNb94v5LBPVoej1'),
  (6, 'a did:key', 'Multikey', 'did:key:zQ3shd5QZqCMXAfDrx7iN2dTixoMJ3ohC1VTWcKirNjtKmUwE'),
  (7, 'another type', 'Ed25519VerificationKey2020',
    'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'),
  (8, 'empty', 'EcdsaSecp256k1VerificationKey2019', ''),
  (9, 'z alone', 'EcdsaSecp256k1VerificationKey2019', 'z'),
  (10, 'no base58', 'EcdsaSecp256k1VerificationKey2019', 'zS0'), (11, 'empty', 'Multikey', ''),
  (12, 'no type', '', 'z'), (13, 'base64', 'EcdsaSecp256k1VerificationKey2019', 'mBAAA'),
  (14, 'long', 'EcdsaSecp256k1VerificationKey2019', 'z' || repeat('1', 100000)),
  (15, 'zeros', 'EcdsaSecp256k1VerificationKey2019', 'z' || repeat('1', 65))
) AS v (n, what, type, multibase) ORDER BY n;
SELECT atid.did_key_from_multibase(NULL, 'z') IS NULL AS type,
       atid.did_key_from_multibase('Multikey', NULL) IS NULL AS key;
