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

/* The first and the last microsecond of the era that a datetime can name. */
#define ATID_DATETIME_MIN_US INT64_C(-62167219200000000)	/* 0000-01-01T00:00:00Z */
#define ATID_DATETIME_MAX_US INT64_C(253402300799999999)	/* 9999-12-31T23:59:59.999999Z */

/* The longest that atid_datetime_format() writes. */
#define ATID_DATETIME_TEXT_MAX 27

/* Why a string is not a datetime. */
typedef enum AtidDatetimeFault
{
	ATID_DATETIME_OK,

	/* what is written is of another form */
	ATID_DATETIME_DATE,			/* not YYYY-MM-DD */
	ATID_DATETIME_SEPARATOR,	/* no T between date and time */
	ATID_DATETIME_TIME,			/* not hh:mm:ss */
	ATID_DATETIME_FRACTION,		/* no digit after the point */
	ATID_DATETIME_NO_ZONE,		/* the end, where the time zone belongs */
	ATID_DATETIME_ZONE,			/* neither Z nor an offset */
	ATID_DATETIME_NEGATIVE_ZERO,	/* the offset -00:00 */
	ATID_DATETIME_TRAILING,		/* more after the time zone */
	ATID_DATETIME_FORM,			/* none of the forms that are normalized */

	/* no such day or time */
	ATID_DATETIME_MONTH,
	ATID_DATETIME_DAY,
	ATID_DATETIME_HOUR,
	ATID_DATETIME_MINUTE,
	ATID_DATETIME_SECOND,
	ATID_DATETIME_OFFSET,

	/* outside of the era, in UTC */
	ATID_DATETIME_BEFORE_0000,
	ATID_DATETIME_AFTER_9999
} AtidDatetimeFault;

extern AtidDatetimeFault atid_datetime_parse(const char *s, size_t len, int64_t *us, size_t *at);
extern AtidDatetimeFault atid_datetime_parse_sloppy(const char *s, size_t len, int64_t *us,
													size_t *at);
extern bool atid_datetime_fault_is_syntax(AtidDatetimeFault fault);
extern const char *atid_datetime_words(AtidDatetimeFault fault);
extern size_t atid_datetime_format(int64_t us, int digits, char *s);

#endif							/* ATID_DATETIME_H */
