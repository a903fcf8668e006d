/*-------------------------------------------------------------------------
 *
 * reference.c
 *		What a record refers to: its links, its blobs, and by name.
 *
 * A reference by name is a string that is, as a whole, an AT URI or a DID.  A
 * strong reference is an object that has the AT URI as its "uri" and the CID of
 * what was meant, as a string, as its "cid".  Keys are read by length and then
 * by bytes in either source, so that a "cid" is known when its "uri" comes, and
 * a row never has to wait for the end of its object.
 *
 * Records and blocks are read by the same inspector (jsonb/inspect.c), so that a
 * block has the same rows as its record.  Rows go to a tuplestore, which keeps
 * them on disk where they are many.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "address.h"
#include "cid.h"
#include "codec/address.h"
#include "codec/dagcbor.h"
#include "codec/multiformat.h"
#include "compat.h"
#include "jsonb/decode.h"
#include "jsonb/inspect.h"
#include "jsonb/model.h"
#include "jsonb/walk.h"

/* What is listed. */
typedef enum ListOf
{
	LIST_LINKS,
	LIST_BLOBS,
	LIST_REFS
} ListOf;


/*
 * The path of what a row is about, whole or not at all: a row is data, and a
 * shortened path would lead elsewhere.
 */
static Datum
path_datum(AtidInspector *in, bool of_item, ListOf what)
{
	char	   *path = atid_inspect_whole_path(in, in->depth, of_item, true);

	if (path == NULL)
	{
		char	   *begin = atid_inspect_path(in, in->depth, of_item);

		/* what is no block at all is refused as that */
		if (in->reader != NULL && !atid_block_read_rest(in->reader))
			atid_refuse_block(in->reader);
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 what == LIST_REFS ?
				 errmsg("path of a reference is too long") :
				 errmsg("path of a link or blob is too long"),
				 errdetail("The path %s has more than %d bytes.", begin, ATID_PATH_MAX)));
	}
	return CStringGetTextDatum(path);
}

static void
put_link(AtidInspector *in, ReturnSetInfo *rsinfo)
{
	Datum		values[2];
	bool		nulls[2] = {0};

	values[0] = path_datum(in, true, LIST_LINKS);
	values[1] = atid_cid_datum(in->item.data, in->item.len);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * The CID that a string is; false if it is none.
 */
static bool
cid_of_string(AtidSlice text, Datum *cid)
{
	uint8_t    *bytes = palloc(atid_cid_bytes_len(text.len) + 1);
	size_t		at;

	if (atid_cid_from_text(text.data, text.len, bytes, &at) != ATID_CID_OK)
		return false;
	*cid = atid_cid_datum(bytes, atid_cid_bytes_len(text.len));
	return true;
}

/*
 * A map ends; put it if it is a blob, of the present form or of the legacy one.
 */
static void
put_blob(AtidInspector *in, ReturnSetInfo *rsinfo)
{
	const AtidLevel *level = &in->levels[in->depth];
	bool		legacy = atid_level_is_legacy_blob(level);
	Datum		values[5] = {0};
	bool		nulls[5] = {0};

	if (legacy)
		(void) cid_of_string(level->cid, &values[1]);
	else if (level->is_blob && level->ref.data != NULL)
		values[1] = atid_cid_datum((const uint8_t *) level->ref.data, level->ref.len);
	else
		return;

	values[0] = path_datum(in, false, LIST_BLOBS);
	if (level->mime_type.data != NULL)
	{
		char	   *mime_type = pnstrdup(level->mime_type.data, level->mime_type.len);

		values[2] = CStringGetTextDatum(pg_any_to_server(mime_type,
														 (int) level->mime_type.len,
														 PG_UTF8));
	}
	nulls[2] = (level->mime_type.data == NULL);
	values[3] = Int64GetDatum(level->size);
	nulls[3] = !level->has_size;
	values[4] = BoolGetDatum(legacy);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * Does a string begin as an AT URI or a DID does?  Most strings do not, and cost
 * no more than this.
 */
static inline bool
begins_as_ref(const AtidCborItem *item)
{
	return item->len > 5 && (memcmp(item->data, "at://", 5) == 0 ||
							 memcmp(item->data, "did:", 4) == 0);
}

/*
 * Is the current item in an array, at any depth?
 */
static bool
is_in_array(const AtidInspector *in)
{
	for (int i = 1; i <= in->depth; i++)
	{
		if (!in->levels[i].map)
			return true;
	}
	return false;
}

/*
 * A string that begins as a reference; put it if it is one.
 */
static void
put_ref(AtidInspector *in, ReturnSetInfo *rsinfo)
{
	const AtidLevel *level = &in->levels[in->depth];
	const char *s = (const char *) in->item.data;
	size_t		len = in->item.len;
	AtidAtUri	uri;
	size_t		at;
	Datum		values[5] = {0};
	bool		nulls[5] = {false, false, true, true, true};

	if (s[0] == 'a')
	{
		if (atid_at_uri_scan(s, len, &uri, &at) != ATID_ADDRESS_OK)
			return;
		values[2] = atid_at_uri_datum(s, len);
		nulls[2] = false;
		if (atid_identifier_is_did(uri.authority, uri.authority_len))
		{
			values[3] = atid_did_datum(uri.authority, uri.authority_len);
			nulls[3] = false;
		}
		if (level->map && level->cid.data != NULL && atid_level_key_is(level, "uri", 3))
			nulls[4] = !cid_of_string(level->cid, &values[4]);
	}
	else
	{
		if (!atid_did_is_valid(s, len))
			return;
		values[3] = atid_did_datum(s, len);
		nulls[3] = false;
	}

	/* the field is not longer than the path, which was not too long */
	values[0] = path_datum(in, true, LIST_REFS);
	values[1] = !is_in_array(in) ? values[0] :
		CStringGetTextDatum(atid_inspect_whole_path(in, in->depth, true, false));
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * Put a row, and free the memory that it took: there can be many.
 */
static void
put_row(void (*put) (AtidInspector *in, ReturnSetInfo *rsinfo),
		AtidInspector *in, ReturnSetInfo *rsinfo, MemoryContext rows)
{
	MemoryContext caller = MemoryContextSwitchTo(rows);

	put(in, rsinfo);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(rows);
}

/*
 * Put all of what is listed into the set that the caller has begun.
 */
static void
put_all(AtidInspector *in, ReturnSetInfo *rsinfo, ListOf what)
{
	MemoryContext rows = AllocSetContextCreate(CurrentMemoryContext,
											   "atid rows of a record",
											   ALLOCSET_DEFAULT_SIZES);
	AtidCborEvent event;
	uint64		events = 0;

	in->keep_refs = (what == LIST_BLOBS);
	while ((event = atid_inspect_next(in)) != ATID_CBOR_END)
	{
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();

		switch (event)
		{
			case ATID_CBOR_FAULT:
				if (in->reader != NULL)
					atid_refuse_block(in->reader);
				atid_refuse_record(in->walk->fault, "invalid record",
								   psprintf("%s: %s",
											atid_inspect_path(in, in->depth,
															  atid_walk_fault_is_of_item(in->walk)),
											atid_jsonb_words(in->walk->fault,
															 in->walk->cid_fault)));
				break;
			case ATID_CBOR_LINK:
				if (what == LIST_LINKS)
					put_row(put_link, in, rsinfo, rows);
				break;
			case ATID_CBOR_TEXT:
				if (what == LIST_REFS && begins_as_ref(&in->item))
					put_row(put_ref, in, rsinfo, rows);
				break;
			case ATID_CBOR_MAP:
			case ATID_CBOR_ARRAY:
				atid_inspect_enter(in, event);
				break;
			case ATID_CBOR_MAP_END:
				if (what == LIST_BLOBS)
					put_row(put_blob, in, rsinfo, rows);
				atid_inspect_leave(in);
				break;
			case ATID_CBOR_ARRAY_END:
				atid_inspect_leave(in);
				break;
			default:
				break;
		}
	}
	MemoryContextDelete(rows);
}

static Datum
list_of_record(FunctionCallInfo fcinfo, ListOf what)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	AtidJsonbWalk walk;
	AtidInspector in;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	atid_jsonb_walk_init(&walk, &jb->root);
	atid_inspect_init(&in, NULL, &walk);
	put_all(&in, (ReturnSetInfo *) fcinfo->resultinfo, what);
	return (Datum) 0;
}

static Datum
list_of_block(FunctionCallInfo fcinfo, ListOf what)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	AtidCborReader reader;
	AtidInspector in;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	atid_block_reader_init(&reader, block);
	atid_inspect_init(&in, &reader, NULL);
	put_all(&in, (ReturnSetInfo *) fcinfo->resultinfo, what);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(atid_record_links);
Datum
atid_record_links(PG_FUNCTION_ARGS)
{
	return list_of_record(fcinfo, LIST_LINKS);
}

PG_FUNCTION_INFO_V1(atid_record_blobs);
Datum
atid_record_blobs(PG_FUNCTION_ARGS)
{
	return list_of_record(fcinfo, LIST_BLOBS);
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_links);
Datum
atid_dag_cbor_links(PG_FUNCTION_ARGS)
{
	return list_of_block(fcinfo, LIST_LINKS);
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_blobs);
Datum
atid_dag_cbor_blobs(PG_FUNCTION_ARGS)
{
	return list_of_block(fcinfo, LIST_BLOBS);
}

PG_FUNCTION_INFO_V1(atid_record_refs);
Datum
atid_record_refs(PG_FUNCTION_ARGS)
{
	return list_of_record(fcinfo, LIST_REFS);
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_refs);
Datum
atid_dag_cbor_refs(PG_FUNCTION_ARGS)
{
	return list_of_block(fcinfo, LIST_REFS);
}
