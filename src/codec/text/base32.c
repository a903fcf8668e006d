/*-------------------------------------------------------------------------
 *
 * base32.c
 *		The two base32 alphabets: the sortable one, of TIDs, and that of RFC 4648 for CIDs.
 *
 * The sortable alphabet, "234567abcdefghijklmnopqrstuvwxyz", is in ASCII order, so texts sort
 * as what they stand for.  tid.c writes TIDs with it.
 *
 * A CID's text is the base32 of RFC 4648 section 6 in lower case, without
 * padding (multibase "base32"): bytes of any number, five bits to a character
 * of "abcdefghijklmnopqrstuvwxyz234567", the most significant first.  This text
 * does not sort as the bytes do, because the digits stand for the highest values
 * and sort before the letters.
 *
 * Five bytes make eight characters.  A rest of one to four bytes makes 2, 4, 5 or
 * 7 characters with 2, 4, 1 or 3 spare bits.  These must be zero, so that bytes
 * have one text only (RFC 4648 section 3.5).
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/base32.h"

const char	atid_sortable_digit[33] = "234567abcdefghijklmnopqrstuvwxyz";

const uint8_t atid_sortable_value[256] = {
	['2'] = 1,['3'] = 2,['4'] = 3,['5'] = 4,['6'] = 5,['7'] = 6,
	['a'] = 7,['b'] = 8,['c'] = 9,['d'] = 10,['e'] = 11,['f'] = 12,['g'] = 13,
	['h'] = 14,['i'] = 15,['j'] = 16,['k'] = 17,['l'] = 18,['m'] = 19,['n'] = 20,
	['o'] = 21,['p'] = 22,['q'] = 23,['r'] = 24,['s'] = 25,['t'] = 26,['u'] = 27,
	['v'] = 28,['w'] = 29,['x'] = 30,['y'] = 31,['z'] = 32,
};

bool
atid_base32_decode_sortable(const char *src, size_t blocks, uint8_t *dst)
{
	uint32_t	seen = 0;

	for (; blocks > 0; blocks--)
	{
		uint64_t	bits = 0;

		for (size_t i = 0; i < 8; i++)
		{
			/* a byte that is not in the alphabet becomes all ones */
			uint32_t	value = atid_sortable_value[(unsigned char) *src++] - UINT32_C(1);

			seen |= value;
			bits = (bits << 5) | (value & 31);
		}
		for (size_t i = 0; i < 5; i++)
			*dst++ = (uint8_t) (bits >> (32 - 8 * i));
	}
	return seen <= 31;
}

void
atid_base32_encode_sortable(const uint8_t *src, size_t blocks, char *dst)
{
	for (; blocks > 0; blocks--)
	{
		uint64_t	bits = 0;

		for (size_t i = 0; i < 5; i++)
			bits = (bits << 8) | *src++;
		for (size_t i = 0; i < 8; i++)
			*dst++ = atid_sortable_digit[(bits >> (35 - 5 * i)) & 31];
	}
}


/*
 * RFC 4648, lower case, without padding
 */

static const char rfc4648[] = "abcdefghijklmnopqrstuvwxyz234567";

/* The characters for a rest of 0 to 4 bytes, and the reverse; 0 for a number that cannot be. */
static const uint8_t chars_of_rest[5] = {0, 2, 4, 5, 7};
static const uint8_t bytes_of_rest[8] = {0, 0, 1, 0, 2, 3, 0, 4};

/* The value of a character plus one; 0 for a byte that is not in the alphabet. */
static const uint8_t rfc4648_value[256] = {
	['a'] = 1,['b'] = 2,['c'] = 3,['d'] = 4,['e'] = 5,['f'] = 6,['g'] = 7,
	['h'] = 8,['i'] = 9,['j'] = 10,['k'] = 11,['l'] = 12,['m'] = 13,['n'] = 14,
	['o'] = 15,['p'] = 16,['q'] = 17,['r'] = 18,['s'] = 19,['t'] = 20,['u'] = 21,
	['v'] = 22,['w'] = 23,['x'] = 24,['y'] = 25,['z'] = 26,
	['2'] = 27,['3'] = 28,['4'] = 29,['5'] = 30,['6'] = 31,['7'] = 32,
};

/*
 * Encode one block of up to five bytes.  Missing bytes count as zero, which makes
 * the spare bits zero.
 */
static inline void
encode_base32_block(const uint8_t *src, size_t bytes, char *dst, size_t chars)
{
	uint64_t	bits = 0;

	for (size_t i = 0; i < 5; i++)
		bits = (bits << 8) | (i < bytes ? src[i] : 0);
	for (size_t i = 0; i < chars; i++)
		dst[i] = rfc4648[(bits >> (35 - 5 * i)) & 31];
}

void
atid_base32_encode(const uint8_t *src, size_t len, char *dst)
{
	for (; len >= 5; len -= 5)
	{
		encode_base32_block(src, 5, dst, 8);
		src += 5;
		dst += 8;
	}
	encode_base32_block(src, len, dst, chars_of_rest[len]);
}

/*
 * Decode one block of up to eight characters to 40 bits.  Returns false if one
 * of them is not in the alphabet.
 */
static inline bool
decode_base32_block(const char *src, size_t chars, uint64_t *bits)
{
	uint32_t	seen = 0;

	*bits = 0;
	for (size_t i = 0; i < 8; i++)
	{
		/* a byte that is not in the alphabet becomes all ones */
		uint32_t	value = i < chars ? rfc4648_value[(unsigned char) src[i]] - UINT32_C(1) : 0;

		seen |= value;
		*bits = (*bits << 5) | (value & 31);
	}
	return seen <= 31;
}

/*
 * Find the leftmost character that is not in the alphabet, and say of which
 * kind it is.  There must be one.
 */
static AtidFault
find_bad_character(const char *src, size_t *at)
{
	size_t		i = 0;

	while (rfc4648_value[(unsigned char) src[i]] != 0)
		i++;
	*at = i;
	if (src[i] >= 'A' && src[i] <= 'Z')
		return ATID_BASE32_UPPER;
	return src[i] == '=' ? ATID_BASE32_PADDING : ATID_BASE32_CHARACTER;
}

AtidFault
atid_base32_decode(const char *src, size_t len, uint8_t *dst, size_t *at)
{
	size_t		rest = len % 8;
	size_t		bytes = bytes_of_rest[rest];
	const char *p = src;
	uint64_t	bits;

	for (size_t blocks = len / 8; blocks > 0; blocks--)
	{
		if (!decode_base32_block(p, 8, &bits))
			return find_bad_character(src, at);
		for (size_t i = 0; i < 5; i++)
			*dst++ = (uint8_t) (bits >> (32 - 8 * i));
		p += 8;
	}

	if (!decode_base32_block(p, rest, &bits))
		return find_bad_character(src, at);
	if (rest > 0 && bytes == 0)
	{
		*at = len;
		return ATID_BASE32_LENGTH;
	}
	for (size_t i = 0; i < bytes; i++)
		*dst++ = (uint8_t) (bits >> (32 - 8 * i));
	if ((bits & ((UINT64_C(1) << (40 - 8 * bytes)) - 1)) != 0)
	{
		*at = len - 1;
		return ATID_BASE32_SPARE;
	}
	return ATID_OK;
}
