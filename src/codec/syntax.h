/*-------------------------------------------------------------------------
 *
 * syntax.h
 *		Scanners of string formats: the AT Protocol's TID, and the forms of a UUID.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SYNTAX_H
#define ATID_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"

extern AtidFault atid_syntax_tid(const char *s, size_t len, size_t *at);

extern bool atid_syntax_uuid(const char *s, size_t len, uint8_t bytes[16]);

#endif							/* ATID_SYNTAX_H */
