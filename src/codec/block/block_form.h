/*-------------------------------------------------------------------------
 *
 * block_form.h
 *		The packed form of a block: a record's DAG-CBOR in about a third of its bytes.
 *
 * The form is on disks only.  Whatever leaves the server is the block itself, so
 * nobody's packed bytes but our own are ever read.  They may be damaged, though, or
 * written by a newer version.
 *
 * A value is a code and what follows it:
 *
 *	00-1F		text of 0 to 31 bytes
 *	20 21 22	text; u8 (its length - 32), u16 or u32 (its length)
 *	23-27		unsigned: u8, u16, u24, u32, u64
 *	28 29		negative, -1 - n: u8, u64
 *	2A 2B 2C	true, false, null
 *	2D 2E		bytes; u8 or u32 (their length)
 *	2F 30		link, its SHA-256: of DAG-CBOR, of raw bytes
 *	31			any other link; u8 (its length)
 *	32 33		text of a CID, its SHA-256: of DAG-CBOR, of raw bytes
 *	34			text "did:plc:" and 24 digits: 15 bytes
 *	35			text of an AT URI: 15 bytes of its did:plc; u16, a string that is an NSID;
 *				8 bytes of a TID
 *	36			the same with app.bsky.feed.post: 15 bytes, 8 bytes
 *	37			another AT URI of a did:plc: 15 bytes; u8; so many bytes that follow
 *	38			datetime, "Z": u32, seconds since 1970
 *	39 3A		datetime, 3 digits, "Z": u40, milliseconds since 2020; u48, since 1970
 *	3B			datetime, 6 digits, "Z": u56, microseconds since 1970
 *	3C 3D		as 39 and 3B with "+00:00"
 *	3E 3F		datetime of u8 digits with "Z", with "+00:00": u64, nanoseconds since 1970
 *	40			text of a TID: 8 bytes
 *	41 42		text "https://", "https://www."; u8; so many bytes that follow
 *	43			datetime of u8 digits; i8, quarters of an hour of its offset; u64,
 *				nanoseconds since 1970 as its own clock shows them
 *	44			AT URI: 15 bytes of its did:plc; u16, a string that is an NSID; u8; the
 *				record key, of so many bytes
 *	45			AT URI: 15 bytes of its did:plc; u8; a collection of so many bytes; 8 bytes
 *				of a TID
 *	46-4F		array of 0 to 9 values
 *	50 51		array, map: varint (how many values, or pairs of a text and a value)
 *	52-91		object 0 to 31 of the dictionary.  Even: it has no optional key; odd: a
 *				bitmap of those that it has follows, the first one in the lowest bit of
 *				the first byte.  Then the values of its keys, except a "$type"
 *	92 93		another object in the same way: u8, its number - 32 if that is below 240; else
 *				u8 and u8, 240 and more, and together the number - 32 - 240
 *	94-DF		text: string 0 to 75 of the dictionary
 *	E0-E7		text: these 3 bits and u8, the number of a string - 76
 *	E8-EF		unsigned 0 to 7
 *	F0			text: u16, the number of a string - 76 - 2048
 *	F1-FE		reserved for later versions
 *	FF			as the first byte of all: a block as it is follows
 *
 * Numbers are big-endian.  A varint has seven bits a byte, the lowest ones first, and
 * at most five bytes.
 *
 * What is packed is DAG-CBOR that dagcbor.c reads to its end, so keys are in their
 * order and texts are UTF-8; anything else is kept behind FF.  Before a value is
 * returned, it is restored and compared with the block.  So
 *	- every block comes back byte for byte;
 *	- a packed value has at most one byte more than the block;
 *	- a block may have several packed forms, after the dictionary has grown; so packed
 *	  bytes are never compared.
 *
 * A packed value stands for at most ATID_BLOCK_EXPANSION_MAX bytes a byte.  To see that, let each
 * value account for its own bytes, for the key that an object has for it, and if it is an object
 * for its head and its "$type".  Then a value accounts for a key and one of these:
 *	- bytes that it has in both forms, and a head, which has at most 9 bytes;
 *	- a text of block_text.c, which is at most 7 times as long as its packed form, but for a
 *	  string in it;
 *	- a string of the dictionary;
 *	- the head of an object, "$type" and its name.
 * Strings and names of 55 and 50 bytes take two bytes or more; those that take one are shorter.
 * t/unit/dictionary.c computes the worst case, which is 79.  Of a damaged value a part is
 * written, which ends with one key more at most.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_BLOCK_FORM_H
#define ATID_BLOCK_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/block/dictionary.h"
#include "codec/fault.h"

/*
 * The codes.
 */
#define BLOCK_TEXT_SHORT_MAX	0x1F
#define BLOCK_TEXT_8			0x20
#define BLOCK_TEXT_16			0x21
#define BLOCK_TEXT_32			0x22
#define BLOCK_UNSIGNED_8		0x23
#define BLOCK_UNSIGNED_16		0x24
#define BLOCK_UNSIGNED_24		0x25
#define BLOCK_UNSIGNED_32		0x26
#define BLOCK_UNSIGNED_64		0x27
#define BLOCK_NEGATIVE_8		0x28
#define BLOCK_NEGATIVE_64		0x29
#define BLOCK_TRUE				0x2A
#define BLOCK_FALSE				0x2B
#define BLOCK_NULL				0x2C
#define BLOCK_BYTES_8			0x2D
#define BLOCK_BYTES_32			0x2E
#define BLOCK_LINK_CBOR			0x2F
#define BLOCK_LINK_RAW			0x30
#define BLOCK_LINK_OTHER		0x31
#define BLOCK_CID_CBOR			0x32	/* the first text that is not as it is */
#define BLOCK_CID_RAW			0x33
#define BLOCK_PLC				0x34
#define BLOCK_URI_TID			0x35
#define BLOCK_URI_POST			0x36
#define BLOCK_URI_OTHER			0x37
#define BLOCK_TIME_S			0x38
#define BLOCK_TIME_MS_2020		0x39
#define BLOCK_TIME_MS			0x3A
#define BLOCK_TIME_US			0x3B
#define BLOCK_TIME_MS_2020_ZERO 0x3C
#define BLOCK_TIME_US_ZERO		0x3D
#define BLOCK_TIME_NS			0x3E
#define BLOCK_TIME_NS_ZERO		0x3F
#define BLOCK_TID				0x40
#define BLOCK_HTTPS				0x41
#define BLOCK_HTTPS_WWW			0x42
#define BLOCK_TIME_OFFSET		0x43
#define BLOCK_URI_KEY			0x44
#define BLOCK_URI_COLLECTION	0x45	/* the last one */
#define BLOCK_ARRAY_SHORT		0x46
#define BLOCK_ARRAY				0x50
#define BLOCK_MAP				0x51
#define BLOCK_OBJECT_SHORT		0x52
#define BLOCK_OBJECT			0x92
#define BLOCK_STRING_SHORT		0x94
#define BLOCK_STRING_11			0xE0
#define BLOCK_UNSIGNED_SHORT	0xE8
#define BLOCK_STRING_16			0xF0
#define BLOCK_RESERVED			0xF1
#define BLOCK_RAW				0xFF

#define BLOCK_ARRAY_SHORT_MAX	9
#define BLOCK_UNSIGNED_SHORT_MAX 7
#define BLOCK_OBJECTS_SHORT		32
#define BLOCK_OBJECTS_8			240
#define BLOCK_STRINGS_SHORT		76
#define BLOCK_STRINGS_11		2048

/* Bytes of what follows a code. */
#define BLOCK_PLC_LEN			15
#define BLOCK_TID_LEN			8
#define BLOCK_VARINT_MAX		5

/* The milliseconds from 1970 to 2020. */
#define BLOCK_2020_MS			UINT64_C(1577836800000)

/* The most bytes of a block for each byte of its packed value, and of a block at all. */
#define ATID_BLOCK_EXPANSION_MAX 160
#define ATID_BLOCK_SIZE_MAX		0x3FFFFFFF

/* The most bytes that a text can have whose packed form is not itself. */
#define ATID_BLOCK_TEXT_MAX		512

/* What packed bytes are. */
typedef enum AtidBlockState
{
	ATID_BLOCK_OK,
	ATID_BLOCK_NEWER,			/* written by a newer version */
	ATID_BLOCK_DAMAGED
} AtidBlockState;

/* The room that a packed value of a block of len bytes needs at most. */
#define ATID_BLOCK_PACKED_MAX(len)	((len) + 1)

/*
 * Pack a block of at most ATID_BLOCK_SIZE_MAX bytes, whatever they are, into the
 * ATID_BLOCK_PACKED_MAX(len) bytes at dst.  Returns the length.  pause may be NULL; it is
 * called again and again, and need not return.
 */
extern size_t atid_block_pack(const void *block, size_t len, uint8_t *dst, void (*pause) (void));

/*
 * The length of the block that packed bytes stand for.  It is not above
 * ATID_BLOCK_EXPANSION_MAX times their length, nor above ATID_BLOCK_SIZE_MAX.
 */
ATID_NODISCARD extern AtidBlockState atid_block_len(const uint8_t *packed, size_t packed_len,
													size_t *len, void (*pause) (void));

/*
 * Write the block to the "room" bytes at dst; its length is in *len.  Where it does not fit, the
 * state is ATID_BLOCK_DAMAGED.
 */
ATID_NODISCARD extern AtidBlockState atid_block_restore(const uint8_t *packed, size_t packed_len,
														uint8_t *dst, size_t room, size_t *len,
														void (*pause) (void));

/*
 * Do packed bytes stand for this block?
 */
extern bool atid_block_is(const uint8_t *packed, size_t packed_len, const uint8_t *block,
						  size_t len, void (*pause) (void));

/* Is the block stored unpacked?  Then it begins at the second byte. */
static inline bool
atid_block_is_raw(const uint8_t *packed, size_t packed_len)
{
	return packed_len > 0 && packed[0] == BLOCK_RAW;
}

/* A number of len bytes. */
static inline uint64_t
atid_block_number(const uint8_t *p, size_t len)
{
	uint64_t	value = 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | p[i];
	return value;
}

/*
 * Read a varint at p.  Returns the byte behind it, or NULL where it is damaged.
 */
static inline const uint8_t *
atid_block_varint(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (int i = 0; i < BLOCK_VARINT_MAX && p < end; i++)
	{
		*value |= (uint64_t) (*p & 0x7F) << 7 * i;
		if ((*p++ & 0x80) == 0)
			return p;
	}
	return NULL;
}

/* An object in a packed value: its keys, and which of the optional ones it has. */
typedef struct AtidBlockObject
{
	AtidObject	object;
	uint64_t	optional;		/* the bitmap */
} AtidBlockObject;

/*
 * Does an object have a key?  It is called for each of its keys in turn; *optional is the bitmap
 * of those that are to come.
 */
static inline bool
atid_block_has_key(const AtidObjectKey *key, uint64_t *optional)
{
	bool		has = key->required || (*optional & 1) != 0;

	if (!key->required)
		*optional >>= 1;
	return has;
}

/*
 * Read what follows the code of an object at p.  Returns the byte behind it, where its
 * values are; NULL, and the state, where that cannot be read.
 */
extern const uint8_t *atid_block_object(unsigned code, const uint8_t *p, const uint8_t *end,
										AtidBlockObject *object, AtidBlockState *state);

#endif							/* ATID_BLOCK_FORM_H */
