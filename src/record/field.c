/*-------------------------------------------------------------------------
 *
 * field.c
 *		A field of a block: what jsonb's #> and #>> are to a record.
 *
 * codec/seek.c follows the path and passes over everything else.  The strict reader reads the
 * field, so the result is always made of valid DAG-CBOR.  A path without steps is the whole
 * block, which is then checked to its end.
 *
 * In JSON a link is an object with the key "$link", and bytes are one with "$bytes".  A path
 * can take that step, so that it leads to what it leads to in the record.
 *
 * Damage that is read is an error, worded as by all other functions.  Damage behind the field
 * is not read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "cid.h"
#include "compat.h"
#include "error.h"
#include "record/decode.h"
#include "record/field.h"
#include "record/walk.h"
#include "utf8.h"

/*
 * Take a step of a path, which is in the server's encoding.
 */
static AtidSeekResult
take_step(AtidField *field, const char *step, size_t len)
{
	AtidSeekKind kind = atid_seek_kind(&field->seek);
	int			encoding = GetDatabaseEncoding();

	if (field->of_special)
		return ATID_SEEK_NONE;
	if (kind == ATID_SEEK_LINK || kind == ATID_SEEK_BYTES)
	{
		const char *key = kind == ATID_SEEK_LINK ? "$link" : "$bytes";

		field->of_special = len == strlen(key) && memcmp(step, key, len) == 0;
		return field->of_special ? ATID_SEEK_FOUND : ATID_SEEK_NONE;
	}
	if (encoding != PG_UTF8 && encoding != PG_SQL_ASCII && !atid_is_ascii(step, len))
	{
		/* no block has such a key */
		if (!atid_has_utf8(step, len))
			return ATID_SEEK_NONE;
		step = pg_server_to_any(step, (int) len, PG_UTF8);
		len = strlen(step);
	}
	return atid_seek_step(&field->seek, step, len);
}

/*
 * The array is read as it is, so a constant path costs neither memory nor a look-up.
 */
AtidSeekResult
atid_field_find(FunctionCallInfo fcinfo, AtidField *field)
{
	ArrayType  *path = PG_GETARG_ARRAYTYPE_P(1);
	int			steps = ArrayGetNItems(ARR_NDIM(path), ARR_DIMS(path));
	const char *p = ARR_DATA_PTR(path);
	AtidSeekResult result;

	if (ARR_HASNULL(path) && array_contains_nulls(path))
		return ATID_SEEK_NONE;

	field->block = PG_GETARG_BYTEA_PP(0);
	field->whole = steps == 0;
	field->of_special = false;
	result = atid_seek_init(&field->seek, VARDATA_ANY(field->block),
							VARSIZE_ANY_EXHDR(field->block));
	field->seek.pause = atid_check_for_interrupts;
	for (int i = 0; i < steps && result == ATID_SEEK_FOUND; i++)
	{
		p = (const char *) att_align_pointer(p, TYPALIGN_INT, -1, p);
		result = take_step(field, VARDATA_ANY(p), VARSIZE_ANY_EXHDR(p));
		p += VARSIZE_ANY(p);
	}
	return result;
}

bool
atid_field_reader_init(AtidCborReader *reader, const AtidField *field)
{
	atid_block_reader_init(reader, field->block);
	if (!field->whole)
	{
		const uint8_t *past = atid_seek_past(&field->seek);

		if (past == NULL)
			return false;
		reader->p = field->seek.p;
		reader->end = past;
	}
	return true;
}

/*
 * Refuse a block in which a fault was found.  The error names the first fault, which can be an
 * earlier one.
 */
pg_noreturn static void
refuse_damaged(bytea *block)
{
	AtidCborReader reader;

	atid_block_reader_init(&reader, block);
	(void) atid_block_read_rest(&reader);
	atid_refuse_block(&reader);
}

/*
 * Follow the path of a call, and return whether it leads to a value.
 */
static bool
field_of_call(FunctionCallInfo fcinfo, AtidField *field)
{
	AtidSeekResult result = atid_field_find(fcinfo, field);

	if (result == ATID_SEEK_FAULT)
		refuse_damaged(field->block);
	return result == ATID_SEEK_FOUND;
}

static void
field_reader_init(AtidCborReader *reader, const AtidField *field)
{
	if (!atid_field_reader_init(reader, field))
		refuse_damaged(field->block);
}

/*
 * The first event of the value: all of it, if it has no parts.  Of a whole block that
 * has parts, the caller has to read the rest.
 */
static AtidCborEvent
first_event(const AtidField *field, AtidCborReader *reader, AtidCborItem *item)
{
	AtidCborEvent event;
	AtidCborItem none;

	atid_block_reader_init(reader, field->block);
	reader->p = field->seek.p;
	event = atid_cbor_next(reader, item);
	if (event == ATID_CBOR_FAULT ||
		(field->whole && reader->depth == 0 && atid_cbor_next(reader, &none) == ATID_CBOR_FAULT))
		refuse_damaged(field->block);
	return event;
}

static Jsonb *
jsonb_of_field(const AtidField *field)
{
	const uint8_t *past = field->whole ? field->seek.end : atid_seek_past(&field->seek);

	if (past == NULL)
		refuse_damaged(field->block);
	return atid_jsonb_of_value(field->block, field->seek.p, (size_t) (past - field->seek.p));
}

/*
 * The text that the JSON of a link or of bytes has.
 */
static char *
special_of_field(const AtidField *field, size_t *len)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event = first_event(field, &reader, &item);

	return atid_text_of_special(&reader, event, &item, len);
}

/*
 * dag_cbor_get(block, path): the jsonb of a field, or NULL.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_get);
Datum
atid_dag_cbor_get(PG_FUNCTION_ARGS)
{
	AtidField	field;

	if (!field_of_call(fcinfo, &field))
		PG_RETURN_NULL();
	if (field.of_special)
	{
		JsonbValue	v;
		size_t		len;

		v.type = jbvString;
		v.val.string.val = special_of_field(&field, &len);
		v.val.string.len = (int) len;
		PG_RETURN_JSONB_P(JsonbValueToJsonb(&v));
	}
	PG_RETURN_JSONB_P(jsonb_of_field(&field));
}

/*
 * dag_cbor_get_text(block, path): the text of a field; NULL where there is none, or the
 * type text cannot hold it.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_get_text);
Datum
atid_dag_cbor_get_text(PG_FUNCTION_ARGS)
{
	AtidField	field;
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	text	   *result = NULL;
	char	   *chars;
	size_t		len;

	if (!field_of_call(fcinfo, &field))
		PG_RETURN_NULL();
	event = first_event(&field, &reader, &item);
	switch (event)
	{
		case ATID_CBOR_TEXT:
			if (!item.nul)
				result = atid_text_from_utf8((const char *) item.data, item.len);
			break;
		case ATID_CBOR_LINK:
		case ATID_CBOR_BYTES:
			if (item.len > ATID_SPECIAL_MAX)
				break;
			chars = atid_text_of_special(&reader, event, &item, &len);
			result = cstring_to_text_with_len(chars, (int) len);
			break;
		case ATID_CBOR_INTEGER:
			result = cstring_to_text(psprintf(INT64_FORMAT, item.integer));
			break;
		case ATID_CBOR_BOOL:
			result = cstring_to_text(item.integer ? "true" : "false");
			break;
		case ATID_CBOR_MAP:
		case ATID_CBOR_ARRAY:
			field_reader_init(&reader, &field);
			result = atid_try_json_text(&reader);
			if (reader.fault != ATID_OK)
				refuse_damaged(field.block);
			break;
		default:
			break;
	}
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(result);
}

/*
 * dag_cbor_typeof(block, path): what the field is, or NULL.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_typeof);
Datum
atid_dag_cbor_typeof(PG_FUNCTION_ARGS)
{
	AtidField	field;
	AtidCborReader reader;
	AtidCborItem item;
	const char *name = NULL;

	if (!field_of_call(fcinfo, &field))
		PG_RETURN_NULL();
	switch (first_event(&field, &reader, &item))
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
			name = field.of_special ? "string" : "link";
			break;
		case ATID_CBOR_BYTES:
			name = field.of_special ? "string" : "bytes";
			break;
		default:
			refuse_damaged(field.block);
	}
	if (field.whole && reader.depth > 0 && !atid_block_read_rest(&reader))
		refuse_damaged(field.block);
	PG_RETURN_TEXT_P(cstring_to_text(name));
}

/*
 * dag_cbor_get_block(block, path): the block of a field, or NULL.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_get_block);
Datum
atid_dag_cbor_get_block(PG_FUNCTION_ARGS)
{
	AtidField	field;
	AtidCborReader reader;
	const uint8_t *begin;

	if (!field_of_call(fcinfo, &field))
		PG_RETURN_NULL();
	if (field.of_special)
	{
		const size_t head_max = 9;
		AtidCborWriter writer = {0};
		size_t		len;
		char	   *chars = special_of_field(&field, &len);
		bytea	   *block = palloc(VARHDRSZ + head_max + len);

		writer.data = (uint8_t *) VARDATA(block);
		writer.cap = head_max + len;
		atid_cbor_put_text(&writer, chars, len);
		SET_VARSIZE(block, VARHDRSZ + writer.len);
		PG_RETURN_BYTEA_P(block);
	}
	field_reader_init(&reader, &field);
	begin = reader.p;
	if (!atid_block_read_rest(&reader))
		refuse_damaged(field.block);
	PG_RETURN_DATUM(atid_bytes_datum(begin, (size_t) (reader.end - begin)));
}
