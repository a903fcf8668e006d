/*-------------------------------------------------------------------------
 *
 * tid.c
 *		TIDs: their parts, their text, and their limits.
 *
 * A TID (AT Protocol, "TID Structure") is a 64-bit integer:
 *
 *		0 | 53 bits: microseconds since the Unix epoch | 10 bits: clock id
 *
 * Its text is the integer, big-endian, in 13 characters of base32.c's sortable alphabet,
 * five bits each, the most significant first.  13 * 5 is 65, so the first character carries
 * four bits only and is one of the first sixteen, '2' to 'j'.  The syntax so admits the top
 * bit, which no TID that is generated has.
 *
 * The alphabet is in ASCII order, so texts sort as their numbers do: a < b exactly
 * when memcmp(text(a), text(b)) < 0.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/tid.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/text/base32.h"

void
atid_tid_to_text(uint64_t tid, char dst[ATID_TID_TEXT_LEN])
{
	for (int i = ATID_TID_TEXT_LEN - 1; i >= 0; i--)
	{
		dst[i] = atid_sortable_digit[tid & 31];
		tid >>= 5;
	}
	ATID_ASSERT(tid == 0);
}

bool
atid_tid_from_text(const char src[ATID_TID_TEXT_LEN], uint64_t *tid)
{
	uint64_t	result = 0;

	if (atid_sortable_value[(unsigned char) src[0]] > 16)
		return false;
	for (int i = 0; i < ATID_TID_TEXT_LEN; i++)
	{
		uint8_t		value = atid_sortable_value[(unsigned char) src[i]];

		if (value == 0)
			return false;
		result = (result << 5) | (uint64_t) (value - 1);
	}
	*tid = result;
	return true;
}

AtidFault
atid_tid_scan(const char *s, size_t len, size_t *at)
{
	/* a TID, into which the characters are put one by one */
	char		probe[ATID_TID_TEXT_LEN];
	uint64_t	ignored;

	memset(probe, '2', sizeof(probe));
	for (size_t i = 0; i < len && i < ATID_TID_TEXT_LEN; i++)
	{
		*at = i;
		probe[i] = s[i];
		if (!atid_tid_from_text(probe, &ignored))
			return i == 0 ? ATID_TID_FIRST : ATID_TID_CHARACTER;
	}
	*at = len < ATID_TID_TEXT_LEN ? len : ATID_TID_TEXT_LEN;
	return len == ATID_TID_TEXT_LEN ? ATID_OK : ATID_TID_LENGTH;
}
