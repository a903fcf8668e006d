/*-------------------------------------------------------------------------
 *
 * encode.c
 *		The DAG-CBOR block of a jsonb.
 *
 * The walk gives the events of the block that a jsonb stands for, in the order
 * of the jsonb's keys.  In a UTF-8 database that is DAG-CBOR's own; elsewhere
 * the pairs of a map are put in order when it ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "codec/dagcbor.h"
#include "jsonb/encode.h"
#include "jsonb/model.h"
#include "jsonb/walk.h"

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
bytea *
atid_block_of_jsonb(Jsonb *jb)
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
						(errcode(atid_walk_fault_code(&walk)),
						 errmsg("record cannot be encoded as DAG-CBOR"),
						 errdetail("%s", atid_describe_problem(jb, false))));
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
