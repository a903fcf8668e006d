/*-------------------------------------------------------------------------
 *
 * fields.h
 *		The one reader of maps: a table of fields, and a walk by it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FIELDS_H
#define ATID_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/cbor/dagcbor.h"
#include "codec/fault.h"

/* What a field may hold: a set of these. */
#define ATID_HOLDS_INTEGER	(1u << ATID_CBOR_INTEGER)
#define ATID_HOLDS_BYTES		(1u << ATID_CBOR_BYTES)
#define ATID_HOLDS_TEXT		(1u << ATID_CBOR_TEXT)
#define ATID_HOLDS_LINK		(1u << ATID_CBOR_LINK)
#define ATID_HOLDS_NULL		(1u << ATID_CBOR_NULL)
#define ATID_HOLDS_ARRAY		(1u << ATID_CBOR_ARRAY)

/* In the place of an offset: the value, or its length, is not kept. */
#define ATID_NOWHERE	SIZE_MAX

struct AtidMap;

/*
 * A field.  Its rule is broken where the value is of another kind, or where fits(), which may
 * be NULL and can keep what it finds, returns false.  It is not asked about null.
 *
 * An integer goes to an int64_t; of bytes, of a text and of a link a pointer is kept, and the
 * length as a size_t, null leaving both alone.  Of an array the length is the number of its
 * items.  They are links, and the pointer is to the first one's head; or maps of this kind, in
 * an array of structs of this size that begins at the offset.
 */
typedef struct AtidMapField
{
	const char *name;
	size_t		name_len;
	unsigned	in;				/* the variants of the map that have it, as
								 * bits; others pass it over */
	unsigned	must;			/* those that must have it */
	unsigned	holds;
	bool		(*fits) (void *into, const AtidCborItem *value);
	AtidFault	fault;			/* the rule */
	size_t		to;				/* where it goes: offsets */
	size_t		len_to;
	size_t		most;			/* the longest or the most items; 0 for any */
	AtidFault	many;			/* where they are more */
	const struct AtidMap *items;
	size_t		item_size;
} AtidMapField;

/* A line of a table, up to where the value goes: one of the three below, and what else is set. */
#define ATID_FIELD(NAME, IN, MUST, HOLDS, FITS, FAULT, ...) \
	{.name = NAME, .name_len = sizeof(NAME) - 1, .in = IN, .must = MUST, .holds = HOLDS, \
	.fits = FITS, .fault = FAULT, __VA_ARGS__}
#define ATID_TO(type, member) .to = offsetof(type, member), .len_to = ATID_NOWHERE
#define ATID_TO_NOTHING .to = ATID_NOWHERE, .len_to = ATID_NOWHERE
#define ATID_TO_LEN(type, member) \
	.to = offsetof(type, member), .len_to = offsetof(type, member##_len)

/*
 * A kind of map.  A field that must be there has its own fault where it is not, unless the map
 * has one; they are looked for in the order of the table.  Of a map without fields only the
 * encoding is read.
 */
typedef struct AtidMap
{
	const AtidMapField *fields; /* at most 32 */
	int			count;
	AtidFault	top;			/* it must be a map */
	AtidFault	missing;		/* ATID_OK: the field's */
	AtidFault	other;			/* a field that the table lacks; ATID_OK: it
								 * is passed over */
	AtidFault	(*check) (const void *into);	/* do the fields go together?
												 * of items only */
	bool		at_once;		/* return the first fault; otherwise one of
								 * the encoding, wherever it is, comes before
								 * one of a field */
	bool		prefix;			/* more may follow the map */
} AtidMap;

/* What is told besides the fields. */
typedef struct AtidMapReading
{
	unsigned	seen;			/* the fields that are there: bits, in the
								 * order of the table */
	size_t		at;				/* the fault */
	size_t		end;			/* the end of the map */
} AtidMapReading;

/*
 * Read a map of this kind and variant into a struct, whose fields the caller has set to what
 * absent ones shall be.
 *
 * The place of a fault is the value or the key that has it; where a field is missing, or an
 * item's do not go together, the beginning of the map.
 */
ATID_NODISCARD extern AtidFault atid_map_read(const AtidMap *map, unsigned variant,
											  const uint8_t *bytes, size_t len, void *into,
											  AtidMapReading *reading);

/*
 * The fault of the first field that this variant must have and that was not seen.
 */
ATID_NODISCARD extern AtidFault atid_map_missing(const AtidMap *map, unsigned variant,
												 unsigned seen);


/*
 * Rules that several maps have, for fits().
 */

/* A DID, a TID, a datetime. */
extern bool atid_fits_did(void *into, const AtidCborItem *value);
extern bool atid_fits_tid(void *into, const AtidCborItem *value);
extern bool atid_fits_datetime(void *into, const AtidCborItem *value);

/* A blessed link to a block of DAG-CBOR. */
extern bool atid_fits_block(void *into, const AtidCborItem *value);

#endif							/* ATID_FIELDS_H */
