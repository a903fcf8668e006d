/*-------------------------------------------------------------------------
 * cid_bytes.c
 *		The reader of CIDs agrees with one that is written in another way; the parts
 *		make the same bytes, and the text gives them back.
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
	AtidCid		cid;
	size_t		at = SIZE_MAX;
	AtidFault	fault = atid_cid_parse(data, size, &cid, &at);
	uint8_t		head[ATID_CID_HEAD_MAX_LEN];
	size_t		head_len;
	char	   *text;
	uint8_t    *again;

	CLAIM((fault == ATID_OK) == reference_cid(data, size));
	CLAIM(fault == ATID_OK || (fault >= ATID_VARINT_SHORTEST && fault <= ATID_CID_TRAILING));
	CLAIM(at <= size);
	if (fault != ATID_OK)
	{
		CLAIM(!atid_cid_is_blessed(data, size));
		return 0;
	}

	head_len = atid_cid_head(cid.codec, cid.hash, cid.digest_len, head);
	CLAIM(head_len + cid.digest_len == size && cid.digest == data + head_len);
	CLAIM(memcmp(head, data, head_len) == 0);
	CLAIM(atid_cid_is_blessed(data, size) ==
		  ((cid.codec == 0x71 || cid.codec == 0x55) && cid.hash == 0x12 && cid.digest_len == 32));

	text = exact_memory(atid_cid_text_len(size));
	again = exact_memory(size);
	atid_cid_to_text(data, size, text);
	CLAIM(atid_cid_bytes_len(atid_cid_text_len(size)) == size);
	CLAIM(atid_cid_from_text(text, atid_cid_text_len(size), again, &at) == ATID_OK);
	CLAIM(memcmp(again, data, size) == 0);
	free(text);
	free(again);
	return 0;
}
