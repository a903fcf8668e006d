/*-------------------------------------------------------------------------
 *
 * functions.c
 *		SQL functions that show and reset the generator.
 *
 * What they do to the streams and the horizon is in generator.c, as it is a part
 * of the protocol there.
 *
 * They check the rights of the caller, in addition to the privilege to execute them:
 * GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA gives that to roles that should only draw.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/timestamp.h"

#include "codec/text/datetime.h"
#include "codec/text/tid.h"
#include "generator/clock.h"
#include "generator/generator.h"

static TimestampTz
timestamptz_of_us(uint64 us)
{
	return (TimestampTz) us - ATID_POSTGRES_EPOCH_US;
}

/*
 * generator_state(): the state of this database's streams, one row.  A stream
 * that has not been drawn from since the start has no last value, unless it was
 * raised to a horizon; then it is what comes before that.  The clock id of
 * last_tid is the one that this session draws with.
 */
PG_FUNCTION_INFO_V1(atid_generator_state);
Datum
atid_generator_state(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum		values[7] = {0};
	bool		nulls[7] = {0};
	AtidGeneratorState state;
	Interval   *ahead;
	HeapTuple	tuple;

	if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to read the state of the generator"),
				 errdetail("The role must have the privileges of role \"%s\".", "pg_read_all_stats"),
				 errhint("Grant \"%s\" to the role.", "pg_monitor")));

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	atid_generator_inspect(&state);

	ahead = palloc0(sizeof(Interval));
	ahead->time = (TimeOffset) state.ahead_us;

	values[0] = Int32GetDatum(state.clock_id);
	nulls[1] = (state.tid == 0);
	values[1] = UInt64GetDatum(atid_tid_of_parts(state.tid, (uint64) state.clock_id));
	nulls[2] = (state.v7 == 0);
	values[2] = TimestampTzGetDatum(timestamptz_of_us(atid_tick_to_us(ATID_TICK_V7, state.v7)));
	values[3] = IntervalPGetDatum(ahead);
	values[4] = BoolGetDatum(!RecoveryInProgress());
	values[5] = TimestampTzGetDatum(timestamptz_of_us(state.horizon_us));
	values[6] = TimestampTzGetDatum(state.since);

	tuple = heap_form_tuple(BlessTupleDesc(desc), values, nulls);
	PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}

/*
 * generator_reset(): begin a new life at the wall clock, after an accident that
 * left the streams far ahead of it.
 *
 * Its price is the promise: what comes next is below what came before, and may
 * repeat it when the clock gets there.  The new life has a new random clock id,
 * which makes a repeated TID unlikely where atid.clock_id is not set.  Where it is
 * set it should be changed first, so the right to do that is the right to reset.
 */
PG_FUNCTION_INFO_V1(atid_generator_reset);
Datum
atid_generator_reset(PG_FUNCTION_ARGS)
{
	if (pg_parameter_aclcheck("atid.clock_id", GetUserId(), ACL_SET) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to reset the generator"),
				 errdetail("The role must be a superuser, or have the privilege to set parameter \"%s\".", "atid.clock_id"),
				 errhint("A superuser can give it by GRANT SET ON PARAMETER.")));

	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("recovery is in progress"),
				 errhint("Reset the generator on the primary.")));

	atid_generator_restart();
	PG_RETURN_VOID();
}

/*
 * generator_cover(): raise the horizon above the running streams.  CREATE
 * EXTENSION calls it, and drops it.
 */
PG_FUNCTION_INFO_V1(atid_generator_cover);
Datum
atid_generator_cover(PG_FUNCTION_ARGS)
{
	atid_generator_cover_streams();
	PG_RETURN_VOID();
}
