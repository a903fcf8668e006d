/*-------------------------------------------------------------------------
 *
 * program.h
 *		Compiled lexicons: the program of an argument, and of a set.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LEXICON_PROGRAM_H
#define ATID_LEXICON_PROGRAM_H

#include "fmgr.h"

#include "codec/lexicon/compiled.h"

/*
 * The program of the argument, from the cache of this backend; it stays at least as long as
 * the call.  Raises the errors of atid_lexicon_get().
 */
extern const AtidLexicon *atid_lexicon_program(FunctionCallInfo fcinfo, int argument);

/*
 * Compiles a set into the current memory context.  Its bytes must stay where they are.  On a
 * fault *at is its place.
 */
extern AtidFault atid_lexicon_compile_here(AtidLexicon *set, const uint8 *bytes, size_t len,
										   size_t *at);

#endif							/* ATID_LEXICON_PROGRAM_H */
