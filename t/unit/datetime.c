/*-------------------------------------------------------------------------
 *
 * datetime.c
 *		The scanner of datetimes: each day from 0000 to 9999, each byte in each place,
 *		each length, the limits, the faults and their places; the writer.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/datetime.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

#define ANY "0123456789"
#define US_PER_DAY INT64_C(86400000000)

/* Reads a copy with nothing after it, so that reads behind it are found. */
static AtidFault
parse_of(const char *s, size_t len, int64_t *us, size_t *at)
{
	char	   *copy = exact(s, len);
	AtidFault	fault = atid_datetime_parse(copy, len, us, at);

	free(copy);
	return fault;
}

static bool
is_valid(const char *s)
{
	int64_t		us;
	size_t		at;

	return parse_of(s, strlen(s), &us, &at) == ATID_OK;
}

/* The microsecond of a string that must be a datetime. */
static int64_t
us_of(const char *s)
{
	int64_t		us = INT64_MIN;
	size_t		at;

	if (parse_of(s, strlen(s), &us, &at) != ATID_OK)
		printf("# refused: %s\n", s);
	return us;
}

static void
is_fault(const char *s, AtidFault want, size_t want_at, const char *name)
{
	int64_t		us;
	size_t		at = 99;
	AtidFault	got = parse_of(s, strlen(s), &us, &at);

	ok(got == want && at == want_at, name);
	if (got != want || at != want_at)
		printf("# %s: fault %d at %d, not %d at %d\n", s, got, (int) at, want, (int) want_at);
}

static void
is_normalized(const char *s, const char *want)
{
	char		got[ATID_DATETIME_TEXT_MAX + 1] = "";
	size_t		len = strlen(s);
	char	   *copy = exact(s, len);
	int64_t		us;
	size_t		at;

	if (atid_datetime_parse_sloppy(copy, len, &us, &at) == ATID_OK)
		got[atid_datetime_format(us, 3, got)] = '\0';
	free(copy);
	ok(strcmp(got, want) == 0, *want ? "normalized" : "not normalized");
	if (strcmp(got, want) != 0)
		printf("# %s: \"%s\", not \"%s\"\n", s, got, want);
}

/* What keeps a text in none of the forms from being normalized. */
static void
is_in_no_form(const char *s, AtidFault want, size_t want_at)
{
	size_t		len = strlen(s);
	char	   *copy = exact(s, len);
	int64_t		us;
	size_t		at = 99;
	AtidFault	got = atid_datetime_parse_sloppy(copy, len, &us, &at);

	free(copy);
	ok(got == want && at == want_at, "not normalized: the fault and its place");
	if (got != want || at != want_at)
		printf("# %s: fault %d at %d, not %d at %d\n", s, got, (int) at, want, (int) want_at);
}

/*
 * Each day from 0000-01-01 to 9999-12-31, one after the other.  Without
 * script/test --full, of most years only those next to the end of a month:
 * the calendar is the same every 400 years, and 800 of them are whole.
 */
static void
test_calendar(void)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64_t		us = ATID_DATETIME_MIN_US;
	int			wrong_value = 0;
	int			wrong_text = 0;
	int			wrong_end = 0;
	int			count = 0;
	bool		all = in_full();

	for (int year = 0; year <= 9999; year++)
	{
		bool		leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

		for (int month = 1; month <= 12; month++)
		{
			int			last = days[month - 1] + (month == 2 && leap);
			char		s[64];
			char		text[64] = "";

			for (int day = 1; day <= last; day++, us += US_PER_DAY)
			{
				if (day > 2 && day < last - 1 && year >= 800 && !all)
				{
					count++;
					continue;
				}
				snprintf(s, sizeof(s), "%04d-%02d-%02dT00:00:00.0Z", year, month, day);
				count++;
				wrong_value += us_of(s) != us;
				text[atid_datetime_format(us, 1, text)] = '\0';
				wrong_text += strcmp(text, s) != 0;
				/* and the last microsecond of the day */
				snprintf(s, sizeof(s), "%04d-%02d-%02dT23:59:59.999999Z", year, month, day);
				text[atid_datetime_format(us + US_PER_DAY - 1, 6, text)] = '\0';
				wrong_text += strcmp(text, s) != 0;
			}
			snprintf(s, sizeof(s), "%04d-%02d-%02dT00:00:00Z", year, month, last + 1);
			wrong_end += is_valid(s);
		}
	}
	is_u64((uint64_t) count, 3652425, "calendar: the days of 10,000 years");
	is_u64((uint64_t) wrong_value, 0, "calendar: each is a day after the one before");
	is_u64((uint64_t) wrong_text, 0, "calendar: each is written as it was read");
	is_u64((uint64_t) wrong_end, 0, "calendar: no month has another day");
	ok(us == ATID_DATETIME_MAX_US + 1, "calendar: the end is the end of the era");
	ok(us_of("1970-01-01T00:00:00Z") == 0, "calendar: the epoch is 0");
	/* date -u -d @1773742830 */
	ok(us_of("2026-03-17T10:20:30Z") == INT64_C(1773742830000000), "calendar: a day of ours");
}

/* Each byte in each place of two forms. */
static void
test_bytes(void)
{
	static const char *const forms[] = {
		"2011-11-11T11:11:11.1Z", "2011-11-11T11:11:11.1+11:11"
	};
	/* the characters that each place admits if the others stay as they are */
	static const char *const admitted[] = {
		ANY, ANY, ANY, ANY, "-", "01", "012", "-", "012", ANY, "T",
		"012", ANY, ":", "012345", ANY, ":", "012345", ANY, ".", ANY, "",
		"012", ANY, ":", "012345", ANY
	};
	int			wrong = 0;

	for (size_t f = 0; f < 2; f++)
	{
		size_t		len = strlen(forms[f]);

		for (size_t at = 0; at < len; at++)
		{
			for (int c = 0; c < 256; c++)
			{
				char		s[64];
				int64_t		us;
				size_t		fault_at;
				bool		legal = c != 0 && strchr(admitted[at], c) != NULL;

				/* the end of the first form, and the sign of the second */
				if (at == 21)
					legal = f == 0 ? c == 'Z' : c == '+' || c == '-';
				memcpy(s, forms[f], len);
				s[at] = (char) c;
				if ((parse_of(s, len, &us, &fault_at) == ATID_OK) != legal)
				{
					if (wrong++ == 0)
						printf("# byte 0x%02X in place %d of %s\n",
							   (unsigned) c, (int) at, forms[f]);
				}
			}
		}
	}
	is_u64((uint64_t) wrong, 0, "bytes: each in each place is taken or refused as it should be");

	/* cut short anywhere, and longer */
	wrong = 0;
	for (size_t f = 0; f < 2; f++)
	{
		for (size_t len = 0; len <= strlen(forms[f]) + 1; len++)
		{
			int64_t		us;
			size_t		at;
			bool		whole = len == strlen(forms[f]);

			/* the longest holds the terminator */
			wrong += (parse_of(forms[f], len, &us, &at) == ATID_OK) != whole;
		}
	}
	is_u64((uint64_t) wrong, 0, "bytes: no other length");
}

static void
test_faults(void)
{
	is_fault("", ATID_DATETIME_DATE, 0, "fault: nothing");
	is_fault("1985", ATID_DATETIME_DATE, 4, "fault: a year");
	is_fault("1985-4-12T23:20:50Z", ATID_DATETIME_DATE, 6, "fault: a month of one digit");
	is_fault("01985-04-12T23:20:50Z", ATID_DATETIME_DATE, 4, "fault: a year of five digits");
	is_fault("+1985-04-12T23:20:50Z", ATID_DATETIME_DATE, 0, "fault: a sign before the year");
	is_fault("1985-04-12", ATID_DATETIME_SEPARATOR, 10, "fault: a date alone");
	is_fault("1985-04-12t23:20:50Z", ATID_DATETIME_SEPARATOR, 10, "fault: a small t");
	is_fault("1985-04-12T23Z", ATID_DATETIME_TIME, 13, "fault: no minutes");
	is_fault("1985-04-12T23:20Z", ATID_DATETIME_TIME, 16, "fault: no seconds");
	is_fault("1985-04-12T23:20:5Z", ATID_DATETIME_TIME, 18, "fault: seconds of one digit");
	is_fault("1985-04-12T23:20:50.Z", ATID_DATETIME_FRACTION, 20, "fault: no fraction");
	is_fault("1985-04-12T23:20:50", ATID_DATETIME_NO_ZONE, 19, "fault: no zone");
	is_fault("1985-04-12T23:20:50.123", ATID_DATETIME_NO_ZONE, 23, "fault: nor after a fraction");
	is_fault("1985-04-12T23:20:50z", ATID_DATETIME_ZONE, 19, "fault: a small z");
	is_fault("1985-04-12T23:20:50,5Z", ATID_DATETIME_ZONE, 19, "fault: a comma");
	is_fault("1985-04-12T23:20:50+0100", ATID_DATETIME_ZONE, 22, "fault: an offset without colon");
	is_fault("1985-04-12T23:20:50+01", ATID_DATETIME_ZONE, 22, "fault: an offset without minutes");
	is_fault("1985-04-12T23:20:50-00:00", ATID_DATETIME_NEGATIVE_ZERO, 19, "fault: -00:00");
	is_fault("1985-04-12T23:20:50Z ", ATID_DATETIME_TRAILING, 20, "fault: a blank at the end");
	is_fault("1985-04-12T23:20:50+01:001", ATID_DATETIME_TRAILING, 25, "fault: a digit more");
	ok(is_valid("1985-04-12T23:20:50+00:00") && is_valid("1985-04-12T23:20:50-00:01"),
	   "fault: only that zero is negative");

	is_fault("1985-00-12T23:20:50Z", ATID_DATETIME_MONTH, 5, "fault: month 00");
	is_fault("1985-13-12T23:20:50Z", ATID_DATETIME_MONTH, 5, "fault: month 13");
	is_fault("1985-04-00T23:20:50Z", ATID_DATETIME_DAY, 8, "fault: day 00");
	is_fault("1985-04-31T23:20:50Z", ATID_DATETIME_DAY, 8, "fault: 31 April");
	is_fault("1900-02-29T23:20:50Z", ATID_DATETIME_DAY, 8, "fault: 29 February 1900");
	is_fault("1985-04-12T24:00:00Z", ATID_DATETIME_HOUR, 11, "fault: hour 24");
	is_fault("1985-04-12T23:60:00Z", ATID_DATETIME_MINUTE, 14, "fault: minute 60");
	is_fault("2016-12-31T23:59:60Z", ATID_DATETIME_SECOND, 17, "fault: the leap second of 2016");
	is_fault("1985-04-12T23:20:50.5+24:00", ATID_DATETIME_OFFSET, 21, "fault: an offset of a day");
	is_fault("1985-04-12T23:20:50-01:60", ATID_DATETIME_OFFSET, 19, "fault: an offset's minute 60");
	is_fault("1985-13-12T23:20Z", ATID_DATETIME_TIME, 16, "fault: the syntax comes first");

	is_fault("0000-01-01T00:00:00+00:01", ATID_DATETIME_BEFORE_0000, 0, "fault: before 0000");
	is_fault("9999-12-31T23:59:59-00:01", ATID_DATETIME_AFTER_9999, 0, "fault: after 9999");
	ok(us_of("0000-01-01T00:01:00+00:01") == ATID_DATETIME_MIN_US, "the first microsecond");
	ok(us_of("9999-12-31T23:58:59.999999-00:01") == ATID_DATETIME_MAX_US, "the last microsecond");

	for (int fault = ATID_DATETIME_DATE; fault <= ATID_DATETIME_AFTER_9999; fault++)
	{
		bool		syntax = fault < ATID_DATETIME_MONTH;

		ok(atid_datetime_fault_is_syntax((AtidFault) fault) == syntax, "fault: has a kind");
	}
	ok(!atid_datetime_fault_is_syntax(ATID_OK), "no fault has none");
}

static void
test_value(void)
{
	char		s[200] = "1969-12-31T23:59:59.";

	ok(us_of("1985-04-12T23:20:50.12345678912345Z") == us_of("1985-04-12T23:20:50.123456Z"),
	   "value: 14 digits are cut to 6");
	ok(us_of("1985-04-12T23:20:50.9999999Z") == us_of("1985-04-12T23:20:50.999999Z"),
	   "value: not rounded");
	ok(us_of("1969-12-31T23:59:59.9999999Z") == -1, "value: nor before the epoch");
	ok(us_of("1985-04-12T23:20:50.1Z") == us_of("1985-04-12T23:20:50.100000Z"),
	   "value: a digit is a tenth");
	ok(us_of("1985-04-12T23:20:50.000001Z") - us_of("1985-04-12T23:20:50Z") == 1,
	   "value: the sixth is a microsecond");
	memset(s + 20, '9', 150);
	s[170] = 'Z';
	ok(us_of(s) == -1, "value: 150 digits are cut to 6");

	ok(us_of("2026-01-01T00:30:00+01:00") == us_of("2025-12-31T23:30:00Z"),
	   "value: an offset to the year before");
	ok(us_of("2025-12-31T23:30:00-01:00") == us_of("2026-01-01T00:30:00Z"),
	   "value: and to the next");
	ok(us_of("2024-03-01T00:30:00+01:00") == us_of("2024-02-29T23:30:00Z"),
	   "value: to a leap day");
	ok(us_of("1985-04-12T23:20:50+23:59") == us_of("1985-04-11T23:21:50Z"),
	   "value: the widest offset");
}

static void
test_normalize(void)
{
	/* as they are, cut to milliseconds */
	is_normalized("1985-04-12T23:20:50.1239999Z", "1985-04-12T23:20:50.123Z");
	is_normalized("1985-04-12T23:20:50+01:45", "1985-04-12T21:35:50.000Z");
	is_normalized("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z");

	/* ISO 8601, with something missing */
	is_normalized("2026-03-17", "2026-03-17T00:00:00.000Z");
	is_normalized("2026-03-17T10:20", "2026-03-17T10:20:00.000Z");
	is_normalized("2026-03-17T10:20Z", "2026-03-17T10:20:00.000Z");
	is_normalized("2026-03-17t10:20:30z", "2026-03-17T10:20:30.000Z");
	is_normalized("2026-03-17T10:20:30.5", "2026-03-17T10:20:30.500Z");
	is_normalized("2026-03-17T10:20:30+0100", "2026-03-17T09:20:30.000Z");
	is_normalized("2026-03-17T10:20:30-00:00", "2026-03-17T10:20:30.000Z");
	is_normalized("0050-03-17T10:20", "0050-03-17T10:20:00.000Z");

	/* databases */
	is_normalized("2026-03-17 10:20:30.123456+00", "2026-03-17T10:20:30.123Z");
	is_normalized("2026-03-17 10:20:30 UTC", "2026-03-17T10:20:30.000Z");
	is_normalized("2026-03-17 10:20:30 +01:00", "2026-03-17T09:20:30.000Z");
	is_normalized("2026-03-17 10:20:30-0130", "2026-03-17T11:50:30.000Z");
	is_normalized("2026-03-17 10:20:30-00", "2026-03-17T10:20:30.000Z");
	is_normalized("2026-03-17 10:20 GMT", "2026-03-17T10:20:00.000Z");

	/* mail, HTTP, JavaScript */
	is_normalized("Tue, 17 Mar 2026 10:20:30 GMT", "2026-03-17T10:20:30.000Z");
	is_normalized("Wed, 7 Mar 2026 10:20 UT", "2026-03-07T10:20:00.000Z");
	is_normalized("17 Dec 2026 10:20:30 -0100", "2026-12-17T11:20:30.000Z");
	is_normalized("17 Mar 2026 10:20:30", "2026-03-17T10:20:30.000Z");
	is_normalized("Tue Mar 17 2026 10:20:30 GMT+0100", "2026-03-17T09:20:30.000Z");
	is_normalized("Tue Mar 17 2026 10:20:30 GMT+0100 (\xC3\xA9t\xC3\xA9)",
				  "2026-03-17T09:20:30.000Z");

	/* strings that can be read in two ways, or are no time */
	is_normalized("", "");
	is_normalized("2026", "");
	is_normalized("1773742830", "");
	is_normalized("3/4/2026", "");
	is_normalized("2026-03-17 10:20:30+01", "");
	is_normalized("2026-03-17T10:20:30+00", "");
	is_normalized("2026-03-17 10:20:30GMT", "");
	is_normalized("0050-03-17", "");
	is_normalized("0050-03-17 10:20:30", "");
	is_normalized("17 Mar 0050 10:20:30", "");
	is_normalized("Tue Mar 17 0050 10:20:30 GMT+0100", "");
	is_normalized("17 Mar 26 10:20:30", "");
	is_normalized("2026-02-30", "");
	is_normalized("31 Feb 2026 10:20:30", "");
	is_normalized("0 Feb 2026 10:20:30", "");
	is_normalized("2026-03-17T24:00:00Z", "");
	is_normalized("2026-03-17 10:20:60", "");
	is_normalized("0000-01-01T00:00:00+0001", "");
	is_normalized("Tue, 17 Mar 2026 10:20:30 EST", "");
	is_normalized("Tue Mar 17 2026 10:20:30 GMT+0100 (x", "");
	is_normalized("Tue Mar 17 2026 10:20:30 GMT+0100 ((x))", "");
	is_normalized("Tue Mar 17 2026 10:20:30 GMT+0100 (x)y", "");
	is_normalized(" 2026-03-17T10:20:30Z", "");
	is_normalized("2026-03-17T10:20:30Z ", "");
	is_normalized("2026-03-17T10:20:30.", "");
	is_normalized("2026-03-17T10:20.5", "");

	/* what is wrong, and where, in each form */
	is_in_no_form("2026-03-1", ATID_DATETIME_DATE, 9);
	is_in_no_form("2026-03-17x10:20", ATID_DATETIME_SEPARATOR, 10);
	is_in_no_form("2026-03-17T10:2", ATID_DATETIME_TIME, 15);
	is_in_no_form("2026-03-17 10:20+1", ATID_DATETIME_ZONE, 18);
	is_in_no_form("x", ATID_DATETIME_FORM, 0);
	is_in_no_form("17 Mai 2026 10:20", ATID_DATETIME_FORM, 3);
	is_in_no_form("17 Mar 2026 1020", ATID_DATETIME_TIME, 14);
	is_in_no_form("17 Mar 2026 10:20+0100", ATID_DATETIME_ZONE, 17);
	is_in_no_form("17 Mar 2026 10:20 +01x0", ATID_DATETIME_ZONE, 21);
	is_in_no_form("Tue", ATID_DATETIME_FORM, 3);
	is_in_no_form("Tue Mai 17 2026 10:20:30 GMT+0100", ATID_DATETIME_FORM, 4);
	is_in_no_form("Tue Mar 7 2026 10:20:30 GMT+0100", ATID_DATETIME_FORM, 9);
	is_in_no_form("Tue Mar 17 2026 1020 GMT+0100", ATID_DATETIME_TIME, 18);
	is_in_no_form("Tue Mar 17 2026 10:20:30+0100", ATID_DATETIME_ZONE, 24);
	is_in_no_form("Tue Mar 17 2026 10:20:30 GMT 0100", ATID_DATETIME_ZONE, 28);
	is_in_no_form("Tue Mar 17 2026 10:20:30 GMT+0100 (x", ATID_DATETIME_TRAILING, 33);
}

int
main(void)
{
	test_calendar();
	test_bytes();
	test_faults();
	test_value();
	test_normalize();
	return done();
}
