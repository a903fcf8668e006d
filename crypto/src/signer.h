/*-------------------------------------------------------------------------
 *
 * signer.h
 *		Which rotation key has signed an operation of the DID method PLC.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SIGNER_H
#define ATID_SIGNER_H

#include "utils/jsonb.h"

#include "keyring.h"
#include "operation.h"

/*
 * The key of a string in an operation, good until another key is looked for.  NULL if the
 * string is not a did:key of a curve that the protocol has.
 */
extern AtidVerifier *atid_verifier_of_string(AtidKeyring *ring, const JsonbValue *string);

/*
 * Finds the rotation key that has signed an operation, trying them in order.
 *
 * Returns ATID_OK and sets *signer to the index of the key.  Otherwise returns
 * ATID_LOG_SIGNER, or ATID_LOG_SIGNER_MALFORMED where a malformed key stands before the one
 * that signed, or before the end of the list; or what is wrong with the signature itself.
 * Raises an error if a library cannot be used.
 */
extern AtidFault atid_find_signer(AtidKeyring *ring, const AtidRotationKeys *keys,
								  const AtidOperation *operation, int *signer);

/*
 * Finds the rotation key that has signed a fork.  The keys are those that have enough
 * authority, all well-formed.
 *
 * Returns ATID_OK and sets *signer to the index of the key, or ATID_LOG_SIGNER_LOWER.
 * Raises an error if a library cannot be used.
 */
extern AtidFault atid_find_signer_of_fork(AtidKeyring *ring, const AtidRotationKeys *keys,
										  const AtidOperation *operation, int *signer);

#endif							/* ATID_SIGNER_H */
