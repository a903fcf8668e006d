/*-------------------------------------------------------------------------
 *
 * commit.c
 *		Signatures of commits and repositories.
 *
 * A commit (AT Protocol, "Repository", "Commit Objects") is signed over its
 * DAG-CBOR without sig, which codec/repository/commit.c cuts out of the block.  For a block that
 * is not a commit of version 3 or 2 the answer is false, and no error is raised.
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
 * An event of the event stream (codec/repository/event.c) has a CAR too, whose first root is its
 * commit.  Only the commit is verified here.  atid.event_problem() checks whether the rest of
 * the event is true.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "atidlib.h"
#include "codec/cbor/multiformat.h"
#include "codec/repository/car.h"
#include "codec/repository/commit.h"
#include "codec/repository/event.h"
#include "codec/repository/frame.h"
#include "compat.h"
#include "error.h"
#include "key.h"
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
static bool
commit_is_signed(const AtidCommit *commit, AtidVerifier *verifier)
{
	uint8_t    *signed_bytes = palloc(commit->block_len);
	size_t		signed_len = atid_commit_unsigned(commit, signed_bytes);
	bool		result = atid_key_has_signed(verifier, signed_bytes, signed_len,
											 commit->sig, commit->sig_len);

	pfree(signed_bytes);
	return result;
}

/*
 * Is the block a commit of this account that the key has signed?
 */
static bool
block_is_signed(const uint8_t *block, size_t len, const text *did, AtidVerifier *verifier)
{
	AtidCommit	commit;

	return atid_commit_parse(block, len, &commit) == ATID_OK &&
		commit_is_of(&commit, did) &&
		commit_is_signed(&commit, verifier);
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
	bool		result = block_is_signed((const uint8_t *) VARDATA_ANY(block),
										 VARSIZE_ANY_EXHDR(block), did, verifier);

	PG_FREE_IF_COPY(block, 0);
	PG_FREE_IF_COPY(did, 1);
	PG_RETURN_BOOL(result);
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

	/* it should be the first section, but can be another */
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
	bool		result;

	/* the cheapest check first */
	result = find_root_block((const uint8_t *) VARDATA_ANY(car), VARSIZE_ANY_EXHDR(car),
							 &commit) &&
		block_is_signed(commit.block, commit.block_len, did, verifier) &&
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
	if (found && !commit_is_signed(&commit, verifier))
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

	/* a larger one is not even decompressed */
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
		commit_is_signed(&commit, verifier);
	pfree(event);
	PG_FREE_IF_COPY(bytes, 0);
	PG_RETURN_BOOL(result);
}
