/*-------------------------------------------------------------------------
 *
 * keyring.c
 *		The keys that a call site has used last, ready to verify with.
 *
 * A key is text: a did:key, or the multikey alone (multikey.c).  To make it ready takes a
 * tenth of a verification for K-256 and two thirds of one for P-256.  Most queries use few
 * keys for many rows, and the logs of an account name few, so a call site keeps the last ones
 * in fn_extra, from call to call.  A slot is emptied for a new key when the hand passes it for
 * the second time since it was used ("clock").
 *
 * What OpenSSL has allocated is freed with the memory context of the call site, also after
 * an error.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "keyring.h"
#include "multikey.h"
#include "signature.h"


void
atid_library_failure(AtidCurve curve)
{
	ereport(ERROR,
			(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			 errmsg("could not use the cryptographic library for curve %s",
					atid_curve_name(curve)),
			 errdetail("The library is out of memory, or its configuration does not allow this curve.")));
}

static void
empty_slot(AtidKeyringSlot *slot)
{
	if (slot->len > 0)
		atid_verifier_release(&slot->verifier);
	slot->len = 0;
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
		if (slot->len == 0 || !slot->used)
			return slot;
		slot->used = false;
	}
}

AtidVerifier *
atid_keyring_find(AtidKeyring *ring, const char *str, size_t len, AtidFault *fault, size_t *at)
{
	AtidKeyringSlot *slot;
	AtidMultikey key;

	*fault = ATID_OK;
	for (int i = 0; i < ATID_KEYRING_SIZE; i++)
	{
		slot = &ring->slots[i];
		if (slot->len == len && len > 0 && memcmp(slot->str, str, len) == 0)
		{
			slot->used = true;
			return &slot->verifier;
		}
	}

	*fault = atid_multikey_parse(str, len, &key, at);
	if (*fault != ATID_OK)
		return NULL;
	slot = next_slot(ring);
	Assert(slot < ring->slots + ATID_KEYRING_SIZE);
	empty_slot(slot);
	switch (atid_verifier_init(&slot->verifier, &key))
	{
		case ATID_VERDICT_YES:
			break;
		case ATID_VERDICT_NO:
			*fault = ATID_MULTIKEY_OFF_CURVE;
			return NULL;
		case ATID_VERDICT_FAILED:
			atid_library_failure(key.curve);
	}

	/* the parser has refused everything longer */
	Assert(len <= sizeof(slot->str));
	memcpy(slot->str, str, len);
	slot->len = len;
	slot->used = true;
	return &slot->verifier;
}
