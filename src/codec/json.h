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

extern AtidFault atid_json_integer(const char *s, size_t len, int64_t *value);
extern bool atid_json_unescape(const char **from, const char *stop, const char *end, char **to);

#endif							/* ATID_JSON_H */
