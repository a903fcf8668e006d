/*-------------------------------------------------------------------------
 *
 * compile_schema.c
 *		Compiling lexicons: schemas of values, and references.
 *
 * compile.c describes how a set is compiled, and compiled.h a node.
 *
 * Pure code: no server, no allocation but through the caller, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/compile_schema.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/text/address.h"
#include "codec/text/format.h"

static int
compare_integers(const void *a, const void *b, void *arg)
{
	int64_t		x = *(const int64_t *) a;
	int64_t		y = *(const int64_t *) b;

	(void) arg;
	return x < y ? -1 : x > y;
}

/*
 * Is it a type that has a schema of its own and that a value is of?  These come first.
 */
static bool
is_value_type(AtidLexType type)
{
	ATID_STATIC_ASSERT(ATID_LEX_BOOLEAN == 0 && ATID_LEX_OBJECT == 7 && ATID_LEX_PARAMS == 8);
	return type <= ATID_LEX_OBJECT;
}

static int
compare_refs(const void *a, const void *b, void *arg)
{
	return atid_lexicon_ref_cmp(arg, a, b);
}

/*
 * Read a limit that may be absent.
 */
static bool
read_limit(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field, bool length,
		   AtidLexNode *node, uint16_t flag, int64_t *limit)
{
	AtidLexItem item;

	if (!atid_lex_has(fields, field))
		return true;
	item = atid_lex_item(c, fields->places[field]);
	if (!atid_lex_is_integer(&item) || (length && item.major == MAJOR_NEGATIVE))
		return atid_lex_fault(c, length ? ATID_LEXICON_LENGTH : ATID_LEXICON_LIMIT, item.place.at);
	*limit = atid_lex_integer(&item);
	node->flags |= flag;
	return true;
}

static bool
read_range(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField min, AtidLexField max,
		   bool length, AtidLexNode *node)
{
	if (!read_limit(c, fields, min, length, node, ATID_LEX_HAS_MIN, &node->min) ||
		!read_limit(c, fields, max, length, node, ATID_LEX_HAS_MAX, &node->max))
		return false;
	if ((node->flags & ATID_LEX_HAS_MIN) != 0 && (node->flags & ATID_LEX_HAS_MAX) != 0 &&
		node->min > node->max)
		return atid_lex_fault(c, ATID_LEXICON_RANGE, fields->places[min].at);
	return true;
}

/*
 * Read "default" and "const" of a boolean, an integer or a string.
 */
static bool
read_constants(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	static const AtidLexField both[] = {FIELD_DEFAULT, FIELD_CONST};

	for (int i = 0; i < 2; i++)
	{
		AtidLexItem item;

		if (!atid_lex_has(fields, both[i]))
			continue;
		item = atid_lex_item(c, fields->places[both[i]]);
		if (node->type == ATID_LEX_BOOLEAN ? !atid_lex_is_boolean(&item) :
			node->type == ATID_LEX_INTEGER ? !atid_lex_is_integer(&item) : item.major != MAJOR_TEXT)
			return atid_lex_fault(c, ATID_LEXICON_CONSTANT, item.place.at);
		if (both[i] == FIELD_DEFAULT)
			node->flags |= ATID_LEX_HAS_DEFAULT;
		else
		{
			node->flags |= ATID_LEX_HAS_CONST;
			if (node->type == ATID_LEX_STRING)
				node->const_text = atid_lex_text_of(&item);
			else if (node->type == ATID_LEX_INTEGER)
				node->constant = atid_lex_integer(&item);
			else
				node->constant = (int64_t) item.arg - SIMPLE_FALSE;
		}
	}
	if ((node->flags & ATID_LEX_HAS_DEFAULT) != 0 && (node->flags & ATID_LEX_HAS_CONST) != 0)
		return atid_lex_fault(c, ATID_LEXICON_DEFAULT_CONST, fields->map.at);
	return true;
}

static bool
read_integer(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	AtidLexItem array;
	AtidLexPlace place;

	if (!read_constants(c, fields, node) ||
		!read_range(c, fields, FIELD_MINIMUM, FIELD_MAXIMUM, false, node))
		return false;
	if (!atid_lex_has(fields, FIELD_ENUM))
		return true;
	if (!atid_lex_read_field(c, fields, FIELD_ENUM, MAJOR_ARRAY, ATID_LEXICON_ENUM, &array))
		return false;
	node->flags |= ATID_LEX_HAS_ENUM;
	node->first = c->set->integer_count;
	place = atid_lex_inside(&array);
	for (uint64_t i = 0; i < array.arg; i++)
	{
		AtidLexItem item = atid_lex_item(c, place);

		if (!atid_lex_is_integer(&item))
			return atid_lex_fault(c, ATID_LEXICON_ENUM, place.at);
		if (!ATID_LEX_ROOM(c, c->set->integers, c->set->integer_count, c->integer_cap))
			return false;
		c->set->integers[c->set->integer_count++] = atid_lex_integer(&item);
		node->count++;
		place = atid_lex_behind(c, &item);
	}
	if (node->count > 1)
		c->caller->sort(c->set->integers + node->first, node->count, sizeof(int64_t),
						compare_integers, NULL);
	return true;
}

/*
 * Read an array of texts that are looked up: those of the node, in the order of
 * atid_cbor_key_cmp().
 */
static bool
read_texts(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field, AtidFault fault,
		   AtidLexNode *node)
{
	if (!atid_lex_read_strings(c, fields, field, fault, &node->first, &node->count))
		return false;
	if (node->count > 1)
		c->caller->sort(c->set->texts + node->first, node->count, sizeof(AtidLexText),
						atid_lex_compare_texts, c->set);
	return true;
}

static bool
read_string(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	if (!read_constants(c, fields, node) ||
		!read_range(c, fields, FIELD_MIN_LENGTH, FIELD_MAX_LENGTH, true, node) ||
		!read_limit(c, fields, FIELD_MIN_GRAPHEMES, true, node,
					ATID_LEX_HAS_MIN_GRAPHEMES, &node->min_graphemes) ||
		!read_limit(c, fields, FIELD_MAX_GRAPHEMES, true, node,
					ATID_LEX_HAS_MAX_GRAPHEMES, &node->max_graphemes) ||
		!atid_lex_check_strings(c, fields, FIELD_KNOWN_VALUES, ATID_LEXICON_KNOWN_VALUES))
		return false;
	if ((node->flags & ATID_LEX_HAS_MIN_GRAPHEMES) != 0 &&
		(node->flags & ATID_LEX_HAS_MAX_GRAPHEMES) != 0 &&
		node->min_graphemes > node->max_graphemes)
		return atid_lex_fault(c, ATID_LEXICON_RANGE, fields->places[FIELD_MIN_GRAPHEMES].at);
	if (atid_lex_has(fields, FIELD_FORMAT))
	{
		AtidLexItem item;
		AtidFormat	format;

		if (!atid_lex_read_field(c, fields, FIELD_FORMAT, MAJOR_TEXT, ATID_LEXICON_FORMAT, &item))
			return false;
		if (atid_format_by_name(atid_lex_characters(c, &item), (size_t) item.arg, &format))
		{
			node->format = (uint8_t) format;
			node->flags |= ATID_LEX_HAS_FORMAT;
		}
		else
		{
			atid_lex_note_other(c, ATID_LEXICON_FORMAT, item.place.at);
			node->flags |= ATID_LEX_OTHER_FORMAT;
		}
	}
	if (atid_lex_has(fields, FIELD_ENUM))
	{
		if (!read_texts(c, fields, FIELD_ENUM, ATID_LEXICON_ENUM, node))
			return false;
		node->flags |= ATID_LEX_HAS_ENUM;
	}
	return true;
}

static bool
read_blob(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	if (!read_limit(c, fields, FIELD_MAX_SIZE, true, node, ATID_LEX_HAS_MAX, &node->max))
		return false;
	if (!atid_lex_has(fields, FIELD_ACCEPT))
		return true;
	node->flags |= ATID_LEX_HAS_ACCEPT;
	return read_texts(c, fields, FIELD_ACCEPT, ATID_LEXICON_ACCEPT, node);
}

static bool
read_array(AtidLexCompile *c, const AtidLexFields *fields, AtidLexRole role, AtidLexNode *node)
{
	if (!read_range(c, fields, FIELD_MIN_LENGTH, FIELD_MAX_LENGTH, true, node))
		return false;
	if (!atid_lex_has(fields, FIELD_ITEMS))
		return atid_lex_fault(c, ATID_LEXICON_ITEMS, fields->map.at);
	return atid_lex_add_node(c, fields->places[FIELD_ITEMS],
							 role == ROLE_PARAMETER ? ROLE_PARAMETER_ITEM : ROLE_FIELD,
							 ATID_LEXICON_SCHEMA, &node->first);
}

/*
 * Read "required" or "nullable", and mark the properties of these names.
 */
static bool
mark_properties(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field,
				const AtidLexNode *node)
{
	AtidLexItem array;
	AtidLexPlace place;

	if (!atid_lex_has(fields, field))
		return true;
	if (!atid_lex_read_field(c, fields, field, MAJOR_ARRAY, ATID_LEXICON_NAMES, &array))
		return false;
	place = atid_lex_inside(&array);
	for (uint64_t i = 0; i < array.arg; i++)
	{
		AtidLexItem item = atid_lex_item(c, place);
		uint32_t	found;

		if (item.major != MAJOR_TEXT)
			return atid_lex_fault(c, ATID_LEXICON_NAMES, place.at);
		found = atid_lexicon_find_property(c->set, node, atid_lex_characters(c, &item),
										   (size_t) item.arg);
		if (found == ATID_LEX_NONE)
			return atid_lex_fault(c, ATID_LEXICON_NO_PROPERTY, place.at);
		if (field == FIELD_REQUIRED)
			c->set->properties[found].required = true;
		else
			c->set->properties[found].nullable = true;
		place = atid_lex_behind(c, &item);
	}
	return true;
}

/*
 * Read an object, or params.
 */
static bool
read_object(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	bool		params = node->type == ATID_LEX_PARAMS;
	AtidLexItem map;
	AtidLexPlace place;

	if (!atid_lex_read_field(c, fields, FIELD_PROPERTIES, MAJOR_MAP, ATID_LEXICON_PROPERTIES, &map))
		return false;
	node->first = c->set->property_count;
	place = atid_lex_inside(&map);
	for (uint64_t i = 0; i < map.arg; i++)
	{
		AtidLexItem key = atid_lex_item(c, place);
		AtidLexItem value = atid_lex_item(c, atid_lex_behind(c, &key));

		if (!atid_lex_add_property(c, atid_lex_text_of(&key), value.place,
								   params ? ROLE_PARAMETER : ROLE_FIELD, ATID_LEXICON_SCHEMA))
			return false;
		node->count++;
		place = atid_lex_behind(c, &value);
	}
	if (!mark_properties(c, fields, FIELD_REQUIRED, node) ||
		(!params && !mark_properties(c, fields, FIELD_NULLABLE, node)))
		return false;
	if (atid_lex_has(fields, FIELD_REQUIRED) &&
		atid_lex_item(c, fields->places[FIELD_REQUIRED]).arg > 0)
		node->flags |= ATID_LEX_HAS_REQUIRED;
	for (uint32_t i = node->first + node->count, next = ATID_LEX_NONE; i-- > node->first;)
	{
		if (c->set->properties[i].required)
			next = i;
		c->set->properties[i].next_required = next;
	}
	return true;
}


/*
 * References
 */

bool
atid_lex_is_name(const char *s, size_t len)
{
	return len > 0 && memchr(s, '#', len) == NULL && memchr(s, '\0', len) == NULL;
}

/*
 * Resolve a reference from a ref, or from a union.
 */
static bool
read_ref(AtidLexCompile *c, const AtidLexItem *item, bool member, AtidLexRef *ref)
{
	AtidLexicon *set = c->set;
	const char *s = atid_lex_characters(c, item);
	size_t		len = (size_t) item->arg;
	const char *hash;
	size_t		nsid_len;
	uint32_t	document = c->document;
	uint8_t		type;

	if (item->major != MAJOR_TEXT)
		return atid_lex_fault(c, member ? ATID_LEXICON_REFS : ATID_LEXICON_REF, item->place.at);
	hash = memchr(s, '#', len);
	nsid_len = hash != NULL ? (size_t) (hash - s) : len;
	ref->name.at = 0;
	ref->name.len = 0;
	if (hash != NULL)
	{
		size_t		name_len = len - nsid_len - 1;

		if (!atid_lex_is_name(hash + 1, name_len))
			return atid_lex_fault(c, ATID_LEXICON_REF, item->place.at);
		if (name_len != strlen(ATID_LEX_MAIN) || memcmp(hash + 1, ATID_LEX_MAIN, name_len) != 0)
		{
			ref->name.at = item->content + (uint32_t) nsid_len + 1;
			ref->name.len = (uint32_t) name_len;
		}
	}
	if (nsid_len == 0 && hash != NULL)
		ref->nsid = set->documents[document].nsid;
	else
	{
		if (!atid_nsid_is_valid(s, nsid_len))
			return atid_lex_fault(c, ATID_LEXICON_REF, item->place.at);
		ref->nsid.at = item->content;
		ref->nsid.len = (uint32_t) nsid_len;
		document = atid_lexicon_find_document(set, s, nsid_len);
	}
	ref->definition = ATID_LEX_NONE;
	if (document != ATID_LEX_NONE)
		ref->definition = ref->name.len > 0 ?
			atid_lexicon_find_definition(set, document, atid_lex_text(set, ref->name),
										 ref->name.len) :
			atid_lexicon_find_main(set, document);
	if (document != c->document)
		return true;

	/* within a document */
	if (ref->definition == ATID_LEX_NONE)
		return atid_lex_fault(c, ATID_LEXICON_REF_NONE, item->place.at);
	type = set->nodes[set->definitions[ref->definition].node].type;
	if (type == ATID_LEX_OTHER)
		return true;
	if (member && type != ATID_LEX_OBJECT && type != ATID_LEX_RECORD)
		return atid_lex_fault(c, ATID_LEXICON_MEMBER, item->place.at);
	if (!is_value_type(type) && type != ATID_LEX_RECORD)
		return atid_lex_fault(c, ATID_LEXICON_REF_TYPE, item->place.at);
	return true;
}

static bool
add_ref(AtidLexCompile *c, const AtidLexItem *item, bool member)
{
	if (!ATID_LEX_ROOM(c, c->set->refs, c->set->ref_count, c->ref_cap) ||
		!read_ref(c, item, member, &c->set->refs[c->set->ref_count]))
		return false;
	c->set->ref_count++;
	return true;
}

static bool
read_reference(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	AtidLexItem item;

	if (!atid_lex_read_field(c, fields, FIELD_REF, MAJOR_TEXT, ATID_LEXICON_REF, &item))
		return false;
	node->first = c->set->ref_count;
	node->count = 1;
	return add_ref(c, &item, false);
}

static bool
read_union(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	AtidLexicon *set = c->set;
	AtidLexItem array;
	AtidLexPlace place;

	if (!atid_lex_read_field(c, fields, FIELD_REFS, MAJOR_ARRAY, ATID_LEXICON_REFS, &array))
		return false;
	if (atid_lex_has(fields, FIELD_CLOSED))
	{
		AtidLexItem closed = atid_lex_item(c, fields->places[FIELD_CLOSED]);

		if (!atid_lex_is_boolean(&closed))
			return atid_lex_fault(c, ATID_LEXICON_CLOSED_TYPE, closed.place.at);
		if (closed.arg != SIMPLE_FALSE)
			node->flags |= ATID_LEX_CLOSED;
	}
	if (array.arg == 0 && (node->flags & ATID_LEX_CLOSED) != 0)
		return atid_lex_fault(c, ATID_LEXICON_CLOSED_EMPTY, array.place.at);

	node->first = set->ref_count;
	place = atid_lex_inside(&array);
	for (uint64_t i = 0; i < array.arg; i++)
	{
		AtidLexItem item = atid_lex_item(c, place);

		if (!add_ref(c, &item, true))
			return false;
		place = atid_lex_behind(c, &item);
	}

	/* each once */
	if (set->ref_count - node->first > 1)
		c->caller->sort(set->refs + node->first, set->ref_count - node->first,
						sizeof(AtidLexRef), compare_refs, set);
	for (uint32_t i = node->first; i < set->ref_count; i++)
	{
		AtidLexRef *last = set->refs + node->first + node->count;

		atid_lex_count_item(c);
		ATID_ASSERT(node->count == 0 || atid_lexicon_ref_cmp(set, last - 1, &set->refs[i]) <= 0);
		if (node->count == 0 || atid_lexicon_ref_cmp(set, last - 1, &set->refs[i]) != 0)
		{
			*last = set->refs[i];
			node->count++;
		}
	}
	set->ref_count = node->first + node->count;
	return true;
}


bool
atid_lex_read_schema(AtidLexCompile *c, const AtidLexFields *fields, AtidLexRole role,
					 AtidLexNode *node)
{
	switch (node->type)
	{
		case ATID_LEX_BOOLEAN:
			return read_constants(c, fields, node);
		case ATID_LEX_INTEGER:
			return read_integer(c, fields, node);
		case ATID_LEX_STRING:
			return read_string(c, fields, node);
		case ATID_LEX_BYTES:
			return read_range(c, fields, FIELD_MIN_LENGTH, FIELD_MAX_LENGTH, true, node);
		case ATID_LEX_BLOB:
			return read_blob(c, fields, node);
		case ATID_LEX_ARRAY:
			return read_array(c, fields, role, node);
		case ATID_LEX_OBJECT:
		case ATID_LEX_PARAMS:
			return read_object(c, fields, node);
		case ATID_LEX_REF:
			return read_reference(c, fields, node);
		case ATID_LEX_UNION:
			return read_union(c, fields, node);
		default:
			return true;
	}
}
