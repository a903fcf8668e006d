/*-------------------------------------------------------------------------
 *
 * conform.c
 *		Is a value what a schema says?  A machine that is fed the value's events.
 *
 * The schema is a node of a program (compiled.h), the value a stream of events of
 * DAG-CBOR, from a block or a jsonb.  The rules are those of the specification
 * "Lexicon":
 *
 *		an object must have what is required, and a property that it has must be
 *		what its schema says; other keys are not looked at;
 *
 *		null is a value only where a property is nullable;
 *
 *		a ref is what it refers to.  An object that is a definition may have a
 *		"$type", which must be the definition's; a record must have it;
 *
 *		an object in a union must have a "$type".  If the union lists it, the object
 *		is what that definition says; if not, a closed union refuses it, and an open
 *		one does not look at it, even if the set has its type;
 *
 *		an unknown is an object, and not a blob.
 *
 *		parameters are an object, of values and not of texts: the integer 5, not "5".
 *
 * If it is lenient, a blob may be a legacy one, {cid, mimeType}; its type and its size
 * may be any; and a datetime may be one that atid_datetime_parse_sloppy() reads.
 *
 * The rules of the data model are the caller's: "$type" is a string, a blob has a
 * ref, a mimeType and a size, and so on.
 *
 * A definition of a type that the language lacks can be anything, so each value conforms to
 * it, except null.  Whether it is the type of a record is not known.
 *
 * A reference can point outside the set.  Its target is not checked, and unknown is
 * set.  If a reference points to a definition that has no values, such as a token, no
 * value conforms.
 *
 * Invariants:
 *	- there is no recursion and no allocation.  A frame is pushed for each open array
 *	  or map that is checked, so the caller's events must nest no deeper than
 *	  ATID_CBOR_DEPTH_MAX;
 *	- in what is not checked, only open arrays and maps are counted;
 *	- a value takes constant time, and a key the logarithm of the number of
 *	  properties: keys and properties are both in order, so the search begins where
 *	  the last key was found.  Also, type_of() is called once for each map
 *	  that is checked, a string is scanned as its schema demands, and a "mimeType" is
 *	  looked up once for each slash in it.
 *
 * Pure code: no server, no allocation, no state.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/conform.h"

#include "codec/assert.h"
#include "codec/bytes.h"
#include "codec/text/address.h"
#include "codec/text/datetime.h"
#include "codec/text/format.h"
#include "codec/text/grapheme.h"

void
atid_conform_init(AtidConform *conform, const AtidLexicon *set, bool lenient)
{
	memset(conform, 0, offsetof(AtidConform, frames) + sizeof(AtidConformFrame));
	conform->set = set;
	conform->lenient = lenient;
	conform->of_item = true;
}

void
atid_conform_begin_record(AtidConform *conform, const char *nsid, size_t len)
{
	conform->nsid = nsid;
	conform->nsid_len = len;
	conform->frames[0].value_role = ATID_ROLE_OF_TYPE;
}

void
atid_conform_begin_definition(AtidConform *conform, uint32_t definition)
{
	conform->unknown = definition == ATID_LEX_NONE;
	conform->frames[0].value = definition;
	conform->frames[0].value_role = conform->unknown ? ATID_ROLE_ANY :
		ATID_ROLE_OF_DEFINITION;
}


/*
 * Faults
 */

static AtidFault
note_fault(AtidConform *conform, AtidFault fault)
{
	conform->fault = fault;
	return fault;
}

static AtidFault
note_fault_number(AtidConform *conform, AtidFault fault, int64_t number)
{
	conform->about = ATID_ABOUT_NUMBER;
	conform->number = number;
	return note_fault(conform, fault);
}

static AtidFault
note_fault_text(AtidConform *conform, AtidFault fault, AtidLexText text)
{
	conform->about = ATID_ABOUT_TEXT;
	conform->text = text;

	return note_fault(conform, fault);
}

static AtidFault
note_fault_type(AtidConform *conform, uint32_t definition)
{
	conform->about = ATID_ABOUT_TYPE;
	conform->number = definition;
	return note_fault(conform, ATID_CONFORM_TYPE);
}


/*
 * Scalars
 */

static AtidFault
check_boolean(AtidConform *conform, const AtidLexNode *node, bool value)
{
	if ((node->flags & ATID_LEX_HAS_CONST) != 0 && value != (node->constant != 0))
	{
		conform->about = ATID_ABOUT_BOOLEAN;
		conform->number = node->constant;
		return note_fault(conform, ATID_CONFORM_CONST);
	}
	return ATID_OK;
}

static bool
integer_is_in_enum(const AtidLexicon *set, const AtidLexNode *node, int64_t value)
{
	uint32_t	low = node->first;
	uint32_t	high = low + node->count;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (set->integers[middle] == value)
			return true;
		if (set->integers[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static AtidFault
check_integer(AtidConform *conform, const AtidLexNode *node, int64_t value)
{
	if ((node->flags & ATID_LEX_HAS_CONST) != 0 && value != node->constant)
		return note_fault_number(conform, ATID_CONFORM_CONST, node->constant);
	if ((node->flags & ATID_LEX_HAS_ENUM) != 0 && !integer_is_in_enum(conform->set, node, value))
		return note_fault(conform, ATID_CONFORM_ENUM);
	if ((node->flags & ATID_LEX_HAS_MIN) != 0 && value < node->min)
		return note_fault_number(conform, ATID_CONFORM_MINIMUM, node->min);
	if ((node->flags & ATID_LEX_HAS_MAX) != 0 && value > node->max)
		return note_fault_number(conform, ATID_CONFORM_MAXIMUM, node->max);
	return ATID_OK;
}

/* Is a text this one of the set? */
static inline bool
text_is(const AtidLexicon *set, AtidLexText text, const void *s, size_t len)
{
	return text.len == len && atid_bytes_equal(set->bytes + text.at, s, len);
}

/*
 * The graphemes of a string are at most its bytes, so most strings need no count.
 */
static AtidFault
check_graphemes(AtidConform *conform, const AtidLexNode *node, const AtidCborItem *item)
{
	bool		has_min = (node->flags & ATID_LEX_HAS_MIN_GRAPHEMES) != 0 &&
		node->min_graphemes > 0;
	bool		has_max = (node->flags & ATID_LEX_HAS_MAX_GRAPHEMES) != 0 &&
		(int64_t) item->len > node->max_graphemes;
	int64_t		limit = has_max ? node->max_graphemes : node->min_graphemes;
	int64_t		count = (int64_t) item->len;

	if ((has_min && count >= node->min_graphemes) || has_max)
		count = (int64_t) atid_grapheme_count((const char *) item->data, item->len,
											  limit > 0 ? (size_t) limit : 0,
											  conform->pause);
	if (has_max && count > node->max_graphemes)
		return note_fault_number(conform, ATID_CONFORM_MANY_GRAPHEMES, node->max_graphemes);
	if (has_min && count < node->min_graphemes)
		return note_fault_number(conform, ATID_CONFORM_FEW_GRAPHEMES, node->min_graphemes);
	return ATID_OK;
}

static AtidFault
check_format(AtidConform *conform, AtidFormat format, const AtidCborItem *item)
{
	const char *s = (const char *) item->data;
	size_t		at = 0;
	int64_t		us;
	AtidFault	fault = format == ATID_FORMAT_DATETIME && conform->lenient ?
		atid_datetime_parse_sloppy(s, item->len, &us, &at) :
		atid_format_scan(format, s, item->len, &at);

	if (fault == ATID_OK)
		return ATID_OK;
	conform->about = ATID_ABOUT_CHARACTER;
	conform->number = (int64_t) at;
	return note_fault(conform, fault);
}

static AtidFault
check_string(AtidConform *conform, const AtidLexNode *node, const AtidCborItem *item)
{
	int64_t		len = (int64_t) item->len;
	unsigned	flags = node->flags;
	AtidFault	fault = ATID_OK;

	if ((flags & ATID_LEX_HAS_MAX) != 0 && len > node->max)
		return note_fault_number(conform, ATID_CONFORM_LONG_STRING, node->max);
	if ((flags & ATID_LEX_HAS_MIN) != 0 && len < node->min)
		return note_fault_number(conform, ATID_CONFORM_SHORT_STRING, node->min);
	if ((flags & ATID_LEX_HAS_CONST) != 0 &&
		!text_is(conform->set, node->const_text, item->data, item->len))
		return note_fault_text(conform, ATID_CONFORM_CONST, node->const_text);
	if ((flags & ATID_LEX_HAS_ENUM) != 0 &&
		!atid_lexicon_has_text(conform->set, conform->set->texts, node->first, node->count,
							   (const char *) item->data, item->len))
		return note_fault(conform, ATID_CONFORM_ENUM);
	if ((flags & ATID_LEX_HAS_FORMAT) != 0)
		fault = check_format(conform, (AtidFormat) node->format, item);
	if ((flags & (ATID_LEX_HAS_MIN_GRAPHEMES | ATID_LEX_HAS_MAX_GRAPHEMES)) != 0 &&
		fault == ATID_OK)
		fault = check_graphemes(conform, node, item);
	return fault;
}

static AtidFault
check_bytes(AtidConform *conform, const AtidLexNode *node, size_t len)
{
	if ((node->flags & ATID_LEX_HAS_MAX) != 0 && (int64_t) len > node->max)
		return note_fault_number(conform, ATID_CONFORM_LONG_BYTES, node->max);
	if ((node->flags & ATID_LEX_HAS_MIN) != 0 && (int64_t) len < node->min)
		return note_fault_number(conform, ATID_CONFORM_SHORT_BYTES, node->min);
	return ATID_OK;
}


/*
 * Arrays and maps
 */

static AtidConformFrame *
push_frame(AtidConform *conform, AtidConformRole role)
{
	AtidConformFrame *frame = &conform->frames[++conform->depth];

	ATID_ASSERT((size_t) conform->depth < sizeof(conform->frames) / sizeof(conform->frames[0]));
	frame->role = (uint8_t) role;
	frame->nullable = false;
	return frame;
}

/*
 * A value that is not checked, or no further: if it has parts, they are skipped.
 */
static AtidFault
skip_value(AtidConform *conform, AtidCborEvent event)
{
	if (event == ATID_CBOR_MAP || event == ATID_CBOR_ARRAY)
		conform->skipped = 1;
	return ATID_OK;
}

/*
 * A value whose definition the set lacks: the one of a reference, or of the "$type" of
 * the record if ref is ATID_LEX_NONE.
 */
static AtidFault
skip_unknown(AtidConform *conform, AtidCborEvent event, uint32_t ref)
{
	conform->unknown = true;
	if (!conform->must_know)
		return skip_value(conform, event);
	if (ref == ATID_LEX_NONE)
		return note_fault(conform, ATID_CONFORM_NO_LEXICON);
	conform->about = ATID_ABOUT_REF;
	conform->number = ref;
	return note_fault(conform, ATID_CONFORM_MISSING);
}

/* The "$type" of the map that has just begun. */
static bool
get_type(AtidConform *conform, AtidCborItem *type)
{
	const char *data;
	size_t		len;

	if (!conform->type_of(conform->arg, &data, &len))
		return false;
	type->data = (const uint8_t *) data;
	type->len = len;
	return true;
}

static AtidFault
begin_array(AtidConform *conform, const AtidLexNode *node, size_t items)
{
	AtidConformFrame *frame;

	if ((node->flags & ATID_LEX_HAS_MAX) != 0 && (int64_t) items > node->max)
		return note_fault_number(conform, ATID_CONFORM_LONG_ARRAY, node->max);
	if ((node->flags & ATID_LEX_HAS_MIN) != 0 && (int64_t) items < node->min)
		return note_fault_number(conform, ATID_CONFORM_SHORT_ARRAY, node->min);
	frame = push_frame(conform, ATID_ROLE_OF_NODE);
	frame->value_role = ATID_ROLE_OF_NODE;
	frame->value = node->first;
	frame->next = frame->end = 0;
	return ATID_OK;
}

static AtidFault
begin_object(AtidConform *conform, const AtidLexNode *node)
{
	AtidConformFrame *frame;

	if (node->count == 0)
		return skip_value(conform, ATID_CBOR_MAP);
	frame = push_frame(conform, ATID_ROLE_OF_NODE);
	frame->next = node->first;
	frame->end = node->first + node->count;
	return ATID_OK;
}

/*
 * An object that is no blob may be a legacy one, or nothing that is a blob.  Its
 * parts are checked as they come.
 */
static AtidFault
begin_blob(AtidConform *conform, uint32_t n)
{
	const AtidLexNode *node = &conform->set->nodes[n];
	AtidCborItem type;
	bool		has_type = get_type(conform, &type);
	AtidConformFrame *frame;

	if (has_type && atid_cbor_item_is(&type, "blob"))
	{
		if (conform->lenient || (node->flags & (ATID_LEX_HAS_ACCEPT | ATID_LEX_HAS_MAX)) == 0)
			return skip_value(conform, ATID_CBOR_MAP);
		frame = push_frame(conform, ATID_ROLE_BLOB);
	}
	else if (!has_type && conform->lenient)
	{
		frame = push_frame(conform, ATID_ROLE_LEGACY_BLOB);
		frame->has_mime_type = frame->has_cid = false;
	}
	else
		return note_fault(conform, ATID_CONFORM_NOT_BLOB);
	frame->node = n;
	return ATID_OK;
}

/* Is the type of a definition this one: its NSID, and "#" and its name if not main? */
static bool
type_is(const AtidLexicon *set, const AtidLexDefinition *definition, const AtidCborItem *type)
{
	AtidLexText nsid = set->documents[definition->document].nsid;
	AtidLexText name = definition->name;

	if (atid_lex_is_main(set, name))
		return text_is(set, nsid, type->data, type->len);
	return type->len == (size_t) nsid.len + 1 + name.len &&
		memcmp(type->data, set->bytes + nsid.at, nsid.len) == 0 &&
		type->data[nsid.len] == '#' &&
		memcmp(type->data + nsid.len + 1, set->bytes + name.at, name.len) == 0;
}

/*
 * Search for a key among the properties that are left, from the next one on: look at
 * one in 1, 2, 4 ... until one is not before the key, and between the last two.
 * Returns the first property that is not before the key; *found if it is the key.
 */
static inline uint32_t
search_property(const AtidLexicon *set, const AtidConformFrame *frame,
				const AtidCborItem *key, bool *found)
{
	uint32_t	low = frame->next;
	uint32_t	high = frame->end;
	uint32_t	step = 1;
	uint32_t	probe = low;

	*found = false;
	while (low < high)
	{
		AtidLexText name = set->properties[probe].name;
		const uint8_t *bytes = set->bytes + name.at;
		bool		before = name.len < key->len;

		if (name.len == key->len)
		{
			if (atid_bytes_equal(bytes, key->data, name.len))
			{
				*found = true;
				return probe;
			}
			before = memcmp(bytes, key->data, name.len) < 0;
		}
		if (before)
			low = probe + 1;
		else
			high = probe;
		/* as long as no property is known to be behind the key, go in steps */
		if (high == frame->end && step < high - low)
		{
			probe = low + step - 1;
			step *= 2;
		}
		else
			probe = low + (high - low) / 2;
	}
	return low;
}

/*
 * Go on to a property.  One that is passed over must not be required.
 */
static inline AtidFault
pass_properties(AtidConform *conform, AtidConformFrame *frame, uint32_t to)
{
	if (frame->next < to)
	{
		uint32_t	required = conform->set->properties[frame->next].next_required;

		if (required < to)
		{
			conform->of_item = false;
			return note_fault_text(conform, ATID_CONFORM_REQUIRED,
								   conform->set->properties[required].name);
		}
		frame->next = to;
	}
	return ATID_OK;
}

AtidFault
atid_conform_key(AtidConform *conform, const AtidCborItem *key)
{
	AtidConformFrame *frame = &conform->frames[conform->depth];
	bool		found;
	uint32_t	property;
	AtidFault	fault;

	if (frame->role != ATID_ROLE_OF_NODE)
	{
		frame->value_role = ATID_ROLE_ANY;
		if (atid_cbor_item_is(key, "mimeType"))
			frame->value_role = ATID_ROLE_MIME_TYPE;
		else if (frame->role == ATID_ROLE_BLOB && atid_cbor_item_is(key, "size"))
			frame->value_role = ATID_ROLE_SIZE;
		else if (frame->role == ATID_ROLE_LEGACY_BLOB && atid_cbor_item_is(key, "cid"))
			frame->value_role = ATID_ROLE_CID;
		return ATID_OK;
	}

	property = search_property(conform->set, frame, key, &found);
	fault = pass_properties(conform, frame, property);
	if (!found)
	{
		frame->value_role = ATID_ROLE_ANY;
		return fault;
	}
	frame->value_role = ATID_ROLE_OF_NODE;
	frame->value = conform->set->properties[property].node;
	frame->nullable = conform->set->properties[property].nullable;
	frame->next = property + 1;
	return fault;
}

AtidFault
atid_conform_map_end(AtidConform *conform)
{
	AtidConformFrame *frame = &conform->frames[conform->depth];
	AtidFault	fault = ATID_OK;

	if (frame->role == ATID_ROLE_OF_NODE)
		fault = pass_properties(conform, frame, frame->end);
	else if (frame->role == ATID_ROLE_LEGACY_BLOB &&
			 (!frame->has_cid || !frame->has_mime_type))
	{
		conform->of_item = false;
		fault = note_fault(conform, ATID_CONFORM_NOT_BLOB);
	}
	ATID_ASSERT(conform->depth > 0);
	conform->depth--;
	return fault;
}


/*
 * Blobs
 */

/*
 * Is a text in the list of what a blob accepts?  It is the first len bytes of s, and if rest
 * is set, a * behind them.
 */
static bool
is_accepted(const AtidLexicon *set, const AtidLexNode *node, const char *s, size_t len, bool rest)
{
	uint32_t	low = node->first;
	uint32_t	high = low + node->count;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		AtidLexText text = set->texts[middle];
		const char *pattern = atid_lex_text(set, text);
		int			order = text.len < len + rest ? -1 : text.len > len + rest;

		if (order == 0)
			order = memcmp(pattern, s, len);
		if (order == 0 && rest)
			order = (uint8_t) pattern[len] - '*';
		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/*
 * There are three patterns: *, a slash and * accepts all; what ends in a slash and *
 * the types that begin so; and any other itself.  One with a * elsewhere accepts nothing.
 * So a type is looked up, and each part of it that ends in a slash.
 */
static AtidFault
check_accept(AtidConform *conform, const AtidLexNode *node, const AtidCborItem *type)
{
	const AtidLexicon *set = conform->set;
	const char *s = (const char *) type->data;
	size_t		len = 0;

	if (is_accepted(set, node, "*/*", 3, false))
		return ATID_OK;
	for (; len < type->len && s[len] != '*'; len++)
	{
		if (s[len] == '/' && is_accepted(set, node, s, len + 1, true))
			return ATID_OK;
	}
	if (len > 0 && len == type->len && is_accepted(set, node, s, len, false))
		return ATID_OK;
	return note_fault(conform, ATID_CONFORM_ACCEPT);
}

/*
 * A value in a blob.  Whether it is of the right type is the data model's.
 */
static AtidFault
see_blob_value(AtidConform *conform, AtidConformFrame *frame, AtidCborEvent event,
			   const AtidCborItem *item)
{
	const AtidLexNode *node = &conform->set->nodes[frame->node];
	size_t		at;

	switch (frame->value_role)
	{
		case ATID_ROLE_MIME_TYPE:
			if (event != ATID_CBOR_TEXT)
				break;
			frame->has_mime_type = item->len > 0 && !item->nul;
			if (!conform->lenient && (node->flags & ATID_LEX_HAS_ACCEPT) != 0)
				return check_accept(conform, node, item);
			break;
		case ATID_ROLE_SIZE:
			if (event == ATID_CBOR_INTEGER && (node->flags & ATID_LEX_HAS_MAX) != 0 &&
				item->integer > node->max)
				return note_fault_number(conform, ATID_CONFORM_LARGE_BLOB, node->max);
			break;
		case ATID_ROLE_CID:
			if (event == ATID_CBOR_TEXT)
			{
				AtidFault	fault = atid_cid_string_scan((const char *) item->data, item->len,
														 &at);

				frame->has_cid = fault == ATID_OK || fault == ATID_CID_STRING_V0;
			}
			break;
		default:
			break;
	}
	return skip_value(conform, event);
}


/*
 * Queries, procedures and subscriptions
 */

/*
 * The node of a part, or ATID_LEX_NONE.
 */
static uint32_t
find_part(AtidConform *conform, const char *nsid, size_t len, const char *part)
{
	const AtidLexicon *set = conform->set;
	uint32_t	document = atid_lexicon_find_document(set, nsid, len);
	uint32_t	definition = ATID_LEX_NONE;
	uint32_t	property;
	const AtidLexNode *node;

	if (document != ATID_LEX_NONE)
		definition = atid_lexicon_find_main(set, document);
	if (definition == ATID_LEX_NONE)
	{
		(void) note_fault(conform, ATID_XRPC_NO_LEXICON);
		return ATID_LEX_NONE;
	}
	node = &set->nodes[set->definitions[definition].node];
	if (node->type != ATID_LEX_QUERY && node->type != ATID_LEX_PROCEDURE &&
		node->type != ATID_LEX_SUBSCRIPTION)
	{
		(void) note_fault(conform, ATID_XRPC_KIND);
		return ATID_LEX_NONE;
	}
	property = atid_lexicon_find_property(set, node, part, strlen(part));
	if (property == ATID_LEX_NONE)
	{
		(void) note_fault(conform, ATID_XRPC_NO_PART);
		return ATID_LEX_NONE;
	}
	return set->properties[property].node;
}

/* Can a body of this encoding be JSON? */
static bool
is_json(const char *encoding, size_t len)
{
	static const char *const patterns[] = {"application/json", "application/*", "*/*"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
	{
		if (len == strlen(patterns[i]) && memcmp(encoding, patterns[i], len) == 0)
			return true;
	}
	return false;
}

AtidFault
atid_conform_begin_xrpc(AtidConform *conform, const char *nsid, size_t len, const char *part)
{
	const AtidLexicon *set = conform->set;
	uint32_t	n = find_part(conform, nsid, len, part);
	const AtidLexNode *node;

	if (n == ATID_LEX_NONE)
		return conform->fault;
	node = &set->nodes[n];
	if (node->type == ATID_LEX_BODY)
		n = node->first;
	if (n == ATID_LEX_NONE &&
		!is_json(atid_lex_text(set, node->const_text), node->const_text.len))
		return note_fault(conform, ATID_XRPC_ENCODING);
	conform->frames[0].value = n;
	conform->frames[0].value_role = n == ATID_LEX_NONE ? ATID_ROLE_ANY : ATID_ROLE_OF_NODE;
	return ATID_OK;
}


/*
 * Values
 */

/*
 * A value that is what a node says, other than a ref or a union.
 */
static AtidFault
see_value_of_node(AtidConform *conform, uint32_t n, AtidCborEvent event,
				  const AtidCborItem *item)
{
	const AtidLexNode *node = &conform->set->nodes[n];
	AtidCborItem type;

	switch ((AtidLexType) node->type)
	{
		case ATID_LEX_STRING:
			if (event != ATID_CBOR_TEXT)
				return note_fault(conform, ATID_CONFORM_NOT_STRING);
			return check_string(conform, node, item);
		case ATID_LEX_INTEGER:
			if (event != ATID_CBOR_INTEGER)
				return note_fault(conform, ATID_CONFORM_NOT_INTEGER);
			return check_integer(conform, node, item->integer);
		case ATID_LEX_BOOLEAN:
			if (event != ATID_CBOR_BOOL)
				return note_fault(conform, ATID_CONFORM_NOT_BOOLEAN);
			return check_boolean(conform, node, item->integer != 0);
		case ATID_LEX_BYTES:
			if (event != ATID_CBOR_BYTES)
				return note_fault(conform, ATID_CONFORM_NOT_BYTES);
			return check_bytes(conform, node, item->len);
		case ATID_LEX_CID_LINK:
			return event == ATID_CBOR_LINK ? ATID_OK :
				note_fault(conform, ATID_CONFORM_NOT_LINK);
		case ATID_LEX_BLOB:
			if (event != ATID_CBOR_MAP)
				return note_fault(conform, ATID_CONFORM_NOT_BLOB);
			return begin_blob(conform, n);
		case ATID_LEX_ARRAY:
			if (event != ATID_CBOR_ARRAY)
				return note_fault(conform, ATID_CONFORM_NOT_ARRAY);
			return begin_array(conform, node, item->len);
		case ATID_LEX_OBJECT:
		case ATID_LEX_PARAMS:
			if (event != ATID_CBOR_MAP)
				return note_fault(conform, ATID_CONFORM_NOT_OBJECT);
			return begin_object(conform, node);
		case ATID_LEX_UNKNOWN:
			if (event != ATID_CBOR_MAP)
				return note_fault(conform, ATID_CONFORM_NOT_OBJECT);
			if (get_type(conform, &type) && atid_cbor_item_is(&type, "blob"))
				return note_fault(conform, ATID_CONFORM_UNKNOWN_BLOB);
			return skip_value(conform, event);
		case ATID_LEX_OTHER:
			return skip_value(conform, event);
		default:
			/* a ref or a union is no definition, and a token has no values */
			return note_fault(conform, ATID_CONFORM_NO_VALUES);
	}
}

/*
 * A value that is what a definition says.
 */
static AtidFault
see_value_of_definition(AtidConform *conform, uint32_t definition, AtidCborEvent event,
						const AtidCborItem *item)
{
	const AtidLexicon *set = conform->set;
	uint32_t	n = set->definitions[definition].node;
	AtidCborItem type;

	switch ((AtidLexType) set->nodes[n].type)
	{
		case ATID_LEX_RECORD:
			if (event != ATID_CBOR_MAP)
				return note_fault(conform, ATID_CONFORM_NOT_OBJECT);
			if (!get_type(conform, &type) ||
				!type_is(set, &set->definitions[definition], &type))
				return note_fault_type(conform, definition);
			n = set->nodes[n].first;
			break;
		case ATID_LEX_OBJECT:
			if (event != ATID_CBOR_MAP)
				return note_fault(conform, ATID_CONFORM_NOT_OBJECT);
			if (get_type(conform, &type) &&
				!type_is(set, &set->definitions[definition], &type))
				return note_fault_type(conform, definition);
			break;
		default:
			break;
	}
	return see_value_of_node(conform, n, event, item);
}

/*
 * A record, of the "$type" that it has.
 */
static AtidFault
see_record(AtidConform *conform, AtidCborEvent event)
{
	const AtidLexicon *set = conform->set;
	AtidCborItem type;
	uint32_t	document;
	uint32_t	definition = ATID_LEX_NONE;
	const AtidLexNode *node;

	if (event != ATID_CBOR_MAP)
		return note_fault(conform, ATID_RECORD_TOP);
	if (!get_type(conform, &type))
		return note_fault(conform, ATID_RECORD_NO_TYPE);
	document = atid_lexicon_find_document(set, (const char *) type.data, type.len);
	/* a document's NSID is valid */
	if (document == ATID_LEX_NONE && !atid_nsid_is_valid((const char *) type.data, type.len))
		return note_fault(conform, ATID_RECORD_TYPE_TOP);
	if (conform->nsid != NULL && (conform->nsid_len != type.len ||
								  memcmp(conform->nsid, type.data, type.len) != 0))
		return note_fault(conform, ATID_CONFORM_OTHER_RECORD);

	if (document != ATID_LEX_NONE)
		definition = atid_lexicon_find_main(set, document);
	if (definition == ATID_LEX_NONE)
		return skip_unknown(conform, event, ATID_LEX_NONE);
	node = &set->nodes[set->definitions[definition].node];
	if (node->type == ATID_LEX_OTHER)
		return skip_unknown(conform, event, ATID_LEX_NONE);
	if (node->type != ATID_LEX_RECORD)
		return note_fault(conform, ATID_CONFORM_NO_RECORD);
	return begin_object(conform, &set->nodes[node->first]);
}

/*
 * An object in a union.
 */
static AtidFault
see_value_of_union(AtidConform *conform, uint32_t n, AtidCborEvent event)
{
	const AtidLexicon *set = conform->set;
	AtidCborItem type;
	uint32_t	member;
	uint32_t	definition;
	const AtidLexNode *node;

	if (event != ATID_CBOR_MAP)
		return note_fault(conform, ATID_CONFORM_NOT_OBJECT);
	if (!get_type(conform, &type))
		return note_fault(conform, ATID_CONFORM_UNION_NO_TYPE);
	member = atid_lexicon_find_member(set, &set->nodes[n], (const char *) type.data, type.len);
	if (member == ATID_LEX_NONE)
	{
		if ((set->nodes[n].flags & ATID_LEX_CLOSED) != 0)
			return note_fault(conform, ATID_CONFORM_UNION_CLOSED);
		return skip_value(conform, event);
	}
	definition = set->refs[member].definition;
	if (definition == ATID_LEX_NONE)
		return skip_unknown(conform, event, member);

	/* that its "$type" is the definition's is known */
	node = &set->nodes[set->definitions[definition].node];
	if (node->type == ATID_LEX_OTHER)
		return skip_value(conform, event);
	if (node->type == ATID_LEX_RECORD)
		node = &set->nodes[node->first];
	else if (node->type != ATID_LEX_OBJECT)
		return note_fault(conform, ATID_CONFORM_NO_VALUES);
	return begin_object(conform, node);
}

AtidFault
atid_conform_value(AtidConform *conform, AtidCborEvent event, const AtidCborItem *item)
{
	AtidConformFrame *frame = &conform->frames[conform->depth];
	const AtidLexicon *set = conform->set;
	const AtidLexNode *node;
	uint32_t	definition;

	switch ((AtidConformRole) frame->value_role)
	{
		case ATID_ROLE_OF_NODE:
		case ATID_ROLE_OF_DEFINITION:
			break;
		case ATID_ROLE_OF_TYPE:
			return see_record(conform, event);
		case ATID_ROLE_MIME_TYPE:
		case ATID_ROLE_SIZE:
		case ATID_ROLE_CID:
			return see_blob_value(conform, frame, event, item);
		default:
			return skip_value(conform, event);
	}

	if (event == ATID_CBOR_NULL)
		return frame->nullable ? ATID_OK : note_fault(conform, ATID_CONFORM_NULL);
	if (frame->value_role == ATID_ROLE_OF_DEFINITION)
		return see_value_of_definition(conform, frame->value, event, item);
	node = &set->nodes[frame->value];
	switch ((AtidLexType) node->type)
	{
		case ATID_LEX_REF:
			definition = set->refs[node->first].definition;
			if (definition == ATID_LEX_NONE)
				return skip_unknown(conform, event, node->first);
			return see_value_of_definition(conform, definition, event, item);
		case ATID_LEX_UNION:
			return see_value_of_union(conform, frame->value, event);
		default:
			return see_value_of_node(conform, frame->value, event, item);
	}
}
