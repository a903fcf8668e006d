/*-------------------------------------------------------------------------
 *
 * dictionary.c
 *		Each string and object of the dictionary has its number, and what was released never
 *		changes.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/dictionary.h"

#include <string.h>

#include "codec/block/block.h"
#include "codec/cbor/dagcbor.h"
#include "codec/text/address.h"
#include "tap.h"

/*
 * A digest of the first strings and objects, of each version that has appended some.  A released
 * line never changes.
 */
typedef struct Version
{
	const char *name;
	int			strings;
	int			objects;
	uint64_t	digest;
} Version;

static const Version versions[] = {
	{"1.4", 1442, 363, UINT64_C(0xFA10A5B5BF03669F)},
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
 * What blocks on disks depend on: the strings; the keys of objects, which of them are required,
 * and which is the type.  Not what a key's value is expected to be.
 */
static uint64_t
digest_of(int strings, int objects)
{
	uint64_t	digest = UINT64_C(14695981039346656037);

	for (int i = 0; i < strings; i++)
	{
		size_t		len;
		const char *text = atid_dictionary_string(i, &len);

		digest = digest_bytes(digest_number(digest, (int) len), text, len);
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
	return digest;
}

static size_t
text_size(int number)
{
	size_t		len;

	(void) atid_dictionary_string(number, &len);
	return len + (len < 24 ? 1 : 2);
}

/* The most bytes that one byte of an object, with all or none of its optional keys, stands for. */
static size_t
object_expansion(int number, bool optional)
{
	AtidObject	object = atid_dictionary_object(number);
	size_t		packed = number < BLOCK_OBJECTS_SHORT ? 1 : 2;
	size_t		block = 2;		/* a map's head */

	if (optional)
		packed += (size_t) (object.optional + 7) / 8;
	for (int k = 0; k < object.count; k++)
	{
		const AtidObjectKey *key = &object.keys[k];

		if (!key->required && !optional)
			continue;
		block += text_size(key->string);
		if (key->constant)
			block += text_size(object.type);
		else
			packed++;
	}
	return (block + packed - 1) / packed;
}

int
main(void)
{
	bool		found = true;
	bool		nsids = true;
	bool		order = true;
	bool		types = true;
	bool		counts = true;
	size_t		expansion = 0;
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
		expansion = text_size(i) > expansion ? text_size(i) : expansion;
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
		for (int all = 0; all < 2; all++)
			if (object_expansion(i, all != 0) > expansion)
				expansion = object_expansion(i, all != 0);
	}
	ok(order, "keys are in the order of DAG-CBOR");
	ok(counts, "optional keys are counted, and each object has one \"$type\"");
	ok(types, "a type leads to its object");
	ok(expansion < ATID_BLOCK_EXPANSION_MAX, "no byte stands for too many");

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
	{
		const Version *v = &versions[i];

		ok(v->strings <= atid_dictionary_strings && v->objects <= atid_dictionary_objects, v->name);
		is_u64(digest_of(v->strings, v->objects), v->digest, "nothing of it has changed");
	}
	return done();
}
