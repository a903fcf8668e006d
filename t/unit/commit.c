/*-------------------------------------------------------------------------
 *
 * commit.c
 *		Commits of both versions, each rule of their fields broken alone, and the
 *		bytes that are signed.
 *
 * The writer of dagcbor.c writes blocks field by field, so that a test can leave one
 * out or change its value.  The unsigned bytes are compared with a block that is
 * written without "sig".
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/commit.h"

#include <stdlib.h>
#include <string.h>

#include "codec/cbor/dagcbor.h"
#include "exact.h"
#include "tap.h"

#define DID "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
#define REV "3jzfcijpj2z2a"
#define SIG "a signature, whose bytes are not looked at here"

/* How a field is written: right, not at all, or wrong in one of two ways. */
typedef enum Form
{
	RIGHT,
	ABSENT,
	OF_OTHER_TYPE,
	A_MAP,						/* of rev only */
	AN_ARRAY,
	BROKEN
} Form;

typedef struct Fields
{
	Form		did;
	Form		rev;
	Form		sig;
	Form		data;
	Form		prev;
	Form		version;
	int			number;			/* the version, 3 if it is 0 */
	bool		linked_prev;	/* prev is a link, and not null */
	int			others;			/* unknown fields, whose keys sort behind all */
} Fields;

static uint8_t memory[4096];

static AtidCborWriter
begin(void)
{
	AtidCborWriter writer = {.data = memory, .cap = sizeof(memory)};

	memset(memory, 0xEE, sizeof(memory));
	return writer;
}

static void
put_key(AtidCborWriter *writer, const char *key)
{
	atid_cbor_put_text(writer, key, strlen(key));
}

static void
put_cid(AtidCborWriter *writer, int codec)
{
	uint8_t		cid[36] = {1, 0, 0x12, 32};

	cid[1] = (uint8_t) codec;
	memset(cid + 4, 0xAB, 32);
	atid_cbor_put_link(writer, cid, sizeof(cid));
}

static size_t
write_commit(Fields f)
{
	AtidCborWriter writer = begin();
	int			pairs = 6 + f.others - (f.did == ABSENT) - (f.rev == ABSENT) -
		(f.sig == ABSENT) - (f.data == ABSENT) - (f.prev == ABSENT) - (f.version == ABSENT);

	atid_cbor_put_map(&writer, (size_t) pairs);
	if (f.did != ABSENT)
	{
		put_key(&writer, "did");
		if (f.did == OF_OTHER_TYPE)
			atid_cbor_put_null(&writer);
		else
			put_key(&writer, f.did == BROKEN ? "did:PLC:x" : DID);
	}
	if (f.rev != ABSENT)
	{
		put_key(&writer, "rev");
		if (f.rev == OF_OTHER_TYPE)
			atid_cbor_put_integer(&writer, 1);
		else if (f.rev == A_MAP)
			atid_cbor_put_map(&writer, 0);
		else if (f.rev == AN_ARRAY)
			atid_cbor_put_array(&writer, 0);
		else
			put_key(&writer, f.rev == BROKEN ? "zzzfcijpj2z2a" : REV);
	}
	if (f.sig != ABSENT)
	{
		put_key(&writer, "sig");
		if (f.sig == OF_OTHER_TYPE)
			put_key(&writer, "text");
		else
			atid_cbor_put_bytes(&writer, SIG, strlen(SIG));
	}
	if (f.data != ABSENT)
	{
		put_key(&writer, "data");
		if (f.data == OF_OTHER_TYPE)
			atid_cbor_put_null(&writer);
		else
			put_cid(&writer, f.data == BROKEN ? 0x55 : 0x71);
	}
	if (f.prev != ABSENT)
	{
		put_key(&writer, "prev");
		if (f.prev == OF_OTHER_TYPE)
			atid_cbor_put_map(&writer, 0);
		else if (f.prev == BROKEN || f.linked_prev)
			put_cid(&writer, f.prev == BROKEN ? 0x55 : 0x71);
		else
			atid_cbor_put_null(&writer);
	}
	if (f.version != ABSENT)
	{
		put_key(&writer, "version");
		if (f.version == OF_OTHER_TYPE)
			put_key(&writer, "3");
		else
			atid_cbor_put_integer(&writer, f.version == BROKEN ? 4 : f.number ? f.number : 3);
	}
	for (int i = 0; i < f.others; i++)
	{
		char		key[32];

		snprintf(key, sizeof(key), "unknown%03d", i);
		put_key(&writer, key);
		/* an inner key with the name of a field */
		atid_cbor_put_map(&writer, 1);
		put_key(&writer, "did");
		atid_cbor_put_null(&writer);
	}
	return writer.len;
}

/* Parse from memory that ends where the block does. */
static AtidFault
parse(size_t len, AtidCommit *commit)
{
	static uint8_t *block = NULL;

	free(block);
	block = exact(memory, len);
	return atid_commit_parse(block, len, commit);
}

/* The faults of dagcbor.c are one after the other in the list. */
static bool
is_of_encoding(AtidFault fault)
{
	return fault >= ATID_CBOR_ENDS && fault <= ATID_CBOR_LINK_PREFIX;
}

static void
refused(Fields f, AtidFault fault, const char *name)
{
	AtidCommit	commit;
	AtidFault	got = parse(write_commit(f), &commit);

	ok(got == fault && strlen(atid_fault_words(got)) > 20, name);
}

/* The place of the fault is the value of that key. */
static void
refused_at(Fields f, AtidFault fault, const char *key, const char *name)
{
	AtidCommit	commit;
	AtidCborWriter writer = begin();
	uint8_t		head[8];
	size_t		len;

	put_key(&writer, key);
	len = writer.len;
	memcpy(head, memory, len);
	ok(parse(write_commit(f), &commit) == fault && commit.at > len &&
	   memcmp(memory + commit.at - len, head, len) == 0, name);
}

static void
unsigned_bytes(Fields f, const char *name)
{
	uint8_t		got[4096];
	AtidCommit	commit;
	size_t		len;

	if (parse(write_commit(f), &commit) != ATID_OK)
	{
		ok(false, name);
		return;
	}
	len = atid_commit_unsigned(&commit, got);
	f.sig = ABSENT;
	ok(len == write_commit(f) && memcmp(got, memory, len) == 0, name);
}

int
main(void)
{
	AtidCommit	commit;
	size_t		len;
	bool		cut = true;
	uint8_t    *large;

	len = write_commit((Fields) {0});
	ok(parse(len, &commit) == ATID_OK, "a commit of version 3");
	ok(commit.version == 3 && commit.did_len == strlen(DID) &&
	   memcmp(commit.did, DID, strlen(DID)) == 0 && memcmp(commit.rev, REV, 13) == 0 &&
	   commit.data[1] == 0x71 && commit.data[35] == 0xAB && commit.prev == NULL &&
	   commit.sig_len == strlen(SIG) && memcmp(commit.sig, SIG, strlen(SIG)) == 0, "its fields");
	parse(write_commit((Fields) {.linked_prev = true}), &commit);
	ok(commit.prev != NULL && commit.prev[35] == 0xAB && commit.prev != commit.data,
	   "prev, where it is a link");
	ok(parse(write_commit((Fields) {.number = 2, .rev = ABSENT, .prev = ABSENT}), &commit) ==
	   ATID_OK && commit.version == 2 && commit.rev == NULL && commit.prev == NULL,
	   "a commit of version 2 without rev and prev");

	refused((Fields) {.did = ABSENT}, ATID_COMMIT_DID, "no did");
	refused((Fields) {.did = OF_OTHER_TYPE}, ATID_COMMIT_DID, "a did that is null");
	refused((Fields) {.did = BROKEN}, ATID_COMMIT_DID, "a did that is none");
	refused((Fields) {.rev = ABSENT}, ATID_COMMIT_REV, "no rev");
	refused((Fields) {.rev = OF_OTHER_TYPE}, ATID_COMMIT_REV, "a rev that is a number");
	refused((Fields) {.rev = BROKEN}, ATID_COMMIT_REV, "a rev that is no TID");
	refused_at((Fields) {.rev = A_MAP}, ATID_COMMIT_REV, "rev", "a rev that is a map");
	refused_at((Fields) {.rev = AN_ARRAY}, ATID_COMMIT_REV, "rev", "a rev that is an array");
	refused((Fields) {.sig = ABSENT}, ATID_COMMIT_SIG, "no sig");
	refused((Fields) {.sig = OF_OTHER_TYPE}, ATID_COMMIT_SIG, "a sig that is text");
	refused((Fields) {.data = ABSENT}, ATID_COMMIT_DATA, "no data");
	refused((Fields) {.data = OF_OTHER_TYPE}, ATID_COMMIT_DATA, "a data that is null");
	refused((Fields) {.data = BROKEN}, ATID_COMMIT_DATA, "a data of codec raw");
	refused((Fields) {.prev = ABSENT}, ATID_COMMIT_PREV, "no prev");
	refused((Fields) {.prev = OF_OTHER_TYPE}, ATID_COMMIT_PREV, "a prev that is a map");
	refused((Fields) {.prev = BROKEN}, ATID_COMMIT_PREV, "a prev of codec raw");
	refused((Fields) {.version = ABSENT}, ATID_COMMIT_VERSION_FIELD, "no version");
	refused((Fields) {.version = OF_OTHER_TYPE}, ATID_COMMIT_VERSION_FIELD, "a version of text");
	refused((Fields) {.version = BROKEN}, ATID_COMMIT_VERSION_FIELD, "version 4");
	refused((Fields) {.number = 1}, ATID_COMMIT_VERSION_FIELD, "version 1");

	memory[0] = 0x80;
	ok(parse(1, &commit) == ATID_COMMIT_TOP, "an array");
	memory[0] = 0xA0;
	ok(parse(1, &commit) != ATID_OK, "an empty map");

	large = calloc(1, ATID_COMMIT_SIZE_MAX + 1);
	ok(atid_commit_parse(large, ATID_COMMIT_SIZE_MAX + 1, &commit) == ATID_COMMIT_LARGE,
	   "a byte too many");
	free(large);

	len = write_commit((Fields) {.others = 3});
	for (size_t i = 0; i < len; i++)
		cut = is_of_encoding(parse(i, &commit)) && commit.at <= i && cut;
	ok(cut, "a block that is cut off at any byte");

	unsigned_bytes((Fields) {0}, "the unsigned bytes");
	unsigned_bytes((Fields) {.others = 1}, "with a field that is not known");
	unsigned_bytes((Fields) {.others = 18}, "where the head counts 24 pairs, and 23 without sig");
	unsigned_bytes((Fields) {.others = 60}, "where it has a second byte in both");
	unsigned_bytes((Fields) {.number = 2, .rev = ABSENT, .prev = ABSENT}, "of version 2");
	return done();
}
