/*-------------------------------------------------------------------------
 *
 * dictionary.h
 *		The strings and objects that the packed form of a block has numbers for, and the
 *		symbols.
 *
 * A string is a text that many records have: an NSID, a key, a known value, a language
 * tag, a media type.  An object is a map of which the keys are known: a record type, or
 * a definition that one leads to.  A symbol is a string that takes one byte in an
 * atid.symbol (symbol.h).
 *
 * The numbers are on disks, so what one means never changes.  The dictionary only grows:
 * a version of the extension may append to all three lists, and what was packed by an
 * older one is read as before.  A number that is not in the dictionary was written by a
 * newer version, or is damage.  It grows once a year at most, as a block that was packed
 * by a newer version cannot be read by an older one (doc/block.md).
 *
 * dictionary.txt is the list, and script/dictionary makes dictionary_table.h of it.  All
 * tables are constant.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_DICTIONARY_H
#define ATID_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest string, in bytes, and the most keys of an object. */
#define ATID_DICTIONARY_STRING_MAX 127
#define ATID_DICTIONARY_KEYS_MAX 64

/* No string, or no object. */
#define ATID_DICTIONARY_NONE (-1)

/* A key of an object, in the order of DAG-CBOR. */
typedef struct AtidObjectKey
{
	uint16_t	string;			/* its number */
	int16_t		object;			/* what its value is expected to be; or NONE */
	bool		required;		/* the object always has it */
	bool		constant;		/* "$type": its value is the object's name */
} AtidObjectKey;

/* An object. */
typedef struct AtidObject
{
	const AtidObjectKey *keys;
	int			count;			/* of keys */
	int			optional;		/* so many of them are not required */
	int			type;			/* the number of the string that its "$type"
								 * is */
} AtidObject;

/* How many there are. */
extern const int atid_dictionary_strings;
extern const int atid_dictionary_objects;
extern const int atid_dictionary_symbols;

/*
 * The number of a text; ATID_DICTIONARY_NONE if it is none of the strings.
 */
extern int	atid_dictionary_find(const void *text, size_t len);

/*
 * The string of a number, which must be one; its length is in *len.
 */
extern const char *atid_dictionary_string(int number, size_t *len);

/* Is the string of a number an NSID? */
extern bool atid_dictionary_is_nsid(int number);

/*
 * The number of the object whose "$type" is the string of a number;
 * ATID_DICTIONARY_NONE if there is none.
 */
extern int	atid_dictionary_typed(int number);

/* The object of a number, which must be one. */
extern AtidObject atid_dictionary_object(int number);

/*
 * The number of the symbol that the string of a number is, or ATID_DICTIONARY_NONE; and the
 * string of a symbol's number, which must be one.
 */
extern int	atid_dictionary_symbol(int number);
extern int	atid_dictionary_symbol_string(int symbol);

#endif							/* ATID_DICTIONARY_H */
