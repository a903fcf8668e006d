/*-------------------------------------------------------------------------
 *
 * repository.c
 *		An account's repository in a CAR: its commit and its records.
 *
 * The CAR's first root is a commit (codec/repository/commit.c), whose data is the root of a tree
 * (codec/repository/mst.c) of paths and the CIDs of records.  The results are verified from the
 * commit down: the hash of each block, the canonical form of the tree, the collection and the
 * record key in each path.  The commit's signature, which proves whose repository it is, and the
 * contents of records are not verified.
 *
 * The order of blocks does not matter; duplicates and blocks that nothing refers to are
 * ignored.  Several paths may refer to one record, and each row has its block.  The bytes of
 * such repeated blocks are limited, because a small CAR could give many large rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "address/types.h"
#include "codec/cbor/multiformat.h"
#include "codec/repository/car.h"
#include "codec/repository/commit.h"
#include "codec/repository/mst_walk.h"
#include "codec/text/address.h"
#include "codec/text/tid.h"
#include "compat.h"
#include "datum.h"
#include "error.h"
#include "repository/archive.h"

/*
 * The limit of repeated blocks, in bytes: REPEATED_MAX plus REPEATED_TIMES the size of the
 * CAR.
 */
#define REPEATED_MAX (64 * 1024 * 1024)
#define REPEATED_TIMES 16

/* A repository that is read. */
typedef struct Repository
{
	AtidArchive archive;
	AtidCommit	commit;
	AtidCarSection commit_section;
	AtidMstWalk walk;
	uint64		repeated;		/* bytes of repeated blocks so far */
} Repository;

/* The record at the walk's current entry. */
typedef struct Record
{
	const char *collection;
	size_t		collection_len;
	const char *rkey;
	size_t		rkey_len;
	AtidCarSection section;
	bool		missing;		/* its block is not in the CAR */
} Record;


/*
 * Note a problem of the current record; words is as in atid_archive_problem().
 */
static bool
record_problem(Repository *repo, AtidFault fault, const char *words)
{
	const AtidMstWalk *walk = &repo->walk;

	return atid_archive_problem(&repo->archive, fault, words,
								psprintf("The path is \"%s\", the CID is \"%s\".",
										 atid_quote((const char *) walk->key, walk->key_len),
										 atid_quote_cid(walk->value, walk->value_len)));
}

/*
 * Open a CAR and read its commit.  Returns false if there is a problem, which is noted.
 */
static bool
open_repository(Repository *repo, bytea *car)
{
	AtidArchive *archive = &repo->archive;

	repo->repeated = 0;
	repo->walk.entries = NULL;
	return atid_archive_open(archive, car, ATID_ARCHIVE_INDEX | ATID_ARCHIVE_RECORDS) &&
		atid_archive_commit(archive, &repo->commit, &repo->commit_section);
}

static void
close_repository(Repository *repo)
{
	if (repo->walk.entries != NULL)
		atid_mst_walk_end(&repo->walk);
	atid_archive_close(&repo->archive);
}

/*
 * Split the current path into collection and record key, and check both.
 */
static bool
read_path(Repository *repo, Record *record)
{
	const char *path = (const char *) repo->walk.key;
	size_t		len = repo->walk.key_len;
	const char *slash = memchr(path, '/', len);
	AtidFault	fault;
	size_t		at;

	record->collection = path;
	record->collection_len = slash == NULL ? len : (size_t) (slash - path);
	record->rkey = slash == NULL ? path + len : slash + 1;
	record->rkey_len = (size_t) (path + len - record->rkey);
	if (slash == NULL)
		return record_problem(repo, ATID_REPO_PATH, NULL);
	fault = atid_nsid_scan(record->collection, record->collection_len, &at);
	if (fault == ATID_OK)
	{
		fault = atid_record_key_scan(record->rkey, record->rkey_len, &at);
		at += (size_t) (record->rkey - path);
	}
	return fault == ATID_OK || record_problem(repo, fault, atid_fault_at_character(fault, at));
}

/*
 * Find the record's block and check its hash.
 */
static bool
read_block(Repository *repo, Record *record, bool partial)
{
	const AtidMstWalk *walk = &repo->walk;

	record->missing = false;
	switch (atid_archive_block(&repo->archive, walk->value, walk->value_len, &record->section))
	{
		case ATID_ARCHIVE_FOUND:
			return true;
		case ATID_ARCHIVE_REPEATED:
			repo->repeated += record->section.block_len;
			if (repo->repeated <= (uint64) repo->archive.len * REPEATED_TIMES + REPEATED_MAX)
				return true;
			return record_problem(repo, ATID_REPO_REPEATED, NULL);
		case ATID_ARCHIVE_MISSING:
			record->missing = true;
			return partial || record_problem(repo, ATID_REPO_RECORD_MISSING, NULL);
		case ATID_ARCHIVE_BAD:
			break;
	}
	return false;
}

/*
 * The next record, in the order of paths.  Returns false at the end, or if there is a
 * problem, which is noted.
 */
static bool
next_record(Repository *repo, Record *record, bool partial)
{
	AtidMstWalk *walk = &repo->walk;

	for (;;)
	{
		switch (walk->at)
		{
			case ATID_MST_AT_TREE:
				atid_mst_enter(walk);
				if (partial && walk->at == ATID_MST_AT_FAULT && walk->fault == ATID_MST_MISSING)
					atid_mst_pass(walk);
				break;
			case ATID_MST_AT_ENTRY:
				return read_path(repo, record) && read_block(repo, record, partial);
			case ATID_MST_AT_END:
				return false;
			case ATID_MST_AT_FAULT:
				return atid_archive_walk_problem(&repo->archive, walk);
		}
	}
}

/*
 * repo_commit(car): the commit that the first root is.
 */
PG_FUNCTION_INFO_V1(atid_repo_commit);
Datum
atid_repo_commit(PG_FUNCTION_ARGS)
{
	bytea	   *car = PG_GETARG_BYTEA_PP(0);
	Repository *repo = palloc(sizeof(Repository));
	const AtidCommit *commit = &repo->commit;
	Datum		values[8] = {0};
	bool		nulls[8] = {0};
	Datum		result;

	if (!open_repository(repo, car))
		atid_archive_raise(&repo->archive, "repository");

	values[0] = atid_did_datum(commit->did, commit->did_len);
	values[1] = Int32GetDatum((int32) commit->version);
	nulls[2] = commit->rev == NULL;
	if (commit->rev != NULL)
	{
		uint64_t	rev = 0;

		atid_tid_from_text(commit->rev, &rev);
		values[2] = UInt64GetDatum(rev);
	}
	values[3] = atid_bytes_datum(commit->data, ATID_CID_BLESSED_LEN);
	nulls[4] = commit->prev == NULL;
	if (commit->prev != NULL)
		values[4] = atid_bytes_datum(commit->prev, ATID_CID_BLESSED_LEN);
	values[5] = atid_bytes_datum(commit->sig, commit->sig_len);
	values[6] = atid_bytes_datum(repo->commit_section.cid, repo->commit_section.cid_len);
	values[7] = atid_bytes_datum(repo->commit_section.block, repo->commit_section.block_len);

	result = atid_row_datum(fcinfo, values, nulls);
	close_repository(repo);
	return result;
}

/*
 * repo_records(car, partial): collection, rkey, cid, block, in the order of paths.
 */
PG_FUNCTION_INFO_V1(atid_repo_records);
Datum
atid_repo_records(PG_FUNCTION_ARGS)
{
	bytea	   *car;
	bool		partial = !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Repository *repo = palloc(sizeof(Repository));
	MemoryContext caller;
	MemoryContext row;
	Record		record;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	car = PG_GETARG_BYTEA_PP(0);
	if (!open_repository(repo, car))
		atid_archive_raise(&repo->archive, "repository");
	atid_mst_walk_begin(&repo->walk, &repo->archive.caller, repo->commit.data);
	row = AllocSetContextCreate(CurrentMemoryContext, "atid row of a repository",
								ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(row);
	while (next_record(repo, &record, partial))
	{
		Datum		values[4] = {0};
		bool		nulls[4] = {false, false, false, record.missing};

		values[0] = atid_bytes_datum((const uint8_t *) record.collection, record.collection_len);
		values[1] = atid_bytes_datum((const uint8_t *) record.rkey, record.rkey_len);
		values[2] = atid_bytes_datum(repo->walk.value, repo->walk.value_len);
		if (!record.missing)
			values[3] = atid_bytes_datum(record.section.block, record.section.block_len);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		MemoryContextReset(row);
		atid_mst_pass(&repo->walk);
	}
	MemoryContextSwitchTo(caller);
	if (repo->archive.problem != NULL)
		atid_archive_raise(&repo->archive, "repository");
	MemoryContextDelete(row);
	close_repository(repo);
	return (Datum) 0;
}

/*
 * The same for a declaration that is not STRICT, so that a NULL option is its default.  An
 * older library, which a session may have loaded before an update, must not be called with
 * a NULL, so the name is another one.
 */
PG_FUNCTION_INFO_V1(atid_repo_records_partial);
Datum
atid_repo_records_partial(PG_FUNCTION_ARGS)
{
	return atid_repo_records(fcinfo);
}

/*
 * The first problem of a full export, or NULL.
 */
static const char *
find_repository_problem(FunctionCallInfo fcinfo)
{
	bytea	   *car = PG_GETARG_BYTEA_PP(0);
	Repository *repo = palloc(sizeof(Repository));
	Record		record;
	const char *problem;

	if (open_repository(repo, car))
	{
		atid_mst_walk_begin(&repo->walk, &repo->archive.caller, repo->commit.data);
		while (next_record(repo, &record, false))
			atid_mst_pass(&repo->walk);
	}
	problem = repo->archive.problem;
	close_repository(repo);
	pfree(repo);
	PG_FREE_IF_COPY(car, 0);
	return problem;
}

PG_FUNCTION_INFO_V1(atid_repo_is_valid);
Datum
atid_repo_is_valid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(find_repository_problem(fcinfo) == NULL);
}

PG_FUNCTION_INFO_V1(atid_repo_problem);
Datum
atid_repo_problem(PG_FUNCTION_ARGS)
{
	const char *problem = find_repository_problem(fcinfo);

	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}
