/*-------------------------------------------------------------------------
 *
 * sha256.c
 *		SHA-256, and any hash's input, by the server's code; a cancel can end them.
 *
 * The server's own interface lets OpenSSL 3 look the algorithm up for each hash, which takes
 * longer than to hash a record's key.  So where the server has OpenSSL 3, the algorithm is
 * looked up once, and one context of the process serves all hashes: each begins anew, whatever
 * an error or a cancel has left.
 *
 * That OpenSSL is the one that the server has loaded.  We link none, which might be another
 * beside it.  The symbols are weak, so they are NULL where there is no OpenSSL 3, and then the
 * server's interface hashes.  Where the format of libraries is not ELF, it always does.
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

#if defined(USE_OPENSSL) && defined(__ELF__)
#define HAVE_WEAK_OPENSSL

/* As <openssl/evp.h> has them, with void for its opaque types: the header need not be there. */
#define WEAK __attribute__((weak))
extern WEAK void *EVP_MD_fetch(void *libctx, const char *name, const char *properties);
extern WEAK void *EVP_MD_CTX_new(void);
extern WEAK int EVP_DigestInit_ex2(void *ctx, const void *md, const void *params);
extern WEAK int EVP_DigestUpdate(void *ctx, const void *data, size_t len);
extern WEAK int EVP_DigestFinal_ex(void *ctx, unsigned char *digest, unsigned int *len);
#endif

/*
 * Of so many bytes that are left, how many to hash before the next check for interrupts?
 */
static size_t
next_piece(size_t len)
{
	if (len <= BYTES_AT_ONCE)
		return len;
	CHECK_FOR_INTERRUPTS();
	return BYTES_AT_ONCE;
}

bool
atid_hash_update(pg_cryptohash_ctx *hash, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t		piece;

	do
	{
		piece = next_piece(len);
		if (pg_cryptohash_update(hash, p, piece) < 0)
			return false;
		p += piece;
		len -= piece;
	} while (len > 0);
	return true;
}

/*
 * By the server's interface.
 */
static void
hash_by_server(const void *data, size_t len, uint8_t digest[32])
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);

	if (hash == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	if (pg_cryptohash_init(hash) < 0 ||
		!atid_hash_update(hash, data, len) ||
		pg_cryptohash_final(hash, digest, PG_SHA256_DIGEST_LENGTH) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compute %s hash: %s", "SHA256",
						pg_cryptohash_error(hash))));
	pg_cryptohash_free(hash);
}

#ifdef HAVE_WEAK_OPENSSL

/*
 * By the server's OpenSSL; false if it is not there, or fails.
 */
static bool
hash_by_openssl(const void *data, size_t len, uint8_t digest[32])
{
	static void *sha256 = NULL;
	static void *hash = NULL;
	const uint8_t *p = data;
	size_t		piece;

	if (hash == NULL)
	{
		if (EVP_MD_fetch == NULL || EVP_MD_CTX_new == NULL || EVP_DigestInit_ex2 == NULL ||
			EVP_DigestUpdate == NULL || EVP_DigestFinal_ex == NULL)
			return false;
		if (sha256 == NULL)
			sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
		if (sha256 == NULL)
			return false;
		hash = EVP_MD_CTX_new();
		if (hash == NULL)
			return false;
	}
	if (EVP_DigestInit_ex2(hash, sha256, NULL) <= 0)
		return false;
	do
	{
		piece = next_piece(len);
		if (EVP_DigestUpdate(hash, p, piece) <= 0)
			return false;
		p += piece;
		len -= piece;
	} while (len > 0);
	return EVP_DigestFinal_ex(hash, digest, NULL) > 0;
}
#endif

void
atid_sha256(const void *data, size_t len, uint8_t digest[32])
{
#ifdef HAVE_WEAK_OPENSSL
	if (hash_by_openssl(data, len, digest))
	{
#ifdef USE_ASSERT_CHECKING
		uint8_t		other[PG_SHA256_DIGEST_LENGTH];

		hash_by_server(data, len, other);
		Assert(memcmp(digest, other, sizeof(other)) == 0);
#endif
		return;
	}
#endif
	hash_by_server(data, len, digest);
}
