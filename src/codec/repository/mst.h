/*-------------------------------------------------------------------------
 *
 * mst.h
 *		The Merkle Search Tree of a repository: keys, and the form of a node.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MST_H
#define ATID_MST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/bytes.h"
#include "codec/fault.h"
#include "codec/limits.h"

/* The CID of a node: blessed, of DAG-CBOR. */
#define ATID_MST_CID_LEN 36

struct AtidMstEntry;

/*
 * What the caller provides:
 *	- sha256() hashes.
 *	- alloc() is like realloc(), and frees if the size is 0.  It may return NULL, or
 *	  not return.
 *	- find() finds the block of a node and checks it against its CID.  It returns
 *	  ATID_OK, ATID_MST_MISSING or ATID_MST_BLOCK.
 *	- emit() gets each node that a builder has finished.  It may be NULL.
 *	- expect() gets the entries of each node that a walk has entered, before the walk
 *	  goes on to any of them or to a subtree.  It may be NULL.
 */
typedef struct AtidMstCaller
{
	void		(*sha256) (void *arg, const void *data, size_t len, uint8_t digest[32]);
	void	   *(*alloc) (void *arg, void *old, size_t size);
	AtidFault	(*find) (void *arg, const uint8_t cid[ATID_MST_CID_LEN],
						 const uint8_t **block, size_t *len);
	void		(*emit) (void *arg, const uint8_t cid[ATID_MST_CID_LEN],
						 const uint8_t *node, size_t len);
	void		(*expect) (void *arg, const struct AtidMstEntry *entries, size_t count);
	void	   *arg;
} AtidMstCaller;

/*
 * The depth of a key, from its SHA-256.
 */
extern int	atid_mst_depth(const uint8_t digest[32]);

/*
 * The length of the longest common prefix of two keys.
 */
extern size_t atid_mst_shared(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

/*
 * Is this a key: not empty, not too long, printable ASCII without blanks?
 */
ATID_NODISCARD extern AtidFault atid_mst_check_key(const uint8_t *key, size_t len);


/*
 * Nodes
 */

/* An entry of a node, as it is written; all pointers are into the block. */
typedef struct AtidMstEntry
{
	const uint8_t *suffix;		/* of the key, */
	const uint8_t *value;		/* a CID */
	const uint8_t *tree;		/* a CID, or NULL */
	uint32_t	value_len;
	uint16_t	suffix_len;
	uint16_t	prefix_len;		/* bytes shared with the key before */
} AtidMstEntry;

/* What reading a node gives besides its entries. */
typedef struct AtidMstNode
{
	const uint8_t *left;		/* a CID, or NULL */
	size_t		count;
	const uint8_t *at;			/* the fault, in the block */
} AtidMstNode;

/*
 * Read a node, which must not change while the entries are used.  If there is
 * not enough room, only the count is set, and the caller retries; it is at most
 * ATID_MST_ENTRIES_MAX.  The bytes of keys are not checked.
 */
ATID_NODISCARD extern AtidFault atid_mst_read_node(const uint8_t *block, size_t len,
												   AtidMstNode *node, AtidMstEntry *entries,
												   size_t room);

#endif							/* ATID_MST_H */
