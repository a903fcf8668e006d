/*-------------------------------------------------------------------------
 *
 * field_functions.c
 *		A field of a block: what jsonb's #> and #>> are to a record.
 *
 * field.c follows the path and passes over everything else.  The strict reader reads the field, so
 * the result is always made of valid DAG-CBOR.  A path without steps is the whole block, which is
 * then checked to its end.
 *
 * In JSON a link is an object with the key "$link", and bytes are one with "$bytes".  A path
 * can take that step, so that it leads to what it leads to in the record.
 *
 * No bytes make these functions fail, so that they are LEAKPROOF.  The answer is NULL if there is
 * damage in what it needs, which is
 *	- of the maps and arrays that the field is in: their heads, and that as many bytes are left
 *	  as they have items;
 *	- of what comes before the field in these: that its heads and lengths are those of DAG-CBOR,
 *	  and that keys are texts;
 *	- of the field: all that a strict reader checks.  dag_cbor_typeof reads only the head of a map
 *	  or an array.
 * Damage behind the field is not seen.  NULL is also the answer where the type of the result cannot
 * hold the value: a character that the server's encoding lacks, U+0000, a map that JSON has another
 * meaning for, or too large a value.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "compat.h"
#include "datum.h"
#include "function.h"
#include "record/block.h"
#include "record/decode.h"
#include "record/encode.h"
#include "record/field.h"
#include "utf8.h"

/* The characters of a longer text are checked by the reader, which can be cancelled. */
#define CHECKED_AT_ONCE 65536


/*
 * The first event of the value, or ATID_CBOR_FAULT: all of it, if it has no parts.  Of a whole
 * block that has parts, the caller has to read the rest.
 */
static AtidCborEvent
first_event(const AtidField *field, AtidCborReader *reader, AtidCborItem *item)
{
	AtidCborEvent event;
	AtidCborItem none;

	atid_block_reader_init(reader, field->block);
	reader->p = field->seek.p;
	event = atid_cbor_next(reader, item);
	if (event != ATID_CBOR_FAULT && field->whole && reader->depth == 0 &&
		atid_cbor_next(reader, &none) == ATID_CBOR_FAULT)
		return ATID_CBOR_FAULT;
	return event;
}

/*
 * The text that the JSON of a link or of bytes has; NULL if it is damaged, or longer than max.
 */
static char *
special_of_field(const AtidField *field, size_t max, size_t *len)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event = first_event(field, &reader, &item);
	char	   *chars;

	if (event == ATID_CBOR_FAULT || item.len > ATID_SPECIAL_MAX)
		return NULL;
	chars = atid_text_of_special(&reader, event, &item, len);
	return *len > max ? NULL : chars;
}

static Jsonb *
jsonb_of_field(const AtidField *field)
{
	const uint8_t *past;

	if (field->of_special)
	{
		JsonbValue	v;
		size_t		len;
		char	   *chars = special_of_field(field, ATID_JSONB_STRING_MAX, &len);

		if (chars == NULL)
			return NULL;
		v.type = jbvString;
		v.val.string.val = chars;
		v.val.string.len = (int) len;
		return JsonbValueToJsonb(&v);
	}
	past = field->whole ? field->seek.end : atid_seek_past(&field->seek);
	if (past == NULL)
		return NULL;
	return atid_try_jsonb_of_value(field->block, field->seek.p, (size_t) (past - field->seek.p));
}

/*
 * dag_cbor_get(block, path): the jsonb of a field.
 */
static pg_attribute_always_inline Datum
get_field(FunctionCallInfo fcinfo, AtidFieldFind find)
{
	AtidField	field;
	Jsonb	   *jb = NULL;

	if (find(fcinfo, &field) == ATID_SEEK_FOUND)
		jb = jsonb_of_field(&field);
	if (jb == NULL)
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(jb);
}

/*
 * The text of a field; NULL if it is damaged, or has none.
 */
static text *
text_of_field(const AtidField *field)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event = first_event(field, &reader, &item);
	char	   *chars;
	size_t		len;

	switch (event)
	{
		case ATID_CBOR_TEXT:
			return item.nul ? NULL : atid_text_from_utf8((const char *) item.data, item.len);
		case ATID_CBOR_LINK:
		case ATID_CBOR_BYTES:
			if (item.len > ATID_SPECIAL_MAX)
				return NULL;
			chars = atid_text_of_special(&reader, event, &item, &len);
			return cstring_to_text_with_len(chars, (int) len);
		case ATID_CBOR_INTEGER:
			return cstring_to_text(psprintf(INT64_FORMAT, item.integer));
		case ATID_CBOR_BOOL:
			return cstring_to_text(item.integer ? "true" : "false");
		case ATID_CBOR_MAP:
		case ATID_CBOR_ARRAY:
			return atid_field_reader_init(&reader, field) ? atid_try_json_text(&reader) : NULL;
		default:
			return NULL;
	}
}

/*
 * dag_cbor_get_text(block, path): the text of a field.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_get_text);
Datum
atid_dag_cbor_get_text(PG_FUNCTION_ARGS)
{
	AtidField	field;
	text	   *result = NULL;

	if (atid_field_find(fcinfo, &field) == ATID_SEEK_FOUND)
		result = text_of_field(&field);
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(result);
}

/*
 * block_get_text(block, path): the same.  A text, which most fields are, is not restored as a
 * block.
 */
PG_FUNCTION_INFO_V1(atid_block_get_text);
Datum
atid_block_get_text(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	AtidBlockSeek seek;
	AtidField	field;
	AtidSeekResult found;
	AtidSeekResult as_text = ATID_SEEK_NONE;
	char		room[ATID_BLOCK_TEXT_MAX];
	const char *chars;
	size_t		len;
	text	   *result = NULL;

	if (atid_block_is_raw((const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)))
		found = atid_field_find_packed(fcinfo, &field);
	else
	{
		found = atid_block_find(fcinfo, value, &seek, &field.of_special);
		/* a text that is the whole block must also end where that ends */
		if (found == ATID_SEEK_FOUND && seek.depth > 0)
			as_text = atid_block_result(&seek, atid_block_seek_text(&seek, room, &chars, &len));
		if (as_text == ATID_SEEK_FOUND && len > CHECKED_AT_ONCE)
			as_text = ATID_SEEK_NONE;
		if (found == ATID_SEEK_FOUND && as_text == ATID_SEEK_NONE)
			found = atid_field_restore(&seek, &field);
	}
	if (as_text == ATID_SEEK_FOUND)
	{
		/* also false for U+0000 */
		if (pg_verify_mbstr(PG_UTF8, chars, (int) len, true))
			result = atid_text_from_utf8(chars, len);
	}
	else if (as_text == ATID_SEEK_NONE && found == ATID_SEEK_FOUND)
		result = text_of_field(&field);
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(result);
}

/*
 * What a field is; NULL if it is damaged.
 */
static const char *
type_of_field(const AtidField *field)
{
	AtidCborReader reader;
	AtidCborItem item;
	const char *name;

	switch (first_event(field, &reader, &item))
	{
		case ATID_CBOR_MAP:
			name = "object";
			break;
		case ATID_CBOR_ARRAY:
			name = "array";
			break;
		case ATID_CBOR_TEXT:
			name = "string";
			break;
		case ATID_CBOR_INTEGER:
			name = "number";
			break;
		case ATID_CBOR_BOOL:
			name = "boolean";
			break;
		case ATID_CBOR_NULL:
			name = "null";
			break;
		case ATID_CBOR_LINK:
			name = field->of_special ? "string" : "link";
			break;
		case ATID_CBOR_BYTES:
			name = field->of_special ? "string" : "bytes";
			break;
		default:
			return NULL;
	}
	if (field->whole && reader.depth > 0 && !atid_block_read_rest(&reader))
		return NULL;
	return name;
}

/*
 * dag_cbor_typeof(block, path): what the field is.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_typeof);
Datum
atid_dag_cbor_typeof(PG_FUNCTION_ARGS)
{
	AtidField	field;
	const char *name = NULL;

	if (atid_field_find(fcinfo, &field) == ATID_SEEK_FOUND)
		name = type_of_field(&field);
	if (name == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(name));
}

/*
 * block_typeof(block, path): the same.  As over a bytea, a map or an array that a path leads to is
 * not read, so it is not restored either.
 */
PG_FUNCTION_INFO_V1(atid_block_typeof);
Datum
atid_block_typeof(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	AtidBlockSeek seek;
	AtidField	field;
	AtidSeekResult result;
	AtidSeekKind kind = ATID_SEEK_OTHER;
	const char *name = NULL;

	if (atid_block_is_raw((const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)))
		result = atid_field_find_packed(fcinfo, &field);
	else
	{
		result = atid_block_find(fcinfo, value, &seek, &field.of_special);
		if (result == ATID_SEEK_FOUND && seek.depth > 0)
			kind = atid_block_seek_kind(&seek);
		if (kind == ATID_SEEK_MAP || kind == ATID_SEEK_ARRAY)
			PG_RETURN_TEXT_P(cstring_to_text(kind == ATID_SEEK_MAP ? "object" : "array"));
		if (result == ATID_SEEK_FOUND)
			result = atid_field_restore(&seek, &field);
	}
	if (result == ATID_SEEK_FOUND)
		name = type_of_field(&field);
	if (name == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(name));
}

/*
 * dag_cbor_get_block(block, path): the block of a field.
 */
static pg_attribute_always_inline Datum
get_block(FunctionCallInfo fcinfo, AtidFieldFind find)
{
	AtidField	field;
	AtidCborReader reader;
	const uint8_t *begin;

	if (find(fcinfo, &field) != ATID_SEEK_FOUND)
		PG_RETURN_NULL();
	if (field.of_special)
	{
		size_t		len;
		char	   *chars = special_of_field(&field, ATID_BLOCK_OF_TEXT_MAX, &len);

		if (chars == NULL)
			PG_RETURN_NULL();
		PG_RETURN_BYTEA_P(atid_block_of_text(chars, len));
	}
	if (!atid_field_reader_init(&reader, &field))
		PG_RETURN_NULL();
	begin = reader.p;
	if (!atid_block_read_rest(&reader))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(atid_bytes_datum(begin, (size_t) (reader.end - begin)));
}

ATID_FUNCTION(atid_dag_cbor_get, get_field(fcinfo, atid_field_find))
ATID_FUNCTION(atid_dag_cbor_get_block, get_block(fcinfo, atid_field_find))
ATID_FUNCTION(atid_block_get, get_field(fcinfo, atid_field_find_packed))
ATID_FUNCTION(atid_block_get_block, get_block(fcinfo, atid_field_find_packed))
