/*-------------------------------------------------------------------------
 *
 * atid_crypto.c
 *		The entry point of the module atid_crypto, which verifies signatures of
 *		commits, labels and operations of the AT Protocol.
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
 * libsecp256k1 requires this test before its static context is used.  atid's library
 * is loaded here, because the first call of it may be in a parallel query, where a
 * library should not be loaded.  load_file() would look in $libdir only, and from 18 on
 * the library may be elsewhere in dynamic_library_path.
 */
void
_PG_init(void)
{
	secp256k1_selftest();
	(void) load_external_function(ATID_LIBRARY, "_PG_init", true, NULL);
}
