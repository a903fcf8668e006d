/*-------------------------------------------------------------------------
 * base32.c
 *		A text that is read and written anew is the same, and so are bytes that are
 *		written and read; a reader that takes one bit at a time accepts the same texts.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/base32.h"

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

/* Decode bit by bit to dst.  Returns false if this is no base32. */
static bool
decode_bitwise(const char *text, size_t len, uint8_t *dst, size_t *dst_len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned	bits = 0;
	int			have = 0;

	*dst_len = 0;
	for (size_t i = 0; i < len; i++)
	{
		const char *found = text[i] ? strchr(letters, text[i]) : NULL;

		if (found == NULL)
			return false;
		bits = (bits << 5 | (unsigned) (found - letters)) & 0xFFFF;
		have += 5;
		if (have >= 8)
		{
			have -= 8;
			dst[(*dst_len)++] = (uint8_t) (bits >> have);
		}
	}
	/* a rest of five bits or more is a character too many */
	return have < 5 && (bits & ((1u << have) - 1)) == 0;
}

static void
from_text(const char *text, size_t len)
{
	size_t		bytes_len = atid_base32_decoded_len(len);
	uint8_t    *bytes = exact_memory(bytes_len);
	uint8_t    *slow = exact_memory(len);
	char	   *again = exact_memory(len);
	size_t		slow_len;
	size_t		at = 0;
	AtidFault	fault = atid_base32_decode(text, len, bytes, &at);

	CLAIM((fault == ATID_OK) == decode_bitwise(text, len, slow, &slow_len));
	if (fault == ATID_OK)
	{
		CLAIM(slow_len == bytes_len && memcmp(slow, bytes, bytes_len) == 0);
		CLAIM(atid_base32_encoded_len(bytes_len) == len);
		atid_base32_encode(bytes, bytes_len, again);
		CLAIM(memcmp(again, text, len) == 0);
	}
	else if (fault == ATID_BASE32_LENGTH)
		CLAIM(at == len && (len % 8 == 1 || len % 8 == 3 || len % 8 == 6));
	else
		CLAIM(at < len);
	free(bytes);
	free(slow);
	free(again);
}

static void
from_bytes(const uint8_t *bytes, size_t len)
{
	size_t		text_len = atid_base32_encoded_len(len);
	char	   *text = exact_memory(text_len);
	uint8_t    *again = exact_memory(len);
	size_t		at;

	atid_base32_encode(bytes, len, text);
	CLAIM(atid_base32_decoded_len(text_len) == len);
	CLAIM(atid_base32_decode(text, text_len, again, &at) == ATID_OK);
	CLAIM(memcmp(again, bytes, len) == 0);
	free(text);
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	from_text((const char *) data, size);
	from_bytes(data, size);
	return 0;
}
