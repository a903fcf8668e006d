/*-------------------------------------------------------------------------
 *
 * mst_invert.c
 *		Random operations undone in trees, whole and in part, and a search in them.
 *
 * fuzz/mst_invert.c looks further, at trees that are not canonical.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/mst_invert.h"

#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "tap.h"

#define KEYS 300
#define ROUNDS (in_full() ? 400 : 120)

static uint8_t keys[KEYS][3];
static uint8_t before[KEYS][36];	/* the first byte is 0 where there is none */
static uint8_t after[KEYS][36];
static uint8_t *nodes[KEYS * 8];
static uint8_t cids[KEYS * 8][ATID_MST_CID_LEN];
static size_t lens[KEYS * 8];
static int	node_count;
static unsigned missing;
static uint32_t state = 1;

static unsigned
chance(unsigned n)
{
	state = state * UINT32_C(1664525) + UINT32_C(1013904223);
	return (state >> 16) % n;
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
	if (len == 3)				/* the depth of a key; the last 92 are in one node */
		digest[0] = (uint8_t) (0xFF >> (bytes[0] < 'n' ? 2 * (bytes[2] % 4) : 0));
	else
		digest[0] = 0xFF;
	memcpy(digest + 1, &sum, sizeof(sum));
}

static Failing memory;			/* which never fails here */

static AtidFault
find_node(void *arg, const uint8_t *cid, const uint8_t **block, size_t *len)
{
	(void) arg;
	for (int i = 0; i < node_count; i++)
	{
		if (memcmp(cids[i], cid, ATID_MST_CID_LEN) != 0 ||
			(missing > 0 && cid[6] % missing == 0))
			continue;
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
	nodes[node_count] = malloc(len);
	memcpy(nodes[node_count], node, len);
	memcpy(cids[node_count], cid, ATID_MST_CID_LEN);
	lens[node_count++] = len;
}

static bool
build(uint8_t (*values)[36], bool keep, uint8_t root[ATID_MST_CID_LEN])
{
	AtidMstCaller caller = {digest_of, failing_memory, NULL, NULL, NULL, &memory};
	AtidMstBuilder builder;
	bool		good = true;

	if (keep)
		caller.emit = keep_node;
	atid_mst_builder_init(&builder);
	for (int i = 0; i < KEYS; i++)
		if (values[i][0] != 0)
			good = atid_mst_put(&builder, &caller, keys[i], 3, values[i], 36) == ATID_OK &&
				good;
	good = atid_mst_finish(&builder, &caller, root) == ATID_OK && good;
	atid_mst_builder_free(&builder, &caller);
	return good;
}

typedef struct Task
{
	const uint8_t *root;
	AtidMstOperation *ops;
	size_t		count;
	bool		trusting;
} Task;

static AtidMstWalk task_walk;

/* Undo the operations. */
static AtidFault
undo_or_fail(void *arg, Failing *failing)
{
	const Task *task = arg;
	AtidMstCaller caller = {digest_of, failing_memory, find_node, NULL, NULL, failing};
	AtidMstInversion inversion;
	AtidFault fault;
	uint8_t		root[ATID_MST_CID_LEN];

	atid_mst_walk_begin(&task_walk, &caller, task->root);
	task_walk.trusting = task->trusting;
	fault = atid_mst_undo(&inversion, &task_walk, &caller, task->ops, task->count, root);
	if (fault == ATID_NO_MEMORY && inversion.in_tree &&
		(task_walk.at != ATID_MST_AT_FAULT || task_walk.fault != fault))
		abort();
	atid_mst_walk_end(&task_walk);
	return fault;
}

/* Compare the operations with the tree. */
static AtidFault
compare_or_fail(void *arg, Failing *failing)
{
	const Task *task = arg;
	AtidMstCaller caller = {digest_of, failing_memory, find_node, NULL, NULL, failing};
	AtidMstInversion inversion;
	AtidFault fault;

	atid_mst_walk_begin(&task_walk, &caller, task->root);
	fault = atid_mst_compare(&inversion, &task_walk, task->ops, task->count);
	atid_mst_walk_end(&task_walk);
	return fault;
}

/* Search a key, walk through the whole tree, and find its last key. */
static AtidFault
look_or_fail(void *arg, Failing *failing)
{
	const Task *task = arg;
	AtidMstCaller caller = {digest_of, failing_memory, find_node, NULL, NULL, failing};
	AtidFault fault = ATID_OK;
	int			level;

	if (atid_mst_search(&task_walk, &caller, task->root, keys[KEYS / 2], 3) == ATID_MST_BROKEN)
		fault = task_walk.fault;
	atid_mst_walk_end(&task_walk);
	if (fault != ATID_OK)
		return fault;

	atid_mst_walk_begin(&task_walk, &caller, task->root);
	atid_mst_enter(&task_walk);
	level = task_walk.depth > 0 ? task_walk.frames[0].level : -1;
	while (task_walk.at != ATID_MST_AT_END && fault == ATID_OK)
	{
		if (task_walk.at == ATID_MST_AT_TREE)
			atid_mst_enter(&task_walk);
		else
			atid_mst_pass(&task_walk);
		if (task_walk.at == ATID_MST_AT_FAULT && task_walk.fault != ATID_MST_MISSING)
		{
			fault = task_walk.fault;
			atid_mst_pass(&task_walk);	/* which does not take it back */
			if (task_walk.at != ATID_MST_AT_FAULT || task_walk.fault != fault)
				abort();
		}
	}
	atid_mst_walk_end(&task_walk);
	if (fault != ATID_OK || level < 0)
		return fault;

	atid_mst_last_key(&task_walk, &caller, task->root, level);
	if (task_walk.at == ATID_MST_AT_FAULT)
		fault = task_walk.fault;
	atid_mst_walk_end(&task_walk);
	return fault;
}

int
main(void)
{
	static AtidMstWalk walk;
	static const uint8_t other[36] = {1, 0x71, 0x12, 0x20, 9};
	AtidMstCaller caller = {digest_of, failing_memory, find_node, NULL, NULL, &memory};
	bool		built = true;
	bool		right = true;
	bool		same = true;
	bool		lies = true;
	bool		searched = true;
	bool		clean = true;
	int			answers = 0;
	int			needed = 0;

	for (int i = 0; i < KEYS; i++)
	{
		keys[i][0] = (uint8_t) ('a' + i / 16);
		keys[i][1] = '/';
		keys[i][2] = (uint8_t) ('0' + i % 16);
	}
	for (int round = 0; round < ROUNDS; round++)
	{
		AtidMstOperation ops[KEYS];
		AtidMstInversion inversion;
		size_t		count = 0;
		uint8_t		root_before[ATID_MST_CID_LEN];
		uint8_t		root_after[ATID_MST_CID_LEN];
		uint8_t		root[ATID_MST_CID_LEN];
		unsigned	full = 1 + chance(100);
		AtidFault careful = ATID_OK;

		missing = round % 2 ? 0 : 2 + chance(6);
		node_count = 0;
		for (int i = 0; i < KEYS; i++)
		{
			memcpy(before[i], "\x01\x71\x12\x20", 4);
			before[i][4] = (uint8_t) (1 + chance(3));
			before[i][0] = chance(100) < full;
			memcpy(after[i], before[i], 36);
			if (chance(30) == 0)
			{
				after[i][0] = (uint8_t) chance(2);
				after[i][4] = (uint8_t) (1 + chance(3));
			}
			if ((before[i][0] == 0 && after[i][0] == 0) || memcmp(before[i], after[i], 36) == 0)
				continue;
			ops[count++] = (AtidMstOperation) {keys[i], 3, before[i][0] ? before[i] : NULL, 36,
			after[i][0] ? after[i] : NULL, 36};
		}
		built = build(before, false, root_before) && build(after, true, root_after) && built;

		for (int trusting = 0; trusting < 2; trusting++)
		{
			AtidFault fault;

			atid_mst_walk_begin(&walk, &caller, root_after);
			walk.trusting = trusting == 1;
			fault = atid_mst_undo(&inversion, &walk, &caller, ops, count, root);
			atid_mst_walk_end(&walk);
			if (fault == ATID_OK)
				right = memcmp(root, root_before, sizeof(root)) == 0 && right;
			else
				right = fault == ATID_MST_NEEDED && missing > 0 && inversion.node != NULL && right;
			if (trusting == 0)
			{
				careful = fault;
				*(fault == ATID_OK ? &answers : &needed) += 1;
			}
			same = fault == careful && same;

			/* one less, and one of another value */
			if (count < 2)
				continue;
			atid_mst_walk_begin(&walk, &caller, root_after);
			walk.trusting = trusting == 1;
			fault = atid_mst_undo(&inversion, &walk, &caller, ops, count - 1, root);
			atid_mst_walk_end(&walk);
			lies = (fault != ATID_OK || memcmp(root, root_before, sizeof(root)) != 0) && lies;
			ops[0].new = ops[0].old == NULL ? other : ops[0].new == NULL ? ops[0].old : NULL;
			atid_mst_walk_begin(&walk, &caller, root_after);
			walk.trusting = trusting == 1;
			fault = atid_mst_undo(&inversion, &walk, &caller, ops, count, root);
			atid_mst_walk_end(&walk);
			lies = (fault == ATID_MST_ABSENT || fault == ATID_MST_OTHER_VALUE ||
					fault == ATID_MST_STILL_THERE || fault == ATID_MST_NEEDED ||
					memcmp(root, root_before, sizeof(root)) != 0) && lies;
			ops[0].new = after[(ops[0].key - keys[0]) / 3];
			if (ops[0].new[0] == 0)
				ops[0].new = NULL;
		}

		for (int i = 0; i < KEYS; i++)
		{
			AtidMstFound found = atid_mst_search(&walk, &caller, root_after, keys[i], 3);

			searched = (found == ATID_MST_PRESENT ?
						after[i][0] && walk.value_len == 36 &&
						memcmp(walk.value, after[i], 36) == 0 :
						found == ATID_MST_NOT_THERE ? !after[i][0] :
						found == ATID_MST_UNKNOWN && missing > 0) && searched;
			atid_mst_walk_end(&walk);
		}
		/* of so many requests for memory, some of each round fail */
		{
			Task		task = {root_after, ops, count, round % 4 < 2};
			unsigned	first = 1 + (unsigned) round % 7;

			clean = fails_cleanly(undo_or_fail, &task, first, 7) &&
				fails_cleanly(compare_or_fail, &task, first, 7) &&
				fails_cleanly(look_or_fail, &task, first, 7) && clean;
		}
		for (int i = 0; i < node_count; i++)
			free(nodes[i]);
	}
	ok(built, "trees are built");
	ok(right, "the root before, or a node is needed that is missing");
	ok(same, "the same of a trusting walk");
	ok(lies, "operations that are not all or not true never lead to it");
	ok(searched, "a key is found where it is, and only there");
	ok(clean && failing_total > 1000, "requests for memory fail");
	ok(memory.live == 0, "nothing is left");
	ok(answers > ROUNDS / 2 && needed > ROUNDS / 20, "often enough of either");
	printf("# %d answers, %d times a node was needed\n", answers, needed);
	printf("# %u requests for memory were refused\n", failing_total);
	return done();
}
