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

#include "codec/dagcbor.h"
#include "codec/seek.h"

typedef struct AtidField
{
	bytea	   *block;
	AtidSeek	seek;
	bool		whole;			/* the path has no steps */
	bool		of_special;		/* it is the text that the JSON of a link or
								 * of bytes has, and the seek is at that link
								 * or bytes */
} AtidField;

extern AtidSeekResult atid_field_find(FunctionCallInfo fcinfo, AtidField *field);
extern bool atid_field_reader_init(AtidCborReader *reader, const AtidField *field);

#endif							/* ATID_FIELD_H */
