/*-------------------------------------------------------------------------
 *
 * object.h
 *		Objects of a jsonb: their fields, and their DAG-CBOR.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_OBJECT_H
#define ATID_OBJECT_H

#include "utils/jsonb.h"

#include "codec/cbor/dagcbor.h"

/*
 * Sets *value to a field of an object; false if it has none of this name.  The value points
 * into the object.
 */
extern bool atid_find_field(JsonbContainer *object, const char *name, JsonbValue *value);

/* Is the value an object?  Is it an array? */
extern bool atid_is_object(const JsonbValue *value);
extern bool atid_is_array(const JsonbValue *value);

/*
 * A writer into memory of the current context, which grows.  The caller frees writer.data.
 */
extern AtidCborWriter atid_writer_in_context(size_t cap);

/*
 * A string in UTF-8, of *len bytes; not copied if that is the server's encoding.
 */
extern const char *atid_string_utf8(const JsonbValue *string, size_t *len);

/*
 * Write a string, which must have an equivalent in UTF-8; and the name of a field.
 */
extern void atid_put_string(AtidCborWriter *writer, const JsonbValue *string);
extern void atid_put_name(AtidCborWriter *writer, const char *name);

#endif							/* ATID_OBJECT_H */
