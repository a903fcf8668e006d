/*-------------------------------------------------------------------------
 *
 * sigtext.h
 *		Signatures as base64 in a jsonb.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SIGTEXT_H
#define ATID_SIGTEXT_H

#include "utils/jsonb.h"

#include "signature.h"

/*
 * Reads {"$bytes": base64} of 64 bytes, with padding or without; false if it is not that.
 */
extern bool atid_signature_from_bytes(const JsonbValue *value,
									  uint8_t signature[ATID_SIGNATURE_LEN]);

/*
 * Reads a string that is the base64url of 64 bytes, without padding; false if it is not that.
 */
extern bool atid_signature_from_base64url(const JsonbValue *value,
										  uint8_t signature[ATID_SIGNATURE_LEN]);

#endif							/* ATID_SIGTEXT_H */
