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

/* Bytes as they are found on a disk */
typedef enum AtidPackedState
{
	ATID_PACKED_OK,
	ATID_PACKED_NEWER,			/* of a form that is reserved */
	ATID_PACKED_DAMAGED
} AtidPackedState;

extern size_t atid_did_pack(const char *s, size_t len, uint8_t *dst);
extern size_t atid_did_text_len(const uint8_t *packed, size_t len);
extern void atid_did_unpack(const uint8_t *packed, size_t len, char *dst);
extern AtidPackedState atid_did_state(const uint8_t *packed, size_t len);
extern int	atid_did_compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);
extern int	atid_did_compare_text(const uint8_t *packed, size_t len, const char *s, size_t s_len);
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

extern size_t atid_at_uri_pack(const char *s, size_t len, uint8_t *dst);
extern bool atid_at_uri_open(const uint8_t *packed, size_t len, AtidPackedUri *uri);
extern AtidPackedState atid_at_uri_state(const uint8_t *packed, size_t len);
extern const uint8_t *atid_at_uri_plc(const uint8_t *packed, size_t len);
extern uint64_t atid_packed_tid(const AtidPackedUri *uri);
extern size_t atid_at_uri_scope(const uint8_t *packed, const AtidPackedUri *uri, bool collection,
								uint8_t *dst);
extern size_t atid_at_uri_text_len(const uint8_t *packed, size_t len);
extern void atid_at_uri_unpack(const uint8_t *packed, size_t len, char *dst);
extern int	atid_at_uri_compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);
extern int	atid_at_uri_compare_text(const uint8_t *packed, size_t len,
									 const char *s, size_t s_len);
extern uint64_t atid_at_uri_sort_key(const uint8_t *packed, size_t len);
extern bool atid_at_uri_within(const uint8_t *uri, size_t uri_len,
							   const uint8_t *scope, size_t scope_len);
extern bool atid_at_uri_within_did(const uint8_t *uri, size_t uri_len,
								   const uint8_t *did, size_t did_len);
extern bool atid_at_uri_within_text(const uint8_t *uri, size_t uri_len,
									const char *scope, size_t scope_len);

#endif							/* ATID_PACKED_H */
