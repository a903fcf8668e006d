/*-------------------------------------------------------------------------
 *
 * plc.c
 *		Operations of the DID method PLC: their signatures, and their DID.
 *
 * sig is the signature, in base64url, over the DAG-CBOR of the operation without
 * sig (operation.c).  The DID comes from the genesis operation, whose prev is null:
 * "did:plc:" and the first 24 characters of the base32 of the SHA-256 of its
 * DAG-CBOR with sig.
 *
 * The caller decides which keys can sign: the rotationKeys of the previous operation,
 * or those of the genesis operation itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "codec/fault.h"
#include "key.h"
#include "operation.h"
#include "sha256.h"
#include "signature.h"


/*
 * plc_operation_problem(operation jsonb): why it is not an operation, or NULL.
 */
PG_FUNCTION_INFO_V1(atid_plc_operation_problem);
Datum
atid_plc_operation_problem(PG_FUNCTION_ARGS)
{
	Jsonb	   *json = PG_GETARG_JSONB_P(0);
	AtidOperation operation;
	char	   *problem = atid_operation_read(&json->root, &operation);

	PG_FREE_IF_COPY(json, 0);
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}

/*
 * plc_did(operation jsonb): the DID of a genesis operation.
 */
PG_FUNCTION_INFO_V1(atid_plc_did);
Datum
atid_plc_did(PG_FUNCTION_ARGS)
{
	Jsonb	   *json = PG_GETARG_JSONB_P(0);
	AtidOperation operation;
	const char *problem = atid_operation_read(&json->root, &operation);
	uint8_t    *block;
	size_t		len;
	uint8_t		digest[ATID_DIGEST_LEN];
	char		did[ATID_PLC_DID_LEN];

	if (problem == NULL && !operation.genesis)
		problem = psprintf("$.prev: %s", atid_fault_words(ATID_OPERATION_PREV_NULL));
	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("not a genesis operation"),
				 errdetail("%s", problem)));

	block = atid_operation_block(&operation, true, &len);
	atid_sha256_once(block, len, digest);
	atid_operation_did(digest, did);
	pfree(block);
	PG_FREE_IF_COPY(json, 0);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(did, sizeof(did)));
}

/*
 * plc_operation_is_signed_by(operation jsonb, key text): has the key signed the
 * operation?  False if it is not an operation.
 */
PG_FUNCTION_INFO_V1(atid_plc_operation_is_signed_by);
Datum
atid_plc_operation_is_signed_by(PG_FUNCTION_ARGS)
{
	Jsonb	   *json = PG_GETARG_JSONB_P(0);
	AtidVerifier *verifier = atid_key_argument(fcinfo, 1);
	AtidOperation operation;
	bool		result = false;

	if (atid_operation_read(&json->root, &operation) == NULL)
	{
		size_t		len;
		uint8_t    *block = atid_operation_block(&operation, false, &len);

		result = atid_key_has_signed(verifier, block, len, operation.signature,
									 sizeof(operation.signature));
		pfree(block);
	}
	PG_FREE_IF_COPY(json, 0);
	PG_RETURN_BOOL(result);
}
