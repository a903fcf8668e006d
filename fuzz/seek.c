/*-------------------------------------------------------------------------
 *
 * seek.c
 *		A path leads where a reader of the whole block sees it lead.
 *
 * The input is a path (path.h) and a block.
 *
 * What dagcbor.c reads before it comes to a fault is the truth.  Where that is enough
 * to know where the path leads, the answer is the same; and a fault that is found here
 * is one there.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/seek.h"

#include <errno.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "fuzz.h"
#include "path.h"

/* A result, or ATID_SEEK_FAULT where a fault comes before it is known. */
typedef struct Truth
{
	AtidSeekResult result;
	const uint8_t *begin;
	const uint8_t *end;
} Truth;

static AtidCborReader reader;

/* Read on to the end of the value that an event began. */
static bool
read_value(AtidCborEvent event)
{
	AtidCborItem item;
	int			outside;

	if (event != ATID_CBOR_ARRAY && event != ATID_CBOR_MAP)
		return event != ATID_CBOR_FAULT;
	outside = reader.depth - 1;
	while (reader.depth > outside)
		if (atid_cbor_next(&reader, &item) == ATID_CBOR_FAULT)
			return false;
	return true;
}

/* The index that a step is, of an array of so many items; -1 if there is none. */
static int64_t
reference_index(const Step *step, size_t count)
{
	char	   *end;
	long		value;

	if (memchr(step->text, '\0', step->len) != NULL)
		return -1;
	errno = 0;
	value = strtol(step->text, &end, 10);
	if (end == step->text || *end != '\0' || errno != 0 || value != (int32_t) value)
		return -1;
	if (value < 0)
		value += (long) count;
	return value < 0 || (size_t) value >= count ? -1 : value;
}

static Truth
reference_seek(const Step *steps, int count)
{
	const Truth fault = {ATID_SEEK_FAULT, NULL, NULL};
	const Truth none = {ATID_SEEK_NONE, NULL, NULL};
	Truth		found = {ATID_SEEK_FOUND, NULL, NULL};
	AtidCborItem item;
	AtidCborEvent event = atid_cbor_next(&reader, &item);

	for (int i = 0; i < count; i++)
	{
		if (event == ATID_CBOR_FAULT)
			return fault;
		if (event == ATID_CBOR_MAP)
		{
			for (;;)
			{
				int			order;

				event = atid_cbor_next(&reader, &item);
				if (event == ATID_CBOR_FAULT)
					return fault;
				if (event == ATID_CBOR_MAP_END)
					return none;
				order = atid_cbor_key_cmp(item.data, item.len, steps[i].text, steps[i].len);
				event = atid_cbor_next(&reader, &item);
				if (order > 0)
					return none;
				if (order == 0)
					break;
				if (!read_value(event))
					return fault;
			}
		}
		else if (event == ATID_CBOR_ARRAY)
		{
			int64_t		index = reference_index(&steps[i], item.len);

			if (index < 0)
				return none;
			event = atid_cbor_next(&reader, &item);
			for (int64_t j = 0; j < index; j++)
			{
				if (!read_value(event))
					return fault;
				event = atid_cbor_next(&reader, &item);
			}
		}
		else
			return none;
	}
	if (event == ATID_CBOR_FAULT)
		return fault;
	found.begin = reader.at;
	if (!read_value(event))
		return fault;
	found.end = reader.p;
	return found;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Step		steps[STEPS_MAX];
	int			count = read_path(steps, &data, &size);
	AtidSeek	seek;
	AtidSeekResult result;
	Truth		truth;
	AtidCborItem item;
	AtidCborEvent event;

	result = atid_seek_init(&seek, data, size);
	for (int i = 0; i < count && result == ATID_SEEK_FOUND; i++)
		result = atid_seek_step(&seek, steps[i].text, steps[i].len);

	atid_cbor_reader_init(&reader, data, size);
	truth = reference_seek(steps, count);
	if (truth.result != ATID_SEEK_FAULT)
		CLAIM(result == truth.result);
	if (truth.result == ATID_SEEK_FOUND)
		CLAIM(seek.p == truth.begin && atid_seek_past(&seek) == truth.end);

	if (result == ATID_SEEK_FOUND)
	{
		const uint8_t *past = atid_seek_past(&seek);

		CLAIM(seek.p >= data && seek.p < data + size);
		CLAIM(past == NULL || (past > seek.p && past <= data + size));
		CLAIM((atid_seek_kind(&seek) == ATID_SEEK_MAP) == (*seek.p >> 5 == 5));
		if (past == NULL)
			result = ATID_SEEK_FAULT;
	}
	if (result == ATID_SEEK_FAULT)
	{
		atid_cbor_reader_init(&reader, data, size);
		do
			event = atid_cbor_next(&reader, &item);
		while (event != ATID_CBOR_FAULT && event != ATID_CBOR_END);
		CLAIM(event == ATID_CBOR_FAULT);
	}
	return 0;
}
