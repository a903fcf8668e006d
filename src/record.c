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
Datum
atid_record_to_dag_cbor(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	bytea	   *block = atid_block_of_jsonb(jb);

	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_BYTEA_P(block);
}

/* The CID of a block that was made for it alone. */
static Datum
cid_of_own_block(bytea *block)
{
	Datum		cid = atid_cid_of_block(ATID_CODEC_DAG_CBOR, VARDATA(block),
										VARSIZE(block) - VARHDRSZ);

	pfree(block);
	return cid;
}

/*
 * record_cid(jsonb): the CID that the network knows the record by.
 */
PG_FUNCTION_INFO_V1(atid_record_cid);
Datum
atid_record_cid(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	Datum		cid = cid_of_own_block(atid_block_of_jsonb(jb));

	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_DATUM(cid);
}

/*
 * json_to_dag_cbor(json): the block of a text, which holds what jsonb cannot: a
 * U+0000, and a key twice, which is refused.
 */
PG_FUNCTION_INFO_V1(atid_json_to_dag_cbor);
Datum
atid_json_to_dag_cbor(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(atid_block_of_json(PG_GETARG_TEXT_PP(0)));
}

PG_FUNCTION_INFO_V1(atid_json_cid);
Datum
atid_json_cid(PG_FUNCTION_ARGS)
{
	text	   *json = PG_GETARG_TEXT_PP(0);

	PG_RETURN_DATUM(cid_of_own_block(atid_block_of_json(json)));
}

/*
 * The rules of record_is_valid and record_problem: an overload of each has a
 * second argument, strict.
 */
static AtidRules
rules_of_call(FunctionCallInfo fcinfo)
{
	return PG_NARGS() > 1 && PG_GETARG_BOOL(1) ? ATID_RULES_STRICT : ATID_RULES_MODEL;
}

PG_FUNCTION_INFO_V1(atid_record_is_valid);
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
	problem = atid_find_problem(&in, rules_of_call(fcinfo), &of_item);
	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_BOOL(problem == ATID_PROBLEM_NONE);
}

PG_FUNCTION_INFO_V1(atid_record_problem);
Datum
atid_record_problem(PG_FUNCTION_ARGS)
{
	char	   *problem = atid_describe_problem(PG_GETARG_JSONB_P(0), rules_of_call(fcinfo));

	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_to_record);
Datum
atid_dag_cbor_to_record(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(atid_jsonb_of_block(PG_GETARG_BYTEA_PP(0)));
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_to_json);
Datum
atid_dag_cbor_to_json(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(atid_json_of_block(PG_GETARG_BYTEA_PP(0)));
}

/*
 * bytes_json(bytea): bytes as a record has them.
 */
PG_FUNCTION_INFO_V1(atid_bytes_json);
Datum
atid_bytes_json(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(atid_jsonb_of_bytes(PG_GETARG_BYTEA_PP(0)));
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_is_valid);
Datum
atid_dag_cbor_is_valid(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	AtidCborReader reader;
	bool		valid;

	atid_block_reader_init(&reader, block);
	valid = atid_block_read_rest(&reader);
	PG_FREE_IF_COPY(block, 0);
	PG_RETURN_BOOL(valid);
}

/*
 * dag_cbor_problem(bytea): where a block is not DAG-CBOR, and which rule it
 * breaks; NULL if it is.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_problem);
Datum
atid_dag_cbor_problem(PG_FUNCTION_ARGS)
{
	AtidCborReader reader;

	atid_block_reader_init(&reader, PG_GETARG_BYTEA_PP(0));
	if (atid_block_read_rest(&reader))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(atid_block_problem(&reader)));
}
