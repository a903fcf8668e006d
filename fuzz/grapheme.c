/*-------------------------------------------------------------------------
 * grapheme.c
 *		Bytes as characters of a list have as many clusters as the rules say by their
 *		letter; bytes as they are have as many as the rules of ASCII say, or at least
 *		one and at most their number; a limit changes nothing below it.
 */
#include "codec/text/grapheme.h"

#include <string.h>

#include "../t/unit/clusters.h"
#include "fuzz.h"

/* The number of clusters, with limits around it. */
static size_t
count(const char *text, size_t len)
{
	size_t		clusters = atid_grapheme_count(text, len, SIZE_MAX, NULL);

	for (size_t limit = clusters > 2 ? clusters - 2 : 0; limit < clusters + 2; limit++)
		CLAIM(atid_grapheme_count(text, len, limit, NULL) ==
			  (clusters > limit ? limit + 1 : clusters));
	CLAIM(atid_grapheme_count(text, len, clusters / 2, NULL) ==
		  (clusters > 0 ? clusters / 2 + 1 : 0));
	return clusters;
}

static void
from_list(const uint8_t *data, size_t size)
{
	const Character **list = exact_memory(size * sizeof(*list));
	char	   *text = exact_memory(size * 4);
	char	   *copy;
	size_t		len = 0;
	size_t		clusters = 0;

	for (size_t i = 0; i < size; i++)
	{
		list[i] = &characters[data[i] % CHARACTERS];
		len += put_utf8(text + len, list[i]->code);
		clusters += is_break(list, i);
	}
	copy = exact_memory(len);
	if (len > 0)
		memcpy(copy, text, len);
	CLAIM(count(copy, len) == clusters);
	free(copy);
	free(text);
	free(list);
}

static void
as_they_are(const char *text, size_t len)
{
	size_t		clusters = count(text, len);
	size_t		pairs = 0;
	bool		ascii = true;

	for (size_t i = 0; i < len; i++)
	{
		ascii = ascii && (uint8_t) text[i] < 0x80;
		pairs += i > 0 && text[i - 1] == '\r' && text[i] == '\n';
	}
	if (ascii)
		CLAIM(clusters == len - pairs);
	CLAIM(clusters <= len - pairs && (clusters > 0 || len == 0));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *copy = exact_memory(size);

	if (size > 0)
		memcpy(copy, data, size);
	from_list(data, size);
	as_they_are(copy, size);
	free(copy);
	return 0;
}
