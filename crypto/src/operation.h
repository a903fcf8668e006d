/*-------------------------------------------------------------------------
 *
 * operation.h
 *		Operations of the DID method PLC: their form, and their DAG-CBOR.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_OPERATION_H
#define ATID_OPERATION_H

#include "utils/jsonb.h"

#include "signature.h"

/* The types of operations, as bits of a set. */
typedef enum AtidOperationType
{
	ATID_OPERATION_UPDATE = 1,	/* plc_operation */
	ATID_OPERATION_CREATE = 2,	/* create */
	ATID_OPERATION_TOMBSTONE = 4	/* plc_tombstone */
} AtidOperationType;

/* An operation whose form has been checked. */
typedef struct AtidOperation
{
	AtidOperationType type;
	bool		genesis;		/* prev is null */
	uint8_t		signature[ATID_SIGNATURE_LEN];
	JsonbContainer *object;
} AtidOperation;

extern char *atid_operation_read(JsonbContainer *json, AtidOperation *operation);
extern uint8_t *atid_operation_block(const AtidOperation *operation, bool with_sig,
									 size_t *len);

/* The DID of a genesis operation, without terminator. */
#define ATID_PLC_DID_LEN 32

extern void atid_operation_did(const uint8_t digest[ATID_DIGEST_LEN], char did[ATID_PLC_DID_LEN]);

#endif							/* ATID_OPERATION_H */
