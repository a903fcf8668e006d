/*-------------------------------------------------------------------------
 *
 * inspect.c
 *		Where in a record an event is, and what its objects have told so far.
 *
 * A block and a jsonb are read as one stream of events: a block by the reader of
 * codec/dagcbor.c, a jsonb by the walk of jsonb/walk.c.  The inspector follows
 * either, and knows at each event where it is: its path.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "jsonb/inspect.h"

void
atid_inspect_init(AtidInspector *in, AtidCborReader *reader, AtidJsonbWalk *walk)
{
	in->reader = reader;
	in->walk = walk;
	in->depth = 0;
	in->keep_refs = false;
	atid_level_init(&in->levels[0], false);
}

/*
 * Note what the value of one of a map's own keys says.  Those that matter are
 * told apart by their length first, for all others are passed over here.
 */
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
				/* the walk overwrites it with the next link */
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

static bool
is_plain_key(AtidSlice key)
{
	for (size_t i = 0; i < key.len; i++)
	{
		char		c = key.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
			  (i > 0 && c >= '0' && c <= '9')))
			return false;
	}
	return key.len > 0;
}

/*
 * Append a text as JSON has it.  Unlike the server's function this takes
 * U+0000, and texts without a terminator.
 */
void
atid_append_json_string(StringInfo buf, const char *s, size_t len)
{
	size_t		done = 0;

	appendStringInfoCharMacro(buf, '"');
	for (size_t i = 0; i < len; i++)
	{
		unsigned char c = (unsigned char) s[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		appendBinaryStringInfo(buf, s + done, (int) (i - done));
		done = i + 1;
		switch (c)
		{
			case '"':
				appendStringInfoString(buf, "\\\"");
				break;
			case '\\':
				appendStringInfoString(buf, "\\\\");
				break;
			case '\n':
				appendStringInfoString(buf, "\\n");
				break;
			case '\r':
				appendStringInfoString(buf, "\\r");
				break;
			case '\t':
				appendStringInfoString(buf, "\\t");
				break;
			default:
				appendStringInfo(buf, "\\u%04x", c);
		}
	}
	appendBinaryStringInfo(buf, s + done, (int) (len - done));
	appendStringInfoCharMacro(buf, '"');
}

/*
 * The path of the value that the last event belongs to, like
 * $.embed.images[2].image: of the array or map at depth, or of its current item.
 * In the server's encoding.
 */
char *
atid_inspect_path(const AtidInspector *in, int depth, bool of_item)
{
	StringInfoData buf;
	int			last = of_item ? depth : depth - 1;

	initStringInfo(&buf);
	appendStringInfoChar(&buf, '$');
	for (int i = 1; i <= last; i++)
	{
		const AtidLevel *level = &in->levels[i];

		if (!level->map)
			appendStringInfo(&buf, "[" INT64_FORMAT "]", level->index);
		else if (is_plain_key(level->key))
		{
			appendStringInfoChar(&buf, '.');
			appendBinaryStringInfo(&buf, level->key.data, (int) level->key.len);
		}
		else
		{
			appendStringInfoChar(&buf, '[');
			atid_append_json_string(&buf, level->key.data, level->key.len);
			appendStringInfoChar(&buf, ']');
		}
	}
	return pg_any_to_server(buf.data, buf.len, PG_UTF8);
}
