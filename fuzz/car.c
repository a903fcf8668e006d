/*-------------------------------------------------------------------------
 * car.c
 *		A CAR that is read and written anew has the same bytes; the reader agrees with
 *		one that is written in another way; the index finds the first block of each
 *		CID, and no other.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/car.h"

#include <string.h>

#include "codec/cbor/multiformat.h"
#include "fuzz.h"
#include "reference.h"

/* The most sections that the reference reads. */
#define SECTIONS_MAX 512

typedef struct Section
{
	const uint8_t *cid;
	size_t		cid_len;
	size_t		block_len;
} Section;

/*
 * The length of the CID at the beginning of these bytes, or 0: each length is tried.
 */
static size_t
reference_cid_len(const uint8_t *s, size_t len)
{
	for (size_t n = 4; n <= len; n++)
		if (reference_cid(s, n))
			return n;
	return 0;
}

/*
 * Compare the header with the bytes that it must have around its CIDs.
 */
static bool
reference_header(const uint8_t *s, size_t len)
{
	size_t		roots = 0;
	size_t		head;
	size_t		at = 8;

	if (len < 9 || memcmp(s, "\xa2\x65roots", 7) != 0)
		return false;
	if (s[7] >= 0x80 && s[7] < 0x98)
		roots = s[7] - 0x80u;
	else if (s[7] == 0x98 && s[8] >= 24)
	{
		roots = s[8];
		at = 9;
	}
	else
		return false;
	if (roots > ATID_CAR_ROOTS_MAX)
		return false;
	for (; roots > 0; roots--)
	{
		size_t		n;

		if (len - at < 4 || s[at] != 0xd8 || s[at + 1] != 42)
			return false;
		head = s[at + 2] == 0x58 ? 2 : s[at + 2] == 0x59 ? 3 : 1;
		if (len - at < 2 + head)
			return false;
		n = head == 1 ? s[at + 2] - 0x40u : head == 2 ? s[at + 3] : s[at + 3] * 256u + s[at + 4];
		if (s[at + 2] < 0x40 || s[at + 2] > 0x59 || (head == 1 && n > 23) ||
			(head == 2 && n < 24) || (head == 3 && n < 256) ||
			n < 1 || n > len - at - 2 - head || s[at + 2 + head] != 0 ||
			!reference_cid(s + at + 3 + head, n - 1))
			return false;
		at += 2 + head + n;
	}
	return len - at == 9 && memcmp(s + at, "\x67version\x01", 9) == 0;
}

/*
 * The sections of a CAR, or -1.
 */
static int
reference_car(const uint8_t *s, size_t len, Section *sections)
{
	int			count = -1;

	while (len > 0 || count < 0)
	{
		uint64_t	n = 0;
		size_t		used = reference_varint(s, len, &n);

		if (used == 0 || n > len - used)
			return -1;
		s += used;
		len -= used;
		if (count >= 0)
		{
			size_t		cid_len = reference_cid_len(s, (size_t) n);

			if (cid_len == 0 || count == SECTIONS_MAX)
				return -1;
			sections[count].cid = s;
			sections[count].cid_len = cid_len;
			sections[count].block_len = (size_t) n - cid_len;
		}
		else if (!reference_header(s, (size_t) n))
			return -1;
		count++;
		s += n;
		len -= (size_t) n;
	}
	return count;
}

/*
 * Write anew what the reader has read, and compare.  The writer knows headers with at
 * most one root; others are copied.
 */
static void
write_anew(const AtidCarReader *header, const uint8_t *data, size_t size)
{
	const uint8_t *root = header->roots;
	const uint8_t *cid = NULL;
	size_t		cid_len = 0;
	AtidCarReader reader = *header;
	AtidCarSection section;
	uint8_t    *copy;
	size_t		len = (size_t) (header->p - data);

	for (size_t i = 0; i < header->root_count; i++)
	{
		root = atid_car_root(root, &cid, &cid_len);
		CLAIM(reference_cid(cid, cid_len));
	}
	CLAIM(root + 9 == header->p && memcmp(root, "\x67version\x01", 9) == 0);
	copy = exact_memory(ATID_CAR_HEADER_MAX(cid_len) + size);
	if (header->root_count <= 1)
		CLAIM(atid_car_put_header(copy, cid, cid_len) == len);
	else
		memcpy(copy, data, len);
	while (atid_car_next(&reader, &section))
	{
		CLAIM(section.offset == len);
		len += atid_car_put_section_head(copy + len, section.cid_len, section.block_len);
		memcpy(copy + len, section.cid, section.cid_len);
		len += section.cid_len;
		memcpy(copy + len, section.block, section.block_len);
		len += section.block_len;
	}
	CLAIM(len == size && memcmp(copy, data, size) == 0);
	free(copy);
}

static void
look_up(const AtidCarReader *header, const uint8_t *data, size_t size,
		const Section *sections, int count)
{
	AtidCarIndex index = {.car = data, .len = size};
	AtidCarReader reader = *header;
	AtidCarSection section;
	const uint8_t *blessed[ATID_CAR_BATCH];
	size_t		blessed_count = 0;
	size_t		slots = atid_car_index_slots((size_t) count);
	size_t		read = 0;
	size_t		n;

	/* all hashes are the same for a third of the inputs */
	for (int i = 0; i < ATID_CAR_SEEDS; i++)
		index.seeds[i] = size % 3 == 0 ? 0 : UINT64_C(0x9E3779B97F4A7C15) * (uint64_t) (i + 1);
	index.slots = exact_memory(slots * sizeof(AtidCarSlot));
	memset(index.slots, 0, slots * sizeof(AtidCarSlot));
	index.mask = slots - 1;
	while ((n = atid_car_index_read(&index, &reader)) > 0)
		read += n;
	CLAIM(read == (size_t) count);

	for (int i = 0; i < count && blessed_count < ATID_CAR_BATCH; i++)
		if (atid_cid_is_blessed(sections[i].cid, sections[i].cid_len))
			blessed[blessed_count++] = sections[i].cid;
	atid_car_index_expect(&index, blessed, blessed_count);

	for (int i = 0; i < count; i++)
	{
		AtidCarSlot *slot = atid_car_index_find(&index, sections[i].cid, sections[i].cid_len,
												&section);
		int			first = 0;

		while (sections[first].cid_len != sections[i].cid_len ||
			   memcmp(sections[first].cid, sections[i].cid, sections[i].cid_len) != 0)
			first++;
		CLAIM((slot != NULL) == atid_car_is_indexed(sections[i].cid, sections[i].cid_len));
		if (slot != NULL)
		{
			CLAIM(section.cid == sections[first].cid &&
				  section.block_len == sections[first].block_len);
			slot->place |= ATID_CAR_CHECKED;
		}
	}
	free(index.slots);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static Section sections[SECTIONS_MAX];
	AtidCarReader header;
	AtidCarReader reader;
	AtidCarSection section;
	int			wanted = reference_car(data, size, sections);
	int			count = 0;

	atid_car_begin(&header, data, size);
	reader = header;
	while (atid_car_next(&reader, &section))
	{
		if (wanted >= 0)
			CLAIM(count < wanted && section.cid == sections[count].cid &&
				  section.cid_len == sections[count].cid_len &&
				  section.block_len == sections[count].block_len);
		count++;
	}
	CLAIM(count == SECTIONS_MAX || count > SECTIONS_MAX ||
		  (reader.fault == ATID_OK) == (wanted >= 0));
	CLAIM(reader.at <= size);
	CLAIM(reader.fault < ATID_FAULTS);
	CLAIM(!atid_car_next(&reader, &section));
	if (wanted < 0)
		return 0;
	CLAIM(count == wanted);
	write_anew(&header, data, size);
	look_up(&header, data, size, sections, wanted);
	return 0;
}
