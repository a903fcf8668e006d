/*-------------------------------------------------------------------------
 *
 * fields.c
 *		The one reader of maps: a table of fields, and a walk by it.
 *
 * Commits, events and their operations, the headers of frames and of CARs are maps of
 * DAG-CBOR.  Each has a table, in which a field's rule is a line, and this walk reads them
 * all: the encoding by the strict reader of dagcbor.c, which has the order of keys and the
 * depth, and the fields by the table.
 *
 * A map is at level 0, and at depth 1 of the reader; the maps in an array of it are at level 1
 * and depth 3.  There is no level 2, so nothing recurses.  What lies deeper is only read for
 * its encoding, and so is all behind the first fault of a field.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/fields.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/cbor/multiformat.h"
#include "codec/text/address.h"
#include "codec/text/datetime.h"
#include "codec/text/tid.h"

#define LEVELS 2

/* A map that is open. */
typedef struct MapLevel
{
	const AtidMap *map;
	char	   *into;
	size_t		at;
	unsigned	seen;
	const AtidMapField *field;	/* of the last key; NULL if the table lacks it */
} MapLevel;

typedef struct MapWalk
{
	AtidCborReader reader;
	AtidCborItem item;
	unsigned	variant;
	int			level;			/* -1 before the map */
	bool		in_array;		/* within the one that the field holds */
	MapLevel	levels[LEVELS];
} MapWalk;

/* The depth at which the keys of a level are. */
#define DEPTH_OF(level) (2 * (level) + 1)

static const AtidMapField *
find_field(const AtidMap *map, unsigned variant, const AtidCborItem *key)
{
	for (int i = 0; i < map->count; i++)
	{
		const AtidMapField *field = &map->fields[i];

		if (field->name_len == key->len && memcmp(field->name, key->data, key->len) == 0 &&
			(field->in & variant) != 0)
			return field;
	}
	return NULL;
}

AtidFault
atid_map_missing(const AtidMap *map, unsigned variant, unsigned seen)
{
	for (int i = 0; i < map->count; i++)
	{
		if ((map->fields[i].must & variant) != 0 && (seen >> i & 1) == 0)
			return map->missing != ATID_OK ? map->missing : map->fields[i].fault;
	}
	return ATID_OK;
}

static void
keep_pointer(char *into, size_t to, const uint8_t *pointer)
{
	if (to != ATID_NOWHERE)
		memcpy(into + to, &pointer, sizeof(pointer));
}

static void
keep_length(char *into, size_t to, size_t len)
{
	if (to != ATID_NOWHERE)
		memcpy(into + to, &len, sizeof(len));
}

/*
 * Take the value of the last key.
 */
static AtidFault
take_value(MapWalk *walk, AtidCborEvent event)
{
	MapLevel   *level = &walk->levels[walk->level];
	const AtidMapField *field = level->field;
	const AtidCborItem *item = &walk->item;

	if (field == NULL)
		return ATID_OK;
	if ((field->holds >> event & 1) == 0)
		return field->fault;
	/* a map's keys differ, and so do its fields */
	ATID_ASSERT((level->seen >> (field - level->map->fields) & 1) == 0);
	level->seen |= 1u << (field - level->map->fields);
	if (event == ATID_CBOR_NULL)
		return ATID_OK;
	if (field->fits != NULL && !field->fits(level->into, item))
		return field->fault;
	if (field->most > 0 && item->len > field->most)
		return field->many;

	if (event == ATID_CBOR_INTEGER)
	{
		if (field->to != ATID_NOWHERE)
			memcpy(level->into + field->to, &item->integer, sizeof(item->integer));
	}
	else if (event != ATID_CBOR_ARRAY)
	{
		keep_pointer(level->into, field->to, item->data);
		keep_length(level->into, field->len_to, item->len);
	}
	else
	{
		walk->in_array = true;
		if (field->items == NULL)
		{
			keep_pointer(level->into, field->to, walk->reader.p);
			keep_length(level->into, field->len_to, item->len);
		}
	}
	return ATID_OK;
}

/*
 * Take a map's beginning.
 */
static void
open_level(MapWalk *walk, const AtidMap *map, char *into, size_t at)
{
	MapLevel   *level = &walk->levels[++walk->level];

	ATID_ASSERT(walk->level < LEVELS && walk->reader.depth == DEPTH_OF(walk->level));
	ATID_ASSERT(map->count <= 32);
	level->map = map;
	level->into = into;
	level->at = at;
	level->seen = 0;
	level->field = NULL;
	walk->in_array = false;
}

/*
 * Take an item of an array.
 */
static AtidFault
take_item(MapWalk *walk, AtidCborEvent event)
{
	MapLevel   *level = &walk->levels[walk->level];
	const AtidMapField *field = level->field;
	size_t		count;
	char	   *into;

	if (field->items == NULL)
		return event == ATID_CBOR_LINK ? ATID_OK : field->fault;
	if (event != ATID_CBOR_MAP)
		return field->items->top;
	memcpy(&count, level->into + field->len_to, sizeof(count));
	ATID_ASSERT(count < field->most);	/* as many as there is room for */
	into = level->into + field->to + count * field->item_size;
	memset(into, 0, field->item_size);
	open_level(walk, field->items, into, atid_cbor_offset(&walk->reader));
	return ATID_OK;
}

/*
 * Take the end of a map in an array.
 */
static AtidFault
close_item(MapWalk *walk)
{
	const MapLevel *level = &walk->levels[walk->level--];
	const MapLevel *outer = &walk->levels[walk->level];
	size_t		count;
	AtidFault	fault = atid_map_missing(level->map, walk->variant, level->seen);

	walk->in_array = true;
	if (fault == ATID_OK && level->map->check != NULL)
		fault = level->map->check(level->into);
	memcpy(&count, outer->into + outer->field->len_to, sizeof(count));
	keep_length(outer->into, outer->field->len_to, count + (fault == ATID_OK));
	return fault;
}

/*
 * Take what the reader has read.  Sets *at, where that is not the place of a fault.
 */
static AtidFault
take(MapWalk *walk, AtidCborEvent event, size_t *at)
{
	MapLevel   *level = &walk->levels[walk->level];
	int			depth = walk->reader.depth - DEPTH_OF(walk->level);
	bool		begins = event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY;
	bool		ends = event == ATID_CBOR_MAP_END || event == ATID_CBOR_ARRAY_END;

	if (walk->in_array)
	{
		if (depth == 0)
			walk->in_array = false;
		else if ((depth == 1 && !ends) || (depth == 2 && begins))
			return take_item(walk, event);
	}
	else if (depth == 0 && event == ATID_CBOR_KEY)
	{
		level->field = find_field(level->map, walk->variant, &walk->item);
		return level->field == NULL ? level->map->other : ATID_OK;
	}
	else if ((depth == 0 && !ends) || (depth == 1 && begins))
		return take_value(walk, event);
	else if (depth == -1 && walk->level > 0)
	{
		*at = level->at;
		return close_item(walk);
	}
	return ATID_OK;
}

AtidFault
atid_map_read(const AtidMap *map, unsigned variant, const uint8_t *bytes, size_t len, void *into,
			  AtidMapReading *reading)
{
	MapWalk		walk;
	AtidFault	fault = ATID_OK;
	AtidCborEvent event;

	walk.variant = variant;
	walk.level = -1;
	reading->seen = 0;
	reading->at = 0;
	atid_cbor_reader_init(&walk.reader, bytes, len);
	do
	{
		size_t		at;

		event = atid_cbor_next(&walk.reader, &walk.item);
		at = atid_cbor_offset(&walk.reader);
		if (event == ATID_CBOR_FAULT)
		{
			reading->at = at;
			return walk.reader.fault;
		}
		if (fault != ATID_OK || (walk.level >= 0 && map->count == 0))
			continue;
		if (walk.level >= 0)
			fault = take(&walk, event, &at);
		else if (event == ATID_CBOR_MAP)
			open_level(&walk, map, into, at);
		else
			fault = map->top;
		if (fault != ATID_OK)
			reading->at = at;
		if (fault != ATID_OK && map->at_once)
			return fault;
	} while (walk.reader.depth > 0);

	reading->end = (size_t) (walk.reader.p - bytes);
	if (!map->prefix && atid_cbor_next(&walk.reader, &walk.item) != ATID_CBOR_END)
	{
		reading->at = atid_cbor_offset(&walk.reader);
		return walk.reader.fault;
	}
	if (fault != ATID_OK)
		return fault;
	reading->seen = walk.levels[0].seen;
	return atid_map_missing(map, variant, reading->seen);
}


/*
 * Rules
 */

bool
atid_fits_did(void *into, const AtidCborItem *value)
{
	(void) into;
	return atid_did_is_valid((const char *) value->data, value->len);
}

bool
atid_fits_tid(void *into, const AtidCborItem *value)
{
	uint64_t	tid;

	(void) into;
	return value->len == ATID_TID_TEXT_LEN &&
		atid_tid_from_text((const char *) value->data, &tid);
}

bool
atid_fits_datetime(void *into, const AtidCborItem *value)
{
	int64_t		us;
	size_t		at;

	(void) into;
	return atid_datetime_parse((const char *) value->data, value->len, &us, &at) == ATID_OK;
}

bool
atid_fits_block(void *into, const AtidCborItem *value)
{
	(void) into;
	return atid_cid_is_dag_cbor(value->data, value->len);
}
