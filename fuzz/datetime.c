/*-------------------------------------------------------------------------
 * datetime.c
 *		The scanner of datetimes agrees with a slow reader, on what is a datetime and
 *		on its microsecond; what is written is read again.
 *
 * The slow reader compares with templates, in which '9' stands for any digit and
 * other characters for themselves, and counts the days month by month.  It rewrites
 * a sloppy string as a datetime and reads that.  So each rule has one place in it,
 * and it shares no code with the scanner.
 *
 * The input is a string; its first 8 bytes are also a microsecond.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/datetime.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

/* Does s begin as the template says? */
static bool
begins(const char *s, size_t len, const char *template)
{
	size_t		n = strlen(template);

	if (len < n)
		return false;
	for (size_t i = 0; i < n; i++)
	{
		if (template[i] == '9' ? !(s[i] >= '0' && s[i] <= '9') : s[i] != template[i])
			return false;
	}
	return true;
}

static bool
is(const char *s, size_t len, const char *template)
{
	return len == strlen(template) && begins(s, len, template);
}

/* The value of n digits. */
static int
number(const char *s, int n)
{
	char		digits[16] = "";

	memcpy(digits, s, (size_t) n);
	return atoi(digits);
}

static int
month_days(int year, int month)
{
	if (month == 2)
		return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) ? 29 : 28;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* Days from the epoch to the first of a month, counted. */
static int64_t
count_days(int year, int month)
{
	int64_t		days = 0;

	for (int y = 1970; y < year; y++)
		days += 337 + month_days(y, 2);
	for (int y = 1969; y >= year; y--)
		days -= 337 + month_days(y, 2);
	for (int m = 1; m < month; m++)
		days += month_days(year, m);
	return days;
}

/* A datetime, and the microsecond that it names. */
static bool
is_datetime(const char *s, size_t len, int64_t *us)
{
	static int64_t era_start;
	static int64_t era_end;
	int			part[6];		/* year to second */
	size_t		end = 19;		/* of the fraction */
	int			east = 0;		/* minutes */
	char		fraction[7] = "000000";

	if (!begins(s, len, "9999-99-99T99:99:99"))
		return false;
	part[0] = number(s, 4);
	for (int i = 1; i < 6; i++)
		part[i] = number(s + 3 * i + 2, 2);
	if (part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > month_days(part[0], part[1]))
		return false;
	if (part[3] > 23 || part[4] > 59 || part[5] > 59)
		return false;

	if (begins(s + 19, len - 19, ".9"))
	{
		for (end = 20; end < len && begins(s + end, 1, "9"); end++)
		{
			if (end < 26)
				fraction[end - 20] = s[end];
		}
	}

	if (is(s + end, len - end, "+99:99") || is(s + end, len - end, "-99:99"))
	{
		if (number(s + end + 1, 2) > 23 || number(s + end + 4, 2) > 59)
			return false;
		if (memcmp(s + end, "-00:00", 6) == 0)
			return false;
		east = number(s + end + 1, 2) * 60 + number(s + end + 4, 2);
		if (s[end] == '-')
			east = -east;
	}
	else if (!is(s + end, len - end, "Z"))
		return false;

	*us = count_days(part[0], part[1]) + part[2] - 1;
	*us = (*us * 24 + part[3]) * 60 + part[4] - east;
	*us = (*us * 60 + part[5]) * 1000000 + atoi(fraction);
	if (era_end == 0)
	{
		era_start = count_days(0, 1) * 86400000000;
		era_end = count_days(10000, 1) * 86400000000;
	}
	return *us >= era_start && *us < era_end;
}

/* An offset or another zone in the form of a datetime; NULL if it is none. */
static const char *
zone_of(const char *s, size_t len, const char *others, char copy[8])
{
	/* a list of words, with a blank after each */
	for (; *others != '\0'; others += strcspn(others, " ") + 1)
	{
		if (len == strcspn(others, " ") && memcmp(s, others, len) == 0)
			return "Z";
	}
	if (is(s, len, "-0000") || is(s, len, "-00:00"))
		return "Z";
	if (is(s, len, "+99:99") || is(s, len, "-99:99"))
	{
		snprintf(copy, 8, "%.6s", s);
		return copy;
	}
	if (is(s, len, "+9999") || is(s, len, "-9999"))
	{
		snprintf(copy, 8, "%.3s:%.2s", s, s + 3);
		return copy;
	}
	return NULL;
}

/* The number of a month's name, or 0. */
static int
month_of(const char *s)
{
	static const char *const names[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
	};

	for (int i = 0; i < 12; i++)
	{
		if (memcmp(s, names[i], 3) == 0)
			return i + 1;
	}
	return 0;
}

static bool
is_weekday(const char *s)
{
	static const char *const names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

	for (int i = 0; i < 7; i++)
	{
		if (memcmp(s, names[i], 3) == 0)
			return true;
	}
	return false;
}

/* A time "99:99" or "99:99:99" at s: its length, or 0. */
static size_t
time_length(const char *s, size_t len)
{
	if (!begins(s, len, "99:99"))
		return 0;
	if (!begins(s + 5, len - 5, ":"))
		return 5;
	return begins(s + 5, len - 5, ":99") ? 8 : 0;
}

/*
 * Rewrite a sloppy string as a datetime in "strict", which has room for it and
 * a bit more; or as an empty string.
 */
static void
write_out(const char *s, size_t len, char *strict)
{
	const char *zone = NULL;
	char		copy[8];
	size_t		n;
	size_t		end;			/* of the fraction */
	int			month;
	int			day;

	*strict = '\0';
	if (begins(s, len, "9999-99-99"))
	{
		if (number(s, 4) < 100 && !begins(s + 10, len - 10, "T"))
			return;
		if (len == 10)
		{
			sprintf(strict, "%.10sT00:00:00Z", s);
			return;
		}
		if (strchr("Tt ", s[10]) == NULL || s[10] == '\0')
			return;
		n = time_length(s + 11, len - 11);
		if (n == 0)
			return;
		end = 11 + n;
		if (n == 8 && begins(s + end, len - end, ".9"))
		{
			for (end++; begins(s + end, len - end, "9");)
				end++;
		}
		if (end == len)
			zone = "Z";
		else if (s[10] != ' ')
			zone = zone_of(s + end, len - end, "Z z ", copy);
		else
		{
			size_t		from = end + (s[end] == ' ');

			zone = zone_of(s + from, len - from,
						   from > end ? "Z z +00 -00 UTC GMT " : "Z z +00 -00 ", copy);
		}
		if (zone != NULL)
			sprintf(strict, "%.10sT%.*s%s%.*s%s", s, (int) n, s + 11, n == 5 ? ":00" : "",
					(int) (end - 11 - n), s + 11 + n, zone);
		return;
	}

	/* Tue Mar 17 2026 10:20:30 GMT+0100 (text) */
	if (len > 15 && is_weekday(s) && (month = month_of(s + 4)) > 0 && s[3] == ' ' &&
		begins(s + 7, len - 7, " 99 9999 ") && number(s + 11, 4) >= 100)
	{
		n = time_length(s + 16, len - 16);
		if (n == 0 || !begins(s + 16 + n, len - 16 - n, " GMT"))
			return;
		end = 16 + n + 4;
		for (size_t from = end; from + 1 < len && zone == NULL; from++)
		{
			/* no parentheses between these two */
			if (s[from] == ' ' && s[from + 1] == '(' && s[len - 1] == ')' && from + 2 < len &&
				memchr(s + from + 2, '(', len - from - 2) == NULL &&
				memchr(s + from + 2, ')', len - from - 3) == NULL)
				zone = zone_of(s + end, from - end, "", copy);
		}
		if (zone == NULL)
			zone = zone_of(s + end, len - end, "", copy);
		if (zone != NULL)
			sprintf(strict, "%.4s-%02d-%.2sT%.*s%s%s", s + 11, month, s + 8,
					(int) n, s + 16, n == 5 ? ":00" : "", zone);
		return;
	}

	/* [Tue, ]17 Mar 2026 10:20[:30][ zone] */
	if (len > 5 && is_weekday(s) && memcmp(s + 3, ", ", 2) == 0)
	{
		s += 5;
		len -= 5;
	}
	if (!begins(s, len, "9"))
		return;
	n = begins(s, len, "99") ? 2 : 1;
	day = number(s, (int) n);
	s += n;
	len -= n;
	if (len < 10 || s[0] != ' ' || (month = month_of(s + 1)) == 0 ||
		!begins(s + 4, len - 4, " 9999 ") || number(s + 5, 4) < 100)
		return;
	n = time_length(s + 10, len - 10);
	if (n == 0)
		return;
	end = 10 + n;
	if (end == len)
		zone = "Z";
	else if (s[end] == ' ')
		zone = zone_of(s + end + 1, len - end - 1, "Z UT UTC GMT ", copy);
	if (zone != NULL)
		sprintf(strict, "%.4s-%02d-%02dT%.*s%s%s", s + 5, month, day,
				(int) n, s + 10, n == 5 ? ":00" : "", zone);
}

/* A microsecond is written as a right datetime, which gives it back. */
static void
check_microsecond(uint64_t bits)
{
	int64_t		us = ATID_DATETIME_MIN_US +
		(int64_t) (bits % (uint64_t) (ATID_DATETIME_MAX_US - ATID_DATETIME_MIN_US + 1));
	char	   *s = exact_memory(ATID_DATETIME_TEXT_MAX);
	int64_t		unit = 1;

	for (int digits = 6; digits > 0; digits--, unit *= 10)
	{
		size_t		n = atid_datetime_format(us, digits, s);
		int64_t		back;
		int64_t		since = us - ATID_DATETIME_MIN_US;

		CLAIM(n == 21 + (size_t) digits);
		CLAIM(is_datetime(s, n, &back));
		CLAIM(back - ATID_DATETIME_MIN_US == since - since % unit);
	}
	free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *) data;
	char	   *strict = exact_memory(size + 64);
	int64_t		want;
	int64_t		got = 0;
	size_t		at;
	AtidFault	fault = atid_datetime_parse(s, size, &got, &at);

	if (is_datetime(s, size, &want))
		CLAIM(fault == ATID_OK && got == want);
	else
	{
		CLAIM(fault != ATID_OK && at <= size);
		CLAIM(atid_fault_words(fault)[0] != '\0');

		write_out(s, size, strict);
		fault = atid_datetime_parse_sloppy(s, size, &got, &at);
		if (is_datetime(strict, strlen(strict), &want))
			CLAIM(fault == ATID_OK && got == want);
		else
			CLAIM(fault != ATID_OK && at <= size);
	}
	free(strict);

	if (size >= 8)
	{
		uint64_t	bits;

		memcpy(&bits, data, 8);
		check_microsecond(bits);
	}
	return 0;
}
