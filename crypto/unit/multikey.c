/*-------------------------------------------------------------------------
 *
 * multikey.c
 *		Tests of multikey.c.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "base58.h"
#include "multikey.h"

#include "tap.h"

static AtidMultikey parsed;
static size_t at;

static AtidFault
parse(const char *text)
{
	at = 99;
	return atid_multikey_parse(text, strlen(text), &parsed, &at);
}

/*
 * Parse z and the base58 of these bytes.
 */
static AtidFault
parse_bytes(const char *bytes, size_t len)
{
	char		text[1 + ATID_BASE58_TEXT_MAX];

	text[0] = 'z';
	len = atid_base58_encode((const uint8_t *) bytes, len, text + 1);
	return atid_multikey_parse(text, 1 + len, &parsed, &at);
}

/*
 * The examples of the specification and the keys of its test files.
 */
static void
test_keys(void)
{
	static const struct
	{
		const char *text;
		AtidCurve	curve;
	}			keys[] = {
		{"did:key:zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo", ATID_CURVE_P256},
		{"did:key:zDnaeTiq1PdzvZXUaMdezchcMJQpBdH2VN4pgrrEhMCCbmwSb", ATID_CURVE_P256},
		{"did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc", ATID_CURVE_K256},
		{"did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme", ATID_CURVE_K256},
		{"did:key:zQ3shZc2QzApp2oymGvQbzP8eKheVshBHbU4ZYjeXqwSKEn6N", ATID_CURVE_K256},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
	{
		const char *text = keys[i].text;
		char		again[ATID_DID_KEY_TEXT_LEN];

		ok(parse(text) == ATID_OK && parsed.curve == keys[i].curve, text);
		ok(parsed.point[0] == 2 || parsed.point[0] == 3, "its point is compressed");
		atid_multikey_to_did_key(&parsed, again);
		ok(strlen(text) == sizeof(again) && memcmp(again, text, sizeof(again)) == 0,
		   "it is written as it was read");
		ok(parse(text + 8) == ATID_OK && parsed.curve == keys[i].curve,
		   "without did:key:");
	}
}

/*
 * Any point makes a key of the one length.
 */
static void
test_lengths(void)
{
	int			wrong = 0;

	for (int curve = ATID_CURVE_P256; curve <= ATID_CURVE_K256; curve++)
	{
		for (int parity = 2; parity <= 3; parity++)
		{
			for (int fill = 0; fill < 256; fill++)
			{
				AtidMultikey key = {.curve = (AtidCurve) curve};
				char		text[ATID_DID_KEY_TEXT_LEN];

				memset(key.point, fill, sizeof(key.point));
				key.point[0] = (uint8_t) parity;
				atid_multikey_to_did_key(&key, text);
				if (atid_multikey_parse(text, sizeof(text), &parsed, &at) != ATID_OK ||
					parsed.curve != key.curve ||
					memcmp(parsed.point, key.point, sizeof(key.point)) != 0)
					wrong++;
			}
		}
	}
	is_u64((uint64_t) wrong, 0, "each point of each curve, written and read");
}

static void
test_faults(void)
{
	char		point[67] = {0};

	ok(parse("") == ATID_MULTIKEY_MULTIBASE && at == 0, "nothing");
	ok(parse("did:key:") == ATID_MULTIKEY_MULTIBASE && at == 8, "did:key: alone");
	ok(parse("z") == ATID_MULTIKEY_CODEC, "z alone");
	ok(parse("did:plc:ewvi7nxzyoun6zhxrhs64oiz") == ATID_MULTIKEY_MULTIBASE && at == 0,
	   "another method");
	ok(parse("DID:KEY:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc")
	   == ATID_MULTIKEY_MULTIBASE, "did:key: in upper case");
	ok(parse("did:key:f00") == ATID_MULTIKEY_MULTIBASE && at == 8, "another base");
	ok(parse("did:key:zQ3sh0") == ATID_BASE58_CHARACTER && at == 13, "a zero");
	ok(parse("zQ3sh Q") == ATID_BASE58_CHARACTER && at == 5, "a blank");
	ok(parse("did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc#key")
	   == ATID_BASE58_CHARACTER && at == 57, "a fragment");

	/* the legacy forms of the specification and of its test files */
	ok(parse("zQYEBzXeuTM9UR3rfvNag6L3RNAs5pQZyYPsomTsgQhs"
			 "xLdEgCrPTLgFna8yqCnxPpNT7DBk6Ym3dgPKNu86vt9GR")
	   == ATID_MULTIKEY_LEGACY, "uncompressed, without a codec");
	ok(parse("zxdM8dSstjrpZaRUwBmDvjGXweKuEMVN95A9oJBFjkWMh") == ATID_MULTIKEY_LEGACY,
	   "compressed, without a codec");
	ok(parse("z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK") == ATID_MULTIKEY_CODEC,
	   "a key of ed25519");

	memcpy(point, "\xe7\x01\x04", 3);
	ok(parse_bytes(point, 67) == ATID_MULTIKEY_UNCOMPRESSED, "an uncompressed point");
	ok(parse_bytes(point, 35) == ATID_MULTIKEY_PARITY, "a point that begins with 04");
	ok(parse_bytes(point, 66) == ATID_MULTIKEY_LENGTH, "a byte less");
	point[2] = 2;
	ok(parse_bytes(point, 35) == ATID_OK, "02");
	ok(parse_bytes(point, 34) == ATID_MULTIKEY_LENGTH, "a byte less than compressed");
	ok(parse_bytes(point, 36) == ATID_MULTIKEY_LENGTH, "a byte more than compressed");
	ok(parse_bytes(point, 2) == ATID_MULTIKEY_LENGTH, "a codec and nothing else");
	point[2] = 3;
	ok(parse_bytes(point, 35) == ATID_OK, "03");
	for (int c = 0; c < 256; c++)
	{
		point[2] = (char) c;
		if (c != 2 && c != 3 && parse_bytes(point, 35) != ATID_MULTIKEY_PARITY)
			ok(false, "another first byte");
	}
	point[2] = 2;
	memcpy(point, "\xe7\x81", 2);
	ok(parse_bytes(point, 35) == ATID_MULTIKEY_CODEC, "another codec of two bytes");
	memcpy(point, "\x81\x26", 2);
	ok(parse_bytes(point, 34) == ATID_MULTIKEY_PRIVATE, "a private key of secp256k1");
	memcpy(point, "\x86\x26", 2);
	ok(parse_bytes(point, 34) == ATID_MULTIKEY_PRIVATE, "a private key of P-256");
	memcpy(point, "\x80\x26", 2);
	ok(parse_bytes(point, 34) == ATID_MULTIKEY_PRIVATE, "a private key of ed25519");
	memcpy(point, "\xe7\x81\x00", 3);
	ok(parse_bytes(point, 36) == ATID_MULTIKEY_CODEC,
	   "a codec that is not in its shortest form");

	{
		char		text[200];

		memset(text, 'z', sizeof(text));
		ok(atid_multikey_parse(text, sizeof(text), &parsed, &at) == ATID_BASE58_LENGTH, "too long");
	}
}

static void
test_curves(void)
{
	AtidCurve	curve;

	ok(atid_curve_of_name("p256", 4, &curve) && curve == ATID_CURVE_P256, "p256");
	ok(atid_curve_of_name("k256", 4, &curve) && curve == ATID_CURVE_K256, "k256");
	ok(!atid_curve_of_name("P256", 4, &curve) && !atid_curve_of_name("", 0, &curve) &&
	   !atid_curve_of_name("p2567", 5, &curve) && !atid_curve_of_name("p256", 3, &curve),
	   "and no other");
	ok(strcmp(atid_curve_name(ATID_CURVE_P256), "p256") == 0 &&
	   strcmp(atid_curve_name(ATID_CURVE_K256), "k256") == 0, "their names");
}

int
main(void)
{
	test_keys();
	test_lengths();
	test_faults();
	test_curves();
	return done();
}
