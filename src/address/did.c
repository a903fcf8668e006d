/*-------------------------------------------------------------------------
 *
 * did.c
 *		The type atid.did: DIDs, any that Lexicon's format "did" takes.
 *
 * A value is a varlena with the packed form of codec/text/packed.c: 15 bytes for a
 * did:plc, else the text.  It is read byte by byte, so it needs no alignment.
 * A text has one packed form, so equality and hashes are those of the bytes;
 * the order is that of the text in "C".
 *
 * The binary form is the text.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"
#include "utils/sortsupport.h"

#include "address/types.h"
#include "codec/text/address.h"
#include "codec/text/packed.h"
#include "compat.h"
#include "error.h"
#include "function.h"


/*
 * Values
 */

Datum
atid_did_datum(const char *s, size_t len)
{
	bytea	   *result = palloc(VARHDRSZ + ATID_DID_PACKED_MAX(len));
	size_t		packed = atid_did_pack(s, len, (uint8_t *) VARDATA(result));

	SET_VARSIZE(result, VARHDRSZ + packed);
	return PointerGetDatum(result);
}

/*
 * The text of a value in palloc'd memory, with "before" free bytes in front of it
 * and one after it.
 */
static char *
text_of(bytea *value, size_t before, size_t *len)
{
	const uint8_t *packed = (const uint8_t *) VARDATA_ANY(value);
	AtidPackedState state = atid_did_state(packed, VARSIZE_ANY_EXHDR(value));
	char	   *result;

	if (state != ATID_PACKED_OK)
		atid_refuse_packed(state, "atid.did");
	*len = atid_did_text_len(packed, VARSIZE_ANY_EXHDR(value));
	result = palloc(before + *len + 1);
	atid_did_unpack(packed, VARSIZE_ANY_EXHDR(value), result + before);
	return result;
}


/*
 * Input and output
 */

PG_FUNCTION_INFO_V1(atid_did_in);
Datum
atid_did_in(PG_FUNCTION_ARGS)
{
	char	   *str = PG_GETARG_CSTRING(0);
	size_t		len = strlen(str);
	size_t		at = 0;
	AtidFault	fault = atid_did_scan(str, len, &at);

	if (fault != ATID_OK)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"", "atid.did",
						atid_quote(str, len)),
				 errdetail("%s", atid_fault_at_character(fault, at))));
	PG_RETURN_DATUM(atid_did_datum(str, len));
}

ATID_FROM_CHAR(atid_did_from_char, atid_did_in)

PG_FUNCTION_INFO_V1(atid_did_out);
Datum
atid_did_out(PG_FUNCTION_ARGS)
{
	size_t		len;
	char	   *result = text_of(PG_GETARG_BYTEA_PP(0), 0, &len);

	result[len] = '\0';
	PG_RETURN_CSTRING(result);
}

PG_FUNCTION_INFO_V1(atid_did_recv);
Datum
atid_did_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;
	const char *s = pq_getmsgbytes(buf, len);
	size_t		at = 0;
	AtidFault	fault = atid_did_scan(s, len, &at);

	if (fault != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary representation for type %s", "atid.did"),
				 errdetail("%s", atid_fault_at_character(fault, at))));
	return atid_did_datum(s, len);
}

PG_FUNCTION_INFO_V1(atid_did_send);
Datum
atid_did_send(PG_FUNCTION_ARGS)
{
	size_t		len;
	bytea	   *result = (bytea *) text_of(PG_GETARG_BYTEA_PP(0), VARHDRSZ, &len);

	SET_VARSIZE(result, VARHDRSZ + len);
	PG_RETURN_BYTEA_P(result);
}


/*
 * Functions
 */

/*
 * did_is_valid(text): would this text be taken as a did?
 */
PG_FUNCTION_INFO_V1(atid_did_is_valid_text);
Datum
atid_did_is_valid_text(PG_FUNCTION_ARGS)
{
	text	   *arg = PG_GETARG_TEXT_PP(0);

	PG_RETURN_BOOL(atid_did_is_valid(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg)));
}

/*
 * did_or_null(text): the did of a text; NULL if it is none.  Reads no more of the
 * text than the longest did has.
 */
PG_FUNCTION_INFO_V1(atid_did_or_null);
Datum
atid_did_or_null(PG_FUNCTION_ARGS)
{
	text	   *arg = PG_GETARG_TEXT_P_SLICE(0, 0, ATID_DID_MAX + 1);

	if (!atid_did_is_valid(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg)))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(atid_did_datum(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg)));
}


/*
 * Order and equality
 */

static int
compare(Datum x, Datum y, SortSupport ssup)
{
	return atid_address_compare(x, y, atid_did_compare);
}

static int
compare_args(FunctionCallInfo fcinfo)
{
	return compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), NULL);
}

ATID_FUNCTION(atid_did_eq, byteaeq(fcinfo))
ATID_FUNCTION(atid_did_ne, byteane(fcinfo))
ATID_FUNCTION(atid_did_lt, BoolGetDatum(compare_args(fcinfo) < 0))
ATID_FUNCTION(atid_did_le, BoolGetDatum(compare_args(fcinfo) <= 0))
ATID_FUNCTION(atid_did_gt, BoolGetDatum(compare_args(fcinfo) > 0))
ATID_FUNCTION(atid_did_ge, BoolGetDatum(compare_args(fcinfo) >= 0))
ATID_FUNCTION(atid_did_cmp, Int32GetDatum(compare_args(fcinfo)))
ATID_FUNCTION(atid_did_hash, hashvarlena(fcinfo))
ATID_FUNCTION(atid_did_hash_extended, hashvarlenaextended(fcinfo))
ATID_FUNCTION(atid_did_larger, PG_GETARG_DATUM(compare_args(fcinfo) > 0 ? 0 : 1))
ATID_FUNCTION(atid_did_smaller, PG_GETARG_DATUM(compare_args(fcinfo) < 0 ? 0 : 1))

PG_FUNCTION_INFO_V1(atid_did_sortsupport);
Datum
atid_did_sortsupport(PG_FUNCTION_ARGS)
{
	atid_address_sort_support((SortSupport) PG_GETARG_POINTER(0), compare, atid_did_sort_key);
	PG_RETURN_VOID();
}
