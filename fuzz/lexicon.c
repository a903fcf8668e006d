/*-------------------------------------------------------------------------
 *
 * lexicon.c
 *		A set of lexicons has a fault within it, or becomes a program that is whole.
 *
 * The input is the set.  Its encoding has the fault that dagcbor.c finds in it.  In a
 * program each index and text is within its bounds and a node comes behind the one that
 * it is part of; what is in order is in order, and is found; a reference is where it
 * says.  It is made once more: it is the same.  Memory keeps to the bound that
 * codec/lexicon/compile.c states, and is freed where it runs out at any time.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/compile.h"

#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "codec/text/address.h"
#include "codec/text/format.h"
#include "../t/unit/failing_lexicon.h"
#include "fuzz.h"

/* Memory that is counted: its size is in front of each block. */
typedef struct Memory
{
	size_t		live;
	size_t		peak;
} Memory;

#define FRONT 16

static void *
count_memory(void *arg, void *old, size_t size)
{
	Memory	   *memory = arg;
	char	   *block = old != NULL ? (char *) old - FRONT : NULL;
	char	   *moved = NULL;
	size_t		old_size = 0;

	if (block != NULL)
		memcpy(&old_size, block, sizeof(old_size));
	if (size > 0)
	{
		/* for a moment both are there */
		memory->live += size;
		if (memory->live > memory->peak)
			memory->peak = memory->live;
		moved = exact_memory(size + FRONT);
		memcpy(moved, &size, sizeof(size));
		if (block != NULL)
			memcpy(moved + FRONT, old, size < old_size ? size : old_size);
	}
	memory->live -= old_size;
	free(block);
	return moved != NULL ? moved + FRONT : NULL;
}

/* Is it a text of the set? */
static void
check_text(const AtidLexicon *set, AtidLexText text)
{
	CLAIM(text.at <= set->len && text.len <= set->len - text.at);
}

static int
compare(const AtidLexicon *set, AtidLexText a, AtidLexText b)
{
	return atid_cbor_key_cmp(atid_lex_text(set, a), a.len, atid_lex_text(set, b), b.len);
}

static void
check_part(const AtidLexicon *set, uint32_t node, uint32_t part)
{
	CLAIM(part > node && part < set->node_count);
	CLAIM(set->bytes[set->nodes[part].at] >> 5 == 5);
}

static void
check_properties(const AtidLexicon *set, uint32_t index)
{
	const AtidLexNode *node = &set->nodes[index];
	bool		required = false;

	CLAIM(node->first <= set->property_count &&
		  node->count <= set->property_count - node->first);
	for (uint32_t i = node->first; i < node->first + node->count; i++)
	{
		const AtidLexProperty *property = &set->properties[i];

		check_text(set, property->name);
		check_part(set, index, property->node);
		CLAIM(i == node->first || compare(set, property[-1].name, property->name) < 0);
		CLAIM(atid_lexicon_find_property(set, node, atid_lex_text(set, property->name),
										 property->name.len) == i);
		required |= property->required;
	}
	CLAIM(required == ((node->flags & ATID_LEX_HAS_REQUIRED) != 0));
}

static void
check_refs(const AtidLexicon *set, const AtidLexNode *node)
{
	CLAIM(node->first <= set->ref_count && node->count <= set->ref_count - node->first);
	for (uint32_t i = node->first; i < node->first + node->count; i++)
	{
		const AtidLexRef *ref = &set->refs[i];
		char		type[4200];
		size_t		len;

		check_text(set, ref->nsid);
		check_text(set, ref->name);
		CLAIM(atid_nsid_is_valid(atid_lex_text(set, ref->nsid), ref->nsid.len));
		CLAIM(i == node->first || atid_lexicon_ref_cmp(set, ref - 1, ref) < 0);
		len = (size_t) snprintf(type, sizeof(type), "%.*s", (int) ref->nsid.len,
								atid_lex_text(set, ref->nsid));
		if (ref->name.len > 0)
		{
			type[len++] = '#';
			CLAIM(ref->name.len < sizeof(type) - len);
			memcpy(type + len, atid_lex_text(set, ref->name), ref->name.len);
			len += ref->name.len;
		}
		CLAIM(atid_lexicon_find_ref(set, type, len) == ref->definition);
		CLAIM(ref->definition == ATID_LEX_NONE || ref->definition < set->definition_count);
		CLAIM(atid_lexicon_find_member(set, node, type, len) == i);
	}
}

static void
check_node(const AtidLexicon *set, uint32_t index)
{
	const AtidLexNode *node = &set->nodes[index];

	CLAIM(node->at < set->len);
	check_text(set, node->const_text);
	if ((node->flags & ATID_LEX_HAS_MIN) != 0 && (node->flags & ATID_LEX_HAS_MAX) != 0)
		CLAIM(node->min <= node->max);
	switch (node->type)
	{
		case ATID_LEX_INTEGER:
			CLAIM(node->count == 0 || (node->flags & ATID_LEX_HAS_ENUM) != 0);
			CLAIM(node->first <= set->integer_count &&
				  node->count <= set->integer_count - node->first);
			for (uint32_t i = 1; i < node->count; i++)
				CLAIM(set->integers[node->first + i - 1] <= set->integers[node->first + i]);
			break;
		case ATID_LEX_STRING:
		case ATID_LEX_BLOB:
			CLAIM(node->count == 0 ||
				  (node->flags & (ATID_LEX_HAS_ENUM | ATID_LEX_HAS_ACCEPT)) != 0);
			CLAIM(node->first <= set->text_count &&
				  node->count <= set->text_count - node->first);
			for (uint32_t i = 0; i < node->count; i++)
			{
				const AtidLexText *text = &set->texts[node->first + i];

				check_text(set, *text);
				CLAIM(node->type == ATID_LEX_BLOB || i == 0 ||
					  compare(set, text[-1], *text) <= 0);
			}
			CLAIM(node->format < ATID_FORMAT_COUNT);
			CLAIM(node->min >= 0 && node->min_graphemes >= 0);
			break;
		case ATID_LEX_ARRAY:
			check_part(set, index, node->first);
			break;
		case ATID_LEX_OBJECT:
		case ATID_LEX_PARAMS:
		case ATID_LEX_QUERY:
		case ATID_LEX_PROCEDURE:
		case ATID_LEX_SUBSCRIPTION:
			check_properties(set, index);
			break;
		case ATID_LEX_REF:
			CLAIM(node->count == 1);
			check_refs(set, node);
			break;
		case ATID_LEX_UNION:
			CLAIM(node->count > 0 || (node->flags & ATID_LEX_CLOSED) == 0);
			check_refs(set, node);
			break;
		case ATID_LEX_RECORD:
			check_part(set, index, node->first);
			CLAIM(set->nodes[node->first].type == ATID_LEX_OBJECT);
			CLAIM(node->format <= ATID_LEX_KEY_LITERAL);
			break;
		case ATID_LEX_BODY:
			if (node->first != ATID_LEX_NONE)
				check_part(set, index, node->first);
			break;
		default:
			CLAIM(node->type == ATID_LEX_BOOLEAN || node->type == ATID_LEX_BYTES ||
				  node->type == ATID_LEX_CID_LINK || node->type == ATID_LEX_TOKEN ||
				  node->type == ATID_LEX_UNKNOWN || node->type == ATID_LEX_PERMISSION_SET ||
				  node->type == ATID_LEX_OTHER);
			CLAIM(node->first == 0 && node->count == 0);
	}
}

static void
check_program(const AtidLexicon *set)
{
	uint32_t	definitions = 0;
	bool		other = false;

	for (uint32_t i = 0; i < set->document_count; i++)
	{
		const AtidLexDocument *document = &set->documents[i];

		check_text(set, document->nsid);
		CLAIM(document->at < document->end && document->end <= set->len);
		CLAIM(document->count > 0 && document->first == definitions);
		definitions += document->count;
		CLAIM(definitions <= set->definition_count);
		CLAIM(atid_lexicon_find_document(set, atid_lex_text(set, document->nsid),
										 document->nsid.len) == i);
		for (uint32_t j = document->first; j < definitions; j++)
		{
			const AtidLexDefinition *definition = &set->definitions[j];

			check_text(set, definition->name);
			CLAIM(definition->document == i && definition->node == j);
			CLAIM(atid_lexicon_find_definition(set, i, atid_lex_text(set, definition->name),
											   definition->name.len) == j);
		}
	}
	CLAIM(definitions == set->definition_count && definitions <= set->node_count);
	for (uint32_t i = 0; i < set->node_count; i++)
	{
		check_node(set, i);
		other |= set->nodes[i].type == ATID_LEX_OTHER ||
			(set->nodes[i].flags & ATID_LEX_OTHER_FORMAT) != 0;
	}
	CLAIM(other == (set->other_fault != ATID_OK) && set->other_at < set->len);
}

static bool
same(const void *a, const void *b, size_t count, size_t size)
{
	return count == 0 || memcmp(a, b, count * size) == 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Memory		memory = {0, 0};
	AtidLexCaller caller = {count_memory, merge_sort, NULL, &memory};
	AtidLexicon set;
	AtidLexicon again;
	AtidFault	fault;
	AtidFault	fault_again;
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	size_t		at;
	size_t		at_again;

	fault = atid_lexicon_compile(&set, &caller, data, size, &at);
	CLAIM(memory.peak <= 24 * size + 4096);

	atid_cbor_reader_init(&reader, data, size);
	do
		event = atid_cbor_next(&reader, &item);
	while (event != ATID_CBOR_FAULT && event != ATID_CBOR_END);
	if (event == ATID_CBOR_FAULT)
		CLAIM(fault == reader.fault && at == atid_cbor_offset(&reader));
	else
		CLAIM(fault == ATID_OK || at < size);

	if (fault == ATID_OK)
		check_program(&set);
	else
		CLAIM(memory.live == 0 && set.bytes == NULL && set.node_count == 0);

	fault_again = atid_lexicon_compile(&again, &caller, data, size, &at_again);
	CLAIM(fault_again == fault && at_again == at);
	if (fault == ATID_OK)
	{
#define SAME(array, count) \
	CLAIM(set.count == again.count && \
		  same(set.array, again.array, set.count, sizeof(*set.array)))
		SAME(documents, document_count);
		SAME(definitions, definition_count);
		SAME(nodes, node_count);
		SAME(properties, property_count);
		SAME(refs, ref_count);
		SAME(texts, text_count);
		SAME(integers, integer_count);
		atid_lexicon_free(&again, &caller);
		atid_lexicon_free(&set, &caller);
		CLAIM(memory.live == 0);
	}

	claim_fails_cleanly(compile_or_fail, &(SetBytes) {data, size}, size);
	return 0;
}
