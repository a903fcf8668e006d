/*-------------------------------------------------------------------------
 *
 * invert.c
 *		mst_invert(): the tree before a commit, from the one after it.
 *
 * The tree is read and built anew, and the commit's operations are undone on the way.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "cid.h"
#include "codec/mst.h"
#include "compat.h"
#include "error.h"
#include "repository/archive.h"
#include "repository/tree.h"
#include "sort.h"


/* An operation of a commit: the values of a key before and after it. */
typedef struct Operation
{
	const uint8_t *key;
	size_t		key_len;
	const bytea *old;			/* NULL: the key was not there */
	const bytea *new;			/* NULL: the key was deleted */
} Operation;

typedef struct Inversion
{
	Operation  *operations;		/* in the order of keys */
	int			count;
	int			next;			/* the first that has not been undone */
	const uint8_t *missing;		/* CID of the last subtree not in the CAR */
	bool		in_gap;			/* no entry has come after that subtree */
	AtidMstBuilder builder;
	AtidTreeBuild call;
} Inversion;

static int
compare_operations(const void *a, const void *b, void *ignored)
{
	const Operation *x = a;
	const Operation *y = b;

	return atid_bytes_cmp(x->key, x->key_len, y->key, y->key_len);
}

/*
 * The elements of an argument, which must be an array of one dimension with *count
 * elements; of the first array, *count is negative, and is set.
 */
static void
deconstruct_argument(FunctionCallInfo fcinfo, int i, const char *name, Datum **elements,
					 bool **nulls, int *count)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(i);
	int			n;
	int16		typlen;
	bool		typbyval;
	char		typalign;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must be an array of one dimension", name)));
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign, elements, nulls, &n);
	if (*count >= 0 && n != *count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must have as many elements as keys", name),
				 errdetail("There are %d keys and %d %s.", *count, n, name)));
	*count = n;
}

static void
take_operations(FunctionCallInfo fcinfo, Inversion *inversion)
{
	Datum	   *keys;
	Datum	   *olds;
	Datum	   *news;
	bool	   *no_key;
	bool	   *no_old;
	bool	   *no_new;
	int			count = -1;

	deconstruct_argument(fcinfo, 2, "keys", &keys, &no_key, &count);
	deconstruct_argument(fcinfo, 3, "olds", &olds, &no_old, &count);
	deconstruct_argument(fcinfo, 4, "news", &news, &no_new, &count);
	inversion->count = count;
	inversion->operations = palloc(Max(count, 1) * sizeof(Operation));
	for (int i = 0; i < count; i++)
	{
		Operation  *op = &inversion->operations[i];
		AtidFault	fault;

		CHECK_FOR_INTERRUPTS();
		if (no_key[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("key of an operation must not be null")));
		if (no_old[i] && no_new[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("operation must have an old or a new value"),
					 errdetail("Both are null in operation %d.", i + 1)));
		op->key = (const uint8_t *) VARDATA_ANY(DatumGetPointer(keys[i]));
		op->key_len = VARSIZE_ANY_EXHDR(DatumGetPointer(keys[i]));
		fault = atid_mst_check_key(op->key, op->key_len);
		if (fault != ATID_OK)
			atid_tree_raise_build_fault(&inversion->builder, fault, op->key, op->key_len);
		op->old = no_old[i] ? NULL : (const bytea *) DatumGetPointer(olds[i]);
		op->new = no_new[i] ? NULL : (const bytea *) DatumGetPointer(news[i]);
	}
	atid_sort(inversion->operations, count, sizeof(Operation), compare_operations, NULL);
	for (int i = 1; i < count; i++)
	{
		Operation  *op = &inversion->operations[i];

		CHECK_FOR_INTERRUPTS();
		if (compare_operations(op - 1, op, NULL) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("duplicate key in operations: \"%s\"",
							atid_quote((const char *) op->key, op->key_len))));
	}
}

/*
 * Raise an error: the inversion needs a subtree that is not in the CAR.
 */
pg_noreturn static void
raise_needed(Inversion *inversion, const uint8_t *key, size_t key_len)
{
	const char *words = atid_fault_words(ATID_MST_NEEDED);
	const char *node = atid_quote_cid(inversion->missing, ATID_MST_CID_LEN);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("operations cannot be inverted"),
			 key_len > 0 ?
			 errdetail("%s The node is \"%s\", the key is \"%s\".", words, node,
					   atid_quote((const char *) key, key_len)) :
			 errdetail("%s The node is \"%s\".", words, node)));
}

static void
put_before(Inversion *inversion, const uint8_t *key, size_t key_len, const uint8_t *value,
		   size_t value_len)
{
	AtidFault	fault = atid_mst_put(&inversion->builder, &inversion->call.caller, key, key_len,
									 value, value_len);

	if (fault == ATID_MST_NEEDED)
		raise_needed(inversion, key, key_len);
	if (fault != ATID_OK)
		atid_tree_raise_build_fault(&inversion->builder, fault, key, key_len);
}

/*
 * Undo the operations whose keys come before this key of the tree; key is NULL at its end.
 * The tree does not have their keys, so each operation must be a delete.
 */
static void
undo_deletes(Inversion *inversion, const uint8_t *key, size_t key_len)
{
	for (; inversion->next < inversion->count; inversion->next++)
	{
		const Operation *op = &inversion->operations[inversion->next];

		CHECK_FOR_INTERRUPTS();
		if (key != NULL && atid_bytes_cmp(op->key, op->key_len, key, key_len) >= 0)
			return;
		if (inversion->in_gap)
			raise_needed(inversion, op->key, op->key_len);
		if (op->new != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("operations do not fit the tree"),
					 errdetail("The tree must have the key \"%s\" of an operation with a new value.",
							   atid_quote((const char *) op->key, op->key_len))));
		put_before(inversion, op->key, op->key_len, (const uint8_t *) VARDATA_ANY(op->old),
				   VARSIZE_ANY_EXHDR(op->old));
	}
}

/*
 * Add an entry of the tree as it was before the operations.
 */
static void
undo_entry(Inversion *inversion, const AtidMstWalk *walk)
{
	const uint8_t *value = walk->value;
	size_t		value_len = walk->value_len;
	const Operation *op;

	undo_deletes(inversion, walk->key, walk->key_len);
	inversion->in_gap = false;
	op = &inversion->operations[inversion->next];
	if (inversion->next < inversion->count &&
		atid_bytes_cmp(op->key, op->key_len, walk->key, walk->key_len) == 0)
	{
		inversion->next++;
		if (op->new == NULL || VARSIZE_ANY_EXHDR(op->new) != value_len ||
			memcmp(VARDATA_ANY(op->new), value, value_len) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("operations do not fit the tree"),
					 errdetail("The tree must have the new value at the key \"%s\", and has \"%s\".",
							   atid_quote((const char *) op->key, op->key_len),
							   atid_quote_cid(value, value_len))));
		if (op->old == NULL)
			return;
		value = (const uint8_t *) VARDATA_ANY(op->old);
		value_len = VARSIZE_ANY_EXHDR(op->old);
	}
	put_before(inversion, walk->key, walk->key_len, value, value_len);
}

/*
 * Add a subtree that the CAR does not have, unchanged.  The builder refuses it if an
 * operation would change it.
 */
static void
keep_subtree(Inversion *inversion, const AtidMstWalk *walk)
{
	AtidFault	fault = atid_mst_put_tree(&inversion->builder, &inversion->call.caller,
										  walk->level, walk->link);

	inversion->missing = walk->link;
	inversion->in_gap = true;
	if (fault == ATID_MST_NEEDED)
		raise_needed(inversion, NULL, 0);
	if (fault != ATID_OK)
		atid_tree_raise_build_fault(&inversion->builder, fault, "", 0);
}

/*
 * mst_invert(car, root, keys, olds, news): the root of the tree before the operations.
 *
 * Subtrees that the CAR does not have are kept unchanged; there is an error if an operation
 * would change such a subtree or join it with its neighbour.  Without operations the answer
 * is the root, and the tree is not read: the CAR of a commit that changes no record has none
 * of its nodes.
 */
PG_FUNCTION_INFO_V1(atid_mst_invert);
Datum
atid_mst_invert(PG_FUNCTION_ARGS)
{
	Inversion	inversion = {0};
	AtidTree   *tree;
	AtidMstWalk *walk;
	uint8_t		root[ATID_MST_CID_LEN];
	AtidFault	fault;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	atid_mst_builder_init(&inversion.builder);
	take_operations(fcinfo, &inversion);
	tree = atid_tree_open(fcinfo, 0);
	if (inversion.count == 0)
	{
		memcpy(root, tree->root, sizeof(root));
		atid_tree_close(tree);
		return atid_bytes_datum(root, sizeof(root));
	}
	walk = &tree->walk;
	atid_tree_build_begin(&inversion.call, CurrentMemoryContext, NULL);

	while (walk->at != ATID_MST_AT_END)
	{
		if (walk->at == ATID_MST_AT_FAULT)
			atid_tree_raise(tree);
		if (walk->at == ATID_MST_AT_ENTRY)
		{
			undo_entry(&inversion, walk);
			atid_mst_pass(walk);
		}
		else if (!atid_tree_enter(tree, true))
		{
			keep_subtree(&inversion, walk);
			atid_mst_pass(walk);
		}
	}
	undo_deletes(&inversion, NULL, 0);
	fault = atid_mst_finish(&inversion.builder, &inversion.call.caller, root);
	if (fault == ATID_MST_NEEDED)
		raise_needed(&inversion, NULL, 0);
	if (fault != ATID_OK)
		atid_tree_raise_build_fault(&inversion.builder, fault, "", 0);

	atid_mst_builder_free(&inversion.builder, &inversion.call.caller);
	pg_cryptohash_free(inversion.call.tools.hash);
	atid_tree_close(tree);
	return atid_bytes_datum(root, sizeof(root));
}
