/*-------------------------------------------------------------------------
 *
 * base32.c
 *		The base32-sortable text of a TID.
 *
 * Format (AT Protocol, "TID Structure"): a 64-bit integer, big-endian, in 13
 * characters of "234567abcdefghijklmnopqrstuvwxyz", five bits each, the most
 * significant first.  13 * 5 is 65, so the first character carries four bits
 * only and is one of the first sixteen, '2' to 'j'.
 *
 * The alphabet is in ASCII order, which is what makes the text sort as the
 * number does: a < b exactly when memcmp(text(a), text(b)) < 0.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "base32.h"

static const char sortable[] = "234567abcdefghijklmnopqrstuvwxyz";

/*
 * The value of a character plus one; 0 marks what is not in the alphabet, so
 * that every byte which is not named here is refused.
 */
static const uint8_t sortable_value[256] = {
	['2'] = 1,['3'] = 2,['4'] = 3,['5'] = 4,['6'] = 5,['7'] = 6,
	['a'] = 7,['b'] = 8,['c'] = 9,['d'] = 10,['e'] = 11,['f'] = 12,['g'] = 13,
	['h'] = 14,['i'] = 15,['j'] = 16,['k'] = 17,['l'] = 18,['m'] = 19,['n'] = 20,
	['o'] = 21,['p'] = 22,['q'] = 23,['r'] = 24,['s'] = 25,['t'] = 26,['u'] = 27,
	['v'] = 28,['w'] = 29,['x'] = 30,['y'] = 31,['z'] = 32,
};

/*
 * Write the text of value into dst: exactly 13 characters, no terminator.
 */
void
atid_base32_encode_tid(uint64_t value, char dst[ATID_TID_TEXT_LEN])
{
	for (int i = ATID_TID_TEXT_LEN - 1; i >= 0; i--)
	{
		dst[i] = sortable[value & 31];
		value >>= 5;
	}
}

/*
 * Read the 13 bytes at src.  Returns false, and leaves *value alone, if one of
 * them is not in the alphabet or the first is above 'j' (the number would not
 * fit into 64 bits).  atid_syntax_tid() says which it was.
 */
bool
atid_base32_decode_tid(const char src[ATID_TID_TEXT_LEN], uint64_t *value)
{
	uint64_t	result = 0;

	if (sortable_value[(unsigned char) src[0]] > 16)
		return false;
	for (int i = 0; i < ATID_TID_TEXT_LEN; i++)
	{
		uint8_t		digit = sortable_value[(unsigned char) src[i]];

		if (digit == 0)
			return false;
		result = (result << 5) | (uint64_t) (digit - 1);
	}
	*value = result;
	return true;
}
