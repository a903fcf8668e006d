/*-------------------------------------------------------------------------
 *
 * slots.h
 *		Shared memory: a slot for each database's generator.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SLOTS_H
#define ATID_SLOTS_H

#include "port/atomics.h"

#define ATID_LINE_SIZE 128		/* two cache lines: the neighbour is
								 * prefetched */
#define ATID_STREAM_LINES 5

/* What offset holds before the clocks have been compared for the first time. */
#define ATID_OFFSET_UNKNOWN PG_INT64_MIN

typedef union AtidStreamLine
{
	pg_atomic_uint64 tick;		/* the last one handed out, or the one below
								 * the floor; 0 if none */
	char		pad[ATID_LINE_SIZE];
} AtidStreamLine;

/*
 * A database's generator.  A new library can meet the memory of an older one in
 * a running server, so the size stays what the first release made it: new fields
 * come out of the spare room.
 *
 * It takes no lock.  Its fields are written so:
 *	life	when the slot is taken; by a reset, with the horizon's page locked
 *	since	after life, by whoever gave it
 *	offset	raised only, by compare-and-swap; by a reset
 *	node	once, from 0, by compare-and-swap; by a reset
 *	ticks	raised only, by compare-and-swap, each on cache lines of its own; by
 *			a reset, after life: whoever reads a lowered tick sees the new life
 */
typedef struct AtidGenerator
{
	pg_atomic_uint64 life;		/* random, 1 to 2^63 - 1.  The low 10 bits are
								 * the random clock id. */
	pg_atomic_uint64 since;		/* when it began, a TimestampTz */
	pg_atomic_uint64 offset;	/* greatest (wall - monotonic) seen, an int64
								 * in us; or ATID_OFFSET_UNKNOWN */
	pg_atomic_uint64 node;		/* random; 14 bits of clock sequence and 48 of
								 * node, for versions 1 and 6; 0 before the
								 * first */
	uint64		reached_us;		/* the highest horizon written in this life; 0
								 * before the first, and after 1.0 has written
								 * it.  The lock of the page guards it. */
	char		spare[3 * ATID_LINE_SIZE - 5 * sizeof(pg_atomic_uint64)];
	AtidStreamLine stream[ATID_STREAM_LINES];	/* by AtidTick; the rest is
												 * spare */
} AtidGenerator;

extern AtidGenerator *atid_slots_find(void);
extern AtidGenerator *atid_slots_find_or_take(void);
extern uint64 atid_slots_new_life(void);
extern void atid_slots_preload(void);

#endif							/* ATID_SLOTS_H */
