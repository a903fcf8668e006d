/*-------------------------------------------------------------------------
 *
 * format.c
 *		The scanners of URIs and language tags take what regular expressions take:
 *		the grammars of RFC 3986, with Lexicon's bounds, and of RFC 5646.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/format.h"

#include <regex.h>
#include <string.h>

#include "fuzz.h"

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static regex_t language;
	static regex_t uri;
	static bool ready = false;
	const char *s = (const char *) data;

	if (!ready)
	{
		CLAIM(regcomp(&language, LANGUAGE, REG_EXTENDED | REG_ICASE | REG_NOSUB) == 0);
		CLAIM(regcomp(&uri, URI, REG_EXTENDED | REG_NOSUB) == 0);
		ready = true;
	}
	CLAIM(atid_language_syntax(s, size) == matches(&language, s, size));
	CLAIM(atid_uri_syntax(s, size) == matches(&uri, s, size));
	return 0;
}
