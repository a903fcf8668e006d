/*-------------------------------------------------------------------------
 *
 * symbol_type.c
 *		The type atid.symbol: a text that takes a byte or two if it is well known.
 *
 * A value is a varlena with the form of codec/block/symbol.h.  It is read byte by byte, so it
 * needs no alignment.  Text and binary form are those of text.  So nobody but this library ever
 * makes packed bytes, and two servers need not have the same dictionary.
 *
 * Equality, order and hash are those of the text, byte by byte, never those of the stored bytes:
 * after the dictionary has grown, one text can have several forms.  So the operator class has no
 * btequalimage().
 *
 * The operators that compare with a text, and their families, are made as those of at_uri are;
 * the head of address/as_text.c explains them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"

#include "address/types.h"
#include "codec/block/symbol.h"
#include "codec/bytes.h"
#include "compat.h"
#include "error.h"
#include "function.h"

/* The longest text of a value. */
#define TEXT_MAX (MaxAllocSize - VARHDRSZ - 1)


/*
 * Values
 */

/* The value of a text of at most TEXT_MAX bytes. */
static Datum
value_of_text(const char *s, size_t len)
{
	bytea	   *value = palloc(VARHDRSZ + ATID_SYMBOL_PACKED_MAX(len));
	size_t		packed = atid_symbol_pack(s, len, (uint8_t *) VARDATA(value));

	SET_VARSIZE(value, VARHDRSZ + packed);
	return PointerGetDatum(value);
}

/* The error of a text that is longer. */
static Datum
refuse_length(Node *context)
{
	ereturn(context, (Datum) 0,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("value of type %s is too large", "atid.symbol")));
}

/*
 * The text of a value.  A value that cannot be read is an error, as in at_uri.c, which tells why
 * functions may be leakproof all the same.
 */
static AtidSymbolText
text_of(bytea *value)
{
	const uint8_t *packed = (const uint8_t *) VARDATA_ANY(value);
	size_t		len = VARSIZE_ANY_EXHDR(value);
	AtidSymbolText text;
	AtidPackedState state = atid_symbol_open(packed, len, &text);

	if (unlikely(state != ATID_PACKED_OK))
		atid_refuse_packed(state, "atid.symbol");
	return text;
}

/*
 * The length of a value's text.  A long value need not be fetched for it.
 */
static size_t
text_len(Datum value)
{
	size_t		len = toast_raw_datum_size(value) - VARHDRSZ;

	if (len > ATID_SYMBOL_NUMBER_MAX)
		return len - 1;
	return text_of(DatumGetByteaPP(value)).len;
}

/* A copy of a value's text in palloc'd memory, with "before" free bytes and one after it. */
static char *
copy_of_text(bytea *value, size_t before, size_t *len)
{
	AtidSymbolText text = text_of(value);
	char	   *result = palloc(before + text.len + 1);

	memcpy(result + before, text.s, text.len);
	*len = text.len;

	return result;
}


/*
 * Input and output
 */

PG_FUNCTION_INFO_V1(atid_symbol_in);
Datum
atid_symbol_in(PG_FUNCTION_ARGS)
{
	char	   *str = PG_GETARG_CSTRING(0);
	size_t		len = strlen(str);

	if (len > TEXT_MAX)
		return refuse_length(fcinfo->context);
	return value_of_text(str, len);
}

ATID_FROM_CHAR(atid_symbol_from_char, atid_symbol_in)

PG_FUNCTION_INFO_V1(atid_symbol_out);
Datum
atid_symbol_out(PG_FUNCTION_ARGS)
{
	size_t		len;
	char	   *result = copy_of_text(PG_GETARG_BYTEA_PP(0), 0, &len);

	result[len] = '\0';
	PG_RETURN_CSTRING(result);
}

PG_FUNCTION_INFO_V1(atid_symbol_recv);
Datum
atid_symbol_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len;
	char	   *str = pq_getmsgtext(buf, buf->len - buf->cursor, &len);
	Datum		result;

	if ((size_t) len > TEXT_MAX)
		return refuse_length(NULL);
	result = value_of_text(str, len);
	pfree(str);
	PG_RETURN_DATUM(result);
}

PG_FUNCTION_INFO_V1(atid_symbol_send);
Datum
atid_symbol_send(PG_FUNCTION_ARGS)
{
	AtidSymbolText text = text_of(PG_GETARG_BYTEA_PP(0));
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendtext(&buf, text.s, text.len);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}


/*
 * Casts
 */

PG_FUNCTION_INFO_V1(atid_symbol_from_text);
Datum
atid_symbol_from_text(PG_FUNCTION_ARGS)
{
	text	   *arg = PG_GETARG_TEXT_PP(0);

	if (VARSIZE_ANY_EXHDR(arg) > TEXT_MAX)
		return refuse_length(NULL);
	return value_of_text(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg));
}

PG_FUNCTION_INFO_V1(atid_symbol_to_text);
Datum
atid_symbol_to_text(PG_FUNCTION_ARGS)
{
	size_t		len;
	text	   *result = (text *) copy_of_text(PG_GETARG_BYTEA_PP(0), VARHDRSZ, &len);

	SET_VARSIZE(result, VARHDRSZ + len);
	PG_RETURN_TEXT_P(result);
}


/*
 * Order and equality
 */

static inline void
free_copy(Datum original, const void *value)
{
	if (DatumGetPointer(original) != (Pointer) value)
		pfree((void *) value);
}

/*
 * Do two values have the same bytes, and only as many as a number has?  No value that is
 * compressed, or elsewhere, has so few.
 */
static inline bool
is_same_number(Datum x, Datum y)
{
	const char *a = DatumGetPointer(x);
	const char *b = DatumGetPointer(y);
	size_t		len = VARSIZE_ANY_EXHDR(a);

	return len <= ATID_SYMBOL_NUMBER_MAX && VARSIZE_ANY_EXHDR(b) == len &&
		memcmp(VARDATA_ANY(a), VARDATA_ANY(b), len) == 0;
}

static int
compare(Datum x, Datum y, SortSupport ssup)
{
	bytea	   *a;
	bytea	   *b;
	AtidSymbolText left;
	AtidSymbolText right;
	int			result;

	if (is_same_number(x, y))
		return 0;
	a = DatumGetByteaPP(x);
	b = DatumGetByteaPP(y);
	left = text_of(a);
	right = text_of(b);
	result = atid_bytes_cmp(left.s, left.len, right.s, right.len);
	free_copy(x, a);
	free_copy(y, b);
	return result;
}

static bool
is_equal(Datum x, Datum y)
{
	return is_same_number(x, y) || (text_len(x) == text_len(y) && compare(x, y, NULL) == 0);
}

static int
compare_args(FunctionCallInfo fcinfo)
{
	return compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), NULL);
}

static bool
are_args_equal(FunctionCallInfo fcinfo)
{
	return is_equal(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
}

/* The hash of a value's text, or the extended hash if the function has a seed. */
static Datum
hash(FunctionCallInfo fcinfo)
{
	AtidSymbolText text = text_of(PG_GETARG_BYTEA_PP(0));

	if (PG_NARGS() == 1)
		return hash_any((const unsigned char *) text.s, text.len);
	return hash_any_extended((const unsigned char *) text.s, text.len, PG_GETARG_INT64(1));
}

ATID_FUNCTION(atid_symbol_eq, BoolGetDatum(are_args_equal(fcinfo)))
ATID_FUNCTION(atid_symbol_ne, BoolGetDatum(!are_args_equal(fcinfo)))
ATID_FUNCTION(atid_symbol_lt, BoolGetDatum(compare_args(fcinfo) < 0))
ATID_FUNCTION(atid_symbol_le, BoolGetDatum(compare_args(fcinfo) <= 0))
ATID_FUNCTION(atid_symbol_gt, BoolGetDatum(compare_args(fcinfo) > 0))
ATID_FUNCTION(atid_symbol_ge, BoolGetDatum(compare_args(fcinfo) >= 0))
ATID_FUNCTION(atid_symbol_cmp, Int32GetDatum(compare_args(fcinfo)))
ATID_FUNCTION(atid_symbol_hash, hash(fcinfo))
ATID_FUNCTION(atid_symbol_hash_extended, hash(fcinfo))
ATID_FUNCTION(atid_symbol_larger, PG_GETARG_DATUM(compare_args(fcinfo) > 0 ? 0 : 1))
ATID_FUNCTION(atid_symbol_smaller, PG_GETARG_DATUM(compare_args(fcinfo) < 0 ? 0 : 1))

/*
 * There are no abbreviated keys: well-known texts begin with the same bytes, and are compared
 * without a copy.
 */
PG_FUNCTION_INFO_V1(atid_symbol_sortsupport);
Datum
atid_symbol_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = compare;
	PG_RETURN_VOID();
}


/*
 * Comparisons with a text
 */

static int
compare_text(Datum value, Datum other)
{
	bytea	   *packed = DatumGetByteaPP(value);
	text	   *s = DatumGetTextPP(other);
	AtidSymbolText left = text_of(packed);
	int			result = atid_bytes_cmp(left.s, left.len, VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));

	free_copy(value, packed);
	free_copy(other, s);
	return result;
}

static bool
is_equal_text(Datum value, Datum other)
{
	return text_len(value) == toast_raw_datum_size(other) - VARHDRSZ &&
		compare_text(value, other) == 0;
}

/* The result for the arguments in the other order.  It may be INT_MIN, as memcmp()'s may. */
static inline Datum
inverted(int result)
{
	INVERT_COMPARE_RESULT(result);
	return Int32GetDatum(result);
}

#define FIRST	PG_GETARG_DATUM(0)
#define SECOND	PG_GETARG_DATUM(1)

ATID_FUNCTION(atid_symbol_eq_text, BoolGetDatum(is_equal_text(FIRST, SECOND)))
ATID_FUNCTION(atid_symbol_ne_text, BoolGetDatum(!is_equal_text(FIRST, SECOND)))
ATID_FUNCTION(atid_symbol_lt_text, BoolGetDatum(compare_text(FIRST, SECOND) < 0))
ATID_FUNCTION(atid_symbol_le_text, BoolGetDatum(compare_text(FIRST, SECOND) <= 0))
ATID_FUNCTION(atid_symbol_gt_text, BoolGetDatum(compare_text(FIRST, SECOND) > 0))
ATID_FUNCTION(atid_symbol_ge_text, BoolGetDatum(compare_text(FIRST, SECOND) >= 0))
ATID_FUNCTION(atid_symbol_cmp_text, Int32GetDatum(compare_text(FIRST, SECOND)))
ATID_FUNCTION(atid_text_eq_symbol, BoolGetDatum(is_equal_text(SECOND, FIRST)))
ATID_FUNCTION(atid_text_ne_symbol, BoolGetDatum(!is_equal_text(SECOND, FIRST)))
ATID_FUNCTION(atid_text_lt_symbol, BoolGetDatum(compare_text(SECOND, FIRST) > 0))
ATID_FUNCTION(atid_text_le_symbol, BoolGetDatum(compare_text(SECOND, FIRST) >= 0))
ATID_FUNCTION(atid_text_gt_symbol, BoolGetDatum(compare_text(SECOND, FIRST) < 0))
ATID_FUNCTION(atid_text_ge_symbol, BoolGetDatum(compare_text(SECOND, FIRST) <= 0))
ATID_FUNCTION(atid_text_cmp_symbol, inverted(compare_text(SECOND, FIRST)))
ATID_FUNCTION(atid_symbol_hash_text, hashvarlena(fcinfo))
ATID_FUNCTION(atid_symbol_hash_text_extended, hashvarlenaextended(fcinfo))

static bool
symbol_of(const char *s, size_t len, Datum *value)
{
	if (len > TEXT_MAX)
		return false;
	*value = value_of_text(s, len);
	return true;
}

PG_FUNCTION_INFO_V1(atid_symbol_text_support);
Datum
atid_symbol_text_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(atid_support_comparison((Node *) PG_GETARG_POINTER(0), symbol_of));
}
