/*-------------------------------------------------------------------------
 *
 * packed.h
 *		The forms on disk of a DID and an AT URI.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_PACKED_H
#define ATID_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for any text of len bytes, packed. */
#define ATID_DID_PACKED_MAX(len)	((len) + 1)
#define ATID_AT_URI_PACKED_MAX(len)	((len) + 1)

/* A packed did:plc, the same in a DID and in an AT URI */
#define ATID_PLC_PACKED_LEN			15

/* The first byte of the AT URI of a did:plc, and of one with a TID at its end */
#define ATID_AT_URI_OF_PLC			1
#define ATID_AT_URI_OF_PLC_AND_TID	3

/* Bytes as they are found on a disk */
typedef enum AtidPackedState
{
	ATID_PACKED_OK,
	ATID_PACKED_NEWER,			/* of a form that is reserved */
	ATID_PACKED_DAMAGED
} AtidPackedState;

/*
 * Pack len characters into the ATID_DID_PACKED_MAX(len) bytes at dst.  Returns
 * the packed length.  The text is not checked.
 */
extern size_t atid_did_pack(const char *s, size_t len, uint8_t *dst);
extern size_t atid_did_text_len(const uint8_t *packed, size_t len);

/* Write the text, of atid_did_text_len() characters; no terminator. */
extern void atid_did_unpack(const uint8_t *packed, size_t len, char *dst);

/*
 * Can these bytes be a DID's?  Only the bytes that tell the forms apart are
 * checked.
 */
extern AtidPackedState atid_did_state(const uint8_t *packed, size_t len);

/*
 * Compare in the order of the texts.  The zero byte of a text of 15 characters
 * does no harm: it is below whatever another text has in its place.
 */
extern int	atid_did_compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

/* Compare a DID's text with any other text. */
extern int	atid_did_compare_text(const uint8_t *packed, size_t len, const char *s, size_t s_len);

/* Of two DIDs, the greater never has the lesser key. */
extern uint64_t atid_did_sort_key(const uint8_t *packed, size_t len);

/*
 * The parts of a packed AT URI.
 */
typedef struct AtidPackedUri
{
	bool		plc;			/* is the authority a packed did:plc? */
	bool		tid;			/* is the record key a packed TID? */
	const uint8_t *authority;	/* packed, or text */
	size_t		authority_len;
	const char *collection;		/* text; length 0 where there is none */
	size_t		collection_len;
	const char *rkey;			/* packed TID, or text; length 0 where there
								 * is none */
	size_t		rkey_len;
} AtidPackedUri;

/*
 * Pack len characters, which must begin with "at://", into the
 * ATID_AT_URI_PACKED_MAX(len) bytes at dst.  Returns the packed length.  The
 * text is not checked any further.
 */
extern size_t atid_at_uri_pack(const char *s, size_t len, uint8_t *dst);

/*
 * Take a packed AT URI apart; returns false if these bytes are none.
 */
extern bool atid_at_uri_open(const uint8_t *packed, size_t len, AtidPackedUri *uri);

/*
 * Can these bytes be opened, and if not, why?
 */
extern AtidPackedState atid_at_uri_state(const uint8_t *packed, size_t len);

/*
 * The packed did:plc that is the authority; NULL if it is another.  For callers
 * that need no other part.
 */
extern const uint8_t *atid_at_uri_plc(const uint8_t *packed, size_t len);

/* The TID that is the record key; uri->tid must be true. */
extern uint64_t atid_packed_tid(const AtidPackedUri *uri);

/*
 * Write the packed AT URI of the account, or of the collection, to dst, which
 * must have room for as many bytes as the AT URI has.  Returns its length.
 */
extern size_t atid_at_uri_scope(const uint8_t *packed, const AtidPackedUri *uri, bool collection,
								uint8_t *dst);

/* The length of the text of a packed AT URI, which must be whole. */
extern size_t atid_at_uri_text_len(const uint8_t *packed, size_t len);

/* Write the text, of atid_at_uri_text_len() characters; no terminator. */
extern void atid_at_uri_unpack(const uint8_t *packed, size_t len, char *dst);

/*
 * Compare two packed AT URIs in the order of their texts.  Bytes that are no AT
 * URI, or whose text would be longer than any, are compared as bytes.
 */
extern int	atid_at_uri_compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

/*
 * Compare the text of an AT URI with any other text.  Bytes that are no AT URI
 * are compared as bytes.
 */
extern int	atid_at_uri_compare_text(const uint8_t *packed, size_t len,
									 const char *s, size_t s_len);

/* Of two AT URIs, the greater never has the lesser key. */
extern uint64_t atid_at_uri_sort_key(const uint8_t *packed, size_t len);

/*
 * Is the URI the scope itself, or below it?  That is: is its text the scope's, or
 * the scope's, a slash and more?
 */
extern bool atid_at_uri_within(const uint8_t *uri, size_t uri_len,
							   const uint8_t *scope, size_t scope_len);

/* Is the URI that of the DID's repository, or below it? */
extern bool atid_at_uri_within_did(const uint8_t *uri, size_t uri_len,
								   const uint8_t *did, size_t did_len);

/*
 * Is the text a scope that the URI is within?  The text need not be parsed: a
 * part of an AT URI that ends before a slash is an AT URI, if it is longer than
 * the scheme.
 */
extern bool atid_at_uri_within_text(const uint8_t *uri, size_t uri_len,
									const char *scope, size_t scope_len);

#endif							/* ATID_PACKED_H */
