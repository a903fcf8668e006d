/*-------------------------------------------------------------------------
 *
 * mst_walk.c
 *		A walk through a Merkle Search Tree, in the order of its keys.
 *
 * mst.c has the format.  The walk stands before a subtree, at an entry, or at the end;
 * its caller goes into a subtree or passes it by, so that one walk serves for all
 * entries, for what a CAR has of a tree, and for two trees side by side.
 *
 * Checked is all that makes a tree canonical, as far as the walk goes: the form of each
 * node; that prefixes are in full compressed; that keys rise, over the whole tree; that
 * each key is at the level of its depth; that no level is skipped; that there are no
 * empty nodes but the empty tree's root and those that pass on to the level below, the
 * root not among them.
 *
 * Bounds: open nodes are in a stack of fixed size, as each is a level below the last
 * and the root is at the depth of a key.  A node that has entries is opened once, for a
 * second time its first key would not rise; one without entries only leads, in at most
 * as many steps as there are levels, to one that has, or to one that is missing.  So
 * time is linear in the links that are there, however they are tied, and memory is a
 * node's entries for each level.
 *
 * Pure code: no server, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/mst.h"

#include <string.h>

/* Most nodes have fewer entries. */
#define ENTRIES_FIRST 16


/*
 * Note a fault, of the node of this CID and at this place.  The walk ends there.
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
 * Take the key of an entry.  The frame has the one before it; or the same one, if it is
 * the node's first, which was looked at when the node was entered.
 */
static AtidFault
take_key(AtidMstWalk *walk, AtidMstFrame *frame, const AtidMstEntry *entry, bool first)
{
	size_t		shared = entry->prefix_len;
	AtidFault	fault;
	int			order = 1;

	/* against the last key of this node, which the prefix does most of */
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
		memcpy(frame->key + shared, entry->suffix, entry->suffix_len);
		frame->key_len = (uint16_t) (shared + entry->suffix_len);
	}

	/* and where another node came between, against the last key of that */
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
	if (fault == ATID_OK && !first)
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
 * Find out where the walk is: at the top frame's place, or, where that node is at its
 * end, at its parent's.
 */
static void
settle(AtidMstWalk *walk)
{
	while (walk->depth > 0)
	{
		AtidMstFrame *frame = &walk->frames[walk->depth - 1];
		uint32_t	place = frame->place;
		const AtidMstEntry *entry;

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

/*
 * Begin a walk: before the root, which the caller enters.  The root's CID must stay.
 */
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

/*
 * Give back what the walk has taken.
 */
void
atid_mst_walk_end(AtidMstWalk *walk)
{
	if (walk->entries != NULL)
		walk->caller->alloc(walk->caller->arg, walk->entries, 0);
	walk->entries = NULL;
}

/*
 * See to it that there is room for so many more entries.
 */
static bool
make_room(AtidMstWalk *walk, size_t count)
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

	if (!make_room(walk, ENTRIES_FIRST))
		return ATID_NO_MEMORY;
	fault = atid_mst_read_node(block, len, node, walk->entries + walk->used,
							   walk->room - walk->used);
	if (fault == ATID_OK && node->count > walk->room - walk->used)
	{
		if (!make_room(walk, node->count))
			return ATID_NO_MEMORY;
		fault = atid_mst_read_node(block, len, node, walk->entries + walk->used,
								   walk->room - walk->used);
	}
	return fault;
}

/*
 * The first key of a node, which is looked at before the subtree that lies before it:
 * it shows whether the node is at the right level.  The root's level is what its first
 * key says.
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
	return check_depth(walk, frame, true);
}

/*
 * Go into the subtree that the walk stands before.  Where its block is missing the
 * walk is at a fault; a caller that passes by such a subtree instead says so by
 * atid_mst_pass(), which takes the fault back.
 */
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
	settle(walk);
}

/*
 * Pass by what the walk stands before or at.
 */
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
	walk->fault = ATID_OK;
	walk->frames[walk->depth - 1].place++;
	settle(walk);
}

/*
 * Find the last key of the subtree that has this CID and lies at this level: a walk of
 * its own, which enters only the last subtree of each node.  It is then at the end, and
 * last_key and last_len are the key's; or it is at a fault.
 */
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

/*
 * Check an entry, if the walk is at one, against the last key of a subtree that was
 * passed by before it.
 */
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
