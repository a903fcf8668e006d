/*-------------------------------------------------------------------------
 *
 * format.h
 *		Lexicon's string formats: what is wrong with a string, by the format's name.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FORMAT_H
#define ATID_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#define ATID_URI_MAX		8192
#define ATID_CID_STRING_MIN	8
#define ATID_CID_STRING_MAX	256

/* What is wrong with a URI, a language tag or a CID; *at counts from zero. */
typedef enum AtidFormatFault
{
	ATID_FORMAT_OK,

	ATID_URI_SCHEME,
	ATID_URI_EMPTY,				/* nothing after the scheme */
	ATID_URI_CHARACTER,
	ATID_URI_ESCAPE,
	ATID_URI_FRAGMENT,			/* a second '#' */
	ATID_URI_BRACKET,			/* outside of the authority */
	ATID_URI_LENGTH,

	ATID_LANGUAGE_CHARACTER,
	ATID_LANGUAGE_SUBTAG,		/* empty, or too long */
	ATID_LANGUAGE_FIRST,
	ATID_LANGUAGE_PLACE,		/* a subtag that does not belong there */
	ATID_LANGUAGE_EXTENSION,	/* nothing after a singleton */
	ATID_LANGUAGE_PRIVATE,		/* nothing after "x" */

	ATID_CID_STRING_LENGTH,
	ATID_CID_STRING_CHARACTER,
	ATID_CID_STRING_V0
} AtidFormatFault;

extern AtidFormatFault atid_uri_scan(const char *s, size_t len, size_t *at);
extern AtidFormatFault atid_language_scan(const char *s, size_t len, size_t *at);
extern AtidFormatFault atid_cid_string_scan(const char *s, size_t len, size_t *at);
extern const char *atid_format_words(AtidFormatFault fault);

typedef enum AtidFormat
{
	ATID_FORMAT_AT_IDENTIFIER,
	ATID_FORMAT_AT_URI,
	ATID_FORMAT_CID,
	ATID_FORMAT_DATETIME,
	ATID_FORMAT_DID,
	ATID_FORMAT_HANDLE,
	ATID_FORMAT_LANGUAGE,
	ATID_FORMAT_NSID,
	ATID_FORMAT_RECORD_KEY,
	ATID_FORMAT_TID,
	ATID_FORMAT_URI
} AtidFormat;

/* All their names, as a list for a message. */
#define ATID_FORMAT_LIST \
	"at-identifier, at-uri, cid, datetime, did, handle, language, nsid, record-key, tid, uri"

extern bool atid_format_by_name(const char *name, size_t len, AtidFormat *format);
extern const char *atid_format_broken_rule(AtidFormat format, const char *s, size_t len,
										   size_t *at);

#endif							/* ATID_FORMAT_H */
