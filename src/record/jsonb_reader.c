/*-------------------------------------------------------------------------
 *
 * jsonb_reader.c
 *		A walk over a jsonb, as the events of the DAG-CBOR that it stands for.
 *
 * The conventions ("JSON Representation"): {"$link": text of a CID} is a link
 * and {"$bytes": base64} a byte string, each with no other key; everything else
 * is itself.  Numbers must be integers of signed 64 bits.
 *
 * Keys come as jsonb keeps them, by length and then by bytes.  That is the order
 * of DAG-CBOR where the server's encoding is UTF-8.  In other encodings keys and
 * texts are converted, and the caller has to sort the keys.
 *
 * The walk reads the jsonb's entries (utils/jsonb.h describes them) without the
 * server's iterator, which makes a JsonbValue of each and costs more than the work
 * on most of them.
 *
 * Memory: the bytes of the largest link or byte string, and three numerics.  In
 * encodings other than UTF-8 also a copy of each key and text that is not ASCII, so
 * a walk can take some five times what the jsonb does.
 *
 * An event points into the jsonb, or to a copy in the caller's memory context.  The
 * bytes of a link or a byte string are overwritten by the next one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/base64.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "codec/ascii.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/multiformat.h"
#include "compat.h"
#include "record/jsonb_reader.h"
#include "utf8.h"

void
atid_jsonb_walk_init(AtidJsonbWalk *walk, const JsonbContainer *root)
{
	memset(walk, 0, offsetof(AtidJsonbWalk, frames));
	walk->root = root;
	walk->utf8 = (GetDatabaseEncoding() == PG_UTF8);
}

static AtidCborEvent
note_fault(AtidJsonbWalk *walk, AtidFault fault)
{
	walk->fault = fault;
	return ATID_CBOR_FAULT;
}

/* The length of an entry's data, which begins at offset. */
static inline uint32
entry_len(JEntry entry, uint32 offset)
{
	return JBE_HAS_OFF(entry) ? JBE_OFFLENFLD(entry) - offset : JBE_OFFLENFLD(entry);
}

/*
 * Convert an item that is a text in another encoding than UTF-8.  Returns false if it has
 * no form there.
 *
 * This and set_number() are kept out of atid_jsonb_next(), which most events pass
 * through: with both in it record_is_valid took 8 % longer.
 */
static pg_noinline bool
convert_text(AtidCborItem *item)
{
	const char *text = (const char *) item->data;
	char	   *utf8;

	if (atid_is_ascii(text, item->len))
		return true;
	if (!atid_has_utf8(text, item->len))
		return false;
	utf8 = pg_server_to_any(text, (int) item->len, PG_UTF8);
	if (utf8 == text)
		return true;

	/* the conversion allocates four times the length; keep only what is used */
	item->len = strlen(utf8);
	item->data = (const uint8_t *) pnstrdup(utf8, item->len);
	pfree(utf8);
	return true;
}

/*
 * Set the item to a text in UTF-8.  Returns false if that cannot be.
 */
static inline bool
set_text(const AtidJsonbWalk *walk, AtidCborItem *item, const char *text, size_t len)
{
	item->data = (const uint8_t *) text;

	item->len = len;
	item->nul = false;			/* jsonb holds no U+0000 */
	return likely(walk->utf8) || convert_text(item);
}

char *
atid_scratch(AtidScratch *scratch, size_t size)
{
	if (scratch->size < size)
	{
		if (scratch->data != NULL)
			pfree(scratch->data);
		scratch->data = palloc_extended(size, MCXT_ALLOC_HUGE);
		scratch->size = size;
	}
	return scratch->data;
}

/*
 * Set the item to an integer; 123.0 and 1e3 are integers.
 */
static pg_noinline AtidCborEvent
set_number(AtidJsonbWalk *walk, AtidCborItem *item, Numeric num)
{
	Datum		n = NumericGetDatum(num);
	int32		value;
	bool		beyond;
	Numeric		back;
	bool		same;

	/*
	 * nearly all have 32 bits and no digits after the point; without this,
	 * record_is_valid took a third longer
	 */
	value = numeric_int4_opt_error(num, &beyond);
	if (!beyond && DatumGetInt32(DirectFunctionCall1(numeric_scale, n)) == 0)
	{
		item->integer = value;
		return ATID_CBOR_INTEGER;
	}

	if (walk->int64_max == 0)
	{
		walk->int64_min = NumericGetDatum(int64_to_numeric(PG_INT64_MIN));
		walk->int64_max = NumericGetDatum(int64_to_numeric(PG_INT64_MAX));
	}
	if (DatumGetBool(DirectFunctionCall2(numeric_lt, n, walk->int64_min)) ||
		DatumGetBool(DirectFunctionCall2(numeric_gt, n, walk->int64_max)))
		return note_fault(walk, ATID_CBOR_RANGE);

	/*
	 * numeric_int8() rounds, so convert back and compare.  Most integers come
	 * back as the same bytes; those with a scale, like 123.0, do not.
	 */
	item->integer = DatumGetInt64(DirectFunctionCall1(numeric_int8, n));
	back = int64_to_numeric(item->integer);
	same = (VARSIZE(back) == VARSIZE(num) &&
			memcmp(back, num, VARSIZE(num)) == 0) ||
		DatumGetBool(DirectFunctionCall2(numeric_eq, n, NumericGetDatum(back)));
	pfree(back);
	if (!same)
		return note_fault(walk, ATID_JSON_FRACTION);
	return ATID_CBOR_INTEGER;
}

AtidFault
atid_json_link(AtidCborItem *item, AtidScratch *scratch)
{
	const char *text = (const char *) item->data;
	size_t		len = item->len;
	uint8_t    *bytes = (uint8_t *) atid_scratch(scratch, atid_cid_bytes_len(len) + 1);
	size_t		at;

	item->data = bytes;
	item->len = atid_cid_bytes_len(len);
	return atid_cid_from_text(text, len, bytes, &at);
}

/* So many characters of base64 are decoded at a time between interrupts. */
#define BASE64_AT_ONCE	(1024 * 1024)

/*
 * Why is a text not base64?  len does not count the padding.
 */
static AtidFault
base64_fault(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		char		c = text[i];

		if (i % BASE64_AT_ONCE == 0)
			CHECK_FOR_INTERRUPTS();
		if (c == '=')
			return ATID_JSON_BYTES_PADDING;
		if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			return ATID_JSON_BYTES_SPACE;
		if (!atid_is_letter(c) && !atid_is_digit(c) && c != '+' && c != '/')
			return ATID_JSON_BYTES_ALPHABET;
	}
	return len % 4 == 1 ? ATID_JSON_BYTES_LENGTH : ATID_JSON_BYTES_PADDING;
}

/*
 * The server's decoder skips white space, so there are fewer bytes than the length
 * demands.  It requires padding, which is added to the last characters.
 */
AtidFault
atid_json_bytes(AtidCborItem *item, AtidScratch *scratch)
{
	const char *chars = (const char *) item->data;
	size_t		len = item->len;
	size_t		whole;
	size_t		done = 0;
	char		last[4] = {'=', '=', '=', '='};
	char	   *bytes;

	while (len > 0 && item->len - len < 2 && chars[len - 1] == '=')
		len--;
	if (len % 4 == 1 || (item->len != len && item->len != (len + 3) / 4 * 4))
		return base64_fault(chars, len);

	bytes = atid_scratch(scratch, (len + 3) / 4 * 3 + 1);
	whole = len / 4 * 4;
	while (done < whole)
	{
		size_t		part = Min(whole - done, BASE64_AT_ONCE);
		size_t		part_bytes = part / 4 * 3;

		CHECK_FOR_INTERRUPTS();
		if (pg_b64_decode(chars + done, (int) part, (void *) (bytes + done / 4 * 3),
						  (int) part_bytes) != (int) part_bytes)
			return base64_fault(chars, len);
		done += part;
	}
	item->len = len / 4 * 3 + len % 4 * 3 / 4;
	if (len > whole)
	{
		memcpy(last, chars + whole, len - whole);
		if (pg_b64_decode(last, 4, (void *) (bytes + whole / 4 * 3), 3) !=
			(int) (item->len - whole / 4 * 3))
			return base64_fault(chars, len);
	}
	item->data = (const uint8_t *) bytes;
	return ATID_OK;
}

/*
 * An object whose only key is "$link" or "$bytes".
 */
static AtidCborEvent
set_special(AtidJsonbWalk *walk, AtidCborItem *item, const JsonbContainer *object, bool link)
{
	JEntry		entry = object->children[1];
	uint32		offset = getJsonbOffset(object, 1);
	AtidFault	fault;

	if (!JBE_ISSTRING(entry))
		return note_fault(walk, link ? ATID_JSON_LINK_TYPE : ATID_JSON_BYTES_TYPE);
	if (!set_text(walk, item, (const char *) &object->children[2] + offset,
				  entry_len(entry, offset)))
		return note_fault(walk, atid_utf8_fault());
	fault = link ? atid_json_link(item, &walk->scratch) :
		atid_json_bytes(item, &walk->scratch);
	if (fault != ATID_OK)
		return note_fault(walk, fault);
	return link ? ATID_CBOR_LINK : ATID_CBOR_BYTES;
}

/*
 * An array or an object begins.
 */
static AtidCborEvent
begin_container(AtidJsonbWalk *walk, AtidCborItem *item, const JsonbContainer *container)
{
	AtidJsonbFrame *frame;
	uint32		count = JsonContainerSize(container);
	bool		object = JsonContainerIsObject(container);

	if (object && count == 1)
	{
		AtidCborItem key = {
			.data = (const uint8_t *) &container->children[2],
			.len = entry_len(container->children[0], 0)
		};

		/* the names are ASCII, so they need no conversion */
		if (atid_cbor_item_is(&key, "$link"))
			return set_special(walk, item, container, true);
		if (atid_cbor_item_is(&key, "$bytes"))
			return set_special(walk, item, container, false);
	}

	if (walk->depth == ATID_CBOR_DEPTH_MAX)
		return note_fault(walk, ATID_CBOR_DEPTH);
	frame = &walk->frames[++walk->depth];
	frame->entries = container->children;
	frame->data = (const char *) &container->children[object ? 2 * count : count];
	frame->count = count;
	frame->next = 0;
	frame->key_offset = 0;
	frame->offset = object && count > 0 ? getJsonbOffset(container, count) : 0;
	frame->object = object;
	frame->at_value = false;

	item->len = count;
	return object ? ATID_CBOR_MAP : ATID_CBOR_ARRAY;
}

/*
 * The next item of an array, or value of an object.
 */
static AtidCborEvent
next_value(AtidJsonbWalk *walk, AtidCborItem *item, AtidJsonbFrame *frame)
{
	JEntry		entry = frame->entries[frame->object ? frame->count + frame->next : frame->next];
	uint32		offset = frame->offset;

	frame->next++;
	frame->at_value = false;
	JBE_ADVANCE_OFFSET(frame->offset, entry);

	switch (entry & JENTRY_TYPEMASK)
	{
		case JENTRY_ISSTRING:
			if (!set_text(walk, item, frame->data + offset, entry_len(entry, offset)))
				return note_fault(walk, atid_utf8_fault());
			return ATID_CBOR_TEXT;
		case JENTRY_ISNUMERIC:
			return set_number(walk, item, (Numeric) (frame->data + INTALIGN(offset)));
		case JENTRY_ISBOOL_FALSE:
			item->integer = 0;
			return ATID_CBOR_BOOL;
		case JENTRY_ISBOOL_TRUE:
			item->integer = 1;
			return ATID_CBOR_BOOL;
		case JENTRY_ISNULL:
			return ATID_CBOR_NULL;
		case JENTRY_ISCONTAINER:
			return begin_container(walk, item,
								   (const JsonbContainer *) (frame->data + INTALIGN(offset)));
	}
	elog(ERROR, "unknown type of jsonb entry: %x", entry);
}

AtidCborEvent
atid_jsonb_next(AtidJsonbWalk *walk, AtidCborItem *item)
{
	AtidJsonbFrame *frame = &walk->frames[walk->depth];

	if (unlikely((++walk->events & 0xFF) == 0))
		CHECK_FOR_INTERRUPTS();

	if (unlikely(walk->depth == 0))
	{
		const JsonbContainer *root = walk->root;

		if (root == NULL)
			return ATID_CBOR_END;
		walk->root = NULL;
		if (!JsonContainerIsScalar(root))
			return begin_container(walk, item, root);

		/* jsonb wraps a scalar on top in an array of one item */
		frame->entries = root->children;
		frame->data = (const char *) &root->children[1];
		frame->count = 1;
		frame->next = 0;
		frame->offset = 0;
		frame->object = false;
	}

	if (frame->next == frame->count)
	{
		walk->depth--;
		return frame->object ? ATID_CBOR_MAP_END : ATID_CBOR_ARRAY_END;
	}

	if (frame->object && !frame->at_value)
	{
		JEntry		entry = frame->entries[frame->next];
		uint32		offset = frame->key_offset;

		frame->at_value = true;
		JBE_ADVANCE_OFFSET(frame->key_offset, entry);
		if (!set_text(walk, item, frame->data + offset, entry_len(entry, offset)))
		{
			walk->fault_in_key = true;
			return note_fault(walk, atid_utf8_fault());
		}
		if (item->len >= 5 && item->data[0] == '$')
		{
			if (atid_cbor_item_is(item, "$link"))
				return note_fault(walk, ATID_JSON_LINK_KEYS);
			if (atid_cbor_item_is(item, "$bytes"))
				return note_fault(walk, ATID_JSON_BYTES_KEYS);
		}
		return ATID_CBOR_KEY;
	}
	return next_value(walk, item, frame);
}

bool
atid_jsonb_type(const AtidJsonbWalk *walk, const char **type, size_t *len)
{
	const AtidJsonbFrame *frame = &walk->frames[walk->depth];
	const JsonbContainer *object = (const JsonbContainer *)
		((const char *) frame->entries - offsetof(JsonbContainer, children));
	uint32		offset = 0;

	for (uint32 i = 0; i < frame->count; i++)
	{
		JEntry		entry = frame->entries[i];
		uint32		key_len = entry_len(entry, offset);
		int			order = key_len < 5 ? -1 : key_len > 5 ? 1 :
			memcmp(frame->data + offset, "$type", 5);

		if (order > 0)
			return false;
		if (order == 0)
		{
			entry = frame->entries[frame->count + i];
			offset = getJsonbOffset(object, (int) (frame->count + i));
			*type = frame->data + offset;
			*len = entry_len(entry, offset);
			return JBE_ISSTRING(entry);
		}
		JBE_ADVANCE_OFFSET(offset, entry);
	}
	return false;
}
