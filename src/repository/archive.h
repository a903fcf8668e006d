/*-------------------------------------------------------------------------
 *
 * archive.h
 *		A CAR that is open: its blocks by their CIDs, and what is wrong with it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ARCHIVE_H
#define ATID_ARCHIVE_H

#include "codec/car.h"
#include "codec/mst.h"
#include "compat.h"

/*
 * What the code of codec/mst*.c asks for besides blocks: hashes, and memory of a context.
 * A struct that is the arg of an AtidMstCaller with these functions begins with it.
 */
typedef struct AtidMstTools
{
	struct pg_cryptohash_ctx *hash;
	MemoryContext context;
} AtidMstTools;

extern void atid_mst_tools_sha256(void *arg, const void *data, size_t len, uint8_t digest[32]);
extern void *atid_mst_tools_alloc(void *arg, void *old, size_t size);

/*
 * Problems do not raise but are noted, the first one only: a predicate answers, a
 * *_problem function tells, and the others raise by atid_archive_raise().
 */
typedef struct AtidArchive
{
	AtidMstTools tools;
	const uint8_t *car;
	size_t		len;
	AtidCarReader header;		/* as it is before the first section */
	AtidCarIndex index;
	AtidMstCaller caller;		/* for a walk through a tree in this CAR */
	bool		records;		/* the blocks of a tree's values will be asked
								 * for */
	const char *problem;		/* in words, with its place; or NULL */
	int			sqlstate;		/* of the problem */
} AtidArchive;

typedef enum AtidArchiveBlock
{
	ATID_ARCHIVE_FOUND,
	ATID_ARCHIVE_REPEATED,		/* found, and asked for before */
	ATID_ARCHIVE_MISSING,
	ATID_ARCHIVE_BAD			/* a problem is noted */
} AtidArchiveBlock;

/* What a CAR is opened for, besides reading its header and its sections in a row. */
#define ATID_ARCHIVE_CHECK		0x01	/* to check the blocks of sections */
#define ATID_ARCHIVE_INDEX		0x02	/* to find blocks, and to walk through
										 * trees */
#define ATID_ARCHIVE_RECORDS	0x04	/* and to ask for what a tree's values
										 * name */

extern bool atid_archive_open(AtidArchive *archive, bytea *car, int flags);
extern void atid_archive_close(AtidArchive *archive);
pg_noreturn extern void atid_archive_raise(const AtidArchive *archive, const char *what);

extern AtidArchiveBlock atid_archive_block(AtidArchive *archive, const uint8_t *cid,
										   size_t cid_len, AtidCarSection *section);
extern bool atid_archive_check(AtidArchive *archive, const AtidCarSection *section);
extern bool atid_archive_walk_problem(AtidArchive *archive, const AtidMstWalk *walk);
extern bool atid_archive_car_problem(AtidArchive *archive, const AtidCarReader *reader);
extern bool atid_archive_problem(AtidArchive *archive, AtidFault fault, const char *words,
								 const char *what);
extern bool atid_archive_problem_at(AtidArchive *archive, AtidFault fault, const uint8_t *at,
									const char *what);

extern const char *atid_quote_cid(const uint8_t *cid, size_t len);

#endif							/* ATID_ARCHIVE_H */
