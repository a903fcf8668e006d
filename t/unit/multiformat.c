/*-------------------------------------------------------------------------
 *
 * multiformat.c
 *		Varints at their limits; CIDs, and each of their faults.
 *
 * Bytes are written in hexadecimal, with blanks for the eye.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/multiformat.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

#define DIGEST "65062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d0"

/* A fault in bytes, and its place. */
static AtidFault
parse(const char *hex, size_t *at)
{
	size_t		len;
	uint8_t    *bytes = from_hex(hex, &len);
	AtidCid		cid;
	AtidFault	fault = atid_cid_parse(bytes, len, &cid, at);

	free(bytes);
	return fault;
}

/* A fault in a text, and its place. */
static AtidFault
from_text(const char *text, size_t *at)
{
	size_t		len = strlen(text);
	char	   *copy = exact(text, len);
	size_t		bytes_len = atid_cid_bytes_len(len);
	uint8_t    *bytes = malloc(bytes_len ? bytes_len : 1);
	AtidFault	fault = atid_cid_from_text(copy, len, bytes, at);

	free(copy);
	free(bytes);
	return fault;
}

static void
refused(AtidFault got, AtidFault want, size_t at, size_t want_at, const char *name)
{
	ok(got == want && at == want_at, name);
	if (got != want || at != want_at)
		printf("# got  %d at %zu (%s)\n# want %d at %zu (%s)\n",
			   got, at, atid_fault_words(got), want, want_at, atid_fault_words(want));
}

static void
test_varint(void)
{
	static const struct
	{
		uint64_t	value;
		const char *hex;
	}			known[] = {
		{0, "00"},
		{1, "01"},
		{0x7F, "7f"},
		{0x80, "80 01"},
		{0xFF, "ff 01"},
		{0x3FFF, "ff 7f"},
		{0x4000, "80 80 01"},
		{300, "ac 02"},
		{UINT64_C(1) << 56, "80 80 80 80 80 80 80 80 01"},
		{INT64_MAX, "ff ff ff ff ff ff ff ff 7f"},
	};
	static const struct
	{
		const char *hex;
		AtidFault	fault;
	}			bad[] = {
		{"", ATID_CID_TRUNCATED},
		{"80", ATID_CID_TRUNCATED},
		{"ff ff ff ff ff ff ff ff", ATID_CID_TRUNCATED},
		{"80 00", ATID_VARINT_SHORTEST},
		{"81 80 00", ATID_VARINT_SHORTEST},
		{"ff ff ff ff ff ff ff ff 00", ATID_VARINT_SHORTEST},
		{"ff ff ff ff ff ff ff ff ff", ATID_VARINT_LONG},
		{"ff ff ff ff ff ff ff ff ff 01", ATID_VARINT_LONG},
		{"80 80 80 80 80 80 80 80 80 80 00", ATID_VARINT_LONG},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		uint8_t		written[ATID_VARINT_MAX_LEN];
		size_t		len;
		uint8_t    *bytes = from_hex(known[i].hex, &len);
		uint64_t	value = 42;
		size_t		used = 0;

		ok(atid_varint_put(known[i].value, written) == len &&
		   memcmp(written, bytes, len) == 0, known[i].hex);
		ok(atid_varint_get(bytes, len, &value, &used) == ATID_OK && used == len,
		   "is read");
		is_u64(value, known[i].value, "as its value");
		free(bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		size_t		len;
		uint8_t    *bytes = from_hex(bad[i].hex, &len);
		uint64_t	value = 42;
		size_t		used = 0;

		refused(atid_varint_get(bytes, len, &value, &used), bad[i].fault, used, 0,
				bad[i].hex);
		free(bytes);
	}
}

static void
test_known(void)
{
	static const struct
	{
		const char *text;
		const char *hex;
		uint64_t	codec;
		uint64_t	hash;
		size_t		digest_len;
		bool		blessed;
	}			known[] = {
		{"bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a",
		"01 71 12 20" DIGEST, 0x71, 0x12, 32, true},
		{"bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity",
			"01 55 12 20 4258cfff78f613697697563f926c91e5d3574d2ea25ae7ed92d6ebfc23a3889e",
		0x55, 0x12, 32, true},
		/* well-formed, but not blessed: an identity hash of nothing ... */
		{"bafkqaaa", "01 55 00 00", 0x55, 0, 0, false},
		/* ... dag-pb, a SHA-256 cut to 4 bytes, and the greatest codec */
		{NULL, "01 70 12 20" DIGEST, 0x70, 0x12, 32, false},
		{NULL, "01 71 12 04 01020304", 0x71, 0x12, 4, false},
		{NULL, "01 ffffffffffffffff7f 9220 01 00", INT64_MAX, 0x1012, 1, false},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		size_t		len;
		uint8_t    *bytes = from_hex(known[i].hex, &len);
		AtidCid		cid;
		size_t		at;
		uint8_t		head[ATID_CID_HEAD_MAX_LEN];
		size_t		head_len;
		char	   *text = malloc(atid_cid_text_len(len));
		uint8_t    *back = malloc(len);

		ok(atid_cid_parse(bytes, len, &cid, &at) == ATID_OK, known[i].hex);
		is_u64(cid.codec, known[i].codec, "has its codec");
		is_u64(cid.hash, known[i].hash, "its hash");
		is_u64(cid.digest_len, known[i].digest_len, "the length of its digest");
		ok(cid.digest + cid.digest_len == bytes + len, "which ends where the CID does");
		ok(atid_cid_is_blessed(bytes, len) == known[i].blessed,
		   known[i].blessed ? "is blessed" : "is not blessed");

		head_len = atid_cid_head(cid.codec, cid.hash, cid.digest_len, head);
		ok(head_len == (size_t) (cid.digest - bytes) && memcmp(head, bytes, head_len) == 0,
		   "has the head that its parts make");

		atid_cid_to_text(bytes, len, text);
		if (known[i].text != NULL)
			ok(atid_cid_text_len(len) == strlen(known[i].text) &&
			   memcmp(text, known[i].text, strlen(known[i].text)) == 0, known[i].text);
		ok(atid_cid_bytes_len(atid_cid_text_len(len)) == len &&
		   atid_cid_from_text(text, atid_cid_text_len(len), back, &at) == ATID_OK &&
		   memcmp(back, bytes, len) == 0, "comes back from its text");
		free(bytes);
		free(text);
		free(back);
	}
}

static void
test_bytes_refused(void)
{
	static const struct
	{
		const char *hex;
		AtidFault	fault;
		size_t		at;
		const char *name;
	}			bad[] = {
		{"", ATID_CID_TRUNCATED, 0, "no bytes at all"},
		{"12 20" DIGEST, ATID_CID_V0, 0, "CIDv0"},
		{"12 20 00", ATID_CID_VERSION, 0, "what begins as CIDv0 and is none"},
		{"00 71 12 20" DIGEST, ATID_CID_VERSION, 0, "version 0"},
		{"02 71 12 20" DIGEST, ATID_CID_VERSION, 0, "version 2"},
		{"81 00 71 12 20" DIGEST, ATID_VARINT_SHORTEST, 0, "version 1 in two bytes"},
		{"01 f1 00 12 20" DIGEST, ATID_VARINT_SHORTEST, 1, "codec in two bytes"},
		{"01 71 92 00 20" DIGEST, ATID_VARINT_SHORTEST, 2, "hash in two bytes"},
		{"01 71 12 a0 00" DIGEST, ATID_VARINT_SHORTEST, 3, "length in two bytes"},
		{"01 71 ffffffffffffffffff01 20" DIGEST, ATID_VARINT_LONG, 2, "a hash above 63 bits"},
		{"01", ATID_CID_TRUNCATED, 1, "ends before the codec"},
		{"01 f1", ATID_CID_TRUNCATED, 2, "ends within the codec"},
		{"01 71", ATID_CID_TRUNCATED, 2, "ends before the hash"},
		{"01 71 12", ATID_CID_TRUNCATED, 3, "ends before the length"},
		{"01 71 12 20", ATID_CID_DIGEST, 4, "ends before the digest"},
		{"01 71 12 21" DIGEST, ATID_CID_DIGEST, 4, "a digest one byte short"},
		{"01 71 12 ffffffffffffffff7f" DIGEST, ATID_CID_DIGEST, 12, "a digest of 2^63 - 1 bytes"},
		{"01 71 12 20" DIGEST "00", ATID_CID_TRAILING, 36, "a byte after the digest"},
		{"01 55 00 00 00", ATID_CID_TRAILING, 4, "a byte after an empty digest"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		size_t		at = 99;
		AtidFault	fault = parse(bad[i].hex, &at);

		refused(fault, bad[i].fault, at, bad[i].at, bad[i].name);
	}
}

static void
test_text_refused(void)
{
	static const struct
	{
		const char *text;
		AtidFault	fault;
		size_t		at;
	}			bad[] = {
		{"", ATID_CID_MULTIBASE, 0},
		{".", ATID_CID_MULTIBASE, 0},
		{"b", ATID_CID_TRUNCATED, 1},
		{"QmY7Yh4UquoXHLPFo2XbhXkhBvFoPwmQUSa92pxnxjQuPU", ATID_CID_V0, 0},
		{"QmY7Yh4UquoXHLPFo2XbhXkhBvFoPwmQUSa92pxnxjQuP", ATID_CID_MULTIBASE, 0},
		{"zdj7WhuEjrB52m1BisYCtmjH1hSKa7yZ3jEZ9JcXaFRD51wVz", ATID_CID_MULTIBASE, 0},
		{"BAFKQAAA", ATID_BASE32_UPPER, 0},
		{"bAFKQAAA", ATID_BASE32_UPPER, 1},
		{"bafkqaaA", ATID_BASE32_UPPER, 7},
		{"bafkqaaa=", ATID_BASE32_PADDING, 8},
		{"bafkqaaa\n", ATID_BASE32_CHARACTER, 8},
		{" bafkqaaa", ATID_CID_MULTIBASE, 0},
		{"bafk1aaa", ATID_BASE32_CHARACTER, 4},
		{"bafk\xC3\xA9" "aaa", ATID_BASE32_CHARACTER, 4},
		{"ba", ATID_BASE32_LENGTH, 2},
		{"bafkqaa", ATID_BASE32_LENGTH, 7},
		{"bafkqaaaaa", ATID_BASE32_LENGTH, 10},
		{"bafkqaab", ATID_BASE32_SPARE, 7},
		/* bytes of the CID: the place is the character where the byte begins */
		{"bcafb", ATID_BASE32_SPARE, 4},
		{"baiea", ATID_CID_VERSION, 1},
		{"bafkqaaaa", ATID_CID_TRAILING, 7},
		{"bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2aaa", ATID_CID_TRAILING, 58},
		{"bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz", ATID_CID_DIGEST, 7},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		size_t		at = 99;
		AtidFault	fault = from_text(bad[i].text, &at);

		refused(fault, bad[i].fault, at, bad[i].at, bad[i].text);
	}
}

int
main(void)
{
	test_varint();
	test_known();
	test_bytes_refused();
	test_text_refused();
	return done();
}
