/*-------------------------------------------------------------------------
 * error.c
 *		How an error is worded: the place, and the values that it quotes.  And the pause that
 *		all callers of pure code give it.
 *
 * A DETAIL begins with the place, in one of two forms; or with the path in a
 * record, which record/inspector.c makes.
 *
 * A long value is clipped in its middle, because mistakes are often at the
 * beginning or at the end.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "codec/assert.h"
#include "error.h"

#define ELLIPSIS " ... "

char *
atid_clip(const char *s, size_t *len, int encoding, size_t max)
{
	size_t		head = *len;
	size_t		tail = *len;	/* end of the part that is left out */
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

char *
atid_quote(const char *s, size_t len)
{
	return atid_clip(s, &len, GetDatabaseEncoding(), ATID_QUOTE_MAX);
}

char *
atid_fault_sentence(AtidFault fault, const char *about)
{
	const char *words = atid_fault_words(fault);
	const char *gap = strstr(words, "%s");

	Assert(atid_fault_has_about(fault) == (about != NULL) && (gap != NULL) == (about != NULL));
	if (gap == NULL || about == NULL)
		return pstrdup(words);
	return psprintf("%.*s%s%s", (int) (gap - words), words, atid_quote(about, strlen(about)),
					gap + 2);
}

/* Words that stand by themselves. */
static const char *
plain_words(AtidFault fault)
{
	Assert(!atid_fault_has_about(fault));
	return atid_fault_words(fault);
}

char *
atid_fault_at_character(AtidFault fault, size_t at)
{
	return psprintf("At character %zu: %s", at + 1, plain_words(fault));
}

char *
atid_fault_at_byte(AtidFault fault, size_t at)
{
	return psprintf("At byte %zu: %s", at, plain_words(fault));
}

#ifdef USE_ASSERT_CHECKING

void
atid_assert_failed(const char *condition, const char *file, int line)
{
	atid_exceptional_condition(condition, file, line);
}

#endif

void
atid_check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
atid_refuse_packed(AtidPackedState state, const char *type)
{
	if (state == ATID_PACKED_NEWER)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("value of type %s was written by a newer version of atid", type),
				 errhint("Install that version, or a later one.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("value of type %s is damaged", type)));
}
