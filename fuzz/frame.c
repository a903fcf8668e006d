/*-------------------------------------------------------------------------
 *
 * frame.c
 *		A frame is two maps, as the reader of blocks takes them, wherever one has to try to
 *		part the bytes; and its fields are those that another search in the maps finds.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/frame.h"

#include <stdbool.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "fuzz.h"

/* A field's value: the event that it begins with, and what comes with that. */
typedef struct Field
{
	AtidCborEvent event;		/* ATID_CBOR_END: there is no such field */
	AtidCborItem item;
} Field;

/*
 * Are these bytes a map, and nothing behind it?  Then find the value of a key.
 */
static bool
reference_map(const uint8_t *bytes, size_t len, const char *name, Field *field)
{
	AtidCborReader reader;
	AtidCborItem item = {0};
	AtidCborEvent event;
	bool		is_map = false;
	bool		next = false;

	field->event = ATID_CBOR_END;
	atid_cbor_reader_init(&reader, bytes, len);
	for (size_t n = 0; (event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END; n++)
	{
		if (event == ATID_CBOR_FAULT)
			return false;
		if (n == 0)
			is_map = event == ATID_CBOR_MAP;
		if (next)
		{
			field->event = event;
			field->item = item;
		}
		next = event == ATID_CBOR_KEY && reader.depth == 1 && item.len == strlen(name) &&
			memcmp(item.data, name, item.len) == 0;
	}
	return is_map;
}

static bool
reference_name(const Field *field)
{
	if (field->event != ATID_CBOR_TEXT || field->item.len == 0)
		return false;
	for (size_t i = 0; i < field->item.len; i++)
		if (field->item.data[i] < 33 || field->item.data[i] > 126)
			return false;
	return true;
}

static bool
same_text(const Field *field, const char *text, size_t len)
{
	if (field->event == ATID_CBOR_END)
		return text == NULL;
	return text != NULL && field->item.len == len && memcmp(field->item.data, text, len) == 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AtidFrame	frame;
	AtidFault fault = atid_frame_parse(data, size, &frame);
	size_t		body = 0;
	Field		op;
	Field		t;
	Field		error = {.event = ATID_CBOR_END};
	bool		good;

	for (size_t at = 1; at < size && body == 0; at++)
		if (reference_map(data, at, "op", &op))
			body = at;
	good = body > 0 && reference_map(data, body, "t", &t) &&
		reference_map(data + body, size - body, "error", &error) &&
		op.event == ATID_CBOR_INTEGER;
	if (good && t.event != ATID_CBOR_END)
		good = reference_name(&t);
	if (good && op.item.integer == 1)
		good = t.event != ATID_CBOR_END;
	if (good && op.item.integer == -1)
		good = reference_name(&error);

	CLAIM((fault == ATID_OK) == good);
	CLAIM(frame.at <= size);
	CLAIM((fault == ATID_OK) == (strlen(atid_fault_words(fault)) == 0));
	if (!good)
		return 0;
	CLAIM(frame.op == op.item.integer);
	CLAIM(same_text(&t, frame.t, frame.t_len));
	CLAIM(frame.body == data + body && frame.body_len == size - body);
	if (frame.op == ATID_FRAME_ERROR)
		CLAIM(same_text(&error, frame.error, frame.error_len));
	else
		CLAIM(frame.error == NULL);
	return 0;
}
