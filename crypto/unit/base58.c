/*-------------------------------------------------------------------------
 *
 * base58.c
 *		Tests of base58.c.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "base58.h"

#include "tap.h"

/* Vectors of the IETF draft "The Base58 Encoding Scheme", and of Bitcoin's tests. */
static const struct
{
	const char *bytes;
	size_t		len;
	const char *text;
}			vectors[] = {
	{"", 0, ""},
	{"\x00", 1, "1"},
	{"\x00\x00\x00", 3, "111"},
	{"a", 1, "2g"},
	{"\x39", 1, "z"},
	{"\x3a", 1, "21"},
	{"Hello World!", 12, "2NEpo7TZRRrLZSi2U"},
	{"The quick brown fox jumps over the lazy dog.", 44,
	"USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z"},
	{"\x00\x00\x28\x7f\xb4\xcd", 6, "11233QC4"},
	{"\x00\xeb\x15\x23\x1d\xfc\xeb\x60\x92\x58\x86\xb6\x7d\x06\x52\x99\x92\x59\x15\xae"
		"\xb1\x72\xc0\x66\x47", 25, "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L"},
};

static void
test_vectors(void)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
	{
		char		text[ATID_BASE58_TEXT_MAX];
		uint8_t		bytes[ATID_BASE58_TEXT_MAX];
		size_t		len = atid_base58_encode((const uint8_t *) vectors[i].bytes,
											 vectors[i].len, text);
		size_t		at;

		ok(len == strlen(vectors[i].text) && memcmp(text, vectors[i].text, len) == 0,
		   vectors[i].text);
		ok(atid_base58_decode(vectors[i].text, strlen(vectors[i].text), bytes, &len, &at)
		   == ATID_OK && len == vectors[i].len &&
		   memcmp(bytes, vectors[i].bytes, len) == 0, "and back");
	}
}

/*
 * In each place, every byte is in the alphabet or refused.
 */
static void
test_characters(void)
{
	static const char alphabet[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
	int			wrong = 0;

	for (int c = 0; c < 256; c++)
	{
		for (size_t place = 0; place < 3; place++)
		{
			char		text[3] = {'2', '2', '2'};
			uint8_t		bytes[ATID_BASE58_TEXT_MAX];
			size_t		len;
			size_t		at = 99;
			int			known = c != 0 && strchr(alphabet, c) != NULL;
			AtidFault	result;

			text[place] = (char) c;
			result = atid_base58_decode(text, 3, bytes, &len, &at);
			if (known ? result != ATID_OK :
				result != ATID_BASE58_CHARACTER || at != place)
				wrong++;
		}
	}
	is_u64((uint64_t) wrong, 0, "the alphabet and nothing else, with its place");
}

/*
 * The longest byte strings and texts, each of one repeated value.
 */
static void
test_limits(void)
{
	uint8_t		bytes[ATID_BASE58_BYTES_MAX];
	uint8_t		decoded[ATID_BASE58_TEXT_MAX];
	char		text[ATID_BASE58_TEXT_MAX + 1];
	size_t		len;
	size_t		at = 0;

	for (int value = 0; value < 256; value += 255)
	{
		size_t		text_len;

		memset(bytes, value, sizeof(bytes));
		text_len = atid_base58_encode(bytes, sizeof(bytes), text);
		ok(text_len <= ATID_BASE58_TEXT_MAX, "the longest bytes fit");
		ok(atid_base58_decode(text, text_len, decoded, &len, &at) == ATID_OK &&
		   len == sizeof(bytes) && memcmp(decoded, bytes, len) == 0, "and come back");
	}
	memset(text, 'z', sizeof(text));
	ok(atid_base58_decode(text, ATID_BASE58_TEXT_MAX, decoded, &len, &at) == ATID_OK &&
	   len <= ATID_BASE58_TEXT_MAX, "the longest text");
	memset(text, '1', sizeof(text));
	ok(atid_base58_decode(text, ATID_BASE58_TEXT_MAX, decoded, &len, &at) == ATID_OK &&
	   len == ATID_BASE58_TEXT_MAX, "the longest text of zeros");
	ok(atid_base58_decode(text, ATID_BASE58_TEXT_MAX + 1, decoded, &len, &at)
	   == ATID_BASE58_LENGTH, "a longer one is refused");
}

/*
 * A character is a digit where a text of it can be read.
 */
static void
test_digits(void)
{
	uint8_t		decoded[ATID_BASE58_TEXT_MAX];
	size_t		len;
	size_t		at;
	int			digits = 0;
	bool		same = true;

	for (int c = 0; c < 256; c++)
	{
		char		text = (char) c;
		bool		digit = atid_base58_is_digit(text);

		digits += digit;
		same = same && digit == (atid_base58_decode(&text, 1, decoded, &len, &at) == ATID_OK);
	}
	ok(same && digits == 58, "58 characters are digits");
}

int
main(void)
{
	test_vectors();
	test_digits();
	test_characters();
	test_limits();
	return done();
}
