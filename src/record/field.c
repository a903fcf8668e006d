/*-------------------------------------------------------------------------
 *
 * field.c
 *		Where a path leads in a block.
 *
 * codec/cbor/seek.c takes the steps, in UTF-8, and knows no JSON.  This file has the conventions
 * of JSON and of the server's encoding.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"

#include "compat.h"
#include "error.h"
#include "record/decode.h"
#include "record/field.h"
#include "utf8.h"

bool
atid_field_step_to_utf8(const char **step, size_t *len)
{
	int			encoding = GetDatabaseEncoding();

	if (encoding == PG_UTF8 || encoding == PG_SQL_ASCII || atid_is_ascii(*step, *len))
		return true;
	if (!atid_has_utf8(*step, *len))
		return false;
	*step = pg_server_to_any(*step, (int) *len, PG_UTF8);
	*len = strlen(*step);
	return true;
}

/*
 * Take a step of a path, which is in the server's encoding.
 */
static AtidSeekResult
take_step(AtidField *field, const char *step, size_t len)
{
	AtidSeekKind kind = atid_seek_kind(&field->seek);

	if (field->of_special)
		return ATID_SEEK_NONE;
	if (kind == ATID_SEEK_LINK || kind == ATID_SEEK_BYTES)
	{
		field->of_special = atid_field_is_special(kind, step, len);
		return field->of_special ? ATID_SEEK_FOUND : ATID_SEEK_NONE;
	}
	if (!atid_field_step_to_utf8(&step, &len))
		return ATID_SEEK_NONE;
	return atid_seek_step(&field->seek, step, len);
}

/*
 * The array is read as it is, so a constant path costs neither memory nor a look-up.
 */
AtidSeekResult
atid_field_find_in(FunctionCallInfo fcinfo, bytea *block, AtidField *field)
{
	ArrayType  *path = PG_GETARG_ARRAYTYPE_P(1);
	int			steps = ArrayGetNItems(ARR_NDIM(path), ARR_DIMS(path));
	const char *p = ARR_DATA_PTR(path);
	AtidSeekResult result;

	if (ARR_HASNULL(path) && array_contains_nulls(path))
		return ATID_SEEK_NONE;

	field->block = block;
	field->whole = steps == 0;
	field->of_special = false;
	result = atid_seek_init(&field->seek, VARDATA_ANY(field->block),
							VARSIZE_ANY_EXHDR(field->block));
	field->seek.pause = atid_check_for_interrupts;
	for (int i = 0; i < steps && result == ATID_SEEK_FOUND; i++)
	{
		p = (const char *) att_align_pointer(p, TYPALIGN_INT, -1, p);
		result = take_step(field, VARDATA_ANY(p), VARSIZE_ANY_EXHDR(p));
		p += VARSIZE_ANY(p);
	}
	return result;
}

AtidSeekResult
atid_field_find(FunctionCallInfo fcinfo, AtidField *field)
{
	return atid_field_find_in(fcinfo, PG_GETARG_BYTEA_PP(0), field);
}

bool
atid_field_reader_init(AtidCborReader *reader, const AtidField *field)
{
	atid_block_reader_init(reader, field->block);
	if (!field->whole)
	{
		const uint8_t *past = atid_seek_past(&field->seek);

		if (past == NULL)
			return false;
		reader->p = field->seek.p;
		reader->end = past;
	}
	return true;
}
