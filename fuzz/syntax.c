/*-------------------------------------------------------------------------
 *
 * syntax.c
 *		The scanners of record keys and NSIDs take what the rules, written once
 *		more in another way, take.
 *
 * The rules are those of the specifications' regular expressions:
 *
 *	record key	^[A-Za-z0-9._~:-]{1,512}$, and neither "." nor ".."
 *	NSID		^[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?
 *				(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+
 *				(\.[a-zA-Z][a-zA-Z0-9]{0,62})$, of which all but the name is 253 at most
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

/*
 * From the right: first the name, then one segment after another.
 */
static bool
is_nsid(const char *s, size_t len)
{
	size_t		end = len;
	int			segments = 0;

	while (true)
	{
		size_t		start = end;
		size_t		n;

		while (start > 0 && s[start - 1] != '.')
			start--;
		n = end - start;
		segments++;
		if (n < 1 || n > 63)
			return false;
		if (span(s + start, n, segments == 1 ? LETTERS DIGITS : LETTERS DIGITS "-") != n)
			return false;
		if (s[start] == '-' || s[end - 1] == '-')
			return false;
		/* the name and the first segment begin with a letter */
		if ((segments == 1 || start == 0) && span(s + start, 1, LETTERS) != 1)
			return false;
		if (start == 0)
			return segments >= 3;
		end = start - 1;
		if (segments == 1 && end > 253)
			return false;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *) data;

	CLAIM(atid_syntax_key(s, size, false) == is_key(s, size, false));
	CLAIM(atid_syntax_key(s, size, true) == is_key(s, size, true));
	CLAIM(atid_syntax_nsid(s, size) == is_nsid(s, size));
	return 0;
}
