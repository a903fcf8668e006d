/*-------------------------------------------------------------------------
 * exact.h
 *		Memory of the size that is needed and no more, so that the sanitizer finds reads
 *		behind it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_EXACT_H
#define ATID_EXACT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy with nothing after it, not even a terminator. */
static inline void *
exact(const void *bytes, size_t len)
{
	void	   *copy = malloc(len ? len : 1);

	memcpy(copy, bytes, len);
	return copy;
}

/* The same of the bytes of a hexadecimal string, which may have blanks. */
static inline uint8_t *
from_hex(const char *hex, size_t *len)
{
	uint8_t    *bytes = malloc(strlen(hex) / 2 + 1);
	uint8_t    *copy;
	unsigned	byte;
	int			used;

	*len = 0;
	while (sscanf(hex, " %2x%n", &byte, &used) == 1)
	{
		bytes[(*len)++] = (uint8_t) byte;
		hex += used;
	}
	copy = exact(bytes, *len);
	free(bytes);
	return copy;
}

#endif							/* ATID_EXACT_H */
