/*-------------------------------------------------------------------------
 *
 * inspector.c
 *		The path of each event in a record, and the fields of its objects that
 *		other files ask for.
 *
 * A block and a jsonb are read as the same stream of events: a block by the reader
 * of codec/cbor/dagcbor.c, a jsonb by the walk of jsonb_reader.c.  The inspector follows either,
 * and knows the path of each event.
 *
 * The path in an error is made from the keys and indexes of the open levels.  In a
 * list of links, blobs or references each row has a path.  There the steps of open
 * levels are kept, so that only a new step costs anything.  The length of all paths
 * together is bounded by that of the record: nested arrays could repeat a path of a
 * kilobyte for every ten bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "codec/ascii.h"
#include "error.h"
#include "record/inspector.h"

void
atid_inspect_init(AtidInspector *in, AtidCborReader *reader, AtidJsonbWalk *walk)
{
	in->reader = reader;
	in->walk = walk;
	in->depth = 0;
	in->keep_refs = false;
	atid_level_init(&in->levels[0], false);
}

void
atid_inspect_note_value(AtidInspector *in, AtidLevel *level, AtidCborEvent event)
{
	const AtidCborItem *item = &in->item;

	switch (level->key.len)
	{
		case 3:
			if (event == ATID_CBOR_LINK && atid_level_key_is(level, "ref", 3))
			{
				level->ref = atid_slice_of(item);
				/* the walk overwrites these bytes with the next link's */
				if (in->walk != NULL && in->keep_refs)
				{
					char	   *copy = palloc(item->len);

					memcpy(copy, item->data, item->len);
					level->ref.data = copy;
				}
			}
			else if (event == ATID_CBOR_TEXT && atid_level_key_is(level, "cid", 3))
				level->cid = atid_slice_of(item);
			break;
		case 4:
			if (event == ATID_CBOR_INTEGER && atid_level_key_is(level, "size", 4))
			{
				level->has_size = true;
				level->size = item->integer;
			}
			break;
		case 5:
			if (atid_level_key_is(level, "$type", 5))
			{
				level->has_type = true;
				level->is_blob = event == ATID_CBOR_TEXT && item->len == 4 &&
					memcmp(item->data, "blob", 4) == 0;
			}
			break;
		case 8:
			/* SQL's text cannot hold a U+0000, and no MIME type has one */
			if (event == ATID_CBOR_TEXT && !item->nul && atid_level_key_is(level, "mimeType", 8))
				level->mime_type = atid_slice_of(item);
			break;
	}
}

/* A text is written so many bytes at a time between interrupts. */
#define STRING_AT_ONCE	65536

void
atid_append_json_string(StringInfo buf, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t		done = 0;

	appendStringInfoCharMacro(buf, '"');
	for (size_t i = 0; i < len; i++)
	{
		unsigned char c = (unsigned char) s[i];
		char		escape[6] = {'\\'};
		int			escape_len = 2;

		if (unlikely(i % STRING_AT_ONCE == STRING_AT_ONCE - 1))
			CHECK_FOR_INTERRUPTS();
		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		switch (c)
		{
			case '"':
			case '\\':
				escape[1] = (char) c;
				break;
			case '\n':
				escape[1] = 'n';
				break;
			case '\r':
				escape[1] = 'r';
				break;
			case '\t':
				escape[1] = 't';
				break;
			default:
				memcpy(escape + 1, "u00", 3);
				escape[4] = hex[c >> 4];
				escape[5] = hex[c & 15];
				escape_len = 6;
		}
		appendBinaryStringInfo(buf, s + done, (int) (i - done));
		appendBinaryStringInfo(buf, escape, escape_len);
		done = i + 1;
	}
	appendBinaryStringInfo(buf, s + done, (int) (len - done));
	appendStringInfoCharMacro(buf, '"');
}

/* A path in an error shows at most so many bytes of a key. */
#define KEY_MAX 100

/* The most bytes that the paths of all rows together have, even of a short record. */
#define PATHS_BUDGET_MIN 65536

/*
 * Can a key follow a dot in a path, without quotes?
 */
static bool
is_plain_key(const char *key, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		char		c = key[i];

		if (!atid_is_letter(c) && c != '_' && c != '$' && !(i > 0 && atid_is_digit(c)))
			return false;
	}
	return len > 0;
}

/*
 * Append the step from an object to one of its values.
 */
static void
append_path_key(StringInfo path, const char *key, size_t len)
{
	if (is_plain_key(key, len))
	{
		appendStringInfoChar(path, '.');
		appendBinaryStringInfo(path, key, (int) len);
	}
	else
	{
		appendStringInfoChar(path, '[');
		atid_append_json_string(path, key, len);
		appendStringInfoChar(path, ']');
	}
}

/*
 * Append the step from an array or a map to its current item.
 */
static void
append_step(StringInfo path, const AtidLevel *level, AtidSlice key)
{
	if (level->map)
		append_path_key(path, key.data, key.len);
	else
		appendStringInfo(path, "[" INT64_FORMAT "]", level->index);
}

char *
atid_shown(const char *utf8, size_t len)
{
	int			encoding = GetDatabaseEncoding();
	Oid			proc = InvalidOid;
	size_t		size = len * MAX_CONVERSION_GROWTH + 1;
	char	   *part;
	StringInfoData shown;

	if (encoding != PG_UTF8 && encoding != PG_SQL_ASCII)
		proc = FindDefaultConversionProc(PG_UTF8, encoding);
	if (!OidIsValid(proc))
		return pnstrdup(utf8, len);

	initStringInfo(&shown);
	part = palloc(size);
	while (len > 0)
	{
		size_t		done = pg_do_encoding_conversion_buf(proc, PG_UTF8, encoding,
														 (unsigned char *) utf8, (int) len,
														 (unsigned char *) part, (int) size, true);

		appendStringInfoString(&shown, part);
		if (done < len)
		{
			appendStringInfoChar(&shown, '?');
			done = Min(done + (size_t) pg_utf_mblen((const unsigned char *) utf8 + done), len);
		}
		utf8 += done;
		len -= done;
	}
	return shown.data;
}

char *
atid_inspect_path(const AtidInspector *in, int depth, bool of_item)
{
	int			last = of_item ? depth : depth - 1;
	StringInfoData path;
	char	   *clipped;
	size_t		len;

	initStringInfo(&path);
	appendStringInfoChar(&path, '$');
	for (int i = 1; i <= last; i++)
	{
		const AtidLevel *level = &in->levels[i];
		AtidSlice	key = level->key;

		if (level->map)
			key.data = atid_clip(key.data, &key.len, PG_UTF8, KEY_MAX);
		append_step(&path, level, key);
	}
	len = path.len;
	clipped = atid_clip(path.data, &len, PG_UTF8, ATID_QUOTE_MAX);
	return atid_shown(clipped, len);
}


/*
 * The paths of rows
 */

void
atid_paths_init(AtidPaths *paths)
{
	initStringInfo(&paths->path);
	initStringInfo(&paths->field);
	appendStringInfoChar(&paths->path, '$');
	appendStringInfoChar(&paths->field, '$');
	paths->depth = 0;
	paths->budget = PATHS_BUDGET_MIN;
	paths->levels[0].path_len = 1;
	paths->levels[0].field_len = 1;
	paths->levels[0].in_array = false;
}

void
atid_paths_free(AtidPaths *paths)
{
	pfree(paths->path.data);
	pfree(paths->field.data);
}

/*
 * Append the step of the array or map at depth, and note the lengths of the path and
 * the field with it.  Where they would be too long, only that is noted.
 */
static void
push_step(AtidPaths *paths, const AtidInspector *in, int depth)
{
	const AtidLevel *level = &in->levels[depth];
	const AtidPathLevel *before = &paths->levels[depth - 1];
	AtidPathLevel *now = &paths->levels[depth];

	now->in_array = before->in_array || !level->map;
	now->path_len = now->field_len = ATID_PATH_MAX + 1;
	if (before->path_len > ATID_PATH_MAX || (level->map && level->key.len > ATID_PATH_MAX))
		return;

	paths->path.len = before->path_len;
	append_step(&paths->path, level, level->key);
	now->path_len = paths->path.len;

	paths->field.len = before->field_len;
	if (!level->map)
		appendStringInfoString(&paths->field, "[]");
	else
		append_path_key(&paths->field, level->key.data, level->key.len);
	now->field_len = paths->field.len;
}

static Datum
path_datum(const StringInfoData *path, int len)
{
	char	   *utf8 = pnstrdup(path->data, len);

	return CStringGetTextDatum(pg_any_to_server(utf8, len, PG_UTF8));
}

bool
atid_paths_get(AtidPaths *paths, const AtidInspector *in, bool of_item, Datum *path, Datum *field)
{
	int			last = of_item ? in->depth : Max(in->depth - 1, 0);
	const AtidPathLevel *level = &paths->levels[last];
	uint64		cost;

	while (paths->depth < last)
		push_step(paths, in, ++paths->depth);

	if (level->path_len > ATID_PATH_MAX)
		return false;
	cost = level->path_len + (field != NULL && level->in_array ? level->field_len : 0);
	if (cost > paths->budget)
		return false;
	paths->budget -= cost;

	*path = path_datum(&paths->path, level->path_len);
	if (field != NULL)
		*field = level->in_array ? path_datum(&paths->field, level->field_len) : *path;
	return true;
}
