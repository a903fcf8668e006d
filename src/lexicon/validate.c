/*-------------------------------------------------------------------------
 *
 * validate.c
 *		Is a record, or any value, what its schema says?
 *
 * A verdict has three values.  It is false if something is wrong, by the data model
 * (record/model.c) or by the schema (codec/conform.c).  Else it is NULL if the set
 * cannot say: it has no such definition, or a reference leads out of it.  Else it is
 * true.
 *
 * A jsonb and a block are checked in one pass.  In a database whose encoding is not
 * UTF-8, the keys of a jsonb are in another order than the properties of a schema, so
 * a block is made of it first.
 *
 * A message without a "$type" is checked as each member of its union in turn.
 *
 * Memory: that of the walk (record/walk.c), and in other encodings the block; for a block 16
 * times its size at most (record/model.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "codec/address.h"
#include "codec/conform.h"
#include "codec/syntax.h"
#include "compat.h"
#include "error.h"
#include "lexicon/lexicon.h"
#include "record/decode.h"
#include "record/encode.h"
#include "record/inspect.h"
#include "record/model.h"

#define MAIN	"main"

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

/* The "$type" of a definition as JSON. */
static char *
shown_type(const AtidLexicon *set, uint32 n)
{
	const AtidLexDefinition *definition = &set->definitions[n];
	AtidLexText nsid = set->documents[definition->document].nsid;
	StringInfoData type;

	initStringInfo(&type);
	appendBinaryStringInfo(&type, atid_lex_text(set, nsid), (int) nsid.len);
	if (definition->name.len != strlen(MAIN) ||
		memcmp(atid_lex_text(set, definition->name), MAIN, strlen(MAIN)) != 0)
	{
		appendStringInfoChar(&type, '#');
		appendBinaryStringInfo(&type, atid_lex_text(set, definition->name),
							   (int) definition->name.len);
	}
	return shown_text(type.data, type.len);
}

/*
 * A problem as a sentence with its path.
 */
static char *
describe_nonconformity(const AtidInspector *in, const AtidConform *conform, AtidFault fault,
					   bool of_item)
{
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
			about = shown_text(atid_lex_text(conform->set, conform->text), conform->text.len);
			break;
		case ATID_ABOUT_TYPE:
			about = shown_type(conform->set, (uint32) conform->number);
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

static Datum
verdict_datum(FunctionCallInfo fcinfo, Verdict verdict)
{
	if (verdict == VERDICT_UNKNOWN)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(verdict == VERDICT_TRUE);
}

static Datum
problem_datum(FunctionCallInfo fcinfo, Verdict verdict, const char *problem)
{
	if (verdict != VERDICT_FALSE)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}


/*
 * Records
 */

/*
 * The arguments (record, lexicons, lenient) or (record, lexicons, nsid, lenient).
 */
static void
begin_record(FunctionCallInfo fcinfo, AtidConform *conform)
{
	bool		has_nsid = PG_NARGS() == 4;
	const AtidLexicon *set = atid_lexicon_program(fcinfo, 1);

	atid_conform_init(conform, set, PG_GETARG_BOOL(has_nsid ? 3 : 2));
	if (has_nsid)
	{
		text	   *nsid = PG_GETARG_TEXT_PP(2);

		atid_conform_begin_record(conform, VARDATA_ANY(nsid), VARSIZE_ANY_EXHDR(nsid));
	}
	else
		atid_conform_begin_record(conform, NULL, 0);
}

static Verdict
check_record(FunctionCallInfo fcinfo, char **problem)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	AtidConform conform;
	Subject		subject;
	Verdict		verdict = VERDICT_FALSE;

	begin_record(fcinfo, &conform);
	if (set_jsonb(&subject, jb, problem))
		verdict = check_subject(&subject, &conform, problem);
	PG_FREE_IF_COPY(jb, 0);
	return verdict;
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
 * record_conforms(record, lexicons [, nsid], lenient): is a record what the schema of
 * its $type says?
 */
PG_FUNCTION_INFO_V1(atid_record_conforms);
Datum
atid_record_conforms(PG_FUNCTION_ARGS)
{
	return verdict_datum(fcinfo, check_record(fcinfo, NULL));
}

PG_FUNCTION_INFO_V1(atid_record_conforms_problem);
Datum
atid_record_conforms_problem(PG_FUNCTION_ARGS)
{
	char	   *problem = NULL;
	Verdict		verdict = check_record(fcinfo, &problem);

	return problem_datum(fcinfo, verdict, problem);
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_conforms);
Datum
atid_dag_cbor_conforms(PG_FUNCTION_ARGS)
{
	return verdict_datum(fcinfo, check_block(fcinfo, NULL));
}

PG_FUNCTION_INFO_V1(atid_dag_cbor_conforms_problem);
Datum
atid_dag_cbor_conforms_problem(PG_FUNCTION_ARGS)
{
	char	   *problem = NULL;
	Verdict		verdict = check_block(fcinfo, &problem);

	return problem_datum(fcinfo, verdict, problem);
}

/*
 * rkey_conforms(rkey, lexicons, nsid): is a record key what the schema of a record
 * says?
 */
PG_FUNCTION_INFO_V1(atid_rkey_conforms_lexicon);
Datum
atid_rkey_conforms_lexicon(PG_FUNCTION_ARGS)
{
	text	   *rkey = PG_GETARG_TEXT_PP(0);
	const AtidLexicon *set = atid_lexicon_program(fcinfo, 1);
	text	   *nsid = PG_GETARG_TEXT_PP(2);
	const char *s = VARDATA_ANY(rkey);
	size_t		len = VARSIZE_ANY_EXHDR(rkey);
	uint32		document;
	uint32		definition = ATID_LEX_NONE;
	const AtidLexNode *node;
	size_t		at;

	if (!atid_nsid_is_valid(VARDATA_ANY(nsid), VARSIZE_ANY_EXHDR(nsid)))
		PG_RETURN_BOOL(false);
	document = atid_lexicon_find_document(set, VARDATA_ANY(nsid), VARSIZE_ANY_EXHDR(nsid));
	if (document != ATID_LEX_NONE)
		definition = atid_lexicon_find_definition(set, document, MAIN, strlen(MAIN));
	if (definition == ATID_LEX_NONE)
		PG_RETURN_NULL();
	node = &set->nodes[set->definitions[definition].node];
	if (node->type != ATID_LEX_RECORD)
		PG_RETURN_BOOL(false);

	switch ((AtidLexKey) node->format)
	{
		case ATID_LEX_KEY_ANY:
			PG_RETURN_BOOL(atid_record_key_scan(s, len, &at) == ATID_OK);
		case ATID_LEX_KEY_NSID:
			PG_RETURN_BOOL(atid_nsid_is_valid(s, len));
		case ATID_LEX_KEY_TID:
			PG_RETURN_BOOL(atid_syntax_tid(s, len, &at) == ATID_OK);
		case ATID_LEX_KEY_LITERAL:
			break;
	}
	PG_RETURN_BOOL(len == node->const_text.len &&
				   memcmp(s, atid_lex_text(set, node->const_text), len) == 0);
}


/*
 * Values of any definition
 */

/* What a value is checked as. */
typedef struct Target
{
	uint32		definition;		/* ATID_LEX_NONE: the set cannot say */
	bool		by_node;		/* as this node, which is of a part of a
								 * definition, */
	uint32		node;			/* or ATID_LEX_NONE for anything */
	bool		message;		/* the part is a message */
} Target;

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

static bool
is_endpoint(const AtidLexNode *node)
{
	return node->type == ATID_LEX_QUERY || node->type == ATID_LEX_PROCEDURE ||
		node->type == ATID_LEX_SUBSCRIPTION;
}

/*
 * Find what a value is checked as: the definition, and its part if part is not NULL.
 */
static AtidFault
find_target(const AtidLexicon *set, text *ref, text *part, Target *target)
{
	static const char *const parts[] = {"parameters", "input", "output", "message"};
	size_t		len;
	const char *s = atid_lexicon_ref_utf8(ref, &len);
	const char *name = NULL;
	uint32		property;
	uint32		node;

	if (!is_reference(s, len))
		return ATID_CONFORM_REF;
	*target = (Target)
	{
		.definition = ATID_LEX_NONE,.node = ATID_LEX_NONE
	};
	for (size_t i = 0; part != NULL && i < lengthof(parts); i++)
	{
		if (VARSIZE_ANY_EXHDR(part) == strlen(parts[i]) &&
			memcmp(VARDATA_ANY(part), parts[i], strlen(parts[i])) == 0)
			name = parts[i];
	}
	if (part != NULL && name == NULL)
		return ATID_CONFORM_PART;

	target->definition = atid_lexicon_find_ref(set, s, len);
	if (target->definition == ATID_LEX_NONE)
		return ATID_OK;
	node = set->definitions[target->definition].node;
	if (part == NULL)
		return is_endpoint(&set->nodes[node]) ? ATID_CONFORM_ENDPOINT : ATID_OK;
	property = is_endpoint(&set->nodes[node]) ?
		atid_lexicon_find_property(set, &set->nodes[node], name, strlen(name)) : ATID_LEX_NONE;
	if (property == ATID_LEX_NONE)
		return ATID_CONFORM_NO_PART;
	target->by_node = true;
	target->node = set->properties[property].node;
	if (set->nodes[target->node].type == ATID_LEX_BODY)
		target->node = set->nodes[target->node].first;
	target->message = strcmp(name, "message") == 0;
	return ATID_OK;
}

static Verdict
check_target(const AtidLexicon *set, bool lenient, const Target *target, const Subject *subject,
			 AtidConform *conform, char **problem)
{
	atid_conform_init(conform, set, lenient);
	if (target->by_node)
		atid_conform_begin_node(conform, target->node);
	else
		atid_conform_begin_definition(conform, target->definition);
	return check_subject(subject, conform, problem);
}

/*
 * A message without a $type: it must conform to a member of the union.  If the union is
 * open, it may also be of a type that is not listed, so the set cannot say.
 */
static Verdict
check_bare_message(const AtidLexicon *set, bool lenient, uint32 n, const Subject *subject,
				   AtidConform *conform, char **problem)
{
	const AtidLexNode *node = &set->nodes[n];
	Target		target = {.by_node = true,.node = ATID_LEX_NONE};
	bool		unknown = (node->flags & ATID_LEX_CLOSED) == 0;

	/* the data model's rules are those of all members */
	if (check_target(set, lenient, &target, subject, conform, problem) == VERDICT_FALSE)
		return VERDICT_FALSE;
	target.by_node = false;
	for (uint32 i = 0; i < node->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		target.definition = set->refs[node->first + i].definition;
		if (target.definition == ATID_LEX_NONE)
		{
			unknown = true;
			continue;
		}
		switch (check_target(set, lenient, &target, subject, conform, NULL))
		{
			case VERDICT_TRUE:
				return VERDICT_TRUE;
			case VERDICT_UNKNOWN:
				unknown = true;
				break;
			case VERDICT_FALSE:
				break;
		}
	}
	if (unknown)
		return VERDICT_UNKNOWN;
	if (problem != NULL)
		*problem = psprintf("$: %s", atid_fault_sentence(ATID_CONFORM_NO_MESSAGE, NULL));
	return VERDICT_FALSE;
}

/*
 * The arguments (value, lexicons, ref, lenient) or (value, lexicons, ref, part, lenient).
 */
static Verdict
check_value(FunctionCallInfo fcinfo, char **problem)
{
	bool		has_part = PG_NARGS() == 5;
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	const AtidLexicon *set = atid_lexicon_program(fcinfo, 1);
	bool		lenient = PG_GETARG_BOOL(has_part ? 4 : 3);
	AtidConform conform;
	Subject		subject;
	Target		target;
	AtidFault	fault;
	Verdict		verdict = VERDICT_FALSE;

	fault = find_target(set, PG_GETARG_TEXT_PP(2), has_part ? PG_GETARG_TEXT_PP(3) : NULL,
						&target);
	if (fault != ATID_OK)
	{
		if (problem != NULL)
			*problem = atid_fault_sentence(fault, NULL);
	}
	else if (set_jsonb(&subject, jb, problem))
	{
		verdict = check_target(set, lenient, &target, &subject, &conform, problem);
		if (verdict == VERDICT_FALSE && target.message &&
			conform.fault == ATID_CONFORM_UNION_NO_TYPE && conform.depth == 0)
			verdict = check_bare_message(set, lenient, target.node, &subject, &conform, problem);
	}
	PG_FREE_IF_COPY(jb, 0);
	return verdict;
}

/*
 * value_conforms(value, lexicons, ref [, part], lenient): is a value what a definition
 * says, or a part of a query, procedure or subscription?
 */
PG_FUNCTION_INFO_V1(atid_value_conforms);
Datum
atid_value_conforms(PG_FUNCTION_ARGS)
{
	return verdict_datum(fcinfo, check_value(fcinfo, NULL));
}

PG_FUNCTION_INFO_V1(atid_value_conforms_problem);
Datum
atid_value_conforms_problem(PG_FUNCTION_ARGS)
{
	char	   *problem = NULL;
	Verdict		verdict = check_value(fcinfo, &problem);

	return problem_datum(fcinfo, verdict, problem);
}
