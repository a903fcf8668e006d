/*-------------------------------------------------------------------------
 *
 * event.c
 *		An event is taken where each of its rules, looked up by a search of its own, is
 *		kept; and its fields are what that search finds.
 *
 * The first byte says whether it is a #commit or a #sync.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/event.h"

#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "codec/cbor/multiformat.h"
#include "codec/text/address.h"
#include "codec/text/datetime.h"
#include "codec/text/tid.h"
#include "fuzz.h"

/* A value: the event that it begins with, and what comes with that. */
typedef struct Field
{
	AtidCborEvent event;		/* ATID_CBOR_END: there is none */
	AtidCborItem item;
} Field;

/*
 * The value of a key in the event's map, or (number >= 0) in the operation of that number;
 * without a name, the operation itself, or the map.  Reads all anew each time.
 */
static Field
find(const uint8_t *bytes, size_t len, int number, const char *name)
{
	AtidCborReader reader;
	AtidCborItem item = {0};
	AtidCborEvent event;
	Field		none = {.event = ATID_CBOR_END};
	int			depth = number < 0 ? 1 : 3;
	bool		in_ops = false;
	bool		next = number < 0 && name == NULL;
	int			at = -1;

	atid_cbor_reader_init(&reader, bytes, len);
	while ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
	{
		int			outside = reader.depth - (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY);

		if (next)
			return (Field) {event, item};
		if (event == ATID_CBOR_MAP_END || event == ATID_CBOR_ARRAY_END)
			continue;
		if (event == ATID_CBOR_KEY && reader.depth == 1)
			in_ops = item.len == 3 && memcmp(item.data, "ops", 3) == 0;
		if (in_ops && event != ATID_CBOR_KEY && outside == 2)
			at++;
		if (number >= 0 && at == number && in_ops && name == NULL)
			return (Field) {event, item};
		next = name != NULL && event == ATID_CBOR_KEY && reader.depth == depth &&
			item.len == strlen(name) && memcmp(item.data, name, item.len) == 0 &&
			(number < 0 || (in_ops && at == number));
	}
	return none;
}

static bool
is_encoded(const uint8_t *bytes, size_t len)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;

	atid_cbor_reader_init(&reader, bytes, len);
	while ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
		if (event == ATID_CBOR_FAULT)
			return false;
	return true;
}

static bool
is_tid(const Field *f)
{
	size_t		at;

	return f->event == ATID_CBOR_TEXT &&
		atid_tid_scan((const char *) f->item.data, f->item.len, &at) == ATID_OK;
}

static bool
is_block(const Field *f)
{
	return f->event == ATID_CBOR_LINK && f->item.len == 36 &&
		memcmp(f->item.data, "\x01\x71\x12\x20", 4) == 0;
}

static bool
is_text(const Field *f, const char *text)
{
	return f->event == ATID_CBOR_TEXT && f->item.len == strlen(text) &&
		memcmp(f->item.data, text, f->item.len) == 0;
}

static bool
is_link(const Field *f, const uint8_t *cid, size_t len)
{
	if (f->event != ATID_CBOR_LINK)
		return cid == NULL;
	return cid == f->item.data && len == f->item.len;
}

static bool
reference_operation(const uint8_t *bytes, size_t len, int number, const AtidEventOperation *op)
{
	Field		self = find(bytes, len, number, NULL);
	Field		action = find(bytes, len, number, "action");
	Field		path = find(bytes, len, number, "path");
	Field		cid = find(bytes, len, number, "cid");
	Field		prev = find(bytes, len, number, "prev");
	bool		create = is_text(&action, "create");
	bool		update = is_text(&action, "update");
	bool		delete = is_text(&action, "delete");
	const char *slash;
	size_t		at;

	if (self.event != ATID_CBOR_MAP || !(create || update || delete) ||
		path.event != ATID_CBOR_TEXT)
		return false;
	slash = memchr(path.item.data, '/', path.item.len);
	if (slash == NULL ||
		!atid_nsid_is_valid((const char *) path.item.data,
							(size_t) (slash - (const char *) path.item.data)) ||
		atid_record_key_scan(slash + 1, path.item.len - 1 -
							 (size_t) (slash - (const char *) path.item.data),
							 &at) != ATID_OK)
		return false;
	if (cid.event != (delete ? ATID_CBOR_NULL : ATID_CBOR_LINK))
		return false;
	if (prev.event != ATID_CBOR_LINK && prev.event != ATID_CBOR_NULL &&
		prev.event != ATID_CBOR_END)
		return false;
	if (prev.event == ATID_CBOR_LINK &&
		(create || (update && prev.item.len == cid.item.len &&
					memcmp(prev.item.data, cid.item.data, cid.item.len) == 0)))
		return false;
	if (op != NULL)
		CLAIM(op->path == (const char *) path.item.data && op->path_len == path.item.len &&
			  op->path + op->collection_len == slash &&
			  is_text(&action, atid_event_action_name(op->action)) &&
			  is_link(&cid, op->cid, op->cid_len) && is_link(&prev, op->prev, op->prev_len));
	return true;
}

static bool
reference_event(const uint8_t *bytes, size_t len, bool commit, const AtidEvent *event)
{
	Field		self = find(bytes, len, -1, NULL);
	Field		seq = find(bytes, len, -1, "seq");
	Field		time = find(bytes, len, -1, "time");
	Field		did = find(bytes, len, -1, commit ? "repo" : "did");
	Field		rev = find(bytes, len, -1, "rev");
	Field		blocks = find(bytes, len, -1, "blocks");
	Field		since = find(bytes, len, -1, "since");
	Field		root = find(bytes, len, -1, "commit");
	Field		ops = find(bytes, len, -1, "ops");
	Field		prev = find(bytes, len, -1, "prevData");
	int64_t		us;
	size_t		at;

	if (self.event != ATID_CBOR_MAP ||
		seq.event != ATID_CBOR_INTEGER || seq.item.integer < 1 ||
		seq.item.integer >= INT64_C(1) << 53 ||
		time.event != ATID_CBOR_TEXT ||
		atid_datetime_parse((const char *) time.item.data, time.item.len, &us,
							&at) != ATID_OK ||
		did.event != ATID_CBOR_TEXT ||
		!atid_did_is_valid((const char *) did.item.data, did.item.len) ||
		!is_tid(&rev) || blocks.event != ATID_CBOR_BYTES)
		return false;
	if (commit && (!(is_tid(&since) || since.event == ATID_CBOR_NULL) || !is_block(&root) ||
				   !(is_block(&prev) || prev.event == ATID_CBOR_NULL ||
					 prev.event == ATID_CBOR_END) ||
				   ops.event != ATID_CBOR_ARRAY || ops.item.len > 200))
		return false;
	for (size_t i = 0; commit && i < ops.item.len; i++)
		if (!reference_operation(bytes, len, (int) i, event == NULL ? NULL : &event->ops[i]))
			return false;
	if (event == NULL)
		return true;

	CLAIM(event->seq == seq.item.integer && event->time == (const char *) time.item.data &&
		  event->did == (const char *) did.item.data && event->did_len == did.item.len &&
		  event->rev == (const char *) rev.item.data && event->blocks == blocks.item.data &&
		  event->blocks_len == blocks.item.len);
	if (commit)
		CLAIM(event->op_count == ops.item.len && event->commit == root.item.data &&
			  event->since == (is_tid(&since) ? (const char *) since.item.data : NULL) &&
			  event->prev_data == (is_block(&prev) ? prev.item.data : NULL));
	else
		CLAIM(event->op_count == 0 && event->commit == NULL && event->since == NULL &&
			  event->prev_data == NULL);
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static AtidEvent event;
	bool		commit = size > 0 && data[0] % 2 == 0;
	AtidFault fault;
	bool		good;

	if (size == 0)
		return 0;
	data++;
	size--;
	memset(&event, 0xEE, sizeof(event));
	fault = atid_event_parse(data, size, commit ? ATID_EVENT_IS_COMMIT : ATID_EVENT_IS_SYNC,
							 &event);
	good = is_encoded(data, size) &&
		reference_event(data, size, commit, fault == ATID_OK ? &event : NULL);
	CLAIM((fault == ATID_OK) == good);
	CLAIM((fault != ATID_OK && (fault < ATID_EVENT_LARGE || fault > ATID_EVENT_PREV_SAME)) ==
		  !is_encoded(data, size));
	CLAIM(event.at <= size);
	CLAIM((fault == ATID_OK) == (strlen(atid_fault_words(fault)) == 0));
	return 0;
}
