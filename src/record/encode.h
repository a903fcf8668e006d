/*-------------------------------------------------------------------------
 *
 * encode.h
 *		The DAG-CBOR block of a jsonb, or of a JSON text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ENCODE_H
#define ATID_ENCODE_H

#include "utils/jsonb.h"

#include "codec/fault.h"

extern bytea *atid_try_block_of_jsonb(Jsonb *jb, AtidFault *fault, char **problem);
extern bytea *atid_try_block_of_utf8(const char *json, size_t len, AtidFault *fault,
									 char **problem);
extern bytea *atid_try_block_of_json(const char *json, size_t len, AtidFault *fault,
									 char **problem);
extern bytea *atid_block_of_jsonb(Jsonb *jb);
extern bytea *atid_block_of_json(text *json, char **problem);

#endif							/* ATID_ENCODE_H */
