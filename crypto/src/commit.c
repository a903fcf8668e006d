/*-------------------------------------------------------------------------
 *
 * commit.c
 *		Signatures of commits and repositories.
 *
 * A commit (AT Protocol, "Repository", "Commit Objects") is signed over its
 * DAG-CBOR without sig, which codec/commit.c cuts out of the block.  For a block that
 * is no commit of version 3 or 2 the answer is false, not an error.
 *
 * A commit has the hash of its account's tree, and the tree the hashes of its records.
 * So a repository in a CAR is signed if
 *
 *		the CAR's first root is the CID of a block in it;
 *		the block has the hash in this CID;
 *		the block is a commit that the key has signed;
 *		the tree and all records are there, each with its hash.
 *
 * atid.repo_is_valid() verifies the last.  The hash of the commit's block is checked here,
 * too: if two blocks have the same CID, that function and this one could check different
 * blocks and both accept.
 *
 * An event of the event stream (codec/event.c) has a CAR too, whose first root is its
 * commit.  Only the commit is verified here.  atid.event_problem() tells whether the rest of
 * the event is true.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "atidlib.h"
#include "codec/car.h"
#include "codec/commit.h"
#include "codec/event.h"
#include "codec/frame.h"
#include "codec/multiformat.h"
#include "compat.h"
#include "error.h"
#include "key.h"
#include "multikey.h"
#include "sha256.h"
#include "signature.h"

/*
 * Is the commit of this account?  A DID is ASCII, so it needs no conversion.
 */
static bool
commit_is_of(const AtidCommit *commit, const text *did)
{
	return commit->did_len == VARSIZE_ANY_EXHDR(did) &&
		memcmp(commit->did, VARDATA_ANY(did), commit->did_len) == 0;
}

/*
 * Has the key signed this commit?
 */
static AtidFault
check_commit(const AtidCommit *commit, AtidVerifier *verifier)
{
	uint8_t    *signed_bytes = palloc(commit->block_len);
	size_t		signed_len = atid_commit_unsigned(commit, signed_bytes);
	AtidFault	fault = atid_key_check(verifier, signed_bytes, signed_len,
									   commit->sig, commit->sig_len);

	pfree(signed_bytes);
	return fault;
}

/*
 * Is the block a commit of this account that the key has signed?  Where it is no commit
 * *at is the place in the block, else not touched.
 */
static AtidFault
check_block(const uint8_t *block, size_t len, const text *did, AtidVerifier *verifier, size_t *at)
{
	AtidCommit	commit;
	AtidFault	fault = atid_commit_parse(block, len, &commit);

	if (fault != ATID_OK)
	{
		*at = commit.at;
		return fault;
	}
	return commit_is_of(&commit, did) ? check_commit(&commit, verifier) : ATID_COMMIT_ACCOUNT;
}

/*
 * commit_is_signed_by(block bytea, did text, key text): is the block a commit of this
 * account that the key has signed?
 */
PG_FUNCTION_INFO_V1(atid_commit_is_signed_by);
Datum
atid_commit_is_signed_by(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	text	   *did = PG_GETARG_TEXT_PP(1);
	AtidVerifier *verifier = atid_key_argument(fcinfo, 2);
	size_t		at;
	AtidFault	fault = check_block((const uint8_t *) VARDATA_ANY(block),
									VARSIZE_ANY_EXHDR(block), did, verifier, &at);

	PG_FREE_IF_COPY(block, 0);
	PG_FREE_IF_COPY(did, 1);
	PG_RETURN_BOOL(fault == ATID_OK);
}

/*
 * commit_signature_problem(block bytea, did text, key text): why commit_is_signed_by is
 * false, or the key is none; NULL if it is true.
 */
PG_FUNCTION_INFO_V1(atid_commit_signature_problem);
Datum
atid_commit_signature_problem(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	text	   *did = PG_GETARG_TEXT_PP(1);
	char	   *problem;
	AtidVerifier *verifier = atid_key_or_problem(fcinfo, 2, &problem);
	size_t		at = SIZE_MAX;
	AtidFault	fault;

	if (verifier == NULL)
		PG_RETURN_TEXT_P(cstring_to_text(problem));
	fault = check_block((const uint8_t *) VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block), did,
						verifier, &at);
	if (fault == ATID_OK)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(at == SIZE_MAX ? atid_fault_words(fault) :
									 atid_fault_at_byte(fault, at)));
}

/*
 * Find the block of a CAR's first root.  Returns false if there is none, or its hash is
 * not the one in the root.
 */
static bool
find_root_block(const uint8_t *car, size_t len, AtidCarSection *section)
{
	AtidCarReader reader;
	const uint8_t *root;
	size_t		root_len;
	uint8_t		digest[ATID_DIGEST_LEN];

	if (!atid_car_begin(&reader, car, len) || reader.root_count == 0)
		return false;
	atid_car_root(reader.roots, &root, &root_len);
	if (!atid_cid_is_dag_cbor(root, root_len))
		return false;

	/* it should be the first section, but may be another */
	while (atid_car_next(&reader, section))
	{
		CHECK_FOR_INTERRUPTS();
		if (section->cid_len == root_len && memcmp(section->cid, root, root_len) == 0)
		{
			if (section->block_len > ATID_COMMIT_SIZE_MAX)
				return false;
			atid_sha256_once(section->block, section->block_len, digest);
			return memcmp(digest, root + root_len - sizeof(digest), sizeof(digest)) == 0;
		}
	}
	return false;
}

/*
 * repo_is_signed_by(car bytea, did text, key text): is this the account's complete
 * repository, signed by the key?
 */
PG_FUNCTION_INFO_V1(atid_repo_is_signed_by);
Datum
atid_repo_is_signed_by(PG_FUNCTION_ARGS)
{
	bytea	   *car = PG_GETARG_BYTEA_PP(0);
	text	   *did = PG_GETARG_TEXT_PP(1);
	AtidVerifier *verifier = atid_key_argument(fcinfo, 2);
	AtidCarSection commit;
	size_t		at;
	bool		result;

	/* the cheapest check first */
	result = find_root_block((const uint8_t *) VARDATA_ANY(car), VARSIZE_ANY_EXHDR(car),
							 &commit) &&
		check_block(commit.block, commit.block_len, did, verifier, &at) == ATID_OK &&
		DatumGetBool(atid_call(ATID_REPO_IS_VALID, PointerGetDatum(car)));

	PG_FREE_IF_COPY(car, 0);
	PG_FREE_IF_COPY(did, 1);
	PG_RETURN_BOOL(result);
}

/*
 * repo_records_signed_by(car bytea, did text, key text): the records of the account's
 * complete repository, signed by the key.  If it is not that, or if an argument is NULL, an
 * error is raised: an empty result would look like an account without records.
 */
PG_FUNCTION_INFO_V1(atid_repo_records_signed_by);
Datum
atid_repo_records_signed_by(PG_FUNCTION_ARGS)
{
	static const char *const names[3] = {"car", "did", "key"};
	bytea	   *car;
	text	   *did;
	AtidVerifier *verifier;
	AtidCarSection section;
	AtidCommit	commit;
	bool		found;
	Datum		result;

	for (int i = 0; i < 3; i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s of a signed repository must not be null", names[i])));
	}
	car = PG_GETARG_BYTEA_PP(0);
	did = PG_GETARG_TEXT_PP(1);
	verifier = atid_key_argument(fcinfo, 2);

	/* if there is no valid commit, repo_records() raises the reason below */
	found = find_root_block((const uint8_t *) VARDATA_ANY(car), VARSIZE_ANY_EXHDR(car),
							&section) &&
		atid_commit_parse(section.block, section.block_len, &commit) == ATID_OK;
	if (found && !commit_is_of(&commit, did))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("repository is of another account"),
				 errdetail("The commit's account, \"%s\", must be the one that is given.",
						   atid_quote(commit.did, commit.did_len))));
	if (found && check_commit(&commit, verifier) != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("repository is not signed by the key"),
				 errdetail("The commit of \"%s\" must be signed by the key that is given.",
						   atid_quote(commit.did, commit.did_len))));
	result = atid_call_for_rows(ATID_REPO_RECORDS, fcinfo, PointerGetDatum(car),
								BoolGetDatum(false));
	if (!found)
		elog(ERROR, "a repository without a commit was read");
	return result;
}

/*
 * event_is_signed_by(frame bytea, key text): is it a #commit or #sync whose commit is of its
 * account, and has the key signed that commit?
 */
PG_FUNCTION_INFO_V1(atid_event_is_signed_by);
Datum
atid_event_is_signed_by(PG_FUNCTION_ARGS)
{
	AtidVerifier *verifier = atid_key_argument(fcinfo, 1);
	bytea	   *bytes;
	AtidFrame	frame;
	AtidEventKind kind;
	AtidEvent  *event;
	AtidCarSection section;
	AtidCommit	commit;
	bool		result;

	/* what is larger is not even decompressed */
	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) - VARHDRSZ > ATID_FRAME_SIZE_MAX)
		PG_RETURN_BOOL(false);
	bytes = PG_GETARG_BYTEA_PP(0);
	event = palloc(sizeof(AtidEvent));
	result = atid_frame_parse((const uint8_t *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes),
							  &frame) == ATID_OK &&
		atid_event_kind(&frame, &kind) &&
		atid_event_parse(frame.body, frame.body_len, kind, event) == ATID_OK &&
		find_root_block(event->blocks, event->blocks_len, &section) &&
		(event->commit == NULL ||
		 memcmp(event->commit, section.cid, ATID_CID_BLESSED_LEN) == 0) &&
		atid_commit_parse(section.block, section.block_len, &commit) == ATID_OK &&
		commit.did_len == event->did_len &&
		memcmp(commit.did, event->did, event->did_len) == 0 &&
		check_commit(&commit, verifier) == ATID_OK;
	pfree(event);
	PG_FREE_IF_COPY(bytes, 0);
	PG_RETURN_BOOL(result);
}
