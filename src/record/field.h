/*-------------------------------------------------------------------------
 *
 * field.h
 *		Where a path leads in a block.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FIELD_H
#define ATID_FIELD_H

#include "fmgr.h"

#include "codec/cbor/dagcbor.h"
#include "codec/cbor/seek.h"

typedef struct AtidField
{
	bytea	   *block;
	AtidSeek	seek;
	bool		whole;			/* the path has no steps */
	bool		of_special;		/* the field is the text that JSON has for a
								 * link or for bytes, and the seek is there */
} AtidField;

/*
 * Follow the path of a call, whose arguments are a block and a text[], neither NULL.  As with
 * #>, a path with a NULL in it leads to nothing, and one of two dimensions is all its steps in
 * order.  Returns what codec/cbor/seek.h says, and sets *field if that is ATID_SEEK_FOUND; it sets
 * field->block for ATID_SEEK_FAULT too.  Raises no error but that of a cancelled query.  The
 * block is in the caller's memory context if it had to be detoasted.
 */
extern AtidSeekResult atid_field_find(FunctionCallInfo fcinfo, AtidField *field);

/*
 * Likewise in a block that is not the first argument of the call.
 */
extern AtidSeekResult atid_field_find_in(FunctionCallInfo fcinfo, bytea *block, AtidField *field);

/*
 * Bring a step of a path from the server's encoding to UTF-8, in which keys are.  Returns false if
 * no block has such a key.
 */
extern bool atid_field_step_to_utf8(const char **step, size_t *len);

/*
 * Does a step lead from a link or from bytes to the text that its JSON has?
 */
static inline bool
atid_field_is_special(AtidSeekKind kind, const char *step, size_t len)
{
	const char *key = kind == ATID_SEEK_LINK ? "$link" : "$bytes";

	return len == strlen(key) && memcmp(step, key, len) == 0;
}

/* One of the two ways to find a field, of a bytea or of an atid.block. */
typedef AtidSeekResult (*AtidFieldFind) (FunctionCallInfo fcinfo, AtidField *field);

/*
 * A reader of the field that was found, which ends where the field does.  Returns false if the
 * field is damaged.
 */
extern bool atid_field_reader_init(AtidCborReader *reader, const AtidField *field);

#endif							/* ATID_FIELD_H */
