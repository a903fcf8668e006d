/*-------------------------------------------------------------------------
 *
 * slots.c
 *		Shared memory: a slot for each database's generator.
 *
 * A database takes a slot when a generator is first used in it after the start
 * of the server, and all its sessions find it there.  Once the database has been
 * dropped, another one can take the slot.
 *
 * Format: a chain of segments, where segment k has 16 * 2^k slots.
 *
 *		the handles of the segments from 1 on, padded (segment 0 only)
 *		the OID of each slot's database, 0 for a free slot; padded
 *		the slots
 *
 * Segment 0 is what any session finds by its name: in 17 and later a segment of
 * the server's registry, before a piece of the main segment.  The others are
 * dynamic shared memory that is made when it is needed, and kept.  So no number
 * of databases takes more than a few of the server's segments, and nothing must
 * be preloaded.
 *
 * Slots of dropped databases
 *
 * When no slot is free, the session that needs one looks for those whose
 * database is not in pg_database, before it makes another segment.  It holds the
 * lock meanwhile, and its snapshot is younger than the lock:
 *
 *	- A database that has a slot was in pg_database before a session of it took
 *	  the lock to find that slot.  So it is seen, unless it has been dropped.
 *	- A database is dropped when no session is connected to it, and none can
 *	  connect from then on.  So nobody has a pointer into a slot that is given
 *	  back.
 *	- If its OID comes back (CREATE DATABASE ... OID, or a counter that has gone
 *	  round), a session of the new database looks for its slot under the lock.
 *	  Either it finds the old one, and the database is seen from then on; or the
 *	  slot has been given back, and it takes another.  The old one's streams may
 *	  be ahead of the new database's horizon, which does no harm.
 *
 * A slot that is taken gets a new life.  So a page that was copied from a database
 * since dropped (CREATE DATABASE ... TEMPLATE) never has the number of the life
 * that the slot has now.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "generator/clock.h"
#include "generator/random.h"
#include "generator/slots.h"

#ifdef ATID_HAVE_DSM_REGISTRY
#include "storage/dsm_registry.h"
#endif

/* As in a running server, these stay what the first release made them. */
#define DIRECTORY_NAME	"atid generators"
#define GENERATOR_SIZE	1024
#define FIRST_SLOTS		16
#define MAX_SEGMENTS	14		/* 262,128 databases */

StaticAssertDecl(sizeof(AtidGenerator) == GENERATOR_SIZE,
				 "the size of the shared struct must never change");
StaticAssertDecl(offsetof(AtidGenerator, life) == 0 &&
				 offsetof(AtidGenerator, since) == 8 &&
				 offsetof(AtidGenerator, offset) == 16 &&
				 offsetof(AtidGenerator, node) == 24 &&
				 offsetof(AtidGenerator, reached_us) == 32 &&
				 offsetof(AtidGenerator, stream) == 3 * ATID_LINE_SIZE,
				 "the layout of the shared struct must never change");
StaticAssertDecl(ATID_TICK_KINDS <= ATID_STREAM_LINES,
				 "each kind of tick has a line of its own");

/*
 * The handles, and the OIDs that the segments begin with, are read under
 * AddinShmemInitLock in either mode and written under it in exclusive mode.  A
 * segment is zeroed before anyone can find it, under that lock or the registry's.
 */
typedef struct Directory
{
	dsm_handle	handle[MAX_SEGMENTS];	/* 0 if not made yet; [0] is unused */
} Directory;

#define DIRECTORY_SIZE	TYPEALIGN(ATID_LINE_SIZE, sizeof(Directory))

/* Where this backend sees them; NULL if it has not looked. */
static Directory *directory = NULL;
static char *segments[MAX_SEGMENTS];


/*
 * Segments
 */

static int
slots_in_segment(int k)
{
	return FIRST_SLOTS << k;
}

static Size
owners_size(int k)
{
	return TYPEALIGN(ATID_LINE_SIZE, slots_in_segment(k) * sizeof(Oid));
}

static Size
segment_size(int k)
{
	return owners_size(k) + (Size) slots_in_segment(k) * sizeof(AtidGenerator);
}

#ifdef ATID_HAVE_DSM_REGISTRY

static void
init_directory(ATID_SHMEM_INIT_ARGS)
{
	memset(ptr, 0, DIRECTORY_SIZE + segment_size(0));
}

static void
map_directory(void)
{
	bool		found;

	directory = atid_named_dsm_segment(DIRECTORY_NAME, DIRECTORY_SIZE + segment_size(0),
									   init_directory, &found);
	segments[0] = (char *) directory + DIRECTORY_SIZE;
}

void
atid_slots_preload(void)
{
	/* the registry needs no room reserved */
}

#else

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static void
map_directory(void)
{
	bool		found;

	/*
	 * The server expects this at startup, but any backend can do it under
	 * this lock; autoprewarm does so too.
	 */
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	directory = ShmemInitStruct(DIRECTORY_NAME, DIRECTORY_SIZE + segment_size(0), &found);
	if (!found)
		memset(directory, 0, DIRECTORY_SIZE + segment_size(0));
	LWLockRelease(AddinShmemInitLock);
	segments[0] = (char *) directory + DIRECTORY_SIZE;
}

static void
request_directory(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(add_size(DIRECTORY_SIZE + segment_size(0), ATID_LINE_SIZE));
}

static void
make_directory(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	map_directory();
}

void
atid_slots_preload(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = request_directory;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = make_directory;
}

#endif

/*
 * Where this backend sees a segment, or NULL if there is none yet.
 */
static char *
map_segment(int k)
{
	dsm_segment *seg;

	Assert(LWLockHeldByMe(AddinShmemInitLock));
	if (segments[k] != NULL || directory->handle[k] == DSM_HANDLE_INVALID)
		return segments[k];

	seg = dsm_find_mapping(directory->handle[k]);
	if (seg == NULL)
	{
		seg = dsm_attach(directory->handle[k]);
		if (seg == NULL)
			elog(ERROR, "could not attach to dynamic shared memory segment %u",
				 directory->handle[k]);
		dsm_pin_mapping(seg);
	}
	segments[k] = dsm_segment_address(seg);
	return segments[k];
}

/*
 * Make the segment that comes next in the chain.
 */
static void
add_segment(void)
{
	dsm_segment *seg;
	int			k = 1;

	Assert(LWLockHeldByMeInMode(AddinShmemInitLock, LW_EXCLUSIVE));
	while (k < MAX_SEGMENTS && directory->handle[k] != DSM_HANDLE_INVALID)
		k++;
	if (k == MAX_SEGMENTS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many databases have generated identifiers"),
				 errdetail("There is room for the generators of %d databases.",
						   slots_in_segment(MAX_SEGMENTS) - FIRST_SLOTS)));

	seg = dsm_create(segment_size(k), 0);
	dsm_pin_mapping(seg);
	dsm_pin_segment(seg);
	memset(dsm_segment_address(seg), 0, owners_size(k));
	segments[k] = dsm_segment_address(seg);
	directory->handle[k] = dsm_segment_handle(seg);
}


/*
 * Slots
 */

/*
 * Find the slot of a database, or for InvalidOid a free one; NULL if there is
 * none.  *owner is set to where its database's OID stands.
 */
static AtidGenerator *
find_slot(Oid database, Oid **owner)
{
	Assert(LWLockHeldByMe(AddinShmemInitLock));
	for (int k = 0; k < MAX_SEGMENTS && map_segment(k) != NULL; k++)
	{
		Oid		   *owners = (Oid *) segments[k];

		for (int i = 0; i < slots_in_segment(k); i++)
		{
			if (owners[i] == database)
			{
				*owner = &owners[i];
				return (AtidGenerator *) (segments[k] + owners_size(k)) + i;
			}
		}
	}
	return NULL;
}

/*
 * The OIDs of all databases that there are now, sorted.
 */
static Oid *
list_databases(Relation rel, int *count)
{
	int			room = 16;
	Oid		   *oids = palloc(room * sizeof(Oid));
	SysScanDesc scan;
	HeapTuple	tuple;

	/* a new snapshot, not one that this session has kept */
	InvalidateCatalogSnapshot();

	*count = 0;
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (*count == room)
		{
			room *= 2;
			oids = repalloc(oids, room * sizeof(Oid));
		}
		oids[(*count)++] = ((Form_pg_database) GETSTRUCT(tuple))->oid;
	}
	systable_endscan(scan);
	qsort(oids, *count, sizeof(Oid), oid_cmp);
	return oids;
}

/*
 * Give back the slots of databases that have been dropped.
 */
static void
free_slots_of_dropped_databases(Relation rel)
{
	int			count;
	Oid		   *databases = list_databases(rel, &count);

	Assert(LWLockHeldByMeInMode(AddinShmemInitLock, LW_EXCLUSIVE));
	for (int k = 0; k < MAX_SEGMENTS && map_segment(k) != NULL; k++)
	{
		Oid		   *owners = (Oid *) segments[k];

		for (int i = 0; i < slots_in_segment(k); i++)
		{
			if (bsearch(&owners[i], databases, count, sizeof(Oid), oid_cmp) == NULL)
				owners[i] = InvalidOid;
		}
	}
	pfree(databases);
}

static void
init_slot(AtidGenerator *slot, uint64 life)
{
	Assert(LWLockHeldByMeInMode(AddinShmemInitLock, LW_EXCLUSIVE));
	memset(slot, 0, sizeof(AtidGenerator));
	pg_atomic_init_u64(&slot->life, life);
	pg_atomic_init_u64(&slot->since, (uint64) GetCurrentTimestamp());
	pg_atomic_init_u64(&slot->offset, (uint64) ATID_OFFSET_UNKNOWN);
	pg_atomic_init_u64(&slot->node, 0);
	for (int i = 0; i < ATID_STREAM_LINES; i++)
		pg_atomic_init_u64(&slot->stream[i].tick, 0);
}

/*
 * Take a slot for this database, unless another session has just done so.
 */
static AtidGenerator *
take_slot(void)
{
	AtidGenerator *slot;
	Oid		   *owner;
	uint64		life = atid_slots_new_life();

	/*
	 * Opened before the lock, for this may have to wait.  What follows waits
	 * for nothing but other locks of this kind and for reading the
	 * catalogue's pages.
	 */
	Relation	databases = table_open(DatabaseRelationId, AccessShareLock);

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	slot = find_slot(MyDatabaseId, &owner);
	if (slot == NULL)
	{
		slot = find_slot(InvalidOid, &owner);
		if (slot == NULL)
		{
			free_slots_of_dropped_databases(databases);
			slot = find_slot(InvalidOid, &owner);
		}
		if (slot == NULL)
		{
			add_segment();
			slot = find_slot(InvalidOid, &owner);
		}
		init_slot(slot, life);
		*owner = MyDatabaseId;
	}
	LWLockRelease(AddinShmemInitLock);

	table_close(databases, AccessShareLock);
	return slot;
}

AtidGenerator *
atid_slots_find(void)
{
	AtidGenerator *slot;
	Oid		   *owner;

	if (directory == NULL)
		map_directory();

	LWLockAcquire(AddinShmemInitLock, LW_SHARED);
	slot = find_slot(MyDatabaseId, &owner);
	LWLockRelease(AddinShmemInitLock);
	return slot;
}

AtidGenerator *
atid_slots_find_or_take(void)
{
	AtidGenerator *slot = atid_slots_find();

	return slot != NULL ? slot : take_slot();
}

uint64
atid_slots_new_life(void)
{
	return Max(atid_random_bits() >> 1, 1);
}
