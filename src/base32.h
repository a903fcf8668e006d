/*-------------------------------------------------------------------------
 *
 * base32.h
 *		The base32-sortable text of a TID.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_BASE32_H
#define ATID_BASE32_H

#include <stdbool.h>
#include <stdint.h>

/* A TID's text has this many characters, always; there is no padding. */
#define ATID_TID_TEXT_LEN 13

extern void atid_base32_encode_tid(uint64_t value, char dst[ATID_TID_TEXT_LEN]);
extern bool atid_base32_decode_tid(const char src[ATID_TID_TEXT_LEN], uint64_t *value);

#endif							/* ATID_BASE32_H */
