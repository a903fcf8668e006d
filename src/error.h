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
#include "codec/packed.h"
#include "compat.h"

/* The most bytes of a value or a path that an error shows. */
#define ATID_QUOTE_MAX 400

extern char *atid_clip(const char *s, size_t *len, int encoding, size_t max);
extern char *atid_quote(const char *s, size_t len);
extern char *atid_fault_sentence(AtidFault fault, const char *about);
extern char *atid_fault_at_character(AtidFault fault, size_t at);
extern char *atid_fault_at_byte(AtidFault fault, size_t at);

/*
 * The pause of pure code (AtidCborReader, AtidSeek, ...).  Raises an error if the query was
 * cancelled; else returns.
 */
extern void atid_check_for_interrupts(void);

/*
 * Raises the error for a stored value of this type that this version cannot read: 0A000 if a
 * newer version has written it, else XX001.  The state is not ATID_PACKED_OK.
 */
pg_noreturn extern void atid_refuse_packed(AtidPackedState state, const char *type);

#endif							/* ATID_ERROR_H */
