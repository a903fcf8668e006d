/*-------------------------------------------------------------------------
 *
 * lexicon_compile.h
 *		What the parts of the compiler of lexicons share.
 *
 *	lexicon_read.c		the set's bytes, and adding to the program
 *	lexicon_schema.c	schemas of values, and references
 *	lexicon_compile.c	documents, definitions, endpoints, permissions
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LEXICON_COMPILE_H
#define ATID_LEXICON_COMPILE_H

#include "codec/head.h"
#include "codec/lexicon.h"

/* So many items are read between two pauses. */
#define ATID_LEX_ITEMS_AT_ONCE	4096

/* The fields that the language knows, by length. */
typedef enum AtidLexField
{
	FIELD_ID,
	FIELD_AUD, FIELD_KEY, FIELD_LXM, FIELD_REF,
	FIELD_DEFS, FIELD_ENUM, FIELD_NAME, FIELD_REFS, FIELD_TYPE,
	FIELD_CONST, FIELD_INPUT, FIELD_ITEMS, FIELD_TITLE,
	FIELD_ACCEPT, FIELD_ACTION, FIELD_CLOSED, FIELD_DETAIL, FIELD_ERRORS, FIELD_FORMAT,
	FIELD_OUTPUT, FIELD_RECORD, FIELD_SCHEMA,
	FIELD_DEFAULT, FIELD_LEXICON, FIELD_MAX_SIZE, FIELD_MAXIMUM, FIELD_MESSAGE, FIELD_MINIMUM,
	FIELD_ENCODING, FIELD_NULLABLE, FIELD_REQUIRED, FIELD_RESOURCE,
	FIELD_MAX_LENGTH, FIELD_MIN_LENGTH,
	FIELD_COLLECTION, FIELD_INHERIT_AUD, FIELD_PARAMETERS, FIELD_PROPERTIES, FIELD_TITLE_LANG,
	FIELD_DESCRIPTION, FIELD_DETAIL_LANG, FIELD_KNOWN_VALUES, FIELD_PERMISSIONS,
	FIELD_MAX_GRAPHEMES, FIELD_MIN_GRAPHEMES,
	FIELDS
} AtidLexField;

/* Where a schema stands, and so which types it may have. */
typedef enum AtidLexRole
{
	ROLE_DEFINITION,
	ROLE_MAIN,
	ROLE_FIELD,					/* a property or an item */
	ROLE_PARAMETER,
	ROLE_PARAMETER_ITEM,
	ROLE_RECORD,				/* the "record" of a record */
	ROLE_PARAMETERS,
	ROLE_BODY,					/* input or output */
	ROLE_BODY_SCHEMA,
	ROLE_MESSAGE,
	ROLE_MESSAGE_SCHEMA
} AtidLexRole;

/* A container that the reader has passed. */
typedef struct AtidLexSpan
{
	uint32_t	end;			/* the byte behind it */
	uint32_t	next;			/* the first span that begins behind it */
} AtidLexSpan;

/* Where an item is: its head, and the first span that begins there or behind. */
typedef struct AtidLexPlace
{
	uint32_t	at;
	uint32_t	span;
} AtidLexPlace;

typedef struct AtidLexItem
{
	AtidLexPlace place;
	uint32_t	content;		/* the byte behind its head */
	unsigned	major;
	uint64_t	arg;
} AtidLexItem;

/* The values of a map's fields, as far as the language knows them. */
typedef struct AtidLexFields
{
	AtidLexPlace map;
	uint64_t	present;		/* a bit for each */
	AtidLexPlace places[FIELDS];
} AtidLexFields;

typedef struct AtidLexCompile
{
	AtidLexicon *set;
	const AtidLexCaller *caller;
	AtidLexSpan *spans;
	uint32_t	span_count;
	uint32_t	span_cap;
	uint32_t	document_cap;
	uint32_t	definition_cap;
	uint32_t	node_cap;
	uint32_t	property_cap;
	uint32_t	ref_cap;
	uint32_t	text_cap;
	uint32_t	integer_cap;
	uint32_t	document;		/* the one that is read */
	unsigned	items;			/* read so far, for pauses */
	AtidFault	fault;
	size_t		at;
} AtidLexCompile;

static inline void
atid_lex_count_item(AtidLexCompile *c)
{
	if (++c->items % ATID_LEX_ITEMS_AT_ONCE == 0 && c->caller->pause != NULL)
		c->caller->pause();
}

/* Is there room for one more item in an array, or has it been made? */
#define ATID_LEX_ROOM(c, array, count, cap) \
	((array) = atid_lex_grow(c, array, count, &(cap), sizeof(*(array))), (c)->fault == ATID_OK)


/*
 * Items
 */

/* Where the first item in an array or map is. */
static inline AtidLexPlace
atid_lex_inside(const AtidLexItem *container)
{
	AtidLexPlace place = {container->content, container->place.span + 1};

	return place;
}

static inline AtidLexText
atid_lex_text_of(const AtidLexItem *item)
{
	AtidLexText text = {item->content, (uint32_t) item->arg};

	return text;
}

static inline bool
atid_lex_is_integer(const AtidLexItem *item)
{
	return item->major == MAJOR_UNSIGNED || item->major == MAJOR_NEGATIVE;
}

static inline int64_t
atid_lex_integer(const AtidLexItem *item)
{
	return item->major == MAJOR_UNSIGNED ? (int64_t) item->arg : -1 - (int64_t) item->arg;
}

/* Is it false or true?  Then arg - SIMPLE_FALSE is 0 or 1. */
static inline bool
atid_lex_is_boolean(const AtidLexItem *item)
{
	return item->major == MAJOR_OTHER && item->arg < SIMPLE_NULL;
}

static inline const char *
atid_lex_characters(const AtidLexCompile *c, const AtidLexItem *item)
{
	return (const char *) c->set->bytes + item->content;
}

static inline bool
atid_lex_has(const AtidLexFields *fields, AtidLexField field)
{
	return (fields->present >> field & 1) != 0;
}

/*
 * The place of a fault in a field: the field, or what should have it.
 */
static inline uint32_t
atid_lex_place(const AtidLexFields *fields, AtidLexField field)
{
	return atid_lex_has(fields, field) ? fields->places[field].at : fields->map.at;
}


/*
 * lexicon_read.c
 */

/* Note the first fault, and the byte of the set where it is.  Returns false. */
extern bool atid_lex_fault(AtidLexCompile *c, AtidFault fault, size_t at);

/*
 * Make room for one more item in an array.  Returns it, or where there is no memory
 * notes that and returns the old one.
 */
extern void *atid_lex_grow(AtidLexCompile *c, void *array, uint32_t count, uint32_t *cap,
						   size_t size);

/*
 * Check the encoding, and note where containers end.
 */
extern bool atid_lex_read_spans(AtidLexCompile *c);

/* The item at a place.  The encoding must have been checked. */
extern AtidLexItem atid_lex_item(AtidLexCompile *c, AtidLexPlace place);

/* Where the item behind this one is. */
extern AtidLexPlace atid_lex_behind(AtidLexCompile *c, const AtidLexItem *item);

/* Is the item, a text, this one? */
extern bool atid_lex_item_is(const AtidLexCompile *c, const AtidLexItem *item, const char *text);

/*
 * Find the fields of a map that the language knows.
 */
extern void atid_lex_read_fields(AtidLexCompile *c, const AtidLexItem *map,
								 AtidLexFields *fields);

/*
 * Read a field that must be there and be of this major type.
 */
extern bool atid_lex_read_field(AtidLexCompile *c, const AtidLexFields *fields,
								AtidLexField field, unsigned major, AtidFault fault,
								AtidLexItem *item);

/*
 * Check a string that may be absent.
 */
extern bool atid_lex_check_string(AtidLexCompile *c, const AtidLexFields *fields,
								  AtidLexField field, AtidFault fault);

/*
 * Read an array of strings, and add them to the texts.
 */
extern bool atid_lex_read_strings(AtidLexCompile *c, const AtidLexFields *fields,
								  AtidLexField field, AtidFault fault, uint32_t *first,
								  uint32_t *count);

/*
 * Check an array of strings that may be absent.
 */
extern bool atid_lex_check_strings(AtidLexCompile *c, const AtidLexFields *fields,
								   AtidLexField field, AtidFault fault);

/*
 * Add a schema that is to be read.
 */
extern bool atid_lex_add_node(AtidLexCompile *c, AtidLexPlace place, AtidLexRole role,
							  AtidFault fault, uint32_t *index);

/* The same, as a property of the object that is being read. */
extern bool atid_lex_add_property(AtidLexCompile *c, AtidLexText name, AtidLexPlace place,
								  AtidLexRole role, AtidFault fault);

/* The order of two AtidLexText, for sorting; arg is the set. */
extern int	atid_lex_compare_texts(const void *a, const void *b, void *arg);


/*
 * lexicon_schema.c
 */

/* Can a definition have this name? */
extern bool atid_lex_is_name(const char *s, size_t len);

/*
 * Read a schema of a type that properties and items have, or params.  Others have nothing
 * to read.
 */
extern bool atid_lex_read_schema(AtidLexCompile *c, const AtidLexFields *fields,
								 AtidLexRole role, AtidLexNode *node);

#endif							/* ATID_LEXICON_COMPILE_H */
