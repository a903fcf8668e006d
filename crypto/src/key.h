/*-------------------------------------------------------------------------
 *
 * key.h
 *		Public keys as arguments of SQL functions, and signatures of bytes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_KEY_H
#define ATID_KEY_H

#include "fmgr.h"

#include "compat.h"
#include "signature.h"

/*
 * The key that is argument number arg, which is a text and not NULL, ready to verify with.
 * It belongs to the call site, and is good until the call site asks for another key.  Raises
 * an error if the text is not a key, or a library cannot be used.
 */
extern AtidVerifier *atid_key_argument(FunctionCallInfo fcinfo, int arg);

/*
 * Has the key signed these bytes?  False also for a signature that is malformed or of another
 * length.  Raises an error if a library cannot be used.
 */
extern bool atid_key_has_signed(AtidVerifier *verifier, const void *data, size_t len,
								const uint8_t *signature, size_t signature_len);

/*
 * Raises the error for a text that is not a key: what is wrong, and, for faults that have a
 * place, the index of the byte.
 */
pg_noreturn extern void atid_invalid_key(AtidFault fault, size_t at);

#endif							/* ATID_KEY_H */
