/*-------------------------------------------------------------------------
 *
 * at_uri.c
 *		The type atid.at_uri: AT URIs, any that Lexicon's format "at-uri" takes.
 *
 * A value is a varlena with the packed form of codec/text/packed.c: a byte for its
 * shape, the authority, the collection and the record key.  A did:plc and a TID
 * are packed.  It is read byte by byte, so it needs no alignment.  A text has one
 * packed form, so equality and hashes are those of the bytes; the order is that of
 * the text in "C".
 *
 * The binary form is the text.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"

#include "address/types.h"
#include "codec/text/address.h"
#include "codec/text/packed.h"
#include "codec/text/tid.h"
#include "compat.h"
#include "error.h"
#include "function.h"


/*
 * Values
 */

Datum
atid_at_uri_datum(const char *s, size_t len)
{
	bytea	   *result = palloc(VARHDRSZ + ATID_AT_URI_PACKED_MAX(len));
	size_t		packed = atid_at_uri_pack(s, len, (uint8_t *) VARDATA(result));

	SET_VARSIZE(result, VARHDRSZ + packed);
	return PointerGetDatum(result);
}

/*
 * The parts of a value.  A value that cannot be read is an error; the type never
 * makes one.  Functions may be leakproof all the same, as the server's are, which
 * fail for a value that cannot be detoasted.
 */
static AtidPackedUri
parts_of(bytea *value)
{
	const uint8_t *packed = (const uint8_t *) VARDATA_ANY(value);
	size_t		len = VARSIZE_ANY_EXHDR(value);
	AtidPackedUri uri;

	if (!atid_at_uri_open(packed, len, &uri))
		atid_refuse_packed(atid_at_uri_state(packed, len), "atid.at_uri");
	return uri;
}

/*
 * The text of a value in palloc'd memory, with "before" free bytes in front of it
 * and one after it.
 */
static char *
text_of(bytea *value, size_t before, size_t *len)
{
	const uint8_t *packed = (const uint8_t *) VARDATA_ANY(value);
	char	   *result;

	(void) parts_of(value);
	*len = atid_at_uri_text_len(packed, VARSIZE_ANY_EXHDR(value));
	result = palloc(before + *len + 1);
	atid_at_uri_unpack(packed, VARSIZE_ANY_EXHDR(value), result + before);
	return result;
}


/*
 * Input and output
 */

PG_FUNCTION_INFO_V1(atid_at_uri_in);
Datum
atid_at_uri_in(PG_FUNCTION_ARGS)
{
	char	   *str = PG_GETARG_CSTRING(0);
	size_t		len = strlen(str);
	AtidAtUri	uri;
	size_t		at = 0;
	AtidFault	fault = atid_at_uri_scan(str, len, &uri, &at);

	if (fault != ATID_OK)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"", "atid.at_uri",
						atid_quote(str, len)),
				 errdetail("%s", atid_fault_at_character(fault, at))));
	PG_RETURN_DATUM(atid_at_uri_datum(str, len));
}

ATID_FROM_CHAR(atid_at_uri_from_char, atid_at_uri_in)

PG_FUNCTION_INFO_V1(atid_at_uri_out);
Datum
atid_at_uri_out(PG_FUNCTION_ARGS)
{
	size_t		len;
	char	   *result = text_of(PG_GETARG_BYTEA_PP(0), 0, &len);

	result[len] = '\0';
	PG_RETURN_CSTRING(result);
}

PG_FUNCTION_INFO_V1(atid_at_uri_recv);
Datum
atid_at_uri_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;
	const char *s = pq_getmsgbytes(buf, len);
	AtidAtUri	uri;
	size_t		at = 0;
	AtidFault	fault = atid_at_uri_scan(s, len, &uri, &at);

	if (fault != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary representation for type %s", "atid.at_uri"),
				 errdetail("%s", atid_fault_at_character(fault, at))));
	return atid_at_uri_datum(s, len);
}

PG_FUNCTION_INFO_V1(atid_at_uri_send);
Datum
atid_at_uri_send(PG_FUNCTION_ARGS)
{
	size_t		len;
	bytea	   *result = (bytea *) text_of(PG_GETARG_BYTEA_PP(0), VARHDRSZ, &len);

	SET_VARSIZE(result, VARHDRSZ + len);
	PG_RETURN_BYTEA_P(result);
}

/*
 * at_uri_is_valid(text): would this text be taken as an at_uri?
 */
PG_FUNCTION_INFO_V1(atid_at_uri_is_valid_text);
Datum
atid_at_uri_is_valid_text(PG_FUNCTION_ARGS)
{
	text	   *arg = PG_GETARG_TEXT_PP(0);

	PG_RETURN_BOOL(atid_at_uri_is_valid(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg)));
}

/*
 * at_uri_or_null(text): the at_uri of a text; NULL if it is not one.  Reads no more of
 * the text than the longest at_uri has.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_or_null);
Datum
atid_at_uri_or_null(PG_FUNCTION_ARGS)
{
	text	   *arg = PG_GETARG_TEXT_P_SLICE(0, 0, ATID_AT_URI_LONGEST + 1);

	if (!atid_at_uri_is_valid(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg)))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(atid_at_uri_datum(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg)));
}


/*
 * Parts
 */

/* Is the authority a DID?  A packed one is. */
static bool
is_of_did(const AtidPackedUri *uri)
{
	return uri->plc ||
		atid_identifier_is_did((const char *) uri->authority, uri->authority_len);
}

PG_FUNCTION_INFO_V1(atid_at_uri_authority);
Datum
atid_at_uri_authority(PG_FUNCTION_ARGS)
{
	AtidPackedUri uri = parts_of(PG_GETARG_BYTEA_PP(0));
	text	   *result;
	size_t		len;

	if (!uri.plc)
		PG_RETURN_TEXT_P(cstring_to_text_with_len((const char *) uri.authority,
												  uri.authority_len));
	len = atid_did_text_len(uri.authority, uri.authority_len);
	result = palloc(VARHDRSZ + len);
	SET_VARSIZE(result, VARHDRSZ + len);
	atid_did_unpack(uri.authority, uri.authority_len, VARDATA(result));
	PG_RETURN_TEXT_P(result);
}

/*
 * at_uri_did(at_uri): the authority; NULL if that is a handle.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_did);
Datum
atid_at_uri_did(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	const uint8_t *plc = atid_at_uri_plc((const uint8_t *) VARDATA_ANY(value),
										 VARSIZE_ANY_EXHDR(value));
	AtidPackedUri uri;

	if (likely(plc != NULL))
	{
		bytea	   *result = palloc(VARHDRSZ + ATID_PLC_PACKED_LEN);

		SET_VARSIZE(result, VARHDRSZ + ATID_PLC_PACKED_LEN);
		memcpy(VARDATA(result), plc, ATID_PLC_PACKED_LEN);
		PG_RETURN_BYTEA_P(result);
	}

	uri = parts_of(value);
	if (!is_of_did(&uri))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(atid_did_datum((const char *) uri.authority, uri.authority_len));
}

/*
 * at_uri_handle(at_uri): the authority; NULL if that is a DID.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_handle);
Datum
atid_at_uri_handle(PG_FUNCTION_ARGS)
{
	AtidPackedUri uri = parts_of(PG_GETARG_BYTEA_PP(0));

	if (is_of_did(&uri))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len((const char *) uri.authority,
											  uri.authority_len));
}

PG_FUNCTION_INFO_V1(atid_at_uri_collection);
Datum
atid_at_uri_collection(PG_FUNCTION_ARGS)
{
	AtidPackedUri uri = parts_of(PG_GETARG_BYTEA_PP(0));

	if (uri.collection_len == 0)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(uri.collection, uri.collection_len));
}

PG_FUNCTION_INFO_V1(atid_at_uri_rkey);
Datum
atid_at_uri_rkey(PG_FUNCTION_ARGS)
{
	AtidPackedUri uri = parts_of(PG_GETARG_BYTEA_PP(0));
	text	   *result;

	if (uri.rkey_len == 0)
		PG_RETURN_NULL();
	if (!uri.tid)
		PG_RETURN_TEXT_P(cstring_to_text_with_len(uri.rkey, uri.rkey_len));
	result = palloc(VARHDRSZ + ATID_TID_TEXT_LEN);
	SET_VARSIZE(result, VARHDRSZ + ATID_TID_TEXT_LEN);
	atid_tid_to_text(atid_packed_tid(&uri), VARDATA(result));
	PG_RETURN_TEXT_P(result);
}

/*
 * at_uri_tid(at_uri): the record key; NULL if that is no TID.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_tid);
Datum
atid_at_uri_tid(PG_FUNCTION_ARGS)
{
	AtidPackedUri uri = parts_of(PG_GETARG_BYTEA_PP(0));

	if (!uri.tid)
		PG_RETURN_NULL();
	return UInt64GetDatum(atid_packed_tid(&uri));
}

/*
 * at_uri_scopes(at_uri): what it is within: its account, its collection, itself.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_scopes);
Datum
atid_at_uri_scopes(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	AtidPackedUri uri = parts_of(value);
	int			outer = (uri.collection_len > 0) + (uri.rkey_len > 0);
	Oid			array = get_func_rettype(fcinfo->flinfo->fn_oid);
	Datum		scopes[3];

	for (int i = 0; i < outer; i++)
	{
		bytea	   *scope = palloc(VARSIZE_ANY_EXHDR(value) + VARHDRSZ);
		size_t		len = atid_at_uri_scope((const uint8_t *) VARDATA_ANY(value), &uri, i > 0,
											(uint8_t *) VARDATA(scope));

		SET_VARSIZE(scope, VARHDRSZ + len);
		scopes[i] = PointerGetDatum(scope);
	}
	scopes[outer] = PointerGetDatum(value);
	PG_RETURN_ARRAYTYPE_P(construct_array(scopes, outer + 1, get_element_type(array), -1, false,
										  TYPALIGN_INT));
}

/*
 * at_uri_path(at_uri): what follows the authority and its slash; NULL if nothing
 * does.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_path);
Datum
atid_at_uri_path(PG_FUNCTION_ARGS)
{
	size_t		len;
	char	   *s = text_of(PG_GETARG_BYTEA_PP(0), 0, &len);
	const char *end = s + len;
	const char *slash = memchr(s + ATID_SCHEME_LEN, '/', len - ATID_SCHEME_LEN);

	if (slash == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(slash + 1, end - slash - 1));
}


/*
 * Making
 */

/* A part from which at_uri_make() makes an AT URI. */
static void
check_part(const char *what, const char *s, size_t len,
		   AtidFault (*scanner) (const char *s, size_t len, size_t *at))
{
	size_t		at = 0;
	AtidFault	fault = scanner(s, len, &at);

	if (fault != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid %s for an AT URI: \"%s\"", what, atid_quote(s, len)),
				 errdetail("%s", atid_fault_at_character(fault, at))));
}

/* Write a slash and a part; return where the next one begins. */
static char *
append_part(char *end, const char *what, const char *s, size_t len,
			AtidFault (*scanner) (const char *s, size_t len, size_t *at))
{
	check_part(what, s, len, scanner);
	*end++ = '/';
	memcpy(end, s, len);
	return end + len;
}

/*
 * at_uri_make(authority text), (authority text, path text), and (authority text,
 * collection text, rkey text)
 */
PG_FUNCTION_INFO_V1(atid_at_uri_make);
Datum
atid_at_uri_make(PG_FUNCTION_ARGS)
{
	text	   *authority = PG_GETARG_TEXT_PP(0);
	char	   *s = palloc(ATID_AT_URI_LONGEST);
	char	   *end = s;

	check_part("authority", VARDATA_ANY(authority), VARSIZE_ANY_EXHDR(authority),
			   atid_identifier_scan);
	memcpy(end, ATID_SCHEME, ATID_SCHEME_LEN);
	end += ATID_SCHEME_LEN;
	memcpy(end, VARDATA_ANY(authority), VARSIZE_ANY_EXHDR(authority));
	end += VARSIZE_ANY_EXHDR(authority);

	if (PG_NARGS() > 1)
	{
		text	   *path = PG_GETARG_TEXT_PP(1);
		const char *collection = VARDATA_ANY(path);
		size_t		len = VARSIZE_ANY_EXHDR(path);
		const char *slash = PG_NARGS() == 2 ? memchr(collection, '/', len) : NULL;
		const char *path_end = collection + len;

		end = append_part(end, "collection", collection,
						  (slash ? slash : path_end) - collection, atid_nsid_scan);
		if (slash)
			end = append_part(end, "record key", slash + 1, path_end - slash - 1,
							  atid_record_key_scan);
	}
	if (PG_NARGS() > 2)
	{
		text	   *rkey = PG_GETARG_TEXT_PP(2);

		end = append_part(end, "record key", VARDATA_ANY(rkey), VARSIZE_ANY_EXHDR(rkey),
						  atid_record_key_scan);
	}
	return atid_at_uri_datum(s, end - s);
}

/*
 * What a label, a mute or a report is about
 *
 * A record is named by its AT URI, and an account by its DID ("Labels", uri).  Here an
 * account is the AT URI of its repository.  No other subject becomes that, so that
 * each comes back as it was, and a label's signature can still be verified.
 */

/*
 * at_uri_from_subject_or_null(subject): no more of the text is read than a subject can have.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_from_subject_or_null);
Datum
atid_at_uri_from_subject_or_null(PG_FUNCTION_ARGS)
{
	text	   *subject = PG_GETARG_TEXT_P_SLICE(0, 0, ATID_AT_URI_LONGEST + 1);
	const char *s = VARDATA_ANY(subject);
	size_t		len = VARSIZE_ANY_EXHDR(subject);
	char		account[ATID_SCHEME_LEN + ATID_DID_MAX];
	AtidAtUri	uri;
	size_t		at;

	if (atid_did_is_valid(s, len))
	{
		memcpy(account, ATID_SCHEME, ATID_SCHEME_LEN);
		memcpy(account + ATID_SCHEME_LEN, s, len);
		PG_RETURN_DATUM(atid_at_uri_datum(account, ATID_SCHEME_LEN + len));
	}
	if (atid_at_uri_scan(s, len, &uri, &at) != ATID_OK || uri.collection_len == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(atid_at_uri_datum(s, len));
}

/*
 * at_uri_to_subject(uri): the DID where the AT URI has nothing else.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_to_subject);
Datum
atid_at_uri_to_subject(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	AtidPackedUri uri = parts_of(value);
	size_t		skip = uri.collection_len == 0 && is_of_did(&uri) ? ATID_SCHEME_LEN : 0;
	size_t		len;
	char	   *s = text_of(value, 0, &len);

	PG_RETURN_TEXT_P(cstring_to_text_with_len(s + skip, len - skip));
}


/*
 * at_uri_normalize(at_uri): the spelling that the specification prefers.
 */
PG_FUNCTION_INFO_V1(atid_at_uri_normalize);
Datum
atid_at_uri_normalize(PG_FUNCTION_ARGS)
{
	size_t		len;
	char	   *s = text_of(PG_GETARG_BYTEA_PP(0), 0, &len);

	if (atid_at_uri_fold_case(s, len) != ATID_OK)
		atid_refuse_packed(ATID_PACKED_DAMAGED, "atid.at_uri");
	return atid_at_uri_datum(s, len);
}


/*
 * Order and equality
 */

static int
compare(Datum x, Datum y, SortSupport ssup)
{
	return atid_address_compare(x, y, atid_at_uri_compare);
}

static int
compare_args(FunctionCallInfo fcinfo)
{
	return compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), NULL);
}

ATID_FUNCTION(atid_at_uri_eq, byteaeq(fcinfo))
ATID_FUNCTION(atid_at_uri_ne, byteane(fcinfo))
ATID_FUNCTION(atid_at_uri_lt, BoolGetDatum(compare_args(fcinfo) < 0))
ATID_FUNCTION(atid_at_uri_le, BoolGetDatum(compare_args(fcinfo) <= 0))
ATID_FUNCTION(atid_at_uri_gt, BoolGetDatum(compare_args(fcinfo) > 0))
ATID_FUNCTION(atid_at_uri_ge, BoolGetDatum(compare_args(fcinfo) >= 0))
ATID_FUNCTION(atid_at_uri_cmp, Int32GetDatum(compare_args(fcinfo)))
ATID_FUNCTION(atid_at_uri_hash, hashvarlena(fcinfo))
ATID_FUNCTION(atid_at_uri_hash_extended, hashvarlenaextended(fcinfo))
ATID_FUNCTION(atid_at_uri_larger, PG_GETARG_DATUM(compare_args(fcinfo) > 0 ? 0 : 1))
ATID_FUNCTION(atid_at_uri_smaller, PG_GETARG_DATUM(compare_args(fcinfo) < 0 ? 0 : 1))

PG_FUNCTION_INFO_V1(atid_at_uri_sortsupport);
Datum
atid_at_uri_sortsupport(PG_FUNCTION_ARGS)
{
	atid_address_sort_support((SortSupport) PG_GETARG_POINTER(0), compare, atid_at_uri_sort_key);
	PG_RETURN_VOID();
}
