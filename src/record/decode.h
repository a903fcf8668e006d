/*-------------------------------------------------------------------------
 *
 * decode.h
 *		The jsonb, or the JSON text, of a DAG-CBOR block.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_DECODE_H
#define ATID_DECODE_H

#include "lib/stringinfo.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "codec/cbor/dagcbor.h"
#include "compat.h"

/* The text of more bytes, in base64 or base32, is larger than an SQL value can be. */
#define ATID_SPECIAL_MAX (MaxAllocSize / 8 * 5 - 8)

/* A longer text cannot be a jsonb, which has two words before it. */
#define ATID_JSONB_STRING_MAX (JENTRY_OFFLENMASK - 8)

/*
 * A reader of a block, which must not be toasted and must stay where it is.  It can be
 * cancelled.
 */
extern void atid_block_reader_init(AtidCborReader *reader, bytea *block);

/*
 * Read to the end.  Returns false if there is a fault, which reader->fault has.
 */
extern bool atid_block_read_rest(AtidCborReader *reader);

/*
 * The words of the reader's fault, after its byte, in the caller's memory context.
 */
extern char *atid_block_problem(const AtidCborReader *reader);

/*
 * Raise the reader's fault: 22P03, or 54000 for a block that is too deep, which was not read
 * further and could be valid.
 */
pg_noreturn extern void atid_refuse_block(const AtidCborReader *reader);

/*
 * Append the JSON of a block, in UTF-8.  Raises 22P03 or 54000 for a block that is not
 * DAG-CBOR, 22023 for a key that JSON cannot have, and 54000 for more than 1 GB.
 */
extern void atid_append_json_of_block(StringInfo buf, bytea *block);

/*
 * The JSON of a block as a json, which can hold U+0000.  Raises these errors, and 22P05 for a
 * character that the server's encoding lacks.  The result is in the caller's memory context.
 */
extern text *atid_json_of_block(bytea *block);

/*
 * The JSON of all that a reader reads, spaced as the server prints jsonb.  Returns NULL if it
 * is damaged or has no JSON, or that has a character which the server's encoding lacks, or could
 * exceed 1 GB.  Raises no error but those of memory and of a cancelled query.  The result is in
 * the caller's memory context.
 */
extern text *atid_try_json_text(AtidCborReader *reader);

/*
 * The text that JSON has for a link or for bytes, the event and item that were read last;
 * without a terminator.  Sets *len.  Raises 54000 if the item is longer than ATID_SPECIAL_MAX,
 * or the fault that the block has behind it.  The result is in the caller's memory context.
 */
extern char *atid_text_of_special(AtidCborReader *reader, AtidCborEvent event,
								  const AtidCborItem *item, size_t *len);

/*
 * The jsonb of a block.  Raises the errors of atid_append_json_of_block, 22P05 for U+0000 and
 * for a character that the server's encoding lacks, and 54000 for more than a jsonb can hold, or
 * than 2 GB to build it.  The result is in the caller's memory context, and so are the pieces
 * that it was built of.
 */
extern Jsonb *atid_jsonb_of_block(bytea *block);

/*
 * Likewise of a value in a block; NULL if it is damaged, or jsonb cannot hold it.  Raises no error
 * but those of memory and of a cancelled query.
 */
extern Jsonb *atid_try_jsonb_of_value(bytea *block, const uint8_t *value, size_t len);

/*
 * {"$bytes": base64}.  Raises 54000 if that is more than a jsonb can hold.  The result is in
 * the caller's memory context.
 */
extern Jsonb *atid_jsonb_of_bytes(bytea *bytes);

#endif							/* ATID_DECODE_H */
