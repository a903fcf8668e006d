/*-------------------------------------------------------------------------
 *
 * multikey.c
 *		Public keys as text: multikeys and did:key.
 *
 * Format (AT Protocol, "Public Key Encoding"): a multikey is 'z', for
 * base58btc, and the base58 (base58.c) of
 *
 *		a codec as a varint: 80 24 (p256-pub, 0x1200) or e7 01 (secp256k1-pub, 0xe7)
 *		a compressed point in 33 bytes: 02 or 03, and x
 *
 * A did:key is "did:key:" and a multikey.  There are always 35 bytes, and the first
 * is never zero, so every valid key has the same length.
 *
 * Two kinds of keys that users are likely to meet have faults of their own: the keys of
 * older DID documents ("Legacy Representation"), which have no codec and can be
 * uncompressed; and private keys, which have other codecs.
 *
 * Pure code: no server, no allocation, no state.  The libraries check whether a point
 * is on its curve (crypto/src/signature.c).
 *
 *-------------------------------------------------------------------------
 */
#include "multikey.h"

#include <string.h>

#include "base58.h"
#include "codec/cbor/multiformat.h"

#define PREFIX_LEN (sizeof(ATID_DID_KEY_PREFIX) - 1)

/* The multicodec table's numbers. */
#define CODEC_SECP256K1_PUB 0xe7
#define CODEC_P256_PUB 0x1200
#define CODEC_ED25519_PRIV 0x1300
#define CODEC_SECP256K1_PRIV 0x1301
#define CODEC_P256_PRIV 0x1306

/* The first byte of a point (SEC 1, section 2.3.3). */
#define POINT_EVEN 0x02
#define POINT_ODD 0x03

static const struct
{
	const char *name;
	uint64_t	codec;
}			curves[] = {
	[ATID_CURVE_P256] = {"p256", CODEC_P256_PUB},
	[ATID_CURVE_K256] = {"k256", CODEC_SECP256K1_PUB},
};

#define CURVES ((int) (sizeof(curves) / sizeof(curves[0])))

/*
 * Is it a point without a codec before it?
 */
static bool
is_bare_point(const uint8_t *bytes, size_t len)
{
	return (len == ATID_POINT_LEN && (bytes[0] == POINT_EVEN || bytes[0] == POINT_ODD)) ||
		(len == ATID_POINT_UNCOMPRESSED_LEN && bytes[0] == ATID_POINT_UNCOMPRESSED);
}

AtidFault
atid_multikey_set_point(AtidMultikey *key, const uint8_t *point, size_t len)
{
	if (len == ATID_POINT_UNCOMPRESSED_LEN && point[0] == ATID_POINT_UNCOMPRESSED)
		return ATID_MULTIKEY_UNCOMPRESSED;
	if (len != ATID_POINT_LEN)
		return ATID_MULTIKEY_LENGTH;
	if (point[0] != POINT_EVEN && point[0] != POINT_ODD)
		return ATID_MULTIKEY_PARITY;
	memcpy(key->point, point, ATID_POINT_LEN);
	return ATID_OK;
}

AtidFault
atid_multikey_parse(const char *str, size_t len, AtidMultikey *key, size_t *at)
{
	uint8_t		bytes[ATID_BASE58_TEXT_MAX];
	size_t		bytes_len;
	size_t		begin = 0;
	size_t		codec_len;
	uint64_t	codec;
	AtidFault	fault;

	if (len >= PREFIX_LEN && memcmp(str, ATID_DID_KEY_PREFIX, PREFIX_LEN) == 0)
		begin = PREFIX_LEN;
	if (len == begin || str[begin] != ATID_MULTIBASE_BASE58BTC)
	{
		*at = begin;
		return ATID_MULTIKEY_MULTIBASE;
	}
	begin++;
	fault = atid_base58_decode(str + begin, len - begin, bytes, &bytes_len, at);
	if (fault != ATID_OK)
	{
		*at += begin;
		return fault;
	}

	if (is_bare_point(bytes, bytes_len))
		return ATID_MULTIKEY_LEGACY;
	if (atid_varint_get(bytes, bytes_len, &codec, &codec_len) != ATID_OK)
		return ATID_MULTIKEY_CODEC;
	if (codec == CODEC_ED25519_PRIV || codec == CODEC_SECP256K1_PRIV || codec == CODEC_P256_PRIV)
		return ATID_MULTIKEY_PRIVATE;
	for (int curve = 0; curve < CURVES; curve++)
	{
		if (codec == curves[curve].codec)
		{
			key->curve = (AtidCurve) curve;
			return atid_multikey_set_point(key, bytes + codec_len, bytes_len - codec_len);
		}
	}
	return ATID_MULTIKEY_CODEC;
}

void
atid_multikey_to_did_key(const AtidMultikey *key, char dst[ATID_DID_KEY_TEXT_LEN])
{
	uint8_t		bytes[ATID_VARINT_MAX_LEN + ATID_POINT_LEN];
	char		digits[ATID_BASE58_TEXT_MAX];
	size_t		codec_len = atid_varint_put(curves[key->curve].codec, bytes);

	memcpy(bytes + codec_len, key->point, ATID_POINT_LEN);
	(void) atid_base58_encode(bytes, codec_len + ATID_POINT_LEN, digits);
	memcpy(dst, ATID_DID_KEY_PREFIX, PREFIX_LEN);
	dst[PREFIX_LEN] = ATID_MULTIBASE_BASE58BTC;
	memcpy(dst + PREFIX_LEN + 1, digits, ATID_MULTIKEY_TEXT_LEN - 1);
}

bool
atid_curve_of_name(const char *name, size_t len, AtidCurve *curve)
{
	for (int i = 0; i < CURVES; i++)
	{
		if (strlen(curves[i].name) == len && memcmp(curves[i].name, name, len) == 0)
		{
			*curve = (AtidCurve) i;
			return true;
		}
	}
	return false;
}

const char *
atid_curve_name(AtidCurve curve)
{
	return curves[curve].name;
}
