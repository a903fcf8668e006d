/*-------------------------------------------------------------------------
 *
 * signature.c
 *		Tests of src/signature.c, built with AddressSanitizer, UBSan and LeakSanitizer.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>

#include "multikey.h"
#include "signature.h"

#include "tap.h"

/* The message of the protocol's signature-fixtures.json, hashed. */
static uint8_t digest[ATID_DIGEST_LEN];
static const uint8_t message[] = "\xa1\x65" "hello" "\x65" "world";

/* From that file: a key of each curve, and its signature in hexadecimal. */
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
hash_message(void)
{
	unsigned	len = sizeof(digest);

	EVP_Digest(message, sizeof(message) - 1, digest, &len, EVP_sha256(), NULL);
}

static void
check(AtidVerifier *verifier, const uint8_t *signature, AtidVerdict want, const char *name)
{
	ok(atid_verifier_check(verifier, digest, signature) == want, name);
	ok(ERR_peek_error() == 0, "and OpenSSL's queue of errors is empty");
}

/*
 * A signature whose s is out of its bounds has no lower one.
 */
static void
test_out_of_bounds(AtidCurve curve, const uint8_t *signature, const uint8_t *order)
{
	uint8_t		changed[ATID_SIGNATURE_LEN];
	uint8_t		lowered[ATID_SIGNATURE_LEN];
	uint8_t    *s = changed + ATID_SCALAR_LEN;

	memcpy(changed, signature, sizeof(changed));
	for (int i = 0; i < 3; i++)
	{
		if (i == 0)
			memset(s, 0, ATID_SCALAR_LEN);
		else if (i == 1)
			memcpy(s, order, ATID_SCALAR_LEN);
		else
			memset(s, 0xFF, ATID_SCALAR_LEN);
		atid_signature_lower(curve, changed, lowered);
		ok(memcmp(lowered, changed, sizeof(lowered)) == 0, "an s out of its bounds stays");
	}
	memcpy(s, order, ATID_SCALAR_LEN);
	s[ATID_SCALAR_LEN - 1]--;
	atid_signature_lower(curve, changed, lowered);
	memset(s, 0, ATID_SCALAR_LEN);
	s[ATID_SCALAR_LEN - 1] = 1;
	ok(memcmp(lowered, changed, sizeof(lowered)) == 0, "that of n - 1 is 1");
}

/*
 * A valid signature; then with each scalar out of its bounds, and with each bit
 * flipped.
 */
static void
test_vector(int v)
{
	AtidMultikey key;
	AtidVerifier verifier;
	uint8_t		signature[ATID_SIGNATURE_LEN];
	uint8_t		changed[ATID_SIGNATURE_LEN];
	uint8_t		lowered[ATID_SIGNATURE_LEN];
	uint8_t		order[ATID_SCALAR_LEN];
	size_t		at;
	int			wrong = 0;

	ok(atid_multikey_parse(vectors[v].key, strlen(vectors[v].key), &key, &at) == ATID_OK,
	   vectors[v].key);
	ok(atid_verifier_init(&verifier, &key) == ATID_VERDICT_YES, "on its curve");
	from_hex(vectors[v].signature, signature);
	from_hex(vectors[v].order, order);
	check(&verifier, signature, ATID_VERDICT_YES, "its signature");

	memcpy(changed, signature, sizeof(changed));
	subtract(order, signature + ATID_SCALAR_LEN, changed + ATID_SCALAR_LEN);
	check(&verifier, changed, ATID_VERDICT_NO, "with high s");
	atid_signature_lower(key.curve, changed, lowered);
	ok(memcmp(lowered, signature, sizeof(lowered)) == 0, "whose lower s is the other");
	atid_signature_lower(key.curve, signature, lowered);
	ok(memcmp(lowered, signature, sizeof(lowered)) == 0, "and a low one stays");
	test_out_of_bounds(key.curve, signature, order);

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
 * The largest low s, with a digest made for it; and n minus it, the least high s.
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
		uint8_t		lowered[ATID_SIGNATURE_LEN];
		size_t		at;

		ok(atid_multikey_parse(edges[i].key, strlen(edges[i].key), &key, &at) == ATID_OK &&
		   atid_verifier_init(&verifier, &key) == ATID_VERDICT_YES, edges[i].key);
		from_hex(edges[i].digest, digest);
		from_hex(edges[i].signature, signature);
		check(&verifier, signature, ATID_VERDICT_YES, "s is n/2");
		from_hex(edges[i].high, signature + ATID_SCALAR_LEN);
		check(&verifier, signature, ATID_VERDICT_NO, "s is n/2 and 1");
		atid_signature_lower(key.curve, signature, lowered);
		check(&verifier, lowered, ATID_VERDICT_YES, "the lower s of it");
		atid_verifier_release(&verifier);
	}
}

/*
 * Signatures whose verification meets cases that never occur by chance.  "infinity"
 * has r = -e/d for the private key d, so that for every s the sum of the two points is
 * the point at infinity, which has no x.
 */
static const struct
{
	const char *name;
	const char *key;
	const char *digest;
	const char *signature;
	AtidVerdict verdict;
}			crafted[] = {
	{"infinity, by the key G",
		"zDnaepsL7AXenJkVYdkh5KuKsSU7Ykh7kyXaLLU7auN9FWSiZ",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"83c0bccabbc1a5daa142758c433a3a42f0e314be6d44ff9ec7076b0881b803ee"
		"0000000000000000000000000000000000000000000000000000000000000001",
	ATID_VERDICT_NO},
	{"infinity, by the key -G",
		"zDnaeXe1jfjuBWhkn4fuf6j9aFFK2WCUSEKWErRAG3SiUzVUH",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163"
		"7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8",
	ATID_VERDICT_NO},
	{"infinity, by another key",
		"zDnaekGEvNbMuj8heZCc58yyMmrup2vnpzG4XyKauptCAbjVu",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"6da774922354200017a78ef0fa0e25fee9c8fe2e6dd0be55c9cb12a4979a1631"
		"628c6619ff482bbf1baafe85bf04863e5a3cef157c57708198813baa3731d7fe",
	ATID_VERDICT_NO},
	{"infinity, with a digest beyond n",
		"zDnaekGEvNbMuj8heZCc58yyMmrup2vnpzG4XyKauptCAbjVu",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"e3925aa91d47fdd647cf55b53b2504454b0503ae3c86da6fad0838ff45952269"
		"0000000000000000000000000000000000000000000000000000000000000002",
	ATID_VERDICT_NO},
	{"signed by the key G",
		"zDnaepsL7AXenJkVYdkh5KuKsSU7Ykh7kyXaLLU7auN9FWSiZ",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"03b163f70c355463a1e7befbe3cce8bfc49d4b8e45da209515ebe300472c59f9"
		"0f1adce0304a86d8b05a2a3add2567ff312ea8973ede3f5e91846bfee42a6499",
	ATID_VERDICT_YES},
	{"signed by the key -G",
		"zDnaeXe1jfjuBWhkn4fuf6j9aFFK2WCUSEKWErRAG3SiUzVUH",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"03b163f70c355463a1e7befbe3cce8bfc49d4b8e45da209515ebe300472c59f9"
		"32b600e482a2600b68f78f336d5e3e76f7c7ba0619ce91f04e978cb01c6cb5e9",
	ATID_VERDICT_YES},
	{"a point added to itself",
		"zDnaeo7HLZj78DSfEokPSBo9N3pjBHHfNExFMVWiaQk8Q8Npe",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"03b163f70c355463a1e7befbe3cce8bfc49d4b8e45da209515ebe300472c59f9"
		"239b24045257d932b89d64f89038d677c699116edaf05291bd1320b138425150",
	ATID_VERDICT_YES},
	{"a digest of 0",
		"zDnaekGEvNbMuj8heZCc58yyMmrup2vnpzG4XyKauptCAbjVu",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"03b163f70c355463a1e7befbe3cce8bfc49d4b8e45da209515ebe300472c59f9"
		"50bed417d61c3f25bf5c4c0976e81b0276f0665e0edf4738b9f7ab519b10af56",
	ATID_VERDICT_YES},
	{"a digest of n",
		"zDnaekGEvNbMuj8heZCc58yyMmrup2vnpzG4XyKauptCAbjVu",
		"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
		"03b163f70c355463a1e7befbe3cce8bfc49d4b8e45da209515ebe300472c59f9"
		"50bed417d61c3f25bf5c4c0976e81b0276f0665e0edf4738b9f7ab519b10af56",
	ATID_VERDICT_YES},
	{"a digest of all ones",
		"zDnaekGEvNbMuj8heZCc58yyMmrup2vnpzG4XyKauptCAbjVu",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"03b163f70c355463a1e7befbe3cce8bfc49d4b8e45da209515ebe300472c59f9"
		"27e5ea1000c7ebbe0d1ec7398307d067c62f190d5813332ed28808bb509872b1",
	ATID_VERDICT_YES},
	{"r is x - n",
		"zDnaerB559LyAXs69Y53V2xGgebqJasxT8pmC2qEaYqTuctCJ",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"0000000000000000000000000000000000000000000000000000000000000003"
		"7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8",
	ATID_VERDICT_YES},
	{"r and s are small",
		"zDnaecxBdpNEAkMfA3htcMTpFER9ut9uhaLYpjSFqRsdwzVP3",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"0000000000000000000000000000000000000000000000000000000000000005"
		"0000000000000000000000000000000000000000000000000000000000000001",
	ATID_VERDICT_YES},
	{"infinity, by the key G",
		"zQ3shVc2UkAfJCdc1TR8E66J85h48P43r93q8jGPkPpjF9Ef9",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"83c0bccbbbc1a5d9a142758c433a3a41eeaaf6f775760155931ffed2558b1fde"
		"0000000000000000000000000000000000000000000000000000000000000001",
	ATID_VERDICT_NO},
	{"infinity, by the key -G",
		"zQ3shnqLrExQtzgLn2VueKGURGuredYhAtFuEDKM5FkA1fBuR",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163"
		"7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0",
	ATID_VERDICT_NO},
	{"infinity, by another key",
		"zQ3shufcahxx67WuvRj8cRoi1srfp1T9416Qbk3GNwYoaCjUi",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"e80ea42f3de1f0a3ff8d2c023b236be3e30330a9ce5971ed3962cd4afac53734"
		"53d7ca02e279b2476414051a4fbf594236896b92c0404e8596a89deb46c4b2ac",
	ATID_VERDICT_NO},
	{"infinity, with a digest beyond n",
		"zQ3shufcahxx67WuvRj8cRoi1srfp1T9416Qbk3GNwYoaCjUi",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"f63cc6a3e9a74cd822ff04558cb01c4e007985dafd725f69392a7ac2a01b31df"
		"0000000000000000000000000000000000000000000000000000000000000002",
	ATID_VERDICT_NO},
	{"signed by the key G",
		"zQ3shVc2UkAfJCdc1TR8E66J85h48P43r93q8jGPkPpjF9Ef9",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"17f53289eac961e5adc858d3ca50dab056ddca7a1a906c0815a0369312d1aa49"
		"7fbfb3eb340a14b18c094f527c07036bd263fdeca814242c9e705fec9335a354",
	ATID_VERDICT_YES},
	{"signed by the key -G",
		"zQ3shnqLrExQtzgLn2VueKGURGuredYhAtFuEDKM5FkA1fBuR",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"17f53289eac961e5adc858d3ca50dab056ddca7a1a906c0815a0369312d1aa49"
		"3160b6efb70336fe08dd615c5b7ccf8637a580ba80a57bbaa7e57aef0ee5f813",
	ATID_VERDICT_YES},
	{"a point added to itself",
		"zQ3shWiwPm6v66d1XdU5PFMds5aQMKtnzox7uXbNYryFzkcgT",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"17f53289eac961e5adc858d3ca50dab056ddca7a1a906c0815a0369312d1aa49"
		"4e5efcfb7d06ddb3832bedf6208a33e59abe7d32276ea871f68ae4fd844fab41",
	ATID_VERDICT_YES},
	{"a digest of 0",
		"zQ3shufcahxx67WuvRj8cRoi1srfp1T9416Qbk3GNwYoaCjUi",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"17f53289eac961e5adc858d3ca50dab056ddca7a1a906c0815a0369312d1aa49"
		"04f8b77f5f02dededa5603ea9ffb8cca596ec44783acad5f4dfb1edc5f2e9854",
	ATID_VERDICT_YES},
	{"a digest of n",
		"zQ3shufcahxx67WuvRj8cRoi1srfp1T9416Qbk3GNwYoaCjUi",
		"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
		"17f53289eac961e5adc858d3ca50dab056ddca7a1a906c0815a0369312d1aa49"
		"04f8b77f5f02dededa5603ea9ffb8cca596ec44783acad5f4dfb1edc5f2e9854",
	ATID_VERDICT_YES},
	{"a digest of all ones",
		"zQ3shufcahxx67WuvRj8cRoi1srfp1T9416Qbk3GNwYoaCjUi",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"17f53289eac961e5adc858d3ca50dab056ddca7a1a906c0815a0369312d1aa49"
		"754ebec20dbabf8c60eb1940e4f5da2d00437b0d00b1a2a8108fac32f1d49bdb",
	ATID_VERDICT_YES},
	{"r is x - n",
		"zQ3shkKYxxfDKhzkgV9KRHjxTu7kbKD8cGSuxnzrYq7MDTL7g",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"0000000000000000000000000000000000000000000000000000000000000002"
		"7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0",
	ATID_VERDICT_YES},
	{"r and s are small",
		"zQ3shnAJS4qyCoWzwUtPY6iBGQUYhCu72XQJVE4ok9XBTUTKT",
		"7c3f4334443e5a265ebd8a73bcc5c5bccc03e5ef39d29ee62cb25fba7aab2163",
		"0000000000000000000000000000000000000000000000000000000000000001"
		"0000000000000000000000000000000000000000000000000000000000000001",
	ATID_VERDICT_YES},
};

#define CRAFTED (sizeof(crafted) / sizeof(crafted[0]))

static void
test_crafted(void)
{
	for (size_t i = 0; i < CRAFTED; i++)
	{
		AtidMultikey key;
		AtidVerifier verifier;
		uint8_t		signature[ATID_SIGNATURE_LEN];
		size_t		at;

		ok(atid_multikey_parse(crafted[i].key, strlen(crafted[i].key),
							   &key, &at) == ATID_OK &&
		   atid_verifier_init(&verifier, &key) == ATID_VERDICT_YES, crafted[i].key);
		from_hex(crafted[i].digest, digest);
		from_hex(crafted[i].signature, signature);
		check(&verifier, signature, crafted[i].verdict, crafted[i].name);
		atid_verifier_release(&verifier);
	}
}

/*
 * On both curves, an x is a key with both parities or with none.
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
		/* modulo p these are 0 to 7, and some of them are on the curve */
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
 * OpenSSL's allocation number memory_left, from 0, fails; none if it is negative.
 */
static long memory_left = -1;

static bool
memory_ends(void)
{
	return memory_left >= 0 && memory_left-- == 0;
}

static void *
allocate(size_t size, const char *file, int line)
{
	(void) file;
	(void) line;
	return memory_ends() ? NULL : malloc(size);
}

static void *
reallocate(void *pointer, size_t size, const char *file, int line)
{
	(void) file;
	(void) line;
	return memory_ends() ? NULL : realloc(pointer, size);
}

static void
release(void *pointer, const char *file, int line)
{
	(void) file;
	(void) line;
	free(pointer);
}

/*
 * If an allocation fails, the answer is correct or there is none: for a valid signature,
 * for one that OpenSSL has an error for, and for a key off the curve.
 */
static void
test_without_memory(void)
{
	for (int kind = 0; kind < 3; kind++)
	{
		static const char *const names[] = {
			"a signature without memory", "a crafted one", "a key off the curve"
		};
		const char *text = kind == 1 ? crafted[0].key : vectors[0].key;
		AtidVerdict truth = kind == 0 ? ATID_VERDICT_YES : ATID_VERDICT_NO;
		AtidMultikey key;
		uint8_t		signature[ATID_SIGNATURE_LEN];
		size_t		at;
		int			failures = 0;
		int			lies = 0;
		bool		enough = false;

		(void) atid_multikey_parse(text, strlen(text), &key, &at);
		if (kind == 2)
		{
			/* no point has an x of 7 */
			memset(key.point + 1, 0, ATID_POINT_LEN - 1);
			key.point[ATID_POINT_LEN - 1] = 7;
		}
		from_hex(kind == 1 ? crafted[0].signature : vectors[0].signature, signature);
		if (kind == 1)
			from_hex(crafted[0].digest, digest);
		else
			hash_message();

		for (long n = 0; !enough && n < 10000; n++)
		{
			AtidVerifier verifier;
			AtidVerdict verdict;

			memory_left = n;
			verdict = atid_verifier_init(&verifier, &key);
			if (verdict == ATID_VERDICT_YES)
			{
				verdict = atid_verifier_check(&verifier, digest, signature);
				enough = memory_left >= 0;
				memory_left = -1;
				atid_verifier_release(&verifier);
			}
			enough = enough || memory_left >= 0;
			memory_left = -1;
			failures += verdict == ATID_VERDICT_FAILED;
			lies += verdict != truth && verdict != ATID_VERDICT_FAILED;
			lies += enough && verdict != truth;
			lies += ERR_peek_error() != 0;
		}
		ok(enough && failures > 20, names[kind]);
		is_u64((uint64_t) lies, 0, "never the wrong answer, and the queue of errors is empty");
	}
}

/*
 * OpenSSL may use approved algorithms only, and has no provider with any: no answer
 * about P-256, and the usual ones about K-256.
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
	/* before OpenSSL allocates anything */
	ok(CRYPTO_set_mem_functions(allocate, reallocate, release) == 1, "memory of our own");
	hash_message();
	for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++)
		test_vector((int) v);
	test_boundary();
	test_crafted();
	test_points();
	test_field();
	test_without_memory();
	test_without_provider();
	return done();
}
