/*-------------------------------------------------------------------------
 *
 * fault.c
 *		The words of faults: each has its own, all are sentences, and only those that are
 *		about something have a %s.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/fault.h"

#include <string.h>

#include "tap.h"

int
main(void)
{
	ok(atid_fault_words(ATID_OK)[0] == '\0', "no fault has no words");
	for (int a = ATID_OK + 1; a < ATID_FAULTS; a++)
	{
		const char *words = atid_fault_words((AtidFault) a);
		size_t		len = strlen(words);
		const char *gap;

		ok(len > 10 && len < 200 && words[len - 1] == '.' && words[0] >= 'A' && words[0] <= 'Z' &&
		   (strstr(words, " must ") != NULL || a == ATID_NO_MEMORY), words);
		for (int b = ATID_OK; b < a; b++)
		{
			if (strcmp(words, atid_fault_words((AtidFault) b)) == 0)
				ok(false, "words of its own");
		}
		gap = strstr(words, "%s");
		if (gap != NULL && strstr(gap + 1, "%s") != NULL)
			ok(false, "at most one %s");
	}
	ok(atid_fault_has_about(ATID_CONFORM_CONST) && atid_fault_has_about(ATID_LOG_SIGNER) &&
	   !atid_fault_has_about(ATID_CONFORM_ENUM) && !atid_fault_has_about(ATID_OK),
	   "some are about something");
	return done();
}
