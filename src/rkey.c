/*-------------------------------------------------------------------------
 *
 * rkey.c
 *		Record keys: the checks behind the domains rkey and record_key.
 *
 * The domains are over text with collation "C", the order of the repository tree.
 * The rules are in codec/text/address.c.  rkey has the character set of the protocol's
 * first description of record keys; record_key also has ':', which the protocol
 * allows today.
 *
 * The functions behind the domains' constraints answer false and never raise,
 * so that a broken rule is a soft error.  Each domain has a function of its own
 * for each rule, even if both have the same rule today: a domain in use cannot be
 * altered, so a rule of one domain changes in its function here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "codec/text/address.h"
#include "codec/text/tid.h"
#include "compat.h"
#include "error.h"
#include "function.h"
#include "generator/generator.h"


/*
 * The rules, one by one and together
 */

#define KEY_FOLLOWS(name, rule) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		text	   *key = PG_GETARG_TEXT_PP(0); \
		const char *s = VARDATA_ANY(key); \
		size_t		len = VARSIZE_ANY_EXHDR(key); \
		\
		(void) s; \
		PG_RETURN_BOOL(rule); \
	}

KEY_FOLLOWS(atid_rkey_check_length, atid_record_key_length_ok(len))
KEY_FOLLOWS(atid_rkey_check_characters, atid_record_key_characters_ok(s, len, false))
KEY_FOLLOWS(atid_rkey_check_dot_segment, atid_record_key_dots_ok(s, len))
KEY_FOLLOWS(atid_record_key_check_length, atid_record_key_length_ok(len))
KEY_FOLLOWS(atid_record_key_check_characters, atid_record_key_characters_ok(s, len, true))
KEY_FOLLOWS(atid_record_key_check_dot_segment, atid_record_key_dots_ok(s, len))
KEY_FOLLOWS(atid_rkey_is_valid, atid_record_key_ok(s, len, false))
KEY_FOLLOWS(atid_record_key_is_valid, atid_record_key_ok(s, len, true))


/*
 * Key types
 */

static bool
key_type_is(text *key_type, const char *name)
{
	return VARSIZE_ANY_EXHDR(key_type) == strlen(name) &&
		memcmp(VARDATA_ANY(key_type), name, strlen(name)) == 0;
}

/*
 * Is the key valid, and of the form that the "key" of a Lexicon record asks for?
 * That is one of "tid", "nsid", "any" and "literal:<value>"; anything else raises
 * an error.
 */
static bool
key_conforms(FunctionCallInfo fcinfo, bool colon)
{
	static const char literal[] = "literal:";
	const size_t prefix = sizeof(literal) - 1;
	text	   *key = PG_GETARG_TEXT_PP(0);
	text	   *key_type = PG_GETARG_TEXT_PP(1);
	const char *s = VARDATA_ANY(key);
	size_t		len = VARSIZE_ANY_EXHDR(key);
	const char *type = VARDATA_ANY(key_type);
	size_t		type_len = VARSIZE_ANY_EXHDR(key_type);
	uint64_t	ignored;

	if (key_type_is(key_type, "tid"))
		return len == ATID_TID_TEXT_LEN && atid_tid_from_text(s, &ignored);
	if (key_type_is(key_type, "nsid"))
		return atid_nsid_is_valid(s, len);
	if (key_type_is(key_type, "any"))
		return atid_record_key_ok(s, len, colon);

	/* the literal is a record key too, in the wider of the two forms */
	if (type_len > prefix && memcmp(type, literal, prefix) == 0 &&
		atid_record_key_ok(type + prefix, type_len - prefix, true))
		return len == type_len - prefix &&
			memcmp(s, type + prefix, len) == 0 &&
			atid_record_key_ok(s, len, colon);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized record key type: \"%s\"",
					atid_quote(type, type_len)),
			 errdetail("A record key type must be \"tid\", \"nsid\", \"any\" or \"literal:\" and a record key.")));
}

ATID_FUNCTION(atid_rkey_conforms, BoolGetDatum(key_conforms(fcinfo, false)))
ATID_FUNCTION(atid_record_key_conforms, BoolGetDatum(key_conforms(fcinfo, true)))


/*
 * Making record keys
 */

/*
 * rkey_generate(): a fresh TID as text.
 */
PG_FUNCTION_INFO_V1(atid_rkey_generate);
Datum
atid_rkey_generate(PG_FUNCTION_ARGS)
{
	text	   *result = palloc(VARHDRSZ + ATID_TID_TEXT_LEN);

	SET_VARSIZE(result, VARHDRSZ + ATID_TID_TEXT_LEN);
	atid_tid_to_text(atid_generator_next_tid(), VARDATA(result));
	PG_RETURN_TEXT_P(result);
}
