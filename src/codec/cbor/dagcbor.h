/*-------------------------------------------------------------------------
 *
 * dagcbor.h
 *		DAG-CBOR: a strict reader and a writer, over bytes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_DAGCBOR_H
#define ATID_DAGCBOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "codec/fault.h"
#include "codec/limits.h"

/*
 * The most that a writer writes: the content of a bytea, 1 GB - 1 less its
 * header.  It counts each head in its longest form, so the last few bytes may
 * stay unused.
 */
#define ATID_CBOR_SIZE_MAX ((size_t) 0x3FFFFFFF - 4)

/* The tag of a link, and the only one there is. */
#define ATID_CBOR_TAG_LINK 42

/* The bytes of a text that are checked between two pauses. */
#define ATID_CBOR_TEXT_AT_ONCE 65536


/*
 * Reading
 */

typedef enum AtidCborEvent
{
	ATID_CBOR_FAULT,			/* see the reader's fault and at */
	ATID_CBOR_INTEGER,			/* integer */
	ATID_CBOR_BYTES,			/* data, len */
	ATID_CBOR_TEXT,				/* data, len, nul */
	ATID_CBOR_LINK,				/* data, len: the CID, without the 0x00 */
	ATID_CBOR_BOOL,				/* integer is 0 or 1 */
	ATID_CBOR_NULL,
	ATID_CBOR_ARRAY,			/* begins; len is the number of items */
	ATID_CBOR_ARRAY_END,
	ATID_CBOR_MAP,				/* begins; len is the number of pairs */
	ATID_CBOR_KEY,				/* data, len, nul; its value comes next */
	ATID_CBOR_MAP_END,
	ATID_CBOR_END				/* the value was whole, and nothing is after
								 * it */
} AtidCborEvent;

/*
 * What comes with an event; other fields are not set.  data points into the
 * bytes that are read.  A len that counts items or pairs is at most the number
 * of bytes left; but each level of nesting can claim as many, so do not
 * allocate memory by it alone.
 */
typedef struct AtidCborItem
{
	const uint8_t *data;
	size_t		len;
	int64_t		integer;
	bool		nul;			/* the text has a U+0000 in it */
} AtidCborItem;

/* Is a text, or a key, this one? */
static inline bool
atid_cbor_item_is(const AtidCborItem *item, const char *text)
{
	return item->len == strlen(text) && memcmp(item->data, text, item->len) == 0;
}

/* An open array or map, or the outside. */
typedef struct AtidCborFrame
{
	size_t		left;			/* items to come; in a map, keys and values */
	const uint8_t *key;			/* a map's last key, NULL before the first */
	size_t		key_len;
	bool		map;
} AtidCborFrame;

/*
 * The reader.  It allocates nothing, so there is nothing to free.  The caller
 * may read fault, at and depth, and may set pause(), which is called again and
 * again while a long text is checked, and need not return.
 */
typedef struct AtidCborReader
{
	const uint8_t *begin;
	const uint8_t *p;			/* the next byte to read */
	const uint8_t *end;
	const uint8_t *at;			/* where the last item begins, or the fault is */
	AtidFault	fault;
	int			depth;			/* arrays and maps that are open */
	void		(*pause) (void);	/* NULL after atid_cbor_reader_init */
	AtidCborFrame frames[ATID_CBOR_DEPTH_MAX + 1];
} AtidCborReader;

/*
 * Begin to read bytes, which must not change meanwhile.
 */
extern void atid_cbor_reader_init(AtidCborReader *reader, const void *bytes, size_t len);

/*
 * The next event.  ATID_CBOR_FAULT and ATID_CBOR_END are the last, and are
 * returned by every later call.
 */
extern AtidCborEvent atid_cbor_next(AtidCborReader *reader, AtidCborItem *item);

/* The offset of the last item, or of the fault. */
static inline size_t
atid_cbor_offset(const AtidCborReader *reader)
{
	return (size_t) (reader->at - reader->begin);
}


/*
 * Writing
 */

/*
 * The writer.  The caller sets data, cap and grow, and the rest to zero; data
 * may be NULL if cap is 0, and grow if cap is enough.  cap is at most
 * ATID_CBOR_SIZE_MAX, and grow() is never asked for more.
 *
 * grow() makes room for new_cap bytes at data, keeps the len bytes that are
 * there, sets data and cap, and returns true; or it returns false; or it does
 * not return.
 *
 * A fault stays, and later writes are dropped, so it is enough to check it
 * once, at the end.
 */
typedef struct AtidCborWriter
{
	uint8_t    *data;
	size_t		len;
	size_t		cap;
	bool		(*grow) (struct AtidCborWriter *writer, size_t new_cap);
	void	   *arg;			/* grow()'s own */
	AtidFault	fault;			/* ATID_CBOR_SIZE, or ATID_NO_MEMORY where
								 * grow() gave none */
} AtidCborWriter;

/* Each writes one item, or notes a fault.  The bytes of a string are copied. */
extern void atid_cbor_put_integer(AtidCborWriter *writer, int64_t value);
extern void atid_cbor_put_bytes(AtidCborWriter *writer, const void *data, size_t len);

/* Text, which must be UTF-8; also a map's key. */
extern void atid_cbor_put_text(AtidCborWriter *writer, const void *data, size_t len);

/* The head of an array; so many values must follow. */
extern void atid_cbor_put_array(AtidCborWriter *writer, size_t items);

/* The head of a map; so many pairs must follow, in the order of their keys. */
extern void atid_cbor_put_map(AtidCborWriter *writer, size_t pairs);

/* A link; the bytes must be a CIDv1. */
extern void atid_cbor_put_link(AtidCborWriter *writer, const void *cid, size_t len);
extern void atid_cbor_put_bool(AtidCborWriter *writer, bool value);
extern void atid_cbor_put_null(AtidCborWriter *writer);


/*
 * Both
 */

/*
 * The order of a map's keys: by length, and then by bytes.
 */
extern int	atid_cbor_key_cmp(const void *a, size_t a_len, const void *b, size_t b_len);

#endif							/* ATID_DAGCBOR_H */
