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
AtidFault
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
	return ATID_OK;
}


/*
 * Nodes
 */

static AtidFault
node_fault(AtidMstNode *node, const AtidCborReader *reader, AtidCborEvent event,
		   AtidFault fault)
{
	node->at = reader->at;
	return event == ATID_CBOR_FAULT ? reader->fault : fault;
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
static AtidFault
read_tree_link(AtidCborReader *reader, AtidMstNode *node, char letter, AtidFault form,
			   const uint8_t **link)
{
	AtidCborItem item;
	AtidCborEvent event;

	if ((event = next_key(reader, &item, letter)) != ATID_CBOR_KEY)
		return node_fault(node, reader, event, form);
	event = atid_cbor_next(reader, &item);
	*link = NULL;
	if (event == ATID_CBOR_NULL)
		return ATID_OK;
	if (event != ATID_CBOR_LINK)
		return node_fault(node, reader, event, form);
	if (!atid_cid_is_dag_cbor(item.data, item.len))
		return node_fault(node, reader, event, ATID_MST_LINK);
	*link = item.data;
	return ATID_OK;
}

static AtidFault
read_entry(AtidCborReader *reader, AtidMstNode *node, AtidMstEntry *entry)
{
	AtidCborItem item;
	AtidCborEvent event;
	AtidFault	fault;

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
	if (fault != ATID_OK)
		return fault;

	if ((event = next_key(reader, &item, 'v')) != ATID_CBOR_KEY ||
		(event = atid_cbor_next(reader, &item)) != ATID_CBOR_LINK)
		return node_fault(node, reader, event, ATID_MST_ENTRY);
	entry->value = item.data;
	entry->value_len = (uint32_t) item.len;
	if ((event = atid_cbor_next(reader, &item)) != ATID_CBOR_MAP_END)
		return node_fault(node, reader, event, ATID_MST_ENTRY);
	return ATID_OK;
}

/*
 * Read a node, which must stay as it is.  Where it has more entries than there is room
 * for, only the number of them is told, and the caller asks again with more room; there
 * are no more than ATID_MST_ENTRIES_MAX.  The bytes of keys are not looked at.
 */
AtidFault
atid_mst_read_node(const uint8_t *block, size_t len, AtidMstNode *node,
				   AtidMstEntry *entries, size_t room)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;
	AtidFault	fault;

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
		return ATID_OK;

	for (size_t i = 0; i < node->count; i++)
	{
		fault = read_entry(&reader, node, &entries[i]);
		if (fault != ATID_OK)
			return fault;
	}
	if ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_ARRAY_END)
		return node_fault(node, &reader, event, ATID_MST_NODE);
	fault = read_tree_link(&reader, node, 'l', ATID_MST_NODE, &node->left);
	if (fault != ATID_OK)
		return fault;
	if ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_MAP_END ||
		(event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
		return node_fault(node, &reader, event, ATID_MST_NODE);
	return ATID_OK;
}
