/*-------------------------------------------------------------------------
 *
 * packed.c
 *		The packed forms of DIDs and AT URIs: their bytes, which are frozen, and
 *		for a million pairs (with script/test --full, else 200,000) their order,
 *		sort keys and scopes.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/packed.h"

#include <stdlib.h>
#include <string.h>

#include "codec/text/address.h"
#include "tap.h"

#define PAIRS	(in_full() ? 1000000 : 200000)
#define TEXT	160

static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);

/* One of 0 to n - 1. */
static size_t
pick(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t) (state >> 11) % n;
}

static void
add(char *s, const char *more)
{
	strcat(s, more);
}

/* n characters of a set */
static void
add_of(char *s, const char *set, size_t n)
{
	size_t		len = strlen(s);

	for (size_t i = 0; i < n; i++)
		s[len++] = set[pick(strlen(set))];
	s[len] = '\0';
}

static const char digits[] = "234567abcdefghijklmnopqrstuvwxyz";
static const char near_digits[] = "234567abcdefghijklmnopqrstuvwxyz1890ABZ._-";

static void
random_did(char *s)
{
	static const char *const fixed[] = {
		"did:plc:", "did:plb:", "did:plcc:", "did:web:", "did:a:", "did:z:", "did:pl:"
	};

	strcpy(s, "did:plc:");
	switch (pick(8))
	{
		case 0:
			strcpy(s, fixed[pick(7)]);
			add_of(s, near_digits, pick(30));
			break;
		case 1:
			add_of(s, near_digits, 20 + pick(6));
			break;
		case 2:
			strcpy(s, "did:plc:22222222222222222222222");
			add_of(s, near_digits, pick(3));
			break;
		case 3:
			/* 15 characters */
			strcpy(s, "did:web:abc.de");
			break;
		default:
			add_of(s, digits, 24);
			break;
	}
	add_of(s, "xyz2", 1);
}

static void
random_handle(char *s)
{
	static const char *const first[] = {"di", "did", "did-plc", "a", "z", "DID", "did.plc"};

	strcpy(s, first[pick(7)]);
	add(s, ".");
	add_of(s, "abz", 1 + pick(3));
	if (pick(3) == 0)
		add_of(s, "ABz", 1 + pick(8));
}

static void
random_uri(char *s)
{
	static const char *const collection[] = {
		"app.bsky.feed.like", "app.bsky.feed.like", "app.bsky.feed.post", "app.bsky.feed",
		"app.bsky.feed.like-x.y", "app.bsky.feed.like.x", "App.bsky.feed.like"
	};
	char		authority[TEXT];

	strcpy(s, "at://");
	if (pick(4) == 0)
		random_handle(authority);
	else
		random_did(authority);
	/* random_did() adds a character, so that a DID never ends in a bad one */
	if (strncmp(authority, "did:plc:", 8) == 0 && strlen(authority) == 33 && pick(8) != 0)
		authority[32] = '\0';
	add(s, authority);
	if (pick(8) == 0)
		return;
	add(s, "/");
	add(s, collection[pick(7)]);
	if (pick(8) == 0)
		return;
	add(s, "/");
	switch (pick(6))
	{
		case 0:
			add_of(s, near_digits, 1 + pick(14));
			break;
		case 1:
			add(s, "3jzfcijpj2z2");
			add_of(s, near_digits, pick(3));
			break;
		case 2:
			add(s, "k");
			add_of(s, digits, 12);
			break;
		default:
			add_of(s, "23abj", 1);
			add_of(s, digits, 12);
			break;
	}
}

/* Now and then, a text that is similar to another. */
static void
near(char *s, const char *other)
{
	size_t		len = strlen(other);

	switch (pick(5))
	{
		case 0:
			strcpy(s, other);
			break;
		case 1:
			strcpy(s, other);
			add_of(s, "2az-./0:", 1);
			break;
		case 2:
			strcpy(s, other);
			s[5 + pick(len - 5)] = near_digits[pick(strlen(near_digits))];
			break;
		case 3:
			strcpy(s, other);
			s[len - 1 - pick(len / 2)] = '\0';
			break;
		case 4:
			strcpy(s, other);
			if (strrchr(s, '/') != NULL)
				*strrchr(s, '/') = '\0';
			break;
	}
}

static int
sign(int n)
{
	return (n > 0) - (n < 0);
}

/* Is the second text the first, or its beginning up to a slash? */
static bool
text_within(const char *s, const char *scope)
{
	size_t		len = strlen(scope);

	return strncmp(s, scope, len) == 0 && (s[len] == '\0' || s[len] == '/');
}

/* Is the account, or the collection, of an AT URI packed like its own text? */
static bool
scope_is_packed(const char *s, const uint8_t *packed, size_t len, bool collection)
{
	AtidPackedUri uri;
	uint8_t		got[TEXT];
	uint8_t		want[TEXT];
	size_t		got_len;
	size_t		want_len;
	const char *end = strchr(s + 5, '/');

	if (!atid_at_uri_open(packed, len, &uri))
		return false;
	if (collection && uri.collection_len == 0)
		return true;
	if (collection)
		end = strchr(end + 1, '/');
	want_len = atid_at_uri_pack(s, end ? (size_t) (end - s) : strlen(s), want);
	got_len = atid_at_uri_scope(packed, &uri, collection, got);
	return got_len == want_len && memcmp(got, want, want_len) == 0;
}

typedef struct Form
{
	size_t		(*pack) (const char *s, size_t len, uint8_t *dst);
	size_t		(*text_len) (const uint8_t *packed, size_t len);
	void		(*unpack) (const uint8_t *packed, size_t len, char *dst);
	int			(*compare) (const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);
	int			(*compare_text) (const uint8_t *packed, size_t len, const char *s, size_t s_len);
	uint64_t	(*sort_key) (const uint8_t *packed, size_t len);
	bool		(*valid) (const char *s, size_t len);
	void		(*random) (char *s);
	const char *name;
} Form;

static const Form did_form = {
	atid_did_pack, atid_did_text_len, atid_did_unpack, atid_did_compare,
	atid_did_compare_text, atid_did_sort_key, atid_did_is_valid, random_did, "did"
};

static const Form at_uri_form = {
	atid_at_uri_pack, atid_at_uri_text_len, atid_at_uri_unpack, atid_at_uri_compare,
	atid_at_uri_compare_text, atid_at_uri_sort_key, atid_at_uri_is_valid, random_uri, "at-uri"
};

/* Is a URI within the repository of its own DID, or of another? */
static bool
within_did_is_right(const char *uri)
{
	char		scope[TEXT] = "at://";
	char	   *did = scope + 5;
	uint8_t		packed_uri[TEXT],
				packed_did[TEXT];
	size_t		uri_len = atid_at_uri_pack(uri, strlen(uri), packed_uri);
	size_t		did_len;

	if (pick(2))
	{
		strcpy(scope, uri);
		if (strchr(did, '/') != NULL)
			*strchr(did, '/') = '\0';
	}
	else
		random_did(did);
	if (!atid_did_is_valid(did, strlen(did)))
		return true;
	did_len = atid_did_pack(did, strlen(did), packed_did);
	return atid_at_uri_within_did(packed_uri, uri_len, packed_did, did_len) ==
		text_within(uri, scope);
}

static void
test_pairs(const Form *form)
{
	int			order = 0,
				beside = 0,
				scopes = 0,
				image = 0,
				key = 0,
				round = 0,
				within = 0;
	int			pairs = 0,
				mixed = 0,
				equal = 0,
				below = 0,
				scope = 0;
	char		name[100];

	while (pairs < PAIRS)
	{
		char		a[TEXT],
					b[TEXT],
					back[TEXT];
		uint8_t		pa[TEXT],
					pb[TEXT];
		size_t		la,
					lb;
		int			want;
		uint64_t	ka,
					kb;

		form->random(a);
		if (pick(2))
			near(b, a);
		else
			form->random(b);
		if (!form->valid(a, strlen(a)))
			continue;
		la = form->pack(a, strlen(a), pa);
		want = sign(strcmp(a, b));
		if (sign(form->compare_text(pa, la, b, strlen(b))) != want)
			beside++;
		if (form == &at_uri_form &&
			(atid_at_uri_within_text(pa, la, b, strlen(b)) !=
			 (form->valid(b, strlen(b)) && text_within(a, b)) ||
			 !within_did_is_right(a)))
			scopes++;
		if (!form->valid(b, strlen(b)))
			continue;
		pairs++;

		lb = form->pack(b, strlen(b), pb);
		equal += want == 0;
		mixed += form == &did_form ? (la == 15) != (lb == 15) : pa[0] != pb[0];
		if (sign(form->compare(pa, la, pb, lb)) != want)
			order++;
		if ((la == lb && memcmp(pa, pb, la) == 0) != (want == 0))
			image++;
		ka = form->sort_key(pa, la);
		kb = form->sort_key(pb, lb);
		if ((want < 0 && ka > kb) || (want > 0 && ka < kb) || (want == 0 && ka != kb))
			key++;
		if (form->text_len(pa, la) != strlen(a))
			round++;
		else
		{
			form->unpack(pa, la, back);
			if (memcmp(back, a, strlen(a)) != 0)
				round++;
		}
		if (form == &at_uri_form)
		{
			scope += !scope_is_packed(a, pa, la, false) || !scope_is_packed(a, pa, la, true);
			below += text_within(a, b) && want != 0;
			if (atid_at_uri_within(pb, lb, pa, la) != text_within(b, a) ||
				atid_at_uri_within(pa, la, pb, lb) != text_within(a, b))
				within++;
		}
	}

	snprintf(name, sizeof(name), "%s: the order of %d pairs is that of their texts", form->name,
			 pairs);
	is_u64((uint64_t) order, 0, name);
	snprintf(name, sizeof(name), "%s: the order beside any text is that of the texts", form->name);
	is_u64((uint64_t) beside, 0, name);
	snprintf(name, sizeof(name), "%s: bytes are equal where texts are", form->name);
	is_u64((uint64_t) image, 0, name);
	snprintf(name, sizeof(name), "%s: sort keys do not contradict the order", form->name);
	is_u64((uint64_t) key, 0, name);
	snprintf(name, sizeof(name), "%s: texts come back", form->name);
	is_u64((uint64_t) round, 0, name);
	snprintf(name, sizeof(name), "%s: enough pairs are equal, and of two shapes", form->name);
	ok(equal > PAIRS / 100 && mixed > PAIRS / 20, name);
	if (form == &at_uri_form)
	{
		is_u64((uint64_t) scope, 0, "at-uri: the scopes around it are those of the text, packed");
		is_u64((uint64_t) within, 0, "at-uri: within is what the texts say");
		ok(below > PAIRS / 1000, "at-uri: enough are below another");
		is_u64((uint64_t) scopes, 0, "at-uri: within a text or a DID is what the texts say");
	}
}

/* The bytes of a text on disk, in hex. */
static void
has_bytes(const Form *form, const char *s, const char *want)
{
	uint8_t		packed[TEXT * 4];
	char		got[TEXT * 8] = "";
	size_t		len = form->pack(s, strlen(s), packed);

	for (size_t i = 0; i < len; i++)
		sprintf(got + 2 * i, "%02x", packed[i]);
	ok(strcmp(got, want) == 0, s);
	if (strcmp(got, want) != 0)
		printf("# got  %s\n# want %s\n", got, want);
}

#define PLC "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz"

/*
 * Frozen: these bytes are on disks.  They were worked out apart from this code.
 */
static void
test_bytes(void)
{
	has_bytes(&did_form, "did:plc:222222222222222222222222",
			  "000000000000000000000000000000");
	has_bytes(&did_form, "did:plc:zzzzzzzzzzzzzzzzzzzzzzzz",
			  "ffffffffffffffffffffffffffffff");
	has_bytes(&did_form, "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
			  "5736e2cfbff535327dbdbb704151df");
	has_bytes(&did_form, "did:plc:ewvi7nxzyoun6zhxrhs64oi",
			  "6469643a706c633a65777669376e787a796f756e367a687872687336346f69");
	has_bytes(&did_form, "did:plc:ewvi7nxzyoun6zhxrhs64oizz",
			  "6469643a706c633a65777669376e787a796f756e367a687872687336346f697a7a");
	has_bytes(&did_form, "did:plc:EWVI7NXZYOUN6ZHXRHS64OIZ",
			  "6469643a706c633a45575649374e585a594f554e365a485852485336344f495a");
	has_bytes(&did_form, "did:plc:ewvi7nxzyoun6zhxrhs64oi1",
			  "6469643a706c633a65777669376e787a796f756e367a687872687336346f6931");
	has_bytes(&did_form, "did:web:a.bc.de",
			  "6469643a7765623a612e62632e646500");
	has_bytes(&did_form, "did:web:a.bc.def",
			  "6469643a7765623a612e62632e646566");
	has_bytes(&did_form, "did:m:v",
			  "6469643a6d3a76");
	has_bytes(&at_uri_form, PLC,
			  "015736e2cfbff535327dbdbb704151df");
	has_bytes(&at_uri_form, PLC "/app.bsky.feed.like",
			  "015736e2cfbff535327dbdbb704151df6170702e62736b792e666565642e6c696b65");
	has_bytes(&at_uri_form, PLC "/app.bsky.feed.like/3jzfcijpj2z2a",
			  "035736e2cfbff535327dbdbb704151df6170702e62736b792e666565642e6c69"
			  "6b652f17fd6873eaf07c06");
	has_bytes(&at_uri_form, PLC "/app.bsky.feed.like/jzzzzzzzzzzzz",
			  "035736e2cfbff535327dbdbb704151df6170702e62736b792e666565642e6c69"
			  "6b652fffffffffffffffff");
	has_bytes(&at_uri_form, PLC "/app.bsky.feed.like/kzzzzzzzzzzzz",
			  "015736e2cfbff535327dbdbb704151df6170702e62736b792e666565642e6c69"
			  "6b652f6b7a7a7a7a7a7a7a7a7a7a7a7a");
	has_bytes(&at_uri_form, PLC "/app.bsky.actor.profile/self",
			  "015736e2cfbff535327dbdbb704151df6170702e62736b792e6163746f722e70"
			  "726f66696c652f73656c66");
	has_bytes(&at_uri_form, "at://jay.bsky.social",
			  "006a61792e62736b792e736f6369616c");
	has_bytes(&at_uri_form, "at://Jay.bsky.social/app.bsky.feed.like/3jzfcijpj2z2a",
			  "024a61792e62736b792e736f6369616c2f6170702e62736b792e666565642e6c"
			  "696b652f17fd6873eaf07c06");
	has_bytes(&at_uri_form, "at://did:web:example.com/app.bsky.actor.profile/self",
			  "006469643a7765623a6578616d706c652e636f6d2f6170702e62736b792e6163"
			  "746f722e70726f66696c652f73656c66");
	has_bytes(&at_uri_form, "at://did:plc:x/a.b.c/2222222222222",
			  "026469643a706c633a782f612e622e632f0000000000000000");
}

/*
 * Bytes that are no value of this version: reserved forms, and damage.
 */
static void
test_states(void)
{
	static const struct
	{
		const char *bytes;
		size_t		len;
		AtidPackedState at_uri;
		AtidPackedState did;
	}			vectors[] = {
		{"", 0, ATID_PACKED_DAMAGED, ATID_PACKED_DAMAGED},
		{"\0a.b", 4, ATID_PACKED_OK, ATID_PACKED_NEWER},
		{"\1a.b", 4, ATID_PACKED_DAMAGED, ATID_PACKED_NEWER},
		{"\3\2\2\2\2\2\2\2\2\2\2\2\2\2\2", 15, ATID_PACKED_DAMAGED, ATID_PACKED_OK},
		{"\2a.b/c.d.e/\0\0\0\0\0\0\0\0", 19, ATID_PACKED_OK, ATID_PACKED_NEWER},
		{"\2a.b/c.d.e \0\0\0\0\0\0\0\0", 19, ATID_PACKED_DAMAGED, ATID_PACKED_NEWER},
		{"\4", 1, ATID_PACKED_NEWER, ATID_PACKED_NEWER},
		{"\7\2\2\2", 4, ATID_PACKED_NEWER, ATID_PACKED_NEWER},
		{"\17a.b", 4, ATID_PACKED_NEWER, ATID_PACKED_NEWER},
		{"\20a.b", 4, ATID_PACKED_DAMAGED, ATID_PACKED_DAMAGED},
		{"\377", 1, ATID_PACKED_DAMAGED, ATID_PACKED_DAMAGED},
		{"did:a:b", 7, ATID_PACKED_DAMAGED, ATID_PACKED_OK},
	};
	uint8_t		packed[TEXT];
	size_t		len = atid_at_uri_pack("at://z.z", 8, packed);

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
	{
		const uint8_t *bytes = (const uint8_t *) vectors[i].bytes;
		size_t		n = vectors[i].len;
		char		name[100];

		snprintf(name, sizeof(name), "state of an at-uri's bytes, %d", (int) i);
		is_u64(atid_at_uri_state(bytes, n), vectors[i].at_uri, name);
		snprintf(name, sizeof(name), "state of a did's bytes, %d", (int) i);
		is_u64(atid_did_state(bytes, n), vectors[i].did, name);
		if (vectors[i].at_uri == ATID_PACKED_NEWER)
			ok(atid_at_uri_compare(bytes, n, packed, len) > 0 &&
			   atid_at_uri_sort_key(bytes, n) > atid_at_uri_sort_key(packed, len) &&
			   !atid_at_uri_within(bytes, n, bytes, n) && atid_at_uri_plc(bytes, n) == NULL,
			   "reserved: above all, within nothing");
	}
}

/*
 * The keys of damaged values are in the order of memcmp() too, whether char is
 * signed or not; else such a value could be sorted to any place.
 */
static void
test_high_byte(void)
{
	const uint8_t *z = (const uint8_t *) "did:plc:zzzz";
	const uint8_t *high = (const uint8_t *) "did:plc:zzz\x80";

	ok(atid_did_compare(z, 12, high, 12) < 0 &&
	   atid_did_sort_key(z, 12) <= atid_did_sort_key(high, 12),
	   "did: the sort key of a byte above ASCII");
}

int
main(void)
{
	test_bytes();
	test_states();
	test_high_byte();
	test_pairs(&did_form);
	test_pairs(&at_uri_form);
	return done();
}
