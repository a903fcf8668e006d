/*-------------------------------------------------------------------------
 *
 * commit.c
 *		Commits and repositories, and who signed them.
 *
 * A commit (AT Protocol, "Repository", "Commit Objects") is signed over its
 * DAG-CBOR without sig, which codec/commit.c cuts out of the block.  A block that
 * is no commit of version 3 or 2 was signed by nobody: the answer is no, not an
 * error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "codec/commit.h"
#include "codec/multikey.h"
#include "compat.h"
#include "signature.h"
#include "key.h"

/*
 * Has the key signed the commit in this block?
 */
static bool
block_is_signed_by(const uint8_t *block, size_t len, AtidVerifier *verifier)
{
	AtidCommit	commit;
	uint8_t    *signed_bytes;
	size_t		signed_len;
	bool		result;

	if (atid_commit_parse(block, len, &commit) != ATID_COMMIT_OK)
		return false;
	signed_bytes = palloc(len);
	signed_len = atid_commit_unsigned(&commit, signed_bytes);
	result = atid_key_has_signed(verifier, signed_bytes, signed_len,
								 commit.sig, commit.sig_len);
	pfree(signed_bytes);
	return result;
}

PG_FUNCTION_INFO_V1(atid_commit_is_signed_by);

/*
 * commit_is_signed_by(block bytea, key text): is the block a commit that the key
 * has signed?
 */
Datum
atid_commit_is_signed_by(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	AtidVerifier *verifier = atid_key_argument(fcinfo, 1);
	bool		result = block_is_signed_by((const uint8_t *) VARDATA_ANY(block),
											VARSIZE_ANY_EXHDR(block), verifier);

	PG_FREE_IF_COPY(block, 0);
	PG_RETURN_BOOL(result);
}
