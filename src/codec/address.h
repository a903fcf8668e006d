/*-------------------------------------------------------------------------
 *
 * address.h
 *		Scanners of the AT Protocol's names: DID, handle, NSID, AT URI.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ADDRESS_H
#define ATID_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATID_DID_MAX		2048
#define ATID_HANDLE_MAX		253
#define ATID_NSID_MAX		317

/* The longest text that keeps to the rules of its parts. */
#define ATID_AT_URI_LONGEST	(5 + ATID_DID_MAX + 1 + ATID_NSID_MAX + 1 + 512)

/* What is wrong with a name; atid_address_words() says it. */
typedef enum AtidAddress
{
	ATID_ADDRESS_OK,
	ATID_DID_LENGTH,
	ATID_DID_PREFIX,
	ATID_DID_METHOD,
	ATID_DID_CHARACTER,
	ATID_DID_END,
	ATID_HANDLE_LENGTH,
	ATID_HANDLE_CHARACTER,
	ATID_HANDLE_SEGMENTS,
	ATID_HANDLE_SEGMENT_LENGTH,
	ATID_HANDLE_HYPHEN,
	ATID_HANDLE_LAST,
	ATID_NSID_LENGTH,
	ATID_NSID_CHARACTER,
	ATID_NSID_SEGMENTS,
	ATID_NSID_SEGMENT_LENGTH,
	ATID_NSID_HYPHEN,
	ATID_NSID_FIRST,
	ATID_NSID_NAME,
	ATID_NSID_AUTHORITY_LENGTH,
	ATID_RECORD_KEY_LENGTH,
	ATID_RECORD_KEY_CHARACTER,
	ATID_RECORD_KEY_DOTS,
	ATID_AT_URI_PREFIX,
	ATID_AT_URI_EMPTY,
	ATID_AT_URI_PARTS,
	ATID_AT_URI_EXTRA
} AtidAddress;

/* The parts of an AT URI, in its text; collection and rkey may be NULL, with length 0. */
typedef struct AtidAtUri
{
	const char *authority;
	size_t		authority_len;
	const char *collection;
	size_t		collection_len;
	const char *rkey;
	size_t		rkey_len;
} AtidAtUri;

extern AtidAddress atid_did_scan(const char *s, size_t len, size_t *at);
extern AtidAddress atid_handle_scan(const char *s, size_t len, size_t *at);
extern AtidAddress atid_nsid_scan(const char *s, size_t len, size_t *at);
extern AtidAddress atid_record_key_scan(const char *s, size_t len, size_t *at);
extern AtidAddress atid_identifier_scan(const char *s, size_t len, size_t *at);
extern AtidAddress atid_at_uri_scan(const char *s, size_t len, AtidAtUri *uri, size_t *at);
extern const char *atid_address_words(AtidAddress fault);

/* Is this identifier, or authority of an AT URI, a DID?  Else it is a handle. */
extern bool atid_identifier_is_did(const char *s, size_t len);

static inline bool
atid_did_is_valid(const char *s, size_t len)
{
	size_t		at;

	return atid_did_scan(s, len, &at) == ATID_ADDRESS_OK;
}

static inline bool
atid_nsid_is_valid(const char *s, size_t len)
{
	size_t		at;

	return atid_nsid_scan(s, len, &at) == ATID_ADDRESS_OK;
}

static inline bool
atid_at_uri_is_valid(const char *s, size_t len)
{
	AtidAtUri	uri;
	size_t		at;

	return atid_at_uri_scan(s, len, &uri, &at) == ATID_ADDRESS_OK;
}

#endif							/* ATID_ADDRESS_H */
