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

/* A compressed point: 02 or 03 for an even or odd y, and x in 32 bytes. */
#define ATID_POINT_LEN 33

/* Every valid key has this many characters, from its z on, and with did:key:. */
#define ATID_MULTIKEY_TEXT_LEN 49
#define ATID_DID_KEY_TEXT_LEN (8 + ATID_MULTIKEY_TEXT_LEN)

/* The two curves of the protocol. */
typedef enum AtidCurve
{
	ATID_CURVE_P256,
	ATID_CURVE_K256
} AtidCurve;

/* A public key.  Whether the point is on its curve has not been looked at. */
typedef struct AtidMultikey
{
	AtidCurve	curve;
	uint8_t		point[ATID_POINT_LEN];
} AtidMultikey;

/* Why a text is not a key, or bytes are not a point. */
typedef enum AtidMultikeyFault
{
	ATID_MULTIKEY_OK,
	ATID_MULTIKEY_MULTIBASE,	/* does not begin with z */
	ATID_MULTIKEY_CHARACTER,	/* a character, at *at, that is not base58's */
	ATID_MULTIKEY_LONG,			/* longer than any key */
	ATID_MULTIKEY_CODEC,		/* a codec of neither curve, or no varint */
	ATID_MULTIKEY_LEGACY,		/* a point without a codec in front of it */
	ATID_MULTIKEY_PRIVATE,		/* a private key */
	ATID_MULTIKEY_UNCOMPRESSED, /* a point of 65 bytes */
	ATID_MULTIKEY_LENGTH,		/* a point of another length */
	ATID_MULTIKEY_PARITY,		/* 33 bytes that begin with neither 02 nor 03 */
	ATID_MULTIKEY_OFF_CURVE		/* no point of the curve: signature.c finds it */
} AtidMultikeyFault;

extern AtidMultikeyFault atid_multikey_parse(const char *str, size_t len, AtidMultikey *key,
											 size_t *at);
extern AtidMultikeyFault atid_multikey_set_point(AtidMultikey *key, const uint8_t *point,
												 size_t len);
extern void atid_multikey_to_did_key(const AtidMultikey *key,
									 char dst[ATID_DID_KEY_TEXT_LEN]);
extern const char *atid_multikey_words(AtidMultikeyFault fault);

extern bool atid_curve_of_name(const char *name, size_t len, AtidCurve *curve);
extern const char *atid_curve_name(AtidCurve curve);

#endif							/* ATID_MULTIKEY_H */
