/*-------------------------------------------------------------------------
 *
 * address.h
 *		The AT Protocol's names: DID, handle, NSID, record key, AT URI.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ADDRESS_H
#define ATID_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"
#include "codec/limits.h"

/* What an AT URI begins with. */
#define ATID_SCHEME			"at://"
#define ATID_SCHEME_LEN		(sizeof(ATID_SCHEME) - 1)

/* The longest AT URI, by the limits of its parts. */
#define ATID_AT_URI_LONGEST \
	(ATID_SCHEME_LEN + ATID_DID_MAX + 1 + ATID_NSID_MAX + 1 + ATID_RECORD_KEY_MAX)

/* The parts of an AT URI, in its text.  collection and rkey may be NULL, with length 0. */
typedef struct AtidAtUri
{
	const char *authority;
	size_t		authority_len;
	const char *collection;
	size_t		collection_len;
	const char *rkey;
	size_t		rkey_len;
} AtidAtUri;

/*
 * DID ("DID Identifier Syntax"): "did:", a method of lower-case letters, ':' and
 * an identifier that does not end in ':' or '%'.
 */
ATID_NODISCARD extern AtidFault atid_did_scan(const char *s, size_t len, size_t *at);

/*
 * Handle ("Handle Identifier Syntax"): two segments or more, with periods
 * between them.  The last must not begin with a digit.
 */
ATID_NODISCARD extern AtidFault atid_handle_scan(const char *s, size_t len, size_t *at);

/*
 * NSID ("NSID Syntax"): a domain name in reverse and a name, three segments or
 * more.  The first must not begin with a digit.  The last, the name, is letters
 * and digits, a letter first.
 */
ATID_NODISCARD extern AtidFault atid_nsid_scan(const char *s, size_t len, size_t *at);

/*
 * Record key: all rules, with a fault and its place.  ':' is allowed, as in Lexicon's format
 * record-key.
 */
ATID_NODISCARD extern AtidFault atid_record_key_scan(const char *s, size_t len, size_t *at);

/*
 * at-identifier: a DID or a handle.  A handle has no colon, so a text that
 * begins with "did:" is none.
 */
ATID_NODISCARD extern AtidFault atid_identifier_scan(const char *s, size_t len, size_t *at);

/*
 * AT URI, the restricted syntax ("Restricted AT URI Syntax").  *uri is set only
 * if there is no fault; its parts point into s.
 */
ATID_NODISCARD extern AtidFault atid_at_uri_scan(const char *s, size_t len, AtidAtUri *uri,
												 size_t *at);

/* The length of a valid NSID's authority: all segments but the last. */
extern size_t atid_nsid_authority_len(const char *s, size_t len);

/*
 * Normalize a valid NSID: its authority, a domain name, becomes lower case.
 */
extern void atid_nsid_fold_case(char *s, size_t len);

/*
 * Normalize an AT URI ("Normalization" in its specification): a handle and the
 * collection's authority become lower case.  A DID keeps its %-escapes, since
 * DIDs are compared byte by byte.  No other part can have an escape.  If there is
 * a fault, the text is left as it is.
 */
ATID_NODISCARD extern AtidFault atid_at_uri_fold_case(char *s, size_t len);

/*
 * Record keys ("Record Key Syntax"), rule by rule.  First rule: 1 to
 * ATID_RECORD_KEY_MAX characters.
 */
extern bool atid_record_key_length_ok(size_t len);

/*
 * Second rule: only A-Z a-z 0-9 . - _ ~, and ':' if the caller allows it, as
 * the protocol does today.
 */
extern bool atid_record_key_characters_ok(const char *s, size_t len, bool colon);

/*
 * Third rule: neither "." nor "..", which stand for directories in a path.
 */
extern bool atid_record_key_dots_ok(const char *s, size_t len);

/*
 * All rules at once.  The length comes first because checking it costs least.
 */
extern bool atid_record_key_ok(const char *s, size_t len, bool colon);

/* Is a valid identifier, or authority of an AT URI, a DID and not a handle? */
extern bool atid_identifier_is_did(const char *s, size_t len);

static inline bool
atid_did_is_valid(const char *s, size_t len)
{
	size_t		at;

	return atid_did_scan(s, len, &at) == ATID_OK;
}

static inline bool
atid_nsid_is_valid(const char *s, size_t len)
{
	size_t		at;

	return atid_nsid_scan(s, len, &at) == ATID_OK;
}

static inline bool
atid_at_uri_is_valid(const char *s, size_t len)
{
	AtidAtUri	uri;
	size_t		at;

	return atid_at_uri_scan(s, len, &uri, &at) == ATID_OK;
}

#endif							/* ATID_ADDRESS_H */
