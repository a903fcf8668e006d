/*-------------------------------------------------------------------------
 *
 * clock.c
 *		The arithmetic of a draw, over made-up clocks.
 *
 * Like the server's generator, draw() is a loop around atid_clock_draw(), but with
 * clocks that the test sets.
 *
 *-------------------------------------------------------------------------
 */
#include "generator/clock.h"

#include "tap.h"

#define SECOND	UINT64_C(1000000)	/* in us, as all times here */
#define HOUR	(3600 * SECOND)
#define DAY		(24 * HOUR)
#define YEAR_2026 UINT64_C(1767225600000000)

/* A world with two clocks and one stream. */
typedef struct World
{
	AtidTick	kind;
	int64_t		wall;			/* us since 1970, or before it */
	int64_t		monotonic;
	int64_t		offset;			/* greatest (wall - monotonic) noticed */
	uint64_t	max_drift_ms;
	uint64_t	last;			/* the stream */
	uint64_t	waited;			/* us spent waiting so far */
	uint64_t	draws;
	uint64_t	falls;			/* draws that did not rise */
} World;

static World
new_world(AtidTick kind, int64_t wall)
{
	World		w = {.kind = kind,.wall = wall,.monotonic = 12345};

	w.max_drift_ms = 60 * 1000;
	w.offset = INT64_MIN;
	return w;
}

static void
pass(World *w, uint64_t us)
{
	w->wall += (int64_t) us;
	w->monotonic += (int64_t) us;
}

static uint64_t
wall_us(const World *w)
{
	/* floor division: -1 us is second -1 and 999999 us of it */
	int64_t		sec = w->wall / 1000000 - (w->wall % 1000000 < 0);

	return atid_clock_us(sec, (w->wall - sec * 1000000) * 1000);
}

static int64_t
steady(World *w)
{
	int64_t		offset = (int64_t) wall_us(w) - w->monotonic;

	if (offset > w->offset)
		w->offset = offset;
	return w->monotonic + w->offset;
}

/* One draw; false where the field is full. */
static bool
draw(World *w)
{
	for (;;)
	{
		uint64_t	now = atid_tick_of_us(w->kind, wall_us(w));
		uint64_t	next;
		uint64_t	wait;

		(void) steady(w);
		switch (atid_clock_draw(w->kind, now, w->last, w->max_drift_ms, &next))
		{
			case ATID_DRAW_FULL:
				return false;
			case ATID_DRAW_AHEAD:
				wait = atid_clock_overrun_us(w->kind, next, steady(w), w->max_drift_ms);
				if (wait > 0)
				{
					pass(w, wait);
					w->waited += wait;
					continue;
				}
				break;
			case ATID_DRAW_TAKE:
				break;
		}
		if (w->draws++ > 0 && next <= w->last)
			w->falls++;
		w->last = next;
		return true;
	}
}

static void
draw_many(World *w, uint64_t n)
{
	while (n-- > 0)
		draw(w);
}

static uint64_t
last_us(const World *w)
{
	return atid_tick_to_us(w->kind, w->last);
}

static void
test_ticks(void)
{
	/* RFC 9562 section 6.2, method 3: 0.4567 ms * 4096 is 1870, 0x74E */
	is_u64(atid_tick_of_time(ATID_TICK_V7, 0, 456700), 0x74E,
		   "section 6.2: 0.4567 ms is the fraction 0x74E");
	is_u64(atid_tick_of_time(ATID_TICK_V7, 0, 999999), 0xFFF,
		   "the last nanosecond of a millisecond is the fraction 0xFFF");
	is_u64(atid_tick_of_time(ATID_TICK_V7, 0, 1000000), 0x1000,
		   "and the next is the next millisecond");

	/* Appendix A.6: 2022-02-22 14:22:22.00 -05:00, unix_ts_ms 0x017F22E279B0 */
	is_u64(atid_tick_of_time(ATID_TICK_V7, 1645557742, 0) >> 12,
		   UINT64_C(0x017F22E279B0), "appendix A.6: unix_ts_ms 0x017F22E279B0");

	is_u64(atid_tick_of_time(ATID_TICK_TID, 1688137381, 887007999),
		   UINT64_C(1688137381887007), "a TID's tick is the microsecond, rounded down");
	is_u64(atid_tick_of_time(ATID_TICK_TID, -1, 999999999), 0,
		   "1969 is tick 0 of a TID");
	is_u64(atid_tick_of_time(ATID_TICK_V7, -31536000, 0), 0,
		   "1969 is tick 0 of v7");

	/* Appendix A.1 and A.5: the same time in 100 ns since 1582 */
	is_u64(atid_tick_of_time(ATID_TICK_GREGORIAN, 1645557742, 0),
		   UINT64_C(0x1EC9414C232AB00), "appendix A.1: the timestamp 0x1EC9414C232AB00");
	is_u64(atid_tick_of_time(ATID_TICK_GREGORIAN, 1645557742, 999999999),
		   UINT64_C(0x1EC9414C232AB00) + 9999999, "a gregorian tick is 100 ns, rounded down");
	is_u64(atid_tick_to_us(ATID_TICK_GREGORIAN, UINT64_C(0x1EC9414C232AB00) + 19),
		   UINT64_C(1645557742000001), "and back to the microsecond");
	is_u64(atid_tick_of_time(ATID_TICK_GREGORIAN, -1, 0), ATID_GREGORIAN_EPOCH,
		   "1969 is the gregorian tick of 1970");
	is_u64(atid_tick_to_us(ATID_TICK_GREGORIAN, ATID_GREGORIAN_EPOCH - 1), 0,
		   "a gregorian tick before 1970 is microsecond 0");

	/* us * 4096 passes 2^64 in September 2112; this is New Year 2113 */
	is_u64(atid_tick_of_time(ATID_TICK_V7, INT64_C(4512672000), 500000000),
		   (UINT64_C(4512672000500) << 12), "2113: no overflow of the fraction");
	is_u64(atid_tick_of_us(ATID_TICK_V7, UINT64_C(4512672000500250)),
		   (UINT64_C(4512672000500) << 12) | 1024, "2113: nor from microseconds");
	is_u64(atid_tick_to_us(ATID_TICK_V7, (UINT64_C(4512672000500) << 12) | 1024),
		   UINT64_C(4512672000500250), "2113: nor to microseconds");

	/* the last microsecond of 53 bits is in June 2255 */
	is_u64(atid_tick_of_time(ATID_TICK_TID, INT64_C(9007199254), 740991000),
		   atid_tick_limit(ATID_TICK_TID) - 1, "2255: the last tick of a TID");
	is_u64(atid_tick_to_us(ATID_TICK_V7, atid_tick_limit(ATID_TICK_V7) - 1),
		   UINT64_C(281474976710655999), "10889: the last tick of v7");
}

static void
test_round_trips(void)
{
	bool		same = true;
	bool		inside = true;

	for (uint64_t us = YEAR_2026; us < YEAR_2026 + 3000; us++)
	{
		uint64_t	back = atid_tick_to_us(ATID_TICK_V7, atid_tick_of_us(ATID_TICK_V7, us));

		inside &= (back == us || back + 1 == us);
		same &= atid_tick_of_us(ATID_TICK_V7, us) ==
			atid_tick_of_time(ATID_TICK_V7, (int64_t) (us / 1000000),
							  (int64_t) (us % 1000000) * 1000);
	}
	ok(inside, "a microsecond comes back from its v7 tick, at most one lower");
	ok(same, "ticks of microseconds and of seconds and nanoseconds agree");
}

static void
test_shift(void)
{
	uint64_t	tick = atid_tick_of_us(ATID_TICK_V7, YEAR_2026 + 456);
	uint64_t	a,
				b;
	bool		rising = true;

	ok(atid_tick_shift_v7(tick, -(int64_t) DAY, &a) &&
	   a == tick - (UINT64_C(86400000) << 12), "a shift by a day keeps the fraction");
	ok(!atid_tick_shift_v7(tick, -(int64_t) (YEAR_2026 + DAY), &a),
	   "no shift to before 1970");
	ok(!atid_tick_shift_v7(tick, INT64_MAX, &a) &&
	   !atid_tick_shift_v7(tick, INT64_MIN, &a),
	   "nor by the greatest and lowest integer");
	ok(!atid_tick_shift_v7(tick, INT64_C(281474976710656000) - (int64_t) YEAR_2026, &a),
	   "nor to after 10889");
	for (uint64_t t = tick; t < tick + 5000; t++)
		rising &= atid_tick_shift_v7(t, 1234567, &a) &&
			atid_tick_shift_v7(t + 1, 1234567, &b) && a < b;
	ok(rising, "shifted ticks rise as the ticks do");
}

static void
test_world(AtidTick kind, const char *name)
{
	char		label[128];
	World		w;
	uint64_t	before;

#define LABEL(text) (snprintf(label, sizeof(label), "%s: %s", name, text), label)

	/* an ordinary day */
	w = new_world(kind, YEAR_2026);
	for (int i = 0; i < 1000; i++)
	{
		pass(&w, 1000);
		draw(&w);
	}
	is_u64(w.last, atid_tick_of_us(kind, wall_us(&w)), LABEL("slow draws are the wall clock"));

	/* the clock stands still */
	before = w.last;
	draw_many(&w, 10000);
	is_u64(w.last, before + 10000, LABEL("a clock that stands still: each draw is one tick later"));

	/* it goes back an hour, and catches up */
	w.wall -= HOUR;
	before = w.last;
	draw_many(&w, 10000);
	is_u64(w.last, before + 10000, LABEL("an hour back: the line is held"));
	is_u64(w.waited, 0, LABEL("an hour back: nobody waits"));
	pass(&w, HOUR + SECOND);
	draw(&w);
	is_u64(w.last, atid_tick_of_us(kind, wall_us(&w)),
		   LABEL("an hour later the stream is the wall clock again"));

	/* forward a day, and back */
	w.wall += DAY;
	draw(&w);
	is_u64(w.last, atid_tick_of_us(kind, wall_us(&w)), LABEL("a day forward: the stream follows"));
	before = w.last;
	w.wall -= DAY;
	draw_many(&w, 10000);
	is_u64(w.last, before + 10000, LABEL("and back: the line is held"));
	is_u64(w.waited, 0, LABEL("and back: nobody waits"));
	is_u64(w.falls, 0, LABEL("nothing has fallen or repeated"));

	/* a burst that takes no time, 3 drifts long */
	w = new_world(kind, YEAR_2026);
	w.max_drift_ms = 5;
	draw_many(&w, 3 * 5 * atid_ticks_per_ms(kind));
	ok(w.waited >= 9000 && w.waited <= 10000, LABEL("a burst of three drifts waits for two"));
	ok(last_us(&w) <= wall_us(&w) + 5000, LABEL("and ends no more than the drift ahead"));
	is_u64(w.falls, 0, LABEL("and has not fallen"));

	/* the same with the clock an hour back: the burst is bounded all the same */
	w = new_world(kind, YEAR_2026);
	w.max_drift_ms = 5;
	draw(&w);
	before = last_us(&w);
	w.wall -= HOUR;
	draw_many(&w, 3 * 5 * atid_ticks_per_ms(kind));
	ok(w.waited >= 9000 && w.waited <= 10000,
	   LABEL("an hour back, a burst of three drifts waits for two"));
	ok(last_us(&w) <= before + 5000 + w.waited,
	   LABEL("and ends no more than the drift ahead of the steady clock"));

	/* no drift allowed */
	w = new_world(kind, YEAR_2026);
	w.max_drift_ms = 0;
	draw_many(&w, 1000);
	is_u64(w.falls, 0, LABEL("without drift the stream still rises"));
	ok(w.waited > 0 && last_us(&w) <= wall_us(&w), LABEL("and is never ahead"));

	/* before the epoch */
	w = new_world(kind, -(int64_t) (300 * DAY));
	draw_many(&w, 1000);
	is_u64(w.last, atid_tick_of_us(kind, 0) + 999 + (kind != ATID_TICK_GREGORIAN),
		   LABEL("1969 counts from 1970"));
	is_u64(w.waited, 0, LABEL("and does not wait for it"));

	/* 2112, where us * 4096 would overflow */
	w = new_world(kind, INT64_C(4503599627370496) - 5000);
	for (int i = 0; i < 10000; i++)
	{
		pass(&w, 1);
		draw(&w);
	}
	is_u64(w.falls, 0, LABEL("2112: nothing falls"));
	ok(last_us(&w) + 1 >= wall_us(&w), LABEL("2112: the stream is the wall clock"));

	/* the end of the field */
	w = new_world(kind, (int64_t) atid_tick_to_us(kind, atid_tick_limit(kind) - 1) - 10);
	draw(&w);
	w.last = atid_tick_limit(kind) - 3;
	ok(draw(&w) && draw(&w), LABEL("the last two ticks are handed out"));
	ok(!draw(&w), LABEL("and none after them"));
	is_u64(w.last, atid_tick_limit(kind) - 1, LABEL("and the stream stays where it was"));
}

int
main(void)
{
	test_ticks();
	test_round_trips();
	test_shift();
	test_world(ATID_TICK_TID, "tid");
	test_world(ATID_TICK_V7, "v7");
	test_world(ATID_TICK_GREGORIAN, "gregorian");
	return done();
}
