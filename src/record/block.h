/*-------------------------------------------------------------------------
 *
 * block.h
 *		The type atid.block: what its files share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_RECORD_BLOCK_H
#define ATID_RECORD_BLOCK_H

#include "fmgr.h"

#include "codec/block/block_seek.h"
#include "record/field.h"

/*
 * The block of a value, as a bytea in the caller's memory context.  Raises 0A000 if the
 * value was written by a newer version, and XX001 if it is damaged.
 */
extern bytea *atid_block_of_value(bytea *value);

/*
 * As atid_field_find(), of a call whose first argument is an atid.block.  The field's block is
 * the value that was found alone, so field->whole is true; it is not set for ATID_SEEK_FAULT,
 * which a damaged value is.  One of a newer version raises 0A000.
 */
extern AtidSeekResult atid_field_find_packed(FunctionCallInfo fcinfo, AtidField *field);

/*
 * The same, and no more than the place of the value in the packed bytes.  *of_special is as in
 * AtidField.  The value must not be stored unpacked: it would have no such place.
 */
extern AtidSeekResult atid_block_find(FunctionCallInfo fcinfo, bytea *value, AtidBlockSeek *seek,
									  bool *of_special);

/*
 * The field that a seek has found, as by atid_field_find_packed(); of_special is set already.
 */
extern AtidSeekResult atid_field_restore(AtidBlockSeek *seek, AtidField *field);

/*
 * The result of a seek, as it is.  Raises 0A000 where that is a fault because a newer version
 * has written the value.
 */
extern AtidSeekResult atid_block_result(const AtidBlockSeek *seek, AtidSeekResult result);

/* The cast to bytea, and what the planner calls in the place of functions over bytea. */
extern PGDLLEXPORT Datum atid_block_to_bytea(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum atid_block_get(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum atid_block_get_text(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum atid_block_get_block(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum atid_block_is_valid(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum atid_block_typeof(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum atid_block_ref_uri(PG_FUNCTION_ARGS);

#endif							/* ATID_RECORD_BLOCK_H */
