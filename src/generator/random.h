/*-------------------------------------------------------------------------
 *
 * random.h
 *		Random bits for identifiers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_RANDOM_H
#define ATID_RANDOM_H

extern uint64 atid_random_bits(void);

#endif							/* ATID_RANDOM_H */
