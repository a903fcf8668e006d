/*-------------------------------------------------------------------------
 *
 * make_block.h
 *		Random blocks as records are, which mutations of bytes hardly find.
 *
 * Most are objects of the dictionary; some of these lack a key or have an additional one.  The
 * texts are of all packed forms, in every spelling, and texts that nearly have such a form.  The
 * numbers are at the edges of their sizes.  Each block has a path, which mostly leads to one of its
 * values.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MAKE_BLOCK_H
#define ATID_MAKE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "codec/block/dictionary.h"
#include "path.h"

#define MAKE_TEXT_MAX 700
#define MAKE_KEYS_MAX (ATID_DICTIONARY_KEYS_MAX + 2)
#define MAKE_DEPTH_MAX 6
#define MAKE_BLOCK_ROOM 65536	/* the most bytes that make_block() writes */

typedef struct Maker
{
	uint64_t	random;
	uint8_t    *p;
	uint8_t    *end;
	Step		trail[MAKE_DEPTH_MAX + 2];	/* to the value that is being made */
	int			depth;
	Step		path[STEPS_MAX];	/* to the one that was chosen */
	int			steps;
	uint32_t	values;			/* so many could be chosen */
} Maker;

typedef struct MakeKey
{
	const char *text;
	size_t		len;
	int			object;			/* what its value is; or ATID_DICTIONARY_NONE */
	int			constant;		/* the string that its value is; or ATID_DICTIONARY_NONE */
} MakeKey;

static void make_value(Maker *m, int object);

/* A number below n. */
static uint32_t
draw(Maker *m, uint32_t n)
{
	m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) ((m->random >> 33) % n);
}

static size_t
room(const Maker *m)
{
	return (size_t) (m->end - m->p);
}

static void
make_head(Maker *m, int major, uint64_t n)
{
	static const uint8_t info[] = {[1] = 24, [2] = 25, [4] = 26, [8] = 27};
	int			size = n < 24 ? 0 : n <= UINT8_MAX ? 1 : n <= UINT16_MAX ? 2 :
		n <= UINT32_MAX ? 4 : 8;

	*m->p++ = (uint8_t) (major << 5 | (size > 0 ? info[size] : (int) n));
	while (size > 0)
		*m->p++ = (uint8_t) (n >> 8 * --size);
}

static void
make_bytes(Maker *m, int major, const void *bytes, size_t len)
{
	make_head(m, major, len);
	memcpy(m->p, bytes, len);
	m->p += len;
}

/*
 * Texts
 */

static size_t
add(char *text, size_t len, const char *more)
{
	strcpy(text + len, more);
	return len + strlen(more);
}

static size_t
add_digits(Maker *m, char *text, size_t len, int count)
{
	while (count-- > 0)
		text[len++] = "abcdefghijklmnopqrstuvwxyz234567"[draw(m, 32)];
	return len;
}

static size_t
add_string(Maker *m, char *text, size_t len)
{
	size_t		string_len;
	const char *string = atid_dictionary_string((int) draw(m, (uint32_t) atid_dictionary_strings),
												&string_len);

	memcpy(text + len, string, string_len);
	return len + string_len;
}

static size_t
add_characters(Maker *m, char *text, size_t len, uint32_t most)
{
	static const char *const pieces[] = {"a", "b", "0", "9", ".", "-", "/", ":", " ",
	"\xC3\xA9", "\xE6\x97\xA5", "\xF0\x9F\x99\x82"};

	for (uint32_t count = draw(m, most + 1); count > 0; count--)
		len = add(text, len, pieces[draw(m, 12)]);
	return len;
}

static size_t
add_tid(Maker *m, char *text, size_t len)
{
	text[len] = "234567abcdefghij"[draw(m, 16)];
	return add_digits(m, text, len + 1, 12);
}

static size_t
add_account(Maker *m, char *text, size_t len)
{
	return add_digits(m, text, add(text, len, "did:plc:"), 24);
}

static size_t
add_at_uri(Maker *m, char *text, size_t len)
{
	len = add(text, len, "at://");
	len = draw(m, 8) > 0 ? add_account(m, text, len) : add(text, len, "did:web:example.com");
	if (draw(m, 12) == 0)
		return len;
	text[len++] = '/';
	switch (draw(m, 6))
	{
		case 0:
			len = add(text, len, "com.example.thing");
			break;
		case 1:
			len = add_characters(m, text, len, 64);
			break;
		case 2:
			len = add(text, len, "app.bsky.feed.post");
			break;
		default:
			len = add_string(m, text, len);
	}
	if (draw(m, 12) == 0)
		return len;
	text[len++] = '/';
	switch (draw(m, 6))
	{
		case 0:
			return add(text, len, "self");
		case 1:
			return add_characters(m, text, len, 64);
		case 2:
			return add_string(m, text, len);
		default:
			return add_tid(m, text, len);
	}
}

static size_t
add_cid(Maker *m, char *text, size_t len)
{
	len = add_digits(m, text, add(text, len, draw(m, 2) ? "bafyrei" : "bafkrei"), 51);
	text[len++] = draw(m, 8) > 0 ? "aeimquy4"[draw(m, 8)] : 'b';
	return len;
}

static size_t
add_datetime(Maker *m, char *text, size_t len)
{
	static const char *const ends[] = {"Z", "Z", "Z", "Z", "+00:00", "+00:00", "-00:00", "+05:30",
	"-12:45", "+23:45", "-23:59", "z", "", "+0000"};
	int			year = (int) (draw(m, 4) ? 1960 + draw(m, 80) : draw(m, 10000));
	int			digits = (int) (draw(m, 3) ? 3 * draw(m, 4) : draw(m, 20));

	len += (size_t) sprintf(text + len, "%04d-%02d-%02dT%02d:%02d:%02d", year,
							(int) draw(m, 12) + (draw(m, 30) != 0), (int) draw(m, 31) + 1,
							(int) draw(m, draw(m, 30) ? 24 : 25), (int) draw(m, 60),
							(int) draw(m, draw(m, 30) ? 60 : 62));
	if (digits > 0 || draw(m, 30) == 0)
		text[len++] = '.';
	while (digits-- > 0)
		text[len++] = (char) ('0' + (draw(m, 3) ? draw(m, 10) : 0));
	return add(text, len, ends[draw(m, 14)]);
}

/* A text of at most MAKE_TEXT_MAX bytes. */
static size_t
make_text(Maker *m, char *text)
{
	size_t		len = 0;

	switch (draw(m, 16))
	{
		case 0:
			break;
		case 1:
		case 2:
			len = add_characters(m, text, 0, draw(m, 8) ? 40 : MAKE_TEXT_MAX / 5);
			break;
		case 3:
		case 4:
			len = add_account(m, text, 0);
			break;
		case 5:
		case 6:
			len = add_at_uri(m, text, 0);
			break;
		case 7:
			len = add_tid(m, text, 0);
			break;
		case 8:
			len = add_cid(m, text, 0);
			break;
		case 9:
		case 10:
		case 11:
			len = add_datetime(m, text, 0);
			break;
		case 12:
			len = add(text, 0, draw(m, 2) ? "https://" : "https://www.");
			len = add_characters(m, text, len, 60);
			break;
		default:
			len = add_string(m, text, 0);
	}
	if (len > 0 && draw(m, 16) == 0)	/* nearly that */
		switch (draw(m, 3))
		{
			case 0:
				text[draw(m, (uint32_t) len)] ^= 0x20;
				break;
			case 1:
				len--;
				break;
			default:
				text[len++] = 'Z';
		}
	return len;
}

/*
 * Values
 */

static void
make_number(Maker *m)
{
	uint64_t	n = draw(m, 2) ? draw(m, 300) : (UINT64_C(1) << draw(m, 64)) + draw(m, 3) - 1;

	make_head(m, (int) draw(m, 2), n);
}

static void
make_link(Maker *m)
{
	static const uint8_t heads[][4] = {
		{1, 0x71, 0x12, 32}, {1, 0x55, 0x12, 32}, {1, 0x70, 0x12, 32}, {1, 0x71, 0x1E, 32}
	};

	make_head(m, 6, 42);
	make_head(m, 2, 37);
	*m->p++ = 0;
	memcpy(m->p, heads[draw(m, 4) ? draw(m, 2) : draw(m, 4)], 4);
	m->p += 4;
	for (int i = 0; i < 32; i++)
		*m->p++ = (uint8_t) draw(m, 256);
}

/* Note the step that leads into a value. */
static void
begin_step(Maker *m, const char *text, size_t len)
{
	Step   *step = &m->trail[m->depth++];

	step->len = len;
	if (len <= STEP_MAX)
		memcpy(step->text, text, len);
}

static void
make_array(Maker *m, uint32_t count, int object)
{
	make_head(m, 4, count);
	for (uint32_t i = 0; i < count; i++)
	{
		char		index[12];
		int			len = snprintf(index, sizeof(index), draw(m, 8) ? "%d" : "-%d", (int) i);

		begin_step(m, index, (size_t) len);
		make_value(m, object);
		m->depth--;
	}
}

static bool
is_before(const MakeKey *a, const MakeKey *b)
{
	return a->len != b->len ? a->len < b->len : memcmp(a->text, b->text, a->len) < 0;
}

/* Put a key at its place, unless it is there. */
static int
add_key(MakeKey *keys, int count, MakeKey key)
{
	int			i = count;

	for (int j = 0; j < count; j++)
		if (keys[j].len == key.len && memcmp(keys[j].text, key.text, key.len) == 0)
			return count;
	for (; i > 0 && is_before(&key, &keys[i - 1]); i--)
		keys[i] = keys[i - 1];
	keys[i] = key;
	return count + 1;
}

static int
add_foreign_key(Maker *m, MakeKey *keys, int count, char *text)
{
	MakeKey		key = {text, draw(m, 2) ? add_string(m, text, 0) : add_characters(m, text, 0, 8),
	ATID_DICTIONARY_NONE, ATID_DICTIONARY_NONE};

	return add_key(keys, count, key);
}

/* A map: an object of the dictionary, or nearly; or of any keys. */
static void
make_map(Maker *m, int object)
{
	MakeKey		keys[MAKE_KEYS_MAX + 4];
	char		foreign[4][ATID_DICTIONARY_STRING_MAX + 1];
	int			count = 0;

	if (object != ATID_DICTIONARY_NONE)
	{
		AtidObject	o = atid_dictionary_object(object);

		for (int i = 0; i < o.count; i++)
		{
			MakeKey		key = {NULL, 0, o.keys[i].object, ATID_DICTIONARY_NONE};

			if (o.keys[i].required ? draw(m, 40) == 0 : draw(m, 5) < 3)
				continue;
			key.text = atid_dictionary_string(o.keys[i].string, &key.len);
			if (o.keys[i].constant)
				key.constant = o.type;
			count = add_key(keys, count, key);
		}
		if (draw(m, 10) == 0)
			count = add_foreign_key(m, keys, count, foreign[0]);
	}
	else
		for (uint32_t i = draw(m, 5); i > 0; i--)
			count = add_foreign_key(m, keys, count, foreign[i - 1]);

	make_head(m, 5, (uint64_t) count);
	for (int i = 0; i < count; i++)
	{
		make_bytes(m, 3, keys[i].text, keys[i].len);
		begin_step(m, keys[i].text, keys[i].len);
		if (keys[i].constant != ATID_DICTIONARY_NONE && draw(m, 40) > 0)
		{
			size_t		len;
			const char *type = atid_dictionary_string(keys[i].constant, &len);

			make_bytes(m, 3, type, len);
		}
		else
			make_value(m, keys[i].object);
		m->depth--;
	}
}

/* Let one of all values be where the path leads, each as likely as another. */
static void
choose(Maker *m)
{
	if (m->depth > STEPS_MAX || draw(m, ++m->values) > 0)
		return;
	for (int i = 0; i < m->depth; i++)
		if (m->trail[i].len > STEP_MAX)
			return;
	m->steps = m->depth;
	memcpy(m->path, m->trail, sizeof(m->path));
}

static int
draw_object(Maker *m)
{
	return (int) draw(m, (uint32_t) (draw(m, 2) ? atid_dictionary_objects : 32));
}

/* A value, of which one byte always has room: what holds it leaves so much. */
static void
make_value(Maker *m, int object)
{
	choose(m);
	if (m->depth >= MAKE_DEPTH_MAX || room(m) < MAKE_BLOCK_ROOM / 2)
	{
		*m->p++ = (uint8_t) draw(m, 24);
		return;
	}
	if (object != ATID_DICTIONARY_NONE && draw(m, 8) > 0)
	{
		if (draw(m, 3) == 0)
			make_array(m, draw(m, 3), object);
		else
			make_map(m, object);
		return;
	}
	switch (draw(m, 24))
	{
		case 0:
			make_map(m, draw_object(m));
			break;
		case 1:
			make_map(m, ATID_DICTIONARY_NONE);
			break;
		case 2:
		case 3:
			make_array(m, draw(m, 100) ? draw(m, 4) : draw(m, 300), ATID_DICTIONARY_NONE);
			break;
		case 4:
		case 5:
			*m->p++ = (uint8_t) (0xF4 + draw(m, 3));
			break;
		case 6:
		case 7:
		case 8:
			make_number(m);
			break;
		case 9:
		case 10:
			make_link(m);
			break;
		case 11:
			{
				uint8_t		bytes[400] = {0};

				bytes[0] = (uint8_t) draw(m, 256);
				make_bytes(m, 2, bytes, draw(m, 8) ? draw(m, 40) : draw(m, sizeof(bytes)));
				break;
			}
		default:
			{
				char		text[MAKE_TEXT_MAX];
				size_t		len = make_text(m, text);

				make_bytes(m, 3, text, len);
			}
	}
}

/*
 * Make an input of fuzz/block.c of a number, in MAKE_BLOCK_ROOM bytes.  Returns its length.
 */
static size_t
make_block(uint8_t *dst, uint32_t number)
{
	static uint8_t bytes[MAKE_BLOCK_ROOM];
	Maker		m = {0};
	uint8_t    *p = dst;

	m.random = number * UINT64_C(0x9E3779B97F4A7C15);
	m.p = bytes;
	m.end = bytes + MAKE_BLOCK_ROOM - (1 + STEPS_MAX * (1 + STEP_MAX));
	for (uint32_t deep = draw(&m, 200) ? 0 : draw(&m, 70); deep > 0; deep--)
		make_head(&m, 4, 1);
	if (draw(&m, 20) > 0)
	{
		choose(&m);
		make_map(&m, draw(&m, 8) ? draw_object(&m) : ATID_DICTIONARY_NONE);
	}
	else
		make_value(&m, ATID_DICTIONARY_NONE);
	if (draw(&m, 8) == 0 && m.steps > 0)
		m.path[m.steps - 1].text[0] ^= 1;	/* nowhere, mostly */

	*p++ = (uint8_t) m.steps;
	for (int i = 0; i < m.steps; i++)
	{
		*p++ = (uint8_t) m.path[i].len;
		memcpy(p, m.path[i].text, m.path[i].len);
		p += m.path[i].len;
	}
	memcpy(p, bytes, (size_t) (m.p - bytes));
	return (size_t) (p - dst) + (size_t) (m.p - bytes);
}

#endif							/* ATID_MAKE_BLOCK_H */
