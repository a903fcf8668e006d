/*-------------------------------------------------------------------------
 *
 * grapheme.h
 *		Grapheme clusters: how many characters a reader sees in a text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_GRAPHEME_H
#define ATID_GRAPHEME_H

#include <stddef.h>

/* The version of Unicode whose tables grapheme_table.h has. */
#define ATID_UNICODE_VERSION "17.0.0"

/* The bytes of a text that are counted between two pauses. */
#define ATID_GRAPHEME_AT_ONCE 65536

/*
 * The number of extended grapheme clusters in a text; if it is more than limit,
 * limit + 1, and the rest of the text is not read.  It is at most len, so a caller
 * who has len <= limit and no lower bound need not ask.
 *
 * pause() is called again and again while a long text is counted, and need not
 * return.  It may be NULL.
 *
 * The text must be UTF-8.  If it is not, nothing outside it is read, and the number
 * means nothing; but it is from 1 to len if len is not 0.
 */
extern size_t atid_grapheme_count(const char *utf8, size_t len, size_t limit,
								  void (*pause) (void));

#endif							/* ATID_GRAPHEME_H */
