/*-------------------------------------------------------------------------
 *
 * json_reader.c
 *		A walk over a JSON text, as the events of the DAG-CBOR that it stands for.
 *
 * The conventions are those of jsonb_reader.c.  Unlike a jsonb, a text can have U+0000, a
 * key twice, and keys in any order.  The caller deals with the last two.  len is not
 * set for an array or object, because its number of items is known only at its end.
 *
 * The server's lexer finds the tokens.  The server's parser is not used, because it
 * recurses for each level and refuses U+0000.  So the grammar is checked here, with a
 * stack of fixed size; a value of type json has been checked before, other texts may
 * be anything.  codec/text/json.c removes the escapes of strings.
 *
 * The lexer needs UTF-8, so the caller converts the whole text.  What an event points
 * to lasts until the next event.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/jsonapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "codec/cbor/dagcbor.h"
#include "codec/text/json.h"
#include "compat.h"
#include "record/json_reader.h"
#include "record/jsonb_reader.h"

/* So many bytes are unescaped at a time between interrupts. */
#define UNESCAPE_AT_ONCE (1024 * 1024)

void
atid_text_walk_init(AtidTextWalk *walk, const char *json, size_t len)
{
	memset(walk, 0, offsetof(AtidTextWalk, levels));
	walk->lex = atid_make_json_lexer(json, (int) len, PG_UTF8);
}

static AtidCborEvent
note_json_fault(AtidTextWalk *walk, AtidFault fault)
{
	walk->fault = fault;
	return ATID_CBOR_FAULT;
}

static JsonTokenType
next_token(AtidTextWalk *walk)
{
	if (walk->again)
		walk->again = false;
	else if (json_lex(walk->lex) != JSON_SUCCESS)
		walk->lex->token_type = JSON_TOKEN_INVALID;
	return walk->lex->token_type;
}

/*
 * The text of the string that is the lexer's token.
 */
static bool
set_string(AtidTextWalk *walk, AtidCborItem *item)
{
	const char *src = walk->lex->token_start + 1;
	const char *end = walk->lex->token_terminator - 1;
	size_t		len = end - src;
	char	   *dst;

	item->data = (const uint8_t *) src;
	item->len = len;
	if (memchr(src, '\\', len) == NULL)
		return true;
	dst = atid_scratch(&walk->text, len);
	item->data = (const uint8_t *) dst;
	while (src < end)
	{
		CHECK_FOR_INTERRUPTS();
		if (!atid_json_unescape(&src, end - src > UNESCAPE_AT_ONCE ? src + UNESCAPE_AT_ONCE : end,
								end, &dst))
			return false;
	}
	item->len = dst - walk->text.data;
	return true;
}

/*
 * An object begins with the key "$link" or "$bytes", which must be its only one.
 */
static AtidCborEvent
set_json_special(AtidTextWalk *walk, AtidCborItem *item, bool link)
{
	AtidFault	fault;

	if (next_token(walk) != JSON_TOKEN_COLON)
		return note_json_fault(walk, ATID_JSON_SYNTAX);
	if (next_token(walk) != JSON_TOKEN_STRING)
		return note_json_fault(walk, link ? ATID_JSON_LINK_TYPE : ATID_JSON_BYTES_TYPE);
	if (!set_string(walk, item))
		return note_json_fault(walk, ATID_JSON_SURROGATE);
	if (next_token(walk) != JSON_TOKEN_OBJECT_END)
		return note_json_fault(walk, link ? ATID_JSON_LINK_KEYS : ATID_JSON_BYTES_KEYS);

	fault = link ? atid_json_link(item, &walk->special) :
		atid_json_bytes(item, &walk->special);
	if (fault != ATID_OK)
		return note_json_fault(walk, fault);
	return link ? ATID_CBOR_LINK : ATID_CBOR_BYTES;
}

/*
 * An array or an object begins.
 */
static AtidCborEvent
begin_json_container(AtidTextWalk *walk, AtidCborItem *item, bool object)
{
	AtidTextLevel *level;

	if (object)
	{
		if (next_token(walk) == JSON_TOKEN_STRING && set_string(walk, item))
		{
			if (atid_cbor_item_is(item, "$link"))
				return set_json_special(walk, item, true);
			if (atid_cbor_item_is(item, "$bytes"))
				return set_json_special(walk, item, false);
		}
		walk->again = true;
	}

	if (walk->depth == ATID_CBOR_DEPTH_MAX)
		return note_json_fault(walk, ATID_CBOR_DEPTH);
	level = &walk->levels[++walk->depth];
	level->object = object;
	level->any = false;
	level->at_value = false;
	return object ? ATID_CBOR_MAP : ATID_CBOR_ARRAY;
}

/*
 * The value that begins with the lexer's token.
 */
static AtidCborEvent
set_json_value(AtidTextWalk *walk, AtidCborItem *item, JsonTokenType token)
{
	AtidFault	fault;

	switch (token)
	{
		case JSON_TOKEN_STRING:
			if (!set_string(walk, item))
				return note_json_fault(walk, ATID_JSON_SURROGATE);
			return ATID_CBOR_TEXT;
		case JSON_TOKEN_NUMBER:
			fault = atid_json_integer(walk->lex->token_start,
									  walk->lex->token_terminator - walk->lex->token_start,
									  &item->integer);
			return fault == ATID_OK ? ATID_CBOR_INTEGER : note_json_fault(walk, fault);
		case JSON_TOKEN_OBJECT_START:
			return begin_json_container(walk, item, true);
		case JSON_TOKEN_ARRAY_START:
			return begin_json_container(walk, item, false);
		case JSON_TOKEN_TRUE:
		case JSON_TOKEN_FALSE:
			item->integer = token == JSON_TOKEN_TRUE;
			return ATID_CBOR_BOOL;
		case JSON_TOKEN_NULL:
			return ATID_CBOR_NULL;
		default:
			return note_json_fault(walk, ATID_JSON_SYNTAX);
	}
}

AtidCborEvent
atid_text_next(AtidTextWalk *walk, AtidCborItem *item)
{
	AtidTextLevel *level = &walk->levels[walk->depth];
	JsonTokenType token;

	if (unlikely((++walk->events & 0xFF) == 0))
		CHECK_FOR_INTERRUPTS();

	token = next_token(walk);
	if (walk->depth == 0)
	{
		if (walk->begun)
		{
			return token == JSON_TOKEN_END ? ATID_CBOR_END :
				note_json_fault(walk, ATID_JSON_SYNTAX);
		}
		walk->begun = true;
		return set_json_value(walk, item, token);
	}

	if (level->at_value)
	{
		level->at_value = false;
		return set_json_value(walk, item, token);
	}
	if (token == (level->object ? JSON_TOKEN_OBJECT_END : JSON_TOKEN_ARRAY_END))
	{
		walk->depth--;
		return level->object ? ATID_CBOR_MAP_END : ATID_CBOR_ARRAY_END;
	}
	if (level->any)
	{
		if (token != JSON_TOKEN_COMMA)
			return note_json_fault(walk, ATID_JSON_SYNTAX);
		token = next_token(walk);
	}
	level->any = true;
	if (!level->object)
		return set_json_value(walk, item, token);

	if (token != JSON_TOKEN_STRING)
		return note_json_fault(walk, ATID_JSON_SYNTAX);
	walk->fault_in_key = true;
	if (!set_string(walk, item))
		return note_json_fault(walk, ATID_JSON_SURROGATE);
	if (next_token(walk) != JSON_TOKEN_COLON)
		return note_json_fault(walk, ATID_JSON_SYNTAX);
	if (atid_cbor_item_is(item, "$link"))
		return note_json_fault(walk, ATID_JSON_LINK_KEYS);
	if (atid_cbor_item_is(item, "$bytes"))
		return note_json_fault(walk, ATID_JSON_BYTES_KEYS);
	walk->fault_in_key = false;
	level->at_value = true;
	return ATID_CBOR_KEY;
}
