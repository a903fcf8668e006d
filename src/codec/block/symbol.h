/*-------------------------------------------------------------------------
 *
 * symbol.h
 *		The form on disk of an atid.symbol: a text, or the number of a string of the dictionary.
 *
 * Bytes			Text
 *
 * 00 TEXT			any text, of any length
 * 01 .. 7F			the symbol of the dictionary with this number, which counts from 1
 * 80 .. FF, BYTE	the string of the dictionary whose number is the last 15 bits
 *
 * A string that is a symbol takes one byte.  A text that is a string of the dictionary is
 * never packed as a text, but a value that an older version has packed may be: so one text
 * can have several forms, and values are compared by their texts.
 *
 * The dictionary only grows, and its numbers never change.  A number that it does not have was
 * written by a newer version.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SYMBOL_H
#define ATID_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

#include "codec/text/packed.h"

/* Enough for any text of len bytes, packed. */
#define ATID_SYMBOL_PACKED_MAX(len)	((len) + 1)

/* The most bytes of a number. */
#define ATID_SYMBOL_NUMBER_MAX	2

/* A text, which is in the packed bytes or in the dictionary.  It has no terminator. */
typedef struct AtidSymbolText
{
	const char *s;
	size_t		len;
} AtidSymbolText;

/*
 * Pack len bytes of text into the ATID_SYMBOL_PACKED_MAX(len) bytes at dst.  Returns the packed
 * length.
 */
extern size_t atid_symbol_pack(const char *s, size_t len, uint8_t *dst);

/* Find the text of packed bytes.  It is set only if they can be read. */
extern AtidPackedState atid_symbol_open(const uint8_t *packed, size_t len, AtidSymbolText *text);

#endif							/* ATID_SYMBOL_H */
