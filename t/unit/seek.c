/*-------------------------------------------------------------------------
 *
 * seek.c
 *		Where paths lead in a block, what the seek finds damaged, and that it
 *		reads no further than it must.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/seek.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "exact.h"
#include "tap.h"

/* A block, a path of steps with '/' between them, and the value in hexadecimal. */
typedef struct Case
{
	const char *block;
	const char *path;
	const char *value;			/* NULL: there is none; "!": a fault */
	const char *name;
} Case;

#define MAP "a4 6161 01 6162 8301028103 626262 f5 63636363 420102"

static const Case cases[] = {
	{"01", "", "01", "the block itself"},
	{MAP, "a", "01", "the first key"},
	{MAP, "b", "8301028103", "an array"},
	{MAP, "bbb", NULL, "a key that is not there"},
	{MAP, "bb", "f5", "a longer key"},
	{MAP, "b/0", "01", "an item"},
	{MAP, "b/2/0", "03", "an item of an item"},
	{MAP, "b/-1", "8103", "the last item"},
	{MAP, "b/-3", "01", "the first from the end"},
	{MAP, "b/-4", NULL, "before the first"},
	{MAP, "b/3", NULL, "behind the last"},
	{MAP, "b/ +1", "02", "blanks and a plus"},
	{MAP, "b/1 ", NULL, "blanks behind"},
	{MAP, "b/", NULL, "no index"},
	{MAP, "b/2147483648", NULL, "an index beyond 32 bits"},
	{MAP, "b/-2147483648", NULL, "the least index"},
	{MAP, "b/99999999999999999999999", NULL, "an index beyond 64 bits"},
	{MAP, "a/0", NULL, "an integer has no parts"},
	{MAP, "ccc", "420102", "the last key"},
	{MAP, "ccc/0", NULL, "bytes have no parts"},
	{"a1 60 01", "", "01", "the empty key"},
	{"a2 6161 f4 6162 d82a4500015500 00", "b", "d82a450001550000", "a link"},
	{"a2 6161 d82a450001550000 6162 01", "b", "01", "behind a link"},
	{"a2 6161 9818 000000000000000000000000000000000000000000000000 6162 07", "b", "07",
	"behind a longer head"},

	/* damage */
	{"", "", "!", "nothing"},
	{"a2 6161 01 ff", "a", "01", "damage behind the value"},
	{"a1 6161", "a", "!", "no value"},
	{"a1 6161", "b", "!", "no value to pass over"},
	{"a1 6161 18", "a/b", "!", "half a head where a path goes on"},
	{"a1 6161 1c", "a/b", "!", "a reserved head where a path goes on"},
	{"a1 61", "a", "!", "half a key"},
	{"a2 01 01 6161 01", "a", "!", "a key that is no text"},
	{"a2 6161 1801 6162 01", "b", "!", "a head that is not the shortest"},
	{"a2 6161 9f00ff 6162 01", "b", "!", "an indefinite length"},
	{"a2 6161 f97e00 6162 01", "b", "!", "a float"},
	{"a2 6161 f97ef5 6162 01", "b", "!", "a float that ends as true does"},
	{"a2 6161 f7 6162 01", "b", "!", "undefined"},
	{"a2 6161 c100 6162 01", "b", "!", "another tag"},
	{"a2 6161 9b7fffffffffffffff 6162 01", "b", "!", "more items than bytes"},
	{"a2 6161 bb8000000000000000 6162 01", "b", "!", "more pairs than bytes"},
	{"a2 6161 7bffffffffffffffff 6162 01", "b", "!", "a text beyond the end"},
	{"bbffffffffffffffff 6161 01", "a", "!", "a map of more pairs than bytes"},
	{"9bffffffffffffffff 01", "0", "!", "an array of more items than bytes"},
	{"82 8380 8380", "1", "!", "arrays that claim each other's items"},
};

static void
check(const Case *c)
{
	size_t		len;
	size_t		value_len = 0;
	uint8_t    *block = from_hex(c->block, &len);
	uint8_t    *value = NULL;
	const char *path = c->path;
	AtidSeek	seek;
	AtidSeekResult result = atid_seek_init(&seek, block, len);
	/* the empty path has no steps, but in a map of one pair it is the empty key */
	bool		more = *path != '\0' || (len > 0 && block[0] == 0xA1);
	const uint8_t *past = NULL;

	while (more && result == ATID_SEEK_FOUND)
	{
		size_t		step = strcspn(path, "/");
		char	   *copy = exact(path, step);

		result = atid_seek_step(&seek, copy, step);
		free(copy);
		more = path[step] == '/';
		path += step + more;
	}
	if (result == ATID_SEEK_FOUND)
	{
		past = atid_seek_past(&seek);
		if (past == NULL)
			result = ATID_SEEK_FAULT;
	}
	if (c->value == NULL || *c->value == '!')
		ok(result == (c->value ? ATID_SEEK_FAULT : ATID_SEEK_NONE), c->name);
	else
	{
		value = from_hex(c->value, &value_len);
		ok(result == ATID_SEEK_FOUND && (size_t) (past - seek.p) == value_len &&
		   memcmp(seek.p, value, value_len) == 0, c->name);
	}
	free(value);
	free(block);
}

/*
 * What is at the beginning of a block: its kind, and its text, which is given; NULL: it is none.
 */
static void
check_value(const char *hex, AtidSeekKind kind, const char *text, const char *name)
{
	size_t		len;
	uint8_t    *block = from_hex(hex, &len);
	AtidSeek	seek;
	const char *found = NULL;
	size_t		found_len = 0;
	bool		good = atid_seek_init(&seek, block, len) == ATID_SEEK_FOUND &&
		atid_seek_kind(&seek) == kind;

	if (atid_seek_text(&seek, &found, &found_len))
		good = good && text != NULL && found_len == strlen(text) &&
			memcmp(found, text, found_len) == 0;
	else
		good = good && text == NULL;
	ok(good, name);
	free(block);
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
	static uint8_t deep[ATID_CBOR_DEPTH_MAX + 2];
	static uint8_t many[100003] = {0x9A, 0, 1, 0x86, 0x9E};
	static uint8_t pairs[3 + 4 * 10001];
	AtidSeek	seek;
	AtidSeekResult result;
	int			steps = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);

	check_value("a0", ATID_SEEK_MAP, NULL, "a map");
	check_value("80", ATID_SEEK_ARRAY, NULL, "an array is one, and no text");
	check_value("d82a450001550000", ATID_SEEK_LINK, NULL, "a link is one, and no text");
	check_value("4161", ATID_SEEK_BYTES, NULL, "bytes are no text");
	check_value("f6", ATID_SEEK_OTHER, NULL, "null is no text");
	check_value("6161 00", ATID_SEEK_OTHER, "a", "a text, and more behind it");
	check_value("60", ATID_SEEK_OTHER, "", "the empty text");
	check_value("62 61", ATID_SEEK_OTHER, NULL, "a text that is cut off");
	check_value("78", ATID_SEEK_OTHER, NULL, "a text's head that is cut off");

	memset(deep, 0x81, sizeof(deep));
	result = atid_seek_init(&seek, deep, sizeof(deep));
	while (result == ATID_SEEK_FOUND && (result = atid_seek_step(&seek, "0", 1)) == ATID_SEEK_FOUND)
		steps++;
	is_u64((uint64_t) steps, ATID_CBOR_DEPTH_MAX, "a path is as long as a block is deep");
	ok(result == ATID_SEEK_FAULT, "and no longer");

	atid_seek_init(&seek, many, sizeof(many));
	seek.pause = note_pause;
	ok(atid_seek_step(&seek, "-1", 2) == ATID_SEEK_FOUND && seek.p == many + sizeof(many) - 1,
	   "the last of many");
	is_u64((uint64_t) pauses, 24, "with pauses");

	/* keys of two characters, all of them "aa" but the last */
	pairs[0] = 0xB9;
	pairs[1] = 10001 >> 8;
	pairs[2] = 10001 & 0xFF;
	for (size_t i = 0; i < 10001; i++)
		memcpy(pairs + 3 + 4 * i, i < 10000 ? "\x62" "aa" : "\x62" "ab", 4);
	pauses = 0;
	atid_seek_init(&seek, pairs, sizeof(pairs));
	seek.pause = note_pause;
	ok(atid_seek_step(&seek, "ab", 2) == ATID_SEEK_FOUND && seek.p == pairs + sizeof(pairs) - 1,
	   "the last of many pairs");
	is_u64((uint64_t) pauses, 10001 / 4096, "with pauses");
	return done();
}
