/*-------------------------------------------------------------------------
 *
 * error.h
 *		How an error is worded: the place, and the values that it quotes.  And what all
 *		callers of pure code need: its pause, and the error for a stored value.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ERROR_H
#define ATID_ERROR_H

#include "codec/fault.h"
#include "codec/text/packed.h"
#include "compat.h"

/* The most bytes of a value or a path that an error shows. */
#define ATID_QUOTE_MAX 400

/*
 * Copy a text in this encoding, with a terminator.  A longer one than max bytes
 * is clipped between characters; max must be 16 or more.  *len is the length of
 * the text, and then that of the copy.
 */
extern char *atid_clip(const char *s, size_t *len, int encoding, size_t max);

/*
 * A value in the server's encoding, as an error quotes it.
 */
extern char *atid_quote(const char *s, size_t len);

/*
 * The words of a fault, with what it is about in them: a text of the server's encoding,
 * which is clipped; NULL if it is about nothing.
 */
extern char *atid_fault_sentence(AtidFault fault, const char *about);

/*
 * Word a fault and its place, which counts from zero.  An error counts
 * characters from one, and bytes from zero.
 */
extern char *atid_fault_at_character(AtidFault fault, size_t at);
extern char *atid_fault_at_byte(AtidFault fault, size_t at);

/*
 * The pause of pure code (AtidCborReader, AtidSeek, ...).  Raises an error if the query was
 * cancelled; else returns.
 */
extern void atid_check_for_interrupts(void);

/*
 * Raises the error for a stored value of this type that this version cannot read: 0A000 if a
 * newer version has written it, else XX001.  The state is not ATID_PACKED_OK.  This version
 * never makes such a value.
 */
pg_noreturn extern void atid_refuse_packed(AtidPackedState state, const char *type);

#endif							/* ATID_ERROR_H */
