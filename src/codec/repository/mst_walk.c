/*-------------------------------------------------------------------------
 * mst_walk.c
 *		A walk through a Merkle Search Tree, in the order of its keys.
 *
 * mst.c has the format.  The walk stands before a subtree, at an entry, or at the end.
 * Its caller enters a subtree or passes it by, so a walk can list all entries, read
 * the part of a tree that a CAR has, or go side by side with a walk of another tree.
 *
 * As far as it goes, the walk checks that the tree is canonical: each node has the
 * right form; prefixes are as long as they can be; keys rise over the whole tree; each
 * key is at the level of its depth; no level is skipped; a node without entries is the
 * empty tree's root, or is below the root and leads to the next level.
 *
 * Bounds: open nodes are in a stack of fixed size, as each is one level below the one
 * before, and the root's level is the depth of a key.  A node with entries can be
 * entered only once: the second time, its first key would not exceed the last key
 * seen.  A node without entries leads to one with entries, or to a missing one, in at
 * most as many steps as there are levels.  So time is linear in the number of links,
 * however they are tied, and memory is one node's entries for each level.
 *
 * Pure code: no server, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/mst_walk.h"

#include <string.h>

#include "codec/assert.h"

/* Most nodes have fewer entries. */
#define ENTRIES_FIRST 16


/*
 * Note a fault of the node with this CID, at this place.  It ends the walk.
 */
static void
walk_fault(AtidMstWalk *walk, AtidFault fault, const uint8_t *cid, const uint8_t *at)
{
	walk->at = ATID_MST_AT_FAULT;
	walk->fault = fault;
	walk->fault_cid = cid;
	walk->fault_at = at;
}

/*
 * Take the key of an entry.  The frame has the key before it; or the same key
 * if it is the node's first, which was taken when the node was entered.
 */
static AtidFault
take_key(AtidMstWalk *walk, AtidMstFrame *frame, const AtidMstEntry *entry, bool first)
{
	size_t		shared = entry->prefix_len;
	AtidFault	fault;
	int			order = 1;

	/* compare with the key before in this node; the prefix gives most of it */
	if (!first)
	{
		if (shared > frame->key_len)
			return ATID_MST_PREFIX_LONG;
		if (shared + entry->suffix_len > ATID_MST_KEY_MAX)
			return ATID_MST_KEY_LONG;
		if (entry->suffix_len == 0)
			order = shared == frame->key_len ? 0 : -1;
		else
		{
			fault = atid_mst_check_key(entry->suffix, entry->suffix_len);
			if (fault != ATID_OK)
				return fault;
			if (shared < frame->key_len)
			{
				if (entry->suffix[0] == frame->key[shared])
					return ATID_MST_PREFIX_SHORT;
				order = entry->suffix[0] < frame->key[shared] ? -1 : 1;
			}
		}
		ATID_ASSERT(shared + entry->suffix_len <= sizeof(frame->key));
		memcpy(frame->key + shared, entry->suffix, entry->suffix_len);
		frame->key_len = (uint16_t) (shared + entry->suffix_len);
	}

	/* if a subtree came between, compare with its last key */
	walk->key = frame->key;
	walk->key_len = frame->key_len;
	if (order > 0 && walk->last_key != NULL && walk->last_key != frame->key)
		order = atid_bytes_cmp(frame->key, frame->key_len, walk->last_key, walk->last_len);
	if (order <= 0)
		return order < 0 ? ATID_MST_KEY_ORDER : ATID_MST_KEY_TWICE;

	walk->last_key = frame->key;
	walk->last_len = frame->key_len;
	return ATID_OK;
}

/*
 * Is the frame's key at the level of its depth?
 */
static AtidFault
check_depth(AtidMstWalk *walk, AtidMstFrame *frame, bool first)
{
	uint8_t		digest[32];
	int			depth;

	walk->caller->sha256(walk->caller->arg, frame->key, frame->key_len, digest);
	depth = atid_mst_depth(digest);
	if (depth > ATID_MST_DEPTH_MAX)
		return ATID_MST_DEEP;
	if (frame->level < 0)
		frame->level = depth;
	if (depth == frame->level)
		return ATID_OK;
	return first && depth < frame->level ? ATID_MST_LEVEL_SKIPPED : ATID_MST_KEY_DEPTH;
}

/*
 * Stand at an entry, if its key is right.
 */
static void
settle_at_entry(AtidMstWalk *walk, AtidMstFrame *frame, const AtidMstEntry *entry, bool first)
{
	AtidFault	fault;

	walk->key_len = 0;
	fault = take_key(walk, frame, entry, first);
	if (fault == ATID_OK && !first && !walk->trusting)
		fault = check_depth(walk, frame, first);
	if (fault != ATID_OK)
	{
		walk->level = frame->level;
		walk_fault(walk, fault, frame->cid, entry->suffix);
		return;
	}
	walk->at = ATID_MST_AT_ENTRY;
	walk->value = entry->value;
	walk->value_len = entry->value_len;
}

/*
 * Find out where the walk is: at the top frame's place; or, if that node has
 * ended, at its parent's.
 */
static void
settle_walk(AtidMstWalk *walk)
{
	while (walk->depth > 0)
	{
		AtidMstFrame *frame = &walk->frames[walk->depth - 1];
		uint32_t	place = frame->place;
		const AtidMstEntry *entry;

		ATID_ASSERT(frame->first + frame->count == walk->used && walk->used <= walk->room);
		ATID_ASSERT(place <= 2 * frame->count + 1);
		if (place > 2 * frame->count)
		{
			walk->used = frame->first;
			walk->depth--;
			if (walk->depth > 0)
				walk->frames[walk->depth - 1].place++;
			continue;
		}
		entry = place == 0 ? NULL : &walk->entries[frame->first + (place - 1) / 2];
		if (place % 2 == 1)
		{
			settle_at_entry(walk, frame, entry, place == 1);
			return;
		}
		walk->link = entry == NULL ? frame->left : entry->tree;
		if (walk->link != NULL)
		{
			walk->level = frame->level - 1;
			walk->at = ATID_MST_AT_TREE;
			walk->key_len = 0;
			if (walk->level < 0)
				walk_fault(walk, ATID_MST_BOTTOM, frame->cid, walk->link);
			return;
		}
		frame->place++;
	}
	walk->at = ATID_MST_AT_END;
}

void
atid_mst_walk_begin(AtidMstWalk *walk, const AtidMstCaller *caller,
					const uint8_t root[ATID_MST_CID_LEN])
{
	memset(walk, 0, offsetof(AtidMstWalk, frames));
	walk->caller = caller;
	walk->at = ATID_MST_AT_TREE;
	walk->link = root;
	walk->level = -1;
}

void
atid_mst_walk_end(AtidMstWalk *walk)
{
	if (walk->entries != NULL)
		walk->caller->alloc(walk->caller->arg, walk->entries, 0);
	walk->entries = NULL;
}

/*
 * Make room for so many more entries.
 */
static bool
reserve_entries(AtidMstWalk *walk, size_t count)
{
	size_t		room = walk->used + count + walk->room / 2;
	void	   *entries;

	if (walk->entries != NULL && count <= walk->room - walk->used)
		return true;
	entries = walk->caller->alloc(walk->caller->arg, walk->entries,
								  room * sizeof(AtidMstEntry));
	if (entries == NULL)
		return false;
	walk->entries = entries;
	walk->room = room;
	return true;
}

/*
 * Read the entries of a block behind those that are there.
 */
static AtidFault
read_entries(AtidMstWalk *walk, const uint8_t *block, size_t len, AtidMstNode *node)
{
	AtidFault	fault;

	if (!reserve_entries(walk, ENTRIES_FIRST))
		return ATID_NO_MEMORY;
	fault = atid_mst_read_node(block, len, node, walk->entries + walk->used,
							   walk->room - walk->used);
	if (fault == ATID_OK && node->count > walk->room - walk->used)
	{
		if (!reserve_entries(walk, node->count))
			return ATID_NO_MEMORY;
		fault = atid_mst_read_node(block, len, node, walk->entries + walk->used,
								   walk->room - walk->used);
	}
	return fault;
}

/*
 * Check the first key of a node before the subtree in front of it: it shows
 * whether the node is at the right level.  The root's level is the depth of its
 * first key.
 */
static AtidFault
check_first_key(AtidMstWalk *walk, AtidMstFrame *frame)
{
	const AtidMstEntry *entry = &walk->entries[frame->first];
	AtidFault	fault;

	if (entry->prefix_len > 0)
		return ATID_MST_PREFIX_FIRST;
	fault = atid_mst_check_key(entry->suffix, entry->suffix_len);
	if (fault != ATID_OK)
		return fault;
	memcpy(frame->key, entry->suffix, entry->suffix_len);
	frame->key_len = entry->suffix_len;
	walk->key = frame->key;
	walk->key_len = frame->key_len;
	if (walk->trusting && frame->level >= 0)
		return ATID_OK;
	return check_depth(walk, frame, true);
}

void
atid_mst_enter(AtidMstWalk *walk)
{
	const uint8_t *cid = walk->link;
	int			level = walk->level;
	const uint8_t *block;
	size_t		len;
	AtidMstNode node;
	AtidMstFrame *frame;
	AtidFault	fault;

	fault = walk->caller->find(walk->caller->arg, cid, &block, &len);
	walk->key_len = 0;
	if (fault != ATID_OK)
	{
		walk_fault(walk, fault, cid, walk->depth > 0 ? cid : NULL);
		return;
	}
	memset(&node, 0, sizeof(node));
	fault = read_entries(walk, block, len, &node);
	if (fault == ATID_OK && node.count == 0)
	{
		node.at = block;
		if (node.left == NULL && level >= 0)
			fault = ATID_MST_EMPTY;
		else if (node.left != NULL && level < 0)
			fault = ATID_MST_TOP;
	}
	if (fault != ATID_OK)
	{
		walk_fault(walk, fault, cid, node.at);
		return;
	}

	/* each level is below the last, and none is below 0 */
	ATID_ASSERT(walk->depth <= ATID_MST_DEPTH_MAX);
	ATID_ASSERT(walk->depth == 0 || level == walk->frames[walk->depth - 1].level - 1);
	ATID_ASSERT(node.count <= walk->room - walk->used);
	frame = &walk->frames[walk->depth++];
	frame->cid = cid;
	frame->left = node.left;
	frame->first = (uint32_t) walk->used;
	frame->count = (uint32_t) node.count;
	frame->place = 0;
	frame->level = level;
	frame->key_len = 0;
	walk->used += node.count;
	if (node.count > 0)
	{
		if (walk->caller->expect != NULL)
			walk->caller->expect(walk->caller->arg, walk->entries + frame->first, node.count);
		fault = check_first_key(walk, frame);
		if (fault != ATID_OK)
		{
			walk_fault(walk, fault, cid, walk->entries[frame->first].suffix);
			return;
		}
	}
	settle_walk(walk);
}

void
atid_mst_pass(AtidMstWalk *walk)
{
	if (walk->at == ATID_MST_AT_FAULT && walk->fault != ATID_MST_MISSING)
		return;
	if (walk->depth == 0)
	{
		/* the root itself */
		walk->at = ATID_MST_AT_END;
		return;
	}
	ATID_ASSERT(walk->at != ATID_MST_AT_END);
	walk->fault = ATID_OK;
	walk->frames[walk->depth - 1].place++;
	settle_walk(walk);
}

bool
atid_mst_check_depth(AtidMstWalk *walk)
{
	AtidMstFrame *frame = &walk->frames[walk->depth - 1];
	AtidFault	fault = check_depth(walk, frame, frame->place == 1);

	if (fault == ATID_OK)
		return true;
	walk->level = frame->level;
	walk_fault(walk, fault, frame->cid,
			   walk->entries[frame->first + (frame->place - 1) / 2].suffix);
	return false;
}

int
atid_mst_cmp_next(const AtidMstWalk *walk, const uint8_t *key, size_t len)
{
	for (int i = walk->depth - 1; i >= 0; i--)
	{
		const AtidMstFrame *frame = &walk->frames[i];
		const AtidMstEntry *entry;
		size_t		shared;
		int			order;

		if (frame->place / 2 >= frame->count)
			continue;
		entry = &walk->entries[frame->first + frame->place / 2];
		shared = entry->prefix_len < frame->key_len ? entry->prefix_len : frame->key_len;
		if (len <= shared)
		{
			order = memcmp(key, frame->key, len);
			return order != 0 ? order : -1;
		}
		order = memcmp(key, frame->key, shared);
		return order != 0 ? order :
			atid_bytes_cmp(key + shared, len - shared, entry->suffix, entry->suffix_len);
	}
	return -1;
}

void
atid_mst_last_key(AtidMstWalk *walk, const AtidMstCaller *caller,
				  const uint8_t cid[ATID_MST_CID_LEN], int level)
{
	atid_mst_walk_begin(walk, caller, cid);
	walk->level = level;
	while (walk->at == ATID_MST_AT_TREE || walk->at == ATID_MST_AT_ENTRY)
	{
		const AtidMstFrame *frame = walk->depth == 0 ? NULL : &walk->frames[walk->depth - 1];

		if (frame == NULL ||
			(walk->at == ATID_MST_AT_TREE && frame->place == 2 * frame->count))
			atid_mst_enter(walk);
		else
			atid_mst_pass(walk);
	}
}

void
atid_mst_check_behind(AtidMstWalk *walk, const uint8_t *key, size_t len)
{
	const AtidMstFrame *frame;
	int			order;

	if (walk->at != ATID_MST_AT_ENTRY)
		return;
	order = atid_bytes_cmp(walk->key, walk->key_len, key, len);
	if (order > 0)
		return;
	frame = &walk->frames[walk->depth - 1];
	walk->level = frame->level;
	walk_fault(walk, order < 0 ? ATID_MST_KEY_ORDER : ATID_MST_KEY_TWICE, frame->cid,
			   walk->entries[frame->first + (frame->place - 1) / 2].suffix);
}


/*
 * The search
 */

/* A key that is kept beyond the node that it is in; none where len is 0. */
typedef struct KeptKey
{
	size_t		len;
	uint8_t		bytes[ATID_MST_KEY_MAX];
} KeptKey;

static void
keep_key(KeptKey *kept, const AtidMstWalk *walk)
{
	memcpy(kept->bytes, walk->key, walk->key_len);
	kept->len = walk->key_len;
}

/*
 * Check an entry against the keys that lie around its node.
 */
static void
check_between(AtidMstWalk *walk, const KeptKey *low, const KeptKey *high)
{
	const AtidMstFrame *frame = &walk->frames[walk->depth - 1];
	int			order = 1;

	if (low->len > 0)
		order = atid_bytes_cmp(walk->key, walk->key_len, low->bytes, low->len);
	if (order > 0 && high->len > 0)
		order = atid_bytes_cmp(high->bytes, high->len, walk->key, walk->key_len);
	if (order > 0)
		return;
	walk->level = frame->level;
	walk_fault(walk, order < 0 ? ATID_MST_KEY_ORDER : ATID_MST_KEY_TWICE, frame->cid,
			   walk->entries[frame->first + (frame->place - 1) / 2].suffix);
}

AtidMstFound
atid_mst_search(AtidMstWalk *walk, const AtidMstCaller *caller,
				const uint8_t root[ATID_MST_CID_LEN], const uint8_t *key, size_t key_len)
{
	int			level = -1;
	int			depth;
	uint8_t		digest[32];
	KeptKey		low = {0};
	KeptKey		high = {0};

	caller->sha256(caller->arg, key, key_len, digest);
	depth = atid_mst_depth(digest);
	atid_mst_walk_begin(walk, caller, root);
	for (;;)
	{
		const uint8_t *next = NULL;
		const uint8_t *value = NULL;
		size_t		value_len = 0;
		KeptKey		before = low;
		KeptKey		behind = high;
		bool		passed = false;

		atid_mst_enter(walk);
		if (walk->at == ATID_MST_AT_FAULT && walk->fault == ATID_MST_MISSING)
			return ATID_MST_UNKNOWN;
		if (walk->depth > 0)
			level = walk->frames[0].level;

		/* all of the node, but nothing that lies below it */
		while (walk->at == ATID_MST_AT_TREE || walk->at == ATID_MST_AT_ENTRY)
		{
			if (walk->at == ATID_MST_AT_ENTRY)
			{
				int			order = atid_bytes_cmp(walk->key, walk->key_len, key, key_len);

				check_between(walk, &low, &high);
				if (walk->at == ATID_MST_AT_FAULT)
					break;
				if (order < 0)
				{
					keep_key(&before, walk);
					next = NULL;
				}
				else if (!passed)
				{
					keep_key(&behind, walk);
					passed = true;
				}
				if (order == 0)
				{
					value = walk->value;
					value_len = walk->value_len;
				}
			}
			else if (!passed)
				next = walk->link;
			atid_mst_pass(walk);
		}
		if (walk->at == ATID_MST_AT_FAULT)
			return ATID_MST_BROKEN;
		if (value != NULL)
		{
			walk->value = value;
			walk->value_len = value_len;
			return ATID_MST_PRESENT;
		}
		if (next == NULL || level <= depth)
			return ATID_MST_NOT_THERE;
		atid_mst_walk_end(walk);
		atid_mst_walk_begin(walk, caller, next);
		walk->level = --level;
		low = before;
		high = behind;
	}
}
