/*-------------------------------------------------------------------------
 *
 * signature.c
 *		Verifying a signature with the libraries of the two curves.
 *
 * K-256 is libsecp256k1's, P-256 is OpenSSL's.  No arithmetic of either curve is
 * done here.
 *
 * A signature (AT Protocol, "Cryptography") is r and s of ECDSA in 32 bytes
 * each, over the SHA-256 of the data.  With n the order of the curve's group,
 * it must have 0 < r < n and 0 < s <= n/2 (low-S) on both curves.  libsecp256k1
 * holds to all of that by itself.  OpenSSL takes a high s, and an r that is
 * malformed may be an error to it rather than an answer, so that for P-256 the
 * bounds are looked at here, before it is asked.
 *
 * libsecp256k1's own static context is enough to parse and to verify: it is
 * constant, and nothing has to be made or freed.  Randomising a context protects
 * secret keys, and there are none here.
 *
 * OpenSSL is used through its default library context, and so with the
 * providers that the machine's configuration loads, a FIPS provider too.  What
 * it notes of an error is taken out of its queue again, because the backend's own
 * TLS code expects to find that empty.
 *
 * No header of the server: this is tested and measured without one.
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "codec/multikey.h"
#include "signature.h"

/* An ECDSA-Sig-Value in DER of P-256 has two INTEGERs of 33 bytes at most. */
#define DER_MAX_LEN 72

/* The order n of P-256 (FIPS 186-4, D.1.2.3), and n/2 rounded down. */
static const uint8_t p256_order[ATID_SCALAR_LEN] = {
	0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00,
	0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
	0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84,
	0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51
};
static const uint8_t p256_half_order[ATID_SCALAR_LEN] = {
	0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0x00, 0x00, 0x00,
	0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
	0xDE, 0x73, 0x7D, 0x56, 0xD3, 0x8B, 0xCF, 0x42,
	0x79, 0xDC, 0xE5, 0x61, 0x7E, 0x31, 0x92, 0xA8
};


/*
 * K-256
 */

static AtidVerdict
k256_init(AtidVerifier *verifier)
{
	return secp256k1_ec_pubkey_parse(secp256k1_context_static, &verifier->u.k256,
									 verifier->key.point, ATID_POINT_LEN) ?
		ATID_VERDICT_YES : ATID_VERDICT_NO;
}

static AtidVerdict
k256_check(const AtidVerifier *verifier, const uint8_t *digest, const uint8_t *signature)
{
	secp256k1_ecdsa_signature parsed;

	return secp256k1_ecdsa_signature_parse_compact(secp256k1_context_static, &parsed,
												   signature) &&
		secp256k1_ecdsa_verify(secp256k1_context_static, &parsed, digest,
							   &verifier->u.k256) ?
		ATID_VERDICT_YES : ATID_VERDICT_NO;
}


/*
 * P-256
 */

/*
 * Make the key object, and a context that is ready to verify with it.
 */
static AtidVerdict
p256_init(AtidVerifier *verifier)
{
	AtidVerdict verdict = ATID_VERDICT_FAILED;
	EVP_PKEY   *pkey = NULL;
	EVP_PKEY_CTX *maker;
	OSSL_PARAM	params[] = {
		OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0),
		OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, verifier->key.point, ATID_POINT_LEN),
		OSSL_PARAM_END
	};

	verifier->u.p256 = NULL;
	ERR_set_mark();
	maker = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
	if (maker != NULL && EVP_PKEY_fromdata_init(maker) == 1)
	{
		if (EVP_PKEY_fromdata(maker, &pkey, EVP_PKEY_PUBLIC_KEY, params) == 1)
		{
			verifier->u.p256 = EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL);
			if (verifier->u.p256 != NULL && EVP_PKEY_verify_init(verifier->u.p256) == 1)
				verdict = ATID_VERDICT_YES;
		}
		else if (ERR_GET_REASON(ERR_peek_last_error()) != ERR_R_MALLOC_FAILURE)
			verdict = ATID_VERDICT_NO;
	}
	EVP_PKEY_CTX_free(maker);
	EVP_PKEY_free(pkey);		/* the context has a reference of its own */
	if (verdict != ATID_VERDICT_YES)
	{
		EVP_PKEY_CTX_free(verifier->u.p256);
		verifier->u.p256 = NULL;
	}
	ERR_pop_to_mark();
	return verdict;
}

static bool
p256_in_bounds(const uint8_t *r, const uint8_t *s)
{
	static const uint8_t zero[ATID_SCALAR_LEN];

	return memcmp(r, zero, ATID_SCALAR_LEN) > 0 &&
		memcmp(s, zero, ATID_SCALAR_LEN) > 0 &&
		memcmp(r, p256_order, ATID_SCALAR_LEN) < 0 &&
		memcmp(s, p256_half_order, ATID_SCALAR_LEN) <= 0;
}

/*
 * The signature as OpenSSL wants it, an ECDSA-Sig-Value in DER.  Returns its
 * length, or a negative number where there is no memory.
 */
static int
p256_to_der(const uint8_t *r, const uint8_t *s, uint8_t der[DER_MAX_LEN])
{
	ECDSA_SIG  *sig = ECDSA_SIG_new();
	BIGNUM	   *r_number = BN_bin2bn(r, ATID_SCALAR_LEN, NULL);
	BIGNUM	   *s_number = BN_bin2bn(s, ATID_SCALAR_LEN, NULL);
	int			len = -1;

	if (sig != NULL && r_number != NULL && s_number != NULL)
	{
		/* the signature owns the numbers from here on */
		ECDSA_SIG_set0(sig, r_number, s_number);
		len = i2d_ECDSA_SIG(sig, &der);
	}
	else
	{
		BN_free(r_number);
		BN_free(s_number);
	}
	ECDSA_SIG_free(sig);
	return len;
}

static AtidVerdict
p256_check(AtidVerifier *verifier, const uint8_t *digest, const uint8_t *signature)
{
	const uint8_t *r = signature;
	const uint8_t *s = signature + ATID_SCALAR_LEN;
	uint8_t		der[DER_MAX_LEN];
	int			der_len;
	int			answer = -1;

	if (!p256_in_bounds(r, s))
		return ATID_VERDICT_NO;

	ERR_set_mark();
	der_len = p256_to_der(r, s, der);
	if (der_len > 0)
		answer = EVP_PKEY_verify(verifier->u.p256, der, (size_t) der_len,
								 digest, ATID_DIGEST_LEN);
	ERR_pop_to_mark();
	return answer == 1 ? ATID_VERDICT_YES : answer == 0 ? ATID_VERDICT_NO : ATID_VERDICT_FAILED;
}


/*
 * Both
 */

/*
 * Make a key ready to verify with: yes, no where its point is not on the curve.
 * Only after a yes is there something to release.
 */
AtidVerdict
atid_verifier_init(AtidVerifier *verifier, const AtidMultikey *key)
{
	verifier->key = *key;
	return key->curve == ATID_CURVE_K256 ? k256_init(verifier) : p256_init(verifier);
}

/*
 * Is this the key's signature of what has this digest?
 */
AtidVerdict
atid_verifier_check(AtidVerifier *verifier, const uint8_t digest[ATID_DIGEST_LEN],
					const uint8_t signature[ATID_SIGNATURE_LEN])
{
	return verifier->key.curve == ATID_CURVE_K256 ?
		k256_check(verifier, digest, signature) :
		p256_check(verifier, digest, signature);
}

void
atid_verifier_release(AtidVerifier *verifier)
{
	if (verifier->key.curve == ATID_CURVE_P256)
		EVP_PKEY_CTX_free(verifier->u.p256);
}
