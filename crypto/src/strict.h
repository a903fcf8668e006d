/*-------------------------------------------------------------------------
 *
 * strict.h
 *		Rules that the specification of PLC has for an operation, and practice has not kept.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_STRICT_H
#define ATID_STRICT_H

#include "keyring.h"
#include "operation.h"

/*
 * Checks an operation whose block with sig has len bytes.
 *
 * Returns ATID_OK, or the rule that is broken; then *path is the place in the operation, in
 * memory of the current context or static.  Raises an error if a library cannot be used.
 */
extern AtidFault atid_check_strict(AtidKeyring *ring, const AtidOperation *operation, size_t len,
								   const char **path);

#endif							/* ATID_STRICT_H */
