/*-------------------------------------------------------------------------
 *
 * compiled.c
 *		Lexicons, compiled: look-ups in a program.
 *
 * compile.c makes the program; compiled.h describes it.  What it has is in
 * order, so all is found by binary search.
 *
 * Pure code: no server, no allocation but through the caller, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/compiled.h"

#include "codec/cbor/dagcbor.h"

/* The order of texts: the one of a map's keys. */
static int
text_cmp(const AtidLexicon *set, AtidLexText a, const char *b, size_t b_len)
{
	return atid_cbor_key_cmp(atid_lex_text(set, a), a.len, b, b_len);
}

/*
 * The index of a text among so many items from the first, each of which begins with its
 * text, and which are in the order of these; or ATID_LEX_NONE.
 */
static uint32_t
find_text(const AtidLexicon *set, const void *items, size_t size, uint32_t first, uint32_t count,
		  const char *s, size_t len)
{
	uint32_t	low = first;
	uint32_t	high = first + count;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		const AtidLexText *text = (const AtidLexText *) ((const char *) items + middle * size);
		int			order = text_cmp(set, *text, s, len);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return ATID_LEX_NONE;
}

bool
atid_lexicon_has_text(const AtidLexicon *set, const AtidLexText *texts, uint32_t first,
					  uint32_t count, const char *s, size_t len)
{
	return find_text(set, texts, sizeof(AtidLexText), first, count, s, len) != ATID_LEX_NONE;
}

uint32_t
atid_lexicon_find_document(const AtidLexicon *set, const char *nsid, size_t len)
{
	return find_text(set, set->documents, sizeof(AtidLexDocument), 0, set->document_count,
					 nsid, len);
}

uint32_t
atid_lexicon_find_definition(const AtidLexicon *set, uint32_t document,
							 const char *name, size_t len)
{
	const AtidLexDocument *d = &set->documents[document];

	return find_text(set, set->definitions, sizeof(AtidLexDefinition), d->first, d->count,
					 name, len);
}

uint32_t
atid_lexicon_find_main(const AtidLexicon *set, uint32_t document)
{
	return atid_lexicon_find_definition(set, document, ATID_LEX_MAIN, strlen(ATID_LEX_MAIN));
}

uint32_t
atid_lexicon_find_ref(const AtidLexicon *set, const char *ref, size_t len)
{
	const char *hash = len > 0 ? memchr(ref, '#', len) : NULL;
	size_t		nsid_len = hash != NULL ? (size_t) (hash - ref) : len;
	uint32_t	document = atid_lexicon_find_document(set, ref, nsid_len);

	if (document == ATID_LEX_NONE)
		return ATID_LEX_NONE;
	if (hash == NULL)
		return atid_lexicon_find_main(set, document);
	return atid_lexicon_find_definition(set, document, hash + 1, len - nsid_len - 1);
}

uint32_t
atid_lexicon_find_property(const AtidLexicon *set, const AtidLexNode *node,
						   const char *name, size_t len)
{
	return find_text(set, set->properties, sizeof(AtidLexProperty), node->first, node->count,
					 name, len);
}

uint32_t
atid_lexicon_find_member(const AtidLexicon *set, const AtidLexNode *node,
						 const char *type, size_t len)
{
	const char *hash = len > 0 ? memchr(type, '#', len) : NULL;
	size_t		nsid_len = hash != NULL ? (size_t) (hash - type) : len;
	size_t		name_len = hash != NULL ? len - nsid_len - 1 : 0;
	uint32_t	low = node->first;
	uint32_t	high = low + node->count;

	/* no reference has an empty name, and "main" is not written in a "$type" */
	if (hash != NULL && name_len == 0)
		return ATID_LEX_NONE;
	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		const AtidLexRef *ref = &set->refs[middle];
		int			order = text_cmp(set, ref->nsid, type, nsid_len);

		if (order == 0)
			order = text_cmp(set, ref->name, hash != NULL ? hash + 1 : type, name_len);
		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return ATID_LEX_NONE;
}

int
atid_lexicon_ref_cmp(const AtidLexicon *set, const AtidLexRef *a, const AtidLexRef *b)
{
	int			order = text_cmp(set, a->nsid, atid_lex_text(set, b->nsid), b->nsid.len);

	return order != 0 ? order :
		text_cmp(set, a->name, atid_lex_text(set, b->name), b->name.len);
}

void
atid_lexicon_free(AtidLexicon *set, const AtidLexCaller *caller)
{
	void	   *arrays[] = {set->documents, set->definitions, set->nodes, set->properties,
	set->refs, set->texts, set->integers};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		if (arrays[i] != NULL)
			caller->alloc(caller->arg, arrays[i], 0);
	memset(set, 0, sizeof(*set));
}
