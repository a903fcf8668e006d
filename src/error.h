/*-------------------------------------------------------------------------
 *
 * error.h
 *		A value or a path as an error shows it: no longer than can be read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ERROR_H
#define ATID_ERROR_H

/* The most bytes of a value or a path that an error shows. */
#define ATID_QUOTE_MAX 400

extern char *atid_clip(const char *s, size_t *len, int encoding, size_t max);
extern char *atid_quote(const char *s, size_t len);

#endif							/* ATID_ERROR_H */
