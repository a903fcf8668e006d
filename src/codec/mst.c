/*-------------------------------------------------------------------------
 *
 * mst.c
 *		The Merkle Search Tree of a repository: keys, and the form of a node.
 *
 * Format (AT Protocol, "Repository", "MST Structure"): the tree maps keys, which are
 * paths, to CIDs.  A key's depth is half the number of zero bits that its SHA-256
 * begins with, rounded down.  All keys in a node have one depth, the node's level; what
 * sorts between two of them and is not as deep lies in a subtree, one level below.  So
 * entries determine the tree, down to the bytes of its nodes:
 *
 *		{"e": [{"k": bytes, "p": integer, "t": link or null, "v": link}, ...],
 *		 "l": link or null}
 *
 * l is the subtree before the first entry, t the one behind an entry, v the value; p is
 * how many bytes the key shares with the last one in the node, as many as it can, and k
 * is the rest.  A node has no entries in two places: as the root of the empty tree, and
 * where it only passes on to the level below (l), because no level is skipped; then it
 * is not the root.
 *
 * What the network's paths are made of is printable ASCII, and so is any key here.
 *
 * This file reads one node; mst_walk.c goes through a tree and checks what spans nodes;
 * mst_build.c makes one.  They do not hash and have no memory: AtidMstCaller does that.
 *
 * Pure code: no server, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/mst.h"

#include <string.h>

#include "codec/dagcbor.h"
#include "codec/multiformat.h"

#define STRING_OF(x)	#x
#define NUMBER_IN_WORDS(x) STRING_OF(x)


/*
 * Keys
 */

/*
 * The depth of a key, from its SHA-256.
 */
int
atid_mst_depth(const uint8_t digest[32])
{
	int			zeros = 0;
	int			i = 0;

	while (i < 32 && digest[i] == 0)
		i++;
	zeros = i * 8;
	if (i < 32)
	{
		for (unsigned byte = digest[i]; byte < 0x80; byte <<= 1)
			zeros++;
	}
	return zeros / 2;
}

/*
 * How many bytes two keys share from their beginning on.
 */
size_t
atid_mst_shared(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	size_t		most = a_len < b_len ? a_len : b_len;
	size_t		n = 0;

	while (n < most && a[n] == b[n])
		n++;
	return n;
}

/*
 * Is this a key: not empty, not too long, printable ASCII without blanks?
 */
AtidMstFault
atid_mst_check_key(const uint8_t *key, size_t len)
{
	if (len == 0)
		return ATID_MST_KEY_EMPTY;
	if (len > ATID_MST_KEY_MAX)
		return ATID_MST_KEY_LONG;
	for (size_t i = 0; i < len; i++)
	{
		if (key[i] <= ' ' || key[i] > '~')
			return ATID_MST_KEY_CHARACTER;
	}
	return ATID_MST_OK;
}

/*
 * The order of keys: that of their bytes.
 */
int
atid_mst_key_cmp(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	int			order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	if (order == 0 && a_len != b_len)
		order = a_len < b_len ? -1 : 1;
	return order;
}


/*
 * Nodes
 */

static AtidMstFault
node_fault(AtidMstNode *node, const AtidCborReader *reader, AtidCborEvent event,
		   AtidMstFault fault)
{
	node->at = reader->at;
	if (event != ATID_CBOR_FAULT)
		return fault;
	node->cbor_error = (int) reader->error;
	node->cid_fault = reader->cid_fault;
	return ATID_MST_ENCODING;
}

/* The next event, which is to be the key of one letter. */
static AtidCborEvent
next_key(AtidCborReader *reader, AtidCborItem *item, char letter)
{
	AtidCborEvent event = atid_cbor_next(reader, item);

	if (event == ATID_CBOR_KEY && (item->len != 1 || item->data[0] != (uint8_t) letter))
		return ATID_CBOR_END;
	return event;
}

/*
 * A link to a node, or null: what the key of this letter has as its value.
 */
static AtidMstFault
read_tree_link(AtidCborReader *reader, AtidMstNode *node, char letter, AtidMstFault form,
			   const uint8_t **link)
{
	AtidCborItem item;
	AtidCborEvent event;

	if ((event = next_key(reader, &item, letter)) != ATID_CBOR_KEY)
		return node_fault(node, reader, event, form);
	event = atid_cbor_next(reader, &item);
	*link = NULL;
	if (event == ATID_CBOR_NULL)
		return ATID_MST_OK;
	if (event != ATID_CBOR_LINK)
		return node_fault(node, reader, event, form);
	if (!atid_cid_is_blessed(item.data, item.len) || item.data[1] != ATID_CODEC_DAG_CBOR)
		return node_fault(node, reader, event, ATID_MST_LINK);
	*link = item.data;
	return ATID_MST_OK;
}

static AtidMstFault
read_entry(AtidCborReader *reader, AtidMstNode *node, AtidMstEntry *entry)
{
	AtidCborItem item;
	AtidCborEvent event;
	AtidMstFault fault;

	if ((event = atid_cbor_next(reader, &item)) != ATID_CBOR_MAP || item.len != 4 ||
		(event = next_key(reader, &item, 'k')) != ATID_CBOR_KEY ||
		(event = atid_cbor_next(reader, &item)) != ATID_CBOR_BYTES)
		return node_fault(node, reader, event, ATID_MST_ENTRY);
	if (item.len > ATID_MST_KEY_MAX)
		return node_fault(node, reader, event, ATID_MST_KEY_LONG);
	entry->suffix = item.data;
	entry->suffix_len = (uint16_t) item.len;

	if ((event = next_key(reader, &item, 'p')) != ATID_CBOR_KEY ||
		(event = atid_cbor_next(reader, &item)) != ATID_CBOR_INTEGER || item.integer < 0)
		return node_fault(node, reader, event, ATID_MST_ENTRY);
	if (item.integer > ATID_MST_KEY_MAX)
		return node_fault(node, reader, event, ATID_MST_PREFIX_LONG);
	entry->prefix_len = (uint16_t) item.integer;

	fault = read_tree_link(reader, node, 't', ATID_MST_ENTRY, &entry->tree);
	if (fault != ATID_MST_OK)
		return fault;

	if ((event = next_key(reader, &item, 'v')) != ATID_CBOR_KEY ||
		(event = atid_cbor_next(reader, &item)) != ATID_CBOR_LINK)
		return node_fault(node, reader, event, ATID_MST_ENTRY);
	entry->value = item.data;
	entry->value_len = (uint32_t) item.len;
	if ((event = atid_cbor_next(reader, &item)) != ATID_CBOR_MAP_END)
		return node_fault(node, reader, event, ATID_MST_ENTRY);
	return ATID_MST_OK;
}

/*
 * Read a node, which must stay as it is.  Where it has more entries than there is room
 * for, only the number of them is told, and the caller asks again with more room; there
 * are no more than ATID_MST_ENTRIES_MAX.  The bytes of keys are not looked at.
 */
AtidMstFault
atid_mst_read_node(const uint8_t *block, size_t len, AtidMstNode *node,
				   AtidMstEntry *entries, size_t room)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	AtidMstFault fault;

	memset(node, 0, sizeof(*node));
	atid_cbor_reader_init(&reader, block, len);
	if ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_MAP || item.len != 2 ||
		(event = next_key(&reader, &item, 'e')) != ATID_CBOR_KEY ||
		(event = atid_cbor_next(&reader, &item)) != ATID_CBOR_ARRAY)
		return node_fault(node, &reader, event, ATID_MST_NODE);
	if (item.len > ATID_MST_ENTRIES_MAX)
		return node_fault(node, &reader, event, ATID_MST_MANY_ENTRIES);
	node->count = item.len;
	if (node->count > room)
		return ATID_MST_OK;

	for (size_t i = 0; i < node->count; i++)
	{
		fault = read_entry(&reader, node, &entries[i]);
		if (fault != ATID_MST_OK)
			return fault;
	}
	if ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_ARRAY_END)
		return node_fault(node, &reader, event, ATID_MST_NODE);
	fault = read_tree_link(&reader, node, 'l', ATID_MST_NODE, &node->left);
	if (fault != ATID_MST_OK)
		return fault;
	if ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_MAP_END ||
		(event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
		return node_fault(node, &reader, event, ATID_MST_NODE);
	return ATID_MST_OK;
}

/*
 * A fault in words: one sentence, without its place, which the caller knows.
 */
const char *
atid_mst_words(AtidMstFault fault, int cbor_error, int cid_fault)
{
	switch (fault)
	{
		case ATID_MST_OK:
			return "There is no fault.";
		case ATID_MST_ENCODING:
			return atid_cbor_words((AtidCborError) cbor_error, cid_fault);
		case ATID_MST_NODE:
			return "A node is a map of \"e\", an array, and \"l\", a link or null, "
				"and of nothing else.";
		case ATID_MST_ENTRY:
			return "An entry is a map of \"k\", bytes, \"p\", a number of 0 or more, "
				"\"t\", a link or null, and \"v\", a link, and of nothing else.";
		case ATID_MST_LINK:
			return "A link from node to node is a blessed CID of codec dag-cbor.";
		case ATID_MST_MANY_ENTRIES:
			return "A node has no more than " NUMBER_IN_WORDS(ATID_MST_ENTRIES_MAX) " entries.";
		case ATID_MST_KEY_EMPTY:
			return "A key is not empty.";
		case ATID_MST_KEY_LONG:
			return "A key has no more than " NUMBER_IN_WORDS(ATID_MST_KEY_MAX) " bytes.";
		case ATID_MST_KEY_CHARACTER:
			return "A key has only printable ASCII characters, and no blanks.";
		case ATID_MST_PREFIX_FIRST:
			return "The first key of a node shares no bytes with another: its prefix length is 0.";
		case ATID_MST_PREFIX_LONG:
			return "The prefix length of an entry is greater than the length of the key before it.";
		case ATID_MST_PREFIX_SHORT:
			return "The prefix length of an entry does not count all bytes "
				"that its key shares with the one before it.";
		case ATID_MST_KEY_ORDER:
			return "A key stands behind a greater one.";
		case ATID_MST_KEY_TWICE:
			return "A key stands there twice.";
		case ATID_MST_KEY_DEPTH:
			return "A key stands in a node whose level is not the key's depth.";
		case ATID_MST_LEVEL_SKIPPED:
			return "A link skips a level: it leads to a node more than one level below.";
		case ATID_MST_BOTTOM:
			return "A node of level 0 has no links to other nodes.";
		case ATID_MST_EMPTY:
			return "A node is empty that is not the root of an empty tree.";
		case ATID_MST_TOP:
			return "The root is a node of nothing but a link to another.";
		case ATID_MST_DEEP:
			return "The depth of a key is no more than " NUMBER_IN_WORDS(ATID_MST_DEPTH_MAX) ".";
		case ATID_MST_MISSING:
			return "The CAR does not have the block of this CID.";
		case ATID_MST_BLOCK:
			return "The block is not the one of its CID.";
		case ATID_MST_NEEDED:
			return "The block of a subtree is needed, and the CAR does not have it.";
		case ATID_MST_SIZE:
			return "A node is larger than a bytea can be.";
		case ATID_MST_MEMORY:
			return "Out of memory.";
	}
	return "The fault is not known.";
}
