/*-------------------------------------------------------------------------
 *
 * block_pack.c
 *		The packed value of a block.
 *
 * The block is read three times: by dagcbor.c, which says whether it is DAG-CBOR at all; to
 * pack it; and to compare it with what was packed.
 *
 * A map is an object of the dictionary if its "$type" is the name of one; without a "$type",
 * if its property leads to one.  It must have all required keys of that object
 * and no key that the object lacks.  To see that, its keys are read before its values
 * are packed.  So each level of maps costs one more pass over what is in it; that is done
 * for the outermost OBJECT_DEPTH_MAX levels only, so the time is linear in the block.
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
#include "codec/cbor/seek.h"

/* Maps of records nest less than ten levels. */
#define OBJECT_DEPTH_MAX 16

/* So many items are packed between two pauses. */
#define ITEMS_AT_ONCE 4096

/* An open array or map. */
typedef struct PackLevel
{
	uint64_t	left;			/* items to come: values, or keys and values */
	const AtidObjectKey *key;	/* of an object, the next key; NULL: it is
								 * none */
	uint64_t	optional;		/* the bits of its optional keys to come */
	int			object;			/* of an array, what its values are expected
								 * to be */
} PackLevel;

typedef struct Packer
{
	const uint8_t *end;			/* of the block, which is DAG-CBOR */
	uint8_t    *q;				/* the next byte to write */
	uint8_t    *q_end;
	void		(*pause) (void);
	int			depth;
	PackLevel	levels[ATID_CBOR_DEPTH_MAX];
} Packer;

static inline bool
put(Packer *packer, const void *bytes, size_t len)
{
	if (len > (size_t) (packer->q_end - packer->q))
		return false;
	memcpy(packer->q, bytes, len);
	packer->q += len;
	return true;
}

/* A code, and a number of so many bytes. */
static inline bool
put_number(Packer *packer, unsigned code, uint64_t value, size_t len)
{
	if (len + 1 > (size_t) (packer->q_end - packer->q))
		return false;
	*packer->q++ = (uint8_t) code;
	for (size_t i = len; i > 0; i--)
	{
		packer->q[i - 1] = (uint8_t) value;
		value >>= 8;
	}
	packer->q += len;
	return true;
}

/* A code, and a varint of at most 32 bits. */
static bool
put_varint(Packer *packer, unsigned code, uint64_t value)
{
	uint8_t		bytes[1 + BLOCK_VARINT_MAX];
	size_t		len = 0;

	ATID_ASSERT(value <= UINT32_MAX);
	bytes[len++] = (uint8_t) code;
	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (uint8_t) (value | 0x80);
	bytes[len++] = (uint8_t) value;
	return put(packer, bytes, len);
}

static bool
put_integer(Packer *packer, unsigned major, uint64_t value)
{
	size_t		len;

	if (major == MAJOR_NEGATIVE)
	{
		bool		small = value <= UINT8_MAX;

		return put_number(packer, small ? BLOCK_NEGATIVE_8 : BLOCK_NEGATIVE_64, value,
						  small ? 1 : 8);
	}
	if (value <= BLOCK_UNSIGNED_SHORT_MAX)
		return put_number(packer, BLOCK_UNSIGNED_SHORT + (unsigned) value, 0, 0);
	len = value <= UINT8_MAX ? 1 : value <= UINT16_MAX ? 2 : value < 1 << 24 ? 3 :
		value <= UINT32_MAX ? 4 : 8;
	return put_number(packer, BLOCK_UNSIGNED_8 + (unsigned) (len == 8 ? 4 : len - 1), value, len);
}

static bool
put_text(Packer *packer, const uint8_t *text, size_t len)
{
	uint8_t		packed[ATID_BLOCK_TEXT_PACKED_MAX];
	size_t		packed_len = atid_block_text_pack((const char *) text, len, packed);
	bool		done;

	ATID_ASSERT(packed_len <= sizeof(packed));
	if (packed_len > 0)
		return put(packer, packed, packed_len);
	if (len <= BLOCK_TEXT_SHORT_MAX)
		done = put_number(packer, (unsigned) len, 0, 0);
	else if (len <= BLOCK_TEXT_SHORT_MAX + 1 + UINT8_MAX)
		done = put_number(packer, BLOCK_TEXT_8, len - BLOCK_TEXT_SHORT_MAX - 1, 1);
	else
		done = len <= UINT16_MAX ? put_number(packer, BLOCK_TEXT_16, len, 2) :
			put_number(packer, BLOCK_TEXT_32, len, 4);
	return done && put(packer, text, len);
}

/*
 * Read the head of an item at p; the block was checked.
 */
static inline const uint8_t *
read_head(const uint8_t *p, unsigned *major, uint64_t *arg)
{
	*major = MAJOR(*p);
	return atid_checked_head(p, arg);
}

/* The byte behind the item at p. */
static inline const uint8_t *
skip_item(const Packer *packer, const uint8_t *p)
{
	AtidSeek	seek = {p, packer->end, 0, packer->pause};

	p = atid_seek_past(&seek);
	ATID_ASSERT(p != NULL);
	return p;
}

/*
 * The object whose name the "$type" of a map is, of so many pairs at p; NONE if that is
 * none's; "hint" if there is no "$type".  All keys that come before it are shorter.
 */
static int
typed_object(const Packer *packer, const uint8_t *p, uint64_t pairs, int hint)
{
	static const char type[] = "$type";
	const size_t type_len = sizeof(type) - 1;
	unsigned	passed = 0;

	for (; pairs > 0; pairs--)
	{
		unsigned	major;
		uint64_t	len;
		const uint8_t *key = read_head(p, &major, &len);

		p = key + len;
		if (len < type_len)
		{
			p = skip_item(packer, p);
			if (++passed % ITEMS_AT_ONCE == 0 && packer->pause != NULL)
				packer->pause();
			continue;
		}
		if (len == type_len && memcmp(key, type, type_len) == 0)
		{
			const uint8_t *value = read_head(p, &major, &len);
			int			number = major == MAJOR_TEXT ?
				atid_dictionary_find(value, (size_t) len) : ATID_DICTIONARY_NONE;

			return number < 0 ? ATID_DICTIONARY_NONE : atid_dictionary_typed(number);
		}
		break;
	}
	return hint;
}

/*
 * Is a map of so many pairs at p this object?  Then *optional has the optional keys that it
 * has.
 */
static bool
map_is_object(const Packer *packer, const uint8_t *p, uint64_t pairs, const AtidObject *object,
			  uint64_t *optional)
{
	const AtidObjectKey *key = object->keys;
	const AtidObjectKey *end = key + object->count;
	int			bit = 0;

	*optional = 0;
	if (pairs > (uint64_t) object->count)
		return false;
	for (; pairs > 0; pairs--)
	{
		unsigned	major;
		uint64_t	len;
		const uint8_t *str = read_head(p, &major, &len);

		for (;; key++)
		{
			size_t		string_len;
			const char *string;

			if (key == end)
				return false;
			string = atid_dictionary_string(key->string, &string_len);
			if (string_len == len && atid_bytes_equal(string, str, string_len))
				break;
			/* keys of both are in the same order */
			if (key->required || string_len > len)
				return false;
			bit++;
		}
		if (!key->required)
			*optional |= UINT64_C(1) << bit++;
		p = skip_item(packer, str + len);
		key++;
	}
	for (; key < end; key++)
		if (key->required)
			return false;
	return true;
}

static bool
put_object(Packer *packer, int number, const AtidObject *object, uint64_t optional)
{
	unsigned	odd = optional != 0 ? 1 : 0;
	bool		done;

	if (number < BLOCK_OBJECTS_SHORT)
		done = put_number(packer, BLOCK_OBJECT_SHORT + 2 * (unsigned) number + odd, 0, 0);
	else if (number - BLOCK_OBJECTS_SHORT < BLOCK_OBJECTS_8)
		done = put_number(packer, BLOCK_OBJECT + odd, (uint64_t) (number - BLOCK_OBJECTS_SHORT), 1);
	else
		done = put_number(packer, BLOCK_OBJECT + odd,
						  (uint64_t) (number - BLOCK_OBJECTS_SHORT - BLOCK_OBJECTS_8) +
						  (BLOCK_OBJECTS_8 << 8), 2);
	for (int i = 0; done && odd && i < (object->optional + 7) / 8; i++)
		done = put_number(packer, (unsigned) (optional >> 8 * i & 0xFF), 0, 0);
	return done;
}

/*
 * Open a level of so many items, of which an array's are expected to be an object.
 */
static PackLevel *
open_level(Packer *packer, uint64_t count, int object)
{
	PackLevel  *level = &packer->levels[packer->depth++];

	level->left = count;
	level->key = NULL;
	level->optional = 0;
	level->object = object;
	return level;
}

/*
 * Open a map of so many pairs at p.
 */
static bool
open_map(Packer *packer, const uint8_t *p, uint64_t pairs, int hint)
{
	PackLevel  *level = open_level(packer, 2 * pairs, ATID_DICTIONARY_NONE);

	if (packer->depth <= OBJECT_DEPTH_MAX)
	{
		int			number = typed_object(packer, p, pairs, hint);

		if (number >= 0)
		{
			AtidObject	object = atid_dictionary_object(number);
			uint64_t	optional;

			if (map_is_object(packer, p, pairs, &object, &optional))
			{
				level->key = object.keys;
				level->optional = optional;
				return put_object(packer, number, &object, optional);
			}
		}
	}
	return put_varint(packer, BLOCK_MAP, pairs);
}

static bool
open_array(Packer *packer, uint64_t count, int hint)
{
	open_level(packer, count, hint);
	return count <= BLOCK_ARRAY_SHORT_MAX ?
		put_number(packer, BLOCK_ARRAY_SHORT + (unsigned) count, 0, 0) :
		put_varint(packer, BLOCK_ARRAY, count);
}

/*
 * A link, of which p is behind the tag.  Returns the byte behind it; NULL where there is no
 * room.
 */
static const uint8_t *
pack_link(Packer *packer, const uint8_t *p)
{
	unsigned	major;
	uint64_t	len;
	const uint8_t *cid = read_head(p, &major, &len) + 1;	/* behind the zero byte */

	len--;
	p = cid + len;
	if (atid_cid_is_blessed(cid, (size_t) len))
	{
		unsigned	code = cid[1] == ATID_CODEC_RAW ? BLOCK_LINK_RAW : BLOCK_LINK_CBOR;

		return put_number(packer, code, 0, 0) && put(packer, cid + 4, ATID_SHA2_256_LEN) ? p : NULL;
	}
	return len <= UINT8_MAX && put_number(packer, BLOCK_LINK_OTHER, len, 1) &&
		put(packer, cid, (size_t) len) ? p : NULL;
}

/*
 * The next key that an object has.
 */
static inline const AtidObjectKey *
next_key(PackLevel *level)
{
	const AtidObjectKey *key;

	do
		key = level->key++;
	while (!atid_block_has_key(key, &level->optional));
	return key;
}

/*
 * Pack the value at p, which is expected to be an object.  Returns the byte behind its head,
 * or behind all of it where it is no array and no map; NULL where there is no room.
 */
static inline const uint8_t *
pack_value(Packer *packer, const uint8_t *p, int hint)
{
	unsigned	major;
	uint64_t	arg;
	unsigned	first = *p;
	bool		done;

	p = read_head(p, &major, &arg);
	switch (major)
	{
		case MAJOR_TEXT:
			return put_text(packer, p, (size_t) arg) ? p + arg : NULL;
		case MAJOR_MAP:
			return open_map(packer, p, arg, hint) ? p : NULL;
		case MAJOR_ARRAY:
			return open_array(packer, arg, hint) ? p : NULL;
		case MAJOR_TAG:
			return pack_link(packer, p);
		case MAJOR_BYTES:
			done = arg <= UINT8_MAX ? put_number(packer, BLOCK_BYTES_8, arg, 1) :
				put_number(packer, BLOCK_BYTES_32, arg, 4);
			return done && put(packer, p, (size_t) arg) ? p + arg : NULL;
		case MAJOR_OTHER:
			done = put_number(packer, first == 0xF5 ? BLOCK_TRUE : first == 0xF4 ? BLOCK_FALSE :
							  BLOCK_NULL, 0, 0);
			return done ? p : NULL;
	}
	return put_integer(packer, major, arg) ? p : NULL;
}

/*
 * Go from behind a value, p, to the next one that is packed, and set what it is expected to be.
 * Keys of an object are not packed, and neither is its type.  NULL: that was the last one.
 */
static inline const uint8_t *
next_value(Packer *packer, const uint8_t *p, int *hint)
{
	for (;;)
	{
		PackLevel  *level;
		const AtidObjectKey *key;
		unsigned	major;
		uint64_t	len;

		while (packer->depth > 0 && packer->levels[packer->depth - 1].left == 0)
			packer->depth--;
		if (packer->depth == 0)
		{
			ATID_ASSERT(p == packer->end);
			return NULL;
		}
		level = &packer->levels[packer->depth - 1];
		level->left--;
		*hint = level->object;
		if (level->key == NULL)
			return p;
		key = next_key(level);
		p = read_head(p, &major, &len) + len;
		*hint = key->object;
		level->left--;
		if (!key->constant)
			return p;
		p = skip_item(packer, p);
	}
}

/*
 * Pack the block at p.  Returns false where the packed value would be longer than it.
 */
static bool
pack(Packer *packer, const uint8_t *p)
{
	unsigned	items = 0;
	int			hint = ATID_DICTIONARY_NONE;

	packer->depth = 0;
	while (p != NULL)
	{
		p = pack_value(packer, p, hint);
		if (p == NULL)
			return false;
		if (++items % ITEMS_AT_ONCE == 0 && packer->pause != NULL)
			packer->pause();
		p = next_value(packer, p, &hint);
	}
	return true;
}

size_t
atid_block_pack(const void *block, size_t len, uint8_t *dst, void (*pause) (void))
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	Packer		packer;
	unsigned	items = 0;

	ATID_ASSERT(len <= ATID_BLOCK_SIZE_MAX);
	atid_cbor_reader_init(&reader, block, len);
	reader.pause = pause;
	do
	{
		event = atid_cbor_next(&reader, &item);
		if (++items % ITEMS_AT_ONCE == 0 && pause != NULL)
			pause();
	} while (event != ATID_CBOR_END && event != ATID_CBOR_FAULT);

	if (event == ATID_CBOR_END)
	{
		packer.end = (const uint8_t *) block + len;
		packer.q = dst;
		packer.q_end = dst + len;
		packer.pause = pause;
		if (pack(&packer, block) &&
			atid_block_is(dst, (size_t) (packer.q - dst), block, len, pause))
			return (size_t) (packer.q - dst);
	}
	dst[0] = BLOCK_RAW;
	memcpy(dst + 1, block, len);
	return len + 1;
}
