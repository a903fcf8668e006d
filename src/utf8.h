/*-------------------------------------------------------------------------
 *
 * utf8.h
 *		Texts between UTF-8 and the server's encoding, without errors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_UTF8_H
#define ATID_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "codec/fault.h"

/* Is a text ASCII, and so the same in every encoding of a server? */
static inline bool
atid_is_ascii(const char *s, size_t len)
{
	unsigned char bits = 0;

	for (size_t i = 0; i < len; i++)
		bits |= (unsigned char) s[i];
	return bits < 0x80;
}

/*
 * Can a text of the server's encoding be converted to UTF-8?  Never raises.
 */
extern bool atid_has_utf8(const char *s, size_t len);

/*
 * The fault of a text that atid_has_utf8() is false for.
 */
extern AtidFault atid_utf8_fault(void);

/*
 * The text of valid UTF-8 without U+0000, in the server's encoding; NULL if the encoding
 * lacks one of its characters, or the text would be larger than a value can be.  Never
 * raises.  The result is in the caller's memory context.
 */
extern struct varlena *atid_text_from_utf8(const char *s, size_t len);

#endif							/* ATID_UTF8_H */
