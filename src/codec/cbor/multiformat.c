/*-------------------------------------------------------------------------
 *
 * multiformat.c
 *		CIDs: their bytes, their text, and the varints in them.
 *
 * Format (multiformats, "CID" and "unsigned-varint"): a CIDv1 is
 *
 *		version		varint, 1
 *		codec		varint, what the content is: 0x71 dag-cbor, 0x55 raw, ...
 *		hash		varint, how the digest was made: 0x12 sha2-256, ...
 *		length		varint, bytes of the digest
 *		digest		that many bytes, and nothing after them
 *
 * A varint holds seven bits in a byte, the least significant first, and the top
 * bit says that another byte follows.  It has nine bytes at most, and is in
 * its shortest form: its last byte is not zero, unless it is the only one.  So
 * a CID has one form in bytes, and bytes are equal where CIDs are.
 *
 * The text is the multibase letter "b" and the bytes in base32 (base32.c).  The
 * protocol knows no other multibase.  Base32 is read strictly, so a CID has one
 * text.
 *
 * A CIDv0 is the bare multihash of a SHA-256, 0x12 0x20 and 32 bytes, or that in
 * base58, "Qm" and 44 characters.  It is refused with a fault of its own, because
 * such CIDs are common elsewhere.
 *
 * A CID is well-formed with any codec, any hash and any length of the digest, 0
 * included.  The CIDs that the protocol makes are called blessed.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/multiformat.h"

#include "codec/text/base32.h"

#define MULTIBASE_BASE32 'b'
#define MULTIBASE_BASE32_UPPER 'B'

/* A CIDv0 has these lengths, always. */
#define V0_LEN			34
#define V0_TEXT_LEN		46

size_t
atid_varint_put(uint64_t value, uint8_t dst[ATID_VARINT_MAX_LEN])
{
	size_t		n = 0;

	while (value > 0x7F)
	{
		dst[n++] = (uint8_t) (value | 0x80);
		value >>= 7;
	}
	dst[n++] = (uint8_t) value;
	return n;
}

AtidFault
atid_varint_get(const uint8_t *src, size_t len, uint64_t *value, size_t *used)
{
	uint64_t	result = 0;

	for (size_t i = 0; i < ATID_VARINT_MAX_LEN; i++)
	{
		if (i == len)
			return ATID_CID_TRUNCATED;
		result |= (uint64_t) (src[i] & 0x7F) << (7 * i);
		if (src[i] & 0x80)
			continue;
		if (src[i] == 0 && i > 0)
			return ATID_VARINT_SHORTEST;
		*value = result;
		*used = i + 1;
		return ATID_OK;
	}
	return ATID_VARINT_LONG;
}

/*
 * Read the varint at *at and move *at behind it.  On a fault, *at is its place.
 */
static AtidFault
next_varint(const uint8_t *src, size_t len, size_t *at, uint64_t *value)
{
	size_t		used = 0;
	AtidFault	fault = atid_varint_get(src + *at, len - *at, value, &used);

	*at = fault == ATID_CID_TRUNCATED ? len : *at + used;
	return fault;
}

/*
 * Parse the bytes of a CID.  The digest is not copied.  On a fault, *cid is
 * undefined.
 */
AtidFault
atid_cid_parse(const uint8_t *src, size_t len, AtidCid *cid, size_t *at)
{
	uint64_t	version;
	uint64_t	digest_len;
	AtidFault	fault;

	*at = 0;
	if (len == V0_LEN && src[0] == ATID_HASH_SHA2_256 && src[1] == ATID_SHA2_256_LEN)
		return ATID_CID_V0;

	fault = next_varint(src, len, at, &version);
	if (fault != ATID_OK)
		return fault;
	if (version != 1)
	{
		*at = 0;
		return ATID_CID_VERSION;
	}
	if ((fault = next_varint(src, len, at, &cid->codec)) != ATID_OK ||
		(fault = next_varint(src, len, at, &cid->hash)) != ATID_OK ||
		(fault = next_varint(src, len, at, &digest_len)) != ATID_OK)
		return fault;

	if (digest_len > len - *at)
		return ATID_CID_DIGEST;
	cid->digest = src + *at;
	cid->digest_len = (size_t) digest_len;
	*at += cid->digest_len;
	return *at < len ? ATID_CID_TRAILING : ATID_OK;
}

size_t
atid_cid_text_len(size_t len)
{
	return 1 + atid_base32_encoded_len(len);
}

size_t
atid_cid_bytes_len(size_t len)
{
	return len == 0 ? 0 : atid_base32_decoded_len(len - 1);
}

AtidFault
atid_cid_from_text(const char *src, size_t len, uint8_t *dst, size_t *at)
{
	size_t		bytes = atid_cid_bytes_len(len);
	AtidCid		cid;
	AtidFault	fault;

	*at = 0;
	if (len == V0_TEXT_LEN && src[0] == 'Q' && src[1] == 'm')
		return ATID_CID_V0;
	if (len > 0 && src[0] == MULTIBASE_BASE32_UPPER)
		return ATID_BASE32_UPPER;
	if (len == 0 || src[0] != MULTIBASE_BASE32)
		return ATID_CID_MULTIBASE;

	fault = atid_base32_decode(src + 1, len - 1, dst, at);
	if (fault != ATID_OK)
	{
		*at += 1;
		return fault;
	}

	fault = atid_cid_parse(dst, bytes, &cid, at);
	if (fault != ATID_OK)
		/* the character that holds the byte's first bit, or the end */
		*at = *at == bytes ? len : 1 + *at / 5 * 8 + *at % 5 * 8 / 5;
	return fault;
}

void
atid_cid_to_text(const uint8_t *src, size_t len, char *dst)
{
	*dst = MULTIBASE_BASE32;
	atid_base32_encode(src, len, dst + 1);
}

size_t
atid_cid_head(uint64_t codec, uint64_t hash, size_t digest_len,
			  uint8_t dst[ATID_CID_HEAD_MAX_LEN])
{
	size_t		n = 0;

	dst[n++] = 1;
	n += atid_varint_put(codec, dst + n);
	n += atid_varint_put(hash, dst + n);
	n += atid_varint_put(digest_len, dst + n);
	return n;
}
