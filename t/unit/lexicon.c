/*-------------------------------------------------------------------------
 *
 * lexicon.c
 *		Lexicons: what is refused and where, what is accepted, and the program that is
 *		made of it.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/lexicon/compile.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "codec/text/format.h"
#include "failing_lexicon.h"
#include "json_cbor.h"
#include "tap.h"


/*
 * A caller, which counts and can run out of memory
 */

static Failing memory;			/* which never fails here */
static int	pauses = 0;

static void
unit_pause(void)
{
	pauses++;
}

static const AtidLexCaller caller = {failing_memory, merge_sort, unit_pause, &memory};

/* The path of the item at an offset, of keys and indexes. */
static const char *
path_of(const uint8_t *bytes, size_t len, size_t at)
{
	static char path[4000];
	static AtidCborReader reader;
	static size_t lens[ATID_CBOR_DEPTH_MAX + 1];	/* of the path to each open container */
	static int	indexes[ATID_CBOR_DEPTH_MAX + 1];	/* -1 in a map */
	AtidCborItem item;
	int			depth = 0;

	atid_cbor_reader_init(&reader, bytes, len);
	lens[0] = 0;
	indexes[0] = -1;
	path[0] = '\0';
	for (;;)
	{
		AtidCborEvent event = atid_cbor_next(&reader, &item);

		if (event == ATID_CBOR_FAULT || event == ATID_CBOR_END)
			return "?";
		if (event == ATID_CBOR_KEY)
		{
			snprintf(path + lens[depth], sizeof(path) - lens[depth], "/%.*s",
					 (int) item.len, (const char *) item.data);
			continue;
		}
		if (event == ATID_CBOR_ARRAY_END || event == ATID_CBOR_MAP_END)
		{
			depth--;
			continue;
		}
		if (indexes[depth] >= 0)
			snprintf(path + lens[depth], sizeof(path) - lens[depth], "/%d", indexes[depth]++);
		if (atid_cbor_offset(&reader) == at)
			return path;
		if (event == ATID_CBOR_ARRAY || event == ATID_CBOR_MAP)
		{
			lens[depth + 1] = strlen(path);
			indexes[++depth] = event == ATID_CBOR_ARRAY ? 0 : -1;
		}
	}
}


/*
 * Faults
 */

#define SET(document)	"{'a.b.c':" document "}"
#define DOC(defs)		SET("{'lexicon':1,'id':'a.b.c','defs':{" defs "}}")
#define FIELD(schema)	DOC("'d':{'type':'object','properties':{'p':{" schema "}}}")
#define OBJECT(rest)	DOC("'d':{'type':'object'," rest "}")
#define OTHERS \
	"'object':{'type':'object','properties':{}},'token':{'type':'token'}," \
	"'string':{'type':'string'},'array':{'type':'array','items':{'type':'blob'}}"
#define REFER(schema) \
	DOC(OTHERS ",'d':{'type':'object','properties':{'p':{" schema "}}}")
#define MAIN(rest)		DOC("'main':{" rest "}")
#define RECORD(key) \
	MAIN("'type':'record','key':" key ",'record':{'type':'object','properties':{}}")
#define QUERY(rest)		MAIN("'type':'query'," rest)
#define PARAM(schema) \
	QUERY("'parameters':{'type':'params','properties':{'p':{" schema "}}}")
#define PERMISSION(rest) \
	MAIN("'type':'permission-set','permissions':[{'type':'permission'," rest "}]")

#define D	"/a.b.c/defs/d"
#define P	"/a.b.c/defs/d/properties/p"
#define M	"/a.b.c/defs/main"

typedef struct Case
{
	const char *json;
	AtidFault	fault;
	const char *path;
} Case;

static const Case cases[] = {
	/* sets and documents */
	{"[]", ATID_LEXICON_SET, ""},
	{"'a.b.c'", ATID_LEXICON_SET, ""},
	{SET("1"), ATID_LEXICON_DOCUMENT, "/a.b.c"},
	{SET("{}"), ATID_LEXICON_VERSION, "/a.b.c"},
	{SET("{'lexicon':2,'id':'a.b.c','defs':{'d':{'type':'token'}}}"), ATID_LEXICON_VERSION,
	"/a.b.c/lexicon"},
	{SET("{'lexicon':-2,'id':'a.b.c','defs':{'d':{'type':'token'}}}"), ATID_LEXICON_VERSION,
	"/a.b.c/lexicon"},
	{SET("{'lexicon':'1','id':'a.b.c','defs':{'d':{'type':'token'}}}"), ATID_LEXICON_VERSION,
	"/a.b.c/lexicon"},
	{SET("{'lexicon':1,'defs':{'d':{'type':'token'}}}"), ATID_LEXICON_ID, "/a.b.c"},
	{SET("{'lexicon':1,'id':2,'defs':{'d':{'type':'token'}}}"), ATID_LEXICON_ID,
	"/a.b.c/id"},
	{SET("{'lexicon':1,'id':'a.b','defs':{'d':{'type':'token'}}}"), ATID_NSID_SEGMENTS,
	"/a.b.c/id"},
	{SET("{'lexicon':1,'id':'a.b.d','defs':{'d':{'type':'token'}}}"), ATID_LEXICON_ID_KEY,
	"/a.b.c/id"},
	{SET("{'lexicon':1,'id':'a.b.c','description':null,'defs':{'d':{'type':'token'}}}"),
	ATID_LEXICON_DESCRIPTION, "/a.b.c/description"},
	{SET("{'lexicon':1,'id':'a.b.c'}"), ATID_LEXICON_DEFS, "/a.b.c"},
	{SET("{'lexicon':1,'id':'a.b.c','defs':[]}"), ATID_LEXICON_DEFS, "/a.b.c/defs"},
	{DOC(""), ATID_LEXICON_DEFS, "/a.b.c/defs"},
	{"{'a.b.c':{'lexicon':1,'id':'a.b.c','defs':{'d':{'type':'token'}}},"
	"'a.b.cc':{'lexicon':1,'id':'a.b.cc','defs':{}}}", ATID_LEXICON_DEFS, "/a.b.cc/defs"},

	/* definitions and types */
	{DOC("'':{'type':'token'}"), ATID_LEXICON_NAME, "/a.b.c/defs/"},
	{DOC("'#d':{'type':'token'}"), ATID_LEXICON_NAME, "/a.b.c/defs/#d"},
	{DOC("'d':{'type':'token'},'d\\u0000':{'type':'token'}"), ATID_LEXICON_NAME, "/a.b.c/defs/d"},
	{DOC("'d':'token'"), ATID_LEXICON_SCHEMA, D},
	{DOC("'d':{}"), ATID_LEXICON_TYPE, D},
	{DOC("'d':{'type':1}"), ATID_LEXICON_TYPE, D "/type"},
	{DOC("'d':{'type':'float'}"), ATID_LEXICON_TYPE, D "/type"},
	{DOC("'d':{'type':'toke'}"), ATID_LEXICON_TYPE, D "/type"},
	{DOC("'d':{'type':'space'}"), ATID_LEXICON_TYPE, D "/type"},
	{FIELD("'type':'space'"), ATID_LEXICON_TYPE, P "/type"},
	{MAIN("'type':1"), ATID_LEXICON_TYPE, M "/type"},
	{MAIN("'type':'permission'"), ATID_LEXICON_DEFINED, M "/type"},
	{MAIN("'type':'space','description':1"), ATID_LEXICON_DESCRIPTION, M "/description"},
	{PARAM("'type':'space'"), ATID_LEXICON_TYPE, M "/parameters/properties/p/type"},
	{DOC("'d':{'type':'ref','ref':'#d'}"), ATID_LEXICON_DEFINED, D "/type"},
	{DOC("'d':{'type':'union','refs':[]}"), ATID_LEXICON_DEFINED, D "/type"},
	{DOC("'d':{'type':'unknown'}"), ATID_LEXICON_DEFINED, D "/type"},
	{DOC("'d':{'type':'params','properties':{}}"), ATID_LEXICON_DEFINED, D "/type"},
	{DOC("'d':{'type':'permission','resource':'x'}"), ATID_LEXICON_DEFINED, D "/type"},
	{MAIN("'type':'unknown'"), ATID_LEXICON_DEFINED, M "/type"},
	{DOC("'d':{'type':'record'}"), ATID_LEXICON_MAIN, D "/type"},
	{DOC("'d':{'type':'query'}"), ATID_LEXICON_MAIN, D "/type"},
	{DOC("'d':{'type':'procedure'}"), ATID_LEXICON_MAIN, D "/type"},
	{DOC("'d':{'type':'subscription'}"), ATID_LEXICON_MAIN, D "/type"},
	{DOC("'d':{'type':'permission-set'}"), ATID_LEXICON_MAIN, D "/type"},
	{DOC("'d':{'type':'token','description':1}"), ATID_LEXICON_DESCRIPTION,
	D "/description"},
	{FIELD("'type':'string','description':[]"), ATID_LEXICON_DESCRIPTION, P "/description"},
	{FIELD("'type':'token'"), ATID_LEXICON_FIELD, P "/type"},
	{FIELD("'type':'record'"), ATID_LEXICON_FIELD, P "/type"},
	{FIELD("'type':'params','properties':{}"), ATID_LEXICON_FIELD, P "/type"},
	{FIELD("'type':'permission','resource':'x'"), ATID_LEXICON_FIELD, P "/type"},
	{FIELD("'type':'array','items':{'type':'token'}"), ATID_LEXICON_FIELD, P "/items/type"},

	/* objects and arrays */
	{DOC("'d':{'type':'object'}"), ATID_LEXICON_PROPERTIES, D},
	{OBJECT("'properties':[]"), ATID_LEXICON_PROPERTIES, D "/properties"},
	{OBJECT("'properties':{'p':'string'}"), ATID_LEXICON_SCHEMA, P},
	{OBJECT("'properties':{'p':{'type':'blob'}},'required':'p'"), ATID_LEXICON_NAMES,
	D "/required"},
	{OBJECT("'properties':{'p':{'type':'blob'}},'required':['p',1]"), ATID_LEXICON_NAMES,
	D "/required/1"},
	{OBJECT("'properties':{'p':{'type':'blob'}},'required':['p','q']"),
	ATID_LEXICON_NO_PROPERTY, D "/required/1"},
	{OBJECT("'properties':{'p':{'type':'blob'}},'nullable':{}"), ATID_LEXICON_NAMES,
	D "/nullable"},
	{OBJECT("'properties':{'p':{'type':'blob'}},'nullable':['pp']"),
	ATID_LEXICON_NO_PROPERTY, D "/nullable/0"},
	{DOC("'d':{'type':'array'}"), ATID_LEXICON_ITEMS, D},
	{DOC("'d':{'type':'array','items':[]}"), ATID_LEXICON_SCHEMA, D "/items"},
	{DOC("'d':{'type':'array','items':{'type':'blob'},'minLength':2,'maxLength':1}"),
	ATID_LEXICON_RANGE, D "/minLength"},
	{DOC("'d':{'type':'array','items':{'type':'blob'},'minLength':-1}"),
	ATID_LEXICON_LENGTH, D "/minLength"},

	/* limits and constants */
	{FIELD("'type':'boolean','default':1"), ATID_LEXICON_CONSTANT, P "/default"},
	{FIELD("'type':'boolean','const':null"), ATID_LEXICON_CONSTANT, P "/const"},
	{FIELD("'type':'boolean','const':true,'default':true"), ATID_LEXICON_DEFAULT_CONST, P},
	{FIELD("'type':'integer','const':1,'default':1"), ATID_LEXICON_DEFAULT_CONST, P},
	{FIELD("'type':'string','const':'','default':''"), ATID_LEXICON_DEFAULT_CONST, P},
	{FIELD("'type':'integer','default':'1'"), ATID_LEXICON_CONSTANT, P "/default"},
	{FIELD("'type':'integer','const':false"), ATID_LEXICON_CONSTANT, P "/const"},
	{FIELD("'type':'string','default':1"), ATID_LEXICON_CONSTANT, P "/default"},
	{FIELD("'type':'string','const':{}"), ATID_LEXICON_CONSTANT, P "/const"},
	{FIELD("'type':'integer','minimum':'1'"), ATID_LEXICON_LIMIT, P "/minimum"},
	{FIELD("'type':'integer','maximum':null"), ATID_LEXICON_LIMIT, P "/maximum"},
	{FIELD("'type':'integer','minimum':1,'maximum':0"), ATID_LEXICON_RANGE, P "/minimum"},
	{FIELD("'type':'integer','enum':1"), ATID_LEXICON_ENUM, P "/enum"},
	{FIELD("'type':'integer','enum':[1,'2']"), ATID_LEXICON_ENUM, P "/enum/1"},
	{FIELD("'type':'string','enum':{}"), ATID_LEXICON_ENUM, P "/enum"},
	{FIELD("'type':'string','enum':['a',1]"), ATID_LEXICON_ENUM, P "/enum/1"},
	{FIELD("'type':'string','knownValues':'a'"), ATID_LEXICON_KNOWN_VALUES,
	P "/knownValues"},
	{FIELD("'type':'string','knownValues':['a',false]"), ATID_LEXICON_KNOWN_VALUES,
	P "/knownValues/1"},
	{FIELD("'type':'string','minLength':-1"), ATID_LEXICON_LENGTH, P "/minLength"},
	{FIELD("'type':'string','maxLength':'1'"), ATID_LEXICON_LENGTH, P "/maxLength"},
	{FIELD("'type':'string','minLength':2,'maxLength':1"), ATID_LEXICON_RANGE,
	P "/minLength"},
	{FIELD("'type':'string','minGraphemes':-1"), ATID_LEXICON_LENGTH, P "/minGraphemes"},
	{FIELD("'type':'string','maxGraphemes':true"), ATID_LEXICON_LENGTH, P "/maxGraphemes"},
	{FIELD("'type':'string','minGraphemes':2,'maxGraphemes':1"), ATID_LEXICON_RANGE,
	P "/minGraphemes"},
	{FIELD("'type':'string','format':1"), ATID_LEXICON_FORMAT, P "/format"},
	{FIELD("'type':'bytes','minLength':-1"), ATID_LEXICON_LENGTH, P "/minLength"},
	{FIELD("'type':'bytes','minLength':1,'maxLength':0"), ATID_LEXICON_RANGE,
	P "/minLength"},
	{FIELD("'type':'blob','maxSize':-1"), ATID_LEXICON_LENGTH, P "/maxSize"},
	{FIELD("'type':'blob','accept':'*/*'"), ATID_LEXICON_ACCEPT, P "/accept"},
	{FIELD("'type':'blob','accept':[1]"), ATID_LEXICON_ACCEPT, P "/accept/0"},

	/* references */
	{REFER("'type':'ref'"), ATID_LEXICON_REF, P},
	{REFER("'type':'ref','ref':1"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':''"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':'#'"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':'object'"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':'x.y#z'"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':'x.y.z#'"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':'x.y.z#a#b'"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':'x.y.z#a\\u0000'"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':'lex:x.y.z#a'"), ATID_LEXICON_REF, P "/ref"},
	{REFER("'type':'ref','ref':'#objec'"), ATID_LEXICON_REF_NONE, P "/ref"},
	{REFER("'type':'ref','ref':'#main'"), ATID_LEXICON_REF_NONE, P "/ref"},
	{REFER("'type':'ref','ref':'a.b.c'"), ATID_LEXICON_REF_NONE, P "/ref"},
	{REFER("'type':'ref','ref':'a.b.c#x'"), ATID_LEXICON_REF_NONE, P "/ref"},
	{REFER("'type':'ref','ref':'#token'"), ATID_LEXICON_REF_TYPE, P "/ref"},
	{REFER("'type':'ref','ref':'a.b.c#token'"), ATID_LEXICON_REF_TYPE, P "/ref"},
	{DOC("'main':{'type':'query'},'d':{'type':'array','items':{'type':'ref','ref':'#main'}}"),
	ATID_LEXICON_REF_TYPE, D "/items/ref"},
	{REFER("'type':'union'"), ATID_LEXICON_REFS, P},
	{REFER("'type':'union','refs':'#object'"), ATID_LEXICON_REFS, P "/refs"},
	{REFER("'type':'union','refs':['#object',1]"), ATID_LEXICON_REFS, P "/refs/1"},
	{REFER("'type':'union','refs':['#object','x']"), ATID_LEXICON_REF, P "/refs/1"},
	{REFER("'type':'union','refs':['#object','#x']"), ATID_LEXICON_REF_NONE, P "/refs/1"},
	{REFER("'type':'union','refs':['#token']"), ATID_LEXICON_MEMBER, P "/refs/0"},
	{REFER("'type':'union','refs':['#string']"), ATID_LEXICON_MEMBER, P "/refs/0"},
	{REFER("'type':'union','refs':['a.b.c#array']"), ATID_LEXICON_MEMBER, P "/refs/0"},
	{REFER("'type':'union','refs':[],'closed':1"), ATID_LEXICON_CLOSED_TYPE, P "/closed"},
	{REFER("'type':'union','refs':[],'closed':null"), ATID_LEXICON_CLOSED_TYPE,
	P "/closed"},
	{REFER("'type':'union','refs':[],'closed':true"), ATID_LEXICON_CLOSED_EMPTY, P "/refs"},

	/* records */
	{MAIN("'type':'record','record':{'type':'object','properties':{}}"), ATID_LEXICON_KEY,
	M},
	{RECORD("1"), ATID_LEXICON_KEY, M "/key"},
	{RECORD("'all'"), ATID_LEXICON_KEY, M "/key"},
	{RECORD("'literal'"), ATID_LEXICON_KEY, M "/key"},
	{RECORD("'literal:'"), ATID_LEXICON_KEY, M "/key"},
	{RECORD("'literal:..'"), ATID_LEXICON_KEY, M "/key"},
	{RECORD("'literal:a b'"), ATID_LEXICON_KEY, M "/key"},
	{RECORD("'letteral:self'"), ATID_LEXICON_KEY, M "/key"},
	{MAIN("'type':'record','key':'any'"), ATID_LEXICON_RECORD, M},
	{MAIN("'type':'record','key':'any','record':'object'"), ATID_LEXICON_RECORD,
	M "/record"},
	{MAIN("'type':'record','key':'any','record':{'properties':{}}"), ATID_LEXICON_TYPE,
	M "/record"},
	{MAIN("'type':'record','key':'any','record':{'type':'ref','ref':'#main'}"),
	ATID_LEXICON_RECORD, M "/record/type"},

	/* endpoints */
	{QUERY("'parameters':[]"), ATID_LEXICON_PARAMETERS, M "/parameters"},
	{QUERY("'parameters':{'type':'object','properties':{}}"), ATID_LEXICON_PARAMETERS,
	M "/parameters/type"},
	{QUERY("'parameters':{'type':'params'}"), ATID_LEXICON_PROPERTIES, M "/parameters"},
	{QUERY("'parameters':{'type':'params','properties':{},'required':['p']}"),
	ATID_LEXICON_NO_PROPERTY, M "/parameters/required/0"},
	{PARAM("'type':'unknown'"), ATID_LEXICON_PARAMETER, M "/parameters/properties/p/type"},
	{PARAM("'type':'bytes'"), ATID_LEXICON_PARAMETER, M "/parameters/properties/p/type"},
	{PARAM("'type':'ref','ref':'#main'"), ATID_LEXICON_PARAMETER,
	M "/parameters/properties/p/type"},
	{PARAM("'type':'array','items':{'type':'array','items':{'type':'string'}}"),
	ATID_LEXICON_PARAMETER, M "/parameters/properties/p/items/type"},
	{PARAM("'type':'array','items':{'type':'blob'}"), ATID_LEXICON_PARAMETER,
	M "/parameters/properties/p/items/type"},
	{QUERY("'output':'application/json'"), ATID_LEXICON_BODY, M "/output"},
	{QUERY("'output':{}"), ATID_LEXICON_BODY, M "/output"},
	{QUERY("'output':{'encoding':1}"), ATID_LEXICON_BODY, M "/output/encoding"},
	{QUERY("'output':{'encoding':'a/b','description':1}"), ATID_LEXICON_DESCRIPTION,
	M "/output/description"},
	{QUERY("'output':{'encoding':'a/b','schema':1}"), ATID_LEXICON_BODY_SCHEMA,
	M "/output/schema"},
	{QUERY("'output':{'encoding':'a/b','schema':{'type':'string'}}"),
	ATID_LEXICON_BODY_SCHEMA, M "/output/schema/type"},
	{MAIN("'type':'procedure','input':{}"), ATID_LEXICON_BODY, M "/input"},
	{MAIN("'type':'subscription'"), ATID_LEXICON_MESSAGE, M},
	{MAIN("'type':'subscription','message':[]"), ATID_LEXICON_MESSAGE, M "/message"},
	{MAIN("'type':'subscription','message':{}"), ATID_LEXICON_MESSAGE, M "/message"},
	{MAIN("'type':'subscription','message':{'schema':{'type':'object','properties':{}}}"),
	ATID_LEXICON_MESSAGE, M "/message/schema/type"},
	{QUERY("'errors':{}"), ATID_LEXICON_ERRORS, M "/errors"},
	{QUERY("'errors':['a']"), ATID_LEXICON_ERRORS, M "/errors/0"},
	{QUERY("'errors':[{}]"), ATID_LEXICON_ERRORS, M "/errors/0"},
	{QUERY("'errors':[{'name':''}]"), ATID_LEXICON_ERRORS, M "/errors/0/name"},
	{QUERY("'errors':[{'name':'A'},{'name':'A B'}]"), ATID_LEXICON_ERRORS,
	M "/errors/1/name"},
	{QUERY("'errors':[{'name':'A','description':1}]"), ATID_LEXICON_DESCRIPTION,
	M "/errors/0/description"},

	/* permission sets */
	{MAIN("'type':'permission-set'"), ATID_LEXICON_PERMISSIONS, M},
	{MAIN("'type':'permission-set','permissions':{}"), ATID_LEXICON_PERMISSIONS,
	M "/permissions"},
	{MAIN("'type':'permission-set','permissions':[],'title':1"), ATID_LEXICON_DESCRIPTION,
	M "/title"},
	{MAIN("'type':'permission-set','permissions':[],'detail':1"), ATID_LEXICON_DESCRIPTION,
	M "/detail"},
	{MAIN("'type':'permission-set','permissions':[],'title:lang':[]"),
	ATID_LEXICON_TRANSLATIONS, M "/title:lang"},
	{MAIN("'type':'permission-set','permissions':[],'title:lang':{'de':1}"),
	ATID_LEXICON_TRANSLATIONS, M "/title:lang/de"},
	{MAIN("'type':'permission-set','permissions':[],'detail:lang':{'d':''}"),
	ATID_LANGUAGE_FIRST, M "/detail:lang/d"},
	{MAIN("'type':'permission-set','permissions':['x']"), ATID_LEXICON_PERMISSION,
	M "/permissions/0"},
	{MAIN("'type':'permission-set','permissions':[{'resource':'x'}]"),
	ATID_LEXICON_PERMISSION, M "/permissions/0"},
	{MAIN("'type':'permission-set','permissions':[{'type':'x','resource':'x'}]"),
	ATID_LEXICON_PERMISSION, M "/permissions/0/type"},
	{PERMISSION("'x':1"), ATID_LEXICON_PERMISSION, M "/permissions/0"},
	{PERMISSION("'resource':1"), ATID_LEXICON_PERMISSION, M "/permissions/0/resource"},
	{PERMISSION("'resource':''"), ATID_LEXICON_PERMISSION, M "/permissions/0/resource"},
	{PERMISSION("'resource':'x','description':1"), ATID_LEXICON_DESCRIPTION,
	M "/permissions/0/description"},
	{PERMISSION("'resource':'repo'"), ATID_LEXICON_COLLECTION, M "/permissions/0"},
	{PERMISSION("'resource':'repo','collection':'x'"), ATID_LEXICON_COLLECTION,
	M "/permissions/0/collection"},
	{PERMISSION("'resource':'repo','collection':[]"), ATID_LEXICON_COLLECTION,
	M "/permissions/0/collection"},
	{PERMISSION("'resource':'repo','collection':['x',1]"), ATID_LEXICON_COLLECTION,
	M "/permissions/0/collection/1"},
	{PERMISSION("'resource':'repo','collection':['x','y','x']"), ATID_LEXICON_COLLECTION,
	M "/permissions/0/collection"},
	{PERMISSION("'resource':'repo','collection':['x'],'action':'create'"),
	ATID_LEXICON_ACTION, M "/permissions/0/action"},
	{PERMISSION("'resource':'repo','collection':['x'],'action':['create','read']"),
	ATID_LEXICON_ACTION, M "/permissions/0/action/1"},
	{PERMISSION("'resource':'repo','collection':['x'],'action':['create','create']"),
	ATID_LEXICON_ACTION, M "/permissions/0/action"},
	{PERMISSION("'resource':'rpc'"), ATID_LEXICON_LXM, M "/permissions/0"},
	{PERMISSION("'resource':'rpc','lxm':[]"), ATID_LEXICON_LXM, M "/permissions/0/lxm"},
	{PERMISSION("'resource':'rpc','lxm':[1]"), ATID_LEXICON_LXM, M "/permissions/0/lxm/0"},
	{PERMISSION("'resource':'rpc','lxm':['x'],'aud':1"), ATID_LEXICON_AUD,
	M "/permissions/0/aud"},
	{PERMISSION("'resource':'rpc','lxm':['x'],'inheritAud':'true'"), ATID_LEXICON_AUD,
	M "/permissions/0/inheritAud"},

	/* what is accepted */
	{MAIN("'type':'permission-set','permissions':["
		  "{'type':'permission','resource':'repo','collection':['x','y','z']},"
		  "{'type':'permission','resource':'repo','collection':['x','z']}]"), ATID_OK, NULL},
	{MAIN("'type':'token','y':{'$link':'01550000'},'z':1"), ATID_OK, NULL},
	{"{}", ATID_OK, NULL},
	{SET("{'lexicon':1,'id':'a.b.c','revision':'x','$type':1,'defs':{'d':{'type':'token','x':1}},"
		 "'description':'','defz':[]}"), ATID_OK, NULL},
	{DOC("'a b.c':{'type':'token'}"), ATID_OK, NULL},
	{MAIN("'type':'token'"), ATID_OK, NULL},
	{MAIN("'type':'cid-link'"), ATID_OK, NULL},
	{OBJECT("'properties':{'p':{'type':'blob'},'':{'type':'blob'}},'nullable':['p','p'],"
			"'required':['']"), ATID_OK, NULL},
	{FIELD("'type':'object','properties':{'q':{'type':'array',"
		   "'items':{'type':'array','items':{'type':'object','properties':{}}}}}"),
	ATID_OK, NULL},
	{FIELD("'type':'integer','minimum':-5,'maximum':-5,'enum':[],'const':7"), ATID_OK, NULL},
	{FIELD("'type':'string','enum':['a'],'const':'b','format':'language','maxLength':0"),
	ATID_OK, NULL},
	{FIELD("'type':'string','minLength':9,'maxGraphemes':1"), ATID_OK, NULL},
	{FIELD("'type':'string','minLength':9,'maxLength':9,'minGraphemes':1,'maxGraphemes':1"),
	ATID_OK, NULL},
	{FIELD("'type':'blob','accept':['*','text/ht*'],'maxSize':0"), ATID_OK, NULL},
	{FIELD("'type':'unknown'"), ATID_OK, NULL},
	{REFER("'type':'ref','ref':'#string'"), ATID_OK, NULL},
	{REFER("'type':'ref','ref':'a.b.c#d'"), ATID_OK, NULL},
	{REFER("'type':'ref','ref':'x.y.z#main'"), ATID_OK, NULL},
	{REFER("'type':'union','refs':[],'closed':false"), ATID_OK, NULL},
	{REFER("'type':'union','refs':['x.y.z'],'closed':true"), ATID_OK, NULL},
	{RECORD("'tid'"), ATID_OK, NULL},
	{RECORD("'literal:a:b'"), ATID_OK, NULL},
	{RECORD("'nsid'"), ATID_OK, NULL},
	{DOC("'main':{'type':'record','key':'any','record':{'type':'object','properties':"
		 "{'p':{'type':'ref','ref':'#main'},'q':{'type':'union','refs':['a.b.c']}}}}"),
	ATID_OK, NULL},
	{PARAM("'type':'array','items':{'type':'boolean'}"), ATID_OK, NULL},
	{QUERY("'parameters':{'type':'params','properties':{},'nullable':['p']},'input':1"),
	ATID_OK, NULL},
	{MAIN("'type':'procedure','input':{'encoding':''},'output':{'encoding':'*/*',"
		  "'schema':{'type':'union','refs':[]}}"), ATID_OK, NULL},
	{MAIN("'type':'permission-set','permissions':[],'title:lang':{'de-DE':''}"), ATID_OK,
	NULL},
	{QUERY("'errors':[{'name':'A'},{'name':'B','description':'b'}]"), ATID_OK, NULL},
	{PERMISSION("'resource':'blob','accept':1"), ATID_OK, NULL},
	{PERMISSION("'resource':'repo','collection':['x']"), ATID_OK, NULL},
	{PERMISSION("'resource':'rpc','lxm':['x']"), ATID_OK, NULL},
	{PERMISSION("'resource':'repo','collection':['x','xx'],'action':['delete','create']"),
	ATID_OK, NULL},
	{PERMISSION("'resource':'rpc','lxm':['*','*'],'aud':'*','inheritAud':false"), ATID_OK,
	NULL},
};

/* What the language lacks is accepted, and noted where it is first. */
static const Case others[] = {
	{MAIN("'type':'token'"), ATID_OK, NULL},
	{MAIN("'type':'space'"), ATID_LEXICON_TYPE, M "/type"},
	{MAIN("'type':'','record':1,'defs':{},'key':{'properties':[]}"), ATID_LEXICON_TYPE,
	M "/type"},
	{FIELD("'type':'string','format':'url'"), ATID_LEXICON_FORMAT, P "/format"},
	{FIELD("'type':'string','format':''"), ATID_LEXICON_FORMAT, P "/format"},
	{FIELD("'type':'string','format':'uri'"), ATID_OK, NULL},
	{PARAM("'type':'array','items':{'type':'string','format':'space-ref'}"), ATID_LEXICON_FORMAT,
	M "/parameters/properties/p/items/format"},
	{DOC("'main':{'type':'space'},'d':{'type':'string','format':'url'}"), ATID_LEXICON_TYPE,
	M "/type"},
	{DOC("'main':{'type':'space'},'d':{'type':'object','properties':{"
		 "'a':{'type':'ref','ref':'#main'},'b':{'type':'union','refs':['#main','a.b.c']}}}"),
	ATID_LEXICON_TYPE, M "/type"},
	{"{'a.b.c':{'lexicon':1,'id':'a.b.c','defs':{'d':{'type':'string','format':'x'}}},"
		"'a.b.cc':{'lexicon':1,'id':'a.b.cc','defs':{'d':{'type':'string','format':'y'}}}}",
	ATID_LEXICON_FORMAT, D "/format"},
};

static void
check_other(const Case *test)
{
	AtidLexicon set;
	size_t		len;
	size_t		at;
	uint8_t    *bytes = json_cbor(test->json, &len);
	AtidFault	fault = atid_lexicon_compile(&set, &caller, bytes, len, &at);

	ok(fault == ATID_OK && set.other_fault == test->fault, test->json);
	if (fault != ATID_OK)
		printf("# %s\n", atid_fault_words(fault));
	else if (test->fault != ATID_OK)
		ok(strcmp(path_of(bytes, len, set.other_at), test->path) == 0, test->path);
	atid_lexicon_free(&set, &caller);
	if (!fails_cleanly(compile_or_fail, &(SetBytes) {bytes, len}, 1, 1))
		ok(false, "without memory");
	free(bytes);
}

static void
check_case(const Case *test)
{
	AtidLexicon set;
	size_t		len;
	size_t		at;
	uint8_t    *bytes = json_cbor(test->json, &len);
	AtidFault	fault = atid_lexicon_compile(&set, &caller, bytes, len, &at);
	const char *path = fault != ATID_OK ? path_of(bytes, len, at) : NULL;

	ok(fault == test->fault &&
	   (fault == ATID_OK ? set.bytes == bytes : strcmp(path, test->path) == 0), test->json);
	if (fault != test->fault)
		printf("# %s\n", fault == ATID_OK ? "no fault" : atid_fault_words(fault));
	if (fault != ATID_OK && (test->path == NULL || strcmp(path, test->path) != 0))
		printf("# at %s\n", path);
	atid_lexicon_free(&set, &caller);
	if (!fails_cleanly(compile_or_fail, &(SetBytes) {bytes, len}, 1, 1))
		ok(false, "without memory");
	free(bytes);
}


/*
 * The program
 */

static const char whole[] =
"{'a.b.c':{'lexicon':1,'id':'a.b.c','defs':{"
"'main':{'type':'record','key':'literal:self','record':{'type':'object',"
"'required':['text','bb'],'nullable':['a','bb'],'properties':{"
"'text':{'type':'string','format':'uri','minLength':1,'maxLength':300,"
"'minGraphemes':2,'maxGraphemes':30,'default':'x'},"
"'a':{'type':'integer','minimum':-7,'maximum':9,'enum':[5,-7,3],'const':3},"
"'bb':{'type':'union','refs':['x.y.zz','#obj','x.y.z#b','a.b.d#o','a.b.c#obj','x.y.z',"
"'x.y.z#main'],'closed':true},"
"'flag':{'type':'boolean','const':true},"
"'pic':{'type':'blob','accept':['image/*','video/mp4'],'maxSize':1000},"
"'list':{'type':'array','items':{'type':'ref','ref':'a.b.d#token'},'maxLength':4},"
"'word':{'type':'string','enum':['zz','a','y'],'const':'a'},"
"'raw':{'type':'bytes','minLength':1,'maxLength':2}}}},"
"'obj':{'type':'object','properties':{},'required':[]}}},"
"'a.b.d':{'lexicon':1,'id':'a.b.d','defs':{"
"'o':{'type':'object','properties':{}},'token':{'type':'token'}}},"
"'a.b.ee':{'lexicon':1,'id':'a.b.ee','defs':{'main':{'type':'procedure',"
"'parameters':{'type':'params','required':['q'],'properties':{'q':{'type':'integer'}}},"
"'input':{'encoding':'application/json','schema':{'type':'ref','ref':'a.b.c'}},"
"'output':{'encoding':'text/plain'}}}},"
"'a.b.ff':{'lexicon':1,'id':'a.b.ff','defs':{'main':{'type':'subscription',"
"'message':{'schema':{'type':'union','refs':['a.b.d#o']}}}}}}";

static bool
text_is(const AtidLexicon *set, AtidLexText text, const char *s)
{
	return text.len == strlen(s) && memcmp(atid_lex_text(set, text), s, text.len) == 0;
}

static const AtidLexNode *
node_of(const AtidLexicon *set, const char *ref)
{
	uint32_t	definition = atid_lexicon_find_ref(set, ref, strlen(ref));

	return &set->nodes[set->definitions[definition].node];
}

static const AtidLexProperty *
property_of(const AtidLexicon *set, const AtidLexNode *node, const char *name)
{
	return &set->properties[atid_lexicon_find_property(set, node, name, strlen(name))];
}

static const AtidLexNode *
field_of(const AtidLexicon *set, const AtidLexNode *node, const char *name)
{
	return &set->nodes[property_of(set, node, name)->node];
}

static void
check_program(void)
{
	AtidLexicon set;
	size_t		len;
	size_t		at;
	uint8_t    *bytes = json_cbor(whole, &len);
	const AtidLexNode *record;
	const AtidLexNode *object;
	const AtidLexNode *node;
	uint32_t	document;
	unsigned	asked;
	SetBytes	input;

	ok(atid_lexicon_compile(&set, &caller, bytes, len, &at) == ATID_OK, "a set");

	/* documents and definitions */
	is_u64(set.document_count, 4, "its documents");
	is_u64(set.definition_count, 6, "its definitions");
	document = atid_lexicon_find_document(&set, "a.b.d", 5);
	is_u64(document, 1, "a document");
	ok(text_is(&set, set.documents[1].nsid, "a.b.d") && set.documents[1].first == 2 &&
	   set.documents[1].count == 2, "its NSID and definitions");
	ok(bytes[set.documents[1].at] == 0xA3 && set.documents[1].end < set.documents[2].at &&
	   set.documents[3].end == len, "its bytes");
	ok(atid_lexicon_find_document(&set, "a.b.e", 5) == ATID_LEX_NONE, "no document");
	ok(atid_lexicon_find_document(&set, "", 0) == ATID_LEX_NONE, "no NSID");
	is_u64(atid_lexicon_find_definition(&set, 1, "token", 5), 3, "a definition");
	ok(atid_lexicon_find_definition(&set, 1, "obj", 3) == ATID_LEX_NONE,
	   "that of another document");
	ok(text_is(&set, set.definitions[3].name, "token") && set.definitions[3].document == 1,
	   "its name and document");
	is_u64(atid_lexicon_find_ref(&set, "a.b.d#token", 11), 3, "a reference");
	ok(atid_lexicon_find_ref(&set, "a.b.c", 5) != ATID_LEX_NONE &&
	   atid_lexicon_find_ref(&set, "a.b.c", 5) == atid_lexicon_find_ref(&set, "a.b.c#main", 10),
	   "a reference to main");
	ok(atid_lexicon_find_ref(&set, "a.b.d", 5) == ATID_LEX_NONE, "no main");
	ok(atid_lexicon_find_ref(&set, "a.b.c#", 6) == ATID_LEX_NONE, "no name");
	ok(atid_lexicon_find_ref(&set, "x.y.z#obj", 9) == ATID_LEX_NONE, "not in the set");
	ok(atid_lexicon_find_ref(&set, "", 0) == ATID_LEX_NONE, "no reference");

	/* a record */
	record = node_of(&set, "a.b.c");
	ok(record->type == ATID_LEX_RECORD && record->format == ATID_LEX_KEY_LITERAL &&
	   text_is(&set, record->const_text, "self"), "a record and its key");
	object = &set.nodes[record->first];
	ok(object->type == ATID_LEX_OBJECT && object->count == 8 &&
	   object->flags == ATID_LEX_HAS_REQUIRED, "its object");
	ok(property_of(&set, object, "text")->required && property_of(&set, object, "bb")->required &&
	   !property_of(&set, object, "a")->required, "required");
	ok(property_of(&set, object, "a")->nullable && property_of(&set, object, "bb")->nullable &&
	   !property_of(&set, object, "text")->nullable, "nullable");
	ok(atid_lexicon_find_property(&set, object, "c", 1) == ATID_LEX_NONE, "no property");
	ok(node_of(&set, "a.b.c#obj")->flags == 0, "nothing required");
	for (uint32_t i = 1; i < object->count; i++)
	{
		AtidLexText a = set.properties[object->first + i - 1].name;
		AtidLexText b = set.properties[object->first + i].name;

		if (atid_cbor_key_cmp(bytes + a.at, a.len, bytes + b.at, b.len) >= 0)
			ok(false, "properties in order");
	}
	node = field_of(&set, object, "text");
	ok(node->type == ATID_LEX_STRING && node->format == ATID_FORMAT_URI && node->min == 1 &&
	   node->max == 300 && node->min_graphemes == 2 && node->max_graphemes == 30 &&
	   node->flags == (ATID_LEX_HAS_FORMAT | ATID_LEX_HAS_MIN | ATID_LEX_HAS_MAX |
					   ATID_LEX_HAS_MIN_GRAPHEMES | ATID_LEX_HAS_MAX_GRAPHEMES |
					   ATID_LEX_HAS_DEFAULT), "a string");
	ok(bytes[node->at] == 0xA7, "its place");
	node = field_of(&set, object, "a");
	ok(node->type == ATID_LEX_INTEGER && node->min == -7 && node->max == 9 &&
	   node->constant == 3 && node->flags == (ATID_LEX_HAS_MIN | ATID_LEX_HAS_MAX |
											  ATID_LEX_HAS_CONST | ATID_LEX_HAS_ENUM),
	   "an integer");
	ok(node->count == 3 && set.integers[node->first] == -7 && set.integers[node->first + 1] == 3 &&
	   set.integers[node->first + 2] == 5, "its enum, in order");
	node = field_of(&set, object, "flag");
	ok(node->type == ATID_LEX_BOOLEAN && node->constant == 1 &&
	   node->flags == ATID_LEX_HAS_CONST, "a boolean");
	node = field_of(&set, object, "pic");
	ok(node->type == ATID_LEX_BLOB && node->max == 1000 && node->count == 2 &&
	   node->flags == (ATID_LEX_HAS_MAX | ATID_LEX_HAS_ACCEPT) &&
	   text_is(&set, set.texts[node->first], "image/*") &&
	   text_is(&set, set.texts[node->first + 1], "video/mp4"), "a blob");
	node = field_of(&set, object, "word");
	ok(node->count == 3 && text_is(&set, node->const_text, "a") &&
	   node->flags == (ATID_LEX_HAS_CONST | ATID_LEX_HAS_ENUM) &&
	   text_is(&set, set.texts[node->first], "a") &&
	   text_is(&set, set.texts[node->first + 1], "y") &&
	   text_is(&set, set.texts[node->first + 2], "zz"), "an enum of strings, in order");
	node = field_of(&set, object, "raw");
	ok(node->type == ATID_LEX_BYTES && node->min == 1 && node->max == 2, "bytes");
	node = field_of(&set, object, "list");
	ok(node->type == ATID_LEX_ARRAY && node->max == 4 && node->flags == ATID_LEX_HAS_MAX,
	   "an array");
	node = &set.nodes[node->first];
	ok(node->type == ATID_LEX_REF && node->count == 1 &&
	   set.refs[node->first].definition == atid_lexicon_find_ref(&set, "a.b.d#token", 11),
	   "a ref to another document is resolved, whatever is there");

	/* a union */
	node = field_of(&set, object, "bb");
	ok(node->type == ATID_LEX_UNION && node->flags == ATID_LEX_CLOSED, "a closed union");
	is_u64(node->count, 5, "its members, each once");
	ok(text_is(&set, set.refs[node->first].nsid, "a.b.c") &&
	   text_is(&set, set.refs[node->first].name, "obj"), "a local member has its document");
	is_u64(atid_lexicon_find_member(&set, node, "a.b.c#obj", 9), node->first, "the first member");
	is_u64(atid_lexicon_find_member(&set, node, "a.b.d#o", 7), node->first + 1, "the second");
	is_u64(atid_lexicon_find_member(&set, node, "x.y.z", 5), node->first + 2, "the third");
	is_u64(atid_lexicon_find_member(&set, node, "x.y.z#b", 7), node->first + 3, "the fourth");
	is_u64(atid_lexicon_find_member(&set, node, "x.y.zz", 6), node->first + 4, "the last");
	ok(set.refs[node->first].definition == atid_lexicon_find_ref(&set, "a.b.c#obj", 9) &&
	   set.refs[node->first + 1].definition == atid_lexicon_find_ref(&set, "a.b.d#o", 7) &&
	   set.refs[node->first + 2].definition == ATID_LEX_NONE, "and where they lead");
	ok(atid_lexicon_find_member(&set, node, "x.y.z#main", 10) == ATID_LEX_NONE,
	   "a $type with #main is no member");
	ok(atid_lexicon_find_member(&set, node, "x.y.z#", 6) == ATID_LEX_NONE,
	   "nor one without a name");
	ok(atid_lexicon_find_member(&set, node, "#obj", 4) == ATID_LEX_NONE, "nor a local one");
	ok(atid_lexicon_find_member(&set, node, "", 0) == ATID_LEX_NONE, "nor an empty one");

	/* endpoints */
	node = node_of(&set, "a.b.ee");
	ok(node->type == ATID_LEX_PROCEDURE && node->count == 3, "a procedure and its parts");
	object = field_of(&set, node, "parameters");
	ok(object->type == ATID_LEX_PARAMS && property_of(&set, object, "q")->required,
	   "its parameters");
	object = field_of(&set, node, "input");
	ok(object->type == ATID_LEX_BODY && text_is(&set, object->const_text, "application/json") &&
	   set.nodes[object->first].type == ATID_LEX_REF, "its input");
	object = field_of(&set, node, "output");
	ok(object->type == ATID_LEX_BODY && text_is(&set, object->const_text, "text/plain") &&
	   object->first == ATID_LEX_NONE, "its output, without a schema");
	node = node_of(&set, "a.b.ff");
	object = field_of(&set, node, "message");
	ok(node->type == ATID_LEX_SUBSCRIPTION && node->count == 1 &&
	   object->type == ATID_LEX_BODY && object->const_text.len == 0 &&
	   set.nodes[object->first].type == ATID_LEX_UNION, "a subscription and its message");

	atid_lexicon_free(&set, &caller);
	ok(set.nodes == NULL && set.bytes == NULL && memory.live == 0, "all is freed");

	asked = failing_total;
	input = (SetBytes) {bytes, len};
	ok(fails_cleanly(compile_or_fail, &input, 1, 1), "without memory all is freed");
	ok(failing_total - asked > 40, "memory is asked for many times");

	/* damage */
	ok(atid_lexicon_compile(&set, &caller, bytes, len - 1, &at) != ATID_OK &&
	   atid_lexicon_compile(&set, &caller, bytes, 0, &at) == ATID_CBOR_ENDS &&
	   memory.live == 0, "what is no DAG-CBOR has its faults");
	free(bytes);
}


/*
 * Large sets
 */

/* A text of parts, one after the other. */
typedef struct Text
{
	char	   *s;
	size_t		len;
	size_t		cap;
} Text;

static void
add(Text *text, const char *format, int number)
{
	if (text->len + 200 > text->cap)
		text->s = realloc(text->s, text->cap = text->cap * 2 + 1000);
	text->len += (size_t) snprintf(text->s + text->len, 200, format, number);
}

/* Compile a text, and say if the fault is this one. */
static bool
compiles_as(Text *text, AtidFault expected, AtidLexicon *set, uint8_t **bytes)
{
	size_t		len;
	size_t		at;

	*bytes = json_cbor(text->s, &len);
	free(text->s);
	memset(text, 0, sizeof(*text));
	return atid_lexicon_compile(set, &caller, *bytes, len, &at) == expected;
}

static void
check_large(void)
{
	Text		text = {NULL, 0, 0};
	AtidLexicon set;
	uint8_t    *bytes;

	pauses = 0;
	add(&text, "{'a.b.c':{'lexicon':1,'id':'a.b.c','defs':{", 0);
	for (int i = 0; i < 100000; i++)
		add(&text, "'%x':{'type':'token'},", i);
	add(&text, "}}}", 0);
	ok(compiles_as(&text, ATID_OK, &set, &bytes) && set.definition_count == 100000 &&
	   atid_lexicon_find_definition(&set, 0, "1869f", 5) == 99999, "100,000 definitions");
	ok(pauses > 100, "with pauses");
	atid_lexicon_free(&set, &caller);
	free(bytes);

	add(&text, "{'a.b.c':{'lexicon':1,'id':'a.b.c','defs':{'d':{'type':'object','properties':{", 0);
	for (int i = 0; i < 30000; i++)
		add(&text, "'%x':{'type':'blob'},", i);
	add(&text, "},'required':[", 0);
	for (int i = 0; i < 30000; i++)
		add(&text, "'%x',", i);
	add(&text, "]},'o':{'type':'array','items':{'type':'union','refs':[", 0);
	for (int i = 0; i < 30000; i++)
		add(&text, "'a.b.d#%x',", i % 20000);
	add(&text, "]}}}}}", 0);
	ok(compiles_as(&text, ATID_OK, &set, &bytes) && set.property_count == 30000 &&
	   set.ref_count == 20000, "30,000 properties, all required, and members");
	atid_lexicon_free(&set, &caller);
	free(bytes);

	/* a set, its document and the definitions are three levels */
	for (int levels = ATID_CBOR_DEPTH_MAX - 3; levels <= ATID_CBOR_DEPTH_MAX - 2; levels++)
	{
		bool		deep = levels > ATID_CBOR_DEPTH_MAX - 3;

		add(&text, "{'a.b.c':{'lexicon':1,'id':'a.b.c','defs':{'d':", 0);
		for (int i = 1; i < levels; i++)
			add(&text, "{'type':'array','items':", 0);
		add(&text, "{'type':'blob'", 0);
		for (int i = 0; i < levels; i++)
			add(&text, "}", 0);
		add(&text, "}}}", 0);
		ok(compiles_as(&text, deep ? ATID_CBOR_DEPTH : ATID_OK, &set, &bytes) &&
		   set.node_count == (deep ? 0 : (uint32_t) levels),
		   deep ? "and no deeper" : "as deep as a block can be");
		atid_lexicon_free(&set, &caller);
		free(bytes);
	}
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		check_other(&others[i]);
	ok(memory.live == 0, "no memory is left");
	ok(failing_total > 1000, "each request for it has failed");
	check_program();
	check_large();
	printf("# %u requests for memory were refused\n", failing_total);
	return done();
}
