/*-------------------------------------------------------------------------
 *
 * limits.h
 *		The limits of what is read: the protocol's, and some that it lacks.
 *
 * The words of the faults have these numbers (faults.h), so each is a bare decimal one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LIMITS_H
#define ATID_LIMITS_H

/*
 * Text, in characters.
 */
#define ATID_DID_MAX		2048
#define ATID_HANDLE_MAX		253
#define ATID_NSID_MAX		317
#define ATID_NSID_AUTHORITY_MAX	253 /* all but its last segment */
#define ATID_SEGMENT_MAX	63	/* of a handle or an NSID */
#define ATID_RECORD_KEY_MAX	512
#define ATID_URI_MAX		8192
#define ATID_CID_STRING_MIN	8
#define ATID_CID_STRING_MAX	256

/*
 * DAG-CBOR.
 */

/*
 * Arrays and maps nest at most this deep; empty ones count.  A writer's caller
 * must keep to it, or the block cannot be read.  dagcbor.c explains the number.
 */
#define ATID_CBOR_DEPTH_MAX 512

/* A varint has at most 9 bytes, which hold 63 bits. */
#define ATID_VARINT_MAX_LEN 9

/*
 * Repositories.
 */

/* The most roots of a CAR's header; that of an account's CAR has one. */
#define ATID_CAR_ROOTS_MAX 100

/* The most bytes of a commit; most have some 250. */
#define ATID_COMMIT_SIZE_MAX 1048576

/* The most bytes of a key of the tree; a valid path has at most 830. */
#define ATID_MST_KEY_MAX 1024

/*
 * Limits against keys that are mined for their hash.  By chance, a key has a
 * depth of d or more with a probability of 4^-d, and a node n entries or more
 * with (3/4)^n.
 */
#define ATID_MST_DEPTH_MAX 32
#define ATID_MST_ENTRIES_MAX 1000

/*
 * Event streams (AT Protocol, "Sync", "Repository Event Stream").
 */

/* A frame has no more bytes, and so no body has. */
#define ATID_FRAME_SIZE_MAX 5000000
#define ATID_EVENT_SIZE_MAX ATID_FRAME_SIZE_MAX
#define ATID_EVENT_OPERATIONS_MAX 200
#define ATID_EVENT_RECORD_MAX 1000000
#define ATID_COMMIT_BLOCKS_MAX 2000000
#define ATID_SYNC_BLOCKS_MAX 10000

/*
 * Operations of PLC, where the rules are strict: bytes of DAG-CBOR, rotation keys, and
 * verification methods.
 */
#define ATID_PLC_SIZE_MAX 7500
#define ATID_PLC_KEYS_MAX 5
#define ATID_PLC_METHODS_MAX 10

/* A fork comes at most so many hours after the first operation that it nullifies. */
#define ATID_PLC_RECOVERY_HOURS 72

#endif							/* ATID_LIMITS_H */
