/*-------------------------------------------------------------------------
 *
 * grapheme.c
 *		Count extended grapheme clusters (UAX #29, Unicode 17).
 *
 * A cluster begins at each place between two characters where no rule forbids it
 * (section 3.1.1 of UAX #29).  What a rule looks at before the place is summed up in
 * a state, so that one step for each character decides:
 *
 *	GB1, 2		a text begins with a cluster
 *	GB3			CR x LF
 *	GB4, 5		otherwise a break before and after CR, LF and controls
 *	GB6 to 8	L x (L, V, LV, LVT); (LV, V) x (V, T); (LVT, T) x T
 *	GB9, 9a		x (Extend, ZWJ, SpacingMark)
 *	GB9b		Prepend x
 *	GB9c		consonant (Extend, linker)* linker (Extend, linker)* x consonant
 *	GB11		picture Extend* ZWJ x picture
 *	GB12, 13	regional indicators pair up from the first of a run
 *	GB999		otherwise a break
 *
 * A character's class comes from its properties Grapheme_Cluster_Break,
 * Indic_Conjunct_Break and Extended_Pictographic, which are never at odds:
 * t/oracles/unicode.js, which makes the table, checks that.
 *
 * Plain ASCII is counted eight bytes at a time, and the ideographs from U+4000 to
 * U+9FFF need no table.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/text/grapheme.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "codec/text/grapheme_table.h"

/* The table's 'A' and so on. */
typedef enum AtidGraphemeClass
{
	CLASS_OTHER,				/* none of the following */
	CLASS_CR,
	CLASS_LF,
	CLASS_CONTROL,
	CLASS_EXTEND,				/* Extend; Indic_Conjunct_Break is None */
	CLASS_MARK,					/* Extend; Indic_Conjunct_Break is Extend */
	CLASS_LINKER,				/* Extend; Indic_Conjunct_Break is Linker */
	CLASS_ZWJ,					/* Indic_Conjunct_Break is Extend */
	CLASS_SPACING,				/* SpacingMark */
	CLASS_PREPEND,
	CLASS_L,
	CLASS_V,
	CLASS_T,
	CLASS_LV,
	CLASS_LVT,
	CLASS_FLAG,					/* Regional_Indicator */
	CLASS_PICTURE,				/* Extended_Pictographic */
	CLASS_CONSONANT				/* Indic_Conjunct_Break is Consonant */
} AtidGraphemeClass;

#define CLASSES (CLASS_CONSONANT + 1)

/* What was before. */
typedef enum AtidGraphemeState
{
	START,						/* the text's begin, or a control */
	ANY,						/* what no rule but GB9 and 9a speaks of */
	CR,
	PREPEND,
	L,
	V,							/* or LV */
	T,							/* or LVT */
	FLAG,						/* a regional indicator that has no partner */
	PICTURE,					/* a picture, and Extend */
	PICTURE_ZWJ,				/* the same, and a ZWJ */
	CONSONANT,					/* a consonant, and Extend */
	LINKED						/* the same, with a linker */
} AtidGraphemeState;

/* A step leads to a state, with a break or without. */
#define BREAK		0x80
#define STATE_MASK	0x7F
#define B(state)	(BREAK | (state))

/* A break before OTHER, CR, LF and CONTROL; before PREPEND and what comes after it. */
#define BREAK_PLAIN	B(ANY), B(CR), B(START), B(START)
#define BREAK_OTHERS B(T), B(V), B(T), B(FLAG), B(PICTURE), B(CONSONANT)

static const uint8_t steps[][CLASSES] = {
	/*
	 * OTHER, CR, LF, CONTROL, EXTEND, MARK, LINKER, ZWJ, SPACING,
	 *
	 * PREPEND, L, V, T, LV, LVT, FLAG, PICTURE, CONSONANT
	 */
	[START] = {
		BREAK_PLAIN, B(ANY), B(ANY), B(ANY), B(ANY), B(ANY),
		B(PREPEND), B(L), B(V), BREAK_OTHERS
	},
	[ANY] = {
		BREAK_PLAIN, ANY, ANY, ANY, ANY, ANY,
		B(PREPEND), B(L), B(V), BREAK_OTHERS
	},
	[CR] = {
		B(ANY), B(CR), START, B(START), B(ANY), B(ANY), B(ANY), B(ANY), B(ANY),
		B(PREPEND), B(L), B(V), BREAK_OTHERS
	},
	[PREPEND] = {
		ANY, B(CR), B(START), B(START), ANY, ANY, ANY, ANY, ANY,
		PREPEND, L, V, T, V, T, FLAG, PICTURE, CONSONANT
	},
	[L] = {
		BREAK_PLAIN, ANY, ANY, ANY, ANY, ANY,
		B(PREPEND), L, V, B(T), V, T, B(FLAG), B(PICTURE), B(CONSONANT)
	},
	[V] = {
		BREAK_PLAIN, ANY, ANY, ANY, ANY, ANY,
		B(PREPEND), B(L), V, T, B(V), B(T), B(FLAG), B(PICTURE), B(CONSONANT)
	},
	[T] = {
		BREAK_PLAIN, ANY, ANY, ANY, ANY, ANY,
		B(PREPEND), B(L), B(V), T, B(V), B(T), B(FLAG), B(PICTURE), B(CONSONANT)
	},
	[FLAG] = {
		BREAK_PLAIN, ANY, ANY, ANY, ANY, ANY,
		B(PREPEND), B(L), B(V), B(T), B(V), B(T), ANY, B(PICTURE), B(CONSONANT)
	},
	[PICTURE] = {
		BREAK_PLAIN, PICTURE, PICTURE, PICTURE, PICTURE_ZWJ, ANY,
		B(PREPEND), B(L), B(V), BREAK_OTHERS
	},
	[PICTURE_ZWJ] = {
		BREAK_PLAIN, ANY, ANY, ANY, ANY, ANY,
		B(PREPEND), B(L), B(V), B(T), B(V), B(T), B(FLAG), PICTURE, B(CONSONANT)
	},
	[CONSONANT] = {
		BREAK_PLAIN, ANY, CONSONANT, LINKED, CONSONANT, ANY,
		B(PREPEND), B(L), B(V), BREAK_OTHERS
	},
	[LINKED] = {
		BREAK_PLAIN, ANY, LINKED, LINKED, LINKED, ANY,
		B(PREPEND), B(L), B(V), B(T), B(V), B(T), B(FLAG), B(PICTURE), CONSONANT
	},
};

#define ALL_BYTES(x)	(UINT64_C(0x0101010101010101) * (x))

/*
 * Are eight bytes ASCII, and none of them CR?  Without bytes above 0x7F, the
 * subtraction borrows exactly where a byte is zero.
 */
static inline bool
plain_word(const uint8_t *p)
{
	uint64_t	word;

	memcpy(&word, p, sizeof(word));
	return ((word | ((word ^ ALL_BYTES('\r')) - ALL_BYTES(0x01))) & ALL_BYTES(0x80)) == 0;
}

/* The class of the character that has this place in this block. */
static inline AtidGraphemeClass
class_in_block(uint32_t block, uint8_t last)
{
	if (block >= 0x20000 / 64)
	{
		if (block < 0xE0000 / 64 || block >= 0xE1000 / 64)
			return CLASS_OTHER;
		block -= (0xE0000 - 0x20000) / 64;
	}
	return (AtidGraphemeClass) (classes[block_of[block] * 64 + (last & 0x3F)] - 'A');
}

/*
 * Read a character that is not ASCII.  A byte that cannot begin one, or a character
 * that the text ends in, is one of CLASS_OTHER.
 */
static inline AtidGraphemeClass
read_character(const uint8_t **p, const uint8_t *end)
{
	const uint8_t *at = *p;
	size_t		left = (size_t) (end - at);

	if (at[0] >= 0xE0 && at[0] < 0xF0 && left >= 3)
	{
		*p += 3;
		/* U+4000 to U+9FFF */
		if (at[0] >= 0xE4 && at[0] <= 0xE9)
			return CLASS_OTHER;
		return class_in_block((at[0] & 0x0Fu) << 6 | (at[1] & 0x3F), at[2]);
	}
	if (at[0] >= 0xC0 && at[0] < 0xE0 && left >= 2)
	{
		*p += 2;
		return class_in_block(at[0] & 0x1F, at[1]);
	}
	if (at[0] >= 0xF0 && at[0] < 0xF8 && left >= 4)
	{
		*p += 4;
		return class_in_block((at[0] & 0x07u) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3F), at[3]);
	}
	*p += 1;
	return CLASS_OTHER;
}

/*
 * Count the breaks before the characters that begin before stop, in a text that ends
 * at end, on top of count; or end early, with more than limit.  *p becomes the end of
 * the last of them.
 */
static size_t
count_breaks(const uint8_t **p, const uint8_t *stop, const uint8_t *end,
			 uint8_t *before, size_t count, size_t limit)
{
	const uint8_t *at = *p;
	uint8_t		state = *before;

	while (at < stop && count <= limit)
	{
		AtidGraphemeClass class;

		if (*at < 0x80)
		{
			/* each begins a cluster, but after CR and Prepend */
			if (stop - at >= 8 && plain_word(at) && state != CR && state != PREPEND)
			{
				do
				{
					at += 8;
					count += 8;
				} while (stop - at >= 8 && plain_word(at) && count <= limit);
				state = at[-1] >= 0x20 && at[-1] < 0x7F ? ANY : START;
				continue;
			}
			class = class_in_block(*at >> 6, *at);
			at++;
		}
		else
			class = read_character(&at, end);

		/* the usual step, without waiting for the state */
		if (class == CLASS_OTHER && state != PREPEND)
		{
			count++;
			state = ANY;
		}
		else
		{
			uint8_t		step = steps[state][class];

			count += step / BREAK;
			state = step & STATE_MASK;
		}
	}
	*p = at;
	*before = state;
	return count;
}

size_t
atid_grapheme_count(const char *utf8, size_t len, size_t limit, void (*pause) (void))
{
	const uint8_t *p = (const uint8_t *) utf8;
	const uint8_t *end = p + len;
	uint8_t		state = START;
	size_t		count = 0;

	while (p < end && count <= limit)
	{
		const uint8_t *stop = end - p > ATID_GRAPHEME_AT_ONCE ? p + ATID_GRAPHEME_AT_ONCE : end;

		if (pause != NULL)
			pause();
		count = count_breaks(&p, stop, end, &state, count, limit);
	}
	return count <= limit ? count : limit + 1;
}
