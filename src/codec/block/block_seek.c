/*-------------------------------------------------------------------------
 *
 * block_seek.c
 *		A value within a packed block, found by a path.
 *
 * The keys of an object are in the dictionary, so a key is compared by its number, and only
 * the values before it are passed over.  To pass over a value takes no stack: it is enough
 * to count the values that are still to come.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/block_seek.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/block/block_text.h"
#include "codec/bytes.h"
#include "codec/cbor/dagcbor.h"

/* So many values are passed over between two pauses. */
#define VALUES_AT_ONCE 4096

/*
 * How many bytes follow a code, where that is all that it stands for: a digest, a number.
 * LENGTH: a length, of so many bytes, and as many bytes as that says.
 */
#define LENGTH		0x40
#define OTHER		0x80

/* 16 times the same */
#define ROW(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x

static const uint8_t follows[256] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	OTHER, LENGTH + 2, LENGTH + 4, 1, 2, 3, 4, 8, 1, 8, 0, 0, 0, LENGTH + 1, LENGTH + 4, 32,
	32, LENGTH + 1, 32, 32, 15, 25, 23, OTHER, 4, 5, 6, 7, 5, 7, 9, 9,
	8, LENGTH + 1, LENGTH + 1, 10, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER,
	OTHER, OTHER, OTHER,
	ROW(OTHER), ROW(OTHER), ROW(OTHER), ROW(OTHER),
	OTHER, OTHER, OTHER, OTHER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	ROW(0), ROW(0), ROW(0), ROW(0),
	1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0,
	2, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER,
	OTHER, OTHER
};

static inline bool
is_object(unsigned code)
{
	return code >= BLOCK_OBJECT_SHORT && code < BLOCK_STRING_SHORT;
}

/* Is this the code of a map, whether it is an object or not? */
static inline bool
is_map(unsigned code)
{
	return code == BLOCK_MAP || is_object(code);
}

/* A code that has no value here.  Returns NULL. */
static const uint8_t *
refuse_code(AtidBlockSeek *seek, unsigned code)
{
	seek->state = code == BLOCK_RAW ? ATID_BLOCK_DAMAGED : ATID_BLOCK_NEWER;
	return NULL;
}

/* The values that an object has in the packed bytes. */
static inline uint64_t
object_values(const AtidBlockObject *object)
{
	uint64_t	optional = object->optional;
	uint64_t	values = 0;

	for (int i = 0; i < object->object.count; i++)
	{
		const AtidObjectKey *key = &object->object.keys[i];

		values += atid_block_has_key(key, &optional) && !key->constant;
	}
	return values;
}

/*
 * Read how many values an array has, or pairs a map, whose code is before p.
 */
static inline const uint8_t *
read_count(unsigned code, const uint8_t *p, const uint8_t *end, uint64_t *count)
{
	if (code < BLOCK_ARRAY)
		*count = code - BLOCK_ARRAY_SHORT;
	else
		p = atid_block_varint(p, end, count);
	if (p == NULL || *count > (uint64_t) (end - p) / (code == BLOCK_MAP ? 2 : 1))
		return NULL;
	return p;
}

/*
 * Read how many values are in an array, map or object, whose code is before p.  Each of them takes
 * a byte at least.
 */
static const uint8_t *
read_values(AtidBlockSeek *seek, unsigned code, const uint8_t *p, uint64_t *values)
{
	AtidBlockObject object;

	if (is_object(code))
	{
		p = atid_block_object(code, p, seek->end, &object, &seek->state);
		if (p == NULL)
			return NULL;
		*values = object_values(&object);
		return *values <= (uint64_t) (seek->end - p) ? p : NULL;
	}
	p = read_count(code, p, seek->end, values);
	if (p != NULL && code == BLOCK_MAP)
		*values *= 2;
	return p;
}

/*
 * Pass over what follows a code that has a length behind it: at once, or where there is no rule
 * behind the account of an AT URI.
 */
static inline const uint8_t *
skip_length(unsigned code, const uint8_t *p, const uint8_t *end)
{
	size_t		before = 0;		/* bytes before the length */
	size_t		size = 1;		/* of the length */
	size_t		more = 0;		/* than the length says */
	size_t		n;

	if (follows[code] != OTHER)
		size = follows[code] - LENGTH;
	else if (code == BLOCK_TEXT_8)
		more = BLOCK_TEXT_SHORT_MAX + 1;
	else
	{
		ATID_ASSERT(code == BLOCK_URI_OTHER || code == BLOCK_URI_KEY ||
					code == BLOCK_URI_COLLECTION);
		before = BLOCK_PLC_LEN + (code == BLOCK_URI_KEY ? 2 : 0);
		more = code == BLOCK_URI_COLLECTION ? BLOCK_TID_LEN : 0;
	}
	if ((size_t) (end - p) < before + size)
		return NULL;
	n = (size_t) atid_block_number(p + before, size) + more;
	p += before + size;
	return n <= (size_t) (end - p) ? p + n : NULL;
}

/*
 * Pass over so many values at p.  Returns the byte behind them; NULL, and the state, where
 * that cannot be done.
 */
static const uint8_t *
skip_values(AtidBlockSeek *seek, const uint8_t *p, uint64_t left)
{
	const uint8_t *end = seek->end;
	unsigned	skipped = 0;

	seek->state = ATID_BLOCK_DAMAGED;
	for (; left > 0 && p != NULL; left--)
	{
		unsigned	code;
		uint64_t	values;

		if (++skipped % VALUES_AT_ONCE == 0 && seek->pause != NULL)
			seek->pause();
		if (p == end)
			return NULL;
		code = *p++;
		if (follows[code] < LENGTH)
			p = follows[code] <= end - p ? p + follows[code] : NULL;
		else if (code >= BLOCK_RESERVED)
			return refuse_code(seek, code);
		else if (code >= BLOCK_ARRAY_SHORT && code < BLOCK_STRING_SHORT)
		{
			p = read_values(seek, code, p, &values);
			/* each value takes at least a byte, so left stays small */
			if (p == NULL || left - 1 > (uint64_t) (end - p) - values)
				return NULL;
			left += values;
		}
		else
			p = skip_length(code, p, end);
	}
	return p;
}

/*
 * A value at p, which is NULL where it could not be found.  Its code is one that this version
 * knows: nobody can say what kind of value another is.
 */
static AtidSeekResult
found_at(AtidBlockSeek *seek, const uint8_t *p)
{
	if (p == NULL || p == seek->end)
		return ATID_SEEK_FAULT;
	if (*p >= BLOCK_RESERVED)
	{
		(void) refuse_code(seek, *p);
		return ATID_SEEK_FAULT;
	}
	seek->p = p;
	return ATID_SEEK_FOUND;
}

/*
 * Go to the value of a key of an object whose code is before p.
 */
static AtidSeekResult
seek_object_key(AtidBlockSeek *seek, unsigned code, const uint8_t *p, const AtidBlockStep *step)
{
	AtidBlockObject object;
	uint64_t	before = 0;

	p = atid_block_object(code, p, seek->end, &object, &seek->state);
	if (p == NULL)
		return ATID_SEEK_FAULT;
	if (step->string < 0)
		return ATID_SEEK_NONE;
	for (int i = 0; i < object.object.count; i++)
	{
		const AtidObjectKey *key = &object.object.keys[i];
		bool		has = atid_block_has_key(key, &object.optional);

		if (key->string == step->string)
		{
			if (!has)
				return ATID_SEEK_NONE;
			if (!key->constant)
				return found_at(seek, skip_values(seek, p, before));
			seek->string = object.object.type;
			return ATID_SEEK_FOUND;
		}
		before += has && !key->constant;
	}
	return ATID_SEEK_NONE;
}

/*
 * Go to the value of a key of a map of so many pairs at p.
 */
static AtidSeekResult
seek_map_key(AtidBlockSeek *seek, const uint8_t *p, uint64_t pairs, const AtidBlockStep *step)
{
	AtidBlockSeek key = *seek;
	unsigned	passed = 0;

	for (; pairs > 0; pairs--)
	{
		char		room[ATID_BLOCK_TEXT_MAX];
		const char *text;
		size_t		len;
		const uint8_t *behind;

		if (++passed % VALUES_AT_ONCE == 0 && seek->pause != NULL)
			seek->pause();
		behind = NULL;
		if (found_at(&key, p) == ATID_SEEK_FOUND)
			behind = skip_values(&key, p, 1);
		if (behind == NULL || atid_block_seek_text(&key, room, &text, &len) != ATID_SEEK_FOUND)
		{
			seek->state = key.state;
			return ATID_SEEK_FAULT;
		}
		if (len >= step->len)
		{
			int			order = len > step->len ? 1 : memcmp(text, step->text, len);

			if (order > 0)
				return ATID_SEEK_NONE;
			if (order == 0)
				return found_at(seek, behind);
		}
		p = skip_values(seek, behind, 1);
		if (p == NULL)
			return ATID_SEEK_FAULT;
	}
	return ATID_SEEK_NONE;
}

static AtidSeekResult
seek_index(AtidBlockSeek *seek, const uint8_t *p, uint64_t count, const AtidBlockStep *step)
{
	int64_t		index = step->index;

	if (!step->is_index)
		return ATID_SEEK_NONE;
	if (index < 0)
		index += (int64_t) count;
	if (index < 0 || (uint64_t) index >= count)
		return ATID_SEEK_NONE;
	return found_at(seek, skip_values(seek, p, (uint64_t) index));
}

void
atid_block_step_init(AtidBlockStep *step, const char *text, size_t len)
{
	step->text = text;

	step->len = len;
	step->string = atid_dictionary_find(text, len);
	step->is_index = atid_seek_index(text, len, &step->index);
}

AtidSeekResult
atid_block_seek_init(AtidBlockSeek *seek, const uint8_t *packed, size_t len)
{
	ATID_ASSERT(!atid_block_is_raw(packed, len));
	seek->end = packed + len;
	seek->string = ATID_DICTIONARY_NONE;
	seek->depth = 0;
	seek->state = ATID_BLOCK_DAMAGED;
	seek->pause = NULL;
	return found_at(seek, packed);
}

AtidSeekResult
atid_block_seek_step(AtidBlockSeek *seek, const AtidBlockStep *step)
{
	const uint8_t *p = seek->p;
	uint64_t	count;
	unsigned	code;

	seek->state = ATID_BLOCK_DAMAGED;
	if (seek->string >= 0)
		return ATID_SEEK_NONE;
	code = *p++;
	if (code < BLOCK_ARRAY_SHORT || code >= BLOCK_STRING_SHORT)
		return ATID_SEEK_NONE;
	if (seek->depth++ == ATID_CBOR_DEPTH_MAX)
		return ATID_SEEK_FAULT;
	if (is_object(code))
		return seek_object_key(seek, code, p, step);
	p = read_count(code, p, seek->end, &count);
	if (p == NULL)
		return ATID_SEEK_FAULT;
	return code == BLOCK_MAP ? seek_map_key(seek, p, count, step) :
		seek_index(seek, p, count, step);
}

AtidSeekKind
atid_block_seek_kind(const AtidBlockSeek *seek)
{
	unsigned	code = *seek->p;

	if (seek->string >= 0)
		return ATID_SEEK_OTHER;
	if (is_map(code))
		return ATID_SEEK_MAP;
	if (code >= BLOCK_ARRAY_SHORT && code <= BLOCK_ARRAY)
		return ATID_SEEK_ARRAY;
	if (code >= BLOCK_LINK_CBOR && code <= BLOCK_LINK_OTHER)
		return ATID_SEEK_LINK;
	if (code == BLOCK_BYTES_8 || code == BLOCK_BYTES_32)
		return ATID_SEEK_BYTES;
	return ATID_SEEK_OTHER;
}

AtidSeekResult
atid_block_seek_text(AtidBlockSeek *seek, char *room, const char **text, size_t *len)
{
	const uint8_t *p = seek->p;
	int			number = seek->string;
	unsigned	code;

	if (number < 0)
	{
		code = *p++;
		if (code <= BLOCK_TEXT_32)
		{
			const uint8_t *behind = skip_values(seek, seek->p, 1);

			if (behind == NULL)
				return ATID_SEEK_FAULT;
			if (code > BLOCK_TEXT_SHORT_MAX)
				p += code == BLOCK_TEXT_8 ? 1 : code == BLOCK_TEXT_16 ? 2 : 4;
			*text = (const char *) p;
			*len = (size_t) (behind - p);
			return ATID_SEEK_FOUND;
		}
		if (code >= BLOCK_CID_CBOR && code <= BLOCK_URI_COLLECTION)
		{
			*text = room;
			return atid_block_text_restore(code, p, seek->end, room, len, &seek->state) != NULL ?
				ATID_SEEK_FOUND : ATID_SEEK_FAULT;
		}
		if (!atid_block_is_string(code))
			return ATID_SEEK_NONE;
		if (atid_block_string(code, p, seek->end, &number, &seek->state) == NULL)
			return ATID_SEEK_FAULT;
	}
	*text = atid_dictionary_string(number, len);
	return ATID_SEEK_FOUND;
}

const uint8_t *
atid_block_seek_past(AtidBlockSeek *seek)
{
	return skip_values(seek, seek->p, 1);
}
