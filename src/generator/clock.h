/*-------------------------------------------------------------------------
 *
 * clock.h
 *		Ticks of the streams, and the arithmetic of a draw.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_CLOCK_H
#define ATID_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/text/tid.h"

/* What a stream counts in; see clock.c. */
typedef enum AtidTick
{
	ATID_TICK_TID,				/* 1 us */
	ATID_TICK_V7,				/* 1/4096 ms */
	ATID_TICK_GREGORIAN			/* 100 ns, since 1582 */
} AtidTick;

#define ATID_TICK_KINDS 3

/* The Unix epoch, in 100 ns since 1582-10-15 (RFC 9562 section 5.1). */
#define ATID_GREGORIAN_EPOCH UINT64_C(0x01B21DD213814000)

/* What may be done with the tick that comes next. */
typedef enum AtidDraw
{
	ATID_DRAW_TAKE,				/* hand it out */
	ATID_DRAW_AHEAD,			/* far ahead of the wall clock: ask the steady
								 * clock first */
	ATID_DRAW_FULL				/* the field is full: there is no next tick */
} AtidDraw;

/*
 * Microseconds since the Unix epoch of a time of day; 0 for all before.
 */
extern uint64_t atid_clock_us(int64_t sec, int64_t nsec);

/*
 * The tick that holds a time given in microseconds since the Unix epoch.  The
 * time must be below 2^64 / 4096 ms, as all are that come from a timestamp.
 */
extern uint64_t atid_tick_of_us(AtidTick kind, uint64_t us);

/*
 * The microsecond in which a tick begins; 0 for one before 1970.
 */
extern uint64_t atid_tick_to_us(AtidTick kind, uint64_t tick);

/*
 * Move a tick of v7 by some microseconds.  One shift applied to rising ticks
 * gives rising ticks, and a shift by whole milliseconds keeps the fraction.
 * Returns false where the result would leave the field.
 */
extern bool atid_tick_shift_v7(uint64_t tick, int64_t us, uint64_t *result);

/*
 * How long a draw of the tick `next` must wait, in microseconds: until the
 * steady clock is no more than max_drift_ms behind it.  0 says go.
 */
extern uint64_t atid_clock_overrun_us(AtidTick kind, uint64_t next,
									  int64_t steady_us, uint64_t max_drift_ms);

/*
 * The first tick that the identifier's time field cannot hold: 53 bits of
 * microseconds (year 2255), 48 + 12 bits of milliseconds and fraction (10889),
 * 60 bits of 100 ns (5236; section 6.1 says 5623, which is a slip).
 */
static inline uint64_t
atid_tick_limit(AtidTick kind)
{
	return kind == ATID_TICK_TID ? ATID_TID_US_END : UINT64_C(1) << 60;
}

static inline uint64_t
atid_ticks_per_ms(AtidTick kind)
{
	return kind == ATID_TICK_TID ? 1000 : kind == ATID_TICK_V7 ? 4096 : 10000;
}

/*
 * The tick that holds the given time of day.  Times before 1970 count as 1970.
 */
static inline uint64_t
atid_tick_of_time(AtidTick kind, int64_t sec, int64_t nsec)
{
	if (sec < 0)
		sec = nsec = 0;
	if (kind == ATID_TICK_TID)
		return (uint64_t) sec * 1000000 + (uint64_t) nsec / 1000;
	if (kind == ATID_TICK_GREGORIAN)
		return (uint64_t) sec * 10000000 + (uint64_t) nsec / 100 + ATID_GREGORIAN_EPOCH;

	/* section 6.2, method 3: the fraction of the millisecond, times 2^12 */
	return (((uint64_t) sec * 1000 + (uint64_t) nsec / 1000000) << 12) |
		(((uint64_t) nsec % 1000000) << 12) / 1000000;
}

/*
 * The heart of the generator: which tick comes after `last` at the time `now`,
 * and may it be taken?
 *
 * *next is the wall clock where that has moved on and last + 1 where it has
 * not, whether because two draws fell on one tick, or because the clock stands
 * still, or because it was set back.
 */
static inline AtidDraw
atid_clock_draw(AtidTick kind, uint64_t now, uint64_t last,
				uint64_t max_drift_ms, uint64_t *next)
{
	*next = last < now ? now : last + 1;
	if (*next >= atid_tick_limit(kind))
		return ATID_DRAW_FULL;
	if (*next - now > max_drift_ms * atid_ticks_per_ms(kind))
		return ATID_DRAW_AHEAD;
	return ATID_DRAW_TAKE;
}

#endif							/* ATID_CLOCK_H */
