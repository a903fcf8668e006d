/*-------------------------------------------------------------------------
 *
 * tid_type.c
 *		The type atid.tid: AT Protocol timestamp identifiers.
 *
 * A TID is a 64-bit integer, kept as such and passed by value; codec/text/tid.c has its parts.
 * The top bit is 0 in every TID that is generated, but the protocol's syntax
 * (13 base32-sortable characters, the first up to 'j') admits it set.  So the
 * type holds any 64 bits and compares them as unsigned integers, which is the
 * order of the text.  With that bit set, a TID has no time (tid_timestamp() is
 * NULL) and no bigint (the cast raises an error).
 *
 * Text form: see codec/text/tid.c.  Binary form: 8 bytes, big-endian.  On disk its bytes
 * are in the machine's order, as those of bigint are: a value is then a Datum
 * without a conversion, and a data directory does not move between machines of
 * two orders anyway.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"
#include "utils/sortsupport.h"
#include "utils/timestamp.h"

#include "codec/text/datetime.h"
#include "codec/text/tid.h"
#include "compat.h"
#include "error.h"
#include "function.h"
#include "generator/generator.h"

#define TOP_BIT			(UINT64CONST(1) << 63)


#define DatumGetTid(X)		DatumGetUInt64(X)
#define PG_GETARG_TID(n)	DatumGetTid(PG_GETARG_DATUM(n))
#define PG_RETURN_TID(x)	return UInt64GetDatum(x)


/*
 * Input and output
 */

PG_FUNCTION_INFO_V1(atid_tid_in);
Datum
atid_tid_in(PG_FUNCTION_ARGS)
{
	char	   *str = PG_GETARG_CSTRING(0);
	size_t		len = strlen(str);
	uint64		tid;
	AtidFault	fault;
	size_t		at = 0;

	if (likely(len == ATID_TID_TEXT_LEN && atid_tid_from_text(str, &tid)))
		PG_RETURN_TID(tid);

	fault = atid_tid_scan(str, len, &at);
	ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"", "atid.tid",
					atid_quote(str, len)),
			 errdetail("%s", atid_fault_at_character(fault, at))));
}

ATID_FROM_CHAR(atid_tid_from_char, atid_tid_in)

PG_FUNCTION_INFO_V1(atid_tid_out);
Datum
atid_tid_out(PG_FUNCTION_ARGS)
{
	char	   *result = palloc(ATID_TID_TEXT_LEN + 1);

	atid_tid_to_text(PG_GETARG_TID(0), result);
	result[ATID_TID_TEXT_LEN] = '\0';
	PG_RETURN_CSTRING(result);
}

PG_FUNCTION_INFO_V1(atid_tid_recv);
Datum
atid_tid_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;
	uint64		tid;

	if (likely(len == sizeof(uint64)))
		PG_RETURN_TID((uint64) pq_getmsgint64(buf));

	/* a client that has no code for the type may send the text as it is */
	if (len == ATID_TID_TEXT_LEN && atid_tid_from_text(pq_getmsgbytes(buf, len), &tid))
		PG_RETURN_TID(tid);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid binary representation for type %s", "atid.tid"),
			 errdetail("The binary form of a TID must be %d bytes, or else its text, and not any %d bytes.",
					   (int) sizeof(uint64), len)));
}

PG_FUNCTION_INFO_V1(atid_tid_send);
Datum
atid_tid_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendint64(&buf, PG_GETARG_TID(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}


/*
 * Making TIDs
 */

PG_FUNCTION_INFO_V1(atid_tid_generate);
Datum
atid_tid_generate(PG_FUNCTION_ARGS)
{
	PG_RETURN_TID(atid_generator_next_tid());
}

/*
 * tid_generate(tid): a TID that is also after the given one, unless that is NULL.
 */
PG_FUNCTION_INFO_V1(atid_tid_generate_after);
Datum
atid_tid_generate_after(PG_FUNCTION_ARGS)
{
	uint64		after;
	uint64		tid;
	char		digits[ATID_TID_TEXT_LEN];

	if (PG_ARGISNULL(0))
		PG_RETURN_TID(atid_generator_next_tid());

	after = PG_GETARG_TID(0);
	if (!atid_generator_next_tid_after(after, &tid))
	{
		atid_tid_to_text(after, digits);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("TID \"%.*s\" is too far ahead of the clock", ATID_TID_TEXT_LEN, digits),
				 errdetail("A TID must not be more than atid.max_drift (%d ms) ahead of the clock, as one after it would be.",
						   atid_max_drift)));
	}
	PG_RETURN_TID(tid);
}

/*
 * Microseconds since the Unix epoch of a time that a TID can hold: 1970 to
 * 2^53 us later, in the year 2255.
 */
static uint64
tid_us(TimestampTz ts)
{
	int64		us;

	if (TIMESTAMP_NOT_FINITE(ts) ||
		pg_add_s64_overflow(ts, ATID_POSTGRES_EPOCH_US, &us) ||
		us < 0 || (uint64) us >= ATID_TID_US_END)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range for type %s", "atid.tid"),
				 errdetail("The time of a TID must be from 1970-01-01 00:00:00 to 2255-06-05 23:47:34.740991 UTC.")));
	return (uint64) us;
}

/*
 * The same for the bounds of a range: the infinities are the first and the
 * last microsecond.
 */
static uint64
tid_bound_us(TimestampTz ts)
{
	if (TIMESTAMP_IS_NOBEGIN(ts))
		return 0;
	if (TIMESTAMP_IS_NOEND(ts))
		return ATID_TID_US_END - 1;
	return tid_us(ts);
}

/*
 * tid_make(timestamptz, int): the TID of a given time and clock id.  It does
 * not touch the generator, so what it makes may have been generated already.
 */
PG_FUNCTION_INFO_V1(atid_tid_make);
Datum
atid_tid_make(PG_FUNCTION_ARGS)
{
	uint64		us = tid_us(PG_GETARG_TIMESTAMPTZ(0));
	int32		clock_id = PG_GETARG_INT32(1);

	if (clock_id < 0 || clock_id > ATID_TID_CLOCK_ID_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("clock id %d is out of range", clock_id),
				 errdetail("The clock id of a TID must be 0 to %d.", ATID_TID_CLOCK_ID_MAX)));
	PG_RETURN_TID(atid_tid_of_parts(us, (uint64) clock_id));
}

/*
 * tid_floor(timestamptz), tid_ceil(timestamptz): the lowest and the highest
 * TID of a microsecond.
 */
PG_FUNCTION_INFO_V1(atid_tid_floor);
Datum
atid_tid_floor(PG_FUNCTION_ARGS)
{
	PG_RETURN_TID(atid_tid_of_parts(tid_bound_us(PG_GETARG_TIMESTAMPTZ(0)), 0));
}

PG_FUNCTION_INFO_V1(atid_tid_ceil);
Datum
atid_tid_ceil(PG_FUNCTION_ARGS)
{
	PG_RETURN_TID(atid_tid_of_parts(tid_bound_us(PG_GETARG_TIMESTAMPTZ(0)),
									ATID_TID_CLOCK_ID_MAX));
}


/*
 * Accessors
 */

/*
 * tid_timestamp(tid): the microsecond a TID names; NULL where the top bit is
 * set, for which the protocol has no time.
 */
PG_FUNCTION_INFO_V1(atid_tid_timestamp);
Datum
atid_tid_timestamp(PG_FUNCTION_ARGS)
{
	uint64		tid = PG_GETARG_TID(0);

	if (tid & TOP_BIT)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ((TimestampTz) atid_tid_us(tid) - ATID_POSTGRES_EPOCH_US);
}

PG_FUNCTION_INFO_V1(atid_tid_clock_id);
Datum
atid_tid_clock_id(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(atid_tid_clock_id_of(PG_GETARG_TID(0)));
}

/*
 * tid_is_valid(text): would this text be taken as a TID?
 */
PG_FUNCTION_INFO_V1(atid_tid_is_valid);
Datum
atid_tid_is_valid(PG_FUNCTION_ARGS)
{
	text	   *str = PG_GETARG_TEXT_PP(0);
	uint64		ignored;

	PG_RETURN_BOOL(VARSIZE_ANY_EXHDR(str) == ATID_TID_TEXT_LEN &&
				   atid_tid_from_text(VARDATA_ANY(str), &ignored));
}


/*
 * Order and equality
 */

ATID_FUNCTION(atid_tid_eq, BoolGetDatum(PG_GETARG_TID(0) == PG_GETARG_TID(1)))
ATID_FUNCTION(atid_tid_ne, BoolGetDatum(PG_GETARG_TID(0) != PG_GETARG_TID(1)))
ATID_FUNCTION(atid_tid_lt, BoolGetDatum(PG_GETARG_TID(0) < PG_GETARG_TID(1)))
ATID_FUNCTION(atid_tid_le, BoolGetDatum(PG_GETARG_TID(0) <= PG_GETARG_TID(1)))
ATID_FUNCTION(atid_tid_gt, BoolGetDatum(PG_GETARG_TID(0) > PG_GETARG_TID(1)))
ATID_FUNCTION(atid_tid_ge, BoolGetDatum(PG_GETARG_TID(0) >= PG_GETARG_TID(1)))

PG_FUNCTION_INFO_V1(atid_tid_cmp);
Datum
atid_tid_cmp(PG_FUNCTION_ARGS)
{
	uint64		a = PG_GETARG_TID(0);
	uint64		b = PG_GETARG_TID(1);

	PG_RETURN_INT32((a > b) - (a < b));
}

/*
 * tid_sortsupport(internal): the server's own comparison of unsigned datums.
 * Tuplesort has a specialized sort for that comparator.
 */
PG_FUNCTION_INFO_V1(atid_tid_sortsupport);
Datum
atid_tid_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = ssup_datum_unsigned_cmp;
	PG_RETURN_VOID();
}

/*
 * tid_hash(tid), tid_hash_extended(tid, bigint): those of a bigint with the same
 * bits, which has the same datum.
 */
ATID_FUNCTION(atid_tid_hash, hashint8(fcinfo))
ATID_FUNCTION(atid_tid_hash_extended, hashint8extended(fcinfo))

ATID_FUNCTION(atid_tid_larger, UInt64GetDatum(Max(PG_GETARG_TID(0), PG_GETARG_TID(1))))
ATID_FUNCTION(atid_tid_smaller, UInt64GetDatum(Min(PG_GETARG_TID(0), PG_GETARG_TID(1))))


/*
 * Casts
 */

PG_FUNCTION_INFO_V1(atid_tid_to_bigint);
Datum
atid_tid_to_bigint(PG_FUNCTION_ARGS)
{
	uint64		tid = PG_GETARG_TID(0);

	if (tid & TOP_BIT)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("bigint out of range"),
				 errdetail("The top bit of the TID must not be set.")));
	PG_RETURN_INT64((int64) tid);
}

PG_FUNCTION_INFO_V1(atid_tid_from_bigint);
Datum
atid_tid_from_bigint(PG_FUNCTION_ARGS)
{
	int64		value = PG_GETARG_INT64(0);

	if (value < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value %lld is out of range for type %s",
						(long long) value, "atid.tid"),
				 errdetail("The integer must not be negative, as it would set the top bit of the TID.")));
	PG_RETURN_TID((uint64) value);
}
