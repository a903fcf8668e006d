/*-------------------------------------------------------------------------
 *
 * block_restore.c
 *		The block that a packed value stands for.
 *
 * One walk over the packed bytes serves three ends: to measure the block, to write it, and
 * to compare it with one.  It needs no recursion: what is still to come of each open array
 * and map is on a stack of ATID_CBOR_DEPTH_MAX levels, and an object's keys come from the
 * dictionary, each before its value.
 *
 * Every read is within the packed bytes, and every write within the room that the sink
 * has, so damaged bytes can do no harm.  The sink refuses more than ATID_BLOCK_SIZE_MAX
 * bytes.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/block_form.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/block/block_text.h"
#include "codec/bytes.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/head.h"
#include "codec/cbor/multiformat.h"

/* So many values are walked over between two pauses. */
#define VALUES_AT_ONCE 4096

/* The most bytes of a head. */
#define HEAD_MAX 9

/* A link to a SHA-256 up to its digest: tag 42, 37 bytes, 0, CID version 1, codec, hash. */
#define LINK_HEAD_LEN 9
#define LINK_CODEC_AT 6
static const uint8_t link_head[LINK_HEAD_LEN] = {
	0xD8, ATID_CBOR_TAG_LINK, 0x58, 1 + ATID_CID_BLESSED_LEN, 0, 1, ATID_CODEC_DAG_CBOR,
	ATID_HASH_SHA2_256, ATID_SHA2_256_LEN
};

typedef enum SinkMode
{
	SINK_MEASURE,
	SINK_WRITE,
	SINK_COMPARE
} SinkMode;

/* Where the block goes: its length so far; what is written, or compared with. */
typedef struct Sink
{
	size_t		len;
	size_t		room;			/* of the bytes at dst, or at block */
	uint8_t    *dst;
	const uint8_t *block;
} Sink;

/* An open array or map. */
typedef struct RestoreLevel
{
	uint64_t	left;			/* values to come; of an object, keys */
	const AtidObjectKey *key;	/* the next key of an object; NULL: it is none */
	const AtidObjectKey *end;
	uint64_t	optional;		/* the bits of the optional keys to come */
	int			type;			/* the string that its "$type" is */
} RestoreLevel;

static inline bool
sink_put(Sink *sink, SinkMode mode, const void *bytes, size_t len)
{
	if (len > sink->room - sink->len)
		return false;
	if (mode == SINK_WRITE)
		memcpy(sink->dst + sink->len, bytes, len);
	else if (mode == SINK_COMPARE && !atid_bytes_equal(sink->block + sink->len, bytes, len))
		return false;
	sink->len += len;
	return true;
}

static inline bool
sink_put_head(Sink *sink, SinkMode mode, unsigned major, uint64_t arg)
{
	uint8_t		head[HEAD_MAX];
	size_t		len = atid_head_len(arg);

	if (len == 1)
		head[0] = (uint8_t) (major << 5 | arg);
	else
	{
		/* by the bytes of the head: 2, 3, 5 or 9 */
		static const uint8_t info[HEAD_MAX + 1] = {
			0, 0, INFO_1_BYTE, INFO_1_BYTE + 1, 0, INFO_1_BYTE + 2, 0, 0, 0, INFO_8_BYTES
		};

		head[0] = (uint8_t) (major << 5 | info[len]);
		for (size_t i = len - 1; i > 0; i--)
		{
			head[i] = (uint8_t) arg;
			arg >>= 8;
		}
	}
	return sink_put(sink, mode, head, len);
}

static inline bool
sink_put_text(Sink *sink, SinkMode mode, const void *text, size_t len)
{
	return sink_put_head(sink, mode, MAJOR_TEXT, len) && sink_put(sink, mode, text, len);
}

static inline bool
sink_put_string(Sink *sink, SinkMode mode, int number)
{
	size_t		len;
	const char *text = atid_dictionary_string(number, &len);

	return sink_put_text(sink, mode, text, len);
}

const uint8_t *
atid_block_object(unsigned code, const uint8_t *p, const uint8_t *end, AtidBlockObject *object,
				  AtidBlockState *state)
{
	int			number;

	*state = ATID_BLOCK_DAMAGED;
	if (code < BLOCK_OBJECT)
		number = (int) (code - BLOCK_OBJECT_SHORT) / 2;
	else
	{
		if (p == end)
			return NULL;
		number = BLOCK_OBJECTS_SHORT + *p;
		if (*p++ >= BLOCK_OBJECTS_8)
		{
			if (p == end)
				return NULL;
			number = BLOCK_OBJECTS_SHORT + BLOCK_OBJECTS_8 +
				((number - BLOCK_OBJECTS_SHORT - BLOCK_OBJECTS_8) << 8 | *p++);
		}
		if (number >= atid_dictionary_objects)
		{
			*state = ATID_BLOCK_NEWER;
			return NULL;
		}
	}
	object->object = atid_dictionary_object(number);
	object->optional = 0;
	if (code % 2 != 0)
	{
		int			bytes = (object->object.optional + 7) / 8;

		if (end - p < bytes)
			return NULL;
		for (int i = 0; i < bytes; i++)
			object->optional |= (uint64_t) *p++ << 8 * i;
		if (object->object.optional < ATID_DICTIONARY_KEYS_MAX &&
			object->optional >> object->object.optional != 0)
			return NULL;
	}
	return p;
}

typedef enum KeyResult
{
	KEY_WRITTEN,				/* its value comes next */
	KEY_NONE,					/* the object is at its end */
	KEY_NO_ROOM
} KeyResult;

/*
 * Write the next key of an object that has a value in the packed bytes; and before it those
 * whose value is the object's type, with that.
 */
static inline KeyResult
write_key(RestoreLevel *level, Sink *sink, SinkMode mode)
{
	while (level->left > 0)
	{
		const AtidObjectKey *key = level->key++;

		ATID_ASSERT(key < level->end);
		if (!atid_block_has_key(key, &level->optional))
			continue;
		level->left--;
		if (!sink_put_string(sink, mode, key->string))
			return KEY_NO_ROOM;
		if (!key->constant)
			return KEY_WRITTEN;
		if (!sink_put_string(sink, mode, level->type))
			return KEY_NO_ROOM;
	}
	return KEY_NONE;
}

static inline int
count_bits(uint64_t bits)
{
	int			n = 0;

	for (; bits != 0; bits &= bits - 1)
		n++;
	return n;
}

/*
 * Read the length of a text, or of bytes, whose code is this one.  Returns the byte behind it;
 * NULL where that, or what it is the length of, is beyond the end.
 */
static inline const uint8_t *
read_len(unsigned code, const uint8_t *p, const uint8_t *end, size_t *len)
{
	size_t		size = code <= BLOCK_TEXT_SHORT_MAX ? 0 :
		code == BLOCK_TEXT_16 ? 2 : code == BLOCK_TEXT_32 || code == BLOCK_BYTES_32 ? 4 : 1;

	if ((size_t) (end - p) < size)
		return NULL;
	*len = size == 0 ? code : (size_t) atid_block_number(p, size);
	if (code == BLOCK_TEXT_8)
		*len += BLOCK_TEXT_SHORT_MAX + 1;
	p += size;
	return *len <= (size_t) (end - p) ? p : NULL;
}

static inline const uint8_t *
restore_link(unsigned code, const uint8_t *p, const uint8_t *end, Sink *sink, SinkMode mode)
{
	uint8_t		head[LINK_HEAD_LEN];
	size_t		len = ATID_SHA2_256_LEN;
	bool		fits;

	if (code == BLOCK_LINK_OTHER)
	{
		p = read_len(code, p, end, &len);
		fits = p != NULL && sink_put_head(sink, mode, MAJOR_TAG, ATID_CBOR_TAG_LINK) &&
			sink_put_head(sink, mode, MAJOR_BYTES, len + 1) && sink_put(sink, mode, "", 1);
	}
	else
	{
		memcpy(head, link_head, LINK_HEAD_LEN);
		if (code == BLOCK_LINK_RAW)
			head[LINK_CODEC_AT] = ATID_CODEC_RAW;
		fits = len <= (size_t) (end - p) && sink_put(sink, mode, head, LINK_HEAD_LEN);
	}
	return fits && sink_put(sink, mode, p, len) ? p + len : NULL;
}

/*
 * Write the value whose code is before p, and which is no array, map or object.  Returns the
 * byte behind it.
 */
static inline const uint8_t *
restore_scalar(unsigned code, const uint8_t *p, const uint8_t *end, Sink *sink, SinkMode mode,
			   AtidBlockState *state)
{
	static const uint8_t sizes[] = {1, 2, 3, 4, 8, 1, 8};
	static const uint8_t simple[] = {0xF5, 0xF4, 0xF6};
	size_t		len;

	*state = ATID_BLOCK_DAMAGED;
	if (code <= BLOCK_TEXT_32)
	{
		p = read_len(code, p, end, &len);
		return p != NULL && sink_put_text(sink, mode, p, len) ? p + len : NULL;
	}
	if (code >= BLOCK_CID_CBOR && code <= BLOCK_URI_COLLECTION)
	{
		char		room[ATID_BLOCK_TEXT_MAX];

		p = atid_block_text_restore(code, p, end, room, &len, state);
		return p != NULL && sink_put_text(sink, mode, room, len) ? p : NULL;
	}
	if (atid_block_is_string(code))
	{
		int			number;

		p = atid_block_string(code, p, end, &number, state);
		return p != NULL && sink_put_string(sink, mode, number) ? p : NULL;
	}
	switch (code)
	{
		case BLOCK_UNSIGNED_8:
		case BLOCK_UNSIGNED_16:
		case BLOCK_UNSIGNED_24:
		case BLOCK_UNSIGNED_32:
		case BLOCK_UNSIGNED_64:
		case BLOCK_NEGATIVE_8:
		case BLOCK_NEGATIVE_64:
			len = sizes[code - BLOCK_UNSIGNED_8];
			return (size_t) (end - p) >= len &&
				sink_put_head(sink, mode, code < BLOCK_NEGATIVE_8 ? MAJOR_UNSIGNED : MAJOR_NEGATIVE,
							  atid_block_number(p, len)) ? p + len : NULL;
		case BLOCK_TRUE:
		case BLOCK_FALSE:
		case BLOCK_NULL:
			return sink_put(sink, mode, &simple[code - BLOCK_TRUE], 1) ? p : NULL;
		case BLOCK_BYTES_8:
		case BLOCK_BYTES_32:
			p = read_len(code, p, end, &len);
			return p != NULL && sink_put_head(sink, mode, MAJOR_BYTES, len) &&
				sink_put(sink, mode, p, len) ? p + len : NULL;
		case BLOCK_LINK_CBOR:
		case BLOCK_LINK_RAW:
		case BLOCK_LINK_OTHER:
			return restore_link(code, p, end, sink, mode);
	}
	if (code >= BLOCK_UNSIGNED_SHORT && code <= BLOCK_UNSIGNED_SHORT + BLOCK_UNSIGNED_SHORT_MAX)
		return sink_put_head(sink, mode, MAJOR_UNSIGNED, code - BLOCK_UNSIGNED_SHORT) ? p : NULL;
	if (code >= BLOCK_RESERVED && code < BLOCK_RAW)
		*state = ATID_BLOCK_NEWER;
	return NULL;
}

/*
 * Open the array, map or object whose code is before p, and write its head.
 */
static inline const uint8_t *
open_level(unsigned code, const uint8_t *p, const uint8_t *end, RestoreLevel *level, Sink *sink,
		   SinkMode mode, AtidBlockState *state)
{
	uint64_t	count;

	*state = ATID_BLOCK_DAMAGED;
	level->key = NULL;
	if (code >= BLOCK_OBJECT_SHORT)
	{
		AtidBlockObject found;
		const AtidObject *object = &found.object;

		p = atid_block_object(code, p, end, &found, state);
		if (p == NULL)
			return NULL;
		level->key = object->keys;
		level->end = object->keys + object->count;
		level->optional = found.optional;
		level->type = object->type;
		level->left = (uint64_t) (object->count - object->optional + count_bits(found.optional));
		return sink_put_head(sink, mode, MAJOR_MAP, level->left) ? p : NULL;
	}
	if (code < BLOCK_ARRAY)
		count = code - BLOCK_ARRAY_SHORT;
	else
	{
		p = atid_block_varint(p, end, &count);
		if (p == NULL)
			return NULL;
	}
	/* each value takes a byte at least */
	level->left = code == BLOCK_MAP ? 2 * count : count;
	if (level->left > (uint64_t) (end - p))
		return NULL;
	return sink_put_head(sink, mode, code == BLOCK_MAP ? MAJOR_MAP : MAJOR_ARRAY, count) ? p : NULL;
}

/*
 * Walk over a packed value.
 */
static inline AtidBlockState
restore(const uint8_t *packed, size_t packed_len, Sink *sink, SinkMode mode, void (*pause) (void))
{
	const uint8_t *p = packed;
	const uint8_t *end = packed + packed_len;
	RestoreLevel levels[ATID_CBOR_DEPTH_MAX];
	int			depth = 0;
	unsigned	values = 0;
	AtidBlockState state;

	if (atid_block_is_raw(packed, packed_len))
		return sink_put(sink, mode, packed + 1, packed_len - 1) ?
			ATID_BLOCK_OK : ATID_BLOCK_DAMAGED;
	for (;;)
	{
		unsigned	code;

		if (p == end)
			return ATID_BLOCK_DAMAGED;
		code = *p++;
		if (++values % VALUES_AT_ONCE == 0 && pause != NULL)
			pause();
		if (code >= BLOCK_ARRAY_SHORT && code < BLOCK_STRING_SHORT)
		{
			if (depth == ATID_CBOR_DEPTH_MAX)
				return ATID_BLOCK_DAMAGED;
			p = open_level(code, p, end, &levels[depth++], sink, mode, &state);
		}
		else
		{
			p = restore_scalar(code, p, end, sink, mode, &state);
			if (depth > 0 && levels[depth - 1].key == NULL)
				levels[depth - 1].left--;
		}
		if (p == NULL)
			return state;

		/* close levels at their end, and go to the next value of the open one */
		for (; depth > 0; depth--)
		{
			RestoreLevel *level = &levels[depth - 1];

			if (level->key != NULL)
			{
				KeyResult	next = write_key(level, sink, mode);

				if (next == KEY_NO_ROOM)
					return ATID_BLOCK_DAMAGED;
				if (next == KEY_WRITTEN)
					break;
			}
			else if (level->left > 0)
				break;
			if (depth > 1 && levels[depth - 2].key == NULL)
				levels[depth - 2].left--;
		}
		if (depth == 0)
			return p == end ? ATID_BLOCK_OK : ATID_BLOCK_DAMAGED;
	}
}

AtidBlockState
atid_block_len(const uint8_t *packed, size_t packed_len, size_t *len, void (*pause) (void))
{
	Sink		sink = {0, ATID_BLOCK_SIZE_MAX, NULL, NULL};
	AtidBlockState state = restore(packed, packed_len, &sink, SINK_MEASURE, pause);

	*len = sink.len;
	return state;
}

AtidBlockState
atid_block_restore(const uint8_t *packed, size_t packed_len, uint8_t *dst, size_t room,
				   size_t *len, void (*pause) (void))
{
	Sink		sink = {0, room, dst, NULL};
	AtidBlockState state = restore(packed, packed_len, &sink, SINK_WRITE, pause);

	*len = sink.len;
	return state;
}

bool
atid_block_is(const uint8_t *packed, size_t packed_len, const uint8_t *block, size_t len,
			  void (*pause) (void))
{
	Sink		sink = {0, len, NULL, block};

	return restore(packed, packed_len, &sink, SINK_COMPARE, pause) == ATID_BLOCK_OK &&
		sink.len == len;
}
