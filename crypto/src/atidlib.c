/*-------------------------------------------------------------------------
 *
 * atidlib.c
 *		SQL functions of atid, called through its library.
 *
 * A repository is verified by atid's library only.  Its functions are found by their C
 * names, which later versions of the library must keep for databases that were made
 * with an earlier one.  So a call reads no catalogue and depends neither on
 * search_path nor on the version of the extension in the database.
 *
 * The pure files of src/codec/ that both libraries need are compiled into both.
 * crypto/Makefile says how their symbols are kept apart.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "atidlib.h"

static const char *const symbols[] = {
	[ATID_REPO_IS_VALID] = "atid_repo_is_valid",
	[ATID_REPO_RECORDS] = "atid_repo_records",
};

/* A library is never unloaded, so each function is looked up once. */
static PGFunction found[lengthof(symbols)];

static PGFunction
find_function(AtidFunction function)
{
	if (found[function] == NULL)
		found[function] = load_external_function(ATID_LIBRARY, symbols[function], true, NULL);
	return found[function];
}

Datum
atid_call(AtidFunction function, Datum arg)
{
	return DirectFunctionCall1(find_function(function), arg);
}

Datum
atid_call_for_rows(AtidFunction function, FunctionCallInfo fcinfo, Datum arg1, Datum arg2)
{
	LOCAL_FCINFO(call, 2);
	FmgrInfo	flinfo = *fcinfo->flinfo;

	flinfo.fn_extra = NULL;
	InitFunctionCallInfoData(*call, &flinfo, 2, fcinfo->fncollation, fcinfo->context,
							 fcinfo->resultinfo);
	call->args[0].value = arg1;
	call->args[0].isnull = false;
	call->args[1].value = arg2;
	call->args[1].isnull = false;
	return find_function(function) (call);
}
