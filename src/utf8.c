/*-------------------------------------------------------------------------
 *
 * utf8.c
 *		Does a text of the server's encoding have a form in UTF-8?
 *
 * In SQL_ASCII a text can be any bytes, and a few characters of other encodings have no
 * equivalent.  The server's conversion raises an error there, which functions that tell
 * whether something is valid must not do.  So they ask here before they convert.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "utf8.h"

/* So many bytes are tried at a time. */
#define AT_ONCE	65536

/*
 * Can a text be converted to UTF-8?
 */
bool
atid_has_utf8(const char *s, size_t len)
{
	int			encoding = GetDatabaseEncoding();
	size_t		room = Min(len, AT_ONCE) * MAX_CONVERSION_GROWTH + 1;
	unsigned char *utf8;
	Oid			conversion;

	if (encoding == PG_UTF8 || atid_is_ascii(s, len))
		return true;
	if (encoding == PG_SQL_ASCII)
		return pg_verify_mbstr(PG_UTF8, s, (int) len, true);

	conversion = FindDefaultConversionProc(encoding, PG_UTF8);
	if (!OidIsValid(conversion))
		return false;
	utf8 = palloc(room);
	while (len > 0)
	{
		int			done;

		CHECK_FOR_INTERRUPTS();

		/*
		 * it stops before a character that lies across the end of what is
		 * tried
		 */
		done = pg_do_encoding_conversion_buf(conversion, encoding, PG_UTF8,
											 (unsigned char *) unconstify(char *, s),
											 (int) Min(len, AT_ONCE), utf8, (int) room, true);
		if (done <= 0)
			break;
		s += done;
		len -= (size_t) done;
	}
	pfree(utf8);
	return len == 0;
}

/*
 * The fault of a text that cannot.
 */
AtidFault
atid_utf8_fault(void)
{
	return GetDatabaseEncoding() == PG_SQL_ASCII ? ATID_CBOR_UTF8 : ATID_TEXT_EQUIVALENT;
}
