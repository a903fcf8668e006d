/*-------------------------------------------------------------------------
 *
 * decode.c
 *		The jsonb, or the JSON text, of a DAG-CBOR block.
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

#include "codec/dagcbor.h"
#include "codec/multiformat.h"
#include "compat.h"
#include "jsonb/decode.h"
#include "jsonb/encode.h"
#include "jsonb/inspect.h"

void
atid_block_reader_init(AtidCborReader *reader, bytea *block)
{
	atid_cbor_reader_init(reader, VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block));
}

void
atid_block_fault(const AtidCborReader *reader)
{
	ereport(ERROR,
			(errcode(reader->error == ATID_CBOR_DEPTH ?
					 ERRCODE_PROGRAM_LIMIT_EXCEEDED :
					 ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid DAG-CBOR"),
			 errdetail("At byte %zu: %s", atid_cbor_offset(reader),
					   atid_cbor_words(reader->error, reader->cid_fault))));
}

/*
 * JSON's names of what it has no type for: an object of this key could not be
 * told from them.
 */
static bool
is_special_key(const AtidCborItem *item)
{
	return (item->len == 5 && memcmp(item->data, "$link", 5) == 0) ||
		(item->len == 6 && memcmp(item->data, "$bytes", 6) == 0);
}

static void
special_key_fault(const AtidCborReader *reader, const AtidCborItem *item)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("block cannot be expressed as JSON"),
			 errdetail("At byte %zu: A map has the key \"%.*s\", which in JSON stands for something else.",
					   atid_cbor_offset(reader), (int) item->len, (const char *) item->data)));
}

/* The text of a link or of bytes, without a terminator. */
static char *
special_text(AtidCborEvent event, const AtidCborItem *item, size_t *len)
{
	char	   *text;

	if (event == ATID_CBOR_LINK)
	{
		*len = atid_cid_text_len(item->len);
		text = palloc(*len);
		atid_cid_to_text(item->data, item->len, text);
		return text;
	}

	/* base64 counts in int, and no longer text fits into a value anyway */
	if (item->len > MaxAllocSize / 4 * 3 - 3)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a byte string of %zu bytes is too long for JSON", item->len)));
	*len = (size_t) pg_b64_enc_len((int) item->len);
	text = palloc(*len + 1);
	*len = (size_t) pg_b64_encode((const void *) item->data, (int) item->len, text, (int) *len);
	while (*len > 0 && text[*len - 1] == '=')
		(*len)--;
	return text;
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
	char	   *text;
	size_t		len;

	initStringInfo(&buf);
	atid_block_reader_init(&reader, block);
	while ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
	{
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (event == ATID_CBOR_FAULT)
			atid_block_fault(&reader);
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
					special_key_fault(&reader, &item);
				atid_append_json_string(&buf, (const char *) item.data, item.len);
				appendStringInfoCharMacro(&buf, ':');
				comma = false;
				break;
			case ATID_CBOR_LINK:
			case ATID_CBOR_BYTES:
				appendStringInfoString(&buf, event == ATID_CBOR_LINK ?
									   "{\"$link\":\"" : "{\"$bytes\":\"");
				text = special_text(event, &item, &len);
				appendBinaryStringInfo(&buf, text, (int) len);
				pfree(text);
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
	return cstring_to_text(pg_any_to_server(buf.data, buf.len, PG_UTF8));
}

/* What jsonb is built with; builder.result is the whole, when it is whole. */
#ifdef ATID_HAVE_JSONB_IN_STATE

typedef JsonbInState JsonbBuilder;

static inline void
push(JsonbBuilder *builder, JsonbIteratorToken token, JsonbValue *v)
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
push(JsonbBuilder *builder, JsonbIteratorToken token, JsonbValue *v)
{
	builder->result = pushJsonbValue(&builder->state, token, v);
}

#endif

/*
 * A text for jsonb, in the server's encoding; it may point into the block.
 */
static void
set_jsonb_string(JsonbValue *v, const AtidCborReader *reader, const AtidCborItem *item)
{
	char	   *text = (char *) item->data;
	char	   *converted;

	if (item->nul)
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("block cannot be expressed as jsonb"),
				 errdetail("At byte %zu: The text has a U+0000 in it, which jsonb cannot hold.",
						   atid_cbor_offset(reader)),
				 errhint("Use atid.dag_cbor_to_json.")));
	v->type = jbvString;
	v->val.string.val = text;
	v->val.string.len = (int) item->len;
	converted = pg_any_to_server(text, (int) item->len, PG_UTF8);
	if (converted != text)
	{
		v->val.string.val = converted;
		v->val.string.len = (int) strlen(converted);
	}
}

/*
 * The memory that a jsonb may take while it is built.  The builder takes some
 * hundred bytes for an array or an object, however empty, and a block one; so a
 * block of some megabytes could ask for all the memory there is.
 */
#define BUILD_MAX		(UINT64CONST(2) * 1024 * 1024 * 1024)
#define BUILD_CONTAINER 600

/*
 * May an array or an object of so many items or pairs, of this size, be built?
 * What is built already is counted in *built.
 *
 * Items are in memory that doubles from four of them on, as one piece: too many
 * are refused before the first.
 */
static void
check_count(const AtidCborReader *reader, size_t count, size_t size, uint64 *built)
{
	size_t		most = 4;

	*built += BUILD_CONTAINER + (uint64) count * size;
	if (*built > BUILD_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("block cannot be expressed as jsonb"),
				 errdetail("At byte %zu: The arrays and maps up to here would take more than 2 GB to build.",
						   atid_cbor_offset(reader)),
				 errhint("Use atid.dag_cbor_to_json.")));

	while (most * 2 * size <= MaxAllocSize)
		most *= 2;
	if (count > most)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("block cannot be expressed as jsonb"),
				 errdetail("At byte %zu: An array or map has %zu items, and jsonb is built of %zu at most.",
						   atid_cbor_offset(reader), count, most),
				 errhint("Use atid.dag_cbor_to_json.")));
}

static void
push_special(JsonbBuilder *builder, AtidCborEvent event, const AtidCborItem *item)
{
	JsonbValue	v;
	size_t		len;

	push(builder, WJB_BEGIN_OBJECT, NULL);
	v.type = jbvString;
	v.val.string.val = event == ATID_CBOR_LINK ? "$link" : "$bytes";
	v.val.string.len = event == ATID_CBOR_LINK ? 5 : 6;
	push(builder, WJB_KEY, &v);
	v.val.string.val = special_text(event, item, &len);
	v.val.string.len = (int) len;
	push(builder, WJB_VALUE, &v);
	push(builder, WJB_END_OBJECT, NULL);
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
					 errdetail("It has characters that encoding \"%s\" does not tell apart.",
							   GetDatabaseEncodingName())));
		pfree(back);
	}
	return jb;
}

/*
 * The jsonb of a block.
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
				atid_block_fault(&reader);
				break;
			case ATID_CBOR_ARRAY:
				check_count(&reader, item.len, sizeof(JsonbValue), &built);
				push(&builder, WJB_BEGIN_ARRAY, NULL);
				continue;
			case ATID_CBOR_ARRAY_END:
				push(&builder, WJB_END_ARRAY, NULL);
				continue;
			case ATID_CBOR_MAP:
				check_count(&reader, item.len, sizeof(JsonbPair), &built);
				push(&builder, WJB_BEGIN_OBJECT, NULL);
				continue;
			case ATID_CBOR_MAP_END:
				push(&builder, WJB_END_OBJECT, NULL);
				continue;
			case ATID_CBOR_KEY:
				if (is_special_key(&item))
					special_key_fault(&reader, &item);
				set_jsonb_string(&v, &reader, &item);
				push(&builder, WJB_KEY, &v);
				continue;
			case ATID_CBOR_LINK:
			case ATID_CBOR_BYTES:
				push_special(&builder, event, &item);
				continue;
			case ATID_CBOR_INTEGER:
				v.type = jbvNumeric;
				v.val.numeric = int64_to_numeric(item.integer);
				break;
			case ATID_CBOR_TEXT:
				set_jsonb_string(&v, &reader, &item);
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
			push(&builder, token, &v);
		else
		{
			/* the builder takes no scalar on top, but the server does */
			if (atid_cbor_next(&reader, &item) != ATID_CBOR_END)
				atid_block_fault(&reader);
			return record_of_block(&v, block);
		}
	}
}
