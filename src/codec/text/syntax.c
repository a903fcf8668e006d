/*-------------------------------------------------------------------------
 *
 * syntax.c
 *		The textual forms of a UUID, and ULIDs.  The protocol's names are in address.c,
 *		TIDs in tid.c.
 *
 * All forms are subsets of ASCII.  A string is a pointer and a length in bytes;
 * it needs no terminator and may hold any bytes: a byte above 0x7F is in none of the
 * alphabets, so the encoding does not matter.
 *
 * Pure code: no server, no allocation, no state, no locale (so no functions
 * of ctype.h).
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/syntax.h"

#include <string.h>

#include "codec/ascii.h"

/*
 * Parse the decimal digits of an integer below 2^128, without leading zeros,
 * into 16 bytes, big-endian.
 */
static bool
parse_decimal_128(const char *s, size_t len, uint8_t bytes[16])
{
	if (len == 0 || (s[0] == '0' && len > 1))
		return false;

	memset(bytes, 0, 16);
	for (size_t i = 0; i < len; i++)
	{
		unsigned int carry;

		if (!atid_is_digit(s[i]))
			return false;
		carry = (unsigned int) (s[i] - '0');
		for (int j = 15; j >= 0; j--)
		{
			carry += bytes[j] * 10u;
			bytes[j] = (uint8_t) carry;
			carry >>= 8;
		}
		if (carry != 0)
			return false;
	}
	return true;
}

/* Crockford's base32, by value: no I, L, O and U. */
static const char ulid_digit[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* The value of a character of a ULID, or -1. */
static int
ulid_value(char c)
{
	const char *digit;

	if (c >= 'a' && c <= 'z')
		c = (char) (c - ('a' - 'A'));
	digit = c != '\0' ? strchr(ulid_digit, c) : NULL;
	return digit != NULL ? (int) (digit - ulid_digit) : -1;
}

/*
 * Parse the 26 characters of a ULID: 130 bits, of which the first two must be zero.
 */
static bool
parse_ulid(const char *s, uint8_t bytes[16])
{
	unsigned	bits = 0;
	int			count = -2;		/* of the bits that are kept */
	int			n = 0;

	for (int i = 0; i < ATID_ULID_LEN; i++)
	{
		int			value = ulid_value(s[i]);

		if (value < 0 || (i == 0 && value > 7))
			return false;
		bits = bits << 5 | (unsigned) value;
		count += 5;
		if (count >= 8)
		{
			count -= 8;
			bytes[n++] = (uint8_t) (bits >> count);
			bits &= (1u << count) - 1;
		}
	}
	return true;
}

void
atid_ulid_to_text(const uint8_t bytes[16], char dst[ATID_ULID_LEN])
{
	unsigned	bits = 0;
	int			count = 2;
	int			n = 0;

	for (int i = 0; i < ATID_ULID_LEN; i++)
	{
		if (count < 5)
		{
			bits = bits << 8 | bytes[n++];
			count += 8;
		}
		count -= 5;
		dst[i] = ulid_digit[bits >> count];
		bits &= (1u << count) - 1;
	}
}

bool
atid_syntax_uuid(const char *s, size_t len, uint8_t bytes[16])
{
	static const char urn[] = "urn:uuid:";
	static const char oid[] = "2.25.";
	const size_t arc = sizeof(oid) - 1;
	bool		dashes;

	if (len > arc && memcmp(s, oid, arc) == 0)
		return parse_decimal_128(s + arc, len - arc, bytes);
	if (len == ATID_ULID_LEN)
		return parse_ulid(s, bytes);

	if (len == 45)
	{
		for (size_t i = 0; i < 9; i++)
		{
			/* 0x20 makes a letter lower case, but makes 0x1A a ':' too */
			if (urn[i] == ':' ? s[i] != ':' : (s[i] | 0x20) != urn[i])
				return false;
		}
		s += 9;
		len -= 9;
	}
	else if ((len == 38 || len == 34) && s[0] == '{' && s[len - 1] == '}')
	{
		s++;
		len -= 2;
	}
	if (len != 36 && len != 32)
		return false;
	dashes = (len == 36);

	for (int i = 0; i < 16; i++)
	{
		int			high;
		int			low;

		if (dashes && (i == 4 || i == 6 || i == 8 || i == 10) && *s++ != '-')
			return false;
		high = atid_hex_value(*s++);
		low = atid_hex_value(*s++);
		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t) (high << 4 | low);
	}
	return true;
}
