/*-------------------------------------------------------------------------
 *
 * array_sort.c
 *		A sort that is never quadratic, and that a cancel can end.
 *
 * An attacker's input can make the server's qsort quadratic.  This is a merge
 * sort: it takes n log n comparisons at most, keeps the order of equal elements,
 * and takes as much memory again as the elements have.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "array_sort.h"

/*
 * Merge the runs from begin to middle and from middle to end into the same
 * places of "to".  One comparison shows whether they are in order already.
 */
static void
merge_runs(const char *from, char *to, size_t begin, size_t middle, size_t end, size_t size,
		   int (*compare) (const void *a, const void *b, void *arg), void *arg)
{
	const char *left = from + begin * size;
	const char *left_end = from + middle * size;
	const char *right = left_end;
	const char *right_end = from + end * size;

	to += begin * size;
	if (right < right_end && compare(right - size, right, arg) > 0)
	{
		while (left < left_end && right < right_end)
		{
			const char **first = compare(left, right, arg) <= 0 ? &left : &right;

			CHECK_FOR_INTERRUPTS();
			memcpy(to, *first, size);
			to += size;
			*first += size;
		}
	}
	memcpy(to, left, left_end - left);
	memcpy(to + (left_end - left), right, right_end - right);
}

void
atid_sort(void *base, size_t count, size_t size,
		  int (*compare) (const void *a, const void *b, void *arg), void *arg)
{
	char	   *from = base;
	char	   *to;
	char	   *room;

	if (count < 2)
		return;
	room = to = palloc_extended(count * size, MCXT_ALLOC_HUGE);
	for (size_t run = 1; run < count; run *= 2)
	{
		char	   *sorted = to;

		for (size_t begin = 0; begin < count; begin += 2 * run)
		{
			CHECK_FOR_INTERRUPTS();
			merge_runs(from, to, begin, Min(begin + run, count), Min(begin + 2 * run, count),
					   size, compare, arg);
		}
		to = from;
		from = sorted;
	}
	if (from != (char *) base)
		memcpy(base, from, count * size);
	pfree(room);
}
