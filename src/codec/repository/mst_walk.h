/*-------------------------------------------------------------------------
 *
 * mst_walk.h
 *		A walk through a Merkle Search Tree, in the order of its keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MST_WALK_H
#define ATID_MST_WALK_H

#include "codec/repository/mst.h"

typedef enum AtidMstAt
{
	ATID_MST_AT_TREE,			/* before a subtree: link, level */
	ATID_MST_AT_ENTRY,			/* at an entry: key, key_len, value, value_len */
	ATID_MST_AT_END,
	ATID_MST_AT_FAULT			/* fault and what comes with it */
} AtidMstAt;

/* A node that is open. */
typedef struct AtidMstFrame
{
	const uint8_t *cid;
	const uint8_t *left;
	uint32_t	first;			/* its entries in the walk's array */
	uint32_t	count;
	uint32_t	place;			/* 0 before left; 2i + 1 at entry i; 2i + 2
								 * before its tree */
	int			level;
	uint16_t	key_len;
	uint8_t		key[ATID_MST_KEY_MAX];
} AtidMstFrame;

/*
 * The caller reads the fields that AtidMstAt names for the walk's place.  At a
 * fault these are fault, fault_cid (the CID of the node that has it, or that is
 * missing), fault_at (the place in the node's block, or NULL), the level, and
 * the key, whose length is 0 if the fault is not an entry's.
 */
typedef struct AtidMstWalk
{
	const AtidMstCaller *caller;
	AtidMstAt	at;

	const uint8_t *link;		/* the CID of the subtree */
	int			level;			/* of its node; -1 for the root, whose first
								 * key has it */
	const uint8_t *key;
	size_t		key_len;
	const uint8_t *value;
	size_t		value_len;

	AtidFault	fault;
	const uint8_t *fault_cid;
	const uint8_t *fault_at;

	bool		trusting;		/* do not check the depths of keys; the caller
								 * sets it */
	AtidMstEntry *entries;		/* of all open nodes, one after the other */
	size_t		used;
	size_t		room;
	const uint8_t *last_key;	/* the last entry's, in the frame of its node */
	size_t		last_len;
	int			depth;			/* open nodes */
	AtidMstFrame frames[ATID_MST_DEPTH_MAX + 1];
} AtidMstWalk;

/*
 * Begin a walk before the root.  The root's CID must not change meanwhile.
 */
extern void atid_mst_walk_begin(AtidMstWalk *walk, const AtidMstCaller *caller,
								const uint8_t root[ATID_MST_CID_LEN]);

/*
 * Free the walk's memory.
 */
extern void atid_mst_walk_end(AtidMstWalk *walk);

/*
 * Enter the subtree that the walk stands before.  If its block is missing, the
 * walk is at a fault; atid_mst_pass() takes the fault back and passes the
 * subtree by.
 */
extern void atid_mst_enter(AtidMstWalk *walk);

/*
 * Pass by the subtree or entry that the walk stands at.
 */
extern void atid_mst_pass(AtidMstWalk *walk);

/*
 * Check the depth of the key where the walk is, which a trusting walk has not done.
 * Returns false where it is another, and then the walk is at that fault.
 */
extern bool atid_mst_check_depth(AtidMstWalk *walk);

/*
 * The order of a key and the next entry's, behind the subtree that the walk stands before;
 * less where there is none.  The entry has not been checked.
 */
extern int	atid_mst_cmp_next(const AtidMstWalk *walk, const uint8_t *key, size_t len);

/*
 * Find the last key of the subtree that has this CID and lies at this level: a walk of
 * its own, which enters only the last subtree of each node.  It is then at the end, and
 * last_key and last_len are the key's; or it is at a fault.
 */
extern void atid_mst_last_key(AtidMstWalk *walk, const AtidMstCaller *caller,
							  const uint8_t cid[ATID_MST_CID_LEN], int level);

/*
 * Check an entry, if the walk is at one, against the last key of a subtree that was
 * passed by before it.
 */
extern void atid_mst_check_behind(AtidMstWalk *walk, const uint8_t *key, size_t len);


/*
 * The search
 */

typedef enum AtidMstFound
{
	ATID_MST_PRESENT,			/* walk->value, value_len */
	ATID_MST_NOT_THERE,			/* the tree does not have the key */
	ATID_MST_UNKNOWN,			/* the node that would tell is missing:
								 * walk->fault_cid */
	ATID_MST_BROKEN				/* the walk is at a fault */
} AtidMstFound;

/*
 * Find a key in the tree that has this root, by the nodes on the way to it: those whose
 * range it is in, down to the level of its depth.  There it is, or it is not in the tree.
 * Each of these nodes is checked, and that its keys are within its range.
 *
 * Where the key is present the walk has value and value_len.  The caller ends the walk in
 * any case.
 */
extern AtidMstFound atid_mst_search(AtidMstWalk *walk, const AtidMstCaller *caller,
									const uint8_t root[ATID_MST_CID_LEN], const uint8_t *key,
									size_t key_len);

#endif							/* ATID_MST_WALK_H */
