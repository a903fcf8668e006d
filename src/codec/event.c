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
#include "codec/event.h"

#include <string.h>

#include "codec/address.h"
#include "codec/dagcbor.h"
#include "codec/datetime.h"
#include "codec/multiformat.h"
#include "codec/syntax.h"

/* What of an event's fields has been seen. */
#define HAS_SEQ		0x01
#define HAS_TIME	0x02
#define HAS_DID		0x04
#define HAS_REV		0x08
#define HAS_BLOCKS	0x10
#define HAS_SINCE	0x20
#define HAS_COMMIT	0x40
#define HAS_OPS		0x80

/* What of an operation's. */
#define HAS_ACTION	0x01
#define HAS_PATH	0x02
#define HAS_CID		0x04

/* What is read. */
typedef struct Parse
{
	AtidCborReader reader;
	AtidEventKind kind;
	AtidEvent  *event;
	unsigned	seen;
	AtidCborItem key;			/* the last of the event's map, */
	bool		in_ops;			/* which is "ops" of a #commit, */
	AtidCborItem op_key;		/* and of an operation's */
	unsigned	op_seen;
	size_t		op_at;			/* where the operation begins */
} Parse;

static bool
is_link_to_block(AtidCborEvent event, const AtidCborItem *item)
{
	return event == ATID_CBOR_LINK && atid_cid_is_dag_cbor(item->data, item->len);
}

static bool
is_tid(AtidCborEvent event, const AtidCborItem *item)
{
	size_t		at;

	return event == ATID_CBOR_TEXT &&
		atid_syntax_tid((const char *) item->data, item->len, &at) == ATID_OK;
}

/*
 * Take the value of a field that both events have.
 */
static AtidFault
take_field(Parse *parse, AtidCborEvent event, const AtidCborItem *value)
{
	const AtidCborItem *key = &parse->key;
	AtidEvent  *result = parse->event;
	const char *string = (const char *) value->data;
	bool		is_commit = parse->kind == ATID_EVENT_IS_COMMIT;
	int64_t		us;
	size_t		at;

	if (atid_cbor_item_is(key, "seq"))
	{
		if (event != ATID_CBOR_INTEGER || value->integer < 1 ||
			value->integer > ATID_EVENT_SEQ_MAX)
			return ATID_EVENT_SEQ;
		result->seq = value->integer;
		parse->seen |= HAS_SEQ;
	}
	else if (atid_cbor_item_is(key, "time"))
	{
		if (event != ATID_CBOR_TEXT ||
			atid_datetime_parse(string, value->len, &us, &at) != ATID_OK)
			return ATID_EVENT_TIME;
		result->time = string;
		result->time_len = value->len;
		parse->seen |= HAS_TIME;
	}
	else if (atid_cbor_item_is(key, is_commit ? "repo" : "did"))
	{
		if (event != ATID_CBOR_TEXT || !atid_did_is_valid(string, value->len))
			return is_commit ? ATID_EVENT_REPO : ATID_EVENT_DID;
		result->did = string;
		result->did_len = value->len;
		parse->seen |= HAS_DID;
	}
	else if (atid_cbor_item_is(key, "rev"))
	{
		if (!is_tid(event, value))
			return ATID_EVENT_REV;
		result->rev = string;
		result->rev_at = atid_cbor_offset(&parse->reader);
		parse->seen |= HAS_REV;
	}
	else if (atid_cbor_item_is(key, "blocks"))
	{
		if (event != ATID_CBOR_BYTES)
			return ATID_EVENT_BLOCKS;
		if (value->len > (is_commit ? ATID_COMMIT_BLOCKS_MAX : ATID_SYNC_BLOCKS_MAX))
			return is_commit ? ATID_EVENT_COMMIT_BLOCKS_LARGE : ATID_EVENT_SYNC_BLOCKS_LARGE;
		result->blocks = value->data;
		result->blocks_len = value->len;
		parse->seen |= HAS_BLOCKS;
	}
	return ATID_OK;
}

/*
 * Take the value of a field that only a #commit has.
 */
static AtidFault
take_commit_field(Parse *parse, AtidCborEvent event, const AtidCborItem *value)
{
	const AtidCborItem *key = &parse->key;
	AtidEvent  *result = parse->event;

	if (atid_cbor_item_is(key, "since"))
	{
		if (event != ATID_CBOR_NULL && !is_tid(event, value))
			return ATID_EVENT_SINCE;
		result->since = event == ATID_CBOR_NULL ? NULL : (const char *) value->data;
		parse->seen |= HAS_SINCE;
	}
	else if (atid_cbor_item_is(key, "commit"))
	{
		if (!is_link_to_block(event, value))
			return ATID_EVENT_COMMIT;
		result->commit = value->data;
		parse->seen |= HAS_COMMIT;
	}
	else if (atid_cbor_item_is(key, "prevData"))
	{
		if (event != ATID_CBOR_NULL && !is_link_to_block(event, value))
			return ATID_EVENT_PREV_DATA;
		result->prev_data = event == ATID_CBOR_NULL ? NULL : value->data;
	}
	else if (atid_cbor_item_is(key, "ops"))
	{
		if (event != ATID_CBOR_ARRAY)
			return ATID_EVENT_OPERATIONS;
		if (value->len > ATID_EVENT_OPERATIONS_MAX)
			return ATID_EVENT_MANY_OPERATIONS;
		parse->in_ops = true;
		parse->seen |= HAS_OPS;
	}
	return ATID_OK;
}

/*
 * Take a path apart.
 */
static bool
take_path(AtidEventOperation *op, const char *path, size_t len)
{
	const char *slash = memchr(path, '/', len);
	size_t		at;

	if (slash == NULL)
		return false;
	op->path = path;
	op->path_len = len;
	op->collection_len = (size_t) (slash - path);
	return atid_nsid_is_valid(path, op->collection_len) &&
		atid_record_key_scan(slash + 1, len - op->collection_len - 1, &at) == ATID_OK;
}

static AtidFault
take_operation_field(Parse *parse, AtidEventOperation *op, AtidCborEvent event,
					 const AtidCborItem *value)
{
	const AtidCborItem *key = &parse->op_key;

	if (atid_cbor_item_is(key, "action"))
	{
		if (event != ATID_CBOR_TEXT)
			return ATID_EVENT_ACTION;
		for (op->action = ATID_EVENT_CREATE;
			 !atid_cbor_item_is(value, atid_event_action_name(op->action)); op->action++)
		{
			if (op->action == ATID_EVENT_DELETE)
				return ATID_EVENT_ACTION;
		}
		parse->op_seen |= HAS_ACTION;
	}
	else if (atid_cbor_item_is(key, "path"))
	{
		if (event != ATID_CBOR_TEXT || !take_path(op, (const char *) value->data, value->len))
			return ATID_EVENT_PATH;
		parse->op_seen |= HAS_PATH;
	}
	else if (atid_cbor_item_is(key, "cid"))
	{
		if (event != ATID_CBOR_LINK && event != ATID_CBOR_NULL)
			return ATID_EVENT_CID;
		op->cid = event == ATID_CBOR_NULL ? NULL : value->data;
		op->cid_len = event == ATID_CBOR_NULL ? 0 : value->len;
		parse->op_seen |= HAS_CID;
	}
	else if (atid_cbor_item_is(key, "prev"))
	{
		if (event != ATID_CBOR_LINK && event != ATID_CBOR_NULL)
			return ATID_EVENT_PREV;
		op->prev = event == ATID_CBOR_NULL ? NULL : value->data;
		op->prev_len = event == ATID_CBOR_NULL ? 0 : value->len;
	}
	return ATID_OK;
}

/*
 * Do the fields of an operation go together?
 */
static AtidFault
check_operation(const AtidEventOperation *op, unsigned seen)
{
	if (!(seen & HAS_ACTION))
		return ATID_EVENT_ACTION;
	if (!(seen & HAS_PATH))
		return ATID_EVENT_PATH;
	if (!(seen & HAS_CID) || (op->cid == NULL) != (op->action == ATID_EVENT_DELETE))
		return ATID_EVENT_CID;
	if (op->action == ATID_EVENT_CREATE && op->prev != NULL)
		return ATID_EVENT_PREV;
	if (op->action == ATID_EVENT_UPDATE && op->prev != NULL && op->prev_len == op->cid_len &&
		memcmp(op->prev, op->cid, op->cid_len) == 0)
		return ATID_EVENT_PREV_SAME;
	return ATID_OK;
}

/*
 * Take what the reader has read within the array of operations.
 */
static AtidFault
take_in_operations(Parse *parse, AtidCborEvent event, const AtidCborItem *item)
{
	AtidEvent  *result = parse->event;
	AtidEventOperation *op = &result->ops[result->op_count];
	int			depth = parse->reader.depth;
	AtidFault	fault;

	switch (depth)
	{
		case 1:
			/* the end of the array */
			parse->in_ops = false;
			return ATID_OK;
		case 2:
			/* the end of an operation, or what is none */
			if (event != ATID_CBOR_MAP_END)
				return ATID_EVENT_OPERATION;
			fault = check_operation(op, parse->op_seen);
			if (fault == ATID_OK)
				result->op_count++;
			return fault;
		case 3:
			if (parse->op_at == 0)
			{
				/* its beginning */
				if (event != ATID_CBOR_MAP)
					return ATID_EVENT_OPERATION;
				memset(op, 0, sizeof(*op));
				parse->op_seen = 0;
				return ATID_OK;
			}
			if (event == ATID_CBOR_KEY)
			{
				parse->op_key = *item;
				return ATID_OK;
			}
			if (event == ATID_CBOR_MAP_END || event == ATID_CBOR_ARRAY_END)
				return ATID_OK;
			return take_operation_field(parse, op, event, item);
		case 4:
			if (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)
				return take_operation_field(parse, op, event, item);
			return ATID_OK;
		default:
			return ATID_OK;
	}
}

/*
 * Take what the reader has read.
 */
static AtidFault
take(Parse *parse, AtidCborEvent event, const AtidCborItem *item)
{
	int			depth = parse->reader.depth;
	AtidFault	fault;

	if (parse->in_ops)
		return take_in_operations(parse, event, item);
	if (parse->reader.at == parse->reader.begin)
		return event == ATID_CBOR_MAP ? ATID_OK : ATID_EVENT_TOP;
	if (depth == 1 && event == ATID_CBOR_KEY)
	{
		parse->key = *item;
		return ATID_OK;
	}
	if ((depth == 1 && event != ATID_CBOR_MAP_END && event != ATID_CBOR_ARRAY_END) ||
		(depth == 2 && (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)))
	{
		fault = take_field(parse, event, item);
		if (fault == ATID_OK && parse->kind == ATID_EVENT_IS_COMMIT)
			fault = take_commit_field(parse, event, item);
		return fault;
	}
	return ATID_OK;
}

/*
 * Is a field missing that this event has?
 */
static AtidFault
missing_field(const Parse *parse)
{
	static const struct
	{
		unsigned	flag;
		AtidFault	fault;
		bool		both;		/* of a #sync too */
	}			fields[] = {
		{HAS_SEQ, ATID_EVENT_SEQ, true},
		{HAS_TIME, ATID_EVENT_TIME, true},
		{HAS_DID, ATID_EVENT_REPO, true},
		{HAS_REV, ATID_EVENT_REV, true},
		{HAS_BLOCKS, ATID_EVENT_BLOCKS, true},
		{HAS_SINCE, ATID_EVENT_SINCE, false},
		{HAS_COMMIT, ATID_EVENT_COMMIT, false},
		{HAS_OPS, ATID_EVENT_OPERATIONS, false},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
	{
		if (parse->seen & fields[i].flag)
			continue;
		if (parse->kind == ATID_EVENT_IS_COMMIT)
			return fields[i].fault;
		if (fields[i].both)
			return fields[i].flag == HAS_DID ? ATID_EVENT_DID : fields[i].fault;
	}
	return ATID_OK;
}

static bool
has_name(const AtidFrame *frame, const char *name)
{
	return frame->t_len == strlen(name) && memcmp(frame->t, name, frame->t_len) == 0;
}

bool
atid_event_kind(const AtidFrame *frame, AtidEventKind *kind)
{
	if (frame->op != ATID_FRAME_MESSAGE || frame->t == NULL)
		return false;
	*kind = has_name(frame, "#sync") ? ATID_EVENT_IS_SYNC : ATID_EVENT_IS_COMMIT;
	return *kind == ATID_EVENT_IS_SYNC || has_name(frame, "#commit");
}

AtidFault
atid_event_parse(const uint8_t *body, size_t len, AtidEventKind kind, AtidEvent *event)
{
	Parse		parse;
	AtidCborItem item = {0};
	AtidCborEvent read;
	AtidFault	fault = ATID_OK;

	memset(event, 0, offsetof(AtidEvent, ops));
	if (len > ATID_EVENT_SIZE_MAX)
		return ATID_EVENT_LARGE;
	memset(&parse, 0, sizeof(parse));
	parse.kind = kind;
	parse.event = event;
	atid_cbor_reader_init(&parse.reader, body, len);

	/* a fault of the encoding, wherever it is, comes before one of the fields */
	while ((read = atid_cbor_next(&parse.reader, &item)) != ATID_CBOR_END)
	{
		size_t		at = atid_cbor_offset(&parse.reader);

		if (read == ATID_CBOR_FAULT)
		{
			event->at = at;
			return parse.reader.fault;
		}
		if (fault != ATID_OK)
			continue;
		fault = take(&parse, read, &item);
		if (fault != ATID_OK)
			event->at = parse.in_ops && read == ATID_CBOR_MAP_END ? parse.op_at : at;
		if (parse.in_ops && parse.reader.depth == 3 && parse.op_at == 0)
			parse.op_at = at;
		else if (parse.in_ops && parse.reader.depth == 2)
			parse.op_at = 0;
	}
	return fault == ATID_OK ? missing_field(&parse) : fault;
}

const char *
atid_event_action_name(AtidEventAction action)
{
	static const char *const names[] = {"create", "update", "delete"};

	return names[action];
}
