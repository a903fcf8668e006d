/*-------------------------------------------------------------------------
 * mst.c
 *		The walk accepts the trees that a recursive check of the rules accepts; the
 *		builder makes the tree that a recursive builder makes; and a walk through a
 *		tree with missing parts gives what is needed to build it again.
 *
 * An input is a number of blocks, each behind two bytes of its length.  A link leads to
 * the block whose number is the first byte of the digest, so mutations make graphs of
 * any kind, and need no right hashes.  The depth of a key is in its last byte.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/mst_build.h"
#include "codec/repository/mst_walk.h"

#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "fuzz.h"

#define BLOCKS_MAX 64
#define KEYS_MAX 400

typedef struct Block
{
	const uint8_t *data;
	size_t		len;
} Block;

typedef struct Key
{
	uint8_t		bytes[ATID_MST_KEY_MAX];
	size_t		len;
	const uint8_t *value;
	size_t		value_len;
} Key;

static Block blocks[BLOCKS_MAX];
static int	block_count;
static int	visits;

/* The nodes of a tree that was built. */
static uint8_t *built[BLOCKS_MAX * 8];
static uint8_t built_cid[BLOCKS_MAX * 8][ATID_MST_CID_LEN];
static size_t built_len[BLOCKS_MAX * 8];
static int	built_count;
static unsigned missing;		/* one in so many of them is missing */

static int
depth_of(const uint8_t *key, size_t len)
{
	return key[len - 1] % 4;
}

/*
 * A digest with the depth of the last byte; the rest depends on all bytes.
 */
static void
digest_of(void *arg, const void *data, size_t len, uint8_t digest[32])
{
	const uint8_t *bytes = data;
	uint64_t	sum = UINT64_C(0xcbf29ce484222325);

	(void) arg;
	for (size_t i = 0; i < len; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	memset(digest, 0, 32);
	digest[0] = (uint8_t) (0xFF >> (len > 0 ? 2 * depth_of(bytes, len) : 0));
	memcpy(digest + 1, &sum, sizeof(sum));
}

static AtidFault
find_block(void *arg, const uint8_t *cid, const uint8_t **block, size_t *len)
{
	(void) arg;
	visits++;
	if (cid[4] >= block_count)
		return ATID_MST_MISSING;
	*block = blocks[cid[4]].data;
	*len = blocks[cid[4]].len;
	return ATID_OK;
}

/*
 * Gets the entries of the node that was found last.
 */
static void
see_entries(void *arg, const AtidMstEntry *entries, size_t count)
{
	(void) arg;
	CLAIM(visits > 0 && count > 0);
	for (size_t i = 0; i < count; i++)
		CLAIM(entries[i].suffix != NULL && entries[i].value != NULL && entries[i].value_len > 0);
}


/*
 * The rules in another way: a recursive function.
 */
static bool reference_tree(int number, int level, const Key **last, Key *keys, int *count);

static bool
reference_link(const uint8_t *cid, int level, const Key **last, Key *keys, int *count)
{
	return cid == NULL || (level > 0 && cid[4] < block_count &&
						   reference_tree(cid[4], level - 1, last, keys, count));
}

static bool
reference_tree(int number, int level, const Key **last, Key *keys, int *count)
{
	AtidMstEntry *entries = exact_memory(ATID_MST_ENTRIES_MAX * sizeof(AtidMstEntry));
	AtidMstNode node;
	Key			own = {.len = 0};
	bool		good = atid_mst_read_node(blocks[number].data, blocks[number].len, &node, entries,
										  ATID_MST_ENTRIES_MAX) == ATID_OK;

	if (good && node.count == 0)
		good = level < 0 ? node.left == NULL : node.left != NULL;
	if (good && node.count > 0 && level < 0 && entries[0].suffix_len > 0)
		level = depth_of(entries[0].suffix, entries[0].suffix_len);
	if (good)
		good = reference_link(node.left, level, last, keys, count);
	for (size_t i = 0; good && i < node.count; i++)
	{
		Key			key = own;
		size_t		shared = 0;

		good = entries[i].prefix_len <= own.len &&
			entries[i].prefix_len + (size_t) entries[i].suffix_len <= ATID_MST_KEY_MAX;
		if (!good)
			break;
		key.len = entries[i].prefix_len + (size_t) entries[i].suffix_len;
		memcpy(key.bytes + entries[i].prefix_len, entries[i].suffix, entries[i].suffix_len);
		while (shared < own.len && shared < key.len && own.bytes[shared] == key.bytes[shared])
			shared++;
		good = shared == entries[i].prefix_len && key.len > 0 && *count < KEYS_MAX;
		for (size_t j = 0; j < key.len; j++)
			good = good && key.bytes[j] > 32 && key.bytes[j] < 127;
		good = good && depth_of(key.bytes, key.len) == level;
		if (good && *last != NULL)
		{
			size_t		least = (*last)->len < key.len ? (*last)->len : key.len;
			int			order = memcmp((*last)->bytes, key.bytes, least);

			good = order < 0 || (order == 0 && (*last)->len < key.len);
		}
		if (!good)
			break;
		key.value = entries[i].value;
		key.value_len = entries[i].value_len;
		keys[*count] = key;
		*last = &keys[(*count)++];
		own = key;
		good = reference_link(entries[i].tree, level, last, keys, count);
	}
	free(entries);
	return good;
}


/*
 * Build top down: the keys of the greatest depth are in the node, and the keys between
 * them are below it.
 */
static void
put_letter(AtidCborWriter *writer, const char *letter)
{
	atid_cbor_put_text(writer, letter, 1);
}

static bool
grow(AtidCborWriter *writer, size_t new_cap)
{
	writer->data = realloc(writer->data, new_cap);
	writer->cap = new_cap;
	return writer->data != NULL;
}

static bool
reference_build(const Key *keys, int count, int level, uint8_t cid[ATID_MST_CID_LEN])
{
	AtidCborWriter writer = {.grow = grow};
	uint8_t		child[ATID_MST_CID_LEN];
	uint8_t		left[ATID_MST_CID_LEN];
	const Key  *before = NULL;
	int			first = 0;
	int			own = 0;
	bool		has_left;

	for (int i = 0; i < count; i++)
		own += depth_of(keys[i].bytes, keys[i].len) == level;
	while (first < count && depth_of(keys[first].bytes, keys[first].len) != level)
		first++;
	has_left = first > 0 && reference_build(keys, first, level - 1, left);

	atid_cbor_put_map(&writer, 2);
	put_letter(&writer, "e");
	atid_cbor_put_array(&writer, (size_t) own);
	for (int i = first; i < count;)
	{
		const Key  *key = &keys[i];
		size_t		shared = 0;
		int			next = i + 1;

		while (next < count && depth_of(keys[next].bytes, keys[next].len) != level)
			next++;
		while (before != NULL && shared < before->len && shared < key->len &&
			   before->bytes[shared] == key->bytes[shared])
			shared++;
		atid_cbor_put_map(&writer, 4);
		put_letter(&writer, "k");
		atid_cbor_put_bytes(&writer, key->bytes + shared, key->len - shared);
		put_letter(&writer, "p");
		atid_cbor_put_integer(&writer, (int64_t) shared);
		put_letter(&writer, "t");
		if (next > i + 1)
		{
			reference_build(key + 1, next - i - 1, level - 1, child);
			atid_cbor_put_link(&writer, child, sizeof(child));
		}
		else
			atid_cbor_put_null(&writer);
		put_letter(&writer, "v");
		atid_cbor_put_link(&writer, key->value, key->value_len);
		before = key;
		i = next;
	}
	put_letter(&writer, "l");
	if (has_left)
		atid_cbor_put_link(&writer, left, sizeof(left));
	else
		atid_cbor_put_null(&writer);
	CLAIM(writer.fault == ATID_OK);
	memcpy(cid, "\x01\x71\x12\x20", 4);
	digest_of(NULL, writer.data, writer.len, cid + 4);
	free(writer.data);
	return true;
}

static void
keep_node(void *arg, const uint8_t *cid, const uint8_t *node, size_t len)
{
	(void) arg;
	if (built_count == BLOCKS_MAX * 8)
		return;
	built[built_count] = exact_memory(len);
	memcpy(built[built_count], node, len);
	memcpy(built_cid[built_count], cid, ATID_MST_CID_LEN);
	built_len[built_count++] = len;
}

static AtidFault
find_built(void *arg, const uint8_t *cid, const uint8_t **block, size_t *len)
{
	(void) arg;
	for (int i = 0; i < built_count; i++)
	{
		if (memcmp(built_cid[i], cid, ATID_MST_CID_LEN) != 0)
			continue;
		if (missing > 0 && cid[5] % missing == 0)
			return ATID_MST_MISSING;
		*block = built[i];
		*len = built_len[i];
		return ATID_OK;
	}
	return ATID_MST_MISSING;
}

/*
 * Walk through the tree that was built, without some of its nodes, and build it again.
 */
static void
build_again(const uint8_t root[ATID_MST_CID_LEN])
{
	static AtidMstWalk walk;
	AtidMstCaller caller = {digest_of, fuzz_memory, find_built, NULL, NULL, NULL};
	AtidMstBuilder builder;
	AtidFault	fault = ATID_OK;
	uint8_t		again[ATID_MST_CID_LEN];

	atid_mst_builder_init(&builder);
	atid_mst_walk_begin(&walk, &caller, root);
	atid_mst_enter(&walk);
	if (walk.at == ATID_MST_AT_FAULT)
	{
		CLAIM(walk.fault == ATID_MST_MISSING);
		atid_mst_pass(&walk);
		CLAIM(walk.at == ATID_MST_AT_END);
		return;
	}
	while (walk.at != ATID_MST_AT_END && fault == ATID_OK)
	{
		if (walk.at == ATID_MST_AT_TREE)
		{
			const uint8_t *link = walk.link;
			int			level = walk.level;

			atid_mst_enter(&walk);
			if (walk.at != ATID_MST_AT_FAULT)
				continue;
			CLAIM(walk.fault == ATID_MST_MISSING);
			fault = atid_mst_put_tree(&builder, &caller, level, link);
		}
		else
			fault = atid_mst_put(&builder, &caller, walk.key, walk.key_len, walk.value,
								 walk.value_len);
		atid_mst_pass(&walk);
	}
	/* no entry was changed, so no more nodes are needed */
	CLAIM(fault == ATID_OK);
	CLAIM(atid_mst_finish(&builder, &caller, again) == ATID_OK);
	CLAIM(memcmp(again, root, ATID_MST_CID_LEN) == 0);
	atid_mst_walk_end(&walk);
	atid_mst_builder_free(&builder, &caller);
}

/*
 * Check the last key of the tree, and that the first key is not behind it.
 */
static void
check_last_key(const uint8_t root[ATID_MST_CID_LEN], int level, const Key *key)
{
	static AtidMstWalk walk;
	static AtidMstWalk edge;
	AtidMstCaller caller = {digest_of, fuzz_memory, find_built, NULL, NULL, NULL};

	missing = 0;
	atid_mst_last_key(&edge, &caller, root, level);
	CLAIM(edge.at == ATID_MST_AT_END && edge.last_len == key->len &&
		  memcmp(edge.last_key, key->bytes, key->len) == 0);
	atid_mst_walk_begin(&walk, &caller, root);
	while (walk.at == ATID_MST_AT_TREE)
		atid_mst_enter(&walk);
	CLAIM(walk.at == ATID_MST_AT_ENTRY);
	atid_mst_check_behind(&walk, (const uint8_t *) "!", 0);
	CLAIM(walk.at == ATID_MST_AT_ENTRY);
	/* the first key is before the last one, or is the same */
	atid_mst_check_behind(&walk, edge.last_key, edge.last_len);
	CLAIM(walk.at == ATID_MST_AT_FAULT &&
		  (walk.fault == ATID_MST_KEY_ORDER || walk.fault == ATID_MST_KEY_TWICE));
	atid_mst_walk_end(&walk);
	atid_mst_walk_end(&edge);
}

static void
build(const Key *keys, int count)
{
	AtidMstCaller caller = {digest_of, fuzz_memory, find_built, keep_node, NULL, NULL};
	AtidMstBuilder builder;
	uint8_t		root[ATID_MST_CID_LEN];
	uint8_t		wanted[ATID_MST_CID_LEN];
	int			top = 0;

	built_count = 0;
	atid_mst_builder_init(&builder);
	for (int i = 0; i < count; i++)
	{
		CLAIM(atid_mst_put(&builder, &caller, keys[i].bytes, keys[i].len, keys[i].value,
						   keys[i].value_len) == ATID_OK);
		CLAIM(atid_mst_put(&builder, &caller, keys[i].bytes, keys[i].len, keys[i].value,
						   keys[i].value_len) == ATID_MST_KEY_TWICE);
		if (depth_of(keys[i].bytes, keys[i].len) > top)
			top = depth_of(keys[i].bytes, keys[i].len);
	}
	CLAIM(atid_mst_finish(&builder, &caller, root) == ATID_OK);
	reference_build(keys, count, top, wanted);
	CLAIM(memcmp(root, wanted, sizeof(root)) == 0);
	atid_mst_builder_free(&builder, &caller);
	if (count > 0 && built_count < BLOCKS_MAX * 8)
		check_last_key(root, top, &keys[count - 1]);

	if (built_count < BLOCKS_MAX * 8)
	{
		for (missing = 0; missing < 4; missing++)
			build_again(root);
	}
	for (int i = 0; i < built_count; i++)
		free(built[i]);
}

/* A tree to be walked through, or keys to be built of. */
typedef struct Task
{
	const uint8_t *root;
	const Key  *keys;
	int			count;
} Task;

/*
 * The same with memory that may fail: a walk.  Its fault stays, and it ends.
 */
static AtidFault
walk_or_fail(void *arg, Failing *memory)
{
	static AtidMstWalk walk;
	const Task *task = arg;
	AtidMstCaller caller = {digest_of, failing_memory, find_block, NULL, see_entries, memory};
	AtidFault	fault;

	atid_mst_walk_begin(&walk, &caller, task->root);
	while (walk.at == ATID_MST_AT_TREE || walk.at == ATID_MST_AT_ENTRY)
	{
		if (walk.at == ATID_MST_AT_ENTRY)
			atid_mst_pass(&walk);
		else
			atid_mst_enter(&walk);
	}
	fault = walk.at == ATID_MST_AT_FAULT ? walk.fault : ATID_OK;
	if (fault != ATID_MST_MISSING)
		atid_mst_pass(&walk);
	CLAIM(fault == ATID_OK || walk.fault == fault);
	atid_mst_walk_end(&walk);
	return fault;
}

/*
 * And a builder.  After a fault it is only freed.
 */
static AtidFault
build_or_fail(void *arg, Failing *memory)
{
	const Task *task = arg;
	AtidMstCaller caller = {digest_of, failing_memory, NULL, NULL, NULL, memory};
	AtidMstBuilder builder;
	AtidFault	fault = ATID_OK;
	uint8_t		root[ATID_MST_CID_LEN];

	atid_mst_builder_init(&builder);
	for (int i = 0; i < task->count && fault == ATID_OK; i++)
		fault = atid_mst_put(&builder, &caller, task->keys[i].bytes, task->keys[i].len,
							 task->keys[i].value, task->keys[i].value_len);
	if (fault == ATID_OK)
		fault = atid_mst_finish(&builder, &caller, root);
	atid_mst_builder_free(&builder, &caller);
	return fault;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static AtidMstWalk walk;
	static Key	keys[KEYS_MAX];
	static const uint8_t root[ATID_MST_CID_LEN] = {1, 0x71, 0x12, 32, 0};
	AtidMstCaller caller = {digest_of, fuzz_memory, find_block, NULL, see_entries, NULL};
	const Key  *last = NULL;
	int			count = 0;
	int			wanted_count = 0;
	size_t		steps = 0;
	bool		wanted;

	block_count = 0;
	visits = 0;
	while (size >= 2 && block_count < BLOCKS_MAX)
	{
		size_t		len = data[0] * 256u + data[1];

		len = len > size - 2 ? size - 2 : len;
		blocks[block_count].data = data + 2;
		blocks[block_count++].len = len;
		data += 2 + len;
		size -= 2 + len;
	}
	if (block_count == 0)
		return 0;
	wanted = reference_tree(0, -1, &last, keys, &wanted_count);

	atid_mst_walk_begin(&walk, &caller, root);
	while (walk.at == ATID_MST_AT_TREE || walk.at == ATID_MST_AT_ENTRY)
	{
		if (walk.at == ATID_MST_AT_ENTRY)
		{
			CLAIM(!wanted || (walk.key_len == keys[count].len &&
							  memcmp(walk.key, keys[count].bytes, walk.key_len) == 0 &&
							  walk.value == keys[count].value));
			count++;
			atid_mst_pass(&walk);
		}
		else
			atid_mst_enter(&walk);
		CLAIM(++steps < 100000);
	}
	CLAIM(visits <= block_count * (ATID_MST_DEPTH_MAX + 1) + 1);
	CLAIM(walk.at == ATID_MST_AT_END || walk.fault != ATID_OK);
	CLAIM(wanted_count == KEYS_MAX || (walk.at == ATID_MST_AT_END) == wanted);
	atid_mst_walk_end(&walk);
	claim_fails_cleanly(walk_or_fail, &(Task) {root, NULL, 0}, size);
	if (wanted)
	{
		CLAIM(count == wanted_count);
		build(keys, count);
		claim_fails_cleanly(build_or_fail, &(Task) {NULL, keys, count}, size);
	}
	return 0;
}
