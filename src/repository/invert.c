/*-------------------------------------------------------------------------
 *
 * invert.c
 *		mst_invert(): the tree before a commit, from the one after it.
 *
 * The tree is read and built again, and the commit's operations are undone on the way.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "codec/repository/mst_invert.h"
#include "compat.h"
#include "datum.h"
#include "error.h"
#include "repository/archive.h"
#include "repository/tree.h"


/* The operations of a call, in the order of their keys. */
typedef struct Operations
{
	AtidMstOperation *list;
	int			count;
} Operations;

/*
 * The elements of an argument, which is an array of one dimension and of so many
 * elements as the first.
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
				 errdetail("The lengths of keys and %s are %d and %d.", name, *count, n)));
	*count = n;
}

static void
set_value(const uint8_t **value, size_t *len, Datum datum, bool isnull)
{
	bytea	   *bytes = isnull ? NULL : (bytea *) DatumGetPointer(datum);

	*value = isnull ? NULL : (const uint8_t *) VARDATA_ANY(bytes);
	*len = isnull ? 0 : VARSIZE_ANY_EXHDR(bytes);
}

static void
take_operations(FunctionCallInfo fcinfo, Operations *operations)
{
	Datum	   *keys;
	Datum	   *olds;
	Datum	   *news;
	bool	   *no_key;
	bool	   *no_old;
	bool	   *no_new;
	int			count = -1;
	const AtidMstOperation *twice;

	deconstruct_argument(fcinfo, 2, "keys", &keys, &no_key, &count);
	deconstruct_argument(fcinfo, 3, "olds", &olds, &no_old, &count);
	deconstruct_argument(fcinfo, 4, "news", &news, &no_new, &count);
	operations->count = count;
	operations->list = palloc(Max(count, 1) * sizeof(AtidMstOperation));
	for (int i = 0; i < count; i++)
	{
		AtidMstOperation *op = &operations->list[i];
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
			atid_tree_raise_build_fault(NULL, fault, op->key, op->key_len);
		set_value(&op->old, &op->old_len, olds[i], no_old[i]);
		set_value(&op->new, &op->new_len, news[i], no_new[i]);
	}
	twice = atid_sort_operations(operations->list, count);
	if (twice != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("duplicate key in operations: \"%s\"",
						atid_quote((const char *) twice->key, twice->key_len))));
}

/*
 * Raise the fault of an inversion.
 */
pg_noreturn static void
raise_fault(AtidTree *tree, const AtidMstInversion *inversion, AtidFault fault)
{
	const AtidMstOperation *op = inversion->operation;

	if (inversion->in_tree)
		atid_tree_raise(tree);
	switch (fault)
	{
		case ATID_MST_NEEDED:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					 errmsg("operations cannot be inverted"),
					 op != NULL ?
					 errdetail("%s The node is \"%s\", the key is \"%s\".",
							   atid_fault_words(fault),
							   atid_quote_cid(inversion->node, ATID_MST_CID_LEN),
							   atid_quote((const char *) op->key, op->key_len)) :
					 errdetail("%s The node is \"%s\".", atid_fault_words(fault),
							   atid_quote_cid(inversion->node, ATID_MST_CID_LEN))));
			break;
		case ATID_MST_ABSENT:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("operations do not fit the tree"),
					 errdetail("%s The key is \"%s\".", atid_fault_words(fault),
							   atid_quote((const char *) op->key, op->key_len))));
			break;
		case ATID_MST_OTHER_VALUE:
		case ATID_MST_STILL_THERE:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("operations do not fit the tree"),
					 errdetail("%s The key is \"%s\", the value is \"%s\".",
							   atid_fault_words(fault),
							   atid_quote((const char *) op->key, op->key_len),
							   atid_quote_cid(inversion->value, inversion->value_len))));
			break;
		default:
			atid_tree_raise_build_fault(NULL, fault, op == NULL ? "" : (const char *) op->key,
										op == NULL ? 0 : op->key_len);
	}
	pg_unreachable();
}

/*
 * mst_invert(car, root, keys, olds, news): the root of the tree before the operations.
 */
PG_FUNCTION_INFO_V1(atid_mst_invert);
Datum
atid_mst_invert(PG_FUNCTION_ARGS)
{
	Operations	operations;
	AtidMstInversion inversion;
	AtidTree   *tree;
	uint8_t		root[ATID_MST_CID_LEN];
	AtidFault	fault;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	take_operations(fcinfo, &operations);
	tree = atid_tree_open(fcinfo, 0);
	fault = atid_mst_undo(&inversion, &tree->walk, &tree->archive.caller, operations.list,
						  (size_t) operations.count, root);
	if (fault != ATID_OK)
		raise_fault(tree, &inversion, fault);
	atid_tree_close(tree);
	return atid_bytes_datum(root, sizeof(root));
}
