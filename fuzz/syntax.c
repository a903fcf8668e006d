/*-------------------------------------------------------------------------
 *
 * syntax.c
 *		The scanner of UUIDs agrees with templates of their forms; an object
 *		identifier agrees with the integer that its bytes are, in decimal, and a ULID
 *		with the 130 bits of its characters.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/syntax.h"

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

/* An x is a hex digit, a letter has either case. */
static const char *const forms[] = {
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
	"{xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}",
	"{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}",
	"urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
};

/* The digits are one to a byte; returns how many there are, or 0 if this is another form. */
static int
match(const char *form, const char *s, size_t len, uint8_t digits[32])
{
	static const char hex[] = "0123456789abcdef0123456789ABCDEF";
	int			count = 0;

	if (strlen(form) != len)
		return 0;
	for (size_t i = 0; i < len; i++)
	{
		const char *found = s[i] == '\0' ? NULL : strchr(hex, s[i]);

		if (form[i] == 'x' && found != NULL)
			digits[count++] = (uint8_t) ((found - hex) % 16);
		else if (form[i] == 'x')
			return 0;
		else if (s[i] != form[i] &&
				 (form[i] < 'a' || form[i] > 'z' || s[i] - 'A' != form[i] - 'a'))
			return 0;
	}
	return count;
}

/* Is this the decimal text of an integer below 2^128? */
static bool
is_decimal(const char *s, size_t len)
{
	static const char most[] = "340282366920938463463374607431768211455";

	for (size_t i = 0; i < len; i++)
	{
		if (s[i] < '0' || s[i] > '9')
			return false;
	}
	return len > 0 && (len == 1 || s[0] != '0') &&
		(len < strlen(most) || (len == strlen(most) && memcmp(s, most, len) <= 0));
}

/* Divide the bytes by 10 until the text's digits are used up. */
static bool
has_digits(const uint8_t bytes[16], const char *s, size_t len)
{
	uint8_t		number[16];
	unsigned	left = 0;

	memcpy(number, bytes, sizeof(number));
	while (len-- > 0)
	{
		unsigned	rest = 0;

		for (int i = 0; i < 16; i++)
		{
			rest = rest * 256 + number[i];
			number[i] = (uint8_t) (rest / 10);
			rest %= 10;
		}
		if (s[len] != (char) ('0' + rest))
			return false;
	}
	for (int i = 0; i < 16; i++)
		left |= number[i];
	return left == 0;
}

/* The bits of a ULID, one to a byte; false if this is none. */
static bool
ulid_bits(const char *s, size_t len, uint8_t bits[5 * ATID_ULID_LEN])
{
	static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ0123456789abcdefghjkmnpqrstvwxyz";

	if (len != ATID_ULID_LEN)
		return false;
	for (size_t i = 0; i < len; i++)
	{
		const char *found = s[i] == '\0' ? NULL : strchr(digits, s[i]);

		if (found == NULL)
			return false;
		for (int bit = 0; bit < 5; bit++)
			bits[5 * i + bit] = (found - digits) >> (4 - bit) & 1;
	}
	return bits[0] == 0 && bits[1] == 0;
}

/* Does the ULID have the bits of these bytes, and is its text in upper case written of them? */
static void
check_ulid(const char *s, const uint8_t bits[5 * ATID_ULID_LEN], const uint8_t bytes[16])
{
	char		text[ATID_ULID_LEN];

	for (int i = 0; i < 128; i++)
		CLAIM((bytes[i / 8] >> (7 - i % 8) & 1) == bits[i + 2]);
	atid_ulid_to_text(bytes, text);
	for (int i = 0; i < ATID_ULID_LEN; i++)
		CLAIM(text[i] == (s[i] >= 'a' && s[i] <= 'z' ? s[i] - 'a' + 'A' : s[i]));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *) data;
	uint8_t		bytes[16];
	uint8_t		digits[32];
	uint8_t		bits[5 * ATID_ULID_LEN];
	bool		taken = atid_syntax_uuid(s, size, bytes);
	bool		oid = size > 5 && memcmp(s, "2.25.", 5) == 0;
	bool		matched = oid && is_decimal(s + 5, size - 5);

	if (taken && oid)
		CLAIM(has_digits(bytes, s + 5, size - 5));
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
	{
		if (match(forms[f], s, size, digits) == 0)
			continue;
		matched = true;
		for (int i = 0; i < 16 && taken; i++)
			CLAIM(bytes[i] == digits[2 * i] * 16 + digits[2 * i + 1]);
	}
	if (ulid_bits(s, size, bits))
	{
		matched = true;
		if (taken)
			check_ulid(s, bits, bytes);
	}
	CLAIM(taken == matched);
	return 0;
}
