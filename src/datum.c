/*-------------------------------------------------------------------------
 *
 * datum.c
 *		Results of SQL functions: bytes and rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "compat.h"
#include "datum.h"

Datum
atid_bytes_datum(const uint8_t *bytes, size_t len)
{
	bytea	   *result = palloc(VARHDRSZ + len);

	SET_VARSIZE(result, VARHDRSZ + len);
	memcpy(VARDATA(result), bytes, len);
	return PointerGetDatum(result);
}

Datum
atid_row_datum(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	tupdesc = fcinfo->flinfo->fn_extra;

	if (tupdesc == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		fcinfo->flinfo->fn_extra = BlessTupleDesc(tupdesc);
		MemoryContextSwitchTo(caller);
	}
	return HeapTupleGetDatum(heap_form_tuple(tupdesc, values, nulls));
}
