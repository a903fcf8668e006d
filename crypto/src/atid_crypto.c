/*-------------------------------------------------------------------------
 *
 * atid_crypto.c
 *		Who signed a commit, label or operation of the AT Protocol.
 *
 * The module's entry point: what the server must know of it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include <secp256k1.h>

#include "compat.h"

ATID_MODULE_MAGIC("atid_crypto");

void		_PG_init(void);

/*
 * libsecp256k1 asks for a look at how it was compiled before its static context
 * is used.
 */
void
_PG_init(void)
{
	secp256k1_selftest();
}
