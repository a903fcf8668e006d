/*-------------------------------------------------------------------------
 *
 * bytes.h
 *		The order of byte strings, and whether they are equal.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_BYTES_H
#define ATID_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Compare byte by byte; a prefix comes first.  This is the order of texts in "C". */
static inline int
atid_bytes_cmp(const void *a, size_t a_len, const void *b, size_t b_len)
{
	int			order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	if (order == 0 && a_len != b_len)
		order = a_len < b_len ? -1 : 1;
	return order;
}

/*
 * Are two short byte strings of the same length equal?  Up to 16 bytes are compared as
 * two words, which may overlap.  With memcmp() record_conforms took 6 % longer.
 */
static inline bool
atid_bytes_equal(const void *a, const void *b, size_t len)
{
	const uint8_t *p = a;
	const uint8_t *q = b;

	if (len - 8 <= 8)
	{
		uint64_t	words[4];

		memcpy(&words[0], p, 8);
		memcpy(&words[1], q, 8);
		memcpy(&words[2], p + len - 8, 8);
		memcpy(&words[3], q + len - 8, 8);
		return ((words[0] ^ words[1]) | (words[2] ^ words[3])) == 0;
	}
	if (len - 4 < 4)
	{
		uint32_t	words[4];

		memcpy(&words[0], p, 4);
		memcpy(&words[1], q, 4);
		memcpy(&words[2], p + len - 4, 4);
		memcpy(&words[3], q + len - 4, 4);
		return ((words[0] ^ words[1]) | (words[2] ^ words[3])) == 0;
	}
	if (len < 4)
		return len == 0 ||
			(p[0] == q[0] && p[len / 2] == q[len / 2] && p[len - 1] == q[len - 1]);
	return memcmp(p, q, len) == 0;
}

#endif							/* ATID_BYTES_H */
