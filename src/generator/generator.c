/*-------------------------------------------------------------------------
 *
 * generator.c
 *		How identifiers are drawn: each is new, and above all before it.
 *
 * The key idea: all sessions of a database raise one word in shared memory by
 * compare-and-swap, so its values rise and no two sessions get the same one.  A
 * crash loses the word.  So a time on disk is kept above it, and after a start
 * the word begins there.
 *
 * For example, 12:00:05 is on disk, and sessions draw up to just below it.  The
 * session that comes next writes 12:00:06, waits until that is on disk, and draws
 * 12:00:05.  If the server crashes now, the first draw after it is 12:00:06.
 *
 * Terms
 *
 *	stream	a word in shared memory that holds the last tick handed out, a tick
 *			being what an identifier's time is counted in (clock.c).  Each
 *			database has three, in its slot (slots.c): for TIDs, for version 7,
 *			and for versions 1 and 6.
 *	draw	take the next tick of a stream.
 *	horizon	a time on disk, above every tick handed out (horizon.c).
 *	life	the time in which a slot's streams only rise: from when the slot is
 *			taken to the stop of the server, or to generator_reset().  It has a
 *			random number.  The slot has it, and so has the horizon's page if
 *			the horizon was written in this life.
 *
 * Drawing
 *
 * A draw reads the wall clock, works out the next tick, and swaps it into the
 * stream's word if no other session has changed that meanwhile; else it tries
 * again from the word's new value.  Within a life a word only rises, and each of
 * its values is the result of one backend's swap.  So no tick is handed out
 * twice; and a draw that begins after another has ended finds that one's tick,
 * or a later one, in the word and gets a greater one, whichever sessions the two
 * belong to and whatever the clock does.
 *
 * Every check runs before the swap but one: whether the life has changed.  It can
 * change until the swap, so it is tested afterwards and the tick discarded.
 *
 * Crashes and restarts
 *
 * When the server stops, the streams are lost and the horizon is not.  A backend
 * swaps in a tick only if it knows a horizon above it that is on disk.  Else it
 * locks the horizon's page and reads it first:
 *
 *	- If the page has another life's number, all ticks below its horizon may have
 *	  been handed out: by a life that has ended, in the database that was
 *	  restored, or on the primary; or setval() wants them left out.  The backend
 *	  raises the streams to that horizon and then writes its own life's number
 *	  there, under one lock.  So a backend that finds this life's number finds
 *	  the streams raised, and they are raised once in a life and not by every
 *	  session.
 *	- If the page has this life's number, its horizon may have been written by
 *	  another session that has not flushed it yet.  So the backend flushes WAL up
 *	  to the page's LSN, whoever wrote it, before it uses the horizon.
 *
 * So a crash finds a horizon on disk above all ticks in use, and after it no
 * stream starts below that.  A backend that knows no horizon in this life may
 * draw no tick: after a start nobody draws before the streams are raised.
 *
 * A backend forgets the horizon at the end of the wall clock's second, when the
 * life changes, and when the sequence is altered.  So a horizon that is restored
 * into a running database is noticed within a second.
 *
 * In recovery nothing can be written: each draw locks the page, raises the
 * streams to its horizon, and promises no more than that.  The first draw after a
 * promotion finds the primary's number on the page.
 *
 * The order of memory accesses: slots.h says at each field what makes a read
 * without a lock safe.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/latch.h"
#include "utils/inval.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "generator/clock.h"
#include "generator/generator.h"
#include "generator/horizon.h"
#include "generator/random.h"
#include "generator/slots.h"

/* Raising the streams this far ahead of the clock is worth a warning. */
#define FAR_AHEAD_US	UINT64CONST(86400000000)

/*
 * No horizon is above the last time that any identifier can hold (10889): more
 * would only overflow the arithmetic of ticks.
 */
#define HORIZON_MAX_US	((UINT64CONST(1) << 48) * 1000)

/* This database's, once this backend has used it. */
static AtidGenerator *generator = NULL;

/* A horizon that is on disk, as this backend knows. */
static struct
{
	uint64		life;			/* good in this life only */
	time_t		second;			/* and in this second of the wall clock */
	Oid			relid;			/* and while this sequence is not altered */
	uint64		limit[ATID_TICK_KINDS]; /* the first ticks that are not
										 * covered; 0 if there is no horizon */
}			known;


static void
forget_horizon(void)
{
	memset(&known, 0, sizeof(known));
}

static void
forget_changed_sequence(Datum arg, Oid relid)
{
	/* InvalidOid means all relations */
	if (relid == known.relid || !OidIsValid(relid))
		forget_horizon();
}

/*
 * See that this backend has its database's generator.
 */
static void
find_generator(void)
{
	if (generator != NULL)
		return;
	if (atid_settings_lost)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("settings of the generator were lost in this session"),
				 errdetail("The library of atid was loaded in a parallel query, and this version of PostgreSQL then ignores atid.clock_id, atid.max_drift and atid.reserve."),
				 errhint("Update the server to 15.9, 16.5, 17.1 or later, or set session_preload_libraries to \"atid\". Then reconnect.")));
	generator = atid_slots_find_or_take();
	CacheRegisterRelcacheCallback(forget_changed_sequence, (Datum) 0);
}


/*
 * Clocks
 */

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
 * Raise a stream's word to a value, if it is below.
 */
static void
raise_stream(pg_atomic_uint64 *word, uint64 value)
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
 * Raise all streams to a time: the ticks that come next are not below it.  A
 * stream whose field ends below that time is full.
 *
 * The steady clock is raised just so far that the first draw need not wait for
 * it.  Were it raised to that time itself, each start would allow a burst to run
 * ahead by another max_drift.
 */
static void
raise_streams(uint64 start_us)
{
	uint64		max_drift_us = (uint64) atid_max_drift * 1000;

	if (start_us > max_drift_us)
		(void) raise_steady(start_us - max_drift_us);
	for (int kind = 0; kind < ATID_TICK_KINDS; kind++)
	{
		uint64		first = Min(atid_tick_of_us((AtidTick) kind, start_us),
								atid_tick_limit((AtidTick) kind));

		if (first > 0)
			raise_stream(&generator->stream[kind].tick, first - 1);
	}
}

/*
 * The time of the stream that is furthest ahead.
 */
static uint64
furthest_stream_us(void)
{
	uint64		head = 0;

	for (int kind = 0; kind < ATID_TICK_KINDS; kind++)
	{
		uint64		tick = pg_atomic_read_u64(&generator->stream[kind].tick);

		head = Max(head, atid_tick_to_us((AtidTick) kind, tick));
	}
	return head;
}

static void
warn_far_ahead(void)
{
	ereport(WARNING,
			(errmsg("identifiers of this database are more than a day ahead of the clock"),
			 errdetail("The next identifiers must be above the horizon on disk, which is that far ahead."),
			 errhint("If the clock is right, and was wrong before, a superuser can call atid.generator_reset().")));
}

/*
 * Write a horizon, and remember it for the rest of the life: from then on no
 * session writes a lower one, even where setval() has overwritten the page and
 * the clock was set back.  Others may still draw up to the horizon that they know.
 *
 * model: page_write
 */
static void
write_horizon(AtidHorizon *horizon, uint64 us, uint64 life)
{
	generator->reached_us = Min(us, HORIZON_MAX_US);
	atid_horizon_write(horizon, generator->reached_us, life);
}

/*
 * Lock and read the horizon's page, raise the horizon if it is not above the
 * ticks that come next, also if they are to come after a given time, and remember
 * it once it is on disk.  Returns false where nothing can be written, which is in
 * recovery.  Compares the clocks on the way.
 *
 * tries counts the calls that this draw has just made: where the disk takes longer
 * for a flush than the horizon is raised by, the clock has passed it on return,
 * and it must be raised by more.
 */
static bool
refresh_horizon(const struct timespec *wall, uint64 after_us, int tries)
{
	uint64		reserve_us = (uint64) atid_reserve * 1000 << Min(tries, 20);
	AtidHorizon horizon;
	uint64		life;
	uint64		needed;
	bool		far_ahead = false;

	(void) raise_steady(wall_us(wall));

	/* model: page_lock */
	atid_horizon_lock(&horizon, true);
	life = pg_atomic_read_u64(&generator->life);
	if (horizon.life != life)
	{
		/* model: streams_raise */
		uint64		start_us = Min(horizon.us, HORIZON_MAX_US);

		raise_streams(start_us);
		far_ahead = start_us > wall_us(wall) + FAR_AHEAD_US;
	}
	if (!horizon.writable)
	{
		atid_horizon_unlock(&horizon);
		return false;
	}

	/* room for one tick of any kind, or the draw would come back at once */
	needed = Max(Max(wall_us(wall), furthest_stream_us()), after_us) + 2;
	if (horizon.life != life || horizon.us < needed)
		write_horizon(&horizon, Max(needed + reserve_us, generator->reached_us), life);
	atid_horizon_unlock(&horizon);

	for (int kind = 0; kind < ATID_TICK_KINDS; kind++)
		known.limit[kind] = atid_tick_of_us((AtidTick) kind, horizon.us);
	known.life = life;
	known.second = wall->tv_sec;
	known.relid = horizon.relid;

	if (far_ahead)
		warn_far_ahead();
	return true;
}


/*
 * Drawing
 */

/* Is a tick below the horizon that this backend knows? */
static pg_attribute_always_inline bool
is_covered(AtidTick kind, uint64 tick, const struct timespec *wall)
{
	return known.second == wall->tv_sec && tick < known.limit[kind];
}

pg_noreturn static void
raise_full(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("could not generate an identifier: its time field is full"),
			 errdetail("The stream has reached the last time that the identifier can hold."),
			 errhint("If the clock is right, and was wrong before, a superuser can call atid.generator_reset().")));
}

/*
 * Take the next tick of a stream, one above `after` too, and report in which life it
 * was taken.  Where that is further ahead of the clock than max_drift allows, wait;
 * but if it is `after` that is so far ahead, return 0, which is no tick.
 *
 * A cancel, a timeout or a termination ends the draw between two tries, with
 * nothing taken from the stream.
 *
 * Called with a constant kind, so that each caller gets a copy with that
 * stream's arithmetic only.
 */
static pg_attribute_always_inline uint64
draw_tick(AtidTick kind, uint64 after, uint64 *life)
{
	pg_atomic_uint64 *word;
	int			tries = 0;

	if (unlikely(generator == NULL))
		find_generator();
	word = &generator->stream[kind].tick;

	for (;;)
	{
		struct timespec wall;
		uint64		now;
		uint64		last;
		uint64		next;
		uint64		wait;

		CHECK_FOR_INTERRUPTS();

		/* model: draw_clock */
		clock_gettime(CLOCK_REALTIME, &wall);
		now = atid_tick_of_time(kind, wall.tv_sec, wall.tv_nsec);
		/* model: draw_word */
		last = pg_atomic_read_u64(word);

		switch (atid_clock_draw(kind, now, Max(last, after), atid_max_drift, &next))
		{
			case ATID_DRAW_TAKE:
				break;

			case ATID_DRAW_AHEAD:
				/* if the wall clock was set back, the steady one was not */
				wait = atid_clock_overrun_us(kind, next, raise_steady(wall_us(&wall)),
											 atid_max_drift);
				if (wait == 0)
					break;
				if (after > last)
					return 0;
				wait_for_clock(wait);
				tries = 0;
				continue;

			case ATID_DRAW_FULL:
				if (after > last)
					return 0;
				raise_full();
		}

		/* in recovery it is enough that the streams have been raised */
		*life = known.life;
		if (unlikely(!is_covered(kind, next, &wall)))
		{
			*life = pg_atomic_read_u64(&generator->life);
			if (refresh_horizon(&wall, atid_tick_to_us(kind, after), tries++) ||
				!RecoveryInProgress())
				continue;
		}

		/*
		 * If another session was faster, it got a tick, and we try the next.
		 *
		 * model: draw_swap
		 */
		if (unlikely(!pg_atomic_compare_exchange_u64(word, &last, next)))
			continue;

		/*
		 * Was it all in one life?  If its number is the same after the swap,
		 * the known horizon is above the tick.  If not, that horizon is void,
		 * and the tick is discarded.
		 *
		 * model: draw_life
		 */
		if (likely(pg_atomic_read_u64(&generator->life) == *life))
			return next;
		forget_horizon();
	}
}

/*
 * The clock id of what is drawn in a life.  On a standby the configured id is the
 * primary's, and both may draw at once.
 */
static inline int
clock_id_of(uint64 life)
{
	if (atid_clock_id >= 0 && !RecoveryInProgress())
		return atid_clock_id;
	return (int) (life & ATID_TID_CLOCK_ID_MAX);
}

uint64
atid_generator_next_tid(void)
{
	uint64		life;
	uint64		us = draw_tick(ATID_TICK_TID, 0, &life);

	return atid_tid_of_parts(us, (uint64) clock_id_of(life));
}

bool
atid_generator_next_tid_after(uint64 after, uint64 *tid)
{
	uint64		life;
	uint64		us = draw_tick(ATID_TICK_TID, atid_tid_us(after), &life);

	if (us == 0)
		return false;
	*tid = atid_tid_of_parts(us, (uint64) clock_id_of(life));
	return true;
}

uint64
atid_generator_next_v7(void)
{
	uint64		life;

	return draw_tick(ATID_TICK_V7, 0, &life);
}

uint64
atid_generator_next_gregorian(uint64 *node)
{
	uint64		tick;
	uint64		life;

	do
	{
		tick = draw_tick(ATID_TICK_GREGORIAN, 0, &life);

		*node = pg_atomic_read_u64(&generator->node);
		if (unlikely(*node == 0))
		{
			uint64		drawn = (atid_random_bits() >> 2) | UINT64CONST(0x010000000000);

			/* on failure *node becomes the one of another session */
			if (pg_atomic_compare_exchange_u64(&generator->node, node, drawn))
				*node = drawn;
		}

		/* is the node of the tick's life?  A reset writes the life first. */
		pg_read_barrier();
	} while (unlikely(pg_atomic_read_u64(&generator->life) != life));
	return tick;
}


void
atid_generator_inspect(AtidGeneratorState *state)
{
	AtidHorizon horizon;
	struct timespec wall;
	uint64		furthest;

	find_generator();

	atid_horizon_lock(&horizon, false);
	atid_horizon_unlock(&horizon);
	state->horizon_us = Min(horizon.us, HORIZON_MAX_US);

	/* streams before the clock: what is drawn meanwhile is not ahead of it */
	state->tid = pg_atomic_read_u64(&generator->stream[ATID_TICK_TID].tick);
	state->v7 = pg_atomic_read_u64(&generator->stream[ATID_TICK_V7].tick);
	furthest = furthest_stream_us();
	clock_gettime(CLOCK_REALTIME, &wall);
	state->ahead_us = furthest > wall_us(&wall) ? furthest - wall_us(&wall) : 0;

	state->clock_id = clock_id_of(pg_atomic_read_u64(&generator->life));
	state->since = (int64) pg_atomic_read_u64(&generator->since);
}


/*
 * New lives
 */

/*
 * All of it happens with the page locked.  The life comes first: from there on
 * the horizon that other sessions know is void, and they wait for the page.
 */
void
atid_generator_restart(void)
{
	AtidHorizon horizon;
	struct timespec wall;
	uint64		life = atid_slots_new_life();

	find_generator();

	atid_horizon_lock(&horizon, true);
	Assert(horizon.writable);

	/* model: reset_life */
	pg_atomic_write_u64(&generator->life, life);
	pg_memory_barrier();

	/* model: reset_page */
	clock_gettime(CLOCK_REALTIME, &wall);
	write_horizon(&horizon, wall_us(&wall) + 2 + (uint64) atid_reserve * 1000, life);

	pg_atomic_write_u64(&generator->since, (uint64) GetCurrentTimestamp());
	pg_atomic_write_u64(&generator->offset,
						(uint64) ((int64) wall_us(&wall) - read_monotonic_us()));
	pg_atomic_write_u64(&generator->node, 0);
	/* model: reset_word */
	for (int kind = 0; kind < ATID_STREAM_LINES; kind++)
		pg_atomic_write_u64(&generator->stream[kind].tick, 0);

	atid_horizon_unlock(&horizon);
}

/*
 * The new number makes other sessions forget the horizon of the dropped sequence,
 * so nothing is handed out after the streams have been read here that is not
 * below the new one.  The life goes on in all else, the clock id too.
 *
 * The commit must be on disk before others see it.  They draw up to the horizon of
 * the new sequence, and a crash that loses the commit brings back the old one,
 * which is not above what they were given.
 */
void
atid_generator_cover_streams(void)
{
	AtidHorizon horizon;
	uint64		furthest;
	uint64		life = atid_slots_new_life();

	if (atid_slots_find() == NULL)
		return;
	find_generator();

	ForceSyncCommit();

	atid_horizon_lock(&horizon, true);
	Assert(horizon.writable);

	/* model: cover_life */
	life &= ~(uint64) ATID_TID_CLOCK_ID_MAX;
	life |= pg_atomic_read_u64(&generator->life) & ATID_TID_CLOCK_ID_MAX;
	pg_atomic_write_u64(&generator->life, life);
	pg_memory_barrier();

	/*
	 * Each word is written to, with the value that it has, so that a swap
	 * fails which began before the life was changed.
	 *
	 * model: cover_word
	 */
	for (int kind = 0; kind < ATID_TICK_KINDS; kind++)
		(void) pg_atomic_fetch_add_u64(&generator->stream[kind].tick, 0);
	furthest = furthest_stream_us();
	if (furthest > 0)
		write_horizon(&horizon, furthest + 2 + (uint64) atid_reserve * 1000, life);
	atid_horizon_unlock(&horizon);
}
