/*-------------------------------------------------------------------------
 *
 * symbol.c
 *		The packed form of symbols: its bytes, which are frozen; that every text comes back; and
 *		what bytes are refused.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/symbol.h"

#include <string.h>

#include "codec/block/dictionary.h"
#include "exact.h"
#include "tap.h"

#define TEXTS	(in_full() ? 1000000 : 100000)

/* The bytes of some texts: released ones never change. */
static const struct
{
	const char *text;
	const char *bytes;
}			frozen[] = {
	{"", "00"},
	{"~", "007e"},
	{"app.bsky.feed.like", "01"},
	{"app.bsky.graph.follow", "02"},
	{"app.bsky.feed.post", "03"},
	{"app.bsky.feed.repost", "04"},
	{"app.bsky.graph.block", "05"},
	{"subject", "15"},
	{"reply.parent", "16"},
	{"reply.root", "17"},
	{"facets[].features[].did", "18"},
	{"embed.record", "1a"},
	{"community.lexicon.calendar.rsvp", "66"},
	{"$type", "8000"},
	{"text", "8001"},
	{"xyz.statusphere.status", "85d0"},
	{"content.pages[].blocks[].block.facets[].features[].atURI", "85e6"},
	{"app.bsky.feed.likes", "006170702e62736b792e666565642e6c696b6573"},
	{"app.bsky.feed.lik", "006170702e62736b792e666565642e6c696b"},
	{"\xC3\xA9", "00c3a9"},
};

/* Bytes that this version does not read. */
static const struct
{
	const char *bytes;
	AtidPackedState state;
	const char *name;
}			refused[] = {
	{"", ATID_PACKED_DAMAGED, "no byte"},
	{"0100", ATID_PACKED_DAMAGED, "more after a symbol"},
	{"0161626364", ATID_PACKED_DAMAGED, "a text after a symbol"},
	{"7f00", ATID_PACKED_DAMAGED, "more after a newer symbol"},
	{"80", ATID_PACKED_DAMAGED, "half the number of a string"},
	{"ff", ATID_PACKED_DAMAGED, "half the number of a newer string"},
	{"800000", ATID_PACKED_DAMAGED, "more after a string"},
	{"67", ATID_PACKED_NEWER, "the first symbol that the dictionary does not have"},
	{"7f", ATID_PACKED_NEWER, "the last symbol that there can be"},
	{"85e7", ATID_PACKED_NEWER, "the first string that the dictionary does not have"},
	{"ffff", ATID_PACKED_NEWER, "the last string that there can be"},
};

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

/* Does a text come back, with nothing written or read outside of its memory? */
static bool
comes_back(const char *text, size_t len, size_t *packed_len)
{
	char	   *s = exact(text, len);
	uint8_t    *room = malloc(ATID_SYMBOL_PACKED_MAX(len));
	uint8_t    *packed;
	AtidSymbolText back = {NULL, 0};
	bool		result;

	*packed_len = atid_symbol_pack(s, len, room);
	packed = exact(room, *packed_len);
	result = *packed_len <= len + 1 &&
		atid_symbol_open(packed, *packed_len, &back) == ATID_PACKED_OK &&
		back.len == len && (len == 0 || memcmp(back.s, text, len) == 0);
	free(s);
	free(room);
	free(packed);
	return result;
}

/* A string of the dictionary, often changed, cut or continued. */
static size_t
random_text(char *text)
{
	size_t		len;
	const char *word = atid_dictionary_string((int) pick((size_t) atid_dictionary_strings), &len);

	memcpy(text, word, len);
	switch (pick(4))
	{
		case 0:
			text[pick(len)] ^= (char) (1 << pick(8));
			break;
		case 1:
			len = pick(len + 1);
			break;
		case 2:
			text[len++] = (char) pick(256);
			break;
		default:
			break;
	}
	return len;
}

int
main(void)
{
	bool		all = true;
	bool		one = true;
	bool		two = true;
	bool		near = true;
	size_t		packed_len;
	size_t		as_text = 0;

	for (size_t i = 0; i < sizeof(frozen) / sizeof(frozen[0]); i++)
	{
		size_t		want_len;
		uint8_t    *want = from_hex(frozen[i].bytes, &want_len);
		uint8_t		got[64];
		size_t		len = atid_symbol_pack(frozen[i].text, strlen(frozen[i].text), got);

		ok(len == want_len && memcmp(got, want, len) == 0, frozen[i].text);
		free(want);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
	{
		size_t		len;
		uint8_t    *bytes = from_hex(refused[i].bytes, &len);
		AtidSymbolText text;

		ok(atid_symbol_open(bytes, len, &text) == refused[i].state, refused[i].name);
		free(bytes);
	}

	for (int i = 0; i < atid_dictionary_strings; i++)
	{
		size_t		len;
		const char *text = atid_dictionary_string(i, &len);

		all = all && comes_back(text, len, &packed_len);
		one = one && (packed_len == 1) == (atid_dictionary_symbol(i) >= 0);
		two = two && packed_len <= ATID_SYMBOL_NUMBER_MAX;
	}
	ok(all, "each string of the dictionary comes back");
	ok(one, "a symbol takes one byte, and no other string does");
	ok(two, "another string takes two");
	for (int i = 0; i < atid_dictionary_symbols; i++)
		all = all && atid_dictionary_symbol(atid_dictionary_symbol_string(i)) == i;
	ok(all, "each symbol has its own number");
	ok(atid_dictionary_symbols < 0x80 && atid_dictionary_strings <= 0x8000, "there is room");

	/* a value of an older version, which did not know the word */
	{
		static const uint8_t older[] = {0, 's', 'u', 'b', 'j', 'e', 'c', 't'};
		AtidSymbolText text;

		ok(atid_symbol_open(older, sizeof(older), &text) == ATID_PACKED_OK && text.len == 7 &&
		   memcmp(text.s, "subject", 7) == 0, "a string that is stored as a text is read");
	}

	for (int i = 0; i < TEXTS; i++)
	{
		char		text[ATID_DICTIONARY_STRING_MAX + 1];
		size_t		len = random_text(text);

		near = near && comes_back(text, len, &packed_len) &&
			(packed_len == len + 1 || atid_dictionary_find(text, len) >= 0);
		as_text += packed_len == len + 1;
	}
	ok(near, "texts near to strings come back");
	ok(as_text > (size_t) TEXTS / 3 && as_text < (size_t) TEXTS, "some are strings, others not");

	{
		uint8_t		bytes[3];
		bool		consistent = true;

		/* any bytes: they are refused, or their text packs to something that has it */
		for (int i = 0; i < 1 << 16; i++)
		{
			AtidSymbolText text;

			bytes[0] = (uint8_t) (i >> 8);
			bytes[1] = (uint8_t) i;
			for (size_t len = 0; len <= 2; len++)
			{
				uint8_t    *copy = exact(bytes, len);

				if (atid_symbol_open(copy, len, &text) == ATID_PACKED_OK)
					consistent = consistent && comes_back(text.s, text.len, &packed_len) &&
						packed_len <= len;
				free(copy);
			}
		}
		ok(consistent, "what can be read is never longer than what is packed again");
	}
	return done();
}
