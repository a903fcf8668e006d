/*-------------------------------------------------------------------------
 *
 * datetime_functions.c
 *		Times as Lexicon's strings: the check behind the domain datetime, and the
 *		way to timestamptz and back.
 *
 * A datetime is a string, since its record is hashed and signed as it was written,
 * and two strings may name the same time.  The domain is over text with collation
 * "C".  To compare times, convert them: datetime_to_timestamptz() and sort_at().
 * codec/text/datetime.c has the syntax, what it makes of more than six digits, and the
 * sloppier forms.
 *
 * Nothing here depends on TimeZone, DateStyle or any other setting: a datetime
 * has an offset, and a timestamptz is a number of microseconds.  So all of it is
 * immutable, for generated columns and indexes.
 *
 * datetime_is_valid(), which is behind the domain's constraint, answers false and
 * never raises, so that a broken rule is a soft error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "fmgr.h"
#include "utils/timestamp.h"

#include "codec/text/datetime.h"
#include "compat.h"
#include "error.h"

/* Fractions of a second: all that timestamptz has, and what JavaScript has. */
#define MICROSECOND_DIGITS 6
#define MILLISECOND_DIGITS 3

StaticAssertDecl(ATID_POSTGRES_EPOCH_US ==
				 (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY,
				 "the epoch of the server is 2000");
StaticAssertDecl(ATID_DATETIME_MIN_US - ATID_POSTGRES_EPOCH_US >= MIN_TIMESTAMP &&
				 ATID_DATETIME_MAX_US - ATID_POSTGRES_EPOCH_US < END_TIMESTAMP,
				 "each datetime is a timestamptz");


/*
 * Reading, and saying what is wrong
 */

/* The fault of a datetime, or the microsecond that it names. */
static AtidFault
parse_datetime(text *value, int64_t *us)
{
	size_t		ignored;

	return atid_datetime_parse(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), us, &ignored);
}

static TimestampTz
to_timestamptz(int64_t us)
{
	return (TimestampTz) us - ATID_POSTGRES_EPOCH_US;
}

/*
 * Raise the fault of a value, which is at this place.
 */
pg_noreturn static void
raise_fault(text *value, AtidFault fault, size_t at)
{
	const char *s = VARDATA_ANY(value);
	size_t		len = VARSIZE_ANY_EXHDR(value);

	ereport(ERROR,
			(atid_datetime_fault_is_syntax(fault) ?
			 (errcode(ERRCODE_INVALID_DATETIME_FORMAT),
			  errmsg("invalid input syntax for type %s: \"%s\"",
					 "atid.datetime", atid_quote(s, len))) :
			 (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
			  errmsg("date/time field value out of range: \"%s\"", atid_quote(s, len))),
			 errdetail("%s", atid_fault_at_character(fault, at))));
}

/*
 * datetime_is_valid(text): would this text be taken as a datetime?
 */
PG_FUNCTION_INFO_V1(atid_datetime_is_valid);
Datum
atid_datetime_is_valid(PG_FUNCTION_ARGS)
{
	int64_t		ignored;

	PG_RETURN_BOOL(parse_datetime(PG_GETARG_TEXT_PP(0), &ignored) == ATID_OK);
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
	AtidFault	fault;

	fault = atid_datetime_parse(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &us, &at);
	if (fault != ATID_OK)
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

	if (parse_datetime(PG_GETARG_TEXT_PP(0), &us) != ATID_OK)
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
				 errdetail("A datetime must be finite and, in UTC, of one of the years 0000 to 9999.")));
	PG_RETURN_TEXT_P(datetime_text(ts + ATID_POSTGRES_EPOCH_US, MICROSECOND_DIGITS));
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
	AtidFault	fault;

	fault = atid_datetime_parse_sloppy(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &us, &at);
	if (fault != ATID_OK)
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
								   &us, &ignored) != ATID_OK)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(datetime_text(us, MILLISECOND_DIGITS));
}


/*
 * Sorting
 */

/*
 * sort_at(created text, indexed timestamptz): the time by which a feed sorts a
 * record.  It is created, unless that is no datetime, before 1970 or later than
 * indexed; then it is indexed.  As in least(), a NULL is ignored: the result is
 * NULL only if there is no time.
 */
PG_FUNCTION_INFO_V1(atid_sort_at);
Datum
atid_sort_at(PG_FUNCTION_ARGS)
{
	int64_t		us;

	if (!PG_ARGISNULL(0) &&
		parse_datetime(PG_GETARG_TEXT_PP(0), &us) == ATID_OK && us >= 0)
	{
		TimestampTz created = to_timestamptz(us);

		if (PG_ARGISNULL(1) || created < PG_GETARG_TIMESTAMPTZ(1))
			PG_RETURN_TIMESTAMPTZ(created);
	}

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(PG_GETARG_TIMESTAMPTZ(1));
}
