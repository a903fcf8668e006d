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

#define ATID_FAULT(symbol, words) symbol,
typedef enum AtidFault
{
#include "codec/faults.h"
	ATID_FAULTS					/* their number */
} AtidFault;

#undef ATID_FAULT

extern const char *atid_fault_words(AtidFault fault);

#endif							/* ATID_FAULT_H */
