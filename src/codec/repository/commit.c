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
#include "codec/repository/commit.h"

#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "codec/cbor/fields.h"
#include "codec/cbor/head.h"

#define V2 1u
#define V3 2u
#define BOTH (V2 | V3)

static bool
fits_version(void *into, const AtidCborItem *value)
{
	(void) into;
	return value->integer == ATID_COMMIT_VERSION || value->integer == ATID_COMMIT_VERSION_LEGACY;
}

#define TO(member) ATID_TO(AtidCommit, member)
#define TO_LEN(member) ATID_TO_LEN(AtidCommit, member)

static const AtidMapField fields[] = {
	ATID_FIELD("version", BOTH, BOTH, ATID_HOLDS_INTEGER, fits_version,
			   ATID_COMMIT_VERSION_FIELD, TO(version)),
	ATID_FIELD("did", BOTH, BOTH, ATID_HOLDS_TEXT, atid_fits_did, ATID_COMMIT_DID, TO_LEN(did)),
	ATID_FIELD("sig", BOTH, BOTH, ATID_HOLDS_BYTES, NULL, ATID_COMMIT_SIG, TO_LEN(sig)),
	ATID_FIELD("data", BOTH, BOTH, ATID_HOLDS_LINK, atid_fits_block, ATID_COMMIT_DATA, TO(data)),
	ATID_FIELD("rev", BOTH, V3, ATID_HOLDS_TEXT, atid_fits_tid, ATID_COMMIT_REV, TO(rev)),
	ATID_FIELD("prev", BOTH, V3, ATID_HOLDS_LINK | ATID_HOLDS_NULL, atid_fits_block,
			   ATID_COMMIT_PREV, TO(prev)),
};

static const AtidMap commit_map = {
	.fields = fields,.count = sizeof(fields) / sizeof(fields[0]),.top = ATID_COMMIT_TOP
};

AtidFault
atid_commit_parse(const uint8_t *block, size_t len, AtidCommit *commit)
{
	AtidMapReading reading;
	AtidFault	fault;

	memset(commit, 0, sizeof(*commit));
	commit->block = block;
	commit->block_len = len;
	if (len > ATID_COMMIT_SIZE_MAX)
		return ATID_COMMIT_LARGE;

	/* required fields of the version, besides those of both */
	fault = atid_map_read(&commit_map, V2, block, len, commit, &reading);
	if (fault == ATID_OK && commit->version == ATID_COMMIT_VERSION)
		fault = atid_map_missing(&commit_map, V3, reading.seen);
	commit->at = reading.at;

	/* an array is refused where it ends */
	if (fault == ATID_COMMIT_TOP && MAJOR(block[0]) == MAJOR_ARRAY)
		commit->at = len;
	return fault;
}

size_t
atid_commit_unsigned(const AtidCommit *commit, uint8_t *dst)
{
	static const char key[] = "sig";
	AtidCborWriter writer = {.data = dst,.cap = commit->block_len};
	const uint8_t *end = commit->block + commit->block_len;
	uint64_t	pairs;
	const uint8_t *first = atid_checked_head(commit->block, &pairs);
	const uint8_t *sig_pair = commit->sig - atid_head_len(commit->sig_len) -
		strlen(key) - atid_head_len(strlen(key));
	const uint8_t *sig_end = commit->sig + commit->sig_len;
	size_t		before = (size_t) (sig_pair - first);
	size_t		after = (size_t) (end - sig_end);

	/* the block is longer than any head, so the writer needs no grow() */
	atid_cbor_put_map(&writer, (size_t) pairs - 1);
	memcpy(dst + writer.len, first, before);
	memcpy(dst + writer.len + before, sig_end, after);
	return writer.len + before + after;
}
