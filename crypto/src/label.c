/*-------------------------------------------------------------------------
 *
 * label.c
 *		Signatures of labels.
 *
 * A label (AT Protocol, "Labels") is signed over the DAG-CBOR of its specified
 * fields without sig.  Other fields in the jsonb, such as $type, are not signed and are
 * ignored.  In the order of DAG-CBOR, which is alphabetical here because all keys have
 * three letters:
 *
 *		cid		string, optional
 *		cts		string
 *		exp		string, optional
 *		neg		boolean, optional
 *		src		string
 *		uri		string
 *		val		string
 *		ver		1
 *
 * A label from the API can lack ver, but the signed form always has it; it is 1 then.
 * All fields that are there are signed, also "neg": false, which should be left out.
 *
 * If the jsonb is not a label, because a field is missing or has another type, the answer
 * is false, not an error, so that one bad row does not stop a query.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "codec/cbor/dagcbor.h"
#include "compat.h"
#include "key.h"
#include "object.h"
#include "signature.h"
#include "sigtext.h"
#include "utf8.h"

#define LABEL_VERSION 1

typedef enum FieldType
{
	FIELD_STRING,
	FIELD_BOOL,
	FIELD_VERSION
} FieldType;

/* A missing ver is taken for 1. */
static const struct
{
	const char *key;
	FieldType	type;
	bool		required;
}			fields[] = {
	{"cid", FIELD_STRING, false},
	{"cts", FIELD_STRING, true},
	{"exp", FIELD_STRING, false},
	{"neg", FIELD_BOOL, false},
	{"src", FIELD_STRING, true},
	{"uri", FIELD_STRING, true},
	{"val", FIELD_STRING, true},
	{"ver", FIELD_VERSION, false},
};

#define FIELDS ((int) lengthof(fields))


static Datum
version_numeric(void)
{
	return NumericGetDatum(int64_to_numeric(LABEL_VERSION));
}

/*
 * Write the value of a field; false if it has another type.
 */
static bool
put_value(AtidCborWriter *writer, FieldType type, const JsonbValue *value)
{
	switch (type)
	{
		case FIELD_STRING:
			if (value->type != jbvString ||
				!atid_has_utf8(value->val.string.val, value->val.string.len))
				return false;
			atid_put_string(writer, value);
			return true;
		case FIELD_BOOL:
			if (value->type != jbvBool)
				return false;
			atid_cbor_put_bool(writer, value->val.boolean);
			return true;
		case FIELD_VERSION:
			if (value->type != jbvNumeric ||
				!DatumGetBool(DirectFunctionCall2(numeric_eq, version_numeric(),
												  NumericGetDatum(value->val.numeric))))
				return false;
			atid_cbor_put_integer(writer, LABEL_VERSION);
			return true;
	}
	return false;
}

/*
 * Write the bytes that a label's signature covers; false if the jsonb is not a label.
 */
static bool
put_unsigned_label(AtidCborWriter *writer, JsonbContainer *label)
{
	JsonbValue	values[FIELDS];
	bool		present[FIELDS];
	size_t		pairs = 0;

	for (int i = 0; i < FIELDS; i++)
	{
		present[i] = atid_find_field(label, fields[i].key, &values[i]);
		if (!present[i] && fields[i].type == FIELD_VERSION)
		{
			values[i].type = jbvNumeric;
			values[i].val.numeric = DatumGetNumeric(version_numeric());
			present[i] = true;
		}
		if (!present[i] && fields[i].required)
			return false;
		pairs += present[i] ? 1 : 0;
	}

	atid_cbor_put_map(writer, pairs);
	for (int i = 0; i < FIELDS; i++)
	{
		if (!present[i])
			continue;
		atid_put_name(writer, fields[i].key);
		if (!put_value(writer, fields[i].type, &values[i]))
			return false;
	}
	return writer->fault == ATID_OK;
}

/*
 * Is this the label's src?
 */
static bool
label_is_of(Jsonb *label, const text *did)
{
	JsonbValue	src;

	return atid_find_field(&label->root, "src", &src) &&
		src.type == jbvString && src.val.string.len == (int) VARSIZE_ANY_EXHDR(did) &&
		memcmp(src.val.string.val, VARDATA_ANY(did), src.val.string.len) == 0;
}

/*
 * Is this a label of this account that the key has signed?
 */
static bool
label_is_signed(Jsonb *label, const text *did, AtidVerifier *verifier)
{
	uint8_t		signature[ATID_SIGNATURE_LEN];
	AtidCborWriter writer = atid_writer_in_context(Min(VARSIZE(label), ATID_CBOR_SIZE_MAX));
	JsonbValue	sig;
	bool		result;

	result = JB_ROOT_IS_OBJECT(label) &&
		label_is_of(label, did) &&
		atid_find_field(&label->root, "sig", &sig) &&
		atid_signature_from_bytes(&sig, signature) &&
		put_unsigned_label(&writer, &label->root) &&
		atid_key_has_signed(verifier, writer.data, writer.len, signature, sizeof(signature));

	pfree(writer.data);
	return result;
}

/*
 * label_is_signed_by(label jsonb, did text, key text): is the label of this account,
 * and has the key signed it?
 */
PG_FUNCTION_INFO_V1(atid_label_is_signed_by);
Datum
atid_label_is_signed_by(PG_FUNCTION_ARGS)
{
	Jsonb	   *label = PG_GETARG_JSONB_P(0);
	text	   *did = PG_GETARG_TEXT_PP(1);
	AtidVerifier *verifier = atid_key_argument(fcinfo, 2);
	bool		result = label_is_signed(label, did, verifier);

	PG_FREE_IF_COPY(label, 0);
	PG_FREE_IF_COPY(did, 1);
	PG_RETURN_BOOL(result);
}
