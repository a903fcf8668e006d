/*-------------------------------------------------------------------------
 *
 * frame.h
 *		A frame of an event stream: its header, and where its body is.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FRAME_H
#define ATID_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"
#include "codec/limits.h"

/* The values of "op" that have a meaning; others are for later. */
#define ATID_FRAME_MESSAGE 1
#define ATID_FRAME_ERROR (-1)

/*
 * A frame, all of it in the bytes that were parsed.  t and error are NULL where there
 * is none; they are printable ASCII.
 */
typedef struct AtidFrame
{
	int64_t		op;
	const char *t;
	size_t		t_len;
	const char *error;
	size_t		error_len;
	const uint8_t *body;
	size_t		body_len;

	size_t		at;				/* where the fault is, an offset into the
								 * frame */
} AtidFrame;

/*
 * Parse a frame.  All of its encoding is read, and of its fields those of the header,
 * and an error's name.  On a fault frame->at is the place.
 */
ATID_NODISCARD extern AtidFault atid_frame_parse(const uint8_t *bytes, size_t len,
												 AtidFrame *frame);

#endif							/* ATID_FRAME_H */
