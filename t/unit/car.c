/*-------------------------------------------------------------------------
 * car.c
 *		CARs are written, read, and cut off at any byte; each rule is broken alone; the slots
 *		of an index all collide; each part of a CID and each seed counts for its hash.
 *
 * t/repository/rules.pl has the words of all that is refused.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/car.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/multiformat.h"
#include "exact.h"
#include "tap.h"

#define BLOCKS 300

static uint8_t car[65536];
static size_t car_len;
static uint8_t cids[BLOCKS][ATID_CID_BLESSED_LEN];

/* A CID of a number: of codec dag-cbor and raw in turn. */
static void
make_cid(int i)
{
	memset(cids[i], 0, sizeof(cids[i]));
	memcpy(cids[i], i % 2 ? "\x01\x55\x12\x20" : "\x01\x71\x12\x20", 4);
	cids[i][4] = (uint8_t) (i / 2);
	cids[i][35] = (uint8_t) (i / 2 / 256);
}

static void
put_section(const uint8_t *cid, size_t cid_len, const void *block, size_t block_len)
{
	car_len += atid_car_put_section_head(car + car_len, cid_len, block_len);
	memcpy(car + car_len, cid, cid_len);
	memcpy(car + car_len + cid_len, block, block_len);
	car_len += cid_len + block_len;
}

/* A header with any number of roots, byte by byte. */
static void
put_header(size_t roots)
{
	size_t		len = 17 + (roots < 24 ? 0 : 1) + roots * 41;
	uint8_t    *p = car;

	if (len >= 128)
		*p++ = (uint8_t) (len % 128 + 128);
	*p++ = (uint8_t) (len < 128 ? len : len / 128);
	memcpy(p, "\xa2\x65roots", 7);
	p += 7;
	if (roots >= 24)
		*p++ = 0x98;
	*p++ = (uint8_t) (roots < 24 ? 0x80 + roots : roots);
	for (size_t i = 0; i < roots; i++)
	{
		make_cid((int) i);
		memcpy(p, "\xd8\x2a\x58\x25", 5);
		memcpy(p + 5, cids[i], ATID_CID_BLESSED_LEN);
		p += 41;
	}
	memcpy(p, "\x67version\x01", 9);
	car_len = (size_t) (p + 9 - car);
}

/* The writer's header, in memory that has just the room it asks for. */
static bool
is_written(const uint8_t *root, size_t root_len)
{
	uint8_t    *header = malloc(ATID_CAR_HEADER_MAX(root_len));
	bool		same = atid_car_put_header(header, root, root_len) == car_len &&
		memcmp(header, car, car_len) == 0;

	free(header);
	return same;
}

/* The number of sections of a CAR, in memory that ends where it does; -1 at a fault. */
static int
count_sections(size_t len, AtidFault *fault)
{
	uint8_t    *copy = exact(car, len);
	AtidCarReader reader;
	AtidCarSection section;
	int			count = 0;

	atid_car_begin(&reader, copy, len);
	while (atid_car_next(&reader, &section))
		count++;
	*fault = reader.fault;
	free(copy);
	return reader.fault == ATID_OK ? count : -1;
}

static void
test_roots(void)
{
	AtidCarReader reader;
	bool		same = true;

	for (size_t n = 0; n <= ATID_CAR_ROOTS_MAX; n++)
	{
		const uint8_t *root;

		put_header(n);
		same = same && atid_car_begin(&reader, car, car_len) && reader.root_count == n;
		root = reader.roots;
		for (size_t i = 0; i < n && same; i++)
		{
			const uint8_t *cid;
			size_t		len;

			root = atid_car_root(root, &cid, &len);
			same = len == ATID_CID_BLESSED_LEN && memcmp(cid, cids[i], len) == 0;
		}
	}
	ok(same, "roots: none to a hundred are read");
	put_header(ATID_CAR_ROOTS_MAX + 1);
	ok(!atid_car_begin(&reader, car, car_len) && reader.fault == ATID_CAR_MANY_ROOTS,
	   "roots: one more is refused");
	put_header(0);
	ok(is_written(NULL, 0), "roots: a header without any is written");
	put_header(1);
	ok(is_written(cids[0], ATID_CID_BLESSED_LEN), "roots: a header with one is written");
}

static void
test_cut(void)
{
	/* the last sections have more than 127 bytes, so their length takes two */
	static const char text[3 * 43 + 1] = "a block";
	AtidFault	fault;
	size_t		ends[4];
	bool		good = true;

	put_header(1);
	for (int i = 0; i < 4; i++)
	{
		ends[i] = car_len;
		put_section(cids[0], ATID_CID_BLESSED_LEN, text, (size_t) i * 43);
	}
	for (size_t len = 0; len < car_len; len++)
	{
		int			whole = -1;

		for (int i = 0; i < 4; i++)
			if (ends[i] == len)
				whole = i;
		good = good && count_sections(len, &fault) == whole;
	}
	ok(good, "cut off: read between sections, refused within one");
	ok(count_sections(car_len, &fault) == 4, "whole: all sections");
}

#define HEADER "11 a2 65726f6f7473 80 6776657273696f6e 01"
#define DIGEST "abababababababababababababababababababababababababababababababab"

/* A CAR, its fault, and where that is. */
static const struct
{
	const char *car;
	AtidFault	fault;
	size_t		at;
	const char *name;
}			cars[] = {
	{HEADER, ATID_OK, 0, "no sections"},
	{HEADER "05 01550000 78", ATID_OK, 0, "a section whose CID holds its data, and a block"},
	{HEADER "25 01a9021220" DIGEST, ATID_OK, 0, "a CID of another codec"},
	{"", ATID_CAR_ENDS, 0, "nothing"},
	{"80", ATID_CAR_ENDS, 0, "half a length"},
	{"8000", ATID_VARINT_SHORTEST, 0, "a length of two bytes that needs one"},
	{"12 a2", ATID_CAR_LENGTH, 0, "a header that is cut off"},
	{"00", ATID_CBOR_ENDS, 1, "a header of nothing"},
	{"01 80", ATID_CAR_FIELDS, 1, "a header that is an array"},
	{"01 a0", ATID_CAR_FIELDS, 1, "a header of no fields"},
	{"04 a1 6161 01", ATID_CAR_FIELDS, 2, "a header of another field"},
	{"0a a1 6776657273696f6e 01", ATID_CAR_FIELDS, 1, "a header without roots"},
	{"08 a1 65726f6f7473 80", ATID_CAR_FIELDS, 1, "a header without version"},
	{"08 a1 65726f6f7473 01", ATID_CAR_ROOTS, 8, "roots that are a number"},
	{"09 a1 65726f6f7473 8101", ATID_CAR_ROOTS, 9, "a root that is a number"},
	{"0a a1 6776657273696f6e 02", ATID_CAR_VERSION, 10, "version 2"},
	{"0a a1 6776657273696f6e 60", ATID_CAR_VERSION, 10, "a version of text"},
	{"12 a2 65726f6f7473 80 6776657273696f6e 01 00", ATID_CBOR_TRAILING, 18,
	"a header and more behind it"},
	{HEADER "00", ATID_CID_TRUNCATED, 19, "a section of nothing"},
	{HEADER "02 0155", ATID_CID_TRUNCATED, 21, "a section that ends in its CID"},
	{HEADER "22 1220" DIGEST, ATID_CID_V0, 19, "a CIDv0"},
	{HEADER "22 1320" DIGEST, ATID_CID_VERSION, 19, "a CID of another version"},
	{HEADER "05 01550000", ATID_CAR_LENGTH, 18, "a section beyond the end"},
	{HEADER "80", ATID_CAR_ENDS, 18, "half a length of a section"},
};

static void
test_faults(void)
{
	for (size_t i = 0; i < sizeof(cars) / sizeof(cars[0]); i++)
	{
		size_t		len;
		uint8_t    *bytes = from_hex(cars[i].car, &len);
		AtidCarReader reader;
		AtidCarSection section;

		atid_car_begin(&reader, bytes, len);
		while (atid_car_next(&reader, &section))
			;
		ok(reader.fault == cars[i].fault &&
		   (reader.fault == ATID_OK || reader.at == cars[i].at), cars[i].name);
		if (reader.fault != cars[i].fault || reader.at != cars[i].at)
			printf("# fault %d at %zu\n", reader.fault, reader.at);
		free(bytes);
	}
}

static void
test_index(bool collide)
{
	AtidCarIndex index = {.car = car};
	AtidCarReader reader;
	AtidCarSection section;
	const uint8_t *expected[ATID_CAR_BATCH];
	size_t		slots = atid_car_index_slots(BLOCKS);
	size_t		read = 0;
	size_t		n;
	bool		found = true;
	bool		first = true;
	uint8_t		other[5 + ATID_SHA2_256_LEN] = {1, 0xa9, 0x02, ATID_HASH_SHA2_256,
	ATID_SHA2_256_LEN};

	put_header(0);
	for (int i = 0; i < BLOCKS; i++)
	{
		make_cid(i);
		put_section(cids[i], ATID_CID_BLESSED_LEN, &i, sizeof(i));
	}
	for (int i = 0; i < BLOCKS; i++)
		put_section(cids[i], ATID_CID_BLESSED_LEN, "again", 5);
	put_section((const uint8_t *) "\x01\x55\x00\x00", 4, "x", 1);
	put_section(other, sizeof(other), "y", 1);

	index.len = car_len;
	index.slots = calloc(slots, sizeof(AtidCarSlot));
	index.mask = slots - 1;
	for (int i = 0; i < ATID_CAR_SEEDS && !collide; i++)
		index.seeds[i] = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t) (i + 1);
	atid_car_begin(&reader, car, car_len);
	while ((n = atid_car_index_read(&index, &reader)) > 0)
		read += n;
	ok(read == 2 * BLOCKS + 2, "index: reads all sections");

	for (int i = 0; i < BLOCKS; i++)
	{
		AtidCarSlot *slot = atid_car_index_find(&index, cids[i], ATID_CID_BLESSED_LEN, &section);

		found = found && slot != NULL;
		first = first && slot != NULL && section.block_len == sizeof(i) &&
			memcmp(section.block, &i, sizeof(i)) == 0;
		if (slot != NULL)
			slot->place |= ATID_CAR_CHECKED;
	}
	ok(found, collide ? "index, all collide: each CID" : "index: each CID");
	ok(first, collide ? "index, all collide: its first block" : "index: its first block");
	cids[0][20] = 1;
	for (int i = 0; i < ATID_CAR_BATCH; i++)
		expected[i] = cids[i];
	atid_car_index_expect(&index, expected, ATID_CAR_BATCH);
	ok(atid_car_index_find(&index, cids[0], ATID_CID_BLESSED_LEN, &section) == NULL,
	   "index: no other CID");
	ok(atid_car_index_find(&index, other, sizeof(other), &section) != NULL &&
	   *section.block == 'y', "index: a CID of another codec");
	ok(atid_car_index_find(&index, (const uint8_t *) "\x01\x55\x00\x00", 4, &section) == NULL,
	   "index: no identity");
	free(index.slots);
}

/* What an index keeps of a CID's hash. */
static uint32_t
tag_of(const uint8_t *cid, size_t cid_len, const uint64_t seeds[ATID_CAR_SEEDS])
{
	AtidCarSlot slots[8] = {{0}};
	AtidCarIndex index = {.car = car,.slots = slots,.mask = 7};
	AtidCarReader reader;
	AtidCarSection section;
	const AtidCarSlot *slot;

	put_header(0);
	put_section(cid, cid_len, "x", 1);
	index.len = car_len;
	memcpy(index.seeds, seeds, sizeof(index.seeds));
	atid_car_begin(&reader, car, car_len);
	atid_car_index_read(&index, &reader);
	slot = atid_car_index_find(&index, cid, cid_len, &section);
	if (slot == NULL)
		abort();
	return slot->tag;
}

/*
 * Who makes a CAR chooses its CIDs, so all that differs between two of them must
 * reach their hashes, each word with a seed of its own.
 */
static void
test_hash(void)
{
	uint8_t		cid[12 + ATID_SHA2_256_LEN] = {1, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88,
	0x09, ATID_HASH_SHA2_256, ATID_SHA2_256_LEN};
	uint64_t	seeds[ATID_CAR_SEEDS];
	uint32_t	tag;
	bool		bytes = true;
	bool		words = true;
	bool		all = true;

	for (int i = 0; i < ATID_SHA2_256_LEN; i++)
		cid[12 + i] = (uint8_t) (i + 1);
	for (int i = 0; i < ATID_CAR_SEEDS; i++)
		seeds[i] = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t) (i + 1);
	tag = tag_of(cid, sizeof(cid), seeds);

	for (size_t i = 1; i < sizeof(cid); i++)
	{
		if (i == 10 || i == 11)
			continue;			/* the hash's number, and its length */
		cid[i] ^= 2;
		bytes = bytes && tag_of(cid, sizeof(cid), seeds) != tag;
		cid[i] ^= 2;
	}
	for (int i = 12; i + 4 < (int) sizeof(cid); i += 4)
	{
		uint8_t		swapped[sizeof(cid)];

		memcpy(swapped, cid, sizeof(cid));
		memcpy(swapped + i, cid + i + 4, 4);
		memcpy(swapped + i + 4, cid + i, 4);
		words = words && tag_of(swapped, sizeof(cid), seeds) != tag;
	}
	for (int i = 0; i < ATID_CAR_SEEDS; i++)
	{
		seeds[i] ^= 2;
		all = all && tag_of(cid, sizeof(cid), seeds) != tag;
		seeds[i] ^= 2;
	}
	ok(bytes, "hash: each byte of a CID counts");
	ok(words, "hash: the order of a digest's words counts");
	ok(all, "hash: each seed counts");
}

int
main(void)
{
	test_roots();
	test_cut();
	test_faults();
	test_index(false);
	test_index(true);
	test_hash();
	return done();
}
