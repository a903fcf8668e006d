/*-------------------------------------------------------------------------
 *
 * dictionary.c
 *		Each string, object and symbol of the dictionary has its number, and what was released
 *		never changes.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/dictionary.h"

#include <string.h>

#include "codec/block/block_form.h"
#include "codec/cbor/dagcbor.h"
#include "codec/text/address.h"
#include "tap.h"

/*
 * A digest of the first strings, objects and symbols, of each version that has appended some.  A
 * released line never changes.
 */
typedef struct Version
{
	const char *name;
	int			strings;
	int			objects;
	int			symbols;
	uint64_t	digest;
} Version;

static const Version versions[] = {
	{"1.4", 1511, 363, 102, UINT64_C(0x396253063330E015)},
};

static uint64_t
digest_bytes(uint64_t digest, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		digest = (digest ^ ((const uint8_t *) bytes)[i]) * UINT64_C(1099511628211);
	return digest;
}

static uint64_t
digest_number(uint64_t digest, int number)
{
	uint8_t		bytes[2] = {(uint8_t) (number >> 8), (uint8_t) number};

	return digest_bytes(digest, bytes, sizeof(bytes));
}

/*
 * What values on disks depend on: the strings, and which of them are marked as NSIDs; the keys of
 * objects, which of them are required, and which is the type; and which string a symbol is.  Not
 * what a key's value is expected to be.
 */
static uint64_t
digest_of(int strings, int objects, int symbols)
{
	uint64_t	digest = UINT64_C(14695981039346656037);

	for (int i = 0; i < strings; i++)
	{
		size_t		len;
		const char *text = atid_dictionary_string(i, &len);

		digest = digest_number(digest, (int) len * 2 + atid_dictionary_is_nsid(i));
		digest = digest_bytes(digest, text, len);
	}
	for (int i = 0; i < objects; i++)
	{
		AtidObject	object = atid_dictionary_object(i);

		digest = digest_number(digest_number(digest, object.count), object.type);
		for (int k = 0; k < object.count; k++)
		{
			const AtidObjectKey *key = &object.keys[k];

			digest = digest_number(digest, key->string);
			digest = digest_number(digest, key->required * 2 + key->constant);
		}
	}
	for (int i = 0; i < symbols; i++)
		digest = digest_number(digest, atid_dictionary_symbol_string(i));
	return digest;
}

static size_t
text_size(int number)
{
	size_t		len;

	(void) atid_dictionary_string(number, &len);
	return len + (len < 24 ? 1 : 2);
}

/* The longest of some texts, as a text of a block. */
static size_t
longest(size_t so_far, int number)
{
	return text_size(number) > so_far ? text_size(number) : so_far;
}

/*
 * The most bytes of a block for one byte of its packed value, as block_form.h counts them.
 */
static size_t
expansion(void)
{
	size_t		short_string = 0;
	size_t		string = 0;
	size_t		short_type = 0;
	size_t		type = 0;
	size_t		key = 0;
	size_t		most;

	for (int i = 0; i < atid_dictionary_strings; i++)
	{
		string = longest(string, i);
		if (i < BLOCK_STRINGS_SHORT)
			short_string = longest(short_string, i);
	}
	for (int i = 0; i < atid_dictionary_objects; i++)
	{
		AtidObject	object = atid_dictionary_object(i);

		type = longest(type, object.type);
		if (i < BLOCK_OBJECTS_SHORT)
			short_type = longest(short_type, object.type);
		for (int k = 0; k < object.count; k++)
			key = longest(key, object.keys[k].string);
	}
	/* a map's head has two bytes, "$type" with its own six */
	most = key + short_string;
	if (most < key + 2 + 6 + short_type)
		most = key + 2 + 6 + short_type;
	if (most < (key + string + 1) / 2)
		most = (key + string + 1) / 2;
	if (most < (key + 2 + 6 + type + 1) / 2)
		most = (key + 2 + 6 + type + 1) / 2;
	return most;
}

int
main(void)
{
	bool		found = true;
	bool		nsids = true;
	bool		order = true;
	bool		types = true;
	bool		counts = true;
	size_t		most = 0;

	for (int i = 0; i < atid_dictionary_strings; i++)
	{
		size_t		len;
		const char *text = atid_dictionary_string(i, &len);
		size_t		at;
		bool		is_nsid = atid_nsid_scan(text, len, &at) == ATID_OK;

		found = found && atid_dictionary_find(text, len) == i;
		nsids = nsids && (!atid_dictionary_is_nsid(i) || is_nsid);
		most = len > most ? len : most;
	}
	ok(found, "each string has its own number");
	ok(nsids, "what is marked as an NSID is one");
	ok(most <= ATID_DICTIONARY_STRING_MAX, "no string is too long");
	ok(atid_dictionary_find("", 0) < 0 && atid_dictionary_find("no such string", 14) < 0 &&
	   atid_dictionary_find("$typ", 4) < 0, "another text has none");

	for (int i = 0; i < atid_dictionary_objects; i++)
	{
		AtidObject	object = atid_dictionary_object(i);
		int			optional = 0;
		int			constants = 0;

		for (int k = 0; k < object.count; k++)
		{
			size_t		len;
			size_t		last_len;
			const char *text = atid_dictionary_string(object.keys[k].string, &len);
			const char *last = k > 0 ?
				atid_dictionary_string(object.keys[k - 1].string, &last_len) : NULL;

			order = order && (k == 0 || atid_cbor_key_cmp(last, last_len, text, len) < 0);
			optional += !object.keys[k].required;
			constants += object.keys[k].constant;
			types = types && object.keys[k].constant == (len == 5 && memcmp(text, "$type", 5) == 0);
			types = types && object.keys[k].object < atid_dictionary_objects;
		}
		counts = counts && optional == object.optional && constants == 1 &&
			object.count <= ATID_DICTIONARY_KEYS_MAX;
		types = types && atid_dictionary_typed(object.type) == i;
	}
	ok(order, "keys are in the order of DAG-CBOR");
	ok(counts, "optional keys are counted, and each object has one \"$type\"");
	ok(types, "a type leads to its object");
	ok(atid_dictionary_strings >= BLOCK_STRINGS_SHORT &&
	   atid_dictionary_objects >= BLOCK_OBJECTS_SHORT, "each short code stands for something");
	ok(atid_dictionary_objects <= BLOCK_OBJECTS_SHORT + BLOCK_OBJECTS_8 +
	   ((256 - BLOCK_OBJECTS_8) << 8), "each object has a code");
	ok(expansion() <= ATID_BLOCK_EXPANSION_MAX, "no byte stands for too many");

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
	{
		const Version *v = &versions[i];

		ok(v->strings <= atid_dictionary_strings && v->objects <= atid_dictionary_objects &&
		   v->symbols <= atid_dictionary_symbols, v->name);
		is_u64(digest_of(v->strings, v->objects, v->symbols), v->digest,
			   "nothing of it has changed");
	}
	return done();
}
