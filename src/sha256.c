/*-------------------------------------------------------------------------
 *
 * sha256.c
 *		SHA-256, and any hash's input, by the server's code; a cancel can end them.
 *
 * atid_crypto compiles this file too.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "common/sha2.h"
#include "miscadmin.h"

#include "sha256.h"

/* Bytes between two checks for interrupts. */
#define BYTES_AT_ONCE (1024 * 1024)

pg_cryptohash_ctx *
atid_sha256_begin(void)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);

	if (hash == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return hash;
}

bool
atid_hash_update(pg_cryptohash_ctx *hash, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len > BYTES_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		if (pg_cryptohash_update(hash, p, BYTES_AT_ONCE) < 0)
			return false;
		p += BYTES_AT_ONCE;
		len -= BYTES_AT_ONCE;
	}
	return pg_cryptohash_update(hash, p, len) >= 0;
}

void
atid_sha256(pg_cryptohash_ctx *hash, const void *data, size_t len, uint8_t digest[32])
{
	if (pg_cryptohash_init(hash) < 0 ||
		!atid_hash_update(hash, data, len) ||
		pg_cryptohash_final(hash, digest, PG_SHA256_DIGEST_LENGTH) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compute %s hash: %s", "SHA256",
						pg_cryptohash_error(hash))));
}

void
atid_sha256_once(const void *data, size_t len, uint8_t digest[32])
{
	pg_cryptohash_ctx *hash = atid_sha256_begin();

	atid_sha256(hash, data, len, digest);
	pg_cryptohash_free(hash);
}
