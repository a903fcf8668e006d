/*-------------------------------------------------------------------------
 *
 * fuzz.h
 *		What the harnesses share: a claim that ends the run if it is false.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FUZZ_H
#define ATID_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CLAIM(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/*
 * Memory of this size only, so that the sanitizer finds reads and writes behind it.
 */
static inline void *
exact_memory(size_t len)
{
	void	   *memory = malloc(len ? len : 1);

	CLAIM(memory != NULL);
	return memory;
}

/*
 * The memory of a tree's builder and walk: AtidMstCaller.alloc.
 */
static inline void *
fuzz_memory(void *arg, void *old, size_t size)
{
	(void) arg;
	if (size > 0)
		return realloc(old, size);
	free(old);
	return NULL;
}

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif							/* ATID_FUZZ_H */
