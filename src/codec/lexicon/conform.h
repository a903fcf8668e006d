/*-------------------------------------------------------------------------
 *
 * conform.h
 *		Is a value what a schema says?  A machine that is fed the value's events.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_CONFORM_H
#define ATID_CONFORM_H

#include "codec/cbor/dagcbor.h"
#include "codec/lexicon/compiled.h"

/* What the current value, or the open array or map, is checked as. */
typedef enum AtidConformRole
{
	ATID_ROLE_ANY,				/* anything goes */
	ATID_ROLE_OF_NODE,			/* what a node says */
	ATID_ROLE_OF_DEFINITION,	/* what a definition says */
	ATID_ROLE_OF_TYPE,			/* a record of the "$type" that it has */
	ATID_ROLE_BLOB,				/* a blob */
	ATID_ROLE_LEGACY_BLOB,
	ATID_ROLE_MIME_TYPE,		/* and what it has */
	ATID_ROLE_SIZE,
	ATID_ROLE_CID
} AtidConformRole;

/* An open array or map. */
typedef struct AtidConformFrame
{
	uint8_t		role;			/* of a blob, or ATID_ROLE_OF_NODE */
	uint8_t		value_role;		/* of the value that comes next */
	bool		nullable;		/* that value may be null */
	bool		has_mime_type;	/* of a legacy blob */
	bool		has_cid;
	uint32_t	value;			/* the node or definition that the value is
								 * checked as */
	uint32_t	node;			/* of a blob */
	uint32_t	next;			/* of an object: the property to come next */
	uint32_t	end;			/* and the end of its properties */
} AtidConformFrame;

/* What stands in the words of a fault. */
typedef enum AtidConformAbout
{
	ATID_ABOUT_NOTHING,
	ATID_ABOUT_TEXT,			/* text */
	ATID_ABOUT_TYPE,			/* the "$type" of the definition, number */
	ATID_ABOUT_REF,				/* the set's reference, number */
	ATID_ABOUT_NUMBER,			/* number */
	ATID_ABOUT_BOOLEAN,			/* number is 0 or 1 */
	ATID_ABOUT_CHARACTER		/* number is the place in the string */
} AtidConformAbout;

/*
 * The machine.  The caller sets type_of, arg and pause after atid_conform_init(), begins a
 * record or a definition, and reads fault, what comes with it, and unknown.
 *
 * Where the set lacks a definition, unknown is set, and the value is skipped.  If the
 * caller sets must_know, that is a fault.
 *
 * type_of() gives the "$type" of the map that has just begun; false if there is none,
 * or it is not a text.
 */
typedef struct AtidConform
{
	const AtidLexicon *set;
	bool		lenient;
	bool		must_know;
	bool		(*type_of) (void *arg, const char **type, size_t *len);
	void	   *arg;
	void		(*pause) (void);	/* called while graphemes are counted; or
									 * NULL */
	const char *nsid;			/* the "$type" that a record must have, or
								 * NULL */
	size_t		nsid_len;

	bool		unknown;		/* the set cannot say */
	AtidFault	fault;
	bool		of_item;		/* the fault is the current item's, else its
								 * array's or map's */
	AtidConformAbout about;
	AtidLexText text;
	int64_t		number;

	unsigned	skipped;		/* open arrays and maps that need no check */
	int			depth;			/* open ones that do */
	AtidConformFrame frames[ATID_CBOR_DEPTH_MAX + 1];	/* [0] is the outside */
} AtidConform;

/*
 * Make the machine ready.  The set must stay as long as it is used.
 */
extern void atid_conform_init(AtidConform *conform, const AtidLexicon *set, bool lenient);

/*
 * The value is a record of the "$type" that it has; if nsid is not NULL, it must have
 * this one.
 */
extern void atid_conform_begin_record(AtidConform *conform, const char *nsid, size_t len);

/*
 * The value is what a definition says; if that is ATID_LEX_NONE, the set cannot say.
 */
extern void atid_conform_begin_definition(AtidConform *conform, uint32_t definition);

/*
 * The value is a part of a query, procedure or subscription: its "parameters", "input",
 * "output" or "message".  A body without a schema is any value, if it may be JSON.  Returns a
 * fault if there is no such part; then the machine must not be fed.
 */
ATID_NODISCARD extern AtidFault atid_conform_begin_xrpc(AtidConform *conform, const char *nsid,
														size_t len, const char *part);

/*
 * A key.
 */
ATID_NODISCARD extern AtidFault atid_conform_key(AtidConform *conform, const AtidCborItem *key);

/*
 * A value, or an array or a map begins.
 */
ATID_NODISCARD extern AtidFault atid_conform_value(AtidConform *conform, AtidCborEvent event,
												   const AtidCborItem *item);

/*
 * A map ends.
 */
ATID_NODISCARD extern AtidFault atid_conform_map_end(AtidConform *conform);

/*
 * The next event.  After a fault the machine must not be fed further.
 *
 * This is inline because it is called for each event: as a function dag_cbor_conforms took
 * 3 % longer.
 */
static inline AtidFault
atid_conform_next(AtidConform *conform, AtidCborEvent event, const AtidCborItem *item)
{
	if (conform->skipped > 0)
	{
		if (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)
			conform->skipped++;
		else if (event == ATID_CBOR_MAP_END || event == ATID_CBOR_ARRAY_END)
			conform->skipped--;
		return ATID_OK;
	}
	switch (event)
	{
		case ATID_CBOR_KEY:
			return atid_conform_key(conform, item);
		case ATID_CBOR_MAP_END:
			return atid_conform_map_end(conform);
		case ATID_CBOR_ARRAY_END:
			conform->depth--;
			return ATID_OK;
		case ATID_CBOR_FAULT:
		case ATID_CBOR_END:
			return ATID_OK;
		default:
			return atid_conform_value(conform, event, item);
	}
}

#endif							/* ATID_CONFORM_H */
