/*-------------------------------------------------------------------------
 *
 * fields.c
 *		A kind of map of this test's own, read by its table: what is kept, each rule
 *		broken alone, and where; what comes first of several faults.  The maps of the
 *		protocol have tests of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/cbor/fields.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "tap.h"

#define ROOM 3

typedef struct Item
{
	int64_t		n;
	int64_t		m;
} Item;

typedef struct Sample
{
	int64_t		number;
	const char *text;
	size_t		text_len;
	const uint8_t *links;
	size_t		link_count;
	size_t		item_count;
	Item		items[ROOM];
} Sample;

static bool
fits_small(void *into, const AtidCborItem *value)
{
	(void) into;
	return value->integer < 10;
}

static AtidFault
check_item(const void *into)
{
	const Item *item = into;

	return item->n == item->m ? ATID_EVENT_PREV_SAME : ATID_OK;
}

static const AtidMapField item_fields[] = {
	ATID_FIELD("n", 3, 3, ATID_HOLDS_INTEGER, NULL, ATID_EVENT_CID, ATID_TO(Item, n)),
	ATID_FIELD("m", 3, 0, ATID_HOLDS_INTEGER, NULL, ATID_EVENT_PREV, ATID_TO(Item, m)),
};

static const AtidMap item_map = {
	.fields = item_fields,.count = 2,.top = ATID_EVENT_OPERATION,.check = check_item
};

/* Variant 1 has no "b", and variant 2 must have it. */
static const AtidMapField fields[] = {
	ATID_FIELD("a", 3, 3, ATID_HOLDS_INTEGER, fits_small, ATID_COMMIT_VERSION_FIELD,
			   ATID_TO(Sample, number)),
	ATID_FIELD("b", 2, 2, ATID_HOLDS_TEXT | ATID_HOLDS_NULL, NULL, ATID_COMMIT_REV,
			   ATID_TO_LEN(Sample, text),.most = 2,.many = ATID_COMMIT_LARGE),
	ATID_FIELD("c", 3, 0, ATID_HOLDS_ARRAY, NULL, ATID_CAR_ROOTS,
			   .to = offsetof(Sample, links),.len_to = offsetof(Sample, link_count)),
	ATID_FIELD("d", 3, 0, ATID_HOLDS_ARRAY, NULL, ATID_EVENT_OPERATIONS,
			   .to = offsetof(Sample, items),.len_to = offsetof(Sample, item_count),
			   .most = ROOM,.many = ATID_EVENT_MANY_OPERATIONS,
			   .items = &item_map,.item_size = sizeof(Item)),
	ATID_FIELD("e", 3, 0, ATID_HOLDS_LINK, atid_fits_block, ATID_COMMIT_DATA, ATID_TO_NOTHING),
};

/* Kinds of the same map. */
static const AtidMap plain = {.fields = fields,.count = 5,.top = ATID_COMMIT_TOP};
static const AtidMap strict = {
	.fields = fields,.count = 5,.top = ATID_COMMIT_TOP,.missing = ATID_CAR_FIELDS,
	.other = ATID_CAR_VERSION,.at_once = true
};
static const AtidMap first = {
	.fields = fields,.count = 5,.top = ATID_COMMIT_TOP,.prefix = true
};

#define LINK(codec) "d82a58250001" codec "1220" \
	"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"

/*
 * Read the map that is written in hexadecimal digits.
 */
static AtidFault
read_hex(const AtidMap *map, unsigned variant, const char *hex, Sample *sample,
		 AtidMapReading *reading)
{
	size_t		len;
	uint8_t    *bytes = from_hex(hex, &len);
	AtidFault	fault;

	memset(sample, 0, sizeof(*sample));
	fault = atid_map_read(map, variant, bytes, len, sample, reading);
	free(bytes);
	return fault;
}

static void
says(const AtidMap *map, unsigned variant, const char *hex, AtidFault fault, size_t at,
	 const char *name)
{
	Sample		sample;
	AtidMapReading reading;
	AtidFault	found = read_hex(map, variant, hex, &sample, &reading);

	ok(found == fault && reading.at == at, name);
}

static void
test_kept(void)
{
	Sample		sample;
	AtidMapReading reading;

	ok(read_hex(&plain, 2, "a5616103" "6162626869" "616381" LINK("71")
				"616482a1616e05a2616d07616e06" "6165" LINK("71"), &sample, &reading) == ATID_OK &&
	   sample.number == 3 && sample.text_len == 2 && sample.links != NULL &&
	   sample.link_count == 1 && sample.item_count == 2 && sample.items[0].n == 5 &&
	   sample.items[1].n == 6 && sample.items[1].m == 7 && reading.seen == 31,
	   "each field is kept where its line says");
	ok(read_hex(&plain, 2, "a26161036162f6", &sample, &reading) == ATID_OK &&
	   sample.text == NULL && reading.seen == 3, "a null is seen, and leaves nothing");
	ok(read_hex(&plain, 1, "a2616103616262" "6869", &sample, &reading) == ATID_OK &&
	   sample.text == NULL && reading.seen == 1, "a field of another variant is passed over");
	ok(read_hex(&plain, 1, "a3 616103 617882 a1616180 1861 627a7a a161610a", &sample,
				&reading) == ATID_OK && sample.number == 3,
	   "others are passed over, whatever is in them");
	ok(read_hex(&first, 1, "a1616103a1", &sample, &reading) == ATID_OK && reading.end == 4,
	   "something may follow a prefix");
}

static void
test_faults(void)
{
	says(&plain, 1, "80", ATID_COMMIT_TOP, 0, "no map but an array");
	says(&plain, 1, "01", ATID_COMMIT_TOP, 0, "nor a number");
	says(&plain, 1, "a161610a", ATID_COMMIT_VERSION_FIELD, 3, "a value that does not fit");
	says(&plain, 1, "a16161f6", ATID_COMMIT_VERSION_FIELD, 3, "null where it may not be");
	says(&plain, 1, "a16161a0", ATID_COMMIT_VERSION_FIELD, 3, "a map in the place of a value");
	says(&plain, 1, "a1616180", ATID_COMMIT_VERSION_FIELD, 3, "an array likewise");
	says(&plain, 2, "a2616103616263" "616263", ATID_COMMIT_LARGE, 6, "a text that is too long");
	says(&plain, 1, "a26161036163a0", ATID_CAR_ROOTS, 6, "no array of links");
	says(&plain, 1, "a2616103616382" LINK("71") "01", ATID_CAR_ROOTS, 48, "no link among links");
	says(&plain, 1, "a261610361638180", ATID_CAR_ROOTS, 7, "nor an array");
	says(&plain, 1, "a26161036165" LINK("55"), ATID_COMMIT_DATA, 6, "a link to no block");
	says(&plain, 1, "a261610361648101", ATID_EVENT_OPERATION, 7, "an item that is no map");
	says(&plain, 1, "a261610361648180", ATID_EVENT_OPERATION, 7, "nor an array");
	says(&plain, 1, "a2616103616484a1616e05a1616e05a1616e05a1616e05",
		 ATID_EVENT_MANY_OPERATIONS, 6, "too many items");
	says(&plain, 1, "a2616103616482a1616e05a1616d05", ATID_EVENT_CID, 11,
		 "an item without a field: where it begins");
	says(&plain, 1, "a2616103616481a1616ea0", ATID_EVENT_CID, 10, "an item's field: its value");
	says(&plain, 1, "a2616103616481a2616d05616e05", ATID_EVENT_PREV_SAME, 7,
		 "fields of an item that do not go together: where it begins");
}

static void
test_order(void)
{
	says(&plain, 2, "a0", ATID_COMMIT_VERSION_FIELD, 0, "missing fields, in the table's order");
	says(&plain, 2, "a1616103", ATID_COMMIT_REV, 0, "then the next");
	says(&plain, 1, "a16163a0", ATID_CAR_ROOTS, 3, "a field's rule comes before a missing one");
	says(&plain, 1, "a26161036163a0ff", ATID_CBOR_TRAILING, 7, "and the encoding before both");
	says(&plain, 1, "a261610a617818", ATID_CBOR_ENDS, 7, "wherever it is");
	says(&plain, 1, "a161610a", ATID_COMMIT_VERSION_FIELD, 3, "otherwise the first rule");
	says(&strict, 1, "a261610a617818", ATID_COMMIT_VERSION_FIELD, 3, "unless it is told at once");
	says(&strict, 1, "a26161036178ff", ATID_CAR_VERSION, 4, "another field, where none may be");
	says(&strict, 1, "a0", ATID_CAR_FIELDS, 0, "one fault for all that are missing");
	says(&strict, 1, "a161610300", ATID_CBOR_TRAILING, 4, "nothing may follow");
}

int
main(void)
{
	test_kept();
	test_faults();
	test_order();
	return done();
}
