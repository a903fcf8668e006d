/*-------------------------------------------------------------------------
 *
 * signature.c
 *		Tests of src/signature.c, built with AddressSanitizer, UBSan and LeakSanitizer.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include <openssl/err.h>

#include "codec/multikey.h"
#include "signature.h"

#include "tap.h"

/* The message of the protocol's signature-fixtures.json, hashed. */
static uint8_t digest[ATID_DIGEST_LEN];
static const uint8_t message[] = "\xa1\x65" "hello" "\x65" "world";

/* Of that file: a key of each curve, and its signature in hexadecimal. */
static const struct
{
	const char *key;
	const char *signature;
	const char *order;
}			vectors[] = {
	{"zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo",
		"daf64db06dd42afbcefc20e5addbf2651212385ca58a7061d09ba973a29c5a82"
		"561311e9b427ddb8f95e0db1b7ae4a376199e7f4bc34223a62c5599ec490de82",
	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"},
	{"zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc",
		"e56a5d22e11451f55461aa33b22f06d01ddc58ed3d72065b208c20d6dd9829d5"
		"27fc51339ce9ddb33fea82261bf3dcf0c5809b07bd5fef240ae4bafb35ab1fa0",
	"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"},
};

static void
from_hex(const char *hex, uint8_t *bytes)
{
	for (; *hex; hex += 2)
	{
		unsigned	byte;

		sscanf(hex, "%2x", &byte);
		*bytes++ = (uint8_t) byte;
	}
}

/* to = order - from, big-endian */
static void
subtract(const uint8_t *order, const uint8_t *from, uint8_t *to)
{
	int			borrow = 0;

	for (int i = ATID_SCALAR_LEN - 1; i >= 0; i--)
	{
		int			difference = order[i] - from[i] - borrow;

		borrow = difference < 0;
		to[i] = (uint8_t) (difference + 256 * borrow);
	}
}

/* to = value / 2, rounded down */
static void
halve(const uint8_t *value, uint8_t *to)
{
	int			carry = 0;

	for (int i = 0; i < ATID_SCALAR_LEN; i++)
	{
		int			byte = value[i] + 256 * carry;

		to[i] = (uint8_t) (byte / 2);
		carry = byte % 2;
	}
}

static void
check(AtidVerifier *verifier, const uint8_t *signature, AtidVerdict want, const char *name)
{
	ok(atid_verifier_check(verifier, digest, signature) == want, name);
	ok(ERR_peek_error() == 0, "and OpenSSL's queue of errors is empty");
}

/*
 * A signature, and what is made of it: each scalar out of its bounds, each bit
 * turned.
 */
static void
test_vector(int v)
{
	AtidMultikey key;
	AtidVerifier verifier;
	uint8_t		signature[ATID_SIGNATURE_LEN];
	uint8_t		changed[ATID_SIGNATURE_LEN];
	uint8_t		order[ATID_SCALAR_LEN];
	size_t		at;
	int			wrong = 0;

	ok(atid_multikey_parse(vectors[v].key, strlen(vectors[v].key), &key, &at) == ATID_MULTIKEY_OK,
	   vectors[v].key);
	ok(atid_verifier_init(&verifier, &key) == ATID_VERDICT_YES, "on its curve");
	from_hex(vectors[v].signature, signature);
	from_hex(vectors[v].order, order);
	check(&verifier, signature, ATID_VERDICT_YES, "its signature");

	memcpy(changed, signature, sizeof(changed));
	subtract(order, signature + ATID_SCALAR_LEN, changed + ATID_SCALAR_LEN);
	check(&verifier, changed, ATID_VERDICT_NO, "with high s");

	for (int scalar = 0; scalar < 2; scalar++)
	{
		uint8_t    *s = changed + scalar * ATID_SCALAR_LEN;

		memcpy(changed, signature, sizeof(changed));
		memset(s, 0, ATID_SCALAR_LEN);
		check(&verifier, changed, ATID_VERDICT_NO, "a scalar of 0");
		s[ATID_SCALAR_LEN - 1] = 1;
		check(&verifier, changed, ATID_VERDICT_NO, "of 1");
		memcpy(s, order, ATID_SCALAR_LEN);
		check(&verifier, changed, ATID_VERDICT_NO, "of n");
		s[ATID_SCALAR_LEN - 1]--;
		check(&verifier, changed, ATID_VERDICT_NO, "of n - 1");
		halve(order, s);
		check(&verifier, changed, ATID_VERDICT_NO, "of n / 2");
		memset(s, 0xFF, ATID_SCALAR_LEN);
		check(&verifier, changed, ATID_VERDICT_NO, "of all ones");
	}
	memset(changed, 0, sizeof(changed));
	check(&verifier, changed, ATID_VERDICT_NO, "both of 0");

	for (int bit = 0; bit < 8 * ATID_SIGNATURE_LEN; bit++)
	{
		memcpy(changed, signature, sizeof(changed));
		changed[bit / 8] ^= (uint8_t) (1 << bit % 8);
		if (atid_verifier_check(&verifier, digest, changed) != ATID_VERDICT_NO)
			wrong++;
	}
	is_u64((uint64_t) wrong, 0, "each bit of r and s turned");
	for (int bit = 0; bit < 8 * ATID_DIGEST_LEN; bit++)
	{
		digest[bit / 8] ^= (uint8_t) (1 << bit % 8);
		if (atid_verifier_check(&verifier, digest, signature) != ATID_VERDICT_NO)
			wrong++;
		digest[bit / 8] ^= (uint8_t) (1 << bit % 8);
	}
	is_u64((uint64_t) wrong, 0, "each bit of the digest turned");
	check(&verifier, signature, ATID_VERDICT_YES, "its signature, once more");
	atid_verifier_release(&verifier);
}

/*
 * The largest s that is low, with a digest made for it; and what it is to n, which
 * is the least that is high.
 */
static void
test_boundary(void)
{
	static const struct
	{
		const char *key;
		const char *digest;
		const char *signature;
		const char *high;
	}			edges[] = {
		{"zDnaegkAjichtmgDzR6z3ySDer2mpndGPdRUCG4TtjjGS4CjL",
			"61f669d4c4b2ff8b2ff3ff4c828994b5fb70fc4cad1edca2a3a28e11a8788fa5",
			"26efcebd0ee9e34a669187e18b3a9122b2f733945b649cc9f9f921e9f9dad812"
			"7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8",
		"7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a9"},
		{"zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW",
			"51f3947db1fd57f5ad5e8e81dda7e23ed36cbfe97177b16ec3b6b2c8156f1ed7",
			"f01d6b9018ab421dd410404cb869072065522bf85734008f105cf385a023a80f"
			"7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0",
		"7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1"},
	};

	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
	{
		AtidMultikey key;
		AtidVerifier verifier;
		uint8_t		signature[ATID_SIGNATURE_LEN];
		size_t		at;

		ok(atid_multikey_parse(edges[i].key, strlen(edges[i].key), &key, &at) == ATID_MULTIKEY_OK &&
		   atid_verifier_init(&verifier, &key) == ATID_VERDICT_YES, edges[i].key);
		from_hex(edges[i].digest, digest);
		from_hex(edges[i].signature, signature);
		check(&verifier, signature, ATID_VERDICT_YES, "s is n/2");
		from_hex(edges[i].high, signature + ATID_SCALAR_LEN);
		check(&verifier, signature, ATID_VERDICT_NO, "s is n/2 and 1");
		atid_verifier_release(&verifier);
	}
}

/*
 * Every x, on either curve, is a key in both parities or in none.
 */
static void
test_points(void)
{
	for (int curve = ATID_CURVE_P256; curve <= ATID_CURVE_K256; curve++)
	{
		int			on_curve = 0;
		int			differ = 0;

		for (int x = 0; x < 256; x++)
		{
			AtidMultikey key = {.curve = (AtidCurve) curve};
			AtidVerdict verdicts[2];

			key.point[ATID_POINT_LEN - 1] = (uint8_t) x;
			for (int parity = 0; parity < 2; parity++)
			{
				AtidVerifier verifier;

				key.point[0] = (uint8_t) (2 + parity);
				verdicts[parity] = atid_verifier_init(&verifier, &key);
				if (verdicts[parity] == ATID_VERDICT_YES)
					atid_verifier_release(&verifier);
			}
			differ += verdicts[0] != verdicts[1] || verdicts[0] == ATID_VERDICT_FAILED;
			on_curve += verdicts[0] == ATID_VERDICT_YES;
		}
		is_u64((uint64_t) differ, 0, "both parities of a point, or none");
		ok(on_curve > 80 && on_curve < 176, "about half of all x are on the curve");
		ok(ERR_peek_error() == 0, "and OpenSSL's queue of errors is empty");
	}
}

/*
 * An x that is not below the field's prime is no point.
 */
static void
test_field(void)
{
	static const char *const primes[] = {
		[ATID_CURVE_P256] = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
		[ATID_CURVE_K256] = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
	};

	for (int curve = ATID_CURVE_P256; curve <= ATID_CURVE_K256; curve++)
	{
		AtidMultikey key = {.curve = (AtidCurve) curve};
		AtidVerifier verifier;

		key.point[0] = 2;
		from_hex(primes[curve], key.point + 1);
		/* p + 5 would be 5, and p + 6 be 6, one of which is on the curve */
		for (int i = 0; i < 8; i++)
		{
			if (atid_verifier_init(&verifier, &key) != ATID_VERDICT_NO)
				ok(false, "an x beyond the field");
			for (int byte = ATID_POINT_LEN - 1; byte > 0 && ++key.point[byte] == 0; byte--)
				;
		}
	}
}

/*
 * OpenSSL that may use nothing but what is approved, and has no provider of that
 * kind: neither a yes nor a no about P-256, and K-256 as ever.
 */
static void
test_without_provider(void)
{
	AtidMultikey keys[2];
	AtidVerifier verifier;
	size_t		at;

	for (int v = 0; v < 2; v++)
		(void) atid_multikey_parse(vectors[v].key, strlen(vectors[v].key), &keys[v], &at);
	EVP_set_default_properties(NULL, "fips=yes");
	ok(atid_verifier_init(&verifier, &keys[0]) == ATID_VERDICT_FAILED, "P-256 without a provider");
	ok(ERR_peek_error() == 0, "and OpenSSL's queue of errors is empty");
	ok(atid_verifier_init(&verifier, &keys[1]) == ATID_VERDICT_YES, "K-256");
	atid_verifier_release(&verifier);
	EVP_set_default_properties(NULL, "");
	ok(atid_verifier_init(&verifier, &keys[0]) == ATID_VERDICT_YES, "P-256 with one again");
	atid_verifier_release(&verifier);
}

int
main(void)
{
	unsigned	len = sizeof(digest);

	EVP_Digest(message, sizeof(message) - 1, digest, &len, EVP_sha256(), NULL);
	for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++)
		test_vector((int) v);
	test_boundary();
	test_points();
	test_field();
	test_without_provider();
	return done();
}
