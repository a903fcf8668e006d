/*-------------------------------------------------------------------------
 *
 * json.h
 *		The values of JSON tokens: numbers that are integers, and strings.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_JSON_H
#define ATID_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"

/*
 * The value of a number, if it is an integer of 64 bits with a sign.  If it is
 * neither an integer nor in this range, the fault is the range.
 */
ATID_NODISCARD extern AtidFault atid_json_integer(const char *s, size_t len, int64_t *value);

/*
 * Unescape the part of a string that begins at *from and before stop; end is
 * where the string ends.  The text, in UTF-8, goes to *to, which must have room
 * for end - *from bytes.  Both pointers move on.  Returns false at half of a
 * surrogate pair, and at an escape that is cut off.
 */
extern bool atid_json_unescape(const char **from, const char *stop, const char *end, char **to);

#endif							/* ATID_JSON_H */
