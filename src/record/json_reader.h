/*-------------------------------------------------------------------------
 *
 * json_reader.h
 *		A walk over a JSON text, as the events of the DAG-CBOR that it stands for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_RECORD_JSON_READER_H
#define ATID_RECORD_JSON_READER_H

#include "codec/cbor/dagcbor.h"
#include "record/jsonb_reader.h"

/* An open array or object. */
typedef struct AtidTextLevel
{
	bool		object;
	bool		any;			/* it has had an item or a key */
	bool		at_value;		/* a value comes next, after its key */
} AtidTextLevel;

typedef struct AtidTextWalk
{
	struct JsonLexContext *lex;
	bool		begun;
	bool		again;			/* the lexer's token is still to be used */
	int			depth;			/* arrays and objects that are open */
	uint32		events;
	AtidScratch text;			/* a string without its escapes */
	AtidScratch special;		/* the bytes of a "$link" or "$bytes" */
	AtidFault	fault;
	bool		fault_in_key;	/* the fault is of the open object, in a key */
	AtidTextLevel levels[ATID_CBOR_DEPTH_MAX + 1];	/* [0] is the outside */
} AtidTextWalk;

/*
 * Begin a walk over a JSON text in UTF-8, which must not change.
 */
extern void atid_text_walk_init(AtidTextWalk *walk, const char *json, size_t len);

/*
 * The next event, or ATID_CBOR_FAULT, and walk->fault says why.
 */
extern AtidCborEvent atid_text_next(AtidTextWalk *walk, AtidCborItem *item);

#endif							/* ATID_RECORD_JSON_READER_H */
