/*-------------------------------------------------------------------------
 *
 * compile_schema.h
 *		Compiling lexicons: schemas of values, and references.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LEXICON_COMPILE_SCHEMA_H
#define ATID_LEXICON_COMPILE_SCHEMA_H

#include "codec/lexicon/compile_read.h"


/* Can a definition have this name? */
extern bool atid_lex_is_name(const char *s, size_t len);

/*
 * Read a schema of a type that properties and items have, or params.  Others have nothing
 * to read.
 */
extern bool atid_lex_read_schema(AtidLexCompile *c, const AtidLexFields *fields,
								 AtidLexRole role, AtidLexNode *node);

#endif							/* ATID_LEXICON_COMPILE_SCHEMA_H */
