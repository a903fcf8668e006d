/*-------------------------------------------------------------------------
 *
 * format.c
 *		URIs and language tags, on strings whose end is the end of their memory.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/format.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

typedef bool (*Scanner) (const char *s, size_t len);

static void
check(Scanner scan, const char *s, bool want)
{
	size_t		len = strlen(s);
	char	   *copy = exact(s, len);
	char		name[120];

	snprintf(name, sizeof(name), "%s %.80s", want ? "takes" : "refuses", s);
	ok(scan(copy, len) == want, name);
	free(copy);
}

/* What the list holds is separated by blanks. */
static void
check_all(Scanner scan, const char *list, bool want)
{
	char		one[300];
	int			n;

	while (sscanf(list, " %299s%n", one, &n) == 1)
	{
		check(scan, one, want);
		list += n;
	}
}

int
main(void)
{
	/* the examples of RFC 5646 appendix A, and each of its grandfathered tags */
	check_all(atid_language_syntax,
			  "de fr ja i-enochian zh-Hant zh-Hans sr-Cyrl sr-Latn zh-cmn-Hans-CN cmn-Hans-CN "
			  "zh-yue-HK yue-HK zh-Hans-CN sr-Latn-RS sl-rozaj sl-rozaj-biske sl-nedis de-CH-1901 "
			  "sl-IT-nedis hy-Latn-IT-arevela de-DE en-US es-419 "
			  "de-CH-x-phonebk az-Arab-x-AZE-derbend "
			  "x-whatever qaa-Qaaa-QM-x-southern de-Qaaa sr-Latn-QM sr-Qaaa-RS en-US-u-islamcal "
			  "zh-CN-a-myext-x-private en-a-myext-b-another ar-a-aaa-b-bbb-a-ccc", true);
	check_all(atid_language_syntax,
			  "en-GB-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo "
			  "i-pwn i-tao i-tay i-tsu sgn-BE-FR sgn-BE-NL sgn-CH-DE art-lojban cel-gaulish no-bok "
			  "no-nyn zh-guoyu zh-hakka zh-min zh-min-nan zh-xiang I-KLINGON SGN-be-fr", true);
	check_all(atid_language_syntax,
			  "JA jaja abcdefgh de-1996-1996 X-a-b en-x-1-2 zh-min-nan-yue aa-aaa-aaa-aaa", true);
	check_all(atid_language_syntax,
			  "de-419-DE a-DE ar-a-aaa-b x en-x en-a x- en- -en en--US "
			  "i-other abcdefghi en-abcdefghi "
			  "1en en-U$ aa-aaa-aaa-aaa-aaa abcd-abc en-12 en-123-US-US "
			  "en-abcd-abcd en-x-123456789 "
			  "en-a-b-cc en-a-x en-a-123456789 j . 123 en_US", false);
	check(atid_language_syntax, "", false);
	check(atid_language_syntax, "en US", false);

	check_all(atid_uri_syntax,
			  "https://example.com "
			  "https://example.com/path?q=blah&yes=true#frag.123 dns:example.com "
			  "at://did:plc:x/a.b.c/r did:key:zQ3 go://?Mercedes%20Benz urn:x:y http://[::1]:80/a "
			  "a+b-c.d:x file:///etc/passwd mailto:a@b.c x:? x:# x:/ x:// x:%41 x:a?b?c/d#e?f/g "
			  "ftp://user:pass@host", true);
	check_all(atid_uri_syntax,
			  "example.com ://x //x http: :x 1http:x -http:x .http:x http://a/%4 http://a/%zz x:% "
			  "x:%4 http://a#b#c http://a/[b] http://a?b[]=c x:[ x:a|b "
			  "x:\"a\" x:<a> x:a\\b x:a^b x:{a} "
			  "x:\xc3\xbc h_t:x", false);
	check(atid_uri_syntax, "", false);
	check(atid_uri_syntax, "x:a b", false);
	check(atid_uri_syntax, " x:a", false);
	check(atid_uri_syntax, "x:a ", false);
	ok(!atid_uri_syntax("x:a\0b", 5), "refuses a zero byte");
	ok(atid_uri_length(8192) && !atid_uri_length(8193), "8192 bytes at most");
	return done();
}
