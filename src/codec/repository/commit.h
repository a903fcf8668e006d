/*-------------------------------------------------------------------------
 *
 * commit.h
 *		A repository's commit: its fields, and the bytes that its signature is over.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_COMMIT_H
#define ATID_COMMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"
#include "codec/limits.h"

/* The versions of the repository format that are read. */
#define ATID_COMMIT_VERSION 3
#define ATID_COMMIT_VERSION_LEGACY 2

/*
 * A commit; its pointers are into the block.  Lengths count bytes.  rev and prev
 * are NULL if there is none.
 */
typedef struct AtidCommit
{
	const char *did;
	size_t		did_len;
	int64_t		version;
	const char *rev;			/* 13 characters */
	const uint8_t *data;		/* the tree's root: a CID of
								 * ATID_CID_BLESSED_LEN bytes */
	const uint8_t *prev;		/* likewise of a commit */
	const uint8_t *sig;
	size_t		sig_len;

	/* for atid_commit_unsigned() */
	const uint8_t *block;
	size_t		block_len;

	size_t		at;				/* offset of the fault */
} AtidCommit;

/*
 * Parse a commit.  The block is not hashed, and the signature is not checked.
 * On a fault, commit->at is the place in the block.
 */
ATID_NODISCARD extern AtidFault atid_commit_parse(const uint8_t *block, size_t len,
												  AtidCommit *commit);

/*
 * Write the bytes that the signature is over into dst, which must have room for
 * as many as the block has.  Returns their number.  The commit must have been
 * parsed without a fault.
 */
extern size_t atid_commit_unsigned(const AtidCommit *commit, uint8_t *dst);

#endif							/* ATID_COMMIT_H */
