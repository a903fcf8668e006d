/*-------------------------------------------------------------------------
 *
 * car_functions.c
 *		SQL functions of CARs: their contents, and an aggregate that makes one.
 *
 * codec/repository/car.c describes the format.  A CAR is a bytea.  Its blocks come as rows in the
 * order of their sections, including duplicates and blocks that nothing refers to, so that
 * car_agg() of the rows is the CAR again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "codec/repository/car.h"
#include "compat.h"
#include "datum.h"
#include "repository/archive.h"


/*
 * car_roots(bytea): the CIDs that the header names, in its order.
 */
PG_FUNCTION_INFO_V1(atid_car_roots);
Datum
atid_car_roots(PG_FUNCTION_ARGS)
{
	bytea	   *car = PG_GETARG_BYTEA_PP(0);
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	AtidArchive archive;
	const uint8_t *root;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (!atid_archive_open(&archive, car, 0))
		atid_archive_raise(&archive, "CAR");
	root = archive.header.roots;
	for (size_t i = 0; i < archive.header.root_count; i++)
	{
		Datum		values[2];
		bool		nulls[2] = {0};
		const uint8_t *cid;
		size_t		cid_len;

		root = atid_car_root(root, &cid, &cid_len);
		values[0] = Int32GetDatum((int32) i + 1);
		values[1] = atid_bytes_datum(cid, cid_len);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * car_blocks(bytea, verify): all sections, in their order.
 */
PG_FUNCTION_INFO_V1(atid_car_blocks);
Datum
atid_car_blocks(PG_FUNCTION_ARGS)
{
	bytea	   *car;
	bool		verify = PG_ARGISNULL(1) || PG_GETARG_BOOL(1);
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	AtidArchive archive;
	AtidCarReader reader;
	AtidCarSection section;
	MemoryContext caller;
	MemoryContext row;
	int32		n = 0;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	car = PG_GETARG_BYTEA_PP(0);
	if (!atid_archive_open(&archive, car, verify ? ATID_ARCHIVE_CHECK : 0))
		atid_archive_raise(&archive, "CAR");
	reader = archive.header;
	row = AllocSetContextCreate(CurrentMemoryContext, "atid row of a CAR", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(row);
	while (atid_car_next(&reader, &section))
	{
		Datum		values[3];
		bool		nulls[3] = {0};

		CHECK_FOR_INTERRUPTS();
		if (verify && !atid_archive_check(&archive, &section))
			atid_archive_raise(&archive, "CAR");
		values[0] = Int32GetDatum(++n);
		values[1] = atid_bytes_datum(section.cid, section.cid_len);
		values[2] = atid_bytes_datum(section.block, section.block_len);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row);
	if (!atid_archive_car_problem(&archive, &reader))
		atid_archive_raise(&archive, "CAR");
	atid_archive_close(&archive);
	return (Datum) 0;
}

/*
 * The same for a declaration that is not STRICT, so that a NULL option is its default.  An
 * older library, which a session may have loaded before an update, must not be called with
 * a NULL, so the name is another one.
 */
PG_FUNCTION_INFO_V1(atid_car_blocks_verify);
Datum
atid_car_blocks_verify(PG_FUNCTION_ARGS)
{
	return atid_car_blocks(fcinfo);
}

/*
 * The first problem of a CAR's header, sections or hashes, or NULL.
 */
static const char *
find_car_problem(FunctionCallInfo fcinfo)
{
	bytea	   *car = PG_GETARG_BYTEA_PP(0);
	AtidArchive archive;

	if (atid_archive_open(&archive, car, ATID_ARCHIVE_CHECK))
	{
		AtidCarReader reader = archive.header;
		AtidCarSection section;

		while (archive.problem == NULL && atid_car_next(&reader, &section))
		{
			CHECK_FOR_INTERRUPTS();
			atid_archive_check(&archive, &section);
		}
		atid_archive_car_problem(&archive, &reader);
	}
	atid_archive_close(&archive);
	PG_FREE_IF_COPY(car, 0);
	return archive.problem;
}

PG_FUNCTION_INFO_V1(atid_car_is_valid);
Datum
atid_car_is_valid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(find_car_problem(fcinfo) == NULL);
}

PG_FUNCTION_INFO_V1(atid_car_problem);
Datum
atid_car_problem(PG_FUNCTION_ARGS)
{
	const char *problem = find_car_problem(fcinfo);

	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}


/*
 * The aggregate
 */

/* An aggregate's state: the CAR so far, and the root in its header. */
typedef struct CarState
{
	StringInfoData bytes;
	bytea	   *root;			/* NULL if it has none */
} CarState;

static void
put_header(StringInfo bytes, const bytea *root)
{
	const uint8_t *cid = root == NULL ? NULL : (const uint8_t *) VARDATA_ANY(root);
	size_t		cid_len = root == NULL ? 0 : VARSIZE_ANY_EXHDR(root);

	/* enlargeStringInfo() refuses a size that is too large */
	enlargeStringInfo(bytes, (int) ATID_CAR_HEADER_MAX(cid_len));
	bytes->len += (int) atid_car_put_header((uint8_t *) bytes->data + bytes->len, cid, cid_len);
}

static CarState *
begin_car(MemoryContext context, FunctionCallInfo fcinfo)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	CarState   *state = palloc0(sizeof(CarState));

	if (!PG_ARGISNULL(1))
		state->root = PG_GETARG_BYTEA_P_COPY(1);
	initStringInfo(&state->bytes);
	put_header(&state->bytes, state->root);
	MemoryContextSwitchTo(caller);
	return state;
}

static bool
is_root(const CarState *state, FunctionCallInfo fcinfo)
{
	bytea	   *root;

	if (PG_ARGISNULL(1) || state->root == NULL)
		return PG_ARGISNULL(1) && state->root == NULL;
	root = PG_GETARG_BYTEA_PP(1);
	return VARSIZE_ANY_EXHDR(root) == VARSIZE_ANY_EXHDR(state->root) &&
		memcmp(VARDATA_ANY(root), VARDATA_ANY(state->root), VARSIZE_ANY_EXHDR(root)) == 0;
}

/*
 * car_agg(root, cid, block): a row is a section.  root is NULL in all rows of a CAR without
 * a root.
 */
PG_FUNCTION_INFO_V1(atid_car_agg_transfn);
Datum
atid_car_agg_transfn(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	CarState   *state;
	uint8_t		head[ATID_CAR_SECTION_HEAD_MAX];
	bytea	   *cid;
	bytea	   *block;
	size_t		head_len;
	size_t		len;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (PG_ARGISNULL(2) || PG_ARGISNULL(3))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s of a CAR's section must not be null",
						PG_ARGISNULL(2) ? "cid" : "block")));
	state = PG_ARGISNULL(0) ? begin_car(context, fcinfo) : (CarState *) PG_GETARG_POINTER(0);
	if (!is_root(state, fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("root of a CAR must be the same in all rows")));

	cid = PG_GETARG_BYTEA_PP(2);
	block = PG_GETARG_BYTEA_PP(3);
	head_len = atid_car_put_section_head(head, VARSIZE_ANY_EXHDR(cid), VARSIZE_ANY_EXHDR(block));
	len = state->bytes.len + head_len + VARSIZE_ANY_EXHDR(cid) + VARSIZE_ANY_EXHDR(block);
	if (len > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("CAR of %zu bytes is larger than a bytea can be", len)));
	appendBinaryStringInfo(&state->bytes, (const char *) head, (int) head_len);
	appendBinaryStringInfo(&state->bytes, VARDATA_ANY(cid), (int) VARSIZE_ANY_EXHDR(cid));
	appendBinaryStringInfo(&state->bytes, VARDATA_ANY(block), (int) VARSIZE_ANY_EXHDR(block));
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(atid_car_agg_finalfn);
Datum
atid_car_agg_finalfn(PG_FUNCTION_ARGS)
{
	const CarState *state;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (const CarState *) PG_GETARG_POINTER(0);
	return atid_bytes_datum((const uint8_t *) state->bytes.data, (size_t) state->bytes.len);
}
