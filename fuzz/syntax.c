/*-------------------------------------------------------------------------
 * syntax.c
 *		The rules of record keys agree with the same rules, written in another way:
 *		^[A-Za-z0-9._~:-]{1,512}$, and neither "." nor "..".
 *
 *-------------------------------------------------------------------------
 */
#include "codec/address.h"
#include "codec/syntax.h"

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "names.h"

static bool
is_key(const char *s, size_t len, bool colon)
{
	return is_record_key(s, len) && (colon || memchr(s, ':', len) == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *) data;

	CLAIM(atid_record_key_ok(s, size, false) == is_key(s, size, false));
	CLAIM(atid_record_key_ok(s, size, true) == is_key(s, size, true));
	return 0;
}
