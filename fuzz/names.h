/*-------------------------------------------------------------------------
 *
 * names.h
 *		The rules of DIDs, handles, NSIDs and record keys once more, in another way:
 *		sets of characters, and segments from the right; no table, no enum.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FUZZ_NAMES_H
#define ATID_FUZZ_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" LOWER
#define DIGITS "0123456789"

/* The number of characters at the beginning of s that are in the set, which has no zero byte. */
static inline size_t
span(const char *s, size_t len, const char *set)
{
	size_t		i = 0;

	while (i < len && s[i] != '\0' && strchr(set, s[i]) != NULL)
		i++;
	return i;
}

static inline int
sign(int n)
{
	return (n > 0) - (n < 0);
}

static inline int
text_order(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int			order = sign(memcmp(a, b, a_len < b_len ? a_len : b_len));

	return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static inline bool
is_did(const char *s, size_t len)
{
	size_t		method;

	if (len > 2048 || len < 7 || memcmp(s, "did:", 4) != 0)
		return false;
	method = span(s + 4, len - 4, LOWER);
	return method > 0 && 4 + method + 1 < len && s[4 + method] == ':' &&
		span(s, len, LETTERS DIGITS "._:%-") == len &&
		span(s + len - 1, 1, LETTERS DIGITS "._-") == 1;
}

/*
 * The number of segments of a name, or 0 if it is none.  The first or the last
 * segment, or both, must begin with a letter; the last may have to lack
 * hyphens.
 */
static inline size_t
segments(const char *s, size_t len, bool first, bool last, bool hyphens_in_last)
{
	size_t		end = len;
	size_t		count = 0;

	while (true)
	{
		size_t		start = end;
		size_t		n;

		while (start > 0 && s[start - 1] != '.')
			start--;
		n = end - start;
		count++;
		if (n < 1 || n > 63)
			return 0;
		if (span(s + start, n, LETTERS DIGITS "-") != n)
			return 0;
		if (count == 1 && !hyphens_in_last && span(s + start, n, LETTERS DIGITS) != n)
			return 0;
		if (s[start] == '-' || s[end - 1] == '-')
			return 0;
		if (((count == 1 && last) || (start == 0 && first)) && span(s + start, 1, LETTERS) != 1)
			return 0;
		if (start == 0)
			return count;
		end = start - 1;
	}
}

static inline bool
is_handle(const char *s, size_t len)
{
	return len <= 253 && segments(s, len, false, true, true) >= 2;
}

static inline bool
is_nsid(const char *s, size_t len)
{
	size_t		authority = len;

	while (authority > 0 && s[authority - 1] != '.')
		authority--;
	return authority > 0 && authority - 1 <= 253 && segments(s, len, true, true, false) >= 3;
}

static inline bool
is_record_key(const char *s, size_t len)
{
	return len >= 1 && len <= 512 && span(s, len, LETTERS DIGITS ".-_~:") == len &&
		!(len <= 2 && span(s, len, ".") == len);
}

#endif							/* ATID_FUZZ_NAMES_H */
