/*-------------------------------------------------------------------------
 *
 * encode.c
 *		The DAG-CBOR block of a jsonb, or of a JSON text.
 *
 * A walk gives the events of the block, in the order of the jsonb's keys.  In a
 * UTF-8 database that is the order of DAG-CBOR.  In other encodings, and for a JSON
 * text, the pairs of a map are sorted when it ends.
 *
 * The number of items of a text's array or object is known only at its end.  Its
 * head is first written as one byte, enough for up to 23 items; a longer head moves
 * the items.  So in the worst case a text is copied once for each level of nesting.
 *
 * Memory, besides the block: 32 bytes for each pair of the open maps; while a map is
 * sorted, as much again for its pairs; and once one was sorted, as much as the block.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "array_sort.h"
#include "codec/cbor/dagcbor.h"
#include "error.h"
#include "record/encode.h"
#include "record/inspector.h"
#include "record/json_reader.h"
#include "record/jsonb_reader.h"
#include "record/model.h"
#include "utf8.h"

/*
 * The block is written after a varlena header, so that it need not be copied into
 * a bytea.
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

/* An open array or map. */
typedef struct Level
{
	bool		map;
	int			first;			/* a map's first pair */
	int64		items;			/* an array's items so far */
	size_t		head;			/* where its head is in the block */
} Level;

/*
 * The block that is written, and the pairs of all open maps, those of the outermost
 * map first.
 */
typedef struct Encoder
{
	AtidCborWriter writer;
	Pair	   *pairs;
	int			used;
	int			size;
	int			depth;
	AtidScratch sorted;			/* for the map that is sorted */
	char	   *twice;			/* NULL, or the problem of a duplicate key */
	Level		levels[ATID_CBOR_DEPTH_MAX + 1];	/* [0] is the outside */
} Encoder;

/*
 * Begin a block; size is a guess at its length.
 */
static void
encoder_init(Encoder *encoder, size_t size)
{
	memset(encoder, 0, offsetof(Encoder, levels) + sizeof(Level));
	encoder->writer.cap = Min(size, ATID_CBOR_SIZE_MAX);
	encoder->writer.data = (uint8_t *) palloc(VARHDRSZ + encoder->writer.cap) + VARHDRSZ;
	encoder->writer.grow = grow_block;
}

/*
 * The finished block; NULL if the writer has a fault.
 */
static bytea *
encoder_finish(Encoder *encoder)
{
	AtidCborWriter *writer = &encoder->writer;
	bytea	   *block = (bytea *) (writer->data - VARHDRSZ);

	if (encoder->pairs != NULL)
		pfree(encoder->pairs);
	if (encoder->sorted.data != NULL)
		pfree(encoder->sorted.data);
	if (writer->fault != ATID_OK)
		return NULL;
	SET_VARSIZE(block, VARHDRSZ + writer->len);
	return block;
}

/*
 * Raise the problem of a record that has no block.
 */
pg_noreturn static void
refuse_encoding(AtidFault fault, const char *problem)
{
	if (fault == ATID_CBOR_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("record cannot be encoded as DAG-CBOR"),
				 errdetail("%s", problem)));
	atid_refuse_record(fault, "record cannot be encoded as DAG-CBOR", problem);
}

/*
 * The path of the array or map that is open, or of its current item.
 */
static char *
encoder_path(const Encoder *encoder, bool of_item)
{
	AtidInspector *in = palloc(sizeof(AtidInspector));

	in->depth = encoder->depth;
	for (int i = 1; i <= encoder->depth; i++)
	{
		const Level *level = &encoder->levels[i];
		int			next = i < encoder->depth ? level[1].first : encoder->used;

		atid_level_init(&in->levels[i], level->map);
		in->levels[i].index = level->items - 1;
		in->levels[i].key.data = "";
		in->levels[i].key.len = 0;
		if (next > level->first)
		{
			const Pair *pair = &encoder->pairs[next - 1];

			in->levels[i].key.data = (const char *) encoder->writer.data + pair->key;
			in->levels[i].key.len = pair->key_len;
		}
	}
	return atid_inspect_path(in, in->depth, of_item);
}

/*
 * Write a key, and note where it is.
 */
static void
put_key(Encoder *encoder, const AtidCborItem *item)
{
	AtidCborWriter *writer = &encoder->writer;
	size_t		begin = writer->len;
	Pair	   *pair;

	atid_cbor_put_text(writer, item->data, item->len);
	if (writer->fault != ATID_OK)
		return;
	if (encoder->used == encoder->size)
	{
		encoder->size = encoder->size > 0 ? encoder->size * 2 : 64;
		encoder->pairs = encoder->pairs == NULL ?
			palloc(encoder->size * sizeof(Pair)) :
			repalloc_huge(encoder->pairs, encoder->size * sizeof(Pair));
	}
	if (encoder->used > encoder->levels[encoder->depth].first)
		encoder->pairs[encoder->used - 1].end = begin;
	pair = &encoder->pairs[encoder->used++];
	pair->begin = begin;
	pair->key = writer->len - item->len;
	pair->key_len = item->len;
}

static int
compare_pairs(const void *a, const void *b, void *arg)
{
	const Pair *x = a;
	const Pair *y = b;
	const uint8_t *base = arg;

	return atid_cbor_key_cmp(base + x->key, x->key_len, base + y->key, y->key_len);
}

/* A JSON text can have a key twice, and conversion can make two keys equal. */
static void
note_key_twice(Encoder *encoder, const Pair *pair)
{
	const char *key = (const char *) encoder->writer.data + pair->key;
	size_t		len = pair->key_len;
	StringInfoData quoted;

	initStringInfo(&quoted);
	key = atid_clip(key, &len, PG_UTF8, ATID_QUOTE_MAX / 4);
	atid_append_json_string(&quoted, key, len);
	encoder->used = encoder->levels[encoder->depth].first;
	encoder->twice = psprintf("%s: A map must not have a key twice. The key is %s.",
							  encoder_path(encoder, false),
							  atid_shown(quoted.data, quoted.len));
}

/*
 * A map ends: sort its pairs in the block, and drop them from the list.  Returns
 * their number.  A duplicate key is noted; the block is then not used.
 */
static int
sort_pairs(Encoder *encoder)
{
	AtidCborWriter *writer = &encoder->writer;
	int			first = encoder->levels[encoder->depth].first;
	int			n = encoder->used - first;
	Pair	   *pairs = encoder->pairs + first;
	size_t		begin;
	uint8_t    *sorted;
	int			sorted_pairs = 1;
	size_t		at = 0;

	if (n == 0)
		return 0;
	pairs[n - 1].end = writer->len;
	begin = pairs[0].begin;

	/* count those that are in order already */
	while (sorted_pairs < n &&
		   compare_pairs(&pairs[sorted_pairs - 1], &pairs[sorted_pairs], writer->data) < 0)
	{
		CHECK_FOR_INTERRUPTS();
		sorted_pairs++;
	}
	if (sorted_pairs < n)
	{
		atid_sort(pairs, n, sizeof(Pair), compare_pairs, writer->data);
		for (int i = 1; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (compare_pairs(&pairs[i - 1], &pairs[i], writer->data) == 0)
			{
				note_key_twice(encoder, &pairs[i]);
				return 0;
			}
		}

		/* as large as it can become: nested maps need a little more each time */
		sorted = (uint8_t *) atid_scratch(&encoder->sorted, writer->cap);
		for (int i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			memcpy(sorted + at, writer->data + pairs[i].begin, pairs[i].end - pairs[i].begin);
			at += pairs[i].end - pairs[i].begin;
		}
		memcpy(writer->data + begin, sorted, at);
	}
	encoder->used = first;
	return n;
}

/*
 * An array or a map begins: write its head as if it were empty.
 */
static void
begin_block_container(Encoder *encoder, bool map)
{
	Level	   *level = &encoder->levels[++encoder->depth];

	level->map = map;
	level->first = encoder->used;
	level->items = 0;
	level->head = encoder->writer.len;
	if (map)
		atid_cbor_put_map(&encoder->writer, 0);
	else
		atid_cbor_put_array(&encoder->writer, 0);
}

/*
 * An array or a map ends: write its final head.
 */
static void
end_block_container(Encoder *encoder)
{
	AtidCborWriter *writer = &encoder->writer;
	const Level *level = &encoder->levels[encoder->depth];
	size_t		end = writer->len;
	int64		items = level->items;
	uint8_t		head[16];
	size_t		head_len;

	if (writer->fault == ATID_OK)
	{
		if (level->map)
			items = sort_pairs(encoder);

		/* the writer appends the head; it is moved into its place below */
		if (level->map)
			atid_cbor_put_map(writer, items);
		else
			atid_cbor_put_array(writer, items);
	}
	encoder->depth--;
	if (writer->fault != ATID_OK)
		return;

	head_len = writer->len - end;
	memcpy(head, writer->data + end, head_len);
	if (head_len > 1)
	{
		CHECK_FOR_INTERRUPTS();
		memmove(writer->data + level->head + head_len, writer->data + level->head + 1,
				end - level->head - 1);
	}
	memcpy(writer->data + level->head, head, head_len);
	writer->len = end - 1 + head_len;
}

/*
 * Write an event.  in_order: keys come in the order of DAG-CBOR and the number of
 * items is known, so the block is written from front to back.
 */
static pg_attribute_always_inline void
put_event(Encoder *encoder, AtidCborEvent event, const AtidCborItem *item, bool in_order)
{
	AtidCborWriter *writer = &encoder->writer;

	if (!in_order && event != ATID_CBOR_KEY &&
		event != ATID_CBOR_ARRAY_END && event != ATID_CBOR_MAP_END)
		encoder->levels[encoder->depth].items++;

	switch (event)
	{
		case ATID_CBOR_INTEGER:
			atid_cbor_put_integer(writer, item->integer);
			break;
		case ATID_CBOR_BYTES:
			atid_cbor_put_bytes(writer, item->data, item->len);
			break;
		case ATID_CBOR_TEXT:
			atid_cbor_put_text(writer, item->data, item->len);
			break;
		case ATID_CBOR_KEY:
			if (in_order)
				atid_cbor_put_text(writer, item->data, item->len);
			else
				put_key(encoder, item);
			break;
		case ATID_CBOR_LINK:
			atid_cbor_put_link(writer, item->data, item->len);
			break;
		case ATID_CBOR_BOOL:
			atid_cbor_put_bool(writer, item->integer != 0);
			break;
		case ATID_CBOR_NULL:
			atid_cbor_put_null(writer);
			break;
		case ATID_CBOR_ARRAY:
			if (in_order)
				atid_cbor_put_array(writer, item->len);
			else
				begin_block_container(encoder, false);
			break;
		case ATID_CBOR_MAP:
			if (in_order)
				atid_cbor_put_map(writer, item->len);
			else
				begin_block_container(encoder, true);
			break;
		case ATID_CBOR_ARRAY_END:
		case ATID_CBOR_MAP_END:
			if (!in_order)
				end_block_container(encoder);
			break;
		case ATID_CBOR_FAULT:
		case ATID_CBOR_END:
			break;
	}
}

/*
 * The block, if no problem was found; else NULL.  The writer can have one, too.
 */
static bytea *
block_unless(Encoder *encoder, AtidFault *fault, char **problem)
{
	bytea	   *block = encoder_finish(encoder);

	if (*problem == NULL && block == NULL)
	{
		*fault = encoder->writer.fault;
		*problem = pstrdup(atid_fault_words(*fault));
	}
	return *problem == NULL ? block : NULL;
}

bytea *
atid_try_block_of_jsonb(Jsonb *jb, AtidFault *fault, char **problem)
{
	AtidJsonbWalk walk;
	AtidCborItem item;
	AtidCborEvent event;
	Encoder		encoder;

	*problem = NULL;

	/* most blocks are no larger than their jsonb */
	encoder_init(&encoder, VARSIZE(jb) + 64);
	atid_jsonb_walk_init(&walk, &jb->root);
	while (*problem == NULL && (event = atid_jsonb_next(&walk, &item)) != ATID_CBOR_END)
	{
		if (event == ATID_CBOR_FAULT)
		{
			*fault = walk.fault;
			*problem = atid_describe_problem(jb, ATID_RULES_CODEC);
			break;
		}
		if (walk.utf8)
			put_event(&encoder, event, &item, true);
		else
			put_event(&encoder, event, &item, false);
		if (encoder.twice != NULL)
		{
			*fault = ATID_CBOR_KEY_TWICE;
			*problem = encoder.twice;
		}
	}
	if (walk.scratch.data != NULL)
		pfree(walk.scratch.data);
	return block_unless(&encoder, fault, problem);
}

bytea *
atid_block_of_jsonb(Jsonb *jb)
{
	AtidFault	fault;
	char	   *problem;
	bytea	   *block = atid_try_block_of_jsonb(jb, &fault, &problem);

	if (block == NULL)
		refuse_encoding(fault, problem);
	return block;
}

bytea *
atid_try_block_of_utf8(const char *json, size_t len, AtidFault *fault, char **problem)
{
	AtidTextWalk walk;
	AtidCborItem item;
	AtidCborEvent event;
	Encoder		encoder;

	*problem = NULL;

	/* a block is hardly ever larger than its text */
	encoder_init(&encoder, len + 64);
	atid_text_walk_init(&walk, json, len);
	while (*problem == NULL && (event = atid_text_next(&walk, &item)) != ATID_CBOR_END)
	{
		if (event == ATID_CBOR_FAULT)
		{
			encoder.levels[encoder.depth].items++;
			*fault = walk.fault;
			*problem = psprintf("%s: %s", encoder_path(&encoder, !walk.fault_in_key),
								atid_fault_words(walk.fault));
			break;
		}
		put_event(&encoder, event, &item, false);
		if (encoder.twice != NULL)
		{
			*fault = ATID_CBOR_KEY_TWICE;
			*problem = encoder.twice;
		}
	}
	if (walk.text.data != NULL)
		pfree(walk.text.data);
	if (walk.special.data != NULL)
		pfree(walk.special.data);
	return block_unless(&encoder, fault, problem);
}

bytea *
atid_try_block_of_json(const char *json, size_t len, AtidFault *fault, char **problem)
{
	const char *utf8;
	bytea	   *block;

	if (!atid_has_utf8(json, len))
	{
		*fault = atid_utf8_fault();
		*problem = psprintf("$: %s", atid_fault_words(*fault));
		return NULL;
	}
	utf8 = pg_server_to_any(json, (int) len, PG_UTF8);
	block = atid_try_block_of_utf8(utf8, utf8 == json ? len : strlen(utf8), fault, problem);
	if (utf8 != json)
		pfree((char *) utf8);
	return block;
}

bytea *
atid_block_of_json(text *json)
{
	AtidFault	fault;
	char	   *problem;
	bytea	   *block = atid_try_block_of_json(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), &fault,
											   &problem);

	if (block == NULL)
		refuse_encoding(fault, problem);
	return block;
}

bytea *
atid_block_of_text(const char *str, size_t len)
{
	AtidCborWriter writer = {0};
	bytea	   *block = palloc(VARHDRSZ + ATID_TEXT_HEAD_MAX + len);

	writer.data = (uint8_t *) VARDATA(block);
	writer.cap = ATID_TEXT_HEAD_MAX + len;
	atid_cbor_put_text(&writer, str, len);
	SET_VARSIZE(block, VARHDRSZ + writer.len);
	return block;
}
