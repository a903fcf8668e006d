/*-------------------------------------------------------------------------
 *
 * operation.h
 *		Operations of the DID method PLC: their form, their parts, and their DAG-CBOR.
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

/*
 * The name of a type, as the field "type" has it.
 */
extern const char *atid_operation_type_name(AtidOperationType type);

/*
 * Does every operation of this type have this field?  If not, none does.
 */
extern bool atid_operation_has(AtidOperationType type, const char *name);

/*
 * Does it end the log, so that no operation may follow it?
 */
extern bool atid_operation_is_last(AtidOperationType type);

/* An operation whose form has been checked. */
typedef struct AtidOperation
{
	AtidOperationType type;
	bool		genesis;		/* prev is null */
	uint8_t		signature[ATID_SIGNATURE_LEN];
	JsonbContainer *object;		/* as it was given */
} AtidOperation;

/*
 * Checks the form of an operation.
 *
 * Returns NULL and sets *operation, which points into json; or returns why it is not an
 * operation, a path and the rule, in memory of the current context.  Then *operation is
 * undefined.  Raises no error.
 */
extern char *atid_operation_read(JsonbContainer *json, AtidOperation *operation);

/*
 * The DAG-CBOR of an operation, with its sig or without: memory of the current context.
 * Sets *len.
 */
extern uint8_t *atid_operation_block(const AtidOperation *operation, bool with_sig,
									 size_t *len);

/* The DID of a genesis operation, without terminator. */
#define ATID_PLC_DID_LEN 32

/*
 * Writes the DID that a genesis operation makes, by the SHA-256 of its block with sig.
 */
extern void atid_operation_did(const uint8_t digest[ATID_DIGEST_LEN], char did[ATID_PLC_DID_LEN]);

/*
 * Sets *value to a field of an operation.  Its form has been checked and it has the field:
 * otherwise an error is raised.  The value points into the object.
 */
extern void atid_operation_field(JsonbContainer *object, const char *name, JsonbValue *value);

/* The rotation keys of an operation, or the first of them.  It points into the operation. */
typedef struct AtidRotationKeys
{
	JsonbContainer *operation;
	JsonbContainer *list;		/* of an update, or NULL */
	int			count;
} AtidRotationKeys;

/*
 * The rotation keys of an operation whose form has been checked: those of a create are its
 * recovery key and its signing key, and a tombstone has none.
 */
extern AtidRotationKeys atid_rotation_keys(JsonbContainer *object, AtidOperationType type);

/*
 * Sets *key to the rotation key with this index, a string as it stands in the operation.
 */
extern void atid_rotation_key(const AtidRotationKeys *keys, int index, JsonbValue *key);

#endif							/* ATID_OPERATION_H */
