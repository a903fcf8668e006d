/*-------------------------------------------------------------------------
 *
 * json.c
 *		The values of JSON tokens: numbers that are integers, and strings.
 *
 * Format (RFC 8259, sections 6 and 7).  The tokens come from a lexer, which has
 * checked their form: a number is an optional minus, digits, optionally a point
 * and digits, and optionally an exponent; in a string, a backslash begins one of
 * the escapes of JSON, and \u has four hexadecimal digits behind it.
 *
 * A number is an integer if its value is one, however it is written: 123.0, 1e3
 * and 0e-5 are.  It is never rounded.  A string may hold U+0000; half of a
 * surrogate pair is no character.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/json.h"

#include "codec/assert.h"

/* All exponents beyond this are alike, as no text has so many digits. */
#define EXPONENT_MAX	INT64_C(1000000000000)

/* More digits than this before the point are beyond 64 bits. */
#define INTEGRAL_DIGITS_MAX 19

static int64_t
read_exponent(const char *s, size_t len)
{
	bool		negative = len > 0 && s[0] == '-';
	int64_t		value = 0;

	for (size_t i = len > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0; i < len; i++)
	{
		if (value < EXPONENT_MAX)
			value = value * 10 + (s[i] - '0');
	}
	return negative ? -value : value;
}

AtidFault
atid_json_integer(const char *s, size_t len, int64_t *value)
{
	bool		negative = len > 0 && s[0] == '-';
	uint64_t	limit = negative ? (uint64_t) INT64_MAX + 1 : INT64_MAX;
	size_t		end = negative ? 1 : 0;
	size_t		point;
	size_t		first = len;	/* the first digit that is not 0 */
	size_t		last = len;		/* and the last */
	int64_t		exponent = 0;
	int64_t		before;			/* digits from the first to the point */
	int64_t		after;			/* digits from the point to the last */
	uint64_t	integral = 0;

	point = len;
	for (; end < len && s[end] != 'e' && s[end] != 'E'; end++)
	{
		if (s[end] == '.')
			point = end;
		else if (s[end] != '0')
		{
			first = first == len ? end : first;
			last = end;
		}
	}
	if (end < len)
		exponent = read_exponent(s + end + 1, len - end - 1);
	if (point == len)
		point = end;
	if (first == len)
	{
		*value = 0;
		return ATID_OK;
	}

	/* positions count the point too, which is between the digits */
	before = (int64_t) point - (int64_t) first + (first > point ? 1 : 0) + exponent;
	after = (int64_t) last - (int64_t) point + (last < point ? 1 : 0) - exponent;
	if (before > INTEGRAL_DIGITS_MAX)
		return ATID_CBOR_RANGE;
	for (size_t at = first; before > 0; before--)
	{
		integral = integral * 10 + (at <= last ? (uint64_t) (s[at] - '0') : 0);
		at += at + 1 == point ? 2 : 1;
	}
	if (integral > limit || (integral == limit && after > 0))
		return ATID_CBOR_RANGE;
	if (after > 0)
		return ATID_JSON_FRACTION;
	*value = negative ? (int64_t) (0 - integral) : (int64_t) integral;
	return ATID_OK;
}

/* The four hexadecimal digits behind \u. */
static unsigned
read_code_unit(const char *s)
{
	unsigned	value = 0;

	for (int i = 0; i < 4; i++)
	{
		unsigned	c = (unsigned char) s[i];

		value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return value & 0xFFFF;
}

static char *
put_utf8(char *dst, unsigned code)
{
	if (code < 0x80)
		*dst++ = (char) code;
	else if (code < 0x800)
	{
		*dst++ = (char) (0xC0 | code >> 6);
		*dst++ = (char) (0x80 | (code & 0x3F));
	}
	else if (code < 0x10000)
	{
		*dst++ = (char) (0xE0 | code >> 12);
		*dst++ = (char) (0x80 | (code >> 6 & 0x3F));
		*dst++ = (char) (0x80 | (code & 0x3F));
	}
	else
	{
		*dst++ = (char) (0xF0 | code >> 18);
		*dst++ = (char) (0x80 | (code >> 12 & 0x3F));
		*dst++ = (char) (0x80 | (code >> 6 & 0x3F));
		*dst++ = (char) (0x80 | (code & 0x3F));
	}
	return dst;
}

bool
atid_json_unescape(const char **from, const char *stop, const char *end, char **to)
{
	const char *src = *from;
	char	   *dst = *to;

	while (src < stop)
	{
		unsigned	code;

		if (*src != '\\')
		{
			*dst++ = *src++;
			continue;
		}
		if (end - src < 2)
			return false;
		src += 2;
		switch (src[-1])
		{
			case 'b':
				*dst++ = '\b';
				continue;
			case 'f':
				*dst++ = '\f';
				continue;
			case 'n':
				*dst++ = '\n';
				continue;
			case 'r':
				*dst++ = '\r';
				continue;
			case 't':
				*dst++ = '\t';
				continue;
			case 'u':
				break;
			default:			/* a quote, a slash or a backslash */
				*dst++ = src[-1];
				continue;
		}

		if (end - src < 4)
			return false;
		code = read_code_unit(src);
		src += 4;
		if (code >= 0xD800 && code < 0xE000)
		{
			unsigned	low;

			if (code >= 0xDC00 || end - src < 6 || src[0] != '\\' || src[1] != 'u')
				return false;
			low = read_code_unit(src + 2);
			if (low < 0xDC00 || low >= 0xE000)
				return false;
			src += 6;
			code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
		}
		dst = put_utf8(dst, code);
		/* an escape is longer than what it stands for */
		ATID_ASSERT(dst - *to <= src - *from);
	}
	*from = src;
	*to = dst;
	return true;
}
