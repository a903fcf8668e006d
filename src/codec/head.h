/*-------------------------------------------------------------------------
 *
 * head.h
 *		The first byte of an item of DAG-CBOR: its major type, and its argument or how
 *		long that is (RFC 8949, section 3).
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_HEAD_H
#define ATID_HEAD_H

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

#endif							/* ATID_HEAD_H */
