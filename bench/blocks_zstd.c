/*-------------------------------------------------------------------------
 *
 * blocks_zstd.c
 *                Compresses each block alone with zstd, with a dictionary trained on other blocks.
 *
 * It reads a block in hexadecimal from each line.  A dictionary is trained on the first half of
 * them, and the other half is measured.  Frames have no magic number, size or checksum.
 *
 *-------------------------------------------------------------------------
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <zdict.h>
#include <zstd.h>

#define DICTIONARY_MAX	(110 * 1024)

static uint8_t *bytes;
static size_t *lens;
static size_t count = 0;

static double
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int
value_of(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void
read_blocks(void)
{
	size_t		used = 0;
	size_t		room = 1 << 20;
	size_t		lens_room = 1 << 10;
	char	   *line = NULL;
	size_t		line_room = 0;
	ssize_t		len;

	bytes = malloc(room);
	lens = malloc(lens_room * sizeof(*lens));
	while ((len = getline(&line, &line_room, stdin)) > 1)
	{
		size_t		n = (size_t) len / 2;

		while (used + n > room)
			bytes = realloc(bytes, room *= 2);
		if (count == lens_room)
			lens = realloc(lens, (lens_room *= 2) * sizeof(*lens));
		for (size_t i = 0; i < n; i++)
			bytes[used++] = (uint8_t) (value_of(line[2 * i]) << 4 | value_of(line[2 * i + 1]));
		lens[count++] = n;
	}
	free(line);
}

int
main(void)
{
	static char dictionary[DICTIONARY_MAX];
	const int	levels[] = {3, 19};
	size_t		dictionary_len;
	size_t		half;
	size_t		begin = 0;
	size_t		largest = 0;

	read_blocks();
	half = count / 2;
	for (size_t i = 0; i < half; i++)
		begin += lens[i];
	for (size_t i = 0; i < count; i++)
		largest = lens[i] > largest ? lens[i] : largest;
	dictionary_len = ZDICT_trainFromBuffer(dictionary, DICTIONARY_MAX, bytes, lens,
										   (unsigned) half);
	if (count < 1000 || ZDICT_isError(dictionary_len))
	{
		printf("zstd: no dictionary can be trained on %zu blocks\n", half);
		return 0;
	}
	printf("\nzstd with a dictionary of %zu bytes, a block: bytes, ns to compress, to decompress\n",
		   dictionary_len);
	for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
	{
		ZSTD_CCtx  *cctx = ZSTD_createCCtx();
		ZSTD_DCtx  *dctx = ZSTD_createDCtx();
		size_t		room = ZSTD_compressBound(largest);
		uint8_t    *frame = malloc(room);
		uint8_t    *back = malloc(largest);
		const uint8_t *p = bytes + begin;
		size_t		total = 0;
		double		packing = 0;
		double		unpacking = 0;

		ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, levels[l]);
		ZSTD_CCtx_setParameter(cctx, ZSTD_c_format, ZSTD_f_zstd1_magicless);
		ZSTD_CCtx_setParameter(cctx, ZSTD_c_contentSizeFlag, 0);
		ZSTD_CCtx_setParameter(cctx, ZSTD_c_dictIDFlag, 0);
		ZSTD_CCtx_loadDictionary(cctx, dictionary, dictionary_len);
		ZSTD_DCtx_setParameter(dctx, ZSTD_d_format, ZSTD_f_zstd1_magicless);
		ZSTD_DCtx_loadDictionary(dctx, dictionary, dictionary_len);
		for (size_t i = half; i < count; i++)
		{
			double		start = cpu_ns();
			size_t		len = ZSTD_compress2(cctx, frame, room, p, lens[i]);
			double		middle = cpu_ns();

			if (ZSTD_isError(ZSTD_decompressDCtx(dctx, back, largest, frame, len)))
				abort();
			unpacking += cpu_ns() - middle;
			packing += middle - start;
			total += len < lens[i] ? len : lens[i];
			p += lens[i];
		}
		printf("level %2d: %.0f, %.0f, %.0f\n", levels[l], (double) total / (double) (count - half),
			   packing / (double) (count - half), unpacking / (double) (count - half));
		ZSTD_freeCCtx(cctx);
		ZSTD_freeDCtx(dctx);
		free(frame);
		free(back);
	}
	return 0;
}
