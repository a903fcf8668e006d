/*-------------------------------------------------------------------------
 *
 * inspect.h
 *		Where in a record an event is, and what its objects have told so far.
 *
 * What is done at each event is inline: a call of it took a tenth of
 * record_is_valid's time.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_INSPECT_H
#define ATID_INSPECT_H

#include "lib/stringinfo.h"

#include "codec/dagcbor.h"
#include "record/walk.h"

/*
 * The longest path of a link, a blob or a reference, in bytes: a key can be as
 * long as its block, and each link below it would repeat it.
 */
#define ATID_PATH_MAX 4096

/* The paths of all rows may have so many bytes for each byte of the record. */
#define ATID_PATHS_PER_BYTE 16

typedef struct AtidSlice
{
	const char *data;			/* NULL if there is none */
	size_t		len;
} AtidSlice;

/* An open array or map, and what a map has told of itself so far. */
typedef struct AtidLevel
{
	bool		map;
	AtidSlice	key;			/* a map's: whose value this is */
	int64		index;			/* an array's: which item this is */
	bool		has_type;
	bool		is_blob;		/* $type is "blob" */
	bool		has_size;
	int64		size;
	AtidSlice	ref;			/* the bytes of the CID */
	AtidSlice	mime_type;
	AtidSlice	cid;			/* a string: of a legacy blob, a strong ref */
} AtidLevel;

typedef struct AtidInspector
{
	AtidCborReader *reader;		/* the source: a block */
	AtidJsonbWalk *walk;		/* or a jsonb */
	AtidCborItem item;
	int			depth;			/* open arrays and maps */
	bool		keep_refs;		/* copy what ref points to */
	AtidLevel	levels[ATID_CBOR_DEPTH_MAX + 1];	/* [0] is the outside */
} AtidInspector;

/* The steps to what is in an array or a map that is open. */
typedef struct AtidPathLevel
{
	int			path_len;		/* of the path with the step; more than
								 * ATID_PATH_MAX if it is too long */
	int			field_len;
	bool		in_array;		/* the field is not the path */
} AtidPathLevel;

/* The path that rows have, as far as it is known. */
typedef struct AtidPaths
{
	StringInfoData path;		/* in UTF-8 */
	StringInfoData field;
	int			depth;			/* levels whose steps are in them */
	uint64		budget;			/* bytes that rows may still have */
	AtidPathLevel levels[ATID_CBOR_DEPTH_MAX + 1];	/* [0] is "$" */
} AtidPaths;

extern void atid_inspect_init(AtidInspector *in, AtidCborReader *reader, AtidJsonbWalk *walk);
extern void atid_inspect_note_value(AtidInspector *in, AtidLevel *level, AtidCborEvent event);
extern char *atid_shown(const char *utf8, size_t len);
extern char *atid_inspect_path(const AtidInspector *in, int depth, bool of_item);
extern void atid_paths_init(AtidPaths *paths);
extern void atid_paths_free(AtidPaths *paths);
extern bool atid_paths_get(AtidPaths *paths, const AtidInspector *in, bool of_item,
						   Datum *path, Datum *field);
extern void atid_append_json_string(StringInfo buf, const char *s, size_t len);

/*
 * One field after the other: objects are small and many, and a memset of a level
 * took a twentieth of record_is_valid's time.  A key is set before it is
 * looked at, and a length with its data.
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
 * The next event of the source.  On return the top level is the one the event
 * belongs to: for a value its parent, for an end the array or map that ends.
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
			/* a fault is in an item, too */
			if (!level->map)
				level->index++;
			else if (event != ATID_CBOR_FAULT)
				atid_inspect_note_value(in, level, event);
	}
	return event;
}

/* An array or map was begun: what comes next is in it. */
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
 * An event was read: the array or map that it belongs to has come to another item,
 * and the step to the last one is none any more.  The rows may have more.
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

#endif							/* ATID_INSPECT_H */
