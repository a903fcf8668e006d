/*-------------------------------------------------------------------------
 *
 * mst_invert.c
 *		The Merkle Search Tree before some operations, from the one after them.
 *
 * The tree is gone through (mst_walk.c) and built anew (mst_build.c), with the operations
 * undone on the way: an entry that was created is left out, one that was updated gets its
 * old value, and one that was deleted is put.  What is missing of the tree is kept as it is,
 * by its CID; where an operation would change that, or join it with its neighbour, the
 * node is needed, and there is no answer.
 *
 * So time is linear in the nodes that are there and in the operations.
 *
 * Most of it would go into hashing.  The walk may be a trusting one.  Then a subtree that no
 * operation concerns is kept by its CID too, though it is there.  And no key is hashed but
 * the first of the root, those that were created, and one that was there before.  The builder
 * puts a key that is kept at the level where it is.  So where the root that comes out is that
 * of a canonical tree, each of these keys is as far from the one that was hashed as it has to
 * be, and the tree that was walked through is canonical too, as far as it is there.
 *
 * Pure code: no server, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/mst.h"

#include <string.h>


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
 * Undo the operations whose keys come before a key of the tree, or (NULL) before its
 * end.  What they did must not be in the tree, so they have deleted.
 */
static AtidFault
undo_deletes(AtidMstInversion *inversion, const AtidMstCaller *caller, const uint8_t *key,
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
		fault = atid_mst_put(&inversion->builder, caller, op->key, op->key_len, op->old,
							 op->old_len);
		if (fault != ATID_OK)
			return operation_fault(inversion, op, fault);
	}
	return ATID_OK;
}

/*
 * Does an operation concern the subtree that the walk stands before: one within it, or a
 * create of the key before or behind it, without which it has another neighbour?
 */
static bool
is_concerned(const AtidMstInversion *inversion, const AtidMstWalk *walk)
{
	const AtidMstOperation *next = inversion->next;
	int			order;

	if (next > inversion->begin && next[-1].old == NULL && walk->last_key != NULL &&
		atid_bytes_cmp(next[-1].key, next[-1].key_len, walk->last_key, walk->last_len) == 0)
		return true;
	if (next == inversion->end)
		return false;
	order = atid_mst_cmp_next(walk, next->key, next->key_len);
	return order < 0 || (order == 0 && next->old == NULL);
}

/*
 * The entry of the tree where the walk is, as it was before.
 */
static AtidFault
undo_entry(AtidMstInversion *inversion, const AtidMstCaller *caller, AtidMstWalk *walk)
{
	const uint8_t *value = walk->value;
	size_t		value_len = walk->value_len;
	const AtidMstOperation *op = NULL;
	AtidFault	fault = undo_deletes(inversion, caller, walk->key, walk->key_len);
	bool		created;

	if (fault != ATID_OK)
		return fault;
	inversion->in_gap = false;
	if (inversion->next < inversion->end &&
		atid_bytes_cmp(inversion->next->key, inversion->next->key_len, walk->key,
					   walk->key_len) == 0)
		op = inversion->next++;
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
		if (op->new == NULL || op->new_len != value_len ||
			memcmp(op->new, value, value_len) != 0)
		{
			inversion->value = value;
			inversion->value_len = value_len;
			return operation_fault(inversion, op, op->new == NULL ? ATID_MST_STILL_THERE :
								   ATID_MST_OTHER_VALUE);
		}
		if (op->old == NULL)
			return ATID_OK;
		value = op->old;
		value_len = op->old_len;
	}
	fault = atid_mst_put_at(&inversion->builder, caller, walk->frames[walk->depth - 1].level,
							walk->key, walk->key_len, value, value_len);
	if (fault != ATID_OK)
		inversion->operation = op;
	return fault;
}

/*
 * Invert the operations, which are in the order of their keys and have no key twice; each
 * has an old value or a new one.  The walk stands before the root.  root is that of the
 * tree before.
 *
 * Without operations the root is the answer, and nothing of the tree is looked at: a commit
 * that changes no record comes without any of its nodes.
 */
AtidFault
atid_mst_undo(AtidMstInversion *inversion, AtidMstWalk *walk, const AtidMstCaller *caller,
			  const AtidMstOperation *operations, size_t count,
			  uint8_t root[ATID_MST_CID_LEN])
{
	AtidFault	fault = ATID_OK;

	memset(inversion, 0, offsetof(AtidMstInversion, builder));
	atid_mst_builder_init(&inversion->builder);
	inversion->begin = inversion->next = operations;
	inversion->end = operations + count;
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
		else if (walk->trusting && walk->depth > 0 && !is_concerned(inversion, walk) &&
				 atid_mst_put_tree(&inversion->builder, caller, walk->level,
								   walk->link) == ATID_OK)
			atid_mst_pass(walk);
		else
		{
			atid_mst_enter(walk);
			if (walk->at != ATID_MST_AT_FAULT || walk->fault != ATID_MST_MISSING)
				continue;
			/* it stays as it is, if it may; the whole tree may not */
			inversion->node = walk->link;
			inversion->in_gap = true;
			fault = atid_mst_put_tree(&inversion->builder, caller, walk->level, walk->link);
			atid_mst_pass(walk);
		}
	}
	if (fault == ATID_OK)
		fault = undo_deletes(inversion, caller, NULL, 0);
	if (fault == ATID_OK)
		fault = atid_mst_finish(&inversion->builder, caller, root);
	atid_mst_builder_free(&inversion->builder, caller);
	return fault;
}
