/*-------------------------------------------------------------------------
 *
 * datetime.c
 *		Lexicon's string format "datetime", and sloppier ways to write a time.
 *
 * A datetime ("Lexicon", string formats) is what RFC 3339, ISO 8601 and WHATWG
 * HTML have in common:
 *
 *		YYYY-MM-DDThh:mm:ss[.f...](Z|+hh:mm|-hh:mm)
 *
 * with any number of digits after the point.  T and Z are capitals, and -00:00
 * is no offset.  The day is one of the Gregorian calendar, which is taken to
 * have been in use at all times; the clock goes from 00:00:00 to 23:59:59, so
 * a leap second cannot be written, as in HTML; an offset is at most 23:59.
 * In UTC the year is one of 0000, a leap year, to 9999: RFC 3339 knows no
 * other, and an offset must not lead out of them.
 *
 * The value is the number of microseconds since the Unix epoch.  Digits beyond
 * microseconds are cut off.  They count forward before 1970 too, so the earlier of
 * two times never becomes the later one.
 *
 * A string is a pointer and a length in bytes; it needs no terminator and may hold
 * any bytes.  A place is the number of bytes before it; these are ASCII, so it
 * counts characters too.
 *
 * Pure code: no server, no allocation, no state, no locale, no time zones.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/datetime.h"

#include <string.h>

#include "codec/ascii.h"
#include "codec/assert.h"

#define US_PER_SECOND	INT64_C(1000000)
#define US_PER_MINUTE	(60 * US_PER_SECOND)
#define US_PER_DAY		(24 * 60 * US_PER_MINUTE)

/* from 0000-01-01 to 1970-01-01 */
#define EPOCH_DAYS		719528

/* days of the year before the month, in a year that is no leap year */
static const int16_t month_start[13] = {
	0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365
};

/* A time as it is written. */
typedef struct Fields
{
	int			year;
	int			month;
	int			day;
	int			hour;
	int			minute;
	int			second;
	int			us;				/* of the second */
	int			offset_sign;	/* 1 east of Greenwich, -1 west of it */
	int			offset_hour;
	int			offset_minute;
	size_t		month_at;		/* places, for messages */
	size_t		day_at;
	size_t		time_at;
	size_t		zone_at;
} Fields;

/* A string that is being read. */
typedef struct Reader
{
	const char *s;
	size_t		len;
	size_t		at;
} Reader;


/*
 * The calendar
 */

static inline bool
is_leap_year(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline int
days_in_month(int year, int month)
{
	return month_start[month] - month_start[month - 1] +
		(month == 2 && is_leap_year(year));
}

/* Days from 0000-01-01 to the first day of a year from 0 on. */
static inline int
days_before_year(int year)
{
	return 365 * year + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
}

/* Days from 0000-01-01 to the first day of a month. */
static inline int
days_before_month(int year, int month)
{
	return days_before_year(year) + month_start[month - 1] +
		(month > 2 && is_leap_year(year));
}


/*
 * Reading
 */

/* The next character; a zero byte at the end. */
static inline char
peek(const Reader *r)
{
	return r->at < r->len ? r->s[r->at] : '\0';
}

static inline bool
at_end(const Reader *r)
{
	return r->at == r->len;
}

/* Read this character. */
static inline bool
read_char(Reader *r, char c)
{
	if (at_end(r) || r->s[r->at] != c)
		return false;
	r->at++;
	return true;
}

/* Read this word. */
static bool
read_word(Reader *r, const char *word)
{
	size_t		n = strlen(word);

	if (r->len - r->at < n || memcmp(r->s + r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

/* Read n digits.  On failure, the place is that of the first character that is none. */
static inline bool
read_digits(Reader *r, int n, int *value)
{
	*value = 0;
	for (int i = 0; i < n; i++)
	{
		if (!atid_is_digit(peek(r)))
			return false;
		*value = *value * 10 + (r->s[r->at++] - '0');
	}
	return true;
}

/* YYYY-MM-DD */
static inline bool
read_date(Reader *r, Fields *f)
{
	if (!read_digits(r, 4, &f->year) || !read_char(r, '-'))
		return false;
	f->month_at = r->at;
	if (!read_digits(r, 2, &f->month) || !read_char(r, '-'))
		return false;
	f->day_at = r->at;
	return read_digits(r, 2, &f->day);
}

/* hh:mm:ss; or hh:mm, unless the caller needs seconds */
static inline bool
read_time(Reader *r, Fields *f, bool need_seconds)
{
	f->time_at = r->at;
	f->second = 0;
	f->us = 0;
	if (!read_digits(r, 2, &f->hour) || !read_char(r, ':') || !read_digits(r, 2, &f->minute))
		return false;
	if (!need_seconds && peek(r) != ':')
		return true;
	return read_char(r, ':') && read_digits(r, 2, &f->second);
}

/* The digits after a point, if there is one; f->us is 0. */
static inline bool
read_fraction(Reader *r, Fields *f)
{
	int			weight = US_PER_SECOND / 10;

	if (!read_char(r, '.'))
		return true;
	if (!atid_is_digit(peek(r)))
		return false;
	for (; atid_is_digit(peek(r)); r->at++)
	{
		f->us += (r->s[r->at] - '0') * weight;
		weight /= 10;			/* from the seventh digit on it is 0 */
	}
	return true;
}

static inline void
set_utc(Fields *f)
{
	f->offset_sign = 1;
	f->offset_hour = 0;
	f->offset_minute = 0;
}

/* A sign, where an offset begins. */
static inline bool
read_sign(Reader *r, Fields *f)
{
	f->offset_sign = 1;
	if (read_char(r, '+'))
		return true;
	f->offset_sign = -1;
	return read_char(r, '-');
}

/*
 * The microsecond of the fields, if each is in its range, and the time is in
 * the years 0000 to 9999 in UTC.
 */
static inline AtidFault
check_fields(const Fields *f, int64_t *us, size_t *at)
{
	int			days;
	int			minutes;

	*at = f->month_at;
	if (f->month < 1 || f->month > 12)
		return ATID_DATETIME_MONTH;
	*at = f->day_at;
	if (f->day < 1 || f->day > days_in_month(f->year, f->month))
		return ATID_DATETIME_DAY;
	*at = f->time_at;
	if (f->hour > 23)
		return ATID_DATETIME_HOUR;
	*at += 3;
	if (f->minute > 59)
		return ATID_DATETIME_MINUTE;
	*at += 3;
	if (f->second > 59)
		return ATID_DATETIME_SECOND;
	*at = f->zone_at;
	if (f->offset_hour > 23 || f->offset_minute > 59)
		return ATID_DATETIME_OFFSET;

	days = days_before_month(f->year, f->month) + f->day - 1 - EPOCH_DAYS;
	minutes = f->hour * 60 + f->minute -
		f->offset_sign * (f->offset_hour * 60 + f->offset_minute);
	*us = days * US_PER_DAY + minutes * US_PER_MINUTE + f->second * US_PER_SECOND + f->us;

	*at = 0;
	if (*us < ATID_DATETIME_MIN_US)
		return ATID_DATETIME_BEFORE_0000;
	if (*us > ATID_DATETIME_MAX_US)
		return ATID_DATETIME_AFTER_9999;
	return ATID_OK;
}

/* Read a datetime; more may follow it. */
static inline AtidFault
read_strict_form(Reader *r, Fields *f)
{
	if (!read_date(r, f))
		return ATID_DATETIME_DATE;
	if (!read_char(r, 'T'))
		return ATID_DATETIME_SEPARATOR;
	if (!read_time(r, f, true))
		return ATID_DATETIME_TIME;
	if (!read_fraction(r, f))
		return ATID_DATETIME_FRACTION;
	if (at_end(r))
		return ATID_DATETIME_NO_ZONE;

	f->zone_at = r->at;
	set_utc(f);
	if (read_char(r, 'Z'))
		return ATID_OK;
	if (!read_sign(r, f) ||
		!read_digits(r, 2, &f->offset_hour) || !read_char(r, ':') ||
		!read_digits(r, 2, &f->offset_minute))
		return ATID_DATETIME_ZONE;
	return ATID_OK;
}

AtidFault
atid_datetime_parse(const char *s, size_t len, int64_t *us, size_t *at)
{
	Reader		r = {s, len, 0};
	Fields		f;
	AtidFault	fault = read_strict_form(&r, &f);

	*at = r.at;
	if (fault != ATID_OK)
		return fault;
	if (!at_end(&r))
		return ATID_DATETIME_TRAILING;
	if (f.offset_sign < 0 && f.offset_hour == 0 && f.offset_minute == 0)
	{
		*at = f.zone_at;
		return ATID_DATETIME_NEGATIVE_ZERO;
	}
	return check_fields(&f, us, at);
}


/*
 * Sloppy strings
 *
 * Besides datetimes, these forms are normalized.  Programs write them, and they can
 * be read in one way only:
 *
 *		2026-03-17									a day, its first moment
 *		2026-03-17T10:20[:30[.5]][zone]				T and Z may be small
 *		2026-03-17 10:20[:30[.5]][[ ]zone]			as databases write it
 *		[Tue, ]17 Mar 2026 10:20[:30][ zone]		RFC 5322, HTTP
 *		Tue Mar 17 2026 10:20:30 GMT+0100[ (text)]	JavaScript
 *
 * Without a zone it is UTC.  A zone is Z or an offset as +hh:mm or +hhmm; where
 * there is a blank in place of T, also +00, -00, and UTC or GMT after a blank; in
 * RFC 5322's form also GMT, UTC and UT.  The day of the week is not checked.
 *
 * npm's @atproto/syntax reads these forms to the same millisecond, and reads more.
 * It takes a year below 100 as one of 1950 to 2049, unless a T and a time follow;
 * here such a year is refused.
 */

/* The number of a three-letter name in a list of them, or -1. */
static int
read_name(Reader *r, const char *names)
{
	for (int i = 0; names[3 * i] != '\0'; i++)
	{
		if (r->len - r->at >= 3 && memcmp(r->s + r->at, names + 3 * i, 3) == 0)
		{
			r->at += 3;
			return i;
		}
	}
	return -1;
}

static bool
read_weekday(Reader *r)
{
	return read_name(r, "MonTueWedThuFriSatSun") >= 0;
}

static bool
read_month_name(Reader *r, Fields *f)
{
	f->month_at = r->at;
	f->month = read_name(r, "JanFebMarAprMayJunJulAugSepOctNovDec") + 1;
	return f->month > 0;
}

/* +hh:mm or +hhmm; or, if "bare", +00 */
static bool
read_sloppy_offset(Reader *r, Fields *f, bool bare)
{
	if (!read_sign(r, f) || !read_digits(r, 2, &f->offset_hour))
		return false;
	f->offset_minute = 0;
	if (bare && f->offset_hour == 0 && at_end(r))
		return true;
	(void) read_char(r, ':');
	return read_digits(r, 2, &f->offset_minute);
}

/* The forms that begin with YYYY-MM-DD. */
static AtidFault
read_iso_form(Reader *r, Fields *f)
{
	bool		blank;
	bool		capital;
	bool		has_seconds;

	if (!read_date(r, f))
		return ATID_DATETIME_DATE;
	f->hour = f->minute = f->second = f->us = 0;
	f->time_at = f->zone_at = r->at;
	set_utc(f);
	if (f->year < 100 && peek(r) != 'T')
		return ATID_DATETIME_FORM;
	if (at_end(r))
		return ATID_OK;

	capital = read_char(r, 'T');
	blank = !capital && read_char(r, ' ');
	if (!capital && !blank && !read_char(r, 't'))
		return ATID_DATETIME_SEPARATOR;
	if (!read_time(r, f, false))
		return ATID_DATETIME_TIME;
	has_seconds = r->at - f->time_at > 5;
	if (has_seconds && !read_fraction(r, f))
		return ATID_DATETIME_FRACTION;
	if (at_end(r))
		return ATID_OK;

	if (blank && (read_word(r, " UTC") || read_word(r, " GMT")))
		return ATID_OK;
	if (blank)
		(void) read_char(r, ' ');
	f->zone_at = r->at;
	if (read_char(r, 'Z') || read_char(r, 'z'))
		return ATID_OK;
	return read_sloppy_offset(r, f, blank) ? ATID_OK : ATID_DATETIME_ZONE;
}

/* [Tue, ]17 Mar 2026 10:20[:30][ zone] */
static AtidFault
read_mail_form(Reader *r, Fields *f)
{
	f->day_at = r->at;
	if (!read_digits(r, 1, &f->day))
		return ATID_DATETIME_FORM;
	if (atid_is_digit(peek(r)))
		f->day = f->day * 10 + (r->s[r->at++] - '0');
	if (!read_char(r, ' ') || !read_month_name(r, f) ||
		!read_char(r, ' ') || !read_digits(r, 4, &f->year) || f->year < 100 ||
		!read_char(r, ' '))
		return ATID_DATETIME_FORM;
	if (!read_time(r, f, false))
		return ATID_DATETIME_TIME;

	f->zone_at = r->at;
	set_utc(f);
	if (at_end(r))
		return ATID_OK;
	if (!read_char(r, ' '))
		return ATID_DATETIME_ZONE;
	f->zone_at = r->at;
	if (read_word(r, "GMT") || read_word(r, "UTC") || read_word(r, "UT") || read_char(r, 'Z'))
		return ATID_OK;
	return read_sloppy_offset(r, f, false) ? ATID_OK : ATID_DATETIME_ZONE;
}

/* A blank and a text in parentheses, without parentheses in it; or nothing. */
static bool
read_comment(Reader *r)
{
	Reader		inner = *r;

	if (!read_word(&inner, " ("))
		return true;
	while (!at_end(&inner) && peek(&inner) != '(' && peek(&inner) != ')')
		inner.at++;
	if (!read_char(&inner, ')'))
		return false;			/* the place stays before the text */
	*r = inner;
	return true;
}

/* Mar 17 2026 10:20:30 GMT+0100[ (text)], after the day of the week */
static AtidFault
read_javascript_form(Reader *r, Fields *f)
{
	if (!read_month_name(r, f) || !read_char(r, ' '))
		return ATID_DATETIME_FORM;
	f->day_at = r->at;
	if (!read_digits(r, 2, &f->day) ||
		!read_char(r, ' ') || !read_digits(r, 4, &f->year) || f->year < 100 ||
		!read_char(r, ' '))
		return ATID_DATETIME_FORM;
	if (!read_time(r, f, false))
		return ATID_DATETIME_TIME;

	if (!read_char(r, ' ') || !read_word(r, "GMT"))
		return ATID_DATETIME_ZONE;
	f->zone_at = r->at;
	if (!read_sloppy_offset(r, f, false))
		return ATID_DATETIME_ZONE;
	return read_comment(r) ? ATID_OK : ATID_DATETIME_TRAILING;
}

AtidFault
atid_datetime_parse_sloppy(const char *s, size_t len, int64_t *us, size_t *at)
{
	Reader		r = {s, len, 0};
	Fields		f;
	AtidFault	fault;

	if (atid_datetime_parse(s, len, us, at) == ATID_OK)
		return ATID_OK;

	if (len > 2 && atid_is_digit(s[0]) && atid_is_digit(s[1]) && atid_is_digit(s[2]))
		fault = read_iso_form(&r, &f);
	else if (!read_weekday(&r) || read_word(&r, ", "))
		fault = read_mail_form(&r, &f);
	else if (read_char(&r, ' '))
		fault = read_javascript_form(&r, &f);
	else
		fault = ATID_DATETIME_FORM;

	if (fault == ATID_OK && !at_end(&r))
		fault = ATID_DATETIME_TRAILING;
	*at = r.at;
	return fault != ATID_OK ? fault : check_fields(&f, us, at);
}


/*
 * Faults
 */

bool
atid_datetime_fault_is_syntax(AtidFault fault)
{
	ATID_STATIC_ASSERT(ATID_DATETIME_FORM == ATID_DATETIME_DATE + 8 &&
					   ATID_DATETIME_MONTH == ATID_DATETIME_FORM + 1);
	return fault >= ATID_DATETIME_DATE && fault <= ATID_DATETIME_FORM;
}


/*
 * Writing
 */

/* Write the last n digits of a value. */
static void
write_digits(char *s, int n, int value)
{
	while (n-- > 0)
	{
		s[n] = (char) ('0' + value % 10);
		value /= 10;
	}
}

size_t
atid_datetime_format(int64_t us, int digits, char *s)
{
	int64_t		since = us - ATID_DATETIME_MIN_US;	/* not negative */
	int			day = (int) (since / US_PER_DAY);	/* from 0000-01-01 */
	int64_t		of_day = since % US_PER_DAY;
	int			second = (int) (of_day / US_PER_SECOND);
	int			fraction = (int) (of_day % US_PER_SECOND);
	int			year = (int) (day * INT64_C(400) / 146097);
	int			month = 1;

	/* by the mean length of a year, it can be one off */
	if (days_before_year(year + 1) <= day)
		year++;
	if (days_before_year(year) > day)
		year--;
	while (month < 12 && days_before_month(year, month + 1) <= day)
		month++;
	for (int i = digits; i < 6; i++)
		fraction /= 10;

	ATID_ASSERT(us >= ATID_DATETIME_MIN_US && us <= ATID_DATETIME_MAX_US && digits <= 6);
	ATID_ASSERT(days_before_year(year) <= day && day < days_before_year(year + 1));
	memcpy(s, "YYYY-MM-DDThh:mm:ss.", 20);
	write_digits(s, 4, year);
	write_digits(s + 5, 2, month);
	write_digits(s + 8, 2, day - days_before_month(year, month) + 1);
	write_digits(s + 11, 2, second / 3600);
	write_digits(s + 14, 2, second / 60 % 60);
	write_digits(s + 17, 2, second % 60);
	write_digits(s + 20, digits, fraction);
	s[20 + digits] = 'Z';
	return 21 + (size_t) digits;
}
