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
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
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
PG_FUNCTION_INFO_V1(bench_paced);
PG_FUNCTION_INFO_V1(bench_cpu_time);
PG_FUNCTION_INFO_V1(bench_pin);

/* Calls between two looks at the clock, in bench_window() */
#define CHUNK	100

/* A call that takes longer, in ns, has waited for something, in bench_paced() */
#define LONG_CALL	20000

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

static int64
monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64) ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * Has the system taken the processor from this thread since the last time this
 * was asked, and has the thread not waited for anything of its own accord?
 */
static bool
was_preempted(void)
{
	static struct rusage last;
	struct rusage usage;
	bool		result;

	getrusage(RUSAGE_THREAD, &usage);
	result = usage.ru_nivcsw != last.ru_nivcsw && usage.ru_nvcsw == last.ru_nvcsw;
	last = usage;
	return result;
}

/*
 * paced(f, arg, pace, skip, length): call at most once every `pace` ns, for
 * `skip` ms that do not count and `length` ms that do.  It waits for its time
 * busily, and does not catch up on calls that it missed.
 *
 * Returns how many calls counted, and the nanoseconds of one: the time between
 * two calls is not in them, that of one look at the clock is.  Calls in which
 * the system gave the processor to somebody else do not count; those that waited
 * for the disk do.  Then the nanoseconds of one with the former too, those of one
 * without any that took longer than LONG_CALL, and those of the longest.
 */
Datum
bench_paced(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(target, 1);
	FmgrInfo	flinfo;
	MemoryContext row;
	MemoryContext old;
	int64		pace = PG_GETARG_INT64(2);
	int64		begins;
	int64		ends;
	int64		calls = 0;
	int64		total = 0;
	int64		long_calls = 0;
	int64		long_total = 0;
	int64		preempted = 0;
	int64		preempted_total = 0;
	int64		longest = 0;
	TupleDesc	desc;
	Datum		values[5];
	bool		nulls[5] = {0};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	PREPARE(target, flinfo, row);
	(void) was_preempted();
	begins = monotonic_ns() + (int64) PG_GETARG_INT32(3) * 1000000;
	ends = begins + (int64) PG_GETARG_INT32(4) * 1000000;
	old = MemoryContextSwitchTo(row);
	for (;;)
	{
		int64		before;
		int64		after;
		int64		now;
		bool		skip;

		CHECK_FOR_INTERRUPTS();
		target->isnull = false;
		before = monotonic_ns();
		if (before >= ends)
			break;
		(void) FunctionCallInvoke(target);
		after = monotonic_ns();
		MemoryContextReset(row);

		skip = before < begins;
		if (after - before > LONG_CALL)
		{
			if (was_preempted())
			{
				if (!skip)
				{
					preempted++;
					preempted_total += after - before;
				}
				skip = true;
			}
			else if (!skip)
			{
				long_calls++;
				long_total += after - before;
			}
		}
		if (!skip)
		{
			calls++;
			total += after - before;
			longest = Max(longest, after - before);
		}

		/* what happens here is not to be held against the next call */
		for (; after < before + pace; after = now)
		{
			now = monotonic_ns();
			if (now - after > LONG_CALL)
				(void) was_preempted();
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);

	values[0] = Int64GetDatum(calls);
	values[1] = Float8GetDatum((double) total / Max(calls, 1));
	values[2] = Float8GetDatum((double) (total + preempted_total) / Max(calls + preempted, 1));
	values[3] = Float8GetDatum((double) (total - long_total) / Max(calls - long_calls, 1));
	values[4] = Float8GetDatum((double) longest);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
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
