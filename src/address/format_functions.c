/*-------------------------------------------------------------------------
 *
 * format_functions.c
 *		Lexicon's string formats that are checked text: the functions behind the
 *		domains handle, nsid, at_identifier, language and uri.
 *
 * The domains are over text with collation "C".  Each has one constraint, whose
 * function answers false and never raises, so that a broken rule is a soft error.
 * A domain in use cannot be altered, so all rules, that of the length too, are in
 * the function.  format_problem() names the broken rule.  The rules are in
 * codec/text/address.c and codec/text/format.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "codec/text/address.h"
#include "codec/text/format.h"
#include "compat.h"
#include "error.h"


/*
 * Is a text of a format, and why not?
 */

#define IS_VALID(name, scan) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		text	   *arg = PG_GETARG_TEXT_PP(0); \
		size_t		at; \
		\
		PG_RETURN_BOOL(scan(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg), &at) == ATID_OK); \
	}

IS_VALID(atid_handle_is_valid, atid_handle_scan)
IS_VALID(atid_nsid_is_valid_text, atid_nsid_scan)
IS_VALID(atid_at_identifier_is_valid, atid_identifier_scan)
IS_VALID(atid_language_is_valid, atid_language_scan)
IS_VALID(atid_uri_is_valid, atid_uri_scan)

/*
 * format_problem(value text, format text): the first rule of one of Lexicon's
 * string formats that a value breaks, and where; NULL if it breaks none.
 */
PG_FUNCTION_INFO_V1(atid_format_problem);
Datum
atid_format_problem(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	text	   *name = PG_GETARG_TEXT_PP(1);
	AtidFormat	format;
	AtidFault	fault;
	size_t		at = 0;

	if (!atid_format_by_name(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &format))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized string format: \"%s\"",
						atid_quote(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name))),
				 errdetail("A string format must be one of %s.", ATID_FORMAT_LIST)));

	fault = atid_format_scan(format, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &at);
	if (fault == ATID_OK)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(atid_fault_at_character(fault, at)));
}

/*
 * The same, not STRICT: without a format there is a problem.  It has a name of its own, so
 * that an older library, which a session may have loaded before an update, is not called
 * with a NULL.
 */
PG_FUNCTION_INFO_V1(atid_format_problem_null);
Datum
atid_format_problem_null(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_TEXT_P(cstring_to_text(atid_fault_words(ATID_FORMAT_NULL)));
	return atid_format_problem(fcinfo);
}


/*
 * Parts and normal forms
 */

/* The argument, which must be an NSID: raise a type's input error if it is none. */
static text *
nsid_arg(FunctionCallInfo fcinfo)
{
	text	   *arg = PG_GETARG_TEXT_PP(0);
	const char *s = VARDATA_ANY(arg);
	size_t		len = VARSIZE_ANY_EXHDR(arg);
	size_t		at = 0;
	AtidFault	fault = atid_nsid_scan(s, len, &at);

	if (fault != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"", "atid.nsid",
						atid_quote(s, len)),
				 errdetail("%s", atid_fault_at_character(fault, at))));
	return arg;
}

/*
 * nsid_normalize(text): the NSID with its authority in lower case.
 */
PG_FUNCTION_INFO_V1(atid_nsid_normalize);
Datum
atid_nsid_normalize(PG_FUNCTION_ARGS)
{
	text	   *arg = nsid_arg(fcinfo);
	text	   *result = cstring_to_text_with_len(VARDATA_ANY(arg), VARSIZE_ANY_EXHDR(arg));

	atid_nsid_fold_case(VARDATA(result), VARSIZE_ANY_EXHDR(arg));
	PG_RETURN_TEXT_P(result);
}

/*
 * nsid_authority(text): the domain name whose owner defines the NSID: all segments
 * but the last, in reverse order.
 */
PG_FUNCTION_INFO_V1(atid_nsid_authority);
Datum
atid_nsid_authority(PG_FUNCTION_ARGS)
{
	text	   *arg = nsid_arg(fcinfo);
	const char *s = VARDATA_ANY(arg);
	size_t		len = atid_nsid_authority_len(s, VARSIZE_ANY_EXHDR(arg));
	text	   *result = palloc(VARHDRSZ + len);
	char	   *dst = VARDATA(result) + len;
	size_t		start = 0;

	SET_VARSIZE(result, VARHDRSZ + len);
	for (size_t i = 0; i <= len; i++)
	{
		if (i < len && s[i] != '.')
			continue;
		dst -= i - start;
		memcpy(dst, s + start, i - start);
		if (i < len)
			*--dst = '.';
		start = i + 1;
	}
	PG_RETURN_TEXT_P(result);
}
