/*-------------------------------------------------------------------------
 *
 * path.h
 *		The path that an input begins with: the number of steps, and each step's length and its
 *		characters.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_FUZZ_PATH_H
#define ATID_FUZZ_PATH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STEPS_MAX 4
#define STEP_MAX 31

typedef struct Step
{
	char		text[STEP_MAX + 1];
	size_t		len;
} Step;

/*
 * Read a byte below a bound, or 0 at the end.
 */
static inline size_t
read_below(size_t bound, const uint8_t **data, size_t *size)
{
	if (*size == 0)
		return 0;
	(*size)--;
	return *(*data)++ % bound;
}

/*
 * Read the path.  Returns the number of steps; what follows is at *data.
 */
static inline int
read_path(Step *steps, const uint8_t **data, size_t *size)
{
	int			count = (int) read_below(STEPS_MAX + 1, data, size);

	for (int i = 0; i < count; i++)
	{
		Step	   *step = &steps[i];

		step->len = read_below(STEP_MAX + 1, data, size);
		if (step->len > *size)
			step->len = *size;
		memset(step->text, 0, sizeof(step->text));
		memcpy(step->text, *data, step->len);
		*data += step->len;
		*size -= step->len;
	}
	return count;
}

#endif							/* ATID_FUZZ_PATH_H */
