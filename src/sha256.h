/*-------------------------------------------------------------------------
 *
 * sha256.h
 *		SHA-256, and any hash's input, by the server's code; a cancel can end them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SHA256_H
#define ATID_SHA256_H

#include <stdbool.h>
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

/*
 * Add len bytes to a hash of any kind that has begun.  Returns false if the server's code
 * has failed; pg_cryptohash_error() says why.
 */
extern bool atid_hash_update(struct pg_cryptohash_ctx *hash, const void *data, size_t len);

#endif							/* ATID_SHA256_H */
