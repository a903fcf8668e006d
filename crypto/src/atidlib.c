/*-------------------------------------------------------------------------
 *
 * atidlib.c
 *		SQL functions of atid, called through its library.
 *
 * What atid's library does already is not done a second time here: a repository
 * is verified in one place.  The functions are found by the names that the install
 * script of atid gives to CREATE FUNCTION, which a later version of the library has
 * to keep for the sake of databases that were made by an earlier one.  That needs no
 * look at the catalogue, depends on no search_path, and does not mind which version
 * of the extension the database has: what counts is the library.
 *
 * The rest that the two libraries have in common are pure files of src/codec/,
 * compiled into both.  crypto/Makefile says how their symbols are kept apart.
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

/*
 * What has been found.  A library stays where it was loaded as long as the
 * backend lives, so that these are found once.
 */
static PGFunction found[lengthof(symbols)];

static PGFunction
find_function(AtidFunction function)
{
	if (found[function] == NULL)
		found[function] = load_external_function(ATID_LIBRARY, symbols[function], true, NULL);
	return found[function];
}

/*
 * Call a function of one argument that does not answer NULL.
 */
Datum
atid_call(AtidFunction function, Datum arg)
{
	return DirectFunctionCall1(find_function(function), arg);
}

/*
 * Call a function of two arguments that returns rows: those of the function whose call
 * fcinfo is.
 */
Datum
atid_call_for_rows(AtidFunction function, FunctionCallInfo fcinfo, Datum arg1, Datum arg2)
{
	LOCAL_FCINFO(call, 2);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 2, fcinfo->fncollation, fcinfo->context,
							 fcinfo->resultinfo);
	call->args[0].value = arg1;
	call->args[0].isnull = false;
	call->args[1].value = arg2;
	call->args[1].isnull = false;
	return find_function(function) (call);
}
