/*-------------------------------------------------------------------------
 *
 * signer.c
 *		Which rotation key has signed an operation of the DID method PLC.
 *
 * The directory tries the rotation keys in order.  A malformed key is refused if it stands
 * before the key that signed, and accepted behind it.  A key that is in the list twice has
 * its lowest index.
 *
 * Two shortcuts save verifications.  Neither changes the answer, because nobody can make a
 * signature that two keys of a list verify: it is over a hash that depends on the list.
 * crypto/t/plc_logs.pl compares the answers with those of a plain loop.
 *
 *		The key that signed last is tried first, also from one log to the next, because a
 *		server signs most operations of its accounts with one key.  Where that is the second
 *		of two keys, an operation takes 39 microseconds instead of 71 with K-256, and 62
 *		instead of 110 with P-256.  Where two keys sign by turns it takes 60 instead of 50.
 *		The keys that can have signed a fork are tried from the last to the first.  A key
 *		that was tried for one fork is not tried for the next, which needs a lower one.  So
 *		1,000 forks by 1,000 keys take 1,000 verifications, and not half a million, which
 *		are 20 seconds.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/jsonb.h"

#include "key.h"
#include "keyring.h"
#include "operation.h"
#include "signature.h"
#include "signer.h"

/* In the place of an index: no key. */
#define NO_KEY (-1)


AtidVerifier *
atid_verifier_of_string(AtidKeyring *ring, const JsonbValue *string)
{
	AtidFault	fault;
	size_t		at;

	/* a multikey alone is refused, and every did:key has the same length */
	if (string->val.string.len != ATID_DID_KEY_TEXT_LEN ||
		memcmp(string->val.string.val, ATID_DID_KEY_PREFIX, strlen(ATID_DID_KEY_PREFIX)) != 0)
		return NULL;
	return atid_keyring_find(ring, string->val.string.val, ATID_DID_KEY_TEXT_LEN, &fault, &at);
}

/*
 * Is the rotation key with this index well-formed, and has it signed the block?
 */
static bool
rotation_key_signed(AtidKeyring *ring, const AtidRotationKeys *keys, int index,
					const uint8_t *block, size_t len, const uint8_t *signature)
{
	JsonbValue	key;
	AtidVerifier *verifier;

	CHECK_FOR_INTERRUPTS();
	atid_rotation_key(keys, index, &key);
	verifier = atid_verifier_of_string(ring, &key);
	return verifier != NULL &&
		atid_key_has_signed(verifier, block, len, signature, ATID_SIGNATURE_LEN);
}

/*
 * The lowest index of a key with this text.
 */
static int
index_of_text(const AtidRotationKeys *keys, const char *text, int len)
{
	for (int i = 0; i < keys->count; i++)
	{
		JsonbValue	key;

		CHECK_FOR_INTERRUPTS();
		atid_rotation_key(keys, i, &key);
		if (key.val.string.len == len && memcmp(key.val.string.val, text, (size_t) len) == 0)
			return i;
	}
	return NO_KEY;
}

/*
 * Remember a key that has signed.  Returns its lowest index.
 */
static int
remember_signer(AtidKeyring *ring, const AtidRotationKeys *keys, int index)
{
	JsonbValue	key;

	atid_rotation_key(keys, index, &key);
	Assert(key.val.string.len == sizeof(ring->signer));
	memcpy(ring->signer, key.val.string.val, sizeof(ring->signer));
	ring->signer_index = index_of_text(keys, ring->signer, sizeof(ring->signer));
	return ring->signer_index;
}

/*
 * Which key has likely signed?  There is at least one.
 */
static int
likely_signer(const AtidKeyring *ring, const AtidRotationKeys *keys)
{
	int			index = index_of_text(keys, ring->signer, sizeof(ring->signer));

	if (index != NO_KEY)
		return index;
	return ring->signer_index < keys->count ? ring->signer_index : 0;
}

/*
 * Is the signature one in DER, of 64 bytes by chance?
 */
static bool
is_der(const uint8_t *signature)
{
	int			r_len = signature[3];

	return signature[0] == 0x30 && signature[1] == ATID_SIGNATURE_LEN - 2 &&
		signature[2] == 0x02 && r_len < ATID_SIGNATURE_LEN - 6 &&
		signature[4 + r_len] == 0x02 &&
		signature[5 + r_len] == ATID_SIGNATURE_LEN - 6 - r_len;
}

/*
 * What is wrong with the signature itself, for each key of the list that is well-formed?
 */
static AtidFault
signature_fault(AtidKeyring *ring, const AtidRotationKeys *keys, const uint8_t *signature)
{
	AtidFault	fault = ATID_OK;

	if (is_der(signature))
		return ATID_SIGNATURE_DER;
	for (int i = 0; i < keys->count; i++)
	{
		JsonbValue	key;
		AtidVerifier *verifier;

		CHECK_FOR_INTERRUPTS();
		atid_rotation_key(keys, i, &key);
		verifier = atid_verifier_of_string(ring, &key);
		if (verifier == NULL)
			continue;
		fault = atid_signature_form(verifier->key.curve, signature);
		if (fault == ATID_OK)
			break;
	}
	return fault;
}

/*
 * Try the keys: the likely one, then the others in order.  Returns the index of the one that
 * has signed.  If there is none, *malformed says whether a key before it is malformed.
 */
static int
try_keys(AtidKeyring *ring, const AtidRotationKeys *keys, const uint8_t *block, size_t len,
		 const uint8_t *signature, bool *malformed)
{
	int			likely = likely_signer(ring, keys);
	int			found = NO_KEY;

	if (rotation_key_signed(ring, keys, likely, block, len, signature))
		found = remember_signer(ring, keys, likely);
	*malformed = false;
	for (int i = 0; i < keys->count && i != found; i++)
	{
		JsonbValue	key;

		atid_rotation_key(keys, i, &key);
		*malformed = atid_verifier_of_string(ring, &key) == NULL;
		if (*malformed)
			return NO_KEY;
		if (found == NO_KEY && i != likely &&
			rotation_key_signed(ring, keys, i, block, len, signature))
			return remember_signer(ring, keys, i);
	}
	return found;
}

AtidFault
atid_find_signer(AtidKeyring *ring, const AtidRotationKeys *keys, const AtidOperation *operation,
				 int *signer)
{
	AtidFault	fault;
	size_t		len;
	uint8_t    *block;
	bool		malformed = false;

	*signer = NO_KEY;
	if (keys->count > 0)
	{
		block = atid_operation_block(operation, false, &len);
		*signer = try_keys(ring, keys, block, len, operation->signature, &malformed);
		pfree(block);
	}
	if (*signer != NO_KEY)
		return ATID_OK;
	fault = signature_fault(ring, keys, operation->signature);
	if (fault != ATID_OK)
		return fault;
	return malformed ? ATID_LOG_SIGNER_MALFORMED : ATID_LOG_SIGNER;
}

AtidFault
atid_find_signer_of_fork(AtidKeyring *ring, const AtidRotationKeys *keys,
						 const AtidOperation *operation, int *signer)
{
	size_t		len;
	uint8_t    *block = atid_operation_block(operation, false, &len);
	int			index = keys->count - 1;

	while (index >= 0 &&
		   !rotation_key_signed(ring, keys, index, block, len, operation->signature))
		index--;
	pfree(block);
	if (index < 0)
		return ATID_LOG_SIGNER_LOWER;
	*signer = remember_signer(ring, keys, index);
	return ATID_OK;
}
