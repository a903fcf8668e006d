/*-------------------------------------------------------------------------
 *
 * json.c
 *		The values of JSON tokens: numbers in each form, at the limits of 64 bits,
 *		and strings with each escape.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/json.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

/* What is read from a number: the integer, "fraction" or "range". */
static void
number_is(const char *number, const char *want)
{
	size_t		len = strlen(number);
	char	   *copy = exact(number, len);
	int64_t		value = 0;
	char		got[32] = "";
	char		name[160];

	switch (atid_json_integer(copy, len, &value))
	{
		case ATID_OK:
			snprintf(got, sizeof(got), "%" PRId64, value);
			break;
		case ATID_JSON_FRACTION:
			strcpy(got, "fraction");
			break;
		case ATID_CBOR_RANGE:
			strcpy(got, "range");
			break;
		default:
			break;
	}
	free(copy);
	snprintf(name, sizeof(name), "%.60s is %s", number, want);
	ok(strcmp(got, want) == 0, name);
	if (strcmp(got, want) != 0)
		printf("# got %s\n", got);
}

static void
test_numbers(void)
{
	static const char *const known[][2] = {
		{"0", "0"}, {"-0", "0"}, {"0.000", "0"}, {"0e5", "0"}, {"-0.0e-99999999999999999999", "0"},
		{"1", "1"}, {"-1", "-1"}, {"10", "10"}, {"123.0", "123"}, {"1e3", "1000"},
		{"1E+3", "1000"}, {"1.50e2", "150"}, {"1500e-2", "15"}, {"0.001e3", "1"},
		{"100e-2", "1"}, {"12.340e2", "1234"}, {"0.0012300e5", "123"},
		{"1.5", "fraction"}, {"-0.5", "fraction"}, {"1e-400", "fraction"}, {"15e-1", "fraction"},
		{"0.001e2", "fraction"}, {"1.0000000000000000000000001", "fraction"},
		{"1e-99999999999999999999999", "fraction"}, {"9223372036854775806.9", "fraction"},
		{"9223372036854775807", "9223372036854775807"},
		{"9223372036854775807.000", "9223372036854775807"},
		{"922337203685477580.7e1", "9223372036854775807"},
		{"-9223372036854775808", "-9223372036854775808"},
		{"9223372036854775807.5", "range"}, {"9223372036854775808", "range"},
		{"-9223372036854775808.5", "range"}, {"-9223372036854775809", "range"},
		{"18446744073709551616", "range"}, {"9999999999999999999", "range"},
		{"10000000000000000000", "range"}, {"1e18", "1000000000000000000"},
		{"1e19", "range"}, {"1e400", "range"}, {"1e99999999999999999999999", "range"},
		{"123456789012345678901234567890", "range"}, {"123456789012345678901.5", "range"},
	};
	char		zeros[1100];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		number_is(known[i][0], known[i][1]);

	/* more digits than an exponent, and the other way round */
	memset(zeros, '0', sizeof(zeros));
	memcpy(zeros, "12", 2);
	strcpy(zeros + 1002, "e-1000");
	number_is(zeros, "12");
	memset(zeros, '0', sizeof(zeros));
	memcpy(zeros, "0.", 2);
	strcpy(zeros + 1001, "7e1000");
	number_is(zeros, "7");
}

static void
string_is(const char *src, size_t len, const char *want, size_t want_len, const char *name)
{
	char	   *copy = exact(src, len);
	char	   *dst = malloc(len ? len : 1);
	bool		good = true;

	/* in one piece, and in pieces of each length */
	for (size_t piece = len + 1; piece > 0; piece--)
	{
		const char *from = copy;
		char	   *to = dst;
		bool		taken = true;

		while (taken && from < copy + len)
			taken = atid_json_unescape(&from, len - (size_t) (from - copy) > piece ?
									   from + piece : copy + len, copy + len, &to);
		if (want == NULL ? taken : !taken || from != copy + len ||
			(size_t) (to - dst) != want_len || memcmp(dst, want, want_len) != 0)
			good = false;
	}
	ok(good, name);
	free(copy);
	free(dst);
}

#define STRING(src, want) string_is(src, sizeof(src) - 1, want, sizeof(want) - 1, #src)
#define REFUSED(src) string_is(src, sizeof(src) - 1, NULL, 0, "refused: " #src)

static void
test_strings(void)
{
	STRING("", "");
	STRING("abc", "abc");
	STRING("\xC3\xA9\xF0\x9F\x8C\x8A", "\xC3\xA9\xF0\x9F\x8C\x8A");
	STRING("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t");
	STRING("a\\u0000b", "a\0b");
	STRING("\\u0041\\u007f\\u0080\\u07FF\\u0800\\uffff",
		   "A\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF");
	STRING("\\uD7FF\\uE000", "\xED\x9F\xBF\xEE\x80\x80");
	STRING("\\ud83c\\udf0a!", "\xF0\x9F\x8C\x8A!");
	STRING("\\uD800\\uDC00\\uDBFF\\uDFFF", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
	STRING("\\\\u0041", "\\u0041");
	REFUSED("a\\");
	REFUSED("a\\u");
	REFUSED("a\\u0");
	REFUSED("a\\u00");
	REFUSED("a\\u004");
	REFUSED("\\ud83c");
	REFUSED("\\ud83cx");
	REFUSED("\\ud83c\\n12345");
	REFUSED("\\ud83c\\ud83c");
	REFUSED("\\udf0a");
	REFUSED("\\udf0a\\ud83c");
}

int
main(void)
{
	test_numbers();
	test_strings();
	return done();
}
