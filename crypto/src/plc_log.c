/*-------------------------------------------------------------------------
 *
 * plc_log.c
 *		SQL functions over the log of an account of the DID method PLC.
 *
 * The log is read and verified whole (log.c).  A log that is not valid has no rows.
 *
 * The directory answers with its last operation.  So each operation was in force from its
 * own time until that of the next entry, also one that was nullified later.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "codec/cbor/multiformat.h"
#include "compat.h"
#include "jsonbuild.h"
#include "keyring.h"
#include "log.h"
#include "operation.h"


/*
 * An operation's data as jsonb
 */

static JsonbValue
make_string(const char *str, int len)
{
	JsonbValue	value;

	value.type = jbvString;
	value.val.string.val = unconstify(char *, str);
	value.val.string.len = len;
	return value;
}

static void
push_key(AtidJsonbBuilder *builder, const char *name)
{
	JsonbValue	key = make_string(name, (int) strlen(name));

	atid_push_jsonb(builder, WJB_KEY, &key);
}

static void
push_pair(AtidJsonbBuilder *builder, const char *name, JsonbValue value)
{
	push_key(builder, name);
	atid_push_jsonb(builder, WJB_VALUE, &value);
}

/* Take the first of these texts out of a string, as String.replace() of JavaScript does. */
static void
take_out(StringInfo buf, const char *what)
{
	char	   *found = strstr(buf->data, what);
	size_t		len = strlen(what);

	if (found == NULL)
		return;
	memmove(found, found + len, strlen(found + len) + 1);
	buf->len -= (int) len;
}

static bool
begins_with(const JsonbValue *value, const char *prefix)
{
	size_t		len = strlen(prefix);

	return (size_t) value->val.string.len >= len &&
		memcmp(value->val.string.val, prefix, len) == 0;
}

/*
 * The handle of a create as alsoKnownAs has it: at:// in front of it instead of http:// or
 * https://.  This is what the directory's own library does.
 */
static JsonbValue
handle_to_uri(const JsonbValue *handle)
{
	StringInfoData buf;
	StringInfoData uri;

	if (begins_with(handle, "at://"))
		return *handle;
	initStringInfo(&buf);
	appendBinaryStringInfo(&buf, handle->val.string.val, handle->val.string.len);
	take_out(&buf, "http://");
	take_out(&buf, "https://");
	initStringInfo(&uri);
	appendStringInfoString(&uri, "at://");
	appendBinaryStringInfo(&uri, buf.data, buf.len);
	return make_string(uri.data, uri.len);
}

/* The service of a create as an endpoint: https:// in front of it if it has no scheme. */
static JsonbValue
service_to_endpoint(const JsonbValue *service)
{
	StringInfoData buf;

	if (begins_with(service, "http://") || begins_with(service, "https://"))
		return *service;
	initStringInfo(&buf);
	appendStringInfoString(&buf, "https://");
	appendBinaryStringInfo(&buf, service->val.string.val, service->val.string.len);
	return make_string(buf.data, buf.len);
}

static void
push_create(AtidJsonbBuilder *builder, const AtidLogEntry *entry)
{
	JsonbValue	recovery_key;
	JsonbValue	signing_key;
	JsonbValue	handle;
	JsonbValue	service;

	atid_operation_field(entry->operation, "recoveryKey", &recovery_key);
	atid_operation_field(entry->operation, "signingKey", &signing_key);
	atid_operation_field(entry->operation, "handle", &handle);
	atid_operation_field(entry->operation, "service", &service);
	handle = handle_to_uri(&handle);

	push_key(builder, "rotationKeys");
	atid_push_jsonb(builder, WJB_BEGIN_ARRAY, NULL);
	atid_push_jsonb(builder, WJB_ELEM, &recovery_key);
	atid_push_jsonb(builder, WJB_ELEM, &signing_key);
	atid_push_jsonb(builder, WJB_END_ARRAY, NULL);
	push_key(builder, "verificationMethods");
	atid_push_jsonb(builder, WJB_BEGIN_OBJECT, NULL);
	push_pair(builder, "atproto", signing_key);
	atid_push_jsonb(builder, WJB_END_OBJECT, NULL);
	push_key(builder, "alsoKnownAs");
	atid_push_jsonb(builder, WJB_BEGIN_ARRAY, NULL);
	atid_push_jsonb(builder, WJB_ELEM, &handle);
	atid_push_jsonb(builder, WJB_END_ARRAY, NULL);
	push_key(builder, "services");
	atid_push_jsonb(builder, WJB_BEGIN_OBJECT, NULL);
	push_key(builder, "atproto_pds");
	atid_push_jsonb(builder, WJB_BEGIN_OBJECT, NULL);
	push_pair(builder, "type", make_string("AtprotoPersonalDataServer",
										   (int) strlen("AtprotoPersonalDataServer")));
	push_pair(builder, "endpoint", service_to_endpoint(&service));
	atid_push_jsonb(builder, WJB_END_OBJECT, NULL);
	atid_push_jsonb(builder, WJB_END_OBJECT, NULL);
}

/*
 * What an operation says of the account.
 */
static Jsonb *
make_data(const AtidLogEntry *entry)
{
	static const char *const names[] = {
		"rotationKeys", "verificationMethods", "alsoKnownAs", "services"
	};
	AtidJsonbBuilder builder = {0};

	atid_push_jsonb(&builder, WJB_BEGIN_OBJECT, NULL);
	if (entry->type == ATID_OPERATION_CREATE)
		push_create(&builder, entry);
	else
	{
		for (int i = 0; i < (int) lengthof(names); i++)
		{
			JsonbValue	value;

			if (!atid_operation_has(entry->type, names[i]))
				continue;
			atid_operation_field(entry->operation, names[i], &value);
			push_pair(&builder, names[i], value);
		}
	}
	atid_push_jsonb(&builder, WJB_END_OBJECT, NULL);
	return JsonbValueToJsonb(builder.result);
}


/*
 * The verdict
 */

static char *
read_log(FunctionCallInfo fcinfo, AtidLog *log, bool strict)
{
	return atid_log_read(log, &PG_GETARG_JSONB_P(0)->root, strict,
						 atid_keyring_of_call_site(fcinfo));
}

/*
 * Is the second argument, strict, true?  NULL is false, its default.
 */
static bool
is_strict(FunctionCallInfo fcinfo)
{
	return !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);
}

/*
 * plc_log_problem(log jsonb, strict bool): why it is not a valid log, or NULL.  It is
 * not STRICT, because NULL says that there is no problem.
 */
PG_FUNCTION_INFO_V1(atid_plc_log_problem);
Datum
atid_plc_log_problem(PG_FUNCTION_ARGS)
{
	AtidLog		log;
	char	   *problem;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	problem = read_log(fcinfo, &log, is_strict(fcinfo));
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}

/*
 * plc_log_is_valid(log jsonb, strict bool): STRICT, as atid_crypto 1.1 has it.
 */
PG_FUNCTION_INFO_V1(atid_plc_log_is_valid);
Datum
atid_plc_log_is_valid(PG_FUNCTION_ARGS)
{
	AtidLog		log;

	PG_RETURN_BOOL(read_log(fcinfo, &log, is_strict(fcinfo)) == NULL);
}

/*
 * The same, not STRICT: a CHECK passes what is NULL, so a NULL strict must not lead to it.  It has
 * a name of its own, so that an older library, which a session may have loaded before an update,
 * is not called with a NULL.
 */
PG_FUNCTION_INFO_V1(atid_plc_log_is_valid_strict);
Datum
atid_plc_log_is_valid_strict(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return atid_plc_log_is_valid(fcinfo);
}


/*
 * The contents
 */

static Datum
cid_datum(const char *text)
{
	bytea	   *result = palloc(VARHDRSZ + ATID_CID_BLESSED_LEN);
	size_t		at;

	if (atid_cid_from_text(text, ATID_LOG_CID_LEN, (uint8_t *) VARDATA(result),
						   &at) != ATID_OK)
		elog(ERROR, "invalid CID");
	SET_VARSIZE(result, VARHDRSZ + ATID_CID_BLESSED_LEN);
	return PointerGetDatum(result);
}

static Datum
string_datum(const JsonbValue *value)
{
	return PointerGetDatum(cstring_to_text_with_len(value->val.string.val,
													value->val.string.len));
}

static Datum
did_datum(const AtidLog *log)
{
	return PointerGetDatum(cstring_to_text_with_len(log->did, ATID_PLC_DID_LEN));
}

/*
 * The time when an entry was followed by the next one; false if it never was.
 */
static bool
find_end(const AtidLog *log, int n, TimestampTz *end)
{
	if (n + 1 == log->count)
		return false;
	*end = log->entries[n + 1].created;
	return true;
}

/* A log whose rows are put out, and a context that is emptied for each entry. */
typedef struct LogRows
{
	AtidLog		log;
	ReturnSetInfo *rsinfo;
	MemoryContext row;
	MemoryContext caller;
} LogRows;

/*
 * Begin with the rows of a call, and read its log.  Returns false, and there are no rows, if
 * the log is not valid.
 */
static bool
begin_rows(FunctionCallInfo fcinfo, LogRows *rows)
{
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	rows->rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	if (read_log(fcinfo, &rows->log, false) != NULL)
		return false;
	rows->row = AllocSetContextCreate(CurrentMemoryContext, "row of a PLC log",
									  ALLOCSET_DEFAULT_SIZES);
	rows->caller = MemoryContextSwitchTo(rows->row);
	return true;
}

static void
put_row(LogRows *rows, Datum *values, bool *nulls)
{
	tuplestore_putvalues(rows->rsinfo->setResult, rows->rsinfo->setDesc, values, nulls);
}

static void
end_rows(LogRows *rows)
{
	MemoryContextSwitchTo(rows->caller);
	MemoryContextDelete(rows->row);
}

/*
 * The key that has signed an entry.
 */
static Datum
signer_datum(const AtidLog *log, const AtidLogEntry *entry)
{
	const AtidLogEntry *keys_of = entry->prev == ATID_LOG_NONE ? entry : &log->entries[entry->prev];
	AtidRotationKeys keys = atid_rotation_keys(keys_of->operation, keys_of->type);
	JsonbValue	key;

	atid_rotation_key(&keys, entry->signer, &key);
	return string_datum(&key);
}

/*
 * plc_log_history(log jsonb): a row for each operation.
 */
PG_FUNCTION_INFO_V1(atid_plc_log_history);
Datum
atid_plc_log_history(PG_FUNCTION_ARGS)
{
	LogRows		rows;

	if (!begin_rows(fcinfo, &rows))
		return (Datum) 0;
	for (int n = 0; n < rows.log.count; n++)
	{
		const AtidLogEntry *entry = &rows.log.entries[n];
		Datum		values[10] = {0};
		bool		nulls[10] = {0};
		TimestampTz end = 0;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(rows.row);
		values[0] = did_datum(&rows.log);
		values[1] = Int32GetDatum(n);
		values[2] = cid_datum(entry->cid);
		values[3] = TimestampTzGetDatum(entry->created);
		values[4] = BoolGetDatum(entry->nullifier != ATID_LOG_NONE);
		values[5] = CStringGetTextDatum(atid_operation_type_name(entry->type));
		values[6] = signer_datum(&rows.log, entry);
		values[7] = values[3];
		nulls[8] = !find_end(&rows.log, n, &end);
		values[8] = TimestampTzGetDatum(end);
		nulls[9] = atid_operation_is_last(entry->type);
		if (!nulls[9])
			values[9] = JsonbPGetDatum(make_data(entry));
		put_row(&rows, values, nulls);
	}
	end_rows(&rows);
	return (Datum) 0;
}

/*
 * The key that an operation has under an id.
 */
static bool
find_method(const AtidLogEntry *entry, const JsonbValue *id, JsonbValue *key)
{
	JsonbValue	methods;

	if (entry->type == ATID_OPERATION_CREATE)
	{
		atid_operation_field(entry->operation, "signingKey", key);
		return id->val.string.len == (int) strlen("atproto") && begins_with(id, "atproto");
	}
	if (!atid_operation_has(entry->type, "verificationMethods"))
		return false;
	atid_operation_field(entry->operation, "verificationMethods", &methods);
	return getKeyJsonValueFromContainer(methods.val.binary.data, id->val.string.val,
										id->val.string.len, key) != NULL;
}

/* Does an entry continue what another one has under this id? */
static bool
continues(const AtidLogEntry *entry, const AtidLogEntry *other, const JsonbValue *id,
		  const JsonbValue *key)
{
	JsonbValue	found;

	return (entry->nullifier == ATID_LOG_NONE) == (other->nullifier == ATID_LOG_NONE) &&
		find_method(other, id, &found) &&
		found.val.string.len == key->val.string.len &&
		memcmp(found.val.string.val, key->val.string.val, key->val.string.len) == 0;
}

/*
 * A row for a key that begins with entry n, if it does.
 */
static void
put_key(LogRows *rows, int n, const JsonbValue *id, const JsonbValue *key)
{
	const AtidLog *log = &rows->log;
	const AtidLogEntry *entry = &log->entries[n];
	Datum		values[6] = {0};
	bool		nulls[6] = {0};
	TimestampTz end = 0;
	int			last = n;

	if (n > 0 && continues(entry, entry - 1, id, key))
		return;
	while (last + 1 < log->count && continues(entry, &log->entries[last + 1], id, key))
	{
		CHECK_FOR_INTERRUPTS();
		last++;
	}
	values[0] = did_datum(log);
	values[1] = string_datum(id);
	values[2] = string_datum(key);
	values[3] = TimestampTzGetDatum(entry->created);
	nulls[4] = !find_end(log, last, &end);
	values[4] = TimestampTzGetDatum(end);
	values[5] = BoolGetDatum(entry->nullifier != ATID_LOG_NONE);
	put_row(rows, values, nulls);
}

/*
 * plc_log_keys(log jsonb): the verification keys, and when they were in force.
 */
PG_FUNCTION_INFO_V1(atid_plc_log_keys);
Datum
atid_plc_log_keys(PG_FUNCTION_ARGS)
{
	LogRows		rows;

	if (!begin_rows(fcinfo, &rows))
		return (Datum) 0;
	for (int n = 0; n < rows.log.count; n++)
	{
		const AtidLogEntry *entry = &rows.log.entries[n];
		JsonbValue	id = make_string("atproto", (int) strlen("atproto"));
		JsonbValue	value;
		JsonbIterator *iterator;
		JsonbIteratorToken token;

		MemoryContextReset(rows.row);
		if (entry->type == ATID_OPERATION_CREATE && find_method(entry, &id, &value))
			put_key(&rows, n, &id, &value);
		if (!atid_operation_has(entry->type, "verificationMethods"))
			continue;
		atid_operation_field(entry->operation, "verificationMethods", &value);
		iterator = JsonbIteratorInit(value.val.binary.data);
		while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		{
			CHECK_FOR_INTERRUPTS();
			if (token == WJB_KEY)
				id = value;
			else if (token == WJB_VALUE)
				put_key(&rows, n, &id, &value);
		}
	}
	end_rows(&rows);
	return (Datum) 0;
}
