/*-------------------------------------------------------------------------
 *
 * block_text.c
 *		Texts of a packed block that are not kept as they are.
 *
 * Strings of the dictionary are found first.  Then the first characters of a text decide
 * which form it may have.  A form is taken only if the text that it stands for is this
 * one, to the letter: so of datetimes only the spelling with all its parts and with a
 * time that there is, and of CIDs only the one without spare bits.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/block_text.h"

#include <string.h>

#include "codec/ascii.h"
#include "codec/assert.h"
#include "codec/cbor/multiformat.h"
#include "codec/text/base32.h"
#include "codec/text/packed.h"
#include "codec/text/tid.h"

#define PLC_PREFIX		"did:plc:"
#define PLC_PREFIX_LEN	8
#define PLC_DIGITS		24
#define PLC_BLOCKS		3
#define PLC_TEXT_LEN	(PLC_PREFIX_LEN + PLC_DIGITS)

#define SCHEME			"at://"
#define SCHEME_LEN		5
#define AUTHORITY_LEN	(SCHEME_LEN + PLC_TEXT_LEN)

#define POST			"app.bsky.feed.post"
#define POST_LEN		18

#define CID_TEXT_LEN	59		/* "b" and 36 bytes in base32 */

#define HTTPS			"https://www."
#define HTTPS_LEN		8
#define HTTPS_WWW_LEN	12

static uint8_t *
put_number(uint8_t *dst, uint64_t value, int len)
{
	for (int i = len - 1; i >= 0; i--)
	{
		dst[i] = (uint8_t) value;
		value >>= 8;
	}
	return dst + len;
}

/* Bytes behind their length, which has a byte. */
static uint8_t *
put_short(uint8_t *dst, const char *str, size_t len)
{
	*dst++ = (uint8_t) len;
	memcpy(dst, str, len);
	return dst + len;
}

/*
 * Datetimes
 */

#define TIME_LEN		19		/* YYYY-MM-DDThh:mm:ss */
#define DIGITS_MAX		9
#define DAY				86400
#define OFFSET_MAX		(24 * 4)	/* quarters of an hour */

/* 9999-12-31T23:59:59Z, and the second at which the nanoseconds no longer have 64 bits */
#define SECONDS_MAX		UINT64_C(253402300799)
#define NS_SECONDS_END	(UINT64_MAX / UINT64_C(1000000000))

static const uint32_t power_of_ten[DIGITS_MAX + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000
};

/* A datetime: "YYYY-MM-DDThh:mm:ss", digits behind a point, and an offset. */
typedef struct Time
{
	uint64_t	seconds;		/* since 1970, as its own clock shows them */
	uint32_t	fraction;		/* the number that the digits are */
	int			digits;			/* 0: there is no point */
	bool		zulu;			/* "Z" */
	int			offset;			/* else so many quarters of an hour */
} Time;

/* Two digits; -1 if they are none. */
static inline int
two_digits(const char *s)
{
	return atid_is_digit(s[0]) && atid_is_digit(s[1]) ? (s[0] - '0') * 10 + (s[1] - '0') : -1;
}

static inline bool
is_leap_year(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline int
days_of_month(int year, int month)
{
	static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap_year(year));
}

/* Days from 1970-01-01 to a day of the years 1970 to 9999; March is the first month. */
static inline uint64_t
days_of_date(int year, int month, int day)
{
	int			y = month > 2 ? year : year - 1;
	int			m = month > 2 ? month - 3 : month + 9;

	return (uint64_t) (365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468);
}

/* The reverse. */
static inline void
date_of_days(uint64_t days, int *year, int *month, int *day)
{
	uint32_t	n = (uint32_t) days + 719468;
	uint32_t	era = n / 146097;
	uint32_t	of_era = n % 146097;
	uint32_t	y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint32_t	of_year = of_era - (365 * y + y / 4 - y / 100);
	uint32_t	m = (5 * of_year + 2) / 153;

	*day = (int) (of_year - (153 * m + 2) / 5 + 1);
	*month = (int) (m < 10 ? m + 3 : m - 9);
	*year = (int) (era * 400 + y + (*month <= 2));
}

/*
 * Read a datetime of the years 1970 to 9999 in the one spelling that write_time() has.
 */
static bool
read_time(const char *s, size_t len, Time *time)
{
	const char *p = s + TIME_LEN;
	const char *end = s + len;
	int			century = two_digits(s);
	int			of_century = two_digits(s + 2);
	int			month = two_digits(s + 5);
	int			day = two_digits(s + 8);
	int			hour = two_digits(s + 11);
	int			minute = two_digits(s + 14);
	int			second = two_digits(s + 17);
	int			year = century * 100 + of_century;

	ATID_ASSERT(len > TIME_LEN);
	if (century < 0 || of_century < 0 || year < 1970 || month < 1 || month > 12 || day < 1 ||
		day > days_of_month(year, month) || hour < 0 || hour > 23 || minute < 0 ||
		minute > 59 || second < 0 || second > 59 || s[4] != '-' || s[7] != '-' ||
		s[10] != 'T' || s[13] != ':' || s[16] != ':')
		return false;
	time->seconds = days_of_date(year, month, day) * DAY +
		(uint64_t) ((hour * 60 + minute) * 60 + second);

	time->digits = 0;
	time->fraction = 0;
	if (*p == '.')
	{
		for (p++; p < end && atid_is_digit(*p); p++)
		{
			if (time->digits == DIGITS_MAX)
				return false;
			time->fraction = time->fraction * 10 + (uint32_t) (*p - '0');
			time->digits++;
		}
		if (time->digits == 0)
			return false;
	}

	time->zulu = end - p == 1 && *p == 'Z';
	time->offset = 0;
	if (time->zulu)
		return true;
	if (end - p != 6 || (p[0] != '+' && p[0] != '-') || p[3] != ':')
		return false;
	hour = two_digits(p + 1);
	minute = two_digits(p + 4);
	if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || minute % 15 != 0)
		return false;
	time->offset = hour * 4 + minute / 15;
	if (p[0] == '-')
	{
		if (time->offset == 0)
			return false;
		time->offset = -time->offset;
	}
	return true;
}

static inline char *
put_two(char *s, int value)
{
	s[0] = (char) ('0' + value / 10);
	s[1] = (char) ('0' + value % 10);
	return s + 2;
}

/* Returns the end. */
static char *
write_time(const Time *time, char *s)
{
	uint32_t	of_day = (uint32_t) (time->seconds % DAY);
	int			offset = time->offset < 0 ? -time->offset : time->offset;
	int			year;
	int			month;
	int			day;

	ATID_ASSERT(time->seconds <= SECONDS_MAX && time->digits <= DIGITS_MAX);
	date_of_days(time->seconds / DAY, &year, &month, &day);
	s = put_two(s, year / 100);
	s = put_two(s, year % 100);
	*s++ = '-';
	s = put_two(s, month);
	*s++ = '-';
	s = put_two(s, day);
	*s++ = 'T';
	s = put_two(s, (int) (of_day / 3600));
	*s++ = ':';
	s = put_two(s, (int) (of_day / 60 % 60));
	*s++ = ':';
	s = put_two(s, (int) (of_day % 60));
	if (time->digits > 0)
	{
		uint32_t	fraction = time->fraction;

		*s++ = '.';
		for (int i = time->digits - 1; i >= 0; i--)
		{
			s[i] = (char) ('0' + fraction % 10);
			fraction /= 10;
		}
		s += time->digits;
	}
	if (time->zulu)
	{
		*s++ = 'Z';
		return s;
	}
	*s++ = time->offset < 0 ? '-' : '+';
	s = put_two(s, offset / 4);
	*s++ = ':';
	return put_two(s, offset % 4 * 15);
}

/* Nanoseconds, of which the digits are those in front. */
static inline uint64_t
ns_of_time(const Time *time)
{
	return time->seconds * UINT64_C(1000000000) +
		time->fraction * (uint64_t) power_of_ten[DIGITS_MAX - time->digits];
}

static size_t
pack_time(const char *str, size_t len, uint8_t *dst)
{
	Time		time;
	bool		utc;
	uint8_t    *p = dst + 1;

	if (len <= TIME_LEN || !read_time(str, len, &time))
		return 0;
	utc = time.zulu || time.offset == 0;
	if (time.zulu && time.digits == 0 && time.seconds <= UINT32_MAX)
	{
		dst[0] = BLOCK_TIME_S;
		p = put_number(p, time.seconds, 4);
	}
	else if (utc && time.digits == 3 && time.seconds * 1000 >= BLOCK_2020_MS &&
			 (time.seconds * 1000 + time.fraction - BLOCK_2020_MS) >> 40 == 0)
	{
		dst[0] = time.zulu ? BLOCK_TIME_MS_2020 : BLOCK_TIME_MS_2020_ZERO;
		p = put_number(p, time.seconds * 1000 + time.fraction - BLOCK_2020_MS, 5);
	}
	else if (time.zulu && time.digits == 3)
	{
		dst[0] = BLOCK_TIME_MS;
		p = put_number(p, time.seconds * 1000 + time.fraction, 6);
	}
	else if (utc && time.digits == 6 &&
			 (time.seconds * 1000000 + time.fraction) >> 56 == 0)
	{
		dst[0] = time.zulu ? BLOCK_TIME_US : BLOCK_TIME_US_ZERO;
		p = put_number(p, time.seconds * 1000000 + time.fraction, 7);
	}
	else if (time.seconds < NS_SECONDS_END)
	{
		dst[0] = time.zulu ? BLOCK_TIME_NS : utc ? BLOCK_TIME_NS_ZERO : BLOCK_TIME_OFFSET;
		*p++ = (uint8_t) time.digits;
		if (!utc)
			*p++ = (uint8_t) time.offset;
		p = put_number(p, ns_of_time(&time), 8);
	}
	else
		return 0;
	return (size_t) (p - dst);
}

/*
 * The time of nanoseconds with so many digits.  False if no packed time is so.
 */
static bool
time_of_ns(uint64_t ns, unsigned digits, Time *time)
{
	uint32_t	fraction = (uint32_t) (ns % UINT64_C(1000000000));

	if (digits > DIGITS_MAX || fraction % power_of_ten[DIGITS_MAX - digits] != 0)
		return false;
	time->seconds = ns / UINT64_C(1000000000);
	time->digits = (int) digits;
	time->fraction = fraction / power_of_ten[DIGITS_MAX - digits];
	return true;
}

static const uint8_t *
restore_time(unsigned code, const uint8_t *p, const uint8_t *end, char *dst, size_t *len)
{
	static const uint8_t sizes[] = {4, 5, 6, 7, 5, 7, 9, 9};	/* from BLOCK_TIME_S on */
	Time		time = {0, 0, 0, true, 0};
	size_t		size = code == BLOCK_TIME_OFFSET ? 10 : sizes[code - BLOCK_TIME_S];
	uint64_t	value;

	if ((size_t) (end - p) < size)
		return NULL;
	value = atid_block_number(p, size < 8 ? size : 0);
	switch (code)
	{
		case BLOCK_TIME_S:
			time.seconds = value;
			break;
		case BLOCK_TIME_MS_2020:
		case BLOCK_TIME_MS_2020_ZERO:
		case BLOCK_TIME_MS:
			if (code != BLOCK_TIME_MS)
				value += BLOCK_2020_MS;
			time.seconds = value / 1000;
			time.fraction = (uint32_t) (value % 1000);
			time.digits = 3;
			time.zulu = code != BLOCK_TIME_MS_2020_ZERO;
			break;
		case BLOCK_TIME_US:
		case BLOCK_TIME_US_ZERO:
			time.seconds = value / 1000000;
			time.fraction = (uint32_t) (value % 1000000);
			time.digits = 6;
			time.zulu = code == BLOCK_TIME_US;
			break;
		case BLOCK_TIME_NS:
		case BLOCK_TIME_NS_ZERO:
			time.zulu = code == BLOCK_TIME_NS;
			if (!time_of_ns(atid_block_number(p + 1, 8), p[0], &time))
				return NULL;
			break;
		default:
			ATID_ASSERT(code == BLOCK_TIME_OFFSET);
			time.zulu = false;
			time.offset = p[1] < 0x80 ? p[1] : p[1] - 0x100;
			if (time.offset == 0 || time.offset >= OFFSET_MAX || time.offset <= -OFFSET_MAX ||
				!time_of_ns(atid_block_number(p + 2, 8), p[0], &time))
				return NULL;
	}
	if (time.seconds > SECONDS_MAX)
		return NULL;
	*len = (size_t) (write_time(&time, dst) - dst);
	return p + size;
}


/*
 * AT URIs of a did:plc
 */

/*
 * Write the code of an AT URI to dst, and behind its account a collection and a key with a slash
 * between them.  Returns the end; NULL where they are not so, or have no form for it.
 */
static uint8_t *
pack_path(const char *path, size_t len, uint8_t *dst)
{
	const char *slash = memchr(path, '/', len);
	uint8_t    *p = dst + 1 + BLOCK_PLC_LEN;
	size_t		collection_len;
	size_t		key_len;
	uint64_t	tid;
	int			number;

	if (slash == NULL)
		return NULL;
	collection_len = (size_t) (slash - path);
	key_len = len - collection_len - 1;
	number = atid_dictionary_find(path, collection_len);
	if (number >= 0 && !atid_dictionary_is_nsid(number))
		number = ATID_DICTIONARY_NONE;

	if (key_len == ATID_TID_TEXT_LEN && atid_tid_from_text(slash + 1, &tid))
	{
		if (collection_len == POST_LEN && memcmp(path, POST, POST_LEN) == 0)
			dst[0] = BLOCK_URI_POST;
		else if (number >= 0)
		{
			dst[0] = BLOCK_URI_TID;
			p = put_number(p, (uint64_t) number, 2);
		}
		else if (collection_len <= UINT8_MAX)
		{
			dst[0] = BLOCK_URI_COLLECTION;
			p = put_short(p, path, collection_len);
		}
		else
			return NULL;
		return put_number(p, tid, BLOCK_TID_LEN);
	}
	if (number < 0 || key_len > UINT8_MAX)
		return NULL;
	dst[0] = BLOCK_URI_KEY;
	return put_short(put_number(p, (uint64_t) number, 2), slash + 1, key_len);
}

/* A text that begins with "at://". */
static size_t
pack_uri(const char *str, size_t len, uint8_t *dst)
{
	const char *rest;
	size_t		rest_len;
	uint8_t    *end = NULL;

	if (len < AUTHORITY_LEN || memcmp(str + SCHEME_LEN, PLC_PREFIX, PLC_PREFIX_LEN) != 0 ||
		!atid_base32_decode_sortable(str + SCHEME_LEN + PLC_PREFIX_LEN, PLC_BLOCKS, dst + 1))
		return 0;
	rest = str + AUTHORITY_LEN;

	rest_len = len - AUTHORITY_LEN;
	if (rest_len > 0 && *rest == '/')
		end = pack_path(rest + 1, rest_len - 1, dst);
	if (end == NULL)
	{
		if (rest_len > UINT8_MAX)
			return 0;
		dst[0] = BLOCK_URI_OTHER;
		end = put_short(dst + 1 + BLOCK_PLC_LEN, rest, rest_len);
	}
	return (size_t) (end - dst);
}

/* Append bytes that are behind their length at p. */
static const uint8_t *
restore_rest(const uint8_t *p, const uint8_t *end, char *dst, size_t *len)
{
	size_t		n;

	if (p == end || (n = *p) > (size_t) (end - p) - 1)
		return NULL;
	memcpy(dst + *len, p + 1, n);
	*len += n;
	return p + 1 + n;
}

static const uint8_t *
restore_uri(unsigned code, const uint8_t *p, const uint8_t *end, char *dst, size_t *len,
			AtidBlockState *state)
{
	if ((size_t) (end - p) < BLOCK_PLC_LEN)
		return NULL;
	memcpy(dst, SCHEME PLC_PREFIX, SCHEME_LEN + PLC_PREFIX_LEN);
	atid_base32_encode_sortable(p, PLC_BLOCKS, dst + SCHEME_LEN + PLC_PREFIX_LEN);
	*len = AUTHORITY_LEN;
	p += BLOCK_PLC_LEN;
	if (code == BLOCK_URI_OTHER)
		return restore_rest(p, end, dst, len);

	dst[(*len)++] = '/';
	if (code == BLOCK_URI_POST)
	{
		memcpy(dst + *len, POST, POST_LEN);
		*len += POST_LEN;
	}
	else if (code == BLOCK_URI_COLLECTION)
	{
		p = restore_rest(p, end, dst, len);
		if (p == NULL)
			return NULL;
	}
	else
	{
		const char *collection;
		size_t		collection_len;
		int			number;

		if (end - p < 2)
			return NULL;
		number = (int) atid_block_number(p, 2);
		p += 2;
		if (number >= atid_dictionary_strings)
		{
			*state = ATID_BLOCK_NEWER;
			return NULL;
		}
		if (!atid_dictionary_is_nsid(number))
			return NULL;
		collection = atid_dictionary_string(number, &collection_len);
		memcpy(dst + *len, collection, collection_len);
		*len += collection_len;
	}
	dst[(*len)++] = '/';
	if (code == BLOCK_URI_KEY)
		return restore_rest(p, end, dst, len);
	if ((size_t) (end - p) < BLOCK_TID_LEN)
		return NULL;
	atid_tid_to_text(atid_block_number(p, BLOCK_TID_LEN), dst + *len);
	*len += ATID_TID_TEXT_LEN;
	return p + BLOCK_TID_LEN;
}


/*
 * All texts
 */

static size_t
pack_https(const char *str, size_t len, uint8_t *dst)
{
	bool		www = len >= HTTPS_WWW_LEN && memcmp(str, HTTPS, HTTPS_WWW_LEN) == 0;
	size_t		prefix_len = www ? HTTPS_WWW_LEN : HTTPS_LEN;

	if (len - prefix_len > UINT8_MAX)
		return 0;
	dst[0] = www ? BLOCK_HTTPS_WWW : BLOCK_HTTPS;
	return (size_t) (put_short(dst + 1, str + prefix_len, len - prefix_len) - dst);
}

static size_t
pack_cid(const char *str, uint8_t *dst)
{
	uint8_t		cid[ATID_CID_BLESSED_LEN];
	size_t		at;

	if (atid_base32_decode(str + 1, CID_TEXT_LEN - 1, cid, &at) != ATID_OK ||
		!atid_cid_is_blessed(cid, sizeof(cid)))
		return 0;
	dst[0] = cid[1] == ATID_CODEC_RAW ? BLOCK_CID_RAW : BLOCK_CID_CBOR;
	memcpy(dst + 1, cid + 4, ATID_SHA2_256_LEN);
	return 1 + ATID_SHA2_256_LEN;
}

static size_t
pack_string(int number, uint8_t *dst)
{
	if (number < BLOCK_STRINGS_SHORT)
	{
		dst[0] = (uint8_t) (BLOCK_STRING_SHORT + number);
		return 1;
	}
	number -= BLOCK_STRINGS_SHORT;
	if (number < BLOCK_STRINGS_11)
	{
		dst[0] = (uint8_t) (BLOCK_STRING_11 + (number >> 8));
		dst[1] = (uint8_t) number;
		return 2;
	}
	dst[0] = BLOCK_STRING_16;
	put_number(dst + 1, (uint64_t) (number - BLOCK_STRINGS_11), 2);
	return 3;
}

size_t
atid_block_text_pack(const char *str, size_t len, uint8_t *dst)
{
	uint64_t	tid;
	int			number = atid_dictionary_find(str, len);

	if (number >= 0)
		return pack_string(number, dst);
	if (len < HTTPS_LEN || len > ATID_BLOCK_TEXT_MAX)
		return 0;
	switch (str[0])
	{
		case 'a':
			if (memcmp(str, SCHEME, SCHEME_LEN) == 0)
				return pack_uri(str, len, dst);
			break;
		case 'b':
			if (len == CID_TEXT_LEN)
				return pack_cid(str, dst);
			break;
		case 'd':
			if (len == PLC_TEXT_LEN && memcmp(str, PLC_PREFIX, PLC_PREFIX_LEN) == 0 &&
				atid_base32_decode_sortable(str + PLC_PREFIX_LEN, PLC_BLOCKS, dst + 1))
			{
				dst[0] = BLOCK_PLC;
				return 1 + BLOCK_PLC_LEN;
			}
			break;
		case 'h':
			if (memcmp(str, HTTPS, HTTPS_LEN) == 0)
				return pack_https(str, len, dst);
			break;
		default:
			if (atid_is_digit(str[0]) && str[4] == '-')
				return pack_time(str, len, dst);
	}
	if (len == ATID_TID_TEXT_LEN && atid_tid_from_text(str, &tid))
	{
		dst[0] = BLOCK_TID;
		put_number(dst + 1, tid, BLOCK_TID_LEN);
		return 1 + BLOCK_TID_LEN;
	}
	return 0;
}

const uint8_t *
atid_block_text_restore(unsigned code, const uint8_t *p, const uint8_t *end, char *dst, size_t *len,
						AtidBlockState *state)
{
	*state = ATID_BLOCK_DAMAGED;
	switch (code)
	{
		case BLOCK_CID_CBOR:
		case BLOCK_CID_RAW:
			{
				uint8_t		cid[ATID_CID_BLESSED_LEN] = {
					1, code == BLOCK_CID_RAW ? ATID_CODEC_RAW : ATID_CODEC_DAG_CBOR,
					ATID_HASH_SHA2_256, ATID_SHA2_256_LEN
				};

				if ((size_t) (end - p) < ATID_SHA2_256_LEN)
					return NULL;
				memcpy(cid + 4, p, ATID_SHA2_256_LEN);
				dst[0] = 'b';
				atid_base32_encode(cid, sizeof(cid), dst + 1);
				*len = CID_TEXT_LEN;
				return p + ATID_SHA2_256_LEN;
			}
		case BLOCK_PLC:
			if ((size_t) (end - p) < BLOCK_PLC_LEN)
				return NULL;
			memcpy(dst, PLC_PREFIX, PLC_PREFIX_LEN);
			atid_base32_encode_sortable(p, PLC_BLOCKS, dst + PLC_PREFIX_LEN);
			*len = PLC_TEXT_LEN;
			return p + BLOCK_PLC_LEN;
		case BLOCK_URI_TID:
		case BLOCK_URI_POST:
		case BLOCK_URI_OTHER:
		case BLOCK_URI_KEY:
		case BLOCK_URI_COLLECTION:
			return restore_uri(code, p, end, dst, len, state);
		case BLOCK_TID:
			if ((size_t) (end - p) < BLOCK_TID_LEN)
				return NULL;
			atid_tid_to_text(atid_block_number(p, BLOCK_TID_LEN), dst);
			*len = ATID_TID_TEXT_LEN;
			return p + BLOCK_TID_LEN;
		case BLOCK_HTTPS:
		case BLOCK_HTTPS_WWW:
			*len = code == BLOCK_HTTPS ? HTTPS_LEN : HTTPS_WWW_LEN;
			memcpy(dst, HTTPS, HTTPS_WWW_LEN);
			return restore_rest(p, end, dst, len);
	}
	return restore_time(code, p, end, dst, len);
}

size_t
atid_block_at_uri(const uint8_t *p, const uint8_t *end, uint8_t *dst)
{
	unsigned	code = *p++;
	const char *collection = POST;
	size_t		collection_len = POST_LEN;
	size_t		of_collection;
	int			number;

	switch (code)
	{
		case BLOCK_PLC:
			if ((size_t) (end - p) < BLOCK_PLC_LEN)
				return 0;
			dst[0] = ATID_AT_URI_OF_PLC;
			memcpy(dst + 1, p, BLOCK_PLC_LEN);
			return 1 + BLOCK_PLC_LEN;
		case BLOCK_URI_POST:
			break;
		case BLOCK_URI_TID:
			if ((size_t) (end - p) < BLOCK_PLC_LEN + 2)
				return 0;
			number = (int) atid_block_number(p + BLOCK_PLC_LEN, 2);
			if (number >= atid_dictionary_strings || !atid_dictionary_is_nsid(number))
				return 0;
			collection = atid_dictionary_string(number, &collection_len);
			break;
		default:
			return 0;
	}
	of_collection = code == BLOCK_URI_TID ? 2 : 0;
	if ((size_t) (end - p) < BLOCK_PLC_LEN + of_collection + BLOCK_TID_LEN)
		return 0;
	dst[0] = ATID_AT_URI_OF_PLC_AND_TID;
	memcpy(dst + 1, p, BLOCK_PLC_LEN);
	p += BLOCK_PLC_LEN + of_collection;
	dst += 1 + BLOCK_PLC_LEN;
	memcpy(dst, collection, collection_len);
	dst[collection_len] = '/';
	memcpy(dst + collection_len + 1, p, BLOCK_TID_LEN);
	return 1 + BLOCK_PLC_LEN + collection_len + 1 + BLOCK_TID_LEN;
}

const uint8_t *
atid_block_string(unsigned code, const uint8_t *p, const uint8_t *end, int *number,
				  AtidBlockState *state)
{
	int			extra = code == BLOCK_STRING_16 ? 2 : code >= BLOCK_STRING_11 ? 1 : 0;

	*state = ATID_BLOCK_DAMAGED;
	if (end - p < extra)
		return NULL;
	switch (extra)
	{
		case 0:
			*number = (int) (code - BLOCK_STRING_SHORT);
			break;
		case 1:
			*number = BLOCK_STRINGS_SHORT + (int) ((code - BLOCK_STRING_11) << 8 | p[0]);
			break;
		default:
			*number = BLOCK_STRINGS_SHORT + BLOCK_STRINGS_11 + (int) atid_block_number(p, 2);
	}
	if (*number < atid_dictionary_strings)
		return p + extra;
	*state = ATID_BLOCK_NEWER;
	return NULL;
}
