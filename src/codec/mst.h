/*-------------------------------------------------------------------------
 *
 * mst.h
 *		The Merkle Search Tree of a repository: its nodes, a walk, a builder.
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

/* The most bytes of a key; a valid path has at most 830. */
#define ATID_MST_KEY_MAX 1024

/*
 * Limits against keys that are mined for their hash.  By chance, a key has a
 * depth of d or more with a probability of 4^-d, and a node n entries or more
 * with (3/4)^n.
 */
#define ATID_MST_DEPTH_MAX 32
#define ATID_MST_ENTRIES_MAX 1000

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


/*
 * The walk
 */

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
								 * key tells it */
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


/*
 * The builder
 */

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


/*
 * The inversion
 */

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
 * as for atid_mst_undo(), and the walk stands before the root.  Only the nodes in which their
 * keys must lie are entered, each once.
 */
ATID_NODISCARD extern AtidFault atid_mst_compare(AtidMstInversion *inversion, AtidMstWalk *walk,
												 const AtidMstOperation *operations, size_t count);

#endif							/* ATID_MST_H */
