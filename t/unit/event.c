/*-------------------------------------------------------------------------
 *
 * event.c
 *		Events, each rule of their fields and operations broken alone.
 *
 * Events are written by the writer of dagcbor.c, field by field; a test gives one of them in
 * hexadecimal instead, or leaves it out.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/event.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "exact.h"
#include "tap.h"

#define DID "70 6469643a7765623a612e746573747878"	/* did:web:a.testxx */
#define TID(c) "6d 336a7a6663696a706a327a3" c "61"	/* 3jzfcijpj2z?a */
#define TIME "74 323032342d30312d31345431323a30303a30305a"
#define DIGEST "abababababababababababababababababababababababababababababababab"
#define LINK "d82a 5825 00 01711220" DIGEST
#define RAW "d82a 5825 00 01551220" DIGEST
#define PATH "72 636f6d2e6578616d706c652e782f61626364"	/* com.example.x/abcd */

typedef struct Pair
{
	const char *key;
	const char *hex;
} Pair;

/* in the order of DAG-CBOR */
static const Pair commit_fields[] = {
	{"ops", "80"}, {"rev", TID("2")}, {"seq", "01"}, {"repo", DID}, {"time", TIME}, {"since", "f6"},
	{"blocks", "4178"}, {"commit", LINK}, {"prevData", LINK}
};
static const Pair sync_fields[] = {
	{"did", DID}, {"rev", TID("2")}, {"seq", "01"}, {"time", TIME}, {"blocks", "4178"}
};
static const Pair update[] = {
	{"cid", LINK}, {"path", PATH}, {"prev", RAW}, {"action", "66 757064617465"}
};

static uint8_t memory[8192];

static void
put_hex(AtidCborWriter *writer, const char *hex)
{
	size_t		len;
	uint8_t    *bytes = from_hex(hex, &len);

	memcpy(writer->data + writer->len, bytes, len);
	writer->len += len;
	free(bytes);
}

/*
 * Put a map of these pairs, with another value for one of them (NULL: without it).
 */
static void
put_map(AtidCborWriter *writer, const Pair *pairs, size_t count, const char *key, const char *hex)
{
	bool		without = key != NULL && hex == NULL;

	atid_cbor_put_map(writer, count - without);
	for (size_t i = 0; i < count; i++)
	{
		bool		other = key != NULL && strcmp(pairs[i].key, key) == 0;

		if (other && without)
			continue;
		atid_cbor_put_text(writer, pairs[i].key, strlen(pairs[i].key));
		put_hex(writer, other ? hex : pairs[i].hex);
	}
}

static AtidFault
parse(const AtidCborWriter *writer, AtidEventKind kind, AtidEvent *event)
{
	uint8_t    *bytes = exact(writer->data, writer->len);
	AtidFault fault = atid_event_parse(bytes, writer->len, kind, event);

	if (event->at > writer->len || (fault != ATID_OK && strlen(atid_fault_words(fault)) < 10))
		fault = (AtidFault) -1;
	free(bytes);
	return fault;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void
commit(const char *key, const char *hex, AtidFault fault, const char *name)
{
	AtidCborWriter writer = {.data = memory,.cap = sizeof(memory)};
	static AtidEvent event;

	put_map(&writer, commit_fields, COUNT(commit_fields), key, hex);
	ok(parse(&writer, ATID_EVENT_IS_COMMIT, &event) == fault, name);
}

static void
sync_event(const char *key, const char *hex, AtidFault fault, const char *name)
{
	AtidCborWriter writer = {.data = memory,.cap = sizeof(memory)};
	static AtidEvent event;

	put_map(&writer, sync_fields, COUNT(sync_fields), key, hex);
	ok(parse(&writer, ATID_EVENT_IS_SYNC, &event) == fault, name);
}

static void
operation(const char *key, const char *hex, const char *action, AtidFault fault,
		  const char *name)
{
	AtidCborWriter writer = {.data = memory,.cap = sizeof(memory)};
	Pair		pairs[COUNT(update)];
	static AtidEvent event;
	AtidFault got;

	memcpy(pairs, update, sizeof(update));
	if (action != NULL)
		pairs[3].hex = action;
	put_hex(&writer, "a9 636f7073 81");
	put_map(&writer, pairs, COUNT(pairs), key, hex);
	for (size_t i = 1; i < COUNT(commit_fields); i++)
	{
		atid_cbor_put_text(&writer, commit_fields[i].key, strlen(commit_fields[i].key));
		put_hex(&writer, commit_fields[i].hex);
	}
	got = parse(&writer, ATID_EVENT_IS_COMMIT, &event);
	ok(got == fault && (fault == ATID_OK ? event.op_count == 1 : event.at >= 6), name);
}

/*
 * Is a frame of this op and t an event, and of this kind?  -1: of none.
 */
static void
kind(int64_t op, const char *t, int wanted, const char *name)
{
	AtidFrame	frame = {.op = op,.t = t,.t_len = strlen(t)};
	AtidEventKind found;

	ok(atid_event_kind(&frame, &found) ? (int) found == wanted : wanted == -1, name);
}

int
main(void)
{
	AtidCborWriter writer = {.data = memory,.cap = sizeof(memory)};
	static AtidEvent event;
	static uint8_t many[2 + 201];
	uint8_t    *large = calloc(1, ATID_EVENT_SIZE_MAX + 1);
	bool		cut = true;

	kind(ATID_FRAME_MESSAGE, "#commit", ATID_EVENT_IS_COMMIT, "the frame of a #commit");
	kind(ATID_FRAME_MESSAGE, "#sync", ATID_EVENT_IS_SYNC, "the frame of a #sync");
	kind(ATID_FRAME_MESSAGE, "#sync2", -1, "a longer name");
	kind(ATID_FRAME_MESSAGE, "#tombs", -1, "another message");
	kind(ATID_FRAME_ERROR, "#commit", -1, "an error's frame");

	commit(NULL, NULL, ATID_OK, "a #commit");
	sync_event(NULL, NULL, ATID_OK, "a #sync");
	commit("seq", NULL, ATID_EVENT_SEQ, "no seq");
	commit("seq", "00", ATID_EVENT_SEQ, "a seq of 0");
	commit("seq", "1b001fffffffffffff", ATID_OK, "a seq of 2^53 - 1");
	commit("seq", "1b0020000000000000", ATID_EVENT_SEQ, "a seq of 2^53");
	commit("time", NULL, ATID_EVENT_TIME, "no time");
	commit("time", "6a 323032342d30312d3134", ATID_EVENT_TIME, "a time that is a date");
	commit("repo", NULL, ATID_EVENT_REPO, "no repo");
	commit("repo", "6178", ATID_EVENT_REPO, "a repo that is no DID");
	commit("rev", NULL, ATID_EVENT_REV, "no rev");
	commit("rev", "6178", ATID_EVENT_REV, "a rev that is no TID");
	commit("since", NULL, ATID_EVENT_SINCE, "no since");
	commit("since", TID("2"), ATID_OK, "a since");
	commit("since", "60", ATID_EVENT_SINCE, "a since that is no TID");
	commit("commit", NULL, ATID_EVENT_COMMIT, "no commit");
	commit("commit", RAW, ATID_EVENT_COMMIT, "a commit of codec raw");
	commit("prevData", NULL, ATID_OK, "no prevData");
	commit("prevData", "f6", ATID_OK, "a prevData that is null");
	commit("prevData", RAW, ATID_EVENT_PREV_DATA, "a prevData of codec raw");
	commit("blocks", NULL, ATID_EVENT_BLOCKS, "no blocks");
	commit("blocks", "6178", ATID_EVENT_BLOCKS, "blocks of text");
	commit("ops", NULL, ATID_EVENT_OPERATIONS, "no ops");
	commit("ops", "a0", ATID_EVENT_OPERATIONS, "ops that are a map");
	commit("ops", "81 01", ATID_EVENT_OPERATION, "an operation that is a number");
	commit("ops", "81 80", ATID_EVENT_OPERATION, "an operation that is an array");
	commit("ops", "81 a0", ATID_EVENT_ACTION, "an operation of nothing");
	sync_event("did", NULL, ATID_EVENT_DID, "a #sync without did");
	sync_event("did", "f6", ATID_EVENT_DID, "a #sync whose did is null");
	sync_event("seq", NULL, ATID_EVENT_SEQ, "a #sync without seq");
	sync_event("time", NULL, ATID_EVENT_TIME, "a #sync without time");
	sync_event("rev", NULL, ATID_EVENT_REV, "a #sync without rev");
	sync_event("blocks", NULL, ATID_EVENT_BLOCKS, "a #sync without blocks");

	operation(NULL, NULL, NULL, ATID_OK, "an update");
	operation("prev", NULL, NULL, ATID_OK, "an update without prev");
	operation("prev", "f6", NULL, ATID_OK, "an update whose prev is null");
	operation("prev", LINK, NULL, ATID_EVENT_PREV_SAME, "an update to the same");
	operation("prev", "01", NULL, ATID_EVENT_PREV, "a prev that is a number");
	operation("prev", NULL, "66 637265617465", ATID_OK, "a create");
	operation(NULL, NULL, "66 637265617465", ATID_EVENT_PREV, "a create with a prev");
	operation("cid", "f6", "66 64656c657465", ATID_OK, "a delete");
	operation(NULL, NULL, "66 64656c657465", ATID_EVENT_CID, "a delete with a cid");
	operation("cid", "f6", NULL, ATID_EVENT_CID, "an update without a record");
	operation("cid", NULL, NULL, ATID_EVENT_CID, "no cid");
	operation("cid", "a1 6178 80", NULL, ATID_EVENT_CID, "a cid that is a map");
	operation("path", NULL, NULL, ATID_EVENT_PATH, "no path");
	operation("path", "63 782f79", NULL, ATID_EVENT_PATH, "a path without a collection");
	operation("path", "6d 636f6d2e6578616d706c652e78", NULL, ATID_EVENT_PATH,
			  "a path without a record key");
	operation("action", NULL, NULL, ATID_EVENT_ACTION, "no action");
	operation("action", "6178", NULL, ATID_EVENT_ACTION, "another action");

	put_map(&writer, commit_fields, COUNT(commit_fields), NULL, NULL);
	for (size_t i = 0; i < writer.len; i++)
	{
		AtidCborWriter part = writer;
		AtidFault	fault;

		part.len = i;
		fault = parse(&part, ATID_EVENT_IS_COMMIT, &event);
		cut = fault >= ATID_CBOR_ENDS && fault <= ATID_CBOR_COUNT && cut;
	}
	ok(cut, "an event that is cut off at any byte");

	/* limits */
	memcpy(many, "\x98\xc9", 2);
	writer.len = 0;
	put_hex(&writer, "a1 636f7073");
	memcpy(writer.data + writer.len, many, sizeof(many));
	writer.len += sizeof(many);
	ok(parse(&writer, ATID_EVENT_IS_COMMIT, &event) == ATID_EVENT_MANY_OPERATIONS,
	   "201 operations");
	ok(atid_event_parse(large, ATID_EVENT_SIZE_MAX + 1, ATID_EVENT_IS_COMMIT, &event) ==
	   ATID_EVENT_LARGE, "a byte too many");
	memcpy(large, "\xa1\x66" "blocks\x5a\x00\x1e\x84\x81", 13);
	ok(atid_event_parse(large, 13 + 2000001, ATID_EVENT_IS_COMMIT, &event) ==
	   ATID_EVENT_COMMIT_BLOCKS_LARGE && event.at == 8, "blocks of 2,000,001 bytes");
	memcpy(large, "\xa1\x66" "blocks\x59\x27\x11", 11);
	ok(atid_event_parse(large, 11 + 10001, ATID_EVENT_IS_SYNC, &event) ==
	   ATID_EVENT_SYNC_BLOCKS_LARGE, "blocks of 10,001 bytes in a #sync");
	free(large);
	return done();
}
