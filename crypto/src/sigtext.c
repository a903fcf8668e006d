/*-------------------------------------------------------------------------
 *
 * sigtext.c
 *		Texts of what is signed: signatures as base64 in a jsonb, and whether a text
 *		has a form in UTF-8, which is what is signed.
 *
 * A label has {"$bytes": base64}, with padding or without (AT Protocol, "Data Model").
 * An operation of PLC has a string in base64url without padding.  64 bytes are 86
 * characters.  The last one has four spare bits, which must be zero, so that a
 * signature has only one text in each form, not counting the padding.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "common/base64.h"
#include "mb/pg_wchar.h"
#include "utils/jsonb.h"

#include "compat.h"
#include "multikey.h"
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

/*
 * Read {"$bytes": base64} of 64 bytes.
 */
bool
atid_signature_from_bytes(const JsonbValue *value, uint8_t signature[ATID_SIGNATURE_LEN])
{
	JsonbValue	bytes;

	if (value->type != jbvBinary ||
		!JsonContainerIsObject(value->val.binary.data) ||
		JsonContainerSize(value->val.binary.data) != 1 ||
		getKeyJsonValueFromContainer(value->val.binary.data, "$bytes", strlen("$bytes"),
									 &bytes) == NULL ||
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

/*
 * Read a string that is the base64url of 64 bytes.
 */
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

/*
 * Has this text a form in UTF-8?  In SQL_ASCII it can be any bytes, and a few characters
 * of other encodings have no equivalent.
 */
bool
atid_has_utf8(const char *text, int len)
{
	int			encoding = GetDatabaseEncoding();
	bool		ascii = true;
	Oid			conversion;
	size_t		room = (size_t) len * MAX_CONVERSION_GROWTH + 1;
	unsigned char *utf8;
	int			converted;

	if (encoding == PG_UTF8)
		return true;
	for (int i = 0; ascii && i < len; i++)
		ascii = !IS_HIGHBIT_SET(text[i]);
	if (ascii)
		return true;
	if (encoding == PG_SQL_ASCII)
		return pg_verify_mbstr(PG_UTF8, text, len, true);

	conversion = FindDefaultConversionProc(encoding, PG_UTF8);
	if (!OidIsValid(conversion) || room > INT_MAX)
		return false;
	utf8 = palloc_extended(room, MCXT_ALLOC_HUGE);
	converted = pg_do_encoding_conversion_buf(conversion, encoding, PG_UTF8,
											  (unsigned char *) unconstify(char *, text), len,
											  utf8, (int) room, true);
	pfree(utf8);
	return converted == len;
}
