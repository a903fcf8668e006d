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

extern bytea *atid_block_of_jsonb(Jsonb *jb);
extern bytea *atid_block_of_json(text *json, char **problem);

#endif							/* ATID_ENCODE_H */
