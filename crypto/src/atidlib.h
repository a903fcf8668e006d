/*-------------------------------------------------------------------------
 *
 * atidlib.h
 *		SQL functions of atid, called through its library.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ATIDLIB_H
#define ATID_ATIDLIB_H

#include "fmgr.h"

#define ATID_LIBRARY "$libdir/atid"

/* The functions that are called. */
typedef enum AtidFunction
{
	ATID_REPO_IS_VALID,
	ATID_REPO_RECORDS
} AtidFunction;

/*
 * Calls a function of one argument that does not return NULL.
 */
extern Datum atid_call(AtidFunction function, Datum arg);

/*
 * Calls a function of two arguments that returns a set.  Its rows become the result of the
 * call fcinfo, whose result must be returned as it is.  What the caller keeps in fn_extra is
 * its own: the function sees a copy of the FmgrInfo without it.
 */
extern Datum atid_call_for_rows(AtidFunction function, FunctionCallInfo fcinfo, Datum arg1,
								Datum arg2);

#endif							/* ATID_ATIDLIB_H */
