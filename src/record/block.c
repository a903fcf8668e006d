/*-------------------------------------------------------------------------
 *
 * block.c
 *		The type atid.block: a record's DAG-CBOR in about a third of its bytes.
 *
 * A value is a varlena with the form of codec/block/block_form.h.  It is read byte by byte, so it
 * needs no alignment.  What leaves the server is the block: the text form is that of
 * bytea, and the binary form is the block itself.  So nobody but this library ever makes
 * packed bytes, and two servers need not have the same dictionary.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "codec/block/block_form.h"
#include "codec/block/block_seek.h"
#include "compat.h"
#include "datum.h"
#include "error.h"
#include "record/block.h"
#include "record/decode.h"
#include "record/encode.h"
#include "record/field.h"

/*
 * Values
 */

/* Raise the error of a value that cannot be read. */
pg_noreturn static void
refuse_value(AtidBlockState state)
{
	atid_refuse_packed(state == ATID_BLOCK_NEWER ? ATID_PACKED_NEWER : ATID_PACKED_DAMAGED,
					   "atid.block");
}

/*
 * The value of a block.
 */
static Datum
value_of_block(const void *block, size_t len)
{
	bytea	   *value;

	if (len > MaxAllocSize - VARHDRSZ - 1)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("value of type %s is too large", "atid.block")));
	value = palloc(VARHDRSZ + ATID_BLOCK_PACKED_MAX(len));
	len = atid_block_pack(block, len, (uint8_t *) VARDATA(value), atid_check_for_interrupts);
	SET_VARSIZE(value, VARHDRSZ + len);
	return PointerGetDatum(value);
}

/*
 * The block of packed bytes, as a bytea; NULL, and the state, if they cannot be read.
 *
 * Nearly every record fits into the room on the stack, and need not be measured before.
 */
static bytea *
restore(const uint8_t *packed, size_t packed_len, AtidBlockState *state)
{
	uint8_t		room[4096];
	size_t		len;
	bytea	   *block;

	*state = atid_block_restore(packed, packed_len, room, sizeof(room), &len, NULL);
	if (*state == ATID_BLOCK_OK)
		return (bytea *) DatumGetPointer(atid_bytes_datum(room, len));
	*state = atid_block_len(packed, packed_len, &len, atid_check_for_interrupts);
	if (*state != ATID_BLOCK_OK)
		return NULL;
	if (len > MaxAllocSize - VARHDRSZ)
	{
		*state = ATID_BLOCK_DAMAGED;
		return NULL;
	}
	block = palloc(VARHDRSZ + len);
	SET_VARSIZE(block, VARHDRSZ + len);
	*state = atid_block_restore(packed, packed_len, (uint8_t *) VARDATA(block), len, &len,
								atid_check_for_interrupts);
	Assert(*state == ATID_BLOCK_OK);
	return block;
}

bytea *
atid_block_of_value(bytea *value)
{
	AtidBlockState state;
	bytea	   *block = restore((const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value),
								&state);

	if (block == NULL)
		refuse_value(state);
	return block;
}


/*
 * Input and output
 */

PG_FUNCTION_INFO_V1(atid_block_in);
Datum
atid_block_in(PG_FUNCTION_ARGS)
{
	Datum		bytes;
	bytea	   *block;

	if (!DirectInputFunctionCallSafe(byteain, PG_GETARG_CSTRING(0), InvalidOid, -1,
									 fcinfo->context, &bytes))
		PG_RETURN_NULL();
	block = DatumGetByteaPP(bytes);
	return value_of_block(VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block));
}

PG_FUNCTION_INFO_V1(atid_block_out);
Datum
atid_block_out(PG_FUNCTION_ARGS)
{
	bytea	   *block = atid_block_of_value(PG_GETARG_BYTEA_PP(0));
	Datum		result = DirectFunctionCall1(byteaout, PointerGetDatum(block));

	pfree(block);
	PG_RETURN_DATUM(result);
}

PG_FUNCTION_INFO_V1(atid_block_recv);
Datum
atid_block_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;

	return value_of_block(pq_getmsgbytes(buf, len), (size_t) len);
}

PG_FUNCTION_INFO_V1(atid_block_send);
Datum
atid_block_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(atid_block_of_value(PG_GETARG_BYTEA_PP(0)));
}


/*
 * Casts
 */

PG_FUNCTION_INFO_V1(atid_block_from_bytea);
Datum
atid_block_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);

	return value_of_block(VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block));
}

PG_FUNCTION_INFO_V1(atid_block_to_bytea);
Datum
atid_block_to_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(atid_block_of_value(PG_GETARG_BYTEA_PP(0)));
}

PG_FUNCTION_INFO_V1(atid_block_to_jsonb);
Datum
atid_block_to_jsonb(PG_FUNCTION_ARGS)
{
	bytea	   *block = atid_block_of_value(PG_GETARG_BYTEA_PP(0));
	Jsonb	   *record = atid_jsonb_of_block(block);

	pfree(block);
	PG_RETURN_JSONB_P(record);
}


/*
 * Paths
 */

/* A path, prepared once for each call in a query. */
typedef struct FieldPath
{
	MemoryContext memory;		/* that all of this is in */
	ArrayType  *array;			/* a copy of the argument */
	int			count;			/* of steps; -1: it leads to nothing */
	AtidBlockStep *steps;
	bool	   *none;			/* no block has such a key */
} FieldPath;

static FieldPath *
prepare_path(const ArrayType *array, MemoryContext memory)
{
	MemoryContext caller = MemoryContextSwitchTo(memory);
	FieldPath  *path = palloc(sizeof(FieldPath));
	int			count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const char *p;

	path->memory = memory;
	path->array = palloc(VARSIZE(array));
	memcpy(path->array, array, VARSIZE(array));
	path->count = count;

	/*
	 * no block is so deep; a last step may be the "$link" or "$bytes" of a
	 * value
	 */
	if (count > ATID_CBOR_DEPTH_MAX + 1 ||
		(ARR_HASNULL(array) && array_contains_nulls(path->array)))
		path->count = count = -1;
	if (count < 0)
	{
		MemoryContextSwitchTo(caller);
		return path;
	}
	path->steps = palloc(count * sizeof(AtidBlockStep));
	path->none = palloc(count * sizeof(bool));
	p = ARR_DATA_PTR(path->array);
	for (int i = 0; i < path->count; i++)
	{
		const char *step;
		size_t		len;

		p = (const char *) att_align_pointer(p, TYPALIGN_INT, -1, p);
		step = VARDATA_ANY(p);
		len = VARSIZE_ANY_EXHDR(p);
		path->none[i] = !atid_field_step_to_utf8(&step, &len);
		atid_block_step_init(&path->steps[i], step, len);
		p += VARSIZE_ANY(p);
	}
	MemoryContextSwitchTo(caller);
	return path;
}

/*
 * The path of a call, its second argument: nearly always the one of the last call.
 */
static const FieldPath *
path_of_call(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);
	FieldPath  *path = flinfo->fn_extra;
	MemoryContext memory;

	if (path == NULL)
		memory = AllocSetContextCreate(flinfo->fn_mcxt, "path in a block", ALLOCSET_SMALL_SIZES);
	else if (VARSIZE(path->array) == VARSIZE(array) &&
			 memcmp(path->array, array, VARSIZE(array)) == 0)
		return path;
	else
	{
		memory = path->memory;
		flinfo->fn_extra = NULL;
		MemoryContextReset(memory);
	}
	path = prepare_path(array, memory);
	flinfo->fn_extra = path;
	return path;
}

AtidSeekResult
atid_block_result(const AtidBlockSeek *seek, AtidSeekResult result)
{
	if (result == ATID_SEEK_FAULT && seek->state == ATID_BLOCK_NEWER)
		refuse_value(ATID_BLOCK_NEWER);
	return result;
}

AtidSeekResult
atid_block_find(FunctionCallInfo fcinfo, bytea *value, AtidBlockSeek *seek, bool *of_special)
{
	const FieldPath *path = path_of_call(fcinfo);
	AtidSeekResult result;

	*of_special = false;
	if (path->count < 0)
		return ATID_SEEK_NONE;
	result = atid_block_seek_init(seek, (const uint8_t *) VARDATA_ANY(value),
								  VARSIZE_ANY_EXHDR(value));
	seek->pause = atid_check_for_interrupts;
	for (int i = 0; i < path->count && result == ATID_SEEK_FOUND; i++)
	{
		const AtidBlockStep *step = &path->steps[i];
		AtidSeekKind kind = atid_block_seek_kind(seek);

		if (*of_special || path->none[i])
			return ATID_SEEK_NONE;
		if (kind == ATID_SEEK_LINK || kind == ATID_SEEK_BYTES)
		{
			if (!atid_field_is_special(kind, step->text, step->len))
				return ATID_SEEK_NONE;
			*of_special = true;
		}
		else
			result = atid_block_seek_step(seek, step);
	}
	return atid_block_result(seek, result);
}

AtidSeekResult
atid_field_restore(AtidBlockSeek *seek, AtidField *field)
{
	AtidBlockState state = ATID_BLOCK_OK;

	if (seek->string >= 0)
	{
		size_t		len;
		const char *str = atid_dictionary_string(seek->string, &len);

		field->block = atid_block_of_text(str, len);
	}
	else
	{
		const uint8_t *past = atid_block_seek_past(seek);

		field->block = past == NULL ? NULL : restore(seek->p, (size_t) (past - seek->p), &state);
		if (past == NULL)
			state = seek->state;
	}
	if (state == ATID_BLOCK_NEWER)
		refuse_value(state);
	if (state != ATID_BLOCK_OK)
		return ATID_SEEK_FAULT;
	field->whole = true;
	return atid_seek_init(&field->seek, VARDATA_ANY(field->block), VARSIZE_ANY_EXHDR(field->block));
}

AtidSeekResult
atid_field_find_packed(FunctionCallInfo fcinfo, AtidField *field)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	AtidBlockSeek seek;
	AtidSeekResult result;

	if (atid_block_is_raw((const uint8_t *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)))
		return atid_field_find_in(fcinfo, atid_block_of_value(value), field);
	result = atid_block_find(fcinfo, value, &seek, &field->of_special);
	return result == ATID_SEEK_FOUND ? atid_field_restore(&seek, field) : result;
}


/*
 * block_is_valid(block): is it strict DAG-CBOR?  What is packed is, unless it is damaged.
 */
PG_FUNCTION_INFO_V1(atid_block_is_valid);
Datum
atid_block_is_valid(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	const uint8_t *packed = (const uint8_t *) VARDATA_ANY(value);
	AtidCborReader reader;
	AtidBlockState state;
	size_t		len;

	if (!atid_block_is_raw(packed, VARSIZE_ANY_EXHDR(value)))
	{
		state = atid_block_len(packed, VARSIZE_ANY_EXHDR(value), &len, atid_check_for_interrupts);
		if (state == ATID_BLOCK_NEWER)
			refuse_value(state);
		PG_RETURN_BOOL(state == ATID_BLOCK_OK);
	}
	atid_block_reader_init(&reader, atid_block_of_value(value));
	PG_RETURN_BOOL(atid_block_read_rest(&reader));
}
