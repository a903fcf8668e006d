/*-------------------------------------------------------------------------
 * json_cbor.h
 *		A block of DAG-CBOR, written as JSON.
 *
 * Quotes may be single, and \uXXXX is the only escape.  {"$link": hexadecimal} is a link
 * with these bytes, and {"$bytes": hexadecimal} are bytes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_JSON_CBOR_H
#define ATID_JSON_CBOR_H

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "exact.h"

static inline bool
json_cbor_grow(AtidCborWriter *writer, size_t new_cap)
{
	writer->data = realloc(writer->data, new_cap);
	writer->cap = new_cap;
	return true;
}

typedef struct JsonText
{
	char	   *s;				/* ends in a NUL */
	size_t		len;
} JsonText;

/* A key, and the block of its value. */
typedef struct JsonPair
{
	JsonText	key;
	AtidCborWriter value;
} JsonPair;

static inline int
json_pair_cmp(const void *a, const void *b)
{
	const JsonPair *x = a;
	const JsonPair *y = b;

	return atid_cbor_key_cmp(x->key.s, x->key.len, y->key.s, y->key.len);
}

static inline const char *
json_blanks(const char *s)
{
	return s + strspn(s, " ,:\n");
}

/* Read the string at s, a quote.  Returns what is behind it. */
static inline const char *
json_text(const char *s, JsonText *text)
{
	char		quote = *s++;

	text->s = malloc(strcspn(s, (char[2]) {quote}) + 1);
	text->len = 0;
	for (; *s != quote; s++)
	{
		unsigned	code;

		char		digits[5] = {0};

		if (*s != '\\')
		{
			text->s[text->len++] = *s;
			continue;
		}
		memcpy(digits, s + 2, 4);
		code = (unsigned) strtoul(digits, NULL, 16);
		s += 5;
		if (code >= 0x800)
			text->s[text->len++] = (char) (0xE0 | code >> 12);
		if (code >= 0x80)
			text->s[text->len++] = (char) (code >= 0x800 ? 0x80 | (code >> 6 & 0x3F) :
										   0xC0 | code >> 6);
		text->s[text->len++] = (char) (code >= 0x80 ? 0x80 | (code & 0x3F) : code);
	}
	text->s[text->len] = '\0';
	return s + 1;
}

/* Put a block behind what has been written. */
static inline void
json_put_block(AtidCborWriter *writer, AtidCborWriter *block)
{
	if (writer->cap - writer->len < block->len)
		json_cbor_grow(writer, 2 * writer->cap + block->len);
	if (block->len > 0)
		memcpy(writer->data + writer->len, block->data, block->len);
	writer->len += block->len;
	free(block->data);
}

/* Write the link or the bytes at s, the value of "$link" or "$bytes". */
static inline const char *
json_special(const char *s, bool link, AtidCborWriter *writer)
{
	JsonText	hex;
	size_t		len;
	uint8_t    *bytes;

	s = json_blanks(json_text(json_blanks(s), &hex));
	bytes = from_hex(hex.s, &len);
	if (link)
		atid_cbor_put_link(writer, bytes, len);
	else
		atid_cbor_put_bytes(writer, bytes, len);
	free(bytes);
	free(hex.s);
	return s + 1;
}

/* Write the value at s.  Returns what is behind it. */
static const char *
json_cbor_value(const char *s, AtidCborWriter *writer)
{
	static const char *const words[] = {"false", "true", "null"};
	AtidCborWriter items = {.grow = json_cbor_grow};
	JsonPair   *pairs = NULL;
	JsonText	text;
	size_t		count = 0;
	char	   *end;

	s = json_blanks(s);
	if (*s == '\'' || *s == '"')
	{
		s = json_text(s, &text);
		atid_cbor_put_text(writer, text.s, text.len);
		free(text.s);
		return s;
	}
	if (*s == '[')
	{
		for (s = json_blanks(s + 1); *s != ']'; s = json_blanks(s), count++)
			s = json_cbor_value(s, &items);
		atid_cbor_put_array(writer, count);
		json_put_block(writer, &items);
		return s + 1;
	}
	if (*s == '{')
	{
		for (s = json_blanks(s + 1); *s != '}'; s = json_blanks(s), count++)
		{
			s = json_text(s, &text);
			if (strcmp(text.s, "$link") == 0 || strcmp(text.s, "$bytes") == 0)
			{
				s = json_special(s, text.s[1] == 'l', writer);
				free(text.s);
				return s;
			}
			if ((count & (count - 1)) == 0)
				pairs = realloc(pairs, (count ? 2 * count : 1) * sizeof(JsonPair));
			pairs[count] = (JsonPair) {text, {.grow = json_cbor_grow}};
			s = json_cbor_value(s, &pairs[count].value);
		}
		if (count > 1)
			qsort(pairs, count, sizeof(JsonPair), json_pair_cmp);
		atid_cbor_put_map(writer, count);
		for (size_t i = 0; i < count; i++)
		{
			atid_cbor_put_text(writer, pairs[i].key.s, pairs[i].key.len);
			json_put_block(writer, &pairs[i].value);
			free(pairs[i].key.s);
		}
		free(pairs);
		return s + 1;
	}
	for (int i = 0; i < 3; i++)
		if (strncmp(s, words[i], strlen(words[i])) == 0)
		{
			if (i < 2)
				atid_cbor_put_bool(writer, i == 1);
			else
				atid_cbor_put_null(writer);
			return s + strlen(words[i]);
		}
	atid_cbor_put_integer(writer, strtoll(s, &end, 10));
	return end;
}

/* The block of a text.  The memory has its size only. */
static inline uint8_t *
json_cbor(const char *json, size_t *len)
{
	AtidCborWriter writer = {.grow = json_cbor_grow};

	json_cbor_value(json, &writer);
	*len = writer.len;
	return realloc(writer.data, writer.len);
}

#endif							/* ATID_JSON_CBOR_H */
