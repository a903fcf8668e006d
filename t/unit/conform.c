/*-------------------------------------------------------------------------
 *
 * conform.c
 *		What conforms to a schema: each type and constraint, on both sides of each limit.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/conform.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/seek.h"
#include "codec/lexicon/compile.h"
#include "failing.h"
#include "json_cbor.h"
#include "merge_sort.h"
#include "tap.h"

static AtidCborReader reader;
static AtidConform conform;

static Failing memory;

static const AtidLexCaller caller = {failing_memory, merge_sort, NULL, &memory};

static bool
type_of(void *arg, const char **type, size_t *len)
{
	const AtidCborReader *r = arg;
	AtidSeek	seek = {.p = r->at,.end = r->end};

	return atid_seek_step(&seek, "$type", 5) == ATID_SEEK_FOUND &&
		atid_seek_text(&seek, type, len);
}

/* The result of a check: a fault, or else whether the set cannot say. */
#define UNKNOWN	ATID_FAULTS

static AtidFault
run_machine(const uint8_t *block, size_t len)
{
	AtidCborEvent event;
	AtidCborItem item;
	AtidFault	fault = ATID_OK;

	atid_cbor_reader_init(&reader, block, len);
	conform.type_of = type_of;
	conform.arg = &reader;
	do
	{
		event = atid_cbor_next(&reader, &item);
		if (event == ATID_CBOR_FAULT)
			return reader.fault;
		fault = atid_conform_next(&conform, event, &item);
	} while (event != ATID_CBOR_END && fault == ATID_OK);
	return fault != ATID_OK ? fault : conform.unknown ? UNKNOWN : ATID_OK;
}

static void
compile(AtidLexicon *set, const uint8_t *bytes, size_t len)
{
	size_t		at = 0;
	AtidFault	fault = atid_lexicon_compile(set, &caller, bytes, len, &at);

	if (fault != ATID_OK)
	{
		printf("Bail out! at %zu: %s\n", at, atid_fault_words(fault));
		exit(1);
	}
}

/* The definitions beside main that the schemas below refer to. */
static const char definitions[] =
	"'obj': {'type': 'object', 'required': ['n'], 'properties': {'n': {'type': 'integer'}}},"
	"'all': {'type': 'object', 'properties': {'all': {'type': 'union', 'refs': ['#all', '#obj'],"
	" 'closed': true}}},"
	"'ids': {'type': 'array', 'items': {'type': 'string', 'format': 'did'}},"
	"'tok': {'type': 'token'}, 'int': {'type': 'integer', 'maximum': 9},"
	"'img': {'type': 'blob', 'accept': ['image/*'], 'maxSize': 10}";

/* A record {"v": value} of the schema {"v": schema}. */
typedef struct Case
{
	const char *schema;
	const char *value;
	AtidFault	want;
	AtidFault	lenient;		/* the same, if it is 0; ATID_FAULTS + 1 for none */
} Case;

#define NONE	((AtidFault) (ATID_FAULTS + 1))

#define STRING(more)	"{'type': 'string'" more "}"
#define INTEGER(more)	"{'type': 'integer'" more "}"
#define FORMAT(name)	"{'type': 'string', 'format': '" name "'}"
#define BLOB(more)		"{'type': 'blob'" more "}"
#define REF(ref)		"{'type': 'ref', 'ref': '" ref "'}"
#define UNION(refs)		"{'type': 'union', 'refs': [" refs "]}"
#define CLOSED(refs)	"{'type': 'union', 'closed': true, 'refs': [" refs "]}"
#define OBJECT(properties, more) \
	"{'type': 'object'" more ", 'properties': {" properties "}}"
#define THREE \
	OBJECT("'a': {'type': 'integer'}, 'b': {'type': 'integer'}, 'cc': {'type': 'integer'}", \
		   ", 'required': ['b']")
#define RAW \
	"{'$link': '015512200000000000000000000000000000000000000000000000000000000000000000'}"
#define A_BLOB(type, size) \
	"{'$type': 'blob', 'mimeType': '" type "', 'size': " size ", 'ref': " RAW "}"
#define A_CID			"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
#define FAMILY			"\\u1100\\u1161\\u11A8"	/* one grapheme of nine bytes */

static const Case cases[] = {
	{"{'type': 'boolean'}", "true", ATID_OK, 0},
	{"{'type': 'boolean'}", "1", ATID_CONFORM_NOT_BOOLEAN, 0},
	{"{'type': 'boolean', 'const': true}", "false", ATID_CONFORM_CONST, 0},
	{"{'type': 'boolean', 'const': false}", "false", ATID_OK, 0},
	{"{'type': 'boolean'}", "null", ATID_CONFORM_NULL, 0},

	{INTEGER(""), "9007199254740993", ATID_OK, 0},
	{INTEGER(""), "'1'", ATID_CONFORM_NOT_INTEGER, 0},
	{INTEGER(", 'minimum': -5, 'maximum': 5"), "-5", ATID_OK, 0},
	{INTEGER(", 'minimum': -5, 'maximum': 5"), "-6", ATID_CONFORM_MINIMUM, 0},
	{INTEGER(", 'minimum': -5, 'maximum': 5"), "5", ATID_OK, 0},
	{INTEGER(", 'minimum': -5, 'maximum': 5"), "6", ATID_CONFORM_MAXIMUM, 0},
	{INTEGER(", 'maximum': 0"), "1", ATID_CONFORM_MAXIMUM, 0},
	{INTEGER(", 'enum': [9, 4, 16, 25]"), "4", ATID_OK, 0},
	{INTEGER(", 'enum': [9, 4, 16, 25]"), "25", ATID_OK, 0},
	{INTEGER(", 'enum': [9, 4, 16, 25]"), "5", ATID_CONFORM_ENUM, 0},
	{INTEGER(", 'enum': []"), "5", ATID_CONFORM_ENUM, 0},
	{INTEGER(", 'const': 42"), "42", ATID_OK, 0},
	{INTEGER(", 'const': 42"), "41", ATID_CONFORM_CONST, 0},
	{INTEGER(", 'const': 42, 'enum': [1]"), "42", ATID_CONFORM_ENUM, 0},
	{INTEGER(", 'const': 42, 'enum': [1]"), "1", ATID_CONFORM_CONST, 0},
	{INTEGER(", 'default': 42"), "1", ATID_OK, 0},

	{STRING(""), "''", ATID_OK, 0},
	{STRING(""), "'a\\u0000b'", ATID_OK, 0},
	{STRING(""), "{'$bytes': '00'}", ATID_CONFORM_NOT_STRING, 0},
	{STRING(", 'maxLength': 3"), "'\\u4E2D'", ATID_OK, 0},
	{STRING(", 'maxLength': 2"), "'\\u4E2D'", ATID_CONFORM_LONG_STRING, 0},
	{STRING(", 'minLength': 3"), "'\\u4E2D'", ATID_OK, 0},
	{STRING(", 'minLength': 4"), "'\\u4E2D'", ATID_CONFORM_SHORT_STRING, 0},
	{STRING(", 'maxGraphemes': 1"), "'" FAMILY "'", ATID_OK, 0},
	{STRING(", 'maxGraphemes': 1"), "'" FAMILY "a'", ATID_CONFORM_MANY_GRAPHEMES, 0},
	{STRING(", 'maxGraphemes': 3"), "'" FAMILY "ab'", ATID_OK, 0},
	{STRING(", 'maxGraphemes': 3"), "'" FAMILY "abc'", ATID_CONFORM_MANY_GRAPHEMES, 0},
	{STRING(", 'maxGraphemes': 0"), "''", ATID_OK, 0},
	{STRING(", 'maxGraphemes': 0"), "'a'", ATID_CONFORM_MANY_GRAPHEMES, 0},
	{STRING(", 'minGraphemes': 2"), "'" FAMILY "'", ATID_CONFORM_FEW_GRAPHEMES, 0},
	{STRING(", 'minGraphemes': 2"), "'" FAMILY "a'", ATID_OK, 0},
	{STRING(", 'minGraphemes': 2"), "'a'", ATID_CONFORM_FEW_GRAPHEMES, 0},
	{STRING(", 'minGraphemes': 2, 'maxGraphemes': 9"), "'" FAMILY "'", ATID_CONFORM_FEW_GRAPHEMES,
	0},
	{STRING(", 'minGraphemes': 2, 'maxGraphemes': 3"), "'" FAMILY "'", ATID_CONFORM_FEW_GRAPHEMES,
	0},
	{STRING(", 'minGraphemes': 2, 'maxGraphemes': 3"), "'" FAMILY "a'", ATID_OK, 0},
	{STRING(", 'minGraphemes': 0"), "''", ATID_OK, 0},
	{STRING(", 'enum': ['tree', 'a', 'rock']"), "'a'", ATID_OK, 0},
	{STRING(", 'enum': ['tree', 'a', 'rock']"), "'rock'", ATID_OK, 0},
	{STRING(", 'enum': ['tree', 'a', 'rock']"), "'tree'", ATID_OK, 0},
	{STRING(", 'enum': ['tree', 'a', 'rock']"), "'fish'", ATID_CONFORM_ENUM, 0},
	{STRING(", 'enum': []"), "''", ATID_CONFORM_ENUM, 0},
	{STRING(", 'const': 'x'"), "'x'", ATID_OK, 0},
	{STRING(", 'const': 'x'"), "'y'", ATID_CONFORM_CONST, 0},
	{STRING(", 'const': 'x', 'enum': ['y']"), "'x'", ATID_CONFORM_ENUM, 0},
	{STRING(", 'const': ''"), "''", ATID_OK, 0},
	{STRING(", 'knownValues': ['x']"), "'y'", ATID_OK, 0},

	{FORMAT("at-identifier"), "'a.example'", ATID_OK, 0},
	{FORMAT("at-identifier"), "'a'", ATID_HANDLE_SEGMENTS, 0},
	{FORMAT("at-uri"), "'at://a.example'", ATID_OK, 0},
	{FORMAT("at-uri"), "'at:a.example'", ATID_AT_URI_PREFIX, 0},
	{FORMAT("cid"), "'" A_CID "'", ATID_OK, 0},
	{FORMAT("cid"), "'-'", ATID_CID_STRING_CHARACTER, 0},
	{FORMAT("datetime"), "'2026-03-17T10:20:30Z'", ATID_OK, 0},
	{FORMAT("datetime"), "'2026-03-17T10:20:30'", ATID_DATETIME_NO_ZONE, NONE},
	{FORMAT("datetime"), "'2026-03-17 10:20:30+01'", ATID_DATETIME_SEPARATOR, ATID_DATETIME_ZONE},
	{FORMAT("datetime"), "'soon'", ATID_DATETIME_DATE, ATID_DATETIME_FORM},
	{FORMAT("did"), "'did:web:a.example'", ATID_OK, 0},
	{FORMAT("did"), "'did:Web:a.example'", ATID_DID_METHOD, 0},
	{FORMAT("handle"), "'a.example'", ATID_OK, 0},
	{FORMAT("handle"), "'a'", ATID_HANDLE_SEGMENTS, 0},
	{FORMAT("language"), "'pt-BR'", ATID_OK, 0},
	{FORMAT("language"), "'pt-'", ATID_LANGUAGE_SUBTAG, 0},
	{FORMAT("nsid"), "'com.example.post'", ATID_OK, 0},
	{FORMAT("nsid"), "'com.example'", ATID_NSID_SEGMENTS, 0},
	{FORMAT("record-key"), "'self'", ATID_OK, 0},
	{FORMAT("record-key"), "'.'", ATID_RECORD_KEY_DOTS, 0},
	{FORMAT("tid"), "'3kznmn7xqxl22'", ATID_OK, 0},
	{FORMAT("tid"), "'3kznmn7xqxl2'", ATID_TID_LENGTH, 0},
	{FORMAT("uri"), "'https://example.com'", ATID_OK, 0},
	{FORMAT("uri"), "'example.com'", ATID_URI_SCHEME, 0},

	{"{'type': 'bytes'}", "{'$bytes': ''}", ATID_OK, 0},
	{"{'type': 'bytes'}", "'00'", ATID_CONFORM_NOT_BYTES, 0},
	{"{'type': 'bytes', 'minLength': 2, 'maxLength': 3}", "{'$bytes': '00'}",
	ATID_CONFORM_SHORT_BYTES, 0},
	{"{'type': 'bytes', 'minLength': 2, 'maxLength': 3}", "{'$bytes': '0000'}", ATID_OK, 0},
	{"{'type': 'bytes', 'minLength': 2, 'maxLength': 3}", "{'$bytes': '000000'}", ATID_OK, 0},
	{"{'type': 'bytes', 'minLength': 2, 'maxLength': 3}", "{'$bytes': '00000000'}",
	ATID_CONFORM_LONG_BYTES, 0},
	{"{'type': 'cid-link'}", RAW, ATID_OK, 0},
	{"{'type': 'cid-link'}", "'" A_CID "'", ATID_CONFORM_NOT_LINK, 0},

	{BLOB(""), A_BLOB("x/y", "99"), ATID_OK, 0},
	{BLOB(""), "'x'", ATID_CONFORM_NOT_BLOB, 0},
	{BLOB(""), "{}", ATID_CONFORM_NOT_BLOB, 0},
	{BLOB(""), "{'$type': 'Blob', 'cid': '" A_CID "', 'mimeType': 'x/y'}", ATID_CONFORM_NOT_BLOB,
	0},
	{BLOB(""), "{'cid': '" A_CID "', 'mimeType': 'x/y'}", ATID_CONFORM_NOT_BLOB, NONE},
	{BLOB(""), "{'cid': '" A_CID "', 'mimeType': 'x/y', 'zzzzzzzzz': [{}]}", ATID_CONFORM_NOT_BLOB,
	NONE},
	{BLOB(""), "{'cid': 'x', 'mimeType': 'x/y'}", ATID_CONFORM_NOT_BLOB, 0},
	{BLOB(""), "{'cid': '" A_CID "', 'mimeType': ''}", ATID_CONFORM_NOT_BLOB, 0},
	{BLOB(""), "{'cid': '" A_CID "', 'mimeType': {'a': 1}}", ATID_CONFORM_NOT_BLOB, 0},
	{BLOB(""), "{'mimeType': 'x/y'}", ATID_CONFORM_NOT_BLOB, 0},
	{BLOB(""), "{'cid': '" A_CID "'}", ATID_CONFORM_NOT_BLOB, 0},
	{BLOB(", 'accept': ['image/*']"), "{'cid': '" A_CID "', 'mimeType': 'x/y'}",
	ATID_CONFORM_NOT_BLOB, NONE},
	{BLOB(", 'accept': ['t*/*']"), A_BLOB("t*/x", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'maxSize': 10"), A_BLOB("x/y", "10"), ATID_OK, 0},
	{BLOB(", 'maxSize': 10"), A_BLOB("x/y", "11"), ATID_CONFORM_LARGE_BLOB, NONE},
	{BLOB(", 'accept': ['image/*']"), A_BLOB("image/PNG", "1"), ATID_OK, 0},
	{BLOB(", 'accept': ['image/*']"), A_BLOB("Image/png", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['image/*']"), A_BLOB("text/plain", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['image/*']"), A_BLOB("image", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['a/b', 'text/plain']"), A_BLOB("text/plain", "1"), ATID_OK, 0},
	{BLOB(", 'accept': ['text/plain']"), A_BLOB("text/plain; charset=utf-8", "1"),
	ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['*/*']"), A_BLOB("a", "1"), ATID_OK, 0},
	{BLOB(", 'accept': ['*', 'text/ht*', '*/html', 't*/*']"), A_BLOB("text/html", "1"),
	ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['*']"), A_BLOB("*", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['']"), A_BLOB("a/b", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['text/plain', 'a/b', 'image/*', 'zz/*', '/*', 'a/b/c/*']"),
		A_BLOB("image/png", "1"), ATID_OK, 0},
	{BLOB(", 'accept': ['text/plain', 'a/b', 'image/*', 'zz/*', '/*', 'a/b/c/*']"),
		A_BLOB("a/b/c/d", "1"), ATID_OK, 0},
	{BLOB(", 'accept': ['text/plain', 'a/b', 'image/*', 'zz/*', '/*', 'a/b/c/*']"),
		A_BLOB("a/b/d", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['text/plain', 'a/b', 'image/*', 'zz/*', '/*', 'a/b/c/*']"),
		A_BLOB("/x", "1"), ATID_OK, 0},
	{BLOB(", 'accept': ['text/plain', 'a/b', 'image/*', 'zz/*', '/*', 'a/b/c/*']"),
		A_BLOB("zy/x", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': ['text/plain', 'a/b', 'image/*', 'zz/*', '/*', 'a/b/c/*']"),
		A_BLOB("zz/*", "1"), ATID_OK, 0},
	{BLOB(", 'accept': ['text/plain', '*/*', 'a/b']"), A_BLOB("x", "1"), ATID_OK, 0},
	{BLOB(", 'accept': ['a/b', 'text/plain']"), A_BLOB("a/*", "1"), ATID_CONFORM_ACCEPT, NONE},
	{BLOB(", 'accept': []"), A_BLOB("a/b", "1"), ATID_CONFORM_ACCEPT, NONE},

	{"{'type': 'array', 'items': {'type': 'integer'}}", "[]", ATID_OK, 0},
	{"{'type': 'array', 'items': {'type': 'integer'}}", "[1, 2]", ATID_OK, 0},
	{"{'type': 'array', 'items': {'type': 'integer'}}", "[1, '2']", ATID_CONFORM_NOT_INTEGER, 0},
	{"{'type': 'array', 'items': {'type': 'integer'}}", "[1, null]", ATID_CONFORM_NULL, 0},
	{"{'type': 'array', 'items': {'type': 'integer'}}", "{}", ATID_CONFORM_NOT_ARRAY, 0},
	{"{'type': 'array', 'items': {'type': 'array', 'items': {'type': 'integer'}}}",
	"[[1], [], [2]]", ATID_OK, 0},
	{"{'type': 'array', 'items': {'type': 'array', 'items': {'type': 'integer'}}}", "[[1], 2]",
	ATID_CONFORM_NOT_ARRAY, 0},
	{"{'type': 'array', 'minLength': 1, 'maxLength': 2, 'items': {'type': 'unknown'}}", "[]",
	ATID_CONFORM_SHORT_ARRAY, 0},
	{"{'type': 'array', 'minLength': 1, 'maxLength': 2, 'items': {'type': 'unknown'}}",
	"[{'a': [{}]}]", ATID_OK, 0},
	{"{'type': 'array', 'minLength': 1, 'maxLength': 2, 'items': {'type': 'unknown'}}",
	"[{}, {}, {}]", ATID_CONFORM_LONG_ARRAY, 0},

	{"{'type': 'object', 'properties': {}}", "{'a': [1, {'b': 2}]}", ATID_OK, 0},
	{"{'type': 'object', 'properties': {}}", "[]", ATID_CONFORM_NOT_OBJECT, 0},
	{"{'type': 'object', 'properties': {'constructor': {'type': 'string'}}}", "{}", ATID_OK, 0},
	{"{'type': 'object', 'properties': {'a': {'type': 'string'}}}", "{'$type': 'x', 'a': 'b'}",
	ATID_OK, 0},
	{"{'type': 'object', 'properties': {'a': {'type': 'string'}}}", "{'a': null}",
	ATID_CONFORM_NULL, 0},
	{"{'type': 'object', 'nullable': ['a'], 'properties': {'a': {'type': 'string'}}}",
	"{'a': null}", ATID_OK, 0},
	{"{'type': 'object', 'nullable': ['a'], 'properties': {'a': {'type': 'string'}}}", "{'a': 1}",
	ATID_CONFORM_NOT_STRING, 0},
	{OBJECT("'a': {'type': 'string'}", ", 'nullable': ['a'], 'required': ['a']"),
	"{'a': null}", ATID_OK, 0},
	{OBJECT("'a': {'type': 'string'}", ", 'nullable': ['a'], 'required': ['a']"),
	"{}", ATID_CONFORM_REQUIRED, 0},
	{OBJECT("'a': {'type': 'integer', 'default': 1}", ", 'required': ['a']"),
	"{}", ATID_CONFORM_REQUIRED, 0},
	{THREE,
	"{'a': 1, 'b': 2, 'cc': 3}", ATID_OK, 0},
	{THREE,
	"{'a': 1, 'cc': 3}", ATID_CONFORM_REQUIRED, 0},
	{THREE,
	"{'0': {'b': 1}, 'b': 2, 'bb': 3, 'dd': [4]}", ATID_OK, 0},
	{THREE,
	"{'0': 1, 'b': 2, 'cc': '3'}", ATID_CONFORM_NOT_INTEGER, 0},

	{"{'type': 'unknown'}", "{'a': null}", ATID_OK, 0},
	{"{'type': 'unknown'}", "{'$type': 'com.example.t#int', 'n': 'x'}", ATID_OK, 0},
	{"{'type': 'object', 'required': ['b'], "
	"'properties': {'a': {'type': 'unknown'}, 'b': {'type': 'integer'}}}",
	"{'a': {'b': 'x'}, 'b': 1}", ATID_OK, 0},
	{"{'type': 'unknown'}", "1", ATID_CONFORM_NOT_OBJECT, 0},
	{"{'type': 'unknown'}", "[]", ATID_CONFORM_NOT_OBJECT, 0},
	{"{'type': 'unknown'}", "null", ATID_CONFORM_NULL, 0},
	{"{'type': 'unknown'}", "{'$bytes': '00'}", ATID_CONFORM_NOT_OBJECT, 0},
	{"{'type': 'unknown'}", RAW, ATID_CONFORM_NOT_OBJECT, 0},
	{"{'type': 'unknown'}", A_BLOB("a/b", "1"), ATID_CONFORM_UNKNOWN_BLOB, 0},

	{REF("#int"), "9", ATID_OK, 0},
	{REF("com.example.t#int"), "10", ATID_CONFORM_MAXIMUM, 0},
	{REF("#ids"), "['did:web:a']", ATID_OK, 0},
	{REF("#ids"), "['did:web']", ATID_DID_METHOD, 0},
	{REF("#img"), A_BLOB("image/png", "10"), ATID_OK, 0},
	{REF("#img"), A_BLOB("image/png", "11"), ATID_CONFORM_LARGE_BLOB, NONE},
	{REF("#obj"), "{'n': 1}", ATID_OK, 0},
	{REF("#obj"), "{'n': 1, '$type': 'com.example.t#obj'}", ATID_OK, 0},
	{REF("#obj"), "{'n': 1, '$type': 'com.example.t#oby'}", ATID_CONFORM_TYPE, 0},
	{REF("#obj"), "{'n': 1, '$type': '#obj'}", ATID_CONFORM_TYPE, 0},
	{REF("#obj"), "{'n': 1, '$type': 'com.example.t'}", ATID_CONFORM_TYPE, 0},
	{REF("#obj"), "{}", ATID_CONFORM_REQUIRED, 0},
	{REF("#obj"), "1", ATID_CONFORM_NOT_OBJECT, 0},
	{REF("#main"), "{'v': 1}", ATID_CONFORM_TYPE, 0},
	{REF("com.example.r"), "{'n': 1}", ATID_CONFORM_TYPE, 0},
	{REF("com.example.r"), "{'n': 1, '$type': 'com.example.r'}", ATID_OK, 0},
	{REF("com.example.r"), "{'$type': 'com.example.r'}", ATID_CONFORM_REQUIRED, 0},
	{REF("com.example.r#main"), "{'n': 1, '$type': 'com.example.r'}", ATID_OK, 0},
	{REF("com.example.r"), "{'n': 1, '$type': 'com.example.r#main'}", ATID_CONFORM_TYPE, 0},
	{REF("com.example.o"), "{'$type': 'com.example.o'}", ATID_OK, 0},
	{REF("com.example.o"), "{'$type': 'com.example.o#main'}", ATID_CONFORM_TYPE, 0},
	{REF("com.example.q"), "{}", ATID_CONFORM_NO_VALUES, 0},
	{REF("com.example.q#tok"), "'com.example.q#tok'", ATID_CONFORM_NO_VALUES, 0},
	{REF("com.example.none"), "{}", UNKNOWN, 0},
	{REF("com.example.o#none"), "{'a': [{}]}", UNKNOWN, 0},
	{REF("com.example.none"), "null", ATID_CONFORM_NULL, 0},

	{UNION("'#obj'"), "{'$type': 'com.example.t#obj', 'n': 1}", ATID_OK, 0},
	{UNION("'#obj'"), "{'$type': 'com.example.t#obj'}", ATID_CONFORM_REQUIRED, 0},
	{UNION("'#obj'"), "{'n': 1}", ATID_CONFORM_UNION_NO_TYPE, 0},
	{UNION("'#obj'"), "{'$type': 1}", ATID_CONFORM_UNION_NO_TYPE, 0},
	{UNION("'#obj'"), "123", ATID_CONFORM_NOT_OBJECT, 0},
	{UNION("'#obj'"), "null", ATID_CONFORM_NULL, 0},
	{UNION("'#obj'"), "{'$type': 'com.example.none', 'a': {'b': []}}", ATID_OK, 0},
	{UNION("'#obj'"), "{'$type': 'com.example.r'}", ATID_OK, 0},
	{UNION("'#obj'"), "{'$type': '#obj'}", ATID_OK, 0},
	{UNION(""), "{'$type': 'x'}", ATID_OK, 0},
	{UNION(""), "{}", ATID_CONFORM_UNION_NO_TYPE, 0},
	{UNION("'com.example.none', '#obj'"), "{'$type': 'com.example.none', 'a': {}}", UNKNOWN, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o', 'com.example.none'"),
	"{'$type': 'com.example.r', 'n': 1}", ATID_OK, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o', 'com.example.none'"),
	"{'$type': 'com.example.r'}", ATID_CONFORM_REQUIRED, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o', 'com.example.none'"),
	"{'$type': 'com.example.t#obj', 'n': 1}", ATID_OK, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o', 'com.example.none'"),
	"{'$type': 'com.example.none'}", UNKNOWN, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o', 'com.example.none'"),
	"{'$type': 'com.example.p'}", ATID_CONFORM_UNION_CLOSED, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o'"), "{'$type': 'com.example.r#main', 'n': 1}",
	ATID_CONFORM_UNION_CLOSED, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o'"), "{'$type': 'com.example.r#', 'n': 1}",
	ATID_CONFORM_UNION_CLOSED, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o'"), "{'$type': 'lex:com.example.r', 'n': 1}",
	ATID_CONFORM_UNION_CLOSED, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o'"), "{'$type': '#obj', 'n': 1}",
	ATID_CONFORM_UNION_CLOSED, 0},
	{CLOSED("'com.example.r', '#obj', 'com.example.o'"), "{'$type': '', 'n': 1}",
	ATID_CONFORM_UNION_CLOSED, 0},
	{CLOSED("'com.example.q'"), "{'$type': 'com.example.q'}", ATID_CONFORM_NO_VALUES, 0},
	{REF("#all"),
	"{'all': {'$type': 'com.example.t#all', 'all': {'$type': 'com.example.t#obj', 'n': 1}}}",
	ATID_OK, 0},
	{REF("#all"),
	"{'all': {'$type': 'com.example.t#all', 'all': {'$type': 'com.example.t#obj', 'n': ''}}}",
	ATID_CONFORM_NOT_INTEGER, 0},

	/* a type that the language lacks knows nothing */
	{REF("com.example.s"), "{'$type': 'com.example.o', 'a': [{}]}", ATID_OK, 0},
	{REF("com.example.s#main"), "'x'", ATID_OK, 0},
	{REF("com.example.s"), "[[]]", ATID_OK, 0},
	{REF("com.example.s"), "null", ATID_CONFORM_NULL, 0},
	{UNION("'com.example.s'"), "{'$type': 'com.example.s', 'a': [{}]}", ATID_OK, 0},
	{CLOSED("'com.example.s'"), "{'$type': 'com.example.s', 'a': [{}]}", ATID_OK, 0},
	{CLOSED("'com.example.s'"), "{'$type': 'com.example.s#main'}", ATID_CONFORM_UNION_CLOSED, 0},
	{CLOSED("'com.example.s'"), "{}", ATID_CONFORM_UNION_NO_TYPE, 0},
	{OBJECT("'a': " REF("com.example.s") ", 'b': {'type': 'integer'}", ""),
	"{'a': {'b': ''}, 'b': '1'}", ATID_CONFORM_NOT_INTEGER, 0},
	{FORMAT("space-ref"), "'a b'", ATID_OK, 0},
	{FORMAT("space-ref"), "1", ATID_CONFORM_NOT_STRING, 0},
	{STRING(", 'format': 'space-ref', 'maxLength': 2"), "'abc'", ATID_CONFORM_LONG_STRING, 0},

	/* what is unknown does not hide what is wrong behind it */
	{"{'type': 'array', 'items': {'type': 'ref', 'ref': 'com.example.none'}}", "[1, {}]", UNKNOWN,
	0},
	{OBJECT("'a': {'type': 'ref', 'ref': 'com.example.none'}, 'b': {'type': 'integer'}", ""),
	"{'a': 1, 'b': '1'}", ATID_CONFORM_NOT_INTEGER, 0},
};

static void
check_case(const Case *c)
{
	char	   *json = malloc(strlen(c->schema) + strlen(c->value) + 2000);
	AtidLexicon set;
	uint8_t    *bytes;
	size_t		len;
	uint8_t    *block;
	size_t		block_len;

	sprintf(json, "{'com.example.t': {'lexicon': 1, 'id': 'com.example.t', 'defs': {'main':"
			" {'type': 'record', 'key': 'any', 'record': {'type': 'object', 'required': ['v'],"
			" 'properties': {'v': %s}}}, %s}},"
			"'com.example.r': {'lexicon': 1, 'id': 'com.example.r', 'defs': {'main':"
			" {'type': 'record', 'key': 'tid', 'record': {'type': 'object', 'required': ['n'],"
			" 'properties': {'n': {'type': 'integer'}}}}}},"
			"'com.example.o': {'lexicon': 1, 'id': 'com.example.o', 'defs': {'main':"
			" {'type': 'object', 'properties': {}}}},"
			"'com.example.q': {'lexicon': 1, 'id': 'com.example.q', 'defs': {'main':"
			" {'type': 'query'}, 'tok': {'type': 'token'}}},"
			"'com.example.s': {'lexicon': 1, 'id': 'com.example.s', 'defs': {'main':"
			" {'type': 'space', 'record': 1}}}}", c->schema, definitions);
	bytes = json_cbor(json, &len);
	compile(&set, bytes, len);
	sprintf(json, "{'$type': 'com.example.t', 'v': %s}", c->value);
	block = json_cbor(json, &block_len);
	for (int lenient = 0; lenient <= 1; lenient++)
	{
		AtidFault	want = lenient && c->lenient != 0 ? c->lenient : c->want;
		AtidFault	got;
		char		name[300];

		atid_conform_init(&conform, &set, lenient);
		atid_conform_begin_record(&conform, NULL, 0);
		got = run_machine(block, block_len);
		snprintf(name, sizeof(name), "%s%.90s in %.160s", lenient ? "lenient, " : "", c->value,
				 c->schema);
		if (want == NONE)
			want = ATID_OK;
		ok(got == want, name);
		if (got != want)
			printf("# got  %s\n", got == UNKNOWN ? "unknown" : atid_fault_words(got));
		if (want == UNKNOWN)
		{
			atid_conform_init(&conform, &set, lenient);
			conform.must_know = true;
			atid_conform_begin_record(&conform, NULL, 0);
			ok(run_machine(block, block_len) == ATID_CONFORM_MISSING &&
			   conform.about == ATID_ABOUT_REF &&
			   set.refs[conform.number].definition == ATID_LEX_NONE,
			   "and that is a fault if told so");
		}
	}
	free(block);
	atid_lexicon_free(&set, &caller);
	free(bytes);
	free(json);
}

/* Another record at the top, and what its "$type" must be. */
static const struct
{
	const char *record;
	const char *nsid;
	AtidFault	want;
}			records[] =
{
	{"{'$type': 'com.example.r', 'n': 1}", NULL, ATID_OK},
	{"{'$type': 'com.example.r', 'n': 1}", "com.example.r", ATID_OK},
	{"{'$type': 'com.example.r', 'n': 1}", "com.example.s", ATID_CONFORM_OTHER_RECORD},
	{"{'$type': 'com.example.r', 'n': 1}", "", ATID_CONFORM_OTHER_RECORD},
	{"{'$type': 'com.example.r'}", NULL, ATID_CONFORM_REQUIRED},
	{"{'$type': 'com.example.none', 'n': [{}]}", NULL, UNKNOWN},
	{"{'$type': 'com.example.none'}", "com.example.none", UNKNOWN},
	{"{'$type': 'com.example.d'}", NULL, UNKNOWN},
	{"{'$type': 'com.example.s', 'n': [{}]}", NULL, UNKNOWN},
	{"{'$type': 'com.example.s'}", "com.example.r", ATID_CONFORM_OTHER_RECORD},
	{"{'$type': 'com.example.r#main', 'n': 1}", NULL, ATID_RECORD_TYPE_TOP},
	{"{'$type': 'com.example.d#r'}", NULL, ATID_RECORD_TYPE_TOP},
	{"{'$type': 'com.example.o'}", NULL, ATID_CONFORM_NO_RECORD},
	{"{'$type': 'com.example'}", NULL, ATID_RECORD_TYPE_TOP},
	{"{'$type': ''}", NULL, ATID_RECORD_TYPE_TOP},
	{"{'$type': 1}", NULL, ATID_RECORD_NO_TYPE},
	{"{'n': 1}", NULL, ATID_RECORD_NO_TYPE},
	{"[]", NULL, ATID_RECORD_TOP},
	{"null", NULL, ATID_RECORD_TOP},
	{"'com.example.r'", NULL, ATID_RECORD_TOP},
};

/* A value of a definition. */
static const struct
{
	const char *ref;
	const char *value;
	AtidFault	want;
}			values[] =
{
	{"com.example.r", "{'$type': 'com.example.r', 'n': 1}", ATID_OK},
	{"com.example.r", "{'n': 1}", ATID_CONFORM_TYPE},
	{"com.example.o", "{'a': 1}", ATID_OK},
	{"com.example.o", "{'a': 'b'}", ATID_CONFORM_NOT_INTEGER},
	{"com.example.o", "{'$type': 'com.example.p'}", ATID_CONFORM_TYPE},
	{"com.example.d#s", "'ab'", ATID_OK},
	{"com.example.d#s", "'abc'", ATID_CONFORM_LONG_STRING},
	{"com.example.d#s", "null", ATID_CONFORM_NULL},
	{"com.example.d#t", "'com.example.d#t'", ATID_CONFORM_NO_VALUES},
	{"com.example.d#none", "[1]", UNKNOWN},
	{"com.example.s", "[{'a': 1}]", ATID_OK},
	{"com.example.s", "null", ATID_CONFORM_NULL},
};

static void
test_tops(void)
{
	AtidLexicon set;
	uint8_t    *bytes;
	size_t		len;

	bytes = json_cbor("{'com.example.r': {'lexicon': 1, 'id': 'com.example.r', 'defs': {'main':"
						  " {'type': 'record', 'key': 'tid', 'record': {'type': 'object',"
						  " 'required': ['n'], 'properties': {'n': {'type': 'integer'}}}}}},"
						  "'com.example.d': {'lexicon': 1, 'id': 'com.example.d', 'defs': {"
						  "'t': {'type': 'token'}, 's': {'type': 'string', 'maxLength': 2}}},"
						  "'com.example.s': {'lexicon': 1, 'id': 'com.example.s', 'defs': {'main':"
						  " {'type': 'space'}}},"
						  "'com.example.o': {'lexicon': 1, 'id': 'com.example.o', 'defs': {'main':"
						  " {'type': 'object', 'properties': {'a': {'type': 'integer'}}}}}}", &len);
	compile(&set, bytes, len);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
	{
		const char *nsid = records[i].nsid;
		size_t		block_len;
		uint8_t    *block = json_cbor(records[i].record, &block_len);
		char		name[200];

		atid_conform_init(&conform, &set, false);
		atid_conform_begin_record(&conform, nsid, nsid != NULL ? strlen(nsid) : 0);
		snprintf(name, sizeof(name), "%s as a record%s%s", records[i].record,
				 nsid != NULL ? " of " : "", nsid != NULL ? nsid : "");
		ok(run_machine(block, block_len) == records[i].want, name);
		if (records[i].want == UNKNOWN)
		{
			atid_conform_init(&conform, &set, false);
			conform.must_know = true;
			atid_conform_begin_record(&conform, nsid, nsid != NULL ? strlen(nsid) : 0);
			ok(run_machine(block, block_len) == ATID_CONFORM_NO_LEXICON,
			   "and that is a fault if told so");
		}
		free(block);
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
	{
		size_t		block_len;
		uint8_t    *block = json_cbor(values[i].value, &block_len);
		char		name[200];

		atid_conform_init(&conform, &set, false);
		atid_conform_begin_definition(&conform, atid_lexicon_find_ref(&set, values[i].ref,
																	  strlen(values[i].ref)));
		snprintf(name, sizeof(name), "%s as %s", values[i].value, values[i].ref);
		ok(run_machine(block, block_len) == values[i].want, name);
		free(block);
	}
	atid_lexicon_free(&set, &caller);
	free(bytes);
}

/* A part of a query, procedure or subscription. */
static const struct
{
	const char *nsid;
	const char *part;
	const char *value;
	AtidFault	want;
}			parts[] =
{
	{"com.example.get", "parameters", "{'q': ''}", ATID_OK},
	{"com.example.get", "parameters", "{'q': '', 'n': 9, 'l': ['en'], 'more': [{}]}", ATID_OK},
	{"com.example.get", "parameters", "{}", ATID_CONFORM_REQUIRED},
	{"com.example.get", "parameters", "{'q': null}", ATID_CONFORM_NULL},
	{"com.example.get", "parameters", "{'q': '', 'n': '9'}", ATID_CONFORM_NOT_INTEGER},
	{"com.example.get", "parameters", "{'q': '', 'n': 10}", ATID_CONFORM_MAXIMUM},
	{"com.example.get", "parameters", "{'q': '', 'l': 'en'}", ATID_CONFORM_NOT_ARRAY},
	{"com.example.get", "parameters", "{'q': '', 'l': ['en', '-']}", ATID_LANGUAGE_SUBTAG},
	{"com.example.get", "parameters", "[]", ATID_CONFORM_NOT_OBJECT},
	{"com.example.get", "parameters", "null", ATID_CONFORM_NULL},
	{"com.example.get", "output", "{'a': 1}", ATID_OK},
	{"com.example.get", "output", "{'a': '1'}", ATID_CONFORM_NOT_INTEGER},
	{"com.example.get", "output", "{'$type': 'com.example.get'}", ATID_CONFORM_TYPE},
	{"com.example.get", "output", "null", ATID_CONFORM_NULL},
	{"com.example.get", "input", "{}", ATID_XRPC_NO_PART},
	{"com.example.get", "message", "{}", ATID_XRPC_NO_PART},
	{"com.example.put", "input", "{'a': 1, 'b': {'$type': 'x'}}", ATID_OK},
	{"com.example.put", "input", "{'b': {}}", ATID_CONFORM_REQUIRED},
	{"com.example.put", "input", "1", ATID_CONFORM_NOT_OBJECT},
	{"com.example.put", "output", "{'$type': 'com.example.o', 'a': 1}", ATID_OK},
	{"com.example.put", "output", "{'$type': 'com.example.o', 'a': ''}", ATID_CONFORM_NOT_INTEGER},
	{"com.example.put", "output", "{'$type': 'com.example.none'}", UNKNOWN},
	{"com.example.put", "output", "{'a': 1}", ATID_CONFORM_UNION_NO_TYPE},
	{"com.example.put", "parameters", "{}", ATID_XRPC_NO_PART},
	{"com.example.follow", "message", "{'$type': 'com.example.o', 'a': 1}", ATID_OK},
	{"com.example.follow", "message", "{'$type': 'com.example.o', 'a': ''}",
	ATID_CONFORM_NOT_INTEGER},
	{"com.example.follow", "message", "[]", ATID_CONFORM_NOT_OBJECT},
	{"com.example.follow", "output", "{}", ATID_XRPC_NO_PART},

	/* without a schema */
	{"com.example.json", "input", "null", ATID_OK},
	{"com.example.json", "output", "[{'a': 1}]", ATID_OK},
	{"com.example.any", "input", "'x'", ATID_OK},
	{"com.example.any", "output", "{}", ATID_OK},
	{"com.example.car", "input", "{}", ATID_XRPC_ENCODING},
	{"com.example.car", "output", "null", ATID_XRPC_ENCODING},

	{"com.example.none", "input", "{}", ATID_XRPC_NO_LEXICON},
	{"com.example.d", "input", "{}", ATID_XRPC_NO_LEXICON},
	{"com.example.get#main", "output", "{}", ATID_XRPC_NO_LEXICON},
	{"", "output", "{}", ATID_XRPC_NO_LEXICON},
	{"com.example.o", "output", "{}", ATID_XRPC_KIND},
	{"com.example.s", "output", "{}", ATID_XRPC_KIND},
};

#define BODY(name, encoding)	"'" name "': {'encoding': '" encoding "'}"
#define BODIES(nsid, input, output) \
	"'" nsid "': {'lexicon': 1, 'id': '" nsid "', 'defs': {'main': {'type': 'procedure'," \
	BODY("input", input) "," BODY("output", output) "}}},"

static void
test_parts(void)
{
	AtidLexicon set;
	size_t		len;
	uint8_t    *bytes =
		json_cbor("{'com.example.get': {'lexicon': 1, 'id': 'com.example.get', 'defs': {'main':"
				  " {'type': 'query', 'parameters': {'type': 'params', 'required': ['q'],"
				  " 'properties': {'q': {'type': 'string'}, 'n': {'type': 'integer', 'maximum': 9},"
				  " 'l': {'type': 'array', 'items': {'type': 'string', 'format': 'language'}}}},"
				  " 'output': {'encoding': 'application/json', 'schema': {'type': 'ref', 'ref':"
				  " 'com.example.o'}}}}},"
				  "'com.example.put': {'lexicon': 1, 'id': 'com.example.put', 'defs': {'main':"
				  " {'type': 'procedure', 'input': {'encoding': 'application/json', 'schema': "
				  OBJECT("'a': {'type': 'integer'}, 'b': {'type': 'unknown'}",
						 ", 'required': ['a']")
				  "}, 'output': {'encoding': 'application/json', 'schema': "
				  UNION("'com.example.o', 'com.example.none'") "}}}},"
				  "'com.example.follow': {'lexicon': 1, 'id': 'com.example.follow', 'defs':"
				  " {'main': {'type': 'subscription', 'message': {'schema': "
				  CLOSED("'com.example.o'") "}}}},"
				  BODIES("com.example.json", "application/json", "application/json")
				  BODIES("com.example.any", "*/*", "application/*")
				  BODIES("com.example.car", "application/vnd.ipld.car", "application/jsonl")
				  "'com.example.d': {'lexicon': 1, 'id': 'com.example.d', 'defs':"
				  " {'t': {'type': 'token'}}},"
				  "'com.example.s': {'lexicon': 1, 'id': 'com.example.s', 'defs': {'main':"
				  " {'type': 'space'}}},"
				  "'com.example.o': {'lexicon': 1, 'id': 'com.example.o', 'defs': {'main': "
				  OBJECT("'a': {'type': 'integer'}", "") "}}}", &len);

	compile(&set, bytes, len);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
	{
		size_t		block_len;
		uint8_t    *block = json_cbor(parts[i].value, &block_len);
		AtidFault	got;
		char		name[200];

		atid_conform_init(&conform, &set, false);
		got = atid_conform_begin_xrpc(&conform, parts[i].nsid, strlen(parts[i].nsid),
									  parts[i].part);
		if (got == ATID_OK)
			got = run_machine(block, block_len);
		snprintf(name, sizeof(name), "%s as the %s of %s", parts[i].value, parts[i].part,
				 parts[i].nsid);
		ok(got == parts[i].want, name);
		if (got != parts[i].want)
			printf("# got  %s\n", got == UNKNOWN ? "unknown" : atid_fault_words(got));
		free(block);
	}
	atid_lexicon_free(&set, &caller);
	free(bytes);
}

/*
 * What comes with a fault: whose it is, and what its words are about.
 */
static void
test_about(void)
{
	const char *post = "{'com.example.r': {'lexicon': 1, 'id': 'com.example.r', 'defs': {'main':"
		" {'type': 'record', 'key': 'tid', 'record': {'type': 'object', 'required': ['name'],"
		" 'properties': {'name': {'type': 'string', 'maxLength': 5}, 'at': {'type': 'string',"
		" 'format': 'datetime'}, 'who': {'type': 'ref', 'ref': '#who'}}}},"
		" 'who': {'type': 'object', 'properties': {'a': {'type': 'string', 'const': 'x'}}}}}}";
	AtidLexicon set;
	size_t		len;
	uint8_t    *bytes = json_cbor(post, &len);
	static const struct
	{
		const char *record;
		AtidFault	fault;
		bool		of_item;
		AtidConformAbout about;
		const char *text;
		int64_t		number;
	}			faults[] =
	{
		{"{'$type': 'com.example.r'}",
		ATID_CONFORM_REQUIRED, false, ATID_ABOUT_TEXT, "name", 0},
		{"{'$type': 'com.example.r', 'zzzz': 1}",
		ATID_CONFORM_REQUIRED, false, ATID_ABOUT_TEXT, "name", 0},
		{"{'$type': 'com.example.r', 'name': 'abcdef'}",
		ATID_CONFORM_LONG_STRING, true, ATID_ABOUT_NUMBER, NULL, 5},
		{"{'$type': 'com.example.r', 'name': '', 'at': '2026'}",
		ATID_DATETIME_DATE, true, ATID_ABOUT_CHARACTER, NULL, 4},
		{"{'$type': 'com.example.r', 'name': '', 'who': {'a': 'y'}}",
		ATID_CONFORM_CONST, true, ATID_ABOUT_TEXT, "x", 0},
		{"{'$type': 'com.example.r', 'name': '', 'who': {'$type': 'y'}}",
		ATID_CONFORM_TYPE, true, ATID_ABOUT_TYPE, NULL, 0},
		{"{'$type': 'com.example.r', 'name': 1}",
		ATID_CONFORM_NOT_STRING, true, ATID_ABOUT_NOTHING, NULL, 0},
	};

	compile(&set, bytes, len);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
	{
		size_t		block_len;
		uint8_t    *block = json_cbor(faults[i].record, &block_len);
		const char *text = faults[i].text;

		atid_conform_init(&conform, &set, false);
		atid_conform_begin_record(&conform, NULL, 0);
		ok(run_machine(block, block_len) == faults[i].fault &&
		   conform.fault == faults[i].fault && conform.of_item == faults[i].of_item &&
		   conform.about == faults[i].about && conform.number == faults[i].number &&
		   (text == NULL || (conform.text.len == strlen(text) &&
							 memcmp(atid_lex_text(&set, conform.text), text, strlen(text)) == 0)),
		   faults[i].record);
		free(block);
	}
	atid_lexicon_free(&set, &caller);
	free(bytes);
}

/*
 * Every subset of many keys among many properties is found, and the first required one
 * that is missing.
 */
static void
test_search(void)
{
	char		json[4000] =
	"{'com.example.r': {'lexicon': 1, 'id': 'com.example.r', 'defs': {'main':"
		" {'type': 'record', 'key': 'tid', 'record': {'type': 'object', 'required': ['p30'],"
		" 'properties': {";
	AtidLexicon set;
	size_t		len;
	uint8_t    *bytes;
	int			wrong = 0;

	for (int i = 10; i < 50; i += 2)
		sprintf(json + strlen(json), "%s'p%d': {'type': 'integer', 'const': %d}",
				i > 10 ? "," : "", i, i);
	strcat(json, "}}}}}}");
	bytes = json_cbor(json, &len);
	compile(&set, bytes, len);
	for (int a = 9; a < 52; a++)
		for (int b = a + 1; b < 53; b++)
			for (int broken = 0; broken <= 1; broken++)
			{
				AtidFault	want = a != 30 && b != 30 ? ATID_CONFORM_REQUIRED : ATID_OK;
				size_t		block_len;
				uint8_t    *block;

				/* a wrong value of a property before p30 is found first */
				if (broken && b % 2 == 0 && b >= 10 && b < 50 &&
					(want == ATID_OK || b < 30 || (a < 30 && b < 30)))
					want = ATID_CONFORM_CONST;
				sprintf(json, "{'$type': 'com.example.r', 'p%02d': %d, 'p%02d': %d}", a, a, b,
						broken ? 0 : b);
				block = json_cbor(json, &block_len);
				atid_conform_init(&conform, &set, false);
				atid_conform_begin_record(&conform, NULL, 0);
				if (run_machine(block, block_len) != want && wrong++ == 0)
					printf("# %s\n", json);
				free(block);
			}
	ok(wrong == 0, "two keys among twenty properties");
	atid_lexicon_free(&set, &caller);
	free(bytes);
}

/*
 * A union in each level, as deep as a block can be.
 */
static void
test_depth(void)
{
	static char json[40 * ATID_CBOR_DEPTH_MAX + 1000];
	AtidLexicon set;
	size_t		len;
	uint8_t    *bytes;

	bytes = json_cbor("{'com.example.r': {'lexicon': 1, 'id': 'com.example.r', 'defs': {'main':"
						  " {'type': 'record', 'key': 'tid', 'record': {'type': 'object',"
						  " 'properties': {'u': {'type': 'union', 'refs': ['com.example.r']}}}}}}}",
						  &len);
	compile(&set, bytes, len);
	for (int depth = ATID_CBOR_DEPTH_MAX - 1; depth <= ATID_CBOR_DEPTH_MAX + 1; depth++)
	{
		size_t		block_len;
		uint8_t    *block;
		AtidFault	fault;

		json[0] = '\0';
		for (int i = 0; i < depth; i++)
			strcat(json, "{'$type': 'com.example.r', 'u': ");
		strcat(json, "1");
		for (int i = 0; i < depth; i++)
			strcat(json, "}");
		block = json_cbor(json, &block_len);
		atid_conform_init(&conform, &set, false);
		atid_conform_begin_record(&conform, NULL, 0);
		fault = run_machine(block, block_len);
		ok(fault == (depth > ATID_CBOR_DEPTH_MAX ? ATID_CBOR_DEPTH : ATID_CONFORM_NOT_OBJECT) &&
		   conform.depth == (depth > ATID_CBOR_DEPTH_MAX ? ATID_CBOR_DEPTH_MAX : depth),
		   "a union in each level");
		free(block);
	}
	atid_lexicon_free(&set, &caller);
	free(bytes);
}

/* A URI may have 8 kB. */
static void
test_long_uri(void)
{
	Case		c = {FORMAT("uri"), NULL, ATID_OK, 0};
	char		value[8300] = "'a:";

	memset(value + 3, 'x', 8190);
	strcpy(value + 3 + 8190, "'");
	c.value = value;
	check_case(&c);
	strcpy(value + 3 + 8190, "x'");
	c.want = ATID_URI_LENGTH;
	check_case(&c);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
	test_tops();
	test_parts();
	test_about();
	test_search();
	test_depth();
	test_long_uri();
	ok(memory.live == 0, "no memory is left");
	return done();
}
