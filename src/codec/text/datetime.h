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

/* The microseconds from 1970 to 2000, where the server's timestamps begin. */
#define ATID_POSTGRES_EPOCH_US INT64_C(946684800000000)

/* The longest that atid_datetime_format() writes. */
#define ATID_DATETIME_TEXT_MAX 27

/*
 * Read a datetime of Lexicon.
 *
 * *us is set if there is no fault.  Else *at is the place of the first
 * character that breaks the syntax; if the syntax is right, of the first part
 * that is out of its range; or 0 if the time is out of the years 0000 to 9999.
 */
ATID_NODISCARD extern AtidFault atid_datetime_parse(const char *s, size_t len, int64_t *us,
													size_t *at);

/*
 * Read a datetime or one of the sloppy forms.  *us and *at are as in
 * atid_datetime_parse().
 */
ATID_NODISCARD extern AtidFault atid_datetime_parse_sloppy(const char *s, size_t len, int64_t *us,
														   size_t *at);

/*
 * Is the form of the string wrong?  Else the form is right, and there is no such
 * time.
 */
extern bool atid_datetime_fault_is_syntax(AtidFault fault);

/*
 * Write a microsecond of the years 0000 to 9999 as a datetime in UTC, with 1 to
 * 6 digits after the point; the other digits are cut off.  Returns the length,
 * at most ATID_DATETIME_TEXT_MAX, which depends on "digits" alone.
 */
extern size_t atid_datetime_format(int64_t us, int digits, char *s);

#endif							/* ATID_DATETIME_H */
