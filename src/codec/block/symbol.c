/*-------------------------------------------------------------------------
 *
 * symbol.c
 *		The form on disk of an atid.symbol: a text, or the number of a string of the dictionary.
 *
 * symbol.h has the form.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/symbol.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/block/dictionary.h"

#define SYMBOL_TEXT			0x00
#define SYMBOL_STRING		0x80	/* and the high bits of its number */

size_t
atid_symbol_pack(const char *s, size_t len, uint8_t *dst)
{
	int			number = atid_dictionary_find(s, len);
	int			place;

	if (number < 0)
	{
		dst[0] = SYMBOL_TEXT;
		if (len > 0)
			memcpy(dst + 1, s, len);
		return len + 1;
	}
	place = atid_dictionary_symbol(number);
	if (place >= 0)
	{
		ATID_ASSERT(place + 1 < SYMBOL_STRING);
		dst[0] = (uint8_t) (place + 1);
		return 1;
	}
	ATID_ASSERT(number >> 8 < SYMBOL_STRING);
	dst[0] = (uint8_t) (SYMBOL_STRING | number >> 8);
	dst[1] = (uint8_t) number;
	return 2;
}

AtidPackedState
atid_symbol_open(const uint8_t *packed, size_t len, AtidSymbolText *result)
{
	int			number;

	if (len == 0)
		return ATID_PACKED_DAMAGED;
	if (packed[0] == SYMBOL_TEXT)
	{
		result->s = (const char *) packed + 1;
		result->len = len - 1;
		return ATID_PACKED_OK;
	}
	if (packed[0] < SYMBOL_STRING)
	{
		if (len != 1)
			return ATID_PACKED_DAMAGED;
		if (packed[0] > atid_dictionary_symbols)
			return ATID_PACKED_NEWER;
		number = atid_dictionary_symbol_string(packed[0] - 1);
	}
	else
	{
		if (len != 2)
			return ATID_PACKED_DAMAGED;
		number = (packed[0] & ~SYMBOL_STRING) << 8 | packed[1];
		if (number >= atid_dictionary_strings)
			return ATID_PACKED_NEWER;
	}
	result->s = atid_dictionary_string(number, &result->len);
	return ATID_PACKED_OK;
}
