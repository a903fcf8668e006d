/*-------------------------------------------------------------------------
 *
 * event.h
 *		The events #commit and #sync of a repository's event stream.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_EVENT_H
#define ATID_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"
#include "codec/limits.h"
#include "codec/repository/frame.h"

/* The greatest "seq". */
#define ATID_EVENT_SEQ_MAX (INT64_C(9007199254740992) - 1)

typedef enum AtidEventKind
{
	ATID_EVENT_IS_COMMIT,
	ATID_EVENT_IS_SYNC
} AtidEventKind;

typedef enum AtidEventAction
{
	ATID_EVENT_CREATE,
	ATID_EVENT_UPDATE,
	ATID_EVENT_DELETE
} AtidEventAction;

/*
 * An operation, in the body.  cid is NULL in a delete, and only there; prev is NULL in a
 * create, and in others that lack it.
 */
typedef struct AtidEventOperation
{
	AtidEventAction action;
	const char *path;			/* a collection, a slash, a record key */
	size_t		path_len;
	size_t		collection_len;
	const uint8_t *cid;
	size_t		cid_len;
	const uint8_t *prev;
	size_t		prev_len;
} AtidEventOperation;

/*
 * An event, all of it in the body that was parsed.  A #sync has no commit, since,
 * prev_data and operations.
 */
typedef struct AtidEvent
{
	int64_t		seq;
	const char *did;			/* "repo" of a #commit */
	size_t		did_len;
	const char *time;
	size_t		time_len;
	const char *rev;			/* 13 characters */
	const char *since;			/* the same, or NULL */
	const uint8_t *commit;		/* a CID of ATID_CID_BLESSED_LEN bytes */
	const uint8_t *prev_data;	/* the same, or NULL */
	const uint8_t *blocks;
	size_t		blocks_len;

	size_t		at;				/* where the fault is, an offset into the body */

	size_t		op_count;
	AtidEventOperation ops[ATID_EVENT_OPERATIONS_MAX];
} AtidEvent;

/*
 * Is the frame a #commit or a #sync?  If so, sets *kind.
 */
extern bool atid_event_kind(const AtidFrame *frame, AtidEventKind *kind);

/*
 * Parse an event.  The form of its fields is looked at, and nothing that the CAR in it
 * has to show.  On a fault event->at is the place in the body: of a field that is absent,
 * the beginning of the map that it is absent from.
 */
ATID_NODISCARD extern AtidFault atid_event_parse(const uint8_t *body, size_t len,
												 AtidEventKind kind, AtidEvent *event);

/*
 * An action as it is written.
 */
extern const char *atid_event_action_name(AtidEventAction action);

#endif							/* ATID_EVENT_H */
