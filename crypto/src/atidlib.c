/*-------------------------------------------------------------------------
 *
 * atidlib.c
 *		SQL functions of atid, called through its library.
 *
 * What atid's library does already is not done a second time here: a jsonb
 * becomes DAG-CBOR in one place, and a repository is verified in one.  The
 * functions are found by the names that the install script of atid gives to
 * CREATE FUNCTION, which a later version of the library has to keep for the sake of
 * databases that were made by an earlier one.  That needs no look at the
 * catalogue, depends on no search_path, and does not mind which version of the
 * extension the database has: what counts is the library.
 *
 * The rest that the two libraries have in common are pure files of src/codec/,
 * compiled into both.  crypto/Makefile says how their symbols are kept apart.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "atidlib.h"

#define ATID_LIBRARY "$libdir/atid"

static const char *const symbols[] = {
	[ATID_RECORD_IS_VALID] = "atid_record_is_valid",
	[ATID_RECORD_TO_DAG_CBOR] = "atid_record_to_dag_cbor",
	[ATID_REPO_IS_VALID] = "atid_repo_is_valid",
};

/*
 * What has been found.  A library stays where it was loaded as long as the
 * backend lives, so that these are found once.
 */
static PGFunction found[lengthof(symbols)];

/*
 * Call a function of one argument that does not answer NULL.
 */
Datum
atid_call(AtidFunction function, Datum arg)
{
	if (found[function] == NULL)
		found[function] = load_external_function(ATID_LIBRARY, symbols[function], true, NULL);
	return DirectFunctionCall1(found[function], arg);
}
