/*-------------------------------------------------------------------------
 *
 * event_functions.c
 *		Frames of an event stream, and the events of repositories in them.
 *
 * frame.c and event.c of codec/repository/ have the formats.  All functions take the frame, and its
 * header has its kind.  A #commit is believed only as far as its CAR proves it: the
 * commit is the first root, and has the fields that the event has; each record that was put is
 * there, with its hash; and the operations, undone in the tree, lead to the root before.  Then
 * they are all that was done, and nothing else was.
 *
 * A value that is not such a frame gives NULL or no rows, since one of them must not end a
 * query over millions; event_problem() returns why.
 *
 * Everything in an event has a limit, so a call takes milliseconds, and a small multiple of
 * the event's size in memory.  A value that is larger than a frame can be is not decompressed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "address/types.h"
#include "codec/cbor/multiformat.h"
#include "codec/repository/commit.h"
#include "codec/repository/event.h"
#include "codec/repository/frame.h"
#include "codec/repository/mst_invert.h"
#include "codec/text/datetime.h"
#include "codec/text/tid.h"
#include "compat.h"
#include "datum.h"
#include "error.h"
#include "repository/archive.h"
#include "repository/tree.h"

/* The root of the tree that has no entries. */
static const uint8_t empty_tree[ATID_MST_CID_LEN] = {
	0x01, 0x71, 0x12, 0x20, 0x9d, 0xfe, 0xfe, 0x61, 0xdd, 0x76, 0xea, 0x3d,
	0xca, 0xe5, 0x02, 0x38, 0x80, 0xb0, 0x83, 0x79, 0xd5, 0x7a, 0xdf, 0x20,
	0x48, 0x2d, 0x6f, 0xdb, 0xe2, 0x75, 0x92, 0x89, 0xf6, 0x47, 0x67, 0x7b
};

/*
 * Parse the frame that is the first argument.  *bytes is the value, or NULL if it is larger
 * than a frame.
 */
static AtidFault
parse_frame(FunctionCallInfo fcinfo, AtidFrame *frame, bytea **bytes)
{
	*bytes = NULL;
	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) - VARHDRSZ > ATID_FRAME_SIZE_MAX)
		return ATID_FRAME_LARGE;
	*bytes = PG_GETARG_BYTEA_PP(0);
	return atid_frame_parse((const uint8_t *) VARDATA_ANY(*bytes), VARSIZE_ANY_EXHDR(*bytes),
							frame);
}

/*
 * frame_parts(frame bytea): op, t, error, body.
 */
PG_FUNCTION_INFO_V1(atid_frame_parts);
Datum
atid_frame_parts(PG_FUNCTION_ARGS)
{
	bytea	   *bytes;
	AtidFrame	frame;
	Datum		values[4] = {0};
	bool		nulls[4] = {0};

	if (parse_frame(fcinfo, &frame, &bytes) != ATID_OK)
		PG_RETURN_NULL();
	values[0] = Int64GetDatum(frame.op);
	nulls[1] = frame.t == NULL;
	if (frame.t != NULL)
		values[1] = PointerGetDatum(cstring_to_text_with_len(frame.t, (int) frame.t_len));
	nulls[2] = frame.error == NULL;
	if (frame.error != NULL)
		values[2] = PointerGetDatum(cstring_to_text_with_len(frame.error, (int) frame.error_len));
	values[3] = atid_bytes_datum(frame.body, frame.body_len);
	return atid_row_datum(fcinfo, values, nulls);
}


/*
 * Events
 */

/* So many bytes may come from blocks that another operation has named before. */
#define REPEATED_MAX	(16 * (uint64) ATID_COMMIT_BLOCKS_MAX)

/*
 * An event that is read, and the CAR in it.  It lies in the memory context of the call, and
 * points into the frame.
 */
typedef struct EventReading
{
	bool		is_event;		/* a frame of a #commit or #sync, without a
								 * problem so far */
	AtidEventKind kind;
	const uint8_t *bytes;		/* the frame: problems have places in it */
	size_t		body_at;
	AtidEvent	event;			/* its offsets are in the body */
	AtidArchive archive;		/* where problems are noted, open or not */
	AtidCommit	commit;
	AtidCarSection section;		/* the commit's */
	AtidMstWalk walk;
	uint64		repeated;		/* bytes of blocks that were found before */
} EventReading;

/*
 * Note what is wrong with an event, or untrue in it.  Returns false.
 */
static bool
event_problem(EventReading *reading, AtidFault fault)
{
	return atid_archive_problem(&reading->archive, fault, NULL, NULL);
}

static bool
event_problem_at(EventReading *reading, AtidFault fault, size_t at)
{
	return atid_archive_problem(&reading->archive, fault,
								atid_fault_at_byte(fault, reading->body_at + at), NULL);
}

static bool
path_problem(EventReading *reading, AtidFault fault, const void *path, size_t len)
{
	return atid_archive_problem(&reading->archive, fault, NULL,
								psprintf("The path is \"%s\".", atid_quote(path, len)));
}

/*
 * Likewise with a CID: what is its role at the path, "CID", "value" or "node".
 */
static bool
cid_problem(EventReading *reading, AtidFault fault, const void *path, size_t len, const char *what,
			const uint8_t *cid, size_t cid_len)
{
	return atid_archive_problem(&reading->archive, fault, NULL,
								psprintf("The path is \"%s\", the %s is \"%s\".",
										 atid_quote(path, len), what,
										 atid_quote_cid(cid, cid_len)));
}

/*
 * Read the frame that is the first argument, and the event in it.  If the frame has a fault,
 * or its event has, a problem is noted.
 */
static EventReading *
read_event(FunctionCallInfo fcinfo)
{
	EventReading *reading = palloc(sizeof(EventReading));
	AtidEvent  *event = &reading->event;
	AtidFrame	frame;
	bytea	   *bytes;
	AtidFault	fault = parse_frame(fcinfo, &frame, &bytes);

	memset(&reading->archive, 0, sizeof(reading->archive));
	reading->is_event = false;
	reading->walk.entries = NULL;
	reading->repeated = 0;
	if (fault == ATID_FRAME_LARGE)
		event_problem(reading, fault);
	else if (fault != ATID_OK)
		atid_archive_problem(&reading->archive, fault, atid_fault_at_byte(fault, frame.at), NULL);
	else if (atid_event_kind(&frame, &reading->kind))
	{
		reading->bytes = (const uint8_t *) VARDATA_ANY(bytes);
		reading->body_at = frame.body - reading->bytes;
		fault = atid_event_parse(frame.body, frame.body_len, reading->kind, event);
		reading->is_event = fault == ATID_OK || event_problem_at(reading, fault, event->at);
	}
	return reading;
}

/*
 * Likewise for a function that is about one kind of event.  NULL if it is no such event, or
 * has a problem.
 */
static EventReading *
read_event_of(FunctionCallInfo fcinfo, AtidEventKind kind)
{
	EventReading *reading = read_event(fcinfo);

	return reading->is_event && reading->kind == kind ? reading : NULL;
}

static uint64
tid_of(const char *text)
{
	uint64_t	tid = 0;

	atid_tid_from_text(text, &tid);
	return tid;
}

static Datum
time_datum(const AtidEvent *event)
{
	return PointerGetDatum(cstring_to_text_with_len(event->time, (int) event->time_len));
}

/*
 * commit_event(frame bytea): the fields of a #commit, without its operations.
 */
PG_FUNCTION_INFO_V1(atid_commit_event);
Datum
atid_commit_event(PG_FUNCTION_ARGS)
{
	const EventReading *reading = read_event_of(fcinfo, ATID_EVENT_IS_COMMIT);
	const AtidEvent *event;
	Datum		values[8] = {0};
	bool		nulls[8] = {0};

	if (reading == NULL)
		PG_RETURN_NULL();
	event = &reading->event;
	values[0] = Int64GetDatum(event->seq);
	values[1] = atid_did_datum(event->did, event->did_len);
	values[2] = UInt64GetDatum(tid_of(event->rev));
	nulls[3] = event->since == NULL;
	if (event->since != NULL)
		values[3] = UInt64GetDatum(tid_of(event->since));
	values[4] = atid_bytes_datum(event->commit, ATID_CID_BLESSED_LEN);
	nulls[5] = event->prev_data == NULL;
	if (event->prev_data != NULL)
		values[5] = atid_bytes_datum(event->prev_data, ATID_CID_BLESSED_LEN);
	values[6] = atid_bytes_datum(event->blocks, event->blocks_len);
	values[7] = time_datum(event);
	return atid_row_datum(fcinfo, values, nulls);
}

/*
 * sync_event(frame bytea): the fields of a #sync.
 */
PG_FUNCTION_INFO_V1(atid_sync_event);
Datum
atid_sync_event(PG_FUNCTION_ARGS)
{
	const EventReading *reading = read_event_of(fcinfo, ATID_EVENT_IS_SYNC);
	const AtidEvent *event;
	Datum		values[5] = {0};
	bool		nulls[5] = {0};

	if (reading == NULL)
		PG_RETURN_NULL();
	event = &reading->event;
	values[0] = Int64GetDatum(event->seq);
	values[1] = atid_did_datum(event->did, event->did_len);
	values[2] = UInt64GetDatum(tid_of(event->rev));
	values[3] = atid_bytes_datum(event->blocks, event->blocks_len);
	values[4] = time_datum(event);
	return atid_row_datum(fcinfo, values, nulls);
}

/*
 * Find the block of an operation's record.  Returns false where it is not the one of its
 * CID, or where too many bytes would be handed out again and again.  Where the CAR has
 * none, or there is no record, section->block is NULL.
 */
static bool
find_record(EventReading *reading, const AtidEventOperation *op, AtidCarSection *section)
{
	AtidArchiveBlock found = ATID_ARCHIVE_MISSING;

	if (op->cid != NULL)
		found = atid_archive_block(&reading->archive, op->cid, op->cid_len, section);
	if (found == ATID_ARCHIVE_MISSING)
		section->block = NULL;
	if (found == ATID_ARCHIVE_REPEATED)
	{
		reading->repeated += section->block_len;
		if (reading->repeated > REPEATED_MAX)
			return path_problem(reading, ATID_REPO_REPEATED, op->path, op->path_len);
	}
	return found != ATID_ARCHIVE_BAD;
}

/*
 * commit_event_ops(frame bytea): action, collection, rkey, cid, prev, block, in the order of the
 * event; no rows if a block is not that of its CID.
 */
PG_FUNCTION_INFO_V1(atid_commit_event_ops);
Datum
atid_commit_event_ops(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext row;
	EventReading *reading;
	const AtidEvent *event;
	AtidCarSection *sections;
	bool		good;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reading = read_event_of(fcinfo, ATID_EVENT_IS_COMMIT);
	if (reading == NULL)
		return (Datum) 0;

	event = &reading->event;
	sections = palloc(Max(event->op_count, 1) * sizeof(AtidCarSection));
	good = atid_archive_open_within(&reading->archive, reading->bytes, event->blocks,
									event->blocks_len, ATID_ARCHIVE_INDEX);
	for (size_t i = 0; i < event->op_count && good; i++)
		good = find_record(reading, &event->ops[i], &sections[i]);

	row = AllocSetContextCreate(CurrentMemoryContext, "atid row", ALLOCSET_DEFAULT_SIZES);
	for (size_t i = 0; i < event->op_count && good; i++)
	{
		const AtidEventOperation *op = &event->ops[i];
		const AtidCarSection *section = &sections[i];
		const char *action = atid_event_action_name(op->action);
		MemoryContext caller = MemoryContextSwitchTo(row);
		Datum		values[6] = {0};
		bool		nulls[6] = {0};

		values[0] = atid_bytes_datum((const uint8_t *) action, strlen(action));
		values[1] = atid_bytes_datum((const uint8_t *) op->path, op->collection_len);
		values[2] = atid_bytes_datum((const uint8_t *) op->path + op->collection_len + 1,
									 op->path_len - op->collection_len - 1);
		nulls[3] = op->cid == NULL;
		if (op->cid != NULL)
			values[3] = atid_bytes_datum(op->cid, op->cid_len);
		nulls[4] = op->prev == NULL;
		if (op->prev != NULL)
			values[4] = atid_bytes_datum(op->prev, op->prev_len);
		nulls[5] = section->block == NULL;
		if (section->block != NULL)
			values[5] = atid_bytes_datum(section->block, section->block_len);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row);
	}
	MemoryContextDelete(row);
	atid_archive_close(&reading->archive);
	return (Datum) 0;
}


/*
 * What is untrue in an event
 */

/*
 * Is the revision's time at most the second argument?  A revision whose top bit is set has no
 * time, and is after all times.
 */
static bool
check_time(FunctionCallInfo fcinfo, EventReading *reading)
{
	const char *rev = reading->event.rev;
	uint64		us = atid_tid_us(tid_of(rev));
	TimestampTz not_after;

	if (PG_ARGISNULL(1))
		return true;
	not_after = PG_GETARG_TIMESTAMPTZ(1);
	if (TIMESTAMP_IS_NOEND(not_after))
		return true;
	if (!TIMESTAMP_IS_NOBEGIN(not_after) && us < ATID_TID_US_END &&
		(TimestampTz) us - ATID_POSTGRES_EPOCH_US <= not_after)
		return true;

	/* the head of a text of 13 characters has one byte */
	return event_problem_at(reading, ATID_EVENT_NOT_AFTER,
							(const uint8_t *) rev - 1 - reading->bytes - reading->body_at);
}

/*
 * Open the CAR, and compare its commit with the event.
 */
static bool
check_commit(EventReading *reading)
{
	const AtidEvent *event = &reading->event;
	const AtidCommit *commit = &reading->commit;
	const AtidCarSection *section = &reading->section;

	if (!atid_archive_open_within(&reading->archive, reading->bytes, event->blocks,
								  event->blocks_len, ATID_ARCHIVE_INDEX) ||
		!atid_archive_commit(&reading->archive, &reading->commit, &reading->section))
		return false;
	if (event->commit != NULL && memcmp(event->commit, section->cid, ATID_CID_BLESSED_LEN) != 0)
		return event_problem(reading, ATID_EVENT_ROOT);
	if (commit->version != ATID_COMMIT_VERSION)
		return event_problem(reading, ATID_EVENT_COMMIT_VERSION);
	if (commit->did_len != event->did_len ||
		memcmp(commit->did, event->did, event->did_len) != 0)
		return event_problem(reading, ATID_EVENT_COMMIT_ACCOUNT);
	if (strncmp(commit->rev, event->rev, ATID_TID_TEXT_LEN) != 0)
		return event_problem(reading, ATID_EVENT_COMMIT_REV);
	return true;
}

/*
 * Is the record there that an operation has put, and of a size that records have?
 */
static bool
check_record(EventReading *reading, const AtidEventOperation *op)
{
	AtidCarSection section;

	if (op->cid == NULL)
		return true;
	if (!find_record(reading, op, &section))
		return false;
	if (section.block == NULL)
		return cid_problem(reading, ATID_REPO_RECORD_MISSING, op->path, op->path_len, "CID",
						   op->cid, op->cid_len);
	return section.block_len <= ATID_EVENT_RECORD_MAX ||
		path_problem(reading, ATID_EVENT_RECORD_LARGE, op->path, op->path_len);
}

/*
 * Note the fault of an inversion.
 */
static bool
inversion_problem(EventReading *reading, const AtidMstInversion *inversion, AtidFault fault)
{
	const AtidMstOperation *op = inversion->operation;

	if (inversion->in_tree)
		return atid_archive_walk_problem(&reading->archive, &reading->walk);
	if (op == NULL && fault == ATID_MST_NEEDED)
		return atid_archive_problem(&reading->archive, fault, NULL,
									psprintf("The node is \"%s\".",
											 atid_quote_cid(inversion->node, ATID_MST_CID_LEN)));
	if (op == NULL)
		return event_problem(reading, fault);
	if (fault == ATID_MST_NEEDED)
		return cid_problem(reading, fault, op->key, op->key_len, "node", inversion->node,
						   ATID_MST_CID_LEN);
	if (fault == ATID_MST_OTHER_VALUE)
		return cid_problem(reading, fault, op->key, op->key_len, "value", inversion->value,
						   inversion->value_len);
	return path_problem(reading, fault, op->key, op->key_len);
}

/*
 * Undo the operations in the tree, and compare the root.
 */
static bool
check_inversion(EventReading *reading, const AtidMstOperation *operations)
{
	const AtidEvent *event = &reading->event;
	const uint8_t *wanted = event->prev_data == NULL ? empty_tree : event->prev_data;
	AtidMstInversion inversion;
	AtidFault	fault;
	uint8_t		root[ATID_MST_CID_LEN];

	/* the previous value must be given */
	for (size_t i = 0; i < event->op_count; i++)
	{
		const AtidEventOperation *op = &event->ops[i];

		if (op->action != ATID_EVENT_CREATE && op->prev == NULL)
			return path_problem(reading, ATID_EVENT_NO_PREV, op->path, op->path_len);
	}
	atid_mst_walk_begin(&reading->walk, &reading->archive.caller, reading->commit.data);
	reading->walk.trusting = true;
	fault = atid_mst_undo(&inversion, &reading->walk, &reading->archive.caller, operations,
						  event->op_count, root);
	if (fault != ATID_OK)
		return inversion_problem(reading, &inversion, fault);
	if (memcmp(root, wanted, sizeof(root)) == 0)
		return true;
	if (event->prev_data == NULL)
		return event_problem(reading, ATID_EVENT_NOT_ALL);
	return atid_archive_problem(&reading->archive, ATID_EVENT_INVERSION, NULL,
								psprintf("They lead to \"%s\".",
										 atid_quote_cid(root, sizeof(root))));
}

/*
 * Compare the operations with the tree alone: it has what they have put, and not what
 * they have deleted.
 */
static bool
check_presence(EventReading *reading, const AtidMstOperation *operations)
{
	AtidMstInversion inversion;
	AtidFault	fault;

	atid_mst_walk_begin(&reading->walk, &reading->archive.caller, reading->commit.data);
	fault = atid_mst_compare(&inversion, &reading->walk, operations, reading->event.op_count);
	return fault == ATID_OK || inversion_problem(reading, &inversion, fault);
}

/*
 * Compare the operations with the CAR.
 */
static bool
check_operations(EventReading *reading, bool prev_data_optional)
{
	const AtidEvent *event = &reading->event;
	AtidMstOperation *operations = palloc(Max(event->op_count, 1) * sizeof(AtidMstOperation));
	const AtidMstOperation *twice;

	if (event->since != NULL && strncmp(event->since, event->rev, ATID_TID_TEXT_LEN) >= 0)
		return event_problem(reading, ATID_EVENT_SINCE_LATE);
	for (size_t i = 0; i < event->op_count; i++)
	{
		const AtidEventOperation *op = &event->ops[i];

		operations[i].key = (const uint8_t *) op->path;
		operations[i].key_len = op->path_len;
		operations[i].old = op->prev;
		operations[i].old_len = op->prev_len;
		operations[i].new = op->cid;
		operations[i].new_len = op->cid_len;
	}
	twice = atid_sort_operations(operations, event->op_count);
	if (twice != NULL)
		return path_problem(reading, ATID_EVENT_PATH_TWICE, twice->key, twice->key_len);
	if (event->prev_data == NULL && !prev_data_optional && event->since != NULL)
		return event_problem(reading, ATID_EVENT_NO_PREV_DATA);
	for (size_t i = 0; i < event->op_count; i++)
	{
		if (!check_record(reading, &event->ops[i]))
			return false;
	}
	if (event->prev_data == NULL && prev_data_optional)
		return check_presence(reading, operations);
	return check_inversion(reading, operations);
}

/*
 * event_problem(frame bytea, not_after timestamptz, prev_data_optional bool): why it is no
 * frame; of a #commit or #sync, what is untrue in it; or NULL.
 */
PG_FUNCTION_INFO_V1(atid_event_problem);
Datum
atid_event_problem(PG_FUNCTION_ARGS)
{
	EventReading *reading;
	const char *problem;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	reading = read_event(fcinfo);
	if (reading->is_event && check_time(fcinfo, reading) && check_commit(reading) &&
		reading->kind == ATID_EVENT_IS_COMMIT)
		check_operations(reading, !PG_ARGISNULL(2) && PG_GETARG_BOOL(2));
	problem = reading->archive.problem;
	if (reading->walk.entries != NULL)
		atid_mst_walk_end(&reading->walk);
	atid_archive_close(&reading->archive);
	pfree(reading);
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}
