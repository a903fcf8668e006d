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

/*
 * Are r and s within their bounds?  The protocol wants the lower of the two values of s that
 * are valid (low-S).  Returns ATID_OK, ATID_SIGNATURE_RANGE or ATID_SIGNATURE_HIGH_S.
 */
extern AtidFault atid_signature_form(AtidCurve curve, const uint8_t signature[ATID_SIGNATURE_LEN]);

/*
 * The signature with the lower of the two values of s that are valid for it.  One that is out
 * of its bounds stays as it is.
 */
extern void atid_signature_lower(AtidCurve curve, const uint8_t signature[ATID_SIGNATURE_LEN],
								 uint8_t low[ATID_SIGNATURE_LEN]);

/*
 * Prepares a key: yes, or no if its point is not on the curve.  After a yes, and only then,
 * the verifier must be released.
 */
extern AtidVerdict atid_verifier_init(AtidVerifier *verifier, const AtidMultikey *key);

/*
 * Is this the key's signature of the data with this digest?  The answer is also no for a
 * signature out of its bounds.
 */
extern AtidVerdict atid_verifier_check(AtidVerifier *verifier,
									   const uint8_t digest[ATID_DIGEST_LEN],
									   const uint8_t signature[ATID_SIGNATURE_LEN]);

/*
 * Is this the y of the key's point?  The text of the key only states whether y is odd.
 */
extern AtidVerdict atid_verifier_has_y(const AtidVerifier *verifier,
									   const uint8_t y[ATID_SCALAR_LEN]);

/*
 * Frees what atid_verifier_init() has allocated.
 */
extern void atid_verifier_release(AtidVerifier *verifier);

#endif							/* ATID_SIGNATURE_H */
