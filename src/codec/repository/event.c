/*-------------------------------------------------------------------------
 *
 * event.c
 *		The events #commit and #sync of a repository's event stream.
 *
 * Format (AT Protocol, "Sync", "Repository Event Stream"): the body of a frame (frame.c),
 * a map of
 *
 *		seq			integer, from 1 to 2^53 - 1
 *		time		text, a datetime
 *		repo		text, the account's DID; "did" in a #sync
 *		rev			text, a TID, the commit's
 *		blocks		bytes, a CAR with the commit
 *
 * and a #commit besides
 *
 *		since		text, the TID of an earlier commit, or null
 *		commit		link to the commit
 *		ops			array of maps, below
 *		prevData	link to the root of the tree before; may be absent, or null
 *
 * An operation is a map of
 *
 *		action		text: create, update, or delete
 *		path		text, a collection, a slash, a record key
 *		cid			link to the record; null in a delete
 *		prev		link to the record before; not in a create; may be absent, or null
 *
 * Other fields are passed over, those that the protocol has given up (tooBig, rebase,
 * blobs) too.  What the CAR has in it is not looked at.
 *
 * As nobody can interrupt the reader, a body larger than a frame is not read.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/event.h"

#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "codec/cbor/fields.h"
#include "codec/text/address.h"

/* The variants, by AtidEventKind. */
#define COMMIT (1u << ATID_EVENT_IS_COMMIT)
#define SYNC (1u << ATID_EVENT_IS_SYNC)
#define BOTH (COMMIT | SYNC)

#define COUNT_OF(array) ((int) (sizeof(array) / sizeof((array)[0])))


/*
 * Operations
 */

static bool
fits_action(void *into, const AtidCborItem *value)
{
	AtidEventOperation *op = into;

	for (op->action = ATID_EVENT_CREATE;
		 !atid_cbor_item_is(value, atid_event_action_name(op->action)); op->action++)
	{
		if (op->action == ATID_EVENT_DELETE)
			return false;
	}
	return true;
}

/*
 * Take a path apart.
 */
static bool
fits_path(void *into, const AtidCborItem *value)
{
	AtidEventOperation *op = into;
	const char *path = (const char *) value->data;
	const char *slash = memchr(path, '/', value->len);
	size_t		at;

	if (slash == NULL)
		return false;
	op->collection_len = (size_t) (slash - path);
	return atid_nsid_is_valid(path, op->collection_len) &&
		atid_record_key_scan(slash + 1, value->len - op->collection_len - 1, &at) == ATID_OK;
}

/*
 * Do the fields of an operation go together?
 */
static AtidFault
check_operation(const void *into)
{
	const AtidEventOperation *op = into;

	if ((op->cid == NULL) != (op->action == ATID_EVENT_DELETE))
		return ATID_EVENT_CID;
	if (op->action == ATID_EVENT_CREATE && op->prev != NULL)
		return ATID_EVENT_PREV;
	if (op->action == ATID_EVENT_UPDATE && op->prev != NULL && op->prev_len == op->cid_len &&
		memcmp(op->prev, op->cid, op->cid_len) == 0)
		return ATID_EVENT_PREV_SAME;
	return ATID_OK;
}

#define TO(member) ATID_TO(AtidEventOperation, member)
#define TO_LEN(member) ATID_TO_LEN(AtidEventOperation, member)

static const AtidMapField operation_fields[] = {
	ATID_FIELD("action", COMMIT, COMMIT, ATID_HOLDS_TEXT, fits_action, ATID_EVENT_ACTION,
			   ATID_TO_NOTHING),
	ATID_FIELD("path", COMMIT, COMMIT, ATID_HOLDS_TEXT, fits_path, ATID_EVENT_PATH, TO_LEN(path)),
	ATID_FIELD("cid", COMMIT, COMMIT, ATID_HOLDS_LINK | ATID_HOLDS_NULL, NULL, ATID_EVENT_CID,
			   TO_LEN(cid)),
	ATID_FIELD("prev", COMMIT, 0, ATID_HOLDS_LINK | ATID_HOLDS_NULL, NULL, ATID_EVENT_PREV,
			   TO_LEN(prev)),
};

static const AtidMap operation_map = {
	.fields = operation_fields,.count = COUNT_OF(operation_fields),.top = ATID_EVENT_OPERATION,
	.check = check_operation
};

#undef TO
#undef TO_LEN


/*
 * Events
 */

static bool
fits_seq(void *into, const AtidCborItem *value)
{
	(void) into;
	return value->integer >= 1 && value->integer <= ATID_EVENT_SEQ_MAX;
}

#define TO(member) ATID_TO(AtidEvent, member)
#define TO_LEN(member) ATID_TO_LEN(AtidEvent, member)

static const AtidMapField event_fields[] = {
	ATID_FIELD("seq", BOTH, BOTH, ATID_HOLDS_INTEGER, fits_seq, ATID_EVENT_SEQ, TO(seq)),
	ATID_FIELD("time", BOTH, BOTH, ATID_HOLDS_TEXT, atid_fits_datetime, ATID_EVENT_TIME,
			   TO_LEN(time)),
	ATID_FIELD("repo", COMMIT, COMMIT, ATID_HOLDS_TEXT, atid_fits_did, ATID_EVENT_REPO,
			   TO_LEN(did)),
	ATID_FIELD("did", SYNC, SYNC, ATID_HOLDS_TEXT, atid_fits_did, ATID_EVENT_DID, TO_LEN(did)),
	ATID_FIELD("rev", BOTH, BOTH, ATID_HOLDS_TEXT, atid_fits_tid, ATID_EVENT_REV, TO(rev)),
	ATID_FIELD("blocks", COMMIT, COMMIT, ATID_HOLDS_BYTES, NULL, ATID_EVENT_BLOCKS,
			   TO_LEN(blocks),
			   .most = ATID_COMMIT_BLOCKS_MAX,.many = ATID_EVENT_COMMIT_BLOCKS_LARGE),
	ATID_FIELD("blocks", SYNC, SYNC, ATID_HOLDS_BYTES, NULL, ATID_EVENT_BLOCKS, TO_LEN(blocks),
			   .most = ATID_SYNC_BLOCKS_MAX,.many = ATID_EVENT_SYNC_BLOCKS_LARGE),
	ATID_FIELD("since", COMMIT, COMMIT, ATID_HOLDS_TEXT | ATID_HOLDS_NULL, atid_fits_tid,
			   ATID_EVENT_SINCE, TO(since)),
	ATID_FIELD("commit", COMMIT, COMMIT, ATID_HOLDS_LINK, atid_fits_block, ATID_EVENT_COMMIT,
			   TO(commit)),
	ATID_FIELD("prevData", COMMIT, 0, ATID_HOLDS_LINK | ATID_HOLDS_NULL, atid_fits_block,
			   ATID_EVENT_PREV_DATA, TO(prev_data)),
	ATID_FIELD("ops", COMMIT, COMMIT, ATID_HOLDS_ARRAY, NULL, ATID_EVENT_OPERATIONS,
			   .to = offsetof(AtidEvent, ops),.len_to = offsetof(AtidEvent, op_count),
			   .most = ATID_EVENT_OPERATIONS_MAX,.many = ATID_EVENT_MANY_OPERATIONS,
			   .items = &operation_map,.item_size = sizeof(AtidEventOperation)),
};

static const AtidMap event_map = {
	.fields = event_fields,.count = COUNT_OF(event_fields),.top = ATID_EVENT_TOP
};

bool
atid_event_kind(const AtidFrame *frame, AtidEventKind *kind)
{
	static const char *const names[] = {
		[ATID_EVENT_IS_COMMIT] = "#commit",
		[ATID_EVENT_IS_SYNC] = "#sync",
	};

	if (frame->op != ATID_FRAME_MESSAGE)
		return false;
	for (int i = 0; i < COUNT_OF(names); i++)
	{
		if (frame->t_len == strlen(names[i]) && memcmp(frame->t, names[i], frame->t_len) == 0)
		{
			*kind = (AtidEventKind) i;
			return true;
		}
	}
	return false;
}

AtidFault
atid_event_parse(const uint8_t *body, size_t len, AtidEventKind kind, AtidEvent *event)
{
	AtidMapReading reading;
	AtidFault	fault;

	memset(event, 0, offsetof(AtidEvent, ops));
	if (len > ATID_EVENT_SIZE_MAX)
		return ATID_EVENT_LARGE;
	fault = atid_map_read(&event_map, 1u << kind, body, len, event, &reading);
	event->at = reading.at;
	return fault;
}

const char *
atid_event_action_name(AtidEventAction action)
{
	static const char *const names[] = {"create", "update", "delete"};

	return names[action];
}
