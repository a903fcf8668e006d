/*-------------------------------------------------------------------------
 *
 * clock.c
 *		Ticks of the streams, and the arithmetic of a draw.
 *
 * A stream is a 64-bit count of ticks since an epoch, the Unix epoch if nothing
 * else is said, and each tick is handed out once at most:
 *
 *	TID		microseconds, below 2^53 (year 2255)
 *	v7		milliseconds << 12 | fraction, below 2^60 (year 10889), where the
 *			fraction is that of the millisecond times 4096, rounded down
 *			(RFC 9562 section 6.2, method 3)
 *	gregorian	100 ns since 1582-10-15, for versions 1 and 6, below 2^60 (year
 *			5236)
 *
 * Three clocks take part:
 *
 *	wall	CLOCK_REALTIME; it may be set back and forth at any time.
 *	monotonic CLOCK_MONOTONIC; it never steps, but has no date.
 *	steady	monotonic + offset, where offset is the greatest that
 *			(wall - monotonic) has been in this life of the streams, or greater
 *			where the streams were raised by more than max_drift.  It does not
 *			fall, and is never behind the wall clock for longer than it takes to
 *			notice.
 *
 * A stream can be ahead of the wall clock for two reasons: a burst handed out
 * more than a tick's worth per tick, or the wall clock was set back.  The first
 * must be bounded and the second must not stall anyone, and only the steady
 * clock tells one from the other: it stayed where it was when the wall clock
 * was set back.  As it is never behind the wall clock, it need not be asked
 * while the stream is within max_drift of that.
 *
 * Invariants:
 *	- the next tick is above the last, whatever the clocks say;
 *	- no product overflows for any time that a field can hold (us * 4096 would,
 *	  from the year 2112 on, so milliseconds are split off first);
 *	- times before 1970 count as 1970.
 *
 * Pure code: clocks come as numbers, so that tests can make them up.
 *
 *-------------------------------------------------------------------------
 */
#include "generator/clock.h"

uint64_t
atid_clock_us(int64_t sec, int64_t nsec)
{
	return atid_tick_of_time(ATID_TICK_TID, sec, nsec);
}

uint64_t
atid_tick_of_us(AtidTick kind, uint64_t us)
{
	if (kind == ATID_TICK_TID)
		return us;
	if (kind == ATID_TICK_GREGORIAN)
		return us * 10 + ATID_GREGORIAN_EPOCH;
	return ((us / 1000) << 12) | ((us % 1000) << 12) / 1000;
}

uint64_t
atid_tick_to_us(AtidTick kind, uint64_t tick)
{
	if (kind == ATID_TICK_TID)
		return tick;
	if (kind == ATID_TICK_GREGORIAN)
		return tick < ATID_GREGORIAN_EPOCH ? 0 : (tick - ATID_GREGORIAN_EPOCH) / 10;
	return (tick >> 12) * 1000 + (((tick & 0xFFF) * 1000) >> 12);
}

bool
atid_tick_shift_v7(uint64_t tick, int64_t us, uint64_t *result)
{
	uint64_t	magnitude = us < 0 ? 0 - (uint64_t) us : (uint64_t) us;
	uint64_t	ticks;

	/* the field spans 2^48 milliseconds */
	if (magnitude / 1000 >= UINT64_C(1) << 48)
		return false;
	ticks = atid_tick_of_us(ATID_TICK_V7, magnitude);
	if (us < 0)
	{
		if (ticks > tick)
			return false;
		*result = tick - ticks;
	}
	else
		*result = tick + ticks;
	return *result < atid_tick_limit(ATID_TICK_V7);
}

uint64_t
atid_clock_overrun_us(AtidTick kind, uint64_t next, int64_t steady_us,
					  uint64_t max_drift_ms)
{
	int64_t		allowed = steady_us + (int64_t) (max_drift_ms * 1000);
	int64_t		wanted = (int64_t) atid_tick_to_us(kind, next);

	return wanted > allowed ? (uint64_t) (wanted - allowed) : 0;
}
