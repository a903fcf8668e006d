/*-------------------------------------------------------------------------
 *
 * base32.c
 *		The texts of CIDs, read and written, and every byte that is refused.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/base32.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* A generator of numbers that look random, the same in each run (xorshift). */
static uint64_t
scramble(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ (x << 17);
}

/* RFC 4648 section 10, in lower case and without its padding. */
static void
test_rfc4648(void)
{
	static const char *const known[][2] = {
		{"", ""},
		{"f", "my"},
		{"fo", "mzxq"},
		{"foo", "mzxw6"},
		{"foob", "mzxw6yq"},
		{"fooba", "mzxw6ytb"},
		{"foobar", "mzxw6ytboi"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		const char *bytes = known[i][0];
		const char *want = known[i][1];
		char		text[16];
		uint8_t		back[16];
		size_t		at;

		ok(atid_base32_encoded_len(strlen(bytes)) == strlen(want) &&
		   atid_base32_decoded_len(strlen(want)) == strlen(bytes), want);
		atid_base32_encode((const uint8_t *) bytes, strlen(bytes), text);
		ok(memcmp(text, want, strlen(want)) == 0, "is written");
		ok(atid_base32_decode(want, strlen(want), back, &at) == ATID_OK &&
		   memcmp(back, bytes, strlen(bytes)) == 0, "and read");
	}
}

static void
test_rfc4648_round_trip(void)
{
	uint64_t	random = 88172645463325252;
	bool		same = true;

	for (size_t len = 0; len < 200; len++)
	{
		/* of their exact size, so that reads and writes behind them are found */
		size_t		text_len = atid_base32_encoded_len(len);
		uint8_t    *bytes = malloc(len ? len : 1);
		char	   *text = malloc(text_len ? text_len : 1);
		uint8_t    *back = malloc(len ? len : 1);
		size_t		at;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t) (random = scramble(random));
		atid_base32_encode(bytes, len, text);
		same &= atid_base32_decoded_len(text_len) == len &&
			atid_base32_decode(text, text_len, back, &at) == ATID_OK &&
			memcmp(back, bytes, len) == 0;
		free(bytes);
		free(text);
		free(back);
	}
	ok(same, "bytes of each length up to 199 come back from their text");
}

static void
test_rfc4648_refused(void)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	static const struct
	{
		const char *text;
		AtidFault	fault;
		size_t		at;
	}			bad[] = {
		{"my======", ATID_BASE32_PADDING, 2},
		{"mzxw6ytboi======", ATID_BASE32_PADDING, 10},
		{"MZXW6YTB", ATID_BASE32_UPPER, 0},
		{"mzxw6ytBOI", ATID_BASE32_UPPER, 7},
		{"mzxw6yt1", ATID_BASE32_CHARACTER, 7},
		{"mzxw6ytb mzxw6ytb", ATID_BASE32_CHARACTER, 8},
		{"m", ATID_BASE32_LENGTH, 1},
		{"mzx", ATID_BASE32_LENGTH, 3},
		{"mzxw6y", ATID_BASE32_LENGTH, 6},
		{"mzxw6ytba", ATID_BASE32_LENGTH, 9},
		{"mz", ATID_BASE32_SPARE, 1},
		{"mzxr", ATID_BASE32_SPARE, 3},
		{"mzxw7", ATID_BASE32_SPARE, 4},
		{"mzxw6yr", ATID_BASE32_SPARE, 6},
		{"mzxw6ytboj", ATID_BASE32_SPARE, 9},
		/* of several faults, the leftmost bad character is reported */
		{"m=M", ATID_BASE32_PADDING, 1},
		{"mM=", ATID_BASE32_UPPER, 1},
		{"mzxw6ytbmz!", ATID_BASE32_CHARACTER, 10},
	};
	int			wrong = 0;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		uint8_t		bytes[16];
		size_t		at = 99;

		ok(atid_base32_decode(bad[i].text, strlen(bad[i].text), bytes, &at) == bad[i].fault,
		   bad[i].text);
		is_u64(at, bad[i].at, "is refused, and where");
	}

	for (size_t at = 0; at < 16; at++)
	{
		for (int c = 0; c < 256; c++)
		{
			char		text[16];
			uint8_t		bytes[10];
			size_t		found = 99;
			bool		legal = c != 0 && strchr(letters, c) != NULL;
			AtidFault	fault;

			memset(text, 'a', sizeof(text));
			text[at] = (char) c;
			fault = atid_base32_decode(text, sizeof(text), bytes, &found);
			if ((fault == ATID_OK) != legal || (!legal && found != at))
				wrong++;
		}
	}
	is_u64((uint64_t) wrong, 0, "each byte in each place is taken or refused as the alphabet says");

	/* the last characters of short blocks: only those without spare bits */
	wrong = 0;
	for (size_t len = 2; len < 8; len++)
	{
		static const int spare_bits[8] = {0, 0, 2, 0, 4, 1, 0, 3};

		for (int digit = 0; digit < 32; digit++)
		{
			char		text[8];
			uint8_t		bytes[5];
			size_t		at;
			bool		legal = spare_bits[len] > 0 && digit % (1 << spare_bits[len]) == 0;

			memset(text, '7', sizeof(text));
			text[len - 1] = letters[digit];
			if ((atid_base32_decode(text, len, bytes, &at) == ATID_OK) != legal)
				wrong++;
		}
	}
	is_u64((uint64_t) wrong, 0, "each last character is taken or refused as its spare bits say");
}

int
main(void)
{
	test_rfc4648();
	test_rfc4648_round_trip();
	test_rfc4648_refused();
	return done();
}
