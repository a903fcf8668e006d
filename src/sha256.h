/*-------------------------------------------------------------------------
 *
 * sha256.h
 *		SHA-256 by the server's code; a cancel can end it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SHA256_H
#define ATID_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct pg_cryptohash_ctx;

/*
 * A context for any number of hashes.  The caller frees it; after an error the
 * resource owner does.
 */
extern struct pg_cryptohash_ctx *atid_sha256_begin(void);

/*
 * The digest of len bytes.
 */
extern void atid_sha256(struct pg_cryptohash_ctx *hash, const void *data, size_t len,
						uint8_t digest[32]);

/*
 * The same with a context of its own.
 */
extern void atid_sha256_once(const void *data, size_t len, uint8_t digest[32]);

#endif							/* ATID_SHA256_H */
