/*-------------------------------------------------------------------------
 *
 * mst_tools.h
 *		What codec/repository/mst*.c needs besides blocks: hashes, and memory from a context.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MST_TOOLS_H
#define ATID_MST_TOOLS_H

/* If an AtidMstCaller has the functions below, its arg must be a struct that begins with this. */
typedef struct AtidMstTools
{
	struct pg_cryptohash_ctx *hash;
	MemoryContext context;
} AtidMstTools;

/* AtidMstCaller.sha256 and .alloc.  They raise an error where hashing fails, or memory is out. */
extern void atid_mst_tools_sha256(void *arg, const void *data, size_t len, uint8_t digest[32]);
extern void *atid_mst_tools_alloc(void *arg, void *old, size_t size);

#endif							/* ATID_MST_TOOLS_H */
