/*-------------------------------------------------------------------------
 *
 * function.h
 *		Functions of SQL that come in groups, each of one expression.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FUNCTION_H
#define ATID_FUNCTION_H

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

/* The function of this name, whose result is this expression of fcinfo. */
#define ATID_FUNCTION(name, result) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		return result; \
	}

/*
 * The value of a character(n), by the input function of a type: the text without its
 * padding, as the server's own cast to text has it.
 */
#define ATID_FROM_CHAR(name, input) \
	ATID_FUNCTION(name, atid_from_char(fcinfo, input))

static inline Datum
atid_from_char(FunctionCallInfo fcinfo, PGFunction input)
{
	text	   *s = DatumGetTextPP(DirectFunctionCall1(rtrim1, PG_GETARG_DATUM(0)));

	return DirectFunctionCall1(input, CStringGetDatum(text_to_cstring(s)));
}

#endif							/* ATID_FUNCTION_H */
