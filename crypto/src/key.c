/*-------------------------------------------------------------------------
 *
 * key.c
 *		Public keys as arguments of SQL functions, and signatures of bytes.
 *
 * A malformed key raises an error, because false would hide a mistake in a table of
 * keys.  The error does not quote the key: it can be a private key by mistake, which
 * must not get into the server's log.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "compat.h"
#include "error.h"
#include "key.h"
#include "keyring.h"
#include "multikey.h"
#include "sha256.h"
#include "signature.h"

/*
 * The key that is argument number arg.  If it is malformed, the result is NULL, *fault
 * says why, and for some faults *at says where.
 */
static AtidVerifier *
find_key(FunctionCallInfo fcinfo, int arg, AtidFault *fault, size_t *at)
{
	text	   *t = PG_GETARG_TEXT_PP(arg);
	AtidVerifier *verifier = atid_keyring_find(atid_keyring_of_call_site(fcinfo), VARDATA_ANY(t),
											   VARSIZE_ANY_EXHDR(t), fault, at);

	PG_FREE_IF_COPY(t, arg);
	return verifier;
}

/*
 * What is wrong with a key, and where.
 */
static char *
key_problem(AtidFault fault, size_t at)
{
	if (fault == ATID_BASE58_CHARACTER || fault == ATID_MULTIKEY_MULTIBASE)
		return atid_fault_at_character(fault, at);
	return pstrdup(atid_fault_words(fault));
}

void
atid_invalid_key(AtidFault fault, size_t at)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid public key"),
			 errdetail("%s", key_problem(fault, at))));
}

AtidVerifier *
atid_key_argument(FunctionCallInfo fcinfo, int arg)
{
	AtidFault	fault;
	size_t		at = 0;
	AtidVerifier *verifier = find_key(fcinfo, arg, &fault, &at);

	if (verifier == NULL)
		atid_invalid_key(fault, at);
	return verifier;
}

bool
atid_key_has_signed(AtidVerifier *verifier, const void *data, size_t len,
					const uint8_t *signature, size_t signature_len)
{
	uint8_t		digest[ATID_DIGEST_LEN];
	AtidVerdict verdict;

	/* not worth a hash otherwise */
	if (signature_len != ATID_SIGNATURE_LEN ||
		atid_signature_form(verifier->key.curve, signature) != ATID_OK)
		return false;
	atid_sha256_once(data, len, digest);
	verdict = atid_verifier_check(verifier, digest, signature);
	if (verdict == ATID_VERDICT_FAILED)
		atid_library_failure(verifier->key.curve);
	return verdict == ATID_VERDICT_YES;
}


/*
 * SQL functions
 */

/*
 * did_key_is_valid(text): do the other functions accept this key?
 */
PG_FUNCTION_INFO_V1(atid_did_key_is_valid);
Datum
atid_did_key_is_valid(PG_FUNCTION_ARGS)
{
	AtidFault	fault;
	size_t		at;

	PG_RETURN_BOOL(find_key(fcinfo, 0, &fault, &at) != NULL);
}

/*
 * did_key_curve(text): 'p256' or 'k256'.
 */
PG_FUNCTION_INFO_V1(atid_did_key_curve);
Datum
atid_did_key_curve(PG_FUNCTION_ARGS)
{
	AtidVerifier *verifier = atid_key_argument(fcinfo, 0);

	PG_RETURN_TEXT_P(cstring_to_text(atid_curve_name(verifier->key.curve)));
}

/*
 * did_key_public_key(text): the compressed point, 33 bytes.
 */
PG_FUNCTION_INFO_V1(atid_did_key_public_key);
Datum
atid_did_key_public_key(PG_FUNCTION_ARGS)
{
	AtidVerifier *verifier = atid_key_argument(fcinfo, 0);
	bytea	   *result = palloc(VARHDRSZ + ATID_POINT_LEN);

	SET_VARSIZE(result, VARHDRSZ + ATID_POINT_LEN);
	memcpy(VARDATA(result), verifier->key.point, ATID_POINT_LEN);
	PG_RETURN_BYTEA_P(result);
}

/*
 * did_key_make(curve text, bytes bytea): the did:key of a compressed point.
 */
PG_FUNCTION_INFO_V1(atid_did_key_make);
Datum
atid_did_key_make(PG_FUNCTION_ARGS)
{
	text	   *name = PG_GETARG_TEXT_PP(0);
	bytea	   *point = PG_GETARG_BYTEA_PP(1);
	char		did_key[ATID_DID_KEY_TEXT_LEN];
	AtidMultikey key;
	AtidVerifier verifier;
	AtidFault	fault;

	if (!atid_curve_of_name(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &key.curve))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized curve"),
				 errdetail("The curve must be \"%s\" or \"%s\".",
						   atid_curve_name(ATID_CURVE_P256),
						   atid_curve_name(ATID_CURVE_K256))));

	fault = atid_multikey_set_point(&key, (const uint8_t *) VARDATA_ANY(point),
									VARSIZE_ANY_EXHDR(point));
	if (fault != ATID_OK)
		atid_invalid_key(fault, 0);
	switch (atid_verifier_init(&verifier, &key))
	{
		case ATID_VERDICT_YES:
			break;
		case ATID_VERDICT_NO:
			atid_invalid_key(ATID_MULTIKEY_OFF_CURVE, 0);
		case ATID_VERDICT_FAILED:
			atid_library_failure(key.curve);
	}
	atid_verifier_release(&verifier);

	atid_multikey_to_did_key(&key, did_key);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(did_key, sizeof(did_key)));
}

/*
 * signature_is_valid(data bytea, signature bytea, key text): has the key signed
 * the data?
 */
PG_FUNCTION_INFO_V1(atid_signature_is_valid);
Datum
atid_signature_is_valid(PG_FUNCTION_ARGS)
{
	AtidVerifier *verifier = atid_key_argument(fcinfo, 2);
	bytea	   *data = PG_GETARG_BYTEA_PP(0);
	bytea	   *signature = PG_GETARG_BYTEA_PP(1);
	bool		result = atid_key_has_signed(verifier, VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data),
											 (const uint8_t *) VARDATA_ANY(signature),
											 VARSIZE_ANY_EXHDR(signature));

	PG_FREE_IF_COPY(data, 0);
	PG_FREE_IF_COPY(signature, 1);
	PG_RETURN_BOOL(result);
}

/*
 * signature_is_valid(data bytea, signature bytea, key text, either_s bool): the same; with
 * either_s the number s of the signature may be either of its two values.
 */
PG_FUNCTION_INFO_V1(atid_signature_is_valid_either_s);
Datum
atid_signature_is_valid_either_s(PG_FUNCTION_ARGS)
{
	AtidVerifier *verifier;
	bytea	   *data;
	bytea	   *signature;
	const uint8_t *bytes;
	size_t		len;
	uint8_t		low[ATID_SIGNATURE_LEN];
	bool		result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	verifier = atid_key_argument(fcinfo, 2);
	data = PG_GETARG_BYTEA_PP(0);
	signature = PG_GETARG_BYTEA_PP(1);
	bytes = (const uint8_t *) VARDATA_ANY(signature);
	len = VARSIZE_ANY_EXHDR(signature);
	if (!PG_ARGISNULL(3) && PG_GETARG_BOOL(3) && len == ATID_SIGNATURE_LEN)
	{
		atid_signature_lower(verifier->key.curve, bytes, low);
		bytes = low;
	}
	result = atid_key_has_signed(verifier, VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data), bytes, len);

	PG_FREE_IF_COPY(data, 0);
	PG_FREE_IF_COPY(signature, 1);
	PG_RETURN_BOOL(result);
}
