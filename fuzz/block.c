/*-------------------------------------------------------------------------
 *
 * block.c
 *		Every block comes back from its packed value, a path leads to the same value in both,
 *		and damaged packed bytes do no harm.
 *
 * The input is a path (path.h) and a block.  The block is then taken for packed bytes, as is the
 * packed value with a bit changed.  Half of the inputs are made as records are
 * (make_block.h).
 *
 *-------------------------------------------------------------------------
 */
#include "codec/block/block_form.h"

#include <string.h>

#include "codec/block/block_seek.h"
#include "codec/cbor/dagcbor.h"
#include "fuzz.h"
#include "make_block.h"
#include "path.h"

static Step steps[STEPS_MAX];
static int	count;

/* The longest block that is made of packed bytes here. */
#define RESTORED_MAX (64 << 20)

/*
 * A packed value of this block, in memory of its size.
 */
static uint8_t *
pack(const uint8_t *block, size_t len, size_t *packed_len)
{
	uint8_t    *room = exact_memory(ATID_BLOCK_PACKED_MAX(len));
	uint8_t    *packed;

	*packed_len = atid_block_pack(block, len, room, NULL);
	CLAIM(*packed_len > 0 && *packed_len <= len + 1);
	packed = exact_memory(*packed_len);
	memcpy(packed, room, *packed_len);
	free(room);
	return packed;
}

static void
claim_restored(const uint8_t *packed, size_t packed_len, const uint8_t *block, size_t len)
{
	size_t		restored_len;
	uint8_t    *restored;

	CLAIM(atid_block_len(packed, packed_len, &restored_len, NULL) == ATID_BLOCK_OK);
	CLAIM(restored_len == len);
	restored = exact_memory(len);
	CLAIM(atid_block_restore(packed, packed_len, restored, len, &restored_len,
							 NULL) == ATID_BLOCK_OK);
	CLAIM(restored_len == len);
	CLAIM(memcmp(restored, block, len) == 0);
	CLAIM(atid_block_is(packed, packed_len, block, len, NULL));
	free(restored);
}

/*
 * Does the path lead to the same value in the packed bytes as in the block?
 */
static void
claim_same_path(const uint8_t *packed, size_t packed_len, const uint8_t *block, size_t len)
{
	AtidSeek	seek;
	AtidBlockSeek packed_seek;
	AtidSeekResult result = atid_seek_init(&seek, block, len);
	AtidSeekResult packed_result = atid_block_seek_init(&packed_seek, packed, packed_len);
	const char *text;
	const char *packed_text;
	size_t		text_len;
	size_t		packed_text_len;
	char		room[ATID_BLOCK_TEXT_MAX];
	const uint8_t *past;

	for (int i = 0; i < count && result == ATID_SEEK_FOUND; i++)
	{
		AtidBlockStep step;

		atid_block_step_init(&step, steps[i].text, steps[i].len);
		result = atid_seek_step(&seek, steps[i].text, steps[i].len);
		packed_result = atid_block_seek_step(&packed_seek, &step);
		CLAIM(packed_result == result);
	}
	if (result != ATID_SEEK_FOUND)
		return;
	CLAIM(atid_block_seek_kind(&packed_seek) == atid_seek_kind(&seek));
	packed_result = atid_block_seek_text(&packed_seek, room, &packed_text, &packed_text_len);
	if (atid_seek_text(&seek, &text, &text_len))
	{
		CLAIM(packed_result == ATID_SEEK_FOUND && packed_text_len == text_len);
		CLAIM(memcmp(packed_text, text, text_len) == 0);
	}
	else
		CLAIM(packed_result == ATID_SEEK_NONE);
	if (packed_seek.string < 0)
	{
		past = atid_block_seek_past(&packed_seek);
		CLAIM(past != NULL);
		claim_restored(packed_seek.p, (size_t) (past - packed_seek.p), seek.p,
					   (size_t) (atid_seek_past(&seek) - seek.p));
	}
}

static bool
is_block(const uint8_t *bytes, size_t len)
{
	AtidCborReader reader;
	AtidCborItem item;
	AtidCborEvent event;

	atid_cbor_reader_init(&reader, bytes, len);
	do
		event = atid_cbor_next(&reader, &item);
	while (event != ATID_CBOR_FAULT && event != ATID_CBOR_END);
	return event == ATID_CBOR_END;
}

/*
 * Bytes that may be no packed value: what is read of them is bounded, and agrees.  If they stand
 * for a block, it may have another packed form, as those have that an older version has written.
 */
static void
claim_bounded(const uint8_t *packed, size_t packed_len)
{
	size_t		len = 0;
	size_t		restored_len;
	AtidBlockState state = atid_block_len(packed, packed_len, &len, NULL);
	AtidBlockSeek seek;
	AtidSeekResult result;
	uint8_t    *restored;

	CLAIM(len <= packed_len * ATID_BLOCK_EXPANSION_MAX && len <= ATID_BLOCK_SIZE_MAX);
	if (state == ATID_BLOCK_OK && len < RESTORED_MAX)
	{
		restored = exact_memory(len);
		CLAIM(atid_block_restore(packed, packed_len, restored, len, &restored_len,
								 NULL) == ATID_BLOCK_OK);
		CLAIM(restored_len == len);
		CLAIM(atid_block_is(packed, packed_len, restored, len, NULL));
		if (len > 0)
			CLAIM(atid_block_restore(packed, packed_len, restored, len - 1, &restored_len,
									 NULL) != ATID_BLOCK_OK);
		if (!atid_block_is_raw(packed, packed_len) && is_block(restored, len))
			claim_same_path(packed, packed_len, restored, len);
		free(restored);
	}
	if (atid_block_is_raw(packed, packed_len))
		return;
	result = atid_block_seek_init(&seek, packed, packed_len);
	if (result == ATID_SEEK_FOUND && state == ATID_BLOCK_OK)
		CLAIM(atid_block_seek_past(&seek) == packed + packed_len);
	for (int i = 0; i < count && result == ATID_SEEK_FOUND; i++)
	{
		AtidBlockStep step;

		atid_block_step_init(&step, steps[i].text, steps[i].len);
		result = atid_block_seek_step(&seek, &step);
	}
	if (result == ATID_SEEK_FOUND)
	{
		char		room[ATID_BLOCK_TEXT_MAX];
		const char *text;
		size_t		text_len;

		CLAIM(seek.p >= packed && seek.p < packed + packed_len);
		(void) atid_block_seek_kind(&seek);
		if (atid_block_seek_text(&seek, room, &text, &text_len) == ATID_SEEK_FOUND)
			CLAIM(text_len <= packed_len + ATID_BLOCK_TEXT_MAX);
		(void) atid_block_seek_past(&seek);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t    *packed;
	size_t		packed_len;
	uint8_t    *copy;
	uint32_t	at = 0;

	count = read_path(steps, &data, &size);
	packed = pack(data, size, &packed_len);
	claim_restored(packed, packed_len, data, size);
	if (!atid_block_is_raw(packed, packed_len))
		claim_same_path(packed, packed_len, data, size);
	for (size_t i = 0; i < size; i++)
		at = at * 31 + data[i];
	packed[at / 8 % packed_len] ^= (uint8_t) (1 << at % 8);
	claim_bounded(packed, packed_len);
	free(packed);

	copy = exact_memory(size);
	memcpy(copy, data, size);
	claim_bounded(copy, size);
	free(copy);
	return 0;
}

extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
extern size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	static uint8_t made[MAKE_BLOCK_ROOM];
	size_t		len;

	if (seed % 2 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	len = make_block(made, seed);
	if (len > max_size)
		return LLVMFuzzerMutate(data, size, max_size);
	memcpy(data, made, len);
	return seed % 32 > 1 ? len : LLVMFuzzerMutate(data, len, max_size);
}
