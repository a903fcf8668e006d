/*-------------------------------------------------------------------------
 *
 * sigtext.c
 *		Signatures as base64 in a jsonb.
 *
 * A label has {"$bytes": base64}, with padding or without (AT Protocol, "Data Model").
 * An operation of PLC has a string in base64url without padding.  64 bytes are 86
 * characters.  The last one has four spare bits, which must be zero, so that a
 * signature has only one text in each form, not counting the padding.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/base64.h"
#include "utils/jsonb.h"

#include "object.h"
#include "signature.h"
#include "sigtext.h"

/* The characters of 64 bytes, without and with padding. */
#define DIGITS 86
#define PADDED 88

/* The server's decoder needs room for whole groups of three bytes. */
#define DECODED_MAX (PADDED / 4 * 3)


/*
 * Decode the DIGITS characters at digits.  The server's decoder ignores white space
 * and spare bits, so the bytes are encoded again and compared.
 */
static bool
decode_digits(const char *digits, uint8_t *signature)
{
	char		padded[PADDED];
	char		again[PADDED];
	uint8		bytes[DECODED_MAX];

	memcpy(padded, digits, DIGITS);
	memset(padded + DIGITS, '=', PADDED - DIGITS);
	if (pg_b64_decode(padded, PADDED, (void *) bytes, DECODED_MAX) != ATID_SIGNATURE_LEN ||
		pg_b64_encode((void *) bytes, ATID_SIGNATURE_LEN, again, PADDED) != PADDED ||
		memcmp(again, padded, PADDED) != 0)
		return false;
	memcpy(signature, bytes, ATID_SIGNATURE_LEN);
	return true;
}

bool
atid_signature_from_bytes(const JsonbValue *value, uint8_t signature[ATID_SIGNATURE_LEN])
{
	JsonbValue	bytes;

	if (!atid_is_object(value) ||
		JsonContainerSize(value->val.binary.data) != 1 ||
		!atid_find_field(value->val.binary.data, "$bytes", &bytes) ||
		bytes.type != jbvString)
		return false;
	if (bytes.val.string.len == PADDED)
	{
		if (memcmp(bytes.val.string.val + DIGITS, "==", PADDED - DIGITS) != 0)
			return false;
	}
	else if (bytes.val.string.len != DIGITS)
		return false;
	return decode_digits(bytes.val.string.val, signature);
}

bool
atid_signature_from_base64url(const JsonbValue *value, uint8_t signature[ATID_SIGNATURE_LEN])
{
	char		digits[DIGITS];

	if (value->type != jbvString || value->val.string.len != DIGITS)
		return false;
	for (int i = 0; i < DIGITS; i++)
	{
		char		c = value->val.string.val[i];

		if (c == '+' || c == '/')
			return false;
		digits[i] = c == '-' ? '+' : c == '_' ? '/' : c;
	}
	return decode_digits(digits, signature);
}
