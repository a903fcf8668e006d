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
#include "codec/repository/frame.h"

#include <stdbool.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "codec/cbor/fields.h"

/*
 * Is this a text that can be a name?
 */
static bool
fits_name(void *into, const AtidCborItem *value)
{
	(void) into;
	for (size_t i = 0; i < value->len; i++)
	{
		if (value->data[i] <= ' ' || value->data[i] > '~')
			return false;
	}
	return value->len > 0;
}

/* The header, and the body of an error; of another body nothing is looked at here. */
static const AtidMapField header_fields[] = {
	ATID_FIELD("op", 1, 1, ATID_HOLDS_INTEGER, NULL, ATID_FRAME_OP, ATID_TO(AtidFrame, op)),
	ATID_FIELD("t", 1, 0, ATID_HOLDS_TEXT, fits_name, ATID_FRAME_T, ATID_TO_LEN(AtidFrame, t)),
};

static const AtidMapField error_fields[] = {
	ATID_FIELD("error", 1, 1, ATID_HOLDS_TEXT, fits_name, ATID_FRAME_ERROR_NAME,
			   ATID_TO_LEN(AtidFrame, error)),
};

static const AtidMap header_map = {
	.fields = header_fields,.count = 2,.top = ATID_FRAME_HEADER,.prefix = true
};
static const AtidMap error_map = {.fields = error_fields,.count = 1,.top = ATID_FRAME_BODY};
static const AtidMap body_map = {.top = ATID_FRAME_BODY};

AtidFault
atid_frame_parse(const uint8_t *bytes, size_t len, AtidFrame *frame)
{
	AtidMapReading reading;
	AtidFault	fault;

	memset(frame, 0, sizeof(*frame));
	if (len > ATID_FRAME_SIZE_MAX)
		return ATID_FRAME_LARGE;
	fault = atid_map_read(&header_map, 1, bytes, len, frame, &reading);
	frame->at = reading.at;
	if (fault != ATID_OK)
		return fault;
	if (frame->op == ATID_FRAME_MESSAGE && frame->t == NULL)
		return ATID_FRAME_T;

	frame->at = reading.end;
	frame->body = bytes + reading.end;
	frame->body_len = len - reading.end;
	if (frame->body_len == 0)
		return ATID_FRAME_NO_BODY;
	fault = atid_map_read(frame->op == ATID_FRAME_ERROR ? &error_map : &body_map, 1,
						  frame->body, frame->body_len, frame, &reading);
	/* an error that has no name is one as a whole */
	if (fault != ATID_FRAME_ERROR_NAME)
		frame->at += reading.at;
	return fault;
}
