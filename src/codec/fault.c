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

#include <string.h>

#include "codec/formats.h"
#include "codec/limits.h"

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

bool
atid_fault_has_about(AtidFault fault)
{
	return strstr(atid_fault_words(fault), "%s") != NULL;
}
