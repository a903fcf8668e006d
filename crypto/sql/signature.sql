--
-- Signatures of bytes
--

-- 'hello', signed by a key of each curve; n is the order of its group.
CREATE TEMP TABLE signed (curve text, key text, r bytea, s bytea, n numeric);
INSERT INTO signed VALUES
  ('k256', 'did:key:zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW',
   '\x92da41e29f8249918ba17d727dc8b5d19234e1401d66ff71b34d76699286f421',
   '\x66bc549c1e5e4da25e60f3378db84ef863dc34ad571d8855b7c099acb52557f0',
   115792089237316195423570985008687907852837564279074904382605163141518161494337),
  ('p256', 'did:key:zDnaegkAjichtmgDzR6z3ySDer2mpndGPdRUCG4TtjjGS4CjL',
   '\xe5cda4e687453cd2429236b33e8d0ab12b135a51b94f974fbc0fa11986e652bf',
   '\x78d9959f820972d186eaae29199b43f85642e2bd2bef1c689593f4f32bc99a72',
   115792089210356248762697446949407573529996955224135760342422259061068512044369);
SELECT curve, atid.signature_is_valid('hello', r || s, key) AS valid,
       atid.signature_is_valid('hello', r || s, substr(key, 9)) AS bare_key,
       atid.signature_is_valid('Hello', r || s, key) AS other_data,
       atid.signature_is_valid('', r || s, key) AS no_data,
       atid.signature_is_valid('hello', s || r, key) AS swapped
FROM signed ORDER BY 1;

-- each key verifies its own signature and not the other's, in any order of rows
SELECT k.curve AS key, s.curve AS signature, count(*),
       count(*) FILTER (WHERE atid.signature_is_valid('hello', s.r || s.s, k.key)) AS valid
FROM signed AS s, signed AS k, generate_series(1, 10)
GROUP BY 1, 2 ORDER BY 1, 2;

-- more keys than a call site keeps, all of them again, and one that has signed among them
SELECT count(*), count(*) FILTER (WHERE atid.signature_is_valid('hello', r || s, each)) AS valid
FROM signed, generate_series(1, 3),
     LATERAL (SELECT key UNION ALL
              SELECT atid.did_key_make('k256', decode('02' || lpad(to_hex(x), 64, '0'), 'hex'))
              FROM unnest('{1,2,3,4,6,8,12,13,14,16,20,22,25,27,32,33,38,39,43,44}'::int[]) AS x)
       AS k (each)
WHERE curve = 'k256';

-- Numbers as 32 bytes, and back
CREATE FUNCTION pg_temp.scalar(value numeric) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT decode(string_agg(lpad(to_hex(mod(div(value, 65536::numeric ^ i), 65536)::int), 4, '0'),
                           '' ORDER BY i DESC), 'hex')
  FROM generate_series(0, 15) i
$$;
CREATE FUNCTION pg_temp.value(scalar bytea) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT sum(get_byte(scalar, i) * 256::numeric ^ (31 - i)) FROM generate_series(0, 31) i
$$;
SELECT curve FROM signed WHERE pg_temp.scalar(pg_temp.value(s)) <> s;

-- Scalars out of bounds: r must be from 1 to below n, and s from 1 to n/2.  A high s is valid
-- in arithmetic, but is refused on both curves.
SELECT curve, what
FROM signed,
     LATERAL (VALUES ('r = 0', pg_temp.scalar(0) || s), ('s = 0', r || pg_temp.scalar(0)),
                     ('both 0', pg_temp.scalar(0) || pg_temp.scalar(0)),
                     ('r = n', pg_temp.scalar(n) || s), ('s = n', r || pg_temp.scalar(n)),
                     ('r = n + 1', pg_temp.scalar(n + 1) || s),
                     ('s = n + 1', r || pg_temp.scalar(n + 1)),
                     ('all ones', decode(repeat('ff', 64), 'hex')),
                     ('high s', r || pg_temp.scalar(n - pg_temp.value(s))),
                     ('s = (n + 1)/2', r || pg_temp.scalar(div(n + 1, 2))),
                     ('r negated', pg_temp.scalar(n - pg_temp.value(r)) || s))
       AS v (what, signature)
WHERE atid.signature_is_valid('hello', signature, key);

-- Service tokens may have a high s: with either_s both values are valid, and nothing else is.
SELECT curve, what, atid.signature_is_valid('hello', signature, key, either_s => true) AS either_s,
       atid.signature_is_valid('hello', signature, key, either_s => false) AS low_s,
       atid.signature_is_valid('hello', signature, key, NULL) AS "default"
FROM signed,
     LATERAL (VALUES ('low s', r || s), ('high s', r || pg_temp.scalar(n - pg_temp.value(s))),
                     ('s = 0', r || pg_temp.scalar(0)), ('s = n', r || pg_temp.scalar(n)),
                     ('s = n - 1', r || pg_temp.scalar(n - 1)),
                     ('s = n + 1', r || pg_temp.scalar(n + 1)),
                     ('all ones', decode(repeat('ff', 64), 'hex')),
                     ('r negated', pg_temp.scalar(n - pg_temp.value(r)) || s),
                     ('63 bytes', substr(r || s, 1, 63)), ('65 bytes', r || s || '\x00'),
                     ('DER', '\x3045022100'::bytea || r || '\x0220' || s))
       AS v (what, signature)
ORDER BY curve, what COLLATE "C";
SELECT curve, atid.signature_is_valid('Hello', r || pg_temp.scalar(n - pg_temp.value(s)), key, true)
         AS other_data,
       atid.signature_is_valid(NULL, r, key, true) IS NULL AND
       atid.signature_is_valid(r, NULL, key, true) IS NULL AND
       atid.signature_is_valid(r, s, NULL, true) IS NULL AS nulls
FROM signed ORDER BY 1;
SELECT atid.signature_is_valid('hello', '', 'did:key:zQ3sh', true);

-- Signatures whose verification ends at the point at infinity: r = -e/d, with any s.  Everyone
-- with a key can make them.  They are refused as any other wrong signature.
SELECT key, atid.signature_is_valid('hello', signature, key) AS valid
FROM (VALUES ('did:key:zDnaetQbhd7sYRWRtWKvb9rFZTwjD9rA1a2QazZKsaDbmCTBH',
              '\x2adeee81cb1821d71029d0996c99d1bf3c355bf45a33a58a00bbe5609c675033'::bytea
              || pg_temp.scalar(1)),
             ('did:key:zQ3shwRruVcdTRUCQy95m1H63SpNRns2udnEWyLJkcHhFMzbZ',
              '\x1df797538a06a5fdfd553f77b0c6a3332e4e5100ac89e362b694f8865e6bdc0b'
              || pg_temp.scalar(1))) AS v (key, signature);

-- A signature of another length, or in DER, is invalid.
SELECT curve, length(signature)
FROM signed, generate_series(0, 200) AS len,
     LATERAL (SELECT substr(r || s || r || s || r || s || r || s, 1, len)) AS v (signature)
WHERE atid.signature_is_valid('hello', signature, key) <> (len = 64);
SELECT curve,
       atid.signature_is_valid('hello', '\x3045022100'::bytea || r || '\x0220' || s, key) AS der
FROM signed ORDER BY 1;

-- Each bit of the signature, and each of the data
SELECT curve, bit FROM signed, generate_series(0, 511) AS bit
WHERE atid.signature_is_valid('hello', set_bit(r || s, bit, 1 - get_bit(r || s, bit)), key);
SELECT curve, bit FROM signed, generate_series(0, 39) AS bit
WHERE atid.signature_is_valid(set_bit('hello'::bytea, bit, 1 - get_bit('hello'::bytea, bit)),
                              r || s, key);

-- A megabyte, which its table keeps compressed and out of line
CREATE TEMP TABLE stored (data bytea);
INSERT INTO stored SELECT decode(repeat('61', 1000000), 'hex');
SELECT atid.signature_is_valid(data,
         '\xa677ae0cf3cb89de6f23e34932b4fb086f835b5ae8faa96e1e9f30c23720d551'
         '7a5242eb0148c31d6cda40415eed443ae664378f3b1c1396dd204083d817f2e8', key)
FROM stored, signed WHERE curve = 'k256';

-- NULL
SELECT atid.signature_is_valid(NULL, r, key) IS NULL, atid.signature_is_valid(r, NULL, key) IS NULL,
       atid.signature_is_valid(r, s, NULL) IS NULL
FROM signed WHERE curve = 'k256';

-- A malformed key is an error, with any signature
SELECT atid.signature_is_valid('hello', '', 'did:key:zQ3sh');

-- The planner calls a verification last, and may do so in parallel
CREATE TEMP TABLE events (data bytea, signature bytea, key text, seen bool);
EXPLAIN (COSTS OFF)
SELECT FROM events
WHERE atid.signature_is_valid(data, signature, key) AND seen AND length(data) > 3;
