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

/* The versions of the repository format that are read. */
#define ATID_COMMIT_VERSION 3
#define ATID_COMMIT_VERSION_LEGACY 2

/* A commit has no more bytes; what it needs is some 250. */
#define ATID_COMMIT_SIZE_MAX 1048576

/* What is wrong with a commit: its encoding, or the field that breaks a rule. */
typedef enum AtidCommitFault
{
	ATID_COMMIT_OK,
	ATID_COMMIT_LARGE,			/* more than ATID_COMMIT_SIZE_MAX */
	ATID_COMMIT_ENCODING,		/* no DAG-CBOR: cbor_error, cid_fault */
	ATID_COMMIT_TOP,			/* not a map */
	ATID_COMMIT_DID,			/* absent, or no DID */
	ATID_COMMIT_REV,			/* absent in version 3, or no TID */
	ATID_COMMIT_SIG,			/* absent, or no byte string */
	ATID_COMMIT_DATA,			/* absent, or no blessed link to DAG-CBOR */
	ATID_COMMIT_PREV,			/* absent in version 3, or neither null nor
								 * such a link */
	ATID_COMMIT_VERSION_FIELD	/* absent, or a version that is not read */
} AtidCommitFault;

/*
 * A commit, all of it in the block that was parsed.  Lengths count bytes.  rev
 * and prev are NULL where there is none.
 */
typedef struct AtidCommit
{
	const char *did;
	size_t		did_len;
	int64_t		version;
	const char *rev;			/* 13 characters */
	const uint8_t *data;		/* the tree's root: a CID of
								 * ATID_CID_BLESSED_LEN bytes */
	const uint8_t *prev;		/* the same of a commit */
	const uint8_t *sig;
	size_t		sig_len;

	/* where what the signature is over lies */
	const uint8_t *block;
	size_t		block_len;
	size_t		pairs;			/* of the map, "sig" counted */
	size_t		first_pair;		/* offset of the first key's head */
	size_t		sig_begin;		/* offset of the head of the key "sig" ... */
	size_t		sig_end;		/* ... and behind its value */

	/* where the fault is, an offset into the block, and what the reader says */
	size_t		at;
	int			cbor_error;		/* an AtidCborError */
	int			cid_fault;		/* an AtidCidFault */
} AtidCommit;

extern AtidCommitFault atid_commit_parse(const uint8_t *block, size_t len, AtidCommit *commit);
extern size_t atid_commit_unsigned(const AtidCommit *commit, uint8_t *dst);
extern const char *atid_commit_words(AtidCommitFault fault, const AtidCommit *commit);

#endif							/* ATID_COMMIT_H */
