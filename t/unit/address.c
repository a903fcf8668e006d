/*-------------------------------------------------------------------------
 *
 * address.c
 *		The scanners of names: what they accept, and the fault and place of what they
 *		refuse; normalization.  Strings end where their memory does.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/address.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

/* n times c, then rest */
static const char *
repeat(char c, size_t n, const char *rest)
{
	static char buffer[16384];

	memset(buffer, c, n);
	strcpy(buffer + n, rest);
	return buffer;
}

typedef AtidFault (*Scanner) (const char *s, size_t len, size_t *at);

static AtidFault
at_uri(const char *s, size_t len, size_t *at)
{
	AtidAtUri	uri;

	return atid_at_uri_scan(s, len, &uri, at);
}

/* Check the fault that the scanner returns, and its place. */
static void
says(Scanner scan, const char *s, AtidFault want, size_t want_at)
{
	size_t		at = 99999;
	char	   *copy = exact(s, strlen(s));
	AtidFault	got = scan(copy, strlen(s), &at);
	char		name[200];

	free(copy);
	snprintf(name, sizeof(name), "%.60s%s: %s", s, strlen(s) > 60 ? "..." : "",
			 want == ATID_OK ? "taken" : atid_fault_words(want));
	ok(got == want && (want == ATID_OK || at == want_at), name);
	if (got != want || (want != ATID_OK && at != want_at))
		printf("# got  \"%s\" at %zu\n# want \"%s\" at %zu\n",
			   atid_fault_words(got), at, atid_fault_words(want), want_at);
}

static bool
nsid(const char *s)
{
	char	   *copy = exact(s, strlen(s));
	bool		result = atid_nsid_is_valid(copy, strlen(s));

	free(copy);
	return result;
}

static bool
key(const char *s, bool colon)
{
	char	   *copy = exact(s, strlen(s));
	bool		result = atid_record_key_ok(copy, strlen(s), colon);

	free(copy);
	return result;
}

static void
test_did(void)
{
	says(atid_did_scan, "did:plc:ewvi7nxzyoun6zhxrhs64oiz", ATID_OK, 0);
	says(atid_did_scan, "did:method::::val", ATID_OK, 0);
	says(atid_did_scan, "did:m:v", ATID_OK, 0);
	says(atid_did_scan, "did:web:localhost%3A1234", ATID_OK, 0);
	says(atid_did_scan, "did:method:val%zz", ATID_OK, 0);
	says(atid_did_scan, "", ATID_DID_PREFIX, 0);
	says(atid_did_scan, "did", ATID_DID_PREFIX, 3);
	says(atid_did_scan, "diD:plc:x", ATID_DID_PREFIX, 2);
	says(atid_did_scan, "did:", ATID_DID_METHOD, 4);
	says(atid_did_scan, "did:plc", ATID_DID_METHOD, 7);
	says(atid_did_scan, "did:m123:val", ATID_DID_METHOD, 5);
	says(atid_did_scan, "did::val", ATID_DID_METHOD, 4);
	says(atid_did_scan, "did:method:", ATID_DID_END, 10);
	says(atid_did_scan, "did:method:val:", ATID_DID_END, 14);
	says(atid_did_scan, "did:method:val%", ATID_DID_END, 14);
	says(atid_did_scan, "did:method:val/two", ATID_DID_CHARACTER, 14);
	says(atid_did_scan, "did:method:\xc3\xbc", ATID_DID_CHARACTER, 11);
	{
		char		s[ATID_DID_MAX + 2] = "did:web:";

		strcat(s, repeat('x', ATID_DID_MAX - 8, ""));
		says(atid_did_scan, s, ATID_OK, 0);
		strcat(s, "x");
		says(atid_did_scan, s, ATID_DID_LENGTH, ATID_DID_MAX);
		memset(s + 4, 'm', ATID_DID_MAX - 3);
		says(atid_did_scan, s, ATID_DID_LENGTH, ATID_DID_MAX);
	}
}

static void
test_handle(void)
{
	says(atid_handle_scan, "jay.bsky.social", ATID_OK, 0);
	says(atid_handle_scan, "XX.LCS.MIT.EDU", ATID_OK, 0);
	says(atid_handle_scan, "8.cn", ATID_OK, 0);
	says(atid_handle_scan, "name.t--t", ATID_OK, 0);
	says(atid_handle_scan, "", ATID_HANDLE_SEGMENT_LENGTH, 0);
	says(atid_handle_scan, "org", ATID_HANDLE_SEGMENTS, 3);
	says(atid_handle_scan, "name.org.", ATID_HANDLE_SEGMENT_LENGTH, 9);
	says(atid_handle_scan, ".john.test", ATID_HANDLE_SEGMENT_LENGTH, 0);
	says(atid_handle_scan, "john..test", ATID_HANDLE_SEGMENT_LENGTH, 5);
	says(atid_handle_scan, "john.0", ATID_HANDLE_LAST, 5);
	says(atid_handle_scan, "john.-est", ATID_HANDLE_HYPHEN, 5);
	says(atid_handle_scan, "joh-.test", ATID_HANDLE_HYPHEN, 3);
	says(atid_handle_scan, "jo@hn.test", ATID_HANDLE_CHARACTER, 2);
	says(atid_handle_scan, "did:plc:x", ATID_HANDLE_CHARACTER, 3);
	says(atid_handle_scan, repeat('o', 63, ".test"), ATID_OK, 0);
	says(atid_handle_scan, repeat('o', 64, ".test"), ATID_HANDLE_SEGMENT_LENGTH, 63);
	says(atid_handle_scan, repeat('o', 9000, ".test"), ATID_HANDLE_SEGMENT_LENGTH, 63);
	{
		char		s[400] = "";

		for (int i = 0; i < 126; i++)
			strcat(s, "a.");
		strcat(s, "a");
		says(atid_handle_scan, s, ATID_OK, 0);
		strcat(s, "b");
		says(atid_handle_scan, s, ATID_HANDLE_LENGTH, 253);
		s[253] = '.';
		says(atid_handle_scan, s, ATID_HANDLE_LENGTH, 253);
		s[253] = ' ';
		says(atid_handle_scan, s, ATID_HANDLE_CHARACTER, 253);
	}
}

static void
test_nsid(void)
{
	ok(nsid("com.example.fooBar"), "nsid: com.example.fooBar");
	ok(nsid("a.b.c"), "nsid: a.b.c");
	ok(nsid("cn.8.lex.stuff"), "nsid: a later segment may start with a digit");
	ok(!nsid("8.cn.lex"), "nsid: the first may not");
	ok(!nsid("com.example.3"), "nsid: nor may the name");
	ok(!nsid("com.example.f-o") && nsid("com.ex-ample.foo"),
	   "nsid: a hyphen in a segment, not in the name");
	ok(!nsid("com.-example.foo") && !nsid("com.example-.foo"), "nsid: inner hyphens only");
	ok(!nsid("") && !nsid("com") && !nsid("com.example"), "nsid: three segments at least");
	ok(!nsid("com..foo") && !nsid(".com.example.foo") && !nsid("com.example.foo."),
	   "nsid: no empty segment");
	ok(!nsid("com.exa_mple.foo") && !nsid("com.example.fo o"), "nsid: no other character");

	ok(nsid(repeat('o', 63, ".example.foo")), "nsid: a first segment of 63");
	ok(!nsid(repeat('o', 64, ".example.foo")), "nsid: not of 64");

	{
		char		s[400] = "";

		/* 63 + 1 + 63 + 1 + 63 + 1 + 61 is an authority of 253 */
		for (int i = 0; i < 3; i++)
			strcat(strcat(s, repeat('a', 63, "")), ".");
		strcat(s, repeat('a', 61, ""));
		strcat(strcat(s, "."), repeat('n', 63, ""));
		ok(strlen(s) == 317 && nsid(s), "nsid: an authority of 253 and a name of 63: 317 in all");
		s[strlen(s) - 63] = '\0';
		ok(!nsid(s), "nsid: without its name it is none");
		strcat(s, repeat('n', 64, ""));
		ok(!nsid(s), "nsid: not a name of 64");
	}
	{
		char		s[400] = "";

		for (int i = 0; i < 3; i++)
			strcat(strcat(s, repeat('a', 63, "")), ".");
		strcat(s, repeat('a', 62, ".n"));
		ok(strlen(s) == 256 && !nsid(s), "nsid: not an authority of 254");
	}
}

static void
test_nsid_faults(void)
{
	says(atid_nsid_scan, "com.exa\xf0\x9f\x92\xa9ple.thing", ATID_NSID_CHARACTER, 7);
	says(atid_nsid_scan, "com.example", ATID_NSID_SEGMENTS, 11);
	says(atid_nsid_scan, "com.example.3", ATID_NSID_NAME, 12);
	says(atid_nsid_scan, "com.example.f-o", ATID_NSID_NAME, 13);
	says(atid_nsid_scan, "1.0.0.127.record", ATID_NSID_FIRST, 0);
	says(atid_nsid_scan, "com.example-.foo", ATID_NSID_HYPHEN, 11);
	says(atid_nsid_scan, "com..example.foo", ATID_NSID_SEGMENT_LENGTH, 4);
	{
		char		s[700] = "";

		for (int i = 0; i < 127; i++)
			strcat(s, "a.");
		strcat(s, "n");
		says(atid_nsid_scan, s, ATID_OK, 0);
		s[254] = 'b';
		strcat(s, ".n");
		says(atid_nsid_scan, s, ATID_NSID_AUTHORITY_LENGTH, 256);
		for (int i = 0; i < 100; i++)
			strcat(s, ".n");
		says(atid_nsid_scan, s, ATID_NSID_LENGTH, ATID_NSID_MAX);
	}
}

static void
test_key(void)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_~";
	int			wrong = 0;

	for (int c = 0; c < 256; c++)
	{
		char		s[3] = {'x', (char) c, 'x'};
		bool		legal = c != 0 && strchr(letters, c) != NULL;

		if (atid_record_key_ok(s, 3, false) != legal ||
			atid_record_key_ok(s, 3, true) != (legal || c == ':'))
			wrong++;
	}
	is_u64((uint64_t) wrong, 0, "key: each byte is taken or refused as the rule says");

	ok(!key("", true), "key: not empty");
	ok(key("x", true), "key: one character");
	ok(key(repeat('x', 512, ""), false), "key: 512 characters");
	ok(!key(repeat('x', 513, ""), true), "key: not 513");
	ok(!key(".", true) && !key("..", true) && key("...", false), "key: not . and not .., but ...");
}

static void
test_at_uri(void)
{
	static const char uri[] =
		"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3jzfcijpj2z2a";
	AtidAtUri	parts;
	size_t		at;

	ok(atid_at_uri_scan(uri, strlen(uri), &parts, &at) == ATID_OK &&
	   parts.authority == uri + 5 && parts.authority_len == 32 &&
	   parts.collection == uri + 38 && parts.collection_len == 18 &&
	   parts.rkey == uri + 57 && parts.rkey_len == 13, "at-uri: its parts");
	ok(atid_at_uri_scan(uri, 56, &parts, &at) == ATID_OK &&
	   parts.collection_len == 18 && parts.rkey == NULL && parts.rkey_len == 0,
	   "at-uri: no record key");
	ok(atid_at_uri_scan(uri, 37, &parts, &at) == ATID_OK &&
	   parts.authority_len == 32 && parts.collection == NULL && parts.collection_len == 0,
	   "at-uri: no collection");

	says(at_uri, "at://XX.LCS.MIT.EDU/COM.example.foo/:", ATID_OK, 0);
	says(at_uri, "", ATID_AT_URI_PREFIX, 0);
	says(at_uri, "AT://a.b", ATID_AT_URI_PREFIX, 0);
	says(at_uri, "at:/", ATID_AT_URI_PREFIX, 4);
	says(at_uri, "at://", ATID_AT_URI_EMPTY, 5);
	says(at_uri, "at:///a.b.c", ATID_AT_URI_EMPTY, 5);
	says(at_uri, "at://a.b/", ATID_AT_URI_EMPTY, 9);
	says(at_uri, "at://a.b//r", ATID_AT_URI_EMPTY, 9);
	says(at_uri, "at://a.b/c.d.e/", ATID_AT_URI_EMPTY, 15);
	says(at_uri, "at://a.b/c.d.e/r/", ATID_AT_URI_PARTS, 17);
	says(at_uri, "at://a.b/c.d.e/r/s", ATID_AT_URI_PARTS, 17);
	says(at_uri, "at://a.b?q", ATID_AT_URI_EXTRA, 8);
	says(at_uri, "at://a.b/c.d.e#/f", ATID_AT_URI_EXTRA, 14);
	says(at_uri, "at://a.b/c.d.e/r?q", ATID_AT_URI_EXTRA, 16);
	says(at_uri, "at://name", ATID_HANDLE_SEGMENTS, 9);
	says(at_uri, "at://@a.b", ATID_HANDLE_CHARACTER, 5);
	says(at_uri, "at://did:plc:", ATID_DID_END, 12);
	says(at_uri, "at://did:plc:x/short/stuff", ATID_NSID_SEGMENTS, 20);
	says(at_uri, "at://a.b/c.d.e/.", ATID_RECORD_KEY_DOTS, 15);
	says(at_uri, "at://a.b/c.d.e/..", ATID_RECORD_KEY_DOTS, 15);
	says(at_uri, "at://a.b/c.d.e/%30", ATID_RECORD_KEY_CHARACTER, 15);
	says(at_uri, "at://a.b/c.d.e/r ", ATID_RECORD_KEY_CHARACTER, 16);
	{
		char		s[600] = "at://a.b/c.d.e/";

		strcat(s, repeat('o', 512, ""));
		says(at_uri, s, ATID_OK, 0);
		strcat(s, "o");
		says(at_uri, s, ATID_RECORD_KEY_LENGTH, 15 + 512);
	}
}

/* The normalized spelling; other texts stay as they are. */
static void
normalizes(const char *s, const char *want)
{
	size_t		len = strlen(s);
	char	   *copy = exact(s, len);
	AtidFault	fault = atid_at_uri_fold_case(copy, len);
	char		name[200];

	snprintf(name, sizeof(name), "normalized: %s", s);
	ok((fault == ATID_OK) == atid_at_uri_is_valid(s, len) && strlen(want) == len &&
	   memcmp(copy, want, len) == 0, name);
	free(copy);
}

static void
test_normalize(void)
{
	static const char nsid[] = "COM.Ex-4mple.fooBar";
	char	   *copy = exact(nsid, strlen(nsid));

	is_u64(atid_nsid_authority_len(nsid, strlen(nsid)), 12, "nsid: its authority");
	atid_nsid_fold_case(copy, strlen(nsid));
	ok(memcmp(copy, "com.ex-4mple.fooBar", strlen(nsid)) == 0, "nsid: normalized");
	free(copy);

	normalizes("at://XX.LCS.MIT.EDU", "at://xx.lcs.mit.edu");
	normalizes("at://A.Zz/C.Dd.eF", "at://a.zz/c.dd.eF");
	normalizes("at://A.B/C.D.E/Rk.Ey", "at://a.b/c.d.E/Rk.Ey");
	normalizes("at://did:web:A.B%3A/C.D.E/R", "at://did:web:A.B%3A/c.d.E/R");
	normalizes("at://A.B/C.D/R", "at://A.B/C.D/R");
	normalizes("AT://A.B", "AT://A.B");
}

/* Each byte, in each kind of part. */
static void
test_bytes(void)
{
	static const struct
	{
		const char *start;
		const char *takes;
	}			part[] = {
		{"at://did:web:x", ".-_:%"},
		{"at://x", "-."},
		{"at://a.b/c.d", "-."},
		{"at://a.b/c.d.e/x", ".-_:~"}
	};
	int			wrong = 0;

	for (size_t p = 0; p < sizeof(part) / sizeof(part[0]); p++)
	{
		for (int c = 0; c < 256; c++)
		{
			char		s[32];
			size_t		len = strlen(part[p].start);
			bool		letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9');

			memcpy(s, part[p].start, len);
			s[len] = (char) c;
			memcpy(s + len + 1, p == 3 ? "x" : "x.y.z", p == 3 ? 1 : 5);
			/* a slash begins another part */
			if (c == '/')
				continue;
			if (atid_at_uri_is_valid(s, len + (p == 3 ? 2 : 6)) !=
				(letter || (c != 0 && strchr(part[p].takes, c) != NULL)))
				wrong++;
		}
	}
	is_u64((uint64_t) wrong, 0, "at-uri: each byte in each part is taken as its rule says");
}

int
main(void)
{
	test_did();
	test_handle();
	test_nsid();
	test_nsid_faults();
	test_key();
	test_at_uri();
	test_normalize();
	test_bytes();
	return done();
}
