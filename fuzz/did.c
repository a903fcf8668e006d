/*-------------------------------------------------------------------------
 * did.c
 *		The scanner of DIDs agrees with the rule, written once more in another way;
 *		packing gives the text back, and keeps the order of two texts.
 *
 * The rule is ^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$, and at most 2048
 * characters.  The input is two texts, with a zero byte between them.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/address.h"

#include <stdbool.h>
#include <string.h>

#include "codec/text/packed.h"
#include "fuzz.h"
#include "names.h"

static void
scan(const char *s, size_t len)
{
	size_t		at = SIZE_MAX;
	AtidFault	fault = atid_did_scan(s, len, &at);

	CLAIM((fault == ATID_OK) == is_did(s, len));
	CLAIM(fault == ATID_OK || at <= len);
	CLAIM((fault == ATID_OK) == (atid_fault_words(fault)[0] == '\0'));
	/* the characters before the fault begin some DID */
	if (fault == ATID_DID_CHARACTER)
	{
		char	   *begun = exact_memory(at + 1);

		memcpy(begun, s, at);
		begun[at] = 'x';
		CLAIM(is_did(begun, at + 1) || at == ATID_DID_MAX);
		free(begun);
	}
}

static uint8_t *
pack(const char *s, size_t len, size_t *packed_len)
{
	uint8_t    *packed = exact_memory(ATID_DID_PACKED_MAX(len));
	char	   *text = exact_memory(len);

	*packed_len = atid_did_pack(s, len, packed);
	CLAIM(*packed_len <= ATID_DID_PACKED_MAX(len));
	CLAIM(atid_did_text_len(packed, *packed_len) == len);
	atid_did_unpack(packed, *packed_len, text);
	CLAIM(memcmp(text, s, len) == 0);
	CLAIM(atid_did_state(packed, *packed_len) == ATID_PACKED_OK || !is_did(s, len));
	free(text);
	return packed;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = memchr(data, 0, size);
	const char *a = (const char *) data;
	size_t		a_len = zero ? (size_t) (zero - data) : size;
	const char *b = a + a_len + (zero ? 1 : 0);
	size_t		b_len = size - (size_t) (b - a);

	scan((const char *) data, size);
	scan(a, a_len);
	scan(b, b_len);
	if (is_did(a, a_len) && is_did(b, b_len))
	{
		size_t		pa_len;
		size_t		pb_len;
		uint8_t    *pa = pack(a, a_len, &pa_len);
		uint8_t    *pb = pack(b, b_len, &pb_len);
		int			order = text_order(a, a_len, b, b_len);
		uint64_t	ka = atid_did_sort_key(pa, pa_len);
		uint64_t	kb = atid_did_sort_key(pb, pb_len);

		CLAIM(sign(atid_did_compare(pa, pa_len, pb, pb_len)) == order);
		CLAIM((order == 0) == (pa_len == pb_len && memcmp(pa, pb, pa_len) == 0));
		CLAIM(order < 0 ? ka <= kb : order > 0 ? ka >= kb : ka == kb);
		free(pa);
		free(pb);
	}
	return 0;
}
