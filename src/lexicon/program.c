/*-------------------------------------------------------------------------
 *
 * program.c
 *		Compiled lexicons: a cache in each backend.
 *
 * A value is compiled when it is first used.  Its program, with a copy of the value's
 * DAG-CBOR, has a memory context of its own, and is found again by the value's digest.
 * What a digest stands for never changes, so nothing in the cache becomes invalid.
 *
 * A call site (fn_extra of a function that is called with a lexicon) pins the program of
 * the value that it saw last, until its memory context ends.  As long as that value
 * comes again, a call compares digests and does nothing else.  Of a value that is
 * compressed only the digest is unpacked.  A value that is stored out of line is not
 * fetched again within a statement.
 *
 * The programs in the cache take CACHE_MAX bytes at most; the one that was not used for
 * the longest time has to go first.  A program that is pinned then lives until its last
 * pin goes.  One that is larger than the cache is never in it, and lives as long as its
 * call site does.
 *
 * A program is compiled in a child of the current context, so an error in the middle
 * leaves nothing behind.  It gets its place in the cache when it is whole.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/parallel.h"
#include "access/xact.h"
#include "fmgr.h"
#include "lib/ilist.h"
#include "storage/proc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "array_sort.h"
#include "codec/lexicon/compile.h"
#include "compat.h"
#include "error.h"
#include "lexicon/program.h"
#include "lexicon/value.h"

/* The bytes of the programs that a backend keeps. */
#define CACHE_MAX		(16 * 1024 * 1024)

typedef struct Program
{
	AtidLexicon lexicon;
	MemoryContext context;		/* has all of it */
	uint8		digest[32];
	Size		size;
	int			pins;
	bool		cached;
	dlist_node	node;			/* in recent, if it is cached */
} Program;

typedef struct CacheEntry
{
	uint8		digest[32];		/* the key */
	Program    *program;
} CacheEntry;

/*
 * A value that is stored out of line.  Within a statement, if all of this is the same,
 * so is the value, and it need not be fetched: with a set of 9 kB record_conforms() then
 * takes 0.2 us for a small record, and otherwise 1.6 us.
 *
 * Its toast pointer alone is not enough, because another value can have its ID after it
 * was vacuumed away.  That cannot happen to a value of others as long as the statement
 * holds its snapshot.  It can happen to a value that we wrote, once the transaction or
 * subtransaction has ended.
 */
typedef struct StoredValue
{
	varatt_external pointer;	/* all zero: the value must be fetched */
	LocalTransactionId transaction;
	SubTransactionId subtransaction;
} StoredValue;

/* What fn_extra points to. */
typedef struct CallSite
{
	Program    *program;		/* NULL, or pinned */
	StoredValue stored;			/* the program's value as it came last */
	bool		in_statement;	/* it does not outlive its statement */
	MemoryContextCallback callback;
} CallSite;

static HTAB *cache = NULL;
static dlist_head recent = DLIST_STATIC_INIT(recent);	/* the last used first */
static Size cache_size = 0;


/*
 * Compiling
 */

static void *
alloc_for_program(void *arg, void *old, size_t size)
{
	if (size == 0)
	{
		if (old != NULL)
			pfree(old);
		return NULL;
	}
	if (old != NULL)
		return repalloc_huge(old, size);
	return MemoryContextAllocHuge((MemoryContext) arg, size);
}

AtidFault
atid_lexicon_compile_here(AtidLexicon *set, const uint8 *bytes, size_t len, size_t *at)
{
	AtidLexCaller caller = {alloc_for_program, atid_sort, atid_check_for_interrupts, NULL};

	caller.arg = CurrentMemoryContext;
	return atid_lexicon_compile(set, &caller, bytes, len, at);
}

/*
 * The program of a value, in a new context below the current one.
 */
static Program *
compile_value(Datum datum)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "atid lexicon",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Program    *program = palloc0(sizeof(Program));
	AtidLexiconDatum *value = (AtidLexiconDatum *) PG_DETOAST_DATUM_COPY(datum);
	size_t		at;

	if (atid_lexicon_compile_here(&program->lexicon, value->cbor, ATID_LEXICON_CBOR_LEN(value),
								  &at) != ATID_OK)
		atid_refuse_packed(ATID_PACKED_DAMAGED, "atid.lexicon");
	program->context = context;
	memcpy(program->digest, value->digest, sizeof(program->digest));
	MemoryContextSwitchTo(caller);
	program->size = MemoryContextMemAllocated(context, true);
	return program;
}


/*
 * The cache
 */

static void
unpin_program(Program *program)
{
	Assert(program->pins > 0);
	if (--program->pins == 0 && !program->cached)
		MemoryContextDelete(program->context);
}

/*
 * Take the program that was not used for the longest time out of the cache.
 */
static void
evict_program(void)
{
	Program    *program = dlist_container(Program, node, dlist_tail_node(&recent));

	hash_search(cache, program->digest, HASH_REMOVE, NULL);
	dlist_delete(&program->node);
	cache_size -= program->size;
	program->cached = false;
	if (program->pins == 0)
		MemoryContextDelete(program->context);
}

/*
 * The program of a value with this head; it has a pin for the caller.
 */
static Program *
pin_program(Datum datum, const AtidLexiconDatum *head)
{
	CacheEntry *entry;
	Program    *program;

	if (cache == NULL)
	{
		HASHCTL		ctl = {0};

		ctl.keysize = sizeof(entry->digest);
		ctl.entrysize = sizeof(CacheEntry);
		cache = hash_create("atid lexicons", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(cache, head->digest, HASH_FIND, NULL);
	if (entry != NULL)
	{
		dlist_move_head(&recent, &entry->program->node);
		entry->program->pins++;
		return entry->program;
	}

	program = compile_value(datum);
	if (program->size <= CACHE_MAX)
	{
		entry = hash_search(cache, program->digest, HASH_ENTER, NULL);

		/* from here on there are no errors */
		entry->program = program;
		dlist_push_head(&recent, &program->node);
		cache_size += program->size;
		program->cached = true;
	}
	program->pins = 1;
	MemoryContextSetParent(program->context, TopMemoryContext);
	while (cache_size > CACHE_MAX)
		evict_program();
	return program;
}

/* The memory of a call site is to be freed. */
static void
unpin_call_site(void *arg)
{
	CallSite   *site = arg;

	if (site->program != NULL)
		unpin_program(site->program);
	site->program = NULL;
}

/*
 * Does a call site with this memory end with the current statement?  It does if the
 * memory is the portal's, or in a parallel worker.  Others, such as those of PL/pgSQL's
 * expressions, can live until the transaction ends.
 */
static bool
ends_with_statement(MemoryContext context)
{
	if (IsParallelWorker())
		return true;
	while (context != NULL && context != PortalContext)
		context = MemoryContextGetParent(context);
	return context != NULL;
}

/*
 * Returns false if the value must be fetched.
 */
static inline bool
get_stored_value(const CallSite *site, Datum datum, StoredValue *stored)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);

	memset(stored, 0, sizeof(*stored));
	if (!VARATT_IS_EXTERNAL_ONDISK(value) || !site->in_statement)
		return false;
	VARATT_EXTERNAL_GET_POINTER(stored->pointer, value);
	stored->transaction = atid_my_lxid();
	stored->subtransaction = GetCurrentSubTransactionId();
	return true;
}

/*
 * The program of an argument of type atid.lexicon.  The call site keeps it until a call
 * with another value, or until its memory is freed.  fn_extra is not free for other use.
 */
const AtidLexicon *
atid_lexicon_program(FunctionCallInfo fcinfo, int argument)
{
	Datum		datum = PG_GETARG_DATUM(argument);
	CallSite   *site = fcinfo->flinfo->fn_extra;
	const AtidLexiconDatum *head;
	StoredValue stored;

	if (unlikely(site == NULL))
	{
		site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
		site->callback.func = unpin_call_site;
		site->callback.arg = site;
		site->in_statement = ends_with_statement(fcinfo->flinfo->fn_mcxt);
		MemoryContextRegisterResetCallback(fcinfo->flinfo->fn_mcxt, &site->callback);
		fcinfo->flinfo->fn_extra = site;
	}
	if (get_stored_value(site, datum, &stored) &&
		memcmp(&site->stored, &stored, sizeof(stored)) == 0)
		return &site->program->lexicon;

	head = atid_lexicon_head(datum);
	if (unlikely(site->program == NULL ||
				 memcmp(site->program->digest, head->digest, sizeof(head->digest)) != 0))
	{
		Program    *program = pin_program(datum, head);

		if (site->program != NULL)
			unpin_program(site->program);
		site->program = program;
	}
	site->stored = stored;
	if (DatumGetPointer(datum) != (Pointer) head)
		pfree((void *) head);
	return &site->program->lexicon;
}
