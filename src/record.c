/*-------------------------------------------------------------------------
 *
 * record.c
 *		Records: jsonb to DAG-CBOR and back, their CIDs, and what is wrong with
 *		them.
 *
 * The work is done in jsonb/: encode.c and decode.c turn one into the other, and
 * model.c looks for problems.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "cid.h"
#include "codec/dagcbor.h"
#include "codec/multiformat.h"
#include "compat.h"
#include "jsonb/decode.h"
#include "jsonb/encode.h"
#include "jsonb/inspect.h"
#include "jsonb/model.h"
#include "jsonb/walk.h"

PG_FUNCTION_INFO_V1(atid_record_to_dag_cbor);
PG_FUNCTION_INFO_V1(atid_dag_cbor_to_record);
PG_FUNCTION_INFO_V1(atid_dag_cbor_to_json);
PG_FUNCTION_INFO_V1(atid_dag_cbor_is_valid);
PG_FUNCTION_INFO_V1(atid_record_cid);
PG_FUNCTION_INFO_V1(atid_record_is_valid);
PG_FUNCTION_INFO_V1(atid_record_problem);


Datum
atid_record_to_dag_cbor(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	bytea	   *block = atid_block_of_jsonb(jb);

	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_BYTEA_P(block);
}

/*
 * record_cid(jsonb): the CID that the network knows the record by.
 */
Datum
atid_record_cid(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	bytea	   *block = atid_block_of_jsonb(jb);
	Datum		cid = atid_cid_of_block(ATID_CODEC_DAG_CBOR, VARDATA(block),
										VARSIZE(block) - VARHDRSZ);

	pfree(block);
	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_DATUM(cid);
}

Datum
atid_record_is_valid(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	AtidJsonbWalk walk;
	AtidInspector in;
	bool		of_item;
	AtidProblem problem;

	atid_jsonb_walk_init(&walk, &jb->root);
	atid_inspect_init(&in, NULL, &walk);
	problem = atid_find_problem(&in, true, &of_item);
	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_BOOL(problem == ATID_PROBLEM_NONE);
}

Datum
atid_record_problem(PG_FUNCTION_ARGS)
{
	char	   *problem = atid_describe_problem(PG_GETARG_JSONB_P(0), true);

	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}

Datum
atid_dag_cbor_is_valid(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	uint64		events = 0;

	atid_block_reader_init(&reader, block);
	do
	{
		if ((++events & 0xFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		event = atid_cbor_next(&reader, &item);
	} while (event != ATID_CBOR_END && event != ATID_CBOR_FAULT);
	PG_FREE_IF_COPY(block, 0);
	PG_RETURN_BOOL(event == ATID_CBOR_END);
}

Datum
atid_dag_cbor_to_json(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(atid_json_of_block(PG_GETARG_BYTEA_PP(0)));
}

Datum
atid_dag_cbor_to_record(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(atid_jsonb_of_block(PG_GETARG_BYTEA_PP(0)));
}
