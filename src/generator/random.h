/*-------------------------------------------------------------------------
 *
 * random.h
 *		Random bits for identifiers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_RANDOM_H
#define ATID_RANDOM_H

/*
 * 64 cryptographically strong random bits.  Raises an error where the
 * operating system has none to give.
 */
extern uint64 atid_random_bits(void);

#endif							/* ATID_RANDOM_H */
