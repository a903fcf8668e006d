/*-------------------------------------------------------------------------
 *
 * base32.h
 *		The two base32 alphabets: the sortable one, of TIDs, and that of RFC 4648 for CIDs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_BASE32_H
#define ATID_BASE32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"

/* The sortable alphabet, by value. */
extern const char atid_sortable_digit[33];

/* The value of a character there plus one; 0 for a byte that is not in the alphabet. */
extern const uint8_t atid_sortable_value[256];

/*
 * Decode blocks of eight characters of the sortable alphabet to five bytes each.
 * The bytes sort as the characters do.  Returns false if a character is not in
 * the alphabet; dst is then undefined.
 */
extern bool atid_base32_decode_sortable(const char *src, size_t blocks, uint8_t *dst);

/*
 * The reverse: blocks of five bytes to eight characters each, no terminator.
 */
extern void atid_base32_encode_sortable(const uint8_t *src, size_t blocks, char *dst);

/*
 * Write the text of len bytes into dst: atid_base32_encoded_len(len)
 * characters, no terminator.
 */
extern void atid_base32_encode(const uint8_t *src, size_t len, char *dst);

/*
 * Decode len characters to the atid_base32_decoded_len(len) bytes at dst.  A
 * bad character is reported before other faults, because it may have caused
 * them.  On a fault, *at is its place, and dst is undefined.
 */
ATID_NODISCARD extern AtidFault atid_base32_decode(const char *src, size_t len, uint8_t *dst,
												   size_t *at);

/* How many characters len bytes become; they must be fewer than SIZE_MAX / 2. */
static inline size_t
atid_base32_encoded_len(size_t len)
{
	return len / 5 * 8 + (len % 5 * 8 + 4) / 5;
}

/* How many bytes len characters become. */
static inline size_t
atid_base32_decoded_len(size_t len)
{
	return len / 8 * 5 + len % 8 * 5 / 8;
}

#endif							/* ATID_BASE32_H */
