/*-------------------------------------------------------------------------
 *
 * mst_tools.c
 *		What codec/repository/mst*.c needs besides blocks: hashes, and memory from a context.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "repository/mst_tools.h"
#include "sha256.h"

void
atid_mst_tools_sha256(void *arg, const void *data, size_t len, uint8_t digest[32])
{
	const AtidMstTools *tools = arg;

	CHECK_FOR_INTERRUPTS();
	atid_sha256(tools->hash, data, len, digest);
}

void *
atid_mst_tools_alloc(void *arg, void *old, size_t size)
{
	const AtidMstTools *tools = arg;

	if (old == NULL)
		return MemoryContextAlloc(tools->context, size);
	if (size > 0)
		return repalloc(old, size);
	pfree(old);
	return NULL;
}
