/*-------------------------------------------------------------------------
 * tid.c
 *		A TID that is read and written anew has the same text; the scanner agrees with
 *		the reader, and finds the character that is at fault; texts have the order of
 *		their numbers.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/tid.h"

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

static const char letters[] = "234567abcdefghijklmnopqrstuvwxyz";

static bool
is_legal(const char *s, size_t i)
{
	const char *found = s[i] ? strchr(letters, s[i]) : NULL;

	return found != NULL && found < letters + (i == 0 ? 16 : 32);
}

static void
from_text(const char *s, size_t len)
{
	size_t		at = SIZE_MAX;
	AtidFault	fault = atid_tid_scan(s, len, &at);
	size_t		legal = 0;
	uint64_t	value;
	char		again[ATID_TID_TEXT_LEN];

	while (legal < len && legal < ATID_TID_TEXT_LEN && is_legal(s, legal))
		legal++;
	switch (fault)
	{
		case ATID_OK:
			CLAIM(len == ATID_TID_TEXT_LEN && legal == len);
			break;
		case ATID_TID_LENGTH:
			CLAIM(len != ATID_TID_TEXT_LEN && (legal == len || legal == ATID_TID_TEXT_LEN));
			CLAIM(at == legal);
			break;
		case ATID_TID_FIRST:
			CLAIM(len > 0 && legal == 0 && at == 0);
			break;
		case ATID_TID_CHARACTER:
			CLAIM(at == legal && at > 0 && at < len);
			break;
		default:
			CLAIM(false);
	}
	if (len == ATID_TID_TEXT_LEN)
	{
		CLAIM(atid_tid_from_text(s, &value) == (fault == ATID_OK));
		if (fault == ATID_OK)
		{
			atid_tid_to_text(value, again);
			CLAIM(memcmp(again, s, sizeof(again)) == 0);
		}
	}
}

static void
from_numbers(uint64_t a, uint64_t b)
{
	char		text_a[ATID_TID_TEXT_LEN];
	char		text_b[ATID_TID_TEXT_LEN];
	uint64_t	again;
	int			order;

	atid_tid_to_text(a, text_a);
	atid_tid_to_text(b, text_b);
	CLAIM(atid_tid_from_text(text_a, &again) && again == a);
	order = memcmp(text_a, text_b, sizeof(text_a));
	CLAIM((order < 0) == (a < b) && (order > 0) == (a > b));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t	numbers[2] = {0, 0};

	from_text((const char *) data, size);
	memcpy(numbers, data, size < sizeof(numbers) ? size : sizeof(numbers));
	from_numbers(numbers[0], numbers[1]);
	return 0;
}
