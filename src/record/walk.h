/*-------------------------------------------------------------------------
 *
 * walk.h
 *		A walk over a jsonb, as the events of the DAG-CBOR that it stands for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_JSONB_WALK_H
#define ATID_JSONB_WALK_H

#include "codec/dagcbor.h"

/* Memory that is used again and again, and grows as needed. */
typedef struct AtidScratch
{
	char	   *data;			/* NULL if there is none yet */
	size_t		size;
} AtidScratch;

/* An open array or object, and what of it comes next. */
typedef struct AtidJsonbFrame
{
	const uint32 *entries;		/* the JEntries: items, or keys and then
								 * values */
	const char *data;			/* what their offsets are from */
	uint32		count;			/* items, or pairs */
	uint32		next;			/* item or pair that comes next */
	uint32		key_offset;		/* where its key begins */
	uint32		offset;			/* where it, or its value, begins */
	bool		object;
	bool		at_value;		/* the key has been told */
} AtidJsonbFrame;

typedef struct AtidJsonbWalk
{
	const struct JsonbContainer *root;	/* NULL once it has been entered */
	bool		utf8;			/* the server's encoding is UTF-8 */
	int			depth;			/* arrays and objects that are open */
	uint32		events;
	AtidScratch scratch;		/* the bytes of a "$link" or "$bytes" */
	Datum		int64_min;		/* numerics; 0 until the first number */
	Datum		int64_max;
	AtidFault	fault;
	AtidJsonbFrame frames[ATID_CBOR_DEPTH_MAX + 1]; /* [0] is the outside */
} AtidJsonbWalk;

/* Is a text ASCII, and so the same in every encoding of a server? */
static inline bool
atid_is_ascii(const char *s, size_t len)
{
	unsigned char bits = 0;

	for (size_t i = 0; i < len; i++)
		bits |= (unsigned char) s[i];
	return bits < 0x80;
}

extern bool atid_can_be_utf8(const char *text, size_t len);
extern void atid_jsonb_walk_init(AtidJsonbWalk *walk, const struct JsonbContainer *root);
extern AtidCborEvent atid_jsonb_next(AtidJsonbWalk *walk, AtidCborItem *item);
extern char *atid_scratch(AtidScratch *scratch, size_t size);
extern AtidFault atid_json_link(AtidCborItem *item, AtidScratch *scratch);
extern AtidFault atid_json_bytes(AtidCborItem *item, AtidScratch *scratch);

#endif							/* ATID_JSONB_WALK_H */
