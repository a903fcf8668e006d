/*-------------------------------------------------------------------------
 * format.c
 *		Lexicon's string formats by name.  The scanners of three are here: a URI of
 *		RFC 3986, a language tag of BCP 47 (RFC 5646), and a CID in any base.
 *
 * A string is a pointer and a length in bytes; it needs no terminator and may hold
 * any bytes.  A scanner makes one pass, to the first fault.  *at is then the number
 * of bytes before it; these are ASCII, so it counts characters too.
 *
 * Pure code: no server, no allocation, no state, no locale.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/format.h"

#include <string.h>

#include "codec/ascii.h"
#include "codec/text/address.h"
#include "codec/text/datetime.h"
#include "codec/text/tid.h"

static inline bool
is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}


/*
 * URI
 */

AtidFault
atid_uri_scan(const char *s, size_t len, size_t *at)
{
	size_t		bound = len < ATID_URI_MAX ? len : ATID_URI_MAX;
	size_t		i = 0;
	bool		authority;
	bool		fragment = false;

	while (i < bound && (atid_is_letter(s[i]) ||
						 (i > 0 && (atid_is_digit(s[i]) || is_one_of(s[i], "+-.")))))
		i++;
	*at = i;
	if (i == ATID_URI_MAX && len > ATID_URI_MAX)
		return ATID_URI_LENGTH;
	if (i == 0 || i == len || s[i] != ':')
		return ATID_URI_SCHEME;
	*at = ++i;
	if (i == len)
		return ATID_URI_EMPTY;

	authority = len - i >= 2 && s[i] == '/' && s[i + 1] == '/';
	if (authority)
		i += 2;
	for (; i < bound; i++)
	{
		char		c = s[i];

		*at = i;
		if (atid_is_letter(c) || atid_is_digit(c) || is_one_of(c, "-._~!$&'()*+,;=:@"))
			continue;
		if (c == '/' || c == '?')
			authority = false;
		else if (c == '#')
		{
			if (fragment)
				return ATID_URI_FRAGMENT;
			authority = false;
			fragment = true;
		}
		else if (c == '%')
		{
			if (len - i <= 2 || atid_hex_value(s[i + 1]) < 0 || atid_hex_value(s[i + 2]) < 0)
				return ATID_URI_ESCAPE;
			i += 2;
		}
		else if (c != '[' && c != ']')
			return ATID_URI_CHARACTER;
		else if (!authority)
			return ATID_URI_BRACKET;
	}
	*at = bound;
	return len > ATID_URI_MAX ? ATID_URI_LENGTH : ATID_OK;
}


/*
 * Language tag
 */

#define SUBTAG_MAX 8

/* A tag that is being read, and its current subtag. */
typedef struct Tag
{
	const char *s;
	size_t		len;
	size_t		next;			/* where the next begins; len + 1 at the end */
	AtidFault	fault;			/* why there is no next one; OK at the end */
	size_t		fault_at;

	size_t		start;			/* the subtag */
	size_t		n;				/* its characters */
	bool		letters;		/* letters only */
	bool		digits;			/* digits only */
} Tag;

static inline void
set_fault(Tag *tag, AtidFault fault, size_t at)
{
	tag->fault = fault;
	tag->fault_at = at;
}

/*
 * Read the next subtag, 1 to 8 letters and digits.  Returns false at the end,
 * and at a fault.
 */
static bool
next_subtag(Tag *tag)
{
	size_t		i = tag->next;

	if (i > tag->len)
		return false;
	tag->start = i;
	tag->letters = tag->digits = true;
	for (; i < tag->len && tag->s[i] != '-'; i++)
	{
		if (atid_is_letter(tag->s[i]))
			tag->digits = false;
		else if (atid_is_digit(tag->s[i]))
			tag->letters = false;
		else
		{
			set_fault(tag, ATID_LANGUAGE_CHARACTER, i);
			return false;
		}
		if (i - tag->start == SUBTAG_MAX)
		{
			set_fault(tag, ATID_LANGUAGE_SUBTAG, i);
			return false;
		}
	}
	tag->n = i - tag->start;
	if (tag->n == 0)
	{
		set_fault(tag, ATID_LANGUAGE_SUBTAG, i);
		return false;
	}
	tag->next = i + 1;
	return true;
}

/* Is the current subtag one character: "x" if x is true, else another one? */
static inline bool
is_singleton(const Tag *tag, bool x)
{
	return tag->n == 1 && (atid_to_lower(tag->s[tag->start]) == 'x') == x;
}

static inline bool
is_variant(const Tag *tag)
{
	return tag->n >= 5 || (tag->n == 4 && atid_is_digit(tag->s[tag->start]));
}

/*
 * Tags that are registered though they break the syntax (RFC 5646 section 2.1,
 * "irregular").  Those called regular keep to it.
 */
static bool
is_irregular(const char *s, size_t len)
{
	static const char *const tags[] = {
		"en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux",
		"i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl",
		"sgn-ch-de"
	};

	/* the shortest has five characters, and most tags have fewer */
	if (len < strlen("i-ami"))
		return false;
	for (size_t t = 0; t < sizeof(tags) / sizeof(tags[0]); t++)
	{
		size_t		i = 0;

		if (strlen(tags[t]) != len)
			continue;
		while (i < len && atid_to_lower(s[i]) == tags[t][i])
			i++;
		if (i == len)
			return true;
	}
	return false;
}

/* Read what follows "x": one subtag or more, of any kind. */
static void
read_private_use(Tag *tag)
{
	bool		any = false;

	while (next_subtag(tag))
		any = true;
	if (!any && tag->fault == ATID_OK)
		set_fault(tag, ATID_LANGUAGE_PRIVATE, tag->len);
}

/* Read to the end, or to a fault. */
static void
read_tag(Tag *tag)
{
	bool		extensible;

	if (!next_subtag(tag))
		return;
	if (is_singleton(tag, true))
	{
		read_private_use(tag);
		return;
	}

	/* language; one of two or three letters may be extended */
	if (!tag->letters || tag->n < 2)
	{
		set_fault(tag, ATID_LANGUAGE_FIRST, 0);
		return;
	}
	extensible = tag->n <= 3;
	if (!next_subtag(tag))
		return;
	for (int n = 0; extensible && n < 3 && tag->letters && tag->n == 3; n++)
	{
		if (!next_subtag(tag))
			return;
	}

	/* script, region, variants */
	if (tag->letters && tag->n == 4 && !next_subtag(tag))
		return;
	if (((tag->letters && tag->n == 2) || (tag->digits && tag->n == 3)) && !next_subtag(tag))
		return;
	while (is_variant(tag))
	{
		if (!next_subtag(tag))
			return;
	}

	/* extensions, each a singleton with subtags of two characters or more */
	while (is_singleton(tag, false))
	{
		bool		any = false;
		bool		more;

		while ((more = next_subtag(tag)) && tag->n > 1)
			any = true;
		if (!any && tag->fault == ATID_OK)
			set_fault(tag, ATID_LANGUAGE_EXTENSION, more ? tag->start : tag->len);
		if (!any || !more)
			return;
	}

	if (is_singleton(tag, true))
		read_private_use(tag);
	else
		set_fault(tag, ATID_LANGUAGE_PLACE, tag->start);
}

AtidFault
atid_language_scan(const char *s, size_t len, size_t *at)
{
	Tag			tag = {.s = s,.len = len};

	if (!is_irregular(s, len))
		read_tag(&tag);
	*at = tag.fault_at;
	return tag.fault;
}


/*
 * CID
 */

/* The characters that are checked at a time. */
#define CID_AT_ONCE 16

static inline bool
is_cid_character(char c)
{
	return atid_is_letter(c) || atid_is_digit(c) || c == '+' || c == '=';
}

/*
 * Are CID_AT_ONCE characters those of a CID?  A loop of fixed length without a way out
 * becomes vector instructions: scanning CIDs took a twentieth of record_conforms.
 */
static inline bool
are_cid_characters(const char *s)
{
	unsigned char good = 1;

	for (size_t i = 0; i < CID_AT_ONCE; i++)
	{
		unsigned char c = (unsigned char) s[i];
		unsigned char letter = (unsigned char) ((c | 0x20) - 'a');
		unsigned char digit = (unsigned char) (c - '0');

		good &= (letter < 26) | (digit < 10) | (c == '+') | (c == '=');
	}
	return good != 0;
}

AtidFault
atid_cid_string_scan(const char *s, size_t len, size_t *at)
{
	size_t		bound = len < ATID_CID_STRING_MAX ? len : ATID_CID_STRING_MAX;
	size_t		i = 0;

	while (bound - i >= CID_AT_ONCE && are_cid_characters(s + i))
		i += CID_AT_ONCE;
	/* the last ones may overlap those before */
	if (i > 0 && bound - i < CID_AT_ONCE && are_cid_characters(s + bound - CID_AT_ONCE))
		i = bound;
	while (i < bound && is_cid_character(s[i]))
		i++;
	*at = i;
	if (i < bound)
		return ATID_CID_STRING_CHARACTER;
	if (len < ATID_CID_STRING_MIN || len > ATID_CID_STRING_MAX)
		return ATID_CID_STRING_LENGTH;
	*at = 0;
	return memcmp(s, "Qmb", 3) == 0 ? ATID_CID_STRING_V0 : ATID_OK;
}


/*
 * All formats
 */

bool
atid_format_by_name(const char *name, size_t len, AtidFormat *format)
{
#define NAME(symbol, name, scan) name,
	static const char *const names[] = {ATID_FORMATS(NAME, NAME)};

	for (int i = 0; i < ATID_FORMAT_COUNT; i++)
	{
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
		{
			*format = (AtidFormat) i;
			return true;
		}
	}
	return false;
}

static inline AtidFault
scan_at_uri(const char *s, size_t len, size_t *at)
{
	AtidAtUri	uri;

	return atid_at_uri_scan(s, len, &uri, at);
}

static inline AtidFault
scan_datetime(const char *s, size_t len, size_t *at)
{
	int64_t		us;

	return atid_datetime_parse(s, len, &us, at);
}

AtidFault
atid_format_scan(AtidFormat format, const char *s, size_t len, size_t *at)
{
#define CASE(symbol, name, scan) case ATID_FORMAT_##symbol: return scan(s, len, at);
	switch (format)
	{
		case ATID_FORMAT_COUNT:
			break;
			ATID_FORMATS(CASE, CASE)
	}
	return ATID_OK;
}
