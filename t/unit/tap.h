/*-------------------------------------------------------------------------
 *
 * tap.h
 *		The few lines of TAP that the unit tests print.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_TAP_H
#define ATID_TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int	tap_count = 0;
static int	tap_failed = 0;

static inline void
ok(bool passed, const char *name)
{
	printf("%sok %d - %s\n", passed ? "" : "not ", ++tap_count, name);
	if (!passed)
		tap_failed++;
}

static inline void
is_u64(uint64_t got, uint64_t want, const char *name)
{
	ok(got == want, name);
	if (got != want)
		printf("# got  0x%" PRIX64 " (%" PRIu64 ")\n# want 0x%" PRIX64 " (%" PRIu64 ")\n",
			   got, got, want, want);
}

/* Is what takes long to be tried whole?  With script/test --full it is. */
static inline bool
in_full(void)
{
	const char *full = getenv("ATID_FULL");

	return full != NULL && full[0] != '\0';
}

static inline int
done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif							/* ATID_TAP_H */
