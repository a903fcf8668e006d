/*-------------------------------------------------------------------------
 *
 * random.c
 *		Random bits for identifiers.
 *
 * All bits come from pg_strong_random().  A call of that costs some twenty
 * times the rest of the work of an identifier, so each backend asks for many
 * words at a time and keeps them in a pool.
 *
 * Invariants:
 *	- a word is given out once and wiped as it goes, so that a later look into
 *	  this process's memory tells nothing about identifiers it has made;
 *	- the pool is filled on first use in a backend, never in the postmaster,
 *	  so that no two processes inherit the same words.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "generator/random.h"

#define POOL_WORDS 512

static uint64 pool[POOL_WORDS];
static int	pool_left = 0;

static void
fill_pool(void)
{
	if (!pg_strong_random(pool, sizeof(pool)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	pool_left = POOL_WORDS;
}

/*
 * 64 cryptographically strong random bits.  Raises an error where the
 * operating system has none to give.
 */
uint64
atid_random_bits(void)
{
	uint64		result;

	if (unlikely(pool_left == 0))
		fill_pool();
	result = pool[--pool_left];
	pool[pool_left] = 0;
	return result;
}
