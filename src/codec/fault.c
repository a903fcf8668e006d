/*-------------------------------------------------------------------------
 *
 * fault.c
 *		The words of faults.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/fault.h"

#include "codec/address.h"
#include "codec/car.h"
#include "codec/commit.h"
#include "codec/dagcbor.h"
#include "codec/event.h"
#include "codec/format.h"
#include "codec/frame.h"
#include "codec/mst.h"
#include "codec/multiformat.h"
#include "codec/syntax.h"

/* The limits are bare decimal numbers, so that they can stand in words. */
#define STRING_OF(x)	#x
#define NUMBER(x)		STRING_OF(x)

const char *
atid_fault_words(AtidFault fault)
{
#define ATID_FAULT(symbol, words) words,
	static const char *const words_of[] = {
#include "codec/faults.h"
	};

	return words_of[fault];
}
