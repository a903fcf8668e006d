/*-------------------------------------------------------------------------
 *
 * jsonbuild.h
 *		Building a jsonb from events, by the server's pushJsonbValue().
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_JSONBUILD_H
#define ATID_JSONBUILD_H

#include "utils/jsonb.h"

#include "compat.h"

/* What builds a jsonb; result is set when the outermost value has ended. */
#ifdef ATID_HAVE_JSONB_IN_STATE

typedef JsonbInState AtidJsonbBuilder;

static inline void
atid_push_jsonb(AtidJsonbBuilder *builder, JsonbIteratorToken token, JsonbValue *v)
{
	pushJsonbValue(builder, token, v);
}

#else

typedef struct AtidJsonbBuilder
{
	JsonbParseState *state;
	JsonbValue *result;
} AtidJsonbBuilder;

static inline void
atid_push_jsonb(AtidJsonbBuilder *builder, JsonbIteratorToken token, JsonbValue *v)
{
	builder->result = pushJsonbValue(&builder->state, token, v);
}

#endif

#endif							/* ATID_JSONBUILD_H */
