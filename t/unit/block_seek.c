/*-------------------------------------------------------------------------
 *
 * block_seek.c
 *		Where paths lead in packed blocks, and what the seek finds damaged.
 *
 * fuzz/block.c compares each path with where it leads in the block itself.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/block_seek.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "exact.h"
#include "tap.h"

/* A packed block, a path of steps with '/' between them, and the text that it leads to. */
typedef struct Case
{
	const char *packed;
	const char *path;
	const char *text;			/* NULL: there is none; "!": a fault; "^": a newer version's;
								 * "-": no text */
	const char *name;
} Case;

/* A like with "via", and a post with "langs". */
#define LIKE "53 01 54 32 " DIGEST " 36 " PLC TID " 54 32 " DIGEST " 36 " PLC TID " 38 00000000"
#define DIGEST "0000000000000000000000000000000000000000000000000000000000000000"
#define PLC "5736e2cfbff535327dbdbb704151df"
#define TID "183b9af33e702006"
#define POST "59 04 05 68656c6c6f 48 c1 e0 00 38 00000000"
#define MAP "51 03 01 61 ea 02 6262 48 01 78 46 03 636363 2c"

static const Case cases[] = {
	{LIKE, "$type", "app.bsky.feed.like", "the type of an object"},
	{LIKE, "subject/uri", "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3kiwuygzb2c2a",
	"a key of an object in an object"},
	{LIKE, "subject/uri/0", NULL, "a text has no parts"},
	{LIKE, "$type/0", NULL, "the type has no parts either"},
	{LIKE, "createdAt", "1970-01-01T00:00:00Z", "the last key"},
	{LIKE, "subject", "-", "an object is no text"},
	{LIKE, "subject/$type", NULL, "an optional key that it does not have"},
	{LIKE, "text", NULL, "a key of other objects"},
	{LIKE, "no such key", NULL, "a key that is no string"},
	{POST, "text", "hello", "a text"},
	{POST, "langs/0", "ja", "an item"},
	{POST, "langs/-1", "pt-BR", "the last item"},
	{POST, "langs/2", NULL, "behind the last"},
	{POST, "langs/x", NULL, "no index"},
	{MAP, "a", "-", "a key of a map"},
	{MAP, "bb/0", "x", "an item in a map"},
	{MAP, "bb/1", "-", "an array in an array"},
	{MAP, "ccc", "-", "the last key of a map"},
	{MAP, "ab", NULL, "a key that is not there"},
	{MAP, "zzzz", NULL, "a longer one"},
	{"51 01 94 03 616263", "$type", "abc", "a key that is a string of the dictionary"},
	{"51 01 00 01 61", "", "a", "the empty key"},

	/* damage */
	{"53 01", "createdAt", "!", "no values to pass over"},
	{"59 04 05 68", "langs", "!", "half a value"},
	{"54", "uri", "!", "an object without its values"},
	{"51 01 ea 00", "a", "!", "a key that is no text"},
	{"51 7f 01 61 ea", "b", "!", "more pairs than bytes"},
	{"50 ffffffff7f ea", "0", "!", "more items than bytes"},
	{"48 f1 ea", "1", "!", "a reserved code to pass over"},
	{"48 ff ea", "1", "!", "a raw block to pass over"},
	{"47 f1", "0", "!", "a reserved code that a path leads to"},
	{"47 ff", "0", "!", "a raw block that a path leads to"},
	{"f1", "a", "!", "a reserved code that a path begins with"},
	{"92 ff ff", "a", "!", "an object with a number above all"},
	{"e7 ff", "", "!", "a string with a number above all"},

	/* what a newer version may have written */
	{"48 f1 ea", "1", "^", "a new code to pass over"},
	{"47 f1", "0", "^", "a new code that a path leads to"},
	{"51 01 f1 00", "a", "^", "a new code for a key"},
	{"51 01 01 61 f1", "a", "^", "a new code for the value of a key"},
	{"51 02 01 61 f1 01 62 ea", "b", "^", "a new code for a value before"},
	{"92 ff ff", "a", "^", "a new object"},
	{"51 01 e7 ff 00", "a", "^", "a new string for a key"},
};

static void
check(const Case *c)
{
	size_t		len;
	uint8_t    *packed = from_hex(c->packed, &len);
	const char *path = c->path;
	AtidBlockSeek seek;
	AtidSeekResult result = atid_block_seek_init(&seek, packed, len);
	bool		more = *path != '\0' || packed[0] == BLOCK_MAP;
	char		room[ATID_BLOCK_TEXT_MAX];
	const char *text = NULL;
	size_t		text_len = 0;

	while (more && result == ATID_SEEK_FOUND)
	{
		size_t		step_len = strcspn(path, "/");
		char	   *copy = exact(path, step_len);
		AtidBlockStep step;

		atid_block_step_init(&step, copy, step_len);
		result = atid_block_seek_step(&seek, &step);
		free(copy);
		more = path[step_len] == '/';
		path += step_len + more;
	}
	if (result == ATID_SEEK_FOUND)
	{
		result = atid_block_seek_text(&seek, room, &text, &text_len);
		if (result == ATID_SEEK_NONE)
		{
			text = "-";
			text_len = 1;
			result = ATID_SEEK_FOUND;
		}
	}
	if (c->text != NULL && *c->text == '^')
		ok(result == ATID_SEEK_FAULT && seek.state == ATID_BLOCK_NEWER, c->name);
	else if (c->text == NULL || *c->text == '!')
		ok(result == (c->text ? ATID_SEEK_FAULT : ATID_SEEK_NONE), c->name);
	else
		ok(result == ATID_SEEK_FOUND && text_len == strlen(c->text) &&
		   memcmp(text, c->text, text_len) == 0, c->name);
	free(packed);
}

/* The kind of the value that packed bytes begin with, and how many bytes it has. */
static void
check_kind(const char *hex, AtidSeekKind kind, size_t size, const char *name)
{
	size_t		len;
	uint8_t    *packed = from_hex(hex, &len);
	AtidBlockSeek seek;
	const uint8_t *past;

	ok(atid_block_seek_init(&seek, packed, len) == ATID_SEEK_FOUND &&
	   atid_block_seek_kind(&seek) == kind, name);
	past = atid_block_seek_past(&seek);
	ok(past != NULL && (size_t) (past - packed) == size, "its size");
	free(packed);
}

static int	pauses = 0;

static void
note_pause(void)
{
	pauses++;
}

int
main(void)
{
	uint8_t		deep[ATID_CBOR_DEPTH_MAX + 2];
	static uint8_t many[4 + 100000] = {BLOCK_ARRAY, 0xA0, 0x8D, 0x06};
	static uint8_t map[3 + 10000 * 4] = {BLOCK_MAP, 0x90, 0x4E};
	AtidBlockSeek seek;
	AtidSeekResult result;
	AtidBlockStep step;
	int			steps = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);

	check_kind("52 54 32 " DIGEST " 36 " PLC TID " 38 00000000", ATID_SEEK_MAP, 64, "an object");
	check_kind("51 00 00", ATID_SEEK_MAP, 2, "a map");
	check_kind("46", ATID_SEEK_ARRAY, 1, "an array");
	check_kind("50 01 e8", ATID_SEEK_ARRAY, 3, "a longer array");
	check_kind("2f " DIGEST, ATID_SEEK_LINK, 33, "a link");
	check_kind("31 02 0155 00", ATID_SEEK_LINK, 4, "another link");
	check_kind("2d 01 00 00", ATID_SEEK_BYTES, 3, "bytes");
	check_kind("21 0002 6161", ATID_SEEK_OTHER, 5, "a text");
	check_kind("37 " PLC " 01 2f 00", ATID_SEEK_OTHER, 18, "an AT URI");
	check_kind("44 " PLC " 0000 01 61", ATID_SEEK_OTHER, 20, "another");
	check_kind("45 " PLC " 01 61 " TID, ATID_SEEK_OTHER, 26, "and another");

	memset(deep, BLOCK_ARRAY_SHORT + 1, sizeof(deep));
	atid_block_step_init(&step, "0", 1);
	result = atid_block_seek_init(&seek, deep, sizeof(deep));
	while (result == ATID_SEEK_FOUND &&
		   (result = atid_block_seek_step(&seek, &step)) == ATID_SEEK_FOUND)
		steps++;
	is_u64((uint64_t) steps, ATID_CBOR_DEPTH_MAX, "a path is as long as a block is deep");
	ok(result == ATID_SEEK_FAULT, "and no longer");

	/* 100,000 zeros */
	memset(many + 4, BLOCK_UNSIGNED_SHORT, sizeof(many) - 4);
	atid_block_step_init(&step, "-1", 2);
	atid_block_seek_init(&seek, many, sizeof(many));
	seek.pause = note_pause;
	ok(atid_block_seek_step(&seek, &step) == ATID_SEEK_FOUND && seek.p == many + sizeof(many) - 1,
	   "the last of many");
	is_u64((uint64_t) pauses, 99999 / 4096, "with pauses");

	/* 10,000 keys of two characters */
	for (int i = 0; i < 10000; i++)
	{
		map[3 + 4 * i] = 2;
		map[4 + 4 * i] = (uint8_t) (' ' + i / 100);
		map[5 + 4 * i] = (uint8_t) (' ' + i % 100);
		map[6 + 4 * i] = BLOCK_UNSIGNED_SHORT;
	}
	atid_block_step_init(&step, "zzz", 3);
	atid_block_seek_init(&seek, map, sizeof(map));
	seek.pause = note_pause;
	pauses = 0;
	ok(atid_block_seek_step(&seek, &step) == ATID_SEEK_NONE, "a key behind many");
	is_u64((uint64_t) pauses, 10000 / 4096, "with pauses");
	return done();
}
