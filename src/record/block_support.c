/*-------------------------------------------------------------------------
 *
 * block_support.c
 *		The planner's support of functions over blocks.
 *
 * There is an implicit cast to bytea, so every function over blocks takes a value of the type.
 * For those that read a field a cast would restore all of the block.  Their support function
 * lets the planner call another function in their place, which finds the field in the packed
 * bytes and restores no more than that: block_get for dag_cbor_get, and so on.  A call that is
 * written with the cast is the same to it, and what is stored and dumped is the call that was
 * written.
 *
 * Functions are found by their names in the schema of the one that is called, where others may
 * have created some of the same names.  So each must have the C function that it has in the
 * extension, which only a superuser can create one with.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "address/types.h"
#include "compat.h"
#include "record/block.h"

/* What is called in the place of a function over bytea. */
static const struct
{
	const char *name;
	const char *packed;
	PGFunction	function;
}			replaced[] = {
	{"dag_cbor_get", "block_get", atid_block_get},
	{"dag_cbor_get_text", "block_get_text", atid_block_get_text},
	{"dag_cbor_get_block", "block_get_block", atid_block_get_block},
	{"dag_cbor_typeof", "block_typeof", atid_block_typeof},
	{"dag_cbor_ref_uri", "block_ref_uri", atid_block_ref_uri},
	{"dag_cbor_is_valid", "block_is_valid", atid_block_is_valid},
};

static bool
is_function(Oid oid, PGFunction function)
{
	FmgrInfo	info;

	fmgr_info(oid, &info);
	return info.fn_addr == function;
}

/*
 * The type whose cast to bytea an expression is, if it is one that block_to_bytea() makes in
 * this schema; else InvalidOid.
 */
static Oid
type_of_cast(const Node *expression, Oid schema)
{
	const FuncExpr *cast = (const FuncExpr *) expression;
	const char *name;
	Oid		   *types;
	int			count;

	if (!IsA(expression, FuncExpr) || get_func_namespace(cast->funcid) != schema)
		return InvalidOid;
	name = get_func_name(cast->funcid);
	if (name == NULL || strcmp(name, "block_to_bytea") != 0 ||
		!is_function(cast->funcid, atid_block_to_bytea))
		return InvalidOid;
	get_func_signature(cast->funcid, &types, &count);
	return types[0];
}

/*
 * The function that reads packed bytes in the place of one of this name; InvalidOid if there is
 * none.  This is no look-up by the parser: whoever runs the query need not have the right to
 * use the schema.
 */
static Oid
packed_function(const char *name, Oid schema, Oid type, int count)
{
	Oid			types[2] = {type, TEXTARRAYOID};

	for (size_t i = 0; i < lengthof(replaced); i++)
		if (strcmp(name, replaced[i].name) == 0)
		{
			Oid			oid = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
											  CStringGetDatum(replaced[i].packed),
											  PointerGetDatum(buildoidvector(types, count)),
											  ObjectIdGetDatum(schema));

			return OidIsValid(oid) && is_function(oid, replaced[i].function) ? oid : InvalidOid;
		}
	return InvalidOid;
}

/*
 * Has the value a column of a foreign table in it, or one of another query?
 *
 * A call over a foreign table may be made by the other server, whose column may be a bytea, and
 * whose version may be older.  (What a foreign partition gets of its parent's query has been
 * simplified by then.)
 *
 * convert_EXISTS_to_ANY() has the condition of a subquery simplified for the query around it, so
 * the range table need not be the one that a column is of: it may be too short, or have another
 * relation there.  The subquery is simplified once more when it is planned itself.
 */
static bool
is_elsewhere(PlannerInfo *root, Node *value)
{
	ListCell   *cell;

	if (root == NULL)
		return false;
	foreach(cell, pull_vars_of_level(value, 0))
	{
		const Var  *var = lfirst(cell);
		const RangeTblEntry *rte;

		if (!IsA(var, Var) || IS_SPECIAL_VARNO(var->varno))
			continue;
		if (var->varno > list_length(root->parse->rtable))
			return true;
		rte = rt_fetch(var->varno, root->parse->rtable);
		if (rte->rtekind == RTE_RELATION &&
			(rte->relkind == RELKIND_FOREIGN_TABLE ||
			 (var->varattno > 0 && get_atttype(rte->relid, var->varattno) != var->vartype)))
			return true;
	}
	return false;
}

/*
 * The call that reads the packed bytes, in the place of a call whose first argument is the cast
 * of a block; NULL if it is another.  Named and default arguments are in their places by now.
 *
 * As for a function that is inlined, nobody is to call by this what they must not: everybody must
 * have the right to call what is replaced and what replaces it.  (That the caller has it does not
 * do, as the expressions of an index are kept for all roles of a session.)  And a plan is made
 * again when what was replaced changes.
 */
static Node *
simplify_block(PlannerInfo *root, const FuncExpr *call)
{
	Oid			schema = get_func_namespace(call->funcid);
	Oid			type = call->args == NIL ? InvalidOid : type_of_cast(linitial(call->args), schema);
	const char *name = OidIsValid(type) ? get_func_name(call->funcid) : NULL;
	Oid			function = InvalidOid;
	const FuncExpr *cast;
	FuncExpr   *result;

	if (name != NULL)
		function = packed_function(name, schema, type, list_length(call->args));
	if (!OidIsValid(function))
		return NULL;
	cast = linitial(call->args);
	if (!atid_public_may_execute(function) || !atid_public_may_execute(call->funcid) ||
		!atid_public_may_execute(cast->funcid) || is_elsewhere(root, (Node *) cast))
		return NULL;
	if (root != NULL)
	{
		record_plan_function_dependency(root, call->funcid);
		record_plan_function_dependency(root, cast->funcid);
	}
	result = makeFuncExpr(function, call->funcresulttype, list_copy(call->args), call->funccollid,
						  call->inputcollid, COERCE_EXPLICIT_CALL);
	linitial(result->args) = linitial(cast->args);
	result->location = call->location;
	return (Node *) result;
}

/*
 * at_uri_text_support(request): the support function of the comparisons of an at_uri with a text,
 * and of the functions over blocks.
 *
 * The latter have none of their own, because after ALTER EXTENSION UPDATE a session that has loaded
 * the library of 1.3 would not find it, and could no longer plan a call of these functions.  It
 * does find this one, which has nothing to say there about functions that are no comparison.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_text_support);
Datum
atid_at_uri_text_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *answer = NULL;

	if (IsA(request, SupportRequestSimplify))
		answer = simplify_block(((SupportRequestSimplify *) request)->root,
								((SupportRequestSimplify *) request)->fcall);
	PG_RETURN_POINTER(answer != NULL ? answer : atid_at_uri_support_comparison(request));
}
