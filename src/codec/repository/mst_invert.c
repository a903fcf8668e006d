/*-------------------------------------------------------------------------
 *
 * mst_invert.c
 *		The Merkle Search Tree before some operations, from the one after them; and whether
 *		a tree has what operations have done.
 *
 * The tree is walked through (mst_walk.c) and built again (mst_build.c), and the operations are
 * undone on the way: an entry that was created is left out, one that was updated gets its
 * old value, and one that was deleted is put.  A node that is missing keeps its place, by its
 * CID.  If an operation would change that node, or join it with its neighbour, the node is
 * needed, and there is no answer.
 *
 * A missing node next to a created key is needed, too, in front of the key or behind it, at
 * each level.  Its keys must be on one side of the created key, and only the node shows that.
 * In the tree before, it has its place without that key.  Next to all other entries a missing
 * node has the same neighbours as in the tree before, so it is in order if it was.
 *
 * So time is linear in the nodes that are there and in the operations.
 *
 * Hashing would take most of it, so the walk can be a trusting one.  Then a subtree that no
 * operation concerns also keeps its place by its CID, although it is there.  The only keys that
 * are hashed are the first of the root, those that were created, and one that was there before.
 * The builder puts a key that is kept at the level where it is.  So if the root that comes out is
 * that of a canonical tree, each of these keys is as many levels from the hashed one as it must
 * be, and the tree that was walked through is canonical too, as far as it is there.
 *
 * Pure code: no server, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/mst_invert.h"

#include <string.h>

#include "codec/assert.h"


/*
 * Note which operation has a fault.
 */
static AtidFault
operation_fault(AtidMstInversion *inversion, const AtidMstOperation *op, AtidFault fault)
{
	inversion->operation = op;
	return fault;
}

/*
 * Pass the operations whose keys come before a key of the tree, or (NULL) before its
 * end.  What they did must not be in the tree, so they have deleted.  With a caller these
 * are undone.
 */
static AtidFault
pass_deletes(AtidMstInversion *inversion, const AtidMstCaller *caller, const uint8_t *key,
			 size_t key_len)
{
	for (; inversion->next < inversion->end; inversion->next++)
	{
		const AtidMstOperation *op = inversion->next;
		AtidFault	fault;

		if (key != NULL && atid_bytes_cmp(op->key, op->key_len, key, key_len) >= 0)
			return ATID_OK;
		if (inversion->in_gap)
			return operation_fault(inversion, op, ATID_MST_NEEDED);
		if (op->new != NULL)
			return operation_fault(inversion, op, ATID_MST_ABSENT);
		if (caller == NULL)
			continue;
		fault = atid_mst_put(&inversion->builder, caller, op->key, op->key_len, op->old,
							 op->old_len);
		if (fault != ATID_OK)
			return operation_fault(inversion, op, fault);
	}
	return ATID_OK;
}

/*
 * The operation that has created the key before the subtree that the walk stands before, or
 * the key behind it; NULL if there is none.  *within is set to whether the next operation
 * is within the subtree.
 */
static const AtidMstOperation *
created_beside(const AtidMstInversion *inversion, const AtidMstWalk *walk, bool *within)
{
	const AtidMstOperation *next = inversion->next;
	int			order = next == inversion->end ? 1 :
		atid_mst_cmp_next(walk, next->key, next->key_len);

	*within = order < 0;
	if (next > inversion->begin && next[-1].old == NULL && walk->last_key != NULL &&
		atid_bytes_cmp(next[-1].key, next[-1].key_len, walk->last_key, walk->last_len) == 0)
		return &next[-1];
	return order == 0 && next->old == NULL ? next : NULL;
}

/*
 * Does an operation concern the subtree that the walk stands before: one within it, or one
 * that has created a key next to it?
 */
static bool
is_concerned(const AtidMstInversion *inversion, const AtidMstWalk *walk)
{
	bool		within;

	return created_beside(inversion, walk, &within) != NULL || within;
}

/*
 * The node that the walk stands before is missing.  It keeps its place, if it can; the
 * whole tree cannot.
 */
static AtidFault
keep_missing(AtidMstInversion *inversion, const AtidMstCaller *caller, AtidMstWalk *walk)
{
	const AtidMstOperation *beside = NULL;
	bool		within;

	inversion->node = walk->link;
	inversion->in_gap = true;
	if (walk->depth > 0)
		beside = created_beside(inversion, walk, &within);
	if (beside != NULL)
		return operation_fault(inversion, beside, ATID_MST_NEEDED);
	return atid_mst_put_tree(&inversion->builder, caller, walk->level, walk->link);
}

/*
 * A trusting walk stands before a subtree that is there.  Returns true if it keeps its place
 * by its CID; else it must be entered, unless there is a fault.
 */
static bool
keep_unconcerned(AtidMstInversion *inversion, const AtidMstCaller *caller,
				 const AtidMstWalk *walk, AtidFault *fault)
{
	if (!walk->trusting || walk->depth == 0 || is_concerned(inversion, walk))
		return false;
	*fault = atid_mst_put_tree(&inversion->builder, caller, walk->level, walk->link);
	if (*fault == ATID_MST_NEEDED)
	{
		*fault = ATID_OK;		/* something is open at its level, or below */
		return false;
	}
	return *fault == ATID_OK;
}

/*
 * Does the tree have, where the walk is, what the operation has done there?
 */
static AtidFault
compare_entry(AtidMstInversion *inversion, const AtidMstOperation *op, const AtidMstWalk *walk)
{
	if (op->new != NULL && op->new_len == walk->value_len &&
		memcmp(op->new, walk->value, walk->value_len) == 0)
		return ATID_OK;
	inversion->value = walk->value;
	inversion->value_len = walk->value_len;
	return operation_fault(inversion, op, op->new == NULL ? ATID_MST_STILL_THERE :
						   ATID_MST_OTHER_VALUE);
}

/*
 * The operation on the key where the walk is, or NULL, after those before it were passed.
 */
static AtidFault
next_operation(AtidMstInversion *inversion, const AtidMstCaller *caller, const AtidMstWalk *walk,
			   const AtidMstOperation **op)
{
	AtidFault	fault = pass_deletes(inversion, caller, walk->key, walk->key_len);

	*op = NULL;
	inversion->in_gap = false;
	if (fault == ATID_OK && inversion->next < inversion->end &&
		atid_bytes_cmp(inversion->next->key, inversion->next->key_len, walk->key,
					   walk->key_len) == 0)
		*op = inversion->next++;
	return fault;
}

/*
 * The entry of the tree where the walk is, as it was before.
 */
static AtidFault
undo_entry(AtidMstInversion *inversion, const AtidMstCaller *caller, AtidMstWalk *walk)
{
	const uint8_t *value = walk->value;
	size_t		value_len = walk->value_len;
	const AtidMstOperation *op;
	AtidFault	fault = next_operation(inversion, caller, walk, &op);
	bool		created;

	if (fault != ATID_OK)
		return fault;
	created = op != NULL && op->old == NULL;
	if (walk->trusting && (created || !inversion->anchored))
	{
		if (!atid_mst_check_depth(walk))
		{
			inversion->in_tree = true;
			return walk->fault;
		}
		inversion->anchored = inversion->anchored || !created;
	}
	if (op != NULL)
	{
		fault = compare_entry(inversion, op, walk);
		if (fault != ATID_OK || op->old == NULL)
			return fault;
		value = op->old;
		value_len = op->old_len;
	}
	fault = atid_mst_put_at(&inversion->builder, caller, walk->frames[walk->depth - 1].level,
							walk->key, walk->key_len, value, value_len);
	if (fault != ATID_OK)
		inversion->operation = op;
	return fault;
}

#ifdef ATID_ASSERTING

/*
 * Are the operations in the order of their keys, and does each have its values?
 * atid_mst_compare() also gets deletions without the value that was deleted.
 */
static bool
are_operations(const AtidMstOperation *ops, size_t count, bool told)
{
	for (size_t i = 0; i < count; i++)
	{
		if ((told && ops[i].old == NULL && ops[i].new == NULL) ||
			(i > 0 && atid_bytes_cmp(ops[i - 1].key, ops[i - 1].key_len,
									 ops[i].key, ops[i].key_len) >= 0))
			return false;
	}
	return true;
}

#endif

static void
begin_inversion(AtidMstInversion *inversion, const AtidMstOperation *operations, size_t count)
{
	ATID_ASSERT(are_operations(operations, count, false));
	memset(inversion, 0, offsetof(AtidMstInversion, builder));
	inversion->begin = inversion->next = operations;
	inversion->end = operations + count;
}

#ifdef ATID_ASSERTING

/*
 * Does a walk that hashes all keys lead where a trusting one has led?  It may refuse a tree
 * that is not canonical; where it comes to a root, the other must have come to the same.
 */
static bool
hashing_walk_agrees(const AtidMstCaller *caller, const uint8_t tree[ATID_MST_CID_LEN],
					const AtidMstOperation *operations, size_t count, AtidFault fault,
					const uint8_t root[ATID_MST_CID_LEN])
{
	AtidMstCaller own = *caller;
	AtidMstWalk walk;
	AtidMstInversion inversion;
	uint8_t		hashed[ATID_MST_CID_LEN];
	AtidFault	hashed_fault;

	own.emit = NULL;
	atid_mst_walk_begin(&walk, &own, tree);
	hashed_fault = atid_mst_undo(&inversion, &walk, &own, operations, count, hashed);
	atid_mst_walk_end(&walk);
	return hashed_fault != ATID_OK ||
		(fault == ATID_OK && memcmp(root, hashed, ATID_MST_CID_LEN) == 0);
}

#endif

AtidFault
atid_mst_undo(AtidMstInversion *inversion, AtidMstWalk *walk, const AtidMstCaller *caller,
			  const AtidMstOperation *operations, size_t count,
			  uint8_t root[ATID_MST_CID_LEN])
{
	AtidFault	fault = ATID_OK;
#ifdef ATID_ASSERTING
	const uint8_t *tree = walk->link;
#endif

	ATID_ASSERT(are_operations(operations, count, true));
	begin_inversion(inversion, operations, count);
	atid_mst_builder_init(&inversion->builder);
	if (count == 0)
	{
		memcpy(root, walk->link, ATID_MST_CID_LEN);
		return ATID_OK;
	}

	while (walk->at != ATID_MST_AT_END && fault == ATID_OK)
	{
		if (walk->at == ATID_MST_AT_FAULT)
		{
			inversion->in_tree = true;
			fault = walk->fault;
		}
		else if (walk->at == ATID_MST_AT_ENTRY)
		{
			fault = undo_entry(inversion, caller, walk);
			if (fault == ATID_OK)
				atid_mst_pass(walk);
		}
		else if (keep_unconcerned(inversion, caller, walk, &fault))
			atid_mst_pass(walk);
		else if (fault == ATID_OK)
		{
			atid_mst_enter(walk);
			if (walk->at != ATID_MST_AT_FAULT || walk->fault != ATID_MST_MISSING)
				continue;
			fault = keep_missing(inversion, caller, walk);
			atid_mst_pass(walk);
		}
	}
	if (fault == ATID_OK)
		fault = pass_deletes(inversion, caller, NULL, 0);
	if (fault == ATID_OK)
		fault = atid_mst_finish(&inversion->builder, caller, root);
	atid_mst_builder_free(&inversion->builder, caller);
#ifdef ATID_ASSERTING
	ATID_ASSERT(!walk->trusting || fault == ATID_NO_MEMORY ||
				hashing_walk_agrees(caller, tree, operations, count, fault, root));
#endif
	return fault;
}

AtidFault
atid_mst_compare(AtidMstInversion *inversion, AtidMstWalk *walk,
				 const AtidMstOperation *operations, size_t count)
{
	const AtidMstOperation *op;
	AtidFault	fault = ATID_OK;

	begin_inversion(inversion, operations, count);
	while (walk->at != ATID_MST_AT_END && inversion->next < inversion->end && fault == ATID_OK)
	{
		if (walk->at == ATID_MST_AT_FAULT)
		{
			inversion->in_tree = true;
			return walk->fault;
		}
		if (walk->at == ATID_MST_AT_ENTRY)
		{
			fault = next_operation(inversion, NULL, walk, &op);
			if (fault == ATID_OK && op != NULL)
				fault = compare_entry(inversion, op, walk);
			atid_mst_pass(walk);
			continue;
		}
		if (walk->depth == 0 ||
			atid_mst_cmp_next(walk, inversion->next->key, inversion->next->key_len) < 0)
		{
			atid_mst_enter(walk);
			if (walk->at != ATID_MST_AT_FAULT || walk->fault != ATID_MST_MISSING)
				continue;
			inversion->node = walk->link;
			inversion->in_gap = true;
		}
		atid_mst_pass(walk);
	}
	return fault == ATID_OK ? pass_deletes(inversion, NULL, NULL, 0) : fault;
}
