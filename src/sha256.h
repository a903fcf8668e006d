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
 * The digest of len bytes.
 */
extern void atid_sha256(const void *data, size_t len, uint8_t digest[32]);

/*
 * Add len bytes to a hash of any kind that has begun.  Returns false if the server's code
 * has failed; pg_cryptohash_error() says why.
 */
extern bool atid_hash_update(struct pg_cryptohash_ctx *hash, const void *data, size_t len);

#endif							/* ATID_SHA256_H */
