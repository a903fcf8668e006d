/*-------------------------------------------------------------------------
 *
 * compile.c
 *		Lexicons, compiled: a set of documents is checked and made a program, in one.
 *
 * Format (AT Protocol, "Lexicon", language version 1): a set is a map of documents by
 * their NSIDs, in DAG-CBOR.  A document has definitions by name.  A definition is a
 * schema, which is a map with a "type", and has further schemas in it.
 *
 * Where the specification is silent, or practice differs:
 *	- unknown fields are ignored everywhere, so a "nullable" of params is, too;
 *	- a schema of type object or array may stand wherever a property or an item does;
 *	- a const or default may be outside of its enum or range: then no value conforms;
 *	- what "accept" has need not be a MIME type;
 *	- a name has only to be not empty and without "#" and U+0000, which no text of SQL has;
 *	- a reference with the NSID of its own document is like one without an NSID;
 *	- a reference to another document may lead to a definition of any type, or to none:
 *	  a document of one author must not make those of others invalid;
 *	- main may be of a type that the language lacks, and a string have such a format, as later
 *	  versions of the specification add some.  Such a definition can be anything: nothing in it
 *	  is read, and a reference may lead to it; such a string may have any characters;
 *	- of a permission only "repo" and "rpc" have known fields.  Whether it can be granted
 *	  is not checked.
 *
 * How it is made:
 *
 *	1. One run of the reader (dagcbor.c) checks the encoding and notes for each array
 *	   and map where it ends.  From then on a value is passed over at once.
 *	2. The documents and their definitions are listed.  Both are in order, as keys of
 *	   maps are.  Each definition gets a node, so a reference can be resolved.
 *	3. The nodes are a work list: a node is read from its place, and the schemas in it
 *	   become nodes at the end of the list.  So there is no recursion, and no stack.
 *
 * Invariants:
 *	- a node that is not yet read has its place in "at" and "first", its document in
 *	  "count" and its role in "format";
 *	- each schema is read once, definitions twice; time is that of n log n, for names and
 *	  references that are looked up or sorted;
 *	- arrays grow by doubling, and the smallest item of an array has a byte: 8 bytes for
 *	  the span of a container, a text or an integer; a ref has three bytes and takes 20;
 *	  a property's schema has 12 and takes 92.  So all arrays together have at most 16 times
 *	  the bytes of the set, half as much again while one is moved, and 4 kB.  fuzz/lexicon.c
 *	  checks that.
 *
 * Pure code: no server, no allocation but through the caller, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/compile.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/cbor/dagcbor.h"
#include "codec/lexicon/compile_read.h"
#include "codec/lexicon/compile_schema.h"
#include "codec/text/address.h"
#include "codec/text/format.h"

#define IN(role)	(1u << (role))
#define ANYWHERE	(IN(ROLE_DEFINITION) | IN(ROLE_MAIN) | IN(ROLE_FIELD))
#define PLAIN		(ANYWHERE | IN(ROLE_PARAMETER) | IN(ROLE_PARAMETER_ITEM))

typedef struct TypeName
{
	const char *name;
	AtidLexType type;
	unsigned	roles;
} TypeName;

static const TypeName type_names[] = {
	{"string", ATID_LEX_STRING, PLAIN},
	{"ref", ATID_LEX_REF, IN(ROLE_FIELD) | IN(ROLE_BODY_SCHEMA)},
	{"array", ATID_LEX_ARRAY, ANYWHERE | IN(ROLE_PARAMETER)},
	{"object", ATID_LEX_OBJECT, ANYWHERE | IN(ROLE_RECORD) | IN(ROLE_BODY_SCHEMA)},
	{"integer", ATID_LEX_INTEGER, PLAIN},
	{"boolean", ATID_LEX_BOOLEAN, PLAIN},
	{"union", ATID_LEX_UNION,
	IN(ROLE_FIELD) | IN(ROLE_BODY_SCHEMA) | IN(ROLE_MESSAGE_SCHEMA)},
	{"unknown", ATID_LEX_UNKNOWN, IN(ROLE_FIELD)},
	{"bytes", ATID_LEX_BYTES, ANYWHERE},
	{"cid-link", ATID_LEX_CID_LINK, ANYWHERE},
	{"blob", ATID_LEX_BLOB, ANYWHERE},
	{"params", ATID_LEX_PARAMS, IN(ROLE_PARAMETERS)},
	{"token", ATID_LEX_TOKEN, IN(ROLE_DEFINITION) | IN(ROLE_MAIN)},
	{"record", ATID_LEX_RECORD, IN(ROLE_MAIN)},
	{"query", ATID_LEX_QUERY, IN(ROLE_MAIN)},
	{"procedure", ATID_LEX_PROCEDURE, IN(ROLE_MAIN)},
	{"subscription", ATID_LEX_SUBSCRIPTION, IN(ROLE_MAIN)},
	{"permission-set", ATID_LEX_PERMISSION_SET, IN(ROLE_MAIN)},
	{"permission", ATID_LEX_PERMISSION_SET, 0}
};


/*
 * Types
 */

/*
 * What is wrong with a type that may not stand where it does.
 */
static AtidFault
fault_of_role(const TypeName *type, AtidLexRole role)
{
	switch (role)
	{
		case ROLE_DEFINITION:
		case ROLE_MAIN:
			return (type->roles & IN(ROLE_MAIN)) != 0 ? ATID_LEXICON_MAIN : ATID_LEXICON_DEFINED;
		case ROLE_PARAMETER:
		case ROLE_PARAMETER_ITEM:
			return ATID_LEXICON_PARAMETER;
		case ROLE_RECORD:
			return ATID_LEXICON_RECORD;
		case ROLE_PARAMETERS:
			return ATID_LEXICON_PARAMETERS;
		case ROLE_BODY_SCHEMA:
			return ATID_LEXICON_BODY_SCHEMA;
		case ROLE_MESSAGE_SCHEMA:
			return ATID_LEXICON_MESSAGE;
		default:
			return ATID_LEXICON_FIELD;
	}
}

static bool
read_type(AtidLexCompile *c, const AtidLexFields *fields, AtidLexRole role, uint8_t *type)
{
	AtidLexItem item;

	if (!atid_lex_read_field(c, fields, FIELD_TYPE, MAJOR_TEXT, ATID_LEXICON_TYPE, &item))
		return false;
	for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (atid_lex_item_is(c, &item, type_names[i].name))
		{
			if ((type_names[i].roles & IN(role)) == 0)
				return atid_lex_fault(c, fault_of_role(&type_names[i], role),
									  item.place.at);
			*type = (uint8_t) type_names[i].type;
			return true;
		}
	if (role != ROLE_MAIN)
		return atid_lex_fault(c, ATID_LEXICON_TYPE, item.place.at);
	atid_lex_note_other(c, ATID_LEXICON_TYPE, item.place.at);
	*type = ATID_LEX_OTHER;
	return true;
}


/*
 * Primary types
 */

static bool
read_record(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	static const char literal[] = "literal:";
	const size_t literal_len = sizeof(literal) - 1;
	AtidLexItem key;

	if (!atid_lex_read_field(c, fields, FIELD_KEY, MAJOR_TEXT, ATID_LEXICON_KEY, &key))
		return false;
	if (atid_lex_item_is(c, &key, "any"))
		node->format = ATID_LEX_KEY_ANY;
	else if (atid_lex_item_is(c, &key, "nsid"))
		node->format = ATID_LEX_KEY_NSID;
	else if (atid_lex_item_is(c, &key, "tid"))
		node->format = ATID_LEX_KEY_TID;
	else
	{
		const char *s = atid_lex_characters(c, &key);

		if (key.arg < literal_len || memcmp(s, literal, literal_len) != 0 ||
			!atid_record_key_ok(s + literal_len, (size_t) key.arg - literal_len, true))
			return atid_lex_fault(c, ATID_LEXICON_KEY, key.place.at);
		node->format = ATID_LEX_KEY_LITERAL;
		node->const_text.at = key.content + (uint32_t) literal_len;
		node->const_text.len = (uint32_t) (key.arg - literal_len);
	}
	if (!atid_lex_has(fields, FIELD_RECORD))
		return atid_lex_fault(c, ATID_LEXICON_RECORD, fields->map.at);
	return atid_lex_add_node(c, fields->places[FIELD_RECORD], ROLE_RECORD, ATID_LEXICON_RECORD,
							 &node->first);
}

/* A name of an error: not empty, and without white space. */
static bool
is_error_name(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r'))
			return false;
	return len > 0;
}

static bool
check_errors(AtidLexCompile *c, const AtidLexFields *fields)
{
	AtidLexItem array;
	AtidLexPlace place;

	if (!atid_lex_has(fields, FIELD_ERRORS))
		return true;
	if (!atid_lex_read_field(c, fields, FIELD_ERRORS, MAJOR_ARRAY, ATID_LEXICON_ERRORS, &array))
		return false;
	place = atid_lex_inside(&array);
	for (uint64_t i = 0; i < array.arg; i++)
	{
		AtidLexItem item = atid_lex_item(c, place);
		AtidLexItem name;
		AtidLexFields error;

		if (item.major != MAJOR_MAP)
			return atid_lex_fault(c, ATID_LEXICON_ERRORS, place.at);
		atid_lex_read_fields(c, &item, &error);
		if (!atid_lex_read_field(c, &error, FIELD_NAME, MAJOR_TEXT, ATID_LEXICON_ERRORS, &name))
			return false;
		if (!is_error_name(atid_lex_characters(c, &name), (size_t) name.arg))
			return atid_lex_fault(c, ATID_LEXICON_ERRORS, name.place.at);
		if (!atid_lex_check_string(c, &error, FIELD_DESCRIPTION, ATID_LEXICON_DESCRIPTION))
			return false;
		place = atid_lex_behind(c, &item);
	}
	return true;
}

/*
 * Add the input, output, message or parameters of an endpoint, if it has them.
 */
static bool
add_part(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field, const char *key,
		 AtidLexRole role, AtidFault fault, AtidLexNode *node)
{
	AtidLexText name;

	if (!atid_lex_has(fields, field))
		return true;

	/* the key is right in front of its value */
	name.len = (uint32_t) strlen(key);
	name.at = fields->places[field].at - name.len;
	node->count++;
	return atid_lex_add_property(c, name, fields->places[field], role, fault);
}

/*
 * Read a query, procedure or subscription.
 */
static bool
read_endpoint(AtidLexCompile *c, const AtidLexFields *fields, AtidLexNode *node)
{
	node->first = c->set->property_count;

	/* in the order of their names */
	if (node->type == ATID_LEX_PROCEDURE &&
		!add_part(c, fields, FIELD_INPUT, "input", ROLE_BODY, ATID_LEXICON_BODY, node))
		return false;
	if (node->type == ATID_LEX_SUBSCRIPTION)
	{
		if (!atid_lex_has(fields, FIELD_MESSAGE))
			return atid_lex_fault(c, ATID_LEXICON_MESSAGE, fields->map.at);
		if (!add_part(c, fields, FIELD_MESSAGE, "message", ROLE_MESSAGE, ATID_LEXICON_MESSAGE,
					  node))
			return false;
	}
	else if (!add_part(c, fields, FIELD_OUTPUT, "output", ROLE_BODY, ATID_LEXICON_BODY, node))
		return false;
	return add_part(c, fields, FIELD_PARAMETERS, "parameters", ROLE_PARAMETERS,
					ATID_LEXICON_PARAMETERS, node) &&
		check_errors(c, fields);
}

/*
 * Read an input, output or message.
 */
static bool
read_body(AtidLexCompile *c, const AtidLexFields *fields, AtidLexRole role, AtidLexNode *node)
{
	AtidLexItem encoding;

	node->type = ATID_LEX_BODY;
	node->first = ATID_LEX_NONE;
	if (role == ROLE_BODY)
	{
		if (!atid_lex_read_field(c, fields, FIELD_ENCODING, MAJOR_TEXT, ATID_LEXICON_BODY,
								 &encoding))
			return false;
		node->const_text = atid_lex_text_of(&encoding);
	}
	if (!atid_lex_has(fields, FIELD_SCHEMA))
		return role == ROLE_BODY || atid_lex_fault(c, ATID_LEXICON_MESSAGE, fields->map.at);
	if (role == ROLE_MESSAGE)
		return atid_lex_add_node(c, fields->places[FIELD_SCHEMA], ROLE_MESSAGE_SCHEMA,
								 ATID_LEXICON_MESSAGE, &node->first);
	return atid_lex_add_node(c, fields->places[FIELD_SCHEMA], ROLE_BODY_SCHEMA,
							 ATID_LEXICON_BODY_SCHEMA, &node->first);
}


/*
 * Permissions, which make no nodes
 */

static bool
check_translations(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field)
{
	AtidLexItem map;
	AtidLexPlace place;

	if (!atid_lex_has(fields, field))
		return true;
	if (!atid_lex_read_field(c, fields, field, MAJOR_MAP, ATID_LEXICON_TRANSLATIONS, &map))
		return false;
	place = atid_lex_inside(&map);
	for (uint64_t i = 0; i < map.arg; i++)
	{
		AtidLexItem key = atid_lex_item(c, place);
		AtidLexItem value = atid_lex_item(c, atid_lex_behind(c, &key));
		AtidFault	fault;
		size_t		at;

		fault = atid_language_scan(atid_lex_characters(c, &key), (size_t) key.arg, &at);
		if (fault != ATID_OK)
			return atid_lex_fault(c, fault, value.place.at);
		if (value.major != MAJOR_TEXT)
			return atid_lex_fault(c, ATID_LEXICON_TRANSLATIONS, value.place.at);
		place = atid_lex_behind(c, &value);
	}
	return true;
}

/*
 * Check an array of strings, each there once.
 */
static bool
check_unique_strings(AtidLexCompile *c, const AtidLexFields *fields, AtidLexField field,
					 AtidFault fault, uint32_t *count)
{
	AtidLexText *texts;
	uint32_t	first;

	if (!atid_lex_read_strings(c, fields, field, fault, &first, count))
		return false;
	c->set->text_count = first;
	if (*count < 2)
		return true;
	texts = c->set->texts + first;
	c->caller->sort(texts, *count, sizeof(AtidLexText), atid_lex_compare_texts, c->set);
	for (uint32_t i = 1; i < *count; i++)
	{
		atid_lex_count_item(c);
		if (atid_lex_compare_texts(&texts[i - 1], &texts[i], c->set) == 0)
			return atid_lex_fault(c, fault, fields->places[field].at);
	}
	return true;
}

static bool
check_repo_permission(AtidLexCompile *c, const AtidLexFields *fields)
{
	uint32_t	count;
	AtidLexItem array;
	AtidLexPlace place;

	if (!check_unique_strings(c, fields, FIELD_COLLECTION, ATID_LEXICON_COLLECTION, &count))
		return false;
	if (count == 0)
		return atid_lex_fault(c, ATID_LEXICON_COLLECTION, fields->places[FIELD_COLLECTION].at);
	if (!atid_lex_has(fields, FIELD_ACTION))
		return true;
	if (!check_unique_strings(c, fields, FIELD_ACTION, ATID_LEXICON_ACTION, &count))
		return false;
	array = atid_lex_item(c, fields->places[FIELD_ACTION]);
	place = atid_lex_inside(&array);
	for (uint32_t i = 0; i < count; i++)
	{
		AtidLexItem item = atid_lex_item(c, place);

		if (!atid_lex_item_is(c, &item, "create") && !atid_lex_item_is(c, &item, "update") &&
			!atid_lex_item_is(c, &item, "delete"))
			return atid_lex_fault(c, ATID_LEXICON_ACTION, place.at);
		place = atid_lex_behind(c, &item);
	}
	return true;
}

static bool
check_rpc_permission(AtidLexCompile *c, const AtidLexFields *fields)
{
	AtidLexItem item;

	if (!atid_lex_read_field(c, fields, FIELD_LXM, MAJOR_ARRAY, ATID_LEXICON_LXM, &item))
		return false;
	if (item.arg == 0)
		return atid_lex_fault(c, ATID_LEXICON_LXM, item.place.at);
	if (!atid_lex_check_strings(c, fields, FIELD_LXM, ATID_LEXICON_LXM) ||
		!atid_lex_check_string(c, fields, FIELD_AUD, ATID_LEXICON_AUD))
		return false;
	if (!atid_lex_has(fields, FIELD_INHERIT_AUD))
		return true;
	item = atid_lex_item(c, fields->places[FIELD_INHERIT_AUD]);
	return atid_lex_is_boolean(&item) || atid_lex_fault(c, ATID_LEXICON_AUD, item.place.at);
}

static bool
check_permission(AtidLexCompile *c, const AtidLexItem *map)
{
	AtidLexFields fields;
	AtidLexItem type;
	AtidLexItem resource;

	if (map->major != MAJOR_MAP)
		return atid_lex_fault(c, ATID_LEXICON_PERMISSION, map->place.at);
	atid_lex_read_fields(c, map, &fields);
	if (!atid_lex_read_field(c, &fields, FIELD_TYPE, MAJOR_TEXT, ATID_LEXICON_PERMISSION, &type) ||
		!atid_lex_read_field(c, &fields, FIELD_RESOURCE, MAJOR_TEXT, ATID_LEXICON_PERMISSION,
							 &resource) ||
		!atid_lex_check_string(c, &fields, FIELD_DESCRIPTION, ATID_LEXICON_DESCRIPTION))
		return false;
	if (!atid_lex_item_is(c, &type, "permission"))
		return atid_lex_fault(c, ATID_LEXICON_PERMISSION, type.place.at);
	if (resource.arg == 0)
		return atid_lex_fault(c, ATID_LEXICON_PERMISSION, resource.place.at);
	if (atid_lex_item_is(c, &resource, "repo"))
		return check_repo_permission(c, &fields);
	if (atid_lex_item_is(c, &resource, "rpc"))
		return check_rpc_permission(c, &fields);
	return true;
}

static bool
check_permission_set(AtidLexCompile *c, const AtidLexFields *fields)
{
	AtidLexItem array;
	AtidLexPlace place;

	if (!atid_lex_check_string(c, fields, FIELD_TITLE, ATID_LEXICON_DESCRIPTION) ||
		!atid_lex_check_string(c, fields, FIELD_DETAIL, ATID_LEXICON_DESCRIPTION) ||
		!check_translations(c, fields, FIELD_TITLE_LANG) ||
		!check_translations(c, fields, FIELD_DETAIL_LANG) ||
		!atid_lex_read_field(c, fields, FIELD_PERMISSIONS, MAJOR_ARRAY,
							 ATID_LEXICON_PERMISSIONS, &array))
		return false;
	place = atid_lex_inside(&array);
	for (uint64_t i = 0; i < array.arg; i++)
	{
		AtidLexItem item = atid_lex_item(c, place);

		if (!check_permission(c, &item))
			return false;
		place = atid_lex_behind(c, &item);
	}
	return true;
}


/*
 * All of it
 */

/*
 * Give back what an array has no items for.
 */
static void *
trim_array(AtidLexCompile *c, void *array, uint32_t count, uint32_t cap, size_t size)
{
	void	   *trimmed;

	if (count == cap)
		return array;
	trimmed = c->caller->alloc(c->caller->arg, array, count * size);
	return trimmed == NULL && count > 0 ? array : trimmed;
}

#define TRIM(c, array, count, cap) \
	((array) = trim_array(c, array, count, cap, sizeof(*(array))))

static bool
read_any(AtidLexCompile *c, const AtidLexFields *fields, AtidLexRole role, AtidLexNode *node)
{
	if (role == ROLE_BODY || role == ROLE_MESSAGE)
		return read_body(c, fields, role, node);
	if (!read_type(c, fields, role, &node->type))
		return false;
	switch (node->type)
	{
		case ATID_LEX_RECORD:
			return read_record(c, fields, node);
		case ATID_LEX_QUERY:
		case ATID_LEX_PROCEDURE:
		case ATID_LEX_SUBSCRIPTION:
			return read_endpoint(c, fields, node);
		case ATID_LEX_PERMISSION_SET:
			return check_permission_set(c, fields);
	}
	return atid_lex_read_schema(c, fields, role, node);
}

/*
 * Read a node from its place.
 */
static bool
read_node(AtidLexCompile *c, uint32_t index)
{
	const AtidLexNode *planned = &c->set->nodes[index];
	AtidLexPlace place = {planned->at, planned->first};
	AtidLexRole role = (AtidLexRole) planned->format;
	AtidLexItem map = atid_lex_item(c, place);
	AtidLexNode node;
	AtidLexFields fields;

	c->document = planned->count;
	memset(&node, 0, sizeof(node));
	node.at = place.at;
	atid_lex_read_fields(c, &map, &fields);
	if (!atid_lex_check_string(c, &fields, FIELD_DESCRIPTION, ATID_LEXICON_DESCRIPTION) ||
		!read_any(c, &fields, role, &node))
		return false;
	/* what it is made of comes behind it */
	ATID_ASSERT(node.type != ATID_LEX_ARRAY || (node.first > index &&
												node.first < c->set->node_count));
	c->set->nodes[index] = node;
	return true;
}

/*
 * Add a definition and its node, which has its type already.
 */
static bool
add_definition(AtidLexCompile *c, const AtidLexItem *key, const AtidLexItem *value)
{
	AtidLexicon *set = c->set;
	AtidLexDefinition *definition;
	AtidLexRole role = atid_lex_item_is(c, key, "main") ? ROLE_MAIN : ROLE_DEFINITION;
	uint32_t	node;
	AtidLexFields fields;

	if (!atid_lex_is_name(atid_lex_characters(c, key), (size_t) key->arg))
		return atid_lex_fault(c, ATID_LEXICON_NAME, value->place.at);
	if (!atid_lex_add_node(c, value->place, role, ATID_LEXICON_SCHEMA, &node))
		return false;
	atid_lex_read_fields(c, value, &fields);
	if (!read_type(c, &fields, role, &set->nodes[node].type))
		return false;
	if (!ATID_LEX_ROOM(c, set->definitions, set->definition_count, c->definition_cap))
		return false;
	definition = &set->definitions[set->definition_count++];
	definition->name = atid_lex_text_of(key);
	definition->document = c->document;
	definition->node = node;
	definition->at = key->place.at;
	definition->end = atid_lex_behind(c, value).at;
	return true;
}

static bool
add_document(AtidLexCompile *c, const AtidLexItem *key, const AtidLexItem *map)
{
	AtidLexicon *set = c->set;
	AtidLexDocument *document;
	AtidLexFields fields;
	AtidLexItem id;
	AtidLexItem defs;
	AtidLexPlace place;
	AtidFault	fault;
	size_t		at;

	if (map->major != MAJOR_MAP)
		return atid_lex_fault(c, ATID_LEXICON_DOCUMENT, map->place.at);
	atid_lex_read_fields(c, map, &fields);
	if (!atid_lex_has(&fields, FIELD_LEXICON) || set->bytes[fields.places[FIELD_LEXICON].at] != 1)
		return atid_lex_fault(c, ATID_LEXICON_VERSION, atid_lex_place(&fields, FIELD_LEXICON));
	if (!atid_lex_read_field(c, &fields, FIELD_ID, MAJOR_TEXT, ATID_LEXICON_ID, &id))
		return false;
	fault = atid_nsid_scan(atid_lex_characters(c, &id), (size_t) id.arg, &at);
	if (fault != ATID_OK)
		return atid_lex_fault(c, fault, id.place.at);
	if (id.arg != key->arg ||
		memcmp(atid_lex_characters(c, &id), atid_lex_characters(c, key), (size_t) id.arg) != 0)
		return atid_lex_fault(c, ATID_LEXICON_ID_KEY, id.place.at);
	if (!atid_lex_check_string(c, &fields, FIELD_DESCRIPTION, ATID_LEXICON_DESCRIPTION) ||
		!atid_lex_read_field(c, &fields, FIELD_DEFS, MAJOR_MAP, ATID_LEXICON_DEFS, &defs))
		return false;
	if (defs.arg == 0)
		return atid_lex_fault(c, ATID_LEXICON_DEFS, defs.place.at);

	if (!ATID_LEX_ROOM(c, set->documents, set->document_count, c->document_cap))
		return false;
	document = &set->documents[set->document_count];
	document->nsid = atid_lex_text_of(key);
	document->at = map->place.at;
	document->end = c->spans[map->place.span].end;
	document->defs = defs.place.at;
	document->first = set->definition_count;
	document->count = (uint32_t) defs.arg;
	c->document = set->document_count++;

	place = atid_lex_inside(&defs);
	for (uint64_t i = 0; i < defs.arg; i++)
	{
		AtidLexItem name = atid_lex_item(c, place);
		AtidLexItem value = atid_lex_item(c, atid_lex_behind(c, &name));

		if (!add_definition(c, &name, &value))
			return false;
		place = atid_lex_behind(c, &value);
	}
	return true;
}

static bool
compile_set(AtidLexCompile *c)
{
	AtidLexicon *set = c->set;
	AtidLexPlace place = {0, 0};
	AtidLexItem map;

	if (!atid_lex_read_spans(c))
		return false;
	map = atid_lex_item(c, place);
	if (map.major != MAJOR_MAP)
		return atid_lex_fault(c, ATID_LEXICON_SET, 0);
	place = atid_lex_inside(&map);
	for (uint64_t i = 0; i < map.arg; i++)
	{
		AtidLexItem key = atid_lex_item(c, place);
		AtidLexItem value = atid_lex_item(c, atid_lex_behind(c, &key));

		if (!add_document(c, &key, &value))
			return false;
		place = atid_lex_behind(c, &value);
	}
	for (uint32_t i = 0; i < set->node_count; i++)
		if (!read_node(c, i))
			return false;
	ATID_ASSERT(c->fault == ATID_OK && set->document_count == map.arg);
	return true;
}

AtidFault
atid_lexicon_compile(AtidLexicon *set, const AtidLexCaller *caller,
					 const uint8_t *bytes, size_t len, size_t *at)
{
	AtidLexCompile c;

	memset(set, 0, sizeof(*set));
	*at = 0;
	if (len > ATID_CBOR_SIZE_MAX)
		return ATID_CBOR_SIZE;
	memset(&c, 0, sizeof(c));
	set->bytes = bytes;
	set->len = len;
	c.set = set;
	c.caller = caller;
	if (compile_set(&c))
	{
		TRIM(&c, set->documents, set->document_count, c.document_cap);
		TRIM(&c, set->definitions, set->definition_count, c.definition_cap);
		TRIM(&c, set->nodes, set->node_count, c.node_cap);
		TRIM(&c, set->properties, set->property_count, c.property_cap);
		TRIM(&c, set->refs, set->ref_count, c.ref_cap);
		TRIM(&c, set->texts, set->text_count, c.text_cap);
		TRIM(&c, set->integers, set->integer_count, c.integer_cap);
	}
	else
	{
		*at = c.at;
		atid_lexicon_free(set, caller);
	}
	if (c.spans != NULL)
		caller->alloc(caller->arg, c.spans, 0);
	return c.fault;
}
