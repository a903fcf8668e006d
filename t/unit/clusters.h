/*-------------------------------------------------------------------------
 *
 * clusters.h
 *		Grapheme clusters by the letter of UAX #29: each rule as it is written there,
 *		over characters whose properties are known.  Slow.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_CLUSTERS_H
#define ATID_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Character
{
	uint32_t	code;
	enum
	{
		Other, Cr, Lf, Control, Extend, Zwj, Regional_Indicator, Prepend, SpacingMark,
		Hangul_L, Hangul_V, Hangul_T, Hangul_LV, Hangul_LVT
	}			cluster_break;
	enum
	{
		No_Conjunct, Conjunct_Extend, Conjunct_Linker, Conjunct_Consonant
	}			conjunct;
	bool		pictographic;
} Character;

/* From the Unicode Character Database 17.0.0. */
static const Character characters[] = {
	{0x000D, Cr, No_Conjunct, false},
	{0x000A, Lf, No_Conjunct, false},
	{0x0000, Control, No_Conjunct, false},
	{0x0061, Other, No_Conjunct, false},
	{0x200C, Extend, No_Conjunct, false},	/* zero width non-joiner */
	{0x0308, Extend, Conjunct_Extend, false},	/* diaeresis */
	{0x094D, Extend, Conjunct_Linker, false},	/* Devanagari virama */
	{0x200D, Zwj, Conjunct_Extend, false},
	{0x0903, SpacingMark, No_Conjunct, false},	/* Devanagari visarga */
	{0x0600, Prepend, No_Conjunct, false},	/* Arabic number sign */
	{0x1100, Hangul_L, No_Conjunct, false},
	{0x1160, Hangul_V, No_Conjunct, false},
	{0x11A8, Hangul_T, No_Conjunct, false},
	{0xAC00, Hangul_LV, No_Conjunct, false},
	{0xAC01, Hangul_LVT, No_Conjunct, false},
	{0x1F1E6, Regional_Indicator, No_Conjunct, false},
	{0x1F476, Other, No_Conjunct, true},	/* baby */
	{0x0915, Other, Conjunct_Consonant, false}, /* Devanagari ka */
	/* one of each kind stands above; others of the same kinds follow */
#define KINDS 18
	{0x001F, Control, No_Conjunct, false},
	{0x0020, Other, No_Conjunct, false},
	{0x0031, Other, No_Conjunct, false},
	{0x007E, Other, No_Conjunct, false},
	{0x007F, Control, No_Conjunct, false},
	{0x0085, Control, No_Conjunct, false},
	{0x00A9, Other, No_Conjunct, true}, /* copyright */
	{0x00AD, Control, No_Conjunct, false},	/* soft hyphen */
	{0x00E9, Other, No_Conjunct, false},
	{0x0300, Extend, Conjunct_Extend, false},
	{0x036F, Extend, Conjunct_Extend, false},
	{0x0370, Other, No_Conjunct, false},
	{0x0378, Other, No_Conjunct, false},	/* not assigned */
	{0x070F, Prepend, No_Conjunct, false},
	{0x0ACD, Extend, Conjunct_Linker, false},	/* Gujarati virama */
	{0x0AB8, Other, Conjunct_Consonant, false},	/* Gujarati sa */
	{0x0E33, SpacingMark, No_Conjunct, false},	/* Thai sara am */
	{0x200B, Control, No_Conjunct, false},
	{0x2028, Control, No_Conjunct, false},
	{0x2701, Other, No_Conjunct, false},	/* scissors that are no picture */
	{0x2702, Other, No_Conjunct, true}, /* scissors */
	{0x3042, Other, No_Conjunct, false},	/* hiragana a */
	{0x3099, Extend, Conjunct_Extend, false},	/* dakuten */
	{0x4000, Other, No_Conjunct, false},
	{0x4E00, Other, No_Conjunct, false},
	{0x9FFF, Other, No_Conjunct, false},
	{0xA97C, Hangul_L, No_Conjunct, false},
	{0xAC1C, Hangul_LV, No_Conjunct, false},
	{0xD7A3, Hangul_LVT, No_Conjunct, false},
	{0xD7B0, Hangul_V, No_Conjunct, false},
	{0xD7FB, Hangul_T, No_Conjunct, false},
	{0xFE0F, Extend, Conjunct_Extend, false},	/* emoji form */
	{0xFEFF, Control, No_Conjunct, false},
	{0xFFFD, Other, No_Conjunct, false},
	{0x10400, Other, No_Conjunct, false},
	{0x110BD, Prepend, No_Conjunct, false},
	{0x11046, Extend, Conjunct_Extend, false},	/* Brahmi virama */
	{0x1F1FF, Regional_Indicator, No_Conjunct, false},
	{0x1F3FF, Extend, Conjunct_Extend, false},	/* skin colour */
	{0x1F6D1, Other, No_Conjunct, true},	/* stop sign */
	{0x1FFFD, Other, No_Conjunct, true},	/* not assigned */
	{0x20000, Other, No_Conjunct, false},
	{0xE0001, Control, No_Conjunct, false},
	{0xE0020, Extend, Conjunct_Extend, false},	/* a tag */
	{0xE01EF, Extend, Conjunct_Extend, false},	/* a variation selector */
	{0xE0FFF, Control, No_Conjunct, false},
	{0xE1000, Other, No_Conjunct, false},
	{0x10FFFF, Other, No_Conjunct, false},
};

#define CHARACTERS (sizeof(characters) / sizeof(characters[0]))

/* Is there a break between the characters at - 1 and at? */
static inline bool
is_break(const Character *const *text, size_t at)
{
	const Character *a;
	const Character *b;
	size_t		i;

	/* GB1 */
	if (at == 0)
		return true;
	a = text[at - 1];
	b = text[at];

	/* GB3, GB4, GB5 */
	if (a->cluster_break == Cr && b->cluster_break == Lf)
		return false;
	if (a->cluster_break == Control || a->cluster_break == Cr || a->cluster_break == Lf)
		return true;
	if (b->cluster_break == Control || b->cluster_break == Cr || b->cluster_break == Lf)
		return true;

	/* GB6, GB7, GB8 */
	if (a->cluster_break == Hangul_L &&
		(b->cluster_break == Hangul_L || b->cluster_break == Hangul_V ||
		 b->cluster_break == Hangul_LV || b->cluster_break == Hangul_LVT))
		return false;
	if ((a->cluster_break == Hangul_LV || a->cluster_break == Hangul_V) &&
		(b->cluster_break == Hangul_V || b->cluster_break == Hangul_T))
		return false;
	if ((a->cluster_break == Hangul_LVT || a->cluster_break == Hangul_T) &&
		b->cluster_break == Hangul_T)
		return false;

	/* GB9, GB9a, GB9b */
	if (b->cluster_break == Extend || b->cluster_break == Zwj)
		return false;
	if (b->cluster_break == SpacingMark)
		return false;
	if (a->cluster_break == Prepend)
		return false;

	/* GB9c */
	if (b->conjunct == Conjunct_Consonant)
	{
		bool		linked = false;

		for (i = at; i > 0 && (text[i - 1]->conjunct == Conjunct_Extend ||
							   text[i - 1]->conjunct == Conjunct_Linker); i--)
			linked |= text[i - 1]->conjunct == Conjunct_Linker;
		if (linked && i > 0 && text[i - 1]->conjunct == Conjunct_Consonant)
			return false;
	}

	/* GB11 */
	if (a->cluster_break == Zwj && b->pictographic)
	{
		for (i = at - 1; i > 0 && text[i - 1]->cluster_break == Extend; i--)
			;
		if (i > 0 && text[i - 1]->pictographic)
			return false;
	}

	/* GB12, GB13 */
	if (b->cluster_break == Regional_Indicator)
	{
		for (i = at; i > 0 && text[i - 1]->cluster_break == Regional_Indicator; i--)
			;
		if ((at - i) % 2 == 1)
			return false;
	}

	/* GB999 */
	return true;
}

/* Write a character as UTF-8 of at most 4 bytes.  Returns how many. */
static inline size_t
put_utf8(char *dst, uint32_t code)
{
	if (code < 0x80)
	{
		dst[0] = (char) code;
		return 1;
	}
	if (code < 0x800)
	{
		dst[0] = (char) (0xC0 | code >> 6);
		dst[1] = (char) (0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000)
	{
		dst[0] = (char) (0xE0 | code >> 12);
		dst[1] = (char) (0x80 | (code >> 6 & 0x3F));
		dst[2] = (char) (0x80 | (code & 0x3F));
		return 3;
	}
	dst[0] = (char) (0xF0 | code >> 18);
	dst[1] = (char) (0x80 | (code >> 12 & 0x3F));
	dst[2] = (char) (0x80 | (code >> 6 & 0x3F));
	dst[3] = (char) (0x80 | (code & 0x3F));
	return 4;
}

#endif							/* ATID_CLUSTERS_H */
