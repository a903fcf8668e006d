/*-------------------------------------------------------------------------
 *
 * mst_invert.c
 *		Operations undone in a tree lead to the root of the tree before, or there is a
 *		fault; a search finds what is in the tree.  If the tree is not canonical, a
 *		trusting walk does not come to a canonical one that a careful one refuses.  A
 *		subtree that is missing is needed if a key was created beside it: the key can
 *		belong among the keys of the subtree.
 *
 * An input is two bytes of settings, and then three for a key: which one, its value before,
 * and after.  The depth of a key is in its last byte.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/mst_invert.h"

#include <string.h>

#include "fuzz.h"

#define KEYS_MAX 260
#define NODES_MAX 2048

typedef struct Key
{
	uint8_t		bytes[2];
	uint8_t		before[36];
	uint8_t		after[36];
	bool		has_before;
	bool		has_after;
} Key;

static Key	keys[KEYS_MAX];		/* in their order */
static uint8_t *nodes[NODES_MAX];
static uint8_t cids[NODES_MAX][ATID_MST_CID_LEN];
static size_t lens[NODES_MAX];
static int	node_count;
static unsigned missing;		/* one in so many nodes is, 0: none */
static unsigned wrong;			/* how depths are told wrong, 0: they are not */

static int
depth_of(const uint8_t *key)
{
	int			depth = key[1] % 4;
	unsigned	n = (unsigned) (key[0] - 'A') * 10 + (unsigned) (key[1] - '0');

	switch (wrong)
	{
		case 1:
			return depth + 1;
		case 2:
			return keys[n].has_before ? depth + 1 : depth;
		case 3:
			return keys[n].has_before && depth > 0 ? depth - 1 : depth;
		case 4:
			return n % 3 == 0 ? 4 : depth;
		default:
			return depth;
	}
}

static void
digest_of(void *arg, const void *data, size_t len, uint8_t digest[32])
{
	const uint8_t *bytes = data;
	uint64_t	sum = UINT64_C(0xcbf29ce484222325);

	(void) arg;
	for (size_t i = 0; i < len; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	memset(digest, 0, 32);
	/* no node has only two bytes */
	digest[0] = (uint8_t) (0xFF >> (len == 2 ? 2 * depth_of(bytes) : 0));
	if (len == 2 && depth_of(bytes) == 4)
		digest[1] = 0xFF;
	memcpy(digest + 2, &sum, sizeof(sum));
}

static AtidFault
find_node(void *arg, const uint8_t *cid, const uint8_t **block, size_t *len)
{
	(void) arg;
	for (int i = 0; i < node_count; i++)
	{
		if (memcmp(cids[i], cid, ATID_MST_CID_LEN) != 0)
			continue;
		if (missing > 0 && cid[6] % missing == 0)
			return ATID_MST_MISSING;
		*block = nodes[i];
		*len = lens[i];
		return ATID_OK;
	}
	return ATID_MST_MISSING;
}

static void
keep_node(void *arg, const uint8_t *cid, const uint8_t *node, size_t len)
{
	(void) arg;
	CLAIM(node_count < NODES_MAX);
	nodes[node_count] = exact_memory(len);
	memcpy(nodes[node_count], node, len);
	memcpy(cids[node_count], cid, ATID_MST_CID_LEN);
	lens[node_count++] = len;
}

static void
put_keys(AtidMstBuilder *builder, const AtidMstCaller *caller, bool after, int first, int end)
{
	for (int i = first; i < end; i++)
		if (after ? keys[i].has_after : keys[i].has_before)
			CLAIM(atid_mst_put(builder, caller, keys[i].bytes, 2,
							   after ? keys[i].after : keys[i].before, 36) == ATID_OK);
}

/*
 * The tree of some keys after the operations, whose nodes are kept, or before them.
 */
static void
build(bool after, int first, int end, uint8_t root[ATID_MST_CID_LEN])
{
	AtidMstCaller caller = {digest_of, fuzz_memory, NULL, after ? keep_node : NULL, NULL, NULL};
	AtidMstBuilder builder;

	atid_mst_builder_init(&builder);
	put_keys(&builder, &caller, after, first, end);
	CLAIM(atid_mst_finish(&builder, &caller, root) == ATID_OK);
	atid_mst_builder_free(&builder, &caller);
}

static AtidFault
undo(const AtidMstOperation *ops, size_t count, const uint8_t *after, bool trusting,
	 uint8_t root[ATID_MST_CID_LEN])
{
	static AtidMstWalk walk;
	AtidMstCaller caller = {digest_of, fuzz_memory, find_node, NULL, NULL, NULL};
	AtidMstInversion inversion;
	AtidFault fault;

	atid_mst_walk_begin(&walk, &caller, after);
	walk.trusting = trusting;
	fault = atid_mst_undo(&inversion, &walk, &caller, ops, count, root);
	CLAIM(!inversion.in_tree || (walk.at == ATID_MST_AT_FAULT && walk.fault == fault));
	CLAIM(fault != ATID_MST_NEEDED || inversion.node != NULL);
	CLAIM((fault != ATID_MST_ABSENT && fault != ATID_MST_OTHER_VALUE &&
		   fault != ATID_MST_STILL_THERE) ||
		  inversion.operation != NULL);
	atid_mst_walk_end(&walk);
	return fault;
}

typedef struct Task
{
	const AtidMstOperation *ops;
	size_t		count;
	const uint8_t *after;
	bool		trusting;
} Task;

/*
 * The same with memory that may fail.
 */
static AtidFault
undo_or_fail(void *arg, Failing *memory)
{
	static AtidMstWalk walk;
	const Task *task = arg;
	AtidMstCaller caller = {digest_of, failing_memory, find_node, NULL, NULL, memory};
	AtidMstInversion inversion;
	AtidFault fault;
	uint8_t		root[ATID_MST_CID_LEN];

	atid_mst_walk_begin(&walk, &caller, task->after);
	walk.trusting = task->trusting;
	fault = atid_mst_undo(&inversion, &walk, &caller, task->ops, task->count, root);
	CLAIM(!inversion.in_tree || (walk.at == ATID_MST_AT_FAULT && walk.fault == fault));
	atid_mst_walk_end(&walk);
	return fault;
}

/*
 * Create a key in the tree before the operations, in front of a subtree or behind it,
 * although it belongs among the keys of the subtree.  The keys of the subtree are less
 * deep than bound, and its nodes are missing.
 */
static void
create_beside(int created, int bound, bool behind)
{
	AtidMstCaller caller = {digest_of, fuzz_memory, NULL, keep_node, NULL, NULL};
	AtidMstBuilder builder;
	AtidMstOperation op = {0};
	Key		   *key = &keys[created];
	int			level = -1;
	int			first = created;
	int			end = created;
	uint8_t		part[ATID_MST_CID_LEN];
	uint8_t		root[ATID_MST_CID_LEN];

	key->has_before = false;
	while (first > 0 && (!keys[first - 1].has_before || depth_of(keys[first - 1].bytes) < bound))
		first--;
	while (end < KEYS_MAX && (!keys[end].has_before || depth_of(keys[end].bytes) < bound))
		end++;
	for (int i = first; i < end; i++)
		if (keys[i].has_before && depth_of(keys[i].bytes) > level)
			level = depth_of(keys[i].bytes);
	if (level < 0 || depth_of(key->bytes) < bound)
		return;
	build(false, first, end, part);

	memcpy(key->after, "\x01\x71\x12\x20", 4);
	op.key = key->bytes;
	op.key_len = 2;
	op.new = key->after;
	op.new_len = sizeof(key->after);
	atid_mst_builder_init(&builder);
	put_keys(&builder, &caller, false, 0, first);
	if (behind)
		CLAIM(atid_mst_put_tree(&builder, &caller, level, part) == ATID_OK);
	CLAIM(atid_mst_put(&builder, &caller, op.key, 2, op.new, op.new_len) == ATID_OK);
	if (!behind)
		CLAIM(atid_mst_put_tree(&builder, &caller, level, part) == ATID_OK);
	put_keys(&builder, &caller, false, end, KEYS_MAX);
	CLAIM(atid_mst_finish(&builder, &caller, root) == ATID_OK);
	atid_mst_builder_free(&builder, &caller);

	CLAIM(undo(&op, 1, root, false, part) == ATID_MST_NEEDED);
	CLAIM(undo(&op, 1, root, true, part) == ATID_MST_NEEDED);
}

static void
forget_nodes(void)
{
	while (node_count > 0)
		free(nodes[--node_count]);
}

static void
search_all(const uint8_t root[ATID_MST_CID_LEN])
{
	static AtidMstWalk walk;
	AtidMstCaller caller = {digest_of, fuzz_memory, find_node, NULL, NULL, NULL};

	for (int i = 0; i < KEYS_MAX; i++)
	{
		AtidMstFound found = atid_mst_search(&walk, &caller, root, keys[i].bytes, 2);

		CLAIM(found != ATID_MST_BROKEN);
		CLAIM(found != ATID_MST_UNKNOWN || missing > 0);
		CLAIM(found != ATID_MST_NOT_THERE || !keys[i].has_after);
		CLAIM(found != ATID_MST_PRESENT ||
			  (keys[i].has_after && walk.value_len == 36 &&
			   memcmp(walk.value, keys[i].after, 36) == 0));
		atid_mst_walk_end(&walk);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AtidMstOperation ops[KEYS_MAX];
	size_t		count = 0;
	uint8_t		before[ATID_MST_CID_LEN];
	uint8_t		after[ATID_MST_CID_LEN];
	uint8_t		root[ATID_MST_CID_LEN];
	uint8_t		careful_root[ATID_MST_CID_LEN];
	AtidFault careful;
	AtidFault trusting;
	int			lie;
	unsigned	how;
	bool		true_ops = true;

	if (size < 2)
		return 0;
	missing = data[0] % 8 < 4 ? 0 : data[0] % 8 - 2;
	how = data[0] / 8 % 8;
	lie = data[1] == 0 ? -1 : data[1];
	memset(keys, 0, sizeof(keys));
	for (int i = 0; i < KEYS_MAX; i++)
	{
		keys[i].bytes[0] = (uint8_t) ('A' + i / 10);
		keys[i].bytes[1] = (uint8_t) ('0' + i % 10);
	}
	for (size_t i = 2; i + 3 <= size; i += 3)
	{
		Key		   *key = &keys[data[i]];

		key->has_before = data[i + 1] > 0;
		key->has_after = data[i + 2] > 0;
		memcpy(key->before, "\x01\x71\x12\x20", 4);
		memcpy(key->after, "\x01\x71\x12\x20", 4);
		key->before[4] = data[i + 1];
		key->after[4] = data[i + 2];
	}
	wrong = 0;
	if (how == 7)
	{
		create_beside(data[1], data[0] / 64 % 4, data[0] % 2 == 0);
		forget_nodes();
		return 0;
	}
	build(false, 0, KEYS_MAX, before);
	wrong = how < 5 ? how : 0;
	build(true, 0, KEYS_MAX, after);
	how = wrong;
	wrong = 0;

	for (int i = 0; i < KEYS_MAX; i++)
	{
		const Key  *key = &keys[i];
		AtidMstOperation *op = &ops[count];

		if (key->has_before == key->has_after && memcmp(key->before, key->after, 36) == 0)
			continue;
		op->key = key->bytes;
		op->key_len = 2;
		op->old = key->has_before ? key->before : NULL;
		op->old_len = key->has_before ? 36 : 0;
		op->new = key->has_after ? key->after : NULL;
		op->new_len = key->has_after ? 36 : 0;
		if ((int) count++ == lie)
		{
			true_ops = false;
			if (op->old != NULL && op->new != NULL)
				op->new = op->old;
			else
				count--;
			lie = -1;
		}
	}

	careful = undo(ops, count, after, false, careful_root);
	trusting = undo(ops, count, after, true, root);
	claim_fails_cleanly(undo_or_fail, &(Task) {ops, count, after, false}, size);
	claim_fails_cleanly(undo_or_fail, &(Task) {ops, count, after, true}, size);
	if (count == 0)
		CLAIM(careful == ATID_OK && memcmp(root, after, sizeof(root)) == 0);
	else if (trusting == ATID_OK && memcmp(root, before, sizeof(root)) == 0)
		CLAIM(careful == ATID_OK);
	if (careful == ATID_OK)
		CLAIM(trusting == ATID_OK && memcmp(root, careful_root, sizeof(root)) == 0);
	if (how == 0)
	{
		CLAIM(trusting == careful);
		if (true_ops)
			CLAIM((careful == ATID_OK && memcmp(root, before, sizeof(root)) == 0) ||
				  (careful == ATID_MST_NEEDED && missing > 0));
		else
			CLAIM(careful != ATID_OK || memcmp(root, before, sizeof(root)) != 0);
		search_all(after);
	}
	forget_nodes();
	return 0;
}
