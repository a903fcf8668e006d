/*-------------------------------------------------------------------------
 * cid_text.c
 *		A CID that is read from text and written anew has the same text, and its bytes
 *		are a CID; a fault has a place in the text.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/multiformat.h"

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "reference.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *) data;
	size_t		len = atid_cid_bytes_len(size);
	uint8_t    *bytes = exact_memory(len);
	char	   *again = exact_memory(size);
	size_t		at = SIZE_MAX;
	AtidFault	fault = atid_cid_from_text(text, size, bytes, &at);

	CLAIM(at <= size);
	if (fault == ATID_OK)
	{
		CLAIM(reference_cid(bytes, len));
		CLAIM(atid_cid_text_len(len) == size);
		atid_cid_to_text(bytes, len, again);
		CLAIM(memcmp(again, text, size) == 0);
	}
	else if (fault >= ATID_VARINT_SHORTEST && size > 0 && text[0] == 'b')
		CLAIM(!reference_cid(bytes, len));
	free(bytes);
	free(again);
	return 0;
}
