/*-------------------------------------------------------------------------
 *
 * tid.c
 *		TIDs: the texts of known ones, and their order; every byte that is refused, and
 *		where; the parts, at their limits.  Strings end where their memory does, so that
 *		reads behind them are found.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/tid.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
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

		atid_tid_to_text(known[i].value, text);
		ok(memcmp(text, known[i].text, sizeof(text)) == 0, known[i].text);
		ok(atid_tid_from_text(known[i].text, &value), "is read");
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

		atid_tid_to_text(a, text_a);
		atid_tid_to_text(b, text_b);
		same &= atid_tid_from_text(text_a, &back) && back == a;
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
			if (atid_tid_from_text(text, &value) != legal || (!legal && value != 42))
				wrong++;
		}
	}
	is_u64((uint64_t) wrong, 0, "each byte in each place is taken or refused as the alphabet says");
}

static AtidFault
scan(const char *s, size_t *at)
{
	char	   *copy = exact(s, strlen(s));
	AtidFault	result = atid_tid_scan(copy, strlen(s), at);

	free(copy);
	return result;
}

static void
test_scan(void)
{
	size_t		at = 99;

	ok(scan("3jzfcijpj2z2a", &at) == ATID_OK, "tid: 3jzfcijpj2z2a");
	ok(scan("", &at) == ATID_TID_LENGTH && at == 0, "tid: not empty");
	ok(scan("3jzfcijpj2z2", &at) == ATID_TID_LENGTH && at == 12, "tid: not 12 characters");
	ok(scan("3jzfcijpj2z2aa", &at) == ATID_TID_LENGTH && at == 13, "tid: not 14");
	ok(scan("3jzfcijpj2z2a\xC3\xA9", &at) == ATID_TID_LENGTH && at == 13,
	   "tid: nor 13 and a letter of two bytes");
	ok(scan("zzzzzzzzzzzzz", &at) == ATID_TID_FIRST && at == 0, "tid: first not above j");
	ok(scan("3jzf-cij-pj2z-2a", &at) == ATID_TID_CHARACTER && at == 4,
	   "tid: no hyphen, and where it is");
	ok(scan("3jzfcijpj2z21", &at) == ATID_TID_CHARACTER && at == 12, "tid: no 1, and where it is");
	ok(scan("3jzfcij ", &at) == ATID_TID_CHARACTER && at == 7,
	   "tid: the first fault from the left is told");
}

static void
test_parts(void)
{
	uint64_t	last = atid_tid_of_parts(ATID_TID_US_END - 1, ATID_TID_CLOCK_ID_MAX);
	uint64_t	tid = atid_tid_of_parts(UINT64_C(1688137381887007), 6);
	uint64_t	read = 0;

	ok(atid_tid_from_text("3jzfcijpj2z2a", &read) && read == tid, "a TID of its parts");
	is_u64(atid_tid_us(tid), UINT64_C(1688137381887007), "its microsecond");
	is_u64((uint64_t) atid_tid_clock_id_of(tid), 6, "and its clock id");
	is_u64(last, INT64_MAX, "the last TID that has a time is the last below the top bit");
	is_u64(atid_tid_us(last), ATID_TID_US_END - 1, "its microsecond");
	is_u64((uint64_t) atid_tid_clock_id_of(last), ATID_TID_CLOCK_ID_MAX, "and its clock id");
	is_u64(atid_tid_us(last + 1), ATID_TID_US_END, "the next one is at the end of time");
}

int
main(void)
{
	test_known();
	test_round_trip_and_order();
	test_refused();
	test_scan();
	test_parts();
	return done();
}
