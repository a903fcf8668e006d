/*-------------------------------------------------------------------------
 *
 * head.h
 *		The head of an item of DAG-CBOR: its major type and its argument (RFC 8949,
 *		section 3).
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_HEAD_H
#define ATID_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/fault.h"

/* Major types, in the top three bits of a head's first byte. */
#define MAJOR(byte)		((byte) >> 5)
#define MAJOR_UNSIGNED	0
#define MAJOR_NEGATIVE	1
#define MAJOR_BYTES		2
#define MAJOR_TEXT		3
#define MAJOR_ARRAY		4
#define MAJOR_MAP		5
#define MAJOR_TAG		6
#define MAJOR_OTHER		7

/* The lower five bits: an argument up to 23, or how long the argument is. */
#define INFO(byte)		((byte) & 0x1F)
#define INFO_1_BYTE		24
#define INFO_8_BYTES	27
#define INFO_INDEFINITE 31

/* Arguments of MAJOR_OTHER. */
#define SIMPLE_FALSE	20
#define SIMPLE_NULL		22

/*
 * Read the head at p, which has been checked before.  Returns the byte behind it.
 */
static inline const uint8_t *
atid_checked_head(const uint8_t *p, uint64_t *arg)
{
	unsigned	info = INFO(*p++);

	*arg = info;
	if (info >= INFO_1_BYTE)
	{
		*arg = 0;
		for (size_t len = (size_t) 1 << (info - INFO_1_BYTE); len > 0; len--)
			*arg = *arg << 8 | *p++;
	}
	return p;
}

/* How many bytes the head with this argument has. */
static inline size_t
atid_head_len(uint64_t arg)
{
	return arg < INFO_1_BYTE ? 1 : arg <= UINT8_MAX ? 2 : arg <= UINT16_MAX ? 3 :
		arg <= UINT32_MAX ? 5 : 9;
}

/*
 * Read the head at p, which is before the end, and whose argument does not fit into its first
 * byte.  Returns the byte behind it; or NULL, and what is wrong with it.
 */
static inline const uint8_t *
atid_long_head(const uint8_t *p, const uint8_t *end, uint64_t *arg, AtidFault *fault)
{
	unsigned	major = MAJOR(*p);
	unsigned	info = INFO(*p);
	size_t		len;

	if (info > INFO_8_BYTES)
	{
		bool		open = info == INFO_INDEFINITE && major >= MAJOR_BYTES && major <= MAJOR_MAP;

		*fault = open ? ATID_CBOR_INDEFINITE : ATID_CBOR_RESERVED;
		return NULL;
	}
	len = (size_t) 1 << (info - INFO_1_BYTE);
	if ((size_t) (end - p) <= len)
	{
		*fault = ATID_CBOR_ENDS;
		return NULL;
	}
	p = atid_checked_head(p, arg);

	/*
	 * refuse an argument that fits into half of the bytes, or into no more
	 * byte
	 */
	if (len == 1 ? *arg < INFO_1_BYTE : *arg >> (len * 4) == 0)
	{
		*fault = ATID_CBOR_SHORTEST;
		return NULL;
	}
	return p;
}

#endif							/* ATID_HEAD_H */
