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

#include "codec/mst.h"
#include "compat.h"
#include "repository/archive.h"

/* A walk through a tree, and the CAR that the tree is in. */
typedef struct AtidTree
{
	AtidArchive archive;
	AtidMstWalk walk;
	uint8_t		root[ATID_MST_CID_LEN];
} AtidTree;

extern AtidTree *atid_tree_open(FunctionCallInfo fcinfo, int i);
extern void atid_tree_close(AtidTree *tree);
extern bool atid_tree_enter(AtidTree *tree, bool partial);
pg_noreturn extern void atid_tree_raise(AtidTree *tree);

extern const AtidMstOperation *atid_sort_operations(AtidMstOperation *operations, size_t count);

pg_noreturn extern void atid_tree_raise_build_fault(const AtidMstBuilder *builder,
													AtidFault fault, const void *key,
													size_t key_len);

#endif							/* ATID_TREE_H */
