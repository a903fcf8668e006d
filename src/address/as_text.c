/*-------------------------------------------------------------------------
 *
 * as_text.c
 *		atid.did, atid.at_uri and atid.tid with text: the casts, the operators that
 *		compare with a text, and their support functions for the planner.
 *
 * A value and a text compare by the bytes of their texts, whatever the collation
 * of the text is.  The text need not be a DID, an AT URI or a TID.
 *
 * The operators belong to the families that compare two values of a type, so that
 * an index on a column of the type serves a text.  Such a family must also order
 * and hash two texts, for the other side of a join and for the array of = ANY.  It
 * uses the server's own ~<~, ~<=~, ~>=~ and ~>~ for that.  The server's = of text
 * is in none of our families: it depends on the collation, and the planner would
 * then consider our families wherever text is compared.  The hash families have
 * our own ~=~ instead, and a text that is a value hashes as the packed value.
 *
 * An equality of two texts in the btree family of a type's operator class would
 * let the server make a foreign key from a column of text to a column of the type.
 * Before version 18, deleting a referenced row would then fail, since the server
 * expects that both columns have a collation, or neither.  So that family has no
 * such equality, the server refuses such a key, and amvalidate() reports the
 * missing operator.
 *
 * But the planner needs it.  From value = a AND value = b it may join the texts a
 * and b first, and it drops value = b even if it cannot write a = b.  It looks for
 * that equality in all families that contain =, so each type has a second family,
 * type_text_ops, that is complete and has no operator class.
 *
 * All of this holds for atid.symbol, too, whose operators are in record/symbol_type.c.
 *
 * The support functions of the operators do four things:
 *
 * - They turn a constant text into a value of the type if it is one.  So the
 *	 planner can use statistics and prune partitions.
 * - They remove the collation of an equality with a text without columns, such as
 *	 a parameter.  Values have no collation, and the planner puts two equalities
 *	 into one equivalence class only if their collations are equal.  Otherwise
 *	 WHERE did = $1 ORDER BY created_at would sort, although there is an index on
 *	 both columns.
 * - They give the other comparisons with such a text the collation "C".  The
 *	 estimators of the server compare the text with the bounds of a histogram in
 *	 the order of the collation, which must be there and have the order of values.
 * - They let an index on the column of text serve =, unless the clause went into an
 *	 equivalence class, and <, <=, >= and >, if that index has the order of bytes.
 *
 * What they cannot do:
 *
 * - A join clause of an inner join or a semijoin goes into an equivalence class.
 *	 For a class the planner asks no support function, and takes a btree only if its
 *	 family has the operator.  So the index on the column of text needs value::text.
 *	 An operator that is in no btree family would form no class, but an index on
 *	 the column of values would no longer serve = ANY of an array of text, for which
 *	 there is no support function either, nor have the order of ORDER BY next to
 *	 value = parameter.
 *
 * - The server hashes the array of = ANY and <> ALL only if the hash function of both
 *	 types is the same one.  It calls that, and the function of the operator, without
 *	 telling which argument is a value and which a text: the operator compares two
 *	 elements, or an element with the value on its right.  That fits two types with
 *	 one representation.  Ours have two: a tid is no pointer, and 15 bytes are the
 *	 text of one DID and the packed form of another.  So the hash functions differ.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/nbtree.h"
#include "access/stratnum.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "address/types.h"
#include "codec/text/address.h"
#include "codec/text/packed.h"
#include "codec/text/tid.h"
#include "compat.h"
#include "function.h"


/*
 * Casts
 */

ATID_FUNCTION(atid_did_to_text, atid_did_send(fcinfo))
ATID_FUNCTION(atid_at_uri_to_text, atid_at_uri_send(fcinfo))


/*
 * Comparisons
 */

typedef int (*CompareText) (const uint8_t *packed, size_t len, const char *s, size_t s_len);

/* The result for the arguments in the other order.  It may be INT_MIN, as memcmp()'s may. */
static inline Datum
inverted(int result)
{
	INVERT_COMPARE_RESULT(result);
	return Int32GetDatum(result);
}

/*
 * A packed value and a text.  Called with a constant function, as
 * atid_address_compare() is.
 */
static pg_attribute_always_inline int
compare_packed(Datum value, Datum other, CompareText compare)
{
	bytea	   *packed = DatumGetByteaPP(value);
	text	   *s = DatumGetTextPP(other);
	int			result = compare((const uint8_t *) VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed),
								 VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));

	if (DatumGetPointer(value) != (Pointer) packed)
		pfree(packed);
	if (DatumGetPointer(other) != (Pointer) s)
		pfree(s);
	return result;
}

static int
compare_did(Datum value, Datum other)
{
	return compare_packed(value, other, atid_did_compare_text);
}

static int
compare_at_uri(Datum value, Datum other)
{
	return compare_packed(value, other, atid_at_uri_compare_text);
}

static int
compare_tid(Datum value, Datum other)
{
	char		tid[ATID_TID_TEXT_LEN];
	text	   *s = DatumGetTextPP(other);
	size_t		len = VARSIZE_ANY_EXHDR(s);
	int			result;

	atid_tid_to_text(DatumGetUInt64(value), tid);
	result = memcmp(tid, VARDATA_ANY(s), Min(len, ATID_TID_TEXT_LEN));
	if (result == 0 && len != ATID_TID_TEXT_LEN)
		result = len > ATID_TID_TEXT_LEN ? -1 : 1;
	if (DatumGetPointer(other) != (Pointer) s)
		pfree(s);
	return result;
}

/* Is the text too long for any value?  Then it differs, and need not be fetched. */
static bool
is_longer(Datum other, size_t longest)
{
	return toast_raw_datum_size(other) - VARHDRSZ > longest;
}

#define FUNCTION(name, result) \
	PG_FUNCTION_INFO_V1(atid_##name); \
	Datum \
	atid_##name(PG_FUNCTION_ARGS) \
	{ \
		Datum		left = PG_GETARG_DATUM(0); \
		Datum		right = PG_GETARG_DATUM(1); \
		\
		return result; \
	}

/* The functions of the operators of a type, with the text on the right and on the left. */
#define FUNCTIONS(type, longest) \
	FUNCTION(type##_eq_text, \
			 BoolGetDatum(!is_longer(right, longest) && compare_##type(left, right) == 0)) \
	FUNCTION(type##_ne_text, \
			 BoolGetDatum(is_longer(right, longest) || compare_##type(left, right) != 0)) \
	FUNCTION(type##_lt_text, BoolGetDatum(compare_##type(left, right) < 0)) \
	FUNCTION(type##_le_text, BoolGetDatum(compare_##type(left, right) <= 0)) \
	FUNCTION(type##_gt_text, BoolGetDatum(compare_##type(left, right) > 0)) \
	FUNCTION(type##_ge_text, BoolGetDatum(compare_##type(left, right) >= 0)) \
	FUNCTION(type##_cmp_text, Int32GetDatum(compare_##type(left, right))) \
	FUNCTION(text_eq_##type, \
			 BoolGetDatum(!is_longer(left, longest) && compare_##type(right, left) == 0)) \
	FUNCTION(text_ne_##type, \
			 BoolGetDatum(is_longer(left, longest) || compare_##type(right, left) != 0)) \
	FUNCTION(text_lt_##type, BoolGetDatum(compare_##type(right, left) > 0)) \
	FUNCTION(text_le_##type, BoolGetDatum(compare_##type(right, left) >= 0)) \
	FUNCTION(text_gt_##type, BoolGetDatum(compare_##type(right, left) < 0)) \
	FUNCTION(text_ge_##type, BoolGetDatum(compare_##type(right, left) <= 0)) \
	FUNCTION(text_cmp_##type, inverted(compare_##type(right, left)))

FUNCTIONS(did, ATID_DID_MAX)
FUNCTIONS(at_uri, ATID_AT_URI_LONGEST)
FUNCTIONS(tid, ATID_TID_TEXT_LEN)

/* text ~=~ text: are the bytes the same? */
ATID_FUNCTION(atid_text_eq_bytes, byteaeq(fcinfo))


/*
 * Hashes
 */

/* The hash of some bytes, or the extended hash if the function has a seed. */
static Datum
hash(FunctionCallInfo fcinfo, const void *bytes, size_t len)
{
	if (PG_NARGS() == 1)
		return hash_any(bytes, len);
	return hash_any_extended(bytes, len, PG_GETARG_INT64(1));
}

static Datum
hash_did(FunctionCallInfo fcinfo)
{
	text	   *s = PG_GETARG_TEXT_PP(0);
	size_t		len = VARSIZE_ANY_EXHDR(s);
	uint8_t		packed[ATID_DID_PACKED_MAX(ATID_DID_MAX)];

	if (len > ATID_DID_MAX)
		return hash(fcinfo, VARDATA_ANY(s), len);
	return hash(fcinfo, packed, atid_did_pack(VARDATA_ANY(s), len, packed));
}

static Datum
hash_at_uri(FunctionCallInfo fcinfo)
{
	text	   *s = PG_GETARG_TEXT_PP(0);
	size_t		len = VARSIZE_ANY_EXHDR(s);
	uint8_t		packed[ATID_AT_URI_PACKED_MAX(ATID_AT_URI_LONGEST)];

	if (len > ATID_AT_URI_LONGEST || len < 5 || memcmp(VARDATA_ANY(s), "at://", 5) != 0)
		return hash(fcinfo, VARDATA_ANY(s), len);
	return hash(fcinfo, packed, atid_at_uri_pack(VARDATA_ANY(s), len, packed));
}

static Datum
hash_tid(FunctionCallInfo fcinfo)
{
	text	   *s = PG_GETARG_TEXT_PP(0);
	uint64_t	tid;

	if (VARSIZE_ANY_EXHDR(s) != ATID_TID_TEXT_LEN || !atid_tid_from_text(VARDATA_ANY(s), &tid))
		return hash(fcinfo, VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
	if (PG_NARGS() == 1)
		return DirectFunctionCall1(hashint8, UInt64GetDatum(tid));
	return DirectFunctionCall2(hashint8extended, UInt64GetDatum(tid), PG_GETARG_DATUM(1));
}

ATID_FUNCTION(atid_did_hash_text, hash_did(fcinfo))
ATID_FUNCTION(atid_did_hash_text_extended, hash_did(fcinfo))
ATID_FUNCTION(atid_at_uri_hash_text, hash_at_uri(fcinfo))
ATID_FUNCTION(atid_at_uri_hash_text_extended, hash_at_uri(fcinfo))
ATID_FUNCTION(atid_tid_hash_text, hash_tid(fcinfo))
ATID_FUNCTION(atid_tid_hash_text_extended, hash_tid(fcinfo))


/*
 * Scopes
 */

PG_FUNCTION_INFO_V1(atid_at_uri_contained_did);
Datum
atid_at_uri_contained_did(PG_FUNCTION_ARGS)
{
	bytea	   *uri = PG_GETARG_BYTEA_PP(0);
	bytea	   *did = PG_GETARG_BYTEA_PP(1);

	PG_RETURN_BOOL(atid_at_uri_within_did((const uint8_t *) VARDATA_ANY(uri),
										  VARSIZE_ANY_EXHDR(uri),
										  (const uint8_t *) VARDATA_ANY(did),
										  VARSIZE_ANY_EXHDR(did)));
}

PG_FUNCTION_INFO_V1(atid_did_contains_at_uri);
Datum
atid_did_contains_at_uri(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall2(atid_at_uri_contained_did, PG_GETARG_DATUM(1), PG_GETARG_DATUM(0));
}

PG_FUNCTION_INFO_V1(atid_at_uri_contained_text);
Datum
atid_at_uri_contained_text(PG_FUNCTION_ARGS)
{
	bytea	   *uri = PG_GETARG_BYTEA_PP(0);
	text	   *scope;

	if (is_longer(PG_GETARG_DATUM(1), ATID_AT_URI_LONGEST))
		PG_RETURN_BOOL(false);
	scope = PG_GETARG_TEXT_PP(1);
	PG_RETURN_BOOL(atid_at_uri_within_text((const uint8_t *) VARDATA_ANY(uri),
										   VARSIZE_ANY_EXHDR(uri), VARDATA_ANY(scope),
										   VARSIZE_ANY_EXHDR(scope)));
}

PG_FUNCTION_INFO_V1(atid_text_contains_at_uri);
Datum
atid_text_contains_at_uri(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall2(atid_at_uri_contained_text, PG_GETARG_DATUM(1), PG_GETARG_DATUM(0));
}


/*
 * The planner's support
 */

static bool
did_of(const char *s, size_t len, Datum *value)
{
	if (!atid_did_is_valid(s, len))
		return false;
	*value = atid_did_datum(s, len);
	return true;
}

static bool
at_uri_of(const char *s, size_t len, Datum *value)
{
	if (!atid_at_uri_is_valid(s, len))
		return false;
	*value = atid_at_uri_datum(s, len);
	return true;
}

static bool
tid_of(const char *s, size_t len, Datum *value)
{
	uint64_t	tid;

	if (len != ATID_TID_TEXT_LEN || !atid_tid_from_text(s, &tid))
		return false;
	*value = UInt64GetDatum(tid);
	return true;
}

static bool
is_constant(Node *node)
{
	return IsA(node, Const) && !((Const *) node)->constisnull;
}

/* The constant of the type for a constant text; NULL if the text is no value. */
static Const *
constant_of(Node *node, Oid type, AtidValueOf value_of)
{
	text	   *s;
	Datum		value;
	int16		len;
	bool		by_value;

	if (!is_constant(node))
		return NULL;
	s = DatumGetTextPP(((Const *) node)->constvalue);
	if (!value_of(VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s), &value))
		return NULL;
	get_typlenbyval(type, &len, &by_value);
	return makeConst(type, -1, InvalidOid, len, value, false, by_value);
}

/*
 * One of the operators that compare a value with a text.  All that is known of it
 * is its function, so find_comparison() searches the type's own family for the
 * operator with that function.
 */
typedef struct Comparison
{
	Oid			type;			/* of the value */
	int			text_arg;		/* which argument is the text? */
	Oid			operator;
	Oid			same_type;		/* the operator that compares two values */
	StrategyNumber strategy;	/* 0 for <> */
} Comparison;

static Oid
operator_of(Oid family, Oid left, Oid right, StrategyNumber strategy)
{
	Oid			operator;

	if (strategy != InvalidStrategy)
		return get_opfamily_member(family, left, right, strategy);
	operator = get_opfamily_member(family, left, right, BTEqualStrategyNumber);
	return OidIsValid(operator) ? get_negator(operator) : InvalidOid;
}

static bool
find_comparison(Oid function, Comparison *comparison)
{
	Oid		   *types;
	int			count;
	Oid			family;

	(void) get_func_signature(function, &types, &count);
	if (count != 2)
		return false;
	comparison->text_arg = types[1] == TEXTOID ? 1 : 0;
	comparison->type = types[1 - comparison->text_arg];
	family = lookup_type_cache(comparison->type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;

	for (StrategyNumber strategy = InvalidStrategy; strategy <= BTMaxStrategyNumber; strategy++)
	{
		Oid			operator = operator_of(family, types[0], types[1], strategy);

		if (!OidIsValid(operator) || get_opcode(operator) != function)
			continue;
		comparison->operator = operator;
		comparison->same_type = operator_of(family, comparison->type, comparison->type, strategy);
		comparison->strategy = strategy;
		return OidIsValid(comparison->same_type);
	}
	return false;
}

static Node *
make_comparison(Oid operator, Node *left, Node *right, Oid collation)
{
	OpExpr	   *result = (OpExpr *) make_opclause(operator, BOOLOID, false, (Expr *) left,
												  (Expr *) right, InvalidOid, collation);

	set_opfuncid(result);
	return (Node *) result;
}

/*
 * The comparison, with its constant text turned into a value, or with the collation
 * that the head of this file describes.
 *
 * A text with columns keeps its collation: Memoize looks such texts up by the
 * equality of text, which needs one.  That equality must distinguish all texts that
 * ours does, so "C" replaces a collation in which different texts can be equal.
 */
static Node *
simplify_comparison(SupportRequestSimplify *request, AtidValueOf value_of)
{
	Node	   *args[2];
	Comparison	comparison;
	Node	   *other;
	Const	   *constant;
	Oid			collation = InvalidOid;

	if (list_length(request->fcall->args) != 2 ||
		!find_comparison(request->fcall->funcid, &comparison))
		return NULL;
	args[0] = linitial(request->fcall->args);
	args[1] = lsecond(request->fcall->args);
	other = args[comparison.text_arg];

	constant = constant_of(other, comparison.type, value_of);
	if (constant != NULL)
	{
		args[comparison.text_arg] = (Node *) constant;
		return make_comparison(comparison.same_type, args[0], args[1], InvalidOid);
	}

	if (contain_var_clause(other))
	{
		collation = exprCollation(other);
		if (!OidIsValid(collation) || get_collation_isdeterministic(collation))
			return NULL;
		collation = C_COLLATION_OID;
		args[comparison.text_arg] = applyRelabelType(other, TEXTOID, -1, collation,
													 COERCE_IMPLICIT_CAST, -1, false);
	}
	else
	{
		if (comparison.strategy != BTEqualStrategyNumber && comparison.strategy != InvalidStrategy)
			collation = C_COLLATION_OID;
		if (request->fcall->inputcollid == collation)
			return NULL;
	}
	return make_comparison(comparison.operator, args[0], args[1], collation);
}

/* The two arguments of a clause that may become an index condition, or NIL. */
static List *
two_args(SupportRequestIndexCondition *request)
{
	List	   *args = NIL;

	if (is_opclause(request->node))
		args = ((OpExpr *) request->node)->args;
	else if (is_funcclause(request->node))
		args = ((FuncExpr *) request->node)->args;
	return list_length(args) == 2 ? args : NIL;
}

static Node *
as_text(Node *value)
{
	return coerce_to_target_type(NULL, copyObject(value), exprType(value), TEXTOID, -1,
								 COERCION_EXPLICIT, COERCE_IMPLICIT_CAST, -1);
}

/*
 * Does this function of the server's compare two texts by a strategy as we do: for
 * =, at least where they are equal for us, and else in the order of their bytes?
 */
static bool
compares_bytes(Oid function, StrategyNumber strategy, Oid collation)
{
	static const Oid by_bytes[] = {InvalidOid, F_TEXT_PATTERN_LT, F_TEXT_PATTERN_LE, F_TEXTEQ,
	F_TEXT_PATTERN_GE, F_TEXT_PATTERN_GT};
	static const Oid by_collation[] = {InvalidOid, F_TEXT_LT, F_TEXT_LE, F_TEXTEQ,
	F_TEXT_GE, F_TEXT_GT};

	return function == by_bytes[strategy] ||
		(function == by_collation[strategy] && collation == C_COLLATION_OID);
}

/*
 * The index condition column = value::text, for column = value and an index on a
 * column of text; so for <, <=, >= and > if the index has the order of bytes.
 */
static Node *
text_index_condition(SupportRequestIndexCondition *request)
{
	List	   *args = two_args(request);
	Comparison	comparison;
	Node	   *value;
	StrategyNumber strategy;
	Oid			operator;

	if (args == NIL || !find_comparison(request->funcid, &comparison) ||
		comparison.strategy == InvalidStrategy || request->indexarg != comparison.text_arg)
		return NULL;
	value = list_nth(args, 1 - comparison.text_arg);
	if (!is_pseudo_constant_for_index(request->root, value, request->index))
		return NULL;

	strategy = comparison.strategy;
	if (comparison.text_arg == 1)
		strategy = BTCommuteStrategyNumber(strategy);
	if (request->index->relam == BTREE_AM_OID)
		operator = get_opfamily_member(request->opfamily, TEXTOID, TEXTOID, strategy);
	else if (request->index->relam == HASH_AM_OID && strategy == BTEqualStrategyNumber)
		operator = get_opfamily_member(request->opfamily, TEXTOID, TEXTOID,
									   HTEqualStrategyNumber);
	else
		return NULL;
	if (request->index->opcintype[request->indexcol] != TEXTOID || !OidIsValid(operator) ||
		!compares_bytes(get_opcode(operator), strategy, request->indexcollation))
		return NULL;

	/* texts that differ for us may be equal in a nondeterministic collation */
	request->lossy = !get_collation_isdeterministic(request->indexcollation);
	value = eval_const_expressions(request->root, as_text(value));
	return (Node *) list_make1(make_comparison(operator,
											   copyObject(list_nth(args, comparison.text_arg)),
											   value, request->indexcollation));
}

Node *
atid_support_comparison(Node *request, AtidValueOf value_of)
{
	if (IsA(request, SupportRequestSimplify))
		return simplify_comparison((SupportRequestSimplify *) request, value_of);
	if (IsA(request, SupportRequestIndexCondition))
		return text_index_condition((SupportRequestIndexCondition *) request);
	return NULL;
}

static Datum
text_support(FunctionCallInfo fcinfo, AtidValueOf value_of)
{
	return PointerGetDatum(atid_support_comparison((Node *) PG_GETARG_POINTER(0), value_of));
}

ATID_FUNCTION(atid_did_text_support, text_support(fcinfo, did_of))
ATID_FUNCTION(atid_tid_text_support, text_support(fcinfo, tid_of))

/* at_uri_text_support() is in record/block_support.c: it is also that of functions over blocks. */
Node *
atid_at_uri_support_comparison(Node *request)
{
	return atid_support_comparison(request, at_uri_of);
}


/*
 * The planner's support of uri <@ scope, where the scope is a did or a text
 */

/* left || right, evaluated if both are constants */
static Node *
concatenation(PlannerInfo *root, Node *left, Node *right)
{
	Oid			operator = OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString("||")),
											TEXTOID, TEXTOID);
	OpExpr	   *result = (OpExpr *) make_opclause(operator, TEXTOID, false, (Expr *) left,
												  (Expr *) right, DEFAULT_COLLATION_OID,
												  DEFAULT_COLLATION_OID);

	set_opfuncid(result);
	return eval_const_expressions(root, (Node *) result);
}

static Node *
text_constant(const char *s)
{
	return (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(s),
							  false, false);
}

/* A scope of type did or text, as text. */
static Node *
scope_text(PlannerInfo *root, Node *scope, Oid type)
{
	if (type == TEXTOID)
		return copyObject(scope);
	return concatenation(root, text_constant("at://"), as_text(scope));
}

/*
 * A constant scope becomes an at_uri.
 */
static Node *
simplify_scope(SupportRequestSimplify *request, int uri_arg)
{
	Node	   *args[2];
	Oid		   *types;
	int			count;
	Const	   *constant;
	Oid			operator;
	char	   *name = uri_arg == 0 ? "<@" : "@>";

	(void) get_func_signature(request->fcall->funcid, &types, &count);
	if (count != 2 || list_length(request->fcall->args) != 2)
		return NULL;
	args[0] = linitial(request->fcall->args);
	args[1] = lsecond(request->fcall->args);
	if (!is_constant(args[1 - uri_arg]))
		return NULL;
	constant = constant_of(scope_text(request->root, args[1 - uri_arg], types[1 - uri_arg]),
						   types[uri_arg], at_uri_of);
	operator = OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString(name)),
								types[uri_arg], types[uri_arg]);
	if (constant == NULL || !OidIsValid(operator))
		return NULL;
	args[1 - uri_arg] = (Node *) constant;
	return make_comparison(operator, args[0], args[1], InvalidOid);
}

/*
 * As in scope.c, but with texts: uri >= scope AND uri < scope || '0'.  The text may
 * be no scope: the recheck by the operator then removes all rows.
 */
static Node *
scope_index_condition(SupportRequestIndexCondition *request, int uri_arg)
{
	List	   *args = two_args(request);
	Node	   *column;
	Node	   *scope;
	Oid			type;
	Oid			ge;
	Oid			lt;
	Oid		   *types;
	int			count;

	if (args == NIL || request->indexarg != uri_arg)
		return NULL;
	column = list_nth(args, uri_arg);
	scope = list_nth(args, 1 - uri_arg);
	if (!is_pseudo_constant_for_index(request->root, scope, request->index))
		return NULL;
	/* strategies mean the same to a btree and to BRIN's minmax */
	if (request->index->relam != BTREE_AM_OID && request->index->relam != BRIN_AM_OID)
		return NULL;
	type = request->index->opcintype[request->indexcol];
	ge = atid_ordering_operator(request->opfamily, type, TEXTOID, BTGreaterEqualStrategyNumber,
								atid_at_uri_ge_text);
	lt = atid_ordering_operator(request->opfamily, type, TEXTOID, BTLessStrategyNumber,
								atid_at_uri_lt_text);
	if (!OidIsValid(ge) || !OidIsValid(lt))
		return NULL;

	(void) get_func_signature(request->funcid, &types, &count);
	scope = scope_text(request->root, scope, types[1 - uri_arg]);
	request->lossy = true;
	return (Node *) list_make2(make_comparison(ge, copyObject(column), scope, C_COLLATION_OID),
							   make_comparison(lt, copyObject(column),
											   concatenation(request->root, copyObject(scope),
															 text_constant("0")),
											   C_COLLATION_OID));
}

static Datum
support_scope(FunctionCallInfo fcinfo, int uri_arg)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *answer = NULL;

	if (IsA(request, SupportRequestSimplify))
		answer = simplify_scope((SupportRequestSimplify *) request, uri_arg);
	else if (IsA(request, SupportRequestIndexCondition))
		answer = scope_index_condition((SupportRequestIndexCondition *) request, uri_arg);
	PG_RETURN_POINTER(answer);
}

ATID_FUNCTION(atid_at_uri_contained_text_support, support_scope(fcinfo, 0))
ATID_FUNCTION(atid_text_contains_at_uri_support, support_scope(fcinfo, 1))
