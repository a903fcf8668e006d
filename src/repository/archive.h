/*-------------------------------------------------------------------------
 *
 * archive.h
 *		An open CAR: finds its blocks by their CIDs, and notes its first problem.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ARCHIVE_H
#define ATID_ARCHIVE_H

#include "codec/car.h"
#include "codec/commit.h"
#include "codec/mst.h"
#include "compat.h"

/*
 * What codec/mst*.c needs besides blocks: hashes, and memory from a context.  If an
 * AtidMstCaller has these functions, its arg must be a struct that begins with this one.
 */
typedef struct AtidMstTools
{
	struct pg_cryptohash_ctx *hash;
	MemoryContext context;
} AtidMstTools;

extern void atid_mst_tools_sha256(void *arg, const void *data, size_t len, uint8_t digest[32]);
extern void *atid_mst_tools_alloc(void *arg, void *old, size_t size);

/*
 * Problems are not raised but noted, the first one only: predicates and *_problem functions
 * answer.  Other functions raise it with atid_archive_raise().
 */
typedef struct AtidArchive
{
	AtidMstTools tools;
	const uint8_t *car;
	size_t		len;
	const uint8_t *bytes;		/* the CAR, or what it lies within: problems
								 * have places in these */
	AtidCarReader header;		/* as it is before the first section */
	AtidCarIndex index;
	AtidMstCaller caller;		/* for a walk through a tree in this CAR */
	bool		records;		/* the records of a tree will be looked up */
	const char *problem;		/* in words, with its place; or NULL */
	int			sqlstate;		/* of the problem */
} AtidArchive;

typedef enum AtidArchiveBlock
{
	ATID_ARCHIVE_FOUND,
	ATID_ARCHIVE_REPEATED,		/* found, and not for the first time */
	ATID_ARCHIVE_MISSING,
	ATID_ARCHIVE_BAD			/* a problem is noted */
} AtidArchiveBlock;

/* What a CAR is opened for, besides reading its header and sections in order. */
#define ATID_ARCHIVE_CHECK		0x01	/* checking the hashes of blocks */
#define ATID_ARCHIVE_INDEX		0x02	/* finding blocks, and walking trees */
#define ATID_ARCHIVE_RECORDS	0x04	/* and finding the records of trees */

extern bool atid_archive_open(AtidArchive *archive, bytea *car, int flags);
extern bool atid_archive_open_within(AtidArchive *archive, const uint8_t *bytes,
									 const uint8_t *car, size_t len, int flags);
extern void atid_archive_close(AtidArchive *archive);
pg_noreturn extern void atid_archive_raise(const AtidArchive *archive, const char *what);

extern AtidArchiveBlock atid_archive_block(AtidArchive *archive, const uint8_t *cid,
										   size_t cid_len, AtidCarSection *section);
extern bool atid_archive_commit(AtidArchive *archive, AtidCommit *commit,
								AtidCarSection *section);
extern bool atid_archive_check(AtidArchive *archive, const AtidCarSection *section);
extern bool atid_archive_walk_problem(AtidArchive *archive, const AtidMstWalk *walk);
extern bool atid_archive_car_problem(AtidArchive *archive, const AtidCarReader *reader);
extern bool atid_archive_problem(AtidArchive *archive, AtidFault fault, const char *words,
								 const char *what);
extern bool atid_archive_problem_at(AtidArchive *archive, AtidFault fault, const uint8_t *at,
									const char *what);

extern const char *atid_quote_cid(const uint8_t *cid, size_t len);

#endif							/* ATID_ARCHIVE_H */
