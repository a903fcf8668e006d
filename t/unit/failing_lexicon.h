/*-------------------------------------------------------------------------
 * failing_lexicon.h
 *		Compiling a set of Lexicons with memory that may fail.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FAILING_LEXICON_H
#define ATID_FAILING_LEXICON_H

#include <stdint.h>
#include <stdlib.h>

#include "codec/lexicon/compile.h"
#include "failing.h"
#include "merge_sort.h"

typedef struct SetBytes
{
	const uint8_t *data;
	size_t		len;
} SetBytes;

/* A task for fails_cleanly(); arg is a SetBytes.  After a fault there is nothing to free. */
static inline AtidFault
compile_or_fail(void *arg, Failing *memory)
{
	const SetBytes *input = arg;
	AtidLexCaller caller = {failing_memory, merge_sort, NULL, memory};
	AtidLexicon set;
	size_t		at;
	AtidFault	fault = atid_lexicon_compile(&set, &caller, input->data, input->len, &at);

	if (fault == ATID_OK)
		atid_lexicon_free(&set, &caller);
	if (set.bytes != NULL || set.node_count != 0 || set.nodes != NULL)
		abort();
	return fault;
}

#endif							/* ATID_FAILING_LEXICON_H */
