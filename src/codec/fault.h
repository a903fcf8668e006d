/*-------------------------------------------------------------------------
 *
 * fault.h
 *		What can be wrong with a value.
 *
 * Pure code returns a fault and its place.  A fault of an inner value, such as a
 * CID in a block, is returned as it is.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FAULT_H
#define ATID_FAULT_H

#include <stdbool.h>

#define ATID_FAULT(symbol, words) symbol,
typedef enum AtidFault
{
#include "codec/faults.h"
	ATID_FAULTS					/* their number */
} AtidFault;

#undef ATID_FAULT

/* Before the type of a pure function whose result must be looked at. */
#ifdef __GNUC__
#define ATID_NODISCARD __attribute__((warn_unused_result))
#else
#define ATID_NODISCARD
#endif

/*
 * The rule that is broken: a sentence, without its place.
 */
extern const char *atid_fault_words(AtidFault fault);

/*
 * Do the words have a %s, in place of which stands what the fault is about?  They are
 * printed by atid_fault_sentence() alone.
 */
extern bool atid_fault_has_about(AtidFault fault);

/* Stops the compiler where a condition does not hold, such as an order of an enum. */
#define ATID_STATIC_ASSERT(condition) _Static_assert(condition, #condition)

#endif							/* ATID_FAULT_H */
