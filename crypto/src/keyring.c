/*-------------------------------------------------------------------------
 *
 * keyring.c
 *		The keys that a call site has used last, ready to verify with.
 *
 * To make a key ready takes a tenth of a verification for K-256 and two thirds of one for
 * P-256.  The logs of an account name few keys, and those of a server's accounts share one,
 * so a call site keeps the last ones in fn_extra, from call to call.  A slot is emptied for
 * a new key when the hand passes it for the second time since it was used ("clock").
 *
 * What OpenSSL has allocated is freed with the memory context of the call site, also after
 * an error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "key.h"
#include "keyring.h"
#include "multikey.h"
#include "signature.h"

#define DID_KEY "did:key:"


static void
empty_slot(AtidKeyringSlot *slot)
{
	if (slot->filled)
		atid_verifier_release(&slot->verifier);
	slot->filled = false;
}

static void
release_keyring(void *arg)
{
	AtidKeyring *ring = arg;

	for (int i = 0; i < ATID_KEYRING_SIZE; i++)
		empty_slot(&ring->slots[i]);
}

AtidKeyring *
atid_keyring_of_call_site(FunctionCallInfo fcinfo)
{
	AtidKeyring *ring = fcinfo->flinfo->fn_extra;

	if (ring == NULL)
	{
		ring = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(AtidKeyring));
		ring->callback.func = release_keyring;
		ring->callback.arg = ring;
		MemoryContextRegisterResetCallback(fcinfo->flinfo->fn_mcxt, &ring->callback);
		fcinfo->flinfo->fn_extra = ring;
	}
	return ring;
}

static AtidKeyringSlot *
next_slot(AtidKeyring *ring)
{
	for (;;)
	{
		AtidKeyringSlot *slot = &ring->slots[ring->hand];

		ring->hand = (ring->hand + 1) % ATID_KEYRING_SIZE;
		if (!slot->filled || !slot->used)
			return slot;
		slot->used = false;
	}
}

/*
 * The key of a did:key, good until another one is looked for; NULL where the text is none
 * of a curve that the protocol has.
 */
AtidVerifier *
atid_keyring_find(AtidKeyring *ring, const char *str, size_t len)
{
	AtidKeyringSlot *slot;
	AtidMultikey key;
	size_t		at;

	/* every did:key has the same length */
	if (len != ATID_DID_KEY_TEXT_LEN || memcmp(str, DID_KEY, strlen(DID_KEY)) != 0)
		return NULL;
	for (int i = 0; i < ATID_KEYRING_SIZE; i++)
	{
		slot = &ring->slots[i];
		if (slot->filled && memcmp(slot->str, str, len) == 0)
		{
			slot->used = true;
			return &slot->verifier;
		}
	}

	if (atid_multikey_parse(str, len, &key, &at) != ATID_OK)
		return NULL;
	slot = next_slot(ring);
	empty_slot(slot);
	switch (atid_verifier_init(&slot->verifier, &key))
	{
		case ATID_VERDICT_YES:
			break;
		case ATID_VERDICT_NO:
			return NULL;
		case ATID_VERDICT_FAILED:
			atid_library_failure(key.curve);
	}
	memcpy(slot->str, str, len);
	slot->filled = slot->used = true;
	return &slot->verifier;
}
