/*-------------------------------------------------------------------------
 *
 * random.c
 *		Random bits for identifiers.
 *
 * All bits come from pg_strong_random().  A call of that costs some twenty
 * times the rest of the work of an identifier, so each backend asks for many
 * words at a time and keeps them in a pool, for a second at most: a virtual
 * machine that is resumed twice from one snapshot has the same pool twice, and
 * by then another time.
 *
 * Invariants:
 *	- a word is given out once and wiped as it goes, so that a later look into
 *	  this process's memory reveals nothing about identifiers it has made;
 *	- the pool is filled on first use in a backend, never in the postmaster,
 *	  so that no two processes inherit the same words;
 *	- a word is given out in the second of the clock in which it was drawn.
 *	  Asking time() is no call of the kernel where that maps the time into each
 *	  process, and is for a second the cheapest clock there is.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "generator/random.h"

#define POOL_WORDS 512

static uint64 pool[POOL_WORDS];
static int	pool_left = 0;
static time_t pool_second;		/* when the pool was filled */

static void
fill_random_pool(time_t now)
{
	if (!pg_strong_random(pool, sizeof(pool)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	pool_left = POOL_WORDS;
	pool_second = now;
}

uint64
atid_random_bits(void)
{
	time_t		now = time(NULL);
	uint64		result;

	if (unlikely(pool_left == 0 || now != pool_second))
		fill_random_pool(now);
	result = pool[--pool_left];
	pool[pool_left] = 0;
	return result;
}
