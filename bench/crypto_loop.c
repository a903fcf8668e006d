/*-------------------------------------------------------------------------
 *
 * crypto_loop.c
 *                The baseline of bench/crypto: the two libraries alone, in a loop.
 *
 *		crypto_loop make N		signs N random messages with a key of each curve, and
 *								prints them: curve, message, r and s, point, in hex
 *		crypto_loop verify FILE	reads such lines, then measures a curve for each line
 *								"p256" or "k256" of its input: prints the nanoseconds of
 *								processor time that verifying all its signatures took
 *
 * The measured code takes a known digest, a parsed key, and a signature in the form that the
 * library expects (for OpenSSL, DER).
 *
 *-------------------------------------------------------------------------
 */
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <secp256k1.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MESSAGE_LEN 200
#define MUST(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "crypto_loop: line %d: failed: %s\n", __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

typedef struct Signature
{
	bool		k256;
	uint8_t		digest[32];
	uint8_t		compact[64];
	uint8_t		der[80];
	int			der_len;
} Signature;

static secp256k1_pubkey k256_key;
static EVP_PKEY_CTX * p256_key;

static void
sha256(const uint8_t *message, uint8_t *digest)
{
	MUST(EVP_Digest(message, MESSAGE_LEN, digest, NULL, EVP_sha256(), NULL) == 1);
}

static void
print_hex(const uint8_t *bytes, size_t len, char end)
{
	for (size_t i = 0; i < len; i++)
		printf("%02x", bytes[i]);
	putchar(end);
}

static void
read_hex(const char *hex, uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		unsigned	byte;

		MUST(sscanf(hex + 2 * i, "%2x", &byte) == 1);
		bytes[i] = (uint8_t) byte;
	}
}

static void
print_row(const char *curve, const uint8_t *message, const uint8_t *compact, const uint8_t *point)
{
	printf("%s\t", curve);
	print_hex(message, MESSAGE_LEN, '\t');
	print_hex(compact, 64, '\t');
	print_hex(point, 33, '\n');
}

static void
make_k256(int count)
{
	secp256k1_context *ctx = secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
	uint8_t		secret[32];
	uint8_t		point[33];
	size_t		point_len = sizeof(point);
	secp256k1_pubkey key;

	MUST(RAND_bytes(secret, sizeof(secret)) == 1);
	MUST(secp256k1_ec_pubkey_create(ctx, &key, secret));
	secp256k1_ec_pubkey_serialize(ctx, point, &point_len, &key, SECP256K1_EC_COMPRESSED);
	for (int i = 0; i < count; i++)
	{
		uint8_t		message[MESSAGE_LEN];
		uint8_t		digest[32];
		uint8_t		compact[64];
		secp256k1_ecdsa_signature signature;

		MUST(RAND_bytes(message, sizeof(message)) == 1);
		sha256(message, digest);
		MUST(secp256k1_ecdsa_sign(ctx, &signature, digest, secret, NULL, NULL));
		secp256k1_ecdsa_signature_serialize_compact(ctx, compact, &signature);
		print_row("k256", message, compact, point);
	}
	secp256k1_context_destroy(ctx);
}

static void
make_p256(int count)
{
	EVP_PKEY   *key = EVP_EC_gen("P-256");
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
	BIGNUM	   *order = NULL;
	uint8_t		uncompressed[65];
	uint8_t		point[33];
	size_t		len;

	MUST(ctx != NULL && EVP_PKEY_sign_init(ctx) == 1);
	MUST(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, uncompressed,
										 sizeof(uncompressed), &len) == 1 && len == 65);
	point[0] = 2 + uncompressed[64] % 2;
	memcpy(point + 1, uncompressed + 1, 32);
	MUST(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_ORDER, &order) == 1);
	for (int i = 0; i < count; i++)
	{
		uint8_t		message[MESSAGE_LEN];
		uint8_t		digest[32];
		uint8_t		compact[64];
		uint8_t		der[80];
		const uint8_t *p = der;
		ECDSA_SIG  *signature;
		BIGNUM	   *low = BN_new();

		len = sizeof(der);
		MUST(RAND_bytes(message, sizeof(message)) == 1);
		sha256(message, digest);
		MUST(EVP_PKEY_sign(ctx, der, &len, digest, sizeof(digest)) == 1);
		signature = d2i_ECDSA_SIG(NULL, &p, (long) len);
		MUST(signature != NULL && low != NULL && BN_sub(low, order, ECDSA_SIG_get0_s(signature)));
		if (BN_cmp(low, ECDSA_SIG_get0_s(signature)) > 0)
			MUST(BN_copy(low, ECDSA_SIG_get0_s(signature)) != NULL);
		MUST(BN_bn2binpad(ECDSA_SIG_get0_r(signature), compact, 32) == 32);
		MUST(BN_bn2binpad(low, compact + 32, 32) == 32);
		print_row("p256", message, compact, point);
		BN_free(low);
		ECDSA_SIG_free(signature);
	}
}

/*
 * Make the keys of the two curves ready; all rows of a curve have the same keys.
 */
static void
parse_key(bool k256, uint8_t *point)
{
	if (k256)
		MUST(secp256k1_ec_pubkey_parse(secp256k1_context_static, &k256_key, point, 33));
	else if (p256_key == NULL)
	{
		EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
		EVP_PKEY   *key = NULL;
		OSSL_PARAM	params[] = {
			OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0),
			OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, 33),
			OSSL_PARAM_END
		};

		MUST(maker != NULL && EVP_PKEY_fromdata_init(maker) == 1);
		MUST(EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, params) == 1);
		p256_key = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
		MUST(p256_key != NULL && EVP_PKEY_verify_init(p256_key) == 1);
	}
}

static size_t
read_signatures(const char *name, Signature **signatures)
{
	FILE	   *file = fopen(name, "r");
	static char line[1024];
	size_t		count = 0;
	size_t		size = 0;

	MUST(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		uint8_t		message[MESSAGE_LEN];
		uint8_t		point[33];
		char	   *field = line + 5;
		Signature  *s;

		if (count == size)
		{
			size = size ? 2 * size : 1024;
			*signatures = realloc(*signatures, size * sizeof(Signature));
			MUST(*signatures != NULL);
		}
		s = &(*signatures)[count++];
		s->k256 = line[0] == 'k';
		read_hex(field, message, sizeof(message));
		sha256(message, s->digest);
		field += 2 * sizeof(message) + 1;
		read_hex(field, s->compact, sizeof(s->compact));
		field += 2 * sizeof(s->compact) + 1;
		read_hex(field, point, sizeof(point));
		parse_key(s->k256, point);
		if (!s->k256)
		{
			ECDSA_SIG  *signature = ECDSA_SIG_new();
			uint8_t    *p = s->der;

			ECDSA_SIG_set0(signature, BN_bin2bn(s->compact, 32, NULL),
						   BN_bin2bn(s->compact + 32, 32, NULL));
			s->der_len = i2d_ECDSA_SIG(signature, &p);
			ECDSA_SIG_free(signature);
		}
	}
	fclose(file);
	return count;
}

static long long
processor_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long
measure(const Signature *signatures, size_t count, bool k256)
{
	long long	begin = processor_time();

	for (size_t i = 0; i < count; i++)
	{
		const Signature *s = &signatures[i];

		if (s->k256 != k256)
			continue;
		if (k256)
		{
			secp256k1_ecdsa_signature signature;

			MUST(secp256k1_ecdsa_signature_parse_compact(secp256k1_context_static, &signature,
														 s->compact));
			MUST(secp256k1_ecdsa_verify(secp256k1_context_static, &signature, s->digest,
										&k256_key));
		}
		else
			MUST(EVP_PKEY_verify(p256_key, s->der, (size_t) s->der_len, s->digest, 32) == 1);
	}
	return processor_time() - begin;
}

int
main(int argc, char **argv)
{
	char		curve[16];
	Signature  *signatures = NULL;
	size_t		count;

	MUST(argc == 3);
	if (strcmp(argv[1], "make") == 0)
	{
		make_k256(atoi(argv[2]));
		make_p256(atoi(argv[2]));
		return 0;
	}
	count = read_signatures(argv[2], &signatures);
	while (fgets(curve, sizeof(curve), stdin) != NULL)
	{
		printf("%lld\n", measure(signatures, count, curve[0] == 'k'));
		fflush(stdout);
	}
	return 0;
}
