/*-------------------------------------------------------------------------
 *
 * object.c
 *		Objects of a jsonb: their fields, and their DAG-CBOR.
 *
 * Labels and operations of PLC come as jsonb, and are signed and hashed over DAG-CBOR.
 * atid's library cannot write that: in records {"$link": ...} and {"$bytes": ...} stand for
 * links and bytes, and here they are objects like all others.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/jsonb.h"

#include "codec/cbor/dagcbor.h"
#include "object.h"

bool
atid_find_field(JsonbContainer *object, const char *name, JsonbValue *value)
{
	return getKeyJsonValueFromContainer(object, name, (int) strlen(name), value) != NULL;
}

bool
atid_is_object(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data);
}

bool
atid_is_array(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data);
}


/*
 * Writing
 */

static bool
grow_in_context(AtidCborWriter *writer, size_t new_cap)
{
	writer->data = repalloc(writer->data, new_cap);
	writer->cap = new_cap;
	return true;
}

AtidCborWriter
atid_writer_in_context(size_t cap)
{
	AtidCborWriter writer = {.data = palloc(cap),.cap = cap,.grow = grow_in_context};

	return writer;
}

const char *
atid_string_utf8(const JsonbValue *string, size_t *len)
{
	const char *text = string->val.string.val;
	char	   *utf8 = pg_server_to_any(text, string->val.string.len, PG_UTF8);

	*len = utf8 == text ? (size_t) string->val.string.len : strlen(utf8);

	return utf8;
}

void
atid_put_string(AtidCborWriter *writer, const JsonbValue *string)
{
	size_t		len;
	const char *utf8 = atid_string_utf8(string, &len);

	atid_cbor_put_text(writer, utf8, len);
	if (utf8 != string->val.string.val)
		pfree(unconstify(char *, utf8));
}

void
atid_put_name(AtidCborWriter *writer, const char *name)
{
	atid_cbor_put_text(writer, name, strlen(name));
}
