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

#include "codec/multiformat.h"
#include "keyring.h"
#include "operation.h"

/* In the place of an entry or of a key: none. */
#define ATID_LOG_NONE (-1)

/* An entry of a log, verified. */
typedef struct AtidLogEntry
{
	JsonbContainer *operation;
	const char *cid;			/* its text, of ATID_LOG_CID_LEN characters */
	TimestampTz created;
	int			prev;			/* the entry that the operation follows, or
								 * none */
	int			signer;			/* which of that one's rotation keys has
								 * signed */
	int			nullifier;		/* the entry that has nullified this one, or
								 * none */
	AtidOperationType type;
	int8		claim;			/* nullified as the log has it; -1 where it
								 * says nothing */
} AtidLogEntry;

#define ATID_LOG_CID_LEN 59

/* A log; its entries point into the jsonb. */
typedef struct AtidLog
{
	const char *did;
	AtidLogEntry *entries;
	int			count;
} AtidLog;

extern char *atid_log_read(AtidLog *log, JsonbContainer *json, bool strict,
						   AtidKeyring *ring);
extern int	atid_log_key_count(const AtidLogEntry *entry);
extern void atid_log_key(const AtidLogEntry *entry, int index, JsonbValue *key);
extern void atid_log_field(const AtidLogEntry *entry, const char *name, JsonbValue *value);

#endif							/* ATID_LOG_H */
