/*-------------------------------------------------------------------------
 *
 * block_text.h
 *		Texts of a packed block that are not kept as they are.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_BLOCK_TEXT_H
#define ATID_BLOCK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/block/block_form.h"

/*
 * The most bytes that atid_block_text_pack() writes: those of BLOCK_URI_COLLECTION, whose
 * collection is any text, and has a key behind it.
 */
#define ATID_BLOCK_TEXT_PACKED_MAX (1 + BLOCK_PLC_LEN + 1 + UINT8_MAX + BLOCK_TID_LEN)

/*
 * Write the packed form of a text to dst, its code first, which has room for
 * ATID_BLOCK_TEXT_PACKED_MAX bytes.  Returns its length; or 0 where the text has no other form
 * than itself.
 */
extern size_t atid_block_text_pack(const char *text, size_t len, uint8_t *dst);

/*
 * Write the text of a code from BLOCK_CID_CBOR to BLOCK_URI_COLLECTION, of which p is behind
 * the code, to the ATID_BLOCK_TEXT_MAX bytes at dst.  Returns the byte behind it; NULL, and the
 * state, where that cannot be read.
 */
extern const uint8_t *atid_block_text_restore(unsigned code, const uint8_t *p, const uint8_t *end,
											  char *dst, size_t *len, AtidBlockState *state);

/* The room for atid_block_at_uri(). */
#define ATID_BLOCK_AT_URI_MAX (1 + BLOCK_PLC_LEN + ATID_DICTIONARY_STRING_MAX + 1 + BLOCK_TID_LEN)

/*
 * Write the AT URI that the value at p is, as text/packed.h has it, to the
 * ATID_BLOCK_AT_URI_MAX bytes at dst; of a did:plc that of its account.  Returns its length; 0
 * where that takes the text of the value, which may be an AT URI nevertheless.
 */
extern size_t atid_block_at_uri(const uint8_t *p, const uint8_t *end, uint8_t *dst);

/*
 * Read the number of the string whose code is BLOCK_STRING_SHORT or above.  Returns the byte
 * behind it; NULL, and the state, where that cannot be read.
 */
extern const uint8_t *atid_block_string(unsigned code, const uint8_t *p, const uint8_t *end,
										int *number, AtidBlockState *state);

/* Is this the code of a string of the dictionary? */
static inline bool
atid_block_is_string(unsigned code)
{
	return (code >= BLOCK_STRING_SHORT && code < BLOCK_UNSIGNED_SHORT) ||
		code == BLOCK_STRING_16;
}

#endif							/* ATID_BLOCK_TEXT_H */
