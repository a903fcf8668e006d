/*-------------------------------------------------------------------------
 *
 * scope.c
 *		The operators uri <@ scope and scope @> uri: is the AT URI the scope itself,
 *		or below it?
 *
 * A scope is an at_uri: an account, one of its collections, or a single record.
 * The URIs below it begin with its text and a slash.  In the order of the type,
 * which is that of the text, the scope sorts before them, and the scope followed by
 * '0', the character after the slash, sorts after them.  So an ordered index finds
 * them between the two:
 *
 *		uri >= scope AND uri <= at_uri_scope_upper(scope)
 *
 * with the operator itself as a recheck, since other URIs can lie between (for the
 * scope at://a.b, at://a.b-c.d does, as '-' is before the slash).  The support
 * functions give the planner this condition; results do not depend on index use.
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

#include "address/types.h"
#include "codec/text/address.h"
#include "codec/text/packed.h"
#include "compat.h"
#include "function.h"


/*
 * The operators
 */

static Datum
is_within(FunctionCallInfo fcinfo, int uri_arg)
{
	bytea	   *uri = PG_GETARG_BYTEA_PP(uri_arg);
	bytea	   *scope = PG_GETARG_BYTEA_PP(1 - uri_arg);

	PG_RETURN_BOOL(atid_at_uri_within((const uint8_t *) VARDATA_ANY(uri),
									  VARSIZE_ANY_EXHDR(uri),
									  (const uint8_t *) VARDATA_ANY(scope),
									  VARSIZE_ANY_EXHDR(scope)));
}

ATID_FUNCTION(atid_at_uri_contained, is_within(fcinfo, 0))
ATID_FUNCTION(atid_at_uri_contains, is_within(fcinfo, 1))


/*
 * Bounds
 */

/* Append the greatest segment that a domain name can have, and a character. */
static char *
append_segment(char *end, char after)
{
	memset(end, 'z', ATID_SEGMENT_MAX);
	end[ATID_SEGMENT_MAX] = after;
	return end + ATID_SEGMENT_MAX + 1;
}

/*
 * The greatest of all AT URIs.  It has a handle, since no DID begins with 'z', and
 * as few segments as possible, since a slash sorts above a period.
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
 * at_uri_scope_upper(scope): an at_uri that is not less than any within the scope,
 * for index conditions.  It is the scope followed by '0'.  If that is too long for
 * an AT URI, it is the bound of the scope that contains this one.
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
 * at_uri_scope_upper(scope) as an expression, or as a constant for a constant scope.
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
	 * It is in the schema of the operator's function.  A user of the operator
	 * may have no right on that schema, so this looks it up directly, without
	 * SQL's check for USAGE.
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

/* The parts of a scope; false if it is not a constant at_uri. */
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
 * Simplify uri <@ record to uri = record, which the planner estimates better.
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
support(FunctionCallInfo fcinfo, int uri_arg)
{
	Node	   *raw = (Node *) PG_GETARG_POINTER(0);
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
	/* btree and BRIN's minmax number their strategies alike */
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

ATID_FUNCTION(atid_at_uri_contained_support, PointerGetDatum(support(fcinfo, 0)))
ATID_FUNCTION(atid_at_uri_contains_support, PointerGetDatum(support(fcinfo, 1)))


/*
 * Selectivity
 *
 * Both functions serve <@ and @>, for scopes of every type.
 */

/*
 * The share of a table's rows that are within an unknown scope.  It has at least
 * one row, and rarely more than one of a histogram's hundred bins, that is, rows /
 * 100.  For an account, assume the geometric mean of the two, which is the square
 * root of rows / 100; for a collection, which is narrower, the cubic root.
 */
static double
default_share(VariableStatData *var, bool collection)
{
	double		rows = Max(var->rel ? var->rel->tuples : 0.0, 100.0);

	return pow(rows / 100.0, collection ? 1.0 / 3.0 : 1.0 / 2.0) / rows;
}

/* For a clause with columns of one table on both sides */
#define DEFAULT_SHARE	0.001

/* The lower bound of generic_restriction_selectivity() with a histogram */
#define LEAST_SHARE		0.0001

/* Is this a constant collection or record?  A did or a text counts as an account. */
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
 * RESTRICT: for a constant scope, the share that the statistics show.  If no value
 * of the histogram is within the scope, they only show that the share is small, and
 * the default share applies to the values outside of the most common ones.
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
		result *= share / LEAST_SHARE;	/* share of the rare values */
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
 * JOIN: assume for each scope the default share of the larger table, which is the
 * table of URIs.  In a semi- or anti-join, any row on the right can be the partner
 * of a row on the left, so multiply by the rows on the right.
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
