/*-------------------------------------------------------------------------
 *
 * encode.h
 *		The DAG-CBOR block of a jsonb.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ENCODE_H
#define ATID_ENCODE_H

#include "utils/jsonb.h"

extern bytea *atid_block_of_jsonb(Jsonb *jb);

#endif							/* ATID_ENCODE_H */
