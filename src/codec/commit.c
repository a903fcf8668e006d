/*-------------------------------------------------------------------------
 *
 * commit.c
 *		A repository's commit: its fields, and the bytes that its signature is over.
 *
 * Format (AT Protocol, "Repository", "Commit Objects"): a block of DAG-CBOR, a
 * map of
 *
 *		did			text, the account
 *		rev			text, a TID
 *		sig			bytes
 *		data		link to the root of the tree
 *		prev		link to an earlier commit, or null
 *		version		3
 *
 * in this order, which is that of DAG-CBOR.  Links must be blessed and lead to
 * DAG-CBOR.  Version 2 is read too; there rev and prev may be absent.  Other fields
 * are ignored, but signed like these.  The reader cannot be interrupted, so a block
 * of more than a megabyte is refused.
 *
 * The signature is over the same map without sig.  DAG-CBOR has one form for a
 * value, so these bytes are a head that counts one pair less, and the rest of the
 * block without the pair.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/commit.h"

#include <string.h>

#include "codec/address.h"
#include "codec/dagcbor.h"
#include "codec/multiformat.h"
#include "codec/syntax.h"


/* The fields that have been seen. */
#define HAS_DID		0x01
#define HAS_REV		0x02
#define HAS_SIG		0x04
#define HAS_DATA	0x08
#define HAS_PREV	0x10
#define HAS_VERSION	0x20

static bool
is_link_to_block(AtidCborEvent event, const AtidCborItem *item)
{
	return event == ATID_CBOR_LINK && atid_cid_is_dag_cbor(item->data, item->len);
}

/*
 * Take the value of a field, if it is one of the above.
 */
static AtidFault
take_field(AtidCommit *commit, const AtidCborItem *key, AtidCborEvent event,
		   const AtidCborItem *value, unsigned *seen)
{
	size_t		at;

	if (atid_cbor_item_is(key, "did"))
	{
		if (event != ATID_CBOR_TEXT ||
			atid_did_scan((const char *) value->data, value->len, &at) != ATID_OK)
			return ATID_COMMIT_DID;
		commit->did = (const char *) value->data;
		commit->did_len = value->len;
		*seen |= HAS_DID;
	}
	else if (atid_cbor_item_is(key, "rev"))
	{
		if (event != ATID_CBOR_TEXT ||
			atid_syntax_tid((const char *) value->data, value->len, &at) != ATID_OK)
			return ATID_COMMIT_REV;
		commit->rev = (const char *) value->data;
		*seen |= HAS_REV;
	}
	else if (atid_cbor_item_is(key, "sig"))
	{
		if (event != ATID_CBOR_BYTES)
			return ATID_COMMIT_SIG;
		commit->sig = value->data;
		commit->sig_len = value->len;
		*seen |= HAS_SIG;
	}
	else if (atid_cbor_item_is(key, "data"))
	{
		if (!is_link_to_block(event, value))
			return ATID_COMMIT_DATA;
		commit->data = value->data;
		*seen |= HAS_DATA;
	}
	else if (atid_cbor_item_is(key, "prev"))
	{
		if (event != ATID_CBOR_NULL && !is_link_to_block(event, value))
			return ATID_COMMIT_PREV;
		commit->prev = event == ATID_CBOR_NULL ? NULL : value->data;
		*seen |= HAS_PREV;
	}
	else if (atid_cbor_item_is(key, "version"))
	{
		if (event != ATID_CBOR_INTEGER ||
			(value->integer != ATID_COMMIT_VERSION &&
			 value->integer != ATID_COMMIT_VERSION_LEGACY))
			return ATID_COMMIT_VERSION_FIELD;
		commit->version = value->integer;
		*seen |= HAS_VERSION;
	}
	return ATID_OK;
}

/*
 * Is a field missing that this version has?
 */
static AtidFault
missing_field(const AtidCommit *commit, unsigned seen)
{
	if (!(seen & HAS_VERSION))
		return ATID_COMMIT_VERSION_FIELD;
	if (!(seen & HAS_DID))
		return ATID_COMMIT_DID;
	if (!(seen & HAS_SIG))
		return ATID_COMMIT_SIG;
	if (!(seen & HAS_DATA))
		return ATID_COMMIT_DATA;
	if (commit->version == ATID_COMMIT_VERSION_LEGACY)
		return ATID_OK;
	if (!(seen & HAS_REV))
		return ATID_COMMIT_REV;
	if (!(seen & HAS_PREV))
		return ATID_COMMIT_PREV;
	return ATID_OK;
}

AtidFault
atid_commit_parse(const uint8_t *block, size_t len, AtidCommit *commit)
{
	AtidCborReader reader;
	AtidCborItem key = {0};
	AtidCborItem item;
	AtidCborEvent event;
	AtidFault	fault = ATID_OK;
	bool		in_sig = false;
	unsigned	seen = 0;

	memset(commit, 0, sizeof(*commit));
	commit->block = block;
	commit->block_len = len;
	if (len > ATID_COMMIT_SIZE_MAX)
		return ATID_COMMIT_LARGE;
	atid_cbor_reader_init(&reader, block, len);

	/* a fault of the encoding, wherever it is, comes before one of the fields */
	while ((event = atid_cbor_next(&reader, &item)) != ATID_CBOR_END)
	{
		AtidFault	found = ATID_OK;
		size_t		at = atid_cbor_offset(&reader);

		if (event == ATID_CBOR_FAULT)
		{
			commit->at = at;
			return reader.fault;
		}
		if (reader.depth == 0)
		{
			if (event != ATID_CBOR_MAP_END)
				found = ATID_COMMIT_TOP;
		}
		else if (reader.depth == 1 && event == ATID_CBOR_MAP && at == 0)
		{
			commit->pairs = item.len;
			commit->first_pair = (size_t) (reader.p - block);
		}
		else if (reader.depth == 1 && event == ATID_CBOR_KEY)
		{
			if (in_sig)
				commit->sig_end = at;
			key = item;
			in_sig = atid_cbor_item_is(&key, "sig");
			if (in_sig)
				commit->sig_begin = at;
		}
		else if ((reader.depth == 1 && event != ATID_CBOR_MAP_END &&
				  event != ATID_CBOR_ARRAY_END) ||
				 (reader.depth == 2 && (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)))
			found = take_field(commit, &key, event, &item, &seen);

		if (found != ATID_OK && fault == ATID_OK)
		{
			fault = found;
			commit->at = at;
		}
	}
	if (fault == ATID_OK)
		fault = missing_field(commit, seen);
	return fault;
}

size_t
atid_commit_unsigned(const AtidCommit *commit, uint8_t *dst)
{
	AtidCborWriter writer = {.data = dst,.cap = commit->block_len};
	size_t		before = commit->sig_begin - commit->first_pair;
	size_t		after = commit->block_len - commit->sig_end;

	/* the block is longer than any head, so the writer needs no grow() */
	atid_cbor_put_map(&writer, commit->pairs - 1);
	memcpy(dst + writer.len, commit->block + commit->first_pair, before);
	memcpy(dst + writer.len + before, commit->block + commit->sig_end, after);
	return writer.len + before + after;
}
