/*-------------------------------------------------------------------------
 *
 * frame.c
 *		A frame of an event stream: its header, and where its body is.
 *
 * Format (AT Protocol, "Event Stream", "Framing"): two values of DAG-CBOR, one behind
 * the other, both maps.  The first is the header:
 *
 *		op			integer: 1 for a message, -1 for an error
 *		t			text: what message, such as "#commit"; an error has none
 *
 * The second is the body.  That of an error has its name as "error".  Other fields are
 * passed over, and so is a frame of another op: it is one of a later version.
 *
 * Names are printable ASCII here, so that they are a text in every database.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/frame.h"

#include <stdbool.h>
#include <string.h>

#include "codec/dagcbor.h"

/*
 * Is this a text that can be a name?
 */
static bool
is_name(AtidCborEvent event, const AtidCborItem *item)
{
	if (event != ATID_CBOR_TEXT || item->len == 0)
		return false;
	for (size_t i = 0; i < item->len; i++)
	{
		if (item->data[i] <= ' ' || item->data[i] > '~')
			return false;
	}
	return true;
}

/*
 * Read the header, which the bytes begin with.  *end is behind it.
 */
static AtidFault
read_header(const uint8_t *bytes, size_t len, AtidFrame *frame, const uint8_t **end)
{
	AtidCborReader reader;
	AtidCborItem key = {0};
	AtidCborItem item;
	AtidCborEvent event;
	AtidFault	fault = ATID_OK;
	bool		has_op = false;

	atid_cbor_reader_init(&reader, bytes, len);
	do
	{
		AtidFault	found = ATID_OK;

		event = atid_cbor_next(&reader, &item);
		if (event == ATID_CBOR_FAULT)
		{
			frame->at = atid_cbor_offset(&reader);
			return reader.fault;
		}
		if (reader.at == bytes)
			found = event == ATID_CBOR_MAP ? ATID_OK : ATID_FRAME_HEADER;
		else if (reader.depth == 1 && event == ATID_CBOR_KEY)
			key = item;
		else if (reader.depth > 2 || reader.depth == 0 ||
				 (reader.depth == 2 && event != ATID_CBOR_MAP && event != ATID_CBOR_ARRAY) ||
				 (reader.depth == 1 &&
				  (event == ATID_CBOR_MAP_END || event == ATID_CBOR_ARRAY_END)))
			continue;
		else if (atid_cbor_item_is(&key, "op"))
		{
			found = event == ATID_CBOR_INTEGER ? ATID_OK : ATID_FRAME_OP;
			frame->op = event == ATID_CBOR_INTEGER ? item.integer : 0;
			has_op = true;
		}
		else if (atid_cbor_item_is(&key, "t"))
		{
			if (is_name(event, &item))
			{
				frame->t = (const char *) item.data;
				frame->t_len = item.len;
			}
			else
				found = ATID_FRAME_T;
		}
		if (found != ATID_OK && fault == ATID_OK)
		{
			fault = found;
			frame->at = atid_cbor_offset(&reader);
		}
	} while (reader.depth > 0);

	*end = reader.p;
	if (fault != ATID_OK)
		return fault;
	if (!has_op)
		return ATID_FRAME_OP;
	return frame->op == ATID_FRAME_MESSAGE && frame->t == NULL ? ATID_FRAME_T : ATID_OK;
}

/*
 * Read the body, to the end of the bytes.
 */
static AtidFault
read_body(AtidFrame *frame)
{
	AtidCborReader reader;
	AtidCborItem key = {0};
	AtidCborItem item;
	AtidCborEvent event;
	AtidFault	fault = ATID_OK;
	size_t		begin = frame->at;

	atid_cbor_reader_init(&reader, frame->body, frame->body_len);
	while ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
	{
		if (event == ATID_CBOR_FAULT)
		{
			frame->at = begin + atid_cbor_offset(&reader);
			return reader.fault;
		}
		if (reader.at == frame->body)
			fault = event == ATID_CBOR_MAP ? ATID_OK : ATID_FRAME_BODY;
		else if (reader.depth == 1 && event == ATID_CBOR_KEY)
			key = item;
		else if (frame->op == ATID_FRAME_ERROR && reader.depth == 1 &&
				 atid_cbor_item_is(&key, "error") && is_name(event, &item))
		{
			frame->error = (const char *) item.data;
			frame->error_len = item.len;
		}
	}
	if (fault == ATID_OK && frame->op == ATID_FRAME_ERROR && frame->error == NULL)
		fault = ATID_FRAME_ERROR_NAME;
	return fault;
}

AtidFault
atid_frame_parse(const uint8_t *bytes, size_t len, AtidFrame *frame)
{
	AtidFault	fault;

	memset(frame, 0, sizeof(*frame));
	if (len > ATID_FRAME_SIZE_MAX)
		return ATID_FRAME_LARGE;
	fault = read_header(bytes, len, frame, &frame->body);
	if (fault != ATID_OK)
		return fault;
	frame->at = (size_t) (frame->body - bytes);
	frame->body_len = len - frame->at;
	return frame->body_len == 0 ? ATID_FRAME_NO_BODY : read_body(frame);
}
