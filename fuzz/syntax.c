/*-------------------------------------------------------------------------
 *
 * syntax.c
 *		The scanner of record keys takes what the rules, written once more in
 *		another way, take: ^[A-Za-z0-9._~:-]{1,512}$, and neither "." nor "..".
 *
 *-------------------------------------------------------------------------
 */
#include "codec/syntax.h"

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* How many characters at s, of len, are of a set?  The set has no zero byte. */
static size_t
span(const char *s, size_t len, const char *set)
{
	size_t		i = 0;

	while (i < len && s[i] != '\0' && strchr(set, s[i]) != NULL)
		i++;
	return i;
}

static bool
is_key(const char *s, size_t len, bool colon)
{
	const char *set = colon ? LETTERS DIGITS ".-_~:" : LETTERS DIGITS ".-_~";

	if (span(s, len, set) != len || len < 1 || len > 512)
		return false;
	return !((len == 1 || len == 2) && span(s, len, ".") == len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *) data;

	CLAIM(atid_syntax_key(s, size, false) == is_key(s, size, false));
	CLAIM(atid_syntax_key(s, size, true) == is_key(s, size, true));
	return 0;
}
