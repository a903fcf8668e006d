/*-------------------------------------------------------------------------
 * symbol.c
 *		Packing a symbol gives the text back, and any bytes are read without harm.
 *
 * The input is two texts, with a zero byte between them; and once more packed bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/symbol.h"

#include <stdbool.h>
#include <string.h>

#include "codec/block/dictionary.h"
#include "codec/bytes.h"
#include "fuzz.h"
#include "names.h"

/* The packed form of a text, in memory of its size, and the text that it has. */
static uint8_t *
pack(const char *s, size_t len, size_t *packed_len, AtidSymbolText *text)
{
	uint8_t    *room = exact_memory(ATID_SYMBOL_PACKED_MAX(len));
	uint8_t    *packed;
	bool		known = atid_dictionary_find(s, len) >= 0;

	*packed_len = atid_symbol_pack(s, len, room);
	CLAIM(*packed_len > 0 && *packed_len <= ATID_SYMBOL_PACKED_MAX(len));
	CLAIM(known ? room[0] != 0 && *packed_len <= ATID_SYMBOL_NUMBER_MAX :
		  room[0] == 0 && *packed_len == len + 1);
	packed = exact_memory(*packed_len);
	memcpy(packed, room, *packed_len);
	free(room);
	CLAIM(atid_symbol_open(packed, *packed_len, text) == ATID_PACKED_OK);
	CLAIM(text->len == len && atid_bytes_cmp(text->s, text->len, s, len) == 0);
	return packed;
}

/* What can be read has a text, which is packed in no more bytes. */
static void
open_any(const uint8_t *bytes, size_t len)
{
	AtidSymbolText text;
	AtidSymbolText again;
	AtidPackedState state = atid_symbol_open(bytes, len, &text);
	size_t		packed_len;

	CLAIM(state == ATID_PACKED_OK || state == ATID_PACKED_NEWER || state == ATID_PACKED_DAMAGED);
	CLAIM(state != ATID_PACKED_NEWER ||
		  (len > 0 && len <= ATID_SYMBOL_NUMBER_MAX && bytes[0] != 0));
	if (state != ATID_PACKED_OK)
		return;
	free(pack(text.s, text.len, &packed_len, &again));
	CLAIM(packed_len <= len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = memchr(data, 0, size);
	const char *a = (const char *) data;
	size_t		a_len = zero ? (size_t) (zero - data) : size;
	const char *b = a + a_len + (zero ? 1 : 0);
	size_t		b_len = size - (size_t) (b - a);
	AtidSymbolText ta;
	AtidSymbolText tb;
	size_t		pa_len;
	size_t		pb_len;
	uint8_t    *pa = pack(a, a_len, &pa_len, &ta);
	uint8_t    *pb = pack(b, b_len, &pb_len, &tb);
	int			order = text_order(a, a_len, b, b_len);

	CLAIM(sign(atid_bytes_cmp(ta.s, ta.len, tb.s, tb.len)) == order);
	/* without older values, equal texts have equal bytes */
	CLAIM((order == 0) == (pa_len == pb_len && memcmp(pa, pb, pa_len) == 0));
	free(pa);
	free(pb);
	open_any(data, size);
	return 0;
}
