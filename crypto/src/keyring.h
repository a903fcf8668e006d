/*-------------------------------------------------------------------------
 *
 * keyring.h
 *		The keys that a call site has used last, ready to verify with.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_KEYRING_H
#define ATID_KEYRING_H

#include "fmgr.h"

#include "compat.h"
#include "signature.h"

/* As many keys are kept. */
#define ATID_KEYRING_SIZE 16

typedef struct AtidKeyringSlot
{
	char		str[ATID_DID_KEY_TEXT_LEN]; /* the key's text */
	size_t		len;			/* of the text; 0 if there is no key */
	bool		used;			/* since the last search for a slot */
	AtidVerifier verifier;
} AtidKeyringSlot;

typedef struct AtidKeyring
{
	MemoryContextCallback callback;
	int			hand;			/* where the next search for a slot begins */
	AtidKeyringSlot slots[ATID_KEYRING_SIZE];

	/* the key that signed last, for callers that try several */
	char		signer[ATID_DID_KEY_TEXT_LEN];
	int			signer_index;
} AtidKeyring;

/*
 * The keyring of a call site, made with the first call.  It is in fn_extra and lives as long
 * as fn_mcxt; the call site must not use fn_extra for anything else.
 */
extern AtidKeyring *atid_keyring_of_call_site(FunctionCallInfo fcinfo);

/*
 * The key of a text, a did:key or a multikey, ready to verify with.  It belongs to the ring,
 * and is good until another key is looked for.
 *
 * Returns NULL if the text is not a key; then *fault says why, and *at is the index of the
 * byte for the faults that atid_multikey_parse() sets it for.  Raises an error if a library
 * cannot be used.
 */
extern AtidVerifier *atid_keyring_find(AtidKeyring *ring, const char *str, size_t len,
									   AtidFault *fault, size_t *at);

/*
 * Raises the error for a library that could not be used, so that there is no answer.
 */
pg_noreturn extern void atid_library_failure(AtidCurve curve);

#endif							/* ATID_KEYRING_H */
