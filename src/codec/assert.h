/*-------------------------------------------------------------------------
 *
 * assert.h
 *		Assertions of the pure code.
 *
 * They state what a header promises and its own code must keep, never what a caller's
 * bytes may do.  A release has none of them.  They are there
 *	- with ATID_CHECK, which the unit tests and the harnesses of fuzz/ define: a failure
 *	  ends the program;
 *	- with USE_ASSERT_CHECKING, as in "script/test --assert": a failure is the server's.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ASSERT_H
#define ATID_ASSERT_H

#if defined(ATID_CHECK)

#include <assert.h>

#define ATID_ASSERT(condition) assert(condition)

#elif defined(USE_ASSERT_CHECKING)

/* End the session as a failed Assert() does (src/error.c). */
extern void atid_assert_failed(const char *condition, const char *file, int line);

#define ATID_ASSERT(condition) \
	((condition) ? (void) 0 : atid_assert_failed(#condition, __FILE__, __LINE__))

#else

#define ATID_ASSERT(condition) ((void) 0)

#endif

/* Is there more to compile in than a condition? */
#if defined(ATID_CHECK) || defined(USE_ASSERT_CHECKING)
#define ATID_ASSERTING
#endif

#endif							/* ATID_ASSERT_H */
