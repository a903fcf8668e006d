/*-------------------------------------------------------------------------
 * format.c
 *		The scanners of Lexicon's string formats agree with the rules, written once
 *		more in another way; a fault has a place in the string.  The rules of URIs,
 *		language tags and CIDs are regular expressions: the grammars of RFC 3986 and
 *		RFC 5646 with Lexicon's limits.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/format.h"

#include <regex.h>
#include <string.h>

#include "codec/text/address.h"
#include "codec/text/datetime.h"
#include "codec/text/tid.h"
#include "fuzz.h"
#include "names.h"

#define GRANDFATHERED \
	"en-GB-oed|i-ami|i-bnn|i-default|i-enochian|i-hak|i-klingon|i-lux|i-mingo|i-navajo|i-pwn|" \
	"i-tao|i-tay|i-tsu|sgn-BE-FR|sgn-BE-NL|sgn-CH-DE|art-lojban|cel-gaulish|no-bok|no-nyn|" \
	"zh-guoyu|zh-hakka|zh-min|zh-min-nan|zh-xiang"
#define PRIVATE_USE "x(-[a-z0-9]{1,8})+"
#define LANGUAGE \
	"^(" GRANDFATHERED "|" \
	"([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?" \
	"(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[0-9a-wy-z](-[a-z0-9]{2,8})+)*(-" PRIVATE_USE ")?|" \
	PRIVATE_USE ")$"

#define ESCAPE "%[0-9A-Fa-f]{2}"
#define ANYWHERE "A-Za-z0-9._~!$&'()*+,;=:@"
#define AUTHORITY "([][" ANYWHERE "-]|" ESCAPE ")*"
#define PATH "([" ANYWHERE "/?-]|" ESCAPE ")"
#define FRAGMENT "#" PATH "*"
#define URI \
	"^[A-Za-z][A-Za-z0-9+.-]*:" \
	"((//" AUTHORITY "([/?]" PATH "*)?|" PATH "+)(" FRAGMENT ")?|" FRAGMENT ")$"

#define CID "^[a-zA-Z0-9+=]{8,256}$"
#define TID "^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$"

static bool
matches(regex_t *regex, const char *s, size_t len)
{
	char	   *terminated;
	bool		result;

	if (memchr(s, '\0', len) != NULL)
		return false;
	terminated = exact_memory(len + 1);
	memcpy(terminated, s, len);
	terminated[len] = '\0';
	result = regexec(regex, terminated, 0, NULL, 0) == 0;
	free(terminated);
	return result;
}

/* The format has this name; and it has this string, or finds the place of a fault. */
static void
check(AtidFormat format, const char *name, const char *s, size_t len, bool valid)
{
	AtidFormat	found;
	size_t		at = SIZE_MAX;
	AtidFault	fault = atid_format_scan(format, s, len, &at);

	CLAIM(atid_format_by_name(name, strlen(name), &found) && found == format);
	CLAIM((fault == ATID_OK) == valid);
	if (fault == ATID_OK)
		return;
	CLAIM(at <= len);
	/* all before it must be ASCII, so that the place counts characters */
	for (size_t i = 0; i < at; i++)
		CLAIM((unsigned char) s[i] < 0x80);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static regex_t language;
	static regex_t uri;
	static regex_t cid;
	static regex_t tid;
	static bool ready = false;
	const char *s = (const char *) data;
	AtidAtUri	parts;
	AtidFormat	found;
	int64_t		us;
	size_t		at;

	if (!ready)
	{
		CLAIM(regcomp(&language, LANGUAGE, REG_EXTENDED | REG_ICASE | REG_NOSUB) == 0);
		CLAIM(regcomp(&uri, URI, REG_EXTENDED | REG_NOSUB) == 0);
		CLAIM(regcomp(&cid, CID, REG_EXTENDED | REG_NOSUB) == 0);
		CLAIM(regcomp(&tid, TID, REG_EXTENDED | REG_NOSUB) == 0);
		ready = true;
	}
	check(ATID_FORMAT_LANGUAGE, "language", s, size, matches(&language, s, size));
	check(ATID_FORMAT_URI, "uri", s, size, matches(&uri, s, size) && size <= ATID_URI_MAX);
	check(ATID_FORMAT_CID, "cid", s, size,
		  matches(&cid, s, size) && memcmp(s, "Qmb", 3) != 0);
	check(ATID_FORMAT_TID, "tid", s, size, matches(&tid, s, size));
	check(ATID_FORMAT_DID, "did", s, size, is_did(s, size));
	check(ATID_FORMAT_HANDLE, "handle", s, size, is_handle(s, size));
	check(ATID_FORMAT_AT_IDENTIFIER, "at-identifier", s, size,
		  is_did(s, size) || is_handle(s, size));
	check(ATID_FORMAT_NSID, "nsid", s, size, is_nsid(s, size));
	check(ATID_FORMAT_RECORD_KEY, "record-key", s, size, is_record_key(s, size));
	/* these two have harnesses of their own */
	check(ATID_FORMAT_AT_URI, "at-uri", s, size,
		  atid_at_uri_scan(s, size, &parts, &at) == ATID_OK);
	check(ATID_FORMAT_DATETIME, "datetime", s, size,
		  atid_datetime_parse(s, size, &us, &at) == ATID_OK);

	/* a name of a format is its whole name */
	if (atid_format_by_name(s, size, &found))
		CLAIM(size >= 3 && size <= 13 && !atid_format_by_name(s, size - 1, &found));
	return 0;
}
