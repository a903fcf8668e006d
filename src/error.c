/*-------------------------------------------------------------------------
 *
 * error.c
 *		A value or a path as an error shows it: no longer than can be read.
 *
 * What is wrong with a value is often at its beginning or at its end, so both
 * are kept, and " ... " stands for what is left out between them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "error.h"

#define ELLIPSIS " ... "

/*
 * A copy of a text in this encoding, with a terminator.  One of more than max
 * bytes is cut between characters to at most so many; max is 16 or more.  *len is
 * the length of the text, and then that of the copy.
 */
char *
atid_clip(const char *s, size_t *len, int encoding, size_t max)
{
	size_t		head = *len;
	size_t		tail = *len;	/* what is left out ends here */
	char	   *result;

	if (*len > max)
	{
		size_t		half = (max - strlen(ELLIPSIS)) / 2;

		head = pg_encoding_mbcliplen(encoding, s, (int) *len, (int) half);
		for (tail = head; *len - tail > half;)
			tail += Min((size_t) pg_encoding_mblen(encoding, s + tail), *len - tail);
	}

	result = palloc(head + strlen(ELLIPSIS) + (*len - tail) + 1);
	memcpy(result, s, head);
	if (tail > head)
	{
		memcpy(result + head, ELLIPSIS, strlen(ELLIPSIS));
		head += strlen(ELLIPSIS);
		memcpy(result + head, s + tail, *len - tail);
		head += *len - tail;
	}
	result[head] = '\0';
	*len = head;
	return result;
}

/*
 * A value in the server's encoding, as an error quotes it.
 */
char *
atid_quote(const char *s, size_t len)
{
	return atid_clip(s, &len, GetDatabaseEncoding(), ATID_QUOTE_MAX);
}
