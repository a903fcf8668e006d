/*-------------------------------------------------------------------------
 *
 * fault.h
 *		What can be wrong with a value.
 *
 * Pure code returns a fault and its place.  A fault of what is inside, such as
 * that of a CID in a block, is returned as itself, so one number tells all.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FAULT_H
#define ATID_FAULT_H

#define ATID_FAULT(symbol, words) symbol,
typedef enum AtidFault
{
#include "codec/faults.h"
	ATID_FAULTS					/* their number */
} AtidFault;

#undef ATID_FAULT

extern const char *atid_fault_words(AtidFault fault);

#endif							/* ATID_FAULT_H */
