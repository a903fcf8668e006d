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

extern AtidVerifier *atid_key_argument(FunctionCallInfo fcinfo, int arg);
extern bool atid_key_has_signed(AtidVerifier *verifier, const void *data, size_t len,
								const uint8_t *signature, size_t signature_len);

pg_noreturn extern void atid_invalid_key(AtidFault fault, size_t at);
pg_noreturn extern void atid_library_failure(AtidCurve curve);

#endif							/* ATID_KEY_H */
