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

/* The function of this name, whose result is this expression of fcinfo. */
#define ATID_FUNCTION(name, result) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		return result; \
	}

#endif							/* ATID_FUNCTION_H */
