/*-------------------------------------------------------------------------
 *
 * compile_read.c
 *		Compiling lexicons: the set's bytes, and adding to the program.
 *
 * compile.c describes how a set is compiled.  Its bytes are checked first, and the
 * end of each array and map is noted.  From then on they are read without any check.
 *
 * Pure code: no server, no allocation but through the caller, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/compile_read.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/cbor/dagcbor.h"

/* The first size of an array. */
#define COUNT_LEAST		16

#define NAME(symbol, name) name,
static const char field_names[FIELDS][13] = {ATID_LEX_FIELDS(NAME)};

/* The first field of each length. */
#define FIELD_LEN_MAX 12
static const uint8_t first_field[FIELD_LEN_MAX + 2] = {
	0, 0, FIELD_ID, FIELD_AUD, FIELD_DEFS, FIELD_CONST, FIELD_ACCEPT, FIELD_DEFAULT,
	FIELD_ENCODING, FIELD_MAX_LENGTH, FIELD_COLLECTION, FIELD_DESCRIPTION,
	FIELD_MAX_GRAPHEMES, FIELDS
};

bool
atid_lex_fault(AtidLexCompile *c, AtidFault fault, size_t at)
{
	c->fault = fault;
	c->at = at;
	return false;
}

void
atid_lex_note_other(AtidLexCompile *c, AtidFault fault, size_t at)
{
	if (c->set->other_fault != ATID_OK)
		return;
	c->set->other_fault = fault;
	c->set->other_at = at;
}


/*
 * Memory
 */

void *
atid_lex_grow(AtidLexCompile *c, void *array, uint32_t count, uint32_t *cap, size_t size)
{
	uint32_t	new_cap = *cap > 0 ? *cap * 2 : COUNT_LEAST;
	void	   *grown = NULL;

	ATID_ASSERT(count <= *cap);
	if (count < *cap)
		return array;
	if (new_cap <= SIZE_MAX / size)
		grown = c->caller->alloc(c->caller->arg, array, new_cap * size);
	if (grown == NULL)
	{
		atid_lex_fault(c, ATID_NO_MEMORY, 0);
		return array;
	}
	*cap = new_cap;
	return grown;
}


/*
 * Reading what has been checked
 */

bool
atid_lex_read_spans(AtidLexCompile *c)
{
	AtidCborReader reader;
	AtidCborItem item;
	uint32_t	open[ATID_CBOR_DEPTH_MAX];

	atid_cbor_reader_init(&reader, c->set->bytes, c->set->len);
	reader.pause = c->caller->pause;
	for (;;)
	{
		AtidLexSpan *span;

		atid_lex_count_item(c);
		switch (atid_cbor_next(&reader, &item))
		{
			case ATID_CBOR_FAULT:
				return atid_lex_fault(c, reader.fault, atid_cbor_offset(&reader));
			case ATID_CBOR_END:
				return true;
			case ATID_CBOR_ARRAY:
			case ATID_CBOR_MAP:
				if (!ATID_LEX_ROOM(c, c->spans, c->span_count, c->span_cap))
					return false;
				open[reader.depth - 1] = c->span_count++;
				break;
			case ATID_CBOR_ARRAY_END:
			case ATID_CBOR_MAP_END:
				span = &c->spans[open[reader.depth]];
				ATID_ASSERT(span < c->spans + c->span_count);
				span->end = (uint32_t) (reader.p - reader.begin);
				span->next = c->span_count;
				break;
			default:
				break;
		}
	}
}

AtidLexItem
atid_lex_item(AtidLexCompile *c, AtidLexPlace place)
{
	const uint8_t *p = c->set->bytes + place.at;
	AtidLexItem item;

	ATID_ASSERT(place.at < c->set->len && place.span <= c->span_count);
	atid_lex_count_item(c);
	item.place = place;
	item.major = MAJOR(*p);
	item.content = (uint32_t) (atid_checked_head(p, &item.arg) - c->set->bytes);
	return item;
}

AtidLexPlace
atid_lex_behind(AtidLexCompile *c, const AtidLexItem *item)
{
	AtidLexPlace place = {item->content, item->place.span};

	switch (item->major)
	{
		case MAJOR_BYTES:
		case MAJOR_TEXT:
			place.at += (uint32_t) item->arg;
			break;
		case MAJOR_ARRAY:
		case MAJOR_MAP:
			place.at = c->spans[item->place.span].end;
			place.span = c->spans[item->place.span].next;
			break;
		case MAJOR_TAG:
			{
				AtidLexItem link = atid_lex_item(c, place);

				place.at = link.content + (uint32_t) link.arg;
				break;
			}
	}
	return place;
}

bool
atid_lex_item_is(const AtidLexCompile *c, const AtidLexItem *item, const char *text)
{
	return item->major == MAJOR_TEXT && item->arg == strlen(text) &&
		memcmp(atid_lex_characters(c, item), text, strlen(text)) == 0;
}

void
atid_lex_read_fields(AtidLexCompile *c, const AtidLexItem *map, AtidLexFields *fields)
{
	AtidLexPlace place = atid_lex_inside(map);

	fields->map = map->place;
	fields->present = 0;
	for (uint64_t i = 0; i < map->arg; i++)
	{
		AtidLexItem key = atid_lex_item(c, place);
		AtidLexItem value = atid_lex_item(c, atid_lex_behind(c, &key));

		if (key.arg <= FIELD_LEN_MAX)
			for (unsigned f = first_field[key.arg]; f < first_field[key.arg + 1]; f++)
			{
				ATID_ASSERT(strlen(field_names[f]) == key.arg);
				if (memcmp(atid_lex_characters(c, &key), field_names[f], key.arg) == 0)
				{
					fields->present |= UINT64_C(1) << f;
					fields->places[f] = value.place;
					break;
				}
			}
		place = atid_lex_behind(c, &value);
	}
}

bool
atid_lex_read_field(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field,
					unsigned major, AtidFault fault, AtidLexItem *item)
{
	if (atid_lex_has(fields, field))
	{
		*item = atid_lex_item(c, fields->places[field]);
		if (item->major == major)
			return true;
	}
	return atid_lex_fault(c, fault, atid_lex_place(fields, field));
}

bool
atid_lex_check_string(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field,
					  AtidFault fault)
{
	AtidLexItem item;

	return !atid_lex_has(fields, field) ||
		atid_lex_read_field(c, fields, field, MAJOR_TEXT, fault, &item);
}


/*
 * Adding to the program
 */

bool
atid_lex_add_node(AtidLexCompile *c, AtidLexPlace place, AtidLexRole role, AtidFault fault,
				  uint32_t *index)
{
	AtidLexNode *node;

	if (MAJOR(c->set->bytes[place.at]) != MAJOR_MAP)
		return atid_lex_fault(c, fault, place.at);
	if (!ATID_LEX_ROOM(c, c->set->nodes, c->set->node_count, c->node_cap))
		return false;
	node = &c->set->nodes[c->set->node_count];
	memset(node, 0, sizeof(*node));
	node->format = (uint8_t) role;
	node->at = place.at;
	node->first = place.span;
	node->count = c->document;
	*index = c->set->node_count++;
	return true;
}

bool
atid_lex_add_property(AtidLexCompile *c, AtidLexText name, AtidLexPlace place,
					  AtidLexRole role, AtidFault fault)
{
	AtidLexProperty *property;
	uint32_t	node;

	if (!atid_lex_add_node(c, place, role, fault, &node) ||
		!ATID_LEX_ROOM(c, c->set->properties, c->set->property_count, c->property_cap))
		return false;
	property = &c->set->properties[c->set->property_count++];
	memset(property, 0, sizeof(*property));
	property->name = name;
	property->node = node;
	return true;
}

int
atid_lex_compare_texts(const void *a, const void *b, void *arg)
{
	const AtidLexicon *set = arg;
	const AtidLexText *x = a;
	const AtidLexText *y = b;

	return atid_cbor_key_cmp(atid_lex_text(set, *x), x->len, atid_lex_text(set, *y), y->len);
}

bool
atid_lex_read_strings(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field,
					  AtidFault fault, uint32_t *first, uint32_t *count)
{
	AtidLexItem array;
	AtidLexPlace place;

	*first = c->set->text_count;
	*count = 0;
	if (!atid_lex_read_field(c, fields, field, MAJOR_ARRAY, fault, &array))
		return false;
	place = atid_lex_inside(&array);
	for (uint64_t i = 0; i < array.arg; i++)
	{
		AtidLexItem item = atid_lex_item(c, place);

		if (item.major != MAJOR_TEXT)
			return atid_lex_fault(c, fault, place.at);
		if (!ATID_LEX_ROOM(c, c->set->texts, c->set->text_count, c->text_cap))
			return false;
		c->set->texts[c->set->text_count++] = atid_lex_text_of(&item);
		(*count)++;
		place = atid_lex_behind(c, &item);
	}
	return true;
}

bool
atid_lex_check_strings(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field,
					   AtidFault fault)
{
	uint32_t	first;
	uint32_t	count;

	if (!atid_lex_has(fields, field))
		return true;
	if (!atid_lex_read_strings(c, fields, field, fault, &first, &count))
		return false;
	c->set->text_count = first;
	return true;
}
