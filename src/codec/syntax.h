/*-------------------------------------------------------------------------
 *
 * syntax.h
 *		Scanners of string formats: the AT Protocol's, and a UUID's.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SYNTAX_H
#define ATID_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a string is not a TID; *at counts from zero. */
typedef enum AtidTidSyntax
{
	ATID_TID_OK,
	ATID_TID_LENGTH,			/* not exactly 13 characters */
	ATID_TID_FIRST,				/* first character not one of 2-7, a-j */
	ATID_TID_CHARACTER			/* character *at not in the alphabet */
} AtidTidSyntax;

extern AtidTidSyntax atid_syntax_tid(const char *s, size_t len, size_t *at);
extern const char *atid_syntax_tid_words(AtidTidSyntax fault);

/* The rules of a record key, one by one. */
#define ATID_RECORD_KEY_MAX 512

extern bool atid_syntax_key_length(size_t len);
extern bool atid_syntax_key_characters(const char *s, size_t len, bool colon);
extern bool atid_syntax_key_dot_segment(const char *s, size_t len);
extern bool atid_syntax_key(const char *s, size_t len, bool colon);

extern bool atid_syntax_uuid(const char *s, size_t len, uint8_t bytes[16]);

#endif							/* ATID_SYNTAX_H */
