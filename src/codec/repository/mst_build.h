/*-------------------------------------------------------------------------
 *
 * mst_build.h
 *		A Merkle Search Tree, built of its entries in the order of their keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MST_BUILD_H
#define ATID_MST_BUILD_H

#include "codec/repository/mst.h"

/* A level's open node, and its last entry, whose subtree is still to come. */
typedef struct AtidMstLevel
{
	uint8_t    *data;			/* the entries in DAG-CBOR, up to the last
								 * one's "t" */
	uint32_t	len;
	uint32_t	cap;
	uint8_t    *last;			/* the last entry's key, and its value */
	uint32_t	last_cap;
	uint32_t	value_len;
	uint16_t	key_len;
	uint16_t	count;
	bool		has_left;
	bool		has_link;		/* the last slot's: "l" before the first
								 * entry, else "t" */
	uint8_t		left[ATID_MST_CID_LEN];
	uint8_t		link[ATID_MST_CID_LEN];
} AtidMstLevel;

typedef struct AtidMstBuilder
{
	AtidMstLevel *levels[ATID_MST_DEPTH_MAX + 1];
	int			last;			/* level of the last entry, -1 before the
								 * first */
	int			top;			/* highest level in use, or -1 */
	int			sealed;			/* level into whose last slot a subtree was
								 * put, or -1 */
} AtidMstBuilder;

/*
 * Begin to build.  Free the builder also after a fault.
 */
extern void atid_mst_builder_init(AtidMstBuilder *builder);

/*
 * Put an entry.  Its key must be greater than all before; its value is a CID of
 * any kind.  After a fault, unless it is one of the key, the builder can only
 * be freed.
 */
ATID_NODISCARD extern AtidFault atid_mst_put(AtidMstBuilder *builder, const AtidMstCaller *caller,
											 const uint8_t *key, size_t key_len,
											 const uint8_t *value, size_t value_len);

/*
 * The same where the caller knows all that: the key is one, it is greater than all before,
 * and it has this depth.
 */
ATID_NODISCARD extern AtidFault atid_mst_put_at(AtidMstBuilder *builder,
												const AtidMstCaller *caller, int depth,
												const uint8_t *key, size_t key_len,
												const uint8_t *value, size_t value_len);

/*
 * Put a subtree by its CID; its root is a node of this level.  Its keys must be
 * greater than all before.
 */
ATID_NODISCARD extern AtidFault atid_mst_put_tree(AtidMstBuilder *builder,
												  const AtidMstCaller *caller, int level,
												  const uint8_t cid[ATID_MST_CID_LEN]);

/*
 * Set the CID of the root of the tree of all that was put so far.
 */
ATID_NODISCARD extern AtidFault atid_mst_finish(const AtidMstBuilder *builder,
												const AtidMstCaller *caller,
												uint8_t root[ATID_MST_CID_LEN]);

/*
 * Give back all memory.
 */
extern void atid_mst_builder_free(AtidMstBuilder *builder, const AtidMstCaller *caller);

#endif							/* ATID_MST_BUILD_H */
