/*-------------------------------------------------------------------------
 *
 * record.c
 *		SQL functions of records: jsonb to DAG-CBOR and back, CIDs, and problems.
 *
 * encode.c makes a block of a record, decode.c the reverse, and model.c looks for
 * problems.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "cid.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/multiformat.h"
#include "compat.h"
#include "record/decode.h"
#include "record/encode.h"
#include "record/inspector.h"
#include "record/jsonb_reader.h"
#include "record/model.h"


PG_FUNCTION_INFO_V1(atid_record_to_dag_cbor);
Datum
atid_record_to_dag_cbor(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	bytea	   *block = atid_block_of_jsonb(jb);

	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_BYTEA_P(block);
}

/* The CID of a block; frees the block. */
static Datum
cid_of_own_block(bytea *block)
{
	Datum		cid = atid_cid_of_block(ATID_CODEC_DAG_CBOR, VARDATA(block),
										VARSIZE(block) - VARHDRSZ);

	pfree(block);
	return cid;
}

/*
 * record_cid(jsonb): the CID of the record's block.
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
 * json_to_dag_cbor(json): the block of a json, which unlike jsonb can have U+0000.
 * A duplicate key is refused.
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
 * Is this option true?  NULL is false, its default.
 */
static bool
is_asked_for(FunctionCallInfo fcinfo, int arg)
{
	return !PG_ARGISNULL(arg) && PG_GETARG_BOOL(arg);
}

/*
 * The rules that a call of record_is_valid, record_problem, json_is_valid or
 * json_problem asks for: its second argument, if any, is strict.
 */
static AtidRules
rules_of_call(FunctionCallInfo fcinfo)
{
	return PG_NARGS() > 1 && is_asked_for(fcinfo, 1) ? ATID_RULES_STRICT : ATID_RULES_MODEL;
}

/*
 * NOT_STRICT(name, function): the function for a declaration that is not STRICT, so that
 * a NULL option is its default.  NULL would be a wrong answer: that of a predicate passes
 * a CHECK, that of a *_problem function says that there is no problem.  It has a name of
 * its own so that an older library, which a session may have loaded before an update, is
 * not called with a NULL.
 */
#define NOT_STRICT(name, function) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		if (PG_ARGISNULL(0)) \
			PG_RETURN_NULL(); \
		return function(fcinfo); \
	}

static Datum
problem_datum(FunctionCallInfo fcinfo, const char *problem)
{
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}

PG_FUNCTION_INFO_V1(atid_record_is_valid);
Datum
atid_record_is_valid(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	AtidJsonbWalk walk;
	AtidInspector in;
	bool		of_item;
	AtidFault	problem;

	atid_jsonb_walk_init(&walk, &jb->root);
	atid_inspect_init(&in, NULL, &walk);
	problem = atid_find_problem(&in, rules_of_call(fcinfo), &of_item);
	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_BOOL(problem == ATID_OK);
}

NOT_STRICT(atid_record_is_valid_strict, atid_record_is_valid)

PG_FUNCTION_INFO_V1(atid_record_problem);
Datum
atid_record_problem(PG_FUNCTION_ARGS)
{
	return problem_datum(fcinfo, atid_describe_problem(PG_GETARG_JSONB_P(0),
													   rules_of_call(fcinfo)));
}

NOT_STRICT(atid_record_problem_strict, atid_record_problem)

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
 * bytes_json(bytea): the JSON of bytes in a record, {"$bytes": ...}.
 */
PG_FUNCTION_INFO_V1(atid_bytes_json);
Datum
atid_bytes_json(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(atid_jsonb_of_bytes(PG_GETARG_BYTEA_PP(0)));
}

/*
 * The rules that a call of dag_cbor_is_valid or dag_cbor_problem asks for: their
 * longer forms have the arguments model and strict.
 */
static AtidRules
block_rules_of_call(FunctionCallInfo fcinfo)
{
	if (PG_NARGS() == 1)
		return ATID_RULES_CODEC;
	return is_asked_for(fcinfo, 2) ? ATID_RULES_STRICT :
		is_asked_for(fcinfo, 1) ? ATID_RULES_MODEL : ATID_RULES_CODEC;
}

/*
 * Does a block follow these rules?
 */
static bool
block_is_valid(bytea *block, AtidRules rules)
{
	AtidCborReader reader;
	AtidInspector in;
	bool		of_item;

	atid_block_reader_init(&reader, block);
	if (rules == ATID_RULES_CODEC)
		return atid_block_read_rest(&reader);
	atid_inspect_init(&in, &reader, NULL);
	return atid_find_problem(&in, rules, &of_item) == ATID_OK;
}

/*
 * The first of these rules that a block breaks, or NULL.  If the block is not
 * DAG-CBOR, that is reported, even if another fault comes before it.
 */
static char *
block_problem(bytea *block, AtidRules rules)
{
	AtidCborReader reader;
	AtidInspector in;
	bool		of_item;
	AtidFault	problem = ATID_OK;
	char	   *text = NULL;

	atid_block_reader_init(&reader, block);
	if (rules != ATID_RULES_CODEC)
	{
		atid_inspect_init(&in, &reader, NULL);
		problem = atid_find_problem(&in, rules, &of_item);
		if (problem != ATID_OK && reader.fault == ATID_OK)
			text = atid_problem_text(&in, problem, of_item);
	}
	return atid_block_read_rest(&reader) ? text : atid_block_problem(&reader);
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_is_valid);
Datum
atid_dag_cbor_is_valid(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	bool		valid = block_is_valid(block, block_rules_of_call(fcinfo));

	PG_FREE_IF_COPY(block, 0);
	PG_RETURN_BOOL(valid);
}

NOT_STRICT(atid_dag_cbor_is_valid_model, atid_dag_cbor_is_valid)

/*
 * dag_cbor_problem(bytea): the first rule of DAG-CBOR that a block breaks, and
 * where; NULL if it breaks none.
 */
PG_FUNCTION_INFO_V1(atid_dag_cbor_problem);
Datum
atid_dag_cbor_problem(PG_FUNCTION_ARGS)
{
	return problem_datum(fcinfo, block_problem(PG_GETARG_BYTEA_PP(0),
											   block_rules_of_call(fcinfo)));
}

NOT_STRICT(atid_dag_cbor_problem_model, atid_dag_cbor_problem)

static bytea *
block_or_problem(text *json, char **problem)
{
	AtidFault	fault;

	return atid_try_block_of_json(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), &fault, problem);
}

/*
 * json_is_valid(json, strict): does the record in a json, which can have U+0000,
 * follow the data model?  This checks its block, where the keys are in order.
 */
PG_FUNCTION_INFO_V1(atid_json_is_valid);
Datum
atid_json_is_valid(PG_FUNCTION_ARGS)
{
	char	   *problem;
	bytea	   *block = block_or_problem(PG_GETARG_TEXT_PP(0), &problem);
	bool		valid = block != NULL && block_is_valid(block, rules_of_call(fcinfo));

	if (block != NULL)
		pfree(block);
	PG_RETURN_BOOL(valid);
}

NOT_STRICT(atid_json_is_valid_strict, atid_json_is_valid)

PG_FUNCTION_INFO_V1(atid_json_problem);
Datum
atid_json_problem(PG_FUNCTION_ARGS)
{
	char	   *problem;
	bytea	   *block = block_or_problem(PG_GETARG_TEXT_PP(0), &problem);

	if (block != NULL)
		problem = block_problem(block, rules_of_call(fcinfo));
	return problem_datum(fcinfo, problem);
}

NOT_STRICT(atid_json_problem_strict, atid_json_problem)
