/*-------------------------------------------------------------------------
 *
 * datetime.c
 *		Times as Lexicon's strings: the checks behind the domain datetime, and
 *		the way to timestamptz and back.
 *
 * A datetime is a string, since its signed record is hashed as it was written,
 * and two strings may name one time.  The domain is one over text with collation
 * "C".  What compares times converts: datetime_to_timestamptz() and sort_at().
 * The syntax, and what becomes of leap seconds, of more than six digits and of
 * the ends of the era, are in codec/datetime.c.
 *
 * Nothing here looks at TimeZone, DateStyle or any other setting: a datetime has
 * an offset, and a timestamptz is a number of microseconds.  So all of it is
 * immutable, for generated columns and indexes.
 *
 * The functions behind the domain's constraints answer false and never raise,
 * so that a broken rule is a soft error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "codec/datetime.h"
#include "compat.h"

/* What timestamptz counts from, in microseconds of the Unix epoch. */
#define TIMESTAMPTZ_EPOCH_US \
	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

/* An error quotes no more bytes of a value than this. */
#define QUOTE_MAX		400

/* Fractions of a second: all that timestamptz has, and what JavaScript has. */
#define MICROSECOND_DIGITS 6
#define MILLISECOND_DIGITS 3

StaticAssertDecl(ATID_DATETIME_MIN_US - TIMESTAMPTZ_EPOCH_US >= MIN_TIMESTAMP &&
				 ATID_DATETIME_MAX_US - TIMESTAMPTZ_EPOCH_US < END_TIMESTAMP,
				 "each datetime is a timestamptz");


/*
 * Reading, and saying what is wrong
 */

/* The fault of a datetime, or the microsecond that it names. */
static AtidDatetimeFault
parse_datetime(text *value, int64_t *us)
{
	size_t		ignored;

	return atid_datetime_parse(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), us, &ignored);
}

/* Whether a datetime keeps to one rule, whatever it makes of the others. */
static bool
keeps_rule(text *value, AtidDatetimeRule rule)
{
	int64_t		ignored;

	return atid_datetime_rule(parse_datetime(value, &ignored)) != rule;
}

static TimestampTz
to_timestamptz(int64_t us)
{
	return (TimestampTz) us - TIMESTAMPTZ_EPOCH_US;
}

/*
 * Raise the fault of a value.  "at" is its place, which the rule about the era
 * does not have.
 */
pg_noreturn static void
raise_fault(text *value, AtidDatetimeFault fault, size_t at)
{
	AtidDatetimeRule rule = atid_datetime_rule(fault);
	const char *s = VARDATA_ANY(value);
	int			len = VARSIZE_ANY_EXHDR(value);
	int			quoted = pg_mbcliplen(s, len, QUOTE_MAX);
	const char *ellipsis = quoted < len ? "..." : "";

	ereport(ERROR,
			(rule == ATID_DATETIME_SYNTAX ?
			 (errcode(ERRCODE_INVALID_DATETIME_FORMAT),
			  errmsg("invalid input syntax for type %s: \"%.*s%s\"",
					 "atid.datetime", quoted, s, ellipsis)) :
			 (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
			  errmsg("date/time field value out of range: \"%.*s%s\"",
					 quoted, s, ellipsis)),
			 rule == ATID_DATETIME_ERA ?
			 errdetail("%s.", atid_datetime_words(fault)) :
			 errdetail("%s, at character %d.", atid_datetime_words(fault), (int) at + 1)));
}


/*
 * The rules, one by one, behind the domain's constraints
 */

PG_FUNCTION_INFO_V1(atid_datetime_check_syntax);
Datum
atid_datetime_check_syntax(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(keeps_rule(PG_GETARG_TEXT_PP(0), ATID_DATETIME_SYNTAX));
}

PG_FUNCTION_INFO_V1(atid_datetime_check_calendar);
Datum
atid_datetime_check_calendar(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(keeps_rule(PG_GETARG_TEXT_PP(0), ATID_DATETIME_CALENDAR));
}

PG_FUNCTION_INFO_V1(atid_datetime_check_era);
Datum
atid_datetime_check_era(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(keeps_rule(PG_GETARG_TEXT_PP(0), ATID_DATETIME_ERA));
}

/*
 * datetime_is_valid(text): all rules at once.
 */
PG_FUNCTION_INFO_V1(atid_datetime_is_valid);
Datum
atid_datetime_is_valid(PG_FUNCTION_ARGS)
{
	int64_t		ignored;

	PG_RETURN_BOOL(parse_datetime(PG_GETARG_TEXT_PP(0), &ignored) == ATID_DATETIME_OK);
}


/*
 * To timestamptz and back
 */

/*
 * datetime_to_timestamptz(text): the microsecond that a datetime names; an
 * error, if the text is none.
 */
PG_FUNCTION_INFO_V1(atid_datetime_to_timestamptz);
Datum
atid_datetime_to_timestamptz(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	int64_t		us;
	size_t		at;
	AtidDatetimeFault fault;

	fault = atid_datetime_parse(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &us, &at);
	if (fault != ATID_DATETIME_OK)
		raise_fault(value, fault, at);
	PG_RETURN_TIMESTAMPTZ(to_timestamptz(us));
}

/*
 * datetime_or_null(text): the same, but NULL if the text is none.
 */
PG_FUNCTION_INFO_V1(atid_datetime_or_null);
Datum
atid_datetime_or_null(PG_FUNCTION_ARGS)
{
	int64_t		us;

	if (parse_datetime(PG_GETARG_TEXT_PP(0), &us) != ATID_DATETIME_OK)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(to_timestamptz(us));
}

/* A microsecond of the era as text. */
static text *
datetime_text(int64_t us, int digits)
{
	text	   *result = palloc(VARHDRSZ + ATID_DATETIME_TEXT_MAX);

	SET_VARSIZE(result, VARHDRSZ + atid_datetime_format(us, digits, VARDATA(result)));
	return result;
}

/*
 * datetime_from_timestamptz(timestamptz): the datetime with microseconds and Z,
 * which loses nothing.  All that it makes are of one length, so that the texts
 * compare as the times do.
 */
PG_FUNCTION_INFO_V1(atid_datetime_from_timestamptz);
Datum
atid_datetime_from_timestamptz(PG_FUNCTION_ARGS)
{
	TimestampTz ts = PG_GETARG_TIMESTAMPTZ(0);

	/* the infinities are outside of these, too */
	if (ts < to_timestamptz(ATID_DATETIME_MIN_US) || ts > to_timestamptz(ATID_DATETIME_MAX_US))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range for type %s", "atid.datetime"),
				 errdetail("A datetime is finite and, in UTC, of one of the years 0000 to 9999.")));
	PG_RETURN_TEXT_P(datetime_text(ts + TIMESTAMPTZ_EPOCH_US, MICROSECOND_DIGITS));
}


/*
 * Sloppy strings
 */

/*
 * datetime_normalize(text): the datetime with milliseconds and Z of one that
 * may be written in a sloppier form; an error, if it is in none of them.
 */
PG_FUNCTION_INFO_V1(atid_datetime_normalize);
Datum
atid_datetime_normalize(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	int64_t		us;
	size_t		at;
	AtidDatetimeFault fault;

	fault = atid_datetime_parse_sloppy(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &us, &at);
	if (fault != ATID_DATETIME_OK)
		raise_fault(value, fault, at);
	PG_RETURN_TEXT_P(datetime_text(us, MILLISECOND_DIGITS));
}

/*
 * datetime_normalize_or_null(text): the same, but NULL if it is in none.
 */
PG_FUNCTION_INFO_V1(atid_datetime_normalize_or_null);
Datum
atid_datetime_normalize_or_null(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	int64_t		us;
	size_t		ignored;

	if (atid_datetime_parse_sloppy(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value),
								   &us, &ignored) != ATID_DATETIME_OK)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(datetime_text(us, MILLISECOND_DIGITS));
}


/*
 * Sorting
 */

/*
 * sort_at(created text, indexed timestamptz): where a record stands in a feed.
 * It is the time that the record itself tells, unless that is no datetime,
 * before 1970, or later than the record was indexed; then it is that one.  As
 * for least(), a NULL is no bound: NULL is the answer only if there is no time.
 */
PG_FUNCTION_INFO_V1(atid_sort_at);
Datum
atid_sort_at(PG_FUNCTION_ARGS)
{
	int64_t		us;

	if (!PG_ARGISNULL(0) &&
		parse_datetime(PG_GETARG_TEXT_PP(0), &us) == ATID_DATETIME_OK && us >= 0)
	{
		TimestampTz created = to_timestamptz(us);

		if (PG_ARGISNULL(1) || created < PG_GETARG_TIMESTAMPTZ(1))
			PG_RETURN_TIMESTAMPTZ(created);
	}

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(PG_GETARG_TIMESTAMPTZ(1));
}
