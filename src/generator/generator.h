/*-------------------------------------------------------------------------
 *
 * generator.h
 *		The streams that identifiers are drawn from.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_GENERATOR_H
#define ATID_GENERATOR_H

/* The last field of a TID. */
#define ATID_CLOCK_ID_BITS 10
#define ATID_CLOCK_ID_MAX 1023

/* GUCs, defined in atid.c */
extern int	atid_clock_id;
extern int	atid_max_drift;
extern int	atid_reserve;

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

extern uint64 atid_generator_next_tid(void);
extern bool atid_generator_next_tid_after(uint64 after, uint64 *tid);
extern uint64 atid_generator_next_v7(void);
extern uint64 atid_generator_next_gregorian(uint64 *node);
extern void atid_generator_inspect(AtidGeneratorState *state);
extern void atid_generator_restart(void);
extern void atid_generator_cover_streams(void);

#endif							/* ATID_GENERATOR_H */
