/*-------------------------------------------------------------------------
 *
 * multikey.h
 *		Public keys as text: multikeys and did:key.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MULTIKEY_H
#define ATID_MULTIKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"

/* A compressed point: 02 or 03 for an even or odd y, and x in 32 bytes. */
#define ATID_POINT_LEN 33

/* The first byte of one that is not compressed, before x and y, and its length. */
#define ATID_POINT_UNCOMPRESSED 0x04
#define ATID_POINT_UNCOMPRESSED_LEN 65

/* The multibase letter of a key: base58btc. */
#define ATID_MULTIBASE_BASE58BTC 'z'

/* A did:key is a multikey behind this. */
#define ATID_DID_KEY_PREFIX "did:key:"

/* The length of every valid key, from its z on, and with the prefix. */
#define ATID_MULTIKEY_TEXT_LEN 49
#define ATID_DID_KEY_TEXT_LEN (sizeof(ATID_DID_KEY_PREFIX) - 1 + ATID_MULTIKEY_TEXT_LEN)

/* The two curves of the protocol. */
typedef enum AtidCurve
{
	ATID_CURVE_P256,
	ATID_CURVE_K256
} AtidCurve;

/* A public key.  The point may not be on its curve. */
typedef struct AtidMultikey
{
	AtidCurve	curve;
	uint8_t		point[ATID_POINT_LEN];
} AtidMultikey;

/*
 * Reads a did:key or a multikey of len characters.
 *
 * Returns ATID_OK and sets *key, or what is wrong.  For ATID_MULTIKEY_MULTIBASE and the faults
 * of base58, *at is the index of the character.  After any fault *key is undefined.
 */
extern AtidFault atid_multikey_parse(const char *str, size_t len, AtidMultikey *key,
									 size_t *at);

/*
 * Sets the point of a key from len bytes.  Returns ATID_OK, or what is wrong with them.
 */
extern AtidFault atid_multikey_set_point(AtidMultikey *key, const uint8_t *point,
										 size_t len);

/*
 * Writes a key as a did:key, without a terminator.
 */
extern void atid_multikey_to_did_key(const AtidMultikey *key,
									 char dst[ATID_DID_KEY_TEXT_LEN]);

/*
 * Sets *curve to the curve of this name of len characters; false if there is none.
 */
extern bool atid_curve_of_name(const char *name, size_t len, AtidCurve *curve);

/*
 * The name of a curve.
 */
extern const char *atid_curve_name(AtidCurve curve);

#endif							/* ATID_MULTIKEY_H */
