/*-------------------------------------------------------------------------
 *
 * utf8.c
 *		Texts between UTF-8 and the server's encoding, without errors.
 *
 * In SQL_ASCII a text can be any bytes, a few characters of other encodings have no
 * equivalent in UTF-8, and most characters of UTF-8 have none in another encoding.  The
 * server's conversion raises an error there, which a predicate or an accessor that an index
 * calls must not do.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "utf8.h"

/* So many bytes are tried at a time. */
#define AT_ONCE	65536

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

AtidFault
atid_utf8_fault(void)
{
	return GetDatabaseEncoding() == PG_SQL_ASCII ? ATID_CBOR_UTF8 : ATID_TEXT_EQUIVALENT;
}

struct varlena *
atid_text_from_utf8(const char *s, size_t len)
{
	int			encoding = GetDatabaseEncoding();
	size_t		room = Min(len, AT_ONCE) * MAX_CONVERSION_GROWTH + 1;
	StringInfoData buf;
	Oid			conversion;

	if (len > MaxAllocSize - VARHDRSZ)
		return NULL;
	if (encoding == PG_UTF8 || encoding == PG_SQL_ASCII || atid_is_ascii(s, len))
		return cstring_to_text_with_len(s, (int) len);

	conversion = FindDefaultConversionProc(PG_UTF8, encoding);
	if (!OidIsValid(conversion))
		return NULL;
	initStringInfo(&buf);
	appendStringInfoSpaces(&buf, VARHDRSZ);
	while (len > 0)
	{
		char	   *end;
		int			done;

		CHECK_FOR_INTERRUPTS();
		if (MaxAllocSize - (size_t) buf.len <= room)
			break;
		enlargeStringInfo(&buf, (int) room);
		end = buf.data + buf.len;
		done = pg_do_encoding_conversion_buf(conversion, PG_UTF8, encoding,
											 (unsigned char *) unconstify(char *, s),
											 (int) Min(len, AT_ONCE), (unsigned char *) end,
											 (int) room, true);
		if (done <= 0)
			break;
		buf.len += (int) strlen(end);
		s += done;
		len -= (size_t) done;
	}
	if (len > 0)
	{
		pfree(buf.data);
		return NULL;
	}
	SET_VARSIZE(buf.data, buf.len);
	return (struct varlena *) buf.data;
}
