/*-------------------------------------------------------------------------
 *
 * tree.h
 *		Reading a Merkle Search Tree in a CAR, and building one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_TREE_H
#define ATID_TREE_H

#include "fmgr.h"

#include "codec/repository/mst_invert.h"
#include "compat.h"
#include "repository/archive.h"

/* A walk through a tree, and the CAR that the tree is in. */
typedef struct AtidTree
{
	AtidArchive archive;
	AtidMstWalk walk;
	uint8_t		root[ATID_MST_CID_LEN];
} AtidTree;

/*
 * Open the CAR that is argument i, and begin a walk before the tree's root.  Argument i + 1
 * names the root; if it is null, the CAR must have only one.  Raises an error for a CAR or
 * root that is invalid.  Close the tree to free it.
 */
extern AtidTree *atid_tree_open(FunctionCallInfo fcinfo, int i);
extern void atid_tree_close(AtidTree *tree);

/*
 * Raise the fault of the walk.
 */
pg_noreturn extern void atid_tree_raise(AtidTree *tree);

/*
 * Sort operations by their keys.  Returns one whose key another one has too, or NULL.
 */
extern const AtidMstOperation *atid_sort_operations(AtidMstOperation *operations, size_t count);

/*
 * Raise a fault of an entry that was to be put; by a builder, or (NULL) before there is
 * one.
 */
pg_noreturn extern void atid_tree_raise_build_fault(const AtidMstBuilder *builder,
													AtidFault fault, const void *key,
													size_t key_len);

#endif							/* ATID_TREE_H */
