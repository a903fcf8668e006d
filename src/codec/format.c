/*-------------------------------------------------------------------------
 *
 * format.c
 *		Scanners of Lexicon's string formats that are other people's: a URI of RFC
 *		3986, and a language tag of BCP 47 (RFC 5646).
 *
 * Strings come as a pointer and a length in bytes and may hold any bytes; both
 * formats are ASCII.  One pass, from left to right.
 *
 * Pure code: no server, no allocation, no state, no locale.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/format.h"

#include <string.h>

static inline char
to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
}

static inline bool
is_letter(char c)
{
	return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
is_hex(char c)
{
	return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
}

static inline bool
is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}


/*
 * URI
 */

/* Lexicon's own bound ("uri") ... */
bool
atid_uri_length(size_t len)
{
	return len <= ATID_URI_MAX;
}

/*
 * ... and the generic syntax (RFC 3986 section 3): a scheme, ':' and something
 * after it, of the characters that it has, with '%' before two hex digits, '#'
 * once, and brackets in the authority only.  What stands between the delimiters
 * of an authority is not looked at: at://did:plc:... is a URI to Lexicon, though
 * RFC 3986 would read its colons as that of a port.
 */
bool
atid_uri_syntax(const char *s, size_t len)
{
	size_t		i = 0;
	bool		authority;
	bool		fragment = false;

	if (len == 0 || !is_letter(s[0]))
		return false;
	while (i < len && (is_letter(s[i]) || is_digit(s[i]) || is_one_of(s[i], "+-.")))
		i++;
	if (i == len || s[i] != ':' || ++i == len)
		return false;

	authority = len - i >= 2 && s[i] == '/' && s[i + 1] == '/';
	if (authority)
		i += 2;
	for (; i < len; i++)
	{
		char		c = s[i];

		if (is_letter(c) || is_digit(c) || is_one_of(c, "-._~!$&'()*+,;=:@"))
			continue;
		if (c == '/' || c == '?')
			authority = false;
		else if (c == '#' && !fragment)
		{
			authority = false;
			fragment = true;
		}
		else if (c == '%' && len - i > 2 && is_hex(s[i + 1]) && is_hex(s[i + 2]))
			i += 2;
		else if (!(authority && (c == '[' || c == ']')))
			return false;
	}
	return true;
}


/*
 * Language tag
 */

typedef struct Subtag
{
	const char *s;
	size_t		len;
	bool		letters;		/* letters only */
	bool		digits;			/* digits only */
} Subtag;

/*
 * Take the subtag that begins at *at, of letters and digits and at least one of
 * them.  Returns false at the end, and where there is none: *at is then no
 * longer the end.
 */
static bool
next_subtag(const char *s, size_t len, size_t *at, Subtag *tag)
{
	size_t		i = *at;

	if (i > len)
		return false;
	tag->s = s + i;
	tag->letters = tag->digits = true;
	for (; i < len && s[i] != '-'; i++)
	{
		if (is_letter(s[i]))
			tag->digits = false;
		else if (is_digit(s[i]))
			tag->letters = false;
		else
			return false;
	}
	tag->len = i - *at;
	if (tag->len == 0)
		return false;
	*at = i + 1;
	return true;
}

/* Does the rest consist of subtags of up to eight characters, one at least? */
static bool
is_private_use(const char *s, size_t len, size_t at)
{
	Subtag		tag;
	bool		any = false;

	while (next_subtag(s, len, &at, &tag))
	{
		if (tag.len > 8)
			return false;
		any = true;
	}
	return any && at == len + 1;
}

/*
 * The tags that were registered before the syntax was, and do not keep to it
 * (RFC 5646 section 2.1, "irregular").  Those called regular do.
 */
static bool
is_irregular(const char *s, size_t len)
{
	static const char *const tags[] = {
		"en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux",
		"i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl",
		"sgn-ch-de"
	};

	for (size_t t = 0; t < sizeof(tags) / sizeof(tags[0]); t++)
	{
		size_t		i = 0;

		if (strlen(tags[t]) != len)
			continue;
		while (i < len && to_lower(s[i]) == tags[t][i])
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static inline bool
is_singleton(const Subtag *tag, bool x)
{
	return tag->len == 1 && (to_lower(tag->s[0]) == 'x') == x;
}

static bool
is_variant(const Subtag *tag)
{
	return (tag->len >= 5 && tag->len <= 8) || (tag->len == 4 && is_digit(tag->s[0]));
}

/*
 * Is the tag well-formed (RFC 5646 section 2.2.9), in either case of letters
 * (section 2.1.1)?  Whether it is also valid, that is, of registered subtags of
 * which none comes twice, is not asked.
 */
bool
atid_language_syntax(const char *s, size_t len)
{
	size_t		at = 0;
	Subtag		tag;
	bool		more;

	if (is_irregular(s, len))
		return true;
	if (!next_subtag(s, len, &at, &tag))
		return false;
	if (is_singleton(&tag, true))
		return is_private_use(s, len, at);

	/* language, of which only the shorter may be extended */
	if (!tag.letters || tag.len < 2 || tag.len > 8)
		return false;
	more = tag.len <= 3;
	if (!next_subtag(s, len, &at, &tag))
		return at == len + 1;
	for (int n = 0; more && n < 3 && tag.letters && tag.len == 3; n++)
	{
		if (!next_subtag(s, len, &at, &tag))
			return at == len + 1;
	}

	/* script, region, variants */
	if (tag.letters && tag.len == 4 && !next_subtag(s, len, &at, &tag))
		return at == len + 1;
	if (((tag.letters && tag.len == 2) || (tag.digits && tag.len == 3)) &&
		!next_subtag(s, len, &at, &tag))
		return at == len + 1;
	while (is_variant(&tag))
	{
		if (!next_subtag(s, len, &at, &tag))
			return at == len + 1;
	}

	/* extensions, each a singleton with subtags of two characters or more */
	while (is_singleton(&tag, false))
	{
		int			n = 0;

		while ((more = next_subtag(s, len, &at, &tag)) && tag.len >= 2 && tag.len <= 8)
			n++;
		if (n == 0)
			return false;
		if (!more)
			return at == len + 1;
	}

	return is_singleton(&tag, true) && is_private_use(s, len, at);
}
