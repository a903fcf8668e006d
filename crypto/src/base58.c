/*-------------------------------------------------------------------------
 *
 * base58.c
 *		The base58 of Bitcoin (multibase "base58btc"), for short byte strings.
 *
 * The bytes are one big-endian number, written in base 58 with the digits
 * "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz": no 0, O, I, l.
 * A number has no leading zeros, so each leading zero byte is written as one
 * '1' in front of it.  So each byte string has one text, and each text one byte string.
 *
 * Both directions take time quadratic in the length, because each digit is carried
 * through the whole number.  So the length is bounded: a public key has 35 bytes
 * with its codec, or 67 if it is not compressed.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "base58.h"

#include <string.h>

static const char alphabet[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/* The value of a character plus one; 0 if it is not in the alphabet. */
static const uint8_t digit_value[256] = {
	['1'] = 1,['2'] = 2,['3'] = 3,['4'] = 4,['5'] = 5,['6'] = 6,['7'] = 7,['8'] = 8,['9'] = 9,
	['A'] = 10,['B'] = 11,['C'] = 12,['D'] = 13,['E'] = 14,['F'] = 15,['G'] = 16,['H'] = 17,
	['J'] = 18,['K'] = 19,['L'] = 20,['M'] = 21,['N'] = 22,
	['P'] = 23,['Q'] = 24,['R'] = 25,['S'] = 26,['T'] = 27,['U'] = 28,['V'] = 29,['W'] = 30,
	['X'] = 31,['Y'] = 32,['Z'] = 33,
	['a'] = 34,['b'] = 35,['c'] = 36,['d'] = 37,['e'] = 38,['f'] = 39,['g'] = 40,['h'] = 41,
	['i'] = 42,['j'] = 43,['k'] = 44,
	['m'] = 45,['n'] = 46,['o'] = 47,['p'] = 48,['q'] = 49,['r'] = 50,['s'] = 51,['t'] = 52,
	['u'] = 53,['v'] = 54,['w'] = 55,['x'] = 56,['y'] = 57,['z'] = 58,
};

/*
 * A number of up to ATID_BASE58_TEXT_MAX digits of some base, the least
 * significant first, without leading zeros.
 */
typedef struct Number
{
	uint8_t		digits[ATID_BASE58_TEXT_MAX];
	size_t		len;
} Number;

/*
 * number = number * factor + digit, in the given base.
 */
static inline void
multiply_add(Number *number, unsigned base, unsigned factor, unsigned digit)
{
	unsigned	carry = digit;

	for (size_t i = 0; i < number->len; i++)
	{
		carry += number->digits[i] * factor;
		number->digits[i] = (uint8_t) (carry % base);
		carry /= base;
	}
	while (carry > 0 && number->len < sizeof(number->digits))
	{
		number->digits[number->len++] = (uint8_t) (carry % base);
		carry /= base;
	}
}

size_t
atid_base58_encode(const uint8_t *src, size_t len, char dst[ATID_BASE58_TEXT_MAX])
{
	Number		number = {.len = 0};
	size_t		zeros = 0;
	size_t		n;

	while (zeros < len && src[zeros] == 0)
		zeros++;
	for (size_t i = zeros; i < len; i++)
		multiply_add(&number, 58, 256, src[i]);

	memset(dst, '1', zeros);
	n = zeros;
	for (size_t i = number.len; i > 0; i--)
		dst[n++] = alphabet[number.digits[i - 1]];
	return n;
}

bool
atid_base58_is_digit(char c)
{
	return digit_value[(unsigned char) c] != 0;
}

AtidFault
atid_base58_decode(const char *src, size_t len, uint8_t dst[ATID_BASE58_TEXT_MAX],
				   size_t *dst_len, size_t *at)
{
	Number		number = {.len = 0};
	size_t		zeros = 0;
	size_t		n;

	if (len > ATID_BASE58_TEXT_MAX)
	{
		*at = ATID_BASE58_TEXT_MAX;
		return ATID_BASE58_LENGTH;
	}
	while (zeros < len && src[zeros] == '1')
		zeros++;
	for (size_t i = zeros; i < len; i++)
	{
		unsigned	value = digit_value[(unsigned char) src[i]];

		if (value == 0)
		{
			*at = i;
			return ATID_BASE58_CHARACTER;
		}
		multiply_add(&number, 256, 58, value - 1);
	}

	memset(dst, 0, zeros);
	n = zeros;
	for (size_t i = number.len; i > 0; i--)
		dst[n++] = number.digits[i - 1];
	*dst_len = n;
	return ATID_OK;
}
