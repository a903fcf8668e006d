/*-------------------------------------------------------------------------
 *
 * mst.c
 *		The Merkle Search Tree of a repository: keys, and the form of a node.
 *
 * Format (AT Protocol, "Repository", "MST Structure"): the tree maps keys, which are
 * paths, to CIDs.  A key's depth is half the number of zero bits that its SHA-256
 * begins with, rounded down.  All keys of a node have the same depth, the node's level.
 * The keys between two of them that are less deep are in a subtree, one level below.
 * So entries determine the tree, down to the bytes of its nodes:
 *
 *		{"e": [{"k": bytes, "p": integer, "t": link or null, "v": link}, ...],
 *		 "l": link or null}
 *
 * l is the subtree before the first entry, t the one behind an entry, v the value; p is
 * the number of bytes that the key shares with the key before it in the node, all of
 * them, and k is the rest.  Two kinds of nodes have no entries: the root of the empty
 * tree; and a node below the root that only leads to the next level (l), since no level
 * is skipped.
 *
 * The network's paths are printable ASCII, and so must be all keys here.
 *
 * This file reads one node; mst_walk.c goes through a tree and checks what spans nodes;
 * mst_build.c makes one.  Hashing and memory are the caller's (AtidMstCaller).
 *
 * Pure code: no server, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/mst.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/multiformat.h"


/*
 * Keys
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

size_t
atid_mst_shared(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	size_t		most = a_len < b_len ? a_len : b_len;
	size_t		n = 0;

	while (n < most && a[n] == b[n])
		n++;
	return n;
}

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

/* The next event, which should be the key of this letter; END if it is another key. */
static AtidCborEvent
next_key(AtidCborReader *reader, AtidCborItem *item, char letter)
{
	AtidCborEvent event = atid_cbor_next(reader, item);

	if (event == ATID_CBOR_KEY && (item->len != 1 || item->data[0] != (uint8_t) letter))
		return ATID_CBOR_END;
	return event;
}

/*
 * Read the key of this letter, and its value, which is a link to a node or
 * null.
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

	/* as many pairs as the map has were read */
	event = atid_cbor_next(reader, &item);
	ATID_ASSERT(event == ATID_CBOR_MAP_END);
	return ATID_OK;
}

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
	event = atid_cbor_next(&reader, &item);
	ATID_ASSERT(event == ATID_CBOR_ARRAY_END);
	fault = read_tree_link(&reader, node, 'l', ATID_MST_NODE, &node->left);
	if (fault != ATID_OK)
		return fault;
	event = atid_cbor_next(&reader, &item);
	ATID_ASSERT(event == ATID_CBOR_MAP_END);
	if ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
		return node_fault(node, &reader, event, ATID_MST_NODE);
	return ATID_OK;
}
