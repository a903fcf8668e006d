/*-------------------------------------------------------------------------
 *
 * atid_bench.c
 *		What bench/generate measures with: functions to compare with, and loops
 *		that call a function as the executor does.
 *
 * A query that calls a function for each row of generate_series() spends more
 * time on the row than on the function.  These loops add three nanoseconds.
 * They too call by fmgr, look out for interrupts and reset the memory of the
 * row after each call, so what a function allocates costs here what it costs in
 * a query.
 *
 * A module of its own: it is no part of atid, and only bench/generate builds it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(bench_noop);
PG_FUNCTION_INFO_V1(bench_counter);
PG_FUNCTION_INFO_V1(bench_cost);
PG_FUNCTION_INFO_V1(bench_window);
PG_FUNCTION_INFO_V1(bench_cpu_time);
PG_FUNCTION_INFO_V1(bench_pin);

/* Calls between two looks at the clock, in bench_window() */
#define CHUNK	100

/*
 * The shape of a generator: volatile, strict, 8 bytes by value.
 */
Datum
bench_noop(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(0);
}

/*
 * The least that a generator of this kind can do: read the clock, and add one to
 * a word that all sessions share.  What two sessions lose here to one another,
 * they lose to the hardware.  The word is in a file of the data directory, which
 * is a backend's current one.
 */
Datum
bench_counter(PG_FUNCTION_ARGS)
{
	static pg_atomic_uint64 *counter = NULL;
	struct timespec ts;

	if (unlikely(counter == NULL))
	{
		int			fd = open("atid_bench.counter", O_RDWR | O_CREAT, 0600);
		void	   *page = MAP_FAILED;

		if (fd >= 0 && ftruncate(fd, BLCKSZ) == 0)
			page = mmap(NULL, BLCKSZ, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (page == MAP_FAILED)
			elog(ERROR, "could not share a counter: %m");
		close(fd);
		counter = page;
	}
	clock_gettime(CLOCK_REALTIME, &ts);
	PG_RETURN_INT64((int64) pg_atomic_fetch_add_u64(counter, 1) + ts.tv_sec);
}

static void
call(FunctionCallInfo fcinfo, MemoryContext row, int64 calls)
{
	MemoryContext old = MemoryContextSwitchTo(row);

	for (int64 i = 0; i < calls; i++)
	{
		CHECK_FOR_INTERRUPTS();
		fcinfo->isnull = false;
		(void) FunctionCallInvoke(fcinfo);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
}

/*
 * Look up the function in the first argument, and hand it the second one, an
 * oid, if it takes any.
 */
#define PREPARE(target, flinfo, row) \
	do { \
		fmgr_info(PG_GETARG_OID(0), &(flinfo)); \
		InitFunctionCallInfoData(*(target), &(flinfo), (flinfo).fn_nargs, \
								 InvalidOid, NULL, NULL); \
		(target)->args[0].value = PG_GETARG_DATUM(1); \
		(target)->args[0].isnull = false; \
		(row) = AllocSetContextCreate(CurrentMemoryContext, "bench row", \
									  ALLOCSET_DEFAULT_SIZES); \
	} while (0)

/*
 * cost(f, arg, calls): nanoseconds of a call.
 */
Datum
bench_cost(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(target, 1);
	FmgrInfo	flinfo;
	MemoryContext row;
	int64		calls = PG_GETARG_INT64(2);
	instr_time	begin;
	instr_time	end;

	PREPARE(target, flinfo, row);
	INSTR_TIME_SET_CURRENT(begin);
	call(target, row, calls);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, begin);
	MemoryContextDelete(row);
	PG_RETURN_FLOAT8(INSTR_TIME_GET_DOUBLE(end) * 1e9 / calls);
}

/*
 * window(f, arg, begins, ends): calls per second from one time to the other.
 */
Datum
bench_window(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(target, 1);
	FmgrInfo	flinfo;
	MemoryContext row;
	TimestampTz begins = PG_GETARG_TIMESTAMPTZ(2);
	TimestampTz ends = PG_GETARG_TIMESTAMPTZ(3);
	TimestampTz began;
	TimestampTz now;
	int64		calls = 0;

	PREPARE(target, flinfo, row);
	while ((began = GetCurrentTimestamp()) < begins)
		CHECK_FOR_INTERRUPTS();
	do
	{
		call(target, row, CHUNK);
		calls += CHUNK;
		now = GetCurrentTimestamp();
	} while (now < ends);
	MemoryContextDelete(row);
	PG_RETURN_FLOAT8(calls * 1e6 / Max(now - began, 1));
}

/*
 * cpu_time(): seconds that this backend has computed.
 */
Datum
bench_cpu_time(PG_FUNCTION_ARGS)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	PG_RETURN_FLOAT8(ts.tv_sec + ts.tv_nsec / 1e9);
}

/*
 * pin(cpu): keep this backend on one processor.
 */
Datum
bench_pin(PG_FUNCTION_ARGS)
{
	cpu_set_t	set;

	CPU_ZERO(&set);
	CPU_SET(PG_GETARG_INT32(0), &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		elog(ERROR, "could not stay on processor %d: %m", PG_GETARG_INT32(0));
	PG_RETURN_VOID();
}
