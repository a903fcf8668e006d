/*-------------------------------------------------------------------------
 *
 * lexicon.h
 *		The type atid.lexicon: a set of Lexicon documents, on disk and compiled.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LEXICON_H
#define ATID_LEXICON_H

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "codec/lexicon.h"

#define ATID_LEXICON_FORM 1

/* Its form on disk; lexicon.c describes it. */
typedef struct AtidLexiconDatum
{
	int32		vl_len_;
	uint8		version;
	uint8		reserved[3];
	uint8		digest[32];		/* SHA-256 of cbor */
	uint8		cbor[FLEXIBLE_ARRAY_MEMBER];
} AtidLexiconDatum;

#define ATID_LEXICON_CBOR_LEN(value) \
	(VARSIZE(value) - offsetof(AtidLexiconDatum, cbor))

/* A document of a set. */
typedef struct AtidLexiconPart
{
	const uint8 *nsid;
	size_t		nsid_len;
	const uint8 *document;		/* its DAG-CBOR */
	size_t		len;
} AtidLexiconPart;

/* Documents, in any order until they are joined. */
typedef struct AtidLexiconParts
{
	AtidLexiconPart *parts;		/* NULL if there is none yet */
	size_t		count;
	size_t		size;
} AtidLexiconParts;

/* program.c: the program of a value, from the cache of this backend */
extern const AtidLexicon *atid_lexicon_program(FunctionCallInfo fcinfo, int argument);
extern AtidFault atid_lexicon_compile_here(AtidLexicon *set, const uint8 *bytes, size_t len,
										   size_t *at);

/* lexicon.c */
extern AtidLexiconDatum *atid_lexicon_get(Datum datum);
extern const AtidLexiconDatum *atid_lexicon_head(Datum datum);
extern Jsonb *atid_lexicon_jsonb(bytea *block);
extern const char *atid_lexicon_ref_utf8(const text *ref, size_t *len);
extern void atid_lexicon_append_ref(StringInfo buf, const AtidLexicon *set, AtidLexText nsid,
									AtidLexText name);
extern char *atid_lexicon_place(const uint8 *cbor, size_t len, size_t at);

/* set.c: a set as its documents, and back */
extern void atid_lexicon_add_part(AtidLexiconParts *parts, const AtidLexiconPart *part);
extern void atid_lexicon_split(AtidLexiconParts *parts, const AtidLexiconDatum *value);
extern void atid_lexicon_sort(AtidLexiconParts *parts);
extern AtidFault atid_lexicon_join(AtidLexiconParts *parts, AtidLexiconDatum **value,
								   const AtidLexiconPart **at);
extern char *atid_lexicon_fault_of(const AtidLexiconPart *part, AtidFault fault);

#endif							/* ATID_LEXICON_H */
