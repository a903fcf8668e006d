/*-------------------------------------------------------------------------
 *
 * syntax.h
 *		The textual forms of a UUID, and ULIDs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SYNTAX_H
#define ATID_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * UUID (RFC 9562 section 4), in either case: hex and dash; the same as a URN or
 * in braces; 32 hex digits without dashes, bare or in braces; and as an object
 * identifier, 2.25 and the integer in decimal (X.667).  Also a ULID: 26 characters of
 * Crockford's base32 (no I, L, O and U) in either case, the first one at most 7.
 */
extern bool atid_syntax_uuid(const char *s, size_t len, uint8_t bytes[16]);

#define ATID_ULID_LEN 26

/*
 * Write the ULID of 16 bytes, in upper case; no terminator.
 */
extern void atid_ulid_to_text(const uint8_t bytes[16], char dst[ATID_ULID_LEN]);

#endif							/* ATID_SYNTAX_H */
