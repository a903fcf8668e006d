/*-------------------------------------------------------------------------
 *
 * format.h
 *		Scanners of Lexicon's string formats that are other people's: URI, language.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FORMAT_H
#define ATID_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#define ATID_URI_MAX	8192

extern bool atid_uri_length(size_t len);
extern bool atid_uri_syntax(const char *s, size_t len);
extern bool atid_language_syntax(const char *s, size_t len);

#endif							/* ATID_FORMAT_H */
