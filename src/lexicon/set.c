/*-------------------------------------------------------------------------
 *
 * set.c
 *		Lexicons as sets: documents put together, asked for, and left out.
 *
 * A set has one document of an NSID.  Where sets are put together, the same document
 * twice is one, and two different ones are an error.  A document of which lexicon_only()
 * has left something out is another document than the whole one.
 *
 * What lexicon_only() keeps is closed: a definition comes with all that it refers to in
 * the set, so a reference within a document always leads to a definition.  Of a document
 * all other fields are kept.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "array_sort.h"
#include "codec/bytes.h"
#include "codec/cbor/dagcbor.h"
#include "compat.h"
#include "datum.h"
#include "error.h"
#include "lexicon/program.h"
#include "lexicon/value.h"


pg_noreturn static void
refuse_set(AtidFault fault, const AtidLexiconPart *part)
{
	ereport(ERROR,
			(errcode(fault == ATID_CBOR_SIZE ? ERRCODE_PROGRAM_LIMIT_EXCEEDED :
					 ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("could not combine lexicons"),
			 errdetail("%s", atid_lexicon_fault_of(part, fault))));
}

static AtidLexiconDatum *
join_or_refuse(AtidLexiconParts *parts)
{
	AtidLexiconDatum *value;
	const AtidLexiconPart *part;
	AtidFault	fault = atid_lexicon_join(parts, &value, &part);

	if (fault != ATID_OK)
		refuse_set(fault, part);
	if (parts->parts != NULL)
		pfree(parts->parts);
	return value;
}


/*
 * Sets put together
 */

/*
 * lexicon_concat(lexicon, lexicon), the operator ||: the documents of both.
 */
PG_FUNCTION_INFO_V1(atid_lexicon_concat);
Datum
atid_lexicon_concat(PG_FUNCTION_ARGS)
{
	AtidLexiconParts parts = {0};

	atid_lexicon_split(&parts, atid_lexicon_get(PG_GETARG_DATUM(0)));
	atid_lexicon_split(&parts, atid_lexicon_get(PG_GETARG_DATUM(1)));
	PG_RETURN_POINTER(join_or_refuse(&parts));
}

/*
 * The state of lexicon_agg(): copies of documents, each in one piece with its NSID in
 * front.  Whenever they have twice the bytes of the last time, duplicates are
 * removed.  So memory is at most that of two sets and one value, and time n log n.
 */
typedef struct SetState
{
	MemoryContext context;
	AtidLexiconParts parts;
	size_t		bytes;
	size_t		bytes_max;
} SetState;

static void
free_copy_of_part(const AtidLexiconPart *part)
{
	pfree((void *) part->nsid);
}

static void
add_copy_of_part(SetState *state, const AtidLexiconPart *part)
{
	uint8	   *copy = palloc_extended(part->nsid_len + part->len, MCXT_ALLOC_HUGE);
	AtidLexiconPart copied = {copy, part->nsid_len, copy + part->nsid_len, part->len};

	memcpy(copy, part->nsid, part->nsid_len);
	memcpy(copy + part->nsid_len, part->document, part->len);
	atid_lexicon_add_part(&state->parts, &copied);
	state->bytes += part->nsid_len + part->len;
}

static void
unite_state(SetState *state)
{
	const AtidLexiconPart *twice = atid_lexicon_unite(&state->parts, free_copy_of_part);

	if (twice != NULL)
		refuse_set(ATID_LEXICON_TWICE, twice);
	state->bytes = 0;
	for (size_t i = 0; i < state->parts.count; i++)
		state->bytes += state->parts.parts[i].nsid_len + state->parts.parts[i].len;
	state->bytes_max = 2 * state->bytes + 65536;
}

PG_FUNCTION_INFO_V1(atid_lexicon_agg_transfn);
Datum
atid_lexicon_agg_transfn(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	MemoryContext caller;
	SetState   *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);
	AtidLexiconParts parts = {0};
	AtidLexiconDatum *value;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (PG_ARGISNULL(1))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	if (state == NULL)
	{
		state = MemoryContextAllocZero(context, sizeof(SetState));
		state->context = context;
		state->bytes_max = 65536;
	}

	value = atid_lexicon_get(PG_GETARG_DATUM(1));
	atid_lexicon_split(&parts, value);
	caller = MemoryContextSwitchTo(state->context);
	state->parts.form = Max(state->parts.form, parts.form);
	for (size_t i = 0; i < parts.count; i++)
		add_copy_of_part(state, &parts.parts[i]);
	if (state->bytes > state->bytes_max)
		unite_state(state);
	MemoryContextSwitchTo(caller);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(atid_lexicon_agg_finalfn);
Datum
atid_lexicon_agg_finalfn(PG_FUNCTION_ARGS)
{
	AtidLexiconParts parts = {0};

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();

	/* the state stays as it is */
	parts = ((SetState *) PG_GETARG_POINTER(0))->parts;
	if (parts.parts != NULL)
		parts.parts = memcpy(palloc_extended(parts.size * sizeof(AtidLexiconPart),
											 MCXT_ALLOC_HUGE),
							 parts.parts, parts.count * sizeof(AtidLexiconPart));
	PG_RETURN_POINTER(join_or_refuse(&parts));
}


/*
 * Sets asked for what they have
 */

static Datum
text_array_datum(Datum *texts, size_t count)
{
	return PointerGetDatum(construct_array(texts, (int) count, TEXTOID, -1, false, TYPALIGN_INT));
}

PG_FUNCTION_INFO_V1(atid_lexicon_nsids);
Datum
atid_lexicon_nsids(PG_FUNCTION_ARGS)
{
	AtidLexiconParts parts = {0};
	Datum	   *nsids;

	atid_lexicon_split(&parts, atid_lexicon_get(PG_GETARG_DATUM(0)));
	atid_lexicon_sort(&parts);
	nsids = palloc_extended(parts.count * sizeof(Datum), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < parts.count; i++)
		nsids[i] = PointerGetDatum(cstring_to_text_with_len((const char *) parts.parts[i].nsid,
															(int) parts.parts[i].nsid_len));
	return text_array_datum(nsids, parts.count);
}

/*
 * lexicon_document(lexicon, nsid): the document, or NULL.
 */
PG_FUNCTION_INFO_V1(atid_lexicon_document);
Datum
atid_lexicon_document(PG_FUNCTION_ARGS)
{
	AtidLexiconParts parts = {0};
	text	   *nsid = PG_GETARG_TEXT_PP(1);

	atid_lexicon_split(&parts, atid_lexicon_get(PG_GETARG_DATUM(0)));
	for (size_t i = 0; i < parts.count; i++)
	{
		const AtidLexiconPart *part = &parts.parts[i];

		if (part->nsid_len == VARSIZE_ANY_EXHDR(nsid) &&
			memcmp(part->nsid, VARDATA_ANY(nsid), part->nsid_len) == 0)
		{
			Datum		block = atid_bytes_datum(part->document, part->len);

			PG_RETURN_JSONB_P(atid_lexicon_jsonb((bytea *) DatumGetPointer(block)));
		}
	}
	PG_RETURN_NULL();
}

static int
compare_refs(const void *a, const void *b, void *arg)
{
	const AtidLexicon *set = arg;
	const AtidLexRef *x = a;
	const AtidLexRef *y = b;
	int			order = atid_bytes_cmp(atid_lex_text(set, x->nsid), x->nsid.len,
									   atid_lex_text(set, y->nsid), y->nsid.len);

	return order != 0 ? order : atid_bytes_cmp(atid_lex_text(set, x->name), x->name.len,
											   atid_lex_text(set, y->name), y->name.len);
}

/*
 * The text of a reference, in the encoding of the database.
 */
static Datum
ref_datum(const AtidLexicon *set, const AtidLexRef *ref)
{
	StringInfoData utf8;
	char	   *shown;
	Datum		result;

	initStringInfo(&utf8);
	atid_lexicon_append_ref(&utf8, set, ref->nsid, ref->name);
	shown = pg_any_to_server(utf8.data, utf8.len, PG_UTF8);
	result = CStringGetTextDatum(shown);
	if (shown != utf8.data)
		pfree(shown);
	pfree(utf8.data);
	return result;
}

/*
 * lexicon_missing(lexicon): the references that lead out of the set, each once.
 */
PG_FUNCTION_INFO_V1(atid_lexicon_missing);
Datum
atid_lexicon_missing(PG_FUNCTION_ARGS)
{
	const AtidLexicon *set = atid_lexicon_program(fcinfo, 0);
	AtidLexRef *missing = palloc_extended(set->ref_count * sizeof(AtidLexRef), MCXT_ALLOC_HUGE);
	size_t		count = 0;
	Datum	   *texts;
	size_t		distinct = 0;

	for (uint32 i = 0; i < set->ref_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (set->refs[i].definition == ATID_LEX_NONE)
			missing[count++] = set->refs[i];
	}
	atid_sort(missing, count, sizeof(AtidLexRef), compare_refs, (void *) set);
	texts = palloc_extended(count * sizeof(Datum), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i == 0 || compare_refs(&missing[i - 1], &missing[i], (void *) set) != 0)
			texts[distinct++] = ref_datum(set, &missing[i]);
	}
	return text_array_datum(texts, distinct);
}


/*
 * Parts of sets
 */

/* The definitions that are needed, and the nodes that are still to be looked at. */
typedef struct Closure
{
	const AtidLexicon *set;
	bool	   *needed;			/* by definition */
	uint32	   *nodes;			/* a node is in it once */
	uint32		count;
} Closure;

static void
need_node(Closure *closure, uint32 node)
{
	if (node == ATID_LEX_NONE)
		return;
	if (closure->count >= closure->set->node_count)
		elog(ERROR, "a schema of a lexicon belongs to two others");
	closure->nodes[closure->count++] = node;
}

static void
need_definition(Closure *closure, uint32 definition)
{
	if (definition == ATID_LEX_NONE || closure->needed[definition])
		return;
	closure->needed[definition] = true;
	need_node(closure, closure->set->definitions[definition].node);
}

/*
 * Need what a node consists of and refers to.
 */
static void
need_parts_of_node(Closure *closure, const AtidLexNode *node)
{
	const AtidLexicon *set = closure->set;

	switch ((AtidLexType) node->type)
	{
		case ATID_LEX_ARRAY:
		case ATID_LEX_RECORD:
		case ATID_LEX_BODY:
			need_node(closure, node->first);
			break;
		case ATID_LEX_OBJECT:
		case ATID_LEX_PARAMS:
		case ATID_LEX_QUERY:
		case ATID_LEX_PROCEDURE:
		case ATID_LEX_SUBSCRIPTION:
			for (uint32 i = 0; i < node->count; i++)
				need_node(closure, set->properties[node->first + i].node);
			break;
		case ATID_LEX_REF:
		case ATID_LEX_UNION:
			for (uint32 i = 0; i < node->count; i++)
				need_definition(closure, set->refs[node->first + i].definition);
			break;
		case ATID_LEX_BOOLEAN:
		case ATID_LEX_INTEGER:
		case ATID_LEX_STRING:
		case ATID_LEX_BYTES:
		case ATID_LEX_CID_LINK:
		case ATID_LEX_BLOB:
		case ATID_LEX_TOKEN:
		case ATID_LEX_UNKNOWN:
		case ATID_LEX_PERMISSION_SET:
		case ATID_LEX_OTHER:
			break;
	}
}

static void
copy_bytes(AtidCborWriter *writer, const AtidLexicon *set, uint32 from, uint32 to)
{
	memcpy(writer->data + writer->len, set->bytes + from, to - from);
	writer->len += to - from;
}

/*
 * Write a document with those definitions only that are needed, of which there are so many.
 */
static void
put_pruned_document(AtidCborWriter *writer, const Closure *closure,
					const AtidLexDocument *document, size_t kept)
{
	const AtidLexicon *set = closure->set;
	const AtidLexDefinition *definitions = &set->definitions[document->first];

	copy_bytes(writer, set, document->at, document->defs);

	/*
	 * Its map of definitions gets a head that is no longer.  The writer asks
	 * for the room of the longest head, 9 bytes, which one definition takes,
	 * so it needs no grow().
	 */
	Assert(kept <= document->count && writer->cap - writer->len >= 9);
	atid_cbor_put_map(writer, kept);
	for (uint32 i = 0; i < document->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (closure->needed[document->first + i])
			copy_bytes(writer, set, definitions[i].at, definitions[i].end);
	}
	copy_bytes(writer, set, definitions[document->count - 1].end, document->end);
	Assert(writer->len <= writer->cap);
}

/*
 * The same as a part of a set.
 */
static AtidLexiconPart
pruned_part(const Closure *closure, const AtidLexDocument *document, size_t kept)
{
	AtidCborWriter writer = {.cap = document->end - document->at};
	AtidLexiconPart part;

	writer.data = palloc_extended(writer.cap, MCXT_ALLOC_HUGE);
	put_pruned_document(&writer, closure, document, kept);
	part.nsid = closure->set->bytes + document->nsid.at;
	part.nsid_len = document->nsid.len;
	part.document = writer.data;
	part.len = writer.len;
	return part;
}

/*
 * lexicon_only(lexicons, refs): these definitions and what they refer to.
 */
PG_FUNCTION_INFO_V1(atid_lexicon_only);
Datum
atid_lexicon_only(PG_FUNCTION_ARGS)
{
	const AtidLexicon *set = atid_lexicon_program(fcinfo, 0);
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);
	Closure		closure = {set, NULL, NULL, 0};
	AtidLexiconParts parts = {0};
	Datum	   *names;
	bool	   *nulls;
	int			count;

	closure.needed = palloc_extended(set->definition_count * sizeof(bool),
									 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	closure.nodes = palloc_extended(set->node_count * sizeof(uint32), MCXT_ALLOC_HUGE);
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		const text *name = (const text *) DatumGetPointer(names[i]);
		const char *ref;
		size_t		len;
		uint32		definition;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("name of a definition must not be null")));
		ref = atid_lexicon_ref_utf8(name, &len);
		definition = atid_lexicon_find_ref(set, ref, len);
		if (definition == ATID_LEX_NONE)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("lexicon has no definition \"%s\"",
							atid_quote(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name))),
					 errhint("An NSID names the definition \"main\" of its document, an NSID and \"#name\" another one.")));
		need_definition(&closure, definition);
	}
	for (uint32 i = 0; i < closure.count; i++)
	{
		const AtidLexNode *node = &set->nodes[closure.nodes[i]];

		CHECK_FOR_INTERRUPTS();
		need_parts_of_node(&closure, node);
		if (node->type == ATID_LEX_OTHER || (node->flags & ATID_LEX_OTHER_FORMAT) != 0)
			parts.form = ATID_LEXICON_FORM_OTHER;
	}

	for (uint32 i = 0; i < set->document_count; i++)
	{
		const AtidLexDocument *document = &set->documents[i];
		size_t		kept = 0;

		CHECK_FOR_INTERRUPTS();
		for (uint32 j = 0; j < document->count; j++)
			kept += closure.needed[document->first + j];
		if (kept > 0)
		{
			AtidLexiconPart part = pruned_part(&closure, document, kept);

			atid_lexicon_add_part(&parts, &part);
		}
	}
	PG_RETURN_POINTER(join_or_refuse(&parts));
}
