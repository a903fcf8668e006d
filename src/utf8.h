/*-------------------------------------------------------------------------
 *
 * utf8.h
 *		Does a text of the server's encoding have a form in UTF-8?
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

extern bool atid_has_utf8(const char *s, size_t len);
extern AtidFault atid_utf8_fault(void);

#endif							/* ATID_UTF8_H */
