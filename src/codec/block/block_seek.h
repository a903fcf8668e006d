/*-------------------------------------------------------------------------
 *
 * block_seek.h
 *		A value within a packed block, found by a path.
 *
 * A path leads where it leads in the block itself (cbor/seek.h), and where it ends the same
 * can be asked of the value.  A block that is stored unpacked, atid_block_is_raw(), has to be
 * read there.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_BLOCK_SEEK_H
#define ATID_BLOCK_SEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/block/block_form.h"
#include "codec/cbor/seek.h"

/*
 * A step of a path, which is prepared once for many blocks.
 */
typedef struct AtidBlockStep
{
	const char *text;			/* the caller's, as long as the step is used */
	size_t		len;
	int			string;			/* the number of the text, or
								 * ATID_DICTIONARY_NONE */
	bool		is_index;		/* an index of an array, from its end if
								 * negative */
	int64_t		index;
} AtidBlockStep;

/*
 * Where a path has led so far.
 */
typedef struct AtidBlockSeek
{
	const uint8_t *p;			/* the code of the value */
	const uint8_t *end;			/* of the packed bytes */
	int			string;			/* not NONE: the value is this string, and has
								 * no code */
	int			depth;			/* steps that were taken */
	AtidBlockState state;		/* why the last result was ATID_SEEK_FAULT */
	void		(*pause) (void);	/* NULL after atid_block_seek_init */
} AtidBlockSeek;

extern void atid_block_step_init(AtidBlockStep *step, const char *text, size_t len);

/*
 * Begin with the value that the packed bytes, which are not raw, are.
 */
extern AtidSeekResult atid_block_seek_init(AtidBlockSeek *seek, const uint8_t *packed, size_t len);

/*
 * Take a step.  After any other result than ATID_SEEK_FOUND the seek is at an end.
 */
extern AtidSeekResult atid_block_seek_step(AtidBlockSeek *seek, const AtidBlockStep *step);

/*
 * The kind of the value that was found, by its code.
 */
extern AtidSeekKind atid_block_seek_kind(const AtidBlockSeek *seek);

/*
 * The text that was found, which is in the packed bytes or the dictionary, or is written to
 * "room" of ATID_BLOCK_TEXT_MAX bytes.  ATID_SEEK_NONE if the value is no text.
 */
extern AtidSeekResult atid_block_seek_text(AtidBlockSeek *seek, char *room, const char **text,
										   size_t *len);

/*
 * The byte behind the value, or NULL where it is damaged.  The bytes from seek->p up to there
 * are a packed value; but there are none where seek->string is a string.
 */
extern const uint8_t *atid_block_seek_past(AtidBlockSeek *seek);

#endif							/* ATID_BLOCK_SEEK_H */
