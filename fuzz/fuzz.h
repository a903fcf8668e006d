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

#include "../t/unit/failing.h"

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
 * The memory of a tree's builder and walk, which never fails.
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

/* Tell how many requests were refused, for fuzz/run. */
static inline void
tell_refused(void)
{
	fprintf(stderr, "stat::refused_requests: %u\n", failing_total);
}

/*
 * Let the requests for memory of a task fail in turn.  All of them with ATID_FUZZ_FAIL_ALL, as
 * fuzz/run does with the seeds; else one that depends on the input, so that fuzzing stays fast.
 */
static inline void
claim_fails_cleanly(AtidFault (*task) (void *arg, Failing *memory), void *arg, size_t input_size)
{
	static int	all = -1;

	if (all < 0)
	{
		all = getenv("ATID_FUZZ_FAIL_ALL") != NULL;
		atexit(tell_refused);
	}
	CLAIM(all ? fails_cleanly(task, arg, 1, 1) :
		  fails_cleanly(task, arg, 1 + (unsigned) (input_size % 61), 61));
}

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif							/* ATID_FUZZ_H */
