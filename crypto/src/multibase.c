/*-------------------------------------------------------------------------
 *
 * multibase.c
 *		The keys of DID documents, in the forms of today and of old.
 *
 * An entry of verificationMethod (AT Protocol, "DID") has its key in publicKeyMultibase, in a
 * form that its type states:
 *
 *		Multikey							a multikey (multikey.c)
 *		EcdsaSecp256k1VerificationKey2019	'z' and the base58 of a point of K-256
 *		EcdsaSecp256r1VerificationKey2019	the same, of P-256
 *
 * The last two are the legacy form: without a codec, and the point not compressed, 04, x and
 * y.  A point that is compressed is taken too.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "base58.h"
#include "compat.h"
#include "key.h"
#include "keyring.h"
#include "multikey.h"
#include "signature.h"

#define MULTIKEY "Multikey"

/* The legacy types. */
static const struct
{
	const char *name;
	AtidCurve	curve;
}			types[] = {
	{"EcdsaSecp256k1VerificationKey2019", ATID_CURVE_K256},
	{"EcdsaSecp256r1VerificationKey2019", ATID_CURVE_P256},
};

static bool
text_is(const text *t, const char *str)
{
	return VARSIZE_ANY_EXHDR(t) == strlen(str) &&
		memcmp(VARDATA_ANY(t), str, strlen(str)) == 0;
}

/*
 * Find the curve of a legacy type.
 */
static AtidCurve
legacy_curve(const text *type)
{
	for (int i = 0; i < (int) lengthof(types); i++)
	{
		if (text_is(type, types[i].name))
			return types[i].curve;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized type of a verification method"),
			 errdetail("The type must be \"%s\", \"%s\" or \"%s\".",
					   MULTIKEY, types[0].name, types[1].name)));
}

/*
 * Read a multikey, which has no did:key: here.
 */
static void
read_multikey(const char *str, size_t len, AtidMultikey *key)
{
	AtidFault	fault = ATID_MULTIKEY_MULTIBASE;
	size_t		at = 0;

	if (len > 0 && str[0] == ATID_MULTIBASE_BASE58BTC)
		fault = atid_multikey_parse(str, len, key, &at);
	if (fault != ATID_OK)
		atid_invalid_key(fault, at);
}

/*
 * Read a point in base58.  Returns its y, or NULL if it is compressed.
 */
static const uint8_t *
read_point(const char *str, size_t len, AtidMultikey *key,
		   uint8_t bytes[ATID_BASE58_TEXT_MAX])
{
	size_t		bytes_len;
	size_t		at = 0;
	AtidFault	fault;

	if (len == 0 || str[0] != ATID_MULTIBASE_BASE58BTC)
		atid_invalid_key(ATID_MULTIKEY_MULTIBASE, 0);
	fault = atid_base58_decode(str + 1, len - 1, bytes, &bytes_len, &at);
	if (fault != ATID_OK)
		atid_invalid_key(fault, at + 1);
	if (atid_multikey_set_point(key, bytes, bytes_len) == ATID_OK)
		return NULL;
	if (bytes_len != ATID_POINT_UNCOMPRESSED_LEN || bytes[0] != ATID_POINT_UNCOMPRESSED)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid public key"),
				 errdetail("A key of this type must be a point of 65 bytes that begins with 04, or a compressed one of 33 bytes.")));
	/* 02 or 03, for whether y is odd, and x */
	bytes[0] = (uint8_t) (0x02 + (bytes[ATID_POINT_UNCOMPRESSED_LEN - 1] & 1));
	(void) atid_multikey_set_point(key, bytes, ATID_POINT_LEN);
	return bytes + ATID_POINT_LEN;
}

/*
 * did_key_from_multibase(type text, multibase text): the did:key of a key of a DID document.
 */
PG_FUNCTION_INFO_V1(atid_did_key_from_multibase);
Datum
atid_did_key_from_multibase(PG_FUNCTION_ARGS)
{
	text	   *type = PG_GETARG_TEXT_PP(0);
	text	   *multibase = PG_GETARG_TEXT_PP(1);
	const char *str = VARDATA_ANY(multibase);
	size_t		len = VARSIZE_ANY_EXHDR(multibase);
	uint8_t		bytes[ATID_BASE58_TEXT_MAX];
	const uint8_t *y = NULL;
	char		did_key[ATID_DID_KEY_TEXT_LEN];
	AtidMultikey key;
	AtidVerifier verifier;
	AtidVerdict verdict;

	if (text_is(type, MULTIKEY))
		read_multikey(str, len, &key);
	else
	{
		key.curve = legacy_curve(type);
		y = read_point(str, len, &key, bytes);
	}

	verdict = atid_verifier_init(&verifier, &key);
	if (verdict == ATID_VERDICT_YES)
	{
		if (y != NULL)
			verdict = atid_verifier_has_y(&verifier, y);
		atid_verifier_release(&verifier);
	}
	if (verdict == ATID_VERDICT_FAILED)
		atid_library_failure(key.curve);
	if (verdict == ATID_VERDICT_NO)
		atid_invalid_key(ATID_MULTIKEY_OFF_CURVE, 0);

	atid_multikey_to_did_key(&key, did_key);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(did_key, sizeof(did_key)));
}
