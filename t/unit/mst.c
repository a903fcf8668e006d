/*-------------------------------------------------------------------------
 * mst.c
 *		Depths, prefixes, keys and nodes, each rule of them broken alone; limits that no key
 *		can be mined for, and subtrees that a builder gets as a whole.
 *
 * The hash is a made one: the depth of a key is its second character, so a depth can be
 * any.  Prefixes are those of t/vectors, or of the interoperability vectors if
 * ATID_INTEROP_DIR names them.  fuzz/mst.c compares walks and builders with others;
 * t/repository/rules.pl has the words of all that is refused.
 *
 *-------------------------------------------------------------------------
 */
#include "codec/repository/mst_build.h"
#include "codec/repository/mst_walk.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "failing.h"
#include "tap.h"

#define VALUE ((const uint8_t *) "\x01\x55\x00\x01v")
#define VALUE_LEN 5

/* The depth is the second character, from '0' on; the digest's end depends on all bytes. */
static void
fake_hash(void *arg, const void *data, size_t len, uint8_t digest[32])
{
	const uint8_t *bytes = data;
	uint64_t	sum = UINT64_C(0xcbf29ce484222325);
	int			zeros = len > 1 && bytes[1] >= '0' && bytes[1] < 'p' ? 2 * (bytes[1] - '0') : 0;

	(void) arg;
	for (size_t i = 0; i < len; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	memset(digest, 0xFF, 32);
	memset(digest, 0, (size_t) zeros / 8);
	digest[zeros / 8] = (uint8_t) (0xFF >> zeros % 8);
	memcpy(digest + 24, &sum, sizeof(sum));
}

static Failing memory;			/* which never fails here */

static const AtidMstCaller caller = {fake_hash, failing_memory, NULL, NULL, NULL, &memory};

static AtidFault
put(AtidMstBuilder *builder, const char *key)
{
	return atid_mst_put(builder, &caller, (const uint8_t *) key, strlen(key), VALUE, VALUE_LEN);
}

/* The root of the tree of some keys, separated by blanks. */
static void
root_of(const char *keys, uint8_t root[ATID_MST_CID_LEN])
{
	AtidMstBuilder builder;
	char		copy[256];

	atid_mst_builder_init(&builder);
	strcpy(copy, keys);
	for (char *key = strtok(copy, " "); key != NULL; key = strtok(NULL, " "))
		put(&builder, key);
	if (atid_mst_finish(&builder, &caller, root) != ATID_OK)
		abort();
	atid_mst_builder_free(&builder, &caller);
}

static void
test_depths(void)
{
	uint8_t		digest[32];
	bool		good = true;

	for (int bits = 0; bits <= 256; bits++)
	{
		memset(digest, 0xFF, sizeof(digest));
		for (int i = 0; i < bits; i++)
			digest[i / 8] &= (uint8_t) ~(0x80 >> i % 8);
		good = good && atid_mst_depth(digest) == bits / 2;
	}
	ok(good, "depth: half of the leading zeros, from 0 to 256");
}

/* "left": "..", "right": "..", "len": n, with \u0000 as the only escape. */
static void
test_prefixes(void)
{
	const char *folder = getenv("ATID_INTEROP_DIR");
	char		path[1024];
	char		line[256];
	FILE	   *file;
	int			count = 0;
	bool		good = true;

	snprintf(path, sizeof(path), "%s/mst/common_prefix.json", folder ? folder : "t/vectors");
	file = fopen(path, "r");
	if (file == NULL)
	{
		printf("# no vectors of prefixes in %s\n", path);
		return;
	}
	while (fgets(line, sizeof(line), file) != NULL)
	{
		uint8_t		sides[2][64];
		size_t		lens[2] = {0, 0};
		const char *p = strstr(line, "\"left\": \"");
		int			want;

		for (int side = 0; side < 2 && p != NULL; side++)
		{
			p += side == 0 ? strlen("\"left\": \"") : strlen("\"right\": \"");
			while (*p != '"')
			{
				bool		escape = strncmp(p, "\\u0000", 6) == 0;

				sides[side][lens[side]++] = escape ? 0 : (uint8_t) *p;
				p += escape ? 6 : 1;
			}
			if (side == 0)
				p = strstr(p, "\"right\": \"");
		}
		if (p == NULL || (p = strstr(p, "\"len\": ")) == NULL ||
			sscanf(p, "\"len\": %d", &want) != 1)
			continue;
		good = good && atid_mst_shared(sides[0], lens[0], sides[1], lens[1]) == (size_t) want;
		count++;
	}
	fclose(file);
	ok(good && count >= 8, "prefixes: the vectors");
}

static void
test_keys(void)
{
	static uint8_t key[ATID_MST_KEY_MAX + 1];

	memset(key, '~', sizeof(key));
	ok(atid_mst_check_key(key, 0) == ATID_MST_KEY_EMPTY, "a key of nothing");
	ok(atid_mst_check_key(key, ATID_MST_KEY_MAX) == ATID_OK, "the longest key");
	ok(atid_mst_check_key(key, sizeof(key)) == ATID_MST_KEY_LONG, "a longer key");
	ok(atid_mst_check_key((const uint8_t *) "a!", 2) == ATID_OK &&
	   atid_mst_check_key((const uint8_t *) "a ", 2) == ATID_MST_KEY_CHARACTER &&
	   atid_mst_check_key((const uint8_t *) "a\x7f", 2) == ATID_MST_KEY_CHARACTER,
	   "a key's characters");
}

#define LINK(codec) "d82a 5825 00 01" codec "1220 \
	abababababababababababababababababababababababababababababababab"
#define K "616b 44 612f3140"
#define P "6170 00"
#define T "6174 f6"
#define V "6176 d82a 46 000155000161"
#define NODE(entries) "a2 6165" entries "616c f6"
#define ENTRY(pairs) NODE("81 a4" pairs)

/* Nodes of one entry or none. */
static const struct
{
	const char *node;
	AtidFault	fault;
	const char *name;
}			nodes[] = {
	{NODE("80"), ATID_OK, "a node without entries"},
	{ENTRY(K P T V), ATID_OK, "a node of one entry"},
	{ENTRY(K P "6174" LINK("71") V), ATID_OK, "an entry with a tree"},
	{"a2 6165 80 616c" LINK("71"), ATID_OK, "a node with a tree"},
	{"80", ATID_MST_NODE, "a node that is an array"},
	{"a1 6165 80", ATID_MST_NODE, "a node without l"},
	{"a2 6164 80 616c f6", ATID_MST_NODE, "a node without e"},
	{"a2 6165 a0 616c f6", ATID_MST_NODE, "an e that is a map"},
	{"a2 6165 80 616d f6", ATID_MST_NODE, "another key than l"},
	{"a2 6165 80 616c 01", ATID_MST_NODE, "an l that is a number"},
	{"a2 6165 80 616c" LINK("55"), ATID_MST_LINK, "an l of codec raw"},
	{NODE("80") "00", ATID_CBOR_TRAILING, "more behind a node"},
	{NODE("81 80"), ATID_MST_ENTRY, "an entry that is an array"},
	{NODE("81 a3" K P V), ATID_MST_ENTRY, "an entry without t"},
	{NODE("81 a5" K P T V "6177 00"), ATID_MST_ENTRY, "an entry of five fields"},
	{ENTRY("616a 44 612f3140" P T V), ATID_MST_ENTRY, "another key than k"},
	{ENTRY("616b 64 612f3140" P T V), ATID_MST_ENTRY, "a k of text"},
	{ENTRY(K "616f 00" T V), ATID_MST_ENTRY, "another key than p"},
	{ENTRY(K "6170 60" T V), ATID_MST_ENTRY, "a p of text"},
	{ENTRY(K "6170 20" T V), ATID_MST_ENTRY, "a p below zero"},
	{ENTRY(K "6170 190400" T V), ATID_OK, "the longest prefix"},
	{ENTRY(K "6170 190401" T V), ATID_MST_PREFIX_LONG, "a longer prefix"},
	{ENTRY(K P "6173 f6" V), ATID_MST_ENTRY, "another key than t"},
	{ENTRY(K P "6174 00" V), ATID_MST_ENTRY, "a t that is a number"},
	{ENTRY(K P "6174" LINK("55") V), ATID_MST_LINK, "a t of codec raw"},
	{ENTRY(K P T "6177 00"), ATID_MST_ENTRY, "another key than v"},
	{ENTRY(K P T "6176 f6"), ATID_MST_ENTRY, "a v that is null"},
	{ENTRY(K P T "6175 f6"), ATID_MST_ENTRY, "a key before v"},
};

static AtidFault
read_node(const uint8_t *block, size_t len, size_t room)
{
	uint8_t    *copy = exact(block, len);
	AtidMstEntry entry;
	AtidMstNode node;
	AtidFault	fault = atid_mst_read_node(copy, len, &node, &entry, room);

	/* a fault has its place, and what was read is in the node */
	if (fault == ATID_OK ? node.count > 1 : node.at < copy || node.at > copy + len)
		fault = (AtidFault) -1;
	free(copy);
	return fault;
}

static void
test_nodes(void)
{
	uint8_t		large[12 + ATID_MST_KEY_MAX + 1] = "\xa2\x61" "e\x81\xa4\x61k\x59";
	uint8_t    *node;
	size_t		len;
	bool		cut = true;

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
	{
		node = from_hex(nodes[i].node, &len);
		ok(read_node(node, len, 1) == nodes[i].fault, nodes[i].name);
		free(node);
	}
	node = from_hex(ENTRY(K P "6174" LINK("71") V), &len);
	for (size_t i = 0; i < len; i++)
	{
		AtidFault	fault = read_node(node, i, 1);

		cut = cut && fault >= ATID_CBOR_ENDS && fault <= ATID_CBOR_COUNT;
	}
	ok(cut, "a node that is cut off at any byte");
	ok(read_node(node, len, 0) == ATID_OK, "a node for which there is no room is only counted");
	free(node);
	large[8] = (ATID_MST_KEY_MAX + 1) >> 8;
	large[9] = (ATID_MST_KEY_MAX + 1) & 0xFF;
	ok(read_node(large, sizeof(large), 1) == ATID_MST_KEY_LONG, "a k of 1,025 bytes");
	node = from_hex("a2 6165 99 03e9", &len);
	node = realloc(node, 1100);
	memset(node + len, 0, 1100 - len);
	ok(read_node(node, 1100, 1) == ATID_MST_MANY_ENTRIES, "1,001 entries");
	free(node);
}

static void
test_limits(void)
{
	AtidMstBuilder builder;
	bool		good = true;
	char		key[32];

	atid_mst_builder_init(&builder);
	ok(put(&builder, "aP/") == ATID_OK, "depth 32: the deepest");
	ok(put(&builder, "bQ/") == ATID_MST_DEEP, "depth 33: refused");
	for (int i = 0; i <= ATID_MST_ENTRIES_MAX; i++)
	{
		AtidFault	fault;

		snprintf(key, sizeof(key), "c0/%04d", i);
		fault = put(&builder, key);
		good = good && fault == (i < ATID_MST_ENTRIES_MAX ? ATID_OK : ATID_MST_MANY_ENTRIES);
	}
	ok(good, "a node: a thousand entries, and one more is refused");
	ok(put(&builder, "b0") == ATID_MST_KEY_ORDER, "a lesser key");
	atid_mst_builder_free(&builder, &caller);
}

/* The nodes that a builder has made, the root behind all others. */
static struct
{
	uint8_t		cid[ATID_MST_CID_LEN];
	uint8_t		node[128];
	size_t		len;
}			made[ATID_MST_DEPTH_MAX + 1];
static int	made_count;

static void
keep_node(void *arg, const uint8_t cid[ATID_MST_CID_LEN], const uint8_t *node, size_t len)
{
	(void) arg;
	if (made_count > ATID_MST_DEPTH_MAX || len > sizeof(made[0].node))
		abort();
	memcpy(made[made_count].cid, cid, ATID_MST_CID_LEN);
	memcpy(made[made_count].node, node, len);
	made[made_count++].len = len;
}

static AtidFault
find_node(void *arg, const uint8_t cid[ATID_MST_CID_LEN], const uint8_t **block, size_t *len)
{
	(void) arg;
	for (int i = 0; i < made_count; i++)
	{
		*block = made[i].node;
		*len = made[i].len;
		if (memcmp(made[i].cid, cid, ATID_MST_CID_LEN) == 0)
			return ATID_OK;
	}
	return ATID_MST_MISSING;
}

/* A walk through the deepest tree; and a root of a key that is one level deeper. */
static void
test_deepest(void)
{
	static AtidMstWalk walk;
	AtidMstCaller own = {fake_hash, failing_memory, find_node, keep_node, NULL, &memory};
	AtidMstBuilder builder;
	uint8_t		root[ATID_MST_CID_LEN];
	uint8_t    *depth = made[ATID_MST_DEPTH_MAX].node + 9;	/* the second byte of the root's key */
	int			entries = 0;

	atid_mst_builder_init(&builder);
	if (atid_mst_put(&builder, &own, (const uint8_t *) "Z0", 2, VALUE, VALUE_LEN) != ATID_OK ||
		atid_mst_put(&builder, &own, (const uint8_t *) "aP", 2, VALUE, VALUE_LEN) != ATID_OK ||
		atid_mst_finish(&builder, &own, root) != ATID_OK)
		abort();
	atid_mst_builder_free(&builder, &own);

	atid_mst_walk_begin(&walk, &own, root);
	while (walk.at == ATID_MST_AT_TREE || walk.at == ATID_MST_AT_ENTRY)
	{
		entries += walk.at == ATID_MST_AT_ENTRY;
		if (walk.at == ATID_MST_AT_TREE)
			atid_mst_enter(&walk);
		else
			atid_mst_pass(&walk);
	}
	ok(made_count == ATID_MST_DEPTH_MAX + 1 && entries == 2 && walk.at == ATID_MST_AT_END,
	   "walk: a node at each level from 32 to 0");
	atid_mst_walk_end(&walk);

	if (*depth != 'P')
		abort();
	*depth = 'Q';
	atid_mst_walk_begin(&walk, &own, root);
	atid_mst_enter(&walk);
	ok(walk.at == ATID_MST_AT_FAULT && walk.fault == ATID_MST_DEEP, "walk: a key of depth 33");
	atid_mst_walk_end(&walk);
}

static void
test_finish(void)
{
	AtidMstBuilder builder;
	uint8_t		one[ATID_MST_CID_LEN];
	uint8_t		two[ATID_MST_CID_LEN];
	uint8_t		wanted[ATID_MST_CID_LEN];
	bool		good = true;
	const char *keys[] = {"a0", "b3", "c1", "d0", "e2", "f0", "g4", "h0"};
	char		all[64] = "";

	atid_mst_builder_init(&builder);
	for (int i = 0; i < 8; i++)
	{
		strcat(strcat(all, " "), keys[i]);
		good = good && put(&builder, keys[i]) == ATID_OK;
		good = good && atid_mst_finish(&builder, &caller, one) == ATID_OK &&
			atid_mst_finish(&builder, &caller, two) == ATID_OK;
		root_of(all, wanted);
		good = good && memcmp(one, wanted, sizeof(one)) == 0 && memcmp(two, one, sizeof(one)) == 0;
	}
	ok(good, "finish: of all so far, and the builder goes on");
	atid_mst_builder_free(&builder, &caller);
}

/* A builder that is given the subtree of some keys as a whole. */
static AtidFault
put_tree(AtidMstBuilder *builder, int level, const char *keys)
{
	uint8_t		cid[ATID_MST_CID_LEN];

	root_of(keys, cid);
	return atid_mst_put_tree(builder, &caller, level, cid);
}

static void
test_subtrees(void)
{
	AtidMstBuilder builder;
	uint8_t		root[ATID_MST_CID_LEN];
	uint8_t		wanted[ATID_MST_CID_LEN];

	root_of("a0 b1 c0 d3 e0 f1 g4", wanted);
	atid_mst_builder_init(&builder);
	ok(put_tree(&builder, 1, "a0 b1 c0") == ATID_OK && put(&builder, "d3") == ATID_OK &&
	   put_tree(&builder, 1, "e0 f1") == ATID_OK && put(&builder, "g4") == ATID_OK &&
	   atid_mst_finish(&builder, &caller, root) == ATID_OK &&
	   memcmp(root, wanted, sizeof(root)) == 0, "subtrees two levels below: the same root");
	atid_mst_builder_free(&builder, &caller);

	root_of("a0 b2 c0 d3 e0 f2 g4", wanted);
	ok(put_tree(&builder, 2, "a0 b2 c0") == ATID_OK && put(&builder, "d3") == ATID_OK &&
	   put_tree(&builder, 2, "e0 f2") == ATID_OK && put(&builder, "g4") == ATID_OK &&
	   atid_mst_finish(&builder, &caller, root) == ATID_OK &&
	   memcmp(root, wanted, sizeof(root)) == 0, "subtrees in their places: the same root");
	ok(put_tree(&builder, 2, "h0 i2") == ATID_OK && put(&builder, "j1") == ATID_MST_NEEDED,
	   "a lesser key behind a subtree: it would have to be opened");
	ok(put_tree(&builder, 1, "j1") == ATID_MST_NEEDED, "a subtree behind a subtree");
	atid_mst_builder_free(&builder, &caller);

	ok(put(&builder, "a0") == ATID_OK && put_tree(&builder, 1, "b1") == ATID_MST_NEEDED,
	   "a subtree behind a lesser key");
	atid_mst_builder_free(&builder, &caller);
	ok(put_tree(&builder, 1, "b1") == ATID_OK &&
	   atid_mst_finish(&builder, &caller, root) == ATID_MST_NEEDED,
	   "a subtree and nothing above it");
	atid_mst_builder_free(&builder, &caller);
}

static const uint8_t subtree[ATID_MST_CID_LEN] = {1, 0x71, 0x12, 32};
static uint8_t root_of_all[ATID_MST_CID_LEN];

/*
 * Build a tree of keys of several depths, some of them long, and of subtrees that are put as
 * a whole.  Where only the last step fails, the builder is as it was.
 */
static AtidFault
build_or_fail(void *arg, Failing *failing)
{
	AtidMstCaller own = {fake_hash, failing_memory, NULL, NULL, NULL, failing};
	static char key[ATID_MST_KEY_MAX];
	const uint8_t *wanted = arg;
	AtidMstBuilder builder;
	uint8_t		root[ATID_MST_CID_LEN];
	AtidFault	fault = ATID_OK;

	memset(key, 'k', sizeof(key));
	atid_mst_builder_init(&builder);
	for (int i = 0; i < 60 && fault == ATID_OK; i++)
	{
		key[0] = (char) ('!' + i);
		key[1] = "010243"[i % 6];
		if (i % 6 == 5)
			fault = atid_mst_put_tree(&builder, &own, 2, subtree);
		if (fault == ATID_OK)
			fault = atid_mst_put(&builder, &own, (const uint8_t *) key,
								 i % 7 == 0 ? ATID_MST_KEY_MAX : 10, VALUE, VALUE_LEN);
	}
	if (fault == ATID_OK)
	{
		fault = atid_mst_finish(&builder, &own, root);
		if (fault == ATID_NO_MEMORY && atid_mst_finish(&builder, &caller, root) != ATID_OK)
			abort();
		if (wanted != NULL && memcmp(root, wanted, sizeof(root)) != 0)
			abort();
		if (wanted == NULL)
			memcpy(root_of_all, root, sizeof(root));
	}
	atid_mst_builder_free(&builder, &own);
	return fault;
}

static void
test_memory(void)
{
	ok(build_or_fail(NULL, &memory) == ATID_OK, "keys and subtrees");
	ok(fails_cleanly(build_or_fail, root_of_all, 1, 1) && failing_total > 100,
	   "each request for memory fails");
	ok(memory.live == 0, "nothing is left");
	printf("# %u requests for memory were refused\n", failing_total);
}

int
main(void)
{
	test_depths();
	test_prefixes();
	test_keys();
	test_nodes();
	test_limits();
	test_deepest();
	test_finish();
	test_subtrees();
	test_memory();
	return done();
}
