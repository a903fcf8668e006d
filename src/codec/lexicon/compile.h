/*-------------------------------------------------------------------------
 *
 * compile.h
 *		Compiling lexicons.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LEXICON_COMPILE_H
#define ATID_LEXICON_COMPILE_H

#include "codec/lexicon/compiled.h"

/*
 * Compile a set, which must stay where it is as long as the program is used.  Where it is no
 * set, return the fault, and in *at the offset of the item that has it.
 */
ATID_NODISCARD extern AtidFault atid_lexicon_compile(AtidLexicon *set, const AtidLexCaller *caller,
													 const uint8_t *bytes, size_t len, size_t *at);

#endif							/* ATID_LEXICON_COMPILE_H */
