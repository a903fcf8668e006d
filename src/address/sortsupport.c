/*-------------------------------------------------------------------------
 *
 * sortsupport.c
 *		Sorting values of atid.did and atid.at_uri by abbreviated keys.
 *
 * The form on disk is in codec/text/packed.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "lib/hyperloglog.h"
#include "utils/sortsupport.h"

#include "address/types.h"
#include "compat.h"


/*
 * A sort by abbreviated keys: how many keys it has seen, and how many of them
 * differ.
 */
typedef struct SortState
{
	AtidSortKey sort_key;
	int64		input_count;
	bool		estimating;
	hyperLogLogState cardinality;
} SortState;

static Datum
abbreviate(Datum original, SortSupport ssup)
{
	SortState  *state = ssup->ssup_extra;
	bytea	   *value = DatumGetByteaPP(original);
	uint64		key = state->sort_key((const uint8_t *) VARDATA_ANY(value),
									  VARSIZE_ANY_EXHDR(value));

	state->input_count++;
	if (state->estimating)
		addHyperLogLog(&state->cardinality,
					   DatumGetUInt32(hash_uint32((uint32) key ^ (uint32) (key >> 32))));
	if (DatumGetPointer(original) != (Pointer) value)
		pfree(value);
	return UInt64GetDatum(key);
}

/*
 * Are there too few different keys for abbreviation to pay, as with few accounts?
 * The bounds are those of the server's own types: fewer than one different key in
 * 2000 values is too few, and 100000 different keys are enough.
 */
static bool
too_few_keys(int memtupcount, SortSupport ssup)
{
	SortState  *state = ssup->ssup_extra;
	double		keys;

	if (memtupcount < 10000 || state->input_count < 10000 || !state->estimating)
		return false;
	keys = estimateHyperLogLog(&state->cardinality);
	if (keys > 100000.0)
	{
		state->estimating = false;
		return false;
	}
	return keys < state->input_count / 2000.0 + 0.5;
}

void
atid_address_sort_support(SortSupport ssup, int (*comparator) (Datum x, Datum y, SortSupport ssup),
						  AtidSortKey sort_key)
{
	ssup->comparator = comparator;
	if (ssup->abbreviate)
	{
		MemoryContext caller = MemoryContextSwitchTo(ssup->ssup_cxt);
		SortState  *state = palloc(sizeof(SortState));

		state->sort_key = sort_key;
		state->input_count = 0;
		state->estimating = true;
		initHyperLogLog(&state->cardinality, 10);
		ssup->ssup_extra = state;
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = abbreviate;
		ssup->abbrev_abort = too_few_keys;
		ssup->abbrev_full_comparator = comparator;
		MemoryContextSwitchTo(caller);
	}
}
