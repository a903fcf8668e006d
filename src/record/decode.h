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

#include "codec/dagcbor.h"
#include "compat.h"

/* The text of more bytes, in base64 or base32, is larger than an SQL value can be. */
#define ATID_SPECIAL_MAX (MaxAllocSize / 8 * 5 - 8)

extern void atid_block_reader_init(AtidCborReader *reader, bytea *block);
extern bool atid_block_read_rest(AtidCborReader *reader);
extern char *atid_block_problem(const AtidCborReader *reader);
pg_noreturn extern void atid_refuse_block(const AtidCborReader *reader);
extern void atid_append_json_of_block(StringInfo buf, bytea *block);
extern text *atid_json_of_block(bytea *block);
extern char *atid_text_of_special(AtidCborReader *reader, AtidCborEvent event,
								  const AtidCborItem *item, size_t *len);
extern text *atid_try_json_text(AtidCborReader *reader);
extern Jsonb *atid_jsonb_of_value(bytea *block, const uint8_t *value, size_t len);
extern Jsonb *atid_jsonb_of_block(bytea *block);
extern Jsonb *atid_jsonb_of_bytes(bytea *bytes);

#endif							/* ATID_DECODE_H */
