/*-------------------------------------------------------------------------
 *
 * grapheme.c
 *		Grapheme clusters: cases for each rule, all short sequences of all kinds of
 *		characters against the rules by their letter, the borders of what is read at
 *		once, limits, pauses, and what is not UTF-8.
 *
 *	grapheme FILE		compares with a file of lines, each of a count and a text in
 *						hexadecimal, for t/types/graphemes.pl
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/grapheme.h"

#include "clusters.h"
#include "exact.h"
#include "tap.h"

static int	pauses;

static void
note_pause(void)
{
	pauses++;
}

/* Count in memory of the exact size. */
static size_t
count(const char *text, size_t len, size_t limit)
{
	char	   *copy = exact(text, len);
	size_t		clusters = atid_grapheme_count(copy, len, limit, NULL);

	free(copy);
	return clusters;
}

/*
 * Characters in hexadecimal, with | where there is a break.  Sets the number of
 * clusters.
 */
static size_t
from_codes(const char *codes, char *text, size_t *clusters)
{
	size_t		len = 0;
	unsigned	code;
	int			used;

	*clusters = 1;
	while (sscanf(codes, " %x%n", &code, &used) == 1)
	{
		len += put_utf8(text + len, code);
		codes += used;
		while (*codes == ' ' || *codes == '|')
			*clusters += *codes++ == '|';
	}
	return len;
}

static void
test_known(void)
{
	/* many are from GraphemeBreakTest.txt of the Unicode Character Database 17.0.0 */
	static const char *const known[] = {
		/* GB3, GB4, GB5 */
		"D A",
		"D | D A | A",
		"A | D",
		"D A | 61 | A | 308",
		"61 308 | D",
		"D | 308",
		"0 | 94D",
		"7F | 200D",
		"600 | A",
		"AD | 903",
		"200B | 308",
		"E0001 | E0020",
		"61 | 85 | 61",
		/* GB6, GB7, GB8 */
		"1100 1100",
		"1100 1160 11A8",
		"1100 AC00 11A8",
		"1100 AC01 11A8",
		"AC00 11A8 | 1100",
		"AC01 11A8 | 1100",
		"AC01 | 1160",
		"AC00 | AC00",
		"1160 | AC00",
		"11A8 | 1160",
		"1100 | 11A8",
		"1100 308 | 1160",
		"D55C | AD6D | C5B4",
		"D7B0 D7CB D7FB | A960 D7C6",
		/* GB9, GB9a */
		"308",
		"61 308",
		"61 308 | 62",
		"65 301 300 30A 327",
		"61 903 | 62",
		"E01 E33",
		"61 200C 200D | 62",
		"20 200D | 646",
		"646 200D | 20",
		"61 FE0F E0100 E0020",
		"31 FE0F 20E3",
		"304B 3099",
		"61 1F3FF | 1F476",
		/* GB9b */
		"61 | 600 62",
		"600 600 AC00 11A8",
		"600 308 | 62",
		"110BD 11083 | 11084",
		"600",
		/* GB9c */
		"915 | 924",
		"915 94D 924",
		"915 94D 94D 924",
		"915 94D 200D 924",
		"915 93C 200D 94D 924",
		"915 93C 94D 200D 924",
		"915 94D 924 94D 92F",
		"915 94D | 61",
		"61 94D | 924",
		"3F 94D | 924",
		"94D | 924",
		"915 200D | 924",
		"915 94D 200C | 924",
		"915 94D 903 | 924",
		"600 915 94D 924",
		"AB8 AFB ACD AB8 AFB",
		"1019 1039 1018 | 102C 1037",
		"1004 103A 1039 1011 1039 1011",
		"1B12 1B01 | 1B32 1B44 1B2F | 1B32 1B44 1B22 1B44 1B2C | 1B32 1B44 1B22 1B38",
		"179F 17D2 178F 17D2 179A 17B8",
		"1795 17D2 17AF | 1798",
		/* GB11 */
		"1F476 1F3FF | 1F476",
		"1F476 1F3FF 308 200D 1F476 1F3FF",
		"1F6D1 200D 1F6D1",
		"2702 200D 2702",
		"2701 200D | 2701",
		"A9 200D AE",
		"61 200D | 1F6D1",
		"1F476 | 200B | 200D | 1F6D1",
		"1F476 200D 200D | 1F6D1",
		"1F476 200D 308 | 1F6D1",
		"1F476 903 200D | 1F6D1",
		"1F476 200D | 61",
		"61 1F3FF | 1F476 200D 1F6D1",
		"1F468 200D 1F469 200D 1F467 200D 1F466 | 1F468",
		"1F3F3 FE0F 200D 1F308",
		"1F3F4 E0067 E0062 E0065 E006E E0067 E007F",
		/* GB12, GB13 */
		"1F1E6",
		"1F1E6 1F1E7 | 1F1E8 | 62",
		"61 | 1F1E6 1F1E7 | 1F1E8 | 62",
		"61 | 1F1E6 1F1E7 200D | 1F1E8 | 62",
		"61 | 1F1E6 200D | 1F1E7 1F1E8 | 62",
		"1F1E6 1F1E7 | 1F1E8 1F1E9",
		"600 1F1E6 1F1E7 | 1F1E8",
		/* GB999 */
		"20 | 20",
		"378 | 378",
		"4DC0 | 9FFF 308 | A000",
		"20000 | E0FFF | 10FFFF 308",
		"61 | 100308 | 30308 | E1308",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		char		text[256];
		size_t		clusters;
		size_t		len = from_codes(known[i], text, &clusters);
		size_t		got = count(text, len, SIZE_MAX);

		ok(got == clusters, known[i]);
		if (got != clusters)
			printf("# got %zu\n", got);
	}
	ok(count("", 0, SIZE_MAX) == 0, "nothing has none");
}

/*
 * Count characters by the rules, and by the function after so many letters.  Returns
 * whether the two agree.
 */
static bool
as_by_rules(const Character *const *text, size_t n, size_t letters)
{
	char		utf8[64];
	size_t		len = 0;
	size_t		clusters = 0;

	for (; len < letters; len++)
	{
		utf8[len] = 'x';
		clusters++;
	}
	for (size_t i = 0; i < n; i++)
	{
		len += put_utf8(utf8 + len, text[i]->code);
		/* the first joins a letter before it by GB9 and GB9a only */
		clusters += is_break(text, i) &&
			!(i == 0 && letters > 0 &&
			  (text[0]->cluster_break == Extend || text[0]->cluster_break == Zwj ||
			   text[0]->cluster_break == SpacingMark));
	}
	return atid_grapheme_count(utf8, len, SIZE_MAX, NULL) == clusters;
}

static void
test_sequences(void)
{
	const Character *text[5];
	size_t		wrong = 0;

	for (size_t number = 0; number < KINDS * KINDS * KINDS * KINDS * KINDS; number++)
	{
		size_t		rest = number;

		for (int i = 0; i < 5; i++, rest /= KINDS)
			text[i] = &characters[rest % KINDS];
		wrong += !as_by_rules(text, 5, 0);
	}
	is_u64(wrong, 0, "all sequences of five kinds of characters: as by the rules");

	wrong = 0;
	for (size_t a = 0; a < CHARACTERS; a++)
		for (size_t b = 0; b < CHARACTERS; b++)
			for (size_t c = 0; c < CHARACTERS; c++)
			{
				text[0] = &characters[a];
				text[1] = &characters[b];
				text[2] = &characters[c];
				wrong += !as_by_rules(text, 3, 0);
			}
	is_u64(wrong, 0, "all sequences of three characters of the list");

	/* letters before them change where the words of eight bytes begin */
	wrong = 0;
	for (size_t letters = 0; letters < 18; letters++)
		for (size_t a = 0; a < CHARACTERS; a++)
			for (size_t b = 0; b < CHARACTERS; b++)
			{
				text[0] = &characters[a];
				text[1] = &characters[b];
				wrong += !as_by_rules(text, 2, letters);
			}
	is_u64(wrong, 0, "all sequences of two after up to 17 letters");
}

static void
test_ascii(void)
{
	size_t		wrong = 0;
	char		text[40];

	/* each character of ASCII in each place */
	for (size_t len = 1; len <= 24; len++)
		for (size_t at = 0; at < len; at++)
			for (int c = 0; c < 128; c++)
			{
				bool		pair;

				memset(text, 'x', sizeof(text));
				text[at] = (char) c;
				wrong += count(text, len, SIZE_MAX) != len;
				if (at + 1 < len)
				{
					text[at + 1] = '\n';
					wrong += count(text, len, SIZE_MAX) != len - (c == '\r');
					text[at + 1] = 'x';
				}

				/* a mark joins what it may join */
				memcpy(text + len, "\314\210", 2);
				pair = at < len - 1 || (c >= 0x20 && c < 0x7F);
				wrong += count(text, len + 2, SIZE_MAX) != len + !pair;
			}
	is_u64(wrong, 0, "each character of ASCII in each place, LF after it, a mark at the end");

	wrong = 0;
	for (size_t prefix = 0; prefix < 17; prefix++)
	{
		memset(text, 'x', sizeof(text));
		for (size_t i = 0; i < 16; i += 2)
			memcpy(text + prefix + i, "\r\n", 2);
		wrong += count(text, prefix + 16, SIZE_MAX) != prefix + 8;
		wrong += count(text, prefix + 17, SIZE_MAX) != prefix + 9;
		wrong += count(text, prefix + 15, SIZE_MAX) != prefix + 8;
	}
	is_u64(wrong, 0, "a row of CR LF at each place");
}

static void
test_long(void)
{
	/* what begins before the border of what is counted at once, and goes on behind it */
	static const char *const known[] = {
		"D A",
		"D A | 61",
		"61 308 308",
		"4E00 | 4E00",
		"1F468 200D 1F469 200D 1F467",
		"1F1E6 1F1E7 | 1F1E8",
		"915 94D 200D 924",
		"600 61 | 62",
		"1100 1160 11A8",
	};
	size_t		room = ATID_GRAPHEME_AT_ONCE + 100;
	char	   *text = malloc(room);
	size_t		wrong = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		for (size_t before = 0; before < 24; before++)
		{
			size_t		letters = ATID_GRAPHEME_AT_ONCE - before;
			size_t		clusters;
			size_t		len;

			memset(text, 'x', room);
			len = letters + from_codes(known[i], text + letters, &clusters);
			wrong += count(text, len, SIZE_MAX) != letters + clusters;
			/* and letters behind it */
			wrong += count(text, len + 16, SIZE_MAX) !=
				letters + clusters + 16 - (text[len - 1] == 'x');
		}
	}
	is_u64(wrong, 0, "clusters across the border of what is counted at once");

	free(text);
	room = 10 * ATID_GRAPHEME_AT_ONCE + 1;
	text = malloc(room);
	memset(text, 'x', room);
	pauses = 0;
	is_u64(atid_grapheme_count(text, room, SIZE_MAX, note_pause), room, "a long text");
	is_u64((uint64_t) pauses, 11, "with pauses");
	pauses = 0;
	is_u64(atid_grapheme_count(text, room, 300, note_pause), 301, "with a limit");
	is_u64((uint64_t) pauses, 1, "the rest is not read");

	for (size_t i = 1; i + 1 < room; i += 2)
		memcpy(text + i, "\314\210", 2);
	pauses = 0;
	is_u64(atid_grapheme_count(text, room, 1, note_pause), 1, "one cluster that is as long");
	/* a mark across the border is of the part before */
	is_u64((uint64_t) pauses, 10, "with pauses too");
	free(text);
}

static void
test_limit(void)
{
	char		text[256];
	size_t		clusters;
	size_t		len = from_codes("61 | 62 | 63 | 64 | 65 | 66 | 67 | 68 | 69 | 6A 308 |"
								 "1F1E6 1F1E7 | 1F1E8 | D A | 61 | 62 | 63 | 64 | 65 | 66 |"
								 "67 | 68 | 69", text, &clusters);
	size_t		wrong = 0;

	for (size_t part = 0; part <= len; part++)
	{
		size_t		all = count(text, part, SIZE_MAX);

		wrong += count(text, part, SIZE_MAX - 1) != all;
		for (size_t limit = 0; limit < 40; limit++)
			wrong += count(text, part, limit) != (all > limit ? limit + 1 : all);
	}
	is_u64(wrong, 0, "with a limit, the count or one more than the limit");
	is_u64(count(text, len, 22), clusters, "a count that is the limit");
}

static void
test_invalid(void)
{
	size_t		wrong = 0;
	char		text[6];

	for (int first = 0x80; first < 0x100; first++)
		for (int second = 0; second < 0x100; second++)
			for (size_t len = 1; len <= sizeof(text); len++)
			{
				size_t		clusters;

				memset(text, 0xFF, sizeof(text));
				text[0] = (char) first;
				text[1] = (char) second;
				/* the sanitizer looks at what is read */
				clusters = count(text, len, SIZE_MAX);
				wrong += clusters < 1 || clusters > len;
			}
	is_u64(wrong, 0, "what is not UTF-8 has one cluster at least, and as many as bytes at most");
}

/* Compare with a file. */
static int
compare(const char *name)
{
	static char line[1 << 20];
	FILE	   *file = fopen(name, "r");
	long		wrong = 0;
	long		lines = 0;

	if (file == NULL)
	{
		perror(name);
		return 1;
	}
	while (fgets(line, sizeof(line), file) != NULL)
	{
		char	   *hex;
		unsigned long want = strtoul(line, &hex, 10);
		size_t		len;
		uint8_t    *text = from_hex(hex, &len);
		size_t		got = atid_grapheme_count((const char *) text, len, SIZE_MAX, NULL);

		lines++;
		if (got != want && wrong++ < 10)
			printf("got %zu, not %s", got, line);
		free(text);
	}
	fclose(file);
	printf("%ld of %ld differ\n", wrong, lines);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		return compare(argv[1]);
	test_known();
	test_sequences();
	test_ascii();
	test_long();
	test_limit();
	test_invalid();
	return done();
}
