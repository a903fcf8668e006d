/*-------------------------------------------------------------------------
 *
 * operation.c
 *		Operations of the DID method PLC: their form, and their DAG-CBOR.
 *
 * An operation (did:plc, "Operation Serialization, Signing, and Validation") is a
 * JSON object of one of three types, which has exactly these fields:
 *
 *		plc_operation	the present form: rotationKeys, verificationMethods,
 *						alsoKnownAs, services
 *		create			the first form of a genesis operation: signingKey,
 *						recoveryKey, handle, service
 *		plc_tombstone	the end of the DID; no others
 *		all				type, prev, sig
 *
 * prev is the CID of the previous operation as a string, null in a genesis operation.
 * A create is always a genesis operation, and a tombstone never is.
 *
 * Strings are not checked for their meaning, because the directory has accepted
 * operations with malformed keys, with no or duplicate rotation keys, and of more than
 * 7,500 bytes, and later operations follow them.  Only prev and sig are checked.
 *
 * An operation is signed and hashed over its DAG-CBOR.
 *
 * The form bounds the depth, so nothing recurses.  Memory: some twice the jsonb, more
 * in a database that is not in UTF-8.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/binaryheap.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/json.h"
#include "utils/jsonb.h"

#include "codec/ascii.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/multiformat.h"
#include "codec/text/base32.h"
#include "error.h"
#include "object.h"
#include "operation.h"
#include "signature.h"
#include "sigtext.h"
#include "utf8.h"

#define UPDATE ATID_OPERATION_UPDATE
#define CREATE ATID_OPERATION_CREATE
#define TOMBSTONE ATID_OPERATION_TOMBSTONE

/* The types, and what the prev of each may be. */
static const struct
{
	const char *name;
	AtidOperationType type;
	bool		last;			/* nothing may follow it */
	bool		prev_null;
	bool		prev_cid;
	AtidFault	prev_fault;
}			types[] = {
	{"plc_operation", UPDATE, false, true, true, ATID_OPERATION_PREV},
	{"create", CREATE, false, true, false, ATID_OPERATION_PREV_NULL},
	{"plc_tombstone", TOMBSTONE, true, false, true, ATID_OPERATION_PREV_CID},
};

/* The kinds of values. */
typedef enum FieldKind
{
	FIELD_TYPE,
	FIELD_PREV,
	FIELD_SIG,
	FIELD_STRING,
	FIELD_STRINGS,				/* an array of strings */
	FIELD_STRING_MAP,			/* an object of strings */
	FIELD_SERVICES				/* an object of services */
} FieldKind;

/* All fields in the order of DAG-CBOR, and the types that have each. */
static const struct
{
	const char *name;
	FieldKind	kind;
	int			types;
}			fields[] = {
	{"sig", FIELD_SIG, UPDATE | CREATE | TOMBSTONE},
	{"prev", FIELD_PREV, UPDATE | CREATE | TOMBSTONE},
	{"type", FIELD_TYPE, UPDATE | CREATE | TOMBSTONE},
	{"handle", FIELD_STRING, CREATE},
	{"service", FIELD_STRING, CREATE},
	{"services", FIELD_SERVICES, UPDATE},
	{"signingKey", FIELD_STRING, CREATE},
	{"alsoKnownAs", FIELD_STRINGS, UPDATE},
	{"recoveryKey", FIELD_STRING, CREATE},
	{"rotationKeys", FIELD_STRINGS, UPDATE},
	{"verificationMethods", FIELD_STRING_MAP, UPDATE},
};

/* The fields of a service, in the same order. */
static const char *const service_fields[] = {"type", "endpoint"};

#define DID_PREFIX "did:plc:"
#define DID_PREFIX_LEN (sizeof(DID_PREFIX) - 1)

/* As many bytes of the hash are the rest of the DID: 24 characters. */
#define DID_HASH_LEN 15

/* A path shows at most so many bytes of a key. */
#define KEY_MAX 100

/* What is wrong, and its place. */
typedef struct FormProblem
{
	StringInfoData path;
	AtidFault	fault;
} FormProblem;


/*
 * The form
 */

static bool
string_is(const JsonbValue *value, const char *string)
{
	return value->type == jbvString &&
		value->val.string.len == (int) strlen(string) &&
		memcmp(value->val.string.val, string, value->val.string.len) == 0;
}

static bool
note_fault(FormProblem *problem, AtidFault fault)
{
	problem->fault = fault;
	return false;
}

/*
 * Append a key to the path, as in errors about records: .name or ["a name"].
 */
static void
append_key(StringInfo path, const char *key, int len)
{
	bool		plain = len > 0 && len <= KEY_MAX && !atid_is_digit(key[0]);

	for (int i = 0; plain && i < len; i++)
		plain = atid_is_letter(key[i]) || atid_is_digit(key[i]) || key[i] == '_' || key[i] == '$';
	if (plain)
	{
		appendStringInfoChar(path, '.');
		appendBinaryStringInfo(path, key, len);
	}
	else
	{
		size_t		shown = (size_t) len;
		char	   *copy = atid_clip(key, &shown, GetDatabaseEncoding(), KEY_MAX);

		appendStringInfoChar(path, '[');
		escape_json(path, copy);
		appendStringInfoChar(path, ']');
		pfree(copy);
	}
}

static void
truncate_path(FormProblem *problem, int len)
{
	problem->path.len = len;
	problem->path.data[len] = '\0';
}

static bool
check_text(const JsonbValue *value, FormProblem *problem)
{
	if (!atid_has_utf8(value->val.string.val, value->val.string.len))
		return note_fault(problem, atid_utf8_fault());
	return true;
}

static bool
check_string(const JsonbValue *value, FormProblem *problem)
{
	if (value->type != jbvString)
		return note_fault(problem, ATID_CONFORM_NOT_STRING);
	return check_text(value, problem);
}

/*
 * Check the object of a service.
 */
static bool
check_service(const JsonbValue *value, FormProblem *problem)
{
	int			path_len = problem->path.len;

	if (!atid_is_object(value))
		return note_fault(problem, ATID_CONFORM_NOT_OBJECT);
	for (int i = 0; i < (int) lengthof(service_fields); i++)
	{
		JsonbValue	field;

		append_key(&problem->path, service_fields[i], (int) strlen(service_fields[i]));
		if (!atid_find_field(value->val.binary.data, service_fields[i], &field))
			return note_fault(problem, ATID_OPERATION_SERVICE_MISSING);
		if (!check_string(&field, problem))
			return false;
		truncate_path(problem, path_len);
	}
	if (JsonContainerSize(value->val.binary.data) != lengthof(service_fields))
		return note_fault(problem, ATID_OPERATION_SERVICE_EXTRA);
	return true;
}

/*
 * Check the strings of an array, or the strings or services of an object.
 */
static bool
check_items(const JsonbValue *value, FieldKind kind, FormProblem *problem)
{
	int			path_len = problem->path.len;
	JsonbIterator *iterator = JsonbIteratorInit(value->val.binary.data);
	JsonbIteratorToken token;
	JsonbValue	item;
	JsonbValue	key = {0};
	int			index = 0;

	/* a nested array or object comes as one item */
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			key = item;
		if (token != WJB_ELEM && token != WJB_VALUE)
			continue;

		if (token == WJB_ELEM)
			appendStringInfo(&problem->path, "[%d]", index++);
		else
		{
			append_key(&problem->path, key.val.string.val, key.val.string.len);
			if (!check_text(&key, problem))
				return false;
		}
		if (!(kind == FIELD_SERVICES ? check_service(&item, problem) :
			  check_string(&item, problem)))
			return false;
		truncate_path(problem, path_len);
	}
	return true;
}

/*
 * Is it the CID of an operation: version 1, dag-cbor, SHA-256?
 */
static bool
is_operation_cid(const JsonbValue *value)
{
	uint8_t		cid[ATID_CID_BLESSED_LEN];
	size_t		at;

	return value->type == jbvString &&
		(size_t) value->val.string.len == atid_cid_text_len(sizeof(cid)) &&
		atid_cid_from_text(value->val.string.val, value->val.string.len, cid,
						   &at) == ATID_OK &&
		atid_cid_is_dag_cbor(cid, sizeof(cid));
}

/* The index in types of a type. */
static int
index_of_type(AtidOperationType type)
{
	int			i = 0;

	while (types[i].type != type)
		i++;
	return i;
}

static bool
check_prev(const JsonbValue *value, AtidOperation *operation, FormProblem *problem)
{
	int			type = index_of_type(operation->type);

	operation->genesis = value->type == jbvNull;
	if (operation->genesis ? types[type].prev_null :
		types[type].prev_cid && is_operation_cid(value))
		return true;
	return note_fault(problem, types[type].prev_fault);
}

static bool
check_field(const JsonbValue *value, FieldKind kind, AtidOperation *operation, FormProblem *problem)
{
	switch (kind)
	{
		case FIELD_TYPE:
			return true;		/* checked by check_type() */
		case FIELD_PREV:
			return check_prev(value, operation, problem);
		case FIELD_SIG:
			if (!atid_signature_from_base64url(value, operation->signature))
				return note_fault(problem, ATID_OPERATION_SIG);
			return true;
		case FIELD_STRING:
			return check_string(value, problem);
		case FIELD_STRINGS:
			if (!atid_is_array(value))
				return note_fault(problem, ATID_CONFORM_NOT_ARRAY);
			return check_items(value, kind, problem);
		case FIELD_STRING_MAP:
		case FIELD_SERVICES:
			if (!atid_is_object(value))
				return note_fault(problem, ATID_CONFORM_NOT_OBJECT);
			return check_items(value, kind, problem);
	}
	return false;
}

static bool
check_type(AtidOperation *operation, FormProblem *problem)
{
	JsonbValue	value;

	if (atid_find_field(operation->object, "type", &value))
	{
		for (int i = 0; i < (int) lengthof(types); i++)
		{
			if (string_is(&value, types[i].name))
			{
				operation->type = types[i].type;
				return true;
			}
		}
	}
	appendStringInfoString(&problem->path, ".type");
	return note_fault(problem, ATID_CONFORM_CONST);
}

/*
 * Find the first field that this type of operation must not have.
 */
static bool
find_other_field(const AtidOperation *operation, FormProblem *problem)
{
	JsonbIterator *iterator = JsonbIteratorInit(operation->object);
	JsonbIteratorToken token;
	JsonbValue	key;

	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		bool		known = token != WJB_KEY;

		for (int i = 0; !known && i < (int) lengthof(fields); i++)
			known = (fields[i].types & operation->type) != 0 && string_is(&key, fields[i].name);
		if (!known)
		{
			append_key(&problem->path, key.val.string.val, key.val.string.len);
			return note_fault(problem, ATID_OPERATION_EXTRA);
		}
	}
	return true;
}

static bool
check_form(JsonbContainer *json, AtidOperation *operation, FormProblem *problem)
{
	uint32		count = 0;

	if (!JsonContainerIsObject(json))
		return note_fault(problem, ATID_CONFORM_NOT_OBJECT);
	operation->object = json;
	if (!check_type(operation, problem))
		return false;
	for (int i = 0; i < (int) lengthof(fields); i++)
	{
		int			path_len = problem->path.len;
		JsonbValue	value;

		if ((fields[i].types & operation->type) == 0)
			continue;
		append_key(&problem->path, fields[i].name, (int) strlen(fields[i].name));
		if (!atid_find_field(json, fields[i].name, &value))
			return note_fault(problem, ATID_OPERATION_MISSING);
		if (!check_field(&value, fields[i].kind, operation, problem))
			return false;
		truncate_path(problem, path_len);
		count++;
	}
	return JsonContainerSize(json) == count || find_other_field(operation, problem);
}

/* The names of all types, quoted. */
static char *
list_types(void)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < (int) lengthof(types); i++)
		appendStringInfo(&list, "%s\"%s\"", i == 0 ? "" :
						 i == (int) lengthof(types) - 1 ? " or " : ", ", types[i].name);
	return list.data;
}

char *
atid_operation_read(JsonbContainer *json, AtidOperation *operation)
{
	FormProblem problem;
	char	   *about = NULL;
	char	   *result = NULL;

	initStringInfo(&problem.path);
	appendStringInfoChar(&problem.path, '$');
	if (!check_form(json, operation, &problem))
	{
		if (problem.fault == ATID_CONFORM_CONST)
			about = list_types();
		result = psprintf("%s: %s", problem.path.data, atid_fault_sentence(problem.fault, about));
	}
	pfree(problem.path.data);
	return result;
}


/*
 * Parts
 */

const char *
atid_operation_type_name(AtidOperationType type)
{
	return types[index_of_type(type)].name;
}

bool
atid_operation_has(AtidOperationType type, const char *name)
{
	for (int i = 0; i < (int) lengthof(fields); i++)
	{
		if (strcmp(fields[i].name, name) == 0)
			return (fields[i].types & type) != 0;
	}
	return false;
}

bool
atid_operation_is_last(AtidOperationType type)
{
	return types[index_of_type(type)].last;
}

void
atid_operation_field(JsonbContainer *object, const char *name, JsonbValue *value)
{
	if (!atid_find_field(object, name, value))
		elog(ERROR, "operation without %s", name);
}

AtidRotationKeys
atid_rotation_keys(JsonbContainer *object, AtidOperationType type)
{
	AtidRotationKeys keys = {.operation = object};
	JsonbValue	list;

	if (type == CREATE)
		keys.count = 2;
	else if (atid_operation_has(type, "rotationKeys"))
	{
		atid_operation_field(object, "rotationKeys", &list);
		keys.list = list.val.binary.data;
		keys.count = (int) JsonContainerSize(keys.list);
	}
	return keys;
}

void
atid_rotation_key(const AtidRotationKeys *keys, int index, JsonbValue *key)
{
	JsonbValue *item;

	if (keys->list == NULL)
	{
		atid_operation_field(keys->operation, index == 0 ? "recoveryKey" : "signingKey", key);
		return;
	}
	item = getIthJsonbValueFromContainer(keys->list, (uint32) index);
	*key = *item;
	pfree(item);
}


/*
 * The block
 */

static void
put_strings(AtidCborWriter *writer, JsonbContainer *array)
{
	JsonbIterator *iterator = JsonbIteratorInit(array);
	JsonbIteratorToken token;
	JsonbValue	item;

	atid_cbor_put_array(writer, JsonContainerSize(array));
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_ELEM)
			atid_put_string(writer, &item);
	}
}

static void
put_item(AtidCborWriter *writer, const JsonbValue *value)
{
	JsonbValue	field;

	if (value->type == jbvString)
	{
		atid_put_string(writer, value);
		return;
	}
	atid_cbor_put_map(writer, lengthof(service_fields));
	for (int i = 0; i < (int) lengthof(service_fields); i++)
	{
		atid_put_name(writer, service_fields[i]);
		atid_find_field(value->val.binary.data, service_fields[i], &field);
		atid_put_string(writer, &field);
	}
}

/* A pair of an object, with its key in UTF-8. */
typedef struct MapPair
{
	const char *key;
	size_t		key_len;
	JsonbValue	value;
} MapPair;

/* Reversed, because a heap gives the greatest first. */
static int
compare_pairs(Datum a, Datum b, void *arg)
{
	const MapPair *x = (const MapPair *) DatumGetPointer(a);
	const MapPair *y = (const MapPair *) DatumGetPointer(b);

	return atid_cbor_key_cmp(y->key, y->key_len, x->key, x->key_len);
}

/*
 * Write an object of strings or services.  A jsonb has its keys in the order of DAG-CBOR,
 * by length and then by bytes, but converting them to UTF-8 may change that.  Then they
 * are sorted with a heap, because some inputs make qsort() quadratic.
 */
static void
put_map(AtidCborWriter *writer, JsonbContainer *object)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbIteratorToken token;
	uint32		count = JsonContainerSize(object);
	bool		sorted = GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;
	binaryheap *heap = NULL;
	MapPair    *pairs = NULL;
	MapPair    *next = NULL;
	JsonbValue	item;

	atid_cbor_put_map(writer, count);
	if (!sorted)
	{
		heap = binaryheap_allocate((int) count + 1, compare_pairs, NULL);
		pairs = next = palloc_extended(sizeof(MapPair) * (count + 1), MCXT_ALLOC_HUGE);
	}
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY && sorted)
			atid_put_string(writer, &item);
		else if (token == WJB_VALUE && sorted)
			put_item(writer, &item);
		else if (token == WJB_KEY)
			next->key = atid_string_utf8(&item, &next->key_len);
		else if (token == WJB_VALUE)
		{
			next->value = item;
			binaryheap_add_unordered(heap, PointerGetDatum(next++));
		}
	}
	if (sorted)
		return;

	binaryheap_build(heap);
	while (!binaryheap_empty(heap))
	{
		const MapPair *pair = (const MapPair *) DatumGetPointer(binaryheap_remove_first(heap));

		CHECK_FOR_INTERRUPTS();
		atid_cbor_put_text(writer, pair->key, pair->key_len);
		put_item(writer, &pair->value);
	}
	binaryheap_free(heap);
	pfree(pairs);
}

uint8_t *
atid_operation_block(const AtidOperation *operation, bool with_sig, size_t *len)
{
	AtidCborWriter writer = atid_writer_in_context(1024);
	int			count = (int) JsonContainerSize(operation->object);

	atid_cbor_put_map(&writer, with_sig ? count : count - 1);
	for (int i = 0; i < (int) lengthof(fields); i++)
	{
		JsonbValue	value;

		if ((fields[i].types & operation->type) == 0 ||
			(fields[i].kind == FIELD_SIG && !with_sig))
			continue;
		atid_put_name(&writer, fields[i].name);
		atid_find_field(operation->object, fields[i].name, &value);
		switch (fields[i].kind)
		{
			case FIELD_TYPE:
			case FIELD_PREV:
			case FIELD_SIG:
			case FIELD_STRING:
				if (value.type == jbvNull)
					atid_cbor_put_null(&writer);
				else
					atid_put_string(&writer, &value);
				break;
			case FIELD_STRINGS:
				put_strings(&writer, value.val.binary.data);
				break;
			case FIELD_STRING_MAP:
			case FIELD_SERVICES:
				put_map(&writer, value.val.binary.data);
				break;
		}
	}
	Assert(writer.fault == ATID_OK);
	*len = writer.len;
	return writer.data;
}

void
atid_operation_did(const uint8_t digest[ATID_DIGEST_LEN], char did[ATID_PLC_DID_LEN])
{
	memcpy(did, DID_PREFIX, DID_PREFIX_LEN);
	atid_base32_encode(digest, DID_HASH_LEN, did + DID_PREFIX_LEN);
}
