/*-------------------------------------------------------------------------
 *
 * block.c
 *		Packed blocks: their bytes, that each block comes back, and what damage is.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/block_form.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "exact.h"
#include "tap.h"

/* A block and its packed bytes, in hexadecimal: what is on disks. */
typedef struct Case
{
	const char *name;
	const char *block;
	const char *packed;
} Case;

static const Case cases[] = {
	{"a like",
	"a3652474797065726170702e62736b792e666565642e6c696b65677375626a656374a26363696478"
	"3b626166797265696466617976667577716137716c6e6f70646a697172787a7336626c6d6f657534"
	"72756a636a746e63693562656c756469727a326163757269784661743a2f2f6469643a706c633a65"
	"777669376e787a796f756e367a687872687336346f697a2f6170702e62736b792e666565642e706f"
	"73742f336b69777579677a6232633261696372656174656441747818323032342d31312d32305431"
	"323a33343a35362e3738395a",
	"52543265062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d0365736e2cf"
	"bff535327dbdbb704151df183b9af33e7020063923eb2aa895"},
	{"a follow",
	"a3652474797065756170702e62736b792e67726170682e666f6c6c6f77677375626a656374782064"
	"69643a706c633a65777669376e787a796f756e367a687872687336346f697a696372656174656441"
	"747818323032342d31312d32305431323a33343a35362e3738395a",
	"56345736e2cfbff535327dbdbb704151df3923eb2aa895"},
	{"a post with an optional key",
	"a464746578746568656c6c6f652474797065726170702e62736b792e666565642e706f7374656c61"
	"6e67738162656e696372656174656441747818323032342d31312d32305431323a33343a35362e37"
	"38395a",
	"59040568656c6c6f47c03923eb2aa895"},
	{"a post without a text, which is no such object",
	"a3652474797065726170702e62736b792e666565642e706f7374656c616e67738162656e69637265"
	"6174656441747818323032342d31312d32305431323a33343a35362e3738395a",
	"510394d89a47c0963923eb2aa895"},
	{"a follow with another key",
	"a4637a7a7a01652474797065756170702e62736b792e67726170682e666f6c6c6f77677375626a65"
	"637478206469643a706c633a65777669376e787a796f756e367a687872687336346f697a69637265"
	"6174656441747818323032342d31312d32305431323a33343a35362e3738395a",
	"5104037a7a7ae994e21997345736e2cfbff535327dbdbb704151df963923eb2aa895"},
	{"an object by its number",
	"a365247479706575636f6d2e776874776e642e626c6f672e656e747279657469746c65616167636f"
	"6e74656e746162",
	"939708e252e253"},
	{"a record type that is not known",
	"a265247479706571636f6d2e6578616d706c652e7468696e67677375626a65637478206469643a70"
	"6c633a65777669376e787a796f756e367a687872687336346f697a",
	"51029411636f6d2e6578616d706c652e7468696e6797345736e2cfbff535327dbdbb704151df"},
	{"a strong reference with its type",
	"a3652474797065726170702e62736b792e666565642e6c696b65677375626a656374a36363696478"
	"3b626166797265696466617976667577716137716c6e6f70646a697172787a7336626c6d6f657534"
	"72756a636a746e63693562656c756469727a326163757269784661743a2f2f6469643a706c633a65"
	"777669376e787a796f756e367a687872687336346f697a2f6170702e62736b792e666565642e706f"
	"73742f336b69777579677a6232633261652474797065781a636f6d2e617470726f746f2e7265706f"
	"2e7374726f6e67526566696372656174656441747818323032342d31312d32305431323a33343a35"
	"362e3738395a",
	"5255013265062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d0365736e2"
	"cfbff535327dbdbb704151df183b9af33e7020063923eb2aa895"},
	{"a type that is no text",
	"a264746578747761206c6f6e6765722074657874207468616e207468617465247479706501",
	"5102951761206c6f6e6765722074657874207468616e207468617494e9"},
	{"integers",
	"9378206469643a706c633a65777669376e787a796f756e367a687872687336346f697a0007081718"
	"1818ff19010019ffff1a000100001a00ffffff1a010000001affffffff1b00000001000000001b7f"
	"ffffffffffffff2038ff3901003b7fffffffffffffff",
	"5013345736e2cfbff535327dbdbb704151dfe8ef23082317231823ff24010024ffff2501000025ff"
	"ffff260100000026ffffffff270000000100000000277fffffffffffffff280028ff290000000000"
	"000100297fffffffffffffff"},
	{"true, false, null",
	"a4626161f5626262f4626363f6647465787466612074657874",
	"51040261612a0262622b0263632c9506612074657874"},
	{"bytes, links",
	"a5626161581e000000000000000000000000000000000000000000000000000000000000626262d8"
	"2a582500017112200707070707070707070707070707070707070707070707070707070707070707"
	"626363d82a5825000155122007070707070707070707070707070707070707070707070707070707"
	"07070707626464d82a4600015512010764746578747468747470733a2f2f6578616d706c652e636f"
	"6d2f",
	"51050261612d1e000000000000000000000000000000000000000000000000000000000000026262"
	"2f070707070707070707070707070707070707070707070707070707070707070702636330070707"
	"07070707070707070707070707070707070707070707070707070707070264643105015512010795"
	"410c6578616d706c652e636f6d2f"},
	{"no DAG-CBOR", "ff00", "ffff00"},
	{"nothing", "", "ff"},
	{"keys that are not in their order", "a2616201616101", "ffa2616201616101"},
	{"a text that is not UTF-8", "61ff", "ff61ff"},
	{"a packed value that would be longer", "42aabb", "ff42aabb"},
	{"a float", "fb3ff0000000000000", "fffb3ff0000000000000"},
};

/* Packed bytes that stand for no block, and what they are. */
typedef struct Damage
{
	const char *packed;
	AtidBlockState state;
	const char *name;
} Damage;

static const Damage damages[] = {
	{"", ATID_BLOCK_DAMAGED, "nothing"},
	{"05 61", ATID_BLOCK_DAMAGED, "a text that is cut off"},
	{"22 ffffffff 61", ATID_BLOCK_DAMAGED, "a text beyond the end"},
	{"2e ffffffff 61", ATID_BLOCK_DAMAGED, "bytes beyond the end"},
	{"00 00", ATID_BLOCK_DAMAGED, "a byte behind the value"},
	{"4f 00", ATID_BLOCK_DAMAGED, "an array that is cut off"},
	{"50 ff", ATID_BLOCK_DAMAGED, "a count that is cut off"},
	{"50 ffffffffff 00", ATID_BLOCK_DAMAGED, "a count of more than five bytes"},
	{"51 ffffffff0f 00", ATID_BLOCK_DAMAGED, "more pairs than bytes"},
	{"52", ATID_BLOCK_DAMAGED, "an object without its values"},
	{"53", ATID_BLOCK_DAMAGED, "an object without its bitmap"},
	{"53 ff 2f", ATID_BLOCK_DAMAGED, "a bitmap with more bits than keys"},
	{"92", ATID_BLOCK_DAMAGED, "an object without its number"},
	{"92 ff ff", ATID_BLOCK_NEWER, "an object with a number above all"},
	{"e7 ff", ATID_BLOCK_NEWER, "a string with a number above all"},
	{"f0 ffff", ATID_BLOCK_NEWER, "a string with a longer number above all"},
	{"f1", ATID_BLOCK_NEWER, "a reserved code"},
	{"fe", ATID_BLOCK_NEWER, "the last reserved code"},
	{"47 ff", ATID_BLOCK_DAMAGED, "a raw block inside of a value"},
	{"27 00000000000000", ATID_BLOCK_DAMAGED, "a number that is cut off"},
	{"2f 00", ATID_BLOCK_DAMAGED, "a link that is cut off"},
};

static int	pauses = 0;

static void
note_pause(void)
{
	pauses++;
}

/* Does the block come back, and are its packed bytes these?  NULL: any. */
static bool
comes_back(const uint8_t *block, size_t len, const uint8_t *want, size_t want_len)
{
	uint8_t    *room = malloc(ATID_BLOCK_PACKED_MAX(len));
	size_t		packed_len = atid_block_pack(block, len, room, NULL);
	uint8_t    *packed = exact(room, packed_len);
	uint8_t    *restored = malloc(len ? len : 1);
	size_t		restored_len;
	bool		good = atid_block_len(packed, packed_len, &restored_len, NULL) == ATID_BLOCK_OK &&
		restored_len == len &&
		atid_block_restore(packed, packed_len, restored, len, &restored_len,
						   NULL) == ATID_BLOCK_OK && restored_len == len &&
		memcmp(restored, block, len) == 0 && packed_len <= len + 1 &&
		(want == NULL || (packed_len == want_len && memcmp(packed, want, want_len) == 0));

	free(room);
	free(packed);
	free(restored);
	return good;
}

int
main(void)
{
	size_t		len;
	uint8_t    *many = malloc(200005);
	uint8_t		deep[ATID_CBOR_DEPTH_MAX + 2];
	uint8_t		room[ATID_CBOR_DEPTH_MAX + 3];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		size_t		packed_len;
		uint8_t    *block = from_hex(cases[i].block, &len);
		uint8_t    *packed = from_hex(cases[i].packed, &packed_len);
		bool		halves = true;

		ok(comes_back(block, len, packed, packed_len), cases[i].name);
		/* each part of it is damaged, or is shorter; none reads behind its end */
		for (size_t part = 0; part < packed_len; part++)
		{
			uint8_t    *cut = exact(packed, part);
			size_t		cut_len;

			if (packed[0] != BLOCK_RAW)
				halves = halves &&
					atid_block_len(cut, part, &cut_len, NULL) == ATID_BLOCK_DAMAGED;
			free(cut);
		}
		ok(halves, "no part of it is a packed block");
		if (len > 0)
		{
			block[len - 1] ^= 1;
			ok(!atid_block_is(packed, packed_len, block, len, NULL), "and it is no other block's");
		}
		free(block);
		free(packed);
	}
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
	{
		uint8_t    *packed = from_hex(damages[i].packed, &len);
		size_t		restored_len;

		ok(atid_block_len(packed, len, &restored_len, NULL) == damages[i].state, damages[i].name);
		free(packed);
	}

	/* as deep as a block may be, and one level more */
	memset(deep, 0x81, sizeof(deep));
	deep[ATID_CBOR_DEPTH_MAX - 1] = 0x80;
	ok(comes_back(deep, ATID_CBOR_DEPTH_MAX, NULL, 0), "the deepest block");
	is_u64(atid_block_pack(deep, ATID_CBOR_DEPTH_MAX, room, NULL), ATID_CBOR_DEPTH_MAX, "packed");
	memset(deep, 0x81, sizeof(deep));
	deep[ATID_CBOR_DEPTH_MAX] = 0x80;
	ok(comes_back(deep, ATID_CBOR_DEPTH_MAX + 1, NULL, 0), "a deeper one");
	atid_block_pack(deep, ATID_CBOR_DEPTH_MAX + 1, room, NULL);
	ok(room[0] == BLOCK_RAW, "is kept as it is");
	memset(room, BLOCK_ARRAY_SHORT + 1, sizeof(room));
	ok(atid_block_len(room, sizeof(room), &len, NULL) == ATID_BLOCK_DAMAGED,
	   "deeper packed bytes are damaged");

	/* 33,333 times the text "$type", which takes a byte */
	memcpy(many, "\x99\x82\x35", 3);
	for (int i = 0; i < 33333; i++)
		memcpy(many + 3 + 6 * i, "\x65$type", 6);
	ok(comes_back(many, 3 + 6 * 33333, NULL, 0), "many items");
	{
		uint8_t    *packed = malloc(200006);

		is_u64(atid_block_pack(many, 3 + 6 * 33333, packed, note_pause), 33337, "are packed");
		ok(pauses >= 3 * (33333 / 4096), "with pauses");
		free(packed);
	}
	free(many);
	return done();
}
