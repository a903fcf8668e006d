/*-------------------------------------------------------------------------
 *
 * signature.c
 *		Verifying a signature with the libraries of the two curves.
 *
 * libsecp256k1 does the arithmetic of K-256, and OpenSSL that of P-256.
 *
 * A signature (AT Protocol, "Cryptography") is r and s of ECDSA in 32 bytes
 * each, over the SHA-256 of the data.  With n the order of the curve's group,
 * it must have 0 < r < n and 0 < s <= n/2 (low-S) on both curves.  libsecp256k1
 * checks these bounds.  OpenSSL accepts a high s, and can raise an error for a
 * malformed r, so for P-256 the bounds are checked here before it is called.  With s, n - s
 * is valid too, so a caller that takes either passes the lower one.
 *
 * libsecp256k1's static context is enough to parse and to verify.  Randomising a
 * context protects secret keys, and there are none here.
 *
 * OpenSSL is used through its default library context, and so with the providers
 * that the machine's configuration loads, for example a FIPS provider.  Its errors
 * are removed from its queue, because the backend's TLS code expects an empty queue.
 *
 * OpenSSL returns the same error if the arithmetic refuses a key or a signature, and
 * if it could not do its work (no memory, no provider).  The first must be a no, since
 * anyone can make such a signature; the second must be an error.  The reasons in the
 * queue cannot tell them apart: they differ by version and by provider.  So an error is
 * a no only if it is proven that
 *
 *		no point of the curve has this x: it is not below the field's prime p, or
 *		x^3 + ax + b is not a square modulo p (its Jacobi symbol is -1);
 *		a signature has nothing to compare r with: with e the digest and Q the
 *		key, (e/s) G + (r/s) Q is the point at infinity, and so is e G + r Q.
 *
 * The arithmetic refuses a signature within the bounds for no other reason, so all other
 * errors are failures of the library.
 *
 * No header of the server is included: the tests and benchmarks run without a server.
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>

#include "multikey.h"
#include "signature.h"

/* An ECDSA-Sig-Value of P-256 in DER has two INTEGERs of at most 33 bytes. */
#define DER_MAX_LEN 72

/* The order n of each curve (FIPS 186-4, D.1.2.3; SEC 2, 2.4.1), and n/2 rounded down. */
static const uint8_t order[][ATID_SCALAR_LEN] = {
	[ATID_CURVE_P256] = {
		0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00,
		0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
		0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84,
		0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51
	},
	[ATID_CURVE_K256] = {
		0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
		0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE,
		0xBA, 0xAE, 0xDC, 0xE6, 0xAF, 0x48, 0xA0, 0x3B,
		0xBF, 0xD2, 0x5E, 0x8C, 0xD0, 0x36, 0x41, 0x41
	}
};
static const uint8_t half_order[][ATID_SCALAR_LEN] = {
	[ATID_CURVE_P256] = {
		0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0x00, 0x00, 0x00,
		0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
		0xDE, 0x73, 0x7D, 0x56, 0xD3, 0x8B, 0xCF, 0x42,
		0x79, 0xDC, 0xE5, 0x61, 0x7E, 0x31, 0x92, 0xA8
	},
	[ATID_CURVE_K256] = {
		0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
		0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
		0x5D, 0x57, 0x6E, 0x73, 0x57, 0xA4, 0x50, 0x1D,
		0xDF, 0xE9, 0x2F, 0x46, 0x68, 0x1B, 0x20, 0xA0
	}
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

static AtidVerdict
k256_has_y(const AtidVerifier *verifier, const uint8_t *y)
{
	uint8_t		point[ATID_POINT_LEN + ATID_SCALAR_LEN];
	size_t		len = sizeof(point);

	if (!secp256k1_ec_pubkey_serialize(secp256k1_context_static, point, &len,
									   &verifier->u.k256, SECP256K1_EC_UNCOMPRESSED))
		return ATID_VERDICT_FAILED;
	return memcmp(point + ATID_POINT_LEN, y, ATID_SCALAR_LEN) == 0 ?
		ATID_VERDICT_YES : ATID_VERDICT_NO;
}


/*
 * P-256
 */

/*
 * Is it proven that no point has this x?
 */
static bool
p256_is_off_curve(const uint8_t point[ATID_POINT_LEN])
{
	EC_GROUP   *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	BN_CTX	   *ctx = BN_CTX_new();
	bool		proven = false;

	if (group != NULL && ctx != NULL)
	{
		BIGNUM	   *p,
				   *a,
				   *b,
				   *x,
				   *value;

		BN_CTX_start(ctx);
		p = BN_CTX_get(ctx);
		a = BN_CTX_get(ctx);
		b = BN_CTX_get(ctx);
		x = BN_CTX_get(ctx);
		value = BN_CTX_get(ctx);	/* NULL if one of them is */
		if (value != NULL &&
			EC_GROUP_get_curve(group, p, a, b, ctx) == 1 &&
			BN_bin2bn(point + 1, ATID_POINT_LEN - 1, x) != NULL)
			proven = BN_cmp(x, p) >= 0 ||
				(BN_mod_sqr(value, x, p, ctx) == 1 &&
				 BN_mod_add(value, value, a, p, ctx) == 1 &&
				 BN_mod_mul(value, value, x, p, ctx) == 1 &&
				 BN_mod_add(value, value, b, p, ctx) == 1 &&
				 BN_kronecker(value, p, ctx) == -1);
		BN_CTX_end(ctx);
	}
	BN_CTX_free(ctx);
	EC_GROUP_free(group);
	return proven;
}

/*
 * Is it proven that e G + r Q is the point at infinity?
 */
static bool
p256_is_infinite(const uint8_t point[ATID_POINT_LEN], const uint8_t *digest, const uint8_t *r)
{
	EC_GROUP   *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	EC_POINT   *key = group != NULL ? EC_POINT_new(group) : NULL;
	EC_POINT   *sum = group != NULL ? EC_POINT_new(group) : NULL;
	BIGNUM	   *e_number = BN_bin2bn(digest, ATID_DIGEST_LEN, NULL);
	BIGNUM	   *r_number = BN_bin2bn(r, ATID_SCALAR_LEN, NULL);
	bool		proven = false;

	if (key != NULL && sum != NULL && e_number != NULL && r_number != NULL &&
		EC_POINT_oct2point(group, key, point, ATID_POINT_LEN, NULL) == 1 &&
		EC_POINT_mul(group, sum, e_number, key, r_number, NULL) == 1)
		proven = EC_POINT_is_at_infinity(group, sum) == 1;
	BN_free(r_number);
	BN_free(e_number);
	EC_POINT_free(sum);
	EC_POINT_free(key);
	EC_GROUP_free(group);
	return proven;
}

/*
 * Make the key object, and a context for verifying with it.
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
		else if (p256_is_off_curve(verifier->key.point))
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

/*
 * Convert the signature to an ECDSA-Sig-Value in DER, for OpenSSL.  Returns its
 * length, or a negative number if there is no memory.
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
		/* now the signature owns the numbers */
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
	AtidVerdict verdict = ATID_VERDICT_FAILED;

	ERR_set_mark();
	der_len = p256_to_der(r, s, der);
	if (der_len > 0)
		answer = EVP_PKEY_verify(verifier->u.p256, der, (size_t) der_len,
								 digest, ATID_DIGEST_LEN);
	if (answer == 1)
		verdict = ATID_VERDICT_YES;
	else if (answer == 0 || p256_is_infinite(verifier->key.point, digest, r))
		verdict = ATID_VERDICT_NO;
	ERR_pop_to_mark();
	return verdict;
}

static AtidVerdict
p256_has_y(const AtidVerifier *verifier, const uint8_t *y)
{
	EVP_PKEY   *pkey = EVP_PKEY_CTX_get0_pkey(verifier->u.p256);
	BIGNUM	   *number = NULL;
	uint8_t		bytes[ATID_SCALAR_LEN];
	AtidVerdict verdict = ATID_VERDICT_FAILED;

	ERR_set_mark();
	if (pkey != NULL && EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_EC_PUB_Y, &number) == 1 &&
		BN_bn2binpad(number, bytes, sizeof(bytes)) == (int) sizeof(bytes))
		verdict = memcmp(bytes, y, sizeof(bytes)) == 0 ? ATID_VERDICT_YES : ATID_VERDICT_NO;
	BN_free(number);
	ERR_pop_to_mark();
	return verdict;
}


/*
 * Both
 */

AtidVerdict
atid_verifier_init(AtidVerifier *verifier, const AtidMultikey *key)
{
	verifier->key = *key;
	return key->curve == ATID_CURVE_K256 ? k256_init(verifier) : p256_init(verifier);
}

AtidFault
atid_signature_form(AtidCurve curve, const uint8_t signature[ATID_SIGNATURE_LEN])
{
	static const uint8_t zero[ATID_SCALAR_LEN];
	const uint8_t *r = signature;
	const uint8_t *s = signature + ATID_SCALAR_LEN;

	if (memcmp(r, zero, ATID_SCALAR_LEN) == 0 ||
		memcmp(s, zero, ATID_SCALAR_LEN) == 0 ||
		memcmp(r, order[curve], ATID_SCALAR_LEN) >= 0 ||
		memcmp(s, order[curve], ATID_SCALAR_LEN) >= 0)
		return ATID_SIGNATURE_RANGE;
	if (memcmp(s, half_order[curve], ATID_SCALAR_LEN) > 0)
		return ATID_SIGNATURE_HIGH_S;
	return ATID_OK;
}

void
atid_signature_lower(AtidCurve curve, const uint8_t signature[ATID_SIGNATURE_LEN],
					 uint8_t low[ATID_SIGNATURE_LEN])
{
	const uint8_t *n = order[curve];
	uint8_t    *s = low + ATID_SCALAR_LEN;
	int			borrow = 0;

	memcpy(low, signature, ATID_SIGNATURE_LEN);
	if (atid_signature_form(curve, signature) != ATID_SIGNATURE_HIGH_S)
		return;

	/* the other value is n - s */
	for (int i = ATID_SCALAR_LEN - 1; i >= 0; i--)
	{
		int			difference = n[i] - s[i] - borrow;

		borrow = difference < 0;
		s[i] = (uint8_t) (difference + 256 * borrow);
	}
}

AtidVerdict
atid_verifier_check(AtidVerifier *verifier, const uint8_t digest[ATID_DIGEST_LEN],
					const uint8_t signature[ATID_SIGNATURE_LEN])
{
	if (atid_signature_form(verifier->key.curve, signature) != ATID_OK)
		return ATID_VERDICT_NO;
	return verifier->key.curve == ATID_CURVE_K256 ?
		k256_check(verifier, digest, signature) :
		p256_check(verifier, digest, signature);
}

AtidVerdict
atid_verifier_has_y(const AtidVerifier *verifier, const uint8_t y[ATID_SCALAR_LEN])
{
	return verifier->key.curve == ATID_CURVE_K256 ?
		k256_has_y(verifier, y) : p256_has_y(verifier, y);
}

void
atid_verifier_release(AtidVerifier *verifier)
{
	if (verifier->key.curve == ATID_CURVE_P256)
		EVP_PKEY_CTX_free(verifier->u.p256);
}
