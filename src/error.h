/*-------------------------------------------------------------------------
 *
 * error.h
 *		How an error is worded: the place, and the values that it quotes.  And the pause that
 *		all callers of pure code give it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ERROR_H
#define ATID_ERROR_H

#include "codec/fault.h"

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

#endif							/* ATID_ERROR_H */
