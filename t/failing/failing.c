/*-------------------------------------------------------------------------
 *
 * failing.c
 *		Allocations that fail when a test asks for it: for t/record/no_memory.pl.
 *
 * script/test --assert links this into the library with the linker's --wrap, so that each
 * allocation that atid asks the server for comes here first.  What the server allocates by
 * itself does not.
 *
 *		fail_after(n)			the n-th allocation of this session from now on fails; 0: none
 *		fail_by_chance(seed, n)	each fails with a chance of 1 in n, until n is 0
 *		failed()				how many have failed
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static int32 countdown = 0;
static uint32 chance = 0;
static uint64 random_state = 0;
static int32 failures = 0;

static void
fail_if_asked(void)
{
	if (chance > 0)
	{
		random_state = random_state * UINT64CONST(6364136223846793005) + 1442695040888963407;
		if ((random_state >> 33) % chance != 0)
			return;
	}
	else if (countdown == 0 || --countdown > 0)
		return;
	failures++;
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory"),
			 errdetail("A test has asked for it.")));
}

/* The wrapped function, which returns a pointer and may fail. */
#define WRAP(name, type, declared, passed) \
	extern type __real_##name declared; \
	extern type __wrap_##name declared; \
	type \
	__wrap_##name declared \
	{ \
		fail_if_asked(); \
		return __real_##name passed; \
	}

WRAP(palloc, void *, (Size size), (size))
WRAP(palloc0, void *, (Size size), (size))
WRAP(palloc_extended, void *, (Size size, int flags), (size, flags))
WRAP(repalloc, void *, (void *pointer, Size size), (pointer, size))
WRAP(repalloc_huge, void *, (void *pointer, Size size), (pointer, size))
WRAP(MemoryContextAlloc, void *, (MemoryContext context, Size size), (context, size))
WRAP(MemoryContextAllocZero, void *, (MemoryContext context, Size size), (context, size))
WRAP(MemoryContextAllocHuge, void *, (MemoryContext context, Size size), (context, size))
WRAP(AllocSetContextCreateInternal, MemoryContext,
	 (MemoryContext parent, const char *name, Size min, Size initial, Size max),
	 (parent, name, min, initial, max))
WRAP(cstring_to_text, text *, (const char *s), (s))
WRAP(cstring_to_text_with_len, text *, (const char *s, int len), (s, len))
WRAP(pstrdup, char *, (const char *s), (s))

/* The same of one that returns nothing. */
#define WRAP_VOID(name, declared, passed) \
	extern void __real_##name declared; \
	extern void __wrap_##name declared; \
	void \
	__wrap_##name declared \
	{ \
		fail_if_asked(); \
		__real_##name passed; \
	}

WRAP_VOID(initStringInfo, (StringInfo s), (s))
WRAP_VOID(enlargeStringInfo, (StringInfo s, int needed), (s, needed))
WRAP_VOID(appendBinaryStringInfo, (StringInfo s, const void *data, int len), (s, data, len))

PG_FUNCTION_INFO_V1(atid_test_fail_after);
Datum
atid_test_fail_after(PG_FUNCTION_ARGS)
{
	chance = 0;
	countdown = PG_GETARG_INT32(0);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(atid_test_fail_by_chance);
Datum
atid_test_fail_by_chance(PG_FUNCTION_ARGS)
{
	random_state = (uint64) PG_GETARG_INT32(0);
	chance = (uint32) PG_GETARG_INT32(1);
	countdown = 0;
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(atid_test_failed);
Datum
atid_test_failed(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(failures);
}
