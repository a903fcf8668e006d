/*-------------------------------------------------------------------------
 *
 * tree.c
 *		Merkle Search Trees in CARs: their entries, and the difference of two trees.
 *
 * codec/repository/mst.c describes the format, and mst_walk.c next to it the checks of a tree that
 * is read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "array_sort.h"
#include "codec/cbor/multiformat.h"
#include "codec/repository/car.h"
#include "codec/repository/mst_invert.h"
#include "compat.h"
#include "datum.h"
#include "repository/archive.h"
#include "repository/tree.h"


/*
 * Find the tree's root: the argument, or the only root of the CAR.
 */
static void
find_root(AtidTree *tree, bytea *named)
{
	const uint8_t *cid;
	size_t		cid_len;

	if (named != NULL)
	{
		cid = (const uint8_t *) VARDATA_ANY(named);
		cid_len = VARSIZE_ANY_EXHDR(named);
	}
	else if (tree->archive.header.root_count == 1)
		atid_car_root(tree->archive.header.roots, &cid, &cid_len);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("root of the tree must be named"),
				 errdetail("A CAR must have one root, unless a root is named, and this one has %zu.",
						   tree->archive.header.root_count)));
	if (!atid_cid_is_dag_cbor(cid, cid_len))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid root of a tree: \"%s\"", atid_quote_cid(cid, cid_len)),
				 errdetail("The root of a tree must be a blessed CID of codec dag-cbor.")));
	memcpy(tree->root, cid, ATID_MST_CID_LEN);
}

void
atid_tree_raise(AtidTree *tree)
{
	atid_archive_walk_problem(&tree->archive, &tree->walk);
	atid_archive_raise(&tree->archive, "tree");
}

AtidTree *
atid_tree_open(FunctionCallInfo fcinfo, int i)
{
	AtidTree   *tree = palloc(sizeof(AtidTree));

	if (!atid_archive_open(&tree->archive, PG_GETARG_BYTEA_PP(i), ATID_ARCHIVE_INDEX))
		atid_archive_raise(&tree->archive, "CAR");
	find_root(tree, PG_ARGISNULL(i + 1) ? NULL : PG_GETARG_BYTEA_PP(i + 1));
	atid_mst_walk_begin(&tree->walk, &tree->archive.caller, tree->root);
	return tree;
}

void
atid_tree_close(AtidTree *tree)
{
	atid_mst_walk_end(&tree->walk);
	atid_archive_close(&tree->archive);
	pfree(tree);
}


/*
 * mst_entries(car, root, partial): key and value, in the order of keys.
 */
PG_FUNCTION_INFO_V1(atid_mst_entries);
Datum
atid_mst_entries(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	bool		partial = !PG_ARGISNULL(2) && PG_GETARG_BOOL(2);
	MemoryContext caller;
	MemoryContext row;
	AtidTree   *tree;
	AtidMstWalk *walk;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	tree = atid_tree_open(fcinfo, 0);
	walk = &tree->walk;
	row = AllocSetContextCreate(CurrentMemoryContext, "atid row of a tree", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(row);
	while (walk->at != ATID_MST_AT_END)
	{
		if (walk->at == ATID_MST_AT_FAULT)
			atid_tree_raise(tree);
		if (walk->at == ATID_MST_AT_ENTRY)
		{
			Datum		values[2];
			bool		nulls[2] = {0};

			values[0] = atid_bytes_datum(walk->key, walk->key_len);
			values[1] = atid_bytes_datum(walk->value, walk->value_len);
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
			MemoryContextReset(row);
			atid_mst_pass(walk);
		}
		else
		{
			atid_mst_enter(walk);
			if (partial && walk->at == ATID_MST_AT_FAULT && walk->fault == ATID_MST_MISSING)
				atid_mst_pass(walk);
		}
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row);
	atid_tree_close(tree);
	return (Datum) 0;
}

/*
 * mst_get(car, root, key): whether the tree has the key, and then the value, and its block
 * if the CAR has it.  It proves nothing without the root, so a NULL root gives NULL: the
 * one that the CAR names is whatever its sender wrote.
 */
PG_FUNCTION_INFO_V1(atid_mst_get);
Datum
atid_mst_get(PG_FUNCTION_ARGS)
{
	Datum		values[3] = {0};
	bool		nulls[3] = {false, true, true};
	const char *state = "absent";
	text	   *key;
	AtidTree   *tree;
	AtidMstWalk *walk;
	AtidCarSection section;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	key = PG_GETARG_TEXT_PP(2);
	tree = atid_tree_open(fcinfo, 0);
	walk = &tree->walk;
	switch (atid_mst_search(walk, &tree->archive.caller, tree->root,
							(const uint8_t *) VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key)))
	{
		case ATID_MST_BROKEN:
			atid_tree_raise(tree);
		case ATID_MST_UNKNOWN:
			state = "unknown";
			break;
		case ATID_MST_NOT_THERE:
			break;
		case ATID_MST_PRESENT:
			state = "present";
			nulls[1] = false;
			values[1] = atid_bytes_datum(walk->value, walk->value_len);
			switch (atid_archive_block(&tree->archive, walk->value, walk->value_len, &section))
			{
				case ATID_ARCHIVE_BAD:
					atid_archive_raise(&tree->archive, "CAR");
				case ATID_ARCHIVE_MISSING:
					break;
				default:
					nulls[2] = false;
					values[2] = atid_bytes_datum(section.block, section.block_len);
			}
			break;
	}
	values[0] = PointerGetDatum(cstring_to_text(state));
	atid_tree_close(tree);
	return atid_row_datum(fcinfo, values, nulls);
}


/*
 * The difference of two trees
 *
 * A subtree that both trees have is not read, but its place is checked.  Its level must be
 * the same in both.  When both walks are before it, the last key of both was the same,
 * because a walk waits at an entry until the other is at one.  If the next keys after it
 * differ, both must be greater than the subtree's last key, which is read along its right
 * edge.  So if one tree is canonical and the other is not, there is an error.
 */
typedef struct Diff
{
	AtidMstTools tools;
	AtidTree   *old;
	AtidTree   *new;
	AtidMstCaller caller;		/* finds blocks in either CAR */
	AtidMstWalk edge;			/* along the right edge of a shared subtree */
	AtidTree   *found;			/* whose CAR had the last node of edge */
	ReturnSetInfo *rsinfo;
	MemoryContext row;
} Diff;

static AtidFault
diff_find(void *arg, const uint8_t *cid, const uint8_t **block, size_t *len)
{
	Diff	   *diff = arg;
	AtidTree   *trees[2] = {diff->old, diff->new};
	AtidFault	fault = ATID_MST_MISSING;

	for (int i = 0; i < 2 && fault == ATID_MST_MISSING; i++)
	{
		const AtidMstCaller *caller = &trees[i]->archive.caller;

		diff->found = trees[i];
		fault = caller->find(caller->arg, cid, block, len);
	}
	return fault;
}

/*
 * Pass a subtree that both walks are before.
 */
static void
pass_shared(Diff *diff, AtidMstWalk *old, AtidMstWalk *new)
{
	const uint8_t *cid = old->link;
	int			level = old->level;
	AtidMstWalk *edge = &diff->edge;

	atid_mst_pass(old);
	atid_mst_pass(new);
	if (old->at != ATID_MST_AT_ENTRY || new->at != ATID_MST_AT_ENTRY ?
		old->at == new->at :
		atid_bytes_cmp(old->key, old->key_len, new->key, new->key_len) == 0)
		return;
	atid_mst_last_key(edge, &diff->caller, cid, level);
	if (edge->at == ATID_MST_AT_FAULT)
	{
		atid_archive_walk_problem(&diff->found->archive, edge);
		atid_archive_raise(&diff->found->archive, "tree");
	}
	atid_mst_check_behind(old, edge->last_key, edge->last_len);
	atid_mst_check_behind(new, edge->last_key, edge->last_len);
	atid_mst_walk_end(edge);
}

/*
 * Put a row.  A walk is NULL if its tree does not have the key.
 */
static void
put_difference(Diff *diff, const AtidMstWalk *old, const AtidMstWalk *new)
{
	const AtidMstWalk *walk = old != NULL ? old : new;
	Datum		values[3] = {0};
	bool		nulls[3] = {false, old == NULL, new == NULL};
	MemoryContext caller = MemoryContextSwitchTo(diff->row);

	values[0] = atid_bytes_datum(walk->key, walk->key_len);
	if (old != NULL)
		values[1] = atid_bytes_datum(old->value, old->value_len);
	if (new != NULL)
		values[2] = atid_bytes_datum(new->value, new->value_len);
	tuplestore_putvalues(diff->rsinfo->setResult, diff->rsinfo->setDesc, values, nulls);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(diff->row);
}

/*
 * Both walks are at an entry: pass the one with the lesser key, or both if the keys are
 * equal, and put a row if the trees differ there.
 */
static void
compare_entries(Diff *diff, AtidMstWalk *old, AtidMstWalk *new)
{
	int			order = atid_bytes_cmp(old->key, old->key_len, new->key, new->key_len);

	if (order != 0)
		put_difference(diff, order < 0 ? old : NULL, order < 0 ? NULL : new);
	else if (old->value_len != new->value_len ||
			 memcmp(old->value, new->value, old->value_len) != 0)
		put_difference(diff, old, new);
	if (order <= 0)
		atid_mst_pass(old);
	if (order >= 0)
		atid_mst_pass(new);
}

/*
 * The next step of both walks.  If both are before a subtree, an equal one is passed, else
 * the higher one is entered, so that subtrees of the same level are compared.  If one walk
 * is at an entry, the other one goes on until it is at one, too.
 */
static void
step_both(Diff *diff, AtidMstWalk *old, AtidMstWalk *new)
{
	bool		old_tree = old->at == ATID_MST_AT_TREE;
	bool		new_tree = new->at == ATID_MST_AT_TREE;

	if (old_tree && new_tree)
	{
		int			old_level = old->level;
		int			new_level = new->level;

		if (old_level == new_level && memcmp(old->link, new->link, ATID_MST_CID_LEN) == 0)
		{
			pass_shared(diff, old, new);
			return;
		}
		if (old_level >= new_level)
			atid_mst_enter(old);
		if (new_level >= old_level)
			atid_mst_enter(new);
	}
	else if (old_tree)
		atid_mst_enter(old);
	else if (new_tree)
		atid_mst_enter(new);
	else if (old->at == ATID_MST_AT_ENTRY && new->at == ATID_MST_AT_ENTRY)
		compare_entries(diff, old, new);
	else if (old->at == ATID_MST_AT_ENTRY)
	{
		put_difference(diff, old, NULL);
		atid_mst_pass(old);
	}
	else
	{
		put_difference(diff, NULL, new);
		atid_mst_pass(new);
	}
}

/*
 * mst_diff(car_a, root_a, car_b, root_b): key, old, new, in the order of keys.
 */
PG_FUNCTION_INFO_V1(atid_mst_diff);
Datum
atid_mst_diff(PG_FUNCTION_ARGS)
{
	Diff	   *diff;
	AtidTree   *old;
	AtidTree   *new;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
		return (Datum) 0;
	old = atid_tree_open(fcinfo, 0);
	new = atid_tree_open(fcinfo, 2);
	diff = palloc0(sizeof(Diff));
	diff->tools = old->archive.tools;
	diff->old = old;
	diff->new = new;
	diff->caller.sha256 = atid_mst_tools_sha256;
	diff->caller.alloc = atid_mst_tools_alloc;
	diff->caller.find = diff_find;
	diff->caller.arg = diff;
	diff->rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	diff->row = AllocSetContextCreate(CurrentMemoryContext, "atid row of a difference",
									  ALLOCSET_DEFAULT_SIZES);
	while (old->walk.at != ATID_MST_AT_END || new->walk.at != ATID_MST_AT_END)
	{
		if (old->walk.at == ATID_MST_AT_FAULT)
			atid_tree_raise(old);
		if (new->walk.at == ATID_MST_AT_FAULT)
			atid_tree_raise(new);
		step_both(diff, &old->walk, &new->walk);
	}
	atid_tree_close(old);
	atid_tree_close(new);
	MemoryContextDelete(diff->row);
	pfree(diff);
	return (Datum) 0;
}


static int
compare_operations(const void *a, const void *b, void *ignored)
{
	const AtidMstOperation *x = a;
	const AtidMstOperation *y = b;

	return atid_bytes_cmp(x->key, x->key_len, y->key, y->key_len);
}

const AtidMstOperation *
atid_sort_operations(AtidMstOperation *operations, size_t count)
{
	atid_sort(operations, count, sizeof(AtidMstOperation), compare_operations, NULL);
	for (size_t i = 1; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (compare_operations(&operations[i - 1], &operations[i], NULL) == 0)
			return &operations[i];
	}
	return NULL;
}
