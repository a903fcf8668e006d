/*-------------------------------------------------------------------------
 *
 * model.c
 *		The rules of the data model: what is wrong with a record.
 *
 * There are three sets of rules, each with all rules of the one before.
 *
 * The codec (record_to_dag_cbor and back) takes any value that both DAG-CBOR and
 * JSON can express, with any CIDv1 as a link and any value at the top.
 *
 * The model (record_is_valid, record_problem) asks for more ("Data Model"):
 *
 *		the top is an object;
 *		each "$type" is a string that is not empty;
 *		links are blessed (multiformat.h);
 *		a blob, an object of $type "blob", has a ref that is a link of codec raw,
 *		a mimeType that is not empty, and a size that is an integer of 0 or
 *		more.  (The specification says more than 0; there are records with 0.)
 *
 * There a legacy blob, an object with cid and mimeType and no $type, is an object
 * like any other.  A block must not have a key "$link" or "$bytes", which has another
 * meaning in JSON.
 *
 * The strict rules are what the same text advises or requires for new records: the
 * top has a "$type", which is an NSID; any other "$type" is an
 * NSID, with the name of a definition or without, or "blob"; no other key begins
 * with "$"; the size of a blob is above 0; there is no legacy blob; and integers
 * have 53 bits and a sign at most.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "codec/ascii.h"
#include "codec/cbor/multiformat.h"
#include "codec/cbor/seek.h"
#include "codec/text/address.h"
#include "codec/text/format.h"
#include "error.h"
#include "record/model.h"

/* The longest name of a definition in a $type, with its "#". */
#define TYPE_NAME_MAX 256

/* 53 bits and a sign: what is exact in a JavaScript number. */
#define SAFE_INTEGER_MAX INT64CONST(9007199254740991)

bool
atid_walk_fault_is_of_item(const AtidJsonbWalk *walk)
{
	return !walk->fault_in_key &&
		walk->fault != ATID_JSON_LINK_KEYS && walk->fault != ATID_JSON_BYTES_KEYS;
}

void
atid_refuse_record(AtidFault fault, const char *what, const char *detail)
{
	if (fault == ATID_CBOR_DEPTH)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("record is nested too deep"),
				 errdetail("%s", detail)));
	ereport(ERROR,
			(errcode(fault == ATID_TEXT_EQUIVALENT ? ERRCODE_UNTRANSLATABLE_CHARACTER :
					 ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", what),
			 errdetail("%s", detail)));
}

bool
atid_level_is_legacy_blob(const AtidLevel *level)
{
	AtidFault	fault;
	size_t		at;

	if (level->has_type || level->cid.data == NULL || level->mime_type.data == NULL ||
		level->mime_type.len == 0)
		return false;
	fault = atid_cid_string_scan(level->cid.data, level->cid.len, &at);
	return fault == ATID_OK || fault == ATID_CID_STRING_V0;
}

/*
 * Is a text a $type: an NSID, or an NSID, "#" and the name of a definition?  The main
 * definition is written without its name.
 */
static bool
is_type(const char *s, size_t len)
{
	const char *hash = memchr(s, '#', Min(len, ATID_NSID_MAX + 1));
	size_t		nsid_len = hash != NULL ? (size_t) (hash - s) : len;
	size_t		name_len = len - nsid_len;

	if (!atid_nsid_is_valid(s, nsid_len))
		return false;
	if (hash == NULL)
		return true;
	if (name_len < 2 || name_len > TYPE_NAME_MAX ||
		(name_len == 5 && memcmp(hash, "#main", 5) == 0))
		return false;
	for (size_t i = 1; i < name_len; i++)
	{
		char		c = hash[i];

		if (!atid_is_letter(c) && !atid_is_digit(c) && c != '-' && c != '_')
			return false;
	}
	return true;
}

/*
 * The problem of a map that ends here and has the $type "blob".
 */
static AtidFault
blob_problem(const AtidLevel *level, AtidRules rules)
{
	if (level->ref.data == NULL)
		return ATID_BLOB_REF;
	if (level->ref.len == 0)
		return ATID_BLOB_CODEC;
	if (level->mime_type.data == NULL || level->mime_type.len == 0)
		return ATID_BLOB_MIME_TYPE;
	if (!level->has_size || level->size < 0)
		return ATID_BLOB_SIZE;
	if (rules == ATID_RULES_STRICT && level->size == 0)
		return ATID_BLOB_EMPTY;
	return ATID_OK;
}

/*
 * The problem of a map that ends here, by the strict rules.
 */
static AtidFault
strict_map_problem(const AtidInspector *in, const AtidLevel *level)
{
	if (in->depth == 1 && !level->has_type)
		return ATID_RECORD_NO_TYPE;
	if (atid_level_is_legacy_blob(level))
		return ATID_BLOB_LEGACY;
	return ATID_OK;
}

/*
 * The problem of a map that ends here.
 */
static pg_attribute_always_inline AtidFault
map_problem(const AtidInspector *in, const AtidLevel *level, AtidRules rules)
{
	if (level->is_blob)
	{
		AtidFault	problem = blob_problem(level, rules);

		if (problem != ATID_OK)
			return problem;
	}
	return rules == ATID_RULES_STRICT ? strict_map_problem(in, level) : ATID_OK;
}

/*
 * The problem of the value of a "$type", which is the current item of this level.
 */
static pg_attribute_always_inline AtidFault
type_problem(AtidInspector *in, const AtidLevel *level, AtidCborEvent event, bool strict)
{
	const char *type = (const char *) in->item.data;

	if (event != ATID_CBOR_TEXT || in->item.len == 0)
	{
		/* the problem is the value, not what is in it */
		if (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)
			atid_inspect_leave(in);
		return ATID_RECORD_TYPE;
	}
	if (strict && in->depth == 1 && !atid_nsid_is_valid(type, in->item.len))
		return ATID_RECORD_TYPE_TOP;
	if (strict && !level->is_blob && !is_type(type, in->item.len))
		return ATID_RECORD_TYPE_NSID;
	return ATID_OK;
}

/*
 * The first problem of a record.  It belongs to the inspector's current item if
 * *of_item, else to the array or map itself.  If conform is not NULL, the schema is
 * checked in the same pass, and the schema says what the top must be.
 */
static pg_attribute_always_inline AtidFault
find_problem(AtidInspector *in, AtidRules rules, AtidConform *conform, bool *of_item)
{
	bool		model = rules >= ATID_RULES_MODEL;
	bool		strict = rules == ATID_RULES_STRICT;
	AtidFault	problem;

	*of_item = true;
	for (;;)
	{
		AtidCborEvent event = atid_inspect_next(in);
		AtidLevel  *level = &in->levels[in->depth];

		if (event == ATID_CBOR_FAULT)
		{
			if (in->walk != NULL)
				*of_item = atid_walk_fault_is_of_item(in->walk);
			return in->walk != NULL ? in->walk->fault : in->reader->fault;
		}
		if (event == ATID_CBOR_END)
			return ATID_OK;
		if (model && conform == NULL &&
			in->depth == 0 && event != ATID_CBOR_MAP && event != ATID_CBOR_MAP_END)
			return ATID_RECORD_TOP;
		if (conform != NULL)
		{
			problem = atid_conform_next(conform, event, &in->item);
			if (problem != ATID_OK)
			{
				*of_item = conform->of_item;
				return problem;
			}
		}

		switch (event)
		{
			case ATID_CBOR_LINK:
				if (model &&
					!atid_cid_is_blessed(in->item.data, in->item.len))
					return ATID_RECORD_LINK_BLESSED;
				/* blob_problem() takes an empty ref for one of another codec */
				if (level->map && atid_level_key_is(level, "ref", 3) &&
					in->item.data[1] != ATID_CODEC_RAW)
					level->ref.len = 0;
				break;
			case ATID_CBOR_KEY:
				if (!model || in->item.len == 0 || in->item.data[0] != '$')
					break;

				/*
				 * only a block comes here; the walk of a jsonb has checked
				 * them
				 */
				if (atid_level_key_is(level, "$link", 5) || atid_level_key_is(level, "$bytes", 6))
				{
					*of_item = false;
					return ATID_RECORD_SPECIAL_KEY;
				}
				if (strict && !atid_level_key_is(level, "$type", 5))
					return ATID_RECORD_RESERVED_KEY;
				break;
			case ATID_CBOR_MAP:
			case ATID_CBOR_ARRAY:
				atid_inspect_enter(in, event);
				break;
			case ATID_CBOR_INTEGER:
				if (strict && (in->item.integer < -SAFE_INTEGER_MAX ||
							   in->item.integer > SAFE_INTEGER_MAX))
					return ATID_RECORD_INTEGER_SAFE;
				break;
			case ATID_CBOR_MAP_END:
				problem = model ? map_problem(in, level, rules) : ATID_OK;
				if (problem != ATID_OK)
				{
					*of_item = false;
					return problem;
				}
				atid_inspect_leave(in);
				break;
			case ATID_CBOR_ARRAY_END:
				atid_inspect_leave(in);
				break;
			default:
				break;
		}

		/* the $type of the level that the value belongs to */
		if (model && level->map && event != ATID_CBOR_KEY && event != ATID_CBOR_MAP_END &&
			atid_level_key_is(level, "$type", 5))
		{
			problem = type_problem(in, level, event, strict);
			if (problem != ATID_OK)
				return problem;
		}
	}
}

AtidFault
atid_find_problem(AtidInspector *in, AtidRules rules, bool *of_item)
{
	/* four copies of the loop: the rules of one do not slow down another */
	switch (rules)
	{
		case ATID_RULES_CODEC:
			return find_problem(in, ATID_RULES_CODEC, NULL, of_item);
		case ATID_RULES_MODEL:
			return find_problem(in, ATID_RULES_MODEL, NULL, of_item);
		case ATID_RULES_STRICT:
			break;
	}
	return find_problem(in, ATID_RULES_STRICT, NULL, of_item);
}

/*
 * The "$type" of each map that a schema asks for.
 *
 * In a block it is behind the values of keys with fewer characters, which are passed over.
 * So a byte could be passed over once for each map that it is in.  When more bytes have been
 * passed over than the block has, or a fault was found, all types are noted at once, in 16
 * bytes for each byte of the block at most, and are looked up from then on.
 */
typedef struct TypeOfMap
{
	uint32		map;			/* the map's offset in the block */
	uint32		type;			/* that of its "$type", or 0 */
} TypeOfMap;

typedef struct TypeFinder
{
	AtidInspector *in;
	uint64		passed;			/* bytes */
	TypeOfMap  *types;			/* in the order of the maps; NULL if not noted */
	size_t		count;
	size_t		room;
} TypeFinder;

static void
add_map(TypeFinder *finder, size_t offset)
{
	if (finder->count == finder->room)
	{
		finder->room *= 2;
		finder->types = repalloc_huge(finder->types, finder->room * sizeof(TypeOfMap));
	}
	finder->types[finder->count++] = (TypeOfMap)
	{
		(uint32) offset, 0
	};
}

/*
 * Note the types of all maps up to the block's end, or up to its fault.
 */
static void
note_types(TypeFinder *finder)
{
	const AtidCborReader *block = finder->in->reader;
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	size_t		open[ATID_CBOR_DEPTH_MAX + 1];	/* the map at each depth */
	bool		is_type = false;

	finder->room = 16;
	finder->types = palloc(finder->room * sizeof(TypeOfMap));
	atid_cbor_reader_init(&reader, block->begin, block->end - block->begin);
	reader.pause = block->pause;
	do
	{
		CHECK_FOR_INTERRUPTS();
		event = atid_cbor_next(&reader, &item);
		if (event == ATID_CBOR_MAP)
		{
			add_map(finder, atid_cbor_offset(&reader));
			open[reader.depth] = finder->count - 1;
		}
		else if (event == ATID_CBOR_TEXT && is_type)
			finder->types[open[reader.depth]].type = (uint32) atid_cbor_offset(&reader);
		is_type = event == ATID_CBOR_KEY && atid_cbor_item_is(&item, "$type");
	} while (event != ATID_CBOR_END && event != ATID_CBOR_FAULT);
}

/*
 * The offset of the "$type" of a map; 0 if it has none that is a text.
 */
static uint32
noted_type(const TypeFinder *finder, uint32 map)
{
	size_t		low = 0;
	size_t		high = finder->count;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (finder->types[middle].map == map)
			return finder->types[middle].type;
		if (finder->types[middle].map < map)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/*
 * The "$type" of the map that the inspector has just reached, if it is a text.
 */
static bool
type_of_map(void *arg, const char **type, size_t *len)
{
	TypeFinder *finder = arg;
	const AtidCborReader *block = finder->in->reader;
	AtidSeek	seek = {0};
	AtidSeekResult result;
	uint64		size;

	if (finder->in->walk != NULL)
		return atid_jsonb_type(finder->in->walk, type, len);
	size = block->end - block->begin;
	seek.end = block->end;
	seek.pause = block->pause;
	if (finder->passed > size)
	{
		uint32		offset;

		if (finder->types == NULL)
			note_types(finder);
		offset = noted_type(finder, (uint32) atid_cbor_offset(block));
		seek.p = block->begin + offset;
		return offset != 0 && atid_seek_text(&seek, type, len);
	}
	seek.p = block->at;
	result = atid_seek_step(&seek, "$type", 5);
	/* each map around the fault would lead to it again */
	finder->passed += result == ATID_SEEK_FAULT ? size + 1 : (uint64) (seek.p - block->at);
	return result == ATID_SEEK_FOUND && atid_seek_text(&seek, type, len);
}

AtidFault
atid_find_nonconformity(AtidInspector *in, AtidConform *conform, bool *of_item)
{
	TypeFinder	finder = {.in = in};
	AtidFault	fault;

	conform->type_of = type_of_map;
	conform->arg = &finder;
	fault = find_problem(in, ATID_RULES_MODEL, conform, of_item);
	if (finder.types != NULL)
		pfree(finder.types);
	return fault;
}

char *
atid_problem_text(const AtidInspector *in, AtidFault problem, bool of_item)
{
	return psprintf("%s: %s", atid_inspect_path(in, in->depth, of_item),
					atid_fault_sentence(problem, NULL));
}

char *
atid_describe_problem(Jsonb *jb, AtidRules rules)
{
	AtidJsonbWalk walk;
	AtidInspector in;
	bool		of_item;
	AtidFault	problem;

	atid_jsonb_walk_init(&walk, &jb->root);
	atid_inspect_init(&in, NULL, &walk);
	problem = atid_find_problem(&in, rules, &of_item);
	if (problem == ATID_OK)
		return NULL;
	return atid_problem_text(&in, problem, of_item);
}
