/*-------------------------------------------------------------------------
 *
 * compiled.h
 *		Lexicons, compiled: the definitions of a set of documents as a flat program.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_COMPILED_H
#define ATID_COMPILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "codec/fault.h"

/* No node, no definition. */
#define ATID_LEX_NONE	UINT32_MAX

/* What a schema describes. */
typedef enum AtidLexType
{
	ATID_LEX_BOOLEAN,
	ATID_LEX_INTEGER,
	ATID_LEX_STRING,
	ATID_LEX_BYTES,
	ATID_LEX_CID_LINK,
	ATID_LEX_BLOB,
	ATID_LEX_ARRAY,
	ATID_LEX_OBJECT,
	ATID_LEX_PARAMS,
	ATID_LEX_TOKEN,
	ATID_LEX_REF,
	ATID_LEX_UNION,
	ATID_LEX_UNKNOWN,
	ATID_LEX_RECORD,
	ATID_LEX_QUERY,
	ATID_LEX_PROCEDURE,
	ATID_LEX_SUBSCRIPTION,
	ATID_LEX_PERMISSION_SET,
	ATID_LEX_BODY,				/* an input, output or message, which has no
								 * type of its own */
	ATID_LEX_OTHER				/* a primary type that the language lacks */
} AtidLexType;

/* How the keys of a record type's records look. */
typedef enum AtidLexKey
{
	ATID_LEX_KEY_ANY,
	ATID_LEX_KEY_NSID,
	ATID_LEX_KEY_TID,
	ATID_LEX_KEY_LITERAL
} AtidLexKey;

/* What a node has; a field without its flag is 0. */
#define ATID_LEX_HAS_MIN			0x0001
#define ATID_LEX_HAS_MAX			0x0002
#define ATID_LEX_HAS_MIN_GRAPHEMES	0x0004
#define ATID_LEX_HAS_MAX_GRAPHEMES	0x0008
#define ATID_LEX_HAS_CONST			0x0010
#define ATID_LEX_HAS_DEFAULT		0x0020
#define ATID_LEX_HAS_ENUM			0x0040
#define ATID_LEX_HAS_FORMAT			0x0080
#define ATID_LEX_HAS_ACCEPT			0x0100
#define ATID_LEX_CLOSED				0x0200
#define ATID_LEX_HAS_REQUIRED		0x0400	/* a property that is required */
#define ATID_LEX_OTHER_FORMAT		0x0800	/* a format that the language
											 * lacks */

/* A text within the set's bytes.  Items that have a name begin with it (compiled.c). */
typedef struct AtidLexText
{
	uint32_t	at;
	uint32_t	len;
} AtidLexText;

/*
 * A schema.  first and count say where its parts are:
 *
 *	boolean				none; constant
 *	integer				its enum in integers, in order; constant
 *	string				its enum in texts, in the order of atid_cbor_key_cmp(); const_text
 *	blob				what it accepts in texts, in the same order
 *	array				first is the node of its items
 *	object, params		its properties in properties
 *	ref					its target in refs; count is 1
 *	union				its members in refs, in the order of atid_lexicon_ref_cmp(), each once
 *	record				first is the node of its object; key, and for a literal const_text
 *	query, procedure, subscription
 *						parameters, input, output and message, as far as it has them, in
 *						properties
 *	input, output, message (a body)
 *						first is the node of its schema, or ATID_LEX_NONE; const_text is its
 *						encoding
 */
typedef struct AtidLexNode
{
	uint8_t		type;			/* AtidLexType */
	uint8_t		format;			/* AtidFormat of a string, AtidLexKey of a
								 * record */
	uint16_t	flags;
	uint32_t	at;				/* its schema in the set's bytes */
	uint32_t	first;
	uint32_t	count;
	AtidLexText const_text;
	int64_t		min;			/* of an integer; bytes of a string or of
								 * bytes; items */
	int64_t		max;			/* the same; of a blob, its bytes */
	int64_t		constant;		/* of an integer, or 0 and 1 of a boolean */
	int64_t		min_graphemes;
	int64_t		max_graphemes;
} AtidLexNode;

/* A property of an object, in the order of keys that DAG-CBOR and jsonb have. */
typedef struct AtidLexProperty
{
	AtidLexText name;
	uint32_t	node;
	uint32_t	next_required;	/* the first that is required from here on, in
								 * its object */
	bool		required;
	bool		nullable;
} AtidLexProperty;

/*
 * What a ref or a member of a union refers to.  A reference leads out of the set
 * where definition is ATID_LEX_NONE.  Where it leads to another document, the
 * definition can be of any type.
 */
typedef struct AtidLexRef
{
	AtidLexText nsid;
	AtidLexText name;			/* empty for "main" */
	uint32_t	definition;
} AtidLexRef;

typedef struct AtidLexDefinition
{
	AtidLexText name;
	uint32_t	document;
	uint32_t	node;
	uint32_t	at;				/* its key in the set's bytes */
	uint32_t	end;			/* and where its schema ends */
} AtidLexDefinition;

/* A document and its definitions, which are in the order of their names. */
typedef struct AtidLexDocument
{
	AtidLexText nsid;
	uint32_t	at;				/* the document in the set's bytes */
	uint32_t	end;			/* and where it ends */
	uint32_t	defs;			/* its map of definitions; at least one is
								 * there */
	uint32_t	first;
	uint32_t	count;
} AtidLexDocument;

/*
 * The program.  Texts and offsets are into bytes, which must stay where they are.  A set may
 * have primary types and formats that the language lacks (ATID_LEX_OTHER, _OTHER_FORMAT).  Then
 * other_fault is the rule that the first of them breaks, if it is to be kept, and other_at its
 * place; else it is ATID_OK.
 */
typedef struct AtidLexicon
{
	const uint8_t *bytes;		/* the set: a map of documents by NSID, in
								 * DAG-CBOR */
	size_t		len;
	AtidLexDocument *documents; /* in the order of atid_cbor_key_cmp() of
								 * their NSIDs */
	uint32_t	document_count;
	AtidLexDefinition *definitions;
	uint32_t	definition_count;
	AtidLexNode *nodes;
	uint32_t	node_count;
	AtidLexProperty *properties;
	uint32_t	property_count;
	AtidLexRef *refs;
	uint32_t	ref_count;
	AtidLexText *texts;
	uint32_t	text_count;
	int64_t    *integers;
	uint32_t	integer_count;
	AtidFault	other_fault;
	size_t		other_at;
} AtidLexicon;

/*
 * What the caller provides:
 *	- alloc() is like realloc(), and frees if the size is 0.  It may return NULL, or
 *	  not return.
 *	- sort() sorts.
 *	- pause() is called again and again, and need not return.  It may be NULL.
 */
typedef struct AtidLexCaller
{
	void	   *(*alloc) (void *arg, void *old, size_t size);
	void		(*sort) (void *base, size_t count, size_t size,
						 int (*compare) (const void *a, const void *b, void *arg), void *arg);
	void		(*pause) (void);
	void	   *arg;			/* alloc()'s own */
} AtidLexCaller;

/*
 * Free a program.  What it is of stays.
 */
extern void atid_lexicon_free(AtidLexicon *set, const AtidLexCaller *caller);

/*
 * Is it one of so many texts from the first on, which are in order?
 */
extern bool atid_lexicon_has_text(const AtidLexicon *set, const AtidLexText *texts, uint32_t first,
								  uint32_t count, const char *s, size_t len);

/*
 * The document of an NSID, or ATID_LEX_NONE.
 */
extern uint32_t atid_lexicon_find_document(const AtidLexicon *set, const char *nsid, size_t len);

/*
 * The definition of a name in a document, or ATID_LEX_NONE.
 */
extern uint32_t atid_lexicon_find_definition(const AtidLexicon *set, uint32_t document,
											 const char *name, size_t len);

/*
 * The definition main of a document, or ATID_LEX_NONE.
 */
extern uint32_t atid_lexicon_find_main(const AtidLexicon *set, uint32_t document);

/*
 * The definition of a reference from outside, "nsid" or "nsid#name", or
 * ATID_LEX_NONE.  "nsid#main" is found, too: a "$type" must not be so, and that is up
 * to the caller.
 */
extern uint32_t atid_lexicon_find_ref(const AtidLexicon *set, const char *ref, size_t len);

/*
 * The index in properties of a property of an object, of params, or of a query, a
 * procedure or a subscription; or ATID_LEX_NONE.
 */
extern uint32_t atid_lexicon_find_property(const AtidLexicon *set, const AtidLexNode *node,
										   const char *name, size_t len);

/*
 * The index in refs of the member of a union that a "$type" names, or ATID_LEX_NONE.
 */
extern uint32_t atid_lexicon_find_member(const AtidLexicon *set, const AtidLexNode *node,
										 const char *type, size_t len);

/*
 * The order of references: by NSID and then by name, both as a map's keys.
 */
extern int	atid_lexicon_ref_cmp(const AtidLexicon *set, const AtidLexRef *a, const AtidLexRef *b);

/* The definition with this name stands for its document. */
#define ATID_LEX_MAIN	"main"

/* The bytes of a text. */
static inline const char *
atid_lex_text(const AtidLexicon *set, AtidLexText text)
{
	return (const char *) set->bytes + text.at;
}

/* Is a name main?  That of an AtidLexRef is then empty. */
static inline bool
atid_lex_is_main(const AtidLexicon *set, AtidLexText name)
{
	return name.len == 0 ||
		(name.len == strlen(ATID_LEX_MAIN) &&
		 memcmp(set->bytes + name.at, ATID_LEX_MAIN, strlen(ATID_LEX_MAIN)) == 0);
}

#endif							/* ATID_COMPILED_H */
