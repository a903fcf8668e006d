/*-------------------------------------------------------------------------
 *
 * reference.h
 *		The bytes of a CID once more, in another way: arithmetic on the bytes of
 *		each varint, and no enum.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FUZZ_REFERENCE_H
#define ATID_FUZZ_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the varint at s, or 0 where there is none. */
static inline size_t
reference_varint(const uint8_t *s, size_t len, uint64_t *value)
{
	size_t		n = 0;

	while (n < len && s[n] >= 128)
		n++;
	if (n == len || n > 8 || (n > 0 && s[n] == 0))
		return 0;
	*value = 0;
	for (size_t i = n + 1; i > 0; i--)
		*value = *value * 128 + s[i - 1] % 128;
	return n + 1;
}

static inline bool
reference_cid(const uint8_t *s, size_t len)
{
	uint64_t	parts[4];
	size_t		at = 0;

	for (int i = 0; i < 4; i++)
	{
		size_t		n = reference_varint(s + at, len - at, &parts[i]);

		if (n == 0)
			return false;
		at += n;
	}
	return parts[0] == 1 && parts[3] == len - at;
}

#endif							/* ATID_FUZZ_REFERENCE_H */
