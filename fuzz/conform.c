/*-------------------------------------------------------------------------
 *
 * conform.c
 *		The machine says what a slow validator says, which is written from the
 *		specification: recursive, over a tree of the value, and over the documents
 *		themselves instead of the program.
 *
 * The input makes a small set and a record, both of few names and values, so that they
 * often fit; and a value for the input of a procedure, if the set has one.  Half of the
 * choices follow the schema.  The verdict is the same; where it
 * is false, so it is in a block in which the fault is the last thing.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/conform.h"

#include <string.h>

#include "codec/cbor/seek.h"
#include "codec/lexicon/compile.h"
#include "codec/text/datetime.h"
#include "codec/text/format.h"
#include "codec/text/grapheme.h"
#include "../t/unit/failing_lexicon.h"
#include "fuzz.h"

/*
 * The input, as choices.  At its end each choice is the first.
 */

static const uint8_t *choices;
static size_t choices_left;

/*
 * May the set have a procedure, and a type and a format that the language lacks?  The last byte
 * says so, so that older seeds, which end in an even one, are what they were.
 */
static bool with_more;

static unsigned
choose(unsigned n)
{
	if (choices_left == 0)
		return 0;
	choices_left--;
	return *choices++ % n;
}

#define ONE_OF(list) ((list)[choose(sizeof(list) / sizeof((list)[0]))])

/*
 * Trees: what a set and a record are made as, and what the slow validator reads.
 */

typedef enum Kind
{
	KIND_NULL, KIND_BOOLEAN, KIND_INTEGER, KIND_STRING, KIND_BYTES, KIND_LINK, KIND_ARRAY,
	KIND_MAP
} Kind;

#define PARTS_MAX 12

typedef struct Tree
{
	Kind		kind;
	int64_t		integer;
	const char *string;			/* of a string; and the contents of bytes */
	int			count;
	const char *keys[PARTS_MAX];
	struct Tree *parts[PARTS_MAX];
} Tree;

#define TREES_MAX 4096

static Tree trees[TREES_MAX];
static int	tree_count;

static Tree *
make(Kind kind)
{
	Tree	   *tree = &trees[tree_count < TREES_MAX - 1 ? tree_count++ : tree_count];

	memset(tree, 0, sizeof(*tree));
	tree->kind = kind;
	return tree;
}

static Tree *
make_integer(int64_t integer)
{
	Tree	   *tree = make(KIND_INTEGER);

	tree->integer = integer;
	return tree;
}

static Tree *
make_string(const char *string)
{
	Tree	   *tree = make(KIND_STRING);

	tree->string = string;
	return tree;
}

static Tree *
get(const Tree *map, const char *key)
{
	for (int i = 0; i < map->count; i++)
		if (map->kind == KIND_MAP && strcmp(map->keys[i], key) == 0)
			return map->parts[i];
	return NULL;
}

/* Add a pair, unless the key is there. */
static void
put(Tree *map, const char *key, Tree *value)
{
	if (map->count < PARTS_MAX && get(map, key) == NULL)
	{
		map->keys[map->count] = key;
		map->parts[map->count++] = value;
	}
}

static void
append(Tree *array, Tree *item)
{
	if (array->count < PARTS_MAX)
		array->parts[array->count++] = item;
}

static bool
string_is(const Tree *tree, const char *string)
{
	return tree != NULL && tree->kind == KIND_STRING && strcmp(tree->string, string) == 0;
}

/* A link of codec raw; its bytes are the same in all. */
static const uint8_t link_bytes[36] = {1, 0x55, 0x12, 0x20};

static void
write_tree(AtidCborWriter *writer, const Tree *tree)
{
	bool		done[PARTS_MAX] = {false};

	switch (tree->kind)
	{
		case KIND_NULL:
			atid_cbor_put_null(writer);
			break;
		case KIND_BOOLEAN:
			atid_cbor_put_bool(writer, tree->integer != 0);
			break;
		case KIND_INTEGER:
			atid_cbor_put_integer(writer, tree->integer);
			break;
		case KIND_STRING:
			atid_cbor_put_text(writer, tree->string, strlen(tree->string));
			break;
		case KIND_BYTES:
			atid_cbor_put_bytes(writer, tree->string, strlen(tree->string));
			break;
		case KIND_LINK:
			atid_cbor_put_link(writer, link_bytes, sizeof(link_bytes));
			break;
		case KIND_ARRAY:
			atid_cbor_put_array(writer, (size_t) tree->count);
			for (int i = 0; i < tree->count; i++)
				write_tree(writer, tree->parts[i]);
			break;
		case KIND_MAP:
			atid_cbor_put_map(writer, (size_t) tree->count);
			for (int n = 0; n < tree->count; n++)
			{
				int			least = -1;

				for (int i = 0; i < tree->count; i++)
					if (!done[i] && (least < 0 ||
									 atid_cbor_key_cmp(tree->keys[i], strlen(tree->keys[i]),
													   tree->keys[least],
													   strlen(tree->keys[least])) < 0))
						least = i;
				done[least] = true;
				atid_cbor_put_text(writer, tree->keys[least], strlen(tree->keys[least]));
				write_tree(writer, tree->parts[least]);
			}
	}
}

/*
 * What sets and records are made of
 */

static const char *const names[] = {
	"a", "b", "$type", "cc", "main", "size", "cid", "mimeType", "constructor", "ref"
};
static const char *const property_names[] = {"a", "b", "cc", "size", "mimeType", "constructor"};
static const char *const nsids[] = {"com.example.a", "com.example.b", "com.example.cc"};
static const char procedure_nsid[] = "com.example.put";
static const char *const references[] = {
	"#a", "#b", "#main", "com.example.a", "com.example.b", "com.example.b#a", "com.example.b#b",
	"com.example.cc#a", "com.example.none", "com.example.a#main", "com.example.a#a"
};
static const char *const types[] = {
	"com.example.a", "com.example.b", "com.example.a#a", "com.example.a#b", "com.example.b#a",
	"com.example.b#b", "com.example.cc#a", "com.example.none", "com.example.a#main", "#a", "blob",
	"lex:com.example.a", "x", "com.example.cc", "com.example.a#"
};
static const char *const strings[] = {
	"", "a", "ab", "abc", "\xC3\xA9", "e\xCC\x81", "\xE4\xB8\xAD\xE6\x96\x87", "image/png",
	"text/plain", "did:web:a.example", "2026-03-17T10:20:30Z", "2026-03-17T10:20:30", "a.example",
	"com.example.a", "3kznmn7xqxl22", "en", "at://a.example", "https://example.com",
	"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
};
static const char *const formats[] = {
	"at-identifier", "at-uri", "cid", "datetime", "did", "handle", "language", "nsid",
	"record-key", "tid", "uri"
};
static const char other_format[] = "space-ref";	/* which the language lacks */
static const char *const patterns[] = {
	"*/*", "image/*", "text/plain", "*", "text/pl*", "", "image/png", "t*/*", "*/"
};
static const char *const field_types[] = {
	"string", "object", "ref", "union", "integer", "boolean", "bytes", "cid-link", "blob",
	"array", "unknown"
};
static const char other_type[] = "space";	/* which the language lacks */
static const char *const body_types[] = {"object", "ref", "union"};
static const char *const definition_types[] = {
	"object", "string", "integer", "array", "blob", "token"
};

static Tree *make_schema(const char *type, int depth);

static void
make_limits(Tree *schema, const char *min, const char *max)
{
	int64_t		least = (int64_t) choose(4);

	if (choose(4) == 1)
		put(schema, min, make_integer(least));
	if (choose(4) == 1)
		put(schema, max, make_integer(least + (int64_t) choose(3)));
}

static void
make_properties(Tree *schema, int depth)
{
	Tree	   *properties = make(KIND_MAP);
	Tree	   *required = make(KIND_ARRAY);
	Tree	   *nullable = make(KIND_ARRAY);

	for (unsigned n = choose(5); n > 0; n--)
	{
		const char *name = ONE_OF(property_names);

		if (get(properties, name) != NULL)
			continue;
		put(properties, name, make_schema(ONE_OF(field_types), depth + 1));
		if (choose(3) == 1)
			append(required, make_string(name));
		if (choose(4) == 1)
			append(nullable, make_string(name));
	}
	put(schema, "properties", properties);
	put(schema, "required", required);
	put(schema, "nullable", nullable);
}

static Tree *
make_schema(const char *type, int depth)
{
	Tree	   *schema = make(KIND_MAP);
	Tree	   *list = make(KIND_ARRAY);

	if (depth > 3)
		type = "integer";
	put(schema, "type", make_string(type));
	if (strcmp(type, "boolean") == 0)
	{
		if (choose(3) == 1)
			put(schema, "const", make(KIND_BOOLEAN));
	}
	else if (strcmp(type, "integer") == 0)
	{
		make_limits(schema, "minimum", "maximum");
		if (choose(5) == 1)
			put(schema, "const", make_integer((int64_t) choose(4)));
		if (choose(5) == 1)
		{
			for (unsigned n = choose(4); n > 0; n--)
				append(list, make_integer((int64_t) choose(5) - 1));
			put(schema, "enum", list);
		}
	}
	else if (strcmp(type, "string") == 0)
	{
		make_limits(schema, "minLength", "maxLength");
		make_limits(schema, "minGraphemes", "maxGraphemes");
		if (choose(3) == 1)
			put(schema, "format", make_string(with_more && choose(8) == 1 ? other_format :
											  ONE_OF(formats)));
		if (choose(8) == 1)
			put(schema, "const", make_string(ONE_OF(strings)));
		if (choose(8) == 1)
		{
			for (unsigned n = choose(5); n > 0; n--)
				append(list, make_string(ONE_OF(strings)));
			put(schema, "enum", list);
		}
	}
	else if (strcmp(type, "bytes") == 0)
		make_limits(schema, "minLength", "maxLength");
	else if (strcmp(type, "array") == 0)
	{
		make_limits(schema, "minLength", "maxLength");
		put(schema, "items", make_schema(ONE_OF(field_types), depth + 1));
	}
	else if (strcmp(type, "object") == 0)
		make_properties(schema, depth);
	else if (strcmp(type, "blob") == 0)
	{
		if (choose(2) == 1)
			put(schema, "maxSize", make_integer((int64_t) choose(3)));
		if (choose(2) == 1)
		{
			for (unsigned n = choose(4); n > 0; n--)
				append(list, make_string(ONE_OF(patterns)));
			put(schema, "accept", list);
		}
	}
	else if (strcmp(type, "ref") == 0)
		put(schema, "ref", make_string(ONE_OF(references)));
	else if (strcmp(type, "union") == 0)
	{
		bool		closed = choose(2) == 1;

		for (unsigned n = choose(4) + closed; n > 0; n--)
			append(list, make_string(ONE_OF(references)));
		put(schema, "refs", list);
		if (closed)
		{
			Tree	   *yes = make(KIND_BOOLEAN);

			yes->integer = 1;
			put(schema, "closed", yes);
		}
	}
	return schema;
}

/* A procedure with an input. */
static Tree *
make_procedure(void)
{
	Tree	   *procedure = make(KIND_MAP);
	Tree	   *input = make(KIND_MAP);

	put(procedure, "type", make_string("procedure"));
	put(procedure, "input", input);
	put(input, "encoding", make_string(choose(2) == 1 ? "text/plain" : "application/json"));
	if (choose(4) != 1)
		put(input, "schema", make_schema(ONE_OF(body_types), 0));
	return procedure;
}

static Tree *
make_set(void)
{
	Tree	   *set = make(KIND_MAP);

	for (unsigned i = 0; i < 3; i++)
	{
		Tree	   *document = make(KIND_MAP);
		Tree	   *definitions = make(KIND_MAP);
		Tree	   *record = make(KIND_MAP);

		if (i > 0 && choose(4) == 1)
			continue;
		put(document, "lexicon", make_integer(1));
		put(document, "id", make_string(nsids[i]));
		put(document, "defs", definitions);
		put(record, "type", make_string("record"));
		put(record, "key", make_string("any"));
		put(record, "record", make_schema("object", 0));
		put(definitions, "main", i == 0 || choose(2) == 0 ? record :
			make_schema(with_more && choose(8) == 1 ? other_type : ONE_OF(definition_types), 0));
		put(definitions, "a", make_schema(ONE_OF(definition_types), 0));
		if (choose(3) != 1)
			put(definitions, "b", make_schema(ONE_OF(definition_types), 0));
		put(set, nsids[i], document);
	}
	if (with_more && choose(2) == 1)
	{
		Tree	   *document = make(KIND_MAP);
		Tree	   *definitions = make(KIND_MAP);

		put(document, "lexicon", make_integer(1));
		put(document, "id", make_string(procedure_nsid));
		put(document, "defs", definitions);
		put(definitions, "main", make_procedure());
		put(definitions, "a", make_schema("object", 0));
		put(definitions, "b", make_schema(ONE_OF(definition_types), 0));
		put(set, procedure_nsid, document);
	}
	return set;
}

/*
 * The definition that a reference in a document leads to, or NULL; *type is its "$type".
 */
static const Tree *
resolve(const Tree *set, const char *nsid, const char *reference, char *type)
{
	const char *hash = strchr(reference, '#');
	const char *name = hash != NULL ? hash + 1 : "main";
	char		document[64];
	const Tree *found;

	snprintf(document, sizeof(document), "%.*s",
			 hash != NULL ? (int) (hash - reference) : (int) strlen(reference), reference);
	if (document[0] == '\0')
		snprintf(document, sizeof(document), "%s", nsid);
	snprintf(type, 100, "%s%s%s", document, strcmp(name, "main") == 0 ? "" : "#",
			 strcmp(name, "main") == 0 ? "" : name);
	found = get(set, document);
	return found == NULL ? NULL : get(get(found, "defs"), name);
}

/* A value of any kind, or, more often, one that the schema may take. */
static Tree *
make_value(const Tree *set, const char *nsid, const Tree *schema, int depth)
{
	char		type[100];
	Tree	   *value;
	const char *wanted = schema != NULL ? get(schema, "type")->string : "";
	unsigned	other = choose(schema != NULL ? 24 : 8);

	if (depth > 5)
		return make(KIND_NULL);
	if (other == 1 || strcmp(wanted, "integer") == 0)
		return make_integer((int64_t) choose(5) - 1);
	if (other == 2 || strcmp(wanted, "string") == 0)
		return make_string(ONE_OF(strings));
	if (other == 3 || strcmp(wanted, "boolean") == 0)
	{
		value = make(KIND_BOOLEAN);
		value->integer = (int64_t) choose(2);
		return value;
	}
	if (other == 4 || strcmp(wanted, "bytes") == 0)
	{
		value = make(KIND_BYTES);
		value->string = ONE_OF(strings);
		return value;
	}
	if (other == 5 || strcmp(wanted, "cid-link") == 0)
		return make(KIND_LINK);
	if (other == 6 || strcmp(wanted, "array") == 0)
	{
		value = make(KIND_ARRAY);
		for (unsigned n = choose(4); n > 0; n--)
			append(value, make_value(set, nsid, schema != NULL ? get(schema, "items") : NULL,
									 depth + 1));
		return value;
	}
	if (other == 7)
		return make(KIND_NULL);
	if (strcmp(wanted, "ref") == 0 || strcmp(wanted, "union") == 0)
	{
		const Tree *refs = get(schema, "refs");
		const Tree *ref = refs == NULL ? get(schema, "ref") :
			refs->count > 0 ? refs->parts[choose((unsigned) refs->count)] : NULL;

		schema = ref != NULL ? resolve(set, nsid, ref->string, type) : NULL;
		if (schema != NULL && string_is(get(schema, "type"), "record"))
			schema = get(schema, "record");
		value = make_value(set, nsid, schema, depth + 1);
		if (value->kind == KIND_MAP && ref != NULL && choose(4) > 0)
		{
			/* a text that lives as long as the trees do */
			for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
				if (strcmp(types[i], type) == 0)
					put(value, "$type", make_string(types[i]));
		}
		return value;
	}

	value = make(KIND_MAP);
	if (strcmp(wanted, "blob") == 0 || choose(16) == 1)
	{
		if (choose(6) > 0)
			put(value, "$type", make_string("blob"));
		if (choose(6) > 0)
			put(value, "mimeType", make_string(ONE_OF(strings)));
		if (choose(6) > 0)
			put(value, "size", make_integer((int64_t) choose(4)));
		if (choose(6) > 0)
			put(value, "ref", make(KIND_LINK));
		if (choose(2) == 1)
			put(value, "cid", make_string(strings[sizeof(strings) / sizeof(strings[0]) - 1]));
	}
	else if (choose(6) == 1)
		put(value, "$type", make_string(ONE_OF(types)));
	if (schema != NULL && get(schema, "properties") != NULL)
	{
		const Tree *properties = get(schema, "properties");

		for (int i = 0; i < properties->count; i++)
			if (choose(5) > 0)
				put(value, properties->keys[i],
					make_value(set, nsid, properties->parts[i], depth + 1));
	}
	if (choose(4) == 1)
		put(value, ONE_OF(names), make_value(set, nsid, NULL, depth + 1));
	return value;
}

/*
 * The slow validator
 */

typedef enum Verdict
{
	VERDICT_FALSE, VERDICT_UNKNOWN, VERDICT_TRUE
} Verdict;

static const Tree *the_set;
static bool is_lenient;

static Verdict
least(Verdict a, Verdict b)
{
	return a < b ? a : b;
}

static Verdict
verdict_of(bool yes)
{
	return yes ? VERDICT_TRUE : VERDICT_FALSE;
}

static bool
is_between(const Tree *schema, const char *min, const char *max, int64_t value)
{
	const Tree *least_value = get(schema, min);
	const Tree *most = get(schema, max);

	return (least_value == NULL || value >= least_value->integer) &&
		(most == NULL || value <= most->integer);
}

static bool
is_equal(const Tree *a, const Tree *b)
{
	return a->kind == b->kind && a->integer == b->integer &&
		(a->kind != KIND_STRING || strcmp(a->string, b->string) == 0);
}

/* const and enum */
static bool
is_listed(const Tree *schema, const Tree *value)
{
	const Tree *constant = get(schema, "const");
	const Tree *list = get(schema, "enum");

	if (constant != NULL && !is_equal(constant, value))
		return false;
	for (int i = 0; list != NULL && i < list->count; i++)
		if (is_equal(list->parts[i], value))
			return true;
	return list == NULL;
}

static bool
slow_string(const Tree *schema, const Tree *value)
{
	const Tree *format = get(schema, "format");
	size_t		len = strlen(value->string);
	AtidFormat	number;
	size_t		at;
	int64_t		us;

	if (!is_listed(schema, value) ||
		!is_between(schema, "minLength", "maxLength", (int64_t) len) ||
		!is_between(schema, "minGraphemes", "maxGraphemes",
					(int64_t) atid_grapheme_count(value->string, len, SIZE_MAX, NULL)))
		return false;
	if (format == NULL)
		return true;
	if (strcmp(format->string, other_format) == 0)
		return true;
	CLAIM(atid_format_by_name(format->string, strlen(format->string), &number));
	if (is_lenient && number == ATID_FORMAT_DATETIME)
		return atid_datetime_parse_sloppy(value->string, len, &us, &at) == ATID_OK;
	return atid_format_scan(number, value->string, len, &at) == ATID_OK;
}

static bool
slow_accepts(const char *pattern, const char *type)
{
	size_t		len = strlen(pattern);

	if (strcmp(pattern, "*/*") == 0)
		return true;
	if (len > 1 && strcmp(pattern + len - 2, "/*") == 0 &&
		strchr(pattern, '*') == pattern + len - 1)
		return strncmp(pattern, type, len - 1) == 0;
	return len > 0 && strchr(pattern, '*') == NULL && strcmp(pattern, type) == 0;
}

/* The data model's rules of a blob are not the machine's. */
static bool
slow_blob(const Tree *schema, const Tree *value)
{
	const Tree *type = get(value, "mimeType");
	const Tree *size = get(value, "size");
	const Tree *cid = get(value, "cid");
	const Tree *accept = get(schema, "accept");
	const Tree *max = get(schema, "maxSize");
	bool		accepted = accept == NULL || type == NULL || type->kind != KIND_STRING;
	size_t		at;

	if (value->kind != KIND_MAP)
		return false;
	if (!string_is(get(value, "$type"), "blob"))
		return is_lenient &&
			(get(value, "$type") == NULL || get(value, "$type")->kind != KIND_STRING) &&
			type != NULL && type->kind == KIND_STRING && type->string[0] != '\0' &&
			cid != NULL && cid->kind == KIND_STRING &&
			atid_cid_string_scan(cid->string, strlen(cid->string), &at) == ATID_OK;
	if (is_lenient)
		return true;
	for (int i = 0; !accepted && i < accept->count; i++)
		accepted = slow_accepts(accept->parts[i]->string, type->string);
	return accepted &&
		(max == NULL || size == NULL || size->kind != KIND_INTEGER ||
		 size->integer <= max->integer);
}

static Verdict slow_value(const char *nsid, const Tree *schema, const Tree *value);

static Verdict
slow_object(const char *nsid, const Tree *schema, const Tree *value)
{
	const Tree *properties = get(schema, "properties");
	const Tree *required = get(schema, "required");
	const Tree *nullable = get(schema, "nullable");
	Verdict		verdict = VERDICT_TRUE;

	if (value->kind != KIND_MAP)
		return VERDICT_FALSE;
	for (int i = 0; i < required->count; i++)
		if (get(value, required->parts[i]->string) == NULL)
			return VERDICT_FALSE;
	for (int i = 0; i < properties->count; i++)
	{
		const Tree *part = get(value, properties->keys[i]);
		bool		null_is_fine = false;

		for (int j = 0; j < nullable->count; j++)
			if (string_is(nullable->parts[j], properties->keys[i]))
				null_is_fine = true;
		if (part != NULL && !(part->kind == KIND_NULL && null_is_fine))
			verdict = least(verdict, slow_value(nsid, properties->parts[i], part));
	}
	return verdict;
}

/* A value of a definition, to which a reference led. */
static Verdict
slow_definition(const Tree *definition, const char *type, const Tree *value, bool in_union)
{
	char		nsid[64];
	const Tree *own_type = get(value, "$type");

	snprintf(nsid, sizeof(nsid), "%.*s", (int) strcspn(type, "#"), type);
	if (string_is(get(definition, "type"), "record"))
	{
		if (value->kind != KIND_MAP || !string_is(own_type, type))
			return VERDICT_FALSE;
		return slow_object(nsid, get(definition, "record"), value);
	}
	if (string_is(get(definition, "type"), other_type))
		return verdict_of(value->kind != KIND_NULL);
	if (in_union && !string_is(get(definition, "type"), "object"))
		return VERDICT_FALSE;
	if (string_is(get(definition, "type"), "object") && own_type != NULL &&
		own_type->kind == KIND_STRING && !string_is(own_type, type))
		return VERDICT_FALSE;
	return slow_value(nsid, definition, value);
}

static Verdict
slow_union(const char *nsid, const Tree *schema, const Tree *value)
{
	const Tree *refs = get(schema, "refs");
	const Tree *own_type = get(value, "$type");
	char		type[100];

	if (value->kind != KIND_MAP || own_type == NULL || own_type->kind != KIND_STRING)
		return VERDICT_FALSE;
	for (int i = 0; i < refs->count; i++)
	{
		const Tree *definition = resolve(the_set, nsid, refs->parts[i]->string, type);

		if (strcmp(type, own_type->string) != 0)
			continue;
		return definition == NULL ? VERDICT_UNKNOWN :
			slow_definition(definition, type, value, true);
	}
	return verdict_of(get(schema, "closed") == NULL);
}

static Verdict
slow_value(const char *nsid, const Tree *schema, const Tree *value)
{
	const char *wanted = get(schema, "type")->string;

	if (value->kind == KIND_NULL)
		return VERDICT_FALSE;
	if (strcmp(wanted, "boolean") == 0)
		return verdict_of(value->kind == KIND_BOOLEAN && is_listed(schema, value));
	if (strcmp(wanted, "integer") == 0)
		return verdict_of(value->kind == KIND_INTEGER && is_listed(schema, value) &&
						  is_between(schema, "minimum", "maximum", value->integer));
	if (strcmp(wanted, "string") == 0)
		return verdict_of(value->kind == KIND_STRING && slow_string(schema, value));
	if (strcmp(wanted, "bytes") == 0)
		return verdict_of(value->kind == KIND_BYTES &&
						  is_between(schema, "minLength", "maxLength",
									 (int64_t) strlen(value->string)));
	if (strcmp(wanted, "cid-link") == 0)
		return verdict_of(value->kind == KIND_LINK);
	if (strcmp(wanted, "blob") == 0)
		return verdict_of(slow_blob(schema, value));
	if (strcmp(wanted, "object") == 0)
		return slow_object(nsid, schema, value);
	if (strcmp(wanted, "unknown") == 0)
		return verdict_of(value->kind == KIND_MAP && !string_is(get(value, "$type"), "blob"));
	if (strcmp(wanted, "union") == 0)
		return slow_union(nsid, schema, value);
	if (strcmp(wanted, "array") == 0)
	{
		Verdict		verdict = VERDICT_TRUE;

		if (value->kind != KIND_ARRAY ||
			!is_between(schema, "minLength", "maxLength", value->count))
			return VERDICT_FALSE;
		for (int i = 0; i < value->count; i++)
			verdict = least(verdict, slow_value(nsid, get(schema, "items"), value->parts[i]));
		return verdict;
	}
	if (strcmp(wanted, "ref") == 0)
	{
		char		type[100];
		const Tree *definition = resolve(the_set, nsid, get(schema, "ref")->string, type);

		return definition == NULL ? VERDICT_UNKNOWN :
			slow_definition(definition, type, value, false);
	}
	return VERDICT_FALSE;		/* a token */
}

static Verdict
slow_record(const Tree *value)
{
	const Tree *own_type = get(value, "$type");
	const Tree *definition;
	size_t		at;
	char		type[100];

	if (value->kind != KIND_MAP || own_type == NULL || own_type->kind != KIND_STRING ||
		atid_format_scan(ATID_FORMAT_NSID, own_type->string, strlen(own_type->string),
						 &at) != ATID_OK)
		return VERDICT_FALSE;
	definition = resolve(the_set, "", own_type->string, type);
	if (definition == NULL || string_is(get(definition, "type"), other_type))
		return VERDICT_UNKNOWN;
	if (!string_is(get(definition, "type"), "record"))
		return VERDICT_FALSE;
	return slow_definition(definition, type, value, false);
}

/* The input of the procedure. */
static Verdict
slow_input(const Tree *value)
{
	const Tree *document = get(the_set, procedure_nsid);
	const Tree *input;

	if (document == NULL)
		return VERDICT_FALSE;
	input = get(get(get(document, "defs"), "main"), "input");
	if (get(input, "schema") == NULL)
		return verdict_of(string_is(get(input, "encoding"), "application/json"));
	return slow_value(procedure_nsid, get(input, "schema"), value);
}

/*
 * The machine
 */

static AtidCborReader reader;
static AtidConform conform;

static bool
type_of(void *arg, const char **type, size_t *len)
{
	const AtidCborReader *r = arg;
	AtidSeek	seek = {.p = r->at,.end = r->end};

	return atid_seek_step(&seek, "$type", 5) == ATID_SEEK_FOUND &&
		atid_seek_text(&seek, type, len);
}

static Verdict
run_machine(const AtidLexicon *set, const uint8_t *block, size_t len, bool record, bool must_know)
{
	AtidCborEvent event;
	AtidCborItem item;

	atid_conform_init(&conform, set, is_lenient);
	conform.must_know = must_know;
	conform.type_of = type_of;
	conform.arg = &reader;
	if (record)
		atid_conform_begin_record(&conform, NULL, 0);
	else if (atid_conform_begin_xrpc(&conform, procedure_nsid, strlen(procedure_nsid),
									 "input") != ATID_OK)
		return VERDICT_FALSE;
	atid_cbor_reader_init(&reader, block, len);
	do
	{
		event = atid_cbor_next(&reader, &item);
		CLAIM(event != ATID_CBOR_FAULT);
		if (atid_conform_next(&conform, event, &item) != ATID_OK)
		{
			CLAIM(conform.fault != ATID_OK);
			CLAIM(atid_fault_has_about(conform.fault) == (conform.about != ATID_ABOUT_NOTHING &&
														  conform.about != ATID_ABOUT_CHARACTER));
			return VERDICT_FALSE;
		}
		CLAIM(conform.depth + (int) conform.skipped <= reader.depth);
	} while (event != ATID_CBOR_END);
	CLAIM(conform.depth == 0 && conform.skipped == 0);
	return conform.unknown ? VERDICT_UNKNOWN : VERDICT_TRUE;
}

static uint8_t *
block_of(const Tree *tree, size_t *len)
{
	static uint8_t bytes[1 << 20];
	AtidCborWriter writer = {.data = bytes,.cap = sizeof(bytes)};
	uint8_t    *block;

	write_tree(&writer, tree);
	CLAIM(writer.fault == ATID_OK);
	block = exact_memory(writer.len);
	memcpy(block, bytes, writer.len);
	*len = writer.len;
	return block;
}

/*
 * The verdict on an input that the schema may take.
 */
static void
check_input(const AtidLexicon *set)
{
	const Tree *document = get(the_set, procedure_nsid);
	const Tree *schema = NULL;
	Tree	   *value;
	uint8_t    *block;
	size_t		len;

	if (document != NULL)
		schema = get(get(get(get(document, "defs"), "main"), "input"), "schema");
	value = make_value(the_set, procedure_nsid, schema, 0);
	if (tree_count >= TREES_MAX - 1)
		return;
	block = block_of(value, &len);
	for (int lenient = 0; lenient <= 1; lenient++)
	{
		is_lenient = lenient;
		CLAIM(run_machine(set, block, len, false, false) == slow_input(value));
		CLAIM((run_machine(set, block, len, false, true) == VERDICT_TRUE) ==
			  (slow_input(value) == VERDICT_TRUE));
	}
	free(block);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const AtidLexCaller caller = {fuzz_memory, merge_sort, NULL, NULL};
	Tree	   *record;
	AtidLexicon set;
	uint8_t    *bytes;
	uint8_t    *block;
	size_t		len;
	size_t		block_len;
	size_t		at;

	choices = data;
	choices_left = size;
	with_more = size > 0 && data[size - 1] % 2 == 1;
	tree_count = 0;
	the_set = make_set();
	bytes = block_of(the_set, &len);

	claim_fails_cleanly(compile_or_fail, &(SetBytes) {bytes, len}, size);

	/* a local reference that leads nowhere is a fault of the set */
	if (tree_count < TREES_MAX - 1 &&
		atid_lexicon_compile(&set, &caller, bytes, len, &at) == ATID_OK)
	{
		for (int i = 0; i < 4; i++)
		{
			const char *type = choose(8) == 1 ? ONE_OF(types) : nsids[choose(2)];
			char		nsid[100];
			const Tree *definition = resolve(the_set, "", type, nsid);

			record = make_value(the_set, type, definition != NULL &&
								string_is(get(definition, "type"), "record") ?
								get(definition, "record") : definition, 0);
			if (record->kind != KIND_MAP && choose(8) > 0)
				record = make(KIND_MAP);
			if (record->kind == KIND_MAP)
				put(record, "$type", make_string(type));
			if (tree_count >= TREES_MAX - 1)
				break;
			block = block_of(record, &block_len);
			for (int lenient = 0; lenient <= 1; lenient++)
			{
				is_lenient = lenient;
				CLAIM(run_machine(&set, block, block_len, true, false) == slow_record(record));
				CLAIM((run_machine(&set, block, block_len, true, true) == VERDICT_TRUE) ==
					  (slow_record(record) == VERDICT_TRUE));
			}
			free(block);
		}
		check_input(&set);
		atid_lexicon_free(&set, &caller);
	}
	free(bytes);
	return 0;
}
