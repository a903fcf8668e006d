/*-------------------------------------------------------------------------
 *
 * car.h
 *		CAR v1: its header and sections, and an index of its blocks.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_CAR_H
#define ATID_CAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"
#include "codec/limits.h"

/*
 * The reader.  It allocates nothing, so there is nothing to free.  The caller
 * may read fault, at and the roots.
 */
typedef struct AtidCarReader
{
	const uint8_t *begin;
	const uint8_t *p;			/* the next section */
	const uint8_t *end;
	const uint8_t *roots;		/* the first root's tag, in the header */
	size_t		root_count;
	AtidFault	fault;
	size_t		at;				/* offset of the fault */
} AtidCarReader;

/* A section: a block and the CID that it is said to have. */
typedef struct AtidCarSection
{
	size_t		offset;			/* of its length, in the CAR */
	const uint8_t *cid;
	size_t		cid_len;
	const uint8_t *block;
	size_t		block_len;
} AtidCarSection;

/*
 * Begin to read a CAR, which must not change meanwhile.  Reads the header;
 * returns false if it has a fault.
 */
extern bool atid_car_begin(AtidCarReader *reader, const uint8_t *car, size_t len);

/*
 * The next section.  Returns false at the end, and at a fault.
 */
extern bool atid_car_next(AtidCarReader *reader, AtidCarSection *section);

/*
 * Read a root of a header that has no fault.  The first is at reader->roots.
 * Returns the place of the next.
 */
extern const uint8_t *atid_car_root(const uint8_t *root, const uint8_t **cid, size_t *cid_len);


/*
 * Writing
 */

/* Room for the length of a section, and for a header and its length. */
#define ATID_CAR_SECTION_HEAD_MAX 9
#define ATID_CAR_HEADER_MAX(root_len) ((root_len) + 88)

/*
 * Write a header with this root, or without roots if root is NULL, into the
 * ATID_CAR_HEADER_MAX(root_len) bytes at dst.  Returns the number of bytes written.
 */
extern size_t atid_car_put_header(uint8_t *dst, const uint8_t *root, size_t root_len);

/*
 * Write the length of a section, which stands before its CID.  Returns the
 * number of bytes.
 */
extern size_t atid_car_put_section_head(uint8_t dst[ATID_CAR_SECTION_HEAD_MAX], size_t cid_len,
										size_t block_len);


/*
 * The index
 */

/* Random numbers, which the maker of a CAR must not know. */
#define ATID_CAR_SEEDS 12

/* The blocks that are added, or prefetched, at a time. */
#define ATID_CAR_BATCH 64

/*
 * The place in a CAR of each block whose CID has a full SHA-256.  The caller
 * provides the slots, as many as atid_car_index_slots() says, all zero.
 */
typedef struct AtidCarSlot
{
	uint32_t	tag;			/* of the CID's hash */
	uint32_t	place;			/* offset of the section; 0 is free */
} AtidCarSlot;

typedef struct AtidCarIndex
{
	const uint8_t *car;
	size_t		len;
	AtidCarSlot *slots;
	size_t		mask;			/* number of slots - 1 */
	uint64_t	seeds[ATID_CAR_SEEDS];
} AtidCarIndex;

/*
 * Does the index take this CID: one of a full SHA-256, with any codec?
 */
extern bool atid_car_is_indexed(const uint8_t *cid, size_t cid_len);

/*
 * The number of slots of an index for so many blocks.
 */
extern size_t atid_car_index_slots(size_t blocks);

/*
 * Add the reader's next sections, at most ATID_CAR_BATCH, without those whose
 * CID is there already or is not indexed.  The slots must have been counted for
 * all of them.  Returns the number of sections read.
 */
extern size_t atid_car_index_read(AtidCarIndex *index, AtidCarReader *reader);

/*
 * Prefetch what searches for these CIDs will read.  They are at most
 * ATID_CAR_BATCH, and blessed.
 */
extern void atid_car_index_expect(const AtidCarIndex *index, const uint8_t *const *cids,
								  size_t count);

/*
 * The slot and the section of a CID; NULL if the CAR has no block of it.
 */
extern AtidCarSlot *atid_car_index_find(const AtidCarIndex *index, const uint8_t *cid,
										size_t cid_len, AtidCarSection *section);

/* A mark that the caller may set on a slot's place: "this block's hash is right". */
#define ATID_CAR_CHECKED UINT32_C(0x80000000)

#endif							/* ATID_CAR_H */
