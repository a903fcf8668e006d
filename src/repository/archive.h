/*-------------------------------------------------------------------------
 *
 * archive.h
 *		An open CAR: finds its blocks by their CIDs, and notes its first problem.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ARCHIVE_H
#define ATID_ARCHIVE_H

#include "codec/repository/car.h"
#include "codec/repository/commit.h"
#include "codec/repository/mst_walk.h"
#include "compat.h"
#include "repository/mst_tools.h"

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

/*
 * Open a CAR, which must not change.  The flags are its uses.  Returns false if its header
 * has a fault, or, where it gets an index, the length or CID of a section; the fault is then
 * noted.  Close it in either case.
 *
 * The second opens one that lies within other bytes: places are counted in these.
 */
pg_nodiscard extern bool atid_archive_open(AtidArchive *archive, bytea *car, int flags);
pg_nodiscard extern bool atid_archive_open_within(AtidArchive *archive, const uint8_t *bytes,
												  const uint8_t *car, size_t len, int flags);

/* Free what an archive has allocated.  A problem that is noted stays. */
extern void atid_archive_close(AtidArchive *archive);

/*
 * Raise the problem that was noted.  "what" is the noun after "invalid", such as "CAR".
 */
pg_noreturn extern void atid_archive_raise(const AtidArchive *archive, const char *what);

/*
 * Find the block of a CID and check its hash.  A CID with a hash other than SHA-256 cannot
 * be checked, which is a problem.  *section, which points into the CAR, is set if it is found.
 */
pg_nodiscard extern AtidArchiveBlock atid_archive_block(AtidArchive *archive, const uint8_t *cid,
														size_t cid_len,
														AtidCarSection *section);

/*
 * Read the commit that the first root of a CAR is, and the section that it is in; both point
 * into the CAR.  Returns false if there is a problem, which is noted.
 */
pg_nodiscard extern bool atid_archive_commit(AtidArchive *archive, AtidCommit *commit,
											 AtidCarSection *section);

/*
 * Does the block have the hash that its CID names?  If not, or if the kind of hash is not
 * supported, that is noted as a problem.
 */
extern bool atid_archive_check(AtidArchive *archive, const AtidCarSection *section);

/*
 * Note the fault of a walk: the place, the rule, the node and the key.  Returns false.
 */
extern bool atid_archive_walk_problem(AtidArchive *archive, const AtidMstWalk *walk);

/*
 * Note the reader's fault, if it has one.  Returns true if it has none.
 */
extern bool atid_archive_car_problem(AtidArchive *archive, const AtidCarReader *reader);

/*
 * Note a problem, if it is the first.  words is the fault in words, with its place; NULL if
 * it has no place.  "what" is NULL, or a sentence that names the block, node or record.
 * Returns false.
 */
extern bool atid_archive_problem(AtidArchive *archive, AtidFault fault, const char *words,
								 const char *what);

/*
 * The text of a CID for an error, or the beginning of a long one.  It is allocated.
 */
extern const char *atid_quote_cid(const uint8_t *cid, size_t len);

#endif							/* ATID_ARCHIVE_H */
