/*-------------------------------------------------------------------------
 * address.c
 *		The AT Protocol's names: DID, handle, NSID, record key, AT URI.
 *
 *		did			did:<method>:<identifier>			at most 2048 characters
 *		handle		a domain name of two segments or more		  253
 *		nsid		a domain name in reverse and a name			  317
 *		at-uri		at://<authority>[/<collection>[/<rkey>]]	 2884
 *
 * The scanners accept what Lexicon's string formats accept ("String Formats" in
 * the Lexicon specification): of AT URIs the restricted syntax, without query and
 * fragment; of every name any spelling, normalized or not.  Nothing is looked up.
 * The format's limit for an AT URI, 8192 characters, needs no check: the limits of
 * its parts allow fewer.
 *
 * A string is a pointer and a length in bytes; it needs no terminator and may hold
 * any bytes.  A scanner returns the first fault.  *at is then the number of bytes
 * before it; these are ASCII, so it counts characters too.
 *
 * Pure code: no server, no allocation, no state, no locale.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/address.h"

#include <string.h>

#include "codec/ascii.h"

/* Kinds of characters. */
#define LETTER		1
#define DIGIT		2
#define HYPHEN		4
#define DID_OTHER	8			/* also in a DID */
#define KEY_OTHER	16			/* also in a record key */
#define KEY_COLON	32			/* in a record key today, not at first */

#define NAME_CHARACTER	(LETTER | DIGIT | HYPHEN)
#define DID_CHARACTER	(LETTER | DIGIT | HYPHEN | DID_OTHER)
#define KEY_CHARACTER	(LETTER | DIGIT | HYPHEN | KEY_OTHER | KEY_COLON)

static const uint8_t kind[256] = {
	['-'] = HYPHEN,
	['.'] = DID_OTHER | KEY_OTHER,['_'] = DID_OTHER | KEY_OTHER,
	[':'] = DID_OTHER | KEY_COLON,['%'] = DID_OTHER,['~'] = KEY_OTHER,
	['0'] = DIGIT,['1'] = DIGIT,['2'] = DIGIT,['3'] = DIGIT,['4'] = DIGIT,
	['5'] = DIGIT,['6'] = DIGIT,['7'] = DIGIT,['8'] = DIGIT,['9'] = DIGIT,
	['A'] = LETTER,['B'] = LETTER,['C'] = LETTER,['D'] = LETTER,['E'] = LETTER,
	['F'] = LETTER,['G'] = LETTER,['H'] = LETTER,['I'] = LETTER,['J'] = LETTER,
	['K'] = LETTER,['L'] = LETTER,['M'] = LETTER,['N'] = LETTER,['O'] = LETTER,
	['P'] = LETTER,['Q'] = LETTER,['R'] = LETTER,['S'] = LETTER,['T'] = LETTER,
	['U'] = LETTER,['V'] = LETTER,['W'] = LETTER,['X'] = LETTER,['Y'] = LETTER,
	['Z'] = LETTER,
	['a'] = LETTER,['b'] = LETTER,['c'] = LETTER,['d'] = LETTER,['e'] = LETTER,
	['f'] = LETTER,['g'] = LETTER,['h'] = LETTER,['i'] = LETTER,['j'] = LETTER,
	['k'] = LETTER,['l'] = LETTER,['m'] = LETTER,['n'] = LETTER,['o'] = LETTER,
	['p'] = LETTER,['q'] = LETTER,['r'] = LETTER,['s'] = LETTER,['t'] = LETTER,
	['u'] = LETTER,['v'] = LETTER,['w'] = LETTER,['x'] = LETTER,['y'] = LETTER,
	['z'] = LETTER,
};

static inline bool
is_kind(char c, int what)
{
	return (kind[(unsigned char) c] & what) != 0;
}

/* The number of characters at the beginning of s that are of these kinds. */
static inline size_t
span(const char *s, size_t len, int what)
{
	size_t		i = 0;

	while (i < len && is_kind(s[i], what))
		i++;
	return i;
}

AtidFault
atid_did_scan(const char *s, size_t len, size_t *at)
{
	size_t		bound = len < ATID_DID_MAX ? len : ATID_DID_MAX;
	size_t		i;

	for (i = 0; i < 4; i++)
	{
		*at = i;
		if (i == len || s[i] != "did:"[i])
			return ATID_DID_PREFIX;
	}
	while (i < bound && s[i] >= 'a' && s[i] <= 'z')
		i++;
	*at = i;
	if (i == 4 || i == bound || s[i] != ':')
		return i == ATID_DID_MAX ? ATID_DID_LENGTH : ATID_DID_METHOD;

	i += span(s + i, bound - i, DID_CHARACTER);
	*at = i;
	if (i < len)
		return i == ATID_DID_MAX ? ATID_DID_LENGTH : ATID_DID_CHARACTER;
	*at = len - 1;
	if (s[len - 1] == ':' || s[len - 1] == '%')
		return ATID_DID_END;
	return ATID_OK;
}

/* The faults of a segment of a handle or an NSID. */
typedef struct SegmentFaults
{
	AtidFault	character;
	AtidFault	length;
	AtidFault	hyphen;
} SegmentFaults;

/*
 * Scan the segment that begins at *at: 1 to 63 letters, digits and inner
 * hyphens, up to a period or the end.  *at becomes its end, or the place of the
 * fault.
 */
static AtidFault
scan_segment(const char *s, size_t len, const SegmentFaults *faults, size_t *at)
{
	size_t		start = *at;
	size_t		rest = len - start;
	size_t		bound = rest < ATID_SEGMENT_MAX ? rest : ATID_SEGMENT_MAX;
	size_t		n = span(s + start, bound, NAME_CHARACTER);

	*at = start + n;
	if (n < rest && s[*at] != '.')
		return is_kind(s[*at], NAME_CHARACTER) ? faults->length : faults->character;
	if (n == 0)
		return faults->length;
	if (s[start] == '-' || s[*at - 1] == '-')
	{
		*at = s[start] == '-' ? start : *at - 1;
		return faults->hyphen;
	}
	return ATID_OK;
}

AtidFault
atid_handle_scan(const char *s, size_t len, size_t *at)
{
	static const SegmentFaults faults = {
		ATID_HANDLE_CHARACTER, ATID_HANDLE_SEGMENT_LENGTH, ATID_HANDLE_HYPHEN
	};
	size_t		start = 0;

	*at = 0;
	while (true)
	{
		AtidFault	fault = scan_segment(s, len, &faults, at);

		if (*at > ATID_HANDLE_MAX)
		{
			*at = ATID_HANDLE_MAX;
			return ATID_HANDLE_LENGTH;
		}
		if (fault != ATID_OK)
			return fault;
		if (*at == len)
			break;
		start = ++(*at);
	}
	if (start == 0)
		return ATID_HANDLE_SEGMENTS;
	*at = start;
	return is_kind(s[start], DIGIT) ? ATID_HANDLE_LAST : ATID_OK;
}

AtidFault
atid_nsid_scan(const char *s, size_t len, size_t *at)
{
	static const SegmentFaults faults = {
		ATID_NSID_CHARACTER, ATID_NSID_SEGMENT_LENGTH, ATID_NSID_HYPHEN
	};
	size_t		start = 0;
	int			segments = 1;

	*at = 0;
	if (len > 0 && is_kind(s[0], DIGIT))
		return ATID_NSID_FIRST;
	while (true)
	{
		AtidFault	fault = scan_segment(s, len, &faults, at);

		if (*at > ATID_NSID_MAX)
		{
			*at = ATID_NSID_MAX;
			return ATID_NSID_LENGTH;
		}
		if (fault != ATID_OK)
			return fault;
		if (*at == len)
			break;
		start = ++(*at);
		segments++;
	}
	if (segments < 3)
		return ATID_NSID_SEGMENTS;
	*at = start;
	if (start - 1 > ATID_NSID_AUTHORITY_MAX)
		return ATID_NSID_AUTHORITY_LENGTH;
	if (!is_kind(s[start], LETTER))
		return ATID_NSID_NAME;
	*at = start + span(s + start, len - start, LETTER | DIGIT);
	return *at < len ? ATID_NSID_NAME : ATID_OK;
}

size_t
atid_nsid_authority_len(const char *s, size_t len)
{
	while (s[--len] != '.')
		;
	return len;
}

static void
fold_case(char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		s[i] = atid_to_lower(s[i]);
}

void
atid_nsid_fold_case(char *s, size_t len)
{
	fold_case(s, atid_nsid_authority_len(s, len));
}

bool
atid_record_key_length_ok(size_t len)
{
	return len >= 1 && len <= ATID_RECORD_KEY_MAX;
}

bool
atid_record_key_characters_ok(const char *s, size_t len, bool colon)
{
	return span(s, len, colon ? KEY_CHARACTER : KEY_CHARACTER & ~KEY_COLON) == len;
}

bool
atid_record_key_dots_ok(const char *s, size_t len)
{
	return !(len == 1 && s[0] == '.') &&
		!(len == 2 && s[0] == '.' && s[1] == '.');
}

bool
atid_record_key_ok(const char *s, size_t len, bool colon)
{
	return atid_record_key_length_ok(len) &&
		atid_record_key_characters_ok(s, len, colon) &&
		atid_record_key_dots_ok(s, len);
}

AtidFault
atid_record_key_scan(const char *s, size_t len, size_t *at)
{
	size_t		bound = len < ATID_RECORD_KEY_MAX ? len : ATID_RECORD_KEY_MAX;

	*at = span(s, bound, KEY_CHARACTER);
	if (*at < bound)
		return ATID_RECORD_KEY_CHARACTER;
	if (!atid_record_key_length_ok(len))
		return ATID_RECORD_KEY_LENGTH;
	*at = 0;
	return atid_record_key_dots_ok(s, len) ? ATID_OK : ATID_RECORD_KEY_DOTS;
}

bool
atid_identifier_is_did(const char *s, size_t len)
{
	return len >= 4 && memcmp(s, "did:", 4) == 0;
}

AtidFault
atid_identifier_scan(const char *s, size_t len, size_t *at)
{
	if (atid_identifier_is_did(s, len))
		return atid_did_scan(s, len, at);
	return atid_handle_scan(s, len, at);
}

/* The bytes before the next slash, or to the end. */
static size_t
part_len(const char *s, size_t len)
{
	const char *slash = memchr(s, '/', len);

	return slash ? (size_t) (slash - s) : len;
}

AtidFault
atid_at_uri_scan(const char *s, size_t len, AtidAtUri *uri, size_t *at)
{
	struct
	{
		const char *start;
		size_t		len;
	}			part[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
	size_t		i;

	for (i = 0; i < ATID_SCHEME_LEN; i++)
	{
		*at = i;
		if (i == len || s[i] != ATID_SCHEME[i])
			return ATID_AT_URI_PREFIX;
	}

	for (int n = 0;; n++)
	{
		AtidFault	fault;

		*at = i;
		if (n == 3)
			return ATID_AT_URI_PARTS;
		part[n].start = s + i;
		part[n].len = part_len(s + i, len - i);
		if (part[n].len == 0)
			return ATID_AT_URI_EMPTY;

		if (n == 0)
			fault = atid_identifier_scan(part[n].start, part[n].len, at);
		else if (n == 1)
			fault = atid_nsid_scan(part[n].start, part[n].len, at);
		else
			fault = atid_record_key_scan(part[n].start, part[n].len, at);
		if (fault != ATID_OK)
		{
			*at += i;
			if (*at < len && (s[*at] == '?' || s[*at] == '#'))
				return ATID_AT_URI_EXTRA;
			return fault;
		}

		i += part[n].len;
		if (i == len)
			break;
		i++;					/* the slash */
	}

	uri->authority = part[0].start;
	uri->authority_len = part[0].len;
	uri->collection = part[1].start;
	uri->collection_len = part[1].len;
	uri->rkey = part[2].start;
	uri->rkey_len = part[2].len;
	return ATID_OK;
}

AtidFault
atid_at_uri_fold_case(char *s, size_t len)
{
	AtidAtUri	uri;
	size_t		at;
	AtidFault	fault = atid_at_uri_scan(s, len, &uri, &at);

	if (fault != ATID_OK)
		return fault;
	if (!atid_identifier_is_did(uri.authority, uri.authority_len))
		fold_case(s + ATID_SCHEME_LEN, uri.authority_len);
	if (uri.collection_len > 0)
		atid_nsid_fold_case(s + (uri.collection - s), uri.collection_len);
	return ATID_OK;
}
