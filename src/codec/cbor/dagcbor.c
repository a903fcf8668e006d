/*-------------------------------------------------------------------------
 *
 * dagcbor.c
 *		DAG-CBOR: a strict reader and a writer, over bytes.
 *
 * Format (RFC 8949; IPLD, "DAG-CBOR"; AT Protocol, "Data Model"): a value is a
 * head and, by its type, what follows.  The head's first byte has a major type in
 * its upper three bits.  The lower five are the argument if it is below 24, or say
 * that it follows in 1, 2, 4 or 8 bytes, big-endian.
 *
 *		0	unsigned integer, the argument itself
 *		1	negative integer, -1 - argument
 *		2	byte string of so many bytes
 *		3	text string of so many bytes of UTF-8
 *		4	array of so many items
 *		5	map of so many pairs of a key and a value
 *		6	tag, of which only 42 is known: the byte string after it is 0x00 and
 *			the bytes of a CID (multiformat.c), a link
 *		7	20 false, 21 true, 22 null
 *
 * A value has one encoding only, so that a record has one CID: heads are as short
 * as possible, no length is indefinite, and the keys of a map are text, each once,
 * ordered by length and then by bytes.  All else is refused.  So a block that is
 * read and written again gives the same bytes; fuzz/dagcbor.c checks it.
 *
 * The protocol allows only integers of 64 bits with a sign, and no floats.  These
 * have faults of their own, which are not faults of the encoding.
 *
 * The reader
 *
 * gives one event for each value, for each key, and for the end of each array
 * and map.  It does not recurse, allocate or copy: the open arrays and maps are in
 * a stack of fixed size in the reader.  Invariants:
 *	- begin <= p <= end, and no byte at or behind end is read;
 *	- a length or count is compared with what is left, as 64 bits, before it is
 *	  used: an item takes at least one byte, a pair two;
 *	- so time is linear in the bytes that are there, whatever they claim;
 *	- while a long text is checked, pause() is called again and again, so that the
 *	  caller can be interrupted.
 *
 * Depth: the specification has no limit.  Bluesky's own Go library declares 32;
 * serde takes 128 by default; @ipld/dag-cbor recurses until its stack ends, near
 * 3,700 levels, and @atcute/cbor has no limit; and the server's jsonb is bounded
 * by max_stack_depth, some thousands of levels at its default.  512 is far above
 * what any record has and below what breaks elsewhere.  The stack takes 16 kB, of
 * which only the used part is touched.
 *
 * The writer
 *
 * writes heads in their shortest form.  Its caller is responsible for all else:
 * the number of items, the order of keys, UTF-8, CIDs, depth.
 *
 * Pure code: no server, no state; the only allocation is the writer's grow().
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/dagcbor.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/cbor/head.h"
#include "codec/cbor/multiformat.h"

/* First bytes of MAJOR_OTHER. */
#define BYTE_FALSE		0xF4
#define BYTE_TRUE		0xF5
#define BYTE_NULL		0xF6
#define BYTE_UNDEFINED	0xF7
#define BYTE_FLOAT_16	0xF9
#define BYTE_FLOAT_64	0xFB
#define BYTE_BREAK		0xFF

/* The longest head: its first byte and an argument of eight. */
#define HEAD_MAX_LEN	9


/*
 * Text
 */

#define ALL_BYTES(x)	(UINT64_C(0x0101010101010101) * (x))

/*
 * Are all bytes of a word ASCII, and none of them zero?  Without bytes above
 * 0x7F, the subtraction borrows exactly where a byte is zero.
 */
static inline bool
plain_word(uint64_t word)
{
	return ((word | (word - ALL_BYTES(0x01))) & ALL_BYTES(0x80)) == 0;
}

static inline uint64_t
load_word(const uint8_t *p)
{
	uint64_t	word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/*
 * Load 1 to 7 bytes into a word.  Some may be there twice, and their order does
 * not matter.
 */
static inline uint64_t
load_short_word(const uint8_t *p, size_t len)
{
	if (len >= 4)
	{
		uint32_t	first;
		uint32_t	last;

		memcpy(&first, p, sizeof(first));
		memcpy(&last, p + len - 4, sizeof(last));
		return (uint64_t) first << 32 | last;
	}
	return ALL_BYTES((uint64_t) ' ') << 24 |
		(uint64_t) p[0] << 16 | (uint64_t) p[len / 2] << 8 | p[len - 1];
}

static inline bool
is_continuation(uint8_t byte)
{
	return (byte & 0xC0) == 0x80;
}

/*
 * The length of the UTF-8 character at p, whose first byte is not ASCII; 0 if
 * it is not valid (RFC 3629 section 4): a lone or missing continuation, an
 * overlong form, a surrogate, or above U+10FFFF.
 */
static inline size_t
multibyte_len(const uint8_t *p, size_t left)
{
	uint8_t		first = p[0];

	if (first < 0xC2)
		return 0;
	if (first < 0xE0)
		return left >= 2 && is_continuation(p[1]) ? 2 : 0;
	if (first < 0xF0)
	{
		if (left < 3 || !is_continuation(p[1]) || !is_continuation(p[2]) ||
			(first == 0xE0 && p[1] < 0xA0) || (first == 0xED && p[1] > 0x9F))
			return 0;
		return 3;
	}
	if (left < 4 || !is_continuation(p[1]) || !is_continuation(p[2]) ||
		!is_continuation(p[3]) || (first == 0xF0 && p[1] < 0x90) ||
		(first == 0xF4 && p[1] > 0x8F) || first > 0xF4)
		return 0;
	return 4;
}

/*
 * Check the characters that begin before stop, in a text that ends at end.
 * Returns the end of the last of them; or, before stop, the first byte that is
 * not UTF-8.  Sets *nul if there is a U+0000.
 */
static const uint8_t *
check_characters(const uint8_t *p, const uint8_t *stop, const uint8_t *end, bool *nul)
{
	while (p < stop)
	{
		size_t		len = 1;

		if (stop - p >= 8 && plain_word(load_word(p)))
			len = 8;
		else if (*p >= 0x80)
		{
			/* such characters come in runs, so stay in this loop */
			while ((len = multibyte_len(p, (size_t) (end - p))) > 0 &&
				   (size_t) (stop - p) > len && p[len] >= 0x80)
				p += len;
			if (len == 0)
				return p;
		}
		else if (*p == 0)
			*nul = true;
		p += len;
	}
	return p;
}

/*
 * Check a long text, with pauses.
 */
static const uint8_t *
check_long_text(const uint8_t *p, size_t len, void (*pause) (void), bool *nul)
{
	const uint8_t *end = p + len;

	*nul = false;
	while (p < end)
	{
		const uint8_t *stop = end - p > ATID_CBOR_TEXT_AT_ONCE ? p + ATID_CBOR_TEXT_AT_ONCE : end;

		if (pause != NULL)
			pause();
		p = check_characters(p, stop, end, nul);
		if (p < stop)
			break;
	}
	return p;
}

/*
 * Check a text.  Most texts are plain ASCII, and most keys are short.
 */
static inline const uint8_t *
check_text(const uint8_t *p, size_t len, bool *nul)
{
	const uint8_t *end = p + len;

	*nul = false;
	if (len < 8)
	{
		if (len == 0 || plain_word(load_short_word(p, len)))
			return end;
	}
	else
	{
		while (end - p > 8 && plain_word(load_word(p)))
			p += 8;
		/* the last word may overlap the one before */
		if (end - p <= 8 && plain_word(load_word(end - 8)))
			return end;
	}
	return check_characters(p, end, end, nul);
}


/*
 * The reader
 */

void
atid_cbor_reader_init(AtidCborReader *reader, const void *bytes, size_t len)
{
	reader->begin = reader->p = reader->at = bytes;
	reader->end = reader->begin + len;
	reader->fault = ATID_OK;
	reader->depth = 0;
	reader->pause = NULL;

	/* the outside is like an array of one item */
	reader->frames[0].left = 1;
	reader->frames[0].map = false;
}

/*
 * Note a fault, after which nothing more is read.
 */
static AtidCborEvent
note_cbor_fault(AtidCborReader *reader, AtidFault fault, const uint8_t *at)
{
	reader->fault = fault;
	reader->at = at;
	reader->depth = 0;
	reader->frames[0].left = 0;
	return ATID_CBOR_FAULT;
}

/*
 * The rest of read_head(): arguments that do not fit into the first byte.
 */
static const uint8_t *
read_long_head(AtidCborReader *reader, const uint8_t *p, uint64_t *arg)
{
	AtidFault	fault;
	const uint8_t *next = atid_long_head(p, reader->end, arg, &fault);

	if (next == NULL)
		note_cbor_fault(reader, fault, fault == ATID_CBOR_ENDS ? reader->end : p);
	return next;
}

/*
 * Read the head at p, which is before the end.  Returns the end of the head; or
 * notes a fault and returns NULL.
 */
static inline const uint8_t *
read_head(AtidCborReader *reader, const uint8_t *p, uint64_t *arg)
{
	if (INFO(*p) >= INFO_1_BYTE)
		return read_long_head(reader, p, arg);
	*arg = INFO(*p);
	return p + 1;
}

/*
 * Take len bytes at p, of a string whose head begins at reader->at.
 */
static inline bool
take_string(AtidCborReader *reader, const uint8_t *p, uint64_t len,
			AtidCborItem *item)
{
	if (len > (uint64_t) (reader->end - p))
	{
		note_cbor_fault(reader, ATID_CBOR_LENGTH, reader->at);
		return false;
	}
	ATID_ASSERT(p > reader->at && reader->at >= reader->begin);
	item->data = p;
	item->len = (size_t) len;
	reader->p = p + len;
	return true;
}

static inline bool
take_text(AtidCborReader *reader, const uint8_t *p, uint64_t len,
		  AtidCborItem *item)
{
	const uint8_t *bad;

	if (!take_string(reader, p, len, item))
		return false;
	if (item->len <= ATID_CBOR_TEXT_AT_ONCE)
		bad = check_text(p, item->len, &item->nul);
	else
		bad = check_long_text(p, item->len, reader->pause, &item->nul);
	if (bad != reader->p)
	{
		note_cbor_fault(reader, ATID_CBOR_UTF8, bad);
		return false;
	}
	return true;
}

/*
 * Open an array or a map of so many items; keys count too.
 */
static inline AtidCborEvent
enter_container(AtidCborReader *reader, const uint8_t *p, size_t items, bool map)
{
	AtidCborFrame *frame;

	if (reader->depth == ATID_CBOR_DEPTH_MAX)
		return note_cbor_fault(reader, ATID_CBOR_DEPTH, reader->at);
	reader->p = p;
	frame = &reader->frames[++reader->depth];
	frame->left = items;
	frame->map = map;
	frame->key = NULL;
	frame->key_len = 0;
	return map ? ATID_CBOR_MAP : ATID_CBOR_ARRAY;
}

/*
 * Close the array or map that has no items left.  Outside of all there must be
 * nothing more.
 */
static inline AtidCborEvent
leave_container(AtidCborReader *reader)
{
	ATID_ASSERT(reader->depth >= 0 && reader->frames[reader->depth].left == 0);
	if (reader->depth > 0)
	{
		reader->at = reader->p;
		return reader->frames[reader->depth--].map ?
			ATID_CBOR_MAP_END : ATID_CBOR_ARRAY_END;
	}
	if (reader->fault != ATID_OK)
		return ATID_CBOR_FAULT;
	if (reader->p < reader->end)
		return note_cbor_fault(reader, ATID_CBOR_TRAILING, reader->p);
	reader->at = reader->p;
	return ATID_CBOR_END;
}

/*
 * Read a map's key, which must be a text that sorts behind the last key.
 */
static inline AtidCborEvent
read_key(AtidCborReader *reader, AtidCborFrame *frame, AtidCborItem *item)
{
	const uint8_t *p = reader->p;
	uint64_t	len;

	if (MAJOR(*p) != MAJOR_TEXT)
		return note_cbor_fault(reader, ATID_CBOR_KEY_TYPE, p);
	p = read_head(reader, p, &len);
	if (p == NULL || !take_text(reader, p, len, item))
		return ATID_CBOR_FAULT;

	if (item->len <= frame->key_len && frame->key != NULL)
	{
		int			order = atid_cbor_key_cmp(frame->key, frame->key_len,
											  item->data, item->len);

		if (order >= 0)
			return note_cbor_fault(reader, order > 0 ? ATID_CBOR_KEY_ORDER : ATID_CBOR_KEY_TWICE,
								   reader->at);
	}
	frame->key = item->data;
	frame->key_len = item->len;
	return ATID_CBOR_KEY;
}

/*
 * Read a link.  p is behind tag 42, at a byte string of 0x00, which says that
 * bytes and no text follow (multibase "identity"), and the bytes of a CID.
 */
static AtidCborEvent
read_link(AtidCborReader *reader, const uint8_t *p, AtidCborItem *item)
{
	const uint8_t *tag = reader->at;
	uint64_t	len;
	AtidCid		cid;
	AtidFault	fault;
	size_t		cid_at;

	if (p == reader->end)
		return note_cbor_fault(reader, ATID_CBOR_ENDS, p);
	if (MAJOR(*p) != MAJOR_BYTES)
		return note_cbor_fault(reader, ATID_CBOR_LINK_TYPE, p);
	reader->at = p;
	p = read_head(reader, p, &len);
	if (p == NULL || !take_string(reader, p, len, item))
		return ATID_CBOR_FAULT;
	if (item->len == 0 || item->data[0] != 0)
		return note_cbor_fault(reader, ATID_CBOR_LINK_PREFIX, p);
	reader->at = tag;

	item->data++;
	item->len--;
	if (atid_cid_is_blessed(item->data, item->len))
		return ATID_CBOR_LINK;
	fault = atid_cid_parse(item->data, item->len, &cid, &cid_at);
	return fault == ATID_OK ? ATID_CBOR_LINK : note_cbor_fault(reader, fault, item->data + cid_at);
}

/*
 * Read a value of major type 7: the booleans and null; all else is refused.
 */
static AtidCborEvent
read_other(AtidCborReader *reader, const uint8_t *p, AtidCborItem *item)
{
	reader->p = p + 1;
	switch (*p)
	{
		case BYTE_FALSE:
		case BYTE_TRUE:
			item->integer = *p == BYTE_TRUE;
			return ATID_CBOR_BOOL;
		case BYTE_NULL:
			return ATID_CBOR_NULL;
		case BYTE_UNDEFINED:
			return note_cbor_fault(reader, ATID_CBOR_UNDEFINED, p);
		case BYTE_BREAK:
			return note_cbor_fault(reader, ATID_CBOR_BREAK, p);
	}
	if (*p < BYTE_FLOAT_16)
		return note_cbor_fault(reader, ATID_CBOR_SIMPLE, p);
	if (*p <= BYTE_FLOAT_64)
		return note_cbor_fault(reader, ATID_CBOR_FLOAT, p);
	return note_cbor_fault(reader, ATID_CBOR_RESERVED, p);
}

AtidCborEvent
atid_cbor_next(AtidCborReader *reader, AtidCborItem *item)
{
	AtidCborFrame *frame = &reader->frames[reader->depth];
	const uint8_t *p = reader->p;
	unsigned	major;
	bool		key;
	uint64_t	arg;

	if (frame->left == 0)
		return leave_container(reader);
	if (p == reader->end)
		return note_cbor_fault(reader, ATID_CBOR_ENDS, p);
	reader->at = p;

	/* if as many keys as values are left, a key comes next */
	key = frame->map && frame->left % 2 == 0;
	frame->left--;
	if (key)
		return read_key(reader, frame, item);

	major = MAJOR(*p);
	if (major == MAJOR_OTHER)
		return read_other(reader, p, item);
	p = read_head(reader, p, &arg);
	if (p == NULL)
		return ATID_CBOR_FAULT;

	switch (major)
	{
		case MAJOR_UNSIGNED:
		case MAJOR_NEGATIVE:
			if (arg > INT64_MAX)
				return note_cbor_fault(reader, ATID_CBOR_RANGE, reader->at);
			item->integer = major == MAJOR_UNSIGNED ? (int64_t) arg : -1 - (int64_t) arg;
			reader->p = p;
			return ATID_CBOR_INTEGER;
		case MAJOR_BYTES:
			return take_string(reader, p, arg, item) ? ATID_CBOR_BYTES : ATID_CBOR_FAULT;
		case MAJOR_TEXT:
			return take_text(reader, p, arg, item) ? ATID_CBOR_TEXT : ATID_CBOR_FAULT;
		case MAJOR_ARRAY:
			if (arg > (uint64_t) (reader->end - p))
				return note_cbor_fault(reader, ATID_CBOR_COUNT, reader->at);
			item->len = (size_t) arg;
			return enter_container(reader, p, item->len, false);
		case MAJOR_MAP:
			if (arg > (uint64_t) (reader->end - p) / 2)
				return note_cbor_fault(reader, ATID_CBOR_COUNT, reader->at);
			item->len = (size_t) arg;
			return enter_container(reader, p, item->len * 2, true);
		default:				/* MAJOR_TAG */
			if (arg != ATID_CBOR_TAG_LINK)
				return note_cbor_fault(reader, ATID_CBOR_TAG, reader->at);
			return read_link(reader, p, item);
	}
}


/*
 * The writer
 */

/*
 * The rest of reserve(): make room.  It doubles, so each byte is moved once on
 * average.
 */
static bool
grow_writer(AtidCborWriter *writer, size_t len)
{
	size_t		new_cap;

	if (writer->fault != ATID_OK)
		return false;
	if (len > ATID_CBOR_SIZE_MAX - writer->len)
		writer->fault = ATID_CBOR_SIZE;
	else
	{
		ATID_ASSERT(writer->len <= writer->cap && writer->cap <= ATID_CBOR_SIZE_MAX);
		new_cap = writer->cap < ATID_CBOR_SIZE_MAX / 2 ? writer->cap * 2 : ATID_CBOR_SIZE_MAX;
		if (new_cap < writer->len + len)
			new_cap = writer->len + len;
		ATID_ASSERT(new_cap <= ATID_CBOR_SIZE_MAX && new_cap > writer->cap);
		if (writer->grow(writer, new_cap))
		{
			ATID_ASSERT(writer->data != NULL && writer->cap >= new_cap);
			return true;
		}
		writer->fault = ATID_NO_MEMORY;
	}

	/* leave no room, so that each later write comes here and is dropped */
	writer->cap = writer->len;
	return false;
}

/*
 * Is there room for len more bytes, or can it be made?
 */
static inline bool
reserve(AtidCborWriter *writer, size_t len)
{
	return len <= writer->cap - writer->len || grow_writer(writer, len);
}

/*
 * Write a head in its shortest form to dst, which has room for HEAD_MAX_LEN
 * bytes.  Returns the end of the head.
 */
static inline uint8_t *
write_head(uint8_t *dst, unsigned major, uint64_t arg)
{
	unsigned	info = INFO_1_BYTE;

	if (arg < INFO_1_BYTE)
	{
		*dst = (uint8_t) (major << 5 | arg);
		return dst + 1;
	}
	while (info < INFO_8_BYTES && arg >> (8 << (info - INFO_1_BYTE)) != 0)
		info++;
	*dst++ = (uint8_t) (major << 5 | info);
	for (int shift = (8 << (info - INFO_1_BYTE)) - 8; shift >= 0; shift -= 8)
		*dst++ = (uint8_t) (arg >> shift);
	return dst;
}

static inline void
put_head(AtidCborWriter *writer, unsigned major, uint64_t arg)
{
	if (reserve(writer, HEAD_MAX_LEN))
		writer->len = (size_t) (write_head(writer->data + writer->len, major, arg) - writer->data);
}

/*
 * Is there room for a string and its heads?  A length that no block can have is
 * not added, as the sum might overflow.
 */
static inline bool
reserve_string(AtidCborWriter *writer, size_t head_len, size_t len)
{
	return reserve(writer, len <= ATID_CBOR_SIZE_MAX ? head_len + len : SIZE_MAX);
}

static inline void
put_string(AtidCborWriter *writer, unsigned major, const void *data, size_t len)
{
	uint8_t    *dst;

	if (!reserve_string(writer, HEAD_MAX_LEN, len))
		return;
	dst = write_head(writer->data + writer->len, major, len);
	if (len > 0)
		memcpy(dst, data, len);
	writer->len = (size_t) (dst - writer->data) + len;
	ATID_ASSERT(writer->len <= writer->cap);
}

void
atid_cbor_put_integer(AtidCborWriter *writer, int64_t value)
{
	if (value < 0)
		put_head(writer, MAJOR_NEGATIVE, (uint64_t) (-1 - value));
	else
		put_head(writer, MAJOR_UNSIGNED, (uint64_t) value);
}

void
atid_cbor_put_bytes(AtidCborWriter *writer, const void *data, size_t len)
{
	put_string(writer, MAJOR_BYTES, data, len);
}

void
atid_cbor_put_text(AtidCborWriter *writer, const void *data, size_t len)
{
	put_string(writer, MAJOR_TEXT, data, len);
}

void
atid_cbor_put_array(AtidCborWriter *writer, size_t items)
{
	put_head(writer, MAJOR_ARRAY, items);
}

void
atid_cbor_put_map(AtidCborWriter *writer, size_t pairs)
{
	put_head(writer, MAJOR_MAP, pairs);
}

void
atid_cbor_put_link(AtidCborWriter *writer, const void *cid, size_t len)
{
	uint8_t    *dst;

	if (!reserve_string(writer, 2 * HEAD_MAX_LEN + 1, len))
		return;
	dst = write_head(writer->data + writer->len, MAJOR_TAG, ATID_CBOR_TAG_LINK);
	dst = write_head(dst, MAJOR_BYTES, len + 1);
	*dst++ = 0;
	memcpy(dst, cid, len);
	writer->len = (size_t) (dst - writer->data) + len;
	ATID_ASSERT(writer->len <= writer->cap);
}

void
atid_cbor_put_bool(AtidCborWriter *writer, bool value)
{
	if (reserve(writer, 1))
		writer->data[writer->len++] = value ? BYTE_TRUE : BYTE_FALSE;
}

void
atid_cbor_put_null(AtidCborWriter *writer)
{
	if (reserve(writer, 1))
		writer->data[writer->len++] = BYTE_NULL;
}


/*
 * Both
 */

int
atid_cbor_key_cmp(const void *a, size_t a_len, const void *b, size_t b_len)
{
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return memcmp(a, b, a_len);
}
