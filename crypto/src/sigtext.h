/*-------------------------------------------------------------------------
 *
 * sigtext.h
 *		Texts of what is signed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SIGTEXT_H
#define ATID_SIGTEXT_H

#include "utils/jsonb.h"

#include "signature.h"

extern bool atid_signature_from_bytes(const JsonbValue *value,
									  uint8_t signature[ATID_SIGNATURE_LEN]);
extern bool atid_signature_from_base64url(const JsonbValue *value,
										  uint8_t signature[ATID_SIGNATURE_LEN]);

#endif							/* ATID_SIGTEXT_H */
