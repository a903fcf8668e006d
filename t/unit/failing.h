/*-------------------------------------------------------------------------
 * failing.h
 *		Memory that runs out: each request of a task fails in turn.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FAILING_H
#define ATID_FAILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/fault.h"

typedef struct Failing
{
	unsigned	asked;			/* requests so far */
	unsigned	refused;		/* the one that gets none, from 1 on; 0: none */
	bool		onward;			/* and those behind it get none either */
	int			live;			/* blocks that are not freed yet */
} Failing;

/* How many requests were refused, in all tasks. */
static unsigned failing_total = 0;

/* The alloc() of pure code; arg is a Failing. */
static inline void *
failing_memory(void *arg, void *old, size_t size)
{
	Failing    *memory = arg;
	void	   *moved;

	if (size == 0)
	{
		memory->live -= old != NULL;
		free(old);
		return NULL;
	}
	memory->asked++;
	if (memory->refused > 0 &&
		(memory->onward ? memory->asked >= memory->refused : memory->asked == memory->refused))
	{
		failing_total++;
		return NULL;
	}
	moved = realloc(old, size);
	memory->live += old == NULL;
	return moved;
}

/*
 * Run a task with all the memory that it asks for, and then again and again: its n-th request
 * fails, alone or with all behind it, for each step-th n from the first on.  The task gives
 * back what it has taken.  Where memory was refused its answer must be ATID_NO_MEMORY, or the
 * one that it has with all memory if it can do without.  Returns whether that is so, and
 * nothing was left.
 */
static inline bool
fails_cleanly(AtidFault (*task) (void *arg, Failing *memory), void *arg,
			  unsigned first, unsigned step)
{
	Failing		memory = {0, 0, false, 0};
	AtidFault	wanted = task(arg, &memory);
	unsigned	asked = memory.asked;
	bool		clean = memory.live == 0;

	for (unsigned n = first; n <= asked && clean; n += step)
		for (int onward = 0; onward < 2 && clean; onward++)
		{
			AtidFault	fault;

			memory.asked = 0;
			memory.refused = n;
			memory.onward = onward == 1;
			fault = task(arg, &memory);
			clean = memory.live == 0 && memory.asked >= n &&
				(fault == ATID_NO_MEMORY || fault == wanted);
			if (!clean)
				fprintf(stderr, "# without request %u of %u: fault %d, not %d; %d blocks left\n",
						n, asked, (int) fault, (int) wanted, memory.live);
		}
	return clean;
}

#endif							/* ATID_FAILING_H */
