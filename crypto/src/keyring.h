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

extern AtidKeyring *atid_keyring_of_call_site(FunctionCallInfo fcinfo);
extern AtidVerifier *atid_keyring_find(AtidKeyring *ring, const char *str, size_t len,
									   AtidFault *fault, size_t *at);

#endif							/* ATID_KEYRING_H */
