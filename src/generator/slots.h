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

/*
 * A stream's word: the last tick handed out, or the one before the horizon that
 * the stream was raised to; 0 if none.
 *
 * Raised by compare-and-swap.  Set to 0 by a reset, with the horizon's page
 * locked, after life.
 *
 * A draw's read needs no order: if it is old, the swap fails.  A backend that
 * knows a horizon in this life has locked the page after the streams were raised,
 * so it reads what they were raised to.  CREATE EXTENSION reads after a barrier
 * and after a read-modify-write of each word: see life.
 */
typedef union AtidStreamLine
{
	pg_atomic_uint64 tick;
	char		pad[ATID_LINE_SIZE];
} AtidStreamLine;

/*
 * A database's generator.  A new library can meet the memory of an older one in
 * a running server, so size and layout stay what the first release made them: new
 * fields come out of the spare room.
 *
 * All fields are set under AddinShmemInitLock when the slot is taken, and that
 * lock is taken to find the slot.  "The page" is the horizon's; its lock is that
 * of its buffer.
 */
typedef struct AtidGenerator
{
	/*
	 * The life's number: random, 1 to 2^63 - 1.  The low 10 bits are the
	 * random clock id.
	 *
	 * Changed by a reset and by CREATE EXTENSION, with the page locked.  A
	 * full barrier follows, and then a write to each stream's word.
	 *
	 * With the page locked, the lock orders a read.  The read after a draw's
	 * swap relies on the swap, which is a full barrier.  Some processors may
	 * satisfy it between the load and the store of the swap (Arm without LSE,
	 * POWER).  If the life changes there, the write to the word that follows
	 * either makes the store fail, or comes after it and finds the tick in
	 * the word.  A read before the swap needs no order: the one after it
	 * notices an old value.
	 */
	pg_atomic_uint64 life;

	/*
	 * When the life began, a TimestampTz.  Set by a reset, with the page
	 * locked. Only generator_state() reads it, and nothing depends on the
	 * order.
	 */
	pg_atomic_uint64 since;

	/*
	 * The greatest (wall - monotonic) seen, an int64 in us, or
	 * ATID_OFFSET_UNKNOWN.  Raised by compare-and-swap; set by a reset, with
	 * the page locked.  A read needs no order: with an old value the swap
	 * fails, or a draw waits for the clock too long or too short.
	 */
	pg_atomic_uint64 offset;

	/*
	 * 14 bits of clock sequence and 48 of node, random, for versions 1 and 6;
	 * 0 before the first.  Set once, from 0, by compare-and-swap; set to 0 by
	 * a reset, with the page locked, after life and a full barrier.
	 *
	 * It is read after the tick, and not older than the tick's life: the
	 * page's lock orders that.  It is not younger either if life is still the
	 * same after a read barrier.
	 */
	pg_atomic_uint64 node;

	/*
	 * The highest horizon written in this life; 0 before the first, and after
	 * 1.0 has written it.  The lock of the page guards it.
	 */
	uint64		reached_us;

	char		spare[3 * ATID_LINE_SIZE - 5 * sizeof(pg_atomic_uint64)];
	AtidStreamLine stream[ATID_STREAM_LINES];	/* by AtidTick; the rest is
												 * spare */
} AtidGenerator;

/*
 * This database's generator, or NULL if it has not been used since the server's
 * start.
 */
extern AtidGenerator *atid_slots_find(void);

/*
 * The same, which takes a slot if there is none.  The pointer is good for as
 * long as the backend lives.
 */
extern AtidGenerator *atid_slots_find_or_take(void);

/*
 * A number for a life: random, in 63 bits, not 0.
 */
extern uint64 atid_slots_new_life(void);

/*
 * Called when the library is loaded.  Where that is in the postmaster of PostgreSQL 15 or
 * 16, it takes segment 0 as the server starts; otherwise the first session that draws takes
 * it out of the room that the main segment has left.
 */
extern void atid_slots_preload(void);

#endif							/* ATID_SLOTS_H */
