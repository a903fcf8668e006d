/*-------------------------------------------------------------------------
 *
 * lexicon.c
 *		The type atid.lexicon: a set of Lexicon documents by NSID.
 *
 * A value is a varlena (value.h): a version; three bytes that are reserved, and 0; the
 * SHA-256 of what follows; and the set in canonical DAG-CBOR, a map of each document by its
 * NSID.  The version is 1, or 2 if the set has a type or a format that the language lacks
 * (codec/lexicon/compile.c): libraries before 1.4 refuse such a set, and say of version 2 that
 * a newer version wrote it.  A release that learns such a type must still read the sets of
 * version 2 that break its rules.  Other versions and other reserved bytes are for later
 * releases, and an error in this one.  A set has one form, so equality and hashes are those of
 * the digest, and only that is fetched of a value that is toasted.
 *
 * The text is JSON: of one document the document itself, of others an array of them, in
 * the bytewise order of their NSIDs, and keys in the order of DAG-CBOR.  It is read back
 * to the same value.  In a database whose encoding is not UTF-8 it is ASCII, with escapes
 * for other characters.  The binary form is the text in UTF-8.
 *
 * Input drops the key "$type" of a document, which only a published record has.  Two
 * equal documents are one.  Everything else is kept, so a document in its file and as a
 * record is the same.  Each value is checked against the Lexicon language by compiling it
 * (codec/lexicon/compile.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "codec/cbor/dagcbor.h"
#include "codec/text/address.h"
#include "compat.h"
#include "error.h"
#include "function.h"
#include "lexicon/program.h"
#include "lexicon/value.h"
#include "record/decode.h"
#include "record/encode.h"


/*
 * Making a value
 */

/* What input can find: a value, or a fault and the problem in words. */
typedef struct Reading
{
	bool		strict;			/* refuse what the language lacks */
	AtidLexiconDatum *value;	/* NULL if there is a problem */
	AtidFault	fault;
	char	   *problem;
} Reading;

static void
note_problem(Reading *reading, AtidFault fault, const char *place)
{
	reading->fault = fault;
	reading->problem = psprintf("%s: %s", place, atid_fault_words(fault));
}

/*
 * Copy a document without the pair that lies between two places.
 */
static void
drop_pair(AtidLexiconPart *part, size_t pairs, const uint8 *first, const uint8 *from,
		  const uint8 *to, const uint8 *end)
{
	AtidCborWriter writer = {0};

	writer.cap = (end - first) + 16;
	writer.data = palloc_extended(writer.cap, MCXT_ALLOC_HUGE);
	atid_cbor_put_map(&writer, pairs - 1);
	memcpy(writer.data + writer.len, first, from - first);
	writer.len += from - first;
	memcpy(writer.data + writer.len, to, end - to);
	writer.len += end - to;
	part->document = writer.data;
	part->len = writer.len;
}

/*
 * Read a document, whose map has begun, to its end.  Its NSID is still to be checked; it
 * is NULL if there is none.
 */
static AtidLexiconPart
read_document(AtidCborReader *reader, AtidCborItem item)
{
	AtidLexiconPart part = {NULL, 0, reader->at, 0};
	size_t		pairs = item.len;
	int			depth = reader->depth;
	const uint8 *first = reader->p;
	const uint8 *type = NULL;
	const uint8 *type_end = NULL;
	AtidCborEvent event;
	bool		is_id = false;

	do
	{
		event = atid_lexicon_next_event(reader, &item);
		if (is_id && event == ATID_CBOR_TEXT)
		{
			part.nsid = item.data;
			part.nsid_len = item.len;
		}
		is_id = false;
		if (event == ATID_CBOR_KEY && reader->depth == depth)
		{
			if (type != NULL && type_end == NULL)
				type_end = reader->at;
			if (atid_cbor_item_is(&item, "$type"))
				type = reader->at;
			is_id = atid_cbor_item_is(&item, "id");
		}
	} while (reader->depth >= depth);

	part.len = reader->p - part.document;
	if (type != NULL)
		drop_pair(&part, pairs, first, type, type_end != NULL ? type_end : reader->p, reader->p);
	return part;
}

/*
 * The documents in a block, which is known to be DAG-CBOR.
 */
static void
read_documents(Reading *reading, bytea *block, AtidLexiconParts *parts)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	bool		array;

	atid_lexicon_read_bytes(&reader, VARDATA(block), VARSIZE(block) - VARHDRSZ);
	event = atid_lexicon_next_event(&reader, &item);
	array = event == ATID_CBOR_ARRAY;
	if (array)
		event = atid_lexicon_next_event(&reader, &item);
	else if (event != ATID_CBOR_MAP)
	{
		note_problem(reading, ATID_LEXICON_TOP, "$");
		return;
	}
	while (event != ATID_CBOR_END && event != ATID_CBOR_ARRAY_END)
	{
		const char *place = array ? psprintf("$[%zu]", parts->count) : "$";
		AtidLexiconPart part;
		AtidFault	fault;
		size_t		at;

		if (event != ATID_CBOR_MAP)
		{
			note_problem(reading, ATID_LEXICON_DOCUMENT, place);
			return;
		}
		part = read_document(&reader, item);
		if (part.nsid == NULL)
		{
			note_problem(reading, ATID_LEXICON_ID, place);
			return;
		}
		fault = atid_nsid_scan((const char *) part.nsid, part.nsid_len, &at);
		if (fault != ATID_OK)
		{
			note_problem(reading, fault, psprintf("%s.id", place));
			return;
		}
		atid_lexicon_add_part(parts, &part);
		event = atid_lexicon_next_event(&reader, &item);
	}
}

/*
 * Is a new value Lexicon?
 */
static void
check_language(Reading *reading)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "atid lexicon check",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	const uint8 *cbor = reading->value->cbor;
	size_t		len = ATID_LEXICON_CBOR_LEN(reading->value);
	AtidLexicon lexicon;
	size_t		at;
	AtidFault	fault = atid_lexicon_compile_here(&lexicon, cbor, len, &at);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	if (fault == ATID_OK && lexicon.other_fault != ATID_OK)
	{
		reading->value->version = ATID_LEXICON_FORM_OTHER;
		if (reading->strict)
		{
			fault = lexicon.other_fault;
			at = lexicon.other_at;
		}
	}
	if (fault != ATID_OK)
	{
		note_problem(reading, fault, atid_lexicon_place(cbor, len, at));
		pfree(reading->value);
		reading->value = NULL;
	}
}

/*
 * Read a block, or note that there is none.  The block is freed.
 */
static void
read_lexicon(Reading *reading, bytea *block)
{
	AtidLexiconParts parts = {0};
	const AtidLexiconPart *part;

	reading->value = NULL;
	if (block == NULL)
		return;
	read_documents(reading, block, &parts);
	if (reading->problem == NULL)
	{
		reading->fault = atid_lexicon_join(&parts, &reading->value, &part);
		if (reading->fault != ATID_OK)
			reading->problem = atid_lexicon_fault_of(part, reading->fault);
	}
	pfree(block);
	if (reading->value != NULL)
		check_language(reading);
}

static int
errcode_of_reading(const Reading *reading, int sqlstate)
{
	if (reading->fault == ATID_CBOR_DEPTH || reading->fault == ATID_CBOR_SIZE)
		return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
	return sqlstate;
}


/*
 * Input and output
 */

PG_FUNCTION_INFO_V1(atid_lexicon_in);
Datum
atid_lexicon_in(PG_FUNCTION_ARGS)
{
	char	   *str = PG_GETARG_CSTRING(0);
	size_t		len = strlen(str);
	Reading		reading = {0};
	Datum		json;

	read_lexicon(&reading, atid_try_block_of_json(str, len, &reading.fault, &reading.problem));
	if (reading.value != NULL)
		PG_RETURN_POINTER(reading.value);

	/*
	 * the server has better words for this one; it reads no further than up
	 * to there
	 */
	if (reading.fault == ATID_JSON_SYNTAX &&
		!DirectInputFunctionCallSafe(json_in, str, InvalidOid, -1, fcinfo->context, &json))
		return (Datum) 0;
	ereturn(fcinfo->context, (Datum) 0,
			(errcode(errcode_of_reading(&reading, ERRCODE_INVALID_TEXT_REPRESENTATION)),
			 errmsg("invalid input syntax for type %s: \"%s\"", "atid.lexicon",
					atid_quote(str, len)),
			 errdetail("%s", reading.problem)));
}

/*
 * The block of what is written as text: of one document, or of an array of them.
 */
static bytea *
block_of_lexicon(const AtidLexiconDatum *value)
{
	AtidLexiconParts parts = {0};
	AtidCborWriter writer = {0};
	bytea	   *block;

	atid_lexicon_split(&parts, value);
	atid_lexicon_sort(&parts);
	writer.cap = 16 + ATID_LEXICON_CBOR_LEN(value);
	block = palloc(VARHDRSZ + writer.cap);
	writer.data = (uint8 *) VARDATA(block);
	if (parts.count != 1)
		atid_cbor_put_array(&writer, parts.count);
	for (size_t i = 0; i < parts.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(writer.data + writer.len, parts.parts[i].document, parts.parts[i].len);
		writer.len += parts.parts[i].len;
	}
	SET_VARSIZE(block, VARHDRSZ + writer.len);
	if (parts.parts != NULL)
		pfree(parts.parts);
	return block;
}

/*
 * The JSON of a value, in UTF-8.
 */
static void
append_text_of(StringInfo buf, Datum datum)
{
	AtidLexiconDatum *value = atid_lexicon_get(datum);
	bytea	   *block = block_of_lexicon(value);

	if (DatumGetPointer(datum) != (Pointer) value)
		pfree(value);
	atid_append_json_of_block(buf, block);
	pfree(block);
}

/*
 * A JSON text with escapes for all that is not ASCII, which only strings have.
 */
static char *
escape_json_to_ascii(const char *utf8, size_t len)
{
	const unsigned char *p = (const unsigned char *) utf8;
	const unsigned char *end = p + len;
	StringInfoData ascii;

	initStringInfo(&ascii);
	while (p < end)
	{
		pg_wchar	c;

		CHECK_FOR_INTERRUPTS();
		if (*p < 0x80)
		{
			const unsigned char *from = p;

			while (p < end && *p < 0x80 && p - from < 8192)
				p++;
			appendBinaryStringInfo(&ascii, (const char *) from, (int) (p - from));
			continue;
		}
		c = utf8_to_unicode(p);
		p += pg_utf_mblen(p);
		if (c >= 0x10000)
		{
			appendStringInfo(&ascii, "\\u%04x", 0xD800 + ((c - 0x10000) >> 10));
			c = 0xDC00 + ((c - 0x10000) & 0x3FF);
		}
		appendStringInfo(&ascii, "\\u%04x", c);
	}
	return ascii.data;
}

PG_FUNCTION_INFO_V1(atid_lexicon_out);
Datum
atid_lexicon_out(PG_FUNCTION_ARGS)
{
	int			encoding = GetDatabaseEncoding();
	StringInfoData buf;

	initStringInfo(&buf);
	append_text_of(&buf, PG_GETARG_DATUM(0));
	if (encoding == PG_UTF8 || encoding == PG_SQL_ASCII)
		PG_RETURN_CSTRING(buf.data);
	PG_RETURN_CSTRING(escape_json_to_ascii(buf.data, buf.len));
}

PG_FUNCTION_INFO_V1(atid_lexicon_recv);
Datum
atid_lexicon_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;
	const char *json = pq_getmsgbytes(buf, len);
	Reading		reading = {0};

	if (!pg_verify_mbstr(PG_UTF8, json, len, true))
	{
		reading.value = NULL;
		note_problem(&reading, ATID_CBOR_UTF8, "$");
	}
	else
		read_lexicon(&reading, atid_try_block_of_utf8(json, len, &reading.fault,
													  &reading.problem));
	if (reading.value == NULL)
		ereport(ERROR,
				(errcode(errcode_of_reading(&reading, ERRCODE_INVALID_BINARY_REPRESENTATION)),
				 errmsg("invalid binary representation for type %s", "atid.lexicon"),
				 errdetail("%s", reading.problem)));
	PG_RETURN_POINTER(reading.value);
}

PG_FUNCTION_INFO_V1(atid_lexicon_send);
Datum
atid_lexicon_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	append_text_of(&buf, PG_GETARG_DATUM(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}


/*
 * Casts, and problems
 */

static void
read_jsonb(Reading *reading, Jsonb *jb)
{
	read_lexicon(reading, atid_try_block_of_jsonb(jb, &reading->fault, &reading->problem));
}

PG_FUNCTION_INFO_V1(atid_lexicon_from_jsonb);
Datum
atid_lexicon_from_jsonb(PG_FUNCTION_ARGS)
{
	Reading		reading = {0};

	read_jsonb(&reading, PG_GETARG_JSONB_P(0));
	if (reading.value == NULL)
		ereport(ERROR,
				(errcode(errcode_of_reading(&reading, ERRCODE_INVALID_PARAMETER_VALUE)),
				 errmsg("invalid lexicon"),
				 errdetail("%s", reading.problem)));
	PG_RETURN_POINTER(reading.value);
}

PG_FUNCTION_INFO_V1(atid_lexicon_to_jsonb);
Datum
atid_lexicon_to_jsonb(PG_FUNCTION_ARGS)
{
	bytea	   *block = block_of_lexicon(atid_lexicon_get(PG_GETARG_DATUM(0)));

	PG_RETURN_JSONB_P(atid_lexicon_jsonb(block));
}

/*
 * Read the arguments (jsonb [, strict]).
 */
static Reading
read_arguments(FunctionCallInfo fcinfo)
{
	Reading		reading = {0};

	reading.strict = PG_NARGS() > 1 && !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);
	read_jsonb(&reading, PG_GETARG_JSONB_P(0));
	return reading;
}

static Datum
answer_problem(FunctionCallInfo fcinfo)
{
	Reading		reading;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	reading = read_arguments(fcinfo);
	if (reading.value != NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(reading.problem));
}

static Datum
answer_is_valid(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(read_arguments(fcinfo).value != NULL);
}

/*
 * lexicon_problem(jsonb [, strict]): why a jsonb is no lexicon, or NULL.  If strict, what the
 * language lacks is a problem too.
 */
ATID_FUNCTION(atid_lexicon_problem, answer_problem(fcinfo))
ATID_FUNCTION(atid_lexicon_problem_strict, answer_problem(fcinfo))
ATID_FUNCTION(atid_lexicon_is_valid, answer_is_valid(fcinfo))
ATID_FUNCTION(atid_lexicon_is_valid_strict, answer_is_valid(fcinfo))


/*
 * Equality and hashes are those of the digest
 */

static bool
lexicons_are_equal(FunctionCallInfo fcinfo)
{
	const AtidLexiconDatum *a = atid_lexicon_head(PG_GETARG_DATUM(0));
	const AtidLexiconDatum *b = atid_lexicon_head(PG_GETARG_DATUM(1));
	bool		result = memcmp(a->digest, b->digest, sizeof(a->digest)) == 0;

	PG_FREE_IF_COPY((void *) a, 0);
	PG_FREE_IF_COPY((void *) b, 1);
	return result;
}

ATID_FUNCTION(atid_lexicon_eq, BoolGetDatum(lexicons_are_equal(fcinfo)))
ATID_FUNCTION(atid_lexicon_ne, BoolGetDatum(!lexicons_are_equal(fcinfo)))

PG_FUNCTION_INFO_V1(atid_lexicon_hash);
Datum
atid_lexicon_hash(PG_FUNCTION_ARGS)
{
	const AtidLexiconDatum *head = atid_lexicon_head(PG_GETARG_DATUM(0));
	Datum		result = hash_any(head->digest, sizeof(head->digest));

	PG_FREE_IF_COPY((void *) head, 0);
	return result;
}

PG_FUNCTION_INFO_V1(atid_lexicon_hash_extended);
Datum
atid_lexicon_hash_extended(PG_FUNCTION_ARGS)
{
	const AtidLexiconDatum *head = atid_lexicon_head(PG_GETARG_DATUM(0));
	Datum		result = hash_any_extended(head->digest, sizeof(head->digest),
										   PG_GETARG_INT64(1));

	PG_FREE_IF_COPY((void *) head, 0);
	return result;
}
