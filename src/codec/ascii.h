/*-------------------------------------------------------------------------
 *
 * ascii.h
 *		Characters of ASCII, whatever the locale is.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ASCII_H
#define ATID_ASCII_H

#include <stdbool.h>

static inline char
atid_to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
}

static inline bool
atid_is_letter(char c)
{
	return atid_to_lower(c) >= 'a' && atid_to_lower(c) <= 'z';
}

static inline bool
atid_is_digit(char c)
{
	return (unsigned char) (c - '0') <= 9;
}

/* The value of a hexadecimal digit, or -1. */
static inline int
atid_hex_value(char c)
{
	if (atid_is_digit(c))
		return c - '0';
	c = atid_to_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif							/* ATID_ASCII_H */
