/*-------------------------------------------------------------------------
 *
 * block_text.c
 *		The packed forms of texts, and that each comes back as it was.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/block_text.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

/* A text, and its packed form in hexadecimal; empty: it has none but itself. */
typedef struct Case
{
	const char *text;
	const char *packed;
} Case;

static const Case cases[] = {
	{"app.bsky.feed.post",
	"d8"},
	{"com.atproto.repo.strongRef",
	"e1e6"},
	{"did:plc:ewvi7nxzyoun6zhxrhs64oiz",
	"345736e2cfbff535327dbdbb704151df"},
	{"did:plc:222222222222222222222222",
	"34000000000000000000000000000000"},
	{"did:plc:zzzzzzzzzzzzzzzzzzzzzzzz",
	"34ffffffffffffffffffffffffffffff"},
	{"did:plc:ewvi7nxzyoun6zhxrhs64oi1",
	""},
	{"did:plc:ewvi7nxzyoun6zhxrhs64oi",
	""},
	{"did:web:example.com",
	""},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz",
	"375736e2cfbff535327dbdbb704151df00"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/",
	"375736e2cfbff535327dbdbb704151df012f"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3kiwuygzb2c2a",
	"365736e2cfbff535327dbdbb704151df183b9af33e702006"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.like/3kiwuygzb2c2a",
	"355736e2cfbff535327dbdbb704151df0242183b9af33e702006"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/com.example.thing/3kiwuygzb2c2a",
	"455736e2cfbff535327dbdbb704151df11636f6d2e6578616d706c652e7468696e67183b9af33e702006"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.generator/whats-hot",
	"445736e2cfbff535327dbdbb704151df00460977686174732d686f74"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/createdAt/3kiwuygzb2c2a",
	"455736e2cfbff535327dbdbb704151df09637265617465644174183b9af33e702006"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/com.example.thing/self",
	"375736e2cfbff535327dbdbb704151df172f636f6d2e6578616d706c652e7468696e672f73656c66"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/zkiwuygzb2c2a",
	"445736e2cfbff535327dbdbb704151df00440d7a6b69777579677a6232633261"},
	{"at://did:plc:ewvi7nxzyoun6zhxrhs64oizapp",
	"375736e2cfbff535327dbdbb704151df03617070"},
	{"at://did:web:example.com/app.bsky.feed.post/3kiwuygzb2c2a",
	""},
	{"bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a",
	"3265062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d0"},
	{"bafkreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a",
	"3365062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d0"},
	{"bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2b",
	""},
	{"2024-02-29T23:59:59Z",
	"3865e11a7f"},
	{"1970-01-01T00:00:00Z",
	"3800000000"},
	{"2106-02-07T06:28:15Z",
	"38ffffffff"},
	{"2106-02-07T06:28:16Z",
	"3e003b9aca0000000000"},
	{"2020-01-01T00:00:00.000Z",
	"390000000000"},
	{"2019-12-31T23:59:59.999Z",
	"3a016f5e66e7ff"},
	{"2054-11-03T19:53:47.775Z",
	"39ffffffffff"},
	{"2054-11-03T19:53:47.776Z",
	"3a026f5e66e800"},
	{"9999-12-31T23:59:59.999Z",
	"3ae677d21fdbff"},
	{"2024-11-20T12:34:56.123456Z",
	"3b06275760929e40"},
	{"2024-11-20T12:34:56.123+00:00",
	"3c23eb2aa5fb"},
	{"2024-11-20T12:34:56.123456+00:00",
	"3d06275760929e40"},
	{"2024-11-20T12:34:56.1Z",
	"3e011809ad513b544100"},
	{"2024-11-20T12:34:56.123456789Z",
	"3e091809ad513cba2d15"},
	{"2024-11-20T12:34:56.123456789+00:00",
	"3f091809ad513cba2d15"},
	{"2024-11-20T12:34:56+00:00",
	"3f001809ad51355e6000"},
	{"2024-11-20T12:34:56+09:00",
	"4300241809ad51355e6000"},
	{"2024-11-20T12:34:56.5-23:45",
	"4301a11809ad51532bc500"},
	{"2024-11-20T12:34:56.000+05:30",
	"4303161809ad51355e6000"},
	{"1969-12-31T23:59:59Z",
	""},
	{"2023-02-29T00:00:00Z",
	""},
	{"2024-11-20T24:00:00Z",
	""},
	{"2024-11-20T12:34:60Z",
	""},
	{"2024-11-20T12:34:56.1234567890Z",
	""},
	{"2024-11-20T12:34:56.Z",
	""},
	{"2024-11-20T12:34:56-00:00",
	""},
	{"2024-11-20T12:34:56+05:20",
	""},
	{"2024-11-20t12:34:56Z",
	""},
	{"2024-11-20T12:34:56",
	""},
	{"2555-01-01T00:00:00.12Z",
	""},
	{"3kiwuygzb2c2a",
	"40183b9af33e702006"},
	{"zkiwuygzb2c2a",
	""},
	{"https://example.com/a",
	"410d6578616d706c652e636f6d2f61"},
	{"https://www.example.com/a",
	"420d6578616d706c652e636f6d2f61"},
	{"https://",
	"4100"},
	{"http://example.com",
	""},
	{"hello there",
	""},
};

/* Packed bytes that stand for no text, and what they are. */
typedef struct Damage
{
	const char *packed;
	AtidBlockState state;
	const char *name;
} Damage;

static const Damage damages[] = {
	{"32 00", ATID_BLOCK_DAMAGED, "a digest that is cut off"},
	{"34 0000", ATID_BLOCK_DAMAGED, "a did:plc that is cut off"},
	{"35 000000000000000000000000000000 ffff 0000000000000000", ATID_BLOCK_NEWER,
	"a collection with a number above all"},
	{"35 000000000000000000000000000000 0000 0000000000000000", ATID_BLOCK_DAMAGED,
	"a collection that is no NSID"},
	{"36 000000000000000000000000000000 00", ATID_BLOCK_DAMAGED, "a TID that is cut off"},
	{"37 000000000000000000000000000000", ATID_BLOCK_DAMAGED, "no length"},
	{"37 000000000000000000000000000000 02 61", ATID_BLOCK_DAMAGED, "a path that is cut off"},
	{"38 000000", ATID_BLOCK_DAMAGED, "seconds that are cut off"},
	{"3a ffffffffffff", ATID_BLOCK_DAMAGED, "milliseconds beyond the year 9999"},
	{"3b ffffffffffffff", ATID_BLOCK_OK, "the last microsecond"},
	{"3e 0a 0000000000000000", ATID_BLOCK_DAMAGED, "ten digits"},
	{"3e 03 0000000000000001", ATID_BLOCK_DAMAGED, "more digits than there are"},
	{"43 00 00 0000000000000000", ATID_BLOCK_DAMAGED, "an offset of zero"},
	{"43 00 60 0000000000000000", ATID_BLOCK_DAMAGED, "an offset of 24 hours"},
	{"43 00 80 0000000000000000", ATID_BLOCK_DAMAGED, "an offset of -32 hours"},
	{"43 00 a1 0000000000000000", ATID_BLOCK_OK, "an offset of -23:45"},
	{"40 00000000000000", ATID_BLOCK_DAMAGED, "a TID of seven bytes"},
	{"41", ATID_BLOCK_DAMAGED, "an address without its length"},
	{"41 01", ATID_BLOCK_DAMAGED, "an address that is cut off"},
	{"45 000000000000000000000000000000 ff", ATID_BLOCK_DAMAGED, "a collection that is cut off"},
};

/* The text of packed bytes, of any code; returns what they are. */
static AtidBlockState
restore(const uint8_t *packed, size_t len, char *room, const char **text, size_t *text_len)
{
	AtidBlockState state = ATID_BLOCK_OK;
	const uint8_t *end = packed + len;
	const uint8_t *behind;

	if (atid_block_is_string(packed[0]))
	{
		int			number;

		behind = atid_block_string(packed[0], packed + 1, end, &number, &state);
		if (behind != NULL)
			*text = atid_dictionary_string(number, text_len);
	}
	else
	{
		behind = atid_block_text_restore(packed[0], packed + 1, end, room, text_len, &state);
		*text = room;
	}
	return behind == NULL ? state : behind == end ? ATID_BLOCK_OK : ATID_BLOCK_DAMAGED;
}

int
main(void)
{
	char		room[ATID_BLOCK_TEXT_MAX];
	const char *text;
	size_t		text_len;
	char	   *longest = malloc(700);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		const Case *c = &cases[i];
		size_t		want_len;
		uint8_t    *want = from_hex(c->packed, &want_len);
		char	   *copy = exact(c->text, strlen(c->text));
		uint8_t		packed[ATID_BLOCK_TEXT_PACKED_MAX];
		size_t		len = atid_block_text_pack(copy, strlen(c->text), packed);

		ok(len == want_len && memcmp(packed, want, len) == 0, c->text);
		if (len > 0)
		{
			uint8_t    *alone = exact(packed, len);

			ok(restore(alone, len, room, &text, &text_len) == ATID_BLOCK_OK &&
			   text_len == strlen(c->text) && memcmp(text, copy, text_len) == 0, "comes back");
			free(alone);
		}
		free(copy);
		free(want);
	}
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
	{
		size_t		len;
		uint8_t    *packed = from_hex(damages[i].packed, &len);

		ok(restore(packed, len, room, &text, &text_len) == damages[i].state, damages[i].name);
		free(packed);
	}

	/* the longest of each form, and one character more */
	for (int more = 0; more < 2; more++)
	{
#define AUTHORITY "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz"
		static const char *const around[][2] = {
			{"https://", ""}, {"https://www.", ""}, {AUTHORITY, ""},
			{AUTHORITY "/app.bsky.feed.post/", ""}, {AUTHORITY "/", "/3kiwuygzb2c2a"}
		};
		size_t		most = 0;

		for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++)
		{
			uint8_t    *packed = malloc(ATID_BLOCK_TEXT_PACKED_MAX);
			size_t		begin_len = strlen(around[i][0]);
			size_t		end_len = strlen(around[i][1]);
			size_t		len = begin_len + 255 + (size_t) more + end_len;
			size_t		packed_len;

			memset(longest, 'x', len);
			memcpy(longest, around[i][0], begin_len);
			memcpy(longest + len - end_len, around[i][1], end_len);
			packed_len = atid_block_text_pack(longest, len, packed);
			ok(more ? packed_len == 0 :
			   restore(packed, packed_len, room, &text, &text_len) == ATID_BLOCK_OK &&
			   text_len == len && memcmp(text, longest, len) == 0, around[i][0]);
			most = packed_len > most ? packed_len : most;
			free(packed);
		}
		ok(more || most == ATID_BLOCK_TEXT_PACKED_MAX, "the room is as large as it must be");
	}
	free(longest);
	return done();
}
