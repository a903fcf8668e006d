/*-------------------------------------------------------------------------
 *
 * reference.c
 *		The links, blobs and references by name in a record.
 *
 * A reference by name is a string that is, as a whole, an AT URI or a DID.  A
 * strong reference is an object whose "uri" is the AT URI and whose "cid" is the CID
 * of the referenced record, as a string.  Keys come by length and then by bytes, so
 * "cid" comes before "uri", and the row is complete at the "uri".
 *
 * The same inspector (inspector.c) reads records and blocks, so a block has the same
 * rows as its record.  Rows go to a tuplestore, which spills to disk.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "array_sort.h"
#include "address/types.h"
#include "codec/block/block_text.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/multiformat.h"
#include "codec/text/address.h"
#include "compat.h"
#include "datum.h"
#include "function.h"
#include "record/block.h"
#include "record/decode.h"
#include "record/encode.h"
#include "record/field.h"
#include "record/inspector.h"
#include "record/jsonb_reader.h"
#include "record/model.h"

/* What to list */
typedef enum ListOf
{
	LIST_LINKS,
	LIST_BLOBS,
	LIST_REFS
} ListOf;


/* The rows, and their paths */
typedef struct Rows
{
	Tuplestorestate *store;
	TupleDesc	desc;
	MemoryContext memory;		/* for one row */
	AtidPaths	paths;
} Rows;

/*
 * Set the path of a row, and its field if the row has one, as its first values.  If
 * they are too long they are NULL: a shortened path would name another value, and an
 * error would let one record of a stranger stop a query.
 */
static void
set_path(AtidInspector *in, Rows *rows, bool of_item, bool field, Datum *values, bool *nulls)
{
	nulls[0] = !atid_paths_get(&rows->paths, in, of_item, &values[0], field ? &values[1] : NULL);
	if (field)
		nulls[1] = nulls[0];
}

static void
put_link(AtidInspector *in, Rows *rows)
{
	Datum		values[2];
	bool		nulls[2] = {0};

	set_path(in, rows, true, false, values, nulls);
	values[1] = atid_bytes_datum(in->item.data, in->item.len);
	tuplestore_putvalues(rows->store, rows->desc, values, nulls);
}

/*
 * Convert the text of a CID.  Returns false if it is not a CID.
 */
static bool
cid_of_string(AtidSlice text, Datum *cid)
{
	uint8_t    *bytes = palloc(atid_cid_bytes_len(text.len) + 1);
	size_t		at;

	if (atid_cid_from_text(text.data, text.len, bytes, &at) != ATID_OK)
		return false;
	*cid = atid_bytes_datum(bytes, atid_cid_bytes_len(text.len));
	return true;
}

/*
 * At the end of a map: put a row if it is a blob or a legacy blob.
 */
static void
put_blob(AtidInspector *in, Rows *rows)
{
	const AtidLevel *level = &in->levels[in->depth];
	bool		legacy = atid_level_is_legacy_blob(level);
	Datum		values[5] = {0};
	bool		nulls[5] = {0};

	if (legacy)
		nulls[1] = !cid_of_string(level->cid, &values[1]);
	else if (level->is_blob && level->ref.data != NULL)
		values[1] = atid_bytes_datum((const uint8_t *) level->ref.data, level->ref.len);
	else
		return;

	set_path(in, rows, false, false, values, nulls);
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
	tuplestore_putvalues(rows->store, rows->desc, values, nulls);
}

/*
 * Does a string begin like an AT URI or a DID?  Most strings do not.
 */
static inline bool
begins_like_ref(const AtidCborItem *item)
{
	return item->len > ATID_SCHEME_LEN &&
		(memcmp(item->data, ATID_SCHEME, ATID_SCHEME_LEN) == 0 ||
		 memcmp(item->data, "did:", 4) == 0);
}

/*
 * Put a row if a string that begins like a reference is one.
 */
static void
put_ref(AtidInspector *in, Rows *rows)
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
		if (atid_at_uri_scan(s, len, &uri, &at) != ATID_OK)
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

	set_path(in, rows, true, true, values, nulls);
	tuplestore_putvalues(rows->store, rows->desc, values, nulls);
}

/*
 * Put a row and free its memory.
 */
static void
put_row(void (*put) (AtidInspector *in, Rows *rows), AtidInspector *in, Rows *rows)
{
	MemoryContext caller = MemoryContextSwitchTo(rows->memory);

	put(in, rows);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(rows->memory);
}

/*
 * Put all rows into the result.
 */
static void
put_all(AtidInspector *in, ReturnSetInfo *rsinfo, ListOf what)
{
	Rows		rows;
	AtidCborEvent event;
	uint64		events = 0;

	rows.store = rsinfo->setResult;
	rows.desc = rsinfo->setDesc;
	rows.memory = AllocSetContextCreate(CurrentMemoryContext, "atid rows of a record",
										ALLOCSET_DEFAULT_SIZES);
	atid_paths_init(&rows.paths);
	in->keep_refs = (what == LIST_BLOBS);
	while ((event = atid_inspect_next(in)) != ATID_CBOR_END)
	{
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();
		atid_paths_follow(&rows.paths, in, event);

		switch (event)
		{
			case ATID_CBOR_FAULT:
				if (in->reader != NULL)
					atid_refuse_block(in->reader);
				atid_refuse_record(in->walk->fault, "invalid record",
								   psprintf("%s: %s",
											atid_inspect_path(in, in->depth,
															  atid_walk_fault_is_of_item(in->walk)),
											atid_fault_words(in->walk->fault)));
				break;
			case ATID_CBOR_LINK:
				if (what == LIST_LINKS)
					put_row(put_link, in, &rows);
				break;
			case ATID_CBOR_TEXT:
				if (what == LIST_REFS && begins_like_ref(&in->item))
					put_row(put_ref, in, &rows);
				break;
			case ATID_CBOR_MAP:
			case ATID_CBOR_ARRAY:
				atid_inspect_enter(in, event);
				break;
			case ATID_CBOR_MAP_END:
				if (what == LIST_BLOBS)
					put_row(put_blob, in, &rows);
				atid_inspect_leave(in);
				break;
			case ATID_CBOR_ARRAY_END:
				atid_inspect_leave(in);
				break;
			default:
				break;
		}
	}
	atid_paths_free(&rows.paths);
	MemoryContextDelete(rows.memory);
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

ATID_FUNCTION(atid_record_links, list_of_record(fcinfo, LIST_LINKS))
ATID_FUNCTION(atid_record_blobs, list_of_record(fcinfo, LIST_BLOBS))
ATID_FUNCTION(atid_dag_cbor_links, list_of_block(fcinfo, LIST_LINKS))
ATID_FUNCTION(atid_dag_cbor_blobs, list_of_block(fcinfo, LIST_BLOBS))
ATID_FUNCTION(atid_record_refs, list_of_record(fcinfo, LIST_REFS))
ATID_FUNCTION(atid_dag_cbor_refs, list_of_block(fcinfo, LIST_REFS))


/*
 * References for indexes
 *
 * Nothing that a record or a block holds makes these functions fail, and no reference that
 * they return is too long for an index.
 */

/* The longest text of an AT URI that they return, in bytes. */
#define URIS_TEXT_MAX	1200

/* The most memory for the values of an array; nothing that can be stored needs as much. */
#define URIS_SIZE_MAX	(MaxAllocSize / 2)

/* Values of at_uri, one after the other as an array has them. */
typedef struct Uris
{
	char	   *data;
	uint32	   *offsets;
	size_t		size;
	size_t		room;
	int			count;
	int			count_room;
} Uris;

/*
 * Is a text an AT URI or a DID that an index can hold?  A DID is replaced by the AT URI of
 * its account, which is written to room, of URIS_TEXT_MAX bytes.
 */
static bool
ref_of_text(const char **s, size_t *len, char *room)
{
	if (*len == 0 || *len > URIS_TEXT_MAX)
		return false;
	if (**s == 'a')
		return atid_at_uri_is_valid(*s, *len);
	if (*len > URIS_TEXT_MAX - ATID_SCHEME_LEN || !atid_did_is_valid(*s, *len))
		return false;
	memcpy(room, ATID_SCHEME, ATID_SCHEME_LEN);
	memcpy(room + ATID_SCHEME_LEN, *s, *len);
	*s = room;
	*len += ATID_SCHEME_LEN;
	return true;
}

/*
 * Add a text that begins like a reference, if it is one.  Returns false if there is no room.
 */
static bool
add_uri(Uris *uris, const AtidCborItem *item)
{
	const char *s = (const char *) item->data;
	size_t		len = item->len;
	char		room[URIS_TEXT_MAX];
	char	   *value;

	if (!ref_of_text(&s, &len, room))
		return true;

	if (uris->room - uris->size < INTALIGN(VARHDRSZ + ATID_AT_URI_PACKED_MAX(len)))
	{
		if (uris->size > URIS_SIZE_MAX - 2 * URIS_TEXT_MAX)
			return false;
		uris->room = Min(2 * uris->room + 2 * URIS_TEXT_MAX, URIS_SIZE_MAX);
		uris->data = uris->data ? repalloc(uris->data, uris->room) : palloc(uris->room);
	}
	if (uris->count == uris->count_room)
	{
		uris->count_room = 2 * uris->count_room + 16;
		uris->offsets = uris->offsets ?
			repalloc(uris->offsets, uris->count_room * sizeof(uint32)) :
			palloc(uris->count_room * sizeof(uint32));
	}
	value = uris->data + uris->size;
	uris->offsets[uris->count++] = (uint32) uris->size;
	len = VARHDRSZ + atid_at_uri_pack(s, len, (uint8_t *) value + VARHDRSZ);
	SET_VARSIZE(value, len);
	memset(value + len, 0, INTALIGN(len) - len);
	uris->size += INTALIGN(len);
	return true;
}

static int
compare_uris(const void *a, const void *b, void *arg)
{
	const char *x = (const char *) arg + *(const uint32 *) a;
	const char *y = (const char *) arg + *(const uint32 *) b;

	return atid_at_uri_compare((const uint8_t *) VARDATA(x), VARSIZE(x) - VARHDRSZ,
							   (const uint8_t *) VARDATA(y), VARSIZE(y) - VARHDRSZ);
}

/*
 * The array: in order, and each value once.
 */
static ArrayType *
array_of_uris(FunctionCallInfo fcinfo, Uris *uris)
{
	Oid		   *type = fcinfo->flinfo->fn_extra;
	size_t		size = ARR_OVERHEAD_NONULLS(1);
	int			count = 0;
	ArrayType  *array;
	char	   *dst;

	if (type == NULL)
	{
		type = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Oid));
		*type = get_element_type(get_func_rettype(fcinfo->flinfo->fn_oid));
		fcinfo->flinfo->fn_extra = type;
	}
	if (uris->count == 0)
		return construct_empty_array(*type);

	if (uris->count > 1)
		atid_sort(uris->offsets, uris->count, sizeof(uint32), compare_uris, uris->data);
	for (int i = 0; i < uris->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (count > 0 &&
			compare_uris(&uris->offsets[count - 1], &uris->offsets[i], uris->data) == 0)
			continue;
		uris->offsets[count++] = uris->offsets[i];
		size += INTALIGN(VARSIZE(uris->data + uris->offsets[i]));
	}

	array = palloc(size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = *type;
	ARR_DIMS(array)[0] = count;
	ARR_LBOUND(array)[0] = 1;
	dst = ARR_DATA_PTR(array);
	for (int i = 0; i < count; i++)
	{
		const char *value = uris->data + uris->offsets[i];

		memcpy(dst, value, INTALIGN(VARSIZE(value)));
		dst += INTALIGN(VARSIZE(value));
	}
	pfree(uris->data);
	pfree(uris->offsets);
	return array;
}

/*
 * Add the references of all that a reader reads.  Returns false if it is damaged.
 */
static bool
add_uris_of_block(Uris *uris, AtidCborReader *reader)
{
	AtidCborItem item;
	AtidCborEvent event;
	uint64		events = 0;

	while ((event = atid_cbor_next(reader, &item)) != ATID_CBOR_END)
	{
		if ((++events & 0xFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (event == ATID_CBOR_FAULT ||
			(event == ATID_CBOR_TEXT && begins_like_ref(&item) && !add_uri(uris, &item)))
			return false;
	}
	return true;
}

/*
 * Likewise of a jsonb, by way of its block.  Returns false if it has none.
 */
static pg_noinline bool
add_uris_by_block(Uris *uris, Jsonb *jb)
{
	AtidFault	fault;
	char	   *problem;
	bytea	   *block = atid_try_block_of_jsonb(jb, &fault, &problem);
	AtidCborReader reader;

	if (block == NULL)
		return false;
	atid_block_reader_init(&reader, block);
	return add_uris_of_block(uris, &reader);
}

/*
 * Likewise of a jsonb.  Returns false if it has no block.
 *
 * In an encoding other than UTF-8 whether it has one depends on the conversion of its keys
 * and texts, so there the block is made.
 */
static bool
add_uris_of_jsonb(Uris *uris, Jsonb *jb)
{
	AtidJsonbWalk walk;
	AtidCborItem item;
	AtidCborEvent event;

	if (GetDatabaseEncoding() != PG_UTF8)
		return add_uris_by_block(uris, jb);
	atid_jsonb_walk_init(&walk, &jb->root);
	while ((event = atid_jsonb_next(&walk, &item)) != ATID_CBOR_END)
	{
		if (event == ATID_CBOR_FAULT ||
			(event == ATID_CBOR_TEXT && begins_like_ref(&item) && !add_uri(uris, &item)))
			return false;
	}
	return true;
}

/*
 * record_ref_uris(record): the references of a record; NULL where it has no block.
 */
PG_FUNCTION_INFO_V1(atid_record_ref_uris);
Datum
atid_record_ref_uris(PG_FUNCTION_ARGS)
{
	Uris		uris = {0};

	if (!add_uris_of_jsonb(&uris, PG_GETARG_JSONB_P(0)))
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(array_of_uris(fcinfo, &uris));
}

/*
 * dag_cbor_ref_uris(block, path): the references of a field; NULL where there is no such
 * field, or what was read of the block is damaged.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_ref_uris);
Datum
atid_dag_cbor_ref_uris(PG_FUNCTION_ARGS)
{
	AtidField	field;
	Uris		uris = {0};
	AtidCborReader reader;

	if (atid_field_find(fcinfo, &field) != ATID_SEEK_FOUND ||
		!atid_field_reader_init(&reader, &field) || !add_uris_of_block(&uris, &reader))
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(array_of_uris(fcinfo, &uris));
}

/*
 * dag_cbor_ref_uri(block, path): the reference that a field is, or that an object has as its
 * "uri"; or NULL.
 *
 * It reads no further than that text, whose characters the grammar of references limits to
 * ASCII.
 */
static Datum
ref_uri(FunctionCallInfo fcinfo, AtidFieldFind find)
{
	AtidField	field;
	AtidSeek   *seek = &field.seek;
	const char *s;
	size_t		len;
	char		room[URIS_TEXT_MAX];

	if (find(fcinfo, &field) != ATID_SEEK_FOUND ||
		(atid_seek_kind(seek) == ATID_SEEK_MAP &&
		 atid_seek_step(seek, "uri", strlen("uri")) != ATID_SEEK_FOUND) ||
		!atid_seek_text(seek, &s, &len) || !ref_of_text(&s, &len, room))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(atid_at_uri_datum(s, len));
}

ATID_FUNCTION(atid_dag_cbor_ref_uri, ref_uri(fcinfo, atid_field_find))

/*
 * block_ref_uri(block, path): the same, of an atid.block.  That of a did:plc is copied from the
 * packed bytes.
 */
PG_FUNCTION_INFO_V1(atid_block_ref_uri);
Datum
atid_block_ref_uri(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	AtidBlockSeek seek;
	AtidBlockStep step;
	bool		of_special;
	uint8_t		packed[ATID_BLOCK_AT_URI_MAX];
	size_t		len;
	const char *s;
	char		str[ATID_BLOCK_TEXT_MAX];
	char		room[URIS_TEXT_MAX];

	if (atid_block_is_raw((const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)))
		return ref_uri(fcinfo, atid_field_find_packed);
	if (atid_block_find(fcinfo, value, &seek, &of_special) != ATID_SEEK_FOUND || of_special)
		PG_RETURN_NULL();
	if (atid_block_seek_kind(&seek) == ATID_SEEK_MAP)
	{
		atid_block_step_init(&step, "uri", strlen("uri"));
		if (atid_block_result(&seek, atid_block_seek_step(&seek, &step)) != ATID_SEEK_FOUND)
			PG_RETURN_NULL();
	}
	len = seek.string < 0 ? atid_block_at_uri(seek.p, seek.end, packed) : 0;
	if (len > 0)
		PG_RETURN_DATUM(atid_bytes_datum(packed, len));
	if (atid_block_result(&seek, atid_block_seek_text(&seek, str, &s, &len)) != ATID_SEEK_FOUND ||
		!ref_of_text(&s, &len, room))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(atid_at_uri_datum(s, len));
}
