/*-------------------------------------------------------------------------
 *
 * seek.c
 *		A value within a DAG-CBOR block, found by a path.
 *
 * dagcbor.c has the format, and a reader that checks all of a block.  This one
 * reads the heads of what it passes over and nothing else, and stops at the value
 * that is asked for.  The keys of a map are in order of their length and then of
 * their bytes, so it also stops where a key is greater than the one it looks for.
 *
 * A step means what it means to jsonb's operator #>: in a map it is a key, in an
 * array an integer, which counts from the end if it is negative.  Anything else
 * has no parts.
 *
 * What is checked: heads on the way are in their shortest form, lengths and counts
 * are not beyond the end, keys of the maps on the path are text.  What is not: UTF-8,
 * CIDs, and the order of keys.  So
 *	- in a block that dagcbor.c reads to its end, the value is the one that the path
 *	  leads to;
 *	- so it is in a block with a fault, if the value ends before the fault;
 *	- where this finds a fault, dagcbor.c finds one too, here or before.
 * fuzz/seek.c checks all three.  Whoever uses a value has to read it with the reader
 * of dagcbor.c.
 *
 * Time is linear in the bytes up to the value.  A value that is passed over needs
 * no stack: it is enough to count the items that are still to come.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/seek.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/head.h"

/* So many bytes are fetched ahead: nearly all records have no more. */
#define PREFETCH_MAX	1024

/* So many items are passed over between two pauses. */
#define ITEMS_AT_ONCE	4096

/*
 * Read the head at p.  Returns the byte behind it; or NULL where there is none, or
 * it is not in its shortest form.
 */
static inline const uint8_t *
read_head(const uint8_t *p, const uint8_t *end, unsigned *major, uint64_t *arg)
{
	AtidFault	ignored;

	if (p == end)
		return NULL;
	*major = MAJOR(*p);
	*arg = INFO(*p);
	return *arg < INFO_1_BYTE ? p + 1 : atid_long_head(p, end, arg, &ignored);
}

/*
 * Pass over so many values at p.  Returns the byte behind them, or NULL where they
 * are damaged.
 */
static const uint8_t *
skip_values(const AtidSeek *seek, const uint8_t *p, uint64_t left)
{
	const uint8_t *end = seek->end;
	unsigned	items = 0;

	for (; left > 0; left--)
	{
		unsigned	major;
		uint64_t	arg;

		if (++items % ITEMS_AT_ONCE == 0 && seek->pause != NULL)
			seek->pause();

		/*
		 * nearly all items of a record are texts with a head of one or two
		 * bytes
		 */
		if (end - p > 1 && *p - MAJOR_TEXT * 0x20u < INFO_1_BYTE + 1)
		{
			unsigned	head_len = *p == MAJOR_TEXT * 0x20 + INFO_1_BYTE ? 2 : 1;

			arg = head_len == 2 ? p[1] : INFO(*p);
			if ((head_len == 2 && arg < INFO_1_BYTE) || arg > (uint64_t) (end - p) - head_len)
				return NULL;
			p += head_len + arg;
			continue;
		}

		p = read_head(p, end, &major, &arg);
		if (p == NULL)
			return NULL;
		switch (major)
		{
			case MAJOR_BYTES:
			case MAJOR_TEXT:
				if (arg > (uint64_t) (end - p))
					return NULL;
				p += arg;
				break;
			case MAJOR_MAP:
			case MAJOR_ARRAY:
				if (arg > (uint64_t) (end - p))
					return NULL;
				if (major == MAJOR_MAP)
					arg *= 2;
				/* each item to come is a byte at least, so left stays small */
				if (arg > (uint64_t) (end - p) || left - 1 > (uint64_t) (end - p) - arg)
					return NULL;
				left += arg;
				break;
			case MAJOR_TAG:
				if (arg != ATID_CBOR_TAG_LINK)
					return NULL;
				left++;
				break;
			default:
				/* an integer is all in its head, and so are the three others */
				if (major > MAJOR_NEGATIVE && (arg < SIMPLE_FALSE || arg > SIMPLE_NULL))
					return NULL;
		}
	}
	ATID_ASSERT(p <= end);
	return p;
}

/*
 * Go to the value of a key.
 */
static AtidSeekResult
seek_key(AtidSeek *seek, const uint8_t *p, uint64_t pairs, const char *key, size_t len)
{
	const uint8_t *end = seek->end;
	unsigned	items = 0;

	for (; pairs > 0; pairs--)
	{
		unsigned	major;
		uint64_t	key_len;

		if (++items % ITEMS_AT_ONCE == 0 && seek->pause != NULL)
			seek->pause();

		p = read_head(p, end, &major, &key_len);
		if (p == NULL || major != MAJOR_TEXT || key_len > (uint64_t) (end - p))
			return ATID_SEEK_FAULT;
		if (key_len >= len)
		{
			int			order = key_len > len ? 1 : memcmp(p, key, len);

			if (order > 0)
				break;
			if (order == 0)
			{
				seek->p = p + len;
				return seek->p < end ? ATID_SEEK_FOUND : ATID_SEEK_FAULT;
			}
		}
		p = skip_values(seek, p + key_len, 1);
		if (p == NULL)
			return ATID_SEEK_FAULT;
	}
	seek->p = p;
	return ATID_SEEK_NONE;
}

bool
atid_seek_index(const char *s, size_t len, int64_t *index)
{
	const char *end = s + len;
	bool		negative = false;
	int64_t		value = 0;

	while (s < end && (*s == ' ' || (*s >= '\t' && *s <= '\r')))
		s++;
	if (s < end && (*s == '-' || *s == '+'))
		negative = *s++ == '-';
	if (s == end)
		return false;
	for (; s < end; s++)
	{
		if (*s < '0' || *s > '9')
			return false;
		value = value * 10 + (*s - '0');
		if (value > (int64_t) INT32_MAX + negative)
			return false;
	}
	*index = negative ? -value : value;
	return true;
}

static AtidSeekResult
seek_index(AtidSeek *seek, const uint8_t *p, uint64_t count, const char *step, size_t len)
{
	int64_t		index;

	if (!atid_seek_index(step, len, &index))
		return ATID_SEEK_NONE;
	if (index < 0)
		index += (int64_t) count;
	if (index < 0 || (uint64_t) index >= count)
		return ATID_SEEK_NONE;
	p = skip_values(seek, p, (uint64_t) index);
	if (p == NULL || p == seek->end)
		return ATID_SEEK_FAULT;
	seek->p = p;
	return ATID_SEEK_FOUND;
}

AtidSeekResult
atid_seek_init(AtidSeek *seek, const void *bytes, size_t len)
{
	seek->p = bytes;
	seek->end = seek->p + len;
	seek->depth = 0;
	seek->pause = NULL;

	/*
	 * Each head shows where the next one is, so the processor cannot fetch
	 * ahead by itself.
	 */
#ifdef __GNUC__
	for (size_t i = 64; i < len && i < PREFETCH_MAX; i += 64)
		__builtin_prefetch(seek->p + i);
#endif
	return len > 0 ? ATID_SEEK_FOUND : ATID_SEEK_FAULT;
}

AtidSeekKind
atid_seek_kind(const AtidSeek *seek)
{
	switch (MAJOR(*seek->p))
	{
		case MAJOR_MAP:
			return ATID_SEEK_MAP;
		case MAJOR_ARRAY:
			return ATID_SEEK_ARRAY;
		case MAJOR_TAG:
			return ATID_SEEK_LINK;
		case MAJOR_BYTES:
			return ATID_SEEK_BYTES;
	}
	return ATID_SEEK_OTHER;
}

AtidSeekResult
atid_seek_step(AtidSeek *seek, const char *step, size_t len)
{
	const uint8_t *p;
	unsigned	major;
	uint64_t	arg;

	p = read_head(seek->p, seek->end, &major, &arg);
	if (p == NULL)
		return ATID_SEEK_FAULT;
	if (major != MAJOR_MAP && major != MAJOR_ARRAY)
		return ATID_SEEK_NONE;
	if (seek->depth++ == ATID_CBOR_DEPTH_MAX ||
		arg > (uint64_t) (seek->end - p) / (major == MAJOR_MAP ? 2 : 1))
		return ATID_SEEK_FAULT;
	return major == MAJOR_MAP ? seek_key(seek, p, arg, step, len) :
		seek_index(seek, p, arg, step, len);
}

const uint8_t *
atid_seek_past(const AtidSeek *seek)
{
	return skip_values(seek, seek->p, 1);
}

bool
atid_seek_text(const AtidSeek *seek, const char **text, size_t *len)
{
	unsigned	major;
	uint64_t	arg;
	const uint8_t *p = read_head(seek->p, seek->end, &major, &arg);

	if (p == NULL || major != MAJOR_TEXT || arg > (uint64_t) (seek->end - p))
		return false;
	*text = (const char *) p;
	*len = (size_t) arg;
	return true;
}
