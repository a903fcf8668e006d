/*-------------------------------------------------------------------------
 *
 * base32.c
 *		The text of TIDs: both ways, its order, and every byte that is refused.
 *
 *-------------------------------------------------------------------------
 */
#include "base32.h"

#include <string.h>

#include "tap.h"

static const char alphabet[] = "234567abcdefghijklmnopqrstuvwxyz";

/* A generator of numbers that look random, the same in each run (xorshift). */
static uint64_t
scramble(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ (x << 17);
}

static void
test_known(void)
{
	static const struct
	{
		uint64_t	value;
		const char *text;
	}			known[] = {
		{0, "2222222222222"},
		{1, "2222222222223"},
		{1023, "22222222222zz"},
		{UINT64_C(1) << 63, "c222222222222"},
		{UINT64_MAX, "jzzzzzzzzzzzz"},
		{UINT64_C(1688137381887007) << 10 | 6, "3jzfcijpj2z2a"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		char		text[ATID_TID_TEXT_LEN];
		uint64_t	value = 42;

		atid_base32_encode_tid(known[i].value, text);
		ok(memcmp(text, known[i].text, sizeof(text)) == 0, known[i].text);
		ok(atid_base32_decode_tid(known[i].text, &value), "is read");
		is_u64(value, known[i].value, "as its value");
	}
}

static void
test_round_trip_and_order(void)
{
	uint64_t	a = 88172645463325252;
	bool		same = true;
	bool		ordered = true;

	for (int i = 0; i < 100000; i++)
	{
		uint64_t	b = scramble(a);
		uint64_t	back;
		char		text_a[ATID_TID_TEXT_LEN];
		char		text_b[ATID_TID_TEXT_LEN];

		atid_base32_encode_tid(a, text_a);
		atid_base32_encode_tid(b, text_b);
		same &= atid_base32_decode_tid(text_a, &back) && back == a;
		ordered &= (a < b) == (memcmp(text_a, text_b, sizeof(text_a)) < 0);
		a = b;
	}
	ok(same, "100,000 values come back from their text");
	ok(ordered, "and their texts are in the order of the values, unsigned");
}

static void
test_refused(void)
{
	int			wrong = 0;

	for (int at = 0; at < ATID_TID_TEXT_LEN; at++)
	{
		for (int c = 0; c < 256; c++)
		{
			char		text[ATID_TID_TEXT_LEN];
			uint64_t	value = 42;
			const char *found = c ? strchr(alphabet, c) : NULL;
			bool		legal = found != NULL && (at > 0 || found - alphabet < 16);

			memset(text, '2', sizeof(text));
			text[at] = (char) c;
			if (atid_base32_decode_tid(text, &value) != legal || (!legal && value != 42))
				wrong++;
		}
	}
	is_u64((uint64_t) wrong, 0, "each byte in each place is taken or refused as the alphabet says");
}

int
main(void)
{
	test_known();
	test_round_trip_and_order();
	test_refused();
	return done();
}
