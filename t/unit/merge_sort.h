/*-------------------------------------------------------------------------
 * merge_sort.h
 *		A sort with the server's arguments, for AtidLexCaller.sort.  qsort_r() is not to be
 *		had everywhere.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_MERGE_SORT_H
#define ATID_MERGE_SORT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline void
merge_sort(void *base, size_t count, size_t size,
		   int (*compare) (const void *a, const void *b, void *arg), void *arg)
{
	char	   *items = base;
	char	   *sorted;
	size_t		half = count / 2;
	size_t		i = 0;
	size_t		j = half;

	if (count < 2)
		return;
	merge_sort(items, half, size, compare, arg);
	merge_sort(items + half * size, count - half, size, compare, arg);
	sorted = malloc(count * size);
	for (size_t k = 0; k < count; k++)
	{
		bool		left = i < half && (j == count ||
										compare(items + i * size, items + j * size, arg) <= 0);

		memcpy(sorted + k * size, items + (left ? i++ : j++) * size, size);
	}
	memcpy(base, sorted, count * size);
	free(sorted);
}

#endif							/* ATID_MERGE_SORT_H */
