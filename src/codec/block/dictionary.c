/*-------------------------------------------------------------------------
 *
 * dictionary.c
 *		The strings and objects that the packed form of a block has numbers for, and the
 *		symbols.
 *
 * A text is found by its hash in a table with open addressing, which is at most half
 * full.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/dictionary.h"

#include "codec/assert.h"
#include "codec/bytes.h"
#include "codec/fault.h"

typedef struct ObjectRow
{
	uint16_t	keys;			/* its first one in object_key */
	uint8_t		count;
	uint8_t		optional;
	uint16_t	type;
} ObjectRow;

#include "codec/block/dictionary_table.h"

#define EMPTY 0xFFFF

ATID_STATIC_ASSERT((SLOTS & (SLOTS - 1)) == 0);
ATID_STATIC_ASSERT(2 * STRINGS <= SLOTS);
ATID_STATIC_ASSERT(STRINGS <= EMPTY);

const int	atid_dictionary_strings = STRINGS;
const int	atid_dictionary_objects = OBJECTS;
const int	atid_dictionary_symbols = SYMBOLS;

/* Eight bytes, or four, as a number, whatever the order of bytes on this machine is. */
static inline uint64_t
word_of(const uint8_t *p, int bytes)
{
	uint64_t	word = (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 |
		(uint32_t) p[3] << 24;

	if (bytes == 8)
		word |= (uint64_t) ((uint32_t) p[4] | (uint32_t) p[5] << 8 | (uint32_t) p[6] << 16 |
							(uint32_t) p[7] << 24) << 32;
	return word;
}

/*
 * By the first and the last eight bytes, which may overlap, and the length.
 * script/dictionary has the same.
 */
static inline uint32_t
hash_of(const uint8_t *str, size_t len)
{
	uint64_t	a;
	uint64_t	b;

	if (len >= 8)
	{
		a = word_of(str, 8);
		b = word_of(str + len - 8, 8);
	}
	else if (len >= 4)
	{
		a = word_of(str, 4);
		b = word_of(str + len - 4, 4);
	}
	else
	{
		a = str[0];
		b = (uint64_t) str[len / 2] << 8 | str[len - 1];
	}
	a = (a ^ (b + len) * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xD6E8FEB86659FD93);
	return (uint32_t) (a >> 40);
}

int
atid_dictionary_find(const void *text, size_t len)
{
	if (len < 1 || len > ATID_DICTIONARY_STRING_MAX)
		return ATID_DICTIONARY_NONE;
	for (uint32_t slot = hash_of(text, len) % SLOTS;; slot = (slot + 1) % SLOTS)
	{
		unsigned	number = string_slot[slot];

		if (number == EMPTY)
			return ATID_DICTIONARY_NONE;
		if (string_offset[number + 1] - string_offset[number] == len &&
			atid_bytes_equal(string_text + string_offset[number], text, len))
			return (int) number;
	}
}

const char *
atid_dictionary_string(int number, size_t *len)
{
	ATID_ASSERT(number >= 0 && number < STRINGS);
	*len = string_offset[number + 1] - string_offset[number];
	return string_text + string_offset[number];
}

bool
atid_dictionary_is_nsid(int number)
{
	ATID_ASSERT(number >= 0 && number < STRINGS);
	return (string_nsid[number / 8] >> number % 8 & 1) != 0;
}

int
atid_dictionary_typed(int number)
{
	ATID_ASSERT(number >= 0 && number < STRINGS);
	return string_object[number];
}

AtidObject
atid_dictionary_object(int number)
{
	const ObjectRow *row;
	AtidObject	object;

	ATID_ASSERT(number >= 0 && number < OBJECTS);
	row = &object_row[number];
	object.keys = &object_key[row->keys];
	object.count = row->count;
	object.optional = row->optional;
	object.type = row->type;
	return object;
}

int
atid_dictionary_symbol(int number)
{
	ATID_ASSERT(number >= 0 && number < STRINGS);
	return (int) string_symbol[number] - 1;
}

int
atid_dictionary_symbol_string(int symbol)
{
	ATID_ASSERT(symbol >=0 && symbol <SYMBOLS);
	return symbol_string[symbol];
}
