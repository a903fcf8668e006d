/*-------------------------------------------------------------------------
 *
 * array_sort.h
 *		A sort that is never quadratic, and that a cancel can end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_ARRAY_SORT_H
#define ATID_ARRAY_SORT_H

#include <stddef.h>

/*
 * Sort count elements of size bytes.
 */
extern void atid_sort(void *base, size_t count, size_t size,
					  int (*compare) (const void *a, const void *b, void *arg), void *arg);

#endif							/* ATID_ARRAY_SORT_H */
