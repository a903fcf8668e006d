/*-------------------------------------------------------------------------
 *
 * frame.c
 *		Frames: what they are made of, each rule broken alone, and cut at any byte.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/frame.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

#define HEADER "a2 6174 6723636f6d6d6974 626f70 01"	/* {"t": "#commit", "op": 1} */

static AtidFault
parse(const char *hex, AtidFrame *frame, uint8_t **bytes)
{
	size_t		len;

	*bytes = from_hex(hex, &len);
	return atid_frame_parse(*bytes, len, frame);
}

static void
refused(const char *hex, AtidFault fault, size_t at, const char *name)
{
	AtidFrame	frame;
	uint8_t    *bytes;

	ok(parse(hex, &frame, &bytes) == fault && frame.at == at &&
	   strlen(atid_fault_words(fault)) > 20, name);
	free(bytes);
}

int
main(void)
{
	AtidFrame	frame;
	uint8_t    *bytes;
	uint8_t    *large;
	size_t		len;
	bool		cut = true;

	ok(parse(HEADER "a1 6178 01", &frame, &bytes) == ATID_OK && frame.op == 1 &&
	   frame.t_len == 7 && memcmp(frame.t, "#commit", 7) == 0 && frame.error == NULL &&
	   frame.body == bytes + 15 && frame.body_len == 4, "a message");
	for (size_t i = 0; i < 19; i++)
	{
		uint8_t    *part = exact(bytes, i);

		cut = atid_frame_parse(part, i, &frame) != ATID_OK && frame.at <= i && cut;
		free(part);
	}
	ok(cut, "one that is cut off at any byte");
	free(bytes);
	ok(parse("a1 626f70 20 a1 656572726f72 6178", &frame, &bytes) == ATID_OK &&
	   frame.op == ATID_FRAME_ERROR && frame.t == NULL && frame.error_len == 1 &&
	   frame.error[0] == 'x', "an error");
	free(bytes);
	ok(parse("a2 6178 a1 626f70 80 626f70 1b7fffffffffffffff a0", &frame, &bytes) ==
	   ATID_OK && frame.op == INT64_MAX && frame.t == NULL,
	   "an op and a field of a later version");
	free(bytes);

	refused("80 a0", ATID_FRAME_HEADER, 0, "a header that is an array");
	refused("01 a0", ATID_FRAME_HEADER, 0, "a header that is a number");
	refused("a1 6174 6178 a0", ATID_FRAME_OP, 0, "no op");
	refused("a1 626f70 6131 a0", ATID_FRAME_OP, 4, "an op of text");
	refused("a1 626f70 81 01 a0", ATID_FRAME_OP, 4, "an op that is an array");
	refused("a1 626f70 01 a0", ATID_FRAME_T, 0, "a message without t");
	refused("a2 6174 60 626f70 01 a0", ATID_FRAME_T, 3, "an empty t");
	refused("a2 6174 6120 626f70 01 a0", ATID_FRAME_T, 3, "a blank as t");
	refused("a2 6174 617f 626f70 20 a1 656572726f72 6178", ATID_FRAME_T, 3,
			"a t that is not printable");
	refused("a2 6174 62c3a9 626f70 01 a0", ATID_FRAME_T, 3, "a t that is no ASCII");
	refused(HEADER, ATID_FRAME_NO_BODY, 15, "no body");
	refused(HEADER "80", ATID_FRAME_BODY, 15, "a body that is an array");
	refused(HEADER "a0 a0", ATID_CBOR_TRAILING, 16, "two bodies");
	refused(HEADER "a1 6178 fb3ff0000000000000", ATID_CBOR_FLOAT, 18, "a float in the body");
	refused("a1 626f70 1801 a0", ATID_CBOR_SHORTEST, 4,
			"a header that is not in its shortest form");
	refused("a1 626f70 20 a0", ATID_FRAME_ERROR_NAME, 5, "an error without a name");
	refused("a1 626f70 20 a1 656572726f72 01", ATID_FRAME_ERROR_NAME, 5,
			"one whose name is a number");
	refused("a1 626f70 20 a1 6178 a1 656572726f72 6178", ATID_FRAME_ERROR_NAME, 5,
			"one whose name lies deeper");

	len = ATID_FRAME_SIZE_MAX + 1;
	large = calloc(1, len);
	ok(atid_frame_parse(large, len, &frame) == ATID_FRAME_LARGE, "a byte too many");
	ok(atid_frame_parse(large, len - 1, &frame) == ATID_FRAME_HEADER, "and one less");
	free(large);
	return done();
}
