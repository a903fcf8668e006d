/*-------------------------------------------------------------------------
 *
 * decode.c
 *		The jsonb, or the JSON text, of a DAG-CBOR block.
 *
 * There are blocks that have no JSON, and blocks that have no jsonb.  What is not
 * DAG-CBOR at all is refused as that, wherever in the block the fault lies; then
 * what has no JSON; and what has JSON but no jsonb is told to be read as json.
 *
 * Memory: a jsonb is built of pieces that take some hundred times what the block
 * does, where it has many small arrays, maps, links or byte strings.  All that is
 * built is counted before it is, and more than BUILD_MAX is refused.  Beside it
 * there are the block and the jsonb, whose size the server limits.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/base64.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "codec/dagcbor.h"
#include "codec/multiformat.h"
#include "compat.h"
#include "error.h"
#include "record/decode.h"
#include "record/encode.h"
#include "record/inspect.h"
#include "record/walk.h"

static void
check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
atid_block_reader_init(AtidCborReader *reader, bytea *block)
{
	atid_cbor_reader_init(reader, VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block));
	reader->pause = check_for_interrupts;
}

/*
 * Read on to the end of the block.  Returns false if there is a fault, which the
 * reader then tells.
 */
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

/*
 * What is wrong with a block, and at which byte: the reader has a fault.
 */
char *
atid_block_problem(const AtidCborReader *reader)
{
	return atid_fault_at_byte(reader->fault, atid_cbor_offset(reader));
}

/*
 * The same as an error.  A block that is nested too deep was not read further, so
 * nothing is said of the rest.
 */
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
 * JSON's names of what it has no type for: an object of this key could not be
 * told from them.
 */
static bool
is_special_key(const AtidCborItem *item)
{
	return atid_cbor_item_is(item, "$link") || atid_cbor_item_is(item, "$bytes");
}

/*
 * The reader has come to a key that JSON cannot have.
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
 * The reader has come to what jsonb cannot hold, or what there is no memory for.
 * Read on, and refuse a block that has no JSON either.
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
 * The base64 of bytes, without padding, line breaks and a terminator.  The server
 * encodes a part at a time, so that a cancel can end it.
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

/* No value of SQL holds the text of more bytes, in base64 or in base32. */
#define SPECIAL_MAX (MaxAllocSize / 8 * 5 - 8)

/* The text of a link or of bytes, without a terminator. */
static char *
special_text(AtidCborReader *reader, AtidCborEvent event, const AtidCborItem *item, size_t *len)
{
	char	   *chars;

	if (item->len > SPECIAL_MAX)
	{
		size_t		at = atid_cbor_offset(reader);
		size_t		bytes = item->len;

		if (!atid_block_read_rest(reader))
			atid_refuse_block(reader);
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("block cannot be expressed as JSON"),
				 errdetail("At byte %zu: A byte string or a link must have at most %zu bytes for JSON, not %zu.",
						   at, SPECIAL_MAX, bytes)));
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
 * The JSON of a block as text, so that it can hold what jsonb cannot, which is
 * U+0000.
 */
text *
atid_json_of_block(bytea *block)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	StringInfoData buf;
	bool		comma = false;
	uint64		events = 0;
	char	   *chars;
	size_t		len;

	initStringInfo(&buf);
	atid_block_reader_init(&reader, block);
	while ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
	{
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (event == ATID_CBOR_FAULT)
			atid_refuse_block(&reader);
		if (comma && event != ATID_CBOR_ARRAY_END && event != ATID_CBOR_MAP_END)
			appendStringInfoCharMacro(&buf, ',');
		comma = true;

		switch (event)
		{
			case ATID_CBOR_INTEGER:
				appendStringInfo(&buf, INT64_FORMAT, item.integer);
				break;
			case ATID_CBOR_TEXT:
				atid_append_json_string(&buf, (const char *) item.data, item.len);
				break;
			case ATID_CBOR_KEY:
				if (is_special_key(&item))
					refuse_special_key(&reader, &item);
				atid_append_json_string(&buf, (const char *) item.data, item.len);
				appendStringInfoCharMacro(&buf, ':');
				comma = false;
				break;
			case ATID_CBOR_LINK:
			case ATID_CBOR_BYTES:
				appendStringInfoString(&buf, event == ATID_CBOR_LINK ?
									   "{\"$link\":\"" : "{\"$bytes\":\"");
				chars = special_text(&reader, event, &item, &len);
				appendBinaryStringInfo(&buf, chars, (int) len);
				pfree(chars);
				appendStringInfoString(&buf, "\"}");
				break;
			case ATID_CBOR_BOOL:
				appendStringInfoString(&buf, item.integer ? "true" : "false");
				break;
			case ATID_CBOR_NULL:
				appendStringInfoString(&buf, "null");
				break;
			case ATID_CBOR_ARRAY:
				appendStringInfoCharMacro(&buf, '[');
				comma = false;
				break;
			case ATID_CBOR_ARRAY_END:
				appendStringInfoCharMacro(&buf, ']');
				break;
			case ATID_CBOR_MAP:
				appendStringInfoCharMacro(&buf, '{');
				comma = false;
				break;
			case ATID_CBOR_MAP_END:
				appendStringInfoCharMacro(&buf, '}');
				break;
			case ATID_CBOR_FAULT:
			case ATID_CBOR_END:
				break;
		}
	}
	if (GetDatabaseEncoding() == PG_UTF8)
		return cstring_to_text_with_len(buf.data, buf.len);
	return cstring_to_text(pg_any_to_server(buf.data, buf.len, PG_UTF8));
}

/* What jsonb is built with; builder.result is the whole, when it is whole. */
#ifdef ATID_HAVE_JSONB_IN_STATE

typedef JsonbInState JsonbBuilder;

static inline void
push_jsonb(JsonbBuilder *builder, JsonbIteratorToken token, JsonbValue *v)
{
	pushJsonbValue(builder, token, v);
}

#else

typedef struct JsonbBuilder
{
	JsonbParseState *state;
	JsonbValue *result;
} JsonbBuilder;

static inline void
push_jsonb(JsonbBuilder *builder, JsonbIteratorToken token, JsonbValue *v)
{
	builder->result = pushJsonbValue(&builder->state, token, v);
}

#endif

/*
 * The memory that a jsonb may take while it is built.  The builder takes some
 * hundred bytes for an array or an object, however empty, and a block one; so a
 * block of some megabytes could ask for all the memory there is.
 */
#define BUILD_MAX		(UINT64CONST(2) * 1024 * 1024 * 1024)

/*
 * What a palloc of so many bytes takes: small ones are rounded up to a power of
 * two, and each has a header.
 */
#define NUMERIC_CHUNK	chunk_size(16)

static uint64
chunk_size(uint64 size)
{
	return (size <= 8192 ? pg_nextpower2_32(Max((uint32) size, 8)) : size) + 16;
}

/*
 * Count what is about to be built, and refuse what would be too much.
 */
static void
count_built(AtidCborReader *reader, uint64 *built, uint64 size)
{
	size_t		at = atid_cbor_offset(reader);

	*built += size;
	if (likely(*built <= BUILD_MAX))
		return;
	check_rest_has_json(reader);
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("block cannot be expressed as jsonb"),
			 errdetail("At byte %zu: A jsonb must take at most 2 GB to build, and up to here it would take more.",
					   at),
			 errhint("Use atid.dag_cbor_to_json.")));
}

/*
 * Count an array or an object of so many items or pairs, of this size each.
 *
 * They are in memory that doubles from four of them on, as one piece: too many
 * are refused before the first.
 */
static void
count_container(AtidCborReader *reader, uint64 *built, size_t count, size_t size)
{
	size_t		at = atid_cbor_offset(reader);
	size_t		room = 4;

	while (room < count && room * 2 * size <= MaxAllocSize)
		room *= 2;
	count_built(reader, built, chunk_size(sizeof(JsonbParseState)) + chunk_size(room * size));
	if (count <= room)
		return;
	check_rest_has_json(reader);
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("block cannot be expressed as jsonb"),
			 errdetail("At byte %zu: An array or map must have at most %zu items for jsonb, not %zu.",
					   at, room, count),
			 errhint("Use atid.dag_cbor_to_json.")));
}

/*
 * A text for jsonb, in the server's encoding; it may point into the block.
 */
static void
set_jsonb_string(JsonbValue *v, AtidCborReader *reader, const AtidCborItem *item, uint64 *built)
{
	char	   *chars = (char *) item->data;
	char	   *converted;

	if (item->nul)
	{
		size_t		at = atid_cbor_offset(reader);

		check_rest_has_json(reader);
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("block cannot be expressed as jsonb"),
				 errdetail("At byte %zu: A text must not contain U+0000, which jsonb cannot hold.",
						   at),
				 errhint("Use atid.dag_cbor_to_json.")));
	}
	v->type = jbvString;
	v->val.string.val = chars;
	v->val.string.len = (int) item->len;
	if (GetDatabaseEncoding() == PG_UTF8 || atid_is_ascii(chars, item->len))
		return;

	/* the conversion takes four times the length, so keep what is used */
	converted = pg_any_to_server(chars, (int) item->len, PG_UTF8);
	if (converted != chars)
	{
		size_t		len = strlen(converted);

		count_built(reader, built, chunk_size(len + 1));
		v->val.string.val = pnstrdup(converted, len);
		v->val.string.len = (int) len;
		pfree(converted);
	}
}

/*
 * Build an object of one pair: "$link" or "$bytes", and its text.
 */
static void
push_pair(JsonbBuilder *builder, char *key, char *chars, size_t len)
{
	JsonbValue	v;

	push_jsonb(builder, WJB_BEGIN_OBJECT, NULL);
	v.type = jbvString;
	v.val.string.val = key;
	v.val.string.len = (int) strlen(key);
	push_jsonb(builder, WJB_KEY, &v);
	v.val.string.val = chars;
	v.val.string.len = (int) len;
	push_jsonb(builder, WJB_VALUE, &v);
	push_jsonb(builder, WJB_END_OBJECT, NULL);
}

/*
 * A link or a byte string.
 */
static void
push_special(JsonbBuilder *builder, AtidCborReader *reader, AtidCborEvent event,
			 const AtidCborItem *item, uint64 *built)
{
	char	   *chars;
	size_t		len;

	count_container(reader, built, 1, sizeof(JsonbPair));
	/* base64 takes four bytes for three, base32 eight for five */
	count_built(reader, built, chunk_size(item->len / 5 * 8 + 8));
	chars = special_text(reader, event, item, &len);
	push_pair(builder, event == ATID_CBOR_LINK ? "$link" : "$bytes", chars, len);
}

/*
 * The jsonb that stands for bytes.
 */
Jsonb *
atid_jsonb_of_bytes(bytea *bytes)
{
	const size_t max = (JENTRY_OFFLENMASK - strlen("$bytes")) / 4 * 3;
	JsonbBuilder builder = {0};
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
 * The jsonb that was built of a block.  Encodings other than UTF-8 may have one
 * code for two characters.  Then keys fall together, or the block would not come
 * back as it was, so there it is tried.
 */
static Jsonb *
record_of_block(JsonbValue *v, bytea *block)
{
	Jsonb	   *jb = JsonbValueToJsonb(v);

	if (GetDatabaseEncoding() != PG_UTF8)
	{
		bytea	   *back = atid_block_of_jsonb(jb);

		if (VARSIZE_ANY_EXHDR(back) != VARSIZE_ANY_EXHDR(block) ||
			memcmp(VARDATA_ANY(back), VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
					 errmsg("block cannot be expressed as jsonb"),
					 errdetail("A block must not have characters that the encoding \"%s\" does not tell apart.",
							   GetDatabaseEncodingName())));
		pfree(back);
	}
	return jb;
}

/*
 * The jsonb of a block.
 *
 * Where the server's encoding is not UTF-8, a text can have no form in it, and the
 * conversion raises that: so the block is looked at first.
 */
Jsonb *
atid_jsonb_of_block(bytea *block)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event = ATID_CBOR_END;
	JsonbBuilder builder = {0};
	JsonbValue	v;
	uint64		events = 0;
	uint64		built = 0;

	if (GetDatabaseEncoding() != PG_UTF8)
	{
		atid_block_reader_init(&reader, block);
		if (!atid_block_read_rest(&reader))
			atid_refuse_block(&reader);
	}
	atid_block_reader_init(&reader, block);
	for (;;)
	{
		/* a scalar is a map's value where it comes after a key */
		JsonbIteratorToken token = event == ATID_CBOR_KEY ? WJB_VALUE : WJB_ELEM;

		event = atid_cbor_next(&reader, &item);
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();

		switch (event)
		{
			case ATID_CBOR_FAULT:
				atid_refuse_block(&reader);
				break;
			case ATID_CBOR_ARRAY:
				count_container(&reader, &built, item.len, sizeof(JsonbValue));
				push_jsonb(&builder, WJB_BEGIN_ARRAY, NULL);
				continue;
			case ATID_CBOR_ARRAY_END:
				push_jsonb(&builder, WJB_END_ARRAY, NULL);
				continue;
			case ATID_CBOR_MAP:
				count_container(&reader, &built, item.len, sizeof(JsonbPair));
				push_jsonb(&builder, WJB_BEGIN_OBJECT, NULL);
				continue;
			case ATID_CBOR_MAP_END:
				push_jsonb(&builder, WJB_END_OBJECT, NULL);
				continue;
			case ATID_CBOR_KEY:
				if (is_special_key(&item))
					refuse_special_key(&reader, &item);
				set_jsonb_string(&v, &reader, &item, &built);
				push_jsonb(&builder, WJB_KEY, &v);
				continue;
			case ATID_CBOR_LINK:
			case ATID_CBOR_BYTES:
				push_special(&builder, &reader, event, &item, &built);
				continue;
			case ATID_CBOR_INTEGER:
				count_built(&reader, &built, NUMERIC_CHUNK);
				v.type = jbvNumeric;
				v.val.numeric = int64_to_numeric(item.integer);
				break;
			case ATID_CBOR_TEXT:
				set_jsonb_string(&v, &reader, &item, &built);
				break;
			case ATID_CBOR_BOOL:
				v.type = jbvBool;
				v.val.boolean = item.integer != 0;
				break;
			case ATID_CBOR_NULL:
				v.type = jbvNull;
				break;
			case ATID_CBOR_END:
				return record_of_block(builder.result, block);
		}

		if (reader.depth > 0)
			push_jsonb(&builder, token, &v);
		else
		{
			/* the builder takes no scalar on top, but the server does */
			if (atid_cbor_next(&reader, &item) != ATID_CBOR_END)
				atid_refuse_block(&reader);
			return record_of_block(&v, block);
		}
	}
}
