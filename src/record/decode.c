/*-------------------------------------------------------------------------
 *
 * decode.c
 *		The jsonb, or the JSON text, of a DAG-CBOR block.
 *
 * Some blocks have no JSON, and some have JSON but no jsonb.  Errors come in this
 * order, wherever in the block the faults lie: the block is not DAG-CBOR; it has no
 * JSON; it has no jsonb, and the hint names the function that gives json.
 *
 * Memory: the server builds a jsonb from pieces.  Many small arrays, maps, links or
 * byte strings take some hundred times what the block does, so a build of more than
 * BUILD_MAX is refused.  In addition there are the block and the jsonb, whose size the
 * server limits.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/base64.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "codec/cbor/dagcbor.h"
#include "codec/cbor/multiformat.h"
#include "compat.h"
#include "error.h"
#include "jsonbuild.h"
#include "record/decode.h"
#include "record/encode.h"
#include "record/inspector.h"
#include "record/jsonb_reader.h"
#include "utf8.h"

void
atid_block_reader_init(AtidCborReader *reader, bytea *block)
{
	atid_cbor_reader_init(reader, VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block));
	reader->pause = atid_check_for_interrupts;
}

bool
atid_block_read_rest(AtidCborReader *reader)
{
	AtidCborItem item;
	AtidCborEvent event;
	uint64		events = 0;

	do
	{
		if ((++events & 0xFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		event = atid_cbor_next(reader, &item);
	} while (event != ATID_CBOR_END && event != ATID_CBOR_FAULT);
	return event == ATID_CBOR_END;
}

char *
atid_block_problem(const AtidCborReader *reader)
{
	return atid_fault_at_byte(reader->fault, atid_cbor_offset(reader));
}

void
atid_refuse_block(const AtidCborReader *reader)
{
	if (reader->fault == ATID_CBOR_DEPTH)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("DAG-CBOR is nested too deep"),
				 errdetail("%s", atid_block_problem(reader))));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid DAG-CBOR"),
			 errdetail("%s", atid_block_problem(reader))));
}

/*
 * Does JSON use this key for a link or bytes?  A map with it would be read back as
 * one of them.
 */
static bool
is_special_key(const AtidCborItem *item)
{
	return atid_cbor_item_is(item, "$link") || atid_cbor_item_is(item, "$bytes");
}

/*
 * The reader is at a key that JSON cannot have.
 */
pg_noreturn static void
refuse_special_key(AtidCborReader *reader, const AtidCborItem *item)
{
	size_t		at = atid_cbor_offset(reader);

	if (!atid_block_read_rest(reader))
		atid_refuse_block(reader);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("block cannot be expressed as JSON"),
			 errdetail("At byte %zu: A map must not have the key \"%.*s\", which in JSON stands for something else.",
					   at, (int) item->len, (const char *) item->data)));
}

/*
 * The reader is at something that jsonb cannot hold.  Read on, and raise an error if
 * the block has no JSON either.
 */
static void
check_rest_has_json(AtidCborReader *reader)
{
	AtidCborItem item;
	AtidCborEvent event;
	uint64		events = 0;

	while ((event = atid_cbor_next(reader, &item)) != ATID_CBOR_END)
	{
		if ((++events & 0xFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (event == ATID_CBOR_FAULT)
			atid_refuse_block(reader);
		if (event == ATID_CBOR_KEY && is_special_key(&item))
			refuse_special_key(reader, &item);
	}
}

/*
 * The base64 of bytes, without padding, line breaks and a terminator.  It is made
 * in parts, so that a cancel can end it.
 */
static char *
base64_text(const uint8_t *bytes, size_t len, size_t *text_len)
{
	size_t		room = (len + 2) / 3 * 4;
	char	   *chars = palloc(room + 1);
	char	   *end = chars;

	while (len > 0)
	{
		size_t		part = Min(len, 3 * 256 * 1024);

		CHECK_FOR_INTERRUPTS();
		end += pg_b64_encode((const void *) bytes, (int) part, end, (int) (chars + room - end));
		bytes += part;
		len -= part;
	}
	while (end > chars && end[-1] == '=')
		end--;
	*text_len = (size_t) (end - chars);
	return chars;
}

char *
atid_text_of_special(AtidCborReader *reader, AtidCborEvent event, const AtidCborItem *item,
					 size_t *len)
{
	char	   *chars;

	if (item->len > ATID_SPECIAL_MAX)
	{
		size_t		at = atid_cbor_offset(reader);
		size_t		bytes = item->len;

		if (!atid_block_read_rest(reader))
			atid_refuse_block(reader);
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("block cannot be expressed as JSON"),
				 errdetail("At byte %zu: A byte string or a link must have at most %zu bytes for JSON, not %zu.",
						   at, ATID_SPECIAL_MAX, bytes)));
	}
	if (event == ATID_CBOR_LINK)
	{
		*len = atid_cid_text_len(item->len);
		chars = palloc(*len);
		atid_cid_to_text(item->data, item->len, chars);
		return chars;
	}

	return base64_text(item->data, item->len, len);
}

/*
 * Append the JSON of all that a reader reads, in UTF-8.  Returns ATID_CBOR_END; or the event
 * that has no JSON: ATID_CBOR_FAULT, or ATID_CBOR_KEY for a key that JSON cannot have.
 *
 * With as_text it is spaced as the server prints jsonb, and nothing is raised: the event that
 * could lack room is returned too.  Each of its bytes becomes six at most.
 */
static AtidCborEvent
append_json(StringInfo buf, AtidCborReader *reader, bool as_text, AtidCborItem *item)
{
	const size_t scalar_max = 32;
	AtidCborEvent event;
	bool		comma = false;
	uint64		events = 0;
	char	   *chars;
	size_t		len;

	while ((event = atid_cbor_next(reader, item)) != ATID_CBOR_END)
	{
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (event == ATID_CBOR_FAULT || (event == ATID_CBOR_KEY && is_special_key(item)))
			return event;
		if (as_text &&
			(size_t) (reader->p - reader->at) + scalar_max > (MaxAllocSize - (size_t) buf->len) / 6)
			return event;
		if (comma && event != ATID_CBOR_ARRAY_END && event != ATID_CBOR_MAP_END)
			appendBinaryStringInfo(buf, ", ", as_text ? 2 : 1);
		comma = true;

		switch (event)
		{
			case ATID_CBOR_INTEGER:
				appendStringInfo(buf, INT64_FORMAT, item->integer);
				break;
			case ATID_CBOR_TEXT:
				atid_append_json_string(buf, (const char *) item->data, item->len);
				break;
			case ATID_CBOR_KEY:
				atid_append_json_string(buf, (const char *) item->data, item->len);
				appendBinaryStringInfo(buf, ": ", as_text ? 2 : 1);
				comma = false;
				break;
			case ATID_CBOR_LINK:
			case ATID_CBOR_BYTES:
				appendStringInfo(buf, "{\"%s\":%s\"", event == ATID_CBOR_LINK ? "$link" : "$bytes",
								 as_text ? " " : "");
				chars = atid_text_of_special(reader, event, item, &len);
				appendBinaryStringInfo(buf, chars, (int) len);
				pfree(chars);
				appendStringInfoString(buf, "\"}");
				break;
			case ATID_CBOR_BOOL:
				appendStringInfoString(buf, item->integer ? "true" : "false");
				break;
			case ATID_CBOR_NULL:
				appendStringInfoString(buf, "null");
				break;
			case ATID_CBOR_ARRAY:
				appendStringInfoCharMacro(buf, '[');
				comma = false;
				break;
			case ATID_CBOR_ARRAY_END:
				appendStringInfoCharMacro(buf, ']');
				break;
			case ATID_CBOR_MAP:
				appendStringInfoCharMacro(buf, '{');
				comma = false;
				break;
			case ATID_CBOR_MAP_END:
				appendStringInfoCharMacro(buf, '}');
				break;
			case ATID_CBOR_FAULT:
			case ATID_CBOR_END:
				break;
		}
	}
	return event;
}

void
atid_append_json_of_block(StringInfo buf, bytea *block)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;

	atid_block_reader_init(&reader, block);
	event = append_json(buf, &reader, false, &item);
	if (event == ATID_CBOR_FAULT)
		atid_refuse_block(&reader);
	if (event != ATID_CBOR_END)
		refuse_special_key(&reader, &item);
}

text *
atid_try_json_text(AtidCborReader *reader)
{
	AtidCborItem item;
	StringInfoData buf;
	text	   *result;

	initStringInfo(&buf);
	appendStringInfoSpaces(&buf, VARHDRSZ);
	if (append_json(&buf, reader, true, &item) != ATID_CBOR_END)
	{
		pfree(buf.data);
		return NULL;
	}
	if (GetDatabaseEncoding() == PG_UTF8)
	{
		SET_VARSIZE(buf.data, buf.len);
		return (text *) buf.data;
	}
	result = atid_text_from_utf8(buf.data + VARHDRSZ, (size_t) buf.len - VARHDRSZ);
	pfree(buf.data);
	return result;
}

text *
atid_json_of_block(bytea *block)
{
	StringInfoData buf;

	initStringInfo(&buf);
	atid_append_json_of_block(&buf, block);
	if (GetDatabaseEncoding() == PG_UTF8)
		return cstring_to_text_with_len(buf.data, buf.len);
	return cstring_to_text(pg_any_to_server(buf.data, buf.len, PG_UTF8));
}

/*
 * The memory that a jsonb can take while it is built.  The server takes some
 * hundred bytes for an array or an object, even an empty one of a single byte; so
 * a block of some megabytes could ask for all the memory there is.
 */
#define BUILD_MAX		(UINT64CONST(2) * 1024 * 1024 * 1024)

/* Why a value has no jsonb. */
typedef enum NoJsonb
{
	DAMAGED,					/* the block, where the reader is */
	NO_MEMORY,					/* building it takes too much */
	NO_ROOM,					/* of an array or a map that is so long */
	NO_NUL,						/* a text or a key has a U+0000 */
	NO_EQUIVALENT,				/* of a text or a key in the server's encoding */
	NO_SPECIAL_KEY,				/* a key that JSON has for links and bytes */
	NO_SPECIAL_TEXT,			/* of a link or bytes that are so long */
	NO_SIZE,					/* the whole is too large */
	NO_WAY_BACK					/* the jsonb is that of another block */
} NoJsonb;

/* A value of which a jsonb is built. */
typedef struct Build
{
	AtidCborReader reader;
	AtidCborEvent event;		/* read last */
	AtidCborItem item;
	AtidJsonbBuilder builder;
	Size		before;			/* what the context had allocated */
	size_t		room;			/* for items of an array or pairs of a map */
	JsonbValue	scalar;			/* the last one */
	JsonbValue *built;			/* the whole */
	NoJsonb		why;			/* where there is none */
} Build;

static bool
no_jsonb(Build *build, NoJsonb why)
{
	build->why = why;
	return false;
}

/*
 * Raise the error for a value that has no jsonb.  The reader is where that was found; it reads
 * on, since a fault of the block comes first, and then what has no JSON either.
 */
pg_noreturn static void
refuse_jsonb(Build *build)
{
	const AtidCborItem *item = &build->item;
	size_t		at = atid_cbor_offset(&build->reader);
	size_t		len;

	switch (build->why)
	{
		case DAMAGED:
			atid_refuse_block(&build->reader);
			break;
		case NO_SIZE:
			/* the server's own error */
			(void) JsonbValueToJsonb(build->built);
			break;
		case NO_MEMORY:
			check_rest_has_json(&build->reader);
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("block cannot be expressed as jsonb"),
					 errdetail("At byte %zu: A jsonb must take at most 2 GB to build, and up to here it would take more.",
							   at),
					 errhint("Use %s.", "atid.dag_cbor_to_json")));
			break;
		case NO_ROOM:
			check_rest_has_json(&build->reader);
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("block cannot be expressed as jsonb"),
					 errdetail("At byte %zu: An array or map must have at most %zu items for jsonb, not %zu.",
							   at, build->room, item->len),
					 errhint("Use %s.", "atid.dag_cbor_to_json")));
			break;
		case NO_NUL:
			check_rest_has_json(&build->reader);
			ereport(ERROR,
					(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
					 errmsg("block cannot be expressed as jsonb"),
					 errdetail("At byte %zu: A text must not contain U+0000, which jsonb cannot hold.",
							   at),
					 errhint("Use %s.", "atid.dag_cbor_to_json")));
			break;
		case NO_WAY_BACK:
			ereport(ERROR,
					(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
					 errmsg("block cannot be expressed as jsonb"),
					 errdetail("A block must not have characters that the encoding \"%s\" does not tell apart.",
							   GetDatabaseEncodingName())));
			break;
		case NO_EQUIVALENT:
			/* the server's own error */
			(void) pg_any_to_server((const char *) item->data, (int) item->len, PG_UTF8);
			break;
		case NO_SPECIAL_KEY:
			refuse_special_key(&build->reader, item);
			break;
		case NO_SPECIAL_TEXT:
			(void) atid_text_of_special(&build->reader, build->event, item, &len);
			break;
	}
	elog(ERROR, "a value that has a jsonb was refused");
}

/*
 * Can the server build an array or map of so many items or pairs, of this size each?  It
 * keeps them in one piece of memory, which doubles from four on.
 */
static bool
check_count(Build *build, size_t size)
{
	build->room = 4;
	while (build->room < build->item.len && build->room * 2 * size <= MaxAllocSize)
		build->room *= 2;
	return build->item.len <= build->room || no_jsonb(build, NO_ROOM);
}

/*
 * A text for jsonb, in the server's encoding; it can point into the block.
 */
static bool
set_jsonb_string(JsonbValue *v, Build *build)
{
	char	   *chars = (char *) build->item.data;
	size_t		len = build->item.len;

	if (build->item.nul)
		return no_jsonb(build, NO_NUL);
	v->type = jbvString;
	v->val.string.val = chars;
	v->val.string.len = (int) len;
	if (GetDatabaseEncoding() != PG_UTF8 && !atid_is_ascii(chars, len))
	{
		text	   *t = atid_text_from_utf8(chars, len);

		if (t == NULL)
			return no_jsonb(build, NO_EQUIVALENT);
		v->val.string.val = VARDATA(t);
		v->val.string.len = (int) (VARSIZE(t) - VARHDRSZ);
	}
	return true;
}

/*
 * Build an object of one pair: "$link" or "$bytes", and its text.
 */
static void
push_pair(AtidJsonbBuilder *builder, char *key, char *chars, size_t len)
{
	JsonbValue	v;

	atid_push_jsonb(builder, WJB_BEGIN_OBJECT, NULL);
	v.type = jbvString;
	v.val.string.val = key;
	v.val.string.len = (int) strlen(key);
	atid_push_jsonb(builder, WJB_KEY, &v);
	v.val.string.val = chars;
	v.val.string.len = (int) len;
	atid_push_jsonb(builder, WJB_VALUE, &v);
	atid_push_jsonb(builder, WJB_END_OBJECT, NULL);
}

static void
push_special(AtidJsonbBuilder *builder, AtidCborReader *reader, AtidCborEvent event,
			 const AtidCborItem *item)
{
	size_t		len;
	char	   *chars = atid_text_of_special(reader, event, item, &len);

	push_pair(builder, event == ATID_CBOR_LINK ? "$link" : "$bytes", chars, len);
}

Jsonb *
atid_jsonb_of_bytes(bytea *bytes)
{
	const size_t max = (JENTRY_OFFLENMASK - strlen("$bytes")) / 4 * 3;
	AtidJsonbBuilder builder = {0};
	Jsonb	   *jb;
	char	   *chars;
	size_t		len;

	if (VARSIZE_ANY_EXHDR(bytes) > max)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("bytes cannot be expressed as jsonb"),
				 errdetail("There must be at most %zu bytes, not %zu.",
						   max, (size_t) VARSIZE_ANY_EXHDR(bytes))));
	chars = base64_text((const uint8_t *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), &len);
	push_pair(&builder, "$bytes", chars, len);
	jb = JsonbValueToJsonb(builder.result);
	pfree(chars);
	return jb;
}

/*
 * Where the jsonb of a value ends that begins at this byte: what the server's
 * JsonbValueToJsonb() writes.
 */
static size_t
end_of_jsonb(const JsonbValue *v, size_t at)
{
	switch (v->type)
	{
		case jbvString:
			return at + (size_t) v->val.string.len;
		case jbvNumeric:
			return INTALIGN(at) + VARSIZE_ANY(v->val.numeric);
		case jbvArray:
			CHECK_FOR_INTERRUPTS();
			at = INTALIGN(at) + sizeof(uint32) + (size_t) v->val.array.nElems * sizeof(JEntry);
			for (int i = 0; i < v->val.array.nElems; i++)
				at = end_of_jsonb(&v->val.array.elems[i], at);
			return at;
		case jbvObject:
			CHECK_FOR_INTERRUPTS();
			at = INTALIGN(at) + sizeof(uint32) + (size_t) v->val.object.nPairs * 2 * sizeof(JEntry);
			for (int i = 0; i < v->val.object.nPairs; i++)
				at += (size_t) v->val.object.pairs[i].key.val.string.len;
			for (int i = 0; i < v->val.object.nPairs; i++)
				at = end_of_jsonb(&v->val.object.pairs[i].value, at);
			return at;
		default:
			return at;
	}
}

/*
 * Is there room for a value of a block in a jsonb?  A byte of DAG-CBOR becomes 25 at most, of
 * an empty byte string, so nearly all need not be counted.  A scalar is the one item of an
 * array.
 */
static bool
fits_into_jsonb(const JsonbValue *v, size_t len)
{
	const size_t growth_max = 32;
	bool		scalar = v->type != jbvArray && v->type != jbvObject;

	return len <= JENTRY_OFFLENMASK / growth_max ||
		end_of_jsonb(v, scalar ? sizeof(uint32) + sizeof(JEntry) : 0) <= JENTRY_OFFLENMASK;
}

/*
 * The jsonb that was built of a value.  An encoding other than UTF-8 can have one
 * code for two characters.  Then two keys can become one, or the jsonb is that of
 * another block.  So there the block is made again and compared.
 */
static bool
finish_jsonb(Build *build, JsonbValue *v, const uint8_t *value, size_t len, Jsonb **result)
{
	build->built = v;
	if (!fits_into_jsonb(v, len))
		return no_jsonb(build, NO_SIZE);
	*result = JsonbValueToJsonb(v);
	if (GetDatabaseEncoding() != PG_UTF8)
	{
		AtidFault	fault;
		char	   *problem;
		bytea	   *back = atid_try_block_of_jsonb(*result, &fault, &problem);
		bool		same = back != NULL && VARSIZE_ANY_EXHDR(back) == len &&
			memcmp(VARDATA_ANY(back), value, len) == 0;

		if (back != NULL)
			pfree(back);
		return same || no_jsonb(build, NO_WAY_BACK);
	}
	return true;
}

/* A reader of one value in a block, which ends where the value does. */
static void
value_reader_init(AtidCborReader *reader, bytea *block, const uint8_t *value, size_t len)
{
	atid_block_reader_init(reader, block);
	reader->p = value;
	reader->end = value + len;
}

/*
 * Set a scalar for jsonb, unless it is a text.  Returns false for another event.
 */
static bool
set_jsonb_scalar(JsonbValue *v, AtidCborEvent event, const AtidCborItem *item)
{
	switch (event)
	{
		case ATID_CBOR_INTEGER:
			v->type = jbvNumeric;
			v->val.numeric = int64_to_numeric(item->integer);
			return true;
		case ATID_CBOR_BOOL:
			v->type = jbvBool;
			v->val.boolean = item->integer != 0;
			return true;
		case ATID_CBOR_NULL:
			v->type = jbvNull;
			return true;
		default:
			return false;
	}
}

/*
 * Build the jsonb of a value in a block.  Returns false if it has none or is damaged, and then
 * refuse_jsonb() reports why.
 *
 * Where the server's encoding is not UTF-8, a text may have no equivalent.  So
 * the whole value is checked before: faults of the block come first.
 */
static bool
build_jsonb(Build *build, bytea *block, const uint8_t *value, size_t len, Jsonb **result)
{
	AtidCborReader *reader = &build->reader;
	AtidCborItem *item = &build->item;
	AtidJsonbBuilder *builder = &build->builder;
	JsonbValue *v = &build->scalar;
	uint64		events = 0;

	memset(builder, 0, sizeof(*builder));
	build->before = MemoryContextMemAllocated(CurrentMemoryContext, false);
	build->event = ATID_CBOR_END;
	if (GetDatabaseEncoding() != PG_UTF8)
	{
		value_reader_init(reader, block, value, len);
		if (!atid_block_read_rest(reader))
			return no_jsonb(build, DAMAGED);
	}
	value_reader_init(reader, block, value, len);
	for (;;)
	{
		/* a scalar is a map's value where it comes after a key */
		JsonbIteratorToken token = build->event == ATID_CBOR_KEY ? WJB_VALUE : WJB_ELEM;

		if ((++events & 0x1F) == 0)
		{
			CHECK_FOR_INTERRUPTS();
			if (MemoryContextMemAllocated(CurrentMemoryContext, false) - build->before > BUILD_MAX)
				return no_jsonb(build, NO_MEMORY);
		}
		build->event = atid_cbor_next(reader, item);
		if ((build->event == ATID_CBOR_TEXT || build->event == ATID_CBOR_KEY) &&
			!set_jsonb_string(v, build))
			return false;
		if (build->event == ATID_CBOR_TEXT || set_jsonb_scalar(v, build->event, item))
		{
			if (reader->depth > 0)
			{
				atid_push_jsonb(builder, token, v);
				continue;
			}

			/* the builder takes no scalar on top, but the server does */
			if (atid_cbor_next(reader, item) != ATID_CBOR_END)
				return no_jsonb(build, DAMAGED);
			return finish_jsonb(build, v, value, len, result);
		}

		switch (build->event)
		{
			case ATID_CBOR_ARRAY:
				if (!check_count(build, sizeof(JsonbValue)))
					return false;
				atid_push_jsonb(builder, WJB_BEGIN_ARRAY, NULL);
				break;
			case ATID_CBOR_ARRAY_END:
				atid_push_jsonb(builder, WJB_END_ARRAY, NULL);
				break;
			case ATID_CBOR_MAP:
				if (!check_count(build, sizeof(JsonbPair)))
					return false;
				atid_push_jsonb(builder, WJB_BEGIN_OBJECT, NULL);
				break;
			case ATID_CBOR_MAP_END:
				atid_push_jsonb(builder, WJB_END_OBJECT, NULL);
				break;
			case ATID_CBOR_KEY:
				if (is_special_key(item))
					return no_jsonb(build, NO_SPECIAL_KEY);
				atid_push_jsonb(builder, WJB_KEY, v);
				break;
			case ATID_CBOR_LINK:
			case ATID_CBOR_BYTES:
				if (item->len > ATID_SPECIAL_MAX)
					return no_jsonb(build, NO_SPECIAL_TEXT);
				push_special(builder, reader, build->event, item);
				break;
			case ATID_CBOR_END:
				return finish_jsonb(build, builder->result, value, len, result);
			default:
				return no_jsonb(build, DAMAGED);
		}
	}
}

Jsonb *
atid_try_jsonb_of_value(bytea *block, const uint8_t *value, size_t len)
{
	Build		build;
	Jsonb	   *result;

	return build_jsonb(&build, block, value, len, &result) ? result : NULL;
}

Jsonb *
atid_jsonb_of_block(bytea *block)
{
	Build		build;
	Jsonb	   *result;

	if (!build_jsonb(&build, block, (const uint8_t *) VARDATA_ANY(block),
					 VARSIZE_ANY_EXHDR(block), &result))
		refuse_jsonb(&build);
	return result;
}
