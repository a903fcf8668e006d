/*-------------------------------------------------------------------------
 * dagcbor.c
 *		A block that is read and written anew has the same bytes; the reader agrees
 *		with one that is written in another way; a fault has a place in the block.
 *
 * The same bytes show that the reader insists on shortest forms, definite lengths
 * and nothing behind the value.  The other reader checks UTF-8, the order of keys and
 * CIDs, and that nothing good is refused.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/dagcbor.h"

#include <string.h>

#include "fuzz.h"
#include "reference.h"

/*
 * The format in another way: a recursive function, which wants each argument as
 * it would be written.
 */
typedef struct Rest
{
	const uint8_t *p;
	size_t		len;
} Rest;

static bool
reference_head(Rest *rest, unsigned *major, uint64_t *arg)
{
	static const uint64_t least[4] = {24, 0x100, 0x10000, 0x100000000};
	unsigned	info;
	size_t		n;

	if (rest->len < 1)
		return false;
	*major = rest->p[0] / 32;
	info = rest->p[0] % 32;
	if (info > 27)
		return false;
	n = info < 24 ? 0 : (size_t) 1 << (info - 24);
	if (rest->len < 1 + n)
		return false;
	*arg = info;
	if (n > 0)
	{
		*arg = 0;
		for (size_t i = 1; i <= n; i++)
			*arg = *arg * 256 + rest->p[i];
		if (*arg < least[info - 24])
			return false;
	}
	rest->p += 1 + n;
	rest->len -= 1 + n;
	return true;
}

static bool
reference_utf8(const uint8_t *s, size_t len)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t		n;

	for (; len > 0; s += n, len -= n)
	{
		uint32_t	c = s[0];

		n = c < 0x80 ? 1 : c / 32 == 6 ? 2 : c / 16 == 14 ? 3 : c / 8 == 30 ? 4 : 0;
		if (n == 0 || n > len)
			return false;
		c = n == 1 ? c : c % (1u << (7 - n));
		for (size_t i = 1; i < n; i++)
		{
			if (s[i] / 64 != 2)
				return false;
			c = c * 64 + s[i] % 64;
		}
		if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
			return false;
	}
	return true;
}

static bool
reference_string(Rest *rest, uint64_t len, Rest *string)
{
	if (len > rest->len)
		return false;
	string->p = rest->p;
	string->len = (size_t) len;
	rest->p += len;
	rest->len -= len;
	return true;
}

static bool
reference_before(Rest a, Rest b)
{
	if (a.len != b.len)
		return a.len < b.len;
	for (size_t i = 0; i < a.len; i++)
		if (a.p[i] != b.p[i])
			return a.p[i] < b.p[i];
	return false;
}

static bool
reference_value(Rest *rest, int depth)
{
	unsigned	major;
	uint64_t	arg;
	Rest		string;
	Rest		last = {NULL, 0};

	/* these have no argument */
	if (rest->len > 0 && rest->p[0] >= 0xE0)
	{
		bool		known = rest->p[0] >= 0xF4 && rest->p[0] <= 0xF6;

		rest->p++;
		rest->len--;
		return known;
	}
	if (!reference_head(rest, &major, &arg))
		return false;
	switch (major)
	{
		case 0:
		case 1:
			return arg < (uint64_t) 1 << 63;
		case 2:
			return reference_string(rest, arg, &string);
		case 3:
			return reference_string(rest, arg, &string) && reference_utf8(string.p, string.len);
		case 4:
			if (depth == ATID_CBOR_DEPTH_MAX)
				return false;
			for (uint64_t i = 0; i < arg; i++)
				if (!reference_value(rest, depth + 1))
					return false;
			return true;
		case 5:
			if (depth == ATID_CBOR_DEPTH_MAX)
				return false;
			for (uint64_t i = 0; i < arg; i++)
			{
				uint64_t	len;

				if (!reference_head(rest, &major, &len) || major != 3 ||
					!reference_string(rest, len, &string) ||
					!reference_utf8(string.p, string.len) ||
					(i > 0 && !reference_before(last, string)) ||
					!reference_value(rest, depth + 1))
					return false;
				last = string;
			}
			return true;
		case 6:
			return arg == 42 && reference_head(rest, &major, &arg) && major == 2 &&
				reference_string(rest, arg, &string) && string.len > 0 &&
				string.p[0] == 0 && reference_cid(string.p + 1, string.len - 1);
	}
	return false;
}

static bool
grow(AtidCborWriter *writer, size_t new_cap)
{
	uint8_t    *data = realloc(writer->data, new_cap);

	CLAIM(data != NULL && new_cap > writer->cap);
	writer->data = data;
	writer->cap = new_cap;
	return true;
}

/* Write an item anew, and check that its data is in the block. */
static void
write_item(AtidCborWriter *writer, AtidCborEvent event, const AtidCborItem *item,
		   const uint8_t *data, size_t size)
{
	switch (event)
	{
		case ATID_CBOR_BYTES:
		case ATID_CBOR_TEXT:
		case ATID_CBOR_KEY:
		case ATID_CBOR_LINK:
			CLAIM(item->data > data && item->len <= size &&
				  item->data + item->len <= data + size);
			break;
		default:
			break;
	}
	switch (event)
	{
		case ATID_CBOR_INTEGER:
			atid_cbor_put_integer(writer, item->integer);
			break;
		case ATID_CBOR_BYTES:
			atid_cbor_put_bytes(writer, item->data, item->len);
			break;
		case ATID_CBOR_TEXT:
		case ATID_CBOR_KEY:
			CLAIM(item->nul == (item->len > 0 && memchr(item->data, 0, item->len) != NULL));
			atid_cbor_put_text(writer, item->data, item->len);
			break;
		case ATID_CBOR_LINK:
			atid_cbor_put_link(writer, item->data, item->len);
			break;
		case ATID_CBOR_BOOL:
			CLAIM(item->integer == 0 || item->integer == 1);
			atid_cbor_put_bool(writer, item->integer != 0);
			break;
		case ATID_CBOR_NULL:
			atid_cbor_put_null(writer);
			break;
		case ATID_CBOR_ARRAY:
			CLAIM(item->len <= size);
			atid_cbor_put_array(writer, item->len);
			break;
		case ATID_CBOR_MAP:
			CLAIM(item->len <= size / 2);
			atid_cbor_put_map(writer, item->len);
			break;
		case ATID_CBOR_ARRAY_END:
		case ATID_CBOR_MAP_END:
		case ATID_CBOR_FAULT:
		case ATID_CBOR_END:
			break;
	}
}

typedef struct Bytes
{
	const uint8_t *data;
	size_t		size;
} Bytes;

static bool
grow_or_fail(AtidCborWriter *writer, size_t new_cap)
{
	uint8_t    *data = failing_memory(writer->arg, writer->data, new_cap);

	if (data == NULL)
		return false;
	writer->data = data;
	writer->cap = new_cap;
	return true;
}

/*
 * Write the block with memory that may fail.  What was written before a failure stays.
 */
static AtidFault
write_or_fail(void *arg, Failing *memory)
{
	static AtidCborReader reader;
	const Bytes *bytes = arg;
	AtidCborWriter writer = {.grow = grow_or_fail,.arg = memory};
	AtidCborItem item;
	AtidCborEvent event;

	atid_cbor_reader_init(&reader, bytes->data, bytes->size);
	while ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
		write_item(&writer, event, &item, bytes->data, bytes->size);
	CLAIM(writer.len <= bytes->size &&
		  (writer.len == 0 || memcmp(writer.data, bytes->data, writer.len) == 0));
	if (writer.data != NULL)
		failing_memory(memory, writer.data, 0);
	return writer.fault;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static AtidCborReader reader;
	AtidCborWriter writer = {.grow = grow};
	AtidCborItem item;
	AtidCborEvent event;
	Rest		rest = {data, size};
	size_t		events = 0;
	size_t		at = 0;

	atid_cbor_reader_init(&reader, data, size);
	do
	{
		event = atid_cbor_next(&reader, &item);
		write_item(&writer, event, &item, data, size);

		/* places never go back; an item has at least one byte, its end has none */
		CLAIM(event == ATID_CBOR_FAULT || atid_cbor_offset(&reader) >= at);
		at = atid_cbor_offset(&reader);
		CLAIM(at <= size && ++events <= 2 * size + 1);
		CLAIM(reader.depth >= 0 && reader.depth <= ATID_CBOR_DEPTH_MAX);
	} while (event != ATID_CBOR_FAULT && event != ATID_CBOR_END);

	CLAIM(writer.fault == ATID_OK);
	CLAIM((event == ATID_CBOR_END) == (reference_value(&rest, 0) && rest.len == 0));
	if (event == ATID_CBOR_END)
	{
		CLAIM(reader.fault == ATID_OK && at == size);
		CLAIM(writer.len == size && memcmp(writer.data, data, size) == 0);
		claim_fails_cleanly(write_or_fail, &(Bytes) {data, size}, size);
	}
	else
	{
		CLAIM(reader.fault != ATID_OK);
		CLAIM(reader.fault < ATID_FAULTS);
	}
	CLAIM(atid_cbor_next(&reader, &item) == event);
	free(writer.data);
	return 0;
}
