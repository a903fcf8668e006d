/*-------------------------------------------------------------------------
 *
 * log.h
 *		Logs of the DID method PLC: all operations of an account.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_LOG_H
#define ATID_LOG_H

#include "datatype/timestamp.h"
#include "utils/jsonb.h"

#include "keyring.h"
#include "operation.h"

/* In the place of an entry: there is none. */
#define ATID_LOG_NONE (-1)

/* The length of the text of an operation's CID. */
#define ATID_LOG_CID_LEN 59

/* An entry of a log, verified. */
typedef struct AtidLogEntry
{
	JsonbContainer *operation;
	const char *cid;			/* its text, of ATID_LOG_CID_LEN characters */
	TimestampTz created;
	int			prev;			/* the entry that the operation follows */
	int			signer;			/* the index of the rotation key, of that
								 * entry or, in the first, of this one */
	int			nullifier;		/* the entry that has nullified this one */
	AtidOperationType type;
	int8		claim;			/* nullified as the log has it; -1 where it
								 * says nothing */
} AtidLogEntry;

/* A log. */
typedef struct AtidLog
{
	const char *did;			/* of ATID_PLC_DID_LEN characters */
	AtidLogEntry *entries;
	int			count;
} AtidLog;

/*
 * Reads a log and verifies it; strict says whether operations must keep the rules that only
 * practice has broken.
 *
 * Returns NULL and sets *log: its entries are memory of the current context, their contents
 * point into json.  Or returns why the log is not valid, the place and the rule, in memory of
 * the current context; then *log is undefined.  Raises an error if a library cannot be used.
 */
extern char *atid_log_read(AtidLog *log, JsonbContainer *json, bool strict, AtidKeyring *ring);

#endif							/* ATID_LOG_H */
