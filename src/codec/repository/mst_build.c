/*-------------------------------------------------------------------------
 * mst_build.c
 *		A Merkle Search Tree, built of its entries in the order of their keys.
 *
 * mst.c has the format.  Keys come in order, so only the nodes on the way from the
 * last entry to the root are open, at most one on each level; all others are
 * finished.  So a tree is built in one pass, with a stack of open nodes:
 *
 *		An entry of depth d finishes the open nodes of the levels below d, from the
 *		lowest on; each becomes the last subtree of the node above it, which is made if
 *		there is none.  Then the entry goes to the end of the node of level d.
 *
 * Memory grows with depth, and with the size of a node, not with the number of
 * entries.  An open node is kept as the DAG-CBOR of its entries.  The last one lacks
 * "t" and "v", as its subtree is still to come, and its key is kept for the prefix of
 * the next.
 *
 * A subtree may be put as a whole, by its CID, if no entry next to it belongs into one
 * of its nodes: nothing may be open at its level or below when it comes, and an entry
 * above its level must come next.  Else the subtree's entries are needed, and the
 * fault is ATID_MST_NEEDED.
 *
 * atid_mst_finish() leaves the builder as it is, so more can be put after it.
 *
 * Pure code: no server, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/mst_build.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/multiformat.h"

/* Room for the first entries of a node, and for the last one's key and value. */
#define NODE_FIRST_CAP 256
#define LAST_FIRST_CAP 96


static void *
builder_alloc(const AtidMstCaller *caller, void *old, size_t size)
{
	return caller->alloc(caller->arg, old, size);
}

static bool
grow_node(AtidCborWriter *writer, size_t new_cap)
{
	uint8_t    *data = builder_alloc(writer->arg, writer->data, new_cap);

	if (data == NULL)
		return false;
	writer->data = data;
	writer->cap = new_cap;
	return true;
}

static void
put_letter(AtidCborWriter *writer, char letter)
{
	atid_cbor_put_text(writer, &letter, 1);
}

static void
put_tree_link(AtidCborWriter *writer, const uint8_t *cid)
{
	if (cid != NULL)
		atid_cbor_put_link(writer, cid, ATID_MST_CID_LEN);
	else
		atid_cbor_put_null(writer);
}

/*
 * Write the rest of a node's last entry: its subtree and its value.
 */
static void
put_end_of_entry(AtidCborWriter *writer, const AtidMstLevel *level, const uint8_t *tree)
{
	put_tree_link(writer, tree);
	put_letter(writer, 'v');
	atid_cbor_put_link(writer, level->last + level->key_len, level->value_len);
}

/*
 * Compute the CID of a finished node, and give the node to the caller.
 */
static void
finish_node(const AtidMstCaller *caller, const uint8_t *node, size_t len,
			uint8_t cid[ATID_MST_CID_LEN])
{
	static const uint8_t head[4] = {1, ATID_CODEC_DAG_CBOR, ATID_HASH_SHA2_256, ATID_SHA2_256_LEN};

	memcpy(cid, head, sizeof(head));
	caller->sha256(caller->arg, node, len, cid + sizeof(head));
	if (caller->emit != NULL)
		caller->emit(caller->arg, cid, node, len);
}

/*
 * Finish the node of a level, or a node without entries if the level has none.
 * Its last slot gets the subtree "tree", or if that is NULL, the one that was
 * put there.
 */
static AtidFault
close_level(const AtidMstCaller *caller, const AtidMstLevel *level, const uint8_t *tree,
			uint8_t cid[ATID_MST_CID_LEN])
{
	AtidCborWriter writer = {.grow = grow_node,.arg = (void *) caller};
	size_t		count = level == NULL ? 0 : level->count;

	if (tree == NULL && level != NULL && level->has_link)
		tree = level->link;
	if (!grow_node(&writer, (level == NULL ? 0 : level->len) + NODE_FIRST_CAP))
		return ATID_NO_MEMORY;

	atid_cbor_put_map(&writer, 2);
	put_letter(&writer, 'e');
	atid_cbor_put_array(&writer, count);
	if (count > 0)
	{
		ATID_ASSERT(level->len <= writer.cap - writer.len);
		memcpy(writer.data + writer.len, level->data, level->len);
		writer.len += level->len;
		put_end_of_entry(&writer, level, tree);
		tree = level->has_left ? level->left : NULL;
	}
	put_letter(&writer, 'l');
	put_tree_link(&writer, tree);

	if (writer.fault == ATID_OK)
		finish_node(caller, writer.data, writer.len, cid);
	builder_alloc(caller, writer.data, 0);
	return writer.fault;
}

static bool
is_open(const AtidMstLevel *level)
{
	return level != NULL && (level->count > 0 || level->has_link);
}

/*
 * The level, which is allocated at its first use.
 */
static AtidMstLevel *
level_of(AtidMstBuilder *builder, const AtidMstCaller *caller, int i)
{
	AtidMstLevel *level = builder->levels[i];

	ATID_ASSERT(i >= 0 && i <= ATID_MST_DEPTH_MAX);
	if (level == NULL)
	{
		level = builder_alloc(caller, NULL, sizeof(AtidMstLevel));
		if (level == NULL)
			return NULL;
		memset(level, 0, sizeof(AtidMstLevel));
		builder->levels[i] = level;
	}
	if (i > builder->top)
		builder->top = i;
	return level;
}

static AtidFault
put_link(AtidMstBuilder *builder, const AtidMstCaller *caller, int i,
		 const uint8_t cid[ATID_MST_CID_LEN])
{
	AtidMstLevel *level = level_of(builder, caller, i);

	if (level == NULL)
		return ATID_NO_MEMORY;
	ATID_ASSERT(!level->has_link);
	memcpy(level->link, cid, ATID_MST_CID_LEN);
	level->has_link = true;
	return ATID_OK;
}

/*
 * Keep the last entry's key and value.
 */
static AtidFault
keep_last(AtidMstLevel *level, const AtidMstCaller *caller, const uint8_t *key, size_t key_len,
		  const uint8_t *value, size_t value_len)
{
	size_t		len = key_len + value_len;

	if (len > level->last_cap)
	{
		size_t		cap = len < LAST_FIRST_CAP ? LAST_FIRST_CAP : len;
		uint8_t    *last = builder_alloc(caller, level->last, cap);

		if (last == NULL)
			return ATID_NO_MEMORY;
		level->last = last;
		level->last_cap = (uint32_t) cap;
	}
	memcpy(level->last, key, key_len);
	memcpy(level->last + key_len, value, value_len);
	level->key_len = (uint16_t) key_len;
	level->value_len = (uint32_t) value_len;
	return ATID_OK;
}

/*
 * Put an entry behind the last one of its level.
 */
static AtidFault
put_entry(AtidMstLevel *level, const AtidMstCaller *caller, const uint8_t *key, size_t key_len,
		  const uint8_t *value, size_t value_len)
{
	AtidCborWriter writer = {.data = level->data,.len = level->len,.cap = level->cap,
	.grow = grow_node,.arg = (void *) caller};
	size_t		shared = 0;

	if (level->count == ATID_MST_ENTRIES_MAX)
		return ATID_MST_MANY_ENTRIES;
	if (writer.data == NULL && !grow_node(&writer, NODE_FIRST_CAP))
		return ATID_NO_MEMORY;
	if (level->count > 0)
	{
		ATID_ASSERT(atid_bytes_cmp(level->last, level->key_len, key, key_len) < 0);
		put_end_of_entry(&writer, level, level->has_link ? level->link : NULL);
		shared = atid_mst_shared(level->last, level->key_len, key, key_len);
	}
	else
	{
		level->has_left = level->has_link;
		memcpy(level->left, level->link, ATID_MST_CID_LEN);
	}
	level->has_link = false;

	atid_cbor_put_map(&writer, 4);
	put_letter(&writer, 'k');
	atid_cbor_put_bytes(&writer, key + shared, key_len - shared);
	put_letter(&writer, 'p');
	atid_cbor_put_integer(&writer, (int64_t) shared);
	put_letter(&writer, 't');
	ATID_ASSERT(writer.len <= writer.cap && writer.cap <= UINT32_MAX);
	level->data = writer.data;
	level->len = (uint32_t) writer.len;
	level->cap = (uint32_t) writer.cap;
	level->count++;

	return writer.fault == ATID_OK ?
		keep_last(level, caller, key, key_len, value, value_len) : writer.fault;
}

void
atid_mst_builder_init(AtidMstBuilder *builder)
{
	memset(builder, 0, sizeof(*builder));
	builder->last = -1;
	builder->top = -1;
	builder->sealed = -1;
}

AtidFault
atid_mst_put(AtidMstBuilder *builder, const AtidMstCaller *caller,
			 const uint8_t *key, size_t key_len, const uint8_t *value, size_t value_len)
{
	AtidFault	fault = atid_mst_check_key(key, key_len);
	uint8_t		digest[32];

	if (fault != ATID_OK)
		return fault;
	if (builder->last >= 0)
	{
		const AtidMstLevel *last = builder->levels[builder->last];
		int			order = atid_bytes_cmp(last->last, last->key_len, key, key_len);

		if (order >= 0)
			return order > 0 ? ATID_MST_KEY_ORDER : ATID_MST_KEY_TWICE;
	}
	caller->sha256(caller->arg, key, key_len, digest);
	return atid_mst_put_at(builder, caller, atid_mst_depth(digest), key, key_len, value,
						   value_len);
}

AtidFault
atid_mst_put_at(AtidMstBuilder *builder, const AtidMstCaller *caller, int depth,
				const uint8_t *key, size_t key_len, const uint8_t *value, size_t value_len)
{
	AtidFault	fault;
	AtidMstLevel *level;
	uint8_t		cid[ATID_MST_CID_LEN];
	bool		carry = false;

	ATID_ASSERT(depth >= 0 && atid_mst_check_key(key, key_len) == ATID_OK);
	ATID_ASSERT(builder->last < 0 ||
				atid_bytes_cmp(builder->levels[builder->last]->last,
							   builder->levels[builder->last]->key_len, key, key_len) < 0);
	if (depth > ATID_MST_DEPTH_MAX)
		return ATID_MST_DEEP;
	if (builder->sealed > depth)
		return ATID_MST_NEEDED;
	builder->sealed = -1;

	for (int i = 0; i < depth; i++)
	{
		level = builder->levels[i];
		if (!carry && !is_open(level))
			continue;
		fault = close_level(caller, level, carry ? cid : NULL, cid);
		if (fault != ATID_OK)
			return fault;
		carry = true;
		if (level != NULL)
		{
			level->len = 0;
			level->count = 0;
			level->has_left = level->has_link = false;
		}
	}
	if (carry && (fault = put_link(builder, caller, depth, cid)) != ATID_OK)
		return fault;

	level = level_of(builder, caller, depth);
	if (level == NULL)
		return ATID_NO_MEMORY;
	builder->last = depth;
	return put_entry(level, caller, key, key_len, value, value_len);
}

AtidFault
atid_mst_put_tree(AtidMstBuilder *builder, const AtidMstCaller *caller, int level,
				  const uint8_t cid[ATID_MST_CID_LEN])
{
	if (level < 0 || level >= ATID_MST_DEPTH_MAX || builder->sealed >= 0)
		return ATID_MST_NEEDED;
	for (int i = 0; i <= level; i++)
	{
		if (is_open(builder->levels[i]))
			return ATID_MST_NEEDED;
	}
	builder->sealed = level + 1;
	return put_link(builder, caller, level + 1, cid);
}

AtidFault
atid_mst_finish(const AtidMstBuilder *builder, const AtidMstCaller *caller,
				uint8_t root[ATID_MST_CID_LEN])
{
	AtidFault	fault = ATID_OK;
	int			top = builder->top;
	bool		carry = false;

	/*
	 * the root is the highest node with entries; no subtree may be put above
	 * it
	 */
	while (top >= 0 && (builder->levels[top] == NULL || builder->levels[top]->count == 0))
		top--;
	if (builder->sealed > top)
		return ATID_MST_NEEDED;
	if (top < 0)
		return close_level(caller, NULL, NULL, root);

	for (int i = 0; i <= top && fault == ATID_OK; i++)
	{
		if (!carry && !is_open(builder->levels[i]))
			continue;
		fault = close_level(caller, builder->levels[i], carry ? root : NULL, root);
		carry = true;
	}
	return fault;
}

void
atid_mst_builder_free(AtidMstBuilder *builder, const AtidMstCaller *caller)
{
	for (int i = 0; i <= ATID_MST_DEPTH_MAX; i++)
	{
		AtidMstLevel *level = builder->levels[i];

		if (level == NULL)
			continue;
		if (level->data != NULL)
			builder_alloc(caller, level->data, 0);
		if (level->last != NULL)
			builder_alloc(caller, level->last, 0);
		builder_alloc(caller, level, 0);
	}
	atid_mst_builder_init(builder);
}
