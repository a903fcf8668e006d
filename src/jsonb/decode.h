/*-------------------------------------------------------------------------
 *
 * decode.h
 *		The jsonb, or the JSON text, of a DAG-CBOR block.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_DECODE_H
#define ATID_DECODE_H

#include "utils/jsonb.h"

#include "codec/dagcbor.h"

extern void atid_block_reader_init(AtidCborReader *reader, bytea *block);
extern void atid_block_fault(const AtidCborReader *reader);
extern text *atid_json_of_block(bytea *block);
extern Jsonb *atid_jsonb_of_block(bytea *block);

#endif							/* ATID_DECODE_H */
