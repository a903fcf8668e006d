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
 * What lies deeper than an array of maps is only read for its encoding, and so is all behind
 * the first fault of a field.  So there are two levels, and nothing recurses.
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

typedef struct MapWalk
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	unsigned	variant;
} MapWalk;

/* A map that is open. */
typedef struct MapLevel
{
	const AtidMap *map;
	char	   *into;
	unsigned	seen;
	const AtidMapField *field;	/* of the last key; NULL if the table lacks it */
} MapLevel;

/*
 * Read on.  A fault of the encoding is the reader's.
 */
static inline AtidCborEvent
next_event(MapWalk *walk)
{
	return walk->event = atid_cbor_next(&walk->reader, &walk->item);
}

/*
 * Read on, until no more than so many arrays and maps are open.
 */
static inline void
read_out(MapWalk *walk, int depth)
{
	while (walk->reader.depth > depth)
		next_event(walk);
}

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

static inline void
keep_pointer(char *to, const uint8_t *pointer)
{
	memcpy(to, &pointer, sizeof(pointer));
}

static inline void
keep_length(char *to, size_t len)
{
	memcpy(to, &len, sizeof(len));
}

/*
 * Take the value of the last key, but not the items of an array.
 */
static inline AtidFault
take_value(MapWalk *walk, MapLevel *level)
{
	const AtidMapField *field = level->field;
	const AtidCborItem *item = &walk->item;

	if ((field->holds >> walk->event & 1) == 0)
		return field->fault;
	/* a map's keys differ, and so do its fields */
	ATID_ASSERT((level->seen >> (field - level->map->fields) & 1) == 0);
	level->seen |= 1u << (field - level->map->fields);
	if (walk->event == ATID_CBOR_NULL)
		return ATID_OK;
	if (field->fits != NULL && !field->fits(level->into, item))
		return field->fault;
	if (field->most > 0 && item->len > field->most)
		return field->many;

	if (walk->event == ATID_CBOR_INTEGER)
	{
		if (field->to != ATID_NOWHERE)
			memcpy(level->into + field->to, &item->integer, sizeof(item->integer));
	}
	else if (field->items == NULL)
	{
		if (field->to != ATID_NOWHERE)
			keep_pointer(level->into + field->to,
						 walk->event == ATID_CBOR_ARRAY ? walk->reader.p : item->data);
		if (field->len_to != ATID_NOWHERE)
			keep_length(level->into + field->len_to, item->len);
	}
	return ATID_OK;
}

/*
 * Take the pairs of a map, up to its end, or up to an array that a field holds: walk->event
 * is one of these.
 */
static AtidFault
take_pairs(MapWalk *walk, MapLevel *level)
{
	while (next_event(walk) == ATID_CBOR_KEY)
	{
		int			depth = walk->reader.depth;
		AtidFault	fault = level->map->other;

		level->field = find_field(level->map, walk->variant, &walk->item);
		if (level->field == NULL && fault != ATID_OK)
			return fault;
		if (next_event(walk) == ATID_CBOR_FAULT)
			break;
		if (level->field == NULL)
			read_out(walk, depth);
		else if ((fault = take_value(walk, level)) != ATID_OK || walk->event == ATID_CBOR_ARRAY)
			return fault;
	}
	return walk->reader.fault;
}

/*
 * Take an item of an array, a map.  Sets *at to its beginning if the fault is the map's.
 */
static AtidFault
take_item(MapWalk *walk, MapLevel *outer, size_t *at)
{
	const AtidMapField *field = outer->field;
	size_t		begins = atid_cbor_offset(&walk->reader);
	MapLevel	level = {.map = field->items};
	size_t		count;
	AtidFault	fault;

	if (walk->event != ATID_CBOR_MAP)
		return field->items->top;
	memcpy(&count, outer->into + field->len_to, sizeof(count));
	ATID_ASSERT(count < field->most);	/* as many as there is room for */
	level.into = outer->into + field->to + count * field->item_size;
	memset(level.into, 0, field->item_size);

	fault = take_pairs(walk, &level);
	if (fault != ATID_OK)
		return fault;
	ATID_ASSERT(walk->event == ATID_CBOR_MAP_END);	/* there is no third level */
	fault = atid_map_missing(level.map, walk->variant, level.seen);
	if (fault == ATID_OK && level.map->check != NULL)
		fault = level.map->check(level.into);
	if (fault == ATID_OK)
		keep_length(outer->into + field->len_to, count + 1);
	else
		*at = begins;
	return fault;
}

/*
 * Take a map, up to its first fault.  Sets *at to the place if that is not where the reader is.
 */
static AtidFault
take_map(MapWalk *walk, MapLevel *level, size_t *at)
{
	AtidFault	fault;

	ATID_ASSERT(level->map->count <= 32);
	if (next_event(walk) != ATID_CBOR_MAP)
		return walk->event == ATID_CBOR_FAULT ? walk->reader.fault : level->map->top;
	if (level->map->count == 0)
		return ATID_OK;
	while ((fault = take_pairs(walk, level)) == ATID_OK && walk->event == ATID_CBOR_ARRAY)
	{
		while (next_event(walk) != ATID_CBOR_ARRAY_END)
		{
			if (walk->event == ATID_CBOR_FAULT)
				return walk->reader.fault;
			if (level->field->items != NULL)
				fault = take_item(walk, level, at);
			else if (walk->event != ATID_CBOR_LINK)
				fault = level->field->fault;
			if (fault != ATID_OK)
				return fault;
		}
	}
	return fault;
}

AtidFault
atid_map_read(const AtidMap *map, unsigned variant, const uint8_t *bytes, size_t len, void *into,
			  AtidMapReading *reading)
{
	MapWalk		walk;
	MapLevel	level = {.map = map,.into = into};
	size_t		at = SIZE_MAX;
	AtidFault	fault;

	walk.variant = variant;
	atid_cbor_reader_init(&walk.reader, bytes, len);
	fault = take_map(&walk, &level, &at);
	if (at == SIZE_MAX)
		at = atid_cbor_offset(&walk.reader);

	/* what is behind it is read for its encoding */
	reading->seen = level.seen;
	reading->at = at;
	if (fault != ATID_OK && map->at_once)
		return fault;
	read_out(&walk, 0);
	reading->end = (size_t) (walk.reader.p - bytes);
	if (walk.reader.fault == ATID_OK && !map->prefix && walk.reader.p < walk.reader.end)
		next_event(&walk);
	if (walk.reader.fault != ATID_OK)
	{
		reading->at = atid_cbor_offset(&walk.reader);
		return walk.reader.fault;
	}
	if (fault != ATID_OK)
		return fault;
	reading->at = 0;
	return atid_map_missing(map, variant, level.seen);
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
