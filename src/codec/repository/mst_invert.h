/*-------------------------------------------------------------------------
 *
 * mst_invert.h
 *		The Merkle Search Tree before some operations, from the one after them; and whether
 *		a tree has what operations have done.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MST_INVERT_H
#define ATID_MST_INVERT_H

#include "codec/repository/mst_build.h"
#include "codec/repository/mst_walk.h"

/* What a commit has done at a key: the values before and after, or NULL for none. */
typedef struct AtidMstOperation
{
	const uint8_t *key;
	size_t		key_len;
	const uint8_t *old;
	size_t		old_len;
	const uint8_t *new;
	size_t		new_len;
} AtidMstOperation;

/*
 * On a fault the caller reads operation, which has it, or is NULL where none has;
 * node, the one that is needed for ATID_MST_NEEDED; and value, the one that the tree has.
 */
typedef struct AtidMstInversion
{
	bool		in_tree;		/* the fault is the tree's, and the walk at it */
	const AtidMstOperation *operation;
	const uint8_t *node;
	const uint8_t *value;
	size_t		value_len;

	const AtidMstOperation *begin;
	const AtidMstOperation *next;	/* the first that the walk has not reached */
	const AtidMstOperation *end;
	bool		anchored;		/* the depth of a key has been checked */
	bool		in_gap;			/* no entry came since the last node that is
								 * missing */
	AtidMstBuilder builder;
} AtidMstInversion;

/*
 * Invert the operations, which are in the order of their keys and have no key twice; each
 * has an old value or a new one.  The walk stands before the root.  root is that of the
 * tree before.
 *
 * Without operations the root is the answer, and nothing of the tree is looked at: a commit
 * that changes no record comes without any of its nodes.
 */
ATID_NODISCARD extern AtidFault atid_mst_undo(AtidMstInversion *inversion, AtidMstWalk *walk,
											  const AtidMstCaller *caller,
											  const AtidMstOperation *operations, size_t count,
											  uint8_t root[ATID_MST_CID_LEN]);

/*
 * Does the tree have what the operations have put, and not what they have deleted?  They are
 * as for atid_mst_undo(), but a deletion may lack its old value.  The walk stands before the
 * root.  Only the nodes in which their keys must lie are entered, each once.
 */
ATID_NODISCARD extern AtidFault atid_mst_compare(AtidMstInversion *inversion, AtidMstWalk *walk,
												 const AtidMstOperation *operations, size_t count);

#endif							/* ATID_MST_INVERT_H */
