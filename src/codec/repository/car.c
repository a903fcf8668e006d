/*-------------------------------------------------------------------------
 *
 * car.c
 *		CAR v1: its header and sections, and an index of its blocks.
 *
 * Format (IPLD, "CARv1"; DASL, "CAR"):
 *
 *		length | header | (length | CID | block) ...
 *
 * A length is a varint in its shortest form (multiformat.c), and counts all of the
 * header or of the section that follows.  The header is DAG-CBOR, a map of "roots",
 * an array of links, and "version", the number 1; no other field.  A CIDv1 shows
 * where it ends, and the rest of the section is the block.
 *
 * The reader hands out one section after the other.  It neither hashes blocks nor
 * looks into them.  It compares every length with what is left before using it, so
 * time is linear in the bytes that are there.  A CAR may have no sections.
 *
 * The index is a hash table with open addressing: 8 bytes a slot, and at most two
 * thirds of the slots in use.  A slot has 32 bits of the CID's hash and the offset
 * of the section; a search compares the CID there.  If several sections have the
 * same CID, the first counts.
 *
 * Whoever made the CAR chose its CIDs freely, as no block is hashed before it is
 * looked up.  So the slot does not come from the digest but from multilinear hashing
 * with random numbers (Lemire and Kaser, "Strongly universal string hashing is
 * fast", 2014): whatever the CIDs are, two of them collide only by chance.  A search
 * ends at the first free slot.
 *
 * A large index is in no cache, so a search waits for memory, at the slot and at the
 * section.  Many searches at once wait no longer than one.  So sections are added in
 * batches, and a caller that knows what it will look up should say so first
 * (atid_car_index_expect).
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/car.h"

#include <string.h>

#include "codec/assert.h"
#include "codec/cbor/dagcbor.h"
#include "codec/cbor/fields.h"
#include "codec/cbor/head.h"
#include "codec/cbor/multiformat.h"


/* Fetch memory that will be read soon. */
#ifdef __GNUC__
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define PREFETCH(p) ((void) (p))
#endif
#define CACHE_LINE 64

/* Most sections are not longer. */
#define SECTION_EXPECTED (5 * CACHE_LINE)


/*
 * The reader
 */

static bool
note_car_fault(AtidCarReader *reader, AtidFault fault, const uint8_t *at)
{
	reader->fault = fault;
	reader->at = (size_t) (at - reader->begin);
	reader->p = reader->end;
	return false;
}

/*
 * Take the length at p, and check that as many bytes follow.
 */
static bool
take_length(AtidCarReader *reader, const uint8_t **p, size_t *len)
{
	uint64_t	value;
	size_t		used;

	/* most sections have less than 128 bytes, or 16 kB */
	if (*p < reader->end && **p < 0x80)
	{
		value = **p;
		used = 1;
	}
	else
	{
		AtidFault	fault = atid_varint_get(*p, (size_t) (reader->end - *p), &value, &used);

		if (fault != ATID_OK)
			return note_car_fault(reader, fault == ATID_CID_TRUNCATED ? ATID_CAR_ENDS : fault, *p);
	}
	if (value > (uint64_t) (reader->end - *p) - used)
		return note_car_fault(reader, ATID_CAR_LENGTH, *p);
	*p += used;
	*len = (size_t) value;
	return true;
}

static bool
fits_version(void *into, const AtidCborItem *value)
{
	(void) into;
	return value->integer == 1;
}

static const AtidMapField header_fields[] = {
	ATID_FIELD("roots", 1, 1, ATID_HOLDS_ARRAY, NULL, ATID_CAR_ROOTS,
			   .to = offsetof(AtidCarReader, roots),.len_to = offsetof(AtidCarReader, root_count),
			   .most = ATID_CAR_ROOTS_MAX,.many = ATID_CAR_MANY_ROOTS),
	ATID_FIELD("version", 1, 1, ATID_HOLDS_INTEGER, fits_version, ATID_CAR_VERSION,
			   ATID_TO_NOTHING),
};

/* Reading ends at the first fault, so a bad header of megabytes is not read to its end. */
static const AtidMap header_map = {
	.fields = header_fields,.count = 2,.top = ATID_CAR_FIELDS,.missing = ATID_CAR_FIELDS,
	.other = ATID_CAR_FIELDS,.at_once = true
};

bool
atid_car_begin(AtidCarReader *reader, const uint8_t *car, size_t len)
{
	const uint8_t *p = car;
	size_t		header_len;
	AtidMapReading reading;
	AtidFault	fault;

	memset(reader, 0, sizeof(*reader));
	reader->begin = car;
	reader->end = car + len;
	if (!take_length(reader, &p, &header_len))
		return false;
	reader->p = p + header_len;
	fault = atid_map_read(&header_map, 1, p, header_len, reader, &reading);
	return fault == ATID_OK || note_car_fault(reader, fault, p + reading.at);
}

bool
atid_car_next(AtidCarReader *reader, AtidCarSection *section)
{
	const uint8_t *p = reader->p;
	size_t		len;
	AtidCid		cid;
	size_t		at;

	if (p == reader->end)
		return false;
	section->offset = (size_t) (p - reader->begin);
	if (!take_length(reader, &p, &len))
		return false;

	section->cid = p;
	if (len >= ATID_CID_BLESSED_LEN && atid_cid_is_blessed(p, ATID_CID_BLESSED_LEN))
		section->cid_len = ATID_CID_BLESSED_LEN;
	else
	{
		/* the block follows the CID */
		AtidFault	fault = atid_cid_parse(p, len, &cid, &at);

		if (fault != ATID_OK && fault != ATID_CID_TRAILING)
		{
			/* a CIDv0, which is a bare SHA-256, has a fault of its own */
			if (fault == ATID_CID_VERSION && len > 1 && p[0] == ATID_HASH_SHA2_256 &&
				p[1] == ATID_SHA2_256_LEN)
				fault = ATID_CID_V0;
			return note_car_fault(reader, fault, p + at);
		}
		section->cid_len = fault == ATID_OK ? len : at;
	}
	ATID_ASSERT(section->cid_len > 0 && section->cid_len <= len);
	section->block = p + section->cid_len;
	section->block_len = len - section->cid_len;
	reader->p = p + len;
	return true;
}

const uint8_t *
atid_car_root(const uint8_t *root, const uint8_t **cid, size_t *cid_len)
{
	uint64_t	len;

	/* tag 42 in two bytes, and the head of a byte string */
	root = atid_checked_head(root + 2, &len);

	/* a 0x00 stands before the CID */
	*cid = root + 1;
	*cid_len = (size_t) len - 1;
	return root + len;
}


/*
 * Writing
 */

size_t
atid_car_put_header(uint8_t *dst, const uint8_t *root, size_t root_len)
{
	AtidCborWriter writer = {
		.data = dst + ATID_CAR_SECTION_HEAD_MAX,
		.cap = ATID_CAR_HEADER_MAX(root_len) - ATID_CAR_SECTION_HEAD_MAX
	};
	size_t		head;

	atid_cbor_put_map(&writer, 2);
	atid_cbor_put_text(&writer, "roots", 5);
	atid_cbor_put_array(&writer, root == NULL ? 0 : 1);
	if (root != NULL)
		atid_cbor_put_link(&writer, root, root_len);
	atid_cbor_put_text(&writer, "version", 7);
	atid_cbor_put_integer(&writer, 1);

	ATID_ASSERT(writer.fault == ATID_OK);
	head = atid_varint_put(writer.len, dst);
	ATID_ASSERT(head <= ATID_CAR_SECTION_HEAD_MAX);
	memmove(dst + head, writer.data, writer.len);
	return head + writer.len;
}

size_t
atid_car_put_section_head(uint8_t dst[ATID_CAR_SECTION_HEAD_MAX], size_t cid_len,
						  size_t block_len)
{
	return atid_varint_put((uint64_t) cid_len + block_len, dst);
}


/*
 * The index
 */

bool
atid_car_is_indexed(const uint8_t *cid, size_t cid_len)
{
	AtidCid		parts;
	size_t		at;

	if (atid_cid_is_blessed(cid, cid_len))
		return true;
	return atid_cid_parse(cid, cid_len, &parts, &at) == ATID_OK &&
		parts.hash == ATID_HASH_SHA2_256 && parts.digest_len == ATID_SHA2_256_LEN;
}

size_t
atid_car_index_slots(size_t blocks)
{
	size_t		slots = 8;

	while (slots / 3 * 2 < blocks)
		slots *= 2;
	return slots;
}

static inline uint32_t
load_word(const uint8_t *p)
{
	uint32_t	word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/*
 * Hash an indexed CID: its digest, and its head, which has at most 12 bytes,
 * and in nearly all CIDs the same 4.
 */
static uint64_t
hash_cid(const AtidCarIndex *index, const uint8_t *cid, size_t cid_len)
{
	const uint64_t *seeds = index->seeds;
	size_t		head_len = cid_len - ATID_SHA2_256_LEN;
	uint8_t		head[12] = {0};
	uint64_t	sum = seeds[0];

	for (int i = 0; i < 8; i++)
		sum += seeds[1 + i] * load_word(cid + head_len + 4 * i);
	ATID_ASSERT(head_len <= sizeof(head));
	memcpy(head, cid, head_len);
	for (int i = 0; i < 3; i++)
		sum += seeds[9 + i] * load_word(head + 4 * i);

	/* slots in a row for similar CIDs would slow down linear probing */
	sum ^= sum >> 32;
	sum *= UINT64_C(0xD6E8FEB86659FD93);
	return sum ^ sum >> 32;
}

/*
 * The section at an offset where the reader has found no fault.
 */
static void
section_at(const AtidCarIndex *index, size_t offset, AtidCarSection *section)
{
	AtidCarReader reader;

	ATID_ASSERT(offset > 0 && offset < index->len);
	reader.begin = index->car;
	reader.p = index->car + offset;
	reader.end = index->car + index->len;
	atid_car_next(&reader, section);
}

static inline AtidCarSlot *
first_slot(const AtidCarIndex *index, uint64_t hash)
{
	return &index->slots[(size_t) (hash >> 32) & index->mask];
}

static inline AtidCarSlot *
next_slot(const AtidCarIndex *index, const AtidCarSlot *slot)
{
	return &index->slots[(size_t) (slot + 1 - index->slots) & index->mask];
}

/*
 * Find the slot of a CID with this hash, and its section; or the free slot
 * where it belongs.  There always is a free slot.
 */
static AtidCarSlot *
find_slot(const AtidCarIndex *index, uint64_t hash, const uint8_t *cid, size_t cid_len,
		  AtidCarSection *section)
{
	AtidCarSlot *slot;

	ATID_ASSERT((index->mask & (index->mask + 1)) == 0);
	for (slot = first_slot(index, hash);; slot = next_slot(index, slot))
	{
		/* not all slots are taken */
		ATID_ASSERT(slot->place == 0 || next_slot(index, slot) != first_slot(index, hash));
		if (slot->place == 0)
			return slot;
		if (slot->tag == (uint32_t) hash)
		{
			section_at(index, slot->place & ~ATID_CAR_CHECKED, section);
			if (section->cid_len == cid_len && memcmp(section->cid, cid, cid_len) == 0)
				return slot;
		}
	}
}

size_t
atid_car_index_read(AtidCarIndex *index, AtidCarReader *reader)
{
	AtidCarSection sections[ATID_CAR_BATCH];
	AtidCarSection other;
	uint64_t	hashes[ATID_CAR_BATCH];
	size_t		read = 0;
	size_t		count = 0;

	while (read < ATID_CAR_BATCH && atid_car_next(reader, &sections[count]))
	{
		const AtidCarSection *section = &sections[count];

		read++;
		if (!atid_car_is_indexed(section->cid, section->cid_len))
			continue;
		hashes[count] = hash_cid(index, section->cid, section->cid_len);
		PREFETCH(first_slot(index, hashes[count]));
		count++;
	}
	for (size_t i = 0; i < count; i++)
	{
		AtidCarSlot *slot = find_slot(index, hashes[i], sections[i].cid, sections[i].cid_len,
									  &other);

		if (slot->place == 0)
		{
			slot->tag = (uint32_t) hashes[i];
			slot->place = (uint32_t) sections[i].offset;
		}
	}
	return read;
}

void
atid_car_index_expect(const AtidCarIndex *index, const uint8_t *const *cids, size_t count)
{
	uint64_t	hashes[ATID_CAR_BATCH];

	for (size_t i = 0; i < count; i++)
	{
		hashes[i] = hash_cid(index, cids[i], ATID_CID_BLESSED_LEN);
		PREFETCH(first_slot(index, hashes[i]));
	}
	for (size_t i = 0; i < count; i++)
	{
		const AtidCarSlot *slot = first_slot(index, hashes[i]);
		size_t		at;
		size_t		end;

		while (slot->place != 0 && slot->tag != (uint32_t) hashes[i])
			slot = next_slot(index, slot);
		if (slot->place == 0)
			continue;
		at = slot->place & ~ATID_CAR_CHECKED;
		end = index->len - at < SECTION_EXPECTED ? index->len : at + SECTION_EXPECTED;
		for (; at < end; at += CACHE_LINE)
			PREFETCH(index->car + at);
	}
}

AtidCarSlot *
atid_car_index_find(const AtidCarIndex *index, const uint8_t *cid, size_t cid_len,
					AtidCarSection *section)
{
	AtidCarSlot *slot;

	if (!atid_car_is_indexed(cid, cid_len))
		return NULL;
	slot = find_slot(index, hash_cid(index, cid, cid_len), cid, cid_len, section);
	return slot->place == 0 ? NULL : slot;
}
