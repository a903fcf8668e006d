/*-------------------------------------------------------------------------
 * multikey.c
 *		A key's text is one of two prefixes and the base58 of a codec and a point, by a
 *		division of the whole number; it is written as it was read; some faults have
 *		a place in the text.
 *
 *-------------------------------------------------------------------------
 */
#include "multikey.h"

#include <stdbool.h>
#include <string.h>

#include "base58.h"
#include "fuzz.h"

static const char alphabet[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/*
 * The base58 of len bytes in another way: divide the number by 58 until it is 0.
 * Returns the number of characters.
 */
static size_t
reference_base58(const uint8_t *bytes, size_t len, char *text)
{
	uint8_t		number[ATID_BASE58_TEXT_MAX];
	char		reversed[2 * ATID_BASE58_TEXT_MAX];
	size_t		n = 0;
	size_t		first = 0;

	memcpy(number, bytes, len);
	while (first < len && number[first] == 0)
		first++;
	for (size_t top = first; top < len;)
	{
		unsigned	rest = 0;

		for (size_t i = top; i < len; i++)
		{
			rest = rest * 256 + number[i];
			number[i] = (uint8_t) (rest / 58);
			rest %= 58;
		}
		reversed[n++] = alphabet[rest];
		while (top < len && number[top] == 0)
			top++;
	}
	while (first-- > 0)
		reversed[n++] = '1';
	for (size_t i = 0; i < n; i++)
		text[i] = reversed[n - 1 - i];
	return n;
}

static void
check_base58(const char *text, size_t len)
{
	uint8_t		bytes[ATID_BASE58_TEXT_MAX];
	char		again[2 * ATID_BASE58_TEXT_MAX];
	size_t		bytes_len;
	size_t		at = SIZE_MAX;

	switch (atid_base58_decode(text, len, bytes, &bytes_len, &at))
	{
		case ATID_OK:
			CLAIM(bytes_len <= len);
			CLAIM(reference_base58(bytes, bytes_len, again) == len);
			CLAIM(memcmp(again, text, len) == 0);
			if (bytes_len <= ATID_BASE58_BYTES_MAX)
			{
				CLAIM(atid_base58_encode(bytes, bytes_len, again) == len);
				CLAIM(memcmp(again, text, len) == 0);
			}
			break;
		case ATID_BASE58_CHARACTER:
			CLAIM(at < len && (text[at] == 0 || strchr(alphabet, text[at]) == NULL));
			break;
		case ATID_BASE58_LENGTH:
			CLAIM(len > ATID_BASE58_TEXT_MAX);
			break;
		default:
			CLAIM(false);
	}
}

static void
check_key(const char *text, size_t len)
{
	AtidMultikey key;
	size_t		at = SIZE_MAX;
	AtidFault	fault = atid_multikey_parse(text, len, &key, &at);

	if (fault == ATID_OK)
	{
		uint8_t		bytes[2 + ATID_POINT_LEN];
		char		again[8 + 1 + 2 * ATID_BASE58_TEXT_MAX] = "did:key:z";
		char		written[ATID_DID_KEY_TEXT_LEN];
		size_t		skip = len == ATID_MULTIKEY_TEXT_LEN ? 8 : 0;

		CLAIM(len == ATID_DID_KEY_TEXT_LEN - skip);
		CLAIM(key.point[0] == 2 || key.point[0] == 3);
		memcpy(bytes, key.curve == ATID_CURVE_P256 ? "\x80\x24" : "\xe7\x01", 2);
		memcpy(bytes + 2, key.point, ATID_POINT_LEN);
		CLAIM(9 + reference_base58(bytes, sizeof(bytes), again + 9) == ATID_DID_KEY_TEXT_LEN);
		CLAIM(memcmp(again + skip, text, len) == 0);
		atid_multikey_to_did_key(&key, written);
		CLAIM(memcmp(written, again, sizeof(written)) == 0);
	}
	else if (fault == ATID_BASE58_CHARACTER)
		CLAIM(at < len);
	else if (fault == ATID_MULTIKEY_MULTIBASE)
		CLAIM(at <= len && (at == len || text[at] != 'z'));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *text = exact_memory(size);
	AtidMultikey key;

	memcpy(text, data, size);
	check_base58(text, size);
	check_key(text, size);
	free(text);

	/* the input as a point, which makes a key that must be read again */
	key.curve = size % 2 ? ATID_CURVE_P256 : ATID_CURVE_K256;
	if (atid_multikey_set_point(&key, data, size) == ATID_OK)
	{
		char		written[ATID_DID_KEY_TEXT_LEN];

		atid_multikey_to_did_key(&key, written);
		check_key(written, sizeof(written));
		check_key(written + 8, sizeof(written) - 8);
	}
	return 0;
}
