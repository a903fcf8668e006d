/*-------------------------------------------------------------------------
 *
 * tree.c
 *		Merkle Search Trees as SQL sees them: a tree's root of its entries, entries
 *		of a tree, what two trees differ in, and the tree before a commit.
 *
 * codec/mst.c has the format, codec/mst_walk.c what is checked of a tree that is read,
 * codec/mst_build.c how one is made.
 *
 * The aggregates take entries in the order of their keys.  Their state is the builder's
 * stack of open nodes, about a kilobyte for each level that has one, so that there may
 * be many at a time; mst_car() keeps the nodes that are finished too.  Their final
 * functions leave the state as it is, so they serve as window functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "repository/archive.h"
#include "cid.h"
#include "codec/car.h"
#include "codec/mst.h"
#include "codec/multiformat.h"
#include "compat.h"
#include "sha256.h"
#include "sort.h"

/* No more of a key that is no ASCII is quoted. */
#define KEY_QUOTED_MAX 400


/*
 * Keys
 */

/*
 * mst_key_depth(text): the level of the tree that a key belongs to.  A key is hashed
 * as its UTF-8, whatever the encoding of the database.
 */
PG_FUNCTION_INFO_V1(atid_mst_key_depth);

Datum
atid_mst_key_depth(PG_FUNCTION_ARGS)
{
	text	   *key = PG_GETARG_TEXT_PP(0);
	char	   *raw = VARDATA_ANY(key);
	int			len = (int) VARSIZE_ANY_EXHDR(key);
	char	   *utf8 = pg_server_to_any(raw, len, PG_UTF8);
	uint8_t		digest[ATID_SHA2_256_LEN];

	atid_sha256_once(utf8, utf8 == raw ? (size_t) len : strlen(utf8), digest);
	PG_RETURN_INT32(atid_mst_depth(digest));
}


/*
 * Building
 */

/* An aggregate's state. */
typedef struct TreeState
{
	AtidMstBuilder builder;
	MemoryContext context;
	StringInfo	nodes;			/* mst_car's: the sections of the finished
								 * nodes */
} TreeState;

/* What the builder works with during a call. */
typedef struct BuildCall
{
	AtidMstCaller caller;
	MemoryContext context;
	pg_cryptohash_ctx *hash;
	StringInfo	nodes;
} BuildCall;

static void
build_sha256(void *arg, const void *data, size_t len, uint8_t digest[32])
{
	BuildCall  *call = arg;

	atid_sha256(call->hash, data, len, digest);
}

static void *
build_alloc(void *arg, void *old, size_t size)
{
	BuildCall  *call = arg;

	if (old == NULL)
		return MemoryContextAlloc(call->context, size);
	if (size > 0)
		return repalloc(old, size);
	pfree(old);
	return NULL;
}

static void
append_node(void *arg, const uint8_t *cid, const uint8_t *node, size_t len)
{
	BuildCall  *call = arg;
	uint8_t		head[ATID_CAR_SECTION_HEAD_MAX];
	size_t		head_len = atid_car_put_section_head(head, ATID_MST_CID_LEN, len);

	appendBinaryStringInfo(call->nodes, (const char *) head, (int) head_len);
	appendBinaryStringInfo(call->nodes, (const char *) cid, ATID_MST_CID_LEN);
	appendBinaryStringInfo(call->nodes, (const char *) node, (int) len);
}

static void
build_begin(BuildCall *call, MemoryContext context, StringInfo nodes)
{
	memset(call, 0, sizeof(*call));
	call->caller.sha256 = build_sha256;
	call->caller.alloc = build_alloc;
	call->caller.emit = nodes == NULL ? NULL : append_node;
	call->caller.arg = call;
	call->context = context;
	call->nodes = nodes;
	call->hash = atid_sha256_begin();
}

/*
 * Raise a fault of an entry that was to be put.
 */
pg_noreturn static void
raise_build_fault(const AtidMstBuilder *builder, AtidMstFault fault, const void *key,
				  size_t key_len)
{
	const AtidMstLevel *last = builder->last < 0 ? NULL : builder->levels[builder->last];

	switch (fault)
	{
		case ATID_MST_KEY_ORDER:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("keys of a tree are not in order"),
					 errdetail("The key \"%s\" comes after \"%s\".", atid_quote_key(key, key_len),
							   atid_quote_key(last->last, last->key_len)),
					 errhint("Add ORDER BY key COLLATE \"C\" to the arguments of the aggregate.")));
			break;
		case ATID_MST_KEY_TWICE:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a key of a tree is there twice"),
					 errdetail("The key is \"%s\".", atid_quote_key(key, key_len))));
			break;
		case ATID_MST_DEEP:
		case ATID_MST_MANY_ENTRIES:
		case ATID_MST_SIZE:
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a tree has too many entries of such keys"),
					 errdetail("At the key \"%s\": %s", atid_quote_key(key, key_len),
							   atid_mst_words(fault, 0, 0))));
			break;
		case ATID_MST_KEY_LONG:
		case ATID_MST_KEY_EMPTY:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid key of a tree"),
					 errdetail("%s", atid_mst_words(fault, 0, 0))));
			break;
		case ATID_MST_KEY_CHARACTER:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid key of a tree: \"%s\"",
							pnstrdup(key, pg_mbcliplen(key, (int) key_len, KEY_QUOTED_MAX))),
					 errdetail("%s", atid_mst_words(fault, 0, 0))));
			break;
		default:
			elog(ERROR, "a tree could not be built: %s", atid_mst_words(fault, 0, 0));
	}
	pg_unreachable();
}

static TreeState *
begin_tree(MemoryContext context, bool with_nodes)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	TreeState  *state = palloc(sizeof(TreeState));

	atid_mst_builder_init(&state->builder);
	state->context = context;
	state->nodes = with_nodes ? makeStringInfo() : NULL;
	MemoryContextSwitchTo(caller);
	return state;
}

static Datum
put_row(FunctionCallInfo fcinfo, bool with_nodes)
{
	MemoryContext context;
	TreeState  *state;
	BuildCall	call;
	text	   *key;
	bytea	   *value;
	AtidMstFault fault;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s of a tree's entry must not be null",
						PG_ARGISNULL(1) ? "key" : "value")));
	state = PG_ARGISNULL(0) ? begin_tree(context, with_nodes) :
		(TreeState *) PG_GETARG_POINTER(0);
	key = PG_GETARG_TEXT_PP(1);
	value = PG_GETARG_BYTEA_PP(2);

	build_begin(&call, state->context, state->nodes);
	fault = atid_mst_put(&state->builder, &call.caller, (const uint8_t *) VARDATA_ANY(key),
						 VARSIZE_ANY_EXHDR(key), (const uint8_t *) VARDATA_ANY(value),
						 VARSIZE_ANY_EXHDR(value));
	if (fault != ATID_MST_OK)
		raise_build_fault(&state->builder, fault, VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key));
	pg_cryptohash_free(call.hash);
	PG_RETURN_POINTER(state);
}

/*
 * The root of what a state has; of the empty tree where there is none.  The nodes that
 * it finishes go to nodes, if that is there.
 */
static void
finish_state(FunctionCallInfo fcinfo, StringInfo nodes, uint8_t root[ATID_MST_CID_LEN])
{
	AtidMstBuilder empty;
	const AtidMstBuilder *builder = &empty;
	BuildCall	call;
	AtidMstFault fault;

	atid_mst_builder_init(&empty);
	if (!PG_ARGISNULL(0))
		builder = &((const TreeState *) PG_GETARG_POINTER(0))->builder;
	build_begin(&call, CurrentMemoryContext, nodes);
	fault = atid_mst_finish(builder, &call.caller, root);
	if (fault != ATID_MST_OK)
		raise_build_fault(builder, fault, "", 0);
	pg_cryptohash_free(call.hash);
}

/*
 * mst_root(key, value): the CID of the tree's root.
 */
PG_FUNCTION_INFO_V1(atid_mst_root_transfn);

Datum
atid_mst_root_transfn(PG_FUNCTION_ARGS)
{
	return put_row(fcinfo, false);
}

PG_FUNCTION_INFO_V1(atid_mst_root_finalfn);

Datum
atid_mst_root_finalfn(PG_FUNCTION_ARGS)
{
	uint8_t		root[ATID_MST_CID_LEN];

	finish_state(fcinfo, NULL, root);
	return atid_cid_datum(root, sizeof(root));
}

/*
 * mst_car(key, value): the tree's nodes as a CAR, whose root is the tree's.  A node
 * comes behind those below it.
 */
PG_FUNCTION_INFO_V1(atid_mst_car_transfn);

Datum
atid_mst_car_transfn(PG_FUNCTION_ARGS)
{
	return put_row(fcinfo, true);
}

PG_FUNCTION_INFO_V1(atid_mst_car_finalfn);

Datum
atid_mst_car_finalfn(PG_FUNCTION_ARGS)
{
	const TreeState *state = PG_ARGISNULL(0) ? NULL : (const TreeState *) PG_GETARG_POINTER(0);
	uint8_t		root[ATID_MST_CID_LEN];
	const uint8_t *roots[1] = {root};
	size_t		lens[1] = {sizeof(root)};
	uint8_t		header[ATID_CAR_HEADER_MAX + ATID_CAR_HEADER_ROOT_MAX + ATID_MST_CID_LEN];
	size_t		header_len;
	size_t		len;
	size_t		kept = state == NULL ? 0 : (size_t) state->nodes->len;
	StringInfoData rest;
	char	   *result;

	initStringInfo(&rest);
	finish_state(fcinfo, &rest, root);
	header_len = atid_car_put_header(header, sizeof(header), roots, lens, 1);
	len = VARHDRSZ + header_len + kept + rest.len;
	if (len > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a CAR of %zu bytes is larger than a bytea can be", len)));
	result = palloc(len);
	SET_VARSIZE(result, len);
	memcpy(VARDATA(result), header, header_len);
	if (kept > 0)
		memcpy(VARDATA(result) + header_len, state->nodes->data, kept);
	memcpy(VARDATA(result) + header_len + kept, rest.data, rest.len);
	pfree(rest.data);
	PG_RETURN_BYTEA_P(result);
}


/*
 * Trees in CARs
 */

/* A tree that is walked through, and the CAR that it is in. */
typedef struct Tree
{
	AtidArchive archive;
	AtidMstWalk walk;
	uint8_t		root[ATID_MST_CID_LEN];
} Tree;

/*
 * The root that a call names, or the only one that its CAR has.
 */
static void
find_root(Tree *tree, bytea *named)
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
				 errmsg("the root of the tree must be named"),
				 errdetail("The CAR has %zu roots.", tree->archive.header.root_count)));
	if (!atid_cid_is_blessed(cid, cid_len) || cid[1] != ATID_CODEC_DAG_CBOR)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is not the root of a tree", atid_quote_cid(cid, cid_len)),
				 errdetail("A node of a tree has a blessed CID of codec dag-cbor.")));
	memcpy(tree->root, cid, ATID_MST_CID_LEN);
}

pg_noreturn static void
raise_walk_fault(Tree *tree)
{
	atid_archive_walk_problem(&tree->archive, &tree->walk);
	atid_archive_raise(&tree->archive, "tree");
}

/*
 * Open a CAR, to stand before the root of a tree in it.
 */
static Tree *
open_tree(bytea *car, bytea *root)
{
	Tree	   *tree = palloc(sizeof(Tree));

	if (!atid_archive_open(&tree->archive, car))
		atid_archive_raise(&tree->archive, "CAR");
	find_root(tree, root);
	atid_mst_walk_begin(&tree->walk, &tree->archive.caller, tree->root);
	return tree;
}

static void
close_tree(Tree *tree)
{
	atid_mst_walk_end(&tree->walk);
	atid_archive_close(&tree->archive);
	pfree(tree);
}

/*
 * Go into the subtree that the walk stands before; the whole tree is one too.  Returns
 * false where its block is missing and may be: then the caller passes it by.
 */
static bool
enter_subtree(Tree *tree, bool partial)
{
	atid_mst_enter(&tree->walk);
	if (partial && tree->walk.at == ATID_MST_AT_FAULT && tree->walk.fault == ATID_MST_MISSING)
		return false;
	return true;
}

static bytea *
bytea_or_null(FunctionCallInfo fcinfo, int i)
{
	return PG_ARGISNULL(i) ? NULL : PG_GETARG_BYTEA_PP(i);
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
	AtidColumn	key = {0};
	AtidColumn	value = {0};
	Tree	   *tree;
	AtidMstWalk *walk;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	tree = open_tree(PG_GETARG_BYTEA_PP(0), bytea_or_null(fcinfo, 1));
	walk = &tree->walk;
	while (walk->at != ATID_MST_AT_END)
	{
		if (walk->at == ATID_MST_AT_FAULT)
			raise_walk_fault(tree);
		if (walk->at == ATID_MST_AT_ENTRY)
		{
			Datum		values[2];
			bool		nulls[2] = {0};

			values[0] = atid_column_set(&key, walk->key, walk->key_len);
			values[1] = atid_column_set(&value, walk->value, walk->value_len);
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
			atid_mst_pass(walk);
		}
		else if (!enter_subtree(tree, partial))
			atid_mst_pass(walk);
	}
	close_tree(tree);
	return (Datum) 0;
}


/*
 * What two trees differ in
 */

/*
 * A subtree that is the same in both trees is not opened, but where it lies is checked.
 * Its level must be the same in both.  When both walks stand before it, they have passed
 * the same key last, since each waits at an entry until the other has come to one.  Where
 * they come to different keys behind it, both must be greater than its last key, which
 * takes a way down its right edge.  So where one of the trees is canonical, there is an
 * error unless the other one is too.
 */
typedef struct Diff
{
	Tree	   *old;
	Tree	   *new;
	AtidMstCaller caller;		/* for a walk in what either CAR has */
	AtidMstWalk edge;
	Tree	   *found;			/* the one whose CAR had the last node of that */
	ReturnSetInfo *rsinfo;
	AtidColumn	key;
	AtidColumn	old_value;
	AtidColumn	new_value;
} Diff;

static void
diff_sha256(void *arg, const void *data, size_t len, uint8_t digest[32])
{
	const AtidMstCaller *caller = &((Diff *) arg)->old->archive.caller;

	caller->sha256(caller->arg, data, len, digest);
}

static void *
diff_alloc(void *arg, void *old, size_t size)
{
	const AtidMstCaller *caller = &((Diff *) arg)->old->archive.caller;

	return caller->alloc(caller->arg, old, size);
}

static AtidMstFault
diff_find(void *arg, const uint8_t *cid, const uint8_t **block, size_t *len)
{
	Diff	   *diff = arg;
	Tree	   *trees[2] = {diff->old, diff->new};
	AtidMstFault fault = ATID_MST_MISSING;

	for (int i = 0; i < 2 && fault == ATID_MST_MISSING; i++)
	{
		const AtidMstCaller *caller = &trees[i]->archive.caller;

		diff->found = trees[i];
		fault = caller->find(caller->arg, cid, block, len);
	}
	return fault;
}

/*
 * Pass by a subtree that both walks stand before.
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
		atid_mst_key_cmp(old->key, old->key_len, new->key, new->key_len) == 0)
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
 * Put a key that is in one tree or in both.
 */
static void
put_difference(Diff *diff, const AtidMstWalk *old, const AtidMstWalk *new)
{
	const AtidMstWalk *walk = old != NULL ? old : new;
	Datum		values[3] = {0};
	bool		nulls[3] = {false, old == NULL, new == NULL};

	values[0] = atid_column_set(&diff->key, walk->key, walk->key_len);
	if (old != NULL)
		values[1] = atid_column_set(&diff->old_value, old->value, old->value_len);
	if (new != NULL)
		values[2] = atid_column_set(&diff->new_value, new->value, new->value_len);
	tuplestore_putvalues(diff->rsinfo->setResult, diff->rsinfo->setDesc, values, nulls);
}

/*
 * Both walks are at an entry: put the lesser one, or both, and pass it by.
 */
static void
compare_entries(Diff *diff, AtidMstWalk *old, AtidMstWalk *new)
{
	int			order = atid_mst_key_cmp(old->key, old->key_len, new->key, new->key_len);

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
 * The next step of two walks side by side.  Subtrees that are the same in both are
 * passed by.  Where they differ the higher one is entered, so that what lies below it
 * meets its like; and where one walk is at an entry the other has to come to one.
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
	Tree	   *old;
	Tree	   *new;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
		return (Datum) 0;
	old = open_tree(PG_GETARG_BYTEA_PP(0), bytea_or_null(fcinfo, 1));
	new = open_tree(PG_GETARG_BYTEA_PP(2), bytea_or_null(fcinfo, 3));
	diff = palloc0(sizeof(Diff));
	diff->old = old;
	diff->new = new;
	diff->caller.sha256 = diff_sha256;
	diff->caller.alloc = diff_alloc;
	diff->caller.find = diff_find;
	diff->caller.arg = diff;
	diff->rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	while (old->walk.at != ATID_MST_AT_END || new->walk.at != ATID_MST_AT_END)
	{
		if (old->walk.at == ATID_MST_AT_FAULT)
			raise_walk_fault(old);
		if (new->walk.at == ATID_MST_AT_FAULT)
			raise_walk_fault(new);
		step_both(diff, &old->walk, &new->walk);
	}
	close_tree(old);
	close_tree(new);
	pfree(diff);
	return (Datum) 0;
}


/*
 * Inversion
 */

/* An operation of a commit: what was at a key before, and after. */
typedef struct Operation
{
	const uint8_t *key;
	size_t		key_len;
	const bytea *old;			/* NULL: nothing */
	const bytea *new;
} Operation;

typedef struct Inversion
{
	Operation  *operations;		/* in the order of keys */
	int			count;
	int			next;			/* the first that has not been undone */
	const uint8_t *missing;		/* the last subtree that the CAR does not have */
	bool		in_gap;			/* no entry came since that */
	AtidMstBuilder builder;
	BuildCall	call;
} Inversion;

static int
compare_operations(const void *a, const void *b, void *ignored)
{
	const Operation *x = a;
	const Operation *y = b;

	return atid_mst_key_cmp(x->key, x->key_len, y->key, y->key_len);
}

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
		AtidMstFault fault;

		CHECK_FOR_INTERRUPTS();
		if (no_key[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("key of an operation must not be null")));
		if (no_old[i] && no_new[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("an operation needs an old or a new value"),
					 errdetail("Both are null in operation %d.", i + 1)));
		op->key = (const uint8_t *) VARDATA_ANY(DatumGetPointer(keys[i]));
		op->key_len = VARSIZE_ANY_EXHDR(DatumGetPointer(keys[i]));
		fault = atid_mst_check_key(op->key, op->key_len);
		if (fault != ATID_MST_OK)
			raise_build_fault(&inversion->builder, fault, op->key, op->key_len);
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
					 errmsg("two operations have the key \"%s\"",
							atid_quote_key(op->key, op->key_len))));
	}
}

/*
 * A subtree that would have to be known is not in the CAR.
 */
pg_noreturn static void
raise_needed(Inversion *inversion, const uint8_t *key, size_t key_len)
{
	const uint8_t *cid = inversion->missing;

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("operations cannot be inverted"),
			 key_len > 0 ?
			 errdetail("At the key %s: The CAR does not have the node %s, which is needed.",
					   atid_quote_key(key, key_len), atid_quote_cid(cid, ATID_MST_CID_LEN)) :
			 errdetail("The CAR does not have the node %s, which is needed.",
					   atid_quote_cid(cid, ATID_MST_CID_LEN))));
}

static void
put_before(Inversion *inversion, const uint8_t *key, size_t key_len, const uint8_t *value,
		   size_t value_len)
{
	AtidMstFault fault = atid_mst_put(&inversion->builder, &inversion->call.caller, key, key_len,
									  value, value_len);

	if (fault == ATID_MST_NEEDED)
		raise_needed(inversion, key, key_len);
	if (fault != ATID_MST_OK)
		raise_build_fault(&inversion->builder, fault, key, key_len);
}

/*
 * Undo the operations whose keys come before a key of the tree, or (NULL) before its
 * end.  What they did must not be in the tree, so they have deleted.
 */
static void
undo_deletes(Inversion *inversion, const uint8_t *key, size_t key_len)
{
	for (; inversion->next < inversion->count; inversion->next++)
	{
		const Operation *op = &inversion->operations[inversion->next];

		CHECK_FOR_INTERRUPTS();
		if (key != NULL && atid_mst_key_cmp(op->key, op->key_len, key, key_len) >= 0)
			return;
		if (inversion->in_gap)
			raise_needed(inversion, op->key, op->key_len);
		if (op->new != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("operations do not fit the tree"),
					 errdetail("The tree does not have the key %s.",
							   atid_quote_key(op->key, op->key_len))));
		put_before(inversion, op->key, op->key_len, (const uint8_t *) VARDATA_ANY(op->old),
				   VARSIZE_ANY_EXHDR(op->old));
	}
}

/*
 * An entry of the tree as it was before: the same, or undone what an operation did.
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
		atid_mst_key_cmp(op->key, op->key_len, walk->key, walk->key_len) == 0)
	{
		inversion->next++;
		if (op->new == NULL || VARSIZE_ANY_EXHDR(op->new) != value_len ||
			memcmp(VARDATA_ANY(op->new), value, value_len) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("operations do not fit the tree"),
					 errdetail("The tree has the value %s at the key %s.",
							   atid_quote_cid(value, value_len),
							   atid_quote_key(op->key, op->key_len))));
		if (op->old == NULL)
			return;
		value = (const uint8_t *) VARDATA_ANY(op->old);
		value_len = VARSIZE_ANY_EXHDR(op->old);
	}
	put_before(inversion, walk->key, walk->key_len, value, value_len);
}

/*
 * A subtree that the CAR does not have stays as it is, if it may.  The whole tree may
 * not, as there are operations.
 */
static void
keep_subtree(Inversion *inversion, const AtidMstWalk *walk)
{
	AtidMstFault fault = atid_mst_put_tree(&inversion->builder, &inversion->call.caller,
										   walk->level, walk->link);

	inversion->missing = walk->link;
	inversion->in_gap = true;
	if (fault == ATID_MST_NEEDED)
		raise_needed(inversion, NULL, 0);
	if (fault != ATID_MST_OK)
		raise_build_fault(&inversion->builder, fault, "", 0);
}

/*
 * mst_invert(car, root, keys, olds, news): the root of the tree before the operations.
 *
 * The tree is gone through and built anew, with the operations undone on the way.  What
 * the CAR does not have of it is kept as it is; where an operation would change that, or
 * join it with its neighbour, the node is missing for the inversion.  Without operations
 * the root is the answer, and nothing of the tree is looked at: a commit that changes no
 * record comes without any of its nodes.
 */
PG_FUNCTION_INFO_V1(atid_mst_invert);

Datum
atid_mst_invert(PG_FUNCTION_ARGS)
{
	Inversion	inversion = {0};
	Tree	   *tree;
	AtidMstWalk *walk;
	uint8_t		root[ATID_MST_CID_LEN];
	AtidMstFault fault;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	atid_mst_builder_init(&inversion.builder);
	take_operations(fcinfo, &inversion);
	tree = open_tree(PG_GETARG_BYTEA_PP(0), bytea_or_null(fcinfo, 1));
	if (inversion.count == 0)
	{
		memcpy(root, tree->root, sizeof(root));
		close_tree(tree);
		return atid_cid_datum(root, sizeof(root));
	}
	walk = &tree->walk;
	build_begin(&inversion.call, CurrentMemoryContext, NULL);

	while (walk->at != ATID_MST_AT_END)
	{
		if (walk->at == ATID_MST_AT_FAULT)
			raise_walk_fault(tree);
		if (walk->at == ATID_MST_AT_ENTRY)
		{
			undo_entry(&inversion, walk);
			atid_mst_pass(walk);
		}
		else if (!enter_subtree(tree, true))
		{
			keep_subtree(&inversion, walk);
			atid_mst_pass(walk);
		}
	}
	undo_deletes(&inversion, NULL, 0);
	fault = atid_mst_finish(&inversion.builder, &inversion.call.caller, root);
	if (fault == ATID_MST_NEEDED)
		raise_needed(&inversion, NULL, 0);
	if (fault != ATID_MST_OK)
		raise_build_fault(&inversion.builder, fault, "", 0);

	atid_mst_builder_free(&inversion.builder, &inversion.call.caller);
	pg_cryptohash_free(inversion.call.hash);
	close_tree(tree);
	return atid_cid_datum(root, sizeof(root));
}
