/*-------------------------------------------------------------------------
 *
 * seek.h
 *		A value within a DAG-CBOR block, found by a path.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SEEK_H
#define ATID_SEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the head of a value says that it is; its value may still be damaged. */
typedef enum AtidSeekKind
{
	ATID_SEEK_MAP,
	ATID_SEEK_ARRAY,
	ATID_SEEK_LINK,
	ATID_SEEK_BYTES,
	ATID_SEEK_OTHER
} AtidSeekKind;

typedef enum AtidSeekResult
{
	ATID_SEEK_FOUND,
	ATID_SEEK_NONE,				/* the path leads to nothing */
	ATID_SEEK_FAULT				/* the block is no DAG-CBOR */
} AtidSeekResult;

/*
 * Where a path has led so far.  The caller may set pause: it is called again and
 * again while a long value is passed over, and need not return.
 */
typedef struct AtidSeek
{
	const uint8_t *p;			/* the value; there is one byte of it at least */
	const uint8_t *end;			/* of the block */
	int			depth;			/* steps that were taken */
	void		(*pause) (void);	/* NULL after atid_seek_init */
} AtidSeek;

/*
 * Begin with the value that is the block.
 */
extern AtidSeekResult atid_seek_init(AtidSeek *seek, const void *bytes, size_t len);

/*
 * The kind of the value that was found, by its first byte.
 */
extern AtidSeekKind atid_seek_kind(const AtidSeek *seek);

/*
 * Take a step.  After any other result than ATID_SEEK_FOUND the seek is at an end; where a
 * map has no such key, seek->p is how far it was read.
 */
extern AtidSeekResult atid_seek_step(AtidSeek *seek, const char *step, size_t len);

/*
 * The integer that a step is, as strtol() reads one; false if it is none, or not of
 * 32 bits.
 */
extern bool atid_seek_index(const char *step, size_t len, int64_t *index);

/*
 * The bytes of the value, if it is a text.  They may not be UTF-8.
 */
extern bool atid_seek_text(const AtidSeek *seek, const char **text, size_t *len);

/*
 * The byte behind the value, or NULL where it is damaged.
 */
extern const uint8_t *atid_seek_past(const AtidSeek *seek);

#endif							/* ATID_SEEK_H */
