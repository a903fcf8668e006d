/*-------------------------------------------------------------------------
 *
 * value.h
 *		Values of the type atid.lexicon: the form on disk, and a set as its documents.
 *
 * Results are in the caller's memory context.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LEXICON_VALUE_H
#define ATID_LEXICON_VALUE_H

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "codec/cbor/dagcbor.h"
#include "codec/lexicon/compiled.h"

/* Its form on disk; lexicon.c describes it, and these versions. */
#define ATID_LEXICON_FORM		1
#define ATID_LEXICON_FORM_OTHER	2

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
	uint8		form;			/* the version of what they are made to, or 0 */
} AtidLexiconParts;

/* The whole value, detoasted.  Raises XX001 or 0A000 for one that this version cannot read. */
extern AtidLexiconDatum *atid_lexicon_get(Datum datum);

/* Likewise its version and digest alone; nothing else is fetched. */
extern const AtidLexiconDatum *atid_lexicon_head(Datum datum);

/* Begins to read DAG-CBOR; a cancel can end the reading. */
extern void atid_lexicon_read_bytes(AtidCborReader *reader, const void *bytes, size_t len);

/* The next event; a cancel can end the loop. */
extern AtidCborEvent atid_lexicon_next_event(AtidCborReader *reader, AtidCborItem *item);

/* The jsonb of documents in a block.  Raises 22P05 for U+0000. */
extern Jsonb *atid_lexicon_jsonb(bytea *block);

/*
 * A reference as a set has it, in UTF-8, and its length.  One that has no form in UTF-8 is
 * empty, and so is no reference.
 */
extern const char *atid_lexicon_ref_utf8(const text *ref, size_t *len);

/* Appends the text of a reference, in UTF-8: the NSID, and "#" and the name if it is not main. */
extern void atid_lexicon_append_ref(StringInfo buf, const AtidLexicon *set, AtidLexText nsid,
									AtidLexText name);

/*
 * A place in a set in words, with which a problem begins: the NSID of the document, and the
 * path in it.
 */
extern char *atid_lexicon_place(const uint8 *cbor, size_t len, size_t at);

/* Adds a document, which the list only points at. */
extern void atid_lexicon_add_part(AtidLexiconParts *parts, const AtidLexiconPart *part);

/* Adds the documents of a value, which must stay where it is. */
extern void atid_lexicon_split(AtidLexiconParts *parts, const AtidLexiconDatum *value);

/* Sorts documents by their NSIDs, in bytewise order. */
extern void atid_lexicon_sort(AtidLexiconParts *parts);

/*
 * Sorts documents in the order of a set, each once.  Returns NULL, or one whose NSID another
 * document has too.  free_part(), if it is not NULL, is called for those that are left out.
 */
extern const AtidLexiconPart *atid_lexicon_unite(AtidLexiconParts *parts,
												 void (*free_part) (const AtidLexiconPart *part));

/*
 * The value of documents.  On a fault *value is NULL, and *at is the document that has it.
 */
extern AtidFault atid_lexicon_join(AtidLexiconParts *parts, AtidLexiconDatum **value,
								   const AtidLexiconPart **at);

/* A fault of a document as a sentence with its NSID. */
extern char *atid_lexicon_fault_of(const AtidLexiconPart *part, AtidFault fault);

#endif							/* ATID_LEXICON_VALUE_H */
