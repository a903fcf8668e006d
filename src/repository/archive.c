/*-------------------------------------------------------------------------
 *
 * archive.c
 *		An open CAR: finds its blocks by their CIDs, and notes its first problem.
 *
 * To open a CAR reads the lengths and CIDs of all its sections twice: once to count
 * them, once to put them into the index (codec/repository/car.c).  The CAR is not copied.
 *
 * Blocks are in random order in the index and often in the CAR, so lookups miss the cache,
 * and a miss takes longer than hashing a record.  So memory is prefetched in batches: while
 * the index is made, and for all entries of a node that a walk enters.
 *
 * A block is hashed at the first lookup only, and then marked in the index.  Blocks that are
 * not looked up are not hashed.
 *
 * Memory: the index has 12 to 24 bytes for each block with a SHA-256, so it is no larger
 * than the CAR.  Interrupts are checked for each block, and within large ones.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "codec/cbor/multiformat.h"
#include "compat.h"
#include "error.h"
#include "repository/archive.h"
#include "sha256.h"

/* So many sections are read at a time between interrupts. */
#define SECTIONS_AT_ONCE 4096

/* The multihash code "identity": the digest is the block itself. */
#define HASH_IDENTITY 0x00

/* The most bytes of a CID that are quoted. */
#define CID_QUOTED_MAX 200


/*
 * Problems
 */

const char *
atid_quote_cid(const uint8_t *cid, size_t len)
{
	static const char ellipsis[] = " ...";
	size_t		quoted = Min(len, CID_QUOTED_MAX);
	size_t		text_len = atid_cid_text_len(quoted);
	char	   *result = palloc(text_len + sizeof(ellipsis));

	atid_cid_to_text(cid, quoted, result);
	strcpy(result + text_len, quoted < len ? ellipsis : "");
	return result;
}

static int
sqlstate_of(AtidFault fault)
{
	switch (fault)
	{
		case ATID_CAR_MANY_ROOTS:
		case ATID_COMMIT_LARGE:
		case ATID_MST_MANY_ENTRIES:
		case ATID_MST_DEEP:
		case ATID_REPO_REPEATED:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case ATID_BLOCK_HASH_KIND:
			return ERRCODE_FEATURE_NOT_SUPPORTED;
		default:
			return ERRCODE_INVALID_BINARY_REPRESENTATION;
	}
}

bool
atid_archive_problem(AtidArchive *archive, AtidFault fault, const char *words, const char *what)
{
	if (archive->problem == NULL)
	{
		if (words == NULL)
			words = atid_fault_words(fault);
		archive->problem = what == NULL ? words : psprintf("%s %s", words, what);
		archive->sqlstate = sqlstate_of(fault);
	}
	return false;
}

/*
 * Likewise for a fault at a place in the CAR, or in the bytes that contain the CAR.
 */
static bool
archive_problem_at(AtidArchive *archive, AtidFault fault, const uint8_t *at, const char *what)
{
	return atid_archive_problem(archive, fault,
								atid_fault_at_byte(fault, (size_t) (at - archive->bytes)), what);
}

void
atid_archive_raise(const AtidArchive *archive, const char *what)
{
	ereport(ERROR,
			(errcode(archive->sqlstate),
			 errmsg("invalid %s", what),
			 errdetail("%s", archive->problem)));
}

bool
atid_archive_car_problem(AtidArchive *archive, const AtidCarReader *reader)
{
	return reader->fault == ATID_OK ||
		archive_problem_at(archive, reader->fault, archive->car + reader->at, NULL);
}

bool
atid_archive_walk_problem(AtidArchive *archive, const AtidMstWalk *walk)
{
	const char *node = atid_quote_cid(walk->fault_cid, ATID_MST_CID_LEN);
	const char *what = walk->key_len > 0 ?
		psprintf("The node is \"%s\", the key is \"%s\".", node,
				 atid_quote((const char *) walk->key, walk->key_len)) :
		psprintf("The node is \"%s\".", node);

	if (walk->fault_at == NULL)
		return atid_archive_problem(archive, walk->fault, NULL, what);
	return archive_problem_at(archive, walk->fault, walk->fault_at, what);
}


/*
 * Blocks
 */

static const char *
sentence_of_cid(const uint8_t *cid, size_t len)
{
	return psprintf("The CID is \"%s\".", atid_quote_cid(cid, len));
}

/*
 * Note what is wrong with a section's block.
 */
static bool
section_problem(AtidArchive *archive, AtidFault fault, const AtidCarSection *section)
{
	return archive_problem_at(archive, fault, archive->car + section->offset,
							  sentence_of_cid(section->cid, section->cid_len));
}

bool
atid_archive_check(AtidArchive *archive, const AtidCarSection *section)
{
	AtidCid		cid;
	size_t		at;
	uint8_t		digest[ATID_SHA2_256_LEN];

	if (atid_cid_parse(section->cid, section->cid_len, &cid, &at) != ATID_OK)
		elog(ERROR, "a section without a CID");
	if (cid.hash == HASH_IDENTITY)
		return section_problem(archive, ATID_BLOCK_IDENTITY, section);
	if (cid.hash != ATID_HASH_SHA2_256 || cid.digest_len != ATID_SHA2_256_LEN)
		return section_problem(archive, ATID_BLOCK_HASH_KIND, section);
	atid_sha256(archive->tools.hash, section->block, section->block_len, digest);
	return memcmp(digest, cid.digest, sizeof(digest)) == 0 ||
		section_problem(archive, ATID_BLOCK_HASH, section);
}

AtidArchiveBlock
atid_archive_block(AtidArchive *archive, const uint8_t *cid, size_t cid_len,
				   AtidCarSection *section)
{
	AtidCarSlot *slot;

	CHECK_FOR_INTERRUPTS();
	slot = atid_car_index_find(&archive->index, cid, cid_len, section);
	if (slot == NULL)
	{
		if (atid_car_is_indexed(cid, cid_len))
			return ATID_ARCHIVE_MISSING;
		atid_archive_problem(archive, ATID_BLOCK_HASH_KIND, NULL,
							 sentence_of_cid(cid, cid_len));
		return ATID_ARCHIVE_BAD;
	}
	if (slot->place & ATID_CAR_CHECKED)
		return ATID_ARCHIVE_REPEATED;
	if (!atid_archive_check(archive, section))
		return ATID_ARCHIVE_BAD;
	slot->place |= ATID_CAR_CHECKED;
	return ATID_ARCHIVE_FOUND;
}


/*
 * Callbacks of a walk
 */

static AtidFault
find_node(void *arg, const uint8_t *cid, const uint8_t **block, size_t *len)
{
	AtidCarSection section;

	switch (atid_archive_block(arg, cid, ATID_MST_CID_LEN, &section))
	{
		case ATID_ARCHIVE_MISSING:
			return ATID_MST_MISSING;
		case ATID_ARCHIVE_BAD:
			return ATID_MST_BLOCK;
		default:
			*block = section.block;
			*len = section.block_len;
			return ATID_OK;
	}
}

/*
 * Prefetch the subtrees of these entries, and their records if those will be looked up.
 */
static void
expect_entries(void *arg, const AtidMstEntry *entries, size_t count)
{
	const AtidArchive *archive = arg;
	const uint8_t *cids[ATID_CAR_BATCH];
	size_t		n = 0;

	for (size_t i = 0; i < count && n + 2 <= ATID_CAR_BATCH; i++)
	{
		if (archive->records && atid_cid_is_blessed(entries[i].value, entries[i].value_len))
			cids[n++] = entries[i].value;
		if (entries[i].tree != NULL)
			cids[n++] = entries[i].tree;
	}
	atid_car_index_expect(&archive->index, cids, n);
}


/*
 * Opening and closing
 */

/*
 * Random numbers for indexes, drawn once: nobody outside sees anything of them.
 */
static void
set_seeds(AtidCarIndex *index)
{
	static uint64 seeds[ATID_CAR_SEEDS];
	static bool drawn = false;

	if (!drawn && !pg_strong_random(seeds, sizeof(seeds)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	drawn = true;
	memcpy(index->seeds, seeds, sizeof(seeds));
}

static void
build_index(AtidArchive *archive, size_t sections)
{
	AtidCarReader reader = archive->header;
	size_t		slots = atid_car_index_slots(sections);

	archive->index.car = archive->car;
	archive->index.len = archive->len;
	archive->index.mask = slots - 1;
	archive->index.slots = palloc_extended(slots * sizeof(AtidCarSlot),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	set_seeds(&archive->index);
	while (atid_car_index_read(&archive->index, &reader) > 0)
		CHECK_FOR_INTERRUPTS();
}

bool
atid_archive_open_within(AtidArchive *archive, const uint8_t *bytes, const uint8_t *car,
						 size_t len, int flags)
{
	AtidCarReader reader;
	AtidCarSection section;
	size_t		indexed = 0;
	uint64		n = 0;

	memset(archive, 0, sizeof(*archive));
	archive->tools.context = CurrentMemoryContext;
	archive->bytes = bytes;
	archive->car = car;
	archive->len = len;
	archive->records = (flags & ATID_ARCHIVE_RECORDS) != 0;
	atid_car_begin(&archive->header, archive->car, archive->len);
	if (!atid_archive_car_problem(archive, &archive->header))
		return false;
	if (flags & (ATID_ARCHIVE_CHECK | ATID_ARCHIVE_INDEX))
		archive->tools.hash = atid_sha256_begin();
	if ((flags & ATID_ARCHIVE_INDEX) == 0)
		return true;

	archive->caller.sha256 = atid_mst_tools_sha256;
	archive->caller.alloc = atid_mst_tools_alloc;
	archive->caller.find = find_node;
	archive->caller.expect = expect_entries;
	archive->caller.arg = archive;
	reader = archive->header;
	while (atid_car_next(&reader, &section))
	{
		if (++n % SECTIONS_AT_ONCE == 0)
			CHECK_FOR_INTERRUPTS();
		if (atid_car_is_indexed(section.cid, section.cid_len))
			indexed++;
	}
	if (!atid_archive_car_problem(archive, &reader))
		return false;
	build_index(archive, indexed);
	return true;
}

bool
atid_archive_open(AtidArchive *archive, bytea *car, int flags)
{
	const uint8_t *bytes = (const uint8_t *) VARDATA_ANY(car);

	return atid_archive_open_within(archive, bytes, bytes, VARSIZE_ANY_EXHDR(car), flags);
}

void
atid_archive_close(AtidArchive *archive)
{
	if (archive->index.slots != NULL)
		pfree(archive->index.slots);
	if (archive->tools.hash != NULL)
		pg_cryptohash_free(archive->tools.hash);
	archive->index.slots = NULL;
	archive->tools.hash = NULL;
}

static const char *
sentence_of_root(const uint8_t *cid, size_t len)
{
	return psprintf("The root is \"%s\".", atid_quote_cid(cid, len));
}

bool
atid_archive_commit(AtidArchive *archive, AtidCommit *commit, AtidCarSection *section)
{
	AtidFault	fault;
	const uint8_t *cid;
	size_t		cid_len;

	if (archive->header.root_count == 0)
		return atid_archive_problem(archive, ATID_REPO_NO_ROOT, NULL, NULL);
	atid_car_root(archive->header.roots, &cid, &cid_len);
	fault = ATID_REPO_ROOT;
	if (atid_cid_is_dag_cbor(cid, cid_len))
	{
		switch (atid_archive_block(archive, cid, cid_len, section))
		{
			case ATID_ARCHIVE_BAD:
				return false;
			case ATID_ARCHIVE_MISSING:
				fault = ATID_REPO_COMMIT_MISSING;
				break;
			default:
				fault = atid_commit_parse(section->block, section->block_len, commit);
				if (fault == ATID_OK)
					return true;
				return archive_problem_at(archive, fault, section->block + commit->at,
										  sentence_of_root(cid, cid_len));
		}
	}
	return atid_archive_problem(archive, fault, NULL, sentence_of_root(cid, cid_len));
}
