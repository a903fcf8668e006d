/*-------------------------------------------------------------------------
 *
 * sort.h
 *		A sort whose time no input can make quadratic, and which a cancel can end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_SORT_H
#define ATID_SORT_H

#include <stddef.h>

extern void atid_sort(void *base, size_t count, size_t size,
					  int (*compare) (const void *a, const void *b, void *arg), void *arg);

#endif							/* ATID_SORT_H */
