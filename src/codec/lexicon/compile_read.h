/*-------------------------------------------------------------------------
 *
 * compile_read.h
 *		Compiling lexicons: the set's bytes, and adding to the program.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LEXICON_COMPILE_READ_H
#define ATID_LEXICON_COMPILE_READ_H

#include "codec/cbor/head.h"
#include "codec/lexicon/compiled.h"

/* So many items are read between two pauses. */
#define ATID_LEX_ITEMS_AT_ONCE	4096

/* The fields that the language knows, in the order of their lengths: see first_field. */
#define ATID_LEX_FIELDS(FIELD) \
	FIELD(ID, "id") \
	FIELD(AUD, "aud") FIELD(KEY, "key") FIELD(LXM, "lxm") FIELD(REF, "ref") \
	FIELD(DEFS, "defs") FIELD(ENUM, "enum") FIELD(NAME, "name") FIELD(REFS, "refs") \
	FIELD(TYPE, "type") \
	FIELD(CONST, "const") FIELD(INPUT, "input") FIELD(ITEMS, "items") FIELD(TITLE, "title") \
	FIELD(ACCEPT, "accept") FIELD(ACTION, "action") FIELD(CLOSED, "closed") \
	FIELD(DETAIL, "detail") FIELD(ERRORS, "errors") FIELD(FORMAT, "format") \
	FIELD(OUTPUT, "output") FIELD(RECORD, "record") FIELD(SCHEMA, "schema") \
	FIELD(DEFAULT, "default") FIELD(LEXICON, "lexicon") FIELD(MAX_SIZE, "maxSize") \
	FIELD(MAXIMUM, "maximum") FIELD(MESSAGE, "message") FIELD(MINIMUM, "minimum") \
	FIELD(ENCODING, "encoding") FIELD(NULLABLE, "nullable") FIELD(REQUIRED, "required") \
	FIELD(RESOURCE, "resource") \
	FIELD(MAX_LENGTH, "maxLength") FIELD(MIN_LENGTH, "minLength") \
	FIELD(COLLECTION, "collection") FIELD(INHERIT_AUD, "inheritAud") \
	FIELD(PARAMETERS, "parameters") FIELD(PROPERTIES, "properties") \
	FIELD(TITLE_LANG, "title:lang") \
	FIELD(DESCRIPTION, "description") FIELD(DETAIL_LANG, "detail:lang") \
	FIELD(KNOWN_VALUES, "knownValues") FIELD(PERMISSIONS, "permissions") \
	FIELD(MAX_GRAPHEMES, "maxGraphemes") FIELD(MIN_GRAPHEMES, "minGraphemes")

#define ATID_LEX_FIELD_SYMBOL(symbol, name) FIELD_##symbol,
typedef enum AtidLexField
{
	ATID_LEX_FIELDS(ATID_LEX_FIELD_SYMBOL)
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
 * Reading, and adding to the program
 */

/* Note the first fault, and the byte of the set where it is.  Returns false. */
extern bool atid_lex_fault(AtidLexCompile *c, AtidFault fault, size_t at);

/* Note the first type or format that the language lacks, which is no fault, and its place. */
extern void atid_lex_note_other(AtidLexCompile *c, AtidFault fault, size_t at);

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

#endif							/* ATID_LEXICON_COMPILE_READ_H */
