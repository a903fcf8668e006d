/*-------------------------------------------------------------------------
 *
 * datetime.h
 *		Lexicon's string format "datetime", and sloppier ways to write a time.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_DATETIME_H
#define ATID_DATETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"

/* The first and the last microsecond that a datetime can name. */
#define ATID_DATETIME_MIN_US INT64_C(-62167219200000000)	/* 0000-01-01T00:00:00Z */
#define ATID_DATETIME_MAX_US INT64_C(253402300799999999)	/* 9999-12-31T23:59:59.999999Z */

/* The microseconds from 1970 to 2000, the epoch of the server. */
#define ATID_DATETIME_EPOCH_US INT64_C(946684800000000)

/* The longest that atid_datetime_format() writes. */
#define ATID_DATETIME_TEXT_MAX 27

extern AtidFault atid_datetime_parse(const char *s, size_t len, int64_t *us, size_t *at);
extern AtidFault atid_datetime_parse_sloppy(const char *s, size_t len, int64_t *us,
											size_t *at);
extern bool atid_datetime_fault_is_syntax(AtidFault fault);
extern size_t atid_datetime_format(int64_t us, int digits, char *s);

#endif							/* ATID_DATETIME_H */
