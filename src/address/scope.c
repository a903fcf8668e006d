/*-------------------------------------------------------------------------
 *
 * scope.c
 *		The operators uri <@ scope and scope @> uri: is the AT URI the scope itself,
 *		or below it?
 *
 * A scope is an at_uri: an account, a collection of one, or a single record.
 * What is below it has its text, a slash and more.  In the order of the type,
 * which is that of the text, the scope comes first of these, and the least text
 * above all of them is the scope and '0', the character after the slash.  So an
 * ordered index finds them between the two:
 *
 *		uri >= scope AND uri <= at_uri_scope_upper(scope)
 *
 * with the operator itself as a recheck, for what lies between and is not below
 * (a scope at://a.b has at://a.b-c.d there, with '-' before the slash).  The
 * support functions tell the planner so; nothing depends on that an index is
 * used.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "address/address.h"
#include "codec/address.h"
#include "codec/packed.h"
#include "codec/syntax.h"
#include "compat.h"


/*
 * The operators
 */

static bool
is_within(bytea *uri, bytea *scope)
{
	return atid_at_uri_within((const uint8_t *) VARDATA_ANY(uri), VARSIZE_ANY_EXHDR(uri),
							  (const uint8_t *) VARDATA_ANY(scope), VARSIZE_ANY_EXHDR(scope));
}

PG_FUNCTION_INFO_V1(atid_at_uri_contained);
Datum
atid_at_uri_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_within(PG_GETARG_BYTEA_PP(0), PG_GETARG_BYTEA_PP(1)));
}

PG_FUNCTION_INFO_V1(atid_at_uri_contains);
Datum
atid_at_uri_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_within(PG_GETARG_BYTEA_PP(1), PG_GETARG_BYTEA_PP(0)));
}


/*
 * Bounds
 */

/* A segment of a domain name, as great as one can be, and what comes after it. */
static char *
append_segment(char *end, char after)
{
	memset(end, 'z', 63);
	end[63] = after;
	return end + 64;
}

/*
 * The greatest of all AT URIs.  It has a handle, for no DID begins with 'z', and
 * no more segments than it must, for a slash is above a period.
 */
static Datum
greatest_at_uri(void)
{
	char		s[ATID_AT_URI_LONGEST];
	char	   *end = s;

	memcpy(end, "at://", 5);
	end = append_segment(end + 5, '.');
	end = append_segment(end, '/');
	end = append_segment(end, '.');
	end = append_segment(end, '.');
	end = append_segment(end, '/');
	memset(end, '~', ATID_RECORD_KEY_MAX);
	return atid_at_uri_datum(s, end + ATID_RECORD_KEY_MAX - s);
}

/*
 * at_uri_scope_upper(scope): an at_uri that is not below any that is within the
 * scope, for index conditions.  That is the scope and '0' where that is an AT
 * URI; where it would be too long, that of the scope around it.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_scope_upper);
Datum
atid_at_uri_scope_upper(PG_FUNCTION_ARGS)
{
	bytea	   *scope = PG_GETARG_BYTEA_PP(0);
	const uint8_t *packed = (const uint8_t *) VARDATA_ANY(scope);
	size_t		packed_len = VARSIZE_ANY_EXHDR(scope);
	AtidPackedUri parts;
	char	   *s;
	size_t		len;

	if (!atid_at_uri_open(packed, packed_len, &parts))
		return greatest_at_uri();

	len = atid_at_uri_text_len(packed, packed_len);
	s = palloc(len + 1);
	atid_at_uri_unpack(packed, packed_len, s);
	while (len > strlen("at://"))
	{
		s[len] = '0';
		if (atid_at_uri_is_valid(s, len + 1))
			return atid_at_uri_datum(s, len + 1);
		while (s[len] != '/')
			len--;
	}
	return greatest_at_uri();
}


/*
 * The planner's support: an index condition
 */

/*
 * The operator of a strategy in the index column's family, if it is the one of
 * our own order: a family of somebody else's may sort in another way.
 */
Oid
atid_ordering_operator(Oid family, Oid left, Oid right, StrategyNumber strategy, PGFunction own)
{
	Oid			operator = get_opfamily_member(family, left, right, strategy);
	FmgrInfo	function;

	if (!OidIsValid(operator))
		return InvalidOid;
	fmgr_info(get_opcode(operator), &function);
	return function.fn_addr == own ? operator : InvalidOid;
}

static Node *
make_condition(Oid operator, Node *column, Node *value)
{
	return (Node *) make_opclause(operator, BOOLOID, false, (Expr *) copyObject(column),
								  (Expr *) value, InvalidOid, InvalidOid);
}

/*
 * at_uri_scope_upper(scope) as an expression; its value, if the scope is known.
 */
static Node *
upper_bound(Oid function, Node *scope, Oid type)
{
	Oid			upper;

	if (IsA(scope, Const))
	{
		Datum		value = DirectFunctionCall1(atid_at_uri_scope_upper,
												((Const *) scope)->constvalue);

		return (Node *) makeConst(type, -1, InvalidOid, -1, value, false, false);
	}

	/*
	 * It is where the operator's function is.  Whoever may use the operator
	 * need not have any right on that schema, so this does not look names up
	 * as SQL does.
	 */
	upper = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
							CStringGetDatum("at_uri_scope_upper"),
							PointerGetDatum(buildoidvector(&type, 1)),
							ObjectIdGetDatum(get_func_namespace(function)));
	if (!OidIsValid(upper))
		return NULL;
	return (Node *) makeFuncExpr(upper, type, list_make1(copyObject(scope)), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* The parts of a scope that is known, if it is one. */
static bool
open_constant(Node *scope, AtidPackedUri *uri)
{
	bytea	   *value;

	if (!IsA(scope, Const) || ((Const *) scope)->constisnull)
		return false;
	value = DatumGetByteaPP(((Const *) scope)->constvalue);
	return atid_at_uri_open((const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), uri);
}

/*
 * uri <@ record is uri = record, and the planner knows more of that.
 */
static Node *
simplify_record(List *args, int uri_arg)
{
	Node	   *scope = list_nth(args, 1 - uri_arg);
	AtidPackedUri uri;
	Oid			eq;

	if (exprType(linitial(args)) != exprType(lsecond(args)) ||
		!open_constant(scope, &uri) || uri.rkey_len == 0)
		return NULL;
	eq = lookup_type_cache(exprType(scope), TYPECACHE_EQ_OPR)->eq_opr;
	return OidIsValid(eq) ? make_condition(eq, list_nth(args, uri_arg), scope) : NULL;
}

static Node *
support(Node *raw, int uri_arg)
{
	SupportRequestIndexCondition *request = (SupportRequestIndexCondition *) raw;
	List	   *args;
	Node	   *column;
	Node	   *scope;
	Node	   *upper;
	Oid			type;
	Oid			ge;
	Oid			le;

	if (IsA(raw, SupportRequestSimplify))
		return simplify_record(((SupportRequestSimplify *) raw)->fcall->args, uri_arg);
	if (!IsA(raw, SupportRequestIndexCondition))
		return NULL;
	if (is_opclause(request->node))
		args = ((OpExpr *) request->node)->args;
	else if (is_funcclause(request->node))
		args = ((FuncExpr *) request->node)->args;
	else
		return NULL;
	if (list_length(args) != 2 || request->indexarg != uri_arg)
		return NULL;

	column = list_nth(args, uri_arg);
	scope = list_nth(args, 1 - uri_arg);
	if ((IsA(scope, Const) && ((Const *) scope)->constisnull) ||
		!is_pseudo_constant_for_index(request->root, scope, request->index))
		return NULL;
	/* strategies mean the same to a btree and to BRIN's minmax */
	if (request->index->relam != BTREE_AM_OID && request->index->relam != BRIN_AM_OID)
		return NULL;
	type = request->index->opcintype[request->indexcol];

	ge = atid_ordering_operator(request->opfamily, type, type, BTGreaterEqualStrategyNumber,
								atid_at_uri_ge);
	le = atid_ordering_operator(request->opfamily, type, type, BTLessEqualStrategyNumber,
								atid_at_uri_le);
	if (!OidIsValid(ge) || !OidIsValid(le))
		return NULL;
	upper = upper_bound(request->funcid, scope, type);
	if (upper == NULL)
		return NULL;
	request->lossy = true;
	return (Node *) list_make2(make_condition(ge, column, copyObject(scope)),
							   make_condition(le, column, upper));
}

PG_FUNCTION_INFO_V1(atid_at_uri_contained_support);
Datum
atid_at_uri_contained_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support((Node *) PG_GETARG_POINTER(0), 0));
}

PG_FUNCTION_INFO_V1(atid_at_uri_contains_support);
Datum
atid_at_uri_contains_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support((Node *) PG_GETARG_POINTER(0), 1));
}


/*
 * Selectivity
 *
 * Both functions serve every operator that asks whether an AT URI is within a
 * scope, whichever side is which and whatever type the scope has.
 */

/*
 * The share of a table's rows that are within a scope of which nothing is known.
 * A scope has at least a row and, of the bins of a histogram that has a hundred,
 * hardly more than one.  An account is taken to have the geometric mean of the two,
 * and one of its collections, which is narrower, the cubic root.
 */
static double
default_share(VariableStatData *var, bool collection)
{
	double		rows = Max(var->rel ? var->rel->tuples : 0.0, 100.0);

	return pow(rows / 100.0, collection ? 1.0 / 3.0 : 1.0 / 2.0) / rows;
}

/* Where both sides have columns of one table */
#define DEFAULT_SHARE	0.001

/* What generic_restriction_selectivity() takes at least from a histogram */
#define LEAST_SHARE		0.0001

/* Is this the constant of a collection?  A scope of another type is an account. */
static bool
is_collection(Oid operator, Node *scope)
{
	Oid			left;
	Oid			right;
	AtidPackedUri uri;

	op_input_types(operator, &left, &right);
	return left == right && open_constant(scope, &uri) && uri.collection_len > 0;
}

/*
 * RESTRICT: what statistics say of a constant.  Where nothing in the histogram is
 * within the scope, they say no more than that it is small.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_scope_sel);
Datum
atid_at_uri_scope_sel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	Oid			operator = PG_GETARG_OID(1);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	int			relid = PG_GETARG_INT32(3);
	VariableStatData var;
	Node	   *other;
	bool		varonleft;
	double		share;
	double		result;

	if (!get_restriction_variable(root, args, relid, &var, &other, &varonleft))
		PG_RETURN_FLOAT8(DEFAULT_SHARE);
	share = default_share(&var, is_collection(operator, other));
	ReleaseVariableStats(var);

	result = generic_restriction_selectivity(root, operator, PG_GET_COLLATION(), args, relid,
											 share);
	if (IsA(other, Const) && result <= LEAST_SHARE)
		result *= share / LEAST_SHARE;	/* of the values that are rare */
	PG_RETURN_FLOAT8(result);
}

/* The inner rows of a semi- or anti-join */
static double
inner_rows(PlannerInfo *root, SpecialJoinInfo *sjinfo)
{
	int			relid;
	RelOptInfo *inner = bms_get_singleton_member(sjinfo->min_righthand, &relid) ?
		find_base_rel(root, relid) : find_join_rel(root, sjinfo->min_righthand);

	return inner ? inner->rows : 1.0;
}

/*
 * JOIN: each scope has the default share of the larger table, which is that of the
 * URIs.  A row on the left of a semi- or anti-join has a partner if any row on the
 * right is one.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_scope_joinsel);
Datum
atid_at_uri_scope_joinsel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	SpecialJoinInfo *sjinfo = (SpecialJoinInfo *) PG_GETARG_POINTER(4);
	VariableStatData left;
	VariableStatData right;
	bool		reversed;
	double		result;

	get_join_variables(root, args, sjinfo, &left, &right, &reversed);
	result = Min(default_share(&left, false), default_share(&right, false));
	ReleaseVariableStats(left);
	ReleaseVariableStats(right);

	if (sjinfo->jointype == JOIN_SEMI || sjinfo->jointype == JOIN_ANTI)
		result *= inner_rows(root, sjinfo);
	CLAMP_PROBABILITY(result);
	PG_RETURN_FLOAT8(result);
}
