/*-------------------------------------------------------------------------
 *
 * generator.h
 *		The streams that identifiers are drawn from.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_GENERATOR_H
#define ATID_GENERATOR_H

/* GUCs, defined in atid.c */
extern int	atid_clock_id;
extern int	atid_max_drift;
extern int	atid_reserve;

/* Did this session have other values for them than it has, by no will of its own? */
extern bool atid_settings_lost;

/* What generator_state() shows. */
typedef struct AtidGeneratorState
{
	int			clock_id;
	uint64		tid;			/* last ticks of the streams; 0 if none */
	uint64		v7;
	uint64		ahead_us;		/* how far the furthest stream is ahead of the
								 * clock */
	uint64		horizon_us;		/* us since the Unix epoch */
	int64		since;			/* a TimestampTz */
} AtidGeneratorState;

/*
 * What is drawn is greater than all that was drawn of its stream, in this database.  A draw
 * can wait for the clock, and raises an error where the field is full, or the horizon cannot
 * be read or written.
 *
 * A TID, as the integer itself: codec/text/tid.h has its parts.
 */
extern uint64 atid_generator_next_tid(void);

/*
 * A TID whose time is after that of a given one, too.  Returns false if the
 * given one is so far ahead of the clock that max_drift does not allow it.
 */
extern bool atid_generator_next_tid_after(uint64 after, uint64 *tid);

/*
 * The time of a version 7 UUID: 48 bits of milliseconds, 12 of fraction.
 */
extern uint64 atid_generator_next_v7(void);

/*
 * The time of a version 1 or 6 UUID, 60 bits of 100 ns since 1582, and in the
 * low 62 bits of *node the clock sequence (14) and the node (48) of this life.
 *
 * The node is random, never a MAC address, and has the multicast bit set, which
 * no such address has (section 6.10).  A life begins with another clock
 * sequence and node, as section 6.3 has it for a clock that may have gone back.
 */
extern uint64 atid_generator_next_gregorian(uint64 *node);

/*
 * What generator_state() shows.
 */
extern void atid_generator_inspect(AtidGeneratorState *state);

/*
 * Begin a new life at the wall clock, for generator_reset(): what comes next is
 * below what came before.
 */
extern void atid_generator_restart(void);

/*
 * Raise the horizon above all that the running streams have handed out, for
 * CREATE EXTENSION: the streams outlive DROP EXTENSION and the horizon does not.
 */
extern void atid_generator_cover_streams(void);

#endif							/* ATID_GENERATOR_H */
