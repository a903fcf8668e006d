/*-------------------------------------------------------------------------
 *
 * inspector.h
 *		The path of each event in a record, and the fields of its objects that
 *		other files ask for.
 *
 * The functions for each event are inline: calling them took a tenth of the time of
 * record_is_valid.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_RECORD_INSPECTOR_H
#define ATID_RECORD_INSPECTOR_H

#include "lib/stringinfo.h"

#include "codec/cbor/dagcbor.h"
#include "record/jsonb_reader.h"

/*
 * The longest path of a row, in bytes.  A key can be as long as its block, and each
 * link below it would repeat it.
 */
#define ATID_PATH_MAX 4096

/* The most bytes that the paths of all rows have for each byte of the record. */
#define ATID_PATHS_PER_BYTE 16

typedef struct AtidSlice
{
	const char *data;			/* NULL if there is none */
	size_t		len;
} AtidSlice;

/* An open array or map, and what is known of a map so far. */
typedef struct AtidLevel
{
	bool		map;
	AtidSlice	key;			/* of a map: the key of the current value */
	int64		index;			/* of an array: the index of the current item */
	bool		has_type;
	bool		is_blob;		/* $type is "blob" */
	bool		has_size;
	int64		size;
	AtidSlice	ref;			/* the bytes of the CID */
	AtidSlice	mime_type;
	AtidSlice	cid;			/* the text, in a legacy blob or a strong ref */
} AtidLevel;

typedef struct AtidInspector
{
	AtidCborReader *reader;		/* the source: a block */
	AtidJsonbWalk *walk;		/* or a jsonb */
	AtidCborItem item;
	int			depth;			/* open arrays and maps */
	bool		keep_refs;		/* ref points to a copy */
	AtidLevel	levels[ATID_CBOR_DEPTH_MAX + 1];	/* [0] is the outside */
} AtidInspector;

/* The path with the step of an open array or map. */
typedef struct AtidPathLevel
{
	int			path_len;		/* more than ATID_PATH_MAX if too long */
	int			field_len;
	bool		in_array;		/* so the field differs from the path */
} AtidPathLevel;

/* The steps that the paths of rows have in common. */
typedef struct AtidPaths
{
	StringInfoData path;		/* in UTF-8 */
	StringInfoData field;
	int			depth;			/* number of levels whose steps they have */
	uint64		budget;			/* how many more bytes paths of rows can have */
	AtidPathLevel levels[ATID_CBOR_DEPTH_MAX + 1];	/* [0] is "$" */
} AtidPaths;

/*
 * Make an inspector ready for the events of a reader or of a walk; the other one is NULL.
 */
extern void atid_inspect_init(AtidInspector *in, AtidCborReader *reader, AtidJsonbWalk *walk);

/*
 * Note the value of a key that a blob or a strong reference has.  The length of the
 * key is compared first, because most keys are others.
 */
extern void atid_inspect_note_value(AtidInspector *in, AtidLevel *level, AtidCborEvent event);

/*
 * A short text in UTF-8, converted to the server's encoding for an error: with a
 * question mark for each character that the encoding does not have.
 */
extern char *atid_shown(const char *utf8, size_t len);

/*
 * The path of the array or map at depth, or of its current item, like
 * $.embed.images[2].image, for an error: in the server's encoding, and clipped to
 * ATID_QUOTE_MAX bytes.
 */
extern char *atid_inspect_path(const AtidInspector *in, int depth, bool of_item);

/*
 * Make paths ready; and free what they took from the current memory context.
 */
extern void atid_paths_init(AtidPaths *paths);
extern void atid_paths_free(AtidPaths *paths);

/*
 * The path of the innermost open array or map, or of its current item, unclipped and
 * in the server's encoding; and if field is not NULL, the field: the path with [] in
 * place of each index.  Returns false if they are too long.
 */
extern bool atid_paths_get(AtidPaths *paths, const AtidInspector *in, bool of_item,
						   Datum *path, Datum *field);

/*
 * Append a JSON string.  Unlike escape_json(), this takes U+0000, and a text without
 * a terminator.
 */
extern void atid_append_json_string(StringInfo buf, const char *s, size_t len);

/*
 * Not by memset(), which took a twentieth of the time of record_is_valid.  The key,
 * and a length whose data is NULL, are not read before they are set.
 */
static inline void
atid_level_init(AtidLevel *level, bool map)
{
	level->map = map;
	level->index = -1;
	level->has_type = false;
	level->is_blob = false;
	level->has_size = false;
	level->size = 0;
	level->ref.data = NULL;
	level->mime_type.data = NULL;
	level->cid.data = NULL;
}

static inline bool
atid_level_key_is(const AtidLevel *level, const char *name, size_t len)
{
	return level->key.len == len && memcmp(level->key.data, name, len) == 0;
}

static inline AtidSlice
atid_slice_of(const AtidCborItem *item)
{
	AtidSlice	s = {(const char *) item->data, item->len};

	return s;
}

/*
 * The next event of the source.  On return the innermost level is the one that the
 * event belongs to: the parent of a value, or the array or map that ends.
 */
static pg_attribute_always_inline AtidCborEvent
atid_inspect_next(AtidInspector *in)
{
	AtidCborEvent event = in->reader != NULL ?
		atid_cbor_next(in->reader, &in->item) :
		atid_jsonb_next(in->walk, &in->item);
	AtidLevel  *level = &in->levels[in->depth];

	switch (event)
	{
		case ATID_CBOR_KEY:
			level->key = atid_slice_of(&in->item);
			break;
		case ATID_CBOR_END:
		case ATID_CBOR_ARRAY_END:
		case ATID_CBOR_MAP_END:
			break;
		default:
			/* a fault belongs to an item, too */
			if (!level->map)
				level->index++;
			else if (event != ATID_CBOR_FAULT)
				atid_inspect_note_value(in, level, event);
	}
	return event;
}

/* The last event has begun an array or map. */
static inline void
atid_inspect_enter(AtidInspector *in, AtidCborEvent event)
{
	AtidLevel  *level = &in->levels[++in->depth];

	atid_level_init(level, event == ATID_CBOR_MAP);
}

static inline void
atid_inspect_leave(AtidInspector *in)
{
	in->depth--;
}

/*
 * Call this for each event.  The array or map that it belongs to is at another item,
 * so the step to the last one is dropped; and the budget of the paths grows.
 */
static inline void
atid_paths_follow(AtidPaths *paths, const AtidInspector *in, AtidCborEvent event)
{
	if (paths->depth >= in->depth)
		paths->depth = Max(in->depth - 1, 0);
	if (event == ATID_CBOR_KEY || event == ATID_CBOR_TEXT ||
		event == ATID_CBOR_BYTES || event == ATID_CBOR_LINK)
		paths->budget += ATID_PATHS_PER_BYTE * in->item.len;
	if (event != ATID_CBOR_ARRAY_END && event != ATID_CBOR_MAP_END)
		paths->budget += ATID_PATHS_PER_BYTE;
}

#endif							/* ATID_RECORD_INSPECTOR_H */
