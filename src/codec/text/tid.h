/*-------------------------------------------------------------------------
 *
 * tid.h
 *		TIDs: their parts, their text, and their limits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_TID_H
#define ATID_TID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"

/* The clock id is in the lowest bits, and the microseconds are above it. */
#define ATID_TID_CLOCK_ID_BITS 10
#define ATID_TID_CLOCK_ID_MAX 1023

/* The first microsecond since 1970 that a TID cannot hold, in the year 2255. */
#define ATID_TID_US_END (UINT64_C(1) << 53)

/* The characters of a TID's text, always. */
#define ATID_TID_TEXT_LEN 13

/*
 * The TID of a microsecond below ATID_TID_US_END and a clock id.
 */
static inline uint64_t
atid_tid_of_parts(uint64_t us, uint64_t clock_id)
{
	return us << ATID_TID_CLOCK_ID_BITS | clock_id;
}

/*
 * The microseconds since 1970.  From ATID_TID_US_END on they are no time: the top bit is set,
 * which the protocol's syntax allows and gives no meaning.
 */
static inline uint64_t
atid_tid_us(uint64_t tid)
{
	return tid >> ATID_TID_CLOCK_ID_BITS;
}

static inline int
atid_tid_clock_id_of(uint64_t tid)
{
	return (int) (tid & ATID_TID_CLOCK_ID_MAX);
}

/*
 * Write the text of a TID into dst: exactly 13 characters, no terminator.
 */
extern void atid_tid_to_text(uint64_t tid, char dst[ATID_TID_TEXT_LEN]);

/*
 * Read the 13 bytes at src.  Returns false, and leaves *tid alone, if one of them is not in
 * the alphabet or the first is above 'j' (the number would not fit into 64 bits).
 * atid_tid_scan() says which it was.
 */
extern bool atid_tid_from_text(const char src[ATID_TID_TEXT_LEN], uint64_t *tid);

/*
 * The leftmost fault of a string that should be a TID.  *at is the number of bytes before it;
 * these are ASCII, so it counts characters too.  For a wrong length, it is where the string
 * ends too early or goes on.
 */
ATID_NODISCARD extern AtidFault atid_tid_scan(const char *s, size_t len, size_t *at);

#endif							/* ATID_TID_H */
