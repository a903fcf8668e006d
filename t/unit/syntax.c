/*-------------------------------------------------------------------------
 *
 * syntax.c
 *		The scanners over each byte value, over every length, and on strings
 *		whose end is the end of their memory, so that reading on is found.
 *
 *-------------------------------------------------------------------------
 */
#include "syntax.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* A copy with nothing after it, not even a terminator. */
static char *
exact(const char *s, size_t len)
{
	char	   *copy = malloc(len ? len : 1);

	memcpy(copy, s, len);
	return copy;
}

static bool
key(const char *s, bool colon)
{
	char	   *copy = exact(s, strlen(s));
	bool		result = atid_syntax_key(copy, strlen(s), colon);

	free(copy);
	return result;
}

static bool
nsid(const char *s)
{
	char	   *copy = exact(s, strlen(s));
	bool		result = atid_syntax_nsid(copy, strlen(s));

	free(copy);
	return result;
}

static AtidTidSyntax
tid(const char *s, size_t *at)
{
	char	   *copy = exact(s, strlen(s));
	AtidTidSyntax result = atid_syntax_tid(copy, strlen(s), at);

	free(copy);
	return result;
}

/* n times c, then rest */
static const char *
repeat(char c, size_t n, const char *rest)
{
	static char buffer[1024];

	memset(buffer, c, n);
	strcpy(buffer + n, rest);
	return buffer;
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

		if (atid_syntax_key(s, 3, false) != legal ||
			atid_syntax_key(s, 3, true) != (legal || c == ':'))
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
test_tid(void)
{
	size_t		at = 99;

	ok(tid("3jzfcijpj2z2a", &at) == ATID_TID_OK, "tid: 3jzfcijpj2z2a");
	ok(tid("", &at) == ATID_TID_LENGTH, "tid: not empty");
	ok(tid("3jzfcijpj2z2", &at) == ATID_TID_LENGTH, "tid: not 12 characters");
	ok(tid("3jzfcijpj2z2aa", &at) == ATID_TID_LENGTH, "tid: not 14");
	ok(tid("3jzfcijpj2z2a\xC3\xA9", &at) == ATID_TID_LENGTH,
	   "tid: nor 13 and a letter of two bytes");
	ok(tid("zzzzzzzzzzzzz", &at) == ATID_TID_FIRST && at == 0, "tid: first not above j");
	ok(tid("3jzf-cij-pj2z-2a", &at) == ATID_TID_CHARACTER && at == 4,
	   "tid: no hyphen, and where it is");
	ok(tid("3jzfcijpj2z21", &at) == ATID_TID_CHARACTER && at == 12, "tid: no 1, and where it is");
	ok(tid("3jzfcij ", &at) == ATID_TID_CHARACTER && at == 7,
	   "tid: the first fault from the left is told");
}

int
main(void)
{
	test_key();
	test_nsid();
	test_tid();
	return done();
}
