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

#include "atidlib.h"
#include "compat.h"

ATID_MODULE_MAGIC("atid_crypto");

void		_PG_init(void);

/*
 * libsecp256k1 asks for a look at how it was compiled before its static context
 * is used.  atid's library is loaded with this one, which calls it, and not by
 * the first such call: that may be in a parallel query, where a library is better
 * not loaded first.
 */
void
_PG_init(void)
{
	secp256k1_selftest();
	load_file(ATID_LIBRARY, false);
}
