/*-------------------------------------------------------------------------
 *
 * aggregate.c
 *		Merkle Search Trees of entries: mst_root() and mst_car().
 *
 * codec/repository/mst.c describes the format, codec/repository/mst_build.c how a tree is made.
 *
 * The aggregates take entries in the order of their keys.  Their state is the builder's
 * stack of open nodes, about a kilobyte for each level that has one, so many groups can be
 * aggregated at a time.  mst_car() also keeps the finished nodes.  The final functions do
 * not change the state, so the aggregates work as window functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "codec/cbor/multiformat.h"
#include "codec/repository/car.h"
#include "codec/repository/mst_build.h"
#include "compat.h"
#include "datum.h"
#include "error.h"
#include "repository/archive.h"
#include "repository/mst_tools.h"
#include "repository/tree.h"
#include "sha256.h"


/*
 * mst_key_depth(text): the level of the tree that a key belongs to.  The key is hashed as
 * UTF-8 in every encoding of the database.
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


/* What the builder of codec/repository/mst_build.c works with during a call. */
typedef struct TreeBuild
{
	AtidMstTools tools;
	AtidMstCaller caller;
	StringInfo	nodes;
} TreeBuild;

/* An aggregate's state. */
typedef struct TreeState
{
	AtidMstBuilder builder;
	MemoryContext context;
	StringInfo	nodes;			/* mst_car(): sections of finished nodes */
} TreeState;

static void
append_node(void *arg, const uint8_t *cid, const uint8_t *node, size_t len)
{
	TreeBuild  *call = arg;
	uint8_t		head[ATID_CAR_SECTION_HEAD_MAX];
	size_t		head_len = atid_car_put_section_head(head, ATID_MST_CID_LEN, len);

	appendBinaryStringInfo(call->nodes, (const char *) head, (int) head_len);
	appendBinaryStringInfo(call->nodes, (const char *) cid, ATID_MST_CID_LEN);
	appendBinaryStringInfo(call->nodes, (const char *) node, (int) len);
}

/*
 * Begin to build.  Memory comes from a context; the sections of the nodes that the builder
 * finishes go to nodes, if that is there.
 */
static void
begin_call(TreeBuild *call, MemoryContext context, StringInfo nodes)
{
	memset(call, 0, sizeof(*call));
	call->caller.sha256 = atid_mst_tools_sha256;
	call->caller.alloc = atid_mst_tools_alloc;
	call->caller.emit = nodes == NULL ? NULL : append_node;
	call->caller.arg = call;
	call->tools.context = context;
	call->nodes = nodes;
	call->tools.hash = atid_sha256_begin();
}

void
atid_tree_raise_build_fault(const AtidMstBuilder *builder, AtidFault fault, const void *key,
							size_t key_len)
{
	const AtidMstLevel *last = builder == NULL || builder->last < 0 ? NULL :
		builder->levels[builder->last];
	const char *quoted = atid_quote(key, key_len);

	switch (fault)
	{
		case ATID_MST_KEY_ORDER:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("keys of tree are not in order"),
					 errdetail("The key \"%s\" must not come after \"%s\".", quoted,
							   atid_quote((const char *) last->last, last->key_len)),
					 errhint("Add ORDER BY key COLLATE \"C\" to the arguments of the aggregate.")));
			break;
		case ATID_MST_KEY_TWICE:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("duplicate key in tree"),
					 errdetail("The key is \"%s\".", quoted)));
			break;
		case ATID_MST_DEEP:
		case ATID_MST_MANY_ENTRIES:
		case ATID_CBOR_SIZE:
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many entries in tree"),
					 errdetail("%s The key is \"%s\".", atid_fault_words(fault), quoted)));
			break;
		case ATID_MST_KEY_LONG:
		case ATID_MST_KEY_EMPTY:
		case ATID_MST_KEY_CHARACTER:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid key in tree: \"%s\"", quoted),
					 errdetail("%s", atid_fault_words(fault))));
			break;
		default:
			elog(ERROR, "could not build tree: %s", atid_fault_words(fault));
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
put_entry(FunctionCallInfo fcinfo, bool with_nodes)
{
	MemoryContext context;
	TreeState  *state;
	TreeBuild	call;
	text	   *key;
	bytea	   *value;
	AtidFault	fault;

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

	begin_call(&call, state->context, state->nodes);
	fault = atid_mst_put(&state->builder, &call.caller, (const uint8_t *) VARDATA_ANY(key),
						 VARSIZE_ANY_EXHDR(key), (const uint8_t *) VARDATA_ANY(value),
						 VARSIZE_ANY_EXHDR(value));
	if (fault != ATID_OK)
		atid_tree_raise_build_fault(&state->builder, fault, VARDATA_ANY(key),
									VARSIZE_ANY_EXHDR(key));
	pg_cryptohash_free(call.tools.hash);
	PG_RETURN_POINTER(state);
}

/*
 * The root of a state's tree; without a state, of the empty tree.  Nodes that this finishes
 * are appended to nodes, if it is not NULL.
 */
static void
finish_state(FunctionCallInfo fcinfo, StringInfo nodes, uint8_t root[ATID_MST_CID_LEN])
{
	AtidMstBuilder empty;
	const AtidMstBuilder *builder = &empty;
	TreeBuild	call;
	AtidFault	fault;

	atid_mst_builder_init(&empty);
	if (!PG_ARGISNULL(0))
		builder = &((const TreeState *) PG_GETARG_POINTER(0))->builder;
	begin_call(&call, CurrentMemoryContext, nodes);
	fault = atid_mst_finish(builder, &call.caller, root);
	if (fault != ATID_OK)
		atid_tree_raise_build_fault(builder, fault, "", 0);
	pg_cryptohash_free(call.tools.hash);
}

/*
 * mst_root(key, value): the CID of the tree's root.
 */
PG_FUNCTION_INFO_V1(atid_mst_root_transfn);
Datum
atid_mst_root_transfn(PG_FUNCTION_ARGS)
{
	return put_entry(fcinfo, false);
}

PG_FUNCTION_INFO_V1(atid_mst_root_finalfn);
Datum
atid_mst_root_finalfn(PG_FUNCTION_ARGS)
{
	uint8_t		root[ATID_MST_CID_LEN];

	finish_state(fcinfo, NULL, root);
	return atid_bytes_datum(root, sizeof(root));
}

/*
 * mst_car(key, value): the tree's nodes as a CAR, whose root is the tree's.  A node comes
 * after those below it.
 */
PG_FUNCTION_INFO_V1(atid_mst_car_transfn);
Datum
atid_mst_car_transfn(PG_FUNCTION_ARGS)
{
	return put_entry(fcinfo, true);
}

PG_FUNCTION_INFO_V1(atid_mst_car_finalfn);
Datum
atid_mst_car_finalfn(PG_FUNCTION_ARGS)
{
	const TreeState *state = PG_ARGISNULL(0) ? NULL : (const TreeState *) PG_GETARG_POINTER(0);
	uint8_t		root[ATID_MST_CID_LEN];
	uint8_t		header[ATID_CAR_HEADER_MAX(ATID_MST_CID_LEN)];
	size_t		header_len;
	size_t		len;
	size_t		kept = state == NULL ? 0 : (size_t) state->nodes->len;
	StringInfoData rest;
	char	   *result;

	initStringInfo(&rest);
	finish_state(fcinfo, &rest, root);
	header_len = atid_car_put_header(header, root, sizeof(root));
	len = VARHDRSZ + header_len + kept + rest.len;
	if (len > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("CAR of %zu bytes is larger than a bytea can be", len)));
	result = palloc(len);
	SET_VARSIZE(result, len);
	memcpy(VARDATA(result), header, header_len);
	if (kept > 0)
		memcpy(VARDATA(result) + header_len, state->nodes->data, kept);
	memcpy(VARDATA(result) + header_len + kept, rest.data, rest.len);
	pfree(rest.data);
	PG_RETURN_BYTEA_P(result);
}
