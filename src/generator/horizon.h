/*-------------------------------------------------------------------------
 *
 * horizon.h
 *		The time below which identifiers may be handed out, kept on disk.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_HORIZON_H
#define ATID_HORIZON_H

#include "storage/buf.h"

/*
 * The horizon's page while it is locked: what it says, and what holds it.  The
 * lock of the buffer guards the page's contents.
 */
typedef struct AtidHorizon
{
	uint64		us;				/* the horizon, us since the Unix epoch */
	uint64		life;			/* whose it is; 0 if no generator wrote it */
	Oid			relid;			/* the sequence */
	bool		writable;		/* atid_horizon_write() is allowed */
	struct RelationData *rel;
	Buffer		buffer;
} AtidHorizon;

/*
 * Find the page, lock it, to write or only to read, and read it.  In recovery it
 * is only read.  Raises an error where the sequence is missing or not the one it
 * should be.
 */
extern void atid_horizon_lock(AtidHorizon *horizon, bool write);

/*
 * Write a horizon, in us since the Unix epoch, and the life it belongs to, to the
 * page that was locked to write.
 */
extern void atid_horizon_write(AtidHorizon *horizon, uint64 us, uint64 life);

/*
 * Unlock the page.  If it was locked to write, what it says is on disk when this
 * returns.
 */
extern void atid_horizon_unlock(AtidHorizon *horizon);

#endif							/* ATID_HORIZON_H */
