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
#include "codec/formats.h"
#include "codec/limits.h"

/*
 * The generic syntax (RFC 3986 section 3), and Lexicon's limit of the length: a
 * scheme, ':' and at least one more character.  A '%' stands before two hex
 * digits, '#' comes once at most, and brackets are in the authority only.  The
 * parts of an authority are not checked: at://did:plc:... is a URI to Lexicon,
 * though in RFC 3986 a port follows the colon.
 */
ATID_NODISCARD extern AtidFault atid_uri_scan(const char *s, size_t len, size_t *at);

/*
 * Is the tag well-formed (RFC 5646 section 2.2.9), in upper or lower case
 * (section 2.1.1)?  Whether it is valid, which means that its subtags are
 * registered and none comes twice, is not checked.
 */
ATID_NODISCARD extern AtidFault atid_language_scan(const char *s, size_t len, size_t *at);

/*
 * Lexicon's format "cid", which names no base: 8 to 256 letters, digits, '+'
 * and '=', and not the beginning of a CIDv0.
 */
ATID_NODISCARD extern AtidFault atid_cid_string_scan(const char *s, size_t len, size_t *at);

#define ATID_FORMAT_SYMBOL(symbol, name, scan) ATID_FORMAT_##symbol,
typedef enum AtidFormat
{
	ATID_FORMATS(ATID_FORMAT_SYMBOL, ATID_FORMAT_SYMBOL)
	ATID_FORMAT_COUNT
} AtidFormat;

/*
 * The format of a name, as Lexicons have it.  Returns false if there is none.
 */
extern bool atid_format_by_name(const char *name, size_t len, AtidFormat *format);

/*
 * The fault of a string of this format, and its place.
 */
ATID_NODISCARD extern AtidFault atid_format_scan(AtidFormat format, const char *s, size_t len,
												 size_t *at);

#endif							/* ATID_FORMAT_H */
