/*-------------------------------------------------------------------------
 *
 * horizon.c
 *		The time below which identifiers may be handed out, kept on disk.
 *
 * The horizon is a time, in microseconds since the Unix epoch, that lies above
 * every identifier yet handed out (RFC 9562 section 6.3 calls for such a value
 * in stable storage).  It has nothing to do with the horizon of VACUUM; the name
 * is that of the sequence, which users see.  It is the last_value of a sequence
 * that the extension owns, generator_horizon: a sequence is dumped and restored
 * with its value, copied by pg_upgrade and CREATE DATABASE ... TEMPLATE, and
 * replicated.
 *
 * Format: the page of any sequence, one tuple of three columns.
 *
 *		last_value	the horizon
 *		log_cnt		-life, where life is the 63-bit number that the life of the
 *					shared state which wrote it drew at random; 0 or more where
 *					setval(), nextval() or ALTER SEQUENCE wrote it, as a restore
 *					does
 *		is_called	not looked at
 *
 * The page is changed with Generic WAL, which needs no transaction id and so
 * works in read-only transactions and in parallel workers.  The record holds the
 * whole page, of which the unused middle is left out, and not its difference to
 * the page before: nextval() logs another tuple than it leaves on the page, so a
 * difference would be applied to other bytes in replay than it was taken from.
 *
 * The page is locked, read, written if need be, unlocked, and then WAL is flushed
 * up to the page's LSN.  So what the caller has read on the page is on disk when
 * it goes on, whoever wrote it: if another session has raised the horizon and the
 * server crashes before that session has flushed it, this one has.  The flush
 * comes after the unlock, so that a slow disk does not hold up those who only
 * read the page.
 *
 * In recovery the page is read and nothing is written or flushed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "commands/sequence.h"
#include "storage/bufmgr.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "generator/horizon.h"

#define SEQUENCE_NAME	"generator_horizon"

/* What the catalogue says of the extension. */
typedef struct Extension
{
	Oid			oid;			/* InvalidOid if it is not there */
	Oid			schema;
	Oid			dumped;			/* the first of its relations that pg_dump
								 * takes the data of, or InvalidOid */
	bool		is_new;			/* made in this transaction */
} Extension;

/*
 * The first relation in an extension's extconfig.  The server keeps only members
 * of the extension there: ALTER EXTENSION ... DROP takes them out.
 */
static Oid
first_dumped_relation(HeapTuple tuple, TupleDesc desc)
{
	bool		isnull;
	Datum		datum = heap_getattr(tuple, Anum_pg_extension_extconfig, desc, &isnull);
	ArrayType  *array;

	if (isnull)
		return InvalidOid;
	array = DatumGetArrayTypeP(datum);
	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] < 1 || ARR_HASNULL(array))
		return InvalidOid;
	return ((Oid *) ARR_DATA_PTR(array))[0];
}

/*
 * Find the extension.
 *
 * The catalogue is read each time, which takes some microseconds in a second: what
 * is not cached cannot be stale after DROP and CREATE EXTENSION.  It has a few rows
 * on one page, so looking through it costs less than opening its index would.
 */
static Extension
find_atid_extension(void)
{
	Extension	extension = {InvalidOid, InvalidOid, InvalidOid, false};
	Relation	rel;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	rel = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum("atid"));
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		Form_pg_extension form = (Form_pg_extension) GETSTRUCT(tuple);

		extension.oid = form->oid;
		extension.schema = form->extnamespace;
		extension.dumped = first_dumped_relation(tuple, RelationGetDescr(rel));
		extension.is_new =
			TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return extension;
}

/*
 * May the sequence have a new file, which is gone if this transaction rolls
 * back?  One that was made in it does not count, as it would be gone too.
 *
 * A parallel worker is not told which files are new.  There it counts whether
 * this transaction has written the sequence's row in pg_class, which it also
 * does without a new file, by GRANT for example.
 */
static bool
sequence_was_altered(Relation rel, const Extension *extension)
{
	HeapTuple	tuple;
	bool		written;

	if (!IsParallelWorker())
		return atid_has_new_file(rel);
	if (extension->is_new)
		return false;

	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(RelationGetRelid(rel)));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", RelationGetRelid(rel));
	written = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
	ReleaseSysCache(tuple);
	return written;
}

/*
 * Open the sequence, or say why what is there cannot be used.
 *
 * It is looked up by OIDs, never by the name of its schema: the owner of the
 * database may rename that and put another in its place, and this code writes
 * to what it finds without asking for privileges.
 */
static Relation
open_horizon_sequence(LOCKMODE lockmode)
{
	Extension	extension = find_atid_extension();
	Oid			relid = InvalidOid;
	Relation	rel = NULL;

	if (OidIsValid(extension.oid))
		relid = get_relname_relid(SEQUENCE_NAME, extension.schema);
	if (OidIsValid(relid))
		rel = try_relation_open(relid, lockmode);
	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" of extension atid does not exist", SEQUENCE_NAME),
				 errdetail("Without it identifiers could repeat after a crash."),
				 errhint("Drop and create the extension, or restore the sequence and use ALTER EXTENSION atid ADD SEQUENCE.")));
	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a sequence", SEQUENCE_NAME),
				 errdetail("The extension atid must have a sequence of that name for its generator's horizon."),
				 errhint("Drop it, and then drop and create the extension.")));
	if (relid != extension.dumped &&
		getExtensionOfObject(RelationRelationId, relid) != extension.oid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" does not belong to extension atid", SEQUENCE_NAME),
				 errdetail("The generator must not write to a sequence that is not the extension's own."),
				 errhint("To make it the extension's, use ALTER EXTENSION atid ADD SEQUENCE.")));
	if (rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" of extension atid is not permanent", SEQUENCE_NAME),
				 errdetail("An unlogged sequence is reset by a crash."),
				 errhint("Use ALTER SEQUENCE ... SET LOGGED.")));
	if (sequence_was_altered(rel, &extension))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" was altered in this transaction", SEQUENCE_NAME),
				 errdetail("A horizon in it would be lost if the transaction were rolled back."),
				 errhint("Commit before you generate identifiers.")));
	return rel;
}

/*
 * The data of the sequence's page, or of a copy of it.
 */
static Form_pg_sequence_data
sequence_data(Page page)
{
	const Size	needed = offsetof(FormData_pg_sequence_data, is_called) + sizeof(bool);
	ItemId		item;

	if (!PageIsNew(page) && PageGetMaxOffsetNumber(page) == FirstOffsetNumber)
	{
		item = PageGetItemId(page, FirstOffsetNumber);
		if (ItemIdIsNormal(item))
		{
			HeapTupleHeader tuple = (HeapTupleHeader) PageGetItem(page, item);

			if (ItemIdGetLength(item) >= tuple->t_hoff + needed)
				return (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
		}
	}
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the page of sequence \"%s\" is damaged", SEQUENCE_NAME)));
}

/* The lock on the sequence: that of nextval(), or that of a SELECT. */
static LOCKMODE
sequence_lockmode(const AtidHorizon *horizon)
{
	return horizon->writable ? RowExclusiveLock : AccessShareLock;
}

void
atid_horizon_lock(AtidHorizon *horizon, bool write)
{
	Form_pg_sequence_data data;

	horizon->writable = write && !RecoveryInProgress();
	horizon->rel = open_horizon_sequence(sequence_lockmode(horizon));
	horizon->relid = RelationGetRelid(horizon->rel);
	horizon->buffer = ReadBuffer(horizon->rel, 0);
	LockBuffer(horizon->buffer,
			   horizon->writable ? BUFFER_LOCK_EXCLUSIVE : BUFFER_LOCK_SHARE);

	data = sequence_data(BufferGetPage(horizon->buffer));
	horizon->us = data->last_value > 0 ? (uint64) data->last_value : 0;
	horizon->life = data->log_cnt < 0 ? 0 - (uint64) data->log_cnt : 0;
}

void
atid_horizon_write(AtidHorizon *horizon, uint64 us, uint64 life)
{
	GenericXLogState *state;
	Form_pg_sequence_data data;

	Assert(horizon->writable && atid_page_is_locked(horizon->buffer));

	/*
	 * Before 15.5 and 16.1, GenericXLogFinish() marks the buffer dirty only
	 * after it has inserted the record, and a checkpoint that begins in
	 * between could pass over the page.  Marked dirty before, it is written
	 * by that checkpoint.
	 */
	MarkBufferDirty(horizon->buffer);

	state = GenericXLogStart(horizon->rel);
	data = sequence_data(GenericXLogRegisterBuffer(state, horizon->buffer,
												   GENERIC_XLOG_FULL_IMAGE));
	data->last_value = (int64) us;
	data->log_cnt = -(int64) life;
	data->is_called = true;
	GenericXLogFinish(state);

	horizon->us = us;
	horizon->life = life;
}

void
atid_horizon_unlock(AtidHorizon *horizon)
{
	XLogRecPtr	lsn = PageGetLSN(BufferGetPage(horizon->buffer));

	UnlockReleaseBuffer(horizon->buffer);

	/*
	 * model: page_flush
	 *
	 * A sequence made in this very transaction may not be logged (wal_level =
	 * minimal): then commit puts the file itself on disk.
	 */
	if (horizon->writable && RelationNeedsWAL(horizon->rel))
		XLogFlush(lsn);

	relation_close(horizon->rel, sequence_lockmode(horizon));
}
