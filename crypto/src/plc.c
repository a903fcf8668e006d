/*-------------------------------------------------------------------------
 *
 * plc.c
 *		Operations of the DID method PLC: who signed them, and their DID.
 *
 * An operation (did:plc, "Specification") is a JSON object with a type, prev and
 * sig, and others by type:
 *
 *		plc_operation	the present form
 *		create			the first form of a genesis operation
 *		plc_tombstone	the end
 *
 * sig is the signature, in base64url, over the DAG-CBOR of the object without
 * sig; all its other fields are signed, whatever they are.  The genesis
 * operation, whose prev is null, makes the DID: "did:plc:" and the first 24
 * characters of the base32 of the SHA-256 of its DAG-CBOR, sig included.
 *
 * Which keys may sign is not decided here: they are the rotationKeys of the
 * operation before, or of the genesis operation itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "atidlib.h"
#include "codec/base32.h"
#include "codec/multikey.h"
#include "compat.h"
#include "key.h"
#include "sha256.h"
#include "signature.h"
#include "sigtext.h"

#define DID_PREFIX "did:plc:"
#define DID_PREFIX_LEN (sizeof(DID_PREFIX) - 1)

/* As many bytes of the hash are 24 characters. */
#define DID_HASH_LEN 15
#define DID_HASH_TEXT_LEN 24


/*
 * The value of a key of an object, or false where it is not there.
 */
static bool
get_value(Jsonb *operation, const char *key, JsonbValue *value)
{
	return getKeyJsonValueFromContainer(&operation->root, key, strlen(key), value) != NULL;
}

static bool
string_is(const JsonbValue *value, const char *string)
{
	return value->type == jbvString &&
		value->val.string.len == (int) strlen(string) &&
		memcmp(value->val.string.val, string, value->val.string.len) == 0;
}

static bool
begins_an_account(const JsonbValue *type)
{
	return string_is(type, "plc_operation") || string_is(type, "create");
}

/*
 * Which rule does it break that a DID is made of it?  NULL for none.
 */
static const char *
genesis_problem(Jsonb *operation)
{
	JsonbValue	value;
	uint8_t		signature[ATID_SIGNATURE_LEN];

	if (!JB_ROOT_IS_OBJECT(operation))
		return "An operation is an object.";
	if (!get_value(operation, "type", &value) || !begins_an_account(&value))
		return "The \"type\" of a genesis operation is \"plc_operation\" or \"create\".";
	if (!get_value(operation, "prev", &value) || value.type != jbvNull)
		return "The \"prev\" of a genesis operation is null.";
	if (!get_value(operation, "sig", &value) ||
		!atid_signature_from_base64url(&value, signature))
		return "The \"sig\" of an operation is 64 bytes in base64url, without padding.";
	return NULL;
}

/*
 * plc_did(operation jsonb): the DID that a genesis operation makes.
 */
PG_FUNCTION_INFO_V1(atid_plc_did);

Datum
atid_plc_did(PG_FUNCTION_ARGS)
{
	Jsonb	   *operation = PG_GETARG_JSONB_P(0);
	const char *problem = genesis_problem(operation);
	bytea	   *block;
	uint8_t		digest[ATID_DIGEST_LEN];
	char		did[DID_PREFIX_LEN + DID_HASH_TEXT_LEN];

	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("not a signed genesis operation"),
				 errdetail("%s", problem)));

	block = DatumGetByteaPP(atid_call(ATID_RECORD_TO_DAG_CBOR, JsonbPGetDatum(operation)));
	atid_sha256_once(VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block), digest);
	memcpy(did, DID_PREFIX, DID_PREFIX_LEN);
	atid_base32_encode(digest, DID_HASH_LEN, did + DID_PREFIX_LEN);
	pfree(block);
	PG_FREE_IF_COPY(operation, 0);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(did, sizeof(did)));
}

/*
 * Is all text in it UTF-8?  In SQL_ASCII it can be any bytes, which atid raises an
 * error for.
 */
static bool
is_utf8(Jsonb *operation)
{
	char	   *str;
	bool		result;

	if (GetDatabaseEncoding() != PG_SQL_ASCII)
		return true;
	str = JsonbToCString(NULL, &operation->root, VARSIZE(operation));
	result = pg_verify_mbstr(PG_UTF8, str, (int) strlen(str), true);
	pfree(str);
	return result;
}

/*
 * The bytes that an operation's signature is over; NULL where DAG-CBOR cannot
 * carry it.
 */
static bytea *
unsigned_operation(Jsonb *operation)
{
	Datum		without_sig = DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(operation),
												  CStringGetTextDatum("sig"));

	if (!is_utf8(operation) ||
		!DatumGetBool(atid_call(ATID_RECORD_IS_VALID, without_sig)))
		return NULL;
	return DatumGetByteaPP(atid_call(ATID_RECORD_TO_DAG_CBOR, without_sig));
}

/*
 * plc_operation_is_signed_by(operation jsonb, key text): has the key signed the
 * operation?  What is no operation was signed by nobody.
 */
PG_FUNCTION_INFO_V1(atid_plc_operation_is_signed_by);

Datum
atid_plc_operation_is_signed_by(PG_FUNCTION_ARGS)
{
	Jsonb	   *operation = PG_GETARG_JSONB_P(0);
	AtidVerifier *verifier = atid_key_argument(fcinfo, 1);
	uint8_t		signature[ATID_SIGNATURE_LEN];
	JsonbValue	value;
	bytea	   *block;
	bool		result = false;

	if (JB_ROOT_IS_OBJECT(operation) &&
		get_value(operation, "type", &value) &&
		(begins_an_account(&value) || string_is(&value, "plc_tombstone")) &&
		get_value(operation, "sig", &value) &&
		atid_signature_from_base64url(&value, signature) &&
		(block = unsigned_operation(operation)) != NULL)
	{
		result = atid_key_has_signed(verifier, VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block),
									 signature, sizeof(signature));
		pfree(block);
	}
	PG_FREE_IF_COPY(operation, 0);
	PG_RETURN_BOOL(result);
}
