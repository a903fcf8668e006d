/*-------------------------------------------------------------------------
 *
 * record.c
 *		Records: jsonb to DAG-CBOR and back, what is wrong with them, and what
 *		they refer to.
 *
 * Codec and model are two things.  The codec (record_to_dag_cbor and back)
 * carries any value that DAG-CBOR and JSON both can say, any CIDv1 in its
 * links, any value on top.  The model (record_is_valid, record_problem) asks
 * for more ("Data Model"):
 *
 *		the top is an object;
 *		"$type" is a string that is not empty, wherever it stands;
 *		links are blessed (multiformat.h);
 *		a blob, an object of $type "blob", has a ref that is a link of codec raw,
 *		a mimeType that is not empty, and a size that is an integer of 0 or
 *		more.  (The specification says more than 0; there are records with 0.)
 *
 * A legacy blob, an object with cid and mimeType and no $type, is nothing
 * special to the model, and is reported as a blob.
 *
 * Both forms are read as one stream of events: a block by the reader of
 * dagcbor.c, a jsonb by the walk of jsonb/walk.c.  The inspector below follows
 * either, and knows at each event where it is.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/base64.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

#include "cid.h"
#include "compat.h"
#include "codec/dagcbor.h"
#include "jsonb/walk.h"
#include "codec/multiformat.h"

PG_FUNCTION_INFO_V1(atid_record_to_dag_cbor);
PG_FUNCTION_INFO_V1(atid_dag_cbor_to_record);
PG_FUNCTION_INFO_V1(atid_dag_cbor_to_json);
PG_FUNCTION_INFO_V1(atid_dag_cbor_is_valid);
PG_FUNCTION_INFO_V1(atid_record_cid);
PG_FUNCTION_INFO_V1(atid_record_is_valid);
PG_FUNCTION_INFO_V1(atid_record_problem);
PG_FUNCTION_INFO_V1(atid_record_links);
PG_FUNCTION_INFO_V1(atid_record_blobs);
PG_FUNCTION_INFO_V1(atid_dag_cbor_links);
PG_FUNCTION_INFO_V1(atid_dag_cbor_blobs);


/*
 * Where an event is
 */

typedef struct Slice
{
	const char *data;			/* NULL if there is none */
	size_t		len;
} Slice;

/* An open array or map, and what a map has told of itself so far. */
typedef struct Level
{
	bool		map;
	Slice		key;			/* a map's: whose value this is */
	int64		index;			/* an array's: which item this is */
	bool		has_type;
	bool		is_blob;		/* $type is "blob" */
	bool		has_size;
	int64		size;
	Slice		ref;			/* the bytes of the CID */
	Slice		mime_type;
	Slice		cid;			/* as a string, in a legacy blob */
} Level;

typedef struct Inspector
{
	AtidCborReader *reader;		/* the source: a block */
	AtidJsonbWalk *walk;		/* or a jsonb */
	AtidCborItem item;
	int			depth;			/* open arrays and maps */
	bool		keep_refs;		/* copy what ref points to */
	Level		levels[ATID_CBOR_DEPTH_MAX + 1];	/* [0] is the outside */
} Inspector;

/*
 * One field after the other: objects are small and many, and a memset of a level
 * took a twentieth of record_is_valid's time.  A key is set before it is
 * looked at, and a length with its data.
 */
static inline void
level_begin(Level *level, bool map)
{
	level->map = map;
	level->index = -1;
	level->has_type = false;
	level->is_blob = false;
	level->has_size = false;
	level->size = 0;
	level->ref.data = NULL;
	level->mime_type.data = NULL;
	level->cid.data = NULL;
}

static void
inspect_begin(Inspector *in, AtidCborReader *reader, AtidJsonbWalk *walk)
{
	in->reader = reader;
	in->walk = walk;
	in->depth = 0;
	in->keep_refs = false;
	level_begin(&in->levels[0], false);
}

static inline bool
key_is(const Level *level, const char *name, size_t len)
{
	return level->key.len == len && memcmp(level->key.data, name, len) == 0;
}

static Slice
slice_of(const AtidCborItem *item)
{
	Slice		s = {(const char *) item->data, item->len};

	return s;
}

/*
 * Note what the value of one of a map's own keys says.  Those that matter are
 * told apart by their length first, for all others are passed over here.
 */
static void
note_value(Inspector *in, Level *level, AtidCborEvent event)
{
	const AtidCborItem *item = &in->item;

	switch (level->key.len)
	{
		case 3:
			if (event == ATID_CBOR_LINK && key_is(level, "ref", 3))
			{
				level->ref = slice_of(item);
				/* the walk overwrites it with the next link */
				if (in->walk != NULL && in->keep_refs)
				{
					char	   *copy = palloc(item->len);

					memcpy(copy, item->data, item->len);
					level->ref.data = copy;
				}
			}
			else if (event == ATID_CBOR_TEXT && key_is(level, "cid", 3))
				level->cid = slice_of(item);
			break;
		case 4:
			if (event == ATID_CBOR_INTEGER && key_is(level, "size", 4))
			{
				level->has_size = true;
				level->size = item->integer;
			}
			break;
		case 5:
			if (key_is(level, "$type", 5))
			{
				level->has_type = true;
				level->is_blob = event == ATID_CBOR_TEXT && item->len == 4 &&
					memcmp(item->data, "blob", 4) == 0;
			}
			break;
		case 8:
			/* SQL's text cannot hold a U+0000, and no MIME type has one */
			if (event == ATID_CBOR_TEXT && !item->nul && key_is(level, "mimeType", 8))
				level->mime_type = slice_of(item);
			break;
	}
}

/*
 * The next event of the source.  On return the top level is the one the event
 * belongs to: for a value its parent, for an end the array or map that ends.
 */
static pg_attribute_always_inline AtidCborEvent
inspect_next(Inspector *in)
{
	AtidCborEvent event = in->reader != NULL ?
		atid_cbor_next(in->reader, &in->item) :
		atid_jsonb_next(in->walk, &in->item);
	Level	   *level = &in->levels[in->depth];

	switch (event)
	{
		case ATID_CBOR_KEY:
			level->key = slice_of(&in->item);
			break;
		case ATID_CBOR_END:
		case ATID_CBOR_ARRAY_END:
		case ATID_CBOR_MAP_END:
			break;
		default:
			/* a fault is in an item, too */
			if (!level->map)
				level->index++;
			else if (event != ATID_CBOR_FAULT)
				note_value(in, level, event);
	}
	return event;
}

/* An array or map was begun: what comes next is in it. */
static void
inspect_enter(Inspector *in, AtidCborEvent event)
{
	Level	   *level = &in->levels[++in->depth];

	level_begin(level, event == ATID_CBOR_MAP);
}

static inline void
inspect_leave(Inspector *in)
{
	in->depth--;
}

static bool
is_plain_key(Slice key)
{
	for (size_t i = 0; i < key.len; i++)
	{
		char		c = key.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
			  (i > 0 && c >= '0' && c <= '9')))
			return false;
	}
	return key.len > 0;
}

/*
 * Append a text as JSON has it.  Unlike the server's function this takes
 * U+0000, and texts without a terminator.
 */
static void
append_json_string(StringInfo buf, const char *s, size_t len)
{
	size_t		done = 0;

	appendStringInfoCharMacro(buf, '"');
	for (size_t i = 0; i < len; i++)
	{
		unsigned char c = (unsigned char) s[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		appendBinaryStringInfo(buf, s + done, (int) (i - done));
		done = i + 1;
		switch (c)
		{
			case '"':
				appendStringInfoString(buf, "\\\"");
				break;
			case '\\':
				appendStringInfoString(buf, "\\\\");
				break;
			case '\n':
				appendStringInfoString(buf, "\\n");
				break;
			case '\r':
				appendStringInfoString(buf, "\\r");
				break;
			case '\t':
				appendStringInfoString(buf, "\\t");
				break;
			default:
				appendStringInfo(buf, "\\u%04x", c);
		}
	}
	appendBinaryStringInfo(buf, s + done, (int) (len - done));
	appendStringInfoCharMacro(buf, '"');
}

/*
 * The path of the value that the last event belongs to, like
 * $.embed.images[2].image: of the array or map at depth, or of its current item.
 * In the server's encoding.
 */
static char *
path_at(const Inspector *in, int depth, bool of_item)
{
	StringInfoData buf;
	int			last = of_item ? depth : depth - 1;

	initStringInfo(&buf);
	appendStringInfoChar(&buf, '$');
	for (int i = 1; i <= last; i++)
	{
		const Level *level = &in->levels[i];

		if (!level->map)
			appendStringInfo(&buf, "[" INT64_FORMAT "]", level->index);
		else if (is_plain_key(level->key))
		{
			appendStringInfoChar(&buf, '.');
			appendBinaryStringInfo(&buf, level->key.data, (int) level->key.len);
		}
		else
		{
			appendStringInfoChar(&buf, '[');
			append_json_string(&buf, level->key.data, level->key.len);
			appendStringInfoChar(&buf, ']');
		}
	}
	return pg_any_to_server(buf.data, buf.len, PG_UTF8);
}


/*
 * The model
 */

typedef enum Problem
{
	PROBLEM_NONE,
	PROBLEM_CODEC,				/* the walk's fault */
	PROBLEM_TOP,
	PROBLEM_TYPE,
	PROBLEM_LINK_BLESSED,
	PROBLEM_BLOB_REF,
	PROBLEM_BLOB_CODEC,
	PROBLEM_BLOB_MIME_TYPE,
	PROBLEM_BLOB_SIZE
} Problem;

static const char *
problem_words(Problem problem, const AtidJsonbWalk *walk)
{
	switch (problem)
	{
		case PROBLEM_NONE:
			return "No problem.";
		case PROBLEM_CODEC:
			return atid_jsonb_words(walk->fault, walk->cid_fault);
		case PROBLEM_TOP:
			return "A record is an object.";
		case PROBLEM_TYPE:
			return "A \"$type\" is a string that is not empty.";
		case PROBLEM_LINK_BLESSED:
			return "The CID is none that the protocol makes: "
				"codec dag-cbor or raw, SHA-256 of 32 bytes.";
		case PROBLEM_BLOB_REF:
			return "A blob has a \"ref\", which is a link.";
		case PROBLEM_BLOB_CODEC:
			return "The \"ref\" of a blob has the codec raw.";
		case PROBLEM_BLOB_MIME_TYPE:
			return "A blob has a \"mimeType\", which is a string that is not empty.";
		case PROBLEM_BLOB_SIZE:
			return "A blob has a \"size\", which is an integer of 0 or more.";
	}
	return "Unknown problem.";
}

/*
 * Is the current item at fault, or the object that it is in?
 */
static bool
fault_is_of_item(const AtidJsonbWalk *walk)
{
	return walk->fault != ATID_JSONB_LINK_KEYS && walk->fault != ATID_JSONB_BYTES_KEYS;
}

/* The SQLSTATE of a walk's fault. */
static int
fault_code(const AtidJsonbWalk *walk)
{
	return walk->fault == ATID_JSONB_DEPTH ?
		ERRCODE_PROGRAM_LIMIT_EXCEEDED : ERRCODE_INVALID_PARAMETER_VALUE;
}

/*
 * What is wrong with a map that ends here, which says that it is a blob?
 */
static Problem
blob_problem(const Level *level)
{
	if (level->ref.data == NULL)
		return PROBLEM_BLOB_REF;
	if (level->ref.len == 0)
		return PROBLEM_BLOB_CODEC;
	if (level->mime_type.data == NULL || level->mime_type.len == 0)
		return PROBLEM_BLOB_MIME_TYPE;
	if (!level->has_size || level->size < 0)
		return PROBLEM_BLOB_SIZE;
	return PROBLEM_NONE;
}

/*
 * The first problem of a record, and where: at the item that the inspector has
 * come to, or at the array or map itself.
 */
static Problem
find_problem(Inspector *in, bool model, bool *of_item)
{
	*of_item = true;
	for (;;)
	{
		AtidCborEvent event = inspect_next(in);
		Level	   *level = &in->levels[in->depth];

		if (event == ATID_CBOR_FAULT)
		{
			*of_item = fault_is_of_item(in->walk);
			return PROBLEM_CODEC;
		}
		if (event == ATID_CBOR_END)
			return PROBLEM_NONE;
		if (model && in->depth == 0 && event != ATID_CBOR_MAP && event != ATID_CBOR_MAP_END)
			return PROBLEM_TOP;

		switch (event)
		{
			case ATID_CBOR_LINK:
				if (model &&
					!atid_cid_is_blessed(in->item.data, in->item.len))
					return PROBLEM_LINK_BLESSED;
				/* a ref of another codec counts as one without bytes */
				if (level->map && key_is(level, "ref", 3) &&
					in->item.data[1] != ATID_CODEC_RAW)
					level->ref.len = 0;
				break;
			case ATID_CBOR_MAP:
			case ATID_CBOR_ARRAY:
				inspect_enter(in, event);
				break;
			case ATID_CBOR_MAP_END:
				if (model && level->is_blob)
				{
					Problem		problem = blob_problem(level);

					if (problem != PROBLEM_NONE)
					{
						*of_item = false;
						return problem;
					}
				}
				inspect_leave(in);
				break;
			case ATID_CBOR_ARRAY_END:
				inspect_leave(in);
				break;
			default:
				break;
		}

		/* the $type of the level that the value belongs to */
		if (model && level->map && event != ATID_CBOR_KEY && event != ATID_CBOR_MAP_END &&
			key_is(level, "$type", 5) &&
			(event != ATID_CBOR_TEXT || in->item.len == 0))
		{
			if (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)
				inspect_leave(in);
			return PROBLEM_TYPE;
		}
	}
}

/*
 * The first problem of a jsonb as a sentence with its path, or NULL.
 */
static char *
describe_problem(Jsonb *jb, bool model)
{
	AtidJsonbWalk walk;
	Inspector	in;
	bool		of_item;
	Problem		problem;

	atid_jsonb_walk_init(&walk, &jb->root);
	inspect_begin(&in, NULL, &walk);
	problem = find_problem(&in, model, &of_item);
	if (problem == PROBLEM_NONE)
		return NULL;
	return psprintf("%s: %s", path_at(&in, in.depth, of_item),
					problem_words(problem, &walk));
}

Datum
atid_record_is_valid(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	AtidJsonbWalk walk;
	Inspector	in;
	bool		of_item;
	Problem		problem;

	atid_jsonb_walk_init(&walk, &jb->root);
	inspect_begin(&in, NULL, &walk);
	problem = find_problem(&in, true, &of_item);
	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_BOOL(problem == PROBLEM_NONE);
}

Datum
atid_record_problem(PG_FUNCTION_ARGS)
{
	char	   *problem = describe_problem(PG_GETARG_JSONB_P(0), true);

	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}


/*
 * jsonb to DAG-CBOR
 */

/*
 * The block is written behind a varlena's header, so that it need not be copied
 * into one.
 */
static bool
grow_block(AtidCborWriter *writer, size_t new_cap)
{
	char	   *block = (char *) writer->data - VARHDRSZ;

	block = repalloc(block, VARHDRSZ + new_cap);
	writer->data = (uint8_t *) block + VARHDRSZ;
	writer->cap = new_cap;
	return true;
}

/* A pair of a map: where its key and its end are in the block. */
typedef struct Pair
{
	size_t		key;
	size_t		key_len;
	size_t		begin;			/* of the key's head */
	size_t		end;
} Pair;

/*
 * The pairs of all maps that are open, where their order is not that of the
 * jsonb; maps follow each other in it as they nest.
 */
typedef struct Sorter
{
	Pair	   *pairs;
	int			used;
	int			size;
	int			first[ATID_CBOR_DEPTH_MAX + 1]; /* of each level */
	int			depth;
} Sorter;

static void
sorter_key(Sorter *sorter, size_t begin, size_t key, size_t key_len)
{
	Pair	   *pair;

	if (sorter->used == sorter->size)
	{
		sorter->size = sorter->size > 0 ? sorter->size * 2 : 64;
		sorter->pairs = sorter->pairs == NULL ?
			palloc(sorter->size * sizeof(Pair)) :
			repalloc_huge(sorter->pairs, sorter->size * sizeof(Pair));
	}
	if (sorter->used > sorter->first[sorter->depth])
		sorter->pairs[sorter->used - 1].end = begin;
	pair = &sorter->pairs[sorter->used++];
	pair->begin = begin;
	pair->key = key;
	pair->key_len = key_len;
}

static int
compare_pairs(const void *a, const void *b, void *arg)
{
	const Pair *x = a;
	const Pair *y = b;
	const uint8_t *base = arg;

	return atid_cbor_key_cmp(base + x->key, x->key_len, base + y->key, y->key_len);
}

/*
 * A map ends: put its pairs in order.
 */
static void
sorter_map_end(Sorter *sorter, AtidCborWriter *writer)
{
	int			first = sorter->first[sorter->depth];
	int			n = sorter->used - first;
	Pair	   *pairs = sorter->pairs + first;
	size_t		begin;
	uint8_t    *sorted;
	int			sorted_pairs = 1;
	size_t		at = 0;

	sorter->used = first;
	if (n == 0 || writer->error != ATID_CBOR_OK)
		return;
	pairs[n - 1].end = writer->len;
	begin = pairs[0].begin;

	/* most are in order already: ASCII keys are */
	CHECK_FOR_INTERRUPTS();
	while (sorted_pairs < n &&
		   compare_pairs(&pairs[sorted_pairs - 1], &pairs[sorted_pairs], writer->data) < 0)
		sorted_pairs++;
	if (sorted_pairs == n)
		return;

	qsort_arg(pairs, n, sizeof(Pair), compare_pairs, writer->data);
	sorted = palloc_extended(writer->len - begin, MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		/* two keys can become one by conversion */
		if (i > 0 && compare_pairs(&pairs[i - 1], &pairs[i], writer->data) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("record cannot be encoded as DAG-CBOR"),
					 errdetail("%s", atid_cbor_words(ATID_CBOR_KEY_TWICE, 0))));
		memcpy(sorted + at, writer->data + pairs[i].begin, pairs[i].end - pairs[i].begin);
		at += pairs[i].end - pairs[i].begin;
	}
	memcpy(writer->data + begin, sorted, at);
	pfree(sorted);
}

static void
sorter_enter(Sorter *sorter)
{
	sorter->first[++sorter->depth] = sorter->used;
}

/*
 * The block of a jsonb, as a varlena.
 */
static bytea *
encode(Jsonb *jb)
{
	AtidJsonbWalk walk;
	AtidCborItem item;
	AtidCborEvent event;
	AtidCborWriter writer = {0};
	Sorter		sorter;
	bytea	   *block;

	/* most blocks are no larger than their jsonb */
	writer.cap = Min(VARSIZE(jb) + 64, ATID_CBOR_SIZE_MAX);
	block = palloc(VARHDRSZ + writer.cap);
	writer.data = (uint8_t *) VARDATA(block);
	writer.grow = grow_block;

	sorter.pairs = NULL;
	sorter.used = sorter.size = sorter.depth = 0;

	atid_jsonb_walk_init(&walk, &jb->root);
	while ((event = atid_jsonb_next(&walk, &item)) != ATID_CBOR_END)
	{
		switch (event)
		{
			case ATID_CBOR_FAULT:
				ereport(ERROR,
						(errcode(fault_code(&walk)),
						 errmsg("record cannot be encoded as DAG-CBOR"),
						 errdetail("%s", describe_problem(jb, false))));
				break;
			case ATID_CBOR_INTEGER:
				atid_cbor_put_integer(&writer, item.integer);
				break;
			case ATID_CBOR_BYTES:
				atid_cbor_put_bytes(&writer, item.data, item.len);
				break;
			case ATID_CBOR_TEXT:
				atid_cbor_put_text(&writer, item.data, item.len);
				break;
			case ATID_CBOR_KEY:
				{
					size_t		begin = writer.len;

					atid_cbor_put_text(&writer, item.data, item.len);
					if (!walk.utf8)
						sorter_key(&sorter, begin, writer.len - item.len, item.len);
					break;
				}
			case ATID_CBOR_LINK:
				atid_cbor_put_link(&writer, item.data, item.len);
				break;
			case ATID_CBOR_BOOL:
				atid_cbor_put_bool(&writer, item.integer != 0);
				break;
			case ATID_CBOR_NULL:
				atid_cbor_put_null(&writer);
				break;
			case ATID_CBOR_ARRAY:
				atid_cbor_put_array(&writer, item.len);
				if (!walk.utf8)
					sorter_enter(&sorter);
				break;
			case ATID_CBOR_MAP:
				atid_cbor_put_map(&writer, item.len);
				if (!walk.utf8)
					sorter_enter(&sorter);
				break;
			case ATID_CBOR_MAP_END:
				if (!walk.utf8)
				{
					sorter_map_end(&sorter, &writer);
					sorter.depth--;
				}
				break;
			case ATID_CBOR_ARRAY_END:
				if (!walk.utf8)
					sorter.depth--;
				break;
			case ATID_CBOR_END:
				break;
		}
	}

	if (writer.error != ATID_CBOR_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("record cannot be encoded as DAG-CBOR"),
				 errdetail("%s", atid_cbor_words(writer.error, 0))));

	if (sorter.pairs != NULL)
		pfree(sorter.pairs);
	if (walk.scratch != NULL)
		pfree(walk.scratch);
	block = (bytea *) (writer.data - VARHDRSZ);
	SET_VARSIZE(block, VARHDRSZ + writer.len);
	return block;
}

Datum
atid_record_to_dag_cbor(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	bytea	   *block = encode(jb);

	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_BYTEA_P(block);
}

/*
 * record_cid(jsonb): the CID that the network knows the record by.
 */
Datum
atid_record_cid(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	bytea	   *block = encode(jb);
	Datum		cid = atid_cid_of_block(ATID_CODEC_DAG_CBOR, VARDATA(block),
										VARSIZE(block) - VARHDRSZ);

	pfree(block);
	PG_FREE_IF_COPY(jb, 0);
	PG_RETURN_DATUM(cid);
}


/*
 * DAG-CBOR to JSON
 */

static void
reader_begin(AtidCborReader *reader, bytea *block)
{
	atid_cbor_reader_init(reader, VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block));
}

static void
reader_fault(const AtidCborReader *reader)
{
	ereport(ERROR,
			(errcode(reader->error == ATID_CBOR_DEPTH ?
					 ERRCODE_PROGRAM_LIMIT_EXCEEDED :
					 ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid DAG-CBOR"),
			 errdetail("At byte %zu: %s", atid_cbor_offset(reader),
					   atid_cbor_words(reader->error, reader->cid_fault))));
}

/*
 * JSON's names of what it has no type for: an object of this key could not be
 * told from them.
 */
static bool
is_special_key(const AtidCborItem *item)
{
	return (item->len == 5 && memcmp(item->data, "$link", 5) == 0) ||
		(item->len == 6 && memcmp(item->data, "$bytes", 6) == 0);
}

static void
special_key_fault(const AtidCborReader *reader, const AtidCborItem *item)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("block cannot be expressed as JSON"),
			 errdetail("At byte %zu: A map has the key \"%.*s\", which in JSON stands for something else.",
					   atid_cbor_offset(reader), (int) item->len, (const char *) item->data)));
}

/* The text of a link or of bytes, without a terminator. */
static char *
special_text(AtidCborEvent event, const AtidCborItem *item, size_t *len)
{
	char	   *text;

	if (event == ATID_CBOR_LINK)
	{
		*len = atid_cid_text_len(item->len);
		text = palloc(*len);
		atid_cid_to_text(item->data, item->len, text);
		return text;
	}

	/* base64 counts in int, and no longer text fits into a value anyway */
	if (item->len > MaxAllocSize / 4 * 3 - 3)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a byte string of %zu bytes is too long for JSON", item->len)));
	*len = (size_t) pg_b64_enc_len((int) item->len);
	text = palloc(*len + 1);
	*len = (size_t) pg_b64_encode((const void *) item->data, (int) item->len, text, (int) *len);
	while (*len > 0 && text[*len - 1] == '=')
		(*len)--;
	return text;
}

Datum
atid_dag_cbor_is_valid(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	uint64		events = 0;

	reader_begin(&reader, block);
	do
	{
		if ((++events & 0xFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		event = atid_cbor_next(&reader, &item);
	} while (event != ATID_CBOR_END && event != ATID_CBOR_FAULT);
	PG_FREE_IF_COPY(block, 0);
	PG_RETURN_BOOL(event == ATID_CBOR_END);
}

/*
 * dag_cbor_to_json(bytea): as text, so that it can hold what jsonb cannot,
 * which is U+0000.
 */
Datum
atid_dag_cbor_to_json(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	StringInfoData buf;
	bool		comma = false;
	uint64		events = 0;
	char	   *text;
	size_t		len;

	initStringInfo(&buf);
	reader_begin(&reader, block);
	while ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
	{
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (event == ATID_CBOR_FAULT)
			reader_fault(&reader);
		if (comma && event != ATID_CBOR_ARRAY_END && event != ATID_CBOR_MAP_END)
			appendStringInfoCharMacro(&buf, ',');
		comma = true;

		switch (event)
		{
			case ATID_CBOR_INTEGER:
				appendStringInfo(&buf, INT64_FORMAT, item.integer);
				break;
			case ATID_CBOR_TEXT:
				append_json_string(&buf, (const char *) item.data, item.len);
				break;
			case ATID_CBOR_KEY:
				if (is_special_key(&item))
					special_key_fault(&reader, &item);
				append_json_string(&buf, (const char *) item.data, item.len);
				appendStringInfoCharMacro(&buf, ':');
				comma = false;
				break;
			case ATID_CBOR_LINK:
			case ATID_CBOR_BYTES:
				appendStringInfoString(&buf, event == ATID_CBOR_LINK ?
									   "{\"$link\":\"" : "{\"$bytes\":\"");
				text = special_text(event, &item, &len);
				appendBinaryStringInfo(&buf, text, (int) len);
				pfree(text);
				appendStringInfoString(&buf, "\"}");
				break;
			case ATID_CBOR_BOOL:
				appendStringInfoString(&buf, item.integer ? "true" : "false");
				break;
			case ATID_CBOR_NULL:
				appendStringInfoString(&buf, "null");
				break;
			case ATID_CBOR_ARRAY:
				appendStringInfoCharMacro(&buf, '[');
				comma = false;
				break;
			case ATID_CBOR_ARRAY_END:
				appendStringInfoCharMacro(&buf, ']');
				break;
			case ATID_CBOR_MAP:
				appendStringInfoCharMacro(&buf, '{');
				comma = false;
				break;
			case ATID_CBOR_MAP_END:
				appendStringInfoCharMacro(&buf, '}');
				break;
			case ATID_CBOR_FAULT:
			case ATID_CBOR_END:
				break;
		}
	}
	PG_RETURN_TEXT_P(cstring_to_text(pg_any_to_server(buf.data, buf.len, PG_UTF8)));
}

/* What jsonb is built with; builder.result is the whole, when it is whole. */
#ifdef ATID_HAVE_JSONB_IN_STATE

typedef JsonbInState JsonbBuilder;

static inline void
push(JsonbBuilder *builder, JsonbIteratorToken token, JsonbValue *v)
{
	pushJsonbValue(builder, token, v);
}

#else

typedef struct JsonbBuilder
{
	JsonbParseState *state;
	JsonbValue *result;
} JsonbBuilder;

static inline void
push(JsonbBuilder *builder, JsonbIteratorToken token, JsonbValue *v)
{
	builder->result = pushJsonbValue(&builder->state, token, v);
}

#endif

/*
 * A text for jsonb, in the server's encoding; it may point into the block.
 */
static void
set_jsonb_string(JsonbValue *v, const AtidCborReader *reader, const AtidCborItem *item)
{
	char	   *text = (char *) item->data;
	char	   *converted;

	if (item->nul)
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("block cannot be expressed as jsonb"),
				 errdetail("At byte %zu: The text has a U+0000 in it, which jsonb cannot hold.",
						   atid_cbor_offset(reader)),
				 errhint("Use atid.dag_cbor_to_json.")));
	v->type = jbvString;
	v->val.string.val = text;
	v->val.string.len = (int) item->len;
	converted = pg_any_to_server(text, (int) item->len, PG_UTF8);
	if (converted != text)
	{
		v->val.string.val = converted;
		v->val.string.len = (int) strlen(converted);
	}
}

/*
 * The memory that a jsonb may take while it is built.  The builder takes some
 * hundred bytes for an array or an object, however empty, and a block one; so a
 * block of some megabytes could ask for all the memory there is.
 */
#define BUILD_MAX		(UINT64CONST(2) * 1024 * 1024 * 1024)
#define BUILD_CONTAINER 600

/*
 * May an array or an object of so many items or pairs, of this size, be built?
 * What is built already is counted in *built.
 *
 * Items are in memory that doubles from four of them on, as one piece: too many
 * are refused before the first.
 */
static void
check_count(const AtidCborReader *reader, size_t count, size_t size, uint64 *built)
{
	size_t		most = 4;

	*built += BUILD_CONTAINER + (uint64) count * size;
	if (*built > BUILD_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("block cannot be expressed as jsonb"),
				 errdetail("At byte %zu: The arrays and maps up to here would take more than 2 GB to build.",
						   atid_cbor_offset(reader)),
				 errhint("Use atid.dag_cbor_to_json.")));

	while (most * 2 * size <= MaxAllocSize)
		most *= 2;
	if (count > most)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("block cannot be expressed as jsonb"),
				 errdetail("At byte %zu: An array or map has %zu items, and jsonb is built of %zu at most.",
						   atid_cbor_offset(reader), count, most),
				 errhint("Use atid.dag_cbor_to_json.")));
}

static void
push_special(JsonbBuilder *builder, AtidCborEvent event, const AtidCborItem *item)
{
	JsonbValue	v;
	size_t		len;

	push(builder, WJB_BEGIN_OBJECT, NULL);
	v.type = jbvString;
	v.val.string.val = event == ATID_CBOR_LINK ? "$link" : "$bytes";
	v.val.string.len = event == ATID_CBOR_LINK ? 5 : 6;
	push(builder, WJB_KEY, &v);
	v.val.string.val = special_text(event, item, &len);
	v.val.string.len = (int) len;
	push(builder, WJB_VALUE, &v);
	push(builder, WJB_END_OBJECT, NULL);
}

/*
 * The jsonb that was built of a block.  Encodings other than UTF-8 may have one
 * code for two characters.  Then keys fall together, or the block would not come
 * back as it was, so there it is tried.
 */
static Datum
record_of_block(JsonbValue *v, bytea *block)
{
	Jsonb	   *jb = JsonbValueToJsonb(v);

	if (GetDatabaseEncoding() != PG_UTF8)
	{
		bytea	   *back = encode(jb);

		if (VARSIZE_ANY_EXHDR(back) != VARSIZE_ANY_EXHDR(block) ||
			memcmp(VARDATA_ANY(back), VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
					 errmsg("block cannot be expressed as jsonb"),
					 errdetail("It has characters that encoding \"%s\" does not tell apart.",
							   GetDatabaseEncodingName())));
		pfree(back);
	}
	PG_RETURN_JSONB_P(jb);
}

Datum
atid_dag_cbor_to_record(PG_FUNCTION_ARGS)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event = ATID_CBOR_END;
	JsonbBuilder builder = {0};
	JsonbValue	v;
	uint64		events = 0;
	uint64		built = 0;

	reader_begin(&reader, block);
	for (;;)
	{
		/* a scalar is a map's value where it comes after a key */
		JsonbIteratorToken token = event == ATID_CBOR_KEY ? WJB_VALUE : WJB_ELEM;

		event = atid_cbor_next(&reader, &item);
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();

		switch (event)
		{
			case ATID_CBOR_FAULT:
				reader_fault(&reader);
				break;
			case ATID_CBOR_ARRAY:
				check_count(&reader, item.len, sizeof(JsonbValue), &built);
				push(&builder, WJB_BEGIN_ARRAY, NULL);
				continue;
			case ATID_CBOR_ARRAY_END:
				push(&builder, WJB_END_ARRAY, NULL);
				continue;
			case ATID_CBOR_MAP:
				check_count(&reader, item.len, sizeof(JsonbPair), &built);
				push(&builder, WJB_BEGIN_OBJECT, NULL);
				continue;
			case ATID_CBOR_MAP_END:
				push(&builder, WJB_END_OBJECT, NULL);
				continue;
			case ATID_CBOR_KEY:
				if (is_special_key(&item))
					special_key_fault(&reader, &item);
				set_jsonb_string(&v, &reader, &item);
				push(&builder, WJB_KEY, &v);
				continue;
			case ATID_CBOR_LINK:
			case ATID_CBOR_BYTES:
				push_special(&builder, event, &item);
				continue;
			case ATID_CBOR_INTEGER:
				v.type = jbvNumeric;
				v.val.numeric = int64_to_numeric(item.integer);
				break;
			case ATID_CBOR_TEXT:
				set_jsonb_string(&v, &reader, &item);
				break;
			case ATID_CBOR_BOOL:
				v.type = jbvBool;
				v.val.boolean = item.integer != 0;
				break;
			case ATID_CBOR_NULL:
				v.type = jbvNull;
				break;
			case ATID_CBOR_END:
				return record_of_block(builder.result, block);
		}

		if (reader.depth > 0)
			push(&builder, token, &v);
		else
		{
			/* the builder takes no scalar on top, but the server does */
			if (atid_cbor_next(&reader, &item) != ATID_CBOR_END)
				reader_fault(&reader);
			return record_of_block(&v, block);
		}
	}
}


/*
 * What a record refers to
 */

static void
put_link(Inspector *in, ReturnSetInfo *rsinfo)
{
	Datum		values[2];
	bool		nulls[2] = {0};

	values[0] = CStringGetTextDatum(path_at(in, in->depth, true));
	values[1] = atid_cid_datum(in->item.data, in->item.len);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * A map ends; put it if it is a blob, of the present form or of the legacy one.
 */
static void
put_blob(Inspector *in, ReturnSetInfo *rsinfo)
{
	const Level *level = &in->levels[in->depth];
	bool		legacy = !level->has_type && level->cid.data != NULL &&
		level->mime_type.data != NULL && level->mime_type.len > 0;
	Datum		values[5] = {0};
	bool		nulls[5] = {0};

	if (legacy)
	{
		uint8_t    *bytes = palloc(atid_cid_bytes_len(level->cid.len) + 1);
		size_t		at;

		if (atid_cid_from_text(level->cid.data, level->cid.len, bytes, &at) != ATID_CID_OK)
			return;
		values[1] = atid_cid_datum(bytes, atid_cid_bytes_len(level->cid.len));
	}
	else if (level->is_blob && level->ref.data != NULL)
		values[1] = atid_cid_datum((const uint8_t *) level->ref.data, level->ref.len);
	else
		return;

	values[0] = CStringGetTextDatum(path_at(in, in->depth, false));
	if (level->mime_type.data != NULL)
	{
		char	   *mime_type = pnstrdup(level->mime_type.data, level->mime_type.len);

		values[2] = CStringGetTextDatum(pg_any_to_server(mime_type,
														 (int) level->mime_type.len,
														 PG_UTF8));
	}
	nulls[2] = (level->mime_type.data == NULL);
	values[3] = Int64GetDatum(level->size);
	nulls[3] = !level->has_size;
	values[4] = BoolGetDatum(legacy);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * Put a row, and give back the memory that it took: there can be many.
 */
static void
put_row(void (*put) (Inspector *in, ReturnSetInfo *rsinfo),
		Inspector *in, ReturnSetInfo *rsinfo, MemoryContext rows)
{
	MemoryContext caller = MemoryContextSwitchTo(rows);

	put(in, rsinfo);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(rows);
}

/*
 * Put all links, or all blobs, into the set that the caller has begun.
 */
static void
put_all(Inspector *in, ReturnSetInfo *rsinfo, bool blobs)
{
	MemoryContext rows = AllocSetContextCreate(CurrentMemoryContext,
											   "atid rows of a record",
											   ALLOCSET_DEFAULT_SIZES);
	AtidCborEvent event;
	uint64		events = 0;

	in->keep_refs = blobs;
	while ((event = inspect_next(in)) != ATID_CBOR_END)
	{
		if ((++events & 0xFF) == 0)
			CHECK_FOR_INTERRUPTS();

		switch (event)
		{
			case ATID_CBOR_FAULT:
				if (in->reader != NULL)
					reader_fault(in->reader);
				ereport(ERROR,
						(errcode(fault_code(in->walk)),
						 errmsg("invalid record"),
						 errdetail("%s: %s",
								   path_at(in, in->depth, fault_is_of_item(in->walk)),
								   atid_jsonb_words(in->walk->fault, in->walk->cid_fault))));
				break;
			case ATID_CBOR_LINK:
				if (!blobs)
					put_row(put_link, in, rsinfo, rows);
				break;
			case ATID_CBOR_MAP:
			case ATID_CBOR_ARRAY:
				inspect_enter(in, event);
				break;
			case ATID_CBOR_MAP_END:
				if (blobs)
					put_row(put_blob, in, rsinfo, rows);
				inspect_leave(in);
				break;
			case ATID_CBOR_ARRAY_END:
				inspect_leave(in);
				break;
			default:
				break;
		}
	}
	MemoryContextDelete(rows);
}

static Datum
list_of_record(FunctionCallInfo fcinfo, bool blobs)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	AtidJsonbWalk walk;
	Inspector	in;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	atid_jsonb_walk_init(&walk, &jb->root);
	inspect_begin(&in, NULL, &walk);
	put_all(&in, (ReturnSetInfo *) fcinfo->resultinfo, blobs);
	return (Datum) 0;
}

static Datum
list_of_block(FunctionCallInfo fcinfo, bool blobs)
{
	bytea	   *block = PG_GETARG_BYTEA_PP(0);
	AtidCborReader reader;
	Inspector	in;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reader_begin(&reader, block);
	inspect_begin(&in, &reader, NULL);
	put_all(&in, (ReturnSetInfo *) fcinfo->resultinfo, blobs);
	return (Datum) 0;
}

Datum
atid_record_links(PG_FUNCTION_ARGS)
{
	return list_of_record(fcinfo, false);
}

Datum
atid_record_blobs(PG_FUNCTION_ARGS)
{
	return list_of_record(fcinfo, true);
}

Datum
atid_dag_cbor_links(PG_FUNCTION_ARGS)
{
	return list_of_block(fcinfo, false);
}

Datum
atid_dag_cbor_blobs(PG_FUNCTION_ARGS)
{
	return list_of_block(fcinfo, true);
}
