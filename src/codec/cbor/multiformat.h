/*-------------------------------------------------------------------------
 *
 * multiformat.h
 *		CIDs: their bytes, their text, and the varints in them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MULTIFORMAT_H
#define ATID_MULTIFORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"
#include "codec/limits.h"

/* What the protocol calls blessed ("Link and CID Formats"). */
#define ATID_CODEC_RAW 0x55
#define ATID_CODEC_DAG_CBOR 0x71
#define ATID_HASH_SHA2_256 0x12
#define ATID_SHA2_256_LEN 32
#define ATID_CID_BLESSED_LEN (4 + ATID_SHA2_256_LEN)

/* Version, codec, hash and digest length take at most this many bytes. */
#define ATID_CID_HEAD_MAX_LEN (1 + 3 * ATID_VARINT_MAX_LEN)

/* The parts of a CIDv1. */
typedef struct AtidCid
{
	uint64_t	codec;			/* multicodec of the content, below 2^63 */
	uint64_t	hash;			/* multihash code, below 2^63 */
	const uint8_t *digest;		/* in the bytes that were parsed */
	size_t		digest_len;
} AtidCid;

/*
 * Write a value below 2^63 in its shortest form; returns the number of bytes.
 */
extern size_t atid_varint_put(uint64_t value, uint8_t dst[ATID_VARINT_MAX_LEN]);

/*
 * Read a varint; more bytes may follow it.  *used is the number of its bytes,
 * set if there is no fault.
 */
ATID_NODISCARD extern AtidFault atid_varint_get(const uint8_t *src, size_t len, uint64_t *value,
												size_t *used);

/*
 * On a fault, *at is its place, from zero: in bytes, or in the characters of a
 * text.
 */
ATID_NODISCARD extern AtidFault atid_cid_parse(const uint8_t *src, size_t len, AtidCid *cid,
											   size_t *at);

/*
 * The number of characters of a CID of len bytes.
 */
extern size_t atid_cid_text_len(size_t len);

/*
 * The number of bytes of a CID of len characters.
 */
extern size_t atid_cid_bytes_len(size_t len);

/*
 * Read a text into the atid_cid_bytes_len(len) bytes at dst, and check that
 * those are a CID.
 */
ATID_NODISCARD extern AtidFault atid_cid_from_text(const char *src, size_t len, uint8_t *dst,
												   size_t *at);

/*
 * Write the text of a CID's bytes into dst: atid_cid_text_len(len) characters,
 * no terminator.
 */
extern void atid_cid_to_text(const uint8_t *src, size_t len, char *dst);

/*
 * Write the head of a CIDv1, which stands before its digest.  Returns the
 * number of bytes.  Codec and hash must be below 2^63.
 */
extern size_t atid_cid_head(uint64_t codec, uint64_t hash, size_t digest_len,
							uint8_t dst[ATID_CID_HEAD_MAX_LEN]);

/*
 * Are these bytes, whatever they are, a blessed CID: version 1, codec dag-cbor
 * or raw, SHA-256 in full?  All such codes are below 128, varints of one byte.
 */
static inline bool
atid_cid_is_blessed(const uint8_t *src, size_t len)
{
	return len == ATID_CID_BLESSED_LEN && src[0] == 1 &&
		(src[1] == ATID_CODEC_DAG_CBOR || src[1] == ATID_CODEC_RAW) &&
		src[2] == ATID_HASH_SHA2_256 && src[3] == ATID_SHA2_256_LEN;
}

/*
 * The same, and of codec dag-cbor: the CID of a commit, or of a node.
 */
static inline bool
atid_cid_is_dag_cbor(const uint8_t *src, size_t len)
{
	return atid_cid_is_blessed(src, len) && src[1] == ATID_CODEC_DAG_CBOR;
}

#endif							/* ATID_MULTIFORMAT_H */
