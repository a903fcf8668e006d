/*-------------------------------------------------------------------------
 * dagcbor.c
 *		The reader on all that it accepts and refuses, the writer, and blocks that claim
 *		more than they have.
 *
 * Blocks are written in hexadecimal, with blanks for the eye, and are read from
 * memory that ends where they do.  The reader's events are compared as text: values
 * as in JSON, h'..' for a byte string, 42(..) for a link.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/dagcbor.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/multiformat.h"
#include "exact.h"
#include "failing.h"
#include "tap.h"

#define DIGEST "65062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d0"
#define CID "01711220" DIGEST

/*
 * Bytes
 */

typedef struct Block
{
	uint8_t    *bytes;
	size_t		len;
} Block;

static Block
block_of(const void *bytes, size_t len)
{
	Block		block = {exact(bytes, len), len};

	return block;
}

static Block
block_of_hex(const char *hex)
{
	Block		block;

	block.bytes = from_hex(hex, &block.len);
	return block;
}

/* RFC 4648 section 4, without padding */
static Block
from_base64(const char *text)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t    *bytes = malloc(strlen(text));
	size_t		len = 0;
	unsigned	bits = 0;
	Block		block;

	for (size_t i = 0; text[i] != '\0'; i++)
	{
		bits = (bits << 6) | (unsigned) (strchr(letters, text[i]) - letters);
		if (i % 4 > 0)
			bytes[len++] = (uint8_t) (bits >> (6 - i % 4 * 2));
	}
	block = block_of(bytes, len);
	free(bytes);
	return block;
}

static bool
grow(AtidCborWriter *writer, size_t new_cap)
{
	uint8_t    *data = realloc(writer->data, new_cap);

	if (data == NULL)
		return false;
	writer->data = data;
	writer->cap = new_cap;
	return true;
}


/*
 * What the reader says
 */

/* Add to a text of limited length. */
static void
add(char *text, const char *more, size_t len)
{
	size_t		old = strlen(text);

	if (old + len < 4000)
	{
		memcpy(text + old, more, len);
		text[old + len] = '\0';
	}
}

static void
add_hex(char *text, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		char		hex[3];

		snprintf(hex, sizeof(hex), "%02x", bytes[i]);
		add(text, hex, 2);
	}
}

/*
 * Read a block to its end, into a text if there is one, and write it anew, which
 * must give the same bytes.
 */
static AtidFault
read_block(Block block, size_t *at, char *text)
{
	static AtidCborReader reader;
	AtidCborWriter writer = {.grow = grow};
	AtidCborItem item;
	AtidCborEvent event;
	AtidCborEvent before = ATID_CBOR_ARRAY;
	char		number[32];

	if (text)
		*text = '\0';
	atid_cbor_reader_init(&reader, block.bytes, block.len);
	do
	{
		event = atid_cbor_next(&reader, &item);
		if (text && before != ATID_CBOR_ARRAY && before != ATID_CBOR_MAP &&
			before != ATID_CBOR_KEY && event != ATID_CBOR_ARRAY_END &&
			event != ATID_CBOR_MAP_END && event != ATID_CBOR_END)
			add(text, ",", 1);
		switch (event)
		{
			case ATID_CBOR_FAULT:
			case ATID_CBOR_END:
				break;
			case ATID_CBOR_INTEGER:
				atid_cbor_put_integer(&writer, item.integer);
				snprintf(number, sizeof(number), "%" PRId64, item.integer);
				if (text)
					add(text, number, strlen(number));
				break;
			case ATID_CBOR_BYTES:
				atid_cbor_put_bytes(&writer, item.data, item.len);
				if (text)
				{
					add(text, "h'", 2);
					add_hex(text, item.data, item.len);
					add(text, "'", 1);
				}
				break;
			case ATID_CBOR_TEXT:
			case ATID_CBOR_KEY:
				atid_cbor_put_text(&writer, item.data, item.len);
				if (text)
				{
					add(text, "\"", 1);
					if (item.nul != (item.len > 0 && memchr(item.data, 0, item.len) != NULL))
						add(text, "WRONG FLAG", 10);
					add(text, (const char *) item.data, item.len);
					add(text, "\":", event == ATID_CBOR_KEY ? 2 : 1);
				}
				break;
			case ATID_CBOR_LINK:
				atid_cbor_put_link(&writer, item.data, item.len);
				if (text)
				{
					add(text, "42(", 3);
					add_hex(text, item.data, item.len);
					add(text, ")", 1);
				}
				break;
			case ATID_CBOR_BOOL:
				atid_cbor_put_bool(&writer, item.integer != 0);
				if (text)
					add(text, item.integer ? "true" : "false", item.integer ? 4 : 5);
				break;
			case ATID_CBOR_NULL:
				atid_cbor_put_null(&writer);
				if (text)
					add(text, "null", 4);
				break;
			case ATID_CBOR_ARRAY:
				atid_cbor_put_array(&writer, item.len);
				if (text)
					add(text, "[", 1);
				break;
			case ATID_CBOR_ARRAY_END:
				if (text)
					add(text, "]", 1);
				break;
			case ATID_CBOR_MAP:
				atid_cbor_put_map(&writer, item.len);
				if (text)
					add(text, "{", 1);
				break;
			case ATID_CBOR_MAP_END:
				if (text)
					add(text, "}", 1);
				break;
		}
		before = event;
	} while (event != ATID_CBOR_FAULT && event != ATID_CBOR_END);

	*at = atid_cbor_offset(&reader);
	if (atid_cbor_next(&reader, &item) != event)
		ok(false, "the last event comes again");
	if (event == ATID_CBOR_END &&
		(writer.fault != ATID_OK || writer.len != block.len ||
		 memcmp(writer.data, block.bytes, block.len) != 0))
		ok(false, "what is read and written anew is the same");
	free(writer.data);
	return reader.fault;
}

static void
taken(const char *hex, const char *want)
{
	static char text[4096];
	Block		block = block_of_hex(hex);
	size_t		at;
	AtidFault	error = read_block(block, &at, text);
	bool		good = error == ATID_OK && at == block.len && strcmp(text, want) == 0;

	ok(good, want);
	if (!good)
		printf("# %s gives %s\n# error %s at %zu\n", hex, text,
			   atid_fault_words(error), at);
	free(block.bytes);
}

static void
is_refused(Block block, AtidFault want, size_t want_at, const char *name)
{
	size_t		at;
	AtidFault	error = read_block(block, &at, NULL);
	bool		good = error == want && at == want_at;

	ok(good, name);
	if (!good)
		printf("# got  %s at %zu\n# want %s at %zu\n", atid_fault_words(error), at,
			   atid_fault_words(want), want_at);
	free(block.bytes);
}

static void
refused(const char *hex, AtidFault error, size_t at, const char *name)
{
	is_refused(block_of_hex(hex), error, at, name);
}


/*
 * Tests
 */

/* The examples of RFC 8949 appendix A that DAG-CBOR and the protocol allow; limits. */
static void
test_integers(void)
{
	taken("00", "0");
	taken("01", "1");
	taken("0a", "10");
	taken("17", "23");
	taken("1818", "24");
	taken("1819", "25");
	taken("1864", "100");
	taken("18ff", "255");
	taken("190100", "256");
	taken("1903e8", "1000");
	taken("19ffff", "65535");
	taken("1a00010000", "65536");
	taken("1a000f4240", "1000000");
	taken("1affffffff", "4294967295");
	taken("1b0000000100000000", "4294967296");
	taken("1b0000000100000001", "4294967297");
	taken("1b000000e8d4a51000", "1000000000000");
	taken("1b001fffffffffffff", "9007199254740991");
	taken("1b0020000000000001", "9007199254740993");
	taken("1b7fffffffffffffff", "9223372036854775807");
	taken("20", "-1");
	taken("29", "-10");
	taken("37", "-24");
	taken("3818", "-25");
	taken("3863", "-100");
	taken("38ff", "-256");
	taken("390100", "-257");
	taken("39ffff", "-65536");
	taken("3a00010000", "-65537");
	taken("3affffffff", "-4294967296");
	taken("3b0000000100000000", "-4294967297");
	taken("3b7fffffffffffffff", "-9223372036854775808");

	refused("1b8000000000000000", ATID_CBOR_RANGE, 0, "2^63");
	refused("1bffffffffffffffff", ATID_CBOR_RANGE, 0, "2^64 - 1");
	refused("3b8000000000000000", ATID_CBOR_RANGE, 0, "-2^63 - 1");
	refused("3bffffffffffffffff", ATID_CBOR_RANGE, 0, "-2^64");
	refused("82001bffffffffffffffff", ATID_CBOR_RANGE, 2, "2^64 - 1, in an array");
}

static void
test_strings(void)
{
	taken("40", "h''");
	taken("4401020304", "h'01020304'");
	taken("60", "\"\"");
	taken("6161", "\"a\"");
	taken("6449455446", "\"IETF\"");
	taken("62225c", "\"\"\\\"");
	taken("62c3bc", "\"\xC3\xBC\"");
	taken("63e6b0b4", "\"\xE6\xB0\xB4\"");
	taken("64f0908591", "\"\xF0\x90\x85\x91\"");
	taken("77 6162636465666768696a6b6c6d6e6f7071727374757677", "\"abcdefghijklmnopqrstuvw\"");
	taken("7818 6162636465666768696a6b6c6d6e6f707172737475767778", "\"abcdefghijklmnopqrstuvwx\"");

	refused("41", ATID_CBOR_LENGTH, 0, "a byte string without its byte");
	refused("6461626f", ATID_CBOR_LENGTH, 0, "a text one byte short");
	refused("82 00 43 0102", ATID_CBOR_LENGTH, 2, "a byte string one byte short, in an array");
}

static void
test_others(void)
{
	taken("f4", "false");
	taken("f5", "true");
	taken("f6", "null");
	taken("80", "[]");
	taken("83010203", "[1,2,3]");
	taken("8301820203820405", "[1,[2,3],[4,5]]");
	taken("98190102030405060708090a0b0c0d0e0f101112131415161718181819",
		  "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]");
	taken("a0", "{}");
	taken("a26161016162820203", "{\"a\":1,\"b\":[2,3]}");
	taken("826161a161626163", "[\"a\",{\"b\":\"c\"}]");
	taken("a56161614161626142616361436164614461656145",
		  "{\"a\":\"A\",\"b\":\"B\",\"c\":\"C\",\"d\":\"D\",\"e\":\"E\"}");
	taken("84 80 a0 8180 a160a0", "[[],{},[[]],{\"\":{}}]");
	taken("d82a 5825 00" CID, "42(" CID ")");
	taken("d82a 45 00 01550000", "42(01550000)");
	taken("a2 6161 d82a 5825 00" CID " 6162 f6", "{\"a\":42(" CID "),\"b\":null}");
}

static void
test_encoding_refused(void)
{
	refused("", ATID_CBOR_ENDS, 0, "nothing at all");
	refused("18", ATID_CBOR_ENDS, 1, "a head of two bytes after one");
	refused("1b00000001000000", ATID_CBOR_ENDS, 8, "a head of nine after eight");
	refused("820000 00", ATID_CBOR_TRAILING, 3, "a value after the value");
	refused("f6f6", ATID_CBOR_TRAILING, 1, "null after null");
	refused("8200", ATID_CBOR_COUNT, 0, "two items in one byte");
	refused("82 6161", ATID_CBOR_ENDS, 3, "the second of two items is not there");
	refused("82 8100", ATID_CBOR_ENDS, 3, "the same after an inner array");
	refused("a1 6161", ATID_CBOR_ENDS, 3, "a key and no value");
	refused("a1 60", ATID_CBOR_COUNT, 0, "one pair in one byte");
	refused("a2 606161", ATID_CBOR_COUNT, 0, "two pairs in three bytes");

	/* each integer and length in a form that is too long */
	refused("1800", ATID_CBOR_SHORTEST, 0, "0 in two bytes");
	refused("1817", ATID_CBOR_SHORTEST, 0, "23 in two bytes");
	refused("190018", ATID_CBOR_SHORTEST, 0, "24 in three");
	refused("1900ff", ATID_CBOR_SHORTEST, 0, "255 in three");
	refused("1a00000000", ATID_CBOR_SHORTEST, 0, "0 in five");
	refused("1a0000ffff", ATID_CBOR_SHORTEST, 0, "65535 in five");
	refused("1b00000000ffffffff", ATID_CBOR_SHORTEST, 0, "2^32 - 1 in nine");
	refused("3817", ATID_CBOR_SHORTEST, 0, "-24 in two");
	refused("3b00000000ffffffff", ATID_CBOR_SHORTEST, 0, "-2^32 in nine");
	refused("580161", ATID_CBOR_SHORTEST, 0, "a byte string's length");
	refused("780161", ATID_CBOR_SHORTEST, 0, "a text's");
	refused("7a0000000161", ATID_CBOR_SHORTEST, 0, "a text's, in five bytes");
	refused("980100", ATID_CBOR_SHORTEST, 0, "an array's");
	refused("b801616100", ATID_CBOR_SHORTEST, 0, "a map's");
	refused("a1 780161 00", ATID_CBOR_SHORTEST, 1, "a key's");
	refused("d9002a 45 00 01550000", ATID_CBOR_SHORTEST, 0, "tag 42 in three bytes");
	refused("d82a 5805 00 01550000", ATID_CBOR_SHORTEST, 2, "a link's length");

	/* appendix A's indefinite ones, and some more */
	refused("5f42010243030405ff", ATID_CBOR_INDEFINITE, 0, "a byte string of indefinite length");
	refused("7f657374726561646d696e67ff", ATID_CBOR_INDEFINITE, 0, "a text");
	refused("9fff", ATID_CBOR_INDEFINITE, 0, "an array");
	refused("83018202039f0405ff", ATID_CBOR_INDEFINITE, 5, "an array in arrays");
	refused("bf61610161629f0203ffff", ATID_CBOR_INDEFINITE, 0, "a map");
	refused("a1 7f6161ff 00", ATID_CBOR_INDEFINITE, 1, "a key");
	refused("ff", ATID_CBOR_BREAK, 0, "a break");
	refused("81ff", ATID_CBOR_BREAK, 1, "a break in an array");

	/* RFC 8949 appendix F: not well-formed */
	refused("1c", ATID_CBOR_RESERVED, 0, "1c");
	refused("1f", ATID_CBOR_RESERVED, 0, "1f");
	refused("3f", ATID_CBOR_RESERVED, 0, "3f");
	refused("5d", ATID_CBOR_RESERVED, 0, "5d");
	refused("7e", ATID_CBOR_RESERVED, 0, "7e");
	refused("9c", ATID_CBOR_RESERVED, 0, "9c");
	refused("bd", ATID_CBOR_RESERVED, 0, "bd");
	refused("df 00", ATID_CBOR_RESERVED, 0, "df");
	refused("81fc", ATID_CBOR_RESERVED, 1, "fc");
	refused("fe", ATID_CBOR_RESERVED, 0, "fe");
}

static void
test_values_refused(void)
{
	refused("f90000", ATID_CBOR_FLOAT, 0, "0.0");
	refused("fa47c35000", ATID_CBOR_FLOAT, 0, "100000.0");
	refused("fb405edd2f1a9fbe77", ATID_CBOR_FLOAT, 0, "123.456");
	refused("f97e00", ATID_CBOR_FLOAT, 0, "NaN");
	refused("fb7ff0000000000000", ATID_CBOR_FLOAT, 0, "Infinity");
	refused("a1 6161 f94000", ATID_CBOR_FLOAT, 3, "2.0 in a map");
	refused("fb", ATID_CBOR_FLOAT, 0, "a float without its bytes is one all the same");
	refused("f7", ATID_CBOR_UNDEFINED, 0, "undefined");
	refused("82f6f7", ATID_CBOR_UNDEFINED, 2, "undefined in an array");
	refused("f0", ATID_CBOR_SIMPLE, 0, "simple(16)");
	refused("e0", ATID_CBOR_SIMPLE, 0, "simple(0)");
	refused("f3", ATID_CBOR_SIMPLE, 0, "simple(19)");
	refused("f8ff", ATID_CBOR_SIMPLE, 0, "simple(255)");
	refused("f814", ATID_CBOR_SIMPLE, 0, "false in two bytes");

	refused("c11a514b67b0", ATID_CBOR_TAG, 0, "tag 1, a time");
	refused("c249010000000000000000", ATID_CBOR_TAG, 0, "tag 2, a large integer");
	refused("d818456449455446", ATID_CBOR_TAG, 0, "tag 24, CBOR in bytes");
	refused("82 00 d82b 45 00 01550000", ATID_CBOR_TAG, 2, "tag 43");
	refused("dbffffffffffffffff00", ATID_CBOR_TAG, 0, "tag 2^64 - 1");
}

static void
test_links_refused(void)
{
	refused("d82a", ATID_CBOR_ENDS, 2, "tag 42 of nothing");
	refused("d82a 6161", ATID_CBOR_LINK_TYPE, 2, "tag 42 of a text");
	refused("d82a d82a 45 00 01550000", ATID_CBOR_LINK_TYPE, 2, "tag 42 of a link");
	refused("d82a f6", ATID_CBOR_LINK_TYPE, 2, "tag 42 of null");
	refused("d82a 45 00 015500", ATID_CBOR_LENGTH, 2, "a link one byte short");
	refused("d82a 5f 45 00 01550000 ff", ATID_CBOR_INDEFINITE, 2, "a link of indefinite length");
	refused("d82a 40", ATID_CBOR_LINK_PREFIX, 3, "a link of no bytes");
	refused("d82a 44 01550000", ATID_CBOR_LINK_PREFIX, 3, "a link without its 0x00");
	refused("81 d82a 5825 01" CID, ATID_CBOR_LINK_PREFIX, 5, "a link with 0x01");

	is_refused(block_of_hex("d82a 41 00"), ATID_CID_TRUNCATED, 4,
			   "a link to no bytes");
	is_refused(block_of_hex("d82a 5823 00 1220" DIGEST), ATID_CID_V0, 5,
			   "a link to a CIDv0");
	is_refused(block_of_hex("d82a 46 00 02550000 00"), ATID_CID_VERSION, 4,
			   "a link to version 2");
	is_refused(block_of_hex("d82a 46 00 01550000 00"), ATID_CID_TRAILING, 8,
			   "a link with a byte after the CID");
	is_refused(block_of_hex("d82a 46 00 01d5000000"), ATID_VARINT_SHORTEST, 5,
			   "a link whose codec is in two bytes");
	is_refused(block_of_hex("81 d82a 5825 00 01711221" DIGEST), ATID_CID_DIGEST, 10,
			   "a link whose digest is short");
}

static void
test_keys(void)
{
	taken("a2 6162 00 626161 01", "{\"b\":0,\"aa\":1}");
	taken("a2 6161 00 626161 01", "{\"a\":0,\"aa\":1}");
	taken("a3 60 00 6161 01 6162 02", "{\"\":0,\"a\":1,\"b\":2}");
	taken("a2 627a7a 00 63616161 01", "{\"zz\":0,\"aaa\":1}");
	/* by bytes: U+10000 is after U+FFFF, though not in UTF-16 */
	taken("a2 61 7a 00 62 c3a9 01", "{\"z\":0,\"\xC3\xA9\":1}");
	taken("a2 63efbfbf 00 64f0908080 01", "{\"\xEF\xBF\xBF\":0,\"\xF0\x90\x80\x80\":1}");
	taken("a2 64efbfbf7a 00 64f0908080 01", "{\"\xEF\xBF\xBFz\":0,\"\xF0\x90\x80\x80\":1}");
	/* each map has its own order */
	taken("a2 6161 a2 6178 00 6179 01 6162 a1 6161 02",
		  "{\"a\":{\"x\":0,\"y\":1},\"b\":{\"a\":2}}");

	refused("a2 626161 00 6162 01", ATID_CBOR_KEY_ORDER, 5, "b after aa");
	refused("a2 626161 00 6161 01", ATID_CBOR_KEY_ORDER, 5, "a after aa, its prefix");
	refused("a2 6162 00 6161 01", ATID_CBOR_KEY_ORDER, 4, "a after b");
	refused("a2 6161 00 60 01", ATID_CBOR_KEY_ORDER, 4, "the empty key after a");
	refused("a2 626162 00 626161 01", ATID_CBOR_KEY_ORDER, 5, "aa after ab");
	refused("a2 62c3a9 00 627a7a 01", ATID_CBOR_KEY_ORDER, 5, "zz after U+00E9");
	refused("a3 6162 00 6163 a1 6161 00 6161 01", ATID_CBOR_KEY_ORDER, 10,
			"a after c, behind an inner map");
	refused("a2 6161 00 6161 01", ATID_CBOR_KEY_TWICE, 4, "a twice");
	refused("a2 60 00 60 01", ATID_CBOR_KEY_TWICE, 3, "the empty key twice");
	refused("a2 6161 00 616100", ATID_CBOR_KEY_TWICE, 4, "a twice, with the same value");

	refused("a1 01 02", ATID_CBOR_KEY_TYPE, 1, "an integer as key");
	refused("a1 4161 02", ATID_CBOR_KEY_TYPE, 1, "a byte string as key");
	refused("a1 f6 02", ATID_CBOR_KEY_TYPE, 1, "null as key");
	refused("a1 80 02", ATID_CBOR_KEY_TYPE, 1, "an array as key");
	refused("a2 6161 00 ff 00", ATID_CBOR_KEY_TYPE, 4, "a break as key");
	refused("a1 61ff 00", ATID_CBOR_UTF8, 2, "a key that is not UTF-8");
	refused("a1 636161", ATID_CBOR_LENGTH, 1, "a key that is one byte short");

	ok(atid_cbor_key_cmp("b", 1, "aa", 2) < 0 && atid_cbor_key_cmp("aa", 2, "b", 1) > 0 &&
	   atid_cbor_key_cmp("ab", 2, "aa", 2) > 0 && atid_cbor_key_cmp("\x7f", 1, "\x80", 1) < 0 &&
	   atid_cbor_key_cmp("a", 1, "a", 1) == 0 && atid_cbor_key_cmp("", 0, "", 0) == 0,
	   "the order of keys is by length and then by unsigned bytes");
}

/* Is this UTF-8, by its code points (RFC 3629 section 3)? */
static bool
spells_text(const uint8_t *s, size_t len)
{
	while (len > 0)
	{
		size_t		n = s[0] < 0x80 ? 1 : (s[0] >> 5) == 6 ? 2 : (s[0] >> 4) == 14 ? 3 :
			(s[0] >> 3) == 30 ? 4 : 0;
		static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
		uint32_t	c;

		if (n == 0 || n > len)
			return false;
		c = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
		for (size_t i = 1; i < n; i++)
		{
			if (s[i] >> 6 != 2)
				return false;
			c = c << 6 | (s[i] & 0x3Fu);
		}
		if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
			return false;
		s += n;
		len -= n;
	}
	return true;
}

static void
test_utf8(void)
{
	static AtidCborReader reader;
	AtidCborItem item;
	uint64_t	wrong = 0;
	uint64_t	tried = 0;

	taken("62c280", "\"\xC2\x80\"");
	taken("62dfbf", "\"\xDF\xBF\"");
	taken("63e0a080", "\"\xE0\xA0\x80\"");
	taken("63ed9fbf", "\"\xED\x9F\xBF\"");
	taken("63ee8080", "\"\xEE\x80\x80\"");
	taken("63efbfbf", "\"\xEF\xBF\xBF\"");
	taken("64f0908080", "\"\xF0\x90\x80\x80\"");
	taken("64f48fbfbf", "\"\xF4\x8F\xBF\xBF\"");
	refused("6180", ATID_CBOR_UTF8, 1, "a lone continuation");
	refused("62c080", ATID_CBOR_UTF8, 1, "overlong U+0000");
	refused("62c1bf", ATID_CBOR_UTF8, 1, "overlong U+007F");
	refused("63e09fbf", ATID_CBOR_UTF8, 1, "overlong U+07FF");
	refused("64f08fbfbf", ATID_CBOR_UTF8, 1, "overlong U+FFFF");
	refused("63eda080", ATID_CBOR_UTF8, 1, "the surrogate U+D800");
	refused("63edbfbf", ATID_CBOR_UTF8, 1, "the surrogate U+DFFF");
	refused("66eda0bdedb880", ATID_CBOR_UTF8, 1, "a pair of surrogates");
	refused("64f4908080", ATID_CBOR_UTF8, 1, "U+110000");
	refused("64f8888080", ATID_CBOR_UTF8, 1, "a first byte of five");
	refused("8261c3a9", ATID_CBOR_UTF8, 2, "a character that goes on behind its text");
	refused("6a 61626364656667 e6b0 61", ATID_CBOR_UTF8, 8,
			"a character cut short after seven letters");
	refused("70 6162636465666768 e6b0b4 c3a9 e6b041", ATID_CBOR_UTF8, 14, "the third of three");

	/* each pair of bytes, some third and fourth ones, in each place of a word */
	for (unsigned pair = 0; pair < 65536; pair++)
	{
		static const uint8_t edges[] = {0x00, 'x', 0x7F, 0x80, 0xBF, 0xC3};
		size_t		rest = (pair >> 8) < 0xE0 ? 1 : sizeof(edges);

		for (size_t third = 0; third < rest; third++)
		{
			for (size_t fourth = 0; fourth < rest; fourth++)
			{
				size_t		before = (tried * 5 + third) % 18;
				size_t		after = (tried + fourth * 3) % 11;
				uint8_t		block[2 + 40];
				size_t		len = before + 4 + after;
				uint8_t    *text = block + (len < 24 ? 1 : 2);
				bool		want;
				bool		got;

				memset(block, 'x', sizeof(block));
				block[0] = (uint8_t) (len < 24 ? 0x60 + len : 0x78);
				if (len >= 24)
					block[1] = (uint8_t) len;
				text[before] = (uint8_t) (pair >> 8);
				text[before + 1] = (uint8_t) pair;
				text[before + 2] = edges[third];
				text[before + 3] = edges[fourth];

				want = spells_text(text, len);
				atid_cbor_reader_init(&reader, block, (size_t) (text - block) + len);
				got = atid_cbor_next(&reader, &item) == ATID_CBOR_TEXT;
				if (got != want || (got && item.nul != (memchr(text, 0, len) != NULL)))
					wrong++;
				tried++;
			}
		}
	}
	is_u64(wrong, 0, "UTF-8 is taken and all else refused, in each place, and U+0000 is noticed");

	/* U+0000, in texts of each length and at each place in them */
	wrong = 0;
	for (size_t len = 1; len < 40; len++)
	{
		for (size_t at = 0; at <= len; at++)
		{
			for (size_t multibyte = 0; multibyte + 2 <= len || multibyte == 0; multibyte++)
			{
				uint8_t		block[2 + 40];
				uint8_t    *text = block + (len < 24 ? 1 : 2);

				block[0] = (uint8_t) (len < 24 ? 0x60 + len : 0x78);
				block[1] = (uint8_t) len;
				memset(text, 'x', len);
				if (multibyte + 2 <= len && at != multibyte && at != multibyte + 1)
					memcpy(text + multibyte, "\xC3\xA9", 2);
				if (at < len)
					text[at] = 0;
				atid_cbor_reader_init(&reader, block, (size_t) (text - block) + len);
				if (atid_cbor_next(&reader, &item) != ATID_CBOR_TEXT || item.nul != (at < len))
					wrong++;
			}
		}
	}
	is_u64(wrong, 0, "U+0000 is noticed at each place of texts of each length");
}

static int	pauses;

static void
count_pause(void)
{
	pauses++;
}

/* Long texts are checked in parts: each kind of character across the end of a part */
static void
test_long_text(void)
{
	static const struct
	{
		const char *bytes;
		bool		good;
		bool		nul;
	}			cases[] = {
		{"xxxx", true, false}, {"\xC3\xA9xx", true, false}, {"\xE6\xB0\xB4x", true, false},
		{"\xF0\x9F\x8C\x8A", true, false}, {"\xC3xxx", false, false}, {"\xE6\xB0xx", false, false},
		{"\xF0\x9F\x8Cx", false, false}, {"\xA9xxx", false, false}, {"\0xxx", true, true},
	};
	static AtidCborReader reader;
	AtidCborItem item;
	size_t		len = 2 * ATID_CBOR_TEXT_AT_ONCE + 100;
	uint8_t    *block = malloc(5 + len);
	uint64_t	wrong = 0;

	block[0] = 0x7A;
	for (int i = 0; i < 4; i++)
		block[1 + i] = (uint8_t) (len >> (24 - 8 * i));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		for (size_t part = 1; part <= 2; part++)
		{
			for (size_t before = 0; before < 20; before++)
			{
				for (int multibyte = 0; multibyte < 2; multibyte++)
				{
					uint8_t    *at = block + 5 + part * ATID_CBOR_TEXT_AT_ONCE - before;
					AtidCborEvent event;

					if (multibyte)
					{
						for (size_t n = 0; n < len; n += 2)
							memcpy(block + 5 + n, "\xC3\xA9", 2);
						if (before % 2 != 0)
							memcpy(at - 1, "x", 1);
						memset(at + 4, 'x', before % 2);
					}
					else
						memset(block + 5, 'x', len);
					memcpy(at, cases[i].bytes, 4);
					atid_cbor_reader_init(&reader, block, 5 + len);
					reader.pause = count_pause;
					pauses = 0;
					event = atid_cbor_next(&reader, &item);
					if (event != (cases[i].good ? ATID_CBOR_TEXT : ATID_CBOR_FAULT) ||
						(cases[i].good && item.nul != cases[i].nul) ||
						(!cases[i].good && (reader.at != at || reader.fault != ATID_CBOR_UTF8)) ||
						(cases[i].good && pauses != 3))
						wrong++;
				}
			}
		}
	}
	is_u64(wrong, 0, "a long text is checked in parts, over whose ends characters go");
	free(block);
}

/* n times the same bytes */
static Block
repeat(const char *hex, size_t n, const char *last)
{
	Block		once = block_of_hex(hex);
	Block		end = block_of_hex(last);
	Block		block = {malloc(n * once.len + end.len), n * once.len + end.len};

	for (size_t i = 0; i < n; i++)
		memcpy(block.bytes + i * once.len, once.bytes, once.len);
	memcpy(block.bytes + n * once.len, end.bytes, end.len);
	free(once.bytes);
	free(end.bytes);
	return block;
}

static void
test_depth(void)
{
	is_refused(repeat("81", ATID_CBOR_DEPTH_MAX - 1, "80"), ATID_OK,
			   ATID_CBOR_DEPTH_MAX, "arrays as deep as may be");
	is_refused(repeat("81", ATID_CBOR_DEPTH_MAX, "80"), ATID_CBOR_DEPTH,
			   ATID_CBOR_DEPTH_MAX, "one deeper");
	is_refused(repeat("81", ATID_CBOR_DEPTH_MAX, "00"), ATID_OK,
			   ATID_CBOR_DEPTH_MAX + 1, "but a value is not deeper");
	is_refused(repeat("a160", ATID_CBOR_DEPTH_MAX, "00"), ATID_OK,
			   2 * ATID_CBOR_DEPTH_MAX + 1, "maps as deep as may be");
	is_refused(repeat("a160", ATID_CBOR_DEPTH_MAX, "a0"), ATID_CBOR_DEPTH,
			   2 * ATID_CBOR_DEPTH_MAX, "one deeper");
	is_refused(repeat("81", 10000000, "00"), ATID_CBOR_DEPTH,
			   ATID_CBOR_DEPTH_MAX, "ten million levels");
	is_refused(repeat("d82a", 1000000, "4100"), ATID_CBOR_LINK_TYPE, 2, "a million tags");
	is_refused(repeat("80", 600, "80"), ATID_CBOR_TRAILING, 1, "601 arrays");
	is_refused(repeat("990258", 1, "80"), ATID_CBOR_COUNT, 0, "600 arrays in one byte");
	{
		Block		wide = repeat("80", 603, "");

		/* the head over the first three of them */
		memcpy(wide.bytes, "\x99\x02\x58", 3);
		is_refused(wide, ATID_OK, 603, "600 arrays one beside the other are not deep");
	}
}

static void
test_claims(void)
{
	static const char *const majors[][2] = {
		{"5", "bytes"}, {"7", "characters"}, {"9", "items"}, {"b", "pairs"},
	};
	static const char *const claims[][2] = {
		{"b ffffffffffffffff", "2^64 - 1"},
		{"b 8000000000000000", "2^63"},
		{"b 7fffffffffffffff", "2^63 - 1"},
		{"b 0000000100000000", "2^32"},
		{"a ffffffff", "2^32 - 1"},
		{"a 80000000", "2^31"},
		{"a 40000000", "1 GiB of"},
		{"9 ffff", "65535"},
	};

	for (size_t i = 0; i < 4; i++)
	{
		for (size_t j = 0; j < sizeof(claims) / sizeof(claims[0]); j++)
		{
			char		hex[64];
			char		name[64];

			snprintf(hex, sizeof(hex), "81 %s%s 00010203", majors[i][0], claims[j][0]);
			snprintf(name, sizeof(name), "%s %s that are not there", claims[j][1], majors[i][1]);
			refused(hex, i < 2 ? ATID_CBOR_LENGTH : ATID_CBOR_COUNT, 1, name);
		}
	}
	refused("d82a 5bffffffffffffffff 00", ATID_CBOR_LENGTH, 2, "a link of 2^64 - 1 bytes");
	refused("a1 7bffffffffffffffff 00", ATID_CBOR_LENGTH, 1, "a key of 2^64 - 1 characters");
}

static void
test_large(void)
{
	Block		zeros = {malloc(5 + 10000000), 5 + 10000000};
	Block		text = {malloc(5 + 10000000), 5 + 10000000};

	memcpy(zeros.bytes, "\x9A\x00\x98\x96\x80", 5);
	memset(zeros.bytes + 5, 0, 10000000);
	is_refused(zeros, ATID_OK, 5 + 10000000, "an array of ten million integers");

	memcpy(text.bytes, "\x7A\x00\x98\x96\x80", 5);
	memset(text.bytes + 5, 'x', 10000000);
	memcpy(text.bytes + 5 + 9999998, "\xC3\xA9", 2);
	is_refused(text, ATID_OK, 5 + 10000000, "a text of ten million bytes");
}

/* The protocol's interoperability tests. */
static void
test_interop(void)
{
	Block		first = from_base64(
		"p2Rib29s9WRudWxs9mVhcnJheYNjYWJjY2RlZmNnaGlmb2JqZWN0pGNhcnKDY2FiY2NkZWZj"
		"Z2hpZGJvb2z1Zm51bWJlchh7ZnN0cmluZ2NhYmNmc3RyaW5nY2FiY2dpbnRlZ2VyGHtndW5p"
		"Y29kZXgvYX7DtsOxwqnivZjimI7wk4uT8J+YgPCfkajigI3wn5Gp4oCN8J+Rp+KAjfCfkac");
	Block		second = from_base64(
		"o2Fh2CpYJQABcRIgZQYqWloA/BbXPGlEI3zLwVscSnI0SJM2iR0JF0GiOdBhYlggnFERjvLL"
		"iw9qm45JrqH9QTzyC2Lu1Xb4ne6+sBrCzI1hY6RjcmVm2CpYJQABVRIgQljP/3j2E2l2l1Y/"
		"kmyR5dNXTS6iWuftktbr/COjiJ5kc2l6ZRknEGUkdHlwZWRibG9iaG1pbWVUeXBlamltYWdl"
		"L2pwZWc");
	static char text[4096];
	size_t		at;

	ok(read_block(first, &at, text) == ATID_OK, "interop: the first fixture");
	ok(strncmp(text, "{\"bool\":true,\"null\":null,\"array\":[\"abc\",\"def\",\"ghi\"],"
			   "\"object\":{\"arr\":[", 67) == 0, "is what it says");
	ok(read_block(second, &at, text) == ATID_OK, "interop: the second");
	ok(strcmp(text, "{\"a\":42(" CID "),"
			  "\"b\":h'9c51118ef2cb8b0f6a9b8e49aea1fd413cf20b62eed576f89deebeb01ac2cc8d',"
			  "\"c\":{\"ref\":42(01551220"
			  "4258cfff78f613697697563f926c91e5d3574d2ea25ae7ed92d6ebfc23a3889e),"
			  "\"size\":10000,\"$type\":\"blob\",\"mimeType\":\"image/jpeg\"}}") == 0,
	   "is what it says");

	/* every block cut short, and every changed byte, is refused or makes another block */
	for (size_t len = 0; len < second.len; len++)
	{
		Block		part = block_of(second.bytes, len);

		if (read_block(part, &at, NULL) == ATID_OK || at > len)
			ok(false, "interop: a block cut short is refused");
		free(part.bytes);
	}
	for (size_t i = 0; i < second.len; i++)
	{
		for (unsigned bit = 0; bit < 8; bit++)
		{
			Block		other = block_of(second.bytes, second.len);

			other.bytes[i] ^= (uint8_t) (1 << bit);
			/* also compares what is written anew */
			read_block(other, &at, NULL);
			free(other.bytes);
		}
	}
	ok(true, "interop: cut short at each byte and changed in each bit");
	free(first.bytes);
	free(second.bytes);
}

/* The place of an item is known to callers that refuse more than the reader. */
static void
test_offsets(void)
{
	static AtidCborReader reader;
	Block		block = block_of_hex("a2 6161 8118ff 6162 d82a 45 00 01550000");
	static const size_t want[] = {0, 1, 3, 4, 6, 6, 8, 16, 16};
	AtidCborItem item;

	atid_cbor_reader_init(&reader, block.bytes, block.len);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
	{
		atid_cbor_next(&reader, &item);
		is_u64(atid_cbor_offset(&reader), want[i], "an item tells where it begins");
	}
	free(block.bytes);
}

static bool
grow_not(AtidCborWriter *writer, size_t new_cap)
{
	size_t	   *asked = writer->arg;

	*asked = new_cap;
	return false;
}

/* A writer's memory, which may fail: its last byte is the last that was asked for. */
static bool
grow_or_fail(AtidCborWriter *writer, size_t new_cap)
{
	uint8_t    *data = failing_memory(writer->arg, writer->data, new_cap);

	if (data == NULL)
		return false;
	writer->data = data;
	writer->cap = new_cap;
	return true;
}

/* Write items of each kind, again and again. */
static void
put_items(AtidCborWriter *writer)
{
	atid_cbor_put_array(writer, 8 * 40);
	for (int i = 0; i < 40; i++)
	{
		atid_cbor_put_integer(writer, INT64_MIN / (i + 1));
		atid_cbor_put_bytes(writer, "0123456789", 10);
		atid_cbor_put_text(writer, "abcdefghijklmnopqrstuvwxyz", 26);
		atid_cbor_put_array(writer, 0);
		atid_cbor_put_map(writer, 0);
		atid_cbor_put_link(writer, "\x01\x55\x00\x00", 4);
		atid_cbor_put_bool(writer, true);
		atid_cbor_put_null(writer);
	}
}

/* The same with memory that may fail; arg is what has all of it. */
static AtidFault
put_items_or_fail(void *arg, Failing *memory)
{
	const AtidCborWriter *whole = arg;
	AtidCborWriter writer = {.grow = grow_or_fail,.arg = memory};

	put_items(&writer);
	if (writer.len > whole->len || memcmp(writer.data ? writer.data : whole->data, whole->data,
										  writer.len) != 0)
		abort();				/* what was written before a failure stays */
	if (writer.data != NULL)
		failing_memory(memory, writer.data, 0);
	return writer.fault;
}

static void
test_writer_memory(void)
{
	static uint8_t room[8192];
	AtidCborWriter whole = {.data = room,.cap = sizeof(room)};

	put_items(&whole);
	ok(whole.fault == ATID_OK, "a writer with room enough asks for no memory");
	ok(fails_cleanly(put_items_or_fail, &whole, 1, 1) && failing_total > 10,
	   "each request fails: told, and what was written stays");
	printf("# %u requests for memory were refused\n", failing_total);
}

static void
test_writer_limits(void)
{
	static const size_t lens[] = {
		ATID_CBOR_SIZE_MAX - 10, ATID_CBOR_SIZE_MAX, ATID_CBOR_SIZE_MAX + 1,
		SIZE_MAX / 2, SIZE_MAX - 20, SIZE_MAX - 9, SIZE_MAX
	};
	size_t		asked = 0;
	AtidCborWriter writer = {.grow = grow_not,.arg = &asked};
	uint8_t		byte[1];
	AtidCborWriter full = {.data = byte,.grow = grow};

	atid_cbor_put_null(&writer);
	ok(writer.fault == ATID_NO_MEMORY && writer.len == 0 && asked > 0, "no memory: told");
	asked = 0;
	atid_cbor_put_integer(&writer, 1);
	ok(writer.fault == ATID_NO_MEMORY && asked == 0, "and not asked for again");

	/* nothing is read or written here: the length alone is refused */
	for (size_t i = 1; i < sizeof(lens) / sizeof(lens[0]); i++)
	{
		AtidCborWriter bytes = {.grow = grow_not,.arg = &asked};
		AtidCborWriter link = {.grow = grow_not,.arg = &asked};

		asked = 0;
		atid_cbor_put_bytes(&bytes, "", lens[i]);
		atid_cbor_put_link(&link, "", lens[i]);
		ok(bytes.fault == ATID_CBOR_SIZE && link.fault == ATID_CBOR_SIZE && asked == 0,
		   "a string larger than can be is refused");
	}
	{
		AtidCborWriter bytes = {.grow = grow_not,.arg = &asked};

		atid_cbor_put_text(&bytes, "", lens[0]);
		ok(bytes.fault == ATID_NO_MEMORY && asked <= ATID_CBOR_SIZE_MAX,
		   "one that may be is asked room for");
	}

	/* as if the block were full but for its last bytes */
	full.len = full.cap = ATID_CBOR_SIZE_MAX - 3;
	atid_cbor_put_text(&full, "0123456789", 10);
	ok(full.fault == ATID_CBOR_SIZE && full.len == ATID_CBOR_SIZE_MAX - 3,
	   "a block never becomes larger than can be");
	atid_cbor_put_null(&full);
	ok(full.len == ATID_CBOR_SIZE_MAX - 3, "and nothing is written to it after that");
}

int
main(void)
{
	test_integers();
	test_strings();
	test_others();
	test_encoding_refused();
	test_values_refused();
	test_links_refused();
	test_keys();
	test_utf8();
	test_long_text();
	test_depth();
	test_claims();
	test_large();
	test_interop();
	test_offsets();
	test_writer_limits();
	test_writer_memory();
	return done();
}
