/*-------------------------------------------------------------------------
 *
 * format.c
 *		URIs, language tags, CIDs and their faults, and the names of all formats.
 *		Strings end where their memory does.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/format.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

typedef AtidFault (*Scanner) (const char *s, size_t len, size_t *at);

static void
check(Scanner scan, const char *s, bool want)
{
	size_t		len = strlen(s);
	char	   *copy = exact(s, len);
	char		name[120];
	size_t		at = 99999;
	AtidFault	fault = scan(copy, len, &at);

	snprintf(name, sizeof(name), "%s %.80s", want ? "takes" : "refuses", s);
	ok((fault == ATID_OK) == want && at <= len, name);
	free(copy);
}

/* The first fault, and its place. */
static void
says(Scanner scan, const char *s, AtidFault want, size_t want_at)
{
	size_t		len = strlen(s);
	char	   *copy = exact(s, len);
	char		name[200];
	size_t		at = 99999;
	AtidFault	fault = scan(copy, len, &at);

	snprintf(name, sizeof(name), "%.40s, at %zu: %s", s, want_at, atid_fault_words(want));
	ok(fault == want && at == want_at, name);
	if (fault != want || at != want_at)
		printf("# got \"%s\" at %zu\n", atid_fault_words(fault), at);
	free(copy);
}

/* n times c, then rest */
static const char *
repeat(char c, size_t n, const char *rest)
{
	static char buffer[16384];

	memset(buffer, c, n);
	strcpy(buffer + n, rest);
	return buffer;
}

static void
test_faults(void)
{
	says(atid_uri_scan, "", ATID_URI_SCHEME, 0);
	says(atid_uri_scan, "1x:a", ATID_URI_SCHEME, 0);
	says(atid_uri_scan, "a_b:c", ATID_URI_SCHEME, 1);
	says(atid_uri_scan, "http", ATID_URI_SCHEME, 4);
	says(atid_uri_scan, ":a", ATID_URI_SCHEME, 0);
	says(atid_uri_scan, "http:", ATID_URI_EMPTY, 5);
	says(atid_uri_scan, "http://a b", ATID_URI_CHARACTER, 8);
	says(atid_uri_scan, "http://a/\xc3\xbc", ATID_URI_CHARACTER, 9);
	says(atid_uri_scan, "http://a/%4", ATID_URI_ESCAPE, 9);
	says(atid_uri_scan, "http://a/%zz", ATID_URI_ESCAPE, 9);
	says(atid_uri_scan, "http://a#b#c", ATID_URI_FRAGMENT, 10);
	says(atid_uri_scan, "http://[::1]/[", ATID_URI_BRACKET, 13);
	says(atid_uri_scan, repeat('x', 8191, ":"), ATID_URI_EMPTY, 8192);
	says(atid_uri_scan, repeat('x', 8192, ":"), ATID_URI_LENGTH, 8192);
	says(atid_uri_scan, repeat('x', 8190, ":a"), ATID_OK, 8192);
	says(atid_uri_scan, repeat('x', 8190, ":ab"), ATID_URI_LENGTH, 8192);
	says(atid_uri_scan, repeat('x', 8188, ":%41"), ATID_OK, 8192);
	says(atid_uri_scan, repeat('x', 8189, ":%41"), ATID_URI_LENGTH, 8192);
	says(atid_uri_scan, repeat('x', 8190, ":%41"), ATID_URI_LENGTH, 8192);
	says(atid_uri_scan, repeat('x', 8190, ":%4"), ATID_URI_ESCAPE, 8191);

	says(atid_language_scan, "", ATID_LANGUAGE_SUBTAG, 0);
	says(atid_language_scan, "en_US", ATID_LANGUAGE_CHARACTER, 2);
	says(atid_language_scan, "en-\xc3\xbc", ATID_LANGUAGE_CHARACTER, 3);
	says(atid_language_scan, "en--US", ATID_LANGUAGE_SUBTAG, 3);
	says(atid_language_scan, "en-", ATID_LANGUAGE_SUBTAG, 3);
	says(atid_language_scan, "abcdefghi", ATID_LANGUAGE_SUBTAG, 8);
	says(atid_language_scan, "en-x-123456789", ATID_LANGUAGE_SUBTAG, 13);
	says(atid_language_scan, "1en", ATID_LANGUAGE_FIRST, 0);
	says(atid_language_scan, "i-other", ATID_LANGUAGE_FIRST, 0);
	says(atid_language_scan, "en-US-Latn", ATID_LANGUAGE_PLACE, 6);
	says(atid_language_scan, "abcd-abc", ATID_LANGUAGE_PLACE, 5);
	says(atid_language_scan, "en-a", ATID_LANGUAGE_EXTENSION, 4);
	says(atid_language_scan, "en-a-x", ATID_LANGUAGE_EXTENSION, 5);
	says(atid_language_scan, "en-a-bb-b-c", ATID_LANGUAGE_EXTENSION, 10);
	says(atid_language_scan, "en-a-_", ATID_LANGUAGE_CHARACTER, 5);
	says(atid_language_scan, "x", ATID_LANGUAGE_PRIVATE, 1);
	says(atid_language_scan, "en-x", ATID_LANGUAGE_PRIVATE, 4);
	says(atid_language_scan, "en-x-", ATID_LANGUAGE_SUBTAG, 5);

	says(atid_cid_string_scan, "", ATID_CID_STRING_LENGTH, 0);
	says(atid_cid_string_scan, "1234567", ATID_CID_STRING_LENGTH, 7);
	says(atid_cid_string_scan, "12345678", ATID_OK, 0);
	says(atid_cid_string_scan, "QmbWqxBE", ATID_CID_STRING_V0, 0);
	says(atid_cid_string_scan, "1234567.", ATID_CID_STRING_CHARACTER, 7);
	says(atid_cid_string_scan, repeat('x', 255, "+"), ATID_OK, 0);
	says(atid_cid_string_scan, repeat('x', 256, "+"), ATID_CID_STRING_LENGTH, 256);
	says(atid_cid_string_scan, repeat('x', 256, "-"), ATID_CID_STRING_LENGTH, 256);
	says(atid_cid_string_scan, repeat('x', 255, "-"), ATID_CID_STRING_CHARACTER, 255);
}

/* The names of the list, which are in the order of the enum; and no others. */
static void
test_names(void)
{
	const char *list = ATID_FORMAT_LIST;
	char		name[40];
	int			n;
	int			count = 0;
	AtidFormat	format;
	size_t		at;

	while (sscanf(list, " %39[^,]%n", name, &n) == 1)
	{
		char	   *copy = exact(name, strlen(name));

		ok(atid_format_by_name(copy, strlen(name), &format) && (int) format == count, name);
		ok(atid_format_scan(format, "\xff", 1, &at) != ATID_OK && at == 0, "has a rule");
		free(copy);
		count++;
		list += n;
		list += *list == ',';
	}
	ok(count == ATID_FORMAT_COUNT, "all formats have a name");
	ok(!atid_format_by_name("", 0, &format) && !atid_format_by_name("DID", 3, &format) &&
	   !atid_format_by_name("di", 2, &format) && !atid_format_by_name("did\0", 4, &format),
	   "no others");
}

/* The list is separated by blanks. */
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
	size_t		at;

	/* the examples of RFC 5646 appendix A, and each of its grandfathered tags */
	check_all(atid_language_scan,
			  "de fr ja i-enochian zh-Hant zh-Hans sr-Cyrl sr-Latn zh-cmn-Hans-CN cmn-Hans-CN "
			  "zh-yue-HK yue-HK zh-Hans-CN sr-Latn-RS sl-rozaj sl-rozaj-biske sl-nedis de-CH-1901 "
			  "sl-IT-nedis hy-Latn-IT-arevela de-DE en-US es-419 "
			  "de-CH-x-phonebk az-Arab-x-AZE-derbend "
			  "x-whatever qaa-Qaaa-QM-x-southern de-Qaaa sr-Latn-QM sr-Qaaa-RS en-US-u-islamcal "
			  "zh-CN-a-myext-x-private en-a-myext-b-another ar-a-aaa-b-bbb-a-ccc", true);
	check_all(atid_language_scan,
			  "en-GB-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo "
			  "i-pwn i-tao i-tay i-tsu sgn-BE-FR sgn-BE-NL sgn-CH-DE art-lojban cel-gaulish no-bok "
			  "no-nyn zh-guoyu zh-hakka zh-min zh-min-nan zh-xiang I-KLINGON SGN-be-fr", true);
	check_all(atid_language_scan,
			  "JA jaja abcdefgh de-1996-1996 X-a-b en-x-1-2 zh-min-nan-yue aa-aaa-aaa-aaa", true);
	check_all(atid_language_scan,
			  "de-419-DE a-DE ar-a-aaa-b x en-x en-a x- en- -en en--US "
			  "i-other abcdefghi en-abcdefghi "
			  "1en en-U$ aa-aaa-aaa-aaa-aaa abcd-abc en-12 en-123-US-US "
			  "en-abcd-abcd en-x-123456789 "
			  "en-a-b-cc en-a-x en-a-123456789 j . 123 en_US", false);
	check(atid_language_scan, "", false);
	check(atid_language_scan, "en US", false);

	check_all(atid_uri_scan,
			  "https://example.com "
			  "https://example.com/path?q=blah&yes=true#frag.123 dns:example.com "
			  "at://did:plc:x/a.b.c/r did:key:zQ3 go://?Mercedes%20Benz urn:x:y http://[::1]:80/a "
			  "a+b-c.d:x file:///etc/passwd mailto:a@b.c x:? x:# x:/ x:// x:%41 x:a?b?c/d#e?f/g "
			  "ftp://user:pass@host", true);
	check_all(atid_uri_scan,
			  "example.com ://x //x http: :x 1http:x -http:x .http:x http://a/%4 http://a/%zz x:% "
			  "x:%4 http://a#b#c http://a/[b] http://a?b[]=c x:[ x:a|b "
			  "x:\"a\" x:<a> x:a\\b x:a^b x:{a} "
			  "x:\xc3\xbc h_t:x", false);
	check(atid_uri_scan, "", false);
	check(atid_uri_scan, "x:a b", false);
	check(atid_uri_scan, " x:a", false);
	check(atid_uri_scan, "x:a ", false);
	ok(atid_uri_scan("x:a\0b", 5, &at) == ATID_URI_CHARACTER && at == 3, "refuses a zero byte");
	test_faults();
	test_names();
	return done();
}
