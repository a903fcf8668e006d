/*-------------------------------------------------------------------------
 *
 * types.h
 *		What other chapters need of atid.did and atid.at_uri, and what the two share; and the
 *		planner's support of comparisons with a text, for all types that have such operators.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ADDRESS_TYPES_H
#define ATID_ADDRESS_TYPES_H

#include "access/stratnum.h"
#include "fmgr.h"
#include "nodes/nodes.h"
#include "utils/sortsupport.h"

#include "codec/text/packed.h"
#include "compat.h"

/* Values of texts that are known to be valid */
extern Datum atid_did_datum(const char *s, size_t len);
extern Datum atid_at_uri_datum(const char *s, size_t len);

/* The operators that an index condition may be made of */
extern Datum atid_at_uri_le(PG_FUNCTION_ARGS);
extern Datum atid_at_uri_ge(PG_FUNCTION_ARGS);

/*
 * The operator of a strategy in the index column's family, if it is the type's own:
 * another family may have another order.
 */
extern Oid	atid_ordering_operator(Oid family, Oid left, Oid right, StrategyNumber strategy,
								   PGFunction own);

/* The value of a text, if it has one */
typedef bool (*AtidValueOf) (const char *s, size_t len, Datum *value);

/*
 * The planner's support of a comparison of a value with a text, by one of the operators in the
 * families of the value's type; NULL for other requests
 */
extern Node *atid_support_comparison(Node *request, AtidValueOf value_of);

/* That of an at_uri with a text */
extern Node *atid_at_uri_support_comparison(Node *request);

/* The binary form is the text */
extern Datum atid_did_send(PG_FUNCTION_ARGS);
extern Datum atid_at_uri_send(PG_FUNCTION_ARGS);

/* What codec/text/packed.h has for each type: an order, and an abbreviated key */
typedef int (*AtidPackedCompare) (const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);
typedef uint64_t (*AtidSortKey) (const uint8_t *packed, size_t len);

/* Sort support with abbreviated keys, for either type */
extern void atid_address_sort_support(SortSupport ssup,
									  int (*comparator) (Datum x, Datum y, SortSupport ssup),
									  AtidSortKey sort_key);

/*
 * Compare two values of one type.  Called with a constant function, so that each
 * type gets a copy that calls its own.
 */
static pg_attribute_always_inline int
atid_address_compare(Datum x, Datum y, AtidPackedCompare compare)
{
	bytea	   *a = DatumGetByteaPP(x);
	bytea	   *b = DatumGetByteaPP(y);
	int			result = compare((const uint8_t *) VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a),
								 (const uint8_t *) VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b));

	if (DatumGetPointer(x) != (Pointer) a)
		pfree(a);
	if (DatumGetPointer(y) != (Pointer) b)
		pfree(b);
	return result;
}

#endif							/* ATID_ADDRESS_TYPES_H */
