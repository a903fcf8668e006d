/*-------------------------------------------------------------------------
 *
 * base58.h
 *		The base58 of Bitcoin (multibase "base58btc"), for short byte strings.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_BASE58_H
#define ATID_BASE58_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"

/*
 * The most bytes that are encoded, and the longest text that is decoded.  A
 * text of n characters becomes n bytes at most.
 */
#define ATID_BASE58_BYTES_MAX 72
#define ATID_BASE58_TEXT_MAX 100

/*
 * Writes len bytes as base58 into dst, without a terminator, and returns the number of
 * characters.  There must be at most ATID_BASE58_BYTES_MAX bytes.
 */
extern size_t atid_base58_encode(const uint8_t *src, size_t len,
								 char dst[ATID_BASE58_TEXT_MAX]);

/* Is the character a digit of base58? */
extern bool atid_base58_is_digit(char c);

/*
 * Reads a text of len characters, and sets dst and *dst_len.  Returns ATID_OK,
 * ATID_BASE58_LENGTH for a text of more than ATID_BASE58_TEXT_MAX characters, or
 * ATID_BASE58_CHARACTER; then *at is the index of the character, and dst is undefined.
 */
extern AtidFault atid_base58_decode(const char *src, size_t len,
									uint8_t dst[ATID_BASE58_TEXT_MAX],
									size_t *dst_len, size_t *at);

#endif							/* ATID_BASE58_H */
