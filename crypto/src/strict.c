/*-------------------------------------------------------------------------
 *
 * strict.c
 *		Rules that the specification of PLC has for an operation, and practice has not kept.
 *
 * The directory has accepted operations that break these rules, and others build on them.
 * So these rules apply only on request.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/jsonb.h"

#include "base58.h"
#include "codec/limits.h"
#include "keyring.h"
#include "multikey.h"
#include "operation.h"
#include "signer.h"
#include "strict.h"

#define KEY_PREFIX ATID_DID_KEY_PREFIX "z"


/*
 * Is it "did:key:z" and digits of base58?
 */
static bool
is_base58_did_key(const JsonbValue *value)
{
	int			len = value->val.string.len;
	const char *str = value->val.string.val;
	int			i = (int) strlen(KEY_PREFIX);

	if (len <= i || memcmp(str, KEY_PREFIX, strlen(KEY_PREFIX)) != 0)
		return false;
	while (i < len && atid_base58_is_digit(str[i]))
		i++;
	return i == len;
}

static bool
is_repeated(const AtidRotationKeys *keys, int index, const JsonbValue *key)
{
	for (int i = 0; i < index; i++)
	{
		JsonbValue	other;

		atid_rotation_key(keys, i, &other);
		if (other.val.string.len == key->val.string.len &&
			memcmp(other.val.string.val, key->val.string.val, key->val.string.len) == 0)
			return true;
	}
	return false;
}

static AtidFault
check_rotation_keys(AtidKeyring *ring, const AtidOperation *operation, const char **path)
{
	AtidRotationKeys keys = atid_rotation_keys(operation->object, operation->type);

	*path = ".rotationKeys";
	if (keys.count < 1 || keys.count > ATID_PLC_KEYS_MAX)
		return ATID_STRICT_KEYS;
	for (int i = 0; i < keys.count; i++)
	{
		JsonbValue	key;

		*path = psprintf(".rotationKeys[%d]", i);
		atid_rotation_key(&keys, i, &key);
		if (atid_verifier_of_string(ring, &key) == NULL)
			return ATID_STRICT_KEY;
		if (is_repeated(&keys, i, &key))
			return ATID_STRICT_KEY_REPEATED;
	}
	return ATID_OK;
}

static AtidFault
check_verification_methods(const AtidOperation *operation, const char **path)
{
	JsonbValue	methods;
	JsonbValue	item;
	JsonbIterator *iterator;
	JsonbIteratorToken token;

	*path = ".verificationMethods";
	atid_operation_field(operation->object, "verificationMethods", &methods);
	if (JsonContainerSize(methods.val.binary.data) > ATID_PLC_METHODS_MAX)
		return ATID_STRICT_METHODS;
	iterator = JsonbIteratorInit(methods.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		if (token == WJB_VALUE && !is_base58_did_key(&item))
			return ATID_STRICT_METHOD;
	}
	return ATID_OK;
}

AtidFault
atid_check_strict(AtidKeyring *ring, const AtidOperation *operation, size_t len, const char **path)
{
	AtidFault	fault = ATID_OK;

	*path = "";
	if (len > ATID_PLC_SIZE_MAX)
		return ATID_STRICT_LARGE;
	if (atid_operation_has(operation->type, "rotationKeys"))
		fault = check_rotation_keys(ring, operation, path);
	if (fault == ATID_OK && atid_operation_has(operation->type, "verificationMethods"))
		fault = check_verification_methods(operation, path);
	return fault;
}
