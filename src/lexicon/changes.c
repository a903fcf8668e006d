/*-------------------------------------------------------------------------
 *
 * changes.c
 *		What differs between two sets of Lexicons, and whom that breaks.
 *
 * A Lexicon may change as long as old data stay valid under the new one, and new data
 * are valid under the old one, as readers that were not updated see them.  So each
 * difference is asked two questions: does the new schema refuse what the old one took
 * (breaks_old_data), does it take what the old one refused (breaks_old_readers)?
 *
 * Constraints stand beside each other, and a value must meet all of them.  So each is
 * compared alone: where none got stricter, the whole did not.  The answer may be true
 * without need, for example for a limit that another one makes void.  It is false
 * without need nowhere, for data that have only the fields which their schema names
 * and only the members which its unions list.  (Else nothing could ever be added: a
 * stranger may have written anything under the new name.)
 *
 * The compiled programs are walked side by side: documents in the bytewise order of
 * their NSIDs, then definitions, properties and members in the order that they have in
 * the program.  References are compared by what they say, and not followed.  A stack of
 * frames does for recursion; nodes nest no deeper than their DAG-CBOR does.  All is
 * linear in the size of the programs, but for the sorting of documents, members and
 * MIME types.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "address/address.h"
#include "codec/dagcbor.h"
#include "codec/seek.h"
#include "error.h"
#include "lexicon/lexicon.h"
#include "record/inspect.h"
#include "sort.h"

/* The paths of all rows together may have so many bytes, even of short documents. */
#define PATHS_BUDGET_MIN	65536

/* Two nodes of one path, the next of their parts, and the path itself. */
typedef struct Frame
{
	const AtidLexNode *old;
	const AtidLexNode *new;
	uint32		i;				/* the next part of the old node */
	uint32		j;				/* and of the new one */
	int			path;
} Frame;

typedef struct Changes
{
	const AtidLexicon *old;
	const AtidLexicon *new;
	Tuplestorestate *store;
	TupleDesc	desc;
	MemoryContext memory;		/* for one row */
	Datum		nsid;			/* of the document */
	StringInfoData path;		/* in UTF-8 */
	StringInfoData change;		/* the same */
	uint64		budget;			/* how many more bytes paths of rows may have */
	int			depth;			/* frames in use */
	Frame		frames[ATID_CBOR_DEPTH_MAX + 1];
} Changes;


/*
 * Paths and rows
 */

/*
 * Append a key to the first "base" bytes of the path.  Returns the length of the result,
 * which is more than ATID_PATH_MAX where it would be too long.
 */
static int
path_step(Changes *c, int base, const char *key, size_t len)
{
	if (base > ATID_PATH_MAX || len > ATID_PATH_MAX)
		return ATID_PATH_MAX + 1;
	c->path.len = base;
	atid_append_path_key(&c->path, key, len);
	return c->path.len;
}

static int
path_word(Changes *c, int base, const char *word)
{
	return path_step(c, base, word, strlen(word));
}

static int
path_name(Changes *c, int base, const AtidLexicon *set, AtidLexText name)
{
	return path_step(c, base, atid_lex_text(set, name), name.len);
}

/*
 * Put a row, whose change is in c->change.  A path that is too long is NULL, as in
 * record_refs(): a shortened one would name another value.
 */
static void
put_change(Changes *c, int path, bool data, bool readers)
{
	MemoryContext caller = MemoryContextSwitchTo(c->memory);
	Datum		values[5];
	bool		nulls[5] = {0};

	CHECK_FOR_INTERRUPTS();
	values[0] = c->nsid;
	if (path > ATID_PATH_MAX || (uint64) path > c->budget)
		nulls[1] = true;
	else
	{
		char	   *utf8 = pnstrdup(c->path.data, path);

		c->budget -= path;
		values[1] = CStringGetTextDatum(pg_any_to_server(utf8, path, PG_UTF8));
	}
	values[2] = CStringGetTextDatum(atid_shown(c->change.data, c->change.len));
	values[3] = BoolGetDatum(data);
	values[4] = BoolGetDatum(readers);
	tuplestore_putvalues(c->store, c->desc, values, nulls);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(c->memory);
}

static void
put_word(Changes *c, int path, const char *change, bool data, bool readers)
{
	resetStringInfo(&c->change);
	appendStringInfoString(&c->change, change);
	put_change(c, path, data, readers);
}

/*
 * The value of a keyword in a node's schema, as an event and its item.
 */
static AtidCborEvent
keyword_value(const AtidLexicon *set, const AtidLexNode *node, const char *keyword,
			  AtidCborItem *item)
{
	AtidSeek	seek;
	AtidCborReader reader;

	if (atid_seek_init(&seek, set->bytes + node->at, set->len - node->at) != ATID_SEEK_FOUND)
		return ATID_CBOR_END;
	seek.pause = atid_check_for_interrupts;
	if (atid_seek_step(&seek, keyword, strlen(keyword)) != ATID_SEEK_FOUND)
		return ATID_CBOR_END;
	atid_cbor_reader_init(&reader, seek.p, seek.end - seek.p);
	return atid_cbor_next(&reader, item);
}

static void
append_item(StringInfo buf, AtidCborEvent event, const AtidCborItem *item)
{
	switch (event)
	{
		case ATID_CBOR_INTEGER:
			appendStringInfo(buf, INT64_FORMAT, item->integer);
			break;
		case ATID_CBOR_BOOL:
			appendStringInfoString(buf, item->integer ? "true" : "false");
			break;
		case ATID_CBOR_TEXT:
			atid_append_json_string(buf, (const char *) item->data, item->len);
			break;
		default:
			break;
	}
}

/*
 * Compare a keyword whose value is an integer, a boolean or a text: put a row that says
 * what it was and is.  The flag tells whether a node has it; 0 is for one that it always
 * has.  A schema with the keyword is stricter than one without, and two values have
 * nothing in common; but a default is only advice.
 */
static void
compare_keyword(Changes *c, const AtidLexNode *old, const AtidLexNode *new, int path,
				const char *keyword, uint16 flag)
{
	bool		had = (flag == 0 || (old->flags & flag));
	bool		has = (flag == 0 || (new->flags & flag));
	bool		advice = (flag == ATID_LEX_HAS_DEFAULT);
	AtidCborEvent was_event = ATID_CBOR_END;
	AtidCborEvent is_event = ATID_CBOR_END;
	AtidCborItem was;
	AtidCborItem is;

	if (!had && !has)
		return;
	if (had)
		was_event = keyword_value(c->old, old, keyword, &was);
	if (has)
		is_event = keyword_value(c->new, new, keyword, &is);
	if (was_event == is_event &&
		(was_event == ATID_CBOR_TEXT ?
		 was.len == is.len && memcmp(was.data, is.data, was.len) == 0 :
		 was.integer == is.integer))
		return;

	resetStringInfo(&c->change);
	appendStringInfoString(&c->change, !had ? "added " : !has ? "removed " : "changed from ");
	if (had)
		append_item(&c->change, was_event, &was);
	if (had && has)
		appendStringInfoString(&c->change, " to ");
	if (has)
		append_item(&c->change, is_event, &is);
	put_change(c, path_word(c, path, keyword), has && !advice, had && !advice);
}


/*
 * Rules for one node
 */

/*
 * Compare a limit.
 */
static void
compare_limit(Changes *c, int path, const char *keyword, bool upper,
			  bool had, int64 was, bool has, int64 is)
{
	bool		data = has;
	bool		readers = had;

	if (!had && !has)
		return;
	resetStringInfo(&c->change);
	if (had && has)
	{
		if (was == is)
			return;
		data = (is < was) == upper;
		readers = !data;
		appendStringInfo(&c->change, "%s from " INT64_FORMAT " to " INT64_FORMAT,
						 is < was ? "lowered" : "raised", was, is);
	}
	else
		appendStringInfo(&c->change, "%s " INT64_FORMAT, has ? "added" : "removed",
						 has ? is : was);
	put_change(c, path_word(c, path, keyword), data, readers);
}

/*
 * Compare the limits of a node.  A length has no lower limit if that is 0.
 */
static void
compare_limits(Changes *c, const AtidLexNode *old, const AtidLexNode *new, int path)
{
	bool		integer = (old->type == ATID_LEX_INTEGER);

	compare_limit(c, path, integer ? "minimum" : "minLength", false,
				  (old->flags & ATID_LEX_HAS_MIN) && (integer || old->min > 0), old->min,
				  (new->flags & ATID_LEX_HAS_MIN) && (integer || new->min > 0), new->min);
	compare_limit(c, path,
				  integer ? "maximum" : old->type == ATID_LEX_BLOB ? "maxSize" : "maxLength", true,
				  (old->flags & ATID_LEX_HAS_MAX) != 0, old->max,
				  (new->flags & ATID_LEX_HAS_MAX) != 0, new->max);
	compare_limit(c, path, "minGraphemes", false,
				  (old->flags & ATID_LEX_HAS_MIN_GRAPHEMES) && old->min_graphemes > 0,
				  old->min_graphemes,
				  (new->flags & ATID_LEX_HAS_MIN_GRAPHEMES) && new->min_graphemes > 0,
				  new->min_graphemes);
	compare_limit(c, path, "maxGraphemes", true,
				  (old->flags & ATID_LEX_HAS_MAX_GRAPHEMES) != 0, old->max_graphemes,
				  (new->flags & ATID_LEX_HAS_MAX_GRAPHEMES) != 0, new->max_graphemes);
}

/* The values of an enum, what a blob accepts, or the members of a union; sorted. */
typedef struct Items
{
	const AtidLexicon *set;
	uint32		count;
	const int64_t *integers;	/* one of these is not NULL */
	const AtidLexText *texts;
	const AtidLexRef *refs;
} Items;

/*
 * The order of texts in a program.
 */
static int
compare_texts(const AtidLexicon *a_set, AtidLexText a, const AtidLexicon *b_set, AtidLexText b)
{
	return atid_cbor_key_cmp(atid_lex_text(a_set, a), a.len, atid_lex_text(b_set, b), b.len);
}

static int
compare_refs(const AtidLexicon *a_set, const AtidLexRef *a, const AtidLexicon *b_set,
			 const AtidLexRef *b)
{
	int			cmp = compare_texts(a_set, a->nsid, b_set, b->nsid);

	return cmp != 0 ? cmp : compare_texts(a_set, a->name, b_set, b->name);
}

static int
compare_items(const Items *a, uint32 i, const Items *b, uint32 j)
{
	if (a->integers != NULL)
		return (a->integers[i] > b->integers[j]) - (a->integers[i] < b->integers[j]);
	if (a->refs != NULL)
		return compare_refs(a->set, &a->refs[i], b->set, &b->refs[j]);
	return compare_texts(a->set, a->texts[i], b->set, b->texts[j]);
}

/*
 * The order of the names that come next on both sides; none comes last.
 */
static int
compare_names(const Changes *c, const AtidLexText *old, const AtidLexText *new)
{
	if (old == NULL || new == NULL)
		return old == NULL ? 1 : -1;
	return compare_texts(c->old, *old, c->new, *new);
}

static void
append_ref(StringInfo buf, const AtidLexicon *set, const AtidLexRef *ref)
{
	appendBinaryStringInfo(buf, atid_lex_text(set, ref->nsid), (int) ref->nsid.len);
	if (ref->name.len > 0)
	{
		appendStringInfoChar(buf, '#');
		appendBinaryStringInfo(buf, atid_lex_text(set, ref->name), (int) ref->name.len);
	}
}

/*
 * Put a row for an item that was added or removed.
 */
static void
put_item(Changes *c, int path, const char *change, const Items *list, uint32 i,
		 bool data, bool readers)
{
	resetStringInfo(&c->change);
	appendStringInfo(&c->change, "%s ", change);
	if (list->integers != NULL)
		appendStringInfo(&c->change, INT64_FORMAT, list->integers[i]);
	else if (list->refs != NULL)
		append_ref(&c->change, list->set, &list->refs[i]);
	else
		atid_append_json_string(&c->change, atid_lex_text(list->set, list->texts[i]),
								list->texts[i].len);
	put_change(c, path, data, readers);
}

static bool
has_text(const Items *list, const char *text, size_t len)
{
	return atid_lexicon_has_text(list->set, list->texts, 0, list->count, text, len);
}

/*
 * Does a list of MIME types have a pattern that takes an item of another list?
 */
static bool
has_pattern_for(const Items *list, const Items *of, uint32 i)
{
	static const char any[] = "*/*";
	const char *type = atid_lex_text(of->set, of->texts[i]);
	const char *slash = memchr(type, '/', of->texts[i].len);
	size_t		len;
	char	   *pattern;
	bool		found;

	if (slash == NULL || list->count == 0)
		return false;
	if (has_text(list, any, strlen(any)))
		return true;
	len = slash + 1 - type;
	pattern = palloc(len + 1);
	memcpy(pattern, type, len);
	pattern[len] = '*';
	found = has_text(list, pattern, len + 1);
	pfree(pattern);
	return found;
}

/* Whom an added or a removed item breaks */
typedef struct Verdicts
{
	bool		added_data;
	bool		added_readers;
	bool		removed_data;
	bool		removed_readers;
} Verdicts;

/*
 * Put a row for each item that is in one list only.  An item may come twice.
 */
static void
compare_lists(Changes *c, int path, const Items *old, const Items *new, Verdicts breaks,
			  bool patterns)
{
	uint32		i = 0;
	uint32		j = 0;

	while (i < old->count || j < new->count)
	{
		int			cmp;

		CHECK_FOR_INTERRUPTS();
		if (i == old->count || j == new->count)
			cmp = i == old->count ? 1 : -1;
		else
			cmp = compare_items(old, i, new, j);
		if (cmp < 0 && !(patterns && has_pattern_for(new, old, i)))
			put_item(c, path, "removed", old, i, breaks.removed_data, breaks.removed_readers);
		if (cmp > 0 && !(patterns && has_pattern_for(old, new, j)))
			put_item(c, path, "added", new, j, breaks.added_data, breaks.added_readers);
		if (cmp <= 0)
			for (i++; i < old->count && compare_items(old, i - 1, old, i) == 0;)
				i++;
		if (cmp >= 0)
			for (j++; j < new->count && compare_items(new, j - 1, new, j) == 0;)
				j++;
	}
}

static Items
enum_of(const AtidLexicon *set, const AtidLexNode *node)
{
	Items		list = {.set = set,.count = node->count};

	/* a set without such values has no array to point into */
	if (node->count == 0)
		return list;
	if (node->type == ATID_LEX_INTEGER)
		list.integers = set->integers + node->first;
	else
		list.texts = set->texts + node->first;
	return list;
}

static int
compare_accepted(const void *a, const void *b, void *arg)
{
	return compare_texts(arg, *(const AtidLexText *) a, arg, *(const AtidLexText *) b);
}

/*
 * What a blob accepts, sorted.  The caller frees the texts.
 */
static Items
accept_of(const AtidLexicon *set, const AtidLexNode *node)
{
	Items		list = {.set = set,.count = node->count};
	AtidLexText *texts = palloc(Max(node->count, 1) * sizeof(AtidLexText));

	if (node->count > 0)
		memcpy(texts, set->texts + node->first, node->count * sizeof(AtidLexText));
	atid_sort(texts, node->count, sizeof(AtidLexText), compare_accepted,
			  unconstify(AtidLexicon *, set));
	list.texts = texts;
	return list;
}

static Items
members_of(const AtidLexicon *set, const AtidLexNode *node)
{
	Items		list = {.set = set,.count = node->count};

	if (node->count > 0)
		list.refs = set->refs + node->first;
	return list;
}

/*
 * Compare lists of allowed values: without a list any value is allowed.
 */
static void
compare_allowed(Changes *c, int path, const char *keyword, uint16 flag,
				const AtidLexNode *old, const AtidLexNode *new)
{
	static const Verdicts breaks = {.removed_data = true,.added_readers = true};
	bool		had = (old->flags & flag) != 0;
	bool		has = (new->flags & flag) != 0;

	if (!had && !has)
		return;
	path = path_word(c, path, keyword);
	if (had != has)
		put_word(c, path, has ? "added" : "removed", has, had);
	else if (flag == ATID_LEX_HAS_ENUM)
	{
		Items		was = enum_of(c->old, old);
		Items		is = enum_of(c->new, new);

		compare_lists(c, path, &was, &is, breaks, false);
	}
	else
	{
		Items		was = accept_of(c->old, old);
		Items		is = accept_of(c->new, new);

		compare_lists(c, path, &was, &is, breaks, true);
		pfree(unconstify(AtidLexText *, was.texts));
		pfree(unconstify(AtidLexText *, is.texts));
	}
}

/*
 * Compare unions.  A member that is added to an open union was allowed before, without
 * a schema; the language means open unions to grow.  One that is removed from it stays
 * allowed, and loses its schema: old readers may refuse what is no longer checked.
 */
static void
compare_unions(Changes *c, const AtidLexNode *old, const AtidLexNode *new, int path)
{
	bool		was_closed = (old->flags & ATID_LEX_CLOSED) != 0;
	bool		is_closed = (new->flags & ATID_LEX_CLOSED) != 0;
	Verdicts	breaks = {
		.added_readers = was_closed,
		.removed_data = is_closed,
		.removed_readers = !is_closed
	};
	Items		was = members_of(c->old, old);
	Items		is = members_of(c->new, new);

	compare_lists(c, path_word(c, path, "refs"), &was, &is, breaks, false);
	if (was_closed != is_closed)
		put_word(c, path_word(c, path, "closed"), is_closed ? "closed" : "opened",
				 is_closed, was_closed);
}

static void
compare_targets(Changes *c, const AtidLexNode *old, const AtidLexNode *new, int path)
{
	const AtidLexRef *was = &c->old->refs[old->first];
	const AtidLexRef *is = &c->new->refs[new->first];

	if (compare_refs(c->old, was, c->new, is) == 0)
		return;
	resetStringInfo(&c->change);
	appendStringInfoString(&c->change, "changed from ");
	append_ref(&c->change, c->old, was);
	appendStringInfoString(&c->change, " to ");
	append_ref(&c->change, c->new, is);
	put_change(c, path_word(c, path, "ref"), true, true);
}

/*
 * Compare the keys of record types.  Any key goes where the type is "any".
 */
static void
compare_keys(Changes *c, const AtidLexNode *old, const AtidLexNode *new, int path)
{
	AtidCborItem was;
	AtidCborItem is;

	if (keyword_value(c->old, old, "key", &was) != ATID_CBOR_TEXT ||
		keyword_value(c->new, new, "key", &is) != ATID_CBOR_TEXT ||
		(was.len == is.len && memcmp(was.data, is.data, was.len) == 0))
		return;
	resetStringInfo(&c->change);
	appendStringInfoString(&c->change, "changed from ");
	atid_append_json_string(&c->change, (const char *) was.data, was.len);
	appendStringInfoString(&c->change, " to ");
	atid_append_json_string(&c->change, (const char *) is.data, is.len);
	put_change(c, path_word(c, path, "key"),
			   new->format != ATID_LEX_KEY_ANY, old->format != ATID_LEX_KEY_ANY);
}

/*
 * Put the rows of two nodes themselves, without those of their parts.  Returns false if
 * their parts are not to be compared, as the nodes have not the same type.
 */
static bool
compare_nodes(Changes *c, const AtidLexNode *old, const AtidLexNode *new, int path)
{
	if (old->type != new->type)
	{
		compare_keyword(c, old, new, path, "type", 0);
		return false;
	}

	switch ((AtidLexType) old->type)
	{
		case ATID_LEX_BOOLEAN:
		case ATID_LEX_INTEGER:
		case ATID_LEX_STRING:
			compare_keyword(c, old, new, path, "format", ATID_LEX_HAS_FORMAT);
			compare_limits(c, old, new, path);
			compare_allowed(c, path, "enum", ATID_LEX_HAS_ENUM, old, new);
			compare_keyword(c, old, new, path, "const", ATID_LEX_HAS_CONST);
			compare_keyword(c, old, new, path, "default", ATID_LEX_HAS_DEFAULT);
			break;
		case ATID_LEX_BYTES:
		case ATID_LEX_ARRAY:
			compare_limits(c, old, new, path);
			break;
		case ATID_LEX_BLOB:
			compare_limits(c, old, new, path);
			compare_allowed(c, path, "accept", ATID_LEX_HAS_ACCEPT, old, new);
			break;
		case ATID_LEX_REF:
			compare_targets(c, old, new, path);
			break;
		case ATID_LEX_UNION:
			compare_unions(c, old, new, path);
			break;
		case ATID_LEX_RECORD:
			compare_keys(c, old, new, path);
			break;
		case ATID_LEX_BODY:
			/* a message has none */
			if (old->const_text.len > 0 && new->const_text.len > 0)
				compare_keyword(c, old, new, path, "encoding", 0);
			break;
		case ATID_LEX_OBJECT:
		case ATID_LEX_PARAMS:
		case ATID_LEX_QUERY:
		case ATID_LEX_PROCEDURE:
		case ATID_LEX_SUBSCRIPTION:
			/* only parts */
			break;
		case ATID_LEX_CID_LINK:
		case ATID_LEX_TOKEN:
		case ATID_LEX_UNKNOWN:
		case ATID_LEX_PERMISSION_SET:
			/* nothing that data must meet */
			break;
	}
	return true;
}


/*
 * Walking
 */

/*
 * Does a node have a property that must be there?
 */
static bool
has_required(const AtidLexicon *set, const AtidLexNode *node)
{
	for (uint32 i = 0; i < node->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (set->properties[node->first + i].required)
			return true;
	}
	return false;
}

/*
 * Put a row for a property, or a part of a query, that only one of the sets has.
 * Parameters break something only where one of them is required.  Whether there is a
 * body is for both sides to know.
 */
static void
put_lone_part(Changes *c, const AtidLexicon *set, const AtidLexNode *parent,
			  const AtidLexProperty *part, int path)
{
	const AtidLexNode *node = &set->nodes[part->node];
	bool		added = (set == c->new);
	bool		breaks = part->required;
	bool		both = false;

	if (parent->type != ATID_LEX_OBJECT && parent->type != ATID_LEX_PARAMS)
	{
		both = (node->type == ATID_LEX_BODY);
		breaks = both || has_required(set, node);
	}
	put_word(c, path, added ? "added" : "removed", breaks && (added || both),
			 breaks && (!added || both));
}

/*
 * Put the rows of a property that both have, without those of its schema.
 */
static void
compare_properties(Changes *c, const AtidLexProperty *old, const AtidLexProperty *new, int path)
{
	if (old->required != new->required)
		put_word(c, path, new->required ? "made required" : "made optional",
				 new->required, old->required);
	if (old->nullable != new->nullable)
		put_word(c, path, new->nullable ? "made nullable" : "made not nullable",
				 old->nullable, new->nullable);
}

/*
 * Go to the next parts that both nodes of the innermost frame have: nodes and path.
 * Returns false at the end.
 */
static bool
next_parts(Changes *c, const AtidLexNode **old, const AtidLexNode **new, int *path)
{
	Frame	   *frame = &c->frames[c->depth - 1];
	const char *word = "items";
	bool		object = false;

	switch ((AtidLexType) frame->old->type)
	{
		case ATID_LEX_OBJECT:
		case ATID_LEX_PARAMS:
			object = true;
			break;
		case ATID_LEX_QUERY:
		case ATID_LEX_PROCEDURE:
		case ATID_LEX_SUBSCRIPTION:
			break;
		case ATID_LEX_RECORD:
		case ATID_LEX_BODY:
		case ATID_LEX_ARRAY:
			if (frame->old->type != ATID_LEX_ARRAY)
				word = frame->old->type == ATID_LEX_RECORD ? "record" : "schema";
			if (frame->i++ > 0)
				return false;
			*path = path_word(c, frame->path, word);
			if (frame->old->first != ATID_LEX_NONE && frame->new->first != ATID_LEX_NONE)
			{
				*old = &c->old->nodes[frame->old->first];
				*new = &c->new->nodes[frame->new->first];
				return true;
			}
			if (frame->old->first != frame->new->first)
				put_word(c, *path, frame->old->first == ATID_LEX_NONE ? "added" : "removed",
						 frame->old->first == ATID_LEX_NONE, frame->new->first == ATID_LEX_NONE);
			return false;
		default:
			return false;
	}

	while (frame->i < frame->old->count || frame->j < frame->new->count)
	{
		const AtidLexProperty *was = NULL;
		const AtidLexProperty *is = NULL;
		int			base = object ? path_word(c, frame->path, "properties") : frame->path;
		int			cmp;

		CHECK_FOR_INTERRUPTS();
		if (frame->i < frame->old->count)
			was = &c->old->properties[frame->old->first + frame->i];
		if (frame->j < frame->new->count)
			is = &c->new->properties[frame->new->first + frame->j];
		cmp = compare_names(c, was ? &was->name : NULL, is ? &is->name : NULL);
		*path = cmp <= 0 ? path_name(c, base, c->old, was->name) :
			path_name(c, base, c->new, is->name);
		frame->i += (cmp <= 0);
		frame->j += (cmp >= 0);

		if (cmp < 0)
			put_lone_part(c, c->old, frame->old, was, *path);
		else if (cmp > 0)
			put_lone_part(c, c->new, frame->new, is, *path);
		else
		{
			compare_properties(c, was, is, *path);
			*old = &c->old->nodes[was->node];
			*new = &c->new->nodes[is->node];
			return true;
		}
	}
	return false;
}

/*
 * Put all rows of two definitions.
 */
static void
compare_definitions(Changes *c, const AtidLexNode *old, const AtidLexNode *new, int path)
{
	c->depth = 0;
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (compare_nodes(c, old, new, path))
		{
			Frame	   *frame = &c->frames[c->depth++];

			Assert(c->depth <= ATID_CBOR_DEPTH_MAX);
			frame->old = old;
			frame->new = new;
			frame->i = frame->j = 0;
			frame->path = path;
		}
		while (c->depth > 0 && !next_parts(c, &old, &new, &path))
			c->depth--;
		if (c->depth == 0)
			break;
	}
}

/*
 * The data of a definition that is gone can no longer be judged.  A token has none.
 */
static bool
has_data(const AtidLexicon *set, const AtidLexDefinition *definition)
{
	return set->nodes[definition->node].type != ATID_LEX_TOKEN;
}

static void
compare_documents(Changes *c, const AtidLexDocument *old, const AtidLexDocument *new)
{
	int			defs = path_word(c, 1, "defs");
	uint32		i = 0;
	uint32		j = 0;

	while (i < old->count || j < new->count)
	{
		const AtidLexDefinition *was = NULL;
		const AtidLexDefinition *is = NULL;
		int			cmp;
		int			path;

		if (i < old->count)
			was = &c->old->definitions[old->first + i];
		if (j < new->count)
			is = &c->new->definitions[new->first + j];
		cmp = compare_names(c, was ? &was->name : NULL, is ? &is->name : NULL);
		path = cmp <= 0 ? path_name(c, defs, c->old, was->name) :
			path_name(c, defs, c->new, is->name);
		i += (cmp <= 0);
		j += (cmp >= 0);

		if (cmp < 0)
			put_word(c, path, "removed", has_data(c->old, was), false);
		else if (cmp > 0)
			put_word(c, path, "added", false, false);
		else
			compare_definitions(c, &c->old->nodes[was->node], &c->new->nodes[is->node], path);
	}
}

/*
 * The bytewise order of the NSIDs of two documents.
 */
static int
compare_ids(const AtidLexicon *a_set, uint32 a, const AtidLexicon *b_set, uint32 b)
{
	AtidLexText x = a_set->documents[a].nsid;
	AtidLexText y = b_set->documents[b].nsid;
	int			cmp = memcmp(atid_lex_text(a_set, x), atid_lex_text(b_set, y), Min(x.len, y.len));

	return cmp != 0 ? cmp : (x.len > y.len) - (x.len < y.len);
}

static int
compare_nsids(const void *a, const void *b, void *arg)
{
	const AtidLexicon *set = arg;

	return compare_ids(set, *(const uint32 *) a, set, *(const uint32 *) b);
}

/*
 * The documents of a set in the bytewise order of their NSIDs.
 */
static uint32 *
documents_in_order(const AtidLexicon *set)
{
	uint32	   *order = palloc(Max(set->document_count, 1) * sizeof(uint32));

	for (uint32 i = 0; i < set->document_count; i++)
		order[i] = i;
	atid_sort(order, set->document_count, sizeof(uint32), compare_nsids,
			  unconstify(AtidLexicon *, set));
	return order;
}

static bool
document_has_data(const AtidLexicon *set, const AtidLexDocument *document)
{
	for (uint32 i = 0; i < document->count; i++)
	{
		if (has_data(set, &set->definitions[document->first + i]))
			return true;
	}
	return false;
}

static void
compare_sets(Changes *c)
{
	uint32	   *old_order = documents_in_order(c->old);
	uint32	   *new_order = documents_in_order(c->new);
	uint32		i = 0;
	uint32		j = 0;

	while (i < c->old->document_count || j < c->new->document_count)
	{
		const AtidLexDocument *was;
		const AtidLexDocument *is;
		const char *chars;
		text	   *nsid;
		int			cmp;

		CHECK_FOR_INTERRUPTS();
		if (i == c->old->document_count || j == c->new->document_count)
			cmp = i == c->old->document_count ? 1 : -1;
		else
			cmp = compare_ids(c->old, old_order[i], c->new, new_order[j]);
		was = cmp <= 0 ? &c->old->documents[old_order[i++]] : NULL;
		is = cmp >= 0 ? &c->new->documents[new_order[j++]] : NULL;

		chars = was != NULL ? atid_lex_text(c->old, was->nsid) : atid_lex_text(c->new, is->nsid);
		nsid = cstring_to_text_with_len(chars, (int) (was != NULL ? was : is)->nsid.len);
		c->nsid = PointerGetDatum(nsid);
		if (cmp < 0)
			put_word(c, 1, "removed", document_has_data(c->old, was), false);
		else if (cmp > 0)
			put_word(c, 1, "added", false, false);
		else
			compare_documents(c, was, is);
		pfree(nsid);
	}
}

/*
 * The program of an argument.  A call site has one place in the cache, and there are two
 * of them here, so they are made anew.
 */
static AtidLexicon *
program_of(FunctionCallInfo fcinfo, int argument)
{
	AtidLexiconDatum *value = atid_lexicon_get(PG_GETARG_DATUM(argument));
	AtidLexicon *set = palloc0(sizeof(AtidLexicon));
	size_t		at;

	if (atid_lexicon_compile_here(set, value->cbor, ATID_LEXICON_CBOR_LEN(value), &at) != ATID_OK)
		atid_refuse_packed(ATID_PACKED_DAMAGED, "atid.lexicon");
	return set;
}

/*
 * lexicon_changes(old, new)
 */
PG_FUNCTION_INFO_V1(atid_lexicon_changes);
Datum
atid_lexicon_changes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext work;
	MemoryContext caller;
	Changes    *c;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	work = AllocSetContextCreate(CurrentMemoryContext, "atid lexicon_changes",
								 ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	c = palloc(sizeof(Changes));
	c->old = program_of(fcinfo, 0);
	c->new = program_of(fcinfo, 1);
	c->store = rsinfo->setResult;
	c->desc = rsinfo->setDesc;
	c->memory = AllocSetContextCreate(CurrentMemoryContext, "atid rows of lexicon_changes",
									  ALLOCSET_DEFAULT_SIZES);
	initStringInfo(&c->path);
	initStringInfo(&c->change);
	appendStringInfoChar(&c->path, '$');
	c->budget = PATHS_BUDGET_MIN + ATID_PATHS_PER_BYTE * ((uint64) c->old->len + c->new->len);
	compare_sets(c);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return (Datum) 0;
}
