/*-------------------------------------------------------------------------
 *
 * signature.h
 *		Verifying a signature with the libraries of the two curves.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SIGNATURE_H
#define ATID_SIGNATURE_H

#include <stdint.h>

#include <openssl/evp.h>
#include <secp256k1.h>

#include "multikey.h"

/* A signature is r and s, big-endian. */
#define ATID_SCALAR_LEN 32
#define ATID_SIGNATURE_LEN (2 * ATID_SCALAR_LEN)

/* The SHA-256 of the data is signed. */
#define ATID_DIGEST_LEN 32

/* The answer of a library. */
typedef enum AtidVerdict
{
	ATID_VERDICT_NO,
	ATID_VERDICT_YES,
	ATID_VERDICT_FAILED			/* the library could not be used */
} AtidVerdict;

/* A key in the form that its library needs. */
typedef struct AtidVerifier
{
	AtidMultikey key;
	union
	{
		secp256k1_pubkey k256;
		EVP_PKEY_CTX *p256;
	}			u;
} AtidVerifier;

extern AtidFault atid_signature_form(AtidCurve curve, const uint8_t signature[ATID_SIGNATURE_LEN]);
extern AtidVerdict atid_verifier_init(AtidVerifier *verifier, const AtidMultikey *key);
extern AtidVerdict atid_verifier_check(AtidVerifier *verifier,
									   const uint8_t digest[ATID_DIGEST_LEN],
									   const uint8_t signature[ATID_SIGNATURE_LEN]);
extern AtidVerdict atid_verifier_has_y(const AtidVerifier *verifier,
									   const uint8_t y[ATID_SCALAR_LEN]);
extern void atid_verifier_release(AtidVerifier *verifier);

#endif							/* ATID_SIGNATURE_H */
