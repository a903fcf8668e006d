/*-------------------------------------------------------------------------
 *
 * bytes.h
 *		The order of byte strings.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_BYTES_H
#define ATID_BYTES_H

#include <stddef.h>
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

#endif							/* ATID_BYTES_H */
