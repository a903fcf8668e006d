/*-------------------------------------------------------------------------
 *
 * uuid.c
 *		UUIDs of RFC 9562, as the server's own type uuid.
 *
 * Version 7 (section 5.7), big-endian:
 *
 *		48 bits: unix_ts_ms	| 0111 | 12 bits: rand_a
 *		10 | 62 bits: rand_b
 *
 * rand_a holds the fraction of the millisecond (section 6.2, method 3), which
 * is what makes the values of one millisecond rise; rand_b is fresh random
 * bits in every value.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"
#include "port/pg_bswap.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "clock.h"
#include "generator.h"
#include "random.h"

PG_FUNCTION_INFO_V1(atid_uuid_generate_v7);
PG_FUNCTION_INFO_V1(atid_uuid_generate_v7_interval);

/*
 * Lay out a version 7 UUID: tick is milliseconds << 12 | fraction.
 */
static pg_uuid_t *
make_v7(uint64 tick, uint64 rand_b)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	uint64		half[2];

	half[0] = pg_hton64(((tick >> 12) << 16) | UINT64CONST(0x7000) | (tick & 0xFFF));
	half[1] = pg_hton64(UINT64CONST(0x8000000000000000) | (rand_b >> 2));
	memcpy(uuid->data, half, UUID_LEN);
	return uuid;
}

Datum
atid_uuid_generate_v7(PG_FUNCTION_ARGS)
{
	uint64		tick = atid_generator_next_v7();

	PG_RETURN_UUID_P(make_v7(tick, atid_random_bits()));
}

/*
 * uuid_generate_v7(interval): the interval is added to the value, never to the
 * stream, as timestamptz + interval adds it: months and days go by the calendar
 * of the session's time zone.
 */
Datum
atid_uuid_generate_v7_interval(PG_FUNCTION_ARGS)
{
	uint64		tick = atid_generator_next_v7();
	TimestampTz drawn;
	TimestampTz shifted;
	int64		us;
	uint64		result;

	drawn = (TimestampTz) atid_tick_to_us(ATID_TICK_V7, tick) - ATID_POSTGRES_EPOCH_US;
	shifted = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval,
													  TimestampTzGetDatum(drawn),
													  PG_GETARG_DATUM(0)));

	if (TIMESTAMP_NOT_FINITE(shifted) ||
		pg_sub_s64_overflow(shifted, drawn, &us) ||
		!atid_tick_shift(ATID_TICK_V7, tick, us, &result))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("shifted time is out of range for a version 7 UUID"),
				 errdetail("A version 7 UUID holds times from 1970-01-01 to 10889-08-02 UTC.")));
	PG_RETURN_UUID_P(make_v7(result, atid_random_bits()));
}
