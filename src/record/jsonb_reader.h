/*-------------------------------------------------------------------------
 *
 * jsonb_reader.h
 *		A walk over a jsonb, as the events of the DAG-CBOR that it stands for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_RECORD_JSONB_READER_H
#define ATID_RECORD_JSONB_READER_H

#include "codec/cbor/dagcbor.h"

/* A buffer that is reused, and grows as needed. */
typedef struct AtidScratch
{
	char	   *data;			/* NULL if there is none yet */
	size_t		size;
} AtidScratch;

/* An open array or object, and the place in it. */
typedef struct AtidJsonbFrame
{
	const uint32 *entries;		/* the JEntries: items; or keys, then values */
	const char *data;			/* where offset 0 is */
	uint32		count;			/* number of items or pairs */
	uint32		next;			/* the next item or pair */
	uint32		key_offset;		/* of the pair's key */
	uint32		offset;			/* of the item, or the pair's value */
	bool		object;
	bool		at_value;		/* the pair's value comes next, not its key */
} AtidJsonbFrame;

typedef struct AtidJsonbWalk
{
	const struct JsonbContainer *root;	/* NULL once it has been entered */
	bool		utf8;			/* the server's encoding is UTF-8 */
	int			depth;			/* number of open arrays and objects */
	uint32		events;
	AtidScratch scratch;		/* the bytes of a "$link" or "$bytes" */
	Datum		int64_min;		/* numerics; 0 until the first number */
	Datum		int64_max;
	AtidFault	fault;
	bool		fault_in_key;	/* the key has it, which is no item yet */
	AtidJsonbFrame frames[ATID_CBOR_DEPTH_MAX + 1]; /* [0] is the outside */
} AtidJsonbWalk;

/*
 * Begin a walk over a jsonb, which must not change.
 */
extern void atid_jsonb_walk_init(AtidJsonbWalk *walk, const struct JsonbContainer *root);

/*
 * The next event, or ATID_CBOR_FAULT, and walk->fault says why.  A text is in UTF-8, in the
 * jsonb or in the current memory context; bytes are in the walk's buffer until the next event.
 */
extern AtidCborEvent atid_jsonb_next(AtidJsonbWalk *walk, AtidCborItem *item);

/*
 * The "$type" of the object that has just begun, if it is a text, in the server's
 * encoding.  Keys are in order of their length and then of their bytes, so only the
 * shorter ones are before it.
 */
extern bool atid_jsonb_type(const AtidJsonbWalk *walk, const char **type, size_t *len);

/*
 * The buffer, of at least this size; what it held before is lost.
 */
extern char *atid_scratch(AtidScratch *scratch, size_t size);

/*
 * Replace an item that is the text of a "$link" by the bytes of the CID, in the buffer; or
 * return what is wrong with it.
 */
extern AtidFault atid_json_link(AtidCborItem *item, AtidScratch *scratch);

/*
 * Replace an item that is the text of a "$bytes" by its bytes, in the buffer; or return
 * what is wrong with it.
 *
 * The text is base64 (RFC 4648 section 4) with padding or without.  White space is
 * refused, as section 3.3 requires; other implementations differ.  Spare bits of the
 * last character are ignored, as in other implementations; our output has them zero.
 */
extern AtidFault atid_json_bytes(AtidCborItem *item, AtidScratch *scratch);

#endif							/* ATID_RECORD_JSONB_READER_H */
