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
 * Crashes and restarts
 *
 * The struct is gone when the server stops, so a durable horizon (horizon.c)
 * lies above every tick in use.  Each backend holds a horizon that it has
 * adopted, and does not swap in a tick that this does not cover; it goes to the
 * page first, and works out the tick anew when it comes back.  Each life of the
 * struct has a random number, which goes to the page with the horizon:
 *
 *	- A page with another number was last written by an earlier life, by a
 *	  primary, by a restore or by setval().  Its value is a floor: ticks below
 *	  it may be in use.  Whoever finds it so lifts the streams above it, and
 *	  then writes this life's number there, under one lock; so a backend that
 *	  finds this life's number there finds the streams lifted, and the floor is
 *	  applied once in a life and not by every session.
 *	- A page with this life's number holds a horizon of this life.  It may have
 *	  been raised by another session that has not flushed it yet; but leaving
 *	  the page flushes it, whoever wrote it, and only then is it adopted.
 *
 * So no tick is in use that a crash would not find below the horizon on disk,
 * and after it no stream starts below that.  A backend that has adopted nothing
 * in this life (after a start, it cannot have) covers no tick: nobody draws
 * before the floor has been applied.
 *
 * An adopted horizon is good for the second of the wall clock in which it was
 * adopted, in one life, while the sequence is not altered.  So a floor that is
 * restored into a living database is noticed within a second.
 *
 * In recovery nothing can be written, so nothing is adopted: each draw visits
 * the page, lifts the streams above it, and promises no more than that.  The
 * first draw after a promotion finds the primary's number on the page.
 *
 * The struct takes no lock.  Its fields are written so:
 *	life	once, from 0, by compare-and-swap; by a reset, with the page locked
 *	since	after life, by whoever gave it
 *	offset	raised only, by compare-and-swap; by a reset
 *	node	once, from 0, by compare-and-swap; by a reset
 *	ticks	raised only, by compare-and-swap, each on cache lines of its own;
 *			by a reset, after life, so that who reads a lowered tick and then
 *			life knows that there was one
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "access/htup_details.h"
#include "access/xlog.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/inval.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "generator/clock.h"
#include "generator/generator.h"
#include "generator/horizon.h"
#include "generator/random.h"

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

/* A floor this far ahead of the clock is worth a warning */
#define FAR_AHEAD_US	UINT64CONST(86400000000)

/*
 * No horizon is above the last time that any identifier can hold (10889): more
 * would only overflow the arithmetic of ticks.
 */
#define HORIZON_MAX_US	((UINT64CONST(1) << 48) * 1000)

typedef union GeneratorLine
{
	pg_atomic_uint64 tick;		/* the last one handed out, or the one below
								 * the floor; 0 if none */
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
	pg_atomic_uint64 node;		/* random; 14 bits of clock sequence and 48 of
								 * node, for versions 1 and 6; 0 before the
								 * first */
	char		spare[3 * LINE_SIZE - 4 * sizeof(pg_atomic_uint64)];
	GeneratorLine stream[STREAM_LINES]; /* by AtidTick; the rest is spare */
} Generator;

StaticAssertDecl(sizeof(Generator) == GENERATOR_SIZE,
				 "the size of the shared struct must never change");

/* This database's struct, once this backend has drawn. */
static Generator *generator = NULL;

/* The horizon that this backend has adopted. */
static struct
{
	uint64		life;			/* good in this life only; 0 if there is none */
	time_t		second;			/* and in this second of the wall clock */
	Oid			relid;			/* and while this sequence is not altered */
	uint64		limit[ATID_TICK_KINDS]; /* the first ticks that are not covered */
}			adopted;

PG_FUNCTION_INFO_V1(atid_generator_state);
PG_FUNCTION_INFO_V1(atid_generator_reset);


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
	pg_atomic_init_u64(&g->node, 0);
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

static void
sequence_changed(Datum arg, Oid relid)
{
	/* InvalidOid means all relations */
	if (relid == adopted.relid || !OidIsValid(relid))
		adopted.life = 0;
}

/*
 * A number for a life: random, in 63 bits, not 0.
 */
static uint64
new_life(void)
{
	return Max(atid_random_bits() >> 1, 1);
}

/*
 * Find this database's struct, or make it, and see that it is alive.
 */
static void
attach(void)
{
	char		name[32];
	Generator  *g;
	uint64		unset = 0;

	snprintf(name, sizeof(name), "atid generator %u", MyDatabaseId);
	g = map_struct(name);

	/* whoever swaps first gives the struct its life; the others find it */
	if (pg_atomic_read_u64(&g->life) == 0 &&
		pg_atomic_compare_exchange_u64(&g->life, &unset, new_life()))
		pg_atomic_write_u64(&g->since, (uint64) GetCurrentTimestamp());

	CacheRegisterRelcacheCallback(sequence_changed, (Datum) 0);
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

static int64
read_monotonic_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64) atid_clock_us(ts.tv_sec, ts.tv_nsec);
}

static uint64
wall_us(const struct timespec *wall)
{
	return atid_clock_us(wall->tv_sec, wall->tv_nsec);
}

/*
 * Raise a shared word to a value, if it is below.
 */
static void
raise_word(pg_atomic_uint64 *word, uint64 value)
{
	uint64		seen = pg_atomic_read_u64(word);

	while (seen < value &&
		   !pg_atomic_compare_exchange_u64(word, &seen, value))
		;
}

/*
 * Let the steady clock be no less than the given time now, and return it in us
 * since the Unix epoch.
 */
static int64
raise_steady(uint64 us)
{
	int64		monotonic = read_monotonic_us();
	int64		offset = (int64) us - monotonic;
	uint64		seen = pg_atomic_read_u64(&generator->offset);

	while ((int64) seen < offset)
	{
		if (pg_atomic_compare_exchange_u64(&generator->offset, &seen,
										   (uint64) offset))
			return (int64) us;
	}
	return monotonic + (int64) seen;
}

/*
 * Sleep until the steady clock may have moved on by the given time, or anything
 * else wants this backend's attention.
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
}


/*
 * The horizon
 */

/*
 * Lift all streams above a floor: the ticks that come next are not below it.  A
 * stream whose field ends below the floor is full.  The steady clock is lifted
 * with them, or they would have to wait for it.
 */
static void
lift(uint64 floor_us)
{
	(void) raise_steady(floor_us);
	for (int kind = 0; kind < ATID_TICK_KINDS; kind++)
	{
		uint64		first = Min(atid_tick_of_us((AtidTick) kind, floor_us),
								atid_tick_limit((AtidTick) kind));

		if (first > 0)
			raise_word(&generator->stream[kind].tick, first - 1);
	}
}

/*
 * The time of the stream that is furthest on.
 */
static uint64
head_us(void)
{
	uint64		head = 0;

	for (int kind = 0; kind < ATID_TICK_KINDS; kind++)
	{
		uint64		tick = pg_atomic_read_u64(&generator->stream[kind].tick);

		head = Max(head, atid_tick_to_us((AtidTick) kind, tick));
	}
	return head;
}

/*
 * Go to the horizon's page and come back with a horizon that covers the ticks
 * which come next.  Compares the clocks on the way.  Returns false where there
 * is none to be had, which is in recovery.
 *
 * visits counts those that this draw has just made: where the disk takes longer
 * for a visit than the horizon is raised by, the clock has passed it on return,
 * and it must be raised by more.
 */
static bool
adopt(const struct timespec *wall, int visits)
{
	uint64		reserve_us = (uint64) atid_reserve * 1000 << Min(visits, 20);
	AtidHorizon horizon;
	uint64		life;
	uint64		needed;
	bool		far_ahead = false;

	(void) raise_steady(wall_us(wall));

	atid_horizon_lock(&horizon, true);
	life = pg_atomic_read_u64(&generator->life);
	if (horizon.life != life)
	{
		uint64		floor_us = Min(horizon.us, HORIZON_MAX_US);

		lift(floor_us);
		far_ahead = floor_us > wall_us(wall) + FAR_AHEAD_US;
	}
	if (!horizon.writable)
	{
		atid_horizon_unlock(&horizon);
		return false;
	}

	/* room for one tick of any kind, or the draw would come back at once */
	needed = Max(wall_us(wall), head_us()) + 2;
	if (horizon.life != life || horizon.us < needed)
		atid_horizon_write(&horizon,
						   Min(needed + reserve_us, HORIZON_MAX_US), life);
	atid_horizon_unlock(&horizon);

	for (int kind = 0; kind < ATID_TICK_KINDS; kind++)
		adopted.limit[kind] = atid_tick_of_us((AtidTick) kind, horizon.us);
	adopted.life = life;
	adopted.second = wall->tv_sec;
	adopted.relid = horizon.relid;

	if (far_ahead)
		ereport(WARNING,
				(errmsg("identifiers of this database are more than a day ahead of the clock"),
				 errdetail("The durable horizon lies that far ahead, so the identifiers that come next do, too."),
				 errhint("If the clock is right, and was wrong before, a superuser can call atid.generator_reset().")));
	return true;
}


/*
 * Drawing
 */

/*
 * Take the next tick of a stream.  A cancel, a timeout or a termination ends
 * the draw between two tries, with nothing taken from the stream.
 *
 * Called with a constant kind, so that each caller gets a copy with that
 * stream's arithmetic only.
 */
static pg_attribute_always_inline uint64
draw(AtidTick kind)
{
	pg_atomic_uint64 *word;
	int			visits = 0;

	if (unlikely(generator == NULL))
		attach();
	word = &generator->stream[kind].tick;

	for (;;)
	{
		struct timespec wall;
		uint64		now;
		uint64		last;
		uint64		next;

		CHECK_FOR_INTERRUPTS();

		read_wall(&wall);
		now = atid_tick_of_time(kind, wall.tv_sec, wall.tv_nsec);
		last = pg_atomic_read_u64(word);

		switch (atid_clock_draw(kind, now, last, atid_max_drift, &next))
		{
			case ATID_DRAW_TAKE:
				break;

			case ATID_DRAW_AHEAD:
				{
					uint64		wait = atid_clock_overrun_us(kind, next,
															 raise_steady(wall_us(&wall)),
															 atid_max_drift);

					if (wait == 0)
						break;
					wait_for_clock(wait);
					visits = 0;
					continue;
				}

			case ATID_DRAW_FULL:
				ereport(ERROR,
						(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
						 errmsg("could not generate an identifier: its time field is full"),
						 errdetail("The stream has reached the last time that the identifier can hold."),
						 errhint("If the clock is right, and was wrong before, a superuser can call atid.generator_reset().")));
		}

		/*
		 * Is the tick below the horizon that this backend has adopted?  The
		 * life is read after the stream, because a reset writes it before:
		 * who has read a lowered stream finds the new life.
		 */
		pg_read_barrier();
		if (unlikely(adopted.life != pg_atomic_read_u64(&generator->life) ||
					 adopted.second != wall.tv_sec ||
					 next >= adopted.limit[kind]))
		{
			if (adopt(&wall, visits++) || !RecoveryInProgress())
				continue;
		}

		/* if another session was faster, it got a tick, and we try the next */
		if (likely(pg_atomic_compare_exchange_u64(word, &last, next)))
			return next;
	}
}

/*
 * On a standby the configured id is the primary's, and both may draw at once.
 */
static inline int
current_clock_id(void)
{
	if (atid_clock_id >= 0 && !RecoveryInProgress())
		return atid_clock_id;
	return (int) (pg_atomic_read_u64(&generator->life) & ATID_CLOCK_ID_MAX);
}

/*
 * A TID, as the integer itself: 53 bits of microseconds, 10 of clock id.
 */
uint64
atid_generator_next_tid(void)
{
	uint64		us = draw(ATID_TICK_TID);

	return (us << ATID_CLOCK_ID_BITS) | (uint64) current_clock_id();
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
 * The time of a version 1 or 6 UUID, 60 bits of 100 ns since 1582, and in the
 * low 62 bits of *node the clock sequence (14) and the node (48) of this life.
 *
 * The node is random, never a MAC address, and has the multicast bit set, which
 * no such address has (section 6.10).  A life begins with another clock
 * sequence and node, as section 6.3 has it for a clock that may have gone back.
 */
uint64
atid_generator_next_gregorian(uint64 *node)
{
	uint64		tick = draw(ATID_TICK_GREGORIAN);

	*node = pg_atomic_read_u64(&generator->node);
	if (unlikely(*node == 0))
	{
		uint64		drawn = (atid_random_bits() >> 2) | UINT64CONST(0x010000000000);

		/* on failure this puts the one that another session drew into *node */
		if (pg_atomic_compare_exchange_u64(&generator->node, node, drawn))
			*node = drawn;
	}
	return tick;
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
 * generator_state(): the state of this database's streams, one row.  A stream's
 * last value is where it stands: after a start that is the floor, until it is
 * drawn from.  The clock id of last_tid is the one that this session draws with.
 */
Datum
atid_generator_state(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum		values[7] = {0};
	bool		nulls[7] = {0};
	struct timespec wall;
	AtidHorizon horizon;
	uint64		tid;
	uint64		v7;
	uint64		head;
	Interval   *ahead;
	HeapTuple	tuple;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	if (generator == NULL)
		attach();

	atid_horizon_lock(&horizon, false);
	atid_horizon_unlock(&horizon);

	/* streams before the clock: what is drawn meanwhile is not ahead of it */
	tid = pg_atomic_read_u64(&generator->stream[ATID_TICK_TID].tick);
	v7 = pg_atomic_read_u64(&generator->stream[ATID_TICK_V7].tick);
	head = head_us();
	read_wall(&wall);

	ahead = palloc0(sizeof(Interval));
	ahead->time = head > wall_us(&wall) ? (TimeOffset) (head - wall_us(&wall)) : 0;

	values[0] = Int32GetDatum(current_clock_id());
	nulls[1] = (tid == 0);
	values[1] = UInt64GetDatum((tid << ATID_CLOCK_ID_BITS) | (uint64) current_clock_id());
	nulls[2] = (v7 == 0);
	values[2] = TimestampTzGetDatum(timestamptz_of_us(atid_tick_to_us(ATID_TICK_V7, v7)));
	values[3] = IntervalPGetDatum(ahead);
	values[4] = BoolGetDatum(!RecoveryInProgress());
	values[5] = TimestampTzGetDatum(timestamptz_of_us(Min(horizon.us, HORIZON_MAX_US)));
	values[6] = TimestampTzGetDatum((TimestampTz) pg_atomic_read_u64(&generator->since));

	tuple = heap_form_tuple(BlessTupleDesc(desc), values, nulls);
	PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}

/*
 * generator_reset(): begin a new life at the wall clock, after an accident that
 * left the streams far ahead of it.
 *
 * Its price is the promise: what comes next is below what came before, and may
 * repeat it when the clock gets there.  The new life has a new random clock id,
 * which makes a repeated TID unlikely where atid.clock_id is not set.
 *
 * All of it happens with the page locked.  The life comes first: from there on
 * what other sessions have adopted is void, and they wait for the page.
 */
Datum
atid_generator_reset(PG_FUNCTION_ARGS)
{
	AtidHorizon horizon;
	struct timespec wall;
	uint64		life = new_life();

	if (generator == NULL)
		attach();

	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("recovery is in progress"),
				 errhint("Reset the generator on the primary.")));

	atid_horizon_lock(&horizon, true);
	Assert(horizon.writable);

	pg_atomic_write_u64(&generator->life, life);
	pg_memory_barrier();

	read_wall(&wall);
	atid_horizon_write(&horizon,
					   wall_us(&wall) + 2 + (uint64) atid_reserve * 1000, life);

	pg_atomic_write_u64(&generator->since, (uint64) GetCurrentTimestamp());
	pg_atomic_write_u64(&generator->offset,
						(uint64) ((int64) wall_us(&wall) - read_monotonic_us()));
	pg_atomic_write_u64(&generator->node, 0);
	for (int kind = 0; kind < STREAM_LINES; kind++)
		pg_atomic_write_u64(&generator->stream[kind].tick, 0);

	atid_horizon_unlock(&horizon);
	PG_RETURN_VOID();
}
