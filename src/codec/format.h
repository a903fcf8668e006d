/*-------------------------------------------------------------------------
 *
 * format.h
 *		Lexicon's string formats by name.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FORMAT_H
#define ATID_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "codec/fault.h"

#define ATID_URI_MAX		8192
#define ATID_CID_STRING_MIN	8
#define ATID_CID_STRING_MAX	256

extern AtidFault atid_uri_scan(const char *s, size_t len, size_t *at);
extern AtidFault atid_language_scan(const char *s, size_t len, size_t *at);
extern AtidFault atid_cid_string_scan(const char *s, size_t len, size_t *at);

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
extern AtidFault atid_format_scan(AtidFormat format, const char *s, size_t len, size_t *at);

#endif							/* ATID_FORMAT_H */
