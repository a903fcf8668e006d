/*-------------------------------------------------------------------------
 *
 * value.c
 *		Values of the type atid.lexicon, read: the datum, places in it, its documents.
 *
 * lexicon.c describes the form.  A set as a list of its documents is what input and the
 * functions of sets work on; atid_lexicon_join() makes a value of it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "array_sort.h"
#include "codec/bytes.h"
#include "codec/cbor/dagcbor.h"
#include "compat.h"
#include "error.h"
#include "lexicon/value.h"
#include "record/decode.h"
#include "record/inspector.h"
#include "sha256.h"
#include "utf8.h"


/*
 * Values
 */

/*
 * An error for a value that this version cannot read.
 */
static void
check_head(const AtidLexiconDatum *head)
{
	size_t		len = VARSIZE(head);

	if (len <= offsetof(AtidLexiconDatum, version) || head->version == 0)
		atid_refuse_packed(ATID_PACKED_DAMAGED, "atid.lexicon");
	if (head->version != ATID_LEXICON_FORM && head->version != ATID_LEXICON_FORM_OTHER)
		atid_refuse_packed(ATID_PACKED_NEWER, "atid.lexicon");
	if (len <= offsetof(AtidLexiconDatum, cbor))
		atid_refuse_packed(ATID_PACKED_DAMAGED, "atid.lexicon");
	if (head->reserved[0] != 0 || head->reserved[1] != 0 || head->reserved[2] != 0)
		atid_refuse_packed(ATID_PACKED_NEWER, "atid.lexicon");
}

AtidLexiconDatum *
atid_lexicon_get(Datum datum)
{
	AtidLexiconDatum *value = (AtidLexiconDatum *) PG_DETOAST_DATUM(datum);

	check_head(value);
	return value;
}

const AtidLexiconDatum *
atid_lexicon_head(Datum datum)
{
	const AtidLexiconDatum *head = (const AtidLexiconDatum *) DatumGetPointer(datum);

	if (VARATT_IS_EXTENDED(head))
		head = (const AtidLexiconDatum *)
			PG_DETOAST_DATUM_SLICE(datum, 0, offsetof(AtidLexiconDatum, cbor) + 1 - VARHDRSZ);
	check_head(head);
	return head;
}

const char *
atid_lexicon_ref_utf8(const text *ref, size_t *len)
{
	const char *s = VARDATA_ANY(ref);
	const char *utf8 = s;

	*len = VARSIZE_ANY_EXHDR(ref);
	if (!atid_has_utf8(s, *len))
		*len = 0;
	else if (!atid_is_ascii(s, *len))
		utf8 = pg_server_to_any(s, (int) *len, PG_UTF8);
	if (utf8 != s)
		*len = strlen(utf8);
	return utf8;
}

void
atid_lexicon_append_ref(StringInfo buf, const AtidLexicon *set, AtidLexText nsid,
						AtidLexText name)
{
	appendBinaryStringInfo(buf, atid_lex_text(set, nsid), (int) nsid.len);
	if (!atid_lex_is_main(set, name))
	{
		appendStringInfoChar(buf, '#');
		appendBinaryStringInfo(buf, atid_lex_text(set, name), (int) name.len);
	}
}

void
atid_lexicon_read_bytes(AtidCborReader *reader, const void *bytes, size_t len)
{
	atid_cbor_reader_init(reader, bytes, len);
	reader->pause = atid_check_for_interrupts;
}

AtidCborEvent
atid_lexicon_next_event(AtidCborReader *reader, AtidCborItem *item)
{
	CHECK_FOR_INTERRUPTS();
	return atid_cbor_next(reader, item);
}


/*
 * Places
 */

/*
 * The path to a place in a document, which begins at these bytes and may end before
 * they do.
 */
static char *
path_in_document(const uint8 *document, size_t len, size_t at)
{
	AtidCborReader reader;
	AtidInspector *in = palloc(sizeof(AtidInspector));
	char	   *path;
	bool		of_item = true;

	atid_lexicon_read_bytes(&reader, document, len);
	atid_inspect_init(in, &reader, NULL);
	for (;;)
	{
		AtidCborEvent event = atid_inspect_next(in);

		CHECK_FOR_INTERRUPTS();
		of_item = event != ATID_CBOR_MAP_END && event != ATID_CBOR_ARRAY_END;
		if (event == ATID_CBOR_END || event == ATID_CBOR_FAULT ||
			atid_cbor_offset(&reader) >= at)
			break;
		if (!of_item)
			atid_inspect_leave(in);
		else if (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)
			atid_inspect_enter(in, event);
	}
	path = atid_inspect_path(in, in->depth, of_item);
	pfree(in);
	return path;
}

char *
atid_lexicon_place(const uint8 *cbor, size_t len, size_t at)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	AtidCborItem nsid = {0};

	/* the document in which the place is, or begins after */
	atid_lexicon_read_bytes(&reader, cbor, len);
	do
	{
		event = atid_lexicon_next_event(&reader, &item);
		if (event == ATID_CBOR_KEY && reader.depth == 1)
			nsid = item;
	} while (event != ATID_CBOR_END && event != ATID_CBOR_FAULT &&
			 atid_cbor_offset(&reader) < at);

	if (nsid.data == NULL)
		return pstrdup("$");
	return psprintf("In %s, %s", atid_quote((const char *) nsid.data, nsid.len),
					path_in_document(nsid.data + nsid.len, cbor + len - nsid.data - nsid.len,
									 Max((ssize_t) at - (nsid.data + nsid.len - cbor), 0)));
}

Jsonb *
atid_lexicon_jsonb(bytea *block)
{
	const uint8 *bytes = (const uint8 *) VARDATA(block);
	size_t		len = VARSIZE(block) - VARHDRSZ;
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;

	atid_lexicon_read_bytes(&reader, bytes, len);
	do
	{
		event = atid_lexicon_next_event(&reader, &item);
		if ((event == ATID_CBOR_TEXT || event == ATID_CBOR_KEY) && item.nul)
			ereport(ERROR,
					(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
					 errmsg("lexicon cannot be expressed as jsonb"),
					 errdetail("%s: A text must not contain U+0000, which jsonb cannot hold.",
							   path_in_document(bytes, len, atid_cbor_offset(&reader))),
					 errhint("Use its text as json.")));
	} while (event != ATID_CBOR_END && event != ATID_CBOR_FAULT);
	return atid_jsonb_of_block(block);
}


/*
 * A set as its documents, and back
 */

void
atid_lexicon_add_part(AtidLexiconParts *parts, const AtidLexiconPart *part)
{
	if (parts->parts == NULL)
	{
		parts->size = 8;
		parts->parts = palloc(parts->size * sizeof(AtidLexiconPart));
	}
	else if (parts->count == parts->size)
	{
		parts->size *= 2;
		parts->parts = repalloc_huge(parts->parts, parts->size * sizeof(AtidLexiconPart));
	}
	parts->parts[parts->count++] = *part;
}

void
atid_lexicon_split(AtidLexiconParts *parts, const AtidLexiconDatum *value)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	AtidLexiconPart part = {NULL, 0, NULL, 0};

	parts->form = Max(parts->form, value->version);
	atid_cbor_reader_init(&reader, value->cbor, ATID_LEXICON_CBOR_LEN(value));
	do
	{
		CHECK_FOR_INTERRUPTS();
		event = atid_cbor_next(&reader, &item);
		if (event == ATID_CBOR_FAULT || (reader.depth == 0 && event != ATID_CBOR_END &&
										 event != ATID_CBOR_MAP_END))
			atid_refuse_packed(ATID_PACKED_DAMAGED, "atid.lexicon");
		if ((event == ATID_CBOR_KEY && reader.depth == 1) || event == ATID_CBOR_END)
		{
			if (part.nsid != NULL)
			{
				part.len = reader.at - part.document;
				atid_lexicon_add_part(parts, &part);
			}
			part.nsid = item.data;
			part.nsid_len = item.len;
			part.document = item.data + item.len;
		}
	} while (event != ATID_CBOR_END);
}

/* The order of keys in a set. */
static int
compare_as_keys(const void *a, const void *b, void *arg)
{
	const AtidLexiconPart *x = a;
	const AtidLexiconPart *y = b;

	return atid_cbor_key_cmp(x->nsid, x->nsid_len, y->nsid, y->nsid_len);
}

static int
compare_bytewise(const void *a, const void *b, void *arg)
{
	const AtidLexiconPart *x = a;
	const AtidLexiconPart *y = b;

	return atid_bytes_cmp(x->nsid, x->nsid_len, y->nsid, y->nsid_len);
}

void
atid_lexicon_sort(AtidLexiconParts *parts)
{
	atid_sort(parts->parts, parts->count, sizeof(AtidLexiconPart), compare_bytewise, NULL);
}

const AtidLexiconPart *
atid_lexicon_unite(AtidLexiconParts *parts, void (*free_part) (const AtidLexiconPart *part))
{
	AtidLexiconPart *last = NULL;

	atid_sort(parts->parts, parts->count, sizeof(AtidLexiconPart), compare_as_keys, NULL);
	for (size_t i = 0; i < parts->count; i++)
	{
		AtidLexiconPart *part = &parts->parts[i];

		CHECK_FOR_INTERRUPTS();
		if (last != NULL && compare_as_keys(last, part, NULL) == 0)
		{
			if (last->len != part->len ||
				memcmp(last->document, part->document, part->len) != 0)
				return part;
			if (free_part != NULL)
				free_part(part);
		}
		else
		{
			last = last == NULL ? part : last + 1;
			*last = *part;
		}
	}
	if (last != NULL)
		parts->count = last + 1 - parts->parts;
	return NULL;
}

AtidFault
atid_lexicon_join(AtidLexiconParts *parts, AtidLexiconDatum **value, const AtidLexiconPart **at)
{
	const size_t head = offsetof(AtidLexiconDatum, cbor);
	AtidCborWriter writer = {0};
	AtidLexiconDatum *result;

	*value = NULL;
	*at = atid_lexicon_unite(parts, NULL);
	if (*at != NULL)
		return ATID_LEXICON_TWICE;

	/* a head has at most 9 bytes */
	writer.cap = 9;
	for (size_t i = 0; i < parts->count; i++)
	{
		writer.cap += 9 + parts->parts[i].nsid_len + parts->parts[i].len;
		if (writer.cap > MaxAllocSize - head)
		{
			*at = &parts->parts[i];
			return ATID_CBOR_SIZE;
		}
	}
	result = palloc0(head + writer.cap);
	writer.data = result->cbor;
	atid_cbor_put_map(&writer, parts->count);
	for (size_t i = 0; i < parts->count; i++)
	{
		const AtidLexiconPart *part = &parts->parts[i];

		CHECK_FOR_INTERRUPTS();
		atid_cbor_put_text(&writer, part->nsid, part->nsid_len);
		memcpy(writer.data + writer.len, part->document, part->len);
		writer.len += part->len;
	}
	Assert(writer.fault == ATID_OK && writer.len <= writer.cap);

	result->version = Max(parts->form, ATID_LEXICON_FORM);
	atid_sha256_once(result->cbor, writer.len, result->digest);
	SET_VARSIZE(result, head + writer.len);
	*value = result;
	return ATID_OK;
}

char *
atid_lexicon_fault_of(const AtidLexiconPart *part, AtidFault fault)
{
	return psprintf("In %s: %s", atid_quote((const char *) part->nsid, part->nsid_len),
					atid_fault_words(fault));
}
