/*-------------------------------------------------------------------------
 *
 * generator.c
 *		The streams that identifiers are drawn from.
 *
 * Each database has one small struct in shared memory, made by the first
 * backend that draws and found again by all others, with one stream of ticks
 * (see clock.c) for each kind of identifier.  Nothing must be preloaded: 17 and
 * later have a registry of named segments; before, the struct is taken from the
 * slack of the main segment, and shared_preload_libraries reserves room for
 * more databases than fit there.
 *
 * A draw reads the wall clock, works out the next tick, and swaps it into the
 * stream's word if nobody else has moved that meanwhile; else it tries again
 * from the word's new value.  A word only ever rises, and each of its values is
 * the result of one backend's swap.  So no tick is handed out twice; and a draw
 * that begins after another has ended finds that one's tick, or a later one, in
 * the word and gets a greater one, whichever sessions the two belong to and
 * whatever the clock does.
 *
 * Whatever can refuse a tick is asked before the swap: a tick that has been
 * swapped in is in use.
 *
 * The struct takes no lock.  Its fields are written so:
 *	life	once, from 0, by compare-and-swap;
 *	since	once, from 0, by compare-and-swap;
 *	offset	raised only, by compare-and-swap;
 *	ticks	raised only, by compare-and-swap, each on cache lines of its own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "clock.h"
#include "compat.h"
#include "generator.h"
#include "random.h"

#ifdef ATID_HAVE_DSM_REGISTRY
#include "storage/dsm_registry.h"
#endif

/*
 * A new library can meet the struct of an older one in a running server, so its
 * size stays what the first release made it: new fields come out of the spare
 * room.
 */
#define GENERATOR_SIZE	1024
#define LINE_SIZE		128		/* two cache lines: the neighbour is prefetched */
#define STREAM_LINES	5

/* Databases that a preloaded library reserves room for (15 and 16 only) */
#define PRELOAD_DATABASES 1024

/* What offset holds before the clocks have been compared for the first time */
#define OFFSET_UNKNOWN	PG_INT64_MIN

typedef union GeneratorLine
{
	pg_atomic_uint64 tick;		/* the last one handed out, 0 if none */
	char		pad[LINE_SIZE];
} GeneratorLine;

typedef struct Generator
{
	pg_atomic_uint64 life;		/* random, below 2^63; 0 before the struct is
								 * alive.  The low 10 bits are the random
								 * clock id. */
	pg_atomic_uint64 since;		/* when that was, a TimestampTz */
	pg_atomic_uint64 offset;	/* greatest (wall - monotonic) seen, an int64
								 * in us; or OFFSET_UNKNOWN */
	char		spare[3 * LINE_SIZE - 3 * sizeof(pg_atomic_uint64)];
	GeneratorLine stream[STREAM_LINES]; /* by AtidTick; the rest is spare */
} Generator;

StaticAssertDecl(sizeof(Generator) == GENERATOR_SIZE,
				 "the size of the shared struct must never change");

/* This database's struct, once this backend has drawn. */
static Generator *generator = NULL;

/* The second of the wall clock in which this backend last compared clocks. */
static time_t visited = 0;

PG_FUNCTION_INFO_V1(atid_generator_state);


/*
 * Shared memory
 */

static void
init_struct(Generator *g)
{
	memset(g, 0, sizeof(Generator));
	pg_atomic_init_u64(&g->life, 0);
	pg_atomic_init_u64(&g->since, 0);
	pg_atomic_init_u64(&g->offset, (uint64) OFFSET_UNKNOWN);
	for (int i = 0; i < STREAM_LINES; i++)
		pg_atomic_init_u64(&g->stream[i].tick, 0);
}

#ifdef ATID_HAVE_DSM_REGISTRY

static void
init_callback(ATID_SHMEM_INIT_ARGS)
{
	init_struct((Generator *) ptr);
}

static Generator *
map_struct(const char *name)
{
	bool		found;

	return atid_named_dsm_segment(name, sizeof(Generator), init_callback, &found);
}

void
atid_generator_preload(void)
{
	/* the registry needs no room reserved */
}

#else

static shmem_request_hook_type prev_shmem_request_hook = NULL;

static Generator *
map_struct(const char *name)
{
	Generator  *g;
	bool		found;

	/*
	 * The server expects this at startup, but any backend can do it under this
	 * lock; autoprewarm does so too.
	 */
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	g = ShmemInitStruct(name, sizeof(Generator), &found);
	if (!found)
		init_struct(g);
	LWLockRelease(AddinShmemInitLock);
	return g;
}

static void
request_shmem(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(mul_size(PRELOAD_DATABASES,
									add_size(sizeof(Generator), LINE_SIZE)));
}

/*
 * Called when the library is loaded: where that is in the postmaster, reserve
 * room for more databases.
 */
void
atid_generator_preload(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_shmem;
}

#endif

/*
 * Find this database's struct, or make it, and see that it is alive.
 */
static void
attach(void)
{
	char		name[32];
	Generator  *g;
	uint64		unset;

	snprintf(name, sizeof(name), "atid generator %u", MyDatabaseId);
	g = map_struct(name);

	/* whoever swaps first gives the struct its life; the others find it */
	if (pg_atomic_read_u64(&g->life) == 0)
	{
		uint64		life = atid_random_bits() >> 1;

		unset = 0;
		pg_atomic_compare_exchange_u64(&g->life, &unset, Max(life, 1));
	}
	if (pg_atomic_read_u64(&g->since) == 0)
	{
		unset = 0;
		pg_atomic_compare_exchange_u64(&g->since, &unset,
									   (uint64) GetCurrentTimestamp());
	}
	generator = g;
}


/*
 * Clocks
 */

static inline void
read_wall(struct timespec *ts)
{
	clock_gettime(CLOCK_REALTIME, ts);
}

/*
 * Compare the wall clock with the monotonic one, raise the shared offset if the
 * difference is greater than ever before, and return the steady clock in us
 * since the Unix epoch.
 */
static int64
read_steady(const struct timespec *wall)
{
	struct timespec ts;
	int64		monotonic;
	int64		offset;
	uint64		seen;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	monotonic = (int64) atid_clock_us(ts.tv_sec, ts.tv_nsec);
	offset = (int64) atid_clock_us(wall->tv_sec, wall->tv_nsec) - monotonic;

	seen = pg_atomic_read_u64(&generator->offset);
	while ((int64) seen < offset)
	{
		if (pg_atomic_compare_exchange_u64(&generator->offset, &seen,
										   (uint64) offset))
			return monotonic + offset;
	}
	return monotonic + (int64) seen;
}

/*
 * Sleep until the steady clock may have moved on by the given time, or anything
 * else wants this backend's attention.  A cancel, a timeout or a termination
 * ends the draw here, with nothing taken from the stream.
 */
static void
wait_for_clock(uint64 us)
{
	static uint32 wait_event = 0;

	if (wait_event == 0)
		wait_event = atid_wait_event("AtidMaxDrift");

	/* an hour at a time, so that no stretch overflows what WaitLatch takes */
	(void) WaitLatch(MyLatch,
					 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 (long) Min(us / 1000 + 1, 60 * 60 * 1000),
					 wait_event);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}


/*
 * Drawing
 */

/*
 * Take the next tick of a stream.  Called with a constant kind, so that each
 * caller gets a copy with that stream's arithmetic only.
 */
static pg_attribute_always_inline uint64
draw(AtidTick kind)
{
	pg_atomic_uint64 *word;
	uint64		last;

	if (unlikely(generator == NULL))
		attach();
	word = &generator->stream[kind].tick;

	for (;;)
	{
		struct timespec wall;
		uint64		now;
		uint64		next;

		read_wall(&wall);
		now = atid_tick_of_time(kind, wall.tv_sec, wall.tv_nsec);

		/*
		 * Once in each second in which it draws, and whenever the clock has
		 * been set to another second, a backend compares the clocks.  So the
		 * steady clock is less than a second behind any wall clock that
		 * anyone has drawn at.
		 */
		if (unlikely(wall.tv_sec != visited))
		{
			(void) read_steady(&wall);
			visited = wall.tv_sec;
		}

		last = pg_atomic_read_u64(word);
		switch (atid_clock_draw(kind, now, last, atid_max_drift, &next))
		{
			case ATID_DRAW_TAKE:
				break;

			case ATID_DRAW_AHEAD:
				{
					uint64		wait = atid_clock_overrun_us(kind, next,
															 read_steady(&wall),
															 atid_max_drift);

					if (wait == 0)
						break;
					wait_for_clock(wait);
					continue;
				}

			case ATID_DRAW_FULL:
				ereport(ERROR,
						(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
						 errmsg("could not generate an identifier: its time field is full"),
						 errdetail("The stream has reached the last time that the identifier can hold.")));
		}

		if (likely(pg_atomic_compare_exchange_u64(word, &last, next)))
			return next;

		/* another session was faster: it got a tick, and we try the next */
		CHECK_FOR_INTERRUPTS();
	}
}

static inline int
current_clock_id(void)
{
	if (atid_clock_id >= 0)
		return atid_clock_id;
	return (int) (pg_atomic_read_u64(&generator->life) & 1023);
}

/*
 * A TID, as the integer itself: 53 bits of microseconds, 10 of clock id.
 */
uint64
atid_generator_next_tid(void)
{
	uint64		us = draw(ATID_TICK_TID);

	return (us << 10) | (uint64) current_clock_id();
}

/*
 * The time of a version 7 UUID: 48 bits of milliseconds, 12 of fraction.
 */
uint64
atid_generator_next_v7(void)
{
	return draw(ATID_TICK_V7);
}


/*
 * Inspection
 */

static TimestampTz
timestamptz_of_us(uint64 us)
{
	return (TimestampTz) us - ATID_POSTGRES_EPOCH_US;
}

/*
 * generator_state(): the state of this database's streams, one row.
 */
Datum
atid_generator_state(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum		values[5] = {0};
	bool		nulls[5] = {0};
	struct timespec wall;
	uint64		now;
	uint64		tid;
	uint64		v7;
	uint64		head;
	Interval   *ahead;
	HeapTuple	tuple;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	if (generator == NULL)
		attach();

	/* streams first: what is drawn meanwhile must not look like drift */
	tid = pg_atomic_read_u64(&generator->stream[ATID_TICK_TID].tick);
	v7 = pg_atomic_read_u64(&generator->stream[ATID_TICK_V7].tick);
	read_wall(&wall);
	now = atid_clock_us(wall.tv_sec, wall.tv_nsec);
	head = Max(tid, atid_tick_to_us(ATID_TICK_V7, v7));

	ahead = palloc0(sizeof(Interval));
	ahead->time = head > now ? (TimeOffset) (head - now) : 0;

	values[0] = Int32GetDatum(current_clock_id());
	nulls[1] = (tid == 0);
	values[1] = UInt64GetDatum((tid << 10) | (uint64) current_clock_id());
	nulls[2] = (v7 == 0);
	values[2] = TimestampTzGetDatum(timestamptz_of_us(atid_tick_to_us(ATID_TICK_V7, v7)));
	values[3] = IntervalPGetDatum(ahead);
	values[4] = TimestampTzGetDatum((TimestampTz) pg_atomic_read_u64(&generator->since));

	tuple = heap_form_tuple(BlessTupleDesc(desc), values, nulls);
	PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}
