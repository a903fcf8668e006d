/*-------------------------------------------------------------------------
 *
 * validate.c
 *		Does a record, a value of any definition, or a part of a query conform to its schema?
 *
 * A verdict has three values.  It is false if something is wrong, by the data model
 * (record/model.c) or by the schema (codec/lexicon/conform.c).  Else it is NULL if the set
 * cannot say: it has no such definition, or one of a type that the language lacks where a
 * record's is needed, or a reference leads out of it.  Else it is true.
 *
 * A jsonb and a block are checked in one pass.  In a database whose encoding is not
 * UTF-8, the keys of a jsonb are in another order than the properties of a schema, so
 * a block is made of it first.
 *
 * Memory: that of the walk (record/jsonb_reader.c), and in other encodings the block; for a
 * block 16 times its size at most (record/model.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "codec/lexicon/conform.h"
#include "codec/text/address.h"
#include "codec/text/tid.h"
#include "compat.h"
#include "error.h"
#include "function.h"
#include "lexicon/program.h"
#include "lexicon/value.h"
#include "record/decode.h"
#include "record/encode.h"
#include "record/inspector.h"
#include "record/model.h"

/* The most bytes of a name or a constant of a schema that a problem shows. */
#define ABOUT_MAX 100

typedef enum Verdict
{
	VERDICT_FALSE,
	VERDICT_TRUE,
	VERDICT_UNKNOWN
} Verdict;

/* What is checked: a jsonb or a block. */
typedef struct Subject
{
	Jsonb	   *jb;				/* NULL if it is a block */
	bytea	   *block;
} Subject;


/*
 * Problems
 */

/* A text of a set as JSON, clipped, in the server's encoding. */
static char *
shown_text(const char *utf8, size_t len)
{
	StringInfoData quoted;

	utf8 = atid_clip(utf8, &len, PG_UTF8, ABOUT_MAX);
	initStringInfo(&quoted);
	atid_append_json_string(&quoted, utf8, len);
	return atid_shown(quoted.data, quoted.len);
}

/* A definition as JSON, in the form of a "$type". */
static char *
shown_ref(const AtidLexicon *set, AtidLexText nsid, AtidLexText name)
{
	StringInfoData ref;

	initStringInfo(&ref);
	atid_lexicon_append_ref(&ref, set, nsid, name);
	return shown_text(ref.data, ref.len);
}

/*
 * A problem as a sentence with its path.
 */
static char *
describe_nonconformity(const AtidInspector *in, const AtidConform *conform, AtidFault fault,
					   bool of_item)
{
	const AtidLexicon *set = conform->set;
	const AtidLexDefinition *definition;
	const AtidLexRef *ref;
	const char *path;
	char	   *about = NULL;

	if (fault != conform->fault)
		return atid_problem_text(in, fault, of_item);
	path = atid_inspect_path(in, in->depth, of_item);
	switch (conform->about)
	{
		case ATID_ABOUT_NOTHING:
			break;
		case ATID_ABOUT_TEXT:
			about = shown_text(atid_lex_text(set, conform->text), conform->text.len);
			break;
		case ATID_ABOUT_TYPE:
			definition = &set->definitions[conform->number];
			about = shown_ref(set, set->documents[definition->document].nsid, definition->name);
			break;
		case ATID_ABOUT_REF:
			ref = &set->refs[conform->number];
			about = shown_ref(set, ref->nsid, ref->name);
			break;
		case ATID_ABOUT_NUMBER:
			about = psprintf(INT64_FORMAT, conform->number);
			break;
		case ATID_ABOUT_BOOLEAN:
			about = pstrdup(conform->number != 0 ? "true" : "false");
			break;
		case ATID_ABOUT_CHARACTER:
			return psprintf("%s: %s", path,
							atid_fault_at_character(fault, (size_t) conform->number));
	}
	return psprintf("%s: %s", path, atid_fault_sentence(fault, about));
}


/*
 * Checking
 */

/*
 * Check a value, as what conform has begun with.  *problem is set if problem is not
 * NULL and the verdict is false.
 */
static Verdict
check_subject(const Subject *subject, AtidConform *conform, char **problem)
{
	AtidJsonbWalk walk;
	AtidCborReader reader;
	AtidInspector in;
	bool		of_item;
	AtidFault	fault;

	if (subject->jb != NULL)
	{
		atid_jsonb_walk_init(&walk, &subject->jb->root);
		atid_inspect_init(&in, NULL, &walk);
	}
	else
	{
		atid_block_reader_init(&reader, subject->block);
		atid_inspect_init(&in, &reader, NULL);
	}
	conform->pause = atid_check_for_interrupts;
	fault = atid_find_nonconformity(&in, conform, &of_item);
	if (fault == ATID_OK)
		return conform->unknown ? VERDICT_UNKNOWN : VERDICT_TRUE;

	if (problem != NULL)
	{
		*problem = NULL;
		if (subject->jb != NULL || reader.fault == ATID_OK)
			*problem = describe_nonconformity(&in, conform, fault, of_item);

		/* that a block is not DAG-CBOR comes first, wherever its fault lies */
		if (subject->jb == NULL && !atid_block_read_rest(&reader))
			*problem = atid_block_problem(&reader);
	}
	return VERDICT_FALSE;
}

/*
 * Set the subject to a jsonb, or to its block.  Returns false if it has none.
 */
static bool
set_jsonb(Subject *subject, Jsonb *jb, char **problem)
{
	AtidFault	fault;
	char	   *why;

	subject->jb = NULL;
	if (GetDatabaseEncoding() == PG_UTF8)
	{
		subject->jb = jb;
		return true;
	}
	subject->block = atid_try_block_of_jsonb(jb, &fault, &why);
	if (subject->block == NULL && problem != NULL)
		*problem = why;
	return subject->block != NULL;
}


/*
 * Arguments and answers
 */

/*
 * The arguments (data, lexicons [, name [, lenient]]), where the name is an NSID or a
 * reference; those of xrpc_conforms() have a part between these two.  Which of them must not
 * be NULL but is?
 */
static AtidFault
find_null_argument(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		return ATID_CONFORM_NULL_LEXICONS;
	if (PG_NARGS() > 2 && PG_ARGISNULL(2))
		return ATID_CONFORM_NULL_NAME;
	if (PG_NARGS() > 4 && PG_ARGISNULL(3))
		return ATID_CONFORM_NULL_PART;
	return ATID_OK;
}

/* The last argument, if there are more than three. */
static bool
is_lenient(FunctionCallInfo fcinfo)
{
	int			last = PG_NARGS() - 1;

	return last > 2 && !PG_ARGISNULL(last) && PG_GETARG_BOOL(last);
}

/*
 * The answer of a predicate whose checks these are.
 */
static Datum
answer_verdict(FunctionCallInfo fcinfo, Verdict (*check) (FunctionCallInfo, char **))
{
	Verdict		verdict;

	if (PG_ARGISNULL(0) || find_null_argument(fcinfo) != ATID_OK)
		PG_RETURN_NULL();
	verdict = check(fcinfo, NULL);
	if (verdict == VERDICT_UNKNOWN)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(verdict == VERDICT_TRUE);
}

/*
 * The answer of its *_problem function.
 */
static Datum
answer_problem(FunctionCallInfo fcinfo, Verdict (*check) (FunctionCallInfo, char **))
{
	AtidFault	fault = find_null_argument(fcinfo);
	char	   *problem;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (fault != ATID_OK)
		PG_RETURN_TEXT_P(cstring_to_text(atid_fault_words(fault)));
	if (check(fcinfo, &problem) != VERDICT_FALSE)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}


/*
 * Records
 */

static void
begin_record(FunctionCallInfo fcinfo, AtidConform *conform)
{
	text	   *nsid = PG_NARGS() > 2 ? PG_GETARG_TEXT_PP(2) : NULL;

	atid_conform_init(conform, atid_lexicon_program(fcinfo, 1), is_lenient(fcinfo));
	if (nsid != NULL)
		atid_conform_begin_record(conform, VARDATA_ANY(nsid), VARSIZE_ANY_EXHDR(nsid));
	else
		atid_conform_begin_record(conform, NULL, 0);
}

/*
 * Check a record.  If must_know, it is false where the set cannot say.
 */
static Verdict
check_jsonb(FunctionCallInfo fcinfo, bool must_know, char **problem)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	AtidConform conform;
	Subject		subject;
	Verdict		verdict = VERDICT_FALSE;

	begin_record(fcinfo, &conform);
	conform.must_know = must_know;
	if (set_jsonb(&subject, jb, problem))
		verdict = check_subject(&subject, &conform, problem);
	PG_FREE_IF_COPY(jb, 0);
	return verdict;
}

static Verdict
check_record(FunctionCallInfo fcinfo, char **problem)
{
	return check_jsonb(fcinfo, false, problem);
}

static Verdict
check_block(FunctionCallInfo fcinfo, char **problem)
{
	Subject		subject = {.block = PG_GETARG_BYTEA_PP(0)};
	AtidConform conform;
	Verdict		verdict;

	begin_record(fcinfo, &conform);
	verdict = check_subject(&subject, &conform, problem);
	PG_FREE_IF_COPY(subject.block, 0);
	return verdict;
}

/*
 * record_conforms(record, lexicons [, nsid, lenient]): does a record conform to the
 * Lexicon of its "$type", or of this NSID, which its "$type" must be?
 */
ATID_FUNCTION(atid_record_conforms, answer_verdict(fcinfo, check_record))
ATID_FUNCTION(atid_record_conforms_problem, answer_problem(fcinfo, check_record))
ATID_FUNCTION(atid_dag_cbor_conforms, answer_verdict(fcinfo, check_block))
ATID_FUNCTION(atid_dag_cbor_conforms_problem, answer_problem(fcinfo, check_block))

/*
 * The error for a record that does not conform, or about which the set cannot say.
 */
pg_noreturn static void
refuse_record(FunctionCallInfo fcinfo, Verdict verdict)
{
	char	   *problem = NULL;

	/* check it once more, for the words */
	check_jsonb(fcinfo, verdict == VERDICT_UNKNOWN, &problem);
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("record does not conform to its Lexicon"),
			 errdetail("%s", problem)));
}

/*
 * record_must_conform(record, lexicons [, nsid, lenient]): true, or an error.
 */
PG_FUNCTION_INFO_V1(atid_record_must_conform);
Datum
atid_record_must_conform(PG_FUNCTION_ARGS)
{
	AtidFault	fault = find_null_argument(fcinfo);
	Verdict		verdict;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (fault != ATID_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("record cannot be checked"),
				 errdetail("%s", atid_fault_words(fault))));
	verdict = check_record(fcinfo, NULL);
	if (verdict != VERDICT_TRUE)
		refuse_record(fcinfo, verdict);
	PG_RETURN_BOOL(true);
}

/*
 * record_key_conforms(key, lexicons, nsid): can a record of this type have this key?
 */
PG_FUNCTION_INFO_V1(atid_record_key_conforms_lexicons);
Datum
atid_record_key_conforms_lexicons(PG_FUNCTION_ARGS)
{
	text	   *key = PG_GETARG_TEXT_PP(0);
	const AtidLexicon *set = atid_lexicon_program(fcinfo, 1);
	text	   *nsid = PG_GETARG_TEXT_PP(2);
	const char *s = VARDATA_ANY(key);
	size_t		len = VARSIZE_ANY_EXHDR(key);
	uint32		document;
	uint32		definition = ATID_LEX_NONE;
	const AtidLexNode *node;
	size_t		at;

	if (!atid_nsid_is_valid(VARDATA_ANY(nsid), VARSIZE_ANY_EXHDR(nsid)))
		PG_RETURN_BOOL(false);
	document = atid_lexicon_find_document(set, VARDATA_ANY(nsid), VARSIZE_ANY_EXHDR(nsid));
	if (document != ATID_LEX_NONE)
		definition = atid_lexicon_find_main(set, document);
	if (definition == ATID_LEX_NONE)
		PG_RETURN_NULL();
	node = &set->nodes[set->definitions[definition].node];
	if (node->type == ATID_LEX_OTHER)
		PG_RETURN_NULL();
	if (node->type != ATID_LEX_RECORD)
		PG_RETURN_BOOL(false);

	switch ((AtidLexKey) node->format)
	{
		case ATID_LEX_KEY_ANY:
			PG_RETURN_BOOL(atid_record_key_scan(s, len, &at) == ATID_OK);
		case ATID_LEX_KEY_NSID:
			PG_RETURN_BOOL(atid_nsid_is_valid(s, len));
		case ATID_LEX_KEY_TID:
			PG_RETURN_BOOL(atid_tid_scan(s, len, &at) == ATID_OK);
		case ATID_LEX_KEY_LITERAL:
			break;
	}
	PG_RETURN_BOOL(len == node->const_text.len &&
				   memcmp(s, atid_lex_text(set, node->const_text), len) == 0);
}


/*
 * Values of any definition
 */

/*
 * Is a text an NSID, or an NSID with "#" and a name?
 */
static bool
is_reference(const char *s, size_t len)
{
	const char *hash = memchr(s, '#', len);
	size_t		nsid_len = hash != NULL ? (size_t) (hash - s) : len;

	if (!atid_nsid_is_valid(s, nsid_len))
		return false;
	return hash == NULL ||
		(len > nsid_len + 1 && memchr(hash + 1, '#', len - nsid_len - 1) == NULL);
}

static Verdict
check_value(FunctionCallInfo fcinfo, char **problem)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	const AtidLexicon *set = atid_lexicon_program(fcinfo, 1);
	size_t		len;
	const char *ref = atid_lexicon_ref_utf8(PG_GETARG_TEXT_PP(2), &len);
	AtidConform conform;
	Subject		subject;
	Verdict		verdict = VERDICT_FALSE;

	atid_conform_init(&conform, set, is_lenient(fcinfo));
	if (!is_reference(ref, len))
	{
		if (problem != NULL)
			*problem = atid_fault_sentence(ATID_CONFORM_REF, NULL);
	}
	else if (set_jsonb(&subject, jb, problem))
	{
		atid_conform_begin_definition(&conform, atid_lexicon_find_ref(set, ref, len));
		verdict = check_subject(&subject, &conform, problem);
	}
	PG_FREE_IF_COPY(jb, 0);
	return verdict;
}

/*
 * value_conforms(value, lexicons, ref [, lenient]): does a value conform to a definition?
 */
ATID_FUNCTION(atid_value_conforms, answer_verdict(fcinfo, check_value))
ATID_FUNCTION(atid_value_conforms_problem, answer_problem(fcinfo, check_value))


/*
 * Parts of queries, procedures and subscriptions
 */

/*
 * The name of a part.
 */
static const char *
part_argument(FunctionCallInfo fcinfo, int argument)
{
	static const char *const parts[] = {"parameters", "input", "output", "message"};
	const text *part = PG_GETARG_TEXT_PP(argument);
	size_t		len = VARSIZE_ANY_EXHDR(part);

	for (size_t i = 0; i < lengthof(parts); i++)
		if (len == strlen(parts[i]) && memcmp(VARDATA_ANY(part), parts[i], len) == 0)
			return parts[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized part: \"%s\"", atid_quote(VARDATA_ANY(part), len)),
			 errdetail("A part must be \"parameters\", \"input\", \"output\" or \"message\".")));
}

static Verdict
check_xrpc(FunctionCallInfo fcinfo, char **problem)
{
	const char *part = part_argument(fcinfo, 3);
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	text	   *nsid = PG_GETARG_TEXT_PP(2);
	AtidConform conform;
	Subject		subject;
	AtidFault	fault;
	Verdict		verdict = VERDICT_FALSE;

	atid_conform_init(&conform, atid_lexicon_program(fcinfo, 1), is_lenient(fcinfo));
	fault = atid_conform_begin_xrpc(&conform, VARDATA_ANY(nsid), VARSIZE_ANY_EXHDR(nsid), part);
	if (fault != ATID_OK)
	{
		if (problem != NULL)
			*problem = atid_fault_sentence(fault, NULL);
	}
	else if (set_jsonb(&subject, jb, problem))
		verdict = check_subject(&subject, &conform, problem);
	PG_FREE_IF_COPY(jb, 0);
	return verdict;
}

/*
 * xrpc_conforms(value, lexicons, nsid, part [, lenient]): does a value conform to the
 * parameters, the input or the output of a query or procedure, or to the message of a
 * subscription?
 */
ATID_FUNCTION(atid_xrpc_conforms, answer_verdict(fcinfo, check_xrpc))
ATID_FUNCTION(atid_xrpc_conforms_problem, answer_problem(fcinfo, check_xrpc))
