/*-------------------------------------------------------------------------
 *
 * encode.h
 *		The DAG-CBOR block of a jsonb, of a JSON text, or of a text alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ENCODE_H
#define ATID_ENCODE_H

#include "utils/jsonb.h"

#include "codec/fault.h"

/*
 * The block of a jsonb, of a JSON text in UTF-8, or of one in the server's encoding.
 *
 * Returns the block, in the caller's memory context.  If there is none it returns NULL, sets
 * *fault to the rule that is broken, and *problem to the path and the words of the rule, in
 * the caller's memory context; otherwise it leaves *fault alone and sets *problem to NULL.
 * Raises no error but those of memory and of a cancelled query.
 */
extern bytea *atid_try_block_of_jsonb(Jsonb *jb, AtidFault *fault, char **problem);
extern bytea *atid_try_block_of_utf8(const char *json, size_t len, AtidFault *fault,
									 char **problem);
extern bytea *atid_try_block_of_json(const char *json, size_t len, AtidFault *fault,
									 char **problem);

/*
 * The same, but raises an error if there is no block: 22023, 22P05 for a character that UTF-8
 * lacks, 54000 for what is too deep or too large.
 */
extern bytea *atid_block_of_jsonb(Jsonb *jb);
extern bytea *atid_block_of_json(text *json);

/*
 * The block of a text in UTF-8 of at most ATID_BLOCK_OF_TEXT_MAX bytes.
 */
#define ATID_TEXT_HEAD_MAX 9
#define ATID_BLOCK_OF_TEXT_MAX (MaxAllocSize - VARHDRSZ - ATID_TEXT_HEAD_MAX)
extern bytea *atid_block_of_text(const char *str, size_t len);

#endif							/* ATID_ENCODE_H */
